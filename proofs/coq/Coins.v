(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Coins added to a count, ../binomial-noise.md, and noise that is the sum of many
 * users' shares, some of which are known, ../additive-noise.md, Theorem 6.
 *)
From Coq Require Import Reals List Lra Lia Arith Permutation.
From Shufbound Require Import Sum Hockey Divergence Composition Trinomial TrinomialMean Binomial Groups Noise.
Import ListNotations.
Open Scope R_scope.

(* -------- Coins -------- *)

Definition coins (N : nat) : nat -> R := bin (1 / 2) N.

Lemma coins_noise N : noise N (coins N).
Proof.
  unfold coins. split; [split|split].
  - intros k _. apply bin_nonneg. lra.
  - unfold range. rewrite Nat.add_0_r. apply bin_sum.
  - intros k H. now apply bin_above.
  - intros k H. rewrite <- (bin_mirror (1 / 2) N k H). f_equal. lra.
Qed.

Lemma coins_step N k : coins N (S k) * INR (S k) = coins N k * INR (N - k).
Proof. pose proof (bin_step (1 / 2) N k) as H. unfold coins. lra. Qed.

Lemma coins_log_concave N : log_concave (coins N).
Proof.
  assert (P : forall k, 0 <= coins N k) by (intros; apply bin_nonneg; lra).
  intros d x y H. unfold moved. destruct (Nat.leb_spec d x) as [X|X].
  2:{ rewrite Rmult_0_r. apply Rmult_le_pos; [apply P|]. destruct (d <=? y)%nat; [apply P | lra]. }
  destruct (Nat.leb_spec d y) as [Y|Y]; [|lia]. clear Y. induction H as [|y H IH]; [lra|].
  replace (S y - d)%nat with (S (y - d)) by lia.
  assert (S1 : 0 < INR (S y)) by (apply lt_0_INR; lia). assert (S2 : 0 < INR (S (y - d))) by (apply lt_0_INR; lia).
  pose proof (coins_step N y) as E1. pose proof (coins_step N (y - d)) as E2.
  apply (Rmult_le_reg_r (INR (S y) * INR (S (y - d)))); [now apply Rmult_lt_0_compat|].
  replace (coins N (S y) * coins N (x - d) * (INR (S y) * INR (S (y - d)))) with (coins N y * coins N (x - d) * (INR (N - y) * INR (S (y - d))))
    by (transitivity (coins N (S y) * INR (S y) * (coins N (x - d) * INR (S (y - d)))); [rewrite E1; ring | ring]).
  replace (coins N x * coins N (S (y - d)) * (INR (S y) * INR (S (y - d)))) with (coins N x * coins N (y - d) * (INR (N - (y - d)) * INR (S y)))
    by (transitivity (coins N x * INR (S y) * (coins N (S (y - d)) * INR (S (y - d)))); [rewrite E2; ring | ring]).
  apply Rmult_le_compat; [apply Rmult_le_pos; apply P | apply Rmult_le_pos; apply pos_INR | exact IH|].
  rewrite <- !mult_INR. apply le_INR. nia.
Qed.

(* N reports that are 0 or 1 with probability 1/2: as many ones as there are heads, the rest zeros. *)
Lemma others_coins N a b : others (1 / 2) (1 / 2) N a b = if (a + b =? N)%nat then coins N a else 0.
Proof.
  revert a b; induction N as [|N IH]; intros a b; [destruct a, b; reflexivity|].
  cbn [others]. replace (1 - 1 / 2 - 1 / 2) with 0 by field.
  rewrite (before_ext (fun a => others (1 / 2) (1 / 2) N a b) (fun a => if (a + b =? N)%nat then coins N a else 0) a) by (intros; apply IH).
  rewrite (before_ext (fun b => others (1 / 2) (1 / 2) N a b) (fun b => if (a + b =? N)%nat then coins N a else 0) b) by (intros; apply IH).
  unfold coins. rewrite bin_S.
  destruct a as [|a], b as [|b]; cbn [before Nat.add].
  - destruct (Nat.eqb_spec 0 (S N)); [lia | ring].
  - destruct (Nat.eqb_spec b N), (Nat.eqb_spec (S b) (S N)); try lia; field.
  - rewrite Nat.add_0_r. destruct (Nat.eqb_spec a N) as [E|D], (Nat.eqb_spec (S a) (S N)); try lia; [|field].
    rewrite (bin_above _ N (S a)) by lia. field.
  - rewrite Nat.add_succ_r. destruct (Nat.eqb_spec (S (a + b)) N) as [E|D], (Nat.eqb_spec (S (S (a + b))) (S N)); try lia; field.
Qed.

Lemma sum_antidiagonal N (T : nat -> nat -> R) : (forall a b, (a + b)%nat <> S N -> T a b = 0) ->
  sum (counts N) (fun c => T (fst c) (snd c)) = sum (seq 0 (S (S N))) (fun a => T a (S N - a)%nat).
