(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Certificates of composed values: T rounds of one pair whose two directions agree.
 * A program gives hints: bounds of delta at the nodes j h of a grid of losses,
 * windows for their evaluation, enclosures of 1/(e^h - 1), and a law below with the
 * sags of the cells. All are checked; the masses of the law above (../pld.md,
 * Lemma 2) and the T-fold products of both laws, rounded up and down
 * (../exact-convolution.md), are computed here, by one multiplication of big
 * numbers a product. The hints can make a check fail or an enclosure wide, never
 * wrong. To trust a certificate, read the first part: what `delta_rounds` is.
 *)
From Coq Require Import Reals List ZArith NArith QArith Qreals Lra Lia Arith Bool.
From Bignums Require Import BigN.
From Shufbound Require Import Sum Hockey Divergence Trinomial TrinomialMean Strata Enclosures Walk Evaluate Certificate.
From Shufbound Require Import KrrPairs Composition Polygon Grid Losses Pld Bracket Kronecker GridNumbers GridBelow.
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

(* delta(eps) of T rounds; in both directions: the larger. *)
Definition delta_rounds (dir : direction) (T : positive) (p : pair) (eps : number) : R :=
  let T := Pos.to_nat T in
  let eps := parameter eps in
  match dir with
  | PQ => rounds_hockey T (forward_pair p) eps
  | QP => rounds_hockey T (reversed (forward_pair p)) eps
  | Both => Rmax (rounds_hockey T (forward_pair p) eps) (rounds_hockey T (reversed (forward_pair p)) eps)
  end.

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

  (* x 2^-b rounded up *)
  Definition round_up (x : BigN.t) : BigN.t := BigN.succ (BigN.shiftr x bits).

  Definition product_up (x y : dist) : option dist :=
    let width := BigN.add bits (BigN.add bits (BigN.of_N 4)) in
    match multiply width (dist_masses x) (dist_masses y) with
    | None => None
    | Some c =>
      let t := BigN.add (BigN.mul (BigN.add (big_total (dist_masses x)) (dist_infinite x)) (dist_infinite y))
                 (BigN.mul (dist_infinite x) (big_total (dist_masses y))) in
      Some (trim_up (Dist (dist_first x + dist_first y) (map round_up c) (round_up t)))
    end.

  (* the same, rounded down *)
  Definition round_down (x : BigN.t) : BigN.t := BigN.shiftr x bits.

  Definition product_down (x y : dist) : option dist :=
    let width := BigN.add bits (BigN.add bits (BigN.of_N 4)) in
    match multiply width (dist_masses x) (dist_masses y) with
    | None => None
    | Some c =>
      let t := BigN.add (BigN.mul (BigN.add (big_total (dist_masses x)) (dist_infinite x)) (dist_infinite y))
                 (BigN.mul (dist_infinite x) (big_total (dist_masses y))) in
      Some (trim_down (Dist (dist_first x + dist_first y) (map round_down c) (round_down t)))
    end.

  (* The T-fold product, by squaring. *)
  Fixpoint power_by (mul : dist -> dist -> option dist) (T : positive) (x : dist) : option dist :=
    match T with
    | xH => Some x
    | xO R => match power_by mul R x with Some y => mul y y | None => None end
    | xI R =>
      match power_by mul R x with
      | Some y => match mul y y with Some z => mul z x | None => None end
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
  Lemma product_up_above x y z : product_up x y = Some z -> above (law z) (add_losses (law x) (law y)).
  Proof.
    unfold product_up. set (t := BigN.add _ _). destruct (multiply _ _ _) as [c|] eqn:E; [|discriminate].
    intros H. injection H as <-. destruct (multiply_correct _ _ _ _ E) as (LX & LY & LC & _).
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
      symmetry. exact (multiply_coefficient _ _ _ _ k E).
    - rewrite !sum_counts. eapply Rle_trans; [|apply D, round_up_spec]. right. unfold t.
      rewrite BigN.spec_add, !BigN.spec_mul, BigN.spec_add, plus_IZR, !mult_IZR, plus_IZR. field. lra.
  Qed.

  Lemma power_computed_up T x y : power_by product_up T x = Some y -> computed_up (repeat (law x) (Pos.to_nat T)) (law y).
  Proof.
    revert y. induction T as [R IH|R IH|]; intros y; cbn [power_by].
    - destruct (power_by product_up R x) as [u|]; [|discriminate]. destruct (product_up u u) as [v|] eqn:E; [|discriminate].
      intros F. specialize (IH u eq_refl).
      replace (Pos.to_nat R~1) with ((Pos.to_nat R + Pos.to_nat R) + 1)%nat by lia. rewrite !repeat_app.
      apply up_product with (a := law v) (b := law x).
      + apply up_product with (a := law u) (b := law u); trivial; [apply law_nonneg | now apply product_up_above].
      + apply up_one; [apply law_nonneg | apply law_nonneg | apply above_refl].
      + apply law_nonneg.
      + now apply product_up_above.
    - destruct (power_by product_up R x) as [u|]; [|discriminate]. intros E. specialize (IH u eq_refl).
      replace (Pos.to_nat R~0) with (Pos.to_nat R + Pos.to_nat R)%nat by lia. rewrite repeat_app.
      apply up_product with (a := law u) (b := law u); trivial; [apply law_nonneg | now apply product_up_above].
    - intros H. injection H as <-. change (Pos.to_nat 1) with 1%nat. cbn [repeat].
      apply up_one; [apply law_nonneg | apply law_nonneg | apply above_refl].
  Qed.
  Lemma product_down_below x y z : product_down x y = Some z -> above (add_losses (law x) (law y)) (law z).
  Proof.
    unfold product_down. set (t := BigN.add _ _). destruct (multiply _ _ _) as [c|] eqn:E; [|discriminate].
    intros H. injection H as <-. destruct (multiply_correct _ _ _ _ E) as (LX & LY & LC & _).
    eapply above_trans; [|apply trim_down_below]. unfold law. cbn [dist_first dist_masses dist_infinite]. rewrite map_length, LC.
    pose proof units_pos as P.
    assert (D : forall u v, v <= u / units -> v / units <= u / units / units).
    { intros u v Q. apply Rmult_le_compat_r; [now apply Rlt_le, Rinv_0_lt_compat | exact Q]. }
    apply dense_product_down; trivial.
    - intros k K. rewrite coefficient_scaled, count_map by (rewrite LC; exact K).
      apply D. eapply Rle_trans; [apply round_down_spec|]. right. unfold Rdiv. f_equal.
      exact (multiply_coefficient _ _ _ _ k E).
    - rewrite !sum_counts. eapply Rle_trans; [apply D, round_down_spec|]. right. unfold t.
      rewrite BigN.spec_add, !BigN.spec_mul, BigN.spec_add, plus_IZR, !mult_IZR, plus_IZR. field. lra.
  Qed.

  Lemma power_computed_down T x y : power_by product_down T x = Some y -> computed_down (repeat (law x) (Pos.to_nat T)) (law y).
  Proof.
    revert y. induction T as [R IH|R IH|]; intros y; cbn [power_by].
    - destruct (power_by product_down R x) as [u|]; [|discriminate]. destruct (product_down u u) as [v|] eqn:E; [|discriminate].
      intros F. specialize (IH u eq_refl).
      replace (Pos.to_nat R~1) with ((Pos.to_nat R + Pos.to_nat R) + 1)%nat by lia. rewrite !repeat_app.
      apply down_product with (a := law v) (b := law x).
      + apply down_product with (a := law u) (b := law u); trivial; [apply law_nonneg | now apply product_down_below].
      + apply down_one; [apply law_nonneg | apply law_nonneg | apply above_refl].
      + apply law_nonneg.
      + now apply product_down_below.
    - destruct (power_by product_down R x) as [u|]; [|discriminate]. intros E. specialize (IH u eq_refl).
      replace (Pos.to_nat R~0) with (Pos.to_nat R + Pos.to_nat R)%nat by lia. rewrite repeat_app.
      apply down_product with (a := law u) (b := law u); trivial; [apply law_nonneg | now apply product_down_below].
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

