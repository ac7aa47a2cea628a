(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Reports of one bit, ../binary-reports.md, Theorems 1 and 7: what is seen of
 * the shuffled bits is how many are ones (bits_exact), and of all data that are
 * worst in which every probability is the largest or the smallest
 * (binary_reports, binary_reports_sampled).
 *)
From Coq Require Import Reals List Lra Lia Arith Permutation.
From Shufbound Require Import Sum Hockey Divergence Trinomial TrinomialMean Binomial Shuffle ShuffleCounts HonestUsers Rappor Subsets SampledShuffle.
Import ListNotations.
Open Scope R_scope.

(* A report that is a one with probability u. *)
Definition bit (u : R) (z : bool) : R := if z then u else 1 - u.

(* The law of the number of ones among independent bits. *)
Fixpoint ones (us : list R) (c : nat) : R :=
  match us with
  | [] => match c with O => 1 | S _ => 0 end
  | u :: us' => u * before (ones us') c + (1 - u) * ones us' c
  end.

Lemma ones_above us c : (length us < c)%nat -> ones us c = 0.
Proof.
  revert c; induction us as [|u us IH]; intros c H; cbn in *; [destruct c; [lia | reflexivity]|].
  rewrite (IH c) by lia. destruct c as [|c]; [lia|]. cbn [before]. rewrite IH by lia. ring.
Qed.

Lemma ones_nonneg us c : Forall (fun u => 0 <= u <= 1) us -> 0 <= ones us c.
Proof.
  intros H. revert c. induction H as [|u us U _ IH]; intros c; cbn; [destruct c; lra|].
  assert (0 <= before (ones us) c) by (destruct c; cbn; [lra | apply IH]). specialize (IH c). nra.
Qed.

Lemma ones_sum us K : (length us < K)%nat -> sum (seq 0 K) (ones us) = 1.
Proof.
  revert K; induction us as [|u us IH]; intros K H; cbn in H; destruct K as [|K]; try lia.
  - rewrite sum_seq_first. cbn. rewrite sum_zero. ring.
  - cbn [ones]. rewrite sum_plus, !sum_scal, IH by lia. rewrite sum_before, IH by lia. ring.
Qed.

Lemma ones_alike u n c : ones (repeat u n) c = bin u n c.
Proof.
  revert c; induction n as [|n IH]; intros c; [reflexivity|].
  cbn [repeat ones bin]. rewrite IH. f_equal. f_equal. destruct c; cbn [before]; [reflexivity | apply IH].
Qed.

Lemma ones_permutation us vs : Permutation us vs -> forall c, ones us c = ones vs c.
Proof.
  induction 1 as [|u us vs _ IH|u v us|us vs ws _ IH1 _ IH2]; intros c; cbn.
  - reflexivity.
  - rewrite IH. destruct c; cbn [before]; [reflexivity | now rewrite IH].
  - destruct c as [|[|c]]; cbn; ring.
  - now rewrite IH1.
Qed.

(* -------- What is seen is how many are ones -------- *)

Fixpoint count (w : list bool) : nat := match w with [] => O | z :: w' => if z then S (count w') else count w' end.

Lemma count_le w : (count w <= length w)%nat.
Proof. induction w as [|[] w IH]; cbn [count length]; lia. Qed.

Lemma map_repeat {X Y} (f : X -> Y) x n : map f (repeat x n) = repeat (f x) n.
Proof. induction n; cbn; congruence. Qed.

Lemma shuffled_map {X Y Z} (f : X -> Y) (K : list Z -> Y -> Z -> R) (L : list Z -> X -> Z -> R) xs w :
  (forall h x z, L h x z = K h (f x) z) -> shuffled L xs w = shuffled K (map f xs) w.
Proof.
  intros H. unfold shuffled. rewrite map_length, orders_map, sum_map. f_equal. apply sum_ext_all. intros p.
  generalize (@nil Z) as h. revert w. induction p as [|x p IH]; intros [|z w] h; try reflexivity.
  cbn [map run]. now rewrite H, IH.
Qed.

(* The randomiser of bits that are ones with the probabilities the users hold. *)
Definition bits_of (h : list bool) (u : R) : bool -> R := bit u.

