(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Everyone takes part with probability q, and those are shuffled: ../sampled-described.md
 * (Poisson participation) and the value of ../clones-sampled.md, Theorem 2. The number of
 * reports is seen, and given it the users are a uniform sample; so the divergence is the mean
 * of those of SampledShuffle.v over a binomial law (participation_divergence), and the mean
 * of their walks is the walk of which each step is left out with probability 1 - q
 * (thinned_walk).
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Trinomial TrinomialMean Binomial Shuffle LocalProfile Stronger ShuffleBlanket
  Subsampling Subsets KrrShuffle SampledShuffle SampledRenyi KrrSampled.
Import ListNotations.
Open Scope R_scope.

(* -------- Given the number of reports -------- *)

Lemma sublists_choose {X} (d : list X) : forall m f,
  sum (sublists d) (fun s => if (length s =? m)%nat then f s else 0) = sum (choose m d) f.
Proof.
  induction d as [|y d IH]; intros [|m] f; cbn [sublists].
  - reflexivity.
  - cbn. ring.
  - rewrite sum_app, IH, sum_map, !choose_zero. cbn [length Nat.eqb]. rewrite sum_zero. ring.
  - rewrite sum_app, IH, sum_map. cbn [length Nat.eqb]. rewrite (IH m (fun s => f (y :: s))), sum_choose. ring.
Qed.

Lemma choose_bin {X} (d : list X) q : forall m,
  INR (length (choose m d)) * (q ^ m * (1 - q) ^ (length d - m)) = bin q (length d) m.
Proof.
  induction d as [|y d IH]; intros [|m].
  - cbn. ring.
  - cbn. ring.
  - cbn [length bin before]. rewrite <- (IH O), !choose_zero. cbn [length Nat.sub pow]. rewrite Nat.sub_0_r. ring.
  - cbn [choose length bin before Nat.sub]. rewrite app_length, map_length, plus_INR, <- (IH m), <- (IH (S m)).
    destruct (le_lt_dec (length d) m) as [L|L].
    + rewrite (choose_none d (S m)) by lia. cbn [length INR pow]. ring.
    + replace (length d - m)%nat with (S (length d - S m)) by lia. cbn [pow]. ring.
Qed.

Lemma taking_part_given {X Z} (K : list Z -> X -> Z -> R) q (d : list X) w :
  (length w <= length d)%nat ->
  taking_part K q d w = bin q (length d) (length w) * subsampled (shuffled K) (length w) d w.
Proof.
  intros H. set (m := length w) in *. unfold taking_part, poisson, subsampled.
  rewrite (sum_ext _ _ (fun s => (if (length s =? m)%nat then (q ^ m * (1 - q) ^ (length d - m)) * shuffled K s w else 0))).
  2:{ intros s _. fold m. unfold chance. destruct (Nat.eqb_spec (length s) m) as [->|_]; ring. }
  rewrite sublists_choose, sum_scal, <- choose_bin.
  assert (C : 1 <= INR (length (choose m d))) by (change 1 with (INR 1); apply le_INR, choose_some; exact H).
  field. lra.
Qed.

Section Participation.
  Context {X Z : Type} (outs : list Z) (K : list Z -> X -> Z -> R) (q : R).
  Hypothesis rate : 0 <= q <= 1.

  (* The divergence is the mean of those of the samples. *)
  Theorem participation_divergence alpha (d d' : list X) :
    length d = length d' ->
    hockey (short_words outs (length d)) alpha (taking_part K q d) (taking_part K q d')
    = sum (seq 0 (S (length d))) (fun m => bin q (length d) m
        * hockey (words outs m) alpha (subsampled (shuffled K) m d) (subsampled (shuffled K) m d')).
  Proof.
    intros L. unfold hockey at 1, short_words. rewrite sum_flat_map. apply sum_ext. intros m M. apply in_seq in M.
    unfold hockey. rewrite <- sum_scal. apply sum_ext. intros w W. apply words_length in W. subst m.
    rewrite !taking_part_given by lia. rewrite <- L.
    replace (bin q (length d) (length w) * subsampled (shuffled K) (length w) d w
             - alpha * (bin q (length d) (length w) * subsampled (shuffled K) (length w) d' w))
      with (bin q (length d) (length w) * (subsampled (shuffled K) (length w) d w - alpha * subsampled (shuffled K) (length w) d' w)) by ring.
    apply pos_scal, bin_nonneg, rate.
  Qed.
End Participation.

(* -------- Walks with steps left out -------- *)

(* The mean of (s + X_1 + .. + X_k)_+, the X_j independent with the law steps: weights and jumps. *)
Fixpoint mean_walk (steps : list (R * R)) (k : nat) (s : R) : R :=
  match k with
  | O => pos s
  | S j => sum steps (fun c => fst c * mean_walk steps j (s + snd c))
  end.

(* Each step with probability q, else t down. *)
Definition thinned (q t : R) (steps : list (R * R)) : list (R * R) :=
  (1 - q, - t) :: map (fun c => (q * fst c, snd c)) steps.

Lemma bin_sum_S q n f :
  sum (seq 0 (S (S n))) (fun m => bin q (S n) m * f m)
  = q * sum (seq 0 (S n)) (fun m => bin q n m * f (S m)) + (1 - q) * sum (seq 0 (S n)) (fun m => bin q n m * f m).
Proof.
  rewrite (sum_ext _ _ (fun m => q * (before (bin q n) m * f m) + (1 - q) * (bin q n m * f m)))
    by (intros; rewrite bin_S; ring).
  rewrite sum_plus, !sum_scal, (TrinomialMean.sum_before (S n)) by (apply bin_above; lia).
  rewrite (sum_seq_last (S n) (fun m => bin q n m * f m)), (sum_seq_last (S n) (fun m => bin q n m * f (S m))), bin_above by lia. ring.
Qed.

Theorem thinned_walk q t steps n : forall s,
  sum (seq 0 (S n)) (fun m => bin q n m * mean_walk steps m (s - t * (INR n - INR m))) = mean_walk (thinned q t steps) n s.
Proof.
  induction n as [|n IH]; intros s.
  - cbn. replace (s - t * (0 - 0)) with s by ring. ring.
  - rewrite bin_sum_S. cbn [mean_walk]. unfold thinned at 1. cbn [sum fst snd]. rewrite sum_map, Rplus_comm. f_equal.
    + rewrite <- IH. f_equal. apply sum_ext. intros m _. f_equal. f_equal. rewrite S_INR. ring.
    + rewrite (sum_ext steps _ (fun c => q * sum (seq 0 (S n)) (fun m => bin q n m * (fst c * mean_walk steps m (s - t * (INR n - INR m) + snd c))))).
      * rewrite sum_scal, <- sum_swap. f_equal. apply sum_ext. intros m _. rewrite sum_scal. f_equal.
        cbn [mean_walk]. apply sum_ext. intros c _. rewrite !S_INR. do 2 f_equal. ring.
      * intros c _. cbn [fst snd]. rewrite <- IH, Rmult_assoc, <- sum_scal. f_equal. apply sum_ext. intros m _.
        replace (s + snd c - t * (INR n - INR m)) with (s - t * (INR n - INR m) + snd c) by ring. ring.
Qed.

Lemma bin_mean q n : sum (seq 0 (S n)) (fun m => bin q n m * INR m) = q * INR n.
Proof.
  induction n as [|n IH]; [cbn; ring|].
  rewrite bin_sum_S, IH. rewrite (sum_ext _ _ (fun m => bin q n m * INR m + bin q n m)) by (intros; rewrite S_INR; ring).
  rewrite sum_plus, IH, bin_sum, S_INR. ring.
Qed.

(* The steps of LocalProfile.v and of ShuffleBlanket.v. *)
Definition profile_steps (E alpha p : R) : list (R * R) :=
  let up := p / (E - alpha) in
  let down := (p + alpha - 1) / (alpha * E - 1) in
  [(up, E - alpha); (down, - (alpha * E - 1)); (1 - up - down, 0)].

Definition blanket_steps {Z} (outs : list Z) (w mu : Z -> R) : list (R * R) :=
  (1 - sum outs w, 0) :: map (fun z => (w z, mu z / w z)) outs.

Lemma profile_walk_steps E alpha p k : forall s,
  walk (E - alpha) (alpha * E - 1) (p / (E - alpha)) ((p + alpha - 1) / (alpha * E - 1)) k s = mean_walk (profile_steps E alpha p) k s.
Proof.
  induction k as [|k IH]; intros s; [reflexivity|]. cbn [walk mean_walk]. rewrite !IH.
  set (F := mean_walk (profile_steps E alpha p) k). unfold profile_steps. cbn [sum fst snd].
  fold (s - (alpha * E - 1)). rewrite (Rplus_0_r s). ring.
Qed.

Lemma blanket_walk_steps {Z} (outs : list Z) w mu k : forall s,
  blanket_walk outs w mu k s = mean_walk (blanket_steps outs w mu) k s.
Proof.
  induction k as [|k IH]; intros s; [reflexivity|]. cbn [blanket_walk mean_walk]. unfold blanket_steps at 1. cbn [sum fst snd].
  rewrite sum_map, Rplus_comm, IH, (Rplus_0_r s). f_equal. apply sum_ext. intros z _. cbn [fst snd]. now rewrite IH.
Qed.

(* -------- The bounds -------- *)

Definition poisson_profile_bound (E alpha p q : R) (n : nat) : R :=
  mean_walk (thinned q (alpha - 1) (profile_steps E alpha p)) n 0 / INR n.

Definition poisson_blanket_bound {Z} (outs : list Z) (w P Q : Z -> R) (alpha q : R) (n : nat) : R :=
  q * outside outs w (fun z => P z - alpha * Q z)
  + mean_walk (thinned q (alpha - 1) (blanket_steps outs w (fun z => P z - alpha * Q z))) n 0 / INR n.

Lemma poisson_profile_mean E alpha p q n :
  sum (seq 0 (S n)) (fun m => bin q n m * sampled_profile_bound E alpha p n m) = poisson_profile_bound E alpha p q n.
Proof.
  unfold poisson_profile_bound, sampled_profile_bound.
  rewrite (sum_ext _ _ (fun m => bin q n m * mean_walk (profile_steps E alpha p) m (0 - (alpha - 1) * (INR n - INR m)) * / INR n)).
  - now rewrite sum_scal_r, thinned_walk.
  - intros m _. rewrite profile_walk_steps. unfold left_out.
    replace (- (alpha - 1) * (INR n - INR m)) with (0 - (alpha - 1) * (INR n - INR m)) by ring. unfold Rdiv at 1. ring.
Qed.

Lemma poisson_blanket_mean {Z} (outs : list Z) w P Q alpha q n :
  (0 < n)%nat ->
  sum (seq 0 (S n)) (fun m => bin q n m * sampled_blanket_bound outs w P Q alpha n m) = poisson_blanket_bound outs w P Q alpha q n.
Proof.
  intros H. assert (N : INR n <> 0) by (apply not_0_INR; lia).
  unfold poisson_blanket_bound, sampled_blanket_bound. set (S0 := outside outs w (fun z => P z - alpha * Q z)).
  rewrite (sum_ext _ _ (fun m => S0 / INR n * (bin q n m * INR m)
    + bin q n m * mean_walk (blanket_steps outs w (fun z => P z - alpha * Q z)) m (0 - (alpha - 1) * (INR n - INR m)) * / INR n)).
  - rewrite sum_plus, sum_scal, sum_scal_r, bin_mean, thinned_walk. unfold Rdiv. field. exact N.
  - intros m _. rewrite blanket_walk_steps. unfold left_out.
    replace (- (alpha - 1) * (INR n - INR m)) with (0 - (alpha - 1) * (INR n - INR m)) by ring. field. exact N.
Qed.

Theorem poisson_local_profile {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E alpha p q x0 x1 xs :
  randomiser outs K -> ldp outs E K -> 1 <= alpha -> alpha < E -> 0 <= q <= 1 ->
  (forall h, hockey outs alpha (K h x0) (K h x1) <= p) ->
  hockey (short_words outs (S (length xs))) alpha (taking_part K q (x0 :: xs)) (taking_part K q (x1 :: xs))
  <= poisson_profile_bound E alpha (Rmin p ((E - alpha) / (E + 1))) q (S (length xs)).
Proof.
  intros HK HL A1 AE HQ HP. rewrite <- poisson_profile_mean.
  pose proof (participation_divergence outs K q HQ alpha (x0 :: xs) (x1 :: xs) eq_refl) as D. cbn [length] in D. rewrite D.
  apply sum_le. intros m M. apply in_seq in M. apply Rmult_le_compat_l; [now apply bin_nonneg|].
  apply sampled_local_profile; auto. lia.
Qed.

Theorem poisson_blanket {X Z} (outs : list Z) (A : X -> Z -> R) w alpha q x0 x1 xs :
  (forall x, law outs (A x)) -> mass outs w -> (forall y z, In z outs -> w z <= A y z) -> 0 <= q <= 1 ->
  hockey (short_words outs (S (length xs))) alpha (taking_part (fun _ => A) q (x0 :: xs)) (taking_part (fun _ => A) q (x1 :: xs))
  <= poisson_blanket_bound outs w (A x0) (A x1) alpha q (S (length xs)).
Proof.
  intros HA W0 W1 HQ. rewrite <- poisson_blanket_mean by lia.
  pose proof (participation_divergence outs (fun _ => A) q HQ alpha (x0 :: xs) (x1 :: xs) eq_refl) as D. cbn [length] in D. rewrite D.
  apply sum_le. intros m M. apply in_seq in M. apply Rmult_le_compat_l; [now apply bin_nonneg|].
  apply sampled_blanket; auto. lia.
Qed.

Theorem poisson_alike {X Z} (outs : list Z) (A : X -> Z -> R) alpha q x0 x1 y n :
  (forall x, law outs (A x)) -> 0 <= q <= 1 ->
  hockey (short_words outs (S n)) alpha (taking_part (fun _ => A) q (x0 :: repeat y n)) (taking_part (fun _ => A) q (x1 :: repeat y n))
  = poisson_blanket_bound outs (A y) (A x0) (A x1) alpha q (S n).
Proof.
  intros HA HQ. rewrite <- poisson_blanket_mean by lia.
  pose proof (participation_divergence outs (fun _ => A) q HQ alpha (x0 :: repeat y n) (x1 :: repeat y n) eq_refl) as D.
  cbn [length] in D. rewrite repeat_length in D. rewrite D.
  apply sum_ext. intros m M. apply in_seq in M. f_equal. apply sampled_alike; auto. lia.
Qed.

(* -------- The pair of those who take part -------- *)

(*
 * What a user says: 0, 1, nothing that helps (2), or that he is away (3). Inputs 0 and 1
 * are the two of the last user; the others have any other input. The shuffle of these
 * reports, or their counts, is the pair of ../clones-sampled.md, Theorem 2.
 *)
Definition poisson_clones (E q : R) (x z : nat) : R :=
  match z with
  | 0 => match x with 0 => q * E / (E + 1) | _ => q / (E + 1) end
  | 1 => match x with 1 => q * E / (E + 1) | _ => q / (E + 1) end
  | 2 => match x with 0 | 1 => 0 | _ => q * (1 - 2 / (E + 1)) end
  | _ => 1 - q
  end.

Definition said : list nat := [0; 1; 2; 3]%nat.

Definition poisson_clones_given (E q : R) (n x : nat) : list nat -> R :=
  shuffled (fun _ => poisson_clones E q) (x :: repeat 2%nat n).

Lemma poisson_clones_law E q : 1 <= E -> 0 <= q <= 1 -> forall x, law said (poisson_clones E q x).
Proof.
  intros HE Q x. pose proof (over_E_plus E HE) as R. assert (R2 : 2 / (E + 1) = 2 * (1 / (E + 1))) by (field; lra).
  assert (R1 : q / (E + 1) = q * (1 / (E + 1))) by (field; lra).
  assert (RE : q * E / (E + 1) = q * (1 - 1 / (E + 1))) by (field; lra).
  split.
  - intros z _. unfold poisson_clones. rewrite R1, R2, RE. destruct z as [|[|[|z]]]; try destruct x as [|[|x]]; try lra; nra.
  - unfold said. cbn [sum]. unfold poisson_clones. rewrite R1, R2, RE. destruct x as [|[|x]]; ring.
Qed.

Lemma poisson_clones_value E alpha q n :
  1 <= alpha -> alpha < E -> 0 < q <= 1 ->
  hockey (words said (S n)) alpha (poisson_clones_given E q n 0) (poisson_clones_given E q n 1)
  = poisson_profile_bound E alpha ((E - alpha) / (E + 1)) q (S n).
Proof.
  intros A1 AE Q. assert (E1 : 0 < E + 1) by lra. assert (D : 0 < alpha * E - 1) by nra.
  unfold poisson_clones_given. rewrite (alike_exact said (poisson_clones E q) alpha 0%nat 1%nat 2%nat)
    by (apply poisson_clones_law; lra).
  unfold blanket_bound, poisson_profile_bound.
  assert (R0 : q / (E + 1) <> 0) by (apply Rmult_integral_contrapositive; split; [lra | apply Rinv_neq_0_compat; lra]).
  replace (outside said (poisson_clones E q 2) (fun z => poisson_clones E q 0 z - alpha * poisson_clones E q 1 z)) with 0.
  2:{ unfold outside, said. cbn [sum poisson_clones].
      destruct (Req_EM_T (q / (E + 1)) 0) as [C|_]; [contradiction|].
      destruct (Req_EM_T (q * (1 - 2 / (E + 1))) 0) as [_|_]; destruct (Req_EM_T (1 - q) 0) as [C|_];
        rewrite ?(pos_zero (0 - alpha * 0)) by lra; rewrite ?(pos_zero (1 - q - alpha * (1 - q))) by nra; ring. }
  rewrite Rplus_0_l. f_equal. set (T := thinned q (alpha - 1) (profile_steps E alpha ((E - alpha) / (E + 1)))).
  generalize 0. generalize (S n). clear n. induction n as [|n IH]; intros s; [reflexivity|].
  cbn [blanket_walk mean_walk]. rewrite IH. unfold said at 1. cbn [sum]. fold said. rewrite !IH.
  destruct (poisson_clones_law E q ltac:(lra) ltac:(lra) 2) as [_ M]. rewrite M.
  set (F := mean_walk T n). unfold T, thinned, profile_steps. cbn [sum map fst snd]. unfold poisson_clones.
  replace ((q * E / (E + 1) - alpha * (q / (E + 1))) / (q / (E + 1))) with (E - alpha) by (field; lra).
  replace ((q / (E + 1) - alpha * (q * E / (E + 1))) / (q / (E + 1))) with (- (alpha * E - 1)) by (field; lra).
  replace ((0 - alpha * 0) / (q * (1 - 2 / (E + 1)))) with 0 by (unfold Rdiv; ring).
  replace ((E - alpha) / (E + 1) / (E - alpha)) with (1 / (E + 1)) by (field; lra).
  replace (((E - alpha) / (E + 1) + alpha - 1) / (alpha * E - 1)) with (1 / (E + 1)) by (field; lra).
  replace ((1 - q) * F (s + (1 - q - alpha * (1 - q)) / (1 - q))) with ((1 - q) * F (s + - (alpha - 1))).
  - field. lra.
  - destruct (Req_dec (1 - q) 0) as [->|N]; [ring|]. do 3 f_equal. field. exact N.
Qed.

(* 0 and 1 may be exchanged. *)
Lemma poisson_clones_symmetric E alpha q n :
  1 <= E -> 0 < q <= 1 ->
  hockey (words said (S n)) alpha (poisson_clones_given E q n 1) (poisson_clones_given E q n 0)
  = hockey (words said (S n)) alpha (poisson_clones_given E q n 0) (poisson_clones_given E q n 1).
Proof.
  intros HE Q. unfold poisson_clones_given.
  rewrite !(alike_exact said (poisson_clones E q)) by (apply poisson_clones_law; lra). unfold blanket_bound. f_equal; [|f_equal].
  - unfold outside, said. cbn [sum poisson_clones]. ring.
  - generalize 0. generalize (S n). clear n. induction n as [|n IH]; intros s; [reflexivity|].
    cbn [blanket_walk]. rewrite IH. f_equal. unfold said at 1 3. cbn [sum poisson_clones]. fold said. rewrite !IH. ring.
Qed.

(* The pair dominates those who take part, shuffled. *)
Theorem poisson_clones_dominates {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E q x0 x1 xs :
  randomiser outs K -> ldp outs E K -> 1 <= E -> 0 < q <= 1 ->
  dominates (words said (S (length xs))) (poisson_clones_given E q (length xs) 0) (poisson_clones_given E q (length xs) 1)
    (short_words outs (S (length xs))) (taking_part K q (x0 :: xs)) (taking_part K q (x1 :: xs)).
Proof.
  intros HK HL HE Q. set (n := length xs).
  assert (PAIR : forall x, law (words said (S n)) (poisson_clones_given E q n x)).
  { intros x. unfold poisson_clones_given. replace (S n) with (length (x :: repeat 2%nat n)) by (cbn [length]; now rewrite repeat_length).
    apply shuffled_law. intros h y. apply (poisson_clones_law E q); lra. }
  assert (LAW : forall x, law (short_words outs (S n)) (taking_part K q (x :: xs))).
  { intros x. assert (SL : forall m, (m <= S n)%nat -> law (words outs m) (subsampled (shuffled K) m (x :: xs))).
    { intros m M. apply subsampled_law; [exact M|]. intros s S. rewrite <- S. now apply shuffled_law. }
    split.
    - intros w W. unfold short_words in W. apply in_flat_map in W as (m & M & W). apply in_seq in M.
      pose proof (words_length _ _ _ W) as L. rewrite taking_part_given by (cbn [length]; fold n; lia).
      apply Rmult_le_pos; [apply bin_nonneg; lra|]. apply (SL (length w)); [lia | now rewrite L].
    - unfold short_words. rewrite sum_flat_map, <- (bin_sum q (S n)). apply sum_ext. intros m M. apply in_seq in M.
      rewrite (sum_ext _ _ (fun w => bin q (S n) m * subsampled (shuffled K) m (x :: xs) w)).
      + rewrite sum_scal. destruct (SL m ltac:(lia)) as [_ ->]. ring.
      + intros w W. apply words_length in W. subst m. now rewrite taking_part_given by (cbn [length]; fold n; lia). }
  assert (ABOVE : forall y0 y1 alpha, 1 <= alpha ->
    hockey (short_words outs (S n)) alpha (taking_part K q (y0 :: xs)) (taking_part K q (y1 :: xs))
    <= hockey (words said (S n)) alpha (poisson_clones_given E q n 0) (poisson_clones_given E q n 1)).
  { intros y0 y1 alpha A1. destruct (Rlt_dec alpha E) as [AE|AE].
    - rewrite poisson_clones_value by assumption.
      rewrite <- (Rmin_left ((E - alpha) / (E + 1)) ((E - alpha) / (E + 1))) by lra.
      apply poisson_local_profile; auto; [lra|]. intros h. apply ldp_hockey; auto; intros z Hz; now apply HL.
    - pose proof (participation_divergence outs K q ltac:(lra) alpha (y0 :: xs) (y1 :: xs) eq_refl) as D.
      cbn [length] in D. fold n in D. rewrite D, (sum_ext _ _ (fun _ => 0)); [rewrite sum_zero; apply hockey_nonneg|].
      intros m M. apply in_seq in M. rewrite (sampled_zero outs K E) by (auto; fold n; lia || lra). ring. }
  apply dominates_both_directions; auto. intros alpha A1. eapply Rle_trans; [now apply ABOVE|]. right.
  now rewrite poisson_clones_symmetric by (lra || assumption).
Qed.
