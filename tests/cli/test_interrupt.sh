#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# An interrupt leaves what is finished.
# shellcheck disable=SC2086,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"

# an interrupt leaves what is finished
if timeout --preserve-status -k 60 -s INT 5 true 2>/dev/null; then
    timeout --preserve-status -k 60 -s INT 1 "$program" delta $clones --eps 0.3 --rounds 4 --digits 12 --effort high --explain >"$work/out"
    check "status of an interrupted delta" [ $? = 130 ]
    check "interrupted delta" awk '
        / in \[/ && !seen++ { sub(/.* in \[/, ""); sub(/\]/, ""); split($0, x, ", "); ok = x[1] <= 0.02494733 && x[2] >= 0.02494731 }
        END { exit !ok }' "$work/out"
    timeout --preserve-status -k 60 -s INT 1 "$program" epsilon $clones --delta 1e-5 --rounds 4 --digits 12 --effort high >"$work/out"
    check "status of an interrupted epsilon" [ $? = 130 ]
    check "interrupted epsilon" grep -q '^epsilon <= [0-9.]* ' "$work/out"
    check "an interrupted epsilon says so" grep -q 'cut short' "$work/out"
    sed '/"digits": 2,/d' "$claims/koskela-composed.json" >"$work/slow.json"
    timeout --preserve-status -k 60 -s INT 1 "$program" audit "$work/slow.json" >"$work/out" 2>"$work/err"
    check "status of an interrupted audit" [ $? = 130 ]
    check "message of an interrupted audit" grep -q 'interrupted after [0-9]* of 20 claims' "$work/err"
    # SIGTERM, too; the claim that was cut has a row, and the page is whole and says so
    cat >"$work/two.json" <<'END'
[{"id":"short","source":"x","mechanism":{"type":"ldp","eps0":"1"},"users":1000,"claim":{"eps":"1","delta":"1e-3"}},
 {"id":"long","source":"x","mechanism":{"type":"ldp","eps0":"4"},"users":10000,"rounds":4,"digits":12,"effort":"high","claim":{"eps":"0.3","delta":"0.0249473"}}]
END
    for signal in INT TERM; do
        drawn 2 || continue
        timeout --preserve-status -k 60 -s $signal 2 "$program" audit --html "$work/page.html" "$work/two.json" >"$work/out" 2>"$work/err"
        check "$signal: status of audit" [ $? = 130 ]
        check "$signal: what is finished" grep -q '^CERTIFIED *short' "$work/out"
        check "$signal: it says so" grep -q '^INCOMPLETE: interrupted after 1 of 2 claims' "$work/out"
        check "$signal: the page says so" grep -q 'INCOMPLETE: interrupted after 1 of 2 claims' "$work/page.html"
        check "$signal: the page is whole" [ "$(tail -n 1 "$work/page.html")" = '</html>' ]
        check "$signal: nothing is left behind" [ -z "$(find "$work" -name '.shufbound-*')" ]
        rm -f "$work/page.html"
        timeout --preserve-status -k 60 -s $signal 2 "$program" audit --json "$work/two.json" >"$work/out" 2>"$work/err"
        check "$signal: status of audit --json" [ $? = 130 ]
        check "$signal: JSON of what is finished" grep -q '"id":"short".*"complete":true' "$work/out"
    done
    question='{"pair":{"type":"clones","eps0":"4"},"users":"10000","rounds":4,"ask":{"quantity":"delta","eps":"0.3"},"digits":12,"effort":"high"}'
    printf '%s\n%s\n' "$question" "$question" >"$work/long.jsonl"
    timeout --preserve-status -k 60 -s INT 1 "$program" ask "$work/long.jsonl" >"$work/out" 2>"$work/err"
    check "status of an interrupted ask" [ $? = 130 ]
    check "answer of an interrupted ask" grep -q '"complete":false' "$work/out"
    timeout --preserve-status -k 60 -s INT 2 "$program" curve $small --eps 0:1:10000 --rounds 4 --digits 3 >"$work/rows" 2>"$work/err"
    check "status of an interrupted curve" [ $? = 130 ]
    check "message of an interrupted curve" grep -q 'interrupted after [1-9][0-9]* of 10000 points' "$work/err"
    check "rows of an interrupted curve" awk -F, '/^#/ { next } NF != 3 || $3 == "" { bad = 1 } { rows++ } END { exit bad || rows < 2 }' "$work/rows"
fi
finish
