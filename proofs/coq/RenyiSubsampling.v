(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Renyi divergences of subsampled mechanisms, integer orders: ../subsample.md,
 * "Poisson sampling" (backward), "Wang, Balle, Kasiviswanathan (Theorem 9)" and
 * "Dominated base". The forward direction of Poisson sampling and the bound by
 * joint convexity are in RenyiConvex.v.
 *)
From Coq Require Import Reals List Lra Lia Arith Psatz Bool.
From Shufbound Require Import Sum Hockey Divergence Composition Renyi Subsampling RenyiConvex ConvexOrder.
Import ListNotations.
Open Scope R_scope.

(* ---- (1+v)^-N by its second-order remainder ---- *)

(* The sum of (N + 1 - i) (1+v)^-i, i = 1 .. N. *)
Definition remainder (N : nat) (v : R) : R := sum (seq 1 N) (fun i => INR (S N - i) * / (1 + v) ^ i).

Lemma geometric N v : 0 < 1 + v -> v * sum (seq 1 N) (fun i => / (1 + v) ^ i) = 1 - / (1 + v) ^ N.
Proof.
  intros H. induction N as [|N IH]; [cbn; lra|].
  rewrite seq_S, sum_app, Rmult_plus_distr_l, IH. cbn [sum Nat.add pow].
  assert (0 < (1 + v) ^ N) by now apply pow_lt. field. lra.
Qed.

Theorem remainder_spec N v : 0 < 1 + v -> / (1 + v) ^ N - 1 + INR N * v = v ^ 2 * remainder N v.
Proof.
  intros H. induction N as [|N IH]; [unfold remainder; cbn; lra|].
  assert (E : remainder (S N) v = remainder N v + sum (seq 1 (S N)) (fun i => / (1 + v) ^ i)).
  { unfold remainder. rewrite !seq_S, !sum_app. cbn [sum Nat.add].
    replace (S (S N) - S N)%nat with 1%nat by lia.
    rewrite (sum_ext (seq 1 N) (fun i => INR (S (S N) - i) * / (1 + v) ^ i)
               (fun i => INR (S N - i) * / (1 + v) ^ i + / (1 + v) ^ i)).
    - rewrite sum_plus. cbn [INR]. lra.
    - intros i I. apply in_seq in I. replace (S (S N) - i)%nat with (S (S N - i)) by lia. rewrite S_INR. ring. }
  rewrite E, Rmult_plus_distr_l, <- IH.
  replace (v ^ 2 * sum (seq 1 (S N)) (fun i => / (1 + v) ^ i))
    with (v * (v * sum (seq 1 (S N)) (fun i => / (1 + v) ^ i))) by ring.
  rewrite geometric by exact H. rewrite S_INR. cbn [pow].
  assert (0 < (1 + v) ^ N) by now apply pow_lt. field. lra.
Qed.

(* It falls. *)
Lemma remainder_falls N v w : 0 < 1 + v -> v <= w -> remainder N w <= remainder N v.
Proof.
  intros H VW. apply sum_le. intros i _. apply Rmult_le_compat_l; [apply pos_INR|].
  apply Rinv_le_contravar; [now apply pow_lt|]. apply pow_incr. lra.
Qed.

(* At 0 it is N (N+1)/2, the binomial coefficient C(N+1, 2). *)
Lemma remainder_zero N : remainder N 0 = INR N * INR (S N) / 2.
Proof.
  unfold remainder. rewrite (sum_ext _ _ (fun i => INR (S N - i))).
  - induction N as [|N IH]; [cbn; lra|]. cbn [seq sum]. rewrite <- seq_shift, sum_map.
    rewrite (sum_ext _ _ (fun i => INR (S N - i))) by reflexivity. rewrite IH.
    replace (S (S N) - 1)%nat with (S N) by lia. rewrite !S_INR. field.
  - intros i _. rewrite Rplus_0_r, pow1, Rinv_1. ring.
Qed.

(* ---- Poisson sampling, backward ---- *)

(*
 * p is the output's law without the record, q with it sampled, so the other law is
 * m = (1-gamma) p + gamma q. If q >= (1-u) p, u < 1 (losses of at most L, u =
 * 1 - e^-L), the moment of order N + 1 of p against m is at most
 * 1 + gamma^2 remainder (M_2(q||p) - 1).
 *)
Theorem poisson_backward {A} (l : list A) p q gamma u N :
  0 <= gamma <= 1 -> 0 <= u < 1 -> law l p -> law l q -> continuous l q p ->
  (forall x, In x l -> (1 - u) * p x <= q x) ->
  moment (INR (S N)) l p (sampled gamma p q)
  <= 1 + gamma ^ 2 * remainder N (- (gamma * u)) * (sum l (fun x => p x * (q x / p x) ^ 2) - 1).
