#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Questions of each road have the values, sides and theorems of their vectors: subsets, conversions, type II errors, closed
# forms. (tests/vectors/test_files.sh asks all of them.) Neighbours that replace a RAPPOR vector are two deletions away, each a
# report of one bit, which is known better than by its eps0. More digits never weaken an end, where they take more work than
# there is too. Of the vectors the gate asks one in ten.
. "${srcdir:-.}/tests/check.sh"
vectors=$source/vectors
sum='{"mechanism":{"type":"rappor","eps0":"1","k":8},"users":"1000","release":"sum","ask":{"quantity":"epsilon","delta":"1e-6"}}'
two='{"pair":{"type":"clones-stronger","eps0":"1"},"users":"1000","rounds":2,"ask":{"quantity":"epsilon","delta":"1e-6"}}'
hi() {
    echo "$1" | "$program" ask - | sed 's/.*"\(upper\|value\)":{[^{}]*"hi":"\([^"]*\)".*/\2/; s/\(0\.[0-9]\{4\}\).*/\1/'
}
if ! awk "BEGIN { exit !($(hi "$sum") < $(hi "$two") && $(hi "$sum") > 0.8 * $(hi "$two")) }"; then
    echo "FAIL: a sum of RAPPOR vectors: $(hi "$sum"), more than twice the stronger clones: $(hi "$two")" >&2
    exit 1
fi
ends() { # QUESTION DIGITS: the upper and the lower end
    echo "$1" | sed "s/}\$/,\"digits\":$2}/" | "$program" ask - |
        sed 's/.*"upper":{[^{}]*"hi":"\([^"]*\)".*"lower":{[^{}]*"lo":"\([^"]*\)".*/\1 \2/'
}
never_weaker() { # QUESTION FEW MORE...: digits
    question=$1
    least=$2
    few=$(ends "$question" "$least")
    shift 2
    for digits; do
        many=$(ends "$question" "$digits")
        if ! echo "$few $many" | awk '{ exit !(NF == 4 && $3 <= $1 && $4 >= $2) }'; then
            echo "FAIL: $digits digits have the ends $many, $least have $few: $question" >&2
            exit 1
        fi
    done
}
never_weaker '{"mechanism":{"type":"hadamard-response","k":15,"eps0":"3"},"users":10000,"effort":"2e9","ask":{"quantity":"epsilon","delta":"1e-6"}}' 4 6 8 12
never_weaker '{"mechanism":{"type":"noisy-sgd","sampler":"poisson","noise_multiplier":"3","steps":10,"sampling_rate":"1/10"},"effort":"1e8","ask":{"quantity":"delta","eps":"1/10"}}' 8 16
check "a vector" "$program" vectors check --sample "$(gate_or_all 10 1)" "$vectors/subsample.json" "$vectors/conversion.json" "$vectors/tradeoff.json" "$vectors/bound.json"
finish
