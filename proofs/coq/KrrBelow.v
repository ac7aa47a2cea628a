(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * ../trinomial-pair.md, Lemma 8: krr-weak with gamma = k/(E+k-1) is below
 * clones-stronger with the same n and E, at every alpha.
 *
 * The kernel: each user of the clones-stronger pair, the differing one
 * included, is with probability (k-2)/(E+k-1) made to report one of the k-2
 * other values, and otherwise stays what he is: a report of x0 if he counts in
 * a, of x1 if in b, and no random report if in neither.
 *)
From Coq Require Import Reals List Lra Arith Lia FunctionalExtensionality.
From Shufbound Require Import Sum Hockey Trinomial TrinomialMean Binomial Strata Monotone KrrPairs.
Import ListNotations.
Open Scope R_scope.

(* The mean of f (t, a, b) when a user is added who reports x0 (to t and a),
   x1 (to t and b), something else (to t) or nothing, with weights p, q, e, z. *)
Definition add (p q e z : R) (f : nat -> nat -> nat -> R) (t a b : nat) : R :=
  p * f (S t) (S a) b + q * f (S t) a (S b) + e * f (S t) a b + z * f t a b.

Fixpoint times (A : (nat -> nat -> nat -> R) -> nat -> nat -> nat -> R) (n : nat) (f : nat -> nat -> nat -> R)
  : nat -> nat -> nat -> R :=
  match n with
  | O => f
  | S m => A (times A m f)
  end.

Lemma fun3_ext (f g : nat -> nat -> nat -> R) : (forall t a b, f t a b = g t a b) -> f = g.
Proof. intros H. do 3 (apply functional_extensionality; intro). apply H. Qed.

(* Users may be added in any order. *)
Lemma add_swap p q e z p' q' e' z' f : add p q e z (add p' q' e' z' f) = add p' q' e' z' (add p q e z f).
Proof. apply fun3_ext. intros t a b. unfold add. ring. Qed.

Lemma add_times p q e z p' q' e' z' n f :
  add p q e z (times (add p' q' e' z') n f) = times (add p' q' e' z') n (add p q e z f).
Proof. induction n as [|n IH]; cbn [times]; [reflexivity|]. now rewrite add_swap, IH. Qed.

Lemma add_range p q e z f : 0 <= p -> 0 <= q -> 0 <= e -> 0 <= z -> p + q + e + z = 1 ->
  (forall t a b, 0 <= f t a b <= 1) -> forall t a b, 0 <= add p q e z f t a b <= 1.
Proof.
  intros Hp Hq He Hz H F t a b. unfold add.
  pose proof (F (S t) (S a) b). pose proof (F (S t) a (S b)). pose proof (F (S t) a b). pose proof (F t a b).
  split; nra.
Qed.

Lemma times_range A n f : (forall g, (forall t a b, 0 <= g t a b <= 1) -> forall t a b, 0 <= A g t a b <= 1) ->
  (forall t a b, 0 <= f t a b <= 1) -> forall t a b, 0 <= times A n f t a b <= 1.
Proof. intros H F. induction n as [|n IH]; cbn [times]; auto. Qed.

Lemma counts_mean_add r0 r1 N p q e z (G : nat -> nat -> nat -> nat -> nat -> R) t i j :
  counts_mean r0 r1 N (fun a b => add p q e z (G a b) t i j) =
  add p q e z (fun t i j => counts_mean r0 r1 N (fun a b => G a b t i j)) t i j.
Proof.
  unfold add.
  rewrite (counts_mean_ext _ _ _ _ (fun a b =>
    1 * (p * G a b (S t) (S i) j + q * G a b (S t) i (S j)) + 1 * (e * G a b (S t) i j + z * G a b t i j)))
    by (intros; ring).
  rewrite !counts_mean_linear. ring.
Qed.

