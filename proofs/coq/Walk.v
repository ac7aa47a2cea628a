(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * A value and a tail of a binomial law without factorials, powers or a loop over
 * all outcomes: masses are followed downwards from a place above the mode, up to
 * a common factor, by their exact ratios; what lies beyond the two ends of the
 * window is bounded by geometric series; the factor follows from the total mass,
 * which is 1. The window is a hint: a bad one makes the enclosures wide, never wrong.
 *)
From Coq Require Import Reals List ZArith NArith Lra Lia Arith Bool.
From Shufbound Require Import Sum Hockey Trinomial Binomial Enclosures.
Import ListNotations.
Open Scope R_scope.

(* Lemmas on sums over seq. *)

Lemma sum_seq_split a n m f : sum (seq a (n + m)) f = sum (seq a n) f + sum (seq (a + n) m) f.
Proof. now rewrite seq_app, sum_app. Qed.

Lemma bin_parts p n low top : (low <= top <= n)%nat ->
  head p n low + sum (seq low (S top - low)) (bin p n) + tail p n (S top) = 1.
Proof.
  intros H. unfold head, tail. rewrite <- (bin_sum p n).
  replace (S n) with (low + ((S top - low) + (S n - S top)))%nat at 2 by lia.
  rewrite !sum_seq_split.
  replace (0 + low)%nat with low by lia.
  replace (low + (S top - low))%nat with (S top) by lia. lra.
Qed.

(* What the ratio at an end of the window says about the mass beyond it. *)

Lemma tail_beyond p n k q : 0 < p < 1 -> (k <= n)%nat -> q = INR (n - k) * (p / (1 - p)) / INR (S k) -> q < 1 ->
  0 <= tail p n (S k) <= bin p n k * q / (1 - q).
Proof.
  intros Hp Hk Hq H1. pose proof (pos_INR (n - k)). pose proof (lt_0_INR (S k) ltac:(lia)).
  assert (0 <= q).
  { subst q. unfold Rdiv. repeat apply Rmult_le_pos; try lra; left; apply Rinv_0_lt_compat; lra. }
  split; [apply tail_nonneg; lra|].
  pose proof (tail_ratio p n k q) as G. rewrite tail_step in G.
  assert (bin p n k * q / (1 - q) = bin p n k / (1 - q) - bin p n k) as -> by (field; lra).
  enough (bin p n k + tail p n (S k) <= bin p n k / (1 - q)) by lra.
  apply G; try lra. subst q. right. field. split; lra.
Qed.

Lemma head_beyond p n k q : 0 < p < 1 -> (k <= n)%nat -> q = INR k / (INR (S n - k) * (p / (1 - p))) -> q < 1 ->
  0 <= head p n k <= bin p n k * q / (1 - q).
Proof.
  intros Hp Hk Hq H1. pose proof (pos_INR k). pose proof (lt_0_INR (S n - k) ltac:(lia)).
  assert (0 < p / (1 - p)) by (apply Rdiv_lt_0_compat; lra).
  assert (0 <= q).
  { subst q. apply Rmult_le_pos; trivial. left. apply Rinv_0_lt_compat. now apply Rmult_lt_0_compat. }
  split; [apply sum_nonneg; intros; apply bin_nonneg; lra|].
  pose proof (head_ratio p n k q) as G. unfold head in G. rewrite sum_seq_last in G. fold (head p n k) in G.
  assert (bin p n k * q / (1 - q) = bin p n k / (1 - q) - bin p n k) as -> by (field; lra).
  enough (head p n k + bin p n k <= bin p n k / (1 - q)) by lra.
  apply G; try lra; trivial. subst q. right. field. repeat split; lra.
Qed.

Lemma bin_down p n k : 0 < p < 1 -> (1 <= k <= n)%nat ->
  bin p n (k - 1) = bin p n k * INR k / (INR (S n - k) * (p / (1 - p))).
Proof.
  intros Hp Hk. pose proof (bin_step p n (k - 1)) as H.
  replace (S (k - 1)) with k in H by lia. replace (n - (k - 1))%nat with (S n - k)%nat in H by lia.
  pose proof (lt_0_INR (S n - k) ltac:(lia)).
  apply (Rmult_eq_reg_r (INR (S n - k) * p)); [|apply Rgt_not_eq, Rmult_lt_0_compat; lra].
  rewrite <- Rmult_assoc, <- H. field. repeat split; lra.