Proof.
  intros G U [MP SP] [MQ SQ] HC HU.
  assert (GU : 0 < 1 + - (gamma * u)) by nra.
  assert (MS : mass l (sampled gamma p q)).
  { intros x X. specialize (MP x X). specialize (MQ x X). unfold sampled. nra. }
  rewrite moment_nat by (trivial; lia).
  set (K := remainder N (- (gamma * u))).
  apply Rle_trans with (sum l (fun x => p x - INR N * gamma * (q x - p x)
    + gamma ^ 2 * K * (p x * (q x / p x) ^ 2 - 2 * q x + p x))).
  - apply sum_le. intros x X. specialize (HU x X). specialize (HC x X).
    destruct (MP x X) as [P0|P0].
    + set (r := q x / p x). assert (QR : q x = p x * r) by (unfold r; field; lra).
      assert (RU : 1 - u <= r) by (rewrite QR in HU; apply Rmult_le_reg_l with (p x); lra).
      set (v := gamma * (r - 1)).
      assert (V : - (gamma * u) <= v) by (unfold v; nra).
      assert (E : sampled gamma p q x = p x * (1 + v)) by (unfold sampled, v; rewrite QR; ring).
      rewrite E. replace (p x / (p x * (1 + v))) with (/ (1 + v)) by (field; lra).
      cbn [pow]. rewrite pow_inv.
      replace (p x * (1 + v) * (/ (1 + v) * / (1 + v) ^ N)) with (p x * / (1 + v) ^ N)
        by (assert (0 < (1 + v) ^ N) by (apply pow_lt; lra); field; lra).
      pose proof (remainder_spec N v ltac:(lra)) as RS.
      pose proof (remainder_falls N _ v GU V) as RF. fold K in RF.
      assert (v ^ 2 * remainder N v <= v ^ 2 * K) as RK by (apply Rmult_le_compat_l; [apply pow2_ge_0 | exact RF]).
      rewrite QR. replace (p x - INR N * gamma * (p x * r - p x)
        + gamma * (gamma * 1) * K * (p x * (r * (r * 1)) - 2 * (p x * r) + p x))
        with (p x * (1 - INR N * v + v ^ 2 * K)) by (unfold v; ring).
      apply Rmult_le_compat_l; lra.
    + rewrite HC, <- P0 by auto. unfold Rdiv at 1. rewrite Rmult_0_l, pow_i by lia. lra.
  - rewrite sum_plus, sum_minus, !sum_scal, sum_plus, !sum_minus, sum_scal, SP, SQ. lra.
Qed.

(* With a bound B of M_2(q||p). *)
Corollary poisson_backward_bound {A} (l : list A) p q gamma u N B :
  0 <= gamma <= 1 -> 0 <= u < 1 -> law l p -> law l q -> continuous l q p ->
  (forall x, In x l -> (1 - u) * p x <= q x) ->
  moment 2 l q p <= B ->
  moment (INR (S N)) l p (sampled gamma p q) <= 1 + gamma ^ 2 * remainder N (- (gamma * u)) * (B - 1).
Proof.
  intros G U LP LQ HC HU HB. eapply Rle_trans; [now apply (poisson_backward l p q gamma u)|].
  change 2 with (INR 2) in HB. rewrite moment_nat in HB by (lia || apply LQ || apply LP).
  apply Rplus_le_compat_l, Rmult_le_compat_l; [|lra].
  apply Rmult_le_pos; [apply pow2_ge_0|]. apply sum_nonneg. intros i _.
  apply Rmult_le_pos; [apply pos_INR|]. apply Rlt_le, Rinv_0_lt_compat, pow_lt. nra.
Qed.

(* The remainder in closed form, as the C code has it. *)
Lemma remainder_closed N gamma u :
  0 < gamma <= 1 -> 0 < u < 1 ->
  gamma ^ 2 * remainder N (- (gamma * u)) = (/ (1 - gamma * u) ^ N - 1 - INR N * (gamma * u)) / u ^ 2.
Proof.
  intros G U. pose proof (remainder_spec N (- (gamma * u)) ltac:(nra)) as R0.
  replace (1 + - (gamma * u)) with (1 - gamma * u) in R0 by ring.
  replace (/ (1 - gamma * u) ^ N - 1 - INR N * (gamma * u))
    with ((- (gamma * u)) ^ 2 * remainder N (- (gamma * u))) by (rewrite <- R0; ring).
  field. lra.
Qed.

(* ---- a subset of fixed size: Wang, Balle, Kasiviswanathan ---- *)

(* C(n, j) >= 0. *)
Lemma binomial_nonneg n j : 0 <= C n j.
Proof.
  unfold C. apply Rlt_le, Rdiv_lt_0_compat; [apply INR_fact_lt_0|]. apply Rmult_lt_0_compat; apply INR_fact_lt_0.
Qed.

(* The sum of m (|p1 - q1|/m)^j. *)
Definition spread {A} (j : nat) (l : list A) (p1 q1 m : A -> R) : R := moment (INR j) l (fun x => Rabs (p1 x - q1 x)) m.

(* The sum over j = 2 .. n. *)
Definition from_two (n : nat) (f : nat -> R) : R := sum (seq 2 (n - 1)) f.

Lemma sum_from_two n f : (1 <= n)%nat -> sum (seq 0 (S n)) f = f 0%nat + f 1%nat + from_two n f.
Proof.
  intros H. unfold from_two. destruct n as [|n]; [lia|]. cbn [seq sum]. replace (S n - 1)%nat with n by lia. lra.
Qed.

