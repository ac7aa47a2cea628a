(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* The levels of the Fourier transform of src/pld/fft.c: ../fft.md, Lemmas 1 and 4
   and the Theorem. fft_exact is the network of butterflies in exact arithmetic,
   shown to evaluate the polynomial with coefficients z at the point c_k
   (dft_exact: c_k = e^{-2 pi i r(k)}, r the bits of k behind the binary point in
   opposite order); fft_fl is the same network in doubles. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core.
From Coquelicot Require Import Complex.
From Shufbound Require Import Sum Rounding RoundingSum RoundingStep RoundingFft.
Import ListNotations.
Open Scope R_scope.

(* ---- sums ---- *)

Lemma sum_seq_add m n f : sum (seq 0 (m + n)) f = sum (seq 0 m) f + sum (seq 0 n) (fun j => f (m + j)%nat).
Proof.
  induction n as [|n IH].
  - rewrite Nat.add_0_r. cbn. lra.
  - rewrite Nat.add_succ_r, !sum_seq_last, IH. lra.
Qed.

(* The complex sum f 0 + ... + f (n-1). *)
Fixpoint csum (n : nat) (f : nat -> C) : C :=
  match n with O => RtoC 0 | S n => (csum n f + f n)%C end.

Fixpoint cpow (x : C) (n : nat) : C :=
  match n with O => RtoC 1 | S n => (x * cpow x n)%C end.

Lemma csum_ext n f g : (forall j, (j < n)%nat -> f j = g j) -> csum n f = csum n g.
Proof.
  induction n as [|n IH]; intros H; [reflexivity|]. cbn.
  rewrite (H n), IH by auto with arith. reflexivity.
Qed.

Lemma csum_add m n f : csum (m + n) f = (csum m f + csum n (fun j => f (m + j)%nat))%C.
Proof.
  induction n as [|n IH].
  - rewrite Nat.add_0_r. cbn. now rewrite Cplus_0_r.
  - rewrite Nat.add_succ_r. cbn. rewrite IH. ring.
Qed.

Lemma csum_plus n f g : csum n (fun j => f j + g j)%C = (csum n f + csum n g)%C.
Proof.
  induction n as [|n IH]; cbn; [now rewrite Cplus_0_r|]. rewrite IH. ring.
Qed.

Lemma cpow_add x m n : cpow x (m + n) = (cpow x m * cpow x n)%C.
Proof.
  induction m as [|m IH]; cbn; [now rewrite Cmult_1_l|]. rewrite IH. ring.
Qed.

(* ---- the network ---- *)

(* Exact: a block of 2^L entries z at index i becomes, with its twiddle factor,
   the blocks 2i and 2i+1; k is the position of the output in the block. *)
Fixpoint fft_exact (t : nat -> C) (L i : nat) (z : nat -> C) (k : nat) : C :=
  match L with
  | O => z O
  | S L =>
      let m := (2 ^ L)%nat in
      if Nat.ltb k m
      then fft_exact t L (2 * i) (fun j => z j + t i * z (j + m)%nat)%C k
      else fft_exact t L (2 * i + 1) (fun j => z j - t i * z (j + m)%nat)%C (k - m)
  end.

(* In doubles; tw L i is the computed factor for block i when 2^L is half its length. *)
Fixpoint fft_fl (tw : nat -> nat -> C) (L i : nat) (z : nat -> C) (k : nat) : C :=
  match L with
  | O => z O
  | S L =>
      let m := (2 ^ L)%nat in
      if Nat.ltb k m
      then fft_fl tw L (2 * i) (fun j => fl_add (z j) (fl_mult (tw L i) (z (j + m)%nat))) k
      else fft_fl tw L (2 * i + 1) (fun j => fl_sub (z j) (fl_mult (tw L i) (z (j + m)%nat))) (k - m)
  end.

(* Twiddle factors t_i and nodes c_i: ../fft.md, Lemma 1. *)
Definition twiddles (t c : nat -> C) : Prop :=
  forall i, (t i * t i)%C = c i /\ c (2 * i)%nat = t i /\ c (2 * i + 1)%nat = (- t i)%C /\ Cmod (t i) = 1.

Lemma node_power t c L : twiddles t c -> forall i k, (k < 2 ^ L)%nat -> cpow (c (i * 2 ^ L + k)%nat) (2 ^ L) = c i.
Proof.
  intros T. induction L as [|L IH]; intros i k K; cbn [Nat.pow] in *.
  - replace (i * 1 + k)%nat with i by lia. cbn. now rewrite Cmult_1_r.
  - replace (2 * 2 ^ L)%nat with (2 ^ L + 2 ^ L)%nat in * by lia. rewrite cpow_add.
    destruct (T i) as (T1 & T2 & T3 & _).
    destruct (Nat.ltb_spec k (2 ^ L)) as [H|H].
    + replace (i * (2 ^ L + 2 ^ L) + k)%nat with ((2 * i) * 2 ^ L + k)%nat by lia.
      rewrite !IH, T2 by exact H. exact T1.
    + replace (i * (2 ^ L + 2 ^ L) + k)%nat with ((2 * i + 1) * 2 ^ L + (k - 2 ^ L))%nat by lia.
      rewrite !IH, T3 by lia. rewrite <- T1. ring.
Qed.

Lemma node_half t c L : twiddles t c -> forall i k, (k < 2 ^ S L)%nat ->
  cpow (c (i * 2 ^ S L + k)%nat) (2 ^ L) = if Nat.ltb k (2 ^ L) then t i else (- t i)%C.
Proof.
  intros T i k K. cbn [Nat.pow] in *. destruct (T i) as (_ & T2 & T3 & _).
  destruct (Nat.ltb_spec k (2 ^ L)) as [H|H].
  - replace (i * (2 * 2 ^ L) + k)%nat with ((2 * i) * 2 ^ L + k)%nat by lia.
    rewrite (node_power t c) by assumption. exact T2.
  - replace (i * (2 * 2 ^ L) + k)%nat with ((2 * i + 1) * 2 ^ L + (k - 2 ^ L))%nat by lia.
    rewrite (node_power t c) by (assumption || lia). exact T3.
Qed.

(* ../fft.md, Lemma 1: output k of block i is the polynomial at the node c_{i 2^L + k}. *)
Theorem fft_exact_polynomial t c L : twiddles t c -> forall i z k, (k < 2 ^ L)%nat ->
  fft_exact t L i z k = csum (2 ^ L) (fun j => z j * cpow (c (i * 2 ^ L + k)%nat) j)%C.
Proof.
  intros T. induction L as [|L IH]; intros i z k K.
  - cbn. ring.
  - pose proof (node_half t c L T i k K) as H.
    set (x := c (i * 2 ^ S L + k)%nat) in *.
    replace (2 ^ S L)%nat with (2 ^ L + 2 ^ L)%nat in * by (cbn; lia).
    rewrite csum_add, <- csum_plus. cbn [fft_exact].
    destruct (Nat.ltb_spec k (2 ^ L)) as [B|B].
    + rewrite IH by exact B.
      replace (c (2 * i * 2 ^ L + k)%nat) with x by (unfold x; f_equal; cbn [Nat.pow]; lia).
      apply csum_ext. intros j _. rewrite cpow_add, H. rewrite (Nat.add_comm j). ring.
    + rewrite IH by lia.
      replace (c ((2 * i + 1) * 2 ^ L + (k - 2 ^ L))%nat) with x by (unfold x; f_equal; cbn [Nat.pow]; lia).
      apply csum_ext. intros j _. rewrite cpow_add, H. rewrite (Nat.add_comm j). ring.
Qed.

(* ---- one butterfly ---- *)

(* Four roundings a level: 0.712 of the factor, 2.3095 of the product, one of the sum. *)
Definition per_level : R := 4.03 * roundoff.
Definition underflow : R := 1.42 * (2 * half_least).

Lemma cdouble_sub a b : cdouble (fl_sub a b).
Proof. split; apply double_fl. Qed.

Lemma product_part w t b b' sb e U : 0 <= e -> 0 <= U -> Cmod t = 1 -> Cmod (w - t)%C <= 0.712 * roundoff ->
  Cmod b <= sb -> Cmod (b' - b)%C <= e * sb + U ->
  let m := (1 + e) * sb + U in let q := 3.022 * roundoff in
  Cmod b' <= m /\
  Cmod (fl_mult w b' - t * b)%C <= e * sb + U + q * m + underflow /\
  Cmod (fl_mult w b') <= (1 + q) * m + underflow.
Proof.
  intros E U0 T W B D m q. pose proof roundoff_pos as e0.
  assert (M : Cmod b' <= m).
  { replace b' with (b + (b' - b))%C by ring. eapply Rle_trans; [apply Cmod_triangle|]. unfold m. lra. }
  pose proof (Cmod_ge_0 b') as B0.
  assert (W1 : Cmod w <= 1 + 0.712 * roundoff).
  { replace w with (t + (w - t))%C by ring. eapply Rle_trans; [apply Cmod_triangle|]. lra. }
  pose proof (product_error w b') as P. fold underflow in P.
  assert (WB : Cmod w * Cmod b' <= (1 + 0.712 * roundoff) * Cmod b') by (apply Rmult_le_compat_r; lra).
  assert (P1 : Cmod (fl_mult w b' - w * b')%C <= 2.30951 * roundoff * Cmod b' + underflow).
  { assert (2.3095 * roundoff * (Cmod w * Cmod b') <= 2.3095 * roundoff * ((1 + 0.712 * roundoff) * Cmod b'))
      by (apply Rmult_le_compat_l; lra).
    assert (roundoff * (roundoff * Cmod b') <= 0.000001 * (roundoff * Cmod b')).
    { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|unfold roundoff; lra]. }
    assert (0 <= roundoff * Cmod b') by (apply Rmult_le_pos; lra). lra. }
  assert (P2 : Cmod ((w - t) * b')%C <= 0.712 * roundoff * Cmod b').
  { rewrite Cmod_mult. apply Rmult_le_compat_r; lra. }
  assert (P3 : Cmod (fl_mult w b' - t * b')%C <= q * Cmod b' + underflow).
  { replace (fl_mult w b' - t * b')%C with ((fl_mult w b' - w * b') + (w - t) * b')%C by ring.
    eapply Rle_trans; [apply Cmod_triangle|].
    assert (0 <= roundoff * Cmod b') by (apply Rmult_le_pos; lra). unfold q. lra. }
  assert (QM : q * Cmod b' <= q * m) by (apply Rmult_le_compat_l; [unfold q; lra|exact M]).
  split; [exact M|split].
  - replace (fl_mult w b' - t * b)%C with ((fl_mult w b' - t * b') + t * (b' - b))%C by ring.
    eapply Rle_trans; [apply Cmod_triangle|]. rewrite Cmod_mult, T. lra.
  - replace (fl_mult w b') with ((fl_mult w b' - t * b') + t * b')%C by ring.
    eapply Rle_trans; [apply Cmod_triangle|]. rewrite Cmod_mult, T. lra.
Qed.

(* a + p in doubles, p the computed product. *)
Lemma sum_part a a' p p' sa sb e U : 0 <= e -> 0 <= U -> 0 <= sb -> cdouble a' -> cdouble p' ->
  Cmod a <= sa -> Cmod (a' - a)%C <= e * sa + U ->
  let m := (1 + e) * sb + U in let q := 3.022 * roundoff in
  Cmod (p' - p)%C <= e * sb + U + q * m + underflow -> Cmod p' <= (1 + q) * m + underflow ->
  Cmod (fl_add a' p' - (a + p))%C
    <= ((1 + e) * (1 + per_level) - 1) * (sa + sb) + (1 + per_level) * (2 * U + underflow).
Proof.
  intros E U0 B0 Da Dp A Ea m q Ep P. pose proof roundoff_pos as e0. pose proof half_least_pos as h0.
  pose proof (Cmod_ge_0 a) as A0.
  assert (M : Cmod a' <= (1 + e) * sa + U).
  { replace a' with (a + (a' - a))%C by ring. eapply Rle_trans; [apply Cmod_triangle|]. lra. }
  pose proof (fl_add_error a' p' Da Dp) as F.
  assert (S : Cmod (a' + p')%C <= (1 + e) * sa + U + ((1 + q) * m + underflow)).
  { eapply Rle_trans; [apply Cmod_triangle|]. lra. }
  replace (fl_add a' p' - (a + p))%C with ((fl_add a' p' - (a' + p')) + ((a' - a) + (p' - p)))%C by ring.
  eapply Rle_trans; [apply Cmod_triangle|].
  pose proof (Cmod_triangle (a' - a)%C (p' - p)%C) as T.
  set (u1 := 1.0001 * roundoff) in *.
  assert (F' : Cmod (fl_add a' p' - (a' + p'))%C <= u1 * ((1 + e) * sa + U + ((1 + q) * m + underflow))).
  { eapply Rle_trans; [exact F|]. apply Rmult_le_compat_l; [unfold u1; lra|exact S]. }
  (* (1+q)(1+u1) <= 1 + per_level *)
  assert (K : (1 + q) * (1 + u1) <= 1 + per_level).
  { unfold q, u1, per_level.
    assert (roundoff * roundoff <= 0.000001 * roundoff) by (apply Rmult_le_compat_r; [lra|unfold roundoff; lra]). lra. }
  assert (K1 : 1 + u1 <= 1 + per_level) by (unfold u1, per_level; lra).
  assert (m0 : 0 <= m) by (unfold m; apply Rplus_le_le_0_compat; [apply Rmult_le_pos; lra|lra]).
  assert (Y0 : 0 <= underflow) by (unfold underflow; lra).
  assert (G1 : (1 + u1) * ((1 + e) * sa + U) <= (1 + per_level) * ((1 + e) * sa + U)).
  { apply Rmult_le_compat_r; [|exact K1]. apply Rplus_le_le_0_compat; [apply Rmult_le_pos; lra|lra]. }
  assert (G2 : (1 + q) * (1 + u1) * m <= (1 + per_level) * m) by (apply Rmult_le_compat_r; lra).
  assert (G3 : (1 + u1) * underflow <= (1 + per_level) * underflow) by (apply Rmult_le_compat_r; lra).
  unfold m in *. lra.
Qed.

(* ---- all levels ---- *)

(* The accumulated effect of underflow. *)
Fixpoint under (L : nat) (U : R) : R :=
  match L with O => U | S L => under L ((1 + per_level) * (2 * U + underflow)) end.

Lemma fft_levels t tw L : (forall i, Cmod (t i) = 1) -> (forall l i, Cmod (tw l i - t i)%C <= 0.712 * roundoff) ->
  forall i z z' s e U k, 0 <= e -> 0 <= U -> (k < 2 ^ L)%nat ->
  (forall j, (j < 2 ^ L)%nat -> cdouble (z' j) /\ Cmod (z j) <= s j /\ Cmod (z' j - z j)%C <= e * s j + U) ->
  Cmod (fft_fl tw L i z' k - fft_exact t L i z k)%C
    <= ((1 + e) * (1 + per_level) ^ L - 1) * sum (seq 0 (2 ^ L)) s + under L U.
Proof.
  intros T W. induction L as [|L IH]; intros i z z' s e U k E U0 K H.
  - destruct (H O ltac:(cbn; lia)) as (_ & _ & D). cbn. lra.
  - pose proof roundoff_pos as e0. pose proof half_least_pos as h0.
    assert (PL : 0 < per_level) by (unfold per_level; lra).
    replace (2 ^ S L)%nat with (2 ^ L + 2 ^ L)%nat in * by (cbn; lia).
    rewrite sum_seq_add, <- sum_plus. cbn [fft_fl fft_exact under].
    replace ((1 + e) * (1 + per_level) ^ S L) with ((1 + ((1 + e) * (1 + per_level) - 1)) * (1 + per_level) ^ L)
      by (cbn [pow]; ring).
    assert (E' : 0 <= (1 + e) * (1 + per_level) - 1).
    { assert (0 <= e * per_level) by (apply Rmult_le_pos; lra). lra. }
    assert (U' : 0 <= (1 + per_level) * (2 * U + underflow)) by (apply Rmult_le_pos; unfold underflow; lra).
    assert (B : forall j, (j < 2 ^ L)%nat ->
      Cmod (fl_add (z' j) (fl_mult (tw L i) (z' (j + 2 ^ L)%nat)) - (z j + t i * z (j + 2 ^ L)%nat))%C
        <= ((1 + e) * (1 + per_level) - 1) * (s j + s (2 ^ L + j)%nat) + (1 + per_level) * (2 * U + underflow) /\
      Cmod (fl_sub (z' j) (fl_mult (tw L i) (z' (j + 2 ^ L)%nat)) - (z j - t i * z (j + 2 ^ L)%nat))%C
        <= ((1 + e) * (1 + per_level) - 1) * (s j + s (2 ^ L + j)%nat) + (1 + per_level) * (2 * U + underflow) /\
      Cmod (z j + t i * z (j + 2 ^ L)%nat)%C <= s j + s (2 ^ L + j)%nat /\
      Cmod (z j - t i * z (j + 2 ^ L)%nat)%C <= s j + s (2 ^ L + j)%nat).
    { intros j J. destruct (H j ltac:(lia)) as (D1 & S1 & E1).
      rewrite (Nat.add_comm j). destruct (H (2 ^ L + j)%nat ltac:(lia)) as (D2 & S2 & E2).
      pose proof (Cmod_ge_0 (z (2 ^ L + j)%nat)) as Z0.
      destruct (product_part (tw L i) (t i) _ _ _ e U E U0 (T i) (W L i) S2 E2) as (_ & P1 & P2).
      split; [|split; [|split]].
      - apply sum_part; auto using cdouble_mult. lra.
      - rewrite fl_sub_add.
        replace (z j - t i * z (2 ^ L + j)%nat)%C with (z j + (- (t i * z (2 ^ L + j)%nat)))%C by ring.
        apply sum_part; auto using cdouble_mult, cdouble_opp; try lra.
        + replace (- fl_mult (tw L i) (z' (2 ^ L + j)%nat) - - (t i * z (2 ^ L + j)%nat))%C
            with (- (fl_mult (tw L i) (z' (2 ^ L + j)%nat) - t i * z (2 ^ L + j)%nat))%C by ring.
          rewrite Cmod_opp. exact P1.
        + rewrite Cmod_opp. exact P2.
      - eapply Rle_trans; [apply Cmod_triangle|]. rewrite Cmod_mult, T. lra.
      - unfold Cminus. eapply Rle_trans; [apply Cmod_triangle|]. rewrite Cmod_opp, Cmod_mult, T. lra. }
    destruct (Nat.ltb_spec k (2 ^ L)) as [KL|KL].
    + apply IH; auto. intros j J. destruct (B j J) as (B1 & B2 & B3 & B4).
      repeat split; auto; apply double_fl.
    + apply IH; auto; [lia|]. intros j J. destruct (B j J) as (B1 & B2 & B3 & B4).
      repeat split; auto; apply double_fl.
Qed.

Lemma under_bound L : forall U, under L U <= (1 + per_level) ^ L * (2 ^ L * U + (2 ^ L - 1) * underflow).
Proof.
  pose proof roundoff_pos. pose proof half_least_pos.
  assert (PL : 1 <= 1 + per_level) by (unfold per_level; lra).
  assert (Y : 0 <= underflow) by (unfold underflow; lra).
  induction L as [|L IH]; intros U; cbn [under pow]; [lra|].
  eapply Rle_trans; [apply IH|].
  assert (P : 0 <= (1 + per_level) ^ L) by (apply pow_le; lra).
  assert (T : 1 <= 2 ^ L) by (apply pow_R1_Rle; lra).
  replace ((1 + per_level) * (1 + per_level) ^ L * (2 * 2 ^ L * U + (2 * 2 ^ L - 1) * underflow))
    with ((1 + per_level) ^ L * ((1 + per_level) * (2 * 2 ^ L * U + (2 * 2 ^ L - 1) * underflow))) by ring.
  apply Rmult_le_compat_l; [exact P|].
  assert (per_level * ((2 ^ L - 1) * underflow) >= 0).
  { apply Rle_ge. apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; lra. }
  lra.
Qed.

Lemma level_factor L : (L <= 25)%nat ->
  (1 + 1.0001 * roundoff) * (1 + per_level) ^ L - 1 <= 4 * (INR L + 1) * roundoff /\
  (1 + per_level) ^ L <= 1.01.
Proof.
  intros B. apply le_INR in B. pose proof (pos_INR L) as P. pose proof roundoff_pos as e0.
  replace (INR 25) with 25 in B by (rewrite INR_IZR_INZ; reflexivity).
  assert (X : (1 + per_level) ^ L <= exp (INR L * per_level)).
  { clear. pose proof roundoff_pos. assert (0 < per_level) by (unfold per_level; lra).
    induction L as [|L IH]; [cbn [pow]; change (INR 0) with 0; rewrite Rmult_0_l, exp_0; lra|].
    rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, Rmult_comm. cbn [pow].
    rewrite (Rmult_comm (exp per_level)), (Rmult_comm (1 + per_level)).
    apply Rmult_le_compat; [apply pow_le; lra|lra|exact IH|apply exp_ge]. }
  assert (Y : 1 + 1.0001 * roundoff <= exp (1.0001 * roundoff)) by apply exp_ge.
  assert (Z : (1 + 1.0001 * roundoff) * (1 + per_level) ^ L <= exp (1.0001 * roundoff + INR L * per_level)).
  { rewrite exp_plus. apply Rmult_le_compat; try lra. apply pow_le. unfold per_level. lra. }
  assert (B1 : 0 <= 1.0001 * roundoff + INR L * per_level <= 1 / 10000000000000).
  { split; [apply Rplus_le_le_0_compat; [lra|apply Rmult_le_pos; unfold per_level; lra]|].
    unfold per_level, roundoff. lra. }
  pose proof (exp_linear _ _ B1 ltac:(lra)) as G.
  assert (B2 : 0 <= INR L * per_level <= 1 / 100000) by (unfold per_level, roundoff in *; lra).
  pose proof (exp_linear _ _ B2 ltac:(lra)) as G2.
  split; [|lra]. unfold per_level in *.
  assert (0 <= INR L * roundoff) by (apply Rmult_le_pos; lra).
  assert (INR L * roundoff <= 25 * roundoff) by (apply Rmult_le_compat_r; lra).
  lra.
Qed.

(* The theorem of ../fft.md: N = 2^L outputs, L <= 26. *)
Theorem fft_error_sound t c tw L z k : twiddles t c ->
  (forall l i, Cmod (tw l i - t i)%C <= 0.712 * roundoff) -> (forall l, tw l O = RtoC 1) -> t O = RtoC 1 ->
  (L <= 26)%nat -> (k < 2 ^ L)%nat -> (forall j, (j < 2 ^ L)%nat -> cdouble (z j)) ->
  Cmod (fft_fl tw L 0 z k - csum (2 ^ L) (fun j => z j * cpow (c k) j))%C
    <= 4 * INR L * roundoff * sum (seq 0 (2 ^ L)) (fun j => Cmod (z j)) + 2 ^ L * bpow radix2 (-1073).
Proof.
  intros TC W W0 T0 LB K D. pose proof roundoff_pos as e0. pose proof half_least_pos as h0.
  pose proof (bpow_gt_0 radix2 (-1073)) as b0.
  assert (N1 : forall i, Cmod (t i) = 1) by (intros i; apply TC).
  pose proof (fft_exact_polynomial t c L TC 0 z k K) as P. cbn [Nat.mul Nat.add] in P. rewrite <- P. clear P.
  destruct L as [|L].
  - cbn [fft_fl fft_exact]. replace (z O - z O)%C with (RtoC 0) by ring. rewrite Cmod_0. cbn. lra.
  - (* the first level: additions alone *)
    replace (2 ^ S L)%nat with (2 ^ L + 2 ^ L)%nat in * by (cbn; lia).
    rewrite sum_seq_add, <- sum_plus. cbn [fft_fl fft_exact].
    assert (B : forall j, (j < 2 ^ L)%nat ->
      let a := z j in let b := z (j + 2 ^ L)%nat in let s := Cmod (z j) + Cmod (z (2 ^ L + j)%nat) in
      Cmod (fl_add a (fl_mult (tw L O) b) - (a + t O * b))%C <= 1.0001 * roundoff * s + 0 /\
      Cmod (fl_sub a (fl_mult (tw L O) b) - (a - t O * b))%C <= 1.0001 * roundoff * s + 0 /\
      Cmod (a + t O * b)%C <= s /\ Cmod (a - t O * b)%C <= s).
    { intros j J. cbn zeta. rewrite (Nat.add_comm j).
      pose proof (D j ltac:(lia)) as D1. pose proof (D (2 ^ L + j)%nat ltac:(lia)) as D2.
      rewrite W0, T0, product_one, fl_sub_add by exact D2.
      replace (RtoC 1 * z (2 ^ L + j)%nat)%C with (z (2 ^ L + j)%nat) by ring.
      set (a := z j) in *. set (b := z (2 ^ L + j)%nat) in *.
      assert (S1 : Cmod (a + b)%C <= Cmod a + Cmod b) by apply Cmod_triangle.
      assert (S2 : Cmod (a - b)%C <= Cmod a + Cmod b).
      { unfold Cminus. eapply Rle_trans; [apply Cmod_triangle|]. rewrite Cmod_opp. lra. }
      repeat split; auto.
      - eapply Rle_trans; [now apply fl_add_error|].
        assert (1.0001 * roundoff * Cmod (a + b)%C <= 1.0001 * roundoff * (Cmod a + Cmod b)) by (apply Rmult_le_compat_l; lra). lra.
      - eapply Rle_trans; [apply fl_add_error; [exact D1|now apply cdouble_opp]|].
        assert (1.0001 * roundoff * Cmod (a - b)%C <= 1.0001 * roundoff * (Cmod a + Cmod b)) by (apply Rmult_le_compat_l; lra).
        unfold Cminus in *. lra. }
    destruct (level_factor L ltac:(lia)) as [F1 F2].
    assert (S0 : 0 <= sum (seq 0 (2 ^ L)) (fun j => Cmod (z j) + Cmod (z (2 ^ L + j)%nat))).
    { apply sum_nonneg. intros j _. pose proof (Cmod_ge_0 (z j)). pose proof (Cmod_ge_0 (z (2 ^ L + j)%nat)). lra. }
    assert (UB : under L 0 <= 2 ^ S L * bpow radix2 (-1073)).
    { eapply Rle_trans; [apply under_bound|]. rewrite Rmult_0_r, Rplus_0_l.
      assert (Q : underflow <= 0.8 * bpow radix2 (-1073)).
      { unfold underflow, half_least. replace (bpow radix2 (-1073)) with (bpow radix2 2 * bpow radix2 (-1075)).
        - change (bpow radix2 2) with 4. pose proof (bpow_gt_0 radix2 (-1075)). lra.
        - now rewrite <- bpow_plus. }
      assert (T1 : 1 <= 2 ^ L) by (apply pow_R1_Rle; lra).
      apply Rle_trans with (1.01 * (2 ^ L * (0.8 * bpow radix2 (-1073)))).
      - apply Rmult_le_compat; try lra.
        + apply pow_le. unfold per_level. lra.
        + apply Rmult_le_pos; [lra|unfold underflow; lra].
        + apply Rmult_le_compat; try lra. unfold underflow. lra.
      - cbn [pow]. assert (0 < 2 ^ L * bpow radix2 (-1073)) by (apply Rmult_lt_0_compat; lra). lra. }
    rewrite S_INR.
    assert (G : ((1 + 1.0001 * roundoff) * (1 + per_level) ^ L - 1)
        * sum (seq 0 (2 ^ L)) (fun j => Cmod (z j) + Cmod (z (2 ^ L + j)%nat)) + under L 0
      <= 4 * (INR L + 1) * roundoff * sum (seq 0 (2 ^ L)) (fun j => Cmod (z j) + Cmod (z (2 ^ L + j)%nat))
         + 2 ^ S L * bpow radix2 (-1073)).
    { apply Rplus_le_compat; [|exact UB]. apply Rmult_le_compat_r; lra. }
    eapply Rle_trans; [|exact G].
    destruct (Nat.ltb_spec k (2 ^ L)) as [KL|KL].
    + apply fft_levels; auto; try lra. intros j J. destruct (B j J) as (B1 & B2 & B3 & B4).
      repeat split; auto; apply double_fl.
    + apply fft_levels; auto; try lra; [lia|]. intros j J. destruct (B j J) as (B1 & B2 & B3 & B4).
      repeat split; auto; apply double_fl.
Qed.

(* ---- the roots of unity ---- *)

(* r(k) = sum over l of b_l 2^{-l-1}, b_l the bits of k, the lowest first; the
   first argument only has to be large enough. *)
Fixpoint reversed_bits (fuel k : nat) : R :=
  match fuel with
  | O => 0
  | S f => (if Nat.odd k then 1 / 2 else 0) + reversed_bits f (Nat.div2 k) / 2
  end.
Definition reversed (k : nat) : R := reversed_bits k k.

Lemma reversed_step f k :
  reversed_bits (S f) k = (if Nat.odd k then 1 / 2 else 0) + reversed_bits f (Nat.div2 k) / 2.
Proof. reflexivity. Qed.

Lemma reversed_zero f : reversed_bits f 0 = 0.
Proof. induction f as [|f IH]; cbn; [reflexivity|]. rewrite IH. lra. Qed.

Lemma reversed_enough f : forall g k, (k <= f)%nat -> (k <= g)%nat -> reversed_bits f k = reversed_bits g k.
Proof.
  induction f as [|f IH]; intros g k F G.
  - assert (k = 0)%nat as -> by lia. now rewrite !reversed_zero.
  - destruct g as [|g]; [assert (k = 0)%nat as -> by lia; now rewrite !reversed_zero|].
    cbn [reversed_bits]. f_equal. f_equal.
    destruct k as [|k]; [cbn [Nat.div2]; now rewrite !reversed_zero|].
    pose proof (Nat.lt_div2 (S k) ltac:(lia)). apply IH; lia.
Qed.

Lemma reversed_even i : reversed (2 * i) = reversed i / 2.
Proof.
  unfold reversed. destruct i as [|i]; [rewrite Nat.mul_0_r, !reversed_zero; lra|].
  rewrite (reversed_enough (2 * S i) (S (2 * S i)) (2 * S i)) by lia. rewrite reversed_step.
  replace (Nat.odd (2 * S i)) with false.
  - rewrite Nat.div2_double, (reversed_enough (2 * S i) (S i)) by lia. cbv iota. lra.
  - symmetry. rewrite <- Nat.negb_even, Nat.even_mul. reflexivity.
Qed.

Lemma reversed_odd i : reversed (2 * i + 1) = 1 / 2 + reversed i / 2.
Proof.
  unfold reversed. replace (2 * i + 1)%nat with (S (2 * i)) by lia. rewrite reversed_step.
  replace (Nat.odd (S (2 * i))) with true.
  - rewrite Nat.div2_succ_double, (reversed_enough (2 * i) i) by lia. reflexivity.
  - symmetry. rewrite Nat.odd_succ, Nat.even_mul. reflexivity.
Qed.

(* e^{-i x} *)
Definition unit_root (x : R) : C := (cos x, - sin x).

Lemma unit_root_add x y : unit_root (x + y) = (unit_root x * unit_root y)%C.
Proof. unfold unit_root, Cmult; cbn. rewrite cos_plus, sin_plus. f_equal; ring. Qed.

Definition node (k : nat) : C := unit_root (2 * PI * reversed k).
Definition twiddle (k : nat) : C := unit_root (PI * reversed k).

Lemma twiddle_zero : twiddle 0 = RtoC 1.
Proof.
  unfold twiddle, reversed, unit_root. cbn [reversed_bits]. rewrite Rmult_0_r, cos_0, sin_0.
  unfold RtoC. f_equal. ring.
Qed.

Theorem twiddles_exact : twiddles twiddle node.
Proof.
  intros i. unfold twiddle, node. split; [|split; [|split]].
  - rewrite <- unit_root_add. f_equal. ring.
  - rewrite reversed_even. f_equal. field.
  - rewrite reversed_odd. replace (2 * PI * (1 / 2 + reversed i / 2)) with (PI * reversed i + PI) by field.
    unfold unit_root, Copp; cbn. rewrite neg_cos, neg_sin. f_equal.
  - unfold unit_root, Cmod; cbn [fst snd]. rewrite <- sqrt_1. f_equal.
    pose proof (sin2_cos2 (PI * reversed i)) as H. unfold Rsqr in H. lra.
Qed.

Lemma node_cpow k j : cpow (node k) j = unit_root (2 * PI * reversed k * INR j).
Proof.
  induction j as [|j IH].
  - cbn [cpow]. change (INR 0) with 0. unfold unit_root. rewrite Rmult_0_r, cos_0, sin_0.
    unfold RtoC. f_equal. ring.
  - cbn [cpow]. rewrite IH, S_INR. unfold node. rewrite <- unit_root_add. f_equal. ring.
Qed.

(* fft_forward() before the reordering: position k holds the transform at the
   frequency r(k) = k reversed / N. *)
Theorem fft_forward_error tw L z k :
  (forall l i, Cmod (tw l i - twiddle i)%C <= 0.712 * roundoff) -> (forall l, tw l O = RtoC 1) ->
  (L <= 26)%nat -> (k < 2 ^ L)%nat -> (forall j, (j < 2 ^ L)%nat -> cdouble (z j)) ->
  Cmod (fft_fl tw L 0 z k - csum (2 ^ L) (fun j => z j * unit_root (2 * PI * reversed k * INR j)))%C
    <= 4 * INR L * roundoff * sum (seq 0 (2 ^ L)) (fun j => Cmod (z j)) + 2 ^ L * bpow radix2 (-1073).
Proof.
  intros W W0 LB K D.
  rewrite (csum_ext _ (fun j => z j * unit_root (2 * PI * reversed k * INR j))%C (fun j => z j * cpow (node k) j)%C).
  - apply (fft_error_sound twiddle); auto using twiddles_exact, twiddle_zero.
  - intros j _. now rewrite node_cpow.
Qed.
