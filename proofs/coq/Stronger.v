(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The stronger clones pair dominates the shuffle of every adaptive sequence of
 * pure LDP randomisers on a finite output alphabet: the theorem of
 * ../clones-stronger.md, and its corollary 2, the same for the clones pair.
 *
 * The statement is that of Feldman, McMillan and Talwar (arXiv 2208.04591,
 * Theorem 3.1), who withdrew their proof for general randomisers; the clones
 * pair is that of arXiv 2012.12803 (Theorem 3.1 with Remark 3.5).
 *
 * For 1 <= alpha < E it is the local profile's bound at the largest local
 * profile, (E - alpha) / (E + 1). For alpha >= E the divergence is 0, and below
 * 1 the two laws and the two members of the pair are exchanged.
 *)
From Coq Require Import Reals List Lra Lia Arith Permutation.
From Shufbound Require Import Sum Hockey Divergence Trinomial TrinomialMean Shuffle LocalProfile.
Import ListNotations.
Open Scope R_scope.

(* -------- The pair -------- *)

(* The two members of the stronger clones pair, E = e^eps0, of N + 1 users. *)
Definition stronger_P (E : R) : nat -> nat * nat -> R := trinomial_P (E / (E + 1)) (1 / (E + 1)) 0 (1 / (E + 1)) (1 / (E + 1)).
Definition stronger_Q (E : R) : nat -> nat * nat -> R := trinomial_Q (E / (E + 1)) (1 / (E + 1)) 0 (1 / (E + 1)) (1 / (E + 1)).

(* Those of the clones pair. *)
Definition clones_P (E : R) : nat -> nat * nat -> R := trinomial_P (E / (E + 1)) (1 / (E + 1)) 0 (1 / (2 * E)) (1 / (2 * E)).
Definition clones_Q (E : R) : nat -> nat * nat -> R := trinomial_Q (E / (E + 1)) (1 / (E + 1)) 0 (1 / (2 * E)) (1 / (2 * E)).

Lemma over_E_plus E : 1 <= E -> 0 < 1 / (E + 1) <= 1 / 2.
Proof.
  intros H. split; [apply Rdiv_lt_0_compat; lra|].
  unfold Rdiv. rewrite !Rmult_1_l. apply Rinv_le_contravar; lra.
Qed.

Lemma E_over_E_plus E : 1 <= E -> E / (E + 1) = 1 - 1 / (E + 1).
Proof. intros. field. lra. Qed.

Lemma stronger_law E N : 1 <= E -> law (counts N) (stronger_P E N) /\ law (counts N) (stronger_Q E N).
Proof.
  intros H. pose proof (over_E_plus E H). pose proof (E_over_E_plus E H).
  apply trinomial_law; lra.
Qed.

(* The stronger clones pair is the local profile's bound at the largest profile
   (Lemma 7 of ../clones-stronger.md). *)
Lemma stronger_profile E alpha N :
  1 <= alpha -> alpha < E -> stronger_hockey E N alpha = profile_bound E alpha ((E - alpha) / (E + 1)) (S N).
Proof.
  intros A1 AE. assert (alpha * E - 1 <> 0) by nra.
  rewrite profile_bound_trinomial; try lra.
  - unfold stronger_hockey. f_equal; field; lra.
  - unfold Rdiv. apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra].
Qed.

(* -------- The theorem -------- *)

