#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Output: files that are refused, a full disk, lines that are JSON.
# shellcheck disable=SC2086,SC2154
. "${srcdir:-.}/tests/cli/expect.sh"

# JSON parses, one object a line
if command -v python3 >/dev/null 2>&1 && python3 -c 'import json' 2>/dev/null; then
    {
        "$program" delta $clones --eps 0.5 --json
        "$program" renyi $krr --order 2 --json
        "$program" renyi $small --order 4 --rounds 3 --subsample 1/10 --json
        "$program" epsilon $small --delta 1e-6 --via strong-composition --rounds 3 --json
        "$program" epsilon $small --delta 1e-3 --rounds 3 --digits 3 --json
        "$program" curve $small --order 2:3:2 --json girgis21-3.1 chen24-cor2
        "$program" bound --json
        "$program" theorems --json
    } >"$work/out"
    check "JSON" python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' <"$work/out"
fi

# files that are no regular files are refused and untouched
mkdir "$work/folder.svg"
mkfifo "$work/fifo.svg"
echo kept >"$work/kept"
ln -s kept "$work/link.svg"
for target in folder fifo link; do
    expect 73 '\-\-plot' curve --pair clones --n 10 --eps0 1 --eps 0:1:3 --plot "$work/$target.svg"
    expect 73 '\-\-html' audit --html "$work/$target.svg" "$claims/apple-ml-shuffling-amplification.json"
done
mv "$work/link.svg" "$work/link.v"
expect 73 '\-\-certificate' delta --pair clones --n 10 --eps0 1 --eps 0.1 --certificate "$work/link.v"
[ -d "$work/folder.svg" ] && [ -p "$work/fifo.svg" ] && [ -L "$work/link.v" ] && [ "$(cat "$work/kept")" = kept ] || {
    fail "an output target was touched"
}
if mknod "$work/null.svg" c 1 3 2>/dev/null; then
    expect 73 '\-\-plot' curve --pair clones --n 10 --eps0 1 --eps 0:1:3 --plot "$work/null.svg"
    check "a device that is an output target" [ -c "$work/null.svg" ]
fi

if [ -e /dev/full ]; then
    "$program" --help >/dev/full 2>/dev/null
    check "--help on a full disk" [ $? = 73 ]
    "$program" delta --help >/dev/full 2>/dev/null
    check "delta --help on a full disk" [ $? = 73 ]
    "$program" delta $clones --eps 0.5 >/dev/full 2>/dev/null
    check "delta on a full disk" [ $? = 73 ]
fi
finish
