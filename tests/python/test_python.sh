#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The Python package over the library of this build: pytest, and mypy where it is. Without a shared library only what needs none.
# The gate draws the vectors that are answered, and of what takes long every third test; make check-all has all.
set -eu
folder=$(cd "${srcdir:-.}/python" && pwd)
. "$folder/find-python.sh"
find_python "pytest" || { echo "skipped: python3-pytest is missing"; exit 77; }
case ${SHUFBOUND:-} in */*) SHUFBOUND=$(cd "$(dirname "$SHUFBOUND")" && pwd)/$(basename "$SHUFBOUND"); export SHUFBOUND ;; esac
PYTHONPATH=$folder PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

if [ -e .libs/libshufbound.so.0 ]; then
    SHUFBOUND_LIBRARY=$PWD/.libs/libshufbound.so.0
    export SHUFBOUND_LIBRARY
    set -- "$folder/tests"
else
    echo "there is no shared library: its tests are left out"
    set -- "$folder/tests/test_numbers.py" "$folder/tests/test_plugin.py"
fi
[ "${SHUFBOUND_CHECK_ALL:-}" = 1 ] || [ "${SHUFBOUND_DRAW:-}" = all ] || export SHUFBOUND_VECTORS_SAMPLE="${SHUFBOUND_VECTORS_SAMPLE:-50}"
# one failure is enough, and a deliberate fault is caught in seconds
"$python" -m pytest -q -x -rs -p no:cacheprovider -p shufbound.pytest_plugin "$@"

if command -v mypy >/dev/null; then
    cache=$(mktemp -d)
    trap 'rm -rf "$cache"' EXIT
    # who writes a keyword or a choice that there is not is told so before anything runs
    printf '%s\n' 'import shufbound' 'shufbound.delta("1", users=10, digits=3) <= 1.0' 'shufbound.delta("1", user=10)' 'shufbound.dpsgd(sampler="urn")' \
        'shufbound.epsilon("1e-6", users=0.5)' >"$cache/caller.py"
    # what it knows of the modules of Python is kept in the user's cache
    (cd "$folder" && mypy --python-executable "$(command -v "$python")" --cache-dir "${XDG_CACHE_HOME:-${HOME:-$cache}/.cache}/shufbound/mypy" shufbound "$cache/caller.py") >"$cache/log" || :
    [ "$(grep -o '[^/]*.py:[0-9]*: error' "$cache/log" | tr '\n' ' ')" = "caller.py:3: error caller.py:4: error caller.py:5: error " ] || {
        echo "FAIL: mypy, which is to find the three errors of a caller:" >&2
        cat "$cache/log" >&2
        exit 1
    }
fi
