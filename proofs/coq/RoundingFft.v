(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* The rounding error of the Fourier transform of src/pld/fft.c: ../fft.md,
   Lemmas 1, 3 and 4 and its Theorem, every operation rounded as in binary64,
   underflow included.
   A block of 2^L entries at index i is halved by butterflies with one twiddle
   factor t_i into the blocks 2i and 2i+1 (butterfly(), two_levels()); the order
   in which blocks are visited and the final reordering move data only.
   Theorem (fft_error_sound): for N = 2^L, L <= 26, every computed output differs from
   the exact transform by at most 4 L 2^-53 sum |z_j| + N 2^-1073, given twiddle factors
   within 0.712 * 2^-53 (../fft.md, Lemma 2) and t_0 = 1 exactly. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core.
From Coquelicot Require Import Complex.
From Shufbound Require Import Sum Rounding RoundingSum RoundingStep.
Import ListNotations.
Open Scope R_scope.

(* ---- complex numbers in doubles ---- *)

Definition cdouble (z : C) : Prop := double (fst z) /\ double (snd z).

(* a + w b and a - w b of butterfly(), the product first:
     x = re * b[0] - im * b[1], y = re * b[1] + im * b[0] *)
Definition fl_mult (w z : C) : C :=
  (fl (fl (fst w * fst z) - fl (snd w * snd z)), fl (fl (fst w * snd z) + fl (snd w * fst z))).
Definition fl_add (a b : C) : C := (fl (fst a + fst b), fl (snd a + snd b)).
Definition fl_sub (a b : C) : C := (fl (fst a - fst b), fl (snd a - snd b)).

Lemma Cmod_le a b x y : Rabs a <= x -> Rabs b <= y -> Cmod (a, b) <= Cmod (x, y).
Proof.
  intros A B. unfold Cmod; cbn [fst snd]. apply sqrt_le_1_alt.
  rewrite <- (pow2_abs a), <- (pow2_abs b).
  apply Rplus_le_compat; apply pow_incr; split; auto using Rabs_pos.
Qed.

Lemma Cmod_scale k x y : 0 <= k -> Cmod (k * x, k * y) = k * Cmod (x, y).
Proof.
  intros K. replace (k * x, k * y) with (Cmult (RtoC k) (x, y)).
  - rewrite Cmod_mult, Cmod_R, Rabs_pos_eq; auto.
  - unfold Cmult, RtoC; cbn. f_equal; ring.
Qed.

(* The sum of two doubles: relative error in modulus, subnormal or not. *)
Lemma fl_add_error a b : cdouble a -> cdouble b ->
  Cmod (fl_add a b - (a + b))%C <= (1.0001 * roundoff) * Cmod (a + b)%C.
Proof.
  intros [A1 A2] [B1 B2].
  pose proof (exp_small 1 ltac:(lra)) as X.
  assert (P : forall x y, double x -> double y -> Rabs (fl (x + y) - (x + y)) <= 1.0001 * roundoff * Rabs (x + y)).
  { intros x y Dx Dy. pose proof (roundings_error _ _ _ (fl_plus x y Dx Dy)) as E.
    eapply Rle_trans; [exact E|]. apply Rmult_le_compat_r; [apply Rabs_pos|lra]. }
  destruct a as [a1 a2], b as [b1 b2]; cbn [fst snd] in *.
  change (Cmod (fl (a1 + b1) - (a1 + b1), fl (a2 + b2) - (a2 + b2)) <= (1.0001 * roundoff) * Cmod (a1 + b1, a2 + b2)).
  eapply Rle_trans; [apply Cmod_le; apply P; assumption|].
  rewrite Cmod_scale by (pose proof roundoff_pos; lra).
  apply Rmult_le_compat_l; [pose proof roundoff_pos; lra|].
  unfold Cmod; cbn [fst snd]. rewrite !pow2_abs. lra.
Qed.

Lemma fl_sub_add a b : fl_sub a b = fl_add a (- b)%C.
Proof. reflexivity. Qed.

Lemma cdouble_opp b : cdouble b -> cdouble (- b)%C.
Proof. intros [A B]. split; cbn; now apply double_opp. Qed.

Lemma cdouble_add a b : cdouble (fl_add a b).
Proof. split; apply double_fl. Qed.

Lemma cdouble_mult a b : cdouble (fl_mult a b).
Proof. split; apply double_fl. Qed.

(* ../fft.md, Lemma 3: the constant 16/3, without trigonometry. *)
Lemma product_parts_pos a b c d : 0 <= a -> 0 <= b -> 0 <= c -> 0 <= d ->
  (2 * Rmax (a * c) (b * d)) ^ 2 + (2 * (a * d + b * c)) ^ 2 <= 16 / 3 * ((a ^ 2 + b ^ 2) * (c ^ 2 + d ^ 2)).
Proof.
  intros A B C D.
  assert (0 <= (a * d - b * c) ^ 2) by apply pow2_ge_0.
  unfold Rmax. destruct (Rle_dec (a * c) (b * d)).
  - assert (0 <= (b * d - 2 * (a * c)) ^ 2) by apply pow2_ge_0. nra.
  - assert (0 <= (a * c - 2 * (b * d)) ^ 2) by apply pow2_ge_0. nra.
Qed.

Lemma product_parts a b c d :
  (Rabs (a * c) + Rabs (b * d) + Rabs (a * c - b * d)) ^ 2
  + (Rabs (a * d) + Rabs (b * c) + Rabs (a * d + b * c)) ^ 2
  <= 16 / 3 * ((a ^ 2 + b ^ 2) * (c ^ 2 + d ^ 2)).
Proof.
  (* the left side is that of the absolute values, with |ac| -+ |bd| and |ad| +- |bc| *)
  assert (K : forall x y, Rabs x + Rabs y + Rabs (x - y) =
     (if Rle_dec 0 (x * y) then 2 * Rmax (Rabs x) (Rabs y) else 2 * (Rabs x + Rabs y))).
  { intros x y. unfold Rmax. destruct (Rle_dec 0 (x * y)) as [H|H];
      [destruct (Rle_dec (Rabs x) (Rabs y)) as [L|L]|];
      unfold Rabs in *; destruct (Rcase_abs x), (Rcase_abs y), (Rcase_abs (x - y)); try lra; nra. }
  pose proof (K (a * c) (b * d)) as K1.
  pose proof (K (a * d) (- (b * c))) as K2. rewrite Rabs_Ropp in K2.
  replace (a * d - - (b * c)) with (a * d + b * c) in K2 by ring.
  rewrite K1, K2. clear K1 K2 K.
  rewrite <- (pow2_abs a), <- (pow2_abs b), <- (pow2_abs c), <- (pow2_abs d).
  rewrite !Rabs_mult.
  pose proof (Rabs_pos a) as A. pose proof (Rabs_pos b) as B.
  pose proof (Rabs_pos c) as C. pose proof (Rabs_pos d) as D.
  destruct (Rle_dec 0 (a * c * (b * d))) as [P|P], (Rle_dec 0 (a * d * - (b * c))) as [Q|Q].
  - (* abcd = 0 *)
    assert (Z : a * b * c * d = 0) by nra.
    assert (Z' : Rabs a * Rabs b * Rabs c * Rabs d = 0) by (rewrite <- !Rabs_mult, Z; apply Rabs_R0).
    pose proof (product_parts_pos _ _ _ _ A B C D) as H.
    eapply Rle_trans; [|exact H]. apply Rplus_le_compat_l.
    apply pow_incr. assert (X1 : 0 <= Rabs a * Rabs d) by now apply Rmult_le_pos.
    assert (X2 : 0 <= Rabs b * Rabs c) by now apply Rmult_le_pos.
    unfold Rmax. destruct (Rle_dec (Rabs a * Rabs d) (Rabs b * Rabs c)); lra.
  - apply product_parts_pos; assumption.
  - pose proof (product_parts_pos _ _ _ _ A B D C) as H. lra.
  - assert (0 < a * d * - (b * c) \/ 0 <= a * c * (b * d)) by (destruct (Rle_dec 0 (a * c * (b * d))); nra). nra.
Qed.

(* ../fft.md, Lemma 3: the computed product of two complex doubles. *)
Theorem product_error w z :
  Cmod (fl_mult w z - w * z)%C <= 2.3095 * roundoff * (Cmod w * Cmod z) + 1.42 * (2 * half_least).
Proof.
  destruct w as [a b], z as [c d].
  pose proof roundoff_pos as e0. pose proof half_least_pos as h0.
  pose proof (exp_small 1 ltac:(lra)) as X1.
  assert (X : exp (1 * roundoff) - 1 <= 1.0000001 * roundoff).
  { assert (B : 0 <= 1 * roundoff <= 1 / 100000000) by (unfold roundoff; lra).
    pose proof (exp_linear _ _ B ltac:(lra)). lra. }
  (* one part: p - q, or with q replaced by -q, p + q *)
  assert (part : forall p q x y, x = fl p -> y = fl q ->
     Rabs (fl (x - y) - (p - q)) <= 1.000001 * roundoff * (Rabs p + Rabs q + Rabs (p - q)) + 1.000001 * (2 * half_least)).
  { intros p q x y -> ->.
    pose proof (fl_error p) as Ep. pose proof (fl_error q) as Eq.
    pose proof (roundings_error _ _ _ (fl_minus (fl p) (fl q) (double_fl _) (double_fl _))) as Em.
    pose proof (Rabs_pos p). pose proof (Rabs_pos q). pose proof (Rabs_pos (p - q)).
    set (m := roundoff * (Rabs p + Rabs q) + 2 * half_least) in *.
    assert (Ed : Rabs ((fl p - fl q) - (p - q)) <= m).
    { replace ((fl p - fl q) - (p - q)) with ((fl p - p) - (fl q - q)) by ring.
      unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. unfold m. lra. }
    assert (Es : Rabs (fl p - fl q) <= Rabs (p - q) + m).
    { replace (fl p - fl q) with ((p - q) + ((fl p - fl q) - (p - q))) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. lra. }
    replace (fl (fl p - fl q) - (p - q)) with ((fl (fl p - fl q) - (fl p - fl q)) + ((fl p - fl q) - (p - q))) by ring.
    eapply Rle_trans; [apply Rabs_triang|].
    assert (Em' : Rabs (fl (fl p - fl q) - (fl p - fl q)) <= 1.0000001 * roundoff * (Rabs (p - q) + m)).
    { eapply Rle_trans; [exact Em|]. apply Rmult_le_compat; try lra; [|apply Rabs_pos].
      pose proof (exp_ge (1 * roundoff)). lra. }
    assert (M0 : 0 <= m) by (unfold m; assert (0 <= roundoff * (Rabs p + Rabs q)) by (apply Rmult_le_pos; lra); lra).
    assert (roundoff * m <= 0.0000001 * m) by (apply Rmult_le_compat_r; [exact M0|unfold roundoff; lra]).
    assert (0 <= roundoff * (Rabs p + Rabs q)) by (apply Rmult_le_pos; lra).
    assert (0 <= roundoff * Rabs (p - q)) by (apply Rmult_le_pos; lra).
    unfold m in *. lra. }
  pose proof (part (a * c) (b * d) _ _ eq_refl eq_refl) as R1.
  pose proof (part (a * d) (- (b * c)) _ _ eq_refl eq_refl) as R2.
  rewrite fl_opp, Rabs_Ropp in R2.
  replace (fl (a * d) - - fl (b * c)) with (fl (a * d) + fl (b * c)) in R2 by ring.
  replace (a * d - - (b * c)) with (a * d + b * c) in R2 by ring.
  set (x := Rabs (a * c) + Rabs (b * d) + Rabs (a * c - b * d)) in *.
  set (y := Rabs (a * d) + Rabs (b * c) + Rabs (a * d + b * c)) in *.
  set (k := 1.000001 * roundoff) in *. set (h := 1.000001 * (2 * half_least)) in *.
  assert (G : Cmod (x, y) <= 2.30941 * (Cmod (a, b) * Cmod (c, d))).
  { pose proof (product_parts a b c d) as Q. fold x y in Q.
    unfold Cmod; cbn [fst snd]. rewrite <- sqrt_mult_alt by (pose proof (pow2_ge_0 a); pose proof (pow2_ge_0 b); lra).
    set (m := (a ^ 2 + b ^ 2) * (c ^ 2 + d ^ 2)) in *.
    assert (M0 : 0 <= m).
    { pose proof (pow2_ge_0 a). pose proof (pow2_ge_0 b). pose proof (pow2_ge_0 c). pose proof (pow2_ge_0 d).
      apply Rmult_le_pos; lra. }
    assert (S2 : sqrt (2.30941 ^ 2) = 2.30941) by (apply sqrt_pow2; lra).
    rewrite <- S2 at 1. rewrite <- sqrt_mult_alt by lra. apply sqrt_le_1_alt. lra. }
  replace (fl_mult (a, b) (c, d) - (a, b) * (c, d))%C
    with (fl (fl (a * c) - fl (b * d)) - (a * c - b * d), fl (fl (a * d) + fl (b * c)) - (a * d + b * c))
    by reflexivity.
  eapply Rle_trans; [apply Cmod_le; [exact R1|exact R2]|].
  replace (k * x + h, k * y + h) with (Cplus (k * x, k * y) (h, h)) by reflexivity.
  eapply Rle_trans; [apply Cmod_triangle|].
  rewrite Cmod_scale by (unfold k; lra).
  assert (H2 : Cmod (h, h) <= 1.4143 * h).
  { assert (h1 : 0 <= h) by (unfold h; lra).
    unfold Cmod; cbn [fst snd]. replace (h ^ 2 + h ^ 2) with (2 * h ^ 2) by ring.
    rewrite sqrt_mult_alt, sqrt_pow2 by lra. apply Rmult_le_compat_r; [exact h1|].
    rewrite <- (sqrt_pow2 1.4143) by lra. apply sqrt_le_1_alt. lra. }
  assert (k * Cmod (x, y) <= k * (2.30941 * (Cmod (a, b) * Cmod (c, d)))) by (apply Rmult_le_compat_l; [unfold k; lra|exact G]).
  assert (0 <= roundoff * (Cmod (a, b) * Cmod (c, d))).
  { apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; apply Cmod_ge_0. }
  unfold k, h in *. lra.
Qed.

(* The first twiddle factor is 1: its product is exact. *)
Lemma product_one z : cdouble z -> fl_mult (RtoC 1) z = z.
Proof.
  destruct z as [c d]. intros [A B]. unfold fl_mult, RtoC; cbn [fst snd] in *.
  rewrite !Rmult_0_l, !Rmult_1_l, fl_0, !(fl_double c), !(fl_double d) by assumption.
  rewrite Rminus_0_r, Rplus_0_r. f_equal; now apply fl_double.
Qed.
