(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * f-divergences and Renyi divergences of shuffled mechanisms: corollary 1 of
 * ../clones-stronger.md. Those of the stronger clones pair (of the clones pair)
 * are upper bounds for every adaptive sequence of pure LDP randomisers, and over
 * rounds the Renyi bounds add up (the theorem of ../sgd.md).
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Composition Renyi ConvexOrder Trinomial TrinomialMean Shuffle Stronger
  ShuffleRounds.
Import ListNotations.
Open Scope R_scope.

(* The members of a trinomial pair with w0 = E w1, w2 = 0 are within a factor E. *)
Lemma pair_within E r N x :
  1 <= E -> 0 <= r -> r + r <= 1 ->
  trinomial_P (E / (E + 1)) (1 / (E + 1)) 0 r r N x <= E * trinomial_Q (E / (E + 1)) (1 / (E + 1)) 0 r r N x.
Proof.
  intros HE R0 R1. destruct x as [a b]. unfold trinomial_P, trinomial_Q, with_user.
  assert (TA : 0 <= before (fun a => others r r N a b) a) by (apply before_nonneg; intros; now apply others_nonneg).
  assert (TB : 0 <= before (fun b => others r r N a b) b) by (apply before_nonneg; intros; now apply others_nonneg).
  set (x := before (fun a => others r r N a b) a) in *. set (y := before (fun b => others r r N a b) b) in *.
  pose proof (over_E_plus E HE). replace (E / (E + 1)) with (E * (1 / (E + 1))) by (field; lra).
  set (p := 1 / (E + 1)) in *. rewrite !Rmult_0_l, !Rplus_0_r.
  assert (0 <= E * E - 1) by nra. assert (0 <= p * y) by (apply Rmult_le_pos; lra).
  assert (0 <= (E * E - 1) * (p * y)) by (apply Rmult_le_pos; assumption). lra.
Qed.

Lemma pair_continuous E r N :
  1 <= E -> 0 <= r -> r + r <= 1 ->
  continuous (counts N) (trinomial_P (E / (E + 1)) (1 / (E + 1)) 0 r r N) (trinomial_Q (E / (E + 1)) (1 / (E + 1)) 0 r r N).
Proof.
  intros HE R0 R1 x _ Z. pose proof (pair_within E r N x HE R0 R1) as H. rewrite Z in H.
  pose proof (over_E_plus E HE). pose proof (E_over_E_plus E HE).
  assert (0 <= trinomial_P (E / (E + 1)) (1 / (E + 1)) 0 r r N x) by (apply with_user_nonneg; lra). lra.
Qed.

Lemma stronger_continuous E N : 1 <= E -> continuous (counts N) (stronger_P E N) (stronger_Q E N).
Proof. intros HE. pose proof (over_E_plus E HE). apply pair_continuous; lra. Qed.

Lemma clones_continuous E N : 1 <= E -> continuous (counts N) (clones_P E N) (clones_Q E N).
Proof.
  intros HE. assert (0 < 1 / (2 * E)) by (apply Rdiv_lt_0_compat; lra).
  assert (1 / (2 * E) <= 1 / 2) by (unfold Rdiv; rewrite !Rmult_1_l; apply Rinv_le_contravar; lra).
  apply pair_continuous; lra.
Qed.

Section Shuffled.
  Context {X Z : Type} (outs : list Z) (K : list Z -> X -> Z -> R) (E : R) (x0 x1 : X) (xs : list X).
  Hypotheses (HK : randomiser outs K) (HL : ldp outs E K) (HE : 1 <= E).

  Lemma shuffled_continuous : continuous (words outs (S (length xs))) (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs)).
  Proof.
    destruct (stronger_law E (length xs) HE) as [[MP _] [MQ _]].
    apply (dominates_continuous _ _ _ (counts (length xs)) (stronger_P E (length xs)) (stronger_Q E (length xs))); auto.
    - apply (shuffled_law outs K HK (x0 :: xs)).
    - apply (shuffled_law outs K HK (x1 :: xs)).
    - now apply stronger_continuous.
    - now apply stronger_dominates.
  Qed.

  (* Every f-divergence, f convex. *)
  Theorem stronger_f_divergence f : convex_function f ->
    f_divergence f (words outs (S (length xs))) (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs))
    <= f_divergence f (counts (length xs)) (stronger_P E (length xs)) (stronger_Q E (length xs)).
  Proof.
    intros F. destruct (stronger_law E (length xs) HE) as [[MP SP] [MQ SQ]].
    destruct (shuffled_law outs K HK (x0 :: xs)) as [M0 S0]. destruct (shuffled_law outs K HK (x1 :: xs)) as [M1 S1].
    apply convex_order; auto.
    - exact shuffled_continuous.
    - now apply stronger_continuous.
    - etransitivity; [exact S0 | now symmetry].
    - etransitivity; [exact S1 | now symmetry].
    - now apply stronger_dominates.
  Qed.

  (* The Renyi moment of order a, exp ((a - 1) D_a). *)
  Theorem stronger_moment a : 1 <= a ->
    moment a (words outs (S (length xs))) (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs))
    <= moment a (counts (length xs)) (stronger_P E (length xs)) (stronger_Q E (length xs)).
  Proof.
    intros H. destruct (stronger_law E (length xs) HE) as [LP LQ]. apply dominates_moment; auto.
    - apply (shuffled_law outs K HK (x0 :: xs)).
    - apply (shuffled_law outs K HK (x1 :: xs)).
    - exact shuffled_continuous.
    - now apply stronger_continuous.
    - now apply stronger_dominates.
  Qed.

  Theorem clones_moment a : 1 <= a ->
    moment a (words outs (S (length xs))) (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs))
    <= moment a (counts (length xs)) (clones_P E (length xs)) (clones_Q E (length xs)).
  Proof.
    intros H. destruct (clones_law E (length xs) HE) as [LP LQ]. apply dominates_moment; auto.
    - apply (shuffled_law outs K HK (x0 :: xs)).
    - apply (shuffled_law outs K HK (x1 :: xs)).
    - exact shuffled_continuous.
    - now apply clones_continuous.
    - now apply clones_dominates.
  Qed.
