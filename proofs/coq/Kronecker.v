(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Products of vectors of natural numbers by one multiplication of big numbers
 * (Kronecker substitution), for computations that the kernel repeats. The vectors
 * are packed in the base 2^width; the product is taken apart again, and what came
 * out is checked: it has the right length, its digits are below the base, and packed
 * again it is the product. As the coefficients are below the base too, they are
 * the digits.
 *)
From Coq Require Import Reals List ZArith Lia Arith Bool.
From Bignums Require Import BigN.
From Shufbound Require Import Sum Losses.
Import ListNotations.
Open Scope Z_scope.

Notation number_of := BigN.to_Z.

(* ---- vectors of integers ---- *)

Fixpoint evaluate (W : Z) (l : list Z) : Z :=
  match l with
  | [] => 0
  | a :: r => a + W * evaluate W r
  end.

Fixpoint add_lists (a b : list Z) : list Z :=
  match a, b with
  | [], _ => b
  | _, [] => a
  | x :: r, y :: s => x + y :: add_lists r s
  end.

(* The product of polynomials. *)
Fixpoint convolve (a b : list Z) : list Z :=
  match a with
  | [] => []
  | x :: r => add_lists (map (Z.mul x) b) (0 :: convolve r b)
  end.

Fixpoint total (l : list Z) : Z :=
  match l with
  | [] => 0
  | a :: r => a + total r
  end.

Lemma evaluate_add W a : forall b, evaluate W (add_lists a b) = evaluate W a + evaluate W b.
Proof. induction a as [|x r IH]; intros [|y s]; cbn; try ring. rewrite IH. ring. Qed.

Lemma evaluate_scale W x b : evaluate W (map (Z.mul x) b) = x * evaluate W b.
Proof. induction b as [|y s IH]; cbn; [ring|]. rewrite IH. ring. Qed.

Lemma evaluate_convolve W a b : evaluate W (convolve a b) = evaluate W a * evaluate W b.
Proof.
  induction a as [|x r IH]; [reflexivity|]. cbn [convolve]. rewrite evaluate_add, evaluate_scale. cbn [evaluate].
  rewrite IH. ring.
Qed.

Lemma total_evaluate l : total l = evaluate 1 l.
Proof. induction l as [|x r IH]; cbn; [reflexivity|]. rewrite IH. destruct (evaluate 1 r); reflexivity. Qed.

Lemma total_convolve a b : total (convolve a b) = total a * total b.
Proof. rewrite !total_evaluate. apply evaluate_convolve. Qed.

Lemma length_add a : forall b, length (add_lists a b) = Nat.max (length a) (length b).
Proof. induction a as [|x r IH]; intros [|y s]; cbn; trivial. now rewrite IH. Qed.

Lemma length_convolve a b : (1 <= length a)%nat -> (1 <= length b)%nat ->
  length (convolve a b) = (length a + length b - 1)%nat.
Proof.
  intros A B. induction a as [|x r IH]; [cbn in A; lia|]. cbn [convolve]. rewrite length_add, map_length. cbn [length].
  destruct r as [|y s]; [cbn [convolve length]; lia|]. rewrite IH by (cbn; lia). cbn [length]. lia.
Qed.

Definition naturals (l : list Z) : Prop := Forall (fun a => 0 <= a) l.

Lemma naturals_add a : forall b, naturals a -> naturals b -> naturals (add_lists a b).
Proof.
  induction a as [|x r IH]; intros [|y s] A B; cbn; trivial. inversion A; inversion B; subst.
  constructor; [lia | now apply IH].
Qed.

Lemma naturals_convolve a b : naturals a -> naturals b -> naturals (convolve a b).
Proof.
  intros A B. induction A as [|x r X A IH]; cbn [convolve]; [constructor|]. apply naturals_add.
  - apply Forall_forall. intros z Z. apply in_map_iff in Z as (y & <- & Y). unfold naturals in B.
    rewrite Forall_forall in B. specialize (B y Y). now apply Z.mul_nonneg_nonneg.
  - constructor; [lia | exact IH].
Qed.

Lemma naturals_total l : naturals l -> 0 <= total l /\ forall a, In a l -> a <= total l.
Proof.
  induction 1 as [|x r X _ [IH1 IH2]]; cbn; [split; [lia | intros a []]|]. split; [lia|].
  intros a [<-|I]; [lia|]. specialize (IH2 a I). lia.
Qed.

(* Digits are unique. *)
Definition digits (W : Z) (l : list Z) : Prop := Forall (fun a => 0 <= a < W) l.

Lemma digits_unique W l : forall r, digits W l -> digits W r -> length l = length r ->
  evaluate W l = evaluate W r -> l = r.
