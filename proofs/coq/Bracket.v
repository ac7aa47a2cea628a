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

Lemma laws_repeat {B} (g : pair_of B) s count : laws_of (repeat g count) (repeat s count) = repeat (law_of_loss g s) count.
Proof. unfold laws_of. induction count as [|c IH]; cbn; [reflexivity|]. now f_equal. Qed.

Lemma losses_repeat {B} step (g : pair_of B) s count :
  has_loss step g s -> Forall2 (has_loss step) (repeat g count) (repeat s count).
Proof. intros H. induction count; cbn; constructor; trivial. Qed.

(* ---- above ---- *)

(*
 * (P, Q) has the mass 1 at most, hi i >= H at node i; y is their running minimum
 * from the value 1 at alpha = 0. Of the points those numbered k 0 = 0 < .. < k c = n
 * are kept. The mass p at a corner is at least alpha times the change of slope;
 * elsewhere it is at least 0; the infinite mass t is at least the last value. If
 * (P, Q) dominates each of T adaptive rounds and `a` was computed from T copies of
 * the law with rounding up, delta(eps) is at most the value of `a`.
 *)
Theorem pld_upper {A B} (l : list B) P Q (l0 : list A) M N rounds_T step first n hi c k p t a eps :
  0 < step ->
  mass l P -> mass l Q -> sum l P <= 1 ->
  (forall i, (i < n)%nat -> hockey l (exp (step * IZR (first + Z.of_nat i))) P Q <= hi i) ->
  let x := point step first in
  let y := running_min (fun j => match j with O => 1 | S i => hi i end) in
  k O = O -> k c = n -> (forall i, (i < c)%nat -> (k i < k (S i))%nat) ->
  (forall i, (i < n)%nat -> 0 <= p i) ->
  (forall i, (1 <= i <= c)%nat -> x (k i) * bend c (fun i => x (k i)) (fun i => y (k i)) i <= p (k i - 1)%nat) ->
  y n <= t ->
  (forall h, incl h l0 -> mass l0 (M h) /\ mass l0 (N h) /\ dominates l P Q l0 (M h) (N h)) ->
  computed_up (repeat (dense first n p t) rounds_T) a ->
  hockey (sequences (repeat l0 rounds_T)) (exp eps) (adaptive M []) (adaptive N []) <= value a (hockey_weight step eps).
