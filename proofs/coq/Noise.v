(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Noise that a curator adds to a number, ../additive-noise.md, Theorems 2, 4 and 6, and
 * ../binomial-noise.md. Numbers and noise are whole and not negative: the noise has
 * the masses f 0, .., f N, and what is added to it moves them. (A noise that is
 * symmetric about 0 is one of these less N/2.)
 *)
From Coq Require Import Reals List Lra Lia Arith Permutation.
From Shufbound Require Import Sum Hockey Divergence Composition Trinomial TrinomialMean Binomial KrrShuffle.
Import ListNotations.
Open Scope R_scope.

(* The law of the noise and d. *)
Definition moved (f : nat -> R) (d y : nat) : R := if (d <=? y)%nat then f (y - d)%nat else 0.

(* The outcomes of noise and a number up to c. *)
Definition range (N c : nat) : list nat := seq 0 (S (N + c)).

(* Masses on 0, .., N that are the same from above. *)
Definition noise (N : nat) (f : nat -> R) : Prop :=
  law (range N 0) f /\ (forall k, (N < k)%nat -> f k = 0) /\ (forall k, (k <= N)%nat -> f (N - k)%nat = f k).

(* f y / f (y - d) falls with y, for every d. *)
Definition log_concave (f : nat -> R) : Prop :=
  forall d x y, (x <= y)%nat -> f y * moved f d x <= f x * moved f d y.

Lemma moved_zero f y : moved f 0 y = f y.
Proof. unfold moved. cbn. now rewrite Nat.sub_0_r. Qed.

Lemma moved_moved f c d y : moved (moved f c) d y = moved f (d + c) y.
Proof.
  unfold moved. destruct (Nat.leb_spec d y) as [L|L].
  - destruct (Nat.leb_spec c (y - d)) as [L'|L'], (Nat.leb_spec (d + c) y); try lia; [|reflexivity]. f_equal. lia.
  - destruct (Nat.leb_spec (d + c) y); [lia | reflexivity].
Qed.

Lemma moved_nonneg f d y : (forall k, 0 <= f k) -> 0 <= moved f d y.
Proof. intros H. unfold moved. destruct (d <=? y)%nat; [apply H | lra]. Qed.

Lemma sum_moved_seq d n (g : nat -> R) : (forall y, (y < d)%nat -> g y = 0) -> sum (seq 0 (d + n)) g = sum (seq 0 n) (fun y => g (d + y)%nat).
Proof.
  intros H. rewrite (sum_seq_cut g d (d + n)) by lia. rewrite (sum_null (seq 0 d)) by (intros y I; apply in_seq in I; apply H; lia).
  replace (d + n - d)%nat with n by lia. rewrite Rplus_0_l. clear H. revert n. induction d as [|d IH]; intros n.
  - reflexivity.
  - rewrite (sum_seq_shift g d n). rewrite <- sum_seq_shift. rewrite sum_seq_shift.
    clear IH. revert g. induction d as [|d IH]; intros g; [reflexivity|].
    rewrite sum_seq_shift. rewrite (IH (fun k => g (S k))). reflexivity.
Qed.

Lemma sum_seq_tail n m (g : nat -> R) : (n <= m)%nat -> (forall y, (n <= y)%nat -> g y = 0) -> sum (seq 0 m) g = sum (seq 0 n) g.
Proof.
  intros H G. rewrite (sum_seq_cut g n m) by exact H. rewrite (sum_null (seq n (m - n))); [ring|]. intros y I. apply in_seq in I. apply G. lia.
Qed.

