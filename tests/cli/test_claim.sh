#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# claim: what it writes is what audit reads, by options, by replies and on a terminal alike; wrong replies are asked for again.
# shellcheck disable=SC2086,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"
described=$source/doc/mechanisms/unary-encoding.json
claimed="--claimed-epsilon 0.317 --claimed-delta 1e-9"
krr="--users 1000 --randomiser krr --k 16 --eps0 1 --eps0-notion replace $claimed"
rappor="--users 100000 --randomiser rappor --eps0 5 --eps0-notion delete --release sum $claimed"

# the claim of the DAP draft, with its verdict
check "a claim into a file" "$program" claim $rappor --output "$work/claim.json" >"$work/out" 2>&1
check "nothing but the file" [ ! -s "$work/out" ]
expect 0 'CERTIFIED  claim  *(0.317, 1e-9)  *0.29745' audit "$work/claim.json"
python3 - "$work/claim.json" <<'END' || fail "the claim by options"
import json, sys
claim, = json.load(open(sys.argv[1], encoding="utf-8"))
assert claim == {"id": "claim", "source": "not published", "mechanism": {"type": "rappor", "eps0": "5", "local": "delete"}, "users": "100000",
                 "release": "sum", "neighbours": "replace", "rounds": "1", "claim": {"eps": "0.317", "delta": "1e-9"}}, claim
END
expect 0 '"type": "krr"' claim --randomiser k-RR --users 10 --k 3 --eps0 1 --eps0-notion replace $claimed
expect 0 '"type": "hadamard-response"' claim --randomiser Hadamard-Response --users 10 --k 3 --eps0 1 --eps0-notion replace $claimed

# replies have the bytes of options
same() { # REPLIES... -- ARGS...: a newline after each reply, of which - is an empty one
    : >"$work/replies"
    while [ "$1" != -- ]; do
        echo "$1" | sed 's/^-$//' >>"$work/replies"
        shift
    done
    shift
    "$program" claim "$@" >"$work/by-options" || fail "claim $*"
    "$program" claim <"$work/replies" >"$work/by-replies" 2>"$work/err" || fail "claim by replies: $(cat "$work/err")"
    check "replies and options: $*" cmp -s "$work/by-options" "$work/by-replies"
    "$program" claim --output "$work/by.json" <"$work/replies" 2>/dev/null && cmp -s "$work/by.json" "$work/by-options" || fail "the file of $*"
}

same 100000 rappor 5 - sum - - - 0.317 1e-9 - - -- $rappor
same ' 1000 ' k-rr 1 - 16 12 1/10 poisson - 0.317 1e-9 name 'a page' -- $krr --rounds 12 --subsample 1/10 --scheme poisson --id name --source 'a page'
same 25000 - 3 delete - - - 0.25 1e-6 - - -- --users 25000 --randomiser ldp --eps0 3 --eps0-notion delete --claimed-epsilon 0.25 --claimed-delta 1e-6
same 100 "$described" sum - - - 1 1e-6 - - -- --users 100 --randomiser "$described" --release sum --claimed-epsilon 1 --claimed-delta 1e-6

# what is wrong is told by the parser of questions and asked for again
printf '%s\n' many 1000 kr krr -1 1 delete - replace 1 16 0 - 1/3 1/2 either - remove - x 0.317 2 1e-9 - - | sed 's/^-$//' |
    "$program" claim >"$work/out" 2>"$work/err" || fail "replies of which some are wrong: $(cat "$work/err")"
"$program" claim $krr --subsample 1/2 >"$work/right"
check "wrong replies leave no trace" cmp -s "$work/out" "$work/right"
check "each wrong reply is told in a line" [ "$(wc -l <"$work/err")" = 12 ]
for told in 'users is many: a whole number from 1' 'randomiser is "kr": ldp, rr2' 'eps0 -1: ' 'eps0-notion is "delete": replace is' 'k 1: "k" must be' \
    'rounds is 0' 'subsample is 1/3: rate times 1000 users' 'scheme is "either": fixed' 'neighbours is "remove": no theorem' 'claimed-delta is 2: between'; do
    check "told: $told" grep -q "^shufbound: $told" "$work/err"
