(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Renyi divergences of real order a > 1 on finite lists of outcomes.
 *
 * Everything is said about the moment M_a(P||Q) = sum Q (P/Q)^a; the
 * divergence is D_a = log(M_a)/(a-1), so D_a <= e means M_a <= e^((a-1) e).
 *
 *   conversion to (eps, delta) (../convert.md; Canonne, Kamath and Steinke,
 *     arXiv 2004.00010, Proposition 12; Mironov, arXiv 1702.07476, Proposition 3);
 *   products and adaptive compositions (../convert.md, "Composition");
 *   outcomes left out (../renyi.md);
 *   between orders (../girgis21.md, "Real orders"; ../subsample.md, last section):
 *     log M_a is convex in a, D_a does not decrease.
 *
 * P must vanish where Q does; otherwise every D_a is infinite.
 *)
From Coq Require Import Reals List Lra Lia Arith Psatz.
From Shufbound Require Import Sum Hockey Divergence Composition.
Import ListNotations.
Open Scope R_scope.

(* ---- real powers of x >= 0, with 0^a = 0 ---- *)

Definition powr (x a : R) : R := if Rlt_dec 0 x then Rpower x a else 0.

Lemma powr_pos x a : 0 < x -> powr x a = Rpower x a.
Proof. intros H. unfold powr. destruct (Rlt_dec 0 x); [reflexivity | contradiction]. Qed.

Lemma powr_zero a : powr 0 a = 0.
Proof. unfold powr. destruct (Rlt_dec 0 0); lra. Qed.

Lemma Rpower_positive x a : 0 < Rpower x a.
Proof. apply exp_pos. Qed.

Lemma powr_nonneg x a : 0 <= powr x a.
Proof. unfold powr. destruct (Rlt_dec 0 x); [apply Rlt_le, Rpower_positive | lra]. Qed.

(* For an integer a >= 1 it is the ordinary power. *)
Lemma powr_nat x n : 0 <= x -> (1 <= n)%nat -> powr x (INR n) = x ^ n.
Proof.
  intros [H| <-] N.
  - rewrite powr_pos by exact H. now apply Rpower_pow.
  - rewrite powr_zero. rewrite pow_i by lia. reflexivity.
Qed.

Lemma powr_mult x y a : 0 <= x -> 0 <= y -> powr (x * y) a = powr x a * powr y a.
Proof.
  intros [X| <-] [Y| <-]; rewrite ?Rmult_0_l, ?Rmult_0_r, ?powr_zero, ?Rmult_0_l, ?Rmult_0_r; trivial.
  rewrite !powr_pos by (trivial; now apply Rmult_lt_0_compat). symmetry. now apply Rpower_mult_distr.
Qed.

Lemma ratio_mult p p' q q' : p * p' / (q * q') = p / q * (p' / q').
Proof. unfold Rdiv. rewrite Rinv_mult. ring. Qed.

Lemma quotient_nonneg p q : 0 <= p -> 0 <= q -> 0 <= p / q.
Proof. intros P Q. pose proof (ratio_nonneg 1 q p Rle_0_1 Q P) as H. now rewrite Rmult_1_l in H. Qed.

(* ---- the moment ---- *)

Definition moment {A} (a : R) (l : list A) (P Q : A -> R) : R := sum l (fun x => Q x * powr (P x / Q x) a).

(* P vanishes where Q does. *)
Definition continuous {A} (l : list A) (P Q : A -> R) : Prop := forall x, In x l -> Q x = 0 -> P x = 0.

Lemma moment_nonneg {A} a (l : list A) P Q : mass l Q -> 0 <= moment a l P Q.
Proof. intros M. apply sum_nonneg. intros x I. apply Rmult_le_pos; [now apply M | apply powr_nonneg]. Qed.

(* For an integer order n >= 1 it is the sum of Q (P/Q)^n. *)
Lemma moment_nat {A} n (l : list A) P Q :
  (1 <= n)%nat -> mass l P -> mass l Q -> moment (INR n) l P Q = sum l (fun x => Q x * (P x / Q x) ^ n).
Proof.
  intros N MP MQ. apply sum_ext. intros x I. rewrite powr_nat; trivial.
  apply quotient_nonneg; [now apply MP | now apply MQ].
Qed.

