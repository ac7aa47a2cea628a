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
