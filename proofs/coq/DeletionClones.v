(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Randomisers that are private with respect to a reference, from above:
 * ../deletion.md, the theorem clones-deletion. Everyone shares 1/E of the reference
 * (Lemma 1 there), and two values of the ratios to it are extremal (Lemma 2): the
 * recursion of LocalProfile.v then moves as the pair krr-weak of k = E + 1 values
 * and gamma = 1/E does, k whole or not.
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Trinomial TrinomialMean Binomial Shuffle LocalProfile KrrPairs KrrShuffle Instances Deployments.
Import ListNotations.
Open Scope R_scope.

Section Walk.
  Variables E alpha : R.
  Hypotheses (HE : 1 < E) (HA : 0 <= alpha).

  Let g := 1 / (E * (E + 1)).
  Let up := E * E - alpha.
  Let down := 1 - alpha * (E * E).
  Let still := 1 - alpha.

  (* The mean of (s + E (Y_1 + .. + Y_n))_+, Y as in Lemma 3. *)
  Fixpoint deletion_walk (n : nat) (s : R) : R :=
    match n with
    | O => pos s
    | S j => g * deletion_walk j (s + up) + g * deletion_walk j (s + down) + (E - 1) * g * deletion_walk j (s + still)
             + (1 - 1 / E) * deletion_walk j s
    end.

  Lemma g_spec : 0 < g /\ g * (E * (E + 1)) = 1 /\ g + g + (E - 1) * g = 1 / E.
  Proof.
    assert (D : 0 < E * (E + 1)) by nra. split; [unfold g, Rdiv; rewrite Rmult_1_l; now apply Rinv_0_lt_compat|].
    split; unfold g; field; lra.
  Qed.

  Lemma over_E : 0 < 1 / E < 1.
  Proof.
    split; [apply Rdiv_lt_0_compat; lra|]. apply (Rmult_lt_reg_r E); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  Qed.

  Lemma deletion_walk_nonneg n s : 0 <= deletion_walk n s.
  Proof.
    destruct g_spec as [G _]. destruct over_E as [O1 O2]. revert s; induction n as [|n IH]; intros s; cbn [deletion_walk]; [apply pos_nonneg|].
    assert (0 <= (E - 1) * g) by nra. repeat apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra; apply IH.
  Qed.

  Lemma deletion_walk_convex n t a b : 0 <= t <= 1 -> deletion_walk n ((1 - t) * a + t * b) <= (1 - t) * deletion_walk n a + t * deletion_walk n b.
  Proof.
    intros T. destruct g_spec as [G _]. destruct over_E as [O1 O2]. revert a b; induction n as [|n IH]; intros a b; cbn [deletion_walk]; [now apply pos_convex|].
    assert (M : forall d, deletion_walk n ((1 - t) * a + t * b + d) <= (1 - t) * deletion_walk n (a + d) + t * deletion_walk n (b + d)).
    { intros d. replace ((1 - t) * a + t * b + d) with ((1 - t) * (a + d) + t * (b + d)) by ring. apply IH. }
    pose proof (Rmult_le_compat_l g _ _ (Rlt_le _ _ G) (M up)). pose proof (Rmult_le_compat_l g _ _ (Rlt_le _ _ G) (M down)).
    assert (G2 : 0 <= (E - 1) * g) by nra. pose proof (Rmult_le_compat_l _ _ _ G2 (M still)).
    assert (G3 : 0 <= 1 - 1 / E) by lra. pose proof (Rmult_le_compat_l _ _ _ G3 (IH a b)). lra.
  Qed.

  (* Lemma 2: E times the two ratios to the reference lie in [1, E^2]; on that square a convex function is below what
     its values at three corners say. *)
  Lemma two_references n s x y :
    0 <= x <= 1 -> 0 <= y <= 1 ->
    deletion_walk n (s + ((1 - x) * 1 + x * (E * E) - alpha * ((1 - y) * 1 + y * (E * E))))
    <= (1 - x - y) * deletion_walk n (s + still) + x * deletion_walk n (s + up) + y * deletion_walk n (s + down).
  Proof.
    intros HX HY. set (f := deletion_walk n). set (both := E * E - alpha * (E * E)).
    assert (C : f (s + ((1 - x) * 1 + x * (E * E) - alpha * ((1 - y) * 1 + y * (E * E))))
      <= (1 - x) * ((1 - y) * f (s + still) + y * f (s + down)) + x * ((1 - y) * f (s + up) + y * f (s + both))).
    { replace (s + ((1 - x) * 1 + x * (E * E) - alpha * ((1 - y) * 1 + y * (E * E))))
        with ((1 - x) * ((1 - y) * (s + still) + y * (s + down)) + x * ((1 - y) * (s + up) + y * (s + both))) by (unfold still, down, up, both; ring).
      eapply Rle_trans; [apply deletion_walk_convex; exact HX|]. apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; now apply deletion_walk_convex. }
    (* the fourth corner *)
    assert (D : f (s + both) + f (s + still) <= f (s + up) + f (s + down)).
    { set (t := alpha / (1 + alpha)).
      assert (T : 0 <= t <= 1).
      { unfold t. split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]|]. apply (Rmult_le_reg_r (1 + alpha)); [lra|].
        unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
      pose proof (deletion_walk_convex n t (s + up) (s + down) T) as C1. pose proof (deletion_walk_convex n (1 - t) (s + up) (s + down) ltac:(lra)) as C2.
      replace ((1 - t) * (s + up) + t * (s + down)) with (s + both) in C1 by (unfold t, both, up, down; field; lra).
      replace ((1 - (1 - t)) * (s + up) + (1 - t) * (s + down)) with (s + still) in C2 by (unfold t, still, up, down; field; lra).
      fold f in C1, C2. lra. }
    assert (X : 0 <= x * y) by (apply Rmult_le_pos; lra). pose proof (Rmult_le_compat_l (x * y) _ _ X D). lra.
  Qed.

  (* -------- It is the pair -------- *)

  Let r := 1 / (E + 1).
  Let given (B : nat) (s : R) : R := counts_mean r r B (fun a b => pos (s + (up * INR a + down * INR b + still * (INR B - INR a - INR b)))).

  Lemma deletion_given_S B s : given (S B) s = r * given B (s + up) + r * given B (s + down) + (1 - r - r) * given B (s + still).
  Proof.
    unfold given. cbn [counts_mean]. f_equal; [f_equal|]; f_equal; apply counts_mean_ext; intros a b _; f_equal; rewrite !S_INR; ring.
  Qed.

  Lemma deletion_walk_given n s : deletion_walk n s = sum (seq 0 (S n)) (fun B => bin (1 / E) n B * given B s).
  Proof.
    revert s; induction n as [|n IH]; intros s.
    - cbn. unfold given. cbn. replace (s + _) with s by ring. ring.
    - cbn [deletion_walk]. rewrite !IH, (sum_seq_first (S n)).
      rewrite (sum_ext (seq 0 (S n)) (fun B => bin (1 / E) (S n) (S B) * given (S B) s)
        (fun B => (1 / E * r * (bin (1 / E) n B * given B (s + up)) + 1 / E * r * (bin (1 / E) n B * given B (s + down)))
                  + (1 / E * (1 - r - r) * (bin (1 / E) n B * given B (s + still)) + (1 - 1 / E) * (bin (1 / E) n (S B) * given (S B) s)))).
      2:{ intros B _. rewrite bin_SS, Rmult_plus_distr_r, (deletion_given_S B s) at 1.
          replace ((1 - 1 / E) * bin (1 / E) n (S B) * given (S B) s) with ((1 - 1 / E) * (bin (1 / E) n (S B) * given (S B) s)) by ring. ring. }
      rewrite !sum_plus, !sum_scal.
      assert (T : bin (1 / E) n 0 * given 0 s + sum (seq 0 (S n)) (fun B => bin (1 / E) n (S B) * given (S B) s)
                  = sum (seq 0 (S n)) (fun B => bin (1 / E) n B * given B s)).
      { rewrite <- (sum_seq_first (S n) (fun B => bin (1 / E) n B * given B s)), sum_seq_last, bin_above by lia. ring. }
      replace (bin (1 / E) (S n) 0) with ((1 - 1 / E) * bin (1 / E) n 0) by (cbn [bin before]; ring).
      replace (1 / E * r) with g by (unfold g, r; field; lra).
      replace (1 / E * (1 - r - r)) with ((E - 1) * g) by (unfold g, r; field; lra).
      rewrite <- T. ring.
  Qed.

  Theorem deletion_walk_pair N : deletion_walk (S N) 0 / INR (S N) = krr_weak_hockey (1 / E) (E + 1) N alpha.
  Proof.
    destruct over_E as [O1 O2]. assert (HS : 0 < INR (S N)) by (apply lt_0_INR; lia).
    rewrite krr_weak_mixture by lra. rewrite deletion_walk_given, sum_seq_first.
    replace (given 0 0) with 0 by (unfold given; cbn; rewrite pos_id; lra).
    rewrite Rmult_0_r, Rplus_0_l. unfold Rdiv at 1. rewrite <- sum_scal_r. apply sum_ext. intros B _.
    assert (HB : 0 < INR (S B)) by (apply lt_0_INR; lia).
    assert (R0 : 0 < r) by (unfold r; apply Rdiv_lt_0_compat; lra).
    assert (R1 : r + r <= 1) by (unfold r; apply (Rmult_le_reg_r (E + 1)); [lra|]; field_simplify; lra).
    unfold krr_weak_given. fold r.
    rewrite (trinomial_hockey_three _ _ _ _ _ (1 / E * up) (1 / E * down) (1 / E * still)); try lra.
    - pose proof (bin_diag (1 / E) N B) as D.
      rewrite (counts_mean_ext _ _ _ _ (fun a b => 1 / E * pos (0 + (up * INR a + down * INR b + still * (INR (S B) - INR a - INR b))))).
      2:{ intros a b _. rewrite <- pos_scal by lra. f_equal. ring. }
      rewrite mean_scal. fold (given (S B) 0).
      apply (Rmult_eq_reg_r (INR (S N) * INR (S B))); [|apply Rgt_not_eq, Rmult_lt_0_compat; assumption].
      transitivity (bin (1 / E) (S N) (S B) * INR (S B) * given (S B) 0); [field; lra|].
      rewrite D. field. lra.
    - unfold krr_weak_w0, krr_weak_w1, up, r. field. lra.
    - unfold krr_weak_w0, krr_weak_w1, down, r. field. lra.
    - unfold krr_weak_w2, still, r. field. lra.
  Qed.