(* Hints for node j: a precision, a window, and bounds of delta at j h and at -j h in units. *)
Record node := Node { node_bits : positive; node_window : window; high : Z; mirror_high : Z; low : Z; mirror_low : Z }.

(*
 * Precision; b; h; 2^b/(e^h - 1) is between the ratios; the nodes 0, 1, ..., m; for the
 * lower end the sags of the cells from the left and the masses below at -m h, ...; what
 * may be trimmed at either end of a product, in units
 *)
Record hints := Hints { h_bits : positive; h_unit : positive; h_step : Q; ratio_low : Z; ratio_high : Z;
                        h_nodes : list node; h_sags : list Z; h_below : list Z;
                        h_trim : Z }.

Section Check.
  Variable prec : precision.
  Variables (b : positive) (h : Q) (p : pair).
  Notation "i - j" := (minus prec i j).
  Notation "i * j" := (times prec i j).
  Notation "i / j" := (over prec i j).
  Notation "# z" := (integer prec z) (at level 1).

  Definition in_units (z : Z) : interval := #z / #(2 ^ Zpos b).
  Definition loss_at (j : nat) : Q := inject_Z (Z.of_nat j) * h.

  Definition check_ratio (low high : Z) : bool :=
    let r := #(2 ^ Zpos b) / (exponential prec (fraction prec h) - #1) in
    (is_nonneg (r - #low) && is_nonneg (#high - r))%bool.

  Definition is_within (i : interval) (low high : Z) : bool :=
    (is_nonneg (in_units high - i) && (Z.leb low 0 || is_nonneg (i - in_units low)))%bool.

  (* delta(j h), and by the other direction 1 - e^(-j h) (1 - delta(j h)) *)
  Definition check_node (j : nat) (n : node) : bool :=
    let i := enclosure prec PQ p (Rational (loss_at j)) (node_window n) in
    let e := exponential prec (fraction prec (- loss_at j)) in
    (is_within i (low n) (high n) && is_within (#1 - e * (#1 - i)) (mirror_low n) (mirror_high n))%bool.
End Check.

Fixpoint check_nodes (b : positive) (h : Q) (p : pair) (j : nat) (l : list node) : bool :=
  match l with
  | [] => true
  | n :: r => (check_node (Dyadic.PtoP (node_bits n)) b h p j n && check_nodes b h p (S j) r)%bool
  end.

(* The bounds from node -m to node m. *)
Definition highs (l : list node) : list Z := rev (map mirror_high (tl l)) ++ map high l.
Definition lows (l : list node) : list Z := rev (map mirror_low (tl l)) ++ map low l.

Definition big (l : list Z) : vector := map (fun z => BigN.of_N (Z.to_N z)) l.

Definition first_loss (d : hints) : Z := - Z.of_nat (length (tl (h_nodes d))).

Definition law_above (d : hints) : dist :=
  let us := highs (h_nodes d) in
  Dist (first_loss d) (big (masses_up (Zpos (h_unit d)) (ratio_low d) (ratio_high d) (drops (2 ^ Zpos (h_unit d)) us)))
    (BigN.of_N (Z.to_N (last us 0%Z))).

Definition law_below (d : hints) : dist := Dist (first_loss d) (big (h_below d)) BigN.zero.

(* The pair, and the bounds of its delta at the nodes. *)
Definition check_grid (d : hints) (p : pair) : bool :=
  (valid p && symmetric p && Qlt_bool 0 (h_step d) && negb (length (h_nodes d) =? 0)%nat
   && check_nodes (h_unit d) (h_step d) p 0 (h_nodes d))%bool.

(* The value of T rounds of the law above is at most hi, *)
Definition check_upper (d : hints) (T : positive) (eps : number) (hi : Q) : bool :=
  let prec := Dyadic.PtoP (h_bits d) in
  let us := highs (h_nodes d) in
  (check_ratio prec (h_unit d) (h_step d) (ratio_low d) (ratio_high d)
   && forallb (Z.leb 0) (drops (2 ^ Zpos (h_unit d)) us) && Z.leb 0 (last us 0%Z)
   && match power_by (product_up (h_unit d) (BigN.of_N (Z.to_N (h_trim d)))) T (law_above d) with
      | Some x =>
        is_nonneg (minus prec (times prec (fraction prec hi) (integer prec (2 ^ Zpos (h_unit d))))
                     (value_of prec (h_step d) eps x))
      | None => false
      end)%bool.

(* that of the law below at least lo. *)
Definition check_lower (d : hints) (T : positive) (eps : number) (lo : Q) : bool :=
  let prec := Dyadic.PtoP (h_bits d) in
  let x := law_below d in
  let one := (2 ^ Zpos (h_unit d))%Z in
  (check_below prec (h_unit d) (h_step d) (dist_first x) (one :: lows (h_nodes d)) (one :: highs (h_nodes d))
     (h_sags d) (dist_masses x)
   && match power_by (product_down (h_unit d) (BigN.of_N (Z.to_N (h_trim d)))) T x with
      | Some x => is_nonneg (minus prec (value_of prec (h_step d) eps x) (times prec (fraction prec lo) (integer prec one)))
      | None => false
      end)%bool.

(* delta(eps) of T rounds is at most hi; at least lo; both. *)
Definition check_rounds_at_most (d : hints) (T : positive) (p : pair) (eps : number) (hi : Q) : bool :=
  (check_grid d p && at_least_zero eps && check_upper d T eps hi)%bool.
Definition check_rounds_at_least (d : hints) (T : positive) (p : pair) (eps : number) (lo : Q) : bool :=
  (check_grid d p && at_least_zero eps && check_lower d T eps lo)%bool.
Definition check_rounds (d : hints) (T : positive) (p : pair) (eps : number) (lo hi : Q) : bool :=
  (check_grid d p && at_least_zero eps && check_lower d T eps lo && check_upper d T eps hi)%bool.

(* Part 5: soundness. *)

(* What makes `p` speak of the pair of mass functions q. *)
Record speaks {A} (p : pair) (q : pair_of A) : Prop := {
  speaks_laws : laws q;
  speaks_symmetric : forall alpha, 0 <= alpha ->
    hockey (outcomes q) alpha (Q_of q) (P_of q) = hockey (outcomes q) alpha (P_of q) (Q_of q);
  speaks_value : forall alpha, 1 <= alpha -> hockey (outcomes q) alpha (P_of q) (Q_of q) = delta_at PQ p alpha
}.

Section Sound.
  Context {A : Type}.
  Variables (p : pair) (q : pair_of A).
  Hypothesis S : speaks p q.
  Hypothesis V : valid p = true.
  Variables (b : positive) (h : Q).
  Hypothesis Hh : 0 < Q2R h.
  Let H (alpha : R) : R := hockey (outcomes q) alpha (P_of q) (Q_of q).

  Lemma in_units_encloses prec z : encloses (in_units prec b z) (IZR z / unit_count (Zpos b)).
  Proof. apply over_encloses; [pose proof (units_pos b); unfold unit_count in *; lra | apply integer_encloses | apply integer_encloses]. Qed.

  Lemma loss_at_value j : Q2R (loss_at h j) = Q2R h * IZR (Z.of_nat j).
  Proof. unfold loss_at. rewrite Q2R_mult. unfold Q2R at 1. cbn. field. Qed.

  Lemma is_within_sound prec i x lo hi : encloses i x -> 0 <= x -> is_within prec b i lo hi = true ->
    IZR lo / unit_count (Zpos b) <= x <= IZR hi / unit_count (Zpos b).
  Proof.
    intros I X E. apply andb_true_iff in E as [E1 E2].
    pose proof (in_units_encloses prec lo) as L. pose proof (in_units_encloses prec hi) as U.
    apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ U I)) in E1. split; [|lra].
    apply orb_true_iff in E2 as [E2|E2].
    - apply Z.leb_le, IZR_le in E2. pose proof (Rinv_0_lt_compat _ (units_pos b)). unfold Rdiv. nra.
    - apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ I L)) in E2. lra.
  Qed.

  Lemma check_node_sound prec j n : check_node prec b h p j n = true ->
    IZR (low n) / unit_count (Zpos b) <= H (exp (Q2R h * IZR (Z.of_nat j))) <= IZR (high n) / unit_count (Zpos b)
    /\ IZR (mirror_low n) / unit_count (Zpos b) <= H (exp (Q2R h * IZR (- Z.of_nat j)))
       <= IZR (mirror_high n) / unit_count (Zpos b).
  Proof.
    unfold check_node. intros E. apply andb_true_iff in E as [E1 E2].
    set (x := Q2R h * IZR (Z.of_nat j)).
    assert (X : 0 <= x) by (apply Rmult_le_pos; [lra | apply IZR_le; lia]).
    assert (A0 : at_least_zero (Rational (loss_at h j)) = true).
    { cbn. apply Qle_bool_iff. apply Rle_Qle. rewrite loss_at_value. unfold Q2R at 1. cbn. fold x. lra. }
    assert (X1 : 1 <= exp x).
    { rewrite <- exp_0. destruct X as [X|X]; [left; now apply exp_increasing | right; now rewrite X]. }
    assert (I : encloses (enclosure prec PQ p (Rational (loss_at h j)) (node_window n)) (H (exp x))).
    { eapply encloses_eq; [apply enclosure_correct; trivial; discriminate|].
      unfold delta. cbn [parameter]. rewrite loss_at_value. symmetry. now apply (speaks_value p q S). }
    split.
    - refine (is_within_sound prec _ _ _ _ I _ E1). apply hockey_nonneg.
    - assert (M : H (exp (Q2R h * IZR (- Z.of_nat j))) = 1 - exp (- x) * (1 - H (exp x))).
      { rewrite opp_IZR, <- Ropp_mult_distr_r. fold x. destruct (speaks_laws p q S) as [LP LQ].
        unfold H. rewrite (hockey_symmetry_law _ (exp (- x))) by (trivial; apply exp_pos).
        rewrite (speaks_symmetric p q S).
        - replace (1 / exp (- x)) with (exp x); [ring|]. rewrite exp_Ropp. pose proof (exp_pos x). field. lra.
        - unfold Rdiv. rewrite Rmult_1_l. apply Rlt_le, Rinv_0_lt_compat, exp_pos. }
      assert (J : encloses (exponential prec (fraction prec (- loss_at h j))) (exp (- x))).
      { apply exponential_encloses. unfold x. rewrite <- loss_at_value, <- Q2R_opp. apply fraction_encloses. }
      refine (is_within_sound prec _ _ _ _ _ _ E2); [|apply hockey_nonneg]. rewrite M.
      exact (minus_encloses prec _ _ _ _ (integer_encloses prec 1)
        (times_encloses prec _ _ _ _ J (minus_encloses prec _ _ _ _ (integer_encloses prec 1) I))).
  Qed.

  Lemma check_nodes_sound l : forall j, check_nodes b h p j l = true ->
    forall i d, (i < length l)%nat -> check_node (Dyadic.PtoP (node_bits (nth i l d))) b h p (j + i) (nth i l d) = true.
  Proof.
    induction l as [|n r IH]; intros j E i d I; cbn [length] in I; [lia|].
    cbn [check_nodes] in E. apply andb_true_iff in E as [E1 E2]. destruct i as [|i]; cbn [nth].
    - now rewrite Nat.add_0_r.
    - replace (j + Datatypes.S i)%nat with (Datatypes.S j + i)%nat by lia. apply IH; [exact E2 | lia].
  Qed.

  Lemma bounds_sound l : check_nodes b h p 0 l = true -> (1 <= length l)%nat ->
    forall i, (i < length (highs l))%nat ->
    IZR (nth i (lows l) 0%Z) / unit_count (Zpos b)
    <= H (exp (Q2R h * IZR (- Z.of_nat (length (tl l)) + Z.of_nat i)))
    <= IZR (nth i (highs l) 0%Z) / unit_count (Zpos b).
  Proof.
    intros E L i I. pose proof (check_nodes_sound l 0 E) as C. destruct l as [|n r]; [cbn in L; lia|]. clear E L.
    unfold highs, lows in *. cbn [tl] in *. set (m := length r) in *.
    rewrite app_length, rev_length, !map_length in I. cbn [length] in I. fold m in I.
    destruct (Nat.lt_ge_cases i m) as [LT|GE].
    - rewrite !app_nth1 by (rewrite rev_length, map_length; exact LT).
      rewrite !rev_nth by (rewrite map_length; exact LT). rewrite !map_length. fold m.
      rewrite (nth_indep (map mirror_low r) 0%Z (mirror_low n)), (nth_indep (map mirror_high r) 0%Z (mirror_high n))
        by (rewrite map_length; fold m; lia). rewrite !map_nth.
      specialize (C (m - i)%nat n ltac:(cbn; fold m; lia)). apply check_node_sound in C as [_ C].
      replace (nth (m - i) (n :: r) n) with (nth (m - Datatypes.S i) r n) in C.
      + replace (- Z.of_nat m + Z.of_nat i)%Z with (- Z.of_nat (0 + (m - i)))%Z by lia. exact C.
      + replace (m - i)%nat with (Datatypes.S (m - Datatypes.S i)) by lia. reflexivity.
    - rewrite !app_nth2; rewrite ?rev_length, ?map_length; fold m; try exact GE.
      rewrite (nth_indep (map low (n :: r)) 0%Z (low n)), (nth_indep (map high (n :: r)) 0%Z (high n))
        by (rewrite map_length; cbn; fold m; lia). rewrite !map_nth.
      specialize (C (i - m)%nat n ltac:(cbn; fold m; lia)). apply check_node_sound in C as [C _].
      replace (- Z.of_nat m + Z.of_nat i)%Z with (Z.of_nat (0 + (i - m)))%Z by lia. exact C.
  Qed.

  Lemma check_ratio_sound prec low high : check_ratio prec b h low high = true ->
    IZR low <= ratio (Q2R h) * unit_count (Zpos b) <= IZR high.
  Proof.
    unfold check_ratio. intros E. apply andb_true_iff in E as [E1 E2].
    pose proof (exp_increasing 0 _ Hh) as X. rewrite exp_0 in X.
    assert (R : encloses (over prec (integer prec (2 ^ Zpos b)) (minus prec (exponential prec (fraction prec h)) (integer prec 1)))
                  (unit_count (Zpos b) / (exp (Q2R h) - 1))).
    { apply over_encloses; [lra | apply integer_encloses|]. apply minus_encloses; [|apply integer_encloses].
      apply exponential_encloses, fraction_encloses. }
    apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ R (integer_encloses prec low))) in E1.
    apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ (integer_encloses prec high) R)) in E2.
    unfold ratio, Rdiv in *. lra.
  Qed.

