# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2154
# What the tests of the workflows have in common; each sources it and calls `compare` at its end.
# A small sweep, once in one piece below $work/serial; and a program that stops in the middle of the first share until it is
# killed, if there is $work/hold. That goes before $work/held comes, which is when it is killed: the next run would stop for ever.
source=$(cd "${srcdir:-.}" && pwd)
program=${SHUFBOUND:-./shufbound}
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
PANELS=c VECTORS=$source/vectors/krr.json
export PANELS VECTORS
kept=$work/sweep/.feldman21-fig2c.jsonl.1-of-2.jsonl
SHUFBOUND=$program "$source/workflow/sweep.sh" "$work/serial" >/dev/null || exit 1

cat >"$work/shufbound" <<END
#!/bin/sh
"$program" "\$@" &
child=\$!
case "\$*" in *fig2c*"--shard 1/2"*)
    while [ -e "$work/hold" ] && kill -0 \$child 2>/dev/null; do
        [ ! -e "$kept" ] || [ \$(wc -l <"$kept") -lt 5 ] || { kill -STOP \$child; rm "$work/hold"; cp "$kept" "$work/held"; }
    done ;;
esac
wait \$child
END
chmod +x "$work/shufbound"
SHUFBOUND=$work/shufbound
export SHUFBOUND

wait_for() { # SECONDS COMMAND...
    left=$(($1 * 10))
    shift
    until "$@"; do
        left=$((left - 1))
        [ $left -gt 0 ] || return 1
        sleep 0.1
    done
}

gone() { # PID...
    for pid; do ! kill -0 "$pid" 2>/dev/null || return 1; done
}

fail() {
    echo "FAIL: $1" >&2
    exit 1
}

# An answer that was there before the kill is marked, so that it shows that it is not computed again.
mark() {
    [ "$(wc -l <"$kept")" -lt 74 ] || fail "nothing was left to do when it was killed"
    sed '1s/"effort":"normal"/"effort":"marked"/' "$kept" >"$work/marked"
    cp "$work/marked" "$kept"
}

compare() {
    grep -q '"effort":"marked"' "$work/sweep/feldman21-fig2c.jsonl" || fail "what was finished was computed again"
    sed -i 's/"effort":"marked"/"effort":"normal"/' "$work/sweep/feldman21-fig2c.jsonl"
    [ -s "$work/sweep/vectors/krr.json" ] || fail "no vectors"
    rm -f "$work/sweep/complete" "$work"/sweep/new.*
    diff -r "$work/serial" "$work/sweep" >/dev/null || fail "other bytes than the serial run: $(diff -rq "$work/serial" "$work/sweep")"
    echo "all tests passed"
}
