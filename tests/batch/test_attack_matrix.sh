#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Theorems 2 to 5 of proofs/matrix.md against all sets of steps and all signs of small matrices.
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
exec python3 "${srcdir:-.}/tests/batch/attack_matrix.py"
