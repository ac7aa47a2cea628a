(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Means over the trinomial counts of Trinomial.v, user by user, and what
 * follows from them: the trinomial pair is a pair of laws, it is symmetric if
 * r0 = r1 (trinomial_hockey_reverse), its divergence is a mean of positive
 * parts (trinomial_hockey_walk; Lemma 7 of ../clones-stronger.md and Lemma 2
 * of ../local-profile.md), it does not grow when the other users are counted
 * more often (trinomial_hockey_counted; the kernel of corollary 2 of
 * ../clones-stronger.md), nor fall when the differing user shows more
 * (trinomial_hockey_user; both are Lemma 4 of ../local-profile.md).
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Trinomial.
Import ListNotations.
Open Scope R_scope.

(* The mean of f (a, b) over the counts of N users. *)
Fixpoint counts_mean (r0 r1 : R) (N : nat) (f : nat -> nat -> R) : R :=
  match N with
  | O => f O O
  | S M => r0 * counts_mean r0 r1 M (fun a b => f (S a) b) + r1 * counts_mean r0 r1 M (fun a b => f a (S b))
           + (1 - r0 - r1) * counts_mean r0 r1 M f
  end.

(* The mean of the positive part of s + W_1 + .. + W_k, the W_j independent,
   each up with probability p, -down with probability q, otherwise 0. *)
Fixpoint walk (up down p q : R) (k : nat) (s : R) : R :=
  match k with
  | O => pos s
  | S j => p * walk up down p q j (s + up) + q * walk up down p q j (s - down)
           + (1 - p - q) * walk up down p q j s
  end.

(* -------- Lemmas on sums -------- *)

(* The sum over the square 0 .. K-1 by 0 .. K-1. *)
Definition square (K : nat) (f : nat -> nat -> R) : R :=
  sum (seq 0 K) (fun a => sum (seq 0 K) (fun b => f a b)).

Lemma square_ext K f g :
  (forall a b, (a < K)%nat -> (b < K)%nat -> f a b = g a b) -> square K f = square K g.
Proof.
  intros H. apply sum_ext. intros a Ha. apply sum_ext. intros b Hb.
  apply in_seq in Ha, Hb. apply H; lia.
Qed.

Lemma square_le K f g :
  (forall a b, (a < K)%nat -> (b < K)%nat -> f a b <= g a b) -> square K f <= square K g.
Proof.
  intros H. apply sum_le. intros a Ha. apply sum_le. intros b Hb.
  apply in_seq in Ha, Hb. apply H; lia.
Qed.

Lemma square_plus K f g : square K (fun a b => f a b + g a b) = square K f + square K g.
Proof.
  unfold square. rewrite <- sum_plus. apply sum_ext. intros a _. apply sum_plus.
Qed.

Lemma square_scal K c f : square K (fun a b => c * f a b) = c * square K f.
Proof.
  unfold square. rewrite <- sum_scal. apply sum_ext. intros a _. apply sum_scal.
Qed.

Lemma square_swap K f : square K f = square K (fun a b => f b a).
Proof. apply sum_swap. Qed.

Lemma sum_before K f g :
  f K = 0 -> sum (seq 0 (S K)) (fun a => before f a * g a) = sum (seq 0 (S K)) (fun a => f a * g (S a)).
Proof.
  intros H. rewrite sum_seq_first, sum_seq_last. cbn [before]. rewrite H. lra.
Qed.

Lemma square_before_a K T f :
  (forall b, T K b = 0) ->
  square (S K) (fun a b => before (fun a => T a b) a * f a b) = square (S K) (fun a b => T a b * f (S a) b).
Proof.
  intros H. rewrite square_swap, (square_swap _ (fun a b => T a b * f (S a) b)).
  apply sum_ext. intros b _. now apply (sum_before K (fun a => T a b) (fun a => f a b)).
Qed.

Lemma square_before_b K T f :
  (forall a, T a K = 0) ->
  square (S K) (fun a b => before (fun b => T a b) b * f a b) = square (S K) (fun a b => T a b * f a (S b)).
Proof.
  intros H. apply sum_ext. intros a _. now apply (sum_before K (fun b => T a b) (fun b => f a b)).
Qed.

(* -------- The counts of the others -------- *)

Lemma before_zero f k : (forall j, S j = k -> f j = 0) -> before f k = 0.
Proof. destruct k; cbn; auto. Qed.

Lemma others_zero_a r0 r1 N a b : (N < a)%nat -> others r0 r1 N a b = 0.
Proof.
  revert a b; induction N as [|N IH]; intros a b H; cbn.
  - destruct a; [lia | reflexivity].
  - rewrite (IH a b) by lia.
    rewrite (before_zero _ a) by (intros j <-; apply IH; lia).
    rewrite (before_zero _ b) by (intros j <-; apply IH; lia). lra.
Qed.

Lemma others_zero_b r0 r1 N a b : (N < b)%nat -> others r0 r1 N a b = 0.
Proof.
  revert a b; induction N as [|N IH]; intros a b H; cbn.
  - destruct a, b; (lia || reflexivity).
  - rewrite (IH a b) by lia.
    rewrite (before_zero _ a) by (intros j <-; apply IH; lia).
    rewrite (before_zero _ b) by (intros j <-; apply IH; lia). lra.
Qed.

Lemma before_nonneg f k : (forall j, 0 <= f j) -> 0 <= before f k.
Proof. destruct k; cbn; intros H; [lra | apply H]. Qed.

Lemma others_nonneg r0 r1 N a b : 0 <= r0 -> 0 <= r1 -> r0 + r1 <= 1 -> 0 <= others r0 r1 N a b.
Proof.
  intros H0 H1 H. revert a b; induction N as [|N IH]; intros a b; cbn.
  - destruct a, b; lra.
  - assert (0 <= before (fun a => others r0 r1 N a b) a) by (apply before_nonneg; auto).
    assert (0 <= before (fun b => others r0 r1 N a b) b) by (apply before_nonneg; auto).
    specialize (IH a b). nra.
Qed.

Lemma before_ext f g k : (forall j, f j = g j) -> before f k = before g k.
Proof. destruct k; cbn; auto. Qed.

Lemma others_swap r0 r1 N a b : others r0 r1 N a b = others r1 r0 N b a.
Proof.
  revert a b; induction N as [|N IH]; intros a b; cbn.
  - destruct a, b; reflexivity.
  - rewrite (before_ext (fun a => others r0 r1 N a b) (fun a => others r1 r0 N b a)) by auto.
    rewrite (before_ext (fun b => others r0 r1 N a b) (fun b => others r1 r0 N b a)) by auto.
    rewrite (IH a b). ring.
Qed.

(* A user counted in a: one of the a. *)
Lemma others_a r0 r1 N a b :
  INR a * others r0 r1 (S N) a b = INR (S N) * (r0 * before (fun a => others r0 r1 N a b) a).
Proof.
  revert a b; induction N as [|N IH]; intros a b.
  - destruct a as [|[|a]]; cbn; try destruct b as [|[|b]]; cbn; try lra.
  - assert (HA : INR a * before (fun a => others r0 r1 (S N) a b) a
                 = before (fun a => others r0 r1 (S N) a b) a
                   + INR (S N) * (r0 * before (fun a => before (fun a => others r0 r1 N a b) a) a)).
    { destruct a as [|a]; [cbn; lra|]. cbn [before]. rewrite <- IH, (S_INR a). ring. }
    assert (HB : INR a * before (fun b => others r0 r1 (S N) a b) b
                 = INR (S N) * (r0 * before (fun a => before (fun b => others r0 r1 N a b) b) a)).
    { destruct b as [|b]; cbn [before]; [destruct a; cbn [before]; lra|].
      rewrite IH. destruct a; reflexivity. }
    change (others r0 r1 (S (S N)) a b) with
      (r0 * before (fun a => others r0 r1 (S N) a b) a + r1 * before (fun b => others r0 r1 (S N) a b) b
       + (1 - r0 - r1) * others r0 r1 (S N) a b).
    replace (INR a * _) with
      (r0 * (INR a * before (fun a => others r0 r1 (S N) a b) a)
       + r1 * (INR a * before (fun b => others r0 r1 (S N) a b) b)
       + (1 - r0 - r1) * (INR a * others r0 r1 (S N) a b)) by ring.
    rewrite HA, HB, IH, (S_INR (S N)).
    destruct a as [|a]; cbn [before]; [ring|].
    change (others r0 r1 (S N) a b) with
      (r0 * before (fun a => others r0 r1 N a b) a + r1 * before (fun b => others r0 r1 N a b) b
       + (1 - r0 - r1) * others r0 r1 N a b). ring.
Qed.

Lemma others_b r0 r1 N a b :
  INR b * others r0 r1 (S N) a b = INR (S N) * (r1 * before (fun b => others r0 r1 N a b) b).
Proof.
  rewrite others_swap, others_a. f_equal. f_equal. apply before_ext. intros j. apply others_swap.
Qed.

(* Sums against the counts are means. *)
Lemma others_mean r0 r1 N K f :
  (N < K)%nat -> square K (fun a b => others r0 r1 N a b * f a b) = counts_mean r0 r1 N f.
Proof.
  revert K f; induction N as [|N IH]; intros K f H.
  - destruct K as [|K]; [lia|]. unfold square. rewrite sum_seq_first, sum_seq_first. cbn [others counts_mean].
    rewrite (sum_ext (seq 0 K) _ (fun _ => 0)) by (intros; ring). rewrite sum_zero.
    rewrite (sum_ext (seq 0 K) _ (fun _ => 0)). { rewrite sum_zero. ring. }
    intros a _. rewrite (sum_ext _ _ (fun _ => 0)) by (intros; ring). apply sum_zero.
  - destruct K as [|K]; [lia|]. cbn [others counts_mean].
    rewrite (square_ext _ _ (fun a b =>
        (r0 * (before (fun a => others r0 r1 N a b) a * f a b) + r1 * (before (fun b => others r0 r1 N a b) b * f a b))
        + (1 - r0 - r1) * (others r0 r1 N a b * f a b))) by (intros; ring).
    rewrite !square_plus, !square_scal.
    rewrite square_before_a by (intros; apply others_zero_a; lia).
    rewrite square_before_b by (intros; apply others_zero_b; lia).
    rewrite (IH (S K) (fun a b => f (S a) b)), (IH (S K) (fun a b => f a (S b))), (IH (S K) f) by lia.
    reflexivity.
Qed.

(* -------- Means -------- *)

Lemma counts_mean_ext r0 r1 N f g :
  (forall a b, (a + b <= N)%nat -> f a b = g a b) -> counts_mean r0 r1 N f = counts_mean r0 r1 N g.
Proof.
  revert f g; induction N as [|N IH]; intros f g H; cbn; [apply H; lia|].
  rewrite (IH (fun a b => f (S a) b) (fun a b => g (S a) b)) by (intros; apply H; lia).
  rewrite (IH (fun a b => f a (S b)) (fun a b => g a (S b))) by (intros; apply H; lia).
  rewrite (IH f g) by (intros; apply H; lia). reflexivity.
Qed.

Lemma counts_mean_linear r0 r1 N u v f g :
  counts_mean r0 r1 N (fun a b => u * f a b + v * g a b) = u * counts_mean r0 r1 N f + v * counts_mean r0 r1 N g.
Proof.
  revert f g; induction N as [|N IH]; intros f g; cbn; [reflexivity|].
  rewrite (IH f g), (IH (fun a b => f (S a) b) (fun a b => g (S a) b)),
    (IH (fun a b => f a (S b)) (fun a b => g a (S b))). ring.
Qed.

Lemma counts_mean_const r0 r1 N c : counts_mean r0 r1 N (fun _ _ => c) = c.
Proof. induction N as [|N IH]; cbn; [reflexivity|]. rewrite IH. ring. Qed.

Lemma counts_mean_le r0 r1 N f g :
  0 <= r0 -> 0 <= r1 -> r0 + r1 <= 1 -> (forall a b, f a b <= g a b) -> counts_mean r0 r1 N f <= counts_mean r0 r1 N g.
Proof.
  intros H0 H1 H. revert f g; induction N as [|N IH]; intros f g L; cbn; [apply L|].
  assert (counts_mean r0 r1 N f <= counts_mean r0 r1 N g) by auto.
  assert (counts_mean r0 r1 N (fun a b => f (S a) b) <= counts_mean r0 r1 N (fun a b => g (S a) b)) by (apply IH; auto).
  assert (counts_mean r0 r1 N (fun a b => f a (S b)) <= counts_mean r0 r1 N (fun a b => g a (S b))) by (apply IH; auto).
  nra.
Qed.

Lemma mean_scal r0 r1 N c f : counts_mean r0 r1 N (fun a b => c * f a b) = c * counts_mean r0 r1 N f.
Proof.
  rewrite (counts_mean_ext _ _ _ _ (fun a b => c * f a b + 0 * f a b)) by (intros; ring).
  rewrite counts_mean_linear. ring.
Qed.

(* Of N + 1 users, one counted in a comes first. *)
Lemma mean_times_a r0 r1 N g :
  counts_mean r0 r1 (S N) (fun a b => INR a * g a b) = INR (S N) * (r0 * counts_mean r0 r1 N (fun a b => g (S a) b)).
Proof.
  revert g; induction N as [|N IH]; intros g; [cbn; ring|].
  rewrite (S_INR (S N)).
  change (counts_mean r0 r1 (S (S N)) (fun a b => INR a * g a b)) with
    (r0 * counts_mean r0 r1 (S N) (fun a b => INR (S a) * g (S a) b)
     + r1 * counts_mean r0 r1 (S N) (fun a b => INR a * g a (S b))
     + (1 - r0 - r1) * counts_mean r0 r1 (S N) (fun a b => INR a * g a b)).
  rewrite (counts_mean_ext r0 r1 (S N) (fun a b => INR (S a) * g (S a) b)
    (fun a b => 1 * g (S a) b + 1 * (INR a * g (S a) b))) by (intros; rewrite S_INR; ring).
  rewrite counts_mean_linear.
  rewrite (IH (fun a b => g (S a) b)), (IH (fun a b => g a (S b))), (IH g). cbn [counts_mean]. ring.
Qed.

Lemma mean_times_b r0 r1 N g :
  counts_mean r0 r1 (S N) (fun a b => INR b * g a b) = INR (S N) * (r1 * counts_mean r0 r1 N (fun a b => g a (S b))).
Proof.
  revert g; induction N as [|N IH]; intros g; [cbn; ring|].
  rewrite (S_INR (S N)).
  change (counts_mean r0 r1 (S (S N)) (fun a b => INR b * g a b)) with
    (r0 * counts_mean r0 r1 (S N) (fun a b => INR b * g (S a) b)
     + r1 * counts_mean r0 r1 (S N) (fun a b => INR (S b) * g a (S b))
     + (1 - r0 - r1) * counts_mean r0 r1 (S N) (fun a b => INR b * g a b)).
  rewrite (counts_mean_ext r0 r1 (S N) (fun a b => INR (S b) * g a (S b))
    (fun a b => 1 * g a (S b) + 1 * (INR b * g a (S b)))) by (intros; rewrite S_INR; ring).
  rewrite counts_mean_linear.
  rewrite (IH (fun a b => g (S a) b)), (IH (fun a b => g a (S b))), (IH g). cbn [counts_mean]. ring.
Qed.

Lemma INR_rest N a b : (a + b <= N)%nat -> INR (N - a - b) = INR N - INR a - INR b.
Proof. intros H. rewrite !minus_INR by lia. reflexivity. Qed.

Lemma mean_times_rest r0 r1 N g :
  counts_mean r0 r1 (S N) (fun a b => INR (S N - a - b) * g a b)
  = INR (S N) * ((1 - r0 - r1) * counts_mean r0 r1 N g).
Proof.
  rewrite (counts_mean_ext _ _ _ _ (fun a b => INR (S N) * g a b + (-1) * (1 * (INR a * g a b) + 1 * (INR b * g a b))))
    by (intros a b H; rewrite INR_rest by exact H; ring).
  rewrite (counts_mean_linear _ _ _ (INR (S N)) (-1) g), counts_mean_linear, mean_times_a, mean_times_b.
  cbn [counts_mean]. ring.
Qed.

(* The same where one is taken off a count. *)
Lemma mean_pred_a r0 r1 N g :
  counts_mean r0 r1 N (fun a b => INR a * g (pred a) b) = INR N * (r0 * counts_mean r0 r1 (pred N) g).
Proof.
  destruct N as [|N]; [cbn; ring|].
  now rewrite (mean_times_a r0 r1 N (fun a b => g (pred a) b)).
Qed.

Lemma mean_pred_b r0 r1 N g :
  counts_mean r0 r1 N (fun a b => INR b * g a (pred b)) = INR N * (r1 * counts_mean r0 r1 (pred N) g).
Proof.
  destruct N as [|N]; [cbn; ring|].
  now rewrite (mean_times_b r0 r1 N (fun a b => g a (pred b))).
Qed.

Lemma mean_rest r0 r1 N g :
  counts_mean r0 r1 N (fun a b => INR (N - a - b) * g a b) = INR N * ((1 - r0 - r1) * counts_mean r0 r1 (pred N) g).
Proof. destruct N as [|N]; [cbn; ring|]. apply mean_times_rest. Qed.

(* A walk counts its steps. *)
Lemma walk_mean up down p q n s :
  walk up down p q n s = counts_mean p q n (fun a b => pos (s + up * INR a - down * INR b)).
Proof.
  revert s; induction n as [|n IH]; intros s; cbn [walk counts_mean].
  - f_equal. cbn. ring.
  - rewrite !IH. f_equal. f_equal; f_equal; apply counts_mean_ext; intros a b _; f_equal; rewrite S_INR; ring.
Qed.

(* -------- The pair -------- *)

Lemma sum_counts N f : sum (counts N) f = square (S (S N)) (fun a b => f (a, b)).
Proof. apply sum_prod. Qed.

(* Means under the pair's laws. *)
Lemma with_user_mean w0 w1 w2 r0 r1 N f :
  sum (counts N) (fun x => with_user w0 w1 w2 (others r0 r1 N) x * f (fst x) (snd x))
  = w0 * counts_mean r0 r1 N (fun a b => f (S a) b) + w1 * counts_mean r0 r1 N (fun a b => f a (S b)) + w2 * counts_mean r0 r1 N f.
Proof.
  rewrite sum_counts. cbn [with_user fst snd].
  rewrite (square_ext _ _ (fun a b =>
      (w0 * (before (fun a => others r0 r1 N a b) a * f a b) + w1 * (before (fun b => others r0 r1 N a b) b * f a b))
      + w2 * (others r0 r1 N a b * f a b))) by (intros; ring).
  rewrite !square_plus, !square_scal.
  rewrite square_before_a by (intros; apply others_zero_a; lia).
  rewrite square_before_b by (intros; apply others_zero_b; lia).
  rewrite (others_mean r0 r1 N _ (fun a b => f (S a) b)), (others_mean r0 r1 N _ (fun a b => f a (S b))),
    others_mean by lia. reflexivity.
Qed.

Lemma with_user_sum w0 w1 w2 r0 r1 N : sum (counts N) (with_user w0 w1 w2 (others r0 r1 N)) = w0 + w1 + w2.
Proof.
  rewrite (sum_ext _ _ (fun x => with_user w0 w1 w2 (others r0 r1 N) x * (fun _ _ => 1) (fst x) (snd x))).
  - rewrite (with_user_mean _ _ _ _ _ _ (fun _ _ => 1)), !counts_mean_const. ring.
  - intros. ring.
Qed.

Lemma with_user_nonneg w0 w1 w2 r0 r1 N x :
  0 <= w0 -> 0 <= w1 -> 0 <= w2 -> 0 <= r0 -> 0 <= r1 -> r0 + r1 <= 1 ->
  0 <= with_user w0 w1 w2 (others r0 r1 N) x.
Proof.
  intros. destruct x as [a b]. cbn.
  assert (0 <= others r0 r1 N a b) by now apply others_nonneg.
  assert (0 <= before (fun a => others r0 r1 N a b) a) by (apply before_nonneg; intros; now apply others_nonneg).
  assert (0 <= before (fun b => others r0 r1 N a b) b) by (apply before_nonneg; intros; now apply others_nonneg).
  repeat apply Rplus_le_le_0_compat; now apply Rmult_le_pos.
Qed.

(* Both members of a trinomial pair are laws. *)
Theorem trinomial_law w0 w1 w2 r0 r1 N :
  0 <= w0 -> 0 <= w1 -> 0 <= w2 -> w0 + w1 + w2 = 1 -> 0 <= r0 -> 0 <= r1 -> r0 + r1 <= 1 ->
  law (counts N) (trinomial_P w0 w1 w2 r0 r1 N) /\ law (counts N) (trinomial_Q w0 w1 w2 r0 r1 N).
Proof.
  intros. repeat split; try (intros x _; now apply with_user_nonneg).
  - unfold trinomial_P. rewrite with_user_sum. lra.
  - unfold trinomial_Q. rewrite with_user_sum. lra.
Qed.

(* If r0 = r1, exchanging a and b exchanges P and Q. *)
Theorem trinomial_hockey_reverse w0 w1 w2 r N alpha :
  hockey (counts N) alpha (trinomial_Q w0 w1 w2 r r N) (trinomial_P w0 w1 w2 r r N)
  = trinomial_hockey w0 w1 w2 r r N alpha.
Proof.
  unfold trinomial_hockey, hockey. rewrite !sum_counts, square_swap.
  apply square_ext. intros a b _ _. unfold trinomial_P, trinomial_Q, with_user.
  rewrite (others_swap r r N b a).
  rewrite (before_ext (fun c => others r r N b c) (fun c => others r r N c b)) by (intros; apply others_swap).
  rewrite (before_ext (fun c => others r r N c a) (fun c => others r r N a c)) by (intros; apply others_swap).
  f_equal. ring.
Qed.

(* If w0 - alpha w1 = up r0 and w1 - alpha w0 = - down r1, the divergence of the
   pair of N + 1 users at alpha is the mean of (W_1 + .. + W_{N+1})_+ over N + 1. *)
Theorem trinomial_hockey_walk w0 w1 r0 r1 up down N alpha :
  0 <= r0 -> 0 <= r1 -> r0 + r1 <= 1 ->
  w0 - alpha * w1 = up * r0 -> w1 - alpha * w0 = - down * r1 ->
  trinomial_hockey w0 w1 0 r0 r1 N alpha = walk up down r0 r1 (S N) 0 / INR (S N).
Proof.
  intros H0 H1 H HU HD. assert (HN : 0 < INR (S N)) by (apply lt_0_INR; lia).
  rewrite walk_mean, <- (others_mean r0 r1 (S N) (S (S N))) by lia.
  unfold trinomial_hockey, hockey. rewrite sum_counts.
  unfold Rdiv. rewrite Rmult_comm, <- square_scal. apply square_ext. intros a b _ _.
  unfold trinomial_P, trinomial_Q, with_user.
  pose proof (others_a r0 r1 N a b) as A. pose proof (others_b r0 r1 N a b) as B.
  set (Ta := before (fun a => others r0 r1 N a b) a) in *.
  set (Tb := before (fun b => others r0 r1 N a b) b) in *.
  rewrite <- Rmult_assoc, <- pos_scal.
  - f_equal.
    replace (w0 * Ta + w1 * Tb + 0 * others r0 r1 N a b - alpha * (w1 * Ta + w0 * Tb + 0 * others r0 r1 N a b))
      with ((w0 - alpha * w1) * Ta + (w1 - alpha * w0) * Tb) by ring.
    rewrite HU, HD.
    replace (/ INR (S N) * others r0 r1 (S N) a b * (0 + up * INR a - down * INR b))
      with (/ INR (S N) * (up * (INR a * others r0 r1 (S N) a b) - down * (INR b * others r0 r1 (S N) a b))) by ring.
    rewrite A, B. field. lra.
  - apply Rmult_le_pos; [now apply Rlt_le, Rinv_0_lt_compat | now apply others_nonneg].
Qed.

(* -------- Counting the others more often -------- *)

(* N users counted with (r0', r1') are N users counted with (r0, r1), of which
   those that are not counted are then counted with (s0, s1). *)
Lemma counts_mean_counted r0 r1 s0 s1 r0' r1' N f :
  r0' = r0 + (1 - r0 - r1) * s0 -> r1' = r1 + (1 - r0 - r1) * s1 ->
  counts_mean r0' r1' N f
  = counts_mean r0 r1 N (fun a b => counts_mean s0 s1 (N - a - b) (fun i j => f (a + i)%nat (b + j)%nat)).
Proof.
  intros R0 R1. revert f; induction N as [|N IH]; intros f; [reflexivity|].
  cbn [counts_mean].
  set (g := fun f a b => counts_mean s0 s1 (N - a - b) (fun i j => f (a + i)%nat (b + j)%nat)).
  assert (HL : forall f, counts_mean r0' r1' N f = counts_mean r0 r1 N (g f)) by (intros; apply IH).
  rewrite !HL.
  rewrite (counts_mean_ext r0 r1 N (fun a b => counts_mean s0 s1 (S N - S a - b) _) (g (fun a b => f (S a) b)))
    by (intros a b _; reflexivity).
  rewrite (counts_mean_ext r0 r1 N (fun a b => counts_mean s0 s1 (S N - a - S b) _) (g (fun a b => f a (S b)))).
  2:{ intros a b L. unfold g. replace (S N - a - S b)%nat with (N - a - b)%nat by lia. reflexivity. }
  rewrite (counts_mean_ext r0 r1 N (fun a b => counts_mean s0 s1 (S N - a - b) _)
    (fun a b => 1 * (s0 * g (fun a b => f (S a) b) a b + s1 * g (fun a b => f a (S b)) a b)
                + (1 - s0 - s1) * g f a b)).
  2:{ intros a b L. replace (S N - a - b)%nat with (S (N - a - b)) by lia. cbn [counts_mean]. unfold g.
      rewrite Rmult_1_l. f_equal. f_equal; f_equal; apply counts_mean_ext; intros i j _; f_equal; lia. }
  rewrite counts_mean_linear, counts_mean_linear, R0, R1. ring.
Qed.

(* The positive part of a difference is its value on the set where it is positive. *)
Definition above (x : R) : R := if Rle_dec x 0 then 0 else 1.

Lemma pos_above x : pos x = x * above x.
Proof. unfold above. destruct (Rle_dec x 0); [rewrite pos_zero; lra | rewrite pos_id; lra]. Qed.

Lemma above_range x : 0 <= above x <= 1.
Proof. unfold above. destruct (Rle_dec x 0); lra. Qed.

Lemma below_pos x t : 0 <= t <= 1 -> x * t <= pos x.
Proof. intros H. pose proof (pos_ge x). pose proof (pos_nonneg x). nra. Qed.

(* Counting the other users more often is a post-processing of the pair
   (Lemma 4 of ../local-profile.md). *)
Theorem trinomial_hockey_counted w0 w1 r0 r1 r0' r1' N alpha :
  0 <= r0 -> 0 <= r1 -> r0 <= r0' -> r1 <= r1' -> r0' + r1' <= 1 ->
  trinomial_hockey w0 w1 0 r0' r1' N alpha <= trinomial_hockey w0 w1 0 r0 r1 N alpha.
Proof.
  intros P0 P1 L0 L1 H1.
  destruct (Req_dec (r0 + r1) 1) as [HN|HN].
  { assert (r0 = r0') as <- by lra. assert (r1 = r1') as <- by lra. lra. }
  set (s0 := (r0' - r0) / (1 - r0 - r1)). set (s1 := (r1' - r1) / (1 - r0 - r1)).
  assert (I : 0 < / (1 - r0 - r1)) by (apply Rinv_0_lt_compat; lra).
  assert (Hs0 : r0' = r0 + (1 - r0 - r1) * s0) by (unfold s0; field; lra).
  assert (Hs1 : r1' = r1 + (1 - r0 - r1) * s1) by (unfold s1; field; lra).
  assert (S0 : 0 <= s0) by (unfold s0, Rdiv; apply Rmult_le_pos; lra).
  assert (S1 : 0 <= s1) by (unfold s1, Rdiv; apply Rmult_le_pos; lra).
  assert (S2 : s0 + s1 <= 1) by (apply (Rmult_le_reg_l (1 - r0 - r1)); lra).
  set (d := fun x => trinomial_P w0 w1 0 r0' r1' N x - alpha * trinomial_Q w0 w1 0 r0' r1' N x).
  set (t := fun a b => above (d (a, b))).
  assert (T : forall a b, 0 <= t a b <= 1) by (intros; apply above_range).
  set (u := fun a b => counts_mean s0 s1 (S N - a - b) (fun i j => t (a + i)%nat (b + j)%nat)).
  assert (U : forall a b, 0 <= u a b <= 1).
  { intros a b. unfold u. split.
    - eapply Rle_trans; [right; symmetry; apply (counts_mean_const s0 s1 (S N - a - b) 0)|].
      apply counts_mean_le; auto. intros. apply T.
    - eapply Rle_trans; [|right; apply (counts_mean_const s0 s1 (S N - a - b) 1)].
      apply counts_mean_le; auto. intros. apply T. }
  assert (V : forall v0 v1, sum (counts N) (fun x => with_user v0 v1 0 (others r0' r1' N) x * t (fst x) (snd x))
                            = sum (counts N) (fun x => with_user v0 v1 0 (others r0 r1 N) x * u (fst x) (snd x))).
  { intros v0 v1. rewrite !with_user_mean, !(counts_mean_counted r0 r1 s0 s1 r0' r1' N _ Hs0 Hs1), !Rmult_0_l.
    f_equal. f_equal. f_equal. apply counts_mean_ext. intros a b L. unfold u.
    replace (S N - a - S b)%nat with (N - a - b)%nat by lia. reflexivity. }
  assert (D : trinomial_hockey w0 w1 0 r0' r1' N alpha
    = sum (counts N) (fun x => trinomial_P w0 w1 0 r0' r1' N x * t (fst x) (snd x))
      - alpha * sum (counts N) (fun x => trinomial_Q w0 w1 0 r0' r1' N x * t (fst x) (snd x))).
  { unfold trinomial_hockey, hockey. rewrite <- sum_scal, <- sum_minus. apply sum_ext. intros [a b] _.
    rewrite pos_above. unfold t, d. cbn [fst snd]. ring. }
  rewrite D. unfold trinomial_P, trinomial_Q. rewrite !V, <- sum_scal, <- sum_minus.
  unfold trinomial_hockey, hockey. apply sum_le. intros [a b] _. cbn [fst snd].
  unfold trinomial_P, trinomial_Q.
  eapply Rle_trans; [|apply (below_pos _ (u a b)), U]. lra.
Qed.

(* A differing user who shows more: H_alpha of TP(n; w, 1-w, 0; r0, r1) does not
   fall as w grows from 1/2 to 1 (Lemma 4 of ../local-profile.md). *)
Theorem trinomial_hockey_user w w' r0 r1 N alpha :
  0 <= r0 -> 0 <= r1 -> r0 + r1 <= 1 -> 1 <= alpha -> 1 / 2 <= w -> w <= w' ->
  trinomial_hockey w (1 - w) 0 r0 r1 N alpha <= trinomial_hockey w' (1 - w') 0 r0 r1 N alpha.
Proof.
  intros R0 R1 R2 A1 W0 W1. unfold trinomial_hockey, hockey. apply sum_le. intros [a b] _.
  unfold trinomial_P, trinomial_Q, with_user.
  assert (T0 : 0 <= before (fun a => others r0 r1 N a b) a) by (apply before_nonneg; intros; now apply others_nonneg).
  assert (T1 : 0 <= before (fun b => others r0 r1 N a b) b) by (apply before_nonneg; intros; now apply others_nonneg).
  set (x := before (fun a => others r0 r1 N a b) a) in *. set (y := before (fun b => others r0 r1 N a b) b) in *.
  destruct (Rle_dec y x) as [L|L].
  - (* there P - alpha Q grows with w *)
    apply pos_le. assert (0 <= (w' - w) * ((1 + alpha) * (x - y))) by (repeat apply Rmult_le_pos; lra). lra.
  - (* there it is negative *)
    rewrite pos_zero; [apply pos_nonneg|].
    assert (0 <= (w - 1 / 2) * ((1 + alpha) * (y - x))) by (repeat apply Rmult_le_pos; lra).
    assert (0 <= (alpha - 1) * (x + y)) by (apply Rmult_le_pos; lra). lra.
Qed.
