#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Every public header compiles alone, in C17 and (if there is a C++ compiler) C++17.
src=${srcdir:-.}/src
status=0
for header in shufbound.h exact/exact.h enclosure/enclosure.h binomial/binomial.h theorem/theorem.h theorem/bound.h pair/pair.h \
    hockey/hockey.h renyi/renyi.h subsample/subsample.h theorem/kairouz15.h fast/fast.h certificate/certificate.h claim/claim.h pld/tail.h; do
    echo "#include \"$header\"" | ${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$src" -x c - || status=1
    if command -v c++ >/dev/null 2>&1; then
        echo "#include \"$header\"" | c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$src" -x c++ - || status=1
    fi
done
exit $status
