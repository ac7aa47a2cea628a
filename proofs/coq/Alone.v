(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Certificates of the pairs without a window (../certificates.md): no other user's
 * answer helps to hide the user's, or the user's own answer says nothing. Their
 * delta is elementary (../trinomial-pair.md): pos(w0 - e^eps w1) for the trinomial
 * pair with r0 = r1 = 0, 1 for krr-strong and krr-weak with gamma = 0, and 0 for
 * krr-weak with gamma = 1. What is certified is what Certificate.v and Mixture.v
 * define, `delta` and `delta_krr_weak`; Certificate.check accepts none of these.
 * The second half says what two such values enclose: eps(delta).
 *)
From Coq Require Import Reals List ZArith NArith QArith Qreals Lra Lia Arith Bool.
From Shufbound Require Import Sum Hockey Divergence Trinomial Binomial Strata KrrPairs Instances.
From Shufbound Require Import Enclosures Certificate Mixture Certified.
Import ListNotations.
Open Scope R_scope.

(* ---- The trinomial pair with r0 = r1 = 0, and krr-strong with gamma = 0 ---- *)

(* The pairs in question, their parameters in range. *)
Definition alone (p : pair) : bool :=
  match p with
  | KrrStrong _ k g => Pos.leb 2 k && Qeq_bool g 0
  | TrinomialPair _ w0 w1 r0 r1 =>
    Qle_bool 0 w1 && Qle_bool w1 w0 && Qle_bool (w0 + w1) 1 && Qeq_bool r0 0 && Qeq_bool r1 0
  | _ => false
  end%bool.

(* w0 and w1 *)
Definition answers (p : pair) : Q * Q :=
  match p with
  | TrinomialPair _ w0 w1 _ _ => (w0, w1)
  | _ => (1, 0)%Q
  end.

(* w0 - alpha w1, if it is seen to be a rational number, *)
Definition exact_rest (w : Q * Q) (eps : number) : option Q :=
  match eps with
  | Logarithm e => Some (fst w - e * snd w)%Q
  | Rational e => if (Qeq_bool e 0 || Qeq_bool (snd w) 0)%bool then Some (fst w - snd w)%Q else None
  end.

(* and in any case. *)
Definition rest_enclosure (prec : precision) (w : Q * Q) (eps : number) : interval :=
  minus prec (fraction prec (fst w)) (times prec (exp_of prec eps) (fraction prec (snd w))).

(* q <= w0 - alpha w1, w0 - alpha w1 <= q, q < w0 - alpha w1 *)
Definition rest_at_least (prec : precision) (w : Q * Q) (eps : number) (q : Q) : bool :=
  match exact_rest w eps with
  | Some x => Qle_bool q x
  | None => is_nonneg (minus prec (rest_enclosure prec w eps) (fraction prec q))
  end.
Definition rest_at_most (prec : precision) (w : Q * Q) (eps : number) (q : Q) : bool :=
  match exact_rest w eps with
  | Some x => Qle_bool x q
  | None => is_nonneg (minus prec (fraction prec q) (rest_enclosure prec w eps))
  end.
Definition rest_above (prec : precision) (w : Q * Q) (eps : number) (q : Q) : bool :=
  match exact_rest w eps with
  | Some x => Qlt_bool q x
  | None => is_positive (minus prec (rest_enclosure prec w eps) (fraction prec q))
  end.

(* lo <= delta(eps) <= hi, delta(eps) <= hi, lo < delta(eps); bits of precision first *)
Definition check_alone (bits : positive) (dir : direction) (p : pair) (eps : number) (lo hi : Q) : bool :=
  let prec := Dyadic.PtoP bits in
  (alone p && at_least_zero eps && (Qle_bool lo 0 || rest_at_least prec (answers p) eps lo) &&
   Qle_bool 0 hi && rest_at_most prec (answers p) eps hi)%bool.
Definition check_alone_at_most (bits : positive) (dir : direction) (p : pair) (eps : number) (hi : Q) : bool :=
  (alone p && at_least_zero eps && Qle_bool 0 hi && rest_at_most (Dyadic.PtoP bits) (answers p) eps hi)%bool.
Definition check_alone_above (bits : positive) (dir : direction) (p : pair) (eps : number) (lo : Q) : bool :=
  (alone p && at_least_zero eps && (Qlt_bool lo 0 || rest_above (Dyadic.PtoP bits) (answers p) eps lo))%bool.

(* ---- krr-weak with gamma = 0 or 1 ---- *)