Proof.
  intros S MP MQ SP HI x y K0 KC K PN PB T D C.
  pose proof (point_increasing step first n S) as X. fold x in X.
  pose proof (increasing_indices c k K0 K) as KI.
  assert (XP : forall j, (1 <= j)%nat -> 0 < x j) by (intros [|j] J; [lia | apply exp_pos]).
  assert (T0 : 0 <= t).
  { eapply Rle_trans; [|exact T]. eapply Rle_trans; [apply (hockey_nonneg l P Q (x n))|].
    apply (running_min_bounds l P Q n x); trivial.
    intros [|j] J; [cbn; rewrite hockey_zero by exact MP; exact SP | apply HI; lia]. }
  set (g := grid_pair step first n p t).
  assert (HL : has_loss step g (grid_loss first)) by now apply grid_pair_has_loss.
  assert (DG : dominates (outcomes g) (P_of g) (Q_of g) l P Q).
  { set (q := fun i => p (k i - 1)%nat / x (k i)).
    assert (Q0 : forall i, (1 <= i <= c)%nat -> 0 <= q i).
    { intros i I. pose proof (KI i c ltac:(lia)). unfold q, Rdiv. apply Rmult_le_pos; [apply PN; lia|].
      apply Rlt_le, Rinv_0_lt_compat, XP. lia. }
    apply dominates_trans with (l2 := nodes c) (P2 := grid_P (fun i => x (k i)) q t) (Q2 := grid_Q q).
    - intros alpha HA. rewrite grid_hockey by assumption. unfold g. rewrite grid_law_hockey by exact T0.
      apply Rplus_le_compat_l.
      eapply Rle_trans; [|apply (sum_kept_le c n k); trivial; [lia | intros; apply pos_nonneg]].
      apply sum_le. intros i I. apply in_seq in I. pose proof (KI i c ltac:(lia)) as KII.
      specialize (XP (k i) ltac:(lia)). rewrite <- pos_scal by (apply Q0; lia). apply Req_le. f_equal.
      unfold q. fold x. field. lra.
    - apply upper_grid_kept with (m := n) (hi := fun j => hi (j - 1)%nat); trivial.
      + intros [|j] J; [lia|]. replace (Datatypes.S j - 1)%nat with j by lia. apply HI. lia.
      + intros i I.
        assert (E : forall j, running_min (fun j => match j with O => 1 | Datatypes.S _ => hi (j - 1)%nat end) j = y j).
        { unfold y. induction j as [|j IH]; cbn [running_min]; [reflexivity|]. rewrite IH. do 2 f_equal. lia. }
        unfold bend, slope_after, slope in *. rewrite !E.
        pose proof (KI i c ltac:(lia)) as KII. specialize (XP (k i) ltac:(lia)). specialize (PB i I).
        apply Rmax_lub; [now apply Q0|]. unfold q.
        apply Rmult_le_reg_l with (x (k i)); [exact XP|].
        replace (x (k i) * (p (k i - 1)%nat / x (k i))) with (p (k i - 1)%nat) by (field; lra). exact PB.
      + assert (E : running_min (fun j => match j with O => 1 | Datatypes.S _ => hi (j - 1)%nat end) n = y n).
        { unfold y. clear. induction n as [|j IH]; cbn [running_min]; [reflexivity|]. rewrite IH. do 2 f_equal. lia. }
        rewrite E. exact T. }
  apply (certified_upper step (repeat g rounds_T) (repeat (grid_loss first) rounds_T)).
  - lra.
  - now apply losses_repeat.
  - apply dominated_repeat; [|intros z []]. intros h H. destruct (D h H) as (D1 & D2 & D3).
    repeat split; trivial. unfold bounds. now apply dominates_trans with (l2 := l) (P2 := P) (Q2 := Q).
  - rewrite laws_repeat. unfold g. now rewrite grid_pair_law.
Qed.

(* ---- below ---- *)

Lemma cell_sag_ext m x low high low' high' j :
  (forall i, low i = low' i) -> (forall i, high i = high' i) -> cell_sag m x low high j = cell_sag m x low' high' j.
Proof.
  intros L H. unfold cell_sag, slope, left_slope, right_slope. rewrite !L, !H.
  destruct j as [|j]; [reflexivity|]. now rewrite ?L, ?H.
Qed.

(*
 * P and Q have the mass 1, t is at most the mass of P that Q does not see;
 * lo i <= H <= hi i at node i, and both are lowered by t (the value at alpha = 0 to
 * 1 - t). g and s are as in lower_grid_envelope, k and c the corners of the
 * envelope. The mass p is 0 off the corners and at most alpha times the change of
 * slope there. If `a` was computed from T copies of the law with rounding down,
 * its value is at most delta(eps) of T independent rounds of (P, Q).
 *)
