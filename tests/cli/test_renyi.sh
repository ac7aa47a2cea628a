#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# renyi, and what --via makes of Renyi divergences and of (eps, delta).
# shellcheck disable=SC2086,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"

# renyi: the values of small cases were computed from the definition in 40-digit arithmetic
within 0.2410615797578877 0.2410615797578878 renyi --pair clones --n 10 --eps0 1 --order 2
within 0.850027368344287 0.850027368344288 renyi --pair clones --n 10 --eps0 1 --order 1 --rounds 7
within 3.4577552952389 3.4577552952390 renyi --pair clones --n 1001 --eps0 4 --order 18
within 3.45775529 3.45775530 renyi --pair clones --n 1001 --eps0 4 --order 18 --fast
within 2.931289538555909 2.931289538555910 renyi --pair rr2 --n 1001 --eps0 4 --order 18 --direction pq
within 7 7 renyi $small --order inf --rounds 7
# of samples: sums over the outcomes of the pair, which share nothing with profiles at nodes
within 0.0506315 0.0506317 renyi --pair clones --n 120 --eps0 1 --order 5 --rounds 7 --subsample 1/10
within 0.0506315 0.0506317 renyi --pair clones --n 120 --eps0 1 --order 5 --rounds 7 --subsample 0.1 --fast
within 2.10055e-6 2.10056e-6 renyi --pair clones --n 100 --eps0 0.1 --order 4 --subsample 1/100
expect 0 'subsample-profile (proved' renyi $small --order 4 --subsample 1/100
# --n, or --users, is everyone
within 7.46304e-5 7.46305e-5 renyi $small --order 4 --subsample 1/100
expect 0 '"users":"1000","neighbours":"replace","sample":{"scheme":"fixed","rate":"1/100"}' renyi --pair clones --users 1000 --eps0 1 --order 4 --subsample 1/100 --json
expect 64 '\-\-subsample is 0.3: rate times 2 users must be a whole number' delta --pair clones --n 2 --eps0 1 --eps 0.1 --subsample 0.3
expect 0 'theorem renyi-composition (proved, exact)' renyi $small --order 4 --rounds 16
expect 0 'Renyi divergence is infinite: the largest privacy loss is infinite' renyi $krr --order 2
expect 0 '"quantity":"renyi","lo":null,"hi":null,.*"infinite":true,.*"theorem":"krr-strong"' renyi $krr --order 2 --json
expect 0 'Renyi divergence is infinite' renyi $krr --order 4 --subsample 1/10 --rounds 3
expect 0 'Renyi divergence is infinite' renyi $krr --order inf
expect 64 '\-\-order is missing' renyi $small
expect 64 '\-\-order is 0.5: between 1 and 1e18' renyi $small --order 0.5
expect 64 '\-\-order is 1e19: between 1 and 1e18' renyi $small --order 1e19
expect 64 '\-\-order is "abc"' renyi $small --order abc
within 0.00149256 0.00149258 renyi $small --order 2.5 --subsample 1/2
within 0.62011450695827752 0.62011450695827753 renyi $small --order inf --subsample 1/2
expect 64 '\-\-rounds is 0: a whole number from 1' renyi $small --order 2 --rounds 0
expect 64 '\-\-subsample is 2: ' renyi $small --order 2 --subsample 2
expect 64 '\-\-subsample is 0: ' renyi $small --order 2 --subsample 0
expect 64 '\-\-subsample is log(2): a rational' renyi $small --order 2 --subsample 'log(2)'
expect 64 '\-\-subsample needs a pair that bounds a mechanism from above' renyi --pair rr2 --n 10 --eps0 1 --order 2 --subsample 1/2
expect 64 '\-\-direction does not go with --subsample' renyi $small --order 2 --subsample 1/2 --direction pq
expect 0 'Renyi divergence in' renyi --pair krr-weak --n 10 --k 3 --gamma 1/2 --order 2 --fast
expect 64 '\-\-eps does not go with renyi' renyi $small --order 2 --eps 1

