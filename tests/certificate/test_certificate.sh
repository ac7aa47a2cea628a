#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Certificates without Coq: the program refuses what has none, writes the bytes of golden.txt, and proofs/verify makes of them
# the statements there; what is not data of the exact form, or about another question, is refused with its reason.
# With SHUFBOUND_GOLDEN=write, golden.txt is written anew. test_verify.sh is the part with Coq.
. "${srcdir:-.}/tests/check.sh"
here=$source/tests/certificate

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
    ls "$work"/no* >/dev/null 2>&1 && fail "shufbound $*: left a file"
}

clones="--pair clones --n 100 --eps0 2"
refuse 'krr-weak' delta --pair krr-weak --n 10 --gamma 1/2 --k 3 --eps 1 --rounds 2 --certificate "$work/no"
refuse 'gamma = 0' delta --pair krr-strong --n 10 --gamma 0 --k 3 --eps 1 --rounds 2 --certificate "$work/no"
refuse 'million rows' delta --pair krr-weak --n 1000000 --gamma 0.5 --k 3 --eps 0.001 --digits 6 --certificate "$work/no"
refuse 'rounds of one pair' delta $clones --eps 1 --subsample 1/2 --certificate "$work/no"
refuse 'rounds of one pair' epsilon $clones --delta 1e-6 --via renyi --certificate "$work/no"
refuse 'rounds of one pair' epsilon $clones --delta 1e-6 --rounds 3 --via strong-composition --certificate "$work/no"
refuse 'logarithm' epsilon $clones --delta 'log(2)' --certificate "$work/no"
refuse 'logarithm' epsilon --pair clones --n 4 --eps0 1 --rounds 2 --delta 'log(4/3)' --digits 2 --certificate "$work/no"
refuse 'fast' delta $clones --eps 1 --fast --certificate "$work/no"
refuse 'no certificates' delta --pair gaussian --n 10 --sigma 1 --eps 1 --certificate "$work/no"
refuse 'too small' delta --pair clones --n 400000 --eps0 1 --eps 0.9 --digits 1 --certificate "$work/no"
refuse 'certificate' renyi $clones --order 2 --certificate "$work/no"

if ! command -v python3 >/dev/null; then
    [ $failures = 0 ] || exit 1
    echo "skipped: there is no python3"
    exit 77
fi

# golden ARGS...: the certificate and its statements; of a long one without its nodes, but with a checksum
golden() {
    echo "== $*"
    rm -f "$work/one"
    "$program" "$@" --certificate "$work/one" >/dev/null || fail "shufbound $*"
    sed 's/"shufbound [^"]*"/"shufbound"/' "$work/one" >"$work/whole"
    sed '/^    \[/d; /^  "\(sags\|below\)"/d' "$work/whole"
    if grep -q '"grids"' "$work/whole"; then
        cksum <"$work/whole"
    fi
    sed -n 's/^"question": \(.*\),$/\1/p' "$work/one" >"$work/question"
    "$source/proofs/verify" --print "$work/question" "$work/one" >"$work/print" || fail "verify --print: $*"
    sed -n '/^Theorem/,$p' "$work/print" | sed '/^$/d; /^Definition all/d; /^Print Assumptions/d'
}

{
    golden delta --pair clones --n 10 --eps0 4 --eps 0.5
    golden delta --pair clones-stronger --n 10 --eps0 'log(3)' --eps 'log(2)' --digits 6
    golden delta --pair rr2 --n 10 --eps0 2 --eps 0.1 --digits 6
    golden delta --pair krr-same --n 10 --k 4 --eps0 0x1.8p0 --eps 0.3 --direction pq --digits 6
    golden delta --pair krr-third --n 10 --k 5 --eps0 2 --eps 0.1 --digits 6
    golden delta --pair krr-strong --n 10 --k 5 --gamma 0.3 --eps 0.4 --digits 6
    golden delta --pair trinomial --n 10 --w0 0.5 --w1 0.2 --r0 0.2 --r1 0.3 --eps 0.02 --direction qp --digits 6
    golden delta --pair krr-weak --n 6 --k 4 --gamma 0.3 --eps 0.2 --digits 6
    golden delta --pair krr-weak --n 6 --k 2 --eps0 'log(4)' --eps 0.2 --digits 6
    golden epsilon --pair clones --n 10 --eps0 3 --delta 1e-2 --digits 6
    golden epsilon --pair krr-weak --n 4 --k 3 --gamma 1/2 --delta 0.05 --digits 3
    golden epsilon --pair clones --n 10 --eps0 1 --delta 0.9 --digits 6
    golden delta --pair clones --n 10 --eps0 2 --eps 2
    golden delta --pair trinomial --n 9 --w0 1/2 --w1 1/5 --r0 0 --r1 0 --eps 0.3 --digits 6
    golden delta --pair krr-strong --n 9 --k 3 --gamma 0 --eps 5 --digits 6
    golden delta --pair krr-weak --n 9 --k 3 --gamma 1 --eps 0 --digits 6
    golden delta --pair krr-same --n 2 --k 3 --eps0 1 --rounds 2 --eps 0.2 --digits 1
    golden delta --pair krr-strong --n 2 --k 3 --gamma 0.9 --rounds 3 --eps 1 --digits 1
    golden epsilon --pair krr-strong --n 3 --k 3 --gamma 0.9 --rounds 2 --delta 0.1 --digits 1
} >"$work/golden.txt"
if [ "${SHUFBOUND_GOLDEN-}" = write ]; then
    cp "$work/golden.txt" "$here/golden.txt"
