(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Intervals with dyadic ends of any precision, for computations that the kernel
 * repeats (../certificates.md). This file only names the operations of
 * CoqInterval that the evaluator uses and says of each one, in a line, what it
 * encloses. An interval that failed (a division by an interval around 0) is
 * everything: it encloses any number and decides no sign.
 *)
From Coq Require Import Reals ZArith NArith QArith Qreals Lra Bool.
From Interval Require Import Float.Specific_ops Float.Specific_bigint Interval.Float_full Interval.Interval Real.Xreal.
Open Scope R_scope.

Module Dyadic := SpecificFloat BigIntRadix2.
Module Arith := FloatIntervalFull Dyadic.

Definition interval : Type := Arith.type.
Definition precision : Type := Arith.precision.

Definition encloses (i : interval) (x : R) : Prop := contains (Arith.convert i) (Xreal x).

Lemma encloses_eq i x y : encloses i x -> x = y -> encloses i y.
Proof. now intros H <-. Qed.

Definition anything : interval := Arith.nai.

Lemma anything_encloses x : encloses anything x.
Proof. unfold encloses, anything. now rewrite Arith.nai_correct. Qed.

Definition zero : interval := Arith.zero.

Lemma zero_encloses : encloses zero 0.
Proof. unfold encloses, zero. rewrite Arith.zero_correct. cbn. lra. Qed.

Section Operations.
  Variable prec : precision.

  Definition plus (i j : interval) : interval := Arith.add prec i j.
  Definition minus (i j : interval) : interval := Arith.sub prec i j.
  Definition times (i j : interval) : interval := Arith.mul prec i j.
  Definition over (i j : interval) : interval := Arith.div prec i j.
  Definition integer (z : Z) : interval := Arith.fromZ prec z.
  Definition natural (n : N) : interval := integer (Z.of_N n).
  Definition fraction (q : Q) : interval := over (integer (Qnum q)) (integer (Zpos (Qden q))).
  Definition exponential (i : interval) : interval := Arith.exp prec i.

  Lemma plus_encloses i j x y : encloses i x -> encloses j y -> encloses (plus i j) (x + y).
  Proof. exact (Arith.add_correct prec i j (Xreal x) (Xreal y)). Qed.

  Lemma minus_encloses i j x y : encloses i x -> encloses j y -> encloses (minus i j) (x - y).
  Proof. exact (Arith.sub_correct prec i j (Xreal x) (Xreal y)). Qed.

  Lemma times_encloses i j x y : encloses i x -> encloses j y -> encloses (times i j) (x * y).
  Proof. exact (Arith.mul_correct prec i j (Xreal x) (Xreal y)). Qed.

  Lemma over_encloses i j x y : y <> 0 -> encloses i x -> encloses j y -> encloses (over i j) (x / y).
  Proof.
    intros N Hx Hy. pose proof (Arith.div_correct prec i j (Xreal x) (Xreal y) Hx Hy) as H.
    cbn in H. unfold Xdiv' in H. unfold is_zero in H. now rewrite Raux.Req_bool_false in H.
  Qed.

  Lemma integer_encloses z : encloses (integer z) (IZR z).
  Proof. apply Arith.fromZ_correct. Qed.

  Lemma natural_encloses n : encloses (natural n) (INR (N.to_nat n)).
  Proof. unfold natural. rewrite INR_IZR_INZ, N_nat_Z. apply integer_encloses. Qed.

  Lemma fraction_encloses q : encloses (fraction q) (Q2R q).
  Proof. apply over_encloses; try apply integer_encloses. now apply not_0_IZR. Qed.

  Lemma exponential_encloses i x : encloses i x -> encloses (exponential i) (exp x).
  Proof. exact (Arith.exp_correct prec i (Xreal x)). Qed.
End Operations.

(* An interval around both: it encloses what lies between two numbers. *)
Definition between (i j : interval) : interval := Arith.join i j.

Lemma between_encloses i j x y z : encloses i x -> encloses j y -> x <= z <= y -> encloses (between i j) z.
Proof.
  intros Hx Hy Hz. apply (contains_connected (Arith.convert (between i j)) x y); trivial.
  - apply Arith.join_correct. now left.
  - apply Arith.join_correct. now right.
Qed.

Lemma between_left i j x : encloses i x -> encloses (between i j) x.
Proof. intros H. apply Arith.join_correct. now left. Qed.

Lemma between_right i j x : encloses j x -> encloses (between i j) x.
Proof. intros H. apply Arith.join_correct. now right. Qed.

Lemma between_max i j x y : encloses i x -> encloses j y -> encloses (between i j) (Rmax x y).
Proof. intros. apply Rmax_case; [now apply between_left | now apply between_right]. Qed.

(* Signs that hold for every number in an interval. *)
Definition is_nonneg (i : interval) : bool :=
  match Arith.sign_large i with
  | Xgt | Xeq => true
  | _ => false
  end.

Definition is_positive (i : interval) : bool :=
  match Arith.sign_strict i with
  | Xgt => true
  | _ => false
  end.

Lemma is_nonneg_true i x : encloses i x -> is_nonneg i = true -> 0 <= x.
Proof.
  unfold is_nonneg. intros H. pose proof (Arith.sign_large_correct i) as C.
  destruct (Arith.sign_large i); try discriminate; intros _; specialize (C _ H).
  - injection C as ->. lra.
  - now destruct C.
Qed.

Lemma is_positive_true i x : encloses i x -> is_positive i = true -> 0 < x.
Proof.
  unfold is_positive. intros H. pose proof (Arith.sign_strict_correct i) as C.
  destruct (Arith.sign_strict i); try discriminate; intros _; specialize (C _ H).
  now destruct C.
Qed.

(* The interval [0, 0]. *)
Definition is_zero (i : interval) : bool :=
  match Arith.sign_large i with
  | Xeq => true
  | _ => false
  end.

Lemma is_zero_true i x : encloses i x -> is_zero i = true -> x = 0.
Proof.
  unfold is_zero. intros H. pose proof (Arith.sign_large_correct i) as C.
  destruct (Arith.sign_large i); try discriminate; intros _; specialize (C _ H). now injection C.
Qed.
