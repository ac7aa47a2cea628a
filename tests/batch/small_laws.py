# SPDX-License-Identifier: LGPL-3.0-or-later
"""Small laws in exact rationals, for the attacks beside this file. SHUFBOUND_SEED repeats the random numbers."""
import os
import random
from fractions import Fraction as F

seed = int(os.environ.get("SHUFBOUND_SEED") or random.SystemRandom().randrange(10**9))
random.seed(seed)


def law(outputs):
    weights = [random.choice((0, 1, 1, 2, 7, 100)) for _ in range(outputs)]
    if not any(weights):
        weights[0] = 1
    return [F(w, sum(weights)) for w in weights]


def hockey(P, Q, alpha):
    return sum(max(x - alpha * y, F(0)) for x, y in zip(P, Q))
