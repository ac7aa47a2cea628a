(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * A record that takes part in k of the t releases of an epoch is hidden no worse than
 * by k epochs, in each of which it takes part in one release:
 * ../additive-noise.md, Theorem 10 (a). The k releases are made by drawing an order of
 * all, which is told, and one release of each of k blocks of it.
 *)
From Coq Require Import Reals List Lra Lia Arith Permutation.
From Shufbound Require Import Sum Hockey Divergence Composition Trinomial TrinomialMean Binomial Shuffle HonestUsers Rappor SumOfBits Noise Allocation.
Import ListNotations.
Open Scope R_scope.

(* -------- Words with their places in another order -------- *)

Lemma words_reordered {A} (l : list A) (ks ks' : list nat) : Permutation ks ks' -> forall H : list (nat * A) -> R,
  (forall u v, Permutation u v -> H u = H v) ->
  sum (words l (length ks)) (fun w => H (combine ks w)) = sum (words l (length ks')) (fun w => H (combine ks' w)).
Proof.
  induction 1 as [|k ks ks' P IH|k k' ks|ks ks' ks'' _ IH1 _ IH2]; intros H SYM.
  - reflexivity.
  - cbn [length]. rewrite !sum_words. apply sum_ext_all. intros x. cbn [combine]. apply (IH (fun u => H ((k, x) :: u))). intros u v U. now apply SYM, perm_skip.
  - cbn [length]. rewrite !sum_words.
    rewrite (sum_ext_all l _ (fun x => sum l (fun y => sum (words l (length ks)) (fun w => H ((k', x) :: (k, y) :: combine ks w))))) by (intros x;
      now rewrite sum_words).
    rewrite (sum_ext_all l (fun x => sum (words l (S (length ks))) _) (fun x => sum l (fun y => sum (words l (length ks))
      (fun w => H ((k, x) :: (k', y) :: combine ks w))))) by (intros x; now rewrite sum_words).
    rewrite sum_swap. apply sum_ext_all. intros x. apply sum_ext_all. intros y. apply sum_ext_all. intros w. apply SYM, perm_swap.
  - now rewrite IH1, IH2.
Qed.

Section Above.
  Context {A : Type} (l : list A) (P Q : A -> R).
  Hypotheses (LP : law l P) (LQ : law l Q).

  Let F b w := taking_part (fun _ => P) (fun _ => Q) b [] w.

  Lemma F_cons c b x w : F (c :: b) (x :: w) = (if c then P x else Q x) * F b w.
  Proof. unfold F. cbn [taking_part]. f_equal. apply taking_part_same. Qed.

  (* The pairs of an outcome's place and the outcome. *)
  Fixpoint paired (b : list bool) (u : list (nat * A)) : R :=
    match u with [] => 1 | (i, x) :: u' => (if nth i b false then P x else Q x) * paired b u' end.

  Lemma paired_order b u v : Permutation u v -> paired b u = paired b v.
  Proof.
    induction 1 as [|[i x] u v _ IH|[i x] [j y] u|u v w _ IH1 _ IH2]; cbn [paired]; [reflexivity | now rewrite IH | ring | now rewrite IH1].
  Qed.

  Lemma paired_places b ks w : length w = length ks -> F (map (fun i => nth i b false) ks) w = paired b (combine ks w).
  Proof.
    revert w; induction ks as [|k ks IH]; intros [|x w] L; try discriminate; [reflexivity|]. injection L as L. cbn [map combine paired].
    rewrite F_cons, IH by exact L. reflexivity.
  Qed.

  Lemma places_map (b : list bool) : map (fun i => nth i b false) (seq 0 (length b)) = b.
  Proof.
    induction b as [|c b IH]; [reflexivity|]. cbn [length seq map nth]. f_equal. rewrite <- seq_shift, map_map. exact IH.
  Qed.

  (* -------- Blocks -------- *)

  (* One place of each block, each alike: the weights and the places. *)
  Fixpoint blocks (ms : list nat) : list (R * list bool) :=
    match ms with
    | [] => [(1, [])]
    | m :: ms' => flat_map (fun c => map (fun d => (fst c * fst d, snd c ++ snd d)) (blocks ms')) (one_of m)
    end.

  Definition total (ms : list nat) : nat := fold_right Nat.add 0%nat ms.

  Lemma total_least ms : Forall (fun m => (1 <= m)%nat) ms -> (length ms <= total ms)%nat.
  Proof. induction 1 as [|m ms M _ IH]; [apply Nat.le_refl|]. cbn [length total fold_right]. fold (total ms). lia. Qed.

  Lemma one_hot_ones m : forall j s, (s <= j < s + m)%nat -> ones_in (map (Nat.eqb j) (seq s m)) = 1%nat.
  Proof.
    induction m as [|m IH]; intros j s H; [lia|]. cbn [seq map]. destruct (Nat.eqb_spec j s) as [->|N].
    - cbn. f_equal. assert (Z : forall n i, (s < i)%nat -> filter (fun c : bool => c) (map (Nat.eqb s) (seq i n)) = []).
      { induction n as [|n IHn]; intros i I; [reflexivity|]. cbn [seq map filter]. destruct (Nat.eqb_spec s i); [lia | apply IHn; lia]. }
      rewrite Z by lia. reflexivity.
    - change (ones_in (map (Nat.eqb j) (seq (S s) m)) = 1%nat). apply IH. lia.
  Qed.

  Lemma blocks_places ms c : In c (blocks ms) -> length (snd c) = total ms /\ ones_in (snd c) = length ms.
  Proof.
    revert c; induction ms as [|m ms IH]; intros c I; [destruct I as [<-|[]]; split; reflexivity|].
    cbn [blocks] in I. apply in_flat_map in I as (d & D & I). apply in_map_iff in I as (e & <- & E). unfold one_of in D.
    apply in_map_iff in D as (j & <- & J). apply in_seq in J.
    destruct (IH e E) as [L1 L2]. cbn [fst snd]. unfold ones_in in *. rewrite app_length, filter_app, app_length, L1, L2. split.
    - unfold one_hot. now rewrite map_length, seq_length.
    - pose proof (one_hot_ones m j 0 ltac:(lia)) as O. unfold ones_in in O. unfold one_hot. rewrite O. reflexivity.
  Qed.

  Lemma blocks_weights ms : Forall (fun m => (1 <= m)%nat) ms -> sum (blocks ms) fst = 1 /\ forall c, In c (blocks ms) -> 0 <= fst c.
  Proof.
    induction 1 as [|m ms M _ [IH1 IH2]]; [split; [cbn; ring | intros c [<-|[]]; cbn; lra]|]. assert (N : 0 < INR m) by (apply lt_0_INR; lia). split.
    - cbn [blocks]. rewrite sum_flat_map. unfold one_of. rewrite sum_map.
      rewrite (sum_ext_all _ _ (fun _ => / INR m)); [rewrite sum_const, seq_length; field; lra|]. intros j. rewrite sum_map. cbn [fst].
      rewrite (sum_scal (/ INR m) (blocks ms) (fun c => fst c)). change (sum (blocks ms) (fun c => fst c)) with (sum (blocks ms) fst). rewrite IH1. ring.
    - intros c I. cbn [blocks] in I. apply in_flat_map in I as (d & D & I). apply in_map_iff in I as (e & <- & E). unfold one_of in D.
      apply in_map_iff in D as (j & <- & J).
      cbn [fst]. apply Rmult_le_pos; [apply Rlt_le, Rinv_0_lt_compat, N | now apply IH2].
  Qed.

  Lemma F_app b b' u v : length u = length b -> F (b ++ b') (u ++ v) = F b u * F b' v.
  Proof.
    revert u; induction b as [|c b IH]; intros [|x u] L; try discriminate; [cbn [app]; change (F [] []) with 1; ring|].
    injection L as L. cbn [app]. rewrite !F_cons, IH by exact L. ring.
  Qed.

  Lemma sum_words_app m n (G : list A -> R) : sum (words l (m + n)) G = sum (words l m) (fun u => sum (words l n) (fun v => G (u ++ v))).
  Proof.
    revert G; induction m as [|m IH]; intros G; [cbn; rewrite Rplus_0_r; reflexivity|]. cbn [Nat.add]. rewrite !sum_words. apply sum_ext_all. intros x.
    rewrite IH. reflexivity.
  Qed.

  (* An epoch of m releases, one of which has the record. *)
  Definition epoch_pair (m : nat) : pair_of (list A) :=
    Pair (words l m) (with_record (fun _ => P) (fun _ => Q) (placed (one_of m)) m) (without (fun _ => Q) m).

  Let in_blocks ms w := sum (blocks ms) (fun c => fst c * F (snd c) w).
  Let nowhere n w := F (repeat false n) w.

  Lemma epoch_with m w : P_of (epoch_pair m) w = sum (one_of m) (fun c => fst c * F (snd c) w).
  Proof.
    cbn [epoch_pair P_of]. apply with_record_placed. apply Forall_forall. intros c I. unfold one_of in I. apply in_map_iff in I as (j & <- & _).
    cbn [snd]. unfold one_hot. now rewrite map_length, seq_length.
  Qed.

  Lemma epoch_without m w : Q_of (epoch_pair m) w = nowhere m w.
  Proof. cbn [epoch_pair Q_of]. symmetry. exact (without_same (fun _ => P) (fun _ => Q) m [] w). Qed.

  Lemma blocks_product ms (G : R -> R -> R) :
    sum (words l (total ms)) (fun w => G (in_blocks ms w) (nowhere (total ms) w))
    = sum (outcomes (product_pair (map epoch_pair ms))) (fun v => G (P_of (product_pair (map epoch_pair ms)) v) (Q_of (product_pair (map epoch_pair ms)) v)).
  Proof.
    revert G; induction ms as [|m ms IH]; intros G.
    - cbn. unfold in_blocks, nowhere, F. cbn. do 2 f_equal. ring.
    - cbn [total fold_right]. fold (total ms). rewrite sum_words_app. cbn [product_pair outcomes P_of Q_of map]. rewrite sum_sequences, sum_prod.
      cbn [epoch_pair outcomes]. apply sum_ext. intros u U. apply words_length in U. cbn [fst snd rounds].
      specialize (IH (fun a b => G (P_of (epoch_pair m) u * a) (Q_of (epoch_pair m) u * b))). cbn [product_pair outcomes P_of Q_of] in IH.
      rewrite (sum_ext_all (words l (total ms)) _ (fun v => G (P_of (epoch_pair m) u * in_blocks ms v) (Q_of (epoch_pair m) u * nowhere (total ms) v))).
      + rewrite IH. reflexivity.
      + intros v. f_equal.
        * rewrite epoch_with. unfold in_blocks. cbn [blocks]. rewrite sum_flat_map, <- sum_scal_r. apply sum_ext. intros c C. rewrite sum_map, <- sum_scal.
          apply sum_ext_all. intros d. cbn [fst snd]. rewrite F_app; [ring|]. unfold one_of in C. apply in_map_iff in C as (j & <- & _). cbn [snd].
          unfold one_hot. now rewrite map_length, seq_length.
        * rewrite epoch_without. unfold nowhere. rewrite repeat_app. apply F_app. now rewrite repeat_length.
  Qed.

  (* -------- The theorem -------- *)

  Variables (ms : list nat).
  Hypothesis HM : Forall (fun m => (1 <= m)%nat) ms.
  Let t := total ms.
  Let k := length ms.

  Lemma k_le_t : (k <= t)%nat.
  Proof. exact (total_least ms HM). Qed.

  (* Given the order pi of the places. *)
  Let in_order (pi : list nat) (w : list A) := sum (blocks ms) (fun c => fst c * F (map (fun i => nth i (snd c) false) pi) w).

  Lemma all_alike_orders w : length w = t ->
    with_record (fun _ => P) (fun _ => Q) (placed (all_alike k t)) t w = sum (orders (seq 0 t)) (fun pi => / INR (fact t) * in_order pi w).
  Proof.
    intros L. rewrite with_record_placed.
    2:{ apply Forall_forall. intros c I. unfold all_alike in I. apply in_map_iff in I as (b & <- & B). cbn [snd]. apply in_orders, Permutation_length in B.
        rewrite <- B, app_length, !repeat_length. pose proof k_le_t. lia. }
    unfold all_alike. rewrite sum_map. cbn [fst snd]. rewrite !sum_scal. f_equal. unfold in_order. rewrite sum_swap.
    destruct (blocks_weights ms HM) as [W1 _]. rewrite <- (Rmult_1_l (sum _ _)), <- W1, <- sum_scal_r. apply sum_ext. intros c C. rewrite sum_scal. f_equal.
    destruct (blocks_places ms c C) as [L1 L2].
    rewrite (sum_orders_permutation _ (snd c) (fun b => taking_part (fun _ => P) (fun _ => Q) b [] w)).
    - rewrite <- (places_map (snd c)) at 1. rewrite L1. fold t. rewrite orders_map, sum_map. reflexivity.
    - apply Permutation_sym. pose proof (places_order 1 (le_n 1) (snd c)) as O. rewrite L1, L2 in O. exact O.
  Qed.

  Lemma nowhere_order pi w : length pi = t -> nowhere t w = F (map (fun i => nth i (repeat false t) false) pi) w.
  Proof.
    intros L. unfold nowhere. f_equal. rewrite <- L. clear L. assert (Z : forall n i, nth i (repeat false n) false = false) by (induction n; intros [|i]; cbn; auto).
    generalize (length pi) at 2. intros n. induction pi as [|i pi IH]; [reflexivity|]. cbn [length repeat map]. now rewrite Z, IH.
  Qed.

  (* Every order tells as much. *)
  Lemma order_value pi (G : R -> R -> R) : Permutation (seq 0 t) pi ->
    sum (words l t) (fun w => G (in_order pi w) (nowhere t w)) = sum (words l t) (fun w => G (in_blocks ms w) (nowhere t w)).
  Proof.
    intros O. pose proof (Permutation_length O) as L. rewrite seq_length in L. symmetry in L.
    set (H := fun u => G (sum (blocks ms) (fun c => fst c * paired (snd c) u)) (paired (repeat false t) u)).
    assert (S1 : forall u v, Permutation u v -> H u = H v).
    { intros u v U. unfold H. f_equal; [apply sum_ext_all; intros c; f_equal|]; now apply paired_order. }
    transitivity (sum (words l (length pi)) (fun w => H (combine pi w))).
    - rewrite L. apply sum_ext. intros w W. apply words_length in W. unfold H, in_order. f_equal.
      + apply sum_ext_all. intros c. f_equal. apply paired_places. congruence.
      + rewrite (nowhere_order pi w L). apply paired_places. congruence.
    - rewrite (words_reordered l pi (seq 0 t) (Permutation_sym O) H S1), seq_length. apply sum_ext. intros w W. apply words_length in W.
      unfold H, in_blocks. f_equal.
      + apply sum_ext. intros c C. f_equal. destruct (blocks_places ms c C) as [L1 _]. rewrite <- paired_places by (rewrite seq_length; exact W).
        fold t in L1. rewrite <- L1, places_map. reflexivity.
      + rewrite <- paired_places by (rewrite seq_length; exact W). symmetry. apply nowhere_order. apply seq_length.
  Qed.

  Theorem allocation_above alpha :
    let p := product_pair (map epoch_pair ms) in
    hockey (words l t) alpha (with_record (fun _ => P) (fun _ => Q) (placed (all_alike k t)) t) (without (fun _ => Q) t)
      <= hockey (outcomes p) alpha (P_of p) (Q_of p)
    /\ hockey (words l t) alpha (without (fun _ => Q) t) (with_record (fun _ => P) (fun _ => Q) (placed (all_alike k t)) t)
      <= hockey (outcomes p) alpha (Q_of p) (P_of p).
  Proof.
    intros p. assert (W : law (orders (seq 0 t)) (fun _ : list nat => / INR (fact t))).
    { assert (N : 0 < INR (fact t)) by (apply lt_0_INR, lt_O_fact). split; [intros pi _; apply Rlt_le, Rinv_0_lt_compat, N|].
      rewrite sum_const, orders_length, seq_length. field. lra. }
    destruct W as [W0 W1].
    assert (E : forall w, In w (words l t) -> with_record (fun _ => P) (fun _ => Q) (placed (all_alike k t)) t w
      = sum (orders (seq 0 t)) (fun pi => / INR (fact t) * in_order pi w))
      by (intros w I; apply words_length in I; now apply all_alike_orders).
    assert (E' : forall w, In w (words l t) -> without (fun _ => Q) t w = sum (orders (seq 0 t)) (fun pi => / INR (fact t) * nowhere t w)).
    { intros w _. rewrite sum_scal_r, W1, Rmult_1_l. symmetry. exact (without_same (fun _ => P) (fun _ => Q) t [] w). }
    assert (V : forall G : R -> R -> R, sum (words l t) (fun w => G (in_blocks ms w) (nowhere t w))
      = sum (outcomes p) (fun v => G (P_of p v) (Q_of p v))) by (intros G; apply blocks_product).
    split.
    - rewrite (hockey_ext _ _ _ _ _ _ E E'). eapply Rle_trans; [apply (hockey_mixture (words l t) (orders (seq 0 t))
        (fun _ => / INR (fact t)) in_order (fun _ => nowhere t)); exact W0|].
      rewrite <- (Rmult_1_l (hockey (outcomes p) _ _ _)), <- W1, <- sum_scal_r. apply sum_le. intros pi I. apply Rmult_le_compat_l; [exact (W0 pi I)|].
      apply in_orders in I. right. unfold hockey. rewrite (order_value pi (fun a b => pos (a - alpha * b)) I). apply (V (fun a b => pos (a - alpha * b))).
    - rewrite (hockey_ext _ _ _ _ _ _ E' E). eapply Rle_trans; [apply (hockey_mixture (words l t) (orders (seq 0 t)) (fun _ => / INR (fact t))
        (fun _ => nowhere t) in_order); exact W0|].
      rewrite <- (Rmult_1_l (hockey (outcomes p) _ _ _)), <- W1, <- sum_scal_r. apply sum_le. intros pi I. apply Rmult_le_compat_l; [exact (W0 pi I)|].
      apply in_orders in I. right. unfold hockey. rewrite (order_value pi (fun a b => pos (b - alpha * a)) I). apply (V (fun a b => pos (b - alpha * a))).
  Qed.
End Above.
