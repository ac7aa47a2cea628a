(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Sums of vectors of bits that are independent given one-hot data:
 * ../binary-reports.md, Theorem 6, and ../rappor.md. The entries of the sum are
 * independent (summed_entries), all but two have one law in both data sets and
 * drop out (summed_two), and each of the two is a number of ones as in
 * BinaryReports.v.
 *)
From Coq Require Import Reals List Lra Lia Arith Permutation.
From Shufbound Require Import Sum Hockey Divergence Composition Trinomial Binomial Shuffle ShuffleCounts Stronger ShuffleRounds KrrShuffle Instances
  Rappor BinaryReports.
Import ListNotations.
Open Scope R_scope.

(* The probability of the bits y if entry j is a one with probability r j. *)
Fixpoint vector (r : list R) (y : list bool) : R :=
  match r, y with
  | [], [] => 1
  | u :: r', b :: y' => bit u b * vector r' y'
  | _, _ => 0
  end.

(* The mass at s of y and what has the mass M. *)
Fixpoint shifted (y : list bool) (M : list nat -> R) (s : list nat) : R :=
  match y, s with
  | b :: y', c :: s' =>
      if b then match c with O => 0 | S d => shifted y' (fun s => M (d :: s)) s' end else shifted y' (fun s => M (c :: s)) s'
  | _, _ => M s
  end.

(* The mass at s of the sum of the users' vectors of k bits, which are independent. *)
Fixpoint summed {X} (k : nat) (A : X -> list bool -> R) (xs : list X) (s : list nat) : R :=
  match xs with
  | [] => if forallb (Nat.eqb 0) s then 1 else 0
  | x :: xs' => sum (words bits k) (fun y => A x y * shifted y (summed k A xs') s)
  end.

Lemma shifted_ext y : forall M N s, (forall t, length t = length s -> M t = N t) -> shifted y M s = shifted y N s.
Proof.
  induction y as [|b y IH]; intros M N [|c s] H; cbn [shifted]; try (now apply H).
  destruct b; [destruct c as [|d]; [reflexivity|]|]; apply IH; intros t L; apply H; cbn; congruence.
Qed.

Lemma shifted_scal y : forall a M s, shifted y (fun t => a * M t) s = a * shifted y M s.
Proof.
  induction y as [|b y IH]; intros a M [|c s]; cbn [shifted]; try reflexivity.
  destruct b; [destruct c as [|d]; [ring|]|]; apply (IH a (fun s => M (_ :: s))).
Qed.

(* One vector more, entry by entry. *)
Lemma shifted_product r : forall (Ms : list (nat -> R)) s, length Ms = length r -> length s = length r ->
  sum (words bits (length r)) (fun y => vector r y * shifted y (rounds Ms) s)
  = rounds (map (fun c => fun i => fst c * before (snd c) i + (1 - fst c) * snd c i) (combine r Ms)) s.
Proof.
  induction r as [|u r IH]; intros [|M Ms] [|c s] LM LS; try discriminate; [cbn; ring|].
  cbn in LM, LS. injection LM as LM. injection LS as LS. specialize (IH Ms s LM LS).
  cbn [length]. rewrite sum_words. cbn [bits sum combine map rounds vector shifted bit fst snd].
  rewrite (sum_ext_all _ (fun w => (1 - u) * vector r w * _) (fun w => (1 - u) * M c * (vector r w * shifted w (rounds Ms) s))).
  2:{ intros w. rewrite (shifted_scal w (M c) (rounds Ms) s). ring. }
  rewrite sum_scal, IH. set (rest := rounds _ s).
  destruct c as [|d]; cbn [before].
  - rewrite (sum_ext_all _ _ (fun _ => 0)) by (intros; ring). rewrite sum_zero. ring.
  - rewrite (sum_ext_all _ _ (fun w => u * M d * (vector r w * shifted w (rounds Ms) s))).
    2:{ intros w. rewrite (shifted_scal w (M d) (rounds Ms) s). ring. }
    rewrite sum_scal, IH. fold rest. ring.
Qed.

(* The entries are independent; of each it is the number of ones. *)
Theorem summed_entries {X} (r : X -> list R) k xs s :
  (forall x, length (r x) = k) -> length s = k ->
  summed k (fun x => vector (r x)) xs s = rounds (map (fun j => ones (map (fun x => nth j (r x) 0) xs)) (seq 0 k)) s.
