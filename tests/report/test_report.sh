#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Reports of an audit, from the command line: what they say in three formats, hostile names, --date, no path and no clock.
# shellcheck disable=SC2016,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"

# says FILE TEXT, silent FILE TEXT: one line with it, no line
says() {
    grep -qF -e "$2" "$work/$1" || fail "$1 lacks: $2"
}
silent() {
    if grep -qF -e "$2" "$work/$1"; then fail "$1 has: $2"; fi
}

mkdir "$work/a place" "$work/b"
cat >"$work/a place/claims one.json" <<'END'
[{"id":"rappor","source":"s","mechanism":{"type":"rappor","eps0":"2"},"users":"100","claim":{"eps":"3.5","delta":"1e-6"},"effort":"1000000"},
 {"id":"rappor-replaced","source":"s","mechanism":{"type":"rappor","eps0":"2","local":"replace"},"users":"100","claim":{"eps":"2","delta":"1e-6"},"effort":"1000000"},
 {"id":"deleted","source":"s","mechanism":{"type":"ldp","eps0":"log(3)","local":"delete"},"users":"100","sample":{"scheme":"fixed","rate":"1/10"},"rounds":2,"claim":{"eps":"9","delta":"0"},"effort":"1000000"},
 {"id":"parts","source":"s","rounds":[{"mechanism":{"type":"product","parts":[{"type":"rappor","eps0":"1","k":2},{"type":"krr","k":2,"eps0":"1"}]},"users":9}],"claim":{"eps":"9","delta":"0"},"effort":"1000000"},
 {"id":"coins","source":"s","mechanism":{"type":"binomial-noise","coins":5},"claim":{"eps":"5","delta":"1e-6"}},
 {"id":"order","source":"s","mechanism":{"type":"ldp","eps0":"1"},"users":"100","claim":{"order":"2","renyi":"0.5"},"effort":"1000000"},
 {"id":"gdp","source":"s","mechanism":{"type":"ldp","eps0":"1"},"users":"100","claim":{"mu":"1/10","eps":["1/10","1/5"]},"effort":"1000000"},
 {"id":"$x_{1}$ \\input{a} %&#~^ <b>*b*</b> [l](http://x) `c` | \u001b[31m\n# h\n\n- 1. www.x.org \u03b5\u4e2d\u00e9","source":"*s*","mechanism":{"type":"krr","k":3,"eps0":"1","name":"\\end{document}"},"users":"9","claim":{"eps":"1","delta":"0"}}]
END
audit() {
    "$program" audit --html "$work/$1.html" --markdown "$work/$1.md" --latex "$work/$1.tex" "$2" ${3:+"$3" "$4"} >"$work/out" 2>"$work/err"
    status=$?
    [ $status -le 2 ] && [ ! -s "$work/err" ] || fail "audit: exit $status, $(cat "$work/err")"
}
audit one "$work/a place/claims one.json"

# the same bytes from another folder, on another day, under another name of the report; no path of this machine
cp "$work/a place/claims one.json" "$work/b"
(work=$work/b; TZ=Pacific/Kiritimati; export TZ; audit two "$work/claims one.json")
for format in html md tex; do
    cmp "$work/one.$format" "$work/b/two.$format" || fail "the .$format of the same claims differs"
    silent one.$format "$work"
    silent one.$format "a place"
    silent one.$format "$(date +%Y-%m)"
done
[ -z "$(find "$work" -name '.shufbound-*')" ] || fail "a temporary file is left behind"
says one.html "shufbound audit &#39;claims one.json&#39;"
says one.md "shufbound audit 'claims one.json'"
says one.tex "shufbound audit '{}claims one.json'{}"

# whose eps0, and what it is for the other notion; of parts too
says one.html 'rappor, eps0 = 2 (for deleting a value; 4 for replacing one)'
says one.html 'rappor, eps0 = 1 (for deleting a value; 2 for replacing one)'
says one.html 'ldp, eps0 = log(3) (for deleting a value; at most log(9) for replacing one)'
says one.html 'eps0 = 1 (for deleting a value; 2 for replacing one)), (krr, k = 2, eps0 = 1 (for replacing a value))'
says one.html 'ldp, eps0 = 1 (for replacing a value)'
"$program" epsilon --pair clones-deletion --eps0 1/2 --n 100 --delta 1e-6 | tr '\n' ' ' | tr -s ' ' >"$work/pair"
says pair 'eps0 = 1/2 (for deleting a value; at most 1 for replacing'

