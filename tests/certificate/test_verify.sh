#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Certificates with Coq: proofs/verify accepts those that the program writes, refuses them once anything that matters is
# changed, and check-proofs' certificates.py refuses those of a program that writes what is false. The compiled development is
# that of SHUFBOUND_PROOFS (make check-proofs makes one), or in the user's cache, where what these need is compiled.
. "${srcdir:-.}/tests/check.sh"
verify=$source/proofs/verify
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
command -v "${COQC:-coqc}" >/dev/null || { echo "skipped: there is no coqc"; exit 77; }
if [ -z "${SHUFBOUND_PROOFS:-}" ]; then
    SHUFBOUND_PROOFS=$(python3 -B "$source/proofs/development.py" cached Mechanisms.vo ComposedPairs.vo 2>"$work/compiled") ||
        { cat "$work/compiled" >&2; fail "the proofs do not compile"; finish; }
    export SHUFBOUND_PROOFS
fi
honest=

# certify NAME ARGS...: its question and certificate, to be checked with the others; the gate checks those whose words are looked at
# below, and of the rest one in eight, others with each commit
certify() {
    name=$1
    shift
    "$program" "$@" --certificate "$work/$name.json" >"$work/log" 2>&1 || fail "shufbound $*: $(cat "$work/log")"
    sed -n 's/^"question": \(.*\),$/\1/p' "$work/$name.json" >"$work/$name.question"
    case $name in clones | third) ;; *) drawn 8 || return 0 ;; esac
    honest="$honest $work/$name.question $work/$name.json"
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
certify weak_two delta --pair krr-weak --n 40 --k 2 --eps0 'log(4)' --eps 0.2
certify weak_epsilon epsilon --pair krr-weak --n 12 --k 3 --gamma 1/2 --delta 0.01 --digits 6
certify epsilon epsilon --pair clones --n 1000 --eps0 3 --delta 1e-6
certify epsilon_zero epsilon --pair clones --n 10 --eps0 1 --delta 0.9
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

