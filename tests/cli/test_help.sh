#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Help: every command has a page, whose examples run (in the gate one in three, others with each commit); the manual page has the same options; what is missing or misspelt is told.
# shellcheck disable=SC2086,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"
case $program in */*) program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program") ;; esac

same() { # ARGS... = ARGS...: both print the same
    name=$* left=
    while [ "$1" != = ]; do left="$left $1"; shift; done
    shift
    "$program" $left >"$work/left" || fail "$left: exit $?"
    "$program" "$@" >"$work/right" || fail "$*: exit $?"
    check "$name" cmp -s "$work/left" "$work/right"
}
same -h = --help
same -h = help
same -V = --version
check "one line a command" [ "$("$program" -h | wc -l)" -lt 45 ]
commands=$("$program" help | sed -n 's/^  \([a-z][a-z]*\)  *[^ ].*/\1/p')
check "all commands" [ "$(echo "$commands" | wc -l)" = 22 ]
for command in $commands; do
    same help $command = $command --help
    same $command -h = $command --digits 3 --help
    cp "$work/left" "$work/$command.help"
    check "help $command" grep -q "^usage: shufbound $command" "$work/left"
    check "$command has three examples" [ "$(sed -n '/^Examples:/,$p' "$work/left" | grep -c '^  shufbound ')" = 3 ]
    check "$command: lines of 110 columns" [ "$(grep -v '^usage\|^  shufbound' "$work/left" | awk 'length > 110' | wc -l)" = 0 ]
done

# of the lines of its input those that are drawn
drawn_lines() {
    while IFS= read -r line; do
        ! drawn 3 || printf '%s\n' "$line"
    done
}

# the examples, in the source tree
cat >"$work/run" <<END
shufbound() { "$program" "\$@" || echo "FAIL: shufbound \$*: exit \$?" >&2; }
END
sed -n 's/^  \(shufbound .*\)/\1/p' "$work"/*.help | drawn_lines >>"$work/run"
(cd "${srcdir:-.}" && sh "$work/run" >/dev/null 2>"$work/failed" </dev/null)
check "the examples run: $(cat "$work/failed")" [ ! -s "$work/failed" ]

# the examples of the manual page, beside the documentation
mkdir "$work/beside"
ln -s "$(cd "${srcdir:-.}" && pwd)/doc" "$work/beside/doc"
sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE ALSO/p' "${srcdir:-.}/doc/shufbound.1" | sed -n '/^\.Bd/,/^\.Ed/p' | grep -v '^\.' |
    sed -e ':more' -e '/ \\e$/{' -e 'N' -e 's/ \\e\n */ /' -e 'b more' -e '}' >"$work/lines"
{ sed -n 1p "$work/run"; drawn_lines <"$work/lines"; } >"$work/sh"
(cd "$work/beside" && sh "$work/sh" >/dev/null 2>"$work/failed" </dev/null)
check "the examples of shufbound(1) run: $(cat "$work/failed")" [ ! -s "$work/failed" ]
check "shufbound(1) has its examples" [ "$(wc -l <"$work/lines")" -gt 15 ]

# the manual page
"$program" help mdoc >"$work/mdoc"
sed -n '/^\.Ss Options$/,/^\.El$/p' "${srcdir:-.}/doc/shufbound.1" | sed '1,2d;$d' >"$work/page"
diff "$work/page" "$work/mdoc" >&2 || fail "the options of doc/shufbound.1 are not what \"shufbound help mdoc\" prints"
for command in $commands; do
    check "shufbound(1) has $command" grep -q "^.It Cm $command\$" "${srcdir:-.}/doc/shufbound.1"
done

