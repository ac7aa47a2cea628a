(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Renyi divergences as integrals of the profile: ../renyi-profile.md, Theorem 1. Of
 * finitely many outcomes the profile is 0 from the largest ratio M on, and the integral
 * goes to M.
 *)
From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Hierarchy Continuity Derive RInt RInt_analysis AutoDerive.
From Shufbound Require Import Sum Hockey Divergence Renyi.
Import ListNotations.
Open Scope R_scope.

(* The weights of the two directions at u: of order a, and 1. *)
Definition weight_of (a u : R) : R := exp ((a - 2) * ln u).
Definition weight_back (a u : R) : R := exp ((- a - 1) * ln u).

(* -------- One outcome -------- *)

Lemma integral_ext (f g : R -> R) x y v : x <= y -> (forall u, x < u < y -> f u = g u) -> is_RInt f x y v -> is_RInt g x y v.
Proof. intros L H. apply is_RInt_ext. intros u. rewrite Rmin_left, Rmax_right by exact L. exact (H u). Qed.

Lemma integral_null x y : is_RInt (fun _ : R => 0) x y 0.
Proof.
  pose proof (@is_RInt_const R_NormedModule x y 0) as C. replace (@scal R_Ring R_NormedModule (y - x) 0) with 0 in C; [exact C|].
  symmetry. apply Rmult_0_r.
Qed.

