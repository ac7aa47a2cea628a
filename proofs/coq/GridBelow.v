(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The law below a profile (../pld.md, Lemma 3), checked: given bounds of the profile
 * at the nodes, in units of 2^-b, what each cell may sag below its chord, and
 * masses at the nodes, all as integers. The profile of the masses must be below the
 * bounds, lowered by the sags of the cells on both sides; the sags must be
 * large enough. Nothing is said of how they were found.
 *)
From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Arith Psatz Bool.
From Bignums Require Import BigN.
From Shufbound Require Import Sum Hockey Divergence Composition Polygon Grid Losses Pld Bracket Enclosures.
From Shufbound Require Import Kronecker GridNumbers.
Import ListNotations.
Open Scope R_scope.

(* ---- the profile of masses at points of the grid ---- *)

Definition count_of (v : vector) (i : nat) : R := IZR (number_of (nth i v BigN.zero)).

(* The sum of the masses from number j on, each times 1 - e^(-(1 + its distance) h). *)
Definition beyond (h : R) (v : vector) : R := sum (seq 0 (length v)) (fun i => count_of v i * (1 - exp (- (h * INR (S i))))).

Lemma beyond_profile h j : 0 <= h -> forall v,
  sum (seq 0 (length v)) (fun i => count_of v i * pos (1 - exp (h * (INR j - 1) - h * INR i))) = beyond h (skipn j v).
Proof.
  intros H. induction j as [|j IH]; intros v.
  - cbn [skipn]. apply sum_ext. intros i _. f_equal. change (INR 0) with 0.
    replace (h * (0 - 1) - h * INR i) with (- (h * INR (S i))) by (rewrite S_INR; ring).
    apply pos_id. assert (0 <= h * INR (S i)) by (apply Rmult_le_pos; [exact H | apply pos_INR]).
    destruct (Rle_lt_or_eq_dec _ _ H0) as [L|<-].
    + pose proof (exp_increasing (- (h * INR (S i))) 0 ltac:(lra)). rewrite exp_0 in *. lra.
    + rewrite Ropp_0, exp_0. lra.
  - destruct v as [|x r]; [reflexivity|]. cbn [length skipn]. rewrite sum_seq_first, <- IH.
    rewrite (pos_zero (1 - _)).
    + rewrite Rmult_0_r, Rplus_0_l. apply sum_ext. intros i _. unfold count_of. cbn [nth]. do 3 f_equal.
      rewrite !S_INR. f_equal. ring.
    + change (INR 0) with 0. rewrite Rmult_0_r, Rminus_0_r. rewrite S_INR.
      assert (0 <= h * (INR j + 1 - 1)) by (apply Rmult_le_pos; [exact H | pose proof (pos_INR j); lra]).
      destruct (Rle_lt_or_eq_dec _ _ H0) as [L|<-]; [|rewrite exp_0; lra].
      pose proof (exp_increasing _ _ L). rewrite exp_0 in *. lra.
Qed.

