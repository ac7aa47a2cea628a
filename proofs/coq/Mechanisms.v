(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * What a certificate says of a mechanism: users whose answers are shuffled, on any
 * two data sets that differ in one user. Certificate.v's delta of a pair is a number
 * about two laws of counts; the theorems here carry it to Shuffle.v's shuffled (and
 * ComposedShuffles.v carries several rounds). proofs/statement.py adds one of them to
 * every certificate that has one.
 *)
From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Arith Bool.
From Shufbound Require Import Sum Hockey Divergence Trinomial TrinomialMean Strata Instances Shuffle KrrPairs KrrShuffle Clones Stronger.
From Shufbound Require Import Certificate Certified Mixture Alone Composition Bracket Composed ComposedShuffles.
Import ListNotations.
Open Scope R_scope.

(* n users, each with a randomiser that may depend on all earlier answers and is LDP with E, are shuffled: on any two data
   sets that differ in the user x0 or x1 the divergence at alpha is at most d. *)
Definition shuffled_ldp_within (E : R) (n : positive) (alpha d : R) : Prop :=
  forall (X Z : Type) (outs : list Z) (K : list Z -> X -> Z -> R) x0 x1 xs,
  randomiser outs K -> ldp outs E K -> S (length xs) = Pos.to_nat n ->
  hockey (words outs (Pos.to_nat n)) alpha (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs)) <= d.

(* T rounds of it, in each of which the randomisers may depend on all that was published before. *)
Definition shuffled_rounds_within (T : positive) (E : R) (n : positive) (alpha d : R) : Prop :=
  forall (X Z : Type) (outs : list Z) (K : list (list Z) -> list Z -> X -> Z -> R) x0 x1 xs,
  (forall g, randomiser outs (K g)) -> (forall g, ldp outs E (K g)) -> S (length xs) = Pos.to_nat n ->
  hockey (sequences (repeat (words outs (Pos.to_nat n)) (Pos.to_nat T))) alpha
    (adaptive (fun g => shuffled (K g) (x0 :: xs)) []) (adaptive (fun g => shuffled (K g) (x1 :: xs)) []) <= d.

(* n users of k-ary randomised response with the factor E, on any such data. *)
Definition shuffled_krr_within (E : R) (k n : positive) (alpha d : R) : Prop :=
  forall x0 x1 xs, (x0 < Pos.to_nat k)%nat -> (x1 < Pos.to_nat k)%nat -> x0 <> x1 -> S (length xs) = Pos.to_nat n ->
  hockey (words (seq 0 (Pos.to_nat k)) (Pos.to_nat n)) alpha
    (shuffled (fun _ => krr E (Pos.to_nat k)) (x0 :: xs)) (shuffled (fun _ => krr E (Pos.to_nat k)) (x1 :: xs)) <= d.

(* The factor of a k-RR that answers at random with probability gamma > 0. *)
Definition krr_factor (k : positive) (gamma : Q) : R := INR (Pos.to_nat k) / Q2R gamma - INR (Pos.to_nat k) + 1.

Theorem clones_mechanism n x eps d : at_least_zero x = true -> delta Both (Clones n x) eps <= d ->
  shuffled_ldp_within (exp (value x)) n (exp (value eps)) d.
Proof.
  intros Hx D X Z outs K x0 x1 xs HK HL HN. eapply Rle_trans; [|exact D].
  rewrite delta_clones, <- HN. cbn [pred].
  apply clones_dominates_post; trivial. now apply exp_at_least_one.
Qed.

Theorem stronger_mechanism n x eps d : at_least_zero x = true -> delta Both (ClonesStronger n x) eps <= d ->
  shuffled_ldp_within (exp (value x)) n (exp (value eps)) d.
Proof.
  intros Hx D X Z outs K x0 x1 xs HK HL HN. eapply Rle_trans; [|exact D].
  rewrite delta_stronger, <- HN. cbn [pred].
  apply (stronger_bound outs K); trivial; [now apply exp_at_least_one | apply Rlt_le, exp_pos].
Qed.

Theorem clones_rounds_mechanism T n x eps d : at_least_zero x = true -> delta_rounds Both T (Clones n x) eps <= d ->
  shuffled_rounds_within T (exp (parameter x)) n (exp (parameter eps)) d.
Proof.
  intros Hx D X Z outs K x0 x1 xs HK HL HN. eapply Rle_trans; [|exact D]. now apply clones_delta_rounds.
