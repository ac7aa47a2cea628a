#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# No folder of src includes one that comes after it in the table of CONTRIBUTING.md.
source=${srcdir:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n '/^| folder of src/,/^$/s/^| \(`[^|]*`\) |.*/\1/p' "$source/CONTRIBUTING.md" | tr -d '`,' | tr ' ' '\n' | grep . >"$work/order"
for file in "$source"/src/*/*.[ch]; do
    folder=$(basename "$(dirname "$file")")
    grep -qx "$folder" "$work/order" || { echo "FAIL: CONTRIBUTING.md does not have the folder $folder" >&2; exit 1; }
    sed -n 's|^#include "\(\.\./\)\{0,1\}\([a-z]*\)/.*|\2|p' "$file" | sed "/^$folder\$/d; s/^/$folder /"
done >"$work/edges" || exit 1
[ -s "$work/edges" ] || { echo "FAIL: nothing includes anything" >&2; exit 1; }
awk 'NR == FNR { place[$1] = NR; next } place[$2] > place[$1] { print "FAIL: " $1 " includes " $2 ", which comes after it"; bad = 1 } END { exit bad }' \
    "$work/order" "$work/edges" >&2 || exit 1
echo "all tests passed"