Section Wang.
  Context {A : Type} (l : list A) (p0 p1 q1 : A -> R) (gamma : R).
  Hypothesis law_p0 : law l p0.
  Hypothesis law_p1 : law l p1.
  Hypothesis law_q1 : law l q1.
  Hypothesis continuous_p : continuous l p1 p0.
  Hypothesis continuous_q : continuous l q1 p0.
  Hypothesis continuous_pq : continuous l p1 q1.
  Hypothesis rate : 0 <= gamma <= 1.

  Lemma difference_continuous :
    continuous l (fun x => Rabs (p1 x - q1 x)) p0 /\ continuous l (fun x => Rabs (p1 x - q1 x)) q1.
  Proof.
    split; intros x X E.
    - rewrite (continuous_p x X E), (continuous_q x X E), Rminus_0_r. apply Rabs_R0.
    - rewrite (continuous_pq x X E), E, Rminus_0_r. apply Rabs_R0.
  Qed.

  Lemma sampled_mass : mass l (sampled gamma p0 q1).
  Proof.
    intros x X. destruct law_p0 as [MP _], law_q1 as [MQ _]. specialize (MP x X). specialize (MQ x X).
    unfold sampled. nra.
  Qed.

  (* Joint convexity: in place of Q the larger of p0 and q1. *)
  Lemma spread_sampled j t :
    (1 <= j)%nat -> spread j l p1 q1 p0 <= t -> spread j l p1 q1 q1 <= t -> spread j l p1 q1 (sampled gamma p0 q1) <= t.
  Proof.
    intros J T0 T1. destruct difference_continuous as [C0 C1].
    assert (J1 : 1 <= INR j) by (change 1 with (INR 1); now apply le_INR).
    assert (NN : mass l (fun x => Rabs (p1 x - q1 x))) by (intros x _; apply Rabs_pos).
    pose proof (moment_mixture (INR j) [true; false] (fun b : bool => if b then gamma else 1 - gamma) l
      (fun _ x => Rabs (p1 x - q1 x)) (fun b : bool => if b then q1 else p0) J1) as M.
    cbn [sum] in M. unfold spread in *.
    assert (E : moment (INR j) l (fun x => Rabs (p1 x - q1 x)) (sampled gamma p0 q1)
      = moment (INR j) l (fun x => gamma * Rabs (p1 x - q1 x) + ((1 - gamma) * Rabs (p1 x - q1 x) + 0))
          (fun x => gamma * q1 x + ((1 - gamma) * p0 x + 0))).
    { apply sum_ext. intros x _. unfold sampled.
      replace ((1 - gamma) * p0 x + gamma * q1 x) with (gamma * q1 x + ((1 - gamma) * p0 x + 0)) by ring.
      replace (gamma * Rabs (p1 x - q1 x) + ((1 - gamma) * Rabs (p1 x - q1 x) + 0)) with (Rabs (p1 x - q1 x)) by ring.
      reflexivity. }
    rewrite E. eapply Rle_trans; [apply M|].
    - intros [] _; lra.
    - intros [] _; (split; [exact NN|]); split; trivial; [apply law_q1 | apply law_p0].
    - assert (gamma * moment (INR j) l (fun x => Rabs (p1 x - q1 x)) q1 <= gamma * t) by (apply Rmult_le_compat_l; lra).
      assert ((1 - gamma) * moment (INR j) l (fun x => Rabs (p1 x - q1 x)) p0 <=
        (1 - gamma) * t) by (apply Rmult_le_compat_l; lra).
      lra.
  Qed.

  (* The bound with any bounds t j of the two spreads. *)
  Theorem wang19_spread n t :
    (1 <= n)%nat ->
    (forall j, (2 <= j <= n)%nat -> spread j l p1 q1 p0 <= t j /\ spread j l p1 q1 q1 <= t j) ->
    moment (INR n) l (sampled gamma p0 p1) (sampled gamma p0 q1) <= 1 + from_two n (fun j => C n j * gamma ^ j * t j).
  Proof.
    intros HN T. pose proof sampled_mass as MS.
    assert (MS' : mass l (sampled gamma p0 p1)).
    { intros x X. destruct law_p0 as [MP _], law_p1 as [MQ _]. specialize (MP x X). specialize (MQ x X).
      unfold sampled. nra. }
    rewrite moment_nat by assumption.
    set (Q := sampled gamma p0 q1) in *. set (d := fun x => p1 x - q1 x).
    assert (E : sum l (fun x => Q x * (sampled gamma p0 p1 x / Q x) ^ n)
                = sum (seq 0 (S n)) (fun j => C n j * gamma ^ j * sum l (fun x => Q x * (d x / Q x) ^ j))).
    { rewrite (sum_ext (seq 0 (S n)) _ (fun j => sum l (fun x => C n j * gamma ^ j * (Q x * (d x / Q x) ^ j))))
        by (intros; now rewrite sum_scal).
      rewrite <- sum_swap. apply sum_ext. intros x X.
      rewrite (sum_ext (seq 0 (S n)) _ (fun j => Q x * (C n j * (gamma * (d x / Q x)) ^ j * 1 ^ (n - j))))
        by (intros; rewrite Rpow_mult_distr, pow1; ring).
      rewrite sum_scal, <- sum_of_sum_f, <- binomial.
      destruct (MS x X) as [Q0|Q0]; [|rewrite <- Q0; ring].
      do 2 f_equal. assert (sampled gamma p0 p1 x = Q x + gamma * d x) as -> by (unfold Q, sampled, d; ring).
      field. lra. }
    rewrite E, sum_from_two by exact HN.
    assert (C0 : C n 0 * gamma ^ 0 * sum l (fun x => Q x * (d x / Q x) ^ 0) = 1).
    { unfold C. rewrite Nat.sub_0_r. cbn [pow fact INR]. rewrite sum_scal_r.
      assert (sum l Q = 1) as ->; [|field; apply INR_fact_neq_0].
      unfold Q, sampled. rewrite sum_plus, !sum_scal. destruct law_p0 as [_ ->], law_q1 as [_ ->]. ring. }
    assert (C1 : sum l (fun x => Q x * (d x / Q x) ^ 1) = 0).
    { rewrite (sum_ext _ _ (fun x => p1 x - q1 x)).
      - rewrite sum_minus. destruct law_p1 as [_ ->], law_q1 as [_ ->]. ring.
      - intros x X. rewrite pow_1. fold (d x). destruct (MS x X) as [Q0|Q0]; [field; lra|].
        rewrite <- Q0, Rmult_0_l. unfold d.
        destruct law_p0 as [MP _], law_q1 as [MQ _]. specialize (MP x X). specialize (MQ x X).
        unfold Q, sampled in Q0.
        assert ((1 - gamma) * p0 x = 0 /\ gamma * q1 x = 0) as [Z0 Z1] by (split; nra).
        apply Rmult_integral in Z0 as [Z0|Z0].
        + apply Rmult_integral in Z1 as [Z1|Z1]; [lra|]. rewrite (continuous_pq x X Z1), Z1. ring.
        + rewrite (continuous_p x X Z0), (continuous_q x X Z0). ring. }
    rewrite C0, C1, Rmult_0_r, Rplus_0_r. apply Rplus_le_compat_l, sum_le. intros j J. apply in_seq in J.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; [apply binomial_nonneg | apply pow_le; lra]|].
    destruct (T j ltac:(lia)) as [T0 T1].
    eapply Rle_trans; [|apply (spread_sampled j (t j)); trivial; lia].
    unfold spread. rewrite moment_nat; [|lia|intros x _; apply Rabs_pos|exact MS].
    apply sum_le. intros x X. apply Rmult_le_compat_l; [now apply MS|].
    eapply Rle_trans; [apply Rle_abs|]. rewrite <- RPow_abs. apply Req_le. f_equal. fold Q.
    unfold Rdiv. rewrite Rabs_mult. f_equal. apply Rabs_pos_eq.
    destruct (MS x X) as [Q0| <-]; [now apply Rlt_le, Rinv_0_lt_compat | rewrite Rinv_0; lra].
  Qed.

  (* |p1 - q1|^j <= p1^j + q1^j. *)
  Lemma spread_sum j m :
    (1 <= j)%nat -> mass l m -> spread j l p1 q1 m <= moment (INR j) l p1 m + moment (INR j) l q1 m.
  Proof.
    intros J MM. destruct law_p1 as [MP _], law_q1 as [MQ _]. unfold spread.
    rewrite !moment_nat by (trivial; intros x _; apply Rabs_pos). rewrite <- sum_plus. apply sum_le. intros x X.
    specialize (MP x X). specialize (MQ x X). rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [now apply MM|].
    assert (I0 : 0 <= / m x) by (destruct (MM x X) as [M0| <-]; [now apply Rlt_le, Rinv_0_lt_compat | rewrite Rinv_0;
      lra]).
    assert (0 <= p1 x / m x) by (unfold Rdiv; now apply Rmult_le_pos).
    assert (0 <= q1 x / m x) by (unfold Rdiv; now apply Rmult_le_pos).
    assert (0 <= (p1 x / m x) ^ j) by now apply pow_le.
    assert (0 <= (q1 x / m x) ^ j) by now apply pow_le.
    assert (D : forall y z, 0 <= y <= z -> Rabs (z - y) <= z) by (intros y z Y; rewrite Rabs_pos_eq; lra).
    assert (B : forall w, 0 <= w -> Rabs (p1 x - q1 x) <= w -> (Rabs (p1 x - q1 x) / m x) ^ j <= (w / m x) ^ j).
    { intros w W L. apply pow_incr. split; unfold Rdiv; [apply Rmult_le_pos; [apply Rabs_pos | exact I0]|].
      now apply Rmult_le_compat_r. }
    destruct (Rle_dec (q1 x) (p1 x)) as [K|K].
    - pose proof (B (p1 x) MP (D (q1 x) (p1 x) ltac:(lra))). lra.
    - assert (Rabs (p1 x - q1 x) <= q1 x) as L by (rewrite Rabs_minus_sym; apply D; lra).
      pose proof (B (q1 x) MQ L). lra.
  Qed.

  (* |p1 - q1| <= (E-1) q1 when the ratios of p1 and q1 are at most E. *)
  Lemma spread_ratio j m E :
    (1 <= j)%nat -> mass l m -> 1 <= E ->
    (forall x, In x l -> p1 x <= E * q1 x /\ q1 x <= E * p1 x) ->
    spread j l p1 q1 m <= (E - 1) ^ j * moment (INR j) l q1 m.
  Proof.
    intros J MM HE R0. destruct law_p1 as [MP _], law_q1 as [MQ _]. unfold spread.
    rewrite !moment_nat by (trivial; intros x _; apply Rabs_pos). rewrite <- sum_scal. apply sum_le. intros x X.
    specialize (MP x X). specialize (MQ x X). destruct (R0 x X) as [RP RQ].
    replace ((E - 1) ^ j * (m x * (q1 x / m x) ^ j)) with (m x * ((E - 1) * (q1 x / m x)) ^ j)
      by (rewrite Rpow_mult_distr; ring).
    apply Rmult_le_compat_l; [now apply MM|]. apply pow_incr.
    assert (I0 : 0 <= / m x) by (destruct (MM x X) as [M0| <-]; [now apply Rlt_le, Rinv_0_lt_compat | rewrite Rinv_0;
      lra]).
    split; unfold Rdiv; [apply Rmult_le_pos; [apply Rabs_pos | exact I0]|]. rewrite <- Rmult_assoc.
    apply Rmult_le_compat_r; [exact I0|]. apply Rabs_le. split; nra.
  Qed.

  (* Order 2: at most 2 (M_2(p1||m) - 1) + 2 (M_2(q1||m) - 1). *)
  Lemma spread_two m :
    law l m -> continuous l p1 m -> continuous l q1 m ->
    spread 2 l p1 q1 m <= 2 * (moment (INR 2) l p1 m - 1) + 2 * (moment (INR 2) l q1 m - 1).
  Proof.
    intros [MM SM] CP CQ. destruct law_p1 as [MP SP], law_q1 as [MQ SQ]. unfold spread.
    rewrite !moment_nat by (try lia; trivial; intros x _; apply Rabs_pos).
    replace (2 * (sum l (fun x => m x * (p1 x / m x) ^ 2) - 1) + 2 * (sum l (fun x => m x * (q1 x / m x) ^ 2) - 1))
      with (sum l (fun x => 2 * (m x * (p1 x / m x) ^ 2 - (2 * p1 x - m x)) + 2 * (m x * (q1 x / m x) ^ 2 -
        (2 * q1 x - m x))))
      by (rewrite sum_plus, !sum_scal, !sum_minus, !sum_scal, SP, SQ, SM; ring).
    apply sum_le. intros x X. specialize (CP x X). specialize (CQ x X). destruct (MM x X) as [M0|M0].
    - set (u := p1 x / m x). set (v := q1 x / m x).
      assert (UE : p1 x = m x * u) by (unfold u; field; lra). assert (VE : q1 x = m x * v) by (unfold v; field; lra).
      assert (Rabs (p1 x - q1 x) / m x = Rabs (u - v)) as ->.
      { rewrite UE, VE. replace (m x * u - m x * v) with (m x * (u - v)) by ring.
        rewrite Rabs_mult, (Rabs_pos_eq (m x)) by lra. field. lra. }
      rewrite RPow_abs, Rabs_pos_eq by apply pow2_ge_0. rewrite UE, VE.
      replace (2 * (m x * u ^ 2 - (2 * (m x * u) - m x)) + 2 * (m x * v ^ 2 - (2 * (m x * v) - m x)))
        with (m x * (2 * (u - 1) ^ 2 + 2 * (v - 1) ^ 2)) by ring.
      apply Rmult_le_compat_l; [lra|]. pose proof (pow2_ge_0 (u - 1 + (v - 1))). nra.
    - rewrite CP, CQ, <- M0 by auto. lra.
  Qed.

  (*
   * Wang, Balle and Kasiviswanathan, Theorem 9, as in ../subsample.md: B j bounds
   * the moments between any two of the laws, E the ratios of p1 and q1.
   *)
  Definition wang_term (B : nat -> R) (E : R) (j : nat) : R :=
    match j with
    | 2%nat => Rmin (4 * (B 2%nat - 1)) (B 2%nat * Rmin 2 ((E - 1) ^ 2))
    | _ => B j * Rmin 2 ((E - 1) ^ j)
    end.

  Theorem wang19 n B E :
    (1 <= n)%nat -> 1 <= E ->
    (forall x, In x l -> p1 x <= E * q1 x /\ q1 x <= E * p1 x) ->
    (forall j, (2 <= j <= n)%nat ->
       moment (INR j) l p1 p0 <= B j /\ moment (INR j) l q1 p0 <= B j /\ moment (INR j) l p1 q1 <= B j) ->
    moment (INR n) l (sampled gamma p0 p1) (sampled gamma p0 q1)
    <= 1 + from_two n (fun j => C n j * gamma ^ j * wang_term B E j).
  Proof.
    intros HN HE R0 HB. apply wang19_spread; [exact HN|]. intros j J. destruct (HB j J) as (B1 & B2 & B3).
    pose proof law_p0 as [M0 S0]. pose proof law_q1 as [M1 S1].
    assert (J1 : 1 <= INR j) by (change 1 with (INR 1); apply le_INR; lia).
    assert (Q1 : moment (INR j) l q1 q1 = 1) by (rewrite moment_same; trivial).
    assert (BJ : 1 <= B j) by (pose proof (moment_at_least_one (INR j) l p1 q1 J1 law_p1 law_q1 continuous_pq); lra).
    assert (EP : 0 <= (E - 1) ^ j) by (apply pow_le; lra).
    assert (G : forall m, law l m -> continuous l p1 m -> continuous l q1 m ->
              moment (INR j) l p1 m <= B j -> moment (INR j) l q1 m <= B j ->
              spread j l p1 q1 m <= B j * Rmin 2 ((E - 1) ^ j)
              /\ (j = 2%nat -> spread j l p1 q1 m <= 4 * (B j - 1))).
    { intros m LM CP CQ BP BQ. split.
      - pose proof (spread_sum j m ltac:(lia) (proj1 LM)).
        pose proof (spread_ratio j m E ltac:(lia) (proj1 LM) HE R0).
        assert ((E - 1) ^ j * moment (INR j) l q1 m <= (E - 1) ^ j * B j) by now apply Rmult_le_compat_l.
        unfold Rmin. destruct (Rle_dec 2 ((E - 1) ^ j)); lra.
      - intros ->. pose proof (spread_two m LM CP CQ). lra. }
    assert (F : forall m, law l m -> continuous l p1 m -> continuous l q1 m ->
              moment (INR j) l p1 m <= B j -> moment (INR j) l q1 m <= B j -> spread j l p1 q1 m <= wang_term B E j).
    { intros m LM CP CQ BP BQ. destruct (G m LM CP CQ BP BQ) as [G1 G2]. unfold wang_term.
      destruct j as [|[|[|j]]]; [lia|lia| |exact G1].
      apply Rmin_glb; [now apply G2 | exact G1]. }
    split; apply F; trivial; [intros x _ Z; exact Z | lra].
  Qed.
