(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * ../trinomial-pair.md, Lemmas 5, 6 and 7 for k-RR: the pairs krr-strong and
 * krr-weak, the latter in strata with a random rest and cut to finitely many,
 * the other direction, and monotonicity in the number of users. k may be any
 * real >= 2; N = n - 1 others; gamma is the probability of a random answer.
 *)
From Coq Require Import Reals List Lra Arith Lia.
From Shufbound Require Import Sum Hockey Trinomial Binomial Strata Monotone.
Import ListNotations.
Open Scope R_scope.

(* ---- Lemma 6: the other direction ---- *)

Lemma others_swap r0 r1 N a b : others r0 r1 N a b = others r1 r0 N b a.
Proof.
  revert a b. induction N as [|N IH]; intros a b.
  - destruct a, b; reflexivity.
  - cbn [others]. rewrite (IH a b). destruct a, b; cbn [before]; rewrite ?(IH a), ?(IH _ b); ring.
Qed.

Lemma with_user_swap w0 w1 w2 r0 r1 N a b :
  with_user w0 w1 w2 (others r0 r1 N) (a, b) = with_user w1 w0 w2 (others r1 r0 N) (b, a).
Proof.
  unfold with_user. rewrite (others_swap r0 r1 N a b).
  destruct a, b; cbn [before]; rewrite ?(others_swap r0 r1 N a), ?(others_swap r0 r1 N _ b); ring.
Qed.

(* Exchanging P and Q is exchanging r0 and r1. *)
Theorem trinomial_other_direction w0 w1 w2 r0 r1 N alpha :
  hockey (counts N) alpha (trinomial_Q w0 w1 w2 r0 r1 N) (trinomial_P w0 w1 w2 r0 r1 N) =
  trinomial_hockey w0 w1 w2 r1 r0 N alpha.
Proof.
  unfold trinomial_hockey, hockey, counts. rewrite !sum_prod, sum_swap.
  apply sum_ext. intros a _. apply sum_ext. intros b _. unfold trinomial_P, trinomial_Q.
  now rewrite !(with_user_swap _ _ _ r0 r1 N b a).
Qed.

(* So the two directions agree at r0 = r1. *)
Theorem trinomial_symmetric w0 w1 w2 r N alpha :
  hockey (counts N) alpha (trinomial_Q w0 w1 w2 r r N) (trinomial_P w0 w1 w2 r r N) =
  hockey (counts N) alpha (trinomial_P w0 w1 w2 r r N) (trinomial_Q w0 w1 w2 r r N).
Proof. apply trinomial_other_direction. Qed.

(* ---- krr-strong ---- *)

(* What the adversary has to know: whether the differing user answered at
   random (true), and the counts of x0 and x1 among the random answers of the
   others and the differing user's report. *)
Definition krr_strong_P (gamma k : R) (N : nat) (x : bool * (nat * nat)) : R :=
  if fst x then gamma * with_user (1 / k) (1 / k) (1 - 2 / k) (others (gamma / k) (gamma / k) N) (snd x)
  else (1 - gamma) * trinomial_P 1 0 0 (gamma / k) (gamma / k) N (snd x).
Definition krr_strong_Q (gamma k : R) (N : nat) (x : bool * (nat * nat)) : R :=
  if fst x then gamma * with_user (1 / k) (1 / k) (1 - 2 / k) (others (gamma / k) (gamma / k) N) (snd x)
  else (1 - gamma) * trinomial_Q 1 0 0 (gamma / k) (gamma / k) N (snd x).
Definition krr_strong_hockey (gamma k : R) (N : nat) (alpha : R) : R :=
  hockey (list_prod [true; false] (counts N)) alpha (krr_strong_P gamma k N) (krr_strong_Q gamma k N).

Lemma over_k k x : 2 <= k -> 0 <= x -> 0 <= x / k.
Proof. intros. apply Rmult_le_pos; auto. apply Rlt_le, Rinv_0_lt_compat. lra. Qed.

Lemma over_k_half k x : 2 <= k -> 0 <= x <= 1 -> x / k + x / k <= 1.
Proof.
  intros Hk Hx. apply (Rmult_le_reg_r k); [lra|].
  replace ((x / k + x / k) * k) with (2 * x) by (field; lra). lra.
Qed.

(* krr-strong is a trinomial pair times 1 - gamma. *)
Theorem krr_strong_value gamma k N alpha : 0 <= gamma <= 1 -> 2 <= k -> 1 <= alpha ->
  krr_strong_hockey gamma k N alpha = (1 - gamma) * trinomial_hockey 1 0 0 (gamma / k) (gamma / k) N alpha.
Proof.
  intros Hg Hk Ha. unfold krr_strong_hockey, hockey. rewrite sum_prod. cbn [sum].
  rewrite (sum_null (counts N)), Rplus_0_l, Rplus_0_r.
  - unfold trinomial_hockey, hockey. rewrite <- sum_scal. apply sum_ext. intros x _.
    unfold krr_strong_P, krr_strong_Q. cbn [fst snd]. rewrite <- pos_scal by lra. f_equal. ring.
  - intros [a b] _. unfold krr_strong_P, krr_strong_Q. cbn [fst snd]. apply pos_zero.
    set (W := with_user _ _ _ _ _).
    assert (0 <= W).
    { assert (Hr : 0 <= gamma / k) by (apply over_k; lra).
      assert (Hs : gamma / k + gamma / k <= 1) by (apply over_k_half; lra).
      assert (H1 : 0 <= 1 / k) by (apply over_k; lra).
      assert (H2 : 1 / k + 1 / k <= 1) by (apply over_k_half; lra).
      assert (T : forall a b, 0 <= others (gamma / k) (gamma / k) N a b) by (intros; apply others_nonneg; lra).
      unfold W, with_user. repeat apply Rplus_le_le_0_compat.
      - destruct a; cbn [before]; [lra|]. apply Rmult_le_pos; auto.
      - destruct b; cbn [before]; [lra|]. apply Rmult_le_pos; auto.
      - apply Rmult_le_pos; auto. unfold Rdiv in *. lra. }
    assert (0 <= gamma * W) by (apply Rmult_le_pos; lra). nra.
Qed.

Theorem krr_strong_monotone gamma k N N' alpha : 0 <= gamma <= 1 -> 2 <= k -> 1 <= alpha -> (N <= N')%nat ->
  krr_strong_hockey gamma k N' alpha <= krr_strong_hockey gamma k N alpha.
