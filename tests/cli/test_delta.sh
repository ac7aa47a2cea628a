#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# delta, epsilon and calibrate: one round of every pair.
# shellcheck disable=SC2086,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"

expect 0 'delta in \[1\.455259035514423.e-5, 1\.455259035514423.e-5\]' delta $clones --eps 0.5
expect 0 '"lo":"1\.45525903551442' delta $clones --eps 0.5 --json
expect 0 '"theorem":"clones","status":"proved"' delta $clones --eps 1/2 --json
expect 0 'truncation' delta $clones --eps 0.5 --explain
expect 0 'delta in \[0, 0\]' delta $clones --eps 4
expect 0 'delta in \[1\.4552590355' delta $clones --eps 0.5 --fast
expect 0 'epsilon in \[0\.6009087636' epsilon $clones --delta 1e-6
expect 0 'epsilon in \[0\.60090876' epsilon $clones --delta 1e-6 --fast
expect 0 'epsilon in \[0, 0\]' epsilon $clones --delta 1
expect 0 'epsilon in \[4, 4\]' epsilon $clones --delta 0
expect 0 '^epsilon is infinite: outcomes that one law never has are more likely than delta' epsilon --pair krr-strong --n 10 --k 3 --gamma 1/2 --delta 0
for more in '' '--rounds 3' '--subsample 1/2' '--subsample 1/2 --rounds 3'; do
    expect 0 '^epsilon is infinite' epsilon --pair krr-strong --n 100000 --gamma 1/1000 --k 5 --delta 1e-20 $more
    expect 0 '"lo":null,"hi":null,.*"infinite":true,.*"accuracy_reached":true' epsilon --pair krr-strong --n 100000 --gamma 1/1000 --k 5 --delta 1e-20 $more --json
done
expect 0 '0\.018749\|0\.01875' delta --pair krr --others third --n 2 --k 3 --eps0 'log(2)' --eps 'log(1.7)'
expect 0 '0\.0375\|0\.037499' delta --pair krr-same --n 2 --k 3 --eps0 'log(2)' --eps 'log(1.7)'
expect 0 'eps0 in' calibrate --pair clones --n 10000 --eps 0.5 --delta 1e-6 --solve eps0 --digits 4
expect 0 '^users in \[156, 157\]' calibrate --pair clones --eps0 1 --eps 0.5 --delta 1e-6 --solve n
expect 0 'nothing is certified' calibrate --pair rr2 --eps0 1 --eps 0.5 --delta 1e-3 --solve n
expect 3 'every eps0 up to the lower end, the largest that is tried, is certified' calibrate --pair clones --n 10 --eps 1 --delta 1 --solve eps0
within 0.148670616354 0.148670616355 epsilon --pair clones-stronger --n 1000 --eps0 1 --delta 1e-6

# the shuffled Gaussian; P is the law on all-equal data, Q that with one value moved, for every pair from below
within 0.0183265 0.0183267 delta --pair gaussian --n 2 --sigma 2 --eps 0.5 --direction qp
within 0.0173974 0.0173976 delta --pair gaussian --n 2 --sigma 2 --eps 0.5 --direction pq
within 0.000593 0.000594 delta --pair gaussian --n 7 --sigma 2 --eps 0.5 --digits 3
expect 64 '\-\-sigma is missing' delta --pair gaussian --n 2 --eps 0.5
expect 64 '\-\-sigma is 0: between' delta --pair gaussian --n 2 --eps 0.5 --sigma 0
expect 64 '\-\-pair is gaussian: only delta and epsilon of one round' delta --pair gaussian --n 2 --eps 0.5 --sigma 1 --rounds 2
expect 64 '\-\-sigma does not go with --pair clones' delta --pair clones --n 2 --eps0 1 --eps 0.5 --sigma 1
expect 64 '\-\-pair is gaussian: only delta and epsilon of one round' renyi --pair gaussian --n 2 --sigma 1 --order 2
expect 0 '"direction":"qp"' delta --pair gaussian --n 2 --sigma 2 --eps 0.5 --direction qp --json
within 0.0183265 0.0183267 delta --pair gaussian --n 2 --sigma 2 --eps 0.5
finish
