#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Proves every script of this directory with gappa. A failure, a warning or any
# other output is an error. With --coq the generated proofs are checked by Coq
# as well (needs Gappa's Coq library; about a minute).
set -eu
cd "$(dirname "$0")"
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for script in *.g; do
    # gappa may report an unproved goal and still exit with 0: no output is allowed
    if timeout 120 gappa "$script" >"$work/out" 2>&1 && [ ! -s "$work/out" ]; then
        result=proved
    else
        result=FAILED
        failed=1
        cat "$work/out"
    fi
    if [ "$result" = proved ] && [ "${1:-}" = --coq ]; then
        if gappa -Bcoq "$script" >"$work/proof.v" && timeout 600 coqc -q "$work/proof.v" >"$work/out" 2>&1; then
            result="proved, checked by Coq"
        else
            result="FAILED in Coq"
            failed=1
            cat "$work/out"
        fi
    fi
    echo "$script: $result"
done
exit $failed
