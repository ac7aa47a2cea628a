#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The program as a user meets it: results, messages, exit statuses, files.
program=${SHUFBOUND:-./shufbound}
claims=${srcdir:-.}/doc/claims
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

# expect STATUS PATTERN ARGS...: the exit status, and a pattern in stdout or stderr
expect() {
    status=$1 pattern=$2
    shift 2
    "$program" "$@" >"$work/out" 2>"$work/err"
    got=$?
    if [ $got != "$status" ] || ! cat "$work/out" "$work/err" | grep -qe "$pattern"; then
        echo "FAIL: shufbound $*: exit $got (expected $status), wanted /$pattern/" >&2
        cat "$work/out" "$work/err" >&2
        failures=$((failures + 1))
    fi
    # an error is one line on stderr and nothing on stdout
    if [ "$status" -ge 64 ] && { [ -s "$work/out" ] || [ "$(wc -l <"$work/err")" != 1 ]; }; then
        echo "FAIL: shufbound $*: an error must be one line on stderr alone" >&2
        failures=$((failures + 1))
    fi
    if grep -iqwe 'nan' -e 'inf' "$work/out"; then
        echo "FAIL: shufbound $* printed a NaN or an infinity" >&2
        failures=$((failures + 1))
    fi
}

clones="--pair clones --n 10000 --eps0 4"
# shellcheck disable=SC2086
{
expect 0 'delta in \[1\.455259035514423.e-5, 1\.455259035514423.e-5\]' delta $clones --eps 0.5
expect 0 '"lo":"1\.45525903551442' delta $clones --eps 0.5 --json
expect 0 '"theorem":"clones","status":"proved"' delta $clones --eps 1/2 --json
expect 0 'truncation' delta $clones --eps 0.5 --explain
expect 0 'delta in \[0, 0\]' delta $clones --eps 4
expect 0 'delta in \[1\.4552590355' delta $clones --eps 0.5 --fast
expect 0 'epsilon in \[0\.6009087636' epsilon $clones --delta 1e-6
expect 0 'epsilon in \[0\.60090876' epsilon $clones --delta 1e-6 --fast
expect 0 'epsilon in \[0, 0\]' epsilon $clones --delta 1
expect 0 'epsilon in \[4, 4\]' epsilon $clones --delta 0
expect 3 'no finite epsilon' epsilon --pair krr-strong --n 10 --k 3 --gamma 1/2 --delta 0
expect 0 '0\.018749\|0\.01875' delta --pair krr --others third --n 2 --k 3 --eps0 'log(2)' --eps 'log(1.7)'
expect 0 '0\.0375\|0\.037499' delta --pair krr-same --n 2 --k 3 --eps0 'log(2)' --eps 'log(1.7)'
expect 0 'eps0 in' calibrate --pair clones --n 10000 --eps 0.5 --delta 1e-6 --solve eps0 --digits 4
expect 0 'n in' calibrate --pair clones --eps0 1 --eps 0.5 --delta 1e-6 --solve n
expect 0 'epsilon in \[0\.214025651930837' bound feldman21-3.1 --n 1e4 --eps0 1 --delta 1e-6
expect 64 'outside the region of feldman21-3.1: 0 < delta <= 1, eps0 <=' bound feldman21-3.1 --n 100 --eps0 5 --delta 1e-6
expect 0 'clones-stronger *proved' theorems
expect 0 'status     refuted' theorems variation-ratio-krr
expect 64 'no theorem "nope"' theorems nope
expect 64 'unknown option --foo' delta --foo
expect 64 '\-\-eps is missing' delta $clones
expect 64 '\-\-eps is "abc"' delta $clones --eps abc
expect 64 '\-\-eps is -1: between 0 and' delta $clones --eps=-1
expect 64 '\-\-n is "1.5"' delta --pair clones --n 1.5 --eps0 1 --eps 0.1
expect 64 '\-\-n is "1e19"' delta --pair clones --n 1e19 --eps0 1 --eps 0.1
expect 64 '\-\-pair is nope' delta --pair nope --n 10 --eps0 1 --eps 0.1
expect 64 '\-\-gamma does not go with --pair clones' delta $clones --gamma 1/4 --eps 0.1
expect 64 '\-\-gamma is 2: between 0 and 1' delta --pair krr-weak --n 10 --k 3 --gamma 2 --eps 0.1
expect 64 '\-\-k is 2' delta --pair krr-third --n 10 --k 2 --eps0 1 --eps 0.1
expect 64 '\-\-digits is "0"' delta $clones --eps 0.5 --digits 0
expect 64 'unexpected argument' delta $clones --eps 0.5 extra
expect 64 '\-\-delta is 1.1' epsilon $clones --delta 1.1
expect 65 'cannot open' audit "$work/none.json"
echo '{"id":"x"' >"$work/bad.json"
expect 65 'not JSON' audit "$work/bad.json"
echo '{"id":"y","mechanism":{"type":"ldp","eps0":"1"},"n":"10","claim":{"eps":"1","delta":"0"}}' >"$work/good.json"
expect 0 'CERTIFIED *y' audit "$work/good.json"
expect 0 '"verdict":"CERTIFIED"' audit --json "$work/good.json"
expect 0 'CERTIFIED' audit --html "$work/page.html" "$work/good.json"
expect 73 'html' audit --html "$work/no/page.html" "$work/good.json"
}
grep -q '<svg' "$work/page.html" && grep -q 'CERTIFIED' "$work/page.html" || { echo "FAIL: page.html" >&2; failures=$((failures + 1)); }
[ "$(ls "$work" | grep -c 'page.html')" = 1 ] || { echo "FAIL: temporary file left behind" >&2; failures=$((failures + 1)); }
# shellcheck disable=SC2086
if [ -e /dev/full ]; then
    "$program" delta $clones --eps 0.5 >/dev/full 2>/dev/null
    [ $? = 73 ] || { echo "FAIL: a full disk must be reported" >&2; failures=$((failures + 1)); }
fi
for file in "$claims"/*.json; do
    "$program" audit --json --max-seconds 10 "$file" >"$work/out" 2>"$work/err"
    [ $? -le 2 ] && [ ! -s "$work/err" ] || { echo "FAIL: audit $file" >&2; cat "$work/err" >&2; failures=$((failures + 1)); }
done
[ $failures = 0 ] && echo "ok"
exit $((failures > 0))
