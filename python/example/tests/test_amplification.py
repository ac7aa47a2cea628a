# SPDX-License-Identifier: LGPL-3.0-or-later
import pytest
from amplification import delta
from shufbound.vectors import nearest


def ours(v):
    return v.subject["type"] == "rr2" and v.question.get("direction") == "both" and nearest(v.question["users"]) <= 1000


@pytest.mark.shufbound("delta.json", sha256="285ccd64209882de5d0962fa017f3be46b32385829a2155b9fb59ddba2729e58", select=ours)
def test_delta(vector):
    mine = delta(int(vector.question["users"]), nearest(vector.subject["eps0"]), nearest(vector.question["ask"]["eps"]))
    vector.check(upper=mine, lower=mine, tolerance="1e-9")