Definition weak_alone (k : positive) (gamma : Q) (eps : number) : bool :=
  (Pos.leb 2 k && (Qeq_bool gamma 0 || Qeq_bool gamma 1) && at_least_zero eps)%bool.

(* delta *)
Definition weak_alone_value (gamma : Q) : Q := if Qeq_bool gamma 0 then 1 else 0.

Definition check_weak_alone (n k : positive) (gamma : Q) (eps : number) (lo hi : Q) : bool :=
  (weak_alone k gamma eps && Qle_bool lo (weak_alone_value gamma) && Qle_bool (weak_alone_value gamma) hi)%bool.
Definition check_weak_alone_at_most (n k : positive) (gamma : Q) (eps : number) (hi : Q) : bool :=
  (weak_alone k gamma eps && Qle_bool (weak_alone_value gamma) hi)%bool.
Definition check_weak_alone_above (n k : positive) (gamma : Q) (eps : number) (lo : Q) : bool :=
  (weak_alone k gamma eps && Qlt_bool lo (weak_alone_value gamma))%bool.

(* ---- Soundness ---- *)

Ltac rational_facts :=
  split_andb;
  repeat match goal with
  | H : Qle_bool _ _ = true |- _ => apply Qle_bool_R in H
  | H : Qlt_bool _ _ = true |- _ => apply Qlt_bool_R in H
  | H : Qeq_bool _ _ = true |- _ => apply Qeq_bool_R in H
  | H : Pos.leb 2 ?k = true |- _ => apply Pos_leb_R in H
  end;
  rewrite ?Q2R_plus, ?Q2R_zero, ?Q2R_one in *.

(* What the weights of such a pair are. *)
Lemma alone_weights p : alone p = true ->
  let w := weights_of p in
  0 <= w1 w <= w0 w /\ 0 <= w2 w /\ r0 w = 0 /\ r1 w = 0 /\ scale w = 1 /\
  w0 w = Q2R (fst (answers p)) /\ w1 w = Q2R (snd (answers p)).
Proof.
  destruct p as [n x|n x|n x|n k x|n k x|n k g|n a0 a1 b0 b1]; cbn [alone]; try discriminate; intros H; rational_facts;
    cbn [weights_of answers w0 w1 w2 r0 r1 scale fst snd]; rewrite ?Q2R_zero, ?Q2R_one.
  - match goal with H : Q2R g = 0 |- _ => rewrite H end. unfold Rdiv. repeat split; lra.
  - repeat split; lra.
Qed.

(* delta of these pairs in closed form, in every direction. *)
Theorem delta_at_alone dir p alpha : alone p = true -> 1 <= alpha ->
  delta_at dir p alpha = pos (Q2R (fst (answers p)) - alpha * Q2R (snd (answers p))).
Proof.
  intros Hp Ha. pose proof (alone_weights p Hp) as (A & B & C & D & E & F & G). cbv zeta in *.
  rewrite <- F, <- G. unfold delta_at. cbv zeta. rewrite E, Rmult_1_l, backward_forward.
  unfold turned, forward. cbn [w0 w1 w2 r0 r1]. rewrite C, D, trinomial_alone by trivial.
  destruct dir; trivial. now apply Rmax_left, Rle_refl.
Qed.

Theorem delta_alone dir p eps : alone p = true -> at_least_zero eps = true ->
  delta dir p eps = pos (Q2R (fst (answers p)) - exp (value eps) * Q2R (snd (answers p))).
Proof. intros Hp He. apply delta_at_alone; trivial. now apply exp_at_least_one. Qed.

Lemma exact_rest_true w eps x : at_least_zero eps = true -> exact_rest w eps = Some x ->
  Q2R x = Q2R (fst w) - exp (value eps) * Q2R (snd w).
Proof.
  destruct eps as [e|e]; cbn [exact_rest value]; intros He H.
  - destruct (_ || _)%bool eqn:E; [|discriminate]. injection H as <-. rewrite Q2R_minus.
    apply orb_true_iff in E as [E|E]; apply Qeq_bool_R in E; rewrite E, Q2R_zero; rewrite ?exp_0; ring.
  - injection H as <-. now rewrite Q2R_minus, Q2R_mult, exp_log.
Qed.

Lemma rest_encloses prec w eps : at_least_zero eps = true ->
  encloses (rest_enclosure prec w eps) (Q2R (fst w) - exp (value eps) * Q2R (snd w)).
Proof.
  intros He. apply minus_encloses; [apply fraction_encloses|].
  apply times_encloses; [now apply exp_of_encloses | apply fraction_encloses].
