(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * What certificates say in the terms of the other files: delta of a pair is a
 * non-increasing function of alpha, so that the two certified values of delta
 * enclose eps(delta); and delta of KrrStrong is the divergence for the adversary
 * of krr-strong, not only a multiple of a trinomial pair's (../certificates.md).
 *)
From Coq Require Import Reals List QArith Qreals Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Trinomial Strata KrrPairs Certificate.
Import ListNotations.
Open Scope R_scope.

Lemma with_user_mass w0 w1 w2 r0 r1 N : 0 <= w0 -> 0 <= w1 -> 0 <= w2 -> 0 <= r0 -> 0 <= r1 -> r0 + r1 <= 1 ->
  mass (counts N) (with_user w0 w1 w2 (others r0 r1 N)).
Proof.
  intros A B C D E F [a b] _. unfold with_user.
  assert (T : forall a b, 0 <= others r0 r1 N a b) by (intros; apply others_nonneg; lra).
  assert (0 <= before (fun a => others r0 r1 N a b) a) by (destruct a; cbn; [lra | apply T]).
  assert (0 <= before (fun b => others r0 r1 N a b) b) by (destruct b; cbn; [lra | apply T]).
  pose proof (T a b). repeat apply Rplus_le_le_0_compat; now apply Rmult_le_pos.
Qed.

(* delta is non-increasing. *)
Theorem delta_at_decreasing dir p a b : valid p = true -> a <= b -> delta_at dir p b <= delta_at dir p a.
Proof.
  intros V H. pose proof (valid_fine p V) as [A B C D E _]. unfold delta_at. cbv zeta.
  apply Rmult_le_compat_l; [now apply scale_bounds|].
  set (w := weights_of p) in *. set (N := pred (Pos.to_nat (users p))).
  assert (F : forward w N b <= forward w N a) by (apply hockey_decreasing; trivial; apply with_user_mass; lra).
  assert (G : backward w N b <= backward w N a) by (apply hockey_decreasing; trivial; apply with_user_mass; lra).
  destruct dir; trivial. apply Rmax_lub.
  - eapply Rle_trans; [exact F | apply Rmax_l].
  - eapply Rle_trans; [exact G | apply Rmax_r].
Qed.

(* A certificate of `epsilon` in two values of delta: hi and everything above it will do
   for D, and whatever will do is above lo. So the smallest eps is in (lo, hi]. *)
Theorem epsilon_enclosed dir p D lo hi : valid p = true -> D < delta dir p lo -> delta dir p hi <= D ->
  (forall x, value hi <= x -> delta_at dir p (exp x) <= D) /\
  (forall x, delta_at dir p (exp x) <= D -> value lo < x).
Proof.
  intros V L H. unfold delta in *. split; intros x X.
  - eapply Rle_trans; [|exact H]. apply delta_at_decreasing; trivial.
    destruct X as [X|X]; [left; now apply exp_increasing | right; now rewrite X].
  - destruct (Rlt_le_dec (value lo) x) as [|Y]; trivial.
    assert (delta_at dir p (exp (value lo)) <= delta_at dir p (exp x)); [|lra].
    apply delta_at_decreasing; trivial.
    destruct Y as [Y|Y]; [left; now apply exp_increasing | right; now rewrite Y].
Qed.

(* delta of KrrStrong is what the adversary of krr-strong sees. *)
Theorem delta_krr_strong n k g eps : valid (KrrStrong n k g) = true -> at_least_zero eps = true ->
  delta Both (KrrStrong n k g) eps = krr_strong_hockey (Q2R g) (IZR (Zpos k)) (pred (Pos.to_nat n)) (exp (value eps)).
Proof.
  intros V E. pose proof (exp_at_least_one eps E).
  cbn [valid] in V. split_andb.
  repeat match goal with H : Qle_bool _ _ = true |- _ => apply Qle_bool_R in H
                       | H : Qlt_bool _ _ = true |- _ => apply Qlt_bool_R in H
                       | H : Pos.leb 2 ?k = true |- _ => apply Pos_leb_R in H end.
  rewrite Q2R_zero, Q2R_one in *.
  rewrite krr_strong_value by lra.
  unfold delta, delta_at. cbv zeta. rewrite backward_forward. unfold turned, forward.
  cbn [weights_of w0 w1 w2 r0 r1 scale users]. now rewrite Rmax_left by lra.
Qed.