Section Domination.
  Context {X Z : Type} (outs : list Z) (K : list Z -> X -> Z -> R) (E : R).
  Hypotheses (HK : randomiser outs K) (HL : ldp outs E K) (HE : 1 <= E).

  (* alpha >= E: there is no divergence. *)
  Lemma shuffled_beyond x0 x1 xs alpha :
    E <= alpha -> hockey (words outs (S (length xs))) alpha (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs)) = 0.
  Proof.
    intros HA. unfold hockey.
    rewrite (sum_ext _ _ (fun _ => 0)); [apply sum_zero|].
    intros w Hw. apply pos_zero. apply in_words in Hw as [L F].
    rewrite !shuffled_draw by (rewrite L; reflexivity). rewrite draw_signed by assumption.
    assert (signed K alpha x0 x1 [] xs w <= 0).
    { apply (signed_nonpos outs); auto. intros h z Hz.
      specialize (HL h x0 x1 z Hz). assert (0 <= K h x1 z) by now apply HK. nra. }
    assert (0 < / INR (S (length xs))) by (apply Rinv_0_lt_compat, lt_0_INR; lia).
    unfold Rdiv. nra.
  Qed.

  Lemma stronger_above_one x0 x1 xs alpha :
    1 <= alpha ->
    hockey (words outs (S (length xs))) alpha (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs))
    <= stronger_hockey E (length xs) alpha.
  Proof.
    intros A1. destruct (Rlt_dec alpha E) as [AE|AE].
    - rewrite stronger_profile by assumption. apply (local_profile outs K E); auto; try lra.
      intros h. apply ldp_hockey; auto; intros z Hz; now apply HL.
    - rewrite shuffled_beyond by lra. apply hockey_nonneg.
  Qed.

  (* The stronger clones pair of n users dominates the shuffled mechanism on
     two data sets of n users that differ in one value. *)
  Theorem stronger_dominates x0 x1 xs :
    dominates (counts (length xs)) (stronger_P E (length xs)) (stronger_Q E (length xs))
      (words outs (S (length xs))) (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs)).
  Proof.
    destruct (stronger_law E (length xs) HE) as [LP LQ].
    apply dominates_both_directions; auto.
    - apply (shuffled_law outs K HK (x0 :: xs)).
    - apply (shuffled_law outs K HK (x1 :: xs)).
    - intros alpha A1. now apply stronger_above_one.
    - intros alpha A1. unfold stronger_P, stronger_Q. rewrite trinomial_hockey_reverse.
      now apply stronger_above_one.
  Qed.

  (* The same, as a bound of the divergence at every alpha >= 0. *)
  Corollary stronger_bound x0 x1 xs alpha :
    0 <= alpha ->
    hockey (words outs (S (length xs))) alpha (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs))
    <= stronger_hockey E (length xs) alpha.
  Proof. apply stronger_dominates. Qed.

  (* The same, wherever the differing user stands. *)
  Corollary stronger_neighbours d0 d1 x0 x1 xs alpha :
    Permutation d0 (x0 :: xs) -> Permutation d1 (x1 :: xs) -> 0 <= alpha ->
    hockey (words outs (length d0)) alpha (shuffled K d0) (shuffled K d1) <= stronger_hockey E (length xs) alpha.
  Proof.
    intros P0 P1 H. rewrite (Permutation_length P0).
    eapply Rle_trans; [|exact (stronger_bound x0 x1 xs alpha H)]. right.
    apply sum_ext. intros w _.
    now rewrite (shuffled_permutation K d0 _ w P0), (shuffled_permutation K d1 _ w P1).
  Qed.

  (* The same for whatever is made of the outputs, as their counts alone: any
     kernel T from words to outcomes r. *)
  Corollary stronger_post x0 x1 xs {B} (r : list B) T alpha :
    0 <= alpha -> sub_markov (words outs (S (length xs))) r T ->
    hockey r alpha (push (words outs (S (length xs))) T (shuffled K (x0 :: xs)))
      (push (words outs (S (length xs))) T (shuffled K (x1 :: xs)))
    <= stronger_hockey E (length xs) alpha.
  Proof.
    intros H HT. eapply Rle_trans; [|exact (stronger_bound x0 x1 xs alpha H)]. now apply hockey_data_processing.
  Qed.
End Domination.

(* -------- Never worse than clones -------- *)

(* Corollary 2: the stronger clones pair is a post-processing of the clones pair. *)
Theorem stronger_below_clones E N alpha : 1 <= E -> stronger_hockey E N alpha <= clones_hockey E N alpha.
Proof.
  intros H. pose proof (over_E_plus E H).
  unfold stronger_hockey, clones_hockey. 
  assert (0 < 1 / (2 * E)) by (apply Rdiv_lt_0_compat; lra).
  assert (1 / (2 * E) <= 1 / (E + 1)) by (unfold Rdiv; rewrite !Rmult_1_l; apply Rinv_le_contravar; lra).
  apply trinomial_hockey_counted; lra.
Qed.

