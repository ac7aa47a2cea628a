#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Builds a source distribution of the Python package that compiles the library when pip installs it, and tries that:
#
#     python/build-sdist.sh TREE FOLDER
#
# TREE is what `make distdir` made, FOLDER is where the distribution goes. Installing it needs a C compiler, make and the
# development files of GMP, MPFR, FLINT (and Arb before FLINT 3) and jansson. setuptools and wheel are this machine's.
set -eu
test $# = 2 || { echo "usage: build-sdist.sh TREE FOLDER" >&2; exit 64; }
. "$(dirname "$0")/build-common.sh"
tree=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
need_python "setuptools, wheel, pip"

copy_package
mkdir "$work/source/library"
(cd "$tree" && tar cf - configure configure.ac aclocal.m4 m4 Makefile.am Makefile.in config.h.in shufbound.pc.in build-aux src tests/*/tests.am) | tar xf - -C "$work/source/library"
echo 'graft library' >"$work/source/MANIFEST.in"
(cd "$work/source" && "$python" -c 'import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])' "$work" >"$work/log" 2>&1) || {
    cat "$work/log" >&2
    exit 1
}

# As somebody would who has it from an index.
"$python" -m venv --system-site-packages "$work/empty"
"$work/empty/bin/pip" install -q --no-index --no-build-isolation "$work"/shufbound-*.tar.gz
cd "$work"
"$work/empty/bin/python" -c '
import shufbound
answer = shufbound.epsilon("1e-6", mechanism={"type": "ldp", "eps0": "4"}, users=10000)
print(answer)
assert "empty" in shufbound.__file__ and answer <= 1'
cp "$work"/shufbound-*.tar.gz "$folder"
ls -l "$folder"/shufbound-*.tar.gz
