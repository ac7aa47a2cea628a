(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The lower convex envelope of points, as src/pld/grid.c computes it (a stack of
 * the corners kept, the last one dropped while the slope does not grow), and the
 * law below that it gives: ../pld.md, Lemma 3. The comparisons are exact here;
 * the C code's are certain, or it leaves the law empty.
 *)
From Coq Require Import Reals List Lra Lia Arith Psatz Bool.
From Shufbound Require Import Sum Hockey Divergence Polygon Grid.
Import ListNotations.
Open Scope R_scope.

Section Hull.
  Variables (x y : nat -> R).

  (* The slope of the line through the points i and j. *)
  Definition between (i j : nat) : R := (y j - y i) / (x j - x i).

  (* Drops the top of the stack while the slope to the new point n does not grow there. *)
  Fixpoint pop (stack : list nat) (n : nat) : list nat :=
    match stack with
    | j :: rest =>
        match rest with
        | i :: _ => if Rle_dec (between j n) (between i j) then pop rest n else stack
        | [] => stack
        end
    | [] => []
    end.

  (* The corners of the envelope of the points 0 .. n, the last one first. *)
  Fixpoint envelope (n : nat) : list nat :=
    match n with
    | O => [O]
    | S m => n :: pop (envelope m) n
    end.

  (* No point from i to j is below the line through the points i and j. *)
  Definition chord_below (i j : nat) : Prop :=
    forall p, (i <= p <= j)%nat -> y i + between i j * (x p - x i) <= y p.

  Fixpoint convex_chain (stack : list nat) : Prop :=
    match stack with
    | j :: rest =>
        match rest with
        | i :: rest' =>
            (i < j)%nat /\ chord_below i j
            /\ match rest' with h :: _ => between h i < between i j | [] => True end
            /\ convex_chain rest
        | [] => j = O
        end
    | [] => False
    end.

  Variable m : nat.
  Hypothesis nodes_grow : increasing m x.

  Lemma between_spec i j : (i < j <= m)%nat -> between i j * (x j - x i) = y j - y i.
  Proof.
    intros H. pose proof (increasing_lt m x nodes_grow i j H). unfold between. field. lra.
  Qed.

  (* Point j is on or above the line from i to n when the slope does not grow at j. *)
  Lemma chord_below_join i j n :
    (i < j)%nat -> (j < n <= m)%nat -> between j n <= between i j -> chord_below i j -> chord_below j n ->
      chord_below i n.
  Proof.
    intros I J S A B p P.
    pose proof (between_spec i j ltac:(lia)) as E1. pose proof (between_spec j n ltac:(lia)) as E2.
    pose proof (between_spec i n ltac:(lia)) as E3.
    pose proof (increasing_lt m x nodes_grow i j ltac:(lia)) as X1.
    pose proof (increasing_lt m x nodes_grow j n ltac:(lia)) as X2.
    set (u := between i j) in *. set (v := between j n) in *. set (w := between i n) in *.
    assert (W : w * (x n - x i) = u * (x j - x i) + v * (x n - x j)) by lra.
    assert (WU : w <= u).
    { apply Rmult_le_reg_r with (x n - x i); [lra|]. rewrite W. nra. }
    assert (VW : v <= w).
    { apply Rmult_le_reg_r with (x n - x i); [lra|]. rewrite W. nra. }
    destruct (le_lt_dec p j) as [K|K].
    - specialize (A p ltac:(lia)). fold u in A. pose proof (increasing_le m x nodes_grow i p ltac:(lia)). nra.
    - specialize (B p ltac:(lia)). fold v in B. pose proof (increasing_le m x nodes_grow p n ltac:(lia)).
      assert (y i + w * (x p - x i) = y n - w * (x n - x p)) by lra.
      assert (y j + v * (x p - x j) = y n - v * (x n - x p)) by lra. nra.
  Qed.

  Lemma pop_chain stack : forall n,
    convex_chain stack -> (n <= m)%nat ->
    match stack with j :: _ => (j < n)%nat /\ chord_below j n | [] => False end ->
    convex_chain (n :: pop stack n).
  Proof.
    induction stack as [|j rest IH]; intros n C N H; [contradiction|]. destruct H as [J B].
    destruct rest as [|i rest'].
    - cbn in *. repeat split; trivial.
    - cbn [pop]. destruct (Rle_dec (between j n) (between i j)) as [S|S].
      + destruct C as (I & A & _ & C). apply IH; trivial. split; [lia|]. now apply chord_below_join with j.
      + cbn [convex_chain]. apply Rnot_le_lt in S. repeat split; trivial; apply C.
  Qed.

  Lemma envelope_head n : exists rest, envelope n = n :: rest.
  Proof. destruct n; cbn; [now exists [] | now eexists]. Qed.

  (* The envelope: a convex chain from point n down to point 0 below all points. *)
  Theorem envelope_chain n : (n <= m)%nat -> convex_chain (envelope n).
  Proof.
    induction n as [|n IH]; intros N; [reflexivity|]. cbn [envelope].
    specialize (IH ltac:(lia)). destruct (envelope_head n) as (rest & E).
    apply pop_chain; trivial. rewrite E. split; [lia|]. intros p P.
    pose proof (between_spec n (S n) ltac:(lia)) as D.
    assert (p = n \/ p = S n) as [-> | ->] by lia; lra.
  Qed.

  (* ---- the corners, counted from point 0 ---- *)

  Definition corners (stack : list nat) : nat := length stack - 1.
  Definition corner (stack : list nat) (i : nat) : nat := nth (corners stack - i) stack O.

  Lemma chain_nth stack : forall i,
    convex_chain stack -> (S i < length stack)%nat ->
    (nth (S i) stack O < nth i stack O)%nat /\ chord_below (nth (S i) stack O) (nth i stack O).
  Proof.
    induction stack as [|j rest IH]; intros i C H; [contradiction|].
    destruct rest as [|h rest']; [cbn in H; lia|]. destruct C as (I & A & _ & C).
    destruct i as [|i]; [cbn; now split|]. apply (IH i C). cbn in *. lia.
  Qed.

  Lemma chain_slopes stack : forall i,
    convex_chain stack -> (S (S i) < length stack)%nat ->
    between (nth (S (S i)) stack O) (nth (S i) stack O) < between (nth (S i) stack O) (nth i stack O).
  Proof.
    induction stack as [|j rest IH]; intros i C H; [contradiction|].
    destruct rest as [|h [|h' rest']]; [cbn in H; lia..|]. destruct C as (_ & _ & S1 & C).
    destruct i as [|i]; [exact S1|]. apply (IH i C). cbn in *. lia.
  Qed.

  Lemma chain_last stack : convex_chain stack -> nth (length stack - 1) stack O = O.
  Proof.
    induction stack as [|j rest IH]; intros C; [contradiction|].
    destruct rest as [|h rest']; [exact C|]. destruct C as (_ & _ & _ & C). specialize (IH C).
    cbn [length] in *. replace (S (S (length rest')) - 1)%nat with (S (S (length rest') - 1)) by lia. exact IH.
  Qed.

  Theorem envelope_corners n :
    (n <= m)%nat ->
    let c := corners (envelope n) in
    let k := corner (envelope n) in
    k O = O /\ k c = n
    /\ (forall i, (i < c)%nat -> (k i < k (S i))%nat /\ chord_below (k i) (k (S i)))
    /\ (forall i, (S i < c)%nat -> between (k i) (k (S i)) < between (k (S i)) (k (S (S i)))).
  Proof.
    intros N c k. pose proof (envelope_chain n N) as C. unfold k, c, corner, corners in *.
    set (stack := envelope n) in *. split; [|split; [|split]].
    - rewrite Nat.sub_0_r. now apply chain_last.
    - rewrite Nat.sub_diag. destruct (envelope_head n) as (rest & E). unfold stack. now rewrite E.
    - intros i I. pose proof (chain_nth stack (length stack - 1 - S i) C ltac:(lia)) as H.
      replace (S (length stack - 1 - S i)) with (length stack - 1 - i)%nat in H by lia. exact H.
    - intros i I. pose proof (chain_slopes stack (length stack - 1 - S (S i)) C ltac:(lia)) as H.
      replace (S (S (length stack - 1 - S (S i)))) with (length stack - 1 - i)%nat in H by lia.
      replace (S (length stack - 1 - S (S i))) with (length stack - 1 - S i)%nat in H by lia. exact H.
  Qed.
End Hull.

(*
 * The law below, as the C code computes it. With x, lo, hi, t, s as in
 * lower_grid: g j > 0 at the points before r, g r = 0; the corners are those of the
 * envelope of the points 0 .. r; the masses are the changes of slope there, rounded
 * down (and not negative). That such masses exist is part of the theorem: no
 * change of slope is negative.
 *)
Theorem lower_grid_envelope {A} (l : list A) P Q m x lo hi t s r g q :
  mass l P -> mass l Q -> sum l P = 1 -> sum l Q <= 1 ->
  0 <= t <= sum (filter (unseen Q) l) P ->
  x O = 0 -> increasing m x ->
  (forall j, (1 <= j <= m)%nat -> lo j <= hockey l (x j) P Q <= hi j) ->
  let low j := match j with O => 1 - t | _ => lo j - t end in
  let high j := match j with O => 1 - t | _ => hi j - t end in
  (forall j, (j < r)%nat -> cell_sag m x low high j <= s j) ->
  (forall j, (j < r)%nat -> g j <= low j - s j /\ g (S j) <= low (S j) - s j) ->
  (forall j, (j < r)%nat -> 0 < g j) -> g r = 0 -> (r <= m)%nat ->
  let c := corners (envelope x g r) in
  let k := corner (envelope x g r) in
  let exact := bend c (fun i => x (k i)) (fun i => g (k i)) in
  (forall i, (1 <= i <= c)%nat -> 0 < exact i)
  /\ ((forall i, (1 <= i <= c)%nat -> 0 <= q i <= exact i) ->
      dominates l P Q (nodes c) (grid_P (fun i => x (k i)) q t) (grid_Q q)).
Proof.
  intros MP MQ SP SQ T X0 X B low high S G GP GR R c k exact.
  assert (XR : increasing r x) by (intros j J; apply X; lia).
  destruct (envelope_corners x g r XR r (le_n r)) as (K0 & KC & K & KS).
  fold c k in K0, KC, K, KS.
  split.
  - intros i [I1 I2]. unfold exact, bend. destruct i as [|i]; [lia|].
    replace (Datatypes.S i - 1)%nat with i by lia. unfold slope_after.
    rewrite (proj2 (Nat.ltb_lt i c)) by lia.
    destruct (Datatypes.S i <? c)%nat eqn:E.
    + apply Nat.ltb_lt in E. specialize (KS i E). unfold between in KS. unfold slope. lra.
    + apply Nat.ltb_ge in E. assert (Datatypes.S i = c) as EC by lia. unfold slope. rewrite EC, KC, GR.
      destruct (K i ltac:(lia)) as [KI _]. rewrite EC, KC in KI.
      pose proof (increasing_lt r x XR (k i) r ltac:(lia)). specialize (GP (k i) KI).
      assert (0 < (g (k i) - 0) / (x r - x (k i))) as D by (apply Rdiv_lt_0_compat; lra).
      replace ((0 - g (k i)) / (x r - x (k i))) with (- ((g (k i) - 0) / (x r - x (k i)))) by (field; lra). lra.
  - intros M. apply lower_grid with (m := m) (lo := lo) (hi := hi) (s := s) (r := r) (g := g); trivial.
    + intros i I. now apply K.
    + intros i j I J. destruct (K i I) as [_ CB]. specialize (CB j J). exact CB.
Qed.

(* ---- an instance: binary randomised response with e^eps0 = 3, nodes 1/3, 1, 3 ---- *)

Example response_envelope :
  let c := corners (envelope response_nodes response_values 3) in
  let k := corner (envelope response_nodes response_values 3) in
  let exact := bend c (fun i => response_nodes (k i)) (fun i => response_values (k i)) in
  dominates [true; false] response_P response_Q (nodes c) (grid_P (fun i => response_nodes (k i)) exact 0)
    (grid_Q exact).
Proof.
  destruct response_laws as [[MP SP] [MQ SQ]].
  assert (T : 0 <= 0 <= sum (filter (unseen response_Q) [true; false]) response_P).
  { split; [lra|]. apply sum_nonneg. intros z I. apply filter_In in I as [I _]. now apply MP. }
  destruct (lower_grid_envelope [true; false] response_P response_Q 3 response_nodes response_values response_values
    0 (fun _ => 0) 3 response_values
    (bend (corners (envelope response_nodes response_values 3))
       (fun i => response_nodes (corner (envelope response_nodes response_values 3) i))
       (fun i => response_values (corner (envelope response_nodes response_values 3) i)))) as [E D]; trivial; try lra.
  - exact response_grows.
  - intros j J. rewrite response_profile by lia. lra.
  - intros j J. unfold cell_sag, sag. destruct (Rlt_dec _ _) as [U|]; [|lra].
    destruct (Rlt_dec _ _) as [V|]; [|lra]. exfalso.
    destruct j as [|[|[|j]]]; [..|lia]; unfold slope, left_slope, right_slope in *; cbn in *; lra.
  - intros j J. destruct j as [|[|[|j]]]; [..|lia]; cbn; lra.
  - intros j J. destruct j as [|[|[|j]]]; [..|lia]; cbn; lra.
  - apply D. intros i I. specialize (E i I). lra.
Qed.
