(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The hockey-stick divergence of two mass functions on a finite list of
 * outcomes. Masses are non-negative and need not add up to one: a truncated
 * pair is a pair.
 *)
From Coq Require Import Reals List Lra.
From Shufbound Require Import Sum.
Import ListNotations.
Open Scope R_scope.

(* The positive part. *)
Definition pos (x : R) : R := Rmax 0 x.

Lemma pos_nonneg x : 0 <= pos x.
Proof. apply Rmax_l. Qed.

Lemma pos_ge x : x <= pos x.
Proof. apply Rmax_r. Qed.

Lemma pos_lub x y : 0 <= y -> x <= y -> pos x <= y.
Proof. intros. now apply Rmax_lub. Qed.

Lemma pos_id x : 0 <= x -> pos x = x.
Proof. apply Rmax_right. Qed.

Lemma pos_zero x : x <= 0 -> pos x = 0.
Proof. apply Rmax_left. Qed.

Lemma pos_le x y : x <= y -> pos x <= pos y.
Proof. intros. apply pos_lub; [apply pos_nonneg | pose proof (pos_ge y); lra]. Qed.

Lemma pos_plus x y : pos (x + y) <= pos x + pos y.
Proof.
  pose proof (pos_nonneg x). pose proof (pos_nonneg y).
  pose proof (pos_ge x). pose proof (pos_ge y). apply pos_lub; lra.
Qed.

Lemma pos_scal c x : 0 <= c -> pos (c * x) = c * pos x.
Proof.
  intros H. destruct (Rle_dec 0 x) as [K|K].
  - rewrite !pos_id; auto. now apply Rmult_le_pos.
  - rewrite !pos_zero; try lra. replace 0 with (c * 0) by lra.
    apply Rmult_le_compat_l; lra.
Qed.

Lemma pos_diff x : pos x - pos (- x) = x.
Proof.
  destruct (Rle_dec 0 x).
  - rewrite pos_id, pos_zero; lra.
  - rewrite pos_zero, pos_id; lra.
Qed.

(* H_alpha(P||Q) on the outcomes l. *)
Definition hockey {A} (l : list A) (alpha : R) (P Q : A -> R) : R :=
  sum l (fun x => pos (P x - alpha * Q x)).

(* A mass function on l, and a probability. *)
Definition mass {A} (l : list A) (P : A -> R) : Prop := forall x, In x l -> 0 <= P x.
Definition law {A} (l : list A) (P : A -> R) : Prop := mass l P /\ sum l P = 1.

(* (P', Q') on l' dominates (P, Q) on l: at every alpha >= 0. *)
Definition dominates {A B} (l' : list B) (P' Q' : B -> R) (l : list A) (P Q : A -> R) : Prop :=
  forall alpha, 0 <= alpha -> hockey l alpha P Q <= hockey l' alpha P' Q'.
