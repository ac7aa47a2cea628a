(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Small statements about local randomisers and neighbours: ../deletion.md
 * (deletion_local), ../deployments.md (group_privacy), and what eps0 of a table
 * of probabilities is (local_epsilon).
 *)
From Coq Require Import Reals List Lra Lia Arith Permutation.
From Shufbound Require Import Sum Hockey Divergence Shuffle.
Import ListNotations.
Open Scope R_scope.

(* -------- Privacy with respect to a reference -------- *)

(* Every law of K is within the factor E of the law R0 h, both ways. *)
Definition deletion {X Z} (outs : list Z) (E : R) (R0 : list Z -> Z -> R) (K : list Z -> X -> Z -> R) : Prop :=
  forall h x z, In z outs -> K h x z <= E * R0 h z /\ R0 h z <= E * K h x z.

Theorem deletion_local {X Z} (outs : list Z) eps0 R0 (K : list Z -> X -> Z -> R) :
  deletion outs (exp eps0) R0 K -> ldp outs (exp (2 * eps0)) K.
Proof.
  intros D h x x' z Hz. destruct (D h x z Hz) as [U _]. destruct (D h x' z Hz) as [_ L].
  replace (2 * eps0) with (eps0 + eps0) by ring. rewrite exp_plus, Rmult_assoc.
  eapply Rle_trans; [exact U|]. apply Rmult_le_compat_l; [apply Rlt_le, exp_pos | exact L].
Qed.

(* -------- Several reports of a user -------- *)

Lemma hockey_triangle {A} (l : list A) a b P Q R :
  0 <= a -> hockey l (a * b) P R <= hockey l a P Q + a * hockey l b Q R.
Proof.
  intros H. unfold hockey. rewrite <- sum_scal, <- sum_plus. apply sum_le. intros x _.
  replace (P x - a * b * R x) with ((P x - a * Q x) + a * (Q x - b * R x)) by ring.
  eapply Rle_trans; [apply pos_plus|]. rewrite pos_scal by exact H. lra.
Qed.

(* The first reports us are replaced by vs; h bounds H_a if one report of all is. *)
Theorem group_privacy {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) (us : list X) : forall vs xs a h,
  length us = length vs -> 0 <= a ->
  (forall x0 x1 ys, S (length ys) = length (us ++ xs) ->
     hockey (words outs (length (us ++ xs))) a (shuffled K (x0 :: ys)) (shuffled K (x1 :: ys)) <= h) ->
  hockey (words outs (length (us ++ xs))) (a ^ length us) (shuffled K (us ++ xs)) (shuffled K (vs ++ xs))
  <= h * sum (seq 0 (length us)) (fun i => a ^ i).
Proof.
  induction us as [|u us IH]; intros [|v vs] xs a h L A H; try discriminate.
  - cbn. unfold hockey. rewrite (sum_ext _ _ (fun _ => 0)); [rewrite sum_zero; lra|].
    intros w _. replace (shuffled K xs w - 1 * shuffled K xs w) with 0 by ring. apply pos_id. lra.
  - cbn [length] in L. injection L as L.
    change ((u :: us) ++ xs) with (u :: (us ++ xs)) in *. change ((v :: vs) ++ xs) with (v :: (vs ++ xs)).
    set (l := words outs (length (u :: us ++ xs))) in *.
    change (a ^ length (u :: us)) with (a * a ^ length us).
    eapply Rle_trans; [apply (hockey_triangle l a _ _ (shuffled K (v :: us ++ xs))); exact A|].
    assert (F : hockey l a (shuffled K (u :: us ++ xs)) (shuffled K (v :: us ++ xs)) <= h) by now apply H.
    assert (LN : length (us ++ v :: xs) = length (u :: us ++ xs)) by (cbn [length]; rewrite !app_length; cbn [length]; lia).
    assert (G : hockey l (a ^ length us) (shuffled K (v :: us ++ xs)) (shuffled K (v :: vs ++ xs))
                <= h * sum (seq 0 (length us)) (fun i => a ^ i)).
    { specialize (IH vs (v :: xs) a h L A). rewrite LN in IH. fold l in IH.
      rewrite (hockey_ext l _ _ _ (shuffled K (us ++ v :: xs)) (shuffled K (vs ++ v :: xs))).
      - apply IH. intros. now apply H.
      - intros w _. apply shuffled_permutation, Permutation_middle.
      - intros w _. apply shuffled_permutation, Permutation_middle. }
    cbn [length]. rewrite sum_seq_first. cbn [pow].
    rewrite sum_scal. apply (Rmult_le_compat_l a) in G; [|exact A]. change (fun i => a ^ i) with (pow a) in G. lra.
