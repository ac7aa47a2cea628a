#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The version stands in several files; it is the same in all.
program=${SHUFBOUND:-./shufbound}
source=${srcdir:-.}
version=$("$program" --version | sed 's/^shufbound //')
failures=0
says() { # FILE PATTERN
    grep -q -e "$2" "$source/$1" || { echo "FAIL: $1 does not say $version" >&2; failures=$((failures + 1)); }
}
says configure.ac "^AC_INIT(\[shufbound\], \[$version\])"
says python/pyproject.toml "^version = \"$version\"$"
says CITATION.cff "^version: $version$"
says debian/changelog "^shufbound ($version-"
says CHANGELOG.md "^## $version\( \|$\)"
[ $failures = 0 ] && echo "all tests passed"
[ $failures = 0 ]
