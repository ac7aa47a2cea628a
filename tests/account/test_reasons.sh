#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A verdict and its reason agree with the ends beside them, for the claims that are shipped and for those at the numbers of the
# vectors: a drawn part, in make check-all all of them. SHUFBOUND_SEED=N draws others.
. "${srcdir:-.}/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }

seed=$((${SHUFBOUND_SEED:-1} + $(place)))
echo "seed $seed"
check "reasons and ends" python3 -B "$source/tests/account/reasons.py" "$program" "$source" "$seed" $(gate_or_all 100 '') $(gate_or_all "$(share 3)" '')
finish
