(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * rho-zCDP from Renyi divergences at some orders: ../renyi-profile.md, Lemma 6. That
 * D_a <= rho a is that the moment of order a is at most e^(a (a-1) rho); rho has to
 * do so at every order a > 1, and what is known are divergences at two of them.
 *)
From Coq Require Import Reals List Lra Lia.
From Shufbound Require Import Sum Hockey Divergence Renyi.
Import ListNotations.
Open Scope R_scope.

Lemma exp_le a b : a <= b -> exp a <= exp b.
Proof. intros [H| ->]; [now apply Rlt_le, exp_increasing | apply Rle_refl]. Qed.

Section Orders.
  Context {A : Type} (l : list A) (P Q : A -> R) (b c d e : R).
  Hypotheses (LP : law l P) (LQ : law l Q) (C : continuous l P Q) (HB : 1 < b) (BC : b < c).
  Hypotheses (D : moment b l P Q <= exp ((b - 1) * d)) (E : moment c l P Q <= exp ((c - 1) * e)) (E0 : 0 <= e).

  (* Between the two orders the logarithms of the moments are below the chord f + g a, *)
  Let g := ((c - 1) * e - (b - 1) * d) / (c - b).
  Let f := (b - 1) * d - g * b.

  Theorem zcdp_chord a : b <= a <= c -> moment a l P Q <= exp (a * (a - 1) * ((f + g * a) / (a * (a - 1)))).
  Proof.
    intros [B0 B1]. set (t := (a - b) / (c - b)).
    assert (T : t * (c - b) = a - b) by (unfold t; field; lra).
    assert (T01 : 0 <= t <= 1) by (split; nra).
    assert (G : g * (c - b) = (c - 1) * e - (b - 1) * d) by (unfold g; field; lra).
    replace (a * (a - 1) * ((f + g * a) / (a * (a - 1)))) with (f + g * a) by (field; lra).
    replace (f + g * a) with ((1 - t) * ((b - 1) * d) + t * ((c - 1) * e)).
    - replace a with ((1 - t) * b + t * c) at 1 by lra. apply moment_log_convex; trivial; [apply LP | apply LQ].
    - replace (g * a) with (g * b + g * (t * (c - b))) by (rewrite T; ring). replace (g * (t * (c - b))) with (t * (g * (c - b))) by ring.
      rewrite G. unfold f. ring.
  Qed.

  (* and the divergences below the larger order are at most its own. *)
  Theorem zcdp_below a : 1 < a <= c -> moment a l P Q <= exp (a * (a - 1) * e).
  Proof.
    intros [A1 A2]. eapply Rle_trans; [apply (renyi_increasing l P Q a c e LP (proj1 LQ) C); [split; assumption | exact E]|].
    apply exp_le. assert (0 <= (a - 1) * ((a - 1) * e)) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]). lra.
  Qed.

  Theorem zcdp_between a : b <= a <= c -> moment a l P Q <= exp (a * (a - 1) * (e / b)).
  Proof.
    intros [A1 A2]. eapply Rle_trans; [apply (renyi_increasing l P Q a c e LP (proj1 LQ) C); [split; lra | exact E]|].
    apply exp_le. replace (a * (a - 1) * (e / b)) with ((a - 1) * e * (a / b)) by (field; lra).
    assert (1 <= a / b) by (apply (Rmult_le_reg_r b); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra).
    assert (0 <= (a - 1) * e) by (apply Rmult_le_pos; lra). nra.
  Qed.

  (* Above it is the largest loss L. *)
  Theorem zcdp_above a L : c <= a -> 0 <= L -> (forall x, In x l -> P x <= exp L * Q x) -> moment a l P Q <= exp (a * (a - 1) * (L / c)).
  Proof.
    intros AC L0 HL. apply Rle_trans with (exp ((a - 1) * L)).
    - replace (exp ((a - 1) * L)) with (exp ((a - 1) * L) * sum l P) by (rewrite (proj2 LP); ring). unfold moment. rewrite <- sum_scal. apply sum_le. intros x I.
      destruct LP as [MP _], LQ as [MQ _]. specialize (MP x I). specialize (MQ x I). specialize (HL x I).
      destruct MP as [MP|MP].
      + assert (QX : 0 < Q x) by (destruct MQ as [MQ|MQ]; [exact MQ | rewrite <- MQ, Rmult_0_r in HL; lra]).
        assert (R0 : 0 < P x / Q x) by now apply Rdiv_lt_0_compat. rewrite powr_pos by exact R0.
        replace a with ((a - 1) + 1) at 1 by ring. rewrite Rpower_plus, Rpower_1 by exact R0.
        replace (Q x * (Rpower (P x / Q x) (a - 1) * (P x / Q x))) with (Rpower (P x / Q x) (a - 1) * P x) by (field; lra).
        apply Rmult_le_compat_r; [lra|]. unfold Rpower. apply exp_le. apply Rmult_le_compat_l; [lra|].
        rewrite <- (ln_exp L). assert (P x / Q x <= exp L) by (apply (Rmult_le_reg_r (Q x)); [exact QX|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra).
        destruct H as [H|H]; [now apply Rlt_le, ln_increasing | rewrite H; apply Rle_refl].
      + rewrite <- MP. unfold Rdiv. rewrite Rmult_0_l, powr_zero. lra.
    - apply exp_le. replace (a * (a - 1) * (L / c)) with ((a - 1) * L * (a / c)) by (field; lra).
      assert (1 <= a / c) by (apply (Rmult_le_reg_r c); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra).
      assert (0 <= (a - 1) * L) by (apply Rmult_le_pos; lra). nra.
  Qed.
End Orders.