Lemma factorials n c : (c <= n)%nat -> INR (fact (S n)) = INR (S n) * INR (fact n).
Proof. intros _. now rewrite fact_simpl, mult_INR. Qed.

Lemma fact_pred c : (1 <= c)%nat -> INR (fact c) = INR c * INR (fact (c - 1)).
Proof. intros H. destruct c as [|c]; [lia|]. rewrite fact_simpl, mult_INR. now replace (S c - 1)%nat with c by lia. Qed.

Lemma places_count (w : list bool) (f : nat -> R) (a b : R) :
  sum (places w) (fun c => (if snd (fst c) then a else b) * f (count (snd c)))
  = INR (count w) * (a * f (count w - 1)%nat) + INR (length w - count w) * (b * f (count w)).
Proof.
  revert f; induction w as [|z w IH]; intros f; [cbn; ring|].
  cbn [places sum fst snd]. rewrite sum_map. cbn [fst snd]. pose proof (count_le w) as L.
  destruct z; cbn [count length].
  - rewrite (IH (fun i => f (S i))). replace (S (count w) - 1)%nat with (count w) by lia.
    replace (S (length w) - S (count w))%nat with (length w - count w)%nat by lia. rewrite S_INR.
    destruct (count w) as [|c] eqn:C; [cbn [INR]; rewrite <- C; ring|].
    replace (S (S c - 1))%nat with (S c) by lia. ring.
  - rewrite IH. replace (S (length w) - count w)%nat with (S (length w - count w)) by lia. rewrite S_INR. ring.
Qed.

(* The order of the ones says nothing. *)
Lemma shuffled_bits us : forall w, length w = length us ->
  shuffled bits_of us w
  = ones us (count w) * (INR (fact (count w)) * INR (fact (length us - count w)) / INR (fact (length us))).
Proof.
  induction us as [|u us IH]; intros w L.
  - destruct w; [|discriminate]. unfold shuffled. cbn. field.
  - rewrite (shuffled_outsider bits_of u (bit u)) by (auto; exact L).
    set (n := length us) in *. set (g := fun c => ones us c * (INR (fact c) * INR (fact (n - c)) / INR (fact n))).
    rewrite (sum_ext (places w) _ (fun c => (if snd (fst c) then u else 1 - u) * g (count (snd c)))).
    2:{ intros c I. rewrite (shuffled_map (fun x => x) bits_of) by reflexivity. rewrite map_id, IH; [reflexivity|].
        clear - I L. cbn in L. fold n in L. assert (G : S (length (snd c)) = length w); [|lia]. clear L. revert c I.
        induction w as [|z w IHw]; intros c I; [destruct I|]. destruct I as [<-|I]; [reflexivity|].
        apply in_map_iff in I as (d & <- & I). cbn [snd length]. now rewrite (IHw d I). }
    rewrite places_count. cbn [length] in *. rewrite L. fold n. cbn [ones]. pose proof (count_le w) as C. rewrite L in C.
    set (c := count w) in *. unfold g. rewrite (factorials n 0) by lia.
    assert (N0 : INR (fact n) <> 0) by apply INR_fact_neq_0. assert (N1 : INR (S n) <> 0) by (apply not_0_INR; lia).
    assert (A : INR c * (u * (ones us (c - 1) * (INR (fact (c - 1)) * INR (fact (n - (c - 1))) / INR (fact n))))
                = u * before (ones us) c * (INR (fact c) * INR (fact (S n - c)) / INR (fact n))).
    { destruct c as [|c]; [cbn; field; exact N0|]. cbn [before]. rewrite (fact_pred (S c)) by lia.
      replace (n - (S c - 1))%nat with (S n - S c)%nat by lia. replace (S c - 1)%nat with c by lia. field. exact N0. }
    assert (B : INR (S n - c) * ((1 - u) * (ones us c * (INR (fact c) * INR (fact (n - c)) / INR (fact n))))
                = (1 - u) * ones us c * (INR (fact c) * INR (fact (S n - c)) / INR (fact n))).
    { destruct (Nat.eq_dec c (S n)) as [->|D].
      - rewrite (ones_above us (S n)) by (fold n; lia). field. exact N0.
      - rewrite (fact_pred (S n - c)) by lia. replace (S n - c - 1)%nat with (n - c)%nat by lia. field. exact N0. }
    rewrite A, B. field. split; assumption.
