(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The walk over the strata of Evaluate.v in machine integers. What is followed from
 * a stratum c to the next below is, times one factor, the weight of the stratum
 * times the binomial value and tail at the threshold: as these products do not grow
 * forever, ranges of integers keep the accuracy that intervals of any precision
 * would have. When they have grown, all are divided by a power of 2. The thresholds are
 * checked in every row. Anything unusual gives None.
 *)
From Coq Require Import Reals List ZArith NArith Lra Lia Arith Bool Uint63 Psatz.
From Shufbound Require Import Sum Hockey Trinomial Binomial Strata Enclosures Walk MachineRanges.
Import ListNotations.
Open Scope R_scope.

Definition nat_of (c : int) : nat := Z.to_nat (int_value c).

Lemma nat_of_value c : IZR (int_value c) = INR (nat_of c).
Proof. unfold nat_of. rewrite INR_IZR_INZ, Z2Nat.id; [reflexivity | apply int_nonneg]. Qed.

(* What the pair and alpha give: thresholds and constants. *)
Record walk := {
  wk_n : int;          (* the other users *)
  wk_unit : int;       (* 1 in the units of the thresholds *)
  wk_slack : int;      (* how far beyond, in these units, a threshold may be *)
  wk_x_low : int; wk_x_high : int;  (* the threshold is at (c+1) x + (n-c) k *)
  wk_k_low : int; wk_k_high : int;
  wk_loses : bool;     (* k is not 0 *)
  wk_stay : constant;  (* 1/(o (1-rho)), o = s/(1-s) *)
  wk_turn : constant;  (* 1/(o rho) *)
  wk_back : constant;  (* 1/o *)
  wk_rho : constant;
  wk_odds : constant   (* rho/(1-rho) *)
}.

