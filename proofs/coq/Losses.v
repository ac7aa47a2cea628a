(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Laws of a privacy loss on the integers (steps of a grid) and +infinity: their
 * sums, the order that rounding respects, and what they say about pairs:
 * ../exact-convolution.md (Lemma 1, "Atoms at infinity").
 *)
From Coq Require Import Reals List ZArith Lra Lia Arith Psatz Permutation.
From Shufbound Require Import Sum Hockey Divergence Composition.
Import ListNotations.
Open Scope R_scope.

(* ---- losses ---- *)

(* A loss: an integer, or None for +infinity. *)
Definition loss := option Z.

Definition loss_le (a b : loss) : Prop :=
  match a, b with
  | _, None => True
  | None, Some _ => False
  | Some i, Some j => (i <= j)%Z
  end.

Definition loss_add (a b : loss) : loss :=
  match a, b with
  | Some i, Some j => Some (i + j)%Z
  | _, _ => None
  end.

Lemma loss_le_refl a : loss_le a a.
Proof. destruct a; cbn; [lia | exact I]. Qed.

Lemma loss_add_comm a b : loss_add a b = loss_add b a.
Proof. destruct a, b; cbn; trivial. f_equal. lia. Qed.

Lemma loss_add_assoc a b c : loss_add a (loss_add b c) = loss_add (loss_add a b) c.
Proof. destruct a, b, c; cbn; trivial. f_equal. lia. Qed.

Lemma loss_add_le a b c : loss_le a b -> loss_le (loss_add c a) (loss_add c b).
Proof. destruct a, b, c; cbn; trivial; lia. Qed.

(* ---- laws of a loss ---- *)

(* A law: losses with their masses. *)
Definition losses := list (loss * R).

Definition nonneg (a : losses) : Prop := forall z, In z a -> 0 <= snd z.

(* The sum of a weight over a law. *)
Definition value (a : losses) (w : loss -> R) : R := sum a (fun z => snd z * w (fst z)).

(* The law of the sum of independent losses. *)
Definition add_losses (a b : losses) : losses :=
  map (fun z => (loss_add (fst (fst z)) (fst (snd z)), snd (fst z) * snd (snd z))) (list_prod a b).

Lemma add_losses_nonneg a b : nonneg a -> nonneg b -> nonneg (add_losses a b).
Proof.
  intros A B z I. apply in_map_iff in I as ([x y] & <- & I). apply in_prod_iff in I as [X Y]. cbn.
  apply Rmult_le_pos; [now apply A | now apply B].
Qed.

Lemma value_add a b w :
  value (add_losses a b) w = value a (fun x => value b (fun y => w (loss_add x y))).
Proof.
  unfold value, add_losses. rewrite sum_map, sum_prod. apply sum_ext. intros x _.
  rewrite <- sum_scal. apply sum_ext. intros y _. cbn. ring.
Qed.

Lemma value_add_swap a b w :
  value (add_losses a b) w = value b (fun y => value a (fun x => w (loss_add x y))).
Proof.
  rewrite value_add. unfold value.
  rewrite (sum_ext a _ (fun x => sum b (fun y => snd x * (snd y * w (loss_add (fst x) (fst y))))))
    by (intros; now rewrite sum_scal).
  rewrite sum_swap. apply sum_ext. intros y _. rewrite <- sum_scal. apply sum_ext. intros x _. ring.
Qed.

(* ---- the order ---- *)

(* A weight: non-negative, nondecreasing in the loss. *)
Definition weight (w : loss -> R) : Prop := (forall x, 0 <= w x) /\ (forall x y, loss_le x y -> w x <= w y).

