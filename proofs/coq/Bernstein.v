(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * ../trinomial-pair.md, Lemmas 1 and 3, for w2 = 0 and any f-divergence (not
 * only the hockey-stick one): the mean over the number c of others who count
 * of a Bernstein polynomial, at rho, of a convex function; at rho = 1/2 if
 * r0 = r1. It falls in c, so a block of consecutive c is enclosed by its ends.
 *)
From Coq Require Import Reals List Lra Arith Lia.
From Shufbound Require Import Sum Hockey Trinomial Binomial Strata Monotone.
Import ListNotations.
Open Scope R_scope.

(* sum Q f(P/Q); meant for P that vanishes wherever Q does. *)
Definition f_divergence {A} (l : list A) (f : R -> R) (P Q : A -> R) : R :=
  sum l (fun x => Q x * f (P x / Q x)).

(* f is convex on the positive reals. *)
Definition convex_positive (f : R -> R) : Prop := forall x y t,
  0 < x -> 0 < y -> 0 <= t <= 1 -> f (t * x + (1 - t) * y) <= t * f x + (1 - t) * f y.

(* The masses of P and of Q at a = x m in a stratum of m reports are Bin(m,rho)(a)
   times these: under P with (w0, w1), under Q with (w1, w0). *)
Definition tilt (w0 w1 rho x : R) : R := w0 * x / rho + w1 * (1 - x) / (1 - rho).

(* What a stratum takes the mean of. *)
Definition tilted (f : R -> R) (w0 w1 rho x : R) : R :=
  tilt w1 w0 rho x * f (tilt w0 w1 rho x / tilt w1 w0 rho x).

Lemma tilt_half w0 w1 x : tilt w0 w1 (1 / 2) x = 2 * (w0 * x + w1 * (1 - x)).
Proof. unfold tilt. field. Qed.

Lemma tilt_mean w0 w1 rho m a : 0 < rho < 1 -> (1 <= m)%nat -> (a <= m)%nat ->
  mean w0 w1 rho m a = tilt w0 w1 rho (INR a / INR m).
Proof. intros Hr Hm Ha. rewrite mean_ratio by auto. unfold tilt. field. split; [|split]; try lra. apply not_0_INR. lia. Qed.

Lemma tilt_pos w0 w1 rho x : 0 < w0 -> 0 < w1 -> 0 < rho < 1 -> 0 <= x <= 1 -> 0 < tilt w0 w1 rho x.
Proof.
  intros H0 H1 Hr Hx. unfold tilt.
  apply Rmult_lt_reg_r with (rho * (1 - rho)); [apply Rmult_lt_0_compat; lra|].
  replace ((w0 * x / rho + w1 * (1 - x) / (1 - rho)) * (rho * (1 - rho)))
    with (w0 * x * (1 - rho) + w1 * (1 - x) * rho) by (field; lra).
  rewrite Rmult_0_l. destruct (Rle_dec x (1 / 2)).
  - assert (0 <= w0 * x * (1 - rho)) by (repeat apply Rmult_le_pos; lra).
    assert (0 < w1 * (1 - x) * rho) by (repeat apply Rmult_lt_0_compat; lra). lra.
  - assert (0 < w0 * x * (1 - rho)) by (repeat apply Rmult_lt_0_compat; lra).
    assert (0 <= w1 * (1 - x) * rho) by (repeat apply Rmult_le_pos; lra). lra.
Qed.

Lemma tilt_affine w0 w1 rho t x y :
  tilt w0 w1 rho (t * x + (1 - t) * y) = t * tilt w0 w1 rho x + (1 - t) * tilt w0 w1 rho y.
Proof. unfold tilt, Rdiv. ring. Qed.

(* For convex f this is convex in x (a perspective of f along a line). *)
Lemma tilted_convex f w0 w1 rho : convex_positive f -> 0 < w0 -> 0 < w1 -> 0 < rho < 1 ->
  convex01 (tilted f w0 w1 rho).
