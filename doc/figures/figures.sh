#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Rebuilds the tables and plots of this folder with shufbound:
#
#     SHUFBOUND=./shufbound doc/figures/figures.sh DIRECTORY
#
# One CSV a panel: the abscissa, then NAME_lo,NAME_hi for what shufbound
# encloses and NAME_hi for what is computed here from its numbers. The SVGs
# need gnuplot and are left out without it. README.md says what is what.
set -eu
LC_ALL=C
export LC_ALL
shufbound=${SHUFBOUND:-shufbound}

panels='girgis21-fig2a girgis21-fig2b girgis21-fig2c girgis21-fig2d girgis21-fig2e girgis21-fig2f
    girgis21-fig3a girgis21-fig3b girgis21-fig3c girgis21-fig3d
    girgis21-fig4a girgis21-fig4b girgis21-fig4c girgis21-fig4d girgis21-fig4e girgis21-fig4f
    girgis21-fig5a girgis21-fig5b chen24-fig2 chen24-fig3'

# ---- the panels ----

users='1e3 2e3 3e3 5e3 7e3 1e4 2e4 3e4 5e4 1e5 2e5 5e5 1e6'
more_users='1e4 2e4 3e4 5e4 1e5 2e5 3e5 5e5 1e6 2e6 3e6 5e6 1e7'
orders='2 3 4 5 7 10 15 20 30 50 70 100 200 300 500 700 1e3 2e3 3e3 5e3 1e4 2e4 3e4 5e4 1e5'
rounds='1 2 3 5 10 20 50 100 300 1e3 3e3 1e4 3e4 1e5'
locals='0.1 0.2 0.3 0.4 0.5 0.6 0.8 1 1.2 1.4 1.6 1.8 2 2.25 2.5 2.75 3 3.25 3.5 3.75 4'

# Sets the quantity, the abscissa and its values, what is fixed, and the curves of panel $1.
define()
{
    T=1
    case $1 in
    girgis21-fig2?)
        quantity=renyi
        curves='girgis21-3.1 girgis21-3.3 erlingsson19-renyi clones clones-stronger rr2-pq girgis21-3.4 girgis21-3.5' ;;
    girgis21-fig3?)
        quantity=epsilon delta=1e-6
        curves='girgis21-3.1_renyi clones_renyi clones-stronger_renyi rr2-qp_renyi rr2_renyi
            feldman21-3.1 balle19-bennett balle19-hoeffding erlingsson19 clones clones-stronger rr2' ;;
    girgis21-fig4?)
        quantity=composition delta=1e-8
        curves='girgis21-3.1_renyi girgis21-3.2_renyi erlingsson19-renyi_renyi clones_renyi clones-stronger_renyi
            rr2-qp_renyi rr2_renyi feldman21-3.1_strong clones_strong clones-stronger_strong rr2' ;;
    girgis21-fig5?)
        quantity=subsampled delta=1e-8 eps0=3
        curves='girgis21-3.1_wang19 clones_renyi clones-stronger_renyi clones_strong girgis21-3.1_poisson rr2-qp_poisson' ;;
    chen24-fig?)
        quantity=renyi
        curves='chen24-cor2 girgis21-3.3 girgis21-3.1 clones clones-stronger rr2-pq rr2-qp girgis21-3.5' ;;
    esac
    case $1 in
    girgis21-fig2a) x=order values=$orders n=1e4 eps0=0.1 ;;
    girgis21-fig2b) x=n values=$users order=100 eps0=0.1 ;;
    girgis21-fig2c) x=eps0 values=$locals n=1e4 order=100 ;;
    girgis21-fig2d) x=order values=$orders n=1e4 eps0=3 ;;
    girgis21-fig2e) x=n values=$users order=100 eps0=3 ;;
    girgis21-fig2f) x=eps0 values=$locals n=1e6 order=100 ;;
    girgis21-fig3a) x=n values=$users eps0=0.1 ;;
    girgis21-fig3b) x=eps0 values=$locals n=1e4 ;;
    girgis21-fig3c) x=n values=$users eps0=3 ;;
    girgis21-fig3d) x=eps0 values=$locals n=1e5 ;;
    girgis21-fig4a) x=T values=$rounds n=1e6 eps0=0.5 ;;
    girgis21-fig4b) x=n values=$more_users T=1e4 eps0=0.5 ;;
    girgis21-fig4c) x=eps0 values=$locals n=1e5 T=1e4 ;;
    girgis21-fig4d) x=T values=$rounds n=1e6 eps0=2 ;;
    girgis21-fig4e) x=n values=$more_users T=1e4 eps0=2 ;;
    girgis21-fig4f) x=eps0 values=$locals n=1e6 T=1e4 ;;
    girgis21-fig5a) x=T values=$rounds n=1e3 everyone=1e6 ;;
    girgis21-fig5b) x=T values=$rounds n=1e4 everyone=1e7 ;;
    chen24-fig2) x=eps0 values="$locals 4.5 5 5.5 5.75 6 6.25 6.5 6.75 7 7.5 8" n=1e4 order=4 ;;
    chen24-fig3) x=order values='2 3 4 5 7 10 15 20 30 50 70 100 150 200 300 400 500 600 700 800 1e3 1.5e3 2e3 3e3' n=1e4 eps0=2 ;;
    esac
}

