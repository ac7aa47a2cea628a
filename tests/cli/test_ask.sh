#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# ask --output: shares of a sweep, a crash, and the run that puts them together give the bytes of a single run.
. "${srcdir:-.}/tests/check.sh"

i=0
while [ $i -lt 20 ]; do
    echo '{"pair":{"type":"clones","eps0":"1"},"users":"'$((1000 + i))'","ask":{"quantity":"delta","eps":"0.1"}}'
    [ $((i % 6)) != 0 ] || echo
    i=$((i + 1))
done >"$work/sweep"
echo '{no question' >>"$work/sweep"
"$program" ask "$work/sweep" >"$work/serial"
check "an error's status" [ $? = 65 ]
check "an error names its line, blank ones counted" [ "$(sed -n '/"error"/s/.*"line":\([0-9]*\).*/\1/p' "$work/serial")" = 25 ]
"$program" ask --output "$work/answers" --shard 1/3 "$work/sweep"
"$program" ask --output "$work/answers" --shard 3/3 --jobs 2 "$work/sweep"
check "a share does not write the file" [ ! -e "$work/answers" ]
check "a share has its answers" [ "$(wc -l <"$work/.answers.3-of-3.jsonl")" = 7 ]
# taken over: an answer that the key vouches for; not: of another question, cut off, of no question
sed 's/"lo":"[^"]*"/"lo":"0"/' "$work/.answers.1-of-3.jsonl" | head -n 1 >"$work/marked"
{ cat "$work/marked"; sed -n '2s/ [0-9a-f]/ x/p; 3s/^6/900/p; 4s/.......$//p' "$work/.answers.1-of-3.jsonl"; printf '12 ab'; } >"$work/cut"
cp "$work/cut" "$work/.answers.1-of-3.jsonl"
"$program" ask --output "$work/answers" --shard 1/3 "$work/sweep"
check "what a share lacks is computed" [ "$(wc -l <"$work/.answers.1-of-3.jsonl")" = 11 ]
"$program" ask --output "$work/answers" "$work/sweep"
check "what is finished is taken over" grep -q '"lo":"0"' "$work/answers"
sed 1d "$work/answers" >"$work/answers.rest"
sed 1d "$work/serial" >"$work/serial.rest"
check "answers put together" cmp "$work/serial.rest" "$work/answers.rest"
check "the parts are gone" [ -z "$(ls -A "$work" | grep '^\.answers')" ]
"$program" ask --output "$work/answers" --jobs 3 "$work/sweep"
check "answers in a file" cmp -s "$work/answers" "$work/serial"
refused() { # WORD ARGS...: fails with a message that has the word
    word=$1
    shift
    ! "$program" "$@" >"$work/out" 2>"$work/err" && grep -q "$word" "$work/err"
}
check "a share without an output" refused 'shard' ask --shard 1/2 "$work/sweep"
check "a share that there is not" refused '3.*from 1 to 2' ask --shard 3/2 --output "$work/answers" "$work/sweep"
check "a folder as the output" refused 'folder' ask --output "$work" "$work/sweep"

head -n 3 "$work/sweep" | "$program" ask - >"$work/out"
check "status without an error" [ $? = 0 ]
printf '\n' | "$program" ask - >"$work/out" 2>"$work/err"
check "status without a line" [ $? = 66 ]
{ head -n 1 "$work/sweep"; sleep 4; } | timeout -k 1 3 "$program" ask - >"$work/out" 2>"$work/err"
check "an answer before the next line" grep -q '"value"' "$work/out"

{ printf '\357\273\277'; sed -n 3,4p "$work/sweep"; } >"$work/marked"
"$program" ask "$work/marked" >"$work/out"
check "a byte order mark" [ "$(grep -c '"value"' "$work/out")" = "$(grep -c pair "$work/marked")" ]

near() { # NAME QUESTION: is what is proposed
    echo "$2" | "$program" ask - 2>"$work/err" | grep -qF "did you mean \\\"$1\\\"?" || fail "no $1 is proposed for $2"
}
near eps0 '{"mechanism":{"type":"krr","k":3,"eps":"1"},"users":10,"ask":{"quantity":"delta","eps":"0.1"}}'
near users '{"mechanism":{"type":"ldp","eps0":"1"},"n":10,"ask":{"quantity":"delta","eps":"0.1"}}'
near eps '{"mechanism":{"type":"ldp","eps0":"1"},"users":10,"ask":{"quantity":"delta","epsilon":"0.1"}}'
near rounds '{"mechanism":{"type":"ldp","eps0":"1"},"users":10,"round":2,"ask":{"quantity":"delta","eps":"0.1"}}'

