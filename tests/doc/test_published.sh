#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# doc/published.md is what the program says now of the numbers of others; the gate asks a quarter.
. "${srcdir:-.}/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }

check "doc/published.md" python3 -B "$source/doc/published.py" "$program" --check "$(share 4)"
finish
