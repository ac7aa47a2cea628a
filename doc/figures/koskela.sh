#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Rebuilds the tables and plots koskela23-fig? of this folder with shufbound:
#
#     SHUFBOUND=./shufbound doc/figures/koskela.sh DIRECTORY
#
# One CSV a figure: the abscissa, then NAME_lo,NAME_hi for what shufbound
# encloses and NAME_hi for what is computed here. The SVGs need gnuplot and
# are left out without it. README.md says what is what.
set -eu
LC_ALL=C
export LC_ALL
shufbound=${SHUFBOUND:-shufbound}

test $# = 1 || { echo "usage: koskela.sh DIRECTORY" >&2; exit 64; }
case $shufbound in */*) shufbound=$(cd "$(dirname "$shufbound")" && pwd)/$(basename "$shufbound") ;; esac
"$shufbound" theorems >/dev/null
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# ---- columns ----

# A table is put together in $work from files 000, 001, ..: the abscissa, then
# one file for each curve.
start()
{
    columns=0
    { echo "$1"; printf '%s\n' $2; } >"$work/000"
}

# The numbers $1/$3, ($1 + 1)/$3, .., $2/$3.
points() { awk -v a=$1 -v b=$2 -v d=$3 'BEGIN { for (; a <= b; a++) print a / d }'; }

next() { columns=$((columns + 1)); column=$work/$(printf %03d $columns); }

# Column $1 from the command curve with the other arguments.
curve()
{
    next
    name=$1
    shift
    "$shufbound" curve "$@" --digits 3 2>/dev/null | sed '/^#/d' >"$work/curve"
    awk -F, -v OFS=, -v name=$name 'NR == 1 { print name "_lo", name "_hi"; next } { print $2, $3 }' "$work/curve" >"$column"
}

# Column $1: epsilon against the rounds 000, with the other arguments.
rounds()
{
    next
    name=$1
    shift
    echo "${name}_lo,${name}_hi" >"$column"
    for T in $(sed 1d "$work/000"); do
        "$shufbound" epsilon "$@" --rounds $T --digits 3 --json 2>/dev/null |
            sed -n 's/.*"lo":"\([^"]*\)","hi":"\([^"]*\)".*/\1,\2/p' >>"$column"
    done
}

finish()
{
    paste -d, "$work"/[0-9][0-9][0-9] >$1.csv
    rm "$work"/[0-9][0-9][0-9]
}

# ---- Figure 1 ----

figure1()
{
    pair='--pair clones-stronger --n 1e4 --eps0 4 --eps 0.1:1:19'
    start eps "$(points 2 20 20)"
    curve pld-1 $pair
    curve renyi-1 $pair --via renyi --rounds 1 --fast
    for T in 2 3 4; do
        curve pld-$T $pair --rounds $T
        curve renyi-$T $pair --via renyi --rounds $T --fast
    done
    curve strong-2 $pair --via strong-composition --rounds 2
    finish koskela23-fig1
}

# ---- Figure 2 ----

# The profile h of one round at the nodes: $1 alphas, equally spaced in log alpha
# from exp(-1/4) to exp(1/4), $1 even. For alpha = exp(e) > 1 it is
# 1/100 H at 1 + 100 (alpha - 1), H the profile of the 100 sampled users; zero
# from there on where that exceeds exp(3). One line a node: e, h rounded up.
nodes()
{
    awk -v m=$1 '
        function expm1(x,  t, s, k) { t = s = x; for (k = 2; k < 20; k++) { t *= x / k; s += t }; return s }
        BEGIN {
            for (i = 0; i < m / 2; i++)
            {
                e = (2 * i + 1) / 4 / (m - 1)
                x = log(1 + 100 * expm1(e)) * (1 - 1e-15)
                if (x >= 3) break
                printf "%.17g %.17g\n", e, x
            }
        }' </dev/null |
    while read -r e x; do
        echo "$e $("$shufbound" delta --pair clones-stronger --n 100 --eps0 3 --eps $x --digits 16 --json |
            sed -n 's/.*"hi":"\([^"]*\)".*/\1/p')"
    done
}

