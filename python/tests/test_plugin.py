# SPDX-License-Identifier: LGPL-3.0-or-later
"""The plugin runs tests of others on the vectors, and they can fail."""
import hashlib
import importlib.metadata
import math
import os
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from conftest import VECTORS

from shufbound.answer import Interval
from shufbound.vectors import Vector, at_least, at_most, load, nearest

EXAMPLE = Path(__file__).parents[1] / "example"


def run(folder):
    """pytest in that folder: its exit status and output. It needs no library."""
    try:
        importlib.metadata.distribution("shufbound")
        plugin = []
    except importlib.metadata.PackageNotFoundError:
        plugin = ["-p", "shufbound.pytest_plugin"]
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *plugin, "-o", f"shufbound_vectors={VECTORS}"],
                          cwd=folder, env={**os.environ, "SHUFBOUND_LIBRARY": "/nowhere"}, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def example(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / "example", copy_function=shutil.copyfile)
    os.chmod(tmp_path / "example", 0o755)
    os.chmod(tmp_path / "example/tests", 0o755)
    return tmp_path / "example"


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_example(example):
    status, output = run(example)
    assert status == 0 and re.search(r"\b[1-9][0-9] passed", output), output


@pytest.mark.parametrize("old, new", [
    ("return max(sum", "return 0.99 * max(sum"),     # no upper bound
    ("return max(sum", "return 1.01 * max(sum"),     # no lower bound
    ("return max(sum", "return math.nan * max(sum"),
])
def test_wrong_bounds_fail(example, old, new):
    edit(example / "amplification.py", old, new)
    status, output = run(example)
    assert status == 1 and "bound on delta, which lies in" in output, output


def test_another_file_is_refused(example):
    shutil.copyfile(VECTORS / "delta.json", example / "tests/delta.json")
    edit(example / "tests/delta.json", '"eps": "0.5"', '"eps": "0.6"')
    status, output = run(example)
    found = hashlib.sha256((example / "tests/delta.json").read_bytes()).hexdigest()
    assert status not in (0, 1) and f"has the SHA-256 {found}" in output, output


def test_nothing_selected_is_an_error(example):
    edit(example / "tests/test_amplification.py", '"rr2"', '"rr3"')
    status, output = run(example)
    assert status not in (0, 1, 5) and "no vector is selected" in output, output


@pytest.mark.parametrize("old, new, words", [
    ("def test_delta(vector):", "def test_delta():", "test_delta: the mark shufbound is on a test without the argument vector"),
    ("shufbound(\"delta.json\", ", "shufbound(", "test_delta: the mark is shufbound(file, sha256=None, select=None): missing a required argument: 'file'"),
    ("delta.json", "negative.json", "negative.json has claims that are refuted, and no results: no bound can be checked by it"),
])
def test_wrong_marks_are_errors(example, old, new, words):
    path = example / "tests/test_amplification.py"
    path.write_text(re.sub(', sha256="[0-9a-f]*"', "", path.read_text()))
    edit(path, old, new)
    status, output = run(example)
    assert status not in (0, 1, 5) and words in output and "Traceback" not in output, output


def vector(lo, hi, infinite=False, bound=None):
    return Vector(1, "a test", (), {"pair": {"type": "rr2"}, "ask": {"quantity": "delta"}}, Interval(lo, hi, infinite=infinite), "rr2", "lower", bound, {})


