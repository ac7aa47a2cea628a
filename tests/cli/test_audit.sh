#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# audit: verdicts, the table, JSON and HTML, and claims that are refused.
# shellcheck disable=SC2086,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"

expect 65 'cannot open' audit "$work/none.json"
echo '{"id":"x"' >"$work/bad.json"
expect 65 'not JSON' audit "$work/bad.json"
echo '[{"id":"y","source":"s","mechanism":{"type":"ldp","eps0":"1"},"users":"10","claim":{"eps":"1","delta":"0"}}]' >"$work/good.json"
expect 0 'CERTIFIED *y' audit "$work/good.json"
expect 0 '"verdict":"certified"' audit --json "$work/good.json"
expect 0 'CERTIFIED' audit --html "$work/page.html" "$work/good.json"
expect 73 'html' audit --html "$work/no/page.html" "$work/good.json"
check "a curve on the page" grep -q '<svg' "$work/page.html"
check "the curve from above is above that from below" awk '
    BEGIN { lines = 0 }
    /^<path class="s[01] d[01]" d="M-99/ && lines < 2 {
        gsub(/^.*-99|".*/, "")
        gsub(/[ML]/, " ")
        count = split($0, at)
        for (i = 2; i <= count; i += 2) y[lines, i] = at[i] + 0
        lines++
    }
    END {
        for (i = 2; i <= count; i += 2) { wrong += y[0, i] > y[1, i]; apart += y[0, i] < y[1, i] }
        exit wrong || apart < 3
    }' "$work/page.html"
check "a verdict on the page" grep -q 'CERTIFIED' "$work/page.html"
check "no temporary file is left behind" [ "$(ls "$work" | grep -c 'page.html')" = 1 ]

# no field of the table is cut, nor an id or a number of a claim; rows of long names do not run together
cat >"$work/long.json" <<'END'
[{"id":"a-claim-with-a-name-that-is-longer-than-any-column-and-ends-in-one","source":"s","mechanism":{"type":"ldp","eps0":"1"},"users":"1000","claim":{"eps":"1","delta":"1.706815985899899e-06"}},
 {"id":"a-claim-with-a-name-that-is-longer-than-any-column-and-ends-in-two","source":"s","mechanism":{"type":"ldp","eps0":"1"},"users":"1000","claim":{"eps":"1","delta":"1.00000000000000000000e-8"}}]
END
expect 0 '1\.706815985899899e-06' audit "$work/long.json"
expect 0 '1\.00000000000000000000e-8' audit "$work/long.json"
expect 0 'ends-in-one' audit "$work/long.json"
expect 0 'ends-in-two' audit "$work/long.json"

echo '[]' >"$work/empty.json"
expect 65 'an array of at least one claim is allowed' audit "$work/empty.json"
claim='"mechanism":{"type":"ldp","eps0":"1"},"users":"10","claim":{"eps":"1","delta":"0"}'
echo "[{\"id\":\"y\",\"source\":\"s\",$claim},{\"id\":\"y\",\"source\":\"s\",$claim}]" >"$work/twice.json"
expect 65 '"y": this id is taken' audit "$work/twice.json"
echo "{\"id\":\"y\",\"source\":\"s\",$claim}" >"$work/bare.json"
expect 65 'an array of at least one claim is allowed' audit "$work/bare.json"
echo "[{\"id\":\"y\",$claim}]" >"$work/unsourced.json"
expect 65 '"source" is missing' audit "$work/unsourced.json"
echo "[{\"id\":\"y\",\"source\":\"s\",\"rounds\":\"many\",$claim}]" >"$work/many.json"
expect 65 '"rounds" is many: a whole number from 1 to 1e9 is allowed' audit "$work/many.json"

# what a file says is printed with its control characters escaped
printf '[{"id":"\\u001b[2K\\rCERTIFIED  x","source":"s","mechanism":{"type":"ldp","eps0":"4"},"users":"10","claim":{"eps":"0.1","delta":"1e-9"}}]' >"$work/forged.json"
expect 1 'u001b\[2K' audit "$work/forged.json"
check "a forged verdict" [ "$(tr -d '\n -~' <"$work/out" | wc -c)" = 0 ]

# no dash where ask has a number, and as many digits as tell it from the claim
cat >"$work/told.json" <<'END'
[{"id":"coins","source":"s","mechanism":{"type":"binomial-noise","coins":5},"claim":{"eps":"5","delta":"1e-6"}},
 {"id":"pure","source":"s","mechanism":{"type":"matrix","rows":[["15/16","1/16"],["1/16","15/16"]]},"users":3,"claim":{"eps":"log(3)","delta":"0"}},
 {"id":"rounded","source":"s","mechanism":{"type":"krr","k":969,"gamma":"0.0008051"},"users":1,"claim":{"eps":"14","delta":"0"}}]
END
expect 1 'REFUTED *coins .* none *infinite' audit "$work/told.json"
expect 1 'REFUTED *pure .* 2.7081 *2.7079' audit "$work/told.json"
expect 1 'REFUTED *rounded .* 14.000004' audit "$work/told.json"
expect 1 'by rounding only' audit "$work/told.json"

# several mechanisms in one claim, as text, JSON and HTML
cat >"$work/several.json" <<'END'
[{"id": "several", "source": "made up", "users": 500, "effort": 30000000, "claim": {"eps": "2", "delta": "1e-3"}, "rounds": [{"mechanism": {"type": "krr", "k": 3, "eps0": "1"}},
  {"mechanism": {"type": "ldp", "eps0": "1", "local": "delete"}}, {"mechanism": {"type": "rr2", "eps0": "1"}, "users": {"at_least": 500}, "honest": "1/2"}]}]
END
expect 0 'CERTIFIED *several' audit --html "$work/several.html" "$work/several.json"
check "several mechanisms on the page" grep -q '3 different parts' "$work/several.html"
expect 0 '"verdict":"certified"' audit --json "$work/several.json"
for file in "$claims"/*.json; do
    drawn 16 || continue
    "$program" audit --json --max-seconds 0.2 "$file" >"$work/out" 2>"$work/err"
    [ $? -le 2 ] && [ ! -s "$work/err" ] || fail "audit $file: $(cat "$work/err")"
done
"$program" adit "$work/x.json" 2>&1 | grep -q "did you mean audit" || fail "no command is proposed"
# a bound without another end
"$program" audit --explain --effort 1e6 "$claims/gdp.json" "$claims/bits.json" >"$work/out"
check "one end, in words" grep -q '^epsilon at least 0.05$' "$work/out"
check "both ends of mu, whatever the work" grep -q '^mu in \[0.546[0-9]*, 0.6' "$work/out"
check "no interval with an open end" [ "$(grep -c unbounded "$work/out")" = 0 ]
# the file and the claim of a wrong member
echo '[{"id":"a claim","source":"x","mechanism":{"type":"ldp","eps":"1"},"users":9,"claim":{"eps":"1","delta":"0.1"}}]' >"$work/member.json"
"$program" audit "$work/member.json" >"$work/out" 2>"$work/err"
check "a wrong member" [ $? = 65 ]
check "where a wrong member is" grep -q 'member.json: "a claim": unknown member "mechanism.eps": did you mean "eps0"' "$work/err"

finish