End Sound.

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

Section General.
  Context {A : Type}.
  Variables (p : pair) (q : pair_of A) (d : hints).
  Hypothesis S : speaks p q.
  Hypothesis G : check_grid d p = true.
  Notation prec := (Dyadic.PtoP (h_bits d)).
  Notation b := (h_unit d).
  Notation h := (h_step d).

  Lemma grid_sound : 0 < Q2R h /\ (1 <= length (highs (h_nodes d)))%nat
    /\ forall i, (i < length (highs (h_nodes d)))%nat ->
       IZR (nth i (lows (h_nodes d)) 0%Z) / unit_count (Zpos b)
       <= hockey (outcomes q) (exp (Q2R h * IZR (first_loss d + Z.of_nat i))) (P_of q) (Q_of q)
       <= IZR (nth i (highs (h_nodes d)) 0%Z) / unit_count (Zpos b).
  Proof.
    unfold check_grid in G. apply andb_true_iff in G as [E EN]. apply andb_true_iff in E as [E E1].
    apply andb_true_iff in E as [E EH]. apply andb_true_iff in E as [V _].
    apply Qlt_bool_R in EH. rewrite Q2R_zero in EH. apply negb_true_iff, Nat.eqb_neq in E1.
    split; [exact EH|]. split.
    - unfold highs. rewrite app_length, map_length. lia.
    - apply (bounds_sound p q S V b h EH); trivial. lia.
  Qed.

  Lemma upper_sound T eps hi : at_least_zero eps = true -> check_upper d T eps hi = true ->
    rounds_hockey (Pos.to_nat T) q (parameter eps) <= Q2R hi.
  Proof.
    intros EE E. unfold check_upper in E. cbv zeta in E. destruct grid_sound as (EH & LV & HB).
    apply andb_true_iff in E as [E EP]. apply andb_true_iff in E as [E EL]. apply andb_true_iff in E as [ER ED].
    apply Z.leb_le in EL. destruct (power_by _ T (law_above d)) as [x|] eqn:EX; [|discriminate].
    set (g := law_up (Zpos b) (ratio_low d) (ratio_high d) (first_loss d) (highs (h_nodes d))).
    assert (B : built_above (Q2R h) g (fun alpha => hockey (outcomes q) alpha (P_of q) (Q_of q))).
    { apply law_up_built; trivial; try lia.
      - now apply (check_ratio_sound b h EH prec).
      - apply Forall_forall. intros z Z. rewrite forallb_forall in ED. now apply Z.leb_le, ED.
      - intros i I. now apply HB. }
    destruct (speaks_laws p q S) as [[MP SP] [MQ SQ]].
    assert (NN : masses_nonneg g) by (destruct B as (hi' & c & k & _ & _ & _ & _ & NN & _); exact NN).
    assert (D : bounds (pair_of_law (Q2R h) g) (outcomes q) (P_of q) (Q_of q)) by (apply built_above_dominates; trivial; lra).
    apply power_computed_up in EX. rewrite law_above_law in EX by exact EL. fold g in EX.
    destruct (grid_rounds (Q2R h) g (Pos.to_nat T) (parameter eps) NN) as [GR MG].
    pose proof (dominates_power (pair_of_law (Q2R h) g) q (Pos.to_nat T) MG (conj MP MQ) D
      (exp (parameter eps)) (Rlt_le _ _ (exp_pos _))) as DP.
    eapply Rle_trans; [exact DP|]. fold (rounds_hockey (Pos.to_nat T) (pair_of_law (Q2R h) g) (parameter eps)). rewrite GR.
    eapply Rle_trans; [apply (computed_up_above _ _ EX), hockey_weight_weight; lra|].
    pose proof (value_of_encloses prec b h eps x EE) as W.
    apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _
      (times_encloses prec _ _ _ _ (fraction_encloses prec hi) (integer_encloses prec (2 ^ Zpos b))) W)) in EP.
    pose proof (units_pos b) as P. fold (unit_count (Zpos b)) in EP.
    apply (Rmult_le_reg_l (unit_count (Zpos b))); [exact P | lra].
  Qed.

  Lemma lower_sound T eps lo : at_least_zero eps = true -> check_lower d T eps lo = true ->
    Q2R lo <= rounds_hockey (Pos.to_nat T) q (parameter eps).
  Proof.
    intros EE E. unfold check_lower in E. cbv zeta in E. destruct grid_sound as (EH & LV & HB).
    apply andb_true_iff in E as [EB EP]. destruct (power_by _ T (law_below d)) as [x|] eqn:EX; [|discriminate].
    destruct (speaks_laws p q S) as [LP LQ].
    pose proof EB as LEN. unfold check_below in LEN. cbv zeta in LEN. apply andb_true_iff in LEN as [LEN _].
    apply andb_true_iff in LEN as [LEN _]. apply andb_true_iff in LEN as [LEN _]. apply andb_true_iff in LEN as [_ LEN].
    apply Nat.eqb_eq in LEN. cbn [length] in LEN. injection LEN as LEN.
    apply (check_below_sound _ _ _ _ _ _ _ _ (outcomes q) (P_of q) (Q_of q) LP LQ EH) in EB.
    2:{ intros [|i] I; [lia|]. cbn [length pred] in I. cbn [nth point]. apply HB. lia. }
    destruct EB as [NN D]. set (g := GridLaw _ _ _ _) in *.
    apply power_computed_down in EX.
    replace (law b (law_below d)) with (law_of g) in EX.
    2:{ unfold law, law_of, g. cbn [law_below dist_first dist_masses dist_infinite first_node node_count node_mass infinite_mass].
        f_equal. change (number_of BigN.zero) with 0%Z. unfold Rdiv. ring. }
    destruct (grid_rounds (Q2R h) g (Pos.to_nat T) (parameter eps) NN) as [GR MG].
    pose proof (dominates_power q (pair_of_law (Q2R h) g) (Pos.to_nat T) (conj (proj1 LP) (proj1 LQ)) MG D
      (exp (parameter eps)) (Rlt_le _ _ (exp_pos _))) as DP.
    fold (rounds_hockey (Pos.to_nat T) (pair_of_law (Q2R h) g) (parameter eps)) in DP. rewrite GR in DP.
    eapply Rle_trans; [|exact DP].
    eapply Rle_trans; [|apply (computed_down_below _ _ EX), hockey_weight_weight; lra].
    pose proof (value_of_encloses prec b h eps x EE) as W.
    apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ W
      (times_encloses prec _ _ _ _ (fraction_encloses prec lo) (integer_encloses prec (2 ^ Zpos b))))) in EP.
    pose proof (units_pos b) as P. fold (unit_count (Zpos b)) in EP.
    apply (Rmult_le_reg_l (unit_count (Zpos b))); [exact P | lra].
  Qed.
