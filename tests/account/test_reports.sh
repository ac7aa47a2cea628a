#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# What public threads ask has the values that others computed for it, within 3 seconds of work; the gate asks a third of it.
. "${srcdir:-.}/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }

check "reports" python3 -B "$source/tests/account/reports.py" "$program" "$source/tests/account/reports.jsonl" "$claims/reports.json" "$(share 3)"
finish