End Shuffled.

(* T rounds, each by randomisers that may depend on the words of earlier rounds: if
   D_a of the stronger clones pair is at most e, that of the rounds is at most T e. *)
Theorem stronger_renyi_rounds {X Z} (outs : list Z) (K : list (list Z) -> list Z -> X -> Z -> R) E T x0 x1 xs a e :
  1 <= E -> 1 <= a -> (forall g, randomiser outs (K g)) -> (forall g, ldp outs E (K g)) ->
  moment a (counts (length xs)) (stronger_P E (length xs)) (stronger_Q E (length xs)) <= exp ((a - 1) * e) ->
  moment a (sequences (repeat (words outs (S (length xs))) T))
    (adaptive (fun g => shuffled (K g) (x0 :: xs)) []) (adaptive (fun g => shuffled (K g) (x1 :: xs)) [])
  <= exp ((a - 1) * (INR T * e)).
Proof.
  intros HE Ha HK HL HM.
  replace (INR T * e) with (fold_right Rplus 0 (repeat e T)).
  - apply renyi_rounds. generalize (@nil (list Z)). induction T as [|T IH]; intros g; [exact I|].
    cbn [repeat renyi_bounded].
    split; [apply (shuffled_law outs (K g) (HK g) (x0 :: xs))|].
    split; [apply (shuffled_law outs (K g) (HK g) (x1 :: xs))|].
    split; [|intros w _; apply IH].
    eapply Rle_trans; [now apply (stronger_moment outs (K g) E) | exact HM].
  - induction T as [|T IH]; [cbn; ring|]. cbn [repeat fold_right]. rewrite IH, S_INR. ring.
Qed.
