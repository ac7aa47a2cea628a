# SPDX-License-Identifier: LGPL-3.0-or-later
import pytest
from amplification import delta
from shufbound.vectors import nearest


def ours(v):
    return v.subject["type"] == "rr2" and v.question.get("direction") == "both" and nearest(v.question["users"]) <= 1000


@pytest.mark.shufbound("delta.json", sha256="7da1c3ed2d224676cf3d992325013087fc5fcc51a2a8ccbb78326b1bdae6d673", select=ours)
def test_delta(vector):
    mine = delta(int(vector.question["users"]), nearest(vector.subject["eps0"]), nearest(vector.question["ask"]["eps"]))
    vector.check(upper=mine, lower=mine, tolerance="1e-9")