Qed.

Theorem stronger_rounds_mechanism T n x eps d : at_least_zero x = true -> delta_rounds Both T (ClonesStronger n x) eps <= d ->
  shuffled_rounds_within T (exp (parameter x)) n (exp (parameter eps)) d.
Proof.
  intros Hx D X Z outs K x0 x1 xs HK HL HN. eapply Rle_trans; [|exact D]. now apply stronger_delta_rounds.
Qed.

(* ---- k-ary randomised response ---- *)

Lemma krr_factor_facts k gamma : Pos.leb 2 k = true -> Qlt_bool 0 gamma = true -> Qle_bool gamma 1 = true ->
  1 <= krr_factor k gamma /\ (2 <= Pos.to_nat k)%nat /\ IZR (Zpos k) = INR (Pos.to_nat k) /\
  INR (Pos.to_nat k) / (krr_factor k gamma + INR (Pos.to_nat k) - 1) = Q2R gamma.
Proof.
  intros K G G1. apply Pos.leb_le in K. apply Qlt_bool_R in G. apply Qle_bool_R in G1. rewrite Q2R_zero in G. rewrite Q2R_one in G1.
  assert (K2 : (2 <= Pos.to_nat k)%nat) by lia. pose proof (le_INR 2 _ K2) as R2. cbn [INR] in R2.
  assert (I : IZR (Zpos k) = INR (Pos.to_nat k)) by now rewrite INR_IZR_INZ, positive_nat_Z.
  unfold krr_factor. set (m := INR (Pos.to_nat k)) in *. repeat split; trivial.
  - assert (m * 1 <= m / Q2R gamma); [|lra]. unfold Rdiv. apply Rmult_le_compat_l; [lra|].
    rewrite <- Rinv_1. now apply Rinv_le_contravar.
  - field. split; lra.
Qed.

Theorem krr_weak_mechanism n k gamma eps d : Pos.leb 2 k = true -> Qlt_bool 0 gamma = true -> Qle_bool gamma 1 = true ->
  delta_krr_weak n k gamma eps <= d -> shuffled_krr_within (krr_factor k gamma) k n (exp (value eps)) d.
Proof.
  intros K G G1 D x0 x1 xs H0 H1 N HN. destruct (krr_factor_facts k gamma K G G1) as (E1 & K2 & I & F).
  eapply Rle_trans; [|exact D]. unfold delta_krr_weak. rewrite I, <- F, <- HN. cbn [pred].
  now apply krr_weak_bound.
Qed.

Theorem krr_strong_mechanism n k gamma eps d : valid (KrrStrong n k gamma) = true -> at_least_zero eps = true ->
  delta Both (KrrStrong n k gamma) eps <= d -> shuffled_krr_within (krr_factor k gamma) k n (exp (value eps)) d.
Proof.
  intros V He D x0 x1 xs H0 H1 N HN. pose proof V as V'. cbn [valid] in V'. split_andb.
  destruct (krr_factor_facts k gamma) as (E1 & K2 & I & F); trivial.
  eapply Rle_trans; [|exact D]. rewrite delta_krr_strong, I, <- F, <- HN by trivial. cbn [pred].
  apply krr_strong_bound; trivial. now apply exp_at_least_one.
Qed.

(* ---- From below: data that have it ---- *)

(* k-ary randomised response of n users, all but one of whom hold y, and that one x0 or x1: the larger direction. *)
Definition krr_on (E : R) (k n : positive) (x0 x1 y : nat) (alpha : R) : R :=
  let answers x := shuffled (fun _ => krr E (Pos.to_nat k)) (x :: repeat y (pred (Pos.to_nat n))) in
  let l := words (seq 0 (Pos.to_nat k)) (Pos.to_nat n) in
  Rmax (hockey l alpha (answers x0) (answers x1)) (hockey l alpha (answers x1) (answers x0)).

