(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* The masses of the strata left out, as sum_strata in src/fast/fast.c computes
   them: ../fast.md, Lemma 6. With
     ratio = (others - c) / (odds * (c + 1)) * (1 + 8 * ROUNDOFF)   above,
     ratio = c * odds / (others + 1 - c) * (1 + 8 * ROUNDOFF)       below,
   and ratio < 1, the computed mass * ratio / (1 - ratio) is at least 0.995 of the
   probability beyond c in the units of mass, which the factor 1.01 of the code
   makes up for. Assumed: that the two results do not underflow. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core.
From Shufbound Require Import Sum Hockey Trinomial Binomial Rounding RoundingSum RoundingStep RoundingRange RoundingSeries.
Open Scope R_scope.

(* mass * ratio / (1 - ratio) *)
Definition geometric (m x : R) : R := fl (fl (m * x) / fl (1 - x)).

(* The enlarged ratio is not below the true one. *)
Lemma enlarged q x : 0 <= q -> roundings 5 q x -> normal (x * (1 + 8 * roundoff)) -> q <= fl (x * (1 + 8 * roundoff)).
Proof.
  intros Q R1 N. pose proof (roundings_nonneg _ _ _ R1 Q) as X. pose proof roundoff_pos as e0.
  assert (Y0 : 0 <= x * (1 + 8 * roundoff)) by (apply Rmult_le_pos; lra).
  assert (R2 : roundings 6 (q * (1 + 8 * roundoff)) (fl (x * (1 + 8 * roundoff)))).
  { apply (roundings_more (5 + 0 + 1)); [lra|]. eapply roundings_trans; [|now apply fl_normal].
    apply roundings_mult; [exact R1|apply roundings_refl]. }
  apply roundings_bounds in R2; [|apply Rmult_le_pos; lra].
  pose proof (exp_ge (- (6 * roundoff))) as E.
  assert (q * (1 + 8 * roundoff) * (1 - 6 * roundoff) <= q * (1 + 8 * roundoff) * exp (- (6 * roundoff))).
  { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]. }
  assert (0 <= q * (2 * roundoff - 48 * (roundoff * roundoff))).
  { apply Rmult_le_pos; [exact Q|]. unfold roundoff. lra. }
  lra.
Qed.

Theorem geometric_bound k M m q x : 0 <= M -> roundings k M m -> k <= 2 ^ 44 -> 0 <= q <= x -> x < 1 -> double x ->
  normal (m * x) -> normal (fl (m * x) / fl (1 - x)) ->
  0.995 * (M * (q / (1 - q))) <= geometric m x.
Proof.
  intros M0 R1 K Q X Dx N1 N2. pose proof (roundings_k _ _ _ R1) as K0. pose proof roundoff_pos as e0.
  pose proof (roundings_nonneg _ _ _ R1 M0) as m0.
  assert (RD : roundings 1 (1 - x) (fl (1 - x))) by (apply fl_minus; [apply (double_IZR 1); lia|exact Dx]).
  assert (R2 : roundings (k + 3) (M * x / (1 - x)) (geometric m x)).
  { unfold geometric. apply (roundings_more (k + 0 + 1 + 1 + 1)); [lra|]. eapply roundings_trans; [|now apply fl_normal].
    apply roundings_div; [|exact RD]. eapply roundings_trans; [|now apply fl_normal].
    apply roundings_mult; [exact R1|apply roundings_refl]. }
  assert (I : / (1 - q) <= / (1 - x)) by (apply Rinv_le; lra).
  assert (I0 : 0 < / (1 - q)) by (apply Rinv_0_lt_compat; lra).
  assert (A : q / (1 - q) <= x / (1 - x)) by (apply Rmult_le_compat; lra).
  assert (A0 : 0 <= q / (1 - q)) by (apply Rmult_le_pos; lra).
  assert (B : M * (q / (1 - q)) <= M * x / (1 - x)).
  { unfold Rdiv in *. rewrite Rmult_assoc. now apply Rmult_le_compat_l. }
  assert (B0 : 0 <= M * (q / (1 - q))) by (apply Rmult_le_pos; lra).
  apply roundings_bounds in R2; [|lra].
  pose proof (exp_ge (- ((k + 3) * roundoff))) as E.
  assert (E2 : 0.995 <= exp (- ((k + 3) * roundoff))) by (unfold roundoff in *; lra).
  assert (M * x / (1 - x) * 0.995 <= M * x / (1 - x) * exp (- ((k + 3) * roundoff))) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

