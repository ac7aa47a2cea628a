(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* The starting value: value_series in src/fast/fast.c, ../fast.md, Lemma 4, every
   operation rounded.
   Part 1, series_sum_error: the computed sum of the terms taken is off by at
   most the computed error, plus what underflow can do, a few times 2^-1075 a
   term. The C code does not add that; RoundingStart.v shows why it need not.
   Part 2, series_exact: the series is the value V_t(c), in exact arithmetic.
   Part 3, series_rest: the bound of the terms not taken. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core.
From Shufbound Require Import Sum Rounding RoundingSum RoundingStep RoundingBinomial.
Import ListNotations.
Open Scope R_scope.

(* ---- sums of any sign ---- *)

Theorem accumulate_signed l : forall s, double s -> Forall double l ->
  Rabs (accumulate s l - (s + sum l (fun x => x)))
    <= (exp (INR (length l) * roundoff) - 1) * (Rabs s + sum l Rabs).
Proof.
  pose proof roundoff_pos as e0.
  induction l as [|x l IH]; intros s D F.
  - cbn [accumulate fold_left sum length]. change (INR 0) with 0. rewrite Rmult_0_l, exp_0.
    replace (s - (s + 0)) with 0 by ring. rewrite Rabs_R0. lra.
  - inversion_clear F as [|? ? X F']. specialize (IH (fl (s + x)) (double_fl _) F').
    unfold accumulate in *. cbn [fold_left sum length]. set (a := fold_left _ l _) in *.
    pose proof (fl_plus s x D X) as R1. pose proof (roundings_error _ _ _ R1) as E1.
    pose proof (roundings_upper _ _ _ R1) as U1. rewrite Rmult_1_l in E1, U1.
    assert (T : Rabs (s + x) <= Rabs s + Rabs x) by apply Rabs_triang.
    pose proof (Rabs_pos s). pose proof (Rabs_pos x).
    assert (L0 : 0 <= sum l Rabs) by (apply sum_nonneg; intros; apply Rabs_pos).
    rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus.
    set (n := INR (length l)) in *. set (en := exp (n * roundoff)) in *. set (e1 := exp roundoff) in *.
    assert (1 <= en).
    { unfold en. rewrite <- exp_0. apply exp_le. apply Rmult_le_pos; [apply pos_INR|lra]. }
    assert (1 <= e1) by (unfold e1; rewrite <- exp_0; apply exp_le; lra).
    replace (a - (s + (x + sum l (fun x0 => x0)))) with ((a - (fl (s + x) + sum l (fun x0 => x0))) + (fl (s + x) - (s + x))) by ring.
    eapply Rle_trans; [apply Rabs_triang|].
    assert (A1 : (en - 1) * (Rabs (fl (s + x)) + sum l Rabs) <= (en - 1) * (e1 * (Rabs s + Rabs x) + sum l Rabs)).
    { apply Rmult_le_compat_l; [lra|]. apply Rplus_le_compat_r. eapply Rle_trans; [exact U1|].
      rewrite Rmult_comm. apply Rmult_le_compat_l; lra. }
    assert (A2 : (e1 - 1) * Rabs (s + x) <= (e1 - 1) * (Rabs s + Rabs x)) by (apply Rmult_le_compat_l; lra).
    assert (A3 : 0 <= (en * e1 - en) * sum l Rabs).
    { apply Rmult_le_pos; [|exact L0]. assert (en * 1 <= en * e1) by (apply Rmult_le_compat_l; lra). lra. }
    lra.
Qed.

(* ---- one term ---- *)

(* pmf, gain, cost and count of the code, and the exact term
   Pr[X = a-1] (u - (u+w) r_a). *)
Record part := { t_pmf : R; t_gain : R; t_cost : R; t_count : R; t_exact : R }.

(* pmf after t_count roundings, gain and cost after 6.04 (series.g in ../gappa:
   3.02 for rho = 1/2; 1.02 and 6.04 otherwise). *)
Definition part_ok (x : part) : Prop :=
  0 <= t_pmf x /\ 0 <= t_cost x /\ double (t_gain x) /\ double (t_cost x) /\ 0 <= t_count x <= 2 ^ 43 /\
  exists p g h, roundings (t_count x) p (t_pmf x) /\ roundings 6.04 g (t_gain x) /\ roundings 6.04 h (t_cost x) /\
    t_exact x = p * (g - h).

(* term = pmf * (gain - cost); parts += pmf * (fabs(gain) + cost) *)
Definition t_term (x : part) : R := fl (t_pmf x * fl (t_gain x - t_cost x)).
Definition t_parts (x : part) : R := t_pmf x * fl (Rabs (t_gain x) + t_cost x).

Lemma part_error x : part_ok x ->
  Rabs (t_term x - t_exact x) <= roundoff * (1.01 * (Rabs (t_term x) * t_count x) + 7.2 * t_parts x + 1.001 * Rabs (t_term x))
    + 1.1 * half_least /\ 0 <= t_parts x.
Proof.
  intros (P0 & H0 & DG & DH & K & p & g & h & Rp & Rg & Rh & E).
  pose proof roundoff_pos as e0. pose proof half_least_pos as hl.
  set (k := t_count x) in *. set (q := t_pmf x) in *. set (G := t_gain x) in *. set (H := t_cost x) in *.
  set (D := fl (G - H)). set (A := fl (Rabs G + H)).
  assert (TT : t_term x = fl (q * D)) by reflexivity.
  set (T := t_term x) in *.
  assert (TP : t_parts x = q * A) by reflexivity. rewrite TP.
  pose proof (Rabs_pos G) as G0.
  (* the parts *)
  assert (A0 : 0 <= A) by (apply fl_nonneg; lra).
  assert (A1 : Rabs G + H <= 1.00001 * A).
  { pose proof (fl_plus (Rabs G) H (double_abs _ DG) DH) as R1. fold A in R1.
    apply roundings_sym, roundings_upper in R1.
    rewrite (Rabs_pos_eq (Rabs G + H)), (Rabs_pos_eq A) in R1 by lra.
    pose proof (exp_small 1 ltac:(lra)) as X. unfold roundoff in X.
    assert (exp (1 * roundoff) <= 1.00001) by (unfold roundoff; lra).
    assert (A * exp (1 * roundoff) <= A * 1.00001) by (apply Rmult_le_compat_l; lra). lra. }
  (* the bracket *)
  assert (B : Rabs (D - (g - h)) <= 7.05 * roundoff * (Rabs G + H)).
  { pose proof (roundings_error_r _ _ _ Rg) as Eg. pose proof (roundings_error_r _ _ _ Rh) as Eh.
    rewrite (Rabs_pos_eq H H0) in Eh.
    pose proof (roundings_error _ _ _ (fl_minus G H DG DH)) as Ed. fold D in Ed.
    pose proof (exp_small 1 ltac:(lra)) as X1. pose proof (exp_small 6.04 ltac:(lra)) as X6.
    assert (GH : Rabs (G - H) <= Rabs G + H).
    { unfold Rminus. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, (Rabs_pos_eq H); lra. }
    assert (Y1 : (exp (1 * roundoff) - 1) * Rabs (G - H) <= 1.0001 * 1 * roundoff * (Rabs G + H)).
    { apply Rmult_le_compat; try lra; [pose proof (exp_ge (1 * roundoff)); lra|apply Rabs_pos]. }
    assert (Y2 : (exp (6.04 * roundoff) - 1) * Rabs G <= 1.0001 * 6.04 * roundoff * Rabs G) by (apply Rmult_le_compat_r; lra).
    assert (Y3 : (exp (6.04 * roundoff) - 1) * H <= 1.0001 * 6.04 * roundoff * H) by (apply Rmult_le_compat_r; lra).
    replace (D - (g - h)) with ((D - (G - H)) + ((G - g) - (H - h))) by ring.
    eapply Rle_trans; [apply Rabs_triang|].
    assert (Rabs ((G - g) - (H - h)) <= Rabs (G - g) + Rabs (H - h)).
    { unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
    assert (0 <= roundoff * (Rabs G + H)) by (apply Rmult_le_pos; lra). lra. }
  (* the pmf *)
  assert (KE : 0 <= k * roundoff <= 1 / 1000) by (unfold roundoff; lra).
  pose proof (exp_linear _ _ KE ltac:(lra)) as X.
  assert (Ep : Rabs (q - p) <= 1.0011 * k * roundoff * q).
  { pose proof (roundings_error_r _ _ _ Rp) as Q. rewrite (Rabs_pos_eq q P0) in Q.
    eapply Rle_trans; [exact Q|]. apply Rmult_le_compat_r; lra. }
  assert (PQ : Rabs p <= 1.0011 * q).
  { replace p with (q - (q - p)) by ring. unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang|].
    rewrite Rabs_Ropp, (Rabs_pos_eq q P0).
    assert (1.0011 * k * roundoff * q <= 0.0011 * q) by (apply Rmult_le_compat_r; lra). lra. }
  assert (F : Rabs (q * D - p * (g - h)) <= 1.0011 * k * roundoff * Rabs (q * D) + 1.0011 * 7.05 * roundoff * (q * (Rabs G + H))).
  { replace (q * D - p * (g - h)) with ((q - p) * D + p * (D - (g - h))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, (Rabs_pos_eq q P0).
    assert (Z1 : Rabs (q - p) * Rabs D <= 1.0011 * k * roundoff * q * Rabs D) by (apply Rmult_le_compat_r; [apply Rabs_pos|exact Ep]).
    assert (Z2 : Rabs p * Rabs (D - (g - h)) <= 1.0011 * q * (7.05 * roundoff * (Rabs G + H))).
    { apply Rmult_le_compat; auto using Rabs_pos. }
    lra. }
  (* the product, with underflow *)
  pose proof (fl_error (q * D)) as Et. rewrite <- TT in Et.
  set (y := Rabs (q * D)) in *.
  assert (y0 : 0 <= y) by apply Rabs_pos.
  assert (Y : y <= 1.00001 * Rabs T + 1.00001 * half_least).
  { assert (y <= Rabs T + Rabs (T - q * D)).
    { unfold y. replace (q * D) with (T - (T - q * D)) at 1 by ring.
      unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
    unfold roundoff in Et. lra. }
  pose proof (Rabs_pos T) as T0.
  assert (QA : q * (Rabs G + H) <= q * (1.00001 * A)) by (apply Rmult_le_compat_l; lra).
  assert (QA0 : 0 <= q * A) by (apply Rmult_le_pos; lra).
  split; [|exact QA0].
  rewrite E. replace (T - p * (g - h)) with ((T - q * D) + (q * D - p * (g - h))) by ring.
  eapply Rle_trans; [apply Rabs_triang|].
  assert (S1 : roundoff * y <= roundoff * (1.00001 * Rabs T) + 0.001 * half_least).
  { apply Rle_trans with (roundoff * (1.00001 * Rabs T + 1.00001 * half_least)).
    - apply Rmult_le_compat_l; lra.
    - unfold roundoff. lra. }
  assert (S2 : k * roundoff * y <= k * roundoff * (1.00001 * Rabs T) + 0.011 * half_least).
  { apply Rle_trans with (k * roundoff * (1.00001 * Rabs T + 1.00001 * half_least)).
    - apply Rmult_le_compat_l; lra.
    - assert (k * roundoff * half_least <= 1 / 1000 * half_least) by (apply Rmult_le_compat_r; lra). lra. }
  assert (S3 : roundoff * (q * (Rabs G + H)) <= roundoff * (q * (1.00001 * A))) by (apply Rmult_le_compat_l; lra).
  assert (0 <= roundoff * (q * A)) by (apply Rmult_le_pos; lra).
  assert (0 <= k * roundoff * Rabs T) by (apply Rmult_le_pos; lra).
  assert (0 <= roundoff * Rabs T) by (apply Rmult_le_pos; lra).
  lra.
Qed.

(* ---- all terms taken ---- *)

Definition series_sum (l : list part) : R := accumulate 0 (map t_term l).
Definition series_size (l : list part) : R := accumulate 0 (map (fun x => Rabs (t_term x)) l).
Definition series_drift (l : list part) : R := accumulate 0 (map (fun x => fl (Rabs (t_term x) * t_count x)) l).
Definition series_parts (l : list part) : R := accumulate 0 (map (fun x => fl (t_parts x)) l).

(* 1.05 * ROUNDOFF * (drift + (number + 1) * size + 8 * parts) *)
Definition series_error (l : list part) : R :=
  fl (fl (fl 1.05 * roundoff)
      * fl (fl (series_drift l + fl ((INR (length l) + 1) * series_size l)) + fl (8 * series_parts l))).

Lemma fl_relative_down x : 0 <= x -> 0.99999 * x - half_least <= fl x.
Proof.
  intros X. pose proof (fl_error x) as E. rewrite (Rabs_pos_eq x X) in E. apply Rabs_le_inv in E.
  unfold roundoff in E. lra.
Qed.

Lemma fl_sum_down x y : double x -> double y -> 0 <= x -> 0 <= y -> 0.99999 * (x + y) <= fl (x + y).
Proof.
  intros DX DY X Y. pose proof (fl_plus x y DX DY) as R1.
  apply roundings_error in R1. rewrite (Rabs_pos_eq (x + y)) in R1 by lra.
  pose proof (exp_small 1 ltac:(lra)) as X1.
  assert ((exp (1 * roundoff) - 1) * (x + y) <= 1.0001 * 1 * roundoff * (x + y)) by (apply Rmult_le_compat_r; lra).
  assert (roundoff * (x + y) <= 0.000001 * (x + y)) by (apply Rmult_le_compat_r; [lra|unfold roundoff; lra]).
  apply Rabs_le_inv in R1. lra.
Qed.

Lemma constant_105 : 1.049 * roundoff <= fl (fl 1.05 * roundoff) <= 1.06 * roundoff.
Proof.
  pose proof roundoff_pos as e0.
  assert (h : half_least <= 0.00001 * roundoff).
  { apply Rle_trans with (bpow radix2 (-53) * bpow radix2 (-53)).
    - unfold half_least. rewrite <- bpow_plus. now apply bpow_le.
    - rewrite <- roundoff_bpow. apply Rmult_le_compat_r; [lra|unfold roundoff; lra]. }
  pose proof (fl_error 1.05) as E. rewrite (Rabs_pos_eq 1.05) in E by lra. apply Rabs_le_inv in E.
  assert (B : 1.0499 <= fl 1.05 <= 1.0501) by (unfold roundoff in *; lra).
  set (f := fl 1.05) in *.
  assert (B' : 1.0499 * roundoff <= f * roundoff <= 1.0501 * roundoff) by (split; apply Rmult_le_compat_r; lra).
  pose proof (fl_error (f * roundoff)) as E'. rewrite (Rabs_pos_eq (f * roundoff)) in E' by lra. apply Rabs_le_inv in E'.
  assert (roundoff * (f * roundoff) <= 0.00001 * (f * roundoff)) by (apply Rmult_le_compat_r; [lra|unfold roundoff; lra]).
  lra.
Qed.

(* The terms taken: the error the code computes, and underflow. *)
Theorem series_sum_error (l : list part) : Forall part_ok l -> INR (length l) <= 2 ^ 38 ->
  Rabs (series_sum l - sum l t_exact) <= series_error l + (1.2 * INR (length l) + 2) * half_least.
Proof.
  intros F N. pose proof roundoff_pos as e0. pose proof half_least_pos as hl. pose proof (pos_INR (length l)) as L.
  set (n := INR (length l)) in *.
  assert (S : forall x, In x l -> part_ok x) by now apply Forall_forall.
  destruct (accumulate_products l (fun x => Rabs (t_term x) * t_count x)) as [Dr Dr0]; [|exact N|].
  { intros x X. apply Rmult_le_pos; [apply Rabs_pos|]. apply (S x X). }
  destruct (accumulate_products l t_parts) as [Pa Pa0]; [|exact N|].
  { intros x X. apply (part_error x (S x X)). }
  fold (series_drift l) in Dr, Dr0. fold (series_parts l) in Pa, Pa0. fold n in Dr, Pa.
  assert (Fz : Forall (fun x => double x /\ 0 <= x) (map (fun x => Rabs (t_term x)) l)).
  { apply Forall_forall. intros y Y. apply in_map_iff in Y as (x & <- & _).
    split; [apply double_abs, double_fl|apply Rabs_pos]. }
  pose proof (accumulate_error _ 0 double_0 ltac:(lra) Fz) as Sz. fold (series_size l) in Sz.
  rewrite map_length, Rplus_0_l, sum_map in Sz. fold n in Sz.
  set (ts := sum l (fun x => Rabs (t_term x))) in *.
  assert (ts0 : 0 <= ts) by (apply sum_nonneg; intros; apply Rabs_pos).
  pose proof (exp_count n (conj L N)) as (X1 & X2 & X3).
  apply roundings_bounds in Sz; [|exact ts0].
  assert (Sz' : ts <= 1.00011 * series_size l) by nra.
  assert (Sz0 : 0 <= series_size l) by nra.
  (* the terms *)
  assert (EX : Rabs (sum l t_term - sum l t_exact) <=
    roundoff * (1.01 * sum l (fun x => Rabs (t_term x) * t_count x) + 7.2 * sum l t_parts + 1.001 * ts) + n * (1.1 * half_least)).
  { rewrite <- sum_minus. eapply Rle_trans; [apply sum_abs|].
    eapply Rle_trans; [apply sum_le; intros x X; apply (part_error x (S x X))|].
    rewrite sum_plus, sum_const, sum_scal, !sum_plus, !sum_scal. fold n ts. lra. }
  (* the additions *)
  assert (EA : Rabs (series_sum l - sum l t_term) <= 1.0001 * n * roundoff * ts).
  { assert (Fd : Forall double (map t_term l)).
    { apply Forall_forall. intros y Y. apply in_map_iff in Y as (x & <- & _). apply double_fl. }
    pose proof (accumulate_signed _ 0 double_0 Fd) as A. fold (series_sum l) in A.
    rewrite map_length, Rplus_0_l, !sum_map, Rabs_R0, Rplus_0_l in A. fold n ts in A.
    eapply Rle_trans; [exact A|]. apply Rmult_le_compat_r; lra. }
  assert (need : Rabs (series_sum l - sum l t_exact) <=
    roundoff * (1.0105 * series_drift l + 7.3 * series_parts l + 1.0015 * ((n + 1) * series_size l)) + n * (1.15 * half_least)).
  { replace (series_sum l - sum l t_exact) with ((series_sum l - sum l t_term) + (sum l t_term - sum l t_exact)) by ring.
    eapply Rle_trans; [apply Rabs_triang|].
    assert (Q0 : 0 <= n * half_least) by (apply Rmult_le_pos; lra).
    assert (Q1 : roundoff * (n * half_least) <= 0.0001 * (n * half_least)) by (apply Rmult_le_compat_r; [lra|unfold roundoff; lra]).
    assert (A1 : roundoff * sum l (fun x => Rabs (t_term x) * t_count x) <= roundoff * (1.0002 * series_drift l + 1.0001 * n * half_least))
      by (apply Rmult_le_compat_l; lra).
    assert (A2 : roundoff * sum l t_parts <= roundoff * (1.0002 * series_parts l + 1.0001 * n * half_least))
      by (apply Rmult_le_compat_l; lra).
    assert (A3 : roundoff * ts <= roundoff * (1.00011 * series_size l)) by (apply Rmult_le_compat_l; lra).
    assert (A4 : n * (roundoff * ts) <= n * (roundoff * (1.00011 * series_size l))) by (apply Rmult_le_compat_l; lra).
    assert (0 <= roundoff * series_drift l) by (apply Rmult_le_pos; lra).
    assert (0 <= roundoff * series_parts l) by (apply Rmult_le_pos; lra).
    assert (0 <= roundoff * series_size l) by (apply Rmult_le_pos; lra).
    assert (0 <= n * (roundoff * series_size l)) by (apply Rmult_le_pos; lra).
    lra. }
  (* what the code charges *)
  unfold series_error. fold n.
  assert (DD : double (series_drift l)) by (apply accumulate_double, double_0).
  assert (DP : double (series_parts l)) by (apply accumulate_double, double_0).
  set (ns := (n + 1) * series_size l) in *.
  assert (ns0 : 0 <= ns) by (apply Rmult_le_pos; lra).
  pose proof (fl_relative_down ns ns0) as C1. pose proof (fl_nonneg ns ns0) as C10.
  assert (C2 : fl (8 * series_parts l) = 8 * series_parts l).
  { apply fl_double. replace (8 * series_parts l) with (2 * (2 * (2 * series_parts l))) by ring. auto using double_twice. }
  rewrite C2.
  assert (D8 : double (8 * series_parts l)) by (rewrite <- C2; apply double_fl).
  pose proof (fl_sum_down _ _ DD (double_fl ns) Dr0 C10) as C3.
  set (b := fl (series_drift l + fl ns)) in *.
  assert (b0 : 0 <= b) by (apply fl_nonneg; lra).
  pose proof (fl_sum_down b (8 * series_parts l) (double_fl _) D8 b0 ltac:(lra)) as C4.
  set (a := fl (b + 8 * series_parts l)) in *.
  assert (a0 : 0 <= a) by (apply fl_nonneg; lra).
  destruct constant_105 as [C5 C6]. set (c5 := fl (fl 1.05 * roundoff)) in *.
  assert (ca0 : 0 <= c5 * a) by (apply Rmult_le_pos; lra).
  pose proof (fl_relative_down (c5 * a) ca0) as C7.
  assert (C8 : 1.049 * roundoff * a <= c5 * a) by (apply Rmult_le_compat_r; lra).
  assert (C9 : roundoff * (0.99999 * (0.99999 * (series_drift l + (0.99999 * ns - half_least)) + 8 * series_parts l)) <= roundoff * a).
  { apply Rmult_le_compat_l; [lra|]. lra. }
  assert (H1 : roundoff * half_least <= 0.00001 * half_least) by (apply Rmult_le_compat_r; [lra|unfold roundoff; lra]).
  assert (0 <= roundoff * series_drift l) by (apply Rmult_le_pos; lra).
  assert (0 <= roundoff * series_parts l) by (apply Rmult_le_pos; lra).
  assert (0 <= roundoff * ns) by (apply Rmult_le_pos; lra).
  assert (0 <= n * half_least) by (apply Rmult_le_pos; lra).
  lra.
Qed.

(* ---- the series is the value ---- *)

(* V_t(c) = sum over a = t .. c+1 of Pr[X = a-1] (u - (u+w) r_a),
   r_a = Pr[X = a]/Pr[X = a-1] = (c+1-a)/a rho/(1-rho), X ~ Bin(c, rho). *)
Theorem series_exact rho u w c t : 0 < rho < 1 -> (1 <= t <= c + 1)%nat ->
  sum (seq t (c + 2 - t)) (fun a => bin rho c (a - 1) * (u - (u + w) * ((INR c + 1 - INR a) / INR a * (rho / (1 - rho)))))
  = u * bin rho c (t - 1) - w * above rho c t.
Proof.
  intros R0 T.
  rewrite (sum_ext _ _ (fun a => u * bin rho c (a - 1) - (u + w) * bin rho c a)).
  2: { intros a A. apply in_seq in A. destruct a as [|a]; [lia|].
       replace (S a - 1)%nat with a by lia. pose proof (bin_ratio rho c a) as H. pose proof (pos_INR a).
       rewrite !S_INR in *.
       assert (E : bin rho c (S a) = bin rho c a * ((INR c + 1 - (INR a + 1)) / (INR a + 1) * (rho / (1 - rho)))).
       { field_simplify_eq; [nra|lra]. }
       rewrite E. ring. }
  rewrite sum_minus, !sum_scal. unfold above.
  (* both sums are the tail, up to their first and last terms *)
  replace (c + 2 - t)%nat with (S (S c - t)) by lia.
  assert (A : sum (seq t (S (S c - t))) (fun a => bin rho c (a - 1)) = bin rho c (t - 1) + sum (seq t (S c - t)) (bin rho c)).
  { cbn [seq sum]. f_equal. rewrite <- seq_shift, sum_map. apply sum_ext. intros a _. f_equal. lia. }
  assert (B : sum (seq t (S (S c - t))) (bin rho c) = sum (seq t (S c - t)) (bin rho c)).
  { rewrite seq_S, sum_app. cbn [sum]. rewrite (bin_zero rho c (t + (S c - t))) by lia. lra. }
  rewrite A, B. ring.
Qed.

(* ---- the terms not taken ---- *)

(* If the ratios r_k are at most r < 1 and the brackets between 0 and u, what
   follows a term p is at most u p / (1 - r): rest of the code is above that. *)
Theorem series_rest u w r n : forall (p : R) (ratio : nat -> R),
  0 <= p -> 0 < u -> 0 <= w -> 0 <= r < 1 ->
  (forall k, 0 <= ratio k <= r) -> (forall k, (u + w) * ratio k <= u) ->
  0 <= sum (seq 0 n) (fun k => p * fold_right (fun i q => ratio i * q) 1 (seq 0 k) * (u - (u + w) * ratio k))
    <= u * p / (1 - r).
Proof.
  intros p ratio P U0 W0 R0 B C.
  set (f := fun k => fold_right (fun i q => ratio i * q) 1 (seq 0 k)).
  assert (F : forall k, 0 <= f k <= r ^ k).
  { intros k. unfold f. generalize 0%nat. induction k as [|k IH]; intros s; cbn [seq fold_right pow]; [lra|].
    specialize (IH (S s)). specialize (B s).
    split; [apply Rmult_le_pos; lra|apply Rmult_le_compat; lra]. }
  assert (G : forall m, sum (seq 0 m) (fun k => r ^ k) * (1 - r) <= 1).
  { intros m. assert (sum (seq 0 m) (fun k => r ^ k) * (1 - r) = 1 - r ^ m).
    { induction m as [|m IH]; [cbn; lra|]. rewrite sum_seq_last, Rmult_plus_distr_r, IH. cbn [pow]. ring. }
    pose proof (pow_le r m ltac:(lra)). lra. }
  split.
  - apply sum_nonneg. intros k _. specialize (F k). specialize (C k). fold (f k).
    apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra].
  - apply Rle_trans with (sum (seq 0 n) (fun k => u * p * r ^ k)).
    + apply sum_le. intros k _. fold (f k). specialize (F k). specialize (B k).
      assert (0 <= (u + w) * ratio k) by (apply Rmult_le_pos; lra).
      assert (p * f k * (u - (u + w) * ratio k) <= p * f k * u).
      { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]. }
      assert (p * u * f k <= p * u * r ^ k) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]). lra.
    + rewrite sum_scal. apply (Rmult_le_reg_r (1 - r)); [lra|].
      replace (u * p / (1 - r) * (1 - r)) with (u * p) by (field; lra).
      specialize (G n). assert (0 <= u * p) by (apply Rmult_le_pos; lra).
      set (m := sum (seq 0 n) (fun k => r ^ k)) in *.
      apply Rle_trans with (u * p * (m * (1 - r))); [right; ring|].
      apply Rle_trans with (u * p * 1); [now apply Rmult_le_compat_l|right; ring].
Qed.