Proof.
  intros LR. revert s; induction xs as [|x xs IH]; intros s LS.
  - cbn [summed map]. subst k. clear LR.
    assert (G : forall i, (if forallb (Nat.eqb 0) s then 1 else 0) = rounds (map (fun _ => ones []) (seq i (length s))) s); [|apply G].
    induction s as [|c s IH]; intros i; [reflexivity|].
    cbn [length seq map rounds forallb]. rewrite <- (IH (S i)). destruct c; cbn [Nat.eqb andb ones]; [now rewrite Rmult_1_l | now rewrite Rmult_0_l].
  - cbn [summed map]. rewrite <- (LR x) at 1.
    rewrite (sum_ext_all _ _ (fun y => vector (r x) y * shifted y (rounds (map (fun j => ones (map (fun x => nth j (r x) 0) xs)) (seq 0 k))) s)).
    2:{ intros y. f_equal. apply shifted_ext. intros t L. apply IH. congruence. }
    rewrite shifted_product by (rewrite ?map_length, ?seq_length, LR; trivial).
    f_equal. assert (E : r x = map (fun j => nth j (r x) 0) (seq 0 k)).
    { rewrite <- (LR x). generalize (r x) as v. clear. induction v as [|u v IH]; [reflexivity|].
      cbn [length seq map nth]. f_equal. rewrite <- seq_shift, map_map. exact IH. }
    rewrite E at 1. clear. induction (seq 0 k) as [|j js IH]; [reflexivity|]. cbn [map combine fst snd]. now f_equal.
Qed.

(* -------- Which entries tell something -------- *)

Lemma rounds_product {A} (p : pair_of A) ps alpha :
  0 <= alpha -> masses p -> Forall masses ps ->
  hockey (outcomes (product_pair (p :: ps))) alpha (P_of (product_pair (p :: ps))) (Q_of (product_pair (p :: ps)))
  = sum (outcomes p) (fun x => P_of p x *
      hockey (outcomes (product_pair ps)) (alpha * Q_of p x / P_of p x) (P_of (product_pair ps)) (Q_of (product_pair ps))).
Proof.
  intros H [MP MQ] F. destruct (product_pair_masses ps F) as [_ NQ]. cbn [product_pair outcomes P_of Q_of map]. rewrite hockey_sequences.
  apply (hockey_joint (outcomes p) (sequences (map outcomes ps)) alpha (P_of p) (Q_of p) (fun _ => rounds (map P_of ps)) (fun _ => rounds (map Q_of ps)) H MP MQ).
  intros x _. exact NQ.
Qed.

(* Pairs of one law with itself drop out of a product. *)
Theorem product_alike {I A} (entry : I -> pair_of A) (tells : I -> bool) js :
  (forall j, In j js -> masses (entry j)) ->
  (forall j, In j js -> tells j = false ->
     sum (outcomes (entry j)) (P_of (entry j)) = 1 /\ forall x, In x (outcomes (entry j)) -> P_of (entry j) x = Q_of (entry j) x) ->
  forall alpha, 0 <= alpha ->
  let value ps := hockey (outcomes (product_pair ps)) alpha (P_of (product_pair ps)) (Q_of (product_pair ps)) in
  value (map entry js) = value (map entry (filter tells js)).
Proof.
  induction js as [|j js IH]; intros M D alpha H; [reflexivity|]. cbn zeta in IH |- *.
  assert (F : forall l, (forall i, In i l -> In i js) -> Forall masses (map entry l)).
  { intros l Hl. apply Forall_forall. intros p Hp. apply in_map_iff in Hp as (i & <- & Hi). apply M. right. auto. }
  assert (Mj : masses (entry j)) by (apply M; now left).
  specialize (IH (fun i Hi => M i (or_intror Hi)) (fun i Hi => D i (or_intror Hi))).
  cbn [map filter]. rewrite rounds_product by auto. destruct (tells j) eqn:T.
  - cbn [map]. rewrite rounds_product; auto.
    + apply sum_ext. intros x Hx. f_equal. apply IH. destruct Mj. apply ratio_nonneg; auto.
    + apply F. intros i Hi. now apply filter_In in Hi.
  - destruct (D j (or_introl eq_refl) T) as [ONE E]. rewrite <- (IH alpha H).
    set (h := hockey (outcomes (product_pair (map entry js)))). set (P := P_of (product_pair (map entry js))). set (Q := Q_of (product_pair (map entry js))).
    rewrite (sum_ext _ _ (fun x => P_of (entry j) x * h alpha P Q)).
    + rewrite sum_scal_r, ONE. ring.
    + intros x Hx. destruct (Req_dec (P_of (entry j) x) 0) as [Z|N]; [rewrite Z; ring|]. f_equal.
      rewrite <- (E x Hx). unfold h. f_equal. field. exact N.
