# SPDX-License-Identifier: LGPL-3.0-or-later
# What the tests of the command line have in common, sourced: what a command is expected to print, and the usual arguments.
. "${srcdir:-.}/tests/check.sh"
# shellcheck disable=SC2034
{
    clones="--pair clones --n 10000 --eps0 4"
    small="--pair clones --n 1000 --eps0 1"
    krr="--pair krr-strong --n 10 --k 3 --gamma 1/2"
}

# printed ARGS...: the program, with all digits and all bounds where it prints numbers as text
printed() {
    case "$1 $*" in
        *--json* | *--quiet* | *--explain*) ;;
        delta\ * | epsilon\ * | renyi\ * | tradeoff\ * | zcdp\ * | gdp\ * | calibrate\ * | mechanism\ * | estimate\ * | dpsgd\ * | sgd\ * | bound\ ?*\ ?*)
            command=$1
            shift
            set -- "$command" --explain "$@" ;;
    esac
    "$program" "$@" >"$work/out" 2>"$work/err"
}

# expect STATUS PATTERN ARGS...: the exit status, and a pattern in stdout or stderr
expect() {
    status=$1 pattern=$2
    shift 2
    printed "$@"
    got=$?
    if [ $got != "$status" ] || ! cat "$work/out" "$work/err" | grep -qe "$pattern"; then
        fail "shufbound $*: exit $got (expected $status), wanted /$pattern/"
        cat "$work/out" "$work/err" >&2
    fi
    # an error is one line on stderr and nothing on stdout
    if [ "$status" -ge 64 ] && { [ -s "$work/out" ] || [ "$(wc -l <"$work/err")" != 1 ]; }; then
        fail "shufbound $*: an error must be one line on stderr alone"
    fi
    if grep -iqwe 'nan' -e 'inf' "$work/out"; then
        fail "shufbound $* printed a NaN or an infinity"
    fi
}

# first_interval CONDITION: of low <= high, the ends of the first interval, and what it was asked for, from and to
first_interval() {
    sed -n 's/.* in \[\([^,]*\), \(.*\)\]$/\1 \2/p' "$work/out" | head -n 1 |
        awk -v from="$from" -v to="$to" "{ ok = NF == 2 && \$1 <= \$2 && $1 } END { exit !ok }"
}

# within FROM TO ARGS...: exit 0, and the first interval lies in [FROM, TO]
within() {
    from=$1 to=$2
    shift 2
    printed "$@" && first_interval '$1 >= from && $2 <= to' || {
        fail "shufbound $*: expected an interval in [$from, $to]"
        cat "$work/out" "$work/err" >&2
    }
}

# overlaps FROM TO ARGS...: exit 0 (as accurate as asked), and the first interval meets [FROM, TO]
overlaps() {
    from=$1 to=$2
    shift 2
    printed "$@" && first_interval '$1 <= to && $2 >= from' || {
        fail "shufbound $*: expected an interval that meets [$from, $to]"
        cat "$work/out" "$work/err" >&2
    }
}
