(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * What certificates of composed values say in the terms of the other files: two
 * certified values enclose eps(delta) of rounds, as Certified.v has it for one; and
 * rounds of krr-strong can be certified too. (Of shuffling: ComposedShuffles.v.)
 *)
From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Arith Bool.
From Shufbound Require Import Sum Hockey Divergence Trinomial TrinomialMean Strata.
From Shufbound Require Import KrrPairs Composition Bracket Certificate Certified Composed.
Import ListNotations.
Open Scope R_scope.

(* ---- eps(delta) ---- *)

(* The divergence of rounds does not increase in eps. *)
Lemma rounds_decreasing {A} T (q : pair_of A) a b : masses q -> a <= b -> rounds_hockey T q b <= rounds_hockey T q a.
Proof.
  intros M H. unfold rounds_hockey. apply hockey_decreasing.
  - apply product_pair_masses. apply Forall_forall. intros z Z. apply repeat_spec in Z as ->. exact M.
  - destruct H as [H|H]; [left; now apply exp_increasing | right; now rewrite H].
Qed.

Lemma forward_pair_masses p : valid p = true -> masses (forward_pair p).
Proof.
  intros V. pose proof (valid_fine p V) as [A B C D E _]. split; cbn [forward_pair outcomes P_of Q_of].
  - apply with_user_mass; lra.
  - apply with_user_mass; lra.
Qed.

Theorem delta_rounds_decreasing dir T p a b : valid p = true -> a <= b -> delta_rounds_at dir T p b <= delta_rounds_at dir T p a.
Proof.
  intros V H. pose proof (forward_pair_masses p V) as M.
  pose proof (rounds_decreasing (Pos.to_nat T) _ a b M H) as F.
  pose proof (rounds_decreasing (Pos.to_nat T) (reversed (forward_pair p)) a b (conj (proj2 M) (proj1 M)) H) as G.
  unfold delta_rounds_at. destruct dir; trivial. apply Rmax_lub.
  - eapply Rle_trans; [exact F | apply Rmax_l].
  - eapply Rle_trans; [exact G | apply Rmax_r].
Qed.

(* A certificate of eps(delta) of T rounds in two values of delta: hi and everything above it will
   do for D, and whatever will do is above lo. So the smallest eps is in (lo, hi]. *)
Theorem rounds_epsilon_enclosed dir T p D lo hi : valid p = true ->
  D < delta_rounds dir T p lo -> delta_rounds dir T p hi <= D ->
  (forall x, parameter hi <= x -> delta_rounds_at dir T p x <= D) /\
  (forall x, delta_rounds_at dir T p x <= D -> parameter lo < x).
Proof.
  intros V L H. unfold delta_rounds in *. split; intros x X.
  - eapply Rle_trans; [|exact H]. now apply delta_rounds_decreasing.
  - destruct (Rlt_le_dec (parameter lo) x) as [|Y]; trivial.
    pose proof (delta_rounds_decreasing dir T p x (parameter lo) V Y). lra.
Qed.

(* ---- krr-strong ---- *)

Definition strong_pair (gamma k : R) (N : nat) : pair_of (bool * (nat * nat)) :=
  Pair (list_prod [true; false] (counts N)) (krr_strong_P gamma k N) (krr_strong_Q gamma k N).

Lemma strong_laws gamma k N : 0 <= gamma <= 1 -> 2 <= k -> laws (strong_pair gamma k N).
Proof.
  intros Hg Hk.
  assert (Hr : 0 <= gamma / k) by (apply over_k; lra).
  assert (Hs : gamma / k + gamma / k <= 1) by (apply over_k_half; lra).
  assert (H1 : 0 <= 1 / k) by (apply over_k; lra).
  assert (H2 : 1 / k + 1 / k <= 1) by (apply over_k_half; lra).
  assert (H3 : 0 <= 1 - 2 / k) by (unfold Rdiv in *; lra).
  assert (W : 1 / k + 1 / k + (1 - 2 / k) = 1) by (field; lra).
  pose proof (with_user_sum (1 / k) (1 / k) (1 - 2 / k) (gamma / k) (gamma / k) N) as WS. rewrite W in WS.
  pose proof (fun x => with_user_nonneg (1 / k) (1 / k) (1 - 2 / k) (gamma / k) (gamma / k) N x H1 H1 H3 Hr Hr Hs) as WN.
  destruct (trinomial_law 1 0 0 (gamma / k) (gamma / k) N) as [[MP SP] [MQ SQ]]; try lra.
  unfold strong_pair, laws. cbn [outcomes P_of Q_of].
  split; split.
  1, 3: intros [[] x] I; apply in_prod_iff in I as [_ I]; unfold krr_strong_P, krr_strong_Q; cbn [fst snd];
    apply Rmult_le_pos; try lra; [apply WN | now apply MP || now apply MQ].
  - rewrite sum_prod. unfold krr_strong_P. cbn [sum fst snd]. rewrite !sum_scal, WS, SP. lra.
  - rewrite sum_prod. unfold krr_strong_Q. cbn [sum fst snd]. rewrite !sum_scal, WS, SQ. lra.
