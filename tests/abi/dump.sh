#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# dump.sh LIBRARY FILE: the functions of the library with their types, those of the public headers, to FILE. Recording anew, which doc/manual/abi.md
# says when to do:
#
#     tests/abi/dump.sh .libs/libshufbound.so tests/abi/libshufbound.abi
set -eu
abidw --exported-interfaces-only --headers-dir "$(dirname "$0")/../../src" --drop-private-types --no-parameter-names --no-corpus-path \
    --no-comp-dir-path --no-show-locs --type-id-style hash --out-file "$2" "$(realpath "$1")"
