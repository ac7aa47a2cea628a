# SPDX-License-Identifier: LGPL-3.0-or-later
import pytest
from amplification import delta
from shufbound.vectors import nearest


def ours(v):
    return v.subject["type"] == "rr2" and v.question.get("direction") == "both" and nearest(v.question["users"]) <= 1000


@pytest.mark.shufbound("delta.json", sha256="7234e4a3d309af856566451a05635bac4ef25a979d48b033b0ef6b1f85bd9e8b", select=ours)
def test_delta(vector):
    mine = delta(int(vector.question["users"]), nearest(vector.subject["eps0"]), nearest(vector.question["ask"]["eps"]))
    vector.check(upper=mine, lower=mine, tolerance="1e-9")
