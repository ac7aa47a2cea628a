#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Claims have the verdicts of doc/claims/verdicts.txt: a drawn quarter of those that are quick to judge, in make check-all every one. Every claim is in the table.
. "${srcdir:-.}/tests/check.sh"

sed -n 's/.*"id": "\([^"]*\)".*/\1/p' "$claims"/*.json | sort >"$work/ids"
sed 's/^[a-z]* \([a-z0-9.-]*\).*/\1/' "$claims/verdicts.txt" | sort >"$work/listed"
[ -s "$work/ids" ] && cmp -s "$work/ids" "$work/listed" || {
    fail "verdicts.txt does not list the claims"
    diff "$work/ids" "$work/listed" >&2
}
if LC_ALL=C grep -n -v -e '^certified [a-z0-9.-]*$' -e '^refuted [a-z0-9.-]*: .* >= .*; data: ' "$claims/verdicts.txt"; then
    fail "these lines are neither certified nor refuted with a witness"
fi

quick='apple-ml-shuffling-amplification binomial feldman21-figure2 found gaussian gdp groups integer-vectors koskela-composed koskela-figure1 noise renyi reports'
if [ "$(gate_or_all quick all)" = all ]; then
    set -- "$claims"/*.json
else
    set --
    for name in $quick; do ! drawn 4 || set -- "$@" "$claims/$name.json"; done
fi
"$program" audit "$@" >"$work/out" || [ $? -le 2 ] || fail "the audit ended with an error"
awk '/^(CERTIFIED|REFUTED|UNDECIDED) / && $2 != "AT:" { print tolower($1), $2 }' "$work/out" | sort >"$work/found"
sed -n 's/.*"id": "\([^"]*\)".*/\1/p' "$@" | sort >"$work/asked"
sed 's/:.*//' "$claims/verdicts.txt" | awk 'NR == FNR { asked[$1] = 1; next } $2 in asked' "$work/asked" - | sort >"$work/stated"
cmp -s "$work/found" "$work/stated" || {
    fail "verdicts (<) are not those stated (>)"
    diff "$work/found" "$work/stated" >&2
}
echo "$(wc -l <"$work/found") claims"
finish
