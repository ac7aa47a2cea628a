(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The elementary theory of the hockey-stick divergence of two mass functions
 * on a finite list of outcomes. It is what ../pld.md, ../trinomial-pair.md,
 * ../blanket.md and ../subsample.md use without proof:
 *
 *   as a function of alpha: its value at 0, monotone, Lipschitz, convex;
 *   in the pair: scaling, joint convexity, the value for P = Q;
 *   events are lower bounds and one event attains it;
 *   the probability that P >= alpha Q is an upper bound;
 *   data processing for sub-Markov kernels;
 *   exchanging P and Q (alpha becomes 1/alpha);
 *   outcomes left out (truncation);
 *   disjoint unions: mixtures whose label is revealed.
 *
 * Masses need not add up to one unless a theorem says `law`.
 *)
From Coq Require Import Reals List Lra Arith Psatz Permutation.
From Shufbound Require Import Sum Hockey.
Import ListNotations.
Open Scope R_scope.

(* ---- lemmas on sums ---- *)

Lemma sum_flat_map {A B} (h : A -> list B) l (f : B -> R) :
  sum (flat_map h l) f = sum l (fun x => sum (h x) f).
Proof. induction l as [|x l IH]; cbn; [reflexivity|]. now rewrite sum_app, IH. Qed.

Lemma sum_permutation {A} (l r : list A) f : Permutation l r -> sum l f = sum r f.
Proof. induction 1; cbn; lra. Qed.

(* The sum over the outcomes where b holds, and over the others. *)
Lemma sum_split {A} (b : A -> bool) l f :
  sum l f = sum (filter b l) f + sum (filter (fun x => negb (b x)) l) f.
Proof.
  rewrite !sum_filter, <- sum_plus. apply sum_ext. intros x _.
  destruct (b x); cbn; lra.
Qed.

(* ---- lemmas on the positive part ---- *)

Lemma pos_convex t x y : 0 <= t <= 1 -> pos ((1 - t) * x + t * y) <= (1 - t) * pos x + t * pos y.
Proof.
  intros T. rewrite <- !pos_scal by lra. apply pos_plus.
Qed.

Lemma pos_minus x y : pos x - pos y <= pos (x - y).
Proof. pose proof (pos_plus (x - y) y). replace (x - y + y) with x in H by lra. lra. Qed.

Lemma pos_sum {A} (l : list A) f : pos (sum l f) <= sum l (fun x => pos (f x)).
Proof.
  induction l as [|x l IH]; cbn.
  - rewrite pos_id; lra.
  - pose proof (pos_plus (f x) (sum l f)). lra.
Qed.

(* A factor w >= 0 comes out of pos (w p - alpha (w q)). *)
Lemma pos_weight w p q alpha : 0 <= w -> pos (w * p - alpha * (w * q)) = w * pos (p - alpha * q).
Proof. intros W. rewrite <- pos_scal by exact W. f_equal. ring. Qed.

(* ---- the divergence as a function of alpha ---- *)

