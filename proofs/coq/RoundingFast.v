(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* The double-precision sum over strata, put together (sum_strata in
   src/fast/fast.c, ../fast.md, Lemmas 1, 2, 3 and 5, rho = 1/2): with thresholds
   from the fixed-point recurrence and every operation rounded, the computed
   total is within the computed r->error of
     sum over the strata walked of Pr[C = c] V(c),
   V(c) the sum of the positive parts of u Pr[X = a-1] - (u+w) Pr[X = a],
   X ~ Bin(c, 1/2), in the units of the code (powers of two). *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core.
From Shufbound Require Import Sum Rounding RoundingSum RoundingStep RoundingBinomial RoundingRange
  RoundingLoop RoundingThreshold.
Import ListNotations.
Open Scope R_scope.

Section Fast.
  Variables (start step : Z) (last : nat).

  (* f of the code at stratum c: f -= NEAR at the start, f -= step a stratum *)
  Definition fixed_at (c : nat) : Z := (start - near - (Z.of_nat last - Z.of_nat c) * step)%Z.
  Definition threshold_at (c : nat) : nat := Z.to_nat (candidate (fixed_at c)).
  Definition another_at (c : nat) : bool := another (fixed_at c).

  Variables u w : R.
  Hypothesis u_pos : 0 < u.
  Hypothesis w_pos : 0 <= w.
  Hypothesis start_near : Rabs (IZR start - slope u w * (INR last + 1) * 2 ^ 64) <= 2 ^ 34 + 1.
  Hypothesis step_near : Rabs (IZR step - slope u w * 2 ^ 64) <= 2.
  Hypothesis step_range : (0 <= step <= 2 ^ 64)%Z.

  Lemma threshold_IZR c : INR (threshold_at c) = IZR (candidate (fixed_at c)).
  Proof.
    unfold threshold_at. rewrite INR_IZR_INZ, Z2Nat.id; [reflexivity|]. unfold candidate. lia.
  Qed.

  Lemma threshold_error c : (c <= last)%nat -> (Z.of_nat (last - c) < 2 ^ 38)%Z ->
    let T := slope u w * (INR c + 1) * 2 ^ 64 in
    IZR (fixed_at c) < T < IZR (fixed_at c) + IZR (2 * near) /\ 0 < T.
  Proof.
    intros C B T. pose proof (slope_range u w u_pos w_pos) as S0. pose proof (pos_INR c) as C0.
    set (n := (Z.of_nat last - Z.of_nat c)%Z).
    assert (N : (0 <= n < 2 ^ 38)%Z) by (unfold n; lia).
    pose proof (fixed_point_error start step n _ (slope u w * 2 ^ 64) start_near step_near N) as E. cbn zeta in E.
    fold (fixed_at c) in E.
    assert (I : IZR n = INR last - INR c) by (unfold n; rewrite minus_IZR, <- !INR_IZR_INZ; reflexivity).
    rewrite I in E.
    replace (slope u w * (INR last + 1) * 2 ^ 64 - (INR last - INR c) * (slope u w * 2 ^ 64)) with T in E by (unfold T; ring).
    split; [exact E|]. unfold T. apply Rmult_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; lra.
  Qed.

  (* ../fast.md, Lemma 1: one of the candidates is the ceiling of t*. *)
  Theorem thresholds_sound c : (c <= last)%nat -> (Z.of_nat (last - c) < 2 ^ 38)%Z ->
    INR (threshold_at c) - 1 < slope u w * (INR c + 1) <= INR (threshold_at c) \/
    (another_at c = true /\ INR (threshold_at c) < slope u w * (INR c + 1) <= INR (threshold_at c) + 1).
  Proof.
    intros C B. destruct (threshold_error c C B) as [E P].
    pose proof (candidates_sound _ _ E P) as H. rewrite threshold_IZR.
    replace (slope u w * (INR c + 1) * 2 ^ 64 / 2 ^ 64) with (slope u w * (INR c + 1)) in H by (field; lra).
    exact H.
  Qed.

  (* Thresholds lie between (c+1)/2 and c+1 ... *)
  Lemma thresholds_ok c : (c <= last)%nat -> (Z.of_nat (last - c) < 2 ^ 38)%Z -> threshold_ok threshold_at c.
  Proof.
    intros C B. pose proof (slope_range u w u_pos w_pos) as S0. pose proof (pos_INR c) as C0.
    destruct (threshold_error c C B) as [E P]. pose proof (thresholds_sound c C B) as H.
    assert (T1 : (1 <= threshold_at c)%nat) by (unfold threshold_at, candidate; lia).
    assert (LT : slope u w * (INR c + 1) < 1 * (INR c + 1)) by (apply Rmult_lt_compat_r; lra).
    assert (GE : 1 / 2 * (INR c + 1) <= slope u w * (INR c + 1)) by (apply Rmult_le_compat_r; lra).
    split; [split; [exact T1|]|].
    - apply INR_le. rewrite plus_INR. cbn [INR].
      assert (K : INR (threshold_at c) < INR (c + 2)) by (rewrite plus_INR; cbn [INR]; lra).
      apply INR_lt in K. assert (K' : (threshold_at c <= c + 1)%nat) by lia.
      apply le_INR in K'. rewrite plus_INR in K'. cbn [INR] in K'. exact K'.
    - assert (K : IZR (Z.of_nat (c + 1)) - 1 < IZR (2 * Z.of_nat (threshold_at c))).
      { rewrite mult_IZR, <- !INR_IZR_INZ, plus_INR. cbn [INR].
        destruct H as [H|[A H]]; [lra|].
        (* within 2^-23 of t* from below *)
        change (IZR (2 * near)) with 2199023255552 in E.
        assert (F : IZR (fixed_at c) <= INR (threshold_at c) * 18446744073709551616).
        { rewrite threshold_IZR. change 18446744073709551616 with (IZR (2 ^ 64)). rewrite <- mult_IZR. apply IZR_le.
          unfold candidate, ceiling.
          pose proof (Z.div_mod (- fixed_at c) (2 ^ 64) ltac:(lia)).
          pose proof (Z.mod_pos_bound (- fixed_at c) (2 ^ 64) ltac:(lia)). lia. }
        lra. }
      rewrite <- minus_IZR in K. apply lt_IZR in K. lia.
  Qed.

  (* ... and fall by at most one a stratum. *)
  Lemma thresholds_falling c : thresholds_fall threshold_at c.
  Proof.
    unfold thresholds_fall. destruct c as [|c]; [now left|]. replace (S c - 1)%nat with c by lia.
    unfold threshold_at, candidate, ceiling, fixed_at.
    set (f := (start - near - (Z.of_nat last - Z.of_nat (S c)) * step)%Z).
    replace (start - near - (Z.of_nat last - Z.of_nat c) * step)%Z with (f - step)%Z by (unfold f; lia).
    pose proof (Z.div_mod (- f) (2 ^ 64) ltac:(lia)). pose proof (Z.mod_pos_bound (- f) (2 ^ 64) ltac:(lia)).
    pose proof (Z.div_mod (- (f - step)) (2 ^ 64) ltac:(lia)). pose proof (Z.mod_pos_bound (- (f - step)) (2 ^ 64) ltac:(lia)).
    lia.
  Qed.

  (* The pair and the constants as in RoundingLoop.v. *)
  Variables (s : R) (N : nat) (U W Odds mass_unit pmf_unit : R).
  Hypothesis s_range : 0 < s < 1.
  Hypothesis U_double : double U.
  Hypothesis W_double : double W.
  Hypothesis U_rounded : roundings 1.02 u U.
  Hypothesis W_rounded : roundings 1.02 w W.
  Hypothesis Odds_rounded : roundings 1.02 ((1 - s) / s) Odds.
  Hypothesis Odds_range : bpow radix2 (-960) <= Odds.
  Hypothesis pmf_unit_pos : 0 < pmf_unit.

  (* sum_strata: m strata from `last` down, with the guards of the code. *)
  Theorem fast_sum_of_rows m x :
    let entries := strata u w s N U W Odds threshold_at another_at mass_unit pmf_unit m last x in
    tracked 1.02 0 (pmf_at pmf_unit last (threshold_at last)) (value_at u w pmf_unit last (threshold_at last))
      (s_pmf x) (s_value x) (s_met x) ->
    roundings 1.02 (mass_at s N mass_unit last) (s_mass x) -> s_count x = 4%nat ->
    guarded N U W Odds threshold_at m last x ->
    (m <= last + 1)%nat -> (last <= N)%nat -> (Z.of_nat N <= 2 ^ 41)%Z -> (Z.of_nat m <= 2 ^ 38)%Z ->
    smallest <= total entries ->
    Rabs (total entries - mass_unit * pmf_unit * sum (seq 0 m) (fun i => bin s N (last - i) * row u w (last - i)))
      <= ledger_error entries.
  Proof.
    intros entries T M CNT G ML LN NB MB S.
    rewrite <- sum_scal.
    rewrite (sum_ext _ _ (fun i => mass_at s N mass_unit (last - i)
                                   * row_at u w threshold_at another_at pmf_unit (last - i))).
    - apply fast_sum; auto. intros i I. split; [apply thresholds_ok; lia|apply thresholds_falling].
    - intros i I. apply in_seq in I. set (c := (last - i)%nat).
      assert (C : (c <= last)%nat /\ (Z.of_nat (last - c) < 2 ^ 38)%Z) by (unfold c; lia).
      destruct C as [C B]. destruct (thresholds_ok c C B) as [TK _].
      pose proof (row_by_candidates u w u_pos w_pos c (threshold_at c) (another_at c) TK (thresholds_sound c C B)) as RC.
      unfold row_at, mass_at, value_at, pair_of.
      rewrite <- RC. rewrite <- (Rmult_0_r pmf_unit) at 2.
      destruct (andb (another_at c) (Nat.leb (threshold_at c) c)); rewrite !RmaxRmult by lra; ring.
  Qed.
End Fast.
