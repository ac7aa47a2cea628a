(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Tilting, and reading a sum of losses in a window of a cyclic convolution:
 * ../pld.md, Lemma 4. (Rounding in the transform, Lemma 5, is not treated here.)
 *)
From Coq Require Import Reals List ZArith Lra Lia Arith Psatz.
From Shufbound Require Import Sum Hockey Divergence Composition Renyi Losses.
Import ListNotations.
Open Scope R_scope.

(* ---- more mass at every loss ---- *)

(* a' has at least the mass of a at every loss: every non-negative function has at least the value. *)
Definition heavier (a' a : losses) : Prop := forall w, (forall x, 0 <= w x) -> value a w <= value a' w.

Lemma heavier_refl a : heavier a a.
Proof. intros w _. lra. Qed.

Lemma heavier_raised a a' : Forall2 (fun z z' => fst z = fst z' /\ snd z <= snd z') a a' -> heavier a' a.
Proof.
  intros F w W. unfold value. induction F as [|z z' a a' [L S] F IH]; cbn [sum]; [lra|].
  rewrite <- L. pose proof (W (fst z)). nra.
Qed.

Theorem heavier_add a a' b b' :
  nonneg a' -> nonneg b -> heavier a' a -> heavier b' b -> heavier (add_losses a' b') (add_losses a b).
Proof.
  intros NA NB A B w W. apply Rle_trans with (value (add_losses a' b) w).
  - rewrite !value_add_swap. unfold value at 1 3. apply sum_le. intros y Y.
    apply Rmult_le_compat_l; [now apply NB|]. apply A. intros. apply W.
  - rewrite !value_add. unfold value at 1 3. apply sum_le. intros x X.
    apply Rmult_le_compat_l; [now apply NA|]. apply B. intros. apply W.
Qed.

Theorem heavier_sum ls' ls :
  Forall nonneg ls' -> Forall nonneg ls -> Forall2 heavier ls' ls -> heavier (sum_losses ls') (sum_losses ls).
Proof.
  intros N' N F. induction F as [|a' a ls' ls A F IH]; cbn; [apply heavier_refl|].
  inversion N'; inversion N; subst. apply heavier_add; trivial.
  - now apply sum_losses_nonneg.
  - now apply IH.
Qed.

(* ---- the finite part ---- *)

Definition is_finite (z : loss * R) : bool := match fst z with Some _ => true | None => false end.

Definition finite_part (a : losses) : losses := filter is_finite a.

Lemma finite_nonneg a : nonneg a -> nonneg (finite_part a).
Proof. intros N z I. apply filter_In in I as [I _]. now apply N. Qed.

Lemma value_finite a w : value (finite_part a) w = value a (fun x => w x * finite_weight x).
Proof.
  unfold value, finite_part. rewrite sum_filter. apply sum_ext. intros [[j|] u] _; cbn; ring.
Qed.

Lemma value_split a w : value a w = value (finite_part a) w + w None * value a infinite_weight.
Proof.
  rewrite value_finite. unfold value. rewrite <- sum_scal, <- sum_plus.
  apply sum_ext. intros [[j|] u] _; cbn; ring.
Qed.

(* The finite part of a sum is the sum of the finite parts. *)
Lemma value_finite_sum ls w :
  value (finite_part (sum_losses ls)) w = value (sum_losses (map finite_part ls)) w.
Proof.
  revert w. induction ls as [|a ls IH]; intros w; [reflexivity|].
  cbn [map sum_losses fold_right]. fold (sum_losses ls) (sum_losses (map finite_part ls)).
  rewrite value_finite, !value_add, value_finite. unfold value at 1 3. apply sum_ext. intros [[i|] u] _; cbn [fst snd].
  - cbn [finite_weight]. rewrite Rmult_1_r. f_equal. rewrite <- IH, value_finite. unfold value.
    apply sum_ext. intros [[j|] v] _; reflexivity.
  - cbn [finite_weight loss_add]. rewrite Rmult_0_r, Rmult_0_r. unfold value.
    rewrite (sum_ext _ _ (fun _ => 0)) by (intros; ring). rewrite sum_zero. ring.
Qed.

(*
 * The value of a sum: that of the finite parts, and w(+infinity) times the
 * difference of the products of the whole and of the finite masses.
 *)
Theorem value_sum_split ls w :
  value (sum_losses ls) w
  = value (sum_losses (map finite_part ls)) w
    + w None * (fold_right Rmult 1 (map (fun a => value a (fun _ => 1)) ls)
                - fold_right Rmult 1 (map (fun a => value a finite_weight) ls)).
Proof.
  rewrite value_split, value_finite_sum. destruct (sum_losses_masses ls) as (F & W & ->). now rewrite F, W.
Qed.

(* ---- tilting ---- *)

Definition size (step : R) (x : loss) : R := match x with Some j => step * IZR j | None => 0 end.

Definition all_finite (a : losses) : Prop := forall z, In z a -> is_finite z = true.

Lemma finite_part_finite a : all_finite (finite_part a).
Proof. intros z I. now apply filter_In in I. Qed.

(* Masses times e^(theta loss), over c. *)
Definition tilt (theta step c : R) (a : losses) : losses :=
  map (fun z => (fst z, snd z * exp (theta * size step (fst z)) / c)) a.

Lemma tilt_nonneg theta step c a : 0 < c -> nonneg a -> nonneg (tilt theta step c a).
Proof.
  intros C N z I. apply in_map_iff in I as (y & <- & Y). cbn. unfold Rdiv.
  pose proof (exp_pos (theta * size step (fst y))). specialize (N y Y).
  apply Rmult_le_pos; [nra|]. now apply Rlt_le, Rinv_0_lt_compat.
Qed.

Lemma sum_finite ls : Forall all_finite ls -> all_finite (sum_losses ls).
Proof.
  induction 1 as [|a ls A F IH]; intros z I.
  - destruct I as [<-|[]]. reflexivity.
  - cbn in I. apply in_map_iff in I as ([x y] & <- & I). apply in_prod_iff in I as [X Y].
    specialize (A x X). specialize (IH y Y). unfold is_finite in *. cbn.
    destruct (fst x), (fst y); trivial; discriminate.
Qed.

(* The value of a sum from the tilted laws; fs lists the constants c with the laws. *)
Theorem value_tilted theta step (fs : list (R * losses)) : forall w,
  (forall f, In f fs -> 0 < fst f /\ all_finite (snd f)) ->
  value (sum_losses (map snd fs)) w
  = fold_right Rmult 1 (map fst fs)
    * value (sum_losses (map (fun f => tilt theta step (fst f) (snd f)) fs))
        (fun x => exp (- (theta * size step x)) * w x).
Proof.
  induction fs as [|[c a] fs IH]; intros w H.
  - unfold value. cbn. rewrite !Rmult_0_r, Ropp_0, exp_0. ring.
  - cbn [map fst snd sum_losses fold_right].
    fold (sum_losses (map snd fs)) (sum_losses (map (fun f => tilt theta step (fst f) (snd f)) fs)).
    destruct (H (c, a) (or_introl eq_refl)) as [C FA]. cbn [fst snd] in C, FA.
    assert (H' : forall f, In f fs -> 0 < fst f /\ all_finite (snd f)) by (intros f I; apply H; now right).
    assert (FT : all_finite (sum_losses (map (fun f => tilt theta step (fst f) (snd f)) fs))).
    { apply sum_finite. apply Forall_forall. intros b Ib. apply in_map_iff in Ib as (f & <- & If).
      intros z Iz. apply in_map_iff in Iz as (y & <- & Y). exact (proj2 (H' f If) y Y). }
    rewrite !value_add. unfold tilt at 1. unfold value at 1 3. rewrite sum_map, <- sum_scal.
    apply sum_ext. intros x X. cbn [fst snd]. rewrite (IH _ H').
    specialize (FA x X). unfold is_finite in FA. destruct (fst x) as [i|]; [|discriminate].
    set (Y := sum_losses (map (fun f => tilt theta step (fst f) (snd f)) fs)) in *.
    assert (value Y (fun z => exp (- (theta * size step (loss_add (Some i) z))) * w (loss_add (Some i) z))
            = exp (- (theta * size step (Some i))) * value Y (fun z => exp (- (theta * size step z)) * w (loss_add
              (Some i) z))) as ->.
    { unfold value. rewrite <- sum_scal. apply sum_ext. intros [z u] Iz. specialize (FT _ Iz).
      destruct z as [j|]; [|discriminate]. cbn.
      replace (- (theta * (step * IZR (i + j)))) with (- (theta * (step * IZR i)) + - (theta * (step * IZR j)))
        by (rewrite plus_IZR; ring).
      rewrite exp_plus. ring. }
    rewrite exp_Ropp. pose proof (exp_pos (theta * size step (Some i))). field. lra.
Qed.

(* e^(-theta t) (1 - e^-t)_+ <= 1/(1+theta). *)
Lemma tilted_weight_bound theta t : 0 <= theta -> exp (- (theta * t)) * pos (1 - exp (- t)) <= 1 / (1 + theta).
Proof.
  intros H. assert (N : 0 <= 1 / (1 + theta)) by (apply Rlt_le, Rdiv_lt_0_compat; lra).
  destruct (Rle_dec t 0) as [T|T].
  - rewrite pos_zero; [lra|]. destruct T as [T| ->]; [|rewrite Ropp_0, exp_0; lra].
    pose proof (exp_increasing 0 (- t)). rewrite exp_0 in *. lra.
  - apply Rnot_le_lt in T. assert (Y : 0 < exp (- t) < 1).
    { split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing. lra. }
    rewrite pos_id by lra. destruct H as [H| <-].
    + pose proof (conversion_maximum (1 + theta) (exp (- t)) ltac:(lra) Y) as M.
      unfold Rpower in M. rewrite ln_exp in M. replace ((1 + theta - 1) * - t) with (- (theta * t)) in M by ring.
      assert (conversion (1 + theta) <= 1 / (1 + theta)); [|lra].
      unfold conversion. pose proof (order_fraction (1 + theta) ltac:(lra)) as [F G].
      rewrite <- (Rmult_1_r (1 / (1 + theta))) at 3. apply Rmult_le_compat_l; [exact N|].
      apply Rle_trans with (exp 0); [|rewrite exp_0; lra]. unfold Rpower. apply Rlt_le, exp_increasing.
      assert (ln (1 - 1 / (1 + theta)) < ln 1) as L by (apply ln_increasing; lra). rewrite ln_1 in L. nra.
    + rewrite Rmult_0_l, Ropp_0, exp_0. lra.
Qed.

(* ---- the window ---- *)

(* The number of a loss's class modulo N, counted from b. *)
Definition class (b N : Z) (x : loss) : Z := match x with Some j => ((j - b) mod N)%Z | None => 0%Z end.

(* The loss in the window b .. b + N - 1 of the same class. *)
Definition wrap (b N : Z) (x : loss) : loss := Some (b + class b N x)%Z.

Definition outside (b N : Z) (x : loss) : R :=
  match x with Some j => if (b <=? j)%Z then if (j <? b + N)%Z then 0 else 1 else 1 | None => 1 end.

(* The cyclic convolution at index b + i: all the mass of its class. *)
Definition cyclic (b N : Z) (y : losses) (i : nat) : R :=
  value y (fun x => if (class b N x =? Z.of_nat i)%Z then 1 else 0).

(* Reading the cyclic convolution in the window is reading every loss where it wraps to. *)
Lemma wrapped_sum b N y v :
  (0 < N)%nat ->
  value y (fun x => v (wrap b (Z.of_nat N) x))
  = sum (seq 0 N) (fun i => cyclic b (Z.of_nat N) y i * v (Some (b + Z.of_nat i)%Z)).
Proof.
  intros HN. unfold cyclic, value.
  rewrite (sum_ext (seq 0 N) _ (fun i => sum y (fun z => snd z * (if (class b (Z.of_nat N)
    (fst z) =? Z.of_nat i)%Z then 1 else 0) * v (Some (b + Z.of_nat i)%Z))))
    by (intros; now rewrite sum_scal_r).
  rewrite <- sum_swap. apply sum_ext. intros [x u] _. cbn [fst snd].
  assert (R0 : (0 <= class b (Z.of_nat N) x < Z.of_nat N)%Z).
  { unfold class. destruct x; [apply Z.mod_pos_bound|]; lia. }
  set (k := Z.to_nat (class b (Z.of_nat N) x)).
  assert (K : class b (Z.of_nat N) x = Z.of_nat k) by (unfold k; lia).
  unfold wrap. rewrite K. replace N with (k + (1 + (N - 1 - k)))%nat at 1 by lia.
  rewrite seq_app, sum_app. cbn [Nat.add seq sum]. rewrite Z.eqb_refl.
  rewrite (sum_ext (seq 0 k) _ (fun _ => 0)), (sum_ext (seq (S k) _) _ (fun _ => 0)), !sum_zero.
  - ring.
  - intros j J. apply in_seq in J. rewrite (proj2 (Z.eqb_neq (Z.of_nat k) (Z.of_nat j))) by lia. ring.
  - intros j J. apply in_seq in J. rewrite (proj2 (Z.eqb_neq (Z.of_nat k) (Z.of_nat j))) by lia. ring.
Qed.

(* Aliasing: reading the window is wrong by at most the largest weight times the mass outside. *)
Theorem window_error b N y v top :
  (0 < N)%Z -> nonneg y -> (forall x, 0 <= v x <= top) ->
  Rabs (value y (fun x => v (wrap b N x)) - value y v) <= top * value y (outside b N).
Proof.
  intros HN NY V. unfold value. rewrite <- sum_minus, <- sum_scal.
  assert (T : forall z, In z y ->
    Rabs (snd z * v (wrap b N (fst z)) - snd z * v (fst z)) <= top * (snd z * outside b N (fst z))).
  { intros [x u] I. cbn [fst snd]. pose proof (NY _ I) as U. cbn in U.
    assert (D : Rabs (v (wrap b N x) - v x) <= top * outside b N x).
    { pose proof (V (wrap b N x)). pose proof (V x). unfold outside.
      destruct x as [j|]; [|apply Rabs_le; lra].
      destruct (b <=? j)%Z eqn:E; [|apply Rabs_le; lra]. destruct (j <? b + N)%Z eqn:F; [|apply Rabs_le; lra].
      apply Z.leb_le in E. apply Z.ltb_lt in F. unfold wrap, class. rewrite Z.mod_small by lia.
      replace (b + (j - b))%Z with j by lia. rewrite Rminus_diag_eq by reflexivity. rewrite Rabs_R0. lra. }
    replace (u * v (wrap b N x) - u * v x) with (u * (v (wrap b N x) - v x)) by ring.
    rewrite Rabs_mult, (Rabs_pos_eq u) by exact U.
    replace (top * (u * outside b N x)) with (u * (top * outside b N x)) by ring. now apply Rmult_le_compat_l. }
  clear NY V HN. induction y as [|z y IH]; cbn [sum]; [rewrite Rabs_R0; lra|].
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [apply T; now left|].
  apply IH. intros z' I. apply T. now right.
Qed.

(* Chernoff: the mass of a sum at losses of at least t steps. *)
Theorem chernoff_above lambda ls t :
  0 <= lambda -> Forall nonneg ls -> Forall all_finite ls ->
  value (sum_losses ls) (fun x => match x with Some j => if (t <=? j)%Z then 1 else 0 | None => 0 end)
  <= fold_right Rmult 1 (map (fun a => value a (fun x => exp (lambda * size 1 x))) ls) * exp (- (lambda * IZR t)).
Proof.
  intros L N F.
  assert (M : value (sum_losses ls) (fun x => exp (lambda * size 1 x))
              = fold_right Rmult 1 (map (fun a => value a (fun x => exp (lambda * size 1 x))) ls)).
  { clear N L. induction F as [|a ls A F IH].
    - unfold value. cbn. rewrite !Rmult_0_r, exp_0. lra.
    - cbn [map sum_losses fold_right]. fold (sum_losses ls). rewrite value_add, <- IH. unfold value at 1 3.
      rewrite <- sum_scal_r. apply sum_ext. intros x X. specialize (A x X). unfold is_finite in A.
      destruct (fst x) as [i|]; [|discriminate].
      pose proof (sum_finite ls F) as FS. rewrite Rmult_assoc. f_equal. unfold value. rewrite <- sum_scal.
      apply sum_ext. intros [z u] Iz. specialize (FS _ Iz). destruct z as [j|]; [|discriminate]. cbn.
      rewrite plus_IZR. replace (lambda * (1 * (IZR i + IZR j))) with (lambda * (1 * IZR i) + lambda *
        (1 * IZR j)) by ring.
      rewrite exp_plus. ring. }
  rewrite <- M. unfold value. rewrite <- sum_scal_r. apply sum_le. intros [x u] I. cbn [fst snd].
  pose proof (sum_losses_nonneg ls N _ I) as U. cbn in U. rewrite Rmult_assoc. apply Rmult_le_compat_l; [exact U|].
  rewrite <- exp_plus. destruct x as [j|]; [|apply Rlt_le, exp_pos].
  destruct (t <=? j)%Z eqn:E; [|apply Rlt_le, exp_pos]. apply Z.leb_le, IZR_le in E.
  apply Rle_trans with (exp 0); [rewrite exp_0; lra|]. cbn.
  assert (0 <= lambda * (1 * IZR j) + - (lambda * IZR t)) as [K|K] by nra.
  - now apply Rlt_le, exp_increasing.
  - rewrite <- K. lra.
Qed.

(* ---- the reading of the transform ---- *)

(* The weight of the window at the loss x: e^(-theta (x - eps)) (1 - e^(eps-x))_+. *)
Definition window_weight (theta step eps : R) (x : loss) : R :=
  match x with
  | Some j => exp (- (theta * (step * IZR j - eps))) * pos (1 - exp (- (step * IZR j - eps)))
  | None => 0
  end.

Lemma window_weight_bound theta step eps x : 0 <= theta -> 0 <= window_weight theta step eps x <= 1 / (1 + theta).
Proof.
  intros H. destruct x as [j|]; cbn.
  - split; [|now apply tilted_weight_bound].
    apply Rmult_le_pos; [apply Rlt_le, exp_pos | apply pos_nonneg].
  - split; [lra|]. apply Rlt_le, Rdiv_lt_0_compat; lra.
Qed.

Lemma rabs_both x a : Rabs x <= a -> - a <= x <= a.
Proof. unfold Rabs. destruct (Rcase_abs x); lra. Qed.

Lemma product_positive cs : Forall (fun c => 0 < c) cs -> 0 < fold_right Rmult 1 cs.
Proof. induction 1; cbn; [lra|]. now apply Rmult_lt_0_compat. Qed.

Section Window.
  Variables (theta step eps : R) (ls : list losses) (cs : list R) (b : Z) (N : nat).
  Hypothesis tilt_nonnegative : 0 <= theta.
  Hypothesis window_not_empty : (0 < N)%nat.
  Hypothesis laws_nonneg : Forall nonneg ls.
  Hypothesis constants : Forall (fun c => 0 < c) cs.
  Hypothesis lengths : length cs = length ls.

  (* The tilted finite parts. *)
  Definition tilted : list losses := map (fun f => tilt theta step (fst f) (finite_part (snd f))) (combine cs ls).

  (* The infinite mass of the sum. *)
  Definition infinite_mass : R :=
    fold_right Rmult 1 (map (fun a => value a (fun _ => 1)) ls)
    - fold_right Rmult 1 (map (fun a => value a finite_weight) ls).

  (* The product of the constants, times e^(-theta eps). *)
  Definition scale : R := fold_right Rmult 1 cs * exp (- (theta * eps)).

  Lemma scale_pos : 0 < scale.
  Proof.
    unfold scale. apply Rmult_lt_0_compat; [now apply product_positive | apply exp_pos].
  Qed.

  Lemma tilted_all_nonneg : Forall nonneg tilted.
  Proof.
    apply Forall_forall. intros a I. apply in_map_iff in I as ([c a'] & <- & I). cbn.
    apply tilt_nonneg.
    - rewrite Forall_forall in constants. apply constants. now apply in_combine_l in I.
    - apply finite_nonneg. rewrite Forall_forall in laws_nonneg. apply laws_nonneg. now apply in_combine_r in I.
  Qed.

  Lemma tilted_all_finite : Forall all_finite tilted.
  Proof.
    apply Forall_forall. intros a I. apply in_map_iff in I as ([c a'] & <- & I). cbn.
    intros z Z. apply in_map_iff in Z as (y & <- & Y). exact (finite_part_finite a' y Y).
  Qed.

  (* The value of the sum from the tilted laws. *)
  Theorem hockey_tilted :
    value (sum_losses ls) (hockey_weight step eps)
    = scale * value (sum_losses tilted) (window_weight theta step eps) + infinite_mass.
  Proof.
    rewrite value_sum_split. unfold infinite_mass. cbn [hockey_weight]. rewrite Rmult_1_l. f_equal.
    set (fs := combine cs (map finite_part ls)).
    assert (E1 : map snd fs = map finite_part ls).
    { unfold fs. clear - lengths. revert ls lengths.
      induction cs as [|c cs' IH]; intros [|a ls'] L; try discriminate L; cbn; [reflexivity|].
      f_equal. apply IH. now injection L. }
    assert (E2 : map fst fs = cs).
    { unfold fs. clear - lengths. revert ls lengths.
      induction cs as [|c cs' IH]; intros [|a ls'] L; try discriminate L; cbn; [reflexivity|].
      f_equal. apply IH. now injection L. }
    assert (E3 : map (fun f => tilt theta step (fst f) (snd f)) fs = tilted).
    { unfold fs, tilted. clear. revert ls. induction cs as [|c cs' IH]; intros [|a ls']; cbn; trivial. now f_equal. }
    rewrite <- E1, (value_tilted theta step fs).
    - rewrite E2, E3. unfold scale. rewrite Rmult_assoc. f_equal. unfold value. rewrite <- sum_scal.
      apply sum_ext. intros [x u] I. cbn [fst snd].
      pose proof (sum_finite tilted tilted_all_finite _ I) as F. destruct x as [j|]; [|discriminate]. cbn.
      replace (- (step * IZR j - eps)) with (eps - step * IZR j) by ring.
      replace (- (theta * (step * IZR j))) with (- (theta * eps) + - (theta * (step * IZR j - eps))) by ring.
      rewrite exp_plus. ring.
    - intros [c a] I. cbn. split.
      + rewrite Forall_forall in constants. apply constants. now apply in_combine_l in I.
      + apply in_combine_r in I. apply in_map_iff in I as (a' & <- & _). apply finite_part_finite.
  Qed.

  (*
   * Upper bound: tilted laws xs rounded up, the cyclic convolution read in the
   * window, the mass outside charged with 1/(1+theta).
   *)
  Theorem window_upper xs :
    Forall nonneg xs -> Forall2 heavier xs tilted ->
    value (sum_losses ls) (hockey_weight step eps)
    <= scale * (sum (seq 0 N) (fun i => cyclic b (Z.of_nat N) (sum_losses xs) i
                                        * window_weight theta step eps (Some (b + Z.of_nat i)%Z))
                + 1 / (1 + theta) * value (sum_losses xs) (outside b (Z.of_nat N)))
       + infinite_mass.
  Proof.
    intros NX HX. rewrite hockey_tilted. apply Rplus_le_compat_r, Rmult_le_compat_l; [apply Rlt_le, scale_pos|].
    rewrite <- wrapped_sum by exact window_not_empty.
    pose proof (heavier_sum xs tilted NX tilted_all_nonneg HX (window_weight theta step eps)
                  (fun x => proj1 (window_weight_bound theta step eps x tilt_nonnegative))).
    pose proof (window_error b (Z.of_nat N) (sum_losses xs) (window_weight theta step eps) (1 / (1 + theta))
                  ltac:(lia) (sum_losses_nonneg xs NX)
                  (fun x => window_weight_bound theta step eps x tilt_nonnegative)) as E.
    apply rabs_both in E. lra.
  Qed.

  (* Lower bound: rounded down, the same charge subtracted. *)
  Theorem window_lower xs :
    Forall nonneg xs -> Forall2 heavier tilted xs ->
    scale * (sum (seq 0 N) (fun i => cyclic b (Z.of_nat N) (sum_losses xs) i
                                     * window_weight theta step eps (Some (b + Z.of_nat i)%Z))
             - 1 / (1 + theta) * value (sum_losses xs) (outside b (Z.of_nat N)))
    + infinite_mass
    <= value (sum_losses ls) (hockey_weight step eps).
  Proof.
    intros NX HX. rewrite hockey_tilted. apply Rplus_le_compat_r, Rmult_le_compat_l; [apply Rlt_le, scale_pos|].
    rewrite <- wrapped_sum by exact window_not_empty.
    pose proof (heavier_sum tilted xs tilted_all_nonneg NX HX (window_weight theta step eps)
                  (fun x => proj1 (window_weight_bound theta step eps x tilt_nonnegative))).
    pose proof (window_error b (Z.of_nat N) (sum_losses xs) (window_weight theta step eps) (1 / (1 + theta))
                  ltac:(lia) (sum_losses_nonneg xs NX)
                  (fun x => window_weight_bound theta step eps x tilt_nonnegative)) as E.
    apply rabs_both in E. lra.
  Qed.

  (* The hypotheses on xs can be met: by the tilted laws themselves. *)
  Corollary window_upper_exact :
    value (sum_losses ls) (hockey_weight step eps)
    <= scale * (sum (seq 0 N) (fun i => cyclic b (Z.of_nat N) (sum_losses tilted) i
                                        * window_weight theta step eps (Some (b + Z.of_nat i)%Z))
                + 1 / (1 + theta) * value (sum_losses tilted) (outside b (Z.of_nat N)))
       + infinite_mass.
  Proof.
    apply window_upper; [exact tilted_all_nonneg|]. induction tilted; constructor; trivial. apply heavier_refl.
  Qed.
End Window.