Section Alpha.
  Context {A : Type} (l : list A) (P Q : A -> R).

  Lemma hockey_nonneg alpha : 0 <= hockey l alpha P Q.
  Proof. apply sum_nonneg. intros. apply pos_nonneg. Qed.

  (* At alpha = 0 it is the mass of P. *)
  Theorem hockey_zero : mass l P -> hockey l 0 P Q = sum l P.
  Proof.
    intros M. apply sum_ext. intros x I. rewrite pos_id; specialize (M x I); lra.
  Qed.

  (* It does not increase with alpha. *)
  Theorem hockey_decreasing a b : mass l Q -> a <= b -> hockey l b P Q <= hockey l a P Q.
  Proof.
    intros M H. apply sum_le. intros x I. apply pos_le. specialize (M x I). nra.
  Qed.

  (* It falls with slope at most the mass of Q. *)
  Theorem hockey_lipschitz a b :
    mass l Q -> a <= b -> hockey l a P Q - hockey l b P Q <= (b - a) * sum l Q.
  Proof.
    intros M H. unfold hockey. rewrite <- sum_minus, <- sum_scal. apply sum_le. intros x I.
    specialize (M x I). eapply Rle_trans; [apply pos_minus|].
    replace (P x - a * Q x - (P x - b * Q x)) with ((b - a) * Q x) by ring.
    rewrite pos_id; [lra|]. apply Rmult_le_pos; lra.
  Qed.

  (* It is convex in alpha. *)
  Theorem hockey_convex t a b :
    0 <= t <= 1 -> hockey l ((1 - t) * a + t * b) P Q <= (1 - t) * hockey l a P Q + t * hockey l b P Q.
  Proof.
    intros T. unfold hockey. rewrite <- !sum_scal, <- sum_plus. apply sum_le. intros x _.
    replace (P x - ((1 - t) * a + t * b) * Q x)
      with ((1 - t) * (P x - a * Q x) + t * (P x - b * Q x)) by ring.
    now apply pos_convex.
  Qed.

  (* It is at most the mass of P. *)
  Lemma hockey_le_mass alpha : 0 <= alpha -> mass l P -> mass l Q -> hockey l alpha P Q <= sum l P.
  Proof. intros. rewrite <- hockey_zero by assumption. now apply hockey_decreasing. Qed.

  (* It is at least the difference of the masses. *)
  Lemma hockey_ge_masses alpha : sum l P - alpha * sum l Q <= hockey l alpha P Q.
  Proof.
    rewrite <- sum_scal, <- sum_minus. apply sum_le. intros. apply pos_ge.
  Qed.

  (* It is zero where P <= alpha Q on every outcome: alpha = e^eps, eps the largest loss. *)
  Lemma hockey_vanishes alpha : (forall x, In x l -> P x <= alpha * Q x) -> hockey l alpha P Q = 0.
  Proof.
    intros H. rewrite <- (sum_zero l). apply sum_ext. intros x I. apply pos_zero.
    specialize (H x I). lra.
  Qed.
End Alpha.

(* ---- the divergence as a function of the pair ---- *)

