(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Counting two kinds of outputs: a lower bound of the shuffled divergence. All
 * users run one randomiser A, not adaptive, the differing user holds x0 or x1
 * and the n others hold y. The number of outputs in U, and of those in V and not
 * in U, is a function of the shuffled word, and its law is that of a trinomial
 * pair: n users who count in a or b as y does, and one who counts as x0 or x1
 * does. This is how the lower bounds of the table of ../trinomial-pair.md are
 * statements on real mechanisms.
 *
 * With one kind of outputs and any data of the others it is Lemma 1 of
 * ../mixed.md (event_below).
 *)
From Coq Require Import Reals List Lra Lia Arith Permutation.
From Shufbound Require Import Sum Hockey Trinomial TrinomialMean Binomial Shuffle.
Import ListNotations.
Open Scope R_scope.

Section Counts.
  Context {X Z : Type} (outs : list Z) (A : X -> Z -> R) (U V : Z -> bool).
  Hypothesis HA : forall x, law outs (A x).

  (* Under the input x: the probabilities of an output in U, and in V but not U. *)
  Definition in_U (x : X) : R := sum outs (fun z => if U z then A x z else 0).
  Definition in_V (x : X) : R := sum outs (fun z => if U z then 0 else if V z then A x z else 0).

  (* Numbers of outputs of a word in U, and in V but not U, handed to f. *)
  Fixpoint tally (f : nat -> nat -> R) (w : list Z) : R :=
    match w with
    | [] => f O O
    | z :: w' => if U z then tally (fun a b => f (S a) b) w'
                 else if V z then tally (fun a b => f a (S b)) w' else tally f w'
    end.

  (* The mean of f over the counts of the users p. *)
  Fixpoint users_mean (p : list X) (f : nat -> nat -> R) : R :=
    match p with
    | [] => f O O
    | x :: p' => in_U x * users_mean p' (fun a b => f (S a) b) + in_V x * users_mean p' (fun a b => f a (S b))
                 + (1 - in_U x - in_V x) * users_mean p' f
    end.

  Lemma run_tally h p f :
    sum (words outs (length p)) (fun w => run (fun _ => A) h p w * tally f w) = users_mean p f.
  Proof.
    revert h f; induction p as [|x p IH]; intros h f; [cbn; ring|].
    cbn [length]. rewrite sum_words. cbn [run tally users_mean].
    set (a := users_mean p (fun a b => f (S a) b)). set (b := users_mean p (fun a b => f a (S b))).
    set (c := users_mean p f).
    transitivity (sum outs (fun z => (if U z then A x z else 0) * (a - c)
                                     + (if U z then 0 else if V z then A x z else 0) * (b - c) + A x z * c)).
    - apply sum_ext. intros z _.
      transitivity (A x z * (if U z then a else if V z then b else c));
        [|destruct (U z); [ring | destruct (V z); ring]].
      transitivity (A x z * sum (words outs (length p)) (fun w => run (fun _ => A) (z :: h) p w *
        (if U z then tally (fun a b => f (S a) b) w else if V z then tally (fun a b => f a (S b)) w else tally f w))).
      + rewrite <- sum_scal. apply sum_ext. intros w _. ring.
      + f_equal. destruct (U z); [apply IH | destruct (V z); apply IH].
    - rewrite !sum_plus, !sum_scal_r. fold (in_U x) (in_V x). destruct (HA x) as [_ ->]. ring.
  Qed.

  Lemma users_mean_ext p f g : (forall a b, f a b = g a b) -> users_mean p f = users_mean p g.
  Proof.
    revert f g; induction p as [|x p IH]; intros f g H; cbn; [apply H|].
    rewrite (IH (fun a b => f (S a) b) (fun a b => g (S a) b)), (IH (fun a b => f a (S b)) (fun a b => g a (S b))),
      (IH f g) by (intros; apply H). reflexivity.
  Qed.

  Lemma users_mean_permutation p q : Permutation p q -> forall f, users_mean p f = users_mean q f.
  Proof.
    induction 1 as [|x p q _ IH|x y p|p q r _ IH1 _ IH2]; intros f; cbn.
    - reflexivity.
    - now rewrite !IH.
    - ring.
    - now rewrite IH1.
  Qed.

  Lemma shuffled_tally xs f :
    sum (words outs (length xs)) (fun w => shuffled (fun _ => A) xs w * tally f w) = users_mean xs f.
  Proof.
    unfold shuffled, Rdiv.
    rewrite (sum_ext _ _ (fun w => / INR (fact (length xs)) *
      sum (orders xs) (fun p => run (fun _ => A) [] p w * tally f w))) by (intros; rewrite sum_scal_r; ring).
    rewrite sum_scal, sum_swap.
    rewrite (sum_ext (orders xs) _ (fun _ => users_mean xs f)).
    - rewrite sum_const, orders_length. field. apply INR_fact_neq_0.
    - intros p Hp. apply in_orders in Hp. rewrite (Permutation_length Hp), run_tally.
      symmetry. now apply users_mean_permutation.
  Qed.

  Lemma users_mean_repeat y n f : users_mean (repeat y n) f = counts_mean (in_U y) (in_V y) n f.
  Proof.
    revert f; induction n as [|n IH]; intros f; [reflexivity|]. cbn. now rewrite !IH.
  Qed.

  Lemma tally_bound f w : (forall a b, 0 <= f a b <= 1) -> 0 <= tally f w <= 1.
  Proof.
    revert f; induction w as [|z w IH]; intros f H; [apply H|]. cbn.
    destruct (U z); [apply IH; auto | destruct (V z); apply IH; auto].
  Qed.

  (* The law of the counts. *)
  Definition counts_law (x y : X) (n : nat) : nat * nat -> R :=
    with_user (in_U x) (in_V x) (1 - in_U x - in_V x) (others (in_U y) (in_V y) n).

  Theorem counts_below x0 x1 y n alpha :
    hockey (counts n) alpha (counts_law x0 y n) (counts_law x1 y n)
    <= hockey (words outs (S n)) alpha (shuffled (fun _ => A) (x0 :: repeat y n)) (shuffled (fun _ => A) (x1 :: repeat y n)).
  Proof.
    set (t := fun a b => above (counts_law x0 y n (a, b) - alpha * counts_law x1 y n (a, b))).
    assert (S : forall x, sum (counts n) (fun c => counts_law x y n c * t (fst c) (snd c))
                          = sum (words outs (S n)) (fun w => shuffled (fun _ => A) (x :: repeat y n) w * tally t w)).
    { intros x. unfold counts_law. rewrite with_user_mean.
      pose proof (shuffled_tally (x :: repeat y n) t) as T. cbn [length] in T. rewrite repeat_length in T.
      rewrite T. cbn [users_mean]. now rewrite !users_mean_repeat. }
    apply Rle_trans with (sum (counts n) (fun c => counts_law x0 y n c * t (fst c) (snd c))
                          - alpha * sum (counts n) (fun c => counts_law x1 y n c * t (fst c) (snd c))).
    - rewrite <- sum_scal, <- sum_minus. right. apply sum_ext. intros [a b] _. rewrite pos_above. cbn [fst snd].
      unfold t. ring.
    - rewrite !S, <- sum_scal, <- sum_minus. apply sum_le. intros w _.
      eapply Rle_trans; [|apply (below_pos _ (tally t w)); apply tally_bound; intros; apply above_range]. lra.
  Qed.
