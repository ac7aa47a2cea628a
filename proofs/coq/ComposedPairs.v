(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * What certificates of composed values say in the terms of the other files: the
 * certified number of clones and clones-stronger bounds rounds of shuffling
 * (ShuffleRounds.v), and krr-strong can be certified too.
 *)
From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Arith Bool.
From Shufbound Require Import Sum Hockey Divergence Trinomial TrinomialMean Strata Shuffle Stronger ShuffleRounds.
From Shufbound Require Import KrrPairs Composition Bracket Certificate Composed.
Import ListNotations.
Open Scope R_scope.

(* T rounds of shuffling n users' answers, each by randomisers that may depend on
   everything published before: delta is at most that of T rounds of the clones pair. *)
Theorem clones_delta_rounds {X Z} (outs : list Z) (K : list (list Z) -> list Z -> X -> Z -> R) n x T eps x0 x1 xs :
  at_least_zero x = true -> S (length xs) = Pos.to_nat n ->
  (forall g, randomiser outs (K g)) -> (forall g, ldp outs (exp (parameter x)) (K g)) ->
  hockey (sequences (repeat (words outs (Pos.to_nat n)) (Pos.to_nat T))) (exp (parameter eps))
    (adaptive (fun g => shuffled (K g) (x0 :: xs)) []) (adaptive (fun g => shuffled (K g) (x1 :: xs)) [])
  <= delta_rounds Both T (Clones n x) eps.
Proof.
  intros Hx HN HK HL. rewrite delta_rounds_forward by trivial.
  replace (forward_pair (Clones n x)) with (clones_pair (exp (parameter x)) (length xs)).
  - rewrite <- HN. apply (clones_power outs K _ (Pos.to_nat T) x0 x1 xs); trivial; [|apply Rlt_le, exp_pos].
    now apply exp_at_least_one.
  - unfold forward_pair. cbn [users]. rewrite <- HN. reflexivity.
Qed.

(* The same for the stronger clones pair. *)
Theorem stronger_delta_rounds {X Z} (outs : list Z) (K : list (list Z) -> list Z -> X -> Z -> R) n x T eps x0 x1 xs :
  at_least_zero x = true -> S (length xs) = Pos.to_nat n ->
  (forall g, randomiser outs (K g)) -> (forall g, ldp outs (exp (parameter x)) (K g)) ->
  hockey (sequences (repeat (words outs (Pos.to_nat n)) (Pos.to_nat T))) (exp (parameter eps))
    (adaptive (fun g => shuffled (K g) (x0 :: xs)) []) (adaptive (fun g => shuffled (K g) (x1 :: xs)) [])
  <= delta_rounds Both T (ClonesStronger n x) eps.
Proof.
  intros Hx HN HK HL. rewrite delta_rounds_forward by trivial.
  replace (forward_pair (ClonesStronger n x)) with (stronger_pair (exp (parameter x)) (length xs)).
  - rewrite <- HN. apply (stronger_power outs K _ (Pos.to_nat T) x0 x1 xs); trivial; [|apply Rlt_le, exp_pos].
    now apply exp_at_least_one.
  - unfold forward_pair. cbn [users]. rewrite <- HN. reflexivity.
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

Lemma strong_speaks n k g : valid (KrrStrong n k g) = true ->
  speaks (KrrStrong n k g) (strong_pair (Q2R g) (IZR (Zpos k)) (pred (Pos.to_nat n))).
Proof.
  intros V. cbn [valid] in V. split_andb.
  repeat match goal with H : Qle_bool _ _ = true |- _ => apply Qle_bool_R in H
                       | H : Qlt_bool _ _ = true |- _ => apply Qlt_bool_R in H
                       | H : Pos.leb 2 ?k = true |- _ => apply Pos_leb_R in H end.
  rewrite Q2R_zero, Q2R_one in *. split.
  - apply strong_laws; lra.
  - intros alpha _. unfold strong_pair, hockey. cbn [outcomes P_of Q_of]. rewrite !sum_prod. cbn [sum]. f_equal. f_equal.
    unfold krr_strong_P, krr_strong_Q. cbn [fst snd].
    set (gk := Q2R g / IZR (Zpos k)). pose proof (trinomial_symmetric 1 0 0 gk (pred (Pos.to_nat n)) alpha) as E.
    apply (f_equal (Rmult (1 - Q2R g))) in E. unfold hockey in E. rewrite <- !sum_scal in E.
    rewrite (sum_ext _ _ (fun x => (1 - Q2R g) * pos (trinomial_Q 1 0 0 gk gk (pred (Pos.to_nat n)) x
      - alpha * trinomial_P 1 0 0 gk gk (pred (Pos.to_nat n)) x))) by (intros; rewrite <- pos_scal by lra; f_equal; ring).
    rewrite E. apply sum_ext. intros. rewrite <- pos_scal by lra. f_equal. ring.
  - intros alpha HA.
    change (krr_strong_hockey (Q2R g) (IZR (Zpos k)) (pred (Pos.to_nat n)) alpha = delta_at PQ (KrrStrong n k g) alpha).
    rewrite krr_strong_value by lra. reflexivity.
Qed.

(* What `check_rounds` accepts of krr-strong is true of T rounds of what its adversary sees. *)
Theorem check_rounds_krr_strong d T n k g eps lo hi :
  check_rounds d T (KrrStrong n k g) eps lo hi = true ->
  Q2R lo <= rounds_hockey (Pos.to_nat T) (strong_pair (Q2R g) (IZR (Zpos k)) (pred (Pos.to_nat n))) (parameter eps)
  <= Q2R hi.
Proof.
  intros E. apply (check_rounds_general _ d T (KrrStrong n k g) eps lo hi); trivial. apply strong_speaks.
  unfold check_rounds in E. do 3 apply andb_true_iff in E as [E _]. now apply (check_grid_valid d).
Qed.