Section Pair.
  Context {A : Type} (l : list A).
  Implicit Types P Q R : A -> R.

  Lemma hockey_ext alpha P Q P' Q' :
    (forall x, In x l -> P x = P' x) -> (forall x, In x l -> Q x = Q' x) ->
    hockey l alpha P Q = hockey l alpha P' Q'.
  Proof. intros H K. apply sum_ext. intros x I. now rewrite H, K. Qed.

  (* More mass under P and less under Q: more divergence. *)
  Lemma hockey_mono alpha P Q P' Q' :
    0 <= alpha -> (forall x, In x l -> P x <= P' x) -> (forall x, In x l -> Q' x <= Q x) ->
    hockey l alpha P Q <= hockey l alpha P' Q'.
  Proof.
    intros H HP HQ. apply sum_le. intros x I. apply pos_le.
    specialize (HP x I). specialize (HQ x I). nra.
  Qed.

  Theorem hockey_scale c alpha P Q :
    0 <= c -> hockey l alpha (fun x => c * P x) (fun x => c * Q x) = c * hockey l alpha P Q.
  Proof.
    intros C. unfold hockey. rewrite <- sum_scal. apply sum_ext. intros. now apply pos_weight.
  Qed.

  (* A pair of equal masses. *)
  Theorem hockey_same alpha R : mass l R -> hockey l alpha R R = pos (1 - alpha) * sum l R.
  Proof.
    intros M. unfold hockey. rewrite <- sum_scal. apply sum_ext. intros x I.
    replace (R x - alpha * R x) with (R x * (1 - alpha)) by ring.
    rewrite pos_scal by now apply M. ring.
  Qed.

  (* Joint convexity: a mixture with weights w_i has at most the mean divergence. *)
  Theorem hockey_mixture {I : Type} (labels : list I) (w : I -> R) (P Q : I -> A -> R) alpha :
    mass labels w ->
    hockey l alpha (fun x => sum labels (fun i => w i * P i x)) (fun x => sum labels (fun i => w i * Q i x))
    <= sum labels (fun i => w i * hockey l alpha (P i) (Q i)).
  Proof.
    intros W. unfold hockey.
    rewrite (sum_ext labels _ (fun i => sum l (fun x => w i * pos (P i x - alpha * Q i x))))
      by (intros; now rewrite sum_scal).
    rewrite <- sum_swap. apply sum_le. intros x _.
    rewrite <- sum_scal, <- sum_minus. eapply Rle_trans; [apply pos_sum|]. apply sum_le. intros i Hi.
    apply Req_le. now apply pos_weight, W.
  Qed.

  (* Joint convexity for two pairs. *)
  Theorem hockey_jointly_convex t alpha P Q P' Q' :
    0 <= t <= 1 ->
    hockey l alpha (fun x => (1 - t) * P x + t * P' x) (fun x => (1 - t) * Q x + t * Q' x)
    <= (1 - t) * hockey l alpha P Q + t * hockey l alpha P' Q'.
  Proof.
    intros T. unfold hockey. rewrite <- !sum_scal, <- sum_plus. apply sum_le. intros x _.
    replace ((1 - t) * P x + t * P' x - alpha * ((1 - t) * Q x + t * Q' x))
      with ((1 - t) * (P x - alpha * Q x) + t * (P' x - alpha * Q' x)) by ring.
    now apply pos_convex.
  Qed.

  (* ---- events ---- *)

  (* Every event S gives a lower bound: P(S) - alpha Q(S) <= H_alpha. *)
  Theorem hockey_event (S : A -> bool) alpha P Q :
    sum (filter S l) P - alpha * sum (filter S l) Q <= hockey l alpha P Q.
  Proof.
    rewrite <- sum_scal, <- sum_minus, sum_filter. apply sum_le. intros x _.
    destruct (S x); [apply pos_ge | apply pos_nonneg].
  Qed.

  (* The event on which P exceeds alpha Q. *)
  Definition exceeds alpha P Q (x : A) : bool := if Rlt_dec (alpha * Q x) (P x) then true else false.

  (* It attains H_alpha. *)
  Theorem hockey_attained alpha P Q :
    hockey l alpha P Q
    = sum (filter (exceeds alpha P Q) l) P - alpha * sum (filter (exceeds alpha P Q) l) Q.
  Proof.
    rewrite <- sum_scal, <- sum_minus, sum_filter. apply sum_ext. intros x _. unfold exceeds.
    destruct (Rlt_dec (alpha * Q x) (P x)); [apply pos_id | apply pos_zero]; lra.
  Qed.

  (* The event on which the privacy loss is at least log alpha. *)
  Definition reaches alpha P Q (x : A) : bool := if Rle_dec (alpha * Q x) (P x) then true else false.

  (* H_alpha is at most the probability under P (of the same, joint, law) that P >= alpha Q. *)
  Theorem hockey_tail_probability alpha P Q :
    0 <= alpha -> mass l Q -> hockey l alpha P Q <= sum (filter (reaches alpha P Q) l) P.
  Proof.
    intros H M. rewrite sum_filter. apply sum_le. intros x I. specialize (M x I). unfold reaches.
    destruct (Rle_dec (alpha * Q x) (P x)).
    - rewrite pos_id by lra. assert (0 <= alpha * Q x) by now apply Rmult_le_pos. lra.
    - rewrite pos_zero; lra.
  Qed.
End Pair.

(* ---- exchanging P and Q ---- *)

(* H_alpha(P||Q) = P(all) - alpha Q(all) + alpha H_{1/alpha}(Q||P). *)
Theorem hockey_symmetry {A} (l : list A) alpha P Q :
  0 < alpha -> hockey l alpha P Q = sum l P - alpha * sum l Q + alpha * hockey l (1 / alpha) Q P.
Proof.
  intros H. unfold hockey. rewrite <- !sum_scal, <- sum_minus, <- sum_plus. apply sum_ext. intros x _.
  rewrite <- pos_scal by lra.
  replace (alpha * (Q x - 1 / alpha * P x)) with (- (P x - alpha * Q x)) by (field; lra).
  pose proof (pos_diff (P x - alpha * Q x)). lra.
Qed.

(* The same for probabilities. *)
Corollary hockey_symmetry_law {A} (l : list A) alpha P Q :
  0 < alpha -> law l P -> law l Q -> hockey l alpha P Q = 1 - alpha + alpha * hockey l (1 / alpha) Q P.
Proof. intros H [_ HP] [_ HQ]. rewrite hockey_symmetry, HP, HQ by exact H. lra. Qed.