# conversions
expect 0 '"at":{"order":"[0-9.]*"}.*"through":\["renyi-composition","renyi-conversion"\]' epsilon $small --delta 1e-6 --via renyi --rounds 10 --json
expect 0 'a certified upper bound on epsilon; the enclosure is of' epsilon $small --delta 1e-6 --via renyi
expect 0 '^  order [0-9.]*$' epsilon --pair clones --n 300 --eps0 1 --delta 1e-3 --via renyi --rounds 10 --subsample 1/10
within 0.01438 0.01439 epsilon --pair clones --n 3000 --eps0 1 --delta 1e-2 --via renyi --rounds 10 --subsample 1/10
expect 0 'a bound of the pair; no guarantee for a mechanism' epsilon --pair rr2 --n 100 --eps0 1 --delta 1e-6 --via renyi
expect 0 '"side":"none"' epsilon --pair rr2 --n 100 --eps0 1 --delta 1e-6 --via renyi --json
within 0.2515388686575444 0.2515388686575445 epsilon --pair clones --n 1e6 --eps0 1 --delta 1e-6 --via strong-composition --rounds 100
within 7.72995593839517e-6 7.72995593839518e-6 delta --pair clones --n 1e6 --eps0 1 --eps 0.2 --via strong-composition --rounds 100
within 2 2 epsilon $small --delta 0 --via strong-composition --rounds 2
expect 0 'theorem kairouz15-optimal' epsilon $small --delta 1e-6 --via strong-composition --rounds 2
expect 3 'no finite epsilon was found' epsilon $krr --delta 1e-3 --via renyi
expect 0 'theorem subsample-profile (proved' delta $small --eps 1 --subsample 1/2 --via strong-composition --rounds 2
# one round is itself
within 0 0 delta $small --eps 1 --via strong-composition
expect 64 '\-\-via is "magic": pld, renyi or strong-composition' delta $small --eps 1 --via magic
expect 64 '\-\-direction does not go with --via renyi' delta $small --eps 1 --via renyi --direction pq
expect 64 '\-\-delta is 0: with --via renyi more than 0' epsilon $small --delta 0 --via renyi

# few digits of a mixture of many users come from its profile, and say so; more do not
expect 0 'krr-weak, renyi-profile: proved' renyi --pair krr-weak --n 10000 --k 10 --eps0 2 --order 257 --digits 4
within 0.06394 0.06395 renyi --pair krr-weak --n 10000 --k 10 --eps0 2 --order 257 --digits 4
expect 0 '(krr-weak: proved' renyi --pair krr-weak --n 6000 --k 3 --eps0 2 --order 2 --digits 7

# eps0 tanh(eps0/2), the mean loss of one report; 1/e of Laplace noise of scale 1
within 0.4620 0.4626 zcdp --pair rr2 --n 1 --eps0 1
# what follows from Gaussian DP is less than what orders say, and no less than what they reach
printf '{"mechanism":{"type":"krr","k":4,"eps0":"2"},"users":1000,"digits":2,"ask":{"quantity":"zcdp"}}' >"$work/question.json"
expect 0 '"lo":"0\.004[12].*"hi":"0\.0044.*dong22-b\.6' ask "$work/question.json"
printf '{"type":"additive-noise","noise":"gaussian","scale":2}' >"$work/noise.json"
expect 0 'rho >= 0\.125 *reached in the worst case' zcdp --mechanism "$work/noise.json"
expect 0 'CERTIFIED: the claim 1/8-zCDP' zcdp --mechanism "$work/noise.json" --rho 1/8
expect 1 'REFUTED: the claim 0.1249-zCDP' zcdp --mechanism "$work/noise.json" --rho 0.1249
expect 64 '\-\-rho is -1' zcdp $small --rho -1

# a conversion is what its formula says at the order that it prints
"$program" epsilon $small --delta 1e-6 --via renyi --rounds 10 --explain >"$work/out"
order=$(sed -n 's/^  order //p' "$work/out")
"$program" renyi $small --order "$order" --rounds 10 --explain >>"$work/out"
check "conversion at order $order" awk -v a="$order" '
    /^[a-zA-Z ]* in \[/ { sub(/.* in \[/, ""); sub(/,.*/, ""); x[++n] = $0 + 0 }
    END { e = x[2] + log(1 - 1/a) - (log(1e-6) + log(a))/(a - 1); exit !(n == 2 && x[1] - e < 1e-12 && e - x[1] < 1e-12) }' "$work/out"
finish
