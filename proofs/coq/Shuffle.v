(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The shuffle model with adaptive local randomisers, on finite alphabets:
 * the definitions that ../clones-stronger.md speaks of.
 *
 * X is the type of the users' inputs, Z that of the outputs, and outs the
 * list of all outputs. A randomiser K gets the history of all earlier outputs
 * (latest first) and one user's input, and draws an output: K h x z is the
 * probability of z. It may thus be a different randomiser at each position
 * (the length of the history) and after each history. X may also be the set of
 * the users themselves, each with an own input and a randomiser of its own: then
 * ldp asks that the laws of different users are within the factor E, too.
 *
 * The shuffled mechanism puts the users into a uniformly random order and
 * lets K see them one after the other; it publishes the word of all outputs.
 *
 * Here: the definition as the mean over all n! orders (shuffled); that the
 * list of orders is what it should be; the same law by drawing the next user
 * from those left (shuffled_draw); and that the order in which the data are
 * given does not matter (shuffled_permutation).
 *)
From Coq Require Import Reals List Lra Lia Arith Permutation.
From Shufbound Require Import Sum Hockey Divergence.
Import ListNotations.
Open Scope R_scope.

(* -------- Definitions -------- *)

(* K h is a law for every history h and every input. *)
Definition randomiser {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) : Prop :=
  forall h x, law outs (K h x).

(* Pure local differential privacy, E = e^eps0: no output is more than E
   times as likely from one input as from another. *)
Definition ldp {X Z} (outs : list Z) (E : R) (K : list Z -> X -> Z -> R) : Prop :=
  forall h x x' z, In z outs -> K h x z <= E * K h x' z.

(* All words of n letters. *)
Fixpoint words {Z} (outs : list Z) (n : nat) : list (list Z) :=
  match n with
  | O => [[]]
  | S m => flat_map (fun z => map (cons z) (words outs m)) outs
  end.

(* The probability of the outputs w when the users p come in this order,
   after the history h. *)
Fixpoint run {X Z} (K : list Z -> X -> Z -> R) (h : list Z) (p : list X) (w : list Z) : R :=
  match p, w with
  | [], [] => 1
  | x :: p', z :: w' => K h x z * run K (z :: h) p' w'
  | _, _ => 0
  end.

(* The ways to put x into the list p. *)
Fixpoint inserts {X} (x : X) (p : list X) : list (list X) :=
  match p with
  | [] => [[x]]
  | y :: p' => (x :: p) :: map (cons y) (inserts x p')
  end.

(* All orders of a list: n! of them. *)
Fixpoint orders {X} (xs : list X) : list (list X) :=
  match xs with
  | [] => [[]]
  | x :: r => flat_map (inserts x) (orders r)
  end.

(* The shuffled mechanism: the mean over all orders. *)
Definition shuffled {X Z} (K : list Z -> X -> Z -> R) (xs : list X) (w : list Z) : R :=
  sum (orders xs) (fun p => run K [] p w) / INR (fact (length xs)).

(* The ways to take one user out of a list: the user and those left. *)
Fixpoint picks {X} (xs : list X) : list (X * list X) :=
  match xs with
  | [] => []
  | x :: r => (x, r) :: map (fun c => (fst c, x :: snd c)) (picks r)
  end.

(* The mean of f over the ways to take one user out of xs. *)
Definition pick {X} (xs : list X) (f : X -> list X -> R) : R :=
  sum (picks xs) (fun c => f (fst c) (snd c)) / INR (length xs).

(* The law of the next outputs w, after the history h, if each time the next
   user is drawn uniformly from those left. *)
Fixpoint draw {X Z} (K : list Z -> X -> Z -> R) (h : list Z) (xs : list X) (w : list Z) : R :=
  match w with
  | [] => 1
  | z :: w' => pick xs (fun x rest => K h x z * draw K (z :: h) rest w')
  end.

(* -------- Lemmas on sums -------- *)