Proof.
  intros Hg Hk Ha H. rewrite !krr_strong_value by auto. apply Rmult_le_compat_l; [lra|].
  apply trinomial_monotone; auto.
  - apply over_k; lra.
  - apply over_k; lra.
  - apply over_k_half; lra.
Qed.

(* ---- krr-weak: a mixture over the revealed count of random answers ---- *)

(* The pair given that B of the others answered at random. *)
Definition krr_weak_w0 (gamma k : R) : R := 1 - gamma + gamma / k.
Definition krr_weak_w1 (gamma k : R) : R := gamma / k.
Definition krr_weak_w2 (gamma k : R) : R := gamma * (k - 2) / k.
Definition krr_weak_given (gamma k : R) (B : nat) (alpha : R) : R :=
  trinomial_hockey (krr_weak_w0 gamma k) (krr_weak_w1 gamma k) (krr_weak_w2 gamma k) (1 / k) (1 / k) B alpha.

(* Outcomes (B, (a, b)). *)
Definition krr_weak_P (gamma k : R) (N : nat) (x : nat * (nat * nat)) : R :=
  bin gamma N (fst x) *
  trinomial_P (krr_weak_w0 gamma k) (krr_weak_w1 gamma k) (krr_weak_w2 gamma k) (1 / k) (1 / k) (fst x) (snd x).
Definition krr_weak_Q (gamma k : R) (N : nat) (x : nat * (nat * nat)) : R :=
  bin gamma N (fst x) *
  trinomial_Q (krr_weak_w0 gamma k) (krr_weak_w1 gamma k) (krr_weak_w2 gamma k) (1 / k) (1 / k) (fst x) (snd x).
Definition krr_weak_hockey (gamma k : R) (N : nat) (alpha : R) : R :=
  hockey (list_prod (seq 0 (S N)) (counts N)) alpha (krr_weak_P gamma k N) (krr_weak_Q gamma k N).

(* Outcomes of mass zero may be added. *)
Lemma trinomial_hockey_more w0 w1 w2 r0 r1 B N alpha : (B <= N)%nat ->
  hockey (counts N) alpha (trinomial_P w0 w1 w2 r0 r1 B) (trinomial_Q w0 w1 w2 r0 r1 B) =
  trinomial_hockey w0 w1 w2 r0 r1 B alpha.
Proof.
  set (D := fun a b => trinomial_P w0 w1 w2 r0 r1 B (a, b) - alpha * trinomial_Q w0 w1 w2 r0 r1 B (a, b)).
  assert (E : forall M, hockey (counts M) alpha (trinomial_P w0 w1 w2 r0 r1 B) (trinomial_Q w0 w1 w2 r0 r1 B)
    = sum (list_prod (seq 0 (S (S M))) (seq 0 (S (S M)))) (fun x => pos (D (fst x) (snd x)))).
  { intros M. apply sum_ext. intros [a b] _. reflexivity. }
  intros H. unfold trinomial_hockey. rewrite !E. apply (sum_counts_more (fun a b => pos (D a b))); auto. intros a b L.
  unfold D, trinomial_P, trinomial_Q. rewrite !with_user_above by lia. apply pos_zero. lra.