End General.

(* What the check accepts is true of every pair of mass functions that p speaks of. *)
Theorem check_rounds_general {A} (q : pair_of A) d T p eps lo hi : speaks p q ->
  check_rounds d T p eps lo hi = true ->
  Q2R lo <= rounds_hockey (Pos.to_nat T) q (parameter eps) <= Q2R hi.
Proof.
  intros S E. unfold check_rounds in E. apply andb_true_iff in E as [E EU]. apply andb_true_iff in E as [E EL].
  apply andb_true_iff in E as [EG EE]. split.
  - now apply (lower_sound p q d S EG).
  - now apply (upper_sound p q d S EG).
Qed.

Theorem check_rounds_at_most_general {A} (q : pair_of A) d T p eps hi : speaks p q ->
  check_rounds_at_most d T p eps hi = true -> rounds_hockey (Pos.to_nat T) q (parameter eps) <= Q2R hi.
Proof.
  intros S E. unfold check_rounds_at_most in E. apply andb_true_iff in E as [E EU]. apply andb_true_iff in E as [EG EE].
  now apply (upper_sound p q d S EG).
Qed.

Theorem check_rounds_at_least_general {A} (q : pair_of A) d T p eps lo : speaks p q ->
  check_rounds_at_least d T p eps lo = true -> Q2R lo <= rounds_hockey (Pos.to_nat T) q (parameter eps).
