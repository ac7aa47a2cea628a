(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Composition on grids, from end to end, with exact or integer arithmetic:
 * ../pld.md (Lemmas 1-3) with ../exact-convolution.md.
 *
 * The C code keeps a grid law: a mass p at every loss (first + i) step, i < n,
 * and one at +infinity. Multiplied out in any order, every coefficient rounded
 * up after each product, the laws above give a law whose value at eps is at least
 * the delta of every adaptive composition; the laws below, rounded down, one that
 * is at most the delta of the product of the pairs.
 *)
From Coq Require Import Reals List ZArith Lra Lia Arith Psatz Permutation.
From Shufbound Require Import Sum Hockey Divergence Composition Polygon Losses.
Import ListNotations.
Open Scope R_scope.

(* ---- grid laws ---- *)

(* The pair for masses c i at the losses (first + i) step, i < n, and t at +infinity. *)
Definition grid_pair (step : R) (first : Z) (n : nat) (c : nat -> R) (t : R) : pair_of (option nat) :=
  Pair (None :: map Some (seq 0 n))
    (fun z => match z with Some i => c i | None => t end)
    (fun z => match z with Some i => exp (- (step * IZR (first + Z.of_nat i))) * c i | None => 0 end).

Definition grid_loss (first : Z) (z : option nat) : loss :=
  match z with Some i => Some (first + Z.of_nat i)%Z | None => None end.

Lemma grid_pair_has_loss step first n c t :
  0 <= t -> (forall i, (i < n)%nat -> 0 <= c i) -> has_loss step (grid_pair step first n c t) (grid_loss first).
Proof.
  intros T C z Z. cbn in Z. destruct Z as [<-|Z].
  - cbn. split; [exact T | reflexivity].
  - apply in_map_iff in Z as (i & <- & I). apply in_seq in I. cbn. split; [apply C; lia | reflexivity].
Qed.

Lemma grid_pair_law step first n c t :
  law_of_loss (grid_pair step first n c t) (grid_loss first) = dense first n c t.
Proof. unfold law_of_loss, grid_pair, dense. cbn. now rewrite map_map. Qed.

(*
 * The grid pairs of Grid.v are such pairs: nodes alpha_j = e^((first+j) step),
 * masses p_j = alpha_j q_j.
 *)
Lemma grid_pair_nodes step first m q t alpha :
  let x j := exp (step * IZR (first + Z.of_nat j)) in
  let p := grid_pair step (first + 1) m (fun i => x (S i) * q (S i)) t in
  hockey (outcomes p) alpha (P_of p) (Q_of p) = hockey (nodes m) alpha (grid_P x q t) (grid_Q q).
Proof.
  intros x p. unfold p, grid_pair, nodes, hockey. cbn [outcomes P_of Q_of sum].
  f_equal. rewrite !sum_map, <- seq_shift, sum_map. apply sum_ext. intros i _. cbn [grid_P grid_Q].
  do 3 f_equal. unfold x.
  replace (first + 1 + Z.of_nat i)%Z with (first + Z.of_nat (S i))%Z by lia.
  rewrite exp_Ropp, <- Rmult_assoc, Rinv_l; [ring|].
  pose proof (exp_pos (step * IZR (first + Z.of_nat (S i)))). lra.
Qed.

(* ---- products in any order, with rounding ---- *)

Lemma value_sum_app l1 : forall l2 w,
  value (sum_losses (l1 ++ l2)) w = value (add_losses (sum_losses l1) (sum_losses l2)) w.
Proof.
  induction l1 as [|a l1 IH]; intros l2 w; cbn [app sum_losses fold_right].
  - fold (sum_losses l2). rewrite value_add. unfold value at 2. cbn [sum fst snd].
    rewrite Rmult_1_l, Rplus_0_r. apply sum_ext. intros [[j|] u] _; reflexivity.
  - fold (sum_losses l1). fold (sum_losses (l1 ++ l2)). rewrite !value_add. unfold value at 1 3.
    apply sum_ext. intros x _. f_equal. rewrite IH, value_add. unfold value at 1 3. apply sum_ext. intros y _.
    f_equal. unfold value. apply sum_ext. intros z _. now rewrite loss_add_assoc.
Qed.

Lemma value_sum_swap a b l w :
  value (sum_losses (a :: b :: l)) w = value (sum_losses (b :: a :: l)) w.
