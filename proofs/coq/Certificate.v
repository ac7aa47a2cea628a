(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Certificates of single values: a check by computation, and the theorem that what
 * it accepts is true (../certificates.md). A certificate that `shufbound delta
 * --certificate` writes states
 *
 *   Q2R lo <= delta Both (Clones 1000 (Rational (4 # 1))) (Rational (1 # 2)) <= Q2R hi
 *
 * and is proved by check_sound and a computation in the kernel. To trust it, read
 * the first part of this file: what `delta` of a pair is.
 *)
From Coq Require Import Reals List ZArith NArith QArith Qreals Lra Lia Arith Bool.
From Shufbound Require Import Sum Hockey Trinomial Binomial Strata Enclosures Walk Evaluate.
Import ListNotations.
Open Scope R_scope.

(* Part 1: what is certified. *)

(* A parameter: a rational number or the natural logarithm of one. *)
Inductive number :=
| Rational (q : Q)
| Logarithm (q : Q).

Definition value (x : number) : R :=
  match x with
  | Rational q => Q2R q
  | Logarithm q => ln (Q2R q)
  end.

(* The pairs, n users, by the names of shufbound(1). *)
Inductive pair :=
| Clones (n : positive) (eps0 : number)
| ClonesStronger (n : positive) (eps0 : number)
| Rr2 (n : positive) (eps0 : number)
| KrrSame (n k : positive) (eps0 : number)
| KrrThird (n k : positive) (eps0 : number)
| KrrStrong (n k : positive) (gamma : Q)
| TrinomialPair (n : positive) (w0 w1 r0 r1 : Q).

(* Every one is a trinomial pair, up to a factor (1 but for KrrStrong). *)
Record weights := Weights { w0 : R; w1 : R; w2 : R; r0 : R; r1 : R; scale : R }.

Definition users (p : pair) : positive :=
  match p with
  | Clones n _ | ClonesStronger n _ | Rr2 n _ | KrrSame n _ _ | KrrThird n _ _ | KrrStrong n _ _ | TrinomialPair n _ _ _ _ => n
  end.

Definition weights_of (p : pair) : weights :=
  match p with
  | Clones _ eps0 => let E := exp (value eps0) in Weights (E / (E + 1)) (1 / (E + 1)) 0 (1 / (2 * E)) (1 / (2 * E)) 1
  | ClonesStronger _ eps0 => let E := exp (value eps0) in Weights (E / (E + 1)) (1 / (E + 1)) 0 (1 / (E + 1)) (1 / (E + 1)) 1
  | Rr2 _ eps0 => let E := exp (value eps0) in Weights (E / (E + 1)) (1 / (E + 1)) 0 (E / (E + 1)) (1 / (E + 1)) 1
  | KrrSame _ k eps0 =>
    let E := exp (value eps0) in let d := E + IZR (Zpos k) - 1 in
    Weights (E / d) (1 / d) ((IZR (Zpos k) - 2) / d) (E / d) (1 / d) 1
  | KrrThird _ k eps0 =>
    let E := exp (value eps0) in let d := E + IZR (Zpos k) - 1 in
    Weights (E / d) (1 / d) ((IZR (Zpos k) - 2) / d) (1 / d) (1 / d) 1
  | KrrStrong _ k gamma => let r := Q2R gamma / IZR (Zpos k) in Weights 1 0 0 r r (1 - Q2R gamma)
  | TrinomialPair _ w0 w1 r0 r1 => Weights (Q2R w0) (Q2R w1) (1 - Q2R w0 - Q2R w1) (Q2R r0) (Q2R r1) 1
  end.

(* H_alpha(P||Q) and H_alpha(Q||P) of the pair of N+1 users *)
Definition forward (w : weights) (N : nat) (alpha : R) : R :=
  trinomial_hockey (w0 w) (w1 w) (w2 w) (r0 w) (r1 w) N alpha.
Definition backward (w : weights) (N : nat) (alpha : R) : R :=
  hockey (counts N) alpha (trinomial_Q (w0 w) (w1 w) (w2 w) (r0 w) (r1 w) N) (trinomial_P (w0 w) (w1 w) (w2 w) (r0 w) (r1 w) N).

Inductive direction := Both | PQ | QP.

(* The divergence of the pair at alpha; in both directions: the larger. *)
Definition delta_at (dir : direction) (p : pair) (alpha : R) : R :=
  let w := weights_of p in
  let N := pred (Pos.to_nat (users p)) in
  scale w *
  match dir with
  | PQ => forward w N alpha
  | QP => backward w N alpha
  | Both => Rmax (forward w N alpha) (backward w N alpha)
  end.

(* delta(eps) *)
Definition delta (dir : direction) (p : pair) (eps : number) : R := delta_at dir p (exp (value eps)).

(* Part 2: exact tests on parameters. *)

Definition at_least_zero (x : number) : bool :=
  match x with
  | Rational q => Qle_bool 0 q
  | Logarithm q => Qle_bool 1 q
  end.

Definition Qlt_bool (x y : Q) : bool := negb (Qle_bool y x).

Definition valid (p : pair) : bool :=
  match p with
  | Clones _ x | ClonesStronger _ x | Rr2 _ x => at_least_zero x
  | KrrSame _ k x | KrrThird _ k x => at_least_zero x && Pos.leb 2 k
  | KrrStrong _ k g => Pos.leb 2 k && Qlt_bool 0 g && Qle_bool g 1
  | TrinomialPair _ w0 w1 r0 r1 =>
    Qle_bool 0 w1 && Qle_bool w1 w0 && Qle_bool (w0 + w1) 1 && Qlt_bool 0 r0 && Qlt_bool 0 r1 && Qle_bool (r0 + r1) 1
  end%bool.

(* r0 = r1 *)
Definition symmetric (p : pair) : bool :=
  match p with
  | Clones _ _ | ClonesStronger _ _ | KrrThird _ _ _ | KrrStrong _ _ _ => true
  | Rr2 _ _ | KrrSame _ _ _ => false
  | TrinomialPair _ _ _ r0 r1 => Qeq_bool r0 r1
  end.

(* r0 + r1 = 1 *)
Definition all_count (p : pair) : bool :=
  match p with
  | Rr2 _ _ => true
  | KrrSame _ k _ => Pos.eqb k 2
  | TrinomialPair _ _ _ r0 r1 => Qeq_bool (r0 + r1) 1
  | _ => false
  end.

(* w0 <= alpha w1 for certain, or the factor is 0 *)
Definition no_loss (p : pair) (eps : number) : bool :=
  match p with
  | Clones _ x | ClonesStronger _ x | Rr2 _ x | KrrSame _ _ x | KrrThird _ _ x =>
    match x, eps with
    | Rational q, Rational e => Qle_bool q e
    | Logarithm q, Logarithm e => Qle_bool q e
    | _, _ => false
    end
  | KrrStrong _ _ g => Qle_bool 1 g
  | TrinomialPair _ w0 w1 _ _ =>
    match eps with
    | Rational _ => Qle_bool w0 w1
    | Logarithm e => Qle_bool w0 (e * w1)
    end
  end.

(* Part 3: the computation. *)

Section Compute.
  Variable prec : precision.
  Notation "i + j" := (plus prec i j).
  Notation "i - j" := (minus prec i j).
  Notation "i * j" := (times prec i j).
  Notation "i / j" := (over prec i j).
  Notation "# z" := (integer prec z) (at level 1).

  Definition exp_of (x : number) : interval :=
    match x with
    | Rational q => exponential prec (fraction prec q)
    | Logarithm q => fraction prec q
    end.

  Record enclosures := Enclosures { e_w0 : interval; e_w1 : interval; e_w2 : interval; e_r0 : interval; e_r1 : interval; e_scale : interval }.

  Definition enclosures_of (p : pair) : enclosures :=
    match p with
    | Clones _ x => let E := exp_of x in
      let r := #1 / (#2 * E) in Enclosures (E / (E + #1)) (#1 / (E + #1)) zero r r #1
    | ClonesStronger _ x => let E := exp_of x in
      let r := #1 / (E + #1) in Enclosures (E / (E + #1)) r zero r r #1
    | Rr2 _ x => let E := exp_of x in
      let r := #1 / (E + #1) in Enclosures (E / (E + #1)) r zero (E / (E + #1)) r #1
    | KrrSame _ k x => let E := exp_of x in let d := E + #(Zpos k) - #1 in
      Enclosures (E / d) (#1 / d) ((#(Zpos k) - #2) / d) (E / d) (#1 / d) #1
    | KrrThird _ k x => let E := exp_of x in let d := E + #(Zpos k) - #1 in
      Enclosures (E / d) (#1 / d) ((#(Zpos k) - #2) / d) (#1 / d) (#1 / d) #1
    | KrrStrong _ k g => let r := fraction prec g / #(Zpos k) in Enclosures #1 zero zero r r (fraction prec (1 - g))
    | TrinomialPair _ w0 w1 r0 r1 =>
      Enclosures (fraction prec w0) (fraction prec w1) (fraction prec (1 - w0 - w1)) (fraction prec r0) (fraction prec r1) #1
    end.

  Definition exchange (e : enclosures) : enclosures :=
    Enclosures (e_w0 e) (e_w1 e) (e_w2 e) (e_r1 e) (e_r0 e) (e_scale e).

  (* The shape of the pair at alpha, and its divergence without the factor. *)
  Definition shape_of (e : enclosures) (alpha : interval) (one : bool) : shape :=
    let s := e_r0 e + e_r1 e in
    let rho := e_r0 e / s in
    let corho := e_r1 e / s in
    let u := e_w0 e - alpha * e_w1 e in
    let rise := (alpha * e_w0 e - e_w1 e) / corho in
    let odds := s / (#1 - s) in
    {| sh_u := u; sh_uv := (#1 - alpha) * (e_w0 e + e_w1 e); sh_rise := rise; sh_slope := u / rho + rise;
       sh_rho := rho; sh_corho := corho; sh_rho_odds := e_r0 e / e_r1 e; sh_odds := odds;
       sh_kappa := if (one || is_zero (e_w2 e))%bool then None else Some ((alpha - #1) * e_w2 e * odds) |}.

  Definition divergence (e : enclosures) (alpha : interval) (one : bool) (n : N) (win : window) : interval :=
    let sh := shape_of e alpha one in
    if is_nonneg (zero - sh_u sh) then zero
    else if (is_nonneg (sh_u sh) && is_positive (sh_slope sh))%bool then
      if one then evaluate_one prec sh n win
      else if is_positive (#1 - (e_r0 e + e_r1 e)) then evaluate prec sh n win else anything
    else anything.

  (* delta(eps) in one direction, the factor included *)
  Definition enclosure (dir : direction) (p : pair) (eps : number) (win : window) : interval :=
    if no_loss p eps then zero
    else
      let e := enclosures_of p in
      let e' := match dir with QP => exchange e | _ => e end in
      e_scale e * divergence e' (exp_of eps) (all_count p) (Pos.pred_N (users p)) win.

  (* tests of a number between 0 and 1 that i encloses *)
  Definition is_at_least (i : interval) (q : Q) : bool := (Qle_bool q 0 || is_nonneg (i - fraction prec q))%bool.
  Definition is_at_most (i : interval) (q : Q) : bool := (Qle_bool 1 q || is_nonneg (fraction prec q - i))%bool.
  Definition is_above (i : interval) (q : Q) : bool := is_positive (i - fraction prec q).
End Compute.

(* Part 4: the check. *)

(* The tests for lower and upper ends, applied to delta(eps); a window a direction. *)
Definition examine (lower upper : interval -> bool) (prec : precision) (dir : direction) (p : pair) (eps : number)
  (win win' : window) : bool :=
  (valid p && at_least_zero eps &&
   match dir with
   | Both =>
     if symmetric p then let i := enclosure prec PQ p eps win in lower i && upper i
     else
       let i := enclosure prec PQ p eps win in
       let j := enclosure prec QP p eps win' in
       (lower i || lower j) && upper i && upper j
   | _ => let i := enclosure prec dir p eps win in lower i && upper i
   end)%bool.

(* lo <= delta(eps) <= hi, delta(eps) <= hi, lo < delta(eps); bits of precision first *)
Definition check (bits : positive) (win win' : window) (dir : direction) (p : pair) (eps : number) (lo hi : Q) : bool :=
  let prec := Dyadic.PtoP bits in
  examine (fun i => is_at_least prec i lo) (fun i => is_at_most prec i hi) prec dir p eps win win'.
Definition check_at_most (bits : positive) (win win' : window) (dir : direction) (p : pair) (eps : number) (hi : Q) : bool :=
  let prec := Dyadic.PtoP bits in
  examine (fun _ => true) (fun i => is_at_most prec i hi) prec dir p eps win win'.
Definition check_above (bits : positive) (win win' : window) (dir : direction) (p : pair) (eps : number) (lo : Q) : bool :=
  let prec := Dyadic.PtoP bits in
  examine (fun i => is_above prec i lo) (fun _ => true) prec dir p eps win win'.

(* Part 5: soundness. *)

Lemma Q2R_zero : Q2R 0 = 0.
Proof. unfold Q2R. cbn. lra. Qed.

Lemma Q2R_one : Q2R 1 = 1.
Proof. unfold Q2R. cbn. lra. Qed.

Lemma Qle_bool_R x y : Qle_bool x y = true -> Q2R x <= Q2R y.
Proof. intros H. apply Qle_Rle. now apply Qle_bool_iff. Qed.

Lemma Qlt_bool_R x y : Qlt_bool x y = true -> Q2R x < Q2R y.
Proof.
  unfold Qlt_bool. intros H. apply negb_true_iff in H. apply Qlt_Rlt. apply Qnot_le_lt.
  intros L. apply Qle_bool_iff in L. congruence.
Qed.

Lemma Qeq_bool_R x y : Qeq_bool x y = true -> Q2R x = Q2R y.
Proof. intros H. apply Qeq_eqR. now apply Qeq_bool_iff. Qed.

Lemma Q2R_one_minus x : Q2R (1 - x) = 1 - Q2R x.
Proof. now rewrite Q2R_minus, Q2R_one. Qed.

Lemma exp_log q : Qle_bool 1 q = true -> exp (ln (Q2R q)) = Q2R q.
Proof. intros H. apply Qle_bool_R in H. rewrite Q2R_one in H. apply exp_ln. lra. Qed.

Lemma exp_at_least_one x : at_least_zero x = true -> 1 <= exp (value x).
Proof.
  destruct x as [q|q]; cbn [at_least_zero value]; intros H.
  - apply Qle_bool_R in H. rewrite Q2R_zero in H. rewrite <- exp_0.
    destruct H as [H|H]; [left; now apply exp_increasing | right; now rewrite H].
  - rewrite exp_log by trivial. apply Qle_bool_R in H. now rewrite Q2R_one in H.
Qed.

Lemma exp_of_encloses prec x : at_least_zero x = true -> encloses (exp_of prec x) (exp (value x)).
Proof.
  destruct x as [q|q]; cbn [at_least_zero value exp_of]; intros H.
  - apply exponential_encloses, fraction_encloses.
  - rewrite exp_log by trivial. apply fraction_encloses.
Qed.

(* What the evaluation needs of the weights. *)
Record fine (w : weights) : Prop := {
  fine_w1 : 0 <= w1 w <= w0 w;
  fine_w2 : 0 <= w2 w;
  fine_r0 : 0 < r0 w;
  fine_r1 : 0 < r1 w;
  fine_r : r0 w + r1 w <= 1;
  fine_w0 : w0 w <= 1
}.

Ltac split_andb :=
  repeat match goal with
  | H : (_ && _)%bool = true |- _ => apply andb_true_iff in H; destruct H
  end.

Lemma Pos_leb_R k : Pos.leb 2 k = true -> 2 <= IZR (Zpos k).
Proof. intros H. apply Pos.leb_le in H. apply (IZR_le 2). lia. Qed.

(* Fractions over one positive denominator. *)
Lemma over_positive d : 0 < d -> 0 < / d /\ d * / d = 1.
Proof. intros H. split; [now apply Rinv_0_lt_compat | apply Rinv_r; lra]. Qed.

Lemma valid_fine p : valid p = true -> fine (weights_of p).
Proof.
  destruct p as [n x|n x|n x|n k x|n k x|n k g|n a0 a1 b0 b1]; cbn [valid]; intros H; split_andb;
    try match goal with H : at_least_zero ?x = true |- _ => pose proof (exp_at_least_one x H); set (E := exp (value x)) in * end;
    try match goal with H : Pos.leb 2 ?k = true |- _ => pose proof (Pos_leb_R k H); set (k' := IZR (Zpos k)) in * end.
  - destruct (over_positive (E + 1)) as [A B]; [lra|]. destruct (over_positive (2 * E)) as [A' B']; [lra|].
    unfold weights_of. fold E. split; cbn [w0 w1 w2 r0 r1]; unfold Rdiv; nra.
  - destruct (over_positive (E + 1)) as [A B]; [lra|].
    unfold weights_of. fold E. split; cbn [w0 w1 w2 r0 r1]; unfold Rdiv; nra.
  - destruct (over_positive (E + 1)) as [A B]; [lra|].
    unfold weights_of. fold E. split; cbn [w0 w1 w2 r0 r1]; unfold Rdiv; nra.
  - destruct (over_positive (E + k' - 1)) as [A B]; [lra|].
    unfold weights_of. fold E k'. split; cbn [w0 w1 w2 r0 r1]; unfold Rdiv; nra.
  - destruct (over_positive (E + k' - 1)) as [A B]; [lra|].
    unfold weights_of. fold E k'. split; cbn [w0 w1 w2 r0 r1]; unfold Rdiv; nra.
  - destruct (over_positive k') as [A B]; [lra|].
    repeat match goal with H : Qle_bool _ _ = true |- _ => apply Qle_bool_R in H
                         | H : Qlt_bool _ _ = true |- _ => apply Qlt_bool_R in H end.
    rewrite Q2R_zero, Q2R_one in *.
    unfold weights_of. fold k'. split; cbn [w0 w1 w2 r0 r1]; unfold Rdiv; nra.
  - repeat match goal with H : Qle_bool _ _ = true |- _ => apply Qle_bool_R in H
                         | H : Qlt_bool _ _ = true |- _ => apply Qlt_bool_R in H end.
    rewrite ?Q2R_plus, ?Q2R_zero, ?Q2R_one in *.
    split; cbn; lra.
Qed.

Lemma symmetric_true p : symmetric p = true -> r0 (weights_of p) = r1 (weights_of p).
Proof. destruct p; cbn; try discriminate; trivial. apply Qeq_bool_R. Qed.

Lemma all_count_true p : valid p = true -> all_count p = true -> r0 (weights_of p) + r1 (weights_of p) = 1.
Proof.
  destruct p as [n x|n x|n x|n k x|n k x|n k g|n a0 a1 b0 b1]; cbn [all_count]; intros V H; try discriminate.
  - pose proof (exp_pos (value x)). cbn. field. lra.
  - apply Pos.eqb_eq in H. subst k. pose proof (exp_pos (value x)). cbn. field. lra.
  - apply Qeq_bool_R in H. rewrite Q2R_plus, Q2R_one in H. exact H.
Qed.

Lemma no_loss_true p eps : valid p = true -> at_least_zero eps = true -> no_loss p eps = true ->
  scale (weights_of p) = 0 \/ w0 (weights_of p) <= exp (value eps) * w1 (weights_of p).
Proof.
  intros V A H.
  assert (L : forall x, at_least_zero x = true ->
    match x, eps with
    | Rational q, Rational e => Qle_bool q e
    | Logarithm q, Logarithm e => Qle_bool q e
    | _, _ => false
    end = true -> exp (value x) <= exp (value eps)).
  { intros x Vx. destruct x as [q|q], eps as [e|e]; cbn [value at_least_zero] in *; try discriminate; intros L.
    - apply Qle_bool_R in L. destruct L as [L|L]; [left; now apply exp_increasing | right; now rewrite L].
    - rewrite !exp_log by trivial. now apply Qle_bool_R. }
  pose proof (exp_at_least_one eps A).
  destruct p as [n x|n x|n x|n k x|n k x|n k g|n a0 a1 b0 b1]; cbn [valid no_loss] in V, H; split_andb; try discriminate.
  1-5: specialize (L x ltac:(assumption) H); pose proof (exp_pos (value x));
    set (E := exp (value x)) in *; set (alpha := exp (value eps)) in *.
  1-3: destruct (over_positive (E + 1)) as [B1 B2]; [lra|];
    right; unfold weights_of; fold E; cbn [w0 w1]; unfold Rdiv; nra.
  1-2: match goal with H : Pos.leb 2 ?k = true |- _ => pose proof (Pos_leb_R k H); set (k' := IZR (Zpos k)) in * end;
    destruct (over_positive (E + k' - 1)) as [B1 B2]; [lra|];
    right; unfold weights_of; fold E k'; cbn [w0 w1]; unfold Rdiv; nra.
  { left. cbn [weights_of scale].
    repeat match goal with H : Qle_bool _ _ = true |- _ => apply Qle_bool_R in H; rewrite ?Q2R_one in H end. lra. }
  right. cbn [weights_of w0 w1].
  repeat match goal with H : Qle_bool 0 a1 = true |- _ => apply Qle_bool_R in H; rewrite Q2R_zero in H end.
  destruct eps as [e|e]; apply Qle_bool_R in H.
  - nra.
  - cbn [value at_least_zero] in *. rewrite exp_log in * by trivial. now rewrite Q2R_mult in H.
Qed.

(* The other direction is the pair with r0 and r1 exchanged (../trinomial-pair.md, Lemma 6). *)
Lemma others_exchange r0 r1 N : forall a b, others r0 r1 N a b = others r1 r0 N b a.
Proof.
  induction N as [|N IH]; intros a b.
  - destruct a, b; reflexivity.
  - cbn [others].
    replace (before (fun a => others r0 r1 N a b) a) with (before (fun a => others r1 r0 N b a) a)
      by (destruct a; cbn; auto).
    replace (before (fun b => others r0 r1 N a b) b) with (before (fun b => others r1 r0 N b a) b)
      by (destruct b; cbn; auto).
    rewrite IH. ring.
Qed.

Definition turned (w : weights) : weights := Weights (w0 w) (w1 w) (w2 w) (r1 w) (r0 w) (scale w).

Lemma backward_forward w N alpha : backward w N alpha = forward (turned w) N alpha.
Proof.
  unfold backward, forward, trinomial_hockey, hockey, counts. rewrite !sum_prod, sum_swap.
  apply sum_ext. intros a _. apply sum_ext. intros b _.
  unfold trinomial_P, trinomial_Q, with_user. cbn [turned w0 w1 w2 r0 r1].
  f_equal.
  assert (E : forall f g : nat -> R, (forall k, f k = g k) -> forall k, before f k = before g k) by (intros f g H [|k]; cbn; auto).
  rewrite (E _ _ (fun k => others_exchange (r0 w) (r1 w) N k a)).
  rewrite (E _ _ (fun k => others_exchange (r0 w) (r1 w) N b k)).
  rewrite (others_exchange (r0 w) (r1 w) N b a).
  change (fun k : nat => others (r1 w) (r0 w) N a k) with (others (r1 w) (r0 w) N a). ring.
Qed.

Lemma turned_fine w : fine w -> fine (turned w).
Proof. intros [A B C D F G]. split; cbn; trivial. lra. Qed.

(* Nothing is left once alpha is at least the largest ratio. *)
Lemma forward_zero w N alpha : fine w -> 1 <= alpha -> w0 w <= alpha * w1 w -> forward w N alpha = 0.
Proof.
  intros [A B C D F _] Ha Hl. unfold forward, trinomial_hockey, hockey.
  transitivity (sum (counts N) (fun _ => 0)); [|apply sum_zero].
  apply sum_ext. intros [a b] _. apply pos_zero. unfold trinomial_P, trinomial_Q, with_user.
  set (x := before (fun a => others (r0 w) (r1 w) N a b) a). set (y := before (fun b => others (r0 w) (r1 w) N a b) b).
  assert (T : forall a b, 0 <= others (r0 w) (r1 w) N a b) by (intros; apply others_nonneg; lra).
  assert (0 <= x) by (unfold x; destruct a; cbn; [lra | apply T]).
  assert (0 <= y) by (unfold y; destruct b; cbn; [lra | apply T]).
  pose proof (T a b) as Tz. set (z := others (r0 w) (r1 w) N a b) in *.
  replace (w0 w * x + w1 w * y + w2 w * z - alpha * (w1 w * x + w0 w * y + w2 w * z))
    with ((w0 w - alpha * w1 w) * x + (w1 w - alpha * w0 w) * y - (alpha - 1) * w2 w * z) by ring.
  assert (0 <= (alpha * w1 w - w0 w) * x) by (apply Rmult_le_pos; lra).
  assert (0 <= (alpha * w0 w - w1 w) * y) by (apply Rmult_le_pos; [nra | trivial]).
  assert (0 <= (alpha - 1) * w2 w * z) by (repeat apply Rmult_le_pos; lra).
  lra.
Qed.

(* A divergence lies between 0 and 1. *)
Lemma forward_bounds w N alpha : fine w -> 1 <= alpha -> 0 <= forward w N alpha <= 1.
Proof.
  intros Hw Ha. split; [apply sum_nonneg; intros; apply pos_nonneg|].
  destruct (Rle_lt_dec (w0 w) (alpha * w1 w)) as [L|L].
  { rewrite forward_zero by trivial. lra. }
  pose proof Hw as [A B C D E H1]. unfold forward. rewrite trinomial_strata by trivial.
  rewrite <- (bin_sum (r0 w + r1 w) N). apply sum_le. intros c _.
  rewrite <- (Rmult_1_r (bin _ _ _)) at 2. apply Rmult_le_compat_l; [apply bin_nonneg; lra|].
  assert (R : 0 < r0 w / (r0 w + r1 w) < 1).
  { split; [apply Rdiv_lt_0_compat; lra|]. apply (Rmult_lt_reg_r (r0 w + r1 w)); [lra|].
    replace (r0 w / (r0 w + r1 w) * (r0 w + r1 w)) with (r0 w) by (field; lra). lra. }
  assert (S0 : 0 <= shift (w2 w) (r0 w + r1 w) alpha N c) by (apply shift_nonneg; lra).
  assert (0 <= (alpha - 1) * w0 w) by (apply Rmult_le_pos; lra).
  assert (0 <= alpha * w1 w) by (apply Rmult_le_pos; lra).
  pose proof (stratum_u (w0 w - alpha * w1 w) (w1 w - alpha * w0 w) _ c _ R ltac:(lra) ltac:(lra) S0). lra.
Qed.

(* s = 1: one stratum. *)
Lemma bin_one n k : (k < n)%nat -> bin 1 n k = 0.
Proof.
  intros H. pose proof (bin_step 1 n k) as B. pose proof (lt_0_INR (n - k) ltac:(lia)).
  apply (Rmult_eq_reg_r (INR (n - k))); [lra | now apply Rgt_not_eq].
Qed.

Lemma bin_one_last n : bin 1 n n = 1.
Proof.
  pose proof (bin_sum 1 n) as B. rewrite sum_seq_last in B.
  rewrite (sum_ext (seq 0 n) _ (fun _ => 0)), sum_zero in B; [lra|].
  intros k H. apply in_seq in H. apply bin_one. lia.
Qed.

Lemma sum_bin_one n (f : nat -> R) : sum (seq 0 (S n)) (fun c => bin 1 n c * f c) = f n.
Proof.
  rewrite sum_seq_last, bin_one_last.
  rewrite (sum_ext (seq 0 n) _ (fun _ => 0)), sum_zero; [lra|].
  intros k H. apply in_seq in H. rewrite bin_one by lia. lra.
Qed.

Record enclose (e : enclosures) (w : weights) : Prop := {
  enclose_w0 : encloses (e_w0 e) (w0 w);
  enclose_w1 : encloses (e_w1 e) (w1 w);
  enclose_w2 : encloses (e_w2 e) (w2 w);
  enclose_r0 : encloses (e_r0 e) (r0 w);
  enclose_r1 : encloses (e_r1 e) (r1 w);
  enclose_scale : encloses (e_scale e) (scale w)
}.

Section Sound.
  Variable prec : precision.
  Notation "i + j" := (plus prec i j).
  Notation "i - j" := (minus prec i j).
  Notation "i * j" := (times prec i j).
  Notation "i / j" := (over prec i j).
  Notation "# z" := (integer prec z) (at level 1).

  Lemma enclosures_correct p : valid p = true -> enclose (enclosures_of prec p) (weights_of p).
  Proof.
    destruct p as [n x|n x|n x|n k x|n k x|n k g|n a0 a1 b0 b1]; cbn [valid]; intros H; split_andb;
      try match goal with H : at_least_zero ?x = true |- _ => pose proof (exp_at_least_one x H); pose proof (exp_of_encloses prec x H) end;
      try match goal with H : Pos.leb 2 ?k = true |- _ => pose proof (Pos_leb_R k H) end;
      split; cbn [enclosures_of weights_of e_w0 e_w1 e_w2 e_r0 e_r1 e_scale w0 w1 w2 r0 r1 scale]; cbv zeta.
    all: rewrite <- ?Q2R_one_minus, <- ?Q2R_minus.
    all: repeat first [ assumption | apply zero_encloses | apply integer_encloses | apply fraction_encloses
                      | apply over_encloses | apply plus_encloses | apply minus_encloses | apply times_encloses ].
    all: lra.
  Qed.

  Lemma exchange_correct e w : enclose e w -> enclose (exchange e) (turned w).
  Proof. intros []. split; assumption. Qed.

  Section Divergence.
    Variables (e : enclosures) (w : weights) (ia : interval) (alpha : R) (one : bool).
    Hypothesis He : enclose e w.
    Hypothesis Hw : fine w.
    Hypothesis Hia : encloses ia alpha.
    Hypothesis Ha : 1 <= alpha.
    Hypothesis Hone : one = true -> (r0 w + r1 w)%R = 1.
    Let s : R := (r0 w + r1 w)%R.
    Let rho : R := (r0 w / s)%R.
    Let u : R := (w0 w - alpha * w1 w)%R.
    Let v : R := (w1 w - alpha * w0 w)%R.
    Let kappa : R := ((alpha - 1) * w2 w * odds s)%R.
    Let sh : shape := shape_of prec e ia one.

    Lemma s_positive : 0 < s <= 1.
    Proof. pose proof (fine_r0 w Hw). pose proof (fine_r1 w Hw). pose proof (fine_r w Hw). unfold s. lra. Qed.

    Lemma corho_eq : (1 - rho)%R = (r1 w / s)%R.
    Proof. pose proof s_positive. unfold rho, s in *. field. lra. Qed.

    Lemma rho_inside : 0 < rho < 1.
    Proof.
      pose proof s_positive. pose proof (fine_r0 w Hw). pose proof (fine_r1 w Hw).
      assert (0 < rho) by (apply Rdiv_lt_0_compat; lra).
      assert (0 < 1 - rho) by (rewrite corho_eq; apply Rdiv_lt_0_compat; lra). lra.
    Qed.

    Lemma v_negative : v <= 0.
    Proof. pose proof (fine_w1 w Hw). unfold v. nra. Qed.

    Lemma kappa_nonneg : 0 <= kappa.
    Proof.
      pose proof s_positive. pose proof (fine_w2 w Hw). unfold kappa.
      apply Rmult_le_pos; [apply Rmult_le_pos; lra | apply odds_nonneg; lra].
    Qed.

    Lemma s_encloses : encloses (e_r0 e + e_r1 e) s.
    Proof. apply plus_encloses; [apply (enclose_r0 e w He) | apply (enclose_r1 e w He)]. Qed.

    Lemma cos_encloses : encloses (#1 - (e_r0 e + e_r1 e)) (1 - s).
    Proof. apply minus_encloses; [apply integer_encloses | apply s_encloses]. Qed.

    Lemma odds_encloses : s < 1 -> encloses ((e_r0 e + e_r1 e) / (#1 - (e_r0 e + e_r1 e))) (s / (1 - s)).
    Proof. intros. apply over_encloses; [lra | apply s_encloses | apply cos_encloses]. Qed.

    Lemma u_encloses : encloses (sh_u sh) u.
    Proof. apply minus_encloses; [apply (enclose_w0 e w He) | apply times_encloses; [trivial | apply (enclose_w1 e w He)]]. Qed.

    Lemma rho_encloses : encloses (sh_rho sh) rho.
    Proof. pose proof s_positive. apply over_encloses; [lra | apply (enclose_r0 e w He) | apply s_encloses]. Qed.

    Lemma corho_encloses : encloses (sh_corho sh) (1 - rho).
    Proof. rewrite corho_eq. pose proof s_positive. apply over_encloses; [lra | apply (enclose_r1 e w He) | apply s_encloses]. Qed.

    Lemma rise_encloses : encloses (sh_rise sh) (- v / (1 - rho)).
    Proof.
      pose proof rho_inside. replace (- v)%R with (alpha * w0 w - w1 w)%R by (unfold v; ring).
      apply over_encloses; [lra | | apply corho_encloses].
      apply minus_encloses; [apply times_encloses; [trivial | apply (enclose_w0 e w He)] | apply (enclose_w1 e w He)].
    Qed.

    Lemma slope_encloses : encloses (sh_slope sh) (slope u v rho).
    Proof.
      pose proof rho_inside. eapply encloses_eq.
      - apply plus_encloses; [|apply rise_encloses]. apply over_encloses; [|apply u_encloses | apply rho_encloses]. lra.
      - unfold slope, Rdiv. ring.
    Qed.

    (* K_c as in Strata.v *)
    Lemma strata_K n c : K n kappa c = shift (w2 w) s alpha (N.to_nat n) c.
    Proof. reflexivity. Qed.

    Lemma divergence_strata n : 0 <= u -> 0 < slope u v rho ->
      forward w (N.to_nat n) alpha = sum (seq 0 (S (N.to_nat n))) (term n u v rho kappa s).
    Proof.
      intros _ _. destruct Hw as [A B C D' F _]. unfold forward. rewrite trinomial_strata; trivial.
    Qed.

    Lemma describes_shape : s < 1 \/ one = true -> describes sh u v rho kappa.
    Proof.
      intros Hs. pose proof rho_inside. pose proof s_positive. pose proof (fine_r1 w Hw).
      split.
      - apply u_encloses.
      - replace (u + v)%R with ((1 - alpha) * (w0 w + w1 w))%R by (unfold u, v; ring).
        apply times_encloses; [apply minus_encloses; [apply integer_encloses | trivial]|].
        apply plus_encloses; [apply (enclose_w0 e w He) | apply (enclose_w1 e w He)].
      - apply rise_encloses.
      - apply slope_encloses.
      - apply rho_encloses.
      - apply corho_encloses.
      - rewrite corho_eq. replace (rho / (r1 w / s))%R with (r0 w / r1 w)%R by (unfold rho; field; lra).
        apply over_encloses; [lra | apply (enclose_r0 e w He) | apply (enclose_r1 e w He)].
      - cbn [sh shape_of sh_kappa]. destruct (one || is_zero (e_w2 e))%bool eqn:E.
        + apply orb_true_iff in E as [E|E].
          * unfold kappa. unfold s. rewrite (Hone E), odds_one. ring.
          * apply (is_zero_true _ _ (enclose_w2 e w He)) in E. unfold kappa. rewrite E. ring.
        + apply orb_false_iff in E as [E _].
          assert (s < 1) by (destruct Hs; [trivial | congruence]).
          unfold kappa. rewrite odds_less by trivial.
          apply times_encloses; [|now apply odds_encloses].
          apply times_encloses; [|apply (enclose_w2 e w He)].
          apply minus_encloses; [trivial | apply integer_encloses].
    Qed.

    Lemma divergence_correct n win : encloses (divergence prec e ia one n win) (forward w (N.to_nat n) alpha).
    Proof.
      unfold divergence. cbv zeta. fold sh.
      destruct (is_nonneg (zero - sh_u sh)) eqn:E0.
      { apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ zero_encloses u_encloses)) in E0.
        eapply encloses_eq; [apply zero_encloses|]. symmetry. apply forward_zero; trivial. unfold u in E0. lra. }
      destruct (is_nonneg (sh_u sh) && is_positive (sh_slope sh))%bool eqn:E; [|apply anything_encloses].
      apply andb_true_iff in E as [E1 E2].
      apply (is_nonneg_true _ _ u_encloses) in E1. apply (is_positive_true _ _ slope_encloses) in E2.
      rewrite divergence_strata by trivial.
      assert (Hc : one = true \/ one = false) by (clear; destruct one; auto).
      destruct Hc as [Eone|Eone]; rewrite Eone.
      - eapply encloses_eq.
        + apply (evaluate_one_correct prec sh n u v rho kappa rho_inside E1 v_negative kappa_nonneg E2).
          apply describes_shape. now right.
        + unfold term. replace s with 1%R by (symmetry; exact (Hone Eone)). now rewrite sum_bin_one.
      - destruct (is_positive (#1 - _)) eqn:E3; [|apply anything_encloses].
        apply (is_positive_true _ _ cos_encloses) in E3.
        apply (evaluate_correct prec sh n u v rho kappa rho_inside E1 v_negative kappa_nonneg E2).
        + apply describes_shape. left. lra.
        + pose proof s_positive. lra.
        + apply odds_encloses. lra.
    Qed.
  End Divergence.

  Lemma pred_users p : N.to_nat (Pos.pred_N (users p)) = pred (Pos.to_nat (users p)).
  Proof. rewrite N.pos_pred_spec, N2Nat.inj_pred. now rewrite positive_N_nat. Qed.

  (* delta in one direction, with its factor *)
  Lemma enclosure_correct dir p eps win : valid p = true -> at_least_zero eps = true -> dir <> Both ->
    encloses (enclosure prec dir p eps win) (delta dir p eps).
  Proof.
    intros Vp Ve Hd. unfold enclosure, delta, delta_at. cbv zeta. rewrite <- pred_users.
    set (n := Pos.pred_N (users p)). set (alpha := exp (value eps)).
    pose proof (exp_at_least_one eps Ve) as Ha. fold alpha in Ha.
    pose proof (valid_fine p Vp) as Hf. pose proof (turned_fine _ Hf) as Hf'.
    destruct (no_loss p eps) eqn:E.
    - pose proof (no_loss_true p eps Vp Ve E) as L. fold alpha in L.
      eapply encloses_eq; [apply zero_encloses|].
      destruct L as [L|L]; [rewrite L; ring|].
      destruct dir; [congruence | |]; rewrite ?backward_forward, forward_zero; trivial; ring.
    - pose proof (enclosures_correct p Vp) as He.
      pose proof (exp_of_encloses prec eps Ve) as Hia.
      apply times_encloses; [apply (enclose_scale _ _ He)|].
      destruct dir; [congruence | |].
      + apply divergence_correct; trivial. now apply all_count_true.
      + rewrite backward_forward. apply divergence_correct; trivial.
        * now apply exchange_correct.
        * intros A. cbn [turned r0 r1]. rewrite Rplus_comm. now apply all_count_true.
  Qed.

  Lemma is_at_least_true i x q : encloses i x -> 0 <= x <= 1 -> is_at_least prec i q = true -> Q2R q <= x.
  Proof.
    intros H B E. apply orb_true_iff in E as [E|E]; [apply Qle_bool_R in E; rewrite Q2R_zero in E; lra|].
    pose proof (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ H (fraction_encloses prec q)) E). lra.
  Qed.

  Lemma is_at_most_true i x q : encloses i x -> 0 <= x <= 1 -> is_at_most prec i q = true -> x <= Q2R q.
  Proof.
    intros H B E. apply orb_true_iff in E as [E|E]; [apply Qle_bool_R in E; rewrite Q2R_one in E; lra|].
    pose proof (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ (fraction_encloses prec q) H) E). lra.
  Qed.

  Lemma is_above_true i x q : encloses i x -> is_above prec i q = true -> Q2R q < x.
  Proof. intros H E. pose proof (is_positive_true _ _ (minus_encloses prec _ _ _ _ H (fraction_encloses prec q)) E). lra. Qed.
End Sound.

Lemma scale_bounds p : valid p = true -> 0 <= scale (weights_of p) <= 1.
Proof.
  intros H. destruct p; cbn [weights_of scale]; try lra.
  cbn [valid] in H. split_andb.
  repeat match goal with H : Qle_bool _ _ = true |- _ => apply Qle_bool_R in H
                       | H : Qlt_bool _ _ = true |- _ => apply Qlt_bool_R in H end.
  rewrite Q2R_zero, Q2R_one in *. lra.
Qed.

Lemma delta_bounds dir p eps : valid p = true -> at_least_zero eps = true -> 0 <= delta dir p eps <= 1.
Proof.
  intros Vp Ve. unfold delta, delta_at. cbv zeta. rewrite backward_forward.
  pose proof (exp_at_least_one eps Ve) as Ha. pose proof (valid_fine p Vp) as Hf.
  pose proof (forward_bounds _ (pred (Pos.to_nat (users p))) _ Hf Ha).
  pose proof (forward_bounds _ (pred (Pos.to_nat (users p))) _ (turned_fine _ Hf) Ha).
  pose proof (scale_bounds p Vp).
  assert (M : forall x, 0 <= x <= 1 -> 0 <= scale (weights_of p) * x <= 1) by (intros; nra).
  apply M. destruct dir; trivial. now apply Rmax_case.
Qed.

(* The two directions, and the larger of them. *)
Lemma delta_both p eps : valid p = true -> delta Both p eps = Rmax (delta PQ p eps) (delta QP p eps).
Proof.
  intros H. unfold delta, delta_at. cbv zeta. symmetry. apply RmaxRmult. now apply scale_bounds.
Qed.

Lemma delta_symmetric p eps : symmetric p = true -> delta QP p eps = delta PQ p eps.
Proof.
  intros H. unfold delta, delta_at. cbv zeta. rewrite backward_forward. unfold turned, forward. cbn [w0 w1 w2 r0 r1].
  now rewrite (symmetric_true p H).
Qed.

(* A property of delta that holds upwards, or downwards, of what the tests say. *)
Lemma examine_sound lower upper (L U : R -> Prop) prec dir p eps win win' :
  (forall i x, encloses i x -> 0 <= x <= 1 -> lower i = true -> L x) -> (forall x y, x <= y -> L x -> L y) ->
  (forall i x, encloses i x -> 0 <= x <= 1 -> upper i = true -> U x) ->
  examine lower upper prec dir p eps win win' = true -> L (delta dir p eps) /\ U (delta dir p eps).
Proof.
  intros HL ML HU. unfold examine. intros H.
  apply andb_true_iff in H as [H T]. apply andb_true_iff in H as [Vp Ve].
  pose proof (enclosure_correct prec PQ p eps win Vp Ve) as A. specialize (A ltac:(congruence)).
  pose proof (fun z => enclosure_correct prec QP p eps z Vp Ve ltac:(congruence)) as B.
  pose proof (delta_bounds PQ p eps Vp Ve). pose proof (delta_bounds QP p eps Vp Ve).
  destruct dir.
  - rewrite delta_both by trivial. destruct (symmetric p) eqn:S.
    + rewrite (delta_symmetric p eps S), Rmax_left by lra. cbv zeta in T. split_andb. split; eauto.
    + cbv zeta in T. split_andb. specialize (B win'). split.
      * match goal with H : (_ || _)%bool = true |- _ => apply orb_true_iff in H; destruct H as [H|H] end.
        -- eapply ML; [apply Rmax_l | eauto].
        -- eapply ML; [apply Rmax_r | eauto].
      * apply Rmax_case; eauto.
  - cbv zeta in T. split_andb. split; eauto.
  - cbv zeta in T. split_andb. specialize (B win). split; eauto.
Qed.

(* What `check` accepts is true: the printed enclosure contains delta(eps). *)
Theorem check_sound bits win win' dir p eps lo hi :
  check bits win win' dir p eps lo hi = true -> Q2R lo <= delta dir p eps <= Q2R hi.
Proof.
  apply (examine_sound _ _ (fun x => Q2R lo <= x) (fun x => x <= Q2R hi)).
  - intros. eapply is_at_least_true; eassumption.
  - intros. lra.
  - intros. eapply is_at_most_true; eassumption.
Qed.

(* The two halves of an enclosure of eps(delta): delta(hi) <= delta and delta(lo) > delta. *)
Theorem check_at_most_sound bits win win' dir p eps hi :
  check_at_most bits win win' dir p eps hi = true -> delta dir p eps <= Q2R hi.
Proof.
  intros H. apply (examine_sound (fun _ => true) (fun i => is_at_most (Dyadic.PtoP bits) i hi)
    (fun _ => True) (fun x => x <= Q2R hi)) in H; try tauto.
  intros. eapply is_at_most_true; eassumption.
Qed.

Theorem check_above_sound bits win win' dir p eps lo :
  check_above bits win win' dir p eps lo = true -> Q2R lo < delta dir p eps.
Proof.
  intros H. apply (examine_sound (fun i => is_above (Dyadic.PtoP bits) i lo) (fun _ => true)
    (fun x => Q2R lo < x) (fun _ => True)) in H; try tauto.
  - intros. eapply is_above_true; eassumption.
  - intros. lra.
Qed.

(* `delta` of the two general pairs is what Trinomial.v says. *)
Lemma delta_clones n eps0 eps :
  delta Both (Clones n eps0) eps = clones_hockey (exp (value eps0)) (pred (Pos.to_nat n)) (exp (value eps)).
Proof.
  transitivity (delta PQ (Clones n eps0) eps).
  - unfold delta, delta_at. cbv zeta. rewrite backward_forward. unfold turned, forward. cbn. now rewrite Rmax_left by lra.
  - unfold delta, delta_at. cbn. now rewrite Rmult_1_l.
Qed.

Lemma delta_stronger n eps0 eps :
  delta Both (ClonesStronger n eps0) eps = stronger_hockey (exp (value eps0)) (pred (Pos.to_nat n)) (exp (value eps)).
Proof.
  transitivity (delta PQ (ClonesStronger n eps0) eps).
  - unfold delta, delta_at. cbv zeta. rewrite backward_forward. unfold turned, forward. cbn. now rewrite Rmax_left by lra.
  - unfold delta, delta_at. cbn. now rewrite Rmult_1_l.
Qed.