Proof.
  induction l as [|x l IH]; intros [|y r] L R E H; try discriminate; [reflexivity|].
  inversion L as [|? ? X L']; inversion R as [|? ? Y R']; subst. cbn in H, E. injection E as E.
  destruct (Z.div_mod_unique W (evaluate W l) (evaluate W r) x y) as [H1 H2]; [now left | now left | lia|].
  subst. f_equal. now apply IH.
Qed.

Lemma digits_convolve W a b : naturals a -> naturals b -> total a * total b < W -> digits W (convolve a b).
Proof.
  intros A B H. rewrite <- total_convolve in H. pose proof (naturals_convolve a b A B) as N.
  pose proof (naturals_total _ N) as [_ T]. apply Forall_forall. intros z Z.
  unfold naturals in N. rewrite Forall_forall in N. specialize (N z Z). specialize (T z Z). lia.
Qed.

(* The coefficients are those of Losses.v. *)
Lemma nth_add a : forall b k, nth k (add_lists a b) 0 = nth k a 0 + nth k b 0.
Proof.
  induction a as [|x r IH]; intros [|y s] [|k]; cbn; try ring; trivial.
Qed.

Lemma nth_scale x b : forall k, nth k (map (Z.mul x) b) 0 = x * nth k b 0.
Proof. induction b as [|y s IH]; intros [|k]; cbn [map nth]; trivial; ring. Qed.

Lemma nth_convolve a b : forall k,
  IZR (nth k (convolve a b) 0)
  = coefficient (length a) (length b) (fun i => IZR (nth i a 0)) (fun i => IZR (nth i b 0)) k.
Proof.
  unfold coefficient. induction a as [|x r IH]; intros k.
  - destruct k; reflexivity.
  - cbn [convolve length]. rewrite nth_add, plus_IZR, sum_seq_first. cbn [nth Nat.leb]. rewrite Nat.sub_0_r. f_equal.
    + destruct (k <? length b)%nat eqn:E.
      * now rewrite nth_scale, mult_IZR.
      * apply Nat.ltb_ge in E. rewrite nth_overflow by now rewrite map_length. reflexivity.
    + destruct k as [|k]; cbn [nth].
      * transitivity (sum (seq 0 (length r)) (fun _ => 0%R)); [symmetry; apply sum_zero|].
        apply sum_ext. intros i _. reflexivity.
      * rewrite IH. apply sum_ext. intros i _. reflexivity.
Qed.

(* ---- packing ---- *)

Definition vector := list BigN.t.
Definition integers (v : vector) : list Z := map number_of v.

Lemma integers_naturals v : naturals (integers v).
Proof. apply Forall_forall. intros z Z. apply in_map_iff in Z as (x & <- & _). apply BigN.spec_pos. Qed.

Definition join (w a b : BigN.t) : BigN.t := BigN.add a (BigN.shiftl b w).

Fixpoint horner (w : BigN.t) (v : vector) : BigN.t :=
  match v with
  | [] => BigN.zero
  | a :: r => join w a (horner w r)
  end.

Fixpoint join_pairs (w : BigN.t) (v : vector) : vector :=
  match v with
  | a :: b :: r => join w a b :: join_pairs w r
  | _ => v
  end.

(* Neighbours are joined first; so the work is about the size times its logarithm. *)
Fixpoint pack (fuel : nat) (w : BigN.t) (v : vector) : BigN.t :=
  match fuel with
  | O => horner w v
  | S f =>
    match v with
    | [] | [_] => horner w v
    | _ => pack f (BigN.add w w) (join_pairs w v)
    end
  end.

Lemma join_spec w a b : number_of (join w a b) = number_of a + 2 ^ number_of w * number_of b.
Proof.
  unfold join. rewrite BigN.spec_add, BigN.spec_shiftl, Z.shiftl_mul_pow2 by apply BigN.spec_pos. ring.
Qed.

Lemma horner_spec w v : number_of (horner w v) = evaluate (2 ^ number_of w) (integers v).
Proof. induction v as [|a r IH]; [reflexivity|]. cbn [horner integers map evaluate]. now rewrite join_spec, IH. Qed.

Lemma join_pairs_spec w : forall n v, (length v <= n)%nat ->
  evaluate (2 ^ number_of (BigN.add w w)) (integers (join_pairs w v)) = evaluate (2 ^ number_of w) (integers v).
