(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The main theorems, each written out in full, to be read in ten minutes by someone who knows differential
 * privacy. Every proof here is a reference to where it is proved; Coq checks that what is written here is what
 * was proved there. At the end is what all of them rest on.
 *
 * The words, all of them defined in half a page each:
 *   sum l f                 the sum of f over the list l                             Sum.v
 *   hockey l alpha P Q      the sum over l of (P - alpha Q)_+, alpha = e^eps         Hockey.v
 *   law l P                 P >= 0 on l, with sum 1                                  Sum.v
 *   words outs n            all words of n letters of outs                           Shuffle.v
 *   randomiser, ldp         K h x is a law, h what was answered before, x a value;
 *                           no answer is more than E times as likely from another x  Shuffle.v
 *   shuffled K xs           the law of the answers of users with the data xs, who
 *                           come in a uniformly random order                         Shuffle.v
 *   stronger_P, stronger_Q, clones_P, clones_Q, ...                                  Trinomial.v, Stronger.v
 *   *_hockey                the hockey-stick divergence of such a pair
 *)
From Coq Require Import Reals List ZArith QArith Qreals.
From Shufbound Require Import Sum Hockey Divergence Trinomial Composition Shuffle Clones Stronger Countable ShuffleRounds.
From Shufbound Require Import LocalProfile Instances KrrPairs KrrShuffle Subsampling Subsets Renyi.
From Shufbound Require Import SampledShuffle KrrSampled PoissonShuffle HonestUsers.
From Shufbound Require Import Evaluate Certificate Mixture Composed Mechanisms.
Import ListNotations.
Open Scope R_scope.

(* ---- 1. Amplification by shuffling ---- *)

(* The stronger clones pair bounds the shuffle of any randomisers that are LDP with E = e^eps0 and may depend on all earlier
   answers, on any two data sets that differ in one user, at every alpha. *)
Theorem stronger_clones {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E x0 x1 xs alpha :
  randomiser outs K -> ldp outs E K -> 1 <= E -> 0 <= alpha ->
  hockey (words outs (S (length xs))) alpha (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs))
  <= stronger_hockey E (length xs) alpha.
Proof. intros HK HL HE HA. now apply (stronger_bound outs K E). Qed.