Qed.

Section Rest.
  Variables (prec : precision) (w : Q * Q) (eps : number) (q : Q).
  Hypothesis He : at_least_zero eps = true.
  Let x : R := Q2R (fst w) - exp (value eps) * Q2R (snd w).

  Lemma rest_at_least_true : rest_at_least prec w eps q = true -> Q2R q <= x.
  Proof.
    unfold rest_at_least. destruct (exact_rest w eps) as [y|] eqn:E; intros H.
    - apply exact_rest_true in E; trivial. fold x in E. rewrite <- E. now apply Qle_bool_R.
    - apply (is_nonneg_true _ (x - Q2R q)) in H; [lra|].
      apply minus_encloses; [now apply rest_encloses | apply fraction_encloses].
  Qed.

  Lemma rest_at_most_true : rest_at_most prec w eps q = true -> x <= Q2R q.
  Proof.
    unfold rest_at_most. destruct (exact_rest w eps) as [y|] eqn:E; intros H.
    - apply exact_rest_true in E; trivial. fold x in E. rewrite <- E. now apply Qle_bool_R.
    - apply (is_nonneg_true _ (Q2R q - x)) in H; [lra|].
      apply minus_encloses; [apply fraction_encloses | now apply rest_encloses].
  Qed.

  Lemma rest_above_true : rest_above prec w eps q = true -> Q2R q < x.
  Proof.
    unfold rest_above. destruct (exact_rest w eps) as [y|] eqn:E; intros H.
    - apply exact_rest_true in E; trivial. fold x in E. rewrite <- E. now apply Qlt_bool_R.
    - apply (is_positive_true _ (x - Q2R q)) in H; [lra|].
      apply minus_encloses; [now apply rest_encloses | apply fraction_encloses].
  Qed.
End Rest.

Lemma above_pos x y : y < 0 \/ y < x -> y < pos x.
Proof. intros H. pose proof (pos_ge x). pose proof (pos_nonneg x). lra. Qed.

Lemma at_least_pos x y : y <= 0 \/ y <= x -> y <= pos x.
Proof. intros H. pose proof (pos_ge x). pose proof (pos_nonneg x). lra. Qed.

(* What the three checks accept is true. *)
Theorem check_alone_sound bits dir p eps lo hi :
  check_alone bits dir p eps lo hi = true -> Q2R lo <= delta dir p eps <= Q2R hi.
Proof.
  unfold check_alone. cbv zeta. intros H. apply andb_true_iff in H as [H U]. apply andb_true_iff in H as [H Z].
  apply andb_true_iff in H as [H L]. apply andb_true_iff in H as [Hp He]. rewrite delta_alone by trivial. split.
  - apply at_least_pos. apply orb_true_iff in L as [L|L].
    + apply Qle_bool_R in L. rewrite Q2R_zero in L. now left.
    + right. now apply (rest_at_least_true (Dyadic.PtoP bits)).
  - apply Qle_bool_R in Z. rewrite Q2R_zero in Z. apply pos_lub; trivial.
    now apply (rest_at_most_true (Dyadic.PtoP bits)).
Qed.

Theorem check_alone_at_most_sound bits dir p eps hi :
  check_alone_at_most bits dir p eps hi = true -> delta dir p eps <= Q2R hi.
Proof.
  unfold check_alone_at_most. intros H. apply andb_true_iff in H as [H U]. apply andb_true_iff in H as [H Z].
  apply andb_true_iff in H as [Hp He]. rewrite delta_alone by trivial.
  apply Qle_bool_R in Z. rewrite Q2R_zero in Z. apply pos_lub; trivial.
  now apply (rest_at_most_true (Dyadic.PtoP bits)).
Qed.

Theorem check_alone_above_sound bits dir p eps lo :
  check_alone_above bits dir p eps lo = true -> Q2R lo < delta dir p eps.
Proof.
  unfold check_alone_above. intros H. apply andb_true_iff in H as [H L].
  apply andb_true_iff in H as [Hp He]. rewrite delta_alone by trivial.
  apply above_pos. apply orb_true_iff in L as [L|L].
  - apply Qlt_bool_R in L. rewrite Q2R_zero in L. now left.
  - right. now apply (rest_above_true (Dyadic.PtoP bits)).
Qed.

(* krr-weak with gamma = 0: nobody answers at random, and every answer is seen. *)
Lemma bin_zero n : bin 0 n 0 = 1.
Proof. induction n as [|n IH]; cbn [bin before]; [reflexivity|]. rewrite IH. ring. Qed.

