# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Runs a test once for each vector of a file.

    @pytest.mark.shufbound("delta.json", sha256="..", select=lambda v: v.subject["type"] == "clones")
    def test_delta(vector):
        vector.check(upper=mine(vector.question), tolerance="1e-9")

A file is looked for in the folder of the test, in those of the ini option ``shufbound_vectors``, and among those that the wheel carries.
"""
from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any, Callable, List, Optional

import pytest

from .vectors import Vector, load


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("shufbound_vectors", "folders of shufbound's test vectors", type="paths", default=[])


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "shufbound(file, sha256=None, select=None): the fixture vector is each vector of the file that is selected")


def _find(config: pytest.Config, beside: Path, name: str) -> Path:
    folders = [beside, *map(Path, config.getini("shufbound_vectors")), Path(__file__).with_name("vectors")]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    raise pytest.UsageError(f"no file {name} of shufbound's vectors in " + ", ".join(map(str, folders)))


def _selected(config: pytest.Config, beside: Path, file: str, sha256: Optional[str] = None,
              select: Optional[Callable[[Vector], Any]] = None) -> List[Vector]:
    try:
        vectors = load(_find(config, beside, file), sha256)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from error
    return [v for v in vectors if select is None or select(v)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("shufbound")
    if marker is None:
        return
    name = metafunc.definition.nodeid
    if "vector" not in metafunc.fixturenames:
        raise pytest.UsageError(f"{name}: the mark shufbound is on a test without the argument vector")
    given = (metafunc.config, metafunc.definition.path.parent, *marker.args)
    try:
        signature(_selected).bind(*given, **marker.kwargs)
    except TypeError as error:
        raise pytest.UsageError(f"{name}: the mark is shufbound(file, sha256=None, select=None): {error}") from error
    vectors = _selected(*given, **marker.kwargs)
    if not vectors:
        raise pytest.UsageError(f"{name}: no vector is selected")
    metafunc.parametrize("vector", vectors, ids=[str(v.id) for v in vectors])
