(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Users who do not follow the protocol: ../deployments.md (honest_users). Each of
 * them reports from a law of its own choice, the same in both data sets; the honest ones
 * use position-dependent, adaptive kernels, which see those reports too.
 *
 * The law of all reports is the mean, over the place and the report of one of
 * these users, of the law of the others' reports under kernels that know both
 * (shuffled_outsider). So what bounds the honest users alone, whatever their kernels of the class, bounds all.
 *)
From Coq Require Import Reals List Lra Lia Arith.
From Shufbound Require Import Sum Hockey Divergence Trinomial Shuffle Stronger.
Import ListNotations.
Open Scope R_scope.

(* The letters of a word: how many there are before, the letter, the word without it. *)
Fixpoint places {Z} (w : list Z) : list (nat * Z * list Z) :=
  match w with
  | [] => []
  | z :: r => (O, z, r) :: map (fun c => (S (fst (fst c)), snd (fst c), z :: snd c)) (places r)
  end.

(* A history, the latest first, with z put in as number j (from 0) once it is that long. *)
Definition told {Z} (j : nat) (z : Z) (h : list Z) : list Z :=
  if (length h <? j)%nat then h else firstn (length h - j) h ++ z :: skipn (length h - j) h.

Lemma told_first {Z} (z : Z) h : told 0 z h = h ++ [z].
Proof. unfold told. cbn [Nat.ltb Nat.leb]. now rewrite Nat.sub_0_r, firstn_all, skipn_all. Qed.

Lemma told_later {Z} j (z a : Z) h : told (S j) z (h ++ [a]) = told j z h ++ [a].
Proof.
  unfold told. rewrite app_length. cbn [length]. replace (length h + 1)%nat with (S (length h)) by lia.
  change (S (length h) <? S j)%nat with (length h <? j)%nat. destruct (Nat.ltb_spec (length h) j) as [L|L]; [reflexivity|].
  cbn [Nat.sub]. rewrite firstn_app, skipn_app. replace (length h - j - length h)%nat with O by lia.
  cbn [firstn skipn]. now rewrite app_nil_r, <- app_assoc.
Qed.

(* After h the kernels are those that know h. *)
Lemma run_after {X Z} (K : list Z -> X -> Z -> R) p : forall g h w,
  run K (g ++ h) p w = run (fun g => K (g ++ h)) g p w.
Proof.
  induction p as [|x p IH]; intros g h [|z w]; try reflexivity. cbn [run]. f_equal. apply (IH (z :: g)).
Qed.

Lemma run_ext {X Z} (K L : list Z -> X -> Z -> R) p : forall g w,
  (forall g x z, K g x z = L g x z) -> run K g p w = run L g p w.
Proof.
  induction p as [|x p IH]; intros g [|z w] H; try reflexivity. cbn [run]. now rewrite H, (IH (z :: g) w H).
Qed.

(* One user, put in at any place, reports from the law b. *)
Lemma run_inserts {X Z} (y : X) (b : Z -> R) p : forall (K : list Z -> X -> Z -> R) w,
  (forall h z, K h y z = b z) -> length w = S (length p) ->
  sum (inserts y p) (fun q => run K [] q w)
  = sum (places w) (fun c => b (snd (fst c)) * run (fun h => K (told (fst (fst c)) (snd (fst c)) h)) [] p (snd c)).
