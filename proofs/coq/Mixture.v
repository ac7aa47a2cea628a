(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Certificates of krr-weak (../trinomial-pair.md, Lemma 5): the number B of other
 * users who answered at random is revealed, B ~ Bin(N, gamma), and given B there is
 * a trinomial pair. The evaluator of Certificate.v is run for every B in a window,
 * and what lies outside is bounded as in Walk.v. As there, hints are not trusted.
 *)
From Coq Require Import Reals List ZArith NArith QArith Qreals Lra Lia Arith Bool.
From Shufbound Require Import Sum Hockey Trinomial Binomial Strata KrrPairs Enclosures Walk Evaluate Certificate.
Import ListNotations.
Open Scope R_scope.

(* The mean of values in [0, 1] over Bin(n,s). *)
Section Weighted.
  Variable prec : precision.
  Notation "i + j" := (plus prec i j).
  Notation "i * j" := (times prec i j).
  Notation "i / j" := (over prec i j).
  Notation "# n" := (natural prec n) (at level 1).
  Variable n : N.
  Variable o : interval. (* s/(1-s) *)
  Variable f : N -> window -> interval.

  (* From c down, one window each: the last weight, the weights above it, the weighted values. *)
  Fixpoint mix (wins : list window) (c : N) (w above acc : interval) : interval * interval * interval :=
    match wins with
    | [] => (w, above, acc)
    | win :: rest =>
      let acc' := acc + w * f c win in
      match rest with
      | [] => (w, above, acc')
      | _ => mix rest (N.pred c) (w * #c / (#(N.succ n - c) * o)) (above + w) acc'
      end
    end.

  Definition weighted (top : N) (wins : list window) : interval :=
    if (N.leb top n && negb (Nat.eqb (length wins) 0) && Nat.leb (length wins) (S (N.to_nat top)))%bool then
      let '(w, above, acc) := mix wins top #1 zero zero in
      let low := (top - N.of_nat (pred (length wins)))%N in
      let more := beyond_top prec n o top #1 + beyond_low prec n o low w in
      (acc + between zero more) / (above + w + more)
    else anything.

  Variable s : R.
  Hypothesis Hs : 0 < s < 1.
  Hypothesis Ho : encloses o (s / (1 - s)).
  Let size := N.to_nat n.
  Variable F : nat -> R.
  Hypothesis HF : forall c, 0 <= F c <= 1.
  Hypothesis Hf : forall c win, encloses (f c win) (F (N.to_nat c)).
  Let weigh (c : nat) : R := (bin s size c * F c)%R.

  Lemma mix_correct (z : R) wins : forall c w above acc j, wins <> [] ->
    (N.to_nat c <= size)%nat -> (length wins <= S (N.to_nat c))%nat ->
    encloses w (z * bin s size (N.to_nat c)) ->
    encloses above (z * sum (seq (S (N.to_nat c)) j) (bin s size)) ->
    encloses acc (z * sum (seq (S (N.to_nat c)) j) weigh) ->
    let '(w', above', acc') := mix wins c w above acc in
    let steps := pred (length wins) in
    let low := (N.to_nat c - steps)%nat in
    encloses w' (z * bin s size low) /\
    encloses above' (z * sum (seq (S low) (steps + j)) (bin s size)) /\
    encloses acc' (z * sum (seq low (S (steps + j))) weigh).
  Proof.
    induction wins as [|win rest IH]; intros c w above acc j Hne Hc Hm Hw Ha Hacc; [congruence|].
    assert (Hacc' : encloses (acc + w * f c win) (z * sum (seq (N.to_nat c) (S j)) weigh)).
    { eapply encloses_eq; [apply plus_encloses; [exact Hacc | apply times_encloses; [exact Hw | apply Hf]]|].
      cbn [seq]. cbn [sum]. unfold weigh at 2. ring. }
    destruct rest as [|win' rest'].
    - cbn [mix length pred]. cbv zeta. rewrite Nat.sub_0_r. repeat split; trivial.
    - cbn [length pred] in *.
      change (mix (win :: win' :: rest') c w above acc)
        with (mix (win' :: rest') (N.pred c) (w * #c / (#(N.succ n - c) * o)) (above + w) (acc + w * f c win)).
      assert (Hpred : N.to_nat (N.pred c) = (N.to_nat c - 1)%nat) by lia.
      assert (Hsub : N.to_nat (N.succ n - c) = (S size - N.to_nat c)%nat) by (unfold size; lia).
      assert (Hpos : (0 < INR (S size - N.to_nat c))%R) by (apply lt_0_INR; lia).
      assert (Po : 0 < s / (1 - s)) by (apply Rdiv_lt_0_compat; lra).
      specialize (IH (N.pred c) (w * #c / (#(N.succ n - c) * o)) (above + w) (acc + w * f c win) (S j)).
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

  Theorem weighted_correct top wins : encloses (weighted top wins) (sum (seq 0 (S size)) weigh).
  Proof.
    unfold weighted.
    destruct ((top <=? n)%N && _ && _) eqn:E; [|apply anything_encloses].
    apply andb_true_iff in E as [E E3]. apply andb_true_iff in E as [E1 E2].
    apply N.leb_le in E1. apply negb_true_iff, Nat.eqb_neq in E2. apply Nat.leb_le in E3.
    assert (Htop : (N.to_nat top <= size)%nat) by (unfold size; lia).
    pose proof (factor_positive n s Hs top Htop) as Hz. pose proof (one_encloses prec n s Hs top Htop) as H1.
    set (z := factor n s top) in *. fold size in H1.
    assert (Hz' : (0 <= z)%R) by now apply Rlt_le.
    pose proof (mix_correct z wins top #1 zero zero 0) as W.
    destruct (mix wins top #1 zero zero) as [[w above] acc].
    assert (Z : forall g, encloses zero (z * sum (seq (S (N.to_nat top)) 0) g)).
    { intros g. eapply encloses_eq; [apply zero_encloses|]. cbn. ring. }
    specialize (W ltac:(intros ->; now apply E2) Htop E3 H1 (Z _) (Z _)). cbv zeta in W. destruct W as (Hw & Ha & Hacc).
    set (steps := pred (length wins)) in *.
    set (low := (top - N.of_nat steps)%N).
    assert (El : N.to_nat low = (N.to_nat top - steps)%nat) by (unfold low; lia).
    rewrite <- El in Hw, Ha, Hacc.
    assert (Es : (steps + 0 = N.to_nat top - N.to_nat low)%nat) by (unfold steps in *; lia).
    rewrite Es in Ha, Hacc.
    assert (Hl : (N.to_nat low <= N.to_nat top)%nat) by lia.
    pose proof (beyond_top_correct prec n o s Hs Ho z top #1 Hz' Htop H1) as B1.
    pose proof (beyond_low_correct prec n o s Hs Ho z low w Hz' ltac:(fold size; lia) Hw) as B2.
    fold size in B1, B2.
    pose proof (plus_encloses prec _ _ _ _ B1 B2) as B.
    pose proof (bin_parts s size (N.to_nat low) (N.to_nat top) ltac:(lia)) as P.
    replace (S (N.to_nat top) - N.to_nat low)%nat with (S (N.to_nat top - N.to_nat low)) in P by lia.
    assert (T : encloses (above + w + (beyond_top prec n o top #1 + beyond_low prec n o low w)) z).
    { eapply encloses_eq; [apply plus_encloses; [apply plus_encloses; [exact Ha | exact Hw] | exact B]|].
      cbn [seq] in P. cbn [sum] in P. rewrite <- !Rmult_plus_distr_l.
      transitivity (z * 1)%R; [apply f_equal; lra | ring]. }
    assert (Split : sum (seq 0 (S size)) weigh =
      (sum (seq (N.to_nat low) (S (N.to_nat top - N.to_nat low))) weigh +
       (sum (seq 0 (N.to_nat low)) weigh + sum (seq (S (N.to_nat top)) (S size - S (N.to_nat top))) weigh))%R).
    { replace (S size) with (N.to_nat low + (S (N.to_nat top - N.to_nat low) + (S size - S (N.to_nat top))))%nat at 1 by lia.
      rewrite !sum_seq_split.
      replace (0 + N.to_nat low)%nat with (N.to_nat low) by lia.
      replace (N.to_nat low + S (N.to_nat top - N.to_nat low))%nat with (S (N.to_nat top)) by lia. ring. }
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
End Weighted.

(* What is certified: delta(eps) of krr-weak for n users, as KrrPairs.v has it. The two
   directions agree. *)
Definition delta_krr_weak (n k : positive) (gamma : Q) (eps : number) : R :=
  krr_weak_hockey (Q2R gamma) (IZR (Zpos k)) (pred (Pos.to_nat n)) (exp (value eps)).

(* The pair given that b others answered at random. *)
Definition given (k : positive) (gamma : Q) (b : N) : pair :=
  TrinomialPair (N.succ_pos b) (1 - gamma + gamma * (1 # k)) (gamma * (1 # k)) (1 # k) (1 # k).

(* w0 <= alpha w1: nothing is left, whatever b is. *)
Definition weak_no_loss (prec : precision) (k : positive) (gamma : Q) (eps : number) : bool :=
  let e := enclosures_of prec (given k gamma 0) in
  (no_loss (given k gamma 0) eps || is_nonneg (minus prec (times prec (exp_of prec eps) (e_w1 e)) (e_w0 e)))%bool.

Definition weak_enclosure (prec : precision) (n k : positive) (gamma : Q) (eps : number) (top : N) (wins : list window) : interval :=
  let g := fraction prec gamma in
  if weak_no_loss prec k gamma eps then zero
  else weighted prec (Pos.pred_N n) (over prec g (fraction prec (1 - gamma)))
    (fun b win => enclosure prec PQ (given k gamma b) eps win) top wins.

Definition weak_valid (k : positive) (gamma : Q) (eps : number) : bool :=
  (Pos.leb 2 k && Qlt_bool 0 gamma && Qlt_bool gamma 1 && at_least_zero eps)%bool.

Definition check_weak (bits : positive) (top : N) (wins : list window) (n k : positive) (gamma : Q) (eps : number) (lo hi : Q) : bool :=
  let prec := Dyadic.PtoP bits in
  (weak_valid k gamma eps &&
   let i := weak_enclosure prec n k gamma eps top wins in is_at_least prec i lo && is_at_most prec i hi)%bool.
Definition check_weak_at_most (bits : positive) (top : N) (wins : list window) (n k : positive) (gamma : Q) (eps : number) (hi : Q) : bool :=
  let prec := Dyadic.PtoP bits in
  (weak_valid k gamma eps && is_at_most prec (weak_enclosure prec n k gamma eps top wins) hi)%bool.
Definition check_weak_above (bits : positive) (top : N) (wins : list window) (n k : positive) (gamma : Q) (eps : number) (lo : Q) : bool :=
  let prec := Dyadic.PtoP bits in
  (weak_valid k gamma eps && is_above prec (weak_enclosure prec n k gamma eps top wins) lo)%bool.

Lemma Q2R_over k : Q2R (1 # k) = 1 / IZR (Zpos k).
Proof. unfold Q2R. cbn. lra. Qed.

Section Weak.
  Variables (k : positive) (gamma : Q).
  Hypothesis Hk : Pos.leb 2 k = true.
  Hypothesis G0 : Qlt_bool 0 gamma = true.
  Hypothesis G1 : Qlt_bool gamma 1 = true.
  Let g := Q2R gamma.
  Let K := IZR (Zpos k).

  Lemma weak_ranges : 0 < g < 1 /\ 2 <= K.
  Proof.
    pose proof (Qlt_bool_R _ _ G0) as A. pose proof (Qlt_bool_R _ _ G1) as B.
    rewrite Q2R_zero in A. rewrite Q2R_one in B. pose proof (Pos_leb_R k Hk). unfold g, K. lra.
  Qed.

  Lemma given_weights b : weights_of (given k gamma b) =
    Weights (krr_weak_w0 g K) (krr_weak_w1 g K) (krr_weak_w2 g K) (1 / K) (1 / K) 1.
  Proof.
    pose proof weak_ranges. unfold given. cbn [weights_of].
    rewrite Q2R_plus, Q2R_one_minus, !Q2R_mult, !Q2R_over. fold g K.
    unfold krr_weak_w0, krr_weak_w1, krr_weak_w2. f_equal; field; lra.
  Qed.

  Lemma given_fine b : fine (weights_of (given k gamma b)).
  Proof.
    pose proof weak_ranges. destruct (over_positive K) as [A B]; [lra|]. rewrite given_weights.
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

  Lemma given_valid b : valid (given k gamma b) = true.
  Proof.
    destruct (given_fine b) as [A B C D E W]. unfold given in *. cbn [weights_of w0 w1 w2 r0 r1] in *.
    cbn [valid]. repeat (apply andb_true_intro; split); try apply Qle_bool_of; try apply Qlt_bool_of;
      rewrite ?Q2R_zero, ?Q2R_one; try lra; rewrite ?(Q2R_plus (1 # k)), ?(Q2R_plus (1 - gamma + _)); lra.
  Qed.

  Lemma delta_given b eps : delta PQ (given k gamma b) eps = krr_weak_given g K (N.to_nat b) (exp (value eps)).
  Proof.
    unfold delta, delta_at. cbv zeta. rewrite given_weights. unfold forward, krr_weak_given. cbn [w0 w1 w2 r0 r1 scale].
    unfold given. cbn [users]. replace (pred (Pos.to_nat (N.succ_pos b))) with (N.to_nat b); [ring|].
    rewrite <- positive_N_nat, N.succ_pos_spec, N2Nat.inj_succ. reflexivity.
  Qed.

  Lemma given_bounds eps b : at_least_zero eps = true -> 0 <= krr_weak_given g K b (exp (value eps)) <= 1.
  Proof.
    intros He. rewrite <- (Nat2N.id b), <- delta_given. apply delta_bounds; trivial. apply given_valid.
  Qed.

  Lemma weak_bounds n eps : at_least_zero eps = true -> 0 <= delta_krr_weak n k gamma eps <= 1.
  Proof.
    intros He. pose proof weak_ranges as [Hg HK].
    unfold delta_krr_weak. fold g K. rewrite krr_weak_mixture by lra. split.
    - apply sum_nonneg. intros b _. apply Rmult_le_pos; [apply bin_nonneg; lra | now apply given_bounds].
    - rewrite <- (bin_sum g (pred (Pos.to_nat n))). apply sum_le. intros b _.
      rewrite <- (Rmult_1_r (bin _ _ _)) at 2. apply Rmult_le_compat_l; [apply bin_nonneg; lra | now apply given_bounds].
  Qed.

  Lemma weak_no_loss_true prec eps : at_least_zero eps = true -> weak_no_loss prec k gamma eps = true ->
    krr_weak_u g K (exp (value eps)) <= 0.
  Proof.
    intros He H. pose proof (given_weights 0) as W. pose proof (given_valid 0) as V. unfold krr_weak_u.
    apply orb_true_iff in H as [H|H].
    - apply (no_loss_true _ _ V He) in H. rewrite W in H. cbn [w0 w1 scale] in H. lra.
    - pose proof (enclosures_correct prec _ V) as E. rewrite W in E. destruct E as [E0 E1 _ _ _ _]. cbn [w0 w1] in E0, E1.
      apply (is_nonneg_true _ (exp (value eps) * krr_weak_w1 g K - krr_weak_w0 g K)) in H; [lra|].
      apply minus_encloses; [apply times_encloses; [now apply exp_of_encloses | exact E1] | exact E0].
  Qed.

  Lemma weak_enclosure_correct prec n eps top wins : at_least_zero eps = true ->
    encloses (weak_enclosure prec n k gamma eps top wins) (delta_krr_weak n k gamma eps).
  Proof.
    intros He. pose proof weak_ranges as [Hg HK]. pose proof (exp_at_least_one eps He).
    unfold delta_krr_weak, weak_enclosure. fold g K. cbv zeta. destruct (weak_no_loss prec k gamma eps) eqn:E.
    { eapply encloses_eq; [apply zero_encloses|]. symmetry. apply krr_weak_zero; try lra. now apply (weak_no_loss_true prec). }
    rewrite krr_weak_mixture by lra.
    rewrite <- positive_N_nat, <- N2Nat.inj_pred, <- N.pos_pred_spec.
    apply (weighted_correct prec (Pos.pred_N n) _ _ g Hg).
    - apply over_encloses; [lra | apply fraction_encloses|].
      unfold g. rewrite <- Q2R_one_minus. apply fraction_encloses.
    - intros b. now apply given_bounds.
    - intros b win. rewrite <- delta_given. apply enclosure_correct; trivial; [apply given_valid | congruence].
  Qed.
End Weak.

Ltac open_weak H := apply andb_true_iff in H as [V H]; unfold weak_valid in V; split_andb.

(* What the three checks accept is true. *)
Theorem check_weak_sound bits top wins n k gamma eps lo hi :
  check_weak bits top wins n k gamma eps lo hi = true -> Q2R lo <= delta_krr_weak n k gamma eps <= Q2R hi.
Proof.
  intros H. open_weak H. cbv zeta in *. split_andb.
  split; [eapply is_at_least_true | eapply is_at_most_true]; try eassumption;
    try apply weak_enclosure_correct; try apply weak_bounds; assumption.
Qed.

Theorem check_weak_at_most_sound bits top wins n k gamma eps hi :
  check_weak_at_most bits top wins n k gamma eps hi = true -> delta_krr_weak n k gamma eps <= Q2R hi.
Proof.
  intros H. open_weak H. eapply is_at_most_true; [apply weak_enclosure_correct | apply weak_bounds |]; eassumption.
Qed.

Theorem check_weak_above_sound bits top wins n k gamma eps lo :
  check_weak_above bits top wins n k gamma eps lo = true -> Q2R lo < delta_krr_weak n k gamma eps.
Proof.
  intros H. open_weak H. eapply is_above_true; [apply weak_enclosure_correct|]; eassumption.
Qed.
