(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Grid pairs above and below a pair, from enclosures of its profile at nodes:
 * ../pld.md, Lemma 2 (upper: connect the dots) and Lemma 3 (lower: chords less
 * their sag). The numbers of this file are exact reals; rounding is expressed
 * by inequalities: masses rounded up (upper) and down (lower), values at the
 * nodes given as bounds, sags rounded up.
 *
 * Points are numbered as in the C code: point 0 is alpha = 0, point j >= 1 a
 * node of the grid.
 *)
From Coq Require Import Reals List Lra Lia Arith Psatz Bool.
From Shufbound Require Import Sum Hockey Divergence Polygon.
Import ListNotations.
Open Scope R_scope.

(* ---- the law above ---- *)

(*
 * Connect the dots. y j bounds the profile at the points x 0 = 0 < .. < x m; the
 * mass q j is at least the change of slope of the polygon through them at node j
 * (and at least 0), the infinite mass at least the last value. Then the grid
 * pair dominates.
 *)
Theorem upper_grid {A} (l : list A) P Q m x y q t :
  mass l Q ->
  x O = 0 -> increasing m x ->
  (forall j, (j <= m)%nat -> hockey l (x j) P Q <= y j) ->
  (forall j, (1 <= j <= m)%nat -> Rmax 0 (bend m x y j) <= q j) ->
  y m <= t ->
  dominates (nodes m) (grid_P x q t) (grid_Q q) l P Q.
Proof.
  intros MQ X0 X Y B T alpha H.
  assert (QN : forall j, (1 <= j <= m)%nat -> 0 <= q j /\ bend m x y j <= q j).
  { intros j J. specialize (B j J). pose proof (Rmax_l 0 (bend m x y j)). pose proof (Rmax_r 0 (bend m x y j)). lra. }
  rewrite grid_hockey.
  - eapply Rle_trans.
    + apply (profile_below_polygon (fun a => hockey l a P Q) m x y); trivial; [now apply hockey_profile | lra..].
    + unfold polygon. apply Rplus_le_compat; [exact T|]. apply sum_le. intros j I. apply in_seq in I.
      apply Rmult_le_compat_r; [apply pos_nonneg | apply QN; lia].
  - eapply Rle_trans; [apply (hockey_nonneg l P Q (x m))|]. specialize (Y m ltac:(lia)). lra.
  - intros j J. now apply QN.
Qed.

(* The profile falls: bounds at earlier points hold at later ones, so their running minimum does. *)
Fixpoint running_min (y : nat -> R) (j : nat) : R :=
  match j with
  | O => y O
  | S i => Rmin (running_min y i) (y (S i))
  end.

Lemma running_min_bounds {A} (l : list A) P Q m x y :
  mass l Q -> increasing m x -> (forall j, (j <= m)%nat -> hockey l (x j) P Q <= y j) ->
  forall j, (j <= m)%nat -> hockey l (x j) P Q <= running_min y j.
Proof.
  intros MQ X Y. induction j as [|j IH]; intros J; cbn [running_min]; [now apply Y|].
  apply Rmin_glb; [|now apply Y]. eapply Rle_trans; [|apply IH; lia].
  apply hockey_decreasing; [exact MQ|]. apply Rlt_le, X. lia.
Qed.

(*
 * As the C code has it: P has mass 1 (at most), hi j >= the profile at node j; of
 * the points 0 .. m those numbered k 0 = 0 < .. < k c = m are kept, any choice.
 *)
Corollary upper_grid_kept {A} (l : list A) P Q m x hi c k q t :
  mass l P -> mass l Q -> sum l P <= 1 ->
  x O = 0 -> increasing m x ->
  (forall j, (1 <= j <= m)%nat -> hockey l (x j) P Q <= hi j) ->
  k O = O -> k c = m -> (forall i, (i < c)%nat -> (k i < k (S i))%nat) ->
  let y := running_min (fun j => match j with O => 1 | _ => hi j end) in
  (forall i, (1 <= i <= c)%nat -> Rmax 0 (bend c (fun i => x (k i)) (fun i => y (k i)) i) <= q i) ->
  y m <= t ->
  dominates (nodes c) (grid_P (fun i => x (k i)) q t) (grid_Q q) l P Q.
