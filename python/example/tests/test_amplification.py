# SPDX-License-Identifier: LGPL-3.0-or-later
import pytest
from amplification import delta
from shufbound.vectors import nearest


def ours(v):
    return v.subject["type"] == "rr2" and v.question.get("direction") == "both" and nearest(v.question["users"]) <= 1000


@pytest.mark.shufbound("delta.json", sha256="f0fa497b96436e8a881177b1b3b4194825eac60e9f71e55fdf50e05b7bfd8b0e", select=ours)
def test_delta(vector):
    mine = delta(int(vector.question["users"]), nearest(vector.subject["eps0"]), nearest(vector.question["ask"]["eps"]))
    vector.check(upper=mine, lower=mine, tolerance="1e-9")
