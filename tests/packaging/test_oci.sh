#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The description of an image for containers: whole, the same bytes for the same files, and a changed byte is seen.
set -eu
oci=$(cd "${srcdir:-.}/packaging" && pwd)/oci.py
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo one >file
tar -cf files.tar file
python3 "$oci" make files.tar first 1700000000 amd64
sleep 1
TZ=Asia/Tokyo python3 "$oci" make files.tar second 1700000000 amd64
diff -r first second || { echo "FAIL: another image of the same files" >&2; exit 1; }
python3 "$oci" check first unpacked.tar
cmp files.tar unpacked.tar
grep -q '"created": "2023-11-14T22:13:20Z"' first/blobs/sha256/* || { echo "FAIL: another date" >&2; exit 1; }

# A program that is not ours reads it, where there is one.
if command -v skopeo >/dev/null; then
    skopeo copy -q oci:first:shufbound oci:copied:shufbound
    python3 "$oci" check copied unpacked.tar
fi

for blob in first/blobs/sha256/*; do
    cp -r first other
    printf 'x' | dd of="other/${blob#first/}" bs=1 seek=20 conv=notrunc 2>/dev/null
    if python3 "$oci" check other unpacked.tar >/dev/null 2>&1; then
        echo "FAIL: a changed byte of $blob is not seen" >&2
        exit 1
    fi
    rm -r other
done
