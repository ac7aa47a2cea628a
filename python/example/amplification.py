# SPDX-License-Identifier: LGPL-3.0-or-later
"""The library of the example: shuffled binary randomised response on data that are all equal, in doubles."""
import math


def delta(n, eps0, eps):
    """The larger of both hockey-stick divergences between the numbers of ones before and after one of n users changes."""
    one = 1 / (1 + math.exp(eps0))
    p = [math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(one) + (n - k) * math.log1p(-one))
         for k in range(n + 1)]
    q = [x * (k * math.exp(eps0) + (n - k) * math.exp(-eps0)) / n for k, x in enumerate(p)]
    return max(sum(max(x - math.exp(eps) * y, 0) for x, y in zip(a, b)) for a, b in ((p, q), (q, p)))
