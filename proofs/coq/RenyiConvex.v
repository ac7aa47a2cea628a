(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Renyi moments are jointly convex: ../subsample.md, "Joint convexity" and "Bounds
 * for free", ../girgis21.md ("revealing can only increase S").
 *
 *   a mixture has at most the mean moment of its parts; if the label is
 *     revealed it has exactly that;
 *   data processing for sub-Markov kernels;
 *   a randomiser that ignores the differing record with probability 1 - gamma.
 *)
From Coq Require Import Reals List Lra Lia Arith Psatz.
From Shufbound Require Import Sum Hockey Divergence Composition Renyi Subsampling.
Import ListNotations.
Open Scope R_scope.

(* ---- Bernoulli's inequality for real exponents ---- *)

Lemma bernoulli a u : 1 <= a -> 0 <= u -> 1 + a * (u - 1) <= powr u a.
Proof.
  intros H [U| <-]; [|rewrite powr_zero; lra].
  rewrite powr_pos by exact U. destruct (Rle_dec (1 + a * (u - 1)) 0) as [K|K].
  - pose proof (Rpower_positive u a). lra.
  - apply Rnot_le_lt in K. set (y := ln (1 + a * (u - 1))).
    assert (T : 0 <= 1 / a <= 1).
    { split; [apply Rlt_le, Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with a; [lra|]. field_simplify; lra. }
    pose proof (exp_convex (1 / a) 0 y T) as C. rewrite exp_0, Rmult_0_r, Rplus_0_l in C.
    unfold y in C at 2. rewrite exp_ln in C by exact K.
    replace ((1 - 1 / a) * 1 + 1 / a * (1 + a * (u - 1))) with u in C by (field; lra).
    assert (L : 1 / a * y <= ln u).
    { apply Rnot_lt_le. intros N. apply exp_increasing in N. rewrite exp_ln in N by exact U. lra. }
    assert (y <= a * ln u) as Y.
    { apply Rmult_le_compat_l with (r := a) in L; [|lra].
      replace (a * (1 / a * y)) with y in L by (field; lra). exact L. }
    unfold Rpower. rewrite <- (exp_ln (1 + a * (u - 1))) by exact K. fold y.
    destruct Y as [Y|Y]; [now apply Rlt_le, exp_increasing | rewrite Y; lra].
Qed.

(* ---- sums inside and outside the moment ---- *)

(* The moment of the totals is at most the sum of the moments. *)
Lemma moment_of_sums {I} a (ls : list I) (p q : I -> R) :
  1 <= a -> mass ls p -> mass ls q -> continuous ls p q ->
  sum ls q * powr (sum ls p / sum ls q) a <= moment a ls p q.
Proof.
  intros H MP MQ C.
  assert (P0 : 0 <= sum ls p) by now apply sum_nonneg.
  assert (Q0 : 0 <= sum ls q) by now apply sum_nonneg.
  assert (N : 0 <= moment a ls p q) by now apply moment_nonneg.
  destruct Q0 as [Q0|Q0]; [|rewrite <- Q0, Rmult_0_l; exact N].
  destruct P0 as [P0|P0]; [|rewrite <- P0; unfold Rdiv at 1; rewrite Rmult_0_l, powr_zero, Rmult_0_r; exact N].
  set (z := sum ls p / sum ls q). assert (Z : 0 < z) by now apply Rdiv_lt_0_compat.
  assert (E : sum ls q * powr z a = sum ls (fun i => powr z a * (q i + a * (p i / z - q i)))).
  { rewrite sum_scal, sum_plus, sum_scal, sum_minus.
    rewrite (sum_ext ls (fun i => p i / z) (fun i => p i * / z)), sum_scal_r by reflexivity.
    unfold z at 3. field. lra. }
  rewrite E. apply sum_le. intros i Hi. specialize (MP i Hi). specialize (MQ i Hi). specialize (C i Hi).
  destruct MQ as [Qi|Qi].
  - assert (U : 0 <= p i / q i / z).
    { apply quotient_nonneg; [|lra]. apply quotient_nonneg; lra. }
    pose proof (bernoulli a _ H U) as B.
    assert (powr (p i / q i) a = powr z a * powr (p i / q i / z) a) as ->.
    { rewrite <- powr_mult by lra. f_equal. field. lra. }
    replace (q i * (powr z a * powr (p i / q i / z) a)) with (powr z a * (q i * powr (p i / q i / z) a)) by ring.
    apply Rmult_le_compat_l; [apply powr_nonneg|].
    replace (q i + a * (p i / z - q i)) with (q i * (1 + a * (p i / q i / z - 1))) by (field; lra).
    apply Rmult_le_compat_l; lra.
  - rewrite C, <- Qi by auto. unfold Rdiv. rewrite !Rmult_0_l. lra.
Qed.

(* A common factor w >= 0. *)
Lemma moment_term w p q a : 0 <= w -> w * q * powr (w * p / (w * q)) a = w * (q * powr (p / q) a).
Proof.
  intros [W| <-]; [|ring]. rewrite ratio_mult. replace (w / w) with 1 by (field; lra).
  rewrite Rmult_1_l. ring.
Qed.

Lemma moment_scale {A} c a (l : list A) P Q :
  0 <= c -> moment a l (fun x => c * P x) (fun x => c * Q x) = c * moment a l P Q.
Proof. intros C. unfold moment. rewrite <- sum_scal. apply sum_ext. intros x _. now apply moment_term. Qed.

(* Equal laws: the moment is the mass. *)
Lemma moment_same {A} a (l : list A) R1 : mass l R1 -> moment a l R1 R1 = sum l R1.
Proof.
  intros M. apply sum_ext. intros x I. destruct (M x I) as [H| <-]; [|ring].
  replace (R1 x / R1 x) with 1 by (field; lra). rewrite powr_pos by lra.
  unfold Rpower. rewrite ln_1, Rmult_0_r, exp_0. ring.
Qed.

(* Joint convexity. *)
Theorem moment_mixture {I A} a (labels : list I) w (l : list A) (P Q : I -> A -> R) :
  1 <= a -> mass labels w ->
  (forall i, In i labels -> mass l (P i) /\ mass l (Q i) /\ continuous l (P i) (Q i)) ->
  moment a l (fun x => sum labels (fun i => w i * P i x)) (fun x => sum labels (fun i => w i * Q i x))
  <= sum labels (fun i => w i * moment a l (P i) (Q i)).
Proof.
  intros H W M. unfold moment.
  rewrite (sum_ext labels _ (fun i => sum l (fun x => w i * (Q i x * powr (P i x / Q i x) a))))
    by (intros; now rewrite sum_scal).
  rewrite <- sum_swap. apply sum_le. intros x X.
  eapply Rle_trans.
  - apply (moment_of_sums a labels (fun i => w i * P i x) (fun i => w i * Q i x) H).
    + intros i Hi. destruct (M i Hi) as (MP & _). apply Rmult_le_pos; [now apply W | now apply MP].
    + intros i Hi. destruct (M i Hi) as (_ & MQ & _). apply Rmult_le_pos; [now apply W | now apply MQ].
    + intros i Hi E. destruct (M i Hi) as (_ & _ & C). apply Rmult_integral in E as [E|E]; [rewrite E; ring|].
      rewrite (C x X E). ring.
  - apply Req_le. apply sum_ext. intros i Hi. now apply moment_term, W.
Qed.

(* With the label revealed: equality. *)
Theorem moment_revealed {I B} a (labels : list I) (outcomes : I -> list B) w (P Q : I -> B -> R) :
  mass labels w ->
  moment a (labelled labels outcomes) (mixture w P) (mixture w Q)
  = sum labels (fun i => w i * moment a (outcomes i) (P i) (Q i)).
Proof.
  intros W. unfold moment at 1, labelled. rewrite sum_flat_map. apply sum_ext. intros i Hi.
  rewrite sum_map. unfold moment. rewrite <- sum_scal. apply sum_ext. intros y _. unfold mixture. cbn.
  now apply moment_term, W.
Qed.

(* Data processing: a (sub-)Markov kernel applied to both laws does not increase the moment. *)
Theorem moment_data_processing {A B} a (l : list A) (r : list B) (K : A -> B -> R) P Q :
  1 <= a -> mass l P -> mass l Q -> continuous l P Q -> sub_markov l r K ->
  moment a r (push l K P) (push l K Q) <= moment a l P Q.
Proof.
  intros H MP MQ C M.
  apply Rle_trans with (sum r (fun y => sum l (fun x => K x y * (Q x * powr (P x / Q x) a)))).
  - apply sum_le. intros y Y. unfold push. eapply Rle_trans.
    + apply (moment_of_sums a l (fun x => P x * K x y) (fun x => Q x * K x y) H).
      * intros x X. apply Rmult_le_pos; [now apply MP | now apply (M x X)].
      * intros x X. apply Rmult_le_pos; [now apply MQ | now apply (M x X)].
      * intros x X E. apply Rmult_integral in E as [E|E]; [rewrite (C x X E) | rewrite E]; ring.
    + apply Req_le. apply sum_ext. intros x X. rewrite !(Rmult_comm _ (K x y)).
      apply moment_term. now apply (M x X).
  - rewrite <- sum_swap. apply sum_le. intros x X. rewrite sum_scal_r. destruct (M x X) as [_ S].
    assert (0 <= Q x * powr (P x / Q x) a) by (apply Rmult_le_pos; [now apply MQ | apply powr_nonneg]). nra.
Qed.

(* ---- bounds for free ---- *)

(* P = (1-gamma) R + gamma P1, Q = (1-gamma) R + gamma Q1: M_a(P||Q) <= 1 - gamma + gamma M_a(P1||Q1). *)
Theorem moment_sampled {A} a (l : list A) (R1 P1 Q1 : A -> R) gamma :
  1 <= a -> 0 <= gamma <= 1 -> law l R1 -> mass l P1 -> mass l Q1 -> continuous l P1 Q1 ->
  moment a l (sampled gamma R1 P1) (sampled gamma R1 Q1) <= 1 - gamma + gamma * moment a l P1 Q1.
Proof.
  intros H G [MR SR] MP MQ C.
  pose proof (moment_mixture a [true; false] (fun b : bool => if b then gamma else 1 - gamma) l
    (fun b : bool => if b then P1 else R1) (fun b : bool => if b then Q1 else R1) H) as M.
  cbn [sum] in M. rewrite (moment_same a l R1 MR), SR in M.
  assert (E : forall V : A -> R, moment a l (sampled gamma R1 P1) (sampled gamma R1 Q1)
    = moment a l (fun x => gamma * P1 x + ((1 - gamma) * R1 x + 0)) (fun x => gamma * Q1 x + ((1 - gamma) * R1 x + 0))).
  { intros _. apply sum_ext. intros x _. unfold sampled.
    replace ((1 - gamma) * R1 x + gamma * Q1 x) with (gamma * Q1 x + ((1 - gamma) * R1 x + 0)) by ring.
    replace ((1 - gamma) * R1 x + gamma * P1 x) with (gamma * P1 x + ((1 - gamma) * R1 x + 0)) by ring. reflexivity. }
  rewrite (E P1). eapply Rle_trans; [apply M|lra].
  - intros [] _; lra.
  - intros [] _; (split; [assumption | split; [assumption|]]); [exact C|]. intros x _ Z. exact Z.
Qed.

(* So it is at most M_a(P1||Q1), if that is at least 1 (as it is for probabilities). *)
Lemma moment_at_least_one {A} a (l : list A) P Q :
  1 <= a -> law l P -> law l Q -> continuous l P Q -> 1 <= moment a l P Q.
Proof.
  intros H [MP SP] [MQ SQ] C. pose proof (moment_of_sums a l P Q H MP MQ C) as J.
  rewrite SP, SQ in J. replace (1 / 1) with 1 in J by field. rewrite powr_pos in J by lra.
  unfold Rpower in J. rewrite ln_1, Rmult_0_r, exp_0 in J. lra.
Qed.

Corollary moment_sampled_le {A} a (l : list A) (R1 P1 Q1 : A -> R) gamma :
  1 <= a -> 0 <= gamma <= 1 -> law l R1 -> law l P1 -> law l Q1 -> continuous l P1 Q1 ->
  moment a l (sampled gamma R1 P1) (sampled gamma R1 Q1) <= moment a l P1 Q1.
Proof.
  intros H G LR LP LQ C. pose proof (moment_at_least_one a l P1 Q1 H LP LQ C).
  eapply Rle_trans; [apply moment_sampled; trivial; [apply LP | apply LQ]|]. nra.
Qed.

(* ---- Poisson sampling, forward direction ---- *)

Lemma sum_of_sum_f (n : nat) (f : nat -> R) : sum_f_R0 f n = sum (seq 0 (S n)) f.
Proof.
  induction n as [|n IH]; [cbn; lra|]. rewrite sum_seq_last, <- IH. reflexivity.
Qed.

(*
 * Data with a record less have the output law p, with it (1-gamma) p + gamma q,
 * q the law when it is sampled (../subsample.md, "Forward"; Zhu and Wang, ICML 2019):
 * the moment of integer order n expands by the binomial theorem.
 *)
Theorem poisson_forward {A} (l : list A) p q gamma n :
  0 <= gamma <= 1 -> (1 <= n)%nat -> mass l p -> mass l q -> continuous l q p ->
  moment (INR n) l (sampled gamma p q) p
  = sum (seq 0 (S n)) (fun j => C n j * (1 - gamma) ^ (n - j) * gamma ^ j * sum l (fun x => p x * (q x / p x) ^ j)).
Proof.
  intros G N MP MQ HC.
  assert (MS : mass l (sampled gamma p q)).
  { intros x X. specialize (MP x X). specialize (MQ x X). unfold sampled. nra. }
  rewrite moment_nat by assumption.
  rewrite (sum_ext (seq 0 (S n)) _ (fun j => sum l (fun x => C n j * (1 - gamma) ^ (n - j) * gamma ^ j * (p x *
    (q x / p x) ^ j))))
    by (intros; now rewrite sum_scal).
  rewrite <- sum_swap. apply sum_ext. intros x X.
  rewrite (sum_ext (seq 0 (S n)) _ (fun j => p x * (C n j * (gamma * (q x / p x)) ^ j * (1 - gamma) ^ (n - j))))
    by (intros; rewrite Rpow_mult_distr; ring).
  rewrite sum_scal, <- sum_of_sum_f, <- binomial.
  destruct (MP x X) as [P0|P0]; [|rewrite <- P0; ring].
  do 2 f_equal. unfold sampled. field. lra.
Qed.

(* So bounds B j of the moments E_p[(q/p)^j] bound it. *)
Corollary poisson_forward_bound {A} (l : list A) p q gamma n (B : nat -> R) :
  0 <= gamma <= 1 -> (1 <= n)%nat -> mass l p -> mass l q -> continuous l q p ->
  (forall j, (j <= n)%nat -> sum l (fun x => p x * (q x / p x) ^ j) <= B j) ->
  moment (INR n) l (sampled gamma p q) p
  <= sum (seq 0 (S n)) (fun j => C n j * (1 - gamma) ^ (n - j) * gamma ^ j * B j).
Proof.
  intros G N MP MQ HC HB. rewrite poisson_forward by assumption. apply sum_le. intros j J. apply in_seq in J.
  apply Rmult_le_compat_l; [|apply HB; lia].
  apply Rmult_le_pos; [apply Rmult_le_pos|]; [|apply pow_le; lra..].
  unfold C. apply Rlt_le, Rdiv_lt_0_compat; [apply INR_fact_lt_0|]. apply Rmult_lt_0_compat; apply INR_fact_lt_0.
Qed.

(* ---- an instance ---- *)

(* Binary randomised response, e^eps0 = 3, a record sampled with probability 1/2: order 2, 5/3 in place of 7/3. *)
Example response_moment_sampled :
  moment 2 [true; false] (sampled (1 / 2) response_Q response_P) (sampled (1 / 2) response_Q response_Q) <= 5 / 3.
Proof.
  destruct response_laws as [[MP SP] [MQ SQ]].
  eapply Rle_trans.
  - apply moment_sampled; trivial; try lra; [now split|]. intros [] _; cbn; lra.
  - rewrite response_moment. lra.
Qed.
