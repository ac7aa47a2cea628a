(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* Nothing underflows: the run-time guards of sum_strata (src/fast/fast.c)
     pmf >= SMALLEST && U * pmf >= SMALLEST && (W == 0 || W * pmf >= SMALLEST)
   put every product and quotient of one step down the strata into the normal
   range. ../fast.md, Arithmetic, "Range". Counts are at most 2^41 (the code
   checks last < 2^41). *)
From Coq Require Import Reals Lra Lia ZArith.
From Flocq Require Import Core.
From Shufbound Require Import Rounding RoundingSum RoundingStep.
Open Scope R_scope.

(* Large enough to be normal: within 2^-50 of the working range. *)
Lemma normal_large x : smallest <= 2 ^ 50 * Rabs x -> normal x.
Proof. intros H. right. pose proof least_normal_small. lra. Qed.

Lemma fl_shrinks x : normal x -> 0.999 * Rabs x <= Rabs (fl x).
Proof.
  intros N. apply fl_normal, roundings_lower in N.
  assert (E : 0.999 <= exp (- (1 * roundoff))).
  { pose proof (exp_ge (- (1 * roundoff))). unfold roundoff in *. lra. }
  eapply Rle_trans; [|exact N]. rewrite Rmult_comm. apply Rmult_le_compat_l; [apply Rabs_pos|exact E].
Qed.

Lemma guard_normal x : smallest <= fl x -> normal x /\ 0.999 * smallest <= x.
Proof.
  intros G. pose proof least_normal_small as L. pose proof smallest_pos as S.
  assert (P : 0 < x).
  { destruct (Rlt_or_le 0 x) as [H|H]; [exact H|]. apply fl_le in H. rewrite fl_0 in H. lra. }
  assert (N : normal x).
  { right. rewrite Rabs_pos_eq by lra.
    destruct (Rle_or_lt least_normal x) as [H|H]; [exact H|].
    assert (fl x <= fl least_normal) by (apply fl_le; lra).
    rewrite (fl_double least_normal) in H0 by (apply double_bpow; lia). pose proof least_normal_pos. lra. }
  split; [exact N|].
  apply fl_normal, roundings_upper in N.
  rewrite !Rabs_pos_eq in N by lra.
  assert (E : exp (1 * roundoff) <= 1.0001) by (apply exp_count; lra). nra.
Qed.

(* What a guard gives: products of at least a quarter of SMALLEST. A step to
   t-1 keeps that much when t-1 is at least (c+1-(t-1))/2. *)
Definition in_range (U W p : R) : Prop :=
  0 < U /\ 0 <= W /\ smallest <= 4 * p /\ smallest <= 4 * (U * p) /\ (W = 0 \/ smallest <= 4 * (W * p)).

Lemma fl_integer_product z x : (z = 0 \/ 1 <= Rabs z) -> smallest <= 2 ^ 50 * Rabs x ->
  normal (z * x) /\ (fl (z * x) = 0 \/ 0.999 * Rabs x <= Rabs (fl (z * x))).
Proof.
  intros [->|Z] X.
  - rewrite Rmult_0_l, fl_0. split; [now left|now left].
  - assert (H : Rabs x <= Rabs (z * x)).
    { rewrite Rabs_mult. pose proof (Rabs_pos x). nra. }
    assert (N : normal (z * x)) by (apply normal_large; lra).
    split; [exact N|right]. pose proof (fl_shrinks _ N). lra.
Qed.

Lemma integer_abs z : z = 0%Z \/ 1 <= Rabs (IZR z).
Proof.
  destruct (Z.eq_dec z 0) as [H|H]; [now left|right].
  rewrite <- abs_IZR. apply IZR_le. lia.
Qed.

