#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Times shufbound beside Apple's computeamplification.py
# (https://github.com/apple/ml-shuffling-amplification) on the same question: eps
# of the clones pair at delta = 1e-6.
#
#   SHUFBOUND             our program                          (./shufbound)
#   SHUFBOUND_PEER_APPLE  a directory with computeamplification.py
#   SHUFBOUND_PYTHON      a Python with scipy                  (python3, /usr/bin/python3)
#   PEER_ITERATIONS, PEER_STEP   the peer's accuracy           (10, 100: its example.py)
#   TIMEOUT               seconds for one run of the peer      (300)
#
# Times are of the computation alone, in process: ours is elapsed_s (best of 5),
# the peer's excludes Python's start and imports. Exit status: 77 when the peer or
# scipy is missing, 1 when an answer contradicts the other side's bounds.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
shufbound=${SHUFBOUND:-./shufbound}
peer=${SHUFBOUND_PEER_APPLE:-}
iterations=${PEER_ITERATIONS:-10}
step=${PEER_STEP:-100}
limit=${TIMEOUT:-300}
delta=1e-6

skip() {
    echo "bench-peer: skipped: $1"
    exit 77
}

[ -n "$peer" ] || skip "set SHUFBOUND_PEER_APPLE to a directory with computeamplification.py"
[ -f "$peer/computeamplification.py" ] || skip "no computeamplification.py in $peer"
python=
for candidate in ${SHUFBOUND_PYTHON:-python3 /usr/bin/python3}; do
    if "$candidate" -c 'import numpy, scipy.stats' 2>/dev/null; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || skip "no Python with scipy (apt-get install python3-scipy, or set SHUFBOUND_PYTHON)"
[ -x "$shufbound" ] || skip "no program $shufbound (set SHUFBOUND)"

# ours N EPS0 [OPTION]: "lo hi seconds", best of 5
ours() {
    n=$1 eps0=$2
    shift 2
    for _ in 1 2 3 4 5; do
        timeout "$limit" "$shufbound" epsilon --pair clones --n "$n" --eps0 "$eps0" --delta "$delta" --json "$@" || [ $? = 3 ]
    done | "$python" -c '
import json, sys
r = [json.loads(line) for line in sys.stdin]
print(r[0]["lo"], r[0]["hi"], min(x["elapsed_s"] for x in r))'
}

echo "eps of the clones pair at delta = $delta; peer: $iterations bisections, step $step"
echo "certified: 12 digits; fast: double precision; ratio: peer's time over ours; error: peer's upper bound over ours, less 1"
printf '%8s %4s  %-18s %10s %10s  %-18s %10s %10s %10s %10s\n' \
    n eps0 certified "time/s" "fast/s" "peer's upper" "time/s" "ratio" "ratio fast" "error"
status=0
for n in 1e4 1e5 1e6; do
    for eps0 in 1 4; do
        if ! theirs=$(timeout "$limit" "$python" "$here/peer_apple.py" "$peer" "$n" "$eps0" "$delta" "$iterations" "$step"); then
            echo "$n $eps0: the peer failed or took more than $limit s"
            continue
        fi
        certified=$(ours "$n" "$eps0")
        fast=$(ours "$n" "$eps0" --fast)
        # shellcheck disable=SC2086
        "$python" - "$n" "$eps0" $certified $fast $theirs <<'PYTHON' || status=1
import sys
n, eps0 = sys.argv[1:3]
lo, hi, ours, fast_lo, fast_hi, fast, lower, upper, theirs = map(float, sys.argv[3:])
print("%8s %4s  %-18.13g %10.2g %10.2g  %-18.13g %10.2g %10.1f %10.1f %10.1e"
      % (n, eps0, hi, ours, fast, upper, theirs, theirs / max(ours, 1e-9), theirs / max(fast, 1e-9), upper / hi - 1))
bad = 0
if fast_hi < lo or fast_lo > hi:
    print("  the fast path contradicts the certified value"); bad = 1
if upper < lo:
    print("  the peer's upper bound %.17g is below the truth" % upper); bad = 1
if lower > hi:
    # it returns the upper end of its last bisection interval for the lower bound too
    print("  note: the peer's lower bound %.17g is above the truth" % lower)
sys.exit(bad)
PYTHON
    done
done
exit $status