Lemma reversed_le {A B} (l : list A) (l' : list B) P Q P' Q' alpha :
  Hockey.law l P -> Hockey.law l Q -> Hockey.law l' P' -> Hockey.law l' Q' -> 0 < alpha ->
  (forall a, hockey l a P Q <= hockey l' a P' Q') -> hockey l alpha Q P <= hockey l' alpha Q' P'.
Proof.
  intros LP LQ LP' LQ' H D. rewrite (hockey_symmetry_law l alpha Q P), (hockey_symmetry_law l' alpha Q' P') by assumption.
  apply Rplus_le_compat_l, Rmult_le_compat_l; [lra | apply D].
Qed.

(* A trinomial pair that is at most the shuffle on these data. *)
Lemma krr_on_above w E k n x0 x1 y alpha :
  1 <= E -> (2 <= Pos.to_nat k)%nat -> 0 < alpha ->
  0 <= w0 w -> 0 <= w1 w -> 0 <= w2 w -> w0 w + w1 w + w2 w = 1 -> 0 <= r0 w -> 0 <= r1 w -> r0 w + r1 w <= 1 ->
  (forall a, forward w (pred (Pos.to_nat n)) a
     <= hockey (words (seq 0 (Pos.to_nat k)) (Pos.to_nat n)) a
          (shuffled (fun _ => krr E (Pos.to_nat k)) (x0 :: repeat y (pred (Pos.to_nat n))))
          (shuffled (fun _ => krr E (Pos.to_nat k)) (x1 :: repeat y (pred (Pos.to_nat n))))) ->
  Rmax (forward w (pred (Pos.to_nat n)) alpha) (backward w (pred (Pos.to_nat n)) alpha) <= krr_on E k n x0 x1 y alpha.
Proof.
  intros HE K2 H W0 W1 W2 W R0 R1 R D.
  destruct (trinomial_law (w0 w) (w1 w) (w2 w) (r0 w) (r1 w) (pred (Pos.to_nat n)) W0 W1 W2 W R0 R1 R) as [LP LQ].
  assert (L : forall x, Hockey.law (words (seq 0 (Pos.to_nat k)) (Pos.to_nat n)) (shuffled (fun _ => krr E (Pos.to_nat k)) (x :: repeat y (pred (Pos.to_nat n))))).
  { intros x. replace (Pos.to_nat n) with (length (x :: repeat y (pred (Pos.to_nat n)))) at 1
      by (cbn [length]; rewrite repeat_length; pose proof (Pos2Nat.is_pos n); lia).
    apply shuffled_law. intros h u. now apply krr_law. }
  unfold krr_on. apply Rmax_lub.
  - eapply Rle_trans; [apply D | apply Rmax_l].
  - eapply Rle_trans; [|apply Rmax_r]. unfold backward. now apply reversed_le.
Qed.

Lemma krr_weights_fine x k : at_least_zero x = true -> Pos.leb 2 k = true ->
  let E := exp (value x) in let m := INR (Pos.to_nat k) in
  1 <= E /\ (2 <= Pos.to_nat k)%nat /\ IZR (Zpos k) = m /\ 0 <= 1 / (E + m - 1) <= E / (E + m - 1) /\ 0 <= (m - 2) / (E + m - 1)
  /\ E / (E + m - 1) + 1 / (E + m - 1) + (m - 2) / (E + m - 1) = 1.
Proof.
  intros Hx K E m. apply Pos.leb_le in K. assert (E1 : 1 <= E) by now apply exp_at_least_one.
  assert (K2 : (2 <= Pos.to_nat k)%nat) by lia. pose proof (le_INR 2 _ K2) as R2. cbn [INR] in R2. fold m in R2.
  destruct (krr_weights E m E1 R2) as (H0 & H2 & _). repeat split; trivial; try lra.
  - unfold m. now rewrite INR_IZR_INZ, positive_nat_Z.
  - field. lra.
Qed.

Lemma krr_same_on_data n k x eps d x0 x1 : at_least_zero x = true -> Pos.leb 2 k = true -> d <= delta Both (KrrSame n k x) eps ->
  (x0 < Pos.to_nat k)%nat -> (x1 < Pos.to_nat k)%nat -> x0 <> x1 ->
  d <= krr_on (exp (value x)) k n x0 x1 x0 (exp (value eps)).
Proof.
  intros Hx K D H0 H1 N. destruct (krr_weights_fine x k Hx K) as (E1 & K2 & I & W1 & W2 & W).
  eapply Rle_trans; [exact D|]. unfold delta, delta_at. cbv zeta. cbn [scale weights_of users]. rewrite Rmult_1_l, I.
  apply krr_on_above; cbn [w0 w1 w2 r0 r1]; trivial; try lra; [apply exp_pos|].
  intros a. unfold forward. cbn [w0 w1 w2 r0 r1].
  replace (Pos.to_nat n) with (S (pred (Pos.to_nat n))) at 2 by (pose proof (Pos2Nat.is_pos n); lia).
  right. symmetry. now apply krr_same_exact.
Qed.

Lemma krr_third_on_data n k x eps d x0 x1 y : at_least_zero x = true -> Pos.leb 2 k = true -> d <= delta Both (KrrThird n k x) eps ->
  (x0 < Pos.to_nat k)%nat -> (x1 < Pos.to_nat k)%nat -> x0 <> x1 -> (y < Pos.to_nat k)%nat -> y <> x0 -> y <> x1 ->
  d <= krr_on (exp (value x)) k n x0 x1 y (exp (value eps)).
Proof.
  intros Hx K D H0 H1 N Hy Y0 Y1. destruct (krr_weights_fine x k Hx K) as (E1 & K2 & I & W1 & W2 & W).
  eapply Rle_trans; [exact D|]. unfold delta, delta_at. cbv zeta. cbn [scale weights_of users]. rewrite Rmult_1_l, I.
  apply krr_on_above; cbn [w0 w1 w2 r0 r1]; trivial; try lra; [apply exp_pos|].
  intros a. unfold forward. cbn [w0 w1 w2 r0 r1].
  replace (Pos.to_nat n) with (S (pred (Pos.to_nat n))) at 2 by (pose proof (Pos2Nat.is_pos n); lia).
  now apply krr_third_below.
Qed.

(* So many values that there are such data, and on all of them the divergence is at least d: two values, all the others
   with the first of them; or a third value for all the others. *)
Definition two_values (k : positive) (x0 x1 : nat) : Prop := (x0 < Pos.to_nat k)%nat /\ (x1 < Pos.to_nat k)%nat /\ x0 <> x1.

Definition three_values (k : positive) (x0 x1 y : nat) : Prop := two_values k x0 x1 /\ (y < Pos.to_nat k)%nat /\ y <> x0 /\ y <> x1.

Definition shuffled_krr_at_least (E : R) (k n : positive) (alpha d : R) : Prop :=
  (exists x0 x1, two_values k x0 x1) /\ forall x0 x1, two_values k x0 x1 -> d <= krr_on E k n x0 x1 x0 alpha.

Definition shuffled_krr_third_at_least (E : R) (k n : positive) (alpha d : R) : Prop :=
  (exists x0 x1 y, three_values k x0 x1 y) /\ forall x0 x1 y, three_values k x0 x1 y -> d <= krr_on E k n x0 x1 y alpha.

Theorem krr_same_mechanism n k x eps d : at_least_zero x = true -> Pos.leb 2 k = true -> d <= delta Both (KrrSame n k x) eps ->
  shuffled_krr_at_least (exp (value x)) k n (exp (value eps)) d.
Proof.
  intros Hx K D. pose proof K as K2. apply Pos.leb_le in K2. split.
  - exists 0%nat, 1%nat. unfold two_values. lia.
  - intros x0 x1 (H0 & H1 & N). now apply krr_same_on_data.
Qed.

Theorem krr_third_mechanism n k x eps d : at_least_zero x = true -> Pos.leb 3 k = true -> d <= delta Both (KrrThird n k x) eps ->
  shuffled_krr_third_at_least (exp (value x)) k n (exp (value eps)) d.
Proof.
  intros Hx K D. apply Pos.leb_le in K. split.
  - exists 0%nat, 1%nat, 2%nat. unfold three_values, two_values. lia.
  - intros x0 x1 y ((H0 & H1 & N) & Hy & Y0 & Y1). apply krr_third_on_data; trivial. apply Pos.leb_le. lia.
Qed.

(* rr2 is the case of two values. *)
Theorem rr2_mechanism n x eps d : at_least_zero x = true -> d <= delta Both (Rr2 n x) eps ->
  shuffled_krr_at_least (exp (value x)) 2 n (exp (value eps)) d.
Proof.
  intros Hx D. apply krr_same_mechanism; trivial. eapply Rle_trans; [exact D|]. right.
  unfold delta, delta_at. cbv zeta. cbn [scale weights_of users].
  replace (exp (value x) + IZR 2 - 1) with (exp (value x) + 1) by (cbn; lra).
  replace ((IZR 2 - 2) / (exp (value x) + 1)) with 0; [reflexivity|].
  cbn. unfold Rdiv. ring.
Qed.
