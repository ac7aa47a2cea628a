#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Deliberate faults in the files that the last day's commits changed, at most 3, each of which its tests must catch; make
# check-all applies all of them, after its tests.
. "${srcdir:-.}/tests/check.sh"
[ "$(gate_or_all gate all)" = gate ] || { echo "make check-all does this apart"; exit 0; }
command -v patch >/dev/null && command -v python3 >/dev/null || { echo "skipped: there is no patch or no python3"; exit 77; }
[ -e config.status ] && [ "$source" = . ] || { echo "the tree is not built in place: no faults are applied"; exit 0; }
# The tests themselves run beside this one.
python3 "$source/tests/mutation/run.py" --changed --most 3 --jobs 1 --tested "$source" || fail "a fault was not caught"
finish