Proof.
  induction p as [|x p IH]; intros K [|z w] H L; try discriminate; cbn [length] in L.
  - destruct w; [|discriminate]. cbn. rewrite H. ring.
  - rewrite sum_inserts_cons. cbn [places sum fst snd]. rewrite sum_map. cbn [fst snd]. f_equal.
    + cbn [run]. rewrite H. f_equal. transitivity (run (fun g => K (g ++ [z])) [] (x :: p) w); [exact (run_after K (x :: p) [] [z] w)|].
      apply (run_ext (fun g => K (g ++ [z])) (fun h => K (told 0 z h)) (x :: p) [] w). intros. now rewrite told_first.
    + cbn [run].
      rewrite (sum_ext_all (inserts y p) _ (fun q => K [] x z * run (fun h => K (h ++ [z])) [] q w)).
      2:{ intros q. f_equal. exact (run_after K q [] [z] w). }
      rewrite sum_scal, (IH (fun h => K (h ++ [z])) w) by (auto; lia). rewrite <- sum_scal. apply sum_ext_all.
      intros [[j u] v]. cbn [fst snd]. change (told (S j) u []) with (@nil Z).
      replace (run (fun h => K (told (S j) u h)) [z] p v) with (run (fun h => K (told j u h ++ [z])) [] p v); [ring|].
      rewrite (run_ext _ (fun h => K (told (S j) u (h ++ [z])))) by (intros; now rewrite told_later).
      symmetry. exact (run_after (fun h => K (told (S j) u h)) p [] [z] v).
Qed.

Lemma shuffled_outsider {X Z} (K : list Z -> X -> Z -> R) (y : X) (b : Z -> R) xs w :
  (forall h z, K h y z = b z) -> length w = S (length xs) ->
  shuffled K (y :: xs) w
  = / INR (S (length xs)) * sum (places w) (fun c => b (snd (fst c)) * shuffled (fun h => K (told (fst (fst c)) (snd (fst c)) h)) xs (snd c)).
Proof.
  intros H L. unfold shuffled. cbn [orders]. rewrite sum_flat_map.
  rewrite (sum_ext (orders xs) _ (fun p => sum (places w) (fun c => b (snd (fst c)) * run (fun h => K (told (fst (fst c)) (snd (fst c)) h)) [] p (snd c)))).
  2:{ intros p I. apply run_inserts; [exact H|]. apply in_orders, Permutation.Permutation_length in I. lia. }
  rewrite sum_swap. cbn [length]. rewrite fact_simpl, mult_INR.
  rewrite (sum_ext_all (places w) (fun c => b (snd (fst c)) * _)
    (fun c => / INR (fact (length xs)) * sum (orders xs) (fun p => b (snd (fst c)) * run (fun h => K (told (fst (fst c)) (snd (fst c)) h)) [] p (snd c)))).
  2:{ intros c. rewrite sum_scal. unfold Rdiv. ring. }
  rewrite sum_scal. field. split; [apply INR_fact_neq_0 | apply not_0_INR; lia].
Qed.

(* All words and their letters: all places, letters and words without it. *)
Lemma sum_places {Z} (outs : list Z) n : forall (f : nat -> Z -> list Z -> R),
  sum (words outs (S n)) (fun w => sum (places w) (fun c => f (fst (fst c)) (snd (fst c)) (snd c)))
  = sum (seq 0 (S n)) (fun j => sum outs (fun z => sum (words outs n) (fun v => f j z v))).
Proof.
  induction n as [|n IH]; intros f; rewrite sum_words.
  - cbn [seq sum words]. rewrite Rplus_0_r. apply sum_ext_all. intros z. cbn. ring.
  - rewrite (sum_seq_first (S n)).
    rewrite (sum_ext_all outs _ (fun z => sum (words outs (S n)) (fun w => f O z w)
      + sum (words outs (S n)) (fun w => sum (places w) (fun c => f (S (fst (fst c))) (snd (fst c)) (z :: snd c))))).
    2:{ intros z. rewrite <- sum_plus. apply sum_ext_all. intros w. cbn [places sum fst snd]. now rewrite sum_map. }
    rewrite sum_plus. f_equal.
    rewrite (sum_ext_all outs _ (fun z => sum (seq 0 (S n)) (fun j => sum outs (fun u => sum (words outs n) (fun v => f (S j) u (z :: v))))))
      by (intros z; apply (IH (fun j u v => f (S j) u (z :: v)))).
    rewrite sum_swap. apply sum_ext_all. intros j. rewrite sum_swap. apply sum_ext_all. intros u. now rewrite sum_words.
Qed.

