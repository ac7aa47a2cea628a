(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * From the values of a profile at the nodes of a grid to delta(eps) of T rounds,
 * from above and from below: ../pld.md (Lemmas 1, 2, 3) and
 * ../exact-convolution.md put together, in the form in which the C code has its
 * numbers: bounds of H at the nodes alpha_i = e^((first+i) step), i < n, masses
 * p i at these losses and t at +infinity, and products of laws with rounding.
 *)
From Coq Require Import Reals List ZArith Lra Lia Arith Psatz Permutation.
From Shufbound Require Import Sum Hockey Divergence Composition Polygon Grid Hull Losses Pld.
Import ListNotations.
Open Scope R_scope.

(* Point 0 is alpha = 0, point i + 1 the node e^((first+i) step). *)
Definition point (step : R) (first : Z) (j : nat) : R :=
  match j with O => 0 | S i => exp (step * IZR (first + Z.of_nat i)) end.

Lemma point_increasing step first n : 0 < step -> increasing n (point step first).
Proof.
  intros S [|i] _; cbn [point]; [apply exp_pos|]. apply exp_increasing, Rmult_lt_compat_l; [exact S|].
  apply IZR_lt. lia.
Qed.

(* ---- sums over the corners kept and over all nodes ---- *)

Lemma increasing_indices c (k : nat -> nat) :
  k O = O -> (forall i, (i < c)%nat -> (k i < k (S i))%nat) ->
  forall i j, (i <= j <= c)%nat -> (k i <= k j)%nat /\ ((1 <= i)%nat -> (1 <= k i)%nat).
Proof.
  intros K0 K i j [I J]. split.
  - induction I as [|j I IH]; [lia|]. specialize (K j ltac:(lia)). specialize (IH ltac:(lia)). lia.
  - intros I1. destruct i as [|i]; [lia|]. specialize (K i ltac:(lia)). lia.
Qed.

Lemma sum_seq_split m n (f : nat -> R) : (m <= n)%nat -> sum (seq 1 n) f = sum (seq 1 m) f + sum (seq (S m) (n - m)) f.
Proof.
  intros H. replace n with (m + (n - m))%nat at 1 by lia. now rewrite seq_app, sum_app.
Qed.

(* Non-negative terms: the corners have at most the whole sum. *)
Lemma sum_kept_le c : forall m k f,
  k O = O -> (forall i, (i < c)%nat -> (k i < k (S i))%nat) -> (k c <= m)%nat ->
  (forall j, (1 <= j <= m)%nat -> 0 <= f j) ->
  sum (seq 1 c) (fun i => f (k i)) <= sum (seq 1 m) f.
Proof.
  induction c as [|c IH]; intros m k f K0 K KC F.
  - cbn. apply sum_nonneg. intros j J. apply in_seq in J. apply F. lia.
  - specialize (K c ltac:(lia)) as KK. rewrite seq_S, sum_app. cbn [Nat.add sum].
    rewrite (sum_seq_split (k (S c)) m) by exact KC.
    assert (0 <= sum (seq (S (k (S c))) (m - k (S c))) f).
    { apply sum_nonneg. intros j J. apply in_seq in J. apply F. lia. }
    destruct (k (S c)) as [|d] eqn:E; [lia|].
    rewrite (seq_S d), sum_app. cbn [Nat.add sum].
    assert (sum (seq 1 c) (fun i => f (k i)) <= sum (seq 1 d) f); [|lra].
    apply IH; trivial; [intros i I; apply K; lia | lia | intros j J; apply F; lia].
Qed.

(* Terms that vanish off the corners: the whole sum has at most the corners. *)
Lemma sum_kept_ge c : forall m k f,
  k O = O -> (forall i, (i < c)%nat -> (k i < k (S i))%nat) -> (k c <= m)%nat ->
  (forall j, (1 <= j <= m)%nat -> f j = 0 \/ exists i, (1 <= i <= c)%nat /\ k i = j) ->
  sum (seq 1 m) f <= sum (seq 1 c) (fun i => f (k i)).
