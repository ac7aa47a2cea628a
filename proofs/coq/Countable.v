(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * From finite to countable output alphabets: the theorems of Stronger.v and
 * LocalProfile.v for randomisers whose laws live on any countable set of
 * outputs (../clones-stronger.md and ../local-profile.md, countable spaces).
 *
 * A law on a countable set is given by its masses; its sums over finite sets
 * come as close to 1 as one likes (discrete_law). The divergence is the supremum
 * over finite sets of outcomes, so the theorems bound it on every finite set of
 * words.
 *
 * Proof: of the outputs only finitely many letters occur in these words. All
 * other outputs are lumped into one more letter, after which nothing matters;
 * this is LDP again, on a finite alphabet.
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Trinomial Shuffle LocalProfile Stronger.
Import ListNotations.
Open Scope R_scope.

(* A law on a countable set of outputs. *)
Definition discrete_law {Z} (P : Z -> R) : Prop :=
  (forall z, 0 <= P z)
  /\ (forall l, NoDup l -> sum l P <= 1)
  /\ (forall eps, 0 < eps -> exists l, NoDup l /\ 1 - eps < sum l P).

(* -------- Lemmas on sums -------- *)

Lemma sum_incl {A} (l l' : list A) f :
  NoDup l -> incl l l' -> (forall x, In x l' -> 0 <= f x) -> sum l f <= sum l' f.
Proof.
  intros H; revert l'; induction H as [|x l N H IH]; intros l' I P; cbn; [now apply sum_nonneg|].
  destruct (in_split x l') as (a & b & ->); [apply I; now left|].
  rewrite sum_app. cbn.
  assert (sum l f <= sum (a ++ b) f).
  { apply IH.
    - intros y Hy. assert (J : In y (a ++ x :: b)) by (apply I; now right).
      apply in_app_or in J as [J | [-> | J]]; [apply in_or_app; auto | contradiction | apply in_or_app; auto].
    - intros y Hy. apply P. apply in_app_or in Hy as [Hy|Hy]; apply in_or_app; [now left | right; now right]. }
  rewrite sum_app in *. lra.
Qed.

Lemma NoDup_app_disjoint {A} (l r : list A) :
  NoDup l -> NoDup r -> (forall x, In x l -> ~ In x r) -> NoDup (l ++ r).
Proof.
  induction 1 as [|x l N H IH]; intros R D; cbn; [assumption|]. constructor.
  - intros J. apply in_app_or in J as [J|J]; [contradiction | now apply (D x); [left|]].
  - apply IH; [assumption|]. intros y Hy. apply D. now right.
Qed.

(* -------- A finite part of the outputs -------- *)

Section Lump.
  Context {X Z : Type} (outs : list Z) (K : list Z -> X -> Z -> R).

  (* The mass of all other outputs. *)
  Definition rest (h : list Z) (x : X) : R := 1 - sum outs (K h x).

  (* The history, unless something else has occurred. *)
  Fixpoint known (h : list (option Z)) : option (list Z) :=
    match h with
    | [] => Some []
    | Some z :: h' => option_map (cons z) (known h')
    | None :: _ => None
    end.

  (* None stands for all other outputs; after it there is only None. *)
  Definition lumped (h : list (option Z)) (x : X) (o : option Z) : R :=
    match known h, o with
    | Some g, Some z => K g x z
    | Some g, None => rest g x
    | None, Some _ => 0
    | None, None => 1
    end.

  Definition letters : list (option Z) := None :: map Some outs.

  Lemma known_some h : known (map Some h) = Some h.
  Proof. induction h as [|z h IH]; [reflexivity|]. cbn. now rewrite IH. Qed.

  Lemma run_lumped h p w : run lumped (map Some h) p (map Some w) = run K h p w.
  Proof.
    revert h w; induction p as [|x p IH]; intros h w; destruct w as [|z w]; try reflexivity. cbn.
    change (Some z :: map Some h) with (map Some (z :: h)). rewrite IH. unfold lumped. now rewrite known_some.
  Qed.

  Lemma shuffled_lumped xs w : shuffled lumped xs (map Some w) = shuffled K xs w.
  Proof. unfold shuffled. f_equal. apply sum_ext. intros p _. apply (run_lumped []). Qed.

  Lemma words_lumped n f : (forall v, 0 <= f v) -> sum (words outs n) (fun w => f (map Some w)) <= sum (words letters n) f.
  Proof.
    revert f; induction n as [|n IH]; intros f P; [cbn; lra|].
    rewrite !sum_words. unfold letters at 1. cbn [sum]. rewrite sum_map.
    assert (0 <= sum (words letters n) (fun w => f (None :: w))) by (apply sum_nonneg; auto).
    assert (sum outs (fun z => sum (words outs n) (fun w => f (map Some (z :: w))))
            <= sum outs (fun z => sum (words letters n) (fun w => f (Some z :: w)))).
    { apply sum_le. intros z _. apply (IH (fun w => f (Some z :: w))). auto. }
    lra.
  Qed.

  Lemma hockey_lumped n alpha xs ys :
    hockey (words outs n) alpha (shuffled K xs) (shuffled K ys)
    <= hockey (words letters n) alpha (shuffled lumped xs) (shuffled lumped ys).
  Proof.
    unfold hockey. eapply Rle_trans; [|apply words_lumped; intros; apply pos_nonneg].
    right. apply sum_ext. intros w _. now rewrite !shuffled_lumped.
  Qed.

  Hypotheses (HM : forall h x, mass outs (K h x)) (HS : forall h x, sum outs (K h x) <= 1).

  Lemma sum_lumped_known h g f : known h = Some g ->
    forall x, sum letters (fun o => f (lumped h x o)) = f (rest g x) + sum outs (fun z => f (K g x z)).
  Proof.
    intros HG x. unfold letters. cbn [sum]. rewrite sum_map. unfold lumped. now rewrite HG.
  Qed.

  Lemma lumped_randomiser : randomiser letters lumped.
  Proof.
    intros h x. destruct (known h) as [g|] eqn:G.
    - split.
      + intros o Ho. unfold lumped. rewrite G. destruct Ho as [<-|Ho].
        * unfold rest. specialize (HS g x). lra.
        * apply in_map_iff in Ho as (z & <- & Hz). now apply HM.
      + rewrite (sum_lumped_known h g (fun r => r) G). unfold rest.
        change (sum outs (fun z => K g x z)) with (sum outs (K g x)). ring.
    - split.
      + intros o _. unfold lumped. rewrite G. destruct o; lra.
      + unfold letters. cbn [sum]. rewrite sum_map. unfold lumped. rewrite G.
        rewrite sum_zero. ring.
  Qed.

  Lemma lumped_ldp E :
    1 <= E -> ldp outs E K -> (forall h x x', rest h x <= E * rest h x') -> ldp letters E lumped.
  Proof.
    intros HE HL HR h x x' o Ho. unfold lumped. destruct (known h) as [g|].
    - destruct Ho as [<-|Ho]; [apply HR|]. apply in_map_iff in Ho as (z & <- & Hz). now apply HL.
    - destruct o; lra.
  Qed.
End Lump.

(* -------- Countable alphabets -------- *)

Section Countable.
  Context {X Z : Type} (eq_dec : forall z z' : Z, {z = z'} + {z <> z'}) (K : list Z -> X -> Z -> R) (E : R).
  Hypothesis HK : forall h x, discrete_law (K h x).
  Hypothesis HL : forall h x x' z, K h x z <= E * K h x' z.
  Hypothesis HE : 1 <= E.

  Definition absent (outs : list Z) (z : Z) : bool := if in_dec eq_dec z outs then false else true.

  (* Finitely many outputs beyond outs have nearly all the mass beyond outs. *)
  Lemma beyond (outs : list Z) (P : Z -> R) eps :
    discrete_law P -> 0 < eps ->
    exists l, NoDup l /\ (forall z, In z l -> ~ In z outs) /\ 1 - sum outs P < sum l P + eps.
  Proof.
    intros (P0 & P1 & P2) He. destruct (P2 eps He) as (l & N & S).
    exists (filter (absent outs) l). split; [now apply NoDup_filter|]. split.
    - intros z Hz. apply filter_In in Hz as [_ Hz]. unfold absent in Hz. now destruct (in_dec eq_dec z outs).
    - rewrite (sum_split (absent outs) l) in S.
      assert (sum (filter (fun z => negb (absent outs z)) l) P <= sum outs P); [|lra].
      apply sum_incl; [now apply NoDup_filter | | auto].
      intros z Hz. apply filter_In in Hz as [_ Hz]. unfold absent in Hz. now destruct (in_dec eq_dec z outs).
  Qed.

  Lemma discrete_within (l outs : list Z) (P : Z -> R) : discrete_law P -> NoDup outs -> NoDup l -> (forall z, In z l -> ~ In z outs) ->
    sum l P <= 1 - sum outs P.
  Proof.
    intros (_ & P1 & _) NO NL D. assert (N : NoDup (outs ++ l)).
    { apply NoDup_app_disjoint; auto. intros z Hz J. now apply (D z). }
    specialize (P1 _ N). rewrite sum_app in P1. lra.
  Qed.

  Lemma rest_ldp (outs : list Z) h x x' : NoDup outs -> rest outs K h x <= E * rest outs K h x'.
  Proof.
    intros N. unfold rest. apply Rnot_lt_le. intros H.
    destruct (beyond outs (K h x) (1 - sum outs (K h x) - E * (1 - sum outs (K h x')))) as (l & NL & D & S);
      [apply HK | lra|].
    assert (sum l (K h x) <= sum l (fun z => E * K h x' z)) by (apply sum_le; auto).
    pose proof (discrete_within l outs (K h x') (HK h x') N NL D) as W. rewrite sum_scal in *.
    apply (Rmult_le_compat_l E) in W; lra.
  Qed.

  Lemma finite_part (outs : list Z) : (forall h x, mass outs (K h x)).
  Proof. intros h x z _. apply HK. Qed.

  Lemma finite_sum (outs : list Z) : NoDup outs -> forall h x, sum outs (K h x) <= 1.
  Proof. intros N h x. now apply HK. Qed.

  (* All words of L are among those over their letters. *)
  Lemma hockey_letters (L : list (list Z)) n alpha P Q :
    NoDup L -> (forall w, In w L -> length w = n) ->
    hockey L alpha P Q <= hockey (words (nodup eq_dec (concat L)) n) alpha P Q.
  Proof.
    intros N H. apply sum_incl; [assumption | | intros; apply pos_nonneg].
    intros w Hw. apply in_words. split; [now apply H|]. apply Forall_forall. intros z Hz.
    apply nodup_In, in_concat. now exists w.
  Qed.

  (* The theorem of ../clones-stronger.md on a countable set of outputs: the
     divergence on any finite set L of words of n = length xs + 1 outputs. *)
  Theorem stronger_countable x0 x1 xs (L : list (list Z)) alpha :
    0 <= alpha -> NoDup L -> (forall w, In w L -> length w = S (length xs)) ->
    hockey L alpha (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs)) <= stronger_hockey E (length xs) alpha.
  Proof.
    intros H N HW. eapply Rle_trans; [now apply (hockey_letters L (S (length xs)))|].
    set (outs := nodup eq_dec (concat L)).
    assert (NO : NoDup outs) by apply NoDup_nodup.
    eapply Rle_trans; [apply hockey_lumped|].
    apply (stronger_bound (letters outs) (lumped outs K) E); auto.
    - apply lumped_randomiser; [apply finite_part | now apply finite_sum].
    - apply lumped_ldp; auto.
      + intros h x x' z _. apply HL.
      + intros. now apply rest_ldp.
  Qed.

  (* Lumping does not raise the local profile. *)
  Lemma lumped_profile outs h x0 x1 alpha m :
    1 <= alpha -> NoDup outs ->
    (forall h l, NoDup l -> hockey l alpha (K h x0) (K h x1) <= m) ->
    hockey (letters outs) alpha (lumped outs K h x0) (lumped outs K h x1) <= m.
  Proof.
    intros A1 N HM. unfold hockey, letters. cbn [sum]. rewrite sum_map. unfold lumped.
    destruct (known h) as [g|].
    - apply Rnot_lt_le. intros H.
      set (t := pos (rest outs K g x0 - alpha * rest outs K g x1)
                + sum outs (fun z => pos (K g x0 z - alpha * K g x1 z)) - m).
      assert (T : 0 < t) by (unfold t; lra).
      destruct (beyond outs (K g x0) t (HK g x0) T) as (l & NL & D & S).
      pose proof (discrete_within l outs (K g x1) (HK g x1) N NL D) as W.
      assert (M : hockey (outs ++ l) alpha (K g x0) (K g x1) <= m).
      { apply HM, NoDup_app_disjoint; auto. intros z Hz J. now apply (D z). }
      rewrite hockey_app in M. unfold hockey in M.
      set (a := sum outs (fun z => pos (K g x0 z - alpha * K g x1 z))) in *.
      set (b := sum l (fun z => pos (K g x0 z - alpha * K g x1 z))) in *.
      assert (B : sum l (K g x0) - alpha * sum l (K g x1) <= b).
      { unfold b. rewrite <- sum_scal, <- sum_minus. apply sum_le. intros. apply pos_ge. }
      assert (B0 : 0 <= b) by (apply sum_nonneg; intros; apply pos_nonneg).
      apply (Rmult_le_compat_l alpha) in W; [|lra].
      assert (C : pos (rest outs K g x0 - alpha * rest outs K g x1) < b + t).
      { unfold pos. apply Rmax_lub_lt; unfold rest; lra. }
      unfold t in C. lra.
    - rewrite (pos_zero (1 - alpha * 1)) by lra.
      rewrite (sum_ext outs _ (fun _ => 0)) by (intros; apply pos_zero; lra). rewrite sum_zero.
      specialize (HM [] [] (NoDup_nil _)). cbn in HM. lra.
  Qed.

  (* The theorem of ../local-profile.md on a countable set of outputs. *)
  Theorem local_profile_countable x0 x1 xs (L : list (list Z)) alpha m :
    1 <= alpha -> alpha < E -> NoDup L -> (forall w, In w L -> length w = S (length xs)) ->
    (forall h l, NoDup l -> hockey l alpha (K h x0) (K h x1) <= m) ->
    hockey L alpha (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs))
    <= profile_bound E alpha (Rmin m ((E - alpha) / (E + 1))) (S (length xs)).
  Proof.
    intros A1 AE N HW HM. eapply Rle_trans; [now apply (hockey_letters L (S (length xs)))|].
    set (outs := nodup eq_dec (concat L)).
    assert (NO : NoDup outs) by apply NoDup_nodup.
    eapply Rle_trans; [apply hockey_lumped|].
    apply (local_profile_min (letters outs) (lumped outs K) E); auto.
    - apply lumped_randomiser; [apply finite_part | now apply finite_sum].
    - apply lumped_ldp; auto.
      + intros h x x' z _. apply HL.
      + intros. now apply rest_ldp.
    - intros h. now apply lumped_profile.
  Qed.
End Countable.

(* -------- An instance -------- *)

(* A user with a bit x answers k = 0, 1, 2, .. with probability 2^-(k+1), but
   exchanges the answers 0 and 1 if the bit is false: 2-LDP with infinitely many
   outputs. *)
Definition halves (h : list nat) (x : bool) (k : nat) : R :=
  (1 / 2) ^ S (match k with 0%nat => if x then 0 else 1 | 1%nat => if x then 1 else 0 | _ => k end).

Lemma halves_sum h x n : sum (seq 0 (S (S n))) (halves h x) = 1 - (1 / 2) ^ S (S n).
Proof.
  induction n as [|n IH].
  - cbn. destruct x; cbn; field.
  - rewrite sum_seq_last, IH. unfold halves. cbn. field.
Qed.

Lemma halves_nonneg h x k : 0 <= halves h x k.
Proof. apply pow_le. lra. Qed.

Example halves_discrete h x : discrete_law (halves h x).
Proof.
  split; [intros; apply halves_nonneg|]. split.
  - intros l N. apply Rle_trans with (sum (seq 0 (S (S (list_max l)))) (halves h x)).
    + apply sum_incl; [assumption | | intros; apply halves_nonneg].
      intros k Hk. apply in_seq. assert (k <= list_max l)%nat; [|lia].
      assert (F : Forall (fun j => (j <= list_max l)%nat) l) by now apply list_max_le.
      rewrite Forall_forall in F. now apply F.
    + rewrite halves_sum. assert (0 <= (1 / 2) ^ S (S (list_max l))) by (apply pow_le; lra). lra.
  - intros eps He. destruct (pow_lt_1_zero (1 / 2) ltac:(rewrite Rabs_right; lra) eps He) as (n & Hn).
    exists (seq 0 (S (S n))). split; [apply seq_NoDup|]. rewrite halves_sum.
    specialize (Hn (S (S n)) ltac:(lia)). pose proof (Rle_abs ((1 / 2) ^ S (S n))). lra.
Qed.

Example halves_ldp h x x' k : halves h x k <= 2 * halves h x' k.
Proof.
  unfold halves. destruct k as [|[|k]]; [destruct x, x'; cbn; lra | destruct x, x'; cbn; lra |].
  assert (0 <= (1 / 2) ^ S (S (S k))) by (apply pow_le; lra). lra.
Qed.
