#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The project's own vectors: their prompts are questions, in the gate a hundredth is computed again, more of those
# in double precision alone, and two are confirmed by the independent program, others with each commit; make check-all takes every one.
# SHUFBOUND_VECTORS_SAMPLE=K computes every K-th again, SHUFBOUND_VECTORS_CONFIRM=K confirms every K-th.
. "${srcdir:-.}/tests/check.sh"
vectors=$source/vectors

set --
for file in "$vectors"/*.json; do
    [ "${file##*/}" != negative.json ] || continue
    set -- "$@" "$file"
    "$program" vectors prompt --output "$work" "$file" || fail "$file: no vectors"
    ! grep -q '"result"' "$work/${file##*/}" || fail "$file: a prompt with a result"
done
# The seed of .ci/run is always the same, so the commit is added to it.
[ -z "${SHUFBOUND_SEED:-}" ] || SHUFBOUND_SEED=$((SHUFBOUND_SEED + $(place)))
sample=${SHUFBOUND_VECTORS_SAMPLE:-$(gate_or_all 100 1)}
"$program" vectors check --sample "$sample" "$@" "$vectors/negative.json" || fail "a vector"
"$program" vectors check --fast --sample "${SHUFBOUND_VECTORS_SAMPLE:-$(gate_or_all 160 1)}" "$@" || fail "the fast path"
. "$source/python/find-python.sh"
if find_python "mpmath, numpy"; then
    tests=$(cat "$@" | grep -c '"tcId"')
    "$python" "$source/tests/vectors/confirm.py" --sample $((tests / ${SHUFBOUND_VECTORS_CONFIRM:-$(gate_or_all 800 1)})) \
        ${SHUFBOUND_SEED:+--seed "$SHUFBOUND_SEED"} "$@" || fail "not confirmed"
else
    echo "not confirmed: python3-mpmath or python3-numpy is missing"
fi

finish
