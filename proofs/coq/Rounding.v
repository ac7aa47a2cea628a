(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* IEEE binary64 arithmetic, rounded to nearest even, and the calculus of
   "k roundings" of ../fast.md, section Arithmetic.
   fl x is the double nearest to the real x (Flocq's rounding operator with
   the gradual underflow of binary64; no largest double: the C code checks that
   what it uses is finite). An operation of the C code is fl of the exact one.
   roundings k x y says that y is x after k roundings: y = x exp d with
   |d| <= k 2^-53. The number k is real, so that a constant converted from a
   ball of relative accuracy 2^-60 has 1.02 roundings. A factor between
   (1-2^-53)^k and (1+2^-53)^k as in ../fast.md is the same up to second order;
   the form here is exactly additive in k and closed under inversion. *)
From Coq Require Import Reals Lra Lia ZArith.
From Flocq Require Import Core Plus_error Relative.
Open Scope R_scope.

(* The unit roundoff 2^-53: ROUNDOFF of src/enclosure/doubles.h. *)
Definition roundoff : R := / 9007199254740992.

(* The format binary64 without an upper end of the range. *)
Definition double (x : R) : Prop := generic_format radix2 (FLT_exp (-1074) 53) x.
Definition fl (x : R) : R := round radix2 (FLT_exp (-1074) 53) ZnearestE x.

(* The least normal double, 2^-1022, and half the least positive one, 2^-1075. *)
Definition least_normal : R := bpow radix2 (-1022).
Definition half_least : R := bpow radix2 (-1075).

(* The exact result of an operation that loses nothing to underflow. *)
Definition normal (x : R) : Prop := x = 0 \/ least_normal <= Rabs x.

(* y is x after at most k roundings. *)
Definition roundings (k x y : R) : Prop :=
  exists d, Rabs d <= k * roundoff /\ y = x * exp d.

Lemma roundoff_bpow : roundoff = bpow radix2 (-53).
Proof. reflexivity. Qed.

Lemma roundoff_pos : 0 < roundoff.
Proof. unfold roundoff. lra. Qed.

Lemma roundoff_small : roundoff <= / 1000000000000000.
Proof. unfold roundoff. lra. Qed.

Lemma half_least_pos : 0 < half_least.
Proof. apply bpow_gt_0. Qed.

Lemma least_normal_pos : 0 < least_normal.
Proof. apply bpow_gt_0. Qed.

Lemma prec53 : Prec_gt_0 53.
Proof. reflexivity. Qed.

#[export] Existing Instance prec53.

Lemma roundoff_u_ro : u_ro radix2 53 = roundoff.
Proof. unfold u_ro. rewrite roundoff_bpow. cbn. lra. Qed.

(* ---- the exponential near 0 ---- *)

Lemma exp_ge x : 1 + x <= exp x.
Proof.
  destruct (Req_dec x 0) as [->|H]; [rewrite exp_0; lra|].
  left. now apply exp_ineq1.
Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H| ->]; [left; now apply exp_increasing|right; reflexivity]. Qed.

Lemma exp_upper x : x < 1 -> exp x <= / (1 - x).
Proof.
  intros H. pose proof (exp_ge (- x)) as G. rewrite exp_Ropp in G.
  rewrite <- (Rinv_inv (exp x)). apply Rinv_le; lra.
Qed.

Lemma ln_mono x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros P [H| ->]; [left; now apply ln_increasing|right; reflexivity]. Qed.

Lemma ln_abs x b : 0 < x -> x <= 1 + b -> / (1 + b) <= x -> 0 <= b ->
  exists d, Rabs d <= b /\ x = exp d.
Proof.
  intros P U L B. exists (ln x). split; [|now rewrite exp_ln].
  assert (A : ln (1 + b) <= b).
  { rewrite <- (ln_exp b) at 2. apply ln_mono; [lra|apply exp_ge]. }
  apply Rabs_le. split.
  - assert (ln (/ (1 + b)) <= ln x) by (apply ln_mono; [apply Rinv_0_lt_compat; lra|lra]).
    rewrite ln_Rinv in H by lra. lra.
  - assert (ln x <= ln (1 + b)) by (apply ln_mono; lra). lra.