# The profile at the nodes of $1 alphas is replaced by its chords, which are above
# it and are the profile of a pair with losses at the nodes alone; the column is
# delta of $2 of these rounds at the eps of 000. The losses are on a lattice: the
# law of their sum is by the Fourier transform, of length $3. By the symmetry
# h(a) = 1 - a + a h(1/a) the probability of loss -e is exp(-e) times that of e.
chords()
{
    next
    nodes $1 >"$work/nodes"
    awk -v m=$1 -v name=grid-$1 -v T=$2 -v N=$3 -v grid="$work/000" '
        # In place, not normalised, sign = 1 or -1; bit reversal, then butterflies.
        function fft(sign,  i, j, k, half, t, wr, wi, xr, xi, angle)
        {
            j = 0
            for (i = 1; i < N; i++)
            {
                for (k = N / 2; j >= k; k /= 2) j -= k
                j += k
                if (i < j) { t = re[i]; re[i] = re[j]; re[j] = t; t = im[i]; im[i] = im[j]; im[j] = t }
            }
            for (half = 1; half < N; half *= 2)
                for (k = 0; k < half; k++)
                {
                    angle = sign * 3.14159265358979323846 * k / half
                    wr = cos(angle); wi = sin(angle)
                    for (i = k; i < N; i += 2 * half)
                    {
                        j = i + half
                        xr = wr * re[j] - wi * im[j]; xi = wr * im[j] + wi * re[j]
                        re[j] = re[i] - xr; im[j] = im[i] - xi
                        re[i] += xr; im[i] += xi
                    }
                }
        }
        { e[NR-1] = $1; h[NR-1] = $2 / 100 }
        END {
            step = 1 / 2 / (m - 1)
            for (k = 0; k < N; k++) re[k] = im[k] = 0
            # The left neighbour of the first node is its mirror image.
            before = exp(-step / 2); h_before = 1 - before + before * h[0]
            for (i = 0; i <= NR; i++)
            {
                a = exp((i + 0.5) * step); after = exp((i + 1.5) * step)
                left = (h_before - h[i]) / (a - before); right = (h[i] - h[i+1]) / (after - a)
                p = a * (left - right)
                if (p < 0) p = 0
                re[i] = p; re[N-1-i] = p / a
                total += p + p / a
                before = a; h_before = h[i]
            }
            if (total < 1 - 1e-9 || total > 1 + 1e-9) { print name ": total " total | "cat >&2"; exit 1 }
            fft(-1)
            for (k = 0; k < N; k++)
            {
                r = exp(T / 2 * log(re[k]^2 + im[k]^2)); angle = T * atan2(im[k], re[k])
                re[k] = r * cos(angle); im[k] = r * sin(angle)
            }
            fft(1)
            print name "_hi"
            while ((getline x < grid) > 0)
            {
                if (x == "eps") continue
                # Index k is the loss (k + T/2) step, k modulo N.
                s = 0
                for (k = -T / 2; k < N / 2 - T / 2; k++)
                    if ((k + T / 2) * step > x) s += re[(k + N) % N] / N * (1 - exp(x - (k + T / 2) * step))
                printf "%.6e\n", s * (1 + 1e-6) + 1e-12
            }
        }' "$work/nodes" >"$column"
}

figure2()
{
    pair='--pair clones-stronger --n 10000 --eps0 3 --subsample 1/100 --rounds 2000 --eps 0.2:2:10'
    start eps "$(points 1 10 5)"
    curve pld $pair
    chords 50 2000 1024
    chords 100 2000 2048
    chords 500 2000 8192
    chords 3000 2000 65536
    finish koskela23-fig2
}

# ---- Figure 3 ----

# Theorem 2 of Girgis, Data, Diggavi (NeurIPS 2021) in the form the authors of
# Figure 3 evaluate, composed and converted at the orders 2 to 1000: 1000 users
# sampled of 1e5, eps0 = 3, delta = 1e-5.
girgis()
{
    next
    awk -v grid="$work/000" '
        BEGIN {
            e = exp(3); k = 1000; g = 0.01
            bar = int((k - 1) / (2 * e)) + 1
            c = 2 * (e * e - 1)^2 / (bar * e * e)
            b = g * (e * e - 1) / (2 * e)
            for (j = 1; j <= 1000; j++) log_factorial[j] = log_factorial[j-1] + log(j)
            log_gamma_half[1] = log(3.14159265358979323846) / 2; log_gamma_half[2] = 0
            for (j = 3; j <= 1000; j++) log_gamma_half[j] = log_gamma_half[j-2] + log(j / 2 - 1)
            for (l = 2; l <= 1000; l++)
            {
                s = 2 * l * (l - 1) * g * g * (e - 1)^2 / (bar * e)
                for (j = 3; j <= l; j++)
                {
                    t = log_factorial[l] - log_factorial[j] - log_factorial[l-j] + j * log(g) + log(j) + log_gamma_half[j] + j / 2 * log(c)
                    if (t > 600) break
                    s += exp(t)
                }
                if (j <= l || l * log(1 + b) > 600) break
                s += ((1 + b)^l - 1 - l * b) * exp(-(k - 1) / (8 * e))
                renyi[l] = log(1 + s) / (l - 1)
            }
            print "girgis21-2_renyi_hi"
            while ((getline T < grid) > 0)
            {
                if (T == "T") continue
                best = ""
                for (a = 2; a < l; a++)
                {
                    v = T * renyi[a] + log(1 - 1 / a) + (-log(1e-5) - log(a)) / (a - 1)
                    if (best == "" || v < best) best = v
                }
                printf "%.6e\n", best * (1 + 1e-6)
            }
        }' </dev/null >"$column"
}

