#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Theorems of proofs/ against small cases by brute force. What runs here asks the program nothing, so the gate tries one in eight, others with
# each commit; make check-all tries all.
. "${srcdir:-.}/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
for attack in account/attack_deployments batch/attack_allocation batch/attack_clones batch/attack_matrix batch/attack_replaced batch/attack_step_sum \
    noise/attack_noise shuffle/attack_bits shuffle/attack_sampled shuffle/attack_swap; do
    drawn 8 || continue
    echo "== $attack"
    check "$attack" python3 -B "$source/tests/$attack.py"
done
finish
