(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Many rounds of shuffling: corollary 1 of ../clones-stronger.md and the theorem
 * of ../sgd.md (the users there are the blocks, a round is an epoch). In each round
 * all users answer, in a fresh random order, by LDP randomisers that may depend
 * on everything published in earlier rounds and earlier in the same round. The
 * product of the stronger clones pairs dominates the whole.
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Composition Trinomial TrinomialMean Shuffle Stronger.
Import ListNotations.
Open Scope R_scope.

(* The stronger clones pair of N + 1 users, and the clones pair, as pairs. *)
Definition stronger_pair (E : R) (N : nat) : pair_of (nat * nat) := Pair (counts N) (stronger_P E N) (stronger_Q E N).
Definition clones_pair (E : R) (N : nat) : pair_of (nat * nat) := Pair (counts N) (clones_P E N) (clones_Q E N).

Lemma clones_law E N : 1 <= E -> law (counts N) (clones_P E N) /\ law (counts N) (clones_Q E N).
Proof.
  intros H. pose proof (over_E_plus E H). pose proof (E_over_E_plus E H).
  assert (0 < 1 / (2 * E)) by (apply Rdiv_lt_0_compat; lra).
  assert (1 / (2 * E) <= 1 / 2) by (unfold Rdiv; rewrite !Rmult_1_l; apply Rinv_le_contravar; lra).
  apply trinomial_law; lra.
Qed.

(* A randomiser gets the words published in earlier rounds, then the history of
   its own round. In every round the stronger clones pair of that round's E and
   of all users bounds; so their product bounds the rounds' words. *)
Theorem stronger_rounds {X Z} (outs : list Z) (K : list (list Z) -> list Z -> X -> Z -> R) (Es : list R) x0 x1 xs :
  Forall (fun E => 1 <= E) Es ->
  (forall g, randomiser outs (K g)) ->
  (forall g E, nth_error Es (length g) = Some E -> ldp outs E (K g)) ->
  bounds (product_pair (map (fun E => stronger_pair E (length xs)) Es))
    (sequences (map (fun _ => words outs (S (length xs))) Es))
    (adaptive (fun g => shuffled (K g) (x0 :: xs)) []) (adaptive (fun g => shuffled (K g) (x1 :: xs)) []).
Proof.
  intros HE HK HL. apply adaptive_rounds.
  - apply Forall_forall. intros p Hp. apply in_map_iff in Hp as (E & <- & I).
    rewrite Forall_forall in HE. destruct (stronger_law E (length xs) (HE E I)) as [[MP _] [MQ _]]. now split.
  - assert (G : forall g, (forall i E, nth_error Es i = Some E -> forall g', length g' = (length g + i)%nat -> ldp outs E (K g')) ->
      dominated (map (fun E => stronger_pair E (length xs)) Es) (map (fun _ => words outs (S (length xs))) Es)
        (fun g => shuffled (K g) (x0 :: xs)) (fun g => shuffled (K g) (x1 :: xs)) g).
    { clear HL. induction Es as [|E Es IH]; intros g HL; [exact I|]. inversion HE; subst. cbn [map dominated].
      split; [apply (shuffled_law outs (K g) (HK g) (x0 :: xs))|].
      split; [apply (shuffled_law outs (K g) (HK g) (x1 :: xs))|].
      split.
      - apply stronger_dominates; auto. apply (HL O E); auto.
      - intros w _. apply IH; [assumption|]. intros i E' HI g' Lg. apply (HL (S i) E' HI). cbn [length] in Lg. lia. }
    apply G. intros i E HI g' Lg. apply HL. now rewrite Lg.
Qed.

(* T rounds alike: the T-fold power. *)
Corollary stronger_power {X Z} (outs : list Z) (K : list (list Z) -> list Z -> X -> Z -> R) E T x0 x1 xs :
  1 <= E -> (forall g, randomiser outs (K g)) -> (forall g, ldp outs E (K g)) ->
  bounds (power T (stronger_pair E (length xs))) (sequences (repeat (words outs (S (length xs))) T))
    (adaptive (fun g => shuffled (K g) (x0 :: xs)) []) (adaptive (fun g => shuffled (K g) (x1 :: xs)) []).
Proof.
  intros HE HK HL. apply adaptive_power.
  - destruct (stronger_law E (length xs) HE) as [[MP _] [MQ _]]. now split.
  - intros g _. split; [apply (shuffled_law outs (K g) (HK g) (x0 :: xs))|].
    split; [apply (shuffled_law outs (K g) (HK g) (x1 :: xs))|]. now apply stronger_dominates.
Qed.

(* The same for the clones pair. *)
Corollary clones_power {X Z} (outs : list Z) (K : list (list Z) -> list Z -> X -> Z -> R) E T x0 x1 xs :
  1 <= E -> (forall g, randomiser outs (K g)) -> (forall g, ldp outs E (K g)) ->
  bounds (power T (clones_pair E (length xs))) (sequences (repeat (words outs (S (length xs))) T))
    (adaptive (fun g => shuffled (K g) (x0 :: xs)) []) (adaptive (fun g => shuffled (K g) (x1 :: xs)) []).
Proof.
  intros HE HK HL. apply adaptive_power.
  - destruct (clones_law E (length xs) HE) as [[MP _] [MQ _]]. now split.
  - intros g _. split; [apply (shuffled_law outs (K g) (HK g) (x0 :: xs))|].
    split; [apply (shuffled_law outs (K g) (HK g) (x1 :: xs))|]. now apply clones_dominates.
Qed.
