(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Products and adaptive compositions: ../pld.md, Lemma 1.
 *
 * If pairs dominate mechanisms, the product of the pairs dominates the
 * composition of the mechanisms, also when the second mechanism is chosen by
 * the first outcome (Zhu, Dong and Wang, "Optimal Accounting of Differential
 * Privacy via Characteristic Function", AISTATS 2022, Theorem 10). Only masses
 * are needed, not probabilities: so the theorems hold for truncated pairs, and
 * a product of pairs below is below.
 *)
From Coq Require Import Reals List Lra Arith Psatz.
From Shufbound Require Import Sum Hockey Divergence.
Import ListNotations.
Open Scope R_scope.

(* The law of two outcomes: the first by P, the second by the kernel K. *)
Definition joint {A B} (P : A -> R) (K : A -> B -> R) (z : A * B) : R := P (fst z) * K (fst z) (snd z).

(* Independent outcomes. *)
Definition product {A B} (P : A -> R) (Q : B -> R) : A * B -> R := joint P (fun _ => Q).

Lemma joint_mass {A B} (l : list A) (r : list B) P K :
  mass l P -> (forall x, In x l -> mass r (K x)) -> mass (list_prod l r) (joint P K).
Proof.
  intros M N [x y] I. apply in_prod_iff in I as [Ix Iy]. apply Rmult_le_pos; [now apply M | now apply N].
Qed.

Lemma joint_sum {A B} (l : list A) (r : list B) P K :
  sum (list_prod l r) (joint P K) = sum l (fun x => P x * sum r (K x)).
Proof. rewrite sum_prod. apply sum_ext. intros x _. unfold joint. cbn. apply sum_scal. Qed.

Lemma product_mass {A B} (l : list A) (r : list B) P Q :
  mass l P -> mass r Q -> mass (list_prod l r) (product P Q).
Proof. intros. now apply joint_mass. Qed.

Lemma product_sum {A B} (l : list A) (r : list B) P Q :
  sum (list_prod l r) (product P Q) = sum l P * sum r Q.
Proof. unfold product. rewrite joint_sum. apply sum_scal_r. Qed.

Lemma product_law {A B} (l : list A) (r : list B) P Q : law l P -> law r Q -> law (list_prod l r) (product P Q).
Proof.
  intros [M S] [N T]. split; [now apply product_mass|]. rewrite product_sum, S, T. lra.
Qed.

(* ---- the identity ---- *)

(* (p k - alpha q k')_+ on the second coordinate; in Coq a/0 = 0, so p = 0 gives 0 on both sides. *)
Lemma pos_ratio p q k k' alpha :
  0 <= alpha -> 0 <= p -> 0 <= q -> 0 <= k' ->
  pos (p * k - alpha * (q * k')) = p * pos (k - alpha * q / p * k').
Proof.
  intros Ha [Hp| <-] Hq Hk.
  - rewrite <- pos_scal by lra. f_equal. field. lra.
  - rewrite pos_zero, Rmult_0_l; [lra|].
    assert (0 <= alpha * (q * k')) by (apply Rmult_le_pos; [lra | now apply Rmult_le_pos]). lra.
Qed.

(*
 * H_alpha of a composition is the mean under P of the divergences of the second
 * mechanism at alpha Q(x)/P(x). (Where P(x) = 0 the term is 0.)
 *)
Theorem hockey_joint {A B} (l : list A) (r : list B) alpha P Q K L :
  0 <= alpha -> mass l P -> mass l Q -> (forall x, In x l -> mass r (L x)) ->
  hockey (list_prod l r) alpha (joint P K) (joint Q L)
  = sum l (fun x => P x * hockey r (alpha * Q x / P x) (K x) (L x)).
Proof.
  intros H MP MQ ML. unfold hockey at 1. rewrite sum_prod. apply sum_ext. intros x Ix.
  unfold hockey. rewrite <- sum_scal. apply sum_ext. intros y Iy. unfold joint. cbn.
  apply pos_ratio; trivial; [now apply MP | now apply MQ | now apply ML].
Qed.

(* The product identity, by the second outcome. *)
Theorem hockey_product {A B} (l : list A) (r : list B) alpha P1 Q1 P2 Q2 :
  0 <= alpha -> mass l Q1 -> mass r P2 -> mass r Q2 ->
  hockey (list_prod l r) alpha (product P1 P2) (product Q1 Q2)
  = sum r (fun y => P2 y * hockey l (alpha * Q2 y / P2 y) P1 Q1).
Proof.
  intros H MQ1 MP2 MQ2. unfold hockey at 1. rewrite sum_prod, sum_swap. apply sum_ext. intros y Iy.
  unfold hockey. rewrite <- sum_scal. apply sum_ext. intros x Ix. unfold product, joint. cbn.
  rewrite (Rmult_comm (P1 x)), (Rmult_comm (Q1 x)).
  apply pos_ratio; trivial; [now apply MP2 | now apply MQ2 | now apply MQ1].
Qed.

Lemma ratio_nonneg alpha p q : 0 <= alpha -> 0 <= p -> 0 <= q -> 0 <= alpha * q / p.
Proof.
  intros H [Hp| <-] Hq.
  - apply Rmult_le_pos; [now apply Rmult_le_pos|]. now apply Rlt_le, Rinv_0_lt_compat.
  - unfold Rdiv. rewrite Rinv_0. lra.
Qed.

(* ---- adaptive composition of two mechanisms ---- *)

(*
 * (P1', Q1') dominates the first mechanism and (P2', Q2') the second, whatever
 * the first outcome x: the product of the pairs dominates the composition.
 *)
Theorem adaptive_composition {A B A' B'}
    (l : list A) (P1 Q1 : A -> R) (r : list B) (K L : A -> B -> R)
    (l' : list A') (P1' Q1' : A' -> R) (r' : list B') (P2' Q2' : B' -> R) :
  mass l P1 -> mass l Q1 -> mass l' Q1' -> mass r' P2' -> mass r' Q2' ->
  (forall x, In x l -> mass r (L x)) ->
  dominates l' P1' Q1' l P1 Q1 ->
  (forall x, In x l -> dominates r' P2' Q2' r (K x) (L x)) ->
  dominates (list_prod l' r') (product P1' P2') (product Q1' Q2') (list_prod l r) (joint P1 K) (joint Q1 L).
Proof.
  intros MP1 MQ1 MQ1' MP2' MQ2' ML D1 D2 alpha H.
  apply Rle_trans with (hockey (list_prod l r') alpha (product P1 P2') (product Q1 Q2')).
  - unfold product. rewrite !hockey_joint by trivial. apply sum_le. intros x Ix.
    apply Rmult_le_compat_l; [now apply MP1|]. apply D2; [exact Ix|].
    apply ratio_nonneg; [exact H | now apply MP1 | now apply MQ1].
  - rewrite !hockey_product by trivial. apply sum_le. intros y Iy.
    apply Rmult_le_compat_l; [now apply MP2'|]. apply D1.
    apply ratio_nonneg; [exact H | now apply MP2' | now apply MQ2'].
Qed.

(* Domination passes to products (so does being dominated: read it the other way). *)
Corollary dominates_product {A B A' B'}
    (l : list A) (P1 Q1 : A -> R) (r : list B) (P2 Q2 : B -> R)
    (l' : list A') (P1' Q1' : A' -> R) (r' : list B') (P2' Q2' : B' -> R) :
  mass l P1 -> mass l Q1 -> mass r Q2 -> mass l' Q1' -> mass r' P2' -> mass r' Q2' ->
  dominates l' P1' Q1' l P1 Q1 -> dominates r' P2' Q2' r P2 Q2 ->
  dominates (list_prod l' r') (product P1' P2') (product Q1' Q2') (list_prod l r) (product P1 P2) (product Q1 Q2).
Proof. intros. apply adaptive_composition; auto. Qed.

(* ---- many rounds ---- *)

(* A pair of mass functions with its outcomes. *)
Record pair_of (A : Type) := Pair { outcomes : list A; P_of : A -> R; Q_of : A -> R }.
Arguments Pair {A}.
Arguments outcomes {A}.
Arguments P_of {A}.
Arguments Q_of {A}.

(* The pair p dominates the mass functions P and Q on l. *)
Definition bounds {A B} (p : pair_of B) (l : list A) (P Q : A -> R) : Prop :=
  dominates (outcomes p) (P_of p) (Q_of p) l P Q.

Definition masses {A} (p : pair_of A) : Prop := mass (outcomes p) (P_of p) /\ mass (outcomes p) (Q_of p).

(* The sequences of outcomes, one from every list. *)
Fixpoint sequences {A} (ls : list (list A)) : list (list A) :=
  match ls with
  | [] => [[]]
  | l :: rest => map (fun z => fst z :: snd z) (list_prod l (sequences rest))
  end.

(* The mass of a sequence in independent rounds: the product of the masses. *)
Fixpoint rounds {A} (Ps : list (A -> R)) (v : list A) : R :=
  match Ps, v with
  | P :: rest, x :: w => P x * rounds rest w
  | _, _ => 1
  end.

(*
 * The mass of a sequence in adaptive rounds: M h x is the mass of the next
 * outcome x after the outcomes h, the latest of which stands first in h.
 *)
Fixpoint adaptive {A} (M : list A -> A -> R) (h v : list A) : R :=
  match v with
  | [] => 1
  | x :: w => M h x * adaptive M (x :: h) w
  end.

(* The product of pairs. *)
Definition product_pair {A} (ps : list (pair_of A)) : pair_of (list A) :=
  Pair (sequences (map outcomes ps)) (rounds (map P_of ps)) (rounds (map Q_of ps)).

(*
 * The adaptive mechanisms M (one data set) and N (its neighbour) have the
 * outcomes ls, and after every history the next round is dominated by its pair
 * in ps.
 *)
Fixpoint dominated {A B} (ps : list (pair_of B)) (ls : list (list A)) (M N : list A -> A -> R) (h : list A) : Prop :=
  match ps, ls with
  | [], [] => True
  | p :: ps', l :: ls' =>
      mass l (M h) /\ mass l (N h) /\ bounds p l (M h) (N h)
      /\ forall x, In x l -> dominated ps' ls' M N (x :: h)
  | _, _ => False
  end.

Lemma sum_sequences {A} (l : list A) ls f :
  sum (sequences (l :: ls)) f = sum (list_prod l (sequences ls)) (fun z => f (fst z :: snd z)).
Proof. cbn [sequences]. now rewrite sum_map. Qed.

Lemma hockey_sequences {A} (l : list A) ls alpha P Q :
  hockey (sequences (l :: ls)) alpha P Q
  = hockey (list_prod l (sequences ls)) alpha (fun z => P (fst z :: snd z)) (fun z => Q (fst z :: snd z)).
Proof. exact (sum_sequences l ls (fun x => pos (P x - alpha * Q x))). Qed.

Lemma in_sequences {A} (l : list A) ls v :
  In v (sequences (l :: ls)) -> exists x w, v = x :: w /\ In x l /\ In w (sequences ls).
Proof.
  cbn [sequences]. intros I. apply in_map_iff in I as [[x w] [<- I]]. apply in_prod_iff in I as [Ix Iw].
  now exists x, w.
Qed.

Lemma product_pair_masses {A} (ps : list (pair_of A)) : Forall masses ps -> masses (product_pair ps).
Proof.
  unfold masses, product_pair. cbn. induction 1 as [|p ps [MP MQ] F [IP IQ]]; cbn [map].
  - split; intros v _; destruct v; cbn; lra.
  - split; intros v I; apply in_sequences in I as (x & w & -> & Ix & Iw); cbn;
      apply Rmult_le_pos; auto.
Qed.

(* The mass of a product is the product of the masses. *)
Lemma rounds_sum {A} (ps : list (pair_of A)) :
  sum (sequences (map outcomes ps)) (rounds (map P_of ps))
  = fold_right Rmult 1 (map (fun p => sum (outcomes p) (P_of p)) ps).
Proof.
  induction ps as [|p ps IH]; cbn [map fold_right]; [cbn; lra|].
  rewrite sum_sequences, <- IH, <- product_sum. reflexivity.
Qed.

Lemma adaptive_mass {A B} (ps : list (pair_of B)) : forall (ls : list (list A)) M N h,
  dominated ps ls M N h -> mass (sequences ls) (adaptive M h) /\ mass (sequences ls) (adaptive N h).
Proof.
  induction ps as [|p ps IH]; intros [|l ls] M N h D; try destruct D.
  - split; intros v [<-|[]]; cbn; lra.
  - destruct H0 as (MN & _ & D). split; intros v I;
      apply in_sequences in I as (x & w & -> & Ix & Iw); destruct (IH ls M N (x :: h) (D x Ix)); cbn;
      apply Rmult_le_pos; auto.
Qed.

(*
 * The product of the dominating pairs dominates the adaptive composition of
 * any number of mechanisms.
 *)
Theorem adaptive_rounds {A B} (ps : list (pair_of B)) : forall (ls : list (list A)) M N h,
  Forall masses ps -> dominated ps ls M N h ->
  bounds (product_pair ps) (sequences ls) (adaptive M h) (adaptive N h).
Proof.
  induction ps as [|p ps IH]; intros [|l ls] M N h F D; try destruct D.
  - intros alpha H. unfold hockey, product_pair. cbn. lra.
  - destruct H0 as (MN & D & E). inversion F as [|? ? [MP MQ] F']; subst.
    pose proof (product_pair_masses ps F') as [PP PQ].
    assert (dominates (list_prod (outcomes p) (outcomes (product_pair ps)))
              (product (P_of p) (P_of (product_pair ps))) (product (Q_of p) (Q_of (product_pair ps)))
              (list_prod l (sequences ls))
              (joint (M h) (fun x => adaptive M (x :: h))) (joint (N h) (fun x => adaptive N (x :: h)))) as G.
    { apply adaptive_composition; trivial.
      - intros x Ix. exact (proj2 (adaptive_mass ps ls M N (x :: h) (E x Ix))).
      - intros x Ix. now apply IH, E. }
    intros alpha HA. specialize (G alpha HA). cbn [product_pair outcomes P_of Q_of map].
    rewrite !hockey_sequences. exact G.
Qed.

(* The n-fold power of a pair. *)
Definition power {A} (n : nat) (p : pair_of A) : pair_of (list A) := product_pair (repeat p n).

Lemma dominated_repeat {A B} (p : pair_of B) (l : list A) M N n : forall h,
  (forall g, incl g l ->
     mass l (M g) /\ mass l (N g) /\ bounds p l (M g) (N g)) ->
  incl h l -> dominated (repeat p n) (repeat l n) M N h.
Proof.
  induction n as [|n IH]; intros h D H; cbn; [exact I|].
  destruct (D h H) as (MM & MN & DD). repeat split; trivial. intros x Ix. apply IH; [exact D|].
  intros y [<-|Iy]; [exact Ix | now apply H].
Qed.

(*
 * If (P', Q') dominates every round, whatever happened before, its n-fold
 * power dominates n adaptive rounds.
 *)
Theorem adaptive_power {A B} (p : pair_of B) (l : list A) M N n :
  masses p ->
  (forall h, incl h l ->
     mass l (M h) /\ mass l (N h) /\ bounds p l (M h) (N h)) ->
  bounds (power n p) (sequences (repeat l n)) (adaptive M []) (adaptive N []).
Proof.
  intros MP D. apply adaptive_rounds.
  - apply Forall_forall. intros q Iq. apply repeat_spec in Iq. now subst.
  - apply dominated_repeat; [exact D|]. intros x [].
Qed.

(*
 * A product of pairs dominates the product of pairs that they dominate, round
 * by round: laws above give a product above, laws below a product below.
 *)
Theorem dominates_rounds {A B} (ps : list (pair_of B)) (qs : list (pair_of A)) :
  Forall masses ps -> Forall masses qs ->
  Forall2 (fun p q => bounds p (outcomes q) (P_of q) (Q_of q)) ps qs ->
  bounds (product_pair ps) (outcomes (product_pair qs)) (P_of (product_pair qs)) (Q_of (product_pair qs)).
Proof.
  intros FP FQ D. induction D as [|p q ps qs D T IH].
  - intros alpha H. unfold hockey, product_pair. cbn. lra.
  - inversion FP as [|? ? [MP MP'] FP']; subst. inversion FQ as [|? ? [MQ MQ'] FQ']; subst.
    destruct (product_pair_masses ps FP'). destruct (product_pair_masses qs FQ').
    assert (dominates (list_prod (outcomes p) (outcomes (product_pair ps)))
              (product (P_of p) (P_of (product_pair ps))) (product (Q_of p) (Q_of (product_pair ps)))
              (list_prod (outcomes q) (outcomes (product_pair qs)))
              (product (P_of q) (P_of (product_pair qs))) (product (Q_of q) (Q_of (product_pair qs)))) as G.
    { unfold bounds in *. apply dominates_product; auto. }
    intros alpha HA. specialize (G alpha HA). cbn [product_pair outcomes P_of Q_of map].
    rewrite !hockey_sequences. exact G.
Qed.

Corollary dominates_power {A B} (p : pair_of B) (q : pair_of A) n :
  masses p -> masses q -> bounds p (outcomes q) (P_of q) (Q_of q) ->
  bounds (power n p) (outcomes (power n q)) (P_of (power n q)) (Q_of (power n q)).
Proof.
  intros MP MQ D. apply dominates_rounds.
  - apply Forall_forall. intros x I. apply repeat_spec in I. now subst.
  - apply Forall_forall. intros x I. apply repeat_spec in I. now subst.
  - induction n; cbn; constructor; auto.
Qed.

(* ---- an atom that Q does not see ---- *)

(*
 * The product of pairs, each with an atom at +infinity (mass t under P, none
 * under Q): the divergence is that of the finite parts plus the mass under P of
 * the outcomes with one infinite coordinate or more. (../exact-convolution.md,
 * "Atoms at infinity".)
 *)
Theorem hockey_product_infinite {A B} (l : list A) (r : list B) alpha P1 Q1 P2 Q2 t1 t2 :
  0 <= t1 -> 0 <= t2 -> mass l P1 -> mass r P2 ->
  let extend (X : Type) (P : X -> R) (t : R) (z : option X) := match z with Some x => P x | None => t end in
  hockey (list_prod (None :: map Some l) (None :: map Some r)) alpha
    (product (extend A P1 t1) (extend B P2 t2)) (product (extend A Q1 0) (extend B Q2 0))
  = hockey (list_prod l r) alpha (product P1 P2) (product Q1 Q2)
    + ((sum l P1 + t1) * (sum r P2 + t2) - sum l P1 * sum r P2).
Proof.
  intros T1 T2 MP1 MP2 extend. unfold hockey. rewrite !sum_prod. unfold product, joint. cbn.
  rewrite !sum_map. replace (t1 * t2 - alpha * (0 * 0)) with (t1 * t2) by ring.
  rewrite (pos_id (t1 * t2)) by now apply Rmult_le_pos.
  rewrite (sum_ext r _ (fun y => t1 * P2 y))
    by (intros y Iy; specialize (MP2 y Iy); cbn;
        replace (t1 * P2 y - alpha * (0 * Q2 y)) with (t1 * P2 y) by ring;
        apply pos_id; now apply Rmult_le_pos).
  rewrite (sum_ext l _ (fun x => P1 x * t2 + sum r (fun y => pos (P1 x * P2 y - alpha * (Q1 x * Q2 y))))).
  - rewrite sum_plus, sum_scal, sum_scal_r. ring.
  - intros x Ix. specialize (MP1 x Ix). rewrite sum_map. cbn.
    replace (P1 x * t2 - alpha * (Q1 x * 0)) with (P1 x * t2) by ring.
    rewrite pos_id by now apply Rmult_le_pos. reflexivity.
Qed.

(* ---- an instance: n adaptive rounds of binary randomised response, e^eps0 = 3 ---- *)

Definition response : pair_of bool := Pair [true; false] response_P response_Q.

(* The mechanism reports x or y by the parity of what it has reported. *)
Definition parity_P (h : list bool) (x : bool) : R :=
  if Nat.even (length (filter (fun b => b) h)) then response_P x else response_Q x.
Definition parity_Q (h : list bool) (x : bool) : R :=
  if Nat.even (length (filter (fun b => b) h)) then response_Q x else response_P x.

Example parity_composition n :
  bounds (power n response) (sequences (repeat [true; false] n)) (adaptive parity_P []) (adaptive parity_Q []).
Proof.
  apply adaptive_power.
  - destruct response_laws as [[] []]. now split.
  - intros h _. unfold parity_P, parity_Q. destruct response_laws as [[MP _] [MQ _]].
    destruct (Nat.even _); (split; [assumption | split; [assumption|]]); intros alpha H.
    + apply Rle_refl.
    + unfold hockey. cbn. lra.
Qed.
