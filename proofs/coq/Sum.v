(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* Finite sums: sum l f is the sum of f over the list l. *)
From Coq Require Import Reals List Lra Arith Lia.
Import ListNotations.
Open Scope R_scope.

Fixpoint sum {A : Type} (l : list A) (f : A -> R) : R :=
  match l with
  | [] => 0
  | x :: r => f x + sum r f
  end.

Section Sum.
  Context {A : Type}.
  Implicit Types (l : list A) (f g : A -> R).

  Lemma sum_ext l f g : (forall x, In x l -> f x = g x) -> sum l f = sum l g.
  Proof.
    induction l as [|x r IH]; cbn; intros H; [reflexivity|].
    rewrite (H x), IH; auto.
  Qed.

  Lemma sum_zero l : sum l (fun _ => 0) = 0.
  Proof. induction l; cbn; lra. Qed.

  Lemma sum_plus l f g : sum l (fun x => f x + g x) = sum l f + sum l g.
  Proof. induction l; cbn; lra. Qed.

  Lemma sum_minus l f g : sum l (fun x => f x - g x) = sum l f - sum l g.
  Proof. induction l; cbn; lra. Qed.

  Lemma sum_scal c l f : sum l (fun x => c * f x) = c * sum l f.
  Proof. induction l; cbn; lra. Qed.

  Lemma sum_scal_r c l f : sum l (fun x => f x * c) = sum l f * c.
  Proof. induction l; cbn; lra. Qed.

  Lemma sum_le l f g : (forall x, In x l -> f x <= g x) -> sum l f <= sum l g.
  Proof.
    induction l as [|x r IH]; cbn; intros H; [lra|].
    assert (f x <= g x) by auto. assert (sum r f <= sum r g) by auto. lra.
  Qed.

  Lemma sum_nonneg l f : (forall x, In x l -> 0 <= f x) -> 0 <= sum l f.
  Proof. intros H. rewrite <- (sum_zero l). apply sum_le; auto. Qed.

  Lemma sum_app l r f : sum (l ++ r) f = sum l f + sum r f.
  Proof. induction l; cbn; lra. Qed.

  Lemma sum_filter (b : A -> bool) l f :
    sum (filter b l) f = sum l (fun x => if b x then f x else 0).
  Proof. induction l as [|x r IH]; cbn; [reflexivity|]. destruct (b x); cbn; lra. Qed.

  (* A term is at most a sum of non-negative terms. *)
  Lemma sum_term l f x : In x l -> (forall y, In y l -> 0 <= f y) -> f x <= sum l f.
  Proof.
    induction l as [|y r IH]; cbn; [tauto|].
    intros [->|H] N.
    - assert (0 <= sum r f) by (apply sum_nonneg; auto). lra.
    - assert (f x <= sum r f) by auto. assert (0 <= f y) by auto. lra.
  Qed.
End Sum.

Lemma sum_map {A B} (h : A -> B) l (f : B -> R) : sum (map h l) f = sum l (fun x => f (h x)).
Proof. induction l; cbn; lra. Qed.

Lemma sum_swap {A B} (l : list A) (r : list B) f :
  sum l (fun x => sum r (fun y => f x y)) = sum r (fun y => sum l (fun x => f x y)).
Proof.
  induction l as [|x l IH]; cbn.
  - now rewrite sum_zero.
  - now rewrite IH, sum_plus.
Qed.

Lemma sum_prod {A B} (l : list A) (r : list B) f :
  sum (list_prod l r) f = sum l (fun x => sum r (fun y => f (x, y))).
Proof.
  induction l as [|x l IH]; cbn; [reflexivity|].
  now rewrite sum_app, sum_map, IH.
Qed.

(* The sum over 0 .. n-1, from either end. *)
Lemma sum_seq_last n f : sum (seq 0 (S n)) f = sum (seq 0 n) f + f n.
Proof. rewrite seq_S, sum_app. cbn. lra. Qed.

Lemma sum_seq_first n f : sum (seq 0 (S n)) f = f O + sum (seq 0 n) (fun k => f (S k)).
Proof. cbn. now rewrite <- seq_shift, sum_map. Qed.