Proof.
  cbn [sum_losses fold_right]. fold (sum_losses l). rewrite !value_add.
  unfold value at 1 3.
  rewrite (sum_ext a _ (fun x => sum b (fun y => snd x * (snd y * value (sum_losses l) (fun z => w (loss_add (fst x)
    (loss_add (fst y) z))))))).
  - rewrite sum_swap. apply sum_ext. intros y _. rewrite value_add. unfold value at 2. rewrite <- sum_scal.
    apply sum_ext. intros x _. unfold value.
    rewrite (sum_ext _ (fun z => snd z * w (loss_add (fst x) (loss_add (fst y) (fst z))))
               (fun z => snd z * w (loss_add (fst y) (loss_add (fst x) (fst z))))); [ring|].
    intros z _. do 2 f_equal. rewrite !loss_add_assoc. now rewrite (loss_add_comm (fst x)).
  - intros x _. rewrite value_add. unfold value at 1. now rewrite sum_scal.
Qed.

Lemma value_sum_permutation l r : Permutation l r -> forall w, value (sum_losses l) w = value (sum_losses r) w.
Proof.
  induction 1 as [|a l r H IH|a b l|l m r _ IH1 _ IH2]; intros w.
  - reflexivity.
  - cbn [sum_losses fold_right]. fold (sum_losses l) (sum_losses r). rewrite !value_add. unfold value at 1 3.
    apply sum_ext. intros x _. f_equal. apply IH.
  - apply value_sum_swap.
  - now rewrite IH1, IH2.
Qed.

(*
 * What a program obtains from the laws ls by multiplying in some order, each
 * result being a law above (rounded up, or mass moved to higher losses) the
 * product of the laws it had.
 *)
Inductive computed_up : list losses -> losses -> Prop :=
| up_one a b : nonneg a -> nonneg b -> above b a -> computed_up [a] b
| up_product l r a b c : computed_up l a -> computed_up r b -> nonneg c -> above c (add_losses a b) ->
  computed_up (l ++ r) c
| up_order l r a : computed_up l a -> Permutation l r -> computed_up r a.

Inductive computed_down : list losses -> losses -> Prop :=
| down_one a b : nonneg a -> nonneg b -> above a b -> computed_down [a] b
| down_product l r a b c :
    computed_down l a -> computed_down r b -> nonneg c -> above (add_losses a b) c -> computed_down (l ++ r) c
| down_order l r a : computed_down l a -> Permutation l r -> computed_down r a.

Lemma computed_up_nonneg l a : computed_up l a -> nonneg a /\ Forall nonneg l.
Proof.
  induction 1 as [a b|l r a b c _ [A L] _ [B R] C _|l r a _ [A L] P].
  - split; [assumption | constructor; [assumption | constructor]].
  - split; [exact C|]. apply Forall_app. now split.
  - split; [exact A|]. now apply (Permutation_Forall P).
Qed.

Lemma computed_down_nonneg l a : computed_down l a -> nonneg a /\ Forall nonneg l.
Proof.
  induction 1 as [a b|l r a b c _ [A L] _ [B R] C _|l r a _ [A L] P].
  - split; [assumption | constructor; [assumption | constructor]].
  - split; [exact C|]. apply Forall_app. now split.
  - split; [exact A|]. now apply (Permutation_Forall P).
Qed.

Lemma value_sum_one a w : value (sum_losses [a]) w = value a w.
Proof.
  cbn [sum_losses fold_right]. rewrite value_add. unfold value at 1. apply sum_ext. intros [x u] _.
  unfold value. cbn. rewrite Rmult_1_l, Rplus_0_r. destruct x as [i|]; cbn; [now rewrite Z.add_0_r | reflexivity].
Qed.

Theorem computed_up_above l a : computed_up l a -> above a (sum_losses l).
Proof.
  induction 1 as [a b NA NB H|l r a b c HL IL HR IR NC H|l r a HL IL P]; intros w W.
  - rewrite value_sum_one. now apply H.
  - apply computed_up_nonneg in HL as [NA NL]. apply computed_up_nonneg in HR as [NB NR].
    rewrite value_sum_app. eapply Rle_trans; [|now apply H].
    apply (above_add (sum_losses l) a (sum_losses r) b); trivial. now apply sum_losses_nonneg.
  - rewrite <- (value_sum_permutation l r P). now apply IL.
Qed.

