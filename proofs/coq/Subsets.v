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
 * The output is a mixture over pairs of a sample t of m records and one s of m - 1
 * others, with the weights w: the record y joins s with probability gamma = m/n,
 * else the sample is t. All samples that occur differ in one record.
 *)
Theorem subsampled_mixture {X A} (M : list X -> A -> R) (m : nat) (x : X) (others : list X) :
  (1 <= m <= S (length others))%nat ->
  exists (samples : list (list X * list X)) (w : list X * list X -> R),
    law samples w
    /\ (forall t s, In (t, s) samples -> length t = m /\ S (length s) = m
          /\ forall y, neighbours (y :: s) t /\ neighbours t (y :: s))
    /\ (forall y z, subsampled M m (y :: others) z
          = sum samples (fun i => w i * sampled (INR m / INR (S (length others))) (M (fst i)) (M (y :: snd i)) z)).
Proof.
  intros [M1 MN]. destruct m as [|k]; [lia|].
  set (a := INR (length (choose k others))). set (b := INR (length (choose (S k) others))).
  assert (A1 : 1 <= a).
  { change 1 with (INR 1). apply le_INR, choose_some. lia. }
  assert (B0 : 0 <= b) by apply pos_INR.
  pose proof (choose_count others k) as CC. fold a b in CC.
  assert (N1 : 0 < INR (S (length others))) by (apply lt_0_INR; lia).
  assert (K1 : 0 < INR (S k)) by (apply lt_0_INR; lia).
  assert (G : INR (S k) / INR (S (length others)) = a / (a + b)).
  { apply Rmult_eq_reg_r with ((a + b) * INR (S (length others))); [|nra].
    field_simplify; [|lra|lra]. rewrite !S_INR in *. nra. }
  assert (TOT : forall w : X, INR (length (choose (S k) (w :: others))) = a + b).
  { intros w. cbn [choose]. rewrite app_length, map_length, plus_INR. reflexivity. }
  rewrite G. destruct B0 as [B0|B0].
  - (* other records are left: gamma < 1 *)
    set (samples := flat_map (fun t => map (pair t) (removals t)) (choose (S k) others)).
    set (w := fun _ : list X * list X => / (INR (S k) * b)).
    assert (SUM : forall f, sum samples f = sum (choose (S k) others) (fun t => sum (removals t) (fun s => f (t, s)))).
    { intros f. unfold samples. rewrite sum_flat_map. apply sum_ext. intros t _. apply sum_map. }
    assert (KB : 0 < INR (S k) * b) by now apply Rmult_lt_0_compat.
    exists samples, w. split; [|split].
    + split; [intros i _; apply Rlt_le, Rinv_0_lt_compat, KB|].
      unfold w. rewrite sum_constant. rewrite <- (Rmult_1_l (INR (length samples))), <- (sum_constant samples 1), SUM.
      rewrite (sum_ext _ _ (fun _ => INR (S k))).
      * rewrite sum_constant. fold b. field. lra.
      * intros t T. rewrite sum_constant, removals_length, (choose_length others (S k) t T). ring.
    + intros t s I. apply in_flat_map in I as (t' & T & I). apply in_map_iff in I as (s' & E & I). injection E as -> ->.
      destruct (removals_permutation t s I) as (y & P). pose proof (Permutation_length P) as L.
      rewrite (choose_length others (S k) t T) in L. cbn in L.
      split; [now apply choose_length with others|]. split; [lia|].
      intros y'. split; [now exists s, y', y | now exists s, y, y'].
    + intros y z. unfold subsampled. rewrite TOT, sum_choose. rewrite SUM.
      rewrite (sum_ext (choose (S k) others) (fun t => sum (removals t) _)
        (fun t => / (INR (S k) * b) * (1 - a / (a + b)) * INR (S k) * M t z
                  + / (INR (S k) * b) * (a / (a + b)) * sum (removals t) (fun s => M (y :: s) z))).
      * rewrite sum_plus, !sum_scal, double_count.
        replace (INR (length others) - INR k) with (INR (S k) * b / a) by (rewrite CC; field; lra).
        field. split; lra.
      * intros t T. rewrite <- sum_scal.
        rewrite (sum_ext (removals t) (fun s => w (t, s) * _)
          (fun s => / (INR (S k) * b) * (1 - a / (a + b)) * M t z + / (INR (S k) * b) * (a / (a + b)) * M (y :: s) z))
          by (intros s _; unfold w, sampled; cbn [fst snd]; ring).
        rewrite sum_plus, sum_constant, removals_length, (choose_length others (S k) t T). ring.
  - (* the sample is everything: gamma = 1 *)
    exists (map (fun s => (x :: s, s)) (choose k others)), (fun _ => / a). split; [|split].
    + split; [intros i _; apply Rlt_le, Rinv_0_lt_compat; lra|].
      rewrite sum_constant, map_length. fold a. field. lra.
    + intros t s I. apply in_map_iff in I as (s' & E & I). injection E as <- <-.
      pose proof (choose_length others k s' I) as L. split; [cbn; lia|]. split; [lia|].
      intros y. split; [now exists s', y, x | now exists s', x, y].
    + intros y z. unfold subsampled. rewrite TOT, <- B0, sum_choose, sum_map.
      assert (Z0 : choose (S k) others = []).
      { unfold b in B0. change 0 with (INR 0) in B0. apply INR_eq in B0. now destruct (choose (S k) others). }
      rewrite Z0. cbn [sum]. rewrite (sum_ext _ (fun s => / a * sampled _ _ _ z) (fun s => / a * M (y :: s) z)).
      * rewrite sum_scal. field. lra.
      * intros s _. cbn [fst snd]. unfold sampled. replace (a / (a + 0)) with 1 by (field; lra). ring.
Qed.

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
  intros HM H HA. destruct (subsampled_mixture M m x others HM) as (samples & w & W & IS & MIX).
  assert (N1 : 0 < INR (S (length others))) by (apply lt_0_INR; lia).
  assert (K1 : 0 < INR m) by (apply lt_0_INR; lia).
  rewrite (hockey_ext l alpha _ _ _ _ (fun z _ => MIX x z) (fun z _ => MIX x' z)).
  apply (subsample_profile samples w l (fun i => M (fst i)) (fun i => M (x :: snd i)) (fun i => M (x' :: snd i)));
    trivial.
  - split; [now apply Rdiv_lt_0_compat|]. apply Rmult_le_reg_r with (INR (S (length others))); [exact N1|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. apply le_INR. lia.
  - intros [t s] u I U. destruct (IS t s I) as (L & LS & N). apply H; trivial. now exists s, x, x'.
  - intros [t s] u I U. destruct (IS t s I) as (L & LS & N). apply H; trivial. apply N.
  - intros [t s] u I U. destruct (IS t s I) as (L & LS & N). apply H; trivial. apply N.
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
