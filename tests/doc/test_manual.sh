#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The console sessions of the manual are what the program says now.
set -eu
srcdir=${srcdir:-.}
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
case $SHUFBOUND in */*) SHUFBOUND=$(cd "$(dirname "$SHUFBOUND")" && pwd)/$(basename "$SHUFBOUND") ;; esac
python3 "$srcdir/doc/manual/sessions.py" "$SHUFBOUND" "$srcdir" "$srcdir"/doc/manual/[a-z]*.md

# And the check can fail.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed 's/^delta in \[\([0-9]\)/delta in [9\1/' "$srcdir/doc/manual/pair.md" >"$work/pair.md"
if python3 "$srcdir/doc/manual/sessions.py" "$SHUFBOUND" "$srcdir" "$work/pair.md" >/dev/null 2>&1; then
    echo "a changed session passes" >&2
    exit 1
fi