Proof.
  intros C H0 H1 Hr x y t Hx Hy Ht. unfold tilted. rewrite !tilt_affine.
  pose proof (tilt_pos w0 w1 rho x H0 H1 Hr Hx) as Px. pose proof (tilt_pos w0 w1 rho y H0 H1 Hr Hy) as Py.
  pose proof (tilt_pos w1 w0 rho x H1 H0 Hr Hx) as Qx. pose proof (tilt_pos w1 w0 rho y H1 H0 Hr Hy) as Qy.
  set (px := tilt w0 w1 rho x) in *. set (py := tilt w0 w1 rho y) in *.
  set (qx := tilt w1 w0 rho x) in *. set (qy := tilt w1 w0 rho y) in *.
  set (q := t * qx + (1 - t) * qy).
  assert (Q : 0 < q).
  { unfold q. destruct (Rle_dec t (1 / 2)).
    - assert (0 <= t * qx) by (apply Rmult_le_pos; lra). assert (0 < (1 - t) * qy) by (apply Rmult_lt_0_compat; lra). lra.
    - assert (0 < t * qx) by (apply Rmult_lt_0_compat; lra). assert (0 <= (1 - t) * qy) by (apply Rmult_le_pos; lra). lra. }
  set (l := t * qx / q).
  assert (L1 : 1 - l = (1 - t) * qy / q).
  { unfold l, q. field. unfold q in Q. lra. }
  assert (Hl : 0 <= l <= 1).
  { assert (0 <= / q) by (apply Rlt_le, Rinv_0_lt_compat; lra). split.
    - unfold l. repeat apply Rmult_le_pos; lra.
    - enough (0 <= 1 - l) by lra. rewrite L1. repeat apply Rmult_le_pos; lra. }
  assert (E : (t * px + (1 - t) * py) / q = l * (px / qx) + (1 - l) * (py / qy)).
  { rewrite L1. unfold l. field. lra. }
  rewrite E. eapply Rle_trans.
  - apply Rmult_le_compat_l; [lra|]. apply C; auto; apply Rmult_lt_0_compat; auto using Rinv_0_lt_compat.
  - apply Req_le. rewrite L1. unfold l. field. lra.
Qed.

(* ---- The masses ---- *)

(* w2 = 0: the mass at (a, c + 1 - a) given that c of the others count. *)
Lemma with_user_stratum w0 w1 r0 r1 N c a : 0 < r0 -> 0 < r1 -> r0 + r1 <= 1 -> (a <= S c)%nat ->
  with_user w0 w1 0 (others r0 r1 N) (a, (S c - a)%nat) =
  bin (r0 + r1) N c * bin (r0 / (r0 + r1)) (S c) a * tilt w0 w1 (r0 / (r0 + r1)) (INR a / INR (S c)).
Proof.
  intros H0 H1 Hs L. pose proof (share_range r0 r1 H0 H1) as Hr.
  rewrite <- tilt_mean by (auto; lia). rewrite Rmult_assoc, bin_mean by auto. unfold with_user.
  assert (A : before (fun a' => others r0 r1 N a' (S c - a)%nat) a
    = bin (r0 + r1) N c * before (bin (r0 / (r0 + r1)) c) a).
  { destruct a as [|a]; cbn [before]; [ring|]. rewrite others_stratum by auto.
    now replace (a + (S c - S a))%nat with c by lia. }
  assert (B : before (fun b => others r0 r1 N a b) (S c - a)%nat
    = bin (r0 + r1) N c * bin (r0 / (r0 + r1)) c a).
  { destruct (S c - a)%nat as [|b] eqn:E; cbn [before].
    - rewrite (bin_above _ c a) by lia. ring.
    - rewrite others_stratum by auto. now replace (a + b)%nat with c by lia. }
  rewrite A, B. ring.
Qed.

(* At r0 = r1 = r: P_c = 2 Bin(c+1,1/2)(a) (w0 x + w1 (1-x)), x = a/(c+1), times
   the probability that c of the others count. *)
Theorem trinomial_P_half w0 w1 r N c a : 0 < r -> 2 * r <= 1 -> (a <= S c)%nat ->
  trinomial_P w0 w1 0 r r N (a, (S c - a)%nat) =
  bin (2 * r) N c * (2 * bin (1 / 2) (S c) a * (w0 * (INR a / INR (S c)) + w1 * (1 - INR a / INR (S c)))).
Proof.
  intros H Hs L. unfold trinomial_P. rewrite with_user_stratum by (auto; lra).
  replace (r / (r + r)) with (1 / 2) by (field; lra). replace (r + r) with (2 * r) by ring.
  rewrite tilt_half. ring.
Qed.

Theorem trinomial_Q_half w0 w1 r N c a : 0 < r -> 2 * r <= 1 -> (a <= S c)%nat ->
  trinomial_Q w0 w1 0 r r N (a, (S c - a)%nat) =
  bin (2 * r) N c * (2 * bin (1 / 2) (S c) a * (w1 * (INR a / INR (S c)) + w0 * (1 - INR a / INR (S c)))).
Proof. exact (trinomial_P_half w1 w0 r N c a). Qed.

(* ---- Every f-divergence in strata ---- *)

Definition trinomial_f (f : R -> R) (w0 w1 r0 r1 : R) (N : nat) : R :=
  f_divergence (counts N) f (trinomial_P w0 w1 0 r0 r1 N) (trinomial_Q w0 w1 0 r0 r1 N).

(* The f-divergence of the pair with w2 = 0 is the mean over c of the Bernstein
   polynomial of degree c + 1 of one function. *)
Theorem trinomial_f_strata f w0 w1 r0 r1 N : 0 < w0 -> 0 < w1 -> 0 < r0 -> 0 < r1 -> r0 + r1 <= 1 ->
  trinomial_f f w0 w1 r0 r1 N =
  sum (seq 0 (S N)) (fun c => bin (r0 + r1) N c *
    bernstein (tilted f w0 w1 (r0 / (r0 + r1))) (r0 / (r0 + r1)) (S c)).