End Walk.

(* -------- The mechanism -------- *)

Section Mechanism.
  Context {X Z : Type} (outs : list Z) (K : list Z -> X -> Z -> R) (R0 : list Z -> Z -> R) (E alpha : R) (x0 x1 : X).
  Hypotheses (HK : randomiser outs K) (HR : forall h, law outs (R0 h)) (HD : deletion outs E R0 K) (HA : 0 <= alpha).

  Section Above.
    Hypothesis HE : 1 < E.
    Let F := deletion_walk E alpha.
    Let g := 1 / (E * (E + 1)).

    Lemma deletion_offset k : forall h ys s, enough k ys s -> sum (words outs k) (fun v => pos (offset K alpha x0 x1 h ys s v)) <= F k s.
    Proof.
      destruct (g_spec E HE) as (G0 & G1 & G2). fold g in G0, G1, G2. destruct (over_E E HE) as [O1 O2]. assert (D : 0 < E * E - 1) by nra.
      induction k as [|k IH]; intros h ys s EN.
      - cbn. unfold offset. cbn. replace (0 + s * 1) with s by ring. lra.
      - rewrite sum_words. set (u := fun z => 1 / E * R0 h z). set (x := fun z => (K h x0 z - u z) / (E * E - 1)).
        set (y := fun z => (K h x1 z - u z) / (E * E - 1)).
        assert (N : forall z, In z outs -> 0 <= R0 h z) by (intros; now apply HR).
        assert (SH : forall w z, In z outs -> u z <= K h w z /\ K h w z <= E * R0 h z).
        { intros w z Hz. destruct (HD h w z Hz) as [U L]. split; [|exact U]. unfold u. apply (Rmult_le_reg_l E); [lra|].
          replace (E * (1 / E * R0 h z)) with (R0 h z) by (field; lra). exact L. }
        apply Rle_trans with (sum outs (fun z => ((u z - x z - y z) * F k (s + (1 - alpha)) + x z * F k (s + (E * E - alpha)) + y z * F k (s +
          (1 - alpha * (E * E))))
          + pick ys (fun w _ => K h w z - u z) * F k s)).
        + apply sum_le. intros z Hz. destruct (SH x0 z Hz) as [L0 U0]. destruct (SH x1 z Hz) as [L1 U1]. specialize (N z Hz).
          assert (UE : E * u z = R0 h z) by (unfold u; field; lra).
          destruct N as [RP|RZ].
          * assert (UP : 0 < u z) by (unfold u; apply Rmult_lt_0_compat; lra).
            set (a := x z / u z). set (b := y z / u z).
            assert (AB : forall c, u z <= c -> c <= E * R0 h z -> 0 <= (c - u z) / (E * E - 1) / u z <= 1).
            { intros c C0 C1. assert (C2 : c <= E * E * u z) by (rewrite Rmult_assoc, UE; exact C1). split.
              - apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat, UP]. apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, D].
              - apply (Rmult_le_reg_r (u z)); [exact UP|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r, Rmult_1_l.
                apply (Rmult_le_reg_r (E * E - 1)); [exact D|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
            pose proof (AB (K h x0 z) L0 U0) as A01. pose proof (AB (K h x1 z) L1 U1) as B01. fold (x z) in A01. fold (y z) in B01. fold a in A01. fold b in B01.
            set (t := (1 - a) * 1 + a * (E * E) - alpha * ((1 - b) * 1 + b * (E * E))).
            assert (XA : x z = u z * a) by (unfold a; field; lra). assert (YB : y z = u z * b) by (unfold b; field; lra).
            eapply Rle_trans; [apply (offset_step outs K alpha x0 x1 (F k) k h ys s z t (u z)); auto|].
            -- lra.
            -- intros w. now apply SH.
            -- assert (KX : K h x0 z = u z + x z * (E * E - 1)) by (unfold x; field; lra). assert (KY : K h x1 z
                 = u z + y z * (E * E - 1)) by (unfold y; field; lra).
               rewrite KX, KY, XA, YB. unfold t. ring.
            -- apply Rplus_le_compat_r. rewrite XA, YB.
               replace ((u z - u z * a - u z * b) * F k (s + (1 - alpha)) + u z * a * F k (s + (E * E - alpha)) + u z * b * F k (s + (1 - alpha * (E * E))))
                 with (u z * ((1 - a - b) * F k (s + (1 - alpha)) + a * F k (s + (E * E - alpha)) + b * F k (s + (1 - alpha * (E * E))))) by ring.
               apply Rmult_le_compat_l; [lra|]. now apply (two_references E alpha HE HA).
          * assert (UZ : u z = 0) by (unfold u; rewrite <- RZ; ring). rewrite <- RZ, Rmult_0_r in U0, U1.
            assert (K0 : K h x0 z = 0) by lra. assert (K1 : K h x1 z = 0) by lra.
            assert (XZ : x z = 0) by (unfold x; rewrite K0, UZ; unfold Rdiv; ring). assert (YZ : y z = 0) by (unfold y; rewrite K1, UZ; unfold Rdiv; ring).
            eapply Rle_trans; [apply (offset_step outs K alpha x0 x1 (F k) k h ys s z 0 (u z)); auto|].
            -- lra.
            -- intros w. now apply SH.
            -- rewrite K0, K1, UZ. ring.
            -- rewrite XZ, YZ, UZ. right. ring.
        + assert (SU : sum outs u = 1 / E) by (unfold u; rewrite sum_scal; destruct (HR h) as [_ ->]; ring).
          assert (SX : forall w, sum outs (fun z => (K h w z - u z) / (E * E - 1)) = g).
          { intros w. unfold Rdiv. rewrite sum_scal_r, sum_minus, SU. destruct (HK h w) as [_ ->]. unfold g. field. nra. }
          assert (Sp : sum outs (fun z => pick ys (fun w _ => K h w z - u z)) <= 1 - 1 / E).
          { rewrite pick_sum. destruct ys as [|y0 ys].
            - unfold pick, Rdiv. cbn [picks sum]. rewrite Rmult_0_l. lra.
            - rewrite (pick_ext _ _ (fun _ _ => 1 - 1 / E)); [right; apply pick_const; cbn; lia|].
              intros w rest _. rewrite sum_minus, SU. destruct (HK h w) as [_ ->]. reflexivity. }
          rewrite !sum_plus, !sum_scal_r, !sum_minus, SU. unfold x, y. rewrite !SX.
          apply (Rmult_le_compat_r (F k s)) in Sp; [|now apply deletion_walk_nonneg].
          eapply Rle_trans; [apply Rplus_le_compat_l; exact Sp|]. right. unfold F. cbn [deletion_walk]. fold g. rewrite <- G2. ring.
    Qed.

    Lemma deletion_above xs :
      hockey (words outs (S (length xs))) alpha (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs)) <= krr_weak_hockey (1 / E) (E + 1) (length xs) alpha.
    Proof.
      assert (HN : 0 < INR (S (length xs))) by (apply lt_0_INR; lia). assert (HI : 0 < / INR (S (length xs))) by now apply Rinv_0_lt_compat.
      rewrite <- deletion_walk_pair by exact HE.
      apply Rle_trans with (sum (words outs (S (length xs))) (fun v => pos (offset K alpha x0 x1 [] xs 0 v)) * / INR (S (length xs))).
      - rewrite <- sum_scal_r. right. apply sum_ext. intros v Hv. apply words_length in Hv.
        rewrite !shuffled_draw by (rewrite Hv; reflexivity). rewrite draw_signed by assumption.
        rewrite (Rmult_comm (pos _)), <- pos_scal by lra. f_equal. unfold offset, Rdiv. ring.
      - apply Rmult_le_compat_r; [lra|]. apply deletion_offset. right. auto.
    Qed.
  End Above.

  (* The theorem; for E = 1 all laws are the reference. *)
  Theorem clones_deletion xs : 1 <= E ->
    hockey (words outs (S (length xs))) alpha (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs)) <= krr_weak_hockey (1 / E) (E + 1) (length xs) alpha.
  Proof.
    intros HE. destruct (Rle_lt_or_eq_dec 1 E HE) as [L|EQ]; [now apply deletion_above|].
    assert (SAME : forall w, In w (words outs (S (length xs))) -> shuffled K (x1 :: xs) w = shuffled K (x0 :: xs) w).
    { intros w Hw. apply in_words in Hw as [LW FW]. unfold shuffled. cbn [length]. f_equal. cbn [orders]. rewrite !sum_flat_map. apply sum_ext_all. intros q.
      clear LW. revert w FW. generalize (@nil Z) as h.
      assert (KE : forall h z, In z outs -> K h x1 z = K h x0 z).
      { intros h z Hz. destruct (HD h x0 z Hz), (HD h x1 z Hz). rewrite <- EQ in *. lra. }
      induction q as [|c q IH]; intros h w FW.
      - cbn. destruct w as [|z w]; [reflexivity|]. inversion FW; subst. cbn. now rewrite KE.
      - cbn [inserts sum]. rewrite !sum_map. f_equal.
        + destruct w as [|z w]; [reflexivity|]. inversion FW; subst. cbn [run]. now rewrite KE.
        + destruct w as [|z w]; [cbn [run]; now rewrite !sum_zero|]. inversion FW; subst.
          cbn [run]. rewrite !sum_scal. f_equal. now apply IH. }
    rewrite (hockey_ext _ _ _ _ (shuffled K (x0 :: xs)) (shuffled K (x0 :: xs)) (fun _ _ => eq_refl) SAME).
    pose proof (shuffled_law outs K HK (x0 :: xs)) as [SM S1]. cbn [length] in SM, S1. rewrite hockey_same by exact SM. rewrite S1, Rmult_1_r.
    destruct (krr_weak_laws (1 / E) (E + 1) (length xs)) as [[PM P1] [QM Q1]]; [rewrite <- EQ; split; lra | lra |].
    apply pos_lub; [apply hockey_nonneg|]. pose proof (hockey_ge_masses (list_prod (seq 0 (S (length xs))) (counts (length xs))) (krr_weak_P (1 / E)
      (E + 1) (length xs)) (krr_weak_Q (1 / E) (E + 1) (length xs)) alpha) as G.
    rewrite P1, Q1 in G. unfold krr_weak_hockey. lra.
  Qed.
End Mechanism.