Proof.
  intros H. rewrite sum_counts. apply sum_ext. intros a I. apply in_seq in I. cbn [fst snd].
  rewrite (sum_ext _ _ (fun b => if (b =? S N - a)%nat then T a b else 0)).
  - rewrite sum_one_value by lia. reflexivity.
  - intros b J. apply in_seq in J. destruct (Nat.eqb_spec b (S N - a)); [reflexivity | apply H; lia].
Qed.

(* The pair trinomial of N + 1 reports, of which one is surely of the one kind or of the other. *)
Theorem coins_pair N alpha :
  trinomial_hockey 1 0 0 (1 / 2) (1 / 2) N alpha = hockey (range N 1) alpha (P_of (noise_pair N (coins N) 1)) (Q_of (noise_pair N (coins N) 1)).
Proof.
  unfold trinomial_hockey, hockey. cbn [noise_pair P_of Q_of].
  rewrite (sum_ext (counts N) _ (fun c => (fun a b => pos (before (fun a => others (1 / 2) (1 / 2) N a b) a - alpha * before
    (fun b => others (1 / 2) (1 / 2) N a b) b)) (fst c) (snd c))).
  - rewrite (sum_antidiagonal N (fun a b => pos (before (fun a => others (1 / 2) (1 / 2) N a b) a - alpha * before (fun b => others (1 / 2) (1 / 2) N a b) b))).
    + unfold range. replace (N + 1)%nat with (S N) by lia. apply sum_ext. intros a I. apply in_seq in I. do 2 f_equal.
      * unfold moved. destruct a as [|a]; [reflexivity|]. cbn [before Nat.leb]. rewrite others_coins.
        replace (a + (S N - S a) =? N)%nat with true by (symmetry; apply Nat.eqb_eq; lia). f_equal. lia.
      * f_equal. destruct (S N - a)%nat as [|b] eqn:E; cbn [before].
        -- unfold coins. symmetry. apply bin_above. lia.
        -- rewrite others_coins. replace (a + b =? N)%nat with true by (symmetry; apply Nat.eqb_eq; lia). reflexivity.
    + intros a b H. apply pos_zero. destruct a as [|a], b as [|b]; cbn [before]; rewrite ?others_coins;
        repeat (match goal with |- context [(?x =? N)%nat] => destruct (Nat.eqb_spec x N); [lia|] end); lra.
  - intros [a b] _. unfold trinomial_P, trinomial_Q, with_user. cbn [fst snd]. f_equal. ring.
Qed.

(* A count that neighbouring data change by at most 1, both directions, every alpha; and counts 1 and 0 have it. *)
Theorem binomial_noise N a b r alpha : (a <= r)%nat -> (b <= r)%nat -> near 1 a b -> 0 <= alpha ->
  hockey (range N r) alpha (moved (coins N) a) (moved (coins N) b) <= trinomial_hockey 1 0 0 (1 / 2) (1 / 2) N alpha.
Proof.
  intros A B NE H. rewrite coins_pair. exact (additive_noise N (coins N) (coins_noise N) (coins_log_concave N) 1 a b r A B NE alpha H).
Qed.

Theorem binomial_noise_attained N alpha :
  hockey (range N 1) alpha (moved (coins N) 1) (moved (coins N) 0) = trinomial_hockey 1 0 0 (1 / 2) (1 / 2) N alpha
  /\ hockey (range N 1) alpha (moved (coins N) 0) (moved (coins N) 1) = trinomial_hockey 1 0 0 (1 / 2) (1 / 2) N alpha.
Proof. rewrite coins_pair. exact (additive_noise_attained N (coins N) (coins_noise N) 1 alpha). Qed.

