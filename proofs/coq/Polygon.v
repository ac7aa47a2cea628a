(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Piecewise linear functions through points (x 0, y 0), .., (x m, y m), constant
 * from x m on, written as sums of hinges pos (x j - alpha): what ../pld.md,
 * Lemmas 2 and 3, take for granted about them. And profiles: convex functions
 * of alpha >= 0 that do not increase, such as hockey-stick divergences.
 *)
From Coq Require Import Reals List Lra Lia Arith Psatz Bool.
From Shufbound Require Import Sum Hockey Divergence.
Import ListNotations.
Open Scope R_scope.

(* ---- convex functions that do not increase ---- *)

Record profile (h : R -> R) : Prop := {
  profile_convex : forall t a b, 0 <= t <= 1 -> 0 <= a -> 0 <= b ->
    h ((1 - t) * a + t * b) <= (1 - t) * h a + t * h b;
  profile_falls : forall a b, 0 <= a <= b -> h b <= h a
}.

Lemma hockey_profile {A} (l : list A) P Q : mass l Q -> profile (fun alpha => hockey l alpha P Q).
Proof.
  intros M. split.
  - intros t a b T _ _. now apply hockey_convex.
  - intros a b [_ H]. now apply hockey_decreasing.
Qed.

(* Convexity for three points a <= b <= c. *)
Lemma convex_chord h a b c :
  profile h -> 0 <= a -> a <= b <= c -> a < c -> (c - a) * h b <= (c - b) * h a + (b - a) * h c.
Proof.
  intros [C _] A0 B AC. set (t := (b - a) / (c - a)).
  assert (E : (c - a) * t = b - a) by (unfold t; field; lra).
  assert (T : 0 <= t <= 1) by (split; nra).
  specialize (C t a c T A0 ltac:(lra)).
  replace ((1 - t) * a + t * c) with b in C by (unfold t; field; lra).
  apply Rmult_le_compat_l with (r := c - a) in C; [|lra].
  replace ((c - a) * ((1 - t) * h a + t * h c))
    with ((c - a - (c - a) * t) * h a + (c - a) * t * h c) in C by ring.
  rewrite E in C. lra.
Qed.

(* ---- the slopes of a polygon ---- *)

Definition increasing (m : nat) (x : nat -> R) : Prop := forall j, (j < m)%nat -> x j < x (S j).

Lemma increasing_le m x : increasing m x -> forall i j, (i <= j <= m)%nat -> x i <= x j.
Proof.
  intros H i j [I J]. induction I as [|j I IH]; [lra|].
  specialize (H j ltac:(lia)). specialize (IH ltac:(lia)). lra.
Qed.

Lemma increasing_lt m x : increasing m x -> forall i j, (i < j <= m)%nat -> x i < x j.
Proof.
  intros H i j [I J]. pose proof (H i ltac:(lia)). pose proof (increasing_le m x H (S i) j ltac:(lia)). lra.
Qed.

(* The slope between the points j and j + 1. *)
Definition slope (x y : nat -> R) (j : nat) : R := (y (S j) - y j) / (x (S j) - x j).

(* The slope after point j of the points 0 .. m: zero after the last. *)
Definition slope_after (m : nat) (x y : nat -> R) (j : nat) : R := if (j <? m)%nat then slope x y j else 0.

(* The change of slope at point j, 1 <= j <= m. *)
Definition bend (m : nat) (x y : nat -> R) (j : nat) : R := slope_after m x y j - slope_after m x y (j - 1).

(* The polygon. *)
Definition polygon (m : nat) (x y : nat -> R) (alpha : R) : R :=
  y m + sum (seq 1 m) (fun j => bend m x y j * pos (x j - alpha)).

(* The line through the points j and j + 1. *)
Definition line (x y : nat -> R) (j : nat) (alpha : R) : R := y j + slope x y j * (alpha - x j).