Lemma bin_zero_above n b : bin 0 n (S b) = 0.
Proof.
  revert b. induction n as [|n IH]; intros b; [reflexivity|]. cbn [bin before]. rewrite (IH b). ring.
Qed.

Theorem krr_weak_no_blanket k N alpha : 2 <= k -> 1 <= alpha -> krr_weak_hockey 0 k N alpha = 1.
Proof.
  intros Hk Ha. rewrite krr_weak_mixture by lra. cbn [seq]. cbn [sum].
  rewrite (sum_null (seq 1 N)).
  - rewrite bin_zero. unfold krr_weak_given, krr_weak_w0, krr_weak_w1, krr_weak_w2.
    change (trinomial_hockey ?a ?b ?c (1 / k) (1 / k) 0 alpha) with (trinomial_hockey a b c 0 0 0 alpha).
    rewrite trinomial_alone by (unfold Rdiv; lra). rewrite pos_id; unfold Rdiv; lra.
  - intros b Hb. apply in_seq in Hb. replace b with (S (pred b)) by lia. rewrite bin_zero_above. ring.
Qed.

(* With gamma = 1 everybody does. *)
Theorem krr_weak_all_random k N alpha : 2 <= k -> 1 <= alpha -> krr_weak_hockey 1 k N alpha = 0.
Proof.
  intros Hk Ha. apply krr_weak_zero; try lra. unfold krr_weak_u, krr_weak_w0, krr_weak_w1.
  assert (0 <= 1 / k) by (apply over_k; lra). nra.
Qed.

Lemma delta_weak_alone n k gamma eps : weak_alone k gamma eps = true ->
  delta_krr_weak n k gamma eps = Q2R (weak_alone_value gamma).
Proof.
  unfold weak_alone. intros H. apply andb_true_iff in H as [H He]. apply andb_true_iff in H as [Hk Hg].
  apply Pos_leb_R in Hk. pose proof (exp_at_least_one eps He). unfold delta_krr_weak, weak_alone_value.
  destruct (Qeq_bool gamma 0) eqn:E; cbn [orb] in Hg.
  - apply Qeq_bool_R in E. now rewrite E, Q2R_zero, Q2R_one, krr_weak_no_blanket.
  - apply Qeq_bool_R in Hg. now rewrite Hg, Q2R_zero, Q2R_one, krr_weak_all_random.
Qed.

Theorem check_weak_alone_sound n k gamma eps lo hi :
  check_weak_alone n k gamma eps lo hi = true -> Q2R lo <= delta_krr_weak n k gamma eps <= Q2R hi.
Proof.
  unfold check_weak_alone. intros H. apply andb_true_iff in H as [H U]. apply andb_true_iff in H as [V L].
  rewrite delta_weak_alone by trivial. split; now apply Qle_bool_R.
Qed.

Theorem check_weak_alone_at_most_sound n k gamma eps hi :
  check_weak_alone_at_most n k gamma eps hi = true -> delta_krr_weak n k gamma eps <= Q2R hi.
Proof.
  unfold check_weak_alone_at_most. intros H. apply andb_true_iff in H as [V U].
  rewrite delta_weak_alone by trivial. now apply Qle_bool_R.
Qed.

Theorem check_weak_alone_above_sound n k gamma eps lo :
  check_weak_alone_above n k gamma eps lo = true -> Q2R lo < delta_krr_weak n k gamma eps.
Proof.
  unfold check_weak_alone_above. intros H. apply andb_true_iff in H as [V L].
  rewrite delta_weak_alone by trivial. now apply Qlt_bool_R.
Qed.

(* ---- The smallest eps ---- *)

(* Of a non-increasing profile: f(hi) <= D makes hi and everything above it do for D,
   and D < f(lo) makes whatever does lie above lo. *)
Lemma enclosed_by_two (f : R -> R) D lo hi : (forall a b, a <= b -> f b <= f a) -> D < f (exp lo) -> f (exp hi) <= D ->
  (forall x, hi <= x -> f (exp x) <= D) /\ (forall x, f (exp x) <= D -> lo < x).
Proof.
  intros F L H. assert (E : forall x y, x <= y -> exp x <= exp y).
  { intros x y [X|X]; [left; now apply exp_increasing | right; now rewrite X]. }
  split; intros x X.
  - eapply Rle_trans; [apply F, E, X | exact H].
  - destruct (Rlt_le_dec lo x) as [|Y]; trivial. pose proof (F _ _ (E _ _ Y)). lra.
Qed.

