(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* The twiddle factors of set_twiddles in src/pld/fft.c: ../fft.md, Lemma 2, the
   last rounding. A number of modulus one, known in each part up to d before it
   is rounded, is within sqrt 2 (d + 2^-54) afterwards. With d = 2^-98 for the
   factors rounded from Arb and d = 0.0034 * 2^-53 for the others (proved by
   ../gappa/twiddle.g for the expression as written) this is below 0.712 * 2^-53,
   the hypothesis of RoundingFftLevels.v. *)
From Coq Require Import Reals Lra Lia ZArith.
From Flocq Require Import Core.
From Coquelicot Require Import Complex.
From Shufbound Require Import Rounding RoundingFft.
Open Scope R_scope.

(* Below one a rounding is at most 2^-54. *)
Lemma fl_below_one y : Rabs y < 1 -> Rabs (fl y - y) <= roundoff / 2.
Proof.
  intros Y. destruct (Req_dec y 0) as [->|N].
  - rewrite fl_0, Rminus_diag_eq, Rabs_R0; [unfold roundoff; lra|reflexivity].
  - assert (E : Rabs (fl y - y) <= / 2 * ulp radix2 (FLT_exp (-1074) 53) y).
    { apply error_le_half_ulp. apply FLT_exp_valid. reflexivity. }
    eapply Rle_trans; [exact E|].
    rewrite ulp_neq_0 by exact N. unfold Rdiv. rewrite Rmult_comm. apply Rmult_le_compat_r; [lra|].
    rewrite roundoff_bpow. apply bpow_le. unfold cexp, FLT_exp.
    assert (M : (mag radix2 y <= 0)%Z) by (apply mag_le_bpow; [exact N|exact Y]). lia.
Qed.

(* Rounding a number near one of [-1, 1]: never worse beyond 1 or -1. *)
Theorem fl_near_unit x y d : Rabs x <= 1 -> Rabs (y - x) <= d -> d <= roundoff / 2 ->
  Rabs (fl y - x) <= d + roundoff / 2.
Proof.
  assert (K : forall x y, x <= 1 -> Rabs (y - x) <= d -> d <= roundoff / 2 -> 1 <= y -> Rabs (fl y - x) <= d + roundoff / 2).
  { intros x' y' X Y D H. apply Rabs_le_inv in Y.
    assert (NP : Rabs (fl y' - y') <= Rabs (1 - y')).
    { destruct (round_N_pt radix2 (FLT_exp (-1074) 53) (fun n => negb (Z.even n)) y') as [_ P].
      apply P. apply (double_IZR 1). lia. }
    rewrite (Rabs_left1 (1 - y')) in NP by lra.
    replace (fl y' - x') with ((fl y' - y') + (y' - x')) by ring.
    eapply Rle_trans; [apply Rabs_triang|].
    assert (Rabs (y' - x') <= d) by (apply Rabs_le; lra). lra. }
  intros X Y D. pose proof (Rabs_le_inv _ _ X) as X'.
  destruct (Rlt_or_le (Rabs y) 1) as [H|H].
  - replace (fl y - x) with ((fl y - y) + (y - x)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. pose proof (fl_below_one y H). lra.
  - destruct (Rle_dec 0 y) as [P|P].
    + rewrite Rabs_pos_eq in H by exact P. apply K; lra.
    + rewrite Rabs_left in H by lra.
      assert (Q : Rabs (fl (- y) - - x) <= d + roundoff / 2).
      { apply K; try lra. replace (- y - - x) with (- (y - x)) by ring. now rewrite Rabs_Ropp. }
      rewrite fl_opp in Q. replace (- fl y - - x) with (- (fl y - x)) in Q by ring. now rewrite Rabs_Ropp in Q.
Qed.

(* ../fft.md, Lemma 2: the factor as stored. *)
Theorem twiddle_error t z : Cmod t = 1 ->
  Rabs (fst z - fst t) <= 0.0034 * roundoff -> Rabs (snd z - snd t) <= 0.0034 * roundoff ->
  Cmod ((fl (fst z), fl (snd z)) - t)%C <= 0.712 * roundoff.
Proof.
  destruct t as [a b], z as [x y]. cbn [fst snd]. intros T A B.
  pose proof roundoff_pos as e0.
  assert (U : a ^ 2 + b ^ 2 = 1).
  { unfold Cmod in T; cbn [fst snd] in T. rewrite <- (sqrt_sqrt (a ^ 2 + b ^ 2)) by (pose proof (pow2_ge_0 a); pose proof (pow2_ge_0 b); lra).
    rewrite T. ring. }
  assert (A1 : Rabs a <= 1) by (apply Rabs_le; pose proof (pow2_ge_0 b); split; nra).
  assert (B1 : Rabs b <= 1) by (apply Rabs_le; pose proof (pow2_ge_0 a); split; nra).
  pose proof (fl_near_unit a x _ A1 A ltac:(lra)) as Ra. pose proof (fl_near_unit b y _ B1 B ltac:(lra)) as Rb.
  set (d := 0.0034 * roundoff + roundoff / 2) in *.
  change (Cmod (fl x - a, fl y - b) <= 0.712 * roundoff).
  eapply Rle_trans; [apply Cmod_le; [exact Ra|exact Rb]|].
  unfold Cmod; cbn [fst snd]. replace (d ^ 2 + d ^ 2) with (2 * d ^ 2) by ring.
  assert (d0 : 0 <= d) by (unfold d; lra).
  rewrite sqrt_mult_alt, sqrt_pow2 by lra.
  assert (S : sqrt 2 <= 1.41422).
  { rewrite <- (sqrt_pow2 1.41422) by lra. apply sqrt_le_1_alt. lra. }
  apply Rle_trans with (1.41422 * d); [apply Rmult_le_compat_r; lra|]. unfold d. lra.
Qed.
