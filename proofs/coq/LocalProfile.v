(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The bound from the local profile (../local-profile.md): what the
 * hockey-stick divergence of the randomisers at one alpha says of the
 * shuffled mechanism at that alpha. Every adaptive sequence of pure LDP
 * randomisers on a finite output alphabet.
 *
 * The proof is that of ../clones-stronger.md, with the types and the
 * permutation summed out: the signed measure
 *     A(x0, ys) - alpha A(x1, ys)
 * is followed from output to output, drawing users from those left
 * (signed, below). At an output z where mu = K(x0) - alpha K(x1) is positive,
 * K(y) >= mu / (E - alpha) for every user y, and where mu is negative,
 * K(y) >= -mu / (alpha E - 1): this much of everyone's mass does not depend on
 * the user (Lemma 1 there), and the recursion moves by W (Lemmas 3 to 6).
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Trinomial TrinomialMean Shuffle.
Import ListNotations.
Open Scope R_scope.

(* The bound B_n(m): W is E - alpha with probability m / (E - alpha) and
   -(alpha E - 1) with probability (m + alpha - 1) / (alpha E - 1), otherwise 0;
   B_n(m) is the mean of (W_1 + .. + W_n)_+, divided by n. *)
Definition profile_bound (E alpha m : R) (n : nat) : R :=
  walk (E - alpha) (alpha * E - 1) (m / (E - alpha)) ((m + alpha - 1) / (alpha * E - 1)) n 0 / INR n.

(* -------- Walks -------- *)

Section Walk.
  Variables up down p q : R.
  Hypotheses (P0 : 0 <= p) (Q0 : 0 <= q) (PQ : p + q <= 1).

  Lemma walk_nonneg k s : 0 <= walk up down p q k s.
  Proof.
    revert s; induction k as [|k IH]; intros s; cbn; [apply pos_nonneg|].
    pose proof (IH (s + up)). pose proof (IH (s - down)). pose proof (IH s). nra.
  Qed.

  (* Convexity: a point between two others. *)
  Lemma walk_convex k s d e :
    0 <= d -> 0 <= e -> (d + e) * walk up down p q k s <= e * walk up down p q k (s + d) + d * walk up down p q k (s - e).
  Proof.
    intros D0 E0. revert s; induction k as [|k IH]; intros s; cbn.
    - pose proof (pos_ge (s + d)). pose proof (pos_ge (s - e)).
      pose proof (pos_nonneg (s + d)). pose proof (pos_nonneg (s - e)).
      destruct (Rle_dec 0 s); [rewrite (pos_id s) by lra | rewrite (pos_zero s) by lra]; nra.
    - pose proof (IH (s + up)) as A. pose proof (IH (s - down)) as B. pose proof (IH s) as C.
      replace (s + up + d) with (s + d + up) in A by ring.
      replace (s + up - e) with (s - e + up) in A by ring.
      replace (s - down + d) with (s + d - down) in B by ring.
      replace (s - down - e) with (s - e - down) in B by ring.
      apply (Rmult_le_compat_l p) in A; [|lra].
      apply (Rmult_le_compat_l q) in B; [|lra].
      apply (Rmult_le_compat_l (1 - p - q)) in C; lra.
  Qed.
End Walk.

(* The convex order (Lemma 5): m / up on s + up and (m + c) / down on s - down, the
   rest on s. With m the mean of a convex function grows. *)
Lemma spread_more up down c m m' x y z :
  0 < up -> 0 < down -> m <= m' -> (up + down) * y <= down * x + up * z ->
  m / up * x + (m + c) / down * z + (1 - m / up - (m + c) / down) * y
  <= m' / up * x + (m' + c) / down * z + (1 - m' / up - (m' + c) / down) * y.