# Is curve $1 of $quantity an upper bound, a lower bound or no bound of the mechanisms?
kind()
{
    case $1 in
    erlingsson19-renyi* | chen24-* | *_poisson | rr2*_renyi) echo none ;;
    rr2* | girgis21-3.4 | girgis21-3.5) echo lower ;;
    *) echo upper ;;
    esac
}

# Has curve $1 its values from the script rather than from shufbound?
ours()
{
    case $quantity:$1 in
    *:girgis21-*_* | *:erlingsson19-*_* | *:rr2-qp_* | *:feldman21-*_* | subsampled:clones_strong) return 0 ;;
    esac
    return 1
}

# ---- one value ----

# "lo,hi" of a shufbound command, "," where it has no finite answer.
enclosure()
{
    "$shufbound" "$@" --digits 6 --json 2>/dev/null |
        sed -n 's/.*"lo":"\([^"]*\)","hi":"\([^"]*\)".*/\1,\2/p' | grep . || echo ,
}

# The Renyi curves at $n, $eps0: order, then lo,hi of rr2-qp, girgis21-3.1,
# girgis21-3.2 and erlingsson19-renyi. Orders by 1/4 up to 64, then 120 to 1e5.
renyi_table()
{
    table=$work/table-$n-$eps0
    test -f "$table" && return
    {
        "$shufbound" curve --pair rr2 --direction qp --n $n --eps0 $eps0 --order 1.25:64:252 --digits 6 \
            girgis21-3.1 girgis21-3.2 erlingsson19-renyi | sed '/^#/d'
        "$shufbound" curve --pair rr2 --direction qp --n $n --eps0 $eps0 --order 64:100000:120 --log --digits 6 \
            girgis21-3.1 erlingsson19-renyi | sed '/^#/d' | awk -F, -v OFS=, 'NR > 2 { print $1, $2, $3, $4, $5, "", "", $6, $7 }'
    } >"$table.$$" 2>/dev/null
    mv "$table.$$" "$table"
}

# Doubles: each result is raised by 1e-6 of itself, far more than the rounding errors.
arithmetic='
function outward(v) { return sprintf("%.6e", v * (1 + 1e-6)) }
function log_gamma(z,  s)
{
    for (s = 0; z < 16; z++) s -= log(z)
    return s + (z - 0.5) * log(z) - z + 0.91893853320467275 + 1/(12*z) - 1/(360*z^3) + 1/(1260*z^5)
}
function log_choose(n, k) { return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1) }
# Theorem renyi-conversion at order a.
function converted(renyi, a, delta) { return renyi + log(1 - 1/a) - (log(delta) + log(a)) / (a - 1) }
# log(1 + s) from above
function log1p_above(s) { return s < 1e-6 ? s : log(1 + s) }'

# The best order of column $1 of the Renyi table, $T rounds.
convert()
{
    renyi_table
    awk -F, -v column="$1" -v T="$T" -v delta="$delta" "$arithmetic"'
        $column + 0 > 0 { v = converted(T * $column, $1, delta); if (best == "" || v < best) best = v }
        END { print best == "" ? "" : outward(best > 0 ? best : 0) }' "$table"
}