Lemma places_letter {Z} (w : list Z) c : In c (places w) -> In (snd (fst c)) w.
Proof.
  revert c; induction w as [|z w IH]; intros c; [intros []|]. cbn [places]. intros [<-|H]; [left; reflexivity|].
  apply in_map_iff in H as (d & <- & H). right. exact (IH d H).
Qed.

(* -------- The honest users, and the others -------- *)

(* An honest user's kernel, or a law of an outsider's own. *)
Definition all_kernels {X Z} (K : list Z -> X -> Z -> R) (h : list Z) (x : X + (Z -> R)) : Z -> R :=
  match x with inl x => K h x | inr b => b end.

Lemma inserts_map {X Y} (f : X -> Y) x p : inserts (f x) (map f p) = map (map f) (inserts x p).
Proof.
  induction p as [|y p IH]; [reflexivity|]. cbn [map inserts]. rewrite IH, !map_map. reflexivity.
Qed.

Lemma orders_map {X Y} (f : X -> Y) xs : orders (map f xs) = map (map f) (orders xs).
Proof.
  induction xs as [|x xs IH]; [reflexivity|]. cbn [map orders]. rewrite IH. clear IH.
  induction (orders xs) as [|p l IH]; [reflexivity|]. cbn [map flat_map]. now rewrite IH, inserts_map, map_app.
Qed.

Lemma shuffled_honest {X Z} (K : list Z -> X -> Z -> R) xs w : shuffled (all_kernels K) (map inl xs) w = shuffled K xs w.
Proof.
  unfold shuffled. rewrite map_length, orders_map, sum_map. f_equal. apply sum_ext_all. intros p.
  generalize (@nil Z) as h. revert w. induction p as [|x p IH]; intros [|z w] h; try reflexivity.
  cbn [map run]. now rewrite IH.
Qed.

(*
 * beta bounds the divergence of the honest users alone, data xs and xs', for all kernels of a class that is closed under
 * knowing more: then it bounds that of all reports.
 *)
