#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Times shufbound beside dp_accounting (https://github.com/google/differential-privacy,
# `pip install dp-accounting`) on the same question: delta of rounds of the clones
# pair, from below and from above.
#
#   SHUFBOUND                     our program               (./shufbound)
#   SHUFBOUND_PEER_DP_ACCOUNTING  a directory with the package dp_accounting, unless it is installed
#   SHUFBOUND_PYTHON              a Python with scipy       (python3, /usr/bin/python3)
#   PEER_STEPS                    the peer's steps          (1e-4 1e-5; 1e-4 is its default)
#   TIMEOUT                       seconds for one run       (120)
#
# Times are of the computation alone, in process: ours is elapsed_s, the peer's
# excludes Python's start, imports and the table of outcomes. Exit status: 77 when
# the peer or scipy is missing, 1 when its interval and ours are disjoint.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
shufbound=${SHUFBOUND:-./shufbound}
limit=${TIMEOUT:-120}

skip() {
    echo "bench-peer-pld: skipped: $1"
    exit 77
}

if [ -n "${SHUFBOUND_PEER_DP_ACCOUNTING:-}" ]; then
    PYTHONPATH=$SHUFBOUND_PEER_DP_ACCOUNTING${PYTHONPATH:+:$PYTHONPATH}
    export PYTHONPATH
fi
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
python=
for candidate in ${SHUFBOUND_PYTHON:-python3 /usr/bin/python3}; do
    if "$candidate" -c 'import scipy.stats; from dp_accounting.pld import privacy_loss_distribution' 2>/dev/null; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || skip "no Python with scipy and dp_accounting (pip install dp-accounting, or set SHUFBOUND_PEER_DP_ACCOUNTING)"
[ -x "$shufbound" ] || skip "no program $shufbound (set SHUFBOUND)"

# row NAME LO HI SECONDS OURS_LO OURS_HI OURS_SECONDS: prints it; fails when the intervals are disjoint
row() {
    "$python" - "$@" <<'PYTHON'
import sys
lo, hi, seconds, ours_lo, ours_hi, ours = map(float, sys.argv[2:])
print("  %-15s [%.10g, %.10g]  relative width %.1e  %8.2f s  %6.2f times"
      % (sys.argv[1], lo, hi, (hi - lo) / hi if hi > 0 else 0, seconds, seconds / max(ours, 1e-9)))
# the peer cuts tails of 1e-15 and does not bound its rounding
if lo - 1e-13 > ours_hi or hi + 1e-13 < ours_lo:
    print("  disjoint from the certified interval")
    sys.exit(1)
PYTHON
}

status=0
while read -r n eps0 rounds eps; do
    echo "clones, n = $n, eps0 = $eps0, $rounds rounds: delta($eps)"
    ours=$({ timeout "$limit" "$shufbound" delta --pair clones --n "$n" --eps0 "$eps0" --rounds "$rounds" --eps "$eps" --json || [ $? = 3 ]; } |
        "$python" -c 'import json, sys; r = json.load(sys.stdin); print(r["lo"], r["hi"], r["elapsed_s"])')
    # shellcheck disable=SC2086
    row shufbound $ours $ours
    for step in ${PEER_STEPS:-1e-4 1e-5}; do
        if ! theirs=$(timeout "$limit" "$python" "$here/peer_dp_accounting.py" "$n" "$eps0" "$rounds" "$eps" "$step"); then
            echo "  step $step: the peer failed or took more than $limit s"
            continue
        fi
        # shellcheck disable=SC2086
        row "step $step" $theirs $ours || status=1
    done
    echo
done <<'CASES'
1e4 4 4 1
1e4 4 16 1
1e3 1 1000 4
CASES
exit $status
