#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The theorems of proofs/deployments.md against all data of tiny deployments, in exact rationals.
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
exec python3 "${srcdir:-.}/tests/account/attack_deployments.py"
