#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The theorems of proofs/sampled-described.md against all data of tiny sampled shuffles, in exact rationals.
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
exec python3 "${srcdir:-.}/tests/shuffle/attack_sampled.py"
