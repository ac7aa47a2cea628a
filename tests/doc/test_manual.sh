#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The console sessions of the manual and of the README are what the program says now; of the manual's pages the gate tries every
# sixth one, others with each commit, and make check-all all.
set -eu
srcdir=${srcdir:-.}
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
case $SHUFBOUND in */*) SHUFBOUND=$(cd "$(dirname "$SHUFBOUND")" && pwd)/$(basename "$SHUFBOUND") ;; esac
. "$srcdir/tests/check.sh"
set -- "$srcdir/README.md"
for page in "$srcdir"/doc/manual/[a-z]*.md; do
    drawn 6 && set -- "$@" "$page"
done
# One page runs pytest, with Debian's modules, and the package from here where none is installed.
. "$srcdir/python/find-python.sh"
if ! find_python pytest; then
    echo "python3-pytest is missing: doc/manual/maintainer.md is left out"
    python=python3
    for page; do
        shift
        case $page in */maintainer.md) ;; *) set -- "$@" "$page" ;; esac
    done
fi
export PYTHONPATH="$PWD/$srcdir/python" PYTHONDONTWRITEBYTECODE=1 PYTEST_ADDOPTS="-p no:cacheprovider"
case $srcdir in /*) PYTHONPATH=$srcdir/python ;; esac
"$python" -c 'import importlib.metadata; importlib.metadata.distribution("shufbound")' 2>/dev/null || export PYTEST_PLUGINS=shufbound.pytest_plugin
"$python" "$srcdir/doc/manual/sessions.py" "$SHUFBOUND" "$srcdir" "$@"

# And the check can fail.
sed 's/^\(delta [<>]= \)[0-9]/\19/' "$srcdir/doc/manual/pair.md" >"$work/pair.md"
if "$python" "$srcdir/doc/manual/sessions.py" "$SHUFBOUND" "$srcdir" "$work/pair.md" >/dev/null 2>&1; then
    echo "a changed session passes" >&2
    exit 1
fi
