#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Certificates: Coq accepts those that the program writes, refuses them once anything that matters is
# changed, and the program refuses what has none. Without coqc and CoqInterval only the last part runs.
program=${SHUFBOUND:-./shufbound}
source=${srcdir:-.}
coqc=${COQC:-coqc}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAIL: $*" >&2
    failures=$((failures + 1))
}

# refuse PATTERN ARGS...: one line on stderr, status 64, no file
refuse() {
    pattern=$1
    shift
    "$program" "$@" >"$work/stdout" 2>"$work/stderr"
    got=$?
    if [ $got != 64 ] || [ -s "$work/stdout" ] || [ "$(wc -l <"$work/stderr")" != 1 ] || ! grep -q "$pattern" "$work/stderr"; then
        fail "shufbound $*: exit $got, wanted /$pattern/"
        cat "$work/stdout" "$work/stderr" >&2
    fi
    ls "$work"/no.v* >/dev/null 2>&1 && fail "shufbound $*: left a file"
}

clones="--pair clones --n 100 --eps0 2"
refuse 'krr-weak' delta --pair krr-weak --n 10 --gamma 1/2 --k 3 --eps 1 --rounds 2 --certificate "$work/no.v"
refuse 'gamma = 0' delta --pair krr-strong --n 10 --gamma 0 --k 3 --eps 1 --rounds 2 --certificate "$work/no.v"
refuse 'million rows' delta --pair krr-weak --n 1000000 --gamma 0.5 --k 3 --eps 0.001 --certificate "$work/no.v"
refuse 'rounds of one pair' delta $clones --eps 1 --subsample 1/2 --certificate "$work/no.v"
refuse 'rounds of one pair' epsilon $clones --delta 1e-6 --via renyi --certificate "$work/no.v"
refuse 'rounds of one pair' epsilon $clones --delta 1e-6 --rounds 3 --via strong-composition --certificate "$work/no.v"
refuse 'logarithm' epsilon $clones --delta 'log(2)' --certificate "$work/no.v"
refuse 'logarithm' epsilon --pair clones --n 4 --eps0 1 --rounds 2 --delta 'log(4/3)' --digits 2 --certificate "$work/no.v"
refuse 'fast' delta $clones --eps 1 --fast --certificate "$work/no.v"
refuse 'no certificates' delta --pair gaussian --n 10 --sigma 1 --eps 1 --certificate "$work/no.v"
refuse 'file name' delta $clones --eps 1 --certificate "$work/no"
refuse 'file name' delta $clones --eps 1 --certificate "$work/no-1.v"
refuse 'certificate' renyi $clones --order 2 --certificate "$work/no.v"

finish() {
    if [ $failures -gt 0 ]; then
        echo "$failures failures" >&2
        exit 1
    fi
    exit "$1"
}

# skipped WHY: what could be tried was
skipped() {
    [ $failures -gt 0 ] || echo "skipped: $*"
    finish 77
}

# the proofs, compiled once; SHUFBOUND_PROOFS names a folder where they are already
command -v "$coqc" >/dev/null || skipped "there is no $coqc"
[ -d "$source/proofs/coq" ] || skipped "there is no proofs/coq"
if [ -e "${SHUFBOUND_PROOFS:-/nonexistent}/ComposedPairs.vo" ]; then
    ln -s "$(cd "$SHUFBOUND_PROOFS" && pwd)" "$work/proofs"
