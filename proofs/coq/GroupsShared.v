(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Groups of users with binary randomised response of their own: ../groups.md, Theorem 3a.
 * A user with more than E_t reports as with E_t, with the probability s, or else the
 * value itself, which is told; those who are left hide one another as if all had E_t.
 *)
From Coq Require Import Reals List Lra Lia Arith Permutation.
From Shufbound Require Import Sum Hockey Divergence Trinomial TrinomialMean Binomial Shuffle ShuffleCounts HonestUsers Stronger Rappor BinaryReports.
Import ListNotations.
Open Scope R_scope.

(* -------- Numbers of ones -------- *)

(* The divergence of user 1's probabilities y against z among the others us. *)
Definition told_apart (alpha y z : R) (us : list R) : R := hockey (seq 0 (S (S (length us)))) alpha (ones (y :: us)) (ones (z :: us)).

Lemma ones_swap u v us c : ones (u :: v :: us) c = ones (v :: u :: us) c.
Proof. apply ones_permutation, perm_swap. Qed.

Lemma told_apart_permutation alpha y z us vs : Permutation us vs -> told_apart alpha y z us = told_apart alpha y z vs.
Proof.
  intros P. unfold told_apart. rewrite (Permutation_length P). apply hockey_ext; intros c _; now apply ones_permutation, perm_skip.
Qed.

(* One more user hides, whatever is reported; a user whose report is known takes nothing away. *)
Lemma told_apart_more alpha y z u us : 0 <= u <= 1 -> told_apart alpha y z (u :: us) <= told_apart alpha y z us.
Proof.
  intros U. unfold told_apart. cbn [length]. set (l := seq 0 (S (S (S (length us))))).
  set (P := ones (y :: us)). set (Q := ones (z :: us)).
  rewrite (hockey_ext l _ _ _ (fun c => (1 - u) * P c + u * before P c) (fun c => (1 - u) * Q c + u * before Q c))
    by (intros c _; rewrite ones_swap; unfold P, Q; cbn [ones]; ring).
  eapply Rle_trans; [apply hockey_jointly_convex; exact U|].
  assert (Z : P (S (S (length us))) = 0 /\ Q (S (S (length us))) = 0) by (split; apply ones_above; cbn; lia). destruct Z as [ZP ZQ].
  assert (E1 : hockey l alpha P Q = hockey (seq 0 (S (S (length us)))) alpha P Q).
  { unfold hockey, l. rewrite sum_seq_last, ZP, ZQ, pos_zero by lra. ring. }
  assert (E2 : hockey l alpha (before P) (before Q) = hockey (seq 0 (S (S (length us)))) alpha P Q).
  { unfold hockey, l. rewrite sum_seq_first. cbn [before]. rewrite pos_zero by lra. ring. }
  rewrite E1, E2. lra.
Qed.

(* A report that is drawn by a coin, which is told. *)
Lemma told_apart_coin alpha y z s w d us : 0 <= s <= 1 -> d = 0 \/ d = 1 ->
  told_apart alpha y z ((1 - s) * d + s * w :: us) <= (1 - s) * told_apart alpha y z us + s * told_apart alpha y z (w :: us).
Proof.
  intros S D. assert (B : 0 <= d <= 1) by lra. unfold told_apart at 1. cbn [length].
  rewrite (hockey_ext _ _ _ _ (fun c => (1 - s) * ones (y :: d :: us) c + s * ones (y :: w :: us) c)
    (fun c => (1 - s) * ones (z :: d :: us) c + s * ones (z :: w :: us) c))
    by (intros c _; first [rewrite (ones_swap y ((1 - s) * d + s * w) us c), (ones_swap y d us c), (ones_swap y w us c)
                         | rewrite (ones_swap z ((1 - s) * d + s * w) us c), (ones_swap z d us c), (ones_swap z w us c)]; cbn [ones]; ring).
  eapply Rle_trans; [apply hockey_jointly_convex; exact S|]. apply Rplus_le_compat_r, Rmult_le_compat_l; [lra|].
  exact (told_apart_more alpha y z d us B).
Qed.

(* -------- The largest of worst data -------- *)

Section Worst.
  Variables (p q pt qt alpha : R).
  Hypotheses (Q0 : 0 <= q) (QP : q <= p) (P1 : p <= 1) (QT0 : 0 <= qt) (QPT : qt <= pt) (PT1 : pt <= 1) (A1 : 1 <= alpha).

  (* Of m others, a with pt and the rest qt, in both directions. *)
  Definition of_data (m a : nat) : R := Rmax (told_apart alpha p q (pq pt qt a (m - a))) (told_apart alpha q p (pq pt qt a (m - a))).
  Definition largest (m : nat) : R := fold_right Rmax 0 (map (of_data m) (seq 0 (S m))).

  Lemma largest_above m a : (a <= m)%nat -> of_data m a <= largest m.
  Proof.
    intros H. unfold largest. assert (I : In a (seq 0 (S m))) by (apply in_seq; lia). induction (seq 0 (S m)) as [|b l IH]; [destruct I|].
    cbn [map fold_right]. destruct I as [->|I]; [apply Rmax_l | eapply Rle_trans; [now apply IH | apply Rmax_r]].
  Qed.

  Lemma largest_least m b : 0 <= b -> (forall a, (a <= m)%nat -> of_data m a <= b) -> largest m <= b.
  Proof.
    intros B H. unfold largest. assert (G : forall l, (forall a, In a l -> (a <= m)%nat) -> fold_right Rmax 0 (map (of_data m) l) <= b).
    { induction l as [|a l IH]; intros L; [exact B|]. cbn [map fold_right]. apply Rmax_lub; [apply H, L; now left | apply IH; intros; apply L; now right]. }
    apply G. intros a I. apply in_seq in I. lia.
  Qed.

  Lemma largest_nonneg m : 0 <= largest m.
  Proof. eapply Rle_trans; [|apply (largest_above m 0); lia]. eapply Rle_trans; [|apply Rmax_l]. apply hockey_nonneg. Qed.

  Lemma largest_falls m : largest (S m) <= largest m.
  Proof.
    apply largest_least; [apply largest_nonneg|]. intros a H.
    assert (L : exists b u, (b <= m)%nat /\ 0 <= u <= 1 /\ Permutation (pq pt qt a (S m - a)) (u :: pq pt qt b (m - b))).
    { destruct a as [|a].
      - exists 0%nat, qt. repeat split; try lra; [lia|]. unfold pq. cbn [repeat app]. replace (S m - 0)%nat with (S (m - 0)) by lia. apply Permutation_refl.
      - exists a, pt. repeat split; try lra; [lia|]. unfold pq. cbn [repeat app]. replace (S m - S a)%nat with (m - a)%nat by lia. apply Permutation_refl. }
    destruct L as (b & u & B & U & P). eapply Rle_trans; [|apply (largest_above m b B)]. unfold of_data.
    rewrite !(told_apart_permutation _ _ _ _ _ P). apply Rmax_lub; (eapply Rle_trans; [now apply told_apart_more|]); [apply Rmax_l | apply Rmax_r].
  Qed.

  (* It bounds all data with such probabilities. *)
  Lemma largest_bounds y z ws : q <= y <= p -> q <= z <= p -> Forall (fun w => qt <= w <= pt) ws -> told_apart alpha y z ws <= largest (length ws).
  Proof.
    intros Y Z W. set (n := length ws). set (l := seq 0 (S (S n))).
    assert (AFF : forall t u v us x, length us = n -> In x l -> ones ((1 - t) * u + t * v :: us) x
      = (1 - t) * ones (u :: us) x + t * ones (v :: us) x) by (intros; cbn [ones]; ring).
    assert (ORD : forall us vs x, length us = S n -> In x l -> Permutation us vs -> ones us x = ones vs x) by (intros; now apply ones_permutation).
    destruct (others_extreme l ones pt qt alpha n AFF ORD QPT y z ws W 0 0 ltac:(unfold n; lia)) as (a & b & E & B).
    unfold pq at 1 2 in B. cbn [repeat app] in B. rewrite app_nil_r in B. unfold told_apart. fold n l. eapply Rle_trans; [exact B|].
    set (others := pq pt qt a b) in *.
    assert (MO : forall u, 0 <= u <= 1 -> mass l (ones (u :: others))).
    { intros u U c _. apply ones_nonneg. constructor; [exact U|]. apply Forall_app. split; apply Forall_forall; intros w I; apply repeat_spec in I; lra. }
    assert (OD : hockey l alpha (ones (p :: others)) (ones (q :: others)) <= largest n /\ hockey l alpha (ones (q :: others)) (ones (p :: others)) <= largest n).
    { assert (LO : length others = n) by (unfold others; rewrite pq_length; exact E). pose proof (largest_above n a ltac:(lia)) as L.
      unfold of_data, told_apart in L.
      replace (n - a)%nat with b in L by lia. fold others in L. rewrite LO in L. fold l in L. split; (eapply Rle_trans; [|exact L]); [apply Rmax_l | apply Rmax_r]. }
    destruct OD as [OD OD'].
    (* user 1's two probabilities *)
    destruct (mean_of_ends p q QP y) as (t & T & ->); [exact Y|]. destruct (mean_of_ends p q QP z) as (s & S1 & ->); [exact Z|].
    assert (G : forall x u, hockey l alpha (ones (u :: others)) (ones ((1 - x) * q + x * p :: others))
        = hockey l alpha (fun o => (1 - x) * ones (u :: others) o + x * ones (u :: others) o) (fun o => (1 - x) * ones (q :: others) o + x * ones (p :: others) o)).
    { intros x u. apply hockey_ext; intros o O; cbn [ones]; ring. }
    rewrite G. eapply Rle_trans; [apply hockey_jointly_convex; exact S1|].
    assert (G' : forall u, hockey l alpha (ones ((1 - t) * q + t * p :: others)) (ones (u :: others))
        <= (1 - t) * hockey l alpha (ones (q :: others)) (ones (u :: others)) + t * hockey l alpha (ones (p :: others)) (ones (u :: others))).
    { intros u. eapply Rle_trans; [|apply hockey_jointly_convex; exact T]. right. apply hockey_ext; intros o O; cbn [ones]; ring. }
    pose proof (G' q) as Gq. pose proof (G' p) as Gp. pose proof (largest_nonneg n).
    rewrite (hockey_same l alpha (ones (q :: others))), pos_zero in Gq by (try apply MO; lra).
    rewrite (hockey_same l alpha (ones (p :: others))), pos_zero in Gp by (try apply MO; lra).
    assert (B1 : hockey l alpha (ones ((1 - t) * q + t * p :: others)) (ones (q :: others)) <= largest n) by nra.
    assert (B2 : hockey l alpha (ones ((1 - t) * q + t * p :: others)) (ones (p :: others)) <= largest n) by nra.
    nra.
  Qed.

  (* -------- Coins -------- *)

  (* The mean of h (m + the number of coins that come up). *)
  Fixpoint coins_mean (h : nat -> R) (ss : list R) (m : nat) : R :=
    match ss with [] => h m | s :: ss' => (1 - s) * coins_mean h ss' m + s * coins_mean h ss' (S m) end.

  Lemma coins_permutation h ss ss' : Permutation ss ss' -> forall m, coins_mean h ss m = coins_mean h ss' m.
  Proof. induction 1 as [|s ss ss' _ IH|s s' ss|ss s1 s2 _ IH1 _ IH2]; intros m; cbn; [reflexivity | now rewrite !IH | ring | now rewrite IH1]. Qed.

  Lemma coins_fall h ss : (forall m, h (S m) <= h m) -> Forall (fun s => 0 <= s <= 1) ss -> forall m, coins_mean h ss (S m) <= coins_mean h ss m.
  Proof.
    intros H. induction 1 as [|s ss S1 _ IH]; intros m; cbn; [apply H|]. pose proof (IH m). pose proof (IH (S m)). nra.
  Qed.

  (* Another user: the report's law is (1 - s) d + s w, d a value, w between qt and pt. *)
  Definition splits (c : R * R * R) (u : R) : Prop :=
    let '(s, d, w) := c in u = (1 - s) * d + s * w /\ 0 <= s <= 1 /\ (d = 0 \/ d = 1) /\ qt <= w <= pt.

  Lemma shared_coins y z us cs : q <= y <= p -> q <= z <= p -> Forall2 splits cs us -> forall ws, Forall (fun w => qt <= w <= pt) ws ->
    told_apart alpha y z (us ++ ws) <= coins_mean largest (map (fun c => fst (fst c)) cs) (length ws).
  Proof.
    intros Y Z. induction 1 as [|[[s d] w] u cs us (EU & S1 & D & W) _ IH]; intros ws F; cbn [app map coins_mean fst]; [now apply largest_bounds|].
    rewrite EU. eapply Rle_trans; [now apply told_apart_coin|]. apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; [now apply IH|].
    assert (P : Permutation (w :: us ++ ws) (us ++ w :: ws)) by apply Permutation_middle. rewrite (told_apart_permutation _ _ _ _ _ P).
    apply (IH (w :: ws)). now constructor.
  Qed.

  (* In place of the coin of user 1 that of a user with the largest s may be left out. *)
  Lemma leave_out s1 ss smax ms : Forall (fun s => 0 <= s <= 1) (s1 :: ss) -> Forall (fun s => s <= smax) (s1 :: ss) -> Permutation (s1 :: ss) (smax :: ms) ->
    coins_mean largest ss 0 <= coins_mean largest ms 0.
  Proof.
    intros F M P. destruct (Req_dec s1 smax) as [->|NE].
    - apply Permutation_cons_inv in P. rewrite (coins_permutation largest ss ms P). apply Rle_refl.
    - assert (I : In s1 ms) by (pose proof (Permutation_in s1 P (or_introl eq_refl)) as I; destruct I as [E|I]; [now symmetry in E | exact I]).
      apply in_split in I as (r1 & r2 & ->). set (r := r1 ++ r2).
      assert (P1' : Permutation ss (smax :: r)).
      { apply (Permutation_cons_inv (a := s1)). eapply Permutation_trans; [exact P|]. unfold r. eapply Permutation_trans; [|apply perm_swap].
        apply perm_skip, Permutation_sym, Permutation_middle. }
      rewrite (coins_permutation largest ss _ P1'), (coins_permutation largest (r1 ++ s1 :: r2) (s1 :: r)) by (apply Permutation_sym, Permutation_middle).
      cbn [coins_mean].
      assert (FR : Forall (fun s => 0 <= s <= 1) r).
      { rewrite Forall_forall in *. intros s I. apply F. apply (Permutation_in s (Permutation_sym P)). right. unfold r in I.
        apply in_app_iff in I as [I|I]; apply in_app_iff; [now left | right; now right]. }
      pose proof (coins_fall largest r largest_falls FR 0). inversion M; subst. nra.
  Qed.
End Worst.

(* -------- The mechanism -------- *)

Lemma shuffled_map_on {X Y Z} (f : X -> Y) (K : list Z -> Y -> Z -> R) (L : list Z -> X -> Z -> R) xs w :
  (forall h x z, In x xs -> L h x z = K h (f x) z) -> shuffled L xs w = shuffled K (map f xs) w.
Proof.
  intros H. unfold shuffled. rewrite map_length, orders_map, sum_map. f_equal. apply sum_ext. intros p I. apply in_orders in I.
  assert (G : forall x, In x p -> In x xs) by (intros x Ix; now apply (Permutation_in x (Permutation_sym I))). clear I.
  generalize (@nil Z) as h. revert w. induction p as [|x p IH]; intros [|z w] h; try reflexivity.
  cbn [map run]. rewrite H by (apply G; now left). rewrite IH; [reflexivity|]. intros y Iy. apply G. now right.
Qed.

(* Binary randomised response of each user's own E, on the user's value. *)
Definition own_response (h : list bool) (c : R * bool) : bool -> R := binary (fst c) [] (snd c).
Definition keeps (Et Ej : R) : R := Rmin 1 ((Et + 1) / (Ej + 1)).

Theorem groups_shared E Et E1 x0 x1 others smax ms alpha :
  1 <= Et -> 1 <= E1 <= E -> 1 <= alpha -> Forall (fun c : R * bool => 1 <= fst c) others ->
  let ss := map (fun c => keeps Et (fst c)) others in
  Permutation (keeps Et E1 :: ss) (smax :: ms) -> Forall (fun s => s <= smax) (keeps Et E1 :: ss) ->
  hockey (words bits (S (length others))) alpha (shuffled own_response ((E1, x0) :: others)) (shuffled own_response ((E1, x1) :: others))
  <= coins_mean (largest (E / (E + 1)) (1 / (E + 1)) (Et / (Et + 1)) (1 / (Et + 1)) alpha) ms 0.
Proof.
  intros HT [H1 HE] HA HO ss P M. assert (H : 1 <= E) by lra.
  assert (R1 : forall e, 1 <= e -> 0 < 1 / (e + 1) <= 1 / 2 /\ e / (e + 1) = 1 - 1 / (e + 1)) by (intros e He; split;
    [now apply over_E_plus | now apply E_over_E_plus]).
  pose proof (R1 E H) as [[RE0 RE1] RE2]. pose proof (R1 Et HT) as [[RT0 RT1] RT2]. pose proof (R1 E1 H1) as [[RU0 RU1] RU2].
  assert (LE : 1 / (E + 1) <= 1 / (E1 + 1)) by (unfold Rdiv; rewrite !Rmult_1_l; apply Rinv_le_contravar; lra).
  assert (K : forall e, 1 <= e -> 0 <= keeps Et e <= 1).
  { intros e He. unfold keeps. split; [apply Rmin_glb; [lra | apply Rlt_le, Rdiv_lt_0_compat; lra] | apply Rmin_l]. }
  set (rate := fun c : R * bool => binary (fst c) [] (snd c) true).
  assert (AS : forall x w, shuffled own_response ((E1, x) :: others) w = shuffled bits_of (rate (E1, x) :: map rate others) w).
  { intros x w. change (rate (E1, x) :: map rate others) with (map rate ((E1, x) :: others)). apply shuffled_map_on. intros h c z I.
    unfold own_response, bits_of, rate.
    assert (HC : 1 <= fst c) by (destruct I as [<-|I]; [exact H1 | rewrite Forall_forall in HO; now apply HO]).
    destruct (R1 (fst c) HC) as [_ EQ]. unfold binary, bit. destruct (snd c), z; cbn; lra. }
  rewrite (hockey_ext _ _ _ _ _ _ (fun w _ => AS x0 w) (fun w _ => AS x1 w)).
  set (us := map rate others). assert (LU : length others = length us) by (unfold us; now rewrite map_length).
  assert (Y : forall x, 1 / (E + 1) <= rate (E1, x) <= E / (E + 1)) by (intros x; unfold rate, binary; cbn [fst snd]; destruct x; cbn; lra).
  pose proof (bits_exact (rate (E1, x0) :: us) (rate (E1, x1) :: us) alpha eq_refl) as BE. cbn [length] in BE. rewrite LU, BE.
  change (told_apart alpha (rate (E1, x0)) (rate (E1, x1)) us <= coins_mean (largest (E / (E + 1)) (1 / (E + 1)) (Et / (Et + 1)) (1 / (Et + 1)) alpha) ms 0).
  assert (FS : Forall (fun s => 0 <= s <= 1) (keeps Et E1 :: ss)).
  { constructor; [now apply K|]. apply Forall_forall. intros s I. apply in_map_iff in I as (c & <- & C). rewrite Forall_forall in HO. now apply K, HO. }
  eapply Rle_trans; [|apply (leave_out _ _ _ _ alpha) with (s1 := keeps Et E1) (ss := ss) (smax := smax); trivial; lra].
  set (split_of := fun c : R * bool => (keeps Et (fst c), if snd c then 1 else 0, if Rle_dec (fst c) Et then rate c else if snd c then Et /
    (Et + 1) else 1 / (Et + 1))).
  pose proof (shared_coins (E / (E + 1)) (1 / (E + 1)) (Et / (Et + 1)) (1 / (Et + 1)) alpha) as SC.
  specialize (SC ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) HA (rate (E1, x0)) (rate (E1, x1)) us (map split_of others) (Y x0) (Y x1)).
  rewrite map_map in SC. cbn [split_of fst] in SC. fold ss in SC.
  rewrite <- (app_nil_r us). apply SC; [|constructor].
  unfold us. clear - HO HT R1 K. induction HO as [|c others HC _ IH]; cbn [map]; constructor; [|exact IH].
  destruct (R1 (fst c) HC) as [[C0 C1] C2]. destruct (R1 Et HT) as [[T0 T1] T2]. unfold splits, split_of.
  split; [|split; [now apply K | split; [destruct (snd c); lra|]]].
  - unfold keeps. destruct (Rle_dec (fst c) Et) as [L|L].
    + rewrite Rmin_left; [ring|]. apply (Rmult_le_reg_r (fst c + 1)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    + rewrite Rmin_right; [|apply (Rmult_le_reg_r (fst c + 1)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra].
      unfold rate, binary. destruct (snd c); cbn; field; lra.
  - unfold rate, binary. destruct (Rle_dec (fst c) Et) as [L|L].
    + assert (1 / (Et + 1) <= 1 / (fst c + 1)) by (unfold Rdiv; rewrite !Rmult_1_l; apply Rinv_le_contravar; lra). destruct (snd c); cbn; lra.
    + destruct (snd c); lra.
Qed.
