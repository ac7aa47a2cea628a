(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* Thresholds of the double-precision path: ../fast.md, Lemma 1, and why they
   give the whole row (../trinomial-pair.md). For rho = 1/2 the outcome with
   a ones of a stratum c contributes
     x_a = u Pr[X = a-1] - (u+w) Pr[X = a],  X ~ Bin(c, 1/2),
   positive from t* = slope (c+1) on, slope = (u+w)/(2u+w). Hence the row, the
   sum of the positive parts, is V_t(c) at t = ceil(t star).
   threshold() in src/fast/fast.c keeps t* in fixed point with 64 fractional
   bits and names one or two candidates for the ceiling. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core.
From Shufbound Require Import Sum Hockey RoundingBinomial RoundingSeries.
Import ListNotations.
Open Scope R_scope.

Section Row.
  Variables u w : R.
  Hypothesis u_pos : 0 < u.
  Hypothesis w_pos : 0 <= w.

  (* The contribution of the outcome a of stratum c, and the row. *)
  Definition outcome (c a : nat) : R :=
    u * (match a with O => 0 | S a => bin (1/2) c a end) - (u + w) * bin (1/2) c a.
  Definition row (c : nat) : R := sum (seq 0 (c + 2)) (fun a => pos (outcome c a)).

  Definition slope : R := (u + w) / (2 * u + w).

  Lemma slope_range : 1 / 2 <= slope < 1.
  Proof.
    unfold slope. split.
    - apply (Rmult_le_reg_r (2 * u + w)); [lra|]. replace ((u + w) / (2 * u + w) * (2 * u + w)) with (u + w) by (field; lra). lra.
    - apply (Rmult_lt_reg_r (2 * u + w)); [lra|]. replace ((u + w) / (2 * u + w) * (2 * u + w)) with (u + w) by (field; lra). lra.
  Qed.

  (* An outcome is positive exactly from the threshold on. *)
  Lemma outcome_sign c a : (a <= c + 1)%nat ->
    (slope * (INR c + 1) <= INR a -> 0 <= outcome c a) /\ (INR a <= slope * (INR c + 1) -> outcome c a <= 0).
  Proof.
    intros A. pose proof slope_range as S0. pose proof (pos_INR c) as C0.
    assert (BP : forall k, 0 <= bin (1/2) c k).
    { intros k. destruct (le_lt_dec k c); [left; apply bin_pos; [lra|lia]|rewrite bin_zero by lia; lra]. }
    destruct a as [|a]; cbn [outcome].
    - unfold outcome. specialize (BP O). split.
      + intros H. change (INR 0) with 0 in H. assert (1 / 2 * (INR c + 1) <= slope * (INR c + 1)) by (apply Rmult_le_compat_r; lra). lra.
      + intros _. assert (0 <= (u + w) * bin (1/2) c 0) by (apply Rmult_le_pos; lra). lra.
    - unfold outcome. pose proof (bin_ratio (1/2) c a) as R1. pose proof (BP a) as Pa.
      assert (T : INR (S a) * outcome c (S a) = bin (1/2) c a * (INR (S a) * (2 * u + w) - (u + w) * (INR c + 1))).
      { unfold outcome. rewrite !S_INR in *. nra. }
      unfold outcome in T. set (x := u * bin (1/2) c a - (u + w) * bin (1/2) c (S a)) in *.
      assert (K : (u + w) * (INR c + 1) = slope * (INR c + 1) * (2 * u + w)) by (unfold slope; field; lra).
      rewrite K in T. assert (I : 0 < INR (S a)) by (apply lt_0_INR; lia).
      split; intros H.
      + assert (0 <= INR (S a) * x).
        { rewrite T. apply Rmult_le_pos; [exact Pa|].
          assert (slope * (INR c + 1) * (2 * u + w) <= INR (S a) * (2 * u + w)) by (apply Rmult_le_compat_r; lra). lra. }
        nra.
      + assert (INR (S a) * x <= 0).
        { rewrite T. assert (INR (S a) * (2 * u + w) <= slope * (INR c + 1) * (2 * u + w)) by (apply Rmult_le_compat_r; lra).
          assert (0 <= bin (1/2) c a * (slope * (INR c + 1) * (2 * u + w) - INR (S a) * (2 * u + w))) by (apply Rmult_le_pos; lra). lra. }
        nra.
  Qed.

  (* V_t(c) is the sum of the outcomes from t on. *)
  Lemma value_outcomes c t : (1 <= t <= c + 2)%nat ->
    value u w c t = sum (seq t (c + 2 - t)) (outcome c).
  Proof.
    intros T. destruct (Nat.eq_dec t (c + 2)) as [->|N].
    - replace (c + 2 - (c + 2))%nat with O by lia. cbn [seq sum]. unfold value.
      rewrite bin_zero by lia. unfold above. replace (S c - (c + 2))%nat with O by lia. cbn. lra.
    - pose proof (series_exact (1/2) u w c t ltac:(lra) ltac:(lia)) as E. unfold value. rewrite <- E.
      apply sum_ext. intros a A. apply in_seq in A. destruct a as [|a]; [lia|].
      replace (S a - 1)%nat with a by lia. unfold outcome.
      pose proof (bin_ratio (1/2) c a) as R1. pose proof (pos_INR a). rewrite !S_INR in *.
      assert (Q : bin (1/2) c (S a) = bin (1/2) c a * ((INR c + 1 - (INR a + 1)) / (INR a + 1) * (1 / 2 / (1 - 1 / 2)))).
      { field_simplify_eq; [nra|lra]. }
      rewrite Q. ring.
  Qed.

  (* Any threshold is a lower bound of the row ... *)
  Theorem value_below_row c t : (1 <= t <= c + 2)%nat -> value u w c t <= row c.
  Proof.
    intros T. rewrite value_outcomes by exact T. unfold row.
    replace (c + 2)%nat with (t + (c + 2 - t))%nat at 2 by lia.
    rewrite seq_app, sum_app. cbn [Nat.add].
    assert (0 <= sum (seq 0 t) (fun a => pos (outcome c a))) by (apply sum_nonneg; intros; apply Rmax_l).
    assert (sum (seq t (c + 2 - t)) (outcome c) <= sum (seq t (c + 2 - t)) (fun a => pos (outcome c a)))
      by (apply sum_le; intros; apply Rmax_r). lra.
  Qed.

  (* ... and the ceiling of t* is exact. *)
  Theorem value_at_threshold c t : (1 <= t <= c + 1)%nat ->
    INR t - 1 < slope * (INR c + 1) <= INR t -> value u w c t = row c.
  Proof.
    intros T B. rewrite value_outcomes by lia. unfold row.
    replace (c + 2)%nat with (t + (c + 2 - t))%nat at 2 by lia.
    rewrite seq_app, sum_app. cbn [Nat.add].
    rewrite (sum_ext (seq 0 t) (fun a => pos (outcome c a)) (fun _ => 0)).
    - rewrite sum_zero, Rplus_0_l. apply sum_ext. intros a A. apply in_seq in A.
      symmetry. unfold pos. apply Rmax_right. apply outcome_sign; [lia|].
      apply Rle_trans with (INR t); [lra|]. apply le_INR. lia.
    - intros a A. apply in_seq in A. unfold pos. apply Rmax_left. apply outcome_sign; [lia|].
      assert (INR a <= INR t - 1).
      { replace (INR t - 1) with (INR (t - 1)) by (rewrite minus_INR by lia; reflexivity). apply le_INR. lia. }
      lra.
  Qed.

  (* Two candidates, t and t+1, one of them the ceiling: the larger value is the
     row; t alone when it is the ceiling or when t = c+1. *)
  Theorem row_by_candidates c t (two : bool) : (1 <= t <= c + 1)%nat ->
    (INR t - 1 < slope * (INR c + 1) <= INR t \/
     (two = true /\ INR t < slope * (INR c + 1) <= INR t + 1)) ->
    Rmax 0 (if andb two (Nat.leb t c) then Rmax (value u w c t) (value u w c (t + 1)) else value u w c t) = row c.
  Proof.
    intros T B.
    assert (R0 : 0 <= row c) by (apply sum_nonneg; intros; apply Rmax_l).
    pose proof slope_range as S0. pose proof (pos_INR c) as C0.
    destruct B as [B|[-> B]].
    - rewrite (value_at_threshold c t T B). pose proof (value_below_row c (t + 1) ltac:(lia)) as L.
      destruct (andb two (Nat.leb t c)); rewrite ?(Rmax_left (row c)) by lra; now rewrite Rmax_right.
    - assert (TC : (t <= c)%nat).
      { destruct (le_lt_dec t c) as [H|H]; [exact H|exfalso].
        assert (E : INR t = INR c + 1).
        { replace t with (S c) by lia. now rewrite S_INR. }
        assert (slope * (INR c + 1) <= 1 * (INR c + 1)) by (apply Rmult_le_compat_r; lra). lra. }
      replace (Nat.leb t c) with true by (symmetry; now apply Nat.leb_le). cbn [andb].
      rewrite (value_at_threshold c (t + 1)).
      + rewrite (Rmax_right (value u w c t)) by (apply value_below_row; lia). now rewrite Rmax_right.
      + lia.
      + rewrite plus_INR. cbn [INR]. lra.
  Qed.
End Row.

(* ---- fixed point ---- *)

(* NEAR of the code: 2^40 units of 2^-64. *)
Definition near : Z := 2 ^ 40.

(* threshold(): ceil(f / 2^64), and whether the next integer is within 2 NEAR;
   a candidate below 1 means 1 alone, as t* > 0. *)
Definition ceiling (f : Z) : Z := (- (- f / 2 ^ 64))%Z.
Definition candidate (f : Z) : Z := Z.max 1 (ceiling f).
Definition another (f : Z) : bool := andb (Z.leb 1 (ceiling f)) (Z.ltb (ceiling f * 2 ^ 64 - f) (2 * near)).

(* The value kept after n steps, f - n step, against t* - NEAR in units of 2^-64:
   a start within 2^34 + 1 units and steps within two keep the error below NEAR. *)
Theorem fixed_point_error start step n T0 sl :
  Rabs (IZR start - T0) <= 2 ^ 34 + 1 -> Rabs (IZR step - sl) <= 2 -> (0 <= n < 2 ^ 38)%Z ->
  let f := (start - near - n * step)%Z in let T := T0 - IZR n * sl in
  IZR f < T < IZR f + IZR (2 * near).
Proof.
  intros S0 S1 N f T. unfold f, T. rewrite !minus_IZR, mult_IZR, (mult_IZR 2 near).
  change (IZR near) with 1099511627776. apply Rabs_le_inv in S0, S1.
  assert (N0 : 0 <= IZR n <= 274877906944) by (split; apply IZR_le; lia).
  assert (IZR n * IZR step <= IZR n * (sl + 2)) by (apply Rmult_le_compat_l; lra).
  assert (IZR n * (sl - 2) <= IZR n * IZR step) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

(* The ceiling of t* = T / 2^64 is the candidate, or one more if another is set. *)
Theorem candidates_sound f T : IZR f < T < IZR f + IZR (2 * near) -> 0 < T ->
  (IZR (candidate f) - 1 < T / 2 ^ 64 <= IZR (candidate f)) \/
  (another f = true /\ IZR (candidate f) < T / 2 ^ 64 <= IZR (candidate f) + 1).
Proof.
  intros B P. unfold candidate, another, ceiling in *.
  pose proof (Z.div_mod (- f) (2 ^ 64) ltac:(lia)) as D. pose proof (Z.mod_pos_bound (- f) (2 ^ 64) ltac:(lia)) as M.
  set (q := (- f / 2 ^ 64)%Z) in *. set (m := (- f mod 2 ^ 64)%Z) in *.
  set (t := (- q)%Z) in *. assert (F : (f = t * 2 ^ 64 - m)%Z) by lia.
  assert (FR : IZR f = IZR t * 18446744073709551616 - IZR m).
  { rewrite F, minus_IZR, mult_IZR. reflexivity. }
  assert (MR : 0 <= IZR m <= 18446744073709551615) by (split; apply IZR_le; lia).
  change (IZR (2 * near)) with 2199023255552 in B.
  replace (2 ^ 64) with 18446744073709551616 by lra.
  destruct (Z_le_gt_dec 1 t) as [T1|T1].
  - rewrite Z.max_r by lia. replace (1 <=? t)%Z with true by (symmetry; now apply Z.leb_le). cbn [andb].
    destruct (Rle_or_lt (T / 18446744073709551616) (IZR t)) as [H|H]; [left; lra|right].
    split; [|lra]. apply Z.ltb_lt. apply lt_IZR. change (IZR (2 * near)) with 2199023255552.
    replace (t * 2 ^ 64 - f)%Z with m by lia. lra.
  - left. rewrite Z.max_l by lia. assert (IZR t <= 0) by (apply IZR_le; lia). lra.
Qed.
