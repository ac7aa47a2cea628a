(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * ../trinomial-pair.md, Lemmas 3, 4 and 7: a stratum's value falls in c and in
 * K, blocks of strata and truncation, and the divergence falls in the number
 * of users.
 *)
From Coq Require Import Reals List Lra Arith Lia.
From Shufbound Require Import Sum Hockey Trinomial Binomial Strata.
Import ListNotations.
Open Scope R_scope.

(* ---- A mean of a convex function over Bin(m,p)/m falls in m ---- *)

(* phi is convex on [0,1]. *)
Definition convex01 (phi : R -> R) : Prop := forall x y t,
  0 <= x <= 1 -> 0 <= y <= 1 -> 0 <= t <= 1 ->
  phi (t * x + (1 - t) * y) <= t * phi x + (1 - t) * phi y.

(* E phi(A/m), A ~ Bin(m,p): the Bernstein polynomial of phi at p. *)
Definition bernstein (phi : R -> R) (p : R) (m : nat) : R :=
  sum (seq 0 (S m)) (fun a => bin p m a * phi (INR a / INR m)).

Lemma ratio01 a m : (1 <= m)%nat -> (a <= m)%nat -> 0 <= INR a / INR m <= 1.
Proof.
  intros Hm Ha. assert (0 < INR m) by (apply lt_0_INR; lia). pose proof (pos_INR a).
  assert (I : INR a <= INR m) by now apply le_INR. split.
  - apply Rmult_le_pos; [lra|]. now apply Rlt_le, Rinv_0_lt_compat.
  - apply (Rmult_le_reg_r (INR m)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(* Of a successes in m + 1 trials the last is one with probability a/(m+1). *)
Lemma bernstein_term phi p m a : 0 <= p <= 1 -> convex01 phi -> (1 <= m)%nat -> (a <= S m)%nat ->
  bin p (S m) a * phi (INR a / INR (S m)) <=
  p * before (fun j => bin p m j * phi (INR j / INR m)) a + (1 - p) * (bin p m a * phi (INR a / INR m)).
Proof.
  intros Hp C Hm Ha. assert (M : 0 < INR m) by (apply lt_0_INR; lia). pose proof (INR_pos m) as M'.
  destruct a as [|j]; cbn [before].
  - rewrite bin_S. cbn [before]. replace (INR 0 / INR (S m)) with (INR 0 / INR m) by (change (INR 0) with 0; field; lra). lra.
  - destruct (Nat.eq_dec j m) as [->|Ne].
    + rewrite bin_SS, (bin_above p m (S m)) by lia.
      replace (INR (S m) / INR (S m)) with (INR m / INR m) by (field; lra). lra.
    + set (t := INR (S j) / INR (S m)).
      assert (Ht : 0 <= t <= 1) by (apply ratio01; lia).
      assert (W1 : p * bin p m j = bin p (S m) (S j) * t).
      { unfold t. pose proof (bin_diag p m j).
        replace (bin p (S m) (S j) * (INR (S j) / INR (S m))) with (bin p (S m) (S j) * INR (S j) / INR (S m)) by (field; lra).
        rewrite H. field. lra. }
      assert (W2 : (1 - p) * bin p m (S j) = bin p (S m) (S j) * (1 - t)).
      { rewrite bin_SS in *. lra. }
      assert (E : t = t * (INR j / INR m) + (1 - t) * (INR (S j) / INR m)).
      { unfold t. rewrite !S_INR in *. field. lra. }
      rewrite (f_equal phi E).
      apply Rle_trans with (bin p (S m) (S j) * (t * phi (INR j / INR m) + (1 - t) * phi (INR (S j) / INR m))).
      * apply Rmult_le_compat_l; [now apply bin_nonneg|]. apply C; auto; apply ratio01; lia.
      * apply Req_le. rewrite <- !Rmult_assoc. rewrite W1, W2. ring.
Qed.

(* Adding a trial lowers the mean of every convex function. *)
Theorem bernstein_step phi p m : 0 <= p <= 1 -> convex01 phi -> (1 <= m)%nat ->
  bernstein phi p (S m) <= bernstein phi p m.
Proof.
  intros Hp C Hm. unfold bernstein at 1.
  eapply Rle_trans.
  - apply sum_le. intros a Ha. apply in_seq in Ha. apply bernstein_term; auto. lia.
  - rewrite sum_plus, !sum_scal.
    rewrite (sum_before (fun j => bin p m j * phi (INR j / INR m)) (S m)).
    rewrite (sum_seq_last (S m) (fun a => bin p m a * phi (INR a / INR m))), bin_above by lia.
    unfold bernstein. lra.
Qed.

Theorem bernstein_antitone phi p m m' : 0 <= p <= 1 -> convex01 phi -> (1 <= m <= m')%nat ->
  bernstein phi p m' <= bernstein phi p m.
