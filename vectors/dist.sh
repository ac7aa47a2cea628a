#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# dist.sh OUTPUT: the vectors as an archive in the folder OUTPUT, the same bytes for the same files. Needs GNU tar, gzip and sha256sum.
set -eu
export LC_ALL=C
umask 022
output=$(cd "$1" && pwd)
cd "$(dirname "$0")"
version=$(sed -n 's/^## \([0-9][0-9.]*\)$/\1/p' CHANGELOG.md | head -n 1)
for file in *.json; do
    grep -qx "  \"version\": \"$version\"," "$file" || { echo "$file is not of version $version" >&2; exit 1; }
done
name=shufbound-vectors-$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/$name/doc/schema"
cp -R README.md CHANGELOG.md question.py ./*.json schema readers "$work/$name"
cp ../doc/schema/README.md ../doc/schema/question.schema.json "$work/$name/doc/schema"
cp ../COPYING ../COPYING.LESSER "$work/$name"
(cd "$work/$name" && find . -type f | sort | xargs sha256sum) >"$work/sums"
mv "$work/sums" "$work/$name/SHA256SUMS"
SOURCE_DATE_EPOCH=0 sh ../packaging/pack.sh "$work/$name" | gzip -9n >"$output/$name.tar.gz"
(cd "$output" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256" && cat "$name.tar.gz.sha256")