Qed.

Lemma sum_words_count n : forall g, sum (words bits n) (fun w => g (count w)) = 2 ^ n * sum (seq 0 (S n)) (fun c => bin (1 / 2) n c * g c).
Proof.
  induction n as [|n IH]; intros g; [cbn; ring|].
  rewrite sum_words. cbn [bits sum count].
  rewrite (IH (fun c => g (S c))), (IH g).
  rewrite (sum_ext (seq 0 (S (S n))) _ (fun c => 1 / 2 * (before (bin (1 / 2) n) c * g c) + 1 / 2 * (bin (1 / 2) n c * g c)))
    by (intros; rewrite bin_S; field).
  rewrite sum_plus, !sum_scal, (TrinomialMean.sum_before (S n) (bin (1 / 2) n) g) by (apply bin_above; lia).
  rewrite (sum_seq_last (S n) (fun c => bin (1 / 2) n c * g (S c))), (sum_seq_last (S n) (fun c => bin (1 / 2) n c * g c)), (bin_above _ n (S n)) by lia.
  cbn [pow]. field.
Qed.

Theorem bits_exact us vs alpha : length us = length vs ->
  hockey (words bits (length us)) alpha (shuffled bits_of us) (shuffled bits_of vs)
  = hockey (seq 0 (S (length us))) alpha (ones us) (ones vs).
Proof.
  intros L. set (n := length us) in *. unfold hockey at 1.
  set (k := fun c => INR (fact c) * INR (fact (n - c)) / INR (fact n)).
  rewrite (sum_ext _ _ (fun w => (fun c => k c * pos (ones us c - alpha * ones vs c)) (count w))).
  - rewrite (sum_words_count n (fun c => k c * pos (ones us c - alpha * ones vs c))), <- sum_scal. apply sum_ext. intros c I. apply in_seq in I.
    rewrite bin_closed by lia. replace (1 - 1 / 2) with (1 / 2) by field.
    replace (INR (fact n) / (INR (fact c) * INR (fact (n - c))) * (1 / 2) ^ c * (1 / 2) ^ (n - c))
      with (INR (fact n) / (INR (fact c) * INR (fact (n - c))) * ((1 / 2) ^ c * (1 / 2) ^ (n - c))) by ring.
    rewrite <- pow_add. replace (c + (n - c))%nat with n by lia. unfold k.
    assert (P : 2 ^ n * (1 / 2) ^ n = 1) by (rewrite <- Rpow_mult_distr; replace (2 * (1 / 2)) with 1 by field; apply pow1).
    transitivity ((2 ^ n * (1 / 2) ^ n) * pos (ones us c - alpha * ones vs c)); [field|rewrite P; ring].
    repeat split; apply INR_fact_neq_0.
  - intros w I. apply words_length in I. rewrite (shuffled_bits us) by exact I. rewrite (shuffled_bits vs) by (rewrite I; exact L). rewrite <- L.
    fold n. unfold k. cbn beta.
    set (f := INR (fact (count w)) * INR (fact (n - count w)) / INR (fact n)).
    assert (F : 0 <= f).
    { unfold f, Rdiv. apply Rmult_le_pos; [apply Rmult_le_pos; apply pos_INR|].
      apply Rlt_le, Rinv_0_lt_compat, lt_0_INR, lt_O_fact. }
    rewrite <- pos_scal by exact F. f_equal. ring.
Qed.

(* -------- Samples -------- *)