Section Tails.
  Variable prec : precision.

  (* For the masses from each number on: their sum, and their sum weighted with e^(-(1 + distance) h). *)
  Fixpoint tails (factor : interval) (v : vector) : list (interval * interval) :=
    match v with
    | [] => [(zero, zero)]
    | x :: r =>
      match tails factor r with
      | [] => []
      | ((F, G) :: _) as t =>
        let X := integer prec (number_of x) in
        (plus prec F X, times prec (plus prec G X) factor) :: t
      end
    end.

  Definition tail_value (t : interval * interval) : interval := let (F, G) := t in minus prec F G.

  Lemma tails_spec factor h v : encloses factor (exp (- h)) ->
    exists F G t, tails factor v = (F, G) :: t
      /\ encloses F (sum (seq 0 (length v)) (count_of v))
      /\ encloses G (sum (seq 0 (length v)) (fun i => count_of v i * exp (- (h * INR (S i))))).
  Proof.
    intros Hf. induction v as [|x r (F & G & t & E & HF & HG)].
    - exists zero, zero, []. cbn. repeat split; apply zero_encloses.
    - cbn [tails]. rewrite E. eexists _, _, _. split; [reflexivity|]. cbn [length]. rewrite !sum_seq_first. split.
      + eapply encloses_eq; [apply plus_encloses; [exact HF | apply integer_encloses]|]. unfold count_of. cbn [nth]. ring.
      + eapply encloses_eq.
        * apply times_encloses; [apply plus_encloses; [exact HG | apply integer_encloses] | exact Hf].
        * rewrite Rmult_plus_distr_r, <- sum_scal_r. rewrite Rplus_comm. f_equal.
          -- unfold count_of. cbn. do 2 f_equal. ring.
          -- apply sum_ext. intros i _. unfold count_of. cbn [nth]. rewrite Rmult_assoc, <- exp_plus. do 2 f_equal.
             rewrite !S_INR. ring.
  Qed.

  Lemma nth_tails factor h j d : encloses factor (exp (- h)) -> forall v, (j <= length v)%nat ->
    nth j (tails factor v) d = nth 0 (tails factor (skipn j v)) d.
  Proof.
    intros Hf. induction j as [|j IH]; intros v J; [reflexivity|].
    destruct v as [|x r]; [cbn in J; lia|]. cbn [skipn]. rewrite <- IH by (cbn in J; lia).
    cbn [tails]. destruct (tails_spec factor h r Hf) as (F & G & t & E & _). rewrite E. reflexivity.
  Qed.

  Lemma tail_value_encloses factor h v j : encloses factor (exp (- h)) -> (j <= length v)%nat ->
    encloses (tail_value (nth j (tails factor v) (anything, anything))) (beyond h (skipn j v)).
  Proof.
    intros Hf J. unfold tail_value. rewrite (nth_tails factor h j _ Hf v J).
    destruct (tails_spec factor h (skipn j v) Hf) as (F & G & t & -> & HF & HG). cbn [nth].
    eapply encloses_eq; [apply minus_encloses; [exact HF | exact HG]|].
    unfold beyond. rewrite <- sum_minus. apply sum_ext. intros i _. ring.
  Qed.
End Tails.

(* ---- the cells ---- *)