Proof.
  intros S E. unfold check_rounds_at_least in E. apply andb_true_iff in E as [E EL]. apply andb_true_iff in E as [EG EE].
  now apply (lower_sound p q d S EG).
Qed.

(* The symmetric pairs of trinomials: all but krr-strong, whose adversary sees more. *)
Definition plain (p : pair) : bool :=
  match p with
  | KrrStrong _ _ _ => false
  | _ => symmetric p
  end.

Lemma weights_sum p : valid p = true -> plain p = true ->
  w0 (weights_of p) + w1 (weights_of p) + w2 (weights_of p) = 1 /\ scale (weights_of p) = 1.
Proof.
  destruct p as [n x|n x|n x|n k x|n k x|n k g|n a0 a1 b0 b1]; cbn [valid plain]; intros H P; try discriminate; split; trivial.
  - pose proof (exp_pos (parameter x)). cbn. field. lra.
  - pose proof (exp_pos (parameter x)). cbn. field. lra.
  - apply andb_true_iff in H as [_ H]. pose proof (Pos_leb_R k H). pose proof (exp_pos (parameter x)). cbn. field. lra.
  - cbn. ring.
Qed.

Lemma plain_speaks p : valid p = true -> plain p = true -> speaks p (forward_pair p).
Proof.
  intros V P. destruct (weights_sum p V P) as [W1 W2].
  assert (S : symmetric p = true) by (destruct p; trivial; discriminate).
  destruct (valid_fine p V) as [A B C D E F]. pose proof (symmetric_true p S) as R.
  split.
  - apply trinomial_law; lra.
  - intros alpha _. cbn [forward_pair outcomes P_of Q_of]. rewrite <- R. apply trinomial_symmetric.
  - intros alpha _. unfold delta_at, forward, trinomial_hockey. cbn [forward_pair outcomes P_of Q_of]. rewrite W2. ring.