Theorem computed_down_below l a : computed_down l a -> above (sum_losses l) a.
Proof.
  induction 1 as [a b NA NB H|l r a b c HL IL HR IR NC H|l r a HL IL P]; intros w W.
  - rewrite value_sum_one. now apply H.
  - apply computed_down_nonneg in HL as [NA NL]. apply computed_down_nonneg in HR as [NB NR].
    rewrite value_sum_app. eapply Rle_trans; [now apply H|].
    apply (above_add a (sum_losses l) b (sum_losses r)); trivial. now apply sum_losses_nonneg.
  - rewrite <- (value_sum_permutation l r P). now apply IL.
Qed.

(* ---- the result ---- *)

Definition laws_of {B} (ps : list (pair_of B)) (ss : list (B -> loss)) : list losses :=
  map (fun z => law_of_loss (fst z) (snd z)) (combine ps ss).

(*
 * Upper bound: delta(eps) of adaptive rounds, each dominated by its grid pair, is
 * at most the value of the law that was computed with rounding up.
 *)
Theorem certified_upper {A B} step (ps : list (pair_of B)) ss (ls : list (list A)) M N a eps :
  0 <= step -> Forall2 (has_loss step) ps ss -> dominated ps ls M N [] -> computed_up (laws_of ps ss) a ->
  hockey (sequences ls) (exp eps) (adaptive M []) (adaptive N []) <= value a (hockey_weight step eps).
Proof.
  intros S F D C. apply (composition_upper step ps ss); trivial. now apply computed_up_above.
Qed.

(*
 * Lower bound: delta(eps) of independent rounds, each dominating its grid pair,
 * is at least the value of the law that was computed with rounding down.
 *)
Theorem certified_lower {A B} step (ps : list (pair_of B)) ss (qs : list (pair_of A)) a eps :
  0 <= step -> Forall2 (has_loss step) ps ss -> Forall masses qs ->
  Forall2 (fun q p => bounds q (outcomes p) (P_of p) (Q_of p)) qs ps -> computed_down (laws_of ps ss) a ->
  value a (hockey_weight step eps)
  <= hockey (outcomes (product_pair qs)) (exp eps) (P_of (product_pair qs)) (Q_of (product_pair qs)).
Proof.
  intros S F MQ D C. apply (composition_lower step ps ss qs); trivial. now apply computed_down_below.
Qed.

(* ---- an instance: two rounds of binary randomised response, e^eps0 = 3, step log 3 ---- *)

Definition response_loss (z : bool) : loss := if z then Some 1%Z else Some (-1)%Z.

Lemma response_has_loss : has_loss (ln 3) response response_loss.
Proof.
  intros [] _; cbn; (split; [lra|]).
  - rewrite Rmult_1_r, exp_Ropp, exp_ln; lra.
  - replace (- (ln 3 * -1)) with (ln 3) by ring. rewrite exp_ln; lra.
Qed.

(* delta(0) of two rounds: the losses are -2, 0, 2 steps with masses 1/16, 6/16, 9/16; 9/16 (1 - 1/9) = 1/2. *)
Example response_two_rounds :
  hockey (outcomes (power 2 response)) (exp 0) (P_of (power 2 response)) (Q_of (power 2 response)) = 1 / 2.
Proof.
  unfold power. cbn [repeat].
  rewrite (hockey_of_losses (ln 3) [response; response] [response_loss; response_loss])
    by (constructor; [apply response_has_loss | constructor; [apply response_has_loss | constructor]]).
  unfold value. cbn [combine map fst snd].
  change (sum_losses [law_of_loss response response_loss; law_of_loss response response_loss])
    with [(Some 2%Z, 3 / 4 * (3 / 4 * 1)); (Some 0%Z, 3 / 4 * (1 / 4 * 1));
          (Some 0%Z, 1 / 4 * (3 / 4 * 1)); (Some (-2)%Z, 1 / 4 * (1 / 4 * 1))].
  cbn [sum fst snd hockey_weight].
  assert (0 < ln 3) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (exp (0 - ln 3 * 2) = 1 / 9) as E.
  { replace (0 - ln 3 * 2) with (- ln 3 + - ln 3) by ring. rewrite exp_plus, exp_Ropp, exp_ln by lra. lra. }
  rewrite E, Rmult_0_r, Rminus_0_r, exp_0, (pos_id (1 - 1 / 9)), (pos_zero (1 - 1)) by lra.
  rewrite pos_zero; [lra|]. pose proof (exp_increasing 0 (0 - ln 3 * -2)). rewrite exp_0 in *. lra.
Qed.
