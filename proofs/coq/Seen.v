(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Whoever sees which report is whose: ../line.md, Lemma 12 (reports_seen), and
 * ../deployments.md, the last theorem (local_delta0), whose pair is that of
 * StrongComposition.v.
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Composition Shuffle HonestUsers Stronger StrongComposition.
Import ListNotations.
Open Scope R_scope.

(* -------- The shuffle of independent reports, from above by the report in question -------- *)

Section Seen.
  Context {X Z I : Type} (outs : list Z) (A : X -> Z -> R) (labels : list I) (weight : I -> R).
  (* Who takes part is drawn as i: the laws of the others' reports, and whether the user who differs is among them. *)
  Variables (others : I -> list (Z -> R)) (takes_part : I -> bool).
  Hypotheses (HA : forall x, law outs (A x)) (HW : law labels weight) (HO : forall i, In i labels -> Forall (law outs) (others i)).

  Definition taking (i : I) (x : X) : list (X + (Z -> R)) := map inr (others i) ++ map inl (if takes_part i then [x] else []).
  Definition round_words (i : I) : list (list Z) := words outs (length (others i) + if takes_part i then 1 else 0).
  Definition round_law (x : X) (i : I) : list Z -> R := shuffled (all_kernels (fun _ => A)) (taking i x).

  Lemma shuffled_alone (K : list Z -> X -> Z -> R) x0 x1 alpha :
    hockey (words outs 1) alpha (shuffled K [x0]) (shuffled K [x1]) = hockey outs alpha (K [] x0) (K [] x1).
  Proof.
    unfold hockey. rewrite sum_words. apply sum_ext_all. intros z. unfold shuffled. cbn. rewrite Rplus_0_r. f_equal. field.
  Qed.

  (* Who takes part is seen, too. *)
  Theorem reports_seen x0 x1 :
    dominates outs (A x0) (A x1) (labelled labels round_words) (mixture weight (round_law x0)) (mixture weight (round_law x1)).
  Proof.
    intros alpha H. destruct HW as [W0 W1]. rewrite hockey_revealed by exact W0.
    apply Rle_trans with (sum labels (fun i => weight i * hockey outs alpha (A x0) (A x1))); [|rewrite sum_scal_r, W1; lra].
    apply sum_le. intros i Hi. apply Rmult_le_compat_l; [now apply W0|]. unfold round_words, round_law, taking. destruct (takes_part i).
    - apply (honest_users outs (fun K => forall h x z, K h x z = A x z) alpha _ [x0] [x1]); auto.
      intros K HK. cbn [length]. rewrite shuffled_alone. right. apply hockey_ext; intros; apply HK.
    - cbn [map]. rewrite app_nil_r, Nat.add_0_r.
      assert (L : law (words outs (length (others i))) (shuffled (all_kernels (fun _ => A)) (map inr (others i)))).
      { set (bs := others i). assert (B : Forall (law outs) bs) by now apply HO. rewrite <- (map_length (@inr X (Z -> R)) bs).
        set (K := fun (h : list Z) (b : {b : Z -> R | law outs b}) => proj1_sig b).
        assert (S : exists l, map (@proj1_sig (Z -> R) (law outs)) l = bs).
        { clear - B. induction B as [|b bs Hb _ (l & <-)]; [now exists [] | now exists (exist (law outs) b Hb :: l)]. }
        destruct S as (l & E). rewrite <- E, !map_map, map_length.
        pose proof (shuffled_law outs K (fun h b => proj2_sig b) l) as [M S1].
        assert (G : forall w, shuffled (all_kernels (fun _ => A)) (map (fun b => inr (proj1_sig b)) l) w = shuffled K l w).
        { intros w. unfold shuffled. rewrite map_length, orders_map, sum_map. f_equal. apply sum_ext_all. intros p.
          generalize (@nil Z) as h. revert w. induction p as [|b p IH]; intros [|z w] h; try reflexivity. cbn [map run]. now rewrite IH. }
        split; [intros w Hw; rewrite G; now apply M | rewrite (sum_ext_all _ _ (shuffled K l)) by exact G; exact S1]. }
      destruct L as [LM LS]. rewrite hockey_same, LS, Rmult_1_r by exact LM.
      apply pos_lub; [apply hockey_nonneg|]. pose proof (hockey_ge_masses outs (A x0) (A x1) alpha) as G.
      destruct (HA x0) as [_ S0]. destruct (HA x1) as [_ S1]. rewrite S0, S1 in G. lra.
  Qed.
End Seen.

(* -------- A local delta0 -------- *)

(*
 * T reports of one user, each (eps0, delta0)-LDP: M and N are the laws of the next
 * report for the user's two values, given all that was seen before and the messages
 * y that come with it, whose law L is the same for both.
 *)
Theorem local_delta0 {Y Z} (seen : list Y) (outs : list Z) E delta (L : list (Y * Z) -> Y -> R) (M N : list (Y * Z) -> Y -> Z -> R) T alpha :
  1 <= E -> 0 <= delta <= 1 -> 1 <= alpha ->
  (forall h, law seen (L h)) -> (forall h y, private outs E delta (M h y) (N h y)) ->
  let q := power T (response_pair E) in
  hockey (sequences (repeat (list_prod seen outs) T)) alpha
    (adaptive (fun h => joint (L h) (M h)) []) (adaptive (fun h => joint (L h) (N h)) [])
  <= 1 - (1 - delta) ^ T * (1 - hockey (outcomes q) alpha (P_of q) (Q_of q)).
Proof.
  intros HE HD A1 HL HP q. unfold q. rewrite <- (strong_composition_value E delta HE HD T alpha) by lra.
  apply (strong_composition E delta HE HD (list_prod seen outs)); [|lra].
  assert (G : forall h U V, (forall y, law outs (U y)) -> (forall y, hockey outs E (U y) (V y) <= delta) ->
    law (list_prod seen outs) (joint (L h) U) /\ hockey (list_prod seen outs) E (joint (L h) U) (joint (L h) V) <= delta).
  { intros h U V HU HH. destruct (HL h) as [L0 L1]. split.
    - split; [apply joint_mass; [exact L0 | intros; apply HU]|]. rewrite joint_sum.
      rewrite (sum_ext_all _ _ (L h)); [exact L1|]. intros y. destruct (HU y) as [_ ->]. ring.
    - unfold hockey. rewrite sum_prod. apply Rle_trans with (sum seen (fun y => L h y * delta)); [|rewrite sum_scal_r, L1; lra].
      apply sum_le. intros y Hy. eapply Rle_trans; [|apply Rmult_le_compat_l; [now apply L0 | apply (HH y)]]. right.
      unfold hockey. rewrite <- sum_scal. apply sum_ext_all. intros z. unfold joint. cbn [fst snd]. now rewrite pos_weight by now apply L0. }
  intros h _. destruct (G h (M h) (N h)) as [LM D]; try (intros y; apply (HP h y)).
  destruct (G h (N h) (M h)) as [LN D']; try (intros y; apply (HP h y)). exact (conj LM (conj LN (conj D D'))).
Qed.

(* One report has it. *)
Theorem local_delta0_attained E delta alpha :
  1 <= E -> 0 <= delta <= 1 -> 1 <= alpha ->
  private extreme_outcomes E delta (extreme_P E delta) (extreme_Q E delta)
  /\ hockey extreme_outcomes alpha (extreme_P E delta) (extreme_Q E delta)
     = 1 - (1 - delta) ^ 1 * (1 - hockey [true; false] alpha (binary E [] true) (binary E [] false)).
Proof.
  intros HE HD A1. split; [now apply extreme_private|]. destruct (extreme_value E delta HE HD alpha A1) as [-> _].
  pose proof (over_E_plus E HE) as R. assert (Q : E / (E + 1) = E * (1 / (E + 1))) by (field; lra). set (r := 1 / (E + 1)) in *.
  unfold hockey, binary. cbn [sum Bool.eqb]. rewrite Q. fold r.
  replace (E * r - alpha * r) with (r * (E - alpha)) by ring. rewrite (pos_scal r) by lra.
  assert (H : 0 <= r * (alpha * E - 1)) by (apply Rmult_le_pos; nra).
  rewrite (pos_zero (r - alpha * (E * r))) by lra. ring.
Qed.
