(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The trade-off function from the hockey-stick divergences: ../tradeoff.md, Lemma 1
 * (Dong, Roth and Su, arXiv 1905.02383, Proposition 2.12). A test rejects the outcome x
 * with probability phi x; errors of type I are counted under P, of type II under Q.
 *)
From Coq Require Import Reals List Lra Lia.
From Shufbound Require Import Sum Hockey Divergence.
Import ListNotations.
Open Scope R_scope.

Section Tests.
  Context {A : Type} (l : list A) (P Q : A -> R).
  Hypotheses (LP : law l P) (LQ : law l Q).

  Definition test (phi : A -> R) : Prop := forall x, In x l -> 0 <= phi x <= 1.
  Definition type_one (phi : A -> R) : R := sum l (fun x => P x * phi x).
  Definition type_two (phi : A -> R) : R := sum l (fun x => Q x * (1 - phi x)).

  (* No test is better, at any alpha, *)
  Theorem tradeoff_below phi a alpha : test phi -> type_one phi <= a -> 0 <= alpha -> 1 - alpha * a - hockey l alpha Q P <= type_two phi.
  Proof.
    intros T H A0. unfold type_two. destruct LQ as [_ SQ].
    assert (B : sum l (fun x => Q x * phi x) <= hockey l alpha Q P + alpha * type_one phi).
    { unfold hockey, type_one. rewrite <- sum_scal, <- sum_plus. apply sum_le. intros x I. destruct (T x I) as [T0 T1].
      pose proof (pos_ge (Q x - alpha * P x)). pose proof (pos_nonneg (Q x - alpha * P x)).
      assert ((Q x - alpha * P x) * phi x <= pos (Q x - alpha * P x)) by nra. lra. }
    rewrite (sum_ext l _ (fun x => Q x - Q x * phi x)) by (intros; ring). rewrite sum_minus, SQ.
    assert (alpha * type_one phi <= alpha * a) by (apply Rmult_le_compat_l; assumption). lra.
  Qed.

  (* The errors of the first kind of the tests that reject where Q > r P, and where Q >= r P. *)
  Let over r := sum l (fun x => if Rlt_dec (r * P x) (Q x) then P x else 0).
  Let from r := sum l (fun x => if Rle_dec (r * P x) (Q x) then P x else 0).

  Lemma largest_below (c : list R) r : 0 < r -> exists s, 0 <= s /\ s < r /\ (s = 0 \/ In s c) /\ forall y, In y c -> y < r -> y <= s.
  Proof.
    intros R0. induction c as [|z c (s & S0 & S1 & S2 & S3)]; [exists 0; repeat split; auto; [lra | intros y []]|].
    destruct (Rlt_dec z r) as [Z|Z]; [destruct (Rle_dec s z) as [L|L]|].
    - exists z. repeat split; [lra | exact Z | right; now left |]. intros y [<-|I] Y; [lra|]. specialize (S3 y I Y). lra.
    - exists s. repeat split; trivial; [destruct S2; [now left | right; now right]|]. intros y [<-|I] Y; [lra | now apply S3].
    - exists s. repeat split; trivial; [destruct S2; [now left | right; now right]|]. intros y [<-|I] Y; [lra | now apply S3].
  Qed.

  Lemma least_with (c : list R) (g : R -> R) a : (exists y, In y c /\ g y <= a) ->
    exists y, In y c /\ g y <= a /\ forall z, In z c -> g z <= a -> y <= z.
  Proof.
    induction c as [|z c IH]; intros (y & I & G); [destruct I|].
    assert (D : (exists y, In y c /\ g y <= a) \/ ~ exists y, In y c /\ g y <= a).
    { clear. induction c as [|z c [(y & I & G)|N]].
      - right. intros (y & [] & _).
      - left. exists y. split; [now right | exact G].
      - destruct (Rle_dec (g z) a) as [G|G]; [left; exists z; split; [now left | exact G]|].
        right. intros (y & [<-|I] & H); [contradiction | apply N; now exists y]. }
    destruct (Rle_dec (g z) a) as [Z|Z], D as [D|D].
    - destruct (IH D) as (m & M0 & M1 & M2). destruct (Rle_dec z m) as [L|L].
      + exists z. repeat split; [now left | exact Z |]. intros w [<-|W] H; [lra|]. specialize (M2 w W H). lra.
      + exists m. repeat split; [now right | exact M1 |]. intros w [<-|W] H; [lra | now apply M2].
    - exists z. repeat split; [now left | exact Z |]. intros w [<-|W] H; [lra | exfalso; apply D; now exists w].
    - destruct (IH D) as (m & M0 & M1 & M2). exists m. repeat split; [now right | exact M1 |]. intros w [<-|W] H; [contradiction | now apply M2].
    - exfalso. destruct I as [<-|I]; [contradiction | apply D; now exists y].
  Qed.

  (* The ratios of the two laws. *)
  Let ratios := map (fun x => Q x / P x) l.

  Lemma at_most_a : forall a, 0 <= a -> exists y, In y (0 :: ratios) /\ over y <= a.
  Proof.
    intros a A0. assert (M : exists y, In y (0 :: ratios) /\ forall z, In z ratios -> z <= y).
    { assert (G : forall c : list R, exists y, In y (0 :: c) /\ forall z, In z c -> z <= y).
      { induction c as [|z c (y & I & H)]; [exists 0; split; [now left | intros z []]|]. destruct (Rle_dec z y) as [L|L].
        - exists y. split; [destruct I; [now left | right; now right]|]. intros w [<-|W]; [exact L | now apply H].
        - exists z. split; [right; now left|]. intros w [<-|W]; [lra|]. specialize (H w W). lra. }
      apply G. }
    destruct M as (y & I & H). exists y. split; [exact I|]. unfold over. rewrite (sum_ext l _ (fun _ => 0)); [rewrite sum_zero; exact A0|].
    intros x X. destruct (Rlt_dec (y * P x) (Q x)) as [L|]; [|reflexivity]. destruct LP as [MP _]. destruct (MP x X) as [PX|PX]; [|now symmetry].
    exfalso. assert (Q x / P x <= y) by (apply H, in_map_iff; now exists x).
    assert (Q x / P x * P x <= y * P x) by (apply Rmult_le_compat_r; lra).
    unfold Rdiv in *. rewrite Rmult_assoc, Rinv_l in H1 by lra. lra.
  Qed.

  (* The best test: reject where Q > alpha P, and with some probability where Q = alpha P. *)
  Theorem tradeoff_attained a : 0 <= a <= 1 -> exists alpha phi,
    0 <= alpha /\ test phi /\ type_one phi <= a /\ type_two phi = 1 - alpha * a - hockey l alpha Q P.
  Proof.
    intros [A0 A1]. destruct LP as [MP SP], LQ as [MQ SQ].
    destruct (least_with (0 :: ratios) over a (at_most_a a A0)) as (r & I & R0 & LEAST).
    assert (BEST : forall alpha t, 0 <= t <= 1 ->
      let phi x := if Rlt_dec (alpha * P x) (Q x) then 1 else if Rle_dec (alpha * P x) (Q x) then t else 0 in
      test phi /\ type_one phi = over alpha + t * (from alpha - over alpha)
      /\ type_two phi = 1 - alpha * type_one phi - hockey l alpha Q P).
    { intros alpha t T phi. split; [intros x _; unfold phi; destruct (Rlt_dec _ _); [lra|]; destruct (Rle_dec _ _); lra|]. split.
      - unfold type_one, over, from. rewrite <- sum_minus, <- sum_scal, <- sum_plus. apply sum_ext. intros x _. unfold phi.
        destruct (Rlt_dec (alpha * P x) (Q x)), (Rle_dec (alpha * P x) (Q x)); lra.
      - unfold type_two, type_one, hockey. rewrite <- SQ at 1. rewrite <- sum_scal, <- !sum_minus. apply sum_ext. intros x _. unfold phi.
        destruct (Rlt_dec (alpha * P x) (Q x)); [rewrite pos_id by lra; ring|]. rewrite pos_zero by lra.
        destruct (Rle_dec (alpha * P x) (Q x)) as [L|L]; [assert (E : Q x = alpha * P x) by lra; rewrite E; ring | ring]. }
    assert (RN : 0 <= r).
    { destruct I as [<-|I]; [lra|]. apply in_map_iff in I as (x & <- & X). specialize (MP x X). specialize (MQ x X).
      destruct MP as [PX|PX]; [apply Rmult_le_pos; [exact MQ | apply Rlt_le, Rinv_0_lt_compat, PX] | rewrite <- PX; unfold Rdiv; rewrite Rinv_0; lra]. }
    destruct RN as [RP|RZ].
    - (* the next ratio below r *)
      destruct (largest_below ratios r RP) as (s & S0 & S1 & S2 & S3).
      assert (OS : a < over s).
      { apply Rnot_le_lt. intros C. assert (r <= s); [|lra]. apply LEAST; [destruct S2 as [->|S2]; [now left | now right] | exact C]. }
      assert (E : over s = from r).
      { apply sum_ext. intros x X. specialize (MP x X). specialize (MQ x X). destruct MP as [PX|PX].
        - assert (RX : Q x / P x * P x = Q x) by (unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; ring).
          assert (IX : In (Q x / P x) ratios) by (apply in_map_iff; now exists x).
          destruct (Rlt_dec (s * P x) (Q x)) as [L|L], (Rle_dec (r * P x) (Q x)) as [L'|L']; trivial; exfalso.
          + assert (Q x / P x < r) by (apply (Rmult_lt_reg_r (P x)); lra). specialize (S3 _ IX H).
            assert (Q x / P x * P x <= s * P x) by (apply Rmult_le_compat_r; lra). lra.
          + assert (s * P x < r * P x) by (apply Rmult_lt_compat_r; lra). lra.
        - rewrite <- PX. destruct (Rlt_dec _ _), (Rle_dec _ _); reflexivity. }
      set (t := (a - over r) / (from r - over r)). assert (D : 0 < from r - over r) by lra.
      assert (T : 0 <= t <= 1).
      { unfold t. split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, D]|]. apply (Rmult_le_reg_r (from r - over r)); [exact D|].
        unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
      destruct (BEST r t T) as (B1 & B2 & B3). eexists r, _. split; [lra|]. split; [exact B1|].
      assert (TA : over r + t * (from r - over r) = a) by (unfold t; field; lra). rewrite TA in B2. split; [lra|]. rewrite B3, B2. reflexivity.
    - subst r. destruct (BEST 0 0 ltac:(lra)) as (B1 & B2 & B3). eexists 0, _. split; [lra|]. split; [exact B1|]. split; [lra|]. rewrite B3. ring.
  Qed.
End Tests.

(* A pair that dominates has a test that is no better: of no larger errors of both kinds. *)
Theorem tradeoff_dominates {A B} (l' : list B) P' Q' (l : list A) P Q a phi :
  law l' P' -> law l' Q' -> law l P -> law l Q -> dominates l' Q' P' l Q P -> 0 <= a <= 1 ->
  test l phi -> type_one l P phi <= a ->
  exists phi', test l' phi' /\ type_one l' P' phi' <= a /\ type_two l' Q' phi' <= type_two l Q phi.
Proof.
  intros LP' LQ' LP LQ D HA T H. destruct (tradeoff_attained l' P' Q' LP' LQ' a HA) as (alpha & phi' & A0 & T' & H' & E).
  exists phi'. split; [exact T'|]. split; [exact H'|]. rewrite E. eapply Rle_trans; [|exact (tradeoff_below l P Q LQ phi a alpha T H A0)].
  specialize (D alpha A0). lra.
Qed.
