#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Several rounds and samples of the users: laws of the privacy loss, and --compose.
# shellcheck disable=SC2086,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"

# privacy loss distributions: the default for several rounds and subsampling
overlaps 0.02494731866 0.02494732493 delta $clones --eps 0.3 --rounds 4
overlaps 0.01477980 0.01477981 delta $clones --eps 1 --rounds 16
overlaps 1.0152241413 1.0152245507 epsilon --pair clones --n 1e6 --eps0 0.5 --delta 1e-8 --rounds 1e5 --digits 3
# one round is what the other engine says
overlaps 1.4552590355144234e-5 1.4552590355144236e-5 delta $clones --eps 0.5 --via pld --digits 4
overlaps 1.4552590355144234e-5 1.4552590355144236e-5 delta $clones --eps 0.5 --rounds 1 --digits 4
overlaps 0.6009087636 0.6009087637 epsilon $clones --delta 1e-6 --via pld --digits 4
# small cases, summed over all outcomes: P is the law on all-equal data
overlaps 0.2471413614585 0.2471413614586 delta --pair rr2 --n 4 --eps0 1 --eps 0.2 --rounds 2 --direction pq --digits 4
overlaps 0.2320721397622 0.2320721397623 delta --pair rr2 --n 4 --eps0 1 --eps 0.2 --rounds 2 --direction qp --digits 4
overlaps 0.0507283270028 0.0507283270029 delta --pair rr2 --n 16 --eps0 1 --eps 0.05 --rounds 2 --direction pq --subsample 1/4 --digits 4
overlaps 0.0547203686303 0.0547203686304 delta --pair rr2 --n 16 --eps0 1 --eps 0.05 --rounds 2 --subsample 1/4 --digits 3
overlaps 0.0448910738326 0.0448910738327 delta --pair krr-same --k 3 --n 16 --eps0 1 --eps 0.05 --rounds 2 --subsample 1/4 --digits 4
overlaps 0.0078542227 0.0078545781 delta $small --eps 0.1 --rounds 4 --digits 4
# below what Renyi divergences give
within 0 0.0581794 epsilon --pair clones --n 1e6 --eps0 1 --delta 1e-6 --rounds 100 --digits 3
within 0 0.0667228105455015 epsilon --pair clones --n 3000 --eps0 1 --delta 1e-2 --rounds 10 --subsample 1/10 --digits 2
expect 0 '"side":"upper".*"through":\["pld-composition"\]' delta $small --eps 0.1 --rounds 4 --json
expect 0 '"aliasing":"[0-9].*"through":\["subsample-profile","pld-composition"\]' delta $small --eps 0.02 --rounds 4 --subsample 1/10 --json
expect 0 '"params":{.*"rounds":"4","subsample":"1/10"}' delta $small --eps 0.02 --rounds 4 --subsample 1/10 --digits 3 --json
expect 0 '"side":"lower".*"theorem":"rr2".*"through":\["subsample-replaced"' delta --pair rr2 --n 4 --eps0 1 --eps 0.05 --subsample 1/4 --digits 3 --json
expect 0 'a certified lower bound' epsilon --pair rr2 --n 4 --eps0 1 --delta 0.1 --rounds 2 --digits 3
expect 0 'aliasing  ' delta $small --eps 0.1 --rounds 4 --explain
overlaps 1.23639e-8 1.2364e-8 delta $small --eps 0.1 --subsample 1/10 --digits 3
expect 3 'accuracy not reached' delta $small --eps 0.1 --rounds 4 --digits 40 --max-seconds 1
expect 64 '\-\-rounds is 0: a whole number from 1' delta $small --eps 1 --rounds 0
expect 64 '\-\-rounds is 1e10: a whole number from 1 to 1e9 is allowed' delta $small --eps 1 --rounds 1e10
within 2 2 epsilon $small --delta 0 --rounds 2
expect 64 'krr-third-sampled, rr2 or krr-same' delta --pair krr-third --n 10 --k 3 --eps0 1 --eps 0.1 --subsample 1/2
expect 64 '\-\-direction does not go with --subsample' delta $small --eps 1 --subsample 1/2 --direction pq