figure3()
{
    sampled='--n 100000 --eps0 3 --subsample 1/100 --delta 1e-5'
    start T '10 31 100 316 1000 3162 10000'
    girgis
    rounds clones-stronger_renyi --pair clones-stronger $sampled --via renyi --fast
    rounds clones --pair clones $sampled
    rounds clones-stronger --pair clones-stronger $sampled
    rounds rr2 --pair rr2 $sampled
    next
    printf '%s\n' printed_hi 0.00511312 0.0158720 0.0512220 0.161883 0.512309 1.61991 5.11411 >"$column"
    finish koskela23-fig3
}

# ---- Figure 4 ----

figure4()
{
    krr='--n 1000 --k 4 --gamma 1/4 --delta 1e-7:1e-4:13 --log'
    clones='--n 1000 --delta 1e-7:1e-4:13 --log'
    start delta "$("$shufbound" curve --pair clones --eps0 1 $clones --digits 2 | sed '/^#/d' | sed '1d; s/,.*//')"
    for T in 16 4 1; do
        curve strong-$T --pair krr-strong $krr --rounds $T
        curve clones-stronger-$T --pair clones-stronger --eps0 'log(13)' $clones --rounds $T
        curve weak-$T --pair krr-weak $krr --rounds $T
        curve feldman23-5.1-$T --pair trinomial --w0 13/16 --w1 1/16 --r0 1/16 --r1 1/16 $clones --rounds $T
    done
    finish koskela23-fig4
}

# ---- checks and plots ----

# Ends in order and close, no empty cell, every curve monotone (down if $2 is -),
# and $3, pairs UPPER>LOWER of curves that are in this order everywhere.
check()
{
    awk -F, -v panel=$1 -v sign="${2}1" -v orders="$3" '
        function fail(what) { print panel ": line " NR ": " what | "cat >&2"; bad = 1 }
        NR == 1 { for (i = 2; i <= NF; i++) name[i] = $i; width = NF; m = split(orders, order, " "); next }
        {
            if (NF != width) fail("wrong number of cells")
            for (i = 2; i <= width; i++)
            {
                if ($i == "") fail("no value of " name[i])
                if (name[i] ~ /_lo$/ && ($i > $(i+1) || $i < $(i+1) * 0.995)) fail(name[i] " is wide or upside down")
                if (name[i] ~ /_hi$/ && NR > 2 && ($i - last[i] * (1 - sign * 1e-4)) * sign < 0) fail(name[i] " is not monotone")
                last[i] = at[name[i]] = $i
            }
            for (i = 1; i <= m; i++)
            {
                split(order[i], side, ">")
                if (!(at[side[1] "_hi"] + 0 >= at[side[2] (side[2] "_lo" in at ? "_lo" : "_hi")] + 0)) fail("not " order[i])
            }
        }
        END { exit bad }' $1.csv
}

# $1 panel, $2 title, $3 x label, $4 y label, $5 more settings, then for each curve its
# column (the upper end, the lower of a lower bound), colour, dash type and what to call it.
plot()
{
    command -v gnuplot >/dev/null || { echo "koskela.sh: gnuplot is missing, no SVG" >&2; return; }
    panel=$1
    {
        echo "set terminal svg size 860,460 fixed font 'sans-serif,12' background 'white'"
        echo "set output '$1.svg'; set datafile separator ','; set key outside right Left reverse; set grid; set autoscale xfix"
        echo "set xlabel '$3'; set ylabel '$4'; set title '$1:   $2'; $5"
        shift 5
        separator=plot
        while test $# -gt 0; do
            printf "%s '%s.csv' using '%s':'%s' with lines linewidth 2 linecolor '%s' dashtype %s title '%s' noenhanced" \
                "$separator" $panel "$(sed 's/,.*//; q' $panel.csv)" "$1" "$2" "$3" "$4"
            separator=,
            shift 4
        done
        echo
    } | gnuplot
}

# ---- Figure 5 ----

