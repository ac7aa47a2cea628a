#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# curve: tables and pictures.
# shellcheck disable=SC2086,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"

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
expect 3 '^0.2,0,1$' curve $small --eps 0.1:0.2:2 --rounds 2 --digits 30 --effort 1e6
expect 64 '\-\-order is "2:3": A:B:K' curve $small --order 2:3
expect 64 '\-\-order is "3:2:4": A:B:K' curve $small --order 3:2:4
expect 64 '\-\-order is 0: between 1' curve $small --order 0:2:4
expect 64 '\-\-eps is "0:2:1": A:B:K' curve $small --eps 0:2:1
expect 64 '\-\-eps is "0:2:4": with --log A > 0' curve $small --eps 0:2:4 --log
expect 0 '^2.5,0.00349925[0-9]*,0.0034992[0-9]*$' curve $small --order 2:3:3 --subsample 1/2
expect 64 '\-\-eps or --delta or --order or --type1 is missing' curve $small
expect 64 'one of --eps (for delta), --delta' curve $small --eps 0:1:4 --order 2:3:2
expect 64 '"nope" is not a closed form for delta' curve $small --eps 0:1:4 nope
expect 64 'girgis21-3.1" is not a closed form for delta' curve $small --eps 0:1:4 girgis21-3.1
expect 64 '\-\-k is missing: feldman21-4.2 takes --k' curve $small --eps 0:1:4 feldman21-4.2
expect 64 'girgis21-3.1 does not go with --subsample' curve $small --order 2:3:2 --subsample 1/2 girgis21-3.1
expect 64 'feldman21-3.1 does not go with --rounds' curve $small --eps 0:1:4 --rounds 2 feldman21-3.1
expect 0 '^0.2,0.000738[0-9]*,0.00073[89][0-9]*$' curve $small --eps 0.1:0.3:3 --rounds 4 --digits 4
expect 73 'plot' curve $small --order 2:3:2 --plot "$work/no/plot.svg"
expect 64 'plot.png: the name of an SVG file, NAME.svg, is allowed' curve $small --order 2:3:2 --plot "$work/plot.png"
expect 0 'order' curve $small --order 2:8:4 --digits 4 --plot "$work/plot.svg" girgis21-3.1 chen24-cor2
expect 0 '^1e-3,' curve $small --delta 1e-8:1e-3:2 --log --rounds 4 --digits 3 --plot "$work/pld.svg"
check "pld.svg" grep -q 'clones' "$work/pld.svg"
check "plot.svg" grep -q 'chen24-cor2 (not a bound)' "$work/plot.svg"
check "temporary plot left behind" [ "$(ls "$work" | grep -c 'plot.svg')" = 1 ]

# rows are there as soon as they are known
"$program" curve --pair clones --n 1e5 --eps0 1 --order 2:100:1000 >"$work/rows" &
job=$!
waited=0
while [ $waited -lt 500 ]; do
    [ -e "$work/rows" ] && [ "$(wc -l <"$work/rows")" -ge 3 ] && break
    sleep 0.2
    waited=$((waited + 1))
done
kill -KILL $job
wait $job 2>/dev/null
check "rows of a killed curve" [ "$(wc -l <"$work/rows")" -ge 3 ]
check "the last row of a killed curve is whole" [ -z "$(tail -c 1 "$work/rows")" ]
finish