Lemma sum_picks_permutation {X} (xs ys : list X) (f : X -> list X -> R) :
  (forall x r r', Permutation r r' -> f x r = f x r') -> Permutation xs ys ->
  sum (picks xs) (fun c => f (fst c) (snd c)) = sum (picks ys) (fun c => f (fst c) (snd c)).
Proof.
  intros H P. revert f H. induction P as [|x xs ys P IH|x y l|xs ys zs _ IH1 _ IH2]; intros f H.
  - reflexivity.
  - cbn [picks sum fst snd]. rewrite !sum_map. cbn [fst snd]. rewrite (H x xs ys P). f_equal.
    apply (IH (fun y r => f y (x :: r))). intros y r r' R. now apply H, perm_skip.
  - cbn [picks map sum fst snd]. rewrite !map_map, !sum_map. cbn [fst snd].
    rewrite (sum_ext_all (picks l) _ (fun c => f (fst c) (x :: y :: snd c))) by (intros; apply H, perm_swap). ring.
  - now rewrite IH1, IH2.
Qed.

Lemma draw_permutation {X Z} (K : list Z -> X -> Z -> R) w : forall h xs ys, Permutation xs ys -> draw K h xs w = draw K h ys w.
Proof.
  induction w as [|z w IH]; intros h xs ys P; [reflexivity|]. cbn [draw]. unfold pick.
  rewrite (Permutation_length P). f_equal. apply (sum_picks_permutation xs ys (fun x r => K h x z * draw K (z :: h) r w)); [|exact P].
  intros x r r' R. now rewrite (IH (z :: h) r r' R).
Qed.

Lemma subsampled_permutation {X Z} (K : list Z -> X -> Z -> R) xs ys w :
  Permutation xs ys -> subsampled (shuffled K) (length w) xs w = subsampled (shuffled K) (length w) ys w.
Proof.
  intros P. destruct (le_lt_dec (length w) (length xs)) as [L|L].
  - rewrite !subsampled_draw by (rewrite <- ?(Permutation_length P); exact L). now apply draw_permutation.
  - unfold subsampled. rewrite !choose_none by (rewrite <- ?(Permutation_length P); exact L). reflexivity.
Qed.

Lemma choose_incl {X} m : forall (xs : list X) s x, In s (choose m xs) -> In x s -> In x xs.
Proof.
  intros xs. revert m. induction xs as [|y xs IH]; intros m s x S I.
  - destruct m; cbn in S; [destruct S as [<-|[]]; destruct I | destruct S].
  - destruct m as [|m]; [rewrite choose_zero in S; destruct S as [<-|[]]; destruct I|].
    cbn [choose] in S. apply in_app_iff in S as [S|S].
    + apply in_map_iff in S as (t & <- & T). destruct I as [<-|I]; [now left | right; now apply (IH m t)].
    + right. now apply (IH (Datatypes.S m) s).
Qed.

Lemma choose_map {X Y} (f : X -> Y) xs : forall m, choose m (map f xs) = map (map f) (choose m xs).
Proof.
  induction xs as [|x xs IH]; intros [|m]; try reflexivity.
  cbn [map choose]. rewrite !IH, map_app, !map_map. reflexivity.
Qed.

(* -------- The worst data -------- *)

Lemma shuffled_bits_affine t u v us w : length w = S (length us) ->
  shuffled bits_of ((1 - t) * u + t * v :: us) w = (1 - t) * shuffled bits_of (u :: us) w + t * shuffled bits_of (v :: us) w.
Proof.
  intros L. rewrite !shuffled_bits by exact L. cbn [ones length]. unfold Rdiv. ring.
Qed.

Lemma subsampled_bits_affine t u v us m w : length w = m ->
  subsampled (shuffled bits_of) m ((1 - t) * u + t * v :: us) w
  = (1 - t) * subsampled (shuffled bits_of) m (u :: us) w + t * subsampled (shuffled bits_of) m (v :: us) w.
Proof.
  intros L. unfold subsampled. destruct m as [|k]; [rewrite !choose_zero; destruct w; [cbn; field | discriminate]|].
  assert (C : forall x, INR (length (choose (S k) (x :: us))) = INR (length (map (cons u) (choose k us) ++ choose (S k) us))).
  { intros x. cbn [choose]. now rewrite !app_length, !map_length. }
  rewrite !C, !sum_choose.
  rewrite (sum_ext (choose k us) _ (fun s => (1 - t) * shuffled bits_of (u :: s) w + t * shuffled bits_of (v :: s) w)).
  - rewrite sum_plus, !sum_scal. unfold Rdiv. ring.
  - intros s S. apply choose_length in S. apply shuffled_bits_affine. congruence.
Qed.

(*
 * Laws F us that do not depend on the order of us and are affine in each of
 * them: the divergence is largest where all are p or q.
 *)