# The same after sampling 1/1000 of the users, whole orders up to 4096: $2 is wang19
# (theorem subsample-wang19; its minima are at the 2 as e^eps0 - 1 > 2) or poisson
# (the first sum of subsample-poisson alone). Between the orders of the table
# log M_j = (j-1) eps(j), convex in j, is replaced by its chord, which is above it.
convert_subsampled()
{
    renyi_table
    awk -F, -v column="$1" -v sum="$2" -v T="$T" -v delta="$delta" "$arithmetic"'
        NR > 1 {
            y = ($1 - 1) * $column
            for (j = int(before) + 1; j <= $1 && j <= 4096; j++)
                if (j > 1 && before) power[j] = y - (y - y_before) * ($1 - j) / ($1 - before)
            before = $1; y_before = y
        }
        END {
            for (j = 1; j <= 4096; j++) log_factorial[j] = log_factorial[j-1] + log(j)
            g = 0.001
            for (a = 2; a <= 4096; a += a < 64 ? 1 : int(a / 32))
            {
                s = 0
                for (j = 2; j <= a; j++)
                {
                    c = log_factorial[a] - log_factorial[j] - log_factorial[a-j] + j * log(g)
                    if (c + power[j] > 600) break
                    if (sum == "poisson") s += exp(c + (a - j) * log(1 - g) + power[j]) * (1 - exp(-power[j]))
                    else if (j > 2) s += 2 * exp(c + power[j])
                    else { two = exp(power[2]); b = 4 * (two - 1); s += exp(c) * (b < 2 * two ? b : 2 * two) }
                }
                if (j <= a) break
                all = log1p_above(s)
                free = log(1 - g) + power[a] > 600 ? power[a] : log1p_above(g * (exp(power[a]) - 1))
                v = converted(T * (all < free ? all : free) / (a - 1), a, delta)
                if (best == "" || v < best) best = v
            }
            print outward(best > 0 ? best : 0)
        }' "$table"
}

# Optimal strong composition (theorem kairouz15-optimal) of $T rounds that are
# (eps1, delta1)-DP, "eps1 delta1" on each line of the input, at the best line:
# the x where T delta1 and the divergence h(x) of T binary randomised responses make delta.
compose()
{
    awk -v T="$T" -v delta="$delta" "$arithmetic"'
        function h(x, e,  k, top, s, m)
        {
            top = int((T - x / e) / 2) + 1
            if (top > T) top = T
            for (k = top; k >= 0; k--)
            {
                if ((T - 2 * k) * e <= x) continue
                m = exp(log_choose(T, k) + (T - k) * e - T * log(1 + exp(e)))
                s += m * (1 - exp(x - (T - 2 * k) * e))
                if (k < T / (1 + exp(e)) && m < 1e-24) break
            }
            return s * (1 + 1e-5) + T * 1e-24
        }
        function least(e, target,  lo, hi, mid, i)
        {
            if (h(0, e) <= target) return 0
            lo = 0; hi = T * e
            for (i = 0; i < 45; i++)
            {
                mid = (lo + hi) / 2
                if (h(mid, e) <= target) hi = mid; else lo = mid
            }
            return hi
        }
        NF == 2 { T += 0; v = least($1, delta - T * $2 * (1 + 1e-9)); if (best == "" || v < best) best = v }
        END { print best == "" ? "" : outward(best) }'
}

# delta1 for compose: shares of delta over $T rounds, $1 the rate.
shares() { awk -v T="$T" -v delta="$delta" -v rate="$1" 'BEGIN { for (s = 0.125; s < 1; s *= 2) printf "%.4e\n", s * delta / T / rate }'; }

composed_feldman()
{
    for d in $(shares 1); do
        "$shufbound" bound feldman21-3.1 --n $n --eps0 $eps0 --delta $d --json 2>/dev/null |
            sed -n 's/.*"hi":"\([^"]*\)".*/\1 '$d/p
    done | compose
}

# Theorem subsample-profile on the exact clones pair: (log(1 + g (e^eps1 - 1)), g delta1).
composed_subsample()
{
    for d in $(shares 0.001); do
        "$shufbound" epsilon --pair clones --n $n --eps0 $eps0 --delta $d --digits 6 --json |
            sed -n 's/.*"hi":"\([^"]*\)".*/\1 '$d/p
    done | awk '{ printf "%.15e %.15e\n", log(1 + 0.001 * (exp($1) - 1)) * (1 + 1e-9), 0.001 * $2 * (1 + 1e-9) }' | compose
}