Proof.
  intros W0 W1 H0 H1 Hs. pose proof (share_range r0 r1 H0 H1) as Hr.
  set (P := fun a b => trinomial_P w0 w1 0 r0 r1 N (a, b)). set (Q := fun a b => trinomial_Q w0 w1 0 r0 r1 N (a, b)).
  unfold trinomial_f, f_divergence, counts.
  rewrite (sum_ext _ _ (fun x => Q (fst x) (snd x) * f (P (fst x) (snd x) / Q (fst x) (snd x))))
    by (intros [a b] _; reflexivity).
  rewrite (sum_diagonals (fun a b => Q a b * f (P a b / Q a b)) (S N)).
  2: { intros a b L. unfold Q at 1, trinomial_Q. rewrite with_user_above by auto. ring. }
  rewrite sum_seq_first.
  assert (Z : sum (seq 0 1) (fun a => Q a (0 - a)%nat * f (P a (0 - a)%nat / Q a (0 - a)%nat)) = 0).
  { cbn [seq sum Nat.sub]. unfold Q at 1, trinomial_Q, with_user. cbn [before]. ring. }
  rewrite Z, Rplus_0_l. apply sum_ext. intros c _. unfold bernstein. rewrite <- sum_scal.
  apply sum_ext. intros a Ha. apply in_seq in Ha.
  unfold P, Q, trinomial_P, trinomial_Q. rewrite !with_user_stratum by (auto; lia).
  set (W := bin (r0 + r1) N c). set (w := bin (r0 / (r0 + r1)) (S c) a).
  assert (Hx : 0 <= INR a / INR (S c) <= 1) by (apply ratio01; lia).
  unfold tilted. pose proof (tilt_pos w1 w0 _ _ W1 W0 Hr Hx) as T.
  destruct (Req_dec (W * w) 0) as [E|E].
  - rewrite E. transitivity (W * w * (tilt w1 w0 (r0 / (r0 + r1)) (INR a / INR (S c)) * f (tilt w0 w1 (r0 / (r0 + r1))
    (INR a / INR (S c)) / tilt w1 w0 (r0 / (r0 + r1)) (INR a / INR (S c))))); [rewrite E|]; ring.
  - replace (W * w * tilt w0 w1 (r0 / (r0 + r1)) (INR a / INR (S c)) / (W * w * tilt w1 w0 (r0 / (r0 + r1)) (INR a / INR (S c))))
      with (tilt w0 w1 (r0 / (r0 + r1)) (INR a / INR (S c)) / tilt w1 w0 (r0 / (r0 + r1)) (INR a / INR (S c))).
    + ring.
    + field. split; [lra|]. split; intros F; apply E; rewrite F; ring.
Qed.

(* A stratum's f-divergence falls in c, for every convex f. *)
Theorem f_stratum_antitone f w0 w1 rho c c' : convex_positive f -> 0 < w0 -> 0 < w1 -> 0 < rho < 1 ->
  (c <= c')%nat ->
  bernstein (tilted f w0 w1 rho) rho (S c') <= bernstein (tilted f w0 w1 rho) rho (S c).
Proof.
  intros C H0 H1 Hr H. apply bernstein_antitone; [lra| |lia]. now apply tilted_convex.
Qed.

(* A block of strata first .. first + len - 1 lies between its probability
   times the value at its last and at its first stratum. *)
Theorem f_strata_block f w0 w1 r0 r1 N first len : convex_positive f ->
  0 < w0 -> 0 < w1 -> 0 < r0 -> 0 < r1 -> r0 + r1 <= 1 -> (1 <= len)%nat ->
  let B c := bernstein (tilted f w0 w1 (r0 / (r0 + r1))) (r0 / (r0 + r1)) (S c) in
  sum (seq first len) (bin (r0 + r1) N) * B (first + len - 1)%nat
    <= sum (seq first len) (fun c => bin (r0 + r1) N c * B c)
    <= sum (seq first len) (bin (r0 + r1) N) * B first.
Proof.
  intros C W0 W1 H0 H1 Hs L B. pose proof (share_range r0 r1 H0 H1).
  rewrite <- !sum_scal_r. split; apply sum_le; intros c Hc; apply in_seq in Hc;
    apply Rmult_le_compat_l; try (apply bin_nonneg; lra); apply f_stratum_antitone; auto; lia.
Qed.

(* The hockey-stick divergence is the f-divergence of f(t) = (t - alpha)_+. *)
Lemma hockey_convex alpha : convex_positive (fun t => pos (t - alpha)).
Proof.
  intros x y t _ _ Ht. rewrite <- !pos_scal by lra.
  replace (t * x + (1 - t) * y - alpha) with (t * (x - alpha) + (1 - t) * (y - alpha)) by ring.
  apply pos_plus.
Qed.
