(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The binomial law by its recurrence: mass, sum, closed form, the ratios along
 * a row and between rows, tails, and the geometric bounds of the tails. Used by
 * ../trinomial-pair.md (strata and truncation) and ../binomial.md.
 *)
From Coq Require Import Reals List Lra Arith Lia.
From Shufbound Require Import Sum Hockey Trinomial.
Import ListNotations.
Open Scope R_scope.

(* Pr[Bin(n,p) = k]. *)
Fixpoint bin (p : R) (n k : nat) : R :=
  match n with
  | O => match k with O => 1 | S _ => 0 end
  | S m => p * before (bin p m) k + (1 - p) * bin p m k
  end.

(* Pr[Bin(n,p) >= t] and Pr[Bin(n,p) < t]. *)
Definition tail (p : R) (n t : nat) : R := sum (seq t (S n - t)) (bin p n).
Definition head (p : R) (n t : nat) : R := sum (seq 0 t) (bin p n).

(* ---- Lemmas on sums ---- *)

Lemma sum_seq_cut f a b : (a <= b)%nat -> sum (seq 0 b) f = sum (seq 0 a) f + sum (seq a (b - a)) f.
Proof.
  intros H. replace b with (a + (b - a))%nat at 1 by lia. now rewrite seq_app, sum_app.
Qed.

Lemma sum_null {A} (l : list A) f : (forall x, In x l -> f x = 0) -> sum l f = 0.
Proof. intros H. rewrite (sum_ext l f (fun _ => 0)); auto using sum_zero. Qed.

Lemma sum_seq_shift f a n : sum (seq (S a) n) f = sum (seq a n) (fun k => f (S k)).
Proof. now rewrite <- seq_shift, sum_map. Qed.

(* A sum over before f: the shift by one. *)
Lemma sum_before f n : sum (seq 0 (S n)) (before f) = sum (seq 0 n) f.
Proof. rewrite sum_seq_first. cbn [before]. change (fun k => f k) with f. lra. Qed.

(* ---- The mass ---- *)

Lemma bin_S p n k : bin p (S n) k = p * before (bin p n) k + (1 - p) * bin p n k.
Proof. reflexivity. Qed.

Lemma bin_SS p n k : bin p (S n) (S k) = p * bin p n k + (1 - p) * bin p n (S k).
Proof. reflexivity. Qed.

Lemma bin_nonneg p n k : 0 <= p <= 1 -> 0 <= bin p n k.
Proof.
  intros Hp. revert k. induction n as [|n IH]; intros k.
  - destruct k; cbn; lra.
  - rewrite bin_S. assert (0 <= before (bin p n) k) by (destruct k; cbn; [lra|apply IH]).
    specialize (IH k). nra.
Qed.

Lemma bin_above p n k : (n < k)%nat -> bin p n k = 0.
Proof.
  revert k. induction n as [|n IH]; intros [|k] H; try lia; [reflexivity|].
  rewrite bin_SS, !IH by lia. lra.
Qed.

(* The masses add up to one, over any range that holds 0 .. n. *)
Lemma bin_sum p n : sum (seq 0 (S n)) (bin p n) = 1.
Proof.
  induction n as [|n IH].
  - cbn. lra.
  - rewrite (sum_ext _ _ (fun k => p * before (bin p n) k + (1 - p) * bin p n k)) by (intros; apply bin_S).
    rewrite sum_plus, !sum_scal, sum_before, IH, sum_seq_last, IH, bin_above by lia. lra.
Qed.

Lemma bin_sum_over p n m : (n <= m)%nat -> sum (seq 0 (S m)) (bin p n) = 1.
Proof.
  intros H. rewrite (sum_seq_cut _ (S n) (S m)) by lia. rewrite bin_sum, sum_null.
  - lra.
  - intros k Hk. apply in_seq in Hk. apply bin_above. lia.
Qed.

Lemma bin_le_1 p n k : 0 <= p <= 1 -> bin p n k <= 1.
Proof.
  intros Hp. destruct (le_lt_dec k n) as [H|H].
  - rewrite <- (bin_sum p n). apply sum_term; [apply in_seq; lia|].
    intros; now apply bin_nonneg.
  - rewrite bin_above by lia. lra.
Qed.

