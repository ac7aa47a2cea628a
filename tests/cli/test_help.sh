#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Help: every command has a page, whose examples run; the manual page has the same options; what is missing or misspelt is told.
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
check "nineteen commands" [ "$(echo "$commands" | wc -l)" = 19 ]
for command in $commands; do
    same help $command = $command --help
    same $command -h = $command --digits 3 --help
    cp "$work/left" "$work/$command.help"
    check "help $command" grep -q "^usage: shufbound $command" "$work/left"
    check "$command has three examples" [ "$(sed -n '/^Examples:/,$p' "$work/left" | grep -c '^  shufbound ')" = 3 ]
    check "$command: lines of 110 columns" [ "$(grep -v '^usage\|^  shufbound' "$work/left" | awk 'length > 110' | wc -l)" = 0 ]
done

# the examples, in the source tree
cat >"$work/run" <<END
shufbound() { "$program" "\$@" || echo "FAIL: shufbound \$*: exit \$?" >&2; }
END
sed -n 's/^  \(shufbound .*\)/\1/p' "$work"/*.help >>"$work/run"
(cd "${srcdir:-.}" && sh "$work/run" >/dev/null 2>"$work/failed" </dev/null)
check "the examples run: $(cat "$work/failed")" [ ! -s "$work/failed" ]

# the manual page
"$program" help mdoc >"$work/mdoc"
sed -n '/^\.Ss Options$/,/^\.El$/p' "${srcdir:-.}/doc/shufbound.1" | sed '1,2d;$d' >"$work/page"
diff "$work/page" "$work/mdoc" >&2 || fail "the options of doc/shufbound.1 are not what \"shufbound help mdoc\" prints"
for command in $commands; do
    check "shufbound(1) has $command" grep -q "^.It Cm $command\$" "${srcdir:-.}/doc/shufbound.1"
done

# all that is missing, in one line
expect 64 '\-\-pair or --mechanism or --compose is missing: pair of laws .*; --eps is missing: the eps' delta
expect 64 '\-\-eps is missing: .*; --n is missing: number of all users; --k is missing: .*; --eps0 or --gamma is missing' delta --pair krr-weak
expect 64 '\-\-eps is missing: .*; --subsample is missing' delta --pair clones-sampled --n 10 --eps0 1
expect 64 '\-\-w0 is missing: .*; --r1 is missing: [^;]*$' delta --pair trinomial --n 10 --eps 1
expect 64 '\-\-n is missing: [^;]*$' calibrate --pair clones --solve eps0 --eps 1 --delta 1e-6
expect 64 '\-\-eps0 is missing: [^;]*$' calibrate --pair clones --solve n --eps 1 --delta 1e-6
expect 64 '\-\-delta is missing: [^;]*$' mechanism "${srcdir:-.}/doc/mechanisms/krr.json" --n 10 --eps 1 --solve eps0
expect 64 '\-\-blocks is missing: .*; --eps0 or --noise-scale is missing: local .*, or scale .*; --delta or --eps or --order' sgd --epochs 1
expect 64 '\-\-k is missing: .*; --n is missing: .*; --delta is missing' estimate --eps 1

# the nearest name
expect 64 'unknown command "epsilom": did you mean epsilon?' epsilom
expect 64 'unknown command "curv": did you mean curve?' help curv
expect 64 'unknown option --roundz: did you mean --rounds? see shufbound delta --help' delta --roundz 3
expect 64 'unknown option --noise-multiplyer: did you mean --noise-multiplier?' dpsgd --noise-multiplyer=3
expect 64 'unknown option --epsilon: did you mean --eps?' delta --epsilon 1
expect 64 'unknown option --zzzzzz; see shufbound delta --help' delta --zzzzzz
expect 64 'option --eps needs a value' delta --eps
finish