(* The moment of order 1 is the mass of P. *)
Lemma moment_one {A} (l : list A) P Q :
  mass l P -> mass l Q -> continuous l P Q -> moment 1 l P Q = sum l P.
Proof.
  intros MP MQ C. change 1 with (INR 1) at 1. rewrite moment_nat by (trivial; lia).
  apply sum_ext. intros x I. rewrite pow_1. destruct (MQ x I) as [H|H]; [field; lra|].
  rewrite (C x I) by auto. rewrite <- H. lra.
Qed.

(* ---- conversion ---- *)

(* c_a = (1/a) (1 - 1/a)^(a-1). *)
Definition conversion (a : R) : R := 1 / a * Rpower (1 - 1 / a) (a - 1).

Lemma order_fraction a : 1 < a -> 0 < 1 / a < 1.
Proof.
  intros H. split; [apply Rdiv_lt_0_compat; lra|].
  apply Rmult_lt_reg_l with a; [lra|]. field_simplify; lra.
Qed.

Lemma conversion_pos a : 1 < a -> 0 < conversion a.
Proof. intros H. apply Rmult_lt_0_compat; [now apply order_fraction | apply Rpower_positive]. Qed.

(* It is (1 - 1/a)^a/(a-1). *)
Lemma conversion_alternative a : 1 < a -> conversion a = Rpower (1 - 1 / a) a / (a - 1).
Proof.
  intros H. pose proof (order_fraction a H). unfold conversion.
  assert (Rpower (1 - 1 / a) a = Rpower (1 - 1 / a) (a - 1) * (1 - 1 / a)) as ->.
  { replace a with (a - 1 + 1) at 2 by ring. rewrite Rpower_plus, Rpower_1; lra. }
  field. lra.
Qed.

Lemma conversion_below_one a : 1 < a -> conversion a < 1.
Proof.
  intros H. pose proof (order_fraction a H) as [F G]. unfold conversion.
  assert (Rpower (1 - 1 / a) (a - 1) <= 1).
  { apply Rle_trans with (exp 0); [|rewrite exp_0; lra]. apply Rlt_le, exp_increasing.
    assert (ln (1 - 1 / a) < ln 1) as L by (apply ln_increasing; lra). rewrite ln_1 in L. nra. }
  pose proof (Rpower_positive (1 - 1 / a) (a - 1)). nra.
Qed.

Lemma ln_tangent x : 0 < x -> ln x <= x - 1.
Proof. intros H. pose proof (exp_ineq1_le (ln x)). rewrite exp_ln in *; lra. Qed.

(* (1-y) y^(a-1) is largest at y = 1 - 1/a, and there it is c_a. *)
Lemma conversion_maximum a y : 1 < a -> 0 < y < 1 -> (1 - y) * Rpower y (a - 1) <= conversion a.
Proof.
  intros H Y. pose proof (order_fraction a H) as [F G].
  assert (L : ln (1 - y) + (a - 1) * ln y <= ln (1 / a) + (a - 1) * ln (1 - 1 / a)).
  { assert (T1 : ln ((1 - y) * a) <= (1 - y) * a - 1) by (apply ln_tangent; nra).
    assert (0 < / (1 - 1 / a)) by (apply Rinv_0_lt_compat; lra).
    assert (T2 : ln (y * / (1 - 1 / a)) <= y * / (1 - 1 / a) - 1) by (apply ln_tangent; nra).
    rewrite ln_mult in T1, T2 by lra. rewrite ln_Rinv in T2 by lra.
    replace (ln (1 / a)) with (- ln a) by (unfold Rdiv; rewrite Rmult_1_l, ln_Rinv; lra).
    assert (E : (a - 1) * (y * / (1 - 1 / a)) = y * a) by (field; lra).
    assert ((a - 1) * (ln y + - ln (1 - 1 / a)) <= (a - 1) * (y * / (1 - 1 / a) - 1))
      by (apply Rmult_le_compat_l; lra).
    nra. }
  unfold conversion, Rpower.
  rewrite <- (exp_ln (1 - y)) at 1 by lra. rewrite <- (exp_ln (1 / a)) at 1 by lra.
  rewrite <- !exp_plus. destruct L as [L|L]; [apply Rlt_le, exp_increasing, L | rewrite L; lra].
Qed.