Qed.

(* B is revealed: the divergence is the mean over B ~ Bin(N, gamma) of those given B. *)
Theorem krr_weak_mixture gamma k N alpha : 0 <= gamma <= 1 ->
  krr_weak_hockey gamma k N alpha = sum (seq 0 (S N)) (fun B => bin gamma N B * krr_weak_given gamma k B alpha).
Proof.
  intros Hg. unfold krr_weak_hockey, hockey. rewrite sum_prod. apply sum_ext. intros B HB. apply in_seq in HB.
  unfold krr_weak_given. rewrite <- (trinomial_hockey_more _ _ _ _ _ B N) by lia.
  unfold hockey. rewrite <- sum_scal. apply sum_ext. intros x _.
  unfold krr_weak_P, krr_weak_Q. cbn [fst snd].
  rewrite <- pos_scal by now apply bin_nonneg. f_equal. ring.
Qed.

(* Lemma 7 for krr-weak: a user more cannot raise it, at any alpha. *)
Theorem krr_weak_monotone_step gamma k N alpha : 0 <= gamma <= 1 -> 2 <= k ->
  krr_weak_hockey gamma k (S N) alpha <= krr_weak_hockey gamma k N alpha.
Proof.
  intros Hg Hk. rewrite !krr_weak_mixture by auto. set (H := fun B => krr_weak_given gamma k B alpha).
  assert (M : forall B, H (S B) <= H B).
  { intros B. apply trinomial_monotone_step; [apply over_k; lra|apply over_k; lra|apply over_k_half; lra]. }
  change (sum (seq 0 (S (S N))) (fun B => bin gamma (S N) B * H B) <= sum (seq 0 (S N)) (fun B => bin gamma N B * H B)).
  rewrite (sum_ext _ _ (fun B => gamma * before (fun j => bin gamma N j * H (S j)) B + (1 - gamma) * (bin gamma N B * H B))).
  2: { intros [|B] _; rewrite bin_S; cbn [before]; ring. }
  rewrite sum_plus, !sum_scal, (sum_before (fun j => bin gamma N j * H (S j))).
  rewrite (sum_seq_last (S N) (fun B => bin gamma N B * H B)), (bin_above gamma N (S N)) by lia.
  assert (L : sum (seq 0 (S N)) (fun j => bin gamma N j * H (S j)) <= sum (seq 0 (S N)) (fun j => bin gamma N j * H j)).
  { apply sum_le. intros B _. apply Rmult_le_compat_l; [now apply bin_nonneg|apply M]. }
  apply (Rmult_le_compat_l gamma) in L; lra.
Qed.

Theorem krr_weak_monotone gamma k N N' alpha : 0 <= gamma <= 1 -> 2 <= k -> (N <= N')%nat ->
  krr_weak_hockey gamma k N' alpha <= krr_weak_hockey gamma k N alpha.
