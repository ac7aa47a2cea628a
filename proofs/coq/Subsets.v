(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The mechanism on a uniform subset of fixed size: ../subsample.md, "A subset of
 * fixed size, neighbours replace one record". Subsampling.v takes the output's
 * laws as mixtures; here these mixtures are derived from counting subsets.
 *
 * A data set is a record x and the list of the others; the neighbour has x' for
 * x. A sample is a sublist of m = k + 1 records, each with the same probability.
 *)
From Coq Require Import Reals List Lra Lia Arith Psatz Permutation.
From Shufbound Require Import Sum Hockey Divergence Subsampling.
Import ListNotations.
Open Scope R_scope.

Section Counting.
  Context {X : Type}.

  (* All sublists of m records of d: one for each set of m positions. *)
  Fixpoint choose (m : nat) (d : list X) : list (list X) :=
    match m with
    | O => [[]]
    | S k => match d with
             | [] => []
             | y :: r => map (cons y) (choose k r) ++ choose (S k) r
             end
    end.

  (* A list without one of its records, for each of them. *)
  Fixpoint removals (t : list X) : list (list X) :=
    match t with
    | [] => []
    | y :: r => r :: map (cons y) (removals r)
    end.

  Lemma choose_zero (d : list X) : choose 0 d = [[]].
  Proof. now destruct d. Qed.

  Lemma choose_length d : forall m s, In s (choose m d) -> length s = m.
  Proof.
    induction d as [|y r IH]; intros [|k] s H; cbn in H; try (destruct H as [<-|[]]; reflexivity); [contradiction|].
    apply in_app_or in H as [H|H]; [|now apply IH].
    apply in_map_iff in H as (s' & <- & H). cbn. f_equal. now apply IH.
  Qed.

  Lemma removals_length t : length (removals t) = length t.
  Proof. induction t; cbn; [reflexivity|]. now rewrite map_length, IHt. Qed.

  Lemma removals_permutation t : forall s, In s (removals t) -> exists y, Permutation t (y :: s).
  Proof.
    induction t as [|z r IH]; intros s H; [contradiction|]. destruct H as [<-|H]; [now exists z|].
    apply in_map_iff in H as (s' & <- & H). destruct (IH s' H) as (y & P). exists y.
    rewrite P. apply perm_swap.
  Qed.

  Lemma sum_choose m y (r : list X) f :
    sum (choose (S m) (y :: r)) f = sum (choose m r) (fun s => f (y :: s)) + sum (choose (S m) r) f.
  Proof. cbn [choose]. now rewrite sum_app, sum_map. Qed.

  Lemma sum_removals y (r : list X) f : sum (removals (y :: r)) f = f r + sum (removals r) (fun s => f (y :: s)).
  Proof. cbn [removals sum]. now rewrite sum_map. Qed.

  (* Every k-subset is obtained from |d| - k subsets of one record more. *)
  Lemma double_count d : forall k f,
    sum (choose (S k) d) (fun t => sum (removals t) f) = (INR (length d) - INR k) * sum (choose k d) f.
  Proof.
    induction d as [|y r IH]; intros k f.
    - destruct k; cbn; lra.
    - rewrite sum_choose. rewrite (sum_ext (choose k r) _ (fun t => f t + sum (removals t) (fun s => f (y :: s))))
        by (intros; apply sum_removals).
      rewrite sum_plus, IH. cbn [length]. rewrite S_INR. destruct k as [|k].
      + rewrite !choose_zero. cbn. lra.
      + rewrite (IH k (fun s => f (y :: s))), sum_choose, S_INR. ring.
  Qed.

  (* Hence the numbers: m C(N, m) = (N - k) C(N, k), m = k + 1. *)
  Lemma choose_count d k :
    INR (S k) * INR (length (choose (S k) d)) = (INR (length d) - INR k) * INR (length (choose k d)).
  Proof.
    pose proof (double_count d k (fun _ => 1)) as H.
    assert (N : forall (T : Type) (l : list T) c, sum l (fun _ => c) = c * INR (length l)).
    { intros T l c. induction l as [|z l IHl]; cbn [sum length]; [cbn; lra|]. rewrite S_INR, IHl. ring. }
    rewrite (sum_ext _ _ (fun _ => INR (S k))) in H.
    - rewrite !N in H. lra.
    - intros t T. rewrite N, removals_length, (choose_length d (S k) t T). ring.
  Qed.

  Lemma choose_some d : forall m, (m <= length d)%nat -> (1 <= length (choose m d))%nat.
  Proof.
    induction d as [|y r IH]; intros [|k] H; cbn in *; try lia.
    rewrite app_length, map_length. specialize (IH k ltac:(lia)). lia.
  Qed.

  Lemma choose_none d : forall m, (length d < m)%nat -> choose m d = [].
  Proof.
    induction d as [|y r IH]; intros [|k] H; cbn in *; trivial; try lia. rewrite !IH by lia. reflexivity.
  Qed.
End Counting.

(* The law of the mechanism M on a uniform sample of m records of d. *)
Definition subsampled {X A} (M : list X -> A -> R) (m : nat) (d : list X) (z : A) : R :=
  sum (choose m d) (fun s => M s z) / INR (length (choose m d)).

(* It is a probability when M is. *)
Lemma subsampled_law {X A} (M : list X -> A -> R) (l : list A) m d :
  (m <= length d)%nat -> (forall s, length s = m -> law l (M s)) -> law l (subsampled M m d).
Proof.
  intros H L. pose proof (le_INR _ _ (choose_some d m H)) as C. cbn in C. split.
  - intros z Z. unfold subsampled, Rdiv. apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat; lra].
    apply sum_nonneg. intros s S. apply (L s); [now apply choose_length with d | exact Z].
  - unfold subsampled, Rdiv. rewrite sum_scal_r, sum_swap.
    rewrite (sum_ext _ _ (fun _ => 1)) by (intros s S; apply L; now apply choose_length with d).
    assert (sum (choose m d) (fun _ => 1) = INR (length (choose m d))) as ->; [|field; lra].
    clear. induction (choose m d) as [|s c IH]; cbn [sum length]; [reflexivity|]. rewrite S_INR, IH. ring.