Lemma slope_spec x y j : x j < x (S j) -> slope x y j * (x (S j) - x j) = y (S j) - y j.
Proof. intros H. unfold slope. field. lra. Qed.

Lemma line_left x y j : line x y j (x j) = y j.
Proof. unfold line. ring. Qed.

Lemma line_right x y j : x j < x (S j) -> line x y j (x (S j)) = y (S j).
Proof. intros H. unfold line. rewrite slope_spec by exact H. ring. Qed.

(* The polygon without its first point. *)
Lemma polygon_shift m x y alpha :
  polygon (S m) x y alpha
  = polygon m (fun j => x (S j)) (fun j => y (S j)) alpha + bend (S m) x y 1 * pos (x 1%nat - alpha).
Proof.
  unfold polygon. cbn [seq]. rewrite <- seq_shift. cbn [sum]. rewrite sum_map.
  rewrite (sum_ext _ (fun j => bend m (fun j => x (S j)) (fun j => y (S j)) j * pos (x (S j) - alpha))
             (fun j => bend (S m) x y (S j) * pos (x (S j) - alpha))); [ring|].
  intros j I. apply in_seq in I. f_equal. unfold bend, slope_after.
  replace (S j - 1)%nat with (S (j - 1)) by lia. reflexivity.
Qed.

(* Up to the second point it is the line through the first two. *)
Lemma polygon_first m : forall x y alpha,
  increasing m x -> ((1 <= m)%nat -> alpha <= x 1%nat) ->
  polygon m x y alpha = y O + slope_after m x y 0 * (alpha - x O).
Proof.
  induction m as [|m IH]; intros x y alpha X H.
  - unfold polygon, slope_after. cbn. ring.
  - specialize (H ltac:(lia)). rewrite polygon_shift, IH.
    + rewrite pos_id by lra. unfold bend. cbn [Nat.sub].
      change (slope_after (S m) x y 1)
        with (slope_after m (fun j => x (S j)) (fun j => y (S j)) 0).
      change (slope_after (S m) x y 0) with (slope x y 0).
      pose proof (slope_spec x y 0 (X O ltac:(lia))). nra.
    + intros j J. apply X. lia.
    + intros M. pose proof (X 1%nat ltac:(lia)). lra.
Qed.

(* Between the points j and j + 1 it is the line through them. *)
Lemma polygon_between m : forall x y j alpha,
  increasing m x -> (j < m)%nat -> x j <= alpha <= x (S j) -> polygon m x y alpha = line x y j alpha.
Proof.
  induction m as [|m IH]; intros x y j alpha X J H; [lia|].
  destruct j as [|j].
  - rewrite polygon_first; [reflexivity | exact X | intros _; lra].
  - rewrite polygon_shift, pos_zero.
    + rewrite Rmult_0_r, Rplus_0_r.
      rewrite (IH (fun j => x (S j)) (fun j => y (S j)) j alpha); [reflexivity| |lia|exact H].
      intros i I. apply X. lia.
    + pose proof (increasing_le _ x X 1 (S j) ltac:(lia)). lra.
Qed.

(* After the last point it is constant. *)
Lemma polygon_last m x y alpha : increasing m x -> x m <= alpha -> polygon m x y alpha = y m.
Proof.
  intros X H. unfold polygon. rewrite (sum_ext _ _ (fun _ => 0)), sum_zero; [ring|].
  intros j I. apply in_seq in I. rewrite pos_zero; [ring|].
  pose proof (increasing_le m x X j m ltac:(lia)). lra.
Qed.

(* Every alpha from x 0 on lies between two points or after the last. *)
Lemma cell m x alpha :
  x O <= alpha -> (exists j, (j < m)%nat /\ x j <= alpha <= x (S j)) \/ x m <= alpha.
Proof.
  intros H. induction m as [|m [(j & J & K)|IH]].
  - now right.
  - left. exists j. split; [lia | exact K].
  - destruct (Rle_dec alpha (x (S m))) as [K|K].
    + left. exists m. split; [lia | lra].
    + right. lra.
