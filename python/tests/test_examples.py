# SPDX-License-Identifier: LGPL-3.0-or-later
"""The examples of the docstrings are true, and whatever the package offers has one."""
import doctest
import importlib
from pathlib import Path

import pytest

import shufbound

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", ["shufbound"] + [f"shufbound.{name}" for name in ("accountant", "answer", "curve", "question", "readers", "schedules", "vectors")])
def test_examples(name):
    done = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert done.attempted > 0 and done.failed == 0


def test_readme():
    done = doctest.testfile(str(Path(__file__).parents[1] / "README.md"), module_relative=False, optionflags=FLAGS)
    assert done.attempted > 0 and done.failed == 0


@pytest.mark.parametrize("name", [name for name in shufbound.__all__ if name not in ("Number", "readers")])
def test_everything_has_an_example(name):
    assert ">>>" in getattr(shufbound, name).__doc__


@pytest.mark.parametrize("name", ["attribution", "dap", "dp_event", "opacus", "opendp"])
def test_every_reader_has_an_example(name):
    assert ">>>" in getattr(shufbound.readers, name).__doc__
