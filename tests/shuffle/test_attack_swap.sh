#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# local-swap and grouped-reports against all data of tiny shuffles, in exact rationals.
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
exec python3 "${srcdir:-.}/tests/shuffle/attack_swap.py"