Qed.

Section Walk.
  Variable prec : precision.
  Notation "i + j" := (plus prec i j).
  Notation "i * j" := (times prec i j).
  Notation "i / j" := (over prec i j).
  Notation "# n" := (natural prec n) (at level 1).
  Variable n : N.       (* trials *)
  Variable o : interval. (* the odds p/(1-p) *)

  (* From the mass w at k, and the mass above k so far, `steps` places down. *)
  Fixpoint down (steps : nat) (k : N) (w above : interval) : N * interval * interval :=
    match steps with
    | O => (k, w, above)
    | S m => down m (N.pred k) (w * #k / (#(N.succ n - k) * o)) (above + w)
    end.

  (* Beyond the ends: everything if no geometric series bounds it. *)
  Definition series (w q : interval) : interval :=
    let r := minus prec #1 q in
    if is_positive r then between zero (w * q / r) else anything.

  Definition beyond_top (k : N) (w : interval) : interval := series w (#(n - k) * o / #(N.succ k)).
  Definition beyond_low (k : N) (w : interval) : interval := series w (#k / (#(N.succ n - k) * o)).

  (* Pr[Bin(n,p) = j] and Pr[Bin(n,p) > j], from the window low .. top. *)
  Definition start (j low top : N) : interval * interval :=
    if (N.leb low j && N.leb j top && N.leb top n)%bool then
      let '(_, w, above) := down (N.to_nat (top - j)) top #1 zero in
      let '(_, w', above') := down (N.to_nat (j - low)) j w above in
      let more := beyond_top top #1 in
      let total := above' + w' + more + beyond_low low w' in
      (w / total, (above + more) / total)
    else (anything, anything).

  (* Soundness. *)
  Variable p : R.
  Hypothesis Hp : 0 < p < 1.
  Hypothesis Ho : encloses o (p / (1 - p)).
  Let size := N.to_nat n.

  Lemma odds_positive : (0 < p / (1 - p))%R.
  Proof. apply Rdiv_lt_0_compat; lra. Qed.

  Lemma down_correct (z : R) steps : forall k w above j,
    (N.to_nat k <= size)%nat -> (steps <= N.to_nat k)%nat ->
    encloses w (z * bin p size (N.to_nat k)) ->
    encloses above (z * sum (seq (S (N.to_nat k)) j) (bin p size)) ->
    let '(k', w', above') := down steps k w above in
    N.to_nat k' = (N.to_nat k - steps)%nat /\
    encloses w' (z * bin p size (N.to_nat k')) /\
    encloses above' (z * sum (seq (S (N.to_nat k')) (steps + j)) (bin p size)).
  Proof.
    induction steps as [|m IH]; intros k w above j Hk Hs Hw Ha.
    - cbn. repeat split; trivial; lia.
    - cbn [down].
      specialize (IH (N.pred k) (w * #k / (#(N.succ n - k) * o)) (above + w) (S j)).
      assert (Hpred : N.to_nat (N.pred k) = (N.to_nat k - 1)%nat) by lia.
      pose proof odds_positive as Po.
      assert (Hsub : N.to_nat (N.succ n - k) = (S size - N.to_nat k)%nat) by (unfold size; lia).
      assert (Hpos : (0 < INR (S size - N.to_nat k))%R) by (apply lt_0_INR; lia).
      destruct (down m _ _ _) as [[k' w'] a'].
      destruct IH as (E & W & A).
      + rewrite Hpred. lia.
      + lia.
      + rewrite Hpred, bin_down by (trivial; lia).
        eapply encloses_eq.
        * apply over_encloses; [|apply times_encloses; [exact Hw | apply natural_encloses]
                                |apply times_encloses; [apply natural_encloses | exact Ho]].
          rewrite Hsub. apply Rgt_not_eq, Rmult_lt_0_compat; lra.
        * rewrite Hsub. field. repeat split; lra.
      + rewrite Hpred. replace (S (N.to_nat k - 1)) with (N.to_nat k) by lia.
        eapply encloses_eq; [apply plus_encloses; [exact Ha | exact Hw]|].
        cbn [seq]. cbn [sum]. lra.
      + split; [lia|]. split; trivial.
        replace (S m + j)%nat with (m + S j)%nat by lia. exact A.
  Qed.

  Lemma series_correct w q x y b : encloses w x -> encloses q y -> (y < 1 -> 0 <= b <= x * y / (1 - y))%R ->
    encloses (series w q) b.
  Proof.
    intros Hw Hq H. unfold series. destruct (is_positive _) eqn:E; [|apply anything_encloses].
    assert (R1 : encloses (minus prec #1 q) (1 - y)) by (apply minus_encloses; [apply natural_encloses | exact Hq]).
    pose proof (is_positive_true _ _ R1 E).
    eapply between_encloses; [apply zero_encloses | | apply H; lra].
    apply over_encloses; [lra | now apply times_encloses | exact R1].
  Qed.

  Lemma beyond_top_correct z k w : (0 <= z)%R -> (N.to_nat k <= size)%nat -> encloses w (z * bin p size (N.to_nat k)) ->
    encloses (beyond_top k w) (z * tail p size (S (N.to_nat k))).
  Proof.
    intros Hz Hk Hw. unfold beyond_top.
    eapply series_correct; [exact Hw | |].
    - apply over_encloses; [|apply times_encloses; [apply natural_encloses | exact Ho] | apply natural_encloses].
      apply not_0_INR. lia.
    - intros H1. rewrite N2Nat.inj_sub, N2Nat.inj_succ in H1 |- *. fold size in H1 |- *.
      pose proof (tail_beyond p size (N.to_nat k) _ Hp Hk eq_refl H1) as [T1 T2].
      split; [now apply Rmult_le_pos|].
      eapply Rle_trans; [apply Rmult_le_compat_l; [exact Hz | exact T2]|].
      right. unfold Rdiv. ring.
  Qed.

  Lemma beyond_low_correct z k w : (0 <= z)%R -> (N.to_nat k <= size)%nat -> encloses w (z * bin p size (N.to_nat k)) ->
    encloses (beyond_low k w) (z * head p size (N.to_nat k)).
  Proof.
    intros Hz Hk Hw. unfold beyond_low. pose proof odds_positive.
    assert (Hpos : (0 < INR (S size - N.to_nat k))%R) by (apply lt_0_INR; lia).
    eapply series_correct; [exact Hw | |].
    - apply over_encloses; [|apply natural_encloses | apply times_encloses; [apply natural_encloses | exact Ho]].
      rewrite N2Nat.inj_sub, N2Nat.inj_succ. fold size. apply Rgt_not_eq, Rmult_lt_0_compat; lra.
    - intros H1. rewrite N2Nat.inj_sub, N2Nat.inj_succ in H1 |- *. fold size in H1 |- *.
      pose proof (head_beyond p size (N.to_nat k) _ Hp Hk eq_refl H1) as [T1 T2].
      split; [now apply Rmult_le_pos|].
      eapply Rle_trans; [apply Rmult_le_compat_l; [exact Hz | exact T2]|].
      right. unfold Rdiv. ring.
  Qed.

  (* The factor between the masses and the weights of a window that starts with weight 1 at k. *)
  Definition factor (k : N) : R := / bin p size (N.to_nat k).

  Lemma bin_positive k : (k <= size)%nat -> (0 < bin p size k)%R.
  Proof.
    intros H. rewrite bin_closed by trivial.
    pose proof (INR_fact_lt_0 size). pose proof (INR_fact_lt_0 k). pose proof (INR_fact_lt_0 (size - k)).
    repeat apply Rmult_lt_0_compat; try apply Rinv_0_lt_compat; try apply Rmult_lt_0_compat; trivial;
      apply pow_lt; lra.
  Qed.

  Lemma factor_positive k : (N.to_nat k <= size)%nat -> (0 < factor k)%R.
  Proof. intros. apply Rinv_0_lt_compat. now apply bin_positive. Qed.

  Lemma one_encloses k : (N.to_nat k <= size)%nat -> encloses #1 (factor k * bin p size (N.to_nat k)).
  Proof.
    intros H. eapply encloses_eq; [apply natural_encloses|]. unfold factor.
    rewrite Rinv_l; [reflexivity|]. apply Rgt_not_eq. now apply bin_positive.
  Qed.

  (* The total: the walked part of the window, the two ends, and hence the factor. *)
  Lemma total_correct z top low w above : (0 < z)%R -> (N.to_nat low <= N.to_nat top <= size)%nat ->
    encloses #1 (z * bin p size (N.to_nat top)) ->
    encloses w (z * bin p size (N.to_nat low)) ->
    encloses above (z * sum (seq (S (N.to_nat low)) (N.to_nat top - N.to_nat low)) (bin p size)) ->
    encloses (above + w + beyond_top top #1 + beyond_low low w) z.
  Proof.
    intros Hz H H1 Hw Ha. assert (Hz' : (0 <= z)%R) by now apply Rlt_le.
    eapply encloses_eq.
    - apply plus_encloses; [apply plus_encloses; [apply plus_encloses; [exact Ha | exact Hw]|]|].
      + apply beyond_top_correct; [exact Hz' | lia | exact H1].
      + apply beyond_low_correct; [exact Hz' | lia | exact Hw].
    - pose proof (bin_parts p size (N.to_nat low) (N.to_nat top) H) as B.
      replace (S (N.to_nat top) - N.to_nat low)%nat with (S (N.to_nat top - N.to_nat low)) in B by lia.
      cbn [seq] in B. cbn [sum] in B.
      rewrite <- !Rmult_plus_distr_l. transitivity (z * 1)%R; [apply f_equal; lra | ring].
  Qed.

  (* The pair of values at j. *)
  Theorem start_correct j low top :
    encloses (fst (start j low top)) (bin p size (N.to_nat j)) /\
    encloses (snd (start j low top)) (tail p size (S (N.to_nat j))).
  Proof.
    unfold start.
    destruct ((low <=? j)%N && (j <=? top)%N && (top <=? n)%N) eqn:E; [|split; apply anything_encloses].
    apply andb_true_iff in E as [E E3]. apply andb_true_iff in E as [E1 E2].
    apply N.leb_le in E1, E2, E3.
    assert (Htop : (N.to_nat top <= size)%nat) by (unfold size; lia).
    pose proof (factor_positive top Htop) as Hz. pose proof (one_encloses top Htop) as H1.
    set (z := factor top) in *.
    pose proof (down_correct z (N.to_nat (top - j)) top #1 zero 0 Htop ltac:(lia) H1) as D.
    destruct (down (N.to_nat (top - j)) top #1 zero) as [[k w] above].
    destruct D as (Ek & Hw & Ha).
    { eapply encloses_eq; [apply zero_encloses|]. cbn. lra. }
    replace (N.to_nat k) with (N.to_nat j) in * by lia.
    pose proof (down_correct z (N.to_nat (j - low)) j w above _ ltac:(lia) ltac:(lia) Hw Ha) as D.
    destruct (down (N.to_nat (j - low)) j w above) as [[k' w'] above'].
    destruct D as (Ek' & Hw' & Ha').
    replace (N.to_nat k') with (N.to_nat low) in * by lia.
    assert (T : encloses (above' + w' + beyond_top top #1 + beyond_low low w') z).
    { apply total_correct; trivial; [lia|].
      replace (N.to_nat top - N.to_nat low)%nat with (N.to_nat (j - low) + (N.to_nat (top - j) + 0))%nat by lia.
      exact Ha'. }
    cbn [fst snd]. split.
    - eapply encloses_eq; [apply over_encloses; [|exact Hw | exact T]; lra|]. field. lra.
    - eapply encloses_eq.
      + apply over_encloses; [| apply plus_encloses; [exact Ha|] | exact T]; [lra|].
        apply (beyond_top_correct z); [now apply Rlt_le | exact Htop | exact H1].
      + rewrite <- Rmult_plus_distr_l. unfold tail.
        replace (S size - S (N.to_nat j))%nat with ((N.to_nat (top - j) + 0) + (S size - S (N.to_nat top)))%nat by lia.
        rewrite (sum_seq_split _ (N.to_nat (top - j) + 0)).
        replace (S (N.to_nat j) + (N.to_nat (top - j) + 0))%nat with (S (N.to_nat top)) by lia.
        field. lra.
  Qed.
End Walk.
