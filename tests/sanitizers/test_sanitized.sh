#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Under ASan and UBSan: the parsers' fuzz harnesses, and a test of a folder of src that the last day's commits changed, each for
# half a minute; make check-all runs every test to its end.
. "${srcdir:-.}/tests/check.sh"
[ "$(gate_or_all gate all)" = gate ] || { echo "make check-all does this apart"; exit 0; }
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
case $CFLAGS in *-fsanitize*) echo "this build has them"; exit 0 ;; esac

programs="$(cd "$source" && ls tests/fuzz/fuzz_*.c | sed 's/\.c$//') $(python3 "$source/tests/changed.py" "$source" 1)"
(cd "$source" && tar -cf - --exclude='*.o' --exclude='*.lo' --exclude='*.la' --exclude=.libs --exclude='*.log' --exclude='*.trs' \
    configure configure.ac aclocal.m4 config.h.in Makefile.am Makefile.in build-aux m4 shufbound.pc.in src tests) | (cd "$work" && tar -xf -)
source=$(cd "$source" && pwd)
cd "$work" || exit 99
./configure -q --disable-shared CFLAGS="-g0 -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer" >configure.out 2>&1 &&
    make -s $programs >make.out 2>&1 || { tail -n 20 configure.out make.out >&2; fail "no build with the sanitizers"; finish; }
for test in $programs; do
    status=0
    srcdir=$source timeout 30 "./$test" >out 2>&1 || status=$?
    case $status in
        0) echo "$test: clean" ;;
        124) echo "$test: clean for half a minute" ;;
        77) echo "$test: $(grep skipped out)" ;;
        *) tail -n 30 out >&2; fail "$test" ;;
    esac
done
finish