End Wang.

(* ---- dominated base ---- *)

(* The sum of B (A/B - 1)_+^j. *)
Definition excess {A} (j : nat) (l : list A) (P Q : A -> R) : R := sum l (fun x => Q x * pos (P x / Q x - 1) ^ j).

Lemma pow_convex_pos j t u v :
  0 <= t <= 1 -> (1 <= j)%nat -> pos ((1 - t) * u + t * v - 1) ^ j <= (1 - t) * pos (u - 1) ^ j + t * pos (v - 1) ^ j.
Proof.
  intros T J. assert (J1 : 1 <= INR j) by (change 1 with (INR 1); now apply le_INR).
  pose proof (powr_convex (INR j) J1 t (pos (u - 1)) (pos (v - 1)) T (pos_nonneg _) (pos_nonneg _)) as P.
  cbn beta in P. pose proof (pos_nonneg (u - 1)). pose proof (pos_nonneg (v - 1)).
  rewrite !powr_nat in P by (trivial; nra).
  eapply Rle_trans; [|exact P]. apply pow_incr. split; [apply pos_nonneg|].
  replace ((1 - t) * u + t * v - 1) with ((1 - t) * (u - 1) + t * (v - 1)) by ring. now apply pos_convex.
Qed.

(* sum over j >= 2 of c_j (u-1)_+^j, c_j >= 0, is convex and 0 on [0,1]. *)
Lemma hinge_powers_convex n c :
  (forall j, 0 <= c j) -> convex_function (fun u => from_two n (fun j => c j * pos (u - 1) ^ j)).
