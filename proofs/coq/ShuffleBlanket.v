(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The privacy blanket and the case that all other users hold the same value:
 * Lemmas 2 and 3 of ../blanket.md on finite alphabets, and Lemma 6 of
 * ../local-profile.md. The blanket is that of Balle, Bell, Gascon and Nissim
 * (CRYPTO 2019, Lemma 5.3), with the outputs outside of it.
 *
 * Both follow the signed measure of LocalProfile.v from output to output, with
 * w(z) in the place of what everyone shares of the output z.
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence TrinomialMean Shuffle LocalProfile.
Import ListNotations.
Open Scope R_scope.

(* The mean of (s + L_1 + .. + L_k)_+, the L_j independent: L_j = mu(Y)/w(Y) where
   Y is z with probability w(z), and 0 with the probability left. *)
Fixpoint blanket_walk {Z} (outs : list Z) (w mu : Z -> R) (k : nat) (s : R) : R :=
  match k with
  | O => pos s
  | S j => sum outs (fun z => w z * blanket_walk outs w mu j (s + mu z / w z))
           + (1 - sum outs w) * blanket_walk outs w mu j s
  end.

(* The mass of mu_+ outside w. *)
Definition outside {Z} (outs : list Z) (w mu : Z -> R) : R :=
  sum outs (fun z => if Req_EM_T (w z) 0 then pos (mu z) else 0).

(* The bound for n users whose differing one has the law P or Q. *)
Definition blanket_bound {Z} (outs : list Z) (w P Q : Z -> R) (alpha : R) (n : nat) : R :=
  outside outs w (fun z => P z - alpha * Q z) + blanket_walk outs w (fun z => P z - alpha * Q z) n 0 / INR n.

(* -------- One position -------- *)

Section Walk.
  Context {Z : Type} (outs : list Z) (w mu : Z -> R).
  Hypotheses (W0 : mass outs w) (W1 : sum outs w <= 1).

  Lemma blanket_walk_nonneg k s : 0 <= blanket_walk outs w mu k s.
  Proof.
    revert s; induction k as [|k IH]; intros s; cbn; [apply pos_nonneg|].
    apply Rplus_le_le_0_compat; [|apply Rmult_le_pos; [lra | apply IH]].
    apply sum_nonneg. intros z Hz. apply Rmult_le_pos; [now apply W0 | apply IH].
  Qed.

  Lemma outside_nonneg : 0 <= outside outs w mu.
  Proof.
    apply sum_nonneg. intros z _. destruct (Req_EM_T (w z) 0); [apply pos_nonneg | lra].
  Qed.
End Walk.

(* -------- The blanket -------- *)

Section Blanket.
  Context {X Z : Type} (outs : list Z) (K : list Z -> X -> Z -> R) (P Q w : Z -> R) (alpha : R) (x0 x1 : X).
  Hypotheses (HK : randomiser outs K) (HP : forall h z, In z outs -> K h x0 z = P z).
  Hypotheses (HQ : forall h z, In z outs -> K h x1 z = Q z).
  Hypothesis W0 : mass outs w.
  Hypothesis W1 : forall h y z, In z outs -> w z <= K h y z.

  Let mu z := P z - alpha * Q z.
  Let out := outside outs w mu.
  Let F (k : nat) (s : R) := INR k * out + blanket_walk outs w mu k s.

  Lemma blanket_mass : sum outs w <= 1.
  Proof. destruct (HK [] x0) as [_ <-]. apply sum_le. auto. Qed.

  Lemma F_nonneg k s : 0 <= F k s.
  Proof.
    apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [apply pos_INR | apply outside_nonneg]|].
    apply blanket_walk_nonneg; [assumption | apply blanket_mass].
  Qed.

  (* An output that is not in the blanket. *)
  Lemma outside_step k h ys s z :
    In z outs -> enough (S k) ys s ->
    (forall ys s, enough k ys s -> sum (words outs k) (fun v => pos (offset K alpha x0 x1 (z :: h) ys s v)) <= F k s) ->
    sum (words outs k) (fun v => pos (offset K alpha x0 x1 h ys s (z :: v)))
    <= pos (mu z) + pick ys (fun y _ => K h y z) * F k s.
  Proof.
    intros Hz HE IH.
    apply Rle_trans with (sum (words outs k) (fun v =>
      pos (mu z) * draw K (z :: h) ys v + pick ys (fun y r => K h y z * pos (offset K alpha x0 x1 (z :: h) r s v)))).
    - apply sum_le. intros v Hv. apply in_words in Hv as [L Fv]. rewrite offset_cons, HP, HQ by assumption. fold (mu z).
      eapply Rle_trans; [apply pos_plus|]. apply Rplus_le_compat.
      + right. rewrite (Rmult_comm (mu z)), pos_scal by now apply (draw_nonneg outs). ring.
      + eapply Rle_trans; [apply pos_pick|]. right. apply pick_ext. intros y r _. apply pos_scal. now apply HK.
    - rewrite sum_plus, sum_scal, (sum_draw outs K HK) by (destruct HE; lia). rewrite Rmult_1_r, pick_sum.
      apply Rplus_le_compat_l.
      apply Rle_trans with (pick ys (fun y _ => F k s * K h y z)).
      + apply pick_le. intros y r L. rewrite sum_scal, Rmult_comm.
        apply Rmult_le_compat_r; [now apply HK|]. apply IH.
        destruct HE as [HE | [HE ->]]; [left; lia | right; split; [lia | reflexivity]].
      + rewrite pick_scal. right. ring.
  Qed.

  Lemma blanket_offset k h ys s :
    enough k ys s -> sum (words outs k) (fun v => pos (offset K alpha x0 x1 h ys s v)) <= F k s.
  Proof.
    revert h ys s; induction k as [|k IH]; intros h ys s HE.
    - unfold F. cbn. unfold offset. cbn. replace (0 + s * 1) with s by ring. lra.
    - rewrite sum_words.
      apply Rle_trans with (sum outs (fun z =>
        (w z * F k (s + mu z / w z) + (if Req_EM_T (w z) 0 then pos (mu z) else 0))
        + pick ys (fun y _ => K h y z - w z) * F k s)).
      + apply sum_le. intros z Hz. destruct (Req_EM_T (w z) 0) as [N|N].
        * eapply Rle_trans; [apply outside_step; auto|].
          rewrite N. rewrite (pick_ext ys (fun y _ => K h y z - 0) (fun y _ => K h y z)) by (intros; ring).
          right. ring.
        * specialize (W0 z Hz). rewrite Rplus_0_r.
          apply (offset_step outs K alpha x0 x1 (F k) k h ys s z (mu z / w z) (w z)); auto.
          rewrite HP, HQ by assumption. fold (mu z). field. assumption.
      + set (g := sum outs w). pose proof blanket_mass as G. fold g in G.
        assert (Sp : sum outs (fun z => pick ys (fun y _ => K h y z - w z)) <= 1 - g).
        { rewrite pick_sum. destruct ys as [|y0 ys].
          - unfold pick, Rdiv. cbn [picks sum]. rewrite Rmult_0_l. lra.
          - rewrite (pick_ext _ _ (fun _ _ => 1 - g)); [right; apply pick_const; cbn; lia|].
            intros y r _. rewrite sum_minus. destruct (HK h y) as [_ ->]. reflexivity. }
        rewrite !sum_plus, sum_scal_r.
        apply (Rmult_le_compat_r (F k s)) in Sp; [|apply F_nonneg].
        fold (outside outs w mu). fold out.
        rewrite (sum_ext outs (fun z => w z * F k (s + mu z / w z))
          (fun z => w z * (INR k * out) + w z * blanket_walk outs w mu k (s + mu z / w z)))
          by (intros; unfold F; ring).
        rewrite sum_plus, sum_scal_r. fold g.
        eapply Rle_trans; [apply Rplus_le_compat_l; exact Sp|]. right.
        unfold F. cbn [blanket_walk]. fold g. rewrite S_INR. ring.
  Qed.

  (* Lemma 3 of ../blanket.md: the differing user has the law P or Q, everyone's
     laws are at least w everywhere. The others may be adaptive. *)
  Theorem blanket_dominates xs :
    hockey (words outs (S (length xs))) alpha (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs))
    <= blanket_bound outs w P Q alpha (S (length xs)).
  Proof.
    assert (HN : 0 < INR (S (length xs))) by (apply lt_0_INR; lia).
    assert (HI : 0 < / INR (S (length xs))) by now apply Rinv_0_lt_compat.
    apply Rle_trans with
      (sum (words outs (S (length xs))) (fun v => pos (offset K alpha x0 x1 [] xs 0 v)) * / INR (S (length xs))).
    - rewrite <- sum_scal_r. right. apply sum_ext. intros v Hv. apply words_length in Hv.
      rewrite !shuffled_draw by (rewrite Hv; reflexivity). rewrite draw_signed by assumption.
      rewrite (Rmult_comm (pos _)), <- pos_scal by lra. f_equal. unfold offset, Rdiv. ring.
    - apply Rle_trans with (F (S (length xs)) 0 * / INR (S (length xs))).
      + apply Rmult_le_compat_r; [lra|]. apply blanket_offset. right. auto.
      + right. unfold F, blanket_bound, out. fold mu. field. lra.
  Qed.
