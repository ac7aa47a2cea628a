(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Moving atoms of a pair to the nodes of a grid.
 *
 * Spreading every atom over nodes so that its mass under P and under Q are kept
 * (or raised and lowered) gives a pair that dominates: connect the dots for
 * atoms (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, arXiv 2207.04380). An
 * atom between two nodes goes to these two; one above the top node goes to
 * +infinity. Lumping atoms together gives a pair that is dominated.
 *)
From Coq Require Import Reals List Lra Lia Arith Psatz.
From Shufbound Require Import Sum Hockey Divergence Polygon.
Import ListNotations.
Open Scope R_scope.

(* ---- spreading: upper ---- *)

(* One atom (p, q), spread as the masses s j at the nodes x j and t at +infinity. *)
Lemma spread_atom m x s t p q alpha :
  0 <= alpha -> 0 <= t -> (forall j, (1 <= j <= m)%nat -> 0 <= s j) ->
  p <= t + sum (seq 1 m) (fun j => x j * s j) -> sum (seq 1 m) s <= q ->
  pos (p - alpha * q) <= t + sum (seq 1 m) (fun j => s j * pos (x j - alpha)).
Proof.
  intros A T S P Q.
  apply Rle_trans with (pos (t + sum (seq 1 m) (fun j => s j * (x j - alpha)))).
  - apply pos_le.
    rewrite (sum_ext _ (fun j => s j * (x j - alpha)) (fun j => x j * s j - alpha * s j)) by (intros; ring).
    rewrite sum_minus, sum_scal.
    assert (alpha * sum (seq 1 m) s <= alpha * q) by (apply Rmult_le_compat_l; lra). lra.
  - eapply Rle_trans; [apply pos_plus|]. rewrite pos_id by exact T. apply Rplus_le_compat_l.
    eapply Rle_trans; [apply pos_sum|]. apply sum_le. intros j J. apply in_seq in J.
    rewrite pos_scal by (apply S; lia). lra.
Qed.

(*
 * Atom z is spread as the masses s z j at the nodes and t z at +infinity, with no
 * less P mass and no more Q mass than it has. The grid pair of the totals
 * dominates.
 *)
Theorem spread_dominates {A} (l : list A) P Q m x (s : A -> nat -> R) (t : A -> R) :
  mass l t ->
  (forall z j, In z l -> (1 <= j <= m)%nat -> 0 <= s z j) ->
  (forall z, In z l -> P z <= t z + sum (seq 1 m) (fun j => x j * s z j)) ->
  (forall z, In z l -> sum (seq 1 m) (s z) <= Q z) ->
  let q j := sum l (fun z => s z j) in
  dominates (nodes m) (grid_P x q (sum l t)) (grid_Q q) l P Q.
Proof.
  intros T S HP HQ q alpha H. rewrite grid_hockey.
  - unfold q. rewrite (sum_ext _ (fun j => sum l (fun z => s z j) * pos (x j - alpha))
                         (fun j => sum l (fun z => s z j * pos (x j - alpha)))) by (intros; now rewrite sum_scal_r).
    rewrite sum_swap, <- sum_plus. apply sum_le. intros z Z.
    apply spread_atom; trivial; [now apply T | intros j J; now apply S | now apply HP | now apply HQ].
  - apply sum_nonneg. exact T.
  - intros j J. apply sum_nonneg. intros z Z. now apply S.
Qed.

Lemma quotient_pos a b : 0 <= a -> 0 < b -> 0 <= a / b.
Proof. intros A B. unfold Rdiv. apply Rmult_le_pos; [exact A|]. now apply Rlt_le, Rinv_0_lt_compat. Qed.

(* The share of an atom (p, q) at node j, between the nodes i and i + 1 of which its ratio lies. *)
Definition dots (x : nat -> R) (i : nat) (p q : R) (j : nat) : R :=
  if (j =? i)%nat then (x (S i) * q - p) / (x (S i) - x i)
  else if (j =? S i)%nat then (p - x i * q) / (x (S i) - x i)
  else 0.

Lemma sum_two m i (f : nat -> R) :
  (1 <= i)%nat -> (S i <= m)%nat -> (forall j, j <> i -> j <> S i -> f j = 0) ->
  sum (seq 1 m) f = f i + f (S i).
