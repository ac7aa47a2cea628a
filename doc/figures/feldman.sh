#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Rebuilds the tables and plots feldman21-fig2? of this folder with shufbound:
#
#     SHUFBOUND=./shufbound doc/figures/feldman.sh DIRECTORY
#
# eps at delta = 1e-6 of one round against n or eps0. One CSV a panel: the
# abscissa, then NAME_lo,NAME_hi, empty outside a form's region. The SVGs need
# gnuplot and are left out without it. README.md says what is what.
set -eu
LC_ALL=C
export LC_ALL
shufbound=${SHUFBOUND:-shufbound}

test $# = 1 || { echo "usage: feldman.sh DIRECTORY" >&2; exit 64; }
case $shufbound in */*) shufbound=$(cd "$(dirname "$shufbound")" && pwd)/$(basename "$shufbound") ;; esac
"$shufbound" theorems >/dev/null
cd "$1"

pairs="clones clones-stronger rr2"
forms="feldman21-3.1 balle19-bennett balle19-hoeffding erlingsson19"
users="100000 180000 320000 560000 1000000 1800000 3200000 5600000 10000000"

# The ends that the command prints, or two empty cells where it has none.
ends()
{
    printf ',%s' "$("$shufbound" "$@" --delta 1e-6 --digits 6 --json 2>/dev/null |
        sed -n 's/.*"lo":"\([^"]*\)","hi":"\([^"]*\)".*/\1,\2/p' | grep . || echo ,)"
}

row()
{
    for pair in $pairs; do ends epsilon --pair $pair --n $1 --eps0 $2; done
    for form in $forms; do ends bound $form --n $1 --eps0 $2; done
    echo
}

# feldman21-fig2$1.csv: abscissa $2; from standard input, one row a line: the abscissa, n, eps0.
table()
{
    {
        printf %s $2
        for name in $pairs $forms; do printf ',%s_lo,%s_hi' $name $name; done
        echo
        while read -r x n eps0; do
            printf %s $x
            row $n $eps0
        done
    } >feldman21-fig2$1.csv.new
    mv feldman21-fig2$1.csv.new feldman21-fig2$1.csv
}

# Full lines: upper bounds; dotted: the lower bound.
plot()
{
    command -v gnuplot >/dev/null || { echo "feldman.sh: gnuplot is missing, no SVG" >&2; return 0; }
    gnuplot <<END
set terminal svg size 640,480 noenhanced background rgb "white"
set output "feldman21-fig2$1.svg"
set datafile separator ","
set title "$2, delta = 1e-6"
set xlabel "$3"
set ylabel "eps"
set logscale y
set format y "%g"
$4
set key $5
plot "feldman21-fig2$1.csv" using 1:3 with lines lw 2 title "clones", \\
     "" using 1:5 with lines lw 2 title "clones-stronger", \\
     "" using 1:6 with lines lw 2 dt 3 title "rr2 (lower bound)", \\
     "" using 1:9 with lines lw 2 title "feldman21-3.1", \\
     "" using 1:11 with lines lw 2 title "balle19-bennett", \\
     "" using 1:13 with lines lw 2 title "balle19-hoeffding", \\
     "" using 1:15 with lines lw 2 title "erlingsson19"
END
}

for n in $users; do echo $n $n 0.1; done | table a n
for n in $users; do echo $n $n 6; done | table b n
for eps0 in 0.01 0.02 0.05 0.1 0.2 0.5 1 1.5 2 2.5 3 3.5 4 4.5 5 5.5 6 6.5 7 7.5 8; do echo $eps0 1000000 $eps0; done | table c eps0
plot a "eps0 = 0.1" n 'set logscale x; set format x "%g"' "top right"
plot b "eps0 = 6" n 'set logscale x; set format x "%g"' "top right"
plot c "n = 1,000,000" "local eps0" "" "bottom right"