End Counts.

(* -------- One kind of outputs -------- *)

Section Event.
  Context {X Z : Type} (outs : list Z) (A : X -> Z -> R) (U : Z -> bool).
  Hypothesis HA : forall x, law outs (A x).

  (* The law of the number of outputs in U, of independent users xs. *)
  Fixpoint count_mass (xs : list X) (c : nat) : R :=
    match xs with
    | [] => match c with O => 1 | S _ => 0 end
    | x :: xs' => in_U outs A U x * before (count_mass xs') c + (1 - in_U outs A U x) * count_mass xs' c
    end.

  Lemma count_mass_above xs c : (length xs < c)%nat -> count_mass xs c = 0.
  Proof.
    revert c; induction xs as [|x xs IH]; intros c H; cbn in *; [destruct c; [lia | reflexivity]|].
    rewrite (IH c) by lia. destruct c as [|c]; [lia|]. cbn [before]. rewrite IH by lia. ring.
  Qed.

  (* Users alike: a binomial law. *)
  Lemma count_mass_alike y n c : count_mass (repeat y n) c = bin (in_U outs A U y) n c.
  Proof.
    revert c; induction n as [|n IH]; intros c; [reflexivity|].
    cbn [repeat count_mass bin]. rewrite IH. f_equal. f_equal. destruct c; cbn [before]; [reflexivity | apply IH].
  Qed.

  Lemma count_mean xs K t :
    (length xs < K)%nat ->
    sum (seq 0 K) (fun c => count_mass xs c * t c) = users_mean outs A U (fun _ => false) xs (fun a _ => t a).
  Proof.
    assert (V0 : forall x, in_V outs A U (fun _ => false) x = 0).
    { intros x. unfold in_V. rewrite (sum_ext _ _ (fun _ => 0)); [apply sum_zero|].
      intros z _. now destruct (U z). }
    revert K t; induction xs as [|x xs IH]; intros K t H; destruct K as [|K]; try (cbn in H; lia).
    - rewrite sum_seq_first. cbn [count_mass users_mean].
      rewrite (sum_ext (seq 0 K) _ (fun _ => 0)) by (intros; ring). rewrite sum_zero. ring.
    - cbn [users_mean count_mass]. rewrite V0, <- (IH (S K) t), <- (IH (S K) (fun a => t (S a))) by (cbn in H; lia).
      rewrite (sum_ext _ _ (fun c => in_U outs A U x * (before (count_mass xs) c * t c)
                                     + (1 - in_U outs A U x) * (count_mass xs c * t c))) by (intros; ring).
      rewrite sum_plus, !sum_scal, (TrinomialMean.sum_before K (count_mass xs) t) by (apply count_mass_above; cbn in H; lia). ring.
  Qed.

  (* Laws with these counts of outputs in U are at least as far from one another. *)
  Lemma below_by_event (l : list (list Z)) P Q K c0 c1 alpha :
    (forall t, sum (seq 0 K) (fun c => c0 c * t c) = sum l (fun w => P w * tally U (fun _ => false) (fun a _ => t a) w)) ->
    (forall t, sum (seq 0 K) (fun c => c1 c * t c) = sum l (fun w => Q w * tally U (fun _ => false) (fun a _ => t a) w)) ->
    hockey (seq 0 K) alpha c0 c1 <= hockey l alpha P Q.
  Proof.
    intros HP HQ. set (t := fun c => above (c0 c - alpha * c1 c)).
    apply Rle_trans with (sum (seq 0 K) (fun c => c0 c * t c) - alpha * sum (seq 0 K) (fun c => c1 c * t c)).
    - rewrite <- sum_scal, <- sum_minus. right. apply sum_ext. intros c _. rewrite pos_above. unfold t. ring.
    - rewrite HP, HQ, <- sum_scal, <- sum_minus. apply sum_le. intros w _.
      eapply Rle_trans; [|apply (below_pos _ (tally U (fun _ => false) (fun a _ => t a) w)); apply tally_bound; intros; apply above_range].
      lra.
  Qed.

  Theorem event_below x0 x1 xs alpha :
    hockey (seq 0 (S (S (length xs)))) alpha (count_mass (x0 :: xs)) (count_mass (x1 :: xs))
    <= hockey (words outs (S (length xs))) alpha (shuffled (fun _ => A) (x0 :: xs)) (shuffled (fun _ => A) (x1 :: xs)).
  Proof.
    assert (T : forall x t, sum (seq 0 (S (S (length xs)))) (fun c => count_mass (x :: xs) c * t c)
      = sum (words outs (S (length xs))) (fun w => shuffled (fun _ => A) (x :: xs) w * tally U (fun _ => false) (fun a _ => t a) w)).
    { intros x t. rewrite count_mean by (cbn; lia). now rewrite <- (shuffled_tally outs A U (fun _ => false) HA (x :: xs)). }
    apply below_by_event; apply T.
  Qed.
End Event.
