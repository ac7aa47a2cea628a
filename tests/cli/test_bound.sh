#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The closed forms of papers: bound, estimate; and theorems.
# shellcheck disable=SC2086,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"

expect 0 'eps0 in \[2\.89566900338' estimate --k 100 --n 1e5 --eps 0.5 --delta 1e-6
expect 0 'squared-error in \[2\.86975181166' estimate --k 100 --n 1e5 --eps 0.5 --delta 1e-6
expect 0 'the lower end is certified: clones-stronger' bound feldman21-5.2 --n 1e5 --eps 0.5 --delta 1e-6
expect 0 '"notes":\["the lower end is certified' bound feldman21-5.2 --n 1e5 --eps 0.5 --delta 1e-6 --json
expect 0 'no guarantee: feldman21-5.2 is conditional' bound feldman21-5.2 --n 1e5 --eps 0.5 --delta 1e-6
expect 0 '"side":"none"' bound feldman21-5.2 --n 1e5 --eps 0.5 --delta 1e-6 --json
expect 0 'not positive' bound feldman21-5.2 --n 1e6 --eps 0.005 --delta 1e-6
expect 64 'form feldman21-5.2: outside its region' bound feldman21-5.2 --n 1e6 --eps 1 --delta 1e-6
expect 0 'epsilon in \[0\.214025651930837' bound feldman21-3.1 --n 1e4 --eps0 1 --delta 1e-6
expect 64 'form feldman21-3.1: outside its region: 0 < delta <= 1, eps0 <=' bound feldman21-3.1 --n 100 --eps0 5 --delta 1e-6
expect 0 'clones-stronger *proved' theorems
expect 0 'status     refuted' theorems variation-ratio-krr
expect 64 'no theorem "nope"' theorems nope

within 1.96553340119319 1.96553340119320 bound chen24-cor2 --n 1001 --eps0 4 --order 18
within 0.46755 0.46756 bound chen24-thm2 --n 1000 --eps0 4
expect 0 'not a bound: chen24-cor2 is refuted' bound chen24-cor2 --n 1001 --eps0 4 --order 18
expect 0 'not a bound: erlingsson19-renyi is unproved' bound erlingsson19-renyi --n 1001 --eps0 1 --order 3
expect 0 '"side":"none".*"status":"refuted"' bound chen24-cor2 --n 1001 --eps0 4 --order 18 --json
expect 0 '^girgis21-3.1-gamma *proved *--n --eps0 \[--gamma\] --order$' bound
expect 0 '"theorem":"feldman21-4.2".*"takes_k":true' bound --json
expect 64 '\-\-delta does not go with girgis21-3.1, which takes --n --eps0 --order' bound girgis21-3.1 --n 100 --eps0 1 --delta 1e-6
expect 64 '\-\-gamma does not go with girgis21-3.1, which takes' bound girgis21-3.1 --n 100 --eps0 1 --order 3 --gamma 1/2
expect 64 '\-\-k is missing: feldman21-4.2 takes' bound feldman21-4.2 --n 100 --eps0 1 --delta 1e-6
expect 64 '\-\-eps0 is missing: girgis21-3.1 takes' bound girgis21-3.1 --n 100 --order 3
expect 64 '\-\-gamma is 2' bound girgis21-3.1-gamma --n 100 --eps0 1 --order 3 --gamma 2
expect 64 'bound "nope" is not a closed form' bound nope --n 100
expect 64 'exclude each other' bound feldman21-3.1 --n 1e4 --eps0 1 --delta 1e-6 --eps 1
expect 64 'form girgis21-3.2: outside its region: ' bound girgis21-3.2 --n 10 --eps0 1 --order 3
# without the words around it the number of a formula that is no bound is not printed
expect 0 '^none$' bound chen24-cor2 --n 1001 --eps0 4 --order 18 --quiet
expect 64 '\-\-quiet does not go with --json' bound chen24-cor2 --n 1001 --eps0 4 --order 18 --quiet --json
finish