(* So for probabilities the values at alpha >= 1 in both directions are the whole profile. *)
Corollary dominates_both_directions {A B} (l' : list B) P' Q' (l : list A) P Q :
  law l' P' -> law l' Q' -> law l P -> law l Q ->
  (forall alpha, 1 <= alpha -> hockey l alpha P Q <= hockey l' alpha P' Q') ->
  (forall alpha, 1 <= alpha -> hockey l alpha Q P <= hockey l' alpha Q' P') ->
  dominates l' P' Q' l P Q.
Proof.
  intros LP' LQ' LP LQ F G alpha H. destruct (Rle_dec 1 alpha) as [K|K]; [now apply F|].
  destruct H as [H| <-].
  - rewrite (hockey_symmetry_law l), (hockey_symmetry_law l') by assumption.
    assert (1 <= 1 / alpha) as H1.
    { apply Rmult_le_reg_l with alpha; [exact H|]. field_simplify; lra. }
    specialize (G _ H1). apply Rmult_le_compat_l with (r := alpha) in G; lra.
  - rewrite !hockey_zero by (apply LP || apply LP'). destruct LP as [_ ->], LP' as [_ ->]. lra.
Qed.

(* ---- data processing ---- *)

(* The law of the output of a kernel K fed with an outcome drawn from P. *)
Definition push {A B} (l : list A) (K : A -> B -> R) (P : A -> R) (y : B) : R := sum l (fun x => P x * K x y).

(* A kernel on l to r: non-negative, of total mass at most one. *)
Definition sub_markov {A B} (l : list A) (r : list B) (K : A -> B -> R) : Prop :=
  forall x, In x l -> mass r (K x) /\ sum r (K x) <= 1.

(* A (sub-)Markov kernel applied to both laws cannot increase the divergence. *)
Theorem hockey_data_processing {A B} (l : list A) (r : list B) (K : A -> B -> R) alpha P Q :
  sub_markov l r K -> hockey r alpha (push l K P) (push l K Q) <= hockey l alpha P Q.
Proof.
  intros M. unfold hockey, push.
  apply Rle_trans with (sum r (fun y => sum l (fun x => pos (P x - alpha * Q x) * K x y))).
  - apply sum_le. intros y Hy. rewrite <- sum_scal, <- sum_minus.
    eapply Rle_trans; [apply pos_sum|]. apply sum_le. intros x Hx. apply Req_le.
    replace (P x * K x y - alpha * (Q x * K x y)) with (K x y * (P x - alpha * Q x)) by ring.
    rewrite pos_scal by now apply (M x Hx). ring.
  - rewrite <- sum_swap. apply sum_le. intros x Hx. rewrite sum_scal.
    pose proof (pos_nonneg (P x - alpha * Q x)). destruct (M x Hx) as [_ S]. nra.
Qed.

(* A pair dominates whatever is obtained from it by a kernel. *)
Corollary dominates_push {A B} (l : list A) (r : list B) (K : A -> B -> R) P Q :
  sub_markov l r K -> dominates l P Q r (push l K P) (push l K Q).
Proof. intros M alpha _. now apply hockey_data_processing. Qed.

(* ---- truncation ---- *)

(* The masses kept on S. *)
Definition restrict {A} (S : A -> bool) (P : A -> R) (x : A) : R := if S x then P x else 0.

Section Truncation.
  Context {A : Type} (l : list A) (S : A -> bool) (P Q : A -> R).

  (* H splits into the part on S and the part off S. *)
  Lemma hockey_restrict alpha :
    hockey l alpha (restrict S P) (restrict S Q) = hockey (filter S l) alpha P Q.
  Proof.
    unfold hockey. rewrite sum_filter. apply sum_ext. intros x _. unfold restrict.
    destruct (S x); [reflexivity|]. rewrite pos_zero; lra.
  Qed.

  Lemma hockey_split alpha :
    hockey l alpha P Q = hockey (filter S l) alpha P Q + hockey (filter (fun x => negb (S x)) l) alpha P Q.
  Proof. apply sum_split. Qed.

  (* What is kept is a lower bound, for every kept set. *)
  Theorem truncation_lower alpha :
    hockey l alpha (restrict S P) (restrict S Q) <= hockey l alpha P Q.
  Proof.
    rewrite hockey_restrict, (hockey_split alpha).
    pose proof (hockey_nonneg (filter (fun x => negb (S x)) l) P Q alpha). lra.
  Qed.

  (* What is left out adds at most its mass under P. *)
  Theorem truncation_upper alpha :
    0 <= alpha -> mass l P -> mass l Q ->
    hockey l alpha P Q
    <= hockey l alpha (restrict S P) (restrict S Q) + sum (filter (fun x => negb (S x)) l) P.
  Proof.
    intros H MP MQ. rewrite hockey_restrict, (hockey_split alpha). apply Rplus_le_compat_l.
    apply hockey_le_mass; [exact H| |]; intros x I; apply filter_In in I; [apply MP | apply MQ]; tauto.
  Qed.

  (* If the ratio P/Q left out is at most M = e^Lmax, it adds at most (1 - alpha/M)_+ of that. *)
  Theorem truncation_upper_sharp alpha M :
    0 <= alpha -> 0 < M -> mass l P ->
    (forall x, In x l -> S x = false -> P x <= M * Q x) ->
    hockey l alpha P Q
    <= hockey l alpha (restrict S P) (restrict S Q)
       + pos (1 - alpha / M) * sum (filter (fun x => negb (S x)) l) P.
  Proof.
    intros H HM MP L. rewrite hockey_restrict, (hockey_split alpha). apply Rplus_le_compat_l.
    unfold hockey. rewrite <- sum_scal. apply sum_le. intros x I. apply filter_In in I as [I N].
    apply Bool.negb_true_iff in N. specialize (L x I N). specialize (MP x I).
    rewrite (Rmult_comm (pos _)), <- pos_scal by exact MP. apply pos_le.
    assert (P x * (alpha / M) <= alpha * Q x); [|lra].
    replace (alpha * Q x) with ((M * Q x) * (alpha / M)) by (field; lra).
    apply Rmult_le_compat_r; [|exact L].
    unfold Rdiv. apply Rmult_le_pos; [exact H|]. apply Rlt_le, Rinv_0_lt_compat, HM.
  Qed.
End Truncation.

(* The same with alpha = e^eps and the largest loss Lmax: the factor is (1 - e^(eps - Lmax))_+. *)
Corollary truncation_upper_loss {A} (l : list A) S P Q eps Lmax :
  mass l P -> (forall x, In x l -> S x = false -> P x <= exp Lmax * Q x) ->
  hockey l (exp eps) P Q
  <= hockey l (exp eps) (restrict S P) (restrict S Q)
     + pos (1 - exp (eps - Lmax)) * sum (filter (fun x => negb (S x)) l) P.
Proof.
  intros MP L. unfold Rminus at 2. rewrite exp_plus, exp_Ropp.
  apply (truncation_upper_sharp l S P Q (exp eps) (exp Lmax)); trivial; [|apply exp_pos].
  apply Rlt_le, exp_pos.
Qed.

(* ---- disjoint unions ---- *)

Lemma hockey_app {A} (l r : list A) alpha P Q :
  hockey (l ++ r) alpha P Q = hockey l alpha P Q + hockey r alpha P Q.
Proof. exact (sum_app l r (fun x => pos (P x - alpha * Q x))). Qed.

Lemma hockey_map {A B} (f : A -> B) l alpha P Q :
  hockey (map f l) alpha P Q = hockey l alpha (fun x => P (f x)) (fun x => Q (f x)).
Proof. exact (sum_map f l (fun y => pos (P y - alpha * Q y))). Qed.

Lemma hockey_permutation {A} (l r : list A) alpha P Q :
  Permutation l r -> hockey l alpha P Q = hockey r alpha P Q.
Proof. exact (sum_permutation l r (fun x => pos (P x - alpha * Q x))). Qed.

(* The outcomes (i, y): the label i, then an outcome y of the pair number i. *)
Definition labelled {I B} (labels : list I) (outcomes : I -> list B) : list (I * B) :=
  flat_map (fun i => map (pair i) (outcomes i)) labels.

(* Label i has probability w_i under both laws: the mass at (i, y). *)
Definition mixture {I B} (w : I -> R) (P : I -> B -> R) (z : I * B) : R := w (fst z) * P (fst z) (snd z).

(* A mixture whose label is revealed has the mean divergence of its parts. *)
Theorem hockey_revealed {I B} (labels : list I) (outcomes : I -> list B) w (P Q : I -> B -> R) alpha :
  mass labels w ->
  hockey (labelled labels outcomes) alpha (mixture w P) (mixture w Q)
  = sum labels (fun i => w i * hockey (outcomes i) alpha (P i) (Q i)).
Proof.
  intros W. unfold hockey at 1, labelled. rewrite sum_flat_map. apply sum_ext. intros i Hi.
  rewrite sum_map. unfold hockey. rewrite <- sum_scal. apply sum_ext. intros y _. unfold mixture. cbn.
  now apply pos_weight, W.
Qed.

(* The disjoint union of two pairs: with a revealed coin, say. *)
Definition union {A B} (f : A -> R) (g : B -> R) (z : A + B) : R :=
  match z with inl x => f x | inr y => g y end.

Theorem hockey_union {A B} (l : list A) (r : list B) alpha P Q P' Q' :
  hockey (map inl l ++ map inr r) alpha (union P P') (union Q Q')
  = hockey l alpha P Q + hockey r alpha P' Q'.
Proof. rewrite hockey_app, !hockey_map. reflexivity. Qed.

(*
 * With probability gamma, revealed, the output does not depend on the data
 * (law R both times): from alpha = 1 on the divergence is 1 - gamma times that
 * of the rest. This is the factor of the pair krr-strong.
 *)
Theorem hockey_revealed_blanket {A B} (l : list A) (r : list B) gamma alpha P Q (R : B -> R) :
  0 <= gamma <= 1 -> 1 <= alpha -> mass r R ->
  hockey (map inl l ++ map inr r) alpha
    (union (fun x => (1 - gamma) * P x) (fun y => gamma * R y))
    (union (fun x => (1 - gamma) * Q x) (fun y => gamma * R y))
  = (1 - gamma) * hockey l alpha P Q.
Proof.
  intros G H M. rewrite hockey_union, !hockey_scale, hockey_same, pos_zero by (trivial; lra). ring.
Qed.

(* An atom that Q does not see, of mass t under P, adds t at every alpha: the atom at +infinity. *)
Theorem hockey_infinite {A} (l : list A) t alpha P Q :
  0 <= t ->
  hockey (None :: map Some l) alpha (fun z => match z with Some x => P x | None => t end)
    (fun z => match z with Some x => Q x | None => 0 end)
  = t + hockey l alpha P Q.
Proof.
  intros H. unfold hockey at 1. cbn. rewrite sum_map, pos_id by lra. unfold hockey. lra.
Qed.

(* ---- domination is an order ---- *)

Lemma dominates_refl {A} (l : list A) P Q : dominates l P Q l P Q.
Proof. intros alpha _. lra. Qed.

Lemma dominates_trans {A B C} (l1 : list A) P1 Q1 (l2 : list B) P2 Q2 (l3 : list C) P3 Q3 :
  dominates l1 P1 Q1 l2 P2 Q2 -> dominates l2 P2 Q2 l3 P3 Q3 -> dominates l1 P1 Q1 l3 P3 Q3.
Proof. intros H K alpha N. specialize (H alpha N). specialize (K alpha N). lra. Qed.

(* Truncation, seen as domination: a pair dominates its restriction to any kept set. *)
Lemma dominates_restrict {A} (l : list A) S P Q : dominates l P Q l (restrict S P) (restrict S Q).
Proof. intros alpha _. apply truncation_lower. Qed.

(* A mixture of pairs that are all dominated by (P', Q') is dominated by it. *)
Theorem dominates_mixture {I A B} (labels : list I) w (l' : list B) P' Q' (l : list A) (P Q : I -> A -> R) :
  law labels w -> (forall i, In i labels -> dominates l' P' Q' l (P i) (Q i)) ->
  dominates l' P' Q' l (fun x => sum labels (fun i => w i * P i x)) (fun x => sum labels (fun i => w i * Q i x)).
Proof.
  intros [W S] D alpha H. eapply Rle_trans; [now apply hockey_mixture|].
  replace (hockey l' alpha P' Q') with (sum labels (fun i => w i * hockey l' alpha P' Q'))
    by (rewrite sum_scal_r, S; ring).
  apply sum_le. intros i Hi. apply Rmult_le_compat_l; [now apply W | now apply D].
Qed.

(* ---- an instance: binary randomised response with e^eps0 = 3 ---- *)

Definition response_P (x : bool) : R := if x then 3 / 4 else 1 / 4.
Definition response_Q (x : bool) : R := if x then 1 / 4 else 3 / 4.

Example response_laws : law [true; false] response_P /\ law [true; false] response_Q.
Proof.
  split; (split; [intros [] _|]); cbn; lra.
Qed.

(* H_1 is the total variation distance 1/2; the event {true} attains it, {false} does not. *)
Example response_hockey : hockey [true; false] 1 response_P response_Q = 1 / 2.
Proof. unfold hockey. cbn. rewrite pos_id, pos_zero; lra. Qed.