Qed.

Lemma strong_valid n k g : valid (KrrStrong n k g) = true -> 0 <= Q2R g <= 1 /\ 2 <= IZR (Zpos k).
Proof.
  intros V. cbn [valid] in V. split_andb.
  repeat match goal with H : Qle_bool _ _ = true |- _ => apply Qle_bool_R in H
                       | H : Qlt_bool _ _ = true |- _ => apply Qlt_bool_R in H
                       | H : Pos.leb 2 ?k = true |- _ => apply Pos_leb_R in H end.
  rewrite Q2R_zero, Q2R_one in *. lra.
Qed.

(* delta(eps) of T rounds of what the adversary of krr-strong sees; the two directions agree. *)
Definition delta_rounds_krr_strong_at (T n k : positive) (gamma : Q) (eps : R) : R :=
  rounds_hockey (Pos.to_nat T) (strong_pair (Q2R gamma) (IZR (Zpos k)) (pred (Pos.to_nat n))) eps.
Definition delta_rounds_krr_strong (T n k : positive) (gamma : Q) (eps : number) : R :=
  delta_rounds_krr_strong_at T n k gamma (parameter eps).

Lemma strong_speaks n k g : valid (KrrStrong n k g) = true ->
  speaks PQ (KrrStrong n k g) (strong_pair (Q2R g) (IZR (Zpos k)) (pred (Pos.to_nat n))).
Proof.
  intros V. destruct (strong_valid n k g V) as [G K].
  assert (F : forall alpha, 1 <= alpha -> krr_strong_hockey (Q2R g) (IZR (Zpos k)) (pred (Pos.to_nat n)) alpha = delta_at PQ (KrrStrong n k g) alpha).
  { intros alpha HA. rewrite krr_strong_value by lra. reflexivity. }
  assert (S : forall alpha, let q := strong_pair (Q2R g) (IZR (Zpos k)) (pred (Pos.to_nat n)) in
    hockey (outcomes q) alpha (Q_of q) (P_of q) = hockey (outcomes q) alpha (P_of q) (Q_of q)).
  { intros alpha. unfold strong_pair, hockey. cbn [outcomes P_of Q_of]. rewrite !sum_prod. cbn [sum]. f_equal. f_equal.
    unfold krr_strong_P, krr_strong_Q. cbn [fst snd].
    set (gk := Q2R g / IZR (Zpos k)). pose proof (trinomial_symmetric 1 0 0 gk (pred (Pos.to_nat n)) alpha) as E.
    apply (f_equal (Rmult (1 - Q2R g))) in E. unfold hockey in E. rewrite <- !sum_scal in E.
    rewrite (sum_ext _ _ (fun x => (1 - Q2R g) * pos (trinomial_Q 1 0 0 gk gk (pred (Pos.to_nat n)) x
      - alpha * trinomial_P 1 0 0 gk gk (pred (Pos.to_nat n)) x))) by (intros; rewrite <- pos_scal by lra; f_equal; ring).
    rewrite E. apply sum_ext. intros. rewrite <- pos_scal by lra. f_equal. ring. }
  split.
  - apply strong_laws; lra.
  - exact F.
  - intros alpha HA. cbn [opposite]. rewrite S, delta_at_symmetric by trivial. now apply F.
Qed.

