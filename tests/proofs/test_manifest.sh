#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The tags in the C and the rows of proofs/MANIFEST agree, and the check notices when they do not.
. "${srcdir:-.}/tests/check.sh"
source=$(cd "$source" && pwd) || exit 99
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }

# tags FOLDER: quietly; what it says is in $work/said
tags() {
    PYTHONDONTWRITEBYTECODE=1 python3 "$source/proofs/manifest.py" tags "$1" >"$work/said" 2>&1
}

# The source tree as far as the check reads it, afresh.
fresh() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree/proofs"
    cp "$source/proofs/MANIFEST" "$work/tree/proofs"
    (cd "$source" && tar cf - src/*/*.[ch]) | (cd "$work/tree" && tar xf -)
    ln -s "$source/tests" "$work/tree/tests"
    chmod -R u+w "$work/tree/proofs" "$work/tree/src"
}

# edit FILE SCRIPT: with sed; it is a failure if nothing changes
edit() {
    sed "$2" "$work/tree/$1" >"$work/edited"
    if cmp -s "$work/edited" "$work/tree/$1"; then
        fail "sed '$2' $1 changes nothing"
    fi
    cp "$work/edited" "$work/tree/$1"
}

# noticed WHAT PATTERN: after an edit the check must fail and say so
noticed() {
    if tags "$work/tree"; then
        fail "not noticed: $1"
    elif ! grep -q "$2" "$work/said"; then
        fail "$1: no /$2/ in $(cat "$work/said")"
    fi
}

if ! tags "$source"; then
    cat "$work/said" >&2
    exit 1
fi
fresh
if ! tags "$work/tree"; then
    fail "a copy of the tree does not pass: $(cat "$work/said")"
fi

edit src/pld/grid.c '/Coq: Grid\.upper_grid_kept/d'
noticed "a tag removed" 'src/pld/grid.c has no tag "Coq: Grid.upper_grid_kept"'

fresh
edit proofs/MANIFEST '/^theorem | Grid\.upper_grid_kept /d'
noticed "a row removed" "tag Grid.upper_grid_kept has no row"

fresh
edit src/pld/grid.c 's/\bset_upper(/set_above(/'
noticed "a function renamed" "src/pld/grid.c has no function set_upper"

fresh
edit src/pld/power.c '1s|^|/* Coq: Grid.upper_grid_kept. */|'
noticed "a tag too many" "src/pld/power.c has a tag but is not in the row"

fresh
edit proofs/MANIFEST '/^theorem | Grid\.upper_grid_kept /s|test_grid\.c|test_grids.c|'
noticed "a test that is not there" "there is no tests/pld/test_grids.c"

fresh
edit proofs/MANIFEST '/^theorem | Grid\.upper_grid_kept /s/ | [^|]*$//'
noticed "a field missing" "a row is theorem with 6 fields"

finish