# all in one file of Coq; if that fails, which of them it was
if ! "$verify" $honest >"$work/said" 2>&1; then
    set -- $honest
    while [ $# -gt 0 ]; do
        "$verify" "$1" "$2" >"$work/said" 2>&1 || fail "$2: $(cat "$work/said")"
        shift 2
    done
fi
grep -q '^verified: delta(1/2) of clones, n = 1000, eps0 = 4 is in \[0.042045456777075144, 0.042045456777075146\]$' "$work/said" ||
    fail "what was verified is not said: $(cat "$work/said")"
grep -q '^verified: delta(1/2) of 1000 shuffled users of randomisers with finitely many outputs that are eps0-LDP, eps0 = 4, on any two data sets that differ in one user (replacement), is at most 0.042045456777075146$' "$work/said" ||
    fail "what it says of a mechanism is not said: $(cat "$work/said")"
grep -q '^verified: delta(1/10) of 200 shuffled users of 5-ary randomised response, eps0 = 2, one of whom is replaced, all the others with a third value, is at least 0\.' "$work/said" ||
    fail "what it says of data is not said: $(cat "$work/said")"

# tamper NAME SED [SED]: the certificate changed by the first, the question by the second; Coq must refuse it
tamper() {
    drawn 16 || return 0
    sed "$2" "$work/$1.json" >"$work/forged.json"
    sed "${3-}" "$work/$1.question" >"$work/forged.question"
    if cmp -s "$work/$1.json" "$work/forged.json" && cmp -s "$work/$1.question" "$work/forged.question"; then
        fail "tamper $1 $2: nothing changed"
    elif "$verify" "$work/forged.question" "$work/forged.json" >"$work/said" 2>&1; then
        fail "tamper $1 $2: accepted"
        cat "$work/forged.json" >&2
    elif ! grep -q 'refused: Coq does not accept it' "$work/said"; then
        fail "tamper $1 $2: not refused by Coq: $(cat "$work/said")"
    fi
}

# both NAME SED: the same change of the certificate's question and of the one asked
both() {
    tamper "$1" "$2" "$2"
}

# the ends: 0.042045456777075144 and ..146
tamper clones 's/^"lo": .*/"lo": "0.042045456777075146",/'
tamper clones 's/^"hi": .*/"hi": "0.042045456777075144",/'
tamper clones 's/^"hi": .*/"hi": "0",/'
tamper epsilon 's/^"hi": .*/"hi": "1.2646333048915",/'
tamper epsilon 's/^"lo": .*/"lo": "3",/'
tamper bare 's/^"hi": .*/"hi": "0.230028238",/'
tamper rounds 's/^"hi": .*/"hi": "0.28264",/'
tamper rounds 's/^"lo": .*/"lo": "0.28287",/'
tamper rounds_epsilon 's/^"hi": "\(.\)/"hi": "0\1/; s/^"hi": "\(.*\)e-\([0-9]*\)"/"hi": "\1e-9\2"/'
# the right ends of another question: fewer or more users, another pair, eps, direction, weights, number of rounds
both clones 's/"users":"1000"/"users":"1001"/'
both clones 's/"type":"clones"/"type":"clones-stronger"/'
both clones 's/"eps":"0.5"/"eps":"0.49999999999999999"/'
both clones 's/"eps0":"4"/"eps0":"-4"/'
both trinomial 's/"direction":"qp"/"direction":"pq"/'
both epsilon 's/"delta":"1e-6"/"delta":"9.9e-7"/'
both weak 's/"k":"4"/"k":"5"/'
both weak_all 's/"gamma":"1"/"gamma":"1\/1000"/; s/"hints": .*/"hints": [{"bits": 100, "top": 0, "rows": []}]/'
both rounds 's/"rounds":2/"rounds":3/'
both rounds 's/"eps":"0.3"/"eps":"0.29"/'
both rounds_strong 's/"users":"5"/"users":"4"/'
# the hints: strata left out, no precision, windows of the other direction, a row or a block too few
tamper clones 's/\[\[95, /[[30, /'
tamper clones 's/"bits": [0-9]*/"bits": 20/'
tamper rr2 's/\(\[[^][]*\]\), \[[^][]*\]\]/\1, \1]/'
tamper weak '/^  \[9, /d'
tamper weak 's/^  \[14, 4, /  [14, 3, /'
# and of rounds: a node too few, another step, a bound too low, no sags, a mass too many, the directions exchanged
tamper rounds '/^    \[/{x;s/^/x/;/^x\{5\}$/{x;d};x}'
tamper rounds 's/"log2_step": -6/"log2_step": -7/'
tamper rounds 's/^\(    \[[0-9]*, \[.*\], \[.*\], "\)0x[0-9a-f]\([0-9a-f]\{4,\}\)/\10x\2/'
tamper rounds '/^  "sags"/s/0x[0-9a-f]\{5,\}/0x0/g'
tamper rounds 's/^  "below": \[\(.*\)\]/  "below": [\1, "0x10000000"]/'

# another file behind the name when it is read again: it is read once, and the false one first
mkfifo "$work/fifo"
sed 's/^"lo": .*/"lo": "0",/; s/^"hi": .*/"hi": "0.001",/' "$work/clones.json" >"$work/forged.json"
(cat "$work/forged.json" >"$work/fifo"; sleep 1; cat "$work/clones.json" >"$work/fifo") &
writer=$!
"$verify" "$work/clones.question" "$work/fifo" >"$work/said" 2>&1
[ $? = 1 ] && grep -q '^refused: ' "$work/said" || fail "two files behind a name: $(cat "$work/said")"
kill "$writer" 2>/dev/null

# limits
"$verify" --memory 1 --seconds 3 "$work/rounds_epsilon.question" "$work/rounds_epsilon.json" >"$work/said" 2>&1
[ $? != 1 ] || fail "what takes too long or too much is refused as if it were false: $(cat "$work/said")"
mkfifo "$work/silent"
"$verify" --seconds 1 "$work/clones.question" "$work/silent" >"$work/said" 2>&1
[ $? = 2 ] && grep -q 'not done after 1 seconds' "$work/said" || fail "verify waits for ever: $(cat "$work/said")"

# without a development nothing is verified
SHUFBOUND_PROOFS=/nonexistent "$verify" "$work/clones.question" "$work/clones.json" >"$work/said" 2>&1
[ $? = 2 ] || fail "verified without a development: $(cat "$work/said")"

# Print Assumptions is compared: the same with an axiom taken from the list
if drawn 3; then
    mkdir "$work/proofs"
    cp "$source/proofs/statement.py" "$source/proofs/development.py" "$source/proofs/MANIFEST" "$verify" "$work/proofs"
    ln -s "$(cd "$source" && pwd)/proofs/coq" "$work/proofs/coq"
    grep -v 'Classical_Prop.classic' "$source/proofs/axioms" >"$work/proofs/axioms"
    "$work/proofs/verify" "$work/clones.question" "$work/clones.json" >"$work/said" 2>&1
    [ $? = 1 ] && grep -q 'rests on what is not in proofs/axioms: Classical_Prop.classic$' "$work/said" || fail "an axiom goes unseen: $(cat "$work/said")"
fi

# check-proofs with a program that answers as it should and writes certificates of something else
cat >"$work/vectors.json" <<END
{"testGroups": [{"tests": [{"tcId": 1, "question": {"pair": {"type": "clones", "eps0": "4"}, "users": "1000", "ask": {"quantity": "delta", "eps": "0.5"}},
 "result": {"lo": "0.042045456777075144", "hi": "0.042045456777075146"}}]}]}
END
# fake SED: what check-proofs says of a program whose certificate is changed so
fake() {
    sed "$1" "$work/clones.json" >"$work/fake.json"
    cat >"$work/fake" <<END
#!/bin/sh
while [ \$# -gt 1 ]; do
    [ "\$1" != --certificate ] || cp "$work/fake.json" "\$2"
    shift
done
echo '{"lo": "0.042045456777075144", "hi": "0.042045456777075146"}'
END
    chmod +x "$work/fake"
    SHUFBOUND=$work/fake python3 "$source/proofs/coq/certificates.py" --proofs "$SHUFBOUND_PROOFS" "$work/vectors.json" >"$work/said" 2>&1
}
if drawn 3; then
    fake '' && grep -q '^1 certificates checked in .* 0 failed$' "$work/said" || fail "an honest program fails: $(cat "$work/said")"
    fake 's/"bits": [0-9]*/"bits": 20/' && fail "a false certificate passes check-proofs"
fi
fake 's/^"hi": .*/"hi": "1",/' && fail "the ends of another enclosure pass check-proofs"
fake 's/"users":"1000"/"users":"1001"/' && fail "a certificate of another question passes check-proofs"
fake '1s/.*/Theorem certificate : False. Admitted./' && fail "text passes check-proofs"

finish
