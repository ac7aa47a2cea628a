(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* The error of the frequencies that are estimated from reports of k-RR, whatever the data: ../estimation.md. *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Shuffle KrrShuffle.
Import ListNotations.
Open Scope R_scope.

(* How many of the list are v. *)
Fixpoint occurrences (v : nat) (l : list nat) : R :=
  match l with
  | [] => 0
  | x :: r => (if (v =? x)%nat then 1 else 0) + occurrences v r
  end.

(* The unbiased estimate of the frequency of v from the reports w. *)
Definition krr_estimate (E : R) (k v : nat) (w : list nat) : R :=
  (occurrences v w / INR (length w) - 1 / (E + INR k - 1)) * ((E + INR k - 1) / (E - 1)).

Section Estimation.
  Variables (E : R) (k : nat).
  Hypotheses (HE : 1 <= E) (Hk : (2 <= k)%nat).

  Let values := seq 0 k.
  Let A := krr E k.
  Let K (h : list nat) := A.

  (* The sums of the probabilities of v, and of their variances. *)
  Let expected (v : nat) (p : list nat) : R := sum p (fun x => A x v).
  Let variance (v : nat) (p : list nat) : R := sum p (fun x => A x v * (1 - A x v)).

  Lemma indicator_sum v x c d : (v < k)%nat ->
    sum values (fun z => A x z * ((if (v =? z)%nat then 1 else 0) * c + d)) = A x v * c + d.
  Proof.
    intros Hv. rewrite (sum_ext _ _ (fun z => (if (v =? z)%nat then A x v * c else 0) + A x z * d)).
    - rewrite sum_plus, sum_scal_r. unfold values at 1. rewrite sum_at by exact Hv.
      destruct (krr_law E k HE Hk x) as [_ S]. fold A in S. unfold values. rewrite S. ring.
    - intros z _. destruct (Nat.eqb_spec v z) as [<-|]; ring.
  Qed.

  Lemma run_moments v p : (v < k)%nat -> forall h,
    sum (words values (length p)) (run K h p) = 1
    /\ sum (words values (length p)) (fun w => run K h p w * (occurrences v w - expected v p)) = 0
    /\ sum (words values (length p)) (fun w => run K h p w * (occurrences v w - expected v p) ^ 2) = variance v p.
  Proof.
    intros Hv. induction p as [|x p IH]; intros h; [cbn; repeat split; ring|].
    cbn [length]. rewrite !sum_words. cbn [run occurrences]. unfold K at 1 3 5.
    unfold expected, variance. cbn [sum]. fold (expected v p) (variance v p).
    assert (S : forall f g : nat -> R, (forall z, f z = g z) -> sum values f = sum values g) by (intros; now apply sum_ext_all).
    repeat split.
    - rewrite (S _ (fun z => A x z * ((if (v =? z)%nat then 1 else 0) * 0 + 1))), indicator_sum by
        (exact Hv || (intros z; rewrite sum_scal, (proj1 (IH (z :: h))); ring)). ring.
    - rewrite (S _ (fun z => A x z * ((if (v =? z)%nat then 1 else 0) * 1 + - A x v))), indicator_sum; [ring | exact Hv|].
      intros z. destruct (IH (z :: h)) as (M0 & M1 & _).
      rewrite (sum_ext_all _ _ (fun w => A x z * (((if (v =? z)%nat then 1 else 0) - A x v) * run K (z :: h) p w
        + run K (z :: h) p w * (occurrences v w - expected v p)))) by (intros; ring).
      rewrite sum_scal, sum_plus, sum_scal, M0, M1. ring.
    - rewrite (S _ (fun z => A x z * ((if (v =? z)%nat then 1 else 0) * (1 - 2 * A x v) + (A x v * A x v + variance v p)))), indicator_sum;
        [ring | exact Hv|].
      intros z. destruct (IH (z :: h)) as (M0 & M1 & M2).
      set (i := (if (v =? z)%nat then 1 else 0)).
      assert (I : i * i = i) by (unfold i; destruct (v =? z)%nat; ring).
      rewrite (sum_ext_all _ _ (fun w => A x z * ((i - A x v) * (i - A x v) * run K (z :: h) p w
        + 2 * (i - A x v) * (run K (z :: h) p w * (occurrences v w - expected v p))
        + run K (z :: h) p w * (occurrences v w - expected v p) ^ 2))) by (intros; ring).
      rewrite sum_scal, !sum_plus, !sum_scal, M0, M1, M2.
      replace ((i - A x v) * (i - A x v)) with (i * i - 2 * i * A x v + A x v * A x v) by ring. rewrite I. ring.
  Qed.

  Lemma expected_value v p : (v < k)%nat -> Forall (fun x => (x < k)%nat) p ->
    expected v p = (INR (length p) + (E - 1) * occurrences v p) / (E + INR k - 1).
  Proof.
    intros Hv F. assert (K2 : 2 <= INR k) by now apply (le_INR 2).
    unfold expected. induction F as [|x p Hx F IH]; [cbn; field; lra|].
    cbn [sum length occurrences]. rewrite S_INR, IH. unfold A. rewrite krr_value by auto.
    rewrite (Nat.eqb_sym v x). destruct (x =? v)%nat; field; lra.
  Qed.

  Lemma variances p : Forall (fun x => (x < k)%nat) p ->
    sum values (fun v => variance v p) = INR (length p) * ((INR k - 1) * (2 * E + INR k - 2)) / (E + INR k - 1) ^ 2.
  Proof.
    intros F. assert (K2 : 2 <= INR k) by now apply (le_INR 2).
    induction F as [|x p Hx F IH]; [cbn; rewrite sum_zero; field; lra|].
    unfold variance in *. cbn [sum length]. rewrite S_INR, sum_plus, IH.
    unfold values. rewrite (sum_but_one k x (1 / (E + INR k - 1) * (1 - 1 / (E + INR k - 1)))) by
      (exact Hx || (intros z _ N; unfold A; rewrite krr_value by auto; destruct (Nat.eqb_spec x z); [lia | reflexivity])).
    unfold A. rewrite krr_value, Nat.eqb_refl by auto. field. lra.
  Qed.

  Theorem krr_unbiased v p :
    1 < E -> (1 <= length p)%nat -> (v < k)%nat -> Forall (fun x => (x < k)%nat) p ->
    sum (words values (length p)) (fun w => run (fun _ => krr E k) [] p w * krr_estimate E k v w) = occurrences v p / INR (length p).
  Proof.
    intros E1 L Hv F. assert (K2 : 2 <= INR k) by now apply (le_INR 2).
    assert (N0 : 0 < INR (length p)) by (apply lt_0_INR; lia).
    destruct (run_moments v p Hv []) as (M0 & M1 & _).
    set (c := (E + INR k - 1) / (INR (length p) * (E - 1))). set (d := occurrences v p / INR (length p)).
    rewrite (sum_ext _ _ (fun w => d * run K [] p w + c * (run K [] p w * (occurrences v w - expected v p)))).
    - rewrite sum_plus, !sum_scal, M0, M1. ring.
    - intros w W. apply words_length in W. rewrite expected_value by auto. unfold krr_estimate. rewrite W.
      fold A. fold (K []). unfold c, d, K. field. lra.
  Qed.

  (* The expected squared l2 error, of n users with the data p. *)
  Theorem krr_error p :
    1 < E -> (1 <= length p)%nat -> Forall (fun x => (x < k)%nat) p ->
    let n := INR (length p) in
    sum (words values (length p)) (fun w => run (fun _ => krr E k) [] p w *
      sum values (fun v => (krr_estimate E k v w - occurrences v p / n) ^ 2))
    = (INR k - 1) * (2 * E + INR k - 2) / (n * (E - 1) ^ 2).
  Proof.
    intros E1 L F n. assert (K2 : 2 <= INR k) by now apply (le_INR 2).
    assert (N0 : 0 < n) by (apply lt_0_INR; lia).
    set (c := (E + INR k - 1) / (n * (E - 1))).
    transitivity (sum values (fun v => c ^ 2 * variance v p)).
    - rewrite (sum_ext _ _ (fun w => sum values (fun v => c ^ 2 * (run K [] p w * (occurrences v w - expected v p) ^ 2)))).
      + rewrite sum_swap. apply sum_ext. intros v Hv. apply in_seq in Hv. rewrite sum_scal. f_equal. apply run_moments. lia.
      + intros w W. apply words_length in W. rewrite <- sum_scal. apply sum_ext. intros v Hv. apply in_seq in Hv.
        rewrite expected_value by (auto; lia). unfold krr_estimate. rewrite W. fold n. fold A. fold (K []). unfold c, K. field. lra.
    - rewrite sum_scal, variances by exact F. fold n. unfold c. field. lra.
  Qed.
End Estimation.