one_value()
{
    pair="--n $n --eps0 $eps0"
    case $quantity:$1 in
    renyi:clones*) enclosure renyi --pair $1 $pair --order $order ;;
    renyi:rr2-*) enclosure renyi --pair rr2 --direction ${1#rr2-} $pair --order $order ;;
    renyi:*) enclosure bound $1 $pair --order $order ;;
    *:rr2-qp_poisson) convert_subsampled 3 poisson ;;
    *:girgis21-3.1_poisson) convert_subsampled 5 poisson ;;
    *:girgis21-3.1_wang19) convert_subsampled 5 wang19 ;;
    *:rr2-qp_renyi) convert 3 ;;
    *:girgis21-3.1_renyi) convert 5 ;;
    *:girgis21-3.2_renyi) convert 7 ;;
    *:erlingsson19-renyi_renyi) convert 9 ;;
    subsampled:clones_strong) composed_subsample ;;
    subsampled:*_renyi) enclosure epsilon --pair ${1%_renyi} --n $everyone --eps0 $eps0 --delta $delta --via renyi --rounds $T --fast --subsample 1/1000 ;;
    *:feldman21-3.1_strong) composed_feldman ;;
    *:*_renyi) enclosure epsilon --pair ${1%_renyi} $pair --delta $delta --via renyi --rounds $T --fast ;;
    *:*_strong) enclosure epsilon --pair ${1%_strong} $pair --delta $delta --via strong-composition --rounds $T ;;
    *:clones* | *:rr2) enclosure epsilon --pair $1 $pair --delta $delta ;;
    *) enclosure bound $1 $pair --delta $delta ;;
    esac
}

row()
{
    eval "$x=\$1"
    cells=$1
    for curve in $curves; do
        cells=$cells,$(one_value $curve)
    done
    echo "$cells"
}

header()
{
    cells=$x
    for curve in $curves; do
        if ours $curve; then cells=$cells,${curve}_hi; else cells=$cells,${curve}_lo,${curve}_hi; fi
    done
    echo "$cells"
}

# ---- checks ----

# Of a finished table: ends in order and close, no empty column, every curve
# monotone, upper bounds above lower bounds, clones-stronger not above clones.
# Only two closed forms may be out of their region everywhere.
check()
{
    kinds=
    for curve in $curves; do
        kinds="$kinds $curve=$(kind $curve)"
    done
    awk -F, -v panel="$1" -v x="$x" -v kinds="$kinds" '
        function fail(what) { print panel ": line " NR ": " what | "cat >&2"; bad = 1 }
        function above(upper, lower)
        {
            if (upper in hi && lower in lo && hi[upper] < lo[lower]) fail(lower " is above " upper)
        }
        NR == 1 {
            m = split(kinds, pairs, " ")
            for (i = 1; i <= m; i++) { split(pairs[i], p, "="); name[i] = p[1]; kind[p[1]] = p[2] }
            for (i = 2; i <= NF; i++) { curve[i] = $i; sub(/_(lo|hi)$/, "", curve[i]); end[i] = $i ~ /_lo$/ ? "lo" : "hi" }
            width = NF
            next
        }
        {
            if (NF != width) fail("wrong number of cells")
            split("", lo); split("", hi)
            for (i = 2; i <= NF; i++)
                if ($i != "")
                {
                    if (end[i] == "lo") lo[curve[i]] = $i + 0; else hi[curve[i]] = $i + 0
                    seen[i] = 1
                }
            for (c in hi)
            {
                if (!(c in lo)) lo[c] = hi[c]
                if (lo[c] > hi[c] || lo[c] < hi[c] * (1 - 1e-4)) fail(c " is wide or upside down")
                # The program searches the best order, share and gamma: monotone to
                # 1e-4 only. girgis21-3.5, one term of a sum, need not be.
                if (c in previous && c != "girgis21-3.5" && (x == "n" ? lo[c] > previous[c] * 1.0001 : hi[c] < previous[c] * 0.9999)) fail(c " is not monotone")
                previous[c] = hi[c]
            }
            for (i = 1; i <= m; i++)
                for (j = 1; j <= m; j++)
                    if (kind[name[i]] == "upper" && kind[name[j]] == "lower") above(name[i], name[j])
            above("clones", "clones-stronger"); above("clones_renyi", "clones-stronger_renyi")
            above("clones_strong", "clones-stronger_strong")
        }
        END {
            for (i = 2; i <= width; i++) if (!seen[i] && curve[i] !~ /^girgis21-3.2|^erlingsson19$/) fail("no value of " curve[i])
            exit bad
        }' "$1.csv"
}

