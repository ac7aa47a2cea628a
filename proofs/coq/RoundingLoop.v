(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* The whole loop of sum_strata in src/fast/fast.c for rho = 1/2, with every
   floating-point operation rounded: from a starting stratum `last` down through
   m strata, with the guards the code checks at every stratum.
   Theorem (fast_sum): the computed total differs from
     sum over the strata walked of  Pr[C = c] max(0, V_t(c) or max(V_t(c), V_{t+1}(c)))
   by at most the computed r->error. ../fast.md, Lemmas 2, 3 and 5.
   Not modelled: numbers too large for a double (the code checks <= LARGEST and
   isfinite), the choice of the strata, and the bound of the strata left out. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core.
From Shufbound Require Import Sum Rounding RoundingSum RoundingStep RoundingBinomial RoundingRange.
Import ListNotations.
Open Scope R_scope.

(* The variables of the loop. *)
Record state := { s_mass : R; s_pmf : R; s_value : R; s_met : R; s_count : nat }.

Section Loop.
  (* The pair: C ~ Bin(N, s); V_t(c) = u Pr[Bin(c,1/2) = t-1] - w Pr[Bin(c,1/2) >= t]. *)
  Variables (u w s : R) (N : nat).
  Hypothesis u_pos : 0 < u.
  Hypothesis w_pos : 0 <= w.
  Hypothesis s_range : 0 < s < 1.

  (* The constants of the code: doubles within 1.02 roundings (constant(), doubles.h). *)
  Variables U W Odds : R.
  Hypothesis U_double : double U.
  Hypothesis W_double : double W.
  Hypothesis U_rounded : roundings 1.02 u U.
  Hypothesis W_rounded : roundings 1.02 w W.
  Hypothesis Odds_rounded : roundings 1.02 ((1 - s) / s) Odds.
  Hypothesis Odds_range : bpow radix2 (-960) <= Odds.

  (* The candidate threshold t of every stratum, and whether t+1 is another
     (threshold() of the code, ../fast.md, Lemma 1). *)
  Variable th : nat -> nat.
  Variable two : nat -> bool.

  (* Units of the mass and of the pmf, powers of two in the code. *)
  Variables mass_unit pmf_unit : R.
  Hypothesis mass_unit_pos : 0 < mass_unit.
  Hypothesis pmf_unit_pos : 0 < pmf_unit.

  (* The exact quantities in these units. *)
  Definition mass_at (c : nat) : R := mass_unit * bin s N c.
  Definition pmf_at (c t : nat) : R := pmf_unit * bin (1/2) c (t - 1).
  Definition value_at (c t : nat) : R := pmf_unit * value u w c t.

  Definition pair_of (c : nat) : bool := andb (two c) (Nat.leb (th c) c).
  Definition row_at (c : nat) : R :=
    Rmax 0 (if pair_of c then Rmax (value_at c (th c)) (value_at c (th c + 1)) else value_at c (th c)).

  (* One turn of the loop, from stratum c with threshold t to c-1 with t'. *)
  Definition lowered (c t : nat) (x : state) : state :=
    {| s_mass := s_mass x;
       s_pmf := lower_pmf (INR c) (INR t) (s_pmf x);
       s_value := lower_value U W (INR c) (INR t) (s_pmf x) (s_value x);
       s_met := lower_met U W (INR c) (INR t) (s_pmf x) (s_value x) (s_met x);
       s_count := s_count x + 2 |}.

  (* mass *= c * odds / (others + 1 - c) *)
  Definition next_mass (c : nat) (m : R) : R := fl (m * fl (fl (INR c * Odds) / (INR N + 1 - INR c))).

  Definition fallen (c t : nat) (x : state) : state :=
    let p := fall_pmf (INR c) (INR t) (s_pmf x) in
    let top := Nat.leb c t in
    {| s_mass := next_mass c (s_mass x);
       s_pmf := p;
       s_value := if top then fl (U * p) else fall_value U W (INR c) (INR t) (s_pmf x) (s_value x);
       s_met := if top then fl (U * p) else fall_met U W (INR c) (INR t) (s_pmf x) (s_value x) (s_met x);
       s_count := s_count x + 2 + 5 |}.

  Definition next (c : nat) (x : state) : state :=
    fallen c (th (c - 1)) (if Nat.ltb (th (c - 1)) (th c) then lowered c (th c) x else x).

  (* What is added to the sums at stratum c. *)
  Definition entry_of (c : nat) (x : state) : entry :=
    let ci := INR c in let ti := INR (th c) in
    {| mass := s_mass x;
       best := Rmax 0 (if pair_of c then Rmax (s_value x) (other_value U W 1 ci ti (s_pmf x) (s_value x)) else s_value x);
       now := if pair_of c then other_now U W 1 ci ti (s_pmf x) (s_value x) (s_met x) else s_met x;
       extra := if pair_of c then INR (s_count x) + 5 else INR (s_count x);
       exact := mass_at c * row_at c |}.

  Fixpoint strata (m c : nat) (x : state) : list entry :=
    match m with
    | O => []
    | S m => entry_of c x :: strata m (c - 1) (next c x)
    end.

  (* The guards of the code in a stratum, and in all strata walked. *)
  Definition guard (x : state) : Prop :=
    smallest <= s_mass x /\ smallest <= s_pmf x /\ smallest <= fl (U * s_pmf x) /\
    (W = 0 \/ smallest <= fl (W * s_pmf x)).

  Fixpoint guarded (m c : nat) (x : state) : Prop :=
    match m with
    | O => True
    | S m => guard x /\ guarded m (c - 1) (next c x)
    end.

  (* Thresholds: between 1 and c+1, at least (c+1)/2 (slope >= rho), falling by
     at most one a stratum (slope < 1). *)
  Definition threshold_ok (c : nat) : Prop := (1 <= th c <= c + 1)%nat /\ (c + 1 <= 2 * th c)%nat.
  Definition thresholds_fall (c : nat) : Prop := th (c - 1) = th c \/ (th (c - 1) + 1 = th c)%nat.

  (* The invariant after n turns. *)
  Definition invariant (n : nat) (c : nat) (x : state) : Prop :=
    exists kp km g,
      tracked kp g (pmf_at c (th c)) (value_at c (th c)) (s_pmf x) (s_value x) (s_met x) /\
      roundings km (mass_at c) (s_mass x) /\
      0 <= kp /\ 0 <= km /\ kp + km <= INR (s_count x) /\ 0 <= g <= 12 * INR n /\
      (s_count x <= 9 * n + 4)%nat.

  Lemma guard_range x : guard x -> in_range U W (s_pmf x) /\ 0 < s_pmf x /\
    smallest <= s_pmf x /\ 0.999 * smallest <= U * s_pmf x /\ (W = 0 \/ 0.999 * smallest <= W * s_pmf x).
  Proof.
    intros (_ & P & UP & WP). pose proof smallest_pos as S0.
    apply guard_normal in UP as [_ UP].
    assert (U0 : 0 < U) by (eapply roundings_pos; eauto).
    assert (W0 : 0 <= W) by (eapply roundings_nonneg; eauto).
    assert (WP' : W = 0 \/ 0.999 * smallest <= W * s_pmf x).
    { destruct WP as [E|WP]; [now left|right]. now apply guard_normal in WP as [_ WP]. }
    unfold in_range. destruct WP'; repeat split; try lra.
  Qed.

  Lemma INR_Z n : INR n = IZR (Z.of_nat n).
  Proof. apply INR_IZR_INZ. Qed.

  Lemma tracked_ext k g P V P' V' p v met : P = P' -> V = V' -> tracked k g P V p v met -> tracked k g P' V' p v met.
  Proof. now intros -> ->. Qed.

  (* t -> t-1 within the guards. *)
  Lemma lowered_step c t k g x :
    tracked k g (pmf_at c t) (value_at c t) (s_pmf x) (s_value x) (s_met x) -> guard x ->
    (2 <= t <= c + 1)%nat -> (c <= 2 * (t - 1))%nat -> (Z.of_nat c <= 2 ^ 41)%Z -> 0 <= g ->
    tracked (k + 2) (g + 6) (pmf_at c (t - 1)) (value_at c (t - 1))
      (s_pmf (lowered c t x)) (s_value (lowered c t x)) (s_met (lowered c t x)) /\
    in_range U W (s_pmf (lowered c t x)).
  Proof.
    intros T G B C L G0. destruct (guard_range x G) as (R0 & P0 & P & UP & WP).
    assert (S : lower_safe U W (INR c) (INR t) (s_pmf x)).
    { rewrite !INR_Z. apply lower_is_safe; auto; lia. }
    assert (CT : INR t <= INR c + 1).
    { replace (INR c + 1) with (INR (c + 1)) by (rewrite plus_INR; reflexivity). apply le_INR. lia. }
    assert (T1 : 1 <= INR t - 1).
    { replace (INR t - 1) with (INR (t - 1)) by (rewrite minus_INR by lia; reflexivity). apply (le_INR 1). lia. }
    split.
    - eapply tracked_ext; [| |apply (lower_tracked u w U W U_rounded W_rounded k g (INR c) (INR t) _ _ _ _ _ T S)]; try lra.
      + unfold pmf_at. rewrite pmf_lower by lia. unfold Rdiv. ring.
      + unfold value_at, pmf_at. rewrite value_lower by lia. unfold Rdiv. ring.
    - (* t-1 >= (c-t+2)/2, so the pmf is at least about half of what it was *)
      destruct S as (S1 & S2 & S3 & S4 & S5). cbn [s_pmf lowered].
      pose proof (fl_shrinks _ S1) as F1. pose proof (fl_shrinks _ S5) as F5.
      fold (lower_share (INR c) (INR t) (s_pmf x)) in F1. fold (lower_pmf (INR c) (INR t) (s_pmf x)) in F5.
      set (sh := lower_share _ _ _) in *. set (p' := lower_pmf _ _ _) in *.
      assert (D : 0 < INR c - INR t + 2) by lra.
      assert (Q : 0 < s_pmf x / (INR c - INR t + 2)) by (apply Rdiv_lt_0_compat; lra).
      assert (sh0 : 0 <= sh) by (apply fl_nonneg; lra).
      assert (X0 : 0 <= (INR t - 1) * sh) by (apply Rmult_le_pos; lra).
      assert (p0 : 0 <= p') by (apply fl_nonneg; exact X0).
      rewrite !Rabs_pos_eq in F1 by lra. rewrite !Rabs_pos_eq in F5 by lra.
      assert (H2 : INR c - INR t + 2 <= 2 * (INR t - 1)).
      { apply le_INR in C. rewrite mult_INR, minus_INR in C by lia. cbn [INR] in C. lra. }
      assert (HALF : s_pmf x <= 2 * ((INR t - 1) * (s_pmf x / (INR c - INR t + 2)))).
      { replace (s_pmf x) with ((INR c - INR t + 2) * (s_pmf x / (INR c - INR t + 2))) at 1 by (field; lra).
        rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra. }
      assert (PP : 0.498 * s_pmf x <= p').
      { assert ((INR t - 1) * (0.999 * (s_pmf x / (INR c - INR t + 2))) <= (INR t - 1) * sh)
          by (apply Rmult_le_compat_l; lra). lra. }
      pose proof smallest_pos as S0. destruct R0 as (U0 & W0 & _).
      assert (UU : U * (0.498 * s_pmf x) <= U * p') by (apply Rmult_le_compat_l; lra).
      assert (WW : W * (0.498 * s_pmf x) <= W * p') by (apply Rmult_le_compat_l; lra).
      unfold in_range. destruct WP; repeat split; try lra.
  Qed.

  (* c -> c-1. *)
  Lemma fallen_step c t k g x :
    tracked k g (pmf_at c t) (value_at c t) (s_pmf x) (s_value x) (s_met x) -> in_range U W (s_pmf x) ->
    (1 <= t <= c)%nat -> (Z.of_nat c <= 2 ^ 41)%Z -> 0 <= g -> normal (U * s_pmf (fallen c t x)) ->
    tracked (k + 2) (g + 6) (pmf_at (c - 1) t) (value_at (c - 1) t)
      (s_pmf (fallen c t x)) (s_value (fallen c t x)) (s_met (fallen c t x)).
  Proof.
    intros T R0 B L G0 NU.
    assert (S : fall_safe U W (INR c) (INR t) (s_pmf x)).
    { rewrite !INR_Z. apply fall_is_safe; auto; lia. }
    assert (C0 : 0 < INR c) by (apply lt_0_INR; lia).
    pose proof (fall_tracked u w U W U_rounded W_rounded k g (INR c) (INR t) _ _ _ _ _ T S C0 G0) as K.
    eapply tracked_ext in K; [| |].
    2: { instantiate (1 := pmf_at (c - 1) t). unfold pmf_at. rewrite pmf_fall by lia. unfold Rdiv. ring. }
    2: { instantiate (1 := value_at (c - 1) t). unfold value_at, pmf_at. rewrite value_fall by lia. unfold Rdiv. ring. }
    cbn [s_pmf s_value s_met fallen] in *.
    destruct (Nat.leb_spec c t) as [TOP|_]; [|exact K].
    assert (t = c) as -> by lia.
    assert (P0 : 0 < bin (1/2) (c - 1) (c - 1)) by (apply bin_pos; [lra|lia]).
    assert (POS : 0 <= u * pmf_at (c - 1) c).
    { unfold pmf_at. apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]. }
    eapply tracked_ext; [reflexivity| |exact (reset_tracked u U U_rounded _ _ _ _ _ _ _ K NU ltac:(lra) POS)].
    unfold value_at, pmf_at. replace (value u w (c - 1) c) with (value u w (c - 1) (c - 1 + 1)) by (f_equal; lia).
    rewrite value_top. ring.
  Qed.

  Lemma mass_next km c m : (1 <= c <= N)%nat -> (Z.of_nat N <= 2 ^ 41)%Z ->
    roundings km (mass_at c) m -> smallest <= next_mass c m ->
    roundings (km + 5) (mass_at (c - 1)) (next_mass c m).
  Proof.
    intros C L R1 G. apply (roundings_more (km + (1.02 + 1 + 0 + 1) + 1)); [lra|].
    assert (C1 : 1 <= INR c) by (apply (le_INR 1); lia).
    assert (CN : INR c <= INR N) by (apply le_INR; lia).
    assert (NB : INR N <= 2 ^ 41).
    { rewrite INR_Z, pow_IZR. apply IZR_le. exact L. }
    assert (NC : normal (INR c * Odds)).
    { right. pose proof (bpow_gt_0 radix2 (-960)). rewrite Rabs_pos_eq by (apply Rmult_le_pos; lra).
      apply Rle_trans with (1 * bpow radix2 (-960)); [|apply Rmult_le_compat; lra].
      rewrite Rmult_1_l. now apply bpow_le. }
    assert (B1 : bpow radix2 (-960) <= fl (INR c * Odds)).
    { rewrite <- (fl_double (bpow radix2 (-960))) by (apply double_bpow; lia). apply fl_le.
      pose proof (bpow_gt_0 radix2 (-960)).
      rewrite <- (Rmult_1_l (bpow radix2 (-960))). apply Rmult_le_compat; lra. }
    assert (ND : normal (fl (INR c * Odds) / (INR N + 1 - INR c))).
    { right. pose proof (bpow_gt_0 radix2 (-960)).
      assert (D : / (2 ^ 42) <= / (INR N + 1 - INR c)) by (apply Rinv_le; lra).
      assert (D0 : 0 < / (2 ^ 42)) by (apply Rinv_0_lt_compat; lra).
      rewrite Rabs_pos_eq by (apply Rmult_le_pos; lra).
      apply Rle_trans with (bpow radix2 (-960) * / 2 ^ 42); [|apply Rmult_le_compat; lra].
      replace (/ 2 ^ 42) with (bpow radix2 (-42)) by (cbn; lra).
      unfold least_normal. rewrite <- bpow_plus. now apply bpow_le. }
    apply guard_normal in G as [NM _].
    unfold next_mass. eapply roundings_trans; [|now apply fl_normal].
    unfold mass_at. rewrite mass_step by (lra || lia). rewrite <- Rmult_assoc.
    apply roundings_mult; [exact R1|].
    eapply roundings_trans; [|now apply fl_normal].
    apply roundings_div; [|apply roundings_refl].
    eapply roundings_trans; [|now apply fl_normal]. now apply roundings_scale.
  Qed.

  (* One turn of the loop keeps the invariant. *)
  Theorem next_invariant n c x : invariant n c x -> guard x -> guard (next c x) ->
    (1 <= c <= N)%nat -> (Z.of_nat N <= 2 ^ 41)%Z ->
    threshold_ok c -> threshold_ok (c - 1) -> thresholds_fall c ->
    invariant (n + 1) (c - 1) (next c x).
  Proof.
    intros (kp & km & g & T & M & KP & KM & K & G & CT) GX GN C L (T1 & T2) (T3 & T4) F.
    pose proof GN as (GM & _ & GU & _). apply guard_normal in GU as [NU _].
    unfold next in *. destruct F as [F|F].
    - (* the threshold stays *)
      rewrite F in *. rewrite Nat.ltb_irrefl in *.
      exists (kp + 2), (km + 5), (g + 6).
      split; [|split; [|repeat split]]; try lra; cbn [s_count fallen].
      + rewrite F. apply fallen_step; auto; try lia; try lra. apply (guard_range x GX).
      + apply mass_next; auto; lia.
      + rewrite !plus_INR. cbn [INR]. lra.
      + rewrite plus_INR. cbn [INR]. lra.
      + lia.
    - (* the threshold falls by one *)
      assert (LT : Nat.ltb (th (c - 1)) (th c) = true) by (apply Nat.ltb_lt; lia).
      rewrite LT in *.
      assert (E : th (c - 1) = (th c - 1)%nat) by lia.
      destruct (lowered_step c (th c) kp g x T GX ltac:(lia) ltac:(lia) ltac:(lia) ltac:(lra)) as [T' R'].
      exists (kp + 2 + 2), (km + 5), (g + 6 + 6).
      split; [|split; [|repeat split]]; try lra; cbn [s_count fallen lowered].
      + rewrite E in *. apply fallen_step; auto; try lia; try lra.
      + apply (mass_next km); auto; lia.
      + rewrite !plus_INR. cbn [INR]. lra.
      + rewrite plus_INR. cbn [INR]. lra.
      + lia.
  Qed.

  Lemma Rmax_lipschitz a b x y e : Rabs (a - x) <= e -> Rabs (b - y) <= e -> Rabs (Rmax a b - Rmax x y) <= e.
  Proof.
    intros A B. apply Rabs_le_inv in A, B. apply Rabs_le.
    unfold Rmax. destruct (Rle_dec a b), (Rle_dec x y); lra.
  Qed.

  Lemma Rmax_scale k x y : 0 <= k -> k * Rmax x y = Rmax (k * x) (k * y).
  Proof. intros K. now rewrite RmaxRmult. Qed.

  Lemma value_at_other c t : (1 <= t <= c)%nat ->
    value_at c (t + 1) = value_at c t
      - (u * pmf_at c t - (u + w) * pmf_at c t * ((INR c + 1 - INR t) / INR t * 1)).
  Proof. intros H. unfold value_at, pmf_at. rewrite value_other by exact H. ring. Qed.

  (* What is added to the sums is sound in the sense of the ledger. *)
  Theorem entry_sound n c x : invariant n c x -> guard x -> threshold_ok c ->
    (Z.of_nat c <= 2 ^ 41)%Z -> (Z.of_nat n <= 2 ^ 38)%Z -> sound (entry_of c x).
  Proof.
    intros (kp & km & g & T & M & KP & KM & K & G & CT) GX (T1 & T2) L NB.
    destruct (guard_range x GX) as (R0 & P0 & PS & _). destruct GX as (GM & _).
    pose proof smallest_pos as S0. pose proof roundoff_pos as e0.
    pose proof T as (Dp & Dv & Dm & MET & d & D & E & H).
    assert (PP : 0 < pmf_at c (th c)).
    { unfold pmf_at. apply Rmult_lt_0_compat; [lra|]. apply bin_pos; [lra|lia]. }
    assert (NR : INR n <= 2 ^ 38) by (rewrite INR_Z, pow_IZR; apply IZR_le; exact NB).
    assert (CR : INR (s_count x) <= 9 * 2 ^ 38 + 4).
    { apply le_INR in CT. rewrite plus_INR, mult_INR in CT. cbn [INR] in CT. lra. }
    set (X := exp ((g + 6) * roundoff)).
    set (e := entry_of c x).
    (* the error of the best value *)
    assert (V : Rabs (best e - exp d * row_at c) <= value_factor * roundoff * X * now e /\ 0 <= now e).
    { unfold e, entry_of, row_at; cbn [best now].
      rewrite (Rmax_scale (exp d)), Rmult_0_r by (left; apply exp_pos).
      destruct (pair_of c) eqn:PO.
      - apply andb_prop in PO as [_ PO]. apply Nat.leb_le in PO.
        assert (OS : other_safe U W 1 (INR c) (INR (th c)) (s_pmf x)).
        { rewrite !INR_Z. apply other_is_safe; auto; lia. }
        assert (T0 : 0 < INR (th c)) by (apply lt_0_INR; lia).
        assert (CT0 : INR (th c) <= INR c) by (apply le_INR; lia).
        assert (R1 : roundings 1.02 1 1) by (apply (roundings_more 0); [lra|apply roundings_refl]).
        pose proof (other_tracked u w U W U_rounded W_rounded 1 1 R1 kp g (INR c) (INR (th c)) _ _ _ _ _
          T OS T0 ltac:(lra) U_double W_double ltac:(lra) w_pos ltac:(lra) ltac:(lra)) as Q.
        rewrite <- value_at_other in Q by lia.
        destruct Q as (_ & _ & _ & NP & d2 & _ & E2 & H2).
        assert (d2 = d) as ->.
        { rewrite E in E2. apply Rmult_eq_reg_l in E2; [|lra]. now apply exp_inv in E2. }
        assert (MN : s_met x <= other_now U W 1 (INR c) (INR (th c)) (s_pmf x) (s_value x) (s_met x) * exp (6 * roundoff)).
        { destruct (met_update_ge (s_met x) (s_value x) 0 (other_gain U (s_pmf x))
            (other_cost U W 1 (INR c) (INR (th c)) (s_pmf x)) MET Dm Dv double_0 (double_fl _) (double_fl _)) as [Q1 Q2].
          assert (a0 : 0 <= other_gain U (s_pmf x)).
          { apply fl_nonneg, Rmult_le_pos; [apply Rlt_le, R0|lra]. }
          assert (b0 : 0 <= other_cost U W 1 (INR c) (INR (th c)) (s_pmf x)).
          { apply fl_nonneg, Rmult_le_pos; apply fl_nonneg.
            - destruct R0 as (? & ? & _). lra.
            - apply Rmult_le_pos; [lra|]. apply fl_nonneg, Rmult_le_pos; [|left; now apply Rinv_0_lt_compat].
              apply fl_nonneg. lra. }
          assert (EQ : met_update (s_met x) (s_value x) 0 (other_gain U (s_pmf x))
             (other_cost U W 1 (INR c) (INR (th c)) (s_pmf x))
             = other_now U W 1 (INR c) (INR (th c)) (s_pmf x) (s_value x) (s_met x)).
          { unfold met_update, other_now. rewrite (Rabs_pos_eq (other_gain _ _)), (Rabs_pos_eq (other_cost _ _ _ _ _ _)) by assumption.
            now rewrite Rabs_R0, Rmax_left by apply Rabs_pos. }
          rewrite EQ in Q1, Q2.
          rewrite Rabs_R0, Rmax_left in Q1 by apply Rabs_pos.
          pose proof (Rabs_pos (s_value x)). pose proof (Rabs_pos (other_gain U (s_pmf x))).
          pose proof (Rabs_pos (other_cost U W 1 (INR c) (INR (th c)) (s_pmf x))).
          apply Rle_trans with (other_now U W 1 (INR c) (INR (th c)) (s_pmf x) (s_value x) (s_met x) * exp (4 * roundoff)); [lra|].
          apply Rmult_le_compat_l; [exact Q2|apply exp_le; lra]. }
        split; [|exact NP].
        apply Rmax_lipschitz.
        + rewrite Rminus_0_r, Rabs_R0. apply Rmult_le_pos; [|exact NP].
          apply Rmult_le_pos; [unfold value_factor; lra|left; apply exp_pos].
        + rewrite Rmax_scale by (left; apply exp_pos). apply Rmax_lipschitz; [|exact H2].
          eapply Rle_trans; [exact H|].
          unfold X. replace ((g + 6) * roundoff) with (g * roundoff + 6 * roundoff) by ring. rewrite exp_plus.
          replace (value_factor * roundoff * (exp (g * roundoff) * exp (6 * roundoff)) *
             other_now U W 1 (INR c) (INR (th c)) (s_pmf x) (s_value x) (s_met x))
            with (value_factor * roundoff * exp (g * roundoff) *
             (other_now U W 1 (INR c) (INR (th c)) (s_pmf x) (s_value x) (s_met x) * exp (6 * roundoff))) by ring.
          apply Rmult_le_compat_l; [|exact MN].
          apply Rmult_le_pos; [unfold value_factor; lra|left; apply exp_pos].
      - split; [|exact MET]. apply Rmax_lipschitz.
        + rewrite Rminus_0_r, Rabs_R0. apply Rmult_le_pos; [|exact MET].
          apply Rmult_le_pos; [unfold value_factor; lra|left; apply exp_pos].
        + eapply Rle_trans; [exact H|]. apply Rmult_le_compat_r; [exact MET|].
          apply Rmult_le_compat_l; [unfold value_factor; lra|]. apply exp_le.
          apply Rmult_le_compat_r; lra. }
    destruct V as [V V0].
    assert (EXT : INR (s_count x) <= extra e <= 2 ^ 44).
    { unfold e, entry_of; cbn [extra]. destruct (pair_of c); lra. }
    pose proof (pos_INR (s_count x)) as C0.
    assert (B0 : 0 <= best e) by apply Rmax_l.
    assert (M0 : 0 < mass e) by (cbn; lra).
    repeat split; try lra.
    (* from the best value to the product *)
    destruct M as (dm & DM & EM).
    assert (X1 : exact e = mass e * (exp (- (dm + d)) * (exp d * row_at c))).
    { cbn [exact mass e entry_of]. rewrite EM.
      replace (exp (- (dm + d))) with (/ exp dm * / exp d).
      - pose proof (exp_pos dm). pose proof (exp_pos d). field. lra.
      - rewrite <- !exp_Ropp, <- exp_plus. f_equal. ring. }
    set (k := extra e) in *.
    assert (DD : Rabs (- (dm + d)) <= k * roundoff).
    { rewrite Rabs_Ropp. eapply Rle_trans; [apply Rabs_triang|].
      assert ((kp + km) * roundoff <= k * roundoff) by (apply Rmult_le_compat_r; lra). lra. }
    set (f := exp (- (dm + d))) in *.
    pose proof (exp_minus_one _ _ DD) as F1. fold f in F1.
    assert (KR : 0 <= k * roundoff <= 1 / 500) by (unfold roundoff; lra).
    pose proof (exp_linear _ _ KR ltac:(lra)) as F2.
    assert (F3 : f <= 1.0021) by (apply Rabs_le_inv in F1; lra).
    assert (F0 : 0 < f) by apply exp_pos.
    assert (X2 : X <= 1.001).
    { assert (B1 : 0 <= (g + 6) * roundoff <= 1 / 2000) by (unfold roundoff; lra).
      pose proof (exp_linear _ _ B1 ltac:(lra)). unfold X. lra. }
    rewrite X1.
    replace (mass e * best e - mass e * (f * (exp d * row_at c)))
      with (mass e * (- ((f - 1) * best e) + f * (best e - exp d * row_at c))) by ring.
    rewrite Rabs_mult, (Rabs_pos_eq (mass e)) by lra.
    assert (Y : Rabs (- ((f - 1) * best e) + f * (best e - exp d * row_at c))
      <= 1.01 * roundoff * (k * best e + value_factor * now e)).
    { eapply Rle_trans; [apply Rabs_triang|].
      rewrite Rabs_Ropp, !Rabs_mult, (Rabs_pos_eq (best e)), (Rabs_pos_eq f) by lra.
      assert (Y1 : Rabs (f - 1) * best e <= 1.01 * (k * roundoff) * best e) by (apply Rmult_le_compat_r; lra).
      assert (Y2 : f * Rabs (best e - exp d * row_at c) <= 1.0021 * (value_factor * roundoff * X * now e)).
      { apply Rmult_le_compat; try lra. apply Rabs_pos. }
      assert (Y3 : value_factor * roundoff * now e * X <= value_factor * roundoff * now e * 1.001).
      { apply Rmult_le_compat_l; [|exact X2]. apply Rmult_le_pos; [unfold value_factor; lra|exact V0]. }
      assert (0 <= roundoff * now e) by (apply Rmult_le_pos; lra).
      unfold value_factor in *. lra. }
    apply Rle_trans with (mass e * (1.01 * roundoff * (k * best e + value_factor * now e))).
    - apply Rmult_le_compat_l; lra.
    - right. ring.
  Qed.

  Lemma strata_sound m : forall n c x, invariant n c x -> guarded m c x ->
    (m <= c + 1)%nat -> (c <= N)%nat -> (Z.of_nat N <= 2 ^ 41)%Z -> (Z.of_nat (n + m) <= 2 ^ 38)%Z ->
    (forall i, (i < m)%nat -> threshold_ok (c - i) /\ thresholds_fall (c - i)) ->
    Forall sound (strata m c x).
  Proof.
    induction m as [|m IH]; intros n c x I G MC CN NB NM TH; [constructor|].
    destruct G as [G0 G]. cbn [strata].
    destruct (TH 0%nat ltac:(lia)) as [T0 F0]. rewrite Nat.sub_0_r in T0, F0.
    constructor.
    - apply (entry_sound n); auto; lia.
    - destruct m as [|m]; [constructor|].
      apply (IH (n + 1)%nat); try lia; auto.
      + apply next_invariant; auto; try lia.
        * destruct G. assumption.
        * apply (TH 1%nat). lia.
      + intros i Hi. replace (c - 1 - i)%nat with (c - S i)%nat by lia. apply TH. lia.
  Qed.

  Lemma strata_length m : forall c x, length (strata m c x) = m.
  Proof. induction m; cbn; auto. Qed.

  Lemma strata_exact m : forall c x,
    sum (strata m c x) exact = sum (seq 0 m) (fun i => mass_at (c - i) * row_at (c - i)).
  Proof.
    induction m as [|m IH]; intros c x; [reflexivity|].
    cbn [strata]. rewrite sum_seq_first. cbn [sum exact entry_of]. rewrite IH, Nat.sub_0_r. f_equal.
    apply sum_ext. intros i _. f_equal; f_equal; lia.
  Qed.

  (* The double-precision sum over m strata from `last` down: the computed total
     is within the computed r->error of the exact sum. The start has pmf and
     mass from constant() and a value within VALUE_FACTOR * met roundings
     (value_series, ../fast.md, Lemma 4); count starts at 4. *)
  Theorem fast_sum m last x :
    tracked 1.02 0 (pmf_at last (th last)) (value_at last (th last)) (s_pmf x) (s_value x) (s_met x) ->
    roundings 1.02 (mass_at last) (s_mass x) -> s_count x = 4%nat ->
    guarded m last x -> (m <= last + 1)%nat -> (last <= N)%nat ->
    (Z.of_nat N <= 2 ^ 41)%Z -> (Z.of_nat m <= 2 ^ 38)%Z ->
    (forall i, (i < m)%nat -> threshold_ok (last - i) /\ thresholds_fall (last - i)) ->
    smallest <= total (strata m last x) ->
    Rabs (total (strata m last x) - sum (seq 0 m) (fun i => mass_at (last - i) * row_at (last - i)))
      <= ledger_error (strata m last x).
  Proof.
    intros T M C G ML LN NB MB TH S. rewrite <- strata_exact with (x := x).
    apply ledger_sound; [|rewrite strata_length, INR_Z, pow_IZR; apply IZR_le; exact MB|exact S].
    apply (strata_sound m 0); auto.
    exists 1.02, 1.02, 0. rewrite C. cbn [INR]. repeat split; try lra; try lia; auto; apply T.
  Qed.
End Loop.
