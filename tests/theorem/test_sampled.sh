#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# proofs/clones-sampled.md attacked; the attack beats a pair that is a little too small.
source=$(cd "${srcdir:-.}" && pwd) || exit 99
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
attack() {
    python3 "$source/tests/theorem/sampled.py" "$@"
}
attack "${SHUFBOUND_CELLS:-1500}" ${SHUFBOUND_SEED:-} || exit 1
for part in weight rate participation; do
    if attack 1500 1 $part >/dev/null; then
        echo "FAIL: a wrong $part is not noticed" >&2
        exit 1
    fi
done