# H(M(X')||M(X)), all of X equal, one value of X' at distance 1.
figure5()
{
    start eps "$(points 0 20 20)"
    for n in 1 2 3 4 5 6 7; do
        curve gaussian-$n --pair gaussian --n $n --sigma 2 --eps 0:1:21 --direction qp
    done
    finish koskela23-fig5
}

figure1
check koskela23-fig1 - 'renyi-1>pld-1 renyi-2>pld-2 renyi-3>pld-3 renyi-4>pld-4 strong-2>pld-2 pld-4>pld-3 pld-3>pld-2 pld-2>pld-1'
plot koskela23-fig1 'clones-stronger  n = 1e4  ε0 = 4' ε δ "set logscale y; set format y '%.0e'; set yrange [1e-13:1]" \
    renyi-4_hi red 2 'Renyi, T = 4' pld-4_hi red 1 'pld, T = 4' renyi-3_hi orange 2 'Renyi, T = 3' pld-3_hi orange 1 'pld, T = 3' \
    strong-2_hi blue 3 'strong composition, T = 2' renyi-2_hi blue 2 'Renyi, T = 2' pld-2_hi blue 1 'pld, T = 2' \
    renyi-1_hi black 2 'Renyi, T = 1' pld-1_hi black 1 'exact, T = 1'

figure2
check koskela23-fig2 - 'grid-50>grid-100 grid-100>grid-500 grid-500>grid-3000 grid-3000>pld'
plot koskela23-fig2 'sampled n = 100 of 1e4  ε0 = 3  T = 2000' ε δ "set logscale y; set format y '%.0e'; set yrange [1e-7:1]" \
    pld_hi black 1 'clones-stronger, pld' grid-50_hi red 2 'clones-stronger, 50 nodes' grid-100_hi orange 2 'clones-stronger, 100 nodes' \
    grid-500_hi cyan 2 'clones-stronger, 500 nodes' grid-3000_hi magenta 3 'clones-stronger, 3000 nodes'

figure3
check koskela23-fig3 + 'girgis21-2_renyi>clones clones>clones-stronger clones-stronger_renyi>clones-stronger clones-stronger>rr2'
plot koskela23-fig3 'sampled n = 1000 of 1e5  ε0 = 3  δ = 1e-5' 'rounds T' ε 'set logscale xy' \
    girgis21-2_renyi_hi black 2 'girgis21 theorem 2 (not checked)' printed_hi red 2 'printed pld (not a bound)' clones-stronger_renyi_hi orange 1 'clones-stronger, Renyi' \
    clones_hi blue 1 'clones, pld' clones-stronger_hi dark-green 1 'clones-stronger, pld' rr2_lo magenta 3 'rr2, pld (lower bound)'

figure4
check koskela23-fig4 - 'strong-1>weak-1 strong-4>weak-4 strong-16>weak-16 clones-stronger-1>weak-1 clones-stronger-4>weak-4 clones-stronger-16>weak-16'
plot koskela23-fig4 'n = 1000  k = 4  γ = 1/4  ε0 = log 13' δ ε "set logscale x; set format x '%.0e'; set yrange [0:*]" \
    strong-16_hi red 1 'krr-strong, T = 16' clones-stronger-16_hi blue 1 'clones-stronger, T = 16' weak-16_hi dark-green 1 'krr-weak, T = 16' feldman23-5.1-16_hi gold 2 'feldman23 5.1, T = 16 (not checked)' \
    strong-4_hi red 1 'krr-strong, T = 4' clones-stronger-4_hi blue 1 'clones-stronger, T = 4' weak-4_hi dark-green 1 'krr-weak, T = 4' feldman23-5.1-4_hi gold 2 'feldman23 5.1, T = 4 (not checked)' \
    strong-1_hi red 1 'krr-strong, T = 1' clones-stronger-1_hi blue 1 'clones-stronger, T = 1' weak-1_hi dark-green 1 'krr-weak, T = 1' feldman23-5.1-1_hi gold 2 'feldman23 5.1, T = 1 (not checked)'

figure5
check koskela23-fig5 - 'gaussian-1>gaussian-2 gaussian-2>gaussian-3 gaussian-3>gaussian-4 gaussian-4>gaussian-5 gaussian-5>gaussian-6 gaussian-6>gaussian-7'
plot koskela23-fig5 'shuffled Gaussian  σ = 2  all equal' ε δ "set logscale y; set format y '%.0e'" \
    gaussian-1_hi black 1 'n = 1' gaussian-2_hi blue 1 'n = 2' gaussian-3_hi dark-green 1 'n = 3' gaussian-4_hi gold 1 'n = 4' \
    gaussian-5_hi orange 1 'n = 5' gaussian-6_hi red 1 'n = 6' gaussian-7_hi magenta 1 'n = 7'