Proof.
  intros U D H C.
  assert (G : (m' - m) * ((up + down) * y) <= (m' - m) * (down * x + up * z)) by (apply Rmult_le_compat_l; lra).
  assert (Iu : 0 < / up) by now apply Rinv_0_lt_compat.
  assert (Id : 0 < / down) by now apply Rinv_0_lt_compat.
  apply (Rmult_le_compat_r (/ up * / down)) in G; [|apply Rlt_le; now apply Rmult_lt_0_compat].
  replace ((m' - m) * ((up + down) * y) * (/ up * / down))
    with ((m' - m) * / up * y + (m' - m) * / down * y) in G by (field; lra).
  replace ((m' - m) * (down * x + up * z) * (/ up * / down))
    with ((m' - m) * / up * x + (m' - m) * / down * z) in G by (field; lra).
  unfold Rdiv. lra.
Qed.

(* -------- One position (Lemmas 1 and 2) -------- *)

Section Position.
  Variables E alpha : R.
  Hypotheses (A1 : 1 <= alpha) (AE : alpha < E).

  Lemma up_positive : 0 < E - alpha.
  Proof. lra. Qed.

  Lemma down_positive : 0 < alpha * E - 1.
  Proof. nra. Qed.

  (* k0, k1, k are the masses of an output from x0, from x1 and from another input. *)
  Lemma shared_up k0 k1 k : k0 <= E * k1 -> k0 <= E * k -> k0 - alpha * k1 <= (E - alpha) * k.
  Proof.
    intros H1 H. apply (Rmult_le_reg_l E); [lra|].
    assert (0 <= alpha * (E * k1 - k0)) by (apply Rmult_le_pos; lra).
    assert (0 <= (E - alpha) * (E * k - k0)) by (apply Rmult_le_pos; lra). lra.
  Qed.

  Lemma shared_down k0 k1 k : k1 <= E * k0 -> k1 <= E * k -> - (k0 - alpha * k1) <= (alpha * E - 1) * k.
  Proof.
    intros H1 H. apply (Rmult_le_reg_l E); [lra|]. pose proof down_positive.
    assert (0 <= (alpha * E - 1) * (E * k - k1)) by (apply Rmult_le_pos; lra). lra.
  Qed.

  (* Two outputs are extremal, output by output. *)
  Lemma extremal k0 k1 :
    k0 <= E * k1 -> k1 <= E * k0 -> pos (k0 - alpha * k1) <= (E - alpha) / (E * E - 1) * (E * k0 - k1).
  Proof.
    intros H1 H0. assert (HE : 0 < E * E - 1) by nra.
    apply pos_lub; unfold Rdiv.
    - repeat apply Rmult_le_pos; try lra. now apply Rlt_le, Rinv_0_lt_compat.
    - apply (Rmult_le_reg_l (E * E - 1)); [assumption|].
      replace ((E * E - 1) * ((E - alpha) * / (E * E - 1) * (E * k0 - k1)))
        with ((E - alpha) * (E * k0 - k1)) by (field; lra).
      pose proof down_positive.
      assert (0 <= (alpha * E - 1) * (E * k1 - k0)) by (apply Rmult_le_pos; lra). lra.
  Qed.
End Position.

(* H_alpha of two laws that are LDP is at most (E - alpha) / (E + 1). *)
Lemma ldp_hockey {Z} (outs : list Z) E alpha P Q :
  1 <= alpha -> alpha < E -> law outs P -> law outs Q ->
  (forall z, In z outs -> P z <= E * Q z) -> (forall z, In z outs -> Q z <= E * P z) ->
  hockey outs alpha P Q <= (E - alpha) / (E + 1).
Proof.
  intros A1 AE [_ HP] [_ HQ] H1 H0. unfold hockey.
  eapply Rle_trans.
  - apply sum_le. intros z Hz. apply (extremal E alpha A1 AE (P z) (Q z)); auto.
  - rewrite sum_scal, sum_minus, sum_scal, HP, HQ. right. field. nra.
Qed.

(* -------- The signed measure -------- *)

Section Signed.
  Context {X Z : Type} (outs : list Z) (K : list Z -> X -> Z -> R) (alpha : R) (x0 x1 : X).

  (* (A(x0, ys) - alpha A(x1, ys)) (w) times the length of w, where x0 or x1
     comes at a uniformly random position and the users at the others are
     drawn from ys, which may hold more than are needed. *)
  Fixpoint signed (h : list Z) (ys : list X) (w : list Z) : R :=
    match w with
    | [] => 0
    | z :: w' => (K h x0 z - alpha * K h x1 z) * draw K (z :: h) ys w'
                 + pick ys (fun y rest => K h y z * signed (z :: h) rest w')
    end.

  Lemma draw_signed h ys w :
    length w = S (length ys) ->
    draw K h (x0 :: ys) w - alpha * draw K h (x1 :: ys) w = signed h ys w / INR (S (length ys)).
  Proof.
    revert h ys; induction w as [|z w IH]; intros h ys H; [discriminate|].
    injection H as H. cbn [draw signed].
    assert (N0 : INR (S (length ys)) <> 0) by (apply not_0_INR; lia).
    set (T := fun x => sum (picks ys) (fun c => K h (fst c) z * draw K (z :: h) (x :: snd c) w)).
    assert (HT : forall x, pick (x :: ys) (fun x rest => K h x z * draw K (z :: h) rest w)
                           = (K h x z * draw K (z :: h) ys w + T x) / INR (S (length ys))).
    { intros x. unfold pick. cbn [picks sum fst snd]. rewrite sum_map. reflexivity. }
    rewrite !HT.
    replace (pick ys (fun y rest => K h y z * signed (z :: h) rest w)) with (T x0 - alpha * T x1).
    { field. assumption. }
    unfold T, pick, Rdiv. rewrite <- sum_scal, <- sum_minus, <- sum_scal_r.
    apply sum_ext. intros c Hc. apply picks_rest in Hc.
    transitivity (K h (fst c) z * (draw K (z :: h) (x0 :: snd c) w - alpha * draw K (z :: h) (x1 :: snd c) w)); [ring|].
    rewrite IH by congruence. rewrite Hc. unfold Rdiv. ring.
  Qed.

  (* One user less to draw from makes no difference, if enough are left. *)
  Lemma pick_draw h ys w :
    (length w < length ys)%nat -> pick ys (fun _ rest => draw K h rest w) = draw K h ys w.
  Proof.
    revert h ys; induction w as [|z w IH]; intros h ys H; cbn [length] in H.
    - cbn. apply pick_const. lia.
    - cbn [draw].
      rewrite (pick_swap ys (fun _ y rest => K h y z * draw K (z :: h) rest w)).
      apply pick_ext. intros y r L. rewrite pick_scal, IH by lia. reflexivity.
  Qed.

  Lemma pick_signed h ys w :
    (length w <= length ys)%nat -> pick ys (fun _ rest => signed h rest w) = signed h ys w.
  Proof.
    revert h ys; induction w as [|z w IH]; intros h ys H; cbn [length] in H.
    - cbn. destruct ys as [|y ys]; [|apply pick_const; cbn; lia].
      unfold pick, Rdiv. cbn. ring.
    - cbn [signed]. rewrite pick_plus, pick_scal, pick_draw by lia. f_equal.
      rewrite (pick_swap ys (fun _ y rest => K h y z * signed (z :: h) rest w)).
      apply pick_ext. intros y r L. rewrite pick_scal, IH by lia. reflexivity.
  Qed.

  (* Words of k outputs are drawn from ys; or it is one user short, and the
     constant is 0. *)
  Definition enough (k : nat) (ys : list X) (s : R) : Prop :=
    (k <= length ys)%nat \/ (k = S (length ys) /\ s = 0).

  (* The signed measure and s times the law of the others. *)
  Definition offset (h : list Z) (ys : list X) (s : R) (w : list Z) : R := signed h ys w + s * draw K h ys w.

  Lemma pick_offset h ys s w :
    enough (S (length w)) ys s -> pick ys (fun _ rest => offset h rest s w) = offset h ys s w.
  Proof.
    intros H. unfold offset. rewrite pick_plus, pick_scal, pick_signed by (destruct H; lia).
    destruct H as [H | [_ ->]]; [now rewrite pick_draw by lia | lra].
  Qed.

  Lemma offset_cons h ys s z w :
    offset h ys s (z :: w) = (K h x0 z - alpha * K h x1 z) * draw K (z :: h) ys w
                             + pick ys (fun y rest => K h y z * offset (z :: h) rest s w).
  Proof.
    unfold offset. cbn [signed draw].
    rewrite (pick_ext ys (fun y r => K h y z * (signed (z :: h) r w + s * draw K (z :: h) r w))
      (fun y r => K h y z * signed (z :: h) r w + s * (K h y z * draw K (z :: h) r w))) by (intros; ring).
    rewrite pick_plus, pick_scal. ring.
  Qed.

  Lemma pos_pick ys f : pos (pick ys f) <= pick ys (fun (x : X) r => pos (f x r)).
  Proof.
    apply pos_lub.
    - apply pick_nonneg. intros. apply pos_nonneg.
    - apply pick_le. intros. apply pos_ge.
  Qed.

  (* One output z, if everyone gives it mass u at least and mu z = t u. *)
  Lemma offset_step (F : R -> R) k h ys s z t u :
    0 <= u -> (forall y, u <= K h y z) -> K h x0 z - alpha * K h x1 z = t * u ->
    enough (S k) ys s ->
    (forall ys s, enough k ys s -> sum (words outs k) (fun w => pos (offset (z :: h) ys s w)) <= F s) ->
    sum (words outs k) (fun w => pos (offset h ys s (z :: w)))
    <= u * F (s + t) + pick ys (fun y _ => K h y z - u) * F s.
  Proof.
    intros U0 HU HT HE IH.
    apply Rle_trans with (sum (words outs k) (fun w =>
      u * pos (offset (z :: h) ys (s + t) w)
      + pick ys (fun y r => (K h y z - u) * pos (offset (z :: h) r s w)))).
    - apply sum_le. intros w Hw. apply words_length in Hw. subst k.
      replace (offset h ys s (z :: w)) with
        (u * offset (z :: h) ys (s + t) w + pick ys (fun y r => (K h y z - u) * offset (z :: h) r s w)).
      + eapply Rle_trans; [apply pos_plus|]. apply Rplus_le_compat.
        * right. now apply pos_scal.
        * eapply Rle_trans; [apply pos_pick|]. right. apply pick_ext. intros y r _.
          apply pos_scal. specialize (HU y). lra.
      + rewrite offset_cons, HT.
        rewrite (pick_ext ys (fun y r => K h y z * offset (z :: h) r s w)
          (fun y r => u * offset (z :: h) r s w + (K h y z - u) * offset (z :: h) r s w)) by (intros; ring).
        rewrite pick_plus, pick_scal, pick_offset by assumption. unfold offset at 1 3. ring.
    - rewrite sum_plus, sum_scal, pick_sum. apply Rplus_le_compat.
      + apply Rmult_le_compat_l; [assumption|]. apply IH. left. destruct HE; lia.
      + apply Rle_trans with (pick ys (fun y _ => F s * (K h y z - u))).
        * apply pick_le. intros y r L. rewrite sum_scal, (Rmult_comm (F s)).
          apply Rmult_le_compat_l; [specialize (HU y); lra|]. apply IH.
          destruct HE as [HE | [HE ->]]; [left; lia | right; split; [lia | reflexivity]].
        * rewrite pick_scal. right. ring.
  Qed.

  (* If K h x0 <= alpha K h x1 everywhere there is nothing above zero. *)
  Lemma signed_nonpos h ys w :
    randomiser outs K -> (forall h z, In z outs -> K h x0 z <= alpha * K h x1 z) ->
    Forall (fun z => In z outs) w -> signed h ys w <= 0.
  Proof.
    intros HK HA. revert h ys; induction w as [|z w IH]; intros h ys H; cbn; [lra|].
    inversion H; subst.
    assert (0 <= draw K (z :: h) ys w) by now apply (draw_nonneg outs).
    assert (K h x0 z <= alpha * K h x1 z) by auto.
    assert (pick ys (fun y r => K h y z * signed (z :: h) r w) <= pick ys (fun _ _ => 0 * 0)).
    { apply pick_le. intros y r _. assert (0 <= K h y z) by now apply HK.
      assert (signed (z :: h) r w <= 0) by auto. nra. }
    rewrite pick_scal in *. nra.
  Qed.
End Signed.

(* -------- The theorem -------- *)

Section Profile.
  Context {X Z : Type} (outs : list Z) (K : list Z -> X -> Z -> R) (E alpha m : R) (x0 x1 : X).
  Hypotheses (HK : randomiser outs K) (HL : ldp outs E K) (A1 : 1 <= alpha) (AE : alpha < E).
  Hypothesis HM : forall h, hockey outs alpha (K h x0) (K h x1) <= m.
  Hypothesis M1 : m <= (E - alpha) / (E + 1).

  Let up := E - alpha.
  Let down := alpha * E - 1.
  Let p := m / up.
  Let q := (m + alpha - 1) / down.

  Lemma profile_nonneg : 0 <= m.
  Proof. eapply Rle_trans; [|apply (HM [])]. apply sum_nonneg. intros. apply pos_nonneg. Qed.

  Lemma weights_law : 0 <= p /\ 0 <= q /\ p + q <= 1.
  Proof.
    pose proof profile_nonneg. pose proof (up_positive E alpha AE) as U. pose proof (down_positive E alpha A1 AE) as D.
    fold up in U. fold down in D.
    assert (P1 : p <= / (E + 1)).
    { unfold p. apply (Rmult_le_reg_l up); [assumption|].
      replace (up * (m / up)) with m by (field; lra). exact M1. }
    assert (Q1 : q <= / (E + 1)).
    { unfold q. apply (Rmult_le_reg_l down); [assumption|].
      replace (down * ((m + alpha - 1) / down)) with (m + alpha - 1) by (field; lra).
      replace (down * / (E + 1)) with ((E - alpha) / (E + 1) + alpha - 1) by (unfold down; field; lra). lra. }
    assert (/ (E + 1) <= / 2) by (apply Rinv_le_contravar; lra).
    repeat split; [| |lra]; unfold p, q, Rdiv; apply Rmult_le_pos; try lra; now apply Rlt_le, Rinv_0_lt_compat.
  Qed.

  Let F := walk up down p q.

  Lemma profile_step k h ys s :
    enough (S k) ys s ->
    (forall z ys s, enough k ys s -> sum (words outs k) (fun w => pos (offset K alpha x0 x1 (z :: h) ys s w)) <= F k s) ->
    sum (words outs (S k)) (fun w => pos (offset K alpha x0 x1 h ys s w)) <= F (S k) s.
  Proof.
    intros HE IH. destruct weights_law as (P0 & Q0 & PQ).
    pose proof (up_positive E alpha AE) as U. pose proof (down_positive E alpha A1 AE) as D.
    fold up in U. fold down in D.
    set (mu := fun z => K h x0 z - alpha * K h x1 z).
    set (u := fun z => pos (mu z) / up). set (d := fun z => pos (- mu z) / down).
    rewrite sum_words.
    (* output by output *)
    apply Rle_trans with (sum outs (fun z =>
      (u z * F k (s + up) + d z * F k (s - down)) + pick ys (fun y _ => K h y z - u z - d z) * F k s)).
    { apply sum_le. intros z Hz.
      assert (L : forall x x', K h x z <= E * K h x' z) by (intros; now apply HL).
      assert (N : forall x, 0 <= K h x z) by (intros; now apply HK).
      destruct (Rle_dec 0 (mu z)) as [S | S].
      - assert (Du : d z = 0) by (unfold d; rewrite pos_zero by lra; unfold Rdiv; ring).
        rewrite Du.
        eapply Rle_trans; [apply (offset_step outs K alpha x0 x1 (F k) k h ys s z up (u z))|].
        + unfold u, Rdiv. apply Rmult_le_pos; [apply pos_nonneg | now apply Rlt_le, Rinv_0_lt_compat].
        + intros y. unfold u. rewrite pos_id by assumption. apply (Rmult_le_reg_l up); [assumption|].
          replace (up * (mu z / up)) with (mu z) by (field; lra). now apply shared_up.
        + unfold u. rewrite pos_id by assumption. fold (mu z). field. lra.
        + assumption.
        + intros. now apply IH.
        + rewrite (pick_ext ys (fun y _ => K h y z - u z - 0) (fun y _ => K h y z - u z)) by (intros; ring).
          right. ring.
      - assert (Uu : u z = 0) by (unfold u; rewrite pos_zero by lra; unfold Rdiv; ring).
        rewrite Uu.
        eapply Rle_trans; [apply (offset_step outs K alpha x0 x1 (F k) k h ys s z (- down) (d z))|].
        + unfold d, Rdiv. apply Rmult_le_pos; [apply pos_nonneg | now apply Rlt_le, Rinv_0_lt_compat].
        + intros y. unfold d. rewrite pos_id by lra. apply (Rmult_le_reg_l down); [assumption|].
          replace (down * (- mu z / down)) with (- mu z) by (field; lra). now apply shared_down.
        + unfold d. rewrite pos_id by lra. fold (mu z). field. lra.
        + assumption.
        + intros. now apply IH.
        + rewrite (pick_ext ys (fun y _ => K h y z - 0 - d z) (fun y _ => K h y z - d z)) by (intros; ring).
          replace (s + - down) with (s - down) by ring. right. ring. }
    (* all outputs: c+ and c- *)
    set (mh := hockey outs alpha (K h x0) (K h x1)).
    assert (Su : sum outs u = mh / up).
    { unfold u, Rdiv. now rewrite sum_scal_r. }
    assert (Smu : sum outs mu = 1 - alpha).
    { unfold mu. rewrite sum_minus, sum_scal. destruct (HK h x0) as [_ ->]. destruct (HK h x1) as [_ ->]. ring. }
    assert (Sd : sum outs d = (mh + alpha - 1) / down).
    { unfold d, Rdiv. rewrite sum_scal_r. f_equal.
      rewrite (sum_ext _ _ (fun z => pos (mu z) - mu z)) by (intros z _; pose proof (pos_diff (mu z)); lra).
      rewrite sum_minus, Smu. unfold mh, hockey, mu. ring. }
    assert (Hmh : mh <= m) by apply HM.
    assert (Mh0 : 0 <= mh) by (apply sum_nonneg; intros; apply pos_nonneg).
    assert (Iu : 0 < / up) by now apply Rinv_0_lt_compat.
    assert (Id : 0 < / down) by now apply Rinv_0_lt_compat.
    assert (Cu : mh / up <= p) by (unfold p, Rdiv; apply Rmult_le_compat_r; lra).
    assert (Cd : (mh + alpha - 1) / down <= q) by (unfold q, Rdiv; apply Rmult_le_compat_r; lra).
    assert (Sp : sum outs (fun z => pick ys (fun y _ => K h y z - u z - d z)) <= 1 - mh / up - (mh + alpha - 1) / down).
    { rewrite pick_sum. destruct ys as [|y0 ys].
      - unfold pick, Rdiv at 1. cbn [picks sum]. rewrite Rmult_0_l. lra.
      - rewrite (pick_ext _ _ (fun _ _ => 1 - mh / up - (mh + alpha - 1) / down)).
        + right. apply pick_const. cbn. lia.
        + intros y r _. rewrite !sum_minus, Su, Sd. destruct (HK h y) as [_ ->]. reflexivity. }
    rewrite !sum_plus, !sum_scal_r, Su, Sd.
    assert (F0 : 0 <= F k s) by now apply walk_nonneg.
    pose proof (walk_convex up down p q P0 Q0 PQ k s up down (Rlt_le _ _ U) (Rlt_le _ _ D)) as C.
    fold (F k s) (F k (s + up)) (F k (s - down)) in C.
    cbn [walk]. change (F (S k) s) with (p * F k (s + up) + q * F k (s - down) + (1 - p - q) * F k s).
    apply (Rmult_le_compat_r (F k s)) in Sp; [|assumption].
    eapply Rle_trans; [apply Rplus_le_compat_l; exact Sp|].
    (* the convex order *)
    pose proof (spread_more up down (alpha - 1) mh m _ _ _ U D Hmh C) as G.
    unfold p, q. replace (m + alpha - 1) with (m + (alpha - 1)) by ring.
    replace (mh + alpha - 1) with (mh + (alpha - 1)) by ring. exact G.
  Qed.

  Lemma profile_walk k h ys s :
    enough k ys s -> sum (words outs k) (fun w => pos (offset K alpha x0 x1 h ys s w)) <= F k s.
  Proof.
    revert h ys s; induction k as [|k IH]; intros h ys s HE.
    - cbn. unfold offset. cbn. replace (0 + s * 1) with s by ring. lra.
    - apply profile_step; [assumption|]. intros. now apply IH.
  Qed.

  (* If H_alpha(K h x0 || K h x1) <= m <= (E - alpha) / (E + 1) after every
     history, the shuffled mechanisms' H_alpha is at most B_n(m), n = 1 + the
     number of other users. *)
  Theorem local_profile xs :
    hockey (words outs (S (length xs))) alpha (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs))
    <= profile_bound E alpha m (S (length xs)).
  Proof.
    assert (HN : 0 < / INR (S (length xs))) by (apply Rinv_0_lt_compat, lt_0_INR; lia).
    unfold profile_bound, Rdiv at 1.
    apply Rle_trans with
      (sum (words outs (S (length xs))) (fun w => pos (offset K alpha x0 x1 [] xs 0 w)) * / INR (S (length xs))).
    - rewrite <- sum_scal_r. right. apply sum_ext. intros w Hw. apply words_length in Hw.
      rewrite !shuffled_draw by (rewrite Hw; reflexivity).
      rewrite draw_signed by assumption.
      rewrite (Rmult_comm (pos _)), <- pos_scal by lra. f_equal. unfold offset, Rdiv. ring.
    - apply Rmult_le_compat_r; [lra|]. apply profile_walk. right. auto.
  Qed.
End Profile.

(* For any bound m of the local profile: B_n(min(m, (E - alpha) / (E + 1))). *)
Theorem local_profile_min {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E alpha m x0 x1 xs :
  randomiser outs K -> ldp outs E K -> 1 <= alpha -> alpha < E ->
  (forall h, hockey outs alpha (K h x0) (K h x1) <= m) ->
  hockey (words outs (S (length xs))) alpha (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs))
  <= profile_bound E alpha (Rmin m ((E - alpha) / (E + 1))) (S (length xs)).
Proof.
  intros HK HL A1 AE HM. apply local_profile; auto.
  - intros h. apply Rmin_glb; [apply HM|].
    apply ldp_hockey; auto; intros z Hz; now apply HL.
  - apply Rmin_r.
Qed.

(* B_n(m) is the divergence at alpha of a trinomial pair (Lemma 2 of ../local-profile.md). *)
Theorem profile_bound_trinomial E alpha m N :
  1 <= alpha -> alpha < E -> 0 <= m -> m <= (E - alpha) / (E + 1) ->
  profile_bound E alpha m (S N)
  = trinomial_hockey ((m + alpha) / (1 + alpha)) ((1 - m) / (1 + alpha)) 0
      (m / (E - alpha)) ((m + alpha - 1) / (alpha * E - 1)) N alpha.
Proof.
  intros A1 AE M0 M1. assert (D : 0 < alpha * E - 1) by nra.
  assert (Q1 : m + alpha - 1 <= (alpha * E - 1) / (E + 1)).
  { replace ((alpha * E - 1) / (E + 1)) with ((E - alpha) / (E + 1) + alpha - 1) by (field; lra). lra. }
  assert (H2 : / (E + 1) <= / 2) by (apply Rinv_le_contravar; lra).
  assert (P : m / (E - alpha) <= / 2).
  { apply (Rmult_le_reg_l (E - alpha)); [lra|]. replace ((E - alpha) * (m / (E - alpha))) with m by (field; lra).
    eapply Rle_trans; [exact M1|]. apply Rmult_le_compat_l; lra. }
  assert (Q : (m + alpha - 1) / (alpha * E - 1) <= / 2).
  { apply (Rmult_le_reg_l (alpha * E - 1)); [lra|].
    replace ((alpha * E - 1) * ((m + alpha - 1) / (alpha * E - 1))) with (m + alpha - 1) by (field; lra).
    eapply Rle_trans; [exact Q1|]. apply Rmult_le_compat_l; lra. }
  symmetry. apply trinomial_hockey_walk; try lra.
  - unfold Rdiv. apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra].
  - unfold Rdiv. apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra].
  - field. lra.
  - field. lra.
Qed.