(* The pointwise inequality behind the conversion. *)
Lemma conversion_pointwise a p q eps :
  1 < a -> 0 <= p -> 0 <= q -> (q = 0 -> p = 0) ->
  pos (p - exp eps * q) <= conversion a * exp (- ((a - 1) * eps)) * (q * powr (p / q) a).
Proof.
  intros H P Q C.
  assert (0 <= conversion a * exp (- ((a - 1) * eps)) * (q * powr (p / q) a)) as N.
  { pose proof (conversion_pos a H). pose proof (exp_pos (- ((a - 1) * eps))).
    apply Rmult_le_pos; [nra|]. apply Rmult_le_pos; [exact Q | apply powr_nonneg]. }
  apply pos_lub; [exact N|].
  destruct (Rle_dec p (exp eps * q)) as [K|K]; [lra|]. apply Rnot_le_lt in K.
  pose proof (exp_pos eps) as E.
  destruct Q as [Q| <-]; [|rewrite C in K by reflexivity; lra].
  assert (0 < p) by nra. assert (0 < p / q) by now apply Rdiv_lt_0_compat.
  rewrite powr_pos by assumption.
  pose (y := exp eps * (q / p)).
  assert (Y : 0 < y < 1).
  { split; [apply Rmult_lt_0_compat; [exact E | now apply Rdiv_lt_0_compat]|].
    unfold y. apply Rmult_lt_reg_r with p; [assumption|]. field_simplify; lra. }
  pose proof (conversion_maximum a y H Y) as M.
  assert (R1 : Rpower y (a - 1) = exp ((a - 1) * eps) * exp (- ((a - 1) * ln (p / q)))).
  { unfold Rpower. rewrite <- exp_plus. f_equal. unfold y.
    rewrite ln_mult by (trivial; now apply Rdiv_lt_0_compat). rewrite ln_exp.
    replace (q / p) with (/ (p / q)) by (field; lra). rewrite ln_Rinv by assumption. ring. }
  assert (R2 : Rpower (p / q) a = p / q * exp ((a - 1) * ln (p / q))).
  { unfold Rpower. rewrite <- (exp_ln (p / q)) at 2 by assumption. rewrite <- exp_plus. f_equal. ring. }
  rewrite R1 in M. rewrite R2, exp_Ropp in *.
  pose proof (exp_pos ((a - 1) * eps)) as U. pose proof (exp_pos ((a - 1) * ln (p / q))) as V.
  set (u := exp ((a - 1) * eps)) in *. set (v := exp ((a - 1) * ln (p / q))) in *.
  assert ((1 - y) * p = p - exp eps * q) as <- by (unfold y; field; lra).
  replace (conversion a * / u * (q * (p / q * v))) with (conversion a * (v * / u) * p) by (field; lra).
  apply Rmult_le_compat_r; [lra|].
  apply Rmult_le_reg_r with (u * / v); [apply Rmult_lt_0_compat; trivial; now apply Rinv_0_lt_compat|].
  replace (conversion a * (v * / u) * (u * / v)) with (conversion a) by (field; lra). lra.
Qed.

(* H at e^eps is at most c_a e^(-(a-1) eps) times the moment. *)
Theorem moment_to_hockey {A} (l : list A) P Q a eps :
  1 < a -> mass l P -> mass l Q -> continuous l P Q ->
  hockey l (exp eps) P Q <= conversion a * exp (- ((a - 1) * eps)) * moment a l P Q.
Proof.
  intros H MP MQ C. unfold moment, hockey. rewrite <- sum_scal. apply sum_le. intros x I.
  apply conversion_pointwise; [exact H | now apply MP | now apply MQ | now apply C].
Qed.

(* D_a <= e implies delta(eps) <= c_a e^((a-1)(e-eps)). *)
Theorem renyi_conversion {A} (l : list A) P Q a e eps :
  1 < a -> mass l P -> mass l Q -> continuous l P Q ->
  moment a l P Q <= exp ((a - 1) * e) ->
  hockey l (exp eps) P Q <= conversion a * exp ((a - 1) * (e - eps)).
Proof.
  intros H MP MQ C M. eapply Rle_trans; [now apply moment_to_hockey with (a := a)|].
  replace ((a - 1) * (e - eps)) with (- ((a - 1) * eps) + (a - 1) * e) by ring.
  rewrite exp_plus, <- Rmult_assoc. apply Rmult_le_compat_l; [|exact M].
  pose proof (conversion_pos a H). pose proof (exp_pos (- ((a - 1) * eps))). nra.