Qed.

(* Samples that differ in one record, in whatever order. *)
Definition neighbours {X} (s s' : list X) : Prop :=
  exists r y y', Permutation s (y :: r) /\ Permutation s' (y' :: r).

Lemma sum_constant {T} (l : list T) c : sum l (fun _ => c) = c * INR (length l).
Proof. induction l as [|z l IHl]; cbn [sum length]; [cbn; lra|]. rewrite S_INR, IHl. ring. Qed.

(*
 * If h bounds the divergences of M on neighbouring samples of m records, the
 * mechanism on a uniform sample of m out of n records, neighbours by
 * substitution, has the profile of Subsampling.v with gamma = m/n.
 *)
Theorem subset_profile {X A} (M : list X -> A -> R) (l : list A) (h : R -> R) (m : nat)
    (x x' : X) (others : list X) alpha :
  (1 <= m <= S (length others))%nat ->
  (forall s s' t, length s = m -> length s' = m -> neighbours s s' -> 0 <= t -> hockey l t (M s) (M s') <= h t) ->
  0 <= alpha ->
  hockey l alpha (subsampled M m (x :: others)) (subsampled M m (x' :: others))
  <= sampled_profile (INR m / INR (S (length others))) h alpha.
Proof.
  intros [M1 MN] H HA. destruct m as [|k]; [lia|].
  set (a := INR (length (choose k others))). set (b := INR (length (choose (S k) others))).
  assert (A1 : 1 <= a).
  { change 1 with (INR 1). apply le_INR, choose_some. lia. }
  assert (B0 : 0 <= b) by apply pos_INR.
  pose proof (choose_count others k) as CC. fold a b in CC.
  assert (N1 : 0 < INR (S (length others))) by (apply lt_0_INR; lia).
  assert (K1 : 0 < INR (S k)) by (apply lt_0_INR; lia).
  assert (G : a / (a + b) = INR (S k) / INR (S (length others))).
  { apply Rmult_eq_reg_r with ((a + b) * INR (S (length others))); [|nra].
    field_simplify; [|lra|lra]. rewrite !S_INR in *. nra. }
  assert (TOT : forall w : X, INR (length (choose (S k) (w :: others))) = a + b).
  { intros w. cbn [choose]. rewrite app_length, map_length, plus_INR. reflexivity. }
  assert (NB : forall (w w' : X) s, In s (choose k others) -> neighbours (w :: s) (w' :: s))
    by (intros w w' s _; now exists s, w, w').
  assert (LEN : forall (w : X) s, In s (choose k others) -> length (w :: s) = S k)
    by (intros w s I; cbn; f_equal; now apply choose_length with others).
  rewrite <- G.
  destruct B0 as [B0|B0].
  - (* other records are left: gamma < 1 *)
    set (samples := flat_map (fun t => map (pair t) (removals t)) (choose (S k) others)).
    set (w := fun _ : list X * list X => / (INR (S k) * b)).
    assert (SUM : forall f, sum samples f = sum (choose (S k) others) (fun t => sum (removals t) (fun s => f (t, s)))).
    { intros f. unfold samples. rewrite sum_flat_map. apply sum_ext. intros t _. apply sum_map. }
    assert (IN : forall t s, In (t, s) samples -> In t (choose (S k) others) /\ In s (removals t)).
    { intros t s I. apply in_flat_map in I as (t' & T & I). apply in_map_iff in I as (s' & E & I).
      injection E as -> ->. now split. }
    assert (IS : forall t s, In (t, s) samples -> length s = k).
    { intros t s I. apply IN in I as [T I]. apply removals_permutation in I as (y & P).
      apply Permutation_length in P. rewrite (choose_length others (S k) t T) in P. cbn in P. lia. }
    assert (KB : 0 < INR (S k) * b) by now apply Rmult_lt_0_compat.
    assert (W : law samples w).
    { split; [intros i _; apply Rlt_le, Rinv_0_lt_compat, KB|].
      unfold w. rewrite sum_constant. rewrite <- (Rmult_1_l (INR (length samples))), <- (sum_constant samples 1), SUM.
      rewrite (sum_ext _ _ (fun _ => INR (S k))).
      - rewrite sum_constant. fold b. field. lra.
      - intros t T. rewrite sum_constant, removals_length, (choose_length others (S k) t T). ring. }
    assert (MIX : forall (y : X) z, In z l ->
      subsampled M (S k) (y :: others) z
      = sum samples (fun i => w i * sampled (a / (a + b)) (M (fst i)) (M (y :: snd i)) z)).
    { intros y z _. unfold subsampled. rewrite TOT, sum_choose. rewrite SUM.
      rewrite (sum_ext (choose (S k) others) (fun t => sum (removals t) _)
        (fun t => / (INR (S k) * b) * (1 - a / (a + b)) * INR (S k) * M t z
                  + / (INR (S k) * b) * (a / (a + b)) * sum (removals t) (fun s => M (y :: s) z))).
      - rewrite sum_plus, !sum_scal, double_count.
        replace (INR (length others) - INR k) with (INR (S k) * b / a) by (rewrite CC; field; lra).
        field. split; lra.
      - intros t T. rewrite <- sum_scal.
        rewrite (sum_ext (removals t) (fun s => w (t, s) * _)
          (fun s => / (INR (S k) * b) * (1 - a / (a + b)) * M t z + / (INR (S k) * b) * (a / (a + b)) * M (y :: s) z))
          by (intros s _; unfold w, sampled; cbn [fst snd]; ring).
        rewrite sum_plus, sum_constant, removals_length, (choose_length others (S k) t T). ring. }
    rewrite (hockey_ext l alpha _ _ _ _ (MIX x) (MIX x')).
    apply (subsample_profile samples w l (fun i => M (fst i)) (fun i => M (x :: snd i)) (fun i => M (x' :: snd i)));
      trivial.
    + split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (a + b); [lra|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
    + intros [t s] u I U. pose proof (IS t s I). apply H; cbn; auto. now exists s, x, x'.
    + intros [t s] u I U. pose proof (IS t s I). apply IN in I as [T I].
      destruct (removals_permutation t s I) as (y & P).
      apply H; cbn; auto; [now apply choose_length with others|]. now exists s, x, y.
    + intros [t s] u I U. pose proof (IS t s I). apply IN in I as [T I].
      destruct (removals_permutation t s I) as (y & P).
      apply H; cbn; auto; [now apply choose_length with others|]. now exists s, y, x'.
  - (* the sample is everything: gamma = 1 *)
    assert (ZS : forall f, sum (choose (S k) others) f = 0).
    { intros f. unfold b in B0. change 0 with (INR 0) in B0. apply INR_eq in B0.
      now destruct (choose (S k) others). }
    assert (MIX : forall (y : X) z, In z l ->
      subsampled M (S k) (y :: others) z = sum (choose k others) (fun s => / a * M (y :: s) z)).
    { intros y z _. unfold subsampled. rewrite TOT, <- B0, sum_choose, ZS, sum_scal. field. lra. }
    rewrite (hockey_ext l alpha _ _ _ _ (MIX x) (MIX x')).
    eapply Rle_trans.
    + apply (hockey_mixture l (choose k others) (fun _ => / a) (fun s => M (x :: s)) (fun s => M (x' :: s))).
      intros s _. apply Rlt_le, Rinv_0_lt_compat. lra.
    + rewrite <- B0, Rplus_0_r. replace (a / a) with 1 by (field; lra).
      assert (sampled_profile 1 h alpha = h alpha) as ->.
      { unfold sampled_profile. destruct (Rle_dec 1 alpha).
        - rewrite Rmult_1_l. f_equal. field.
        - replace (1 - alpha * (1 - 1)) with 1 by ring. rewrite Rmult_1_l. f_equal. field. }
      apply Rle_trans with (sum (choose k others) (fun s => / a * h alpha)).
      * apply sum_le. intros s S. apply Rmult_le_compat_l; [apply Rlt_le, Rinv_0_lt_compat; lra|].
        apply H; trivial; [now apply LEN | now apply LEN | now apply NB].
      * rewrite sum_constant. fold a. apply Req_le. field. lra.
Qed.

(* The same with a dominating pair for samples of m records. *)
Corollary subset_dominated {X A B} (M : list X -> A -> R) (l : list A) (l' : list B) A0 B0 m x x' others alpha :
  (1 <= m <= S (length others))%nat ->
  (forall s s', length s = m -> length s' = m -> neighbours s s' -> dominates l' A0 B0 l (M s) (M s')) ->
  0 <= alpha ->
  hockey l alpha (subsampled M m (x :: others)) (subsampled M m (x' :: others))
  <= sampled_profile (INR m / INR (S (length others))) (fun t => hockey l' t A0 B0) alpha.
Proof.
  intros HM D HA. apply subset_profile; trivial. intros s s' t L L' N T. now apply D.
Qed.

(* ---- an instance: is there a `true` among the records sampled? By randomised response, e^eps0 = 3 ---- *)

Definition any_response (s : list bool) : bool -> R := if existsb (fun y => y) s then response_P else response_Q.

Example any_response_sampled others :
  hockey [true; false] 1 (subsampled any_response 2 (true :: false :: others))
    (subsampled any_response 2 (false :: false :: others))
  <= INR 2 / INR (S (S (length others))) * (1 / 2).
Proof.
  rewrite <- response_hockey.
  rewrite <- (sampled_profile_one _ (fun t => hockey [true; false] t response_P response_Q))
    by (apply Rdiv_lt_0_compat; apply lt_0_INR; lia).
  apply (subset_dominated any_response [true; false] [true; false]
    response_P response_Q 2 true false (false :: others));
    [cbn [length]; lia| |lra].
  intros s s' _ _ _ t T. destruct response_laws as [[MP SP] [MQ SQ]]. unfold any_response.
  pose proof (hockey_ge_masses [true; false] response_P response_Q t) as G. rewrite SP, SQ, Rmult_1_r in G.
  pose proof (hockey_nonneg [true; false] response_P response_Q t) as N.
  destruct (existsb _ s), (existsb _ s').
  - rewrite hockey_same, SP, Rmult_1_r by exact MP. apply pos_lub; lra.
  - lra.
  - unfold hockey. cbn. lra.
  - rewrite hockey_same, SQ, Rmult_1_r by exact MQ. apply pos_lub; lra.
Qed.
