(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* The recurrences of the double-precision path for rho = 1/2, with every
   operation rounded: ../fast.md, Lemmas 2 and 3; sum_strata in
   src/fast/fast.c. A stratum c has a pmf P = Pr[Bin(c,1/2) = t-1] and a value
   V = u P - w Pr[Bin(c,1/2) >= t]; the code keeps p near P and v near V.
   Theorem: if p = P exp d then v stays within
     VALUE_FACTOR roundings of met
   of exp d V, where met is what the code adds up. The common factor exp d is
   accounted for by the number of roundings of p, two a step. *)
From Coq Require Import Reals Lra Lia ZArith.
From Flocq Require Import Core.
From Shufbound Require Import Rounding RoundingSum.
Open Scope R_scope.

Lemma exp_small k : 0 <= k <= 100 -> exp (k * roundoff) - 1 <= 1.0001 * k * roundoff.
Proof.
  intros K. assert (B : 0 <= k * roundoff <= 1/30000) by (unfold roundoff; lra).
  pose proof (exp_linear _ _ B ltac:(lra)). lra.
Qed.

(* ---- the increment of a value ---- *)

(* The heart of Lemma 3. The exact value moves from V to V + A - B, the common
   factor from exp d to exp d' by two roundings; a and b are the computed parts. *)
Theorem increment d d' V A B v a b :
  Rabs (d' - d) <= 2 * roundoff -> double v -> double a -> double b ->
  roundings 7.03 (exp d' * A) a -> roundings 7.03 (exp d' * B) b ->
  let v' := fl (v + fl (a - b)) in
  Rabs (v' - exp d' * (V + A - B)) <= Rabs (v - exp d * V) * exp (2 * roundoff)
    + value_factor * roundoff * (Rmax (Rabs v) (Rabs v') + 3 * (Rabs a + Rabs b)).
Proof.
  intros D Dv Da Db Ra Rb v'. set (s := fl (a - b)) in *.
  pose proof roundoff_pos as U.
  pose proof (exp_small 2 ltac:(lra)) as X2. pose proof (exp_small 1 ltac:(lra)) as X1.
  pose proof (exp_small 7.03 ltac:(lra)) as X7.
  assert (E1 : Rabs (exp d * V - exp d' * V) <= (exp (2 * roundoff) - 1) * (Rabs v + Rabs (v - exp d * V))).
  { replace (exp d * V - exp d' * V) with (- ((exp (d' - d) - 1) * (exp d * V))).
    2: { replace (exp d') with (exp (d' - d) * exp d) by (rewrite <- exp_plus; f_equal; ring). ring. }
    rewrite Rabs_Ropp, Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos.
    - now apply exp_minus_one.
    - replace (exp d * V) with (v - (v - exp d * V)) at 1 by ring.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
  assert (E2 : Rabs (a - exp d' * A) <= (exp (7.03 * roundoff) - 1) * Rabs a) by now apply roundings_error_r.
  assert (E3 : Rabs (b - exp d' * B) <= (exp (7.03 * roundoff) - 1) * Rabs b) by now apply roundings_error_r.
  assert (E4 : Rabs (s - (a - b)) <= (exp (1 * roundoff) - 1) * (Rabs a + Rabs b)).
  { eapply Rle_trans; [apply roundings_error; now apply fl_minus|].
    apply Rmult_le_compat_l; [pose proof (exp_ge (1 * roundoff)); lra|].
    unfold Rminus. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
  assert (E5 : Rabs (v' - (v + s)) <= (exp (1 * roundoff) - 1) * Rabs v').
  { apply roundings_error_r, fl_plus; [exact Dv|apply double_fl]. }
  assert (SPLIT : v' - exp d' * (V + A - B) =
    (v - exp d * V) + (exp d * V - exp d' * V) + (a - exp d' * A) - (b - exp d' * B)
    + (s - (a - b)) + (v' - (v + s))) by ring.
  assert (T : Rabs (v' - exp d' * (V + A - B)) <=
    Rabs (v - exp d * V) + Rabs (exp d * V - exp d' * V) + Rabs (a - exp d' * A)
    + Rabs (b - exp d' * B) + Rabs (s - (a - b)) + Rabs (v' - (v + s))).
  { rewrite SPLIT.
    eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_r.
    eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_r.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. apply Rplus_le_compat_r.
    eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_r. apply Rabs_triang. }
  pose proof (Rmax_l (Rabs v) (Rabs v')) as M1. pose proof (Rmax_r (Rabs v) (Rabs v')) as M2.
  set (M := Rmax _ _) in *.
  pose proof (Rabs_pos v). pose proof (Rabs_pos v'). pose proof (Rabs_pos a). pose proof (Rabs_pos b).
  assert (F1 : (exp (2 * roundoff) - 1) * Rabs v <= 1.0001 * 2 * roundoff * M).
  { apply Rmult_le_compat; try lra. pose proof (exp_ge (2 * roundoff)). lra. }
  assert (F2 : (exp (1 * roundoff) - 1) * Rabs v' <= 1.0001 * 1 * roundoff * M).
  { apply Rmult_le_compat; try lra. pose proof (exp_ge (1 * roundoff)). lra. }
  assert (F3 : (exp (7.03 * roundoff) - 1) * (Rabs a + Rabs b) <= 1.0001 * 7.03 * roundoff * (Rabs a + Rabs b)).
  { apply Rmult_le_compat_r; lra. }
  assert (F4 : (exp (1 * roundoff) - 1) * (Rabs a + Rabs b) <= 1.0001 * 1 * roundoff * (Rabs a + Rabs b)).
  { apply Rmult_le_compat_r; lra. }
  assert (0 <= roundoff * M) by (apply Rmult_le_pos; lra).
  assert (0 <= roundoff * (Rabs a + Rabs b)) by (apply Rmult_le_pos; lra).
  unfold value_factor. lra.
Qed.

(* met += fmax(|before|, |value|) + PART_FACTOR (|plus| + |minus|), rounded. *)
Definition met_update (met v v' a b : R) : R :=
  fl (met + fl (Rmax (Rabs v) (Rabs v') + fl (3 * fl (Rabs a + Rabs b)))).

Lemma double_Rmax x y : double x -> double y -> double (Rmax x y).
Proof. intros X Y. unfold Rmax. now destruct (Rle_dec x y). Qed.

Lemma met_update_ge met v v' a b : 0 <= met -> double met ->
  double v -> double v' -> double a -> double b ->
  met + (Rmax (Rabs v) (Rabs v') + 3 * (Rabs a + Rabs b))
    <= met_update met v v' a b * exp (4 * roundoff) /\ 0 <= met_update met v v' a b.
Proof.
  intros M Dm Dv Dv' Da Db. unfold met_update.
  pose proof (Rabs_pos v) as Pv. pose proof (Rabs_pos a) as Pa. pose proof (Rabs_pos b) as Pb.
  pose proof (Rmax_l (Rabs v) (Rabs v')) as X. set (m := Rmax (Rabs v) (Rabs v')) in *.
  assert (Dmx : double m) by (apply double_Rmax; now apply double_abs).
  set (p := fl (Rabs a + Rabs b)).
  assert (P0 : 0 <= p) by (apply fl_nonneg; lra).
  assert (R1 : roundings 1 (Rabs a + Rabs b) p) by (apply fl_plus; now apply double_abs).
  assert (R2 : roundings 1 (3 * p) (fl (3 * p))).
  { replace (3 * p) with (2 * p + p) by ring. apply fl_plus; [apply double_twice|]; apply double_fl. }
  set (q := fl (3 * p)) in *.
  assert (Q0 : 0 <= q) by (apply fl_nonneg; lra).
  assert (R3 : roundings 1 (m + q) (fl (m + q))) by (apply fl_plus; [exact Dmx|apply double_fl]).
  set (r := fl (m + q)) in *.
  assert (R0 : 0 <= r) by (apply fl_nonneg; lra).
  assert (R4 : roundings 1 (met + r) (fl (met + r))) by (apply fl_plus; [exact Dm|apply double_fl]).
  split; [|apply fl_nonneg; lra].
  assert (K : roundings 4 (met + (m + 3 * (Rabs a + Rabs b))) (fl (met + r))).
  { apply (roundings_more (3 + 1)); [lra|].
    apply (roundings_trans _ _ _ (met + r)); [|exact R4].
    apply roundings_plus; [exact M| | |]; try lra.
    - apply (roundings_more 0); [lra|apply roundings_refl].
    - apply (roundings_more (2 + 1)); [lra|].
      apply (roundings_trans _ _ _ (m + q)); [|exact R3].
      apply roundings_plus; try lra.
      + apply (roundings_more 0); [lra|apply roundings_refl].
      + apply (roundings_more (1 + 1)); [lra|].
        apply (roundings_trans _ _ _ (3 * p)); [now apply roundings_scale|exact R2]. }
  apply roundings_sym in K. apply roundings_bounds in K; [|apply fl_nonneg; lra]. lra.
Qed.

(* ---- one step of the code ---- *)

(* What is known of the pair (pmf, value): after k roundings of the pmf and
   g roundings of the account of errors itself. *)
Definition tracked (k g P V p v met : R) : Prop :=
  double p /\ double v /\ double met /\ 0 <= met /\
  exists d, Rabs d <= k * roundoff /\ p = P * exp d /\
    Rabs (v - exp d * V) <= value_factor * roundoff * exp (g * roundoff) * met.

Section Step.
  (* the constants u and w = -(u+v): the balls of constant() have 1.02 roundings *)
  Variables u w U W : R.
  Hypothesis U_rounded : roundings 1.02 u U.
  Hypothesis W_rounded : roundings 1.02 w W.

  (* t -> t-1 in stratum c: the loop  while (t > new_t) { ... }
       share = pmf / (c - t + 2);  plus = U * ((2*t - 3 - c) * share);  minus = W * pmf;
       value += plus - minus;  met += ...;  pmf = (t - 1) * share;
     The integers are exact in double (double_IZR). *)
  Definition lower_share (c t p : R) : R := fl (p / (c - t + 2)).
  Definition lower_plus (c t p : R) : R := fl (U * fl ((2 * t - 3 - c) * lower_share c t p)).
  Definition lower_minus (p : R) : R := fl (W * p).
  Definition lower_value (c t p v : R) : R := fl (v + fl (lower_plus c t p - lower_minus p)).
  Definition lower_met (c t p v met : R) : R :=
    met_update met v (lower_value c t p v) (lower_plus c t p) (lower_minus p).
  Definition lower_pmf (c t p : R) : R := fl ((t - 1) * lower_share c t p).

  (* c -> c-1:
       share = pmf / c;  pmf = 2 * (c + 1 - t) * share;
       plus = W * (pmf / 2);  minus = U * ((2*t - 2 - c) * share);
       value += plus - minus;  met += ...; *)
  Definition fall_share (c p : R) : R := fl (p / c).
  Definition fall_pmf (c t p : R) : R := fl (2 * (c + 1 - t) * fall_share c p).
  Definition fall_plus (c t p : R) : R := fl (W * fl (fall_pmf c t p / 2)).
  Definition fall_minus (c t p : R) : R := fl (U * fl ((2 * t - 2 - c) * fall_share c p)).
  Definition fall_value (c t p v : R) : R := fl (v + fl (fall_plus c t p - fall_minus c t p)).
  Definition fall_met (c t p v met : R) : R :=
    met_update met v (fall_value c t p v) (fall_plus c t p) (fall_minus c t p).

  (* No operation underflows: from the guards of the code in RoundingRange.v. *)
  Definition lower_safe (c t p : R) : Prop :=
    normal (p / (c - t + 2)) /\ normal ((2 * t - 3 - c) * lower_share c t p) /\
    normal (U * fl ((2 * t - 3 - c) * lower_share c t p)) /\ normal (W * p) /\
    normal ((t - 1) * lower_share c t p).
  Definition fall_safe (c t p : R) : Prop :=
    normal (p / c) /\ normal (2 * (c + 1 - t) * fall_share c p) /\
    normal (fall_pmf c t p / 2) /\ normal (W * fl (fall_pmf c t p / 2)) /\
    normal ((2 * t - 2 - c) * fall_share c p) /\ normal (U * fl ((2 * t - 2 - c) * fall_share c p)).

  (* From an increment to the account. *)
  Lemma tracked_increment k g P V p v met A B a b P' p' :
    tracked k g P V p v met -> double p' -> double a -> double b ->
    (forall d, p = P * exp d ->
       exists d', Rabs (d' - d) <= 2 * roundoff /\ p' = P' * exp d' /\
         roundings 7.03 (exp d' * A) a /\ roundings 7.03 (exp d' * B) b) ->
    0 <= g ->
    let v' := fl (v + fl (a - b)) in
    tracked (k + 2) (g + 6) P' (V + A - B) p' v' (met_update met v v' a b).
  Proof.
    intros (Dp & Dv & Dm & M & d & D & E & H) Dp' Da Db N G v'.
    destruct (N d E) as (d' & DD & E' & Ra & Rb).
    pose proof roundoff_pos as U0.
    destruct (met_update_ge met v v' a b M Dm Dv (double_fl _) Da Db) as [Q Q0].
    pose proof (increment d d' V A B v a b DD Dv Da Db Ra Rb) as I. cbn zeta in I. fold v' in I.
    repeat split; auto; try apply double_fl.
    exists d'. split; [|split; [exact E'|]].
    - replace d' with ((d' - d) + d) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra.
    - eapply Rle_trans; [exact I|].
      set (ch := Rmax (Rabs v) (Rabs v') + 3 * (Rabs a + Rabs b)) in *.
      assert (C0 : 0 <= ch).
      { unfold ch. pose proof (Rmax_l (Rabs v) (Rabs v')). pose proof (Rabs_pos v).
        pose proof (Rabs_pos a). pose proof (Rabs_pos b). lra. }
      set (c := value_factor * roundoff) in *.
      assert (c0 : 0 < c) by (unfold c, value_factor; lra).
      assert (X : 1 <= exp ((g + 2) * roundoff)).
      { rewrite <- exp_0. apply exp_le. apply Rmult_le_pos; lra. }
      apply Rle_trans with (c * exp ((g + 2) * roundoff) * (met + ch)).
      + assert (S1 : Rabs (v - exp d * V) * exp (2 * roundoff) <= c * exp (g * roundoff) * met * exp (2 * roundoff)).
        { apply Rmult_le_compat_r; [left; apply exp_pos|exact H]. }
        assert (S2 : c * ch * 1 <= c * ch * exp ((g + 2) * roundoff)).
        { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact X]. }
        replace (exp ((g + 2) * roundoff)) with (exp (g * roundoff) * exp (2 * roundoff)) in *
          by (rewrite <- exp_plus; f_equal; ring).
        lra.
      + replace (exp ((g + 6) * roundoff)) with (exp ((g + 2) * roundoff) * exp (4 * roundoff))
          by (rewrite <- exp_plus; f_equal; ring).
        replace (c * (exp ((g + 2) * roundoff) * exp (4 * roundoff)) * met_update met v v' a b)
          with (c * exp ((g + 2) * roundoff) * (met_update met v v' a b * exp (4 * roundoff))) by ring.
        apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact Q].
  Qed.

  (* t -> t-1, ../fast.md, Lemma 2 (a) and Lemma 3. *)
  Theorem lower_tracked k g c t P V p v met :
    tracked k g P V p v met -> lower_safe c t p -> 0 < c - t + 2 -> 0 <= g ->
    tracked (k + 2) (g + 6)
      (P * (t - 1) / (c - t + 2)) (V + u * (2 * t - 3 - c) * P / (c - t + 2) - w * P)
      (lower_pmf c t p) (lower_value c t p v) (lower_met c t p v met).
  Proof.
    intros T (S1 & S2 & S3 & S4 & S5) C G.
    apply (tracked_increment k g P V p v met (u * (2 * t - 3 - c) * P / (c - t + 2)) (w * P)
      (lower_plus c t p) (lower_minus p)); auto; try apply double_fl.
    intros d ->. set (p := P * exp d) in *.
    assert (R1 : roundings 1 (p / (c - t + 2)) (lower_share c t p)) by now apply fl_normal.
    assert (R5 : roundings 2 ((t - 1) * (p / (c - t + 2))) (lower_pmf c t p)).
    { apply (roundings_more (1 + 1)); [lra|]. eapply roundings_trans; [|now apply fl_normal].
      now apply roundings_scale. }
    destruct R5 as (h & Hh & Eh).
    exists (d + h). split; [|split; [|split]].
    - replace (d + h - d) with h by ring. exact Hh.
    - rewrite Eh. unfold p. rewrite exp_plus. field. lra.
    - (* plus: 4.02 roundings relative to exp d, hence 6.02 relative to exp d' *)
      apply (roundings_more (2 + (1.02 + (1 + 1) + 1))); [lra|].
      apply (roundings_trans _ _ _ (u * ((2 * t - 3 - c) * (p / (c - t + 2))))).
      + exists (- h). rewrite Rabs_Ropp. split; [exact Hh|].
        rewrite exp_plus, exp_Ropp. unfold p. pose proof (exp_pos h). field. lra.
      + eapply roundings_trans; [|now apply fl_normal].
        apply roundings_mult; [exact U_rounded|].
        eapply roundings_trans; [|now apply fl_normal]. now apply roundings_scale.
    - apply (roundings_more (2 + (1.02 + 1))); [lra|].
      apply (roundings_trans _ _ _ (w * p)).
      + exists (- h). rewrite Rabs_Ropp. split; [exact Hh|].
        rewrite exp_plus, exp_Ropp. unfold p. pose proof (exp_pos h). field. lra.
      + eapply roundings_trans; [|now apply fl_normal].
        replace 1.02 with (1.02 + 0) by ring. apply roundings_mult; [exact W_rounded|apply roundings_refl].
  Qed.

  (* c -> c-1, ../fast.md, Lemma 2 (b) and Lemma 3. *)
  Theorem fall_tracked k g c t P V p v met :
    tracked k g P V p v met -> fall_safe c t p -> 0 < c -> 0 <= g ->
    tracked (k + 2) (g + 6)
      (2 * (c + 1 - t) * P / c)
      (V + w * (2 * (c + 1 - t) * P / c) / 2 - u * (2 * t - 2 - c) * P / c)
      (fall_pmf c t p) (fall_value c t p v) (fall_met c t p v met).
  Proof.
    intros T (S1 & S2 & S3 & S4 & S5 & S6) C G.
    apply (tracked_increment k g P V p v met (w * (2 * (c + 1 - t) * P / c) / 2)
      (u * (2 * t - 2 - c) * P / c) (fall_plus c t p) (fall_minus c t p)); auto; try apply double_fl.
    intros d ->. set (p := P * exp d) in *.
    assert (R1 : roundings 1 (p / c) (fall_share c p)) by now apply fl_normal.
    assert (R2 : roundings 2 (2 * (c + 1 - t) * (p / c)) (fall_pmf c t p)).
    { apply (roundings_more (1 + 1)); [lra|]. eapply roundings_trans; [|now apply fl_normal].
      now apply roundings_scale. }
    pose proof R2 as (h & Hh & Eh).
    exists (d + h). split; [|split; [|split]].
    - replace (d + h - d) with h by ring. exact Hh.
    - rewrite Eh. unfold p. rewrite exp_plus. field. lra.
    - (* plus: relative to exp d' itself *)
      apply (roundings_more (1.02 + 1 + 1)); [lra|].
      replace (exp (d + h) * (w * (2 * (c + 1 - t) * P / c) / 2)) with (w * (fall_pmf c t p / 2)).
      2: { rewrite Eh. unfold p. rewrite exp_plus. field. lra. }
      eapply roundings_trans; [|now apply fl_normal].
      apply roundings_mult; [exact W_rounded|now apply fl_normal].
    - apply (roundings_more (2 + (1.02 + (1 + 1) + 1))); [lra|].
      apply (roundings_trans _ _ _ (u * ((2 * t - 2 - c) * (p / c)))).
      + exists (- h). rewrite Rabs_Ropp. split; [exact Hh|].
        rewrite exp_plus, exp_Ropp. unfold p. pose proof (exp_pos h). field. lra.
      + eapply roundings_trans; [|now apply fl_normal].
        apply roundings_mult; [exact U_rounded|].
        eapply roundings_trans; [|now apply fl_normal]. now apply roundings_scale.
  Qed.

  (* t = c+1: value = U * pmf; met = value; without history. *)
  Theorem reset_tracked k g P V p v met :
    tracked k g P V p v met -> normal (U * p) -> 0 <= g -> 0 <= u * P ->
    tracked k g P (u * P) p (fl (U * p)) (fl (U * p)).
  Proof.
    intros (Dp & _ & _ & _ & d & D & -> & _) S G0 Pos.
    assert (R1 : roundings 2.02 (exp d * (u * P)) (fl (U * (P * exp d)))).
    { apply (roundings_more (1.02 + 0 + 1)); [lra|]. eapply roundings_trans; [|now apply fl_normal].
      replace (exp d * (u * P)) with (u * (P * exp d)) by ring.
      apply roundings_mult; [exact U_rounded|apply roundings_refl]. }
    assert (N : 0 <= fl (U * (P * exp d))).
    { eapply roundings_nonneg; [exact R1|]. apply Rmult_le_pos; [left; apply exp_pos|exact Pos]. }
    repeat split; auto; try apply double_fl.
    exists d. split; [exact D|split; [reflexivity|]].
    apply roundings_error_r in R1. rewrite (Rabs_pos_eq _ N) in R1.
    eapply Rle_trans; [exact R1|]. apply Rmult_le_compat_r; [exact N|].
    pose proof (exp_small 2.02 ltac:(lra)). pose proof roundoff_pos.
    assert (1 <= exp (g * roundoff)) by (rewrite <- exp_0; apply exp_le; apply Rmult_le_pos; lra).
    assert (value_factor * roundoff * 1 <= value_factor * roundoff * exp (g * roundoff)).
    { apply Rmult_le_compat_l; unfold value_factor; lra. }
    unfold value_factor in *. lra.
  Qed.

  (* The other candidate V_{t+1} = V_t - (u p - (u+w) p r), r = (c+1-t)/t odds:
       gain = U * pmf;  cost = (U + W) * (pmf * ((c + 1 - t) * up / t));
       best = fmax(best, value - (gain - cost));  now += |value| + PART_FACTOR (gain + cost)
     up is the constant odds = rho/(1-rho). *)
  Variables odds up : R.
  Hypothesis up_rounded : roundings 1.02 odds up.

  Definition other_gain (p : R) : R := fl (U * p).
  Definition other_ratio (c t : R) : R := fl (fl ((c + 1 - t) * up) / t).
  Definition other_cost (c t p : R) : R := fl (fl (U + W) * fl (p * other_ratio c t)).
  Definition other_value (c t p v : R) : R := fl (v - fl (other_gain p - other_cost c t p)).
  Definition other_now (c t p v now : R) : R :=
    fl (now + fl (Rabs v + fl (3 * fl (other_gain p + other_cost c t p)))).
  Definition other_safe (c t p : R) : Prop :=
    normal (U * p) /\ normal ((c + 1 - t) * up) /\ normal (fl ((c + 1 - t) * up) / t) /\
    normal (p * other_ratio c t) /\ normal (fl (U + W) * fl (p * other_ratio c t)).

  Theorem other_tracked k g c t P V p v met :
    tracked k g P V p v met -> other_safe c t p -> 0 < t -> 0 <= g -> double U -> double W ->
    0 <= u -> 0 <= w -> 0 <= P -> 0 <= (c + 1 - t) * odds ->
    tracked k (g + 6) P (V - (u * P - (u + w) * P * ((c + 1 - t) / t * odds)))
      p (other_value c t p v) (other_now c t p v met).
  Proof.
    intros (Dp & Dv & Dm & M & d & D & -> & H) (S1 & S2 & S3 & S4 & S5) T G DU DW u0 w0 P0 r0.
    set (p := P * exp d) in *. pose proof roundoff_pos as e0.
    assert (p0 : 0 <= p) by (apply Rmult_le_pos; [exact P0|left; apply exp_pos]).
    set (A := u * P). set (B := (u + w) * P * ((c + 1 - t) / t * odds)).
    assert (Ra : roundings 7.04 (exp d * A) (other_gain p)).
    { apply (roundings_more (1.02 + 0 + 1)); [lra|]. eapply roundings_trans; [|now apply fl_normal].
      replace (exp d * A) with (u * p) by (unfold A, p; ring).
      apply roundings_mult; [exact U_rounded|apply roundings_refl]. }
    assert (Rr : roundings 3.02 ((c + 1 - t) / t * odds) (other_ratio c t)).
    { apply (roundings_more (1.02 + 1 + 1)); [lra|]. eapply roundings_trans; [|now apply fl_normal].
      replace ((c + 1 - t) / t * odds) with ((c + 1 - t) * odds / t) by (field; lra).
      replace (1.02 + 1) with (1.02 + 1 + 0) by ring.
      apply roundings_div; [|apply roundings_refl]. eapply roundings_trans; [|now apply fl_normal].
      now apply roundings_scale. }
    assert (Rb : roundings 7.04 (exp d * B) (other_cost c t p)).
    { apply (roundings_more (1.02 + 1 + (0 + 3.02 + 1) + 1)); [lra|]. eapply roundings_trans; [|now apply fl_normal].
      replace (exp d * B) with ((u + w) * (p * ((c + 1 - t) / t * odds))) by (unfold B, p; ring).
      apply roundings_mult.
      - eapply roundings_trans; [|now apply fl_plus]. now apply roundings_plus.
      - eapply roundings_trans; [|now apply fl_normal].
        apply roundings_mult; [apply roundings_refl|exact Rr]. }
    assert (A0 : 0 <= exp d * A) by (apply Rmult_le_pos; [left; apply exp_pos|apply Rmult_le_pos; lra]).
    assert (B0 : 0 <= exp d * B).
    { apply Rmult_le_pos; [left; apply exp_pos|]. unfold B. apply Rmult_le_pos; [apply Rmult_le_pos; lra|].
      replace ((c + 1 - t) / t * odds) with ((c + 1 - t) * odds * / t) by (field; lra).
      apply Rmult_le_pos; [exact r0|left; now apply Rinv_0_lt_compat]. }
    assert (a0 : 0 <= other_gain p) by (eapply roundings_nonneg; eauto).
    assert (b0 : 0 <= other_cost c t p) by (eapply roundings_nonneg; eauto).
    set (a := other_gain p) in *. set (b := other_cost c t p) in *.
    set (s := fl (a - b)). set (v' := other_value c t p v).
    assert (Ev' : v' = fl (v - s)) by reflexivity.
    pose proof (exp_small 1 ltac:(lra)) as X1. pose proof (exp_small 7.04 ltac:(lra)) as X7.
    assert (E2 : Rabs (a - exp d * A) <= (exp (7.04 * roundoff) - 1) * a).
    { rewrite <- (Rabs_pos_eq a a0) at 2. now apply roundings_error_r. }
    assert (E3 : Rabs (b - exp d * B) <= (exp (7.04 * roundoff) - 1) * b).
    { rewrite <- (Rabs_pos_eq b b0) at 2. now apply roundings_error_r. }
    assert (E4 : Rabs (s - (a - b)) <= (exp (1 * roundoff) - 1) * (a + b)).
    { eapply Rle_trans; [apply roundings_error; apply fl_minus; apply double_fl|].
      apply Rmult_le_compat_l; [pose proof (exp_ge (1 * roundoff)); lra|].
      unfold Rminus. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, !Rabs_pos_eq; lra. }
    assert (Sa : Rabs s <= 1.0001 * (a + b)).
    { replace s with ((s - (a - b)) + (a - b)) by ring. eapply Rle_trans; [apply Rabs_triang|].
      assert (Rabs (a - b) <= a + b) by (apply Rabs_le; lra).
      assert ((exp (1 * roundoff) - 1) * (a + b) <= 1.0001 * 1 * roundoff * (a + b)) by (apply Rmult_le_compat_r; lra).
      assert (roundoff * (a + b) <= 0.00001 * (a + b)) by (apply Rmult_le_compat_r; [lra|unfold roundoff; lra]). lra. }
    assert (E5 : Rabs (v' - (v - s)) <= (exp (1 * roundoff) - 1) * (Rabs v + 1.0001 * (a + b))).
    { rewrite Ev'. eapply Rle_trans; [apply roundings_error; apply fl_minus; [exact Dv|apply double_fl]|].
      apply Rmult_le_compat_l; [pose proof (exp_ge (1 * roundoff)); lra|].
      unfold Rminus. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
    assert (SPLIT : v' - exp d * (V - (A - B)) =
      (v - exp d * V) - (a - exp d * A) + (b - exp d * B) - (s - (a - b)) + (v' - (v - s))) by ring.
    assert (TRI : Rabs (v' - exp d * (V - (A - B))) <=
      Rabs (v - exp d * V) + Rabs (a - exp d * A) + Rabs (b - exp d * B) + Rabs (s - (a - b)) + Rabs (v' - (v - s))).
    { rewrite SPLIT.
      eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_r.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. apply Rplus_le_compat_r.
      eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_r.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
    assert (Q : met + (Rmax (Rabs v) (Rabs 0) + 3 * (Rabs a + Rabs b)) <= other_now c t p v met * exp (4 * roundoff)
                /\ 0 <= other_now c t p v met).
    { replace (other_now c t p v met) with (met_update met v 0 a b).
      - apply met_update_ge; auto using double_0; apply double_fl.
      - unfold met_update, other_now. fold a b. rewrite (Rabs_pos_eq a), (Rabs_pos_eq b), Rabs_R0, Rmax_left; auto using Rabs_pos. }
    rewrite (Rabs_pos_eq a), (Rabs_pos_eq b), Rabs_R0, Rmax_left in Q by auto using Rabs_pos.
    destruct Q as [Q Q0].
    repeat split; auto; try apply double_fl.
    exists d. split; [exact D|split; [reflexivity|]].
    fold v' A B. eapply Rle_trans; [exact TRI|].
    set (f := value_factor * roundoff) in *.
    set (ch := Rabs v + 3 * (a + b)) in *.
    pose proof (Rabs_pos v) as v0.
    assert (charge : Rabs (a - exp d * A) + Rabs (b - exp d * B) + Rabs (s - (a - b)) + Rabs (v' - (v - s)) <= f * ch).
    { assert ((exp (7.04 * roundoff) - 1) * (a + b) <= 1.0001 * 7.04 * roundoff * (a + b)) by (apply Rmult_le_compat_r; lra).
      assert ((exp (1 * roundoff) - 1) * (a + b) <= 1.0001 * 1 * roundoff * (a + b)) by (apply Rmult_le_compat_r; lra).
      assert ((exp (1 * roundoff) - 1) * (Rabs v + 1.0001 * (a + b)) <= 1.0001 * 1 * roundoff * (Rabs v + 1.0001 * (a + b)))
        by (apply Rmult_le_compat_r; lra).
      assert (0 <= roundoff * Rabs v) by (apply Rmult_le_pos; lra).
      assert (0 <= roundoff * (a + b)) by (apply Rmult_le_pos; lra).
      unfold f, ch, value_factor. lra. }
    assert (f0 : 0 < f) by (unfold f, value_factor; lra).
    assert (X : 1 <= exp (g * roundoff)) by (rewrite <- exp_0; apply exp_le; apply Rmult_le_pos; lra).
    assert (Y : 1 <= exp (2 * roundoff)) by (rewrite <- exp_0; apply exp_le; lra).
    apply Rle_trans with (f * exp (g * roundoff) * (met + ch)).
    - assert (f * ch * 1 <= f * ch * exp (g * roundoff)).
      { apply Rmult_le_compat_l; [apply Rmult_le_pos; [lra|unfold ch; lra]|exact X]. }
      lra.
    - replace (exp ((g + 6) * roundoff)) with (exp (g * roundoff) * (exp (4 * roundoff) * exp (2 * roundoff)))
        by (rewrite <- !exp_plus; f_equal; ring).
      apply Rle_trans with (f * exp (g * roundoff) * (other_now c t p v met * exp (4 * roundoff))).
      + apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra].
      + replace (f * (exp (g * roundoff) * (exp (4 * roundoff) * exp (2 * roundoff))) * other_now c t p v met)
          with (f * exp (g * roundoff) * (other_now c t p v met * exp (4 * roundoff)) * exp (2 * roundoff)) by ring.
        rewrite <- (Rmult_1_r (f * exp (g * roundoff) * (other_now c t p v met * exp (4 * roundoff)))) at 1.
        apply Rmult_le_compat_l; [|exact Y].
        apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. apply Rmult_le_pos; [exact Q0|left; apply exp_pos].
  Qed.
End Step.
