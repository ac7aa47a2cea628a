(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * A uniform subset of the users, shuffled: ../clones-sampled.md, Theorem 1, and
 * ../sampled-described.md. The mechanism is subsampled (shuffled K) m d: the mean
 * over the subsets of m of the users d, each in all orders.
 *
 * It is the law of the first m outputs if each time the next user is drawn from
 * those left (subsampled_draw). Hence P - alpha Q is the signed measure of
 * LocalProfile.v, which may draw from more users than are needed, with a constant
 * for the samples without the differing user; and what is proved there of that
 * measure holds here with another start of the walk.
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Composition Trinomial TrinomialMean Shuffle LocalProfile Stronger
  ShuffleBlanket Subsampling Subsets KrrShuffle.
Import ListNotations.
Open Scope R_scope.

(* -------- Subsets and the users that are left -------- *)

Lemma sum_choose_picks {X} (d : list X) : forall k (f : X -> list X -> R),
  sum (choose (S k) d) (fun s => sum (picks s) (fun c => f (fst c) (snd c)))
  = sum (picks d) (fun c => sum (choose k (snd c)) (fun r => f (fst c) r)).
Proof.
  induction d as [|y d IH]; intros k f; [reflexivity|].
  rewrite sum_choose. cbn [picks sum fst snd]. rewrite sum_map. cbn [fst snd].
  rewrite (sum_ext_all (choose k d) _ (fun s => f y s + sum (picks s) (fun c => f (fst c) (y :: snd c))))
    by (intros s; now rewrite sum_map).
  rewrite sum_plus, IH, Rplus_assoc. f_equal.
  destruct k as [|k].
  - rewrite (choose_zero d). cbn [sum picks]. rewrite Rplus_0_r, Rplus_0_l. apply sum_ext_all. intros c. now rewrite !choose_zero.
  - rewrite (IH k (fun x r => f x (y :: r))), <- sum_plus. apply sum_ext_all. intros c. now rewrite sum_choose.
Qed.

Lemma choose_same_length {X} (d : list X) : forall (d' : list X) m, length d = length d' -> length (choose m d) = length (choose m d').
Proof.
  induction d as [|y d IH]; intros [|y' d'] [|m] H; try discriminate; try reflexivity.
  injection H as H. cbn [choose]. rewrite !app_length, !map_length, (IH d' m H), (IH d' (S m) H). reflexivity.
Qed.

(* The first m outputs are those of a uniform sample of m users. *)
Lemma subsampled_draw_from {X Z} (K : list Z -> X -> Z -> R) w : forall h d,
  (length w <= length d)%nat ->
  sum (choose (length w) d) (fun s => draw K h s w) / INR (length (choose (length w) d)) = draw K h d w.
Proof.
  induction w as [|z w IH]; intros h d H; cbn [length] in *.
  - rewrite choose_zero. cbn. lra.
  - set (k := length w) in *. cbn [draw].
    destruct d as [|y0 d0] eqn:E; [cbn in H; lia|]. rewrite <- E in *.
    set (M := INR (length (choose k d0))).
    assert (L : forall c, In c (picks d) -> length (snd c) = length d0).
    { intros c C. apply picks_rest in C. rewrite E in C. cbn [length] in C. lia. }
    assert (M1 : 1 <= M).
    { change 1 with (INR 1). apply le_INR, choose_some. rewrite E in H. cbn [length] in H. lia. }
    assert (D0 : 0 < INR (length d)) by (apply lt_0_INR; rewrite E; cbn; lia).
    assert (K0 : 0 < INR (S k)) by (apply lt_0_INR; lia).
    assert (C0 : INR (S k) * INR (length (choose (S k) d)) = INR (length d) * M).
    { pose proof (sum_choose_picks d k (fun _ _ => 1)) as P.
      rewrite (sum_ext (choose (S k) d) _ (fun _ => INR (S k))) in P.
      - rewrite (sum_ext (picks d) _ (fun _ => M)) in P.
        + rewrite !sum_const, picks_length in P. lra.
        + intros c C. rewrite sum_const. unfold M. rewrite (choose_same_length (snd c) d0) by auto. ring.
      - intros s S. rewrite sum_const, picks_length, (choose_length d (Datatypes.S k) s S). ring. }
    assert (N0 : INR (length (choose (S k) d)) = INR (length d) * M / INR (S k)) by (rewrite <- C0; field; lra).
    transitivity (sum (choose (S k) d) (fun s => sum (picks s) (fun c => K h (fst c) z * draw K (z :: h) (snd c) w))
                  / INR (S k) / INR (length (choose (S k) d))).
    { f_equal. unfold Rdiv at 1. rewrite <- sum_scal_r. apply sum_ext. intros s S. unfold pick, Rdiv.
      now rewrite (choose_length d (Datatypes.S k) s S). }
    rewrite (sum_choose_picks d k (fun x r => K h x z * draw K (z :: h) r w)), N0. unfold pick.
    rewrite (sum_ext (picks d) _ (fun c => M * (K h (fst c) z * draw K (z :: h) (snd c) w))).
    + rewrite sum_scal. field. lra.
    + intros c C. rewrite sum_scal. rewrite <- (IH (z :: h) (snd c)) by (rewrite (L c C); rewrite E in H; cbn [length] in H; lia).
      fold k. rewrite (choose_same_length (snd c) d0 k (L c C)). fold M. field. lra.
Qed.

Theorem subsampled_draw {X Z} (K : list Z -> X -> Z -> R) d w :
  (length w <= length d)%nat -> subsampled (shuffled K) (length w) d w = draw K [] d w.
Proof.
  intros H. rewrite <- subsampled_draw_from by assumption. unfold subsampled. f_equal.
  apply sum_ext. intros s S. apply shuffled_draw. symmetry. now apply (choose_length d).
Qed.

(* -------- The signed measure of a sample -------- *)

(* The constant: alpha - 1 for each of the users who are left out. *)
Definition left_out (alpha : R) (n m : nat) : R := - (alpha - 1) * (INR n - INR m).

Section Sampled.
  Context {X Z : Type} (outs : list Z) (K : list Z -> X -> Z -> R) (alpha : R) (x0 x1 : X).

  Lemma draw_offset w : forall h (ys : list X),
    (length w <= S (length ys))%nat ->
    draw K h (x0 :: ys) w - alpha * draw K h (x1 :: ys) w
    = offset K alpha x0 x1 h ys (left_out alpha (S (length ys)) (length w)) w / INR (S (length ys)).
  Proof.
    induction w as [|z w IH]; intros h ys H; cbn [length] in H;
      assert (N0 : INR (S (length ys)) <> 0) by (apply not_0_INR; lia).
    - unfold offset, left_out. cbn [draw signed length INR]. field. exact N0.
    - set (s := left_out alpha (S (length ys)) (length (z :: w))). rewrite offset_cons. cbn [draw].
      set (T := fun x => sum (picks ys) (fun c => K h (fst c) z * draw K (z :: h) (x :: snd c) w)).
      assert (HT : forall x, pick (x :: ys) (fun x rest => K h x z * draw K (z :: h) rest w)
                             = (K h x z * draw K (z :: h) ys w + T x) / INR (S (length ys))).
      { intros x. unfold pick. cbn [picks sum fst snd]. rewrite sum_map. reflexivity. }
      rewrite !HT.
      replace (pick ys (fun y rest => K h y z * offset K alpha x0 x1 (z :: h) rest s w)) with (T x0 - alpha * T x1);
        [field; exact N0|].
      unfold T, pick, Rdiv. rewrite <- sum_scal, <- sum_minus, <- sum_scal_r.
      apply sum_ext. intros c Hc. apply picks_rest in Hc.
      transitivity (K h (fst c) z * (draw K (z :: h) (x0 :: snd c) w - alpha * draw K (z :: h) (x1 :: snd c) w)); [ring|].
      rewrite IH by lia. rewrite Hc.
      replace (left_out alpha (length ys) (length w)) with s
        by (unfold s, left_out; cbn [length]; rewrite !S_INR; ring).
      unfold Rdiv. ring.
  Qed.

  (* The divergence of the sampled shuffle is the positive mass of the signed measure. *)
  Lemma sampled_offset (ys : list X) m :
    (m <= S (length ys))%nat ->
    hockey (words outs m) alpha (subsampled (shuffled K) m (x0 :: ys)) (subsampled (shuffled K) m (x1 :: ys))
    = sum (words outs m) (fun w => pos (offset K alpha x0 x1 [] ys (left_out alpha (S (length ys)) m) w)) / INR (S (length ys)).
  Proof.
    intros H. assert (HI : 0 < / INR (S (length ys))) by (apply Rinv_0_lt_compat, lt_0_INR; lia).
    unfold Rdiv. rewrite <- sum_scal_r. apply sum_ext. intros w Hw. apply words_length in Hw. subst m.
    rewrite !subsampled_draw by assumption. rewrite draw_offset by assumption.
    rewrite (Rmult_comm (pos _)), <- pos_scal by lra. f_equal. unfold Rdiv. ring.
  Qed.

  Lemma sampled_enough (ys : list X) m :
    (m <= S (length ys))%nat -> enough m ys (left_out alpha (S (length ys)) m).
  Proof.
    intros H. destruct (Nat.eq_dec m (S (length ys))) as [->|N]; [right | left; lia].
    split; [reflexivity|]. unfold left_out. ring.
  Qed.
End Sampled.

(* From the largest loss on there is nothing. *)
Lemma sampled_zero {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E alpha x0 x1 xs m :
  randomiser outs K -> ldp outs E K -> 1 <= alpha -> E <= alpha -> (m <= S (length xs))%nat ->
  hockey (words outs m) alpha (subsampled (shuffled K) m (x0 :: xs)) (subsampled (shuffled K) m (x1 :: xs)) = 0.
Proof.
  intros HK HL A1 AE HM. rewrite sampled_offset by exact HM. rewrite (sum_ext _ _ (fun _ => 0)); [rewrite sum_zero; apply Rmult_0_l|].
  intros w Hw. apply pos_zero. apply in_words in Hw as [L F]. unfold offset.
  assert (signed K alpha x0 x1 [] xs w <= 0).
  { apply (signed_nonpos outs); auto. intros h z Hz.
    specialize (HL h x0 x1 z Hz). assert (0 <= K h x1 z) by now apply HK. nra. }
  assert (0 <= draw K [] xs w) by now apply (draw_nonneg outs).
  assert (left_out alpha (S (length xs)) m <= 0).
  { unfold left_out. assert (INR m <= INR (S (length xs))) by (apply le_INR; lia). nra. }
  nra.
Qed.

(* -------- The local profile and the blanket, sampled -------- *)

(* The bound for m of n users: the mean of (W_1 + .. + W_m - (alpha-1)(n-m))_+ over n, W as in profile_bound. *)
Definition sampled_profile_bound (E alpha p : R) (n m : nat) : R :=
  walk (E - alpha) (alpha * E - 1) (p / (E - alpha)) ((p + alpha - 1) / (alpha * E - 1)) m (left_out alpha n m) / INR n.

(* That of a blanket w. *)
Definition sampled_blanket_bound {Z} (outs : list Z) (w P Q : Z -> R) (alpha : R) (n m : nat) : R :=
  INR m / INR n * outside outs w (fun z => P z - alpha * Q z)
  + blanket_walk outs w (fun z => P z - alpha * Q z) m (left_out alpha n m) / INR n.

Theorem sampled_local_profile {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E alpha p x0 x1 xs m :
  randomiser outs K -> ldp outs E K -> 1 <= alpha -> alpha < E -> (m <= S (length xs))%nat ->
  (forall h, hockey outs alpha (K h x0) (K h x1) <= p) ->
  hockey (words outs m) alpha (subsampled (shuffled K) m (x0 :: xs)) (subsampled (shuffled K) m (x1 :: xs))
  <= sampled_profile_bound E alpha (Rmin p ((E - alpha) / (E + 1))) (S (length xs)) m.
Proof.
  intros HK HL A1 AE HM HP. rewrite sampled_offset by assumption.
  unfold sampled_profile_bound. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, lt_0_INR; lia|].
  apply (profile_walk outs K E alpha (Rmin p ((E - alpha) / (E + 1))) x0 x1); auto.
  - intros h. apply Rmin_glb; [apply HP|]. apply ldp_hockey; auto; intros z Hz; now apply HL.
  - apply Rmin_r.
  - now apply sampled_enough.
Qed.

Theorem sampled_blanket {X Z} (outs : list Z) (A : X -> Z -> R) w alpha x0 x1 xs m :
  (forall x, law outs (A x)) -> mass outs w -> (forall y z, In z outs -> w z <= A y z) -> (m <= S (length xs))%nat ->
  hockey (words outs m) alpha (subsampled (shuffled (fun _ => A)) m (x0 :: xs)) (subsampled (shuffled (fun _ => A)) m (x1 :: xs))
  <= sampled_blanket_bound outs w (A x0) (A x1) alpha (S (length xs)) m.
Proof.
  intros HA W0 W1 HM. assert (HN : 0 < INR (S (length xs))) by (apply lt_0_INR; lia).
  rewrite sampled_offset by assumption. unfold sampled_blanket_bound.
  set (s := left_out alpha (S (length xs)) m).
  pose proof (blanket_offset outs (fun _ : list Z => A) (A x0) (A x1) w alpha x0 x1 (fun h x => HA x)
    (fun h z _ => eq_refl) (fun h z _ => eq_refl) W0 (fun _ => W1) m [] xs s) as B.
  specialize (B (sampled_enough alpha xs m HM)). cbn zeta in B.
  apply (Rmult_le_compat_r (/ INR (S (length xs)))) in B; [|now apply Rlt_le, Rinv_0_lt_compat].
  eapply Rle_trans; [exact B|]. right. field. lra.
Qed.

Theorem sampled_alike {X Z} (outs : list Z) (A : X -> Z -> R) alpha x0 x1 y n m :
  (forall x, law outs (A x)) -> (m <= S n)%nat ->
  hockey (words outs m) alpha (subsampled (shuffled (fun _ => A)) m (x0 :: repeat y n)) (subsampled (shuffled (fun _ => A)) m (x1 :: repeat y n))
  = sampled_blanket_bound outs (A y) (A x0) (A x1) alpha (S n) m.
Proof.
  intros HA HM. assert (HN : 0 < INR (S n)) by (apply lt_0_INR; lia).
  assert (HL : length (repeat y n) = n) by apply repeat_length.
  rewrite sampled_offset by now rewrite HL. unfold sampled_blanket_bound.
  rewrite (alike_offset outs A alpha x0 x1 y HA m [] n) by (apply sampled_enough; now rewrite HL).
  rewrite HL. field. lra.
Qed.

(* -------- The clones pair of a sample -------- *)

(* E = e^eps0, g = m/n, r = 1/(E+1): the trinomial pair of N + 1 = m sampled users. *)
Definition sampled_clones_P (E g : R) : nat -> nat * nat -> R :=
  trinomial_P ((g * E + (1 - g)) / (E + 1)) (1 / (E + 1)) ((1 - g) * (1 - 2 / (E + 1))) (1 / (E + 1)) (1 / (E + 1)).
Definition sampled_clones_Q (E g : R) : nat -> nat * nat -> R :=
  trinomial_Q ((g * E + (1 - g)) / (E + 1)) (1 / (E + 1)) ((1 - g) * (1 - 2 / (E + 1))) (1 / (E + 1)) (1 / (E + 1)).

Lemma sampled_clones_law E g N :
  1 <= E -> 0 <= g <= 1 -> law (counts N) (sampled_clones_P E g N) /\ law (counts N) (sampled_clones_Q E g N).
Proof.
  intros HE G. pose proof (over_E_plus E HE) as R.
  assert (R2 : 2 / (E + 1) = 2 * (1 / (E + 1))) by (field; lra).
  apply trinomial_law; try lra.
  - unfold Rdiv. apply Rmult_le_pos; [nra | apply Rlt_le, Rinv_0_lt_compat; lra].
  - apply Rmult_le_pos; lra.
  - field. lra.
Qed.

Lemma sampled_clones_value E n N alpha :
  1 <= alpha -> alpha < E -> (S N <= n)%nat ->
  sampled_profile_bound E alpha ((E - alpha) / (E + 1)) n (S N)
  = hockey (counts N) alpha (sampled_clones_P E (INR (S N) / INR n) N) (sampled_clones_Q E (INR (S N) / INR n) N).
Proof.
  intros A1 AE HN. assert (N0 : 0 < INR (S N)) by (apply lt_0_INR; lia).
  assert (M0 : 0 < INR n) by (apply lt_0_INR; lia). set (g := INR (S N) / INR n).
  assert (G0 : 0 < g) by now apply Rdiv_lt_0_compat.
  assert (D : 0 < alpha * E - 1) by nra.
  pose proof (over_E_plus E ltac:(lra)) as R. set (r := 1 / (E + 1)) in *.
  assert (RE : r * (E + 1) = 1) by (unfold r; field; lra).
  pose proof (trinomial_hockey_three ((g * E + (1 - g)) / (E + 1)) r ((1 - g) * (1 - 2 / (E + 1))) r r
    (g * (E - alpha) - (alpha - 1) * (1 - g)) (- (g * (alpha * E - 1)) - (alpha - 1) * (1 - g)) (- ((alpha - 1) * (1 - g)))
    N alpha) as T.
  unfold trinomial_hockey in T. fold r in T.
  unfold sampled_clones_P, sampled_clones_Q. fold r. rewrite T; try (unfold r; field; lra); try lra.
  unfold sampled_profile_bound. rewrite walk_mean.
  replace ((E - alpha) / (E + 1) / (E - alpha)) with r by (unfold r; field; lra).
  replace (((E - alpha) / (E + 1) + alpha - 1) / (alpha * E - 1)) with r by (unfold r; field; lra).
  rewrite (counts_mean_ext r r (S N) (fun a b => pos ((g * (E - alpha) - (alpha - 1) * (1 - g)) * INR a + _ * INR b + _))
    (fun a b => g * pos (left_out alpha n (S N) + (E - alpha) * INR a - (alpha * E - 1) * INR b))).
  - rewrite mean_scal. unfold g. field. lra.
  - intros a b _. rewrite <- pos_scal by lra. f_equal. unfold left_out.
    replace (g * (- (alpha - 1) * (INR n - INR (S N)) + (E - alpha) * INR a - (alpha * E - 1) * INR b))
      with (- (alpha - 1) * (g * INR n - g * INR (S N)) + g * (E - alpha) * INR a - g * (alpha * E - 1) * INR b) by ring.
    replace (g * INR n) with (INR (S N)) by (unfold g; field; lra). ring.
Qed.

(* The pair dominates a uniform sample of N + 1 of the users, shuffled. *)
Theorem sampled_clones_dominates {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E x0 x1 xs N :
  randomiser outs K -> ldp outs E K -> 1 <= E -> (N <= length xs)%nat ->
  let g := INR (S N) / INR (S (length xs)) in
  dominates (counts N) (sampled_clones_P E g N) (sampled_clones_Q E g N)
    (words outs (S N)) (subsampled (shuffled K) (S N) (x0 :: xs)) (subsampled (shuffled K) (S N) (x1 :: xs)).
Proof.
  intros HK HL HE HN g.
  assert (N0 : 0 < INR (S N)) by (apply lt_0_INR; lia).
  assert (M0 : 0 < INR (S (length xs))) by (apply lt_0_INR; lia).
  assert (G : 0 <= g <= 1).
  { split; [apply Rlt_le; now apply Rdiv_lt_0_compat|]. unfold g. apply (Rmult_le_reg_r (INR (S (length xs)))); [exact M0|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. apply le_INR. lia. }
  assert (ABOVE : forall y0 y1 alpha, 1 <= alpha ->
    hockey (words outs (S N)) alpha (subsampled (shuffled K) (S N) (y0 :: xs)) (subsampled (shuffled K) (S N) (y1 :: xs))
    <= hockey (counts N) alpha (sampled_clones_P E g N) (sampled_clones_Q E g N)).
  { intros y0 y1 alpha A1. destruct (Rlt_dec alpha E) as [AE|AE].
    - unfold g. rewrite <- sampled_clones_value by (auto; lia).
      rewrite <- (Rmin_left ((E - alpha) / (E + 1)) ((E - alpha) / (E + 1))) by lra.
      apply sampled_local_profile; auto; [lia|].
      intros h. apply ldp_hockey; auto; intros z Hz; now apply HL.
    - rewrite (sampled_zero outs K E) by (auto; lia || lra). apply hockey_nonneg. }
  destruct (sampled_clones_law E g N HE G) as [LP LQ].
  assert (LAW : forall y, law (words outs (S N)) (subsampled (shuffled K) (S N) (y :: xs))).
  { intros y. apply subsampled_law; [cbn; lia|]. intros s S. rewrite <- S. now apply shuffled_law. }
  apply dominates_both_directions; auto.
  intros alpha A1. unfold sampled_clones_P, sampled_clones_Q. rewrite trinomial_hockey_reverse. now apply ABOVE.
Qed.

(* Rounds, each with a sample drawn anew and its own size and E: the product of the pairs. *)
Definition sampled_clones_pair (E g : R) (N : nat) : pair_of (nat * nat) :=
  Pair (counts N) (sampled_clones_P E g N) (sampled_clones_Q E g N).

Theorem sampled_clones_rounds {X Z} (outs : list Z) (K : list (list Z) -> list Z -> X -> Z -> R) (rs : list (R * nat)) x0 x1 xs :
  Forall (fun r => 1 <= fst r /\ (snd r <= length xs)%nat) rs ->
  (forall g, randomiser outs (K g)) ->
  (forall g r, nth_error rs (length g) = Some r -> ldp outs (fst r) (K g)) ->
  let rate N := INR (S N) / INR (S (length xs)) in
  let round d g := subsampled (shuffled (K g)) (S (snd (nth (length g) rs (1, O)))) d in
  bounds (product_pair (map (fun r => sampled_clones_pair (fst r) (rate (snd r)) (snd r)) rs))
    (sequences (map (fun r => words outs (S (snd r))) rs))
    (adaptive (round (x0 :: xs)) []) (adaptive (round (x1 :: xs)) []).
Proof.
  intros HR HK HL rate round.
  assert (G : forall N, (N <= length xs)%nat -> 0 <= rate N <= 1).
  { intros N HN. assert (M0 : 0 < INR (S (length xs))) by (apply lt_0_INR; lia). unfold rate. split.
    - apply Rlt_le, Rdiv_lt_0_compat; [apply lt_0_INR; lia | exact M0].
    - apply (Rmult_le_reg_r (INR (S (length xs)))); [exact M0|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. apply le_INR. lia. }
  apply adaptive_rounds.
  - apply Forall_forall. intros p Hp. apply in_map_iff in Hp as (r & <- & I).
    rewrite Forall_forall in HR. destruct (HR r I) as [HE HN].
    destruct (sampled_clones_law (fst r) (rate (snd r)) (snd r) HE (G _ HN)) as [[MP _] [MQ _]]. now split.
  - assert (D : forall ss, Forall (fun r => 1 <= fst r /\ (snd r <= length xs)%nat) ss ->
      forall g, (forall i r, nth_error ss i = Some r -> forall g', length g' = (length g + i)%nat ->
        ldp outs (fst r) (K g') /\ nth (length g') rs (1, O) = r) ->
      dominated (map (fun r => sampled_clones_pair (fst r) (rate (snd r)) (snd r)) ss) (map (fun r => words outs (S (snd r))) ss)
        (round (x0 :: xs)) (round (x1 :: xs)) g).
    { induction ss as [|r ss IH]; intros F g H; [exact I|]. inversion F as [|? ? [HE HN] F']; subst. cbn [map dominated].
      destruct (H O r eq_refl g ltac:(lia)) as [LK Hr]. 
      assert (LAW : forall y, law (words outs (S (snd r))) (round (y :: xs) g)).
      { intros y. unfold round. rewrite Hr. apply subsampled_law; [cbn; lia|]. intros s S. rewrite <- S. now apply shuffled_law. }
      split; [apply LAW|]. split; [apply LAW|]. split.
      - unfold bounds, round. rewrite Hr. cbn [outcomes P_of Q_of sampled_clones_pair]. now apply sampled_clones_dominates.
      - intros w _. apply IH; [assumption|]. intros i r' HI g' Lg. apply (H (S i) r' HI). cbn [length] in Lg. lia. }
    apply D; [assumption|]. intros i r HI g' Lg. cbn [length] in Lg. replace (length g') with i by lia.
    split; [apply HL; now replace (length g') with i by lia | now apply nth_error_nth].
Qed.
