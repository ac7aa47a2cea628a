# SPDX-License-Identifier: LGPL-3.0-or-later
"""The vectors are answered as they are written: about one in SHUFBOUND_VECTORS_SAMPLE (5)."""
import json
import os
import random
import subprocess
from fractions import Fraction

import pytest
from conftest import SEED, VECTORS

import shufbound
from shufbound.vectors import load

FILES = sorted(path for path in VECTORS.glob("*.json") if path.name != "negative.json")


def sample():
    rng = random.Random(SEED)
    one_in = int(os.environ.get("SHUFBOUND_VECTORS_SAMPLE") or 5)
    for path in FILES:
        for vector in load(path):
            if rng.randrange(one_in) == 0:
                yield pytest.param(vector, id=f"{path.stem}-{vector.id}")


def decimals(interval):
    return Fraction(interval.lo_decimal), Fraction(interval.hi_decimal)


def agree(now, then):
    """The rule of vectors/README.md for the intervals of one vector."""
    (lo, hi), (old_lo, old_hi) = now, then
    meets = max(lo, old_lo) <= min(hi, old_hi)
    is_inside = old_lo <= lo and hi <= old_hi
    return meets and hi - lo <= 2 * (old_hi - old_lo) and (is_inside or 2 * (hi - lo) >= old_hi - old_lo)


@pytest.mark.parametrize("vector", list(sample()))
def test_vector(vector):
    answer = shufbound.ask(vector.question)
    now, then = getattr(answer, vector.bound or "value"), vector.result
    assert now.infinite == then.infinite
    if not now.infinite:
        assert agree(decimals(now), decimals(then))
    assert now.theorems[0].id == vector.theorem and now.side == vector.side
    assert now.infinite or now.lower() <= now.lo <= now.hi <= now.upper()
    # the vector's own ends are bounds, as far as the file says
    if not then.infinite:
        for side, end in (("upper", then.hi), ("lower", then.lo)):
            is_known = vector.bound in (None, side) or vector.side == "exact"
            assert vector.judge(side, end) == ("sound" if is_known else "undecided")


def test_same_as_the_program():
    program = os.environ.get("SHUFBOUND")
    if not program:
        pytest.skip("SHUFBOUND is not set")
    questions = [json.dumps(parameter.values[0].question) for parameter in list(sample())[::5]]
    done = subprocess.run([program, "ask", "-"], input="\n".join(questions), capture_output=True, check=True, text=True)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [shufbound.ask(question).json for question in questions]


def test_there_are_files():
    assert len(FILES) >= 20
