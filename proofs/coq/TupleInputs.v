(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Products and mixtures of randomisers: ../mechanism.md, Lemmas 8 to 10. Their blankets
 * are those of the parts, and where the two inputs of a part can be exchanged by
 * renaming its outputs, tuples that differ there too have the larger bound.
 *)
From Coq Require Import Reals List Lra Lia Arith Permutation.
From Shufbound Require Import Sum Hockey Divergence Composition Shuffle ShuffleBlanket.
Import ListNotations.
Open Scope R_scope.

(* -------- Blankets -------- *)

(* w is the smallest of the laws of all inputs, output by output. *)
Definition is_blanket {X Z} (outs : list Z) (A : X -> Z -> R) (w : Z -> R) : Prop :=
  forall z, In z outs -> (forall x, w z <= A x z) /\ exists x, A x z = w z.

Theorem product_blanket {X Y Z V} (outs : list Z) (outs' : list V) (A : X -> Z -> R) (B : Y -> V -> R) w v :
  mass outs w -> mass outs' v -> is_blanket outs A w -> is_blanket outs' B v ->
  is_blanket (list_prod outs outs') (fun c : X * Y => product (A (fst c)) (B (snd c))) (product w v).
Proof.
  intros W V0 HA HB [z y] I. apply in_prod_iff in I as [Iz Iy]. destruct (HA z Iz) as (LA & x & EA). destruct (HB y Iy) as (LB & x' & EB).
  unfold product, joint. cbn [fst snd]. split.
  - intros [a b]. cbn [fst snd]. apply Rmult_le_compat; auto.
  - exists (x, x'). cbn [fst snd]. now rewrite EA, EB.
Qed.

(* A part that is drawn, and told, with the weight c: of the outputs of one part. *)
Theorem mixture_blanket {X Z} (outs : list Z) (A : X -> Z -> R) w c : 0 <= c -> is_blanket outs A w -> is_blanket outs (fun x z => c * A x z) (fun z => c * w z).
Proof.
  intros C H z I. destruct (H z I) as (L & x & E). split; [intros a; now apply Rmult_le_compat_l | exists x; now rewrite E].
Qed.

(* -------- Which pairs of tuples -------- *)

Section Exchange.
  Context {Z : Type} (outs : list Z) (w mu mu' : Z -> R) (s : Z -> Z).
  Hypotheses (W0 : mass outs w) (W1 : sum outs w <= 1) (HS : Permutation (map s outs) outs).
  (* s renames outputs; the blanket does not see it; of an output and its other name mu' has the same sum as mu and lies further apart. *)
  Hypotheses (SW : forall z, In z outs -> w (s z) = w z) (SUM : forall z, In z outs -> mu z + mu (s z) = mu' z + mu' (s z)).
  Hypothesis APART : forall z, In z outs -> Rabs (mu z - mu (s z)) <= Rabs (mu' z - mu' (s z)).

  Definition convex_real (f : R -> R) : Prop := forall t a b, 0 <= t <= 1 -> f ((1 - t) * a + t * b) <= (1 - t) * f a + t * f b.

  (* Two points further apart, with the same sum. *)
  Lemma further_apart f a b c d : convex_real f -> a + b = c + d -> Rabs (a - b) <= Rabs (c - d) -> f a + f b <= f c + f d.
  Proof.
    intros F E L. destruct (Req_dec c d) as [CD|CD].
    - subst d. replace (c - c) with 0 in L by ring. rewrite Rabs_R0 in L.
      assert (a - b = 0) by (destruct (Req_dec (a - b) 0) as [Z0|N0]; [exact Z0 | pose proof (Rabs_pos_lt (a - b) N0); lra]).
      replace a with c by lra. replace b with c by lra. lra.
    - set (t := (c - a) / (c - d)). assert (A : a = (1 - t) * c + t * d) by (unfold t; field; lra).
      assert (B : b = (1 - (1 - t)) * c + (1 - t) * d) by (replace b with (c + d - a) by lra; rewrite A; ring).
      assert (T : 0 <= t <= 1).
      { assert (X : Rabs (1 - 2 * t) <= 1).
        { replace (1 - 2 * t) with ((a - b) / (c - d)) by (rewrite A at 1; rewrite B; field; lra). unfold Rdiv. rewrite Rabs_mult, Rabs_inv.
          apply (Rmult_le_reg_r (Rabs (c - d))); [apply Rabs_pos_lt; lra|]. rewrite Rmult_assoc, Rinv_l by (apply Rabs_no_R0; lra). lra. }
        assert (X' : -1 <= 1 - 2 * t <= 1) by (unfold Rabs in X; destruct (Rcase_abs (1 - 2 * t)); lra). split; lra. }
      rewrite A, B. pose proof (F t c d T). pose proof (F (1 - t) c d ltac:(lra)). lra.
  Qed.

  Lemma blanket_walk_convex m k : convex_real (blanket_walk outs w m k).
  Proof.
    induction k as [|k IH]; intros t a b T; cbn [blanket_walk]; [now apply pos_convex|].
    assert (M : sum outs (fun z => w z * blanket_walk outs w m k ((1 - t) * a + t * b + m z / w z))
      <= (1 - t) * sum outs (fun z => w z * blanket_walk outs w m k (a + m z / w z)) + t * sum outs (fun z => w z * blanket_walk outs w m k (b + m z / w z))).
    { rewrite <- !sum_scal, <- sum_plus. apply sum_le. intros z I. replace ((1 - t) * a + t * b + m z / w z) with ((1 - t) * (a + m z / w z) + t *
        (b + m z / w z)) by ring.
      pose proof (Rmult_le_compat_l (w z) _ _ (W0 z I) (IH t (a + m z / w z) (b + m z / w z) T)). lra. }
    pose proof (Rmult_le_compat_l (1 - sum outs w) _ _ ltac:(lra) (IH t a b T)). lra.
  Qed.

  (* Each output with its other name. *)
  Lemma sum_twice (f : Z -> R) : 2 * sum outs f = sum outs (fun z => f z + f (s z)).
  Proof. rewrite sum_plus. rewrite <- (sum_permutation (map s outs) outs f HS) at 2. rewrite sum_map.
  rewrite <- (sum_map s outs f), (sum_permutation _ _ f HS). ring. Qed.

  Lemma exchange_walk k t : blanket_walk outs w mu k t <= blanket_walk outs w mu' k t.
  Proof.
    revert t; induction k as [|k IH]; intros t; cbn [blanket_walk]; [apply Rle_refl|]. apply Rplus_le_compat; [|apply Rmult_le_compat_l; [lra | apply IH]].
    apply Rle_trans with (sum outs (fun z => w z * blanket_walk outs w mu' k (t + mu z / w z))).
    { apply sum_le. intros z I. apply Rmult_le_compat_l; [now apply W0 | apply IH]. }
    apply (Rmult_le_reg_l 2); [lra|]. rewrite !sum_twice. apply sum_le. intros z I. rewrite (SW z I). rewrite <- !Rmult_plus_distr_l.
    apply Rmult_le_compat_l; [now apply W0|].
    apply further_apart; [apply blanket_walk_convex| |].
    - pose proof (SUM z I). unfold Rdiv. replace (t + mu z * / w z + (t + mu (s z) * / w z)) with (2 * t + (mu z + mu (s z)) * / w z) by ring. rewrite H. ring.
    - replace (t + mu z / w z - (t + mu (s z) / w z)) with ((mu z - mu (s z)) * / w z) by (unfold Rdiv; ring).
      replace (t + mu' z / w z - (t + mu' (s z) / w z)) with ((mu' z - mu' (s z)) * / w z) by (unfold Rdiv; ring).
      rewrite !Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos | now apply APART].
  Qed.

  Lemma exchange_outside : outside outs w mu <= outside outs w mu'.
  Proof.
    apply (Rmult_le_reg_l 2); [lra|]. unfold outside. rewrite !sum_twice. apply sum_le. intros z I. rewrite (SW z I). destruct (Req_EM_T (w z) 0); [|lra].
    apply further_apart; [intros t a b T; now apply pos_convex | now apply SUM | now apply APART].
  Qed.
End Exchange.

(* A product: P, Q and w are the laws of the other parts' outputs from the two tuples and their blanket; p and q those of the
   part's two inputs, which s exchanges, and v its blanket. Both tuples with the first input, against one with the second. *)
Theorem tuple_product {Z Y} (outs : list Z) (outs' : list Y) P Q w p q v (s : Y -> Y) alpha n :
  0 <= alpha -> mass outs P -> mass outs Q ->
  mass (list_prod outs outs') (product w v) -> sum (list_prod outs outs') (product w v) <= 1 ->
  Permutation (map s outs') outs' -> (forall y, In y outs' -> p (s y) = q y /\ q (s y) = p y /\ v (s y) = v y) ->
  blanket_bound (list_prod outs outs') (product w v) (product P p) (product Q p) alpha n
  <= blanket_bound (list_prod outs outs') (product w v) (product P p) (product Q q) alpha n.
Proof.
  intros A0 MP MQ W0 W1 HS S. set (s' := fun c : Z * Y => (fst c, s (snd c))).
  assert (HS' : Permutation (map s' (list_prod outs outs')) (list_prod outs outs')).
  { clear - HS. induction outs as [|z outs IH]; [apply Permutation_refl|]. cbn [list_prod]. rewrite map_app. apply Permutation_app; [|exact IH].
    rewrite map_map. unfold s'. cbn [fst snd]. rewrite <- (map_map s (fun y => (z, y))). now apply Permutation_map. }
  assert (IN : forall c, In c (list_prod outs outs') -> In (fst c) outs /\ In (snd c) outs') by (intros [z y] I; now apply in_prod_iff in I).
  assert (SW : forall c, In c (list_prod outs outs') -> product w v (s' c) = product w v c).
  { intros c I. destruct (IN c I) as [_ I2]. destruct (S _ I2) as (_ & _ & E). unfold product, joint, s'. cbn [fst snd]. now rewrite E. }
  set (mu := fun c => product P p c - alpha * product Q p c). set (mu' := fun c => product P p c - alpha * product Q q c).
  assert (SUM : forall c, In c (list_prod outs outs') -> mu c + mu (s' c) = mu' c + mu' (s' c)).
  { intros c I. destruct (IN c I) as [_ I2]. destruct (S _ I2) as (E1 & E2 & _). unfold mu, mu', product, joint, s'. cbn [fst snd]. rewrite E1, E2. ring. }
  assert (APART : forall c, In c (list_prod outs outs') -> Rabs (mu c - mu (s' c)) <= Rabs (mu' c - mu' (s' c))).
  { intros c I. destruct (IN c I) as [I1 I2]. destruct (S _ I2) as (E1 & E2 & _). unfold mu, mu', product, joint, s'. cbn [fst snd]. rewrite E1, E2.
    replace (P (fst c) * p (snd c) - alpha * (Q (fst c) * p (snd c)) - (P (fst c) * q (snd c) - alpha * (Q (fst c) * q (snd c))))
      with ((P (fst c) - alpha * Q (fst c)) * (p (snd c) - q (snd c))) by ring.
    replace (P (fst c) * p (snd c) - alpha * (Q (fst c) * q (snd c)) - (P (fst c) * q (snd c) - alpha * (Q (fst c) * p (snd c))))
      with ((P (fst c) + alpha * Q (fst c)) * (p (snd c) - q (snd c))) by ring.
    rewrite !Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|]. specialize (MP _ I1). specialize (MQ _ I1).
    assert (0 <= alpha * Q (fst c)) by now apply Rmult_le_pos.
    rewrite (Rabs_right (P (fst c) + alpha * Q (fst c))) by lra. apply Rabs_le. lra. }
  unfold blanket_bound. apply Rplus_le_compat; [exact (exchange_outside _ _ mu mu' s' HS' SW SUM APART)|].
  unfold Rdiv. apply Rmult_le_compat_r; [destruct n; [cbn; rewrite Rinv_0; lra | apply Rlt_le, Rinv_0_lt_compat, lt_0_INR; lia]|].
  exact (exchange_walk _ _ mu mu' s' W0 W1 HS' SW SUM APART n 0).
Qed.

(* A mixture: the outputs of the other parts, and those of the part, which has the weight c. *)
Theorem tuple_mixture {Z Y} (outs : list Z) (outs' : list Y) P Q w p q v (s : Y -> Y) c alpha n :
  0 <= alpha ->
  mass (map inl outs ++ map inr outs') (union w (fun y => c * v y)) -> sum (map inl outs ++ map inr outs') (union w (fun y => c * v y)) <= 1 ->
  Permutation (map s outs') outs' -> (forall y, In y outs' -> p (s y) = q y /\ q (s y) = p y /\ v (s y) = v y) ->
  let bound P' Q' := blanket_bound (map inl outs ++ map inr outs') (union w (fun y => c * v y)) P' Q' alpha n in
  bound (union P (fun y => c * p y)) (union Q (fun y => c * p y)) <= bound (union P (fun y => c * p y)) (union Q (fun y => c * q y)).
Proof.
  intros A0 W0 W1 HS S bound. set (s' := fun o : Z + Y => match o with inl z => inl z | inr y => inr (s y) end).
  set (l := map inl outs ++ map inr outs') in *.
  assert (HS' : Permutation (map s' l) l).
  { unfold l. rewrite map_app, !map_map. apply Permutation_app; [apply Permutation_refl|]. cbn [s']. rewrite <- (map_map s inr). now apply Permutation_map. }
  assert (IN : forall y, In (inr y) l -> In y outs').
  { intros y I. unfold l in I. apply in_app_iff in I as [I|I]; apply in_map_iff in I as (o & E & I); [discriminate | now injection E as <-]. }
  set (W := union w (fun y => c * v y)) in *. set (mu := fun o => union P (fun y => c * p y) o - alpha * union Q (fun y => c * p y) o).
  set (mu' := fun o => union P (fun y => c * p y) o - alpha * union Q (fun y => c * q y) o).
  assert (SW : forall o, In o l -> W (s' o) = W o).
  { intros [z|y] I; [reflexivity|]. destruct (S y (IN y I)) as (_ & _ & E). unfold W. cbn. now rewrite E. }
  assert (SUM : forall o, In o l -> mu o + mu (s' o) = mu' o + mu' (s' o)).
  { intros [z|y] I; [reflexivity|]. destruct (S y (IN y I)) as (E1 & E2 & _). unfold mu, mu'. cbn. rewrite E1, E2. ring. }
  assert (APART : forall o, In o l -> Rabs (mu o - mu (s' o)) <= Rabs (mu' o - mu' (s' o))).
  { intros [z|y] I; [apply Rle_refl|]. destruct (S y (IN y I)) as (E1 & E2 & _). unfold mu, mu'. cbn. rewrite E1, E2.
    replace (c * p y - alpha * (c * p y) - (c * q y - alpha * (c * q y))) with (c * (1 - alpha) * (p y - q y)) by ring.
    replace (c * p y - alpha * (c * q y) - (c * q y - alpha * (c * p y))) with (c * (1 + alpha) * (p y - q y)) by ring.
    rewrite !Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|]. apply Rmult_le_compat_l; [apply Rabs_pos|].
    rewrite (Rabs_right (1 + alpha)) by lra. apply Rabs_le. lra. }
  unfold bound, blanket_bound. apply Rplus_le_compat; [exact (exchange_outside _ _ mu mu' s' HS' SW SUM APART)|].
  unfold Rdiv. apply Rmult_le_compat_r; [destruct n; [cbn; rewrite Rinv_0; lra | apply Rlt_le, Rinv_0_lt_compat, lt_0_INR; lia]|].
  exact (exchange_walk _ _ mu mu' s' W0 W1 HS' SW SUM APART n 0).
Qed.
