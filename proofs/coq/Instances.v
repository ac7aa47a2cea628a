(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The instances of the trinomial pair in the table of ../trinomial-pair.md,
 * with closed hypotheses (E = e^eps0 >= 1, alpha >= 1, k >= 2, 0 <= gamma <= 1):
 * the divergence is a sum over strata that can be truncated, vanishes at
 * alpha >= E and falls in the number of users. N = n - 1 others.
 *)
From Coq Require Import Reals List Lra Arith Lia.
From Shufbound Require Import Sum Hockey Trinomial TrinomialMean Binomial Strata Monotone KrrPairs.
Import ListNotations.
Open Scope R_scope.

(* ---- Nobody else is seen: r0 = r1 = 0 ---- *)

Lemma others_none N a b : others 0 0 N a b = match a, b with O, O => 1 | _, _ => 0 end.
Proof.
  revert a b. induction N as [|N IH]; intros a b; [reflexivity|].
  cbn [others]. rewrite IH. destruct a, b; cbn [before]; ring.
Qed.

Theorem trinomial_alone w0 w1 w2 N alpha : 0 <= w1 <= w0 -> 0 <= w2 -> 1 <= alpha ->
  trinomial_hockey w0 w1 w2 0 0 N alpha = pos (w0 - alpha * w1).
Proof.
  intros Hw H2 Ha.
  set (D := fun a b => trinomial_P w0 w1 w2 0 0 N (a, b) - alpha * trinomial_Q w0 w1 w2 0 0 N (a, b)).
  assert (D00 : pos (D 0%nat 0%nat) = 0).
  { unfold D, trinomial_P, trinomial_Q, with_user. cbn [before]. rewrite others_none. apply pos_zero. nra. }
  assert (D10 : pos (D 1%nat 0%nat) = pos (w0 - alpha * w1)).
  { unfold D, trinomial_P, trinomial_Q, with_user. cbn [before]. rewrite !others_none. f_equal. ring. }
  assert (D01 : pos (D 0%nat 1%nat) = 0).
  { unfold D, trinomial_P, trinomial_Q, with_user. cbn [before]. rewrite !others_none. apply pos_zero. nra. }
  assert (D2 : forall a b, (1 < a + b)%nat -> pos (D a b) = 0).
  { intros a b L. unfold D, trinomial_P, trinomial_Q, with_user. apply pos_zero.
    destruct a as [|[|a]], b as [|[|b]]; cbn [before]; rewrite ?others_none; lra || lia. }
  unfold trinomial_hockey, hockey, counts.
  rewrite (sum_ext _ _ (fun x => pos (D (fst x) (snd x)))) by (intros [a b] _; reflexivity).
  rewrite (sum_diagonals (fun a b => pos (D a b)) (S N)) by (intros; apply D2; lia).
  rewrite (sum_seq_cut _ 2 (S (S N))) by lia. rewrite (sum_null (seq 2 _)).
  - cbn [seq sum Nat.sub]. rewrite D00, D10, D01. ring.
  - intros m Hm. apply in_seq in Hm. apply sum_null. intros a Ha'. apply in_seq in Ha'. apply D2. lia.
Qed.

(* ---- clones and clones-stronger ---- *)

Lemma ratio_E E x : 1 <= E -> 0 <= x -> 0 <= x / (E + 1).
Proof. intros. apply Rmult_le_pos; auto. apply Rlt_le, Rinv_0_lt_compat. lra. Qed.

Lemma E_weights E : 1 <= E -> 0 < 1 / (E + 1) <= E / (E + 1) /\ E / (E + 1) + 1 / (E + 1) = 1.
Proof.
  intros H. assert (0 < / (E + 1)) by (apply Rinv_0_lt_compat; lra). repeat split.
  - unfold Rdiv. lra.
  - apply Rmult_le_compat_r; lra.
  - field. lra.
Qed.

Lemma half_E E : 1 <= E -> 0 < 1 / (2 * E) /\ 1 / (2 * E) + 1 / (2 * E) = 1 / E /\ 1 / E <= 1.
Proof.
  intros H. repeat split.
  - apply Rmult_lt_0_compat; [lra|]. apply Rinv_0_lt_compat. lra.
  - field. lra.
  - apply (Rmult_le_reg_r E); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma stronger_share E : 1 <= E -> 1 / (E + 1) + 1 / (E + 1) = 2 / (E + 1) /\ 2 / (E + 1) <= 1.
