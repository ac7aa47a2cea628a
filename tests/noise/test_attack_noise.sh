#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Theorems 3, 4 and 7 of proofs/additive-noise.md against all outputs of small cases, in exact rationals.
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
exec python3 "${srcdir:-.}/tests/noise/attack_noise.py"