(* Along a row: the ratio of the masses at k+1 and k. *)
Lemma bin_step p n k : bin p n (S k) * INR (S k) * (1 - p) = bin p n k * INR (n - k) * p.
Proof.
  revert k. induction n as [|n IH]; intros k.
  - cbn [bin]. cbn [Nat.sub INR]. lra.
  - destruct (le_lt_dec k n) as [H|H].
    + rewrite bin_SS, bin_S. specialize (IH k) as Hk.
      assert (L : before (bin p n) k * INR (S n - k) * p = bin p n k * INR k * (1 - p)).
      { destruct k as [|k]; cbn [before].
        - cbn [INR]. lra.
        - replace (S n - S k)%nat with (n - k)%nat by lia. symmetry. apply IH. }
      assert (E1 : INR (n - k) = INR n - INR k) by (apply minus_INR; lia).
      assert (E2 : INR (S n - k) = INR n + 1 - INR k) by (rewrite minus_INR, S_INR by lia; lra).
      rewrite E1 in Hk. rewrite E2 in L |- *. rewrite S_INR in *.
      replace ((p * bin p n k + (1 - p) * bin p n (S k)) * (INR k + 1) * (1 - p))
        with (p * (1 - p) * bin p n k * (INR k + 1) + (1 - p) * (bin p n (S k) * (INR k + 1) * (1 - p))) by ring.
      rewrite Hk.
      replace ((p * before (bin p n) k + (1 - p) * bin p n k) * (INR n + 1 - INR k) * p)
        with (p * (before (bin p n) k * (INR n + 1 - INR k) * p) + p * (1 - p) * bin p n k * (INR n + 1 - INR k)) by ring.
      rewrite L. ring.
    + rewrite (bin_above p (S n) (S k)) by lia. replace (S n - k)%nat with O by lia. cbn [INR]. lra.
Qed.

(* From row n to row n+1, at k, and at k+1. *)
Lemma bin_row p n k : bin p (S n) k * INR (S n - k) = bin p n k * INR (S n) * (1 - p).
Proof.
  destruct (le_lt_dec k n) as [H|H].
  - rewrite bin_S.
    assert (L : p * (before (bin p n) k * INR (S n - k)) = bin p n k * INR k * (1 - p)).
    { destruct k as [|k]; cbn [before].
      - cbn [INR]. lra.
      - replace (S n - S k)%nat with (n - k)%nat by lia. rewrite bin_step. ring. }
    assert (E : INR (S n - k) = INR n + 1 - INR k) by (rewrite minus_INR, S_INR by lia; lra).
    rewrite E in L |- *. rewrite S_INR in *.
    replace ((p * before (bin p n) k + (1 - p) * bin p n k) * (INR n + 1 - INR k))
      with (p * (before (bin p n) k * (INR n + 1 - INR k)) + (1 - p) * bin p n k * (INR n + 1 - INR k)) by ring.
    rewrite L. ring.
  - rewrite (bin_above p n k) by lia. replace (S n - k)%nat with O by lia. cbn [INR]. lra.
Qed.

Lemma bin_diag p n k : bin p (S n) (S k) * INR (S k) = bin p n k * INR (S n) * p.
Proof.
  rewrite bin_SS. pose proof (bin_step p n k) as H.
  replace ((p * bin p n k + (1 - p) * bin p n (S k)) * INR (S k))
    with (p * bin p n k * INR (S k) + bin p n (S k) * INR (S k) * (1 - p)) by ring.
  rewrite H. destruct (le_lt_dec k n) as [L|L].
  - rewrite minus_INR, !S_INR by lia. ring.
  - rewrite bin_above by lia. ring.
Qed.

(* The closed form. *)
Lemma bin_closed p n k : (k <= n)%nat ->
  bin p n k = INR (fact n) / (INR (fact k) * INR (fact (n - k))) * p ^ k * (1 - p) ^ (n - k).
Proof.
  assert (F : forall m, INR (fact m) <> 0) by (intros; apply INR_fact_neq_0).
  revert k. induction n as [|n IH]; intros k H.
  - replace k with O by lia. cbn. lra.
  - destruct k as [|k].
    + rewrite bin_S, IH by lia. cbn [before]. rewrite !Nat.sub_0_r. cbn [pow].
      replace (INR (fact 0)) with 1 by reflexivity. field. auto.
    + pose proof (bin_diag p n k) as D. rewrite IH in D by lia.
      apply (Rmult_eq_reg_r (INR (S k))); [|apply not_0_INR; lia]. rewrite D.
      change (S n - S k)%nat with (n - k)%nat.
      change (fact (S n)) with (S n * fact n)%nat. change (fact (S k)) with (S k * fact k)%nat.
      rewrite !mult_INR. cbn [pow]. field.
      repeat split; auto. apply not_0_INR; lia.
