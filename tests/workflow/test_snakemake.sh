#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# workflow/Snakefile: killed in the middle of a share and run again it has lost nothing, and gives the bytes of a serial run.
. "${srcdir:-.}/tests/check.sh"
drawn 3 || { echo "the gate runs this at one commit in three"; exit 0; }
command -v snakemake >/dev/null || { echo "skipped: there is no snakemake"; exit 77; }
# shellcheck source=tests/workflow/sweep.sh
. "${srcdir:-.}/tests/workflow/sweep.sh"

cd "$work" || exit 99
set -- env HOME="$work" snakemake -q -s "$source/workflow/Snakefile" --cores 2 --config folder="$work/sweep" shares=2
touch "$work/hold"
setsid "$@" >"$work/log" 2>&1 &
group=$!
wait_for 60 [ -e "$work/held" ] || { kill -KILL -$group; cat "$work/log"; fail "no share was held"; }
kill -KILL -$group
wait_for 10 gone -$group || fail "it was not killed"
mark
"$@" --unlock >/dev/null 2>&1
"$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "the second run"; }
compare