Qed.

(* The order of the pairs does not matter. *)
Lemma product_two {A} (p q : pair_of A) alpha :
  let value ps := hockey (outcomes (product_pair ps)) alpha (P_of (product_pair ps)) (Q_of (product_pair ps)) in
  value [p; q] = value [q; p].
Proof.
  cbn zeta. cbn [product_pair outcomes P_of Q_of map]. unfold hockey. rewrite !sum_sequences, !sum_prod.
  cbn [sequences map list_prod app fst snd].
  rewrite (sum_ext_all (outcomes p) _ (fun x => sum (outcomes q) (fun y => pos (P_of p x * (P_of q y * 1) - alpha * (Q_of p x * (Q_of q y * 1)))))).
  2:{ intros x. rewrite sum_map, sum_prod. apply sum_ext_all. intros y. cbn. ring. }
  rewrite (sum_ext_all (outcomes q) _ (fun y => sum (outcomes p) (fun x => pos (P_of p x * (P_of q y * 1) - alpha * (Q_of p x * (Q_of q y * 1)))))).
  2:{ intros y. rewrite sum_map, sum_prod. apply sum_ext_all. intros x. cbn. rewrite Rplus_0_r. f_equal. ring. }
  apply sum_swap.
Qed.

(* Who sees the first outcome alone sees less. *)
Lemma product_first {A} (p q : pair_of A) alpha :
  law (outcomes q) (P_of q) -> law (outcomes q) (Q_of q) ->
  hockey (outcomes p) alpha (P_of p) (Q_of p)
  <= hockey (outcomes (product_pair [p; q])) alpha (P_of (product_pair [p; q])) (Q_of (product_pair [p; q])).
Proof.
  intros [_ SP] [_ SQ]. cbn [product_pair outcomes P_of Q_of map]. unfold hockey. rewrite sum_sequences, sum_prod.
  apply sum_le. intros x _. cbn [sequences map list_prod fst snd].
  rewrite sum_map, sum_prod.
  rewrite (sum_ext_all (outcomes q) _ (fun y => pos (P_of p x * P_of q y - alpha * (Q_of p x * Q_of q y)))).
  2:{ intros y. cbn. rewrite Rplus_0_r. f_equal. ring. }
  eapply Rle_trans; [|apply pos_sum]. right. f_equal. rewrite sum_minus, !sum_scal, SP, SQ. ring.
Qed.

(* -------- One-hot data -------- *)

