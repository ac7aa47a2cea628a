#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Running out of memory: one allocation after the other fails, of ask, audit and vectors. What is printed then is right, or
# says what happened; no signal, no half-written file, no part of an answer. Four hundred points; with SHUFBOUND_CHECK_ALL=1
# every one; SHUFBOUND_SEED=N takes others.
. "${srcdir:-.}/tests/check.sh"
timeout --foreground 60 true || { echo "skipped: there is no timeout(1)"; exit 77; }
# shellcheck disable=SC2086
${CC:-cc} -shared -fPIC -O2 -o "$work/fail.so" "$source/tests/cli/fail_allocation.c" 2>"$work/err" || {
    echo "skipped: no library to preload: $(head -n 1 "$work/err")"
    exit 77
}

cat >"$work/questions" <<'END'
{"mechanism":{"type":"krr","k":3,"eps0":"1"},"users":5,"effort":"2e6","digits":3,"ask":{"quantity":"delta","eps":"0.1"}}
{"pair":{"type":"clones","eps0":"1"},"users":50,"effort":"2e6","digits":3,"ask":{"quantity":"epsilon","delta":"1e-3"}}
{"id":"broken","pair":{"type":"clones"},"users":50,"ask":{"quantity":"epsilon","delta":"1e-3"}}
{"pair":{"type":"rr2","eps0":"1"},"users":4,"rounds":2,"effort":"2e6","digits":3,"ask":{"quantity":"delta","eps":"0.1"}}
END
cat >"$work/claims" <<'END'
[{"id":"a","source":"x","mechanism":{"type":"ldp","eps0":"1"},"users":50,"effort":"2e6","digits":3,"claim":{"eps":"1","delta":"1e-3"}},
 {"id":"b","source":"x","mechanism":{"type":"krr","k":2,"eps0":"1"},"users":5,"effort":"2e6","digits":3,"claim":{"eps":"0.1","delta":"1e-6"}}]
END
cat >"$work/claim" <<'END'
[{"id":"a","source":"x","mechanism":{"type":"krr","k":2,"eps0":"1"},"users":3,"effort":"2e6","digits":2,"claim":{"eps":"1","delta":"1e-3"}}]
END
cat >"$work/small.json" <<'END'
{"algorithm":"few","schema":"../schema/prompt.schema.json","version":"1.0.0","header":["x"],
 "notes":{"Ordinary":{"bugType":"GENERAL","description":"x"}},"numberOfTests":2,
 "testGroups":[{"type":"few","source":"x","confirmation":"x","tests":[
  {"tcId":1,"comment":"x","flags":["Ordinary"],"question":{"pair":{"type":"rr2","eps0":"1"},"users":4,"digits":3,"ask":{"quantity":"delta","eps":"0.1"}}},
  {"tcId":2,"comment":"x","flags":["Ordinary"],"question":{"pair":{"type":"clones","eps0":"1"},"users":9,"digits":3,"ask":{"quantity":"delta","eps":"0.1"}}}]}]}
END
echo '{"library":"x","version":"1","answers":[{"tcId":1,"upper":"0.5"},{"tcId":2,"upper":"0.01"}]}' >"$work/judged.json"
mkdir "$work/made" "$work/made/once"
"$program" vectors generate --output "$work/made/once" "$work/small.json" || fail "no vectors"

# The points, a line each: all of them, or so many of the COUNT, spread evenly from a random one on, the first 20 among them.
points() { # COUNT MANY
    awk -v count="$1" -v many="$2" -v all="${SHUFBOUND_CHECK_ALL:-}" -v seed="${SHUFBOUND_SEED:-1}" 'BEGIN {
        srand(seed); step = all != "" || count <= many ? 1 : (count - 20) / (many - 20); if (step < 1) step = 1
        for (i = 1; i <= 20 && i <= count; i++) print i
        for (x = 21 + (step > 1 ? rand() * step : 0); x <= count; x += step) print int(x)
    }'
}

# is_whole FILE: as with memory, or it says what happened and ends as that does
is_whole() {
    cmp -s "$1" "$work/right.file" && return 0
    grep -q 'out of memory' "$1" && [ "$(tail -n 1 "$1" | grep -v 'out of memory')" = "$(tail -n 1 "$work/right.file")" ] ||
        [ "$(tail -n 1 "$1" | grep -c 'out of memory.*}')" = 1 ]
}

# out_of_memory MANY OTHER FILE ARGS...: at MANY points. What the run may print besides lines of a run with memory has the words,
# or the pattern OTHER. FILE, if it is not "", is then whole, or not there.
out_of_memory() {
    many=$1 other=$2 file=$3
    shift 3
    rm -f "$work/count" "$file"
    FAIL_COUNT=$work/count LD_PRELOAD=$work/fail.so "$program" "$@" >"$work/right" 2>"$work/err"
    right=$?
    count=$(sort -n "$work/count" | tail -n 1)
    [ "${count:-0}" -gt 20 ] || { echo "skipped: nothing can be preloaded: $(head -n 1 "$work/err")"; exit 77; }
    [ -z "$file" ] || cp "$file" "$work/right.file" || fail "$*: no file"
    points "$count" "$many" >"$work/points"
    runs=0 told=0
    while read -r point; do
        runs=$((runs + 1))
        rm -f "$file"
        all= # every second time there is no memory from then on
        [ $((runs % 2)) = 0 ] || all=FAIL_ALL=1
        # shellcheck disable=SC2086
        timeout -k 1 60 env $all FAIL_AT="$point" LD_PRELOAD="$work/fail.so" "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
        status=$?
        what="$*: $point of $count: $all exit $status"
        [ -z "$file" ] || [ ! -e "$file" ] || is_whole "$file" || fail "$what: another file"
        [ $status = $right ] && cmp -s "$work/out" "$work/right" && { [ -z "$file" ] || cmp -s "$file" "$work/right.file"; } && continue
        told=$((told + 1))
        { [ $status != 0 ] && [ $status -lt 124 ] && grep -q -e 'out of memory' -e 'Cannot allocate memory' "$work/out" "$work/err" $file; } || {
            fail "$what: no word of it"
            head -c 600 "$work/out" "$work/err" >&2
        }
        grep -vxFf "$work/right" "$work/out" | grep -v -e 'out of memory' -e "$other" >"$work/strange"
        [ ! -s "$work/strange" ] || { fail "$what: $(head -c 300 "$work/strange")"; }
    done <"$work/points"
    echo "$1: $runs of $count, of which $told were told"
    check "$*: none was told" [ $told -gt $((runs / 2)) ]
}

out_of_memory 120 ^$ '' ask "$work/questions"
out_of_memory 40 ^$ "$work/answers" ask --output "$work/answers" --jobs 2 "$work/questions"
out_of_memory 80 ^$ '' audit --json "$work/claims"
out_of_memory 40 . "$work/page.html" audit --html "$work/page.html" "$work/claim"
out_of_memory 60 '^[0-9]* agree' '' vectors check "$work/made/once/small.json"
out_of_memory 30 . '' vectors judge "$work/judged.json" "$work/made/once/small.json"
out_of_memory 40 ^$ "$work/made/small.json" vectors generate --output "$work/made" "$work/small.json"
check "nothing is left behind" [ -z "$(find "$work" -name '.shufbound-*')" ]
finish
