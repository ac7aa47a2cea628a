#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The theorems of proofs/binary-reports.md against all data of small cases, in exact rationals.
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
exec python3 "${srcdir:-.}/tests/shuffle/attack_bits.py"