Section Range.
  Variables U W : R.
  Variables c t : Z.
  Variable p : R.
  Hypothesis R0 : in_range U W p.

  Let cr := IZR c.
  Let tr := IZR t.

  (* p / q for an integer q, 1 <= q <= 2^42 *)
  Lemma share_range q : 1 <= q <= 2 ^ 42 ->
    normal (p / q) /\ 0 < fl (p / q) /\ 0.999 * p <= 2 ^ 42 * fl (p / q) /\ 0.999 * p / q <= fl (p / q).
  Proof.
    intros Q. destruct R0 as (U0 & W0 & P & _). pose proof smallest_pos.
    assert (D : 0 < / q <= 1).
    { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le; lra. }
    assert (X : 0 < p / q) by (apply Rdiv_lt_0_compat; lra).
    assert (Y : p <= 2 ^ 42 * (p / q)).
    { replace p with (q * (p / q)) at 1 by (field; lra). apply Rmult_le_compat_r; lra. }
    assert (N : normal (p / q)).
    { apply normal_large. rewrite Rabs_pos_eq by lra. lra. }
    pose proof (fl_shrinks _ N) as F.
    assert (F0 : 0 <= fl (p / q)) by (apply fl_nonneg; lra).
    rewrite !Rabs_pos_eq in F by lra.
    repeat split; auto; lra.
  Qed.

  Lemma scaled_range a x : 0 < a -> smallest <= 4 * (a * p) -> 0.99 * p <= 2 ^ 42 * Rabs x -> normal (a * x).
  Proof.
    intros A H X. apply normal_large. rewrite Rabs_mult, (Rabs_pos_eq a) by lra.
    assert (a * (0.99 * p) <= a * (2 ^ 42 * Rabs x)) by (apply Rmult_le_compat_l; lra).
    pose proof smallest_pos. assert (0 < a * p) by lra.
    assert (0 <= a * Rabs x) by (apply Rmult_le_pos; [lra|apply Rabs_pos]). lra.
  Qed.

  Lemma product_range z x : (z = 0 \/ 1 <= Rabs z) -> 0.999 * p <= 2 ^ 42 * x -> 0 < x ->
    normal (z * x) /\ normal (U * fl (z * x)).
  Proof.
    intros Z X X0. destruct R0 as (U0 & W0 & P & UP & _). pose proof smallest_pos.
    destruct (fl_integer_product z x Z) as [N [E|E]].
    - rewrite Rabs_pos_eq by lra. lra.
    - split; [exact N|]. rewrite E, Rmult_0_r. now left.
    - split; [exact N|]. apply scaled_range; auto.
      rewrite (Rabs_pos_eq x) in E by lra. lra.
  Qed.

  Lemma lower_is_safe : (2 <= t <= c + 1)%Z -> (c <= 2 ^ 41)%Z -> lower_safe U W cr tr p.
  Proof.
    intros T C. pose proof R0 as (U0 & W0 & P & UP & WP). pose proof smallest_pos.
    assert (Q : 1 <= cr - tr + 2 <= 2 ^ 42).
    { unfold cr, tr. replace (IZR c - IZR t + 2) with (IZR (c - t + 2)) by (rewrite plus_IZR, minus_IZR; reflexivity).
      rewrite pow_IZR. split; apply IZR_le; cbn; lia. }
    destruct (share_range _ Q) as (N & F0 & F & _). fold (lower_share cr tr p) in F0, F.
    assert (Z : 2 * tr - 3 - cr = 0 \/ 1 <= Rabs (2 * tr - 3 - cr)).
    { unfold cr, tr. replace (2 * IZR t - 3 - IZR c) with (IZR (2 * t - 3 - c))
        by (rewrite !minus_IZR, mult_IZR; reflexivity).
      destruct (integer_abs (2 * t - 3 - c)) as [-> |]; auto. }
    destruct (product_range _ _ Z F F0) as [A B].
    repeat split; auto.
    - destruct WP as [->|WP]; [left; ring|]. apply normal_large. rewrite Rabs_pos_eq; lra.
    - apply normal_large. assert (1 <= tr - 1).
      { unfold tr. replace (IZR t - 1) with (IZR (t - 1)) by (rewrite minus_IZR; reflexivity). apply IZR_le. lia. }
      rewrite Rabs_pos_eq by (apply Rmult_le_pos; lra). nra.
  Qed.

  Lemma fall_is_safe : (1 <= t <= c)%Z -> (c <= 2 ^ 41)%Z -> fall_safe U W cr tr p.
  Proof.
    intros T C. pose proof R0 as (U0 & W0 & P & UP & WP). pose proof smallest_pos.
    assert (Q : 1 <= cr <= 2 ^ 42).
    { unfold cr. rewrite pow_IZR. split; apply IZR_le; cbn; lia. }
    destruct (share_range _ Q) as (N & F0 & F & _). fold (fall_share cr p) in F0, F.
    assert (Z : 2 * tr - 2 - cr = 0 \/ 1 <= Rabs (2 * tr - 2 - cr)).
    { unfold cr, tr. replace (2 * IZR t - 2 - IZR c) with (IZR (2 * t - 2 - c))
        by (rewrite !minus_IZR, mult_IZR; reflexivity).
      destruct (integer_abs (2 * t - 2 - c)) as [-> |]; auto. }
    destruct (product_range _ _ Z F F0) as [A B].
    assert (K : 1 <= cr + 1 - tr).
    { unfold cr, tr. replace (IZR c + 1 - IZR t) with (IZR (c + 1 - t)) by (rewrite minus_IZR, plus_IZR; reflexivity).
      apply IZR_le. lia. }
    assert (KS : 2 * fall_share cr p <= 2 * (cr + 1 - tr) * fall_share cr p) by nra.
    assert (N2 : normal (2 * (cr + 1 - tr) * fall_share cr p)).
    { apply normal_large. rewrite Rabs_pos_eq by lra. lra. }
    pose proof (fl_shrinks _ N2) as F2. fold (fall_pmf cr tr p) in F2.
    assert (P2 : 0 <= fall_pmf cr tr p) by (apply fl_nonneg; lra).
    rewrite !Rabs_pos_eq in F2 by lra.
    assert (N3 : normal (fall_pmf cr tr p / 2)).
    { apply normal_large. rewrite Rabs_pos_eq by lra. lra. }
    pose proof (fl_shrinks _ N3) as F3.
    rewrite (Rabs_pos_eq (fall_pmf cr tr p / 2)) in F3 by lra.
    repeat split; auto.
    destruct WP as [->|WP]; [left; ring|].
    destruct (Req_dec W 0) as [->|W1]; [left; ring|].
    apply scaled_range; [lra|exact WP|]. lra.
  Qed.

  Lemma other_is_safe : (1 <= t <= c)%Z -> (c <= 2 ^ 41)%Z -> double U -> double W ->
    other_safe U W 1 cr tr p.
  Proof.
    intros T C DU DW. pose proof R0 as (U0 & W0 & P & UP & WP). pose proof smallest_pos.
    assert (T1 : 1 <= tr <= 2 ^ 41).
    { unfold tr. rewrite pow_IZR. split; apply IZR_le; cbn; lia. }
    assert (K : 1 <= cr + 1 - tr).
    { unfold cr, tr. replace (IZR c + 1 - IZR t) with (IZR (c + 1 - t)) by (rewrite minus_IZR, plus_IZR; reflexivity).
      apply IZR_le. lia. }
    assert (S1 : smallest <= 1).
    { unfold smallest. rewrite <- (fl_double 1) by (apply (double_IZR 1); lia). apply fl_le.
      rewrite <- Rinv_1. apply Rinv_le; [lra|]. apply IZR_le. now vm_compute. }
    assert (N1 : normal ((cr + 1 - tr) * 1)).
    { apply normal_large. rewrite Rabs_pos_eq; lra. }
    assert (E1 : fl ((cr + 1 - tr) * 1) = cr + 1 - tr).
    { rewrite Rmult_1_r. unfold cr, tr. replace (IZR c + 1 - IZR t) with (IZR (c + 1 - t)) by (rewrite minus_IZR, plus_IZR; reflexivity).
      apply fl_double, double_IZR. lia. }
    assert (D : / 2 ^ 41 <= (cr + 1 - tr) / tr).
    { apply Rle_trans with (1 / tr).
      - unfold Rdiv. rewrite Rmult_1_l. apply Rinv_le; lra.
      - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|lra]. }
    assert (N2 : normal (fl ((cr + 1 - tr) * 1) / tr)).
    { rewrite E1. apply normal_large. rewrite Rabs_pos_eq by lra. lra. }
    pose proof (fl_shrinks _ N2) as F2. fold (other_ratio 1 cr tr) in F2.
    assert (r0 : 0 <= other_ratio 1 cr tr) by (apply fl_nonneg; rewrite E1; lra).
    rewrite E1, !Rabs_pos_eq in F2 by lra.
    assert (PR : 0.999 * p <= 2 ^ 41 * (p * other_ratio 1 cr tr)).
    { assert (0.999 * / 2 ^ 41 <= other_ratio 1 cr tr) by lra.
      assert (p * (0.999 * / 2 ^ 41) <= p * other_ratio 1 cr tr) by (apply Rmult_le_compat_l; lra). lra. }
    assert (N3 : normal (p * other_ratio 1 cr tr)).
    { apply normal_large. rewrite Rabs_pos_eq by lra. lra. }
    pose proof (fl_shrinks _ N3) as F3. rewrite (Rabs_pos_eq (p * _)) in F3 by lra.
    assert (N4 : normal (U * p)).
    { apply normal_large. rewrite Rabs_pos_eq; lra. }
    repeat split; auto.
    assert (UW : U <= fl (U + W)).
    { rewrite <- (fl_double U DU) at 1. apply fl_le. lra. }
    apply scaled_range.
    - lra.
    - assert (U * p <= fl (U + W) * p) by (apply Rmult_le_compat_r; lra). lra.
    - lra.
  Qed.
End Range.