@pytest.mark.parametrize("side, bound, tolerance, verdict", [
    ("upper", "0.3", "0", "sound"), ("upper", "0.25", "0", "undecided"), ("upper", "0.19", "0", "unsound"), ("upper", "0.2", "0", "undecided"),
    ("lower", "0.2", "0", "sound"), ("lower", "0.25", "0", "undecided"), ("lower", "0.31", "0", "unsound"), ("lower", "0.3", "0", "undecided"),
    ("upper", 0.3, "0", "undecided"), ("upper", 0.3, "1e-9", "sound"), ("upper", "0.29", "1/29", "sound"), ("lower", "0.21", "0.05", "sound"),
    ("lower", "-1", "0", "sound"), ("upper", "-1", "0.5", "unsound"), ("upper", math.inf, "0", "sound"), ("upper", -math.inf, "0", "unsound"),
    ("lower", math.inf, "0", "unsound"), ("lower", "-inf", "0", "sound"), ("upper", math.nan, "1", "unsound"), ("lower", "nan", "1", "unsound"),
    ("upper", "0x1.8p-1", "0", "sound"), ("upper", 1, "0", "sound"),
])
def test_judge(side, bound, tolerance, verdict):
    assert vector("0.2", "0.3").judge(side, bound, tolerance) == verdict


def test_check_numpy():
    numpy = pytest.importorskip("numpy")
    it = vector("0.2", "0.3")
    # of the floats next to 0.3 those of single and half precision are above it
    assert [it.judge("upper", kind("0.3")) for kind in (numpy.float64, numpy.float32, numpy.float16)] == ["undecided", "sound", "sound"]
    assert it.judge("lower", numpy.int64(0)) == it.judge("upper", numpy.array([1.0])) == it.judge("upper", numpy.float32("inf")) == "sound"
    it.check(upper=numpy.array([[0.25, 0.3], [0.5, numpy.inf]]), lower=numpy.float32(0.2))
    for wrong in (numpy.array([0.25, 0.19]), numpy.float32(0.19), numpy.float32("nan"), [0.19]):
        with pytest.raises((AssertionError, TypeError)):
            it.check(upper=wrong)
    with pytest.raises(ValueError):
        it.check(upper=numpy.array([]))


def test_strict_check():
    it = vector("0.2", "0.3")
    it.check(upper="0.3", lower="0.2", strict=True)
    it.check(upper="0.25", lower="0.25")
    it.check(upper="0.29", lower="0.21", tolerance="1/20", strict=True)
    for given, words in (({"upper": "0.25"}, "0.25 is not certainly an upper bound"), ({"lower": "0.25"}, "0.25 is not certainly a lower bound"),
                         ({"upper": "0.1"}, "0.1 is no upper bound")):
        with pytest.raises(AssertionError, match=words):
            it.check(**given, strict=True)


def test_judge_bound_on_a_mechanism():
    above, below = vector("0.2", "0.3", bound="upper"), vector("0.2", "0.3", bound="lower")
    assert [above.judge("upper", x) for x in ("0.1", "0.25", "0.3")] == ["undecided", "undecided", "sound"]
    assert [above.judge("lower", x) for x in ("0.1", "0.25", "0.4")] == ["undecided", "undecided", "unsound"]
    assert [above.judge("upper", x) for x in (math.inf, -math.inf, math.nan)] == ["sound", "unsound", "unsound"]
    assert [below.judge("lower", x) for x in ("0.4", "0.25", "0.2")] == ["undecided", "undecided", "sound"]
    assert [below.judge("upper", x) for x in ("0.4", "0.25", "0.1")] == ["undecided", "undecided", "unsound"]


def test_judge_infinite():
    it = vector(None, None, infinite=True)
    assert [it.judge("upper", x) for x in (1e300, math.inf, math.nan)] == ["unsound", "sound", "unsound"]
    assert [it.judge("lower", x) for x in (1e300, math.inf, math.nan)] == ["sound", "sound", "unsound"]


def test_parameters():
    for path in VECTORS.glob("*.json"):
        if path.name == "negative.json":
            continue
        for v in load(path):
            for text in list(v.subject.values()) + list(v.question["ask"].values()):
                if isinstance(text, str) and text[0] in "0123456789":
                    exact = Fraction(float.fromhex(text)) if "0x" in text else Fraction(text)
                    assert at_most(text) <= exact <= at_least(text)
    assert at_most("log(3)") < math.log(3) < at_least("log(3)") and nearest("inf") == math.inf
