(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The law above a profile (../pld.md, Lemma 2), in integers: from upper bounds of
 * the profile at the nodes, in units of 2^-b, to masses in the same unit. On a grid
 * of losses with the step h only one number is not rational, 1/(e^h - 1): with the
 * drops d_j = y_(j-1) - y_j of the values the mass at node j is
 * d_j + (d_j - d_(j+1)) / (e^h - 1).
 *)
From Coq Require Import Reals List ZArith Lra Lia Arith Psatz.
From Shufbound Require Import Sum Hockey Divergence Composition Polygon Grid Losses Pld Bracket.
Import ListNotations.
Open Scope R_scope.

(* ---- bends on a grid ---- *)

Definition ratio (h : R) : R := / (exp h - 1).

Lemma ratio_positive h : 0 < h -> 0 < ratio h.
Proof. intros H. apply Rinv_0_lt_compat. pose proof (exp_increasing 0 h H). rewrite exp_0 in *. lra. Qed.

Lemma point_step h first j : point h first (S (S j)) = exp h * point h first (S j).
Proof.
  cbn [point]. rewrite <- exp_plus. f_equal.
  replace (first + Z.of_nat (S j))%Z with (first + Z.of_nat j + 1)%Z by lia. rewrite (plus_IZR _ 1). ring.
Qed.

Lemma point_positive h first j : 0 < point h first (S j).
Proof. apply exp_pos. Qed.

(* The drop before point j, and the one after it: none after the last point. *)
Definition drop (y : nat -> R) (j : nat) : R := y (j - 1)%nat - y j.
Definition drop_after (n : nat) (y : nat -> R) (j : nat) : R := if (j <? n)%nat then y j - y (S j) else 0.

Lemma slope_after_drop h first n y j : 0 < h ->
  point h first (S j) * slope_after n (point h first) y (S j) = - (ratio h * drop_after n y (S j)).
Proof.
  intros H. unfold slope_after, drop_after. destruct (S j <? n)%nat; [|ring]. unfold slope.
  rewrite point_step. pose proof (point_positive h first j). pose proof (exp_increasing 0 h H) as E. rewrite exp_0 in E.
  unfold ratio. field. split; nra.
Qed.

Lemma bend_first h first n y : 0 < h -> (1 <= n)%nat ->
  point h first 1 * bend n (point h first) y 1 = drop y 1 - ratio h * drop_after n y 1.
Proof.
  intros H N. unfold bend. rewrite Rmult_minus_distr_l, slope_after_drop by trivial.
  unfold slope_after. rewrite (proj2 (Nat.ltb_lt (1 - 1) n)) by lia. unfold slope, drop. cbn [Nat.sub].
  pose proof (point_positive h first 0). cbn [point] in *. field. lra.
Qed.

Lemma bend_later h first n y j : 0 < h -> (S (S j) <= n)%nat ->
  point h first (S (S j)) * bend n (point h first) y (S (S j))
  = drop y (S (S j)) + ratio h * (drop y (S (S j)) - drop_after n y (S (S j))).
Proof.
  intros H N. unfold bend. rewrite Rmult_minus_distr_l, slope_after_drop by trivial.
  replace (S (S j) - 1)%nat with (S j) by lia. rewrite point_step, Rmult_assoc, slope_after_drop by trivial.
  unfold drop_after at 2. rewrite (proj2 (Nat.ltb_lt (S j) n)) by lia. unfold drop.
  replace (S (S j) - 1)%nat with (S j) by lia.
  pose proof (exp_increasing 0 h H) as E. rewrite exp_0 in E. unfold ratio. field. lra.
Qed.

(* ---- in integers ---- *)

(* x 2^b rounded up to units *)
Definition ceiling (b : Z) (x : Z) : Z := (- Z.shiftr (- x) b)%Z.

(* at least d + e k, and 0, for every k from low to high (units of 2^-b) *)
Definition mass_up (b low high d e : Z) : Z := Z.max 0 (d + ceiling b (Z.max (low * e) (high * e))).

(* d_1, d_2, ...: the drops of the values us after the value u *)
Fixpoint drops (u : Z) (us : list Z) : list Z :=
  match us with
  | [] => []
  | v :: r => (u - v)%Z :: drops v r
  end.

Fixpoint later_masses_up (b low high : Z) (ds : list Z) : list Z :=
  match ds with
  | [] => []
  | d :: r => mass_up b low high d (d - hd 0%Z r) :: later_masses_up b low high r
  end.

Definition masses_up (b low high : Z) (ds : list Z) : list Z :=
  match ds with
  | [] => []
  | d :: r => mass_up b low high d (- hd 0%Z r) :: later_masses_up b low high r
  end.

