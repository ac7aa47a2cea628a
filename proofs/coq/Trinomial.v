(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The trinomial pair TP(n; w0, w1, w2; r0, r1) of ../trinomial-pair.md, with
 * n = S N users: each of the N others adds (1,0), (0,1) or (0,0) to the counts
 * (a,b) with probabilities r0, r1 and the rest; the differing user does with
 * w0, w1, w2 under P and with w1, w0, w2 under Q.
 *)
From Coq Require Import Reals List Lra Arith.
From Shufbound Require Import Sum Hockey.
Import ListNotations.
Open Scope R_scope.

(* f (k - 1), and 0 at k = 0. *)
Definition before (f : nat -> R) (k : nat) : R :=
  match k with
  | O => 0
  | S j => f j
  end.

(* The mass at (a, b) of the counts of N others. *)
Fixpoint others (r0 r1 : R) (N a b : nat) : R :=
  match N with
  | O => match a, b with O, O => 1 | _, _ => 0 end
  | S M => r0 * before (fun a => others r0 r1 M a b) a + r1 * before (fun b => others r0 r1 M a b) b
           + (1 - r0 - r1) * others r0 r1 M a b
  end.

(* The mass at (a, b) with a user more, who counts in a, b or neither by w0, w1, w2. *)
Definition with_user (w0 w1 w2 : R) (T : nat -> nat -> R) (x : nat * nat) : R :=
  let (a, b) := x in
  w0 * before (fun a => T a b) a + w1 * before (fun b => T a b) b + w2 * T a b.

Definition trinomial_P (w0 w1 w2 r0 r1 : R) (N : nat) : nat * nat -> R := with_user w0 w1 w2 (others r0 r1 N).
Definition trinomial_Q (w0 w1 w2 r0 r1 : R) (N : nat) : nat * nat -> R := with_user w1 w0 w2 (others r0 r1 N).

(* All outcomes of N + 1 users (and some of mass zero). *)
Definition counts (N : nat) : list (nat * nat) := list_prod (seq 0 (S (S N))) (seq 0 (S (S N))).

(* Its divergence at alpha, n = S N. *)
Definition trinomial_hockey (w0 w1 w2 r0 r1 : R) (N : nat) (alpha : R) : R :=
  hockey (counts N) alpha (trinomial_P w0 w1 w2 r0 r1 N) (trinomial_Q w0 w1 w2 r0 r1 N).

(* The two pairs of the general upper bounds, E = e^eps0. *)
Definition clones_hockey (E : R) : nat -> R -> R := trinomial_hockey (E / (E + 1)) (1 / (E + 1)) 0 (1 / (2 * E)) (1 / (2 * E)).
Definition stronger_hockey (E : R) : nat -> R -> R := trinomial_hockey (E / (E + 1)) (1 / (E + 1)) 0 (1 / (E + 1)) (1 / (E + 1)).
