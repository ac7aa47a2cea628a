(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * A record that takes part in some of the t releases of an epoch, at random:
 * ../additive-noise.md, Theorem 8. Whatever the releases are, given what was released
 * before, a pair that bounds each of them with the record against without it, both
 * ways, may take its place, the last release first.
 *)
From Coq Require Import Reals List Lra Lia Arith FunctionalExtensionality.
From Shufbound Require Import Sum Hockey Divergence Composition Trinomial TrinomialMean Binomial Shuffle Rappor Noise.
Import ListNotations.
Open Scope R_scope.

(* p h and q h are the laws of the next release after h (the latest first), with the record and without: the law of the
   releases in which the record takes part where b says so, after h. *)
Fixpoint taking_part {A} (p q : list A -> A -> R) (b : list bool) (h w : list A) : R :=
  match b, w with
  | [], [] => 1
  | c :: b', x :: w' => (if c then p h x else q h x) * taking_part p q b' (x :: h) w'
  | _, _ => 0
  end.

(* Without the record. *)
Definition without {A} (q : list A -> A -> R) (t : nat) : list A -> R := taking_part q q (repeat false t) [].

(* With b drawn by the law c. *)
Definition with_record {A} (p q : list A -> A -> R) (c : list bool -> R) (t : nat) (w : list A) : R :=
  sum (words bits t) (fun b => c b * taking_part p q b [] w).