Section Cells.
  Variable prec : precision.
  Variables (b : positive) (h : Q) (first : Z).
  Notation "i + j" := (plus prec i j).
  Notation "i - j" := (minus prec i j).
  Notation "i * j" := (times prec i j).
  Notation "# z" := (integer prec z) (at level 1).

  (* sag of cell j at most s, from enclosures of e^h, e^-h; the values below at both ends, that above before the
     cell and that after it *)
  Definition check_sag (up down : interval) (j : nat) (before here next after s : Z) : bool :=
    let rise := #(next - here) in
    let left :=
      match j with
      | O => zero - exponential prec (fraction prec (inject_Z first * h)) * #(2 ^ Zpos b)
      | S O => #(here - before) * (up - #1)
      | S (S i) => #(here - before) * up
      end in
    let right := match j with O => anything | S _ => #(after - next) * down end in
    let x := rise - left in
    let y := right - rise in
    if Z.leb 0 s then
      if is_nonneg (#s - x) then true
      else if is_nonneg (#s - y) then true
      else if is_positive x then if is_positive y then is_nonneg (#s * (x + y) - x * y) else false else false
    else false.

  (* The same, and that the profile of the masses is below the lowered values; sum: of all masses. *)
  Definition check_cell (up down : interval) (sum : Z) (j : nat) (before here next after s : Z) (t t' : interval * interval) : bool :=
    if match j with
       | O => Z.leb sum (here - s)
       | S _ => is_nonneg (#(here - s) - tail_value prec t)
       end
    then
      if is_nonneg (#(next - s) - tail_value prec t') then check_sag up down j before here next after s else false
    else false.

  (* cell j and those after it, as many as masses are left; the lists from number j on *)
  Fixpoint check_cells (up down : interval) (sum : Z) (j : nat) (before : Z) (lows highs sags : list Z)
    (t : list (interval * interval)) (left : vector) : bool :=
    match left with
    | [] => true
    | _ :: r =>
      if check_cell up down sum j before (hd 0%Z lows) (hd 0%Z (tl lows)) (hd 0%Z (tl (tl highs))) (hd 0%Z sags)
           (hd (anything, anything) t) (hd (anything, anything) (tl t))
      then check_cells up down sum (S j) (hd 0%Z highs) (tl lows) (tl highs) (tl sags) (tl t) r
      else false
    end.

  (* the cells before the point r, the last of which with a mass *)
  Definition check_below (lows highs sags : list Z) (v : vector) : bool :=
    let r := length v in
    let up := exponential prec (fraction prec h) in
    let down := exponential prec (fraction prec (- h)) in
    if ((S r <? length lows)%nat && (length highs =? length lows)%nat
        && Z.eqb (hd 0%Z lows) (2 ^ Zpos b) && Z.eqb (hd 0%Z highs) (2 ^ Zpos b))%bool
    then check_cells up down (number_of (big_total v)) 0 0%Z lows highs sags (tails prec down v) v
    else false.

  Lemma hd_skipn {A} (d : A) j : forall l, hd d (skipn j l) = nth j l d.
  Proof. induction j as [|j IH]; intros [|x l]; cbn; trivial. Qed.

  Lemma tl_skipn {A} j : forall l : list A, tl (skipn j l) = skipn (S j) l.
  Proof. induction j as [|j IH]; intros [|x l]; trivial. now cbn [skipn] in *. Qed.

  Lemma check_cells_true up down sum lows highs sags t left : forall j before,
    before = nth (pred j) highs 0%Z \/ j = 0%nat ->
    check_cells up down sum j before (skipn j lows) (skipn j highs) (skipn j sags) (skipn j t) left = true ->
    forall i, (j <= i < j + length left)%nat ->
    check_cell up down sum i (nth (pred i) highs 0%Z) (nth i lows 0%Z) (nth (S i) lows 0%Z) (nth (S (S i)) highs 0%Z) (nth i sags 0%Z)
      (nth i t (anything, anything)) (nth (S i) t (anything, anything)) = true.
  Proof.
    induction left as [|x r IH]; intros j before B E i I; cbn [length] in I; [lia|].
    cbn [check_cells] in E. destruct (check_cell _ _ _ j _ _ _ _ _ _ _) eqn:C in E; [|discriminate].
    repeat rewrite tl_skipn in C. repeat rewrite hd_skipn in C. repeat rewrite tl_skipn in E. repeat rewrite hd_skipn in E. destruct (Nat.eq_dec i j) as [->|N].
    - destruct B as [->| ->]; exact C.
    - apply (IH (S j) (nth j highs 0%Z)); [now left | exact E | lia].
  Qed.
End Cells.

Lemma sag_bound d a b s : 0 < d -> 0 <= s ->
  (a * d <= s \/ b * d <= s \/ (0 < a * d /\ 0 < b * d /\ (a * d) * (b * d) <= s * (a * d + b * d))) -> sag d a b <= s.
Proof.
  intros D S H. unfold sag. destruct (Rlt_dec 0 a) as [A|A]; [|exact S]. destruct (Rlt_dec 0 b) as [B|B]; [|exact S].
  apply (Rmult_le_reg_r (a + b)); [lra|]. replace (a * b * d / (a + b) * (a + b)) with (a * b * d) by (field; lra).
  destruct H as [H|[H|(_ & _ & H)]].
  - assert (a * d * b <= s * b) by (apply Rmult_le_compat_r; lra). nra.
  - assert (b * d * a <= s * a) by (apply Rmult_le_compat_r; lra). nra.
  - apply (Rmult_le_reg_r d); [exact D|]. lra.
Qed.

Section Sound.
  Variable prec : precision.
  Variables (b : positive) (h : Q) (first : Z) (lows highs sags : list Z) (v : vector).
  Context {A : Type}.
  Variables (l : list A) (P Q : A -> R).
  Hypothesis LP : Hockey.law l P.
  Hypothesis LQ : Hockey.law l Q.
  Hypothesis Hh : 0 < Q2R h.
  Let U := unit_count (Zpos b).
  Let x := point (Q2R h) first.
  Let H (a : R) := hockey l a P Q.
  Let low (j : nat) : R := IZR (nth j lows 0%Z) / U.
  Let high (j : nat) : R := IZR (nth j highs 0%Z) / U.
  Let n := pred (length lows).
  Hypothesis Hnodes : forall j, (1 <= j <= n)%nat -> low j <= H (x j) <= high j.
  Let r := length v.
  Let g : grid_law := GridLaw first r (fun i => count_of v i / U) 0.
  Let f (a : R) := hockey (outcomes (pair_of_law (Q2R h) g)) a (P_of (pair_of_law (Q2R h) g)) (Q_of (pair_of_law (Q2R h) g)).

  Lemma U_positive : 0 < U.
  Proof. apply units_positive. lia. Qed.

  Lemma count_of_nonneg i : 0 <= count_of v i / U.
  Proof.
    apply Rmult_le_pos; [apply IZR_le, BigN.spec_pos | apply Rlt_le, Rinv_0_lt_compat, U_positive].
  Qed.

  Lemma f_at j : f (x (S j)) = beyond (Q2R h) (skipn (S j) v) / U.
  Proof.
    pose proof U_positive as PU. rewrite <- beyond_profile by lra. unfold f, pair_of_law, grid_pair, hockey, g.
    cbn [outcomes P_of Q_of first_node node_count node_mass infinite_mass]. cbn [sum].
    rewrite Rmult_0_r, Rminus_0_r, pos_id, Rplus_0_l by lra. rewrite sum_map. unfold Rdiv at 3. rewrite <- sum_scal_r.
    apply sum_ext. intros i _. pose proof (count_of_nonneg i) as C.
    replace (count_of v i / U - x (S j) * (exp (- (Q2R h * IZR (first + Z.of_nat i))) * (count_of v i / U)))
      with (count_of v i / U * (1 - exp (Q2R h * (INR (S j) - 1) - Q2R h * INR i))).
    - rewrite pos_scal by exact C. unfold Rdiv. ring.
    - unfold x. cbn [point]. replace (exp (Q2R h * (INR (S j) - 1) - Q2R h * INR i))
        with (exp (Q2R h * IZR (first + Z.of_nat j)) * exp (- (Q2R h * IZR (first + Z.of_nat i)))); [ring|].
      rewrite <- exp_plus. f_equal. rewrite S_INR, !plus_IZR, <- !INR_IZR_INZ. ring.
  Qed.

  Lemma f_zero : f 0 = IZR (total (integers v)) / U.
  Proof.
    pose proof U_positive as PU. unfold f. rewrite hockey_zero.
    - unfold pair_of_law, grid_pair, g. cbn [outcomes P_of first_node node_count node_mass infinite_mass sum].
      rewrite sum_map, Rplus_0_l. unfold Rdiv. rewrite sum_scal_r. f_equal. unfold r, count_of. clear.
      induction v as [|y s IH]; [reflexivity|]. cbn [length]. rewrite sum_seq_first. cbn [nth integers map total].
      rewrite plus_IZR. f_equal. exact IH.
    - intros [i|] _; unfold pair_of_law, grid_pair, g; cbn; [apply count_of_nonneg | lra].
  Qed.

  Lemma check_sag_sound up down j s : encloses up (exp (Q2R h)) -> encloses down (exp (- Q2R h)) ->
    nth 0 lows 0%Z = (2 ^ Zpos b)%Z -> nth 0 highs 0%Z = (2 ^ Zpos b)%Z -> (S j < n)%nat ->
    check_sag prec b h first up down j (nth (pred j) highs 0%Z) (nth j lows 0%Z) (nth (S j) lows 0%Z) (nth (S (S j)) highs 0%Z) s = true ->
    cell_sag n x low high j <= IZR s / U.
  Proof.
    intros Hu Hd L0 H0 J E. unfold check_sag in E. cbv zeta in E. destruct (0 <=? s)%Z eqn:E1; [|discriminate].
    rename E into E2. apply Z.leb_le in E1.
    pose proof U_positive as PU.
    assert (X : x j < x (S j)) by (apply (point_increasing (Q2R h) first n Hh); lia).
    assert (S0 : 0 <= IZR s / U).
    { apply Rmult_le_pos; [now apply IZR_le | now apply Rlt_le, Rinv_0_lt_compat]. }
    unfold cell_sag. apply sag_bound; [lra | exact S0|].
    set (d := x (S j) - x j). set (a := slope x low j - left_slope x low high j).
    set (c := right_slope n x low high j - slope x low j).
    set (rise := integer prec (nth (S j) lows 0 - nth j lows 0)%Z) in *.
    assert (EE : 1 < exp (Q2R h)) by (pose proof (exp_increasing 0 _ Hh) as EE; rewrite exp_0 in EE; exact EE).
    assert (RISE : slope x low j * d * U = IZR (nth (S j) lows 0 - nth j lows 0)%Z).
    { unfold d, slope, low. rewrite minus_IZR. field. split; lra. }
    match type of E2 with context [minus prec rise ?t] => set (left := t) in * end.
    match type of E2 with context [minus prec ?t rise] => set (right := t) in * end.
    assert (HL : encloses left (left_slope x low high j * d * U)).
    { unfold left, d. clear E2 left right RISE a c. destruct j as [|[|i]]; cbn [left_slope Nat.pred].
      - eapply encloses_eq.
        + apply minus_encloses; [apply zero_encloses|].
          apply times_encloses; [apply exponential_encloses, fraction_encloses | apply integer_encloses].
        + unfold x. cbn [point]. rewrite Q2R_mult. replace (Q2R (inject_Z first)) with (IZR first) by (unfold Q2R; cbn; field).
          rewrite Z.add_0_r. fold (unit_count (Zpos b)). fold U. rewrite (Rmult_comm (IZR first)). ring.
      - eapply encloses_eq; [apply times_encloses; [apply integer_encloses | apply minus_encloses; [exact Hu | apply integer_encloses]]|].
        rewrite minus_IZR. unfold x. rewrite point_step. unfold low, high. pose proof (point_positive (Q2R h) first 0).
        cbn [point] in *. field. split; lra.
      - eapply encloses_eq; [apply times_encloses; [apply integer_encloses | exact Hu]|].
        rewrite minus_IZR. unfold x. rewrite !point_step. unfold low, high. pose proof (point_positive (Q2R h) first i).
        field. repeat split; nra. }
    assert (HR : encloses right (right_slope n x low high j * d * U)).
    { unfold right, d, right_slope. clear E2 left right RISE a c HL. destruct j as [|j]; [apply anything_encloses|].
      rewrite (proj2 (Nat.ltb_lt _ _)) by exact J.
      eapply encloses_eq; [apply times_encloses; [apply integer_encloses | exact Hd]|].
      rewrite minus_IZR, exp_Ropp. unfold x. rewrite !point_step. unfold low, high. pose proof (point_positive (Q2R h) first j) as PP.
      set (e := exp (Q2R h)) in *. set (z := point (Q2R h) first (S j)) in *.
      assert (0 < (e - 1) * z) by (apply Rmult_lt_0_compat; lra).
      assert (0 < e * ((e - 1) * z)) by (apply Rmult_lt_0_compat; lra).
      field. repeat split; lra. }
    assert (HX : encloses (minus prec rise left) (a * d * U)).
    { eapply encloses_eq; [apply minus_encloses; [apply integer_encloses | exact HL]|]. rewrite <- RISE. unfold a. ring. }
    assert (HY : encloses (minus prec right rise) (c * d * U)).
    { eapply encloses_eq; [apply minus_encloses; [exact HR | apply integer_encloses]|]. rewrite <- RISE. unfold c. ring. }
    pose proof (integer_encloses prec s) as HS.
    assert (W : forall z, z * U <= IZR s -> z <= IZR s / U).
    { intros z Z. apply (Rmult_le_reg_r U); [exact PU|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    destruct (is_nonneg (minus prec (integer prec s) (minus prec rise left))) eqn:E3.
    { left. apply W. apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ HS HX)) in E3. lra. }
    destruct (is_nonneg (minus prec (integer prec s) (minus prec right rise))) eqn:E4.
    { right. left. apply W. apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ HS HY)) in E4. lra. }
    right. right. clear E3 E4.
    destruct (is_positive (minus prec rise left)) eqn:E3; [|discriminate].
    destruct (is_positive (minus prec right rise)) eqn:E4; [|discriminate].
    apply (is_positive_true _ _ HX) in E3. apply (is_positive_true _ _ HY) in E4.
    apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ (times_encloses prec _ _ _ _ HS (plus_encloses prec _ _ _ _ HX HY))
      (times_encloses prec _ _ _ _ HX HY))) in E2. rename E2 into E5.
      split; [nra|]. split; [nra|]. apply (Rmult_le_reg_r (U * U)); [nra|].
      replace (IZR s / U * (a * d + c * d) * (U * U)) with (IZR s * (a * d * U + c * d * U)) by (field; lra). lra.
  Qed.

  (* What check_below accepts is dominated. *)
  Theorem check_below_sound : check_below prec b h first lows highs sags v = true ->
    masses_nonneg g /\ dominates l P Q (outcomes (pair_of_law (Q2R h) g)) (P_of (pair_of_law (Q2R h) g)) (Q_of (pair_of_law (Q2R h) g)).
  Proof.
    unfold check_below. cbv zeta. intros EC. destruct (_ && _)%bool eqn:E in EC; [|discriminate]. apply andb_true_iff in E as [E E4].
    apply andb_true_iff in E as [E E3]. apply andb_true_iff in E as [E1 E2]. fold r in E1, EC.
    apply Nat.ltb_lt in E1. apply Z.eqb_eq in E3, E4. pose proof U_positive as PU.
    assert (hd_nth : forall k : list Z, hd 0%Z k = nth 0 k 0%Z) by now intros []. rewrite hd_nth in E3, E4. clear hd_nth.
    destruct LP as [MP SP]. destruct LQ as [MQ SQ].
    assert (NN : masses_nonneg g) by (split; [cbn; lra | intros i _; apply count_of_nonneg]).
    split; [exact NN|].
    assert (Hu : encloses (exponential prec (fraction prec h)) (exp (Q2R h))) by apply exponential_encloses, fraction_encloses.
    assert (Hd : encloses (exponential prec (fraction prec (- h))) (exp (- Q2R h))).
    { rewrite <- Q2R_opp. apply exponential_encloses, fraction_encloses. }
    assert (ONE : forall z, z = (2 ^ Zpos b)%Z -> IZR z / U = 1).
    { intros z ->. unfold U, unit_count in *. field. lra. }
    assert (PF : profile f).
    { apply hockey_profile. intros [i|] _; unfold pair_of_law, grid_pair, g; cbn; [|lra].
      apply Rmult_le_pos; [apply Rlt_le, exp_pos | apply count_of_nonneg]. }
    assert (B : forall j, (j <= n)%nat -> low j <= H (x j) <= high j).
    { intros [|j] J; [|apply Hnodes; lia]. unfold low, high. rewrite !ONE by trivial. unfold H, x. cbn [point].
      rewrite hockey_zero, SP by exact MP. lra. }
    assert (X : increasing n x) by now apply point_increasing.
    assert (C : forall j, (j < r)%nat -> cell_sag n x low high j <= IZR (nth j sags 0%Z) / U
              /\ f (x j) <= low j - IZR (nth j sags 0%Z) / U /\ f (x (S j)) <= low (S j) - IZR (nth j sags 0%Z) / U).
    { intros j J. pose proof (check_cells_true prec b h first _ _ _ lows highs sags _ v 0 0%Z (or_intror eq_refl) EC j ltac:(fold r; lia)) as K.
      unfold check_cell in K.
      match type of K with (if ?a then _ else false) = true => destruct a eqn:K1; [|discriminate] end.
      match type of K with (if ?a then _ else false) = true => destruct a eqn:K2; [|discriminate] end. split.
      - eapply check_sag_sound; try eassumption. unfold n. lia.
      - assert (T : forall i, (i <= r)%nat -> encloses (tail_value prec (nth i (tails prec (exponential prec (fraction prec (- h))) v) (anything, anything))) (beyond (Q2R h) (skipn i v))).
        { intros i I. now apply tail_value_encloses. }
        assert (G : forall i s, (i < r)%nat -> is_nonneg (minus prec (integer prec (nth (S i) lows 0 - s)%Z)
                  (tail_value prec (nth (S i) (tails prec (exponential prec (fraction prec (- h))) v) (anything, anything)))) = true ->
                  f (x (S i)) <= low (S i) - IZR s / U).
        { intros i s I K'. apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ (integer_encloses prec _) (T (S i) ltac:(lia)))) in K'.
          rewrite minus_IZR in K'. rewrite f_at. unfold low. apply (Rmult_le_reg_r U); [exact PU|].
          replace (beyond (Q2R h) (skipn (S i) v) / U * U) with (beyond (Q2R h) (skipn (S i) v)) by (field; lra).
          replace ((IZR (nth (S i) lows 0%Z) / U - IZR s / U) * U) with (IZR (nth (S i) lows 0%Z) - IZR s) by (field; lra). lra. }
        split; [|now apply G]. destruct j as [|j]; [|apply G; [lia | exact K1]].
        apply Z.leb_le, IZR_le in K1. rewrite minus_IZR, big_total_spec in K1. unfold x. cbn [point]. rewrite f_zero. unfold low.
        apply (Rmult_le_reg_r U); [exact PU|].
        replace (IZR (total (integers v)) / U * U) with (IZR (total (integers v))) by (field; lra).
        replace ((IZR (nth 0 lows 0%Z) / U - IZR (nth 0 sags 0%Z) / U) * U) with (IZR (nth 0 lows 0%Z) - IZR (nth 0 sags 0%Z)) by (field; lra).
        exact K1. }
    intros alpha HA. apply (below_lowered_chords H f r x low (fun j => IZR (nth j sags 0%Z) / U) alpha); trivial.
    - intros a _. apply hockey_nonneg.
    - intros j J. apply X. unfold n. lia.
    - intros j a J K. apply (cell_bound H n x low high); trivial.
      + now apply hockey_profile.
      + intros u w UW. pose proof (hockey_lipschitz l P Q u w MQ ltac:(lra)). rewrite SQ in *. unfold H. lra.
      + unfold n. lia.
      + now apply C.
    - intros j J. now apply C.
    - assert (G : forall k, r = k -> f (x k) <= 0); [|now apply G]. intros [|k] R.
      + unfold x. cbn [point]. rewrite f_zero. replace (total (integers v)) with 0%Z; [unfold Rdiv; lra|].
        unfold r in R. apply length_zero_iff_nil in R. now rewrite R.
      + rewrite f_at, skipn_all2 by (fold r; lia). unfold beyond. cbn. lra.
  Qed.
End Sound.
