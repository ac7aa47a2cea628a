# SPDX-License-Identifier: LGPL-3.0-or-later
"""Schedules of noise: the numbers they name, the question they become, and the one multiplier of a step that also counts."""
import random
from fractions import Fraction

import pytest

import shufbound
from shufbound import schedules


def test_the_multipliers():
    assert schedules.exponential(2, "1/2", 3) == [2, 1, Fraction(1, 2)]
    assert schedules.step("3/2", "0.9", 4, 3) == [Fraction(3, 2)] * 3 + [Fraction(27, 20)]
    assert schedules.linear(2, 1, 5) == [2, Fraction(7, 4), Fraction(3, 2), Fraction(5, 4), 1]
    assert schedules.linear("0.7", 3, 1) == [Fraction(7, 10)]


def test_the_question():
    parts = schedules.rounds(schedules.step(1, 2, 2, 1), steps=3, sampler="fixed")
    assert parts == [{"mechanism": {"type": "noisy-sgd", "sampler": "fixed", "noise_multiplier": str(x), "steps": "3"}} for x in (1, 2)]
    # the squares of 1/1 and 1/2 add up to that of one epoch with noise 2/sqrt(5)
    both = shufbound.epsilon("1e-5", rounds=parts, digits=4)
    one = shufbound.epsilon("1e-5", mechanism={**parts[0]["mechanism"], "noise_multiplier": "0.8944271909999"}, digits=4)
    assert both.lower.lo <= one.upper.hi and one.lower.lo <= both.upper.hi * (1 + Fraction(1, 1000))


def test_the_count():
    random.seed(1)
    for _ in range(300):
        z, b = (Fraction(random.randint(1, 10 ** random.randint(1, 7)), random.randint(1, 10 ** random.randint(1, 7))) for _ in range(2))
        one = schedules.with_clipped_count(z, b)
        square = 1 / (1 / z ** 2 + 1 / (4 * b ** 2))
        assert one ** 2 <= square < (one * (1 + Fraction(1, 10 ** 12))) ** 2


@pytest.mark.parametrize("call", [lambda: schedules.step(1, "1/2", 3, 0), lambda: schedules.exponential(0, 1, 2), lambda: schedules.linear(1, "-1", 2),
                                  lambda: schedules.with_clipped_count(1, 0)])
def test_what_is_refused(call):
    with pytest.raises(shufbound.Error):
        call()
