#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# ask --output: shares of a sweep, a crash, and the run that puts them together give the bytes of a single run.
program=${SHUFBOUND:-./shufbound}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

check() { # WHAT COMMAND...
    what=$1
    shift
    "$@" || { echo "FAIL: $what" >&2; failures=$((failures + 1)); }
}

i=0
while [ $i -lt 20 ]; do
    echo '{"pair":{"type":"clones","eps0":"1"},"users":"'$((1000 + i))'","ask":{"quantity":"delta","eps":"0.1"}}'
    [ $((i % 6)) != 0 ] || echo
    i=$((i + 1))
done >"$work/sweep"
echo '{no question' >>"$work/sweep"
"$program" ask "$work/sweep" >"$work/serial"
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

[ $failures = 0 ] && echo "all tests passed"
[ $failures = 0 ]