Section Units.
  Variable b : Z.
  Hypothesis Hb : (0 <= b)%Z.
  Definition unit_count : R := IZR (2 ^ b).

  Lemma units_positive : 0 < unit_count.
  Proof. apply IZR_lt. now apply Z.pow_pos_nonneg. Qed.

  Lemma ceiling_spec x : IZR x / unit_count <= IZR (ceiling b x).
  Proof.
    unfold ceiling. rewrite Z.shiftr_div_pow2 by trivial. pose proof units_positive as P.
    apply (Rmult_le_reg_r unit_count); [exact P|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    unfold unit_count in *. rewrite <- mult_IZR. apply IZR_le.
    assert (0 < 2 ^ b)%Z by now apply Z.pow_pos_nonneg.
    pose proof (Z.mul_div_le (- x) (2 ^ b) ltac:(lia)). lia.
  Qed.

  Lemma mass_up_spec low high d e k : IZR low <= k * unit_count <= IZR high ->
    IZR d + k * IZR e <= IZR (mass_up b low high d e).
  Proof.
    intros K. unfold mass_up. eapply Rle_trans; [|apply IZR_le, Z.le_max_r]. rewrite plus_IZR.
    apply Rplus_le_compat_l. eapply Rle_trans; [|apply ceiling_spec]. pose proof units_positive as P.
    apply (Rmult_le_reg_r unit_count); [exact P|]. unfold Rdiv. rewrite (Rmult_assoc (IZR _)), Rinv_l, Rmult_1_r by lra.
    replace (k * IZR e * unit_count) with (k * unit_count * IZR e) by ring.
    destruct (Rle_dec 0 (IZR e)) as [E|E].
    - eapply Rle_trans; [|apply IZR_le, Z.le_max_r]. rewrite mult_IZR. now apply Rmult_le_compat_r.
    - eapply Rle_trans; [|apply IZR_le, Z.le_max_l]. rewrite mult_IZR. nra.
  Qed.

  Lemma mass_up_nonneg low high d e : (0 <= mass_up b low high d e)%Z.
  Proof. apply Z.le_max_l. Qed.

  Lemma nth_drops us : forall u i, (i < length us)%nat ->
    nth i (drops u us) 0%Z = (nth i (u :: us) 0 - nth (S i) (u :: us) 0)%Z.
  Proof.
    induction us as [|v r IH]; intros u i I; cbn [length] in I; [lia|].
    destruct i as [|i]; [reflexivity|]. cbn [drops nth]. rewrite IH by lia. reflexivity.
  Qed.

  Lemma length_drops us : forall u, length (drops u us) = length us.
  Proof. induction us as [|v r IH]; intros u; cbn; trivial. now rewrite IH. Qed.

  Lemma length_later low high ds : length (later_masses_up b low high ds) = length ds.
  Proof. induction ds as [|d r IH]; cbn; trivial. now rewrite IH. Qed.

  Lemma length_masses_up low high ds : length (masses_up b low high ds) = length ds.
  Proof. destruct ds as [|d r]; cbn; trivial. now rewrite length_later. Qed.

  Lemma hd_nth (l : list Z) : hd 0%Z l = nth 0 l 0%Z.
  Proof. now destruct l. Qed.

  Lemma nth_later low high ds : forall i, (i < length ds)%nat ->
    nth i (later_masses_up b low high ds) 0%Z = mass_up b low high (nth i ds 0%Z) (nth i ds 0 - nth (S i) ds 0)%Z.
  Proof.
    induction ds as [|d r IH]; intros i I; cbn [length] in I; [lia|].
    destruct i as [|i]; cbn [later_masses_up nth]; [now rewrite hd_nth|]. now rewrite IH by lia.
  Qed.

  Lemma nth_masses_up low high ds i : (i < length ds)%nat ->
    nth i (masses_up b low high ds) 0%Z
    = mass_up b low high (nth i ds 0%Z) ((if (i =? 0)%nat then 0 else nth i ds 0) - nth (S i) ds 0)%Z.
  Proof.
    intros I. destruct ds as [|d r]; [cbn in I; lia|]. destruct i as [|i]; cbn [masses_up nth Nat.eqb].
    - now rewrite hd_nth.
    - rewrite nth_later by (cbn in I; lia). reflexivity.
  Qed.

  Lemma masses_up_nonneg low high ds i : (0 <= nth i (masses_up b low high ds) 0)%Z.
  Proof.
    destruct (Nat.lt_ge_cases i (length ds)) as [H|H].
    - rewrite nth_masses_up by trivial. apply mass_up_nonneg.
    - rewrite nth_overflow; [lia|]. now rewrite length_masses_up.
  Qed.

  (* The law of the values us at the losses first h, (first + 1) h, ... *)
  Definition law_up (low high : Z) (first : Z) (us : list Z) : grid_law :=
    GridLaw first (length us) (fun i => IZR (nth i (masses_up b low high (drops (2 ^ b) us)) 0%Z) / unit_count)
      (IZR (last us 0%Z) / unit_count).

  (*
   * Values between 0 and 1 that do not rise and that at no node are below the profile
   * give a law above it.
   *)
  Theorem law_up_built h low high first us (H : R -> R) :
    0 < h -> IZR low <= ratio h * unit_count <= IZR high -> (1 <= length us)%nat ->
    Forall (fun d => (0 <= d)%Z) (drops (2 ^ b) us) -> (0 <= last us 0)%Z ->
    (forall i, (i < length us)%nat -> H (exp (h * IZR (first + Z.of_nat i))) <= IZR (nth i us 0%Z) / unit_count) ->
    built_above h (law_up low high first us) H.
  Proof.
    intros Hh K L D U HU. pose proof units_positive as P.
    set (n := length us) in *. set (ds := drops (2 ^ b) us) in *.
    set (Y := fun j => IZR (nth j ((2 ^ b)%Z :: us) 0%Z) / unit_count).
    assert (LD : length ds = n) by apply length_drops.
    assert (DY : forall j, (1 <= j <= n)%nat -> drop Y j = IZR (nth (j - 1) ds 0%Z) / unit_count).
    { intros j J. unfold drop, Y, ds. rewrite nth_drops by lia. rewrite minus_IZR.
      replace (S (j - 1)) with j by lia. unfold Rdiv. ring. }
    assert (D0 : forall j, (1 <= j <= n)%nat -> 0 <= drop Y j).
    { intros j J. rewrite DY by trivial. apply Rmult_le_pos; [|now apply Rlt_le, Rinv_0_lt_compat].
      apply IZR_le. rewrite Forall_forall in D. apply D, nth_In. lia. }
    assert (DA : forall j, (1 <= j <= n)%nat -> drop_after n Y j = IZR (nth j ds 0%Z) / unit_count).
    { intros j J. unfold drop_after. destruct (j <? n)%nat eqn:E.
      - apply Nat.ltb_lt in E. pose proof (DY (S j) ltac:(lia)) as Q. unfold drop in Q.
        replace (S j - 1)%nat with j in Q by lia. exact Q.
      - apply Nat.ltb_ge in E. rewrite nth_overflow by lia. unfold Rdiv. ring. }
    set (hi := fun i => IZR (nth i us 0%Z) / unit_count).
    set (y0 := fun j => match j with O => 1 | S i => hi i end).
    assert (RM : forall j, (j <= n)%nat -> running_min y0 j = Y j).
    { induction j as [|j IH]; intros J; cbn [running_min].
      - unfold y0, Y. cbn [nth]. fold unit_count. field. lra.
      - rewrite IH by lia. specialize (D0 (S j) ltac:(lia)). unfold drop in D0. replace (S j - 1)%nat with j in D0 by lia.
        change (y0 (S j)) with (Y (S j)). apply Rmin_right. lra. }
    exists hi, n, (fun i => i). cbn [law_up first_node node_count node_mass infinite_mass].
    fold n. fold ds. fold y0. repeat split; trivial.
    - intros i _. lia.
    - apply Rmult_le_pos; [now apply IZR_le | now apply Rlt_le, Rinv_0_lt_compat].
    - intros i I. cbn. apply Rmult_le_pos; [apply IZR_le, masses_up_nonneg | now apply Rlt_le, Rinv_0_lt_compat].
    - intros j J.
      assert (B : bend n (fun i => point h first i) (fun i => running_min y0 i) j = bend n (point h first) Y j).
      { unfold bend, slope_after. destruct (j <? n)%nat eqn:E1, (j - 1 <? n)%nat eqn:E2; unfold slope; trivial;
          rewrite ?Nat.ltb_lt, ?Nat.ltb_ge in *; rewrite !RM by lia; trivial. }
      rewrite B. rewrite nth_masses_up by lia. apply (Rmult_le_reg_r unit_count); [exact P|].
      unfold Rdiv. rewrite (Rmult_assoc (IZR _)), Rinv_l, Rmult_1_r by lra.
      eapply Rle_trans; [|apply (mass_up_spec low high _ _ (ratio h) K)].
      destruct j as [|[|j]]; [lia| |].
      + rewrite bend_first, DY, DA by (trivial; lia). cbn [Nat.sub Nat.eqb]. rewrite minus_IZR. right. unfold Rdiv. field. lra.
      + rewrite bend_later, DY, DA by (trivial; lia). replace (S (S j) - 1)%nat with (S j) by lia. cbn [Nat.eqb].
        rewrite minus_IZR. right. field. lra.
    - rewrite RM by lia. unfold Y. right. do 2 f_equal. clear - L. unfold n. revert L.
      generalize (2 ^ b)%Z as u. induction us as [|v r IH]; intros u L; [cbn in L; lia|].
      destruct r as [|w r]; [reflexivity|]. change (nth (length (w :: r)) (v :: w :: r) 0%Z = last (w :: r) 0%Z). apply IH. cbn. lia.
  Qed.
End Units.
