#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Theorems 8, 9, 11, 13 and 15 of proofs/dpsgd.md against the divergences of steps in the plane, on a grid.
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
exec python3 "${srcdir:-.}/tests/batch/attack_replaced.py"