Proof.
  induction n as [|n IH]; intros v L.
  - destruct v; [reflexivity | cbn in L; lia].
  - destruct v as [|a [|b r]]; [reflexivity | cbn; ring|]. cbn [join_pairs integers map evaluate].
    fold (integers (join_pairs w r)) (integers r). rewrite IH by (cbn in L; lia). rewrite join_spec, BigN.spec_add.
    rewrite Z.pow_add_r by apply BigN.spec_pos. ring.
Qed.

Lemma pack_spec fuel : forall w v, number_of (pack fuel w v) = evaluate (2 ^ number_of w) (integers v).
Proof.
  induction fuel as [|f IH]; intros w v; cbn [pack]; [apply horner_spec|].
  destruct v as [|a [|b r]]; try apply horner_spec. rewrite IH. now apply (join_pairs_spec w (length (a :: b :: r))).
Qed.

(* ---- taking apart; nothing is claimed of it ---- *)

Fixpoint unpack (shifts : list BigN.t) (x : BigN.t) : vector :=
  match shifts with
  | [] => [x]
  | k :: rest =>
    let high := BigN.shiftr x k in
    unpack rest (BigN.sub x (BigN.shiftl high k)) ++ unpack rest high
  end.

(* w 2^(levels-1), ..., 2w, w *)
Fixpoint shifts_of (levels : nat) (w : BigN.t) (rest : list BigN.t) : list BigN.t :=
  match levels with
  | O => rest
  | S f => shifts_of f (BigN.add w w) (w :: rest)
  end.

(* The product of two vectors, with the width and the number of levels as hints. *)
Definition big_total (v : vector) : BigN.t := fold_right BigN.add BigN.zero v.

Lemma big_total_spec v : number_of (big_total v) = total (integers v).
Proof. induction v as [|a r IH]; [reflexivity|].
  cbn [big_total fold_right integers map total]. rewrite BigN.spec_add. now f_equal.
Qed.

Definition multiply (width : BigN.t) (a b : vector) : option vector :=
  let n := (length a + length b - 1)%nat in
  let levels := Nat.log2_up n in
  let product := BigN.mul (pack levels width a) (pack levels width b) in
  let c := firstn n (unpack (shifts_of levels width []) product) in
  let base := BigN.shiftl BigN.one width in
  if ((1 <=? length a) && (1 <=? length b) && (length c =? n))%nat && BigN.eqb (pack levels width c) product
     && forallb (fun x => BigN.ltb x base) c && BigN.ltb (BigN.mul (big_total a) (big_total b)) base
  then Some c else None.

Theorem multiply_correct width a b c : multiply width a b = Some c ->
  (1 <= length a)%nat /\ (1 <= length b)%nat /\ length c = (length a + length b - 1)%nat
  /\ integers c = convolve (integers a) (integers b).
Proof.
  unfold multiply. set (n := (length a + length b - 1)%nat). set (levels := Nat.log2_up n).
  set (product := BigN.mul _ _). set (base := BigN.shiftl _ _). set (d := firstn n _).
  destruct (_ && _) eqn:E; [|discriminate]. intros H. injection H as <-.
  apply andb_true_iff in E as [E E4]. apply andb_true_iff in E as [E E3]. apply andb_true_iff in E as [E E2].
  apply andb_true_iff in E as [E E1]. apply andb_true_iff in E as [EA EB].
  apply Nat.leb_le in EA, EB. apply Nat.eqb_eq in E1.
  assert (BASE : number_of base = 2 ^ number_of width).
  { unfold base. rewrite BigN.spec_shiftl, Z.shiftl_mul_pow2 by apply BigN.spec_pos. change (number_of BigN.one) with 1. ring. }
  split; [exact EA | split; [exact EB | split; [exact E1|]]].
  apply (digits_unique (2 ^ number_of width)).
  - apply Forall_forall. intros z Z. apply in_map_iff in Z as (x & <- & X). rewrite forallb_forall in E3.
    specialize (E3 x X). rewrite BigN.spec_ltb in E3. apply Z.ltb_lt in E3. rewrite BASE in E3.
    split; [apply BigN.spec_pos | exact E3].
  - apply digits_convolve; try apply integers_naturals. rewrite BigN.spec_ltb, BigN.spec_mul, !big_total_spec in E4.
    apply Z.ltb_lt in E4. now rewrite BASE in E4.
  - rewrite length_convolve; unfold integers; rewrite !map_length; trivial.
  - rewrite evaluate_convolve, <- !(pack_spec levels), <- BigN.spec_mul. fold product.
    rewrite BigN.spec_eqb in E2. now apply Z.eqb_eq in E2.
Qed.

Lemma nth_integers v k : nth k (integers v) 0 = number_of (nth k v BigN.zero).
Proof. unfold integers. change 0 with (number_of BigN.zero). apply map_nth. Qed.