Section Extremes.
  Context {A : Type} (l : list A) (F : list R -> A -> R) (p q alpha : R) (n : nat).
  Hypothesis affine : forall t u v us x, length us = n -> In x l -> F ((1 - t) * u + t * v :: us) x = (1 - t) * F (u :: us) x + t * F (v :: us) x.
  Hypothesis in_any_order : forall us vs x, length us = S n -> In x l -> Permutation us vs -> F us x = F vs x.
  Hypothesis between : q <= p.

  Definition pq (a b : nat) : list R := repeat p a ++ repeat q b.

  Lemma mean_of_ends u : q <= u <= p -> exists t, 0 <= t <= 1 /\ u = (1 - t) * q + t * p.
  Proof.
    intros U. destruct (Req_dec p q) as [->|N].
    - exists 0. split; lra.
    - exists ((u - q) / (p - q)). split; [|field; lra].
      split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]|].
      apply (Rmult_le_reg_r (p - q)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  Qed.

  (* First the others, *)
  Lemma others_extreme y z us : Forall (fun u => q <= u <= p) us -> forall a b,
    (length us + (a + b) = n)%nat -> exists c d, (c + d = n)%nat
    /\ hockey l alpha (F (y :: us ++ pq a b)) (F (z :: us ++ pq a b)) <= hockey l alpha (F (y :: pq c d)) (F (z :: pq c d)).
  Proof.
    induction 1 as [|u us U _ IH]; intros a b L; cbn [length] in L.
    - exists a, b. split; [exact L | apply Rle_refl].
    - destruct (mean_of_ends u U) as (t & T & ->). set (rest := us ++ pq a b).
      assert (M : hockey l alpha (F (y :: (1 - t) * q + t * p :: rest)) (F (z :: (1 - t) * q + t * p :: rest))
                  <= (1 - t) * hockey l alpha (F (y :: us ++ pq a (S b))) (F (z :: us ++ pq a (S b)))
                     + t * hockey l alpha (F (y :: us ++ pq (S a) b)) (F (z :: us ++ pq (S a) b))).
      { eapply Rle_trans; [|apply hockey_jointly_convex; exact T]. right.
        assert (Q : forall x, Permutation (x :: q :: rest) (x :: us ++ pq a (S b))).
        { intros x. apply perm_skip. unfold rest, pq. cbn [repeat]. rewrite !app_assoc. apply Permutation_middle. }
        assert (P : forall x, Permutation (x :: p :: rest) (x :: us ++ pq (S a) b)).
        { intros x. apply perm_skip. unfold rest, pq. cbn [repeat app]. apply Permutation_middle. }
        assert (LR : S (length rest) = n) by (unfold rest, pq; rewrite !app_length, !repeat_length; lia).
        assert (G : forall x o, In o l -> F (x :: (1 - t) * q + t * p :: rest) o
                    = (1 - t) * F (x :: us ++ pq a (S b)) o + t * F (x :: us ++ pq (S a) b) o).
        { intros x o O. assert (LL : forall a b, length (a :: b :: rest) = S n) by (intros; cbn; lia).
          rewrite <- (in_any_order _ _ o (LL x q) O (Q x)), <- (in_any_order _ _ o (LL x p) O (P x)).
          rewrite (in_any_order _ _ o (LL _ _) O (perm_swap _ x rest)), affine by (trivial; cbn; lia).
          now rewrite (in_any_order _ _ o (LL _ _) O (perm_swap q x rest)), (in_any_order _ _ o (LL _ _) O (perm_swap p x rest)). }
        apply hockey_ext; intros o O; now apply G. }
      destruct (IH a (S b) ltac:(lia)) as (c1 & d1 & E1 & B1). destruct (IH (S a) b ltac:(lia)) as (c2 & d2 & E2 & B2).
      set (h1 := hockey l alpha (F (y :: pq c1 d1)) (F (z :: pq c1 d1))) in *.
      set (h2 := hockey l alpha (F (y :: pq c2 d2)) (F (z :: pq c2 d2))) in *.
      destruct (Rle_dec h1 h2) as [H|H]; [exists c2, d2; fold h2 | exists c1, d1; fold h1];
        (split; [assumption|]); (eapply Rle_trans; [exact M|]); nra.
  Qed.

  (* then the user who differs. *)
  Theorem extremes y z us :
    1 <= alpha -> (forall vs, length vs = S n -> Forall (fun u => q <= u <= p) vs -> mass l (F vs)) -> length us = n -> q <= y <= p -> q <= z
      <= p -> Forall (fun u => q <= u <= p) us ->
    exists a, (a <= n)%nat /\ let others := pq a (n - a) in
    hockey l alpha (F (y :: us)) (F (z :: us))
    <= Rmax (hockey l alpha (F (p :: others)) (F (q :: others))) (hockey l alpha (F (q :: others)) (F (p :: others))).
  Proof.
    intros A1 N L Y Z U. destruct (others_extreme y z us U 0 0 ltac:(lia)) as (a & b & E & B).
    exists a. split; [lia|]. replace (n - a)%nat with b by lia. cbn zeta. set (others := pq a b) in *.
    assert (P0 : pq 0 0 = []) by reflexivity. rewrite P0, app_nil_r in B. eapply Rle_trans; [exact B|]. clear B.
    assert (LO : length others = n) by (unfold others, pq; now rewrite app_length, !repeat_length).
    assert (FO : Forall (fun u => q <= u <= p) others).
    { unfold others, pq. apply Forall_app. split; apply Forall_forall; intros u I; apply repeat_spec in I; lra. }
    assert (Mq : mass l (F (q :: others))) by (apply N; [cbn; lia | constructor; [lra | exact FO]]).
    assert (Mp : mass l (F (p :: others))) by (apply N; [cbn; lia | constructor; [lra | exact FO]]).
    destruct (mean_of_ends y Y) as (t & T & ->). destruct (mean_of_ends z Z) as (s & S & ->).
    set (h := hockey l alpha (F (p :: others)) (F (q :: others))). set (h' := hockey l alpha (F (q :: others)) (F (p :: others))).
    assert (H0 : 0 <= h) by apply hockey_nonneg. assert (H0' : 0 <= h') by apply hockey_nonneg.
    assert (G : forall x u, hockey l alpha (F (u :: others)) (F ((1 - x) * q + x * p :: others))
        = hockey l alpha (fun o => (1 - x) * F (u :: others) o + x * F (u :: others) o)
            (fun o => (1 - x) * F (q :: others) o + x * F (p :: others) o)).
    { intros x u. apply hockey_ext; intros o O; [ring | now apply affine]. }
    rewrite G. eapply Rle_trans; [apply hockey_jointly_convex; exact S|].
    assert (G' : forall u, hockey l alpha (F ((1 - t) * q + t * p :: others)) (F (u :: others))
        <= (1 - t) * hockey l alpha (F (q :: others)) (F (u :: others)) + t * hockey l alpha (F (p :: others)) (F (u :: others))).
    { intros u. eapply Rle_trans; [|apply hockey_jointly_convex; exact T]. right. apply hockey_ext; intros o O; [now apply affine | ring]. }
    pose proof (G' q) as Gq. pose proof (G' p) as Gp.
    rewrite (hockey_same l alpha (F (q :: others))), pos_zero in Gq by (auto; lra).
    rewrite (hockey_same l alpha (F (p :: others))), pos_zero in Gp by (auto; lra).
    fold h in Gq. fold h' in Gp. pose proof (Rmax_l h h'). pose proof (Rmax_r h h'). set (m := Rmax h h') in *.
    assert ((1 - s) * hockey l alpha (F ((1 - t) * q + t * p :: others)) (F (q :: others)) <= (1 - s) * m).
    { apply Rmult_le_compat_l; [lra|]. nra. }
    assert (s * hockey l alpha (F ((1 - t) * q + t * p :: others)) (F (p :: others)) <= s * m).
    { apply Rmult_le_compat_l; [lra|]. nra. }
    lra.
  Qed.
End Extremes.

(* The bound: a others hold p, the rest q. *)
Definition worst (p q alpha : R) (n a : nat) : R :=
  hockey (seq 0 (S (S n))) alpha (ones (p :: pq p q a (n - a))) (ones (q :: pq p q a (n - a))).
Definition worst_back (p q alpha : R) (n a : nat) : R :=
  hockey (seq 0 (S (S n))) alpha (ones (q :: pq p q a (n - a))) (ones (p :: pq p q a (n - a))).

Lemma pq_length p q a b : length (pq p q a b) = (a + b)%nat.
Proof. unfold pq. now rewrite app_length, !repeat_length. Qed.

Lemma shuffled_bits_mass us : Forall (fun u => 0 <= u <= 1) us -> mass (words bits (length us)) (shuffled bits_of us).
Proof.
  intros H w I. apply words_length in I. rewrite shuffled_bits by exact I. apply Rmult_le_pos; [now apply ones_nonneg|].
  unfold Rdiv. apply Rmult_le_pos; [apply Rmult_le_pos; apply pos_INR|]. apply Rlt_le, Rinv_0_lt_compat, lt_0_INR, lt_O_fact.
Qed.

Lemma shuffled_worst p q alpha n a : (a <= n)%nat ->
  let others := pq p q a (n - a) in
  hockey (words bits (S n)) alpha (shuffled bits_of (p :: others)) (shuffled bits_of (q :: others)) = worst p q alpha n a
  /\ hockey (words bits (S n)) alpha (shuffled bits_of (q :: others)) (shuffled bits_of (p :: others)) = worst_back p q alpha n a.
Proof.
  intros H others. assert (L : forall u, length (u :: others) = S n) by (intros; cbn; unfold others; rewrite pq_length; lia).
  pose proof (bits_exact (p :: others) (q :: others) alpha ltac:(now rewrite !L)) as B.
  pose proof (bits_exact (q :: others) (p :: others) alpha ltac:(now rewrite !L)) as B'.
  rewrite L in B, B'. split; assumption.
Qed.

(* -------- The mechanisms -------- *)

Section Randomiser.
  Context {X : Type} (A : X -> bool -> R) (p q : R).
  Hypotheses (HA : forall x, law bits (A x)) (HQ : forall x, q <= A x true <= p) (Q0 : 0 <= q) (P1 : p <= 1).

  Lemma bit_law x z : A x z = bit (A x true) z.
  Proof. destruct (HA x) as [_ S]. cbn in S. destruct z; cbn; lra. Qed.

  Let probabilities := map (fun x => A x true).

  Lemma shuffled_as_bits xs w : shuffled (fun _ => A) xs w = shuffled bits_of (probabilities xs) w.
  Proof. apply shuffled_map. intros. apply bit_law. Qed.

  Lemma subsampled_as_bits m xs w : subsampled (shuffled (fun _ => A)) m xs w = subsampled (shuffled bits_of) m (probabilities xs) w.
  Proof.
    unfold subsampled, probabilities. rewrite choose_map, sum_map, map_length. f_equal. apply sum_ext_all. intros s. apply shuffled_as_bits.
  Qed.

  Lemma probabilities_between xs : Forall (fun u => q <= u <= p) (probabilities xs).
  Proof. apply Forall_forall. intros u I. apply in_map_iff in I as (x & <- & _). apply HQ. Qed.

  Lemma in_unit us : Forall (fun u => q <= u <= p) us -> Forall (fun u => 0 <= u <= 1) us.
  Proof. apply Forall_impl. intros. lra. Qed.

  (* The shuffle of all reports. *)
  Theorem binary_reports x0 x1 xs alpha :
    1 <= alpha ->
    exists a, (a <= length xs)%nat /\
    hockey (words bits (S (length xs))) alpha (shuffled (fun _ => A) (x0 :: xs)) (shuffled (fun _ => A) (x1 :: xs))
    <= Rmax (worst p q alpha (length xs) a) (worst_back p q alpha (length xs) a).
  Proof.
    intros A1. set (n := length xs).
    destruct (extremes (words bits (S n)) (shuffled bits_of) p q alpha n) with (y := A x0 true) (z := A x1 true) (us := probabilities xs)
      as (a & L & B); auto using probabilities_between.
    - intros t u v us w LU I. apply shuffled_bits_affine. apply words_length in I. congruence.
    - intros us vs w _ _ P. now apply shuffled_permutation.
    - pose proof (HQ x0). lra.
    - intros vs LV F. rewrite <- LV. now apply shuffled_bits_mass, in_unit.
    - unfold probabilities. apply map_length.
    - exists a. split; [exact L|]. cbn zeta in B. destruct (shuffled_worst p q alpha n a L) as [W W']. rewrite W, W' in B.
      eapply Rle_trans; [|exact B]. right. apply hockey_ext; intros w _; apply shuffled_as_bits.
  Qed.

  (* A part of them, drawn anew: the same data are worst. *)
  Theorem binary_reports_sampled x0 x1 xs alpha m :
    1 <= alpha ->
    let h u v others := hockey (words bits m) alpha (subsampled (shuffled bits_of) m (u :: others)) (subsampled (shuffled bits_of) m (v :: others)) in
    exists a, (a <= length xs)%nat /\
    hockey (words bits m) alpha (subsampled (shuffled (fun _ => A)) m (x0 :: xs)) (subsampled (shuffled (fun _ => A)) m (x1 :: xs))
    <= Rmax (h p q (pq p q a (length xs - a))) (h q p (pq p q a (length xs - a))).
  Proof.
    intros A1 h. set (n := length xs).
    destruct (extremes (words bits m) (subsampled (shuffled bits_of) m) p q alpha n) with (y := A x0 true) (z := A x1 true) (us := probabilities xs)
      as (a & L & B); auto using probabilities_between.
    - intros t u v us w LU I. apply words_length in I. now apply subsampled_bits_affine.
    - intros us vs w LU I P. apply words_length in I. subst m. now apply subsampled_permutation.
    - pose proof (HQ x0). lra.
    - intros vs LV F w I. unfold subsampled, Rdiv. apply Rmult_le_pos.
      + apply sum_nonneg. intros s S. pose proof (choose_length vs m s S) as LS. apply shuffled_bits_mass; [|now rewrite LS].
        apply in_unit, Forall_forall. intros u U. rewrite Forall_forall in F. apply F. now apply (choose_incl m vs s).
      + destruct (length (choose m vs)) as [|k]; [cbn; rewrite Rinv_0; lra|]. apply Rlt_le, Rinv_0_lt_compat, lt_0_INR. lia.
    - unfold probabilities. apply map_length.
    - exists a. split; [exact L|]. eapply Rle_trans; [|exact B]. right. apply hockey_ext; intros w _; apply subsampled_as_bits.
  Qed.

  (* Inputs that have p and q attain them. *)
  Theorem binary_reports_attained xp xq a b alpha :
    A xp true = p -> A xq true = q ->
    let others := repeat xp a ++ repeat xq b in
    hockey (words bits (S (a + b))) alpha (shuffled (fun _ => A) (xp :: others)) (shuffled (fun _ => A) (xq :: others)) = worst p q alpha (a + b) a
    /\ hockey (words bits (S (a + b))) alpha (shuffled (fun _ => A) (xq :: others)) (shuffled (fun _ => A) (xp :: others)) = worst_back p q alpha (a + b) a.
  Proof.
    intros EP EQ others. destruct (shuffled_worst p q alpha (a + b) a ltac:(lia)) as [<- <-].
    replace (a + b - a)%nat with b by lia.
    assert (G : forall x w, shuffled (fun _ => A) (x :: others) w = shuffled bits_of (A x true :: pq p q a b) w).
    { intros x w. rewrite shuffled_as_bits. unfold probabilities, others, pq. cbn [map]. now rewrite map_app, !map_repeat, EP, EQ. }
    split; apply hockey_ext; intros w _; rewrite G; now rewrite ?EP, ?EQ.
  Qed.

  Theorem binary_reports_sampled_attained xp xq a b m w :
    A xp true = p -> A xq true = q ->
    let others := repeat xp a ++ repeat xq b in
    subsampled (shuffled (fun _ => A)) m (xp :: others) w = subsampled (shuffled bits_of) m (p :: pq p q a b) w
    /\ subsampled (shuffled (fun _ => A)) m (xq :: others) w = subsampled (shuffled bits_of) m (q :: pq p q a b) w.
  Proof.
    intros EP EQ others. assert (E : probabilities others = pq p q a b).
    { unfold probabilities, others, pq. now rewrite map_app, !map_repeat, EP, EQ. }
    rewrite !subsampled_as_bits. unfold probabilities in *. cbn [map]. rewrite EP, EQ, E. split; reflexivity.
  Qed.
End Randomiser.