Qed.

(* ---- one operation ---- *)

Lemma near_one d : Rabs d <= roundoff / (1 + roundoff) ->
  exists h, Rabs h <= roundoff /\ 1 + d = exp h.
Proof.
  pose proof roundoff_pos as U. pose proof roundoff_small as S. intros H.
  assert (E : roundoff / (1 + roundoff) = 1 - / (1 + roundoff)) by (field; lra).
  assert (P : 0 < / (1 + roundoff)) by (apply Rinv_0_lt_compat; lra).
  assert (M : roundoff / (1 + roundoff) <= roundoff).
  { unfold Rdiv. rewrite <- (Rmult_1_r roundoff) at 3.
    apply Rmult_le_compat_l; [lra|]. rewrite <- Rinv_1. apply Rinv_le; lra. }
  apply Rabs_le_inv in H. apply ln_abs; lra.
Qed.

Lemma double_fl x : double (fl x).
Proof. apply generic_format_round; [apply FLT_exp_valid; reflexivity|apply valid_rnd_N]. Qed.

Lemma fl_double x : double x -> fl x = x.
Proof. intros H. apply round_generic; [apply valid_rnd_N|exact H]. Qed.

Lemma double_0 : double 0.
Proof. apply generic_format_0. Qed.

Lemma fl_0 : fl 0 = 0.
Proof. apply fl_double, double_0. Qed.

Lemma double_opp x : double x -> double (- x).
Proof. apply generic_format_opp. Qed.

Lemma double_abs x : double x -> double (Rabs x).
Proof. apply generic_format_abs. Qed.

Lemma fl_opp x : fl (- x) = - fl x.
Proof. apply round_NE_opp. Qed.

Lemma fl_le x y : x <= y -> fl x <= fl y.
Proof. apply round_le; [apply FLT_exp_valid; reflexivity|apply valid_rnd_N]. Qed.

Lemma fl_nonneg x : 0 <= x -> 0 <= fl x.
Proof. intros H. rewrite <- fl_0. now apply fl_le. Qed.

Lemma double_bpow e : (-1074 <= e)%Z -> double (bpow radix2 e).
Proof. intros H. apply generic_format_FLT_bpow; [reflexivity|exact H]. Qed.

Lemma fl_abs x : fl (Rabs x) = Rabs (fl x).
Proof.
  destruct (Rle_dec 0 x) as [H|H].
  - rewrite !Rabs_pos_eq; auto using fl_nonneg.
  - assert (N : fl x <= 0) by (rewrite <- fl_0; apply fl_le; lra).
    rewrite !Rabs_left1 by lra. apply fl_opp.
Qed.

(* Exact integers: every integer below 2^53 is a double. *)
Lemma double_IZR m : (Z.abs m <= 2 ^ 53)%Z -> double (IZR m).
Proof.
  intros H. destruct (Z_lt_le_dec (Z.abs m) (2 ^ 53)) as [L|L].
  - apply generic_format_FLT. exists (Float radix2 m 0); cbn.
    + unfold F2R; cbn. lra.
    + exact L.
    + lia.
  - assert (m = 2 ^ 53 \/ m = - 2 ^ 53)%Z as [->| ->] by lia.
    + apply (double_bpow 53). lia.
    + rewrite opp_IZR. apply double_opp, (double_bpow 53). lia.
Qed.

(* Doubling and halving normal doubles is exact. *)
Lemma double_twice x : double x -> double (2 * x).
Proof.
  intros H. apply FLT_format_generic in H; [|reflexivity].
  destruct H as [[m q] E M Q]. cbn in *. apply generic_format_FLT.
  exists (Float radix2 m (q + 1)); cbn; [|exact M|lia].
  rewrite E. unfold F2R; cbn [Fnum Fexp]. rewrite bpow_plus. change (bpow radix2 1) with 2. ring.
