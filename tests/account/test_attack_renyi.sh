#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Renyi divergences of small mechanisms, against all of their outcomes; the gate draws five of ten cases.
. "${srcdir:-.}/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
export SHUFBOUND_RENYI_CASES="${SHUFBOUND_RENYI_CASES:-$(gate_or_all 10 60)}"
check "Renyi divergences" python3 "$source/tests/account/attack_renyi.py" "$(share 2)"
finish