(* The checks: those of one direction. *)
Definition check_rounds_krr_strong (d : hints) (T n k : positive) (gamma : Q) (eps : number) (lo hi : Q) : bool :=
  if at_least_zero eps
  then examine_direction (fun d => at_least_test d T eps lo) (fun d => at_most_test d T eps hi) PQ d (KrrStrong n k gamma)
  else false.
Definition check_rounds_krr_strong_at_most (d : hints) (T n k : positive) (gamma : Q) (eps : number) (hi : Q) : bool :=
  if at_least_zero eps
  then examine_direction (fun _ => true) (fun d => at_most_test d T eps hi) PQ d (KrrStrong n k gamma)
  else false.
Definition check_rounds_krr_strong_above (d : hints) (T n k : positive) (gamma : Q) (eps : number) (lo : Q) : bool :=
  if at_least_zero eps
  then examine_direction (fun d => above_test d T eps lo) (fun _ => true) PQ d (KrrStrong n k gamma)
  else false.

Ltac open_strong E EE :=
  destruct (at_least_zero _) eqn:EE in E; [|discriminate]; apply examine_direction_true in E as (G & EL & EU);
  pose proof (strong_speaks _ _ _ (check_grid_valid _ _ _ G)) as S; unfold delta_rounds_krr_strong, delta_rounds_krr_strong_at.

(* What they accept is true. *)
Theorem check_rounds_krr_strong_sound d T n k gamma eps lo hi :
  check_rounds_krr_strong d T n k gamma eps lo hi = true -> Q2R lo <= delta_rounds_krr_strong T n k gamma eps <= Q2R hi.
Proof.
  unfold check_rounds_krr_strong. intros E. open_strong E EE. split.
  - now apply (at_least_sound PQ (KrrStrong n k gamma) _ d S ltac:(discriminate) G T eps EE).
  - now apply (at_most_sound PQ (KrrStrong n k gamma) _ d S ltac:(discriminate) G T eps EE).
Qed.

Theorem check_rounds_krr_strong_at_most_sound d T n k gamma eps hi :
  check_rounds_krr_strong_at_most d T n k gamma eps hi = true -> delta_rounds_krr_strong T n k gamma eps <= Q2R hi.
Proof.
  unfold check_rounds_krr_strong_at_most. intros E. open_strong E EE.
  now apply (at_most_sound PQ (KrrStrong n k gamma) _ d S ltac:(discriminate) G T eps EE).
Qed.

Theorem check_rounds_krr_strong_above_sound d T n k gamma eps lo :
  check_rounds_krr_strong_above d T n k gamma eps lo = true -> Q2R lo < delta_rounds_krr_strong T n k gamma eps.
Proof.
  unfold check_rounds_krr_strong_above. intros E. open_strong E EE.
  now apply (above_sound PQ (KrrStrong n k gamma) _ d S ltac:(discriminate) G T eps EE).
Qed.

(* eps(delta) of T rounds of krr-strong, as rounds_epsilon_enclosed. *)
Theorem krr_strong_rounds_epsilon_enclosed T n k gamma D lo hi : valid (KrrStrong n k gamma) = true ->
  D < delta_rounds_krr_strong T n k gamma lo -> delta_rounds_krr_strong T n k gamma hi <= D ->
  (forall x, parameter hi <= x -> delta_rounds_krr_strong_at T n k gamma x <= D) /\
  (forall x, delta_rounds_krr_strong_at T n k gamma x <= D -> parameter lo < x).
Proof.
  intros V L H. destruct (strong_valid n k gamma V) as [G K].
  assert (M : masses (strong_pair (Q2R gamma) (IZR (Zpos k)) (pred (Pos.to_nat n)))).
  { destruct (strong_laws (Q2R gamma) (IZR (Zpos k)) (pred (Pos.to_nat n)) G K) as [[MP _] [MQ _]]. now split. }
  unfold delta_rounds_krr_strong, delta_rounds_krr_strong_at in *. split; intros x X.
  - eapply Rle_trans; [|exact H]. now apply rounds_decreasing.
  - destruct (Rlt_le_dec (parameter lo) x) as [|Y]; trivial.
    pose proof (rounds_decreasing (Pos.to_nat T) _ x (parameter lo) M Y). lra.
Qed.
