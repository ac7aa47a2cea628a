#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The Python package over the library of this build: pytest, and mypy where it is. Without a shared library only what needs none.
# The gate draws the vectors that are answered, and of what takes long every second test; make check-all has all.
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
[ "${SHUFBOUND_CHECK_ALL:-}" = 1 ] || [ "${SHUFBOUND_DRAW:-}" = all ] || export SHUFBOUND_VECTORS_SAMPLE="${SHUFBOUND_VECTORS_SAMPLE:-25}"
# one failure is enough, and a deliberate fault is caught in seconds
"$python" -m pytest -q -x -rs -p no:cacheprovider -p shufbound.pytest_plugin "$@"

if command -v mypy >/dev/null; then
    cache=$(mktemp -d)
    trap 'rm -rf "$cache"' EXIT
    (cd "$folder" && mypy --python-executable "$(command -v "$python")" --cache-dir "$cache" shufbound)
    # who writes a keyword or a choice that there is not is told so before anything runs
    printf '%s\n' 'import shufbound' 'shufbound.delta("1", users=10, digits=3) <= 1.0' 'shufbound.delta("1", user=10)' 'shufbound.dpsgd(sampler="urn")' \
        'shufbound.epsilon("1e-6", users=0.5)' >"$cache/caller.py"
    (cd "$folder" && mypy --python-executable "$(command -v "$python")" --cache-dir "$cache" "$cache/caller.py") >"$cache/log" || :
    [ "$(grep -o 'caller.py:[0-9]*: error' "$cache/log" | tr '\n' ' ')" = "caller.py:3: error caller.py:4: error caller.py:5: error " ] || {
        echo "FAIL: mypy on a caller:" >&2
        cat "$cache/log" >&2
        exit 1
    }
fi