fi
diff "$here/golden.txt" "$work/golden.txt" >"$work/diff" || { fail "not golden.txt: $(head -20 "$work/diff")"; exit 1; }

# ---- what verify refuses before Coq sees anything ----

# make NAME QUESTION ARGS...: a question and its certificate
make_one() {
    name=$1
    printf '%s\n' "$2" >"$work/$name.question"
    shift 2
    "$program" "$@" --certificate "$work/$name.json" >/dev/null || fail "shufbound $*"
}
make_one delta '{"pair": {"type": "krr-same", "k": 4, "eps0": "1"}, "users": 10, "ask": {"quantity": "delta", "eps": "0.3"}}' \
    delta --pair krr-same --n 10 --k 4 --eps0 1 --eps 0.3 --digits 6
make_one epsilon '{"pair": {"type": "clones", "eps0": "3"}, "users": "1e1", "ask": {"quantity": "epsilon", "delta": "1/100"}}' \
    epsilon --pair clones --n 10 --eps0 3 --delta 1e-2 --digits 6
make_one weak '{"pair": {"type": "krr-weak", "k": "4", "gamma": "3/10"}, "users": "6", "ask": {"quantity": "delta", "eps": "0.2"}}' \
    delta --pair krr-weak --n 6 --k 4 --gamma 0.3 --eps 0.2 --digits 6
make_one rounds '{"pair": {"type": "krr-strong", "k": "3", "gamma": "0.9"}, "users": "2", "rounds": 2, "ask": {"quantity": "delta", "eps": "1"}}' \
    delta --pair krr-strong --n 2 --k 3 --gamma 0.9 --rounds 2 --eps 1 --digits 1
for name in delta epsilon weak rounds; do
    "$source/proofs/verify" --print "$work/$name.question" "$work/$name.json" >/dev/null || fail "$name is refused"
done

# not_data PATTERN NAME [QUESTION]: the forged certificate is refused with that reason, and nothing is printed; the gate tries one in six
forgeries=0
not_data() {
    forgeries=$((forgeries + 1))
    drawn 6 || return 0
    if "$source/proofs/verify" --print "${3:-$work/$2.question}" "$work/forged" >"$work/stdout" 2>"$work/stderr"; then
        fail "accepted: $1: $(diff "$work/forged" "$work/$2.json")"
    elif [ -s "$work/stdout" ] || ! grep -q "refused: .*$1" "$work/stderr"; then
        fail "/$1/: $(cat "$work/stdout" "$work/stderr")"
    fi
}

# forge PATTERN NAME SED
forge() {
    sed "$3" "$work/$2.json" >"$work/forged"
    if cmp -s "$work/forged" "$work/$2.json"; then
        fail "forge $2 $3: nothing changed"
    else
        not_data "$1" "$2"
    fi
}

# text of Coq in place of data: what is admitted, an axiom, a definition, a notation, a load path
for text in 'Theorem certificate : (Q2R 0 <= delta Both (Clones 10 (Rational 1)) (Rational 0) <= Q2R (-1))%R. Proof. Admitted.' \
    'Axiom certificate : False.' 'Definition delta := fun _ _ _ : nat => 0.' 'Notation Clones := ClonesStronger.' 'Add LoadPath "." as Shufbound.'; do
    printf '%s\n' "$text" >"$work/forged"
    not_data 'not JSON' delta
    printf '{"certificate": 1, "coq": "%s"}\n' "$text" | sed 's/"\."/x/' >"$work/forged"
    not_data 'has a member "coq"' delta
