#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Histograms with thresholds: proofs/thresholds.md against all outcomes of small cases, and what the program says of them, in exact rationals.
. "${srcdir:-.}/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }

check "theorems" python3 -B "$source/tests/noise/attack_thresholds.py"
check "answers" python3 -B "$source/tests/noise/ask_thresholds.py" "$program" "$(gate_or_all 12 300)" "${SHUFBOUND_SEED:-1}"
finish
