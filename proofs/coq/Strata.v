(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * ../trinomial-pair.md, Lemmas 1 and 2: the divergence of the trinomial pair
 * as a mean over strata, and one stratum as tails of a binomial at a threshold.
 *)
From Coq Require Import Reals List Lra Arith Lia.
From Shufbound Require Import Sum Hockey Trinomial Binomial.
Import ListNotations.
Open Scope R_scope.

(* X_m at a: the mean of m terms, a of them u/rho and the others v/(1-rho). *)
Definition mean (u v rho : R) (m a : nat) : R :=
  (u * INR a / rho + v * INR (m - a) / (1 - rho)) / INR m.

(* V(c,K) = E (X_{c+1} - K)_+, over Bin(c+1, rho). *)
Definition stratum (u v rho : R) (c : nat) (K : R) : R :=
  sum (seq 0 (S (S c))) (fun a => bin rho (S c) a * pos (mean u v rho (S c) a - K)).

(* V_t(c,K), for t >= 1: the same over the event a >= t. *)
Definition from (u v rho : R) (c : nat) (K : R) (t : nat) : R :=
  (u - K * rho) * bin rho c (t - 1) + (u + v - K) * tail rho c t.

(* s/(1-s), and 0 at s = 1. *)
Definition odds (s : R) : R := if Rlt_dec s 1 then s / (1 - s) else 0.

(* K_c. *)
Definition shift (w2 s alpha : R) (N c : nat) : R :=
  (alpha - 1) * w2 * odds s * (INR (N - c) / INR (S c)).

Lemma odds_less s : s < 1 -> odds s = s / (1 - s).
Proof. intros H. unfold odds. destruct (Rlt_dec s 1); [reflexivity|lra]. Qed.

Lemma odds_one : odds 1 = 0.
Proof. unfold odds. destruct (Rlt_dec 1 1); [lra|reflexivity]. Qed.

Lemma odds_nonneg s : 0 <= s -> 0 <= odds s.
Proof.
  intros H. unfold odds. destruct (Rlt_dec s 1); [|lra].
  apply Rmult_le_pos; [lra|]. apply Rlt_le, Rinv_0_lt_compat. lra.
Qed.

Lemma INR_pos c : 0 < INR (S c).
Proof. apply lt_0_INR. lia. Qed.

Lemma shift_nonneg w2 s alpha N c : 0 <= w2 -> 0 <= s -> 1 <= alpha -> 0 <= shift w2 s alpha N c.
Proof.
  intros Hw Hs Ha. unfold shift. pose proof (odds_nonneg s Hs). pose proof (pos_INR (N - c)).
  pose proof (INR_pos c). repeat apply Rmult_le_pos; try lra.
  apply Rlt_le, Rinv_0_lt_compat. lra.
Qed.

Lemma shift_zero s alpha N c : shift 0 s alpha N c = 0.
Proof. unfold shift. ring. Qed.

