#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Every command with 1, 2 and 4 threads, and jobs where it has them: it ends, and prints the same bytes.
. "${srcdir:-.}/tests/check.sh"
timeout --foreground 60 true || { echo "skipped: there is no timeout(1)"; exit 77; }

# answers WHAT ARGS...: in time, with the status and the bytes of the first time
answers() {
    what=$1
    shift
    timeout -k 1 60 "$program" "$@" >"$work/out" 2>&1
    echo "status $?" >>"$work/out"
    [ -e "$work/first" ] || cp "$work/out" "$work/first"
    cmp -s "$work/first" "$work/out" || { fail "$what: shufbound $*"; head -c 600 "$work/out" >&2; }
}

# The pool is used by: a product and its rounds, sums, nodes of a class, data of a mechanism, Renyi divergences.
cat >"$work/questions" <<'END'
{"mechanism":{"type":"product","parts":[{"type":"krr","k":2,"eps0":"log(3/2)"},{"type":"krr","k":2,"eps0":"log(2)"}]},"users":3,"rounds":2,"effort":"3e7","ask":{"quantity":"epsilon","delta":"0.1"}}
{"mechanism":{"type":"krr","k":2,"eps0":"log(2)"},"users":1,"rounds":2,"effort":"3e7","ask":{"quantity":"delta","eps":"0.1"}}
{"mechanism":{"type":"rappor","eps0":"1","k":"3"},"users":40,"effort":"3e7","ask":{"quantity":"delta","eps":"0.1"}}
{"pair":{"type":"clones","eps0":"2"},"users":1000,"rounds":4,"effort":"3e7","ask":{"quantity":"epsilon","delta":"1e-6"}}
{"pair":{"type":"krr-third","eps0":"2","k":"7"},"users":1000,"effort":"3e7","ask":{"quantity":"renyi","order":"3"}}
END
for jobs in 1 2 4; do
    for threads in 1 2 4; do
        answers "ask" ask --jobs $jobs --threads $threads "$work/questions"
    done
done
check "answers" [ "$(grep -c '"question"' "$work/first")" = 5 ]

cat >"$work/claims" <<'END'
[{"id":"a","source":"x","pair":{"type":"clones","eps0":"2"},"users":1000,"rounds":4,"effort":"3e7","claim":{"eps":"1","delta":"1e-6"}},
 {"id":"b","source":"x","mechanism":{"type":"krr","k":3,"eps0":"1"},"users":20,"effort":"3e7","claim":{"eps":"0.1","delta":"1e-6"}},
 {"id":"c","source":"x","mechanism":{"type":"ldp","eps0":"1"},"users":100,"rounds":2,"effort":"3e7","claim":{"eps":"1","delta":"1e-3"}}]
END
printf '{"type":"krr","k":3,"eps0":"1"}' >"$work/krr"
printf '[{"pair":{"type":"clones","eps0":"1"},"users":50,"rounds":2},{"pair":{"type":"rr2","eps0":"1"},"users":40,"rounds":1}]' >"$work/list"
clones="--pair clones --n 100 --eps0 1"

# commands STATUS ARGS...: with each number of threads
commands() {
    status=$1
    shift
    rm "$work/first"
    for threads in 1 2 4; do
        answers "$threads threads" "$@" --threads $threads
    done
    check "status of $*" grep -qx "status $status" "$work/first"
}

# shellcheck disable=SC2086
{
    commands 0 delta $clones --eps 0.1 --rounds 3
    commands 0 epsilon $clones --delta 1e-6 --rounds 3
    commands 0 epsilon --compose "$work/list" --delta 1e-6 --digits 3 --effort 300000000
    commands 0 renyi $clones --order 3
    commands 0 curve $clones --eps 0.1:0.5:5
    commands 0 calibrate --pair clones --n 100 --eps 1 --delta 1e-3 --solve eps0 --digits 3
    commands 0 mechanism --n 30 --eps 0.1 "$work/krr"
    commands 0 tradeoff $clones --type1 0.1 --digits 4
    commands 0 gdp $clones --eps 0:1 --digits 2
    commands 0 sgd --epochs 2 --blocks 40 --eps0 1 --delta 1e-5
    commands 0 dpsgd --sampler poisson --noise-multiplier 1 --steps 10 --epochs 2 --delta 1e-5 --digits 4
    commands 1 audit "$work/claims"
}
finish
