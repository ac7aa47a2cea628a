#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Renyi divergences of small mechanisms, against all of their outcomes.
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
exec python3 "${srcdir:-.}/tests/account/attack_renyi.py"