Section Below.
  Variables E k : R.
  Hypothesis HE : 1 <= E.
  Hypothesis Hk : 2 <= k.

  Let gamma := k / (E + k - 1).
  Let x := (k - 2) / (E + k - 1).
  Let y := (E + 1) / (E + k - 1).
  Let q := 1 / (E + 1).

  (* The user who counts in a, in b, in neither; and one of the others of krr-weak. *)
  Let in_a := add y 0 x 0.
  Let in_b := add 0 y x 0.
  Let in_none := add 0 0 x y.
  Let other := add (gamma / k) (gamma / k) (gamma * (k - 2) / k) (1 - gamma).
  Let differing_P := add (krr_weak_w0 gamma k) (krr_weak_w1 gamma k) (krr_weak_w2 gamma k) 0.
  Let differing_Q := add (krr_weak_w1 gamma k) (krr_weak_w0 gamma k) (krr_weak_w2 gamma k) 0.

  (* The kernel: the mean of f after thinning the counts (a, b, c). *)
  Let thin (a b c : nat) (f : nat -> nat -> nat -> R) := times in_a a (times in_b b (times in_none c f)).

  Local Lemma parts : 0 <= x /\ 0 <= y /\ x + y = 1.
  Proof.
    unfold x, y. assert (0 < / (E + k - 1)) by (apply Rinv_0_lt_compat; lra). repeat split.
    - apply Rmult_le_pos; lra.
    - apply Rmult_le_pos; lra.
    - field. lra.
  Qed.

  Local Lemma thin_a a b c f : thin (S a) b c f = in_a (thin a b c f).
  Proof. reflexivity. Qed.

  Local Lemma thin_b a b c f : thin a (S b) c f = in_b (thin a b c f).
  Proof. unfold thin. cbn [times]. symmetry. apply add_times. Qed.

  Local Lemma thin_none a b c f : thin a b (S c) f = in_none (thin a b c f).
  Proof.
    unfold thin. cbn [times]. symmetry. etransitivity; [apply add_times|]. f_equal. apply add_times.
  Qed.

  Local Lemma thin_range a b c f : (forall t i j, 0 <= f t i j <= 1) -> forall t i j, 0 <= thin a b c f t i j <= 1.
  Proof.
    intros F. destruct parts as (X & Y & XY).
    assert (A : forall p' q' z', 0 <= p' -> 0 <= q' -> 0 <= z' -> p' + q' + x + z' = 1 ->
      forall g, (forall t i j, 0 <= g t i j <= 1) -> forall t i j, 0 <= add p' q' x z' g t i j <= 1).
    { intros. apply add_range; auto. }
    unfold thin. apply times_range; [apply A; lra|]. apply times_range; [apply A; lra|].
    apply times_range; [apply A; lra|]. exact F.
  Qed.

  (* An other of clones-stronger, thinned, is an other of krr-weak. *)
  Local Lemma other_mix f : forall t i j,
    q * in_a f t i j + q * in_b f t i j + (1 - q - q) * in_none f t i j = other f t i j.
  Proof. intros. unfold in_a, in_b, in_none, other, add, q, x, y, gamma. field. lra. Qed.

  Local Lemma differing_mix f : forall t i j,
    E / (E + 1) * in_a f t i j + 1 / (E + 1) * in_b f t i j = differing_P f t i j
    /\ 1 / (E + 1) * in_a f t i j + E / (E + 1) * in_b f t i j = differing_Q f t i j.
  Proof.
    intros. unfold in_a, in_b, differing_P, differing_Q, add, krr_weak_w0, krr_weak_w1, krr_weak_w2, x, y, gamma.
    split; field; lra.
  Qed.

  (* All others of clones-stronger, thinned. *)
  Local Lemma others_mix N f t i j :
    counts_mean q q N (fun a b => thin a b (N - a - b) f t i j) = times other N f t i j.
  Proof.
    revert t i j. induction N as [|N IH]; intros t i j; [reflexivity|].
    cbn [counts_mean times]. rewrite <- other_mix.
    assert (F : times other N f = fun t i j => counts_mean q q N (fun a b => thin a b (N - a - b) f t i j)).
    { apply fun3_ext. intros. symmetry. apply IH. }
    rewrite F. unfold in_a, in_b, in_none. rewrite <- !(counts_mean_add q q N).
    f_equal; [f_equal|]; f_equal; apply counts_mean_ext; intros a b L.
    - replace (S N - a - S b)%nat with (N - a - b)%nat by lia. now rewrite thin_b.
    - replace (S N - a - b)%nat with (S (N - a - b)) by lia. now rewrite thin_none.
  Qed.

  (* The others of krr-weak: the mean over B, and over the counts given B. *)
  Local Lemma weak_others N f t i j :
    sum (seq 0 (S N)) (fun B => bin gamma N B * counts_mean (1 / k) (1 / k) B (fun a b => f (t + B)%nat (i + a)%nat (j + b)%nat))
    = times other N f t i j.
  Proof.
    revert t i j. induction N as [|N IH]; intros t i j.
    - cbn. rewrite !Nat.add_0_r. ring.
    - set (h := fun (t i j B : nat) => counts_mean (1 / k) (1 / k) B (fun a b => f (t + B)%nat (i + a)%nat (j + b)%nat)).
      change (sum (seq 0 (S (S N))) (fun B => bin gamma (S N) B * h t i j B) = times other (S N) f t i j).
      rewrite (sum_ext _ _ (fun B => gamma * before (fun m => bin gamma N m * h t i j (S m)) B
        + (1 - gamma) * (bin gamma N B * h t i j B))).
      2: { intros [|B] _; rewrite bin_S; cbn [before]; ring. }
      rewrite sum_plus, !sum_scal, (sum_before (fun m => bin gamma N m * h t i j (S m))).
      rewrite (sum_seq_last (S N) (fun B => bin gamma N B * h t i j B)), (bin_above gamma N (S N)) by lia.
      assert (St : forall B, h t i j (S B) = 1 / k * h (S t)
        (S i) j B + 1 / k * h (S t) i (S j) B + (1 - 1 / k - 1 / k) * h (S t) i j B).
      { intros B. unfold h. cbn [counts_mean]. f_equal; [f_equal|]; f_equal; apply counts_mean_ext; intros a b _; f_equal; lia. }
      rewrite (sum_ext _ (fun m => bin gamma N m * h t i j (S m)) (fun m =>
        1 / k * (bin gamma N m * h (S t) (S i) j m) + 1 / k * (bin gamma N m * h (S t) i (S j) m)
        + (1 - 1 / k - 1 / k) * (bin gamma N m * h (S t) i j m))) by (intros m _; rewrite St; ring).
      rewrite !sum_plus, !sum_scal. unfold h. rewrite !IH. cbn [times]. unfold other at 5, add.
      field. lra.
  Qed.

  (* What a test on krr-weak's outcomes means for the users. *)
  Variable N : nat.
  Variable T : nat * (nat * nat) -> R.
  Let f (t a b : nat) : R := T (pred t, (a, b)).

  Local Lemma weak_mean w0 w1 w2 :
    sum (list_prod (seq 0 (S N)) (counts N)) (fun z =>
      bin gamma N (fst z) * with_user w0 w1 w2 (others (1 / k) (1 / k) (fst z)) (snd z) * T z)
    = add w0 w1 w2 0 (times other N f) 0 0 0.
  Proof.
    rewrite sum_prod. unfold other. rewrite add_times. fold other. rewrite <- weak_others.
    apply sum_ext. intros B HB. apply in_seq in HB. cbn [fst snd].
    rewrite (sum_ext _ _ (fun z => bin gamma N B * (with_user w0 w1 w2 (others (1 / k) (1 / k) B) z * T (B, z))))
      by (intros; ring).
    rewrite sum_scal. f_equal.
    rewrite (sum_ext _ _ (fun z => with_user w0 w1 w2 (others (1 / k) (1 / k) B) (fst z, snd z) * T (B, (fst z, snd z))))
      by (intros [a b] _; reflexivity).
    rewrite (sum_counts_more (fun a b => with_user w0 w1 w2 (others (1 / k) (1 / k) B) (a, b) * T (B, (a, b))) B N).
    2: lia.
    2: { intros a b L. rewrite with_user_above by lia. ring. }
    rewrite (sum_ext _ _ (fun z => with_user w0 w1 w2 (others (1 / k) (1 / k) B) z * (fun a b => T (B, (a, b))) (fst z) (snd z)))
      by (intros [a b] _; reflexivity).
    rewrite (with_user_mean w0 w1 w2 _ _ B (fun a b => T (B, (a, b)))).
    rewrite (counts_mean_ext _ _ _ (fun a b => add w0 w1 w2 0 f (0 + B) (0 + a) (0 + b)) (fun a b =>
      1 * (w0 * T (B, (S a, b)) + w1 * T (B, (a, S b))) + w2 * T (B, (a, b)))).
    - rewrite !counts_mean_linear. ring.
    - intros a b _. unfold add, f. cbn [Nat.add pred]. ring.
  Qed.

  Local Lemma stronger_mean w0 w1 :
    sum (counts N) (fun z => with_user w0 w1 0 (others q q N) z * thin (fst z) (snd z) (S N - fst z - snd z) f 0 0 0)
    = w0 * in_a (times other N f) 0 0 0 + w1 * in_b (times other N f) 0 0 0.
  Proof.
    rewrite (with_user_mean w0 w1 0 q q N (fun a b => thin a b (S N - a - b) f 0 0 0)).
    assert (F : times other N f = fun t i j => counts_mean q q N (fun a b => thin a b (N - a - b) f t i j)).
    { apply fun3_ext. intros. symmetry. apply others_mix. }
    rewrite F. unfold in_a, in_b. rewrite <- !(counts_mean_add q q N), Rmult_0_l, Rplus_0_r.
    f_equal; f_equal; apply counts_mean_ext; intros a b _.
    - replace (S N - a - S b)%nat with (N - a - b)%nat by lia. now rewrite thin_b.
  Qed.

  (* The same test mean, whichever way. *)
  Local Lemma test_P :
    sum (list_prod (seq 0 (S N)) (counts N)) (fun z => krr_weak_P gamma k N z * T z) =
    sum (counts N) (fun z => trinomial_P (E / (E + 1)) (1 / (E + 1)) 0 q q N z * thin (fst z) (snd z)
      (S N - fst z - snd z) f 0 0 0).
  Proof.
    unfold trinomial_P. rewrite stronger_mean, (proj1 (differing_mix (times other N f) 0 0 0)).
    unfold differing_P. rewrite <- weak_mean. reflexivity.
  Qed.

  Local Lemma test_Q :
    sum (list_prod (seq 0 (S N)) (counts N)) (fun z => krr_weak_Q gamma k N z * T z) =
    sum (counts N) (fun z => trinomial_Q (E / (E + 1)) (1 / (E + 1)) 0 q q N z * thin (fst z) (snd z)
      (S N - fst z - snd z) f 0 0 0).
  Proof.
    unfold trinomial_Q. rewrite stronger_mean, (proj2 (differing_mix (times other N f) 0 0 0)).
    unfold differing_Q. rewrite <- weak_mean. reflexivity.
  Qed.

  Local Lemma test_bound alpha : (forall z, 0 <= T z <= 1) ->
    sum (list_prod (seq 0 (S N)) (counts N)) (fun z => (krr_weak_P gamma k N z - alpha * krr_weak_Q gamma k N z) * T z)
    <= trinomial_hockey (E / (E + 1)) (1 / (E + 1)) 0 q q N alpha.
  Proof.
    intros HT.
    rewrite (sum_ext _ _ (fun z => krr_weak_P gamma k N z * T z - alpha * (krr_weak_Q gamma k N z * T z))) by (intros; ring).
    rewrite sum_minus, sum_scal, test_P, test_Q, <- sum_scal, <- sum_minus.
    apply sum_le. intros z _. set (K := thin _ _ _ _ _ _ _).
    assert (0 <= K <= 1) by (apply thin_range; intros; apply HT).
    set (P := trinomial_P _ _ _ _ _ _ z). set (Q := trinomial_Q _ _ _ _ _ _ z).
    replace (P * K - alpha * (Q * K)) with ((P - alpha * Q) * K) by ring.
    now apply below_pos.
  Qed.
End Below.

(* Lemma 8: krr-weak with gamma = k/(E+k-1) is below clones-stronger, at every alpha. *)
Theorem krr_weak_below_stronger E k N alpha : 1 <= E -> 2 <= k ->
  krr_weak_hockey (k / (E + k - 1)) k N alpha <= stronger_hockey E N alpha.
Proof.
  intros HE Hk.
  set (T := fun z => above (krr_weak_P (k / (E + k - 1)) k N z - alpha * krr_weak_Q (k / (E + k - 1)) k N z)).
  pose proof (test_bound E k HE Hk N T alpha (fun z => above_range _)) as H.
  eapply Rle_trans; [|exact H]. apply Req_le. unfold krr_weak_hockey, hockey.
  apply sum_ext. intros z _. apply pos_above.
Qed.
