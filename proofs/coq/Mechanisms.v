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
