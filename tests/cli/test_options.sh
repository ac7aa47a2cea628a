#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Options: what is refused, with one line that says what is wrong with what; and the help.
# shellcheck disable=SC2086,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"

expect 64 '\-\-type1 does not go with delta' delta $small --eps 1 --type1 0.1
expect 64 'unknown option --foo' delta --foo
expect 64 '\-\-eps is missing' delta $clones
expect 64 '\-\-eps is "abc"' delta $clones --eps abc
expect 64 '\-\-eps is -1: between 0 and' delta $clones --eps=-1
expect 64 '\-\-n is 1.5: a whole number from 1 to 1e18 is allowed' delta --pair clones --n 1.5 --eps0 1 --eps 0.1
expect 64 '\-\-n is 1e19: a whole number from 1 to 1e18 is allowed' delta --pair clones --n 1e19 --eps0 1 --eps 0.1
expect 64 '\-\-pair is "nope": clones, clones-stronger, ' delta --pair nope --n 10 --eps0 1 --eps 0.1
expect 64 '\-\-gamma does not go with --pair clones' delta $clones --gamma 1/4 --eps 0.1
expect 64 '\-\-gamma is 2: between 0 and 1' delta --pair krr-weak --n 10 --k 3 --gamma 2 --eps 0.1
expect 64 '\-\-k is 2: a whole number from 3 to 1e9 is allowed' delta --pair krr-third --n 10 --k 2 --eps0 1 --eps 0.1
expect 64 '\-\-digits is 0: a whole number from 1 to 1000 is allowed' delta $clones --eps 0.5 --digits 0
expect 64 'unexpected argument' delta $clones --eps 0.5 extra
expect 64 '\-\-threads is "0": a whole number from 1 to 256 is allowed' delta $clones --eps 0.5 --threads 0
expect 64 'unknown command "nope"' nope
expect 64 '\-\-delta is 1.1' epsilon $clones --delta 1.1
expect 64 '\-\-k is missing' delta --pair krr-weak --n 10 --gamma 1/2 --eps 0.1

# nothing is dropped silently
expect 64 '\-\-eps0 is given twice' delta --pair clones --n 10 --eps0 1 --eps0 2 --eps 0.1
expect 64 '\-\-pair is given twice' delta --pair clones --pair rr2 --n 10 --eps0 1 --eps 0.1
expect 64 '\-\-users is given twice\|\-\-n is given twice' delta --pair clones --n 10 --users 10 --eps0 1 --eps 0.1
expect 64 '\-\-json is given twice' delta $small --eps 0.1 --json --json
expect 64 '\-\-explain does not go with --json' delta $small --eps 0.1 --json --explain
expect 64 'NAME.svg, is allowed' curve $small --eps 0:1:4 --plot "$work/d.png"

# users are everyone, by options and in a claim: the same question has the same ends
echo '{"mechanism":{"type":"ldp","eps0":"1"},"users":"20000","sample":{"scheme":"fixed","rate":"1/10"},"rounds":3,"ask":{"quantity":"epsilon","delta":"1e-6"},"digits":3}' >"$work/asked.jsonl"
echo '[{"id":"a","source":"s","mechanism":{"type":"ldp","eps0":"1"},"users":"20000","sample":{"scheme":"fixed","rate":"1/10"},"rounds":3,"claim":{"eps":"5","delta":"1e-6"},"digits":3}]' >"$work/claimed.json"
echo '{"type":"ldp","eps0":"1"}' >"$work/class.json"
"$program" epsilon --mechanism "$work/class.json" --n 20000 --subsample 1/10 --rounds 3 --delta 1e-6 --digits 3 --json >"$work/option"
"$program" ask "$work/asked.jsonl" >"$work/ask"
"$program" audit --json "$work/claimed.json" >"$work/audit"
upper() { sed -n 's/.*"upper":{[^}]*"hi":"\([^"]*\)".*/\1/p' "$1"; }
check "an upper end" [ -n "$(upper "$work/option")" ]
check "options and ask" [ "$(upper "$work/option")" = "$(upper "$work/ask")" ]
check "options and audit" [ "$(upper "$work/option")" = "$(upper "$work/audit")" ]

# arrives MEMBERS ARGS...: these options are in the question
arrives() {
    members=$1
    shift
    expect 0 "\"question\":.*$members.*\"version\"" delta --mechanism "$work/class.json" --n 1000 --digits 2 --json "$@"
}
arrives '"users":{"at_least":"1000"}' --at-least --eps 0.2
arrives '"honest":"1/2"' --honest 1/2 --eps 0.2
arrives '"reports_per_user":"2"' --reports-per-user 2 --eps 0.2
arrives '"sample":{"scheme":"poisson","rate":"1/10"}' --subsample 1/10 --scheme poisson --eps 0.02
arrives '"rounds":2.*"via":"strong-composition"' --rounds 2 --via strong-composition --eps 0.2
arrives '"effort":"high"' --effort high --eps 0.2

for command in delta curve audit ask bound vectors; do
    "$program" $command --help >"$work/$command.help"
    check "$command --help" grep -q "^usage: shufbound $command " "$work/$command.help"
done
check "--help differs by command" [ "$(cat "$work"/*.help | grep -c '^usage:')" = 6 ]
expect 64 '^shufbound: --eps0 does not go with --mechanism' epsilon --mechanism "${srcdir:-.}/doc/mechanisms/krr.json" --n 10 --delta 0.1 --eps0 1
# the best of several runs
expect 64 '^shufbound: --runs goes with --best-of$' dpsgd --noise-multiplier 2 --sampling-rate 1/100 --steps 10 --eps 1 --runs poisson
expect 64 '^shufbound: --shape goes with --runs negative-binomial$' dpsgd --noise-multiplier 2 --sampling-rate 1/100 --steps 10 --eps 1 --best-of 3 --shape 2
expect 64 '^shufbound: --best-of goes with a --mechanism' delta --pair clones --n 100 --eps0 1 --eps 1 --best-of 3
"$program" noise --noise gaussian --scale 2 --delta 1e-6 --best-of 10 --json --digits 3 >"$work/out" 2>&1 && grep -q '"selection":{"mean":"10","runs":"geometric"}' "$work/out" ||
    fail "--best-of: $(cat "$work/out")"

finish