Proof.
  intros N t u v T _ _. unfold from_two. rewrite <- !sum_scal, <- sum_plus. apply sum_le. intros j J. apply in_seq in J.
  pose proof (pow_convex_pos j t u v T ltac:(lia)). specialize (N j). nra.
Qed.

Lemma hinge_powers_zero n c u : 0 <= u <= 1 -> from_two n (fun j => c j * pos (u - 1) ^ j) = 0.
Proof.
  intros U. unfold from_two. rewrite (sum_ext _ _ (fun _ => 0)); [apply sum_zero|]. intros j J. apply in_seq in J.
  rewrite pos_zero, pow_i by (lra || lia). ring.
Qed.

(* x^n - 1 - n (x-1) for x >= 1. *)
Lemma power_expansion n u : (1 <= n)%nat -> (1 + u) ^ n - 1 - INR n * u = from_two n (fun j => C n j * u ^ j).
Proof.
  intros H. rewrite (Rplus_comm 1 u), binomial, sum_of_sum_f, sum_from_two by exact H.
  assert (C n 0 = 1) as C0 by (unfold C; rewrite Nat.sub_0_r; cbn [fact INR]; field; apply INR_fact_neq_0).
  assert (C n 1 = INR n) as C1.
  { unfold C. destruct n as [|n]; [lia|]. replace (S n - 1)%nat with n by lia. rewrite fact_simpl, mult_INR.
    cbn [fact INR Nat.mul Nat.add]. field. apply INR_fact_neq_0. }
  rewrite C0, C1, !pow1, pow_1, pow_O.
  unfold from_two. rewrite (sum_ext _ (fun j => C n j * u ^ j * 1 ^ (n - j)) (fun j => C n j * u ^ j))
    by (intros; rewrite pow1; ring). ring.
