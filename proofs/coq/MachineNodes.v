(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * The divergence of one pair at many alpha, as Evaluate.v has it at one: what does
 * not depend on alpha is computed once (a frame), and the strata are walked in
 * machine integers (MachineRows.v). Where that does not work out the answer is None.
 * Nothing about a frame or a threshold is trusted.
 *)
From Coq Require Import Reals List ZArith NArith Lra Lia Arith Bool Uint63.
From Interval Require Import Float.Basic.
From Shufbound Require Import Sum Hockey Trinomial Binomial Strata Enclosures Walk Evaluate Certificate MachineRanges MachineRows.
Import ListNotations.
Open Scope R_scope.

(* ---- from intervals to machine integers ---- *)

(* floor(x 2^k), nearly; nothing is claimed of these two *)
Definition floor_of (k : Z) (x : Dyadic.type) : Z :=
  match Dyadic.toF x with
  | Basic.Float false m e => Z.shiftl (Zpos m) (e + k)
  | _ => 0%Z
  end.

Definition magnitude (i : interval) : Z :=
  match Dyadic.toF (Arith.upper i) with
  | Basic.Float _ m e => (Zpos (Pos.size m) + e)%Z
  | _ => (-100000)%Z
  end.

Section Pins.
  Variable prec : precision.
  Notation "# z" := (integer prec z) (at level 1).

  Definition times_power (k : Z) (i : interval) : interval :=
    if Z.leb 0 k then times prec i #(2 ^ k) else over prec i #(2 ^ (- k)).

  (* 2^k, also for k < 0 *)
  Definition power_of (k : Z) : R := if Z.leb 0 k then IZR (2 ^ k) else / IZR (2 ^ (- k)).

  Lemma power_of_positive k : 0 < power_of k.
  Proof.
    unfold power_of. destruct (Z.leb_spec 0 k); [|apply Rinv_0_lt_compat]; apply IZR_lt, Z.pow_pos_nonneg; lia.
  Qed.

  Lemma power_of_powerRZ k : power_of k = powerRZ 2 k.
  Proof.
    assert (P : forall p, IZR (2 ^ Zpos p) = (2 ^ Pos.to_nat p)%R).
    { intros p. rewrite <- (positive_nat_Z p), <- pow_IZR. reflexivity. }
    unfold power_of. destruct k as [|p|p]; cbn [Z.leb Z.compare powerRZ Z.opp]; [reflexivity | apply P | now rewrite P].
  Qed.

  Lemma power_of_add j k : power_of (j + k) = power_of j * power_of k.
  Proof. rewrite !power_of_powerRZ. apply powerRZ_add. lra. Qed.

  Lemma times_power_encloses k i x : encloses i x -> encloses (times_power k i) (x * power_of k).
  Proof.
    intros H. unfold times_power, power_of. destruct (Z.leb_spec 0 k).
    - apply times_encloses; [exact H | apply integer_encloses].
    - apply over_encloses; [|exact H | apply integer_encloses]. apply not_0_IZR, Z.pow_nonzero; lia.
  Qed.

  Lemma power_of_opp k : power_of k * power_of (- k) = 1.
  Proof.
    assert (P : forall a, (0 <= a)%Z -> IZR (2 ^ a) <> 0) by (intros; apply not_0_IZR, Z.pow_nonzero; lia).
    unfold power_of. destruct (Z.leb_spec 0 k), (Z.leb_spec 0 (- k)).
    - replace k with 0%Z by lia. cbn. lra.
    - rewrite Z.opp_involutive. apply Rinv_r, P. lia.
    - apply Rinv_l, P. lia.
    - lia.
  Qed.

  Definition pin (k : Z) (i : interval) : option range :=
    let low := floor_of k (Arith.lower i) in
    let high := Z.succ (floor_of k (Arith.upper i)) in
    let j := times_power k i in
    if (Z.leb 0 low && Z.ltb high (2 ^ 62))%bool then
      if is_nonneg (minus prec j #low) then
        if is_nonneg (minus prec #high j) then Some (of_Z low, of_Z high) else None
      else None
    else None.

  Lemma pin_correct k i r x : encloses i x -> pin k i = Some r ->
    holds r (x * power_of k) /\ (int_value (snd r) <= int_value limit)%Z.
  Proof.
    intros H. unfold pin. cbv zeta. set (low := floor_of k (Arith.lower i)). set (high := Z.succ _).
    destruct (_ && _)%bool eqn:E; [|discriminate]. apply andb_true_iff in E as [E1 E2]. apply Z.leb_le in E1. apply Z.ltb_lt in E2.
    pose proof (times_power_encloses k i x H) as J.
    destruct (is_nonneg (minus prec _ #low)) eqn:E3; [|discriminate].
    destruct (is_nonneg (minus prec #high _)) eqn:E4; [|discriminate]. intros Q. injection Q as <-.
    apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ J (integer_encloses prec low))) in E3.
    apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ (integer_encloses prec high) J)) in E4.
    apply (IZR_le 0) in E1.
    assert (L : (low <= high)%Z) by (apply le_IZR; lra). apply le_IZR in E1.
    assert (V : forall z, (0 <= z < 2 ^ 62)%Z -> int_value (of_Z z) = z).
    { intros z Z. rewrite of_Z_spec. apply Z.mod_small. change wB with (2 ^ 63)%Z. lia. }
    unfold holds. cbn [fst snd]. rewrite !V, limit_value by lia. apply (IZR_le 0) in E1. repeat split; lra || lia.
  Qed.

  Definition pin_constant (i : interval) : option constant :=
    let k := Z.min 61 (60 - magnitude i) in
    if Z.leb 0 k then
      match pin k i with
      | Some (low, high) => Some (Constant low high (of_Z (2 ^ k)))
      | None => None
      end
    else None.

  Lemma pin_constant_correct i k x : encloses i x -> pin_constant i = Some k -> is_constant k x.
  Proof.
    intros H. unfold pin_constant. cbv zeta. set (e := Z.min 61 _). destruct (Z.leb_spec 0 e) as [P|P]; [|discriminate].
    destruct (pin e i) as [[low high]|] eqn:E; [|discriminate]. intros Q. injection Q as <-.
    apply (pin_correct e i (low, high) x H) in E. destruct E as [(E0 & E1 & E2) E3]. cbn [fst snd] in *.
    assert (V : int_value (of_Z (2 ^ e)) = (2 ^ e)%Z).
    { rewrite of_Z_spec. apply Z.mod_small. split; [apply Z.pow_nonneg; lia|]. change wB with (2 ^ 63)%Z.
      apply Z.pow_lt_mono_r; lia. }
    assert (B : (0 < 2 ^ e)%Z) by (apply Z.pow_pos_nonneg; lia). pose proof (IZR_lt _ _ B) as BR.
    assert (PE : power_of e = IZR (2 ^ e)) by (unfold power_of; destruct (Z.leb_spec 0 e); [reflexivity | lia]).
    rewrite PE in *. unfold is_constant. cbn [c_low c_high c_over]. rewrite V. split; [exact B|].
    assert (X : 0 <= x) by (apply (Rmult_le_reg_r (IZR (2 ^ e))); [exact BR | lra]).
    split; [exact X|]. split; (apply (Rmult_le_reg_r (IZR (2 ^ e))); [exact BR|]);
      unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    - exact E1.
    - now apply E2.
  Qed.
End Pins.

(* ---- what does not depend on alpha ---- *)

Section Tables.
  Variable prec : precision.
  Notation "i + j" := (plus prec i j).
  Notation "i * j" := (times prec i j).
  Notation "i / j" := (over prec i j).
  Notation "# n" := (natural prec n) (at level 1).
  Variable n : N.        (* trials *)
  Variable o : interval. (* the odds p/(1-p) *)

  (* all the steps of `down` *)
  Fixpoint downs (steps : nat) (k : N) (w above : interval) : list (interval * interval) :=
    (w, above) ::
    match steps with
    | O => []
    | S m => downs m (N.pred k) (w * #k / (#(N.succ n - k) * o)) (above + w)
    end.

  Lemma nth_downs steps : forall k w above i d, (i <= steps)%nat ->
    nth i (downs steps k w above) d = let '(_, w', above') := down prec n o i k w above in (w', above').
  Proof.
    induction steps as [|m IH]; intros k w above i d H.
    - replace i with 0%nat by lia. reflexivity.
    - destruct i as [|i]; [reflexivity|]. cbn [downs nth down]. apply IH. lia.
  Qed.

  (* Of Bin(n,p): the weights from top down to low, with that of top 1; the inverse of this factor; what lies beyond both ends *)
  Record table := Table { tb_top : N; tb_low : N; tb_rows : list (interval * interval); tb_total : interval;
                          tb_above : interval; tb_below : interval }.

  Definition make_table (low top : N) : option table :=
    if (N.leb low top && N.leb top n)%bool then
      let steps := N.to_nat (top - low) in
      let l := downs steps top #1 zero in
      let (w, above) := nth steps l (anything, anything) in
      let more := beyond_top prec n o top #1 in
      let less := beyond_low prec n o low w in
      Some (Table top low l (above + w + more + less) more less)
    else None.

  Variable p : R.
  Hypothesis Hp : 0 < p < 1.
  Hypothesis Ho : encloses o (p / (1 - p)).
  Let size := N.to_nat n.

  (* What a table says. *)
  Record says (t : table) : Prop := {
    says_order : (tb_low t <= tb_top t)%N /\ (tb_top t <= n)%N;
    says_total : encloses (tb_total t) (factor n p (tb_top t));
    says_above : encloses (tb_above t) (factor n p (tb_top t) * tail p size (S (N.to_nat (tb_top t))));
    says_below : encloses (tb_below t) (factor n p (tb_top t) * head p size (N.to_nat (tb_low t)));
    says_rows : forall i, (i <= N.to_nat (tb_top t - tb_low t))%nat ->
      let (w, above) := nth i (tb_rows t) (anything, anything) in
      let k := (N.to_nat (tb_top t) - i)%nat in
      encloses w (factor n p (tb_top t) * bin p size k)
      /\ encloses above (factor n p (tb_top t) * sum (seq (S k) i) (bin p size))
  }.

  Lemma make_table_correct low top t : make_table low top = Some t -> says t.
  Proof.
    unfold make_table. destruct (_ && _)%bool eqn:E; [|discriminate]. apply andb_true_iff in E as [E1 E2].
    apply N.leb_le in E1, E2. cbv zeta. set (steps := N.to_nat (top - low)).
    assert (Htop : (N.to_nat top <= size)%nat) by (unfold size; lia).
    pose proof (factor_positive n p Hp top Htop) as Hz. pose proof (one_encloses prec n p Hp top Htop) as H1.
    set (z := factor n p top) in *. fold size in H1.
    assert (R : forall i, (i <= steps)%nat ->
      let (w, above) := nth i (downs steps top #1 zero) (anything, anything) in
      let k := (N.to_nat top - i)%nat in
      encloses w (z * bin p size k) /\ encloses above (z * sum (seq (S k) i) (bin p size))).
    { intros i I. rewrite nth_downs by exact I.
      pose proof (down_correct prec n o p Hp Ho z i top #1 zero 0 Htop ltac:(unfold steps in I; lia) H1) as D.
      destruct (down prec n o i top #1 zero) as [[k w] above].
      destruct D as (Ek & Hw & Ha); [eapply encloses_eq; [apply zero_encloses | cbn; lra]|].
      rewrite <- Ek, Nat.add_0_r in *. now split. }
    pose proof (R steps (le_n _)) as Rs. destruct (nth steps _ _) as [w above]. cbv zeta in Rs. destruct Rs as [Rw Ra].
    assert (EL : (N.to_nat top - steps)%nat = N.to_nat low) by (unfold steps; lia). rewrite EL in Rw, Ra.
    intros Q. injection Q as <-. split; cbn [tb_top tb_low tb_rows tb_total tb_above tb_below]; trivial.
    - split; trivial.
    - apply (total_correct prec n o p Hp Ho); trivial; [lia|].
      replace (N.to_nat top - N.to_nat low)%nat with steps by (unfold steps; lia). exact Ra.
    - apply (beyond_top_correct prec n o p Hp Ho); trivial. now apply Rlt_le.
    - apply (beyond_low_correct prec n o p Hp Ho); trivial; [now apply Rlt_le | unfold size in *; lia].
  Qed.

  (* Pr[Bin(n,p) = j] and Pr[Bin(n,p) > j] *)
  Definition look_up (prec : precision) (t : table) (j : N) : interval * interval :=
    if (N.leb (tb_low t) j && N.leb j (tb_top t))%bool then
      let (w, above) := nth (N.to_nat (tb_top t - j)) (tb_rows t) (anything, anything) in
      (over prec w (tb_total t), over prec (plus prec above (tb_above t)) (tb_total t))
    else (anything, anything).

  Lemma look_up_correct prec' t j : says t ->
    encloses (fst (look_up prec' t j)) (bin p size (N.to_nat j)) /\
    encloses (snd (look_up prec' t j)) (tail p size (S (N.to_nat j))).
  Proof.
    intros [[O1 O2] TT TA TB TR]. unfold look_up. destruct (_ && _)%bool eqn:E; [|split; apply anything_encloses].
    apply andb_true_iff in E as [E1 E2]. apply N.leb_le in E1, E2.
    specialize (TR (N.to_nat (tb_top t - j)) ltac:(lia)). destruct (nth _ _ _) as [w above]. cbv zeta in TR.
    replace (N.to_nat (tb_top t) - N.to_nat (tb_top t - j))%nat with (N.to_nat j) in TR by lia. destruct TR as [Rw Ra].
    assert (Htop : (N.to_nat (tb_top t) <= size)%nat) by (unfold size; lia).
    pose proof (factor_positive n p Hp _ Htop) as Hz. set (z := factor n p (tb_top t)) in *. cbn [fst snd]. split.
    - eapply encloses_eq; [apply over_encloses; [|exact Rw | exact TT]; lra|]. field. lra.
    - eapply encloses_eq; [apply over_encloses; [|apply plus_encloses; [exact Ra | exact TA] | exact TT]; lra|].
      unfold tail. replace (S size - S (N.to_nat j))%nat with (N.to_nat (tb_top t - j) + (S size - S (N.to_nat (tb_top t))))%nat by lia.
      rewrite sum_seq_split. replace (S (N.to_nat j) + N.to_nat (tb_top t - j))%nat with (S (N.to_nat (tb_top t))) by lia.
      field. lra.
  Qed.
End Tables.

(* ---- a value ---- *)

Section Fast.
  Variable prec : precision.
  Notation "i + j" := (plus prec i j).
  Notation "i - j" := (minus prec i j).
  Notation "i * j" := (times prec i j).
  Notation "i / j" := (over prec i j).
  Notation "# z" := (integer prec z) (at level 1).

  (* What all alpha share, for the strata of less than all users or for one stratum: tables of Bin(n,s) and of
     Bin(top,rho), top the highest stratum, and constants. *)
  Record frame := Frame {
    fr_strata : table; fr_start : table; fr_fuel : nat;
    fr_stay : constant; fr_turn : constant; fr_back : constant; fr_rho : constant; fr_odds : constant
  }.

  Definition interval_of (r : range) : interval := between #(int_value (fst r)) #(int_value (snd r)).

  Lemma interval_of_encloses r x : holds r x -> (int_value (snd r) <= int_value limit)%Z -> encloses (interval_of r) x.
  Proof. intros (P & L & U) H. eapply between_encloses; [apply integer_encloses | apply integer_encloses | split; auto]. Qed.

  Definition is_valid (r : range) : bool := (snd r <=? limit)%uint63.

  Variable sh : shape.
  Variable n : N.

  Definition walk_for (fr : frame) : option walk :=
    let bits := (57 - Z.log2 (Z.of_N n + 3))%Z in
    let ks := match sh_kappa sh with None => Some (0, 0)%uint63 | Some q => pin prec bits (q / sh_slope sh) end in
    match pin prec bits (sh_rise sh / sh_slope sh), ks with
    | Some (xl, xh), Some (kl, kh) =>
      if (Z.leb 0 bits && Z.leb (4 * (Z.of_N n + 3)) (2 ^ bits) && Z.ltb ((Z.of_N n + 3) * (2 ^ bits + int_value xh + int_value kh)) (2 ^ 62))%bool then
        Some {| wk_n := of_Z (Z.of_N n); wk_unit := of_Z (2 ^ bits); wk_slack := of_Z (4 * (Z.of_N n + 3)); wk_x_low := xl; wk_x_high := xh; wk_k_low := kl; wk_k_high := kh;
                wk_loses := match sh_kappa sh with None => false | Some _ => true end;
                wk_stay := fr_stay fr; wk_turn := fr_turn fr; wk_back := fr_back fr; wk_rho := fr_rho fr; wk_odds := fr_odds fr |}
      else None
    | _, _ => None
    end.

  Definition fast_rows (fr : frame) : option interval :=
    let top := tb_top (fr_strata fr) in
    match walk_for fr with
    | None => None
    | Some wk =>
      let c := of_Z (Z.of_N top) in
      let t := (place_low wk c / wk_unit wk + 1)%uint63 in
      if (Z.leb 1 (int_value t) && Z.leb (int_value t) (Z.of_N n + 2))%bool then
        let (pm, tl) := look_up prec (fr_start fr) (Z.to_N (int_value t) - 1) in
        (* about how much a row may multiply by: 2^g *)
        let g := (Z.log2 (Z.of_N top * int_value (c_high (fr_back fr)) / (int_value (c_over (fr_back fr)) * Z.of_N (N.succ n - top))) + 2)%Z in
        let k := (58 - g - Z.max (magnitude pm) (magnitude tl))%Z in
        match pin prec k pm, pin prec k tl with
        | Some y, Some z =>
          let steps := N.to_nat (top - tb_low (fr_strata fr)) in
          let guard := of_Z (Z.max 0 (Z.log2_up (Z.of_nat steps + 2) - g - 1)) in
          match rows wk guard (of_Z (2 ^ (60 - g))) (fr_fuel fr) steps c t y z zero_range zero_range zero_range zero_range 0%Z with
          | Some (a, b, d, q, e) =>
            if (is_valid a && is_valid b && is_valid d && is_valid q)%bool then
              let lost := match sh_kappa sh with None => zero | Some q => q * interval_of d end in
              (* what thresholds too near to tell may add *)
              let near := sh_slope sh * (#(int_value (wk_slack wk)) / #(int_value (wk_unit wk))) * interval_of q in
              let sums := times_power prec (int_value guard + e - k)
                            (sh_u sh * interval_of a + sh_uv sh * interval_of b - lost + between zero near) in
              let more := tb_above (fr_strata fr) + tb_below (fr_strata fr) in
              Some ((sums + between zero (sh_u sh * more)) / tb_total (fr_strata fr))
            else None
          | None => None
          end
        | _, _ => None
        end
      else None
    end.

  (* All others count: one stratum. *)
  Definition fast_one (start : table) : interval :=
    let h := height prec sh n n in
    let t := (Z.to_N (floor_of 0 (Arith.lower (over prec h (sh_slope sh)))) + 1)%N in
    let (pm, tl) := look_up prec start (t - 1) in
    let '(t, pm, tl) := climb prec sh 2 h n t pm tl in
    Evaluate.value prec sh n h n t pm tl.

  (* Soundness. *)
  Variables u v rho kappa : R.
  Hypothesis Hrho : 0 < rho < 1.
  Hypothesis Hu : 0 <= u.
  Hypothesis Hv : v <= 0.
  Hypothesis Hkappa : 0 <= kappa.
  Let slope : R := (u / rho - v / (1 - rho))%R.
  Hypothesis Hslope : 0 < slope.
  Hypothesis D : describes sh u v rho kappa.
  Let size := N.to_nat n.

  Lemma fast_one_correct start : says n rho start -> encloses (fast_one start) (V n u v rho kappa size).
  Proof.
    intros SA. unfold fast_one. set (t0 := (Z.to_N _ + 1)%N). cbv zeta.
    pose proof (look_up_correct n rho Hrho prec start (t0 - 1) SA) as [A B].
    destruct (look_up prec start (t0 - 1)) as [pm tl]. cbn [fst snd] in A, B.
    assert (R : at_row rho n t0 pm tl).
    { assert (T : (1 <= N.to_nat t0)%nat) by (unfold t0; lia). split; [exact T|].
      replace (N.to_nat (t0 - 1)) with (N.to_nat t0 - 1)%nat in * by lia.
      split; [exact A|]. replace (N.to_nat t0) with (S (N.to_nat t0 - 1)) by lia. exact B. }
    apply (climb_correct prec sh u v rho kappa Hrho D 2 (height prec sh n n)) in R.
    destruct (climb _ _ _ _ _ _ _ _) as [[t pm'] tl']. destruct R as (R1 & R2 & R3).
    now apply (value_correct prec sh n u v rho kappa).
  Qed.

  Variable s : R.
  Hypothesis Hs : 0 < s < 1.
  Let o : R := (s / (1 - s))%R.

  (* What a frame says. *)
  Record frames (fr : frame) : Prop := {
    frames_strata : says n s (fr_strata fr);
    frames_start : says (tb_top (fr_strata fr)) rho (fr_start fr);
    frames_stay : is_constant (fr_stay fr) (1 / (o * (1 - rho)));
    frames_turn : is_constant (fr_turn fr) (1 / (o * rho));
    frames_back : is_constant (fr_back fr) (1 / o);
    frames_rho : is_constant (fr_rho fr) rho;
    frames_odds : is_constant (fr_odds fr) (rho / (1 - rho))
  }.

  Lemma of_Z_value z : (0 <= z < 2 ^ 63)%Z -> int_value (of_Z z) = z.
  Proof. intros H. rewrite of_Z_spec. apply Z.mod_small. exact H. Qed.

  Lemma holds_under r x k : holds r (x * power_of k) -> IZR (int_value (fst r)) <= power_of k * x.
  Proof. intros (_ & L & _). lra. Qed.

  Lemma some_same {A : Type} (a b : A) : Some a = Some b -> b = a.
  Proof. congruence. Qed.

  Theorem fast_rows_correct fr i : frames fr -> fast_rows fr = Some i ->
    encloses i (sum (seq 0 (S size)) (term n u v rho kappa s)).
  Proof.
    intros FR. unfold fast_rows. set (top := tb_top (fr_strata fr)). destruct (walk_for fr) as [wk|] eqn:EW; [|discriminate].
    cbv zeta. set (c := of_Z (Z.of_N top)). set (t := (place_low wk c / wk_unit wk + 1)%uint63).
    destruct (_ && _)%bool eqn:ET; [|discriminate]. apply andb_true_iff in ET as [T1 T2]. apply Z.leb_le in T1, T2.
    destruct FR as [FS FT Cstay Cturn Cback Crho Codds]. pose proof FS as [[O1 O2] TT TA TB TR]. fold top in O1, O2, FT, TT, TA, TB.
    pose proof (look_up_correct top rho Hrho prec (fr_start fr) (Z.to_N (int_value t) - 1) FT) as [A B].
    destruct (look_up prec (fr_start fr) (Z.to_N (int_value t) - 1)) as [pm tl]. cbn [fst snd] in A, B.
    set (g0 := (Z.log2 _ + 2)%Z); set (k := (58 - g0 - _)%Z). destruct (pin prec k pm) as [y|] eqn:EY; [|discriminate].
    destruct (pin prec k tl) as [z|] eqn:EZ; [|discriminate].
    set (low := tb_low (fr_strata fr)) in *. set (steps := N.to_nat (top - low)). set (guard := of_Z (Z.max 0 _)).
    set (room := of_Z (2 ^ (60 - g0))). destruct (rows _ _ _ _ _ _ _ _ _ _ _ _ _ _) as [[[[[a b] d] q] e]|] eqn:ER; [|discriminate].
    destruct (_ && _ && _)%bool eqn:EV; [|discriminate]. apply andb_true_iff in EV as [EV V4]. apply andb_true_iff in EV as [EV V3]. apply andb_true_iff in EV as [V1 V2].
    apply leb_spec in V1, V2, V3, V4. intros Q. apply some_same in Q. rewrite Q. clear i Q.
    destruct (pin_correct prec k pm y _ A EY) as [HY _]. destruct (pin_correct prec k tl z _ B EZ) as [HZ _].
    (* the walk's parameters *)
    unfold walk_for in EW. cbv zeta in EW. set (bits := (57 - _)%Z) in EW.
    destruct (pin prec bits (sh_rise sh / sh_slope sh)) as [[xl xh]|] eqn:EX; [|discriminate].
    destruct (match sh_kappa sh with None => _ | Some q => _ end) as [[kl kh]|] eqn:EK; [|discriminate].
    destruct (Z.leb 0 bits && _ && _)%bool eqn:EB; [|discriminate]. apply andb_true_iff in EB as [EB B2].
    apply andb_true_iff in EB as [B1 B3]. apply Z.leb_le in B1, B3. apply Z.ltb_lt in B2. injection EW as EW.
    set (x := (- v / (1 - rho) / slope)%R). set (kk := (kappa / slope)%R).
    assert (PB : (1 <= 2 ^ bits)%Z) by (pose proof (Z.pow_pos_nonneg 2 bits ltac:(lia) B1); lia).
    assert (NV : (Z.of_N n + 3 < 2 ^ 62)%Z).
    { pose proof (int_nonneg xh). pose proof (int_nonneg kh). nia. }
    assert (UV : (2 ^ bits < 2 ^ 62)%Z).
    { pose proof (int_nonneg xh). pose proof (int_nonneg kh). nia. }
    assert (PW : power_of bits = IZR (2 ^ bits)) by (unfold power_of; destruct (Z.leb_spec 0 bits); [reflexivity | lia]).
    assert (HX : holds (xl, xh) (x * power_of bits) /\ (int_value xh <= int_value limit)%Z).
    { refine (pin_correct prec bits _ (xl, xh) x _ EX). unfold x.
      apply over_encloses; [now apply Rgt_not_eq | apply (has_rise _ _ _ _ _ D) | apply (has_slope _ _ _ _ _ D)]. }
    assert (HK : holds (kl, kh) (kk * power_of bits) /\ (int_value kh <= int_value limit)%Z
              /\ (match sh_kappa sh with None => false | Some _ => true end = false -> kappa = 0)).
    { pose proof (has_kappa _ _ _ _ _ D) as HK. destruct (sh_kappa sh) as [ik|].
      - assert (P : encloses (ik / sh_slope sh) kk) by (apply over_encloses; [now apply Rgt_not_eq | exact HK | apply (has_slope _ _ _ _ _ D)]).
        destruct (pin_correct prec bits _ (kl, kh) kk P EK). repeat split; try apply H; trivial. discriminate.
      - injection EK as <- <-. unfold kk. rewrite HK.
        split; [|split; [cbn; lia | reflexivity]]. eapply holds_eq; [apply zero_range_holds|]. unfold Rdiv. ring. }
    destruct HX as [HX LX]. destruct HK as (HK & LK & NK).
    assert (EN : nat_of (wk_n wk) = size).
    { rewrite <- EW. cbn [wk_n]. unfold nat_of. rewrite of_Z_value by lia. unfold size. lia. }
    assert (EC : nat_of c = N.to_nat top) by (unfold nat_of, c; rewrite of_Z_value by lia; lia).
    assert (ES : (N.to_nat top - steps)%nat = N.to_nat low) by (unfold steps; lia).
    assert (Htop : (N.to_nat top <= size)%nat) by (unfold size; lia).
    pose proof (factor_positive n s Hs top Htop) as Hz. pose proof (one_encloses prec n s Hs top Htop) as _.
    set (f0 := factor n s top) in *.
    assert (FB : (f0 * bin s size (N.to_nat top) = 1)%R).
    { unfold f0, factor. apply Rinv_l. apply Rgt_not_eq, bin_positive; trivial. }
    pose proof (power_of_positive k) as PK.
    assert (ST : state wk s rho (f0 * power_of k) c t y z).
    { unfold state. rewrite EC, EN. split; [|split].
      - rewrite <- EW. cbn [wk_n]. rewrite of_Z_value by lia. lia.
      - eapply holds_eq; [exact HY|]. replace (N.to_nat (Z.to_N (int_value t) - 1)) with (nat_of t - 1)%nat by (unfold nat_of; lia).
        transitivity (f0 * bin s size (N.to_nat top) * (bin rho (N.to_nat top) (nat_of t - 1) * power_of k))%R; [rewrite FB|]; ring.
      - eapply holds_eq; [exact HZ|].
        replace (S (N.to_nat (Z.to_N (int_value t) - 1))) with (nat_of t) by (unfold nat_of; lia).
        transitivity (f0 * bin s size (N.to_nat top) * (tail rho (N.to_nat top) (nat_of t) * power_of k))%R; [rewrite FB|]; ring. }
    assert (Z0 : forall w, holds zero_range (f0 * power_of k * 0 / w)).
    { intros w. eapply holds_eq; [apply zero_range_holds|]. unfold Rdiv. ring. }
    assert (U1 : IZR (int_value (wk_unit wk)) = power_of bits).
    { rewrite <- EW. cbn [wk_unit]. rewrite of_Z_value by lia. now rewrite PW. }
    assert (HXL : IZR (int_value (wk_x_low wk)) <= IZR (int_value (wk_unit wk)) * x <= IZR (int_value (wk_x_high wk))).
    { rewrite U1, <- EW. cbn [wk_x_low wk_x_high]. destruct HX as (_ & L & H). cbn [fst snd] in L, H. specialize (H LX). lra. }
    assert (HKL : IZR (int_value (wk_k_low wk)) <= IZR (int_value (wk_unit wk)) * kk <= IZR (int_value (wk_k_high wk))).
    { rewrite U1, <- EW. cbn [wk_k_low wk_k_high]. destruct HK as (_ & L & H). cbn [fst snd] in L, H. specialize (H LK). lra. }
    assert (SM : ((int_value (wk_n wk) + 3) * (int_value (wk_unit wk) + int_value (wk_x_high wk) + int_value (wk_k_high wk)) < 2 ^ 62)%Z).
    { rewrite <- EW. cbn [wk_n wk_unit wk_x_high wk_k_high]. rewrite !of_Z_value by lia. exact B2. }
    assert (SLK : (int_value (wk_slack wk) <= int_value (wk_unit wk))%Z).
    { assert (W1 : int_value (wk_slack wk) = (4 * (Z.of_N n + 3))%Z)
        by (rewrite <- EW; exact (of_Z_value (4 * (Z.of_N n + 3)) ltac:(lia))).
      assert (W2 : int_value (wk_unit wk) = (2 ^ bits)%Z) by (rewrite <- EW; exact (of_Z_value (2 ^ bits) ltac:(lia))).
      rewrite W1, W2. exact B3. }
    assert (R := rows_correct wk guard room (fr_fuel fr) s u v rho kappa x kk Hs Hrho Hu Hslope
      ltac:(unfold x; fold slope; field; lra) ltac:(unfold kk; fold slope; field; lra) Hkappa
      ltac:(rewrite <- EW; exact NK) ltac:(rewrite U1; apply power_of_positive) HXL HKL SM SLK
      ltac:(rewrite <- EW; exact Cstay) ltac:(rewrite <- EW; exact Cturn) ltac:(rewrite <- EW; exact Cback)
      ltac:(rewrite <- EW; exact Crho) ltac:(rewrite <- EW; exact Codds)
      steps (f0 * power_of k) c t y z zero_range zero_range zero_range zero_range 0%Z 0 0 0 0 a b d q e
      ltac:(now apply Rmult_lt_0_compat) ltac:(rewrite EC; unfold steps; lia)
      ltac:(rewrite <- EW; cbn [wk_n]; unfold c; rewrite !of_Z_value by lia; lia) ST (Z0 _) (Z0 _) (Z0 _) (Z0 _) ER).
    destruct R as (j & sa & sb & sd & sq & J & Ee & HA & HB & HD & HQ & SQ & SUM). cbn [Z.add] in Ee. subst j.
    rewrite !Rplus_0_l in HA, HB, HD, HQ. rewrite EN, EC, ES in SUM.
    set (g := IZR (2 ^ int_value guard)) in *. set (f1 := (f0 * power_of k / IZR (2 ^ e))%R) in *.
    assert (PG : 0 < g) by (apply IZR_lt, Z.pow_pos_nonneg; [lia | apply int_nonneg]).
    assert (PE : 0 < IZR (2 ^ e)) by (apply IZR_lt, Z.pow_pos_nonneg; lia).
    assert (SCALE : (f1 / g * power_of (int_value guard + e - k) = f0)%R).
    { unfold f1. assert (PP : power_of (int_value guard + e - k) = (g * IZR (2 ^ e) * power_of (- k))%R).
      { unfold Z.sub. rewrite !power_of_add. f_equal. f_equal.
        - unfold g, power_of. destruct (Z.leb_spec 0 (int_value guard)); [reflexivity|]. pose proof (int_nonneg guard). lia.
        - unfold power_of. destruct (Z.leb_spec 0 e); [reflexivity | lia]. }
      rewrite PP. transitivity (f0 * (power_of k * power_of (- k)))%R; [field; lra|]. rewrite power_of_opp. ring. }
    pose proof (interval_of_encloses a _ HA V1) as IA. pose proof (interval_of_encloses b _ HB V2) as IB.
    pose proof (interval_of_encloses d _ HD V3) as ID. pose proof (interval_of_encloses q _ HQ V4) as IQ.
    assert (LOST : encloses (match sh_kappa sh with None => zero | Some q => q * interval_of d end) (f1 / g * (kappa * sd))).
    { pose proof (has_kappa _ _ _ _ _ D) as HKa. destruct (sh_kappa sh) as [ik|].
      - eapply encloses_eq; [apply times_encloses; [exact HKa | exact ID]|]. unfold Rdiv. ring.
      - eapply encloses_eq; [apply zero_encloses|]. rewrite HKa. unfold Rdiv. ring. }
    set (inside := sum (seq (N.to_nat low) (S (N.to_nat top - N.to_nat low))) (term n u v rho kappa s)).
    set (base := (u * sa + (u + v) * sb - kappa * sd)%R) in *.
    set (slack := (IZR (int_value (wk_slack wk)) / IZR (int_value (wk_unit wk)))%R) in *.
    assert (SUM' : base <= inside <= base + slope * slack * sq).
    { unfold inside, slope, slack. replace (S (N.to_nat top - N.to_nat low)) with (S steps) by (unfold steps; lia). exact SUM. }
    set (near := sh_slope sh * _ * interval_of q).
    assert (PU : 0 < IZR (int_value (wk_unit wk))) by (rewrite U1; apply power_of_positive).
    assert (NEAR : encloses near (f1 / g * (slope * slack * sq))).
    { eapply encloses_eq; [apply times_encloses; [apply times_encloses; [apply (has_slope _ _ _ _ _ D)|] | exact IQ]|].
      - apply over_encloses; [|apply integer_encloses | apply integer_encloses]. lra.
      - fold slack. unfold slope, Evaluate.slope, Rdiv. ring. }
    assert (F1 : 0 <= f1 / g).
    { unfold f1. apply Rmult_le_pos; [|now apply Rlt_le, Rinv_0_lt_compat]. apply Rmult_le_pos; [|now apply Rlt_le, Rinv_0_lt_compat].
      apply Rmult_le_pos; lra. }
    assert (HS : encloses (times_power prec (int_value guard + e - k)
        (sh_u sh * interval_of a + sh_uv sh * interval_of b - match sh_kappa sh with None => zero | Some q => q * interval_of d end
         + between zero near)) (f0 * inside)).
    { eapply encloses_eq; [apply times_power_encloses, plus_encloses;
        [apply minus_encloses; [apply plus_encloses; apply times_encloses|exact LOST]|]|].
      - apply (has_u _ _ _ _ _ D).
      - exact IA.
      - apply (has_uv _ _ _ _ _ D).
      - exact IB.
      - apply (between_encloses _ _ _ _ (f1 / g * (inside - base)) zero_encloses NEAR).
        split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l; lra.
      - rewrite <- SCALE. unfold base, Rdiv. generalize (power_of (int_value guard + e - k)) as w. clearbody f1 g inside. clear. intros w. ring. }
    (* the strata below, in and above the window *)
    assert (Split : sum (seq 0 (S size)) (term n u v rho kappa s) =
      (inside + (sum (seq 0 (N.to_nat low)) (term n u v rho kappa s)
                 + sum (seq (S (N.to_nat top)) (S size - S (N.to_nat top))) (term n u v rho kappa s)))%R).
    { replace (S size) with (N.to_nat low + (S (N.to_nat top - N.to_nat low) + (S size - S (N.to_nat top))))%nat at 1 by lia.
      rewrite !sum_seq_split. unfold inside.
      replace (0 + N.to_nat low)%nat with (N.to_nat low) by lia.
      replace (N.to_nat low + S (N.to_nat top - N.to_nat low))%nat with (S (N.to_nat top)) by lia. ring. }
    pose proof (outside n u v rho kappa Hrho Hu Hv Hkappa s Hs (seq 0 (N.to_nat low))) as W1.
    pose proof (outside n u v rho kappa Hrho Hu Hv Hkappa s Hs (seq (S (N.to_nat top)) (S size - S (N.to_nat top)))) as W2.
    fold size in W1, W2. fold (head s size (N.to_nat low)) in W1. fold (tail s size (S (N.to_nat top))) in W2.
    rewrite Split. set (out := (sum (seq 0 (N.to_nat low)) _ + _)%R).
    assert (Hout : encloses (between zero (sh_u sh * (tb_above (fr_strata fr) + tb_below (fr_strata fr)))) (f0 * out)).
    { eapply between_encloses;
        [apply zero_encloses | apply times_encloses; [apply (has_u _ _ _ _ _ D) | apply plus_encloses; [exact TA | exact TB]]|].
      fold size low.
      assert (0 <= out) by (unfold out; lra).
      assert (out <= u * (tail s size (S (N.to_nat top)) + head s size (N.to_nat low))) by (unfold out; lra).
      split; [apply Rmult_le_pos; lra|]. rewrite <- Rmult_plus_distr_l.
      eapply Rle_trans; [apply Rmult_le_compat_l; [lra | eassumption]|]. right. ring. }
    eapply encloses_eq.
    - apply over_encloses; [|apply plus_encloses; [exact HS | exact Hout] | exact TT]. lra.
    - field. lra.
  Qed.
End Fast.

(* ---- the divergence of a pair ---- *)

(* Hints: the strata low .. top and a window of Bin(top,rho), for all alpha. *)
Record span := Span { sp_top : N; sp_low : N; sp_from : N; sp_to : N; sp_fuel : nat }.

Inductive shared :=
| Several (fr : frame)
| Single (start : table)
| Nothing.

Section Shared.
  Variable prec : precision.
  Notation "i + j" := (plus prec i j).
  Notation "i - j" := (minus prec i j).
  Notation "i * j" := (times prec i j).
  Notation "i / j" := (over prec i j).
  Notation "# z" := (integer prec z) (at level 1).

  Definition share (e : enclosures) (one : bool) (n : N) (sp : span) : shared :=
    let s := e_r0 e + e_r1 e in
    let rho := e_r0 e / s in
    let corho := e_r1 e / s in
    let odds := e_r0 e / e_r1 e in
    if one then
      match make_table prec n odds (sp_from sp) (sp_to sp) with
      | Some t => Single t
      | None => Nothing
      end
    else if is_positive (#1 - s) then
      let o := s / (#1 - s) in
      match make_table prec n o (sp_low sp) (sp_top sp), make_table prec (sp_top sp) odds (sp_from sp) (sp_to sp),
            pin_constant prec (#1 / (o * corho)), pin_constant prec (#1 / (o * rho)), pin_constant prec (#1 / o) with
      | Some strata, Some start, Some stay, Some turn, Some back =>
        match pin_constant prec rho, pin_constant prec odds with
        | Some r, Some q => Several (Frame strata start (sp_fuel sp) stay turn back r q)
        | _, _ => Nothing
        end
      | _, _, _, _, _ => Nothing
      end
    else Nothing.

  Definition fast_divergence (e : enclosures) (alpha : interval) (one : bool) (n : N) (h : shared) : option interval :=
    let sh := shape_of prec e alpha one in
    if is_nonneg (zero - sh_u sh) then Some zero
    else if (is_nonneg (sh_u sh) && is_positive (sh_slope sh))%bool then
      match h with
      | Several fr => if one then None else fast_rows prec sh n fr
      | Single start => if one then Some (fast_one prec sh n start) else None
      | Nothing => None
      end
    else None.
End Shared.

(* What is shared says of the weights. *)
Definition shares (w : weights) (n : N) (h : shared) : Prop :=
  let s := r0 w + r1 w in
  match h with
  | Several fr => 0 < s < 1 /\ frames n (r0 w / s) s fr
  | Single start => says n (r0 w / s) start
  | Nothing => True
  end.

Lemma make_table_top prec n o low top t : make_table prec n o low top = Some t -> tb_top t = top.
Proof.
  unfold make_table. destruct (_ && _)%bool; [|discriminate]. cbv zeta. destruct (nth _ _ _). intros H. now injection H as <-.
Qed.

Lemma share_correct prec e w one n sp : enclose e w -> fine w -> shares w n (share prec e one n sp).
Proof.
  intros He Hw. unfold share. cbv zeta. set (s := r0 w + r1 w).
  assert (S1 : 0 < s <= 1) by (pose proof (fine_r0 w Hw); pose proof (fine_r1 w Hw); pose proof (fine_r w Hw); unfold s; lra).
  pose proof (fine_r0 w Hw) as P0. pose proof (fine_r1 w Hw) as P1.
  assert (Es : encloses (plus prec (e_r0 e) (e_r1 e)) s) by (apply plus_encloses; [apply (enclose_r0 e w He) | apply (enclose_r1 e w He)]).
  set (rho := r0 w / s).
  assert (CO : 1 - rho = r1 w / s) by (unfold rho, s in *; field; lra).
  assert (Rr : 0 < rho < 1).
  { assert (0 < rho) by (apply Rdiv_lt_0_compat; lra). assert (0 < 1 - rho) by (rewrite CO; apply Rdiv_lt_0_compat; lra). lra. }
  assert (Er : encloses (over prec (e_r0 e) (plus prec (e_r0 e) (e_r1 e))) rho).
  { apply over_encloses; [lra | apply (enclose_r0 e w He) | exact Es]. }
  assert (Ec : encloses (over prec (e_r1 e) (plus prec (e_r0 e) (e_r1 e))) (1 - rho)).
  { rewrite CO. apply over_encloses; [lra | apply (enclose_r1 e w He) | exact Es]. }
  assert (Eq : encloses (over prec (e_r0 e) (e_r1 e)) (rho / (1 - rho))).
  { rewrite CO. replace (rho / (r1 w / s)) with (r0 w / r1 w) by (unfold rho; field; lra).
    apply over_encloses; [lra | apply (enclose_r0 e w He) | apply (enclose_r1 e w He)]. }
  destruct one.
  { destruct (make_table prec n _ _ _) as [t|] eqn:E; [|exact I].
    exact (make_table_correct prec n _ rho Rr Eq _ _ _ E). }
  assert (E1 : encloses (minus prec (integer prec 1) (plus prec (e_r0 e) (e_r1 e))) (1 - s))
    by (apply minus_encloses; [apply integer_encloses | exact Es]).
  destruct (is_positive _) eqn:EP; [|exact I]. apply (is_positive_true _ _ E1) in EP.
  set (o := over prec (plus prec (e_r0 e) (e_r1 e)) _).
  assert (Eo : encloses o (s / (1 - s))) by (apply over_encloses; [lra | exact Es | exact E1]).
  assert (PO : 0 < s / (1 - s)) by (apply Rdiv_lt_0_compat; lra).
  assert (C : forall i x k, pin_constant prec i = Some k -> encloses i x -> is_constant k x).
  { intros i x k H1 H2. exact (pin_constant_correct prec i k x H2 H1). }
  destruct (make_table prec n o _ _) as [strata|] eqn:T1; [|exact I].
  destruct (make_table prec (sp_top sp) _ _ _) as [start|] eqn:T2; [|exact I].
  destruct (pin_constant prec (over prec _ (times prec o (over prec (e_r1 e) _)))) as [stay|] eqn:K1; [|exact I].
  destruct (pin_constant prec (over prec _ (times prec o (over prec (e_r0 e) _)))) as [turn|] eqn:K2; [|exact I].
  destruct (pin_constant prec (over prec _ o)) as [back|] eqn:K3; [|exact I].
  destruct (pin_constant prec (over prec (e_r0 e) (plus _ _ _))) as [r|] eqn:K4; [|exact I].
  destruct (pin_constant prec (over prec (e_r0 e) (e_r1 e))) as [q|] eqn:K5; [|exact I].
  cbn [shares]. fold s rho. split; [lra|].
  split; cbn [fr_strata fr_start fr_stay fr_turn fr_back fr_rho fr_odds].
  - exact (make_table_correct prec n o s ltac:(lra) Eo _ _ _ T1).
  - rewrite (make_table_top _ _ _ _ _ _ T1). exact (make_table_correct prec (sp_top sp) _ rho Rr Eq _ _ _ T2).
  - apply (C _ _ _ K1). apply over_encloses; [|apply integer_encloses | now apply times_encloses].
    apply Rgt_not_eq, Rmult_lt_0_compat; lra.
  - apply (C _ _ _ K2). apply over_encloses; [|apply integer_encloses | now apply times_encloses].
    apply Rgt_not_eq, Rmult_lt_0_compat; lra.
  - apply (C _ _ _ K3). apply over_encloses; [lra | apply integer_encloses | exact Eo].
  - exact (C _ _ _ K4 Er).
  - exact (C _ _ _ K5 Eq).
Qed.

Lemma fast_divergence_correct prec e w ia alpha one n h i :
  enclose e w -> fine w -> encloses ia alpha -> 1 <= alpha -> (one = true -> r0 w + r1 w = 1) ->
  shares w n h -> fast_divergence prec e ia one n h = Some i -> encloses i (forward w (N.to_nat n) alpha).
Proof.
  intros He Hw Hia Ha Hone Sh. unfold fast_divergence. cbv zeta.
  pose proof (u_encloses prec e w ia alpha one He Hia) as U. pose proof (slope_encloses prec e w ia alpha one He Hw Hia) as SL.
  destruct (is_nonneg (minus prec zero (sh_u (shape_of prec e ia one)))) eqn:E0.
  { intros Q. injection Q as <-.
    apply (is_nonneg_true _ _ (minus_encloses prec _ _ _ _ zero_encloses U)) in E0.
    eapply encloses_eq; [apply zero_encloses|]. symmetry. apply forward_zero; trivial. lra. }
  destruct (is_nonneg (sh_u _) && is_positive _)%bool eqn:E; [|discriminate].
  apply andb_true_iff in E as [E1 E2]. apply (is_nonneg_true _ _ U) in E1. apply (is_positive_true _ _ SL) in E2.
  pose proof (rho_inside w Hw) as HR. pose proof (v_negative w alpha Hw Ha) as HV. pose proof (kappa_nonneg w alpha Hw Ha) as HK.
  rewrite (divergence_strata w alpha Hw Ha) by assumption.
  assert (DS : r0 w + r1 w < 1 \/ one = true -> describes (shape_of prec e ia one) (w0 w - alpha * w1 w) (w1 w - alpha * w0 w)
                 (r0 w / (r0 w + r1 w)) ((alpha - 1) * w2 w * odds (r0 w + r1 w))).
  { intros B. now apply (describes_shape prec e w ia alpha one He Hw Hia). }
  destruct h as [fr|start|]; [| |discriminate]; destruct one; try discriminate.
  - destruct Sh as [S1 FR]. intros Q.
    exact (fast_rows_correct prec _ n _ _ _ _ HR E1 HV HK E2 (DS ltac:(left; lra)) _ S1 fr i FR Q).
  - intros Q. injection Q as <-.
    eapply encloses_eq; [exact (fast_one_correct prec _ n _ _ _ _ HR E1 HV HK E2 (DS (or_intror eq_refl)) start Sh)|].
    unfold term. rewrite (Hone eq_refl). now rewrite sum_bin_one.
Qed.
