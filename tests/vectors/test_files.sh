#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The project's own vectors: each has its prompt and is computed again, by the fast path too where that covers it,
# and a random tenth is confirmed by the independent program. SHUFBOUND_VECTORS_SAMPLE=K computes every K-th again,
# SHUFBOUND_VECTORS_CONFIRM=K confirms every K-th; make check-vectors-full takes all for both.
. "${srcdir:-.}/tests/check.sh"
vectors=$source/vectors

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
sample=${SHUFBOUND_VECTORS_SAMPLE:-1}
"$program" vectors check --sample "$sample" "$@" "$vectors/negative.json" || fail "a vector"
"$program" vectors check --fast --sample "$sample" "$@" || fail "the fast path"
# Debian's modules are for Debian's python.
for python in /usr/bin/python3 python3 none; do
    "$python" -c 'import mpmath, numpy' 2>/dev/null && break
done
if [ "$python" != none ]; then
    tests=$(cat "$@" | grep -c '"tcId"')
    "$python" "$source/tests/vectors/confirm.py" --sample $((tests / ${SHUFBOUND_VECTORS_CONFIRM:-10})) \
        ${SHUFBOUND_SEED:+--seed "$SHUFBOUND_SEED"} "$@" || fail "not confirmed"
else
    echo "not confirmed: python3-mpmath or python3-numpy is missing"
fi

finish