Lemma sum_ext_all {A} (l : list A) (f g : A -> R) : (forall x, f x = g x) -> sum l f = sum l g.
Proof. intros H. apply sum_ext. auto. Qed.

Lemma sum_const {A} (l : list A) c : sum l (fun _ => c) = INR (length l) * c.
Proof.
  induction l as [|x l IH]; cbn [sum length]; [cbn; lra|].
  rewrite S_INR, IH. lra.
Qed.

(* -------- Words -------- *)

Lemma sum_words {Z} (outs : list Z) n f :
  sum (words outs (S n)) f = sum outs (fun z => sum (words outs n) (fun w => f (z :: w))).
Proof.
  cbn. rewrite sum_flat_map. apply sum_ext_all. intros z. now rewrite sum_map.
Qed.

(* The list of words is complete. *)
Lemma in_words {Z} (outs : list Z) n w :
  In w (words outs n) <-> length w = n /\ Forall (fun z => In z outs) w.
Proof.
  revert w; induction n as [|n IH]; intros w; cbn.
  - split.
    + intros [<-|[]]. auto.
    + intros [H _]. left. now destruct w.
  - rewrite in_flat_map. split.
    + intros (z & Hz & H). apply in_map_iff in H as (v & <- & Hv).
      apply IH in Hv as [Hl Hf]. cbn. auto.
    + intros [H F]. destruct w as [|z w]; [discriminate|].
      inversion F; subst. exists z. split; [assumption|].
      apply in_map, IH. auto.
Qed.

Lemma words_length {Z} (outs : list Z) n w : In w (words outs n) -> length w = n.
Proof. intros H. now apply in_words in H. Qed.

(* -------- Orders -------- *)

Lemma in_inserts {X} (x : X) p q :
  In q (inserts x p) <-> exists l r, p = l ++ r /\ q = l ++ x :: r.
