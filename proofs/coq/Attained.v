(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Where the stronger clones bound is attained: corollary 4 of
 * ../clones-stronger.md. If (n-1) (E - alpha) <= alpha E - 1, binary randomised
 * response on n equal inputs, of which one is changed, has exactly the
 * divergence of the stronger clones pair. So at such alpha no smaller bound is
 * true of all pure LDP randomisers; n = 1 is always such a case.
 *)
From Coq Require Import Reals List Lra Lia Arith Permutation.
From Shufbound Require Import Sum Hockey Trinomial TrinomialMean Shuffle LocalProfile Stronger.
Import ListNotations.
Open Scope R_scope.

(* -------- The pair -------- *)

Lemma mean_none r0 r1 N : counts_mean r0 r1 N (fun _ b => if (b =? 0)%nat then 1 else 0) = (1 - r1) ^ N.
Proof.
  induction N as [|N IH]; [reflexivity|]. cbn [counts_mean Nat.eqb pow].
  rewrite IH, counts_mean_const. ring.
Qed.

(* Under the condition only b = 0 counts. *)
Lemma stronger_value E N alpha :
  1 <= alpha -> alpha < E -> INR N * (E - alpha) <= alpha * E - 1 ->
  stronger_hockey E N alpha = (E - alpha) / (E + 1) * (E / (E + 1)) ^ N.
Proof.
  intros A1 AE HC. assert (HN : 0 < INR (S N)) by (apply lt_0_INR; lia).
  assert (D : 0 < alpha * E - 1) by nra. pose proof (over_E_plus E) as HR.
  unfold stronger_hockey.
  rewrite (trinomial_hockey_walk _ _ _ _ (E - alpha) (alpha * E - 1)); try lra; try (field; lra).
  rewrite walk_mean.
  rewrite (counts_mean_ext _ _ _ _ (fun a b => (E - alpha) * (INR a * (if (b =? 0)%nat then 1 else 0)))).
  - rewrite mean_scal, (mean_times_a _ _ _ (fun _ b => if (b =? 0)%nat then 1 else 0)), mean_none.
    replace (1 - 1 / (E + 1)) with (E / (E + 1)) by (field; lra). field. lra.
  - intros a b H. assert (0 <= INR a) by apply pos_INR. destruct b as [|b]; cbn [Nat.eqb].
    + rewrite pos_id; cbn [INR]; [ring|]. assert (0 <= (E - alpha) * INR a) by (apply Rmult_le_pos; lra). lra.
    + rewrite pos_zero; [ring|].
      assert (INR a <= INR N) by (apply le_INR; lia).
      assert (1 <= INR (S b)) by (rewrite S_INR; pose proof (pos_INR b); lra).
      assert ((E - alpha) * INR a <= (E - alpha) * INR N) by (apply Rmult_le_compat_l; lra).
      assert ((alpha * E - 1) * 1 <= (alpha * E - 1) * INR (S b)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* -------- Binary randomised response -------- *)

(* The probability that everyone reports true. *)
Fixpoint all_true (E : R) (p : list bool) : R :=
  match p with
  | [] => 1
  | x :: p' => binary E [] x true * all_true E p'
  end.

Lemma all_true_permutation E p q : Permutation p q -> all_true E p = all_true E q.
Proof. induction 1; cbn; try ring; congruence. Qed.

Lemma run_all_true E h p : run (binary E) h p (repeat true (length p)) = all_true E p.
Proof.
  revert h; induction p as [|x p IH]; intros h; [reflexivity|]. cbn. now rewrite IH.
Qed.

Lemma shuffled_all_true E xs : shuffled (binary E) xs (repeat true (length xs)) = all_true E xs.
Proof.
  unfold shuffled. rewrite (sum_ext _ _ (fun _ => all_true E xs)).
  - rewrite sum_const, orders_length. field. apply INR_fact_neq_0.
  - intros p Hp. apply in_orders in Hp.
    rewrite (Permutation_length Hp), run_all_true. symmetry. now apply all_true_permutation.
Qed.

Lemma all_true_repeat E N : all_true E (repeat true N) = (E / (E + 1)) ^ N.
Proof. induction N as [|N IH]; [reflexivity|]. cbn. now rewrite IH. Qed.

Lemma in_words_repeat N : In (repeat true N) (words [true; false] N).
Proof.
  apply in_words. split; [apply repeat_length|]. induction N; cbn; auto using Forall.
Qed.

(* Corollary 4: the bound is attained. *)
Theorem stronger_attained E N alpha :
  1 <= alpha -> alpha < E -> INR N * (E - alpha) <= alpha * E - 1 ->
  hockey (words [true; false] (S N)) alpha
    (shuffled (binary E) (true :: repeat true N)) (shuffled (binary E) (false :: repeat true N))
  = stronger_hockey E N alpha.
Proof.
  intros A1 AE HC. assert (HE : 1 <= E) by lra. apply Rle_antisym.
  - pose proof (stronger_bound [true; false] (binary E) E (binary_randomiser E HE) (binary_ldp E HE) HE
      true false (repeat true N) alpha ltac:(lra)) as B.
    rewrite repeat_length in B. exact B.
  - rewrite stronger_value by assumption.
    assert (T : forall x, shuffled (binary E) (x :: repeat true N) (repeat true (S N)) = all_true E (x :: repeat true N)).
    { intros x. rewrite <- shuffled_all_true. cbn [length]. now rewrite repeat_length. }
    set (w := repeat true (S N)) in *.
    set (f := fun w => pos (shuffled (binary E) (true :: repeat true N) w
                            - alpha * shuffled (binary E) (false :: repeat true N) w)).
    apply Rle_trans with (f w).
    + unfold f. rewrite !T. eapply Rle_trans; [|apply pos_ge]. right. cbn [all_true]. rewrite all_true_repeat.
      unfold binary. cbn. field. lra.
    + apply (sum_term _ f); [apply in_words_repeat | intros; apply pos_nonneg].
Qed.

(* The condition holds for one user, whatever alpha; and for more of them near E. *)
Example condition_one E alpha : 1 <= alpha -> alpha < E -> INR 0 * (E - alpha) <= alpha * E - 1.
Proof. intros. cbn. nra. Qed.

Example condition_ten : INR 9 * (3 - 29 / 10) <= 29 / 10 * 3 - 1.
Proof. cbn. lra. Qed.