Proof.
  intros MP MQ SP X0 X HI K0 KC K y B T.
  assert (KM : forall i j, (i + j <= c)%nat -> (k i <= k (i + j))%nat).
  { intros i j. induction j as [|j IH]; intros J; [now rewrite Nat.add_0_r|].
    rewrite <- plus_n_Sm in *. specialize (K (i + j)%nat ltac:(lia)). specialize (IH ltac:(lia)). lia. }
  assert (KL : forall i, (i <= c)%nat -> (k i <= m)%nat).
  { intros i I. rewrite <- KC. replace c with (i + (c - i))%nat by lia. apply KM. lia. }
  apply upper_grid with (y := fun i => y (k i)); trivial.
  - now rewrite K0.
  - intros i I. apply (increasing_lt m x X). split; [now apply K | apply KL; lia].
  - intros i I. apply (running_min_bounds l P Q m); trivial; [|now apply KL].
    intros [|j] J; [|apply HI; lia]. rewrite X0, hockey_zero by exact MP. exact SP.
  - now rewrite KC.
Qed.

(* ---- the law below ---- *)

(*
 * How far two lines, falling like a z and b (d - z) from the ends of a chord of
 * length d, reach below it: the sag.
 *)
Definition sag (d a b : R) : R :=
  if Rlt_dec 0 a then if Rlt_dec 0 b then a * b * d / (a + b) else 0 else 0.

Lemma sag_nonneg d a b : 0 <= d -> 0 <= sag d a b.
Proof.
  intros D. unfold sag. destruct (Rlt_dec 0 a); [|lra]. destruct (Rlt_dec 0 b); [|lra].
  unfold Rdiv. apply Rmult_le_pos; [repeat apply Rmult_le_pos; lra|]. apply Rlt_le, Rinv_0_lt_compat. lra.
Qed.

(* The lower of the two reaches is at most the sag. *)
Lemma sag_spec d a b z : 0 <= z <= d -> Rmin (a * z) (b * (d - z)) <= sag d a b.
Proof.
  intros Z. pose proof (Rmin_l (a * z) (b * (d - z))). pose proof (Rmin_r (a * z) (b * (d - z))).
  set (low := Rmin (a * z) (b * (d - z))) in *. unfold sag.
  destruct (Rlt_dec 0 a) as [A|A]; [|apply Rnot_lt_le in A; nra].
  destruct (Rlt_dec 0 b) as [B|B]; [|apply Rnot_lt_le in B; nra].
  apply Rmult_le_reg_r with (a + b); [lra|].
  replace (a * b * d / (a + b) * (a + b)) with (a * b * d) by (field; lra). nra.
Qed.