Proof.
  revert q; induction p as [|y p IH]; intros q; cbn.
  - split.
    + intros [<-|[]]. exists [], []. auto.
    + intros (l & r & H & ->). left.
      symmetry in H. apply app_eq_nil in H as [-> ->]. reflexivity.
  - split.
    + intros [<-|H].
      * exists [], (y :: p). auto.
      * apply in_map_iff in H as (q' & <- & H). apply IH in H as (l & r & -> & ->).
        exists (y :: l), r. auto.
    + intros (l & r & H & ->). destruct l as [|y' l]; cbn in *.
      * left. now subst.
      * right. injection H as -> ->. apply (in_map (cons y')), IH. exists l, r. auto.
Qed.

(* The orders of xs are its permutations. *)
Theorem in_orders {X} (xs p : list X) : In p (orders xs) <-> Permutation xs p.
Proof.
  revert p; induction xs as [|x xs IH]; intros p; cbn.
  - split.
    + intros [<-|[]]. constructor.
    + intros H. apply Permutation_nil in H. auto.
  - rewrite in_flat_map. split.
    + intros (q & Hq & H). apply IH in Hq. apply in_inserts in H as (l & r & -> & ->).
      now apply Permutation_cons_app.
    + intros H. assert (Hx : In x p) by (eapply Permutation_in; [exact H | now left]).
      apply in_split in Hx as (l & r & ->). exists (l ++ r). split.
      * apply IH. eapply Permutation_cons_app_inv; eassumption.
      * apply in_inserts. exists l, r. auto.
Qed.

Lemma inserts_length {X} (x : X) p : length (inserts x p) = S (length p).
Proof. induction p; cbn; [reflexivity|]. now rewrite map_length, IHp. Qed.

(* There are n! of them (counted with repetitions, if users have equal inputs). *)
Theorem orders_length {X} (xs : list X) : length (orders xs) = fact (length xs).
Proof.
  induction xs as [|x xs IH]; [reflexivity|].
  cbn [orders length]. change (fact (S (length xs))) with ((S (length xs)) * fact (length xs))%nat.
  rewrite <- IH, Nat.mul_comm.
  assert (H : forall p, In p (orders xs) -> length (inserts x p) = S (length xs)).
  { intros p Hp. apply in_orders in Hp. rewrite inserts_length.
    now rewrite (Permutation_length Hp). }
  revert H. generalize (orders xs). intros L H. induction L as [|p L IHL]; cbn; [reflexivity|].
  rewrite app_length, H, IHL; cbn; auto. intros q Hq. apply H. now right.
Qed.

(* -------- Taking users out -------- *)

Lemma picks_length {X} (xs : list X) : length (picks xs) = length xs.
Proof. induction xs; cbn; [reflexivity|]. now rewrite map_length, IHxs. Qed.

Lemma picks_rest {X} (xs : list X) c : In c (picks xs) -> S (length (snd c)) = length xs.
Proof.
  revert c; induction xs as [|x xs IH]; cbn; [tauto|].
  intros c [<-|H]; [reflexivity|].
  apply in_map_iff in H as (d & <- & H). cbn. f_equal. now apply IH.
Qed.

(* Two users can be taken out in either order. *)
Lemma picks_swap {X} (xs : list X) (f : X -> X -> list X -> R) :
  sum (picks xs) (fun c => sum (picks (snd c)) (fun d => f (fst c) (fst d) (snd d)))
  = sum (picks xs) (fun c => sum (picks (snd c)) (fun d => f (fst d) (fst c) (snd d))).
Proof.
  revert f; induction xs as [|x xs IH]; intros f; cbn; [reflexivity|].
  rewrite !sum_map. cbn.
  erewrite (sum_ext_all _ (fun c => f (fst c) x (snd c) + _)).
  2:{ intros c. rewrite sum_map. cbn. reflexivity. }
  erewrite (sum_ext_all _ (fun c => f x (fst c) (snd c) + _)).
  2:{ intros c. rewrite sum_map. cbn. reflexivity. }
  rewrite !sum_plus.
  pose proof (IH (fun y y' r => f y y' (x :: r))) as H. cbn in H. rewrite H. lra.
Qed.

Lemma pick_ext {X} (xs : list X) f g :
  (forall x r, S (length r) = length xs -> f x r = g x r) -> pick xs f = pick xs g.
Proof.
  intros H. unfold pick. f_equal. apply sum_ext. intros c Hc. apply H. now apply picks_rest.
Qed.

Lemma pick_plus {X} (xs : list X) f g : pick xs (fun x r => f x r + g x r) = pick xs f + pick xs g.
Proof. unfold pick. rewrite sum_plus. apply Rdiv_plus_distr. Qed.

Lemma pick_scal {X} (xs : list X) c f : pick xs (fun x r => c * f x r) = c * pick xs f.
Proof. unfold pick. rewrite sum_scal. unfold Rdiv. ring. Qed.

Lemma pick_const {X} (xs : list X) c : (0 < length xs)%nat -> pick xs (fun _ _ => c) = c.
Proof.
  intros H. unfold pick. rewrite sum_const, picks_length.
  assert (0 < INR (length xs)) by now apply lt_0_INR. field. lra.
Qed.

Lemma inv_length_nonneg {X} (xs : list X) : 0 <= / INR (length xs).
Proof.
  destruct xs as [|x xs]; [cbn; rewrite Rinv_0; lra|].
  apply Rlt_le, Rinv_0_lt_compat, lt_0_INR. cbn. lia.
Qed.

Lemma pick_le {X} (xs : list X) f g :
  (forall x r, S (length r) = length xs -> f x r <= g x r) -> pick xs f <= pick xs g.
Proof.
  intros H. unfold pick, Rdiv. apply Rmult_le_compat_r; [apply inv_length_nonneg|].
  apply sum_le. intros c Hc. apply H. now apply picks_rest.
Qed.

Lemma pick_nonneg {X} (xs : list X) f : (forall x r, S (length r) = length xs -> 0 <= f x r) -> 0 <= pick xs f.
Proof.
  intros H. unfold pick, Rdiv. apply Rmult_le_pos; [|apply inv_length_nonneg].
  apply sum_nonneg. intros c Hc. apply H. now apply picks_rest.
Qed.

Lemma pick_sum {X A} (xs : list X) (l : list A) f :
  sum l (fun a => pick xs (fun x r => f a x r)) = pick xs (fun x r => sum l (fun a => f a x r)).
Proof. unfold pick, Rdiv. rewrite sum_scal_r. f_equal. apply sum_swap. Qed.

Lemma pick_swap {X} (xs : list X) f :
  pick xs (fun x r => pick r (fun x' r' => f x x' r')) = pick xs (fun x r => pick r (fun x' r' => f x' x r')).
Proof.
  unfold pick. f_equal. unfold Rdiv.
  rewrite (sum_ext (picks xs)
    (fun c => sum (picks (snd c)) (fun d => f (fst c) (fst d) (snd d)) * / INR (length (snd c)))
    (fun c => sum (picks (snd c)) (fun d => f (fst c) (fst d) (snd d)) * / INR (pred (length xs)))).
  2:{ intros c Hc. rewrite <- (picks_rest xs c Hc). reflexivity. }
  rewrite (sum_ext (picks xs)
    (fun c => sum (picks (snd c)) (fun d => f (fst d) (fst c) (snd d)) * / INR (length (snd c)))
    (fun c => sum (picks (snd c)) (fun d => f (fst d) (fst c) (snd d)) * / INR (pred (length xs)))).
  2:{ intros c Hc. rewrite <- (picks_rest xs c Hc). reflexivity. }
  rewrite !sum_scal_r. f_equal. apply picks_swap.
Qed.

(* -------- The mean over all orders is the draw from those left -------- *)

Lemma sum_inserts {X} (x : X) p (g : list X -> R) :
  sum (inserts x p) g
  = g (x :: p) + match p with [] => 0 | y :: p' => sum (inserts x p') (fun q => g (y :: q)) end.
Proof. destruct p; cbn; [lra|]. now rewrite sum_map. Qed.

Lemma sum_orders_picks {X} (xs : list X) (g : list X -> R) :
  g [] = 0 ->
  sum (orders xs) g = sum (picks xs) (fun c => sum (orders (snd c)) (fun p => g (fst c :: p))).
Proof.
  revert g; induction xs as [|x xs IH]; intros g G; cbn; [lra|].
  rewrite sum_flat_map, sum_map. cbn.
  rewrite (sum_ext_all _ _ _ (fun p => sum_inserts x p g)), sum_plus. f_equal.
  rewrite IH by reflexivity.
  apply sum_ext_all. intros c. now rewrite sum_flat_map.
Qed.

Lemma sum_orders_run {X Z} (K : list Z -> X -> Z -> R) xs :
  forall h w, length w = length xs ->
  sum (orders xs) (fun p => run K h p w) = INR (fact (length xs)) * draw K h xs w.
Proof.
  intros h w; revert h xs; induction w as [|z w IH]; intros h xs H.
  - destruct xs; [cbn; lra | discriminate].
  - rewrite sum_orders_picks by reflexivity. cbn [draw]. unfold pick.
    destruct xs as [|x0 xs]; [discriminate|]. set (ys := x0 :: xs) in *.
    rewrite (sum_ext (picks ys) _
      (fun c => INR (fact (length xs)) * (K h (fst c) z * draw K (z :: h) (snd c) w))).
    2:{ intros c Hc. apply picks_rest in Hc. cbn in Hc, H. injection Hc as Hc. injection H as H.
        cbn [run]. rewrite sum_scal, IH by congruence. rewrite Hc. ring. }
    rewrite sum_scal. change (length ys) with (S (length xs)).
    change (fact (S (length xs))) with (S (length xs) * fact (length xs))%nat.
    rewrite mult_INR. field. apply not_0_INR. lia.
Qed.

(* Shuffling is the same as drawing the next user uniformly from those left. *)
Theorem shuffled_draw {X Z} (K : list Z -> X -> Z -> R) xs w :
  length w = length xs -> shuffled K xs w = draw K [] xs w.
Proof.
  intros H. unfold shuffled. rewrite sum_orders_run by assumption.
  field. apply INR_fact_neq_0.
Qed.

(* -------- The order of the data does not matter -------- *)

Lemma sum_inserts_cons {X} (x a : X) p (g : list X -> R) :
  sum (inserts x (a :: p)) g = g (x :: a :: p) + sum (inserts x p) (fun q => g (a :: q)).
Proof. now rewrite sum_inserts. Qed.

Lemma inserts_swap {X} (x y : X) p (g : list X -> R) :
  sum (inserts y p) (fun q => sum (inserts x q) g) = sum (inserts x p) (fun q => sum (inserts y q) g).
Proof.
  revert g; induction p as [|a p IH]; intros g; [cbn; lra|].
  rewrite !sum_inserts_cons.
  rewrite (sum_ext_all _ _ _ (fun q => sum_inserts_cons x a q g)), sum_plus.
  rewrite (sum_ext_all _ _ _ (fun q => sum_inserts_cons y a q g)), sum_plus.
  rewrite (IH (fun r => g (a :: r))). lra.
Qed.

Lemma sum_orders_permutation {X} (xs ys : list X) (g : list X -> R) :
  Permutation xs ys -> sum (orders xs) g = sum (orders ys) g.
Proof.
  intros H; revert g; induction H as [|x l l' _ IH|x y l|l l' l'' _ IH1 _ IH2]; intros g; cbn.
  - reflexivity.
  - rewrite !sum_flat_map. apply IH.
  - rewrite !sum_flat_map. apply sum_ext_all. intros p. apply inserts_swap.
  - now rewrite IH1.
Qed.

(* Users may be listed in any order. *)
Theorem shuffled_permutation {X Z} (K : list Z -> X -> Z -> R) xs ys w :
  Permutation xs ys -> shuffled K xs w = shuffled K ys w.
Proof.
  intros H. unfold shuffled.
  now rewrite (sum_orders_permutation xs ys _ H), (Permutation_length H).
Qed.

(* -------- It is a law -------- *)

Section Law.
  Context {X Z : Type} (outs : list Z) (K : list Z -> X -> Z -> R).
  Hypothesis HK : randomiser outs K.

  Lemma draw_nonneg h xs w : Forall (fun z => In z outs) w -> 0 <= draw K h xs w.
  Proof.
    revert h xs; induction w as [|z w IH]; intros h xs H; cbn; [lra|].
    inversion H; subst. apply pick_nonneg. intros x r _.
    apply Rmult_le_pos; [now apply HK | now apply IH].
  Qed.

  Lemma sum_draw n : forall h xs, (n <= length xs)%nat -> sum (words outs n) (draw K h xs) = 1.
  Proof.
    induction n as [|n IH]; intros h xs H; [cbn; lra|].
    rewrite sum_words. cbn [draw].
    rewrite (sum_ext_all outs _ (fun z => pick xs (fun x r => K h x z))).
    2:{ intros z. rewrite pick_sum. apply pick_ext. intros x r L.
        rewrite sum_scal, IH by lia. lra. }
    rewrite pick_sum. rewrite (pick_ext xs _ (fun _ _ => 1)).
    - apply pick_const. lia.
    - intros x r _. apply HK.
  Qed.

  (* The shuffled mechanism's output is a word of n outputs. *)
  Theorem shuffled_law xs : law (words outs (length xs)) (shuffled K xs).
  Proof.
    split.
    - intros w H. apply in_words in H as [L F].
      rewrite shuffled_draw by assumption. now apply draw_nonneg.
    - rewrite (sum_ext _ _ (draw K [] xs)).
      + apply sum_draw. lia.
      + intros w H. apply words_length in H. now apply shuffled_draw.
  Qed.
End Law.