(* ---- The others' counts ---- *)

(* The others' counts: how many count is Bin(N, s); of these, Bin(m, rho) in a. *)
Lemma others_stratum r0 r1 N a b : 0 < r0 -> 0 < r1 -> r0 + r1 <= 1 ->
  others r0 r1 N a b = bin (r0 + r1) N (a + b) * bin (r0 / (r0 + r1)) (a + b) a.
Proof.
  intros H0 H1 _. set (s := r0 + r1). set (rho := r0 / s).
  assert (E0 : s * rho = r0) by (unfold rho, s; field; lra).
  assert (E1 : s * (1 - rho) = r1) by (unfold rho, s; field; lra).
  revert a b. induction N as [|N IH]; intros a b.
  - destruct a, b; cbn; lra.
  - cbn [others]. rewrite bin_S, IH. replace (1 - r0 - r1) with (1 - s) by (unfold s; ring).
    destruct a as [|a], b as [|b]; cbn [before Nat.add].
    + rewrite !Rmult_0_r, !Rplus_0_l. ring.
    + rewrite IH. cbn [Nat.add]. rewrite (bin_S rho b 0). cbn [before]. rewrite <- E1. ring.
    + rewrite IH. rewrite !Nat.add_0_r. rewrite (bin_SS rho a a), (bin_above rho a (S a)) by lia.
      rewrite <- E0. ring.
    + rewrite !IH. cbn [Nat.add]. rewrite !Nat.add_succ_r. rewrite (bin_SS rho (S (a + b)) a).
      rewrite <- E0, <- E1. ring.
Qed.

Lemma others_nonneg r0 r1 N a b : 0 <= r0 -> 0 <= r1 -> r0 + r1 <= 1 -> 0 <= others r0 r1 N a b.
Proof.
  intros H0 H1 H. revert a b. induction N as [|N IH]; intros a b.
  - destruct a, b; cbn; lra.
  - cbn [others]. apply Rplus_le_le_0_compat; [apply Rplus_le_le_0_compat|].
    + destruct a; cbn [before]; [lra|]. apply Rmult_le_pos; auto.
    + destruct b; cbn [before]; [lra|]. apply Rmult_le_pos; auto.
    + apply Rmult_le_pos; auto. lra.
Qed.

Lemma others_above r0 r1 N a b : (N < a + b)%nat -> others r0 r1 N a b = 0.
Proof.
  revert a b. induction N as [|N IH]; intros a b H.
  - destruct a, b; cbn; try lra. lia.
  - cbn [others]. rewrite (IH a b) by lia.
    assert (A : before (fun a => others r0 r1 N a b) a = 0) by (destruct a; cbn; [reflexivity|apply IH; lia]).
    assert (B : before (fun b => others r0 r1 N a b) b = 0) by (destruct b; cbn; [reflexivity|apply IH; lia]).
    rewrite A, B. ring.
Qed.

(* ---- The sum by m = a + b ---- *)

Lemma sum_diagonals (f : nat -> nat -> R) M : (forall a b, (M < a + b)%nat -> f a b = 0) ->
  sum (list_prod (seq 0 (S M)) (seq 0 (S M))) (fun x => f (fst x) (snd x)) =
  sum (seq 0 (S M)) (fun m => sum (seq 0 (S m)) (fun a => f a (m - a)%nat)).
Proof.
  intros Z. rewrite sum_prod. cbn [fst snd].
  transitivity (sum (seq 0 (S M)) (fun a => sum (seq 0 (S M)) (fun m => if (a <=? m)%nat then f a (m - a)%nat else 0))).
  - apply sum_ext. intros a Ha. apply in_seq in Ha.
    rewrite (sum_seq_cut (fun b => f a b) (S M - a) (S M)) by lia.
    rewrite (sum_null (seq (S M - a) _)).
    2: { intros b Hb. apply in_seq in Hb. apply Z. lia. }
    rewrite (sum_seq_cut _ a (S M)) by lia.
    rewrite (sum_null (seq 0 a)).
    2: { intros m Hm. apply in_seq in Hm. destruct (Nat.leb_spec a m); [lia|reflexivity]. }
    rewrite Rplus_0_r, Rplus_0_l.
    assert (Sh : forall k n, sum (seq 0 n) (fun b => f a b)
      = sum (seq k n) (fun m => f a (m - k)%nat)).
    { intros k n. induction k as [|k IH].
      - apply sum_ext. intros. now rewrite Nat.sub_0_r.
      - rewrite sum_seq_shift. cbn [Nat.sub]. exact IH. }
    rewrite (Sh a). apply sum_ext. intros m Hm. apply in_seq in Hm.
    destruct (Nat.leb_spec a m); [reflexivity|lia].
  - rewrite sum_swap. apply sum_ext. intros m Hm. apply in_seq in Hm.
    rewrite (sum_seq_cut _ (S m) (S M)) by lia.
    rewrite (sum_null (seq (S m) _)).
    2: { intros a Ha. apply in_seq in Ha. destruct (Nat.leb_spec a m); [lia|reflexivity]. }
    rewrite Rplus_0_r. apply sum_ext. intros a Ha. apply in_seq in Ha.
    destruct (Nat.leb_spec a m); [reflexivity|lia].
Qed.

(* ---- One stratum: the mass times X ---- *)

Lemma bin_share_a rho c a : 0 < rho -> bin rho (S c) a * (INR a / (INR (S c) * rho)) = before (bin rho c) a.
Proof.
  intros Hr. pose proof (INR_pos c). destruct a as [|a]; cbn [before].
  - cbn [INR]. unfold Rdiv. ring.
  - pose proof (bin_diag rho c a) as D.
    replace (bin rho (S c) (S a) * (INR (S a) / (INR (S c) * rho)))
      with (bin rho (S c) (S a) * INR (S a) / (INR (S c) * rho)) by (unfold Rdiv; ring).
    rewrite D. field. lra.
Qed.

Lemma bin_share_b rho c a : rho < 1 -> bin rho (S c) a * (INR (S c - a) / (INR (S c) * (1 - rho))) = bin rho c a.
Proof.
  intros Hr. pose proof (INR_pos c). pose proof (bin_row rho c a) as D.
  replace (bin rho (S c) a * (INR (S c - a) / (INR (S c) * (1 - rho))))
    with (bin rho (S c) a * INR (S c - a) / (INR (S c) * (1 - rho))) by (unfold Rdiv; ring).
  rewrite D. field. lra.
Qed.

Lemma bin_mean u v rho c a : 0 < rho < 1 ->
  bin rho (S c) a * mean u v rho (S c) a = u * before (bin rho c) a + v * bin rho c a.
Proof.
  intros Hr. pose proof (INR_pos c).
  rewrite <- (bin_share_a rho c a), <- (bin_share_b rho c a) by lra.
  unfold mean. field. lra.
Qed.

(* ---- Lemma 1 ---- *)

(* rho = r0/(r0+r1). *)
Lemma share_range r0 r1 : 0 < r0 -> 0 < r1 -> 0 < r0 / (r0 + r1) < 1.
Proof.
  intros H0 H1. split.
  - apply Rmult_lt_0_compat; [lra|]. apply Rinv_0_lt_compat. lra.
  - apply (Rmult_lt_reg_r (r0 + r1)); [lra|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Section Lemma1.
  Variables w0 w1 w2 r0 r1 alpha : R.
  Variable N : nat.
  Hypothesis Hw : 0 <= w2.
  Hypothesis H0 : 0 < r0.
  Hypothesis H1 : 0 < r1.
  Hypothesis Hs : r0 + r1 <= 1.
  Hypothesis Ha : 1 <= alpha.

  Let s := r0 + r1.
  Let rho := r0 / s.
  Let T := others r0 r1 N.
  Let D a b := trinomial_P w0 w1 w2 r0 r1 N (a, b) - alpha * trinomial_Q w0 w1 w2 r0 r1 N (a, b).

  Local Lemma rho_range : 0 < rho < 1.
  Proof. now apply share_range. Qed.

  Local Lemma difference a b :
    D a b = (w0 - alpha * w1) * before (fun a => T a b) a + (w1 - alpha * w0) * before (fun b => T a b) b
            - (alpha - 1) * w2 * T a b.
  Proof. unfold D, trinomial_P, trinomial_Q, with_user, T. ring. Qed.

  Local Lemma shift_a c a : (a <= S c)%nat ->
    before (fun a' => T a' (S c - a)%nat) a = bin s N c * before (bin rho c) a.
  Proof.
    intros L. destruct a as [|a]; cbn [before]; [ring|].
    unfold T. rewrite others_stratum by auto.
    replace (a + (S c - S a))%nat with c by lia. reflexivity.
  Qed.

  Local Lemma shift_b c a : (a <= S c)%nat ->
    before (fun b => T a b) (S c - a)%nat = bin s N c * bin rho c a.
  Proof.
    intros L. destruct (S c - a)%nat as [|b] eqn:E; cbn [before].
    - rewrite (bin_above rho c a) by lia. ring.
    - unfold T. rewrite others_stratum by auto.
      replace (a + b)%nat with c by lia. reflexivity.
  Qed.

  Local Lemma shift_none c a : (a <= S c)%nat -> T a (S c - a)%nat = bin s N (S c) * bin rho (S c) a.
  Proof.
    intros L. unfold T. rewrite others_stratum by auto.
    replace (a + (S c - a))%nat with (S c) by lia. reflexivity.
  Qed.

  Local Lemma odds_step c : s < 1 -> bin s N (S c) = bin s N c * (odds s * (INR (N - c) / INR (S c))).
  Proof.
    intros L. rewrite odds_less by auto. pose proof (INR_pos c). pose proof (bin_step s N c) as B.
    replace (bin s N c * (s / (1 - s) * (INR (N - c) / INR (S c))))
      with (bin s N c * INR (N - c) * s / (INR (S c) * (1 - s))) by (field; lra).
    rewrite <- B. field. lra.
  Qed.

  (* s < 1: the difference at (a, c + 1 - a). *)
  Local Lemma difference_stratum c a : s < 1 -> (a <= S c)%nat ->
    D a (S c - a)%nat = bin s N c * bin rho (S c) a
      * (mean (w0 - alpha * w1) (w1 - alpha * w0) rho (S c) a - shift w2 s alpha N c).
  Proof.
    intros L La. rewrite difference, shift_a, shift_b, shift_none, odds_step by auto.
    rewrite (Rmult_assoc _ _ (_ - _)), (Rmult_minus_distr_l (bin rho (S c) a)), bin_mean by apply rho_range.
    unfold shift. ring.
  Qed.

  Local Lemma positive_stratum c a : (c <= N)%nat -> (a <= S c)%nat ->
    pos (D a (S c - a)%nat) = bin s N c * (bin rho (S c) a
      * pos (mean (w0 - alpha * w1) (w1 - alpha * w0) rho (S c) a - shift w2 s alpha N c)).
  Proof.
    intros Lc La. pose proof rho_range as Hr.
    assert (Pr : 0 <= bin rho (S c) a) by (apply bin_nonneg; lra).
    assert (Ps : 0 <= bin s N c) by (apply bin_nonneg; unfold s; lra).
    assert (Ps' : 0 <= bin s N (S c)) by (apply bin_nonneg; unfold s; lra).
    destruct (Rlt_dec s 1) as [L|L].
    - rewrite difference_stratum by auto.
      rewrite pos_scal by (apply Rmult_le_pos; auto). ring.
    - assert (E : s = 1) by (unfold s in *; lra).
      assert (Z : bin s N c * (1 - s) = 0) by (rewrite E; ring).
      destruct (Nat.eq_dec c N) as [->|Ne].
      + (* all N others count: only u and v matter *)
        rewrite difference, shift_a, shift_b, shift_none, (bin_above s N (S N)) by auto.
        unfold shift. rewrite E, odds_one.
        replace ((w0 - alpha * w1) * (bin 1 N N * before (bin rho N) a) + (w1 - alpha * w0) * (bin 1 N N * bin rho N a)
          - (alpha - 1) * w2 * (0 * bin rho (S N) a))
          with (bin 1 N N * bin rho (S N) a * (mean (w0 - alpha * w1) (w1 - alpha * w0) rho (S N) a
            - (alpha - 1) * w2 * 0 * (INR (N - N) / INR (S N)))).
        * rewrite pos_scal by (rewrite <- E; apply Rmult_le_pos; auto). ring.
        * rewrite (Rmult_assoc _ _ (_ - _)), (Rmult_minus_distr_l (bin rho (S N) a)), bin_mean by apply rho_range. ring.
      + (* fewer than N cannot be: mass 0 *)
        assert (B0 : bin s N c = 0).
        { pose proof (bin_step s N c) as B. rewrite E in B |- *.
          assert (I : 0 < INR (N - c)) by (apply lt_0_INR; lia). nra. }
        rewrite difference, shift_a, shift_b, shift_none, B0 by auto.
        rewrite pos_zero; [ring|].
        assert (0 <= (alpha - 1) * w2 * (bin s N (S c) * bin rho (S c) a)) by (repeat apply Rmult_le_pos; lra).
        lra.
  Qed.

  Local Lemma outcome_zero : pos (D 0%nat 0%nat) = 0.
  Proof.
    rewrite difference. cbn [before]. apply pos_zero.
    assert (0 <= T 0%nat 0%nat) by (apply others_nonneg; lra).
    assert (0 <= (alpha - 1) * w2 * T 0%nat 0%nat) by (repeat apply Rmult_le_pos; lra). lra.
  Qed.

  Local Lemma outcome_above a b : (S N < a + b)%nat -> pos (D a b) = 0.
  Proof.
    intros L. rewrite difference. unfold T. rewrite (others_above r0 r1 N a b) by lia.
    assert (A : before (fun a => others r0 r1 N a b) a = 0) by (destruct a; cbn; [reflexivity|apply others_above; lia]).
    assert (B : before (fun b => others r0 r1 N a b) b = 0) by (destruct b; cbn; [reflexivity|apply others_above; lia]).
    rewrite A, B. apply pos_zero. lra.
  Qed.

  Local Lemma strata : hockey (counts N) alpha (trinomial_P w0 w1 w2 r0 r1 N) (trinomial_Q w0 w1 w2 r0 r1 N) =
    sum (seq 0 (S N)) (fun c => bin s N c *
      stratum (w0 - alpha * w1) (w1 - alpha * w0) rho c (shift w2 s alpha N c)).
  Proof.
    unfold hockey, counts.
    rewrite (sum_ext _ _ (fun x => pos (D (fst x) (snd x)))) by (intros [a b] _; reflexivity).
    rewrite (sum_diagonals (fun a b => pos (D a b)) (S N)) by apply outcome_above.
    rewrite sum_seq_first.
    assert (Z : sum (seq 0 1) (fun a => pos (D a (0 - a)%nat)) = 0).
    { cbn [seq sum Nat.sub]. rewrite outcome_zero. ring. }
    rewrite Z, Rplus_0_l.
    apply sum_ext. intros c Hc. apply in_seq in Hc.
    unfold stratum. rewrite <- sum_scal. apply sum_ext. intros a Ha'. apply in_seq in Ha'.
    rewrite positive_stratum by lia. reflexivity.
  Qed.
End Lemma1.

(* Lemma 1: the divergence of the trinomial pair is the mean, over the number
   of others who count, of a stratum's value. *)
Theorem trinomial_strata w0 w1 w2 r0 r1 N alpha :
  0 <= w2 -> 0 < r0 -> 0 < r1 -> r0 + r1 <= 1 -> 1 <= alpha ->
  trinomial_hockey w0 w1 w2 r0 r1 N alpha =
  sum (seq 0 (S N)) (fun c => bin (r0 + r1) N c *
    stratum (w0 - alpha * w1) (w1 - alpha * w0) (r0 / (r0 + r1)) c (shift w2 (r0 + r1) alpha N c)).
Proof. intros. now apply strata. Qed.

(* ---- Lemma 2 ---- *)

(* V_t is the expectation of X - K over the event a >= t. *)
Lemma from_event u v rho c K t : 0 < rho < 1 -> (1 <= t)%nat ->
  from u v rho c K t = sum (seq t (S (S c) - t)) (fun a => bin rho (S c) a * (mean u v rho (S c) a - K)).
Proof.
  intros Hr Ht.
  rewrite (sum_ext _ _ (fun a => u * before (bin rho c) a + v * bin rho c a - K * bin rho (S c) a)).
  2: { intros a _. rewrite Rmult_minus_distr_l, bin_mean by auto. ring. }
  rewrite sum_minus, sum_plus, !sum_scal.
  assert (A : sum (seq t (S (S c) - t)) (before (bin rho c)) = bin rho c (t - 1) + tail rho c t).
  { destruct t as [|t]; [lia|]. rewrite sum_seq_shift. cbn [before Nat.sub]. rewrite Nat.sub_0_r.
    rewrite <- (tail_step rho c t). unfold tail. cbn [Nat.sub]. reflexivity. }
  assert (B : sum (seq t (S (S c) - t)) (bin rho c) = tail rho c t).
  { unfold tail. destruct (le_lt_dec t (S c)) as [L|L].
    - replace (S (S c) - t)%nat with (S (S c - t)) by lia. rewrite seq_S, sum_app.
      replace (t + (S c - t))%nat with (S c) by lia. cbn [sum]. rewrite (bin_above rho c (S c)) by lia.
      lra.
    - replace (S (S c) - t)%nat with O by lia. replace (S c - t)%nat with O by lia. reflexivity. }
  change (from u v rho c K t = u * sum (seq t (S (S c) - t)) (before (bin rho c))
    + v * sum (seq t (S (S c) - t)) (bin rho c) - K * tail rho (S c) t).
  rewrite A, B, tail_row by auto. unfold from. ring.
Qed.

Lemma stratum_nonneg u v rho c K : 0 <= rho <= 1 -> 0 <= stratum u v rho c K.
Proof.
  intros Hr. apply sum_nonneg. intros a _. apply Rmult_le_pos; [now apply bin_nonneg|apply pos_nonneg].
Qed.

(* Any threshold gives a lower bound. *)
Lemma stratum_any u v rho c K t : 0 < rho < 1 -> (1 <= t)%nat -> from u v rho c K t <= stratum u v rho c K.
Proof.
  intros Hr Ht. rewrite from_event by auto. destruct (le_lt_dec t (S (S c))) as [L|L].
  - unfold stratum. rewrite (sum_seq_cut _ t (S (S c))) by auto.
    assert (0 <= sum (seq 0 t) (fun a => bin rho (S c) a * pos (mean u v rho (S c) a - K))).
    { apply sum_nonneg. intros a _. apply Rmult_le_pos; [apply bin_nonneg; lra|apply pos_nonneg]. }
    enough (sum (seq t (S (S c) - t)) (fun a => bin rho (S c) a * (mean u v rho (S c) a - K))
      <= sum (seq t (S (S c) - t)) (fun a => bin rho (S c) a * pos (mean u v rho (S c) a - K))) by lra.
    apply sum_le. intros a _. apply Rmult_le_compat_l; [apply bin_nonneg; lra|apply pos_ge].
  - replace (S (S c) - t)%nat with O by lia. apply stratum_nonneg. lra.
Qed.

(* The threshold where the sign changes gives the value. *)
Lemma stratum_threshold u v rho c K t : 0 < rho < 1 -> (1 <= t)%nat ->
  (forall a, (a < t)%nat -> (a <= S c)%nat -> mean u v rho (S c) a <= K) ->
  (forall a, (t <= a)%nat -> (a <= S c)%nat -> K <= mean u v rho (S c) a) ->
  stratum u v rho c K = from u v rho c K t.
Proof.
  intros Hr Ht Lo Hi. rewrite from_event by auto. unfold stratum.
  assert (Low : forall a, (a < t)%nat -> (a <= S c)%nat -> bin rho (S c) a * pos (mean u v rho (S c) a - K) = 0).
  { intros a H1 H2. specialize (Lo a H1 H2). rewrite pos_zero by lra. ring. }
  destruct (le_lt_dec t (S (S c))) as [L|L].
  - rewrite (sum_seq_cut _ t (S (S c))) by auto. rewrite (sum_null (seq 0 t)), Rplus_0_l.
    + apply sum_ext. intros a Ha. apply in_seq in Ha. rewrite pos_id; [reflexivity|].
      specialize (Hi a ltac:(lia) ltac:(lia)). lra.
    + intros a Ha. apply in_seq in Ha. apply Low; lia.
  - replace (S (S c) - t)%nat with O by lia. change (sum (seq t 0) _) with 0. apply sum_null.
    intros a Ha. apply in_seq in Ha. apply Low; lia.
Qed.

(* X is affine in a, with slope d/m, d = u/rho - v/(1-rho). *)
Lemma mean_affine u v rho m a : 0 < rho < 1 -> (1 <= m)%nat -> (a <= m)%nat ->
  mean u v rho m a = (u / rho - v / (1 - rho)) * INR a / INR m + v / (1 - rho).
Proof.
  intros Hr Hm Ha. assert (0 < INR m) by (apply lt_0_INR; lia).
  unfold mean. rewrite minus_INR by auto. field. lra.
Qed.

Lemma mean_le u v rho m a K : 0 < rho < 1 -> (1 <= m)%nat -> (a <= m)%nat ->
  ((u / rho - v / (1 - rho)) * INR a <= INR m * (K - v / (1 - rho)) <-> mean u v rho m a <= K).
Proof.
  intros Hr Hm Ha. assert (P : 0 < INR m) by (apply lt_0_INR; lia). rewrite mean_affine by auto.
  set (d := u / rho - v / (1 - rho)). set (v' := v / (1 - rho)).
  replace (d * INR a / INR m + v') with ((d * INR a + v' * INR m) / INR m) by (field; lra).
  split; intros H.
  - apply (Rmult_le_reg_r (INR m)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - apply (Rmult_le_compat_r (INR m)) in H; [|lra]. unfold Rdiv in H. rewrite Rmult_assoc, Rinv_l in H by lra. lra.
Qed.

Lemma mean_ge u v rho m a K : 0 < rho < 1 -> (1 <= m)%nat -> (a <= m)%nat ->
  (INR m * (K - v / (1 - rho)) <= (u / rho - v / (1 - rho)) * INR a <-> K <= mean u v rho m a).
Proof.
  intros Hr Hm Ha. assert (P : 0 < INR m) by (apply lt_0_INR; lia). rewrite mean_affine by auto.
  set (d := u / rho - v / (1 - rho)). set (v' := v / (1 - rho)).
  replace (d * INR a / INR m + v') with ((d * INR a + v' * INR m) / INR m) by (field; lra).
  split; intros H.
  - apply (Rmult_le_reg_r (INR m)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - apply (Rmult_le_compat_r (INR m)) in H; [|lra]. unfold Rdiv in H. rewrite Rmult_assoc, Rinv_l in H by lra. lra.
Qed.

(* The slope is positive wherever u > 0. *)
Lemma slope_pos u v rho : 0 < rho < 1 -> 0 < u -> v <= 0 -> 0 < u / rho - v / (1 - rho).
Proof.
  intros Hr Hu Hv. assert (0 < u / rho) by (apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
  assert (0 < / (1 - rho)) by (apply Rinv_0_lt_compat; lra).
  assert (0 <= - v / (1 - rho)) by (apply Rmult_le_pos; lra).
  replace (u / rho - v / (1 - rho)) with (u / rho + - v / (1 - rho)) by (field; lra). lra.
Qed.

(* The same by the place t* = m (K + v')/d of the sign change, m = c + 1,
   v' = -v/(1-rho), d = u/rho + v': it suffices that t - 1 <= t* <= t. *)
Lemma stratum_at u v rho c K t : 0 < rho < 1 -> (1 <= t)%nat -> 0 < u / rho - v / (1 - rho) ->
  (u / rho - v / (1 - rho)) * INR (t - 1) <= INR (S c) * (K - v / (1 - rho)) <= (u / rho - v / (1 - rho)) * INR t ->
  stratum u v rho c K = from u v rho c K t.
Proof.
  intros Hr Ht Hd [L H]. apply stratum_threshold; auto; intros a Ha Hc.
  - apply mean_le; auto; [lia|]. eapply Rle_trans; [|exact L].
    apply Rmult_le_compat_l; [lra|]. apply le_INR. lia.
  - apply mean_ge; auto; [lia|]. eapply Rle_trans; [exact H|].
    apply Rmult_le_compat_l; [lra|]. now apply le_INR.
Qed.

(* Two candidates: t - 1 <= t* <= t + 1. *)
Lemma stratum_two u v rho c K t : 0 < rho < 1 -> (1 <= t)%nat -> 0 < u / rho - v / (1 - rho) ->
  (u / rho - v / (1 - rho)) * INR (t - 1) <= INR (S c) * (K - v / (1 - rho)) <= (u / rho - v / (1 - rho)) * INR (S t) ->
  stratum u v rho c K = Rmax (from u v rho c K t) (from u v rho c K (S t)).
Proof.
  intros Hr Ht Hd [L H].
  destruct (Rle_dec (INR (S c) * (K - v / (1 - rho))) ((u / rho - v / (1 - rho)) * INR t)) as [M|M].
  - pose proof (stratum_any u v rho c K (S t) Hr ltac:(lia)) as O.
    assert (E : stratum u v rho c K = from u v rho c K t) by (apply stratum_at; auto).
    rewrite E in *. now rewrite Rmax_left.
  - pose proof (stratum_any u v rho c K t Hr Ht) as O.
    assert (E : stratum u v rho c K = from u v rho c K (S t)).
    { apply stratum_at; auto. cbn [Nat.sub]. rewrite Nat.sub_0_r. lra. }
    rewrite E in *. now rewrite Rmax_right.
Qed.

(* t* >= c + 1, that is X <= K at a = c + 1: nothing is positive. *)
Lemma stratum_none u v rho c K : 0 < rho < 1 -> 0 < u / rho - v / (1 - rho) -> u / rho <= K ->
  stratum u v rho c K = 0.
Proof.
  intros Hr Hd H. apply sum_null. intros a Ha. apply in_seq in Ha. rewrite pos_zero; [ring|].
  enough (mean u v rho (S c) a <= K) by lra.
  apply mean_le; auto; try lia. assert (A : INR a <= INR (S c)) by (apply le_INR; lia).
  pose proof (INR_pos c).
  apply Rle_trans with ((u / rho - v / (1 - rho)) * INR (S c)); [apply Rmult_le_compat_l; lra|].
  rewrite (Rmult_comm (INR (S c))). apply Rmult_le_compat_r; lra.
Qed.

(* A stratum lies between 0 and u. *)
Lemma stratum_u u v rho c K : 0 < rho < 1 -> 0 <= u -> v <= 0 -> 0 <= K -> 0 <= stratum u v rho c K <= u.
Proof.
  intros Hr Hu Hv HK. split; [apply stratum_nonneg; lra|].
  apply Rle_trans with (sum (seq 0 (S (S c))) (fun a => u * before (bin rho c) a)).
  - apply sum_le. intros a _. pose proof (INR_pos c).
    assert (0 <= bin rho (S c) a) by (apply bin_nonneg; lra).
    assert (A : 0 <= INR a / (INR (S c) * rho)).
    { apply Rmult_le_pos; [apply pos_INR|]. apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; lra. }
    assert (B : 0 <= INR (S c - a) / (INR (S c) * (1 - rho))).
    { apply Rmult_le_pos; [apply pos_INR|]. apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; lra. }
    rewrite <- bin_share_a by lra.
    replace (u * (bin rho (S c) a * (INR a / (INR (S c) * rho))))
      with (bin rho (S c) a * (u * (INR a / (INR (S c) * rho)))) by ring.
    apply Rmult_le_compat_l; auto. apply pos_lub; [now apply Rmult_le_pos|].
    replace (mean u v rho (S c) a)
      with (u * (INR a / (INR (S c) * rho)) + v * (INR (S c - a) / (INR (S c) * (1 - rho)))) by (unfold mean; field; lra).
    assert (0 <= - v * (INR (S c - a) / (INR (S c) * (1 - rho)))) by (apply Rmult_le_pos; lra). lra.
  - rewrite sum_scal. change (fun x => before (bin rho c) x) with (before (bin rho c)).
    rewrite sum_before, bin_sum. lra.
Qed.
