(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(* The exact recurrences behind the double-precision path, ../fast.md, Lemma 2:
   the binomial law, its ratios, and how the value
     V_t(c) = u Pr[Bin(c,1/2) = t-1] - w Pr[Bin(c,1/2) >= t]
   moves with t and with c. No rounding here; RoundingStep.v adds it. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Shufbound Require Import Sum.
Import ListNotations.
Open Scope R_scope.

(* Pr[Bin(n,s) = k], by conditioning on the last trial. *)
Fixpoint bin (s : R) (n k : nat) : R :=
  match n, k with
  | O, O => 1
  | O, S _ => 0
  | S n, O => (1 - s) * bin s n O
  | S n, S k => s * bin s n k + (1 - s) * bin s n (S k)
  end.

Lemma bin_zero s n : forall k, (n < k)%nat -> bin s n k = 0.
Proof.
  induction n as [|n IH]; intros [|k] H; cbn; try lia; [reflexivity|].
  rewrite !IH by lia. ring.
Qed.

Lemma bin_pos s n : 0 < s < 1 -> forall k, (k <= n)%nat -> 0 < bin s n k.
Proof.
  intros S0. induction n as [|n IH]; intros [|k] H; cbn; try lia; [lra| |].
  - apply Rmult_lt_0_compat; [lra|apply IH; lia].
  - assert (0 < s * bin s n k) by (apply Rmult_lt_0_compat; [lra|apply IH; lia]).
    destruct (Nat.eq_dec k n) as [->|N].
    + rewrite (bin_zero s n (S n)) by lia. lra.
    + assert (0 < (1 - s) * bin s n (S k)) by (apply Rmult_lt_0_compat; [lra|apply IH; lia]). lra.
Qed.

(* Pr[k+1]/Pr[k] = (n-k)/(k+1) s/(1-s). *)
Lemma bin_ratio s n : forall k,
  INR (S k) * (1 - s) * bin s n (S k) = (INR n - INR k) * s * bin s n k.
Proof.
  induction n as [|n IH]; intros k.
  - cbn [bin]. destruct k; change (INR 0) with 0; ring.
  - assert (U : INR (S k) * bin s (S n) (S k) = INR (S n) * s * bin s n k).
    { cbn [bin]. specialize (IH k). rewrite !S_INR in *. nra. }
    assert (D : (INR (S n) - INR k) * bin s (S n) k = INR (S n) * (1 - s) * bin s n k).
    { destruct k as [|j].
      - cbn [bin]. change (INR 0) with 0. ring.
      - cbn [bin]. specialize (IH j). rewrite !S_INR in *. nra. }
    replace (INR (S k) * (1 - s) * bin s (S n) (S k)) with ((1 - s) * (INR (S k) * bin s (S n) (S k))) by ring.
    replace ((INR (S n) - INR k) * s * bin s (S n) k) with (s * ((INR (S n) - INR k) * bin s (S n) k)) by ring.
    rewrite U, D. ring.
Qed.

Lemma bin_up s n k : INR (S k) * bin s (S n) (S k) = INR (S n) * s * bin s n k.
Proof. cbn [bin]. pose proof (bin_ratio s n k) as H. rewrite !S_INR in *. nra. Qed.

Lemma bin_diagonal s n k : (INR (S n) - INR k) * bin s (S n) k = INR (S n) * (1 - s) * bin s n k.
Proof.
  destruct k as [|j].
  - cbn [bin]. change (INR 0) with 0. ring.
  - cbn [bin]. pose proof (bin_ratio s n j) as H. rewrite !S_INR in *. nra.
Qed.

Lemma bin_sum s n : sum (seq 0 (S n)) (bin s n) = 1.
Proof.
  induction n as [|n IH]; [cbn; ring|].
  rewrite sum_seq_first.
  rewrite (sum_ext _ (fun k => bin s (S n) (S k)) (fun k => s * bin s n k + (1 - s) * bin s n (S k))) by reflexivity.
  rewrite sum_plus, !sum_scal, IH.
  rewrite sum_seq_last, (bin_zero s n (S n)) by lia.
  rewrite sum_seq_first in IH. cbn [bin]. nra.
Qed.

(* Pr[Bin(n,s) >= t]. *)
Definition above (s : R) (n t : nat) : R := sum (seq t (S n - t)) (bin s n).

Lemma above_complement s n t : (t <= S n)%nat -> above s n t = 1 - sum (seq 0 t) (bin s n).
Proof.
  intros H. unfold above. rewrite <- (bin_sum s n).
  replace (S n) with (t + (S n - t))%nat at 2 by lia.
  rewrite seq_app, sum_app. cbn. ring.
Qed.

(* Strata: Pr[C = c-1] = Pr[C = c] c (1-s)/s / (N+1-c), mass *= c * odds / (N + 1 - c). *)
Theorem mass_step s N c : 0 < s -> (1 <= c <= N)%nat ->
  bin s N (c - 1) = bin s N c * (INR c * ((1 - s) / s) / (INR N + 1 - INR c)).
Proof.
  intros S0 [C1 C2]. destruct c as [|c]; [lia|]. replace (S c - 1)%nat with c by lia.
  pose proof (bin_ratio s N c) as H. apply le_INR in C2. rewrite S_INR in *.
  field_simplify_eq; nra.
Qed.

Section Value.
  Variables u w : R.

  (* V_t(c), t >= 1. *)
  Definition value (c t : nat) : R := u * bin (1/2) c (t - 1) - w * above (1/2) c t.

  (* t -> t-1, Lemma 2 (a). *)
  Theorem pmf_lower c t : (2 <= t <= c + 1)%nat ->
    bin (1/2) c (t - 1 - 1) = bin (1/2) c (t - 1) * (INR t - 1) / (INR c - INR t + 2).
  Proof.
    intros [T C]. destruct t as [|[|t]]; try lia. cbn [Nat.sub]. rewrite Nat.sub_0_r.
    pose proof (bin_ratio (1/2) c t) as H. apply le_INR in C.
    replace (c + 1)%nat with (S c) in C by lia. rewrite !S_INR in *. field_simplify_eq; lra.
  Qed.

  Theorem value_lower c t : (2 <= t <= c + 1)%nat ->
    value c (t - 1) = value c t + u * (2 * INR t - 3 - INR c) * bin (1/2) c (t - 1) / (INR c - INR t + 2)
                      - w * bin (1/2) c (t - 1).
  Proof.
    intros H. unfold value. rewrite (pmf_lower c t H).
    rewrite !above_complement by lia.
    assert (L : sum (seq 0 t) (bin (1/2) c) = sum (seq 0 (t - 1)) (bin (1/2) c) + bin (1/2) c (t - 1)).
    { rewrite <- sum_seq_last. f_equal. f_equal. lia. }
    rewrite L. assert (INR t <= INR c + 1).
    { destruct H as [_ H]. apply le_INR in H. rewrite plus_INR in H. cbn [INR] in H. lra. }
    field. lra.
  Qed.

  (* c -> c-1, Lemma 2 (b). *)
  Theorem pmf_fall c t : (1 <= t <= c)%nat ->
    bin (1/2) (c - 1) (t - 1) = 2 * (INR c + 1 - INR t) * bin (1/2) c (t - 1) / INR c.
  Proof.
    intros [T C]. destruct c as [|c]; [lia|]. destruct t as [|t]; [lia|].
    replace (S c - 1)%nat with c by lia. replace (S t - 1)%nat with t by lia.
    pose proof (bin_diagonal (1/2) c t) as H. pose proof (pos_INR c). rewrite !S_INR in *.
    field_simplify_eq; nra.
  Qed.

  Lemma below_fall n t : sum (seq 0 (S t)) (bin (1/2) (S n)) = sum (seq 0 (S t)) (bin (1/2) n) - bin (1/2) n t / 2.
  Proof.
    induction t as [|t IH].
    - cbn [sum seq bin]. lra.
    - rewrite sum_seq_last, IH. rewrite (sum_seq_last (S t)). cbn [bin]. lra.
  Qed.

  Theorem value_fall c t : (1 <= t <= c)%nat ->
    value (c - 1) t = value c t + w * (2 * (INR c + 1 - INR t) * bin (1/2) c (t - 1) / INR c) / 2
                      - u * (2 * INR t - 2 - INR c) * bin (1/2) c (t - 1) / INR c.
  Proof.
    intros H. rewrite <- (pmf_fall c t H). unfold value.
    rewrite !above_complement by lia.
    destruct c as [|c]; [lia|]. destruct t as [|t]; [lia|].
    replace (S c - 1)%nat with c in * by lia. replace (S t - 1)%nat with t in * by lia.
    rewrite (below_fall c t).
    pose proof (bin_diagonal (1/2) c t) as D. pose proof (pos_INR c). rewrite !S_INR in *.
    assert (E : bin (1/2) c t - bin (1/2) (S c) t
      = bin (1/2) (S c) t * (2 * (INR c + 1 + 1 - (INR t + 1)) - (INR c + 1)) / (INR c + 1)).
    { field_simplify_eq; nra. }
    assert (E' : u * (2 * (INR t + 1) - 2 - (INR c + 1)) * bin (1/2) (S c) t / (INR c + 1)
      = - (u * (bin (1/2) c t - bin (1/2) (S c) t)) + 0).
    { rewrite E. field_simplify_eq; [ring|lra]. }
    rewrite E'. lra.
  Qed.

  (* t = c+1: u pmf alone, without history. *)
  Theorem value_top c : value c (c + 1) = u * bin (1/2) c c.
  Proof.
    unfold value. rewrite above_complement by lia.
    replace (c + 1)%nat with (S c) by lia. rewrite bin_sum.
    replace (S c - 1)%nat with c by lia. ring.
  Qed.

  (* V_{t+1} = V_t - (u p - (u+w) p (c+1-t)/t). *)
  Theorem value_other c t : (1 <= t <= c)%nat ->
    value c (t + 1) = value c t
      - (u * bin (1/2) c (t - 1) - (u + w) * bin (1/2) c (t - 1) * ((INR c + 1 - INR t) / INR t * 1)).
  Proof.
    intros H. unfold value. rewrite !above_complement by lia.
    destruct t as [|t]; [lia|]. replace (S t + 1 - 1)%nat with (S t) by lia.
    replace (S t - 1)%nat with t by lia. replace (S t + 1)%nat with (S (S t)) by lia.
    rewrite (sum_seq_last (S t)).
    pose proof (bin_ratio (1/2) c t) as R1. pose proof (pos_INR t). rewrite !S_INR in *.
    assert (E : bin (1/2) c (S t) = bin (1/2) c t * ((INR c + 1 - (INR t + 1)) / (INR t + 1))).
    { field_simplify_eq; nra. }
    rewrite E. field. lra.
  Qed.
End Value.
