(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * A randomiser of three outputs that is private with respect to a reference, and
 * its shuffle from below: ../deletion.md, "From below".
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Trinomial Shuffle ShuffleCounts Deployments.
Import ListNotations.
Open Scope R_scope.

Definition three : list nat := [0; 1; 2]%nat.

(* p, p/E and the third input's rate t. *)
Definition third_p (E : R) : R := 1 / (E + 1).
Definition third_s (E : R) : R := third_p E / E.
Definition third_t (E : R) : R := Rmax (third_s E) ((1 + 2 * E - E * E) / (2 * (E + 1))).

Definition third_matrix (E : R) (x z : nat) : R :=
  match x, z with
  | 0%nat, 0%nat | 1%nat, 1%nat => E * third_p E
  | 0%nat, 1%nat | 1%nat, 0%nat => third_s E
  | 0%nat, _ | 1%nat, _ => 1 - E * third_p E - third_s E
  | _, 0%nat | _, 1%nat => third_t E
  | _, _ => 1 - 2 * third_t E
  end.

Definition third_reference (E : R) (z : nat) : R := match z with 0%nat | 1%nat => third_p E | _ => 1 - 2 * third_p E end.

Section Third.
  Variable E : R.
  Hypothesis HE : 1 <= E.

  Let p := third_p E.
  Let s := third_s E.
  Let t := third_t E.
  Let m := 1 - 2 * p.

  Lemma third_facts :
    0 < s /\ p = E * s /\ E * m = E * E * (1 - E * p - s) /\ 0 <= m /\ s <= p <= E * p /\ s <= t <= E * p
    /\ 1 - 2 * t <= E * m /\ m <= E * (1 - 2 * t) /\ 0 <= 1 - E * p - s.
  Proof.
    assert (P : p * (E + 1) = 1) by (unfold p, third_p; field; lra).
    assert (P0 : 0 < p) by (unfold p, third_p, Rdiv; rewrite Rmult_1_l; apply Rinv_0_lt_compat; lra).
    assert (S : p = E * s) by (unfold s, third_s; fold p; field; lra).
    assert (S0 : 0 < s) by nra.
    assert (SP : s <= p) by nra.
    assert (M : m = (E - 1) * p) by (unfold m; lra).
    assert (M0 : 0 <= m) by (rewrite M; apply Rmult_le_pos; lra).
    assert (T1 : 1 - E * p - s = (E - 1) * s) by nra.
    set (x := (1 + 2 * E - E * E) / (2 * (E + 1))).
    assert (X : 2 * x = (1 + 2 * E - E * E) * p) by (unfold x, p, third_p; field; lra).
    assert (XE : 1 - 2 * x = E * m) by (rewrite X, M; nra).
    assert (PE : p <= E * p) by nra.
    assert (XP : x <= E * p) by nra.
    assert (TL : s <= t) by apply Rmax_l. assert (TX : x <= t) by apply Rmax_r.
    repeat split; auto; try lra.
    - rewrite T1, M, S. ring.
    - unfold t, third_t. apply Rmax_lub; [fold s; lra | exact XP].
    - unfold t, third_t. fold s x. destruct (Rle_dec s x) as [L|L].
      + rewrite Rmax_right by exact L. rewrite XE. nra.
      + rewrite Rmax_left by lra. assert (m <= 1 - 2 * s) by (unfold m; lra). nra.
  Qed.

  Theorem third_law x : law three (third_matrix E x).
  Proof.
    destruct third_facts as (S0 & S & _ & M0 & SP & [T1 T2] & T3 & T4 & T5).
    assert (0 <= 1 - 2 * t) by (apply (Rmult_le_reg_l E); lra).
    split; [|destruct x as [|[|x]]; cbn; fold p s t; ring].
    intros z _. destruct x as [|[|x]], z as [|[|z]]; cbn; fold p s t; lra.
  Qed.

  Theorem third_deletion : deletion three E (fun _ => third_reference E) (fun _ => third_matrix E).
  Proof.
    destruct third_facts as (S0 & S & M & M0 & SP & [T1 T2] & T3 & T4 & T5).
    assert (M1 : m = E * (1 - E * p - s)) by (apply (Rmult_eq_reg_l E); lra).
    intros h x z _. unfold third_reference. fold p. fold m.
    assert (E * p <= E * (E * p)) by nra. assert (E * s <= E * t) by nra.
    assert (m <= E * m) by nra.
    destruct x as [|[|x]], z as [|[|z]]; cbn; fold p s t; split; try lra; nra.
  Qed.

  (* The numbers of the outputs 0 and 1 are those of the pair. *)
  Ltac count_outputs :=
    eapply Rle_trans; [|apply (counts_below three (third_matrix E) (Nat.eqb 0) (Nat.eqb 1) third_law)];
    right; unfold trinomial_hockey, counts_law, trinomial_P, trinomial_Q, in_U, in_V, three; cbn [sum Nat.eqb third_matrix]; fold p s t;
    rewrite !Rplus_0_r, !Rplus_0_l; replace (1 - s - E * p) with (1 - E * p - s) by ring; reflexivity.

  (* User 1 holds 0 or 1, all n others 2. *)
  Theorem third_below n alpha :
    trinomial_hockey (E * p) s (1 - E * p - s) t t n alpha
    <= hockey (words three (S n)) alpha (shuffled (fun _ => third_matrix E) (0%nat :: repeat 2%nat n))
         (shuffled (fun _ => third_matrix E) (1%nat :: repeat 2%nat n)).
  Proof. count_outputs. Qed.

  (* The others hold 0, as user 1 does first. *)
  Theorem third_below_same n alpha :
    trinomial_hockey (E * p) s (1 - E * p - s) (E * p) s n alpha
    <= hockey (words three (S n)) alpha (shuffled (fun _ => third_matrix E) (0%nat :: repeat 0%nat n))
         (shuffled (fun _ => third_matrix E) (1%nat :: repeat 0%nat n)).
  Proof. count_outputs. Qed.
End Third.
