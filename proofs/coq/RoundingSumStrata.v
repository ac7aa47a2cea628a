(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* sum_strata of src/fast/fast.c for rho = 1/2 from beginning to end: the
   starting value by value_series, the loop down the strata, and r->error.
   Everything assumed is a constant converted by constant(), a guard the code
   checks, or a limit on counts; see the comments at the hypotheses. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core.
From Shufbound Require Import Sum Hockey Rounding RoundingSum RoundingStep RoundingBinomial RoundingRange
  RoundingLoop RoundingSeries RoundingStart RoundingStartValue RoundingThreshold RoundingFast.
Import ListNotations.
Open Scope R_scope.

Section SumStrata.
  (* The pair: u = w0 - alpha w1 > 0 and w = (w0+w1)(alpha-1) >= 0, C ~ Bin(N, s), N <= 2^40. *)
  Variables (u w s : R) (N last : nat).
  Hypothesis u_pos : 0 < u.
  Hypothesis w_pos : 0 <= w.
  Hypothesis s_range : 0 < s < 1.
  Hypothesis counts : (last <= N)%nat /\ (Z.of_nat N <= 2 ^ 41)%Z.

  (* constant(): doubles within 1.02 roundings, at least 2^-960; W may be 0 (eps = 0). *)
  Variables U W Odds q m0 : R.
  Hypothesis U_constant : double U /\ roundings 1.02 u U /\ bpow radix2 (-960) <= U.
  Hypothesis W_constant : double W /\ roundings 1.02 w W /\ (W = 0 \/ bpow radix2 (-960) <= W).
  Hypothesis Odds_constant : roundings 1.02 ((1 - s) / s) Odds /\ bpow radix2 (-960) <= Odds.

  (* stratum_set_fixed(): t* = slope (last+1) and slope in fixed point. *)
  Variables start step : Z.
  Hypothesis start_near : Rabs (IZR start - slope u w * (INR last + 1) * 2 ^ 64) <= 2 ^ 34 + 1.
  Hypothesis step_near : Rabs (IZR step - slope u w * 2 ^ 64) <= 2.
  Hypothesis step_range : (0 <= step <= 2 ^ 64)%Z.

  Let t := threshold_at start step last last.

  (* pmf and mass of the first stratum, in units that are powers of two. *)
  Variables mass_unit pmf_unit : R.
  Hypothesis pmf_unit_pos : 0 < pmf_unit.
  Hypothesis pmf_constant : double q /\ roundings 1.02 (pmf_unit * bin (1/2) last (t - 1)) q.
  Hypothesis mass_constant : roundings 1.02 (mass_unit * bin s N last) m0.

  (* value_series: the guards, n terms taken. *)
  Variable n : nat.
  Hypothesis pmf_guards : smallest <= q /\ smallest <= fl (U * q).
  Hypothesis n_range : (1 <= n)%nat /\ INR n <= 2 ^ 38 /\ (t + n <= last + 2)%nat.
  Hypothesis series_guards : series_guarded last n t q.
  Hypothesis series_stops : stops u w U W last n t q.

  Definition first : state :=
    {| s_mass := m0; s_pmf := q; s_value := start_value u w U W last n t q;
       s_met := fl (fl (fl 1.01 * start_error u w U W last n t q) / fl (value_factor * roundoff));
       s_count := 4 |}.

  Definition walked (m : nat) : list entry :=
    strata u w s N U W Odds (threshold_at start step last) (another_at start step last) mass_unit pmf_unit m last first.

  (* The computed total is within the computed r->error of the exact sum over
     the m strata walked. *)
  Theorem sum_strata_sound m :
    guarded N U W Odds (threshold_at start step last) m last first ->
    (1 <= m <= last + 1)%nat -> (Z.of_nat m <= 2 ^ 38)%Z -> smallest <= total (walked m) ->
    Rabs (total (walked m) - mass_unit * pmf_unit * sum (seq 0 m) (fun i => bin s N (last - i) * row u w (last - i)))
      <= ledger_error (walked m).
  Proof.
    intros G M MB T. destruct U_constant as (DU & RU & UR). destruct W_constant as (DW & RW & WR).
    destruct Odds_constant as (RO & OR). destruct counts as [LN NB]. destruct pmf_constant as [Dq Rq].
    destruct pmf_guards as [G1 G2]. destruct n_range as (N1 & N2 & N3).
    assert (T0 : (Z.of_nat (last - last) < 2 ^ 38)%Z) by lia.
    destruct (thresholds_ok start step last u w u_pos w_pos start_near step_near last (le_n _) T0) as [[T1 T2] T3].
    fold t in T1, T2, T3.
    apply fast_sum_of_rows; auto; try lia.
    apply (start_tracked u w U W last); auto; try lia.
    (* t is at worst one below the ceiling *)
    pose proof (thresholds_sound start step last u w u_pos w_pos start_near step_near last (le_n _) T0) as TS.
    fold t in TS. unfold ratio. rewrite plus_INR. cbn [INR]. pose proof (pos_INR t) as P0.
    assert (K : (u + w) * (INR last + 1) <= (2 * u + w) * (INR t + 1)).
    { replace ((u + w) * (INR last + 1)) with ((2 * u + w) * (slope u w * (INR last + 1))) by (unfold slope; field; lra).
      apply Rmult_le_compat_l; [lra|]. destruct TS as [TS|[_ TS]]; lra. }
    apply (Rmult_le_reg_r (INR t + 1)); [lra|].
    replace ((u + w) * ((INR last + 1 - (INR t + 1)) / (INR t + 1)) * (INR t + 1))
      with ((u + w) * (INR last + 1) - (u + w) * (INR t + 1)) by (field; lra).
    lra.
  Qed.
End SumStrata.

(* The hypotheses can be met: one other user's stratum, u = 1, w = 0 (eps = 0),
   where the sum is exactly 1. *)
Lemma fl_1 : fl 1 = 1.
Proof. apply fl_double, (double_IZR 1). lia. Qed.

Lemma smallest_below_1 : smallest <= 1.
Proof.
  apply Rle_trans with (fl 1); [|right; apply fl_1]. apply fl_le.
  rewrite <- Rinv_1. apply Rinv_le; [lra|]. apply IZR_le. now vm_compute.
Qed.

Example sum_strata_instance :
  Rabs (total (walked 1 0 (1/2) 0 0 1 0 1 1 1 (2 ^ 63) (2 ^ 63) 1 1 1 1) - 1)
    <= ledger_error (walked 1 0 (1/2) 0 0 1 0 1 1 1 (2 ^ 63) (2 ^ 63) 1 1 1 1).
Proof.
  assert (SL : slope 1 0 = 1 / 2) by (unfold slope; field).
  assert (TH : threshold_at (2 ^ 63) (2 ^ 63) 0 0 = 1%nat) by reflexivity.
  assert (AN : another_at (2 ^ 63) (2 ^ 63) 0 0 = false) by reflexivity.
  assert (D1 : double 1) by (apply (double_IZR 1); lia).
  assert (R1 : forall x, roundings 1.02 x x) by (intros x; apply (roundings_more 0); [lra|apply roundings_refl]).
  assert (B1 : bpow radix2 (-960) <= 1) by (change 1 with (bpow radix2 0); now apply bpow_le).
  pose proof smallest_below_1 as S1.
  assert (Q : fl (1 * 1) = 1) by (rewrite Rmult_1_l; apply fl_1).
  assert (ROW : row 1 0 0 = 1).
  { unfold row, outcome. cbn [seq sum Nat.add bin]. unfold pos, Rmax. repeat destruct (Rle_dec _ _); lra. }
  assert (V : start_value 1 0 1 0 0 1 1 1 = 1).
  { unfold start_value, series_sum, t_term. cbn [series map accumulate fold_left t_pmf t_gain t_cost].
    unfold accumulate. cbn [fold_left]. change (INR 1) with 1. change (INR 0) with 0.
    replace ((2 * 1 - 0 - 1) / 1) with 1 by field. unfold ratio. change (INR 1) with 1. change (INR 0) with 0.
    replace ((0 + 1 - 1) / 1) with 0 by field. rewrite fl_0, Rmult_0_r, fl_1, Q, fl_0, Rminus_0_r, fl_1, Q, Rplus_0_l.
    apply fl_1. }
  assert (TOT : total (walked 1 0 (1/2) 0 0 1 0 1 1 1 (2 ^ 63) (2 ^ 63) 1 1 1 1) = 1).
  { unfold walked, total, term. cbn [strata map accumulate fold_left entry_of mass best first s_mass s_value].
    unfold accumulate. cbn [fold_left]. unfold pair_of. rewrite AN. cbn [andb]. rewrite TH, V.
    rewrite Rmax_right by lra. now rewrite Q, Rplus_0_l, fl_1. }
  pose proof (sum_strata_sound 1 0 (1/2) 0 0 ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lia) 1 0 1 1 1) as H.
  specialize (H ltac:(auto) ltac:(repeat split; auto using double_0)).
  specialize (H ltac:(split; [replace ((1 - 1/2) / (1/2)) with 1 by field; auto|exact B1])).
  specialize (H (2 ^ 63)%Z (2 ^ 63)%Z).
  rewrite SL in H. change (INR 0) with 0 in H. change (IZR (2 ^ 63)) with 9223372036854775808 in H.
  assert (Z0 : Rabs (9223372036854775808 - 1 / 2 * (0 + 1) * 2 ^ 64) <= 2 ^ 34 + 1).
  { replace (9223372036854775808 - 1 / 2 * (0 + 1) * 2 ^ 64) with 0 by lra. rewrite Rabs_R0. lra. }
  assert (Z1 : Rabs (9223372036854775808 - 1 / 2 * 2 ^ 64) <= 2).
  { replace (9223372036854775808 - 1 / 2 * 2 ^ 64) with 0 by lra. rewrite Rabs_R0. lra. }
  specialize (H Z0 Z1 ltac:(lia) 1 1 ltac:(lra)).
  rewrite TH in H. cbn [Nat.sub bin] in H. rewrite Rmult_1_r in H.
  specialize (H ltac:(auto) (R1 1) 1%nat ltac:(rewrite ?Q, ?fl_1; lra)).
  specialize (H ltac:(repeat split; try lia; change (INR 1) with 1; lra)).
  specialize (H ltac:(cbn; split; [now left|exact I]) ltac:(left; reflexivity) 1%nat).
  rewrite TOT in *. cbn [sum seq Nat.sub bin] in H. rewrite ROW in H.
  replace (1 * (1 * 1 + 0)) with 1 in H by ring.
  apply H; try lia; auto.
  cbn [guarded]. split; [|exact I]. unfold guard. cbn [s_mass s_pmf first]. rewrite Q. repeat split; auto.
Qed.