Proof.
  intros Hp C [Hm H]. induction H as [|m' H IH]; [lra|].
  eapply Rle_trans; [|exact IH]. apply bernstein_step; auto. lia.
Qed.

(* ---- Lemma 3 ---- *)

Lemma mean_ratio u v rho m a : 0 < rho < 1 -> (1 <= m)%nat -> (a <= m)%nat ->
  mean u v rho m a = (u / rho - v / (1 - rho)) * (INR a / INR m) + v / (1 - rho).
Proof. intros. rewrite mean_affine by auto. unfold Rdiv. ring. Qed.

Lemma stratum_bernstein u v rho c K : 0 < rho < 1 ->
  stratum u v rho c K = bernstein (fun x => pos ((u / rho - v / (1 - rho)) * x + (v / (1 - rho) - K))) rho (S c).
Proof.
  intros Hr. unfold stratum, bernstein. apply sum_ext. intros a Ha. apply in_seq in Ha.
  rewrite mean_ratio by (auto; lia). do 2 f_equal. ring.
Qed.

Lemma pos_affine_convex d e : convex01 (fun x => pos (d * x + e)).
Proof.
  intros x y t _ _ Ht.
  replace (d * (t * x + (1 - t) * y) + e) with (t * (d * x + e) + (1 - t) * (d * y + e)) by ring.
  rewrite <- !pos_scal by lra. apply pos_plus.
Qed.

(* (a): the value falls in c. *)
Theorem stratum_antitone_c u v rho c c' K : 0 < rho < 1 -> (c <= c')%nat ->
  stratum u v rho c' K <= stratum u v rho c K.
Proof.
  intros Hr H. rewrite !stratum_bernstein by auto. apply bernstein_antitone; [lra| |lia].
  apply pos_affine_convex.
Qed.

(* (b): and in K. *)
Theorem stratum_antitone_K u v rho c K K' : 0 < rho < 1 -> K <= K' ->
  stratum u v rho c K' <= stratum u v rho c K.
Proof.
  intros Hr H. apply sum_le. intros a _. apply Rmult_le_compat_l; [apply bin_nonneg; lra|].
  apply pos_le. lra.
Qed.

(* (c): K_c falls in c. *)
Lemma shift_antitone w2 s alpha N c c' : 0 <= w2 -> 0 <= s -> 1 <= alpha -> (c <= c')%nat ->
  shift w2 s alpha N c' <= shift w2 s alpha N c.
Proof.
  intros Hw Hs Ha H. unfold shift. apply Rmult_le_compat_l.
  - pose proof (odds_nonneg s Hs). repeat apply Rmult_le_pos; lra.
  - pose proof (INR_pos c). apply Rmult_le_compat.
    + apply pos_INR.
    + apply Rlt_le, Rinv_0_lt_compat, INR_pos.
    + apply le_INR. lia.
    + apply Rinv_le_contravar; auto. apply le_INR. lia.
Qed.

