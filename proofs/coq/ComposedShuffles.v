(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * What certificates of composed values say of shuffling: the certified number of clones
 * and clones-stronger bounds adaptive rounds of it (ShuffleRounds.v).
 *)
From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Arith Bool.
From Shufbound Require Import Sum Hockey Divergence Trinomial TrinomialMean Strata Shuffle Stronger ShuffleRounds.
From Shufbound Require Import KrrPairs Composition Bracket Certificate Composed.
Import ListNotations.
Open Scope R_scope.

(* T rounds of shuffling n users' answers, each by randomisers that may depend on
   everything published before: delta is at most that of T rounds of the clones pair. *)
Theorem clones_delta_rounds {X Z} (outs : list Z) (K : list (list Z) -> list Z -> X -> Z -> R) n x T eps x0 x1 xs :
  at_least_zero x = true -> S (length xs) = Pos.to_nat n ->
  (forall g, randomiser outs (K g)) -> (forall g, ldp outs (exp (parameter x)) (K g)) ->
  hockey (sequences (repeat (words outs (Pos.to_nat n)) (Pos.to_nat T))) (exp (parameter eps))
    (adaptive (fun g => shuffled (K g) (x0 :: xs)) []) (adaptive (fun g => shuffled (K g) (x1 :: xs)) [])
  <= delta_rounds Both T (Clones n x) eps.
Proof.
  intros Hx HN HK HL. rewrite delta_rounds_forward by trivial.
  replace (forward_pair (Clones n x)) with (clones_pair (exp (parameter x)) (length xs)).
  - rewrite <- HN. apply (clones_power outs K _ (Pos.to_nat T) x0 x1 xs); trivial; [|apply Rlt_le, exp_pos].
    now apply exp_at_least_one.
  - unfold forward_pair. cbn [users]. rewrite <- HN. reflexivity.
Qed.

(* The same for the stronger clones pair. *)
Theorem stronger_delta_rounds {X Z} (outs : list Z) (K : list (list Z) -> list Z -> X -> Z -> R) n x T eps x0 x1 xs :
  at_least_zero x = true -> S (length xs) = Pos.to_nat n ->
  (forall g, randomiser outs (K g)) -> (forall g, ldp outs (exp (parameter x)) (K g)) ->
  hockey (sequences (repeat (words outs (Pos.to_nat n)) (Pos.to_nat T))) (exp (parameter eps))
    (adaptive (fun g => shuffled (K g) (x0 :: xs)) []) (adaptive (fun g => shuffled (K g) (x1 :: xs)) [])
  <= delta_rounds Both T (ClonesStronger n x) eps.
Proof.
  intros Hx HN HK HL. rewrite delta_rounds_forward by trivial.
  replace (forward_pair (ClonesStronger n x)) with (stronger_pair (exp (parameter x)) (length xs)).
  - rewrite <- HN. apply (stronger_power outs K _ (Pos.to_nat T) x0 x1 xs); trivial; [|apply Rlt_le, exp_pos].
    now apply exp_at_least_one.
  - unfold forward_pair. cbn [users]. rewrite <- HN. reflexivity.
Qed.
