(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Symmetric RAPPOR, ../rappor.md: a user's value is a vector with one bit set,
 * and every bit is flipped with probability 1/(E+1), E = e^eps0 the parameter of
 * deletion.
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Trinomial Shuffle Stronger.
Import ListNotations.
Open Scope R_scope.

(* The probability that the bits x are reported as y. *)
Fixpoint flips (E : R) (x y : list bool) : R :=
  match x, y with
  | [], [] => 1
  | a :: x', b :: y' => (if Bool.eqb a b then E / (E + 1) else 1 / (E + 1)) * flips E x' y'
  | _, _ => 0
  end.

(* The vector of k bits of which the bit i is set. *)
Definition one_hot (k i : nat) : list bool := map (Nat.eqb i) (seq 0 k).

Definition rappor (E : R) (k i : nat) : list bool -> R := flips E (one_hot k i).

Definition bits : list bool := [true; false].

(* How many bits differ. *)
Fixpoint distance (x y : list bool) : nat :=
  match x, y with
  | a :: x', b :: y' => (if Bool.eqb a b then 0 else 1) + distance x' y'
  | _, _ => 0
  end.

Section Flips.
  Variable E : R.
  Hypothesis HE : 1 <= E.

  Lemma flips_nonneg x y : 0 <= flips E x y.
  Proof.
    pose proof (over_E_plus E HE). pose proof (E_over_E_plus E HE).
    revert y; induction x as [|a x IH]; intros [|b y]; cbn; try lra.
    apply Rmult_le_pos; [destruct (Bool.eqb a b); lra | apply IH].
  Qed.

  Lemma flips_law x : law (words bits (length x)) (flips E x).
  Proof.
    split; [intros y _; apply flips_nonneg|].
    pose proof (E_over_E_plus E HE) as P.
    induction x as [|a x IH]; [cbn; lra|]. cbn [length]. rewrite sum_words. cbn [flips].
    rewrite (sum_ext_all bits _ (fun b => if Bool.eqb a b then E / (E + 1) else 1 / (E + 1))).
    - unfold bits. destruct a; cbn; lra.
    - intros b. rewrite sum_scal, IH. ring.
  Qed.

  Lemma flips_distance x x' y : length x = length x' -> flips E x y <= E ^ distance x x' * flips E x' y.
  Proof.
    pose proof (over_E_plus E HE) as [R0 _]. assert (Q : E / (E + 1) = E * (1 / (E + 1))) by (field; lra).
    set (r := 1 / (E + 1)) in *.
    revert x' y; induction x as [|a x IH]; intros [|a' x'] [|b y] L; cbn [length] in L; try discriminate; cbn [flips distance];
      try (cbn; lra).
    injection L as L. specialize (IH x' y L).
    pose proof (flips_nonneg x y) as N.
    rewrite pow_add, Q. fold r.
    set (c := if Bool.eqb a b then E * r else r). set (c' := if Bool.eqb a' b then E * r else r).
    set (n := if Bool.eqb a a' then O else 1%nat).
    replace (E ^ n * E ^ distance x x' * (c' * flips E x' y)) with (E ^ n * c' * (E ^ distance x x' * flips E x' y)) by ring.
    apply Rmult_le_compat; trivial.
    - unfold c. destruct (Bool.eqb a b); nra.
    - assert (r <= E * r) by nra. assert (E * r <= E * (E * r)) by (apply Rmult_le_compat_l; lra).
      unfold c, c', n. destruct a, a', b; cbn; lra.
  Qed.
End Flips.

Lemma one_hot_length k i : length (one_hot k i) = k.
Proof. unfold one_hot. now rewrite map_length, seq_length. Qed.

Lemma one_hot_distance k i j : (distance (one_hot k i) (one_hot k j) <= 2)%nat.
Proof.
  unfold one_hot. assert (G : forall n s, (distance (map (Nat.eqb i) (seq s n)) (map (Nat.eqb j) (seq s n))
    <= (if (s <=? i)%nat then 1 else 0) + (if (s <=? j)%nat then 1 else 0))%nat).
  { induction n as [|n IH]; intros s; cbn [seq map distance]; [lia|]. specialize (IH (S s)).
    destruct (Nat.leb_spec (S s) i), (Nat.leb_spec (S s) j), (Nat.leb_spec s i), (Nat.leb_spec s j),
      (Nat.eqb_spec i s), (Nat.eqb_spec j s); cbn [Bool.eqb]; lia. }
  specialize (G k O). cbn in G. exact G.
Qed.

(* Its reports are (2 eps0)-LDP. *)
Theorem rappor_ldp E k : 1 <= E -> ldp (words bits k) (E * E) (fun _ => rappor E k).
Proof.
  intros HE h i j y _. eapply Rle_trans; [apply (flips_distance E HE _ (one_hot k j)); now rewrite !one_hot_length|].
  apply Rmult_le_compat_r; [now apply flips_nonneg|].
  replace (E * E) with (E ^ 2) by ring. apply Rle_pow; [exact HE | apply one_hot_distance].
Qed.

Theorem rappor_law E k i : 1 <= E -> law (words bits k) (rappor E k i).
Proof. intros HE. unfold rappor. pose proof (flips_law E HE (one_hot k i)) as L. now rewrite one_hot_length in L. Qed.

(* So the stronger clones pair with 2 eps0 dominates their shuffle. *)
Theorem rappor_local E k x0 x1 xs :
  1 <= E ->
  dominates (counts (length xs)) (stronger_P (E * E) (length xs)) (stronger_Q (E * E) (length xs))
    (words (words bits k) (S (length xs))) (shuffled (fun _ => rappor E k) (x0 :: xs)) (shuffled (fun _ => rappor E k) (x1 :: xs)).
Proof.
  intros HE. apply stronger_dominates; [intros h x; now apply rappor_law | now apply rappor_ldp | nra].
Qed.
