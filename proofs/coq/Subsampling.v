(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Privacy amplification by subsampling, neighbours by substitution, a uniform
 * subset of fixed size: ../subsample.md ("A subset of fixed size", "Dominated
 * base", "Replaced record"); the lines for hockey-stick divergences of Balle,
 * Barthe and Gaboardi, arXiv 1807.01647, Theorem 9.
 *
 * With probability gamma the differing record is sampled. The output's laws are
 *
 *   P = (1-gamma) R + gamma P1,   Q = (1-gamma) R + gamma Q1,
 *
 * where P1 and Q1 are the laws of the base mechanism on a sample with the record
 * before and after substitution, and R that on the sample with another record
 * in its place: the three samples are neighbours of one another, so one profile
 * h bounds all their divergences. Then
 *
 *   H_alpha(P||Q) <= gamma h(1 + (alpha-1)/gamma)    for alpha >= 1,
 *   H_alpha(P||Q) <= beta h(alpha gamma/beta)        for alpha <= 1,   beta = 1 - alpha (1-gamma).
 *)
From Coq Require Import Reals List Lra Lia Arith Psatz.
From Shufbound Require Import Sum Hockey Divergence.
Import ListNotations.
Open Scope R_scope.

(* The law when the differing record is sampled with probability gamma. *)
Definition sampled {A} (gamma : R) (R1 P1 : A -> R) (x : A) : R := (1 - gamma) * R1 x + gamma * P1 x.

(* The bound for the profile of the subsampled mechanism. *)
Definition sampled_profile (gamma : R) (h : R -> R) (alpha : R) : R :=
  if Rle_dec 1 alpha
  then gamma * h (1 + (alpha - 1) / gamma)
  else (1 - alpha * (1 - gamma)) * h (alpha * gamma / (1 - alpha * (1 - gamma))).

Lemma pos_two a b x y : 0 <= a -> 0 <= b -> pos (a * x + b * y) <= a * pos x + b * pos y.
Proof. intros. rewrite <- !pos_scal by assumption. apply pos_plus. Qed.

Section Sampled.
  Context {A : Type} (l : list A) (R1 P1 Q1 : A -> R) (gamma : R).
  Hypothesis rate : 0 < gamma <= 1.

  (*
   * alpha >= 1: with s = 1 + (alpha-1)/gamma, P - alpha Q is a combination of
   * P1 - s R1 and P1 - s Q1.
   *)
  Theorem sampled_above alpha :
    1 <= alpha ->
    let s := 1 + (alpha - 1) / gamma in
    hockey l alpha (sampled gamma R1 P1) (sampled gamma R1 Q1)
    <= gamma * ((1 - alpha / s) * hockey l s P1 R1 + alpha / s * hockey l s P1 Q1).
  Proof.
    intros H s.
    assert (S1 : alpha <= s).
    { unfold s. assert (alpha - 1 <= (alpha - 1) / gamma); [|lra].
      apply Rmult_le_reg_r with gamma; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; nra. }
    assert (G : gamma * (s - alpha) = (1 - gamma) * (alpha - 1)) by (unfold s; field; lra).
    assert (B : 0 <= alpha / s <= 1).
    { split; [apply Rlt_le, Rdiv_lt_0_compat; lra|].
      apply Rmult_le_reg_r with s; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    assert (BS : alpha / s * s = alpha) by (field; lra).
    unfold hockey. rewrite <- !sum_scal, <- sum_plus, <- sum_scal. apply sum_le. intros x _.
    unfold sampled. set (b := alpha / s) in *.
    replace ((1 - gamma) * R1 x + gamma * P1 x - alpha * ((1 - gamma) * R1 x + gamma * Q1 x))
      with (gamma * ((1 - b) * (P1 x - s * R1 x) + b * (P1 x - s * Q1 x))).
    - rewrite pos_scal by lra. apply Rmult_le_compat_l; [lra|]. apply pos_two; lra.
    - transitivity (gamma * P1 x - gamma * (s - b * s) * R1 x - gamma * (b * s) * Q1 x); [ring|].
      rewrite BS, G. ring.
  Qed.

  (* alpha <= 1: with s = alpha gamma/beta it is one of R1 - s Q1 and P1 - s Q1. *)
  Theorem sampled_below alpha :
    0 <= alpha <= 1 ->
    let beta := 1 - alpha * (1 - gamma) in
    let s := alpha * gamma / beta in
    hockey l alpha (sampled gamma R1 P1) (sampled gamma R1 Q1)
    <= (beta - gamma) * hockey l s R1 Q1 + gamma * hockey l s P1 Q1.
  Proof.
    intros H beta s.
    assert (G : beta - gamma = (1 - gamma) * (1 - alpha)) by (unfold beta; ring).
    assert (B : gamma <= beta) by nra.
    assert (BS : beta * s = alpha * gamma) by (unfold s; field; lra).
    unfold hockey. rewrite <- !sum_scal, <- sum_plus. apply sum_le. intros x _. unfold sampled.
    replace ((1 - gamma) * R1 x + gamma * P1 x - alpha * ((1 - gamma) * R1 x + gamma * Q1 x))
      with ((beta - gamma) * (R1 x - s * Q1 x) + gamma * (P1 x - s * Q1 x)).
    - apply pos_two; lra.
    - transitivity ((beta - gamma) * R1 x + gamma * P1 x - beta * s * Q1 x); [ring|].
      rewrite BS, G. ring.
  Qed.

  (* So a profile h that bounds the three divergences gives the bound. *)
  Theorem sampled_bound h alpha :
    (forall s, 0 <= s -> hockey l s P1 Q1 <= h s) ->
    (forall s, 1 <= s -> hockey l s P1 R1 <= h s) ->
    (forall s, 0 <= s <= 1 -> hockey l s R1 Q1 <= h s) ->
    0 <= alpha ->
    hockey l alpha (sampled gamma R1 P1) (sampled gamma R1 Q1) <= sampled_profile gamma h alpha.
  Proof.
    intros PQ PR RQ H. unfold sampled_profile. destruct (Rle_dec 1 alpha) as [K|K].
    - eapply Rle_trans; [now apply sampled_above|]. apply Rmult_le_compat_l; [lra|].
      assert (S1 : alpha <= 1 + (alpha - 1) / gamma).
      { assert (alpha - 1 <= (alpha - 1) / gamma); [|lra].
        apply Rmult_le_reg_r with gamma; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; nra. }
      set (s := 1 + (alpha - 1) / gamma) in *.
      assert (B : 0 <= alpha / s <= 1).
      { split; [apply Rlt_le, Rdiv_lt_0_compat; lra|].
        apply Rmult_le_reg_r with s; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
      assert ((1 - alpha / s) * hockey l s P1 R1 <= (1 - alpha / s) * h s)
        by (apply Rmult_le_compat_l; [lra | apply PR; lra]).
      assert (alpha / s * hockey l s P1 Q1 <= alpha / s * h s)
        by (apply Rmult_le_compat_l; [lra | apply PQ; lra]).
      lra.
    - assert (H1 : 0 <= alpha <= 1) by lra.
      eapply Rle_trans; [now apply sampled_below|].
      assert (B : gamma <= 1 - alpha * (1 - gamma)) by nra.
      set (beta := 1 - alpha * (1 - gamma)) in *. set (s := alpha * gamma / beta).
      assert (S0 : 0 <= s).
      { unfold s, Rdiv. apply Rmult_le_pos; [nra|]. apply Rlt_le, Rinv_0_lt_compat. lra. }
      assert (S1 : s <= 1).
      { apply Rmult_le_reg_r with beta; [lra|]. unfold s, Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
        unfold beta. nra. }
      assert ((beta - gamma) * hockey l s R1 Q1 <= (beta - gamma) * h s)
        by (apply Rmult_le_compat_l; [lra | now apply RQ]).
      assert (gamma * hockey l s P1 Q1 <= gamma * h s)
        by (apply Rmult_le_compat_l; [lra | now apply PQ]).
      lra.
  Qed.
End Sampled.

(* Both formulas agree at alpha = 1. *)
Lemma sampled_profile_one gamma h : 0 < gamma -> sampled_profile gamma h 1 = gamma * h 1.
Proof.
  intros H. unfold sampled_profile. destruct (Rle_dec 1 1) as [_|N]; [|lra].
  do 2 f_equal. field. lra.
Qed.

(*
 * The theorem for mechanisms: i runs over the samples of the other records
 * (and the record that stands in for the differing one), with weights w_i; P1 i,
 * Q1 i, R1 i are the laws of the base mechanism on the three samples, any two of
 * which differ in one record.
 *)
Theorem subsample_profile {I A} (samples : list I) w (l : list A) (R1 P1 Q1 : I -> A -> R) gamma h alpha :
  0 < gamma <= 1 -> law samples w ->
  (forall i s, In i samples -> 0 <= s -> hockey l s (P1 i) (Q1 i) <= h s) ->
  (forall i s, In i samples -> 0 <= s -> hockey l s (P1 i) (R1 i) <= h s) ->
  (forall i s, In i samples -> 0 <= s -> hockey l s (R1 i) (Q1 i) <= h s) ->
  0 <= alpha ->
  hockey l alpha
    (fun x => sum samples (fun i => w i * sampled gamma (R1 i) (P1 i) x))
    (fun x => sum samples (fun i => w i * sampled gamma (R1 i) (Q1 i) x))
  <= sampled_profile gamma h alpha.
Proof.
  intros G [W S] PQ PR RQ H. eapply Rle_trans; [now apply hockey_mixture|].
  replace (sampled_profile gamma h alpha) with (sum samples (fun i => w i * sampled_profile gamma h alpha))
    by (rewrite sum_scal_r, S; ring).
  apply sum_le. intros i Hi. apply Rmult_le_compat_l; [now apply W|].
  apply sampled_bound; trivial; intros s Hs; [apply PQ | apply PR | apply RQ]; trivial; lra.
Qed.

(*
 * The same with a dominating pair (A0, B0) of the base mechanism for samples of
 * the size drawn, as the library uses it: h(s) = H_s(A0||B0).
 *)
Corollary subsample_dominated {I A B} (samples : list I) w (l : list A) (R1 P1 Q1 : I -> A -> R)
    (l' : list B) A0 B0 gamma alpha :
  0 < gamma <= 1 -> law samples w ->
  (forall i, In i samples -> dominates l' A0 B0 l (P1 i) (Q1 i)) ->
  (forall i, In i samples -> dominates l' A0 B0 l (P1 i) (R1 i)) ->
  (forall i, In i samples -> dominates l' A0 B0 l (R1 i) (Q1 i)) ->
  0 <= alpha ->
  hockey l alpha
    (fun x => sum samples (fun i => w i * sampled gamma (R1 i) (P1 i) x))
    (fun x => sum samples (fun i => w i * sampled gamma (R1 i) (Q1 i) x))
  <= sampled_profile gamma (fun s => hockey l' s A0 B0) alpha.
Proof.
  intros G W PQ PR RQ H. apply subsample_profile; trivial; intros i s Hi Hs; [apply PQ | apply PR | apply RQ]; trivial.
Qed.

(* ---- one record replaced, all others equal ---- *)

(*
 * Without the replaced record the sample consists of equal records: law P both
 * times. So the neighbours have the laws P and sampled gamma P Q, and their
 * divergences are exactly those of (P, Q) at other points.
 *)
Section Replaced.
  Context {A : Type} (l : list A) (P Q : A -> R) (gamma : R).
  Hypothesis rate : 0 < gamma <= 1.

  (* The replaced record's data set against the other: scaled by gamma. *)
  Theorem replaced_gamma alpha :
    hockey l alpha (sampled gamma P Q) P = gamma * hockey l (1 + (alpha - 1) / gamma) Q P.
  Proof.
    unfold hockey. rewrite <- sum_scal. apply sum_ext. intros x _.
    rewrite <- pos_scal by lra. f_equal. unfold sampled. field. lra.
  Qed.

  (* The other direction: scaled by beta = 1 - alpha (1-gamma), as long as it is positive. *)
  Theorem replaced_beta alpha :
    let beta := 1 - alpha * (1 - gamma) in
    0 < beta -> hockey l alpha P (sampled gamma P Q) = beta * hockey l (alpha * gamma / beta) P Q.
  Proof.
    intros beta B. unfold hockey. rewrite <- sum_scal. apply sum_ext. intros x _.
    rewrite <- pos_scal by lra. f_equal. unfold sampled.
    replace (beta * (P x - alpha * gamma / beta * Q x)) with (beta * P x - alpha * gamma * Q x) by (field; lra).
    unfold beta. ring.
  Qed.

  (* From there on it is 0. *)
  Theorem replaced_zero alpha :
    mass l P -> mass l Q -> 0 <= alpha -> 1 - alpha * (1 - gamma) <= 0 ->
    hockey l alpha P (sampled gamma P Q) = 0.
  Proof.
    intros MP MQ H B. apply hockey_vanishes. intros x I. specialize (MP x I). specialize (MQ x I).
    unfold sampled. assert (0 <= alpha * gamma) by nra. nra.
  Qed.
End Replaced.

(* ---- an instance: binary randomised response on half of the records, alpha = 1 ---- *)

(* R1 and Q1 equal: the differing record's stand-in has the same value. *)
Example response_sampled :
  hockey [true; false] 1 (sampled (1 / 2) response_Q response_P) (sampled (1 / 2) response_Q response_Q)
  <= sampled_profile (1 / 2) (fun s => hockey [true; false] s response_P response_Q) 1.
Proof.
  destruct response_laws as [[MP SP] [MQ SQ]].
  apply sampled_bound; try lra; intros s Hs; try lra.
  rewrite hockey_same, SQ, Rmult_1_r by exact MQ. apply pos_lub; [apply hockey_nonneg|].
  pose proof (hockey_ge_masses [true; false] response_P response_Q s) as G. rewrite SP, SQ in G. lra.
Qed.

Example response_sampled_value :
  sampled_profile (1 / 2) (fun s => hockey [true; false] s response_P response_Q) 1 = 1 / 4.
Proof. rewrite sampled_profile_one, response_hockey; lra. Qed.
