#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The project's own vectors: each has its prompt, and a random selection is computed again.
program=${SHUFBOUND:-./shufbound}
vectors=${srcdir:-.}/vectors
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAIL: $*" >&2
    failures=$((failures + 1))
}

set --
for prompt in "$vectors"/prompt/*.json; do
    [ -e "$prompt" ] || continue
    name=$(basename "$prompt")
    set -- "$@" "$vectors/$name"
    "$program" vectors prompt --output "$work" "$vectors/$name" || fail "$name: no vectors"
    cmp "$prompt" "$work/$name" >&2 || fail "$name is not of this prompt"
done
for file in "$vectors"/*.json; do
    name=$(basename "$file")
    [ "$name" = negative.json ] || [ -e "$vectors/prompt/$name" ] || fail "$name has no prompt"
done
"$program" vectors check --sample 40 "$@" "$vectors/negative.json" || fail "a vector"
[ $# = 0 ] || "$program" vectors check --fast --sample 10 "$@" || fail "the fast path"

[ $failures = 0 ] || { echo "$failures failures" >&2; exit 1; }