(* The clones pair dominates too. *)
Theorem clones_dominates {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E x0 x1 xs :
  randomiser outs K -> ldp outs E K -> 1 <= E ->
  dominates (counts (length xs)) (clones_P E (length xs)) (clones_Q E (length xs))
    (words outs (S (length xs))) (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs)).
Proof.
  intros HK HL HE alpha H. eapply Rle_trans; [apply (stronger_bound outs K E); auto|].
  now apply stronger_below_clones.
Qed.

(* -------- Differential privacy -------- *)

(* In the words of differential privacy: after the shuffle of n = length xs + 1
   users with eps0-LDP randomisers no event is more likely than e^eps times its
   probability from a neighbouring data set, plus delta = the stronger clones
   pair's divergence. *)
Corollary shuffled_private {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) eps0 eps x0 x1 xs event :
  0 <= eps0 -> randomiser outs K -> ldp outs (exp eps0) K ->
  sum (filter event (words outs (S (length xs)))) (shuffled K (x0 :: xs))
  <= exp eps * sum (filter event (words outs (S (length xs)))) (shuffled K (x1 :: xs))
     + stronger_hockey (exp eps0) (length xs) (exp eps).
Proof.
  intros H0 HK HL. set (l := words outs (S (length xs))).
  pose proof (hockey_event l event (exp eps) (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs))).
  apply Rle_trans with (exp eps * sum (filter event l) (shuffled K (x1 :: xs))
    + hockey l (exp eps) (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs))); [lra|].
  apply Rplus_le_compat_l. apply (stronger_bound outs K (exp eps0)); auto.
  - destruct (Req_dec eps0 0) as [->|N]; [rewrite exp_0; lra|].
    left. rewrite <- exp_0. apply exp_increasing. lra.
  - apply Rlt_le, exp_pos.
Qed.

(* -------- An instance -------- *)

(* Binary randomised response: the hypotheses hold, and for a single user the
   bound is attained. *)
Section Binary.
  Variable E : R.
  Hypothesis HE : 1 <= E.

  Definition binary (h : list bool) (x z : bool) : R := if Bool.eqb x z then E / (E + 1) else 1 / (E + 1).
  Let bits : list bool := [true; false].

  Lemma binary_randomiser : randomiser bits binary.
  Proof.
    intros h x. pose proof (over_E_plus E HE). pose proof (E_over_E_plus E HE). split.
    - intros z _. unfold binary. destruct (Bool.eqb x z); lra.
    - unfold binary. destruct x; cbn; lra.
  Qed.

  Lemma binary_ldp : ldp bits E binary.
  Proof.
    intros h x x' z _. pose proof (over_E_plus E HE) as H.
    assert (H2 : E / (E + 1) = E * (1 / (E + 1))) by (field; lra).
    assert (H3 : 1 / (E + 1) <= E * (1 / (E + 1))) by nra.
    assert (H4 : E * (1 / (E + 1)) <= E * (E * (1 / (E + 1)))) by (apply Rmult_le_compat_l; lra).
    unfold binary. rewrite H2. destruct (Bool.eqb x z), (Bool.eqb x' z); lra.
  Qed.

  Example binary_attains alpha :
    hockey (words bits 1) alpha (shuffled binary [true]) (shuffled binary [false]) = stronger_hockey E 0 alpha.
  Proof.
    unfold stronger_hockey, trinomial_hockey, hockey, trinomial_P, trinomial_Q, shuffled, binary. cbn.
    set (a := E / (E + 1)). set (b := 1 / (E + 1)).
    rewrite (pos_zero (a * 0 + b * 0 + 0 * 1 - _)) by lra.
    rewrite (pos_zero (a * 0 + b * 0 + 0 * 0 - _)) by lra.
    replace ((a * 1 + 0) / 1) with a by field. replace ((b * 1 + 0) / 1) with b by field.
    replace (a * 1 + b * 0 + 0 * 0 - alpha * (b * 1 + a * 0 + 0 * 0)) with (a - alpha * b) by ring.
    replace (a * 0 + b * 1 + 0 * 0 - alpha * (b * 0 + a * 1 + 0 * 0)) with (b - alpha * a) by ring.
    ring.
  Qed.
End Binary.
