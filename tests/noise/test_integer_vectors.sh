#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Vectors of whole numbers with noise in each entry: proofs/additive-noise.md, Theorems 11 to 14, and the program's answers, against all outcomes of small ones.
. "${srcdir:-.}/tests/check.sh"
python3 -c 'import mpmath' 2>/dev/null || { echo "skipped: there is no mpmath for python3"; exit 77; }

check "vectors" python3 -B "$source/tests/noise/attack_vectors.py" "$program" "$(gate_or_all 8 200)" "${SHUFBOUND_SEED:-1}"
finish