else
    mkdir "$work/proofs"
    cp "$source"/proofs/coq/*.v "$work/proofs" || exit 99
    if ! (cd "$work/proofs" && coq_makefile -Q . Shufbound ./*.v -o Makefile && make -s -j2 Alone.vo Mixture.vo ComposedPairs.vo) >"$work/stderr" 2>&1; then
        grep -q 'Interval\|Bignums' "$work/stderr" && skipped "CoqInterval is missing"
        grep -q 'coq_makefile: not found' "$work/stderr" && skipped "there is no coq_makefile"
        tail -20 "$work/stderr" >&2
        fail "the proofs do not compile"
        finish 1
    fi
fi

# accepted FILE: whether coqc takes it
accepted() {
    (cd "$work" && "$coqc" -q -w -all -Q proofs Shufbound "$1.v") >"$work/$1.out" 2>&1
}

# certify NAME ARGS...
certify() {
    name=$1
    shift
    "$program" "$@" --certificate "$work/$name.v" >"$work/$name.log" 2>&1 || fail "shufbound $*: $(cat "$work/$name.log")"
    accepted "$name" || fail "shufbound $*: $(tail -5 "$work/$name.out")"
}

certify clones delta --pair clones --n 1000 --eps0 4 --eps 0.5
certify stronger delta --pair clones-stronger --n 300 --eps0 'log(3)' --eps 1/4
certify rr2 delta --pair rr2 --n 300 --eps0 2 --eps 0.1
certify same delta --pair krr-same --n 200 --k 5 --eps0 2 --eps 0.1
certify third delta --pair krr-third --n 200 --k 5 --eps0 2 --eps 0.1
certify strong delta --pair krr-strong --n 200 --k 5 --gamma 0.3 --eps 0.4
certify trinomial delta --pair trinomial --n 200 --w0 0.5 --w1 0.2 --r0 0.2 --r1 0.3 --eps 0.02 --direction qp
certify full delta --pair trinomial --n 200 --w0 0.5 --w1 0.2 --r0 0.4 --r1 0.6 --eps 0.02
certify weak delta --pair krr-weak --n 20 --k 4 --gamma 0.3 --eps 0.2
certify epsilon epsilon --pair clones --n 1000 --eps0 3 --delta 1e-6
# thresholds that no interval decides, and nothing at all
certify zero delta --pair clones --n 300 --eps0 2 --eps 0
certify equal delta --pair clones --n 300 --eps0 2 --eps 2
certify equal_log delta --pair krr-same --n 300 --k 4 --eps0 'log(3)' --eps 'log(3)'
certify above delta --pair rr2 --n 300 --eps0 1 --eps 'log(100)'
certify ties delta --pair clones --n 300 --eps0 'log(4)' --eps 'log(2)'
certify alone delta --pair clones --n 1 --eps0 1 --eps 0.5
# nobody to hide among, and nothing to hide
certify bare delta --pair trinomial --n 9 --w0 1/2 --w1 1/5 --r0 0 --r1 0 --eps 0.3
certify bare_zero delta --pair trinomial --n 9 --w0 1/2 --w1 1/4 --r0 0 --r1 0 --eps 'log(2)'
certify bare_epsilon epsilon --pair trinomial --n 9 --w0 1/2 --w1 1/5 --r0 0 --r1 0 --delta 0.01
certify unprotected delta --pair krr-strong --n 9 --k 3 --gamma 0 --eps 5
certify weak_none delta --pair krr-weak --n 9 --k 3 --gamma 0 --eps 5
certify weak_all delta --pair krr-weak --n 9 --k 3 --gamma 1 --eps 0
certify nothing delta --pair krr-same --n 40 --k 4 --eps0 1 --eps 1
certify same_weights delta --pair trinomial --n 100 --w0 1/3 --w1 1/3 --r0 0.1 --r1 0.2 --eps 0
# several rounds
certify rounds delta --pair clones --n 5 --eps0 1 --rounds 2 --eps 0.3 --digits 3
certify rounds_log delta --pair clones-stronger --n 12 --eps0 'log(3)' --rounds 5 --eps 'log(2)' --digits 3
certify rounds_both delta --pair krr-same --n 8 --k 4 --eps0 1 --rounds 3 --eps 0.3 --digits 3
certify rounds_qp delta --pair krr-same --n 6 --k 4 --eps0 2 --rounds 2 --eps 0.5 --direction qp --digits 3
certify rounds_trinomial delta --pair trinomial --n 6 --w0 0.5 --w1 0.2 --r0 0.1 --r1 0.3 --rounds 3 --eps 0.7 --digits 2
certify rounds_third delta --pair krr-third --n 8 --k 5 --eps0 1 --rounds 2 --eps 0.2 --digits 3
certify rounds_strong delta --pair krr-strong --n 5 --k 3 --gamma 0.5 --rounds 2 --eps 1 --digits 3
certify rounds_epsilon epsilon --pair clones-stronger --n 50 --eps0 1 --rounds 2 --delta 0.001 --digits 2
certify rounds_zero delta --pair clones --n 20 --eps0 1 --rounds 3 --eps 0 --digits 3
certify rounds_above delta --pair clones --n 20 --eps0 1/2 --rounds 4 --eps 2.1 --digits 3
certify rounds_unseen delta --pair trinomial --n 4 --w0 1/2 --w1 0 --r0 1/4 --r1 1/4 --rounds 2 --eps 1 --digits 1

# tamper NAME SED: the certificate changed by SED, which must change it and make it fail
tamper() {
    sed "$2" "$work/$1.v" >"$work/forged.v"
    if cmp -s "$work/$1.v" "$work/forged.v"; then
        fail "tamper $1 $2: nothing changed"
    elif accepted forged; then
        fail "tamper $1 $2: accepted"
        cat "$work/forged.v" >&2
    fi
}

# the ends: 0.042045456777075144 and ..146
tamper clones 's/Q2R (42045456777075144 /Q2R (42045456777075146 /'
tamper clones 's/Q2R (42045456777075146 /Q2R (42045456777075144 /'
tamper epsilon 's/1 # 1000000)/1 # 1000001)/; /Theorem certificate_lower/,$d'
# another pair, fewer users, another eps, another direction
tamper clones 's/(Clones /(ClonesStronger /'
tamper clones 's/(Clones 1000 /(Clones 1001 /'
tamper clones 's/(Rational (1 # 2))/(Rational (1000000000000000 # 2000000000000001))/'
tamper rr2 's/delta Both/delta QP/'
tamper trinomial 's/delta QP/delta PQ/'
# the hints: strata left out at the top and at the bottom, a window far off, a wrong first threshold,
# a window without the mode, no precision
tamper clones 's/(Window [0-9]* /(Window 30 /g'
tamper clones 's/(Window \([0-9]*\) [0-9]* /(Window \1 15 /g'
tamper clones 's/(Window [0-9]* [0-9]* /(Window 900 800 /g'
tamper clones 's/(Window \([0-9]*\) \([0-9]*\) [0-9]* /(Window \1 \2 20 /g'
tamper clones 's/(Window \([0-9]*\) \([0-9]*\) \([0-9]*\) [0-9]* /(Window \1 \2 \3 59 /g'
tamper clones 's/check_sound [0-9]*/check_sound 20/'
tamper weak 's/check_weak_sound \([0-9]*\) 19/check_weak_sound \1 18/'
tamper weak '/^    (Row 9 /d'
tamper weak 's/(Row 14 4 /(Row 14 3 /'
tamper weak 's/delta_krr_weak 20 4 (3/delta_krr_weak 20 5 (3/'
tamper rr2 's/\((Window [^)]*)\) (Window [^)]*)/\1 \1/'
# bare: a wrong end, another weight; no certificate of nothing
tamper bare 's/23002823848479938 /23002823848479937 /'
tamper bare 's/(1 # 5) (0 # 1)/(1 # 6) (0 # 1)/'
tamper weak_all 's/(1 # 1)/(1 # 2)/'
# rounds: delta is in [0.28264545, 0.28286879]; ends past it, more rounds, another eps
tamper rounds 's/Q2R ([0-9]* # 1000000)).R/Q2R (282640 # 1000000))%R/'
tamper rounds 's/(Q2R ([0-9]* # /(Q2R (282870 # /'
tamper rounds 's/delta_rounds Both 2/delta_rounds Both 3/'
tamper rounds 's/(Rational (3 # 10))/(Rational (29 # 100))/'
# its hints: the grid without its last node, or another, another step, a node's bounds too low or too high,
# windows of another node, no sags, a mass too many, masses left out, nothing to divide by
tamper rounds ':a;N;$!ba;s/;\n  Node [^;]*\]\n/]\n/'
tamper rounds '/^  Node/{x;s/^/x/;/^x\{5\}$/{x;d};x}'
tamper rounds 's/(1 # 64)/(1 # 63)/'
tamper rounds 's/^\(  Node [0-9]* .*) \)0x\([0-9a-f]\)\([0-9a-f]*\) \(.*;\)$/\10x\3 \4/'
tamper rounds 's/^\(  Node [0-9]* .*\) 0x[0-9a-f]* 0x[0-9a-f]*;$/\1 0x700000000 0x700000000;/'
tamper rounds 's/(Window [0-9]* [0-9]* [0-9]* [0-9]* [0-9]* [0-9]*)/(Window 0 0 1 0 0 0)/g'
tamper rounds '/^  \[.*\]$/s/0x[0-9a-f]\{5,\}/0x0/g'
tamper rounds 's/^  \[\(.*\)\] \(0x[0-9a-f]*)%Z\)/  [\1; 0x10000000] \2/'
tamper rounds 's/^  \[.*\] \(0x[0-9a-f]*)%Z\)/  [] \1/'
tamper rounds 's/\(# 64) 0x[0-9a-f]*\) 0x[0-9a-f]*/\1 0x1/'
tamper rounds_both 's/delta_rounds Both/delta_rounds QP/'
tamper rounds_both 's/data_pq data_qp)/data_qp data_pq)/'
tamper rounds_strong 's/delta_rounds_krr_strong 2 5 3/delta_rounds_krr_strong 2 4 3/'
tamper rounds_epsilon '/Theorem certificate_lower/,$s/(Rational (\([0-9]*\) /(Rational (6\1 /'
tamper rounds_epsilon '/Theorem certificate_lower/,$d; s/<= Q2R (1 # 1000))/<= Q2R (1 # 1100))/'
# what is no parameter of the pair
tamper clones 's/(Rational (4 # 1))/(Rational (-4 # 1))/'
finish 0
