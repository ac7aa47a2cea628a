(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The clones reduction by its authors' own route: Feldman, McMillan and Talwar
 * (arXiv 2012.12803), Lemma 3.3 with Algorithm 1, Lemma 3.4 and Remark 3.5, on
 * finite alphabets. The shuffled mechanism is a post-processing of the clones
 * pair: one kernel serves both neighbours and every divergence.
 *
 * Each of the others samples the component of its randomiser's mixture
 *     K h y = r0 Q0 h + r1 Q1 h + (1 - r0 - r1) LO h y,
 * the user who differs samples Q0 or Q1; the counts (a, b) of Q0 and Q1 are the
 * trinomial pair's outcome. The post-processing (post, below) puts a zeros and b
 * ones into a uniformly random order and lets users drawn without return answer
 * at the remaining positions by LO.
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Trinomial TrinomialMean Shuffle LocalProfile Stronger.
Import ListNotations.
Open Scope R_scope.

(* -------- Lemmas on means over counts -------- *)

Lemma mean_pick {X} r0 r1 N (xs : list X) f :
  counts_mean r0 r1 N (fun a b => pick xs (fun x r => f x r a b)) = pick xs (fun x r => counts_mean r0 r1 N (f x r)).
Proof.
  revert f; induction N as [|N IH]; intros f; [reflexivity|]. cbn [counts_mean].
  rewrite (IH (fun x r a b => f x r (S a) b)), (IH (fun x r a b => f x r a (S b))), (IH f).
  now rewrite !pick_plus, !pick_scal.
Qed.

(* -------- The post-processing -------- *)

Section Reduction.
  Context {X Z : Type} (outs : list Z) (K LO : list Z -> X -> Z -> R) (Q0 Q1 : list Z -> Z -> R) (r0 r1 : R).

  (* The law of the outputs w of as many positions, if a of them are to answer
     by Q0 and b by Q1, in a uniformly random order, and the rest by LO with
     users drawn from ys. *)
  Fixpoint post (h : list Z) (ys : list X) (a b : nat) (w : list Z) : R :=
    match w with
    | [] => 1
    | z :: w' =>
        (INR a * (Q0 h z * post (z :: h) ys (pred a) b w')
         + INR b * (Q1 h z * post (z :: h) ys a (pred b) w')
         + INR (S (length w') - a - b) * pick ys (fun y rest => LO h y z * post (z :: h) rest a b w'))
        / INR (S (length w'))
    end.

  (* The kernel from counts to words; counts that cannot be go nowhere. *)
  Definition post_processing (ys : list X) (c : nat * nat) (w : list Z) : R :=
    if (fst c + snd c <=? length w)%nat then post [] ys (fst c) (snd c) w else 0.

  (* The length of w times the law of the outputs w, if a user with the
     randomiser U comes at a uniformly random position and the users at the
     others are drawn from ys. *)
  Fixpoint inserted (U : list Z -> Z -> R) (h : list Z) (ys : list X) (w : list Z) : R :=
    match w with
    | [] => 0
    | z :: w' => U h z * draw K (z :: h) ys w' + pick ys (fun y rest => K h y z * inserted U (z :: h) rest w')
    end.

  Lemma pick_inserted U h ys w :
    (length w <= length ys)%nat -> pick ys (fun _ rest => inserted U h rest w) = inserted U h ys w.
  Proof.
    revert h ys; induction w as [|z w IH]; intros h ys H; cbn [length] in H.
    - cbn. destruct ys as [|y ys]; [|apply pick_const; cbn; lia].
      unfold pick, Rdiv. cbn. ring.
    - cbn [inserted]. rewrite pick_plus, pick_scal, (pick_draw K) by lia. f_equal.
      rewrite (pick_swap ys (fun _ y rest => K h y z * inserted U (z :: h) rest w)).
      apply pick_ext. intros y r L. rewrite pick_scal, IH by lia. reflexivity.
  Qed.

  Lemma draw_inserted x h ys w :
    length w = S (length ys) -> draw K h (x :: ys) w = inserted (fun h => K h x) h ys w / INR (S (length ys)).
  Proof.
    revert h ys; induction w as [|z w IH]; intros h ys H; [discriminate|].
    injection H as H. cbn [draw inserted]. unfold pick at 1. cbn [picks sum fst snd length].
    rewrite sum_map. cbn [fst snd]. f_equal. f_equal.
    unfold pick, Rdiv. rewrite <- sum_scal_r. apply sum_ext. intros c Hc. apply picks_rest in Hc.
    rewrite IH by congruence. rewrite Hc. unfold Rdiv. ring.
  Qed.

  Lemma inserted_linear U V U' u v h ys w :
    (forall h z, In z outs -> U' h z = u * U h z + v * V h z) -> Forall (fun z => In z outs) w ->
    inserted U' h ys w = u * inserted U h ys w + v * inserted V h ys w.
  Proof.
    intros HU. revert h ys; induction w as [|z w IH]; intros h ys F; cbn; [ring|].
    inversion F; subst. rewrite HU by assumption.
    rewrite (pick_ext ys (fun y r => K h y z * inserted U' (z :: h) r w)
      (fun y r => u * (K h y z * inserted U (z :: h) r w) + v * (K h y z * inserted V (z :: h) r w))).
    - rewrite pick_plus, !pick_scal. ring.
    - intros y r _. rewrite IH by assumption. ring.
  Qed.

  Hypotheses (HQ0 : forall h, law outs (Q0 h)) (HQ1 : forall h, law outs (Q1 h)) (HLO : randomiser outs LO).

  Lemma post_nonneg h ys a b w : Forall (fun z => In z outs) w -> 0 <= post h ys a b w.
  Proof.
    revert h ys a b; induction w as [|z w IH]; intros h ys a b F; [cbn; lra|]. inversion F; subst.
    cbn [post]. apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat, lt_0_INR; lia].
    repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; try apply pos_INR.
    - apply Rmult_le_pos; [now apply HQ0 | now apply IH].
    - apply Rmult_le_pos; [now apply HQ1 | now apply IH].
    - apply pick_nonneg. intros y r _. apply Rmult_le_pos; [now apply HLO | now apply IH].
  Qed.

  Lemma sum_post k : forall h ys a b, (a + b <= k)%nat -> sum (words outs k) (post h ys a b) <= 1.
  Proof.
    induction k as [|k IH]; intros h ys a b H; [cbn; lra|].
    assert (N0 : 0 < INR (S k)) by (apply lt_0_INR; lia).
    rewrite sum_words.
    set (A := fun z => sum (words outs k) (post (z :: h) ys (pred a) b)).
    set (B := fun z => sum (words outs k) (post (z :: h) ys a (pred b))).
    set (C := fun z r => sum (words outs k) (post (z :: h) r a b)).
    apply Rle_trans with (sum outs (fun z => / INR (S k) *
      (INR a * (Q0 h z * A z) + INR b * (Q1 h z * B z)
       + INR (S k - a - b) * pick ys (fun y r => LO h y z * C z r)))).
    { right. apply sum_ext. intros z _.
      rewrite (sum_ext (words outs k) _ (fun w => / INR (S k) *
        ((INR a * (Q0 h z * post (z :: h) ys (pred a) b w) + INR b * (Q1 h z * post (z :: h) ys a (pred b) w))
         + INR (S k - a - b) * pick ys (fun y r => LO h y z * post (z :: h) r a b w)))).
      2:{ intros w Hw. apply words_length in Hw. cbn [post]. rewrite Hw. unfold Rdiv. ring. }
      rewrite sum_scal. f_equal. rewrite !sum_plus, !sum_scal. f_equal. f_equal.
      rewrite pick_sum. apply pick_ext. intros. now rewrite sum_scal. }
    rewrite sum_scal. apply (Rmult_le_reg_l (INR (S k))); [assumption|].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, Rmult_1_r by lra.
    assert (SA : INR a * sum outs (fun z => Q0 h z * A z) <= INR a).
    { destruct a as [|a]; [cbn; lra|]. rewrite <- (Rmult_1_r (INR (S a))) at 2.
      apply Rmult_le_compat_l; [apply pos_INR|]. destruct (HQ0 h) as [M <-]. apply sum_le. intros z Hz.
      rewrite <- (Rmult_1_r (Q0 h z)) at 2. apply Rmult_le_compat_l; [now apply M|]. apply IH. cbn. lia. }
    assert (SB : INR b * sum outs (fun z => Q1 h z * B z) <= INR b).
    { destruct b as [|b]; [cbn; lra|]. rewrite <- (Rmult_1_r (INR (S b))) at 2.
      apply Rmult_le_compat_l; [apply pos_INR|]. destruct (HQ1 h) as [M <-]. apply sum_le. intros z Hz.
      rewrite <- (Rmult_1_r (Q1 h z)) at 2. apply Rmult_le_compat_l; [now apply M|]. apply IH. cbn. lia. }
    assert (SC : INR (S k - a - b) * sum outs (fun z => pick ys (fun y r => LO h y z * C z r)) <= INR (S k - a - b)).
    { destruct (S k - a - b)%nat as [|j] eqn:J; [cbn; lra|]. rewrite <- (Rmult_1_r (INR (S j))) at 2.
      apply Rmult_le_compat_l; [apply pos_INR|]. rewrite pick_sum.
      apply Rle_trans with (pick ys (fun _ _ => 1)).
      - apply pick_le. intros y r _. destruct (HLO h y) as [M <-]. apply sum_le. intros z Hz.
        rewrite <- (Rmult_1_r (LO h y z)) at 2. apply Rmult_le_compat_l; [now apply M|]. apply IH. lia.
      - destruct ys as [|y0 ys']; [unfold pick, Rdiv; cbn; lra|]. right. apply pick_const. cbn. lia. }
    rewrite !sum_plus, !sum_scal.
    assert (INR a + INR b + INR (S k - a - b) = INR (S k)) by (rewrite INR_rest by lia; ring). lra.
  Qed.

  (* It is a kernel. *)
  Lemma post_sub_markov ys k l : sub_markov l (words outs k) (post_processing ys).
  Proof.
    intros c _. unfold post_processing. split.
    - intros w Hw. apply in_words in Hw as [_ F]. destruct (_ <=? _)%nat; [now apply post_nonneg | lra].
    - destruct (fst c + snd c <=? k)%nat eqn:L.
      + rewrite (sum_ext _ _ (post [] ys (fst c) (snd c))).
        * apply sum_post. now apply Nat.leb_le.
        * intros w Hw. apply words_length in Hw. now rewrite Hw, L.
      + rewrite (sum_ext _ _ (fun _ => 0)).
        * rewrite sum_zero. lra.
        * intros w Hw. apply words_length in Hw. now rewrite Hw, L.
  Qed.

  (* The mixture that everyone samples from. *)
  Hypothesis mixture : forall h y z, In z outs -> K h y z = r0 * Q0 h z + r1 * Q1 h z + (1 - r0 - r1) * LO h y z.

  (* The others: counts, then the post-processing. *)
  Lemma draw_post h ys w :
    (length w <= length ys)%nat -> Forall (fun z => In z outs) w ->
    draw K h ys w = counts_mean r0 r1 (length w) (fun a b => post h ys a b w).
  Proof.
    revert h ys; induction w as [|z w IH]; intros h ys H F; [reflexivity|].
    inversion F; subst. cbn [length] in *. set (k := length w) in *.
    assert (N0 : INR (S k) <> 0) by (apply not_0_INR; lia).
    set (f := fun a b => post (z :: h) ys a b w).
    set (g := fun y r a b => LO h y z * post (z :: h) r a b w).
    rewrite (counts_mean_ext r0 r1 (S k) (fun a b => post h ys a b (z :: w)) (fun a b => / INR (S k) *
      (1 * (1 * (INR a * (Q0 h z * f (pred a) b)) + 1 * (INR b * (Q1 h z * f a (pred b))))
       + 1 * (INR (S k - a - b) * pick ys (fun y r => g y r a b)))))
      by (intros; cbn [post]; fold k; unfold f, g, Rdiv; ring).
    rewrite mean_scal, !counts_mean_linear.
    rewrite (mean_pred_a r0 r1 (S k) (fun a b => Q0 h z * f a b)),
      (mean_pred_b r0 r1 (S k) (fun a b => Q1 h z * f a b)), (mean_rest r0 r1 (S k)).
    cbn [pred]. rewrite !mean_scal, mean_pick.
    replace (counts_mean r0 r1 k f) with (draw K (z :: h) ys w) by (apply IH; [lia | assumption]).
    rewrite (pick_ext ys (fun y r => counts_mean r0 r1 k (g y r)) (fun y r => LO h y z * draw K (z :: h) r w)).
    2:{ intros y r L. unfold g. rewrite mean_scal. f_equal. symmetry. apply IH; [lia | assumption]. }
    cbn [draw].
    rewrite (pick_ext ys (fun y r => K h y z * draw K (z :: h) r w)
      (fun y r => (r0 * Q0 h z + r1 * Q1 h z) * draw K (z :: h) r w
                  + (1 - r0 - r1) * (LO h y z * draw K (z :: h) r w)))
      by (intros; rewrite mixture by assumption; ring).
    rewrite pick_plus, !pick_scal, (pick_draw K) by lia. field. assumption.
  Qed.

  (* With one who is counted in a ... *)
  Lemma inserted_post_a h ys w z :
    (length w <= length ys)%nat -> Forall (fun z => In z outs) (z :: w) ->
    inserted Q0 h ys (z :: w)
    = INR (S (length w)) * counts_mean r0 r1 (length w) (fun a b => post h ys (S a) b (z :: w)).
  Proof.
    revert h ys z; induction w as [|z' w IH]; intros h ys z H F; inversion F; subst.
    - cbn. rewrite (pick_ext ys _ (fun y r => 0 * K h y z)) by (intros; ring).
      rewrite pick_scal. field.
    - set (v := z' :: w) in *. set (k := length v) in *.
      assert (Hk : k = S (length w)) by reflexivity.
      assert (N0 : INR (S k) <> 0) by (apply not_0_INR; lia).
      set (f := fun a b => post (z :: h) ys (S a) b v).
      set (g := fun y r a b => LO h y z * post (z :: h) r (S a) b v).
      rewrite (counts_mean_ext r0 r1 k (fun a b => post h ys (S a) b (z :: v)) (fun a b => / INR (S k) *
        (1 * (1 * (Q0 h z * post (z :: h) ys a b v)
              + 1 * (1 * (INR a * (Q0 h z * f (pred a) b)) + 1 * (INR b * (Q1 h z * f a (pred b)))))
         + 1 * (INR (k - a - b) * pick ys (fun y r => g y r a b))))).
      2:{ intros a b L. cbn [post]. fold v k. unfold f, g.
          replace (S k - S a - b)%nat with (k - a - b)%nat by lia. cbn [pred]. rewrite (S_INR a).
          destruct a as [|a]; cbn [pred]; [cbn [INR]|]; unfold Rdiv; ring. }
      rewrite mean_scal, !counts_mean_linear, mean_scal.
      rewrite (mean_pred_a r0 r1 k (fun a b => Q0 h z * f a b)),
        (mean_pred_b r0 r1 k (fun a b => Q1 h z * f a b)), (mean_rest r0 r1 k).
      rewrite !mean_scal, mean_pick.
      replace (counts_mean r0 r1 k (fun a b => post (z :: h) ys a b v)) with (draw K (z :: h) ys v)
        by (apply draw_post; assumption).
      change (pred k) with (length w).
      assert (I : forall r, (length w <= length r)%nat -> inserted Q0 (z :: h) r v
        = INR k * counts_mean r0 r1 (length w) (fun a b => post (z :: h) r (S a) b v)) by (intros; now apply IH).
      cbn [inserted].
      rewrite (pick_ext ys (fun y r => K h y z * inserted Q0 (z :: h) r v)
        (fun y r => (r0 * Q0 h z + r1 * Q1 h z) * inserted Q0 (z :: h) r v
                    + (1 - r0 - r1) * (INR k * counts_mean r0 r1 (length w) (g y r)))).
      2:{ intros y r L. rewrite mixture by assumption. unfold g. rewrite mean_scal.
          rewrite (I r) by lia. ring. }
      rewrite pick_plus, !pick_scal, pick_inserted by assumption. rewrite (I ys) by lia.
      unfold f. field. assumption.
  Qed.
End Reduction.

(* -------- Both neighbours -------- *)

Lemma counts_mean_swap r0 r1 N f : counts_mean r0 r1 N f = counts_mean r1 r0 N (fun a b => f b a).
Proof.
  revert f; induction N as [|N IH]; intros f; [reflexivity|]. cbn [counts_mean].
  rewrite (IH f), (IH (fun a b => f (S a) b)), (IH (fun a b => f a (S b))). ring.
Qed.

Lemma post_swap {X Z} (LO : list Z -> X -> Z -> R) Q0 Q1 h ys a b w :
  post LO Q0 Q1 h ys a b w = post LO Q1 Q0 h ys b a w.
Proof.
  revert h ys a b; induction w as [|z w IH]; intros h ys a b; [reflexivity|]. cbn [post].
  rewrite (IH (z :: h) ys (pred a) b), (IH (z :: h) ys a (pred b)).
  rewrite (pick_ext ys _ (fun y r => LO h y z * post LO Q1 Q0 (z :: h) r b a w)) by (intros; now rewrite IH).
  replace (S (length w) - a - b)%nat with (S (length w) - b - a)%nat by lia.
  f_equal. ring.
Qed.

Section Pair.
  Context {X Z : Type} (outs : list Z) (K LO : list Z -> X -> Z -> R) (Q0 Q1 : list Z -> Z -> R) (r0 r1 : R).
  Hypotheses (HQ0 : forall h, law outs (Q0 h)) (HQ1 : forall h, law outs (Q1 h)) (HLO : randomiser outs LO).
  Hypothesis mixture : forall h y z, In z outs -> K h y z = r0 * Q0 h z + r1 * Q1 h z + (1 - r0 - r1) * LO h y z.

  Lemma inserted_post_b h ys w z :
    (length w <= length ys)%nat -> Forall (fun z => In z outs) (z :: w) ->
    inserted K Q1 h ys (z :: w)
    = INR (S (length w)) * counts_mean r0 r1 (length w) (fun a b => post LO Q0 Q1 h ys a (S b) (z :: w)).
  Proof.
    intros H F.
    rewrite (inserted_post_a outs K LO Q1 Q0 r1 r0) by (assumption || (intros; rewrite mixture by assumption; ring)).
    f_equal. rewrite counts_mean_swap. apply counts_mean_ext. intros a b _. apply post_swap.
  Qed.

  (* A user with the randomiser U h = w0 Q0 h + w1 Q1 h at a uniformly random
     position among N users xs: counts, and the post-processing. *)
  Lemma inserted_push U xs w0 w1 w :
    (forall h z, In z outs -> U h z = w0 * Q0 h z + w1 * Q1 h z) ->
    In w (words outs (S (length xs))) ->
    inserted K U [] xs w / INR (S (length xs))
    = push (counts (length xs)) (post_processing LO Q0 Q1 xs) (with_user w0 w1 0 (others r0 r1 (length xs))) w.
  Proof.
    intros HU Hw. apply in_words in Hw as [L F].
    rewrite (inserted_linear outs K Q0 Q1 _ w0 w1) by assumption.
    unfold push. set (f := fun a b => post_processing LO Q0 Q1 xs (a, b) w).
    rewrite (sum_ext (counts _) _ (fun c => with_user w0 w1 0 (others r0 r1 (length xs)) c * f (fst c) (snd c)))
      by (intros [a b] _; reflexivity).
    rewrite with_user_mean. unfold f, post_processing. cbn [fst snd].
    rewrite (counts_mean_ext _ _ _ (fun a b => if (S a + b <=? length w)%nat then _ else 0)
      (fun a b => post LO Q0 Q1 [] xs (S a) b w)).
    2:{ intros a b H. destruct (Nat.leb_spec (S a + b) (length w)); [reflexivity | lia]. }
    rewrite (counts_mean_ext _ _ _ (fun a b => if (a + S b <=? length w)%nat then _ else 0)
      (fun a b => post LO Q0 Q1 [] xs a (S b) w)).
    2:{ intros a b H. destruct (Nat.leb_spec (a + S b) (length w)); [reflexivity | lia]. }
    destruct w as [|z w]; [discriminate|]. cbn [length] in L. injection L as L.
    rewrite (inserted_post_a outs K LO Q0 Q1 r0 r1), inserted_post_b by (assumption || lia).
    rewrite L. field. apply not_0_INR. lia.
  Qed.

  (* The same for a user x of K's own. *)
  Theorem shuffled_push x xs w0 w1 w :
    (forall h z, In z outs -> K h x z = w0 * Q0 h z + w1 * Q1 h z) ->
    In w (words outs (S (length xs))) ->
    shuffled K (x :: xs) w
    = push (counts (length xs)) (post_processing LO Q0 Q1 xs) (with_user w0 w1 0 (others r0 r1 (length xs))) w.
  Proof.
    intros HX Hw. rewrite <- (inserted_push (fun h => K h x)) by assumption.
    apply in_words in Hw as [L _].
    now rewrite shuffled_draw, draw_inserted by (assumption || rewrite L; reflexivity).
  Qed.
End Pair.

(* -------- Lemma 3.3 -------- *)

(* The randomiser K with two inputs added to its domain, on which it is Q0 and Q1. *)
Definition with_two {X Z} (Q0 Q1 : list Z -> Z -> R) (K : list Z -> X -> Z -> R) (h : list Z) (u : bool + X) : Z -> R :=
  match u with
  | inl true => Q0 h
  | inl false => Q1 h
  | inr y => K h y
  end.

Lemma pick_map {X Y} (f : X -> Y) xs g : pick (map f xs) g = pick xs (fun x r => g (f x) (map f r)).
Proof.
  unfold pick. rewrite map_length. f_equal. revert g; induction xs as [|x xs IH]; intros g; [reflexivity|].
  cbn. rewrite !sum_map. f_equal. exact (IH (fun y r => g y (f x :: r))).
Qed.

Lemma draw_with_two {X Z} Q0 Q1 (K : list Z -> X -> Z -> R) h xs w :
  draw (with_two Q0 Q1 K) h (map inr xs) w = draw K h xs w.
Proof.
  revert h xs; induction w as [|z w IH]; intros h xs; [reflexivity|]. cbn [draw]. rewrite pick_map.
  apply pick_ext. intros x r _. now rewrite IH.
Qed.

Lemma inserted_with_two {X Z} Q0 Q1 (K : list Z -> X -> Z -> R) U h xs w :
  inserted (with_two Q0 Q1 K) U h (map inr xs) w = inserted K U h xs w.
Proof.
  revert h xs; induction w as [|z w IH]; intros h xs; [reflexivity|]. cbn [inserted].
  rewrite pick_map, draw_with_two. f_equal. apply pick_ext. intros x r _. now rewrite IH.
Qed.

(* Lemma 3.3 of arXiv 2012.12803: if everyone else's randomiser is the mixture of
   Q0, Q1 (p/2 each) and a rest, then the shuffles with a user who answers by
   Q0 and with one who answers by Q1 are post-processings by one kernel of the
   counts of a user who is counted in a, or in b, among N others who are counted
   in either with probability p/2. *)
Theorem clones_lemma_3_3 {X Z} (outs : list Z) (K LO : list Z -> X -> Z -> R) Q0 Q1 p xs :
  (forall h, law outs (Q0 h)) -> (forall h, law outs (Q1 h)) -> randomiser outs LO ->
  (forall h y z, In z outs -> K h y z = p / 2 * Q0 h z + p / 2 * Q1 h z + (1 - p) * LO h y z) ->
  sub_markov (counts (length xs)) (words outs (S (length xs))) (post_processing LO Q0 Q1 xs)
  /\ forall w, In w (words outs (S (length xs))) ->
     shuffled (with_two Q0 Q1 K) (inl true :: map inr xs) w
     = push (counts (length xs)) (post_processing LO Q0 Q1 xs) (trinomial_P 1 0 0 (p / 2) (p / 2) (length xs)) w
     /\ shuffled (with_two Q0 Q1 K) (inl false :: map inr xs) w
        = push (counts (length xs)) (post_processing LO Q0 Q1 xs) (trinomial_Q 1 0 0 (p / 2) (p / 2) (length xs)) w.
Proof.
  intros H0 H1 HL HM. split; [now apply post_sub_markov|]. intros w Hw.
  assert (M : forall h y z, In z outs -> K h y z = p / 2 * Q0 h z + p / 2 * Q1 h z + (1 - p / 2 - p / 2) * LO h y z)
    by (intros; rewrite HM by assumption; field).
  assert (L : length w = S (length xs)) by now apply in_words in Hw.
  assert (S : forall u, shuffled (with_two Q0 Q1 K) (u :: map inr xs) w
    = inserted K (fun h => with_two Q0 Q1 K h u) [] xs w / INR (S (length xs))).
  { intros u. rewrite shuffled_draw by (cbn; rewrite map_length; exact L).
    rewrite draw_inserted by (rewrite map_length; exact L). now rewrite inserted_with_two, map_length. }
  rewrite !S. split.
  - apply (inserted_push outs K LO Q0 Q1 (p / 2) (p / 2) M); [|assumption]. intros. cbn. ring.
  - apply (inserted_push outs K LO Q0 Q1 (p / 2) (p / 2) M); [|assumption]. intros. cbn. ring.
Qed.

(* -------- Lemma 3.4 -------- *)

(* Q(0) of the lemma for P0 = P, P1 = P'; exchanged, Q(1). *)
Definition purer {Z} (E : R) (P P' : Z -> R) (z : Z) : R :=
  if Req_EM_T E 1 then P z else (E * P z - P' z) / (E - 1).

Lemma purer_law {Z} (outs : list Z) E P P' :
  1 <= E -> law outs P -> law outs P' -> (forall z, In z outs -> P' z <= E * P z) -> law outs (purer E P P').
Proof.
  intros H [M S] [M' S'] L. unfold purer. destruct (Req_EM_T E 1) as [->|N]; [now split|].
  assert (0 < / (E - 1)) by (apply Rinv_0_lt_compat; lra). split.
  - intros z Hz. specialize (L z Hz). unfold Rdiv. apply Rmult_le_pos; lra.
  - unfold Rdiv. rewrite sum_scal_r, sum_minus, sum_scal, S, S'. field. lra.
Qed.

(* Where one law is at least the other everywhere, they are equal. *)
Lemma law_le_eq {Z} (outs : list Z) P P' :
  law outs P -> law outs P' -> (forall z, In z outs -> P' z <= P z) -> forall z, In z outs -> P z = P' z.
Proof.
  intros [_ S] [_ S'] L z Hz.
  assert (P z - P' z <= sum outs (fun z => P z - P' z)).
  { apply (sum_term outs (fun z => P z - P' z) z Hz). intros y Hy. specialize (L y Hy). lra. }
  rewrite sum_minus, S, S' in *. specialize (L z Hz). lra.
Qed.

(* Lemma 3.4 of arXiv 2012.12803 (Kairouz, Oh, Viswanath): two laws within a
   factor E are binary randomised response, followed by Q(0) or Q(1). *)
Theorem clones_lemma_3_4 {Z} (outs : list Z) E P0 P1 :
  1 <= E -> law outs P0 -> law outs P1 ->
  (forall z, In z outs -> P0 z <= E * P1 z) -> (forall z, In z outs -> P1 z <= E * P0 z) ->
  law outs (purer E P0 P1) /\ law outs (purer E P1 P0)
  /\ forall z, In z outs ->
     P0 z = E / (E + 1) * purer E P0 P1 z + 1 / (E + 1) * purer E P1 P0 z
     /\ P1 z = 1 / (E + 1) * purer E P0 P1 z + E / (E + 1) * purer E P1 P0 z.
Proof.
  intros H H0 H1 L0 L1. split; [now apply purer_law|]. split; [now apply purer_law|].
  intros z Hz. unfold purer. destruct (Req_EM_T E 1) as [->|N].
  - assert (P1 z = P0 z).
    { apply (law_le_eq outs); auto. intros y Hy. specialize (L0 y Hy). lra. }
    split; lra.
  - split; field; lra.
Qed.

(* -------- What is left over -------- *)

(* K = p/2 (P0 + P1) + (1 - p) left_over. *)
Definition left_over {Z} (p : R) (P0 P1 K : Z -> R) (z : Z) : R :=
  if Req_EM_T p 1 then K z else (K z - p / 2 * (P0 z + P1 z)) / (1 - p).

Lemma left_over_law {Z} (outs : list Z) p P0 P1 K :
  p <= 1 -> law outs P0 -> law outs P1 -> law outs K ->
  (forall z, In z outs -> p / 2 * (P0 z + P1 z) <= K z) -> law outs (left_over p P0 P1 K).
Proof.
  intros H [_ S0] [_ S1] [M S] L. unfold left_over. destruct (Req_EM_T p 1) as [_|N]; [now split|].
  assert (0 < / (1 - p)) by (apply Rinv_0_lt_compat; lra). split.
  - intros z Hz. specialize (L z Hz). unfold Rdiv in *. apply Rmult_le_pos; lra.
  - unfold Rdiv at 1. rewrite sum_scal_r, sum_minus, sum_scal, sum_plus, S, S0, S1. field. lra.
Qed.

Lemma left_over_mixture {Z} (outs : list Z) p P0 P1 K :
  law outs P0 -> law outs P1 -> law outs K ->
  (forall z, In z outs -> p / 2 * (P0 z + P1 z) <= K z) ->
  forall z, In z outs -> K z = p / 2 * (P0 z + P1 z) + (1 - p) * left_over p P0 P1 K z.
Proof.
  intros [M0 S0] [M1 S1] HK L z Hz. unfold left_over. destruct (Req_EM_T p 1) as [->|N]; [|field; lra].
  rewrite (law_le_eq outs K (fun z => 1 / 2 * (P0 z + P1 z))); auto; [lra|]. split.
  - intros y Hy. specialize (M0 y Hy). specialize (M1 y Hy). lra.
  - rewrite sum_scal, sum_plus, S0, S1. lra.
Qed.

(* -------- The theorem -------- *)

(* If every input's law is at least p/2 times the sum of those of x0 and x1, the
   shuffle is a post-processing of the pair with Pr[clone] = p. *)
Theorem clones_post_processing {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E p x0 x1 xs :
  randomiser outs K -> ldp outs E K -> 1 <= E -> p <= 1 ->
  (forall h y z, In z outs -> p / 2 * (K h x0 z + K h x1 z) <= K h y z) ->
  exists T, sub_markov (counts (length xs)) (words outs (S (length xs))) T
  /\ forall w, In w (words outs (S (length xs))) ->
     shuffled K (x0 :: xs) w
     = push (counts (length xs)) T (trinomial_P (E / (E + 1)) (1 / (E + 1)) 0 (p / 2) (p / 2) (length xs)) w
     /\ shuffled K (x1 :: xs) w
        = push (counts (length xs)) T (trinomial_Q (E / (E + 1)) (1 / (E + 1)) 0 (p / 2) (p / 2) (length xs)) w.
Proof.
  intros HK HL HE HP HC.
  set (Q0 := fun h => purer E (K h x0) (K h x1)). set (Q1 := fun h => purer E (K h x1) (K h x0)).
  set (LO := fun h y => left_over p (K h x0) (K h x1) (K h y)).
  assert (D : forall h, law outs (Q0 h) /\ law outs (Q1 h) /\ forall z, In z outs ->
    K h x0 z = E / (E + 1) * Q0 h z + 1 / (E + 1) * Q1 h z /\ K h x1 z = 1 / (E + 1) * Q0 h z + E / (E + 1) * Q1 h z).
  { intros h. apply clones_lemma_3_4; auto; intros z Hz; now apply HL. }
  assert (HQ0 : forall h, law outs (Q0 h)) by (intros; apply D).
  assert (HQ1 : forall h, law outs (Q1 h)) by (intros; apply D).
  assert (HLO : randomiser outs LO) by (intros h y; apply left_over_law; auto).
  assert (HM : forall h y z, In z outs -> K h y z = p / 2 * Q0 h z + p / 2 * Q1 h z + (1 - p / 2 - p / 2) * LO h y z).
  { intros h y z Hz. unfold LO. rewrite (left_over_mixture outs p (K h x0) (K h x1) (K h y)) at 1; auto.
    destruct (D h) as (_ & _ & DK). destruct (DK z Hz) as [DK0 DK1].
    assert (DS : K h x0 z + K h x1 z = Q0 h z + Q1 h z) by (rewrite DK0, DK1; field; lra).
    rewrite DS. field. }
  exists (post_processing LO Q0 Q1 xs). split; [now apply post_sub_markov|].
  intros w Hw. split.
  - apply (shuffled_push outs K LO Q0 Q1 (p / 2) (p / 2) HM); [|assumption]. intros. now apply D.
  - apply (shuffled_push outs K LO Q0 Q1 (p / 2) (p / 2) HM); [|assumption]. intros. now apply D.
Qed.

(* Domination follows. *)
Corollary clones_post_dominates {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E p x0 x1 xs :
  randomiser outs K -> ldp outs E K -> 1 <= E -> p <= 1 ->
  (forall h y z, In z outs -> p / 2 * (K h x0 z + K h x1 z) <= K h y z) ->
  dominates (counts (length xs)) (trinomial_P (E / (E + 1)) (1 / (E + 1)) 0 (p / 2) (p / 2) (length xs))
      (trinomial_Q (E / (E + 1)) (1 / (E + 1)) 0 (p / 2) (p / 2) (length xs))
    (words outs (S (length xs))) (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs)).
Proof.
  intros HK HL HE HP HC. destruct (clones_post_processing outs K E p x0 x1 xs) as (T & HT & HS); auto.
  intros alpha H. rewrite (hockey_ext (words outs _) alpha _ _ _ _ (fun w Hw => proj1 (HS w Hw)) (fun w Hw => proj2 (HS w Hw))).
  now apply hockey_data_processing.
Qed.

(* Remark 3.5 of arXiv 2012.12803: the shuffle of LDP randomisers is a
   post-processing of the clones pair, which therefore dominates it. *)
Theorem clones_remark_3_5 {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E x0 x1 xs :
  randomiser outs K -> ldp outs E K -> 1 <= E ->
  exists T, sub_markov (counts (length xs)) (words outs (S (length xs))) T
  /\ forall w, In w (words outs (S (length xs))) ->
     shuffled K (x0 :: xs) w = push (counts (length xs)) T (clones_P E (length xs)) w
     /\ shuffled K (x1 :: xs) w = push (counts (length xs)) T (clones_Q E (length xs)) w.
Proof.
  intros HK HL HE. unfold clones_P, clones_Q. replace (1 / (2 * E)) with (/ E / 2) by (field; lra).
  apply clones_post_processing; auto.
  - rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
  - intros h y z Hz. apply (Rmult_le_reg_l E); [lra|].
    replace (E * (/ E / 2 * (K h x0 z + K h x1 z))) with ((K h x0 z + K h x1 z) / 2) by (field; lra).
    pose proof (HL h x0 y z Hz). pose proof (HL h x1 y z Hz). lra.
Qed.

Corollary clones_dominates_post {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E x0 x1 xs alpha :
  randomiser outs K -> ldp outs E K -> 1 <= E ->
  hockey (words outs (S (length xs))) alpha (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs))
  <= clones_hockey E (length xs) alpha.
Proof.
  intros HK HL HE. destruct (clones_remark_3_5 outs K E x0 x1 xs HK HL HE) as (T & HT & HS).
  rewrite (hockey_ext (words outs _) alpha _ _ _ _ (fun w Hw => proj1 (HS w Hw)) (fun w Hw => proj2 (HS w Hw))).
  now apply hockey_data_processing.
Qed.

(* Where every law is at least that of x0 and of x1 together over E + 1, as for
   k-ary randomised response, the stronger clones pair too has such a kernel
   (arXiv 2208.04591, Lemma 3.5 under this condition; without it that
   lemma's decomposition need not exist, and Stronger.v goes another way). *)
Theorem stronger_post_processing {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E x0 x1 xs :
  randomiser outs K -> ldp outs E K -> 1 <= E ->
  (forall h y z, In z outs -> K h x0 z + K h x1 z <= (E + 1) * K h y z) ->
  exists T, sub_markov (counts (length xs)) (words outs (S (length xs))) T
  /\ forall w, In w (words outs (S (length xs))) ->
     shuffled K (x0 :: xs) w = push (counts (length xs)) T (stronger_P E (length xs)) w
     /\ shuffled K (x1 :: xs) w = push (counts (length xs)) T (stronger_Q E (length xs)) w.
Proof.
  intros HK HL HE HC. unfold stronger_P, stronger_Q.
  pose proof (over_E_plus E HE).
  replace (trinomial_P (E / (E + 1)) (1 / (E + 1)) 0 (1 / (E + 1)) (1 / (E + 1)))
    with (trinomial_P (E / (E + 1)) (1 / (E + 1)) 0 (2 / (E + 1) / 2) (2 / (E + 1) / 2)) by (f_equal; field; lra).
  replace (trinomial_Q (E / (E + 1)) (1 / (E + 1)) 0 (1 / (E + 1)) (1 / (E + 1)))
    with (trinomial_Q (E / (E + 1)) (1 / (E + 1)) 0 (2 / (E + 1) / 2) (2 / (E + 1) / 2)) by (f_equal; field; lra).
  apply clones_post_processing; auto.
  - replace (2 / (E + 1)) with (2 * (1 / (E + 1))) by (field; lra). lra.
  - intros h y z Hz. apply (Rmult_le_reg_l (E + 1)); [lra|].
    replace ((E + 1) * (2 / (E + 1) / 2 * (K h x0 z + K h x1 z))) with (K h x0 z + K h x1 z) by (field; lra).
    now apply HC.
Qed.

(* An instance of the condition: binary randomised response. *)
Example binary_condition E h y z : 1 <= E -> binary E h true z + binary E h false z <= (E + 1) * binary E h y z.
Proof.
  intros H. assert (E + 1 <> 0) by lra. pose proof (over_E_plus E H).
  assert (D : E / (E + 1) = 1 - 1 / (E + 1)) by (field; lra).
  unfold binary. destruct y, z; cbn; rewrite D; assert ((E + 1) * (1 / (E + 1)) = 1) by (field; lra); nra.
Qed.
