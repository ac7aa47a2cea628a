#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# curve: tables and pictures.
# shellcheck disable=SC2086,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"
case $program in */*) program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program") ;; esac

# curves
expect 0 '^order,clones_lo,clones_hi,girgis21-3.1_lo,girgis21-3.1_hi$' curve $small --order 2:8:3 --log girgis21-3.1
expect 0 '^4,0.0046467' curve $small --order 2:8:3 --log
expect 0 '^2,0.0116166[^,]*,[^,]*,0.0294284782' curve $small --order 2:4:3 --rounds 5 girgis21-3.1
expect 0 '^1/3,' curve $small --eps 0:1:4 --digits 4
expect 0 '^0.3,' curve $small --eps 0:1:11 --digits 4
expect 0 '^1e-7,' curve $small --delta 1e-10:1e-1:4 --log --digits 4
expect 0 '^0.1,[^,]*,[^,]*,,$' curve --pair krr-weak --n 1000 --k 3 --gamma 1/2 --eps 0.1:0.5:2 --digits 4 feldman21-4.2
expect 0 '^2,,$' curve $krr --order 2:3:2
expect 0 '^1e-5,,$' curve $krr --delta 1e-5:1e-1:2 --log --digits 4
expect 0 'note: chen24-cor2 is refuted: not a bound' curve $small --order 2:3:2 chen24-cor2
expect 0 '^1.5,0.00018[0-9]*,0.0001[89]' curve --mechanism "${srcdir:-.}/doc/mechanisms/krr.json" --n 100 --eps0 1:2:3 --eps 0.5 --digits 2
expect 3 '^0.2,2.0598[0-9]*e-7,0.00070553[0-9]*$' curve $small --eps 0.1:0.2:2 --rounds 2 --digits 30 --effort 1e6
expect 64 '\-\-order is "2:3": A:B:K' curve $small --order 2:3
expect 64 '\-\-order is "3:2:4": A:B:K' curve $small --order 3:2:4
expect 64 '\-\-order is 0: between 1' curve $small --order 0:2:4
expect 64 '\-\-eps is "0:2:1": A:B:K' curve $small --eps 0:2:1
expect 64 '\-\-eps is "0:2:4": with --log A > 0' curve $small --eps 0:2:4 --log
expect 0 '^2.5,0.00149256[0-9]*,0.0014925[0-9]*$' curve $small --order 2:3:3 --subsample 1/2
expect 64 '\-\-eps or --delta or --order or --type1 is missing' curve $small
expect 64 'one of --eps (for delta), --delta' curve $small --eps 0:1:4 --order 2:3:2
expect 64 '"nope" is not a closed form for delta' curve $small --eps 0:1:4 nope
expect 64 'girgis21-3.1" is not a closed form for delta' curve $small --eps 0:1:4 girgis21-3.1
expect 64 '\-\-k is missing: feldman21-4.2 takes --k' curve $small --eps 0:1:4 feldman21-4.2
expect 64 'girgis21-3.1 does not go with --subsample' curve $small --order 2:3:2 --subsample 1/2 girgis21-3.1
expect 64 'feldman21-3.1 does not go with --rounds' curve $small --eps 0:1:4 --rounds 2 feldman21-3.1
expect 0 '^0.2,0.000738[0-9]*,0.00073[89][0-9]*$' curve $small --eps 0.1:0.3:3 --rounds 4 --digits 4
expect 0 krr-weak curve --pair krr-weak --pair clones --k 4 --n 100 --eps0 1 --eps 0.1:1:3 --fast --json --threads 2
expect 73 'plot' curve $small --order 2:3:2 --plot "$work/no/plot.svg"
expect 64 'plot.png: the name of an SVG file, NAME.svg, is allowed' curve $small --order 2:3:2 --plot "$work/plot.png"
expect 0 'order' curve $small --order 2:8:4 --digits 4 --plot "$work/plot.svg" girgis21-3.1 chen24-cor2
expect 0 '^1e-3,' curve $small --delta 1e-8:1e-3:2 --log --rounds 4 --digits 3 --plot "$work/pld.svg"
check "a pair that bounds from above" grep -q '>clones, upper bound<' "$work/pld.svg"
expect 0 '^0.1,' curve --pair rr2 --pair krr-weak --n 50 --k 3 --eps0 1 --eps 0.1:0.3:2 --digits 3 --plot "$work/sides.svg" --pgfplots "$work/sides.tex"
check "a pair that bounds from below" grep -q '>rr2, lower bound<' "$work/sides.svg"
check "in TeX, with one entry for both ends" [ "$(grep '^.addlegend' "$work/sides.tex")" = '\addlegendentry{rr2, lower bound}
\addlegendentry{krr-weak, upper bound}' ]
check "plot.svg" grep -q 'chen24-cor2 (not a bound)' "$work/plot.svg"
check "temporary plot left behind" [ "$(ls "$work" | grep -c 'plot.svg')" = 1 ]

# the comments: version, command without the options on which no number depends, theorems with status
header() { # EXPECTED-LINES ARGS...
    expected=$1
    shift
    "$program" curve "$@" >"$work/out" 2>/dev/null
    check "comments of $*: $(grep '^#' "$work/out")" [ "$(grep '^#' "$work/out" | sed 1d)" = "$expected" ]
}
header '# shufbound curve --pair clones --n 1000 --eps0 1 --order 2:3:2 girgis21-3.1 chen24-cor2
# clones: clones (proved)
# girgis21-3.1: girgis21-3.1 (proved)
# chen24-cor2: chen24-cor2 (refuted)' $small --order 2:3:2 --threads 2 --plot "$work/header.svg" girgis21-3.1 chen24-cor2
check "the version is first" [ "$(sed -n 1p "$work/out")" = "# $("$program" --version)" ]
check "the heading follows" [ "$(sed -n 6p "$work/out" | cut -d, -f1)" = order ]
header "# shufbound curve --pair clones --n 1000 --eps0 'log(2)' --eps 0.1:0.2:2 --rounds 3 --digits 4
# clones: clones (proved), pld-composition (proved)" --pair clones --n 1000 --eps0 'log(2)' --eps 0.1:0.2:2 --rounds 3 --digits 4
cp "${srcdir:-.}/doc/mechanisms/krr.json" "$work/a'b
c.json"
(cd "$work" && "$program" curve --mechanism "a'b
c.json" --n 100 --eps 0.1:1.5:3 --digits 2 >out)
check "a file's name cannot break a comment" [ "$(sed -n 2p "$work/out")" = "# shufbound curve --mechanism 'a'\\''b\\u000ac.json' --n 100 --eps 0.1:1.5:3 --digits 2" ]
check "what a later row rests on is told before it" [ "$(grep -A1 'krr-same (proved)' "$work/out" | cut -c1-4 | tr '\n' ' ')" = '# me 0.8, ' ]

# a list is a family of curves
expect 0 '^0.1,1,' curve --pair clones --n 1000 --eps0 0.5,1 --eps 0.1:0.3:3 --digits 4 --plot "$work/family.svg"
check "a column more" [ "$(grep -v '^#' "$work/out" | head -n 1)" = eps,eps0,clones_lo,clones_hi ]
check "a row for each value and point" [ "$(grep -vc '^#' "$work/out")" = 7 ]
grep '^[0-9.]*,1,' "$work/out" | cut -d, -f1,3- >"$work/one"
"$program" curve $small --eps 0.1:0.3:3 --digits 4 | sed '/^#/d; /^eps/d' >"$work/alone"
check "the numbers are those of a curve alone" cmp -s "$work/one" "$work/alone"
check "a legend for each value" [ "$(grep -c '>clones, eps0 = \(0.5\|1\), upper bound</text>' "$work/family.svg")" = 2 ]
expect 0 '^{"order":"3","n":"2000","clones":{"lo":' curve --pair clones --n 1000,2000 --eps0 1 --order 2:4:3 --json
expect 0 '^2,2,0.01721[0-9]*,[^,]*,0.0781[0-9]*,0.0781' curve --pair clones --n 1000 --eps0 1,2 --order 2:3:2 girgis21-3.1
expect 64 'eps0 and --n are both lists\|n and --eps0 are both lists' curve --pair clones --n 10,20 --eps0 1,2 --eps 0:1:2
expect 64 'eps0 is "1:2:3,4": A:B:K' curve --pair clones --n 10 --eps0 1:2:3,4 --eps 1
expect 64 'eps0 is "", not a decimal\|eps0 is "": ' curve --pair clones --n 10 --eps0 1,,2 --eps 0:1:2
expect 64 'at most 32 lines' curve --pair clones --pair rr2 --n 10 --eps0 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17 --eps 0:1:2
expect 64 'eps0 is a list of more than 32 values' curve --pair clones --n 10 --eps0 "$(seq -s, 33)" --eps 0:1:2
expect 64 'must be a range' curve --pair clones --n 10 --eps0 1,2 --eps 1

# pgfplots
expect 64 'plot.svg: the name of a TeX file, NAME.tex, is allowed' curve $small --order 2:3:2 --pgfplots "$work/plot.svg"
expect 73 'pgfplots' curve $small --order 2:3:2 --pgfplots "$work/no/plot.tex" --plot "$work/new.svg"
check "neither file" [ ! -e "$work/new.svg" ]
expect 64 'order is 0' curve $small --order 0:2:4 --plot "$work/new.svg" --pgfplots "$work/new.tex"
check "no picture of a refused question" [ -z "$(find "$work" -name '*new*' -o -name '.*shufbound*')" ]
expect 0 eps curve --mechanism "${srcdir:-.}/doc/mechanisms/subset-selection.json" --n 1000 --eps0 'log(2),2' --eps 0:0.3:3 --digits 3 --pgfplots "$work/figure.tex"
check "a band and two lines for each value" [ "$(grep -c '^.addplot' "$work/figure.tex")" = 6 ]
check "legend from above" grep -qF '\addlegendentry{mechanism, eps0 = log(2), from above}' "$work/figure.tex"
check "legend from below" grep -qF '\addlegendentry{mechanism, eps0 = log(2), from below}' "$work/figure.tex"
check "only a band has no entry" [ "$(grep -c 'forget plot' "$work/figure.tex")" = 2 ]
awk -F, '!/^#/ && $2 == 2 && NR > 1 { low = low " (" $1 "," $3 ")"; high = " (" $1 "," $4 ")" high } END { print low high }' "$work/out" >"$work/polygon"
check "the band is between the ends" grep -qF "coordinates {$(cat "$work/polygon") } -- cycle;" "$work/figure.tex"
if command -v pdflatex >/dev/null && kpsewhich pgfplots.sty standalone.cls >/dev/null; then
    (cd "$work" && pdflatex -interaction=nonstopmode figure.tex >/dev/null) || fail "pdflatex: $(grep -A2 '^!' "$work/figure.log")"
fi

# rows are there as soon as they are known
"$program" curve --pair clones --n 1e5 --eps0 1 --order 2:100:1000 >"$work/rows" &
job=$!
waited=0
while [ $waited -lt 500 ]; do
    [ -e "$work/rows" ] && [ "$(wc -l <"$work/rows")" -ge 6 ] && break
    sleep 0.2
    waited=$((waited + 1))
done
kill -KILL $job
wait $job 2>/dev/null
check "rows of a killed curve" [ "$(wc -l <"$work/rows")" -ge 6 ]
check "the last row of a killed curve is whole" [ -z "$(tail -c 1 "$work/rows")" ]
finish
