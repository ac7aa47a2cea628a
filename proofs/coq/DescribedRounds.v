(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * A profile that is known at nodes, from below: ../described-rounds.md, Lemmas 2 and 3.
 * In every cell it is at least the lines through the two nodes before, and through the
 * two after; a convex function that is nowhere above the larger one of them where it can
 * bend is below the profile, and its pair is dominated. (From above: Grid.v.)
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Composition Polygon Grid.
Import ListNotations.
Open Scope R_scope.

Section Nodes.
  Context {A : Type} (l : list A) (P Q : A -> R).
  Hypotheses (LP : law l P) (LQ : law l Q).
  Variables (m : nat) (x lo hi : nat -> R).
  Hypotheses (X0 : x 0%nat = 0) (X : increasing m x).
  Hypothesis known : forall j, (j <= m)%nat -> lo j <= hockey l (x j) P Q <= hi j.

  (* The lines of the cell from node j to the next. *)
  Definition left_line (j : nat) (a : R) : R :=
    match j with O => 1 - a | S i => lo j + (lo j - hi i) / (x j - x i) * (a - x j) end.
  Definition right_line (j : nat) (a : R) : R :=
    if (S (S j) <=? m)%nat then lo (S j) + (hi (S (S j)) - lo (S j)) / (x (S (S j)) - x (S j)) * (a - x (S j)) else 0.

  Lemma node_nonneg j : (j <= m)%nat -> 0 <= x j.
  Proof. intros J. rewrite <- X0. apply (increasing_le m x X). lia. Qed.

  Lemma left_below j a : (j < m)%nat -> x j <= a -> left_line j a <= hockey l a P Q.
  Proof.
    intros J H. destruct j as [|i]; cbn [left_line].
    - pose proof (hockey_ge_masses l P Q a) as G. destruct LP as [_ S1], LQ as [_ S2]. rewrite S1, S2 in G. lra.
    - pose proof (known i ltac:(lia)) as [_ HI]. pose proof (known (S i) ltac:(lia)) as [LO _].
      pose proof (X i ltac:(lia)) as XI. pose proof (node_nonneg i ltac:(lia)) as N0.
      set (h := fun a => hockey l a P Q). assert (PR : profile h) by (apply hockey_profile; apply LQ).
      destruct (Req_dec a (x (S i))) as [->|NE]; [replace (x (S i) - x (S i)) with 0 by ring; rewrite Rmult_0_r; lra|].
      pose proof (convex_chord h (x i) (x (S i)) a PR N0 ltac:(lra) ltac:(lra)) as C. unfold h in C.
      apply (Rmult_le_reg_r (x (S i) - x i)); [lra|].
      replace ((lo (S i) + (lo (S i) - hi i) / (x (S i) - x i) * (a - x (S i))) * (x (S i) - x i))
        with (lo (S i) * (a - x i) - hi i * (a - x (S i))) by (field; lra).
      assert (lo (S i) * (a - x i) <= hockey l (x (S i)) P Q * (a - x i)) by (apply Rmult_le_compat_r; lra).
      assert (hockey l (x i) P Q * (a - x (S i)) <= hi i * (a - x (S i))) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma right_below j a : (j < m)%nat -> 0 <= a <= x (S j) -> right_line j a <= hockey l a P Q.
  Proof.
    intros J H. unfold right_line. destruct (Nat.leb_spec (S (S j)) m) as [L|L]; [|apply hockey_nonneg].
    pose proof (known (S j) ltac:(lia)) as [LO _]. pose proof (known (S (S j)) L) as [_ HI].
    pose proof (X (S j) ltac:(lia)) as XJ. set (u := x (S j)) in *. set (v := x (S (S j))) in *.
    set (h := fun a => hockey l a P Q). assert (PR : profile h) by (apply hockey_profile; apply LQ).
    destruct (Req_dec a u) as [->|NE]; [replace (u - u) with 0 by ring; rewrite Rmult_0_r; lra|].
    pose proof (convex_chord h a u v PR ltac:(lra) ltac:(lra) ltac:(lra)) as C. unfold h in C.
    apply (Rmult_le_reg_r (v - u)); [lra|].
    replace ((lo (S j) + (hi (S (S j)) - lo (S j)) / (v - u) * (a - u)) * (v - u)) with (lo (S j) * (v - a) - hi (S (S j)) * (u - a)) by (field; lra).
    assert (lo (S j) * (v - a) <= hockey l u P Q * (v - a)) by (apply Rmult_le_compat_r; lra).
    assert (hockey l v P Q * (u - a) <= hi (S (S j)) * (u - a)) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Definition larger_line (j : nat) (a : R) : R := Rmax (left_line j a) (right_line j a).

  Theorem lines_below j a : (j < m)%nat -> x j <= a <= x (S j) -> larger_line j a <= hockey l a P Q.
  Proof.
    intros J H. pose proof (node_nonneg j ltac:(lia)). apply Rmax_lub; [apply left_below; tauto | apply right_below; [exact J | lra]].
  Qed.

  (* Both are lines. *)
  Lemma left_affine j t a b : left_line j ((1 - t) * a + t * b) = (1 - t) * left_line j a + t * left_line j b.
  Proof. destruct j as [|i]; cbn [left_line]; ring. Qed.

  Lemma right_affine j t a b : right_line j ((1 - t) * a + t * b) = (1 - t) * right_line j a + t * right_line j b.
  Proof. unfold right_line. destruct (_ <=? _)%nat; ring. Qed.

  (* Between two places at which f is at most the larger line, and which are not on both sides of where the lines cross. *)
  Lemma below_between f j u v a : profile f -> 0 <= u -> u < v -> u <= a <= v ->
    f u <= larger_line j u -> f v <= larger_line j v ->
    (right_line j u <= left_line j u /\ right_line j v <= left_line j v) \/ (left_line j u <= right_line j u /\ left_line j v <= right_line j v) ->
    f a <= larger_line j a.
  Proof.
    intros F U UV AV FU FV SIDE. set (t := (a - u) / (v - u)). assert (E : a = (1 - t) * u + t * v) by (unfold t; field; lra).
    assert (T : 0 <= t <= 1).
    { unfold t. split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]|]. apply (Rmult_le_reg_r (v - u)); [lra|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    rewrite E. eapply Rle_trans; [apply (profile_convex f F t u v T); lra|].
    apply Rle_trans with ((1 - t) * larger_line j u + t * larger_line j v).
    - apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
    - unfold larger_line in *. destruct SIDE as [[S1 S2]|[S1 S2]].
      + rewrite !(Rmax_left _ _ S1), !(Rmax_left _ _ S2), <- left_affine. apply Rmax_l.
      + rewrite !(Rmax_right _ _ S1), !(Rmax_right _ _ S2), <- right_affine. apply Rmax_r.
  Qed.

  (* f is convex and falls, and at most the larger line at the ends of each cell and where its lines cross; 0 at the last node. *)
  Theorem nodes_below f alpha :
    profile f -> (forall j, (j < m)%nat -> f (x j) <= larger_line j (x j) /\ f (x (S j)) <= larger_line j (x (S j))
      /\ forall c, x j <= c <= x (S j) -> left_line j c = right_line j c -> f c <= larger_line j c) ->
    f (x m) <= 0 -> 0 <= alpha -> f alpha <= hockey l alpha P Q.
  Proof.
    intros F B Z H. destruct (cell m x alpha ltac:(lra)) as [(j & J & K)|K].
    - eapply Rle_trans; [|apply (lines_below j alpha J K)]. destruct (B j J) as (B0 & B1 & BC). pose proof (X j J) as XJ.
      pose proof (node_nonneg j ltac:(lia)) as N0.
      set (u := x j) in *. set (v := x (S j)) in *. set (du := left_line j u - right_line j u). set (dv := left_line j v - right_line j v).
      destruct (Rle_dec 0 (du * dv)) as [SAME|DIFF].
      + apply (below_between f j u v); trivial.
        destruct (Rle_dec 0 du) as [D|D]; destruct (Rle_dec 0 dv) as [D'|D'].
        * left. unfold du, dv in *. split; lra.
        * destruct (Req_dec du 0) as [D0|D0]; [right; unfold du, dv in *; split; lra | exfalso; nra].
        * destruct (Req_dec dv 0) as [D0|D0]; [right; unfold du, dv in *; split; lra | exfalso; nra].
        * right. unfold du, dv in *. split; lra.
      + assert (NE : du - dv <> 0) by (intros E; apply DIFF; replace dv with du by lra; apply Rle_0_sqr).
        set (s := du / (du - dv)). set (c := (1 - s) * u + s * v).
        assert (S01 : 0 <= s <= 1).
        { unfold s. destruct (Rle_dec 0 du) as [D|D].
          - assert (dv < 0) by nra. split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]|].
            apply (Rmult_le_reg_r (du - dv)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by exact NE. lra.
          - assert (0 < dv) by nra. replace (du / (du - dv)) with (- du / (dv - du)) by (field; lra).
            split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]|].
            apply (Rmult_le_reg_r (dv - du)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
        assert (CR : left_line j c - right_line j c = 0).
        { unfold c. rewrite left_affine, right_affine. transitivity ((1 - s) * du + s * dv); [unfold du, dv; ring|]. unfold s. field. exact NE. }
        assert (CU : u <= c <= v) by (unfold c; split; nra).
        specialize (BC c CU ltac:(lra)). destruct (Rle_dec alpha c) as [L|L].
        * destruct (Req_dec u c) as [E|E]; [replace alpha with c by lra; exact BC|].
          apply (below_between f j u c); trivial; lra.
        * destruct (Req_dec c v) as [E|E]; [lra|]. apply (below_between f j c v); trivial; lra.
    - eapply Rle_trans; [apply (profile_falls f F (x m) alpha); split; [apply node_nonneg; lia | exact K]|].
      eapply Rle_trans; [exact Z | apply hockey_nonneg].
  Qed.

  (* A polygon of this kind is the profile of a pair, which the mechanism dominates: so products of such pairs are below rounds. *)
  Theorem nodes_below_pair c u v :
    (forall j, (1 <= j <= c)%nat -> 0 <= bend c u v j) -> 0 <= v c ->
    profile (polygon c u v) ->
    (forall j, (j < m)%nat -> polygon c u v (x j) <= larger_line j (x j) /\ polygon c u v (x (S j)) <= larger_line j (x (S j))
      /\ forall a, x j <= a <= x (S j) -> left_line j a = right_line j a -> polygon c u v a <= larger_line j a) ->
    polygon c u v (x m) <= 0 ->
    dominates l P Q (nodes c) (grid_P u (bend c u v) (v c)) (grid_Q (bend c u v)).
  Proof.
    intros BN V F B Z alpha H. rewrite grid_hockey by trivial. exact (nodes_below (polygon c u v) alpha F B Z H).
  Qed.
End Nodes.
