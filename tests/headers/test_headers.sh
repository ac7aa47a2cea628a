#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# What `make install` lays down is enough for a user: the one header compiles alone, in C17 and (if there is a C++ compiler)
# C++17, without those of any other library, and the program of doc/manual/install.md compiles, links and runs, with the flags that
# pkg-config prints and no others. Every header of the source compiles alone, too; the gate tries one in
# four, others with each commit, and make check-all all.
. "${srcdir:-.}/tests/check.sh"
src=$source/src
page=$source/doc/manual/install.md

has_cxx=
command -v c++ >/dev/null 2>&1 && has_cxx=yes

for header in "$src"/*.h "$src"/*/*.h; do
    drawn 4 || continue
    echo "#include \"$header\"" | ${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$src" -x c - ||
        fail "$header alone"
done

unset MAKEFLAGS MFLAGS MAKELEVEL
root=$work/root
if ! make install DESTDIR="$root" >"$work/install" 2>&1; then
    cat "$work/install" >&2
    fail "make install"
    exit 1
fi
pc=$(find "$root" -name shufbound.pc)
include=$(dirname "$(find "$root" -name shufbound.h)")
prefix=$(sed -n 's/^prefix=//p' "$pc")
[ "$(ls "$include")" = shufbound.h ] || fail "in a user's include path: $(ls "$include")"

# flags WHAT: what pkg-config says of the installed tree
flags() {
    PKG_CONFIG_PATH=$(dirname "$pc") ${PKG_CONFIG:-pkg-config} --define-variable=prefix="$root$prefix" "$@" shufbound
}

# -nostdinc: no other header is there
# shellcheck disable=SC2046
echo "#include <shufbound.h>" | ${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -nostdinc $(flags --cflags) -x c - || fail "shufbound.h in C"
# shellcheck disable=SC2046
[ -z "$has_cxx" ] || echo "#include <shufbound.h>" | c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -nostdinc $(flags --cflags) -x c++ - ||
    fail "shufbound.h in C++"
case $(flags --libs) in *flint* | *gmp* | *jansson*) fail "pkg-config: $(flags --libs)" ;; esac
case $(flags --static --libs) in *flint*jansson* | *jansson*flint*) ;; *) fail "pkg-config --static: $(flags --static --libs)" ;; esac

# program LANGUAGE NUMBER: that block of that page
program() {
    awk -v fence="^\`\`\`$1\$" -v wanted="$2" '/^```$/ {on = 0} on {print} $0 ~ fence {on = ++seen == wanted}' "$page"
}

# runs NAME COMPILER...: compiles and runs $work/NAME with the installed library
runs() {
    name=$1
    shift
    # shellcheck disable=SC2046
    if ! "$@" -o "$work/program" "$work/$name" $(flags --cflags --libs); then
        fail "the page's $name does not compile with: $(flags --cflags --libs)"
        return
    fi
    LD_LIBRARY_PATH=$(flags --variable=libdir)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$work/program" >"$work/out" 2>&1 ||
        fail "the page's $name ends with $?"
    program text 1 | cmp -s - "$work/out" || fail "the page's $name prints $(cat "$work/out")"
}

program c 1 >"$work/program.c"
cp "$work/program.c" "$work/program.cc"
[ "$(grep -c main "$work/program.c")" = 1 ] || fail "the page has no C program"
if ls "$(flags --variable=libdir)"/libshufbound.so* >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    runs program.c ${CC:-cc}
    [ -z "$has_cxx" ] || runs program.cc c++
else
    echo "the programs of that page are not tried: there is no shared library in this build"
fi

finish
