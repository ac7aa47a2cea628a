(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * ../subsample.md for a mechanism on a random sample of the records: the
 * inequalities of RenyiConvex.v and RenyiSubsampling.v, of which the laws with
 * and without the record on are here the mixtures over the sample of the others.
 *
 * Poisson: each record with probability g, neighbours add or remove one record.
 * Fixed size: a uniform subset of m records, neighbours replace one.
 *)
From Coq Require Import Reals List Lra Lia Arith Psatz.
From Shufbound Require Import Sum Hockey Divergence Renyi RenyiConvex Subsampling RenyiSubsampling Subsets.
Import ListNotations.
Open Scope R_scope.

(* -------- Mixtures -------- *)

Section Mixture.
  Context {I A : Type} (labels : list I) (w : I -> R) (l : list A).
  Hypothesis W : law labels w.

  Definition mix (P : I -> A -> R) (z : A) : R := sum labels (fun i => w i * P i z).

  Lemma mix_law P : (forall i, In i labels -> law l (P i)) -> law l (mix P).
  Proof.
    intros H. destruct W as [W0 W1]. split.
    - intros z Z. apply sum_nonneg. intros i I'. apply Rmult_le_pos; [now apply W0 | now apply (H i I')].
    - unfold mix. rewrite sum_swap, <- W1. apply sum_ext. intros i I'. rewrite sum_scal.
      destruct (H i I') as [_ ->]. ring.
  Qed.

  Lemma mix_le c P Q : (forall i z, In i labels -> In z l -> P i z <= c * Q i z) -> forall z, In z l -> mix P z <= c * mix Q z.
  Proof.
    intros H z Z. unfold mix. rewrite <- sum_scal. apply sum_le. intros i I'.
    replace (c * (w i * Q i z)) with (w i * (c * Q i z)) by ring.
    apply Rmult_le_compat_l; [now apply W | now apply H].
  Qed.

  Lemma mix_continuous P Q :
    (forall i, In i labels -> law l (P i) /\ law l (Q i) /\ continuous l (P i) (Q i)) -> continuous l (mix P) (mix Q).
  Proof.
    intros H z Z E. unfold mix. rewrite <- (sum_zero labels). apply sum_ext. intros i I'.
    destruct (H i I') as (LP & [LQ _] & C). destruct W as [W0 _].
    destruct (W0 i I') as [P0|P0]; [|rewrite <- P0; ring].
    assert (T : w i * Q i z <= mix Q z).
    { apply (sum_term labels (fun i => w i * Q i z) i I'). intros j J. apply Rmult_le_pos; [now apply W0|].
      destruct (H j J) as (_ & [M _] & _). now apply M. }
    specialize (LQ z Z). assert (Q i z = 0) by nra. rewrite (C z Z) by assumption. ring.
  Qed.

  Lemma mix_moment a P Q B :
    1 <= a -> (forall i, In i labels -> law l (P i) /\ law l (Q i) /\ continuous l (P i) (Q i) /\ moment a l (P i) (Q i) <= B) ->
    moment a l (mix P) (mix Q) <= B.
  Proof.
    intros HA H. destruct W as [W0 W1]. eapply Rle_trans.
    - apply (moment_mixture a labels w l P Q HA W0). intros i I'. destruct (H i I') as ([MP _] & [MQ _] & C & _). auto.
    - rewrite <- (Rmult_1_l B), <- W1, <- sum_scal_r. apply sum_le. intros i I'.
      apply Rmult_le_compat_l; [now apply W0 | now apply (H i I')].
  Qed.

  Lemma mix_sampled g (R1 P : I -> A -> R) z : sampled g (mix R1) (mix P) z = mix (fun i => sampled g (R1 i) (P i)) z.
  Proof.
    unfold sampled, mix. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros i _. ring.
  Qed.
End Mixture.

Lemma moment_ext {A} a (l : list A) P Q P' Q' :
  (forall x, P x = P' x) -> (forall x, Q x = Q' x) -> moment a l P Q = moment a l P' Q'.
Proof. intros HP HQ. apply sum_ext. intros x _. now rewrite HP, HQ. Qed.

(* -------- Poisson sampling -------- *)

(* All sublists, and the probability of one of them. *)
Fixpoint sublists {X} (d : list X) : list (list X) :=
  match d with
  | [] => [[]]
  | y :: r => sublists r ++ map (cons y) (sublists r)
  end.

Definition chance {X} (g : R) (d s : list X) : R := g ^ length s * (1 - g) ^ (length d - length s).

(* The law of M on the records of d each of which takes part with probability g. *)
Definition poisson {X A} (M : list X -> A -> R) (g : R) (d : list X) (z : A) : R :=
  sum (sublists d) (fun s => chance g d s * M s z).

Lemma sublists_length {X} (d : list X) s : In s (sublists d) -> (length s <= length d)%nat.
Proof.
  revert s; induction d as [|y d IH]; intros s; cbn; [intros [<-|[]]; auto|].
  rewrite in_app_iff, in_map_iff. intros [H|(t & <- & H)]; apply IH in H; cbn; lia.
Qed.

Lemma poisson_cons {X A} (M : list X -> A -> R) g x d z :
  poisson M g (x :: d) z = sampled g (poisson M g d) (poisson (fun s => M (x :: s)) g d) z.
Proof.
  unfold poisson, sampled. cbn [sublists]. rewrite sum_app, sum_map, <- !sum_scal. f_equal; apply sum_ext; intros s H.
  - apply sublists_length in H. unfold chance. replace (length (x :: d) - length s)%nat with (S (length d - length s)) by (cbn [length]; lia).
    cbn [pow]. ring.
  - unfold chance. cbn [length Nat.sub pow]. ring.
Qed.

Lemma chance_law {X} g (d : list X) : 0 <= g <= 1 -> law (sublists d) (chance g d).
Proof.
  intros G. split.
  - intros s _. unfold chance. apply Rmult_le_pos; apply pow_le; lra.
  - induction d as [|x d IH]; [unfold chance; cbn; lra|].
    pose proof (poisson_cons (fun (_ : list X) (_ : unit) => 1) g x d tt) as P. unfold poisson, sampled in P.
    transitivity (sum (sublists (x :: d)) (fun s => chance g (x :: d) s * 1)); [apply sum_ext; intros; ring|].
    rewrite P. rewrite (sum_ext (sublists d) (fun s => chance g d s * 1) (chance g d)) by (intros; ring). rewrite IH. ring.
Qed.

Section Poisson.
  Context {X A : Type} (M : list X -> A -> R) (l : list A) (g : R) (x : X) (d : list X) (B : nat -> R) (n : nat).
  Hypothesis rate : 0 <= g <= 1.
  Hypothesis order : (2 <= n)%nat.
  Hypothesis laws : forall s, law l (M s).
  (* The base curve, for samples with and without x, both directions. *)
  Hypothesis absolutely : forall s, continuous l (M (x :: s)) (M s) /\ continuous l (M s) (M (x :: s)).
  Hypothesis curve : forall s j, (2 <= j <= n)%nat ->
    moment (INR j) l (M (x :: s)) (M s) <= B j /\ moment (INR j) l (M s) (M (x :: s)) <= B j.

  Let p := poisson M g d.
  Let q := poisson (fun s => M (x :: s)) g d.

  Lemma poisson_laws : law l p /\ law l q /\ continuous l q p /\ continuous l p q.
  Proof.
    pose proof (chance_law g d rate) as W.
    split; [apply (mix_law _ _ l W); auto|]. split; [apply (mix_law _ _ l W (fun s => M (x :: s))); auto|]. split.
    - apply (mix_continuous _ _ l W (fun s => M (x :: s)) M). intros s _.
      split; [apply laws|]. split; [apply laws | apply absolutely].
    - apply (mix_continuous _ _ l W M (fun s => M (x :: s))). intros s _.
      split; [apply laws|]. split; [apply laws | apply absolutely].
  Qed.

  Lemma poisson_moments j : (2 <= j <= n)%nat -> moment (INR j) l q p <= B j /\ moment (INR j) l p q <= B j.
  Proof.
    intros J. assert (J1 : 1 <= INR j) by (change 1 with (INR 1); apply le_INR; lia).
    pose proof (chance_law g d rate) as W. split.
    - apply (mix_moment _ _ l W (INR j) (fun s => M (x :: s)) M); [exact J1|]. intros s _.
      split; [apply laws|]. split; [apply laws|]. split; [apply absolutely | now apply curve].
    - apply (mix_moment _ _ l W (INR j) M (fun s => M (x :: s))); [exact J1|]. intros s _.
      split; [apply laws|]. split; [apply laws|]. split; [apply absolutely | now apply curve].
  Qed.

  (* With the record against without it. *)
  Theorem poisson_added :
    moment (INR n) l (poisson M g (x :: d)) (poisson M g d)
    <= Rmin (sum (seq 0 (S n)) (fun j => C n j * (1 - g) ^ (n - j) * g ^ j * match j with O => 1 | 1%nat => 1 | _ => B j end))
         (1 - g + g * B n).
  Proof.
    destruct poisson_laws as (LP & LQ & CQ & CP).
    rewrite (moment_ext _ _ _ _ (sampled g p q) p) by (auto; intros; apply poisson_cons).
    apply Rmin_glb.
    - apply (poisson_forward_bound l p q g n (fun j => match j with O => 1 | 1%nat => 1 | _ => B j end));
        [exact rate | lia | apply LP | apply LQ | exact CQ |].
      intros [|[|j]] J.
      + right. destruct LP as [_ <-]. apply sum_ext. intros z _. cbn. ring.
      + right. destruct LQ as [_ <-]. apply sum_ext. intros z Z. destruct LP as [MP _].
        destruct (MP z Z) as [P0|P0]; [field; lra | rewrite <- P0, (CQ z Z) by auto; ring].
      + rewrite <- moment_nat by (lia || apply LP || apply LQ). apply poisson_moments. lia.
    - assert (N1 : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; lia).
      rewrite (moment_ext _ _ _ p (sampled g p q) (sampled g p p)) by (auto; intros; unfold sampled; ring).
      eapply Rle_trans; [apply moment_sampled; auto; apply LP || apply LQ|].
      destruct (poisson_moments n) as [U _]; [lia|]. nra.
  Qed.

  (* Without it against with it; no ratio M (x :: s) / M s is below 1 - u = e^-L. *)
  Theorem poisson_removed u :
    0 < u < 1 -> (forall s z, In z l -> (1 - u) * M s z <= M (x :: s) z) ->
    moment (INR n) l (poisson M g d) (poisson M g (x :: d))
    <= Rmin (1 + (B 2%nat - 1) * ((/ (1 - g * u) ^ (n - 1) - 1 - INR (n - 1) * (g * u)) / u ^ 2)) (1 - g + g * B n).
  Proof.
    intros U HU. destruct poisson_laws as (LP & LQ & CQ & CP).
    rewrite (moment_ext _ _ _ _ p (sampled g p q)) by (auto; intros; apply poisson_cons).
    assert (N1 : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; lia).
    apply Rmin_glb.
    - assert (EN : n = S (n - 1)) by lia. set (N := (n - 1)%nat) in *. rewrite EN.
      eapply Rle_trans; [apply (poisson_backward_bound l p q g u N (B 2%nat)); auto; try lra|].
      + intros z Z. pose proof (chance_law g d rate) as W.
        pose proof (mix_le _ _ l W (/ (1 - u)) M (fun s => M (x :: s))) as ML.
        assert (I0 : 0 < / (1 - u)) by (apply Rinv_0_lt_compat; lra).
        specialize (ML (fun s z _ Z => ltac:(apply (Rmult_le_reg_l (1 - u)); [lra|]; rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra; now apply HU)) z Z).
        apply (Rmult_le_compat_l (1 - u)) in ML; [|lra]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l in ML by lra. exact ML.
      + change 2 with (INR 2). apply poisson_moments. lia.
      + assert (V : 0 < 1 + - (g * u)) by nra. pose proof (remainder_spec N (- (g * u)) V) as RS.
        replace (1 + - (g * u)) with (1 - g * u) in RS by ring.
        right. f_equal. rewrite (Rmult_comm _ (B 2%nat - 1)). f_equal.
        replace (/ (1 - g * u) ^ N - 1 - INR N * (g * u)) with ((- (g * u)) ^ 2 * remainder N (- (g * u))) by lra.
        field. lra.
    - rewrite (moment_ext _ _ p _ (sampled g p p) (sampled g p q)) by (auto; intros; unfold sampled; ring).
      eapply Rle_trans; [apply moment_sampled; auto; apply LP || apply LQ|].
      destruct (poisson_moments n) as [_ V]; [lia|]. nra.
  Qed.
End Poisson.

(* -------- A subset of fixed size -------- *)

Section FixedSize.
  Context {X A : Type} (M : list X -> A -> R) (l : list A) (x x' : X) (others : list X) (m n : nat).
  Hypothesis size : (1 <= m <= S (length others))%nat.
  Hypothesis order : (2 <= n)%nat.
  Hypothesis laws : forall s, length s = m -> law l (M s).
  Hypothesis absolutely : forall s s', length s = m -> length s' = m -> neighbours s s' -> continuous l (M s) (M s').

  Let g := INR m / INR (S (length others)).
  Let P := subsampled M m (x :: others).
  Let Q := subsampled M m (x' :: others).

  Lemma fixed_rate : 0 < g <= 1.
  Proof.
    assert (N1 : 0 < INR (S (length others))) by (apply lt_0_INR; lia).
    assert (K1 : 0 < INR m) by (apply lt_0_INR; lia).
    split; [now apply Rdiv_lt_0_compat|]. apply Rmult_le_reg_r with (INR (S (length others))); [exact N1|].
    unfold g, Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. apply le_INR. lia.
  Qed.

  (* The three laws of subsample.md; any two of them are mixtures of neighbours. *)
  Lemma fixed_laws :
    exists p0 p1 q1,
      (forall z, P z = sampled g p0 p1 z) /\ (forall z, Q z = sampled g p0 q1 z)
      /\ law l p0 /\ law l p1 /\ law l q1
      /\ forall (R : (A -> R) -> (A -> R) -> Prop),
           (forall I (labels : list I) w U V, law labels w ->
              (forall i, In i labels -> exists s s', length s = m /\ length s' = m /\ neighbours s s' /\ U i = M s /\ V i = M s') ->
              R (mix labels w U) (mix labels w V)) ->
           R p1 p0 /\ R q1 p0 /\ R p1 q1 /\ R q1 p1.
  Proof.
    destruct (subsampled_mixture M m x others size) as (samples & w & W & IS & MIX).
    assert (LAW : forall y, law l (mix samples w (fun i => M (y :: snd i)))).
    { intros y. apply mix_law; [exact W|]. intros [t s] I. apply laws. cbn. now apply (IS t s I). }
    exists (mix samples w (fun i => M (fst i))), (mix samples w (fun i => M (x :: snd i))), (mix samples w (fun i => M (x' :: snd i))).
    split; [intros z; rewrite mix_sampled; apply MIX|]. split; [intros z; rewrite mix_sampled; apply MIX|].
    split; [apply mix_law; [exact W|]; intros [t s] I; apply laws; now apply (IS t s I)|].
    split; [apply LAW|]. split; [apply LAW|].
    intros R H. repeat split; apply H; auto; intros [t s] I; destruct (IS t s I) as (L & LS & NB); cbn [fst snd].
    - exists (x :: s), t. repeat split; auto. apply NB.
    - exists (x' :: s), t. repeat split; auto. apply NB.
    - exists (x :: s), (x' :: s). repeat split; auto. now exists s, x, x'.
    - exists (x' :: s), (x :: s). repeat split; auto. now exists s, x', x.
  Qed.

  Lemma fixed_continuous : forall I (labels : list I) w U V, law labels w ->
    (forall i, In i labels -> exists s s', length s = m /\ length s' = m /\ neighbours s s' /\ U i = M s /\ V i = M s') ->
    continuous l (mix labels w U) (mix labels w V).
  Proof.
    intros I labels w U V W H. apply mix_continuous; [exact W|]. intros i I'.
    destruct (H i I') as (s & s' & L & L' & N & -> & ->). split; [now apply laws|]. split; [now apply laws | now apply absolutely].
  Qed.

  (* By convexity; this holds for every bound below. *)
  Theorem convex_subset B :
    (forall s s', length s = m -> length s' = m -> neighbours s s' -> moment (INR n) l (M s) (M s') <= B) ->
    moment (INR n) l P Q <= 1 - g + g * B.
  Proof.
    intros HB. destruct fixed_laws as (p0 & p1 & q1 & HP & HQ & L0 & L1 & L1' & ALL). pose proof fixed_rate as G.
    destruct (ALL (continuous l) fixed_continuous) as (C10 & Q10 & C11 & Q11).
    assert (N1 : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; lia).
    assert (D : moment (INR n) l p1 q1 <= B).
    { apply (ALL (fun U V => moment (INR n) l U V <= B)). intros I labels w U V W H. apply mix_moment; auto. intros i I'.
      destruct (H i I') as (s & s' & Ls & Ls' & N & -> & ->). auto 8. }
    rewrite (moment_ext _ _ _ _ _ _ HP HQ).
    eapply Rle_trans; [apply moment_sampled; auto; try lra; apply L1 || apply L1'|]. nra.
  Qed.

  (* Wang, Balle and Kasiviswanathan's bound; E = e^L bounds the ratios. *)
  Theorem wang19_subset B E :
    1 <= E ->
    (forall s s' z, length s = m -> length s' = m -> neighbours s s' -> In z l -> M s z <= E * M s' z) ->
    (forall s s' j, length s = m -> length s' = m -> neighbours s s' -> (2 <= j <= n)%nat -> moment (INR j) l (M s) (M s') <= B j) ->
    moment (INR n) l P Q <= 1 + from_two n (fun j => C n j * g ^ j * wang_term B E j).
  Proof.
    intros HE HR HB. destruct fixed_laws as (p0 & p1 & q1 & HP & HQ & L0 & L1 & L1' & ALL). pose proof fixed_rate as G.
    destruct (ALL (continuous l) fixed_continuous) as (C10 & Q10 & C11 & Q11).
    assert (MOM : forall j, (2 <= j <= n)%nat ->
      moment (INR j) l p1 p0 <= B j /\ moment (INR j) l q1 p0 <= B j /\ moment (INR j) l p1 q1 <= B j).
    { intros j J. assert (J1 : 1 <= INR j) by (change 1 with (INR 1); apply le_INR; lia).
      destruct (ALL (fun U V => moment (INR j) l U V <= B j)) as (D1 & D2 & D3 & _); [|tauto].
      intros I labels w U V W H. apply mix_moment; auto. intros i I'.
      destruct (H i I') as (s & s' & Ls & Ls' & N & -> & ->). auto 8. }
    assert (RAT : forall z, In z l -> p1 z <= E * q1 z /\ q1 z <= E * p1 z).
    { intros z Z. destruct (ALL (fun U V => U z <= E * V z)) as (_ & _ & D3 & D4); [|tauto].
      intros I labels w U V W H. apply (mix_le _ _ l W E U V); auto. intros i z' I' Z'.
      destruct (H i I') as (s & s' & Ls & Ls' & N & -> & ->). auto. }
    rewrite (moment_ext _ _ _ _ _ _ HP HQ). apply wang19; auto; try lra; lia.
  Qed.

  (* A dominated base: the pair (A0, B0), whose ratio is at most E and whose moments are at most B. *)
  Theorem dominated_subset {Y} (l' : list Y) A0 B0 B E :
    law l' A0 -> law l' B0 -> continuous l' A0 B0 -> 1 <= E -> (forall y, In y l' -> A0 y <= E * B0 y) ->
    (forall j, (2 <= j <= n)%nat -> moment (INR j) l' A0 B0 <= B j) ->
    (forall s s' t, length s = m -> length s' = m -> neighbours s s' -> 1 <= t -> hockey l t (M s) (M s') <= hockey l' t A0 B0) ->
    moment (INR n) l P Q
    <= 1 + INR n * (INR n - 1) * g ^ 2 * (B 2%nat - 1)
       + sum (seq 3 (n - 2)) (fun j => C n j * g ^ j * Rmin (B j - 1) ((E - 1) ^ (j - 2) * (B 2%nat - 1))).
  Proof.
    intros LA LB CAB HE HR HB HD. destruct fixed_laws as (p0 & p1 & q1 & HP & HQ & L0 & L1 & L1' & ALL). pose proof fixed_rate as G.
    destruct (ALL (continuous l) fixed_continuous) as (C10 & Q10 & C11 & Q11).
    assert (DOM : forall t, 1 <= t -> hockey l t p1 p0 <= hockey l' t A0 B0 /\ hockey l t q1 p0 <= hockey l' t A0 B0
                             /\ hockey l t p1 q1 <= hockey l' t A0 B0 /\ hockey l t q1 p1 <= hockey l' t A0 B0).
    { intros t T. apply (ALL (fun U V => hockey l t U V <= hockey l' t A0 B0)).
      intros I labels w U V [W0 W1] H. eapply Rle_trans; [apply (hockey_mixture l labels w U V t W0)|].
      rewrite <- (Rmult_1_l (hockey l' t A0 B0)), <- W1, <- sum_scal_r. apply sum_le. intros i I'.
      apply Rmult_le_compat_l; [now apply W0|]. destruct (H i I') as (s & s' & Ls & Ls' & N & -> & ->). auto. }
    assert (CPQ : continuous l (sampled g p0 p1) (sampled g p0 q1) /\ continuous l (sampled g p0 q1) (sampled g p0 p1)).
    { destruct L0 as [M0 _], L1 as [M1 _], L1' as [M1' _].
      split; intros z Z EQ; specialize (M0 z Z); specialize (M1 z Z); specialize (M1' z Z); unfold sampled in *.
      - assert (q1 z = 0) by nra. assert (p1 z = 0) by (apply C11; auto). assert ((1 - g) * p0 z = 0) by nra. nra.
      - assert (p1 z = 0) by nra. assert (q1 z = 0) by (apply Q11; auto). assert ((1 - g) * p0 z = 0) by nra. nra. }
    rewrite (moment_ext _ _ _ _ _ _ HP HQ).
    eapply Rle_trans.
    - apply (dominated_base l p0 p1 q1 l' A0 B0 g n); auto; try apply LA; try apply LB; try apply CPQ; intros t T; now apply DOM.
    - assert (X2 : excess 2 l' A0 B0 <= B 2%nat - 1).
      { pose proof (excess_moment l' A0 B0 2 ltac:(lia) LA LB CAB). specialize (HB 2%nat ltac:(lia)). lra. }
      assert (XJ : forall j, (2 <= j <= n)%nat -> excess j l' A0 B0 <= Rmin (B j - 1) ((E - 1) ^ (j - 2) * (B 2%nat - 1))).
      { intros j J. apply Rmin_glb.
        - pose proof (excess_moment l' A0 B0 j ltac:(lia) LA LB CAB). specialize (HB j J). lra.
        - eapply Rle_trans; [apply (excess_ratio l' A0 B0 E j); auto; try lia; apply LA || apply LB|].
          apply Rmult_le_compat_l; [apply pow_le; lra | exact X2]. }
      assert (C0 : forall j, 0 <= C n j * g ^ j).
      { intros j. apply Rmult_le_pos; [|apply pow_le; lra]. unfold C. apply Rlt_le, Rdiv_lt_0_compat; [apply INR_fact_lt_0|].
        apply Rmult_lt_0_compat; apply INR_fact_lt_0. }
      assert (C2 : 2 * C n 2 = INR n * (INR n - 1)).
      { assert (EN : n = S (S (n - 2))) by lia. set (k := (n - 2)%nat) in *. rewrite EN. unfold C.
        replace (S (S k) - 2)%nat with k by lia.
        change (fact (S (S k))) with (S (S k) * (S k * fact k))%nat. rewrite !mult_INR, !S_INR. cbn [fact Nat.mul Nat.add INR].
        pose proof (INR_fact_lt_0 k). field. lra. }
      unfold from_two. replace (n - 1)%nat with (S (n - 2)) by lia. cbn [seq sum].
      assert (T : sum (seq 3 (n - 2)) (fun j => C n j * g ^ j * excess j l' A0 B0)
                  <= sum (seq 3 (n - 2)) (fun j => C n j * g ^ j * Rmin (B j - 1) ((E - 1) ^ (j - 2) * (B 2%nat - 1)))).
      { apply sum_le. intros j J. apply in_seq in J. apply Rmult_le_compat_l; [apply C0 | apply XJ; lia]. }
      pose proof (C0 2%nat) as C02. assert (C n 2 * g ^ 2 * excess 2 l' A0 B0 <= C n 2 * g ^ 2 * (B 2%nat - 1))
        by (apply Rmult_le_compat_l; auto).
      replace (INR n * (INR n - 1) * g ^ 2 * (B 2%nat - 1)) with (C n 2 * g ^ 2 * (B 2%nat - 1) + C n 2 * g ^ 2 * (B 2%nat - 1))
        by (rewrite <- C2; ring).
      lra.
  Qed.
End FixedSize.
