#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The interface of the shared library is the recorded one: who linked to it links to it still. The header, the version script and
# the library have what tests/abi/interface has and nothing else. What may be added, and when, is in doc/manual/abi.md.
. "${srcdir:-.}/tests/check.sh"
library=.libs/libshufbound.so
soname=$(sed -n 's/^# soname //p' "$source/tests/abi/interface")
node=$(sed -n 's/^# node //p' "$source/tests/abi/interface")

# same WHAT: $work/now is as $work/recorded
same() {
    diff "$work/recorded" "$work/now" || fail "$1 is not what tests/abi/interface has: doc/manual/abi.md"
}

# A declaration a line; spaces mean nothing.
lines() { tr -s '[:space:]' ' ' | sed 's/; */;\n/g; s/^ *//; s/ *$//'; }
sed '/^#/d' "$source/tests/abi/interface" | lines >"$work/recorded"
${CC:-cc} -E -P -x c "$source/src/shufbound.h" | lines >"$work/now"
same src/shufbound.h

sed -n 's/.*\(shuf_[a-z_]*\)(.*/\1/p' "$work/recorded" | sort >"$work/functions"
cp "$work/functions" "$work/recorded"
[ "$(wc -l <"$work/recorded")" -gt 5 ] || fail "the record has few functions"
sed '/^\/\*/d' "$source/src/libshufbound.map" | grep -o 'shuf_[a-z_*]*' | sort >"$work/now"
same src/libshufbound.map

if [ ! -e "$library" ]; then
    [ $failures = 0 ] || exit 1
    echo "skipped: the header and the version script are right; there is no shared library in this build"
    exit 77
fi
sed "s/\$/@@$node/" "$work/functions" >"$work/recorded"
nm -D --defined-only "$library" | awk '$2 != "A" {print $3}' | sort >"$work/now"
same "$library"
objdump -p "$library" | grep -q "SONAME *$soname\$" || fail "the soname is not $soname: doc/manual/abi.md"
finish