Theorem pld_lower {B} (l : list B) P Q rounds_T step first n lo hi t s r g p a eps :
  0 < step ->
  mass l P -> mass l Q -> sum l P = 1 -> sum l Q <= 1 ->
  0 <= t <= sum (filter (unseen Q) l) P ->
  (forall i, (i < n)%nat -> lo i <= hockey l (exp (step * IZR (first + Z.of_nat i))) P Q <= hi i) ->
  let x := point step first in
  let low j := match j with O => 1 - t | S i => lo i - t end in
  let high j := match j with O => 1 - t | S i => hi i - t end in
  (forall j, (j < r)%nat -> cell_sag n x low high j <= s j) ->
  (forall j, (j < r)%nat -> g j <= low j - s j /\ g (S j) <= low (S j) - s j) ->
  (forall j, (j < r)%nat -> 0 < g j) -> g r = 0 -> (r <= n)%nat ->
  let c := corners (envelope x g r) in
  let k := corner (envelope x g r) in
  (forall i, (i < n)%nat -> 0 <= p i) ->
  (forall j, (1 <= j <= n)%nat -> p (j - 1)%nat = 0 \/ exists i, (1 <= i <= c)%nat /\ k i = j) ->
  (forall i, (1 <= i <= c)%nat -> p (k i - 1)%nat <= x (k i) * bend c (fun i => x (k i)) (fun i => g (k i)) i) ->
  computed_down (repeat (dense first n p t) rounds_T) a ->
  let pair := Pair l P Q in
  value a (hockey_weight step eps)
  <= hockey (outcomes (power rounds_T pair)) (exp eps) (P_of (power rounds_T pair)) (Q_of (power rounds_T pair)).
