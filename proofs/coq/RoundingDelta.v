(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* From the double-precision sum to the divergence: the computed total and
   r->error of sum_strata (src/fast/fast.c) enclose the divergence of the
   trinomial pair with w2 = 0 and r0 = r1, up to the strata left out
   (clones, clones-stronger; ../fast.md, Lemmas 1 to 6, ../trinomial-pair.md). *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core.
From Shufbound Require Import Sum Hockey Trinomial Binomial Strata Monotone.
From Shufbound Require RoundingBinomial.
From Shufbound Require Import Rounding RoundingSum RoundingStep RoundingLoop RoundingSeries RoundingStart
  RoundingThreshold RoundingFast RoundingSumStrata.
Import ListNotations.
Open Scope R_scope.

Lemma bin_same s n : forall k, RoundingBinomial.bin s n k = bin s n k.
Proof.
  induction n as [|n IH]; intros [|k]; cbn [RoundingBinomial.bin]; try reflexivity.
  - rewrite bin_S, IH. unfold before. ring.
  - rewrite bin_S, !IH. reflexivity.
Qed.

(* The row of the double-precision path is the value of the stratum. *)
Theorem row_stratum u w c : row u w c = stratum u (- (u + w)) (1/2) c 0.
Proof.
  unfold row, stratum. replace (c + 2)%nat with (S (S c)) by lia. apply sum_ext. intros a _.
  rewrite Rminus_0_r, <- pos_scal by (apply bin_nonneg; lra).
  rewrite bin_mean by lra. f_equal. unfold outcome.
  rewrite bin_same. destruct a as [|a]; cbn [before]; rewrite ?bin_same; ring.
Qed.

(* A total near the exact sum over the m strata last, last-1, ... encloses the
   divergence: it lacks at most the strata above, of value at most V(last), and
   those below, of value at most u. *)
Theorem interval_from_sum w0 w1 r N alpha last m unit total_ error :
  0 <= w1 <= w0 -> 0 < r -> 2 * r <= 1 -> 1 <= alpha -> 0 <= w0 - alpha * w1 ->
  (m <= last + 1)%nat -> (last <= N)%nat -> 0 <= unit ->
  let u := w0 - alpha * w1 in let w := (w0 + w1) * (alpha - 1) in let s := 2 * r in
  Rabs (total_ - unit * sum (seq 0 m) (fun i => RoundingBinomial.bin s N (last - i) * row u w (last - i))) <= error ->
  total_ - error <= unit * trinomial_hockey w0 w1 0 r r N alpha
    <= total_ + error + unit * (tail s N (S last) * row u w last + head s N (S last - m) * u).
Proof.
  intros Hw Hr Hs Ha Hu ML LN U0 u w s E. apply Rabs_le_inv in E.
  pose proof (trinomial_truncation w0 w1 0 r r N alpha (S last - m) last Hw (Rle_refl 0) Hr Hr ltac:(lra) Ha Hu
    ltac:(lia) LN) as T. cbn zeta in T. fold u in T.
  replace (r + r) with s in T by (unfold s; ring).
  replace (r / s) with (1 / 2) in T by (unfold s; field; lra).
  replace (S last - (S last - m))%nat with m in T by lia.
  replace (w1 - alpha * w0) with (- (u + w)) in T by (unfold u, w; ring).
  assert (SAME : strata_sum u (- (u + w)) (1/2) 0 s alpha N (S last - m) m
    = sum (seq 0 m) (fun i => RoundingBinomial.bin s N (last - i) * row u w (last - i))).
  { unfold strata_sum, strata_term.
    (* the same strata from the other end *)
    assert (REV : forall k a (f : nat -> R), (k <= a)%nat -> sum (seq (S a - k) k) f = sum (seq 0 k) (fun i => f (a - i)%nat)).
    { induction k as [|k IH]; intros a f K; [reflexivity|].
      rewrite sum_seq_last. rewrite <- IH by lia. replace (S a - S k)%nat with (a - k)%nat by lia.
      cbn [seq sum]. replace (S (a - k)) with (S a - k)%nat by lia. lra. }
    destruct (le_lt_dec m last) as [L|L].
    - rewrite (REV m last _ L). apply sum_ext. intros i _. rewrite bin_same, row_stratum, shift_zero. reflexivity.
    - assert (m = S last) as -> by lia. replace (S last - S last)%nat with O by lia.
      rewrite (sum_seq_last last (fun i => RoundingBinomial.bin s N (last - i) * row u w (last - i))), Nat.sub_diag.
      cbn [seq sum].
      pose proof (REV last last (fun c => bin s N c * stratum u (- (u + w)) (1/2) c (shift 0 s alpha N c)) (le_n _)) as R1.
      replace (S last - last)%nat with 1%nat in R1 by lia. rewrite R1.
      rewrite bin_same, row_stratum, shift_zero, Rplus_comm. f_equal.
      apply sum_ext. intros i _. rewrite bin_same, row_stratum, shift_zero. reflexivity. }
  rewrite SAME in T. set (x := sum (seq 0 m) _) in *. set (h := trinomial_hockey _ _ _ _ _ _ _) in *.
  destruct T as [T1 T2].
  assert (A1 : unit * x <= unit * h) by (apply Rmult_le_compat_l; lra).
  assert (ANT : tail s N (S last) * stratum u (- (u + w)) (1/2) (S last) 0 <= tail s N (S last) * row u w last).
  { apply Rmult_le_compat_l; [apply tail_nonneg; unfold s; lra|]. rewrite row_stratum. apply stratum_antitone_c; [lra|lia]. }
  assert (A2 : unit * h <= unit * (x + (tail s N (S last) * row u w last + head s N (S last - m) * u)))
    by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

(* Everything together, for the pair (w0, w1, 0; r, r), 1 <= alpha < w0/w1, 2 r < 1:
   hypotheses as in RoundingSumStrata.v. *)
Section FastDelta.
  Variables (w0 w1 r alpha : R) (N last : nat).
  Hypothesis weights : 0 <= w1 <= w0.
  Hypothesis r_range : 0 < r < 1 / 2.
  Hypothesis alpha_range : 1 <= alpha /\ 0 < w0 - alpha * w1.
  Hypothesis counts_range : (last <= N)%nat /\ (Z.of_nat N <= 2 ^ 41)%Z.

  Let u := w0 - alpha * w1.
  Let w := (w0 + w1) * (alpha - 1).
  Let s := 2 * r.

  Variables U W Odds q m0 : R.
  Hypothesis U_constant : double U /\ roundings 1.02 u U /\ bpow radix2 (-960) <= U.
  Hypothesis W_constant : double W /\ roundings 1.02 w W /\ (W = 0 \/ bpow radix2 (-960) <= W).
  Hypothesis Odds_constant : roundings 1.02 ((1 - s) / s) Odds /\ bpow radix2 (-960) <= Odds.

  Variables start step : Z.
  Hypothesis start_near : Rabs (IZR start - slope u w * (INR last + 1) * 2 ^ 64) <= 2 ^ 34 + 1.
  Hypothesis step_near : Rabs (IZR step - slope u w * 2 ^ 64) <= 2.
  Hypothesis step_range : (0 <= step <= 2 ^ 64)%Z.

  Let t := threshold_at start step last last.

  Variables mass_unit pmf_unit : R.
  Hypothesis units : 0 < mass_unit /\ 0 < pmf_unit.
  Hypothesis pmf_constant : double q /\ roundings 1.02 (pmf_unit * bin (1/2) last (t - 1)) q.
  Hypothesis mass_constant : roundings 1.02 (mass_unit * bin s N last) m0.

  Variable n : nat.
  Hypothesis pmf_guards : smallest <= q /\ smallest <= fl (U * q).
  Hypothesis n_range : (1 <= n)%nat /\ INR n <= 2 ^ 38 /\ (t + n <= last + 2)%nat.
  Hypothesis series_guards : series_guarded last n t q.
  Hypothesis series_stops : stops u w U W last n t q.

  Let entries := walked u w s N last U W Odds q m0 start step mass_unit pmf_unit n.

  Theorem fast_delta_sound m :
    guarded N U W Odds (threshold_at start step last) m last (first u w last U W q m0 start step n) ->
    (1 <= m <= last + 1)%nat -> (Z.of_nat m <= 2 ^ 38)%Z -> smallest <= total (entries m) ->
    let delta := trinomial_hockey w0 w1 0 r r N alpha in
    total (entries m) - ledger_error (entries m) <= mass_unit * pmf_unit * delta
      <= total (entries m) + ledger_error (entries m)
         + mass_unit * pmf_unit * (tail s N (S last) * row u w last + head s N (S last - m) * u).
  Proof.
    intros G M MB T delta.
    assert (w_pos : 0 <= w) by (unfold w; apply Rmult_le_pos; lra).
    destruct pmf_constant as [Dq Rq]. rewrite <- bin_same in Rq.
    apply interval_from_sum; try lra; try lia.
    { destruct units. apply Rmult_le_pos; lra. }
    apply (sum_strata_sound u w s N last); auto; try (unfold s; lra); try apply alpha_range; try apply units.
    now rewrite bin_same.
  Qed.
End FastDelta.
