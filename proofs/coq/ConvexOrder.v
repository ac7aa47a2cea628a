(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * From hockey-stick divergences to all f-divergences.
 *
 * If (P', Q') dominates (P, Q) and the masses agree, every f-divergence of (P', Q')
 * is at least that of (P, Q); in particular the Renyi moments. So a pair that is
 * known to dominate in the hockey-stick sense only (as in ../clones-stronger.md,
 * where there is no single post-processing) gives Renyi bounds too. If f vanishes
 * on [0, 1], alpha >= 1 is enough (../subsample.md, "Dominated base").
 *
 * Proof: between the finitely many values of the ratios f may be replaced by a
 * polygon, a sum of hinges with non-negative weights.
 *)
From Coq Require Import Reals List Lra Lia Arith Psatz Bool.
From Shufbound Require Import Sum Hockey Divergence Composition Polygon Renyi RenyiConvex.
Import ListNotations.
Open Scope R_scope.

(* f is convex on [0, +infinity). *)
Definition convex_function (f : R -> R) : Prop :=
  forall t a b, 0 <= t <= 1 -> 0 <= a -> 0 <= b -> f ((1 - t) * a + t * b) <= (1 - t) * f a + t * f b.

(* The f-divergence (P vanishing where Q does). *)
Definition f_divergence {A} (f : R -> R) (l : list A) (P Q : A -> R) : R := sum l (fun z => Q z * f (P z / Q z)).

(* Slopes grow. *)
Lemma convex_slopes f a b c :
  convex_function f -> 0 <= a -> a < b -> b < c -> (f b - f a) / (b - a) <= (f c - f b) / (c - b).
Proof.
  intros F A AB BC. set (t := (b - a) / (c - a)).
  assert (T : t * (c - a) = b - a) by (unfold t; field; lra).
  assert (T01 : 0 <= t <= 1) by (split; nra).
  pose proof (F t a c T01 A ltac:(lra)) as C. replace ((1 - t) * a + t * c) with b in C by lra.
  apply Rmult_le_compat_l with (r := c - a) in C; [|lra].
  replace ((c - a) * ((1 - t) * f a + t * f c)) with ((c - a - t * (c - a)) * f a + t * (c - a) * f c) in C by ring.
  rewrite T in C.
  apply Rmult_le_reg_l with ((b - a) * (c - b)); [apply Rmult_lt_0_compat; lra|].
  replace ((b - a) * (c - b) * ((f b - f a) / (b - a))) with ((c - b) * (f b - f a)) by (field; lra).
  replace ((b - a) * (c - b) * ((f c - f b) / (c - b))) with ((b - a) * (f c - f b)) by (field; lra).
  lra.
Qed.

(* ---- nodes at given values ---- *)

(* The point r put in after point j. *)
Definition insert (x : nat -> R) (j : nat) (r : R) (i : nat) : R :=
  if (i <=? j)%nat then x i else if (i =? S j)%nat then r else x (i - 1)%nat.

Lemma insert_before x j r i : (i <= j)%nat -> insert x j r i = x i.
Proof. intros H. unfold insert. now rewrite (proj2 (Nat.leb_le i j)). Qed.

Lemma insert_at x j r : insert x j r (S j) = r.
Proof. unfold insert. rewrite (proj2 (Nat.leb_gt (S j) j)), Nat.eqb_refl by lia. reflexivity. Qed.

Lemma insert_after x j r i : (j < i)%nat -> insert x j r (S i) = x i.
Proof.
  intros H. unfold insert. rewrite (proj2 (Nat.leb_gt (S i) j)), (proj2 (Nat.eqb_neq (S i) (S j))) by lia.
  f_equal. lia.
Qed.

(* Increasing points from 0 on that contain given values. *)
Lemma nodes_for (values : list R) :
  (forall r, In r values -> 0 <= r) ->
  exists m x, (1 <= m)%nat /\ x O = 0 /\ increasing m x /\ forall r, In r values -> exists j, (j <= m)%nat /\ x j = r.
