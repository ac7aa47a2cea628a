#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The archive of the vectors: the same bytes from files with other times and permissions, its checksums hold, and it has every file.
source=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

tar --version 2>/dev/null | grep -q GNU || { echo "skipped: no GNU tar"; exit 77; }
mkdir -p "$work/one" "$work/two" "$work/copy/doc"
cp -R "$source/packaging" "$source/vectors" "$source/COPYING" "$source/COPYING.LESSER" "$work/copy"
cp -R "$source/doc/schema" "$work/copy/doc"
chmod -R u+w "$work/copy"
sh "$source/vectors/dist.sh" "$work/one" >"$work/out" || { echo "FAIL: no archive" >&2; exit 1; }
find "$work/copy" -type f -exec touch -d 2001-02-03 {} + -exec chmod 640 {} +
(umask 077 && TZ=Asia/Tokyo sh "$work/copy/vectors/dist.sh" "$work/two") >/dev/null || { echo "FAIL: no second archive" >&2; exit 1; }
name=$(basename "$work"/one/*.tar.gz .tar.gz)
cmp "$work/one/$name.tar.gz" "$work/two/$name.tar.gz" || { echo "FAIL: the bytes differ" >&2; exit 1; }
cd "$work/one" && sha256sum -c --quiet "$name.tar.gz.sha256" && tar -xzf "$name.tar.gz" && cd "$name" && sha256sum -c --quiet SHA256SUMS || {
    echo "FAIL: checksums" >&2
    exit 1
}
for file in "$work"/copy/vectors/*.json "$work"/copy/vectors/schema/*.json; do
    cmp -s "$file" "${file#"$work"/copy/vectors/}" || { echo "FAIL: ${file##*/} is missing or another" >&2; exit 1; }
done
# a file of another version is refused
sed -i 's/"version": "[0-9.]*"/"version": "0.9.0"/' "$work/copy/vectors/delta.json"
if sh "$work/copy/vectors/dist.sh" "$work/two" >"$work/out" 2>&1 || ! grep -q 'delta.json is not of version' "$work/out"; then
    echo "FAIL: another version was taken" >&2
    exit 1
fi
echo ok