Proof.
  intros I M Z. replace m with ((i - 1) + (2 + (m - S i)))%nat by lia.
  rewrite seq_app, sum_app. replace (1 + (i - 1))%nat with i by lia. cbn [Nat.add seq sum].
  rewrite (sum_ext (seq 1 (i - 1)) f (fun _ => 0))
    by (intros j J; apply in_seq in J; apply Z; lia).
  rewrite (sum_ext (seq (S (S i)) (m - S i)) f (fun _ => 0))
    by (intros j J; apply in_seq in J; apply Z; lia).
  rewrite !sum_zero. ring.
Qed.

(* The shares are non-negative and keep both masses. *)
Lemma dots_keep m x i p q :
  (1 <= i)%nat -> (S i <= m)%nat -> x i < x (S i) -> x i * q <= p <= x (S i) * q ->
  (forall j, 0 <= dots x i p q j)
  /\ sum (seq 1 m) (fun j => x j * dots x i p q j) = p
  /\ sum (seq 1 m) (dots x i p q) = q.
Proof.
  intros I M X H.
  assert (E0 : dots x i p q i = (x (S i) * q - p) / (x (S i) - x i)) by (unfold dots; now rewrite Nat.eqb_refl).
  assert (E1 : dots x i p q (S i) = (p - x i * q) / (x (S i) - x i)).
  { unfold dots. rewrite (proj2 (Nat.eqb_neq (S i) i)), Nat.eqb_refl by lia. reflexivity. }
  assert (Z : forall j, j <> i -> j <> S i -> dots x i p q j = 0).
  { intros j J K. unfold dots. now rewrite (proj2 (Nat.eqb_neq j i)), (proj2 (Nat.eqb_neq j (S i))). }
  split; [|split].
  - intros j. destruct (Nat.eq_dec j i) as [->|J]; [|destruct (Nat.eq_dec j (S i)) as [->|K]].
    + rewrite E0. apply quotient_pos; lra.
    + rewrite E1. apply quotient_pos; lra.
    + rewrite Z by assumption. lra.
  - rewrite (sum_two m i); trivial.
    + rewrite E0, E1. field. lra.
    + intros j J K. rewrite Z by assumption. ring.
  - rewrite (sum_two m i) by trivial. rewrite E0, E1. field. lra.
Qed.

(*
 * Connect the dots for atoms: `place z` says between which nodes the ratio P/Q
 * of atom z lies; None: it is sent to +infinity.
 *)
Theorem connect_the_dots {A} (l : list A) P Q m x (place : A -> option nat) :
  mass l P -> mass l Q ->
  (forall z i, In z l -> place z = Some i ->
     (1 <= i)%nat /\ (S i <= m)%nat /\ x i < x (S i) /\ x i * Q z <= P z <= x (S i) * Q z) ->
  let share z j := match place z with Some i => dots x i (P z) (Q z) j | None => 0 end in
  let infinite z := match place z with Some _ => 0 | None => P z end in
  let q j := sum l (fun z => share z j) in
  dominates (nodes m) (grid_P x q (sum l infinite)) (grid_Q q) l P Q.
Proof.
  intros MP MQ H share infinite. unfold share, infinite. apply spread_dominates.
  - intros z Z. destruct (place z); [lra | now apply MP].
  - intros z j Z J. destruct (place z) as [i|] eqn:E; [|lra].
    destruct (H z i Z E) as (I & M & X & B). now apply (dots_keep m).
  - intros z Z. destruct (place z) as [i|] eqn:E.
    + destruct (H z i Z E) as (I & M & X & B). destruct (dots_keep m x i (P z) (Q z) I M X B) as (_ & -> & _). lra.
    + assert (0 <= sum (seq 1 m) (fun j => x j * 0)); [|lra].
      apply sum_nonneg. intros. lra.
  - intros z Z. destruct (place z) as [i|] eqn:E.
    + destruct (H z i Z E) as (I & M & X & B). destruct (dots_keep m x i (P z) (Q z) I M X B) as (_ & _ & D).
      now apply Req_le.
    + rewrite sum_zero. now apply MQ.
Qed.

