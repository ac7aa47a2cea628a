#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The folders of src include each other without a circle.
source=${srcdir:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in "$source"/src/*/*.[ch]; do
    folder=$(basename "$(dirname "$file")")
    sed -n 's|^#include "\(\.\./\)\{0,1\}\([a-z]*\)/.*|\2|p' "$file" | sed "/^$folder\$/d; s/^/$folder /"
done | sort -u >"$work/edges"
order=$(tsort "$work/edges" 2>&1 >/dev/null)
[ -s "$work/edges" ] || { echo "FAIL: nothing includes anything" >&2; exit 1; }
[ -z "$order" ] || { echo "FAIL: $order" >&2; exit 1; }
echo "all tests passed"
