# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Noise that changes while a model is trained: the schedules by their names, as parts for the member "rounds" of a question. Numbers are exact.

The names and the order are those of Opacus's noise schedulers, which change the noise multiplier once for each call of their step().

>>> import shufbound
>>> [str(x) for x in shufbound.schedules.exponential("3/2", "0.9", 3)]
['3/2', '27/20', '243/200']
"""
from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Dict, Iterable, List, Optional

from .answer import Error
from .question import Number, Sampler
from .vectors import _rational

Part = Dict[str, Any]


def _positive(x: Number, member: str) -> Fraction:
    value = Fraction(x) if isinstance(x, (int, Fraction)) and not isinstance(x, bool) else _rational(str(x))
    if value <= 0:
        raise Error(f'"{member}" is {x!r}: more than 0 is allowed', member)
    return value


def exponential(noise_multiplier: Number, gamma: Number, times: int) -> List[Fraction]:
    """The multiplier, and each next one gamma times the one before: ExponentialNoise."""
    return step(noise_multiplier, gamma, times, 1)


def step(noise_multiplier: Number, gamma: Number, times: int, step_size: int) -> List[Fraction]:
    """
    The multiplier, times gamma after every step_size of them: StepNoise.

    >>> import shufbound
    >>> [str(x) for x in shufbound.schedules.step(2, "1/2", 5, 2)]
    ['2', '2', '1', '1', '1/2']
    """
    if step_size < 1:
        raise Error(f'"step_size" is {step_size}: at least 1 is allowed', "step_size")
    first, factor = _positive(noise_multiplier, "noise_multiplier"), _positive(gamma, "gamma")
    return [first * factor ** (i // step_size) for i in range(times)]


def linear(noise_multiplier: Number, last: Number, times: int) -> List[Fraction]:
    """From the multiplier to the last one, by equal differences."""
    first, end = _positive(noise_multiplier, "noise_multiplier"), _positive(last, "last")
    return [first + (end - first) * i / max(times - 1, 1) for i in range(times)]


def rounds(multipliers: Iterable[Number], *, steps: Number, sampling_rate: Optional[Number] = None, sampler: Sampler = "poisson") -> List[Part]:
    """
    A part for each multiplier, of so many steps each.

    >>> import shufbound
    >>> noise = shufbound.schedules.exponential("1.5", "0.9", 4)
    >>> rounds = shufbound.schedules.rounds(noise, steps=100, sampling_rate="1/100")
    >>> f"{shufbound.epsilon('1e-5', rounds=rounds, digits=4):.3f}"
    '[0.787, 0.788]'
    """
    own: Dict[str, Any] = {"steps": str(steps), **({} if sampling_rate is None else {"sampling_rate": str(sampling_rate)})}
    return [{"mechanism": {"type": "noisy-sgd", "sampler": sampler, "noise_multiplier": str(_positive(x, "noise_multiplier")), **own}} for x in multipliers]


def with_clipped_count(noise_multiplier: Number, clipped_count_stddev: Number) -> Fraction:
    """
    The one noise multiplier of a step that also releases the number of clipped records, less half the batch, with noise of that deviation.

    z = (z_delta^-2 + (2 sigma_b)^-2)^-1/2 of Andrew et al. (arXiv 1905.03871), rounded down by less than one part in 10^12, so that the upper end
    that is found for it is a guarantee (proofs/dpsgd.md, Theorem 16).

    >>> import shufbound
    >>> float(shufbound.schedules.with_clipped_count("5/4", "5/6")), float(shufbound.schedules.with_clipped_count(1, 5))
    (1.0, 0.9950371902...)
    """
    z, b = _positive(noise_multiplier, "noise_multiplier"), _positive(clipped_count_stddev, "clipped_count_stddev")
    square = 1 / (1 / z ** 2 + 1 / (4 * b ** 2))
    scale = 10 ** (13 + max(0, len(str(square.denominator)) - len(str(square.numerator))))
    return Fraction(math.isqrt(square.numerator * scale ** 2 // square.denominator), scale)
