#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The theorems of proofs/groups.md, and the program's answers, against all data of small groups, in exact rationals.
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
exec python3 "${srcdir:-.}/tests/shuffle/attack_groups.py" "${SHUFBOUND:-./shufbound}"
