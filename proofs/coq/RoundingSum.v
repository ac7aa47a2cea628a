(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* The ledger of the double-precision sum over strata: ../fast.md, Lemma 5, with
   every operation rounded, those of the error sums included.
   Model of sum_strata in src/fast/fast.c, the statements
     term = mass * best;  total += term;  drift += term * extra;  spread += mass * now;
   and at the end
     r->error = 1.05 * ROUNDOFF * (drift + VALUE_FACTOR * spread + (terms + 4) * total);
   Theorem: the total is off by at most r->error. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core.
From Shufbound Require Import Sum Rounding.
Import ListNotations.
Open Scope R_scope.

(* ---- sums of nonnegative numbers ---- *)

Lemma roundings_intro k x y : 0 <= x ->
  x * exp (- (k * roundoff)) <= y <= x * exp (k * roundoff) -> 0 <= k -> roundings k x y.
Proof.
  intros X [L U] K. pose proof roundoff_pos.
  destruct (Req_dec x 0) as [->|N].
  - exists 0. rewrite Rabs_R0. split; [|lra]. apply Rmult_le_pos; lra.
  - assert (P : 0 < x) by lra.
    assert (Q : 0 < y) by (pose proof (exp_pos (- (k * roundoff))); nra).
    exists (ln (y / x)).
    assert (D : 0 < y / x) by (apply Rdiv_lt_0_compat; lra).
    split; [|rewrite exp_ln by exact D; field; lra].
    apply Rabs_le. split.
    + rewrite <- (ln_exp (- (k * roundoff))). apply ln_mono; [apply exp_pos|].
      apply (Rmult_le_reg_l x); [exact P|]. replace (x * (y / x)) with y by (field; lra). exact L.
    + rewrite <- (ln_exp (k * roundoff)). apply ln_mono; [exact D|].
      apply (Rmult_le_reg_l x); [exact P|]. replace (x * (y / x)) with y by (field; lra). exact U.
Qed.

Lemma roundings_bounds k x y : 0 <= x -> roundings k x y ->
  x * exp (- (k * roundoff)) <= y <= x * exp (k * roundoff).
Proof.
  intros X H. pose proof (roundings_nonneg k x y H X) as Y.
  pose proof (roundings_upper k x y H). pose proof (roundings_lower k x y H).
  rewrite !Rabs_pos_eq in * by assumption. lra.
Qed.

Lemma roundings_plus k x y a b : 0 <= x -> 0 <= y ->
  roundings k x a -> roundings k y b -> roundings k (x + y) (a + b).
Proof.
  intros X Y A B. pose proof (roundings_k k x a A).
  apply roundings_bounds in A; [|exact X]. apply roundings_bounds in B; [|exact Y].
  apply roundings_intro; [lra| |assumption]. lra.
Qed.

(* Recursive summation, s += x for the x in l in turn. *)
Definition accumulate (s : R) (l : list R) : R := fold_left (fun s x => fl (s + x)) l s.

Lemma accumulate_double l : forall s, double s -> double (accumulate s l).
Proof.
  induction l as [|x l IH]; cbn; intros s D; [exact D|]. apply IH, double_fl.
Qed.

(* Adding n nonnegative doubles in turn: n roundings of the exact sum. *)
Theorem accumulate_error l : forall s, double s -> 0 <= s ->
  Forall (fun x => double x /\ 0 <= x) l ->
  roundings (INR (length l)) (s + sum l (fun x => x)) (accumulate s l).
Proof.
  induction l as [|x l IH]; intros s D P F.
  - cbn [sum accumulate fold_left length]. rewrite Rplus_0_r. apply roundings_refl.
  - inversion_clear F as [|? ? [X N] F']. cbn [sum accumulate fold_left length].
    assert (L : 0 <= sum l (fun x => x)).
    { apply sum_nonneg. intros y Y. now apply (proj1 (Forall_forall _ _) F'). }
    pose proof (fl_plus s x D X) as R1.
    assert (0 <= fl (s + x)) by (apply fl_nonneg; lra).
    specialize (IH (fl (s + x)) (double_fl _) H F').
    rewrite S_INR, Rplus_comm.
    apply roundings_trans with (fl (s + x) + sum l (fun x => x)); [|exact IH].
    rewrite <- Rplus_assoc. apply roundings_plus; [lra|exact L|exact R1|].
    apply (roundings_more 0); [lra|apply roundings_refl].
Qed.

(* ---- the working range ---- *)

(* SMALLEST of src/enclosure/doubles.h: the double nearest to 1e-290. *)
Definition smallest : R := fl (/ IZR (10 ^ 290)).

Lemma smallest_ge : bpow radix2 (-964) <= smallest.
Proof.
  unfold smallest. rewrite <- (fl_double (bpow radix2 (-964))) by (apply double_bpow; lia).
  apply fl_le. change (bpow radix2 (-964)) with (/ IZR (2 ^ 964)).
  apply Rinv_le; [now apply IZR_lt|apply IZR_le]. vm_compute. discriminate.
Qed.

Lemma smallest_pos : 0 < smallest.
Proof. pose proof smallest_ge. pose proof (bpow_gt_0 radix2 (-964)). lra. Qed.

(* Underflow is far below a rounding of anything in the working range. *)
Lemma half_least_small : 2 ^ 50 * half_least <= roundoff * smallest.
Proof.
  pose proof smallest_ge as S. rewrite roundoff_bpow.
  apply Rle_trans with (bpow radix2 (-53) * bpow radix2 (-964)).
  - unfold half_least. replace (2 ^ 50) with (bpow radix2 50) by (cbn; lra).
    rewrite <- !bpow_plus. now apply bpow_le.
  - apply Rmult_le_compat_l; [apply bpow_ge_0|exact S].
Qed.

Lemma least_normal_small : 2 ^ 50 * least_normal <= smallest.
Proof.
  pose proof smallest_ge as S.
  replace (2 ^ 50) with (bpow radix2 50) by (cbn; lra).
  unfold least_normal. rewrite <- bpow_plus.
  assert (bpow radix2 (50 + -1022) <= bpow radix2 (-964)) by now apply bpow_le. lra.
Qed.

(* ---- the ledger ---- *)

(* A stratum when it is added: the computed mass and value, the roundings
   charged for their common factor (extra in C), the error of the value in
   units of VALUE_FACTOR roundings (now), and the exact contribution. *)
Record entry := { mass : R; best : R; now : R; extra : R; exact : R }.

Definition value_factor : R := 3.25.

(* What is known of an entry: the conclusion of ../fast.md, Lemma 5. *)
Definition sound (x : entry) : Prop :=
  0 <= mass x /\ 0 <= best x /\ 0 <= now x /\ 0 <= extra x <= 2 ^ 44 /\
  Rabs (mass x * best x - exact x)
    <= 1.01 * roundoff * (extra x * (mass x * best x) + value_factor * (mass x * now x)).

Definition term (x : entry) : R := fl (mass x * best x).
Definition total (l : list entry) : R := accumulate 0 (map term l).
Definition drift (l : list entry) : R := accumulate 0 (map (fun x => fl (term x * extra x)) l).
Definition spread (l : list entry) : R := accumulate 0 (map (fun x => fl (mass x * now x)) l).
Definition ledger_error (l : list entry) : R :=
  fl (fl (fl 1.05 * roundoff)
      * fl (fl (drift l + fl (value_factor * spread l)) + fl (fl (INR (length l) + 4) * total l))).

Lemma sum_abs {A} (l : list A) f : Rabs (sum l f) <= sum l (fun x => Rabs (f x)).
Proof.
  induction l; cbn; [rewrite Rabs_R0; lra|].
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

Lemma sum_const {A} (l : list A) c : sum l (fun _ => c) = INR (length l) * c.
Proof.
  induction l as [|x l IH]; cbn [sum length]; [change (INR 0) with 0; lra|].
  rewrite S_INR, IH. ring.
Qed.

(* n roundings of n <= 2^38: a factor between 0.9999 and 1.0001. *)
Lemma exp_count n : 0 <= n <= 2 ^ 38 ->
  exp (n * roundoff) <= 1 + 1.0001 * n * roundoff /\ exp (n * roundoff) <= 1.0001 /\
  0.9999 <= exp (- (n * roundoff)).
Proof.
  intros N. assert (B : 0 <= n * roundoff <= 1/30000) by (unfold roundoff; lra).
  pose proof (exp_linear (n * roundoff) (1/30000) B ltac:(lra)).
  pose proof (exp_ge (- (n * roundoff))). repeat split; lra.
Qed.

(* The computed sum of products f = fl (exact), against the exact sum. *)
Lemma accumulate_products {A} (l : list A) (f : A -> R) :
  (forall x, In x l -> 0 <= f x) -> INR (length l) <= 2 ^ 38 ->
  sum l f <= 1.0002 * accumulate 0 (map (fun x => fl (f x)) l) + 1.0001 * INR (length l) * half_least /\
  0 <= accumulate 0 (map (fun x => fl (f x)) l).
Proof.
  intros P N. set (a := accumulate 0 _).
  assert (F : Forall (fun x => double x /\ 0 <= x) (map (fun x => fl (f x)) l)).
  { apply Forall_forall. intros y Y. apply in_map_iff in Y as (x & <- & X).
    split; [apply double_fl|apply fl_nonneg; auto]. }
  pose proof (accumulate_error _ 0 double_0 ltac:(lra) F) as E. fold a in E.
  rewrite map_length, Rplus_0_l, sum_map in E.
  assert (S : 0 <= sum l (fun x => fl (f x))).
  { apply sum_nonneg. intros x X. apply fl_nonneg; auto. }
  pose proof (pos_INR (length l)) as L.
  pose proof (exp_count _ (conj L N)) as (_ & _ & G).
  apply roundings_bounds in E; [|exact S].
  split; [|eapply Rle_trans; [|apply E]; apply Rmult_le_pos; [exact S|left; apply exp_pos]].
  assert (B : sum l (fun x => fl (f x)) <= 1.00011 * a) by nra.
  assert (C : sum l f * (1 - roundoff) <= sum l (fun x => fl (f x)) + INR (length l) * half_least).
  { rewrite <- sum_const, <- sum_plus, <- sum_scal_r. apply sum_le. intros x X.
    pose proof (fl_error (f x)) as H. rewrite (Rabs_pos_eq (f x)) in H by auto.
    apply Rabs_le_inv in H. lra. }
  assert (0 <= sum l f) by (apply sum_nonneg; auto).
  assert (0 <= INR (length l) * half_least).
  { apply Rmult_le_pos; [exact L|left; apply half_least_pos]. }
  unfold roundoff in C. lra.
Qed.

Theorem ledger_sound (l : list entry) :
  Forall sound l -> INR (length l) <= 2 ^ 38 -> smallest <= total l ->
  Rabs (total l - sum l exact) <= ledger_error l.
Proof.
  intros F N T. pose proof roundoff_pos as U. pose proof half_least_pos as HP.
  pose proof half_least_small as HS. pose proof (pos_INR (length l)) as L.
  pose proof smallest_pos as SP.
  assert (S : forall x, In x l -> sound x) by now apply Forall_forall.
  set (n := INR (length l)) in *.
  (* the exact sums behind the computed ones *)
  assert (PB : forall x, In x l -> 0 <= mass x * best x).
  { intros x X. destruct (S x X) as (? & ? & _). now apply Rmult_le_pos. }
  assert (PT : forall x, In x l -> 0 <= term x) by (intros; apply fl_nonneg; auto).
  destruct (accumulate_products l (fun x => term x * extra x)) as [D DP].
  { intros x X. apply Rmult_le_pos; [auto|]. destruct (S x X) as (_ & _ & _ & ? & _). lra. }
  { exact N. }
  destruct (accumulate_products l (fun x => mass x * now x)) as [W WP].
  { intros x X. destruct (S x X) as (? & _ & ? & _). now apply Rmult_le_pos. }
  { exact N. }
  fold (drift l) in D, DP. fold (spread l) in W, WP. fold n in D, W.
  assert (E : roundings n (sum l term) (total l)).
  { assert (G : Forall (fun x => double x /\ 0 <= x) (map term l)).
    { apply Forall_forall. intros y Y. apply in_map_iff in Y as (x & <- & X).
      split; [apply double_fl|auto]. }
    pose proof (accumulate_error _ 0 double_0 ltac:(lra) G) as E.
    now rewrite map_length, Rplus_0_l, sum_map in E. }
  pose proof (exp_count n (conj L N)) as (X1 & X2 & X3).
  assert (TP : 0 <= total l) by lra.
  assert (ET : Rabs (total l - sum l term) <= 1.0001 * n * roundoff * total l).
  { apply roundings_error_r in E. rewrite (Rabs_pos_eq (total l)) in E by exact TP.
    eapply Rle_trans; [exact E|]. apply Rmult_le_compat_r; lra. }
  assert (ST : 0 <= sum l term <= 1.0002 * total l).
  { split; [now apply sum_nonneg|]. apply Rabs_le_inv in ET.
    assert (1.0001 * n * roundoff <= 0.0002) by (unfold roundoff; lra). nra. }
  (* the error of one stratum, by what the code adds up *)
  assert (one : forall x, In x l -> Rabs (term x - exact x) <=
    1.0101 * roundoff * (term x * extra x) + 1.01 * value_factor * roundoff * (mass x * now x)
    + 1.0001 * roundoff * term x + 4 * half_least).
  { intros x X. destruct (S x X) as (M & B & W0 & K & H).
    pose proof (fl_error (mass x * best x)) as R1. fold (term x) in R1.
    specialize (PB x X). specialize (PT x X).
    rewrite (Rabs_pos_eq (mass x * best x)) in R1 by exact PB.
    set (y := mass x * best x) in *. set (z := mass x * now x) in *.
    assert (Y : y <= 1.00001 * term x + 1.00001 * half_least).
    { apply Rabs_le_inv in R1. unfold roundoff in R1. lra. }
    assert (A : extra x * y <= 1.00001 * (term x * extra x) + 1.00001 * (2 ^ 44 * half_least)).
    { apply Rle_trans with (extra x * (1.00001 * term x + 1.00001 * half_least)).
      - apply Rmult_le_compat_l; lra.
      - assert (extra x * half_least <= 2 ^ 44 * half_least) by (apply Rmult_le_compat_r; lra). lra. }
    assert (Q : Rabs (term x - exact x) <= Rabs (term x - y) + Rabs (y - exact x)).
    { replace (term x - exact x) with ((term x - y) + (y - exact x)) by ring. apply Rabs_triang. }
    assert (A' : roundoff * (extra x * y)
      <= roundoff * (1.00001 * (term x * extra x)) + 0.01 * half_least).
    { apply Rle_trans with (roundoff * (1.00001 * (term x * extra x) + 1.00001 * (2 ^ 44 * half_least))).
      - apply Rmult_le_compat_l; lra.
      - unfold roundoff. lra. }
    assert (Y' : roundoff * y <= roundoff * (1.00001 * term x) + 0.01 * half_least).
    { apply Rle_trans with (roundoff * (1.00001 * term x + 1.00001 * half_least)).
      - apply Rmult_le_compat_l; lra.
      - unfold roundoff. lra. }
    assert (0 <= roundoff * (term x * extra x)).
    { apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; lra. }
    assert (0 <= roundoff * term x) by (apply Rmult_le_pos; lra).
    lra. }
  assert (EX : Rabs (sum l term - sum l exact) <=
    1.0101 * roundoff * sum l (fun x => term x * extra x)
    + 1.01 * value_factor * roundoff * sum l (fun x => mass x * now x)
    + 1.0001 * roundoff * sum l term + n * (4 * half_least)).
  { rewrite <- sum_minus. eapply Rle_trans; [apply sum_abs|].
    eapply Rle_trans; [apply sum_le; exact one|].
    rewrite !sum_plus, !sum_scal, sum_const. fold n. lra. }
  assert (NH : n * half_least <= 2 ^ 38 * half_least) by (apply Rmult_le_compat_r; lra).
  assert (TS : roundoff * smallest <= roundoff * total l) by (apply Rmult_le_compat_l; lra).
  (* so much is needed *)
  assert (need : Rabs (total l - sum l exact) <= roundoff *
    (1.0105 * drift l + 1.0105 * (value_factor * spread l) + 1.0105 * ((n + 2) * total l))).
  { replace (total l - sum l exact) with ((total l - sum l term) + (sum l term - sum l exact)) by ring.
    eapply Rle_trans; [apply Rabs_triang|].
    assert (D' : roundoff * sum l (fun x => term x * extra x) <= roundoff * (1.0002 * drift l) + 0.001 * (n * half_least)).
    { apply Rle_trans with (roundoff * (1.0002 * drift l + 1.0001 * n * half_least)).
      - apply Rmult_le_compat_l; lra.
      - assert (0 <= n * half_least) by (apply Rmult_le_pos; lra). unfold roundoff. lra. }
    assert (W' : roundoff * sum l (fun x => mass x * now x) <= roundoff * (1.0002 * spread l) + 0.001 * (n * half_least)).
    { apply Rle_trans with (roundoff * (1.0002 * spread l + 1.0001 * n * half_least)).
      - apply Rmult_le_compat_l; lra.
      - assert (0 <= n * half_least) by (apply Rmult_le_pos; lra). unfold roundoff. lra. }
    assert (T' : roundoff * sum l term <= roundoff * (1.0002 * total l)) by (apply Rmult_le_compat_l; lra).
    assert (0 <= roundoff * drift l) by (apply Rmult_le_pos; lra).
    assert (0 <= roundoff * spread l) by (apply Rmult_le_pos; lra).
    assert (0 <= n * (roundoff * total l)) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
    unfold value_factor in *. lra. }
  eapply Rle_trans; [exact need|]. clear need EX one D W ET.
  (* so much is charged *)
  unfold ledger_error. fold n.
  set (vs := fl (value_factor * spread l)). set (nt := fl (fl (n + 4) * total l)).
  assert (B4 : 4 <= fl (n + 4)).
  { rewrite <- (fl_double 4) at 1 by (apply (double_IZR 4); lia). apply fl_le; lra. }
  assert (N4 : (n + 4) * 0.9999 <= fl (n + 4)).
  { assert (R4 : roundings 1 (n + 4) (fl (n + 4))).
    { apply fl_normal. right. rewrite Rabs_pos_eq by lra.
      assert (least_normal <= 1) by (unfold least_normal; change 1 with (bpow radix2 0); now apply bpow_le). lra. }
    apply roundings_bounds in R4; [|lra].
    assert (0.9999 <= exp (- (1 * roundoff))) by (apply exp_count; lra). nra. }
  assert (VS : value_factor * spread l * 0.9999 - half_least <= vs).
  { pose proof (fl_error (value_factor * spread l)) as R1. fold vs in R1.
    unfold value_factor in *. rewrite (Rabs_pos_eq (3.25 * spread l)) in R1 by lra. apply Rabs_le_inv in R1.
    unfold roundoff in R1. lra. }
  assert (NT : fl (n + 4) * total l * 0.9999 - half_least <= nt).
  { assert (0 <= fl (n + 4) * total l) by (apply Rmult_le_pos; lra).
    pose proof (fl_error (fl (n + 4) * total l)) as R1. fold nt in R1.
    rewrite (Rabs_pos_eq (fl (n + 4) * total l)) in R1 by lra. apply Rabs_le_inv in R1. unfold roundoff in R1. lra. }
  assert (HT : half_least <= 0.0001 * total l).
  { assert (roundoff * total l <= 0.0001 * total l) by (apply Rmult_le_compat_r; [lra|unfold roundoff; lra]). lra. }
  assert (NT2 : (n + 3.9) * total l * 0.9997 <= nt).
  { assert ((n + 4) * 0.9999 * total l <= fl (n + 4) * total l) by (apply Rmult_le_compat_r; lra). nra. }
  assert (VP : 0 <= vs) by (apply fl_nonneg; unfold value_factor; lra).
  assert (NP : 0 <= nt) by (assert (0 <= (n + 3.9) * total l) by (apply Rmult_le_pos; lra); lra).
  set (dv := fl (drift l + vs)).
  assert (shrink : forall a b c, double a -> double b -> 0 <= a -> 0 <= b -> c = fl (a + b) -> (a + b) * 0.9999 <= c /\ 0 <= c).
  { intros a b c A B A0 B0 ->. pose proof (fl_plus a b A B) as R1. apply roundings_bounds in R1; [|lra].
    assert (0.9999 <= exp (- (1 * roundoff))) by (apply exp_count; lra). split; [nra|apply fl_nonneg; lra]. }
  destruct (shrink (drift l) vs dv) as [DV DV0]; auto; try apply double_fl.
  { apply accumulate_double, double_0. }
  destruct (shrink dv nt (fl (dv + nt))) as [DN DN0]; auto; try apply double_fl.
  set (rest := fl (dv + nt)) in *.
  (* 1.05 ROUNDOFF *)
  assert (C5 : 1.05 * 0.999 * roundoff <= fl (fl 1.05 * roundoff)).
  { assert (1.05 * 0.9999 <= fl 1.05).
    { pose proof (fl_error 1.05) as R1. rewrite (Rabs_pos_eq 1.05) in R1 by lra. apply Rabs_le_inv in R1.
      assert (half_least <= 0.00001).
      { unfold half_least. apply Rle_trans with (bpow radix2 (-53)); [now apply bpow_le|].
        rewrite <- roundoff_bpow. unfold roundoff; lra. }
      unfold roundoff in R1. lra. }
    apply Rle_trans with (fl 1.05 * roundoff * 0.9999).
    - nra.
    - assert (P5 : 0 < fl 1.05 * roundoff) by nra.
      assert (R5 : roundings 1 (fl 1.05 * roundoff) (fl (fl 1.05 * roundoff))).
      { apply fl_normal. right. rewrite Rabs_pos_eq by lra.
        apply Rle_trans with (1 * roundoff); [|apply Rmult_le_compat_r; lra].
        rewrite Rmult_1_l, roundoff_bpow. now apply bpow_le. }
      apply roundings_bounds in R5; [|lra].
      assert (0.9999 <= exp (- (1 * roundoff))) by (apply exp_count; lra). nra. }
  set (c5 := fl (fl 1.05 * roundoff)) in *.
  assert (RT : 3.8 * total l <= rest) by nra.
  assert (CR : roundoff * total l <= c5 * rest).
  { apply Rle_trans with ((1.05 * 0.999 * roundoff) * (3.8 * total l)).
    - assert (0 <= roundoff * total l) by (apply Rmult_le_pos; lra). lra.
    - apply Rmult_le_compat; try lra. }
  apply Rle_trans with (c5 * rest * 0.9999).
  - apply Rle_trans with ((1.05 * 0.999 * roundoff) * rest * 0.9999).
    + assert (rest * 1.0105 >= 1.0 * (1.0105 * ((drift l + vs) * 0.9999 + nt) * 0.9999)) by lra.
      assert (K : 1.0105 * drift l + 1.0105 * (value_factor * spread l) + 1.0105 * ((n + 2) * total l)
        <= 1.05 * 0.998 * rest).
      { assert (0 <= n * total l) by (apply Rmult_le_pos; lra). unfold value_factor in *. lra. }
      assert (roundoff * (1.0105 * drift l + 1.0105 * (value_factor * spread l) + 1.0105 * ((n + 2) * total l))
        <= roundoff * (1.05 * 0.998 * rest)) by (apply Rmult_le_compat_l; lra).
      assert (0 <= roundoff * rest) by (apply Rmult_le_pos; lra). lra.
    + assert (1.05 * 0.999 * roundoff * rest <= c5 * rest) by (apply Rmult_le_compat_r; lra). lra.
  - assert (P5 : 0 <= c5 * rest).
    { apply Rmult_le_pos; [|lra]. lra. }
    pose proof (fl_error (c5 * rest)) as R1. rewrite (Rabs_pos_eq (c5 * rest)) in R1 by exact P5.
    apply Rabs_le_inv in R1.
    assert (half_least <= 0.00001 * (c5 * rest)).
    { assert (2 ^ 50 * half_least <= c5 * rest) by lra. lra. }
    unfold roundoff in R1. lra.
Qed.