End Blanket.

(* One randomiser for all users, and its blanket. *)
Corollary blanket_common {X Z} (outs : list Z) (A : X -> Z -> R) w alpha x0 x1 xs :
  (forall x, law outs (A x)) -> mass outs w -> (forall y z, In z outs -> w z <= A y z) ->
  hockey (words outs (S (length xs))) alpha (shuffled (fun _ => A) (x0 :: xs)) (shuffled (fun _ => A) (x1 :: xs))
  <= blanket_bound outs w (A x0) (A x1) alpha (S (length xs)).
Proof. intros HA W0 W1. apply blanket_dominates; auto. intros h x. apply HA. Qed.

(* -------- All others alike -------- *)

Lemma picks_repeat {X} (y : X) n c : In c (picks (repeat y n)) -> fst c = y.
Proof.
  revert c; induction n as [|n IH]; cbn; [tauto|]. intros c [<-|H]; [reflexivity|].
  apply in_map_iff in H as (d & <- & H). cbn. now apply IH.
Qed.

Lemma pick_repeat {X} (y : X) n f g :
  (forall r, f y r = g y r) -> pick (repeat y n) f = pick (repeat y n) g.
Proof.
  intros H. unfold pick. f_equal. apply sum_ext. intros c Hc. apply picks_repeat in Hc. rewrite Hc. apply H.