Proof.
  intros Hg Hk. induction 1 as [|N' H IH]; [lra|].
  eapply Rle_trans; [|exact IH]. now apply krr_weak_monotone_step.
Qed.

(* ---- Lemma 5: strata with a random rest ---- *)

(* B of N, and c of the B; or c of N directly, and then the B - c of the rest. *)
Lemma bin_one n k : (k < n)%nat -> bin 1 n k = 0.
Proof.
  intros H. rewrite bin_closed by lia. replace (n - k)%nat with (S (n - k - 1)) by lia.
  cbn [pow]. rewrite Rminus_diag_eq by reflexivity. ring.
Qed.

Lemma bin_thinning g s N c B : 0 <= g <= 1 -> 0 <= s <= 1 -> (c <= B)%nat -> (B <= N)%nat ->
  bin g N B * bin s B c = bin (g * s) N c * bin (g * (1 - s) / (1 - g * s)) (N - c) (B - c).
Proof.
  intros Hg Hs H1 H2. assert (F : forall m, INR (fact m) <> 0) by (intros; apply INR_fact_neq_0).
  destruct (Req_dec (g * s) 1) as [E|E].
  - assert (g = 1) by nra. assert (s = 1) by nra. subst g s. rewrite Rmult_1_l.
    destruct (Nat.eq_dec c N) as [->|Ne].
    + replace B with N by lia. rewrite !Nat.sub_diag. cbn [bin]. rewrite !Rmult_1_r.
      rewrite bin_closed by lia. rewrite Nat.sub_diag, !pow1. cbn [pow]. change (INR (fact 0)) with 1. field. auto.
    + rewrite (bin_one N c) by lia. destruct (Nat.eq_dec c B) as [->|Nb].
      * rewrite (bin_one N B) by lia. ring.
      * rewrite (bin_one B c) by lia. ring.
  - set (d := 1 - g * s). assert (D : d <> 0) by (unfold d; lra).
    rewrite !bin_closed by lia. replace (N - c - (B - c))%nat with (N - B)%nat by lia.
    replace (1 - g * (1 - s) / d) with ((1 - g) * / d) by (unfold d in *; field; auto).
    replace (g * (1 - s) / d) with (g * (1 - s) * / d) by reflexivity.
    change (1 - g * s) with d.
    rewrite !Rpow_mult_distr, !pow_inv.
    replace (g ^ B) with (g ^ c * g ^ (B - c)) by (rewrite <- pow_add; f_equal; lia).
    replace (d ^ (N - c)) with (d ^ (B - c) * d ^ (N - B)) by (rewrite <- pow_add; f_equal; lia).
    assert (P : forall n, d ^ n <> 0) by (intros; now apply pow_nonzero).
    field. repeat split; auto.
Qed.

(* Thinning a mixture: B of N, c of the B, and the B - c of the rest. *)
Lemma thinned_mixture g s N (f : nat -> nat -> R) : 0 <= g <= 1 -> 0 <= s <= 1 ->
  sum (seq 0 (S N)) (fun B => bin g N B * sum (seq 0 (S B)) (fun c => bin s B c * f c (B - c)%nat)) =
  sum (seq 0 (S N)) (fun c => bin (g * s) N c *
    sum (seq 0 (S (N - c))) (fun r => bin (g * (1 - s) / (1 - g * s)) (N - c) r * f c r)).
Proof.
  intros Hg Hs.
  transitivity (sum (seq 0 (S N)) (fun B => sum (seq 0 (S N)) (fun c => bin g N B * bin s B c * f c (B - c)%nat))).
  - apply sum_ext. intros B HB. apply in_seq in HB.
    rewrite (sum_seq_cut _ (S B) (S N)) by lia. rewrite (sum_null (seq (S B) _)).
    + rewrite Rplus_0_r, <- sum_scal. apply sum_ext. intros c _. ring.
    + intros c Hc. apply in_seq in Hc. rewrite (bin_above s B c) by lia. ring.
  - rewrite sum_swap. apply sum_ext. intros c Hc. apply in_seq in Hc.
    rewrite (sum_seq_cut _ c (S N)) by lia. rewrite (sum_null (seq 0 c)).
    2: { intros B HB. apply in_seq in HB. rewrite (bin_above s B c) by lia. ring. }
    rewrite Rplus_0_l, <- sum_scal. replace (S N - c)%nat with (S (N - c)) by lia.
    assert (Sh : forall f j n, sum (seq j n) f = sum (seq 0 n) (fun r => f (j + r)%nat)).
    { intros h j n. revert h. induction j as [|j IH]; intros h; [reflexivity|].
      now rewrite sum_seq_shift, IH. }
    rewrite Sh. apply sum_ext. intros r Hr. apply in_seq in Hr.
    replace (c + r - c)%nat with r by lia.
    rewrite bin_thinning by (auto; lia). replace (c + r - c)%nat with r by lia. ring.
Qed.

(* Of N others, c land on one of the two values at random, and r of the other
   N - c answer at random elsewhere: R ~ Bin(N - c, rest). *)
Definition krr_weak_rest (gamma k : R) : R := gamma * (1 - 2 / k) / (1 - gamma * (2 / k)).
Definition krr_weak_kappa (gamma k alpha : R) : R := (alpha - 1) * krr_weak_w2 gamma k * odds (2 / k).
Definition krr_weak_u (gamma k alpha : R) : R := krr_weak_w0 gamma k - alpha * krr_weak_w1 gamma k.
Definition krr_weak_v (gamma k alpha : R) : R := krr_weak_w1 gamma k - alpha * krr_weak_w0 gamma k.

(* The value at c and r. *)
Definition krr_weak_value (gamma k alpha : R) (c r : nat) : R :=
  stratum (krr_weak_u gamma k alpha) (krr_weak_v gamma k alpha) (1 / 2) c
    (krr_weak_kappa gamma k alpha * (INR r / INR (S c))).

Lemma krr_weak_w2_nonneg gamma k : 0 <= gamma -> 2 <= k -> 0 <= krr_weak_w2 gamma k.
Proof. intros. apply over_k; auto. apply Rmult_le_pos; lra. Qed.

Lemma two_over_k k : 2 <= k -> 0 < 2 / k <= 1.
Proof.
  intros H. split; [apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]|].
  replace (2 / k) with (1 / k + 1 / k) by (field; lra). apply over_k_half; lra.
