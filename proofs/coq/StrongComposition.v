(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The optimal composition of (eps, delta)-DP mechanisms: ../strong-composition.md,
 * Kairouz, Oh and Viswanath, arXiv 1311.0776, Theorem 3.3. E = e^eps.
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Composition Shuffle Stronger.
Import ListNotations.
Open Scope R_scope.

(* Two laws that are (eps, delta)-DP, both ways. *)
Definition private {A} (l : list A) (E delta : R) (P Q : A -> R) : Prop :=
  law l P /\ law l Q /\ hockey l E P Q <= delta /\ hockey l E Q P <= delta.

(* The extreme pair: an outcome of P alone, binary randomised response, an outcome of Q alone. *)
Inductive extreme_outcome := only_P | yes | no | only_Q.

Definition extreme_outcomes : list extreme_outcome := [only_P; yes; no; only_Q].

Definition extreme_P (E delta : R) (x : extreme_outcome) : R :=
  match x with only_P => delta | yes => (1 - delta) * (E / (E + 1)) | no => (1 - delta) * (1 / (E + 1)) | only_Q => 0 end.

Definition extreme_Q (E delta : R) (x : extreme_outcome) : R :=
  match x with only_P => 0 | yes => (1 - delta) * (1 / (E + 1)) | no => (1 - delta) * (E / (E + 1)) | only_Q => delta end.

Definition extreme_pair (E delta : R) : pair_of extreme_outcome := Pair extreme_outcomes (extreme_P E delta) (extreme_Q E delta).

(* Binary randomised response on a one, and on a zero. *)
Definition response_pair (E : R) : pair_of bool := Pair [true; false] (binary E [] true) (binary E [] false).

Section Extreme.
  Variables E delta : R.
  Hypotheses (HE : 1 <= E) (HD : 0 <= delta <= 1).

  Lemma extreme_laws : law extreme_outcomes (extreme_P E delta) /\ law extreme_outcomes (extreme_Q E delta).
  Proof.
    pose proof (over_E_plus E HE) as R. pose proof (E_over_E_plus E HE) as S.
    split; (split; [intros [] _; cbn; try apply Rmult_le_pos; lra | cbn; rewrite S; ring]).
  Qed.

  Lemma extreme_value alpha :
    1 <= alpha ->
    hockey extreme_outcomes alpha (extreme_P E delta) (extreme_Q E delta) = delta + (1 - delta) * (1 / (E + 1)) * pos (E - alpha)
    /\ hockey extreme_outcomes alpha (extreme_Q E delta) (extreme_P E delta) = delta + (1 - delta) * (1 / (E + 1)) * pos (E - alpha).
  Proof.
    intros A1. pose proof (over_E_plus E HE) as R. assert (Q : E / (E + 1) = E * (1 / (E + 1))) by (field; lra).
    set (r := 1 / (E + 1)) in *. set (c := (1 - delta) * r).
    assert (C : 0 <= c) by (apply Rmult_le_pos; lra).
    unfold hockey, extreme_outcomes. cbn [sum extreme_P extreme_Q]. rewrite Q. fold r.
    replace ((1 - delta) * (E * r)) with (c * E) by (unfold c; ring). fold c.
    replace (c * E - alpha * c) with (c * (E - alpha)) by ring.
    assert (K : 0 <= c * (alpha * E - 1)) by (apply Rmult_le_pos; nra).
    assert (D0 : 0 <= alpha * delta) by (apply Rmult_le_pos; lra).
    rewrite (pos_scal c (E - alpha) C), (pos_id (delta - alpha * 0)), (pos_zero (c - alpha * (c * E))), (pos_zero (0 - alpha * delta)) by lra.
    split; ring.
  Qed.

  (* So it is (eps, delta)-DP itself: the composition of such pairs is one of the mechanisms. *)
  Lemma extreme_private : private extreme_outcomes E delta (extreme_P E delta) (extreme_Q E delta).
  Proof.
    destruct extreme_laws as [LP LQ]. destruct (extreme_value E HE) as [V V'].
    rewrite (pos_zero (E - E)) in V, V' by lra. repeat split; try apply LP; try apply LQ; lra.
  Qed.

  (* It dominates all such laws. *)
  Theorem extreme_dominates {A} (l : list A) P Q :
    private l E delta P Q -> dominates extreme_outcomes (extreme_P E delta) (extreme_Q E delta) l P Q.
  Proof.
    intros (LP & LQ & H1 & H2). destruct extreme_laws as [LA LB].
    assert (G : forall U V, law l U -> law l V -> hockey l E U V <= delta -> hockey l E V U <= delta ->
      forall alpha, 1 <= alpha -> hockey l alpha U V <= delta + (1 - delta) * (1 / (E + 1)) * pos (E - alpha)).
    { intros U V [MU SU] [MV SV] HUV HVU alpha A1. pose proof (over_E_plus E HE) as R.
      destruct (Rle_dec E alpha) as [L|L].
      - rewrite pos_zero by lra. rewrite Rmult_0_r, Rplus_0_r.
        eapply Rle_trans; [|exact HUV]. now apply hockey_decreasing.
      - assert (D : 0 < E * E - 1) by nra. rewrite pos_id by lra.
        set (a := (alpha * E - 1) / (E * E - 1)). set (b := (E - alpha) / (E * E - 1)).
        assert (a0 : 0 <= a) by (unfold a, Rdiv; apply Rmult_le_pos; [nra | apply Rlt_le, Rinv_0_lt_compat, D]).
        assert (b0 : 0 <= b) by (unfold b, Rdiv; apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, D]).
        assert (N : E * E - 1 <> 0) by lra. assert (N1 : E + 1 <> 0) by lra. assert (N2 : E - 1 <> 0) by lra.
        apply Rle_trans with (a * hockey l E U V + b * (hockey l E V U + (E - 1))).
        + replace (E - 1) with (sum l (fun x => E * U x - V x)) by (rewrite sum_minus, sum_scal, SU, SV; ring).
          unfold hockey. rewrite <- sum_plus, <- !sum_scal, <- sum_plus. apply sum_le. intros x _.
          replace (U x - alpha * V x) with (a * (U x - E * V x) + b * (E * U x - V x)) by (unfold a, b; field; exact N).
          eapply Rle_trans; [apply pos_plus|]. rewrite !pos_scal by assumption. apply Rplus_le_compat_l.
          apply Rmult_le_compat_l; [exact b0|]. pose proof (pos_diff (V x - E * U x)).
          replace (E * U x - V x) with (- (V x - E * U x)) at 1 by ring. lra.
        + apply Rle_trans with (a * delta + b * (delta + (E - 1))).
          * apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
          * right. unfold a, b. replace (E * E - 1) with ((E - 1) * (E + 1)) by ring. field. lra. }
    apply dominates_both_directions; auto; intros alpha A1; destruct (extreme_value alpha A1) as [V V'].
    - rewrite V. now apply G.
    - rewrite V'. now apply G.
  Qed.

  (* T adaptive rounds, each (eps, delta)-DP whatever happened before. *)
  Theorem strong_composition {A} (l : list A) M N T :
    (forall h, incl h l -> private l E delta (M h) (N h)) ->
    bounds (power T (extreme_pair E delta)) (sequences (repeat l T)) (adaptive M []) (adaptive N []).
  Proof.
    intros H. apply adaptive_power.
    - destruct extreme_laws as [[MP _] [MQ _]]. now split.
    - intros h Hh. destruct (H h Hh) as ([MP SP] & [MQ SQ] & D). split; [exact MP|]. split; [exact MQ|].
      apply extreme_dominates. repeat split; trivial; apply D.
  Qed.

  (* Its value: with probability 1 - (1-delta)^T some round is seen through, else
     it is that of T binary randomised responses. *)
  Theorem strong_composition_value T : forall alpha, 0 <= alpha ->
    let p := power T (extreme_pair E delta) in
    let q := power T (response_pair E) in
    hockey (outcomes p) alpha (P_of p) (Q_of p) = 1 - (1 - delta) ^ T * (1 - hockey (outcomes q) alpha (P_of q) (Q_of q)).
  Proof.
    pose proof (over_E_plus E HE) as R. pose proof (E_over_E_plus E HE) as S.
    destruct extreme_laws as [[MP SP] [MQ SQ]].
    destruct (binary_randomiser E HE [] true) as [BP BPS]. destruct (binary_randomiser E HE [] false) as [BQ BQS].
    unfold power, product_pair. cbn [outcomes P_of Q_of].
    induction T as [|T IH]; intros alpha HA; cbn [repeat map pow].
    - cbn. unfold hockey. cbn. rewrite !Rplus_0_r. ring.
    - assert (X : Forall masses (repeat (extreme_pair E delta) T)).
      { apply Forall_forall. intros p Hp. apply repeat_spec in Hp. subst. now split. }
      assert (Y : Forall masses (repeat (response_pair E) T)).
      { apply Forall_forall. intros p Hp. apply repeat_spec in Hp. subst. now split. }
      destruct (product_pair_masses _ X) as [XP XQ]. destruct (product_pair_masses _ Y) as [YP YQ].
      unfold product_pair in XP, XQ, YP, YQ. cbn [outcomes P_of Q_of] in XP, XQ, YP, YQ.
      rewrite !hockey_sequences. cbn [rounds fst snd outcomes P_of Q_of extreme_pair response_pair].
      set (ls := sequences (map outcomes (repeat (extreme_pair E delta) T))) in *.
      set (XA := rounds (map P_of (repeat (extreme_pair E delta) T))) in *.
      set (XB := rounds (map Q_of (repeat (extreme_pair E delta) T))) in *.
      set (ks := sequences (map outcomes (repeat (response_pair E) T))) in *.
      set (YA := rounds (map P_of (repeat (response_pair E) T))) in *.
      set (YB := rounds (map Q_of (repeat (response_pair E) T))) in *.
      assert (J : hockey (list_prod extreme_outcomes ls) alpha (fun z => extreme_P E delta (fst z) * XA (snd z))
                    (fun z => extreme_Q E delta (fst z) * XB (snd z))
                  = sum extreme_outcomes (fun x => extreme_P E delta x * hockey ls (alpha * extreme_Q E delta x / extreme_P E delta x) XA XB))
        by (apply (hockey_joint extreme_outcomes ls alpha _ _ (fun _ => XA) (fun _ => XB)); auto).
      assert (J' : hockey (list_prod [true; false] ks) alpha (fun z => binary E [] true (fst z) * YA (snd z))
                    (fun z => binary E [] false (fst z) * YB (snd z))
                  = sum [true; false] (fun x => binary E [] true x * hockey ks (alpha * binary E [] false x / binary E [] true x) YA YB))
        by (apply (hockey_joint [true; false] ks alpha _ _ (fun _ => YA) (fun _ => YB)); auto).
      rewrite J, J'. unfold extreme_outcomes. cbn [sum extreme_P extreme_Q]. unfold binary. cbn [Bool.eqb].
      assert (Z0 : hockey ls 0 XA XB = 1).
      { rewrite hockey_zero by exact XP. unfold XA, ls. rewrite rounds_sum. clear - SP. induction T as [|T IH]; [reflexivity|].
        cbn [repeat map fold_right]. rewrite IH. change (sum extreme_outcomes (extreme_P E delta) * 1 = 1). rewrite SP. ring. }
      replace (alpha * 0 / delta) with 0 by (unfold Rdiv; ring). rewrite Z0.
      destruct (Req_dec delta 1) as [->|ND].
      + ring.
      + replace (alpha * ((1 - delta) * (1 / (E + 1))) / ((1 - delta) * (E / (E + 1))))
          with (alpha * (1 / (E + 1)) / (E / (E + 1))) by (field; lra).
        replace (alpha * ((1 - delta) * (E / (E + 1))) / ((1 - delta) * (1 / (E + 1))))
          with (alpha * (E / (E + 1)) / (1 / (E + 1))) by (field; lra).
        assert (I1 : 0 <= alpha * (1 / (E + 1)) / (E / (E + 1))) by (apply ratio_nonneg; lra).
        assert (I2 : 0 <= alpha * (E / (E + 1)) / (1 / (E + 1))) by (apply ratio_nonneg; lra).
        rewrite (IH _ I1), (IH _ I2), S. ring.
  Qed.
End Extreme.