Qed.

Section Alike.
  Context {X Z : Type} (outs : list Z) (A : X -> Z -> R) (alpha : R) (x0 x1 y : X).
  Hypothesis HA : forall x, law outs (A x).

  Let K (h : list Z) := A.
  Let mu z := A x0 z - alpha * A x1 z.
  Let out := outside outs (A y) mu.
  Let F (k : nat) (s : R) := INR k * out + blanket_walk outs (A y) mu k s.

  Lemma alike_cons h n s z v :
    enough (S (length v)) (repeat y n) s ->
    offset K alpha x0 x1 h (repeat y n) s (z :: v)
    = mu z * draw K (z :: h) (repeat y n) v + A y z * offset K alpha x0 x1 (z :: h) (repeat y n) s v.
  Proof.
    intros HE. rewrite offset_cons. unfold K at 1 2. fold (mu z). f_equal.
    rewrite (pick_repeat y n _ (fun _ r => A y z * offset K alpha x0 x1 (z :: h) r s v)) by reflexivity.
    rewrite pick_scal. f_equal. now apply pick_offset.
  Qed.

  Lemma alike_offset k h n s :
    enough k (repeat y n) s -> sum (words outs k) (fun v => pos (offset K alpha x0 x1 h (repeat y n) s v)) = F k s.
  Proof.
    assert (HK : randomiser outs K) by (intros ? ?; apply HA).
    revert h s; induction k as [|k IH]; intros h s HE.
    - unfold F. cbn. unfold offset. cbn. replace (0 + s * 1) with s by ring. lra.
    - rewrite sum_words.
      assert (HL : (k <= length (repeat y n))%nat) by (destruct HE; lia).
      rewrite (sum_ext outs _ (fun z =>
        A y z * F k (s + mu z / A y z) + (if Req_EM_T (A y z) 0 then pos (mu z) else 0))).
      + rewrite sum_plus. fold (outside outs (A y) mu). fold out.
        rewrite (sum_ext outs _ (fun z => A y z * (INR k * out) + A y z * blanket_walk outs (A y) mu k (s + mu z / A y z)))
          by (intros; unfold F; ring).
        rewrite sum_plus, sum_scal_r. unfold F. cbn [blanket_walk]. destruct (HA y) as [_ ->]. rewrite S_INR. ring.
      + intros z Hz. assert (Y0 : 0 <= A y z) by now apply HA.
        destruct (Req_EM_T (A y z) 0) as [N|N].
        * rewrite N, Rmult_0_l, Rplus_0_l.
          rewrite (sum_ext _ _ (fun v => pos (mu z) * draw K (z :: h) (repeat y n) v)).
          -- rewrite sum_scal, (sum_draw outs K HK) by assumption. ring.
          -- intros v Hv. apply in_words in Hv as [L Fv].
             rewrite alike_cons by now rewrite L. rewrite N, Rmult_0_l, Rplus_0_r.
             rewrite (Rmult_comm (mu z)), pos_scal by now apply (draw_nonneg outs). ring.
        * rewrite Rplus_0_r, <- (IH (z :: h)) by now left. rewrite <- sum_scal.
          apply sum_ext. intros v Hv. apply words_length in Hv.
          rewrite alike_cons by now rewrite Hv. rewrite <- pos_scal by assumption. f_equal.
          unfold offset. field. assumption.
  Qed.

  (* Lemma 2 of ../blanket.md: all n others hold y. The divergence is this number
     exactly; with y = x1 or y = x0 the data are all equal before or after the
     change. *)
  Theorem alike_exact n :
    hockey (words outs (S n)) alpha (shuffled (fun _ => A) (x0 :: repeat y n)) (shuffled (fun _ => A) (x1 :: repeat y n))
    = blanket_bound outs (A y) (A x0) (A x1) alpha (S n).
  Proof.
    assert (HN : 0 < INR (S n)) by (apply lt_0_INR; lia).
    assert (HI : 0 < / INR (S n)) by now apply Rinv_0_lt_compat.
    transitivity (sum (words outs (S n)) (fun v => pos (offset K alpha x0 x1 [] (repeat y n) 0 v)) * / INR (S n)).
    - rewrite <- sum_scal_r. apply sum_ext. intros v Hv. apply words_length in Hv.
      rewrite !shuffled_draw by (cbn; now rewrite repeat_length).
      change (fun _ : list Z => A) with K.
      rewrite draw_signed by now rewrite repeat_length. rewrite repeat_length.
      rewrite (Rmult_comm (pos _)), <- pos_scal by lra. f_equal. unfold offset, Rdiv. ring.
    - rewrite alike_offset by (right; now rewrite repeat_length).
      unfold F, blanket_bound, out. fold mu. field. lra.
  Qed.
