(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The best of a random number of runs where all outcomes are equally good:
 * ../selection.md, Theorem 2. A run that is drawn uniformly from k independent
 * ones has the law of one run.
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Shuffle.
Import ListNotations.
Open Scope R_scope.

Section Ties.
  Context {A : Type} (outs : list A) (eq_dec : forall x y : A, {x = y} + {x <> y}).
  Hypothesis HN : NoDup outs.

  (* The probability of the outcomes w of independent runs. *)
  Fixpoint runs (P : A -> R) (w : list A) : R := match w with [] => 1 | x :: w' => P x * runs P w' end.

  (* One of k runs, drawn uniformly: the probability that it is x. *)
  Definition one_of (P : A -> R) (k : nat) (x : A) : R :=
    sum (words outs k) (fun w => runs P w * (sum w (fun y => if eq_dec y x then 1 else 0) / INR k)).

  (* What is released if there are k runs with probability c k: nothing if there is none. *)
  Definition released (ks : list nat) (c : nat -> R) (P : A -> R) (z : option A) : R :=
    match z with
    | None => sum ks (fun k => match k with O => c k | S _ => 0 end)
    | Some x => sum ks (fun k => match k with O => 0 | S _ => c k * one_of P k x end)
    end.

  Lemma runs_sum P k : sum outs P = 1 -> sum (words outs k) (runs P) = 1.
  Proof.
    intros S. induction k as [|k IH]; [cbn; ring|]. rewrite sum_words. cbn [runs].
    rewrite (sum_ext_all _ _ P); [exact S|]. intros x. rewrite sum_scal, IH. ring.
  Qed.

  Lemma sum_at x (f : A -> R) : In x outs -> sum outs (fun y => if eq_dec y x then f y else 0) = f x.
  Proof.
    clear - HN. induction HN as [|y l H N IH]; [intros []|]. intros [->|I]; cbn [sum].
    - destruct (eq_dec x x) as [_|C]; [|now destruct C]. rewrite (sum_ext l _ (fun _ => 0)); [rewrite sum_zero; ring|].
      intros y I. destruct (eq_dec y x) as [->|_]; [contradiction | reflexivity].
    - destruct (eq_dec y x) as [->|_]; [contradiction|]. rewrite IH by assumption. ring.
  Qed.

  Lemma occurrences_mean P k x : sum outs P = 1 -> In x outs ->
    sum (words outs k) (fun w => runs P w * sum w (fun y => if eq_dec y x then 1 else 0)) = INR k * P x.
  Proof.
    intros S I. induction k as [|k IH]; [cbn; ring|]. rewrite sum_words. cbn [runs sum].
    rewrite (sum_ext_all outs _ (fun y => (if eq_dec y x then P y else 0) + P y * (INR k * P x))).
    - rewrite sum_plus, sum_at, sum_scal_r, S, S_INR by exact I. ring.
    - intros y. rewrite <- IH. rewrite <- sum_scal.
      rewrite (sum_ext_all (words outs k) _ (fun w => (if eq_dec y x then P y else 0) * runs P w
        + P y * (runs P w * sum w (fun y => if eq_dec y x then 1 else 0)))) by (intros w; destruct (eq_dec y x); ring).
      rewrite sum_plus, sum_scal, runs_sum by exact S. ring.
  Qed.

  Lemma one_of_law P k x : sum outs P = 1 -> In x outs -> (1 <= k)%nat -> one_of P k x = P x.
  Proof.
    intros S I K. unfold one_of. rewrite (sum_ext_all _ _ (fun w => / INR k * (runs P w * sum w (fun y => if eq_dec y x then 1 else 0)))).
    - rewrite sum_scal, occurrences_mean by assumption. field. apply not_0_INR. lia.
    - intros w. unfold Rdiv. ring.
  Qed.

  Theorem selection_ties ks c P Q alpha :
    1 <= alpha -> (forall k, In k ks -> 0 <= c k) -> law outs P -> law outs Q ->
    let some := sum ks (fun k => match k with O => 0 | S _ => c k end) in
    hockey (None :: map Some outs) alpha (released ks c P) (released ks c Q) = some * hockey outs alpha P Q.
  Proof.
    intros A1 C [_ SP] [_ SQ] some.
    assert (S0 : 0 <= some) by (apply sum_nonneg; intros [|k] K; [lra | now apply C]).
    assert (N0 : 0 <= released ks c P None) by (apply sum_nonneg; intros [|k] K; [now apply C | lra]).
    assert (G : forall R x, sum outs R = 1 -> In x outs -> released ks c R (Some x) = some * R x).
    { intros R x HR I. unfold some. cbn [released]. rewrite <- sum_scal_r. apply sum_ext_all. intros [|k]; [ring|].
      rewrite one_of_law by (assumption || lia). reflexivity. }
    unfold hockey at 1. cbn [sum]. rewrite sum_map. change (released ks c Q None) with (released ks c P None).
    rewrite pos_zero by nra. rewrite Rplus_0_l.
    rewrite (sum_ext outs _ (fun x => pos (some * P x - alpha * (some * Q x)))) by (intros x I; now rewrite !G).
    exact (hockey_scale outs some alpha P Q S0).
  Qed.
End Ties.