Section Outcome.
  Variables (a p q M : R).
  Hypotheses (A1 : 1 < a) (P0 : 0 < p) (Q0 : 0 < q) (PM : p <= M * q) (QM : q <= M * p) (M1 : 1 <= M).

  Lemma integral_of_derivative (F f : R -> R) x y : x <= y ->
    (forall u, x <= u <= y -> is_derive F u (f u)) -> (forall u, x <= u <= y -> Continuity.continuous f u) -> is_RInt f x y (F y - F x).
  Proof.
    intros L D C. apply (is_RInt_derive F f x y); intros u; rewrite Rmin_left, Rmax_right by exact L; auto.
  Qed.

  Lemma integral_zero (f : R -> R) x y : x <= y -> (forall u, x < u < y -> f u = 0) -> is_RInt f x y 0.
  Proof.
    intros L H. apply (integral_ext (fun _ => 0)).
    - exact L.
    - intros u U. symmetry. now apply H.
    - apply integral_null.
  Qed.

  Lemma cut (f : R -> R) x y z v : x <= y <= z -> is_RInt f x y v -> (forall u, y < u < z -> f u = 0) -> is_RInt f x z v.
  Proof.
    intros [L1 L2] H Z. replace v with (plus v 0) by (unfold plus; cbn; ring). apply (is_RInt_Chasles f x y z); [exact H | now apply integral_zero].
  Qed.

  Let f u := weight_of a u * pos (p - u * q) + weight_back a u * pos (q - u * p).

  Lemma exp_ln_inverse u c : 0 < u -> exp ((c - 1) * ln u) * u = exp (c * ln u).
  Proof. intros U. rewrite <- (exp_ln u) at 2 by exact U. rewrite <- exp_plus. f_equal. ring. Qed.

  Lemma outcome_integral : is_RInt f 1 M ((q * exp (a * ln (p / q)) - q - a * (p - q)) / (a * (a - 1))).
  Proof.
    destruct (Rle_dec q p) as [L|L].
    - set (x := p / q). assert (X : x * q = p) by (unfold x; field; lra). assert (X1 : 1 <= x <= M) by (split; nra). clearbody x.
      apply (cut f 1 x M); [exact X1| |].
      + apply (integral_ext (fun u => weight_of a u * (p - u * q))); [lra| |].
        { intros u [U0 U1]. unfold f. rewrite pos_id, pos_zero by nra. ring. }
        set (F := fun u => exp ((a - 1) * ln u) * p / (a - 1) - exp (a * ln u) * q / a).
        replace ((q * exp (a * ln x) - q - a * (p - q)) / (a * (a - 1))) with (F x - F 1).
        * apply integral_of_derivative; [lra| |].
          -- intros u [U0 _]. unfold F, weight_of. auto_derive; [lra|].
             replace ((a - 1) * ln u) with ((a - 2) * ln u + ln u) by ring. replace (a * ln u) with ((a - 2) * ln u + ln u + ln u) by ring.
             rewrite !exp_plus, !exp_ln by lra. field. lra.
          -- intros u [U0 _]. apply (ex_derive_continuous (fun u => weight_of a u * (p - u * q))). unfold weight_of. auto_derive. lra.
        * unfold F. rewrite ln_1, !Rmult_0_r, exp_0. rewrite <- (exp_ln_inverse x a) by lra. rewrite <- X. field. lra.
      + intros u [U0 U1]. unfold f. rewrite !pos_zero by nra. ring.
    - set (y := q / p). assert (Y : y * p = q) by (unfold y; field; lra). assert (Y1 : 1 <= y <= M) by (split; nra).
      assert (LN : ln (p / q) = - ln y) by (unfold y; rewrite <- ln_Rinv by (apply Rdiv_lt_0_compat; lra); f_equal; field; lra). rewrite LN. clearbody y.
      apply (cut f 1 y M); [exact Y1| |].
      + apply (integral_ext (fun u => weight_back a u * (q - u * p))); [lra| |].
        { intros u [U0 U1]. unfold f. rewrite (pos_zero (p - u * q)), pos_id by nra. ring. }
        set (F := fun u => exp ((1 - a) * ln u) * p / (a - 1) - exp (- a * ln u) * q / a).
        replace ((q * exp (a * - ln y) - q - a * (p - q)) / (a * (a - 1))) with (F y - F 1).
        * apply integral_of_derivative; [lra| |].
          -- intros u [U0 _]. unfold F, weight_back. auto_derive; [lra|].
             replace ((1 - a) * ln u) with ((- a - 1) * ln u + ln u + ln u) by ring. replace (- a * ln u) with ((- a - 1) * ln u + ln u) by ring.
             rewrite !exp_plus, !exp_ln by lra. field. lra.
          -- intros u [U0 _]. apply (ex_derive_continuous (fun u => weight_back a u * (q - u * p))). unfold weight_back. auto_derive. lra.
        * unfold F. rewrite ln_1, !Rmult_0_r, exp_0.
          replace (a * - ln y) with (- a * ln y) by ring. replace (1 - a) with (- a + 1) by ring.
          rewrite <- (exp_ln_inverse y (- a + 1)) by lra. replace (- a + 1 - 1) with (- a) by ring. rewrite <- Y. field. lra.
      + intros u [U0 U1]. unfold f. rewrite !pos_zero by nra. ring.
  Qed.

  (* The same of order 1. *)
  Lemma outcome_integral_one : is_RInt (fun u => weight_of 1 u * pos (p - u * q) + weight_back 1 u * pos (q - u * p)) 1 M (p * ln (p / q) - p + q).
  Proof.
    destruct (Rle_dec q p) as [L|L].
    - set (x := p / q). assert (X : x * q = p) by (unfold x; field; lra). assert (X1 : 1 <= x <= M) by (split; nra). clearbody x.
      apply (cut _ 1 x M); [exact X1| |].
      + apply (integral_ext (fun u => weight_of 1 u * (p - u * q))); [lra| |].
        { intros u [U0 U1]. rewrite pos_id, pos_zero by nra. ring. }
        set (F := fun u => p * ln u - u * q). replace (p * ln x - p + q) with (F x - F 1) by (unfold F; rewrite ln_1, <- X; ring).
        apply integral_of_derivative; [lra| |].
        * intros u [U0 _]. unfold F, weight_of. auto_derive; [lra|]. replace ((1 - 2) * ln u) with (- ln u) by ring. rewrite exp_Ropp, exp_ln by lra. field. lra.
        * intros u [U0 _]. apply (ex_derive_continuous (fun u => weight_of 1 u * (p - u * q))). unfold weight_of. auto_derive. lra.
      + intros u [U0 U1]. rewrite !pos_zero by nra. ring.
    - set (y := q / p). assert (Y : y * p = q) by (unfold y; field; lra). assert (Y1 : 1 <= y <= M) by (split; nra).
      assert (LN : ln (p / q) = - ln y) by (unfold y; rewrite <- ln_Rinv by (apply Rdiv_lt_0_compat; lra); f_equal; field; lra). rewrite LN. clearbody y.
      apply (cut _ 1 y M); [exact Y1| |].
      + apply (integral_ext (fun u => weight_back 1 u * (q - u * p))); [lra| |].
        { intros u [U0 U1]. rewrite (pos_zero (p - u * q)), pos_id by nra. ring. }
        set (F := fun u => - q / u - p * ln u). replace (p * - ln y - p + q) with (F y - F 1) by (unfold F; rewrite ln_1, <- Y; field; lra).
        apply integral_of_derivative; [lra| |].
        * intros u [U0 _]. unfold F, weight_back. auto_derive; [lra|]. replace ((Ropp 1 - 1) * ln u) with (- ln u + - ln u) by ring.
          rewrite exp_plus, exp_Ropp, exp_ln by lra. field. lra.
        * intros u [U0 _]. apply (ex_derive_continuous (fun u => weight_back 1 u * (q - u * p))). unfold weight_back. auto_derive. lra.
      + intros u [U0 U1]. rewrite !pos_zero by nra. ring.
  Qed.
