#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The shared library has every symbol that was recorded, with the same types: who linked to it links to it still. What may be
# added, and when the record is made anew, is in doc/manual/abi.md.
set -eu
source=${srcdir:-.}
record=$source/tests/abi/libshufbound.abi
library=.libs/libshufbound.so
skip() {
    echo "skipped: $1"
    exit 77
}
[ -e "$library" ] || skip "there is no shared library in this build"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -D --defined-only "$library" | awk '{print $3}' | sort >"$work/symbols"
vanished() { # RECORD: what it has and the library has not
    sed -n "s/.*<elf-symbol name='\([^']*\)' version='\([^']*\)'.*/\1@@\2/p" "$1" | sort | comm -23 - "$work/symbols"
}
soname=$(sed -n "1s/.*soname='\([^']*\)'.*/\1/p" "$record")
objdump -p "$library" | grep -q "SONAME *$soname\$" || { echo "FAIL: the record is of $soname: doc/manual/abi.md" >&2; exit 1; }
[ -z "$(vanished "$record")" ] || { vanished "$record"; echo "FAIL: they are gone: doc/manual/abi.md" >&2; exit 1; }
sed "s/'shuf_answer_json' version/'shuf_answer_xml' version/" "$record" >"$work/other"
[ "$(vanished "$work/other")" = "shuf_answer_xml@@SHUFBOUND_0.1" ] || { echo "FAIL: a symbol may vanish" >&2; exit 1; }
[ "$(wc -l <"$work/symbols")" -gt 100 ]

command -v abidiff >/dev/null || skip "the symbols are there; no abidiff compares types (apt-get install abigail-tools)"
readelf -S "$library" | grep -q '\.debug_info' || skip "the symbols are there; types are not compared without debugging information"
"$source/tests/abi/dump.sh" "$library" "$work/now"
# FLINT's types are members of ours.
platform() { grep -o "architecture='[^']*'\|'libflint\.so[^']*'" "$1"; }
[ "$(platform "$record")" = "$(platform "$work/now")" ] || skip "the symbols are there; types were recorded on another platform: $(platform "$record" | tr '\n' ' ')"
abidiff --no-added-syms "$record" "$work/now" || { echo "FAIL: types changed: doc/manual/abi.md" >&2; exit 1; }

# And a member that moves is seen.
sed "/<class-decl name='shuf_watch'/,/<\/class-decl>/s/layout-offset-in-bits='64'/layout-offset-in-bits='96'/" "$record" >"$work/other"
if abidiff --no-added-syms "$work/other" "$work/now" >/dev/null; then
    echo "FAIL: a member may move" >&2
    exit 1
fi
