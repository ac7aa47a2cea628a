(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* value_series of src/fast/fast.c for rho = 1/2, statement by statement, from
   the pmf of the starting stratum to the state in which the loop starts:
   ../fast.md, Lemma 4, with underflow.
   Why underflow does no harm: gain/U = (2a-c-1)/a = 1 - r_a, so the parts the
   code adds up telescope to at least about U pmf, which the code checks to be
   at least SMALLEST; all underflow together is far below a rounding of that. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core.
From Shufbound Require Import Sum Rounding RoundingSum RoundingStep RoundingBinomial RoundingRange RoundingSeries.
Import ListNotations.
Open Scope R_scope.

Lemma half_least_smaller : 2 ^ 58 * half_least <= roundoff * smallest.
Proof.
  pose proof smallest_ge as S. rewrite roundoff_bpow.
  apply Rle_trans with (bpow radix2 (-53) * bpow radix2 (-964)).
  - unfold half_least. replace (2 ^ 58) with (bpow radix2 58) by (cbn; lra).
    rewrite <- !bpow_plus. now apply bpow_le.
  - apply Rmult_le_compat_l; [apply bpow_ge_0|exact S].
Qed.

Section Start.
  Variables (u w U W : R) (c : nat).
  Hypothesis u_pos : 0 < u.
  Hypothesis w_pos : 0 <= w.
  Hypothesis U_rounded : roundings 1.02 u U.
  Hypothesis W_rounded : roundings 1.02 w W.
  (* constant() accepts 2^-960 to 2^960; W may be 0 *)
  Hypothesis U_range : bpow radix2 (-960) <= U.
  Hypothesis W_range : W = 0 \/ bpow radix2 (-960) <= W.
  Hypothesis c_range : (Z.of_nat c <= 2 ^ 41)%Z.

  (* r_a = Pr[X = a]/Pr[X = a-1] *)
  Definition ratio (a : nat) : R := (INR c + 1 - INR a) / INR a.

  (* The loop: n terms from a on; q the computed pmf, p the exact one, k the
     roundings between them.
       ratio = (c + 1 - a) * odds / a, odds = 1;
       gain = U * ((2 * a - c - 1) / a);  cost = W * ratio;  ... pmf *= ratio; *)
  Fixpoint series (n a : nat) (q p k : R) : list part :=
    match n with
    | O => []
    | S n => {| t_pmf := q; t_gain := fl (U * fl ((2 * INR a - INR c - 1) / INR a)); t_cost := fl (W * fl (ratio a));
                t_count := k; t_exact := p * (u - (u + w) * ratio a) |}
             :: series n (S a) (fl (q * fl (ratio a))) (p * ratio a) (k + 2)
    end.

  (* the pmf after n terms *)
  Fixpoint pmf_after (n a : nat) (q : R) : R :=
    match n with O => q | S n => pmf_after n (S a) (fl (q * fl (ratio a))) end.
  Fixpoint exact_after (n a : nat) (p : R) : R :=
    match n with O => p | S n => exact_after n (S a) (p * ratio a) end.

  (* if (!(pmf >= SMALLEST * 0x1p-40)) return 0;  after every term but the last *)
  Fixpoint series_guarded (n a : nat) (q : R) : Prop :=
    match n with
    | O => True
    | S n => ((a = c + 1)%nat \/ smallest <= 2 ^ 40 * fl (q * fl (ratio a))) /\ series_guarded n (S a) (fl (q * fl (ratio a)))
    end.

  Lemma ratio_range a : (1 <= a <= c + 1)%nat -> 0 <= ratio a /\ (a = (c + 1)%nat -> ratio a = 0) /\ ((a <= c)%nat -> / 2 ^ 42 <= ratio a).
  Proof.
    intros A. assert (A1 : 1 <= INR a) by (apply (le_INR 1); lia).
    assert (A2 : INR a <= INR c + 1).
    { replace (INR c + 1) with (INR (c + 1)) by (rewrite plus_INR; reflexivity). apply le_INR. lia. }
    assert (C : INR c <= 2 ^ 41) by (rewrite INR_IZR_INZ, pow_IZR; apply IZR_le; exact c_range).
    unfold ratio. split; [|split].
    - apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra].
    - intros ->. rewrite plus_INR. cbn [INR]. unfold Rdiv. ring.
    - intros H. apply le_INR in H. apply (Rmult_le_reg_r (INR a)); [lra|].
      replace ((INR c + 1 - INR a) / INR a * INR a) with (INR c + 1 - INR a) by (field; lra).
      assert (/ 2 ^ 42 * INR a <= / 2 ^ 42 * 2 ^ 42) by (apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; lra|lra]). lra.
  Qed.

  Lemma bpow_normal x k : bpow radix2 k <= Rabs x -> (-1022 <= k)%Z -> normal x.
  Proof. intros H K. right. unfold least_normal. eapply Rle_trans; [|exact H]. now apply bpow_le. Qed.

  Lemma ratio_rounded a : (1 <= a <= c + 1)%nat -> roundings 1 (ratio a) (fl (ratio a)).
  Proof.
    intros A. apply fl_normal. destruct (ratio_range a A) as (R0 & R1 & R2).
    destruct (Nat.eq_dec a (c + 1)) as [E|E]; [left; auto|].
    apply (bpow_normal _ (-42)); [|lia]. rewrite Rabs_pos_eq by exact R0. replace (bpow radix2 (-42)) with (/ 2 ^ 42) by (cbn; lra).
    apply R2. lia.
  Qed.

  Lemma twice_ratio a : (1 <= a)%nat -> (2 * INR a - INR c - 1) / INR a = 1 - ratio a.
  Proof. intros A. unfold ratio. assert (0 < INR a) by (apply lt_0_INR; lia). field. lra. Qed.

  (* a product of a constant and a number 0 or at least 2^-42 *)
  Lemma constant_product K x : (K = 0 \/ bpow radix2 (-960) <= K) -> x = 0 \/ bpow radix2 (-43) <= Rabs x -> normal (K * x).
  Proof.
    intros [->|HK] [->|HX]; try (left; ring).
    apply (bpow_normal _ (-960 + -43)); [|lia]. rewrite bpow_plus, Rabs_mult.
    pose proof (bpow_gt_0 radix2 (-960)). pose proof (bpow_gt_0 radix2 (-43)).
    rewrite (Rabs_pos_eq K) by lra. apply Rmult_le_compat; lra.
  Qed.

  (* The parts of a term. *)
  Lemma gain_cost a : (1 <= a <= c + 1)%nat ->
    roundings 3.02 (u * (1 - ratio a)) (fl (U * fl ((2 * INR a - INR c - 1) / INR a))) /\
    roundings 3.02 (w * ratio a) (fl (W * fl (ratio a))).
  Proof.
    intros A. assert (A1 : 1 <= INR a) by (apply (le_INR 1); lia).
    assert (A2 : INR a <= 2 ^ 42).
    { assert (INR a <= INR (c + 1)) by (apply le_INR; lia). rewrite plus_INR in H. cbn [INR] in H.
      assert (C : INR c <= 2 ^ 41) by (rewrite INR_IZR_INZ, pow_IZR; apply IZR_le; exact c_range). lra. }
    assert (Z : (2 * INR a - INR c - 1) / INR a = 0 \/ / 2 ^ 42 <= Rabs ((2 * INR a - INR c - 1) / INR a)).
    { replace (2 * INR a - INR c - 1) with (IZR (2 * Z.of_nat a - Z.of_nat c - 1)).
      2: { rewrite !minus_IZR, mult_IZR, <- !INR_IZR_INZ. reflexivity. }
      destruct (integer_abs (2 * Z.of_nat a - Z.of_nat c - 1)) as [->|H]; [left; unfold Rdiv; ring|right].
      unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ INR a)) by (left; apply Rinv_0_lt_compat; lra).
      assert (/ 2 ^ 42 <= / INR a) by (apply Rinv_le; lra).
      assert (0 < / INR a) by (apply Rinv_0_lt_compat; lra).
      assert (1 * / INR a <= Rabs (IZR (2 * Z.of_nat a - Z.of_nat c - 1)) * / INR a) by (apply Rmult_le_compat_r; lra). lra. }
    assert (shrink : forall x, x = 0 \/ / 2 ^ 42 <= Rabs x -> roundings 1 x (fl x) /\ (fl x = 0 \/ bpow radix2 (-43) <= Rabs (fl x))).
    { intros x [->|H].
      - rewrite fl_0. split; [apply (roundings_more 0); [lra|apply roundings_refl]|now left].
      - assert (N : normal x) by (apply (bpow_normal _ (-42)); [cbn in *; lra|lia]).
        split; [now apply fl_normal|right]. pose proof (fl_shrinks x N). cbn in *; lra. }
    split.
    - destruct (shrink _ Z) as [R1 Y]. rewrite <- twice_ratio by lia.
      apply (roundings_more (1.02 + 1 + 1)); [lra|]. eapply roundings_trans; [|apply fl_normal].
      + now apply roundings_mult.
      + apply constant_product; [now right|exact Y].
    - assert (Z' : ratio a = 0 \/ / 2 ^ 42 <= Rabs (ratio a)).
      { destruct (ratio_range a A) as (R0 & R1 & R2). destruct (Nat.eq_dec a (c + 1)) as [E|E]; [left; auto|right].
        rewrite Rabs_pos_eq by exact R0. apply R2. lia. }
      destruct (shrink _ Z') as [R1 Y].
      apply (roundings_more (1.02 + 1 + 1)); [lra|]. eapply roundings_trans; [|apply fl_normal].
      + now apply roundings_mult.
      + now apply constant_product.
  Qed.

  (* All terms are sound for the ledger of RoundingSeries.v, and the pmf after them has 2 roundings a term. *)
  Theorem series_ok n : forall a q p k, (1 <= a)%nat -> (a + n <= c + 2)%nat -> 0 <= q ->
    roundings k p q -> 0 <= k -> k + 2 * INR n <= 2 ^ 43 -> series_guarded n a q ->
    Forall part_ok (series n a q p k) /\ roundings (k + 2 * INR n) (exact_after n a p) (pmf_after n a q) /\ 0 <= pmf_after n a q.
  Proof.
    induction n as [|n IH]; intros a q p k A AN Q0 R1 K KN G.
    - cbn [series exact_after pmf_after]. change (INR 0) with 0. rewrite Rmult_0_r, Rplus_0_r. auto.
    - destruct G as [G0 G]. rewrite S_INR in KN. pose proof (pos_INR n) as N0.
      assert (AC : (1 <= a <= c + 1)%nat) by lia.
      pose proof (ratio_rounded a AC) as Rr. destruct (ratio_range a AC) as (r0 & r1 & r2).
      assert (fr0 : 0 <= fl (ratio a)) by now apply fl_nonneg.
      destruct (gain_cost a AC) as [Rg Rh].
      assert (NQ : normal (q * fl (ratio a))).
      { destruct G0 as [->|G0].
        - rewrite r1, fl_0 by reflexivity. left. ring.
        - destruct (Rle_or_lt least_normal (Rabs (q * fl (ratio a)))) as [H|H]; [now right|exfalso].
          assert (P0 : 0 <= q * fl (ratio a)) by now apply Rmult_le_pos.
          rewrite Rabs_pos_eq in H by exact P0.
          assert (L : fl (q * fl (ratio a)) <= fl least_normal) by (apply fl_le; lra).
          rewrite (fl_double least_normal) in L by (apply double_bpow; lia).
          pose proof least_normal_small. pose proof least_normal_pos. lra. }
      assert (Rn : roundings (k + 2) (p * ratio a) (fl (q * fl (ratio a)))).
      { apply (roundings_more (k + 1 + 1)); [lra|]. eapply roundings_trans; [|now apply fl_normal]. now apply roundings_mult. }
      destruct (IH (S a) (fl (q * fl (ratio a))) (p * ratio a) (k + 2)) as (F & E & P); auto; try lia; try lra.
      { apply fl_nonneg. now apply Rmult_le_pos. }
      cbn [series exact_after pmf_after]. rewrite S_INR.
      split; [constructor; [|exact F]|split; [|exact P]].
      + unfold part_ok; cbn [t_pmf t_gain t_cost t_count t_exact].
        split; [exact Q0|]. split.
        { apply fl_nonneg. apply Rmult_le_pos; [|exact fr0]. eapply roundings_nonneg; eauto. }
        split; [apply double_fl|]. split; [apply double_fl|]. split; [lra|].
        exists p, (u * (1 - ratio a)), (w * ratio a).
        split; [exact R1|]. split; [apply (roundings_more 3.02); [lra|exact Rg]|].
        split; [apply (roundings_more 3.02); [lra|exact Rh]|ring].
      + replace (k + 2 * (INR n + 1)) with (k + 2 + 2 * INR n) by ring. exact E.
  Qed.

  (* ---- the parts telescope ---- *)

  (* The parts of all terms are together at least 0.99 u times what the pmf falls by. *)
  Lemma parts_telescope n : forall a q p k, (1 <= a)%nat -> (a + n <= c + 2)%nat -> 0 <= q -> 0 <= p ->
    roundings k p q -> 0 <= k -> k + 2 * INR n <= 2 ^ 43 -> series_guarded n a q ->
    0.99 * u * (p - exact_after n a p) <= sum (series n a q p k) t_parts.
  Proof.
    induction n as [|n IH]; intros a q p k A AN Q0 P0 R1 K KN G.
    - cbn [series exact_after sum]. lra.
    - destruct (series_ok 1 a q p k) as (_ & R2 & Q2); auto; try lia; [cbn [INR]; rewrite S_INR in KN; pose proof (pos_INR n); lra|split; [apply G|exact I]|].
      cbn [exact_after pmf_after] in R2, Q2. change (INR 1) with 1 in R2. rewrite Rmult_1_r in R2.
      destruct G as [G0 G]. rewrite S_INR in KN. pose proof (pos_INR n) as N0.
      assert (AC : (1 <= a <= c + 1)%nat) by lia.
      destruct (ratio_range a AC) as (r0 & _). destruct (gain_cost a AC) as [Rg Rh].
      specialize (IH (S a) (fl (q * fl (ratio a))) (p * ratio a) (k + 2) ltac:(lia) ltac:(lia) Q2).
      specialize (IH ltac:(now apply Rmult_le_pos) R2 ltac:(lra) ltac:(lra) G).
      cbn [series exact_after sum]. eapply Rle_trans; [|apply Rplus_le_compat_l; exact IH].
      unfold t_parts at 1; cbn [t_pmf t_gain t_cost].
      set (g := fl (U * fl ((2 * INR a - INR c - 1) / INR a))) in *. set (h := fl (W * fl (ratio a))) in *.
      assert (h0 : 0 <= h) by (eapply roundings_nonneg; [exact Rh|apply Rmult_le_pos; lra]).
      assert (Lg : 0.999 * (u * Rabs (1 - ratio a)) <= Rabs g).
      { apply roundings_lower in Rg. rewrite Rabs_mult, (Rabs_pos_eq u) in Rg by lra.
        eapply Rle_trans; [|exact Rg]. rewrite Rmult_comm. apply Rmult_le_compat_l; [apply Rmult_le_pos; [lra|apply Rabs_pos]|].
        pose proof (exp_ge (- (3.02 * roundoff))). unfold roundoff in *. lra. }
      assert (La : 0.999 * Rabs g <= fl (Rabs g + h)).
      { pose proof (fl_sum_down (Rabs g) h (double_abs _ (double_fl _)) (double_fl _) (Rabs_pos g) h0). pose proof (Rabs_pos g). lra. }
      assert (Lq : 0.998 * p <= q).
      { apply roundings_bounds in R1; [|exact P0]. pose proof (exp_ge (- (k * roundoff))) as X.
        assert (0.998 <= exp (- (k * roundoff))).
        { assert (k * roundoff <= 0.001) by (unfold roundoff; lra). lra. }
        assert (p * 0.998 <= p * exp (- (k * roundoff))) by (apply Rmult_le_compat_l; lra). lra. }
      assert (AB : 1 - ratio a <= Rabs (1 - ratio a)) by apply Rle_abs.
      assert (up0 : 0 <= u * p) by (apply Rmult_le_pos; lra).
      apply Rle_trans with (0.99 * (u * p) * (1 - ratio a) + 0.99 * u * (p * ratio a - exact_after n (S a) (p * ratio a))); [right; ring|].
      apply Rplus_le_compat_r.
      apply Rle_trans with (0.99 * (u * p) * Rabs (1 - ratio a)); [apply Rmult_le_compat_l; lra|].
      pose proof (Rabs_pos (1 - ratio a)) as B0.
      assert (T1 : 0.998 * p * (0.998 * (u * Rabs (1 - ratio a))) <= q * fl (Rabs g + h)).
      { assert (0 <= u * Rabs (1 - ratio a)) by (apply Rmult_le_pos; lra). apply Rmult_le_compat; lra. }
      assert (0 <= u * p * Rabs (1 - ratio a)) by (apply Rmult_le_pos; lra). lra.
  Qed.

  (* ---- the whole start ---- *)

  Lemma exact_after_nonneg n : forall a p, (1 <= a)%nat -> (a + n <= c + 2)%nat -> 0 <= p -> 0 <= exact_after n a p.
  Proof.
    induction n as [|n IH]; intros a p A AN P; cbn [exact_after]; [exact P|].
    apply IH; [lia|lia|]. apply Rmult_le_pos; [exact P|]. apply ratio_range. lia.
  Qed.

  Lemma exact_after_bin n : forall a x, (1 <= a)%nat -> (a + n <= c + 2)%nat ->
    exact_after n a (x * bin (1/2) c (a - 1)) = x * bin (1/2) c (a + n - 1).
  Proof.
    induction n as [|n IH]; intros a x A AN; cbn [exact_after]; [now rewrite Nat.add_0_r|].
    replace (x * bin (1/2) c (a - 1) * ratio a) with (x * bin (1/2) c (S a - 1)).
    - rewrite IH by lia. f_equal. f_equal. lia.
    - destruct a as [|a]; [lia|]. replace (S (S a) - 1)%nat with (S a) by lia. replace (S a - 1)%nat with a by lia.
      pose proof (bin_ratio (1/2) c a) as H. pose proof (pos_INR a). unfold ratio. rewrite !S_INR in *.
      assert (E : bin (1/2) c (S a) = bin (1/2) c a * ((INR c + 1 - (INR a + 1)) / (INR a + 1))).
      { field_simplify_eq; [nra|lra]. }
      rewrite E. ring.
  Qed.

  Lemma series_exact_sum n : forall a q x k, (1 <= a)%nat -> (a + n <= c + 2)%nat ->
    sum (series n a q (x * bin (1/2) c (a - 1)) k) t_exact
    = x * sum (seq a n) (fun b => bin (1/2) c (b - 1) * (u - (u + w) * ratio b)).
  Proof.
    induction n as [|n IH]; intros a q x k A AN; cbn [series seq sum]; [ring|]. cbn [t_exact].
    pose proof (exact_after_bin 1 a x A ltac:(lia)) as E. cbn [exact_after] in E. rewrite E.
    replace (a + 1 - 1)%nat with (S a - 1)%nat by lia. rewrite IH by lia. ring.
  Qed.

  (* value_series: value and error, the series being stopped after n terms. *)
  Definition start_value (n t : nat) (q : R) : R := series_sum (series n t q q 0).
  (* rest = 1.01 * (U * pmf / (1 - bound)), bound = ratio * (1 + 8 * ROUNDOFF), or 0 after the last term *)
  Definition start_bound (n t : nat) : R := fl (fl (ratio (t + n - 1)) * (1 + 8 * roundoff)).
  Definition start_rest (n t : nat) (q : R) : R :=
    if Nat.eqb (t + n) (c + 2) then 0
    else fl (fl 1.01 * fl (fl (U * pmf_after n t q) / fl (1 - start_bound n t))).
  Definition start_error (n t : nat) (q : R) : R := fl (series_error (series n t q q 0) + start_rest n t q).

  (* The test of the loop: U * pmf <= (1 - bound) * (0x1p-54 * sum). *)
  Definition stops (n t : nat) (q : R) : Prop :=
    (t + n = c + 2)%nat \/
    (start_bound n t < 1 /\
     fl (U * pmf_after n t q) <= fl (fl (1 - start_bound n t) * fl (bpow radix2 (-54) * start_value n t q))).
End Start.
