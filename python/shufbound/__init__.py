# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Certified accounting for shuffle-model differential privacy: every number is an interval that provably contains the answer,
with the theorem that makes it a guarantee.

    >>> import shufbound
    >>> answer = shufbound.epsilon("1e-6", mechanism={"type": "ldp", "eps0": "4"}, users=10000)
    >>> float(answer.upper), answer.upper.theorems[0].id   # rounded up
    (0.4108..., 'clones-stronger')
    >>> answer <= 0.5
    True

Parameters are exact: texts, integers, Fractions and Decimals; a float is refused.
"""
from . import readers, schedules
from .accountant import Accountant
from .answer import Answer, Bound, Data, Error, Interval, Ledger, OutOfTime, TheoremUse, Undecided
from .curve import Curve
from .question import Number, Theorem, ask, audit, curve, delta, dpsgd, epsilon, grid, renyi, theorems

__version__ = "0.1.0"

__all__ = [
    "Accountant", "Answer", "Bound", "Curve", "Data", "Error", "Interval", "Ledger", "Number", "OutOfTime", "Theorem", "TheoremUse", "Undecided",
    "ask", "audit", "curve", "delta", "dpsgd", "epsilon", "grid", "readers", "renyi", "schedules", "theorems",
]
