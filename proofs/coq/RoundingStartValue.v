(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* The starting value of the sum over strata, conclusion: what value_series of
   src/fast/fast.c returns, and met = 1.01 * error / (VALUE_FACTOR * ROUNDOFF),
   satisfy the hypothesis `tracked` of the loop (RoundingFast.v), underflow
   included. ../fast.md, Lemma 4. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core.
From Shufbound Require Import Sum Rounding RoundingSum RoundingStep RoundingBinomial RoundingRange RoundingSeries
  RoundingStart.
Import ListNotations.
Open Scope R_scope.

(* The computed error is at least 8 roundings of the computed parts. *)
Lemma series_error_parts l : INR (length l) <= 2 ^ 38 -> Forall part_ok l ->
  8.2 * roundoff * series_parts l <= series_error l + half_least.
Proof.
  intros N F. pose proof roundoff_pos as e0. pose proof half_least_pos as hl. pose proof (pos_INR (length l)) as L.
  unfold series_error. set (n := INR (length l)) in *.
  assert (acc0 : forall (f : part -> R), (forall x, In x l -> 0 <= f x) -> 0 <= accumulate 0 (map (fun x => fl (f x)) l)).
  { intros f H. apply (accumulate_products l f H N). }
  assert (Dr0 : 0 <= series_drift l).
  { apply acc0. intros x X. apply Rmult_le_pos; [apply Rabs_pos|]. apply (proj1 (Forall_forall _ _) F x X). }
  assert (Pa0 : 0 <= series_parts l).
  { apply acc0. intros x X. apply (part_error x). now apply (proj1 (Forall_forall _ _) F). }
  assert (Sz0 : 0 <= series_size l).
  { unfold series_size. assert (K : forall s, 0 <= s -> 0 <= accumulate s (map (fun x => Rabs (t_term x)) l)).
    { clear. induction l as [|x l IH]; intros s S; cbn [map accumulate fold_left]; [exact S|].
      apply IH. apply fl_nonneg. pose proof (Rabs_pos (t_term x)). lra. }
    apply K. lra. }
  assert (DD : double (series_drift l)) by (apply accumulate_double, double_0).
  assert (DP : double (series_parts l)) by (apply accumulate_double, double_0).
  set (ns := (n + 1) * series_size l).
  assert (ns0 : 0 <= ns) by (apply Rmult_le_pos; lra).
  pose proof (fl_nonneg ns ns0) as C10.
  assert (C2 : fl (8 * series_parts l) = 8 * series_parts l).
  { apply fl_double. replace (8 * series_parts l) with (2 * (2 * (2 * series_parts l))) by ring. auto using double_twice. }
  rewrite C2.
  assert (D8 : double (8 * series_parts l)) by (rewrite <- C2; apply double_fl).
  set (b := fl (series_drift l + fl ns)).
  assert (b0 : 0 <= b) by (apply fl_nonneg; lra).
  pose proof (fl_sum_down b (8 * series_parts l) (double_fl _) D8 b0 ltac:(lra)) as C4.
  set (a := fl (b + 8 * series_parts l)) in *.
  assert (a0 : 0 <= a) by (apply fl_nonneg; lra).
  destruct constant_105 as [C5 C6]. set (c5 := fl (fl 1.05 * roundoff)) in *.
  assert (ca0 : 0 <= c5 * a) by (apply Rmult_le_pos; lra).
  pose proof (fl_relative_down (c5 * a) ca0) as C7.
  assert (C8 : 1.049 * roundoff * a <= c5 * a) by (apply Rmult_le_compat_r; lra).
  assert (C9 : roundoff * (0.99999 * (8 * series_parts l)) <= roundoff * a) by (apply Rmult_le_compat_l; lra).
  assert (0 <= roundoff * series_parts l) by (apply Rmult_le_pos; lra). lra.
Qed.

(* The sum is at most the parts. *)
Lemma sum_by_parts l : Forall part_ok l -> INR (length l) <= 2 ^ 38 ->
  Rabs (series_sum l) <= 1.001 * sum l t_parts + 1.001 * INR (length l) * half_least.
Proof.
  intros F N. pose proof half_least_pos as hl. pose proof (pos_INR (length l)) as L.
  assert (Fd : Forall double (map t_term l)).
  { apply Forall_forall. intros y Y. apply in_map_iff in Y as (x & <- & _). apply double_fl. }
  pose proof (accumulate_signed _ 0 double_0 Fd) as A. fold (series_sum l) in A.
  rewrite map_length, Rplus_0_l, !sum_map, Rabs_R0, Rplus_0_l in A.
  destruct (exp_count _ (conj L N)) as (_ & X & _).
  set (ts := sum l (fun x => Rabs (t_term x))) in *.
  assert (ts0 : 0 <= ts) by (apply sum_nonneg; intros; apply Rabs_pos).
  assert (T : Rabs (sum l t_term) <= ts) by apply sum_abs.
  assert (A' : Rabs (series_sum l - sum l t_term) <= (exp (INR (length l) * roundoff) - 1) * ts) by exact A.
  assert (V : Rabs (series_sum l) <= 1.0001 * ts).
  { replace (series_sum l) with ((series_sum l - sum l t_term) + sum l t_term) by ring.
    eapply Rle_trans; [apply Rabs_triang|].
    assert ((exp (INR (length l) * roundoff) - 1) * ts <= 0.0001 * ts) by (apply Rmult_le_compat_r; lra). lra. }
  assert (P : ts <= sum l (fun x => 1.0005 * t_parts x + 1 * half_least)).
  { apply sum_le. intros x X0. apply (proj1 (Forall_forall _ _) F) in X0.
    destruct X0 as (P0 & H0 & DG & DH & _). unfold t_term, t_parts.
    set (q := t_pmf x) in *. set (G := t_gain x) in *. set (H := t_cost x) in *.
    pose proof (fl_error (q * fl (G - H))) as E. pose proof (Rabs_pos G) as G0.
    pose proof (fl_sum_down (Rabs G) H (double_abs _ DG) DH G0 H0) as S.
    assert (D : Rabs (fl (G - H)) <= 1.0001 * (Rabs G + H)).
    { rewrite <- fl_abs. assert (B : Rabs (G - H) <= Rabs G + H).
      { unfold Rminus. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, (Rabs_pos_eq H); lra. }
      pose proof (roundings_upper _ _ _ (fl_minus G H DG DH)) as R1. rewrite <- fl_abs in R1.
      pose proof (exp_small 1 ltac:(lra)) as X1.
      assert (exp (1 * roundoff) <= 1.0001) by (unfold roundoff in *; lra).
      assert (Rabs (G - H) * exp (1 * roundoff) <= (Rabs G + H) * 1.0001).
      { apply Rmult_le_compat; try lra; [apply Rabs_pos|left; apply exp_pos]. }
      lra. }
    set (A0 := fl (Rabs G + H)) in *. set (D0 := fl (G - H)) in *.
    assert (QD : Rabs (q * D0) <= q * (1.0002 * A0)).
    { rewrite Rabs_mult, (Rabs_pos_eq q P0). apply Rmult_le_compat_l; lra. }
    pose proof (Rabs_triang (fl (q * D0) - q * D0) (q * D0)) as T3.
    replace (fl (q * D0) - q * D0 + q * D0) with (fl (q * D0)) in T3 by ring.
    assert (roundoff * Rabs (q * D0) <= 0.0001 * Rabs (q * D0)) by (apply Rmult_le_compat_r; [apply Rabs_pos|unfold roundoff; lra]).
    assert (A1 : 0 <= A0) by (apply fl_nonneg; lra).
    assert (0 <= q * A0) by (apply Rmult_le_pos; lra). lra. }
  rewrite sum_plus, sum_scal, sum_const in P.
  assert (0 <= sum l t_parts).
  { apply sum_nonneg. intros x X0. apply (part_error x). now apply (proj1 (Forall_forall _ _) F). }
  assert (0 <= INR (length l) * half_least) by (apply Rmult_le_pos; lra).
  lra.
Qed.

Section StartValue.
  Variables (u w U W : R) (c : nat).
  Hypothesis u_pos : 0 < u.
  Hypothesis w_pos : 0 <= w.
  Hypothesis U_rounded : roundings 1.02 u U.
  Hypothesis W_rounded : roundings 1.02 w W.
  Hypothesis U_range : bpow radix2 (-960) <= U.
  Hypothesis W_range : W = 0 \/ bpow radix2 (-960) <= W.
  Hypothesis c_range : (Z.of_nat c <= 2 ^ 41)%Z.

  Lemma ratio_falls a b : (1 <= a <= b)%nat -> ratio c b <= ratio c a.
  Proof.
    intros [A B]. apply le_INR in B. assert (A1 : 1 <= INR a) by (apply (le_INR 1); lia). pose proof (pos_INR c).
    unfold ratio. replace ((INR c + 1 - INR b) / INR b) with ((INR c + 1) * / INR b - 1) by (field; lra).
    replace ((INR c + 1 - INR a) / INR a) with ((INR c + 1) * / INR a - 1) by (field; lra).
    assert (/ INR b <= / INR a) by (apply Rinv_le; lra).
    assert ((INR c + 1) * / INR b <= (INR c + 1) * / INR a) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  (* The terms not taken. *)
  Lemma tail_bound r m : 0 <= r < 1 -> forall a y, (1 <= a)%nat -> (a + m <= c + 2)%nat -> 0 <= y ->
    ratio c a <= r -> (u + w) * ratio c a <= u ->
    0 <= sum (seq a m) (fun b => y * bin (1/2) c (b - 1) * (u - (u + w) * ratio c b))
      <= u * (y * bin (1/2) c (a - 1)) / (1 - r).
  Proof.
    intros R0. induction m as [|m IH]; intros a y A AM Y Ra Ba.
    - assert (B0 : 0 <= bin (1/2) c (a - 1)).
      { destruct (le_lt_dec (a - 1) c); [left; apply bin_pos; [lra|lia]|rewrite bin_zero by lia; lra]. }
      cbn [seq sum]. split; [lra|].
      apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; lra]. apply Rmult_le_pos; [lra|now apply Rmult_le_pos].
    - cbn [seq sum].
      assert (B0 : 0 < bin (1/2) c (a - 1)) by (apply bin_pos; [lra|lia]).
      destruct (ratio_range c c_range a ltac:(lia)) as (r0 & _).
      pose proof (exact_after_bin c 1 a y A ltac:(lia)) as E. cbn [exact_after] in E.
      replace (a + 1 - 1)%nat with (S a - 1)%nat in E by lia.
      pose proof (ratio_falls a (S a) ltac:(lia)) as RF.
      assert (BF : (u + w) * ratio c (S a) <= u).
      { assert ((u + w) * ratio c (S a) <= (u + w) * ratio c a) by (apply Rmult_le_compat_l; lra). lra. }
      specialize (IH (S a) y ltac:(lia) ltac:(lia) Y ltac:(lra) BF).
      rewrite <- E in IH. set (z := y * bin (1/2) c (a - 1)) in *.
      assert (Z0 : 0 <= z) by (apply Rmult_le_pos; lra).
      assert (I0 : 0 < / (1 - r)) by (apply Rinv_0_lt_compat; lra).
      assert (S1 : u * (z * ratio c a) / (1 - r) <= u * (z * r) / (1 - r)).
      { apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; [lra|]. now apply Rmult_le_compat_l. }
      assert (S2 : u * z + u * (z * r) / (1 - r) = u * z / (1 - r)) by (field; lra).
      assert (S3 : 0 <= z * (u - (u + w) * ratio c a)) by (apply Rmult_le_pos; lra).
      assert (S4 : z * (u - (u + w) * ratio c a) <= u * z).
      { assert (0 <= (u + w) * ratio c a) by (apply Rmult_le_pos; lra).
        assert (0 <= z * ((u + w) * ratio c a)) by (apply Rmult_le_pos; lra). lra. }
      lra.
  Qed.

  Variables (n t : nat) (q : R).
  Hypothesis q_guard : smallest <= q.
  Hypothesis Uq_guard : smallest <= fl (U * q).
  Hypothesis n_range : (1 <= n)%nat /\ INR n <= 2 ^ 38.
  Hypothesis t_range : (1 <= t)%nat /\ (t + n <= c + 2)%nat.
  Hypothesis guards : series_guarded c n t q.
  (* t is at worst one below the ceiling of t*: ../fast.md, Lemma 1 *)
  Hypothesis t_near : (u + w) * ratio c (t + 1) <= u.
  Hypothesis stop : stops u w U W c n t q.

  Let l := series u w U W c n t q q 0.
  Let pn := exact_after c n t q.
  Let qn := pmf_after c n t q.

  Lemma l_length : length l = n.
  Proof.
    unfold l. clear. generalize q at 2. generalize 0. revert t q.
    induction n as [|m IH]; intros t q k p; cbn [series length]; [reflexivity|]. now rewrite IH.
  Qed.

  Lemma l_ok : Forall part_ok l /\ roundings (2 * INR n) pn qn /\ 0 <= qn /\ 0 <= pn.
  Proof.
    destruct n_range as [N1 N2]. destruct t_range as [T1 T2]. pose proof smallest_pos as S0.
    destruct (series_ok u w U W c w_pos U_rounded W_rounded U_range W_range c_range n t q q 0) as (F & R1 & Q);
      auto; try lra; [apply roundings_refl|].
    rewrite Rplus_0_l in R1. repeat split; auto. apply exact_after_nonneg; auto. lra.
  Qed.

  Lemma bound_at_least : (t + n < c + 2)%nat -> ratio c (t + n - 1) <= start_bound c n t.
  Proof.
    intros TN. destruct t_range as [T1 T2]. destruct n_range as [N1 _].
    assert (A : (1 <= t + n - 1 <= c + 1)%nat) by lia.
    destruct (ratio_range c c_range _ A) as (r0 & _ & r2). specialize (r2 ltac:(lia)).
    pose proof (ratio_rounded c c_range _ A) as R1.
    unfold start_bound. set (r := ratio c (t + n - 1)) in *. set (f := fl r) in *.
    apply roundings_bounds in R1; [|exact r0].
    assert (L : (1 - 1.0001 * roundoff) * r <= f).
    { pose proof (exp_ge (- (1 * roundoff))) as X. pose proof roundoff_pos.
      assert (r * (1 - 1 * roundoff) <= r * exp (- (1 * roundoff))) by (apply Rmult_le_compat_l; lra).
      assert (0 <= roundoff * r) by (apply Rmult_le_pos; lra). lra. }
    assert (U8 : (1 + 5 * roundoff) * r - half_least <= fl (f * (1 + 8 * roundoff)) /\ half_least <= 0.01 * roundoff * r).
    { pose proof roundoff_pos as e0.
      assert (F0 : 0 <= f) by (apply fl_nonneg; exact r0).
      assert (P0 : 0 <= f * (1 + 8 * roundoff)) by (apply Rmult_le_pos; lra).
      pose proof (fl_error (f * (1 + 8 * roundoff))) as E. rewrite (Rabs_pos_eq (f * _)) in E by exact P0. apply Rabs_le_inv in E.
      assert (H : half_least <= 0.01 * roundoff * r).
      { apply Rle_trans with (bpow radix2 (-8) * bpow radix2 (-53) * bpow radix2 (-42)).
        - unfold half_least. rewrite <- !bpow_plus. now apply bpow_le.
        - rewrite <- roundoff_bpow.
          replace (bpow radix2 (-42)) with (/ 2 ^ 42) by (cbn; lra).
          replace (bpow radix2 (-8)) with (/ 256) by reflexivity.
          assert (roundoff * / 2 ^ 42 <= roundoff * r) by (apply Rmult_le_compat_l; lra).
          assert (0 <= roundoff * / 2 ^ 42) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]). lra. }
      split; [|exact H].
      assert (G : (1 + 5 * roundoff) * r <= (1 - roundoff) * ((1 - 1.0001 * roundoff) * r * (1 + 8 * roundoff))).
      { assert (rr0 : 0 <= roundoff * r) by (apply Rmult_le_pos; lra).
        assert (rr1 : roundoff * (roundoff * r) <= 0.0001 * (roundoff * r)) by (apply Rmult_le_compat_r; [lra|unfold roundoff; lra]).
        assert (rr2 : 0 <= roundoff * (roundoff * r)) by (apply Rmult_le_pos; lra).
        assert (rr3 : roundoff * (roundoff * (roundoff * r)) >= 0) by (apply Rle_ge, Rmult_le_pos; lra). lra. }
      assert (G2 : (1 - roundoff) * ((1 - 1.0001 * roundoff) * r * (1 + 8 * roundoff)) <= (1 - roundoff) * (f * (1 + 8 * roundoff))).
      { apply Rmult_le_compat_l; [unfold roundoff; lra|]. apply Rmult_le_compat_r; lra. }
      lra. }
    destruct U8 as [U8 H]. pose proof roundoff_pos. assert (0 <= roundoff * r) by (apply Rmult_le_pos; lra). lra.
  Qed.

  (* A ratio below 1 is at most 1 - 2^-42, and the bound is hardly more. *)
  Lemma bound_room : (t + n < c + 2)%nat -> start_bound c n t < 1 ->
    ratio c (t + n - 1) < 1 /\ / 2 ^ 43 <= 1 - start_bound c n t.
  Proof.
    intros TN B1. pose proof (bound_at_least TN) as BL. destruct t_range as [T1 T2]. destruct n_range as [N1 _].
    assert (A : (1 <= t + n - 1 <= c + 1)%nat) by lia.
    destruct (ratio_range c c_range _ A) as (r0 & _ & _).
    pose proof (ratio_rounded c c_range _ A) as R1.
    pose proof roundoff_pos as e0. pose proof half_least_small as HS. pose proof smallest_pos.
    set (a := (t + n - 1)%nat) in *.
    assert (RB : ratio c a <= 1 - / 2 ^ 42).
    { assert (RL : ratio c a < 1) by lra. unfold ratio in *.
      assert (A1 : 1 <= INR a) by (apply (le_INR 1); lia).
      assert (K : INR c + 1 - INR a < INR a).
      { apply (Rmult_lt_compat_r (INR a)) in RL; [|lra].
        replace ((INR c + 1 - INR a) / INR a * INR a) with (INR c + 1 - INR a) in RL by (field; lra). lra. }
      assert (K' : (c + 1 < 2 * a)%nat).
      { apply INR_lt. rewrite plus_INR, mult_INR. cbn [INR]. lra. }
      assert (K2 : INR c + 1 - INR a <= INR a - 1).
      { assert (H2 : (c + 2 <= 2 * a)%nat) by lia. apply le_INR in H2. rewrite plus_INR, mult_INR in H2. cbn [INR] in H2. lra. }
      assert (A2 : INR a <= 2 ^ 42).
      { assert (INR a <= INR (c + 1)) by (apply le_INR; lia). rewrite plus_INR in H0. cbn [INR] in H0.
        assert (C : INR c <= 2 ^ 41) by (rewrite INR_IZR_INZ, pow_IZR; apply IZR_le; exact c_range). lra. }
      assert (/ 2 ^ 42 <= / INR a) by (apply Rinv_le; lra).
      apply Rle_trans with ((INR a - 1) / INR a).
      - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|lra].
      - replace ((INR a - 1) / INR a) with (1 - / INR a) by (field; lra). lra. }
    split; [lra|].
    set (r := ratio c a) in *. unfold start_bound. fold a r.
    apply roundings_error in R1. rewrite (Rabs_pos_eq r r0) in R1. pose proof (exp_small 1 ltac:(lra)) as X.
    assert (F : 0 <= fl r <= r + 1.0001 * roundoff).
    { split; [now apply fl_nonneg|]. apply Rabs_le_inv in R1.
      assert ((exp (1 * roundoff) - 1) * r <= 1.0001 * 1 * roundoff * 1).
      { apply Rmult_le_compat; try lra. pose proof (exp_ge (1 * roundoff)). lra. }
      lra. }
    assert (L2 : 0 < / 2 ^ 42) by (apply Rinv_0_lt_compat; lra).
    set (f := fl r) in *.
    assert (f8 : 0 <= roundoff * f <= 1.01 * roundoff).
    { split; [apply Rmult_le_pos; lra|]. apply Rle_trans with (roundoff * 1.01); [|lra].
      apply Rmult_le_compat_l; [lra|]. unfold roundoff in F. lra. }
    assert (Y : 0 <= f * (1 + 8 * roundoff) <= r + 10 * roundoff) by lra.
    pose proof (fl_error (f * (1 + 8 * roundoff))) as E. rewrite (Rabs_pos_eq (f * _)) in E by lra. apply Rabs_le_inv in E.
    assert (roundoff * (f * (1 + 8 * roundoff)) <= roundoff * 1.01).
    { apply Rmult_le_compat_l; [lra|]. unfold roundoff in *. lra. }
    assert (half_least <= 0.01 * roundoff).
    { apply Rle_trans with (bpow radix2 (-8) * bpow radix2 (-53)).
      - unfold half_least. rewrite <- bpow_plus. now apply bpow_le.
      - rewrite <- roundoff_bpow. replace (bpow radix2 (-8)) with (/ 256) by reflexivity. lra. }
    unfold roundoff in *. lra.
  Qed.

  (* The pmf has fallen: the parts are nearly u q, far above underflow. *)
  Lemma parts_large : 0.9 * smallest <= series_parts l.
  Proof.
    destruct l_ok as (F & Rq & Q0 & P0). pose proof l_length as LL.
    destruct n_range as [N1 N2]. destruct t_range as [T1 T2].
    pose proof smallest_pos as S0. pose proof half_least_pos as hl. pose proof roundoff_pos as e0. pose proof half_least_smaller as HS.
    assert (LN : INR (length l) <= 2 ^ 38) by (rewrite LL; exact N2).
    destruct (accumulate_products l t_parts) as [Pa Pa0].
    { intros x X. apply (part_error x). now apply (proj1 (Forall_forall _ _) F). }
    { exact LN. }
    fold (series_parts l) in Pa, Pa0. rewrite LL in Pa.
    pose proof (parts_telescope u w U W c u_pos w_pos U_rounded W_rounded U_range W_range c_range n t q q 0) as PT.
    specialize (PT ltac:(lia) ltac:(lia) ltac:(lra) ltac:(lra) (roundings_refl q) ltac:(lra) ltac:(lra) guards).
    fold l pn in PT. set (sg := sum l t_parts) in *.
    assert (NH : INR n * half_least <= 0.001 * smallest).
    { assert (INR n * half_least <= 2 ^ 38 * half_least) by (apply Rmult_le_compat_r; lra). unfold roundoff in HS. lra. }
    assert (N0 : 0 <= INR n * half_least) by (apply Rmult_le_pos; [apply pos_INR|lra]).
    assert (H1 : half_least <= 0.001 * smallest) by (unfold roundoff in HS; lra).
    assert (U0 : 0 < U) by (pose proof (bpow_gt_0 radix2 (-960)); lra).
    (* u and U *)
    assert (UU : u <= 1.0001 * U /\ U <= 1.0001 * u).
    { pose proof (roundings_upper _ _ _ U_rounded) as A. apply roundings_sym, roundings_upper in U_rounded.
      rewrite !Rabs_pos_eq in A by lra. rewrite !Rabs_pos_eq in U_rounded by lra.
      pose proof (exp_small 1.02 ltac:(lra)). assert (exp (1.02 * roundoff) <= 1.0001) by (unfold roundoff in *; lra).
      assert (u * exp (1.02 * roundoff) <= u * 1.0001) by (apply Rmult_le_compat_l; lra).
      assert (U * exp (1.02 * roundoff) <= U * 1.0001) by (apply Rmult_le_compat_l; lra). lra. }
    assert (uq : 0.998 * smallest <= u * q).
    { apply guard_normal in Uq_guard as [_ G]. assert (U * q <= 1.0001 * u * q) by (apply Rmult_le_compat_r; lra). lra. }
    assert (upn : u * pn <= 0.0001 * sg + 0.01 * smallest).
    { assert (sg0 : 0 <= sg).
      { apply sum_nonneg. intros x X. apply (part_error x). now apply (proj1 (Forall_forall _ _) F). }
      destruct stop as [E|[B1 ST]].
      - replace pn with 0; [lra|]. unfold pn.
        assert (BP : 0 < bin (1/2) c (t - 1)) by (apply bin_pos; [lra|lia]).
        replace q with (q / bin (1/2) c (t - 1) * bin (1/2) c (t - 1)) by (field; lra).
        rewrite exact_after_bin by lia. rewrite (bin_zero (1/2) c (t + n - 1)) by lia. ring.
      - destruct (Nat.eq_dec (t + n) (c + 2)) as [E|E].
        + replace pn with 0; [lra|]. unfold pn.
          assert (BP : 0 < bin (1/2) c (t - 1)) by (apply bin_pos; [lra|lia]).
          replace q with (q / bin (1/2) c (t - 1) * bin (1/2) c (t - 1)) by (field; lra).
          rewrite exact_after_bin by lia. rewrite (bin_zero (1/2) c (t + n - 1)) by lia. ring.
        + pose proof (bound_at_least ltac:(lia)) as BL.
          destruct (ratio_range c c_range (t + n - 1) ltac:(lia)) as (r0 & _ & _).
          assert (D1 : 0 <= fl (1 - start_bound c n t) <= 1).
          { split; [apply fl_nonneg; lra|]. apply Rle_trans with (fl 1); [apply fl_le; lra|].
            right. apply fl_double, (double_IZR 1). lia. }
          fold qn in ST. unfold start_value in ST. fold l in ST.
          set (D := fl (1 - start_bound c n t)) in *. set (B := fl (bpow radix2 (-54) * series_sum l)) in *.
          assert (DB : fl (D * B) <= Rabs B).
          { rewrite <- (fl_double (Rabs B)) by (apply double_abs, double_fl). apply fl_le.
            eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_mult, (Rabs_pos_eq D) by lra.
            rewrite <- (Rmult_1_l (Rabs B)) at 2. apply Rmult_le_compat_r; [apply Rabs_pos|lra]. }
          pose proof (sum_by_parts l F LN) as SV. rewrite LL in SV. fold sg in SV.
          assert (BB : Rabs B <= 0.00001 * Rabs (series_sum l) + half_least).
          { unfold B. pose proof (fl_error (bpow radix2 (-54) * series_sum l)) as E1.
            rewrite Rabs_mult, (Rabs_pos_eq (bpow radix2 (-54))) in E1 by apply bpow_ge_0.
            pose proof (Rabs_triang (fl (bpow radix2 (-54) * series_sum l) - bpow radix2 (-54) * series_sum l) (bpow radix2 (-54) * series_sum l)) as T3.
            replace (fl (bpow radix2 (-54) * series_sum l) - bpow radix2 (-54) * series_sum l + bpow radix2 (-54) * series_sum l)
              with (fl (bpow radix2 (-54) * series_sum l)) in T3 by ring.
            rewrite Rabs_mult, (Rabs_pos_eq (bpow radix2 (-54))) in T3 by apply bpow_ge_0.
            pose proof (Rabs_pos (series_sum l)) as V0.
            assert (P54 : bpow radix2 (-54) * Rabs (series_sum l) <= 0.000001 * Rabs (series_sum l)).
            { apply Rmult_le_compat_r; [exact V0|]. cbn. lra. }
            assert (P55 : 0 <= bpow radix2 (-54) * Rabs (series_sum l)) by (apply Rmult_le_pos; [apply bpow_ge_0|exact V0]).
            assert (roundoff * (bpow radix2 (-54) * Rabs (series_sum l)) <= 1 * (bpow radix2 (-54) * Rabs (series_sum l)))
              by (apply Rmult_le_compat_r; [exact P55|unfold roundoff; lra]).
            lra. }
          assert (UQ : U * qn <= 1.001 * Rabs B + 1.001 * half_least).
          { assert (X0 : 0 <= U * qn) by (apply Rmult_le_pos; lra). pose proof (fl_relative_down _ X0). lra. }
          assert (PQ : u * pn <= 1.01 * (U * qn)).
          { apply roundings_sym, roundings_upper in Rq. rewrite !Rabs_pos_eq in Rq by assumption.
            destruct (exp_count (2 * INR n / 2) ltac:(pose proof (pos_INR n); lra)) as (_ & X & _).
            assert (X2 : exp (2 * INR n * roundoff) <= 1.001).
            { replace (2 * INR n * roundoff) with (2 * INR n / 2 * roundoff + 2 * INR n / 2 * roundoff) by field.
              rewrite exp_plus. assert (exp (2 * INR n / 2 * roundoff) * exp (2 * INR n / 2 * roundoff) <= 1.0001 * 1.0001).
              { apply Rmult_le_compat; try lra; left; apply exp_pos. } lra. }
            assert (qn * exp (2 * INR n * roundoff) <= qn * 1.001) by (apply Rmult_le_compat_l; lra).
            apply Rle_trans with (1.0001 * U * (1.001 * qn)).
            - apply Rmult_le_compat; lra.
            - assert (0 <= U * qn) by (apply Rmult_le_pos; lra). lra. }
          lra. }
    lra.
  Qed.

  Lemma factor_exact : fl (value_factor * roundoff) = value_factor * roundoff.
  Proof.
    apply fl_double. apply generic_format_FLT. exists (Float radix2 13 (-55)); cbn; [|lia|lia].
    unfold F2R, value_factor, roundoff; cbn. lra.
  Qed.

  (* value, *error of value_series and met of sum_strata: where the loop starts. *)
  Theorem start_tracked pmf_unit : 0 < pmf_unit -> double q ->
    roundings 1.02 (pmf_unit * bin (1/2) c (t - 1)) q ->
    let v := start_value u w U W c n t q in
    let error := start_error u w U W c n t q in
    let met := fl (fl (fl 1.01 * error) / fl (value_factor * roundoff)) in
    tracked 1.02 0 (pmf_unit * bin (1/2) c (t - 1)) (pmf_unit * value u w c t) q v met.
  Proof.
    intros PU Dq (d & Hd & Eq) v error met.
    destruct l_ok as (F & Rq & Q0 & P0). pose proof l_length as LL.
    destruct n_range as [N1 N2]. destruct t_range as [T1 T2].
    pose proof smallest_pos as S0. pose proof half_least_pos as hl. pose proof roundoff_pos as e0. pose proof half_least_smaller as HS.
    assert (LN : INR (length l) <= 2 ^ 38) by (rewrite LL; exact N2).
    set (x := pmf_unit * exp d).
    assert (Ex : q = x * bin (1/2) c (t - 1)) by (rewrite Eq; unfold x; ring).
    assert (x0 : 0 < x) by (apply Rmult_lt_0_compat; [exact PU|apply exp_pos]).
    set (m := (c + 2 - t - n)%nat).
    set (tail := sum (seq (t + n) m) (fun b => x * bin (1/2) c (b - 1) * (u - (u + w) * ratio c b))).
    (* the value is the terms taken and the tail *)
    assert (SPLIT : exp d * (pmf_unit * value u w c t) = sum l t_exact + tail).
    { pose proof (series_exact (1/2) u w c t ltac:(lra) ltac:(lia)) as SE. unfold value. rewrite <- SE.
      pose proof (series_exact_sum u w U W c n t q x 0 T1 T2) as SS. rewrite <- Ex in SS. fold l in SS. rewrite SS.
      unfold tail.
      rewrite (sum_ext (seq (t + n) m) _ (fun b => x * (bin (1/2) c (b - 1) * (u - (u + w) * ratio c b)))) by (intros; ring).
      rewrite sum_scal, <- Rmult_plus_distr_l, <- sum_app, <- seq_app.
      replace (n + m)%nat with (c + 2 - t)%nat by (unfold m; lia).
      replace (exp d * (pmf_unit * _)) with (x * sum (seq t (c + 2 - t)) (fun a => bin (1 / 2) c (a - 1) *
        (u - (u + w) * ((INR c + 1 - INR a) / INR a * (1 / 2 / (1 - 1 / 2)))))) by (unfold x; ring).
      f_equal. apply sum_ext. intros a A. apply in_seq in A. unfold ratio. f_equal. f_equal. f_equal.
      assert (0 < INR a) by (apply lt_0_INR; lia). field. lra. }
    pose proof (series_sum_error l F LN) as SE. rewrite LL in SE.
    pose proof (series_error_parts l LN F) as EP. pose proof parts_large as PL.
    assert (SEB : 7 * roundoff * smallest <= series_error l).
    { assert (8.2 * roundoff * (0.9 * smallest) <= 8.2 * roundoff * series_parts l) by (apply Rmult_le_compat_l; lra). lra. }
    (* the rest *)
    assert (REST : 0 <= start_rest U c n t q /\ 0 <= tail <= start_rest U c n t q + 2 ^ 45 * half_least /\ double (start_rest U c n t q)).
    { unfold start_rest. destruct (Nat.eqb_spec (t + n) (c + 2)) as [E|E].
      - unfold tail. replace m with O by (unfold m; lia). cbn [seq sum]. split; [lra|split; [lra|apply double_0]].
      - destruct stop as [E'|[B1 _]]; [lia|].
        pose proof (bound_at_least ltac:(lia)) as BL. destruct (bound_room ltac:(lia) B1) as [r1 RM].
        destruct (ratio_range c c_range (t + n - 1) ltac:(lia)) as (r0 & _ & _).
        set (r := ratio c (t + n - 1)) in *. set (bd := start_bound c n t) in *.
        fold qn.
        assert (TB : 0 <= tail <= u * (x * bin (1/2) c (t + n - 1)) / (1 - r)).
        { apply tail_bound; try lra; try lia.
          - apply ratio_falls. lia.
          - assert ((u + w) * ratio c (t + n) <= (u + w) * ratio c (t + 1)).
            { apply Rmult_le_compat_l; [lra|]. apply ratio_falls. lia. } lra. }
        rewrite <- (exact_after_bin c n t x T1 T2), <- Ex in TB. fold pn in TB.
        assert (U0 : 0 < U) by (pose proof (bpow_gt_0 radix2 (-960)); lra).
        assert (X0 : 0 <= U * qn) by (apply Rmult_le_pos; lra).
        assert (UP : 0.999 * (u * pn) <= U * qn).
        { assert (R2 : roundings (1.02 + 2 * INR n) (u * pn) (U * qn)) by now apply roundings_mult.
          apply roundings_bounds in R2; [|apply Rmult_le_pos; lra].
          pose proof (exp_ge (- ((1.02 + 2 * INR n) * roundoff))) as X.
          assert (0.999 <= exp (- ((1.02 + 2 * INR n) * roundoff))) by (unfold roundoff in *; lra).
          assert (u * pn * 0.999 <= u * pn * exp (- ((1.02 + 2 * INR n) * roundoff))).
          { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]. } lra. }
        set (D := fl (1 - bd)) in *.
        assert (RD : roundings 1 (1 - bd) D).
        { apply fl_minus; [apply (double_IZR 1); lia|apply double_fl]. }
        assert (DB : / 2 ^ 44 <= D <= 1.00001 * (1 - bd)).
        { assert (L3 : 0 < / 2 ^ 43) by (apply Rinv_0_lt_compat; lra).
          apply roundings_bounds in RD; [|lra]. destruct (exp_count 1 ltac:(lra)) as (X1 & _ & X3).
          assert (exp (1 * roundoff) <= 1.00001) by (unfold roundoff in *; lra).
          assert ((1 - bd) * exp (1 * roundoff) <= (1 - bd) * 1.00001) by (apply Rmult_le_compat_l; lra).
          assert ((1 - bd) * 0.9999 <= (1 - bd) * exp (- (1 * roundoff))) by (apply Rmult_le_compat_l; lra). lra. }
        assert (D0 : 0 < D) by (assert (0 < / 2 ^ 44) by (apply Rinv_0_lt_compat; lra); lra).
        set (Y := fl (U * qn)). assert (Y0 : 0 <= Y) by now apply fl_nonneg.
        pose proof (fl_relative_down _ X0) as Y1. fold Y in Y1.
        assert (iD : 0 < / D <= 2 ^ 44).
        { split; [now apply Rinv_0_lt_compat|]. rewrite <- (Rinv_inv (2 ^ 44)). apply Rinv_le; [apply Rinv_0_lt_compat; lra|lra]. }
        assert (YD0 : 0 <= Y / D) by (apply Rmult_le_pos; lra).
        set (Z := fl (Y / D)). assert (Z0 : 0 <= Z) by now apply fl_nonneg.
        pose proof (fl_relative_down _ YD0) as Z1. fold Z in Z1.
        assert (F1 : 1.0099 <= fl 1.01 <= 1.02).
        { assert (h : half_least <= 0.00001) by (unfold roundoff in HS; assert (smallest <= 1);
            [unfold smallest; rewrite <- (fl_double 1) by (apply (double_IZR 1); lia); apply fl_le;
             rewrite <- Rinv_1; apply Rinv_le; [lra|apply IZR_le; now vm_compute]|lra]).
          pose proof (fl_error 1.01) as E1. rewrite (Rabs_pos_eq 1.01) in E1 by lra. apply Rabs_le_inv in E1. unfold roundoff in E1. lra. }
        set (f1 := fl 1.01) in *.
        assert (fZ0 : 0 <= f1 * Z) by (apply Rmult_le_pos; lra).
        pose proof (fl_relative_down _ fZ0) as W1.
        split; [now apply fl_nonneg|split; [|apply double_fl]].
        split; [apply TB|]. eapply Rle_trans; [apply TB|].
        assert (fZ : 1.0099 * Z <= f1 * Z) by (apply Rmult_le_compat_r; lra).
        (* u pn / (1-r) <= 1.0015 U qn / D *)
        assert (K1 : u * pn / (1 - r) <= 1.00103 * ((U * qn) / D)).
        { assert (I1 : / (1 - r) <= 1.00001 * / D).
          { apply (Rmult_le_reg_l (1 - r)); [lra|]. rewrite Rinv_r by lra.
            assert (D * / D = 1) by (apply Rinv_r; lra).
            assert (D * / D <= 1.00001 * (1 - r) * / D) by (apply Rmult_le_compat_r; lra). lra. }
          assert (I2 : u * pn * / (1 - r) <= (1.00101 * (U * qn)) * (1.00001 * / D)).
          { apply Rmult_le_compat; [apply Rmult_le_pos; lra|left; apply Rinv_0_lt_compat; lra|lra|exact I1]. }
          assert (0 <= U * qn * / D) by (apply Rmult_le_pos; lra). unfold Rdiv. lra. }
        assert (K2 : (0.99999 * (U * qn) - half_least) * / D <= Y / D) by (apply Rmult_le_compat_r; lra).
        assert (K3 : half_least * / D <= half_least * 2 ^ 44) by (apply Rmult_le_compat_l; lra).
        assert (0 <= U * qn * / D) by (apply Rmult_le_pos; lra).
        unfold Rdiv in *. lra. }
    destruct REST as (RE0 & RE & DR).
    (* error and met *)
    assert (DE : double (series_error l)) by apply double_fl.
    assert (SE0 : 0 <= series_error l) by (assert (0 <= roundoff * smallest) by (apply Rmult_le_pos; lra); lra).
    pose proof (fl_sum_down _ _ DE DR SE0 RE0) as ER.
    assert (er_eq : error = fl (series_error l + start_rest U c n t q)) by reflexivity.
    rewrite <- er_eq in ER.
    assert (BND : Rabs (v - exp d * (pmf_unit * value u w c t)) <= 1.002 * error).
    { rewrite SPLIT. change v with (series_sum l).
      replace (series_sum l - (sum l t_exact + tail)) with ((series_sum l - sum l t_exact) - tail) by ring.
      unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, (Rabs_pos_eq tail) by lra.
      assert (INR n * half_least <= 2 ^ 38 * half_least) by (apply Rmult_le_compat_r; lra). lra. }
    assert (er0 : 0 <= error) by lra.
    assert (F1 : 1.0099 <= fl 1.01).
    { assert (h : half_least <= 0.00001) by (unfold roundoff in HS; assert (smallest <= 1);
        [unfold smallest; rewrite <- (fl_double 1) by (apply (double_IZR 1); lia); apply fl_le;
         rewrite <- Rinv_1; apply Rinv_le; [lra|apply IZR_le; now vm_compute]|lra]).
      pose proof (fl_error 1.01) as E1. rewrite (Rabs_pos_eq 1.01) in E1 by lra. apply Rabs_le_inv in E1. unfold roundoff in E1. lra. }
    assert (fe : 1.0099 * error <= fl 1.01 * error) by (apply Rmult_le_compat_r; lra).
    assert (fe0 : 0 <= fl 1.01 * error) by (apply Rmult_le_pos; lra).
    pose proof (fl_relative_down _ fe0) as A1. set (A := fl (fl 1.01 * error)) in *.
    assert (A0 : 0 <= A) by now apply fl_nonneg.
    pose proof factor_exact as FE. set (c3 := value_factor * roundoff) in *.
    assert (c30 : 0 < c3 <= 1) by (unfold c3, value_factor, roundoff; lra).
    assert (MQ : met = fl (A / c3)) by (unfold met; rewrite FE; reflexivity).
    assert (Ac0 : 0 <= A / c3) by (apply Rmult_le_pos; [exact A0|left; now apply Rinv_0_lt_compat]).
    pose proof (fl_relative_down _ Ac0) as M1. rewrite <- MQ in M1.
    assert (M2 : 0.99999 * A - half_least <= c3 * met).
    { apply Rle_trans with (c3 * (0.99999 * (A / c3) - half_least)).
      - replace (c3 * (0.99999 * (A / c3) - half_least)) with (0.99999 * A - c3 * half_least) by (field; lra).
        assert (c3 * half_least <= 1 * half_least) by (apply Rmult_le_compat_r; lra). lra.
      - apply Rmult_le_compat_l; lra. }
    assert (m0 : 0 <= met) by (rewrite MQ; now apply fl_nonneg).
    repeat split; auto; try apply double_fl.
    { unfold v, start_value. apply accumulate_double, double_0. }
    exists d. split; [exact Hd|split; [exact Eq|]].
    rewrite Rmult_0_l, exp_0, Rmult_1_r.
    eapply Rle_trans; [exact BND|]. fold c3. lra.
  Qed.
End StartValue.
