#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Theorem 18 of proofs/dpsgd.md against all outputs of small cases, in exact rationals.
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
exec python3 "${srcdir:-.}/tests/batch/attack_step_sum.py"
