#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The theorems of proofs/groups.md, and the program's answers, against all data of small groups, in exact rationals; of the questions that take longest the
# gate asks a third.
. "${srcdir:-.}/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
check "groups" python3 "$source/tests/shuffle/attack_groups.py" "$program" "$(share 3)"
finish
