# SPDX-License-Identifier: LGPL-3.0-or-later
# What shell tests have in common, sourced: the program, a work folder that is removed at the end, and failures, which are
# said at once and counted. A test ends with: finish
program=${SHUFBOUND:-./shufbound}
source=${srcdir:-.}
claims=$source/doc/claims
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAIL: $*" >&2
    failures=$((failures + 1))
}

# check WHAT COMMAND...: the command succeeds
check() {
    what=$1
    shift
    "$@" || fail "$what"
}

finish() {
    [ $failures = 0 ] || { echo "$failures failures" >&2; exit 1; }
    echo "all tests passed"
    exit 0
}

# gate_or_all GATE ALL: what the gate takes, or all that there is (make check-all)
gate_or_all() {
    [ "${SHUFBOUND_CHECK_ALL:-}" = 1 ] && echo "$2" || echo "$1"
}

# drawn N: in the gate true of one call in N, of others with each commit (SHUFBOUND_DRAW, a hexadecimal number); always in make
# check-all, and where SHUFBOUND_DRAW is "all"
drawn() {
    [ "${SHUFBOUND_DRAW:-}" != all ] || return 0
    [ -n "${drawn_place:-}" ] || drawn_place=$((0x0${SHUFBOUND_DRAW:-$(git -C "$source" rev-parse --short=6 HEAD 2>/dev/null)}))
    drawn_place=$((drawn_place + 1))
    [ $((drawn_place % $(gate_or_all "$1" 1))) = 0 ]
}
