(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * More users: ../deployments.md (users-at-least), the bounds that are means of
 * positive parts. E(X_1 + .. + X_n)_+ / n, the X_j independent with one law, falls
 * with n: n times a sum of n + 1 of them is the sum over j of the sums without X_j.
 * With it the bounds of ShuffleBlanket.v and PoissonShuffle.v fall with the number
 * of users, and those of SampledShuffle.v with that of the users at a fixed rate.
 * (One round of a pair: Monotone.v and KrrPairs.v; the local profile: ProfileBound.v.)
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Composition Trinomial TrinomialMean Monotone Shuffle LocalProfile ProfileBound ShuffleBlanket SampledShuffle PoissonShuffle HonestUsers.
Import ListNotations.
Open Scope R_scope.

(* The probability of a word of steps, and where it ends. *)
Fixpoint weight (w : list (R * R)) : R := match w with [] => 1 | c :: r => fst c * weight r end.
Fixpoint height (w : list (R * R)) : R := match w with [] => 0 | c :: r => snd c + height r end.

Lemma mean_walk_words steps n : forall s,
  mean_walk steps n s = sum (words steps n) (fun w => weight w * pos (s + height w)).
Proof.
  induction n as [|n IH]; intros s.
  - cbn. rewrite !Rplus_0_r. ring.
  - rewrite sum_words. cbn [mean_walk]. apply sum_ext_all. intros c. rewrite IH, <- sum_scal. apply sum_ext_all. intros w.
    cbn [weight height]. rewrite <- Rplus_assoc. ring.
Qed.

Lemma places_weight w : forall c, In c (places w) -> weight w = fst (snd (fst c)) * weight (snd c).
Proof.
  induction w as [|x w IH]; intros c H; [destruct H|]. destruct H as [<-|H]; [reflexivity|].
  apply in_map_iff in H as (d & <- & H). cbn [fst snd weight]. rewrite (IH d H). ring.
Qed.

Lemma places_height w : sum (places w) (fun c => height (snd c)) = (INR (length w) - 1) * height w.
Proof.
  induction w as [|x w IH]; [cbn; ring|]. cbn [places sum length fst snd]. rewrite sum_map. cbn [snd height].
  rewrite sum_plus, IH, sum_const, S_INR.
  assert (L : length (places w) = length w).
  { clear IH. induction w as [|y w IH]; [reflexivity|]. cbn [places length]. now rewrite map_length, IH. }
  rewrite L. ring.
Qed.

Definition a_law (steps : list (R * R)) : Prop := (forall c, In c steps -> 0 <= fst c) /\ sum steps fst = 1.

Lemma weight_nonneg steps w : a_law steps -> Forall (fun c => In c steps) w -> 0 <= weight w.
Proof.
  intros [H _]. induction 1 as [|c w C _ IH]; cbn; [lra|]. apply Rmult_le_pos; auto.
Qed.

Theorem mean_walk_users steps n :
  a_law steps -> (1 <= n)%nat -> mean_walk steps (S n) 0 / INR (S n) <= mean_walk steps n 0 / INR n.
Proof.
  intros L N. assert (N0 : 0 < INR n) by (apply lt_0_INR; lia). assert (N1 : 0 < INR (S n)) by (apply lt_0_INR; lia).
  assert (D : INR n * mean_walk steps (S n) 0 <= INR (S n) * mean_walk steps n 0).
  { rewrite !mean_walk_words.
    apply Rle_trans with (sum (words steps (S n)) (fun w => sum (places w) (fun c => fst (snd (fst c)) * (weight (snd c) * pos (0 + height (snd c)))))).
    - rewrite <- sum_scal. apply sum_le. intros w W. apply in_words in W as [LW F].
      rewrite (sum_ext (places w) _ (fun c => weight w * pos (height (snd c)))).
      2:{ intros c C. rewrite (places_weight w c C), Rplus_0_l. ring. }
      rewrite sum_scal, Rplus_0_l, <- Rmult_assoc, (Rmult_comm (INR n)), Rmult_assoc.
      apply Rmult_le_compat_l; [now apply (weight_nonneg steps)|].
      rewrite <- pos_scal by lra. eapply Rle_trans; [|apply pos_sum]. rewrite places_height, LW, S_INR.
      replace (INR n + 1 - 1) with (INR n) by ring. apply Rle_refl.
    - rewrite (sum_places steps n (fun _ z v => fst z * (weight v * pos (0 + height v)))).
      rewrite sum_const, seq_length. right. f_equal.
      rewrite (sum_ext_all steps _ (fun z => fst z * sum (words steps n) (fun v => weight v * pos (0 + height v)))) by (intros; apply sum_scal).
      rewrite sum_scal_r. destruct L as [_ ->]. ring. }
  apply (Rmult_le_reg_l (INR n * INR (S n))); [now apply Rmult_lt_0_compat|].
  replace (INR n * INR (S n) * (mean_walk steps (S n) 0 / INR (S n))) with (INR n * mean_walk steps (S n) 0) by (field; lra).
  replace (INR n * INR (S n) * (mean_walk steps n 0 / INR n)) with (INR (S n) * mean_walk steps n 0) by (field; lra).
  exact D.
Qed.

Corollary mean_walk_more_users steps n n' :
  a_law steps -> (1 <= n <= n')%nat -> mean_walk steps n' 0 / INR n' <= mean_walk steps n 0 / INR n.
Proof.
  intros L [N H]. induction H as [|n' H IH]; [apply Rle_refl|].
  eapply Rle_trans; [apply mean_walk_users; [exact L | lia] | exact IH].
Qed.

(* A threshold of the same amount for every term is a part of the terms. *)
Definition lowered (t : R) (steps : list (R * R)) : list (R * R) := map (fun c => (fst c, snd c - t)) steps.

Lemma mean_walk_lowered t steps n : forall s, mean_walk (lowered t steps) n s = mean_walk steps n (s - t * INR n).
Proof.
  induction n as [|n IH]; intros s; [cbn; f_equal; ring|]. cbn [mean_walk]. unfold lowered at 1. rewrite sum_map.
  apply sum_ext_all. intros c. cbn [fst snd]. rewrite IH, S_INR. do 2 f_equal. ring.
Qed.

Lemma lowered_law t steps : a_law steps -> a_law (lowered t steps).
Proof.
  intros [H ONE]. split.
  - intros c C. apply in_map_iff in C as (d & <- & D). exact (H d D).
  - unfold lowered. rewrite sum_map. exact ONE.
Qed.

Lemma thinned_law q t steps : 0 <= q <= 1 -> a_law steps -> a_law (thinned q t steps).
Proof.
  intros Q [H ONE]. split.
  - intros c [<-|C]; [cbn; lra|]. apply in_map_iff in C as (d & <- & D). apply Rmult_le_pos; [lra | now apply H].
  - unfold thinned. cbn [sum fst]. rewrite sum_map. cbn [fst].
    rewrite (sum_scal q steps (fun x => fst x)). change (sum steps (fun x => fst x)) with (sum steps fst). rewrite ONE. ring.
Qed.

(* -------- The bounds -------- *)

Lemma blanket_steps_law {Z} (outs : list Z) w mu : mass outs w -> sum outs w <= 1 -> a_law (blanket_steps outs w mu).
Proof.
  intros W0 W1. split.
  - intros c [<-|C]; [cbn; lra|]. apply in_map_iff in C as (z & <- & Hz). now apply W0.
  - unfold blanket_steps. cbn [sum fst]. rewrite sum_map. change (1 - sum outs w + sum outs w = 1). ring.
Qed.

Theorem blanket_more_users {Z} (outs : list Z) w P Q alpha n n' :
  mass outs w -> sum outs w <= 1 -> (1 <= n <= n')%nat -> blanket_bound outs w P Q alpha n' <= blanket_bound outs w P Q alpha n.
Proof.
  intros W0 W1 N. unfold blanket_bound. apply Rplus_le_compat_l. rewrite !blanket_walk_steps.
  apply mean_walk_more_users; [now apply blanket_steps_law | exact N].
Qed.

Theorem poisson_blanket_more_users {Z} (outs : list Z) w P Q alpha q n n' :
  mass outs w -> sum outs w <= 1 -> 0 <= q <= 1 -> (1 <= n <= n')%nat ->
  poisson_blanket_bound outs w P Q alpha q n' <= poisson_blanket_bound outs w P Q alpha q n.
Proof.
  intros W0 W1 HQ N. unfold poisson_blanket_bound. apply Rplus_le_compat_l.
  apply mean_walk_more_users; [now apply thinned_law, blanket_steps_law | exact N].
Qed.

(* m of n users and m' of n', the rate the same. *)
Theorem sampled_blanket_more_users {Z} (outs : list Z) w P Q alpha n m n' m' :
  mass outs w -> sum outs w <= 1 -> (1 <= m <= m')%nat -> (m <= n)%nat -> (m' * n = m * n')%nat ->
  sampled_blanket_bound outs w P Q alpha n' m' <= sampled_blanket_bound outs w P Q alpha n m.
Proof.
  intros W0 W1 M MN R. assert (N' : (1 <= n')%nat) by nia.
  assert (R1 : INR m' * INR n = INR m * INR n') by (rewrite <- !mult_INR; now f_equal).
  assert (P0 : 0 < INR m) by (apply lt_0_INR; lia). assert (P1 : 0 < INR m') by (apply lt_0_INR; lia).
  assert (P2 : 0 < INR n) by (apply lt_0_INR; lia). assert (P3 : 0 < INR n') by (apply lt_0_INR; lia).
  set (g := INR m / INR n). assert (G : INR m' / INR n' = g).
  { unfold g. apply Rmult_eq_reg_r with (INR n' * INR n); [|nra]. field_simplify; [|lra|lra]. lra. }
  assert (G0 : 0 < g) by now apply Rdiv_lt_0_compat.
  set (t := (alpha - 1) * (1 / g - 1)). set (steps := blanket_steps outs w (fun z => P z - alpha * Q z)).
  assert (B : forall a b, 0 < INR a -> 0 < INR b -> INR b / INR a = g ->
    sampled_blanket_bound outs w P Q alpha a b
    = g * outside outs w (fun z => P z - alpha * Q z) + g * (mean_walk (lowered t steps) b 0 / INR b)).
  { intros a b A B0 E. unfold sampled_blanket_bound. rewrite E, blanket_walk_steps, mean_walk_lowered. fold steps.
    assert (AG : INR b = g * INR a) by (rewrite <- E; field; lra).
    replace (left_out alpha a b) with (0 - t * INR b).
    - f_equal. rewrite <- E. field. lra.
    - unfold t, left_out. rewrite AG. field. lra. }
  rewrite (B n' m'), (B n m) by trivial. apply Rplus_le_compat_l, Rmult_le_compat_l; [lra|].
  apply mean_walk_more_users; [now apply lowered_law, blanket_steps_law | exact M].
Qed.

Lemma profile_steps_law E alpha p :
  1 <= alpha -> alpha < E -> 0 <= p <= (E - alpha) / (E + 1) -> a_law (profile_steps E alpha p).
Proof.
  intros A1 AE [P0 P1]. destruct (weights_range E alpha A1 AE p P0 P1) as (U & D & _).
  assert (/ (E + 1) <= / 2) by (apply Rinv_le_contravar; lra).
  unfold a_law, profile_steps. split.
  - intros c [<-|[<-|[<-|[]]]]; cbn [fst]; lra.
  - cbn [sum fst]. ring.
Qed.

Theorem poisson_profile_more_users E alpha p q n n' :
  1 <= alpha -> alpha < E -> 0 <= p <= (E - alpha) / (E + 1) -> 0 <= q <= 1 -> (1 <= n <= n')%nat ->
  poisson_profile_bound E alpha p q n' <= poisson_profile_bound E alpha p q n.
Proof.
  intros A1 AE HP HQ N. apply mean_walk_more_users; [now apply thinned_law, profile_steps_law | exact N].
Qed.

(* Rounds of the trinomial pairs, those of samples at a fixed rate included: their weights do not depend on the users. *)
Theorem trinomial_rounds_more_users w0 w1 w2 r0 r1 T n n' :
  0 <= w0 -> 0 <= w1 -> 0 <= w2 -> w0 + w1 + w2 = 1 -> 0 <= r0 -> 0 <= r1 -> r0 + r1 <= 1 -> (n <= n')%nat ->
  let p N := Pair (counts N) (trinomial_P w0 w1 w2 r0 r1 N) (trinomial_Q w0 w1 w2 r0 r1 N) in
  bounds (power T (p n)) (outcomes (power T (p n'))) (P_of (power T (p n'))) (Q_of (power T (p n'))).
Proof.
  intros W0 W1 W2 W R0 R1 R01 L p.
  assert (M : forall N, masses (p N)).
  { intros N. destruct (trinomial_law w0 w1 w2 r0 r1 N W0 W1 W2 W R0 R1 R01) as [[MP _] [MQ _]]. now split. }
  apply dominates_power; trivial. intros alpha _. now apply trinomial_monotone.
Qed.
