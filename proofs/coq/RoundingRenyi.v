(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* The ledger of a row of cells of the Renyi sum in doubles: ../fast-renyi.md,
   end of Lemma 2. Model of sum_row in src/fast/fast_renyi.c, the statements
     term = weight * e.g;  total += term;  drift += term * roundings;  errors += weight * e.error;
   and  r->error = 2 * (ROUNDOFF * (drift + (terms + 4) * total) + errors).
   Given that every e.g is within e.error of the integrand and every weight has
   the roundings counted, the total is within r->error of the exact sum, apart
   from underflow of at most 4 * 2^-1075 a cell (the code adds 2 * ROUNDOFF *
   terms * total for all rows and checks the whole total to be at least 1e-200). *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core.
From Shufbound Require Import Sum Rounding RoundingSum RoundingStep RoundingSeries.
Import ListNotations.
Open Scope R_scope.

Record cell := { weight : R; g : R; g_error : R; count : R; true_term : R }.

Definition cell_ok (x : cell) : Prop :=
  0 <= weight x /\ 0 <= g x /\ 0 <= g_error x /\ 0 <= count x <= 2 ^ 30 /\
  exists exact_weight exact_g, roundings (count x) exact_weight (weight x) /\
    Rabs (g x - exact_g) <= g_error x /\ true_term x = exact_weight * exact_g.

Definition cell_term (x : cell) : R := fl (weight x * g x).
Definition cells_total (l : list cell) : R := accumulate 0 (map cell_term l).
Definition cells_drift (l : list cell) : R := accumulate 0 (map (fun x => fl (cell_term x * count x)) l).
Definition cells_errors (l : list cell) : R := accumulate 0 (map (fun x => fl (weight x * g_error x)) l).
Definition cells_error (l : list cell) : R :=
  2 * fl (fl (roundoff * fl (cells_drift l + fl ((INR (length l) + 4) * cells_total l))) + cells_errors l).

Lemma cell_error x : cell_ok x ->
  Rabs (cell_term x - true_term x) <= 1.01 * roundoff * (cell_term x * count x) + 1.01 * (weight x * g_error x)
    + 1.01 * roundoff * cell_term x + 1.1 * half_least.
Proof.
  intros (W & G & E & K & ew & eg & R1 & D & X).
  pose proof roundoff_pos as e0. pose proof half_least_pos as hl.
  set (k := count x) in *. apply roundings_sym in R1. destruct R1 as (d & Hd & Ew).
  set (f := exp d) in *. assert (f0 : 0 < f) by apply exp_pos.
  pose proof (exp_minus_one _ _ Hd) as F1. fold f in F1.
  assert (KE : 0 <= k * roundoff <= 1 / 1000000) by (unfold roundoff; lra).
  pose proof (exp_linear _ _ KE ltac:(lra)) as F2.
  assert (F3 : f <= 1.0001) by (apply Rabs_le_inv in F1; lra).
  set (y := weight x * g x). assert (y0 : 0 <= y) by (apply Rmult_le_pos; lra).
  pose proof (fl_error y) as Et. fold (cell_term x) in Et. rewrite (Rabs_pos_eq y y0) in Et.
  assert (T0 : 0 <= cell_term x) by (apply fl_nonneg; exact y0).
  set (T := cell_term x) in *. change (fl y) with T in Et.
  assert (Y : y <= 1.0001 * T + 1.0001 * half_least) by (apply Rabs_le_inv in Et; unfold roundoff in Et; lra).
  assert (S : Rabs (y - true_term x) <= 1.0001 * (k * roundoff) * y + 1.0001 * (weight x * g_error x)).
  { rewrite X, Ew. replace (y - weight x * f * eg) with (weight x * (- ((f - 1) * g x) + f * (g x - eg))) by (unfold y; ring).
    rewrite Rabs_mult, (Rabs_pos_eq (weight x)) by lra.
    assert (Z : Rabs (- ((f - 1) * g x) + f * (g x - eg)) <= 1.0001 * (k * roundoff) * g x + 1.0001 * g_error x).
    { eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, !Rabs_mult, (Rabs_pos_eq (g x)), (Rabs_pos_eq f) by lra.
      apply Rplus_le_compat; [apply Rmult_le_compat_r; lra|apply Rmult_le_compat; auto using Rabs_pos; lra]. }
    apply Rle_trans with (weight x * (1.0001 * (k * roundoff) * g x + 1.0001 * g_error x)); [apply Rmult_le_compat_l; lra|].
    unfold y. right. ring. }
  replace (T - true_term x) with ((T - y) + (y - true_term x)) by ring.
  eapply Rle_trans; [apply Rabs_triang|].
  assert (S1 : roundoff * y <= roundoff * (1.0001 * T + 1.0001 * half_least)) by (apply Rmult_le_compat_l; lra).
  assert (S2 : k * roundoff * y <= k * roundoff * (1.0001 * T + 1.0001 * half_least)) by (apply Rmult_le_compat_l; lra).
  assert (S3 : k * roundoff * half_least <= 0.00001 * half_least) by (apply Rmult_le_compat_r; lra).
  assert (S4 : roundoff * half_least <= 0.00001 * half_least) by (apply Rmult_le_compat_r; [lra|unfold roundoff; lra]).
  assert (0 <= k * roundoff * T) by (apply Rmult_le_pos; lra).
  assert (0 <= roundoff * T) by (apply Rmult_le_pos; lra).
  assert (0 <= weight x * g_error x) by (apply Rmult_le_pos; lra).
  lra.
Qed.

(* One row of cells. *)
Theorem cells_sound (l : list cell) : Forall cell_ok l -> INR (length l) <= 2 ^ 26 ->
  Rabs (cells_total l - sum l true_term) <= cells_error l + (4 * INR (length l) + 4) * half_least.
Proof.
  intros F N. pose proof roundoff_pos as e0. pose proof half_least_pos as hl. pose proof (pos_INR (length l)) as L.
  set (n := INR (length l)) in *.
  assert (S : forall x, In x l -> cell_ok x) by now apply Forall_forall.
  assert (PT : forall x, In x l -> 0 <= cell_term x).
  { intros x X. destruct (S x X) as (? & ? & _). apply fl_nonneg. now apply Rmult_le_pos. }
  destruct (accumulate_products l (fun x => cell_term x * count x)) as [Dr Dr0]; [|fold n; lra|].
  { intros x X. apply Rmult_le_pos; [auto|]. apply (S x X). }
  destruct (accumulate_products l (fun x => weight x * g_error x)) as [Er Er0]; [|fold n; lra|].
  { intros x X. destruct (S x X) as (? & _ & ? & _). now apply Rmult_le_pos. }
  fold (cells_drift l) in Dr, Dr0. fold (cells_errors l) in Er, Er0. fold n in Dr, Er.
  assert (E : roundings n (sum l cell_term) (cells_total l)).
  { assert (G : Forall (fun x => double x /\ 0 <= x) (map cell_term l)).
    { apply Forall_forall. intros y Y. apply in_map_iff in Y as (x & <- & X). split; [apply double_fl|auto]. }
    pose proof (accumulate_error _ 0 double_0 ltac:(lra) G) as E.
    now rewrite map_length, Rplus_0_l, sum_map in E. }
  assert (N38 : n <= 2 ^ 38) by lra.
  pose proof (exp_count n (conj L N38)) as (X1 & X2 & X3).
  assert (ST : 0 <= sum l cell_term) by (apply sum_nonneg; auto).
  pose proof (roundings_bounds _ _ _ ST E) as [B1 B2].
  assert (T0 : 0 <= cells_total l) by nra.
  assert (ST' : sum l cell_term <= 1.0002 * cells_total l) by nra.
  assert (EA : Rabs (cells_total l - sum l cell_term) <= 1.0001 * n * roundoff * cells_total l).
  { apply roundings_error_r in E. rewrite (Rabs_pos_eq (cells_total l)) in E by exact T0.
    eapply Rle_trans; [exact E|]. apply Rmult_le_compat_r; lra. }
  assert (EX : Rabs (sum l cell_term - sum l true_term) <=
    1.01 * roundoff * sum l (fun x => cell_term x * count x) + 1.01 * sum l (fun x => weight x * g_error x)
    + 1.01 * roundoff * sum l cell_term + n * (1.1 * half_least)).
  { rewrite <- sum_minus. eapply Rle_trans; [apply sum_abs|].
    eapply Rle_trans; [apply sum_le; intros x X; apply (cell_error x (S x X))|].
    rewrite !sum_plus, !sum_scal, sum_const. fold n. lra. }
  assert (need : Rabs (cells_total l - sum l true_term) <=
    1.02 * (roundoff * (cells_drift l + (n + 1) * cells_total l)) + 1.02 * cells_errors l + n * (2.5 * half_least)).
  { replace (cells_total l - sum l true_term) with ((cells_total l - sum l cell_term) + (sum l cell_term - sum l true_term)) by ring.
    eapply Rle_trans; [apply Rabs_triang|].
    assert (A1 : roundoff * sum l (fun x => cell_term x * count x) <= roundoff * (1.0002 * cells_drift l + 1.0001 * n * half_least))
      by (apply Rmult_le_compat_l; lra).
    assert (A2 : roundoff * sum l cell_term <= roundoff * (1.0002 * cells_total l)) by (apply Rmult_le_compat_l; lra).
    assert (Q0 : 0 <= n * half_least) by (apply Rmult_le_pos; lra).
    assert (Q1 : roundoff * (n * half_least) <= 0.0001 * (n * half_least)) by (apply Rmult_le_compat_r; [lra|unfold roundoff; lra]).
    assert (0 <= roundoff * cells_drift l) by (apply Rmult_le_pos; lra).
    assert (0 <= roundoff * cells_total l) by (apply Rmult_le_pos; lra).
    assert (0 <= n * (roundoff * cells_total l)) by (apply Rmult_le_pos; lra).
    lra. }
  unfold cells_error. fold n.
  assert (DD : double (cells_drift l)) by (apply accumulate_double, double_0).
  assert (DE : double (cells_errors l)) by (apply accumulate_double, double_0).
  set (nt := (n + 4) * cells_total l).
  assert (nt0 : 0 <= nt) by (apply Rmult_le_pos; lra).
  pose proof (fl_relative_down nt nt0) as C1. pose proof (fl_nonneg nt nt0) as C10.
  pose proof (fl_sum_down _ _ DD (double_fl nt) Dr0 C10) as C3.
  set (b := fl (cells_drift l + fl nt)) in *.
  assert (b0 : 0 <= b) by (apply fl_nonneg; lra).
  assert (rb0 : 0 <= roundoff * b) by (apply Rmult_le_pos; lra).
  pose proof (fl_relative_down _ rb0) as C4. pose proof (fl_nonneg _ rb0) as C40.
  pose proof (fl_sum_down _ _ (double_fl (roundoff * b)) DE C40 Er0) as C5.
  set (a := fl (fl (roundoff * b) + cells_errors l)) in *.
  assert (C6 : roundoff * (0.99999 * (cells_drift l + (0.99999 * nt - half_least))) <= roundoff * b)
    by (apply Rmult_le_compat_l; lra).
  assert (H1 : roundoff * half_least <= 0.00001 * half_least) by (apply Rmult_le_compat_r; [lra|unfold roundoff; lra]).
  assert (0 <= roundoff * cells_drift l) by (apply Rmult_le_pos; lra).
  assert (0 <= roundoff * cells_total l) by (apply Rmult_le_pos; lra).
  assert (0 <= n * (roundoff * cells_total l)) by (apply Rmult_le_pos; lra).
  assert (0 <= n * half_least) by (apply Rmult_le_pos; lra).
  unfold nt in *. lra.
Qed.