done
forge 'hi is no decimal' delta 's/^"hi": .*/"hi": "1 # 1))%R. Proof. Admitted. (*",/'
forge 'lo is no decimal' delta 's/^"lo": .*/"lo": "-1",/'
forge 'lo is no decimal' delta 's/^"lo": .*/"lo": "\\u0661",/'
forge 'hi is no decimal' delta 's/^"hi": "\([^"]*\)"/"hi": "\1\\n"/'
forge 'hi is no decimal' delta 's/^"hi": .*/"hi": ["1"],/'
forge 'hi is out of range' delta 's/^"hi": "\([^"]*\)"/"hi": "\1e20001"/'
forge 'is no whole number' delta 's/^"hi": "\([^"]*\)"/"hi": \1/'
forge 'an end is missing' delta 's/^"lo": .*/"lo": null,/'
forge 'an end is missing' epsilon 's/^"hi": .*/"hi": null,/'
forge 'not JSON' delta 's/^"lo": .*/"lo": 007,/'
forge 'NaN is no whole number' delta 's/^"hi": .*/"hi": NaN,/'
forge 'given twice' delta 's/^\("lo": .*\)/\1 "lo": "0",/'
forge 'has no member "lo"' delta '/^"lo"/d'
forge 'has a member "axioms"' delta 's/^"lo"/"axioms": ["False"], "lo"/'
forge 'has a member "grids"' delta 's/^"hints"/"grids": [], "hints"/'
forge 'version' delta 's/^"certificate": 1/"certificate": 2/'
forge 'version' delta 's/^"certificate": 1/"certificate": true/'
forge 'bits is no whole number' delta 's/"bits": [0-9]*/"bits": "100) (Axiom"/'
forge 'bits is no whole number' delta 's/"bits": [0-9]*/"bits": 0/'
forge 'bits is no whole number' delta 's/"bits": [0-9]*/"bits": 10000000000/'
forge 'a number of a window' delta 's/\[\[9, /[[-9, /'
forge 'a number of a window' delta 's/\[\[9, /[["9", /'
forge 'no list of 6' delta 's/\[\[9, /[[9, 9, /'
forge 'no list of 2' delta 's/"windows": \[\(\[[^]]*\]\)/"windows": [\1, \1/'
forge 'hints has a member "top"' delta 's/"windows"/"top"/'
forge 'no list of 1' delta 's/^"hints": \[\(.*\)\]/"hints": [\1, \1]/'
forge 'no list of 1' epsilon 's/^"lo": .*/"lo": null,/'
forge 'a block' weak 's/\[1\]\]/[true]]/'
forge 'no list of 5' weak 's/\[0, /[/'
forge 'a number of a row' weak 's/\[0, /[[], /'
forge 'no hexadecimal number' rounds 's/"trim": "0x/"trim": "Admitted0x/'
forge 'no hexadecimal number' rounds 's/"ratios": \["0x\([0-9a-f]*\)"/"ratios": ["0x\1\\n"/'
forge 'no hexadecimal number' rounds 's/"0x[0-9a-f]*"\]/1]/'
forge 'log2_step' rounds 's/"log2_step": -\{0,1\}[0-9]*/"log2_step": 100000/'
forge 'too many grids' rounds 's/^"grids": \[/"grids": []}/; /^ {/,$d'
printf '{"hints": %s\n' "$(printf '%20000s' '' | tr ' ' '[')" >"$work/forged"
not_data 'not JSON' delta
printf '\377{}' >"$work/forged"
not_data 'not JSON' delta
printf '[]' >"$work/forged"
not_data 'no JSON object' delta
rm "$work/forged"
not_data 'cannot be read' delta

# more than the users give reason for, which Coq would not end with
large='is no whole number from 0 to 11'
forge "a number of a window $large" delta 's/\[\[9, /[[18446744073709551615, /'
forge "a number of a window $large" delta 's/, 9, 2\], \[/, 18446744073709551615, 2], [/'
forge 'the climb of a window is no whole number' delta 's/, 9, 2\], \[/, 9, 1000003], [/'
forge 'a number of a row is no whole number from 0 to 7' weak 's/\[0, /[8, /'
forge 'a block is no whole number from 0 to 7' weak 's/\[1\]\]/[1000000]]/'
forge 'top is no whole number from 0 to 7' weak 's/"top": [0-9]*/"top": 1000000/'
forge 'bits is no whole number' delta 's/"bits": [0-9]*/"bits": 25001/'
forge 'unit is no whole number' rounds 's/"unit": [0-9]*/"unit": 100000000/'
forge 'has more than 6350 digits' rounds "s/\"trim\": \"0x/&$(printf '%6400s' '' | tr ' ' f)/"
forge 'has more than 30 digits' delta "s/\"bits\": [0-9]*/\"bits\": $(printf '%1000s' '' | tr ' ' 9)/"
forge 'hi is larger than 2$' delta 's/^"hi": .*/"hi": "1e400",/'
forge 'hi is larger than 2000000$' epsilon 's/^"hi": .*/"hi": "1e400",/'
forge 'eps0 is larger than 1000000' delta 's/"eps0":"1"/"eps0":"1e400"/'
forge 'eps is larger than 1000000' delta 's/"eps":"0.3"/"eps":"1000000.5"/'
forge 'rounds is no whole number from 1 to 1000000000$' rounds 's/"rounds":2/"rounds":1000000001/'
forge 'users is no whole number' delta 's/"users":"10"/"users":"1e99"/'
forge 'sags are more than 8192' rounds "s/\"sags\": \[/&$(printf '%8192s' '' | sed 's/ /"0x1", /g')/"
for asked in 'eps0 is larger/"eps0": "1"/"eps0": "1e400"' 'eps is larger/"eps": "0.3"/"eps": "-1e7"' 'users is no whole number/"users": 10/"users": "1e40"'; do
    sed "s/${asked#*/}/" "$work/delta.question" >"$work/asked"
    cp "$work/delta.json" "$work/forged"
    not_data "${asked%%/*}" delta "$work/asked"
