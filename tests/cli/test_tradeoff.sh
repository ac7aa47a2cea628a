#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# tradeoff and gdp: trade-off functions and Gaussian DP.
# shellcheck disable=SC2086,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"

# trade-off functions and Gaussian DP
within 0.7838657491 0.7838657492 tradeoff --pair clones --n 10 --eps0 1 --type1 0.1
expect 0 'type II error in .0, 0' tradeoff $small --type1 1
expect 0 '"quantity":"tradeoff".*"through":."dong22-2.12"' tradeoff --pair rr2 --n 10 --eps0 1 --type1 0.1 --json
expect 0 '^{"type1":"0.5","rr2":{"lo":"0\.36793463.*"theorems":\["rr2","dong22-2.12"\]' tradeoff --pair rr2 --n 10 --eps0 1 --type1 0.1:0.5:3 --json
expect 0 '^type1,rr2_lo,rr2_hi' tradeoff --pair rr2 --n 10 --eps0 1 --type1 0.1:0.5:3
expect 64 'type1 is missing' tradeoff $small
expect 64 'A:B:K with rational numbers A < B' tradeoff $small --type1 0.5:0.1:3
within 0.660459 0.660465 gdp --pair rr2 --n 1000 --eps0 4 --eps 0:4
within 0.039746 0.039747 gdp --pair rr2 --n 10000 --eps0 2 --eps 0:2 --digits 8
# the largest one between the first nodes, by steps
within 0.0090786516 0.0090787 gdp --pair rr2 --n 20000 --eps0 1 --eps 0:1
# four rounds: at most twice one round's mu, where the nodes of all rounds end with the work
expect 3 'mu in .0\.08[0-9]*, 0\.10[0-9]*.' gdp --pair clones --n 10000 --eps0 2 --eps 0:2 --rounds 4 --effort 1e9
within 0.2408 0.2421 gdp --pair rr2 --n 100 --eps0 1 --eps 0:2 --rounds 4 --digits 2
expect 0 'Gaussian DP in full' gdp --pair rr2 --n 1000 --eps0 4 --eps 0:4
expect 0 'on this range of eps only' gdp --pair rr2 --n 10 --eps0 1 --eps 0:1 --direction qp
expect 2 '"notes":\["on this range of eps only' gdp --pair rr2 --n 10 --eps0 1 --eps 0:1 --direction pq --mu 5 --json
expect 0 'Gaussian DP in full' gdp --pair clones --n 10 --eps0 1 --eps 0:1 --direction pq
expect 0 'witness eps = [0-9]\{20,\}/[0-9]\{90,\}$' gdp --pair clones --n 100 --eps0 1 --eps 1e-70:1e-60
expect 1 '^REFUTED: the claim 0.46756-GDP for eps from 0 to 4$' gdp --pair rr2 --n 1000 --eps0 4 --eps 0:4 --mu 0.46756
# of a pair that bounds from below nothing is certified
expect 2 '"verdict":"undecided"' gdp --pair rr2 --n 1000 --eps0 4 --eps 0:4 --mu 0.661 --json
expect 0 'Gaussian DP in full.*"verdict":"certified"' gdp --pair clones --n 10 --eps0 1 --eps 0:1 --mu 0.53 --json
expect 2 '^UNDECIDED: the claim 0.5-GDP for eps from 0 to 1$' gdp --pair clones --n 10 --eps0 1 --eps 0:1 --mu 0.5
# balls and bins at single points; points whose digits are not all computed at once
question() { printf '{"mechanism":{"type":"noisy-sgd",%s},"ask":{%s}}' "$1" "$2" >"$work/question.json"; }
question '"sampler":"balls-and-bins","noise_multiplier":"1.8","steps":100' '"quantity":"gdp","eps":["0","1"]'
expect 0 '"lo":"0\.112831354[0-9]*","hi":"0\.112831918' ask "$work/question.json"
question '"sampler":"balls-and-bins","noise_multiplier":"1.8","steps":100' '"quantity":"tradeoff","type1":"0.5"'
expect 0 '"lo":"0\.476058166[0-9]*","hi":"0\.476058168' ask "$work/question.json"
question '"sampler":"poisson","noise_multiplier":"3.1","steps":13,"sampling_rate":"1/150"' '"quantity":"gdp","eps":["0","4"]'
expect 0 '"lo":"0\.143693923[0-9]*","hi":"0\.143694642' ask "$work/question.json"
expect 64 '\-\-eps is from 1 to 0.5: a range with A <= B is allowed' gdp $small --eps 1:0.5
expect 64 'mu is 0: more than 0' gdp $small --eps 1 --mu 0
finish