# the claim in words; both ends, where one is none
says one.md 'is at most e^eps times that under the other, plus delta, where eps = 3.5 and delta = 1e-6'
says one.md 'the Renyi divergence of order 2 is at most 0.5'
says one.md 'For each eps from 1/10 to 1/5, delta is at most that of two normal laws of variance 1 whose means differ by 1/10'
says one.md '| coins | REFUTED | (5, 1e-6) | none | infinite |'
says one.md '- **Every epsilon refuted below:** infinite, by '

# boxes for what is assumed and what is asked, by what the claim is about; lines to sign
grep -c -F '<li><label><input type="checkbox">' "$work/one.html" >"$work/boxes"
for pair in 'md -\ \[\ \]' 'tex \\item\[\\fbox'; do
    [ "$(grep -c -e "^${pair#* }" "$work/one.${pair%% *}")" = "$(cat "$work/boxes")" ] || fail "boxes of .${pair%% *}"
done
says one.md '- [ ] in each round a new secret sample (fixed) of rate 1/10'
says one.md '- [ ] Does nobody learn whom a round samples'
says one.md '- [ ] reports are independent and shuffled'
[ "$(grep -c 'whom a round samples' "$work/one.md")" = 1 ] || fail "a sample is asked about where there is none"
[ "$(grep -c 'Is eps0 of the notion' "$work/one.md")" = 7 ] || fail "eps0 is asked about where there is none, or not where there is"
[ "$(grep -c '^Name and signature: ' "$work/one.md")" = 8 ] || fail "eight claims, eight signatures"

# theorems, once each, with their conditions
says one.md '### clones-deletion'
says one.md '- **Conditions:** deletion eps0-LDP, the law R\_0 may depend on the place and on the reports before'
[ "$(grep -c '^### clones$' "$work/one.md")" = 1 ] || fail "a theorem is stated twice, or not at all"

# the hash is that of the question in --json
"$program" audit --json "$work/a place/claims one.json" >"$work/json"
hash=$(sed -n '1s/.*"question":\({.*}\),"quantity".*/\1/p' "$work/json" | tr -d '\n' | sha256sum | cut -d ' ' -f 1)
says one.md "- **SHA-256 of the question:** $hash"

# hostile names: escaped in each format; in LaTeX no command but the report's own, in Markdown no markup but the report's own
says one.html '$x_{1}$ \input{a} %&amp;#~^ &lt;b&gt;*b*&lt;/b&gt; [l](http://x) `c` | \u001b[31m # h  - 1. www.x.org'
says one.md '## CERTIFIED \$x\_\{1\}\$ \\input\{a\} %\&\#\~^ \<b\>\*b\*\</b\> \[l\](http:\//x) \`c\` \| \\u001b\[31m \# h - 1. www\.x.org'
says one.tex '{\char36}x\_\{1\}{\char36} \textbackslash{}input\{a\}'
says one.tex '\%\&\#\textasciitilde{}\textasciicircum{}'
says one.tex '$\varepsilon${[}U+4E2D{]}'
LC_ALL=C grep -q "$(printf '[\001-\011\013-\037\177]')" "$work/one.md" "$work/one.tex" && fail "control characters in a report"
[ "$(grep -o '\\[a-zA-Z]*' "$work/one.tex" | sort -u | tr '\n' ' ' | tr -s ' ')" = "$(grep -o '\\[a-zA-Z]*' <<'END' | sort -u | tr '\n' ' ' | tr -s ' '
\ \LARGE \allowbreak \arraybackslash \begin \bigskip \char \dimexpr \documentclass \emergencystretch \end \endhead \fbox \hline \hrulefill \item
\linewidth \mbox \parindent \parskip \quad \raggedright \rule \section \setlength \subsection \tabcolsep \textasciicircum \textasciitilde
\textbackslash \textbar \textgreater \textless \usepackage \varepsilon
END
)" ] || fail "commands of LaTeX: $(grep -o '\\[a-zA-Z]*' "$work/one.tex" | sort -u | tr '\n' ' ')"
# braces and environments in pairs
tr -d '\n' <"$work/one.tex" | sed 's/\\[{}]//g' | tr -cd '{}' | sed -e ':a' -e 's/{}//g' -e 'ta' | grep -q . && fail "braces of LaTeX"
[ "$(grep -o '\\begin{[a-z]*}' "$work/one.tex" | sed 's/begin//' | sort | uniq -c)" = "$(grep -o '\\end{[a-z]*}' "$work/one.tex" | sed 's/end//' | sort | uniq -c)" ] \
    || fail "environments of LaTeX"
if command -v pdflatex >/dev/null; then
    (cd "$work" && pdflatex -interaction=nonstopmode -halt-on-error one.tex >tex.log) || {
        fail "LaTeX does not take the report"
        grep -A 3 '^!' "$work/tex.log" >&2
    }
fi

# --date: on the report as it is given; a day that there is
echo '[{"id":"y","source":"s","mechanism":{"type":"ldp","eps0":"1"},"users":"10","claim":{"eps":"1","delta":"0"},"effort":"1000000"}]' >"$work/good.json"

audit dated "$work/good.json" --date 2024-02-29
says dated.html '<dt>Date</dt><dd>2024-02-29</dd>'
says dated.md '- **Date:** 2024-02-29'
says dated.tex '\item[Date:] 2024\mbox{-}02\mbox{-}29'
for date in 2023-02-29 2100-02-29 2024-13-01 2024-00-10 2024-04-31 2024-1-1 24-01-01 2024/01/01 '2024-01-01 ' '' ' 024-01-01' 2024-01-1x 0000-01-01 today; do
    expect 64 '^shufbound: --date is ".*": a day of the calendar as YYYY-MM-DD is allowed' audit --date "$date" --html "$work/none.html" "$work/good.json"
done
expect 64 'date goes with' audit --date 2024-01-01 "$work/good.json"
check "no report after a refusal" [ ! -e "$work/none.html" ]

# the curve says no less than the verdict's ends, and delta falls with eps
cat >"$work/wide.json" <<'END'
[{"id":"wide","source":"x","mechanism":{"type":"product","parts":[{"type":"rr2","eps0":"1"},{"type":"rr2","eps0":"1"},{"type":"rr2","eps0":"1"}]},
  "users":20000,"rounds":8,"effort":"5e8","digits":3,"claim":{"eps":"0.3","delta":"1e-6"}}]
END
"$program" audit --markdown "$work/wide.md" "$work/wide.json" >"$work/out"
check "equal parts are said once" grep -q 'parts 3 times (krr, k = 2' "$work/wide.md"
awk 'FNR == NR { if ($1 == "UNDECIDED") { high = $5; low = $6 } next }
     /^\| eps \|/ { on = 1 } on && /^\| [0-9]/ { split($0, cell, " *\\| *"); rows++
         if (cell[2] > high + 0 && cell[3] > 1e-6 || cell[2] < low + 0 && cell[4] < 1e-6 || rows > 1 && (cell[3] > above || cell[4] > below)) bad = 1
         above = cell[3]; below = cell[4] }
     END { exit bad || rows != 9 || high + 0 == 0 || low + 0 == 0 }' "$work/out" "$work/wide.md" || fail "the curve says less than the ends: $(cat "$work/out")"

# one that cannot be written: none is, and no temporary file stays
expect 73 'latex' audit --html "$work/none.html" --latex "$work/no/page.tex" "$work/good.json"
check "no report beside one that cannot be written" [ ! -e "$work/none.html" ]
echo old >"$work/kept.md"
(trap '' XFSZ; ulimit -f 1; "$program" audit --markdown "$work/kept.md" "$work/good.json" >/dev/null 2>&1)
[ $? = 73 ] && [ "$(cat "$work/kept.md")" = old ] || fail "a full disk must leave the old report"
[ -z "$(find "$work" -name '.shufbound-*')" ] || fail "a temporary file is left behind"
finish
