(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Enclosures of the divergence of a trinomial pair (../trinomial-pair.md, Lemmas 1
 * and 2) by interval arithmetic on a window of strata, from the top down. From one
 * stratum to the next everything follows in a few operations: the weight of the
 * stratum, the threshold, and the binomial value and tail at the threshold. The
 * window and the first threshold are hints and are never trusted: the sign of
 * X - K beside each threshold is checked, what lies outside the window is bounded,
 * and a bad hint makes the enclosure wide, never wrong.
 *)
From Coq Require Import Reals List ZArith NArith Lra Lia Arith Bool.
From Shufbound Require Import Sum Hockey Trinomial Binomial Strata Enclosures Walk.
Import ListNotations.
Open Scope R_scope.

(* Enclosures of the numbers that a pair and alpha give. *)
Record shape := {
  sh_u : interval;      (* u = w0 - alpha w1 *)
  sh_uv : interval;     (* u + v, v = w1 - alpha w0 *)
  sh_rise : interval;   (* -v/(1-rho) *)
  sh_slope : interval;  (* u/rho - v/(1-rho) *)
  sh_rho : interval;
  sh_corho : interval;  (* 1-rho *)
  sh_rho_odds : interval; (* rho/(1-rho) *)
  sh_odds : interval;   (* s/(1-s) *)
  sh_kappa : option interval (* (alpha-1) w2 s/(1-s); None: 0 *)
}.

(* Hints. *)
Record window := Window {
  win_top : N;    (* the strata low .. top *)
  win_low : N;
  win_first : N;  (* the threshold in stratum top, or 1 or 2 less *)
  win_from : N;   (* a window of Bin(top,rho) around it, *)
  win_to : N;     (* which starts the recurrence *)
  win_climb : nat (* how far the threshold may rise from a stratum to the next below *)
}.