Qed.

(* In the words of the registry: eps is divided by the number r of reports. *)
Corollary group_privacy_eps {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) us vs xs eps h :
  length us = length vs -> (1 <= length us)%nat ->
  let r := length us in
  (forall x0 x1 ys, S (length ys) = length (us ++ xs) ->
     hockey (words outs (length (us ++ xs))) (exp (eps / INR r)) (shuffled K (x0 :: ys)) (shuffled K (x1 :: ys)) <= h) ->
  hockey (words outs (length (us ++ xs))) (exp eps) (shuffled K (us ++ xs)) (shuffled K (vs ++ xs))
  <= h * sum (seq 0 r) (fun i => exp (eps / INR r) ^ i).
Proof.
  intros L L1 r H. assert (R0 : INR r <> 0) by (apply not_0_INR; unfold r; lia).
  replace (exp eps) with (exp (eps / INR r) ^ length us); [apply group_privacy; auto; apply Rlt_le, exp_pos|].
  rewrite <- Rpower_pow by apply exp_pos. unfold Rpower. rewrite ln_exp. fold r. f_equal. field. exact R0.
Qed.

(* -------- The eps0 of a table -------- *)

(* The largest ratio of probabilities of an output; 0/0 counts 0. *)
Definition largest_ratio {X Z} (inputs : list X) (outs : list Z) (A : X -> Z -> R) : R :=
  fold_right Rmax 0 (map (fun t => A (fst (fst t)) (snd t) / A (snd (fst t)) (snd t)) (list_prod (list_prod inputs inputs) outs)).

Lemma fold_max_le (l : list R) E : 0 <= E -> fold_right Rmax 0 l <= E <-> (forall y, In y l -> y <= E).
Proof.
  intros H. induction l as [|a l IH]; cbn; [split; [intros _ y [] | auto]|].
  split.
  - intros M y [<-|I]; [eapply Rle_trans; [apply Rmax_l | exact M]|].
    apply IH; [eapply Rle_trans; [apply Rmax_r | exact M] | exact I].
  - intros M. apply Rmax_lub; [apply M; now left | apply IH; auto].
Qed.

(* The table is ldp with E just if E is at least the largest ratio; if an output
   has the probability 0 for one input and not for another, with no E. *)
Theorem local_epsilon {X Z} (inputs : list X) (outs : list Z) (A : X -> Z -> R) E :
  0 <= E -> (forall x z, In x inputs -> In z outs -> 0 <= A x z) ->
  (forall x x' z, In x inputs -> In x' inputs -> In z outs -> A x' z = 0 -> A x z = 0) ->
  (forall x x' z, In x inputs -> In x' inputs -> In z outs -> A x z <= E * A x' z) <-> largest_ratio inputs outs A <= E.
Proof.
  intros HE N C. unfold largest_ratio. rewrite fold_max_le by exact HE. split.
  - intros H y Hy. apply in_map_iff in Hy as ([[x x'] z] & <- & I). cbn [fst snd].
    apply in_prod_iff in I as [I Iz]. apply in_prod_iff in I as [Ix Ix'].
    destruct (N x' z Ix' Iz) as [P|P].
    + apply (Rmult_le_reg_r (A x' z)); [exact P|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r. auto.
    + rewrite (C x x' z Ix Ix' Iz) by auto. unfold Rdiv. rewrite Rmult_0_l. exact HE.
  - intros H x x' z Ix Ix' Iz. destruct (N x' z Ix' Iz) as [P|P].
    + specialize (H (A x z / A x' z)). apply (Rmult_le_compat_r (A x' z)) in H; [|lra|].
      * unfold Rdiv in H. rewrite Rmult_assoc, Rinv_l in H by lra. lra.
      * apply in_map_iff. exists ((x, x'), z). split; [reflexivity|]. repeat apply in_prod; auto.
    + rewrite (C x x' z Ix Ix' Iz), <- P by auto. lra.
Qed.

Theorem local_epsilon_none {X Z} (outs : list Z) (A : X -> Z -> R) x x' z :
  In z outs -> A x' z = 0 -> 0 < A x z -> forall E, ~ A x z <= E * A x' z.
Proof. intros _ Z0 P E H. rewrite Z0 in H. lra. Qed.