Proof.
  intros H. split; [field; lra|].
  apply (Rmult_le_reg_r (E + 1)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Definition clones_u (E alpha : R) : R := E / (E + 1) - alpha * (1 / (E + 1)).
Definition clones_v (E alpha : R) : R := 1 / (E + 1) - alpha * (E / (E + 1)).

Lemma clones_u_closed E alpha : 1 <= E -> clones_u E alpha = (E - alpha) / (E + 1).
Proof. intros. unfold clones_u. field. lra. Qed.

Lemma clones_v_closed E alpha : 1 <= E -> clones_v E alpha = - (alpha * E - 1) / (E + 1).
Proof. intros. unfold clones_v. field. lra. Qed.

(* clones: c ~ Bin(N, 1/E), rho = 1/2, K = 0. *)
Theorem clones_strata E N alpha : 1 <= E -> 1 <= alpha ->
  clones_hockey E N alpha =
  sum (seq 0 (S N)) (fun c => bin (1 / E) N c * stratum (clones_u E alpha) (clones_v E alpha) (1 / 2) c 0).
Proof.
  intros HE Ha. destruct (half_E E HE) as (H0 & H1 & H2). unfold clones_hockey.
  rewrite trinomial_strata by (auto; lra). apply sum_ext. intros c _.
  rewrite shift_zero, H1. replace (1 / (2 * E) / (1 / E)) with (1 / 2) by (field; lra). reflexivity.
Qed.

(* clones-stronger: c ~ Bin(N, 2/(E+1)), rho = 1/2, K = 0. *)
Theorem stronger_strata E N alpha : 1 <= E -> 1 <= alpha ->
  stronger_hockey E N alpha =
  sum (seq 0 (S N)) (fun c => bin (2 / (E + 1)) N c * stratum (clones_u E alpha) (clones_v E alpha) (1 / 2) c 0).
Proof.
  intros HE Ha. destruct (E_weights E HE) as (H0 & _). destruct (stronger_share E HE) as (H1 & H2).
  unfold stronger_hockey. rewrite trinomial_strata by (auto; lra). apply sum_ext. intros c _.
  rewrite shift_zero, H1. replace (1 / (E + 1) / (2 / (E + 1))) with (1 / 2) by (field; lra). reflexivity.
Qed.

(* At alpha >= E both vanish. *)
Lemma clones_u_nonpos E alpha : 1 <= E -> E <= alpha -> clones_u E alpha <= 0.
Proof.
  intros HE H. rewrite clones_u_closed by auto. assert (0 < / (E + 1)) by (apply Rinv_0_lt_compat; lra).
  unfold Rdiv. nra.
Qed.

Theorem clones_zero E N alpha : 1 <= E -> E <= alpha -> clones_hockey E N alpha = 0.
Proof.
  intros HE H. destruct (half_E E HE) as (H0 & H1 & H2). destruct (E_weights E HE) as (W & _).
  apply trinomial_zero; try lra. now apply clones_u_nonpos.
Qed.

Theorem stronger_zero E N alpha : 1 <= E -> E <= alpha -> stronger_hockey E N alpha = 0.
Proof.
  intros HE H. destruct (stronger_share E HE) as (H1 & H2). destruct (E_weights E HE) as (W & _).
  apply trinomial_zero; try lra. now apply clones_u_nonpos.
Qed.

(* From the strata first .. last, 1 <= alpha <= E. *)
Lemma clones_u_nonneg E alpha : 1 <= E -> alpha <= E -> 0 <= clones_u E alpha.
Proof. intros HE H. rewrite clones_u_closed by auto. apply ratio_E; lra. Qed.

Theorem clones_truncation E N alpha first last : 1 <= alpha <= E -> (first <= S last)%nat -> (last <= N)%nat ->
  let V c := stratum (clones_u E alpha) (clones_v E alpha) (1 / 2) c 0 in
  let kept := sum (seq first (S last - first)) (fun c => bin (1 / E) N c * V c) in
  kept <= clones_hockey E N alpha <=
  head (1 / E) N first * clones_u E alpha + kept + tail (1 / E) N (S last) * V (S last).
Proof.
  intros Ha L1 L2 V kept. assert (HE : 1 <= E) by lra.
  destruct (half_E E HE) as (H0 & H1 & H2). destruct (E_weights E HE) as (W & _).
  pose proof (trinomial_truncation (E / (E + 1)) (1 / (E + 1)) 0 (1 / (2 * E)) (1 / (2 * E)) N alpha first last
    ltac:(lra) ltac:(lra) H0 H0 ltac:(lra) ltac:(lra) (clones_u_nonneg E alpha HE ltac:(lra)) L1 L2) as T.
  cbv zeta in T. rewrite H1 in T. replace (1 / (2 * E) / (1 / E)) with (1 / 2) in T by (field; lra).
  replace kept with (strata_sum (clones_u E alpha) (clones_v E alpha) (1 / 2) 0 (1 / E) alpha N first (S last - first)).
  - exact T.
  - apply sum_ext. intros c _. unfold strata_term. now rewrite shift_zero.
Qed.

Theorem stronger_truncation E N alpha first last : 1 <= alpha <= E -> (first <= S last)%nat -> (last <= N)%nat ->
  let V c := stratum (clones_u E alpha) (clones_v E alpha) (1 / 2) c 0 in
  let kept := sum (seq first (S last - first)) (fun c => bin (2 / (E + 1)) N c * V c) in
  kept <= stronger_hockey E N alpha <=
  head (2 / (E + 1)) N first * clones_u E alpha + kept + tail (2 / (E + 1)) N (S last) * V (S last).
Proof.
  intros Ha L1 L2 V kept. assert (HE : 1 <= E) by lra.
  destruct (stronger_share E HE) as (H1 & H2). destruct (E_weights E HE) as (W & _).
  pose proof (trinomial_truncation (E / (E + 1)) (1 / (E + 1)) 0 (1 / (E + 1)) (1 / (E + 1)) N alpha first last
    ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) (clones_u_nonneg E alpha HE ltac:(lra)) L1 L2) as T.
  cbv zeta in T. rewrite H1 in T. replace (1 / (E + 1) / (2 / (E + 1))) with (1 / 2) in T by (field; lra).
  replace kept with (strata_sum (clones_u E alpha) (clones_v E alpha) (1 / 2) 0 (2 / (E + 1)) alpha N first (S last - first)).
  - exact T.
  - apply sum_ext. intros c _. unfold strata_term. now rewrite shift_zero.