Qed.

(* Heads and tails exchanged. *)
Lemma bin_mirror p n k : (k <= n)%nat -> bin (1 - p) n (n - k) = bin p n k.
Proof.
  intros H. rewrite !bin_closed by lia. replace (n - (n - k))%nat with k by lia.
  replace (1 - (1 - p)) with p by ring. field. split; apply INR_fact_neq_0.
Qed.

(* ---- Tails ---- *)

Lemma tail_above p n t : (n < t)%nat -> tail p n t = 0.
Proof. intros H. unfold tail. now replace (S n - t)%nat with O by lia. Qed.

Lemma tail_step p n t : tail p n t = bin p n t + tail p n (S t).
Proof.
  destruct (le_lt_dec t n) as [H|H].
  - unfold tail. replace (S n - t)%nat with (S (S n - S t)) by lia. reflexivity.
  - rewrite !tail_above, bin_above by lia. lra.
Qed.

Lemma tail_zero p n : tail p n 0 = 1.
Proof. apply bin_sum. Qed.

Lemma tail_nonneg p n t : 0 <= p <= 1 -> 0 <= tail p n t.
Proof. intros. apply sum_nonneg. intros. now apply bin_nonneg. Qed.

Lemma head_step p n t : head p n (S t) = head p n t + bin p n t.
Proof. apply sum_seq_last. Qed.

Lemma head_nonneg p n t : 0 <= p <= 1 -> 0 <= head p n t.
Proof. intros. apply sum_nonneg. intros. now apply bin_nonneg. Qed.

Lemma head_tail p n t : head p n t + tail p n t = 1.
Proof.
  induction t as [|t IH].
  - rewrite tail_zero. unfold head. cbn. lra.
  - rewrite head_step. rewrite tail_step in IH. lra.
Qed.

Lemma tail_le_1 p n t : 0 <= p <= 1 -> tail p n t <= 1.
Proof. intros H. pose proof (head_tail p n t). pose proof (head_nonneg p n t H). lra. Qed.

Lemma tail_antitone p n t u : 0 <= p <= 1 -> (t <= u)%nat -> tail p n u <= tail p n t.
Proof.
  intros Hp. induction 1 as [|u L IH]; [lra|].
  pose proof (tail_step p n u). pose proof (bin_nonneg p n u Hp). lra.
Qed.

(* One trial more. *)
Lemma tail_row p n t : (1 <= t)%nat -> tail p (S n) t = tail p n t + p * bin p n (t - 1).
Proof.
  induction 1 as [|t L IH].
  - pose proof (head_tail p (S n) 1). pose proof (head_tail p n 1). unfold head in *. cbn [sum seq] in *.
    rewrite (bin_S p n 0) in *. cbn [before Nat.sub] in *. lra.
  - rewrite tail_step in IH. rewrite (tail_step p n t) in IH. cbn [Nat.sub]. rewrite Nat.sub_0_r.
    destruct t as [|t]; [lia|]. cbn [Nat.sub] in IH. rewrite Nat.sub_0_r in IH. rewrite bin_SS in IH. lra.
Qed.

(* ---- Geometric bounds ---- *)

(* From k on, every mass is at most q times the one before: so the tail is at
   most the mass at k over 1 - q. *)
Lemma tail_geometric p n k q : 0 <= p <= 1 -> 0 <= q < 1 ->
  (forall j, (k <= j)%nat -> bin p n (S j) <= q * bin p n j) -> tail p n k <= bin p n k / (1 - q).
Proof.
  intros Hp Hq.
  assert (G : forall i j, (k <= j)%nat -> (S n - j <= i)%nat ->
    (forall j, (k <= j)%nat -> bin p n (S j) <= q * bin p n j) -> tail p n j <= bin p n j / (1 - q)).
  { induction i as [|i IH]; intros j Hk Hi H.
    - rewrite tail_above by lia. apply Rmult_le_pos; [now apply bin_nonneg|].
      apply Rlt_le, Rinv_0_lt_compat. lra.
    - destruct (le_lt_dec j n) as [L|L].
      + rewrite tail_step. assert (T : tail p n (S j) <= bin p n (S j) / (1 - q)) by (apply IH; auto; lia).
        specialize (H j Hk). apply (Rmult_le_reg_r (1 - q)); [lra|].
        apply (Rmult_le_compat_r (1 - q)) in T; [|lra].
        unfold Rdiv in *. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in T by lra.
        rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. nra.
      + apply IH; auto; lia. }
  intros H. apply (G (S n - k)%nat); auto.
