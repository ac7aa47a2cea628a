(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The bound B_n(m) from the local profile as a number (../local-profile.md,
 * Lemmas 1, 3, 4 and 7): it has a law behind it, it grows with m, falls with n,
 * is at most m, and what rounding m or the trinomial pair's weights does to it.
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Trinomial TrinomialMean LocalProfile Monotone.
Import ListNotations.
Open Scope R_scope.

Section Bound.
  Variables E alpha : R.
  Hypotheses (A1 : 1 <= alpha) (AE : alpha < E).

  Let up := E - alpha.
  Let down := alpha * E - 1.
  Let top := (E - alpha) / (E + 1).

  Lemma steps_positive : 0 < up /\ 0 < down.
  Proof. split; [now apply up_positive | now apply down_positive]. Qed.

  (* Lemma 1: the probabilities of up and -down, and the mean. *)
  Theorem weights_range m :
    0 <= m -> m <= top ->
    0 <= m / up <= / (E + 1) /\ 0 <= (m + alpha - 1) / down <= / (E + 1)
    /\ m / up * up - (m + alpha - 1) / down * down = 1 - alpha.
  Proof.
    intros M0 M1. destruct steps_positive as [U D]. unfold top in M1.
    assert (0 < / up /\ 0 < / down) as [Iu Id] by (split; now apply Rinv_0_lt_compat).
    repeat split.
    - apply Rmult_le_pos; lra.
    - apply (Rmult_le_reg_l up); [assumption|]. replace (up * (m / up)) with m by (field; lra). exact M1.
    - apply Rmult_le_pos; lra.
    - apply (Rmult_le_reg_l down); [assumption|].
      replace (down * ((m + alpha - 1) / down)) with (m + alpha - 1) by (field; lra).
      replace (down * / (E + 1)) with ((E - alpha) / (E + 1) + alpha - 1) by (unfold down; field; lra). lra.
    - field. lra.
  Qed.

  Lemma half : / (E + 1) <= / 2.
  Proof. apply Rinv_le_contravar; lra. Qed.

  Let W (m : R) := walk up down (m / up) ((m + alpha - 1) / down).

  Lemma bound_is_walk m n : profile_bound E alpha m n = W m n 0 / INR n.
  Proof. reflexivity. Qed.

  (* Lemma 3 for walks: more m, more mean. *)
  Lemma walk_monotone m m' k s : 0 <= m -> m <= m' -> m' <= top -> W m k s <= W m' k s.
  Proof.
    intros M0 L M1. revert s; induction k as [|k IH]; intros s; [apply Rle_refl|].
    destruct steps_positive as [U D]. pose proof half.
    destruct (weights_range m) as (P & Q & _); try lra.
    destruct (weights_range m') as (P' & Q' & _); try lra.
    unfold W. cbn [walk]. fold (W m) (W m').
    pose proof (IH (s + up)) as B1. pose proof (IH (s - down)) as B2. pose proof (IH s) as B3.
    apply (Rmult_le_compat_l (m / up)) in B1; [|lra].
    apply (Rmult_le_compat_l ((m + alpha - 1) / down)) in B2; [|lra].
    apply (Rmult_le_compat_l (1 - m / up - (m + alpha - 1) / down)) in B3; [|lra].
    pose proof (walk_convex up down (m' / up) ((m' + alpha - 1) / down) (proj1 P') (proj1 Q')
      ltac:(lra) k s up down (Rlt_le _ _ U) (Rlt_le _ _ D)) as C. fold (W m') in C.
    pose proof (spread_more up down (alpha - 1) m m' _ _ _ U D L C) as G.
    replace (m + (alpha - 1)) with (m + alpha - 1) in G by ring.
    replace (m' + (alpha - 1)) with (m' + alpha - 1) in G by ring. lra.
  Qed.

  Lemma inv_users n : 0 < / INR (S n).
  Proof. apply Rinv_0_lt_compat, lt_0_INR. lia. Qed.

  (* Lemma 3: B_n(m) does not fall as m grows. *)
  Theorem profile_bound_monotone m m' n :
    0 <= m -> m <= m' -> m' <= top -> profile_bound E alpha m (S n) <= profile_bound E alpha m' (S n).
  Proof.
    intros M0 L M1. pose proof (inv_users n). rewrite !bound_is_walk. unfold Rdiv.
    apply Rmult_le_compat_r; [lra|]. now apply walk_monotone.
  Qed.

  (* Lemma 3: nor does it grow with n. *)
  Theorem profile_bound_users m n n' :
    0 <= m -> m <= top -> (n <= n')%nat -> profile_bound E alpha m (S n') <= profile_bound E alpha m (S n).
  Proof.
    intros M0 M1 L. pose proof half. destruct (weights_range m M0 M1) as (P & Q & _).
    rewrite !profile_bound_trinomial by assumption. unfold up, down in *. apply trinomial_monotone; auto; lra.
  Qed.

  (* Lemma 3: one user; so it is at most the local profile itself. *)
  Theorem profile_bound_single m : profile_bound E alpha m 1 = m.
  Proof.
    destruct steps_positive as [U D]. rewrite bound_is_walk. unfold W. cbn [walk INR].
    rewrite (pos_id (0 + up)), (pos_zero (0 - down)), (pos_zero 0) by lra. field. lra.
  Qed.

  Corollary profile_bound_local m n : 0 <= m -> m <= top -> profile_bound E alpha m (S n) <= m.
  Proof.
    intros M0 M1. rewrite <- (profile_bound_single m) at 2. apply profile_bound_users; auto. lia.
  Qed.

  (* Lemma 7 for walks. *)
  Lemma walk_rounded t q k s :
    0 <= t <= 1 -> 0 <= q -> q <= top -> (1 - t) ^ k * W q k s <= W ((1 - t) * q) k s.
  Proof.
    intros T Q0 Q1. destruct steps_positive as [U D]. pose proof half.
    set (m := (1 - t) * q).
    assert (M0 : 0 <= m) by (apply Rmult_le_pos; lra).
    assert (M1 : m <= q) by (unfold m; nra).
    assert (0 < / up /\ 0 < / down) as [Iu Id] by (split; now apply Rinv_0_lt_compat).
    destruct (weights_range q) as (Pq & Rq & _); try lra.
    destruct (weights_range m) as (Pm & Rm & _); try lra.
    assert (WU : (1 - t) * (q / up) = m / up) by (unfold m; field; lra).
    assert (WD : (1 - t) * ((q + alpha - 1) / down) <= (m + alpha - 1) / down).
    { unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|]. unfold m. nra. }
    assert (LU : m / up <= q / up) by (unfold Rdiv; apply Rmult_le_compat_r; lra).
    assert (LD : (m + alpha - 1) / down <= (q + alpha - 1) / down) by (unfold Rdiv; apply Rmult_le_compat_r; lra).
    assert (WZ : (1 - t) * (1 - q / up - (q + alpha - 1) / down) <= 1 - m / up - (m + alpha - 1) / down) by nra.
    revert s; induction k as [|k IH]; intros s; [cbn; lra|].
    assert (N : forall s, 0 <= W q k s) by (intros; apply walk_nonneg; lra).
    assert (T0 : 0 <= (1 - t) ^ k) by (apply pow_le; lra).
    unfold W at 2. cbn [walk]. fold (W m).
    apply Rle_trans with (m / up * ((1 - t) ^ k * W q k (s + up))
      + (m + alpha - 1) / down * ((1 - t) ^ k * W q k (s - down))
      + (1 - m / up - (m + alpha - 1) / down) * ((1 - t) ^ k * W q k s)).
    - unfold W at 1. cbn [walk pow]. fold (W q).
      set (x := (1 - t) ^ k * W q k (s + up)). set (y := (1 - t) ^ k * W q k (s - down)).
      set (z := (1 - t) ^ k * W q k s).
      assert (0 <= x /\ 0 <= y /\ 0 <= z) as (X & Y & Z)
        by (repeat split; apply Rmult_le_pos; auto).
      replace ((1 - t) * (1 - t) ^ k * _) with
        ((1 - t) * (q / up) * x + (1 - t) * ((q + alpha - 1) / down) * y
         + (1 - t) * (1 - q / up - (q + alpha - 1) / down) * z) by (unfold x, y, z; ring).
      rewrite WU. apply (Rmult_le_compat_r y) in WD; [|assumption]. apply (Rmult_le_compat_r z) in WZ; [|assumption]. lra.
    - pose proof (IH (s + up)) as B1. pose proof (IH (s - down)) as B2. pose proof (IH s) as B3.
      apply (Rmult_le_compat_l (m / up)) in B1; [|lra].
      apply (Rmult_le_compat_l ((m + alpha - 1) / down)) in B2; [|lra].
      apply (Rmult_le_compat_l (1 - m / up - (m + alpha - 1) / down)) in B3; lra.
  Qed.

  (* Lemma 7: B_n((1-t) q) >= (1-t)^n B_n(q). *)
  Theorem profile_bound_scaled t q n :
    0 <= t <= 1 -> 0 <= q -> q <= top ->
    (1 - t) ^ S n * profile_bound E alpha q (S n) <= profile_bound E alpha ((1 - t) * q) (S n).
  Proof.
    intros T Q0 Q1. pose proof (inv_users n). rewrite !bound_is_walk. unfold Rdiv. rewrite <- Rmult_assoc.
    apply Rmult_le_compat_r; [lra|]. now apply walk_rounded.
  Qed.

  (* So a local profile between low and q has its bound between two numbers. *)
  Corollary profile_bound_between low m q n :
    0 <= low -> low <= m -> m <= q -> 0 < q -> q <= top ->
    (low / q) ^ S n * profile_bound E alpha q (S n) <= profile_bound E alpha m (S n) <= profile_bound E alpha q (S n).
  Proof.
    intros L0 L1 L2 Q0 Q1. split; [|apply profile_bound_monotone; lra].
    assert (0 <= low / q <= 1).
    { assert (0 < / q) by now apply Rinv_0_lt_compat. split; [apply Rmult_le_pos; lra|].
      apply (Rmult_le_reg_r q); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    apply Rle_trans with (profile_bound E alpha low (S n)); [|apply profile_bound_monotone; lra].
    pose proof (profile_bound_scaled (1 - low / q) q n) as S.
    replace (1 - (1 - low / q)) with (low / q) in S by ring.
    replace (low / q * q) with low in S by (field; lra). apply S; lra.
  Qed.

  (* Lemmas 2 and 4: the pair with its weights w1, r0, r1 rounded down bounds B_n(m)
     from above, and with all three rounded up from below. *)
  Theorem profile_bound_rounded m n w r0 r1 w' r0' r1' :
    0 <= m -> m <= top ->
    w <= (1 - m) / (1 + alpha) <= w' -> w' <= 1 / 2 ->
    0 <= r0 -> r0 <= m / (E - alpha) <= r0' -> 0 <= r1 -> r1 <= (m + alpha - 1) / (alpha * E - 1) <= r1' ->
    r0' + r1' <= 1 ->
    trinomial_hockey (1 - w') w' 0 r0' r1' n alpha <= profile_bound E alpha m (S n)
      <= trinomial_hockey (1 - w) w 0 r0 r1 n alpha.
  Proof.
    intros M0 M1 W1 W2 R0 R1 R2 R3 R4. rewrite profile_bound_trinomial by assumption.
    set (v := (1 - m) / (1 + alpha)) in *.
    replace ((m + alpha) / (1 + alpha)) with (1 - v) by (unfold v; field; lra).
    assert (User : forall u u' s0 s1, u <= u' -> u' <= 1 / 2 -> 0 <= s0 -> 0 <= s1 -> s0 + s1 <= 1 ->
      trinomial_hockey (1 - u') u' 0 s0 s1 n alpha <= trinomial_hockey (1 - u) u 0 s0 s1 n alpha).
    { intros u u' s0 s1 H1 H2 S0 S1 S2.
      pose proof (trinomial_hockey_user (1 - u') (1 - u) s0 s1 n alpha S0 S1 S2 A1 ltac:(lra) ltac:(lra)) as H.
      replace (1 - (1 - u')) with u' in H by ring. replace (1 - (1 - u)) with u in H by ring. exact H. }
    split.
    - eapply Rle_trans; [apply (User v w'); lra|]. apply trinomial_hockey_counted; lra.
    - eapply Rle_trans; [apply (User w v); lra|]. apply trinomial_hockey_counted; lra.
  Qed.
End Bound.
