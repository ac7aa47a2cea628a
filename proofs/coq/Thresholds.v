(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Histograms of which small counts are dropped, ../thresholds.md. A bucket has a count,
 * which is released if it is at least tau; nothing else is seen.
 *)
From Coq Require Import Reals List Lra Lia Arith Permutation.
From Shufbound Require Import Sum Hockey Divergence Composition Trinomial TrinomialMean Binomial Shuffle SumOfBits Noise.
Import ListNotations.
Open Scope R_scope.

(* What is released of the counts l with the masses P. *)
Definition kept (l : list nat) : list (option nat) := None :: map Some l.
Definition dropped (l : list nat) (tau : nat) (P : nat -> R) (z : option nat) : R :=
  match z with
  | Some y => if (tau <=? y)%nat then P y else 0
  | None => sum l (fun y => if (tau <=? y)%nat then 0 else P y)
  end.

(* A value that nobody holds. *)
Definition nothing (z : option nat) : R := match z with Some _ => 0 | None => 1 end.

Lemma dropped_hockey l tau P Q alpha :
  hockey (kept l) alpha (dropped l tau P) (dropped l tau Q)
  = pos (sum l (fun y => if (tau <=? y)%nat then 0 else P y) - alpha * sum l (fun y => if (tau <=? y)%nat then 0 else Q y))
    + sum l (fun y => if (tau <=? y)%nat then pos (P y - alpha * Q y) else 0).
Proof.
  unfold hockey, kept. cbn [sum dropped]. rewrite sum_map. f_equal. apply sum_ext_all. intros y. cbn [dropped].
  destruct (tau <=? y)%nat; [reflexivity | apply pos_zero; lra].
Qed.

(* Dropping is done to the counts. *)
Lemma dropped_below l tau P Q alpha : hockey (kept l) alpha (dropped l tau P) (dropped l tau Q) <= hockey l alpha P Q.
Proof.
  rewrite dropped_hockey. unfold hockey. rewrite <- sum_scal, <- sum_minus.
  rewrite (sum_ext_all l (fun y => pos (P y - alpha * Q y)) (fun y => (if (tau <=? y)%nat then 0 else pos (P y - alpha * Q y)) + (if
    (tau <=? y)%nat then pos (P y - alpha * Q y) else 0)))
    by (intros y; destruct (tau <=? y)%nat; ring).
  rewrite sum_plus. apply Rplus_le_compat_r. eapply Rle_trans; [apply pos_sum|]. apply sum_le. intros y _.
  destruct (tau <=? y)%nat; [rewrite pos_zero; lra | apply Rle_refl].
Qed.

Definition reached (l : list nat) (tau : nat) (P : nat -> R) : R := sum l (fun y => if (tau <=? y)%nat then P y else 0).

Lemma unreached l tau P : sum l P = 1 -> sum l (fun y => if (tau <=? y)%nat then 0 else P y) = 1 - reached l tau P.
Proof.
  intros <-. unfold reached. rewrite <- sum_minus. apply sum_ext_all. intros y. destruct (tau <=? y)%nat; ring.
Qed.

(* -------- Noise -------- *)