Theorem honest_users {X Z} (outs : list Z) (C : (list Z -> X -> Z -> R) -> Prop) alpha beta xs xs' :
  (forall K f, C K -> C (fun h => K (f h))) ->
  length xs = length xs' ->
  (forall K, C K -> hockey (words outs (length xs)) alpha (shuffled K xs) (shuffled K xs') <= beta) ->
  forall (bs : list (Z -> R)) K, C K -> Forall (law outs) bs ->
  hockey (words outs (length bs + length xs)) alpha
    (shuffled (all_kernels K) (map inr bs ++ map inl xs)) (shuffled (all_kernels K) (map inr bs ++ map inl xs')) <= beta.
Proof.
  intros CF L B. induction bs as [|b bs IH]; intros K HK HB.
  - cbn [map app length Nat.add]. eapply Rle_trans; [|apply (B K HK)]. right. apply hockey_ext; intros; apply shuffled_honest.
  - inversion HB as [|? ? [B0 B1] HB']; subst. cbn [map app length Nat.add].
    set (n := (length bs + length xs)%nat). set (ys := map inr bs ++ map inl xs). set (ys' := map inr bs ++ map inl xs').
    assert (LY : length ys = n) by (unfold ys; now rewrite app_length, !map_length).
    assert (LY' : length ys' = n) by (unfold ys'; rewrite app_length, !map_length, <- L; reflexivity).
    assert (N : 0 < INR (S n)) by (apply lt_0_INR; lia). assert (NI : 0 < / INR (S n)) by now apply Rinv_0_lt_compat.
    set (T := fun j z h => K (@told Z j z h)).
    assert (OUT : forall us w, length us = n -> length w = S n -> shuffled (all_kernels K) (inr b :: us) w
      = / INR (S n) * sum (places w) (fun c => b (snd (fst c)) * shuffled (all_kernels (T (fst (fst c)) (snd (fst c)))) us (snd c))).
    { intros us w LU LW. rewrite (shuffled_outsider (all_kernels K) (inr b) b) by (auto; lia). rewrite LU. reflexivity. }
    unfold hockey.
    apply Rle_trans with (sum (words outs (S n)) (fun w => sum (places w) (fun c => / INR (S n) * (b (snd (fst c)) *
      pos (shuffled (all_kernels (T (fst (fst c)) (snd (fst c)))) ys (snd c) - alpha * shuffled (all_kernels (T (fst (fst c)) (snd (fst c)))) ys' (snd c)))))).
    + apply sum_le. intros w W. pose proof (words_length _ _ _ W) as LW. rewrite !OUT by assumption.
      rewrite <- !sum_scal, <- sum_minus. eapply Rle_trans; [apply pos_sum|]. right. apply sum_ext. intros c I.
      assert (B2 : 0 <= b (snd (fst c))).
      { apply B0. apply in_words in W as [_ F]. rewrite Forall_forall in F. apply F. now apply places_letter. }
      rewrite <- pos_scal, <- pos_scal by lra. f_equal. ring.
    + rewrite (sum_places outs n (fun j z v => / INR (S n) * (b z * pos (shuffled (all_kernels (T j z)) ys v - alpha * shuffled (all_kernels (T j z)) ys' v)))).
      apply Rle_trans with (sum (seq 0 (S n)) (fun j => / INR (S n) * sum outs (fun z => b z * beta))).
      * apply sum_le. intros j _. rewrite <- sum_scal. apply sum_le. intros z Hz. rewrite !sum_scal.
        apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [now apply B0|]. apply (IH (T j z)); [|exact HB'].
        apply (CF K). exact HK.
      * rewrite sum_const, seq_length, sum_scal_r, B1. right. field. lra.
Qed.

(* What they report may be drawn together, with any law that is the same in both data sets. *)
Corollary honest_users_joint {X Z I} (outs : list Z) (C : (list Z -> X -> Z -> R) -> Prop) alpha beta xs xs' c
    (labels : list I) (weight : I -> R) (bs : I -> list (Z -> R)) K :
  (forall K f, C K -> C (fun h => K (f h))) ->
  length xs = length xs' ->
  (forall K, C K -> hockey (words outs (length xs)) alpha (shuffled K xs) (shuffled K xs') <= beta) ->
  C K -> law labels weight -> (forall i, In i labels -> length (bs i) = c /\ Forall (law outs) (bs i)) ->
  hockey (words outs (c + length xs)) alpha
    (fun w => sum labels (fun i => weight i * shuffled (all_kernels K) (map inr (bs i) ++ map inl xs) w))
    (fun w => sum labels (fun i => weight i * shuffled (all_kernels K) (map inr (bs i) ++ map inl xs') w)) <= beta.
Proof.
  intros CF L B HK [W0 W1] HB.
  eapply Rle_trans; [apply hockey_mixture; exact W0|].
  apply Rle_trans with (sum labels (fun i => weight i * beta)).
  - apply sum_le. intros i I0. apply Rmult_le_compat_l; [now apply W0|]. destruct (HB i I0) as [<- F].
    now apply (honest_users outs C).
  - rewrite sum_scal_r, W1. lra.
Qed.

(* So with h honest users, eps0-LDP, the pair clones-stronger of h users bounds all reports. *)
Corollary honest_stronger {X Z} (outs : list Z) E alpha (x0 x1 : X) xs (bs : list (Z -> R)) K :
  randomiser outs K -> ldp outs E K -> 1 <= E -> 0 <= alpha -> Forall (law outs) bs ->
  hockey (words outs (length bs + S (length xs))) alpha
    (shuffled (all_kernels K) (map inr bs ++ map inl (x0 :: xs))) (shuffled (all_kernels K) (map inr bs ++ map inl (x1 :: xs)))
  <= stronger_hockey E (length xs) alpha.
Proof.
  intros HK HL HE A HB.
  apply (honest_users outs (fun K => randomiser outs K /\ ldp outs E K) alpha _ (x0 :: xs) (x1 :: xs)); auto.
  - intros L f [R0 L0]. split; [intros h x; apply R0 | intros h x x' z Hz; now apply L0].
  - intros L [R0 L0]. now apply (stronger_bound outs L E R0 L0 HE).
Qed.