done
# data that do not exist: a third value of two
sed 's/"type": "krr-same", "k": 4/"type": "krr-third", "k": 2/' "$work/delta.question" >"$work/asked"
sed 's/"type":"krr-same","k":"4"/"type":"krr-third","k":"2"/' "$work/delta.json" >"$work/forged"
not_data 'k of krr-third is at least 3' delta "$work/asked"
# so many strata for users that would allow them
sed 's/"users": 10/"users": "1e19"/' "$work/delta.question" >"$work/asked"
sed 's/"users":"10"/"users":"1e19"/; s/\[\[9, /[[10000000000000000000, /' "$work/delta.json" >"$work/forged"
not_data 'more than 8388608 strata' delta "$work/asked"

# about something else than what was asked: the certificate's question, whatever its hints are
another='about another question'
forge "$another" delta 's/"users":"10"/"users":"11"/'
forge "$another" delta 's/"eps0":"1"/"eps0":"1.0000000000000000000000001"/'
forge "$another" delta 's/"eps":"0.3"/"eps":"log(2)"/'
forge "$another" delta 's/"k":"4"/"k":"5"/'
forge "$another" delta 's/krr-same/krr-third/'
forge "$another" delta 's/"rounds":1/"direction":"pq"/'
forge "$another" epsilon 's/"delta":"1e-2"/"delta":"1e-3"/'
forge "$another" rounds 's/"rounds":2/"rounds":3/'
forge 'has a member "id"' delta 's/"rounds":1/"id":"Add LoadPath"/'
forge 'another "neighbours"' delta 's/"neighbours":"replace"/"neighbours":"remove"/'
forge 'not one of' delta 's/"type":"krr-same"/"type":"KrrSame 1 1 (Rational 0)"/'
forge 'eps is no number' delta 's/"eps":"0.3"/"eps":"0.3) (Rational 1"/'
forge 'eps is the logarithm' delta 's/"eps":"0.3"/"eps":"log(0)"/'
forge 'has a member "sample"' delta 's/"rounds":1/"sample":{"scheme":"fixed","rate":"1\/2"}/'
# and the question itself: nothing is certified of what cannot be
for asked in 'at_least/"users": {"at_least": 10}' 'another "via"/"users": 10, "via": "renyi"' 'rounds is no whole number/"users": 10, "rounds": [{}]' \
    'has a member "fast"/"users": 10, "fast": true' 'has no member "users"/"digits": 6'; do
    sed "s/\"users\": 10/${asked#*/}/" "$work/delta.question" >"$work/asked"
    cp "$work/delta.json" "$work/forged"
    case $asked in at_least*) pattern='users is no whole number' ;; *) pattern=${asked%%/*} ;; esac
    not_data "$pattern" delta "$work/asked"
done
# of the same question in other words
printf '{"note": "Axiom", "ask": {"eps": "0x3p0/10", "quantity": "delta"}, "direction": "both", "users": "0.1e2", "digits": 3, "pair": {"eps0": "log(1)", "type": "krr-same", "k": 4}}' |
    sed 's/log(1)/10e-1/' >"$work/asked"
"$source/proofs/verify" --print "$work/asked" "$work/delta.json" >/dev/null || fail "the same question in other words is refused"

# as doc/manual/certificate.md and trusted.md say
[ "$(cat "$source/proofs/verify" "$source/proofs/statement.py" "$source/proofs/development.py" | wc -l)" -lt 1000 ] || fail "verify has a thousand lines"

[ "$forgeries" -ge 80 ] || fail "only $forgeries forgeries"
echo "$forgeries forgeries, of which $(gate_or_all "one in six was" "all were") tried, are refused"
finish
