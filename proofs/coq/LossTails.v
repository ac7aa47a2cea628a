(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The probability that the losses of T rounds add up to eps or more, of the pairs
 * krr-strong and krr-weak, in the counts: ../tail.md. The losses are log(n1/n2),
 * so that their sum is at least eps when the product of the n1 is at least e^eps
 * times that of the n2.
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Composition Trinomial TrinomialMean Binomial KrrPairs Instances.
Import ListNotations.
Open Scope R_scope.

(* The product of the numbers f of the rounds' outcomes. *)
Definition numbers {A} (f : A -> R) (v : list A) : R := fold_right Rmult 1 (map f v).

(* The probability of T rounds of p, under P, that the losses log(n1/n2) add up to log alpha or more. *)
Definition losses_reach {A} (T : nat) (p : pair_of A) (n1 n2 : A -> R) (alpha : R) : R :=
  sum (filter (fun v => if Rle_dec (alpha * numbers n2 v) (numbers n1 v) then true else false) (outcomes (power T p))) (P_of (power T p)).

Section Tail.
  Context {A : Type} (p : pair_of A) (n1 n2 : A -> R).
  Hypothesis M : masses p.
  Hypothesis N1 : forall z, In z (outcomes p) -> 0 <= n1 z.
  (* P and Q are in the proportion of n1 and n2. *)
  Hypothesis ratio : forall z, In z (outcomes p) -> exists c, 0 <= c /\ P_of p z = c * n1 z /\ Q_of p z = c * n2 z.

  Lemma rounds_ratio T v : In v (outcomes (power T p)) ->
    0 <= numbers n1 v /\ exists c, 0 <= c /\ P_of (power T p) v = c * numbers n1 v /\ Q_of (power T p) v = c * numbers n2 v.
  Proof.
    unfold power, product_pair. cbn [outcomes P_of Q_of]. revert v. induction T as [|T IH]; intros v I.
    - destruct I as [<-|[]]. cbn. split; [lra|]. exists 1. lra.
    - cbn [repeat map] in *. apply in_sequences in I as (x & w & -> & Ix & Iw). destruct (IH w Iw) as (NN & c & C0 & CP & CQ).
      destruct (ratio x Ix) as (d & D0 & DP & DQ). unfold numbers in *. cbn [map fold_right rounds].
      split; [apply Rmult_le_pos; auto|]. exists (d * c). split; [now apply Rmult_le_pos|].
      rewrite CP, CQ, DP, DQ. split; ring.
  Qed.

  Theorem losses_tail T alpha :
    0 <= alpha -> hockey (outcomes (power T p)) alpha (P_of (power T p)) (Q_of (power T p)) <= losses_reach T p n1 n2 alpha.
  Proof.
    intros HA. pose proof (product_pair_masses (repeat p T)) as PM.
    destruct PM as [MP MQ]; [apply Forall_forall; intros q Iq; apply repeat_spec in Iq; now subst|].
    fold (power T p) in MP, MQ. eapply Rle_trans; [apply hockey_tail_probability; assumption|].
    unfold losses_reach. rewrite !sum_filter. apply sum_le. intros v I. unfold reaches.
    destruct (rounds_ratio T v I) as (NN & c & C0 & CP & CQ). specialize (MP v I).
    destruct (Rle_dec (alpha * Q_of (power T p) v) (P_of (power T p) v)) as [L|L];
      destruct (Rle_dec (alpha * numbers n2 v) (numbers n1 v)) as [L'|L']; try lra.
    destruct (Req_dec c 0) as [->|NC]; [lra|]. exfalso. apply L'. apply (Rmult_le_reg_l c); [lra|].
    rewrite CP, CQ in L. lra.
  Qed.
End Tail.

(* -------- krr-strong -------- *)

Definition krr_strong_pair (gamma k : R) (N : nat) : pair_of (bool * (nat * nat)) :=
  Pair (list_prod [true; false] (counts N)) (krr_strong_P gamma k N) (krr_strong_Q gamma k N).

(* One user for certain and N others, who count with probability gamma/k in each: N1 = 1 + X, N2 = Y. *)
Definition certain_pair (gamma k : R) (N : nat) : pair_of (nat * nat) :=
  Pair (counts N) (trinomial_P 1 0 0 (gamma / k) (gamma / k) N) (trinomial_Q 1 0 0 (gamma / k) (gamma / k) N).

Lemma others_none N a b : others 0 0 N a b = match a, b with O, O => 1 | _, _ => 0 end.
Proof. induction N as [|N IH]; [reflexivity|]. cbn [others]. rewrite IH. destruct a, b; cbn; lra. Qed.

Lemma certain_ratio r N (z : nat * nat) : 0 <= r -> r + r <= 1 ->
  exists c, 0 <= c /\ trinomial_P 1 0 0 r r N z = c * INR (fst z) /\ trinomial_Q 1 0 0 r r N z = c * INR (snd z).
Proof.
  intros R0 R1. destruct z as [a b]. unfold trinomial_P, trinomial_Q, with_user. cbn [fst snd].
  pose proof (others_a r r N a b) as HA. pose proof (others_b r r N a b) as HB.
  assert (N0 : 0 < INR (S N)) by (apply lt_0_INR; lia).
  destruct R0 as [R0|<-].
  - exists (others r r (S N) a b / (INR (S N) * r)).
    assert (D : 0 < INR (S N) * r) by now apply Rmult_lt_0_compat.
    split; [apply Rmult_le_pos; [apply others_nonneg; lra | now apply Rlt_le, Rinv_0_lt_compat]|].
    split; apply (Rmult_eq_reg_r (INR (S N) * r)); try lra.
    + replace (others r r (S N) a b / (INR (S N) * r) * INR a * (INR (S N) * r)) with (INR a * others r r (S N) a b) by (field; lra).
      rewrite HA. ring.
    + replace (others r r (S N) a b / (INR (S N) * r) * INR b * (INR (S N) * r)) with (INR b * others r r (S N) a b) by (field; lra).
      rewrite HB. ring.
  - exists (match a, b with 1%nat, O => 1 | O, 1%nat => 1 | _, _ => 0 end).
    destruct a as [|[|a]], b as [|[|b]]; cbn [before]; rewrite ?others_none; cbn; lra.
Qed.

Lemma krr_strong_reverse gamma k N alpha : 0 <= gamma <= 1 -> 2 <= k -> 1 <= alpha ->
  hockey (list_prod [true; false] (counts N)) alpha (krr_strong_Q gamma k N) (krr_strong_P gamma k N)
  = (1 - gamma) * trinomial_hockey 1 0 0 (gamma / k) (gamma / k) N alpha.
Proof.
  intros Hg Hk Ha. rewrite <- krr_strong_value by assumption. unfold krr_strong_hockey, hockey. rewrite !sum_prod. cbn [sum].
  apply f_equal2; [|apply f_equal2; [|reflexivity]].
  - apply sum_ext. intros x _. reflexivity.
  - pose proof (trinomial_symmetric 1 0 0 (gamma / k) N alpha) as S. unfold hockey in S.
    unfold krr_strong_P, krr_strong_Q. cbn [fst snd].
    transitivity ((1 - gamma) * sum (counts N) (fun x => pos (trinomial_Q 1 0 0 (gamma / k) (gamma / k) N x - alpha * trinomial_P 1 0 0 (gamma / k) (gamma / k) N x))).
    + rewrite <- sum_scal. apply sum_ext. intros x _. rewrite <- pos_scal by lra. f_equal. ring.
    + rewrite S, <- sum_scal. apply sum_ext. intros x _. rewrite <- pos_scal by lra. f_equal. ring.
Qed.

(* T rounds of krr-strong: at most Pr[prod (1 + X_i) >= e^eps prod Y_i]. *)
Theorem krr_strong_tail gamma k N T alpha :
  0 <= gamma <= 1 -> 2 <= k -> 0 <= alpha ->
  let p := power T (krr_strong_pair gamma k N) in
  hockey (outcomes p) alpha (P_of p) (Q_of p)
  <= losses_reach T (certain_pair gamma k N) (fun z => INR (fst z)) (fun z => INR (snd z)) alpha.
Proof.
  intros Hg Hk HA p.
  assert (H1 : 0 <= gamma / k) by (apply over_k; lra). assert (H2 : gamma / k + gamma / k <= 1) by (apply over_k_half; lra).
  destruct (trinomial_law 1 0 0 (gamma / k) (gamma / k) N) as [LP LQ]; try lra.
  destruct (krr_strong_laws gamma k N Hg Hk) as [SP SQ].
  assert (D : bounds (certain_pair gamma k N) (outcomes (krr_strong_pair gamma k N)) (P_of (krr_strong_pair gamma k N)) (Q_of (krr_strong_pair gamma k N))).
  { apply dominates_both_directions; auto; intros a A1; cbn [outcomes P_of Q_of certain_pair krr_strong_pair].
    - pose proof (krr_strong_value gamma k N a Hg Hk A1) as V. unfold krr_strong_hockey in V. rewrite V.
      pose proof (hockey_nonneg (counts N) (trinomial_P 1 0 0 (gamma / k) (gamma / k) N) (trinomial_Q 1 0 0 (gamma / k) (gamma / k) N) a).
      unfold trinomial_hockey. nra.
    - rewrite krr_strong_reverse, trinomial_symmetric by assumption.
      pose proof (hockey_nonneg (counts N) (trinomial_P 1 0 0 (gamma / k) (gamma / k) N) (trinomial_Q 1 0 0 (gamma / k) (gamma / k) N) a).
      unfold trinomial_hockey. nra. }
  eapply Rle_trans; [apply (dominates_power (certain_pair gamma k N) (krr_strong_pair gamma k N) T)|]; auto.
  - split; [apply LP | apply LQ].
  - split; [apply SP | apply SQ].
  - apply losses_tail; auto; [split; [apply LP | apply LQ] | |]; intros z _; [apply pos_INR | now apply certain_ratio].
Qed.

(* -------- krr-weak -------- *)

Definition krr_weak_pair (gamma k : R) (N : nat) : pair_of (nat * (nat * nat)) :=
  Pair (list_prod (seq 0 (S N)) (counts N)) (krr_weak_P gamma k N) (krr_weak_Q gamma k N).

(* N1 (1-gamma) + (B+1) gamma/k and the same with N2. *)
Definition weak_first (gamma k : R) (z : nat * (nat * nat)) : R := INR (fst (snd z)) * (1 - gamma) + INR (S (fst z)) * (gamma / k).
Definition weak_second (gamma k : R) (z : nat * (nat * nat)) : R := INR (snd (snd z)) * (1 - gamma) + INR (S (fst z)) * (gamma / k).

Lemma weak_ratio gamma k N z : 0 <= gamma <= 1 -> 2 <= k ->
  exists c, 0 <= c /\ krr_weak_P gamma k N z = c * weak_first gamma k z /\ krr_weak_Q gamma k N z = c * weak_second gamma k z.
Proof.
  intros Hg Hk. destruct z as [B [a b]]. unfold krr_weak_P, krr_weak_Q, trinomial_P, trinomial_Q, with_user, weak_first, weak_second.
  cbn [fst snd]. set (r := 1 / k).
  assert (R0 : 0 <= r) by (apply over_k; lra). assert (R1 : r + r <= 1) by (apply over_k_half; lra).
  pose proof (others_a r r B a b) as HA. pose proof (others_b r r B a b) as HB.
  assert (N0 : 0 < INR (S B)) by (apply lt_0_INR; lia).
  assert (HC : (INR (S B) - INR a - INR b) * others r r (S B) a b = INR (S B) * ((1 - r - r) * others r r B a b)).
  { replace ((INR (S B) - INR a - INR b) * others r r (S B) a b)
      with (INR (S B) * others r r (S B) a b - INR a * others r r (S B) a b - INR b * others r r (S B) a b) by ring.
    rewrite HA, HB. cbn [others]. ring. }
  set (Ta := before (fun a => others r r B a b) a) in *. set (Tb := before (fun b => others r r B a b) b) in *.
  set (T := others r r B a b) in *. assert (T0 : 0 <= others r r (S B) a b) by now apply others_nonneg.
  set (T' := others r r (S B) a b) in *.
  assert (KR : k * r = 1) by (unfold r; field; lra).
  assert (EA : Ta = k * (INR a * T') / INR (S B)) by (rewrite HA; unfold r; field; lra).
  assert (EB : Tb = k * (INR b * T') / INR (S B)) by (rewrite HB; unfold r; field; lra).
  assert (ET : krr_weak_w2 gamma k * T = gamma * ((INR (S B) - INR a - INR b) * T') / INR (S B))
    by (rewrite HC; unfold krr_weak_w2, r; field; lra).
  exists (bin gamma N B * (T' * k / INR (S B))). split.
  - apply Rmult_le_pos; [now apply bin_nonneg|].
    apply Rmult_le_pos; [apply Rmult_le_pos; lra | now apply Rlt_le, Rinv_0_lt_compat].
  - rewrite ET, EA, EB. unfold krr_weak_w0, krr_weak_w1. split; field; lra.
Qed.

(* T rounds of krr-weak: at most the probability that its own losses add up to eps or more. *)
Theorem krr_weak_tail gamma k N T alpha :
  0 <= gamma <= 1 -> 2 <= k -> 0 <= alpha ->
  let p := power T (krr_weak_pair gamma k N) in
  hockey (outcomes p) alpha (P_of p) (Q_of p)
  <= losses_reach T (krr_weak_pair gamma k N) (weak_first gamma k) (weak_second gamma k) alpha.
Proof.
  intros Hg Hk HA p. destruct (krr_weak_laws gamma k N Hg Hk) as [LP LQ].
  assert (G0 : 0 <= gamma / k) by (apply over_k; lra).
  apply losses_tail; auto.
  - split; [apply LP | apply LQ].
  - intros z _. unfold weak_first. apply Rplus_le_le_0_compat; apply Rmult_le_pos; try apply pos_INR; lra.
  - intros z _. now apply weak_ratio.
Qed.