# ---- plots ----

plot()
{
    case $x in
    order) label='order λ' ;;
    n) label='users n' ;;
    eps0) label='local ε0' ;;
    T) label='rounds T' ;;
    esac
    case $quantity in
    renyi) ylabel='Renyi divergence' fixed= ;;
    *) ylabel='ε' fixed="  δ = $delta" ;;
    esac
    sampled=
    test $quantity != subsampled || sampled='sampled '
    test $x = n || fixed="$fixed  ${sampled}n = $n"
    test $x = eps0 || fixed="$fixed  ε0 = $eps0"
    test $x = order || test $quantity != renyi || fixed="$fixed  λ = $order"
    test $x = T || test $T = 1 || fixed="$fixed  T = $T"
    {
        echo "set terminal svg size 860,460 fixed font 'sans-serif,12' background 'white'"
        echo "set output '$1.svg'; set datafile separator ','; set key outside right Left reverse; set grid; set autoscale xfix"
        echo "set logscale y; set format y '%.0e'; set xlabel '$label'; set ylabel '$ylabel'; set title '$1: $fixed'"
        test $x = eps0 || echo "set logscale x; set format x '%.0e'"
        separator=plot
        column=1
        set -- $1 black orange red blue dark-green magenta brown cyan dark-violet olive gray50 gold
        for curve in $curves; do
            colour=$2
            panel=$1
            shift 2
            set -- $panel "$@"
            column=$((column + 1))
            ours $curve || column=$((column + 1))
            cut -d, -f$column "$1.csv" | sed 1d | grep -q . || continue
            at=$column dash=1 note=
            case $(kind $curve) in
            lower) at=$((column - 1)) dash=3 note=' (lower bound)' ;;
            none) dash=2 note=' (not a bound)' ;;
            esac
            printf "%s '%s.csv' skip 1 using 1:%s with lines linewidth 2 linecolor '%s' dashtype %s title '%s%s' noenhanced" \
                "$separator" $1 $at $colour $dash $curve "$note"
            separator=,
        done
        # Where Corollary 2 of Chen, Cao, Ge is refuted; columns of the panel chen24-fig2.
        test $1 != chen24-fig2 || printf ", '%s.csv' skip 1 using 1:(\$3 < \$12 || \$3 < \$14 ? \$3 : NaN) with points pointtype 7 linecolor 'black' title 'chen24-cor2 refuted' noenhanced" $1
        echo
    } | gnuplot
}

# ---- all of it ----

if test "${1-}" = --row; then
    work=$2 panel=$3
    define $panel
    row $5 >"$work/$panel-$4"
    exit
fi

test $# = 1 || { echo "usage: figures.sh DIRECTORY" >&2; exit 64; }
case $shufbound in */*) shufbound=$(cd "$(dirname "$shufbound")" && pwd)/$(basename "$shufbound") ;; esac
case $0 in /*) self=$0 ;; *) self=$(pwd)/$0 ;; esac
"$shufbound" theorems >/dev/null
SHUFBOUND=$shufbound
export SHUFBOUND
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

for panel in $panels; do
    define $panel
    line=0
    for value in $values; do
        line=$((line + 1))
        echo "$work $panel $line $value"
    done
done | xargs -L 1 -P 2 sh "$self" --row

command -v gnuplot >/dev/null || echo "figures.sh: gnuplot is missing, no SVGs" >&2
for panel in $panels; do
    define $panel
    {
        header
        line=0
        for value in $values; do
            line=$((line + 1))
            cat "$work/$panel-$line"
        done
    } >$panel.csv
    check $panel
    ! command -v gnuplot >/dev/null || plot $panel
done
