(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Ranges of machine integers that contain real numbers, not negative: the lower end
 * is right always, the upper end unless it is above 2^62. So an overflow makes a
 * range useless, never wrong.
 *)
From Coq Require Import Reals ZArith Lra Lia Bool Uint63.
Open Scope R_scope.

Notation int_value := Uint63.to_Z.

Definition limit : int := 0x4000000000000000%uint63.

Definition range : Type := int * int.

Definition holds (r : range) (x : R) : Prop :=
  0 <= x /\ IZR (int_value (fst r)) <= x /\ ((int_value (snd r) <= int_value limit)%Z -> x <= IZR (int_value (snd r))).

Lemma limit_value : int_value limit = (2 ^ 62)%Z.
Proof. reflexivity. Qed.

Lemma int_nonneg a : (0 <= int_value a)%Z.
Proof. apply to_Z_bounded. Qed.

Lemma int_nonneg_R a : 0 <= IZR (int_value a).
Proof. apply (IZR_le 0), int_nonneg. Qed.

Lemma max_above_limit : ~ (int_value max_int <= int_value limit)%Z.
Proof. vm_compute. intros H. now apply H. Qed.

Lemma holds_eq r x y : holds r x -> x = y -> holds r y.
Proof. now intros H <-. Qed.

(* x a / b, rounded down and up *)
Definition scale_down (x a b : int) : int :=
  let (h, l) := mulc x a in
  if (h <? b)%uint63 then fst (diveucl_21 h l b) else 0%uint63.

Definition scale_up (x a b : int) : int :=
  if (x <=? limit)%uint63 then
    let (h, l) := mulc x a in
    if (h <? b)%uint63 then
      let q := fst (diveucl_21 h l b) in
      if (q <? limit)%uint63 then (q + 1)%uint63 else max_int
    else max_int
  else max_int.

Lemma scale_spec x a b h l : mulc x a = (h, l) -> (int_value h < int_value b)%Z ->
  int_value (fst (diveucl_21 h l b)) = (int_value x * int_value a / int_value b)%Z.
Proof.
  intros E H. pose proof (mulc_spec x a) as M. rewrite E in M. cbn [fst snd] in M.
  pose proof (diveucl_21_spec h l b) as S. destruct (diveucl_21 h l b) as [q r]. cbn [fst].
  unfold Z.div. rewrite M. destruct (Z.div_eucl _ _) as [q' r']. now destruct (S H).
Qed.

Lemma scale_down_spec x a b (y : R) : IZR (int_value x) <= y -> (0 < int_value b)%Z -> 0 <= y ->
  IZR (int_value (scale_down x a b)) <= y * IZR (int_value a) / IZR (int_value b).