Proof.
  intros S MP MQ SP SQ T B0 x low high HS G GP GR RN c k PN PZ PB C pair.
  pose proof (point_increasing step first n S) as X. fold x in X.
  assert (XR : increasing r x) by (intros j J; apply X; lia).
  destruct (envelope_corners x g r XR r (le_n r)) as (K0 & KC & K' & _). fold c k in K0, KC, K'.
  assert (K : forall i, (i < c)%nat -> (k i < k (Datatypes.S i))%nat) by (intros i I; now apply K').
  pose proof (increasing_indices c k K0 K) as KI.
  assert (XP : forall j, (1 <= j)%nat -> 0 < x j) by (intros [|j] J; [lia | apply exp_pos]).
  set (gp := grid_pair step first n p t).
  assert (HL : has_loss step gp (grid_loss first)) by (apply grid_pair_has_loss; [lra | exact PN]).
  assert (DG : dominates l P Q (outcomes gp) (P_of gp) (Q_of gp)).
  { set (q := fun i => p (k i - 1)%nat / x (k i)).
    assert (KL : forall i, (1 <= i <= c)%nat -> (1 <= k i <= r)%nat).
    { intros i I. pose proof (KI i c ltac:(lia)). lia. }
    assert (Q0 : forall i, (1 <= i <= c)%nat -> 0 <= q i).
    { intros i I. specialize (KL i I). unfold q, Rdiv. apply Rmult_le_pos; [apply PN; lia|].
      apply Rlt_le, Rinv_0_lt_compat, XP. lia. }
    apply dominates_trans with (l2 := nodes c) (P2 := grid_P (fun i => x (k i)) q t) (Q2 := grid_Q q).
    - destruct (lower_grid_envelope l P Q n x (fun j => lo (j - 1)%nat) (fun j => hi (j - 1)%nat) t s r g q)
        as [_ D]; trivial.
      + intros [|j] J; [lia|]. replace (Datatypes.S j - 1)%nat with j by lia. apply B0. lia.
      + intros j J. specialize (HS j J).
        erewrite cell_sag_ext; [exact HS| |]; intros [|i]; cbn beta iota; trivial;
          replace (Datatypes.S i - 1)%nat with i by lia; reflexivity.
      + intros j J. destruct (G j J) as [G1 G2]. split.
        * destruct j as [|j]; [exact G1|]. replace (Datatypes.S j - 1)%nat with j by lia. exact G1.
        * replace (Datatypes.S j - 1)%nat with j by lia. exact G2.
      + apply D. intros i I. split; [now apply Q0|]. specialize (PB i I). specialize (XP (k i) ltac:(apply KL; lia)).
        apply Rmult_le_reg_l with (x (k i)); [exact XP|]. unfold q.
        replace (x (k i) * (p (k i - 1)%nat / x (k i))) with (p (k i - 1)%nat) by (field; lra). exact PB.
    - intros alpha HA. rewrite grid_hockey by (trivial; lra). unfold gp. rewrite grid_law_hockey by lra.
      apply Rplus_le_compat_l.
      eapply Rle_trans; [apply (sum_kept_ge c n k); trivial; [lia|]|].
      + intros j J. destruct (PZ j J) as [Z|E]; [left | now right]. rewrite Z. unfold Rdiv. rewrite Rmult_0_l, Rmult_0_r, Rminus_0_r.
        apply pos_id. lra.
      + apply sum_le. intros i I. apply in_seq in I. specialize (KL i ltac:(lia)).
        specialize (XP (k i) ltac:(lia)). rewrite <- pos_scal by (apply Q0; lia). apply Req_le. f_equal.
        unfold q. fold x. field. lra. }
  apply (certified_lower step (repeat gp rounds_T) (repeat (grid_loss first) rounds_T) (repeat pair rounds_T)).
  - lra.
  - now apply losses_repeat.
  - apply Forall_forall. intros z Z. apply repeat_spec in Z as ->. now split.
  - assert (bounds pair (outcomes gp) (P_of gp) (Q_of gp)) as BP by exact DG.
    clearbody gp. clear - BP. induction rounds_T; cbn; constructor; trivial.
  - rewrite laws_repeat. unfold gp. now rewrite grid_pair_law.
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

(* The law that connecting the dots gives: masses 1/4, 0, 3/4 at the losses -1, 0, 1 (in steps of log 3). *)
Definition response_law : losses := dense (-1) 3 (fun i => nth i [1 / 4; 0; 3 / 4] 0) 0.

Example response_upper_two_rounds eps :
  hockey (sequences (repeat [true; false] 2)) (exp eps) (adaptive parity_P []) (adaptive parity_Q [])
  <= value (add_losses response_law response_law) (hockey_weight (ln 3) eps).
Proof.
  destruct response_laws as [[MP SP] [MQ SQ]].
  assert (LN : 0 < ln 3) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (NN : nonneg response_law).
  { intros z [<-|[<-|[<-|[<-|[]]]]]; cbn; lra. }
  assert (RM : forall j, (j <= 3)%nat -> running_min (fun j => match j with O => 1 | S i => response_values (S i) end) j = response_values j).
  { intros j J. unfold response_values.
    destruct j as [|[|[|[|j]]]]; [..|lia]; cbn [running_min nth]; repeat rewrite Rmin_right; lra. }
  apply (pld_upper [true; false] response_P response_Q [true; false] parity_P parity_Q 2 (ln 3) (-1) 3
    (fun i => response_values (S i)) 2 response_kept (fun i => nth i [1 / 4; 0; 3 / 4] 0) 0); trivial.
  - lra.
  - intros i I. change (exp (ln 3 * IZR (-1 + Z.of_nat i))) with (point (ln 3) (-1) (S i)).
    rewrite response_points, response_profile by lia. lra.
  - intros i I. destruct i as [|[|i]]; [..|lia]; cbn; lia.
  - intros i I. destruct i as [|[|[|i]]]; [..|lia]; cbn; lra.
  - intros i I. unfold bend, slope_after, slope.
    destruct i as [|[|[|i]]]; [lia|..|lia]; cbn [Nat.ltb Nat.leb Nat.sub];
      rewrite !response_points, !RM by (cbn; lia); cbn; lra.
  - rewrite RM by lia. cbn. lra.
  - intros h _. unfold parity_P, parity_Q.
    destruct (Nat.even _); (split; [assumption | split; [assumption|]]); intros alpha H.
    + apply Rle_refl.
    + unfold hockey. cbn. lra.
  - apply (up_product [response_law] [response_law] response_law response_law).
    + constructor; trivial. apply above_refl.
    + constructor; trivial. apply above_refl.
    + now apply add_losses_nonneg.
    + apply above_refl.
Qed.