Qed.

Lemma binomial_two N : C (S N) 2 = INR N * INR (S N) / 2 \/ N = O.
Proof.
  destruct N as [|N]; [now right|left]. unfold C. replace (S (S N) - 2)%nat with N by lia.
  rewrite (fact_simpl (S N)), (fact_simpl N), !mult_INR. cbn [fact Nat.mul Nat.add].
  replace (INR 2) with 2 by (cbn; lra). field. apply INR_fact_neq_0.
Qed.

(*
 * Suppose that at every alpha >= 1 the divergences of p1 and q1 in both
 * directions, and of each of them against p0, are at most those of the pair
 * (P', Q') (for samples of the size drawn). Then the moment of integer order n of
 * the sampled laws is bounded by the excesses c_j of that pair:
 *
 *   M_n <= 1 + C(n,2) gamma^2 c_2 + sum over j = 2 .. n of C(n,j) gamma^j c_j.
 *)
Theorem dominated_base {A B} (l : list A) p0 p1 q1 (l' : list B) P' Q' gamma n :
  0 < gamma <= 1 -> (2 <= n)%nat ->
  law l p0 -> law l p1 -> law l q1 -> mass l' P' -> mass l' Q' -> continuous l' P' Q' ->
  let P := sampled gamma p0 p1 in
  let Q := sampled gamma p0 q1 in
  continuous l P Q -> continuous l Q P ->
  (forall s, 1 <= s -> hockey l s p1 q1 <= hockey l' s P' Q') ->
  (forall s, 1 <= s -> hockey l s p1 p0 <= hockey l' s P' Q') ->
  (forall s, 1 <= s -> hockey l s q1 p1 <= hockey l' s P' Q') ->
  (forall s, 1 <= s -> hockey l s q1 p0 <= hockey l' s P' Q') ->
  moment (INR n) l P Q
  <= 1 + C n 2 * gamma ^ 2 * excess 2 l' P' Q' + from_two n (fun j => C n j * gamma ^ j * excess j l' P' Q').
Proof.
  intros G HN [MP0 SP0] [MP1 SP1] [MQ1 SQ1] MP' MQ' C' P Q CPQ CQP H1 H2 H3 H4.
  assert (MP : mass l P) by (intros x X; specialize (MP0 x X); specialize (MP1 x X); unfold P, sampled; nra).
  assert (MQ : mass l Q) by (intros x X; specialize (MP0 x X); specialize (MQ1 x X); unfold Q, sampled; nra).
  assert (SP : sum l P = 1) by (unfold P, sampled; rewrite sum_plus, !sum_scal, SP0, SP1; ring).
  assert (SQ : sum l Q = 1) by (unfold Q, sampled; rewrite sum_plus, !sum_scal, SP0, SQ1; ring).
  (* both directions are below the pair that replaces Q' by P' with probability gamma *)
  set (S' := sampled gamma Q' P').
  assert (MS : mass l' S') by (intros x X; specialize (MP' x X); specialize (MQ' x X); unfold S', sampled; nra).
  assert (CS : continuous l' S' Q').
  { intros x X E. unfold S', sampled. rewrite (C' x X E), E. ring. }
  assert (D : forall p q, (forall s, 1 <= s -> hockey l s p q <= hockey l' s P' Q') ->
              (forall s, 1 <= s -> hockey l s p p0 <= hockey l' s P' Q') ->
              forall t, 1 <= t -> hockey l t (sampled gamma p0 p) (sampled gamma p0 q) <= hockey l' t S' Q').
  { intros p q HQ H0 t T. unfold S'. rewrite replaced_gamma by exact G.
    eapply Rle_trans; [apply sampled_above; [exact G | exact T]|]. apply Rmult_le_compat_l; [lra|].
    assert (S1 : t <= 1 + (t - 1) / gamma).
    { assert (t - 1 <= (t - 1) / gamma); [|lra].
      apply Rmult_le_reg_r with gamma; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; nra. }
    set (s := 1 + (t - 1) / gamma) in *.
    assert (B0 : 0 <= t / s <= 1).
    { split; [apply Rlt_le, Rdiv_lt_0_compat; lra|].
      apply Rmult_le_reg_r with s; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    assert ((1 - t / s) * hockey l s p p0 <= (1 - t / s) * hockey l' s P' Q')
      by (apply Rmult_le_compat_l; [lra | apply H0; lra]).
    assert (t / s * hockey l s p q <= t / s * hockey l' s P' Q')
      by (apply Rmult_le_compat_l; [lra | apply HQ; lra]). lra. }
  (* the two parts of the moment *)
  set (f1 := fun u => from_two n (fun j => C n j * pos (u - 1) ^ j)).
  set (f2 := fun u => from_two 2 (fun j => C n j * pos (u - 1) ^ j)).
  assert (SPLIT : moment (INR n) l P Q <= 1 + f_divergence f1 l P Q + f_divergence f2 l Q P).
  { rewrite moment_nat by (trivial; lia). rewrite <- SQ at 1. unfold f_divergence.
    apply Rle_trans with (sum l (fun x => Q x + INR n * (P x - Q x) + Q x * f1 (P x / Q x) + P x * f2 (Q x / P x))).
    - apply sum_le. intros x X. specialize (CPQ x X). specialize (CQP x X).
      destruct (MQ x X) as [Q0|Q0].
      + assert (P0 : 0 < P x) by (destruct (MP x X) as [K|K]; [exact K | rewrite CQP in Q0 by auto; lra]).
        set (u := P x / Q x). assert (U : 0 < u) by now apply Rdiv_lt_0_compat.
        assert (PU : P x = Q x * u) by (unfold u; field; lra).
        replace (Q x / P x) with (/ u) by (unfold u; field; lra). rewrite PU.
        replace (Q x + INR n * (Q x * u - Q x) + Q x * f1 u + Q x * u * f2 (/ u))
          with (Q x * (1 + INR n * (u - 1) + f1 u + u * f2 (/ u))) by ring.
        apply Rmult_le_compat_l; [lra|]. unfold f1, f2. destruct (Rle_dec 1 u) as [K|K].
        * assert (V : 0 <= / u <= 1).
          { split; [now apply Rlt_le, Rinv_0_lt_compat|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
          rewrite (hinge_powers_zero 2 (C n) (/ u) V), pos_id by lra.
          rewrite <- power_expansion by lia. replace (1 + (u - 1)) with u by ring. lra.
        * apply Rnot_le_lt in K. rewrite (hinge_powers_zero n (C n) u) by lra.
          assert (V : 1 < / u) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra).
          unfold from_two. cbn [Nat.sub seq sum]. rewrite (pos_id (/ u - 1)) by lra. set (v := / u - 1).
          destruct n as [|N]; [lia|].
          pose proof (remainder_spec N v ltac:(unfold v; lra)) as RS.
          pose proof (remainder_falls N 0 v ltac:(lra) ltac:(unfold v; lra)) as RF. rewrite remainder_zero in RF.
          destruct (binomial_two N) as [BT|BT]; [|lia]. rewrite <- BT in RF.
          assert (v ^ 2 * remainder N v <= v ^ 2 * C (S N) 2) as RK by (apply Rmult_le_compat_l;
            [apply pow2_ge_0 | exact RF]).
          rewrite <- RS in RK. replace (1 + v) with (/ u) in RK by (unfold v; ring).
          rewrite pow_inv, Rinv_inv in RK.
          apply Rmult_le_compat_l with (r := u) in RK; [|lra].
          assert (UV : u * v = 1 - u) by (unfold v; field; lra).
          rewrite S_INR. cbn [pow] in *.
          replace (u * (u ^ N - 1 + INR N * v)) with (u * u ^ N - u + INR N * (u * v)) in RK by ring.
          rewrite UV in RK. lra.
      + rewrite CPQ, <- Q0 by auto. lra.
    - rewrite !sum_plus, sum_scal, sum_minus, SP, SQ. lra. }
  assert (Z1 : forall u, 0 <= u <= 1 -> f1 u = 0) by (intros; now apply hinge_powers_zero).
  assert (Z2 : forall u, 0 <= u <= 1 -> f2 u = 0) by (intros; now apply hinge_powers_zero).
  pose proof (convex_order_above f1 l P Q l' S' Q' (hinge_powers_convex n (C n) (binomial_nonneg n)) Z1
    MP MQ CPQ MS MQ' CS (D p1 q1 H1 H2)) as F1.
  pose proof (convex_order_above f2 l Q P l' S' Q' (hinge_powers_convex 2 (C n) (binomial_nonneg n)) Z2
    MQ MP CQP MS MQ' CS (D q1 p1 H3 H4)) as F2.
  assert (EX : forall k, f_divergence (fun u => from_two k (fun j => C n j * pos (u - 1) ^ j)) l' S' Q'
                         = from_two k (fun j => C n j * gamma ^ j * excess j l' P' Q')).
  { intros k. unfold f_divergence, from_two, excess.
    rewrite (sum_ext (seq 2 (k - 1)) _ (fun j => sum l' (fun x => C n j * gamma ^ j * (Q' x * pos
      (P' x / Q' x - 1) ^ j))))
      by (intros; now rewrite sum_scal).
    rewrite <- sum_swap. apply sum_ext. intros x X. rewrite <- sum_scal. apply sum_ext. intros j _.
    destruct (MQ' x X) as [Q0|Q0]; [|rewrite <- Q0; ring].
    replace (S' x / Q' x - 1) with (gamma * (P' x / Q' x - 1)) by (unfold S', sampled; field; lra).
    rewrite pos_scal, Rpow_mult_distr by lra. ring. }
  unfold f1 in F1, SPLIT. unfold f2 in F2, SPLIT. rewrite EX in F1, F2.
  unfold from_two in F2 at 2. cbn [Nat.sub seq sum] in F2. lra.
Qed.

(* c_j <= M_j(P'||Q') - 1 for probabilities. *)
Theorem excess_moment {A} (l : list A) P Q j :
  (2 <= j)%nat -> law l P -> law l Q -> continuous l P Q -> excess j l P Q <= moment (INR j) l P Q - 1.
Proof.
  intros J [MP SP] [MQ SQ] HC. rewrite moment_nat by (trivial; lia).
  apply Rle_trans with (sum l (fun x => Q x * (P x / Q x) ^ j - Q x - INR j * (P x - Q x))).
  - apply sum_le. intros x X. specialize (HC x X). destruct (MQ x X) as [Q0|Q0]; [|rewrite HC, <- Q0 by auto; lra].
    specialize (MP x X). set (u := P x / Q x). assert (U : 0 <= u) by (apply quotient_nonneg; lra).
    assert (PU : P x = Q x * u) by (unfold u; field; lra). rewrite PU.
    replace (Q x * u ^ j - Q x - INR j * (Q x * u - Q x)) with (Q x * (u ^ j - 1 - INR j * (u - 1))) by ring.
    apply Rmult_le_compat_l; [lra|].
    assert (J1 : 1 <= INR j) by (change 1 with (INR 1); apply le_INR; lia).
    destruct (Rle_dec 1 u) as [K|K].
    + pose proof (power_expansion j (u - 1) ltac:(lia)) as PE. replace (1 + (u - 1)) with u in PE by ring. rewrite PE.
      rewrite pos_id by lra. unfold from_two.
      assert (TJ : C j j * (u - 1) ^ j <= sum (seq 2 (j - 1)) (fun i => C j i * (u - 1) ^ i)).
      { apply (sum_term (seq 2 (j - 1)) (fun i => C j i * (u - 1) ^ i)); [apply in_seq; lia|].
        intros i _. apply Rmult_le_pos; [apply binomial_nonneg | apply pow_le; lra]. }
      assert (C j j = 1) as CJ.
      { unfold C. rewrite Nat.sub_diag. cbn [fact INR]. field. apply INR_fact_neq_0. }
      rewrite CJ in TJ. lra.
    + rewrite pos_zero, pow_i by (lra || lia).
      pose proof (bernoulli (INR j) u J1 U) as B0. rewrite powr_nat in B0 by (trivial; lia). lra.
  - rewrite !sum_minus, sum_scal, sum_minus, SP, SQ. lra.
Qed.

(* c_j <= (E-1)^(j-2) c_2 when the ratios are at most E. *)
Theorem excess_ratio {A} (l : list A) P Q E j :
  (2 <= j)%nat -> 1 <= E -> mass l P -> mass l Q -> (forall x, In x l -> P x <= E * Q x) ->
  excess j l P Q <= (E - 1) ^ (j - 2) * excess 2 l P Q.
Proof.
  intros J HE MP MQ HR. unfold excess. rewrite <- sum_scal. apply sum_le. intros x X.
  destruct (MQ x X) as [Q0|Q0]; [|rewrite <- Q0; lra].
  set (w := pos (P x / Q x - 1)).
  assert (W : 0 <= w <= E - 1).
  { split; [apply pos_nonneg|]. apply pos_lub; [lra|]. specialize (HR x X).
    assert (P x / Q x <= E); [|lra]. apply Rmult_le_reg_r with (Q x); [exact Q0|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  replace ((E - 1) ^ (j - 2) * (Q x * w ^ 2)) with (Q x * ((E - 1) ^ (j - 2) * w ^ 2)) by ring.
  apply Rmult_le_compat_l; [lra|]. replace j with (j - 2 + 2)%nat at 1 by lia. rewrite pow_add.
  apply Rmult_le_compat_r; [apply pow2_ge_0|]. now apply pow_incr.
Qed.

(* ---- instances: binary randomised response, e^eps0 = 3, a record sampled with probability 1/2 ---- *)

Lemma response_continuous :
  continuous [true; false] response_P response_Q /\ continuous [true; false] response_Q response_P.
Proof. split; intros [] _; cbn; lra. Qed.

Lemma response_equal s :
  1 <= s -> hockey [true; false] s response_Q response_Q <= hockey [true; false] s response_P response_Q.
Proof.
  intros H. destruct response_laws as [_ [MQ SQ]]. rewrite hockey_same, SQ, pos_zero by (trivial; lra).
  rewrite Rmult_0_l. apply hockey_nonneg.
Qed.

(* Order 2: 3/2 by the excess c_2 = 1 (the true moment is 4/3, the unsampled one 7/3). *)
Example response_dominated_base :
  moment 2 [true; false] (sampled (1 / 2) response_Q response_P) (sampled (1 / 2) response_Q response_Q) <= 3 / 2.
Proof.
  destruct response_laws as [LP LQ]. destruct response_continuous as [CP CQ].
  assert (S1 : forall s, hockey [true; false] s response_Q response_P <= hockey [true; false] s response_P response_Q)
    by (intros s; unfold hockey; cbn; lra).
  change 2 with (INR 2) at 1. eapply Rle_trans.
  - apply (dominated_base [true; false] response_Q response_P response_Q [true; false] response_P response_Q (1 / 2) 2);
      trivial; try lra; try lia; try (apply LP || apply LQ).
    + intros [] _; unfold sampled, response_P, response_Q; lra.
    + intros [] _; unfold sampled, response_P, response_Q; lra.
    + intros s _. apply Rle_refl.
    + intros s _. apply Rle_refl.
    + exact response_equal.
  - assert (excess 2 [true; false] response_P response_Q = 1) as EX.
    { unfold excess. cbn [sum]. rewrite (pos_id (response_P true / response_Q true - 1)), pos_zero; cbn; lra. }
    unfold from_two. cbn [Nat.sub seq sum]. rewrite EX. unfold C. cbn. lra.
Qed.

(* Wang, Balle and Kasiviswanathan, with the moments themselves as B. *)
Example response_wang19 n :
  (1 <= n)%nat ->
  let B j := moment (INR j) [true; false] response_P response_Q in
  moment (INR n) [true; false] (sampled (1 / 2) response_Q response_P) (sampled (1 / 2) response_Q response_Q)
  <= 1 + from_two n (fun j => C n j * (1 / 2) ^ j * wang_term B 3 j).
Proof.
  intros HN B. destruct response_laws as [LP LQ]. destruct response_continuous as [CP CQ].
  apply wang19; trivial; try lra.
  - intros [] _; cbn; lra.
  - intros [] _; cbn; lra.
  - intros j J. repeat split; try apply Rle_refl. unfold B.
    assert (J1 : 1 <= INR j) by (change 1 with (INR 1); apply le_INR; lia).
    pose proof (moment_at_least_one (INR j) [true; false] response_P response_Q J1 LP LQ CP).
    rewrite moment_same by apply LQ. destruct LQ as [_ ->]. lra.
Qed.
