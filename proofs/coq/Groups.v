(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Groups of users with randomisers of their own in one shuffle, ../groups.md,
 * Theorems 1, 4 and 4a: what bounds the differing user's group alone bounds all
 * (groups_apart), and what is seen of how many reports are one or two of the
 * values is a bound from below (groups_bits, groups_third).
 *)
From Coq Require Import Reals List Lra Lia Arith Permutation.
From Shufbound Require Import Sum Hockey Divergence Trinomial TrinomialMean Binomial Shuffle ShuffleCounts HonestUsers KrrShuffle Rappor BinaryReports.
Import ListNotations.
Open Scope R_scope.

(* -------- The differing user's unit alone -------- *)

Section Units.
  Context {X Z : Type} (outs : list Z) (A : nat -> X -> Z -> R).
  Hypothesis HA : forall u x, law outs (A u x).

  (* A user is a unit and a value; A u is the randomiser of unit u. *)
  Definition of_units (h : list Z) (c : nat * X) : Z -> R := A (fst c) (snd c).

  (* The values of the users of unit u. *)
  Definition own (u : nat) (ds : list (nat * X)) : list X := map snd (filter (fun c => (fst c =? u)%nat) ds).

  Theorem groups_apart u x0 x1 ds alpha D :
    hockey (words outs (S (length (own u ds)))) alpha (shuffled (fun _ => A u) (x0 :: own u ds)) (shuffled (fun _ => A u) (x1 :: own u ds)) <= D ->
    hockey (words outs (S (length ds))) alpha (shuffled of_units ((u, x0) :: ds)) (shuffled of_units ((u, x1) :: ds)) <= D.
  Proof.
    intros H. set (embed := fun c : nat * X => if (fst c =? u)%nat then inl (snd c) else inr (A (fst c) (snd c))).
    set (others := filter (fun c : nat * X => negb (fst c =? u)%nat) ds). set (bs := map (fun c => A (fst c) (snd c)) others).
    assert (P : forall x, Permutation (map embed ((u, x) :: ds)) (map inr bs ++ map inl (x :: own u ds))).
    { intros x. cbn [map]. unfold embed at 1. cbn [fst snd]. rewrite Nat.eqb_refl.
      eapply Permutation_trans; [|apply Permutation_middle]. apply perm_skip. unfold bs, others, own. clear.
      induction ds as [|[v y] ds IH]; [apply Permutation_refl|]. cbn [map filter fst]. unfold embed at 1. cbn [fst snd].
      destruct (v =? u)%nat; cbn [negb map app snd fst].
      - eapply Permutation_trans; [apply perm_skip, IH|]. apply Permutation_middle.
      - apply perm_skip, IH. }
    assert (G : forall x w, shuffled of_units ((u, x) :: ds) w = shuffled (all_kernels (fun _ => A u)) (map inr bs ++ map inl (x :: own u ds)) w).
    { intros x w. rewrite <- (shuffled_permutation _ _ _ w (P x)). apply shuffled_map. intros h [v y] z. unfold of_units, embed. cbn [fst snd].
      destruct (Nat.eqb_spec v u) as [->|_]; reflexivity. }
    assert (L : S (length ds) = (length bs + length (x0 :: own u ds))%nat).
    { pose proof (Permutation_length (P x0)) as E. rewrite app_length, !map_length in E. exact E. }
    rewrite L. rewrite (hockey_ext _ _ _ _ _ _ (fun w _ => G x0 w) (fun w _ => G x1 w)).
    apply (honest_users outs (fun K => forall h x z, K h x z = A u x z) alpha D (x0 :: own u ds) (x1 :: own u ds)); auto.
    - intros K HK. eapply Rle_trans; [|exact H]. right. cbn [length].
      apply hockey_ext; intros w _; rewrite <- (map_id (_ :: own u ds)) at 2; apply shuffled_map; intros; apply HK.
    - apply Forall_forall. intros b I. apply in_map_iff in I as (c & <- & _). apply HA.
  Qed.
End Units.

(* -------- Two counts of outputs of users with laws of their own -------- *)

(* The law of two counts: a user counts in the first, in the second or in neither. *)
Fixpoint two_counts (l : list (R * R)) (a b : nat) : R :=
  match l with
  | [] => match a, b with O, O => 1 | _, _ => 0 end
  | (r0, r1) :: l' => r0 * before (fun a => two_counts l' a b) a + r1 * before (fun b => two_counts l' a b) b + (1 - r0 - r1) * two_counts l' a b
  end.

Lemma two_counts_above l a b : (length l < a)%nat \/ (length l < b)%nat -> two_counts l a b = 0.
Proof.
  revert a b; induction l as [|[r0 r1] l IH]; intros a b H; cbn in *; [destruct a, b; trivial; lia|].
  rewrite (IH a b) by lia. rewrite (before_zero _ a) by (intros j <-; apply IH; lia).
  rewrite (before_zero _ b) by (intros j <-; apply IH; lia). lra.
Qed.

(* Users who count in either alike: how many count, and which of these in the first. *)
Lemma two_counts_alike rs a b : two_counts (map (fun r => (r, r)) rs) a b = ones (map (fun r => 2 * r) rs) (a + b)%nat * bin (1 / 2) (a + b)%nat a.
Proof.
  revert a b; induction rs as [|r rs IH]; intros a b.
  - destruct a as [|a], b as [|b]; cbn; ring.
  - cbn [map two_counts ones]. rewrite (before_ext _ (fun a => ones (map (fun r => 2 * r) rs) (a + b)%nat * bin (1 / 2) (a + b)%nat a) a) by auto.
    rewrite (before_ext _ (fun b => ones (map (fun r => 2 * r) rs) (a + b)%nat * bin (1 / 2) (a + b)%nat a) b) by auto. rewrite IH.
    destruct a as [|a], b as [|b]; cbn [before Nat.add]; rewrite ?Nat.add_0_r, ?Nat.add_succ_r.
    + ring.
    + cbn [before]. rewrite !(bin_S _ b). cbn [before]. field.
    + cbn [before]. rewrite bin_SS, (bin_above _ a (S a)) by lia. field.
    + cbn [before]. rewrite (bin_SS _ (S (a + b))). field.
Qed.

Section TwoCounts.
  Context {X Z : Type} (outs : list Z) (A : X -> Z -> R) (U V : Z -> bool).
  Hypothesis HA : forall x, law outs (A x).

  Definition count_rates (x : X) : R * R := (in_U outs A U x, in_V outs A U V x).

  Lemma two_counts_mean xs K f : (length xs < K)%nat ->
    square K (fun a b => two_counts (map count_rates xs) a b * f a b) = users_mean outs A U V xs f.
  Proof.
    revert f; induction xs as [|x xs IH]; intros f H; destruct K as [|K]; try (cbn in H; lia).
    - unfold square. cbn [map two_counts users_mean]. rewrite sum_seq_first, (sum_seq_first K).
      rewrite (sum_ext (seq 0 K) _ (fun _ => 0)) by (intros; ring).
      rewrite (sum_ext (seq 0 K) (fun k => sum _ _) (fun _ => 0)).
      2:{ intros a _. rewrite (sum_ext _ _ (fun _ => 0)) by (intros; ring). apply sum_zero. }
      rewrite !sum_zero. ring.
    - cbn [length] in H. cbn [map users_mean two_counts]. unfold count_rates at 1. set (T := two_counts (map count_rates xs)).
      assert (TA : forall b, T K b = 0) by (intros; apply two_counts_above; rewrite map_length; lia).
      assert (TB : forall a, T a K = 0) by (intros; apply two_counts_above; rewrite map_length; lia).
      rewrite (square_ext _ _ (fun a b => in_U outs A U x * (before (fun a => T a b) a * f a b)
        + (in_V outs A U V x * (before (fun b => T a b) b * f a b) + (1 - in_U outs A U x - in_V outs A U V x) * (T a b * f a b)))).
      2:{ intros a b _ _. unfold count_rates. fold T. ring. }
      rewrite !square_plus, !square_scal, square_before_a, square_before_b by assumption. rewrite !IH by lia. ring.
  Qed.

  Theorem two_counts_below x0 x1 xs alpha :
    hockey (counts (length xs)) alpha (fun c => two_counts (map count_rates (x0 :: xs)) (fst c) (snd c))
      (fun c => two_counts (map count_rates (x1 :: xs)) (fst c) (snd c))
    <= hockey (words outs (S (length xs))) alpha (shuffled (fun _ => A) (x0 :: xs)) (shuffled (fun _ => A) (x1 :: xs)).
  Proof.
    set (T := fun x a b => two_counts (map count_rates (x :: xs)) a b). set (t := fun a b => above (T x0 a b - alpha * T x1 a b)).
    assert (M : forall x, sum (counts (length xs)) (fun c => T x (fst c) (snd c) * t (fst c) (snd c))
                = sum (words outs (S (length xs))) (fun w => shuffled (fun _ => A) (x :: xs) w * tally U V t w)).
    { intros x. rewrite sum_counts. cbn [fst snd]. unfold T. rewrite (two_counts_mean (x :: xs)) by (cbn; lia).
      symmetry. apply (shuffled_tally outs A U V HA (x :: xs)). }
    change (hockey (counts (length xs)) alpha (fun c => T x0 (fst c) (snd c)) (fun c => T x1 (fst c) (snd c))
      <= hockey (words outs (S (length xs))) alpha (shuffled (fun _ => A) (x0 :: xs)) (shuffled (fun _ => A) (x1 :: xs))).
    apply Rle_trans with (sum (counts (length xs)) (fun c => T x0 (fst c) (snd c) * t (fst c) (snd c))
                          - alpha * sum (counts (length xs)) (fun c => T x1 (fst c) (snd c) * t (fst c) (snd c))).
    - rewrite <- sum_scal, <- sum_minus. right. apply sum_ext. intros c _. rewrite pos_above. unfold t. ring.
    - rewrite !M, <- sum_scal, <- sum_minus. apply sum_le. intros w _.
      eapply Rle_trans; [|apply (below_pos _ (tally U V t w)); apply tally_bound; intros; apply above_range]. lra.
  Qed.
End TwoCounts.

(* -------- Groups of k-RR from below -------- *)

(* A user: e^eps0 and k of the user's group, and a value. *)
Record krr_user := KrrUser { factor : R; values_of : nat; held : nat }.

Definition fits (m : nat) (c : krr_user) : Prop := 1 <= factor c /\ (2 <= values_of c <= m)%nat /\ (held c < values_of c)%nat.

(* k-RR on the values 0, .., k-1 of the group; never another of the values 0, .., m-1 of all groups. *)
Definition krr_report (h : list nat) (c : krr_user) (z : nat) : R :=
  if (z <? values_of c)%nat then krr (factor c) (values_of c) (held c) z else 0.

(* r of a group, 1/(e^eps0 + k - 1), and the probability of a value from 0 of a user who holds 0. *)
Definition rate_of (c : krr_user) : R := 1 / (factor c + INR (values_of c) - 1).
Definition hit (k : nat) (c : krr_user) : R := if (k <=? values_of c)%nat then rate_of c else 0.

Lemma sum_seq_below m k f : (k <= m)%nat -> sum (seq 0 m) (fun z => if (z <? k)%nat then f z else 0) = sum (seq 0 k) f.
Proof.
  intros H. rewrite (sum_seq_cut _ k m) by exact H. rewrite (sum_ext (seq 0 k) _ f).
  - rewrite (sum_null (seq k (m - k))); [ring|]. intros z I. apply in_seq in I. destruct (Nat.ltb_spec z k); [lia | reflexivity].
  - intros z I. apply in_seq in I. destruct (Nat.ltb_spec z k); [reflexivity | lia].
Qed.

Lemma krr_report_law m c h : fits m c -> law (seq 0 m) (krr_report h c).
Proof.
  intros (HE & HK & HH). destruct (krr_law (factor c) (values_of c) HE ltac:(lia) (held c)) as [M S]. split.
  - intros z _. unfold krr_report. destruct (Nat.ltb_spec z (values_of c)); [|lra]. apply M, in_seq. lia.
  - unfold krr_report. rewrite sum_seq_below by lia. exact S.
Qed.

Lemma krr_report_value m c h z : fits m c -> (z < m)%nat ->
  krr_report h c z = if (z <? values_of c)%nat then if (held c =? z)%nat then factor c * rate_of c else rate_of c else 0.
Proof.
  intros (HE & HK & HH) _. unfold krr_report, rate_of. destruct (z <? values_of c)%nat; [|reflexivity]. now rewrite krr_value by (assumption || lia).
Qed.

(* Data all of which fit. *)
Lemma all_fit {X} (P : X -> Prop) l : Forall P l -> exists l' : list {x | P x}, map (@proj1_sig _ _) l' = l.
Proof.
  induction 1 as [|x l H _ (l' & <-)]; [now exists [] | now exists (exist _ x H :: l')].
Qed.

Lemma sum_one_value m z (f : nat -> R) : (z < m)%nat -> sum (seq 0 m) (fun y => if (y =? z)%nat then f y else 0) = f z.
Proof.
  revert z f; induction m as [|m IH]; intros z f H; [lia|]. rewrite sum_seq_first. destruct z as [|z].
  - cbn [Nat.eqb]. rewrite sum_zero. ring.
  - cbn [Nat.eqb]. rewrite (IH z (fun y => f (S y))) by lia. ring.
Qed.

Section FromBelow.
  Variables (m n : nat) (E1 : R) (k : nat) (others : list krr_user).
  Hypotheses (F1 : 1 <= E1) (K2 : (2 <= k <= m)%nat) (FO : Forall (fits m) others) (HO : Forall (fun c => held c = 0%nat) others).

  (* User 1 holds the last value of the group, or the value before; all others hold 0. *)
  Let user v := KrrUser E1 k v.
  Let r1 := rate_of (user 0).

  Let A (c : {c | fits m c}) : nat -> R := krr_report [] (proj1_sig c).

  Lemma A_law c : law (seq 0 m) (A c).
  Proof. apply krr_report_law. exact (proj2_sig c). Qed.

  Let U (z : nat) := (z =? k - 1)%nat.
  Let V (z : nat) := (z =? k - 2)%nat.

  Lemma user_fits v : (v < k)%nat -> fits m (user v).
  Proof. intros H. unfold fits. cbn. auto. Qed.

  Lemma count_first c : in_U (seq 0 m) A U c = krr_report [] (proj1_sig c) (k - 1).
  Proof.
    exact (sum_one_value m (k - 1) (A c) ltac:(lia)).
  Qed.

  Lemma count_second c : in_V (seq 0 m) A U V c = krr_report [] (proj1_sig c) (k - 2).
  Proof.
    unfold in_V, U, V. rewrite (sum_ext _ _ (fun z => if (z =? k - 2)%nat then A c z else 0)); [exact (sum_one_value m (k - 2) (A c) ltac:(lia))|].
    intros z _. destruct (Nat.eqb_spec z (k - 1)), (Nat.eqb_spec z (k - 2)); trivial; lia.
  Qed.

  Lemma other_first c : fits m c -> held c = 0%nat -> krr_report [] c (k - 1) = hit k c.
  Proof.
    intros FC HC. rewrite (krr_report_value m) by (assumption || lia). rewrite HC. unfold hit.
    destruct (Nat.ltb_spec (k - 1) (values_of c)), (Nat.leb_spec k (values_of c)), (Nat.eqb_spec 0 (k - 1)); trivial; lia.
  Qed.

  Lemma others_as_sig : exists l : list {c | fits m c}, map (@proj1_sig _ _) l = others.
  Proof. exact (all_fit _ _ FO). Qed.

  Lemma as_sig l c (H : fits m c) w : map (@proj1_sig _ _) l = others -> shuffled krr_report (c :: others) w = shuffled (fun _ => A) (exist _ c H :: l) w.
  Proof.
    intros <-. symmetry. rewrite (shuffled_map (@proj1_sig _ _) krr_report (fun _ => A)); [reflexivity|]. reflexivity.
  Qed.

  Definition last_value := user (k - 1).
  Definition value_before := user (k - 2).
  Let data c := shuffled krr_report (c :: others).
  Let l := words (seq 0 m) (S (length others)).

  Theorem groups_bits alpha :
    let bits u := ones (u :: map (hit k) others) in
    hockey (seq 0 (S (S (length others)))) alpha (bits (E1 * r1)) (bits r1) <= hockey l alpha (data last_value) (data value_before)
    /\ hockey (seq 0 (S (S (length others)))) alpha (bits r1) (bits (E1 * r1)) <= hockey l alpha (data value_before) (data last_value).
  Proof.
    intros bits. destruct others_as_sig as (os & EO). assert (LO : length os = length others) by (rewrite <- EO; now rewrite map_length).
    pose proof (user_fits (k - 1) ltac:(lia)) as H0. pose proof (user_fits (k - 2) ltac:(lia)) as H1.
    assert (C : forall c (H : fits m c) u, krr_report [] c (k - 1) = u -> forall i, count_mass (seq 0 m) A U (exist _ c H :: os) i = bits u i).
    { intros c H u <- i. unfold bits. assert (G : forall xs i, count_mass (seq 0 m) A U xs i = ones (map (fun x => in_U (seq 0 m) A U x) xs) i).
      { clear. induction xs as [|x xs IH]; intros i; [reflexivity|]. cbn [count_mass map ones]. rewrite IH. f_equal. f_equal. now apply before_ext. }
      rewrite G. cbn [map]. rewrite count_first. cbn [proj1_sig]. f_equal. f_equal.
      rewrite <- EO, map_map. apply map_ext_in. intros x I. rewrite count_first. apply other_first; [exact (proj2_sig x)|].
      rewrite Forall_forall in HO. apply HO. rewrite <- EO. now apply in_map. }
    assert (V0 : krr_report [] last_value (k - 1) = E1 * r1).
    { rewrite (krr_report_value m) by (exact H0 || lia). unfold last_value, user. cbn [values_of held factor].
      rewrite (proj2 (Nat.ltb_lt (k - 1) k)), Nat.eqb_refl by lia. reflexivity. }
    assert (V1 : krr_report [] value_before (k - 1) = r1).
    { rewrite (krr_report_value m) by (exact H1 || lia). unfold value_before, user. cbn [values_of held factor].
      rewrite (proj2 (Nat.ltb_lt (k - 1) k)), (proj2 (Nat.eqb_neq (k - 2) (k - 1))) by lia. reflexivity. }
    unfold l, data. rewrite <- LO.
    rewrite (hockey_ext _ _ _ (shuffled krr_report (value_before :: others)) _ _ (fun w _ => as_sig os last_value H0 w EO)
      (fun w _ => as_sig os value_before H1 w EO)).
    rewrite (hockey_ext _ _ _ (shuffled krr_report (last_value :: others)) _ _ (fun w _ => as_sig os value_before H1 w EO)
      (fun w _ => as_sig os last_value H0 w EO)).
    rewrite (hockey_ext _ _ (bits (E1 * r1)) _ _ _ (fun i _ => eq_sym (C last_value H0 _ V0 i)) (fun i _ => eq_sym (C value_before H1 _ V1 i))).
    rewrite (hockey_ext _ _ (bits r1) _ _ _ (fun i _ => eq_sym (C value_before H1 _ V1 i)) (fun i _ => eq_sym (C last_value H0 _ V0 i))).
    split; apply (event_below (seq 0 m) A U A_law).
  Qed.

  (* No other user has k - 1 values: either value is counted, the others' alike. *)
  Theorem groups_third alpha :
    (3 <= k)%nat -> Forall (fun c => values_of c <> k - 1)%nat others ->
    let either w0 w1 := fun c : nat * nat => two_counts ((w0, w1) :: map (fun r => (r, r)) (map (hit k) others)) (fst c) (snd c) in
    hockey (counts (length others)) alpha (either (E1 * r1) r1) (either r1 (E1 * r1)) <= hockey l alpha (data last_value) (data value_before).
  Proof.
    intros K3 NO either. destruct others_as_sig as (os & EO). assert (LO : length os = length others) by (rewrite <- EO; now rewrite map_length).
    pose proof (user_fits (k - 1) ltac:(lia)) as H0. pose proof (user_fits (k - 2) ltac:(lia)) as H1.
    assert (C : forall c (H : fits m c) u v, krr_report [] c (k - 1) = u -> krr_report [] c (k - 2) = v ->
      forall i, two_counts (map (count_rates (seq 0 m) A U V) (exist _ c H :: os)) (fst i) (snd i) = either u v i).
    { intros c H u v <- <- i. unfold either. f_equal. cbn [map]. unfold count_rates at 1. rewrite count_first, count_second. cbn [proj1_sig]. f_equal.
      rewrite <- EO, !map_map. apply map_ext_in. intros x I. unfold count_rates. rewrite count_first, count_second.
      assert (FX : fits m (proj1_sig x)) by exact (proj2_sig x).
      assert (HX : held (proj1_sig x) = 0%nat) by (rewrite Forall_forall in HO; apply HO; rewrite <- EO; now apply in_map).
      assert (NX : values_of (proj1_sig x) <> (k - 1)%nat) by (rewrite Forall_forall in NO; apply NO; rewrite <- EO; now apply in_map).
      rewrite (other_first _ FX HX). f_equal. rewrite (krr_report_value m) by (exact FX || lia). rewrite HX. unfold hit.
      destruct (Nat.ltb_spec (k - 2) (values_of (proj1_sig x))), (Nat.leb_spec k (values_of (proj1_sig x))), (Nat.eqb_spec 0 (k - 2)); trivial; lia. }
    assert (B : forall v z, (v < k)%nat -> (z < k)%nat -> krr_report [] (user v) z = if (v =? z)%nat then E1 * r1 else r1).
    { intros v z Hv Hz. rewrite (krr_report_value m) by (try apply user_fits; lia). unfold user. cbn [values_of held factor].
      rewrite (proj2 (Nat.ltb_lt z k)) by lia. reflexivity. }
    unfold l, data. rewrite <- LO.
    rewrite (hockey_ext _ _ _ (shuffled krr_report (value_before :: others)) _ _ (fun w _ => as_sig os last_value H0 w EO)
      (fun w _ => as_sig os value_before H1 w EO)).
    rewrite (hockey_ext _ _ (either (E1 * r1) r1) _ (fun i => two_counts (map (count_rates (seq 0 m) A U V) (exist _ last_value H0 :: os)) (fst i) (snd i))
      (fun i => two_counts (map (count_rates (seq 0 m) A U V) (exist _ value_before H1 :: os)) (fst i) (snd i))).
    - apply (two_counts_below (seq 0 m) A U V A_law).
    - intros i _. symmetry. apply C; unfold last_value; rewrite B by lia; [now rewrite Nat.eqb_refl | now rewrite (proj2 (Nat.eqb_neq (k - 1) (k - 2))) by lia].
    - intros i _. symmetry. apply C; unfold value_before; rewrite B by lia; [now rewrite (proj2 (Nat.eqb_neq (k - 2) (k - 1))) by lia | now rewrite Nat.eqb_refl].
  Qed.
End FromBelow.
