#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Rebuilds the tables and plots mechanism-*.csv, *.svg of this folder:
#
#     SHUFBOUND=./shufbound doc/figures/mechanisms.sh DIRECTORY
#
# eps at delta = 1e-6 for 10,000 users against the local eps0: every upper
# bound (its upper end) and every lower bound (its lower end) that shufbound
# mechanism has. The SVGs need gnuplot and are left out without it.
set -eu
LC_ALL=C
export LC_ALL
shufbound=${SHUFBOUND:-shufbound}

test $# = 1 || { echo "usage: mechanisms.sh DIRECTORY" >&2; exit 64; }
case $shufbound in */*) shufbound=$(cd "$(dirname "$shufbound")" && pwd)/$(basename "$shufbound") ;; esac
"$shufbound" theorems >/dev/null
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

bounds="clones clones-stronger local-profile blanket all-equal third-value mixed-data"

# The description of mechanism $1 with the local parameter $2/4.
describe()
{
    case $1 in
    krr) echo "{\"type\": \"krr\", \"k\": 10, \"eps0\": \"$2/4\"}" ;;
    rappor) echo "{\"type\": \"rappor\", \"k\": 10, \"eps0\": \"$2/8\"}" ;; # the deletion parameter: half
    laplace) echo "{\"type\": \"laplace\", \"scale\": \"4/$2\"}" ;;
    esac
}

# One row: eps0, then the ends of every bound, empty where there is none.
row()
{
    describe $1 $2 >"$work/description.json"
    "$shufbound" mechanism "$work/description.json" --n 10000 --delta 1e-6 --digits 3 --json \
        >"$work/answer" 2>/dev/null || test $? = 3
    # a bound that was tried ends with its ledger
    sed 's/.*"tried":\[//; s/"ledger":/\n/g' "$work/answer" >"$work/tried"
    awk -v q=$2 'BEGIN { printf "%s", q / 4 }'
    for bound in $bounds; do
        printf ',%s' "$(sed -n '/"id":"'$bound'"/s/.*"lo":"\([^"]*\)","hi":"\([^"]*\)".*/\1,\2/p' "$work/tried" | grep . || echo ,)"
    done
    echo
}

table()
{
    {
        printf eps0
        for bound in $bounds; do printf ',%s_lo,%s_hi' $bound $bound; done
        echo
        for quarter in 1 2 4 6 8 10 12 16 20; do row $1 $quarter; done
    } >"$work/table"
    cp "$work/table" "mechanism-$1.csv"
}

plot()
{
    command -v gnuplot >/dev/null || { echo "mechanisms.sh: gnuplot is missing, no SVG" >&2; return 0; }
    gnuplot <<END
set terminal svg size 640,480 noenhanced background rgb "white"
set output "mechanism-$1.svg"
set datafile separator ","
set title "$2, n = 10,000, delta = 1e-6"
set xlabel "local eps0"
set ylabel "eps, relative to that of clones-stronger"
set yrange [0.2:1.6]
set key bottom right
plot "mechanism-$1.csv" using 1:(\$3/\$5) with lines lw 2 title "clones", \\
     1 with lines lw 2 title "clones-stronger", \\
     "" using 1:(\$7/\$5) with lines lw 2 title "local-profile", \\
     "" using 1:(\$9/\$5) with lines lw 2 title "blanket", \\
     "" using 1:(\$10/\$5) with lines lw 2 dt 3 title "all-equal (lower bound)", \\
     "" using 1:(\$12/\$5) with lines lw 2 dt 3 title "third-value (lower bound)", \\
     "" using 1:(\$14/\$5) with lines lw 2 dt 4 title "mixed-data (lower bound)"
END
}

table krr; plot krr "10-ary randomised response"
table rappor; plot rappor "symmetric RAPPOR, 10 values"
table laplace; plot laplace "Laplace noise, two values"
