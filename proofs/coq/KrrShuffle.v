(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Shuffled k-ary randomised response and its pairs in the table of
 * ../trinomial-pair.md: what the pairs say of the mechanism itself.
 *
 *   krr-weak and krr-strong are upper bounds for all neighbouring data;
 *   krr-same (rr2 if k = 2) is exact if all other users hold x0;
 *   krr-third is a lower bound, if they hold a third value;
 *   the local profile is (E - alpha) / (E + k - 1), so LocalProfile.v applies.
 *
 * The upper bound is the blanket of ShuffleBlanket.v, which for k-RR is
 * krr-weak.
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Trinomial TrinomialMean Binomial KrrPairs Instances Shuffle LocalProfile
  Stronger ShuffleBlanket ShuffleCounts.
Import ListNotations.
Open Scope R_scope.

(* k-ary randomised response on the values 0 .. k-1: the truth with probability
   E / (E + k - 1), every other value with probability 1 / (E + k - 1). Inputs
   above k-1 count as k-1. *)
Definition krr (E : R) (k x z : nat) : R :=
  if (Nat.min x (pred k) =? z)%nat then E / (E + INR k - 1) else 1 / (E + INR k - 1).

(* -------- Lemmas on sums -------- *)

Lemma sum_at k x d : (x < k)%nat -> sum (seq 0 k) (fun z => if (x =? z)%nat then d else 0) = d.
Proof.
  induction k as [|k IH]; intros H; [lia|]. rewrite sum_seq_last.
  destruct (Nat.eq_dec x k) as [->|N].
  - rewrite Nat.eqb_refl. rewrite (sum_ext _ _ (fun _ => 0)); [rewrite sum_zero; ring|].
    intros z Hz. apply in_seq in Hz. destruct (Nat.eqb_spec k z); [lia | reflexivity].
  - destruct (Nat.eqb_spec x k); [lia|]. rewrite IH by lia. ring.
Qed.

(* A function that is c but at x, and but at x0 and x1. *)
Lemma sum_but_one k x c f :
  (x < k)%nat -> (forall z, (z < k)%nat -> z <> x -> f z = c) -> sum (seq 0 k) f = f x + (INR k - 1) * c.
Proof.
  intros H C. rewrite (sum_ext _ _ (fun z => (if (x =? z)%nat then f x - c else 0) + c)).
  - rewrite sum_plus, sum_at, sum_const, seq_length by assumption. ring.
  - intros z Hz. apply in_seq in Hz. destruct (Nat.eqb_spec x z) as [<-|N]; [ring|]. rewrite C by lia. ring.
Qed.

Lemma sum_but_two k x0 x1 c f :
  (x0 < k)%nat -> (x1 < k)%nat -> x0 <> x1 -> (forall z, (z < k)%nat -> z <> x0 -> z <> x1 -> f z = c) ->
  sum (seq 0 k) f = f x0 + f x1 + (INR k - 2) * c.
Proof.
  intros H0 H1 N C.
  rewrite (sum_ext _ _ (fun z => ((if (x0 =? z)%nat then f x0 - c else 0) + (if (x1 =? z)%nat then f x1 - c else 0)) + c)).
  - rewrite !sum_plus, !sum_at, sum_const, seq_length by assumption. ring.
  - intros z Hz. apply in_seq in Hz.
    destruct (Nat.eqb_spec x0 z) as [<-|N0]; [destruct (Nat.eqb_spec x1 x0); [lia | ring]|].
    destruct (Nat.eqb_spec x1 z) as [<-|N1]; [ring|]. rewrite C by lia. ring.
Qed.

(* -------- The pair with a third weight -------- *)

(* As trinomial_hockey_walk, for w2 > 0 too: users in neither a nor b count L2. *)
Lemma trinomial_hockey_three w0 w1 w2 r0 r1 L0 L1 L2 N alpha :
  0 <= r0 -> 0 <= r1 -> r0 + r1 <= 1 ->
  w0 - alpha * w1 = L0 * r0 -> w1 - alpha * w0 = L1 * r1 -> (1 - alpha) * w2 = L2 * (1 - r0 - r1) ->
  trinomial_hockey w0 w1 w2 r0 r1 N alpha
  = counts_mean r0 r1 (S N) (fun a b => pos (L0 * INR a + L1 * INR b + L2 * (INR (S N) - INR a - INR b))) / INR (S N).
Proof.
  intros R0 R1 R2 H0 H1 H2. assert (HN : 0 < INR (S N)) by (apply lt_0_INR; lia).
  rewrite <- (others_mean r0 r1 (S N) (S (S N))) by lia.
  unfold trinomial_hockey, hockey. rewrite sum_counts.
  unfold Rdiv. rewrite Rmult_comm, <- square_scal. apply square_ext. intros a b _ _.
  unfold trinomial_P, trinomial_Q, with_user.
  pose proof (others_a r0 r1 N a b) as A. pose proof (others_b r0 r1 N a b) as B.
  assert (C : (INR (S N) - INR a - INR b) * others r0 r1 (S N) a b = INR (S N) * ((1 - r0 - r1) * others r0 r1 N a b)).
  { replace ((INR (S N) - INR a - INR b) * others r0 r1 (S N) a b)
      with (INR (S N) * others r0 r1 (S N) a b - INR a * others r0 r1 (S N) a b - INR b * others r0 r1 (S N) a b) by ring.
    rewrite A, B. cbn [others]. ring. }
  set (Ta := before (fun a => others r0 r1 N a b) a) in *.
  set (Tb := before (fun b => others r0 r1 N a b) b) in *.
  set (T := others r0 r1 N a b) in *. set (T' := others r0 r1 (S N) a b) in *.
  assert (T'0 : 0 <= T') by now apply TrinomialMean.others_nonneg.
  rewrite <- Rmult_assoc, <- pos_scal.
  - f_equal.
    replace (w0 * Ta + w1 * Tb + w2 * T - alpha * (w1 * Ta + w0 * Tb + w2 * T))
      with ((w0 - alpha * w1) * Ta + (w1 - alpha * w0) * Tb + (1 - alpha) * w2 * T) by ring.
    rewrite H0, H1, H2.
    replace (/ INR (S N) * T' * (L0 * INR a + L1 * INR b + L2 * (INR (S N) - INR a - INR b)))
      with (/ INR (S N) * (L0 * (INR a * T') + L1 * (INR b * T') + L2 * ((INR (S N) - INR a - INR b) * T'))) by ring.
    rewrite A, B, C. field. lra.
  - apply Rmult_le_pos; [now apply Rlt_le, Rinv_0_lt_compat | assumption].
Qed.

(* -------- The mechanism -------- *)

Section Krr.
  Variables (E : R) (k : nat).
  Hypotheses (HE : 1 <= E) (Hk : (2 <= k)%nat).

  Let values := seq 0 k.
  Let r := 1 / (E + INR k - 1).
  Let gamma := INR k / (E + INR k - 1).

  Lemma k_real : 2 <= INR k.
  Proof. now apply (le_INR 2). Qed.

  Lemma r_range : 0 < r /\ r * (E + INR k - 1) = 1.
  Proof.
    pose proof k_real. split; [|unfold r; field; lra].
    unfold r, Rdiv. rewrite Rmult_1_l. apply Rinv_0_lt_compat. lra.
  Qed.

  Lemma krr_value x z : (x < k)%nat -> krr E k x z = if (x =? z)%nat then E * r else r.
  Proof.
    intros H. unfold krr. replace (Nat.min x (pred k)) with x by lia.
    pose proof k_real. unfold r. destruct (x =? z)%nat; [field; lra | reflexivity].
  Qed.

  Lemma krr_range x z : r <= krr E k x z <= E * r.
  Proof.
    destruct r_range as [R0 _]. assert (r <= E * r) by nra. pose proof k_real.
    unfold krr. replace (E / (E + INR k - 1)) with (E * r) by (unfold r; field; lra). fold r.
    destruct (_ =? _)%nat; lra.
  Qed.

  Lemma krr_law x : law values (krr E k x).
  Proof.
    destruct r_range as [R0 R1]. split.
    - intros z _. pose proof (krr_range x z). lra.
    - assert (H : (Nat.min x (pred k) < k)%nat) by lia.
      rewrite (sum_ext _ _ (krr E k (Nat.min x (pred k)))).
      + unfold values. rewrite (sum_but_one k (Nat.min x (pred k)) r).
        * rewrite krr_value, Nat.eqb_refl by assumption. lra.
        * assumption.
        * intros z _ N. rewrite krr_value by assumption. destruct (Nat.eqb_spec (Nat.min x (pred k)) z); [lia | reflexivity].
      + intros z _. unfold krr. now rewrite Nat.min_id || replace (Nat.min (Nat.min x (pred k)) (pred k)) with (Nat.min x (pred k)) by lia.
  Qed.

  (* It is eps0-LDP. *)
  Lemma krr_ldp : ldp values E (fun _ => krr E k).
  Proof.
    intros h x x' z _. destruct r_range as [R0 _]. pose proof (krr_range x z). pose proof (krr_range x' z). nra.
  Qed.

  Section Pair.
    Variables (x0 x1 : nat) (alpha : R).
    Hypotheses (H0 : (x0 < k)%nat) (H1 : (x1 < k)%nat) (HN : x0 <> x1).

    Let mu z := krr E k x0 z - alpha * krr E k x1 z.

    Lemma mu_value z : mu z = if (x0 =? z)%nat then (E - alpha) * r else if (x1 =? z)%nat then (1 - alpha * E) * r else (1 - alpha) * r.
    Proof.
      unfold mu. rewrite !krr_value by assumption.
      destruct (Nat.eqb_spec x0 z) as [<-|N0]; [destruct (Nat.eqb_spec x1 x0); [lia|] | destruct (x1 =? z)%nat]; ring.
    Qed.

    (* Walks with steps L0 at x0, L1 at x1 and L2 at the other values. *)
    Lemma krr_walk_step (w m : nat -> R) q0 q1 q2 L0 L1 L2 j s :
      w x0 = q0 -> w x1 = q1 -> (forall z, (z < k)%nat -> z <> x0 -> z <> x1 -> w z = q2) ->
      m x0 / w x0 = L0 -> m x1 / w x1 = L1 ->
      (forall z, (z < k)%nat -> z <> x0 -> z <> x1 -> m z / w z = L2) ->
      blanket_walk values w m (S j) s
      = q0 * blanket_walk values w m j (s + L0) + q1 * blanket_walk values w m j (s + L1)
        + (INR k - 2) * q2 * blanket_walk values w m j (s + L2)
        + (1 - q0 - q1 - (INR k - 2) * q2) * blanket_walk values w m j s.
    Proof.
      intros W0 W1 W2 M0 M1 M2. cbn [blanket_walk]. unfold values at 1 3.
      rewrite (sum_but_two k x0 x1 (q2 * blanket_walk values w m j (s + L2))); auto.
      - rewrite (sum_but_two k x0 x1 q2) by auto. rewrite W0, W1 in *. rewrite M0, M1. ring.
      - intros z Hz N0 N1. rewrite W2, <- (M2 z) by auto. rewrite W2 by auto. reflexivity.
    Qed.

    (* -- krr-weak -- *)

    Let L0 := E - alpha.
    Let L1 := 1 - alpha * E.
    Let L2 := 1 - alpha.

    (* The mean of the positive part if B users answer at random. *)
    Let given (B : nat) (s : R) : R :=
      counts_mean (1 / INR k) (1 / INR k) B (fun a b => pos (s + (L0 * INR a + L1 * INR b + L2 * (INR B - INR a - INR b)))).

    Lemma given_S B s :
      given (S B) s = 1 / INR k * given B (s + L0) + 1 / INR k * given B (s + L1) + (1 - 1 / INR k - 1 / INR k) * given B (s + L2).
    Proof.
      unfold given. cbn [counts_mean].
      f_equal; [f_equal|]; f_equal; apply counts_mean_ext; intros a b _; f_equal; rewrite !S_INR; ring.
    Qed.

    Lemma weak_step j s :
      blanket_walk values (fun _ => r) mu (S j) s
      = r * blanket_walk values (fun _ => r) mu j (s + L0) + r * blanket_walk values (fun _ => r) mu j (s + L1)
        + (INR k - 2) * r * blanket_walk values (fun _ => r) mu j (s + L2)
        + (1 - gamma) * blanket_walk values (fun _ => r) mu j s.
    Proof.
      destruct r_range as [R0 R1]. pose proof k_real.
      rewrite (krr_walk_step (fun _ => r) mu r r r L0 L1 L2); auto.
      - replace gamma with (INR k * r) by (unfold gamma, r; field; lra). ring.
      - rewrite mu_value, Nat.eqb_refl. unfold L0. field. lra.
      - rewrite mu_value, Nat.eqb_refl. destruct (Nat.eqb_spec x0 x1); [lia|]. unfold L1. field. lra.
      - intros z _ N0 N1. rewrite mu_value.
        destruct (Nat.eqb_spec x0 z); [lia|]. destruct (Nat.eqb_spec x1 z); [lia|]. unfold L2. field. lra.
    Qed.

    Lemma weak_walk n s :
      blanket_walk values (fun _ => r) mu n s = sum (seq 0 (S n)) (fun B => bin gamma n B * given B s).
    Proof.
      revert s; induction n as [|n IH]; intros s.
      - cbn. unfold given. cbn. replace (s + _) with s by ring. ring.
      - rewrite weak_step, !IH, (sum_seq_first (S n)).
        rewrite (sum_ext (seq 0 (S n)) (fun B => bin gamma (S n) (S B) * given (S B) s)
          (fun B => (gamma * (1 / INR k) * (bin gamma n B * given B (s + L0)) + gamma * (1 / INR k) * (bin gamma n B * given B (s + L1)))
                    + (gamma * (1 - 1 / INR k - 1 / INR k) * (bin gamma n B * given B (s + L2))
                       + (1 - gamma) * (bin gamma n (S B) * given (S B) s)))).
        2:{ intros B _. rewrite bin_SS, Rmult_plus_distr_r, (given_S B s) at 1.
            replace ((1 - gamma) * bin gamma n (S B) * given (S B) s)
              with ((1 - gamma) * (bin gamma n (S B) * given (S B) s)) by ring. ring. }
        rewrite !sum_plus, !sum_scal.
        assert (T : bin gamma n 0 * given 0 s + sum (seq 0 (S n)) (fun B => bin gamma n (S B) * given (S B) s)
                    = sum (seq 0 (S n)) (fun B => bin gamma n B * given B s)).
        { rewrite <- (sum_seq_first (S n) (fun B => bin gamma n B * given B s)), sum_seq_last, bin_above by lia. ring. }
        replace (bin gamma (S n) 0) with ((1 - gamma) * bin gamma n 0) by (cbn [bin before]; ring).
        pose proof k_real.
        replace (gamma * (1 / INR k)) with r by (unfold gamma, r; field; lra).
        replace (gamma * (1 - 1 / INR k - 1 / INR k)) with ((INR k - 2) * r) by (unfold gamma, r; field; lra).
        rewrite <- T. ring.
    Qed.

    (* The blanket's bound for k-RR is krr-weak's divergence. *)
    Theorem krr_weak_is_blanket N :
      blanket_bound values (fun _ => r) (krr E k x0) (krr E k x1) alpha (S N) = krr_weak_hockey gamma (INR k) N alpha.
    Proof.
      destruct r_range as [R0 R1]. pose proof k_real as K2.
      assert (G : gamma = INR k * r) by (unfold gamma, r; field; lra).
      assert (G01 : 0 <= gamma <= 1) by (rewrite G; split; nra).
      assert (HS : 0 < INR (S N)) by (apply lt_0_INR; lia).
      rewrite krr_weak_mixture by assumption.
      unfold blanket_bound. fold mu.
      replace (outside values (fun _ => r) mu) with 0.
      2:{ unfold outside. rewrite (sum_ext _ _ (fun _ => 0)); [now rewrite sum_zero|].
          intros z _. destruct (Req_EM_T r 0); [lra | reflexivity]. }
      rewrite weak_walk, Rplus_0_l, sum_seq_first.
      replace (given 0 0) with 0 by (unfold given; cbn; rewrite pos_id; lra).
      rewrite Rmult_0_r, Rplus_0_l. unfold Rdiv. rewrite <- sum_scal_r. apply sum_ext. intros B _.
      assert (HB : 0 < INR (S B)) by (apply lt_0_INR; lia).
      assert (I : 1 / INR k <= 1 / 2) by (unfold Rdiv; rewrite !Rmult_1_l; apply Rinv_le_contravar; lra).
      assert (I0 : 0 < 1 / INR k) by (apply Rdiv_lt_0_compat; lra).
      unfold krr_weak_given.
      rewrite (trinomial_hockey_three _ _ _ _ _ (gamma * L0) (gamma * L1) (gamma * L2)); try lra.
      - pose proof (bin_diag gamma N B) as D.
        rewrite (counts_mean_ext _ _ _ _ (fun a b => gamma * pos (0 + (L0 * INR a + L1 * INR b + L2 * (INR (S B) - INR a - INR b))))).
        2:{ intros a b _. rewrite <- pos_scal by lra. f_equal. ring. }
        rewrite mean_scal. fold (given (S B) 0).
        apply (Rmult_eq_reg_r (INR (S N) * INR (S B))); [|apply Rgt_not_eq, Rmult_lt_0_compat; assumption].
        transitivity (bin gamma (S N) (S B) * INR (S B) * given (S B) 0); [field; lra|].
        rewrite D. field. lra.
      - unfold krr_weak_w0, krr_weak_w1, L0. rewrite G. replace E with (1 / r - INR k + 1) by (unfold r; field; lra). field. lra.
      - unfold krr_weak_w0, krr_weak_w1, L1. rewrite G. replace E with (1 / r - INR k + 1) by (unfold r; field; lra). field. lra.
      - unfold krr_weak_w2, L2. field. lra.
    Qed.

    (* krr-weak is an upper bound for shuffled k-RR on all data, at every alpha. *)
    Theorem krr_weak_bound xs :
      hockey (words values (S (length xs))) alpha (shuffled (fun _ => krr E k) (x0 :: xs)) (shuffled (fun _ => krr E k) (x1 :: xs))
      <= krr_weak_hockey gamma (INR k) (length xs) alpha.
    Proof.
      rewrite <- krr_weak_is_blanket. destruct r_range as [R0 _]. apply blanket_common.
      - apply krr_law.
      - intros z _. lra.
      - intros y z _. apply krr_range.
    Qed.

    (* -- krr-strong -- *)

    Lemma blanket_walk_monotone (w m m' : nat -> R) n s s' :
      mass values w -> sum values w <= 1 -> (forall z, In z values -> m z / w z <= m' z / w z) -> s <= s' ->
      blanket_walk values w m n s <= blanket_walk values w m' n s'.
    Proof.
      intros W0 W1 HM. revert s s'; induction n as [|n IH]; intros s s' HS; cbn [blanket_walk]; [now apply pos_le|].
      apply Rplus_le_compat.
      - apply sum_le. intros z Hz. apply Rmult_le_compat_l; [now apply W0|]. apply IH. specialize (HM z Hz). lra.
      - apply Rmult_le_compat_l; [lra | now apply IH].
    Qed.

    (* A truthful user: E - 1 at x0, -alpha (E - 1) at x1, 0 elsewhere. *)
    Let truth z := if (x0 =? z)%nat then (E - 1) * r else if (x1 =? z)%nat then - (alpha * (E - 1)) * r else 0.

    Lemma strong_walk n s :
      blanket_walk values (fun _ => r) truth n s = walk (E - 1) (alpha * (E - 1)) r r n s.
    Proof.
      destruct r_range as [R0 R1].
      revert s; induction n as [|n IH]; intros s; [reflexivity|].
      rewrite (krr_walk_step (fun _ => r) truth r r r (E - 1) (- (alpha * (E - 1))) 0); auto.
      - rewrite !IH, Rplus_0_r. cbn [walk].
        replace (s + - (alpha * (E - 1))) with (s - alpha * (E - 1)) by ring. ring.
      - unfold truth. rewrite Nat.eqb_refl. field. lra.
      - unfold truth. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec x0 x1); [lia|]. field. lra.
      - intros z _ N0 N1. unfold truth.
        destruct (Nat.eqb_spec x0 z); [lia|]. destruct (Nat.eqb_spec x1 z); [lia|]. field. lra.
    Qed.

    Lemma walk_scal c up down p q n s : 0 <= c -> walk (c * up) (c * down) p q n (c * s) = c * walk up down p q n s.
    Proof.
      intros C. revert s; induction n as [|n IH]; intros s; cbn [walk]; [now apply pos_scal|].
      replace (c * s + c * up) with (c * (s + up)) by ring.
      replace (c * s - c * down) with (c * (s - down)) by ring. rewrite !IH. ring.
    Qed.

    Lemma krr_strong_walk N : 1 <= alpha ->
      krr_strong_hockey gamma (INR k) N alpha = walk (E - 1) (alpha * (E - 1)) r r (S N) 0 / INR (S N).
    Proof.
      intros A1. destruct r_range as [R0 R1]. pose proof k_real as K2.
      assert (G : gamma = INR k * r) by (unfold gamma, r; field; lra).
      assert (G01 : 0 <= gamma <= 1) by (rewrite G; split; nra).
      assert (HS : 0 < INR (S N)) by (apply lt_0_INR; lia).
      rewrite krr_strong_value by assumption.
      replace (gamma / INR k) with r by (rewrite G; field; lra).
      rewrite (trinomial_hockey_walk _ _ _ _ (1 / r) (alpha / r)); try (field; lra); try nra.
      replace (E - 1) with ((1 - gamma) * (1 / r)) by (rewrite G; replace E with (1 / r - INR k + 1) by (unfold r; field; lra); field; lra).
      replace (alpha * ((1 - gamma) * (1 / r))) with ((1 - gamma) * (alpha / r)) by (field; lra).
      replace 0 with ((1 - gamma) * 0) at 2 by ring. rewrite walk_scal by lra. field. lra.
    Qed.

    (* krr-weak is below krr-strong. *)
    Theorem krr_weak_below_strong N : 1 <= alpha ->
      krr_weak_hockey gamma (INR k) N alpha <= krr_strong_hockey gamma (INR k) N alpha.
    Proof.
      intros A1. destruct r_range as [R0 R1]. pose proof k_real as K2.
      assert (HI : 0 < / INR (S N)) by (apply Rinv_0_lt_compat, lt_0_INR; lia).
      rewrite <- krr_weak_is_blanket, krr_strong_walk by assumption. unfold blanket_bound. fold mu.
      replace (outside values (fun _ => r) mu) with 0.
      2:{ unfold outside. rewrite (sum_ext _ _ (fun _ => 0)); [now rewrite sum_zero|].
          intros z _. destruct (Req_EM_T r 0); [lra | reflexivity]. }
      rewrite Rplus_0_l, <- strong_walk. apply Rmult_le_compat_r; [lra|].
      apply blanket_walk_monotone; try lra.
      - intros z _. lra.
      - unfold values. rewrite sum_const, seq_length. nra.
      - intros z _. unfold Rdiv. apply Rmult_le_compat_r; [apply Rlt_le; now apply Rinv_0_lt_compat|].
        rewrite mu_value. unfold truth. destruct (x0 =? z)%nat, (x1 =? z)%nat; nra.
    Qed.

    (* krr-strong is an upper bound for shuffled k-RR on all data. *)
    Corollary krr_strong_bound xs : 1 <= alpha ->
      hockey (words values (S (length xs))) alpha (shuffled (fun _ => krr E k) (x0 :: xs)) (shuffled (fun _ => krr E k) (x1 :: xs))
      <= krr_strong_hockey gamma (INR k) (length xs) alpha.
    Proof. intros A1. eapply Rle_trans; [apply krr_weak_bound | now apply krr_weak_below_strong]. Qed.

    (* -- krr-same -- *)

    Lemma same_walk n s :
      blanket_walk values (krr E k x0) mu n s
      = counts_mean (E * r) r n (fun a b => pos (s + (L0 / E * INR a + L1 * INR b + L2 * (INR n - INR a - INR b)))).
    Proof.
      destruct r_range as [R0 R1].
      assert (M : forall z, z = x0 \/ z = x1 \/ (z <> x0 /\ z <> x1)).
      { intros z. destruct (Nat.eq_dec z x0); [auto|]. destruct (Nat.eq_dec z x1); auto. }
      revert s; induction n as [|n IH]; intros s.
      - cbn. f_equal. ring.
      - rewrite (krr_walk_step (krr E k x0) mu (E * r) r r (L0 / E) L1 L2).
        + rewrite !IH. cbn [counts_mean].
          replace (1 - E * r - r - (INR k - 2) * r) with 0 by lra.
          replace ((INR k - 2) * r) with (1 - E * r - r) by lra. rewrite Rmult_0_l, Rplus_0_r.
          f_equal; [f_equal|]; f_equal; apply counts_mean_ext; intros a b _; f_equal; rewrite !S_INR; field; lra.
        + now rewrite krr_value, Nat.eqb_refl.
        + rewrite krr_value by assumption. destruct (Nat.eqb_spec x0 x1); [lia | reflexivity].
        + intros z _ N0 N1. rewrite krr_value by assumption. destruct (Nat.eqb_spec x0 z); [lia | reflexivity].
        + rewrite mu_value, krr_value, Nat.eqb_refl by assumption. unfold L0. field. lra.
        + rewrite mu_value, krr_value, Nat.eqb_refl by assumption. destruct (Nat.eqb_spec x0 x1); [lia|]. unfold L1. field. lra.
        + intros z _ N0 N1. rewrite mu_value, krr_value by assumption.
          destruct (Nat.eqb_spec x0 z); [lia|]. destruct (Nat.eqb_spec x1 z); [lia|]. unfold L2. field. lra.
    Qed.

    (* krr-same is exact: all n others hold x0. *)
    Theorem krr_same_exact n :
      hockey (words values (S n)) alpha (shuffled (fun _ => krr E k) (x0 :: repeat x0 n)) (shuffled (fun _ => krr E k) (x1 :: repeat x0 n))
      = krr_same_hockey E (INR k) n alpha.
    Proof.
      destruct r_range as [R0 R1]. pose proof k_real as K2.
      unfold values. rewrite (alike_exact _ (krr E k) alpha x0 x1 x0 krr_law). fold values.
      unfold blanket_bound. fold mu.
      replace (outside values (krr E k x0) mu) with 0.
      2:{ unfold outside. rewrite (sum_ext _ _ (fun _ => 0)); [now rewrite sum_zero|].
          intros z _. pose proof (krr_range x0 z). destruct (Req_EM_T (krr E k x0 z) 0); [lra | reflexivity]. }
      rewrite Rplus_0_l, same_walk. unfold krr_same_hockey.
      replace (E / (E + INR k - 1)) with (E * r) by (unfold r; field; lra).
      replace ((INR k - 2) / (E + INR k - 1)) with ((INR k - 2) * r) by (unfold r; field; lra). fold r.
      rewrite (trinomial_hockey_three _ _ _ _ _ (L0 / E) L1 L2).
      - f_equal. apply counts_mean_ext. intros a b _. f_equal. ring.
      - nra.
      - lra.
      - nra.
      - unfold L0. field. lra.
      - unfold L1. ring.
      - unfold L2. replace (1 - E * r - r) with ((INR k - 2) * r) by lra. ring.
    Qed.

    (* -- krr-third -- *)

    Lemma krr_in_U x : (x < k)%nat -> in_U values (krr E k) (Nat.eqb x0) x = if (x =? x0)%nat then E * r else r.
    Proof.
      intros H. unfold in_U, values.
      rewrite (sum_ext _ _ (fun z => if (x0 =? z)%nat then krr E k x x0 else 0)).
      - rewrite sum_at, krr_value by assumption. reflexivity.
      - intros z _. destruct (Nat.eqb_spec x0 z) as [<-|]; reflexivity.
    Qed.

    Lemma krr_in_V x : (x < k)%nat ->
      in_V values (krr E k) (Nat.eqb x0) (Nat.eqb x1) x = if (x =? x1)%nat then E * r else r.
    Proof.
      intros H. unfold in_V, values.
      rewrite (sum_ext _ _ (fun z => if (x1 =? z)%nat then krr E k x x1 else 0)).
      - rewrite sum_at, krr_value by assumption. reflexivity.
      - intros z _. destruct (Nat.eqb_spec x0 z) as [<-|].
        + destruct (Nat.eqb_spec x1 x0); [lia | reflexivity].
        + destruct (Nat.eqb_spec x1 z) as [<-|]; reflexivity.
    Qed.

    (* krr-third is a lower bound: all n others hold y, another value. *)
    Theorem krr_third_below y n : (y < k)%nat -> y <> x0 -> y <> x1 ->
      krr_third_hockey E (INR k) n alpha
      <= hockey (words values (S n)) alpha (shuffled (fun _ => krr E k) (x0 :: repeat y n)) (shuffled (fun _ => krr E k) (x1 :: repeat y n)).
    Proof.
      intros Hy Y0 Y1. destruct r_range as [R0 R1]. pose proof k_real as K2.
      eapply Rle_trans; [|apply (counts_below values (krr E k) (Nat.eqb x0) (Nat.eqb x1) krr_law)].
      right. unfold krr_third_hockey, trinomial_hockey, counts_law, trinomial_P, trinomial_Q.
      rewrite !krr_in_U, !krr_in_V by assumption.
      rewrite !Nat.eqb_refl.
      destruct (Nat.eqb_spec x0 x1); [lia|]. destruct (Nat.eqb_spec x1 x0); [lia|].
      destruct (Nat.eqb_spec y x0); [lia|]. destruct (Nat.eqb_spec y x1); [lia|].
      replace (E / (E + INR k - 1)) with (E * r) by (unfold r; field; lra).
      replace ((INR k - 2) / (E + INR k - 1)) with (1 - E * r - r) by (unfold r; field; lra). fold r.
      replace (1 - r - E * r) with (1 - E * r - r) by ring. reflexivity.
    Qed.

    (* -- the local profile of k-RR -- *)

    Theorem krr_profile : 1 <= alpha -> alpha <= E ->
      hockey values alpha (krr E k x0) (krr E k x1) = (E - alpha) / (E + INR k - 1).
    Proof.
      intros A1 AE. destruct r_range as [R0 R1]. pose proof k_real as K2. unfold hockey, values.
      rewrite (sum_but_two k x0 x1 0); auto.
      - fold (mu x0) (mu x1). rewrite !mu_value, !Nat.eqb_refl. destruct (Nat.eqb_spec x0 x1); [lia|].
        rewrite pos_id by (apply Rmult_le_pos; lra).
        assert (0 <= (alpha * E - 1) * r) by (apply Rmult_le_pos; nra).
        rewrite pos_zero by lra. unfold r. field. lra.
      - intros z _ N0 N1. fold (mu z). rewrite mu_value.
        destruct (Nat.eqb_spec x0 z); [lia|]. destruct (Nat.eqb_spec x1 z); [lia|]. apply pos_zero.
        assert (0 <= (alpha - 1) * r) by (apply Rmult_le_pos; lra). lra.
    Qed.

    (* The bound from the local profile, for k-RR. *)
    Corollary krr_local_profile xs : 1 <= alpha -> alpha < E ->
      hockey (words values (S (length xs))) alpha (shuffled (fun _ => krr E k) (x0 :: xs)) (shuffled (fun _ => krr E k) (x1 :: xs))
      <= profile_bound E alpha ((E - alpha) / (E + INR k - 1)) (S (length xs)).
    Proof.
      intros A1 AE. pose proof k_real as K2. apply (local_profile values (fun _ => krr E k) E); auto.
      - intros h x. apply krr_law.
      - exact krr_ldp.
      - intros h. right. apply krr_profile; lra.
      - unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
    Qed.
  End Pair.
End Krr.

(* rr2: binary randomised response, all others alike. *)
Corollary rr2_exact E x0 x1 alpha n :
  1 <= E -> (x0 < 2)%nat -> (x1 < 2)%nat -> x0 <> x1 ->
  hockey (words (seq 0 2) (S n)) alpha (shuffled (fun _ => krr E 2) (x0 :: repeat x0 n)) (shuffled (fun _ => krr E 2) (x1 :: repeat x0 n))
  = rr2_hockey E n alpha.
Proof.
  intros HE H0 H1 HN. rewrite krr_same_exact by (assumption || lia).
  unfold krr_same_hockey, rr2_hockey. cbn [INR]. f_equal; field; lra.
Qed.