Qed.

(* The condition at k is enough: the ratio falls along the row. *)
Lemma tail_ratio p n k q : 0 <= p < 1 -> 0 <= q < 1 ->
  INR (n - k) * p <= q * (INR (S k) * (1 - p)) -> tail p n k <= bin p n k / (1 - q).
Proof.
  intros Hp Hq H. apply tail_geometric; try lra. intros j Hj.
  pose proof (bin_step p n j) as B. pose proof (bin_nonneg p n j ltac:(lra)) as P.
  assert (N : INR (n - j) <= INR (n - k)) by (apply le_INR; lia).
  assert (M : INR (S k) <= INR (S j)) by (apply le_INR; lia).
  assert (Z : 0 < INR (S j)) by (apply lt_0_INR; lia).
  apply (Rmult_le_reg_r (INR (S j) * (1 - p))); [apply Rmult_lt_0_compat; lra|].
  replace (bin p n (S j) * (INR (S j) * (1 - p))) with (bin p n (S j) * INR (S j) * (1 - p)) by ring.
  rewrite B.
  assert (INR (n - j) * p <= q * (INR (S j) * (1 - p))).
  { apply Rle_trans with (INR (n - k) * p); [apply Rmult_le_compat_r; lra|].
    eapply Rle_trans; [exact H|]. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra. }
  replace (bin p n j * INR (n - j) * p) with (bin p n j * (INR (n - j) * p)) by ring.
  replace (q * bin p n j * (INR (S j) * (1 - p))) with (bin p n j * (q * (INR (S j) * (1 - p)))) by ring.
  now apply Rmult_le_compat_l.
Qed.

(* The mirrored bounds, of Pr[Bin(n,p) <= k]. *)
Lemma head_geometric p n k q : 0 <= p <= 1 -> 0 <= q < 1 ->
  (forall j, (j < k)%nat -> bin p n j <= q * bin p n (S j)) -> head p n (S k) <= bin p n k / (1 - q).
Proof.
  intros Hp Hq. induction k as [|k IH]; intros H.
  - rewrite head_step. unfold head. cbn [sum seq].
    pose proof (bin_nonneg p n 0 Hp). apply (Rmult_le_reg_r (1 - q)); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. nra.
  - rewrite head_step. assert (T : head p n (S k) <= bin p n k / (1 - q)) by (apply IH; intros; apply H; lia).
    specialize (H k ltac:(lia)). pose proof (bin_nonneg p n (S k) Hp).
    apply (Rmult_le_reg_r (1 - q)); [lra|]. apply (Rmult_le_compat_r (1 - q)) in T; [|lra].
    unfold Rdiv in *. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in T by lra.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. nra.
Qed.

Lemma head_ratio p n k q : 0 < p <= 1 -> (k <= n)%nat -> 0 <= q < 1 ->
  INR k * (1 - p) <= q * (INR (S n - k) * p) -> head p n (S k) <= bin p n k / (1 - q).
Proof.
  intros Hp Hk Hq H. apply head_geometric; try lra. intros j Hj.
  pose proof (bin_step p n j) as B. pose proof (bin_nonneg p n (S j) ltac:(lra)) as P.
  assert (N : INR (S n - k) <= INR (n - j)) by (apply le_INR; lia).
  assert (M : INR (S j) <= INR k) by (apply le_INR; lia).
  assert (Z : 0 < INR (n - j)) by (apply lt_0_INR; lia).
  apply (Rmult_le_reg_r (INR (n - j) * p)); [apply Rmult_lt_0_compat; lra|].
  replace (bin p n j * (INR (n - j) * p)) with (bin p n j * INR (n - j) * p) by ring.
  rewrite <- B.
  assert (INR (S j) * (1 - p) <= q * (INR (n - j) * p)).
  { apply Rle_trans with (INR k * (1 - p)); [apply Rmult_le_compat_r; lra|].
    eapply Rle_trans; [exact H|]. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra. }
  replace (bin p n (S j) * INR (S j) * (1 - p)) with (bin p n (S j) * (INR (S j) * (1 - p))) by ring.
  replace (q * bin p n (S j) * (INR (n - j) * p)) with (bin p n (S j) * (q * (INR (n - j) * p))) by ring.
  now apply Rmult_le_compat_l.
Qed.
