(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Certificates of composed values: T rounds of one pair, in one direction or both.
 * A program gives hints: bounds of delta at the nodes j h of a grid of losses,
 * windows for their evaluation, enclosures of 1/(e^h - 1), and a law below with the
 * sags of the cells. All are checked; the masses of the law above (../pld.md,
 * Lemma 2) and the T-fold products of both laws, rounded up and down
 * (../exact-convolution.md), are computed here, exactly and then rounded. The hints
 * can make a check fail or an enclosure wide, never wrong. To trust a certificate,
 * read the first part: what `delta_rounds` is.
 *)
From Coq Require Import Reals List ZArith NArith QArith Qreals Lra Lia Arith Bool.
From Bignums Require Import BigN.
From Shufbound Require Import Sum Hockey Divergence Trinomial TrinomialMean Strata Enclosures Walk Evaluate Certificate.
From Shufbound Require Import KrrPairs Composition Polygon Grid Losses Pld Bracket Kronecker GridNumbers GridBelow.
From Shufbound Require Import MachineNodes ModularProduct.
Import ListNotations.
Open Scope R_scope.

Notation parameter := Certificate.value.

(* Part 1: what is certified. *)

(* The divergence at e^eps of T independent rounds of a pair of mass functions. *)
Definition rounds_hockey {A} (T : nat) (q : pair_of A) (eps : R) : R :=
  hockey (outcomes (power T q)) (exp eps) (P_of (power T q)) (Q_of (power T q)).

(* The pair named p as mass functions, in one direction and in the other. *)
Definition forward_pair (p : pair) : pair_of (nat * nat) :=
  let w := weights_of p in
  let N := pred (Pos.to_nat (users p)) in
  Pair (counts N) (trinomial_P (w0 w) (w1 w) (w2 w) (r0 w) (r1 w) N)
    (trinomial_Q (w0 w) (w1 w) (w2 w) (r0 w) (r1 w) N).

Definition reversed {A} (q : pair_of A) : pair_of A := Pair (outcomes q) (Q_of q) (P_of q).

(* The divergence of T rounds at e^eps; in both directions: the larger. *)
Definition delta_rounds_at (dir : direction) (T : positive) (p : pair) (eps : R) : R :=
  let T := Pos.to_nat T in
  match dir with
  | PQ => rounds_hockey T (forward_pair p) eps
  | QP => rounds_hockey T (reversed (forward_pair p)) eps
  | Both => Rmax (rounds_hockey T (forward_pair p) eps) (rounds_hockey T (reversed (forward_pair p)) eps)
  end.

(* delta(eps) of T rounds *)
Definition delta_rounds (dir : direction) (T : positive) (p : pair) (eps : number) : R :=
  delta_rounds_at dir T p (parameter eps).

(* Part 2: laws in integers, and their products. *)

(* Masses at the losses first, first + 1, ... and at +infinity, in units of 2^-b. *)
Record dist := Dist { dist_first : Z; dist_masses : vector; dist_infinite : BigN.t }.

