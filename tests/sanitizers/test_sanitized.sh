#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Under ASan and UBSan: the parsers' fuzz harnesses, and a test of a folder of src that the last day's commits changed, each for a
# few seconds. Built with them are the parsers, that test's folder, and of the rest of account one file in four and of the other folders
# one in twenty, others with each commit; what remains is as the build has it. make check-all builds all with them and runs every test to its end.
. "${srcdir:-.}/tests/check.sh"
[ "$(gate_or_all gate all)" = gate ] || { echo "make check-all does this apart"; exit 0; }
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
case $CFLAGS in *-fsanitize*) echo "this build has them"; exit 0 ;; esac

seconds=2
parsers="account exact randomiser vectors"
test=$(python3 "$source/tests/changed.py" "$source" 1)
programs="$(cd "$source" && ls tests/fuzz/fuzz_*.c | sed 's/\.c$//') $test"
(cd "$source" && tar -cf - --exclude='*.o' --exclude='*.lo' --exclude='*.la' --exclude=.libs --exclude='*.log' --exclude='*.trs' \
    configure configure.ac aclocal.m4 config.h.in Makefile.am Makefile.in build-aux m4 shufbound.pc.in src tests) | (cd "$work" && tar -xf -)
sanitized=
for folder in $(cd "$source/src" && ls -d */ | tr -d / | grep -vx cli); do
    case " $parsers $(basename "$(dirname "$test")") " in
        *" $folder "*) ;;
        *) drawn 20 || { tar -cf - "src/$folder"/*.lo "src/$folder"/.libs/*.o | (cd "$work" && tar -xf -); continue; } ;;
    esac
    if [ "$folder" = account ] && [ "$(basename "$(dirname "$test")")" != account ]; then
        # it is the largest, and most of it reads nothing
        for file in src/account/*.lo; do
            name=$(basename "$file" .lo)
            grep -q json_ "$source/src/account/$name.c" || drawn 4 || tar -cf - "$file" "src/account/.libs/$name.o" | (cd "$work" && tar -xf -)
        done
    fi
    sanitized="$sanitized $folder"
done
echo "with the sanitizers:$sanitized"
source=$(cd "$source" && pwd)
cd "$work" || exit 99
./configure -q --disable-shared --disable-dependency-tracking \
    CFLAGS="-g0 -O0 -w -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer" >configure.out 2>&1 &&
    make -s $programs >make.out 2>&1 || { tail -n 20 configure.out make.out >&2; fail "no build with the sanitizers"; finish; }
# A folder of which no object is compiled anew would pass for one that is.
for folder in $sanitized; do
    nm "src/$folder"/*.o 2>/dev/null | grep -q __asan_init || fail "src/$folder is built without the sanitizers"
done
for test in $programs; do
    status=0
    srcdir=$source timeout $seconds "./$test" >out 2>&1 || status=$?
    case $status in
        0) echo "$test: clean" ;;
        124) echo "$test: clean for $seconds seconds" ;;
        77) echo "$test: $(grep skipped out)" ;;
        *) tail -n 30 out >&2; fail "$test" ;;
    esac
done
finish
