#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# No folder of src includes one that comes after it in the table of CONTRIBUTING.md, no two files of src have the same name, and
# within a folder no files call each other in a circle. Exceptions: a tuple of randomisers is one of them (randomiser); who runs
# out of memory gets its budget back, and calls somebody's code by way of memory.c (enclosure); the table of commands has all of
# them (cli). Each folder lists its files. Of the C library's functions of doubles none is called that rounds in its own way: elementary.h. Beside each constant, or above its block, stands what CONTRIBUTING.md asks for.
source=${srcdir:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
twice=$(find "$source/src" -name '*.[ch]' | sed 's|.*/||' | sort | uniq -d | tr '\n' ' ')
[ -z "$twice" ] || { echo "FAIL: more than one file of src is called $twice" >&2; exit 1; }
awk -v reasons='[Ll]emma|[Tt]heorem|proofs/|teers? only|[Ll]ayout|refused|[Ss]ize|status' '
    FNR == 1 { above = "" }
    /^ *# *define [A-Za-z0-9_]+ +[-(]*((UINT64_C|WORD|size_t|stratum_fixed)[()]*)? *[0-9.]/ && !/<< [A-Z]|[*] [A-Z]/ {
        constants++
        if ((above $0) !~ reasons) { print "FAIL: " FILENAME ":" FNR ": neither a lemma nor \"steers only\": " $0; bad = 1 }
        next
    }
    /^ *# *define / { next }
    /^ *\/\*/ { above = "" }
    { above = /^ *(\/)?\*/ ? above $0 : "" }
    END { if (constants < 500) print "FAIL: there are " constants + 0 " constants"; exit bad || constants < 500 }' "$source"/src/*/*.[ch] >&2 || exit 1
sed -n '/^| folder of src/,/^$/s/^| \(`[^|]*`\) |.*/\1/p' "$source/CONTRIBUTING.md" | tr -d '`,' | tr ' ' '\n' | grep . >"$work/order"
awk 'NR == FNR { known[$1]; next }
    FNR == 1 { n = split(FILENAME, part, "/"); folder = part[n-1]
               if (!(folder in known) && !said[folder]++) { print "FAIL: CONTRIBUTING.md does not have the folder " folder >"/dev/stderr"; bad = 1 } }
    match($0, /^#include "(\.\.\/)?[a-z]*\//) { to = substr($0, 11, RLENGTH - 11); sub(/^\.\.\//, "", to); if (to != folder) print folder, to }
    END { exit bad }' "$work/order" "$source"/src/*/*.[ch] >"$work/edges" || exit 1
[ -s "$work/edges" ] || { echo "FAIL: nothing includes anything" >&2; exit 1; }
awk 'NR == FNR { place[$1] = NR; next } place[$2] > place[$1] { print "FAIL: " $1 " includes " $2 ", which comes after it"; bad = 1 } END { exit bad }' \
    "$work/order" "$work/edges" >&2 || exit 1
for file in "$source"/src/*/*.[ch] "$source"/tests/*/*.[ch] "$source"/tests/*/*.sh "$source"/tests/*/*.py; do
    name=${file#"$source/"}
    case $name in tests/mutation/*) continue ;; esac # is distributed whole
    echo "$name"
done | awk 'BEGIN { for (i = 1; i < ARGC; i++) { n = split(ARGV[i], part, "/"); at = part[n-2] "/" part[n-1]; while ((getline line <ARGV[i]) > 0) { sub(/#.*/, "", line); list[at] = list[at] " " line } } ARGC = 1 }
    { name = $1; sub(/\.c$/, "", name); split($1, part, "/"); if (!index(list[part[1] "/" part[2]], name)) { print "FAIL: no list of its folder has " $1; bad = 1 } }
    END { exit bad }' "$source"/src/*/*s.am "$source"/tests/*/*s.am >&2 || exit 1
nm -A -P -u $(ls src/*/.libs/*.o 2>/dev/null || ls src/*/*.o) | sed 's/: / /' >"$work/symbols"
[ -s "$work/symbols" ] || { echo "FAIL: nothing is built" >&2; exit 1; }
awk '$2 ~ /^(a?(sin|cos|tan)h?|atan2|sincos|exp(2|10|m1)?|log(2|10|1p)?|pow|cbrt|hypot|erfc?|[lt]gamma(_r)?)[fl]?$/ {
         print "FAIL: " $1 " calls " $2 " of the C library"; bad = 1 } END { exit bad }' "$work/symbols" >&2 || exit 1
for folder in src/*/; do
    case $folder in
    src/cli/ | src/enclosure/ | src/randomiser/) continue ;;
    esac
    nm -A -P $(ls "$folder".libs/*.o 2>/dev/null || ls "$folder"*.o) | sed 's/: / /' >"$work/symbols"
    [ -s "$work/symbols" ] || { echo "FAIL: $folder is not built" >&2; exit 1; }
    awk '$3 ~ /[TDRBC]/ { at[$2] = $1 } $3 == "U" { uses[$1 " " $2] = $2; from[$1 " " $2] = $1 }
         END { for (i in uses) if (uses[i] in at && at[uses[i]] != from[i]) print from[i], at[uses[i]] }' "$work/symbols" >"$work/edges"
    circle=$(tsort "$work/edges" 2>&1 >/dev/null)
    [ -z "$circle" ] || { echo "FAIL: $circle" >&2; exit 1; }
done
echo "all tests passed"