Section Products.
  Variable b : positive.
  Variable small : BigN.t. (* where to trim *)
  Notation units := (unit_count (Zpos b)).

  Definition law (d : dist) : losses :=
    dense (dist_first d) (length (dist_masses d)) (fun i => count_of (dist_masses d) i / units)
      (IZR (number_of (dist_infinite d)) / units).

  Definition bits : BigN.t := BigN.of_pos b.

  (* Trimming. Upwards: small masses at the lowest losses move to the next loss, *)
  Fixpoint raise_first (f : Z) (x : BigN.t) (r : vector) : Z * vector :=
    match r with
    | [] => (f, [x])
    | y :: s => if BigN.ltb x small then raise_first (f + 1) (BigN.add x y) s else (f, x :: r)
    end.

  (* and those at the highest (v from the last) to the infinite mass. *)
  Fixpoint drop_last (dropped : BigN.t) (v : vector) : BigN.t * vector :=
    match v with
    | x :: ((_ :: _) as r) =>
      let t := BigN.add dropped x in if BigN.ltb t small then drop_last t r else (dropped, v)
    | _ => (dropped, v)
    end.

  Definition trim_up (d : dist) : dist :=
    match dist_masses d with
    | [] => d
    | x :: r =>
      let (f, v) := raise_first (dist_first d) x r in
      let (t, v) := drop_last BigN.zero (rev v) in
      Dist f (rev v) (BigN.add (dist_infinite d) t)
    end.

  (* Downwards: they are left out. *)
  Fixpoint cut_first (f : Z) (v : vector) : Z * vector :=
    match v with
    | x :: ((_ :: _) as r) => if BigN.ltb x small then cut_first (f + 1) r else (f, v)
    | _ => (f, v)
    end.

  Definition trim_down (d : dist) : dist :=
    let (f, v) := cut_first (dist_first d) (dist_masses d) in
    let (_, v) := drop_last BigN.zero (rev v) in
    Dist f (rev v) (dist_infinite d).

  (* The other factor: none given means the same again. *)
  Definition partner (x : dist) (y : option dist) : dist := match y with Some y => y | None => x end.

  Lemma partner_masses x y :
    match option_map dist_masses y with Some v => v | None => dist_masses x end = dist_masses (partner x y).
  Proof. now destruct y. Qed.

  (* x 2^-b rounded up *)
  Definition round_up (x : BigN.t) : BigN.t := BigN.succ (BigN.shiftr x bits).

  Definition product_up (x : dist) (y : option dist) : option dist :=
    let y' := partner x y in
    match multiply_any (dist_masses x) (option_map dist_masses y) with
    | None => None
    | Some c =>
      let t := BigN.add (BigN.mul (BigN.add (big_total (dist_masses x)) (dist_infinite x)) (dist_infinite y'))
                 (BigN.mul (dist_infinite x) (big_total (dist_masses y'))) in
      Some (trim_up (Dist (dist_first x + dist_first y') (map round_up c) (round_up t)))
    end.

  (* the same, rounded down *)
  Definition round_down (x : BigN.t) : BigN.t := BigN.shiftr x bits.

  Definition product_down (x : dist) (y : option dist) : option dist :=
    let y' := partner x y in
    match multiply_any (dist_masses x) (option_map dist_masses y) with
    | None => None
    | Some c =>
      let t := BigN.add (BigN.mul (BigN.add (big_total (dist_masses x)) (dist_infinite x)) (dist_infinite y'))
                 (BigN.mul (dist_infinite x) (big_total (dist_masses y'))) in
      Some (trim_down (Dist (dist_first x + dist_first y') (map round_down c) (round_down t)))
    end.

  (* The T-fold product, by squaring. *)
  Fixpoint power_by (mul : dist -> option dist -> option dist) (T : positive) (x : dist) : option dist :=
    match T with
    | xH => Some x
    | xO R => match power_by mul R x with Some y => mul y None | None => None end
    | xI R =>
      match power_by mul R x with
      | Some y => match mul y None with Some z => mul z (Some x) | None => None end
      | None => None
      end
    end.

  Lemma units_pos : 0 < units.
  Proof. apply units_positive. lia. Qed.

  Lemma bits_spec : number_of bits = Zpos b.
  Proof. unfold bits. apply (BigN.spec_of_pos b). Qed.

  Lemma round_up_spec x : IZR (number_of x) / units <= IZR (number_of (round_up x)).
  Proof.
    unfold round_up. rewrite BigN.spec_succ, BigN.spec_shiftr, bits_spec, Z.shiftr_div_pow2 by lia.
    pose proof units_pos as P. apply (Rmult_le_reg_r units); [exact P|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    unfold unit_count in *. rewrite <- mult_IZR. apply IZR_le.
    assert (0 < 2 ^ Zpos b)%Z by now apply Z.pow_pos_nonneg.
    pose proof (Z.mul_succ_div_gt (number_of x) (2 ^ Zpos b) ltac:(lia)). lia.
  Qed.

  Lemma round_down_spec x : IZR (number_of (round_down x)) <= IZR (number_of x) / units.
  Proof.
    unfold round_down. rewrite BigN.spec_shiftr, bits_spec, Z.shiftr_div_pow2 by lia.
    pose proof units_pos as P. apply (Rmult_le_reg_r units); [exact P|].
    unfold Rdiv. rewrite (Rmult_assoc (IZR (number_of x))), Rinv_l, Rmult_1_r by lra.
    unfold unit_count in *. rewrite <- mult_IZR. apply IZR_le.
    assert (0 < 2 ^ Zpos b)%Z by now apply Z.pow_pos_nonneg.
    pose proof (Z.mul_div_le (number_of x) (2 ^ Zpos b) ltac:(lia)). lia.
  Qed.

  Lemma count_nonneg v i : 0 <= count_of v i.
  Proof. apply IZR_le, BigN.spec_pos. Qed.

  Lemma over_units_nonneg x : 0 <= x -> 0 <= x / units.
  Proof. intros H. apply Rmult_le_pos; [exact H|]. apply Rlt_le, Rinv_0_lt_compat, units_pos. Qed.

  Lemma law_nonneg d : nonneg (law d).
  Proof.
    intros z [<-|I]; cbn [snd].
    - apply over_units_nonneg, IZR_le, BigN.spec_pos.
    - apply in_map_iff in I as (i & <- & _). cbn. apply over_units_nonneg, count_nonneg.
  Qed.

  Lemma count_map f v i : (i < length v)%nat -> count_of (map f v) i = IZR (number_of (f (nth i v BigN.zero))).
  Proof.
    intros I. unfold count_of. rewrite (nth_indep _ BigN.zero (f BigN.zero)) by now rewrite map_length.
    now rewrite map_nth.
  Qed.

  Lemma sum_counts v : sum (seq 0 (length v)) (fun i => count_of v i / units) = IZR (number_of (big_total v)) / units.
  Proof.
    unfold Rdiv. rewrite sum_scal_r. f_equal. rewrite big_total_spec. unfold count_of.
    induction v as [|x r IH]; [reflexivity|]. cbn [length]. rewrite sum_seq_first. cbn [nth integers map total].
    rewrite plus_IZR. f_equal. exact IH.
  Qed.

  (* The finite part of a value. *)
  Definition finite (f : Z) (v : vector) (w : loss -> R) : R :=
    sum (seq 0 (length v)) (fun i => count_of v i * w (Some (f + Z.of_nat i)%Z)).

  Lemma law_value d w : Losses.value (law d) w
    = (IZR (number_of (dist_infinite d)) * w None + finite (dist_first d) (dist_masses d) w) / units.
  Proof.
    unfold law. rewrite value_dense. unfold finite, Rdiv. rewrite Rmult_plus_distr_r, <- sum_scal_r. f_equal; [ring|].
    apply sum_ext. intros i _. ring.
  Qed.

  Lemma finite_first f x r w : finite f (x :: r) w = IZR (number_of x) * w (Some f) + finite (f + 1) r w.
  Proof.
    unfold finite. cbn [length]. rewrite sum_seq_first. f_equal.
    - unfold count_of. cbn [nth]. do 3 f_equal. lia.
    - apply sum_ext. intros i _. unfold count_of. cbn [nth]. do 3 f_equal. lia.
  Qed.

  Lemma finite_last f v x w :
    finite f (v ++ [x]) w = finite f v w + IZR (number_of x) * w (Some (f + Z.of_nat (length v))%Z).
  Proof.
    revert f. induction v as [|y r IH]; intros f; cbn [app].
    - rewrite finite_first. unfold finite. cbn [length seq sum]. rewrite Z.add_0_r. ring.
    - rewrite !finite_first, IH. cbn [length]. replace (f + 1 + Z.of_nat (length r))%Z with (f + Z.of_nat (S (length r)))%Z by lia. ring.
  Qed.

  Lemma number_nonneg x : 0 <= IZR (number_of x).
  Proof. apply IZR_le, BigN.spec_pos. Qed.

  Lemma raise_first_above w r : weight w -> forall f x,
    finite f (x :: r) w <= finite (fst (raise_first f x r)) (snd (raise_first f x r)) w.
  Proof.
    intros [W M]. induction r as [|y s IH]; intros f x; cbn [raise_first]; [apply Rle_refl|].
    destruct (BigN.ltb x small); [|apply Rle_refl]. eapply Rle_trans; [|apply IH].
    rewrite !finite_first, BigN.spec_add, plus_IZR.
    pose proof (M (Some f) (Some (f + 1)%Z) ltac:(cbn; lia)). pose proof (number_nonneg x). nra.
  Qed.

  Lemma drop_last_above w f v : weight w -> forall t,
    IZR (number_of t) * w None + finite f (rev v) w
    <= IZR (number_of (fst (drop_last t v))) * w None + finite f (rev (snd (drop_last t v))) w.
  Proof.
    intros [W M]. induction v as [|x r IH]; intros t; [apply Rle_refl|].
    destruct r as [|y s]; [apply Rle_refl|]. cbn [drop_last]. destruct (BigN.ltb _ small); [|apply Rle_refl].
    eapply Rle_trans; [|apply IH]. change (rev (x :: y :: s)) with (rev (y :: s) ++ [x]).
    rewrite finite_last, BigN.spec_add, plus_IZR.
    pose proof (M (Some (f + Z.of_nat (length (rev (y :: s))))%Z) None I). pose proof (number_nonneg x). nra.
  Qed.

  Lemma trim_up_above d : above (law (trim_up d)) (law d).
  Proof.
    intros w W. unfold trim_up. destruct d as [f v t]. cbn [dist_first dist_masses dist_infinite].
    destruct v as [|x r]; [apply Rle_refl|].
    pose proof (raise_first_above w r W f x) as E. destruct (raise_first f x r) as [f' v]. cbn [fst snd] in E.
    pose proof (drop_last_above w f' (rev v) W BigN.zero) as F. rewrite rev_involutive in F.
    destruct (drop_last BigN.zero (rev v)) as [t' v']. cbn [fst snd] in F. change (number_of BigN.zero) with 0%Z in F.
    rewrite !law_value. cbn [dist_first dist_masses dist_infinite]. rewrite BigN.spec_add, plus_IZR.
    apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, units_pos | lra].
  Qed.

  Lemma cut_first_below w v : weight w -> forall f, finite (fst (cut_first f v)) (snd (cut_first f v)) w <= finite f v w.
  Proof.
    intros [W M]. induction v as [|x r IH]; intros f; [apply Rle_refl|].
    destruct r as [|y s]; [apply Rle_refl|]. cbn [cut_first]. destruct (BigN.ltb _ small); [|apply Rle_refl].
    eapply Rle_trans; [apply IH|]. rewrite (finite_first f x). pose proof (number_nonneg x). pose proof (W (Some f)). nra.
  Qed.

  Lemma drop_last_below w f v : weight w -> forall t, finite f (rev (snd (drop_last t v))) w <= finite f (rev v) w.
  Proof.
    intros [W M]. induction v as [|x r IH]; intros t; [apply Rle_refl|].
    destruct r as [|y s]; [apply Rle_refl|]. cbn [drop_last]. destruct (BigN.ltb _ small); [|apply Rle_refl].
    eapply Rle_trans; [apply IH|]. change (rev (x :: y :: s)) with (rev (y :: s) ++ [x]). rewrite finite_last.
    pose proof (number_nonneg x). pose proof (W (Some (f + Z.of_nat (length (rev (y :: s))))%Z)). nra.
  Qed.

  Lemma trim_down_below d : above (law d) (law (trim_down d)).
  Proof.
    intros w W. unfold trim_down. destruct d as [f v t]. cbn [dist_first dist_masses dist_infinite].
    pose proof (cut_first_below w v W f) as E. destruct (cut_first f v) as [f' v']. cbn [fst snd] in E.
    pose proof (drop_last_below w f' (rev v') W BigN.zero) as F. rewrite rev_involutive in F.
    destruct (drop_last BigN.zero (rev v')) as [t' v'']. cbn [fst snd] in F.
    rewrite !law_value. cbn [dist_first dist_masses dist_infinite].
    apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, units_pos | lra].
  Qed.

  Lemma coefficient_scaled n m c d k :
    coefficient n m (fun i => c i / units) (fun i => d i / units) k = coefficient n m c d k / units / units.
  Proof.
    unfold coefficient, Rdiv. rewrite <- !sum_scal_r. apply sum_ext. intros i _.
    destruct (i <=? k)%nat, (k - i <? m)%nat; ring.
  Qed.

  (* What product_up gives is above the law of the sum. *)
  Lemma product_up_above x y z : product_up x y = Some z -> above (law z) (add_losses (law x) (law (partner x y))).
  Proof.
    unfold product_up. cbv zeta. set (t := BigN.add _ _). destruct (multiply_any _ _) as [c|] eqn:E; [|discriminate].
    intros H. injection H as <-. destruct (multiply_any_correct _ _ _ E) as (LX & LY & LC & _). rewrite partner_masses in LY, LC.
    assert (CO := fun k => multiply_any_coefficient _ _ _ k E). cbv zeta in CO. rewrite partner_masses in CO.
    eapply above_trans; [apply trim_up_above|]. unfold law. cbn [dist_first dist_masses dist_infinite]. rewrite map_length, LC.
    pose proof units_pos as P.
    assert (D : forall u v, u / units <= v -> u / units / units <= v / units).
    { intros u v Q. apply Rmult_le_compat_r; [now apply Rlt_le, Rinv_0_lt_compat | exact Q]. }
    apply dense_product_up; trivial.
    - intros i _. apply over_units_nonneg, count_nonneg.
    - intros i _. apply over_units_nonneg, count_nonneg.
    - apply over_units_nonneg, IZR_le, BigN.spec_pos.
    - apply over_units_nonneg, IZR_le, BigN.spec_pos.
    - intros k K. rewrite coefficient_scaled, count_map by (rewrite LC; exact K).
      apply D. eapply Rle_trans; [|apply round_up_spec]. right. unfold Rdiv. f_equal.
      symmetry. exact (CO k).
    - rewrite !sum_counts. eapply Rle_trans; [|apply D, round_up_spec]. right. unfold t.
      rewrite BigN.spec_add, !BigN.spec_mul, BigN.spec_add, plus_IZR, !mult_IZR, plus_IZR. field. lra.
  Qed.

  Lemma power_computed_up T x y : power_by product_up T x = Some y -> computed_up (repeat (law x) (Pos.to_nat T)) (law y).
  Proof.
    revert y. induction T as [R IH|R IH|]; intros y; cbn [power_by].
    - destruct (power_by product_up R x) as [u|]; [|discriminate]. destruct (product_up u None) as [v|] eqn:E; [|discriminate].
      intros F. specialize (IH u eq_refl).
      replace (Pos.to_nat R~1) with ((Pos.to_nat R + Pos.to_nat R) + 1)%nat by lia. rewrite !repeat_app.
      apply up_product with (a := law v) (b := law x).
      + apply up_product with (a := law u) (b := law u); trivial; [apply law_nonneg | exact (product_up_above _ _ _ E)].
      + apply up_one; [apply law_nonneg | apply law_nonneg | apply above_refl].
      + apply law_nonneg.
      + exact (product_up_above _ _ _ F).
    - destruct (power_by product_up R x) as [u|]; [|discriminate]. intros E. specialize (IH u eq_refl).
      replace (Pos.to_nat R~0) with (Pos.to_nat R + Pos.to_nat R)%nat by lia. rewrite repeat_app.
      apply up_product with (a := law u) (b := law u); trivial; [apply law_nonneg | exact (product_up_above _ _ _ E)].
    - intros H. injection H as <-. change (Pos.to_nat 1) with 1%nat. cbn [repeat].
      apply up_one; [apply law_nonneg | apply law_nonneg | apply above_refl].
  Qed.
  Lemma product_down_below x y z : product_down x y = Some z -> above (add_losses (law x) (law (partner x y))) (law z).
  Proof.
    unfold product_down. cbv zeta. set (t := BigN.add _ _). destruct (multiply_any _ _) as [c|] eqn:E; [|discriminate].
    intros H. injection H as <-. destruct (multiply_any_correct _ _ _ E) as (LX & LY & LC & _). rewrite partner_masses in LY, LC.
    assert (CO := fun k => multiply_any_coefficient _ _ _ k E). cbv zeta in CO. rewrite partner_masses in CO.
    eapply above_trans; [|apply trim_down_below]. unfold law. cbn [dist_first dist_masses dist_infinite]. rewrite map_length, LC.
    pose proof units_pos as P.
    assert (D : forall u v, v <= u / units -> v / units <= u / units / units).
    { intros u v Q. apply Rmult_le_compat_r; [now apply Rlt_le, Rinv_0_lt_compat | exact Q]. }
    apply dense_product_down; trivial.
    - intros k K. rewrite coefficient_scaled, count_map by (rewrite LC; exact K).
      apply D. eapply Rle_trans; [apply round_down_spec|]. right. unfold Rdiv. f_equal.
      exact (CO k).
    - rewrite !sum_counts. eapply Rle_trans; [apply D, round_down_spec|]. right. unfold t.
      rewrite BigN.spec_add, !BigN.spec_mul, BigN.spec_add, plus_IZR, !mult_IZR, plus_IZR. field. lra.
  Qed.

  Lemma power_computed_down T x y : power_by product_down T x = Some y -> computed_down (repeat (law x) (Pos.to_nat T)) (law y).
  Proof.
    revert y. induction T as [R IH|R IH|]; intros y; cbn [power_by].
    - destruct (power_by product_down R x) as [u|]; [|discriminate]. destruct (product_down u None) as [v|] eqn:E; [|discriminate].
      intros F. specialize (IH u eq_refl).
      replace (Pos.to_nat R~1) with ((Pos.to_nat R + Pos.to_nat R) + 1)%nat by lia. rewrite !repeat_app.
      apply down_product with (a := law v) (b := law x).
      + apply down_product with (a := law u) (b := law u); trivial; [apply law_nonneg | exact (product_down_below _ _ _ E)].
      + apply down_one; [apply law_nonneg | apply law_nonneg | apply above_refl].
      + apply law_nonneg.
      + exact (product_down_below _ _ _ F).
    - destruct (power_by product_down R x) as [u|]; [|discriminate]. intros E. specialize (IH u eq_refl).
      replace (Pos.to_nat R~0) with (Pos.to_nat R + Pos.to_nat R)%nat by lia. rewrite repeat_app.
      apply down_product with (a := law u) (b := law u); trivial; [apply law_nonneg | exact (product_down_below _ _ _ E)].
    - intros H. injection H as <-. change (Pos.to_nat 1) with 1%nat. cbn [repeat].
      apply down_one; [apply law_nonneg | apply law_nonneg | apply above_refl].
  Qed.
End Products.

(* Part 3: the value of a law. *)

Section Value.
  Variable prec : precision.
  Notation "i + j" := (plus prec i j).
  Notation "i - j" := (minus prec i j).
  Notation "i * j" := (times prec i j).
  Notation "i / j" := (over prec i j).
  Notation "# z" := (integer prec z) (at level 1).

  (* the positive part *)
  Definition positive_part (i : interval) : interval :=
    if is_nonneg i then i else if is_nonneg (zero - i) then zero else between zero i.

  (* w encloses e^(eps - loss) of the first mass, factor e^-h *)
  Fixpoint accumulate (factor w acc : interval) (v : vector) : interval :=
    match v with
    | [] => acc
    | x :: r =>
      let y := #1 - w in
      let acc' := if is_nonneg (zero - y) then acc else acc + #(number_of x) * positive_part y in
      accumulate factor (w * factor) acc' r
    end.

  (* the sum of the masses times (1 - e^(eps - loss))_+, in units *)
  Definition value_of (h : Q) (eps : number) (d : dist) : interval :=
    let factor := exponential prec (fraction prec (- h)) in
    let w := exp_of prec eps * exponential prec (fraction prec (- (inject_Z (dist_first d) * h))) in
    accumulate factor w #(number_of (dist_infinite d)) (dist_masses d).

  Lemma positive_part_encloses i x : encloses i x -> encloses (positive_part i) (pos x).
  Proof.
    intros H. unfold positive_part. destruct (is_nonneg i) eqn:E.
    - apply (is_nonneg_true _ _ H) in E. now rewrite pos_id.
    - destruct (is_nonneg (zero - i)) eqn:F.
      + apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ zero_encloses H)) in F.
        rewrite pos_zero by lra. apply zero_encloses.
      + unfold pos. apply between_max; [apply zero_encloses | exact H].
  Qed.

  Lemma accumulate_encloses factor (h : R) v : forall w (x : R) acc a,
    encloses factor (exp (- h)) -> encloses w (exp x) -> encloses acc a ->
    encloses (accumulate factor w acc v)
      (a + sum (seq 0 (length v)) (fun i => count_of v i * pos (1 - exp (x - h * INR i)))%R).
  Proof.
    induction v as [|c r IH]; intros w x acc a Hf Hw Ha; cbn [accumulate length].
    - eapply encloses_eq; [exact Ha|]. cbn. ring.
    - assert (Hy : encloses (#1 - w) (1 - exp x)) by (apply minus_encloses; [apply integer_encloses | exact Hw]).
      eapply encloses_eq.
      + apply (IH _ (x - h)%R _ (a + IZR (number_of c) * pos (1 - exp x))%R Hf).
        * eapply encloses_eq; [apply times_encloses; [exact Hw | exact Hf]|]. rewrite <- exp_plus. f_equal.
        * destruct (is_nonneg (zero - (#1 - w))) eqn:F.
          -- apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ zero_encloses Hy)) in F.
             rewrite pos_zero by lra. eapply encloses_eq; [exact Ha | ring].
          -- apply plus_encloses; [exact Ha|]. apply times_encloses; [apply integer_encloses|].
             now apply positive_part_encloses.
      + rewrite sum_seq_first, Rplus_assoc. f_equal. unfold count_of at 2. cbn [nth]. f_equal.
        * cbn [INR]. now rewrite Rmult_0_r, Rminus_0_r.
        * apply sum_ext. intros i _. unfold count_of. cbn [nth]. rewrite S_INR. do 4 f_equal. ring.
  Qed.

  Lemma value_of_encloses b h eps d : at_least_zero eps = true ->
    encloses (value_of h eps d)
      (unit_count (Zpos b) * Losses.value (law b d) (hockey_weight (Q2R h) (parameter eps))).
  Proof.
    intros He. pose proof (units_pos b) as P. unfold value_of. eapply encloses_eq.
    - apply (accumulate_encloses _ (Q2R h) _ _ (parameter eps - Q2R h * IZR (dist_first d))).
      + apply exponential_encloses. rewrite <- Q2R_opp. apply fraction_encloses.
      + eapply encloses_eq.
        * apply times_encloses; [now apply exp_of_encloses | apply exponential_encloses, fraction_encloses].
        * rewrite <- exp_plus. f_equal. rewrite Q2R_opp, Q2R_mult. unfold Q2R at 1. cbn. field.
      + apply integer_encloses.
    - unfold law. rewrite value_dense, Rmult_plus_distr_l, <- sum_scal. cbn [hockey_weight]. f_equal.
      + field. lra.
      + apply sum_ext. intros i _. rewrite plus_IZR, <- INR_IZR_INZ.
        replace (parameter eps - Q2R h * (IZR (dist_first d) + INR i))%R
          with (parameter eps - Q2R h * IZR (dist_first d) - Q2R h * INR i)%R by ring. field. lra.
  Qed.
End Value.

(* Part 4: the check. *)

(* Hints for node j: a precision; windows for the certified direction and for the other one (not used if the
   two agree); bounds of delta at j h and at -j h in units. *)
Record node := Node { node_bits : positive; node_window : window; node_window' : window;
                      high : Z; mirror_high : Z; low : Z; mirror_low : Z }.

(*
 * Precision; b; h; 2^b/(e^h - 1) is between the ratios; the nodes 0, 1, ..., m; for the
 * lower end the sags of the cells from the left and the masses below at -m h, ...; what
 * may be trimmed at either end of a product, in units
 *)
Record hints := Hints { h_bits : positive; h_unit : positive; h_step : Q; ratio_low : Z; ratio_high : Z;
                        h_nodes : list node; h_sags : list Z; h_below : list Z;
                        h_trim : Z }.

Definition opposite (dir : direction) : direction :=
  match dir with
  | PQ => QP
  | QP => PQ
  | Both => Both
  end.

Section Check.
  Variable prec : precision.
  Variables (b : positive) (h : Q) (p : pair).
  Notation "i - j" := (minus prec i j).
  Notation "i * j" := (times prec i j).
  Notation "i / j" := (over prec i j).
  Notation "# z" := (integer prec z) (at level 1).

  Definition check_ratio (low high : Z) : bool :=
    let r := #(2 ^ Zpos b) / (exponential prec (fraction prec h) - #1) in
    if is_nonneg (r - #low) then is_nonneg (#high - r) else false.

  (* i encloses a number of units, between none and all *)
  Definition is_within (i : interval) (low high : Z) : bool :=
    if (Z.leb (2 ^ Zpos b) high || is_nonneg (#high - i))%bool then if Z.leb low 0 then true else is_nonneg (i - #low) else false.

  (* delta at the loss x in one direction, from enclosures of the parameters and of e^x *)
  Definition node_value (dir : direction) (e : enclosures) (alpha : interval) (x : Q) (win : window) : interval :=
    if no_loss p (Rational x) then zero
    else
      let e' := match dir with QP => exchange e | _ => e end in
      e_scale e * divergence prec e' alpha (all_count p) (Pos.pred_N (users p)) win.

  (* The same by what is shared, if that works out. *)
  Definition shared_value (dir : direction) (e : enclosures) (h : shared) (alpha : interval) (x : Q) : option interval :=
    if no_loss p (Rational x) then Some zero
    else
      let e' := match dir with QP => exchange e | _ => e end in
      match fast_divergence prec e' alpha (all_count p) (Pos.pred_N (users p)) h with
      | Some i => Some (e_scale e * i)
      | None => None
      end.

  (* Are delta(x) and delta(-x), which the other direction gives, 1 - e^-x (1 - delta(x)), within the bounds? *)
  Definition is_bounded (n : node) (beta i j : interval) : bool :=
    let one := #(2 ^ Zpos b) in
    if is_within (one * i) (low n) (high n)
    then is_within (one - beta * (one - one * j)) (mirror_low n) (mirror_high n)
    else false.

  (* alpha, beta enclose e^x, e^-x; first by what is shared, otherwise by the windows *)
  Definition check_node (dir : direction) (e : enclosures) (here there : shared) (alpha beta : interval) (x : Q) (n : node) : bool :=
    let try :=
      match shared_value dir e here alpha x with
      | None => false
      | Some i =>
        if symmetric p then is_bounded n beta i i
        else
          match shared_value (opposite dir) e there alpha x with
          | None => false
          | Some j => is_bounded n beta i j
          end
      end in
    if try then true
    else
      let i := node_value dir e alpha x (node_window n) in
      let j := if symmetric p then i else node_value (opposite dir) e alpha x (node_window' n) in
      is_bounded n beta i j.
End Check.

(* What the windows of all nodes span, of those where delta is not 0. *)
Definition join_span (sp : option span) (w : window) : option span :=
  match sp with
  | None => Some (Span (win_top w) (win_low w) (win_from w) (win_to w) (win_climb w))
  | Some s => Some (Span (N.max (sp_top s) (win_top w)) (N.min (sp_low s) (win_low w))
                      (N.min (sp_from s) (win_from w)) (N.max (sp_to s) (win_to w)) (Nat.max (sp_fuel s) (win_climb w)))
  end.

Definition share_nodes (p : pair) (e : enclosures) (l : list window) : shared :=
  match fold_left join_span l None with
  | Some sp => share (Dyadic.PtoP 90) e (all_count p) (Pos.pred_N (users p)) sp
  | None => Nothing
  end.

(* The nodes from number j on; alpha, beta enclose e^(j h), e^(-j h); up, down: e^h, e^-h. *)
Fixpoint check_nodes (prec : precision) (b : positive) (h : Q) (p : pair) (dir : direction) (e : enclosures) (here there : shared)
  (up down : interval) (j : Z) (alpha beta : interval) (l : list node) : bool :=
  match l with
  | [] => true
  | n :: r =>
    if check_node (Dyadic.PtoP (node_bits n)) b p dir e here there alpha beta (inject_Z j * h) n
    then check_nodes prec b h p dir e here there up down (Z.succ j) (times prec alpha up) (times prec beta down) r
    else false
  end.

(* The bounds from node -m to node m. *)
Definition highs (l : list node) : list Z := rev_append (map mirror_high (tl l)) (map high l).
Definition lows (l : list node) : list Z := rev_append (map mirror_low (tl l)) (map low l).

Definition big (l : list Z) : vector := map (fun z => BigN.of_N (Z.to_N z)) l.

Definition first_loss (d : hints) : Z := - Z.of_nat (length (tl (h_nodes d))).

Definition law_above (d : hints) : dist :=
  let us := highs (h_nodes d) in
  Dist (first_loss d) (big (masses_up (Zpos (h_unit d)) (ratio_low d) (ratio_high d) (drops (2 ^ Zpos (h_unit d)) us)))
    (BigN.of_N (Z.to_N (last us 0%Z))).

Definition law_below (d : hints) : dist := Dist (first_loss d) (big (h_below d)) BigN.zero.

Definition trimmed (d : hints) : BigN.t := BigN.of_N (Z.to_N (h_trim d)).

(* The pair, and the bounds of its delta in the direction dir at the nodes. *)
Definition check_grid (dir : direction) (d : hints) (p : pair) : bool :=
  if (valid p && Qlt_bool 0 (h_step d) && negb (length (h_nodes d) =? 0)%nat)%bool then
    let prec := Dyadic.PtoP (h_bits d) in
    let e := enclosures_of prec p in
    let turned_e := exchange e in
    let some := filter (fun n => Z.ltb 0 (high n)) (h_nodes d) in
    let here := share_nodes p (match dir with QP => turned_e | _ => e end) (map node_window some) in
    let there := if symmetric p then Nothing
                 else share_nodes p (match dir with QP => e | _ => turned_e end) (map node_window' some) in
    check_nodes prec (h_unit d) (h_step d) p dir e here there
      (exponential prec (fraction prec (h_step d))) (exponential prec (fraction prec (- h_step d)))
      0 (integer prec 1) (integer prec 1) (h_nodes d)
  else false.

(* The value of T rounds of the law above, in units, *)
Definition value_above (d : hints) (T : positive) (eps : number) : option interval :=
  let prec := Dyadic.PtoP (h_bits d) in
  let us := highs (h_nodes d) in
  if (check_ratio prec (h_unit d) (h_step d) (ratio_low d) (ratio_high d)
      && forallb (Z.leb 0) (drops (2 ^ Zpos (h_unit d)) us) && Z.leb 0 (last us 0%Z))%bool
  then
    match power_by (product_up (h_unit d) (trimmed d)) T (law_above d) with
    | Some x => Some (value_of prec (h_step d) eps x)
    | None => None
    end
  else None.

(* and that of the law below. *)
Definition value_below (d : hints) (T : positive) (eps : number) : option interval :=
  let prec := Dyadic.PtoP (h_bits d) in
  let x := law_below d in
  let one := (2 ^ Zpos (h_unit d))%Z in
  if check_below prec (h_unit d) (h_step d) (dist_first x) (one :: lows (h_nodes d)) (one :: highs (h_nodes d))
       (h_sags d) (dist_masses x)
  then
    match power_by (product_down (h_unit d) (trimmed d)) T x with
    | Some x => Some (value_of prec (h_step d) eps x)
    | None => None
    end
  else None.

(* What is tested of the two values. *)
Definition at_most_test (d : hints) (T : positive) (eps : number) (hi : Q) : bool :=
  let prec := Dyadic.PtoP (h_bits d) in
  match value_above d T eps with
  | Some i => is_nonneg (minus prec (times prec (fraction prec hi) (integer prec (2 ^ Zpos (h_unit d)))) i)
  | None => false
  end.

Definition above_test (d : hints) (T : positive) (eps : number) (lo : Q) : bool :=
  let prec := Dyadic.PtoP (h_bits d) in
  match value_below d T eps with
  | Some i => is_positive (minus prec i (times prec (fraction prec lo) (integer prec (2 ^ Zpos (h_unit d)))))
  | None => false
  end.

Definition at_least_test (d : hints) (T : positive) (eps : number) (lo : Q) : bool :=
  if Qle_bool lo 0 then true
  else
    let prec := Dyadic.PtoP (h_bits d) in
    match value_below d T eps with
    | Some i => is_nonneg (minus prec i (times prec (fraction prec lo) (integer prec (2 ^ Zpos (h_unit d)))))
    | None => false
    end.

(* The trinomial pairs: all but krr-strong, whose adversary sees more. *)
Definition plain (p : pair) : bool :=
  match p with
  | KrrStrong _ _ _ => false
  | _ => true
  end.

(* One direction: tests of the value below and of the value above. *)
Definition examine_direction (lower upper : hints -> bool) (dir : direction) (d : hints) (p : pair) : bool :=
  if check_grid dir d p then if lower d then upper d else false else false.

(*
 * All directions, d for the first and d' for the second (not used for one direction or
 * if the two agree): the upper end must hold in both, the lower end in one.
 *)
Definition examine_rounds (lower upper : hints -> bool) (dir : direction) (d d' : hints) (p : pair) : bool :=
  match dir with
  | Both =>
    if symmetric p then examine_direction lower upper PQ d p
    else if lower d then
      if examine_direction (fun _ => true) upper PQ d p then examine_direction (fun _ => true) upper QP d' p else false
    else
      if examine_direction lower upper QP d' p then examine_direction (fun _ => true) upper PQ d p else false
  | _ => examine_direction lower upper dir d p
  end.

(* lo <= delta(eps) <= hi of T rounds; delta(eps) <= hi; lo < delta(eps). *)
Definition check_rounds (d d' : hints) (dir : direction) (T : positive) (p : pair) (eps : number) (lo hi : Q) : bool :=
  if (plain p && at_least_zero eps)%bool
  then examine_rounds (fun d => at_least_test d T eps lo) (fun d => at_most_test d T eps hi) dir d d' p
  else false.

Definition check_rounds_at_most (d d' : hints) (dir : direction) (T : positive) (p : pair) (eps : number) (hi : Q) : bool :=
  if (plain p && at_least_zero eps)%bool
  then examine_rounds (fun _ => true) (fun d => at_most_test d T eps hi) dir d d' p
  else false.

(* In one direction that is enough. *)
Definition check_rounds_above (d d' : hints) (dir : direction) (T : positive) (p : pair) (eps : number) (lo : Q) : bool :=
  let lower d := above_test d T eps lo in
  if (plain p && at_least_zero eps)%bool
  then
    match dir with
    | Both =>
      if symmetric p then examine_direction lower (fun _ => true) PQ d p
      else if lower d then check_grid PQ d p
      else examine_direction lower (fun _ => true) QP d' p
    | _ => examine_direction lower (fun _ => true) dir d p
    end
  else false.

(* Part 5: soundness. *)

(* What makes p in the direction dir speak of the pair of mass functions q. *)
Record speaks {A} (dir : direction) (p : pair) (q : pair_of A) : Prop := {
  speaks_laws : laws q;
  speaks_here : forall alpha, 1 <= alpha -> hockey (outcomes q) alpha (P_of q) (Q_of q) = delta_at dir p alpha;
  speaks_there : forall alpha, 1 <= alpha -> hockey (outcomes q) alpha (Q_of q) (P_of q) = delta_at (opposite dir) p alpha
}.

Lemma speaks_reversed {A} dir p (q : pair_of A) : speaks dir p q -> speaks (opposite dir) p (reversed q).
Proof.
  intros [[LP LQ] H1 H2]. split; cbn [reversed outcomes P_of Q_of]; trivial; [now split|].
  replace (opposite (opposite dir)) with dir by now destruct dir. exact H1.
Qed.

Lemma direction_weights p dir : dir <> Both ->
  forall alpha, delta_at dir p alpha
  = scale (weights_of p) * forward (match dir with QP => turned (weights_of p) | _ => weights_of p end)
      (N.to_nat (Pos.pred_N (users p))) alpha.
Proof.
  intros D alpha. unfold delta_at. cbv zeta. rewrite pred_users. destruct dir; [congruence | reflexivity|].
  now rewrite backward_forward.
Qed.

(* The weights of one direction. *)
Definition weights_in (dir : direction) (w : weights) : weights := match dir with QP => turned w | _ => w end.

Lemma direction_fine dir w : fine w -> fine (weights_in dir w).
Proof. intros F. destruct dir; trivial. now apply turned_fine. Qed.

Lemma direction_encloses dir e w : enclose e w -> enclose (match dir with QP => exchange e | _ => e end) (weights_in dir w).
Proof. intros H. destruct dir; trivial. now apply exchange_correct. Qed.

Lemma direction_all_count dir p : valid p = true -> all_count p = true ->
  r0 (weights_in dir (weights_of p)) + r1 (weights_in dir (weights_of p)) = 1.
Proof. intros V E. pose proof (all_count_true p V E) as H. destruct dir; cbn; lra. Qed.

Lemma at_least_one_loss x a : a = exp (Q2R x) -> 1 <= a -> at_least_zero (Rational x) = true.
Proof.
  intros -> A. cbn. apply Qle_bool_iff, Rle_Qle. rewrite Q2R_zero. destruct (Rle_lt_dec 0 (Q2R x)) as [|L]; trivial.
  apply exp_increasing in L. rewrite exp_0 in L. lra.
Qed.

Lemma no_loss_value p dir x a : valid p = true -> dir <> Both -> a = exp (Q2R x) -> 1 <= a ->
  no_loss p (Rational x) = true -> delta_at dir p a = 0.
Proof.
  intros V D Ea A1 E. pose proof (no_loss_true p (Rational x) V (at_least_one_loss x a Ea A1) E) as L.
  cbn [parameter] in L. rewrite <- Ea in L. rewrite direction_weights by exact D. destruct L as [L|L]; [rewrite L; ring|].
  rewrite forward_zero; [ring | apply (direction_fine dir), valid_fine, V | exact A1 | now destruct dir].
Qed.

Lemma node_value_correct prec p dir e alpha a x win : valid p = true -> dir <> Both ->
  enclose e (weights_of p) -> encloses alpha a -> a = exp (Q2R x) -> 1 <= a ->
  encloses (node_value prec p dir e alpha x win) (delta_at dir p a).
Proof.
  intros V D He Ha Ea A1. unfold node_value. destruct (no_loss p (Rational x)) eqn:E.
  - eapply encloses_eq; [apply zero_encloses|]. symmetry. now apply (no_loss_value p dir x).
  - rewrite direction_weights by exact D. apply times_encloses; [apply (enclose_scale _ _ He)|].
    apply divergence_correct; trivial.
    + now apply (direction_encloses dir).
    + apply (direction_fine dir), valid_fine, V.
    + now apply (direction_all_count dir).
Qed.

Lemma shared_value_correct prec p dir e h alpha a x i : valid p = true -> dir <> Both ->
  enclose e (weights_of p) -> encloses alpha a -> a = exp (Q2R x) -> 1 <= a ->
  shares (weights_in dir (weights_of p)) (Pos.pred_N (users p)) h ->
  shared_value prec p dir e h alpha x = Some i -> encloses i (delta_at dir p a).
Proof.
  intros V D He Ha Ea A1 Sh. unfold shared_value. destruct (no_loss p (Rational x)) eqn:E.
  - intros Q. injection Q as <-. eapply encloses_eq; [apply zero_encloses|]. symmetry. now apply (no_loss_value p dir x).
  - cbv zeta. destruct (fast_divergence _ _ _ _ _ _) as [k|] eqn:F; [|discriminate]. intros Q. injection Q as <-.
    rewrite direction_weights by exact D. apply times_encloses; [apply (enclose_scale _ _ He)|].
    apply (fast_divergence_correct prec _ _ _ _ _ _ _ _ (direction_encloses dir _ _ He)
      (direction_fine dir _ (valid_fine p V)) Ha A1 (direction_all_count dir p V) Sh F).
Qed.

Lemma share_nodes_correct p dir e l : valid p = true -> enclose e (weights_of p) ->
  shares (weights_in dir (weights_of p)) (Pos.pred_N (users p))
    (share_nodes p (match dir with QP => exchange e | _ => e end) l).
Proof.
  intros V He. unfold share_nodes. destruct (fold_left _ _ _) as [sp|]; [|exact I].
  apply share_correct; [now apply direction_encloses | apply direction_fine, valid_fine, V].
Qed.

Lemma delta_at_symmetric p alpha : symmetric p = true -> delta_at QP p alpha = delta_at PQ p alpha.
Proof.
  intros H. unfold delta_at. cbv zeta. rewrite backward_forward. unfold turned, forward. cbn [w0 w1 w2 r0 r1].
  now rewrite (symmetric_true p H).
Qed.

Lemma nth_rev_append (l r : list Z) : forall i,
  nth i (rev_append l r) 0%Z = if (i <? length l)%nat then nth (length l - S i) l 0%Z else nth (i - length l) r 0%Z.
Proof.
  intros i. rewrite rev_append_rev. destruct (i <? length l)%nat eqn:E.
  - apply Nat.ltb_lt in E. rewrite app_nth1 by now rewrite rev_length. now apply rev_nth.
  - apply Nat.ltb_ge in E. rewrite app_nth2; rewrite rev_length; trivial.
Qed.

Section Sound.
  Context {A : Type}.
  Variables (dir : direction) (p : pair) (q : pair_of A).
  Hypothesis S : speaks dir p q.
  Hypothesis D : dir <> Both.
  Hypothesis V : valid p = true.
  Variables (b : positive) (h : Q).
  Hypothesis Hh : 0 < Q2R h.
  Notation units := (unit_count (Zpos b)).
  Let H (alpha : R) : R := hockey (outcomes q) alpha (P_of q) (Q_of q).

  Lemma is_within_sound prec i x lo hi : encloses i (units * x) -> 0 <= x <= 1 -> is_within prec b i lo hi = true ->
    IZR lo / units <= x <= IZR hi / units.
  Proof.
    intros I [X X1] E. pose proof (units_pos b) as P. unfold is_within in E.
    destruct (_ || _)%bool eqn:E1 in E; [|discriminate].
    assert (HI : units * x <= IZR hi).
    { apply orb_true_iff in E1 as [E1|E1].
      - apply Z.leb_le, IZR_le in E1. fold (unit_count (Zpos b)) in E1. nra.
      - apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ (integer_encloses prec hi) I)) in E1. lra. }
    assert (U : forall z, z <= units * x -> z / units <= x).
    { intros z Z. apply (Rmult_le_reg_l units); [exact P|]. replace (units * (z / units)) with z by (field; lra). exact Z. }
    split.
    - apply U. destruct (lo <=? 0)%Z eqn:E2.
      + apply Z.leb_le, IZR_le in E2. assert (0 <= units * x) by (apply Rmult_le_pos; lra). lra.
      + apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ I (integer_encloses prec lo))) in E. lra.
    - apply (Rmult_le_reg_l units); [exact P|]. replace (units * (IZR hi / units)) with (IZR hi) by (field; lra). lra.
  Qed.

  Lemma is_bounded_sound prec e beta x n i j : 0 <= Q2R x ->
    encloses beta (exp (- Q2R x)) -> encloses i (delta_at dir p (exp (Q2R x))) -> encloses j (delta_at (opposite dir) p (exp (Q2R x))) ->
    enclose e (weights_of p) -> is_bounded prec b n beta i j = true ->
    IZR (low n) / units <= H (exp (Q2R x)) <= IZR (high n) / units
    /\ IZR (mirror_low n) / units <= H (exp (- Q2R x)) <= IZR (mirror_high n) / units.
  Proof.
    intros X Hb I J _. unfold is_bounded. cbv zeta. intros E.
    destruct (is_within prec b (times prec (integer prec (2 ^ Zpos b)) i) (low n) (high n)) eqn:E1; [|discriminate].
    assert (X1 : 1 <= exp (Q2R x)).
    { rewrite <- exp_0. destruct X as [X|X]; [left; now apply exp_increasing | right; now rewrite X]. }
    assert (O : encloses (integer prec (2 ^ Zpos b)) units) by apply integer_encloses.
    assert (one : forall a, 0 <= a -> 0 <= H a <= 1).
    { intros a A0. destruct (speaks_laws _ _ _ S) as [[MP SP] [MQ _]]. split; [apply hockey_nonneg|].
      unfold H. rewrite <- SP. now apply hockey_le_mass. }
    split.
    - refine (is_within_sound prec _ _ _ _ _ _ E1); [|apply one; lra].
      unfold H. rewrite (speaks_here _ _ _ S) by trivial. now apply times_encloses.
    - refine (is_within_sound prec _ _ _ _ _ _ E); [|apply one, Rlt_le, exp_pos].
      assert (M : H (exp (- Q2R x)) = 1 - exp (- Q2R x) * (1 - delta_at (opposite dir) p (exp (Q2R x)))).
      { destruct (speaks_laws _ _ _ S) as [LP LQ]. unfold H.
        rewrite (hockey_symmetry_law _ (exp (- Q2R x))) by (trivial; apply exp_pos).
        replace (1 / exp (- Q2R x)) with (exp (Q2R x)) by (rewrite exp_Ropp; pose proof (exp_pos (Q2R x)); field; lra).
        rewrite (speaks_there _ _ _ S) by trivial. ring. }
      rewrite M. eapply encloses_eq.
      + apply minus_encloses; [exact O|]. apply times_encloses; [exact Hb|]. apply minus_encloses; [exact O|].
        apply times_encloses; [exact O | exact J].
      + ring.
  Qed.

  Lemma opposite_symmetric a : symmetric p = true -> delta_at (opposite dir) p a = delta_at dir p a.
  Proof. intros SY. destruct dir; [congruence | |]; cbn [opposite]; rewrite delta_at_symmetric; trivial. Qed.

  Lemma opposite_one : opposite dir <> Both.
  Proof. destruct dir; [congruence | discriminate | discriminate]. Qed.

  Definition shared_right (here there : shared) : Prop :=
    shares (weights_in dir (weights_of p)) (Pos.pred_N (users p)) here
    /\ (symmetric p = false -> shares (weights_in (opposite dir) (weights_of p)) (Pos.pred_N (users p)) there).

  Lemma check_node_sound prec e here there alpha beta x n : enclose e (weights_of p) -> shared_right here there -> 0 <= Q2R x ->
    encloses alpha (exp (Q2R x)) -> encloses beta (exp (- Q2R x)) ->
    check_node prec b p dir e here there alpha beta x n = true ->
    IZR (low n) / units <= H (exp (Q2R x)) <= IZR (high n) / units
    /\ IZR (mirror_low n) / units <= H (exp (- Q2R x)) <= IZR (mirror_high n) / units.
  Proof.
    intros He [SH ST] X Ha Hb.
    assert (X1 : 1 <= exp (Q2R x)).
    { rewrite <- exp_0. destruct X as [X|X]; [left; now apply exp_increasing | right; now rewrite X]. }
    pose proof opposite_one as DO.
    unfold check_node. cbv zeta. destruct (match shared_value prec p dir e here alpha x with Some _ => _ | None => _ end) eqn:E; intros F.
    - destruct (shared_value prec p dir e here alpha x) as [i|] eqn:E1; [|discriminate].
      apply (shared_value_correct prec p dir e here alpha (exp (Q2R x)) x i V D He Ha eq_refl X1 SH) in E1.
      destruct (symmetric p) eqn:SY.
      + apply (is_bounded_sound prec e beta x n i i); trivial. now rewrite opposite_symmetric.
      + destruct (shared_value prec p (opposite dir) e there alpha x) as [j|] eqn:E2; [|discriminate].
        apply (shared_value_correct prec p _ e there alpha (exp (Q2R x)) x j V DO He Ha eq_refl X1 (ST eq_refl)) in E2.
        now apply (is_bounded_sound prec e beta x n i j).
    - clear E. refine (is_bounded_sound prec e beta x n _ _ X Hb _ _ He F); [now apply node_value_correct|].
      destruct (symmetric p) eqn:SY; [rewrite opposite_symmetric by exact SY|]; now apply node_value_correct.
  Qed.

  Lemma check_nodes_sound prec e here there up down : enclose e (weights_of p) -> shared_right here there ->
    encloses up (exp (Q2R h)) -> encloses down (exp (- Q2R h)) ->
    forall l j alpha beta d, (0 <= j)%Z ->
    encloses alpha (exp (Q2R h * IZR j)) -> encloses beta (exp (- (Q2R h * IZR j))) ->
    check_nodes prec b h p dir e here there up down j alpha beta l = true ->
    forall i, (i < length l)%nat -> let x := Q2R h * IZR (j + Z.of_nat i) in
    IZR (low (nth i l d)) / units <= H (exp x) <= IZR (high (nth i l d)) / units
    /\ IZR (mirror_low (nth i l d)) / units <= H (exp (- x)) <= IZR (mirror_high (nth i l d)) / units.
  Proof.
    intros He HS Hu Hd l. induction l as [|n r IH]; intros j alpha beta d J Ha Hb E i I; cbn [length] in I; [lia|].
    cbn [check_nodes] in E.
    assert (X : Q2R (inject_Z j * h) = Q2R h * IZR j).
    { rewrite Q2R_mult. replace (Q2R (inject_Z j)) with (IZR j) by (unfold Q2R; cbn; field). ring. }
    destruct (check_node _ b p dir e here there alpha beta (inject_Z j * h) n) eqn:E1; [|discriminate].
    destruct i as [|i]; cbn [nth]; cbv zeta.
    - rewrite Z.add_0_r, <- X. refine (check_node_sound _ e here there alpha beta _ n He HS _ _ _ E1); rewrite X; trivial.
      apply Rmult_le_pos; [lra | now apply (IZR_le 0)].
    - replace (j + Z.of_nat (Datatypes.S i))%Z with (Z.succ j + Z.of_nat i)%Z by lia.
      apply (IH (Z.succ j) (times prec alpha up) (times prec beta down) d); trivial; [lia | | | lia].
      + eapply encloses_eq; [apply times_encloses; [exact Ha | exact Hu]|].
        rewrite <- exp_plus, succ_IZR. f_equal. ring.
      + eapply encloses_eq; [apply times_encloses; [exact Hb | exact Hd]|].
        rewrite <- exp_plus, succ_IZR. f_equal. ring.
  Qed.

  Lemma check_ratio_sound prec low high : check_ratio prec b h low high = true ->
    IZR low <= ratio (Q2R h) * units <= IZR high.
  Proof.
    unfold check_ratio. intros E.
    pose proof (exp_increasing 0 _ Hh) as X. rewrite exp_0 in X.
    assert (R : encloses (over prec (integer prec (2 ^ Zpos b)) (minus prec (exponential prec (fraction prec h)) (integer prec 1)))
                  (units / (exp (Q2R h) - 1))).
    { apply over_encloses; [lra | apply integer_encloses|]. apply minus_encloses; [|apply integer_encloses].
      apply exponential_encloses, fraction_encloses. }
    destruct (is_nonneg (minus prec (over _ _ _) _)) eqn:E1; [|discriminate].
    apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ R (integer_encloses prec low))) in E1.
    apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ (integer_encloses prec high) R)) in E.
    unfold ratio, Rdiv in *. lra.
  Qed.
End Sound.

(* The bounds at all nodes, from the left. *)
Lemma grid_sound {A} (q : pair_of A) dir p d : speaks dir p q -> dir <> Both -> check_grid dir d p = true ->
  0 < Q2R (h_step d) /\ (1 <= length (highs (h_nodes d)))%nat
  /\ forall i, (i < length (highs (h_nodes d)))%nat ->
     IZR (nth i (lows (h_nodes d)) 0%Z) / unit_count (Zpos (h_unit d))
     <= hockey (outcomes q) (exp (Q2R (h_step d) * IZR (first_loss d + Z.of_nat i))) (P_of q) (Q_of q)
     <= IZR (nth i (highs (h_nodes d)) 0%Z) / unit_count (Zpos (h_unit d)).
Proof.
  intros S D G. unfold check_grid in G. destruct (_ && _)%bool eqn:E in G; [|discriminate]. cbv zeta in G.
  apply andb_true_iff in E as [E E1]. apply andb_true_iff in E as [V EH].
  apply Qlt_bool_R in EH. rewrite Q2R_zero in EH. apply negb_true_iff, Nat.eqb_neq in E1.
  set (prec := Dyadic.PtoP (h_bits d)) in *. set (l := h_nodes d) in *.
  set (e := enclosures_of prec p) in *. pose proof (enclosures_correct prec p V : enclose e (weights_of p)) as He.
  set (some := filter _ l) in G.
  match type of G with check_nodes _ _ _ _ _ _ ?a ?c _ _ _ _ _ _ = true => set (here := a) in *; set (there := c) in * end.
  assert (HS : shared_right dir p here there).
  { split.
    - exact (share_nodes_correct p dir e _ V He).
    - intros SY. unfold there. rewrite SY. pose proof (share_nodes_correct p (opposite dir) e (map node_window' some) V He) as K.
      destruct dir; [congruence | exact K | exact K]. }
  assert (C := check_nodes_sound dir p q S D V (h_unit d) (h_step d) EH prec e here there _ _ He HS
    (exponential_encloses prec _ _ (fraction_encloses prec _))
    (encloses_eq _ _ _ (exponential_encloses prec _ _ (fraction_encloses prec _)) (f_equal exp (Q2R_opp _)))
    l 0%Z (integer prec 1) (integer prec 1)).
  assert (ONE : forall x, x = 0 -> encloses (integer prec 1) (exp x)).
  { intros x ->. rewrite exp_0. apply integer_encloses. }
  split; [exact EH|]. unfold highs, lows, first_loss. fold l.
  assert (LEN : length (rev_append (map mirror_high (tl l)) (map high l)) = (length (tl l) + length l)%nat)
    by now rewrite rev_append_rev, app_length, rev_length, !map_length.
  rewrite LEN. split; [lia|].
  intros i I. rewrite !nth_rev_append, !map_length.
  destruct l as [|n r] eqn:El; [now cbn in E1|]. cbn [tl length] in *. set (m := length r) in *.
  specialize (C n ltac:(lia) ltac:(apply ONE; ring) ltac:(apply ONE; ring) G).
  destruct (i <? m)%nat eqn:LT.
  - apply Nat.ltb_lt in LT. rewrite (nth_indep (map mirror_low r) 0%Z (mirror_low n)), (nth_indep (map mirror_high r) 0%Z (mirror_high n))
      by (rewrite map_length; fold m; lia). rewrite !map_nth.
    destruct (C (m - i)%nat ltac:(fold m; lia)) as [_ C'].
    replace (nth (m - i) (n :: r) n) with (nth (m - Datatypes.S i) r n) in C'
      by (replace (m - i)%nat with (Datatypes.S (m - Datatypes.S i)) by lia; reflexivity).
    replace (Q2R (h_step d) * IZR (- Z.of_nat m + Z.of_nat i)) with (- (Q2R (h_step d) * IZR (0 + Z.of_nat (m - i)))); [exact C'|].
    rewrite Nat2Z.inj_sub by lia. rewrite !plus_IZR, minus_IZR, opp_IZR. ring.
  - apply Nat.ltb_ge in LT. rewrite (nth_indep (map low (n :: r)) 0%Z (low n)), (nth_indep (map high (n :: r)) 0%Z (high n))
      by (rewrite map_length; cbn [length]; fold m; lia). rewrite !map_nth.
    destruct (C (i - m)%nat ltac:(fold m; lia)) as [C' _].
    replace (- Z.of_nat m + Z.of_nat i)%Z with (0 + Z.of_nat (i - m))%Z by lia. exact C'.
Qed.

Lemma big_value z : (0 <= z)%Z -> number_of (BigN.of_N (Z.to_N z)) = z.
Proof. intros Z. rewrite BigN.spec_of_N. now apply Z2N.id. Qed.

Lemma law_above_law d : (0 <= last (highs (h_nodes d)) 0)%Z ->
  law (h_unit d) (law_above d)
  = law_of (law_up (Zpos (h_unit d)) (ratio_low d) (ratio_high d) (first_loss d) (highs (h_nodes d))).
Proof.
  intros N. unfold law, law_of, law_above, law_up, big. cbv zeta.
  cbn [dist_first dist_masses dist_infinite first_node node_count node_mass infinite_mass].
  rewrite map_length, length_masses_up, length_drops, big_value by exact N.
  unfold dense. f_equal. apply map_ext_in. intros i I. apply in_seq in I. do 3 f_equal.
  unfold count_of. change BigN.zero with (BigN.of_N (Z.to_N 0)).
  rewrite (map_nth (fun z => BigN.of_N (Z.to_N z))). rewrite big_value by apply masses_up_nonneg. reflexivity.
Qed.

(* Rounds of a pair of a grid law, whose losses it knows. *)
Lemma grid_rounds step g T eps : masses_nonneg g ->
  rounds_hockey T (pair_of_law step g) eps
  = Losses.value (sum_losses (repeat (law_of g) T)) (hockey_weight step eps)
  /\ masses (pair_of_law step g).
Proof.
  intros NN. split.
  - destruct (pair_of_law_losses step (repeat g T)) as [HL HE].
    { apply Forall_forall. intros z Z. apply repeat_spec in Z as ->. exact NN. }
    rewrite !map_repeat in HL, HE.
    unfold rounds_hockey, power. rewrite (hockey_of_losses step _ _ _ HL).
    fold (laws_of (repeat (pair_of_law step g) T) (repeat (grid_loss (first_node g)) T)).
    now rewrite HE, map_repeat.
  - pose proof (grid_pair_has_loss step (first_node g) (node_count g) (node_mass g) (infinite_mass g)
      (proj1 NN) (proj2 NN)) as G. now apply has_loss_masses in G.
Qed.

(* The values above and below, of every pair of mass functions that p speaks of. *)
Section General.
  Context {A : Type}.
  Variables (dir : direction) (p : pair) (q : pair_of A) (d : hints).
  Hypothesis S : speaks dir p q.
  Hypothesis D : dir <> Both.
  Hypothesis G : check_grid dir d p = true.
  Variables (T : positive) (eps : number).
  Hypothesis EE : at_least_zero eps = true.
  Notation prec := (Dyadic.PtoP (h_bits d)).
  Notation b := (h_unit d).
  Notation h := (h_step d).
  Notation units := (unit_count (Zpos b)).
  Notation rounds := (rounds_hockey (Pos.to_nat T) q (parameter eps)).

  Lemma value_above_sound i : value_above d T eps = Some i -> exists x, encloses i (units * x) /\ rounds <= x.
  Proof.
    unfold value_above. cbv zeta. destruct (grid_sound q dir p d S D G) as (EH & LV & HB).
    destruct (_ && _ && _)%bool eqn:E; [|discriminate].
    apply andb_true_iff in E as [E EL]. apply andb_true_iff in E as [ER ED].
    apply Z.leb_le in EL. destruct (power_by _ T (law_above d)) as [x|] eqn:EX; [|discriminate].
    intros I. injection I as <-.
    set (g := law_up (Zpos b) (ratio_low d) (ratio_high d) (first_loss d) (highs (h_nodes d))).
    assert (B : built_above (Q2R h) g (fun alpha => hockey (outcomes q) alpha (P_of q) (Q_of q))).
    { apply law_up_built; trivial; try lia.
      - now apply (check_ratio_sound b h EH prec).
      - apply Forall_forall. intros z Z. rewrite forallb_forall in ED. now apply Z.leb_le, ED.
      - intros i I. now apply HB. }
    destruct (speaks_laws _ _ _ S) as [[MP SP] [MQ SQ]].
    assert (NN : masses_nonneg g) by (destruct B as (hi' & c & k & _ & _ & _ & _ & NN & _); exact NN).
    assert (DO : bounds (pair_of_law (Q2R h) g) (outcomes q) (P_of q) (Q_of q)) by (apply built_above_dominates; trivial; lra).
    apply power_computed_up in EX. rewrite law_above_law in EX by exact EL. fold g in EX.
    destruct (grid_rounds (Q2R h) g (Pos.to_nat T) (parameter eps) NN) as [GR MG].
    eexists. split; [exact (value_of_encloses prec b h eps x EE)|].
    eapply Rle_trans; [exact (dominates_power (pair_of_law (Q2R h) g) q (Pos.to_nat T) MG (conj MP MQ) DO
      (exp (parameter eps)) (Rlt_le _ _ (exp_pos _)))|].
    fold (rounds_hockey (Pos.to_nat T) (pair_of_law (Q2R h) g) (parameter eps)). rewrite GR.
    apply (computed_up_above _ _ EX), hockey_weight_weight. lra.
  Qed.

  Lemma value_below_sound i : value_below d T eps = Some i -> exists x, encloses i (units * x) /\ x <= rounds.
  Proof.
    unfold value_below. cbv zeta. destruct (grid_sound q dir p d S D G) as (EH & LV & HB).
    match goal with |- context [check_below ?x1 ?x2 ?x3 ?x4 ?x5 ?x6 ?x7 ?x8] =>
      destruct (check_below x1 x2 x3 x4 x5 x6 x7 x8) eqn:EB; [|discriminate] end.
    destruct (power_by _ T (law_below d)) as [x|] eqn:EX; [|discriminate].
    intros I. injection I as <-.
    destruct (speaks_laws _ _ _ S) as [LP LQ].
    assert (LEN : length (lows (h_nodes d)) = length (highs (h_nodes d))).
    { unfold lows, highs. now rewrite !rev_append_rev, !app_length, !rev_length, !map_length. }
    apply (check_below_sound _ _ _ _ _ _ _ _ (outcomes q) (P_of q) (Q_of q) LP LQ EH) in EB.
    2:{ intros [|i] I; [lia|]. cbn [length pred] in I. cbn [nth point]. apply HB. lia. }
    destruct EB as [NN DO]. set (g := GridLaw _ _ _ _) in *.
    apply power_computed_down in EX.
    replace (law b (law_below d)) with (law_of g) in EX.
    2:{ unfold law, law_of, g. cbn [law_below dist_first dist_masses dist_infinite first_node node_count node_mass infinite_mass].
        f_equal. change (number_of BigN.zero) with 0%Z. unfold Rdiv. ring. }
    destruct (grid_rounds (Q2R h) g (Pos.to_nat T) (parameter eps) NN) as [GR MG].
    eexists. split; [exact (value_of_encloses prec b h eps x EE)|].
    pose proof (dominates_power q (pair_of_law (Q2R h) g) (Pos.to_nat T) (conj (proj1 LP) (proj1 LQ)) MG DO
      (exp (parameter eps)) (Rlt_le _ _ (exp_pos _))) as DP.
    fold (rounds_hockey (Pos.to_nat T) (pair_of_law (Q2R h) g) (parameter eps)) in DP. rewrite GR in DP.
    eapply Rle_trans; [|exact DP].
    apply (computed_down_below _ _ EX), hockey_weight_weight. lra.
  Qed.

  Lemma at_most_sound hi : at_most_test d T eps hi = true -> rounds <= Q2R hi.
  Proof.
    unfold at_most_test. cbv zeta. destruct (value_above d T eps) as [i|] eqn:E; [|discriminate]. intros H.
    destruct (value_above_sound i E) as (x & I & X). pose proof (units_pos b) as P.
    apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _
      (times_encloses prec _ _ _ _ (fraction_encloses prec hi) (integer_encloses prec (2 ^ Zpos b))) I)) in H.
    fold units in H. apply (Rmult_le_reg_l units); [exact P|]. nra.
  Qed.

  Lemma above_sound lo : above_test d T eps lo = true -> Q2R lo < rounds.
  Proof.
    unfold above_test. cbv zeta. destruct (value_below d T eps) as [i|] eqn:E; [|discriminate]. intros H.
    destruct (value_below_sound i E) as (x & I & X). pose proof (units_pos b) as P.
    apply (is_positive_true _ _ (minus_encloses prec _ _ _ _ I
      (times_encloses prec _ _ _ _ (fraction_encloses prec lo) (integer_encloses prec (2 ^ Zpos b))))) in H.
    fold units in H. apply (Rmult_lt_reg_l units); [exact P|]. nra.
  Qed.

  Lemma at_least_sound lo : at_least_test d T eps lo = true -> Q2R lo <= rounds.
  Proof.
    unfold at_least_test. destruct (Qle_bool lo 0) eqn:L.
    { intros _. apply Qle_bool_R in L. rewrite Q2R_zero in L. eapply Rle_trans; [exact L | apply hockey_nonneg]. }
    cbv zeta. destruct (value_below d T eps) as [i|] eqn:E; [|discriminate]. intros H.
    destruct (value_below_sound i E) as (x & I & X). pose proof (units_pos b) as P.
    apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ I
      (times_encloses prec _ _ _ _ (fraction_encloses prec lo) (integer_encloses prec (2 ^ Zpos b))))) in H.
    fold units in H. apply (Rmult_le_reg_l units); [exact P|]. nra.
  Qed.
End General.

Lemma examine_direction_true lower upper dir d p : examine_direction lower upper dir d p = true ->
  check_grid dir d p = true /\ lower d = true /\ upper d = true.
Proof.
  unfold examine_direction. destruct (check_grid dir d p), (lower d); try discriminate. intros E. now repeat split.
Qed.

Lemma check_grid_valid dir d p : check_grid dir d p = true -> valid p = true.
Proof.
  unfold check_grid. destruct (_ && _ && _)%bool eqn:E; [|discriminate]. intros _.
  apply andb_true_iff in E as [E _]. now apply andb_true_iff in E as [E _].
Qed.

Lemma weights_sum p : valid p = true -> plain p = true ->
  w0 (weights_of p) + w1 (weights_of p) + w2 (weights_of p) = 1 /\ scale (weights_of p) = 1.
Proof.
  destruct p as [n x|n x|n x|n k x|n k x|n k g|n a0 a1 b0 b1]; cbn [valid plain]; intros H P; try discriminate; split; trivial.
  1-3: pose proof (exp_pos (parameter x)); cbn; field; lra.
  1-2: apply andb_true_iff in H as [_ H]; pose proof (Pos_leb_R k H); pose proof (exp_pos (parameter x)); cbn; field; lra.
  cbn. ring.
Qed.

Lemma plain_speaks p : valid p = true -> plain p = true -> speaks PQ p (forward_pair p).
Proof.
  intros V P. destruct (weights_sum p V P) as [W1 W2]. destruct (valid_fine p V) as [A B C D E F].
  split.
  - apply trinomial_law; lra.
  - intros alpha _. unfold delta_at, forward, trinomial_hockey. cbn [forward_pair outcomes P_of Q_of]. rewrite W2. ring.
  - intros alpha _. unfold delta_at, backward. cbn [opposite forward_pair outcomes P_of Q_of]. rewrite W2. ring.
Qed.

(* The two directions of the rounds agree if those of the pair do. *)
Lemma rounds_reversed {A} T p (q : pair_of A) eps : symmetric p = true -> speaks PQ p q ->
  rounds_hockey T (reversed q) eps = rounds_hockey T q eps.
Proof.
  intros SY S. destruct (speaks_laws _ _ _ S) as [[MP SP] [MQ SQ]].
  assert (E : forall alpha, 1 <= alpha ->
    hockey (outcomes q) alpha (Q_of q) (P_of q) = hockey (outcomes q) alpha (P_of q) (Q_of q)).
  { intros alpha HA. rewrite (speaks_here _ _ _ S), (speaks_there _ _ _ S) by trivial. now apply delta_at_symmetric. }
  unfold rounds_hockey. apply Rle_antisym.
  - apply (dominates_power q (reversed q) T); [now split | now split | | apply Rlt_le, exp_pos].
    apply dominates_both_directions; try (now split); intros alpha HA; cbn [reversed outcomes P_of Q_of]; rewrite E by trivial; lra.
  - apply (dominates_power (reversed q) q T); [now split | now split | | apply Rlt_le, exp_pos].
    apply dominates_both_directions; try (now split); intros alpha HA; cbn [reversed outcomes P_of Q_of]; rewrite E by trivial; lra.
Qed.

Lemma delta_rounds_forward dir T p eps : valid p = true -> plain p = true -> symmetric p = true ->
  delta_rounds dir T p eps = rounds_hockey (Pos.to_nat T) (forward_pair p) (parameter eps).
Proof.
  intros V P SY. pose proof (plain_speaks p V P) as S. unfold delta_rounds, delta_rounds_at. cbv zeta.
  destruct dir; rewrite ?(rounds_reversed _ p _ _ SY S); trivial. apply Rmax_left. lra.
Qed.

Lemma delta_rounds_both T p eps : delta_rounds Both T p eps = Rmax (delta_rounds PQ T p eps) (delta_rounds QP T p eps).
Proof. reflexivity. Qed.

(* One direction of the pair p. *)
Lemma one_direction lower upper (L U : R -> Prop) dir T p eps d : plain p = true -> dir <> Both ->
  (forall A (q : pair_of A), speaks dir p q -> check_grid dir d p = true ->
     (lower d = true -> L (rounds_hockey (Pos.to_nat T) q (parameter eps)))
     /\ (upper d = true -> U (rounds_hockey (Pos.to_nat T) q (parameter eps)))) ->
  examine_direction lower upper dir d p = true -> L (delta_rounds dir T p eps) /\ U (delta_rounds dir T p eps).
Proof.
  intros P D H E. apply examine_direction_true in E as (G & EL & EU).
  pose proof (check_grid_valid _ _ _ G) as V. pose proof (plain_speaks p V P) as S.
  unfold delta_rounds, delta_rounds_at. destruct dir; [congruence | |].
  - destruct (H _ _ S G). split; auto.
  - destruct (H _ _ (speaks_reversed _ _ _ S) G). split; auto.
Qed.

Section All.
  Variables (T : positive) (p : pair) (eps : number) (lo hi : Q).
  Hypothesis P : plain p = true.
  Hypothesis EE : at_least_zero eps = true.

  Lemma examine_rounds_sound lower upper (L U : R -> Prop) dir d d' :
    (forall x y, x <= y -> L x -> L y) ->
    (forall dir A (q : pair_of A) d, speaks dir p q -> dir <> Both -> check_grid dir d p = true ->
       (lower d = true -> L (rounds_hockey (Pos.to_nat T) q (parameter eps)))
       /\ (upper d = true -> U (rounds_hockey (Pos.to_nat T) q (parameter eps)))) ->
    examine_rounds lower upper dir d d' p = true -> L (delta_rounds dir T p eps) /\ U (delta_rounds dir T p eps).
  Proof.
    intros ML H E.
    assert (O : forall lower' dir d, (lower' = lower \/ lower' = fun _ => true) -> dir <> Both ->
              examine_direction lower' upper dir d p = true ->
              (lower d = true -> L (delta_rounds dir T p eps)) /\ U (delta_rounds dir T p eps)).
    { intros lower' dr d0 LL D E0.
      apply (one_direction lower' upper (fun x => lower d0 = true -> L x) U dr T p eps d0 P D); [|exact E0].
      intros A q S G. destruct (H dr A q d0 S D G) as [H1 H2]. split; [|exact H2]. intros _ K. now apply H1. }
    destruct dir.
    - cbn [examine_rounds] in E. destruct (symmetric p) eqn:SY.
      + apply examine_direction_true in E as E'. destruct E' as (G & EL & _). pose proof (check_grid_valid _ _ _ G) as V.
        destruct (O lower PQ d (or_introl eq_refl) ltac:(congruence) E) as [O1 O2].
        rewrite !delta_rounds_forward in * by trivial. split; auto.
      + destruct (lower d) eqn:EL.
        * destruct (examine_direction (fun _ => true) upper PQ d p) eqn:E1; [|discriminate].
          destruct (O _ PQ d (or_intror eq_refl) ltac:(congruence) E1) as [O1 O2].
          destruct (O _ QP d' (or_intror eq_refl) ltac:(congruence) E) as [_ O3].
          rewrite delta_rounds_both. split; [eapply ML; [apply Rmax_l | auto] | now apply Rmax_case].
        * destruct (examine_direction lower upper QP d' p) eqn:E1; [|discriminate].
          apply examine_direction_true in E1 as E'. destruct E' as (_ & EL' & _).
          destruct (O _ QP d' (or_introl eq_refl) ltac:(congruence) E1) as [O1 O2].
          destruct (O _ PQ d (or_intror eq_refl) ltac:(congruence) E) as [_ O3].
          rewrite delta_rounds_both. split; [eapply ML; [apply Rmax_r | auto] | now apply Rmax_case].
    - cbn [examine_rounds] in E. apply examine_direction_true in E as E'. destruct E' as (_ & EL & _).
      destruct (O _ PQ d (or_introl eq_refl) ltac:(congruence) E). split; auto.
    - cbn [examine_rounds] in E. apply examine_direction_true in E as E'. destruct E' as (_ & EL & _).
      destruct (O _ QP d (or_introl eq_refl) ltac:(congruence) E). split; auto.
  Qed.
End All.

Ltac open_check E := destruct (_ && _)%bool eqn:PE in E; [|discriminate]; apply andb_true_iff in PE as [P EE].

(* What `check_rounds` accepts is true: delta(eps) of T rounds is between lo and hi. *)
Theorem check_rounds_sound d d' dir T p eps lo hi :
  check_rounds d d' dir T p eps lo hi = true -> Q2R lo <= delta_rounds dir T p eps <= Q2R hi.
Proof.
  unfold check_rounds. intros E. open_check E.
  apply (examine_rounds_sound T p eps P (fun d => at_least_test d T eps lo) (fun d => at_most_test d T eps hi)
    (fun x => Q2R lo <= x) (fun x => x <= Q2R hi) dir d d'); trivial.
  - intros x y. lra.
  - intros dr A q d0 S D G. split; intros K.
    + now apply (at_least_sound dr p q d0 S D G T eps EE).
    + now apply (at_most_sound dr p q d0 S D G T eps EE).
Qed.

(* The upper end alone. *)
Theorem check_rounds_at_most_sound d d' dir T p eps hi :
  check_rounds_at_most d d' dir T p eps hi = true -> delta_rounds dir T p eps <= Q2R hi.
Proof.
  unfold check_rounds_at_most. intros E. open_check E.
  apply (examine_rounds_sound T p eps P (fun _ => true) (fun d => at_most_test d T eps hi)
    (fun _ => True) (fun x => x <= Q2R hi) dir d d'); trivial.
  intros dr A q d0 S D G. split; intros K; [exact I|].
  now apply (at_most_sound dr p q d0 S D G T eps EE).
Qed.

(* The lower end alone, strictly. *)
Theorem check_rounds_above_sound d d' dir T p eps lo :
  check_rounds_above d d' dir T p eps lo = true -> Q2R lo < delta_rounds dir T p eps.
Proof.
  unfold check_rounds_above. cbv zeta. intros E. open_check E.
  assert (O : forall dr d0, dr <> Both ->
            examine_direction (fun d => above_test d T eps lo) (fun _ => true) dr d0 p = true -> Q2R lo < delta_rounds dr T p eps).
  { intros dr d0 D E0. apply (one_direction (fun d => above_test d T eps lo) (fun _ => true)
      (fun x => Q2R lo < x) (fun _ => True) dr T p eps d0 P D); [|exact E0].
    intros A q S G. split; [|easy]. intros K. now apply (above_sound dr p q d0 S D G T eps EE). }
  destruct dir; [|now apply (O PQ d) | now apply (O QP d)].
  destruct (symmetric p) eqn:SY.
  - pose proof (O PQ d ltac:(congruence) E) as R. apply examine_direction_true in E as (G & _).
    pose proof (check_grid_valid _ _ _ G) as V. rewrite !delta_rounds_forward in * by trivial. exact R.
  - destruct (above_test d T eps lo) eqn:EL.
    + rewrite delta_rounds_both. eapply Rlt_le_trans; [|apply Rmax_l]. apply (O PQ d); [congruence|]. unfold examine_direction. now rewrite E, EL.
    + rewrite delta_rounds_both. eapply Rlt_le_trans; [|apply Rmax_r]. now apply (O QP d').
Qed.