Qed.

(* A profile that is at most y at the points lies below the polygon. *)
Theorem profile_below_polygon h m x y alpha :
  profile h -> 0 <= x O -> increasing m x -> (forall j, (j <= m)%nat -> h (x j) <= y j) ->
  x O <= alpha -> h alpha <= polygon m x y alpha.
Proof.
  intros F X0 X H A. destruct (cell m x alpha A) as [(j & J & K)|K].
  - rewrite (polygon_between m x y j) by assumption. specialize (X j J) as XJ.
    assert (0 <= x j) by (pose proof (increasing_le m x X 0 j ltac:(lia)); lra).
    pose proof (convex_chord h (x j) alpha (x (S j)) F ltac:(lra) K XJ) as C.
    pose proof (H j ltac:(lia)). pose proof (H (S j) ltac:(lia)).
    apply Rmult_le_reg_l with (x (S j) - x j); [lra|]. unfold line.
    assert ((x (S j) - alpha) * h (x j) <= (x (S j) - alpha) * y j) by (apply Rmult_le_compat_l; lra).
    assert ((alpha - x j) * h (x (S j)) <= (alpha - x j) * y (S j)) by (apply Rmult_le_compat_l; lra).
    pose proof (slope_spec x y j XJ) as S1.
    replace ((x (S j) - x j) * (y j + slope x y j * (alpha - x j)))
      with ((x (S j) - x j) * y j + slope x y j * (x (S j) - x j) * (alpha - x j)) by ring.
    rewrite S1. lra.
  - rewrite polygon_last by assumption. eapply Rle_trans; [|now apply H].
    apply profile_falls; [exact F|]. split; [|exact K].
    pose proof (increasing_le m x X 0 m ltac:(lia)). lra.
Qed.

(* ---- grid pairs ---- *)

(*
 * The pair with mass q j under Q and x j q j under P at the nodes j = 1 .. m, and
 * an atom (None) of mass t under P that Q does not see: the atom at +infinity.
 *)
Definition nodes (m : nat) : list (option nat) := None :: map Some (seq 1 m).
Definition grid_P (x q : nat -> R) (t : R) (z : option nat) : R := match z with Some j => x j * q j | None => t end.
Definition grid_Q (q : nat -> R) (z : option nat) : R := match z with Some j => q j | None => 0 end.

Lemma grid_mass_P m x q t :
  0 <= t -> (forall j, (1 <= j <= m)%nat -> 0 <= x j /\ 0 <= q j) -> mass (nodes m) (grid_P x q t).
Proof.
  intros T H z [<-|I]; [exact T|]. apply in_map_iff in I as (j & <- & I). apply in_seq in I.
  destruct (H j ltac:(lia)). now apply Rmult_le_pos.
Qed.

Lemma grid_mass_Q m q : (forall j, (1 <= j <= m)%nat -> 0 <= q j) -> mass (nodes m) (grid_Q q).
Proof.
  intros H z [<-|I]; [cbn; lra|]. apply in_map_iff in I as (j & <- & I). apply in_seq in I. apply H. lia.
Qed.

(* Its profile is a sum of hinges. *)
Theorem grid_hockey m x q t alpha :
  0 <= t -> (forall j, (1 <= j <= m)%nat -> 0 <= q j) ->
  hockey (nodes m) alpha (grid_P x q t) (grid_Q q) = t + sum (seq 1 m) (fun j => q j * pos (x j - alpha)).
Proof.
  intros T H. unfold hockey, nodes. cbn [sum grid_P grid_Q]. rewrite sum_map, pos_id by lra.
  replace (t - alpha * 0) with t by ring. f_equal. apply sum_ext. intros j I. apply in_seq in I. cbn.
  rewrite <- pos_scal by (apply H; lia). f_equal. ring.
Qed.
