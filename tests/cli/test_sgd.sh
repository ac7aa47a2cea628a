#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# sgd and dpsgd.
# shellcheck disable=SC2086,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"

expect 3 'every eps0 up to the lower end, the largest that is tried, is certified' sgd --blocks 10 --epochs 1 --eps 1 --delta 1 --solve eps0
within 0.148670616354 0.148670616355 sgd --epochs 1 --blocks 1000 --eps0 1 --delta 1e-6
within 0.797268861622091 0.797268861622092 sgd --epochs 50 --blocks 100 --noise-scale 1/2 --clip 1/4 --order 2
within 0.7893 0.7894 sgd --epochs 50 --blocks 101 --eps0 1 --order 2 --digits 4
within 0.797268861622091 0.797268861622092 sgd --epochs 50 --blocks 100 --noise-scale 20 --clip 5 --dimension 4 --order 2
expect 0 'eps0 = 2 C sqrt(dimension)/B <= 1\.414213562373[0-9]*:' sgd --epochs 1 --blocks 10 --noise-scale 2 --clip 1 --dimension 2 --eps 0.1
expect 0 '"eps0":"14142135623731/10000000000000"' sgd --epochs 1 --blocks 10 --noise-scale 2 --clip 1 --dimension 2 --eps 0.1 --json
expect 0 'not a bound: chen24-thm3 is refuted' sgd --epochs 50 --blocks 100 --eps0 1 --order 2
expect 0 '"lo":"1\.16804537.*"through":\["clones","renyi-composition"\]' sgd --epochs 50 --blocks 100 --eps0 1 --order 2 --json
expect 0 '"lo":"5\.4914784.*"side":"none".*"theorem":"chen24-thm3","status":"refuted"' sgd --epochs 50 --blocks 100 --eps0 1 --order 2 --json
expect 0 'each round is (0\.[0-9]*, 1\.6666666[0-9]*e-7)-DP' sgd --epochs 3 --blocks 1e5 --eps0 1 --delta 1e-6 --digits 3
expect 0 '"through":\["clones-stronger","pld-composition"\]' sgd --epochs 2 --blocks 100 --eps0 1 --eps 0.5 --digits 3 --json
within 0.612 0.6134 sgd --epochs 50 --blocks 100 --solve eps0 --eps 2 --delta 1e-5 --digits 3
expect 0 'noise-scale in \[8\.69684156270[0-9]*, 8\.69684156271' sgd --epochs 1 --blocks 10000 --solve eps0 --eps 0.5 --delta 1e-5 --clip 20
expect 64 '\-\-noise-scale and --clip go together' sgd --epochs 1 --blocks 10 --noise-scale 2 --eps 0.1
expect 64 '\-\-dimension goes with --clip' sgd --epochs 1 --blocks 10 --eps0 2 --dimension 3 --eps 0.1
expect 64 'one of --delta, --eps and --order' sgd --epochs 1 --blocks 10 --eps0 2
expect 64 'one of --eps0 and --noise-scale' sgd --epochs 1 --blocks 10 --eps 1
expect 64 '\-\-noise-scale is 0: a positive rational' sgd --epochs 1 --blocks 10 --noise-scale 0 --clip 1 --eps 0.1
within 9.25426 9.25427 dpsgd --sampler fixed --noise-multiplier 1 --steps 100 --epochs 3 --delta 1e-6
expect 1 'REFUTED: the claim (1, 1e-6)' dpsgd --sampler balls-and-bins --noise-multiplier 1 --steps 1 --delta 1e-6 --eps 1
expect 0 'neighbours remove one record' dpsgd --sampler shuffle --noise-multiplier 3 --steps 2 --eps 1
expect 3 'delta of the mechanism in \[0, 1\]' dpsgd --sampler balls-and-bins --noise-multiplier 0.04 --steps 5 --epochs 2 --eps 1 --effort 1000000
expect 0 'noise_multiplier in \[3\.7[0-9]*, 3\.73[0-9]*\]' dpsgd --sampler fixed --steps 10 --eps 1 --delta 1e-5 --solve noise-multiplier
within 1.447985 1.49204 dpsgd --sampler random-allocation --noise-multiplier 3 --steps 100 --sampling-rate 1/10 --delta 1e-6 --digits 5
expect 0 'noise_multiplier in \[' dpsgd --sampler random-allocation --steps 6 --sampling-rate 2/3 --eps 1 --delta 1e-5 --solve noise-multiplier
expect 64 '\-\-sampling-rate is 1/3: with random-allocation' dpsgd --sampler random-allocation --noise-multiplier 1 --steps 10 --sampling-rate 1/3 --eps 1
expect 64 'both needed with random-allocation' dpsgd --sampler random-allocation --noise-multiplier 1 --steps 10 --eps 1
expect 64 '\-\-sampler is missing' dpsgd --noise-multiplier 1 --steps 10 --eps 1
expect 64 '\-\-sampling-rate is 2/3: one over a whole number' dpsgd --sampler fixed --noise-multiplier 1 --sampling-rate 2/3 --eps 1
expect 64 '\-\-delta is 0: the largest loss' dpsgd --sampler fixed --noise-multiplier 1 --steps 2 --delta 0
expect 64 '\-\-epochs is asked for' dpsgd --sampler fixed --noise-multiplier 1 --steps 2 --delta 1e-3 --eps 1 --epochs 2 --solve epochs
expect 64 '\-\-blocks is missing' sgd --epochs 1 --eps0 2 --eps 0.1
finish
