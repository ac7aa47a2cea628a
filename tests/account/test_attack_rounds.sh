#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Rounds of small described randomisers against all their data, in exact rationals.
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
exec python3 "${srcdir:-.}/tests/account/attack_rounds.py"
