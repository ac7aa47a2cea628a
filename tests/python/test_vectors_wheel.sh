#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The wheel of the vectors: an environment that has nothing else runs the example of a maintainer, which can fail.
set -eu
source=$(cd "${srcdir:-.}" && pwd)
. "$source/python/find-python.sh"
find_python "setuptools, wheel, pip, pytest" || { echo "skipped: pytest, pip, setuptools or wheel is missing"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH SHUFBOUND_LIBRARY
PYTHONDONTWRITEBYTECODE=1 PIP_ROOT_USER_ACTION=ignore
export PYTHONDONTWRITEBYTECODE PIP_ROOT_USER_ACTION

"$source/python/build-vectors-wheel.sh" "$work"
"$python" -m pip install -q --disable-pip-version-check --no-index --no-deps --target "$work/installed" "$work"/*.whl
PYTHONPATH=$work/installed
export PYTHONPATH
cp -R "$source/python/example" "$work/example"
chmod -R u+w "$work/example"
rm "$work/example/tests/test_dp_accounting.py"
cd "$work/example"
sed -i 's/^from shufbound\.vectors/from shufbound_vectors/' tests/test_amplification.py
"$python" -c 'import doctest, shufbound_vectors as s, sys; sys.exit(doctest.testmod(s).failed or not s.path("delta.json").exists())'
"$python" -m pytest -q -p no:cacheprovider
sed -i 's/return max(sum/return 0.99 * max(sum/' amplification.py
if "$python" -m pytest -q -p no:cacheprovider >"$work/log"; then
    echo "FAIL: a wrong bound passed" >&2
    exit 1
fi
grep -q 'is no upper bound on delta' "$work/log"
"$python" -c 'import sys, shufbound_vectors; sys.exit("ctypes" in sys.modules)'
