#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The compiled development that proofs/verify takes: made in a fresh folder, and refused when it is not what was compiled from
# these sources, or when its definitions are not those of proofs/MANIFEST. On small developments in the place of the true one.
. "${srcdir:-.}/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
command -v "${COQC:-coqc}" >/dev/null || { echo "skipped: there is no coqc"; exit 77; }
command -v coq_makefile >/dev/null || { echo "skipped: there is no coq_makefile"; exit 77; }
unset SHUFBOUND_PROOFS

# The scripts beside small sources: a delta that is 1.
proofs=$work/tree/proofs
mkdir -p "$proofs/coq"
cp "$source/proofs/verify" "$source/proofs/statement.py" "$source/proofs/development.py" "$source/proofs/axioms" "$proofs"
cat >"$proofs/coq/Certificate.v" <<'END'
From Coq Require Import Reals QArith Qreals Lra.
Inductive number := Rational (q : Q) | Logarithm (q : Q).
Inductive direction := Both | PQ | QP.
Inductive pair := Clones (n : positive) (eps0 : number).
Record window := Window { a : N; b : N; c : N; d : N; e : N; f : nat }.
Definition value (x : number) : R := match x with Rational q => Q2R q | Logarithm q => ln (Q2R q) end.
Definition delta (_ : direction) (_ : pair) (_ : number) : R := 1%R.
Definition accepted (lo hi : Q) : bool := andb (Qle_bool lo 1) (Qle_bool 1 hi).
Lemma check_sound (bits : positive) (w w' : window) dir p eps lo hi : accepted lo hi = true -> (Q2R lo <= delta dir p eps <= Q2R hi)%R.
Proof.
  intros H. apply andb_prop in H. destruct H as [H K]. apply Qle_bool_iff, Qle_Rle in H. apply Qle_bool_iff, Qle_Rle in K.
  unfold delta. replace 1%R with (Q2R 1) by (unfold Q2R; simpl; field). split; assumption.
Qed.
END
echo 'From Shufbound Require Import Certificate. Notation Window := Certificate.Window.' >"$proofs/coq/Evaluate.v"
cat >"$proofs/coq/Mechanisms.v" <<'END'
From Coq Require Import Reals QArith Qreals.
From Shufbound Require Export Evaluate Certificate Certified Mixture Alone Composed.
Definition shuffled_ldp_within (E : R) (n : positive) (alpha d : R) : Prop := (0 <= d)%R.
Definition shuffled_rounds_within : nat := 0.
Definition shuffled_krr_within : nat := 0.
Definition shuffled_krr_at_least : nat := 0.
Definition shuffled_krr_third_at_least : nat := 0.
Definition krr_factor : nat := 0.
END
: >"$proofs/coq/Certified.v"
: >"$proofs/coq/Alone.v"
echo 'Definition delta_krr_weak : nat := 0.' >"$proofs/coq/Mixture.v"
echo 'Definition delta_rounds : nat := 0.' >"$proofs/coq/Composed.v"
echo 'Definition delta_rounds_krr_strong : nat := 0.' >"$proofs/coq/ComposedPairs.v"
: >"$proofs/MANIFEST"

cat >"$work/question" <<'END'
{"pair": {"type": "clones", "eps0": "4"}, "users": 10, "direction": "pq", "ask": {"quantity": "delta", "eps": "0.5"}}
END
cat >"$work/certificate" <<'END'
{"certificate": 1, "program": "", "question": {"pair": {"type": "clones", "eps0": "4"}, "users": 10, "direction": "pq", "ask": {"quantity": "delta", "eps": "0.5"}},
 "lo": "1", "hi": "1", "hints": [{"bits": 9, "windows": [[9, 0, 6, 0, 9, 0], [9, 0, 6, 0, 9, 0]]}]}
END

# The rows of MANIFEST for the definitions of the folder, as manifest.py writes them.
pin() {
    python3 -I -B - "$proofs" "$1" >"$work/rows" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import development
names = [f"Certificate.{name}" for name in ("number", "direction", "pair", "value", "delta")]
for name, answer in development.ask_coq(sys.argv[2], names, "Print").items():
    print(f"definition | {name} | {development.digest(answer)}")
END
    cp "$work/rows" "$proofs/MANIFEST"
}

# verify STATUS PATTERN ARGS...
verify() {
    wanted=$1 pattern=$2
    shift 2
    "$proofs/verify" "$@" >"$work/said" 2>&1
    got=$?
    [ $got = "$wanted" ] && grep -q "$pattern" "$work/said" || fail "verify $*: exit $got, wanted $wanted and /$pattern/: $(cat "$work/said")"
}

# ---- compiling ----

verify 2 'no compiled development in .*/tree/proofs-build: it has no development.json' "$work/question" "$work/certificate"
# what is there is not kept, were it newer than the sources; what is no development is not replaced
mkdir "$work/tree/proofs-build" "$work/other"
echo nonsense >"$work/tree/proofs-build/Mechanisms.vo"
echo mine >"$work/other/file"
verify 0 'proofs-build is as it was compiled' --compile
verify 2 'is no compiled development' --compile "$work/other"
[ "$(cat "$work/other/file")" = mine ] || fail "--compile has replaced somebody's folder"
pin "$work/tree/proofs-build"
verify 0 '^verified: delta(1/2) of clones, n = 10, eps0 = 4, direction pq is in \[1, 1\]$' "$work/question" "$work/certificate"
grep -q "^by: Coq 8.*, with the proofs compiled in .*/tree/proofs-build$" "$work/said" || fail "the folder is not said: $(cat "$work/said")"
grep -q 'MANIFEST: Certificate.delta, Certificate.direction, Certificate.number, Certificate.pair$' "$work/said" ||
    fail "the definitions are not said: $(cat "$work/said")"
! drawn 3 || verify 0 'proofs-build is as it was compiled' --compile
echo 'Lemma wrong : False. Proof. exact I. Qed.' >"$proofs/coq/Alone.v"
verify 2 'make failed' --compile "$work/tree/proofs-build"
: >"$proofs/coq/Alone.v"
verify 0 'is as it was compiled' --check-development
[ "$(ls "$work/tree")" = "proofs
proofs-build" ] || fail "--compile leaves $(ls "$work/tree")"

# Not that of the folder one happens to be in, which this would be; nor a file left there, with TMPDIR=. either.
if drawn 3; then
    mkdir -p "$work/here/proofs-build"
    (cd "$work/here" && TMPDIR=. "$proofs/verify" "$work/question" "$work/certificate") >"$work/said" 2>&1 || fail "from another folder: $(cat "$work/said")"
    grep -q "compiled in .*/tree/proofs-build$" "$work/said" || fail "another folder is taken: $(cat "$work/said")"
    [ "$(ls "$work/here")" = proofs-build ] || fail "verify leaves $(ls "$work/here")"
fi

# ---- what has changed since ----

# forged STATUS PATTERN COMMAND...: in a copy of the folder, which is then not taken
forged() {
    drawn 4 || return 0
    pattern=$1
    shift
    rm -rf "$work/forged"
    cp -rp "$work/tree/proofs-build" "$work/forged"
    (cd "$work/forged" && "$@") || fail "forged $*"
    SHUFBOUND_PROOFS=$work/forged verify 2 "$pattern" "$work/question" "$work/certificate"
    SHUFBOUND_PROOFS=$work/forged verify 2 "$pattern" --check-development
}
forged 'has changed since it was compiled: Mixture.vo' sh -c 'echo >>Mixture.vo'
forged 'has changed since it was compiled: Mixture.vo' cp Alone.vo Mixture.vo
forged 'has changed since it was compiled: Alone.vo' rm Alone.vo
forged 'has changed since it was compiled: Rdefinitions.vo' cp Alone.vo Rdefinitions.vo
forged 'not compiled from its own sources: Alone.v' sh -c 'echo >>Alone.v'
forged 'not compiled from its own sources: Alone.v' rm Alone.v
forged 'has no development.json' rm development.json
forged 'has no development.json' sh -c 'echo "[]" >development.json'
forged 'was compiled by Coq 8.1 3.0, this is' sed -i 's/"coq": "[^"]*"/"coq": "8.1 3.0"/' development.json
forged 'not compiled from these sources: Alone.v' sh -c "echo '(* *)' >>Alone.v && python3 -B '$proofs/development.py' record ."
forged 'has changed since it was compiled: Rdefinitions.vo' sh -c "cp Alone.vo Rdefinitions.vo && python3 -B '$proofs/development.py' record ."

# ---- what somebody compiled from other sources, and recorded as if from these ----

# stub STATUS PATTERN CERTIFICATE SED FILE: what is said of the certificate with a definition changed
stub() {
    drawn 4 || return 0
    rm -rf "$work/stub"
    mkdir "$work/stub"
    cp "$proofs"/coq/*.v "$work/stub"
    sed "$4" "$proofs/coq/$5" >"$work/stub/$5"
    if cmp -s "$work/stub/$5" "$proofs/coq/$5"; then fail "stub $4: nothing changed"; fi
    (cd "$work/stub" && coq_makefile -Q . Shufbound ./*.v -o Makefile && make) >"$work/log" 2>&1 || fail "stub $4: $(cat "$work/log")"
    cp "$proofs"/coq/*.v "$work/stub"
    python3 -B "$proofs/development.py" record "$work/stub"
    SHUFBOUND_PROOFS=$work/stub verify 0 'is as it was compiled' --check-development
    SHUFBOUND_PROOFS=$work/stub verify "$1" "$2" "$work/question" "$work/$3"
}
sed 's/"lo": "1", "hi": "1"/"lo": "0", "hi": "0"/' "$work/certificate" >"$work/zero"
verify 1 'refused: Coq does not accept it' "$work/question" "$work/zero"
stub 2 'Certificate.delta of .* is not what proofs/MANIFEST has' zero \
    '/^Definition delta/s/1%R/0%R/; /^Definition accepted/s/\([ (]\)1\([ )]\)/\10\2/g; /replace/s/1/0/g' Certificate.v
stub 2 'Certificate.direction of .* is not what' certificate '/^Inductive direction/s/Both | PQ/PQ | Both/' Certificate.v
# a notation that says 0 where delta is meant comes in nowhere
stub 1 'refused: Coq does not accept it' zero \
    '$a Notation delta_is := 0.\nNotation "lo <= x <= hi" := (True) (only parsing) : R_scope.' Certificate.v
# a theorem that is not proved
stub 1 'rests on what is not in proofs/axioms: .*check_sound' certificate \
    's/^Proof\.$/Proof. Admitted./; /^  \(intros\|unfold\)/d; /^Qed/d' Certificate.v
# and the definitions of the true MANIFEST
cp "$source/proofs/MANIFEST" "$proofs/MANIFEST"
verify 2 'asked by Coq' "$work/question" "$work/certificate"

finish
