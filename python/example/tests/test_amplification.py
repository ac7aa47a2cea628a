# SPDX-License-Identifier: LGPL-3.0-or-later
import pytest
from amplification import delta
from shufbound.vectors import nearest


def ours(v):
    return v.subject["type"] == "rr2" and v.question.get("direction") == "both" and nearest(v.question["users"]) <= 1000


@pytest.mark.shufbound("delta.json", sha256="c384025ee51b7c9947b8aab3a7572d6a5008063e6bc2ca81543a7b322b4b4dd5", select=ours)
def test_delta(vector):
    mine = delta(int(vector.question["users"]), nearest(vector.subject["eps0"]), nearest(vector.question["ask"]["eps"]))
    vector.check(upper=mine, lower=mine, tolerance="1e-9")