(* Several counters, adaptively. *)
Theorem binomial_noise_rounds Ns r M M' :
  (forall h N, nth_error Ns (length h) = Some N -> exists a b, (a <= r)%nat /\ (b <= r)%nat /\ near 1 a b
     /\ M h = moved (coins N) a /\ M' h = moved (coins N) b) ->
  bounds (product_pair (map (fun N => Pair (counts N) (trinomial_P 1 0 0 (1 / 2) (1 / 2) N) (trinomial_Q 1 0 0 (1 / 2) (1 / 2) N)) Ns))
    (sequences (map (fun N => range N r) Ns)) (adaptive M []) (adaptive M' []).
Proof.
  intros H. set (ts := map (fun N => (N, coins N, 1%nat)) Ns).
  assert (B : bounds (product_pair (map (fun t => noise_pair (fst (fst t)) (snd (fst t)) (snd t)) ts)) (sequences (map
    (fun t => range (fst (fst t)) r) ts)) (adaptive M []) (adaptive M' [])).
  { apply additive_noise_rounds.
    - apply Forall_forall. intros t I. apply in_map_iff in I as (N & <- & _). split; [apply coins_noise | apply coins_log_concave].
    - intros h t T. unfold ts in T. rewrite nth_error_map in T. destruct (nth_error Ns (length h)) as [N|] eqn:E; [|discriminate].
      injection T as <-. exact (H h N E). }
  unfold ts in B. rewrite !map_map in B. cbn [fst snd] in B. intros alpha A. eapply Rle_trans; [apply (B alpha A)|].
  assert (T : forall N, law (counts N) (trinomial_P 1 0 0 (1 / 2) (1 / 2) N) /\ law (counts N) (trinomial_Q 1 0 0 (1 / 2) (1 / 2) N)) by (intros;
    apply trinomial_law; lra).
  apply (dominates_rounds (map (fun N => Pair (counts N) (trinomial_P 1 0 0 (1 / 2) (1 / 2) N) (trinomial_Q 1 0 0 (1 / 2) (1 / 2) N)) Ns) (map
    (fun N => noise_pair N (coins N) 1) Ns)); trivial.
  - apply Forall_forall. intros p I. apply in_map_iff in I as (N & <- & _). destruct (T N) as [[MP _] [MQ _]]. now split.
  - apply Forall_forall. intros p I. apply in_map_iff in I as (N & <- & _). apply noise_pair_masses, coins_noise.
  - clear. induction Ns as [|N Ns IH]; cbn [map]; constructor; [|exact IH]. intros alpha _. right. symmetry. exact (coins_pair N alpha).
Qed.

(* -------- Shares -------- *)

(* The sum of h independent shares, each with the masses g on 0, .., m. *)
Fixpoint shares (g : nat -> R) (m h : nat) : nat -> R :=
  match h with
  | O => fun y => match y with O => 1 | S _ => 0 end
  | S h' => fun y => sum (seq 0 (S m)) (fun x => g x * moved (shares g m h') x y)
  end.

(*
 * Known shares, in all k i with probability w i, and h that nobody knows, whose sum Z has the masses f: the worst case is that of Z
 * alone. That Z is a sum of shares is not used, but that it is as noise has to be.
 *)
Theorem noise_shares {I} (labels : list I) (w : I -> R) (k : I -> nat) N f s a b r t alpha :
  noise N f -> log_concave f -> law labels w -> (forall i, In i labels -> (k i <= t)%nat) ->
  (a <= r)%nat -> (b <= r)%nat -> near s a b -> 0 <= alpha ->
  hockey (range N (t + r)) alpha (fun y => sum labels (fun i => w i * moved f (k i + a) y)) (fun y => sum labels (fun i => w i * moved f (k i + b) y))
  <= hockey (range N s) alpha (P_of (noise_pair N f s)) (Q_of (noise_pair N f s)).
Proof.
  intros HF HL [W0 W1] K A B [NA NB] H. eapply Rle_trans; [apply hockey_mixture; exact W0|].
  rewrite <- (Rmult_1_l (hockey (range N s) _ _ _)), <- W1, <- sum_scal_r. apply sum_le. intros i Hi. apply Rmult_le_compat_l; [now apply W0|].
  specialize (K i Hi). apply (additive_noise N f HF HL s (k i + a) (k i + b) (t + r)); trivial; try lia. split; lia.
Qed.

(* Shares of m coins: the sum of h of them is h m coins. *)
Lemma coins_sum m n y : sum (seq 0 (S m)) (fun x => coins m x * moved (coins n) x y) = coins (m + n) y.
Proof.
  unfold coins. revert y; induction m as [|m IH]; intros y.
  - cbn [seq sum bin Nat.add]. rewrite moved_zero. ring.
  - cbn [Nat.add]. rewrite bin_S.
    rewrite (sum_ext _ _ (fun x => 1 / 2 * (before (bin (1 / 2) m) x * moved (bin (1 / 2) n) x y) + (1 - 1 / 2) * (bin (1 / 2) m x * moved (bin (1 / 2) n) x y)))
      by (intros; rewrite bin_S; ring).
    rewrite sum_plus, !sum_scal, (TrinomialMean.sum_before (S m) (bin (1 / 2) m) (fun x => moved (bin (1 / 2) n) x y)) by (apply bin_above; lia).
    rewrite (sum_seq_last (S m) (fun x => bin (1 / 2) m x * moved (bin (1 / 2) n) (S x) y)),
      (sum_seq_last (S m) (fun x => bin (1 / 2) m x * moved (bin (1 / 2) n) x y)), (bin_above _ m (S m)), IH by lia.
    rewrite !Rmult_0_l, !Rplus_0_r. f_equal. f_equal. destruct y as [|y].
    + cbn [before]. apply sum_null. intros x _. unfold moved. cbn. ring.
    + cbn [before]. rewrite <- IH. apply sum_ext. intros x _. reflexivity.
Qed.

Theorem shares_of_coins m h y : shares (coins m) m h y = coins (h * m) y.
Proof.
  revert y; induction h as [|h IH]; intros y; [destruct y; reflexivity|].
  cbn [shares Nat.mul]. rewrite <- coins_sum. apply sum_ext. intros x _. f_equal. unfold moved. destruct (x <=? y)%nat; [apply IH | reflexivity].
Qed.
