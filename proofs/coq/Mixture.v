(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Certificates of krr-weak (../certificates.md) by the strata of
 * ../trinomial-pair.md, Lemma 5. Of N others, c ~ Bin(N, 2 gamma/k) land on one of
 * the two values at random and r ~ Bin(N-c, rest) of the others answer at random
 * elsewhere. For a given c the threshold t falls with r, and while it stays the same
 * the value is linear in r: a block of such r needs the sum of their weights and that
 * of r times their weights. As in Evaluate.v hints are never trusted. With k = 2
 * nobody answers elsewhere, and the check of Certificate.v does.
 *)
From Coq Require Import Reals List ZArith NArith QArith Qreals Lra Lia Arith Bool.
From Shufbound Require Import Sum Hockey Trinomial Binomial Strata KrrPairs Enclosures Walk Evaluate Certificate.
Import ListNotations.
Open Scope R_scope.

(* ---- One stratum ---- *)

(* V_t is below the value by no more than the sign change is above t allows; exact if it is not. *)
Lemma stratum_near u v rho c K t : 0 < rho < 1 -> (1 <= t <= S c)%nat -> 0 < u / rho - v / (1 - rho) ->
  (u / rho - v / (1 - rho)) * INR (t - 1) <= INR (S c) * (K - v / (1 - rho)) ->
  from u v rho c K t <= stratum u v rho c K <=
  from u v rho c K t + pos (INR (S c) * (K - v / (1 - rho)) - (u / rho - v / (1 - rho)) * INR t) / INR (S c)
    * (rho * bin rho c (t - 1) + tail rho c t).
Proof.
  intros Hr Ht Hd L. pose proof (INR_pos c) as P. split; [apply stratum_any; trivial; lia|].
  set (e := INR (S c) * (K - v / (1 - rho)) - (u / rho - v / (1 - rho)) * INR t).
  rewrite Rplus_comm, (Rplus_comm (rho * _)), <- tail_row, from_event by (trivial; lia). unfold stratum, tail.
  rewrite (sum_seq_cut _ t (S (S c))) by lia. rewrite (sum_null (seq 0 t)), Rplus_0_l.
  - rewrite <- sum_scal, <- sum_plus. apply sum_le. intros a Ha. apply in_seq in Ha.
    assert (E : K - mean u v rho (S c) a <= pos e / INR (S c)).
    { apply (Rmult_le_reg_r (INR (S c))); trivial. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      apply Rle_trans with e; [|apply pos_ge]. rewrite mean_affine by (trivial; lia). unfold e.
      assert ((u / rho - v / (1 - rho)) * INR t <= (u / rho - v / (1 - rho)) * INR a) by (apply Rmult_le_compat_l; [lra | apply le_INR; lia]).
      replace ((K - ((u / rho - v / (1 - rho)) * INR a / INR (S c) + v / (1 - rho))) * INR (S c))
        with (INR (S c) * (K - v / (1 - rho)) - (u / rho - v / (1 - rho)) * INR a) by (field; lra). lra. }
    assert (0 <= bin rho (S c) a) by (apply bin_nonneg; lra).
    rewrite (Rmult_comm (pos e / _)), <- Rmult_plus_distr_l. apply Rmult_le_compat_l; trivial.
    assert (0 <= pos e / INR (S c)) by (apply Rmult_le_pos; [apply pos_nonneg | left; now apply Rinv_0_lt_compat]).
    apply pos_lub; lra.
  - intros a Ha. apply in_seq in Ha. rewrite pos_zero; [ring|].
    enough (mean u v rho (S c) a <= K) by lra. apply mean_le; trivial; try lia.
    eapply Rle_trans; [|exact L]. apply Rmult_le_compat_l; [lra | apply le_INR; lia].
Qed.