Section Rows.
  Variable wk : walk.
  Variable guard : int. (* sums are of the numbers over 2^guard *)
  Variable room : int.  (* what is above is brought below *)
  Variable fuel : nat.  (* how far the threshold may rise from a stratum to the next below *)
  Notation n := (wk_n wk).

  Definition place_low (c : int) : int := ((c + 1) * wk_x_low wk + (n - c) * wk_k_low wk)%uint63.
  Definition place_high (c : int) : int := ((c + 1) * wk_x_high wk + (n - c) * wk_k_high wk)%uint63.

  (* c - (t-1) *)
  Definition gap (c t : int) : int := (if t <=? c then c - t + 1 else 0)%uint63.

  Definition is_threshold (c t : int) : bool :=
    (if (t - 1) * wk_unit wk <=? place_low c then place_high c <=? t * wk_unit wk + wk_slack wk else false)%uint63.

  (* nothing is positive in this stratum, nor in those below *)
  Definition is_dead (c : int) : bool :=
    (if wk_loses wk then (c + 1) * wk_unit wk <=? place_low c else false)%uint63.

  Fixpoint rise (fuel : nat) (c t : int) (y z : range) : int * range * range :=
    match fuel with
    | O => (t, y, z)
    | S f =>
      if (t <=? c + 1)%uint63 then
        if (t * wk_unit wk <? place_low c)%uint63 then
          let y' := times_both y (wk_odds wk) (gap c t) t in
          rise f c (t + 1)%uint63 y' (subtract_range z y')
        else (t, y, z)
      else (t, y, z)
    end.

  (* from stratum c to the next below *)
  Definition descend (c t : int) (y z : range) : int * range * range :=
    let d := (n + 1 - c)%uint63 in
    if (if t <=? 1 then true else (t - 1) * wk_unit wk <=? place_low (c - 1))%uint63 then
      let y' := times_both y (wk_stay wk) (gap c t) d in
      (t, y', subtract_range (times_both z (wk_back wk) c d) (times_constant y' (wk_rho wk)))
    else
      ((t - 1)%uint63, times_both y (wk_turn wk) (t - 1)%uint63 d,
       add_range (times_both z (wk_back wk) c d) (times_both y (wk_back wk) (gap c t) d)).

  (* what a threshold that is too near to tell may add, up to a factor *)
  Definition near_of (c t : int) (y : range) : range :=
    (if place_high c <=? t * wk_unit wk then zero_range else times_ratio y 1 t)%uint63.

  (* what K takes from a row *)
  Definition loss_of (c : int) (y z : range) : range :=
    if wk_loses wk then times_ratio (add_range (times_constant y (wk_rho wk)) z) (n - c)%uint63 (c + 1)%uint63
    else zero_range.

  (* The sums of the values, of the tails, of what K takes and of what is near, and the power of 2 by which all was divided. *)
  Fixpoint rows (steps : nat) (c t : int) (y z a b d q : range) (e : Z) : option (range * range * range * range * Z) :=
    if is_dead c then Some (a, b, d, q, e)
    else if is_threshold c t then
      let a' := add_range a (shift_range y guard) in
      let b' := add_range b (shift_range z guard) in
      let d' := add_range d (shift_range (loss_of c y z) guard) in
      let q' := add_range q (shift_range (near_of c t y) guard) in
      match steps with
      | O => Some (a', b', d', q', e)
      | S m =>
        let '(t1, y1, z1) := descend c t y z in
        let c1 := (c - 1)%uint63 in
        let '(t2, y2, z2) := rise fuel c1 t1 y1 z1 in
        if (if room <? snd y2 then true else room <? snd z2)%uint63 then
          let k := (head0 room + 1 - head0 (if snd y2 <? snd z2 then snd z2 else snd y2))%uint63 in
          rows m c1 t2 (shift_range y2 k) (shift_range z2 k) (shift_range a' k) (shift_range b' k) (shift_range d' k) (shift_range q' k) (e + int_value k)
        else rows m c1 t2 y2 z2 a' b' d' q' e
      end
    else None.

  (* Soundness. *)
  Variables (s u v rho kappa x k : R).
  Hypothesis Hs : 0 < s < 1.
  Hypothesis Hrho : 0 < rho < 1.
  Hypothesis Hu : 0 <= u.
  Let o : R := s / (1 - s).
  Let slope : R := u / rho - v / (1 - rho).
  Hypothesis Hslope : 0 < slope.
  Hypothesis Hx : slope * x = - v / (1 - rho).
  Hypothesis Hk : slope * k = kappa.
  Hypothesis Hkappa : 0 <= kappa.
  Hypothesis Hloses : wk_loses wk = false -> kappa = 0.
  Let size : nat := nat_of n.
  Let V (c : nat) : R := stratum u v rho c (kappa * (INR (size - c) / INR (S c))).
  Let term (c : nat) : R := bin s size c * V c.
  Let one : R := IZR (int_value (wk_unit wk)).
  Hypothesis Hone : 0 < one.
  Hypothesis Hxl : IZR (int_value (wk_x_low wk)) <= one * x <= IZR (int_value (wk_x_high wk)).
  Hypothesis Hkl : IZR (int_value (wk_k_low wk)) <= one * k <= IZR (int_value (wk_k_high wk)).
  Hypothesis Hsmall :
    ((int_value n + 3) * (int_value (wk_unit wk) + int_value (wk_x_high wk) + int_value (wk_k_high wk)) < 2 ^ 62)%Z.
  Hypothesis Hslack : (int_value (wk_slack wk) <= int_value (wk_unit wk))%Z.
  Let slack : R := IZR (int_value (wk_slack wk)) / one.
  Hypothesis Cstay : is_constant (wk_stay wk) (1 / (o * (1 - rho))).
  Hypothesis Cturn : is_constant (wk_turn wk) (1 / (o * rho)).
  Hypothesis Cback : is_constant (wk_back wk) (1 / o).
  Hypothesis Crho : is_constant (wk_rho wk) rho.
  Hypothesis Codds : is_constant (wk_odds wk) (rho / (1 - rho)).

  Lemma wB_value : wB = (2 ^ 63)%Z.
  Proof. reflexivity. Qed.

  Lemma unit_positive : (0 < int_value (wk_unit wk))%Z.
  Proof. now apply lt_IZR. Qed.

  Lemma n_small : (0 <= int_value n /\ int_value n + 3 < 2 ^ 62)%Z.
  Proof.
    pose proof unit_positive. pose proof (int_nonneg n). pose proof (int_nonneg (wk_x_high wk)). pose proof (int_nonneg (wk_k_high wk)).
    split; [lia|]. nia.
  Qed.

  (* Small numbers do not overflow. *)
  Lemma succ_value c : (int_value c <= int_value n + 2)%Z -> int_value (c + 1)%uint63 = (int_value c + 1)%Z.
  Proof.
    intros H. pose proof n_small. pose proof (int_nonneg c). rewrite add_spec. change (int_value 1%uint63) with 1%Z.
    apply Z.mod_small. rewrite wB_value. lia.
  Qed.

  Lemma pred_value c : (1 <= int_value c)%Z -> int_value (c - 1)%uint63 = (int_value c - 1)%Z.
  Proof. intros H. rewrite sub_value; change (int_value 1%uint63) with 1%Z; lia. Qed.

  Lemma nat_of_succ c : (int_value c <= int_value n + 2)%Z -> nat_of (c + 1)%uint63 = S (nat_of c).
  Proof. intros H. unfold nat_of. rewrite succ_value by trivial. pose proof (int_nonneg c). lia. Qed.

  Lemma nat_of_pred c : (1 <= int_value c)%Z -> nat_of (c - 1)%uint63 = (nat_of c - 1)%nat.
  Proof. intros H. unfold nat_of. rewrite pred_value by trivial. lia. Qed.

  Lemma nat_of_below c : (int_value c <= int_value n)%Z -> nat_of (n - c)%uint63 = (size - nat_of c)%nat.
  Proof. intros H. unfold size, nat_of. rewrite sub_value by trivial. pose proof (int_nonneg c). lia. Qed.

  Lemma nat_of_beyond c : (int_value c <= int_value n)%Z -> nat_of (n + 1 - c)%uint63 = (S size - nat_of c)%nat
    /\ (0 < int_value (n + 1 - c)%uint63)%Z.
  Proof.
    intros H. unfold size, nat_of. pose proof (int_nonneg c).
    rewrite sub_value; rewrite succ_value by lia; [|lia]. split; lia.
  Qed.

  Lemma nat_of_gap c t : (int_value c <= int_value n)%Z -> (1 <= int_value t)%Z ->
    nat_of (gap c t) = (nat_of c - (nat_of t - 1))%nat.
  Proof.
    intros H T. unfold gap. destruct (t <=? c)%uint63 eqn:E.
    - apply leb_spec in E. rewrite nat_of_succ by (rewrite sub_value; lia). unfold nat_of. rewrite sub_value by lia. lia.
    - assert (~ (int_value t <= int_value c)%Z) by (intros N; apply leb_spec in N; congruence).
      unfold nat_of. change (int_value 0%uint63) with 0%Z. lia.
  Qed.

  Lemma times_unit t : (int_value t <= int_value n + 3)%Z -> IZR (int_value (t * wk_unit wk)%uint63) = IZR (int_value t) * one.
  Proof.
    intros H. unfold one. rewrite mul_spec, <- mult_IZR. f_equal. apply Z.mod_small. rewrite wB_value.
    pose proof (int_nonneg t). pose proof unit_positive. pose proof (int_nonneg (wk_x_high wk)). pose proof (int_nonneg (wk_k_high wk)). nia.
  Qed.

  (* Where the threshold is. *)
  Definition place (c : nat) : R := INR (S c) * x + INR (size - c) * k.

  Lemma x_range : 0 <= k.
  Proof. apply (Rmult_le_reg_l slope); [exact Hslope|]. rewrite Hk. lra. Qed.

  Lemma x_most : x <= 1.
  Proof.
    apply (Rmult_le_reg_l slope); [exact Hslope|]. rewrite Hx. unfold slope.
    assert (0 <= u / rho) by (apply Rmult_le_pos; [exact Hu | apply Rlt_le, Rinv_0_lt_compat; lra]).
    replace (- v / (1 - rho)) with (- (v / (1 - rho))) by (unfold Rdiv; ring). lra.
  Qed.

  Lemma place_spec c : INR (S c) * (kappa * (INR (size - c) / INR (S c)) - v / (1 - rho)) = slope * place c.
  Proof.
    unfold place. rewrite Rmult_plus_distr_l.
    replace (slope * (INR (S c) * x)) with (INR (S c) * (slope * x)) by ring.
    replace (slope * (INR (size - c) * k)) with (INR (size - c) * (slope * k)) by ring.
    rewrite Hx, Hk. pose proof (lt_0_INR (S c) ltac:(lia)). field. split; lra.
  Qed.

  Lemma place_low_spec c : (int_value c <= int_value n)%Z -> IZR (int_value (place_low c)) <= one * place (nat_of c).
  Proof.
    intros H. unfold place_low, place. rewrite add_spec, !mul_spec.
    assert (M : forall a, (0 <= a -> a mod wB <= a)%Z) by (intros a A; apply Z.mod_le; [exact A | reflexivity]).
    pose proof (int_nonneg (c + 1)%uint63). pose proof (int_nonneg (n - c)%uint63).
    pose proof (int_nonneg (wk_x_low wk)). pose proof (int_nonneg (wk_k_low wk)).
    eapply Rle_trans with (IZR (int_value (c + 1)%uint63 * int_value (wk_x_low wk) + int_value (n - c)%uint63 * int_value (wk_k_low wk))).
    - apply IZR_le. eapply Z.le_trans; [apply M|].
      + apply Z.add_nonneg_nonneg; apply Z.mod_pos_bound; reflexivity.
      + apply Z.add_le_mono; apply M; nia.
    - rewrite plus_IZR, !mult_IZR, !nat_of_value, nat_of_succ, nat_of_below by lia.
      rewrite Rmult_plus_distr_l, <- !nat_of_value.
      pose proof (pos_INR (size - nat_of c)). pose proof (pos_INR (S (nat_of c))). destruct Hxl, Hkl.
      apply Rplus_le_compat; [|].
      + replace (one * (INR (S (nat_of c)) * x)) with (INR (S (nat_of c)) * (one * x)) by ring. now apply Rmult_le_compat_l.
      + replace (one * (INR (size - nat_of c) * k)) with (INR (size - nat_of c) * (one * k)) by ring. now apply Rmult_le_compat_l.
  Qed.

  Lemma place_high_spec c : (int_value c <= int_value n)%Z -> one * place (nat_of c) <= IZR (int_value (place_high c)).
  Proof.
    intros H. unfold place_high, place. rewrite add_spec, !mul_spec.
    pose proof n_small as NS. pose proof unit_positive as UP.
    assert (C1 : int_value (c + 1)%uint63 = (int_value c + 1)%Z) by (apply succ_value; lia).
    assert (C2 : int_value (n - c)%uint63 = (int_value n - int_value c)%Z) by (apply sub_value; lia).
    pose proof (int_nonneg c). pose proof (int_nonneg (wk_x_high wk)). pose proof (int_nonneg (wk_k_high wk)).
    assert (A : (int_value (c + 1)%uint63 * int_value (wk_x_high wk) + int_value (n - c)%uint63 * int_value (wk_k_high wk) < 2 ^ 62)%Z).
    { rewrite C1, C2. nia. }
    assert (0 <= int_value (c + 1)%uint63 * int_value (wk_x_high wk))%Z by (apply Z.mul_nonneg_nonneg; lia).
    assert (0 <= int_value (n - c)%uint63 * int_value (wk_k_high wk))%Z by (apply Z.mul_nonneg_nonneg; lia).
    rewrite !(Z.mod_small (_ * _)) by (rewrite wB_value; lia). rewrite Z.mod_small by (rewrite wB_value; lia).
    rewrite plus_IZR, !mult_IZR, !nat_of_value, nat_of_succ, nat_of_below by lia.
    rewrite Rmult_plus_distr_l, <- !nat_of_value.
    pose proof (pos_INR (size - nat_of c)). pose proof (pos_INR (S (nat_of c))). destruct Hxl, Hkl.
    apply Rplus_le_compat.
    - replace (one * (INR (S (nat_of c)) * x)) with (INR (S (nat_of c)) * (one * x)) by ring. now apply Rmult_le_compat_l.
    - replace (one * (INR (size - nat_of c) * k)) with (INR (size - nat_of c) * (one * k)) by ring. now apply Rmult_le_compat_l.
  Qed.

  Lemma slack_range : 0 <= slack <= 1.
  Proof.
    unfold slack. split.
    - apply Rmult_le_pos; [apply int_nonneg_R | now apply Rlt_le, Rinv_0_lt_compat].
    - apply (Rmult_le_reg_r one); [exact Hone|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
      now apply IZR_le.
  Qed.

  Lemma is_threshold_true c t : (int_value c <= int_value n)%Z -> (1 <= int_value t <= int_value n + 2)%Z ->
    is_threshold c t = true -> INR (nat_of t - 1) <= place (nat_of c) <= INR (nat_of t) + slack.
  Proof.
    intros C T. unfold is_threshold. destruct (_ <=? _)%uint63 eqn:E1; [|discriminate]. intros E2.
    apply leb_spec, IZR_le in E1, E2. pose proof (place_low_spec c C). pose proof (place_high_spec c C).
    rewrite add_spec in E2.
    assert (M : IZR ((int_value (t * wk_unit wk)%uint63 + int_value (wk_slack wk)) mod wB)
              <= IZR (int_value (t * wk_unit wk)%uint63) + IZR (int_value (wk_slack wk))).
    { rewrite <- plus_IZR. apply IZR_le, Z.mod_le; [apply Z.add_nonneg_nonneg; apply int_nonneg | reflexivity]. }
    rewrite times_unit in E1, M by (rewrite ?pred_value; lia).
    rewrite (nat_of_value (t - 1)%uint63), nat_of_pred in E1 by lia. rewrite (nat_of_value t) in M.
    split; apply (Rmult_le_reg_l one); trivial; [lra|]. rewrite Rmult_plus_distr_l.
    replace (one * slack) with (IZR (int_value (wk_slack wk))) by (unfold slack; field; lra). lra.
  Qed.

  (* A threshold not far beyond the right one. *)
  Lemma value_near c t : (1 <= t)%nat -> INR (t - 1) <= place c <= INR t + slack ->
    let K := kappa * (INR (size - c) / INR (S c)) in
    from u v rho c K t <= V c <= from u v rho c K t + (if Rle_dec (place c) (INR t) then 0 else slope * slack * (bin rho c (t - 1) / INR t)).
  Proof.
    intros T [P1 P2] K. pose proof slack_range as SR.
    assert (B : 0 <= bin rho c (t - 1)) by (apply bin_nonneg; lra).
    split; [now apply stratum_any|].
    assert (PS : INR (S c) * (K - v / (1 - rho)) = slope * place c) by apply place_spec.
    destruct (Rle_dec (place c) (INR t)) as [L|L].
    - unfold V. fold K. rewrite (stratum_at u v rho c K t Hrho T Hslope); [lra|]. rewrite PS. fold slope.
      split; apply Rmult_le_compat_l; lra.
    - unfold V. fold K. rewrite (stratum_at u v rho c K (S t) Hrho ltac:(lia) Hslope).
      2:{ rewrite PS. fold slope. replace (S t - 1)%nat with t by lia. rewrite S_INR. split; apply Rmult_le_compat_l; lra. }
      unfold from. replace (S t - 1)%nat with t by lia. pose proof (tail_step rho c t) as TS. rewrite TS.
      pose proof (bin_diag rho c (t - 1)) as BD. replace (S (t - 1)) with t in BD by lia.
      pose proof (lt_0_INR t ltac:(lia)) as PT. pose proof (lt_0_INR (S c) ltac:(lia)) as PC.
      assert (BB : bin rho (S c) t = rho * bin rho c (t - 1) + (1 - rho) * bin rho c t).
      { rewrite bin_S. replace t with (S (t - 1)) by lia. cbn [before]. now rewrite Nat.sub_succ, Nat.sub_0_r. }
      (* what is added: the outcome t, of value below 0 *)
      assert (E : (u - K * rho) * bin rho c t + (u + v - K) * tail rho c (S t)
                  - ((u - K * rho) * bin rho c (t - 1) + (u + v - K) * (bin rho c t + tail rho c (S t)))
                  = bin rho c (t - 1) * (slope * rho * (place c - INR t) / INR t)).
      { assert (KP : K = (slope * place c) / INR (S c) + v / (1 - rho)) by (rewrite <- PS; field; split; lra).
        assert (BT : bin rho c t = (bin rho c (t - 1) * INR (S c) * rho / INR t - rho * bin rho c (t - 1)) / (1 - rho)).
        { assert (X : bin rho (S c) t = bin rho c (t - 1) * INR (S c) * rho / INR t) by (rewrite <- BD; field; lra).
          rewrite <- X, BB. field. lra. }
        rewrite BT, KP. unfold slope. field. repeat split; lra. }
      assert (Q : slope * (rho * (place c - INR t)) <= slope * slack).
      { apply Rmult_le_compat_l; [lra|]. assert (rho * (place c - INR t) <= 1 * slack) by (apply Rmult_le_compat; lra). lra. }
      apply (Rmult_le_compat_r (bin rho c (t - 1) / INR t)) in Q;
        [|apply Rmult_le_pos; [exact B | now apply Rlt_le, Rinv_0_lt_compat]].
      replace (bin rho c (t - 1) * (slope * rho * (place c - INR t) / INR t))
        with (slope * (rho * (place c - INR t)) * (bin rho c (t - 1) / INR t)) in E by (unfold Rdiv; ring).
      lra.
  Qed.

  Lemma is_dead_true c : (int_value c <= int_value n)%Z -> is_dead c = true ->
    forall c', (c' <= nat_of c)%nat -> V c' = 0.
  Proof.
    intros C. unfold is_dead. destruct (wk_loses wk); [|discriminate]. intros E c' L.
    apply leb_spec, IZR_le in E. pose proof (place_low_spec c C) as P.
    rewrite times_unit in E by (rewrite succ_value; lia). rewrite (nat_of_value (c + 1)%uint63), nat_of_succ in E by lia.
    assert (F : INR (S (nat_of c)) <= place (nat_of c)) by (apply (Rmult_le_reg_l one); trivial; lra).
    assert (C' : (nat_of c <= size)%nat) by (unfold size, nat_of; lia).
    assert (G : INR (S c') <= place c').
    { unfold place in *. rewrite minus_INR in * by lia. apply le_INR in L. rewrite !S_INR in *. pose proof x_range. pose proof x_most. nra. }
    apply stratum_none; trivial. pose proof (place_spec c') as PS. pose proof (lt_0_INR (S c') ltac:(lia)) as PC.
    apply (Rmult_le_reg_l (INR (S c'))); [exact PC|].
    assert (slope * INR (S c') <= slope * place c') by (apply Rmult_le_compat_l; lra).
    unfold slope in *. lra.
  Qed.

  (* The state of a row. *)
  Definition state (f : R) (c t : int) (y z : range) : Prop :=
    (1 <= int_value t <= int_value n + 2)%Z
    /\ holds y (f * bin s size (nat_of c) * bin rho (nat_of c) (nat_of t - 1))
    /\ holds z (f * bin s size (nat_of c) * tail rho (nat_of c) (nat_of t)).

  Lemma nat_of_t t : (1 <= int_value t)%Z -> (1 <= nat_of t)%nat.
  Proof. unfold nat_of. lia. Qed.

  Lemma bins_nonneg f c i : 0 < f -> 0 <= f * bin s size c * bin rho c i.
  Proof. intros F. repeat apply Rmult_le_pos; [lra | apply bin_nonneg; lra | apply bin_nonneg; lra]. Qed.

  Lemma rise_correct f : 0 < f -> forall fuel c t y z, (int_value c <= int_value n)%Z -> state f c t y z ->
    let '(t', y', z') := rise fuel c t y z in state f c t' y' z'.
  Proof.
    intros F. clear fuel. induction fuel as [|m IH]; intros c t y z C H; cbn [rise]; [exact H|].
    destruct (t <=? c + 1)%uint63 eqn:E; [|exact H]. destruct (_ <? _)%uint63; [|exact H].
    apply leb_spec in E. rewrite succ_value in E by lia. destruct H as (T & Hy & Hz).
    pose proof (nat_of_t t (proj1 T)) as NT.
    assert (Y : holds (times_both y (wk_odds wk) (gap c t) t) (f * bin s size (nat_of c) * bin rho (nat_of c) (nat_of t))).
    { eapply holds_eq; [apply (times_both_holds _ _ _ _ _ _ Hy Codds); lia|].
      rewrite !nat_of_value, nat_of_gap by lia. pose proof (bin_step rho (nat_of c) (nat_of t - 1)) as B.
      replace (S (nat_of t - 1)) with (nat_of t) in B by lia.
      pose proof (lt_0_INR (nat_of t) ltac:(lia)) as P.
      apply (Rmult_eq_reg_r (INR (nat_of t) * (1 - rho))); [|apply Rgt_not_eq, Rmult_lt_0_compat; lra].
      transitivity (f * bin s size (nat_of c) * (bin rho (nat_of c) (nat_of t - 1) * INR (nat_of c - (nat_of t - 1)) * rho)); [field; lra|].
      rewrite <- B. ring. }
    apply IH; [exact C|]. split; [|split].
    - rewrite succ_value by lia. lia.
    - rewrite nat_of_succ by lia. replace (S (nat_of t) - 1)%nat with (nat_of t) by lia. exact Y.
    - rewrite nat_of_succ by lia. pose proof (tail_step rho (nat_of c) (nat_of t)) as TS.
      eapply holds_eq; [apply (subtract_range_holds _ _ _ _ Hz Y)|rewrite TS; ring].
      rewrite TS. replace (_ - _) with (f * bin s size (nat_of c) * tail rho (nat_of c) (S (nat_of t))) by ring.
      repeat apply Rmult_le_pos; [lra | apply bin_nonneg; lra | apply tail_nonneg; lra].
  Qed.

  Lemma descend_correct f c t y z : 0 < f -> (1 <= int_value c <= int_value n)%Z -> state f c t y z ->
    let '(t', y', z') := descend c t y z in state f (c - 1)%uint63 t' y' z'.
  Proof.
    intros F C (T & Hy & Hz). pose proof (nat_of_t t (proj1 T)) as NT.
    assert (NC : exists i, nat_of c = S i) by (exists (nat_of c - 1)%nat; unfold nat_of; lia). destruct NC as (i & NC).
    assert (NP : nat_of (c - 1)%uint63 = i) by (rewrite nat_of_pred by lia; lia).
    destruct (nat_of_beyond c ltac:(lia)) as [ND PD].
    assert (PO : 0 < o) by (apply Rdiv_lt_0_compat; lra).
    assert (PB : 0 < INR (S size - S i)) by (rewrite <- NC; apply lt_0_INR; unfold size, nat_of; lia).
    assert (W : bin s size i = bin s size (S i) * INR (S i) / (INR (S size - S i) * o)).
    { pose proof (bin_down s size (S i) Hs ltac:(rewrite <- NC; unfold size, nat_of; lia)) as B.
      replace (S i - 1)%nat with i in B by lia. exact B. }
    pose proof (lt_0_INR (S i) ltac:(lia)) as PI.
    rewrite NC in Hy, Hz.
    assert (B : forall r q a, holds r q -> holds (times_both r (wk_back wk) a (n + 1 - c)%uint63) (q * (1 / o) * INR (nat_of a) / INR (S size - S i))).
    { intros r q a Q. eapply holds_eq; [apply (times_both_holds _ _ _ _ _ _ Q Cback PD)|]. now rewrite !nat_of_value, ND, NC. }
    unfold descend. cbv zeta. destruct (if (t <=? 1)%uint63 then true else _) eqn:E.
    - assert (Y : holds (times_both y (wk_stay wk) (gap c t) (n + 1 - c)%uint63) (f * bin s size i * bin rho i (nat_of t - 1))).
      { eapply holds_eq; [apply (times_both_holds _ _ _ _ _ _ Hy Cstay PD)|].
        rewrite !nat_of_value, ND, nat_of_gap, NC, W by lia. pose proof (bin_row rho i (nat_of t - 1)) as R.
        transitivity (f * bin s size (S i) / (INR (S size - S i) * o) / (1 - rho) * (bin rho (S i) (nat_of t - 1) * INR (S i - (nat_of t - 1))));
          [field; lra|]. rewrite R. field. lra. }
      split; [exact T|]. rewrite NP. split; [exact Y|].
      pose proof (tail_row rho i (nat_of t) NT) as R.
      assert (EQ : f * bin s size (S i) * tail rho (S i) (nat_of t) * (1 / o) * INR (nat_of c) / INR (S size - S i)
                   - f * bin s size i * bin rho i (nat_of t - 1) * rho = f * bin s size i * tail rho i (nat_of t)).
      { rewrite R, NC, W. field. lra. }
      eapply holds_eq; [apply (subtract_range_holds _ _ _ _ (B z _ c Hz) (times_constant_holds _ _ _ _ Y Crho))|exact EQ].
      rewrite EQ. repeat apply Rmult_le_pos; [lra | apply bin_nonneg; lra | apply tail_nonneg; lra].
    - destruct (t <=? 1)%uint63 eqn:E1; [discriminate|].
      assert (T2 : (2 <= int_value t)%Z).
      { assert (~ (int_value t <= int_value 1%uint63)%Z) by (intros N; apply leb_spec in N; congruence).
        change (int_value 1%uint63) with 1%Z in *. lia. }
      assert (NT2 : exists j, nat_of t = S (S j)) by (exists (nat_of t - 2)%nat; unfold nat_of; lia). destruct NT2 as (j & NJ).
      assert (NTP : nat_of (t - 1)%uint63 = S j) by (rewrite nat_of_pred by lia; lia).
      split; [rewrite pred_value by lia; lia|]. rewrite NP, NTP. rewrite NJ in Hy, Hz.
      replace (S (S j) - 1)%nat with (S j) in Hy by lia. replace (S j - 1)%nat with j by lia. split.
      + eapply holds_eq; [apply (times_both_holds _ _ _ _ _ _ Hy Cturn PD)|].
        rewrite !nat_of_value, ND, NTP, NC, W. pose proof (bin_diag rho i j) as R.
        transitivity (f * bin s size (S i) / (INR (S size - S i) * o) / rho * (bin rho (S i) (S j) * INR (S j))); [field; lra|].
        rewrite R. field. lra.
      + eapply holds_eq; [apply add_range_holds; [apply (B z _ c Hz) | apply (B y _ (gap c t) Hy)]|].
        rewrite nat_of_gap, NC, NJ, W by lia. replace (S (S j) - 1)%nat with (S j) by lia.
        pose proof (bin_row rho i (S j)) as R1. pose proof (tail_row rho i (S (S j)) ltac:(lia)) as R2.
        pose proof (tail_step rho i (S j)) as R3. replace (S (S j) - 1)%nat with (S j) in R2 by lia.
        transitivity (f * bin s size (S i) / (INR (S size - S i) * o)
          * (tail rho (S i) (S (S j)) * INR (S i) + bin rho (S i) (S j) * INR (S i - S j))); [field; lra|].
        rewrite R1, R2, R3. field. lra.
  Qed.

  Lemma state_shift f c t y z m : state f c t y z ->
    state (f / IZR (2 ^ int_value m)) c t (shift_range y m) (shift_range z m).
  Proof.
    intros (T & Hy & Hz). split; [exact T|].
    split; (eapply holds_eq; [apply shift_range_holds; eassumption|]); unfold Rdiv; ring.
  Qed.

  Lemma loss_holds f c y z Y Z : 0 < f -> (int_value c <= int_value n)%Z -> holds y (f * Y) -> holds z (f * Z) ->
    exists d, holds (loss_of c y z) (f * d)
      /\ kappa * d = kappa * ((rho * Y + Z) * (INR (size - nat_of c) / INR (S (nat_of c)))).
  Proof.
    intros F C Hy Hz. unfold loss_of. destruct (wk_loses wk) eqn:E.
    - eexists. split; [|reflexivity].
      eapply holds_eq.
      + apply times_ratio_holds; [apply add_range_holds; [exact (times_constant_holds _ _ _ _ Hy Crho) | exact Hz]|].
        rewrite succ_value by lia. pose proof (int_nonneg c). lia.
      + rewrite !nat_of_value, nat_of_succ, nat_of_below by lia. unfold Rdiv. ring.
    - exists 0. split; [eapply holds_eq; [apply zero_range_holds | ring]|]. rewrite (Hloses eq_refl). ring.
  Qed.

  Lemma near_holds f c t y Y : 0 < f -> (int_value c <= int_value n)%Z -> (1 <= int_value t <= int_value n + 2)%Z ->
    0 <= Y -> holds y (f * Y) ->
    exists q, holds (near_of c t y) (f * q) /\ 0 <= q
      /\ (if Rle_dec (place (nat_of c)) (INR (nat_of t)) then 0 else Y / INR (nat_of t)) <= q.
  Proof.
    intros F C T Y0 Hy. unfold near_of. destruct (_ <=? _)%uint63 eqn:E.
    - exists 0. split; [eapply holds_eq; [apply zero_range_holds | ring]|]. split; [lra|].
      apply leb_spec, IZR_le in E. rewrite times_unit in E by lia. pose proof (place_high_spec c C) as P.
      rewrite (nat_of_value t) in E. destruct (Rle_dec _ _) as [L|L]; [lra|]. exfalso. apply L.
      apply (Rmult_le_reg_l one); trivial. lra.
    - assert (P : 0 < INR (nat_of t)) by (apply lt_0_INR; unfold nat_of; lia).
      assert (Q : 0 <= Y / INR (nat_of t)) by (apply Rmult_le_pos; [exact Y0 | now apply Rlt_le, Rinv_0_lt_compat]).
      exists (Y / INR (nat_of t)). split; [|split; [exact Q|]].
      + eapply holds_eq; [apply (times_ratio_holds _ _ _ _ Hy); lia|]. rewrite (nat_of_value t).
        change (IZR (int_value 1%uint63)) with 1. unfold Rdiv. ring.
      + destruct (Rle_dec _ _); lra.
  Qed.

  Let G : R := IZR (2 ^ int_value guard).

  Lemma rows_correct steps : forall f c t y z a b d q e ra rb rd rq a' b' d' q' e', 0 < f ->
    (steps <= nat_of c)%nat -> (int_value c <= int_value n)%Z -> state f c t y z ->
    holds a (f * ra / G) -> holds b (f * rb / G) -> holds d (f * rd / G) -> holds q (f * rq / G) ->
    rows steps c t y z a b d q e = Some (a', b', d', q', e') ->
    exists j sa sb sd sq, (0 <= j)%Z /\ e' = (e + j)%Z
      /\ holds a' (f / IZR (2 ^ j) * (ra + sa) / G) /\ holds b' (f / IZR (2 ^ j) * (rb + sb) / G)
      /\ holds d' (f / IZR (2 ^ j) * (rd + sd) / G) /\ holds q' (f / IZR (2 ^ j) * (rq + sq) / G) /\ 0 <= sq
      /\ u * sa + (u + v) * sb - kappa * sd <= sum (seq (nat_of c - steps) (S steps)) term
         <= u * sa + (u + v) * sb - kappa * sd + slope * slack * sq.
  Proof.
    induction steps as [|m IH]; intros f c t y z a b d q e ra rb rd rq a' b' d' q' e' F HS C H Ha Hb Hd Hq E.
    all: assert (PG : 0 < G) by (apply IZR_lt, Z.pow_pos_nonneg; [lia | apply int_nonneg]).
    all: assert (P0 : forall w, f / IZR (2 ^ 0) * w / G = f * w / G) by (intros w; change (2 ^ 0)%Z with 1%Z; field; lra).
    all: cbn [rows] in E; destruct (is_dead c) eqn:ED.
    1, 3: injection E as <- <- <- <- <-; exists 0%Z, 0, 0, 0, 0; rewrite !P0, !Rplus_0_r;
      split; [lia|]; split; [lia|]; repeat (split; [assumption || lra|]);
      rewrite !Rmult_0_r, sum_null; [lra|]; intros i I; apply in_seq in I;
      unfold term; rewrite (is_dead_true c C ED) by lia; ring.
    all: destruct (is_threshold c t) eqn:ET; [|discriminate].
    all: pose proof H as (T & Hy & Hz); pose proof (is_threshold_true c t C T ET) as PL;
      pose proof (nat_of_t t (proj1 T)) as NT;
      set (Pm := bin s size (nat_of c) * bin rho (nat_of c) (nat_of t - 1));
      set (Tl := bin s size (nat_of c) * tail rho (nat_of c) (nat_of t)).
    all: assert (Hy' : holds y (f * Pm)) by (eapply holds_eq; [exact Hy | unfold Pm; ring]);
      assert (Hz' : holds z (f * Tl)) by (eapply holds_eq; [exact Hz | unfold Tl; ring]).
    all: destruct (loss_holds f c y z Pm Tl F C Hy' Hz') as (D & HD & ED').
    all: assert (PmN : 0 <= Pm) by (apply Rmult_le_pos; apply bin_nonneg; lra).
    all: destruct (near_holds f c t y Pm F C T PmN Hy') as (N & HN & N0 & NN).
    all: assert (R : u * Pm + (u + v) * Tl - kappa * D <= term (nat_of c)
                     <= u * Pm + (u + v) * Tl - kappa * D + slope * slack * N).
    1, 3: rewrite ED'; destruct (value_near (nat_of c) (nat_of t) NT PL) as [N1 N2]; unfold term;
      assert (W : 0 <= bin s size (nat_of c)) by (apply bin_nonneg; lra);
      apply (Rmult_le_compat_l _ _ _ W) in N1; apply (Rmult_le_compat_l _ _ _ W) in N2;
      assert (SS : 0 <= slope * slack) by (apply Rmult_le_pos; [now apply Rlt_le | apply slack_range]);
      apply (Rmult_le_compat_l _ _ _ SS) in NN;
      assert (NE : bin s size (nat_of c) * (if Rle_dec (place (nat_of c)) (INR (nat_of t)) then 0
                     else slope * slack * (bin rho (nat_of c) (nat_of t - 1) / INR (nat_of t)))
                   = slope * slack * (if Rle_dec (place (nat_of c)) (INR (nat_of t)) then 0 else Pm / INR (nat_of t)))
        by (destruct (Rle_dec _ _); unfold Pm, Rdiv; ring);
      rewrite Rmult_plus_distr_l, NE in N2;
      assert (FE : bin s size (nat_of c) * from u v rho (nat_of c) (kappa * (INR (size - nat_of c) / INR (S (nat_of c)))) (nat_of t)
                   = u * Pm + (u + v) * Tl - kappa * ((rho * Pm + Tl) * (INR (size - nat_of c) / INR (S (nat_of c)))))
        by (unfold from, Pm, Tl; ring);
      rewrite FE in N1, N2; lra.
    all: assert (Ha' : holds (add_range a (shift_range y guard)) (f * (ra + Pm) / G))
      by (eapply holds_eq; [apply add_range_holds; [exact Ha | apply shift_range_holds, Hy'] | unfold G, Rdiv; ring]).
    all: assert (Hb' : holds (add_range b (shift_range z guard)) (f * (rb + Tl) / G))
      by (eapply holds_eq; [apply add_range_holds; [exact Hb | apply shift_range_holds, Hz'] | unfold G, Rdiv; ring]).
    all: assert (Hd' : holds (add_range d (shift_range (loss_of c y z) guard)) (f * (rd + D) / G))
      by (eapply holds_eq; [apply add_range_holds; [exact Hd | apply shift_range_holds, HD] | unfold G, Rdiv; ring]).
    all: assert (Hq' : holds (add_range q (shift_range (near_of c t y) guard)) (f * (rq + N) / G))
      by (eapply holds_eq; [apply add_range_holds; [exact Hq | apply shift_range_holds, HN] | unfold G, Rdiv; ring]).
    - injection E as <- <- <- <- <-. exists 0%Z, Pm, Tl, D, N. rewrite !P0, Nat.sub_0_r.
      split; [lia|]. split; [lia|]. repeat (split; [assumption|]). cbn [seq sum]. lra.
    - pose proof (descend_correct f c t y z F ltac:(unfold nat_of in HS; lia) H) as M.
      destruct (descend c t y z) as [[t1 y1] z1].
      assert (C1 : (int_value (c - 1)%uint63 <= int_value n)%Z) by (rewrite pred_value by (unfold nat_of in HS; lia); lia).
      assert (N1 : nat_of (c - 1)%uint63 = (nat_of c - 1)%nat) by (apply nat_of_pred; unfold nat_of in HS; lia).
      pose proof (rise_correct f F fuel (c - 1)%uint63 t1 y1 z1 C1 M) as M2.
      destruct (rise fuel (c - 1)%uint63 t1 y1 z1) as [[t2 y2] z2].
      assert (SEQ : sum (seq (nat_of c - S m) (S (S m))) term = sum (seq (nat_of c - 1 - m) (S m)) term + term (nat_of c)).
      { replace (S (S m)) with (S m + 1)%nat by lia. rewrite sum_seq_split.
        replace (nat_of c - S m)%nat with (nat_of c - 1 - m)%nat by lia. f_equal.
        replace (nat_of c - 1 - m + S m)%nat with (nat_of c) by lia. cbn [seq sum]. ring. }
      destruct (if (room <? snd y2)%uint63 then true else _).
      + set (h := (head0 room + 1 - head0 _)%uint63) in E. pose proof (int_nonneg h) as H0.
        assert (PH : 0 < IZR (2 ^ int_value h)) by (apply IZR_lt, Z.pow_pos_nonneg; lia).
        assert (SH : forall r w, holds r (f * w / G) -> holds (shift_range r h) (f / IZR (2 ^ int_value h) * w / G)).
        { intros r w Q. eapply holds_eq; [apply shift_range_holds, Q|]. unfold Rdiv. ring. }
        destruct (IH (f / IZR (2 ^ int_value h)) (c - 1)%uint63 t2 _ _ _ _ _ _ (e + int_value h)%Z (ra + Pm) (rb + Tl) (rd + D) (rq + N) a' b' d' q' e'
          ltac:(now apply Rdiv_lt_0_compat) ltac:(lia) C1 (state_shift _ _ _ _ _ h M2) (SH _ _ Ha') (SH _ _ Hb') (SH _ _ Hd') (SH _ _ Hq') E)
          as (j & sa & sb & sd & sq & J & Ee & A1 & A2 & A3 & A5 & A6 & A4).
        exists (int_value h + j)%Z, (Pm + sa), (Tl + sb), (D + sd), (N + sq). split; [lia|]. split; [lia|].
        assert (P : IZR (2 ^ j) <> 0) by (apply not_0_IZR, Z.pow_nonzero; lia).
        assert (Q : forall w, f / IZR (2 ^ int_value h) / IZR (2 ^ j) * w = f / IZR (2 ^ (int_value h + j)) * w).
        { intros w. rewrite Z.pow_add_r, mult_IZR by lia. field. split; [exact P | lra]. }
        rewrite !Q, !Rplus_assoc in A1, A2, A3, A5. repeat (split; [assumption || lra|]).
        rewrite SEQ. rewrite N1 in A4. lra.
      + destruct (IH f (c - 1)%uint63 t2 _ _ _ _ _ _ e (ra + Pm) (rb + Tl) (rd + D) (rq + N) a' b' d' q' e'
          F ltac:(lia) C1 M2 Ha' Hb' Hd' Hq' E) as (j & sa & sb & sd & sq & J & Ee & A1 & A2 & A3 & A5 & A6 & A4).
        exists j, (Pm + sa), (Tl + sb), (D + sd), (N + sq). split; [lia|]. split; [lia|].
        rewrite !Rplus_assoc in A1, A2, A3, A5. repeat (split; [assumption || lra|]).
        rewrite SEQ. rewrite N1 in A4. lra.
  Qed.
End Rows.