done

# the end of the input: one line, no file
for count in 0 1 5 12; do
    expect 66 'the input ends before [a-z0-9-]* is answered: nothing is written' claim --output "$work/none.json" <<END
$(sed -n "1,${count}p" "$work/replies")
END
    check "no file" [ ! -e "$work/none.json" ]
done
expect 66 'before users is answered' claim </dev/null
expect 73 '\-\-output' claim --output "$work/no/claim.json" </dev/null
check "no file is left" [ "$(find "$work" -name '.*shufbound*' | wc -l)" = 0 ]

# options: what is missing, or wrong, is named
expect 64 '\-\-randomiser is missing: .*; --claimed-epsilon is missing: .*; --claimed-delta is missing' claim --users 10
expect 64 '\-\-eps0 is missing: .*; --eps0-notion is missing: .*; --k is missing' claim --users 10 --randomiser krr $claimed
wrong() { # PATTERN OPTION VALUE: in place of what krr has
    pattern=$1
    shift
    expect 64 "^shufbound: --$pattern" claim $(echo " $krr " | sed "s/ $1 [^ ]* / /") "$@"
}
wrong 'users is x: a whole number' --users x
wrong 'randomiser is "rapor": rappor may be meant' --randomiser rapor
wrong 'randomiser no.json: cannot open' --randomiser no.json
wrong 'eps0 is "x"' --eps0 x
wrong 'eps0-notion is "none": replace is allowed' --eps0-notion none
wrong 'k 1: ' --k 1
wrong 'rounds is 0' --rounds 0
wrong 'subsample is 3: ' --subsample 3
wrong 'subsample is 1/3: rate times 1000 users' --subsample 1/3
wrong 'scheme does not go with all users' --scheme poisson
wrong 'release does not go with krr' --release sum
wrong 'k does not go with rr2' --randomiser rr2
wrong 'neighbours is "remove": no theorem' --neighbours remove
wrong 'claimed-epsilon is "x"' --claimed-epsilon x
wrong 'claimed-delta is 2: between 0 and 1' --claimed-delta 2
wrong 'id is empty' --id=
wrong 'source is not UTF-8' --source "$(printf '\377')"
expect 64 'subsample 1/2: "release" is "sum": it does not go with "sample"' claim $rappor --subsample 1/2
check "an error leaves what was there" grep -q rappor "$work/claim.json"

# a terminal: each question is explained, and has its default in brackets
command -v python3 >/dev/null || { echo "skipped: no python3 for a terminal"; exit 77; }
SHUFBOUND=$program python3 - "$work/terminal.json" <<'END' || fail "on a terminal"
import os, pty, sys
replies = ["100000", "rappor", "5", "", "sum", "", "", "", "0.317", "oops", "1e-9", "", ""]
child, terminal = pty.fork()
if child == 0:
    os.execvp(os.environ["SHUFBOUND"], ["shufbound", "claim", "--output", sys.argv[1]])
shown = b""
try:
    while True:
        some = os.read(terminal, 4096)
        if not some:
            break
        shown += some
        # the beginning of a message is no prompt
        if shown.endswith(b": ") and not shown.endswith(b"shufbound: ") and replies:
            os.write(terminal, (replies.pop(0) + "\n").encode())
except OSError:
    pass
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, shown
for text in b"1. Who are the users?", b"eps0-notion [delete]: ", b'claimed-delta is "oops"', b"rounds [1]: ", b"neighbours [replace]: ":
    assert text in shown, (text, shown)
assert shown.count(b"claimed-delta: ") == 2 and shown.count(b"  and its delta") == 1, shown
END
check "a terminal has the bytes of options" cmp -s "$work/terminal.json" "$work/claim.json"
finish