(* What two laws say of any linear combination of them. *)
Lemma dominates_linear {A B} (l : list A) p q (l' : list B) P Q a b :
  law l p -> law l q -> law l' P -> law l' Q -> dominates l' P Q l p q -> dominates l' Q P l q p ->
  sum l (fun x => pos (a * p x + b * q x)) <= sum l' (fun x => pos (a * P x + b * Q x)).
Proof.
  intros [Mp Sp] [Mq Sq] [MP SP] [MQ SQ] D D'.
  assert (BOTH : 0 <= a -> 0 <= b -> sum l (fun x => pos (a * p x + b * q x)) <= sum l' (fun x => pos (a * P x + b * Q x))).
  { intros A0 B0. rewrite (sum_ext l _ (fun x => a * p x + b * q x)), (sum_ext l' _ (fun x => a * P x + b * Q x)).
    - rewrite !sum_plus, !sum_scal, Sp, Sq, SP, SQ. lra.
    - intros x I. apply pos_id. specialize (MP x I). specialize (MQ x I). nra.
    - intros x I. apply pos_id. specialize (Mp x I). specialize (Mq x I). nra. }
  destruct (Rle_dec 0 a) as [A0|A0], (Rle_dec 0 b) as [B0|B0]; auto.
  - destruct A0 as [A0|A0].
    + assert (E : forall (X : Type) (m : list X) U V, sum m (fun x => pos (a * U x + b * V x)) = a * hockey m (- b / a) U V).
      { intros X m U V. unfold hockey. rewrite <- sum_scal. apply sum_ext_all. intros x. rewrite <- pos_scal by lra. f_equal. field. lra. }
      rewrite !E. apply Rmult_le_compat_l; [lra|]. apply D. unfold Rdiv. apply Rmult_le_pos; [lra | now apply Rlt_le, Rinv_0_lt_compat].
    + subst a. apply Rle_trans with 0; [|apply sum_nonneg; intros; apply pos_nonneg]. right. apply sum_null. intros x I. apply pos_zero. specialize (Mq x I). nra.
  - destruct B0 as [B0|B0].
    + assert (E : forall (X : Type) (m : list X) U V, sum m (fun x => pos (a * U x + b * V x)) = b * hockey m (- a / b) V U).
      { intros X m U V. unfold hockey. rewrite <- sum_scal. apply sum_ext_all. intros x. rewrite <- pos_scal by lra. f_equal. field. lra. }
      rewrite !E. apply Rmult_le_compat_l; [lra|]. apply D'. unfold Rdiv. apply Rmult_le_pos; [lra | now apply Rlt_le, Rinv_0_lt_compat].
    + subst b. apply Rle_trans with 0; [|apply sum_nonneg; intros; apply pos_nonneg]. right. apply sum_null. intros x I. apply pos_zero. specialize (Mp x I). nra.
  - apply Rle_trans with 0; [|apply sum_nonneg; intros; apply pos_nonneg]. right. apply sum_null. intros x I. apply pos_zero. specialize (Mp x I).
    specialize (Mq x I). nra.
Qed.

(* Laws that do not depend on what was released. *)
Lemma taking_part_same {A} (P Q : A -> R) b : forall h g w, taking_part (fun _ => P) (fun _ => Q) b h w = taking_part (fun _ => P) (fun _ => Q) b g w.
Proof.
  induction b as [|c b IH]; intros h g [|x w]; try reflexivity. cbn [taking_part]. now rewrite (IH (x :: h) (x :: g) w).
Qed.

Lemma without_same {A} (p q : list A -> A -> R) t : forall h w, taking_part p q (repeat false t) h w = taking_part q q (repeat false t) h w.
Proof. induction t as [|t IH]; intros h [|x w]; try reflexivity. cbn [repeat taking_part]. now rewrite IH. Qed.

Section Epoch.
  Context {A B : Type} (l : list A) (p q : list A -> A -> R) (l' : list B) (P Q : B -> R).
  Hypotheses (Hp : forall h, law l (p h)) (Hq : forall h, law l (q h)) (HP : law l' P) (HQ : law l' Q).
  Hypotheses (D : forall h, dominates l' P Q l (p h) (q h)) (D' : forall h, dominates l' Q P l (q h) (p h)).

  Let p' (h : list B) := P.
  Let q' (h : list B) := Q.
  Let V m h (s : R) (c : list bool -> R) : R :=
    sum (words l m) (fun w => pos (s * taking_part q q (repeat false m) h w + sum (words bits m) (fun b => c b * taking_part p q b h w))).
  Let V' m (s : R) (c : list bool -> R) : R :=
    sum (words l' m) (fun w => pos (s * taking_part q' q' (repeat false m) [] w + sum (words bits m) (fun b => c b * taking_part p' q' b [] w))).

  Lemma epoch_above m : forall h s c, V m h s c <= V' m s c.
  Proof.
    induction m as [|m IH]; intros h s c; [unfold V, V'; cbn; apply Rle_refl|].
    apply Rle_trans with (sum l (fun x => V' m (s * q h x) (fun b => c (true :: b) * p h x + c (false :: b) * q h x))).
    - unfold V at 1. rewrite sum_words. apply sum_le. intros x _. eapply Rle_trans; [|apply (IH (x :: h))]. right.
      apply sum_ext_all. intros w. f_equal. rewrite sum_words. cbn [bits sum repeat taking_part]. rewrite Rplus_0_r, <- sum_plus. f_equal; [ring|].
      apply sum_ext_all. intros b. ring.
    - unfold V'. rewrite sum_swap, sum_words, (sum_swap l' (words l' m)). apply sum_le. intros w _.
      set (S1 := fun v => sum (words bits m) (fun b => c (v :: b) * taking_part p' q' b [] w)).
      set (a := S1 true). set (b := s * taking_part q' q' (repeat false m) [] w + S1 false).
      eapply Rle_trans; [|eapply Rle_trans; [apply (dominates_linear l (p h) (q h) l' P Q a b); auto|]].
      + right. apply sum_ext_all. intros x. unfold a, b, S1. f_equal.
        rewrite (sum_ext_all (words bits m) _ (fun b => p h x * (c (true :: b) * taking_part p' q' b [] w) + q h x * (c
          (false :: b) * taking_part p' q' b [] w))) by (intros; ring).
        rewrite sum_plus, !sum_scal. ring.
      + right. apply sum_ext_all. intros x. f_equal. rewrite sum_words. cbn [bits sum repeat taking_part]. unfold a, b, S1. rewrite Rplus_0_r.
        assert (TS : forall v b', taking_part p' q' b' [v] w = taking_part p' q' b' [] w) by (intros v b'; exact (taking_part_same P Q b' [v] [] w)).
        assert (TQ : taking_part q' q' (repeat false m) [x] w = taking_part q' q' (repeat false m) [] w) by exact (taking_part_same Q Q (repeat false m) [x] [] w).
        rewrite TQ.
        rewrite (sum_ext_all (words bits m) (fun b => c (true :: b) * (p' [] x * taking_part p' q' b [x] w))
          (fun b => P x * (c (true :: b) * taking_part p' q' b [] w)))
          by (intros b'; rewrite TS; unfold p'; ring).
        rewrite (sum_ext_all (words bits m) (fun b => c (false :: b) * (q' [] x * taking_part p' q' b [x] w))
          (fun b => Q x * (c (false :: b) * taking_part p' q' b [] w)))
          by (intros b'; rewrite TS; unfold q'; ring).
        rewrite !sum_scal. change (q' [] x) with (Q x). ring.
  Qed.

  (* Whatever law c says where the record takes part. *)
  Theorem allocation c t alpha :
    hockey (words l t) alpha (with_record p q c t) (without q t) <= hockey (words l' t) alpha (with_record p' q' c t) (without q' t)
    /\ hockey (words l t) alpha (without q t) (with_record p q c t) <= hockey (words l' t) alpha (without q' t) (with_record p' q' c t).
  Proof.
    assert (F : forall s r, sum (words l t) (fun w => pos (s * without q t w + r * with_record p q c t w))
      <= sum (words l' t) (fun w => pos (s * without q' t w + r * with_record p' q' c t w))).
    { intros s r. eapply Rle_trans; [|eapply Rle_trans; [apply (epoch_above t [] s (fun b => r * c b))|]]; right; apply sum_ext_all; intros w;
        unfold without, with_record; rewrite <- sum_scal; do 2 f_equal; apply sum_ext_all; intros; ring. }
    split.
    - eapply Rle_trans; [|eapply Rle_trans; [apply (F (- alpha) 1)|]]; right; apply sum_ext_all; intros w; f_equal; ring.
    - eapply Rle_trans; [|eapply Rle_trans; [apply (F 1 (- alpha))|]]; right; apply sum_ext_all; intros w; f_equal; ring.
  Qed.
End Epoch.

(* -------- Noise -------- *)

(* Places b with weights c: their law, and what it makes of the releases. *)
Fixpoint same_places (b b' : list bool) : bool :=
  match b, b' with [], [] => true | c :: b, c' :: b' => (Bool.eqb c c' && same_places b b')%bool | _, _ => false end.
Definition placed (L : list (R * list bool)) (b : list bool) : R := sum L (fun c => if same_places (snd c) b then fst c else 0).

Lemma sum_same_places t : forall b f, length b = t -> sum (words bits t) (fun b' => if same_places b b' then f b' else 0) = f b.
Proof.
  induction t as [|t IH]; intros [|c b] f L; try discriminate; [cbn; ring|]. injection L as L. rewrite sum_words.
  destruct c; cbn [bits sum same_places Bool.eqb andb]; rewrite (IH b (fun b' => f (_ :: b')) L), sum_zero; ring.
Qed.

Lemma with_record_placed {A} (p q : list A -> A -> R) L t w : Forall (fun c => length (snd c) = t) L ->
  with_record p q (placed L) t w = sum L (fun c => fst c * taking_part p q (snd c) [] w).
Proof.
  intros F. unfold with_record, placed.
  rewrite (sum_ext_all (words bits t) _ (fun b => sum L (fun c => if same_places (snd c) b then fst c * taking_part p q b [] w else 0))).
  2:{ intros b. rewrite <- sum_scal_r. apply sum_ext_all. intros c. destruct (same_places (snd c) b); ring. }
  rewrite sum_swap. apply sum_ext. intros c I. rewrite Forall_forall in F. rewrite (sum_same_places t (snd c)
    (fun b => fst c * taking_part p q b [] w)) by auto. reflexivity.
Qed.

(* In one of t releases, each alike, and in k of t, all sets alike. *)
Definition one_of (t : nat) : list (R * list bool) := map (fun j => (/ INR t, one_hot t j)) (seq 0 t).
Definition all_alike (k t : nat) : list (R * list bool) := map (fun b => (/ INR (fact t), b)) (orders (repeat true k ++ repeat false (t - k))).

(*
 * Where the others take part is drawn as i, with weight w i, on which it does not depend where the record does; the number of
 * the next release is c i h without the record and d i h with it, h what was released before. The pair is that of the
 * numbers 0 and s, the same law of the places (placed (one_of t), say).
 *)
Theorem noise_allocation {I} (labels : list I) (w : I -> R) N f s r (c d : I -> list nat -> nat) (places : list bool -> R) t alpha :
  noise N f -> log_concave f -> law labels w ->
  (forall i h, In i labels -> (c i h <= r)%nat /\ (d i h <= r)%nat /\ near s (d i h) (c i h)) ->
  let with_it v := sum labels (fun i => w i * with_record (fun h => moved f (d i h)) (fun h => moved f (c i h)) places t v) in
  let without_it v := sum labels (fun i => w i * without (fun h => moved f (c i h)) t v) in
  let P := with_record (fun _ => moved f s) (fun _ => f) places t in
  let Q := without (fun _ => f) t in
  hockey (words (range N r) t) alpha with_it without_it <= hockey (words (range N s) t) alpha P Q
  /\ hockey (words (range N r) t) alpha without_it with_it <= hockey (words (range N s) t) alpha Q P.
Proof.
  intros HF HL [W0 W1] HC with_it without_it P Q. destruct (noise_pair_laws N f HF s) as [LP LQ].
  assert (G : forall i, In i labels ->
    hockey (words (range N r) t) alpha (with_record (fun h => moved f (d i h)) (fun h => moved f (c i h)) places t) (without (fun h => moved f (c i h)) t)
      <= hockey (words (range N s) t) alpha P Q
    /\ hockey (words (range N r) t) alpha (without (fun h => moved f (c i h)) t) (with_record (fun h => moved f (d i h)) (fun h => moved f (c i h)) places t)
      <= hockey (words (range N s) t) alpha Q P).
  { intros i Hi. apply allocation; trivial; intros h; destruct (HC i h Hi) as (C & E & NE).
    - now apply moved_law.
    - now apply moved_law.
    - exact (additive_noise N f HF HL s (d i h) (c i h) r E C NE).
    - intros a Ha. rewrite noise_symmetric by exact HF. apply (additive_noise N f HF HL s (c i h) (d i h) r C E); [destruct NE; now split | exact Ha]. }
  split; (eapply Rle_trans; [apply hockey_mixture; exact W0|]).
  - rewrite <- (Rmult_1_l (hockey (words (range N s) t) _ _ _)), <- W1, <- sum_scal_r. apply sum_le. intros i Hi.
    apply Rmult_le_compat_l; [now apply W0 | now apply G].
  - rewrite <- (Rmult_1_l (hockey (words (range N s) t) _ _ _)), <- W1, <- sum_scal_r. apply sum_le. intros i Hi.
    apply Rmult_le_compat_l; [now apply W0 | now apply G].
Qed.

(* The numbers s where the record takes part, and 0, have it. *)
Theorem noise_allocation_attained f s places t v :
  with_record (fun _ => moved f s) (fun _ => moved f 0) places t v = with_record (fun _ => moved f s) (fun _ => f) places t v
  /\ without (fun _ => moved f 0) t v = without (fun _ => f) t v.
Proof.
  assert (E : moved f 0 = f) by (apply functional_extensionality; intros y; apply moved_zero). now rewrite E.
Qed.

Definition ones_in (b : list bool) : nat := length (filter (fun c => c) b).

(* -------- From below: the sum of numbers of the outcomes -------- *)

Section Numbers.
  Context {A : Type} (l : list A) (P Q : A -> R) (number : A -> nat) (keep : A -> bool) (n : nat).
  Hypotheses (LP : law l P) (LQ : law l Q) (N0 : (1 <= n)%nat).

  (* The masses of the numbers, modulo n, of the outcomes that are kept, with the record and without. *)
  Definition residue (v : bool) (j : nat) : R :=
    sum l (fun x => if (keep x && (number x mod n =? j)%nat)%bool then (if v then P x else Q x) else 0).

  (* Cyclic convolution with them: the sum of the numbers of the releases in which the record takes part where b says so. *)
  Definition convolved (a f : nat -> R) (r : nat) : R := sum (seq 0 n) (fun j => a j * f ((r + (n - j)) mod n)%nat).
  Fixpoint number_sum (b : list bool) : nat -> R :=
    match b with [] => fun r => if (r =? 0)%nat then 1 else 0 | v :: b' => convolved (residue v) (number_sum b') end.

  Lemma residue_nonneg v j : 0 <= residue v j.
  Proof.
    destruct LP as [MP _], LQ as [MQ _]. apply sum_nonneg. intros x I. destruct (_ && _)%bool; [destruct v; auto | lra].
  Qed.

  Lemma number_sum_nonneg b r : 0 <= number_sum b r.
  Proof.
    revert r; induction b as [|v b IH]; intros r; cbn; [destruct (r =? 0)%nat; lra|]. apply sum_nonneg. intros j _.
    apply Rmult_le_pos; [apply residue_nonneg | apply IH].
  Qed.

  Lemma number_sum_order b b' : Permutation.Permutation b b' -> forall r, number_sum b r = number_sum b' r.
  Proof.
    induction 1 as [|v b b' _ IH|v u b|b b' b'' _ IH1 _ IH2]; intros r; cbn [number_sum].
    - reflexivity.
    - apply sum_ext_all. intros j. now rewrite IH.
    - unfold convolved.
      rewrite (sum_ext_all _ _ (fun i => sum (seq 0 n) (fun j => residue u i * residue v j * number_sum b ((r + (n - i) + (n - j)) mod n)%nat))).
      2:{ intros i. rewrite <- sum_scal. apply sum_ext_all. intros j. rewrite Nat.add_mod_idemp_l by lia. ring. }
      rewrite sum_swap. apply sum_ext_all. intros i. rewrite <- sum_scal. apply sum_ext_all. intros j. rewrite Nat.add_mod_idemp_l by lia.
      replace (r + (n - j) + (n - i))%nat with (r + (n - i) + (n - j))%nat by lia. ring.
    - now rewrite IH1.
  Qed.

  Lemma places_order b : Permutation.Permutation b (repeat true (ones_in b) ++ repeat false (length b - ones_in b)).
  Proof.
    induction b as [|v b IH]; [apply Permutation.Permutation_refl|]. unfold ones_in in *. assert (L : (length (filter (fun c => c) b) <= length b)%nat).
    { clear. induction b as [|[] b IH]; cbn; lia. }
    destruct v; cbn [filter length].
    - cbn [Nat.sub repeat app]. now apply Permutation.perm_skip.
    - replace (S (length b) - length (filter (fun c => c) b))%nat with (S (length b - length (filter (fun c => c) b))) by lia.
      eapply Permutation.Permutation_trans; [apply Permutation.perm_skip, IH|]. cbn [repeat]. apply Permutation.Permutation_middle.
  Qed.

  (* The sum of the numbers of the outcomes w, if all are kept. *)
  Fixpoint total (w : list A) : option nat :=
    match w with
    | [] => Some 0%nat
    | x :: w' => if keep x then match total w' with Some y => Some ((number x + y) mod n)%nat | None => None end else None
    end.

  Definition numbered (w : list A) (r : nat) : R := match total w with Some y => if (y =? r)%nat then 1 else 0 | None => 0 end.

  Lemma total_below w y : total w = Some y -> (y < n)%nat.
  Proof.
    destruct w as [|x w]; cbn; [intros E; injection E as <-; lia|]. destruct (keep x), (total w); try discriminate.
    intros E. injection E as <-. apply Nat.mod_upper_bound. lia.
  Qed.

  Lemma modulo a : (a < 2 * n)%nat -> (a mod n = if a <? n then a else a - n)%nat.
  Proof.
    intros H. destruct (Nat.ltb_spec a n) as [L|L]; [now apply Nat.mod_small|]. symmetry. apply (Nat.mod_unique a n 1); lia.
  Qed.

  Lemma numbered_cons x w r : (r < n)%nat -> numbered (x :: w) r = if keep x then numbered w ((r + (n - number x mod n)) mod n)%nat else 0.
  Proof.
    intros H. unfold numbered. cbn [total]. destruct (keep x); [|reflexivity]. destruct (total w) as [y|] eqn:T; [|reflexivity].
    apply total_below in T. rewrite <- (Nat.add_mod_idemp_l (number x)) by lia.
    assert (J : (number x mod n < n)%nat) by (apply Nat.mod_upper_bound; lia). set (j := (number x mod n)%nat) in *.
    rewrite (modulo (j + y)), (modulo (r + (n - j))) by lia.
    destruct (Nat.ltb_spec (j + y) n), (Nat.ltb_spec (r + (n - j)) n);
      repeat match goal with |- context [(?u =? ?v)%nat] => destruct (Nat.eqb_spec u v) end; trivial; lia.
  Qed.

  Lemma numbered_kernel t : sub_markov (words l t) (seq 0 n) numbered.
  Proof.
    intros w _. unfold numbered. destruct (total w) as [y|] eqn:T.
    - split; [intros r _; destruct (y =? r)%nat; lra|]. apply total_below in T. rewrite KrrShuffle.sum_at by exact T. lra.
    - split; [intros r _; lra | rewrite sum_zero; lra].
  Qed.

  (* The law of the sum. *)
  Lemma pushed_number b : forall h r, (r < n)%nat ->
    sum (words l (length b)) (fun w => taking_part (fun _ => P) (fun _ => Q) b h w * numbered w r) = number_sum b r.
  Proof.
    induction b as [|v b IH]; intros h r H.
    - unfold numbered. cbn. destruct r; cbn; ring.
    - assert (J : forall x, (number x mod n < n)%nat) by (intros; apply Nat.mod_upper_bound; lia). set (law_of := fun x => if v then P x else Q x).
      transitivity (sum l (fun x => if keep x then law_of x * number_sum b ((r + (n - number x mod n)) mod n)%nat else 0)).
      + cbn [length]. rewrite sum_words. apply sum_ext_all. intros x.
        rewrite (sum_ext_all (words l (length b)) _ (fun w => if keep x then law_of x * (taking_part (fun _ => P)
          (fun _ => Q) b (x :: h) w * numbered w ((r + (n - number x mod n)) mod n)%nat) else 0)).
        * destruct (keep x); [|apply sum_zero]. rewrite sum_scal, IH by (apply Nat.mod_upper_bound; lia). reflexivity.
        * intros w. rewrite numbered_cons by exact H. cbn [taking_part]. unfold law_of. destruct (keep x), v; ring.
      + cbn [number_sum]. unfold convolved.
        transitivity (sum (seq 0 n) (fun j => sum l (fun x => (if (keep x && (number x mod n =? j)%nat)%bool then law_of x else 0) * number_sum b
          ((r + (n - j)) mod n)%nat))).
        * rewrite sum_swap. apply sum_ext_all. intros x. destruct (keep x); cbn [andb].
          -- rewrite (sum_ext_all (seq 0 n) _ (fun j => if (number x mod n =? j)%nat then law_of x * number_sum b ((r + (n - number x mod n)) mod n)%nat else 0)).
             ++ now rewrite KrrShuffle.sum_at.
             ++ intros j. destruct (Nat.eqb_spec (number x mod n) j) as [<-|]; ring.
          -- rewrite (sum_ext_all (seq 0 n) _ (fun _ => 0)) by (intros; ring). now rewrite sum_zero.
        * apply sum_ext_all. intros j. unfold residue. now rewrite sum_scal_r.
  Qed.

  (* All sets of k of the t releases, with any weights. *)
  Variables (places : list bool -> R) (t k : nat).
  Hypotheses (HK : (k <= t)%nat) (HL : law (words bits t) places) (ALL : forall b, In b (words bits t) -> places b <> 0 -> ones_in b = k).

  Definition sum_with : nat -> R := number_sum (repeat true k ++ repeat false (t - k)).
  Definition sum_without : nat -> R := number_sum (repeat false t).

  Theorem allocation_below :
    dominates (words l t) (with_record (fun _ => P) (fun _ => Q) places t) (without (fun _ => Q) t) (seq 0 n) sum_with sum_without.
  Proof.
    intros alpha H. eapply Rle_trans; [|apply (hockey_data_processing (words l t) (seq 0 n) numbered); apply numbered_kernel].
    right. apply hockey_ext; intros r I; apply in_seq in I; unfold push.
    - unfold with_record. rewrite (sum_ext_all (words l t) _ (fun w => sum (words bits t) (fun b => places b * (taking_part (fun _ => P)
        (fun _ => Q) b [] w * numbered w r)))).
      2:{ intros w. rewrite <- sum_scal_r. apply sum_ext_all. intros; ring. }
      rewrite sum_swap. destruct HL as [_ ONE]. rewrite <- (Rmult_1_r (sum_with r)), <- ONE, <- sum_scal. apply sum_ext. intros b B. rewrite sum_scal.
      pose proof (words_length _ _ _ B) as LB. rewrite <- LB, pushed_number by lia. destruct (Req_dec (places b) 0) as [Z|Z]; [rewrite Z; ring|].
      rewrite (number_sum_order b _ (places_order b)), (ALL b B Z), LB. unfold sum_with. ring.
    - unfold without, sum_without. rewrite <- (repeat_length false t) at 2. rewrite <- (pushed_number (repeat false t) []) by lia.
      apply sum_ext_all. intros w. now rewrite (without_same (fun _ => P) (fun _ => Q) t [] w).
  Qed.

  (* Several epochs: the product. *)
  Theorem allocation_below_epochs T :
    let epoch := Pair (words l t) (with_record (fun _ => P) (fun _ => Q) places t) (without (fun _ => Q) t) in
    let sums := Pair (seq 0 n) sum_with sum_without in
    bounds (power T epoch) (outcomes (power T sums)) (P_of (power T sums)) (Q_of (power T sums)).
  Proof.
    intros epoch sums. destruct LP as [MP _], LQ as [MQ _], HL as [MC _].
    assert (N1 : forall p b h w, (forall x, In x l -> 0 <= p x) -> Forall (fun x => In x l) w -> 0 <= taking_part (fun _ => p) (fun _ => Q) b h w).
    { intros p b. induction b as [|v b IH]; intros h [|x w] Hp F; cbn; try lra. inversion F; subst. apply Rmult_le_pos; [destruct v; auto | now apply IH]. }
    apply dominates_power.
    - split; intros w W; apply in_words in W as [_ F]; cbn [epoch P_of Q_of].
      + apply sum_nonneg. intros b B. apply Rmult_le_pos; [now apply MC | now apply N1].
      + now apply N1.
    - split; intros r _; apply number_sum_nonneg.
    - exact allocation_below.
  Qed.
End Numbers.
