#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# sgd and dpsgd.
# shellcheck disable=SC2086,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"

expect 3 'every eps0 up to the lower end, the largest that is tried, is certified' sgd --blocks 10 --epochs 1 --eps 1 --delta 1 --solve eps0
within 0.148670616354 0.148670616355 sgd --epochs 1 --blocks 1000 --eps0 1 --delta 1e-6
within 0.7893 0.7894 sgd --epochs 50 --blocks 101 --eps0 1 --order 2 --digits 4
expect 0 '"through":\["clones-stronger","pld-composition"\]' sgd --epochs 2 --blocks 100 --eps0 1 --eps 0.5 --digits 3 --json
within 0.612 0.6134 sgd --epochs 50 --blocks 100 --solve eps0 --eps 2 --delta 1e-5 --digits 3
expect 64 '\-\-delta or --eps or --order is missing: the delta' sgd --epochs 1 --blocks 10 --eps0 2
expect 64 '\-\-eps0 is missing: ' sgd --epochs 1 --blocks 10 --eps 1
expect 64 '\-\-delta, --eps and --order exclude' sgd --epochs 1 --blocks 10 --eps0 1 --eps 1 --order 2
within 9.25426 9.25427 dpsgd --sampler fixed --noise-multiplier 1 --steps 100 --epochs 3 --delta 1e-6
# little noise: a step that takes part and one that does not are far apart, and the search begins where few digits can be had
within 1003.591 1003.592 dpsgd --sampler poisson --noise-multiplier 0.1083 --sampling-rate 1/100 --steps 1000 --delta 1e-5 --digits 6
expect 1 'REFUTED: the claim (1, 1e-6)' dpsgd --sampler balls-and-bins --noise-multiplier 1 --steps 1 --delta 1e-6 --eps 1
expect 0 'neighbours remove one record' dpsgd --sampler shuffle --noise-multiplier 3 --steps 2 --eps 1
expect 0 '^delta >= 0\.9999999' dpsgd --sampler balls-and-bins --noise-multiplier 0.04 --steps 5 --epochs 2 --eps 1 --effort 1000000
expect 0 'noise_multiplier in \[3\.7[0-9]*, 3\.73[0-9]*\]' dpsgd --sampler fixed --steps 10 --eps 1 --delta 1e-5 --solve noise-multiplier
within 1.447985 1.49204 dpsgd --sampler random-allocation --noise-multiplier 3 --steps 100 --sampling-rate 1/10 --delta 1e-6 --digits 5
expect 0 'noise_multiplier in \[' dpsgd --sampler random-allocation --steps 6 --sampling-rate 2/3 --eps 1 --delta 1e-5 --solve noise-multiplier
expect 64 '\-\-sampling-rate is 1/3: with random-allocation' dpsgd --sampler random-allocation --noise-multiplier 1 --steps 10 --sampling-rate 1/3 --eps 1
expect 64 'both needed with random-allocation' dpsgd --sampler random-allocation --noise-multiplier 1 --steps 10 --eps 1
expect 64 '\-\-sampling-rate is 2/3: one over a whole number' dpsgd --sampler fixed --noise-multiplier 1 --sampling-rate 2/3 --eps 1
expect 64 '\-\-delta is 0: the largest loss' dpsgd --sampler fixed --noise-multiplier 1 --steps 2 --delta 0
expect 64 '\-\-epochs is what is searched for' dpsgd --sampler fixed --noise-multiplier 1 --steps 2 --delta 1e-3 --eps 1 --epochs 2 --solve epochs
expect 64 '\-\-blocks is missing' sgd --epochs 1 --eps0 2 --eps 0.1

# As trainers type it. The values of dp_accounting 0.6 (pessimistic losses, grid 1e-4) are no smaller: 2.381779, 3.706190, 2.532034.
mnist="--batch-size 256 --dataset-size 60000"
# a rounded end stays on its side of the claim
"$program" dpsgd --noise-multiplier 1.1 $mnist --epochs 60 --eps 2.381695 --delta 1e-5 >"$work/out"
check "the end beside the claim" grep -q '^epsilon <= 2\.38169[0-4]* ' "$work/out"
check "the number alone" [ "$("$program" dpsgd --noise-multiplier 1.1 $mnist --epochs 60 --delta 1e-5 --quiet)" = 2.382 ]
within 2.381689 2.381691 dpsgd --noise-multiplier 1.1 $mnist --epochs 60 --delta 1e-5
check "what is assumed" grep -q 'no --sampler is given; sampling rate 256/60000; 14063$' "$work/out"
within 2.381689 2.381691 dpsgd --sampler poisson --noise-multiplier 1.1 --sampling-rate 8/1875 --steps 14063 --delta 1e-5
check "nothing is assumed" [ "$(grep -c assumed "$work/out")" = 0 ]
within 3.706184 3.706189 dpsgd --noise-multiplier 0.8 --sampling-rate 0.01 --steps 1000 --delta 1e-6
within 2.532029 2.532033 dpsgd --noise-multiplier 2 --sampling-rate 0.05 --steps 500 --delta 1e-5
expect 0 '"sampling_rate":"8/1875"},.*"rounds":1,.*"assumed":"Poisson.*"params":{.*"batch-size":"256"' dpsgd --noise-multiplier 1.1 $mnist --epochs 60 --delta 1e-5 --json
within 0.96803 0.96869 dpsgd --target-epsilon 3 $mnist --epochs 60 --delta 1e-5
expect 0 'epochs in \[90, 91\]' dpsgd --noise-multiplier 1.1 $mnist --eps 3 --delta 1e-5 --solve epochs
expect 0 '235 steps' dpsgd --noise-multiplier 1.1 $mnist --eps 3 --delta 1e-5 --solve epochs
expect 0 '"steps":240}.*"rounds":4,' dpsgd --sampler fixed --noise-multiplier 1.1 --batch-size 250 --dataset-size 60000 --epochs 4 --delta 1e-5 --json
expect 0 'sampling rate 1/10, one over' dpsgd --noise-multiplier 3 --steps 10 --delta 1e-5
expect 64 '\-\-batch-size is 256: with --sampler shuffle it must divide --dataset-size, which is 60000' dpsgd --sampler shuffle --noise-multiplier 1 $mnist --delta 1e-5
expect 64 '\-\-batch-size is "5": a whole number from 1 to 4' dpsgd --noise-multiplier 1 --batch-size 5 --dataset-size 4 --delta 1e-5
expect 64 'poison": fixed, poisson' dpsgd --sampler poison --noise-multiplier 1 $mnist --delta 1e-5
expect 64 '\-\-dataset-size is missing' dpsgd --noise-multiplier 1 --batch-size 5 --delta 1e-5
expect 64 '\-\-sampling-rate follows from' dpsgd --noise-multiplier 1 $mnist --sampling-rate 1/3 --delta 1e-5
expect 64 '\-\-steps follows from' dpsgd --sampler fixed --noise-multiplier 1 $mnist --steps 3 --delta 1e-5
expect 64 '\-\-epochs is 1e9: at this sampling rate' dpsgd --noise-multiplier 1 --sampling-rate 0.3 --epochs 1e9 --delta 1e-5
expect 64 '\-\-target-epsilon finds' dpsgd --target-epsilon 3 $mnist --eps 3 --delta 1e-5
expect 64 '\-\-target-epsilon is -1: between' dpsgd --target-epsilon=-1 $mnist --delta 1e-5
expect 64 'did you mean --sampling-rate?' dpsgd --noise-multiplier 1 --sample-rate 1/3 --delta 1e-5
finish
