#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# More digits and more effort never weaken an end, for random questions of several families: in make check-all for more of them.
# SHUFBOUND_SEED=N draws others.
. "${srcdir:-.}/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }

seed=${SHUFBOUND_SEED:-1}
echo "seed $seed"
check "more is never less" python3 -B "$source/tests/account/monotone.py" "$program" "$seed" "$(gate_or_all 25 600)"
finish