Qed.

(* The two directions of the rounds agree. *)
Lemma rounds_reversed {A} T p (q : pair_of A) eps : speaks p q ->
  rounds_hockey T (reversed q) eps = rounds_hockey T q eps.
Proof.
  intros S. destruct (speaks_laws p q S) as [[MP _] [MQ _]]. unfold rounds_hockey. apply Rle_antisym.
  - apply (dominates_power q (reversed q) T); [now split | now split | | apply Rlt_le, exp_pos].
    intros alpha HA. cbn. right. now apply (speaks_symmetric p q S).
  - apply (dominates_power (reversed q) q T); [now split | now split | | apply Rlt_le, exp_pos].
    intros alpha HA. cbn. right. symmetry. now apply (speaks_symmetric p q S).
Qed.

Lemma delta_rounds_forward dir T p eps : valid p = true -> plain p = true ->
  delta_rounds dir T p eps = rounds_hockey (Pos.to_nat T) (forward_pair p) (parameter eps).
Proof.
  intros V P. pose proof (plain_speaks p V P) as S. unfold delta_rounds. cbv zeta.
  destruct dir; rewrite ?(rounds_reversed _ p _ _ S); trivial. apply Rmax_left. lra.
Qed.

Lemma check_grid_valid d p : check_grid d p = true -> valid p = true.
Proof. unfold check_grid. intros E. repeat (apply andb_true_iff in E as [E _]). exact E. Qed.