(* The mean of values in [0, 1] over Bin(n,s). *)
Section Weighted.
  Variable prec : precision.
  Notation "i + j" := (plus prec i j).
  Notation "i * j" := (times prec i j).
  Notation "i / j" := (over prec i j).
  Notation "# n" := (natural prec n) (at level 1).
  Variable n : N.
  Variable o : interval. (* s/(1-s) *)
  Context {hint : Type}.
  Variable f : N -> hint -> interval.

  (* From c down, one hint each: the last weight, the weights above it, the weighted values. *)
  Fixpoint mix (hints : list hint) (c : N) (w above acc : interval) : interval * interval * interval :=
    match hints with
    | [] => (w, above, acc)
    | h :: rest =>
      let acc' := acc + w * f c h in
      match rest with
      | [] => (w, above, acc')
      | _ => mix rest (N.pred c) (w * #c / (#(N.succ n - c) * o)) (above + w) acc'
      end
    end.

  Definition weighted (top : N) (hints : list hint) : interval :=
    if (N.leb top n && negb (Nat.eqb (length hints) 0) && Nat.leb (length hints) (S (N.to_nat top)))%bool then
      let '(w, above, acc) := mix hints top #1 zero zero in
      let low := (top - N.of_nat (pred (length hints)))%N in
      let more := beyond_top prec n o top #1 + beyond_low prec n o low w in
      (acc + between zero more) / (above + w + more)
    else anything.

  Variable s : R.
  Hypothesis Hs : 0 < s < 1.
  Hypothesis Ho : encloses o (s / (1 - s)).
  Let size := N.to_nat n.
  Variable F : nat -> R.
  Hypothesis HF : forall c, 0 <= F c <= 1.
  Hypothesis Hf : forall c h, encloses (f c h) (F (N.to_nat c)).
  Let weigh (c : nat) : R := (bin s size c * F c)%R.

  Lemma mix_correct (z : R) hints : forall c w above acc j, hints <> [] ->
    (N.to_nat c <= size)%nat -> (length hints <= S (N.to_nat c))%nat ->
    encloses w (z * bin s size (N.to_nat c)) ->
    encloses above (z * sum (seq (S (N.to_nat c)) j) (bin s size)) ->
    encloses acc (z * sum (seq (S (N.to_nat c)) j) weigh) ->
    let '(w', above', acc') := mix hints c w above acc in
    let steps := pred (length hints) in
    let low := (N.to_nat c - steps)%nat in
    encloses w' (z * bin s size low) /\
    encloses above' (z * sum (seq (S low) (steps + j)) (bin s size)) /\
    encloses acc' (z * sum (seq low (S (steps + j))) weigh).
  Proof.
    induction hints as [|h rest IH]; intros c w above acc j Hne Hc Hm Hw Ha Hacc; [congruence|].
    assert (Hacc' : encloses (acc + w * f c h) (z * sum (seq (N.to_nat c) (S j)) weigh)).
    { eapply encloses_eq; [apply plus_encloses; [exact Hacc | apply times_encloses; [exact Hw | apply Hf]]|].
      cbn [seq]. cbn [sum]. unfold weigh at 2. ring. }
    destruct rest as [|h' rest'].
    - cbn [mix length pred]. cbv zeta. rewrite Nat.sub_0_r. repeat split; trivial.
    - cbn [length pred] in *.
      change (mix (h :: h' :: rest') c w above acc)
        with (mix (h' :: rest') (N.pred c) (w * #c / (#(N.succ n - c) * o)) (above + w) (acc + w * f c h)).
      assert (Hpred : N.to_nat (N.pred c) = (N.to_nat c - 1)%nat) by lia.
      assert (Hsub : N.to_nat (N.succ n - c) = (S size - N.to_nat c)%nat) by (unfold size; lia).
      assert (Hpos : (0 < INR (S size - N.to_nat c))%R) by (apply lt_0_INR; lia).
      assert (Po : 0 < s / (1 - s)) by (apply Rdiv_lt_0_compat; lra).
      specialize (IH (N.pred c) (w * #c / (#(N.succ n - c) * o)) (above + w) (acc + w * f c h) (S j)).
      rewrite Hpred in IH. replace (S (N.to_nat c - 1)) with (N.to_nat c) in IH by lia.
      cbv zeta in IH |- *. cbn [length pred] in IH.
      replace (N.to_nat c - 1 - length rest')%nat with (N.to_nat c - S (length rest'))%nat in IH by lia.
      replace (length rest' + S j)%nat with (S (length rest') + j)%nat in IH by lia.
      apply IH; clear IH; trivial; try lia; try congruence.
      + rewrite bin_down by (trivial; lia).
        eapply encloses_eq.
        * apply over_encloses; [|apply times_encloses; [exact Hw | apply natural_encloses]
                                |apply times_encloses; [apply natural_encloses | exact Ho]].
          rewrite Hsub. apply Rgt_not_eq, Rmult_lt_0_compat; lra.
        * rewrite Hsub. field. repeat split; lra.
      + eapply encloses_eq; [apply plus_encloses; [exact Ha | exact Hw]|]. cbn [seq]. cbn [sum]. ring.
  Qed.

  Lemma outside_weighed (l : list nat) : 0 <= sum l weigh <= sum l (bin s size).
  Proof.
    split.
    - apply sum_nonneg. intros c _. apply Rmult_le_pos; [apply bin_nonneg; lra | apply HF].
    - apply sum_le. intros c _. unfold weigh. rewrite <- (Rmult_1_r (bin s size c)) at 2.
      apply Rmult_le_compat_l; [apply bin_nonneg; lra | apply HF].
  Qed.

  (* From the sums over a window to the whole: what is beyond it has bounds, and all the weights add up to 1. *)
  Lemma whole_correct (z : R) top low w all acc : 0 < z -> (N.to_nat low <= N.to_nat top)%nat -> (N.to_nat top <= size)%nat ->
    encloses #1 (z * bin s size (N.to_nat top)) -> encloses w (z * bin s size (N.to_nat low)) ->
    encloses all (z * sum (seq (N.to_nat low) (S (N.to_nat top) - N.to_nat low)) (bin s size)) ->
    encloses acc (z * sum (seq (N.to_nat low) (S (N.to_nat top) - N.to_nat low)) weigh) ->
    let more := beyond_top prec n o top #1 + beyond_low prec n o low w in
    encloses ((acc + between zero more) / (all + more)) (sum (seq 0 (S size)) weigh).
  Proof.
    intros Hz Hl Htop H1 Hw Ha Hacc. cbv zeta.
    assert (Hz' : (0 <= z)%R) by now apply Rlt_le.
    pose proof (beyond_top_correct prec n o s Hs Ho z top #1 Hz' Htop H1) as B1.
    pose proof (beyond_low_correct prec n o s Hs Ho z low w Hz' ltac:(fold size; lia) Hw) as B2.
    fold size in B1, B2.
    pose proof (plus_encloses prec _ _ _ _ B1 B2) as B.
    pose proof (bin_parts s size (N.to_nat low) (N.to_nat top) ltac:(lia)) as P.
    assert (T : encloses (all + (beyond_top prec n o top #1 + beyond_low prec n o low w)) z).
    { eapply encloses_eq; [apply plus_encloses; [exact Ha | exact B]|].
      rewrite <- !Rmult_plus_distr_l. transitivity (z * 1)%R; [apply f_equal; lra | ring]. }
    assert (Split : sum (seq 0 (S size)) weigh =
      (sum (seq (N.to_nat low) (S (N.to_nat top) - N.to_nat low)) weigh +
       (sum (seq 0 (N.to_nat low)) weigh + sum (seq (S (N.to_nat top)) (S size - S (N.to_nat top))) weigh))%R).
    { replace (S size) with (N.to_nat low + (S (N.to_nat top) - N.to_nat low + (S size - S (N.to_nat top))))%nat at 1 by lia.
      rewrite !sum_seq_split.
      replace (0 + N.to_nat low)%nat with (N.to_nat low) by lia.
      replace (N.to_nat low + (S (N.to_nat top) - N.to_nat low))%nat with (S (N.to_nat top)) by lia. ring. }
    pose proof (outside_weighed (seq 0 (N.to_nat low))) as O1.
    pose proof (outside_weighed (seq (S (N.to_nat top)) (S size - S (N.to_nat top)))) as O2.
    fold (head s size (N.to_nat low)) in O1. fold (tail s size (S (N.to_nat top))) in O2.
    rewrite Split. set (out := (sum (seq 0 (N.to_nat low)) weigh + _)%R).
    assert (Hout : encloses (between zero (beyond_top prec n o top #1 + beyond_low prec n o low w)) (z * out)).
    { eapply between_encloses; [apply zero_encloses | exact B|].
      assert (0 <= out) by (unfold out; lra).
      assert (out <= tail s size (S (N.to_nat top)) + head s size (N.to_nat low)) by (unfold out; lra).
      split; [now apply Rmult_le_pos|]. rewrite <- Rmult_plus_distr_l.
      apply Rmult_le_compat_l; [exact Hz' | assumption]. }
    eapply encloses_eq.
    - apply over_encloses; [|apply plus_encloses; [exact Hacc | exact Hout] | exact T]. lra.
    - field. lra.
  Qed.

  Theorem weighted_correct top hints : encloses (weighted top hints) (sum (seq 0 (S size)) weigh).
  Proof.
    unfold weighted.
    destruct ((top <=? n)%N && _ && _) eqn:E; [|apply anything_encloses].
    apply andb_true_iff in E as [E E3]. apply andb_true_iff in E as [E1 E2].
    apply N.leb_le in E1. apply negb_true_iff, Nat.eqb_neq in E2. apply Nat.leb_le in E3.
    assert (Htop : (N.to_nat top <= size)%nat) by (unfold size; lia).
    pose proof (factor_positive n s Hs top Htop) as Hz. pose proof (one_encloses prec n s Hs top Htop) as H1.
    set (z := factor n s top) in *. fold size in H1.
    pose proof (mix_correct z hints top #1 zero zero 0) as W.
    destruct (mix hints top #1 zero zero) as [[w above] acc].
    assert (Z : forall g, encloses zero (z * sum (seq (S (N.to_nat top)) 0) g)).
    { intros g. eapply encloses_eq; [apply zero_encloses|]. cbn. ring. }
    specialize (W ltac:(intros ->; now apply E2) Htop E3 H1 (Z _) (Z _)). cbv zeta in W. destruct W as (Hw & Ha & Hacc).
    set (steps := pred (length hints)) in *.
    set (low := (top - N.of_nat steps)%N).
    assert (El : N.to_nat low = (N.to_nat top - steps)%nat) by (unfold low; lia).
    rewrite <- El in Hw, Ha, Hacc.
    assert (Es : (S (N.to_nat top) - N.to_nat low)%nat = S (steps + 0)) by (unfold steps in *; lia).
    apply (whole_correct z); trivial; [lia | |]; rewrite Es; [|exact Hacc].
    eapply encloses_eq; [apply plus_encloses; [exact Ha | exact Hw]|]. cbn [seq]. cbn [sum]. ring.
  Qed.
End Weighted.

(* Hints for one c. *)
Record row_hint := Row {
  row_top : N;        (* r from there down, *)
  row_first : N;      (* with this threshold; c+2: nothing is positive *)
  row_from : N;       (* a window of Bin(c,1/2) around it, *)
  row_to : N;         (* which starts the recurrence *)
  row_blocks : list N (* one threshold for so many r and one more, the next lower one for ... *)
}.

Lemma sum_seq_end a n f : sum (seq a (S n)) f = sum (seq a n) f + f (a + n)%nat.
Proof. replace (S n) with (n + 1)%nat by lia. rewrite sum_seq_split. cbn [seq]. cbn [sum]. lra. Qed.

Fixpoint places (bs : list N) : N :=
  match bs with
  | [] => 0
  | b :: rest => N.succ b + places rest
  end.

Section Rows.
  Variable prec : precision.
  Notation "i + j" := (plus prec i j).
  Notation "i - j" := (minus prec i j).
  Notation "i * j" := (times prec i j).
  Notation "i / j" := (over prec i j).
  Notation "# n" := (natural prec n) (at level 1).
  Variable sh : shape.
  Variable kap : interval. (* kappa *)
  Variables c M : N.       (* the stratum, and the others: N - c *)
  Variable o : interval.   (* odds of the rest *)

  (* The slope times the place of the sign change, as in Evaluate.v. *)
  Definition row_height (r : N) : interval := #(N.succ c) * sh_rise sh + kap * #r.

  (* The value at t-1 and the tail at t of Bin(c,rho), from t to t-1. *)
  Definition lower (t : N) (pm tl : interval) : interval * interval :=
    if N.ltb (N.succ c) t then (pm, tl)
    else if N.ltb t 2 then (anything, anything)
    else (pm * #(t - 1) / (#(c + 2 - t) * sh_rho_odds sh), tl + pm).

  (* The weighted values of r', ..., r, whose weights are s0 in all, and s1 times r. Where the sign
     change may be above t (it may be just there) V_t is too little, by no more than stratum_near says. *)
  Definition block (r r' t : N) (pm tl s0 s1 : interval) : interval :=
    let x := sh_slope sh * #(t - 1) in
    if is_nonneg (row_height r' - x) then
      if N.ltb (N.succ c) t then zero
      else
        let gap := x + sh_slope sh - row_height r in
        let mass := sh_rho sh * pm + tl in
        let here := (sh_u sh * pm + sh_uv sh * tl) * s0 - kap / #(N.succ c) * mass * s1 in
        if is_nonneg gap then here else here + between zero ((zero - gap) / #(N.succ c) * mass * s0)
    else between zero (sh_u sh * s0).

  (* The weight one below r, from r times the weight. *)
  Definition next (r : N) (rw : interval) : interval := rw / (#(N.succ M - r) * o).

  Fixpoint run (steps : nat) (r : N) (w s0 s1 : interval) : interval * interval * interval :=
    let rw := w * #r in
    match steps with
    | O => (w, s0 + w, s1 + rw)
    | S m => run m (N.pred r) (next r rw) (s0 + w) (s1 + rw)
    end.

  Fixpoint blocks (bs : list N) (r t : N) (pm tl w total acc : interval) : N * interval * interval * interval :=
    match bs with
    | [] => (r, w, total, acc)
    | b :: rest =>
      let '(w', s0, s1) := run (N.to_nat b) r w zero zero in
      let r' := (r - b)%N in
      let total' := total + s0 in
      let acc' := acc + block r r' t pm tl s0 s1 in
      match rest with
      | [] => (r', w', total', acc')
      | _ =>
        let (pm', tl') := lower t pm tl in
        blocks rest (N.pred r') (N.max 1 (N.pred t)) pm' tl' (next r' (w' * #r')) total' acc'
      end
    end.

  (* The mean over all r. *)
  Definition row (h : row_hint) : interval :=
    let t := row_first h in
    let top := row_top h in
    if (N.leb 1 t && N.leb top M && N.leb (places (row_blocks h)) (N.succ top) && negb (Nat.eqb (length (row_blocks h)) 0))%bool then
      let (pm, tl) := start prec c (sh_rho_odds sh) (N.min t (N.succ c) - 1) (row_from h) (row_to h) in
      let '(low, w, total, acc) := blocks (row_blocks h) top t pm tl #1 zero zero in
      let more := beyond_top prec M o top #1 + beyond_low prec M o low w in
      (acc + between zero more) / (total + more)
    else anything.

  (* Soundness. *)
  Variables u v rho kappa q : R.
  Hypothesis Hrho : 0 < rho < 1.
  Hypothesis Hu : 0 <= u <= 1.
  Hypothesis Hv : v <= 0.
  Hypothesis Hkappa : 0 <= kappa.
  Hypothesis Hslope : 0 < slope u v rho.
  Hypothesis Hkap : encloses kap kappa.
  Hypothesis D : describes sh u v rho kappa.
  Hypothesis Hq : 0 < q < 1.
  Hypothesis Ho : encloses o (q / (1 - q)).
  Let C := N.to_nat c.
  Let size := N.to_nat M.
  Definition row_V (r : nat) : R := stratum u v rho C (kappa * (INR r / INR (S C)))%R.
  Let V := row_V.
  Let b := bin q size.
  Let sl := slope u v rho.
  Let H (r : nat) : R := (INR (S C) * (kappa * (INR r / INR (S C)) - v / (1 - rho)))%R.

  Lemma C_pos : 0 < INR (S C).
  Proof. apply lt_0_INR. lia. Qed.

  Lemma b_nonneg i : 0 <= b i.
  Proof. apply bin_nonneg. lra. Qed.

  Lemma row_V_bounds r : 0 <= V r <= u.
  Proof.
    apply stratum_u; trivial; try lra. pose proof C_pos. apply Rmult_le_pos; trivial.
    apply Rmult_le_pos; [apply pos_INR|]. left. now apply Rinv_0_lt_compat.
  Qed.

  Lemma H_linear r : H r = (INR (S C) * (- v / (1 - rho)) + kappa * INR r)%R.
  Proof. pose proof C_pos. unfold H. field. split; lra. Qed.

  Lemma H_le r r' : (r <= r')%nat -> H r <= H r'.
  Proof.
    intros L. rewrite !H_linear. apply le_INR in L. apply Rplus_le_compat_l. now apply Rmult_le_compat_l.
  Qed.

  Lemma row_height_encloses r : encloses (row_height r) (H (N.to_nat r)).
  Proof.
    rewrite H_linear. unfold C. rewrite <- N2Nat.inj_succ.
    apply plus_encloses; apply times_encloses; try apply natural_encloses; trivial. apply (has_rise _ _ _ _ _ D).
  Qed.

  (* What pm and tl enclose at threshold t. *)
  Definition state (t : N) (pm tl : interval) : Prop :=
    (1 <= t)%N /\
    encloses pm (bin rho C (Nat.min (N.to_nat t) (S C) - 1)) /\
    encloses tl (tail rho C (Nat.min (N.to_nat t) (S C))).

  Lemma lower_correct t pm tl : state t pm tl ->
    let (pm', tl') := lower t pm tl in state (N.max 1 (N.pred t)) pm' tl'.
  Proof.
    intros (Ht & Hp & Htl). unfold lower.
    destruct (N.ltb_spec (N.succ c) t) as [L|L].
    { split; [lia|]. replace (Nat.min (N.to_nat (N.max 1 (N.pred t))) (S C)) with (Nat.min (N.to_nat t) (S C)) by (unfold C; lia).
      now split. }
    destruct (N.ltb_spec t 2) as [L2|L2]; [split; [lia|]; split; apply anything_encloses|].
    replace (Nat.min (N.to_nat t) (S C)) with (N.to_nat t) in Hp, Htl by (unfold C; lia).
    split; [lia|].
    replace (Nat.min (N.to_nat (N.max 1 (N.pred t))) (S C)) with (N.to_nat t - 1)%nat by (unfold C; lia).
    pose proof (bin_down rho C (N.to_nat t - 1) Hrho ltac:(unfold C; lia)) as B.
    assert (0 < rho / (1 - rho)) by (apply Rdiv_lt_0_compat; lra).
    assert (P : (0 < INR (S C - (N.to_nat t - 1)))%R) by (apply lt_0_INR; unfold C; lia).
    split.
    - rewrite B. replace (S C - (N.to_nat t - 1))%nat with (N.to_nat (c + 2 - t)) in * by (unfold C; lia).
      replace (N.to_nat t - 1)%nat with (N.to_nat (t - 1)) in * by lia.
      apply over_encloses; [apply Rgt_not_eq, Rmult_lt_0_compat; trivial | |]; apply times_encloses; trivial;
        try apply natural_encloses. apply (has_rho_odds _ _ _ _ _ D).
    - rewrite (tail_step rho C (N.to_nat t - 1)). replace (S (N.to_nat t - 1)) with (N.to_nat t) by lia.
      eapply encloses_eq; [apply plus_encloses; [exact Htl | exact Hp]|]. apply Rplus_comm.
  Qed.

  Lemma times_place z r w : encloses w (z * b (N.to_nat r)) -> encloses (w * #r) (z * (b (N.to_nat r) * INR (N.to_nat r))).
  Proof. intros Hw. eapply encloses_eq; [apply times_encloses; [exact Hw | apply natural_encloses] | ring]. Qed.

  Lemma next_correct z r rw : (1 <= N.to_nat r <= size)%nat -> encloses rw (z * (b (N.to_nat r) * INR (N.to_nat r))) ->
    encloses (next r rw) (z * b (N.to_nat (N.pred r))).
  Proof.
    intros Hr Hw. replace (N.to_nat (N.pred r)) with (N.to_nat r - 1)%nat by lia.
    assert (Hsub : N.to_nat (N.succ M - r) = (S size - N.to_nat r)%nat) by (unfold size; lia).
    assert (Hpos : (0 < INR (S size - N.to_nat r))%R) by (apply lt_0_INR; lia).
    assert (Po : 0 < q / (1 - q)) by (apply Rdiv_lt_0_compat; lra).
    unfold b at 1. rewrite bin_down by (trivial; lia). fold b.
    eapply encloses_eq.
    - apply over_encloses; [|exact Hw | apply times_encloses; [apply natural_encloses | exact Ho]].
      rewrite Hsub. apply Rgt_not_eq, Rmult_lt_0_compat; lra.
    - rewrite Hsub. unfold b. field. repeat split; lra.
  Qed.

  Lemma run_correct z steps : forall r w s0 s1 x0 x1, (N.to_nat r <= size)%nat -> (steps <= N.to_nat r)%nat ->
    encloses w (z * b (N.to_nat r)) -> encloses s0 (z * x0) -> encloses s1 (z * x1) ->
    let '(w', s0', s1') := run steps r w s0 s1 in
    let low := (N.to_nat r - steps)%nat in
    encloses w' (z * b low) /\
    encloses s0' (z * (x0 + sum (seq low (S steps)) b)) /\
    encloses s1' (z * (x1 + sum (seq low (S steps)) (fun i => b i * INR i)%R)).
  Proof.
    induction steps as [|m IH]; intros r w s0 s1 x0 x1 Hr Hs Hw H0 H1; cbn [run].
    all: assert (H0' : encloses (s0 + w) (z * (x0 + b (N.to_nat r))))
      by (eapply encloses_eq; [apply plus_encloses; [exact H0 | exact Hw] | ring]).
    all: pose proof (times_place z r w Hw) as Hrw.
    all: assert (H1' : encloses (s1 + w * #r) (z * (x1 + b (N.to_nat r) * INR (N.to_nat r))))
      by (eapply encloses_eq; [apply plus_encloses; [exact H1 | exact Hrw] | ring]).
    - cbv zeta. rewrite Nat.sub_0_r. cbn [seq]. cbn [sum]. rewrite !Rplus_0_r. now repeat split.
    - specialize (IH (N.pred r) (next r (w * #r)) _ _ _ _ ltac:(lia) ltac:(lia) (next_correct z r _ ltac:(lia) Hrw) H0' H1').
      destruct (run m _ _ _ _) as [[w' s0'] s1']. cbv zeta in *.
      replace (N.to_nat (N.pred r) - m)%nat with (N.to_nat r - S m)%nat in IH by lia.
      destruct IH as (A & B & E). split; [exact A|].
      rewrite !(sum_seq_end _ (S m)). replace (N.to_nat r - S m + S m)%nat with (N.to_nat r) by lia.
      split; [eapply encloses_eq; [exact B | ring] | eapply encloses_eq; [exact E | ring]].
  Qed.

  Lemma block_correct z r r' t pm tl s0 s1 : (0 <= z)%R -> (N.to_nat r' <= N.to_nat r)%nat -> state t pm tl ->
    let l := seq (N.to_nat r') (S (N.to_nat r - N.to_nat r')) in
    encloses s0 (z * sum l b) -> encloses s1 (z * sum l (fun i => b i * INR i)%R) ->
    encloses (block r r' t pm tl s0 s1) (z * sum l (fun i => b i * V i)%R).
  Proof.
    intros Hz Hr (Ht & Hp & Htl) l H0 H1. pose proof C_pos as PC.
    assert (Wide : encloses (between zero (sh_u sh * s0)) (z * sum l (fun i => b i * V i)%R)).
    { eapply between_encloses; [apply zero_encloses | apply times_encloses; [apply (has_u _ _ _ _ _ D) | exact H0]|].
      split.
      - apply Rmult_le_pos; trivial. apply sum_nonneg. intros i _. apply Rmult_le_pos; [apply b_nonneg | apply row_V_bounds].
      - replace (u * (z * sum l b))%R with (z * (u * sum l b))%R by ring. apply Rmult_le_compat_l; trivial.
        rewrite <- sum_scal. apply sum_le. intros i _. rewrite Rmult_comm.
        apply Rmult_le_compat_r; [apply b_nonneg | apply row_V_bounds]. }
    unfold block. cbv zeta.
    assert (Hx : encloses (sh_slope sh * #(t - 1)) (sl * INR (N.to_nat t - 1))).
    { replace (N.to_nat t - 1)%nat with (N.to_nat (t - 1)) by lia.
      apply times_encloses; [apply (has_slope _ _ _ _ _ D) | apply natural_encloses]. }
    destruct (is_nonneg (row_height r' - _)) eqn:E1; [|exact Wide].
    apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ (row_height_encloses r') Hx)) in E1.
    assert (In_l : forall i, In i l -> (N.to_nat r' <= i <= N.to_nat r)%nat) by (intros i Hi; apply in_seq in Hi; lia).
    destruct (N.ltb_spec (N.succ c) t) as [L|L].
    { eapply encloses_eq; [apply zero_encloses|]. symmetry. rewrite sum_null; [ring|]. intros i Hi.
      unfold V, row_V. rewrite stratum_none; [ring | trivial | exact Hslope|].
      pose proof (H_le _ _ (proj1 (In_l i Hi))) as HH.
      assert (INR (S C) <= INR (N.to_nat t - 1)) by (apply le_INR; unfold C; lia).
      assert (sl * INR (S C) <= H i) by (pose proof (Rmult_le_compat_l sl _ _ (Rlt_le _ _ Hslope) H2); lra).
      assert (sl <= kappa * (INR i / INR (S C)) - v / (1 - rho)).
      { apply (Rmult_le_reg_l (INR (S C))); trivial. unfold H in H3. lra. }
      unfold sl, slope in *. lra. }
    assert (Gap : encloses (sh_slope sh * #(t - 1) + sh_slope sh - row_height r) (sl * INR (N.to_nat t) - H (N.to_nat r))).
    { eapply encloses_eq; [apply minus_encloses; [apply plus_encloses; [exact Hx | apply (has_slope _ _ _ _ _ D)] | apply row_height_encloses]|].
      rewrite (pred_INR (N.to_nat t)) by lia. fold sl. ring. }
    set (gap := sh_slope sh * #(t - 1) + sh_slope sh - row_height r) in *.
    replace (Nat.min (N.to_nat t) (S C)) with (N.to_nat t) in Hp, Htl by (unfold C; lia).
    set (p := bin rho C (N.to_nat t - 1)) in *. set (T := tail rho C (N.to_nat t)) in *.
    set (e := (H (N.to_nat r) - sl * INR (N.to_nat t))%R).
    set (F := fun i => ((u * p + (u + v) * T) * b i - kappa / INR (S C) * (rho * p + T) * (b i * INR i))%R).
    assert (Mass : encloses (sh_rho sh * pm + tl) (rho * p + T)).
    { apply plus_encloses; [apply times_encloses; [apply (has_rho _ _ _ _ _ D) | exact Hp] | exact Htl]. }
    assert (Pm : (0 <= rho * p + T)%R).
    { apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [lra | apply bin_nonneg; lra] | apply tail_nonneg; lra]. }
    (* every value is that of t and a little *)
    assert (Each : forall i, In i l -> F i <= b i * V i <= F i + pos e / INR (S C) * (rho * p + T) * b i).
    { intros i Hi. pose proof (H_le _ _ (proj1 (In_l i Hi))). pose proof (H_le _ _ (proj2 (In_l i Hi))).
      pose proof (b_nonneg i) as Bi.
      destruct (stratum_near u v rho C (kappa * (INR i / INR (S C))) (N.to_nat t) Hrho ltac:(unfold C; lia) Hslope) as [Lo Up].
      { fold (slope u v rho) sl (H i). lra. }
      fold (slope u v rho) sl (H i) p T (V i) in Lo, Up.
      replace (F i) with (b i * from u v rho C (kappa * (INR i / INR (S C))) (N.to_nat t))%R
        by (unfold F, from; fold p T; field; lra).
      split; [now apply Rmult_le_compat_l|].
      replace (pos e / INR (S C) * (rho * p + T) * b i)%R with (b i * (pos e / INR (S C) * (rho * p + T)))%R by ring.
      rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; trivial. eapply Rle_trans; [exact Up|].
      apply Rplus_le_compat_l, Rmult_le_compat_r; trivial. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
      apply pos_le. unfold e. lra. }
    assert (Here : encloses ((sh_u sh * pm + sh_uv sh * tl) * s0 - kap / #(N.succ c) * (sh_rho sh * pm + tl) * s1) (z * sum l F)).
    { unfold F. rewrite sum_minus, !sum_scal. eapply encloses_eq.
      - apply minus_encloses.
        + apply times_encloses; [|exact H0]. apply plus_encloses; apply times_encloses;
            [apply (has_u _ _ _ _ _ D) | exact Hp | apply (has_uv _ _ _ _ _ D) | exact Htl].
        + apply times_encloses; [|exact H1]. apply times_encloses; [|exact Mass].
          apply over_encloses; [|exact Hkap | apply natural_encloses]. rewrite N2Nat.inj_succ. fold C. lra.
      - rewrite N2Nat.inj_succ. fold C. ring. }
    set (d := (z * sum l (fun i => b i * V i) - z * sum l F)%R).
    assert (Little : 0 <= d <= pos e / INR (S C) * (rho * p + T) * (z * sum l b)).
    { unfold d. rewrite <- Rmult_minus_distr_l, <- sum_minus. split.
      - apply Rmult_le_pos; trivial. apply sum_nonneg. intros i Hi. pose proof (Each i Hi). lra.
      - replace (pos e / INR (S C) * (rho * p + T) * (z * sum l b))%R
          with (z * sum l (fun i => pos e / INR (S C) * (rho * p + T) * b i))%R by (rewrite sum_scal; ring).
        apply Rmult_le_compat_l; trivial. apply sum_le. intros i Hi. pose proof (Each i Hi). lra. }
    destruct (is_nonneg gap) eqn:E2.
    - apply (is_nonneg_true _ _ Gap) in E2. rewrite pos_zero in Little by (unfold e; lra).
      eapply encloses_eq; [exact Here|]. unfold d, Rdiv in Little. rewrite !Rmult_0_l in Little. lra.
    - eapply encloses_eq; [apply (plus_encloses prec _ _ _ d Here) | unfold d; ring].
      assert (S0 : 0 <= z * sum l b) by (apply Rmult_le_pos; trivial; apply sum_nonneg; intros; apply b_nonneg).
      destruct (Rle_dec e 0) as [Le|Le].
      + rewrite pos_zero in Little by trivial. unfold Rdiv in Little. rewrite !Rmult_0_l in Little.
        eapply encloses_eq; [apply between_left, zero_encloses | lra].
      + rewrite pos_id in Little by lra. eapply between_encloses; [apply zero_encloses | | exact Little].
        apply times_encloses; [|exact H0]. apply times_encloses; [|exact Mass].
        apply over_encloses; [lra | |].
        * eapply encloses_eq; [apply minus_encloses; [apply zero_encloses | exact Gap]|]. unfold e. ring.
        * eapply encloses_eq; [apply natural_encloses|]. now rewrite N2Nat.inj_succ.
  Qed.

  Lemma blocks_correct z bs : (0 <= z)%R -> forall r t pm tl w total acc j, bs <> [] ->
    (N.to_nat r <= size)%nat -> (places bs <= N.succ r)%N -> state t pm tl ->
    encloses w (z * b (N.to_nat r)) ->
    encloses total (z * sum (seq (S (N.to_nat r)) j) b) ->
    encloses acc (z * sum (seq (S (N.to_nat r)) j) (fun i => b i * V i)%R) ->
    let '(r', w', total', acc') := blocks bs r t pm tl w total acc in
    let l := seq (N.to_nat r') (S (N.to_nat r) - N.to_nat r' + j) in
    (N.to_nat r' <= N.to_nat r)%nat /\ encloses w' (z * b (N.to_nat r')) /\
    encloses total' (z * sum l b) /\ encloses acc' (z * sum l (fun i => b i * V i)%R).
  Proof.
    intros Hz. induction bs as [|d rest IH]; intros r t pm tl w total acc j Hne Hr Hm Hst Hw Htot Hacc; [congruence|].
    cbn [places] in Hm. cbn [blocks].
    assert (Z : encloses zero (z * 0)) by (eapply encloses_eq; [apply zero_encloses | ring]).
    pose proof (run_correct z (N.to_nat d) r w zero zero 0 0 Hr ltac:(lia) Hw Z Z) as W.
    destruct (run _ _ _ _ _) as [[w' s0] s1]. cbv zeta in W. destruct W as (Hw' & H0 & H1).
    rewrite !Rplus_0_l in *.
    assert (Er : N.to_nat (r - d) = (N.to_nat r - N.to_nat d)%nat) by lia.
    set (r' := (r - d)%N) in *. rewrite <- Er in Hw', H0, H1.
    replace (S (N.to_nat d)) with (S (N.to_nat r - N.to_nat r')) in H0, H1 by lia.
    pose proof (block_correct z r r' t pm tl s0 s1 Hz ltac:(lia) Hst H0 H1) as Hb.
    assert (Glue : forall f, (sum (seq (N.to_nat r') (S (N.to_nat r) - N.to_nat r' + j)) f =
      sum (seq (S (N.to_nat r)) j) f + sum (seq (N.to_nat r') (S (N.to_nat r - N.to_nat r'))) f)%R).
    { intros f. rewrite sum_seq_split. replace (N.to_nat r' + (S (N.to_nat r) - N.to_nat r'))%nat with (S (N.to_nat r)) by lia.
      replace (S (N.to_nat r) - N.to_nat r')%nat with (S (N.to_nat r - N.to_nat r')) by lia. ring. }
    assert (Htot' : encloses (total + s0) (z * sum (seq (N.to_nat r') (S (N.to_nat r) - N.to_nat r' + j)) b)).
    { eapply encloses_eq; [apply plus_encloses; [exact Htot | exact H0]|]. rewrite Glue. ring. }
    assert (Hacc' : encloses (acc + block r r' t pm tl s0 s1) (z * sum (seq (N.to_nat r') (S (N.to_nat r) - N.to_nat r' + j)) (fun i => b i * V i)%R)).
    { eapply encloses_eq; [apply plus_encloses; [exact Hacc | exact Hb]|]. rewrite Glue. ring. }
    destruct rest as [|d' rest'].
    - cbv zeta. repeat split; trivial. lia.
    - pose proof (lower_correct t pm tl Hst) as Hst'. destruct (lower t pm tl) as [pm' tl'].
      assert (P1 : (1 <= places (d' :: rest'))%N) by (cbn [places]; lia).
      assert (Es : S (N.to_nat (N.pred r')) = N.to_nat r') by lia.
      specialize (IH (N.pred r') (N.max 1 (N.pred t)) pm' tl' (next r' (w' * #r')) (total + s0) (acc + block r r' t pm tl s0 s1)
        (S (N.to_nat r) - N.to_nat r' + j)%nat ltac:(congruence) ltac:(lia) ltac:(lia) Hst'
        (next_correct z r' _ ltac:(lia) (times_place z r' w' Hw'))).
      rewrite Es in IH. specialize (IH Htot' Hacc').
      destruct (blocks _ _ _ _ _ _ _ _) as [[[r2 w2] total2] acc2]. cbv zeta in *.
      destruct IH as (A & B & E & F).
      replace (N.to_nat r' - N.to_nat r2 + (S (N.to_nat r) - N.to_nat r' + j))%nat
        with (S (N.to_nat r) - N.to_nat r2 + j)%nat in E, F by lia.
      repeat split; trivial. lia.
  Qed.

  Theorem row_correct h : encloses (row h) (sum (seq 0 (S size)) (fun r => bin q size r * row_V r)%R).
  Proof.
    unfold row. destruct (_ && _ && _ && _)%bool eqn:E; [|apply anything_encloses].
    apply andb_true_iff in E as [E E4]. apply andb_true_iff in E as [E E3]. apply andb_true_iff in E as [E1 E2].
    apply N.leb_le in E1, E2, E3. apply negb_true_iff, Nat.eqb_neq in E4.
    set (top := row_top h) in *. set (t := row_first h) in *.
    assert (Htop : (N.to_nat top <= size)%nat) by (unfold size; lia).
    assert (A : let (pm, tl) := start prec c (sh_rho_odds sh) (N.min t (N.succ c) - 1) (row_from h) (row_to h) in state t pm tl).
    { pose proof (start_correct prec c (sh_rho_odds sh) rho Hrho (has_rho_odds _ _ _ _ _ D) (N.min t (N.succ c) - 1) (row_from h) (row_to h)) as [A B].
      destruct (start _ _ _ _ _ _) as [pm tl]. cbn [fst snd] in A, B. fold C in A, B.
      split; [trivial|].
      replace (Nat.min (N.to_nat t) (S C)) with (S (N.to_nat (N.min t (N.succ c) - 1))) by (unfold C; lia).
      split; trivial. now replace (S (N.to_nat (N.min t (N.succ c) - 1)) - 1)%nat with (N.to_nat (N.min t (N.succ c) - 1)) by lia. }
    destruct (start _ _ _ _ _ _) as [pm tl].
    pose proof (factor_positive M q Hq top Htop) as Hz. pose proof (one_encloses prec M q Hq top Htop) as H1.
    set (z := factor M q top) in *. fold size in H1.
    assert (Z : forall g, encloses zero (z * sum (seq (S (N.to_nat top)) 0) g)).
    { intros g. eapply encloses_eq; [apply zero_encloses|]. cbn. ring. }
    pose proof (blocks_correct z (row_blocks h) (Rlt_le _ _ Hz) top t pm tl #1 zero zero 0 ltac:(intros X; rewrite X in E4; now apply E4)
      Htop E3 A H1 (Z _) (Z _)) as W.
    destruct (blocks _ _ _ _ _ _ _ _) as [[[low w] total] acc]. cbv zeta in W. destruct W as (Hl & Hw & Ht & Hacc).
    rewrite Nat.add_0_r in Ht, Hacc.
    apply (whole_correct prec M o q Hq Ho row_V) with (z := z); trivial.
    intros r. pose proof (row_V_bounds r). unfold V in *. lra.
  Qed.
End Rows.

(* What is certified: delta(eps) of krr-weak for n users, as KrrPairs.v has it. The two
   directions agree. *)
Definition delta_krr_weak (n k : positive) (gamma : Q) (eps : number) : R :=
  krr_weak_hockey (Q2R gamma) (IZR (Zpos k)) (pred (Pos.to_nat n)) (exp (value eps)).

(* Its weights, as those of a trinomial pair. *)
Definition weak_pair (k : positive) (gamma : Q) : pair :=
  TrinomialPair 1 (1 - gamma + gamma * (1 # k)) (gamma * (1 # k)) (1 # k) (1 # k).

(* w0 <= alpha w1: nothing is left. *)
Definition weak_no_loss (prec : precision) (k : positive) (gamma : Q) (eps : number) : bool :=
  let e := enclosures_of prec (weak_pair k gamma) in
  (no_loss (weak_pair k gamma) eps || is_nonneg (minus prec (times prec (exp_of prec eps) (e_w1 e)) (e_w0 e)))%bool.

(* delta(eps); a hint for every c from top down. *)
Definition weak_enclosure (prec : precision) (n k : positive) (gamma : Q) (eps : number) (top : N) (hints : list row_hint) : interval :=
  if weak_no_loss prec k gamma eps then zero
  else
    let N := Pos.pred_N n in
    let sh := shape_of prec (enclosures_of prec (weak_pair k gamma)) (exp_of prec eps) false in
    let odds := over prec (fraction prec (gamma * (2 # k))) (fraction prec (1 - gamma * (2 # k))) in
    let o := over prec (fraction prec (gamma * (1 - (2 # k)))) (fraction prec (1 - gamma)) in
    match sh_kappa sh with
    | Some kap =>
      if (is_nonneg (sh_u sh) && is_positive (sh_slope sh))%bool then
        weighted prec N odds (fun c => row prec sh kap c (N - c) o) top hints
      else anything
    | None => anything
    end.

Definition weak_valid (k : positive) (gamma : Q) (eps : number) : bool :=
  (Pos.leb 3 k && Qlt_bool 0 gamma && Qlt_bool gamma 1 && at_least_zero eps)%bool.

Definition check_weak (bits : positive) (top : N) (hints : list row_hint) (n k : positive) (gamma : Q) (eps : number) (lo hi : Q) : bool :=
  let prec := Dyadic.PtoP bits in
  (weak_valid k gamma eps &&
   let i := weak_enclosure prec n k gamma eps top hints in is_at_least prec i lo && is_at_most prec i hi)%bool.
Definition check_weak_at_most (bits : positive) (top : N) (hints : list row_hint) (n k : positive) (gamma : Q) (eps : number) (hi : Q) : bool :=
  let prec := Dyadic.PtoP bits in
  (weak_valid k gamma eps && is_at_most prec (weak_enclosure prec n k gamma eps top hints) hi)%bool.
Definition check_weak_above (bits : positive) (top : N) (hints : list row_hint) (n k : positive) (gamma : Q) (eps : number) (lo : Q) : bool :=
  let prec := Dyadic.PtoP bits in
  (weak_valid k gamma eps && is_above prec (weak_enclosure prec n k gamma eps top hints) lo)%bool.

Lemma Q2R_over k : Q2R (1 # k) = 1 / IZR (Zpos k).
Proof. unfold Q2R. cbn. lra. Qed.

Lemma Q2R_two_over k : Q2R (2 # k) = 2 / IZR (Zpos k).
Proof. reflexivity. Qed.

Section Weak.
  Variables (k : positive) (gamma : Q) (eps : number).
  Hypothesis Hk : Pos.leb 3 k = true.
  Hypothesis G0 : Qlt_bool 0 gamma = true.
  Hypothesis G1 : Qlt_bool gamma 1 = true.
  Hypothesis He : at_least_zero eps = true.
  Let g := Q2R gamma.
  Let K := IZR (Zpos k).
  Let alpha := exp (value eps).

  Lemma weak_ranges : 0 < g < 1 /\ 3 <= K.
  Proof.
    pose proof (Qlt_bool_R _ _ G0) as A. pose proof (Qlt_bool_R _ _ G1) as B.
    rewrite Q2R_zero in A. rewrite Q2R_one in B.
    assert (3 <= K) by (apply (IZR_le 3); apply Pos.leb_le in Hk; lia). unfold g. lra.
  Qed.

  Lemma weak_weights : weights_of (weak_pair k gamma) =
    Weights (krr_weak_w0 g K) (krr_weak_w1 g K) (krr_weak_w2 g K) (1 / K) (1 / K) 1.
  Proof.
    pose proof weak_ranges. unfold weak_pair. cbn [weights_of].
    rewrite Q2R_plus, Q2R_one_minus, !Q2R_mult, !Q2R_over. fold g K.
    unfold krr_weak_w0, krr_weak_w1, krr_weak_w2. f_equal; field; lra.
  Qed.

  Lemma weak_fine : fine (weights_of (weak_pair k gamma)).
  Proof.
    pose proof weak_ranges. destruct (over_positive K) as [A B]; [lra|]. rewrite weak_weights.
    assert (/ K <= 1 / 2) by nra.
    assert (0 < g * / K) by (apply Rmult_lt_0_compat; lra).
    assert (g * / K <= g * (1 / 2)) by (apply Rmult_le_compat_l; lra).
    split; cbn [w0 w1 w2 r0 r1]; unfold krr_weak_w0, krr_weak_w1, krr_weak_w2, Rdiv; nra.
  Qed.

  Lemma Qle_bool_of x y : Q2R x <= Q2R y -> Qle_bool x y = true.
  Proof. intros H. apply Qle_bool_iff. now apply Rle_Qle. Qed.

  Lemma Qlt_bool_of x y : Q2R x < Q2R y -> Qlt_bool x y = true.
  Proof.
    intros H. unfold Qlt_bool. apply negb_true_iff. destruct (Qle_bool y x) eqn:E; trivial.
    apply Qle_bool_R in E. lra.
  Qed.

  Lemma weak_pair_valid : valid (weak_pair k gamma) = true.
  Proof.
    destruct weak_fine as [A B C D E W]. unfold weak_pair in *. cbn [weights_of w0 w1 w2 r0 r1] in *.
    cbn [valid]. repeat (apply andb_true_intro; split); try apply Qle_bool_of; try apply Qlt_bool_of;
      rewrite ?Q2R_zero, ?Q2R_one; try lra; rewrite ?(Q2R_plus (1 # k)), ?(Q2R_plus (1 - gamma + _)); lra.
  Qed.

  Lemma weak_no_loss_true prec : weak_no_loss prec k gamma eps = true -> krr_weak_u g K alpha <= 0.
  Proof.
    intros H. pose proof weak_weights as W. pose proof weak_pair_valid as V. unfold krr_weak_u.
    apply orb_true_iff in H as [H|H].
    - apply (no_loss_true _ _ V He) in H. rewrite W in H. cbn [w0 w1 scale] in H. unfold alpha. lra.
    - pose proof (enclosures_correct prec _ V) as E. rewrite W in E. destruct E as [E0 E1 _ _ _ _]. cbn [w0 w1] in E0, E1.
      apply (is_nonneg_true _ (alpha * krr_weak_w1 g K - krr_weak_w0 g K)) in H; [lra|].
      apply minus_encloses; [apply times_encloses; [now apply exp_of_encloses | exact E1] | exact E0].
  Qed.

  Lemma weak_u_small : krr_weak_u g K alpha <= 1.
  Proof.
    pose proof weak_ranges. pose proof (exp_at_least_one eps He) as Ha. fold alpha in Ha.
    destruct weak_fine as [_ _ _ _ _ F0]. rewrite weak_weights in F0. cbn [w0] in F0.
    assert (0 <= krr_weak_w1 g K) by (unfold krr_weak_w1; apply over_k; lra). unfold krr_weak_u. nra.
  Qed.

  Lemma weak_rest : 0 < krr_weak_rest g K < 1 /\
    krr_weak_rest g K / (1 - krr_weak_rest g K) = g * (1 - 2 / K) / (1 - g).
  Proof.
    destruct weak_ranges as [Hg HK]. unfold krr_weak_rest. set (x := 2 / K).
    assert (X : 0 < x < 1).
    { unfold x. split; [apply Rdiv_lt_0_compat; lra|]. apply (Rmult_lt_reg_r K); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    assert (0 < 1 - g * x) by nra. assert (0 < g * (1 - x)) by nra.
    repeat split.
    - now apply Rdiv_lt_0_compat.
    - apply (Rmult_lt_reg_r (1 - g * x)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    - field. repeat split; lra.
  Qed.

  Lemma weak_row_bounds m c : 0 <= krr_weak_u g K alpha ->
    0 <= sum (seq 0 (S m)) (fun r => bin (krr_weak_rest g K) m r * krr_weak_value g K alpha c r) <= 1.
  Proof.
    intros U. destruct weak_ranges as [Hg HK]. destruct weak_rest as [Hq _]. pose proof weak_u_small.
    pose proof (exp_at_least_one eps He) as Ha. fold alpha in Ha.
    assert (R : forall r, 0 <= krr_weak_value g K alpha c r <= krr_weak_u g K alpha).
    { intros r. apply krr_weak_value_range; lra. }
    rewrite <- (bin_sum (krr_weak_rest g K) m). split.
    - apply sum_nonneg. intros r _. apply Rmult_le_pos; [apply bin_nonneg; lra | apply R].
    - apply sum_le. intros r _. rewrite <- (Rmult_1_r (bin _ _ _)) at 2.
      apply Rmult_le_compat_l; [apply bin_nonneg; lra | pose proof (R r); lra].
  Qed.

  Lemma weak_bounds n : 0 <= delta_krr_weak n k gamma eps <= 1.
  Proof.
    destruct weak_ranges as [Hg HK]. pose proof (exp_at_least_one eps He) as Ha.
    unfold delta_krr_weak. fold g K alpha in Ha |- *.
    destruct (Rle_dec (krr_weak_u g K alpha) 0) as [U|U]; [rewrite krr_weak_zero by lra; lra|].
    rewrite krr_weak_strata by lra. pose proof (two_over_k K ltac:(lra)) as X.
    assert (B : forall c, 0 <= bin (g * (2 / K)) (pred (Pos.to_nat n)) c) by (intros; apply bin_nonneg; nra).
    rewrite <- (bin_sum (g * (2 / K)) (pred (Pos.to_nat n))). split.
    - apply sum_nonneg. intros c _. apply Rmult_le_pos; [apply B | apply weak_row_bounds; lra].
    - apply sum_le. intros c _. rewrite <- (Rmult_1_r (bin _ _ c)) at 2.
      apply Rmult_le_compat_l; [apply B | apply weak_row_bounds; lra].
  Qed.

  Lemma weak_enclosure_correct prec n top hints :
    encloses (weak_enclosure prec n k gamma eps top hints) (delta_krr_weak n k gamma eps).
  Proof.
    destruct weak_ranges as [Hg HK]. pose proof (exp_at_least_one eps He) as Ha.
    pose proof weak_weights as W. pose proof weak_pair_valid as V.
    pose proof (enclosures_correct prec _ V) as En. pose proof (valid_fine _ V) as Fi.
    pose proof (exp_of_encloses prec eps He) as Hia.
    unfold delta_krr_weak, weak_enclosure. fold g K alpha in Ha, Hia |- *. cbv zeta.
    destruct (weak_no_loss prec k gamma eps) eqn:E.
    { eapply encloses_eq; [apply zero_encloses|]. symmetry. apply krr_weak_zero; try lra. now apply (weak_no_loss_true prec). }
    set (sh := shape_of _ _ _ _).
    assert (S1 : 0 < 2 / K < 1).
    { split; [apply Rdiv_lt_0_compat; lra|]. apply (Rmult_lt_reg_r K); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    assert (D : describes sh (krr_weak_u g K alpha) (krr_weak_v g K alpha) (1 / 2) (krr_weak_kappa g K alpha)).
    { pose proof (describes_shape prec _ _ _ alpha false En Fi Hia) as D. rewrite W in D. cbn [w0 w1 w2 r0 r1] in D.
      replace (1 / K / (1 / K + 1 / K)) with (1 / 2) in D by (field; lra).
      replace (1 / K + 1 / K) with (2 / K) in D by (field; lra).
      apply D; [discriminate | left; lra]. }
    pose proof (has_kappa _ _ _ _ _ D) as Hkap. destruct (sh_kappa sh) as [kap|]; [|apply anything_encloses].
    destruct (is_nonneg (sh_u sh) && is_positive (sh_slope sh))%bool eqn:E2; [|apply anything_encloses].
    apply andb_true_iff in E2 as [U Sl].
    apply (is_nonneg_true _ _ (has_u _ _ _ _ _ D)) in U. apply (is_positive_true _ _ (has_slope _ _ _ _ _ D)) in Sl.
    rewrite krr_weak_strata by lra.
    rewrite <- positive_N_nat, <- N2Nat.inj_pred, <- N.pos_pred_spec.
    set (N := Pos.pred_N n).
    destruct weak_rest as [Hq Hodds].
    assert (Hu : 0 <= krr_weak_u g K alpha <= 1) by (split; trivial; apply weak_u_small).
    assert (Hv : krr_weak_v g K alpha <= 0) by (apply krr_weak_v_nonpos; lra).
    assert (Hkappa : 0 <= krr_weak_kappa g K alpha) by (apply krr_weak_kappa_nonneg; lra).
    assert (Hs : 0 < g * (2 / K) < 1) by nra.
    apply (weighted_correct prec N _ _ (g * (2 / K)) Hs).
    - apply over_encloses; [lra | |].
      + eapply encloses_eq; [apply fraction_encloses|]. now rewrite Q2R_mult, Q2R_two_over.
      + eapply encloses_eq; [apply fraction_encloses|]. now rewrite Q2R_one_minus, Q2R_mult, Q2R_two_over.
    - intros c. now apply weak_row_bounds.
    - intros c h. rewrite <- N2Nat.inj_sub.
      apply (row_correct prec sh kap c (N - c) _ _ _ (1 / 2) _ (krr_weak_rest g K) ltac:(lra) Hu Hv Hkappa Sl Hkap D Hq).
      rewrite Hodds. apply over_encloses; [lra | |].
      + eapply encloses_eq; [apply fraction_encloses|]. now rewrite Q2R_mult, Q2R_one_minus, Q2R_two_over.
      + unfold g. rewrite <- Q2R_one_minus. apply fraction_encloses.
  Qed.
End Weak.

Ltac open_weak H := apply andb_true_iff in H as [V H]; unfold weak_valid in V; split_andb.

(* What the three checks accept is true. *)
Theorem check_weak_sound bits top hints n k gamma eps lo hi :
  check_weak bits top hints n k gamma eps lo hi = true -> Q2R lo <= delta_krr_weak n k gamma eps <= Q2R hi.
Proof.
  intros H. open_weak H. cbv zeta in *. split_andb.
  split; [eapply is_at_least_true | eapply is_at_most_true]; try eassumption;
    try apply weak_enclosure_correct; try apply weak_bounds; assumption.
Qed.

Theorem check_weak_at_most_sound bits top hints n k gamma eps hi :
  check_weak_at_most bits top hints n k gamma eps hi = true -> delta_krr_weak n k gamma eps <= Q2R hi.
Proof.
  intros H. open_weak H. eapply is_at_most_true; [apply weak_enclosure_correct | apply weak_bounds |]; eassumption.
Qed.

Theorem check_weak_above_sound bits top hints n k gamma eps lo :
  check_weak_above bits top hints n k gamma eps lo = true -> Q2R lo < delta_krr_weak n k gamma eps.
Proof.
  intros H. open_weak H. eapply is_above_true; [apply weak_enclosure_correct|]; eassumption.
Qed.

(* krr-weak with k = 2: every random answer is one of the two, nothing else is left to
   learn from their number, and there is one trinomial pair. *)
Definition two (n : positive) (gamma : Q) : pair :=
  TrinomialPair n (1 - gamma + gamma * (1 # 2)) (gamma * (1 # 2)) (gamma * (1 # 2)) (gamma * (1 # 2)).

Lemma bin_never n : bin 0 n 0 = 1 /\ forall r, bin 0 n (S r) = 0.
Proof.
  induction n as [|n [A B]]; [now split|]. split; [cbn [bin before]; rewrite A; ring|].
  intros r. cbn [bin before]. rewrite (B r). ring.
Qed.

Lemma krr_weak_two gamma N alpha : 0 < gamma <= 1 -> 1 <= alpha ->
  krr_weak_hockey gamma 2 N alpha =
  trinomial_hockey (1 - gamma + gamma / 2) (gamma / 2) 0 (gamma / 2) (gamma / 2) N alpha.
Proof.
  intros Hg Ha. rewrite krr_weak_strata, trinomial_strata by lra. apply sum_ext. intros c _.
  replace (gamma * (2 / 2)) with (gamma / 2 + gamma / 2) by field. f_equal.
  replace (gamma / 2 / (gamma / 2 + gamma / 2)) with (1 / 2) by (field; lra).
  replace (krr_weak_rest gamma 2) with 0 by (unfold krr_weak_rest; replace (1 - 2 / 2) with 0 by field; unfold Rdiv; ring).
  destruct (bin_never (N - c)) as [B0 B1]. cbn [seq]. cbn [sum]. rewrite B0, (sum_null (seq 1 _)).
  - unfold krr_weak_value, krr_weak_u, krr_weak_v, krr_weak_w0, krr_weak_w1, shift. change (INR 0) with 0.
    rewrite Rmult_1_l, Rplus_0_r. f_equal. unfold Rdiv. now rewrite !Rmult_0_l, !Rmult_0_r, !Rmult_0_l.
  - intros r Hr. apply in_seq in Hr. replace r with (S (pred r)) by lia. rewrite B1. ring.
Qed.

Lemma delta_two n gamma eps : valid (two n gamma) = true -> at_least_zero eps = true ->
  delta_krr_weak n 2 gamma eps = delta PQ (two n gamma) eps.
Proof.
  intros V He. destruct (valid_fine _ V) as [_ _ C D E _]. pose proof (exp_at_least_one eps He).
  unfold two in *. cbn [weights_of r0 r1] in C, D, E.
  unfold delta_krr_weak, delta, delta_at, forward. cbn [weights_of w0 w1 w2 r0 r1 scale users].
  rewrite ?Q2R_plus, ?Q2R_one_minus, ?Q2R_mult in *. replace (Q2R (1 # 2)) with (/ 2) in * by (unfold Q2R; cbn; lra).
  rewrite krr_weak_two by lra. rewrite Rmult_1_l. unfold Rdiv. f_equal. field.
Qed.

(* The checks of Certificate.v do, with one window. *)
Definition check_weak_two (bits : positive) (win : window) (n : positive) (gamma : Q) (eps : number) (lo hi : Q) : bool :=
  check bits win win PQ (two n gamma) eps lo hi.
Definition check_weak_two_at_most (bits : positive) (win : window) (n : positive) (gamma : Q) (eps : number) (hi : Q) : bool :=
  check_at_most bits win win PQ (two n gamma) eps hi.
Definition check_weak_two_above (bits : positive) (win : window) (n : positive) (gamma : Q) (eps : number) (lo : Q) : bool :=
  check_above bits win win PQ (two n gamma) eps lo.

Lemma examine_valid lower upper prec dir p eps win win' :
  examine lower upper prec dir p eps win win' = true -> valid p = true /\ at_least_zero eps = true.
Proof. unfold examine. intros H. split_andb. now split. Qed.

Theorem check_weak_two_sound bits win n gamma eps lo hi :
  check_weak_two bits win n gamma eps lo hi = true -> Q2R lo <= delta_krr_weak n 2 gamma eps <= Q2R hi.
Proof.
  intros H. pose proof H as VE. unfold check_weak_two, check in VE. cbv zeta in VE. apply examine_valid in VE as [V E].
  rewrite delta_two by trivial. now apply (check_sound bits win win).
Qed.

Theorem check_weak_two_at_most_sound bits win n gamma eps hi :
  check_weak_two_at_most bits win n gamma eps hi = true -> delta_krr_weak n 2 gamma eps <= Q2R hi.
Proof.
  intros H. pose proof H as VE. unfold check_weak_two_at_most, check_at_most in VE. cbv zeta in VE. apply examine_valid in VE as [V E].
  rewrite delta_two by trivial. now apply (check_at_most_sound bits win win).
Qed.

Theorem check_weak_two_above_sound bits win n gamma eps lo :
  check_weak_two_above bits win n gamma eps lo = true -> Q2R lo < delta_krr_weak n 2 gamma eps.
Proof.
  intros H. pose proof H as VE. unfold check_weak_two_above, check_above in VE. cbv zeta in VE. apply examine_valid in VE as [V E].
  rewrite delta_two by trivial. now apply (check_above_sound bits win win).
Qed.