# compositions
echo '[{"mechanism":{"type":"ldp","eps0":"1"},"users":"1000","rounds":7}]' >"$work/seven.json"

# from the sum of the largest losses on: 2 eps0, or 2 log(1 + (3-1)/4)
within 0 0 delta --pair rr2 --n 3 --eps0 1 --eps 2 --rounds 2
within 0 0 delta --pair clones --n 200 --eps0 'log(3)' --eps 'log(9/4)' --rounds 2 --subsample 1/4

echo '[{"mechanism":{"type":"ldp","eps0":"1"},"users":"1000","rounds":3},{"mechanism":{"type":"ldp","eps0":"1"},"users":"1000","rounds":4}]' >"$work/three-four.json"
expect 0 'theorem renyi-composition (proved' renyi --compose "$work/seven.json" --order 4
expect 0 'theorem pld-composition (proved, exact)' delta --compose "$work/seven.json" --eps 0.1 --digits 4
overlaps 0.010174397589 0.010174400585 delta --compose "$work/three-four.json" --eps 0.1 --digits 4
overlaps 0.21067640831 0.21067651858 epsilon --compose "$work/three-four.json" --delta 1e-3 --digits 4
expect 0 '"side":"upper".*"theorem":"clones-stronger".*"through":\["pld-composition"\]' epsilon --compose "$work/seven.json" --delta 1e-3 --digits 4 --json
expect 64 '\-\-via is strong-composition: it takes rounds of one mechanism' delta --compose "$work/three-four.json" --eps 1 --via strong-composition
expect 64 '\-\-direction goes with a --pair' delta --compose "$work/seven.json" --eps 1 --direction pq
echo '{"mechanism":{"type":"noisy-sgd","sampler":"fixed","noise_multiplier":2,"steps":3},"direction":"pq","ask":{"quantity":"delta","eps":1}}' >"$work/way.jsonl"
"$program" ask "$work/way.jsonl" >"$work/out" 2>&1
grep -q 'direction.*goes with a .*pair' "$work/out" || fail "a direction of a mechanism is not refused"
expect 64 '\-\-compose does not go with --pair' renyi --compose "$work/seven.json" --order 4 $small
expect 64 '\-\-compose does not go with --pair, --mechanism, --n, --rounds' renyi --compose "$work/seven.json" --order 4 --rounds 2
expect 65 'cannot open' renyi --compose "$work/none.json" --order 4
echo '{"id":"x"' >"$work/bad.json"
expect 65 'not JSON' renyi --compose "$work/bad.json" --order 4

# 3 + 4 rounds are 7, by the smallest bound
"$program" renyi --pair clones-stronger --n 1000 --eps0 1 --order 4 --rounds 7 --explain | sed -n 's/^Renyi divergence <= \([^ ]*\) .*/\1/p' | cut -c1-12 >"$work/pair"
"$program" renyi --compose "$work/seven.json" --order 4 --explain | sed -n 's/^Renyi divergence <= \([^ ]*\) .*/\1/p' | cut -c1-12 >"$work/seven"
"$program" renyi --compose "$work/three-four.json" --order 4 --explain | sed -n 's/^Renyi divergence <= \([^ ]*\) .*/\1/p' | cut -c1-12 >"$work/three-four"
check "a bound of the mechanism" [ -s "$work/pair" ]
check "3 + 4 rounds" cmp -s "$work/seven" "$work/three-four"
check "7 rounds" cmp -s "$work/seven" "$work/pair"

# without a finite eps0
echo '[{"mechanism":{"type":"gaussian","scale":"1"},"users":"100","rounds":2}]' >"$work/noise.json"
expect 0 '^delta <= 0\.0023' delta --compose "$work/noise.json" --eps 0.5 --digits 1 --effort 1e9
finish
