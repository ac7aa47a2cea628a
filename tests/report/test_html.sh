#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The page of an audit and pictures of curves, as text and as Chromium shows them; the hash of inputs; CSV and JSON. What reports say: test_report.sh.
. "${srcdir:-.}/tests/check.sh"
render=tests/report/render

# has FILE TEXT, lacks FILE TEXT: anywhere
has() {
    grep -qF -e "$2" "$work/$1" || fail "$1 lacks: $2"
}
lacks() {
    if grep -qiF -e "$2" "$work/$1"; then fail "$1 has: $2"; fi
}

command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
python3 "$source/tests/report/answers.py" >"$work/answers" || exit 1

# the hash of an input is that of sha256sum
inputs=
for length in 0 1 1000; do
    head -c $length /dev/zero | tr '\0' x >"$work/input$length"
    inputs="$inputs $work/input$length"
done
# shellcheck disable=SC2086
$render html $inputs <"$work/answers" >"$work/page.html" || exit 1
# shellcheck disable=SC2086
for hash in $(sha256sum $inputs | cut -d ' ' -f 1); do
    has page.html "SHA-256 $hash"
done

has page.html "<title>Audit of the privacy claims in $work/input0 and 2 more</title>"
has page.html '<a href="#claim-1">apple-clones-numerical</a>'
has page.html '13 claims: 3 certified, 1 refuted, 2 undecided, 1 error'
has page.html '<meta name="viewport" content="width=device-width, initial-scale=1">'
has page.html '<td data-label="Certified at"><span class="n">0.118161</span></td><td data-label="Refuted to"><span class="n">0.11702</span></td></tr>'
has page.html '<td data-label="Side"><span class="n">lower</span></td><td data-label="epsilon"><span class="n">[0.836568, 0.837]</span></td>'
has page.html '<dt>Assuming</dt><dd>ldp, eps0 = 4 (for replacing a value); at least 1001 users; reports are independent and shuffled</dd>'
has page.html '30 rounds, each with fresh randomness; in each round a new secret sample (fixed) of rate 1/10; neighbours replace one user&#39;s value'
has page.html '<dt>Program</dt><dd>shufbound 0.1.0</dd>'
has page.html 'effort high; a clock of 5 seconds'
has page.html '<dt>Data of the lower bound</dt><dd>10 users hold 0; against: 9 users hold 0, 1 user holds 1; mechanism: krr, k = 10, eps0 = log(3)'
has page.html '<dt>Smallest epsilon certified</dt><dd>0.118161, by clones-stronger (proved on paper)</dd>'
has page.html 'INCOMPLETE: cut short by the clock, another run may differ'
has page.html '\u001b[2K CERTIFIED  x\u202e&lt;script&gt;alert(1)&lt;/script&gt;'
has page.html '&lt;/blockquote&gt;&lt;img src=x&gt; second line'
has page.html 'unknown member &quot;epss\u001b&quot;'
for bad in '<script' '<img' '<i>' 'href="http' 'url(http' '@import' '>nan' '>inf' 'NaN'; do
    lacks page.html "$bad"
done

# curves of answers
grep -e '"quantity": "delta"' "$work/answers" >"$work/deltas"
$render csv <"$work/deltas" >"$work/csv"
printf '%s\n' 'users,all_lo,all_hi,"a ""quoted"", label_lo","a ""quoted"", label_hi"' \
    '1,1.4552590355144235e-5,1.4552590355144237e-5,,' '2,7.2301805557e-6,6.6183426297e-5,,' | cmp - "$work/csv" || fail "the CSV of a curve"
$render rows <"$work/deltas" >"$work/rows"
has rows '{"users":"2","all":{"lo":"7.2301805557e-6","hi":"6.6183426297e-5"},"a \"quoted\", label":{"lo":null,"hi":null}}'
$render json <"$work/answers" >"$work/json"
[ "$(wc -l <"$work/json")" = "$(wc -l <"$work/answers")" ] || fail "one line for each answer"
python3 - "$work/json" "$work/answers" <<'END' || fail "JSON lines: the same objects, members in the same order"
import json, sys
a, b = ([json.loads(line, object_pairs_hook=list) for line in open(name, encoding="utf-8")] for name in sys.argv[1:])
sys.exit(a != b)
END
$render svg <"$work/deltas" >"$work/curve.svg"
has curve.svg 'all'
python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$work/curve.svg" || fail "the picture is not XML"
[ $failures = 0 ] || exit 1

browser=$(command -v chromium || command -v chromium-browser) || { echo "skipped: no chromium to look at the page"; exit 77; }
for page in page.html curve.svg; do
    timeout 120 python3 "$source/tests/report/browser.py" "$browser" "$work/$page" ${SHUFBOUND_SCREENSHOTS:+"$SHUFBOUND_SCREENSHOTS"}
    status=$?
    [ $status != 77 ] || exit 77
    [ $status = 0 ] || failures=$((failures + 1))
done
finish
