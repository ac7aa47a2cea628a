#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# What the shells complete: every command, the options that the program takes, and values that it allows.
. "${srcdir:-.}/tests/check.sh"
case $program in */*) program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program") ;; esac
command -v bash >/dev/null || { echo "skipped: there is no bash"; exit 77; }
cd "$work" || exit 99
touch file-a.json

# WORDS... -> what bash completes the last of them to, one a line
cat >complete.bash <<'END'
source ./shufbound.bash
COMP_WORDS=(shufbound "$@")
COMP_CWORD=$#
_shufbound
printf '%s\n' "${COMPREPLY[@]}"
END
completes() { # WORDS... EXPECTED: the lines, joined by blanks
    for expected in "$@"; do :; done
    count=$#
    i=1
    while [ $i -lt $count ]; do
        set -- "$@" "$1"
        shift
        i=$((i + 1))
    done
    shift
    got=$(bash complete.bash "$@" | tr '\n' ' ')
    [ "$got" = "$expected " ] || { echo "$*: $got" >&2; return 1; }
}
for shell in bash zsh fish; do
    "$program" completion $shell >shufbound.$shell || fail "completion $shell"
done
check "fish is told nothing twice" [ -z "$(sort shufbound.fish | uniq -d)" ]
check "a command" completes the 'theorems'
check "every command" [ "$(bash complete.bash '' | sed /^-/d | sort | tr '\n' ' ')" = "$("$program" --help | sed -n 's/^  \([a-z][a-z]*\)  *[^ ].*/\1/p' | sort | tr '\n' ' ')" ]
check "an option" completes delta --pa '--pair'
check "an option of another command" completes ask --pa ''
check "a long option" completes dpsgd --batch '--batch-size'
check "a command of help" completes help dps 'dpsgd'
check "an action" completes vectors ju 'judge'
check "what is solved for" completes dpsgd --solve e 'eps0 epochs'
check "units of work are no name" completes delta --effort '' 'normal high'
check "a pair" completes delta --pair trin 'trinomial'
check "a pair after other options" completes curve --n 10 --pair krr-we 'krr-weak'
check "theorems" completes theorems krr-thi 'krr-third krr-third-sampled'
check "a form" completes bound chen24- 'chen24-thm2 chen24-cor2 chen24-thm3'
check "a file" completes ask f 'file-a.json'
check "a file after an option" completes audit --json f 'file-a.json'

# the program says itself what it allows
allowed() { # OPTION ARGS...: every value that is completed
    option=$1
    shift
    "$program" "$@" --"$option" none-of-these 2>message
    values=$(bash complete.bash "$1" --"$option" '')
    check "--$option has values" [ -n "$values" ]
    for value in $values; do
        check "--$option $value" grep -q -e "[ :]$value[ ,]" message
    done
}
clones="--pair clones --n 10 --eps0 1 --eps 0.5 --subsample 1/2"
# shellcheck disable=SC2086
for option in direction scheme via effort; do
    allowed $option delta $clones
done
allowed sampler dpsgd --steps 2 --noise-multiplier 1 --eps 1
"$program" bound 2>/dev/null >forms
for form in $(bash complete.bash bound ''); do
    check "form $form" grep -q "^$form" forms
done

if command -v zsh >/dev/null; then
    check "zsh reads it" zsh -n shufbound.zsh
fi
if command -v fish >/dev/null; then
    check "fish completes" [ "$(HOME=$work fish -c 'source shufbound.fish; complete -C "shufbound delta --direction "' | tr '\n' ' ')" = "both pq qp " ]
fi
finish
