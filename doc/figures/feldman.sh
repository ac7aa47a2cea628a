#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Rebuilds the tables and plots feldman21-fig2? of this folder with shufbound:
#
#     SHUFBOUND=./shufbound doc/figures/feldman.sh DIRECTORY
#
# eps at delta = 1e-6 of one round against n or eps0. One CSV a panel: the
# abscissa, then NAME_lo,NAME_hi, empty outside a form's region; workflow/figure.py
# has the grid. The SVGs need gnuplot and are left out without it. README.md says
# what is what.
set -eu
LC_ALL=C
export LC_ALL
shufbound=${SHUFBOUND:-shufbound}

test $# = 1 || { echo "usage: feldman.sh DIRECTORY" >&2; exit 64; }
case $shufbound in */*) shufbound=$(cd "$(dirname "$shufbound")" && pwd)/$(basename "$shufbound") ;; esac
"$shufbound" theorems >/dev/null
grid=$(cd "$(dirname "$0")/../../workflow" && pwd)/figure.py
cd "$1"

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

for panel in a b c; do
    file=feldman21-fig2$panel.csv
    python3 "$grid" questions $panel | "$shufbound" ask - | python3 "$grid" table $panel >$file.new
    mv $file.new $file
done
plot a "eps0 = 0.1" n 'set logscale x; set format x "%g"' "top right"
plot b "eps0 = 6" n 'set logscale x; set format x "%g"' "top right"
plot c "n = 1,000,000" "local eps0" "" "bottom right"