(* delta of the pairs of the first half does not increase, as Certified.delta_at_decreasing
   has it for the others; *)
Theorem delta_at_alone_decreasing dir p a b : alone p = true -> a <= b -> delta_at dir p b <= delta_at dir p a.
Proof.
  intros V H. pose proof (alone_weights p V) as (A & B & C & D & E & _). cbv zeta in *.
  unfold delta_at. cbv zeta. rewrite E, !Rmult_1_l.
  set (w := weights_of p) in *. set (N := pred (Pos.to_nat (users p))).
  assert (F : forward w N b <= forward w N a) by (apply hockey_decreasing; trivial; apply with_user_mass; lra).
  assert (G : backward w N b <= backward w N a) by (apply hockey_decreasing; trivial; apply with_user_mass; lra).
  destruct dir; trivial. apply Rmax_lub.
  - eapply Rle_trans; [exact F | apply Rmax_l].
  - eapply Rle_trans; [exact G | apply Rmax_r].
Qed.

(* so that the smallest eps for D is in (lo, hi]. *)
Theorem epsilon_alone_enclosed dir p D lo hi : alone p = true -> D < delta dir p lo -> delta dir p hi <= D ->
  (forall x, value hi <= x -> delta_at dir p (exp x) <= D) /\
  (forall x, delta_at dir p (exp x) <= D -> value lo < x).
Proof.
  intros V L H. apply (enclosed_by_two (delta_at dir p)); trivial.
  intros a b. now apply delta_at_alone_decreasing.
Qed.

(* The same of krr-weak, for every gamma. *)
Theorem krr_weak_decreasing gamma k N a b : 0 <= gamma <= 1 -> 2 <= k -> a <= b ->
  krr_weak_hockey gamma k N b <= krr_weak_hockey gamma k N a.
Proof. intros Hg Hk H. apply hockey_decreasing; trivial. now apply krr_weak_laws. Qed.

Theorem epsilon_weak_enclosed n k gamma D lo hi :
  (Pos.leb 2 k && Qle_bool 0 gamma && Qle_bool gamma 1)%bool = true ->
  D < delta_krr_weak n k gamma lo -> delta_krr_weak n k gamma hi <= D ->
  let delta_at_alpha := krr_weak_hockey (Q2R gamma) (IZR (Zpos k)) (pred (Pos.to_nat n)) in
  (forall x, value hi <= x -> delta_at_alpha (exp x) <= D) /\
  (forall x, delta_at_alpha (exp x) <= D -> value lo < x).
Proof.
  intros V L H. rational_facts. cbv zeta. unfold delta_krr_weak in L, H.
  apply (enclosed_by_two (krr_weak_hockey (Q2R gamma) (IZR (Zpos k)) (pred (Pos.to_nat n)))); trivial.
  intros a b. apply krr_weak_decreasing; lra.
Qed.

(* delta of KrrStrong with gamma = 0 is what the adversary of krr-strong sees, as
   Certified.delta_krr_strong has it for gamma > 0. *)
Theorem delta_krr_strong_alone n k g eps : alone (KrrStrong n k g) = true -> at_least_zero eps = true ->
  delta Both (KrrStrong n k g) eps = krr_strong_hockey (Q2R g) (IZR (Zpos k)) (pred (Pos.to_nat n)) (exp (value eps)).
Proof.
  intros V E. pose proof (exp_at_least_one eps E). rewrite delta_alone by trivial.
  cbn [answers fst snd]. cbn [alone] in V. rational_facts.
  match goal with H : Q2R g = 0 |- _ => rewrite H end. rewrite krr_strong_no_blanket by trivial.
  rewrite pos_id; lra.
Qed.

(* Values that are met exactly: 3/4 - 2 * 1/8 = 1/2 at eps = log 2, 1, and 0. *)
Example exactly_half : Q2R (1 # 2) <= delta Both (TrinomialPair 5 (3 # 4) (1 # 8) 0 0) (Logarithm 2) <= Q2R (1 # 2).
Proof. apply (check_alone_sound 100). vm_cast_no_check (eq_refl true). Qed.

Example exactly_one : Q2R 1 <= delta Both (KrrStrong 1000 4 0) (Rational (1 # 2)) <= Q2R 1.
Proof. apply (check_alone_sound 100). vm_cast_no_check (eq_refl true). Qed.

Example exactly_zero : Q2R 0 <= delta_krr_weak 1000 4 1 (Rational 0) <= Q2R 0.
Proof. apply check_weak_alone_sound. vm_cast_no_check (eq_refl true). Qed.