Proof.
  induction c as [|c IH]; intros m k f K0 K KC F.
  - cbn. rewrite (sum_ext _ _ (fun _ => 0)), sum_zero; [lra|]. intros j J. apply in_seq in J.
    destruct (F j ltac:(lia)) as [Z|(i & I & _)]; [exact Z | lia].
  - specialize (K c ltac:(lia)) as KK. rewrite (seq_S c), sum_app. cbn [Nat.add sum].
    rewrite (sum_seq_split (k (S c)) m) by exact KC.
    assert (KM : forall i, (i <= S c)%nat -> (k i <= k (S c))%nat)
      by (intros i I; apply (increasing_indices (S c) k K0 K i (S c)); lia).
    assert (KM' : forall i, (i <= c)%nat -> (k i < k (S c))%nat).
    { intros i I. pose proof (increasing_indices (S c) k K0 K i c ltac:(lia)). lia. }
    assert (sum (seq (S (k (S c))) (m - k (S c))) f = 0) as ->.
    { rewrite (sum_ext _ _ (fun _ => 0)), sum_zero; [reflexivity|]. intros j J. apply in_seq in J.
      destruct (F j ltac:(lia)) as [Z|(i & I & KI)]; [exact Z|]. specialize (KM i ltac:(lia)). lia. }
    destruct (k (S c)) as [|d] eqn:E; [lia|]. rewrite seq_S, sum_app. cbn [Nat.add sum].
    assert (sum (seq 1 d) f <= sum (seq 1 c) (fun i => f (k i))); [|lra].
    apply IH; trivial; [intros i I; apply K; lia | lia|].
    intros j J. destruct (F j ltac:(lia)) as [Z|(i & I & KI)]; [now left|]. right. exists i. split; [|exact KI].
    destruct (Nat.eq_dec i (S c)) as [->|]; [lia | lia].
Qed.

(* The profile of a grid law as a sum of hinges. *)
Lemma grid_law_hockey step first n p t alpha :
  0 <= t ->
  let g := grid_pair step first n p t in
  hockey (outcomes g) alpha (P_of g) (Q_of g)
  = t + sum (seq 1 n) (fun j => pos (p (j - 1)%nat - alpha * (p (j - 1)%nat / point step first j))).
Proof.
  intros T g. unfold g, grid_pair, hockey. cbn [outcomes P_of Q_of sum]. rewrite sum_map, pos_id by lra.
  replace (t - alpha * 0) with t by ring. f_equal. rewrite <- seq_shift, sum_map. apply sum_ext. intros i _.
  cbn [point]. replace (S i - 1)%nat with i by lia. do 2 f_equal.
  rewrite exp_Ropp. unfold Rdiv. ring.
Qed.

(* ---- grid laws ---- *)

(* A mass at each of the losses (first + i) step, i < count, and one at +infinity. *)
Record grid_law := GridLaw { first_node : Z; node_count : nat; node_mass : nat -> R; infinite_mass : R }.

Definition law_of (g : grid_law) : losses := dense (first_node g) (node_count g) (node_mass g) (infinite_mass g).

Definition pair_of_law (step : R) (g : grid_law) : pair_of (option nat) :=
  grid_pair step (first_node g) (node_count g) (node_mass g) (infinite_mass g).

Definition masses_nonneg (g : grid_law) : Prop :=
  0 <= infinite_mass g /\ forall i, (i < node_count g)%nat -> 0 <= node_mass g i.

Lemma pair_of_law_losses step gs :
  Forall masses_nonneg gs ->
  Forall2 (has_loss step) (map (pair_of_law step) gs) (map (fun g => grid_loss (first_node g)) gs)
  /\ laws_of (map (pair_of_law step) gs) (map (fun g => grid_loss (first_node g)) gs) = map law_of gs.
Proof.
  induction 1 as [|g gs [T N] F [IH1 IH2]]; cbn [map]; [split; [constructor | reflexivity]|]. split.
  - constructor; [now apply grid_pair_has_loss | exact IH1].
  - unfold laws_of in *. cbn [combine map fst snd]. rewrite IH2. f_equal. apply grid_pair_law.
Qed.

(* ---- above ---- *)

(*
 * The grid law g was built above the profile H: hi i >= H at node i; y is the
 * running minimum of the hi from the value 1 at alpha = 0. Of the points those
 * numbered k 0 = 0 < .. < k c = count are kept. The mass at a corner is at least
 * alpha times the change of slope; elsewhere it is at least 0; the infinite mass
 * is at least the last value, and at least 0.
 *)
Definition built_above (step : R) (g : grid_law) (H : R -> R) : Prop :=
  exists (hi : nat -> R) (c : nat) (k : nat -> nat),
    let x := point step (first_node g) in
    let y := running_min (fun j => match j with O => 1 | S i => hi i end) in
    (forall i, (i < node_count g)%nat -> H (x (S i)) <= hi i)
    /\ k O = O /\ k c = node_count g /\ (forall i, (i < c)%nat -> (k i < k (S i))%nat)
    /\ masses_nonneg g
    /\ (forall i, (1 <= i <= c)%nat ->
          x (k i) * bend c (fun i => x (k i)) (fun i => y (k i)) i <= node_mass g (k i - 1)%nat)
    /\ y (node_count g) <= infinite_mass g.

(* What is above a bound of the profile is above the profile. *)
Lemma built_above_weaken step g (H K : R -> R) :
  (forall alpha, 0 <= alpha -> H alpha <= K alpha) -> built_above step g K -> built_above step g H.
Proof.
  intros L (hi & c & k & B & R0). exists hi, c, k. split; [|exact R0].
  intros i I. eapply Rle_trans; [apply L, Rlt_le, exp_pos | now apply B].
Qed.

(* Such a law dominates. *)
Theorem built_above_dominates {B} step g (l : list B) P Q :
  0 < step -> mass l P -> mass l Q -> sum l P <= 1 ->
  built_above step g (fun alpha => hockey l alpha P Q) -> bounds (pair_of_law step g) l P Q.
Proof.
  intros S MP MQ SP (hi & c & k & HI & K0 & KC & K & [T0 PN] & PB & T).
  destruct g as [first n p t]. unfold pair_of_law. cbn [first_node node_count node_mass infinite_mass] in *.
  set (x := point step first) in *. set (y := running_min _) in *.
  pose proof (point_increasing step first n S) as X. fold x in X.
  pose proof (increasing_indices c k K0 K) as KI.
  assert (XP : forall j, (1 <= j)%nat -> 0 < x j) by (intros [|j] J; [lia | apply exp_pos]).
  set (q := fun i => p (k i - 1)%nat / x (k i)).
  assert (Q0 : forall i, (1 <= i <= c)%nat -> 0 <= q i).
  { intros i I. pose proof (KI i c ltac:(lia)). unfold q, Rdiv. apply Rmult_le_pos; [apply PN; lia|].
    apply Rlt_le, Rinv_0_lt_compat, XP. lia. }
  unfold bounds. apply dominates_trans with (l2 := nodes c) (P2 := grid_P (fun i => x (k i)) q t) (Q2 := grid_Q q).
  - intros alpha HA. rewrite grid_hockey by assumption. rewrite grid_law_hockey by exact T0.
    apply Rplus_le_compat_l.
    eapply Rle_trans; [|apply (sum_kept_le c n k); trivial; [lia | intros; apply pos_nonneg]].
    apply sum_le. intros i I. apply in_seq in I. pose proof (KI i c ltac:(lia)) as KII.
    specialize (XP (k i) ltac:(lia)). rewrite <- pos_scal by (apply Q0; lia). apply Req_le. f_equal.
    unfold q. fold x. field. lra.
  - assert (E : forall j, running_min (fun j => match j with O => 1 | Datatypes.S _ => hi (j - 1)%nat end) j = y j).
    { unfold y. induction j as [|j IH]; cbn [running_min]; [reflexivity|]. rewrite IH. do 2 f_equal. lia. }
    apply upper_grid_kept with (m := n) (hi := fun j => hi (j - 1)%nat); trivial.
    + intros [|j] J; [lia|]. replace (Datatypes.S j - 1)%nat with j by lia. apply HI. lia.
    + intros i I. unfold bend, slope_after, slope in *. rewrite !E.
      pose proof (KI i c ltac:(lia)) as KII. specialize (XP (k i) ltac:(lia)). specialize (PB i I).
      apply Rmax_lub; [now apply Q0|]. unfold q.
      apply Rmult_le_reg_l with (x (k i)); [exact XP|].
      replace (x (k i) * (p (k i - 1)%nat / x (k i))) with (p (k i - 1)%nat) by (field; lra). exact PB.
    + rewrite E. exact T.
Qed.

(*
 * The adaptive mechanisms M and N (neighbouring data sets) have the outcomes ls,
 * and after every history the next round's profile has its law in gs above it.
 *)
Fixpoint rounds_above {A} (step : R) (gs : list grid_law) (ls : list (list A))
    (M N : list A -> A -> R) (h : list A) : Prop :=
  match gs, ls with
  | [], [] => True
  | g :: gs', l :: ls' =>
      mass l (M h) /\ mass l (N h) /\ sum l (M h) <= 1
      /\ built_above step g (fun alpha => hockey l alpha (M h) (N h))
      /\ forall x, In x l -> rounds_above step gs' ls' M N (x :: h)
  | _, _ => False
  end.

Lemma rounds_above_dominated {A} step gs : forall (ls : list (list A)) M N h,
  0 < step -> rounds_above step gs ls M N h -> dominated (map (pair_of_law step) gs) ls M N h.
Proof.
  induction gs as [|g gs IH]; intros [|l ls] M N h S R0; cbn in *; trivial.
  destruct R0 as (MM & MN & SM & B & C). repeat split; trivial.
  - now apply built_above_dominates.
  - intros x X. now apply IH, C.
Qed.

(*
 * The upper bound: delta(eps) of the adaptive composition is at most the value of
 * the law `a` that was computed from the laws above with rounding up.
 *)
Theorem pld_upper {A} step gs (ls : list (list A)) M N a eps :
  0 < step -> Forall masses_nonneg gs -> rounds_above step gs ls M N [] -> computed_up (map law_of gs) a ->
  hockey (sequences ls) (exp eps) (adaptive M []) (adaptive N []) <= value a (hockey_weight step eps).
Proof.
  intros S F R0 C. destruct (pair_of_law_losses step gs F) as [HL E].
  apply (certified_upper step (map (pair_of_law step) gs) (map (fun g => grid_loss (first_node g)) gs)); trivial.
  - lra.
  - now apply rounds_above_dominated.
  - now rewrite E.
Qed.

Lemma map_repeat {X Y} (f : X -> Y) x n : map f (repeat x n) = repeat (f x) n.
Proof. induction n; cbn; [reflexivity | now f_equal]. Qed.

(*
 * The same for T rounds with one bound K of their profiles, whatever happened
 * before: K is the profile of a dominating pair, or a bound such as that of a
 * subsampled mechanism.
 *)
Corollary pld_upper_power {A} step g (l : list A) M N T K a eps :
  0 < step -> built_above step g K ->
  (forall h, incl h l ->
     mass l (M h) /\ mass l (N h) /\ sum l (M h) <= 1
     /\ forall alpha, 0 <= alpha -> hockey l alpha (M h) (N h) <= K alpha) ->
  computed_up (repeat (law_of g) T) a ->
  hockey (sequences (repeat l T)) (exp eps) (adaptive M []) (adaptive N []) <= value a (hockey_weight step eps).
Proof.
  intros S B D C. assert (NN : masses_nonneg g) by (destruct B as (hi & c & k & _ & _ & _ & _ & NN & _); exact NN).
  apply (pld_upper step (repeat g T)); trivial.
  - apply Forall_forall. intros z Z. apply repeat_spec in Z as ->. exact NN.
  - clear C. assert (forall h, incl h l ->
      rounds_above step (repeat g T) (repeat l T) M N h) as G; [|apply G; intros x []].
    induction T as [|T IH]; intros h H; cbn; [exact I|]. destruct (D h H) as (D1 & D2 & D3 & D4).
    repeat split; trivial; [now apply built_above_weaken with K|].
    intros x X. apply IH. intros y [<-|Y]; [exact X | now apply H].
  - now rewrite map_repeat.
Qed.

(* ---- below ---- *)

Lemma cell_sag_ext m x low high low' high' j :
  (forall i, low i = low' i) -> (forall i, high i = high' i) -> cell_sag m x low high j = cell_sag m x low' high' j.
Proof.
  intros L H. unfold cell_sag, slope, left_slope, right_slope. rewrite !L, !H.
  destruct j as [|j]; [reflexivity|]. now rewrite ?L, ?H.
Qed.

(*
 * The grid law g was built below the profile of (P, Q): its infinite mass t is at
 * most the mass of P that Q does not see; lo i <= H <= hi i at node i, and both are
 * lowered by t (the value at alpha = 0 to 1 - t). s j is at least the sag of cell
 * j, z j at most the value at point j lowered by the sags of its cells, positive
 * before the point r and 0 there; the corners are those of the envelope of the points
 * (x j, z j), j <= r. The mass is 0 off the corners and at most alpha times the change
 * of slope there.
 *)
Definition built_below {B} (step : R) (g : grid_law) (p : pair_of B) : Prop :=
  exists (lo hi s z : nat -> R) (r : nat),
    let n := node_count g in
    let t := infinite_mass g in
    let x := point step (first_node g) in
    let low j := match j with O => 1 - t | S i => lo i - t end in
    let high j := match j with O => 1 - t | S i => hi i - t end in
    let c := corners (envelope x z r) in
    let k := corner (envelope x z r) in
    t <= sum (filter (unseen (Q_of p)) (outcomes p)) (P_of p)
    /\ (forall i, (i < n)%nat -> lo i <= hockey (outcomes p) (x (S i)) (P_of p) (Q_of p) <= hi i)
    /\ (forall j, (j < r)%nat -> cell_sag n x low high j <= s j)
    /\ (forall j, (j < r)%nat -> z j <= low j - s j /\ z (S j) <= low (S j) - s j)
    /\ (forall j, (j < r)%nat -> 0 < z j) /\ z r = 0 /\ (r <= n)%nat
    /\ masses_nonneg g
    /\ (forall j, (1 <= j <= n)%nat -> node_mass g (j - 1)%nat = 0 \/ exists i, (1 <= i <= c)%nat /\ k i = j)
    /\ (forall i, (1 <= i <= c)%nat ->
          node_mass g (k i - 1)%nat <= x (k i) * bend c (fun i => x (k i)) (fun i => z (k i)) i).

(* A pair of probabilities. *)
Definition laws {B} (p : pair_of B) : Prop := law (outcomes p) (P_of p) /\ law (outcomes p) (Q_of p).

(* Such a law is dominated. *)
Theorem built_below_dominated {B} step g (p : pair_of B) :
  0 < step -> laws p -> built_below step g p ->
  bounds p (outcomes (pair_of_law step g)) (P_of (pair_of_law step g)) (Q_of (pair_of_law step g)).
Proof.
  intros S [[MP SP] [MQ SQ]] (lo & hi & s & z & r & TU & B0 & HS & G & GP & GR & RN & [T0 PN] & PZ & PB).
  destruct p as [l P Q]. destruct g as [first n m t]. unfold pair_of_law, bounds.
  cbn [first_node node_count node_mass infinite_mass outcomes P_of Q_of] in *.
  set (x := point step first) in *. set (c := corners (envelope x z r)) in *. set (k := corner (envelope x z r)) in *.
  pose proof (point_increasing step first n S) as X. fold x in X.
  assert (XR : increasing r x) by (intros j J; apply X; lia).
  destruct (envelope_corners x z r XR r (le_n r)) as (K0 & KC & K' & _). fold c k in K0, KC, K'.
  assert (K : forall i, (i < c)%nat -> (k i < k (Datatypes.S i))%nat) by (intros i I; now apply K').
  pose proof (increasing_indices c k K0 K) as KI.
  assert (XP : forall j, (1 <= j)%nat -> 0 < x j) by (intros [|j] J; [lia | apply exp_pos]).
  set (q := fun i => m (k i - 1)%nat / x (k i)).
  assert (KL : forall i, (1 <= i <= c)%nat -> (1 <= k i <= r)%nat).
  { intros i I. pose proof (KI i c ltac:(lia)). lia. }
  assert (Q0 : forall i, (1 <= i <= c)%nat -> 0 <= q i).
  { intros i I. specialize (KL i I). unfold q, Rdiv. apply Rmult_le_pos; [apply PN; lia|].
    apply Rlt_le, Rinv_0_lt_compat, XP. lia. }
  apply dominates_trans with (l2 := nodes c) (P2 := grid_P (fun i => x (k i)) q t) (Q2 := grid_Q q).
  - destruct (lower_grid_envelope l P Q n x (fun j => lo (j - 1)%nat) (fun j => hi (j - 1)%nat) t s r z q)
      as [_ D]; trivial.
    + lra.
    + lra.
    + intros [|j] J; [lia|]. replace (Datatypes.S j - 1)%nat with j by lia. apply B0. lia.
    + intros j J. specialize (HS j J).
      erewrite cell_sag_ext; [exact HS| |]; intros [|i]; cbn beta iota; trivial;
        replace (Datatypes.S i - 1)%nat with i by lia; reflexivity.
    + intros j J. destruct (G j J) as [G1 G2]. split.
      * destruct j as [|j]; [exact G1|]. replace (Datatypes.S j - 1)%nat with j by lia. exact G1.
      * replace (Datatypes.S j - 1)%nat with j by lia. exact G2.
    + apply D. intros i I. split; [now apply Q0|]. specialize (PB i I). specialize (XP (k i) ltac:(apply KL; lia)).
      apply Rmult_le_reg_l with (x (k i)); [exact XP|]. unfold q.
      replace (x (k i) * (m (k i - 1)%nat / x (k i))) with (m (k i - 1)%nat) by (field; lra). exact PB.
  - intros alpha HA. rewrite grid_hockey by (trivial; lra). rewrite grid_law_hockey by lra.
    apply Rplus_le_compat_l.
    eapply Rle_trans; [apply (sum_kept_ge c n k); trivial; [lia|]|].
    + intros j J. destruct (PZ j J) as [Z|E]; [left | now right].
      rewrite Z. unfold Rdiv. rewrite Rmult_0_l, Rmult_0_r, Rminus_0_r. apply pos_id. lra.
    + apply sum_le. intros i I. apply in_seq in I. specialize (KL i ltac:(lia)).
      specialize (XP (k i) ltac:(lia)). rewrite <- pos_scal by (apply Q0; lia). apply Req_le. f_equal.
      unfold q. fold x. field. lra.
Qed.

(*
 * The lower bound: delta(eps) of independent rounds of the pairs ps is at least the
 * value of the law `a` that was computed from the laws below with rounding down.
 *)
Theorem pld_lower {B} step gs (ps : list (pair_of B)) a eps :
  0 < step -> Forall masses_nonneg gs -> Forall laws ps -> Forall2 (built_below step) gs ps ->
  computed_down (map law_of gs) a ->
  value a (hockey_weight step eps)
  <= hockey (outcomes (product_pair ps)) (exp eps) (P_of (product_pair ps)) (Q_of (product_pair ps)).
Proof.
  intros S F L B0 C. destruct (pair_of_law_losses step gs F) as [HL E].
  apply (certified_lower step (map (pair_of_law step) gs) (map (fun g => grid_loss (first_node g)) gs)); trivial.
  - lra.
  - clear - L. induction L as [|p ps [[MP _] [MQ _]] L IH]; constructor; [now split | exact IH].
  - clear - S L B0. revert L. induction B0 as [|g p gs ps H B0 IH]; intros L; cbn [map]; [constructor|].
    inversion L; subst. constructor; [now apply built_below_dominated | now apply IH].
  - now rewrite E.
Qed.

(* T rounds of one pair. *)
Corollary pld_lower_power {B} step g (p : pair_of B) T a eps :
  0 < step -> laws p -> built_below step g p -> computed_down (repeat (law_of g) T) a ->
  value a (hockey_weight step eps) <= hockey (outcomes (power T p)) (exp eps) (P_of (power T p)) (Q_of (power T p)).
Proof.
  intros S L B0 C.
  assert (NN : masses_nonneg g) by (destruct B0 as (lo & hi & s & z & r & _ & _ & _ & _ & _ & _ & _ & NN & _);
    exact NN).
  apply (pld_lower step (repeat g T)); trivial.
  - apply Forall_forall. intros w W. apply repeat_spec in W as ->. exact NN.
  - apply Forall_forall. intros w W. apply repeat_spec in W as ->. exact L.
  - clear - B0. induction T; cbn; constructor; trivial.
  - now rewrite map_repeat.
Qed.

(* ---- an instance: two rounds of binary randomised response, e^eps0 = 3, nodes 1/3, 1, 3 ---- *)

Lemma response_points j : (j <= 3)%nat -> point (ln 3) (-1) j = response_nodes j.
Proof.
  intros J. unfold response_nodes. destruct j as [|[|[|[|j]]]]; [..|lia]; cbn [point nth Z.of_nat Z.add].
  - reflexivity.
  - cbn. replace (ln 3 * -1) with (- ln 3) by ring. rewrite exp_Ropp, exp_ln; lra.
  - cbn. rewrite Rmult_0_r. apply exp_0.
  - cbn. rewrite Rmult_1_r. apply exp_ln. lra.
Qed.

(* Connecting the dots between 0, 1/3 and 3 gives the masses 1/4, 0, 3/4 at the losses -1, 0, 1 (in steps of log 3). *)
Definition response_law : grid_law := GridLaw (-1) 3 (fun i => nth i [1 / 4; 0; 3 / 4] 0) 0.

Lemma response_built_above :
  built_above (ln 3) response_law (fun alpha => hockey [true; false] alpha response_P response_Q).
Proof.
  exists (fun i => response_values (S i)), 2%nat, response_kept.
  cbn [response_law first_node node_count node_mass infinite_mass].
  assert (RM : forall j, (j <= 3)%nat ->
    running_min (fun j => match j with O => 1 | S i => response_values (S i) end) j = response_values j).
  { intros j J. unfold response_values.
    destruct j as [|[|[|[|j]]]]; [..|lia]; cbn [running_min nth]; repeat rewrite Rmin_right; lra. }
  repeat split; trivial.
  - intros i I. rewrite response_points, response_profile by lia. lra.
  - intros i I. destruct i as [|[|i]]; [..|lia]; cbn; lia.
  - cbn. lra.
  - intros i I. cbn in *. destruct i as [|[|[|i]]]; [..|lia]; cbn; lra.
  - intros i I. unfold bend, slope_after, slope.
    destruct i as [|[|[|i]]]; [lia|..|lia]; cbn [Nat.ltb Nat.leb Nat.sub];
      rewrite !response_points, !RM by (cbn; lia); cbn; lra.
  - rewrite RM by lia. cbn. lra.
Qed.

(* Two rounds, the product without rounding. *)
Example response_upper_two_rounds eps :
  hockey (sequences (repeat [true; false] 2)) (exp eps) (adaptive parity_P []) (adaptive parity_Q [])
  <= value (add_losses (law_of response_law) (law_of response_law)) (hockey_weight (ln 3) eps).
Proof.
  destruct response_laws as [[MP SP] [MQ SQ]].
  assert (LN : 0 < ln 3) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (NN : nonneg (law_of response_law)) by (intros z [<-|[<-|[<-|[<-|[]]]]]; cbn; lra).
  apply (pld_upper_power (ln 3) response_law [true; false] parity_P parity_Q 2
    (fun alpha => hockey [true; false] alpha response_P response_Q)); trivial.
  - exact response_built_above.
  - intros h _. unfold parity_P, parity_Q.
    destruct (Nat.even _); (split; [assumption | split; [assumption | split; [cbn; lra|]]]); intros alpha H.
    + apply Rle_refl.
    + unfold hockey. cbn. lra.
  - apply (up_product [law_of response_law] [law_of response_law] (law_of response_law) (law_of response_law)).
    + constructor; trivial. apply above_refl.
    + constructor; trivial. apply above_refl.
    + now apply add_losses_nonneg.
    + apply above_refl.
Qed.

(* A law below exists too: in every case the one without masses. *)
Example empty_below {B} step first n (p : pair_of B) :
  laws p -> built_below step (GridLaw first n (fun _ => 0) 0) p.
Proof.
  intros [[MP SP] [MQ SQ]].
  exists (fun i => hockey (outcomes p) (point step first (S i)) (P_of p) (Q_of p)),
    (fun i => hockey (outcomes p) (point step first (S i)) (P_of p) (Q_of p)), (fun _ => 0), (fun _ => 0), O.
  cbn [first_node node_count node_mass infinite_mass].
  repeat split; try (intros; lia); trivial; try lra.
  - apply sum_nonneg. intros z Z. apply filter_In in Z as [Z _]. now apply MP.
  - cbn. lra.
  - intros i I. cbn. lra.
  - intros j J. now left.
  - intros i I. cbn in I. lia.
Qed.