(* It grows with both, so they may be rounded up. *)
Lemma sag_monotone d a b a' b' : 0 <= d -> a <= a' -> b <= b' -> sag d a b <= sag d a' b'.
Proof.
  intros D HA HB. pose proof (sag_nonneg d a' b' D) as N. unfold sag in *.
  destruct (Rlt_dec 0 a) as [A|A]; [|exact N]. destruct (Rlt_dec 0 b) as [B|B]; [|exact N].
  destruct (Rlt_dec 0 a'); [|lra]. destruct (Rlt_dec 0 b'); [|lra].
  apply Rmult_le_reg_r with (a + b); [lra|]. apply Rmult_le_reg_r with (a' + b'); [lra|].
  replace (a * b * d / (a + b) * (a + b) * (a' + b')) with (d * (a * b * (a' + b'))) by (field; lra).
  replace (a' * b' * d / (a' + b') * (a + b) * (a' + b')) with (d * (a' * b' * (a + b))) by (field; lra).
  apply Rmult_le_compat_l; [exact D|].
  assert (a * b * a' <= a * b' * a') by (apply Rmult_le_compat_r; [lra | apply Rmult_le_compat_l; lra]).
  assert (a * b * b' <= a' * b * b') by (apply Rmult_le_compat_r; [lra | apply Rmult_le_compat_r; lra]).
  lra.
Qed.

(*
 * Two lines below a function h on [u, v], through (u, y) with slope `left` and
 * through (v, z) with slope `right`: h is above the chord less the sag.
 *)
Lemma chord_less_sag h u v y z left right s alpha :
  u < v -> u <= alpha <= v ->
  y + left * (alpha - u) <= h alpha -> z + right * (alpha - v) <= h alpha ->
  let chord := (z - y) / (v - u) in
  sag (v - u) (chord - left) (right - chord) <= s ->
  y + chord * (alpha - u) - s <= h alpha.
Proof.
  intros UV A HL HR chord S.
  pose proof (sag_spec (v - u) (chord - left) (right - chord) (alpha - u) ltac:(lra)) as M.
  assert (C : chord * (v - u) = z - y) by (unfold chord; field; lra).
  unfold Rmin in M. destruct (Rle_dec _ _) in M; lra.
Qed.

(*
 * The general lower grid. h is a profile, known to be at least the chord of the
 * values low j less s j in every cell up to node r. A profile f that at the ends
 * of every cell is at most low less the cell's sag, and is 0 at the node r, is
 * nowhere above h.
 *)
Theorem below_lowered_chords h f r x low s alpha :
  profile f -> (forall a, 0 <= a -> 0 <= h a) ->
  x O = 0 -> increasing r x ->
  (forall j a, (j < r)%nat -> x j <= a <= x (S j) -> line x low j a - s j <= h a) ->
  (forall j, (j < r)%nat -> f (x j) <= low j - s j /\ f (x (S j)) <= low (S j) - s j) ->
  f (x r) <= 0 ->
  0 <= alpha -> f alpha <= h alpha.
Proof.
  intros F N X0 X C G R0 H. destruct (cell r x alpha ltac:(lra)) as [(j & J & K)|K].
  - specialize (C j alpha J K). destruct (G j J) as [GL GR]. specialize (X j J) as XJ.
    assert (0 <= x j) by (pose proof (increasing_le r x X 0 j ltac:(lia)); lra).
    pose proof (convex_chord f (x j) alpha (x (S j)) F ltac:(lra) K XJ) as CF.
    eapply Rle_trans; [|exact C].
    apply Rmult_le_reg_l with (x (S j) - x j); [lra|].
    assert ((x (S j) - alpha) * f (x j) <= (x (S j) - alpha) * (low j - s j)) by (apply Rmult_le_compat_l; lra).
    assert ((alpha - x j) * f (x (S j)) <= (alpha - x j) * (low (S j) - s j)) by (apply Rmult_le_compat_l; lra).
    pose proof (slope_spec x low j XJ) as S1. unfold line.
    replace ((x (S j) - x j) * (low j + slope x low j * (alpha - x j) - s j))
      with ((x (S j) - x j) * (low j - s j) + slope x low j * (x (S j) - x j) * (alpha - x j)) by ring.
    rewrite S1. lra.
  - pose proof (increasing_le r x X 0 r ltac:(lia)).
    pose proof (profile_falls f F (x r) alpha ltac:(lra)). specialize (N alpha H). lra.
Qed.

(*
 * The lines of ../pld.md, Lemma 3, below a profile h with low j <= h (x j) <= high j
 * at the points 0 .. m: to the left of cell j the line through the points j-1
 * (high) and j (low), before point 0 one of slope -1; to its right the line
 * through the points j+1 (low) and j+2 (high), after the last point one of slope 0.
 *)
Definition left_slope (x low high : nat -> R) (j : nat) : R :=
  match j with
  | O => -1
  | S i => (low j - high i) / (x j - x i)
  end.

Definition right_slope (m : nat) (x low high : nat -> R) (j : nat) : R :=
  if (S j <? m)%nat then (high (S (S j)) - low (S j)) / (x (S (S j)) - x (S j)) else 0.

(* The sag of cell j. *)
Definition cell_sag (m : nat) (x low high : nat -> R) (j : nat) : R :=
  sag (x (S j) - x j) (slope x low j - left_slope x low high j) (right_slope m x low high j - slope x low j).

Section Cells.
  Variables (h : R -> R) (m : nat) (x low high : nat -> R).
  Hypothesis H : profile h.
  Hypothesis steep : forall a b, 0 <= a <= b -> h a - h b <= b - a.
  Hypothesis zero : x O = 0.
  Hypothesis nodes_grow : increasing m x.
  Hypothesis bounds : forall j, (j <= m)%nat -> low j <= h (x j) <= high j.

  Lemma left_line j a :
    (j < m)%nat -> x j <= a -> low j + left_slope x low high j * (a - x j) <= h a.
  Proof.
    intros J A. destruct j as [|i]; cbn [left_slope].
    - pose proof (steep (x O) a ltac:(lra)). pose proof (bounds 0 ltac:(lia)). lra.
    - pose proof (nodes_grow i ltac:(lia)) as X1.
      pose proof (increasing_le m x nodes_grow 0 i ltac:(lia)).
      pose proof (convex_chord h (x i) (x (S i)) a H ltac:(lra) ltac:(lra) ltac:(lra)) as C.
      pose proof (bounds i ltac:(lia)). pose proof (bounds (S i) ltac:(lia)).
      apply Rmult_le_reg_l with (x (S i) - x i); [lra|].
      replace ((x (S i) - x i) * (low (S i) + (low (S i) - high i) / (x (S i) - x i) * (a - x (S i))))
        with ((a - x i) * low (S i) - (a - x (S i)) * high i) by (field; lra).
      assert ((a - x i) * low (S i) <= (a - x i) * h (x (S i))) by (apply Rmult_le_compat_l; lra).
      assert ((a - x (S i)) * h (x i) <= (a - x (S i)) * high i) by (apply Rmult_le_compat_l; lra).
      lra.
  Qed.

  Lemma right_line j a :
    (j < m)%nat -> 0 <= a <= x (S j) -> low (S j) + right_slope m x low high j * (a - x (S j)) <= h a.
  Proof.
    intros J A. unfold right_slope. destruct (S j <? m)%nat eqn:E.
    - apply Nat.ltb_lt in E. pose proof (nodes_grow (S j) E) as X1.
      pose proof (convex_chord h a (x (S j)) (x (S (S j))) H ltac:(lra) ltac:(lra) ltac:(lra)) as C.
      pose proof (bounds (S j) ltac:(lia)). pose proof (bounds (S (S j)) ltac:(lia)).
      apply Rmult_le_reg_l with (x (S (S j)) - x (S j)); [lra|].
      set (u := x (S j)) in *. set (v := x (S (S j))) in *.
      replace ((v - u) * (low (S j) + (high (S (S j)) - low (S j)) / (v - u) * (a - u)))
        with ((v - a) * low (S j) - (u - a) * high (S (S j))) by (field; lra).
      assert ((v - a) * low (S j) <= (v - a) * h u) by (apply Rmult_le_compat_l; lra).
      assert ((u - a) * h v <= (u - a) * high (S (S j))) by (apply Rmult_le_compat_l; lra).
      lra.
    - pose proof (profile_falls h H a (x (S j)) ltac:(lra)). pose proof (bounds (S j) ltac:(lia)). lra.
  Qed.

  (* In every cell the profile is at least the chord less the sag. *)
  Lemma cell_bound j a s :
    (j < m)%nat -> x j <= a <= x (S j) -> cell_sag m x low high j <= s -> line x low j a - s <= h a.
  Proof.
    intros J A S. pose proof (increasing_le m x nodes_grow 0 j ltac:(lia)).
    unfold line. apply (chord_less_sag h (x j) (x (Datatypes.S j)) (low j) (low (Datatypes.S j))
      (left_slope x low high j) (right_slope m x low high j) s a); trivial.
    - now apply nodes_grow.
    - apply left_line; [exact J | lra].
    - apply right_line; [exact J | lra].
  Qed.
End Cells.

(* The mass of P that Q does not see counts at every alpha. *)
Definition unseen {A} (Q : A -> R) (z : A) : bool := if Req_EM_T (Q z) 0 then true else false.

Lemma unseen_lower {A} (l : list A) P Q alpha : sum (filter (unseen Q) l) P <= hockey l alpha P Q.
Proof.
  rewrite sum_filter. apply sum_le. intros z _. unfold unseen. destruct (Req_EM_T (Q z) 0) as [E|E].
  - rewrite E, Rmult_0_r, Rminus_0_r. apply pos_ge.
  - apply pos_nonneg.
Qed.

(*
 * The law below. P has mass 1, Q at most 1, and t is at most the mass of P that Q
 * does not see. lo j <= H_{x j}(P||Q) <= hi j at the nodes j = 1 .. m, the point 0
 * having the value 1; all values are lowered by t. s j is at least the sag of
 * cell j. g j is at most the value lowered by the sags of its cells, and 0 at the
 * node r. The points k 0 = 0 < .. < k c = r are the corners of a polygon that is at
 * no node above g; the masses q are non-negative and at most its changes of slope.
 * Then the grid pair, with the infinite mass t, is dominated by (P, Q).
 *)
Theorem lower_grid {A} (l : list A) P Q m x lo hi t s r g c k q :
  mass l P -> mass l Q -> sum l P = 1 -> sum l Q <= 1 ->
  0 <= t <= sum (filter (unseen Q) l) P ->
  x O = 0 -> increasing m x ->
  (forall j, (1 <= j <= m)%nat -> lo j <= hockey l (x j) P Q <= hi j) ->
  let low j := match j with O => 1 - t | _ => lo j - t end in
  let high j := match j with O => 1 - t | _ => hi j - t end in
  (forall j, (j < r)%nat -> cell_sag m x low high j <= s j) ->
  (forall j, (j < r)%nat -> g j <= low j - s j /\ g (S j) <= low (S j) - s j) ->
  g r = 0 -> (r <= m)%nat ->
  k O = O -> k c = r -> (forall i, (i < c)%nat -> (k i < k (S i))%nat) ->
  (forall i j, (i < c)%nat -> (k i <= j <= k (S i))%nat ->
     line (fun i => x (k i)) (fun i => g (k i)) i (x j) <= g j) ->
  (forall i, (1 <= i <= c)%nat -> 0 <= q i <= bend c (fun i => x (k i)) (fun i => g (k i)) i) ->
  dominates l P Q (nodes c) (grid_P (fun i => x (k i)) q t) (grid_Q q).
Proof.
  intros MP MQ SP SQ T X0 X B low high S G GR R K0 KC K E M alpha H.
  set (h := fun a => hockey l a P Q - t).
  assert (PH : profile h).
  { destruct (hockey_profile l P Q MQ) as [C D]. unfold h. split.
    - intros u a b U Ha Hb. specialize (C u a b U Ha Hb). lra.
    - intros a b AB. specialize (D a b AB). lra. }
  assert (HP : forall a, 0 <= a -> 0 <= h a).
  { intros a _. unfold h. pose proof (unseen_lower l P Q a). lra. }
  assert (HS : forall a b, 0 <= a <= b -> h a - h b <= b - a).
  { intros a b AB. unfold h. pose proof (hockey_lipschitz l P Q a b MQ ltac:(lra)) as L.
    assert ((b - a) * sum l Q <= (b - a) * 1) by (apply Rmult_le_compat_l; lra). lra. }
  assert (HB : forall j, (j <= m)%nat -> low j <= h (x j) <= high j).
  { intros [|j] J; unfold low, high, h; cbn beta iota.
    - rewrite X0, hockey_zero, SP by exact MP. lra.
    - specialize (B (Datatypes.S j) ltac:(lia)). lra. }
  assert (XR : increasing r x) by (intros j J; apply X; lia).
  assert (KM : forall i j, (i + j <= c)%nat -> (k i <= k (i + j))%nat).
  { intros i j. induction j as [|j IH]; intros J; [now rewrite Nat.add_0_r|].
    rewrite <- plus_n_Sm in *. specialize (K (i + j)%nat ltac:(lia)). specialize (IH ltac:(lia)). lia. }
  assert (KL : forall i, (i <= c)%nat -> (k i <= r)%nat).
  { intros i I. rewrite <- KC. replace c with (i + (c - i))%nat by lia. apply KM. lia. }
  assert (XK : increasing c (fun i => x (k i))).
  { intros i I. apply (increasing_lt r x XR). split; [now apply K | apply KL; lia]. }
  set (f := fun a => sum (seq 1 c) (fun i => q i * pos (x (k i) - a))).
  assert (F : profile f).
  { unfold f. split.
    - intros u a b U _ _. rewrite <- !sum_scal, <- sum_plus. apply sum_le. intros i I. apply in_seq in I.
      destruct (M i ltac:(lia)) as [Q0 _].
      replace (x (k i) - ((1 - u) * a + u * b)) with ((1 - u) * (x (k i) - a) + u * (x (k i) - b)) by ring.
      pose proof (pos_convex u (x (k i) - a) (x (k i) - b) U). nra.
    - intros a b AB. apply sum_le. intros i I. apply in_seq in I. destruct (M i ltac:(lia)) as [Q0 _].
      apply Rmult_le_compat_l; [exact Q0|]. apply pos_le. lra. }
  assert (FP : forall a, f a <= polygon c (fun i => x (k i)) (fun i => g (k i)) a).
  { intros a. unfold polygon. rewrite KC, GR, Rplus_0_l. apply sum_le. intros i I. apply in_seq in I.
    apply Rmult_le_compat_r; [apply pos_nonneg | apply M; lia]. }
  assert (FG : forall j, (j <= r)%nat -> f (x j) <= g j).
  { intros j J. eapply Rle_trans; [apply FP|].
    assert (c = O \/ exists i, (i < c)%nat /\ (k i <= j <= k (Datatypes.S i))%nat) as [C0|(i & I & KJ)].
    { clear - K0 KC K J KL. destruct c as [|c]; [now left|]. right.
      assert (forall n, (n <= c)%nat -> (j <= k (Datatypes.S n))%nat ->
                exists i, (i < Datatypes.S c)%nat /\ (k i <= j <= k (Datatypes.S i))%nat) as W.
      { induction n as [|n IH]; intros N JN.
        - exists O. split; [lia|]. rewrite K0. lia.
        - destruct (le_lt_dec j (k (Datatypes.S n))) as [L|L]; [apply IH; lia|].
          exists (Datatypes.S n). split; lia. }
      apply (W c); lia. }
    - assert (j = O) as -> by (rewrite C0 in KC; lia). assert (r = O) as R00 by (rewrite C0 in KC; lia).
      subst c. unfold polygon. cbn. rewrite K0, R00 in *. lra.
    - rewrite (polygon_between c _ _ i) by (trivial; split; apply (increasing_le r x XR);
        specialize (KL (Datatypes.S i)); lia).
      now apply E. }
  rewrite grid_hockey; [|lra | intros i I; now apply M].
  assert (f alpha <= h alpha) as D; [|unfold h, f in D; lra].
  apply (below_lowered_chords h f r x low s); trivial.
  - intros j a J A1. apply (cell_bound h m x low high PH HS X0 X HB); trivial; [lia | now apply S].
  - intros j J. destruct (G j J) as [G1 G2]. split.
    + eapply Rle_trans; [apply FG; lia | exact G1].
    + eapply Rle_trans; [apply FG; lia | exact G2].
  - rewrite <- GR. now apply FG.
Qed.

(* ---- an instance: binary randomised response with e^eps0 = 3 ---- *)

(* Its profile is 1, 2/3, 1/2, 0 at the points 0, 1/3, 1, 3. *)
Definition response_nodes (j : nat) : R := nth j [0; 1 / 3; 1; 3] 4.
Definition response_values (j : nat) : R := nth j [1; 2 / 3; 1 / 2; 0] 0.
Definition response_kept (i : nat) : nat := nth i [0; 1; 3]%nat 4%nat.
Definition response_masses (i : nat) : R := nth i [0; 3 / 4; 1 / 4] 0.

Lemma response_profile j :
  (j <= 3)%nat -> hockey [true; false] (response_nodes j) response_P response_Q = response_values j.
Proof.
  intros J. unfold hockey, response_nodes, response_values, response_P, response_Q.
  destruct j as [|[|[|[|j]]]]; [..|lia]; cbn [sum nth].
  - rewrite !pos_id; lra.
  - rewrite pos_id, pos_zero; lra.
  - rewrite pos_id, pos_zero; lra.
  - rewrite !pos_zero; lra.
Qed.

Lemma response_grows : increasing 3 response_nodes.
Proof.
  intros j J. unfold response_nodes. destruct j as [|[|[|j]]]; [..|lia]; cbn [nth]; lra.
Qed.

(* Connecting the dots between 0, 1/3 and 3 gives the pair itself: masses 3/4 and 1/4. *)
Example response_upper :
  dominates (nodes 2) (grid_P (fun i => response_nodes (response_kept i)) response_masses 0)
    (grid_Q response_masses) [true; false] response_P response_Q.
Proof.
  destruct response_laws as [[MP SP] [MQ SQ]].
  apply upper_grid with (y := fun i => response_values (response_kept i)); trivial.
  - intros i I. destruct i as [|[|i]]; [..|lia]; cbn; lra.
  - intros i I. destruct i as [|[|[|i]]]; [..|lia]; (rewrite response_profile by (cbn; lia)); apply Rle_refl.
  - intros i I. destruct i as [|[|[|i]]]; [lia|..|lia]; apply Rmax_lub; unfold bend, slope_after, slope; cbn; lra.
  - cbn. lra.
Qed.

(* With a node at 1 every sag is 0, and the law below is the pair itself too. *)
Example response_lower :
  dominates [true; false] response_P response_Q (nodes 2)
    (grid_P (fun i => response_nodes (response_kept i)) response_masses 0) (grid_Q response_masses).
Proof.
  destruct response_laws as [[MP SP] [MQ SQ]].
  apply lower_grid with (m := 3%nat) (lo := response_values) (hi := response_values) (s := fun _ => 0)
    (r := 3%nat) (g := response_values); trivial; try lra.
  - split; [lra|]. apply sum_nonneg. intros z I. apply filter_In in I as [I _]. now apply MP.
  - exact response_grows.
  - intros j J. rewrite response_profile by lia. lra.
  - intros j J. unfold cell_sag, sag. destruct (Rlt_dec _ _) as [U|]; [|lra].
    destruct (Rlt_dec _ _) as [V|]; [|lra]. exfalso.
    destruct j as [|[|[|j]]]; [..|lia]; unfold slope, left_slope, right_slope in *; cbn in *; lra.
  - intros j J. destruct j as [|[|[|j]]]; [..|lia]; cbn; lra.
  - intros i I. destruct i as [|[|i]]; [..|lia]; cbn; lia.
  - intros i j I J. destruct i as [|[|i]]; [..|lia]; cbn in J; destruct j as [|[|[|[|j]]]]; try lia;
      unfold line, slope; cbn; lra.
  - intros i I. destruct i as [|[|[|i]]]; [lia|..|lia]; unfold bend, slope_after, slope; cbn; lra.
Qed.