(* The law a' is above a: every weight has at least the value. *)
Definition above (a' a : losses) : Prop := forall w, weight w -> value a w <= value a' w.

Lemma above_refl a : above a a.
Proof. intros w _. lra. Qed.

Lemma above_trans a b c : above a b -> above b c -> above a c.
Proof. intros A B w W. specialize (A w W). specialize (B w W). lra. Qed.

Lemma weight_shift w x : weight w -> weight (fun y => w (loss_add x y)).
Proof.
  intros [N M]. split; [intros; apply N|]. intros y z H. now apply M, loss_add_le.
Qed.

Lemma weight_mean w b : weight w -> nonneg b -> weight (fun y => value b (fun x => w (loss_add x y))).
Proof.
  intros W B. split.
  - intros y. apply sum_nonneg. intros z Z. apply Rmult_le_pos; [now apply B | apply W].
  - intros y y' H. apply sum_le. intros z Z. apply Rmult_le_compat_l; [now apply B|].
    apply W. now apply loss_add_le.
Qed.

(* Masses rounded up and moved to higher losses: a law above. *)
Theorem above_raised a a' :
  nonneg a -> Forall2 (fun z z' => loss_le (fst z) (fst z') /\ snd z <= snd z') a a' -> above a' a.
Proof.
  intros N F w [W M]. unfold value. induction F as [|z z' a a' [L S] F IH]; cbn [sum]; [lra|].
  assert (0 <= snd z) by (apply N; now left).
  assert (nonneg a) as N' by (intros y Y; apply N; now right).
  specialize (IH N'). specialize (M _ _ L). pose proof (W (fst z)). nra.
Qed.

(* Losses left out: a law below. *)
Theorem above_more a b : nonneg b -> above (a ++ b) a.
Proof.
  intros N w [W _]. unfold value. rewrite sum_app.
  assert (0 <= sum b (fun z => snd z * w (fst z))); [|lra].
  apply sum_nonneg. intros z Z. apply Rmult_le_pos; [now apply N | apply W].
Qed.

Theorem above_permutation a b : Permutation a b -> above a b.
Proof. intros H w _. apply Req_le. unfold value. symmetry. now apply sum_permutation. Qed.

(* Masses at the same loss may be put together. *)
Lemma value_merge x u v a w : value ((x, u) :: (x, v) :: a) w = value ((x, u + v) :: a) w.
Proof. unfold value. cbn. ring. Qed.

(* The order passes to sums of losses. *)
Theorem above_add a a' b b' :
  nonneg a' -> nonneg b -> above a' a -> above b' b -> above (add_losses a' b') (add_losses a b).
Proof.
  intros NA NB A B w W. apply Rle_trans with (value (add_losses a' b) w).
  - rewrite !value_add_swap. unfold value at 1 3. apply sum_le. intros y Y.
    apply Rmult_le_compat_l; [now apply NB|]. apply A. destruct W as [W M]. split; [intros; apply W|].
    intros x x' H. rewrite !(loss_add_comm _ (fst y)). now apply M, loss_add_le.
  - rewrite !value_add. unfold value at 1 3. apply sum_le. intros x X.
    apply Rmult_le_compat_l; [now apply NA|]. now apply B, weight_shift.
Qed.

(* The sum of several losses. *)
Definition sum_losses (ls : list losses) : losses := fold_right add_losses [(Some 0%Z, 1)] ls.

Lemma sum_losses_nonneg ls : Forall nonneg ls -> nonneg (sum_losses ls).
Proof.
  induction 1; cbn.
  - intros z [<-|[]]. cbn. lra.
  - now apply add_losses_nonneg.
Qed.

Theorem above_sum ls' ls :
  Forall nonneg ls' -> Forall nonneg ls -> Forall2 above ls' ls -> above (sum_losses ls') (sum_losses ls).
Proof.
  intros N' N F. induction F as [|a' a ls' ls A F IH]; cbn; [apply above_refl|].
  inversion N'; inversion N; subst. apply above_add; trivial.
  - now apply sum_losses_nonneg.
  - now apply IH.
Qed.

(* ---- dense laws: polynomials ---- *)

(* Masses c i at the losses first + i, i < n, and t at +infinity. *)
Definition dense (first : Z) (n : nat) (c : nat -> R) (t : R) : losses :=
  (None, t) :: map (fun i => (Some (first + Z.of_nat i)%Z, c i)) (seq 0 n).

(* Coefficient k of the product of the polynomials with n and m coefficients. *)
Definition coefficient (n m : nat) (c d : nat -> R) (k : nat) : R :=
  sum (seq 0 n) (fun i => if (i <=? k)%nat then if (k - i <? m)%nat then c i * d (k - i)%nat else 0 else 0).

Lemma value_dense first n c t w :
  value (dense first n c t) w = t * w None + sum (seq 0 n) (fun i => c i * w (Some (first + Z.of_nat i)%Z)).
Proof. unfold value, dense. cbn [sum fst snd]. rewrite sum_map. reflexivity. Qed.

(* A sum over j < m is one over k = i + j < N. *)
Lemma sum_offset i m N (f : nat -> R) :
  (i + m <= N)%nat ->
  sum (seq 0 m) (fun j => f (i + j)%nat)
  = sum (seq 0 N) (fun k => if (i <=? k)%nat then if (k - i <? m)%nat then f k else 0 else 0).
Proof.
  intros H. replace N with (i + (m + (N - i - m)))%nat by lia. rewrite !seq_app, !sum_app. cbn [Nat.add].
  rewrite (sum_ext (seq 0 i) _ (fun _ => 0)), (sum_ext (seq (i + m) _) _ (fun _ => 0)), !sum_zero.
  - replace (seq i m) with (map (fun j => i + j)%nat (seq 0 m)).
    + rewrite sum_map, Rplus_0_l, Rplus_0_r. apply sum_ext. intros j J. apply in_seq in J.
      rewrite (proj2 (Nat.leb_le i (i + j))), (proj2 (Nat.ltb_lt (i + j - i) m)) by lia. reflexivity.
    + clear. revert i. induction m as [|m IH]; intros i; [reflexivity|]. cbn. rewrite Nat.add_0_r. f_equal.
      rewrite <- (IH (S i)), <- seq_shift, map_map. apply map_ext. intros. lia.
  - intros k K. apply in_seq in K. rewrite (proj2 (Nat.ltb_ge (k - i) m)) by lia. now destruct (i <=? k)%nat.
  - intros k K. apply in_seq in K. now rewrite (proj2 (Nat.leb_gt i k)) by lia.
Qed.

(*
 * The product of dense laws is dense: its finite part is the product of
 * polynomials, its infinite mass (|c| + t) u + t |d|.
 *)
Theorem value_dense_product first n c t first' m d u w :
  (1 <= n)%nat -> (1 <= m)%nat ->
  value (add_losses (dense first n c t) (dense first' m d u)) w
  = value (dense (first + first') (n + m - 1) (coefficient n m c d)
             ((sum (seq 0 n) c + t) * u + t * sum (seq 0 m) d)) w.
Proof.
  intros N M.
  assert (E1 : value (dense first' m d u) (fun y => w (loss_add None y)) = (u + sum (seq 0 m) d) * w None).
  { rewrite value_dense. cbn [loss_add]. rewrite sum_scal_r. ring. }
  assert (E2 : forall i, (i < n)%nat ->
    c i * value (dense first' m d u) (fun y => w (loss_add (Some (first + Z.of_nat i)%Z) y))
    = c i * (u * w None)
      + sum (seq 0 (n + m - 1)) (fun k =>
          if (i <=? k)%nat then if (k - i <? m)%nat
            then c i * d (k - i)%nat * w (Some (first + first' + Z.of_nat k)%Z) else 0 else 0)).
  { intros i I. rewrite value_dense. cbn [loss_add]. rewrite Rmult_plus_distr_l, <- sum_scal. f_equal.
    rewrite <- (sum_offset i m (n + m - 1) (fun k => c i * d (k - i)%nat * w (Some (first + first' + Z.of_nat k)%Z)))
      by lia.
    apply sum_ext. intros j _. replace (i + j - i)%nat with j by lia.
    replace (first + Z.of_nat i + (first' + Z.of_nat j))%Z with (first + first' + Z.of_nat (i + j))%Z by lia. ring. }
  rewrite value_add, value_dense, E1, (value_dense (first + first')).
  rewrite (sum_ext (seq 0 n) _ _ (fun i I => E2 i (proj2 (proj1 (in_seq n 0 i) I)))).
  rewrite sum_plus, sum_scal_r, sum_swap.
  rewrite (sum_ext (seq 0 (n + m - 1)) (fun k => coefficient n m c d k * _)
    (fun k => sum (seq 0 n) (fun i => if (i <=? k)%nat then if (k - i <? m)%nat
                  then c i * d (k - i)%nat * w (Some (first + first' + Z.of_nat k)%Z) else 0 else 0))); [ring|].
  intros k _. unfold coefficient. rewrite <- sum_scal_r. apply sum_ext. intros i _.
  destruct (i <=? k)%nat, (k - i <? m)%nat; ring.
Qed.

(* One step of the integer engine: coefficients and infinite mass rounded up (or down). *)
Theorem dense_product_up first n c t first' m d u e v :
  (1 <= n)%nat -> (1 <= m)%nat ->
  (forall i, (i < n)%nat -> 0 <= c i) -> (forall i, (i < m)%nat -> 0 <= d i) -> 0 <= t -> 0 <= u ->
  (forall k, (k < n + m - 1)%nat -> coefficient n m c d k <= e k) ->
  (sum (seq 0 n) c + t) * u + t * sum (seq 0 m) d <= v ->
  above (dense (first + first') (n + m - 1) e v) (add_losses (dense first n c t) (dense first' m d u)).
Proof.
  intros N M C D T U E V w W. rewrite value_dense_product, !value_dense by assumption.
  destruct W as [W _]. apply Rplus_le_compat.
  - apply Rmult_le_compat_r; [apply W | exact V].
  - apply sum_le. intros k K. apply in_seq in K. apply Rmult_le_compat_r; [apply W | apply E; lia].
Qed.

Theorem dense_product_down first n c t first' m d u e v :
  (1 <= n)%nat -> (1 <= m)%nat ->
  (forall k, (k < n + m - 1)%nat -> e k <= coefficient n m c d k) ->
  v <= (sum (seq 0 n) c + t) * u + t * sum (seq 0 m) d ->
  above (add_losses (dense first n c t) (dense first' m d u)) (dense (first + first') (n + m - 1) e v).
Proof.
  intros N M E V w W. rewrite value_dense_product, !value_dense by assumption.
  destruct W as [W _]. apply Rplus_le_compat.
  - apply Rmult_le_compat_r; [apply W | exact V].
  - apply sum_le. intros k K. apply in_seq in K. apply Rmult_le_compat_r; [apply W | apply E; lia].
Qed.

(* ---- pairs and their losses ---- *)

(* Outcome z has the loss s z in steps: Q = e^(-step s) P, or Q = 0. *)
Definition has_loss {A} (step : R) (p : pair_of A) (s : A -> loss) : Prop :=
  forall z, In z (outcomes p) ->
    0 <= P_of p z
    /\ match s z with Some j => Q_of p z = exp (- (step * IZR j)) * P_of p z | None => Q_of p z = 0 end.

(* The law of the loss under P. *)
Definition law_of_loss {A} (p : pair_of A) (s : A -> loss) : losses := map (fun z => (s z, P_of p z)) (outcomes p).

(* The weight of the hockey-stick divergence at e^eps: (1 - e^(eps - loss))_+. *)
Definition hockey_weight (step eps : R) (x : loss) : R :=
  match x with
  | Some j => pos (1 - exp (eps - step * IZR j))
  | None => 1
  end.

Lemma hockey_weight_weight step eps : 0 <= step -> weight (hockey_weight step eps).
Proof.
  intros S. split.
  - intros [j|]; cbn; [apply pos_nonneg | lra].
  - intros [i|] [j|] L; cbn in *; try contradiction; try lra.
    + apply pos_le. assert (step * IZR i <= step * IZR j) as [H|H]
        by (apply Rmult_le_compat_l; [exact S | now apply IZR_le]).
      * pose proof (exp_increasing (eps - step * IZR j) (eps - step * IZR i)). lra.
      * rewrite H. lra.
    + apply pos_lub; [lra|]. pose proof (exp_pos (eps - step * IZR i)). lra.
Qed.

(* The divergence of a pair is the mean of its weight over the law of the loss. *)
Theorem hockey_value {A} step (p : pair_of A) s eps :
  has_loss step p s ->
  hockey (outcomes p) (exp eps) (P_of p) (Q_of p) = value (law_of_loss p s) (hockey_weight step eps).
Proof.
  intros H. unfold value, law_of_loss. rewrite sum_map. apply sum_ext. intros z Z. cbn [fst snd].
  destruct (H z Z) as [N L]. destruct (s z) as [j|]; cbn.
  - rewrite L, <- pos_scal by exact N. f_equal. unfold Rminus. rewrite exp_plus. ring.
  - rewrite L, Rmult_0_r, Rminus_0_r, Rmult_1_r. now apply pos_id.
Qed.

Lemma law_of_loss_nonneg {A} step (p : pair_of A) s : has_loss step p s -> nonneg (law_of_loss p s).
Proof. intros H z I. apply in_map_iff in I as (y & <- & I). cbn. now apply H. Qed.

Lemma has_loss_masses {A} step (p : pair_of A) s : has_loss step p s -> masses p.
Proof.
  intros H. split; intros z Z; destruct (H z Z) as [N L]; [exact N|].
  destruct (s z) as [j|]; rewrite L; [|lra]. apply Rmult_le_pos; [apply Rlt_le, exp_pos | exact N].
Qed.

(* The loss of a sequence is the sum of the losses. *)
Fixpoint total_loss {A} (ss : list (A -> loss)) (v : list A) : loss :=
  match ss, v with
  | s :: rest, x :: w => loss_add (s x) (total_loss rest w)
  | _, _ => Some 0%Z
  end.

Lemma product_has_loss {A} step (ps : list (pair_of A)) ss :
  Forall2 (has_loss step) ps ss -> has_loss step (product_pair ps) (total_loss ss).
Proof.
  unfold has_loss, product_pair. cbn. induction 1 as [|p s ps ss H F IH]; cbn [map].
  - intros v [<-|[]]. cbn. rewrite Rmult_0_r, Ropp_0, exp_0. lra.
  - intros v I. apply in_sequences in I as (x & w & -> & Ix & Iw). cbn.
    destruct (H x Ix) as [N L]. destruct (IH w Iw) as [N' L']. split; [now apply Rmult_le_pos|].
    destruct (s x) as [i|], (total_loss ss w) as [j|]; cbn; rewrite L, L'; try ring.
    rewrite plus_IZR, Rmult_plus_distr_l, Ropp_plus_distr, exp_plus. ring.
Qed.

Lemma product_value {A} (ps : list (pair_of A)) : forall ss w,
  length ps = length ss ->
  value (law_of_loss (product_pair ps) (total_loss ss)) w
  = value (sum_losses (map (fun z => law_of_loss (fst z) (snd z)) (combine ps ss))) w.
Proof.
  induction ps as [|p ps IH]; intros [|s ss] w L; try discriminate L.
  - reflexivity.
  - cbn [combine map sum_losses fold_right fst snd].
    fold (sum_losses (map (fun z => law_of_loss (fst z) (snd z)) (combine ps ss))).
    rewrite value_add. unfold value at 2, law_of_loss at 2. rewrite sum_map. cbn [fst snd].
    rewrite (sum_ext _ _ (fun x => P_of p x * value (law_of_loss (product_pair ps) (total_loss ss)) (fun y => w
      (loss_add (s x) y)))).
    + unfold value, law_of_loss, product_pair. cbn [outcomes P_of map]. rewrite sum_map, sum_sequences, sum_prod.
      apply sum_ext. intros x _. rewrite sum_map, <- sum_scal. apply sum_ext. intros v _. cbn. ring.
    + intros x _. rewrite IH; [reflexivity|]. now injection L.
Qed.

(* The divergence of a product of pairs from the law of the sum of their losses. *)
Theorem hockey_of_losses {A} step (ps : list (pair_of A)) ss eps :
  Forall2 (has_loss step) ps ss ->
  hockey (outcomes (product_pair ps)) (exp eps) (P_of (product_pair ps)) (Q_of (product_pair ps))
  = value (sum_losses (map (fun z => law_of_loss (fst z) (snd z)) (combine ps ss))) (hockey_weight step eps).
Proof.
  intros F. rewrite (hockey_value step _ (total_loss ss)) by now apply product_has_loss.
  apply product_value. clear - F. induction F; cbn; congruence.
Qed.

Lemma nonneg_laws {A} step (ps : list (pair_of A)) ss :
  Forall2 (has_loss step) ps ss -> Forall nonneg (map (fun z => law_of_loss (fst z) (snd z)) (combine ps ss)).
Proof.
  induction 1; cbn; constructor; trivial. now apply law_of_loss_nonneg with step.
Qed.

(* ---- the composed bounds ---- *)

(*
 * Above: mechanisms dominated by grid pairs ps (with losses ss on a grid), any
 * law a above the law of the sum of the losses: delta(eps) of the adaptive
 * composition is at most the value of a.
 *)
Theorem composition_upper {A B} step (ps : list (pair_of B)) ss (ls : list (list A)) M N a eps :
  0 <= step -> Forall2 (has_loss step) ps ss -> dominated ps ls M N [] ->
  above a (sum_losses (map (fun z => law_of_loss (fst z) (snd z)) (combine ps ss))) ->
  hockey (sequences ls) (exp eps) (adaptive M []) (adaptive N []) <= value a (hockey_weight step eps).
Proof.
  intros S F D AB.
  assert (FM : Forall masses ps) by (clear - F; induction F; constructor; trivial;
    now apply has_loss_masses with step y).
  pose proof (adaptive_rounds ps ls M N [] FM D (exp eps) (Rlt_le _ _ (exp_pos eps))) as H.
  rewrite (hockey_of_losses step ps ss eps F) in H.
  eapply Rle_trans; [exact H|]. now apply AB, hockey_weight_weight.
Qed.

(*
 * Below: pairs qs that dominate grid pairs ps, any law a below the law of the
 * sum: delta(eps) of the product of the qs is at least the value of a.
 *)
Theorem composition_lower {A B} step (ps : list (pair_of B)) ss (qs : list (pair_of A)) a eps :
  0 <= step -> Forall2 (has_loss step) ps ss -> Forall masses qs ->
  Forall2 (fun q p => bounds q (outcomes p) (P_of p) (Q_of p)) qs ps ->
  above (sum_losses (map (fun z => law_of_loss (fst z) (snd z)) (combine ps ss))) a ->
  value a (hockey_weight step eps)
  <= hockey (outcomes (product_pair qs)) (exp eps) (P_of (product_pair qs)) (Q_of (product_pair qs)).
Proof.
  intros S F MQ D AB.
  assert (FM : Forall masses ps) by (clear - F; induction F; constructor; trivial;
    now apply has_loss_masses with step y).
  pose proof (dominates_rounds qs ps MQ FM D (exp eps) (Rlt_le _ _ (exp_pos eps))) as H.
  rewrite (hockey_of_losses step ps ss eps F) in H.
  eapply Rle_trans; [|exact H]. now apply AB, hockey_weight_weight.
Qed.

(* ---- the infinite mass ---- *)

Definition infinite_weight (x : loss) : R := match x with Some _ => 0 | None => 1 end.
Definition finite_weight (x : loss) : R := match x with Some _ => 1 | None => 0 end.

(* The finite masses of a sum multiply; so do the whole masses: the infinite mass is the difference. *)
Theorem sum_losses_masses ls :
  value (sum_losses ls) finite_weight = fold_right Rmult 1 (map (fun a => value a finite_weight) ls)
  /\ value (sum_losses ls) (fun _ => 1) = fold_right Rmult 1 (map (fun a => value a (fun _ => 1)) ls)
  /\ value (sum_losses ls) infinite_weight
     = value (sum_losses ls) (fun _ => 1) - value (sum_losses ls) finite_weight.
Proof.
  split; [|split].
  - induction ls as [|a ls IH]; cbn [sum_losses fold_right map]; [unfold value; cbn; lra|].
    fold (sum_losses ls). rewrite value_add, <- IH. unfold value at 1 3. rewrite <- sum_scal_r.
    apply sum_ext. intros [[i|] m] _; cbn [fst snd].
    + unfold value at 1 2. cbn [finite_weight]. rewrite Rmult_1_r. f_equal. apply sum_ext.
      intros [[j|] u] _; reflexivity.
    + cbn [finite_weight loss_add]. unfold value. rewrite (sum_ext _ _ (fun _ => 0)) by (intros [[j|] u] _; cbn; ring).
      rewrite sum_zero. ring.
  - induction ls as [|a ls IH]; cbn [sum_losses fold_right map]; [unfold value; cbn; lra|].
    fold (sum_losses ls). rewrite value_add, <- IH. unfold value at 1 3. rewrite <- sum_scal_r.
    apply sum_ext. intros z _. ring.
  - unfold value. rewrite <- sum_minus. apply sum_ext. intros [[j|] u] _; cbn; ring.
Qed.