End Alike.

(* -------- The blanket is below the local profile's bound -------- *)

(* Lemma 6 of ../local-profile.md: if everything that P - alpha Q has is at most
   E - alpha and -(alpha E - 1) times the blanket, as it is for eps0-LDP and the
   blanket min over all inputs, the blanket's bound is at most B_n(m). *)
Section Below.
  Context {Z : Type} (outs : list Z) (P Q w : Z -> R) (E alpha : R).
  Hypotheses (A1 : 1 <= alpha) (AE : alpha < E) (HP : law outs P) (HQ : law outs Q) (W0 : mass outs w).
  Hypothesis HU : forall z, In z outs -> P z - alpha * Q z <= (E - alpha) * w z.
  Hypothesis HD : forall z, In z outs -> - (P z - alpha * Q z) <= (alpha * E - 1) * w z.

  Let mu z := P z - alpha * Q z.
  Let m := hockey outs alpha P Q.
  Let up := E - alpha.
  Let down := alpha * E - 1.
  Let p := m / up.
  Let q := (m + alpha - 1) / down.

  Hypothesis W1 : sum outs w <= 1.

  Let u z := pos (mu z) / up.
  Let d z := pos (- mu z) / down.

  Lemma below_steps : 0 < up /\ 0 < down /\ 0 < / up /\ 0 < / down.
  Proof.
    pose proof (up_positive E alpha AE). pose proof (down_positive E alpha A1 AE).
    repeat split; auto; now apply Rinv_0_lt_compat.
  Qed.

  Lemma below_parts : sum outs u = p /\ sum outs d = q.
  Proof.
    destruct HP as [_ SP]. destruct HQ as [_ SQ].
    assert (S : sum outs mu = 1 - alpha) by (unfold mu; rewrite sum_minus, sum_scal, SP, SQ; ring).
    split; [unfold u, Rdiv; now rewrite sum_scal_r|].
    unfold d, q, Rdiv. rewrite sum_scal_r. f_equal.
    rewrite (sum_ext _ _ (fun z => pos (mu z) - mu z)) by (intros z _; pose proof (pos_diff (mu z)); lra).
    rewrite sum_minus, S. unfold m, hockey, mu. ring.
  Qed.

  Lemma below_shares z : In z outs -> 0 <= u z /\ 0 <= d z /\ u z + d z <= w z.
  Proof.
    intros Hz. destruct below_steps as (U & D & Iu & Id). specialize (HU z Hz). specialize (HD z Hz).
    fold (mu z) up in HU. fold (mu z) down in HD. specialize (W0 z Hz).
    assert (0 <= u z) by (apply Rmult_le_pos; [apply pos_nonneg | lra]).
    assert (0 <= d z) by (apply Rmult_le_pos; [apply pos_nonneg | lra]).
    repeat split; auto. unfold u, d in *. destruct (Rle_dec 0 (mu z)) as [S|S].
    - rewrite (pos_id (mu z)), (pos_zero (- mu z)) by lra. apply (Rmult_le_reg_l up); [assumption|].
      replace (up * (mu z / up + 0 / down)) with (mu z) by (field; lra). exact HU.
    - rewrite (pos_zero (mu z)), (pos_id (- mu z)) by lra. apply (Rmult_le_reg_l down); [assumption|].
      replace (down * (0 / up + - mu z / down)) with (- mu z) by (field; lra). exact HD.
  Qed.

  Lemma below_weights : 0 <= p /\ 0 <= q /\ p + q <= 1.
  Proof.
    destruct below_parts as [<- <-]. repeat split.
    - apply sum_nonneg. intros z Hz. now apply below_shares.
    - apply sum_nonneg. intros z Hz. now apply below_shares.
    - rewrite <- sum_plus. eapply Rle_trans; [|exact W1]. apply sum_le. intros z Hz. now apply below_shares.
  Qed.

  (* A value between -down and up is spread onto these and 0. *)
  Lemma below_spread f s z :
    (forall s d e, 0 <= d -> 0 <= e -> (d + e) * f s <= e * f (s + d) + d * f (s - e)) -> In z outs ->
    w z * f (s + mu z / w z) <= u z * f (s + up) + d z * f (s - down) + (w z - u z - d z) * f s.
  Proof.
    intros C Hz. destruct below_steps as (U & D & Iu & Id). destruct (below_shares z Hz) as (U0 & D0 & L).
    specialize (HU z Hz). specialize (HD z Hz). fold (mu z) up in HU. fold (mu z) down in HD.
    specialize (W0 z Hz). destruct (Req_dec (w z) 0) as [N|N].
    { assert (u z = 0) as -> by lra. assert (d z = 0) as -> by lra. rewrite N. lra. }
    assert (Iw : 0 < / w z) by (apply Rinv_0_lt_compat; lra).
    unfold u, d. destruct (Rle_dec 0 (mu z)) as [S|S].
    - rewrite (pos_id (mu z)), (pos_zero (- mu z)) by lra.
      assert (B : mu z / w z <= up).
      { apply (Rmult_le_reg_r (w z)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
      assert (B0 : 0 <= mu z / w z) by (apply Rmult_le_pos; lra).
      pose proof (C (s + mu z / w z) (up - mu z / w z) (mu z / w z) ltac:(lra) B0) as G.
      replace (s + mu z / w z + (up - mu z / w z)) with (s + up) in G by ring.
      replace (s + mu z / w z - mu z / w z) with s in G by ring.
      apply (Rmult_le_compat_l (w z * / up)) in G; [|apply Rmult_le_pos; lra].
      replace (w z * / up * ((up - mu z / w z + mu z / w z) * f (s + mu z / w z)))
        with (w z * f (s + mu z / w z)) in G by (field; lra).
      eapply Rle_trans; [exact G|]. right. field. lra.
    - rewrite (pos_zero (mu z)), (pos_id (- mu z)) by lra.
      assert (B : - mu z / w z <= down).
      { apply (Rmult_le_reg_r (w z)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
      assert (B0 : 0 <= - mu z / w z) by (apply Rmult_le_pos; lra).
      pose proof (C (s + mu z / w z) (- mu z / w z) (down - - mu z / w z) B0 ltac:(lra)) as G.
      replace (s + mu z / w z + - mu z / w z) with s in G by (field; lra).
      replace (s + mu z / w z - (down - - mu z / w z)) with (s - down) in G by (field; lra).
      apply (Rmult_le_compat_l (w z * / down)) in G; [|apply Rmult_le_pos; lra].
      replace (w z * / down * ((- mu z / w z + (down - - mu z / w z)) * f (s + mu z / w z)))
        with (w z * f (s + mu z / w z)) in G by (field; lra).
      eapply Rle_trans; [exact G|]. right. field. lra.
  Qed.

  Lemma blanket_below_walk k s : blanket_walk outs w mu k s <= walk up down p q k s.
  Proof.
    destruct below_weights as (P0 & Q0 & PQ). destruct below_parts as [Sp Sq].
    revert s; induction k as [|k IH]; intros s; [apply Rle_refl|]. cbn [blanket_walk walk].
    set (f := walk up down p q k) in *. set (g := sum outs w).
    apply Rle_trans with (sum outs (fun z => (u z * f (s + up) + d z * f (s - down)) + ((w z - u z) - d z) * f s)
                          + (1 - g) * f s).
    - apply Rplus_le_compat; [|apply Rmult_le_compat_l; [unfold g; lra | apply IH]].
      apply sum_le. intros z Hz. eapply Rle_trans; [|apply below_spread; [|assumption]].
      + apply Rmult_le_compat_l; [now apply W0 | apply IH].
      + intros. now apply walk_convex.
    - rewrite !sum_plus, !sum_scal_r, !sum_minus, Sp, Sq. fold g. right. ring.
  Qed.

  Theorem blanket_below_profile n : blanket_bound outs w P Q alpha (S n) <= profile_bound E alpha m (S n).
  Proof.
    unfold blanket_bound, profile_bound. fold mu.
    assert (O : outside outs w mu = 0).
    { unfold outside. rewrite (sum_ext _ _ (fun _ => 0)); [apply sum_zero|].
      intros z Hz. destruct (Req_EM_T (w z) 0) as [N|N]; [|reflexivity]. apply pos_zero.
      specialize (HU z Hz). fold (mu z) in HU. rewrite N in HU. lra. }
    rewrite O, Rplus_0_l. apply Rmult_le_compat_r; [|apply blanket_below_walk].
    apply Rlt_le, Rinv_0_lt_compat, lt_0_INR. lia.
  Qed.
End Below.

(* For a common eps0-LDP randomiser A and a w with w <= A y <= E w for all inputs
   y, as the minimum over them: the hypotheses hold. *)
Corollary blanket_below_common {X Z} (outs : list Z) (A : X -> Z -> R) w E alpha x0 x1 n :
  1 <= alpha -> alpha < E -> (forall x, law outs (A x)) -> mass outs w ->
  (forall y z, In z outs -> w z <= A y z <= E * w z) ->
  (forall x y z, In z outs -> A x z <= E * A y z) ->
  blanket_bound outs w (A x0) (A x1) alpha (S n) <= profile_bound E alpha (hockey outs alpha (A x0) (A x1)) (S n).
Proof.
  intros A1 AE HA W0 W1 HL. apply blanket_below_profile; auto.
  - intros z Hz. apply shared_up; auto. now apply W1.
  - intros z Hz. apply shared_down; auto. now apply W1.
  - destruct (HA x0) as [_ <-]. apply sum_le. intros z Hz. now apply W1.
Qed.