(* The clones pair of arXiv 2012.12803, by its own route: one kernel T makes both shuffles out of the pair. *)
Theorem clones {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E x0 x1 xs :
  randomiser outs K -> ldp outs E K -> 1 <= E ->
  exists T, sub_markov (counts (length xs)) (words outs (S (length xs))) T
  /\ forall w, In w (words outs (S (length xs))) ->
     shuffled K (x0 :: xs) w = push (counts (length xs)) T (clones_P E (length xs)) w
     /\ shuffled K (x1 :: xs) w = push (counts (length xs)) T (clones_Q E (length xs)) w.
Proof. apply clones_remark_3_5. Qed.

(* The stronger pair is never worse. *)
Theorem stronger_is_below E N alpha : 1 <= E -> stronger_hockey E N alpha <= clones_hockey E N alpha.
Proof. apply stronger_below_clones. Qed.

(* T rounds, each of which may depend on everything before: the T-fold product of the pair. *)
Theorem rounds {X Z} (outs : list Z) (K : list (list Z) -> list Z -> X -> Z -> R) E T x0 x1 xs alpha :
  1 <= E -> (forall g, randomiser outs (K g)) -> (forall g, ldp outs E (K g)) -> 0 <= alpha ->
  hockey (sequences (repeat (words outs (S (length xs))) T)) alpha
    (adaptive (fun g => shuffled (K g) (x0 :: xs)) []) (adaptive (fun g => shuffled (K g) (x1 :: xs)) [])
  <= hockey (outcomes (power T (stronger_pair E (length xs)))) alpha
       (P_of (power T (stronger_pair E (length xs)))) (Q_of (power T (stronger_pair E (length xs)))).
Proof. intros HE HK HL HA. now apply (stronger_power outs K E T x0 x1 xs). Qed.

(* A uniform sample of N + 1 of the users, shuffled: *)
Theorem sampled {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E x0 x1 xs N :
  randomiser outs K -> ldp outs E K -> 1 <= E -> (N <= length xs)%nat ->
  let g := INR (S N) / INR (S (length xs)) in
  dominates (counts N) (sampled_clones_P E g N) (sampled_clones_Q E g N)
    (words outs (S N)) (subsampled (shuffled K) (S N) (x0 :: xs)) (subsampled (shuffled K) (S N) (x1 :: xs)).
Proof. apply sampled_clones_dominates. Qed.

(* or everyone takes part with probability q, and how many do is seen; the pair is that of users who say 0, 1, nothing that
   helps, or that they are away. *)
Theorem taking_part {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E q x0 x1 xs :
  randomiser outs K -> ldp outs E K -> 1 <= E -> 0 < q <= 1 ->
  dominates (words said (S (length xs))) (poisson_clones_given E q (length xs) 0) (poisson_clones_given E q (length xs) 1)
    (short_words outs (S (length xs))) (KrrSampled.taking_part K q (x0 :: xs)) (KrrSampled.taking_part K q (x1 :: xs)).
Proof. apply poisson_clones_dominates. Qed.

(* Users who report from laws bs of their own, whatever these are, take nothing away from those who follow the protocol. *)
Theorem honest {X Z} (outs : list Z) E alpha (x0 x1 : X) xs (bs : list (Z -> R)) K :
  randomiser outs K -> ldp outs E K -> 1 <= E -> 0 <= alpha -> Forall (Hockey.law outs) bs ->
  hockey (words outs (length bs + S (length xs))) alpha
    (shuffled (all_kernels K) (map inr bs ++ map inl (x0 :: xs))) (shuffled (all_kernels K) (map inr bs ++ map inl (x1 :: xs)))
  <= stronger_hockey E (length xs) alpha.
Proof. apply honest_stronger. Qed.

(* ---- 2. Particular randomisers ---- *)

(* What is known of the randomisers is at most m at alpha: the local profile. *)
Theorem from_the_local_profile {X Z} (outs : list Z) (K : list Z -> X -> Z -> R) E alpha m x0 x1 xs :
  randomiser outs K -> ldp outs E K -> 1 <= alpha -> alpha < E ->
  (forall h, hockey outs alpha (K h x0) (K h x1) <= m) ->
  hockey (words outs (S (length xs))) alpha (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs))
  <= profile_bound E alpha (Rmin m ((E - alpha) / (E + 1))) (S (length xs)).
Proof. apply local_profile_min. Qed.

(* k-ary randomised response: from above on all data, *)
Theorem krr_above E k x0 x1 alpha xs : 1 <= E -> (2 <= k)%nat -> (x0 < k)%nat -> (x1 < k)%nat -> x0 <> x1 ->
  hockey (words (seq 0 k) (S (length xs))) alpha (shuffled (fun _ => krr E k) (x0 :: xs)) (shuffled (fun _ => krr E k) (x1 :: xs))
  <= krr_weak_hockey (INR k / (E + INR k - 1)) (INR k) (length xs) alpha.
Proof. intros. now apply krr_weak_bound. Qed.

(* exactly where all others hold one of the two values, *)
Theorem krr_exact E k x0 x1 alpha n : 1 <= E -> (2 <= k)%nat -> (x0 < k)%nat -> (x1 < k)%nat -> x0 <> x1 ->
  hockey (words (seq 0 k) (S n)) alpha (shuffled (fun _ => krr E k) (x0 :: repeat x0 n)) (shuffled (fun _ => krr E k) (x1 :: repeat x0 n))
  = krr_same_hockey E (INR k) n alpha.
Proof. intros. now apply krr_same_exact. Qed.

(* and from below where they hold a third. *)
Theorem krr_below E k x0 x1 y alpha n : 1 <= E -> (2 <= k)%nat -> (x0 < k)%nat -> (x1 < k)%nat -> x0 <> x1 ->
  (y < k)%nat -> y <> x0 -> y <> x1 ->
  krr_third_hockey E (INR k) n alpha
  <= hockey (words (seq 0 k) (S n)) alpha (shuffled (fun _ => krr E k) (x0 :: repeat y n)) (shuffled (fun _ => krr E k) (x1 :: repeat y n)).
Proof. intros. now apply krr_third_below. Qed.

(* ---- 3. Renyi divergences ---- *)

Theorem from_renyi_to_delta {A} (l : list A) P Q a e eps :
  1 < a -> mass l P -> mass l Q -> continuous l P Q -> moment a l P Q <= exp ((a - 1) * e) ->
  hockey l (exp eps) P Q <= conversion a * exp ((a - 1) * (e - eps)).
Proof. apply renyi_conversion. Qed.

(* ---- 4. Numbers ---- *)

(* What a certificate of one round states is true, whatever its hints are: `delta` is in the first part of Certificate.v. *)
Theorem certificate bits here back direction pair eps lo hi :
  check bits here back direction pair eps lo hi = true -> Q2R lo <= delta direction pair eps <= Q2R hi.
Proof. apply check_sound. Qed.

Theorem certificate_of_rounds grid grid' direction T pair eps lo hi :
  check_rounds grid grid' direction T pair eps lo hi = true -> Q2R lo <= delta_rounds direction T pair eps <= Q2R hi.
Proof. apply check_rounds_sound. Qed.

(* And from the number to the mechanism: n users, LDP with e^x, at alpha = e^eps. *)
Theorem certified_mechanism n x eps d : at_least_zero x = true -> delta Both (Clones n x) eps <= d ->
  forall (X Z : Type) (outs : list Z) (K : list Z -> X -> Z -> R) x0 x1 xs,
  randomiser outs K -> ldp outs (exp (value x)) K -> S (length xs) = Pos.to_nat n ->
  hockey (words outs (Pos.to_nat n)) (exp (value eps)) (shuffled K (x0 :: xs)) (shuffled K (x1 :: xs)) <= d.
Proof. exact (clones_mechanism n x eps d). Qed.

(* Or down to data that have at least the number: k-ary randomised response, all the others with one of the two values. *)
Theorem certified_data n k x eps d : at_least_zero x = true -> Pos.leb 2 k = true -> d <= delta Both (KrrSame n k x) eps ->
  (exists x0 x1, two_values k x0 x1) /\ forall x0 x1, two_values k x0 x1 -> d <= krr_on (exp (value x)) k n x0 x1 x0 (exp (value eps)).
Proof. apply krr_same_mechanism. Qed.

(* ---- What they rest on ---- *)

Definition all := (@stronger_clones, @clones, stronger_is_below, @rounds, @sampled, @taking_part, @honest, @from_the_local_profile, krr_above, krr_exact, krr_below,
  @from_renyi_to_delta, certificate, certificate_of_rounds, certified_mechanism,
  certified_data).
Print Assumptions all.