# A process that dies takes one line with it; the next one of its lines has another process.
if command -v ps >/dev/null; then
    long='{"pair":{"type":"clones","eps0":"2"},"users":"1e6","rounds":100000,"ask":{"quantity":"epsilon","delta":"1e-9"},"digits":12,"effort":"high"}'
    mkfifo "$work/lines"
    "$program" ask --jobs 2 - <"$work/lines" >"$work/died" &
    asked=$!
    exec 3>"$work/lines"
    echo "$long" >&3
    until child=$(ps -o pid= --ppid $asked | grep .); do sleep 0.1; done
    kill -KILL $child
    sed -n 3,5p "$work/sweep" >&3
    exec 3>&-
    wait $asked
    check "a process that died" grep -q '^{"line":1,"error":"the process' "$work/died"
    check "lines after it" [ "$(grep -c '"value"' "$work/died")" = 3 ]

    # Where the program itself is killed, what it started ends.
    echo '{"pair":{"type":"krr-weak","k":5,"gamma":"1/3"},"users":"1e5","ask":{"quantity":"gdp","eps":["0","1"]},"digits":12,"effort":"1e14"}' >"$work/long"
    "$program" ask "$work/long" >"$work/killed" &
    asked=$!
    until child=$(ps -o pid= --ppid $asked | grep .); do sleep 0.1; done
    sleep 1
    kill -KILL $asked
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        ps -o stat= -p $child | grep -qv Z || break
        sleep 1
    done
    check "a worker ends with what started it" [ -z "$(ps -o stat= -p $child | grep -v Z)" ]
    kill -KILL $child 2>/dev/null || true
fi

# How far the theorems are checked depends on the question: noise has densities, honest users over rounds are on paper, gamma = 0 too, and of a
# class Coq has the randomisers with finitely many outputs.
checked() {
    printf '%s\n' "$2" | "$program" ask - | grep -q "$1" || fail "not /$1/: $2"
}
asked='"digits":3,"ask":{"quantity":"delta","eps":"0.2"}}'
checked '"id":"local-profile","status":"proved","checked":"paper"' '{"mechanism":{"type":"laplace","scale":"1"},"users":100,"rounds":2,'"$asked"
checked '"id":"all-equal","status":"proved","checked":"paper"' '{"mechanism":{"type":"laplace","scale":"1"},"users":100,'"$asked"
checked '"id":"honest-users","status":"proved","checked":"paper"' '{"mechanism":{"type":"ldp","eps0":"1"},"users":100,"honest":"1/2","rounds":2,'"$asked"
checked '"id":"honest-users","status":"proved","checked":"coq-finite"' '{"mechanism":{"type":"ldp","eps0":"1"},"users":100,"honest":"1/2",'"$asked"
checked '"id":"krr-weak","status":"proved","checked":"paper"' '{"pair":{"type":"krr-weak","k":3,"gamma":"0"},"users":10,'"$asked"
checked '"id":"krr-weak","status":"proved","checked":"coq"' '{"pair":{"type":"krr-weak","k":3,"gamma":"1/2"},"users":10,'"$asked"
checked '"id":"clones","status":"proved","checked":"coq-finite"' '{"pair":{"type":"clones","eps0":"1"},"users":10,'"$asked"
checked '"id":"rr2","status":"proved","checked":"coq"' '{"pair":{"type":"rr2","eps0":"1"},"users":10,'"$asked"
checked '"id":"binary-reports","status":"proved","checked":"coq"' '{"mechanism":{"type":"krr","k":2,"eps0":"1"},"users":100,'"$asked"
# of a delta of which lines say nothing: single rounds
# one point of several bounds, one of which is left out when it is looked at again
checked '"side":"lower"' '{"mechanism":{"type":"rappor","k":10,"eps0":"2"},"users":46,"ask":{"quantity":"tradeoff","type1":"0.1"},"effort":30000000}'
# a sum that is out of reach leaves room for what costs next to nothing
checked '"kairouz15-optimal"' '{"mechanism":{"type":"ldp","eps0":"1"},"users":20000,"rounds":2,"ask":{"quantity":"delta","eps":"1.9"}}'
checked '"lo":"7\.7271285976e-47".*"hi":"5\.9220575789e-45"' '{"mechanism":{"type":"sample-and-threshold","sampling_rate":"1/100","threshold":37},"rounds":6,"ask":{"quantity":"delta","eps":"0.39"}}'
checked '"id":"zcdp","status":"proved","checked":"paper"' '{"mechanism":{"type":"ldp","eps0":"1"},"users":10,"digits":3,"ask":{"quantity":"zcdp"}}'

finish