Section OneHot.
  Variables (p q : R) (k : nat).
  Hypotheses (Q0 : 0 <= q) (QP : q <= p) (P1 : p <= 1).

  (* The probabilities of ones of a user with the value i, and a bit of all users. *)
  Definition one_hot_rates (i : nat) : list R := map (fun j => if (i =? j)%nat then p else q) (seq 0 k).
  Definition column (j : nat) (xs : list nat) : list R := map (fun i => if (i =? j)%nat then p else q) xs.

  (* The sum of the reports of users with the values xs. *)
  Definition sum_of_bits (xs : list nat) : list nat -> R := summed k (fun i => vector (one_hot_rates i)) xs.
  Definition sums (n : nat) : list (list nat) := sequences (repeat (seq 0 (S n)) k).

  Definition entry (x0 x1 : nat) (xs : list nat) (j : nat) : pair_of nat :=
    Pair (seq 0 (S (S (length xs)))) (ones (column j (x0 :: xs))) (ones (column j (x1 :: xs))).

  Lemma column_unit j xs : Forall (fun u => 0 <= u <= 1) (column j xs).
  Proof. apply Forall_forall. intros u I. apply in_map_iff in I as (i & <- & _). destruct (i =? j)%nat; lra. Qed.

  Lemma entry_masses x0 x1 xs j : masses (entry x0 x1 xs j).
  Proof. split; intros c _; apply ones_nonneg, column_unit. Qed.

  Lemma column_pq j xs : Permutation (column j xs) (pq p q (count_occ Nat.eq_dec xs j) (length xs - count_occ Nat.eq_dec xs j)).
  Proof.
    induction xs as [|i xs IH]; [apply Permutation_refl|]. cbn [column map length count_occ]. fold (column j xs).
    pose proof (count_occ_bound Nat.eq_dec j xs) as B.
    destruct (Nat.eqb_spec i j) as [->|N].
    - destruct (Nat.eq_dec j j) as [_|C]; [|now destruct C]. cbn [Nat.sub]. apply (perm_skip p IH).
    - destruct (Nat.eq_dec i j) as [C|_]; [contradiction|]. replace (S (length xs) - count_occ Nat.eq_dec xs j)%nat with (S
        (length xs - count_occ Nat.eq_dec xs j)) by lia.
      eapply Permutation_trans; [apply (perm_skip q IH)|]. unfold pq. cbn [repeat]. apply Permutation_middle.
  Qed.

  Lemma in_sums n s : In s (sums n) -> length s = k.
  Proof.
    unfold sums. revert s. induction k as [|m IH]; intros s I; [destruct I as [<-|[]]; reflexivity|].
    cbn [repeat] in I. apply in_sequences in I as (c & t & -> & _ & T). cbn. now rewrite (IH t T).
  Qed.

  Lemma sum_of_bits_entries xs s : length s = k -> sum_of_bits xs s = rounds (map (fun j => ones (column j xs)) (seq 0 k)) s.
  Proof.
    intros L. unfold sum_of_bits. rewrite (summed_entries one_hot_rates) by (trivial; intros; unfold one_hot_rates; now rewrite map_length, seq_length).
    f_equal. apply map_ext_in. intros j J. apply in_seq in J. f_equal. unfold column. apply map_ext. intros i.
    unfold one_hot_rates. rewrite (nth_indep _ 0 (if (i =? 0)%nat then p else q)) by (rewrite map_length, seq_length; lia).
    rewrite (map_nth (fun j => if (i =? j)%nat then p else q) (seq 0 k) 0%nat j), seq_nth by lia. reflexivity.
  Qed.

  (* The divergence on given data is that of the two entries that differ. *)
  Theorem summed_two x0 x1 xs alpha :
    (x0 < k)%nat -> (x1 < k)%nat -> x0 <> x1 -> 0 <= alpha ->
    let two := product_pair [entry x0 x1 xs x0; entry x0 x1 xs x1] in
    hockey (sums (S (length xs))) alpha (sum_of_bits (x0 :: xs)) (sum_of_bits (x1 :: xs)) = hockey (outcomes two) alpha (P_of two) (Q_of two).
  Proof.
    intros H0 H1 N H two. set (all := product_pair (map (entry x0 x1 xs) (seq 0 k))).
    assert (O : outcomes all = sums (S (length xs))).
    { unfold all, sums, product_pair. cbn [outcomes]. f_equal. rewrite map_map. cbn [entry outcomes].
      set (l := seq 0 (S (S (length xs)))). transitivity (repeat l (length (seq 0 k))); [|now rewrite seq_length].
      induction (seq 0 k) as [|j js IH]; [reflexivity|]. cbn [map length repeat]. now rewrite IH. }
    transitivity (hockey (outcomes all) alpha (P_of all) (Q_of all)).
    { rewrite O. apply hockey_ext; intros s S; apply in_sums in S; rewrite sum_of_bits_entries by exact S; unfold all, product_pair; cbn [P_of Q_of];
        rewrite map_map; reflexivity. }
    set (tells := fun j => ((j =? x0) || (j =? x1))%nat%bool).
    pose proof (product_alike (entry x0 x1 xs) tells (seq 0 k) (fun j _ => entry_masses x0 x1 xs j)) as D. unfold all. rewrite D; trivial.
    - assert (F : Permutation (filter tells (seq 0 k)) [x0; x1]).
      { apply NoDup_Permutation; [apply NoDup_filter, seq_NoDup | repeat constructor; cbn; intuition |].
        intros j. rewrite filter_In, in_seq. unfold tells. rewrite Bool.orb_true_iff, !Nat.eqb_eq. cbn. split; [intuition|].
        intros [<-|[<-|[]]]; intuition lia. }
      apply Permutation_sym, Permutation_length_2_inv in F as [->| ->]; [reflexivity|]. apply product_two.
    - intros j _ T. unfold tells in T. apply Bool.orb_false_iff in T as [T0 T1]. apply Nat.eqb_neq in T0, T1.
      cbn [entry outcomes P_of Q_of]. split.
      + apply ones_sum. unfold column. rewrite map_length. cbn. lia.
      + intros c _. unfold column. cbn [map]. now rewrite (proj2 (Nat.eqb_neq x0 j)), (proj2 (Nat.eqb_neq x1 j)) by auto.
  Qed.

  (* A number of ones, a of the others with p, the user who differs with u or v. *)
  Definition bits_pair (u v : R) (n a : nat) : pair_of nat := Pair (seq 0 (S (S n))) (ones (u :: pq p q a (n - a))) (ones (v :: pq p q a (n - a))).

  Lemma entry_is x0 x1 xs j : forall c,
    P_of (entry x0 x1 xs j) c = ones ((if (x0 =? j)%nat then p else q) :: pq p q (count_occ Nat.eq_dec xs j) (length xs - count_occ Nat.eq_dec xs j)) c
    /\ Q_of (entry x0 x1 xs j) c = ones ((if (x1 =? j)%nat then p else q) :: pq p q (count_occ Nat.eq_dec xs j) (length xs - count_occ Nat.eq_dec xs j)) c.
  Proof. intros c. split; apply ones_permutation, perm_skip, column_pq. Qed.

  (* a of the others hold x0, b hold x1. *)
  Theorem sum_of_bits_data x0 x1 xs alpha :
    (x0 < k)%nat -> (x1 < k)%nat -> x0 <> x1 -> 0 <= alpha ->
    let n := length xs in
    let two := product_pair [bits_pair p q n (count_occ Nat.eq_dec xs x0); bits_pair q p n (count_occ Nat.eq_dec xs x1)] in
    hockey (sums (S n)) alpha (sum_of_bits (x0 :: xs)) (sum_of_bits (x1 :: xs)) = hockey (outcomes two) alpha (P_of two) (Q_of two).
  Proof.
    intros H0 H1 N H n two. unfold n at 1. rewrite summed_two by assumption.
    assert (E0 : (x0 =? x1)%nat = false) by now apply Nat.eqb_neq.
    assert (E1 : (x1 =? x0)%nat = false) by (apply Nat.eqb_neq; auto).
    apply sum_ext. intros s _. unfold two, product_pair. cbn [P_of Q_of map].
    assert (G : forall l, In l [true; false] -> rounds (if l then [P_of (entry x0 x1 xs x0); P_of (entry x0 x1 xs x1)] else [Q_of (entry x0 x1 xs x0);
      Q_of (entry x0 x1 xs x1)]) s
      = rounds (if l then [P_of (bits_pair p q n (count_occ Nat.eq_dec xs x0)); P_of (bits_pair q p n (count_occ Nat.eq_dec xs x1))]
                else [Q_of (bits_pair p q n (count_occ Nat.eq_dec xs x0)); Q_of (bits_pair q p n (count_occ Nat.eq_dec xs x1))]) s).
    { intros l _. destruct (entry_is x0 x1 xs x0 0) as [_ _]. destruct l, s as [|c [|d s]]; cbn [rounds]; trivial;
        repeat (rewrite (proj1 (entry_is x0 x1 xs _ _)) || rewrite (proj2 (entry_is x0 x1 xs _ _)));
        rewrite ?E0, ?E1, ?Nat.eqb_refl; reflexivity. }
    pose proof (G true (or_introl eq_refl)) as GP. pose proof (G false (or_intror (or_introl eq_refl))) as GQ. cbn [P_of Q_of] in *. now rewrite GP, GQ.
  Qed.

  (* Pairs that bound the worst data of one bit, one for each direction: their product bounds the sum. *)
  Theorem sum_of_bits_above {A} (h h' : pair_of A) x0 x1 xs :
    (x0 < k)%nat -> (x1 < k)%nat -> x0 <> x1 -> masses h -> masses h' ->
    (forall a, (a <= length xs)%nat -> let b := bits_pair p q (length xs) a in bounds h (outcomes b) (P_of b) (Q_of b)) ->
    (forall a, (a <= length xs)%nat -> let b := bits_pair q p (length xs) a in bounds h' (outcomes b) (P_of b) (Q_of b)) ->
    bounds (product_pair [h; h']) (sums (S (length xs))) (sum_of_bits (x0 :: xs)) (sum_of_bits (x1 :: xs)).
  Proof.
    intros H0 H1 N M M' B B' alpha H. rewrite sum_of_bits_data by assumption.
    assert (MB : forall u v a, 0 <= u <= 1 -> 0 <= v <= 1 -> masses (bits_pair u v (length xs) a)).
    { intros u v a U V. assert (F : Forall (fun u => 0 <= u <= 1) (pq p q a (length xs - a))).
      { apply Forall_app. split; apply Forall_forall; intros w I; apply repeat_spec in I; lra. }
      split; intros c _; apply ones_nonneg; now constructor. }
    apply (dominates_rounds [h; h'] [bits_pair p q (length xs) (count_occ Nat.eq_dec xs x0); bits_pair q p (length xs) (count_occ Nat.eq_dec xs x1)]); trivial;
      [now repeat apply Forall_cons | repeat apply Forall_cons; trivial; apply MB; lra |].
    pose proof (count_occ_bound Nat.eq_dec x0 xs). pose proof (count_occ_bound Nat.eq_dec x1 xs).
    apply Forall2_cons; [now apply B | apply Forall2_cons; [now apply B' | apply Forall2_nil]].
  Qed.
End OneHot.

(* -------- Symmetric RAPPOR -------- *)

Section Rappor.
  Variables (E : R) (k : nat).
  Hypothesis HE : 1 <= E.

  (* Its reports are the bits of one-hot data, p = E/(E+1) and q = 1/(E+1). *)
  Lemma rappor_vector i y : rappor E k i y = vector (one_hot_rates (E / (E + 1)) (1 / (E + 1)) k i) y.
  Proof.
    unfold rappor, one_hot, one_hot_rates. revert y. induction (seq 0 k) as [|j js IH]; intros [|b y]; cbn; try reflexivity.
    rewrite IH. f_equal. unfold bit. destruct (i =? j)%nat, b; cbn; try reflexivity; field; lra.
  Qed.

  Definition rappor_sum_of (xs : list nat) : list nat -> R := summed k (rappor E k) xs.

  Lemma rappor_sum_is xs s : rappor_sum_of xs s = sum_of_bits (E / (E + 1)) (1 / (E + 1)) k xs s.
  Proof.
    unfold rappor_sum_of, sum_of_bits. revert s. induction xs as [|x xs IH]; intros s; [reflexivity|]. cbn [summed].
    apply sum_ext_all. intros y. rewrite rappor_vector. f_equal. apply shifted_ext. intros. apply IH.
  Qed.

  (* Worst data of one bit are data of binary randomised response. *)
  Lemma response_worst a b alpha :
    let others := repeat true a ++ repeat false b in
    hockey (words bits (S (a + b))) alpha (shuffled (binary E) (true :: others)) (shuffled (binary E) (false :: others))
    = worst (E / (E + 1)) (1 / (E + 1)) alpha (a + b) a
    /\ hockey (words bits (S (a + b))) alpha (shuffled (binary E) (false :: others)) (shuffled (binary E) (true :: others))
    = worst_back (E / (E + 1)) (1 / (E + 1)) alpha (a + b) a.
  Proof. apply (binary_reports_attained (binary E []) _ _ (binary_randomiser E HE [])); reflexivity. Qed.

  (* If nothing but the sum is released, two rounds of the stronger clones pair bound it. *)
  Theorem rappor_sum x0 x1 xs :
    (x0 < k)%nat -> (x1 < k)%nat -> x0 <> x1 ->
    bounds (power 2 (stronger_pair E (length xs))) (sums k (S (length xs))) (rappor_sum_of (x0 :: xs)) (rappor_sum_of (x1 :: xs)).
  Proof.
    intros H0 H1 N alpha H. pose proof (over_E_plus E HE). pose proof (E_over_E_plus E HE).
    rewrite (hockey_ext _ _ _ _ _ _ (fun s _ => rappor_sum_is (x0 :: xs) s) (fun s _ => rappor_sum_is (x1 :: xs) s)).
    revert alpha H. apply sum_of_bits_above; trivial; try lra.
    - destruct (stronger_law E (length xs) HE) as [[MP _] [MQ _]]. now split.
    - destruct (stronger_law E (length xs) HE) as [[MP _] [MQ _]]. now split.
    - intros a L b alpha H. destruct (response_worst a (length xs - a) alpha) as [W _]. replace (a + (length xs - a))%nat with (length xs) in W by lia.
      change (worst (E / (E + 1)) (1 / (E + 1)) alpha (length xs) a <= stronger_hockey E (length xs) alpha). rewrite <- W.
      set (others := repeat true a ++ repeat false (length xs - a)). assert (LO : length others = length xs) by (unfold others;
        rewrite app_length, !repeat_length; lia).
      rewrite <- LO. apply (stronger_bound bits (binary E) E); auto; [now apply binary_randomiser | now apply binary_ldp].
    - intros a L b alpha H. destruct (response_worst a (length xs - a) alpha) as [_ W]. replace (a + (length xs - a))%nat with (length xs) in W by lia.
      change (worst_back (E / (E + 1)) (1 / (E + 1)) alpha (length xs) a <= stronger_hockey E (length xs) alpha). rewrite <- W.
      set (others := repeat true a ++ repeat false (length xs - a)). assert (LO : length others = length xs) by (unfold others;
        rewrite app_length, !repeat_length; lia).
      rewrite <- LO. apply (stronger_bound bits (binary E) E); auto; [now apply binary_randomiser | now apply binary_ldp].
  Qed.

  (* One bit of the sum is shuffled binary randomised response: a of the others hold x0. *)
  Theorem rappor_bit x0 x1 xs alpha :
    (x0 < k)%nat -> (x1 < k)%nat -> x0 <> x1 -> 0 <= alpha ->
    let a := count_occ Nat.eq_dec xs x0 in
    let others := repeat true a ++ repeat false (length xs - a) in
    hockey (words bits (S (length xs))) alpha (shuffled (binary E) (true :: others)) (shuffled (binary E) (false :: others))
    <= hockey (sums k (S (length xs))) alpha (rappor_sum_of (x0 :: xs)) (rappor_sum_of (x1 :: xs))
    /\ hockey (words bits (S (length xs))) alpha (shuffled (binary E) (false :: others)) (shuffled (binary E) (true :: others))
    <= hockey (sums k (S (length xs))) alpha (rappor_sum_of (x1 :: xs)) (rappor_sum_of (x0 :: xs)).
  Proof.
    intros H0 H1 N H a others. pose proof (over_E_plus E HE). pose proof (E_over_E_plus E HE).
    pose proof (count_occ_bound Nat.eq_dec x0 xs) as L. fold a in L.
    destruct (response_worst a (length xs - a) alpha) as [W W']. replace (a + (length xs - a))%nat with (length xs) in W, W' by lia.
    fold others in W, W'. rewrite W, W'.
    rewrite (hockey_ext _ _ (rappor_sum_of (x0 :: xs)) _ _ _ (fun s _ => rappor_sum_is (x0 :: xs) s) (fun s _ => rappor_sum_is (x1 :: xs) s)).
    rewrite (hockey_ext _ _ (rappor_sum_of (x1 :: xs)) _ _ _ (fun s _ => rappor_sum_is (x1 :: xs) s) (fun s _ => rappor_sum_is (x0 :: xs) s)).
    set (p := E / (E + 1)) in *. set (q := 1 / (E + 1)) in *.
    assert (U : forall u v c, 0 <= u <= 1 -> 0 <= v <= 1 -> (c <= length xs)%nat ->
      let b := bits_pair p q u v (length xs) c in law (outcomes b) (P_of b) /\ law (outcomes b) (Q_of b)).
    { intros u v c Hu Hv Hc b. assert (F : Forall (fun u => 0 <= u <= 1) (pq p q c (length xs - c))).
      { apply Forall_app. split; apply Forall_forall; intros w I; apply repeat_spec in I; lra. }
      split; (split; [intros i _; apply ones_nonneg; now constructor | apply ones_sum; cbn; rewrite pq_length; lia]). }
    pose proof (count_occ_bound Nat.eq_dec x1 xs) as L1.
    rewrite !(sum_of_bits_data p q k) by (auto; lra). split.
    - apply (product_first (bits_pair p q p q (length xs) a)); apply U; trivial; lra.
    - cbn zeta. rewrite (product_two (bits_pair p q p q (length xs) _)).
      apply (product_first (bits_pair p q q p (length xs) a)); apply U; trivial; lra.
  Qed.
End Rappor.