(* What `check_rounds` accepts is true of the trinomial pairs with r0 = r1. *)
Theorem check_rounds_sound d dir T p eps lo hi : plain p = true ->
  check_rounds d T p eps lo hi = true -> Q2R lo <= delta_rounds dir T p eps <= Q2R hi.
Proof.
  intros P E. assert (V : valid p = true).
  { unfold check_rounds in E. do 3 apply andb_true_iff in E as [E _]. now apply (check_grid_valid d). }
  rewrite delta_rounds_forward by trivial. apply (check_rounds_general _ d T p eps lo hi); trivial.
  now apply plain_speaks.
Qed.

(* The upper end alone. *)
Theorem check_rounds_at_most_sound d dir T p eps hi : plain p = true ->
  check_rounds_at_most d T p eps hi = true -> delta_rounds dir T p eps <= Q2R hi.
Proof.
  intros P E. assert (V : valid p = true).
  { unfold check_rounds_at_most in E. do 2 apply andb_true_iff in E as [E _]. now apply (check_grid_valid d). }
  rewrite delta_rounds_forward by trivial. apply (check_rounds_at_most_general _ d T p eps hi); trivial.
  now apply plain_speaks.
Qed.

(* The lower end alone. *)
Theorem check_rounds_at_least_sound d dir T p eps lo : plain p = true ->
  check_rounds_at_least d T p eps lo = true -> Q2R lo <= delta_rounds dir T p eps.
Proof.
  intros P E. assert (V : valid p = true).
  { unfold check_rounds_at_least in E. do 2 apply andb_true_iff in E as [E _]. now apply (check_grid_valid d). }
  rewrite delta_rounds_forward by trivial. apply (check_rounds_at_least_general _ d T p eps lo); trivial.
  now apply plain_speaks.
Qed.