End Outcome.

(* -------- All outcomes -------- *)

Section Profile.
  Context {A : Type} (l : list A) (P Q : A -> R) (a M : R).
  Hypotheses (LP : law l P) (LQ : law l Q) (A1 : 1 < a) (M1 : 1 <= M).
  Hypotheses (PP : forall x, In x l -> 0 < P x) (QP : forall x, In x l -> 0 < Q x).
  Hypothesis HM : forall x, In x l -> P x <= M * Q x /\ Q x <= M * P x.

  Lemma is_RInt_sum (F : A -> R -> R) (v : A -> R) r x y : (forall o, In o r -> is_RInt (F o) x y (v o)) -> is_RInt (fun u => sum r (fun o => F o u)) x y (sum r v).
  Proof.
    induction r as [|o r IH]; intros H.
    - apply integral_null.
    - cbn [sum]. apply (is_RInt_plus (F o) (fun u => sum r (fun o => F o u))); [apply H; now left | apply IH; intros; apply H; now right].
  Qed.

  (* Of order a > 1: the moment is 1 + a (a - 1) J. *)
  Theorem renyi_profile : is_RInt (fun u => weight_of a u * hockey l u P Q + weight_back a u * hockey l u Q P) 1 M ((moment a l P Q - 1) / (a * (a - 1))).
  Proof.
    apply (integral_ext (fun u => sum l (fun x => weight_of a u * pos (P x - u * Q x) + weight_back a u * pos (Q x - u * P x)))); [exact M1| |].
    { intros u _. unfold hockey. now rewrite sum_plus, !sum_scal. }
    replace ((moment a l P Q - 1) / (a * (a - 1))) with (sum l (fun x => (Q x * exp (a * ln (P x / Q x)) - Q x - a * (P x - Q x)) / (a * (a - 1)))).
    - apply is_RInt_sum. intros x I. destruct (HM x I). apply outcome_integral; auto.
    - transitivity (sum l (fun x => Q x * exp (a * ln (P x / Q x)) - Q x - a * (P x - Q x)) * / (a * (a - 1))); [exact (sum_scal_r (/ (a * (a - 1))) l _)|].
      apply Rmult_eq_compat_r. rewrite !sum_minus, sum_scal, sum_minus. destruct LP as [_ ->], LQ as [_ ->].
      unfold moment. rewrite (sum_ext l (fun x => Q x * powr (P x / Q x) a) (fun x => Q x * exp (a * ln (P x / Q x)))); [ring|].
      intros x I. rewrite powr_pos by (apply Rdiv_lt_0_compat; auto). reflexivity.
  Qed.

  (* The divergence of order 1 is J. *)
  Definition divergence_one : R := sum l (fun x => P x * ln (P x / Q x)).

  Theorem renyi_profile_one : is_RInt (fun u => weight_of 1 u * hockey l u P Q + weight_back 1 u * hockey l u Q P) 1 M divergence_one.
  Proof.
    apply (integral_ext (fun u => sum l (fun x => weight_of 1 u * pos (P x - u * Q x) + weight_back 1 u * pos (Q x - u * P x)))); [exact M1| |].
    { intros u _. unfold hockey. now rewrite sum_plus, !sum_scal. }
    replace divergence_one with (sum l (fun x => P x * ln (P x / Q x) - P x + Q x)).
    - apply is_RInt_sum. intros x I. destruct (HM x I). apply outcome_integral_one; auto.
    - rewrite sum_plus, sum_minus. destruct LP as [_ ->], LQ as [_ ->]. unfold divergence_one. ring.
  Qed.

  (* Profiles from above or below bound it on the same side. *)
  Theorem renyi_profile_bounds h g h' g' J J' :
    (forall u, 1 <= u <= M -> h u <= hockey l u P Q <= h' u /\ g u <= hockey l u Q P <= g' u) ->
    is_RInt (fun u => weight_of a u * h u + weight_back a u * g u) 1 M J ->
    is_RInt (fun u => weight_of a u * h' u + weight_back a u * g' u) 1 M J' ->
    1 + a * (a - 1) * J <= moment a l P Q <= 1 + a * (a - 1) * J'.
  Proof.
    intros B I I'. assert (D : 0 < a * (a - 1)) by nra. set (v := (moment a l P Q - 1) / (a * (a - 1))).
    assert (E : moment a l P Q = 1 + a * (a - 1) * v) by (unfold v; field; lra). rewrite E.
    assert (W : forall u, 0 <= weight_of a u /\ 0 <= weight_back a u) by (intros u; split; apply Rlt_le, exp_pos).
    assert (L1 : J <= v).
    { apply (is_RInt_le _ _ 1 M J v M1 I renyi_profile). intros u [U0 U1]. destruct (B u ltac:(lra)) as [[H1 H2] [H3 H4]]. destruct (W u).
      apply Rplus_le_compat; now apply Rmult_le_compat_l. }
    assert (L2 : v <= J').
    { apply (is_RInt_le _ _ 1 M v J' M1 renyi_profile I'). intros u [U0 U1]. destruct (B u ltac:(lra)) as [[H1 H2] [H3 H4]]. destruct (W u).
      apply Rplus_le_compat; now apply Rmult_le_compat_l. }
    split; apply Rplus_le_compat_l, Rmult_le_compat_l; lra.
  Qed.

  Theorem renyi_profile_one_bounds h g h' g' J J' :
    (forall u, 1 <= u <= M -> h u <= hockey l u P Q <= h' u /\ g u <= hockey l u Q P <= g' u) ->
    is_RInt (fun u => weight_of 1 u * h u + weight_back 1 u * g u) 1 M J ->
    is_RInt (fun u => weight_of 1 u * h' u + weight_back 1 u * g' u) 1 M J' -> J <= divergence_one <= J'.
  Proof.
    intros B I I'. assert (W : forall u, 0 <= weight_of 1 u /\ 0 <= weight_back 1 u) by (intros u; split; apply Rlt_le, exp_pos). split.
    - apply (is_RInt_le _ _ 1 M _ _ M1 I renyi_profile_one). intros u [U0 U1]. destruct (B u ltac:(lra)) as [[H1 H2] [H3 H4]]. destruct (W u).
      apply Rplus_le_compat; now apply Rmult_le_compat_l.
    - apply (is_RInt_le _ _ 1 M _ _ M1 renyi_profile_one I'). intros u [U0 U1]. destruct (B u ltac:(lra)) as [[H1 H2] [H3 H4]]. destruct (W u).
      apply Rplus_le_compat; now apply Rmult_le_compat_l.
  Qed.
End Profile.