Qed.

(* Mironov's simpler form. *)
Corollary renyi_conversion_mironov17 {A} (l : list A) P Q a e eps :
  1 < a -> mass l P -> mass l Q -> continuous l P Q ->
  moment a l P Q <= exp ((a - 1) * e) ->
  hockey l (exp eps) P Q <= exp ((a - 1) * (e - eps)).
Proof.
  intros H MP MQ C M. eapply Rle_trans; [now apply renyi_conversion with (a := a) (e := e)|].
  pose proof (conversion_below_one a H). pose proof (exp_pos ((a - 1) * (e - eps))). nra.
Qed.

(* Solved for eps: D_a <= e implies delta(eps) <= delta at eps = e + (log c_a - log delta)/(a-1) or more. *)
Corollary renyi_conversion_epsilon {A} (l : list A) P Q a e delta eps :
  1 < a -> mass l P -> mass l Q -> continuous l P Q -> 0 < delta ->
  moment a l P Q <= exp ((a - 1) * e) ->
  e + (ln (conversion a) - ln delta) / (a - 1) <= eps ->
  hockey l (exp eps) P Q <= delta.
Proof.
  intros H MP MQ C D M E.
  eapply Rle_trans; [apply renyi_conversion with (a := a) (e := e); assumption|].
  rewrite <- (exp_ln (conversion a)) by now apply conversion_pos.
  rewrite <- exp_plus, <- (exp_ln delta) by exact D.
  assert (ln (conversion a) + (a - 1) * (e - eps) <= ln delta) as K.
  { apply Rmult_le_compat_l with (r := a - 1) in E; [|lra].
    replace ((a - 1) * (e + (ln (conversion a) - ln delta) / (a - 1)))
      with ((a - 1) * e + (ln (conversion a) - ln delta)) in E by (field; lra). lra. }
  rewrite exp_ln by exact D.
  destruct K as [K|K]; [apply Rlt_le; rewrite <- (exp_ln delta) by exact D; now apply exp_increasing|].
  rewrite K, exp_ln; [lra | exact D].
Qed.

(* ---- compositions ---- *)

(* The moment of a composition is the mean of the second moments with the terms of the first as weights. *)
Theorem moment_joint {A B} a (l : list A) (r : list B) P Q K L :
  mass l P -> mass l Q -> (forall x, In x l -> mass r (K x)) -> (forall x, In x l -> mass r (L x)) ->
  moment a (list_prod l r) (joint P K) (joint Q L)
  = sum l (fun x => Q x * powr (P x / Q x) a * moment a r (K x) (L x)).
Proof.
  intros MP MQ MK ML. unfold moment at 1. rewrite sum_prod. apply sum_ext. intros x Ix.
  unfold moment. rewrite <- sum_scal. apply sum_ext. intros y Iy. unfold joint. cbn.
  rewrite ratio_mult, powr_mult; [ring| |].
  - apply quotient_nonneg; [now apply MP | now apply MQ].
  - apply quotient_nonneg; [now apply MK | now apply ML].
Qed.

(* Moments multiply: divergences of independent mechanisms add up. *)
Theorem moment_product {A B} a (l : list A) (r : list B) P Q P' Q' :
  mass l P -> mass l Q -> mass r P' -> mass r Q' ->
  moment a (list_prod l r) (product P P') (product Q Q') = moment a l P Q * moment a r P' Q'.
Proof. intros. unfold product. rewrite moment_joint by auto. apply sum_scal_r. Qed.

(* Adaptive composition: if every second moment is at most m, the whole is at most m times the first. *)
Theorem moment_adaptive {A B} a (l : list A) (r : list B) P Q K L m :
  mass l P -> mass l Q -> (forall x, In x l -> mass r (K x)) -> (forall x, In x l -> mass r (L x)) ->
  (forall x, In x l -> moment a r (K x) (L x) <= m) ->
  moment a (list_prod l r) (joint P K) (joint Q L) <= moment a l P Q * m.
Proof.
  intros MP MQ MK ML H. rewrite moment_joint by assumption. unfold moment at 2. rewrite <- sum_scal_r.
  apply sum_le. intros x Ix. apply Rmult_le_compat_l; [|now apply H].
  apply Rmult_le_pos; [now apply MQ | apply powr_nonneg].
Qed.

(* Renyi bounds add up: D_a <= e and D_a <= e' after every first outcome give D_a <= e + e'. *)
Corollary renyi_adaptive {A B} a (l : list A) (r : list B) P Q K L e e' :
  mass l P -> mass l Q -> (forall x, In x l -> mass r (K x)) -> (forall x, In x l -> mass r (L x)) ->
  moment a l P Q <= exp ((a - 1) * e) ->
  (forall x, In x l -> moment a r (K x) (L x) <= exp ((a - 1) * e')) ->
  moment a (list_prod l r) (joint P K) (joint Q L) <= exp ((a - 1) * (e + e')).
Proof.
  intros MP MQ MK ML H H'. eapply Rle_trans; [now apply moment_adaptive with (m := exp ((a - 1) * e'))|].
  rewrite Rmult_plus_distr_l, exp_plus. apply Rmult_le_compat_r; [apply Rlt_le, exp_pos | exact H].
Qed.

(* After every history the next round has D_a <= its bound in es. *)
Fixpoint renyi_bounded {A} (a : R) (es : list R) (ls : list (list A)) (M N : list A -> A -> R) (h : list A) : Prop :=
  match es, ls with
  | [], [] => True
  | e :: es', l :: ls' =>
      mass l (M h) /\ mass l (N h) /\ moment a l (M h) (N h) <= exp ((a - 1) * e)
      /\ forall x, In x l -> renyi_bounded a es' ls' M N (x :: h)
  | _, _ => False
  end.

Lemma renyi_bounded_mass {A} a es : forall (ls : list (list A)) M N h,
  renyi_bounded a es ls M N h -> mass (sequences ls) (adaptive M h) /\ mass (sequences ls) (adaptive N h).
Proof.
  induction es as [|e es IH]; intros [|l ls] M N h D; try destruct D.
  - split; intros v [<-|[]]; cbn; lra.
  - destruct H0 as (MN & _ & D). split; intros v I;
      apply in_sequences in I as (x & w & -> & Ix & Iw); destruct (IH ls M N (x :: h) (D x Ix)); cbn;
      apply Rmult_le_pos; auto.
Qed.

(* Any number of adaptive rounds: the bounds add up. *)
Theorem renyi_rounds {A} a es : forall (ls : list (list A)) M N h,
  renyi_bounded a es ls M N h ->
  moment a (sequences ls) (adaptive M h) (adaptive N h) <= exp ((a - 1) * fold_right Rplus 0 es).
Proof.
  induction es as [|e es IH]; intros [|l ls] M N h D; try destruct D.
  - unfold moment. cbn. unfold Rdiv. rewrite Rinv_1, Rmult_1_r, powr_pos by lra.
    unfold Rpower. rewrite ln_1, !Rmult_0_r, exp_0. lra.
  - destruct H0 as (MN & E & D). cbn [fold_right].
    replace (moment a (sequences (l :: ls)) (adaptive M h) (adaptive N h))
      with (moment a (list_prod l (sequences ls))
              (joint (M h) (fun x => adaptive M (x :: h))) (joint (N h) (fun x => adaptive N (x :: h))))
      by (unfold moment; now rewrite sum_sequences).
    apply renyi_adaptive; trivial.
    + intros x Ix. exact (proj1 (renyi_bounded_mass a es ls M N (x :: h) (D x Ix))).
    + intros x Ix. exact (proj2 (renyi_bounded_mass a es ls M N (x :: h) (D x Ix))).
    + intros x Ix. now apply IH, D.
Qed.

(* ---- truncation ---- *)

Lemma moment_split {A} a (S : A -> bool) (l : list A) P Q :
  moment a l P Q = moment a (filter S l) P Q + moment a (filter (fun x => negb (S x)) l) P Q.
Proof. apply sum_split. Qed.

(* Where P <= e^Lmax Q the moment is at most e^((a-1) Lmax) times the mass of P. *)
Theorem moment_max_loss {A} a (l : list A) P Q Lmax :
  1 <= a -> mass l P -> mass l Q -> (forall x, In x l -> P x <= exp Lmax * Q x) ->
  moment a l P Q <= exp ((a - 1) * Lmax) * sum l P.
Proof.
  intros H MP MQ L. unfold moment. rewrite <- sum_scal. apply sum_le. intros x I.
  specialize (MP x I). specialize (MQ x I). specialize (L x I).
  pose proof (exp_pos ((a - 1) * Lmax)) as E.
  destruct MQ as [Q0|Q0]; [|rewrite <- Q0, Rmult_0_l; nra].
  destruct MP as [P0|P0].
  - assert (R0 : 0 < P x / Q x) by now apply Rdiv_lt_0_compat.
    rewrite powr_pos by exact R0. unfold Rpower.
    replace (a * ln (P x / Q x)) with ((a - 1) * ln (P x / Q x) + ln (P x / Q x)) by ring.
    rewrite exp_plus, exp_ln by exact R0.
    assert (B : ln (P x / Q x) <= Lmax).
    { apply Rnot_lt_le. intros K. apply exp_increasing in K. rewrite exp_ln in K by exact R0.
      apply Rmult_lt_compat_r with (r := Q x) in K; [|exact Q0].
      unfold Rdiv in K. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in K by lra. lra. }
    replace (Q x * (exp ((a - 1) * ln (P x / Q x)) * (P x / Q x)))
      with (exp ((a - 1) * ln (P x / Q x)) * P x) by (field; lra).
    apply Rmult_le_compat_r; [lra|].
    assert ((a - 1) * ln (P x / Q x) <= (a - 1) * Lmax) as [K|K] by (apply Rmult_le_compat_l; lra).
    + now apply Rlt_le, exp_increasing.
    + rewrite K. lra.
  - rewrite <- P0. unfold Rdiv. rewrite Rmult_0_l, powr_zero. lra.
Qed.

(* What is left out of the moment is between 0 and e^((a-1) Lmax) P(left out). *)
Theorem moment_truncation {A} a (S : A -> bool) (l : list A) P Q Lmax :
  1 <= a -> mass l P -> mass l Q -> (forall x, In x l -> S x = false -> P x <= exp Lmax * Q x) ->
  moment a (filter S l) P Q <= moment a l P Q
  <= moment a (filter S l) P Q + exp ((a - 1) * Lmax) * sum (filter (fun x => negb (S x)) l) P.
Proof.
  intros H MP MQ L. rewrite (moment_split a S l).
  assert (F : forall x, In x (filter (fun x => negb (S x)) l) -> In x l /\ S x = false).
  { intros x I. apply filter_In in I as [I N]. now apply Bool.negb_true_iff in N. }
  assert (0 <= moment a (filter (fun x => negb (S x)) l) P Q).
  { apply moment_nonneg. intros x I. now apply MQ, F. }
  split; [lra|]. apply Rplus_le_compat_l, moment_max_loss; trivial.
  - intros x I. now apply MP, F.
  - intros x I. now apply MQ, F.
  - intros x I. now apply L; apply F.
Qed.

(* ---- between orders ---- *)

Lemma exp_convex t x y : 0 <= t <= 1 -> exp ((1 - t) * x + t * y) <= (1 - t) * exp x + t * exp y.
Proof.
  intros T. set (z := (1 - t) * x + t * y). pose proof (exp_pos z) as Z.
  assert (exp z * (1 + (x - z)) <= exp x).
  { replace (exp x) with (exp z * exp (x - z)) by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_le_compat_l; [lra | apply exp_ineq1_le]. }
  assert (exp z * (1 + (y - z)) <= exp y).
  { replace (exp y) with (exp z * exp (y - z)) by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_le_compat_l; [lra | apply exp_ineq1_le]. }
  assert ((1 - t) * (exp z * (1 + (x - z))) + t * (exp z * (1 + (y - z))) = exp z) by (unfold z; ring).
  assert ((1 - t) * (exp z * (1 + (x - z))) <= (1 - t) * exp x) by (apply Rmult_le_compat_l; lra).
  assert (t * (exp z * (1 + (y - z))) <= t * exp y) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

(* Hoelder: log of the moment is convex in the order. For all upper bounds e^k of the two moments. *)
Theorem moment_log_convex {A} (l : list A) P Q a b t k m :
  mass l P -> mass l Q -> 0 <= t <= 1 ->
  moment a l P Q <= exp k -> moment b l P Q <= exp m ->
  moment ((1 - t) * a + t * b) l P Q <= exp ((1 - t) * k + t * m).
Proof.
  intros MP MQ T K M. set (z := (1 - t) * k + t * m).
  apply Rle_trans with (exp z * ((1 - t) * (exp (- k) * moment a l P Q) + t * (exp (- m) * moment b l P Q))).
  - unfold moment. rewrite <- !sum_scal, <- sum_plus, <- sum_scal. apply sum_le. intros x I.
    specialize (MP x I). specialize (MQ x I). pose proof (exp_pos z) as Z.
    replace (exp z * ((1 - t) * (exp (- k) * (Q x * powr (P x / Q x) a)) + t * (exp (- m) * (Q x * powr
      (P x / Q x) b))))
      with (Q x * (exp z * ((1 - t) * (exp (- k) * powr (P x / Q x) a) + t * (exp (- m) * powr (P x / Q x) b))))
      by ring.
    apply Rmult_le_compat_l; [exact MQ|]. unfold powr. destruct (Rlt_dec 0 (P x / Q x)) as [U|_]; [|nra].
    unfold Rpower. set (u := ln (P x / Q x)). rewrite <- !exp_plus.
    replace (((1 - t) * a + t * b) * u) with (z + ((1 - t) * (- k + a * u) + t * (- m + b * u)))
      by (unfold z; ring).
    rewrite exp_plus. apply Rmult_le_compat_l; [lra|]. now apply exp_convex.
  - assert (Hk : exp (- k) * exp k = 1) by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
    assert (Hm : exp (- m) * exp m = 1) by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
    pose proof (exp_pos (- k)). pose proof (exp_pos (- m)). pose proof (exp_pos z).
    assert (exp (- k) * moment a l P Q <= 1) by (rewrite <- Hk; apply Rmult_le_compat_l; lra).
    assert (exp (- m) * moment b l P Q <= 1) by (rewrite <- Hm; apply Rmult_le_compat_l; lra).
    rewrite <- (Rmult_1_r (exp z)) at 2. apply Rmult_le_compat_l; nra.
Qed.

(* D_a does not decrease in a: a bound of D_b bounds D_a for 1 < a <= b. *)
Theorem renyi_increasing {A} (l : list A) P Q a b e :
  law l P -> mass l Q -> continuous l P Q -> 1 < a <= b ->
  moment b l P Q <= exp ((b - 1) * e) -> moment a l P Q <= exp ((a - 1) * e).
Proof.
  intros [MP SP] MQ C [H HB] M. set (t := (a - 1) / (b - 1)).
  assert (E : t * (b - 1) = a - 1) by (unfold t; field; lra).
  assert (T : 0 <= t <= 1) by (split; nra).
  replace a with ((1 - t) * 1 + t * b) at 1 by nra.
  replace ((a - 1) * e) with ((1 - t) * 0 + t * ((b - 1) * e)) by (rewrite <- E; ring).
  apply moment_log_convex; trivial. rewrite moment_one, SP, exp_0; trivial. lra.
Qed.

(* ---- an instance: binary randomised response with e^eps0 = 3, order 2 ---- *)

Example response_moment : moment 2 [true; false] response_P response_Q = 7 / 3.
Proof.
  change 2 with (INR 2). destruct response_laws as [[] []]. rewrite moment_nat by (trivial; lia).
  cbn. field.
Qed.

(* c_2 = 1/4, so H at e^eps is at most 7/12 e^-eps. *)
Example response_conversion eps : hockey [true; false] (exp eps) response_P response_Q <= 7 / 12 * exp (- eps).
Proof.
  destruct response_laws as [[MP _] [MQ _]].
  pose proof (moment_to_hockey [true; false] response_P response_Q 2 eps) as H.
  rewrite response_moment in H. unfold conversion in H.
  replace (2 - 1) with 1 in H by ring. rewrite Rpower_1, Rmult_1_l in H by lra.
  assert (hockey [true; false] (exp eps) response_P response_Q <= 1 / 2 * (1 - 1 / 2) * exp (- eps) * (7 / 3)).
  { apply H; trivial; [lra|]. intros [] _; cbn; lra. }
  lra.
Qed.