Section Noise.
  Variables (N : nat) (f : nat -> R).
  Hypothesis HF : noise N f.

  Lemma noise_nonneg k : 0 <= f k.
  Proof.
    destruct HF as ([M _] & Z & _). destruct (le_lt_dec k N) as [L|L]; [apply M; apply in_seq; lia | rewrite Z by exact L; lra].
  Qed.

  Lemma moved_above d y : (N + d < y)%nat -> moved f d y = 0.
  Proof. destruct HF as (_ & Z & _). intros H. unfold moved. destruct (Nat.leb_spec d y); [apply Z; lia | reflexivity]. Qed.

  Lemma moved_law d c : (d <= c)%nat -> law (range N c) (moved f d).
  Proof.
    intros H. pose proof HF as ([_ ONE] & Z & _). split; [intros y _; apply moved_nonneg, noise_nonneg|].
    unfold range in *. rewrite (sum_seq_tail (S (N + d))) by (try lia; intros y L; apply moved_above; lia).
    replace (S (N + d)) with (d + S N)%nat by lia. rewrite sum_moved_seq.
    - rewrite <- ONE. replace (S (N + 0)) with (S N) by lia. apply sum_ext. intros y _. unfold moved.
      destruct (Nat.leb_spec d (d + y)); [f_equal; lia | lia].
    - intros y L. unfold moved. destruct (Nat.leb_spec d y); [lia | reflexivity].
  Qed.

  (* A number that is added to both drops out. *)
  Lemma hockey_moved a b c r alpha : (a <= r)%nat -> (b <= r)%nat ->
    hockey (range N (c + r)) alpha (moved f (c + a)) (moved f (c + b)) = hockey (range N r) alpha (moved f a) (moved f b).
  Proof.
    intros Ha Hb. unfold hockey, range. replace (S (N + (c + r))) with (c + S (N + r))%nat by lia. rewrite sum_moved_seq.
    - apply sum_ext. intros y _. rewrite <- !moved_moved. unfold moved at 1 3. destruct (Nat.leb_spec c (c + y)); [|lia].
      replace (c + y - c)%nat with y by lia. reflexivity.
    - intros y L. unfold moved. destruct (Nat.leb_spec (c + a) y), (Nat.leb_spec (c + b) y); try lia. apply pos_zero. lra.
  Qed.

  Lemma hockey_range a b r r' alpha : (a <= r)%nat -> (b <= r)%nat -> (r <= r')%nat ->
    hockey (range N r') alpha (moved f a) (moved f b) = hockey (range N r) alpha (moved f a) (moved f b).
  Proof.
    intros Ha Hb H. apply sum_seq_tail; [lia|]. intros y L. rewrite !moved_above by lia. apply pos_zero. lra.
  Qed.

  (* Seen from above, both directions are the same. *)
  Lemma moved_mirror s y : (y <= N + s)%nat -> moved f s (N + s - y) = f y.
  Proof.
    destruct HF as (_ & Z & MIRROR). intros H. unfold moved. destruct (Nat.leb_spec s (N + s - y)).
    - rewrite <- (MIRROR y) by lia. f_equal. lia.
    - rewrite Z by lia. reflexivity.
  Qed.

  Lemma sum_mirror n (g : nat -> R) : sum (seq 0 (S n)) (fun y => g (n - y)%nat) = sum (seq 0 (S n)) g.
  Proof.
    revert g; induction n as [|n IH]; intros g; [reflexivity|]. rewrite sum_seq_first, (sum_seq_last (S n) g).
    rewrite <- (IH g). rewrite Nat.sub_0_r. cbn [Nat.sub]. ring.
  Qed.

  Theorem noise_symmetric s alpha : hockey (range N s) alpha f (moved f s) = hockey (range N s) alpha (moved f s) f.
  Proof.
    unfold hockey, range. rewrite <- (sum_mirror (N + s)). apply sum_ext. intros y I. apply in_seq in I.
    rewrite moved_mirror by lia. do 2 f_equal.
    replace y with (N + s - (N + s - y))%nat at 2 by lia. now rewrite moved_mirror by lia.
  Qed.

  (* -------- The worst change is the largest -------- *)

  Hypothesis HL : log_concave f.

  (* The last of 0, .., K-1 with a property. *)
  Lemma last_with (b : nat -> bool) K : exists t, (t <= K)%nat /\ (forall y, (t <= y < K)%nat -> b y = false) /\ (t = 0%nat \/ b (t - 1)%nat = true).
  Proof.
    induction K as [|K (t & T & A & B)]; [exists 0%nat; repeat split; [lia | intros; lia | now left]|].
    destruct (b K) eqn:E.
    - exists (S K). repeat split; [lia | intros; lia | right]. now replace (S K - 1)%nat with K by lia.
    - exists t. repeat split; [lia | | exact B]. intros y Y. destruct (Nat.eq_dec y K) as [->|D]; [exact E | apply A; lia].
  Qed.

  Lemma moved_head d t : sum (seq 0 t) (moved f d) = sum (seq 0 (t - d)) f.
  Proof.
    destruct (le_lt_dec d t) as [L|L].
    - replace t with (d + (t - d))%nat at 1 by lia. rewrite sum_moved_seq.
      + apply sum_ext. intros y _. unfold moved. destruct (Nat.leb_spec d (d + y)); [f_equal; lia | lia].
      + intros y Y. unfold moved. destruct (Nat.leb_spec d y); [lia | reflexivity].
    - replace (t - d)%nat with O by lia. apply sum_null. intros y I. apply in_seq in I. unfold moved.
      destruct (Nat.leb_spec d y); [lia | reflexivity].
  Qed.

  Theorem noise_grows d s alpha : (d <= s)%nat -> 0 <= alpha ->
    hockey (range N s) alpha f (moved f d) <= hockey (range N s) alpha f (moved f s).
  Proof.
    intros H A. set (K := S (N + s)).
    destruct (last_with (fun y => if Rlt_dec (alpha * moved f d y) (f y) then true else false) K) as (t & T & AFTER & LAST).
    assert (V : hockey (range N s) alpha f (moved f d) = sum (seq 0 t) (fun y => f y - alpha * moved f d y)).
    { unfold hockey, range. fold K. rewrite (sum_seq_cut _ t K) by exact T. rewrite (sum_null (seq t (K - t))).
      - rewrite Rplus_0_r. apply sum_ext. intros x I. apply in_seq in I.
        destruct LAST as [->|E]; [lia|]. destruct (Rlt_dec _ _) as [E1|] in E; [|discriminate].
        pose proof (HL d x (t - 1)%nat ltac:(lia)) as L. pose proof (noise_nonneg x) as P. pose proof (moved_nonneg f d x noise_nonneg) as Q.
        pose proof (moved_nonneg f d (t - 1)%nat noise_nonneg) as Q'.
        destruct (Rlt_dec (f x) (alpha * moved f d x)) as [C|C]; [exfalso | apply pos_id; lra].
        assert (0 < moved f d x) by (destruct Q as [Q|Q]; [exact Q | rewrite <- Q in C; lra]).
        assert (alpha * moved f d (t - 1)%nat * moved f d x < f (t - 1)%nat * moved f d x) by (apply Rmult_lt_compat_r; assumption).
        assert (f x * moved f d (t - 1)%nat <= alpha * moved f d x * moved f d (t - 1)%nat) by (apply Rmult_le_compat_r; lra). lra.
      - intros y I. apply in_seq in I. specialize (AFTER y ltac:(lia)). destruct (Rlt_dec _ _) as [|E] in AFTER; [discriminate|]. apply pos_zero. lra. }
    rewrite V. apply Rle_trans with (sum (seq 0 t) (fun y => f y - alpha * moved f s y)).
    - rewrite !sum_minus, !sum_scal, !moved_head. apply Rplus_le_compat_l, Ropp_le_contravar, Rmult_le_compat_l; [exact A|].
      rewrite (sum_seq_cut f (t - s)%nat (t - d)%nat) by lia.
      assert (0 <= sum (seq (t - s) (t - d - (t - s))%nat) f) by (apply sum_nonneg; intros; apply noise_nonneg). lra.
    - unfold hockey, range. fold K. rewrite (sum_seq_cut _ t K) by exact T.
      assert (0 <= sum (seq t (K - t)) (fun y => pos (f y - alpha * moved f s y))) by (apply sum_nonneg; intros; apply pos_nonneg).
      assert (sum (seq 0 t) (fun y => f y - alpha * moved f s y) <= sum (seq 0 t) (fun y => pos (f y - alpha * moved f s y)))
        by (apply sum_le; intros; apply pos_ge). lra.
  Qed.

  (* -------- Releases -------- *)

  (* The noise and s, the noise alone. *)
  Definition noise_pair (s : nat) : pair_of nat := Pair (range N s) (moved f s) f.

  Lemma noise_pair_laws s : law (range N s) (moved f s) /\ law (range N s) f.
  Proof.
    split; [apply moved_law; lia|]. destruct (moved_law 0 s ltac:(lia)) as [M ONE]. split; [intros y _; apply noise_nonneg|].
    rewrite <- ONE. apply sum_ext. intros y _. symmetry. apply moved_zero.
  Qed.

  Lemma noise_pair_masses s : masses (noise_pair s).
  Proof. destruct (noise_pair_laws s) as [[M _] [M' _]]. now split. Qed.

  (* Numbers up to r that differ by at most s. *)
  Definition near (s a b : nat) : Prop := (a <= b + s)%nat /\ (b <= a + s)%nat.

  Theorem additive_noise s a b r : (a <= r)%nat -> (b <= r)%nat -> near s a b -> bounds (noise_pair s) (range N r) (moved f a) (moved f b).
  Proof.
    intros Ha Hb [A B] alpha H. cbn [noise_pair outcomes P_of Q_of].
    assert (U : forall d, (d <= s)%nat -> hockey (range N d) alpha f (moved f d) <= hockey (range N s) alpha (moved f s) f).
    { intros d Hd. rewrite <- noise_symmetric. eapply Rle_trans; [|exact (noise_grows d s alpha Hd H)]. right.
      rewrite (hockey_ext (range N d) _ f _ (moved f 0) _ (fun y _ => eq_sym (moved_zero f y)) (fun y _ => eq_refl)).
      rewrite (hockey_ext (range N s) _ f _ (moved f 0) _ (fun y _ => eq_sym (moved_zero f y)) (fun y _ => eq_refl)).
      symmetry. apply hockey_range; lia. }
    destruct (le_lt_dec a b) as [L|L].
    - eapply Rle_trans; [|apply (U (b - a)%nat); lia]. right. replace r with (a + (r - a))%nat by lia.
      pose proof (hockey_moved 0 (b - a) a (r - a) alpha ltac:(lia) ltac:(lia)) as E. rewrite Nat.add_0_r in E.
      replace (a + (b - a))%nat with b in E by lia. rewrite E, (hockey_range 0 (b - a) (b - a)) by lia.
      apply hockey_ext; [intros; apply moved_zero | reflexivity].
    - eapply Rle_trans; [|apply (U (a - b)%nat); lia]. right. replace r with (b + (r - b))%nat by lia.
      pose proof (hockey_moved (a - b) 0 b (r - b) alpha ltac:(lia) ltac:(lia)) as E. rewrite Nat.add_0_r in E.
      replace (b + (a - b))%nat with a in E by lia. rewrite E, (hockey_range (a - b) 0 (a - b)) by lia. rewrite noise_symmetric.
      apply hockey_ext; [reflexivity | intros; apply moved_zero].
  Qed.

  (* The numbers s and 0 have it, in both directions. *)
  Theorem additive_noise_attained s alpha :
    hockey (range N s) alpha (moved f s) (moved f 0) = hockey (range N s) alpha (P_of (noise_pair s)) (Q_of (noise_pair s))
    /\ hockey (range N s) alpha (moved f 0) (moved f s) = hockey (range N s) alpha (P_of (noise_pair s)) (Q_of (noise_pair s)).
  Proof.
    cbn [noise_pair P_of Q_of]. split; [apply hockey_ext; [reflexivity | intros; apply moved_zero]|].
    rewrite <- noise_symmetric. apply hockey_ext; [intros; apply moved_zero | reflexivity].
  Qed.

  (* -------- Samples -------- *)

  (* The record takes part with probability q. *)
  Definition sampled_noise (q : R) (P Q : nat -> R) (y : nat) : R := q * P y + (1 - q) * Q y.

  Lemma sampled_grows {A B} (l : list A) (l' : list B) P Q P' Q' q alpha : 0 < q <= 1 -> 0 <= alpha ->
    law l P -> law l Q -> law l' P' -> law l' Q' -> dominates l' P' Q' l P Q -> dominates l' Q' P' l Q P ->
    hockey l alpha (fun y => q * P y + (1 - q) * Q y) Q <= hockey l' alpha (fun y => q * P' y + (1 - q) * Q' y) Q'
    /\ hockey l alpha Q (fun y => q * P y + (1 - q) * Q y) <= hockey l' alpha Q' (fun y => q * P' y + (1 - q) * Q' y).
  Proof.
    intros HQ HA LP LQ LP' LQ' D D'. set (c := (alpha - (1 - q)) / q). assert (QC : q * c = alpha - (1 - q)) by (unfold c; field; lra).
    assert (F : forall (X : Type) (m : list X) U V, hockey m alpha (fun y => q * U y + (1 - q) * V y) V = q * hockey m c U V).
    { intros X m U V. unfold hockey. rewrite <- sum_scal. apply sum_ext. intros y _. rewrite <- pos_scal by lra. f_equal.
      rewrite Rmult_minus_distr_l, <- Rmult_assoc, QC. ring. }
    split.
    - rewrite !F. apply Rmult_le_compat_l; [lra|]. destruct (Rle_dec 0 c) as [C|C]; [now apply D|].
      assert (G : forall (X : Type) (m : list X) U V, law m U -> law m V -> hockey m c U V = 1 - c).
      { intros X m U V [MU SU] [MV SV]. unfold hockey. rewrite (sum_ext m _ (fun y => U y - c * V y)).
        - rewrite sum_minus, sum_scal, SU, SV. ring.
        - intros y I. apply pos_id. specialize (MU y I). specialize (MV y I). assert (0 <= - c * V y) by (apply Rmult_le_pos; lra). lra. }
      rewrite !G by assumption. apply Rle_refl.
    - set (e := 1 - alpha * (1 - q)). destruct (Rlt_dec 0 e) as [P0|N0].
      + assert (E : forall (X : Type) (m : list X) U V, hockey m alpha V (fun y => q * U y + (1 - q) * V y) = e * hockey m (alpha * q / e) V U).
        { intros X m U V. unfold hockey. rewrite <- sum_scal. apply sum_ext. intros y _. rewrite <- pos_scal by lra. f_equal. unfold e. field. unfold e in P0. lra. }
        rewrite !E. apply Rmult_le_compat_l; [lra|]. apply D'. unfold Rdiv. apply Rmult_le_pos; [nra | now apply Rlt_le, Rinv_0_lt_compat].
      + assert (Z0 : hockey l alpha Q (fun y => q * P y + (1 - q) * Q y) = 0); [|rewrite Z0; apply hockey_nonneg].
        apply hockey_vanishes. intros y I. destruct LP as [MP _], LQ as [MQ _]. specialize (MP y I). specialize (MQ y I). unfold e in N0.
        assert (0 <= (alpha * (1 - q) - 1) * Q y) by (apply Rmult_le_pos; lra). assert (0 <= alpha * q * P y) by (apply Rmult_le_pos; [nra | exact MP]). lra.
  Qed.

  (*
   * Poisson samples: of the other records those of i are in the sample with probability w i. Their number is c i, with the
   * record d i. One record is added or removed.
   *)
  Theorem additive_noise_poisson {I} (labels : list I) (w : I -> R) (c d : I -> nat) q s r alpha :
    law labels w -> 0 < q <= 1 -> 0 <= alpha -> (forall i, In i labels -> (c i <= r)%nat /\ (d i <= r)%nat /\ near s (d i) (c i)) ->
    let without := fun y => sum labels (fun i => w i * moved f (c i) y) in
    let with_record := fun y => sum labels (fun i => w i * sampled_noise q (moved f (d i)) (moved f (c i)) y) in
    hockey (range N r) alpha with_record without <= hockey (range N s) alpha (sampled_noise q (moved f s) f) f
    /\ hockey (range N r) alpha without with_record <= hockey (range N s) alpha f (sampled_noise q (moved f s) f).
  Proof.
    intros [W0 W1] HQ HA HC without with_record. destruct (noise_pair_laws s) as [LS L0].
    assert (G : forall i, In i labels ->
      hockey (range N r) alpha (sampled_noise q (moved f (d i)) (moved f (c i))) (moved f (c i)) <= hockey (range N s) alpha (sampled_noise q (moved f s) f) f
      /\ hockey (range N r) alpha (moved f (c i)) (sampled_noise q (moved f (d i)) (moved f (c i))) <= hockey (range N s) alpha f (sampled_noise q (moved f s) f)).
    { intros i Hi. destruct (HC i Hi) as (C & D & NE). apply sampled_grows; auto using moved_law.
      - exact (additive_noise s (d i) (c i) r D C NE).
      - intros a Ha. rewrite noise_symmetric. apply (additive_noise s (c i) (d i) r C D); [destruct NE; now split | exact Ha]. }
    split; (eapply Rle_trans; [apply hockey_mixture; exact W0|]).
    - rewrite <- (Rmult_1_l (hockey (range N s) _ _ _)), <- W1, <- sum_scal_r. apply sum_le. intros i Hi. apply Rmult_le_compat_l; [now apply W0 | now apply G].
    - rewrite <- (Rmult_1_l (hockey (range N s) _ _ _)), <- W1, <- sum_scal_r. apply sum_le. intros i Hi. apply Rmult_le_compat_l; [now apply W0 | now apply G].
  Qed.
End Noise.

(* Releases one after the other, each with noise of its own; the numbers may depend on what was released before. *)
Theorem additive_noise_rounds (ts : list (nat * (nat -> R) * nat)) r M M' :
  Forall (fun t => noise (fst (fst t)) (snd (fst t)) /\ log_concave (snd (fst t))) ts ->
  (forall h t, nth_error ts (length h) = Some t -> exists a b, (a <= r)%nat /\ (b <= r)%nat /\ near (snd t) a b
     /\ M h = moved (snd (fst t)) a /\ M' h = moved (snd (fst t)) b) ->
  bounds (product_pair (map (fun t => noise_pair (fst (fst t)) (snd (fst t)) (snd t)) ts)) (sequences (map (fun t => range (fst (fst t)) r) ts))
    (adaptive M []) (adaptive M' []).
Proof.
  intros F H. apply adaptive_rounds.
  - apply Forall_forall. intros p I. apply in_map_iff in I as (t & <- & I). rewrite Forall_forall in F. destruct (F t I) as [HN _]. now apply noise_pair_masses.
  - assert (G : forall g, (forall i t, nth_error ts i = Some t -> forall h, length h = (length g + i)%nat ->
        exists a b, (a <= r)%nat /\ (b <= r)%nat /\ near (snd t) a b /\ M h = moved (snd (fst t)) a /\ M' h = moved (snd (fst t)) b) ->
      dominated (map (fun t => noise_pair (fst (fst t)) (snd (fst t)) (snd t)) ts) (map (fun t => range (fst (fst t)) r) ts) M M' g).
    { clear H. induction F as [|[[N f] s] ts [HN HC] F IH]; intros g H; [exact I|]. cbn [map dominated fst snd].
      destruct (H O _ eq_refl g ltac:(lia)) as (a & b & A & B & NE & -> & ->). cbn [fst snd] in *.
      split; [exact (proj1 (moved_law N f HN a r A))|]. split; [exact (proj1 (moved_law N f HN b r B))|]. split; [now apply additive_noise|].
      intros x _. apply IH. intros i t Ht h L. apply (H (S i) t Ht). cbn [length] in L. lia. }
    apply G. intros i t Ht h L. apply (H h t). now rewrite L.
Qed.