Proof.
  induction values as [|r values IH]; intros N.
  - exists 1%nat, INR. split; [lia|]. split; [reflexivity|]. split; [|intros r []].
    intros j _. rewrite S_INR. lra.
  - destruct IH as (m & x & M & X0 & X & V); [intros r' I; apply N; now right|].
    specialize (N r ltac:(now left)).
    assert (D : (exists j, (j <= m)%nat /\ x j = r)
                \/ exists j, (j <= m)%nat /\ x j < r /\ ((j < m)%nat -> r < x (S j))).
    { destruct (cell m x r ltac:(lra)) as [(j & J & B)|B].
      - destruct (Req_dec (x j) r) as [E|E]; [left; exists j; split; [lia | exact E]|].
        destruct (Req_dec (x (S j)) r) as [E'|E']; [left; exists (S j); split; [lia | exact E']|].
        right. exists j. repeat split; [lia | lra | intros _; lra].
      - destruct (Req_dec (x m) r) as [E|E]; [left; exists m; split; [lia | exact E]|].
        right. exists m. repeat split; [lia | lra | intros; lia]. }
    destruct D as [(j & J & E)|(j & J & B & C)].
    + exists m, x. split; [exact M|]. split; [exact X0|]. split; [exact X|].
      intros r' [<-|I]; [now exists j | now apply V].
    + exists (S m), (insert x j r). split; [lia|]. split; [|split].
      * rewrite insert_before by lia. exact X0.
      * intros i I. destruct (lt_eq_lt_dec i j) as [[K|K]|K].
        -- rewrite !insert_before by lia. apply X. lia.
        -- subst. rewrite insert_before, insert_at by lia. exact B.
        -- destruct (Nat.eq_dec i (S j)) as [->|K'].
           ++ rewrite insert_at, insert_after by lia. apply C. lia.
           ++ destruct i as [|i]; [lia|]. rewrite !insert_after by lia. apply X. lia.
      * intros r' [<-|I]; [exists (S j); split; [lia | apply insert_at]|].
        destruct (V r' I) as (i & I1 & E). destruct (le_lt_dec i j) as [K|K].
        -- exists i. split; [lia|]. now rewrite insert_before.
        -- exists (S i). split; [lia|]. now rewrite insert_after.
Qed.

(* ---- the polygon as a sum of hinges to the right ---- *)

(* Two affine functions that agree at two points. *)
Lemma polygon_right m x y alpha :
  (1 <= m)%nat -> increasing m x -> alpha <= x m ->
  polygon m x y alpha
  = y O + slope x y 0 * (alpha - x O) + sum (seq 1 (m - 1)) (fun j => bend m x y j * pos (alpha - x j)).
Proof.
  intros M X H.
  assert (E : forall a, polygon m x y a
    = y m - sum (seq 1 m) (fun j => bend m x y j * (a - x j)) + sum (seq 1 m) (fun j => bend m x y j * pos (a - x j))).
  { intros a. unfold polygon. unfold Rminus at 2. rewrite Rplus_assoc. f_equal.
    rewrite Rplus_comm, <- (Rplus_0_l (sum (seq 1 m) (fun j => bend m x y j * pos (x j - a)))).
    replace 0 with (sum (seq 1 m) (fun j => bend m x y j * pos (a - x j))
                    + - sum (seq 1 m) (fun j => bend m x y j * pos (a - x j))) by ring.
    rewrite Rplus_assoc. f_equal. apply Rplus_eq_reg_l with (sum (seq 1 m) (fun j => bend m x y j * pos (a - x j))).
    replace (sum (seq 1 m) (fun j => bend m x y j * pos (a - x j))
             + (- sum (seq 1 m) (fun j => bend m x y j * pos (a - x j)) + sum (seq 1 m) (fun j => bend m x y j * pos
                 (x j - a))))
      with (sum (seq 1 m) (fun j => bend m x y j * pos (x j - a))) by ring.
    change (sum (seq 1 m) (fun j => bend m x y j * pos (x j - a))
      = sum (seq 1 m) (fun j => bend m x y j * pos (a - x j)) - sum (seq 1 m) (fun j => bend m x y j * (a - x j))).
    rewrite <- sum_minus. apply sum_ext. intros j _.
    pose proof (pos_diff (a - x j)) as D. replace (- (a - x j)) with (x j - a) in D by ring.
    apply (f_equal (Rmult (bend m x y j))) in D. lra. }
  (* the affine part *)
  assert (L : forall a, y m - sum (seq 1 m) (fun j => bend m x y j * (a - x j)) = y O + slope x y 0 * (a - x O)).
  { set (s := sum (seq 1 m) (bend m x y)). set (b := sum (seq 1 m) (fun j => bend m x y j * x j)).
    assert (LA : forall a, sum (seq 1 m) (fun j => bend m x y j * (a - x j)) = a * s - b).
    { intros a. unfold s, b. rewrite <- sum_scal, <- sum_minus. apply sum_ext. intros; ring. }
    assert (F : forall a, a <= x O -> y m - (a * s - b) = y O + slope x y 0 * (a - x O)).
    { intros a HA. rewrite <- LA.
      assert (X1 : forall j, (1 <= j <= m)%nat -> a <= x j)
        by (intros j J; pose proof (increasing_le m x X 0 j ltac:(lia)); lra).
      pose proof (polygon_first m x y a X (fun K => X1 1%nat (conj (le_n 1) K))) as PF.
      rewrite E in PF. unfold slope_after in PF. rewrite (proj2 (Nat.ltb_lt 0 m)) in PF by lia. rewrite <- PF.
      rewrite (sum_ext (seq 1 m) (fun j => bend m x y j * pos (a - x j)) (fun _ => 0)), sum_zero; [ring|].
      intros j J. apply in_seq in J. specialize (X1 j ltac:(lia)). rewrite pos_zero; lra. }
    intros a. rewrite LA. pose proof (F (x O) ltac:(lra)) as F0. pose proof (F (x O - 1) ltac:(lra)) as F1.
    assert (s = - slope x y 0) as -> by lra. lra. }
  rewrite E, L. f_equal. replace m with (S (m - 1)) at 1 by lia. rewrite seq_S, sum_app. cbn [sum].
  replace (1 + (m - 1))%nat with m by lia. rewrite (pos_zero (alpha - x m)) by lra. ring.
Qed.

(* An f-divergence whose ratios are nodes, by hockey-stick divergences at the nodes. *)
Lemma f_divergence_hinges {A} f (l : list A) P Q m x :
  mass l P -> mass l Q -> continuous l P Q ->
  (1 <= m)%nat -> x O = 0 -> increasing m x ->
  (forall z, In z l -> exists j, (j <= m)%nat /\ x j = P z / Q z) ->
  f_divergence f l P Q
  = f 0 * sum l Q + slope x (fun j => f (x j)) 0 * sum l P
    + sum (seq 1 (m - 1)) (fun j => bend m x (fun j => f (x j)) j * hockey l (x j) P Q).
Proof.
  intros MP MQ C M X0 X V. set (y := fun j => f (x j)).
  rewrite (sum_ext (seq 1 (m - 1)) _ (fun j => sum l (fun z => bend m x y j * pos (P z - x j * Q z))))
    by (intros; unfold hockey; now rewrite sum_scal).
  rewrite <- sum_swap, <- !sum_scal, <- !sum_plus. apply sum_ext. intros z Z.
  destruct (V z Z) as (i & I & E). specialize (MP z Z). specialize (MQ z Z). specialize (C z Z).
  assert (R1 : Q z * (P z / Q z) = P z).
  { destruct MQ as [H|H]; [field; lra|]. rewrite C, <- H by auto. ring. }
  assert (PG : f (P z / Q z) = polygon m x y (P z / Q z)).
  { rewrite <- E. destruct (Nat.eq_dec i m) as [->|K].
    - rewrite polygon_last; [reflexivity | exact X | lra].
    - specialize (X i ltac:(lia)) as XI. rewrite (polygon_between m x y i);
        [now rewrite line_left | exact X | lia | lra]. }
  rewrite PG, polygon_right; [|exact M|exact X|rewrite <- E; apply (increasing_le m x X); lia].
  rewrite X0, Rminus_0_r. unfold y at 1. rewrite X0.
  replace (Q z * (f 0 + slope x y 0 * (P z / Q z) + sum (seq 1 (m - 1)) (fun j => bend m x y j * pos
    (P z / Q z - x j))))
    with (f 0 * Q z + slope x y 0 * (Q z * (P z / Q z))
          + Q z * sum (seq 1 (m - 1)) (fun j => bend m x y j * pos (P z / Q z - x j))) by ring.
  rewrite R1. f_equal. rewrite <- sum_scal. apply sum_ext. intros j _.
  replace (Q z * (bend m x y j * pos (P z / Q z - x j))) with (bend m x y j * (Q z * pos (P z / Q z - x j))) by ring.
  f_equal. rewrite <- pos_scal by exact MQ. f_equal. rewrite Rmult_minus_distr_l, R1. ring.
Qed.

(* The inner bends of a convex function are non-negative. *)
Lemma convex_bend f m x j :
  convex_function f -> 0 <= x O -> increasing m x -> (1 <= j < m)%nat -> 0 <= bend m x (fun j => f (x j)) j.
Proof.
  intros F X0 X J. unfold bend, slope_after. rewrite !(proj2 (Nat.ltb_lt _ m)) by lia.
  destruct j as [|j]; [lia|]. replace (S j - 1)%nat with j by lia. unfold slope.
  pose proof (increasing_le m x X 0 j ltac:(lia)).
  pose proof (convex_slopes f (x j) (x (S j)) (x (S (S j))) F ltac:(lra) (X j ltac:(lia)) (X (S j) ltac:(lia))). lra.
Qed.

Definition ratios {A} (l : list A) (P Q : A -> R) : list R := map (fun z => P z / Q z) l.

Lemma ratios_nonneg {A} (l : list A) P Q : mass l P -> mass l Q -> forall r, In r (ratios l P Q) -> 0 <= r.
Proof.
  intros MP MQ r I. apply in_map_iff in I as (z & <- & Z). apply quotient_nonneg; [now apply MP | now apply MQ].
Qed.

(* ---- the theorems ---- *)

(* Domination with equal masses: every f-divergence is ordered, f convex. *)
Theorem convex_order {A B} f (l : list A) P Q (l' : list B) P' Q' :
  convex_function f ->
  mass l P -> mass l Q -> continuous l P Q -> mass l' P' -> mass l' Q' -> continuous l' P' Q' ->
  sum l P = sum l' P' -> sum l Q = sum l' Q' ->
  dominates l' P' Q' l P Q ->
  f_divergence f l P Q <= f_divergence f l' P' Q'.
Proof.
  intros F MP MQ C MP' MQ' C' SP SQ D.
  destruct (nodes_for (ratios l P Q ++ ratios l' P' Q')) as (m & x & M & X0 & X & V).
  { intros r I. apply in_app_iff in I as [I|I];
      [now apply (ratios_nonneg l P Q) | now apply (ratios_nonneg l' P' Q')]. }
  rewrite (f_divergence_hinges f l P Q m x), (f_divergence_hinges f l' P' Q' m x); trivial.
  - rewrite SP, SQ. apply Rplus_le_compat_l, sum_le. intros j J. apply in_seq in J.
    apply Rmult_le_compat_l; [apply convex_bend; trivial; [lra | lia]|].
    apply D. pose proof (increasing_le m x X 0 j ltac:(lia)). lra.
  - intros z Z. apply V, in_app_iff. right. apply in_map_iff. now exists z.
  - intros z Z. apply V, in_app_iff. left. apply in_map_iff. now exists z.
Qed.

(* If f vanishes on [0, 1], alpha >= 1 is enough, whatever the masses. *)
Theorem convex_order_above {A B} f (l : list A) P Q (l' : list B) P' Q' :
  convex_function f -> (forall u, 0 <= u <= 1 -> f u = 0) ->
  mass l P -> mass l Q -> continuous l P Q -> mass l' P' -> mass l' Q' -> continuous l' P' Q' ->
  (forall alpha, 1 <= alpha -> hockey l alpha P Q <= hockey l' alpha P' Q') ->
  f_divergence f l P Q <= f_divergence f l' P' Q'.
Proof.
  intros F F0 MP MQ C MP' MQ' C' D.
  destruct (nodes_for (1 :: ratios l P Q ++ ratios l' P' Q')) as (m & x & M & X0 & X & V).
  { intros r [<-|I]; [lra|].
    apply in_app_iff in I as [I|I]; [now apply (ratios_nonneg l P Q) | now apply (ratios_nonneg l' P' Q')]. }
  destruct (V 1 (or_introl eq_refl)) as (i & I & XI).
  assert (I1 : (1 <= i)%nat) by (destruct i; [lra | lia]).
  assert (Z : forall j, (j <= i)%nat -> f (x j) = 0).
  { intros j J. apply F0. pose proof (increasing_le m x X 0 j ltac:(lia)).
    pose proof (increasing_le m x X j i ltac:(lia)). lra. }
  rewrite (f_divergence_hinges f l P Q m x), (f_divergence_hinges f l' P' Q' m x); trivial.
  - rewrite F0 by lra. unfold slope. rewrite !Z by lia.
    replace ((0 - 0) / (x 1%nat - x 0%nat)) with 0 by (unfold Rdiv; ring).
    rewrite !Rmult_0_l. apply Rplus_le_compat_l, sum_le. intros j J. apply in_seq in J.
    destruct (le_lt_dec i j) as [K|K].
    + apply Rmult_le_compat_l; [apply convex_bend; trivial; [lra | lia]|].
      apply D. pose proof (increasing_le m x X i j ltac:(lia)). lra.
    + assert (bend m x (fun j => f (x j)) j = 0) as ->; [|lra].
      unfold bend, slope_after, slope. rewrite !(proj2 (Nat.ltb_lt _ m)) by lia.
      destruct j as [|j]; [lia|]. replace (S j - 1)%nat with j by lia. rewrite !Z by lia. unfold Rdiv. ring.
  - intros z Hz. apply V. right. apply in_app_iff. right. apply in_map_iff. now exists z.
  - intros z Hz. apply V. right. apply in_app_iff. left. apply in_map_iff. now exists z.
Qed.

(* x^a is convex, a >= 1. *)
Lemma powr_convex a : 1 <= a -> convex_function (fun u => powr u a).
Proof.
  intros H t u v T U V. set (z := (1 - t) * u + t * v).
  assert (Z : 0 <= z) by (unfold z; nra). destruct Z as [Z|Z].
  - assert (B : forall w, 0 <= w -> powr z a * (1 + a * (w / z - 1)) <= powr w a).
    { intros w W. assert (0 <= w / z) by (apply quotient_nonneg; lra).
      replace (powr w a) with (powr z a * powr (w / z) a).
      - apply Rmult_le_compat_l; [apply powr_nonneg | now apply bernoulli].
      - rewrite <- powr_mult by lra. f_equal. field. lra. }
    pose proof (B u U) as BU. pose proof (B v V) as BV.
    apply Rmult_le_compat_l with (r := 1 - t) in BU; [|lra]. apply Rmult_le_compat_l with (r := t) in BV; [|lra].
    assert ((1 - t) * (powr z a * (1 + a * (u / z - 1))) + t * (powr z a * (1 + a * (v / z - 1))) = powr z a).
    { transitivity (powr z a * (1 + a * (((1 - t) * u + t * v) / z - 1))); [field; lra|]. fold z. field. lra. }
    lra.
  - rewrite <- Z, powr_zero. pose proof (powr_nonneg u a). pose proof (powr_nonneg v a). nra.
Qed.

(*
 * A dominating pair of laws has Renyi moments at least those of the pair it
 * dominates: Renyi bounds from hockey-stick domination.
 *)
Theorem dominates_moment {A B} a (l : list A) P Q (l' : list B) P' Q' :
  1 <= a ->
  law l P -> law l Q -> continuous l P Q -> law l' P' -> law l' Q' -> continuous l' P' Q' ->
  dominates l' P' Q' l P Q ->
  moment a l P Q <= moment a l' P' Q'.
Proof.
  intros H [MP SP] [MQ SQ] C [MP' SP'] [MQ' SQ'] C' D.
  apply (convex_order (fun u => powr u a) l P Q l' P' Q'); trivial; [now apply powr_convex | lra | lra].
Qed.

(* What is dominated by a pair of finite divergence has one: P vanishes where Q does. *)
Theorem dominates_continuous {A B} (l : list A) P Q (l' : list B) P' Q' :
  mass l P -> mass l Q -> mass l' P' -> mass l' Q' -> continuous l' P' Q' ->
  dominates l' P' Q' l P Q -> continuous l P Q.
Proof.
  intros MP MQ MP' MQ' C' D z Z E.
  destruct (nodes_for (ratios l' P' Q')) as (m & x & M & X0 & X & V); [now apply ratios_nonneg|].
  assert (XM : 0 <= x m) by (pose proof (increasing_le m x X 0 m ltac:(lia)); lra).
  assert (H : hockey l' (x m) P' Q' = 0).
  { apply hockey_vanishes. intros w W. destruct (V (P' w / Q' w)) as (j & J & XJ); [apply in_map_iff; now exists w|].
    pose proof (increasing_le m x X j m ltac:(lia)) as L. specialize (MQ' w W) as [Q0|Q0].
    - rewrite XJ in L. apply Rmult_le_compat_r with (r := Q' w) in L; [|lra].
      unfold Rdiv in L. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in L by lra. exact L.
    - rewrite (C' w W) by auto. rewrite <- Q0. lra. }
  specialize (D (x m) XM). rewrite H in D.
  pose proof (sum_term l (fun w => pos (P w - x m * Q w)) z Z (fun w _ => pos_nonneg _)) as T.
  cbn beta in T. rewrite E, Rmult_0_r, Rminus_0_r, pos_id in T by now apply MP.
  unfold hockey in D. specialize (MP z Z). lra.
Qed.

(* ---- an instance: randomised response with e^eps0 = 2 below that with 3; order 2, 3/2 <= 7/3 ---- *)

Definition weaker_P (z : bool) : R := if z then 2 / 3 else 1 / 3.
Definition weaker_Q (z : bool) : R := if z then 1 / 3 else 2 / 3.

Lemma weaker_dominated : dominates [true; false] response_P response_Q [true; false] weaker_P weaker_Q.
Proof.
  set (K := fun z z' : bool => if Bool.eqb z z' then 5 / 6 else 1 / 6).
  intros alpha H. rewrite (hockey_ext _ alpha weaker_P weaker_Q
    (push [true; false] K response_P) (push [true; false] K response_Q)).
  - apply hockey_data_processing. intros [] _; split; [intros [] _| |intros [] _|]; cbn; lra.
  - intros [] _; cbn; lra.
  - intros [] _; cbn; lra.
Qed.

Example weaker_moment : moment 2 [true; false] weaker_P weaker_Q <= 7 / 3.
Proof.
  rewrite <- response_moment. apply dominates_moment; try lra.
  - split; [intros [] _|]; cbn; lra.
  - split; [intros [] _|]; cbn; lra.
  - intros [] _; cbn; lra.
  - apply response_laws.
  - apply response_laws.
  - intros [] _; cbn; lra.
  - exact weaker_dominated.
Qed.