# a range on the page is the one that a refusal names: between 0 and 1, or from 1 to 1e9, is allowed
ranges() { # OPTION VALUE ARGS...: the value is out of range
    option=$1 value=$2
    shift 2
    expect 64 "^shufbound: --$option is " "$@" --$option "$value"
    page=$(sed -n "/^\.It Fl -$option /{n;s/.*(\([^ ]*\) to \([^;)]*\).*/\1 \2/p}" "$work/mdoc")
    refusal=$(sed -n 's/.* \(between\|from\) \([^ ]*\) \(and\|to\) \([^ ]*\) is allowed$/\2 \4/p' "$work/err")
    echo "$page $refusal" | awk 'NF == 4 && $1 + 0 == $3 + 0 && $2 + 0 == $4 + 0 { same = 1 } END { exit !same }' ||
        fail "--$option: the page has $page, the refusal $refusal"
}
pair="--pair clones --n 10 --eps0 1"
train="--noise-multiplier 1 --delta 1e-5"
ranges n 1e19 delta --pair clones --eps0 1 --eps 1
ranges eps0 1e7 delta --pair clones --n 10 --eps 1
ranges k 1 delta --pair krr-same --n 10 --eps0 1 --eps 1
ranges gamma 2 delta --pair krr-weak --n 10 --k 3 --eps 1
ranges eps -1 delta $pair
ranges delta 2 epsilon $pair
ranges type1 2 tradeoff $pair
ranges mu 1e7 gdp $pair --eps 1
ranges rounds 0 delta $pair --eps 1
ranges reports-per-user 1001 delta --mechanism "${srcdir:-.}/doc/mechanisms/krr.json" --n 10 --eps 1
ranges digits 0 delta $pair --eps 1
ranges max-seconds 1e10 delta $pair --eps 1
ranges threads 257 delta $pair --eps 1
ranges jobs 257 ask "${srcdir:-.}/doc/examples/survey.jsonl"
ranges noise-multiplier 1e-4 dpsgd --steps 1 --delta 1e-5
ranges target-epsilon 1e7 dpsgd --steps 1 --delta 1e-5
ranges dataset-size 0 dpsgd --batch-size 1 $train
ranges steps 1e10 dpsgd $train
ranges epochs 1e10 dpsgd --steps 1 $train
ranges records-per-user 1001 dpsgd --steps 1 $train
ranges best-of 1e10 dpsgd --steps 1 $train
ranges shape 1001 dpsgd --steps 1 --best-of 2 --runs negative-binomial $train
ranges max-batch-size 1e19 dpsgd --batch-size 1 --dataset-size 10 $train
ranges blocks 0 sgd --epochs 1 --eps0 1 --eps 1
ranges sample 0 vectors check "${srcdir:-.}/vectors/sgd.json"
ranges delta0 2 bound feldman21-3.8 --n 1000 --eps0 1 --eps 1
ranges w0 2 delta --pair trinomial --n 10 --w1 0 --r0 0.1 --r1 0.1 --eps 1

# all that is missing, in one line
expect 64 '\-\-pair or --mechanism or --compose is missing: pair of laws .*; --eps is missing: the eps' delta
expect 64 '\-\-eps is missing: .*; --n is missing: number of all users; --k is missing: .*; --eps0 or --gamma is missing' delta --pair krr-weak
expect 64 '\-\-eps is missing: .*; --subsample is missing' delta --pair clones-sampled --n 10 --eps0 1
expect 64 '\-\-w0 is missing: .*; --r1 is missing: [^;]*$' delta --pair trinomial --n 10 --eps 1
expect 64 '\-\-n is missing: [^;]*$' calibrate --pair clones --solve eps0 --eps 1 --delta 1e-6
expect 64 '\-\-eps0 is missing: [^;]*$' calibrate --pair clones --solve n --eps 1 --delta 1e-6
expect 64 '\-\-delta is missing: [^;]*; --solve is missing: [^;]*$' calibrate --pair clones --eps 1
expect 64 '\-\-delta is missing: [^;]*$' mechanism "${srcdir:-.}/doc/mechanisms/krr.json" --n 10 --eps 1 --solve eps0
expect 64 '\-\-blocks is missing: .*; --eps0 is missing: local .*; --delta or --eps or --order' sgd --epochs 1
expect 64 '\-\-k is missing: .*; --n is missing: .*; --delta is missing' estimate --eps 1

# operands
expect 64 'audit needs FILE.json ...; see shufbound audit --help' audit
expect 64 'ask needs FILE' ask --jobs 2
expect 64 'vectors needs generate' vectors
expect 64 'completion needs bash' completion
expect 64 'unexpected argument "b"' help delta b
expect 64 'unexpected argument "b"' mechanism a b
expect 64 'unexpected argument "b"' bound feldman21-3.1 b

# the nearest name
expect 64 'unknown command "epsilom": did you mean epsilon?' epsilom
expect 64 'unknown command "curv": did you mean curve?' help curv
expect 64 'unknown option --roundz: did you mean --rounds? see shufbound delta --help' delta --roundz 3
expect 64 'unknown option --noise-multiplyer: did you mean --noise-multiplier?' dpsgd --noise-multiplyer=3
expect 64 'unknown option --epsilon: did you mean --eps?' delta --epsilon 1
expect 64 'unknown option --zzzzzz; see shufbound delta --help' delta --zzzzzz
expect 64 'option --eps needs a value' delta --eps
finish