Proof.
  intros X B Y. pose proof (int_nonneg_R a) as A. apply IZR_lt in B.
  assert (G : IZR (int_value x) * IZR (int_value a) / IZR (int_value b) <= y * IZR (int_value a) / IZR (int_value b)).
  { apply Rmult_le_compat_r; [now apply Rlt_le, Rinv_0_lt_compat|]. now apply Rmult_le_compat_r. }
  eapply Rle_trans; [|exact G]. pose proof (int_nonneg_R x) as X0.
  unfold scale_down. destruct (mulc x a) as [h l] eqn:E. destruct (h <? b)%uint63 eqn:L.
  - apply ltb_spec in L. rewrite (scale_spec _ _ _ _ _ E L). apply (Rmult_le_reg_r (IZR (int_value b))); [exact B|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. rewrite <- !mult_IZR. apply IZR_le.
    apply lt_IZR in B. rewrite Z.mul_comm. now apply Z.mul_div_le.
  - change (int_value 0%uint63) with 0%Z. apply Rmult_le_pos; [now apply Rmult_le_pos | now apply Rlt_le, Rinv_0_lt_compat].
Qed.

Lemma scale_up_spec x a b (y : R) : ((int_value x <= int_value limit)%Z -> y <= IZR (int_value x)) ->
  (int_value (scale_up x a b) <= int_value limit)%Z -> (0 < int_value b)%Z ->
  y * IZR (int_value a) / IZR (int_value b) <= IZR (int_value (scale_up x a b)).
Proof.
  intros X. unfold scale_up. destruct (x <=? limit)%uint63 eqn:EX; [|intros H; now apply max_above_limit in H].
  apply leb_spec in EX. specialize (X EX). destruct (mulc x a) as [h l] eqn:E.
  destruct (h <? b)%uint63 eqn:L; [|intros H; now apply max_above_limit in H].
  apply ltb_spec in L. pose proof (scale_spec _ _ _ _ _ E L) as Q. cbv zeta.
  destruct (fst (diveucl_21 h l b) <? limit)%uint63 eqn:LQ; [|intros H; now apply max_above_limit in H].
  apply ltb_spec in LQ. intros _ B. rewrite add_spec. change (int_value 1%uint63) with 1%Z.
  rewrite limit_value in LQ. pose proof (int_nonneg (fst (diveucl_21 h l b))) as P.
  rewrite Z.mod_small by (change wB with (2 ^ 63)%Z; lia). rewrite Q.
  pose proof (int_nonneg_R a) as A. apply (Rmult_le_reg_r (IZR (int_value b))); [now apply IZR_lt|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (apply IZR_lt in B; lra).
  eapply Rle_trans; [apply Rmult_le_compat_r; [exact A | exact X]|]. rewrite <- !mult_IZR. apply IZR_le.
  pose proof (Z.mul_succ_div_gt (int_value x * int_value a) (int_value b) B). lia.
Qed.

Definition times_ratio (r : range) (a b : int) : range := (scale_down (fst r) a b, scale_up (snd r) a b).

Lemma times_ratio_holds r x a b : holds r x -> (0 < int_value b)%Z ->
  holds (times_ratio r a b) (x * IZR (int_value a) / IZR (int_value b)).
Proof.
  intros (P & L & U) B. repeat split.
  - apply Rmult_le_pos; [apply Rmult_le_pos; [exact P | apply int_nonneg_R] | apply Rlt_le, Rinv_0_lt_compat, IZR_lt, B].
  - now apply scale_down_spec.
  - intros H. now apply scale_up_spec.
Qed.

(* A real constant between two fractions. *)
Record constant := Constant { c_low : int; c_high : int; c_over : int }.

Definition is_constant (k : constant) (m : R) : Prop :=
  (0 < int_value (c_over k))%Z /\ 0 <= m
  /\ IZR (int_value (c_low k)) / IZR (int_value (c_over k)) <= m <= IZR (int_value (c_high k)) / IZR (int_value (c_over k)).

Definition times_constant (r : range) (k : constant) : range :=
  (scale_down (fst r) (c_low k) (c_over k), scale_up (snd r) (c_high k) (c_over k)).

Lemma times_constant_holds r x k m : holds r x -> is_constant k m -> holds (times_constant r k) (x * m).
Proof.
  intros (P & L & U) (B & M & ML & MU). repeat split.
  - now apply Rmult_le_pos.
  - cbn [times_constant fst]. eapply Rle_trans; [now apply (scale_down_spec _ _ _ x)|]. unfold Rdiv. rewrite Rmult_assoc.
    apply Rmult_le_compat_l; [exact P | exact ML].
  - cbn [times_constant snd]. intros H. eapply Rle_trans; [|now apply (scale_up_spec _ _ _ x)].
    unfold Rdiv. rewrite Rmult_assoc. apply Rmult_le_compat_l; [exact P | exact MU].
Qed.

(* x m a / b; first what makes it smaller *)
Definition times_both (r : range) (k : constant) (a b : int) : range :=
  if (c_low k <? c_over k)%uint63 then times_ratio (times_constant r k) a b else times_constant (times_ratio r a b) k.

Lemma times_both_holds r x k m a b : holds r x -> is_constant k m -> (0 < int_value b)%Z ->
  holds (times_both r k a b) (x * m * IZR (int_value a) / IZR (int_value b)).
Proof.
  intros H K B. unfold times_both. destruct (_ <? _)%uint63.
  - apply times_ratio_holds; trivial. now apply times_constant_holds.
  - eapply holds_eq; [exact (times_constant_holds _ _ k m (times_ratio_holds r x a b H B) K)|]. unfold Rdiv. ring.
Qed.

Definition add_range (r s : range) : range :=
  (fst r + fst s,
   if snd r <? limit then if snd s <? limit then snd r + snd s else max_int else max_int)%uint63.

Lemma add_range_holds r s x y : holds r x -> holds s y -> holds (add_range r s) (x + y).
Proof.
  intros (P & L & U) (P' & L' & U'). repeat split; cbn [add_range fst snd].
  - lra.
  - rewrite add_spec. eapply Rle_trans; [apply IZR_le, Z.mod_le|].
    + apply Z.add_nonneg_nonneg; apply int_nonneg.
    + reflexivity.
    + rewrite plus_IZR. lra.
  - destruct (snd r <? limit)%uint63 eqn:E; [|intros H; now apply max_above_limit in H].
    destruct (snd s <? limit)%uint63 eqn:E'; [|intros H; now apply max_above_limit in H]. intros _.
    apply ltb_spec in E, E'. rewrite add_spec. rewrite limit_value in *.
    pose proof (int_nonneg (snd r)). pose proof (int_nonneg (snd s)).
    rewrite Z.mod_small by (change wB with (2 ^ 63)%Z; lia). rewrite plus_IZR.
    specialize (U ltac:(lia)). specialize (U' ltac:(lia)). lra.
Qed.

Definition subtract_range (r s : range) : range :=
  (if snd s <=? limit then if snd s <=? fst r then fst r - snd s else 0 else 0,
   if snd r <=? limit then if fst s <=? snd r then snd r - fst s else 0 else max_int)%uint63.

Lemma sub_value a b : (int_value b <= int_value a)%Z -> int_value (a - b)%uint63 = (int_value a - int_value b)%Z.
Proof.
  intros H. rewrite sub_spec. apply Z.mod_small. pose proof (to_Z_bounded a). pose proof (to_Z_bounded b). lia.
Qed.

Lemma subtract_range_holds r s x y : holds r x -> holds s y -> 0 <= x - y -> holds (subtract_range r s) (x - y).
Proof.
  intros (P & L & U) (P' & L' & U') D. repeat split; cbn [subtract_range fst snd]; trivial.
  - destruct (snd s <=? limit)%uint63 eqn:E; [|exact D]. destruct (snd s <=? fst r)%uint63 eqn:E'; [|exact D].
    apply leb_spec in E, E'. specialize (U' E). rewrite sub_value, minus_IZR by trivial. lra.
  - destruct (snd r <=? limit)%uint63 eqn:E; [|intros H; now apply max_above_limit in H]. intros _.
    apply leb_spec in E. specialize (U E). destruct (fst s <=? snd r)%uint63 eqn:E'.
    + apply leb_spec in E'. rewrite sub_value, minus_IZR by trivial. lra.
    + exfalso. assert (~ (int_value (fst s) <= int_value (snd r))%Z) as N by (intros N; apply leb_spec in N; congruence).
      apply Z.nle_gt, IZR_lt in N. lra.
Qed.

(* x over 2^k *)
Definition shift_range (r : range) (k : int) : range :=
  (fst r >> k, if snd r <=? limit then (snd r >> k) + 1 else max_int)%uint63.

Lemma shift_range_holds r x k : holds r x -> holds (shift_range r k) (x / IZR (2 ^ int_value k)).
Proof.
  intros (P & L & U). pose proof (int_nonneg k) as K.
  assert (B : (0 < 2 ^ int_value k)%Z) by (apply Z.pow_pos_nonneg; lia). pose proof (IZR_lt _ _ B) as BR.
  repeat split; cbn [shift_range fst snd].
  - apply Rmult_le_pos; [exact P | now apply Rlt_le, Rinv_0_lt_compat].
  - rewrite lsr_spec. apply (Rmult_le_reg_r (IZR (2 ^ int_value k))); [exact BR|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. eapply Rle_trans; [|exact L].
    rewrite <- mult_IZR. apply IZR_le. rewrite Z.mul_comm. now apply Z.mul_div_le.
  - destruct (snd r <=? limit)%uint63 eqn:E; [|intros H; now apply max_above_limit in H]. intros _.
    apply leb_spec in E. specialize (U E). rewrite add_spec, lsr_spec. change (int_value 1%uint63) with 1%Z.
    rewrite limit_value in E. pose proof (int_nonneg (snd r)) as N.
    assert (Q : (int_value (snd r) / 2 ^ int_value k <= int_value (snd r))%Z) by (apply Z.div_le_upper_bound; nia).
    assert (0 <= int_value (snd r) / 2 ^ int_value k)%Z by now apply Z.div_pos.
    rewrite Z.mod_small by (change wB with (2 ^ 63)%Z; lia).
    apply (Rmult_le_reg_r (IZR (2 ^ int_value k))); [exact BR|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. eapply Rle_trans; [exact U|].
    rewrite <- mult_IZR. apply IZR_le. pose proof (Z.mul_succ_div_gt (int_value (snd r)) (2 ^ int_value k) B). lia.
Qed.

Definition zero_range : range := (0, 0)%uint63.

Lemma zero_range_holds : holds zero_range 0.
Proof. repeat split; cbn; intros; lra. Qed.
