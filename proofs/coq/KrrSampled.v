(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Samples of k-RR from below: ../clones-sampled.md, Theorem 3. The outputs x0 and
 * x1 are counted and nothing else is looked at, as in ShuffleCounts.v; the sample
 * is a uniform subset of the users, or everyone takes part with probability q. And
 * any data of any randomiser, of which one kind of outputs is counted
 * (sampled_event_below).
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Trinomial TrinomialMean Instances Shuffle ShuffleCounts KrrShuffle
  Subsampling Subsets SampledRenyi.
Import ListNotations.
Open Scope R_scope.

(* The law of the outputs if each user takes part with probability q: words of any length. *)
Definition taking_part {X Z} (K : list Z -> X -> Z -> R) (q : R) (d : list X) (w : list Z) : R :=
  poisson (fun s w => if (length s =? length w)%nat then shuffled K s w else 0) q d w.

Definition short_words {Z} (outs : list Z) (n : nat) : list (list Z) := flat_map (words outs) (seq 0 (S n)).

Lemma choose_repeat {X} (y : X) n : forall m s, In s (choose m (repeat y n)) -> s = repeat y m.
Proof.
  induction n as [|n IH]; intros [|m] s H; cbn in H; try (destruct H as [<-|[]]; reflexivity); [contradiction|].
  apply in_app_or in H as [H|H]; [|now apply IH].
  apply in_map_iff in H as (t & <- & H). cbn. f_equal. now apply IH.
Qed.

Section Below.
  Context {X Z : Type} (outs : list Z) (A : X -> Z -> R) (U V : Z -> bool).
  Hypothesis HA : forall x, law outs (A x).

  Let u := in_U outs A U.
  Let v := in_V outs A U V.
  Let mean := users_mean outs A U V.
  Let count := tally U V.

  (* Laws whose counts are those of the pair are at least as far from one another. *)
  Lemma below_by_counts (l : list (list Z)) P Q w0 w1 w0' w1' r0 r1 N alpha :
    (forall f, sum l (fun w => P w * count f w)
      = w0 * counts_mean r0 r1 N (fun a b => f (S a) b) + w1 * counts_mean r0 r1 N (fun a b => f a (S b)) + (1 - w0 - w1) * counts_mean r0 r1 N f) ->
    (forall f, sum l (fun w => Q w * count f w)
      = w0' * counts_mean r0 r1 N (fun a b => f (S a) b) + w1' * counts_mean r0 r1 N (fun a b => f a (S b)) + (1 - w0' - w1') * counts_mean r0 r1 N f) ->
    hockey (counts N) alpha (with_user w0 w1 (1 - w0 - w1) (others r0 r1 N)) (with_user w0' w1' (1 - w0' - w1') (others r0 r1 N))
    <= hockey l alpha P Q.
  Proof.
    intros HP HQ.
    set (T := with_user w0 w1 (1 - w0 - w1) (others r0 r1 N)). set (T' := with_user w0' w1' (1 - w0' - w1') (others r0 r1 N)).
    set (t := fun a b => above (T (a, b) - alpha * T' (a, b))).
    apply Rle_trans with (sum (counts N) (fun c => T c * t (fst c) (snd c)) - alpha * sum (counts N) (fun c => T' c * t (fst c) (snd c))).
    - rewrite <- sum_scal, <- sum_minus. right. apply sum_ext. intros [a b] _. rewrite pos_above. cbn [fst snd]. unfold t. ring.
    - unfold T, T'. rewrite !with_user_mean, <- HP, <- HQ, <- sum_scal, <- sum_minus. apply sum_le. intros w _.
      eapply Rle_trans; [|apply (below_pos _ (count t w)); apply tally_bound; intros; apply above_range]. lra.
  Qed.

  Lemma sampled_tally x y n k f :
    (k <= n)%nat ->
    let g := INR (S k) / INR (S n) in
    sum (words outs (S k)) (fun w => subsampled (shuffled (fun _ => A)) (S k) (x :: repeat y n) w * count f w)
    = g * mean (x :: repeat y k) f + (1 - g) * mean (y :: repeat y k) f.
  Proof.
    intros H g. set (d := x :: repeat y n).
    set (a := INR (length (choose k (repeat y n)))). set (b := INR (length (choose (S k) (repeat y n)))).
    assert (A1 : 1 <= a).
    { change 1 with (INR 1). apply le_INR, choose_some. rewrite repeat_length. exact H. }
    assert (B0 : 0 <= b) by apply pos_INR.
    pose proof (choose_count (repeat y n) k) as CC. fold a b in CC. rewrite repeat_length in CC.
    assert (N1 : 0 < INR (S n)) by (apply lt_0_INR; lia).
    assert (G : g = a / (a + b)).
    { apply Rmult_eq_reg_r with ((a + b) * INR (S n)); [|nra]. unfold g. field_simplify; [|lra|lra]. rewrite !S_INR in *. nra. }
    unfold subsampled, Rdiv.
    rewrite (sum_ext _ _ (fun w => / INR (length (choose (S k) d)) * sum (choose (S k) d) (fun s => shuffled (fun _ => A) s w * count f w)))
      by (intros; rewrite sum_scal_r; ring).
    rewrite sum_scal, sum_swap.
    rewrite (sum_ext (choose (S k) d) _ (fun s => mean s f)).
    2:{ intros s I. rewrite <- (choose_length d (S k) s I). now apply shuffled_tally. }
    assert (L : INR (length (choose (S k) d)) = a + b)
      by (unfold d; cbn [choose]; rewrite app_length, map_length, plus_INR; reflexivity).
    unfold d. rewrite sum_choose. fold d. rewrite L.
    rewrite (sum_ext (choose k _) _ (fun _ => mean (x :: repeat y k) f)) by (intros s I; now rewrite (choose_repeat y n k s I)).
    rewrite (sum_ext (choose (S k) _) _ (fun _ => mean (y :: repeat y k) f)) by (intros s I; now rewrite (choose_repeat y n (S k) s I)).
    rewrite !sum_constant. fold a b. rewrite G. field. lra.
  Qed.

  (* The counts of a uniform sample; the differing user is one more of the others unless he is sampled. *)
  Theorem sampled_counts_below x0 x1 y n k alpha :
    (k <= n)%nat ->
    let g := INR (S k) / INR (S n) in
    let mixed h x := g * h x + (1 - g) * h y in
    hockey (counts k) alpha
      (with_user (mixed u x0) (mixed v x0) (1 - mixed u x0 - mixed v x0) (others (u y) (v y) k))
      (with_user (mixed u x1) (mixed v x1) (1 - mixed u x1 - mixed v x1) (others (u y) (v y) k))
    <= hockey (words outs (S k)) alpha (subsampled (shuffled (fun _ => A)) (S k) (x0 :: repeat y n))
         (subsampled (shuffled (fun _ => A)) (S k) (x1 :: repeat y n)).
  Proof.
    intros H g mixed. apply below_by_counts; intros f; rewrite sampled_tally by exact H; fold g;
      unfold mean; cbn [users_mean]; rewrite !users_mean_repeat; fold u v; unfold mixed; ring.
  Qed.

  (* Taking part with probability q. *)
  Lemma poisson_user q x ys f :
    poisson (fun s (_ : unit) => mean (x :: s) f) q ys tt
    = u x * poisson (fun s (_ : unit) => mean s (fun a b => f (S a) b)) q ys tt
      + v x * poisson (fun s (_ : unit) => mean s (fun a b => f a (S b))) q ys tt
      + (1 - u x - v x) * poisson (fun s (_ : unit) => mean s f) q ys tt.
  Proof.
    unfold poisson. rewrite <- !sum_scal, <- !sum_plus. apply sum_ext. intros s _. unfold mean. cbn [users_mean]. fold u v. ring.
  Qed.

  Lemma poisson_mean q y n : forall f,
    poisson (fun s (_ : unit) => mean s f) q (repeat y n) tt = counts_mean (q * u y) (q * v y) n f.
  Proof.
    induction n as [|n IH]; intros f.
    - unfold poisson, chance. cbn. ring.
    - cbn [repeat counts_mean]. rewrite poisson_cons. unfold sampled. rewrite IH, poisson_user, !IH. ring.
  Qed.

  Lemma taking_part_tally q x y n f :
    sum (short_words outs (S n)) (fun w => taking_part (fun _ => A) q (x :: repeat y n) w * count f w)
    = q * u x * counts_mean (q * u y) (q * v y) n (fun a b => f (S a) b) + q * v x * counts_mean (q * u y) (q * v y) n (fun a b => f a (S b))
      + (1 - q * u x - q * v x) * counts_mean (q * u y) (q * v y) n f.
  Proof.
    transitivity (poisson (fun s (_ : unit) => mean s f) q (x :: repeat y n) tt).
    - unfold taking_part, poisson.
      rewrite (sum_ext _ _ (fun w => sum (sublists (x :: repeat y n)) (fun s => chance q (x :: repeat y n) s *
        ((if (length s =? length w)%nat then shuffled (fun _ => A) s w else 0) * count f w))))
        by (intros; rewrite <- sum_scal_r; apply sum_ext; intros; ring).
      rewrite sum_swap. apply sum_ext. intros s I. rewrite sum_scal. f_equal.
      apply sublists_length in I. cbn [length] in I. rewrite repeat_length in I.
      unfold short_words. rewrite sum_flat_map.
      rewrite (sum_ext (seq 0 (S (S n))) _ (fun j => if (length s =? j)%nat then mean s f else 0)).
      + apply sum_at. lia.
      + intros j _. destruct (Nat.eqb_spec (length s) j) as [<-|N].
        * transitivity (sum (words outs (length s)) (fun w => shuffled (fun _ => A) s w * count f w)); [|now apply shuffled_tally]. apply sum_ext. intros w W. apply words_length in W.
          rewrite W, Nat.eqb_refl. reflexivity.
        * transitivity (sum (words outs j) (fun _ => 0)); [|apply sum_zero]. apply sum_ext. intros w W. apply words_length in W.
          rewrite W. destruct (Nat.eqb_spec (length s) j); [lia | ring].
    - rewrite poisson_cons. unfold sampled. rewrite poisson_mean, poisson_user, !poisson_mean. ring.
  Qed.

  Theorem taking_part_below q x0 x1 y n alpha :
    hockey (counts n) alpha
      (with_user (q * u x0) (q * v x0) (1 - q * u x0 - q * v x0) (others (q * u y) (q * v y) n))
      (with_user (q * u x1) (q * v x1) (1 - q * u x1 - q * v x1) (others (q * u y) (q * v y) n))
    <= hockey (short_words outs (S n)) alpha (taking_part (fun _ => A) q (x0 :: repeat y n)) (taking_part (fun _ => A) q (x1 :: repeat y n)).
  Proof. apply below_by_counts; intros f; apply taking_part_tally. Qed.
End Below.

(* Any data, one kind of outputs: the number of them among the reports of a uniform sample (mixed-sampled in ../sampled-described.md). *)
Theorem sampled_event_below {X Z} (outs : list Z) (A : X -> Z -> R) (U : Z -> bool) x0 x1 xs m alpha :
  (forall x, law outs (A x)) ->
  hockey (seq 0 (S m)) alpha (subsampled (count_mass outs A U) m (x0 :: xs)) (subsampled (count_mass outs A U) m (x1 :: xs))
  <= hockey (words outs m) alpha (subsampled (shuffled (fun _ => A)) m (x0 :: xs)) (subsampled (shuffled (fun _ => A)) m (x1 :: xs)).
Proof.
  intros HA.
  assert (T : forall d t, sum (seq 0 (S m)) (fun c => subsampled (count_mass outs A U) m d c * t c)
    = sum (words outs m) (fun w => subsampled (shuffled (fun _ => A)) m d w * tally U (fun _ => false) (fun a _ => t a) w)).
  { intros d t. unfold subsampled, Rdiv.
    rewrite (sum_ext_all (seq 0 (S m)) _ (fun c => / INR (length (choose m d)) * sum (choose m d) (fun s => count_mass outs A U s c * t c)))
      by (intros; rewrite sum_scal_r; ring).
    rewrite (sum_ext_all (words outs m) _ (fun w => / INR (length (choose m d))
      * sum (choose m d) (fun s => shuffled (fun _ => A) s w * tally U (fun _ => false) (fun a _ => t a) w)))
      by (intros; rewrite sum_scal_r; ring).
    rewrite !sum_scal, (sum_swap (seq 0 (S m))), (sum_swap (words outs m)). f_equal. apply sum_ext. intros s I. apply choose_length in I. subst m.
    rewrite count_mean by lia. now rewrite shuffled_tally. }
  apply (below_by_event U); apply T.
Qed.

(* -------- k-RR -------- *)

Section Krr.
  Variables (E : R) (k x0 x1 : nat) (alpha : R).
  Hypotheses (HE : 1 <= E) (Hk : (2 <= k)%nat) (H0 : (x0 < k)%nat) (H1 : (x1 < k)%nat) (HN : x0 <> x1).

  Let values := seq 0 k.
  Let s := 1 / (E + INR k - 1).

  Lemma krr_counts x : (x < k)%nat ->
    in_U values (krr E k) (Nat.eqb x0) x = (if (x =? x0)%nat then E * s else s)
    /\ in_V values (krr E k) (Nat.eqb x0) (Nat.eqb x1) x = (if (x =? x1)%nat then E * s else s).
  Proof. intros Hx. split; [now apply krr_in_U | now apply krr_in_V]. Qed.

  Ltac count_all := repeat match goal with
    | |- context [in_U values ?a ?b ?x] => rewrite (proj1 (krr_counts x ltac:(assumption)))
    | |- context [in_V values ?a ?b ?c ?x] => rewrite (proj2 (krr_counts x ltac:(assumption)))
    end.

  (* A uniform sample of N + 1 of n + 1 users; all others hold a third value. *)
  Theorem krr_third_sampled y n N :
    (y < k)%nat -> y <> x0 -> y <> x1 -> (N <= n)%nat ->
    let g := INR (S N) / INR (S n) in
    let w0 := (g * E + (1 - g)) * s in
    trinomial_hockey w0 s (1 - w0 - s) s s N alpha
    <= hockey (words values (S N)) alpha (subsampled (shuffled (fun _ => krr E k)) (S N) (x0 :: repeat y n))
         (subsampled (shuffled (fun _ => krr E k)) (S N) (x1 :: repeat y n)).
  Proof.
    intros Hy Y0 Y1 HNn g w0.
    eapply Rle_trans; [|apply (sampled_counts_below values (krr E k) (Nat.eqb x0) (Nat.eqb x1) (krr_law E k HE Hk) x0 x1 y n N alpha HNn)].
    cbn zeta. fold g. count_all. rewrite !Nat.eqb_refl.
    destruct (Nat.eqb_spec x0 x1); [lia|]. destruct (Nat.eqb_spec x1 x0); [lia|].
    destruct (Nat.eqb_spec y x0); [lia|]. destruct (Nat.eqb_spec y x1); [lia|].
    right. unfold trinomial_hockey, trinomial_P, trinomial_Q.
    replace (g * (E * s) + (1 - g) * s) with w0 by (unfold w0; ring).
    replace (g * s + (1 - g) * s) with s by ring.
    replace (1 - s - w0) with (1 - w0 - s) by ring. reflexivity.
  Qed.

  (* Everyone takes part with probability q; all others hold x0, or a third value. *)
  Theorem krr_same_poisson q n :
    trinomial_hockey (q * (E * s)) (q * s) (1 - q * (E * s) - q * s) (q * (E * s)) (q * s) n alpha
    <= hockey (short_words values (S n)) alpha (taking_part (fun _ => krr E k) q (x0 :: repeat x0 n))
         (taking_part (fun _ => krr E k) q (x1 :: repeat x0 n)).
  Proof.
    eapply Rle_trans; [|apply (taking_part_below values (krr E k) (Nat.eqb x0) (Nat.eqb x1) (krr_law E k HE Hk) q x0 x1 x0 n alpha)].
    count_all. rewrite !Nat.eqb_refl.
    destruct (Nat.eqb_spec x0 x1); [lia|]. destruct (Nat.eqb_spec x1 x0); [lia|].
    right. unfold trinomial_hockey, trinomial_P, trinomial_Q.
    replace (1 - q * s - q * (E * s)) with (1 - q * (E * s) - q * s) by ring. reflexivity.
  Qed.

  Theorem krr_third_poisson q y n :
    (y < k)%nat -> y <> x0 -> y <> x1 ->
    trinomial_hockey (q * (E * s)) (q * s) (1 - q * (E * s) - q * s) (q * s) (q * s) n alpha
    <= hockey (short_words values (S n)) alpha (taking_part (fun _ => krr E k) q (x0 :: repeat y n))
         (taking_part (fun _ => krr E k) q (x1 :: repeat y n)).
  Proof.
    intros Hy Y0 Y1.
    eapply Rle_trans; [|apply (taking_part_below values (krr E k) (Nat.eqb x0) (Nat.eqb x1) (krr_law E k HE Hk) q x0 x1 y n alpha)].
    count_all. rewrite !Nat.eqb_refl.
    destruct (Nat.eqb_spec x0 x1); [lia|]. destruct (Nat.eqb_spec x1 x0); [lia|].
    destruct (Nat.eqb_spec y x0); [lia|]. destruct (Nat.eqb_spec y x1); [lia|].
    right. unfold trinomial_hockey, trinomial_P, trinomial_Q.
    replace (1 - q * s - q * (E * s)) with (1 - q * (E * s) - q * s) by ring. reflexivity.
  Qed.
End Krr.