Section Strata.
  Variables (s : R) (N c : nat) (Odds unit m k : R).
  Hypothesis s_range : 0 < s < 1.
  Hypothesis c_range : (c <= N)%nat.
  Hypothesis Odds_rounded : roundings 1.02 ((1 - s) / s) Odds.
  Hypothesis unit_pos : 0 <= unit.
  Hypothesis mass_rounded : roundings k (unit * bin s N c) m.
  Hypothesis k_range : k <= 2 ^ 44.

  Definition ratio_above : R := fl (fl (INR (N - c) / fl (Odds * INR (S c))) * (1 + 8 * roundoff)).
  Definition ratio_below : R := fl (fl (fl (INR c * Odds) / INR (S N - c)) * (1 + 8 * roundoff)).

  (* Pr[C > c] in the units of mass. *)
  Theorem strata_above :
    normal (Odds * INR (S c)) -> normal (INR (N - c) / fl (Odds * INR (S c))) ->
    normal (fl (INR (N - c) / fl (Odds * INR (S c))) * (1 + 8 * roundoff)) ->
    normal (m * ratio_above) -> normal (fl (m * ratio_above) / fl (1 - ratio_above)) -> ratio_above < 1 ->
    0.995 * (unit * tail s N (S c)) <= geometric m ratio_above.
  Proof.
    intros H1 H2 H3 H4 H5 L.
    assert (C1 : 0 < INR (S c)) by (apply lt_0_INR; lia). pose proof (pos_INR (N - c)) as NC.
    assert (o0 : 0 < (1 - s) / s) by (apply Rdiv_lt_0_compat; lra).
    set (q := INR (N - c) / ((1 - s) / s * INR (S c))).
    assert (q0 : 0 <= q).
    { apply Rmult_le_pos; [exact NC|left; apply Rinv_0_lt_compat; apply Rmult_lt_0_compat; lra]. }
    assert (Rq : roundings 5 q (fl (INR (N - c) / fl (Odds * INR (S c))))).
    { apply (roundings_more (0 + (1.02 + 0 + 1) + 1)); [lra|]. eapply roundings_trans; [|now apply fl_normal].
      apply roundings_div; [apply roundings_refl|]. eapply roundings_trans; [|now apply fl_normal].
      apply roundings_mult; [exact Odds_rounded|apply roundings_refl]. }
    pose proof (enlarged q _ q0 Rq H3) as QX. fold ratio_above in QX.
    assert (B0 : 0 <= bin s N c) by (apply bin_nonneg; lra).
    assert (T : tail s N (S c) <= bin s N c * (q / (1 - q))).
    { pose proof (tail_ratio s N c q ltac:(lra) ltac:(lra)) as T. rewrite tail_step in T.
      assert (E : INR (N - c) * s <= q * (INR (S c) * (1 - s))) by (right; unfold q; field; lra).
      specialize (T E). replace (bin s N c * (q / (1 - q))) with (bin s N c / (1 - q) - bin s N c) by (field; lra). lra. }
    eapply Rle_trans; [|apply (geometric_bound k (unit * bin s N c) m q ratio_above); auto; try lra].
    - apply Rmult_le_compat_l; [lra|]. rewrite Rmult_assoc. now apply Rmult_le_compat_l.
    - now apply Rmult_le_pos.
    - apply double_fl.
  Qed.

  (* Pr[C < c] in the units of mass. *)
  Theorem strata_below :
    normal (INR c * Odds) -> normal (fl (INR c * Odds) / INR (S N - c)) ->
    normal (fl (fl (INR c * Odds) / INR (S N - c)) * (1 + 8 * roundoff)) ->
    normal (m * ratio_below) -> normal (fl (m * ratio_below) / fl (1 - ratio_below)) -> ratio_below < 1 ->
    0.995 * (unit * head s N c) <= geometric m ratio_below.
  Proof.
    intros H1 H2 H3 H4 H5 L.
    assert (C1 : 0 < INR (S N - c)) by (apply lt_0_INR; lia). pose proof (pos_INR c) as C0.
    assert (o0 : 0 < (1 - s) / s) by (apply Rdiv_lt_0_compat; lra).
    set (q := INR c * ((1 - s) / s) / INR (S N - c)).
    assert (q0 : 0 <= q).
    { apply Rmult_le_pos; [apply Rmult_le_pos; lra|left; now apply Rinv_0_lt_compat]. }
    assert (Rq : roundings 5 q (fl (fl (INR c * Odds) / INR (S N - c)))).
    { apply (roundings_more (1.02 + 1 + 0 + 1)); [lra|]. eapply roundings_trans; [|now apply fl_normal].
      apply roundings_div; [|apply roundings_refl]. eapply roundings_trans; [|now apply fl_normal].
      now apply roundings_scale. }
    pose proof (enlarged q _ q0 Rq H3) as QX. fold ratio_below in QX.
    assert (B0 : 0 <= bin s N c) by (apply bin_nonneg; lra).
    assert (T : head s N c <= bin s N c * (q / (1 - q))).
    { pose proof (head_ratio s N c q ltac:(lra) c_range ltac:(lra)) as T. rewrite head_step in T.
      assert (E : INR c * (1 - s) <= q * (INR (S N - c) * s)) by (right; unfold q; field; lra).
      specialize (T E). replace (bin s N c * (q / (1 - q))) with (bin s N c / (1 - q) - bin s N c) by (field; lra). lra. }
    eapply Rle_trans; [|apply (geometric_bound k (unit * bin s N c) m q ratio_below); auto; try lra].
    - apply Rmult_le_compat_l; [lra|]. rewrite Rmult_assoc. now apply Rmult_le_compat_l.
    - now apply Rmult_le_pos.
    - apply double_fl.
  Qed.
End Strata.