Qed.

Lemma krr_weak_given_strata gamma k B alpha : 0 <= gamma <= 1 -> 2 <= k -> 1 <= alpha ->
  krr_weak_given gamma k B alpha = sum (seq 0 (S B)) (fun c => bin (2 / k) B c * krr_weak_value gamma k alpha c (B - c)).
Proof.
  intros Hg Hk Ha. unfold krr_weak_given. assert (P : 0 < 1 / k) by (apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
  rewrite trinomial_strata; auto.
  - replace (1 / k + 1 / k) with (2 / k) by (field; lra). replace (1 / k / (2 / k)) with (1 / 2) by (field; lra). reflexivity.
  - apply krr_weak_w2_nonneg; lra.
  - apply over_k_half; lra.
Qed.

(* Lemma 5: krr-weak as a mean over c ~ Bin(N, 2 gamma/k) and the rest r. *)
Theorem krr_weak_strata gamma k N alpha : 0 <= gamma <= 1 -> 2 <= k -> 1 <= alpha ->
  krr_weak_hockey gamma k N alpha =
  sum (seq 0 (S N)) (fun c => bin (gamma * (2 / k)) N c *
    sum (seq 0 (S (N - c))) (fun r => bin (krr_weak_rest gamma k) (N - c) r * krr_weak_value gamma k alpha c r)).
Proof.
  intros Hg Hk Ha. rewrite krr_weak_mixture by auto. pose proof (two_over_k k Hk) as Hs.
  rewrite (sum_ext _ _ (fun B => bin gamma N B * sum (seq 0 (S B))
    (fun c => bin (2 / k) B c * krr_weak_value gamma k alpha c (B - c))))
    by (intros; now rewrite krr_weak_given_strata).
  apply thinned_mixture; auto. lra.
Qed.

(* u <= 0: the divergence vanishes. *)
Theorem krr_weak_zero gamma k N alpha : 0 <= gamma <= 1 -> 2 <= k -> 1 <= alpha ->
  krr_weak_u gamma k alpha <= 0 -> krr_weak_hockey gamma k N alpha = 0.
Proof.
  intros Hg Hk Ha Hu. rewrite krr_weak_mixture by auto. apply sum_null. intros B _.
  assert (0 <= gamma / k) by (apply over_k; lra).
  unfold krr_weak_given. rewrite trinomial_zero; auto; try (apply over_k; lra); try (apply over_k_half; lra); try lra.
  - unfold krr_weak_w0, krr_weak_w1. lra.
  - apply krr_weak_w2_nonneg; lra.
Qed.

(* Once X <= K at low <= r, the values are zero there and at every smaller c. *)
Lemma krr_weak_none gamma k alpha low c c' r : 0 <= gamma <= 1 -> 2 <= k -> 1 <= alpha ->
  0 < krr_weak_u gamma k alpha -> (c' <= c)%nat -> (low <= r)%nat ->
  krr_weak_u gamma k alpha / (1 / 2) <= krr_weak_kappa gamma k alpha * (INR low / INR (S c)) ->
  krr_weak_value gamma k alpha c' r = 0.
Proof.
  intros Hg Hk Ha Hu Hc Hr Z. assert (G : 0 <= gamma / k) by (apply over_k; lra).
  assert (V : krr_weak_v gamma k alpha <= 0) by (unfold krr_weak_v, krr_weak_w0, krr_weak_w1; nra).
  assert (Kp : 0 <= krr_weak_kappa gamma k alpha).
  { pose proof (two_over_k k Hk). pose proof (krr_weak_w2_nonneg gamma k ltac:(lra) Hk).
    pose proof (odds_nonneg (2 / k) ltac:(lra)). unfold krr_weak_kappa. repeat apply Rmult_le_pos; lra. }
  apply stratum_none; [lra|apply slope_pos; lra|].
  eapply Rle_trans; [exact Z|]. apply Rmult_le_compat_l; [exact Kp|]. apply Rmult_le_compat.
  - apply pos_INR.
  - apply Rlt_le, Rinv_0_lt_compat, INR_pos.
  - now apply le_INR.
  - apply Rinv_le_contravar; [apply INR_pos|]. apply le_INR. lia.
Qed.

(* ---- Cut in R and in c ---- *)

(* Pr[Bin(n,p) >= t] rises with n and Pr[Bin(n,p) < t] falls. *)
Lemma tail_more p n n' t : 0 <= p <= 1 -> (n <= n')%nat -> tail p n t <= tail p n' t.
Proof.
  intros Hp. induction 1 as [|n' H IH]; [lra|]. eapply Rle_trans; [exact IH|].
  destruct t as [|t]; [rewrite !tail_zero; lra|]. rewrite (tail_row p n') by lia.
  assert (0 <= p * bin p n' (S t - 1)) by (apply Rmult_le_pos; [lra|now apply bin_nonneg]). lra.
Qed.

Lemma head_more p n n' t : 0 <= p <= 1 -> (n <= n')%nat -> head p n' t <= head p n t.
Proof.
  intros Hp H. pose proof (tail_more p n n' t Hp H). pose proof (head_tail p n t). pose proof (head_tail p n' t). lra.
Qed.

Section Cut.
  Variables gamma k alpha : R.
  Variable N : nat.
  Hypothesis Hg : 0 <= gamma <= 1.
  Hypothesis Hk : 2 <= k.
  Hypothesis Ha : 1 <= alpha.
  Hypothesis Hu : 0 <= krr_weak_u gamma k alpha.

  Lemma krr_weak_s : 0 <= gamma * (2 / k) <= 1.
  Proof. pose proof (two_over_k k Hk). split; [apply Rmult_le_pos; lra|nra]. Qed.

  Lemma krr_weak_rest_range : gamma * (2 / k) < 1 -> 0 <= krr_weak_rest gamma k <= 1.
  Proof.
    intros H. pose proof (two_over_k k Hk). assert (P : 0 < / (1 - gamma * (2 / k))) by (apply Rinv_0_lt_compat; lra).
    unfold krr_weak_rest. set (x := 2 / k) in *. split.
    - repeat apply Rmult_le_pos; lra.
    - apply (Rmult_le_reg_r (1 - gamma * x)); [lra|].
      replace (gamma * (1 - x) / (1 - gamma * x) * (1 - gamma * x)) with (gamma * (1 - x)) by (field; lra).
      lra.
  Qed.

  Lemma krr_weak_v_nonpos : krr_weak_v gamma k alpha <= 0.
  Proof.
    unfold krr_weak_v, krr_weak_w0, krr_weak_w1. assert (0 <= gamma / k) by (apply over_k; lra). nra.
  Qed.

  Lemma krr_weak_kappa_nonneg : 0 <= krr_weak_kappa gamma k alpha.
  Proof.
    unfold krr_weak_kappa. pose proof (two_over_k k Hk).
    assert (0 <= krr_weak_w2 gamma k) by (apply krr_weak_w2_nonneg; lra).
    assert (0 <= odds (2 / k)) by (apply odds_nonneg; lra).
    repeat apply Rmult_le_pos; lra.
  Qed.

  Local Lemma share_nonneg c r : 0 <= INR r / INR (S c).
  Proof. apply Rmult_le_pos; [apply pos_INR|]. apply Rlt_le, Rinv_0_lt_compat, INR_pos. Qed.

  Lemma krr_weak_value_range c r : 0 <= krr_weak_value gamma k alpha c r <= krr_weak_u gamma k alpha.
  Proof.
    apply stratum_u; auto; try lra; [apply krr_weak_v_nonpos|].
    apply Rmult_le_pos; [apply krr_weak_kappa_nonneg|apply share_nonneg].
  Qed.

  Lemma krr_weak_value_zero c : krr_weak_value gamma k alpha c 0 =
    stratum (krr_weak_u gamma k alpha) (krr_weak_v gamma k alpha) (1 / 2) c 0.
  Proof. unfold krr_weak_value. f_equal. change (INR 0) with 0. unfold Rdiv. ring. Qed.

  (* The value falls in c (at r = 0) and in r. *)
  Lemma krr_weak_value_le c c' r : (c <= c')%nat -> krr_weak_value gamma k alpha c' r <= krr_weak_value gamma k alpha c 0.
  Proof.
    intros H. eapply Rle_trans.
    - apply (stratum_antitone_K _ _ _ c' (krr_weak_kappa gamma k alpha * (INR 0 / INR (S c)))); [lra|].
      change (INR 0) with 0. unfold Rdiv at 1. rewrite Rmult_0_l, Rmult_0_r.
      apply Rmult_le_pos; [apply krr_weak_kappa_nonneg|apply share_nonneg].
    - apply stratum_antitone_c; auto. lra.
  Qed.

  (* The mean over all r at c, and over low .. high only. *)
  Definition krr_weak_row (c : nat) : R :=
    sum (seq 0 (S (N - c))) (fun r => bin (krr_weak_rest gamma k) (N - c) r * krr_weak_value gamma k alpha c r).
  Definition krr_weak_row_cut (low high c : nat) : R :=
    sum (seq low (S high - low)) (fun r => bin (krr_weak_rest gamma k) (N - c) r * krr_weak_value gamma k alpha c r).

  Hypothesis Hs1 : gamma * (2 / k) < 1.

  Local Lemma weight_R n r : 0 <= bin (krr_weak_rest gamma k) n r.
  Proof. apply bin_nonneg. now apply krr_weak_rest_range. Qed.

  (* In every row of first .. last, what is cut off weighs at most 2 tau V(first, 0). *)
  Lemma krr_weak_row_bounds low high first last c tau : (first <= c <= last)%nat -> (low <= S high)%nat ->
    head (krr_weak_rest gamma k) (N - last) low <= tau ->
    tail (krr_weak_rest gamma k) (N - first) (S high) <= tau ->
    krr_weak_row_cut low high c <= krr_weak_row c <=
    krr_weak_row_cut low high c + 2 * tau * krr_weak_value gamma k alpha first 0.
  Proof.
    intros Hc Hl Tl Th. pose proof (krr_weak_rest_range Hs1) as Hq.
    set (M := Nat.max (S (N - c)) (S high)).
    set (f := fun r => bin (krr_weak_rest gamma k) (N - c) r * krr_weak_value gamma k alpha c r).
    set (V0 := krr_weak_value gamma k alpha first 0).
    assert (V00 : 0 <= V0) by apply krr_weak_value_range.
    assert (N0 : forall r, 0 <= f r) by (intros; apply Rmult_le_pos; [apply weight_R|apply krr_weak_value_range]).
    assert (E : krr_weak_row c = sum (seq 0 M) f).
    { rewrite (sum_seq_cut f (S (N - c)) M) by lia. rewrite (sum_null (seq (S (N - c)) _)), Rplus_0_r; [reflexivity|].
      intros r HR. apply in_seq in HR. unfold f. rewrite bin_above by lia. ring. }
    assert (C : krr_weak_row c = sum (seq 0 low) f + krr_weak_row_cut low high c + sum (seq (S high) (M - S high)) f).
    { rewrite E, (sum_seq_cut f (S high) M), (sum_seq_cut f low (S high)) by lia. reflexivity. }
    assert (L : 0 <= sum (seq 0 low) f <= tau * V0).
    { split; [now apply sum_nonneg|]. apply Rle_trans with (head (krr_weak_rest gamma k) (N - c) low * V0).
      - unfold head. rewrite <- sum_scal_r. apply sum_le. intros r _.
        apply Rmult_le_compat_l; [apply weight_R|]. apply krr_weak_value_le. lia.
      - apply Rmult_le_compat_r; auto. eapply Rle_trans; [|exact Tl]. apply head_more; auto. lia. }
    assert (H : 0 <= sum (seq (S high) (M - S high)) f <= tau * V0).
    { split; [now apply sum_nonneg|]. apply Rle_trans with (tail (krr_weak_rest gamma k) (N - c) (S high) * V0).
      - apply Rle_trans with (sum (seq (S high) (M - S high)) (bin (krr_weak_rest gamma k) (N - c)) * V0).
        + rewrite <- sum_scal_r. apply sum_le. intros r _.
          apply Rmult_le_compat_l; [apply weight_R|]. apply krr_weak_value_le. lia.
        + apply Rmult_le_compat_r; auto. apply Req_le. unfold tail.
          destruct (le_lt_dec (S high) (S (N - c))) as [Q|Q].
          * now replace M with (S (N - c)) by lia.
          * replace (S (N - c) - S high)%nat with O by lia. replace (M - S high)%nat with O by lia. reflexivity.
      - apply Rmult_le_compat_r; auto. eapply Rle_trans; [|exact Th]. apply tail_more; auto. lia. }
    lra.
  Qed.

  (* Lemmas 4 and 5 together: krr-weak from the strata first .. last, and in
     each from low <= r <= high. *)
  Theorem krr_weak_truncation low high first last tau : (first <= S last)%nat -> (last <= N)%nat -> (low <= S high)%nat ->
    head (krr_weak_rest gamma k) (N - last) low <= tau ->
    tail (krr_weak_rest gamma k) (N - first) (S high) <= tau ->
    let kept := sum (seq first (S last - first)) (fun c => bin (gamma * (2 / k)) N c * krr_weak_row_cut low high c) in
    kept <= krr_weak_hockey gamma k N alpha <=
    kept + 2 * tau * krr_weak_value gamma k alpha first 0
      + head (gamma * (2 / k)) N first * krr_weak_u gamma k alpha
      + tail (gamma * (2 / k)) N (S last) * krr_weak_value gamma k alpha (S last) 0.
  Proof.
    intros H1 H2 H3 Tl Th kept. pose proof krr_weak_s as Hs. pose proof (krr_weak_rest_range Hs1) as Hq.
    assert (W : forall c, 0 <= bin (gamma * (2 / k)) N c) by (intros; now apply bin_nonneg).
    set (g := fun c => bin (gamma * (2 / k)) N c * krr_weak_row c).
    assert (Row : forall c, 0 <= krr_weak_row c).
    { intros c. apply sum_nonneg. intros r _. apply Rmult_le_pos; [apply weight_R|apply krr_weak_value_range]. }
    assert (RowLe : forall c X, (forall r, krr_weak_value gamma k alpha c r <= X) -> krr_weak_row c <= X).
    { intros c X HX. apply Rle_trans with (sum (seq 0 (S (N - c))) (fun r => bin (krr_weak_rest gamma k) (N - c) r * X)).
      - apply sum_le. intros r _. apply Rmult_le_compat_l; [apply weight_R|apply HX].
      - rewrite sum_scal_r. rewrite bin_sum. lra. }
    assert (E : krr_weak_hockey gamma k N alpha = sum (seq 0 first) g + sum (seq first (S last - first)) g
      + sum (seq (S last) (N - last)) g).
    { rewrite krr_weak_strata by auto. change (sum (seq 0 (S N)) g = sum (seq 0 first) g
      + sum (seq first (S last - first)) g + sum (seq (S last) (N - last)) g).
      now rewrite (sum_seq_cut g (S last) (S N)), (sum_seq_cut g first (S last)) by lia. }
    assert (A : 0 <= sum (seq 0 first) g <= head (gamma * (2 / k)) N first * krr_weak_u gamma k alpha).
    { split; [apply sum_nonneg; intros; now apply Rmult_le_pos|].
      unfold head. rewrite <- sum_scal_r. apply sum_le. intros c _. apply Rmult_le_compat_l; auto.
      apply RowLe. intros r. apply krr_weak_value_range. }
    assert (B : 0 <= sum (seq (S last) (N - last)) g <= tail (gamma * (2 / k)) N (S last)
      * krr_weak_value gamma k alpha (S last) 0).
    { split; [apply sum_nonneg; intros; now apply Rmult_le_pos|].
      unfold tail. cbn [Nat.sub]. rewrite <- sum_scal_r. apply sum_le. intros c Hc. apply in_seq in Hc.
      apply Rmult_le_compat_l; auto. apply RowLe. intros r. apply krr_weak_value_le. lia. }
    assert (Tau : 0 <= tau) by (eapply Rle_trans; [|exact Tl]; now apply head_nonneg).
    assert (V0 : 0 <= krr_weak_value gamma k alpha first 0) by apply krr_weak_value_range.
    assert (C : kept <= sum (seq first (S last - first)) g <= kept + 2 * tau * krr_weak_value gamma k alpha first 0).
    { split.
      - apply sum_le. intros c Hc. apply in_seq in Hc. apply Rmult_le_compat_l; auto.
        apply (krr_weak_row_bounds low high first last c tau); auto. lia.
      - apply Rle_trans with (sum (seq first (S last - first)) (fun c =>
          bin (gamma * (2 / k)) N c * krr_weak_row_cut low high c
          + bin (gamma * (2 / k)) N c * (2 * tau * krr_weak_value gamma k alpha first 0))).
        + apply sum_le. intros c Hc. apply in_seq in Hc. rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; auto.
          apply (krr_weak_row_bounds low high first last c tau); auto. lia.
        + rewrite sum_plus, sum_scal_r. fold kept. apply Rplus_le_compat_l.
          rewrite <- (Rmult_1_l (2 * tau * _)) at 2. apply Rmult_le_compat_r; [repeat apply Rmult_le_pos; lra|].
          rewrite <- (bin_sum (gamma * (2 / k)) N). rewrite (sum_seq_cut _ (S last) (S N)), (sum_seq_cut _ first (S last)) by lia.
          assert (0 <= sum (seq 0 first) (bin (gamma * (2 / k)) N)) by (apply sum_nonneg; auto).
          assert (0 <= sum (seq (S last) (S N - S last)) (bin (gamma * (2 / k)) N)) by (apply sum_nonneg; auto). lra. }
    lra.
  Qed.
End Cut.
