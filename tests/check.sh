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

# place: a number that is another with each commit (SHUFBOUND_DRAW, a hexadecimal number); 0 where everything is taken
place() {
    [ "${SHUFBOUND_DRAW:-}" = all ] && echo 0 || echo $((0x0${SHUFBOUND_DRAW:-$(git -C "$source" rev-parse --short=6 HEAD 2>/dev/null)} * $(gate_or_all 1 0)))
}

# share N: K/N, for programs that take things[K::N]: in the gate others with each commit; where everything is taken 0/1
share() {
    [ "${SHUFBOUND_DRAW:-}" = all ] && parts=1 || parts=$(gate_or_all "$1" 1)
    echo "$(($(place) % parts))/$parts"
}

# drawn N: in the gate true of one call in N, of others with each commit; always in make check-all, and where SHUFBOUND_DRAW is "all"
drawn() {
    [ "${SHUFBOUND_DRAW:-}" != all ] || return 0
    [ -n "${drawn_place:-}" ] || drawn_place=$(place)
    drawn_place=$((drawn_place + 1))
    [ $((drawn_place % $(gate_or_all "$1" 1))) = 0 ]
}