Section Noise.
  Variables (N : nat) (f : nat -> R) (tau s : nat).
  Hypotheses (HF : noise N f) (HL : log_concave f).

  (* The bucket with the sum x of its users' weights; nobody looks at an empty one. *)
  Definition bucket (r : nat) (x : option nat) : option nat -> R :=
    match x with Some c => dropped (range N r) tau (moved f c) | None => nothing end.

  (* The sole user's noisy weight reaches tau. *)
  Definition alone : R := reached (range N s) tau (moved f s).
  Let H alpha := hockey (range N s) alpha (P_of (noise_pair N f s)) (Q_of (noise_pair N f s)).

  (* One user more, of weight up to s: who has others in the bucket, or is alone there. *)
  Definition one_more (r : nat) (x x' : option nat) : Prop :=
    match x, x' with
    | Some a, Some b => (a <= r)%nat /\ (b <= r)%nat /\ near s a b
    | Some a, None | None, Some a => (a <= s)%nat /\ (a <= r)%nat
    | None, None => False
    end.

  Lemma reached_moved d r : (d <= r)%nat -> reached (range N r) tau (moved f d) = 1 - sum (seq 0 (tau - d)) f.
  Proof.
    intros D. unfold reached. destruct (moved_law N f HF d r D) as [_ ONE].
    assert (S0 : sum (seq 0 (tau - d)) f = sum (range N r) (fun y => if (tau <=? y)%nat then 0 else moved f d y)).
    { rewrite <- (moved_head f d tau). unfold range. destruct (le_lt_dec tau (S (N + r))) as [L|L].
      - rewrite (sum_seq_cut _ tau (S (N + r))) by exact L. rewrite (sum_null (seq tau _)).
        + rewrite Rplus_0_r. apply sum_ext. intros y I. apply in_seq in I. destruct (Nat.leb_spec tau y); [lia | reflexivity].
        + intros y I. apply in_seq in I. destruct (Nat.leb_spec tau y); [reflexivity | lia].
      - rewrite (sum_seq_tail (S (N + r)) tau) by (try lia; intros y Y; apply (moved_above N f HF); lia).
        apply sum_ext. intros y I. apply in_seq in I. destruct (Nat.leb_spec tau y); [lia | reflexivity]. }
    rewrite S0, <- ONE, <- sum_minus. apply sum_ext_all. intros y. destruct (tau <=? y)%nat; ring.
  Qed.

  Lemma reached_range d r : (d <= r)%nat -> 0 <= reached (range N r) tau (moved f d) <= 1.
  Proof.
    intros D. split.
    - apply sum_nonneg. intros y _. destruct (tau <=? y)%nat; [apply moved_nonneg, (noise_nonneg N f HF) | lra].
    - rewrite reached_moved by exact D. assert (0 <= sum (seq 0 (tau - d)) f) by (apply sum_nonneg; intros; apply (noise_nonneg N f HF)). lra.
  Qed.

  Lemma reached_grows d r : (d <= s)%nat -> (d <= r)%nat -> reached (range N r) tau (moved f d) <= alone.
  Proof.
    intros D R. unfold alone. rewrite !reached_moved by lia. rewrite (sum_seq_cut f (tau - s) (tau - d)) by lia.
    assert (0 <= sum (seq (tau - s) (tau - d - (tau - s))) f) by (apply sum_nonneg; intros; apply (noise_nonneg N f HF)). lra.
  Qed.

  (* A sole user against nobody. *)
  Lemma sole d r alpha : (d <= r)%nat -> 1 <= alpha ->
    let t := reached (range N r) tau (moved f d) in
    hockey (kept (range N r)) alpha (bucket r (Some d)) (bucket r None) = t
    /\ hockey (kept (range N r)) alpha (bucket r None) (bucket r (Some d)) = pos (1 - alpha * (1 - t)).
  Proof.
    intros D A t. pose proof (reached_range d r D) as T. fold t in T. destruct (moved_law N f HF d r D) as [M ONE].
    unfold hockey, kept. cbn [sum bucket nothing dropped]. rewrite !sum_map, (unreached _ tau _ ONE). fold t. split.
    - rewrite pos_zero by lra. rewrite Rplus_0_l. apply sum_ext. intros y I. cbn [bucket nothing dropped].
      destruct (tau <=? y)%nat; [rewrite pos_id; [ring | specialize (M y I); lra] | apply pos_zero; lra].
    - rewrite (sum_null (range N r)); [ring|]. intros y I. cbn [bucket nothing dropped]. apply pos_zero.
      specialize (M y I). destruct (tau <=? y)%nat; [nra | lra].
  Qed.

  Theorem noise_and_threshold r x x' alpha : 1 <= alpha -> one_more r x x' ->
    hockey (kept (range N r)) alpha (bucket r x) (bucket r x') <= Rmax (H alpha) alone.
  Proof.
    intros A O. destruct x as [a|], x' as [b|]; cbn [one_more] in O; [| | |destruct O].
    - destruct O as (Ha & Hb & NE). eapply Rle_trans; [apply dropped_below|]. eapply Rle_trans; [|apply Rmax_l].
      apply (additive_noise N f HF HL s a b r Ha Hb NE alpha). lra.
    - destruct O as [D R]. eapply Rle_trans; [|apply Rmax_r]. destruct (sole a r alpha R A) as [-> _]. now apply reached_grows.
    - destruct O as [D R]. eapply Rle_trans; [|apply Rmax_r]. destruct (sole b r alpha R A) as [_ ->].
      pose proof (reached_grows b r D R). pose proof (reached_range b r R). apply pos_lub; [|nra]. lra.
  Qed.

  (* Both are reached: by weight s alone, and by others far above tau. *)
  Theorem noise_and_threshold_attained alpha : 1 <= alpha ->
    hockey (kept (range N s)) alpha (bucket s (Some s)) (bucket s None) = alone
    /\ hockey (kept (range N (tau + s)%nat)) alpha (bucket (tau + s)%nat (Some (tau + s)%nat)) (bucket (tau + s)%nat (Some tau)) = H alpha.
  Proof.
    intros A. split; [now apply (sole s s)|].
    transitivity (hockey (range N (tau + s)) alpha (moved f (tau + s)) (moved f tau)).
    - cbn [bucket]. rewrite dropped_hockey.
      rewrite (sum_null _ (fun y => if (tau <=? y)%nat then 0 else moved f (tau + s) y)), (sum_null _ (fun y => if (tau <=? y)%nat then 0 else moved f tau y)).
      + rewrite pos_zero by lra. rewrite Rplus_0_l. unfold hockey. apply sum_ext_all. intros y. destruct (Nat.leb_spec tau y); [reflexivity|].
        symmetry. unfold moved. destruct (Nat.leb_spec (tau + s) y), (Nat.leb_spec tau y); try lia. apply pos_zero. lra.
      + intros y _. unfold moved. destruct (Nat.leb_spec tau y); reflexivity.
      + intros y _. unfold moved. destruct (Nat.leb_spec tau y), (Nat.leb_spec (tau + s) y); try lia; reflexivity.
    - pose proof (hockey_moved N f s 0 tau s alpha ltac:(lia) ltac:(lia)) as E. rewrite Nat.add_0_r in E. rewrite E.
      apply hockey_ext; [reflexivity | intros; apply moved_zero].
  Qed.
End Noise.

(* -------- A user whose value is replaced -------- *)

Section Buckets.
  Context {V B A : Type} (entry : V -> B -> A -> R) (l : list A) (value_dec : forall v w : V, {v = w} + {v <> w}).
  (* The law of what is released of the value v, b what its users have. *)
  Hypothesis HE : forall v b, law l (entry v b).

  (* The histogram of all values, which are independent. *)
  Definition histogram (vs : list V) (d : V -> B) : list A -> R := rounds (map (fun v => entry v (d v)) vs).

  (* p bounds each of the two buckets that differ: twice p bounds the histogram. *)
  Theorem two_buckets {C} (p : pair_of C) vs (d d' : V -> B) v w :
    NoDup vs -> In v vs -> In w vs -> v <> w -> (forall u, u <> v -> u <> w -> d u = d' u) -> masses p ->
    bounds p l (entry v (d v)) (entry v (d' v)) -> bounds p l (entry w (d w)) (entry w (d' w)) ->
    bounds (power 2 p) (sequences (map (fun _ => l) vs)) (histogram vs d) (histogram vs d').
  Proof.
    intros ND IV IW NE SAME MP BV BW alpha H.
    set (pr := fun u => Pair l (entry u (d u)) (entry u (d' u))). set (tells := fun u => if value_dec u v then true else if value_dec u w then true else false).
    assert (M : forall u, masses (pr u)) by (intros u; split; apply HE).
    assert (O : hockey (sequences (map (fun _ => l) vs)) alpha (histogram vs d) (histogram vs d')
                = hockey (outcomes (product_pair (map pr vs))) alpha (P_of (product_pair (map pr vs))) (Q_of (product_pair (map pr vs)))).
    { unfold product_pair, histogram. cbn [outcomes P_of Q_of]. rewrite !map_map. reflexivity. }
    rewrite O, (product_alike pr tells vs (fun u _ => M u)); trivial.
    - assert (F : Permutation (filter tells vs) [v; w]).
      { apply NoDup_Permutation; [now apply NoDup_filter | repeat constructor; cbn; intuition |]. intros u. rewrite filter_In. unfold tells.
        split; [intros [I T]; destruct (value_dec u v), (value_dec u w); subst; cbn; intuition discriminate|].
        intros [<-|[<-|[]]]; (split; [assumption|]).
        - destruct (value_dec v v); [reflexivity | contradiction].
        - destruct (value_dec w v); [reflexivity|]. destruct (value_dec w w); [reflexivity | contradiction]. }
      assert (G : forall a b, bounds p l (P_of (pr a)) (Q_of (pr a)) -> bounds p l (P_of (pr b)) (Q_of (pr b)) ->
        hockey (outcomes (product_pair [pr a; pr b])) alpha (P_of (product_pair [pr a; pr b])) (Q_of (product_pair [pr a; pr b]))
        <= hockey (outcomes (power 2 p)) alpha (P_of (power 2 p)) (Q_of (power 2 p))).
      { intros a b Ba Bb. apply (dominates_rounds [p; p] [pr a; pr b]); trivial.
        - now repeat apply Forall_cons.
        - now repeat apply Forall_cons.
        - apply Forall2_cons; [exact Ba | apply Forall2_cons; [exact Bb | apply Forall2_nil]]. }
      apply Permutation_sym, Permutation_length_2_inv in F as [->| ->]; now apply G.
    - intros u _ T. unfold tells in T. destruct (value_dec u v) as [|Nv], (value_dec u w) as [|Nw]; try discriminate.
      cbn [pr outcomes P_of Q_of]. split; [apply HE|]. intros x _. now rewrite (SAME u Nv Nw).
  Qed.
End Buckets.

(* -------- Samples -------- *)

(* n users hold a value, each report is kept with probability p: the count of those kept, and what is released of it. *)
Section Samples.
  Variables (p : R) (tau : nat) (alpha : R).
  Hypotheses (P0 : 0 < p) (P1 : p < 1) (T1 : (1 <= tau)%nat).

  Definition released (r n : nat) : option nat -> R := dropped (seq 0 (S r)) tau (bin p n).

  (* Of m + 1 users against m: with the record, and without; the outcomes are the counts up to r. *)
  Definition added (r m : nat) : R := hockey (kept (seq 0 (S r))) alpha (released r (S m)) (released r m).
  Definition all_counts (r m : nat) : R := hockey (seq 0 (S r)) alpha (bin p (S m)) (bin p m).

  (* The event that the count is released. *)
  Definition gain (m : nat) : R := p * bin p m (tau - 1) - (alpha - 1) * tail p m tau.

  Lemma bin_mass r n : mass (seq 0 (S r)) (bin p n).
  Proof. intros k _. apply bin_nonneg. lra. Qed.

  Lemma released_law r n : (n <= r)%nat -> law (kept (seq 0 (S r))) (released r n).
  Proof.
    intros H. split.
    - intros z _. destruct z as [k|]; unfold released; cbn [dropped].
      + destruct (tau <=? k)%nat; [apply bin_nonneg; lra | lra].
      + apply (sum_nonneg (seq 0 (S r))). intros k _. destruct (tau <=? k)%nat; [lra | apply bin_nonneg; lra].
    - unfold kept. cbn [sum]. rewrite sum_map. unfold released. cbn [dropped]. rewrite <- sum_plus, <- (bin_sum_over p n r H).
      apply sum_ext_all. intros k. destruct (tau <=? k)%nat; ring.
  Qed.

  Lemma reached_tail r n : (n <= r)%nat -> reached (seq 0 (S r)) tau (bin p n) = tail p n tau.
  Proof.
    intros H. assert (E : 1 - reached (seq 0 (S r)) tau (bin p n) = head p n tau).
    { rewrite <- (unreached _ tau _ (bin_sum_over p n r H)). unfold head. destruct (le_lt_dec tau (S r)) as [L|L].
      - rewrite (sum_seq_cut _ tau (S r)) by exact L. rewrite (sum_null (seq tau _)).
        + rewrite Rplus_0_r. apply sum_ext. intros k I. apply in_seq in I. destruct (Nat.leb_spec tau k); [lia | reflexivity].
        + intros k I. apply in_seq in I. destruct (Nat.leb_spec tau k); [reflexivity | lia].
      - rewrite (sum_seq_tail (S r) tau) by (try lia; intros k K; apply bin_above; lia).
        apply sum_ext. intros k I. apply in_seq in I. destruct (Nat.leb_spec tau k); [lia | reflexivity]. }
    pose proof (head_tail p n tau). lra.
  Qed.

  Lemma gain_event m : tail p (S m) tau - alpha * tail p m tau = gain m.
  Proof. rewrite tail_row by exact T1. unfold gain. ring. Qed.

  Lemma added_parts r m : (S m <= r)%nat ->
    added r m = pos (1 - alpha - gain m) + sum (seq 0 (S r)) (fun k => if (tau <=? k)%nat then pos (bin p (S m) k - alpha * bin p m k) else 0).
  Proof.
    intros H. unfold added, released. rewrite dropped_hockey. do 2 f_equal.
    rewrite !unreached, !reached_tail by (try apply bin_sum_over; lia). rewrite <- gain_event. ring.
  Qed.

  Lemma gain_sum r m : (S m <= r)%nat -> gain m = sum (seq 0 (S r)) (fun k => if (tau <=? k)%nat then bin p (S m) k - alpha * bin p m k else 0).
  Proof.
    intros H. rewrite <- gain_event, <- !(reached_tail r) by lia. unfold reached. rewrite <- sum_scal, <- sum_minus. apply sum_ext_all.
    intros k. destruct (tau <=? k)%nat; ring.
  Qed.

  Lemma gain_below r m : (S m <= r)%nat -> gain m <= added r m.
  Proof.
    intros H. rewrite added_parts, (gain_sum r m) at 1 by exact H. pose proof (pos_nonneg (1 - alpha - gain m)).
    assert (sum (seq 0 (S r)) (fun k => if (tau <=? k)%nat then bin p (S m) k - alpha * bin p m k else 0)
      <= sum (seq 0 (S r)) (fun k => if (tau <=? k)%nat then pos (bin p (S m) k - alpha * bin p m k) else 0)); [|lra].
    apply sum_le. intros k _. destruct (tau <=? k)%nat; [apply pos_ge | lra].
  Qed.

  (* No ratio is below 1 - p. *)
  Theorem sample_small r m : (S m <= r)%nat -> 0 <= alpha <= 1 - p -> added r m = 1 - alpha.
  Proof.
    intros H A. unfold added, hockey. rewrite (sum_ext _ _ (fun z => released r (S m) z - alpha * released r m z)).
    - rewrite sum_minus, sum_scal. destruct (released_law r (S m) H) as [_ ->]. destruct (released_law r m ltac:(lia)) as [_ ->]. ring.
    - assert (G : forall k, 0 <= bin p (S m) k - alpha * bin p m k).
      { intros k. rewrite bin_S. assert (0 <= before (bin p m) k) by (destruct k; cbn; [lra | apply bin_nonneg; lra]).
        pose proof (bin_nonneg p m k ltac:(lra)). nra. }
      intros z _. apply pos_id. destruct z as [k|]; unfold released; cbn [dropped].
      + destruct (tau <=? k)%nat; [apply G | lra].
      + rewrite <- sum_scal, <- sum_minus. apply sum_nonneg. intros k _. destruct (tau <=? k)%nat; [lra | apply G].
  Qed.

  Hypothesis A1 : 1 - p < alpha.
  Let c := 1 - (1 - p) / alpha.

  Lemma c_spec : alpha * c = alpha - (1 - p) /\ 0 < c < 1.
  Proof.
    assert (E : alpha * c = alpha - (1 - p)) by (unfold c; field; lra). split; [exact E|].
    split; [apply (Rmult_lt_reg_l alpha); lra | apply (Rmult_lt_reg_l alpha); lra].
  Qed.

  (* The ratio of the two laws passes alpha at (m + 1) c. *)
  Lemma ratio_above m k : INR (S m) * c <= INR k -> alpha * bin p m k <= bin p (S m) k.
  Proof.
    destruct c_spec as [C _]. intros H. destruct (le_lt_dec k m) as [L|L].
    - pose proof (bin_row p m k) as B. pose proof (bin_nonneg p m k ltac:(lra)) as N0. rewrite minus_INR in B by lia.
      assert (K : 0 < INR (S m) - INR k) by (rewrite <- minus_INR by lia; apply lt_0_INR; lia).
      apply (Rmult_le_reg_r (INR (S m) - INR k)); [exact K|]. rewrite B.
      assert (alpha * (INR (S m) - INR k) <= INR (S m) * (1 - p)) by nra.
      replace (alpha * bin p m k * (INR (S m) - INR k)) with (bin p m k * (alpha * (INR (S m) - INR k))) by ring.
      rewrite Rmult_assoc. apply Rmult_le_compat_l; assumption.
    - rewrite (bin_above p m k) by exact L. rewrite Rmult_0_r. apply bin_nonneg. lra.
  Qed.

  Lemma ratio_below m k : INR k <= INR (S m) * c -> bin p (S m) k <= alpha * bin p m k.
  Proof.
    destruct c_spec as [C [C0 C1]]. intros H. assert (0 < INR (S m)) by (apply lt_0_INR; lia). assert (L : (k < S m)%nat) by (apply INR_lt; nra).
    pose proof (bin_row p m k) as B. pose proof (bin_nonneg p m k ltac:(lra)) as N0. rewrite minus_INR in B by lia.
    assert (K : 0 < INR (S m) - INR k) by (rewrite <- minus_INR by lia; apply lt_0_INR; lia).
    apply (Rmult_le_reg_r (INR (S m) - INR k)); [exact K|]. rewrite B.
    assert (INR (S m) * (1 - p) <= alpha * (INR (S m) - INR k)) by nra.
    replace (alpha * bin p m k * (INR (S m) - INR k)) with (bin p m k * (alpha * (INR (S m) - INR k))) by ring.
    rewrite Rmult_assoc. apply Rmult_le_compat_l; assumption.
  Qed.

  (* One more report on both sides: no more is told. *)
  Lemma all_counts_step r m : (S (S m) <= r)%nat -> all_counts r (S m) <= all_counts r m.
  Proof.
    intros H. unfold all_counts.
    rewrite (hockey_ext _ _ (bin p (S (S m))) (bin p (S m)) (fun k => (1 - p) * bin p (S m) k + p * before (bin p (S m)) k)
      (fun k => (1 - p) * bin p m k + p * before (bin p m) k))
      by (intros; rewrite bin_S; ring).
    eapply Rle_trans; [apply hockey_jointly_convex; lra|].
    assert (E : hockey (seq 0 (S r)) alpha (before (bin p (S m))) (before (bin p m)) = hockey (seq 0 (S r)) alpha (bin p (S m)) (bin p m)); [|rewrite E; lra].
    unfold hockey. rewrite sum_seq_first, sum_seq_last. cbn [before]. rewrite !bin_above by lia. rewrite Rmult_0_r, Rminus_0_r. ring.
  Qed.

  Lemma all_counts_falls r m m' : (m <= m')%nat -> (S m' <= r)%nat -> all_counts r m' <= all_counts r m.
  Proof.
    intros H R. induction H as [|m' H IH]; [apply Rle_refl|]. eapply Rle_trans; [now apply all_counts_step|]. apply IH. lia.
  Qed.

  Lemma gain_step m : gain (S m) - gain m = p * (bin p (S m) (tau - 1) - alpha * bin p m (tau - 1)).
  Proof. unfold gain. rewrite tail_row by exact T1. ring. Qed.

  (* The worst number of users is the first, m + 1, for which (m + 1) c is at least tau - 1. *)
  Theorem sample_and_threshold r m0 m :
    INR (tau - 1) <= INR (S m0) * c -> m0 = 0%nat \/ INR m0 * c < INR (tau - 1) -> (S m <= r)%nat -> (S m0 <= r)%nat ->
    added r m <= gain m0 /\ added r m0 = gain m0.
  Proof.
    intros ENOUGH FIRST RM RM0. destruct c_spec as [C [C0 C1]].
    assert (TAU : INR tau = INR (tau - 1) + 1) by (rewrite minus_INR by lia; cbn [INR]; ring).
    assert (MORE : INR (S m0) * c <= INR tau).
    { destruct FIRST as [->|F]; [cbn [INR]; pose proof (pos_INR (tau - 1)); lra | rewrite S_INR; nra]. }
    assert (TOP : all_counts r m0 = gain m0).
    { rewrite (gain_sum r m0 RM0). unfold all_counts, hockey. apply sum_ext_all. intros k. destruct (Nat.leb_spec tau k) as [L|L].
      - apply pos_id. assert (INR tau <= INR k) by (now apply le_INR). pose proof (ratio_above m0 k ltac:(lra)). lra.
      - apply pos_zero. assert (INR k <= INR (tau - 1)) by (apply le_INR; lia). pose proof (ratio_below m0 k ltac:(lra)). lra. }
    assert (D0 : added r m0 = gain m0).
    { apply Rle_antisym; [|now apply gain_below]. rewrite <- TOP. apply dropped_below. }
    split; [|exact D0]. destruct (le_lt_dec m0 m) as [L|L].
    - rewrite <- TOP. eapply Rle_trans; [apply dropped_below|]. now apply all_counts_falls.
    - assert (V : added r m = gain m + pos (1 - alpha - gain m)).
      { rewrite added_parts by exact RM. rewrite Rplus_comm. f_equal. rewrite (gain_sum r m RM). apply sum_ext_all. intros k.
        destruct (Nat.leb_spec tau k) as [K|K]; [|reflexivity]. apply pos_id.
        assert (INR (S m) * c <= INR k).
        { assert (INR tau <= INR k) by (now apply le_INR). assert (INR (S m) <= INR m0) by (apply le_INR; lia).
          destruct FIRST as [->|F]; [lia|]. assert (INR (S m) * c <= INR m0 * c) by (apply Rmult_le_compat_r; lra). lra. }
        pose proof (ratio_above m k H). lra. }
      rewrite V. assert (G : gain m <= gain m0).
      { clear V RM. assert (X : forall j, (m <= j <= m0)%nat -> gain m <= gain j).
        { intros j [J1 J2]. induction J1 as [|j J1 IH]; [apply Rle_refl|]. specialize (IH ltac:(lia)). pose proof (gain_step j) as S1.
          assert (INR (S j) * c <= INR (tau - 1)).
          { destruct FIRST as [->|F]; [lia|]. assert (INR (S j) <= INR m0) by (apply le_INR; lia).
            assert (INR (S j) * c <= INR m0 * c) by (apply Rmult_le_compat_r; lra). lra. }
          pose proof (ratio_above j (tau - 1) H). assert (0 <= p * (bin p (S j) (tau - 1) - alpha * bin p j (tau - 1))) by (apply Rmult_le_pos; lra). lra. }
        apply X. lia. }
      assert (M : 1 - alpha <= gain m0).
      { rewrite <- D0. unfold added. pose proof (hockey_ge_masses (kept (seq 0 (S r))) (released r (S m0)) (released r m0) alpha) as X.
        destruct (released_law r (S m0) RM0) as [_ S1]. destruct (released_law r m0 ltac:(lia)) as [_ S2]. rewrite S1, S2 in X. lra. }
      unfold pos, Rmax. destruct (Rle_dec 0 (1 - alpha - gain m)); lra.
  Qed.
End Samples.
