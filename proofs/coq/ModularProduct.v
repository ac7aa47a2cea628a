(* SPDX-License-Identifier: LGPL-3.0-or-later *)
(*
 * Products of long vectors of natural numbers by residues modulo several primes
 * below 2^31, each by a transform: x^(2m) - r^2 = (x^m - r)(x^m + r), so that a
 * polynomial's values at all points where x^N = 1 follow by log N splittings, and
 * it follows from them. That the roots are what they should be is checked, and what
 * is put together from the residues is only a candidate: its residues are compared.
 * Nothing about primes or orders of roots is assumed.
 *)
From Coq Require Import Reals List ZArith Znumtheory NArith Lia Arith Bool Uint63.
From Bignums Require Import BigN.
From Shufbound Require Import Sum Losses Kronecker.
Import ListNotations.
Open Scope Z_scope.

Notation int_value := Uint63.to_Z.

Inductive tree := Tip (a : int) | Fork (l r : tree).
Inductive roots := Point | Split (r ri : int) (plus minus : roots).

Section Modulus.
  Variable p : int.

  Definition add_mod (a b : int) : int := ((a + b) mod p)%uint63.
  Definition sub_mod (a b : int) : int := ((a + (p - b)) mod p)%uint63.
  Definition mul_mod (a b : int) : int := ((a * b) mod p)%uint63.

  Fixpoint zip_trees (f : int -> int -> int) (s t : tree) : tree :=
    match s, t with
    | Tip a, Tip b => Tip (f a b)
    | Fork a b, Fork c d => Fork (zip_trees f a c) (zip_trees f b d)
    | _, _ => s
    end.

  Fixpoint scale_tree (c : int) (t : tree) : tree :=
    match t with
    | Tip a => Tip (mul_mod c a)
    | Fork a b => Fork (scale_tree c a) (scale_tree c b)
    end.

  (* the values at all points; the polynomial times a power of 2 from them *)
  Fixpoint transform (h : roots) (t : tree) : tree :=
    match h, t with
    | Split r _ hp hm, Fork a b =>
      let c := scale_tree r b in Fork (transform hp (zip_trees add_mod a c)) (transform hm (zip_trees sub_mod a c))
    | _, _ => t
    end.

  Fixpoint untransform (h : roots) (t : tree) : tree :=
    match h, t with
    | Split _ ri hp hm, Fork a b =>
      let c := untransform hp a in
      let d := untransform hm b in
      Fork (zip_trees add_mod c d) (scale_tree ri (zip_trees sub_mod c d))
    | _, _ => t
    end.

  (* x^(2^depth) - s splits as the roots say *)
  Fixpoint check_roots (depth : nat) (s : int) (h : roots) : bool :=
    match depth, h with
    | O, Point => true
    | S k, Split r ri hp hm =>
      if ((r <? p) && (ri <? p) && (mul_mod r r =? s) && (mul_mod r ri =? 1))%uint63 then
        if check_roots k r hp then check_roots k (p - r)%uint63 hm else false
      else false
    | _, _ => false
    end.

  (* Soundness. *)
  Notation P := (int_value p).
  Definition same (x y : Z) : Prop := (P | x - y).
  Infix "==" := same (at level 70).

  Lemma same_refl x : x == x.
  Proof. unfold same. rewrite Z.sub_diag. apply Z.divide_0_r. Qed.

  Lemma same_sym x y : x == y -> y == x.
  Proof. intros [k H]. exists (- k). lia. Qed.

  Lemma same_trans x y z : x == y -> y == z -> x == z.
  Proof. intros [k H] [j G]. exists (k + j). lia. Qed.

  Lemma same_add x y x' y' : x == x' -> y == y' -> x + y == x' + y'.
  Proof. intros [k H] [j G]. exists (k + j). lia. Qed.

  Lemma same_sub x y x' y' : x == x' -> y == y' -> x - y == x' - y'.
  Proof. intros [k H] [j G]. exists (k - j). lia. Qed.

  Lemma same_mul x y x' y' : x == x' -> y == y' -> x * y == x' * y'.
  Proof.
    intros [k H] [j G]. exists (k * y + x' * j). replace x with (x' + k * P) by lia. replace y with (y' + j * P) by lia. ring.
  Qed.

  Lemma same_eq x y : x = y -> x == y.
  Proof. intros ->. apply same_refl. Qed.

  Hypothesis Hp : 2 < P < 2 ^ 31.

  Lemma mod_same x : x mod P == x.
  Proof. exists (- (x / P)). pose proof (Z.div_mod x P ltac:(lia)). lia. Qed.

  Notation small a := (int_value a < P).

  Lemma in_word x : 0 <= x < 2 ^ 63 -> x mod wB = x.
  Proof. intros H. apply Z.mod_small. exact H. Qed.

  Lemma add_mod_spec a b : small a -> small b -> small (add_mod a b) /\ int_value (add_mod a b) == int_value a + int_value b.
  Proof.
    intros A B. pose proof (to_Z_bounded a). pose proof (to_Z_bounded b). unfold add_mod.
    rewrite mod_spec, add_spec, in_word by lia. split; [apply Z.mod_pos_bound; lia | apply mod_same].
  Qed.

  Lemma sub_mod_spec a b : small a -> small b -> small (sub_mod a b) /\ int_value (sub_mod a b) == int_value a - int_value b.
  Proof.
    intros A B. pose proof (to_Z_bounded a). pose proof (to_Z_bounded b). unfold sub_mod.
    rewrite mod_spec, add_spec, sub_spec. rewrite (in_word (P - int_value b)) by lia. rewrite in_word by lia.
    split; [apply Z.mod_pos_bound; lia|]. eapply same_trans; [apply mod_same|]. exists 1. lia.
  Qed.

  Lemma mul_mod_spec a b : small a -> small b -> small (mul_mod a b) /\ int_value (mul_mod a b) == int_value a * int_value b.
  Proof.
    intros A B. pose proof (to_Z_bounded a). pose proof (to_Z_bounded b). unfold mul_mod.
    rewrite mod_spec, mul_spec, in_word by nia. split; [apply Z.mod_pos_bound; lia | apply mod_same].
  Qed.

  (* The tree's leaves are the numbers of a list, up to multiples of p. *)
  Inductive stands : nat -> tree -> list Z -> Prop :=
  | stands_leaf a x : small a -> int_value a == x -> stands 0 (Tip a) [x]
  | stands_node k s t f g : stands k s f -> stands k t g -> stands (S k) (Fork s t) (f ++ g).

  Definition alike : list Z -> list Z -> Prop := Forall2 same.

  Lemma alike_refl f : alike f f.
  Proof. induction f; constructor; [apply same_refl | assumption]. Qed.

  Lemma alike_trans f g h : alike f g -> alike g h -> alike f h.
  Proof.
    intros H. revert h. induction H as [|x y f g X H IH]; intros h G; inversion G; subst; constructor.
    - eapply same_trans; eassumption.
    - now apply IH.
  Qed.

  Lemma alike_sym f g : alike f g -> alike g f.
  Proof. induction 1; constructor; [now apply same_sym | assumption]. Qed.

  Lemma stands_length k t f : stands k t f -> length f = (2 ^ k)%nat.
  Proof. induction 1 as [|k s t f g _ IH1 _ IH2]; [reflexivity|]. rewrite app_length, IH1, IH2. cbn. lia. Qed.

  Lemma stands_alike k t f : stands k t f -> forall g, alike f g -> stands k t g.
  Proof.
    induction 1 as [a x A X|k s t f g _ IH1 _ IH2]; intros h H.
    - inversion H as [|? y ? r Y R]; subst. inversion R; subst. constructor; [exact A | eapply same_trans; eassumption].
    - apply Forall2_app_inv_l in H as (h1 & h2 & H1 & H2 & ->). constructor; auto.
  Qed.

  Fixpoint zip (op : Z -> Z -> Z) (f g : list Z) : list Z :=
    match f, g with
    | x :: r, y :: s => op x y :: zip op r s
    | _, _ => []
    end.

  Lemma zip_app op f : forall g f' g', length f = length f' -> zip op (f ++ g) (f' ++ g') = zip op f f' ++ zip op g g'.
  Proof. induction f as [|x r IH]; intros g [|y s] g' L; try discriminate; [reflexivity|]. cbn. f_equal. apply IH. now injection L. Qed.

  Lemma stands_combine (fi : int -> int -> int) (op : Z -> Z -> Z) :
    (forall a b, small a -> small b -> small (fi a b) /\ int_value (fi a b) == op (int_value a) (int_value b)) ->
    (forall x y x' y', x == x' -> y == y' -> op x y == op x' y') ->
    forall k s f t g, stands k s f -> stands k t g -> stands k (zip_trees fi s t) (zip op f g).
  Proof.
    intros F O k s f t g H. revert t g. induction H as [a x A X|k s1 s2 f1 f2 H1 IH1 _ IH2]; intros t g G; inversion G; subst.
    - destruct (F a a0) as [F1 F2]; trivial. cbn. constructor; [exact F1|]. eapply same_trans; [exact F2 | now apply O].
    - rewrite zip_app; [cbn; constructor; auto|]. erewrite (stands_length k s1), (stands_length k s) by eassumption. reflexivity.
  Qed.

  Lemma stands_scale c k t f : small c -> stands k t f -> stands k (scale_tree c t) (map (Z.mul (int_value c)) f).
  Proof.
    intros C. induction 1 as [a x A X|k s t f g _ IH1 _ IH2]; cbn.
    - destruct (mul_mod_spec c a C A) as [M1 M2]. constructor; [exact M1|]. eapply same_trans; [exact M2|].
      apply same_mul; [apply same_refl | exact X].
    - rewrite map_app. now constructor.
  Qed.

  Lemma evaluate_app X f g : evaluate X (f ++ g) = evaluate X f + X ^ Z.of_nat (length f) * evaluate X g.
  Proof.
    induction f as [|x r IH]; [cbn [app evaluate length]; rewrite Z.pow_0_r; ring|].
    cbn [app evaluate length]. rewrite IH, Nat2Z.inj_succ, Z.pow_succ_r by lia. ring.
  Qed.

  Lemma evaluate_zip_add X f : forall g, length f = length g -> evaluate X (zip Z.add f g) = evaluate X f + evaluate X g.
  Proof. induction f as [|x r IH]; intros [|y s] L; try discriminate; [reflexivity|]. cbn. rewrite IH by now injection L. ring. Qed.

  Lemma evaluate_zip_sub X f : forall g, length f = length g -> evaluate X (zip Z.sub f g) = evaluate X f - evaluate X g.
  Proof. induction f as [|x r IH]; intros [|y s] L; try discriminate; [reflexivity|]. cbn. rewrite IH by now injection L. ring. Qed.

  Lemma evaluate_alike X f g : alike f g -> evaluate X f == evaluate X g.
  Proof. induction 1; cbn; [apply same_refl|]. apply same_add; [assumption|]. apply same_mul; [apply same_refl | assumption]. Qed.

  (* The points of roots for x^(2^k) - s. *)
  Fixpoint points (s : Z) (h : roots) : list Z :=
    match h with
    | Point => [s]
    | Split r _ hp hm => points (int_value r) hp ++ points (- int_value r) hm
    end.

  Fixpoint good (k : nat) (s : Z) (h : roots) : Prop :=
    match k, h with
    | O, Point => True
    | S j, Split r ri hp hm =>
      small r /\ small ri /\ int_value r * int_value r == s /\ int_value r * int_value ri == 1
      /\ good j (int_value r) hp /\ good j (- int_value r) hm
    | _, _ => False
    end.

  Lemma good_same k : forall s s' h, s == s' -> good k s h -> good k s' h.
  Proof.
    destruct k as [|j]; intros s s' [|r ri hp hm] E; cbn [good]; trivial.
    intros (A & B & C & D & F & G). repeat split; trivial. eapply same_trans; eassumption.
  Qed.

  Lemma check_roots_good k : forall s h, small s -> check_roots k s h = true -> good k (int_value s) h.
  Proof.
    induction k as [|j IH]; intros s [|r ri hp hm] Ss; cbn [check_roots good]; try discriminate; trivial.
    destruct (_ && _ && _ && _)%bool eqn:E; [|discriminate].
    apply andb_true_iff in E as [E E4]. apply andb_true_iff in E as [E E3]. apply andb_true_iff in E as [E1 E2].
    apply ltb_spec in E1, E2. apply eqb_spec in E3, E4.
    destruct (check_roots j r hp) eqn:C1; [|discriminate]. intros C2.
    pose proof (to_Z_bounded r).
    destruct (mul_mod_spec r r E1 E1) as [_ M1]. destruct (mul_mod_spec r ri E1 E2) as [_ M2].
    rewrite E3 in M1. rewrite E4 in M2. change (int_value 1%uint63) with 1 in M2.
    assert (PR : int_value (p - r)%uint63 = P - int_value r) by (rewrite sub_spec; apply in_word; lia).
    repeat split; trivial; try (now apply same_sym); auto.
    destruct (Z.eq_dec (int_value r) 0) as [Z0|Z0].
    - exfalso. rewrite Z0 in M2. destruct M2 as [q M2]. assert (P * q = 1) by lia. assert (P = 1 \/ P = -1) by (now apply Z.eq_mul_1 in H0). lia.
    - apply (good_same j (int_value (p - r)%uint63)); [rewrite PR; exists 1; lia|]. apply IH; [rewrite PR; lia | exact C2].
  Qed.

  Lemma length_points k : forall s h, good k s h -> length (points s h) = (2 ^ k)%nat.
  Proof.
    induction k as [|j IH]; intros s [|r ri hp hm]; cbn [good points]; try easy. intros (_ & _ & _ & _ & G1 & G2).
    rewrite app_length, !IH by assumption. cbn. lia.
  Qed.

  Lemma pow2_succ j : Z.of_nat (2 ^ S j) = Z.of_nat (2 ^ j) + Z.of_nat (2 ^ j).
  Proof. cbn. lia. Qed.

  Lemma points_power k : forall s h X, good k s h -> In X (points s h) -> X ^ Z.of_nat (2 ^ k) == s.
  Proof.
    induction k as [|j IH]; intros s [|r ri hp hm] X; cbn [good points]; try easy.
    - intros _ [<-|[]]. cbn. rewrite Z.mul_1_r. apply same_refl.
    - intros (_ & _ & R & _ & G1 & G2) I. rewrite pow2_succ, Z.pow_add_r by lia.
      apply in_app_iff in I as [I|I]; [apply (IH _ _ _ G1) in I | apply (IH _ _ _ G2) in I];
        (eapply same_trans; [apply same_mul; exact I|]); (eapply same_trans; [|exact R]); apply same_eq; ring.
  Qed.

  Lemma transform_stands k : forall s h t f, good k s h -> stands k t f ->
    stands k (transform h t) (map (fun X => evaluate X f) (points s h)).
  Proof.
    induction k as [|j IH]; intros s [|r ri hp hm] t f; cbn [good]; try easy.
    - intros _ H. inversion H; subst. cbn. constructor; trivial. rewrite Z.mul_0_r, Z.add_0_r. assumption.
    - intros (Sr & _ & R & _ & G1 & G2) H. inversion H as [|? a b f0 f1 Ha Hb]; subst. cbn [transform points]. rewrite map_app.
      pose proof (stands_length _ _ _ Ha) as L0. pose proof (stands_length _ _ _ Hb) as L1.
      pose proof (stands_scale r _ _ _ Sr Hb) as Hc.
      pose proof (stands_combine add_mod Z.add add_mod_spec same_add _ _ _ _ _ Ha Hc) as HA.
      pose proof (stands_combine sub_mod Z.sub sub_mod_spec same_sub _ _ _ _ _ Ha Hc) as HS.
      assert (LM : length f0 = length (map (Z.mul (int_value r)) f1)) by (rewrite map_length; lia).
      assert (AL : forall (F : Z -> Z) (E : Z -> Z) l, (forall X, In X l -> E X == F X) -> alike (map E l) (map F l)).
      { intros F E l. induction l as [|x l I1]; intros Q; constructor; [apply Q; now left|]. apply I1. intros. apply Q. now right. }
      constructor.
      + eapply stands_alike; [exact (IH _ _ _ _ G1 HA)|]. apply AL. intros X I.
        rewrite evaluate_zip_add, evaluate_scale, evaluate_app, L0 by exact LM. apply same_add; [apply same_refl|].
        apply same_mul; [|apply same_refl]. apply same_sym. now apply (points_power j _ hp).
      + eapply stands_alike; [exact (IH _ _ _ _ G2 HS)|]. apply AL. intros X I.
        rewrite evaluate_zip_sub, evaluate_scale, evaluate_app, L0 by exact LM.
        pose proof (points_power j _ hm X G2 I) as PX.
        replace (evaluate X f0 - int_value r * evaluate X f1) with (evaluate X f0 + - int_value r * evaluate X f1) by ring.
        apply same_add; [apply same_refl|]. apply same_mul; [|apply same_refl]. now apply same_sym.
  Qed.

  Lemma alike_map_app (F : Z -> Z) l v w :
    alike (map F l) v -> forall l', alike (map F l') w -> alike (map F (l ++ l')) (v ++ w).
  Proof. intros H l' G. rewrite map_app. now apply Forall2_app. Qed.

  Lemma alike_map_in (E F : Z -> Z) l v : (forall X, In X l -> E X == F X) -> alike (map F l) v -> alike (map E l) v.
  Proof.
    intros Q H. eapply alike_trans; [|exact H]. clear H. induction l as [|x l I1]; constructor; [apply Q; now left|].
    apply I1. intros. apply Q. now right.
  Qed.

  Lemma alike_twice c (l v : list Z) (F : Z -> Z) : alike (map F l) (map (Z.mul c) v) -> alike (map (fun X => 2 * F X) l) (map (Z.mul (2 * c)) v).
  Proof.
    revert v. induction l as [|x l IH]; intros [|y v] H; inversion H; subst; constructor.
    - replace (2 * c * y) with (2 * (c * y)) by ring. apply same_mul; [apply same_refl | assumption].
    - now apply IH.
  Qed.

  Lemma untransform_stands k : forall s h t v, good k s h -> stands k t v ->
    exists c, stands k (untransform h t) c /\ alike (map (fun X => evaluate X c) (points s h)) (map (Z.mul (2 ^ Z.of_nat k)) v).
  Proof.
    induction k as [|j IH]; intros s [|r ri hp hm] t v; cbn [good]; try easy.
    - intros _ H. inversion H; subst. cbn [untransform points map]. eexists. split; [exact H|].
      constructor; [|constructor]. apply same_eq. cbn [evaluate]. change (2 ^ Z.of_nat 0) with 1. ring.
    - intros (Sr & Si & R & Ri & G1 & G2) H. inversion H as [|? a b v0 v1 Ha Hb]; subst. cbn [untransform points].
      destruct (IH _ _ _ _ G1 Ha) as (c & Hc & Ec). destruct (IH _ _ _ _ G2 Hb) as (d & Hd & Ed).
      pose proof (stands_length _ _ _ Hc) as L0. pose proof (stands_length _ _ _ Hd) as L1.
      pose proof (stands_combine add_mod Z.add add_mod_spec same_add _ _ _ _ _ Hc Hd) as HA.
      pose proof (stands_scale ri _ _ _ Si (stands_combine sub_mod Z.sub sub_mod_spec same_sub _ _ _ _ _ Hc Hd)) as HS.
      eexists. split; [constructor; [exact HA | exact HS]|].
      assert (LA : length (zip Z.add c d) = (2 ^ j)%nat) by exact (stands_length _ _ _ HA).
      rewrite map_app, (map_app (Z.mul _)). replace (2 ^ Z.of_nat (S j)) with (2 * 2 ^ Z.of_nat j) by (rewrite Nat2Z.inj_succ, Z.pow_succ_r; lia).
      apply Forall2_app.
      + eapply alike_map_in; [|exact (alike_twice _ _ _ _ Ec)]. intros X I. cbv beta.
        rewrite evaluate_app, evaluate_scale, evaluate_zip_add, evaluate_zip_sub, LA by lia.
        pose proof (points_power j _ hp X G1 I) as PX.
        eapply same_trans; [apply same_add; [apply same_refl | apply same_mul; [exact PX | apply same_refl]]|].
        rewrite Z.mul_assoc. eapply same_trans; [apply same_add; [apply same_refl | apply same_mul; [exact Ri | apply same_refl]]|].
        apply same_eq. ring.
      + eapply alike_map_in; [|exact (alike_twice _ _ _ _ Ed)]. intros X I. cbv beta.
        rewrite evaluate_app, evaluate_scale, evaluate_zip_add, evaluate_zip_sub, LA by lia.
        pose proof (points_power j _ hm X G2 I) as PX.
        eapply same_trans; [apply same_add; [apply same_refl | apply same_mul; [exact PX | apply same_refl]]|].
        replace (- int_value r * (int_value ri * (evaluate X c - evaluate X d))) with (int_value r * int_value ri * (evaluate X d - evaluate X c)) by ring.
        eapply same_trans; [apply same_add; [apply same_refl | apply same_mul; [exact Ri | apply same_refl]]|].
        apply same_eq. ring.
  Qed.

  (* What is 0 at all points is 0; p is odd. *)
  Hypothesis Hodd : Z.odd P = true.

  Lemma half x : 2 * x == 0 -> x == 0.
  Proof.
    intros [q H]. apply Z.odd_spec in Hodd as [m Hm]. exists ((m + 1) * q - x).
    replace (x - 0) with ((m + 1) * (2 * x - 0) - x * P) by (rewrite Hm; ring). rewrite H. ring.
  Qed.

  Definition zeros : list Z -> Prop := Forall (fun x => x == 0).

  Lemma both_zero r ri f : forall g, r * ri == 1 -> length f = length g ->
    zeros (zip Z.add f (map (Z.mul r) g)) -> zeros (zip Z.sub f (map (Z.mul r) g)) -> zeros f /\ zeros g.
  Proof.
    induction f as [|x f IH]; intros [|y g] R L A S; try discriminate; [split; constructor|].
    inversion A as [|? ? A1 A2]; inversion S as [|? ? S1 S2]; subst. destruct (IH g R ltac:(now injection L) A2 S2) as [Zf Zg].
    assert (X : x == 0).
    { apply half. replace (2 * x) with ((x + r * y) + (x - r * y)) by ring. now apply (same_add _ _ 0 0). }
    assert (Y : r * y == 0).
    { apply half. replace (2 * (r * y)) with ((x + r * y) - (x - r * y)) by ring. now apply (same_sub _ _ 0 0). }
    split; constructor; trivial.
    apply (same_trans _ (r * ri * y)).
    - replace y with (1 * y) at 1 by ring. apply same_mul; [now apply same_sym | apply same_refl].
    - replace (r * ri * y) with (ri * (r * y)) by ring. replace 0 with (ri * 0) by ring. apply same_mul; [apply same_refl | exact Y].
  Qed.

  Lemma vanishing k : forall s h f, good k s h -> length f = (2 ^ k)%nat ->
    (forall X, In X (points s h) -> evaluate X f == 0) -> zeros f.
  Proof.
    induction k as [|j IH]; intros s [|r ri hp hm] f; cbn [good points]; try easy.
    - intros _ L H. destruct f as [|x [|y f]]; try discriminate. specialize (H s (or_introl eq_refl)).
      cbn [evaluate] in H. rewrite Z.mul_0_r, Z.add_0_r in H. constructor; [exact H | constructor].
    - intros (Sr & Si & R & Ri & G1 & G2) L H.
      set (f0 := firstn (2 ^ j) f) in *. set (f1 := skipn (2 ^ j) f) in *.
      assert (E : f = f0 ++ f1) by (symmetry; apply firstn_skipn).
      assert (L0 : length f0 = (2 ^ j)%nat) by (unfold f0; rewrite firstn_length, L; cbn; lia).
      assert (L1 : length f1 = (2 ^ j)%nat) by (unfold f1; rewrite skipn_length, L; cbn; lia).
      assert (LM : length f0 = length (map (Z.mul (int_value r)) f1)) by (rewrite map_length; lia).
      assert (LZ : forall op u v, length u = length v -> length (zip op u v) = length u).
      { intros op u. induction u as [|x u I1]; intros [|y v] Q; try discriminate; trivial. cbn. f_equal. apply I1. now injection Q. }
      rewrite E. destruct (both_zero (int_value r) (int_value ri) f0 f1 Ri ltac:(lia)) as [Z0 Z1].
      + apply (IH _ _ _ G1); [now rewrite LZ|]. intros X I.
        rewrite evaluate_zip_add, evaluate_scale by exact LM. pose proof (points_power j _ hp X G1 I) as PX.
        eapply same_trans; [|apply (H X); apply in_app_iff; now left]. rewrite E, evaluate_app, L0.
        apply same_add; [apply same_refl|]. apply same_mul; [now apply same_sym | apply same_refl].
      + apply (IH _ _ _ G2); [now rewrite LZ|]. intros X I.
        rewrite evaluate_zip_sub, evaluate_scale by exact LM. pose proof (points_power j _ hm X G2 I) as PX.
        eapply same_trans; [|apply (H X); apply in_app_iff; now right]. rewrite E, evaluate_app, L0.
        replace (evaluate X f0 - int_value r * evaluate X f1) with (evaluate X f0 + - int_value r * evaluate X f1) by ring.
        apply same_add; [apply same_refl|]. apply same_mul; [now apply same_sym | apply same_refl].
      + now apply Forall_app.
  Qed.

  (* The product from the two values at every point. *)
  Definition product_tree (h : roots) (i : int) (va vb : tree) : tree := scale_tree i (untransform h (zip_trees mul_mod va vb)).

  Lemma evaluate_padded X l m : evaluate X (l ++ repeat 0 m) = evaluate X l.
  Proof.
    rewrite evaluate_app. assert (Z0 : evaluate X (repeat 0 m) = 0) by (induction m as [|m IH]; cbn; [|rewrite IH]; ring).
    rewrite Z0. ring.
  Qed.

  Lemma product_tree_stands k h i ta tb a b za zb zc : good k 1 h -> small i -> int_value i * 2 ^ Z.of_nat k == 1 ->
    stands k ta (a ++ repeat 0 za) -> stands k tb (b ++ repeat 0 zb) -> length (convolve a b ++ repeat 0 zc) = (2 ^ k)%nat ->
    stands k (product_tree h i (transform h ta) (transform h tb)) (convolve a b ++ repeat 0 zc).
  Proof.
    intros G Si Hi Ha Hb L. pose proof (transform_stands k 1 h _ _ G Ha) as Fa. pose proof (transform_stands k 1 h _ _ G Hb) as Fb.
    pose proof (stands_combine mul_mod Z.mul mul_mod_spec same_mul _ _ _ _ _ Fa Fb) as Fc.
    destruct (untransform_stands k 1 h _ _ G Fc) as (c & Hc & Ec).
    pose proof (stands_scale i _ _ _ Si Hc) as Hd. set (d := map (Z.mul (int_value i)) c) in Hd.
    eapply stands_alike; [exact Hd|].
    assert (LD : length d = (2 ^ k)%nat) by exact (stands_length _ _ _ Hd).
    set (w := convolve a b ++ repeat 0 zc) in *.
    assert (EV : forall X, In X (points 1 h) -> evaluate X (zip Z.sub d w) == 0).
    { intros X I. rewrite evaluate_zip_sub by lia. unfold d, w. rewrite evaluate_scale, evaluate_padded, evaluate_convolve.
      assert (EC : evaluate X c == 2 ^ Z.of_nat k * (evaluate X a * evaluate X b)).
      { revert I Ec. generalize (points 1 h) as l. induction l as [|y l IH]; intros []; cbn; intros Ec; inversion Ec; subst.
        - now rewrite !evaluate_padded in *.
        - now apply IH. }
      replace 0 with (evaluate X a * evaluate X b - evaluate X a * evaluate X b) by ring.
      apply same_sub; [|apply same_refl].
      eapply same_trans; [apply same_mul; [apply same_refl | exact EC]|]. rewrite Z.mul_assoc.
      replace (evaluate X a * evaluate X b) with (1 * (evaluate X a * evaluate X b)) at 2 by ring.
      apply same_mul; [exact Hi | apply same_refl]. }
    assert (LZ : length (zip Z.sub d w) = (2 ^ k)%nat).
    { rewrite <- LD. assert (LL : length d = length w) by lia. revert LL. clear. generalize w as v. induction d as [|x u I1]; intros [|y v] Q; try discriminate; trivial.
      cbn. f_equal. apply I1. now injection Q. }
    pose proof (vanishing k 1 h _ G LZ EV) as Z0.
    assert (LL : length d = length w) by lia. clear - Z0 LL. revert Z0 LL. generalize w as v.
    induction d as [|x u I1]; intros [|y v] Z0 Q; try discriminate; [constructor|]. inversion Z0 as [|? ? Z1 Z2]; subst. constructor.
    - destruct Z1 as [q Z1]. exists q. lia.
    - apply I1; [exact Z2 | now injection Q].
  Qed.

  (* ---- trees and lists ---- *)

  Fixpoint plant (k : nat) (l : list int) : tree * list int :=
    match k with
    | O => match l with [] => (Tip 0%uint63, []) | x :: r => (Tip x, r) end
    | S j => let (s, l1) := plant j l in let (t, l2) := plant j l1 in (Fork s t, l2)
    end.

  Fixpoint leaves (t : tree) (rest : list int) : list int :=
    match t with
    | Tip a => a :: rest
    | Fork a b => leaves a (leaves b rest)
    end.

  Lemma plant_stands k : forall l f, Forall2 (fun a x => small a /\ int_value a == x) l f ->
    exists f1 f2 m, f = f1 ++ f2 /\ stands k (fst (plant k l)) (f1 ++ repeat 0 m) /\ (m = 0%nat \/ f2 = [])
      /\ Forall2 (fun a x => small a /\ int_value a == x) (snd (plant k l)) f2.
  Proof.
    induction k as [|j IH]; intros l f H.
    - destruct H as [|a x l f [A X] H].
      + exists [], [], 1%nat. split; [reflexivity|]. split; [|split; [now right | constructor]]. cbn.
        constructor; [change (int_value 0%uint63) with 0; lia | apply same_refl].
      + exists [x], f, 0%nat. split; [reflexivity|]. split; [|split; [now left | exact H]]. cbn. now constructor.
    - cbn [plant]. destruct (IH l f H) as (f1 & f2 & m & -> & S1 & M & R). destruct (plant j l) as [s l1]. cbn [fst snd] in S1, R.
      destruct (IH l1 f2 R) as (g1 & g2 & m2 & -> & S2 & M2 & R2). destruct (plant j l1) as [t l2]. cbn [fst snd] in *.
      destruct M as [->|M].
      + exists (f1 ++ g1), g2, m2. rewrite app_nil_r in S1. rewrite <- !app_assoc.
        split; [reflexivity|]. split; [now constructor | split; assumption].
      + apply app_eq_nil in M as [-> ->]. exists f1, [], (m + m2)%nat.
        split; [reflexivity|]. split; [|split; [now right | exact R2]].
        rewrite repeat_app, app_assoc. now constructor.
  Qed.

  Lemma leaves_stands k t f : stands k t f -> forall rest, exists l, leaves t rest = l ++ rest
    /\ Forall2 (fun a x => small a /\ int_value a == x) l f.
  Proof.
    induction 1 as [a x A X|k s t f g _ IH1 _ IH2]; intros rest; cbn [leaves].
    - exists [a]. split; [reflexivity|]. constructor; [now split | constructor].
    - destruct (IH2 rest) as (l2 & -> & F2). destruct (IH1 (l2 ++ rest)) as (l1 & -> & F1). exists (l1 ++ l2).
      split; [now rewrite app_assoc | now apply Forall2_app].
  Qed.
End Modulus.

(* ---- several moduli ---- *)

(* A modulus with a root of 1 of order 2^20; nothing is claimed of these or of what is built from them. *)
Definition moduli : list (int * int) :=
  [(2130706433, 1364057261); (2114977793, 1097923455); (2113929217, 1938891409); (2099249153, 569217028);
   (2095054849, 1330996882); (2088763393, 1759378811); (2077229057, 334689344); (2070937601, 274213785);
   (2047868929, 1791830988); (2035286017, 504382048); (2025848833, 1547091385); (2013265921, 1179029991);
   (1998585857, 660547044); (1978662913, 1134815805); (1963982849, 1428572579); (1953497089, 1235294195)]%uint63.

Definition highest : nat := 20.

Fixpoint power_mod (p a : int) (n : positive) : int :=
  match n with
  | xH => a
  | xO m => let b := power_mod p a m in mul_mod p b b
  | xI m => let b := power_mod p a m in mul_mod p a (mul_mod p b b)
  end.

(* w^(2^(n-1)), ..., w^2, w on top of rest *)
Fixpoint squares (p w : int) (n : nat) (rest : list int) : list int :=
  match n with
  | O => rest
  | S m => squares p (mul_mod p w w) m (w :: rest)
  end.

Fixpoint products_mod (p : int) (l r : list int) : list int :=
  match l, r with
  | a :: l', b :: r' => mul_mod p a b :: products_mod p l' r'
  | _, _ => []
  end.

Fixpoint build_roots (p : int) (gens igens : list int) (k : nat) (now inow : list int) : roots :=
  match k, now, inow with
  | S j, r :: c, ri :: ci =>
    Split r ri (build_roots p gens igens j c ci) (build_roots p gens igens j (products_mod p c gens) (products_mod p ci igens))
  | _, _, _ => Point
  end.

Definition roots_for (p w : int) (k : nat) : roots :=
  let wi := power_mod p w (2 ^ 20 - 1) in
  build_roots p (squares p w (Nat.pred highest) []) (squares p wi (Nat.pred highest) []) k (repeat 1%uint63 k) (repeat 1%uint63 k).

(* The residues of the numbers. *)
Fixpoint residues (p : int) (v : vector) : option (list int) :=
  match v with
  | [] => Some []
  | x :: r =>
    match BigN.modulo x (BigN.N0 p), residues p r with
    | BigN.N0 a, Some l => Some (a :: l)
    | _, _ => None
    end
  end.

(* Those of the product's coefficients; no second vector: the square. *)
Definition product_residues (m : int * int) (k : nat) (a : vector) (b : option vector) : option (list int) :=
  let (p, w) := m in
  let h := roots_for p w k in
  let i := power_mod p ((p + 1) / 2)%uint63 (Pos.of_nat k) in
  if (Z.ltb 2 (int_value p) && Z.ltb (int_value p) (2 ^ 31) && Z.odd (int_value p) && check_roots p k 1 h && (i <? p)%uint63
      && Z.eqb ((int_value i * 2 ^ Z.of_nat k) mod int_value p) 1)%bool
  then
    match residues p a with
    | None => None
    | Some ra =>
      let va := transform p h (fst (plant k ra)) in
      match b with
      | None => Some (leaves (product_tree p h i va va) [])
      | Some b =>
        match residues p b with
        | None => None
        | Some rb => Some (leaves (product_tree p h i va (transform p h (fst (plant k rb)))) [])
        end
      end
    end
  else None.

Fixpoint all_residues (ms : list (int * int)) (k : nat) (a : vector) (b : option vector) : option (list (int * list int)) :=
  match ms with
  | [] => Some []
  | m :: r =>
    match product_residues m k a b, all_residues r k a b with
    | Some l, Some rest => Some ((fst m, l) :: rest)
    | _, _ => None
    end
  end.

(* A candidate from residues: digits by Garner's scheme, and then their number. Nothing is claimed of it. *)
Fixpoint reduce_by (p q iq : int) (l d : list int) : list int :=
  match l, d with
  | x :: l', y :: d' => mul_mod p (sub_mod p x (y mod p)%uint63) iq :: reduce_by p q iq l' d'
  | _, _ => []
  end.

Definition inverse_mod (p q : int) : int := power_mod p (q mod p)%uint63 (Z.to_pos (int_value p - 2)).

Fixpoint digits_of (done rest : list (int * list int)) : list (int * list int) :=
  match rest with
  | [] => done
  | (p, l) :: r =>
    let d := fold_right (fun qd l => reduce_by p (fst qd) (inverse_mod p (fst qd)) l (snd qd)) l done in
    digits_of ((p, d) :: done) r
  end.

Fixpoint attach (p : int) (d : list int) (v : vector) : vector :=
  match d, v with
  | x :: d', y :: v' => BigN.add (BigN.N0 x) (BigN.mul (BigN.N0 p) y) :: attach p d' v'
  | _, _ => []
  end.

Definition candidate (ds : list (int * list int)) : vector :=
  match ds with
  | [] => []
  | (_, d) :: r => fold_left (fun v pd => attach (fst pd) (snd pd) v) r (map BigN.N0 d)
  end.

(* What is checked of it. *)
Fixpoint agrees (p : int) (c : vector) (l : list int) : bool :=
  match c, l with
  | [], _ => true
  | x :: c', r :: l' =>
    match BigN.modulo x (BigN.N0 p) with
    | BigN.N0 y => if (y =? r)%uint63 then agrees p c' l' else false
    | _ => false
    end
  | _, [] => false
  end.

Fixpoint modulus_of (ms : list (int * int)) : Z :=
  match ms with
  | [] => 1
  | (p, _) :: r => int_value p * modulus_of r
  end.

Fixpoint coprime (ms : list (int * int)) : bool :=
  match ms with
  | [] => true
  | (p, _) :: r => if Z.eqb (Z.gcd (int_value p) (modulus_of r)) 1 then coprime r else false
  end.

(* as few moduli as the bound needs *)
Fixpoint enough (ms : list (int * int)) (bound : Z) : list (int * int) :=
  match ms with
  | [] => []
  | m :: r => if Z.leb bound 0 then [] else m :: enough r (bound / int_value (fst m))
  end.

Definition multiply_long (a : vector) (b : option vector) : option vector :=
  let b' := match b with Some b' => b' | None => a end in
  let n := (length a + length b' - 1)%nat in
  let k := Nat.log2_up n in
  let bound := number_of (BigN.mul (big_total a) (big_total b')) in
  let ms := enough moduli bound in
  if ((1 <=? length a) && (1 <=? length b') && (n <=? 2 ^ k) && (k <=? highest))%nat then
    match all_residues ms k a b with
    | None => None
    | Some rs =>
      let c := firstn n (candidate (digits_of [] rs)) in
      let most := BigN.of_N (Z.to_N (modulus_of ms)) in
      if ((length c =? n)%nat && coprime ms && Z.ltb bound (modulus_of ms) && forallb (fun x => BigN.ltb x most) c
          && forallb (fun r => agrees (fst r) c (snd r)) rs)%bool
      then Some c else None
    end
  else None.

(* Soundness. *)

Lemma N0_value x : number_of (BigN.N0 x) = int_value x.
Proof. reflexivity. Qed.

Lemma residues_correct p v : (0 < int_value p) -> forall l, residues p v = Some l ->
  Forall2 (fun a x => int_value a < int_value p /\ same p (int_value a) x) l (integers v).
Proof.
  intros P. induction v as [|x r IH]; cbn [residues integers map]; intros l E.
  - injection E as <-. constructor.
  - pose proof (BigN.spec_modulo x (BigN.N0 p)) as M. rewrite N0_value in M.
    destruct (BigN.modulo x (BigN.N0 p)) as [a| | | | | | |]; try discriminate.
    destruct (residues p r) as [t|]; [|discriminate]. injection E as <-. rewrite N0_value in M.
    constructor; [|now apply IH]. rewrite M. split; [apply Z.mod_pos_bound; lia|].
    exists (- (number_of x / int_value p)). pose proof (Z.div_mod (number_of x) (int_value p) ltac:(lia)). lia.
Qed.

Lemma planted p k l f : 2 < int_value p < 2 ^ 31 -> (length f <= 2 ^ k)%nat ->
  Forall2 (fun a x => int_value a < int_value p /\ same p (int_value a) x) l f ->
  exists m, stands p k (fst (plant k l)) (f ++ repeat 0 m).
Proof.
  intros P L H. destruct (plant_stands p P k l f H) as (f1 & f2 & m & -> & S & M & _). exists m.
  destruct M as [M|M]; subst; [|now rewrite app_nil_r].
  pose proof (stands_length p k _ _ S) as SL. rewrite app_length in *. cbn in SL.
  destruct f2 as [|x f2]; [now rewrite app_nil_r|]. cbn in L. lia.
Qed.

Lemma product_residues_correct m k a b l : product_residues m k a b = Some l ->
  let b' := match b with Some b' => b' | None => a end in
  (1 <= length a)%nat -> (1 <= length b')%nat -> (length a + length b' - 1 <= 2 ^ k)%nat ->
  exists z, Forall2 (fun r x => same (fst m) (int_value r) x) l (convolve (integers a) (integers b') ++ repeat 0 z).
Proof.
  destruct m as [p w]. unfold product_residues. set (h := roots_for p w k). set (i := power_mod p _ _).
  destruct (_ && _ && _ && _ && _ && _)%bool eqn:E; [|discriminate].
  apply andb_true_iff in E as [E E6]. apply andb_true_iff in E as [E E5]. apply andb_true_iff in E as [E E4].
  apply andb_true_iff in E as [E E3]. apply andb_true_iff in E as [E1 E2].
  apply Z.ltb_lt in E1, E2. apply ltb_spec in E5. apply Z.eqb_eq in E6.
  assert (P : 2 < int_value p < 2 ^ 31) by lia.
  destruct (residues p a) as [ra|] eqn:RA; [|discriminate]. set (b' := match b with Some b' => b' | None => a end). intros E La Lb L. cbn [fst].
  apply (residues_correct p a ltac:(lia)) in RA.
  assert (IL : forall v, length (integers v) = length v) by (intros; apply map_length).
  destruct (planted p k ra (integers a) P ltac:(rewrite IL; lia) RA) as (za & Sa).
  assert (S1 : int_value 1%uint63 < int_value p) by (change (int_value 1%uint63) with 1; lia).
  assert (G : good p k 1 h) by exact (check_roots_good p P k 1%uint63 h S1 E4).
  assert (I : same p (int_value i * 2 ^ Z.of_nat k) 1).
  { eapply same_trans; [apply same_sym, mod_same, P|]. rewrite E6. apply same_refl. }
  set (zc := (2 ^ k - (length a + length b' - 1))%nat).
  assert (LC : length (convolve (integers a) (integers b') ++ repeat 0 zc) = (2 ^ k)%nat).
  { rewrite app_length, repeat_length, length_convolve, !IL by (rewrite IL; assumption). unfold zc. clear - L. lia. }
  assert (FIN : forall t, stands p k t (convolve (integers a) (integers b') ++ repeat 0 zc) ->
    Forall2 (fun r x => same p (int_value r) x) (leaves t []) (convolve (integers a) (integers b') ++ repeat 0 zc)).
  { intros t S. destruct (leaves_stands p k t _ S []) as (q & -> & F). rewrite app_nil_r.
    clear - F. induction F as [|r x q f [_ H] F IH]; constructor; assumption. }
  exists zc. destruct b as [b|].
  - destruct (residues p b) as [rb|] eqn:RB; [|discriminate]. injection E as <-.
    apply (residues_correct p b ltac:(lia)) in RB.
    destruct (planted p k rb (integers b) P ltac:(rewrite IL; subst b'; lia) RB) as (zb & Sb).
    apply FIN. exact (product_tree_stands p P E3 k h i _ _ _ _ za zb zc G E5 I Sa Sb LC).
  - injection E as <-. apply FIN. exact (product_tree_stands p P E3 k h i _ _ _ _ za za zc G E5 I Sa Sa LC).
Qed.

Lemma agrees_true p c : forall l, 0 < int_value p -> agrees p c l = true ->
  exists r, l = firstn (length c) l ++ r /\ Forall2 (fun x y => same p (int_value y) (number_of x)) c (firstn (length c) l).
Proof.
  induction c as [|x c IH]; intros l P E.
  - exists l. split; [reflexivity | constructor].
  - destruct l as [|y l]; [discriminate|]. cbn [agrees] in E.
    pose proof (BigN.spec_modulo x (BigN.N0 p)) as M. rewrite N0_value in M.
    destruct (BigN.modulo x (BigN.N0 p)) as [a| | | | | | |]; try discriminate. rewrite N0_value in M.
    destruct (a =? y)%uint63 eqn:EY; [|discriminate]. apply eqb_spec in EY. subst y.
    destruct (IH l P E) as (r & R & F). exists r. cbn [length firstn app]. split; [now f_equal|]. constructor; [|exact F].
    rewrite M. exists (- (number_of x / int_value p)). pose proof (Z.div_mod (number_of x) (int_value p) ltac:(lia)). lia.
Qed.

Lemma all_residues_in ms k a b : forall rs, all_residues ms k a b = Some rs ->
  forall m, In m ms -> exists l, product_residues m k a b = Some l /\ In (fst m, l) rs.
Proof.
  induction ms as [|m ms IH]; intros rs E q I; [destruct I|]. cbn [all_residues] in E.
  destruct (product_residues m k a b) as [l|] eqn:EM; [|discriminate].
  destruct (all_residues ms k a b) as [rest|]; [|discriminate]. injection E as <-.
  destruct I as [<-|I]; [exists l; split; [exact EM | now left]|].
  destruct (IH rest eq_refl q I) as (l' & H1 & H2). exists l'. split; [exact H1 | now right].
Qed.

(* A number that all moduli divide is a multiple of their product. *)
Lemma coprime_divide ms d : coprime ms = true -> (forall m, In m ms -> (int_value (fst m) | d)) -> (modulus_of ms | d).
Proof.
  induction ms as [|[p w] r IH]; cbn [coprime modulus_of]; intros C H; [apply Z.divide_1_l|].
  destruct (Z.eqb_spec (Z.gcd (int_value p) (modulus_of r)) 1) as [G|]; [|discriminate].
  destruct (IH C ltac:(intros m I; apply H; now right)) as [q Q].
  pose proof (H (p, w) (or_introl eq_refl)) as D. cbn [fst] in D. rewrite Q, Z.mul_comm in D.
  apply Z.gauss in D; [|exact G]. destruct D as [t T]. exists t. rewrite Q, T. ring.
Qed.

Lemma Forall2_length {A B} (R : A -> B -> Prop) l f : Forall2 R l f -> length l = length f.
Proof. induction 1; cbn; lia. Qed.

Lemma Forall2_nth {A B} (R : A -> B -> Prop) l f d e : Forall2 R l f -> forall i, (i < length l)%nat -> R (nth i l d) (nth i f e).
Proof. induction 1; intros i I; cbn in I; [lia|]. destruct i as [|i]; [assumption|]. apply IHForall2. lia. Qed.

Theorem multiply_long_correct a b c : multiply_long a b = Some c ->
  let b' := match b with Some b' => b' | None => a end in
  (1 <= length a)%nat /\ (1 <= length b')%nat /\ length c = (length a + length b' - 1)%nat
  /\ integers c = convolve (integers a) (integers b').
Proof.
  unfold multiply_long. set (b' := match b with Some b' => b' | None => a end). cbv zeta.
  set (n := (length a + length b' - 1)%nat). set (k := Nat.log2_up n). set (bound := number_of _). set (ms := enough _ _).
  destruct (_ && _ && _ && _)%nat%bool eqn:E; [|discriminate].
  apply andb_true_iff in E as [E _]. apply andb_true_iff in E as [E E3]. apply andb_true_iff in E as [E1 E2].
  apply Nat.leb_le in E1, E2, E3.
  destruct (all_residues ms k a b) as [rs|] eqn:ER; [|discriminate].
  set (d := firstn n _). destruct (_ && _ && _ && _ && _)%bool eqn:F; [|discriminate]. intros H. injection H as <-.
  apply andb_true_iff in F as [F F5]. apply andb_true_iff in F as [F F4]. apply andb_true_iff in F as [F F3].
  apply andb_true_iff in F as [F1 F2]. apply Nat.eqb_eq in F1. apply Z.ltb_lt in F3. rewrite forallb_forall in F4, F5.
  split; [exact E1 | split; [exact E2 | split; [exact F1|]]].
  assert (IL : forall v, length (integers v) = length v) by (intros; apply map_length).
  assert (LC : length (convolve (integers a) (integers b')) = n) by (rewrite length_convolve, !IL by (rewrite IL; assumption); reflexivity).
  assert (B : bound = total (integers a) * total (integers b')) by (unfold bound; now rewrite BigN.spec_mul, !big_total_spec).
  assert (DI : digits (modulus_of ms) (convolve (integers a) (integers b'))) by (apply digits_convolve; try apply integers_naturals; lia).
  assert (B0 : 0 <= bound).
  { unfold bound. apply BigN.spec_pos. }
  apply (nth_ext _ _ 0 0); [rewrite IL; lia|]. intros i I. rewrite IL in I.
  set (x := nth i (integers d) 0). set (y := nth i (convolve (integers a) (integers b')) 0).
  assert (X : 0 <= x < modulus_of ms).
  { unfold x. rewrite nth_integers. split; [apply BigN.spec_pos|].
    assert (IN : In (nth i d BigN.zero) d) by (apply nth_In; lia). specialize (F4 _ IN).
    rewrite BigN.spec_ltb, BigN.spec_of_N, Z2N.id in F4 by lia. now apply Z.ltb_lt in F4. }
  assert (Y : 0 <= y < modulus_of ms).
  { unfold digits in DI. rewrite Forall_forall in DI. apply DI. unfold y. apply nth_In. lia. }
  assert (D : (modulus_of ms | x - y)).
  { apply coprime_divide; [exact F2|]. intros m IM. destruct (all_residues_in ms k a b rs ER m IM) as (l & PR & IR).
    destruct (product_residues_correct m k a b l PR E1 E2 E3) as (z & FR). fold b' in FR.
    specialize (F5 _ IR). cbn [fst snd] in F5.
    assert (PP : 0 < int_value (fst m)).
    { destruct m as [p w]. unfold product_residues in PR. destruct (_ && _ && _ && _ && _ && _)%bool eqn:EP in PR; [|discriminate].
      repeat (apply andb_true_iff in EP as [EP _]). apply Z.ltb_lt in EP. cbn [fst]. lia. }
    destruct (agrees_true (fst m) d l PP F5) as (r & RL & FA).
    pose proof (Forall2_nth _ _ _ BigN.zero 0%uint63 FA i I) as S1. cbv beta in S1. rewrite <- nth_integers in S1. fold x in S1.
    assert (IL2 : (i < length (firstn (length d) l))%nat) by (rewrite <- (Forall2_length _ _ _ FA); exact I).
    assert (I3 : (i < length l)%nat) by (rewrite RL, app_length; lia).
    pose proof (Forall2_nth _ _ _ 0%uint63 0 FR i I3) as S2. cbv beta in S2.
    rewrite app_nth1 in S2 by (rewrite LC; lia). fold y in S2. rewrite RL in S2. rewrite app_nth1 in S2 by exact IL2.
    exact (same_trans (fst m) _ _ _ (same_sym _ _ _ S1) S2). }
  destruct D as [q Q]. assert (q = 0) by nia. subst q. lia.
Qed.

(* ---- either way ---- *)

Definition short : nat := 48.

(* Short vectors, and those too long for the moduli, by one big number; no second vector: the square. *)
Definition multiply_by_number (a b : vector) : option vector :=
  multiply (BigN.of_N (Z.to_N (Z.log2 (number_of (BigN.mul (big_total a) (big_total b))) + 1))) a b.

Definition multiply_any (a : vector) (b : option vector) : option vector :=
  let b' := match b with Some b' => b' | None => a end in
  if (length a <=? short)%nat then multiply_by_number a b'
  else
    match multiply_long a b with
    | Some c => Some c
    | None => multiply_by_number a b'
    end.

Theorem multiply_any_correct a b c : multiply_any a b = Some c ->
  let b' := match b with Some b' => b' | None => a end in
  (1 <= length a)%nat /\ (1 <= length b')%nat /\ length c = (length a + length b' - 1)%nat
  /\ integers c = convolve (integers a) (integers b').
Proof.
  unfold multiply_any, multiply_by_number. cbv zeta. destruct (length a <=? short)%nat; [apply multiply_correct|].
  destruct (multiply_long a b) as [d|] eqn:E; [|apply multiply_correct].
  intros H. injection H as <-. exact (multiply_long_correct a b d E).
Qed.

(* Every coefficient. *)
Corollary multiply_any_coefficient a b c k : multiply_any a b = Some c ->
  let b' := match b with Some b' => b' | None => a end in
  IZR (number_of (nth k c BigN.zero))
  = coefficient (length a) (length b') (fun i => IZR (number_of (nth i a BigN.zero))) (fun i => IZR (number_of (nth i b' BigN.zero))) k.
Proof.
  intros H. apply multiply_any_correct in H as (_ & _ & _ & H). cbv zeta. set (b' := match b with Some b' => b' | None => a end) in *.
  rewrite <- nth_integers, H, nth_convolve.
  unfold integers. rewrite !map_length. fold (integers a) (integers b'). unfold coefficient. apply sum_ext. intros i _.
  now rewrite !nth_integers.
Qed.