(* (e): for c1 <= c <= c2 the value is between those of the block's ends. *)
Theorem stratum_block u v rho w2 s alpha N c1 c c2 : 0 < rho < 1 -> 0 <= w2 -> 0 <= s -> 1 <= alpha ->
  (c1 <= c <= c2)%nat ->
  stratum u v rho c2 (shift w2 s alpha N c1) <= stratum u v rho c (shift w2 s alpha N c)
    <= stratum u v rho c1 (shift w2 s alpha N c2).
Proof.
  intros Hr Hw Hs Ha [H1 H2]. split.
  - eapply Rle_trans; [apply (stratum_antitone_c u v rho c c2); auto|].
    apply stratum_antitone_K; auto. apply shift_antitone; auto.
  - eapply Rle_trans; [|apply (stratum_antitone_c u v rho c1 c); auto].
    apply stratum_antitone_K; auto. apply shift_antitone; auto.
Qed.

(* Where a stratum vanishes because X never exceeds K_c, all lower ones do. *)
Theorem stratum_none_below u v rho w2 s alpha N c c' : 0 < rho < 1 -> 0 < u / rho - v / (1 - rho) ->
  0 <= w2 -> 0 <= s -> 1 <= alpha -> (c' <= c)%nat ->
  u / rho <= shift w2 s alpha N c -> stratum u v rho c' (shift w2 s alpha N c') = 0.
Proof.
  intros Hr Hd Hw Hs Ha H Z. apply stratum_none; auto.
  eapply Rle_trans; [exact Z|]. now apply shift_antitone.
Qed.

(* ---- Lemma 4: blocks and truncation ---- *)

Section Truncation.
  Variables u v rho w2 s alpha : R.
  Variable N : nat.
  Hypothesis Hr : 0 < rho < 1.
  Hypothesis Hw : 0 <= w2.
  Hypothesis Hs : 0 <= s <= 1.
  Hypothesis Ha : 1 <= alpha.

  (* The term of c in Lemma 1, and the sum over c = first .. first + len - 1. *)
  Definition strata_term (c : nat) : R := bin s N c * stratum u v rho c (shift w2 s alpha N c).
  Definition strata_sum (first len : nat) : R := sum (seq first len) strata_term.

  Local Lemma weight c : 0 <= bin s N c.
  Proof. now apply bin_nonneg. Qed.

  Local Lemma value c : 0 <= stratum u v rho c (shift w2 s alpha N c).
  Proof. apply stratum_nonneg. lra. Qed.

  Lemma strata_term_nonneg c : 0 <= strata_term c.
  Proof. apply Rmult_le_pos; [apply weight|apply value]. Qed.

  Lemma strata_sum_nonneg first len : 0 <= strata_sum first len.
  Proof. apply sum_nonneg. intros. apply strata_term_nonneg. Qed.

  (* A block first .. first + len - 1 against its probability. *)
  Theorem strata_block first len c1 c2 : (c1 <= first)%nat -> (first + len <= S c2)%nat ->
    sum (seq first len) (bin s N) * stratum u v rho c2 (shift w2 s alpha N c1) <= strata_sum first len
      <= sum (seq first len) (bin s N) * stratum u v rho c1 (shift w2 s alpha N c2).
  Proof.
    intros H1 H2. rewrite <- !sum_scal_r. split; apply sum_le; intros c Hc; apply in_seq in Hc;
      apply Rmult_le_compat_l; try apply weight; apply stratum_block; auto; try lra; lia.
  Qed.

  (* The strata below first weigh at most u Pr[C < first]. *)
  Theorem strata_low first : 0 <= u -> v <= 0 -> strata_sum 0 first <= head s N first * u.
  Proof.
    intros Hu Hv. unfold head. rewrite <- sum_scal_r. apply sum_le. intros c _.
    apply Rmult_le_compat_l; [apply weight|]. apply stratum_u; auto. apply shift_nonneg; lra.
  Qed.

  (* A range from c1 on weighs at most its probability times V(c1, 0). *)
  Theorem strata_range c1 first len : (c1 <= first)%nat ->
    strata_sum first len <= sum (seq first len) (bin s N) * stratum u v rho c1 0.
  Proof.
    intros H. rewrite <- sum_scal_r. apply sum_le. intros c Hc. apply in_seq in Hc.
    apply Rmult_le_compat_l; [apply weight|].
    eapply Rle_trans; [apply (stratum_antitone_c u v rho c1 c); auto; lia|].
    apply stratum_antitone_K; auto. apply shift_nonneg; lra.
  Qed.

  (* The strata above last: at most Pr[C > last] V(last + 1, 0). *)
  Theorem strata_high last : (last <= N)%nat ->
    strata_sum (S last) (N - last) <= tail s N (S last) * stratum u v rho (S last) 0.
  Proof. intros H. exact (strata_range (S last) (S last) (N - last) (le_n _)). Qed.

  (* Strata first <= c < c': at most Pr[C < c'] V(first, 0). *)
  Theorem strata_middle first c' : (first <= c')%nat ->
    strata_sum first (c' - first) <= head s N c' * stratum u v rho first 0.
  Proof.
    intros H. eapply Rle_trans; [apply (strata_range first); auto|].
    apply Rmult_le_compat_r; [apply stratum_nonneg; lra|].
    unfold head. rewrite (sum_seq_cut (bin s N) first c') by auto.
    assert (0 <= sum (seq 0 first) (bin s N)) by (apply sum_nonneg; intros; apply weight). lra.
  Qed.

  Lemma strata_split a b : (a <= b)%nat -> strata_sum 0 b = strata_sum 0 a + strata_sum a (b - a).
  Proof. apply sum_seq_cut. Qed.

  (* All strata against those of first .. last. *)
  Theorem strata_truncation first last : 0 <= u -> v <= 0 -> (first <= S last)%nat -> (last <= N)%nat ->
    strata_sum first (S last - first) <= strata_sum 0 (S N) <=
    head s N first * u + strata_sum first (S last - first) + tail s N (S last) * stratum u v rho (S last) 0.
  Proof.
    intros Hu Hv H1 H2. rewrite (strata_split (S last) (S N)), (strata_split first (S last)) by lia.
    pose proof (strata_sum_nonneg 0 first). pose proof (strata_sum_nonneg (S last) (S N - S last)).
    pose proof (strata_low first Hu Hv). pose proof (strata_high last H2) as Hi.
    change (S N - S last)%nat with (N - last)%nat in *. lra.
  Qed.
End Truncation.

(* Lemmas 1 and 4: the divergence from the strata first .. last. *)
Theorem trinomial_truncation w0 w1 w2 r0 r1 N alpha first last :
  0 <= w1 <= w0 -> 0 <= w2 -> 0 < r0 -> 0 < r1 -> r0 + r1 <= 1 -> 1 <= alpha -> 0 <= w0 - alpha * w1 ->
  (first <= S last)%nat -> (last <= N)%nat ->
  let u := w0 - alpha * w1 in
  let v := w1 - alpha * w0 in
  let s := r0 + r1 in
  let rho := r0 / (r0 + r1) in
  strata_sum u v rho w2 s alpha N first (S last - first) <= trinomial_hockey w0 w1 w2 r0 r1 N alpha <=
  head s N first * u + strata_sum u v rho w2 s alpha N first (S last - first)
    + tail s N (S last) * stratum u v rho (S last) 0.
Proof.
  intros Hw Hw2 H0 H1 Hs Ha Hu L1 L2 u v s rho. rewrite trinomial_strata by auto.
  apply strata_truncation; auto; try (unfold s; lra).
  - now apply share_range.
  - unfold v. nra.
Qed.

(* u <= 0: the divergence vanishes. *)
Theorem trinomial_zero w0 w1 w2 r0 r1 N alpha : 0 <= w1 <= w0 -> 0 <= w2 ->
  0 <= r0 -> 0 <= r1 -> r0 + r1 <= 1 -> 1 <= alpha -> w0 - alpha * w1 <= 0 ->
  trinomial_hockey w0 w1 w2 r0 r1 N alpha = 0.
Proof.
  intros Hw Hw2 H0 H1 Hs Ha Hu. apply sum_null. intros [a b] _. apply pos_zero.
  assert (Hv : w1 - alpha * w0 <= 0) by nra.
  assert (P : forall a b, 0 <= others r0 r1 N a b) by (intros; apply others_nonneg; lra).
  unfold trinomial_P, trinomial_Q, with_user.
  set (A := before _ a). set (B := before _ b). set (T := others r0 r1 N a b).
  assert (0 <= A) by (unfold A; destruct a; cbn; [lra|apply P]).
  assert (0 <= B) by (unfold B; destruct b; cbn; [lra|apply P]).
  assert (0 <= T) by apply P.
  replace (w0 * A + w1 * B + w2 * T - alpha * (w1 * A + w0 * B + w2 * T))
    with ((w0 - alpha * w1) * A + (w1 - alpha * w0) * B + (1 - alpha) * w2 * T) by ring.
  assert ((w0 - alpha * w1) * A <= 0) by nra. assert ((w1 - alpha * w0) * B <= 0) by nra.
  assert ((1 - alpha) * w2 <= 0) by nra. assert ((1 - alpha) * w2 * T <= 0) by nra. lra.
Qed.

(* ---- Lemma 7: one user more ---- *)

Lemma with_user_linear w0 w1 w2 r0 r1 N a b :
  with_user w0 w1 w2 (others r0 r1 (S N)) (a, b) =
  r0 * before (fun a => with_user w0 w1 w2 (others r0 r1 N) (a, b)) a
  + r1 * before (fun b => with_user w0 w1 w2 (others r0 r1 N) (a, b)) b
  + (1 - r0 - r1) * with_user w0 w1 w2 (others r0 r1 N) (a, b).
Proof.
  unfold with_user. destruct a as [|[|a]], b as [|[|b]]; cbn [before others]; ring.
Qed.

Lemma with_user_above w0 w1 w2 r0 r1 N a b : (S N < a + b)%nat -> with_user w0 w1 w2 (others r0 r1 N) (a, b) = 0.
Proof.
  intros L. unfold with_user. rewrite (others_above r0 r1 N a b) by lia.
  destruct a, b; cbn [before]; rewrite ?others_above by lia; ring.
Qed.

Lemma pos_before (f : nat -> R) k : pos (before f k) = before (fun j => pos (f j)) k.
Proof. destruct k; cbn [before]; [apply pos_zero; lra|reflexivity]. Qed.

(* The sum over one more count of a function moved by one in a or in b. *)
Lemma sum_moved_a (f : nat -> nat -> R) M : (forall a b, (M < a + b)%nat -> f a b = 0) ->
  sum (list_prod (seq 0 (S (S M))) (seq 0 (S (S M)))) (fun x => before (fun a => f a (snd x)) (fst x)) =
  sum (list_prod (seq 0 (S M)) (seq 0 (S M))) (fun x => f (fst x) (snd x)).
Proof.
  intros Z. rewrite !sum_prod. cbn [fst snd]. rewrite sum_seq_first.
  rewrite (sum_null (seq 0 (S (S M)))) by (intros; reflexivity). cbn [before].
  rewrite Rplus_0_l. apply sum_ext. intros a _. rewrite sum_seq_last, Z by lia. lra.
Qed.

Lemma sum_moved_b (f : nat -> nat -> R) M : (forall a b, (M < a + b)%nat -> f a b = 0) ->
  sum (list_prod (seq 0 (S (S M))) (seq 0 (S (S M)))) (fun x => before (fun b => f (fst x) b) (snd x)) =
  sum (list_prod (seq 0 (S M)) (seq 0 (S M))) (fun x => f (fst x) (snd x)).
Proof.
  intros Z. rewrite !sum_prod. cbn [fst snd]. rewrite sum_seq_last.
  rewrite (sum_before (fun b => f (S M) b)), (sum_null (seq 0 (S M)) (fun b => f (S M) b)).
  2: { intros b _. apply Z. lia. }
  rewrite Rplus_0_r. apply sum_ext. intros a _. now rewrite (sum_before (fun b => f a b)).
Qed.

Lemma sum_more (f : nat -> nat -> R) M : (forall a b, (M < a + b)%nat -> f a b = 0) ->
  sum (list_prod (seq 0 (S (S M))) (seq 0 (S (S M)))) (fun x => f (fst x) (snd x)) =
  sum (list_prod (seq 0 (S M)) (seq 0 (S M))) (fun x => f (fst x) (snd x)).
Proof.
  intros Z. rewrite !sum_prod. cbn [fst snd]. rewrite sum_seq_last.
  rewrite (sum_null (seq 0 (S (S M))) (fun b => f (S M) b)) by (intros; apply Z; lia).
  rewrite Rplus_0_r. apply sum_ext. intros a _. rewrite sum_seq_last, Z by lia. lra.
Qed.

Lemma sum_counts_more (f : nat -> nat -> R) B N : (B <= N)%nat -> (forall a b, (S B < a + b)%nat -> f a b = 0) ->
  sum (counts N) (fun x => f (fst x) (snd x)) = sum (counts B) (fun x => f (fst x) (snd x)).
Proof.
  intros H Z. induction H as [|N H IH]; [reflexivity|]. rewrite <- IH. apply sum_more. intros. apply Z. lia.
Qed.

(* Lemma 7: a user more cannot raise the divergence of the pair, at any alpha. *)
Theorem trinomial_monotone_step w0 w1 w2 r0 r1 N alpha : 0 <= r0 -> 0 <= r1 -> r0 + r1 <= 1 ->
  trinomial_hockey w0 w1 w2 r0 r1 (S N) alpha <= trinomial_hockey w0 w1 w2 r0 r1 N alpha.
Proof.
  intros H0 H1 Hs.
  set (D := fun a b => trinomial_P w0 w1 w2 r0 r1 N (a, b) - alpha * trinomial_Q w0 w1 w2 r0 r1 N (a, b)).
  assert (Z : forall a b, (S N < a + b)%nat -> pos (D a b) = 0).
  { intros a b L. unfold D, trinomial_P, trinomial_Q. rewrite !with_user_above by auto. apply pos_zero. lra. }
  unfold trinomial_hockey, hockey, counts.
  rewrite (sum_ext (list_prod (seq 0 (S (S N))) _) _ (fun x => pos (D (fst x) (snd x)))) by (intros [a b] _; reflexivity).
  apply Rle_trans with (sum (list_prod (seq 0 (S (S (S N)))) (seq 0 (S (S (S N))))) (fun x =>
    r0 * before (fun a => pos (D a (snd x))) (fst x) + r1 * before (fun b => pos (D (fst x) b)) (snd x)
    + (1 - r0 - r1) * pos (D (fst x) (snd x)))).
  - apply sum_le. intros [a b] _. cbn [fst snd].
    replace (trinomial_P w0 w1 w2 r0 r1 (S N) (a, b) - alpha * trinomial_Q w0 w1 w2 r0 r1 (S N) (a, b))
      with (r0 * before (fun a => D a b) a + r1 * before (fun b => D a b) b + (1 - r0 - r1) * D a b).
    + eapply Rle_trans; [apply pos_plus|]. rewrite (pos_scal (1 - r0 - r1)) by lra.
      apply Rplus_le_compat_r. eapply Rle_trans; [apply pos_plus|].
      rewrite (pos_scal r0), (pos_scal r1) by lra. rewrite !pos_before. lra.
    + unfold D, trinomial_P, trinomial_Q. rewrite !with_user_linear. destruct a, b; cbn [before]; ring.
  - rewrite !sum_plus, !sum_scal.
    rewrite (sum_moved_a (fun a b => pos (D a b)) (S N)), (sum_moved_b (fun a b => pos (D a b)) (S N)),
      (sum_more (fun a b => pos (D a b)) (S N)) by exact Z. lra.
Qed.

Theorem trinomial_monotone w0 w1 w2 r0 r1 N N' alpha : 0 <= r0 -> 0 <= r1 -> r0 + r1 <= 1 -> (N <= N')%nat ->
  trinomial_hockey w0 w1 w2 r0 r1 N' alpha <= trinomial_hockey w0 w1 w2 r0 r1 N alpha.
Proof.
  intros H0 H1 Hs. induction 1 as [|N' H IH]; [lra|].
  eapply Rle_trans; [|exact IH]. now apply trinomial_monotone_step.
Qed.