Section Evaluate.
  Variable prec : precision.
  Notation "i + j" := (plus prec i j).
  Notation "i - j" := (minus prec i j).
  Notation "i * j" := (times prec i j).
  Notation "i / j" := (over prec i j).
  Notation "# n" := (natural prec n) (at level 1).
  Variable sh : shape.
  Variable n : N. (* the other users *)

  (* K_c *)
  Definition shift_of (kappa : interval) (c : N) : interval := kappa * #(n - c) / #(N.succ c).

  (* (c+1) (K_c - v/(1-rho)): the slope times the place of the sign change *)
  Definition height (c : N) : interval :=
    match sh_kappa sh with
    | None => #(N.succ c) * sh_rise sh
    | Some kappa => #(N.succ c) * sh_rise sh + kappa * #(n - c)
    end.

  (* V_t from the value at t-1 and the tail at t of Bin(c,rho) *)
  Definition from_of (c : N) (pm tl : interval) : interval :=
    match sh_kappa sh with
    | None => sh_u sh * pm + sh_uv sh * tl
    | Some kappa => let K := shift_of kappa c in (sh_u sh - K * sh_rho sh) * pm + (sh_uv sh - K) * tl
    end.

  (* the value at t from that at t-1 *)
  Definition step_up (c t : N) (pm : interval) : interval := pm * (#(c - (t - 1)) * sh_rho_odds sh) / #t.

  (* The value of a stratum with threshold t; h is its height. *)
  Definition value (h : interval) (c t : N) (pm tl : interval) : interval :=
    let x := sh_slope sh * #(t - 1) in
    if is_nonneg (h - x) then
      if N.ltb (N.succ c) t then zero
      else
        let here := from_of c pm tl in
        let gap := x + sh_slope sh - h in
        if is_nonneg gap then here
        else if is_nonneg (gap + sh_slope sh) then
          let pm' := step_up c t pm in between here (from_of c pm' (tl - pm'))
        else between here (sh_u sh)
    else between zero (sh_u sh).

  (* From stratum c to the next below, whose height is h. *)
  Definition move (h : interval) (c t : N) (pm tl : interval) : N * interval * interval :=
    if (N.leb t 1 || (N.ltb (t - 1) c && is_nonneg (h - sh_slope sh * #(t - 1))))%bool then
      let pm' := pm * #(c - (t - 1)) / (#c * sh_corho sh) in
      (t, pm', tl - sh_rho sh * pm')
    else (N.pred t, pm * #(t - 1) / (#c * sh_rho sh), tl + pm * #(c - (t - 1)) / #c).

  (* The threshold upwards while the sign change is above it. *)
  Fixpoint climb (fuel : nat) (h : interval) (c t : N) (pm tl : interval) : N * interval * interval :=
    match fuel with
    | O => (t, pm, tl)
    | S f =>
      if (N.leb t (N.succ c) && is_nonneg (h - sh_slope sh * #t))%bool then
        let pm' := step_up c t pm in climb f h c (N.succ t) pm' (tl - pm')
      else (t, pm, tl)
    end.

  (* The weight of the lowest stratum, the weights above it, and the weighted values. *)
  Fixpoint rows (fuel steps : nat) (h : interval) (c t : N) (pm tl w above acc : interval) : interval * interval * interval :=
    let acc' := acc + w * value h c t pm tl in
    match steps with
    | O => (w, above, acc')
    | S m =>
      let c' := N.pred c in
      let h' := height c' in
      let '(t1, pm1, tl1) := move h' c t pm tl in
      let '(t2, pm2, tl2) := climb fuel h' c' t1 pm1 tl1 in
      rows fuel m h' c' t2 pm2 tl2 (w * #c / (#(N.succ n - c) * sh_odds sh)) (above + w) acc'
    end.

  (* The whole divergence: of all strata, *)
  Definition evaluate (win : window) : interval :=
    let top := win_top win in
    let low := win_low win in
    let t := win_first win in
    if (N.leb low top && N.leb top n && N.leb 1 t)%bool then
      let (pm, tl) := start prec top (sh_rho_odds sh) (t - 1) (win_from win) (win_to win) in
      let h := height top in
      let '(t, pm, tl) := climb 2 h top t pm tl in
      let '(w, above, acc) := rows (win_climb win) (N.to_nat (top - low)) h top t pm tl #1 zero zero in
      let more := beyond_top prec n (sh_odds sh) top #1 + beyond_low prec n (sh_odds sh) low w in
      (acc + between zero (sh_u sh * more)) / (above + w + more)
    else anything.

  (* and, if all others count, of the one stratum n. *)
  Definition evaluate_one (win : window) : interval :=
    let t := win_first win in
    if N.leb 1 t then
      let (pm, tl) := start prec n (sh_rho_odds sh) (t - 1) (win_from win) (win_to win) in
      let h := height n in
      let '(t, pm, tl) := climb 2 h n t pm tl in
      value h n t pm tl
    else anything.

  (* Soundness. *)
  Variables u v rho kappa : R.
  Hypothesis Hrho : 0 < rho < 1.
  Hypothesis Hu : 0 <= u.
  Hypothesis Hv : v <= 0.
  Hypothesis Hkappa : 0 <= kappa.
  Definition slope : R := (u / rho - v / (1 - rho))%R.
  Hypothesis Hslope : 0 < slope.

  Record describes : Prop := {
    has_u : encloses (sh_u sh) u;
    has_uv : encloses (sh_uv sh) (u + v);
    has_rise : encloses (sh_rise sh) (- v / (1 - rho));
    has_slope : encloses (sh_slope sh) slope;
    has_rho : encloses (sh_rho sh) rho;
    has_corho : encloses (sh_corho sh) (1 - rho);
    has_rho_odds : encloses (sh_rho_odds sh) (rho / (1 - rho));
    has_kappa : match sh_kappa sh with None => kappa = 0 | Some k => encloses k kappa end
  }.
  Hypothesis D : describes.

  Definition K (c : nat) : R := (kappa * (INR (N.to_nat n - c) / INR (S c)))%R.
  Definition V (c : nat) : R := stratum u v rho c (K c).

  Lemma S_pos c : 0 < INR (S c).
  Proof. apply lt_0_INR. lia. Qed.

  Lemma K_nonneg c : 0 <= K c.
  Proof.
    unfold K, Rdiv. pose proof (S_pos c). repeat apply Rmult_le_pos; trivial; [apply pos_INR|].
    left. now apply Rinv_0_lt_compat.
  Qed.

  Lemma V_bounds c : 0 <= V c <= u.
  Proof. apply stratum_u; trivial. apply K_nonneg. Qed.

  Lemma height_encloses c :
    encloses (height c) (INR (S (N.to_nat c)) * (K (N.to_nat c) - v / (1 - rho))).
  Proof.
    pose proof (has_kappa D) as HK. pose proof (S_pos (N.to_nat c)).
    unfold height, K. destruct (sh_kappa sh) as [k|].
    - eapply encloses_eq.
      + apply plus_encloses; apply times_encloses; try apply natural_encloses; [apply (has_rise D) | exact HK].
      + rewrite N2Nat.inj_succ, N2Nat.inj_sub. field. split; lra.
    - rewrite HK. eapply encloses_eq.
      + apply times_encloses; [apply natural_encloses | apply (has_rise D)].
      + rewrite N2Nat.inj_succ. field. split; lra.
  Qed.

  Lemma from_encloses c t pm tl :
    encloses pm (bin rho (N.to_nat c) (N.to_nat t - 1)) -> encloses tl (tail rho (N.to_nat c) (N.to_nat t)) ->
    encloses (from_of c pm tl) (from u v rho (N.to_nat c) (K (N.to_nat c)) (N.to_nat t)).
  Proof.
    intros Hp Ht. pose proof (has_kappa D) as HK. pose proof (S_pos (N.to_nat c)).
    unfold from_of, from. destruct (sh_kappa sh) as [k|].
    - assert (E : encloses (shift_of k c) (K (N.to_nat c))).
      { eapply encloses_eq.
        - apply over_encloses; [|apply times_encloses; [exact HK | apply natural_encloses] | apply natural_encloses].
          rewrite N2Nat.inj_succ. lra.
        - unfold K. rewrite N2Nat.inj_succ, N2Nat.inj_sub. field. lra. }
      cbv zeta. apply plus_encloses; apply times_encloses; trivial; apply minus_encloses; trivial.
      + apply (has_u D).
      + apply times_encloses; [exact E | apply (has_rho D)].
      + apply (has_uv D).
    - assert (K (N.to_nat c) = 0) as -> by (unfold K; rewrite HK; ring).
      eapply encloses_eq.
      + apply plus_encloses; apply times_encloses; [apply (has_u D) | exact Hp | apply (has_uv D) | exact Ht].
      + ring.
  Qed.

  (* One step up. *)
  Lemma step_up_encloses c t pm : (1 <= N.to_nat t)%nat ->
    encloses pm (bin rho (N.to_nat c) (N.to_nat t - 1)) ->
    encloses (step_up c t pm) (bin rho (N.to_nat c) (N.to_nat t)).
  Proof.
    intros Ht Hp. pose proof (bin_step rho (N.to_nat c) (N.to_nat t - 1)) as B.
    replace (S (N.to_nat t - 1)) with (N.to_nat t) in B by lia.
    pose proof (lt_0_INR (N.to_nat t) ltac:(lia)).
    eapply encloses_eq.
    - apply over_encloses; [|apply times_encloses; [exact Hp | apply times_encloses; [apply natural_encloses | apply (has_rho_odds D)]]
                            |apply natural_encloses]. lra.
    - rewrite !N2Nat.inj_sub. change (N.to_nat 1) with 1%nat.
      apply (Rmult_eq_reg_r (INR (N.to_nat t) * (1 - rho))); [|apply Rgt_not_eq, Rmult_lt_0_compat; lra].
      eapply eq_trans; [|eapply eq_trans; [exact (eq_sym B) | ring]]. field. split; lra.
  Qed.

  Lemma tail_up c t pm tl : encloses pm (bin rho c t) -> encloses tl (tail rho c t) -> encloses (tl - pm) (tail rho c (S t)).
  Proof.
    intros Hp Ht. eapply encloses_eq; [apply minus_encloses; [exact Ht | exact Hp]|]. rewrite (tail_step rho c t). lra.
  Qed.

  Lemma pred_INR t : (1 <= t)%nat -> INR t = (INR (t - 1) + 1)%R.
  Proof. intros H. rewrite <- S_INR. f_equal. lia. Qed.

  Lemma value_correct c t pm tl : (1 <= N.to_nat t)%nat ->
    encloses pm (bin rho (N.to_nat c) (N.to_nat t - 1)) -> encloses tl (tail rho (N.to_nat c) (N.to_nat t)) ->
    encloses (value (height c) c t pm tl) (V (N.to_nat c)).
  Proof.
    intros Ht Hp Htl. pose proof (V_bounds (N.to_nat c)) as B.
    assert (Hx : encloses (sh_slope sh * #(t - 1)) (slope * INR (N.to_nat t - 1))).
    { replace (N.to_nat t - 1)%nat with (N.to_nat (t - 1)) by lia.
      apply times_encloses; [apply (has_slope D) | apply natural_encloses]. }
    pose proof (height_encloses c) as Hh.
    set (h := (INR (S (N.to_nat c)) * (K (N.to_nat c) - v / (1 - rho)))%R) in *.
    pose proof (minus_encloses prec _ _ _ _ Hh Hx) as H1.
    unfold value. cbv zeta. destruct (is_nonneg (height c - _)) eqn:E1.
    2:{ eapply between_encloses; [apply zero_encloses | apply (has_u D) | exact B]. }
    pose proof (is_nonneg_true _ _ H1 E1) as L1.
    destruct (N.ltb_spec (N.succ c) t) as [Hdead|Hlive].
    { (* t - 1 is not below c + 1: nothing is positive *)
      eapply encloses_eq; [apply zero_encloses|]. symmetry. apply stratum_none; trivial.
      pose proof (S_pos (N.to_nat c)) as P.
      assert (M : INR (S (N.to_nat c)) <= INR (N.to_nat t - 1)) by (apply le_INR; lia).
      assert (slope * INR (S (N.to_nat c)) <= INR (S (N.to_nat c)) * (K (N.to_nat c) - v / (1 - rho))).
      { eapply Rle_trans; [apply Rmult_le_compat_l; [lra | exact M]|]. unfold h in L1. lra. }
      assert (slope <= K (N.to_nat c) - v / (1 - rho)).
      { apply (Rmult_le_reg_l (INR (S (N.to_nat c)))); trivial. lra. }
      unfold slope in *. lra. }
    pose proof (from_encloses c t pm tl Hp Htl) as Hhere.
    pose proof (pred_INR _ Ht) as PI.
    assert (Hgap : encloses (sh_slope sh * #(t - 1) + sh_slope sh - height c) (slope * INR (N.to_nat t) - h)).
    { eapply encloses_eq; [apply minus_encloses; [apply plus_encloses; [exact Hx | apply (has_slope D)] | exact Hh]|].
      rewrite PI. ring. }
    destruct (is_nonneg (_ - height c)) eqn:E2.
    { pose proof (is_nonneg_true _ _ Hgap E2) as L2.
      eapply encloses_eq; [exact Hhere|]. symmetry. apply stratum_at; trivial. fold slope h. lra. }
    destruct (is_nonneg (_ + sh_slope sh)) eqn:E3.
    { pose proof (is_nonneg_true _ _ (plus_encloses prec _ _ _ _ Hgap (has_slope D)) E3) as L3.
      pose proof (step_up_encloses c t pm Ht Hp) as Hup.
      assert (V (N.to_nat c) = Rmax (from u v rho (N.to_nat c) (K (N.to_nat c)) (N.to_nat t))
                                    (from u v rho (N.to_nat c) (K (N.to_nat c)) (S (N.to_nat t)))) as ->.
      { apply stratum_two; trivial. fold slope h. rewrite S_INR. lra. }
      apply between_max; trivial.
      rewrite <- N2Nat.inj_succ. apply from_encloses.
      - rewrite N2Nat.inj_succ. replace (S (N.to_nat t) - 1)%nat with (N.to_nat t) by lia. exact Hup.
      - rewrite N2Nat.inj_succ. now apply tail_up. }
    eapply between_encloses; [exact Hhere | apply (has_u D)|].
    split; [now apply stratum_any | apply B].
  Qed.

  (* The state of a row. *)
  Definition at_row (c t : N) (pm tl : interval) : Prop :=
    (1 <= N.to_nat t)%nat /\ encloses pm (bin rho (N.to_nat c) (N.to_nat t - 1)) /\ encloses tl (tail rho (N.to_nat c) (N.to_nat t)).

  Lemma move_correct h c t pm tl : (1 <= N.to_nat c)%nat -> at_row c t pm tl ->
    let '(t', pm', tl') := move h c t pm tl in at_row (N.pred c) t' pm' tl'.
  Proof.
    intros Hc (Ht & Hp & Htl). unfold move.
    assert (Ec : N.to_nat c = S (N.to_nat (N.pred c))) by lia.
    set (b := N.to_nat (N.pred c)) in *.
    pose proof (lt_0_INR (S b) ltac:(lia)) as P.
    assert (Hs : N.to_nat (c - (t - 1)) = (S b - (N.to_nat t - 1))%nat) by lia.
    rewrite Ec in Hp, Htl.
    pose proof (bin_row rho b (N.to_nat t - 1)) as R1.
    pose proof (tail_row rho b (N.to_nat t) Ht) as R2.
    destruct ((t <=? 1)%N || _) eqn:E.
    - assert (Hp' : encloses (pm * #(c - (t - 1)) / (#c * sh_corho sh)) (bin rho b (N.to_nat t - 1))).
      { eapply encloses_eq.
        - apply over_encloses; [|apply times_encloses; [exact Hp | apply natural_encloses]
                                |apply times_encloses; [apply natural_encloses | apply (has_corho D)]].
          rewrite Ec. apply Rgt_not_eq, Rmult_lt_0_compat; lra.
        - rewrite Hs, Ec, R1. field. split; lra. }
      repeat split; trivial.
      eapply encloses_eq; [apply minus_encloses; [exact Htl | apply times_encloses; [apply (has_rho D) | exact Hp']]|].
      fold b. rewrite R2. lra.
    - apply orb_false_iff in E as [E _]. apply N.leb_gt in E.
      pose proof (bin_diag rho b (N.to_nat t - 2)) as R3.
      replace (S (N.to_nat t - 2)) with (N.to_nat t - 1)%nat in R3 by lia.
      assert (Et : N.to_nat (N.pred t) = (N.to_nat t - 1)%nat) by lia.
      assert (Et' : N.to_nat (t - 1) = (N.to_nat t - 1)%nat) by lia.
      repeat split.
      + rewrite Et. lia.
      + fold b. rewrite Et. replace (N.to_nat t - 1 - 1)%nat with (N.to_nat t - 2)%nat by lia.
        eapply encloses_eq.
        * apply over_encloses; [|apply times_encloses; [exact Hp | apply natural_encloses]
                                |apply times_encloses; [apply natural_encloses | apply (has_rho D)]].
          rewrite Ec. apply Rgt_not_eq, Rmult_lt_0_compat; lra.
        * rewrite Et', Ec, R3. field. split; lra.
      + fold b. rewrite Et. eapply encloses_eq.
        * apply plus_encloses; [exact Htl|].
          apply over_encloses; [|apply times_encloses; [exact Hp | apply natural_encloses] | apply natural_encloses].
          rewrite Ec. lra.
        * rewrite Hs, Ec, R1, R2. rewrite (tail_step rho b (N.to_nat t - 1)).
          replace (S (N.to_nat t - 1)) with (N.to_nat t) by lia. field. lra.
  Qed.

  Lemma climb_correct fuel : forall h c t pm tl, at_row c t pm tl ->
    let '(t', pm', tl') := climb fuel h c t pm tl in at_row c t' pm' tl'.
  Proof.
    induction fuel as [|f IH]; intros h c t pm tl H; cbn [climb]; [exact H|].
    destruct (_ && _); [|exact H]. apply IH.
    destruct H as (Ht & Hp & Htl). pose proof (step_up_encloses c t pm Ht Hp) as Hup.
    repeat split; rewrite N2Nat.inj_succ; [lia | |now apply tail_up].
    replace (S (N.to_nat t) - 1)%nat with (N.to_nat t) by lia. exact Hup.
  Qed.

  Lemma start_at_row c t low top : (1 <= N.to_nat t)%nat ->
    let (pm, tl) := start prec c (sh_rho_odds sh) (t - 1) low top in at_row c t pm tl.
  Proof.
    intros Ht. pose proof (start_correct prec c (sh_rho_odds sh) rho Hrho (has_rho_odds D) (t - 1) low top) as [A B].
    destruct (start _ _ _ _ _ _) as [pm tl]. cbn [fst snd] in A, B.
    replace (N.to_nat (t - 1)) with (N.to_nat t - 1)%nat in * by lia.
    replace (S (N.to_nat t - 1)) with (N.to_nat t) in B by lia.
    repeat split; trivial.
  Qed.

  (* All others count: the stratum n. *)
  Theorem evaluate_one_correct win : encloses (evaluate_one win) (V (N.to_nat n)).
  Proof.
    unfold evaluate_one. destruct (N.leb_spec 1 (win_first win)) as [H|H]; [|apply anything_encloses].
    pose proof (start_at_row n (win_first win) (win_from win) (win_to win) ltac:(lia)) as A.
    destruct (start _ _ _ _ _ _) as [pm tl].
    apply (climb_correct 2 (height n)) in A. destruct (climb _ _ _ _ _ _) as [[t pm'] tl'].
    destruct A as (A1 & A2 & A3). now apply value_correct.
  Qed.

  Variable s : R.
  Hypothesis Hs : 0 < s < 1.
  Hypothesis Ho : encloses (sh_odds sh) (s / (1 - s)).
  Let size := N.to_nat n.
  Definition term (c : nat) : R := (bin s size c * V c)%R.

  Lemma rows_correct (z : R) fuel steps : forall c t pm tl w above acc j,
    (N.to_nat c <= size)%nat -> (steps <= N.to_nat c)%nat -> at_row c t pm tl ->
    encloses w (z * bin s size (N.to_nat c)) ->
    encloses above (z * sum (seq (S (N.to_nat c)) j) (bin s size)) ->
    encloses acc (z * sum (seq (S (N.to_nat c)) j) term) ->
    let '(w', above', acc') := rows fuel steps (height c) c t pm tl w above acc in
    let low := (N.to_nat c - steps)%nat in
    encloses w' (z * bin s size low) /\
    encloses above' (z * sum (seq (S low) (steps + j)) (bin s size)) /\
    encloses acc' (z * sum (seq low (S (steps + j))) term).
  Proof.
    induction steps as [|m IH]; intros c t pm tl w above acc j Hc Hm Hrow Hw Ha Hacc.
    all: assert (Hacc' : encloses (acc + w * value (height c) c t pm tl) (z * sum (seq (N.to_nat c) (S j)) term)).
    1,3: destruct Hrow as (R1 & R2 & R3);
      (eapply encloses_eq;
       [apply plus_encloses; [exact Hacc | apply times_encloses; [exact Hw | apply value_correct; trivial]]|]);
      cbn [seq]; cbn [sum]; unfold term at 2; ring.
    - cbn [rows]. rewrite Nat.sub_0_r. repeat split; trivial.
    - cbn [rows]. set (acc' := acc + w * value (height c) c t pm tl) in *.
      pose proof (move_correct (height (N.pred c)) c t pm tl ltac:(lia) Hrow) as M.
      destruct (move _ c t pm tl) as [[t1 pm1] tl1].
      pose proof (climb_correct fuel (height (N.pred c)) (N.pred c) t1 pm1 tl1 M) as C.
      destruct (climb _ _ _ _ _ _) as [[t2 pm2] tl2].
      assert (Hpred : N.to_nat (N.pred c) = (N.to_nat c - 1)%nat) by lia.
      assert (Hsub : N.to_nat (N.succ n - c) = (S size - N.to_nat c)%nat) by (unfold size; lia).
      assert (Hpos : (0 < INR (S size - N.to_nat c))%R) by (apply lt_0_INR; lia).
      assert (Po : 0 < s / (1 - s)) by (apply Rdiv_lt_0_compat; lra).
      specialize (IH (N.pred c) t2 pm2 tl2 (w * #c / (#(N.succ n - c) * sh_odds sh)) (above + w) acc' (S j)).
      rewrite Hpred in IH. replace (S (N.to_nat c - 1)) with (N.to_nat c) in IH by lia.
      replace (N.to_nat c - 1 - m)%nat with (N.to_nat c - S m)%nat in IH by lia.
      replace (m + S j)%nat with (S m + j)%nat in IH by lia.
      apply IH; clear IH; trivial; try lia.
      + rewrite bin_down by (trivial; lia).
        eapply encloses_eq.
        * apply over_encloses; [|apply times_encloses; [exact Hw | apply natural_encloses]
                                |apply times_encloses; [apply natural_encloses | exact Ho]].
          rewrite Hsub. apply Rgt_not_eq, Rmult_lt_0_compat; lra.
        * rewrite Hsub. field. repeat split; lra.
      + eapply encloses_eq; [apply plus_encloses; [exact Ha | exact Hw]|]. cbn [seq]. cbn [sum]. ring.
  Qed.

  (* What strata outside the window can add. *)
  Lemma outside (l : list nat) : 0 <= sum l term <= u * sum l (bin s size).
  Proof.
    rewrite <- sum_scal. split.
    - apply sum_nonneg. intros c _. apply Rmult_le_pos; [apply bin_nonneg; lra | apply V_bounds].
    - apply sum_le. intros c _. unfold term. rewrite Rmult_comm.
      apply Rmult_le_compat_r; [apply bin_nonneg; lra | apply V_bounds].
  Qed.

  (* The evaluator is right, whatever the hints. *)
  Theorem evaluate_correct win : encloses (evaluate win) (sum (seq 0 (S size)) term).
  Proof.
    unfold evaluate.
    destruct ((_ <=? _)%N && _ && _) eqn:E; [|apply anything_encloses].
    apply andb_true_iff in E as [E E3]. apply andb_true_iff in E as [E1 E2].
    apply N.leb_le in E1, E2, E3.
    set (top := win_top win) in *. set (low := win_low win) in *.
    assert (Htop : (N.to_nat top <= size)%nat) by (unfold size; lia).
    pose proof (start_at_row top (win_first win) (win_from win) (win_to win) ltac:(lia)) as A.
    destruct (start _ _ _ _ _ _) as [pm0 tl0].
    apply (climb_correct 2 (height top)) in A. destruct (climb _ _ _ _ _ _) as [[t pm] tl].
    pose proof (factor_positive n s Hs top Htop) as Hz. pose proof (one_encloses prec n s Hs top Htop) as H1.
    set (z := factor n s top) in *. fold size in H1.
    assert (Hz' : (0 <= z)%R) by now apply Rlt_le.
    pose proof (rows_correct z (win_climb win) (N.to_nat (top - low)) top t pm tl #1 zero zero 0
      Htop ltac:(lia) A H1) as W.
    destruct (rows _ _ _ _ _ _ _ _ _ _) as [[w above] acc].
    assert (Z : encloses zero (z * sum (seq (S (N.to_nat top)) 0) (bin s size))).
    { eapply encloses_eq; [apply zero_encloses|]. cbn. ring. }
    specialize (W Z Z). cbv zeta in W. destruct W as (Hw & Ha & Hacc).
    replace (N.to_nat top - N.to_nat (top - low))%nat with (N.to_nat low) in * by lia.
    replace (N.to_nat (top - low) + 0)%nat with (N.to_nat top - N.to_nat low)%nat in * by lia.
    pose proof (beyond_top_correct prec n _ s Hs Ho z top #1 Hz' Htop H1) as B1.
    pose proof (beyond_low_correct prec n _ s Hs Ho z low w Hz' ltac:(unfold size in *; lia) Hw) as B2.
    fold size in B1, B2.
    pose proof (plus_encloses prec _ _ _ _ B1 B2) as B.
    pose proof (bin_parts s size (N.to_nat low) (N.to_nat top) ltac:(lia)) as P.
    replace (S (N.to_nat top) - N.to_nat low)%nat with (S (N.to_nat top - N.to_nat low)) in P by lia.
    assert (T : encloses (above + w + (beyond_top prec n (sh_odds sh) top #1 + beyond_low prec n (sh_odds sh) low w)) z).
    { eapply encloses_eq; [apply plus_encloses; [apply plus_encloses; [exact Ha | exact Hw] | exact B]|].
      cbn [seq] in P. cbn [sum] in P. rewrite <- !Rmult_plus_distr_l.
      transitivity (z * 1)%R; [apply f_equal; lra | ring]. }
    (* the strata below, in and above the window *)
    assert (Split : sum (seq 0 (S size)) term =
      (sum (seq (N.to_nat low) (S (N.to_nat top - N.to_nat low))) term +
       (sum (seq 0 (N.to_nat low)) term + sum (seq (S (N.to_nat top)) (S size - S (N.to_nat top))) term))%R).
    { replace (S size) with (N.to_nat low + (S (N.to_nat top - N.to_nat low) + (S size - S (N.to_nat top))))%nat at 1 by lia.
      rewrite !sum_seq_split.
      replace (0 + N.to_nat low)%nat with (N.to_nat low) by lia.
      replace (N.to_nat low + S (N.to_nat top - N.to_nat low))%nat with (S (N.to_nat top)) by lia. ring. }
    pose proof (outside (seq 0 (N.to_nat low))) as O1.
    pose proof (outside (seq (S (N.to_nat top)) (S size - S (N.to_nat top)))) as O2.
    fold (head s size (N.to_nat low)) in O1. fold (tail s size (S (N.to_nat top))) in O2.
    rewrite Split. set (out := (sum (seq 0 (N.to_nat low)) term + _)%R).
    assert (Hout : encloses (between zero (sh_u sh * (beyond_top prec n (sh_odds sh) top #1 + beyond_low prec n (sh_odds sh) low w)))
                            (z * out)).
    { eapply between_encloses; [apply zero_encloses | apply times_encloses; [apply (has_u D) | exact B]|].
      assert (0 <= out) by (unfold out; lra).
      assert (out <= u * (tail s size (S (N.to_nat top)) + head s size (N.to_nat low))) by (unfold out; lra).
      split; [now apply Rmult_le_pos|]. rewrite <- Rmult_plus_distr_l.
      eapply Rle_trans; [apply Rmult_le_compat_l; [exact Hz' | eassumption]|]. right. ring. }
    eapply encloses_eq.
    - apply over_encloses; [|apply plus_encloses; [exact Hacc | exact Hout] | exact T]. lra.
    - field. lra.
  Qed.
End Evaluate.