Qed.

(* One operation with any result: relative error, or underflow. *)
Theorem fl_error x : Rabs (fl x - x) <= roundoff * Rabs x + half_least.
Proof.
  destruct (relative_error_N_FLT'_ex radix2 (-1074) 53 prec53 (fun n => negb (Z.even n)) x)
    as (d & h & D & H & _ & E).
  fold (fl x) in E. rewrite E. rewrite roundoff_u_ro in D.
  pose proof roundoff_pos. pose proof roundoff_small.
  assert (M : roundoff / (1 + roundoff) <= roundoff).
  { unfold Rdiv. rewrite <- (Rmult_1_r roundoff) at 3.
    apply Rmult_le_compat_l; [lra|]. rewrite <- Rinv_1. apply Rinv_le; lra. }
  replace (x * (1 + d) + h - x) with (d * x + h) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult.
  apply Rplus_le_compat.
  - apply Rmult_le_compat_r; [apply Rabs_pos|lra].
  - unfold half_least. replace (/ 2 * bpow radix2 (-1074)) with (bpow radix2 (-1075)) in H; [exact H|].
    replace (/ 2) with (bpow radix2 (-1)) by reflexivity. now rewrite <- bpow_plus.
Qed.

(* One operation in the normal range: one rounding. *)
Theorem fl_normal x : normal x -> roundings 1 x (fl x).
Proof.
  intros [->|N].
  - exists 0. rewrite fl_0, Rabs_R0. pose proof roundoff_pos. split; lra.
  - destruct (relative_error_N_FLX'_ex radix2 53 prec53 (fun n => negb (Z.even n)) x) as (d & D & E).
    rewrite roundoff_u_ro in D. apply near_one in D as (h & H & G).
    exists h. split; [lra|]. rewrite <- G, <- E. apply round_FLT_FLX. exact N.
Qed.

(* The same, guarded by the computed result: what the C code can check. *)
Theorem fl_guard x : least_normal < Rabs (fl x) -> roundings 1 x (fl x).
Proof.
  intros N. apply fl_normal.
  destruct (Rle_or_lt least_normal (Rabs x)) as [H|H]; [now right|exfalso].
  (* below the normal range rounding is monotone and stays at most least_normal *)
  assert (L : fl (Rabs x) <= fl least_normal) by (apply fl_le; lra).
  rewrite fl_abs, (fl_double least_normal) in L by (apply double_bpow; lia). lra.
Qed.

(* A sum or difference of doubles has one rounding, whatever its size. *)
Theorem fl_plus x y : double x -> double y -> roundings 1 (x + y) (fl (x + y)).
Proof.
  intros X Y.
  destruct (FLT_plus_error_N_ex radix2 (-1074) 53 (fun n => negb (Z.even n)) x y X Y) as (d & D & E).
  rewrite roundoff_u_ro in D. apply near_one in D as (h & H & G).
  exists h. split; [lra|]. rewrite <- G. exact E.
Qed.

Theorem fl_minus x y : double x -> double y -> roundings 1 (x - y) (fl (x - y)).
Proof. intros X Y. apply fl_plus; [exact X|now apply double_opp]. Qed.

(* ---- the calculus ---- *)

Lemma roundings_refl x : roundings 0 x x.
Proof. exists 0. rewrite Rabs_R0, exp_0. split; lra. Qed.

Lemma roundings_more k l x y : k <= l -> roundings k x y -> roundings l x y.
Proof.
  intros H (d & D & E). exists d. split; [|exact E].
  pose proof roundoff_pos. nra.
Qed.

Lemma roundings_trans k l x y z : roundings k x y -> roundings l y z -> roundings (k + l) x z.
Proof.
  intros (d & D & ->) (h & H & ->). exists (d + h). split.
  - eapply Rle_trans; [apply Rabs_triang|]. lra.
  - rewrite exp_plus. ring.
Qed.

Lemma roundings_sym k x y : roundings k x y -> roundings k y x.
Proof.
  intros (d & D & ->). exists (- d). rewrite Rabs_Ropp. split; [exact D|].
  rewrite Rmult_assoc, <- exp_plus, Rplus_opp_r, exp_0. ring.
Qed.

Lemma roundings_mult k l x y a b :
  roundings k x a -> roundings l y b -> roundings (k + l) (x * y) (a * b).
Proof.
  intros (d & D & ->) (h & H & ->). exists (d + h). split.
  - eapply Rle_trans; [apply Rabs_triang|]. lra.
  - rewrite exp_plus. ring.
Qed.

Lemma roundings_inv k x a : roundings k x a -> roundings k (/ x) (/ a).
Proof.
  intros (d & D & ->). exists (- d). rewrite Rabs_Ropp. split; [exact D|].
  now rewrite exp_Ropp, Rinv_mult.
Qed.

Lemma roundings_div k l x y a b :
  roundings k x a -> roundings l y b -> roundings (k + l) (x / y) (a / b).
Proof. intros H G. apply roundings_mult; [exact H|now apply roundings_inv]. Qed.

Lemma roundings_scale c k x y : roundings k x y -> roundings k (c * x) (c * y).
Proof. intros (d & D & ->). exists d. split; [exact D|ring]. Qed.

Lemma roundings_opp k x y : roundings k x y -> roundings k (- x) (- y).
Proof. intros (d & D & ->). exists d. split; [exact D|ring]. Qed.

Lemma roundings_0 k y : roundings k 0 y -> y = 0.
Proof. intros (d & _ & ->). ring. Qed.

Lemma roundings_pos k x y : roundings k x y -> 0 < x -> 0 < y.
Proof. intros (d & _ & ->) H. apply Rmult_lt_0_compat; [exact H|apply exp_pos]. Qed.

Lemma roundings_nonneg k x y : roundings k x y -> 0 <= x -> 0 <= y.
Proof. intros (d & _ & ->) H. apply Rmult_le_pos; [exact H|left; apply exp_pos]. Qed.

Lemma roundings_k k x y : roundings k x y -> 0 <= k.
Proof.
  intros (d & D & _). pose proof (Rabs_pos d). pose proof roundoff_pos. nra.
Qed.

(* y is at most x exp(k e) in absolute value, and at least x exp(-k e). *)
Lemma roundings_upper k x y : roundings k x y -> Rabs y <= Rabs x * exp (k * roundoff).
Proof.
  intros (d & D & ->). rewrite Rabs_mult, (Rabs_pos_eq (exp d)) by (left; apply exp_pos).
  apply Rmult_le_compat_l; [apply Rabs_pos|]. apply exp_le.
  pose proof (Rle_abs d). lra.
Qed.

Lemma roundings_lower k x y : roundings k x y -> Rabs x * exp (- (k * roundoff)) <= Rabs y.
Proof.
  intros H. apply roundings_sym, roundings_upper in H.
  apply Rmult_le_reg_r with (exp (k * roundoff)); [apply exp_pos|].
  rewrite Rmult_assoc, <- exp_plus, Rplus_opp_l, exp_0. lra.
Qed.

Lemma exp_minus_one d b : Rabs d <= b -> Rabs (exp d - 1) <= exp b - 1.
Proof.
  intros H. apply Rabs_le_inv in H.
  assert (exp d <= exp b) by (apply exp_le; lra).
  assert (exp (- b) <= exp d) by (apply exp_le; lra).
  pose proof (exp_ge b). pose proof (exp_ge (- b)). apply Rabs_le.
  assert (2 <= exp b + exp (- b)) by (pose proof (exp_ge b); pose proof (exp_ge (- b)); lra).
  lra.
Qed.

(* The absolute error of k roundings, relative to either side. *)
Theorem roundings_error k x y : roundings k x y -> Rabs (y - x) <= (exp (k * roundoff) - 1) * Rabs x.
Proof.
  intros (d & D & ->). replace (x * exp d - x) with ((exp d - 1) * x) by ring.
  rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|now apply exp_minus_one].
Qed.

Lemma roundings_error_r k x y : roundings k x y -> Rabs (y - x) <= (exp (k * roundoff) - 1) * Rabs y.
Proof. intros H. rewrite Rabs_minus_sym. now apply roundings_error, roundings_sym. Qed.

(* Counting instead of exponentials: if k e <= s < 1 then exp(k e)-1 is at most k e / (1 - s). *)
Lemma exp_linear x s : 0 <= x <= s -> s < 1 -> exp x - 1 <= x / (1 - s).
Proof.
  intros X S. pose proof (exp_upper x ltac:(lra)).
  assert (/ (1 - x) - 1 = x * / (1 - x)) by (field; lra).
  assert (/ (1 - x) <= / (1 - s)) by (apply Rinv_le; lra).
  assert (x * / (1 - x) <= x * / (1 - s)) by (apply Rmult_le_compat_l; lra).
  unfold Rdiv. lra.
Qed.

(* ../fast.md: k roundings with k < 2^44 are a relative error of at most 1.01 k 2^-53. *)
Theorem count_error k x y : roundings k x y -> k <= 17592186044416 ->
  Rabs (y - x) <= 1.01 * k * roundoff * Rabs x.
Proof.
  intros H K. pose proof (roundings_k k x y H). apply roundings_error in H.
  eapply Rle_trans; [exact H|]. apply Rmult_le_compat_r; [apply Rabs_pos|].
  eapply Rle_trans; [apply (exp_linear _ (1/200))|]; unfold roundoff in *; lra.
Qed.

(* The classical form: a product of k factors 1 + d_i with |d_i| <= e differs from 1 by at most
   (1+e)^k - 1 <= k e / (1 - k e). *)
Theorem factors_error e : 0 <= e -> forall l, List.Forall (fun d => Rabs d <= e) l ->
  INR (List.length l) * e < 1 ->
  Rabs (List.fold_right (fun d r => (1 + d) * r) 1 l - 1) <= (1 + e) ^ List.length l - 1 /\
  (1 + e) ^ List.length l - 1 <= INR (List.length l) * e / (1 - INR (List.length l) * e).
Proof.
  intros E l F K. split.
  - clear K. induction F as [|d l D F IH]; cbn [List.fold_right List.length pow].
    + rewrite Rminus_diag_eq, Rabs_R0; lra.
    + set (p := List.fold_right _ 1 l) in *. set (q := (1 + e) ^ List.length l) in *.
      replace ((1 + d) * p - 1) with ((p - 1) + (d * (p - 1) + d)) by ring.
      eapply Rle_trans; [apply Rabs_triang|].
      assert (Rabs (d * (p - 1) + d) <= e * (q - 1) + e).
      { eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult.
        apply Rplus_le_compat; [|exact D].
        apply Rmult_le_compat; auto using Rabs_pos. }
      lra.
  - set (k := INR _) in *.
    assert (P : (1 + e) ^ List.length l <= exp (k * e)).
    { unfold k. clear - E. induction (List.length l) as [|m IH].
      - cbn [pow]. change (INR 0) with 0. rewrite Rmult_0_l, exp_0. lra.
      - rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus. cbn [pow].
        rewrite (Rmult_comm (exp (INR m * e))).
        assert (1 + e <= exp e) by apply exp_ge.
        apply Rmult_le_compat; [lra|apply pow_le; lra|lra|exact IH]. }
    pose proof (pos_INR (List.length l)). fold k in H.
    assert (0 <= k * e) by (apply Rmult_le_pos; lra).
    pose proof (exp_linear (k * e) (k * e) ltac:(lra) K). lra.
Qed.
