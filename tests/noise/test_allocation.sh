#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# What the program says of releases of which each record takes part in some, at random, against sums over all outcomes of small epochs.
. "${srcdir:-.}/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }

check "answers" python3 -B "$source/tests/noise/ask_allocation.py" "$program" "$(gate_or_all 5 100)" "${SHUFBOUND_SEED:-1}"
finish
