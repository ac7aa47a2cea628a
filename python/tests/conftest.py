# SPDX-License-Identifier: LGPL-3.0-or-later
import os
import random
from pathlib import Path

import pytest

VECTORS = Path(os.environ.get("SHUFBOUND_VECTORS") or Path(__file__).parents[2] / "vectors")


SEED = int(os.environ.get("SHUFBOUND_SEED") or random.SystemRandom().randrange(2**32))


def is_drawn(place):
    """In the gate (tests/check.sh) of every third place, others with each commit; else always."""
    draw = os.environ.get("SHUFBOUND_DRAW") or "all"
    return draw == "all" or os.environ.get("SHUFBOUND_CHECK_ALL") == "1" or (int(draw, 16) + place) % 3 == 0


def pytest_report_header():
    return f"SHUFBOUND_SEED={SEED}"


@pytest.fixture
def rng():
    return random.Random(SEED)
