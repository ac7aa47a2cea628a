#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Builds a wheel of pure Python with the vectors, their rule and the plugin for pytest, as the package shufbound_vectors:
#
#     python/build-vectors-wheel.sh FOLDER
#
# It needs pip, setuptools and wheel, no compiler and no network, and its wheel needs nothing but Python.
set -eu
test $# = 1 || { echo "usage: build-vectors-wheel.sh FOLDER" >&2; exit 64; }
. "$(dirname "$0")/build-common.sh"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
need_python "setuptools, wheel, pip"
version=$(sed -n 's/^## \([0-9][0-9.]*\)$/\1/p' "$root/vectors/CHANGELOG.md" | head -n 1)

mkdir "$work/shufbound_vectors"
cp "$root/python/shufbound/answer.py" "$root/python/shufbound/vectors.py" "$root/python/shufbound/pytest_plugin.py" "$root/python/shufbound/py.typed" \
    "$work/shufbound_vectors"
copy_vectors "$work/shufbound_vectors/vectors"
cp "$root/vectors/README.md" "$root/COPYING" "$root/COPYING.LESSER" "$work"
cat >"$work/shufbound_vectors/__init__.py" <<'PYTHON'
# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Test vectors for shuffle-model privacy accounting: questions, proved enclosures of their answers, and the rule that judges a bound.

    >>> import shufbound_vectors
    >>> vector = shufbound_vectors.load(shufbound_vectors.path("delta.json"))[0]
    >>> vector.judge("upper", 1e-3)
    'sound'
"""
from pathlib import Path

from .answer import Interval
from .vectors import ChecksumError, Vector, at_least, at_most, load, nearest

__all__ = ["ChecksumError", "Interval", "Vector", "at_least", "at_most", "load", "nearest", "path"]


def path(name: str) -> Path:
    """A file of vectors."""
    return Path(__file__).with_name("vectors") / name
PYTHON
cat >"$work/pyproject.toml" <<TOML
[build-system]
requires = ["setuptools >= 61"]
build-backend = "setuptools.build_meta"

[project]
name = "shufbound-vectors"
version = "$version"
description = "Test vectors for shuffle-model differential privacy accounting"
readme = "README.md"
requires-python = ">= 3.9"
license = { text = "LGPL-3.0-or-later" }

[project.entry-points.pytest11]
shufbound = "shufbound_vectors.pytest_plugin"

[tool.setuptools]
packages = ["shufbound_vectors"]

[tool.setuptools.package-data]
shufbound_vectors = ["py.typed", "vectors/*.json"]
TOML
(cd "$work" && "$python" -m pip wheel -q --no-build-isolation --no-deps -w "$folder" .)
ls -l "$folder/shufbound_vectors-$version-py3-none-any.whl"