(* No mass is lost: the P mass of the grid pair is that of P. *)
Theorem connect_the_dots_mass {A} (l : list A) P Q m x (place : A -> option nat) :
  (forall z i, In z l -> place z = Some i ->
     (1 <= i)%nat /\ (S i <= m)%nat /\ x i < x (S i) /\ x i * Q z <= P z <= x (S i) * Q z) ->
  let share z j := match place z with Some i => dots x i (P z) (Q z) j | None => 0 end in
  let infinite z := match place z with Some _ => 0 | None => P z end in
  let q j := sum l (fun z => share z j) in
  sum (nodes m) (grid_P x q (sum l infinite)) = sum l P.
Proof.
  intros H share infinite q. unfold nodes, grid_P, q. cbn [sum]. rewrite sum_map.
  rewrite (sum_ext _ _ (fun j => sum l (fun z => x j * share z j))) by (intros; now rewrite sum_scal).
  rewrite sum_swap, <- sum_plus. apply sum_ext. intros z Z. unfold infinite, share.
  destruct (place z) as [i|] eqn:E.
  - destruct (H z i Z E) as (I & M & X & B). destruct (dots_keep m x i (P z) (Q z) I M X B) as (_ & -> & _). ring.
  - rewrite (sum_ext _ _ (fun _ => 0)) by (intros; ring). rewrite sum_zero. ring.
Qed.

(* ---- lumping: lower ---- *)

(*
 * The masses of the atoms with the same label put together: a pair that is
 * dominated. (Cells of a grid, say: the atom of a cell has the mean ratio.)
 *)
Theorem lump_dominated {A} (l : list A) P Q n (label : A -> nat) :
  (forall z, In z l -> (label z < n)%nat) ->
  dominates l P Q (seq 0 n)
    (fun i => sum (filter (fun z => label z =? i)%nat l) P)
    (fun i => sum (filter (fun z => label z =? i)%nat l) Q).
Proof.
  intros L alpha H. set (K := fun z i => if (label z =? i)%nat then 1 else 0).
  rewrite (hockey_ext (seq 0 n) alpha _ _ (push l K P) (push l K Q)).
  - apply hockey_data_processing. intros z Z. split.
    + intros i _. unfold K. destruct (label z =? i)%nat; lra.
    + specialize (L z Z). unfold K. replace n with (label z + (1 + (n - 1 - label z)))%nat by lia.
      rewrite seq_app, sum_app. cbn [Nat.add seq sum]. rewrite Nat.eqb_refl.
      rewrite (sum_ext (seq 0 (label z)) _ (fun _ => 0)), (sum_ext (seq (S (label z)) _) _ (fun _ => 0)), !sum_zero.
      * lra.
      * intros j J. apply in_seq in J. now rewrite (proj2 (Nat.eqb_neq (label z) j)) by lia.
      * intros j J. apply in_seq in J. now rewrite (proj2 (Nat.eqb_neq (label z) j)) by lia.
  - intros i _. rewrite sum_filter. apply sum_ext. intros z _. unfold K. destruct (label z =? i)%nat; ring.
  - intros i _. rewrite sum_filter. apply sum_ext. intros z _. unfold K. destruct (label z =? i)%nat; ring.
Qed.

(* ---- an instance: binary randomised response with e^eps0 = 3, nodes 0, 1, 2 ---- *)

(* The report with ratio 1/3 goes to the nodes 0 and 1; the one with ratio 3 is above the top. *)
Definition response_place (z : bool) : option nat := if z then None else Some 1%nat.
Definition response_grid (j : nat) : R := INR (j - 1).

Example response_spread :
  let share z j :=
    match response_place z with Some i => dots response_grid i (response_P z) (response_Q z) j | None => 0 end in
  let infinite z := match response_place z with Some _ => 0 | None => response_P z end in
  let q j := sum [true; false] (fun z => share z j) in
  dominates (nodes 3) (grid_P response_grid q (sum [true; false] infinite)) (grid_Q q)
    [true; false] response_P response_Q.
Proof.
  destruct response_laws as [[MP _] [MQ _]]. apply connect_the_dots; trivial.
  intros z i _ E. destruct z; [discriminate|]. injection E as <-. unfold response_grid. cbn.
  repeat split; try lia; lra.
Qed.