Qed.

Theorem clones_monotone E N N' alpha : 1 <= E -> (N <= N')%nat -> clones_hockey E N' alpha <= clones_hockey E N alpha.
Proof. intros HE H. destruct (half_E E HE) as (H0 & H1 & H2). apply trinomial_monotone; auto; lra. Qed.

Theorem stronger_monotone E N N' alpha : 1 <= E -> (N <= N')%nat -> stronger_hockey E N' alpha <= stronger_hockey E N alpha.
Proof.
  intros HE H. destruct (stronger_share E HE) as (H1 & H2). destruct (E_weights E HE) as (W & _).
  apply trinomial_monotone; auto; lra.
Qed.

(* ---- krr-strong ---- *)

(* krr-strong: c ~ Bin(N, 2 gamma/k), rho = 1/2, u = 1, v = -alpha, K = 0. *)
Theorem krr_strong_strata gamma k N alpha : 0 < gamma <= 1 -> 2 <= k -> 1 <= alpha ->
  krr_strong_hockey gamma k N alpha =
  (1 - gamma) * sum (seq 0 (S N)) (fun c => bin (gamma * (2 / k)) N c * stratum 1 (- alpha) (1 / 2) c 0).
Proof.
  intros Hg Hk Ha. rewrite krr_strong_value by lra. f_equal.
  assert (P : 0 < gamma / k) by (apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
  assert (Hs : gamma / k + gamma / k <= 1) by (apply over_k_half; lra).
  rewrite trinomial_strata by (auto; lra). apply sum_ext. intros c _. rewrite shift_zero.
  replace (gamma / k + gamma / k) with (gamma * (2 / k)) by (field; lra).
  replace (gamma / k / (gamma * (2 / k))) with (1 / 2) by (field; lra).
  replace (1 - alpha * 0) with 1 by ring. replace (0 - alpha * 1) with (- alpha) by ring. reflexivity.
Qed.

(* krr-strong and krr-weak are pairs of laws. *)
Lemma krr_weak_weights gamma k : 0 <= gamma <= 1 -> 2 <= k ->
  0 <= krr_weak_w1 gamma k <= krr_weak_w0 gamma k /\ 0 <= krr_weak_w2 gamma k
  /\ krr_weak_w0 gamma k + krr_weak_w1 gamma k + krr_weak_w2 gamma k = 1.
Proof.
  intros Hg Hk. assert (0 <= gamma / k) by (apply over_k; lra). repeat split.
  - assumption.
  - unfold krr_weak_w0, krr_weak_w1. lra.
  - apply krr_weak_w2_nonneg; lra.
  - unfold krr_weak_w0, krr_weak_w1, krr_weak_w2. field. lra.
Qed.

Lemma krr_weak_law_any gamma k N w0 w1 w2 : 0 <= gamma <= 1 -> 2 <= k ->
  0 <= w0 -> 0 <= w1 -> 0 <= w2 -> w0 + w1 + w2 = 1 ->
  law (list_prod (seq 0 (S N)) (counts N))
    (fun x => bin gamma N (fst x) * with_user w0 w1 w2 (others (1 / k) (1 / k) (fst x)) (snd x)).
Proof.
  intros Hg Hk W0 W1 W2 W. assert (H1 : 0 <= 1 / k) by (apply over_k; lra).
  assert (Hs : 1 / k + 1 / k <= 1) by (apply over_k_half; lra). split.
  - intros x _. apply Rmult_le_pos; [now apply bin_nonneg|now apply with_user_nonneg].
  - rewrite sum_prod. cbn [fst snd]. transitivity (sum (seq 0 (S N)) (bin gamma N)); [|apply bin_sum].
    apply sum_ext. intros B HB. apply in_seq in HB.
    rewrite sum_scal.
    rewrite (sum_ext _ _ (fun x => with_user w0 w1 w2 (others (1 / k) (1 / k) B) (fst x, snd x))) by (intros [a b] _; reflexivity).
    rewrite (sum_counts_more (fun a b => with_user w0 w1 w2 (others (1 / k) (1 / k) B) (a, b)) B N)
      by (lia || (intros; apply with_user_above; lia)).
    rewrite (sum_ext _ _ (with_user w0 w1 w2 (others (1 / k) (1 / k) B))) by (intros [a b] _; reflexivity).
    rewrite with_user_sum, W. ring.
Qed.

Theorem krr_weak_laws gamma k N : 0 <= gamma <= 1 -> 2 <= k ->
  law (list_prod (seq 0 (S N)) (counts N)) (krr_weak_P gamma k N)
  /\ law (list_prod (seq 0 (S N)) (counts N)) (krr_weak_Q gamma k N).
Proof.
  intros Hg Hk. destruct (krr_weak_weights gamma k Hg Hk) as (H1 & H2 & H).
  split; apply krr_weak_law_any; auto; lra.
Qed.

Theorem krr_strong_laws gamma k N : 0 <= gamma <= 1 -> 2 <= k ->
  law (list_prod [true; false] (counts N)) (krr_strong_P gamma k N)
  /\ law (list_prod [true; false] (counts N)) (krr_strong_Q gamma k N).
Proof.
  intros Hg Hk. assert (Hr : 0 <= gamma / k) by (apply over_k; lra).
  assert (Hs : gamma / k + gamma / k <= 1) by (apply over_k_half; lra).
  assert (H1 : 0 <= 1 / k) by (apply over_k; lra). assert (H2 : 1 / k + 1 / k <= 1) by (apply over_k_half; lra).
  assert (H3 : 0 <= 1 - 2 / k) by (unfold Rdiv in *; lra).
  repeat split; try (rewrite sum_prod; cbn [sum]; unfold krr_strong_P, krr_strong_Q; cbn [fst snd];
    rewrite !sum_scal; unfold trinomial_P, trinomial_Q; rewrite !with_user_sum; field; lra).
  - intros [[] z] _; unfold krr_strong_P; cbn [fst snd]; apply Rmult_le_pos; try lra; apply with_user_nonneg; lra.
  - intros [[] z] _; unfold krr_strong_Q; cbn [fst snd]; apply Rmult_le_pos; try lra; apply with_user_nonneg; lra.
Qed.

(* gamma = 0: nobody answers at random and the reports are seen. *)
Theorem krr_strong_no_blanket k N alpha : 2 <= k -> 1 <= alpha -> krr_strong_hockey 0 k N alpha = 1.
Proof.
  intros Hk Ha. rewrite krr_strong_value by lra. replace (0 / k) with 0 by (field; lra).
  rewrite trinomial_alone by lra. rewrite pos_id; lra.
Qed.

(* ---- k-RR on two datasets: rr2, krr-same, krr-third ---- *)

(* gamma = k/(E+k-1), the probability of a random answer, is one. *)
Lemma krr_gamma_range E k : 1 <= E -> 2 <= k -> 0 < k / (E + k - 1) <= 1.
Proof.
  intros HE Hk. split.
  - apply Rmult_lt_0_compat; [lra|]. apply Rinv_0_lt_compat. lra.
  - apply (Rmult_le_reg_r (E + k - 1)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Definition rr2_hockey (E : R) : nat -> R -> R :=
  trinomial_hockey (E / (E + 1)) (1 / (E + 1)) 0 (E / (E + 1)) (1 / (E + 1)).
Definition krr_same_hockey (E k : R) : nat -> R -> R :=
  trinomial_hockey (E / (E + k - 1)) (1 / (E + k - 1)) ((k - 2) / (E + k - 1)) (E / (E + k - 1)) (1 / (E + k - 1)).
Definition krr_third_hockey (E k : R) : nat -> R -> R :=
  trinomial_hockey (E / (E + k - 1)) (1 / (E + k - 1)) ((k - 2) / (E + k - 1)) (1 / (E + k - 1)) (1 / (E + k - 1)).

Lemma krr_weights E k : 1 <= E -> 2 <= k ->
  0 < 1 / (E + k - 1) <= E / (E + k - 1) /\ 0 <= (k - 2) / (E + k - 1)
  /\ E / (E + k - 1) + 1 / (E + k - 1) + (k - 2) / (E + k - 1) = 1.
Proof.
  intros HE Hk. assert (0 < / (E + k - 1)) by (apply Rinv_0_lt_compat; lra). repeat split.
  - unfold Rdiv. lra.
  - apply Rmult_le_compat_r; lra.
  - apply Rmult_le_pos; lra.
  - field. lra.
Qed.

(* rr2: all others count, so there is one stratum, with rho = E/(E+1). *)
Theorem rr2_stratum E N alpha : 1 <= E -> 1 <= alpha ->
  rr2_hockey E N alpha = stratum (clones_u E alpha) (clones_v E alpha) (E / (E + 1)) N 0.
Proof.
  intros HE Ha. destruct (E_weights E HE) as (H0 & H1). unfold rr2_hockey.
  rewrite trinomial_strata by (auto; lra). rewrite H1. replace (E / (E + 1) / 1) with (E / (E + 1)) by (field; lra).
  rewrite sum_seq_last, (sum_null (seq 0 N)).
  - rewrite shift_zero. replace (bin 1 N N) with 1; [fold (clones_u E alpha) (clones_v E alpha); ring|].
    rewrite <- (bin_sum 1 N) at 1. rewrite sum_seq_last, (sum_null (seq 0 N)); [ring|].
    intros c Hc. apply in_seq in Hc. apply bin_one. lia.
  - intros c Hc. apply in_seq in Hc. rewrite bin_one by lia. ring.
Qed.

(* krr-same: c ~ Bin(N, (E+1)/(E+k-1)), rho = E/(E+1). *)
Theorem krr_same_strata E k N alpha : 1 <= E -> 2 <= k -> 1 <= alpha ->
  krr_same_hockey E k N alpha =
  sum (seq 0 (S N)) (fun c => bin ((E + 1) / (E + k - 1)) N c *
    stratum ((E - alpha) / (E + k - 1)) (- (alpha * E - 1) / (E + k - 1)) (E / (E + 1)) c
      (shift ((k - 2) / (E + k - 1)) ((E + 1) / (E + k - 1)) alpha N c)).
Proof.
  intros HE Hk Ha. destruct (krr_weights E k HE Hk) as (H0 & H2 & H). unfold krr_same_hockey.
  rewrite trinomial_strata by (auto; lra).
  replace (E / (E + k - 1) + 1 / (E + k - 1)) with ((E + 1) / (E + k - 1)) by (field; lra).
  replace (E / (E + k - 1) / ((E + 1) / (E + k - 1))) with (E / (E + 1)) by (field; lra).
  replace (E / (E + k - 1) - alpha * (1 / (E + k - 1))) with ((E - alpha) / (E + k - 1)) by (field; lra).
  replace (1 / (E + k - 1) - alpha * (E / (E + k - 1))) with (- (alpha * E - 1) / (E + k - 1)) by (field; lra).
  reflexivity.
Qed.

(* krr-third: c ~ Bin(N, 2/(E+k-1)), rho = 1/2. It is a pair for every k >= 2;
   what it says of k-RR needs k >= 3. *)
Theorem krr_third_strata E k N alpha : 1 <= E -> 2 <= k -> 1 <= alpha ->
  krr_third_hockey E k N alpha =
  sum (seq 0 (S N)) (fun c => bin (2 / (E + k - 1)) N c *
    stratum ((E - alpha) / (E + k - 1)) (- (alpha * E - 1) / (E + k - 1)) (1 / 2) c
      (shift ((k - 2) / (E + k - 1)) (2 / (E + k - 1)) alpha N c)).
Proof.
  intros HE Hk Ha. destruct (krr_weights E k HE Hk) as (H0 & H2 & H). unfold krr_third_hockey.
  rewrite trinomial_strata by (auto; lra).
  replace (1 / (E + k - 1) + 1 / (E + k - 1)) with (2 / (E + k - 1)) by (field; lra).
  replace (1 / (E + k - 1) / (2 / (E + k - 1))) with (1 / 2) by (field; lra).
  replace (E / (E + k - 1) - alpha * (1 / (E + k - 1))) with ((E - alpha) / (E + k - 1)) by (field; lra).
  replace (1 / (E + k - 1) - alpha * (E / (E + k - 1))) with (- (alpha * E - 1) / (E + k - 1)) by (field; lra).
  reflexivity.
Qed.

(* Monotone in the number of users, both directions. *)
Theorem krr_same_monotone E k N N' alpha : 1 <= E -> 2 <= k -> (N <= N')%nat ->
  krr_same_hockey E k N' alpha <= krr_same_hockey E k N alpha.
Proof. intros HE Hk H. destruct (krr_weights E k HE Hk) as (H0 & H2 & H1). apply trinomial_monotone; auto; lra. Qed.

Theorem krr_third_monotone E k N N' alpha : 1 <= E -> 2 <= k -> (N <= N')%nat ->
  krr_third_hockey E k N' alpha <= krr_third_hockey E k N alpha.
Proof. intros HE Hk H. destruct (krr_weights E k HE Hk) as (H0 & H2 & H1). apply trinomial_monotone; auto; lra. Qed.

Lemma rr2_is_krr_same E : rr2_hockey E = krr_same_hockey E 2.
Proof.
  unfold rr2_hockey, krr_same_hockey. replace (E + 2 - 1) with (E + 1) by ring.
  replace ((2 - 2) / (E + 1)) with 0 by (unfold Rdiv; ring). reflexivity.
Qed.

(* The worked value in ../trinomial-pair.md: n = 3, k = 4, E = 3, alpha = 2. *)
Example krr_third_by_hand : krr_third_hockey 3 4 2 2 = 7 / 216.
Proof.
  unfold krr_third_hockey, trinomial_hockey, hockey, trinomial_P, trinomial_Q.
  cbn [counts seq list_prod map app sum with_user before others].
  repeat match goal with |- context [pos ?x] => first [rewrite (pos_id x) by lra | rewrite (pos_zero x) by lra] end.
  lra.
Qed.
