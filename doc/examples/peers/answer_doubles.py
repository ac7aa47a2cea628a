# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Answers of plain double precision: the sums over all outcomes, with no library at all.

  delta --pair rr2, clones, clones-stronger   the sum of the positive parts of P - e^eps Q
  renyi --pair rr2                            the sum of P^order Q^(1-order), not for orders 1 and inf

The sum times 1 +- 1e-9 is what a careful user would take for an upper and a lower bound.
At most 10^5 users for rr2, 300 for the others. One round, no sampling.
"""
import math

import common
from common import Refused, number, only, whole

ROOM = 1e-9


def binomial(n, p, k):
    if p in (0, 1):
        return float(k == n * p)
    return math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
                    + k * math.log(p) + (n - k) * math.log1p(-p))


def cells(pair, n, eps0):
    """P and Q of each outcome."""
    E = math.exp(eps0)
    if pair == "rr2":
        for k in range(n + 1):
            p = binomial(n, 1 / (E + 1), k)          # k ones, all users at 0; in Q one is changed
            yield p, p * (k * E + (n - k) / E) / n
        return
    p = 1 / E if pair == "clones" else 2 / (E + 1)
    weight = E / (E + 1)
    for c in range(n):
        law_c = binomial(n - 1, p, c)
        before = 0.0
        for a in range(c + 2):
            here = law_c * binomial(c, .5, a) if a <= c else 0.0
            yield weight * before + (1 - weight) * here, (1 - weight) * before + weight * here
            before = here


def answer(params):
    command, pair = params["command"], params.get("pair")
    if (command, pair) not in (("delta", "rr2"), ("delta", "clones"), ("delta", "clones-stronger"), ("renyi", "rr2")):
        return None
    only(params, "n", "eps0", "eps", "order", "direction")
    n, eps0 = whole(params["n"]), number(params["eps0"])
    if n > (10**5 if pair == "rr2" else 300):
        raise Refused("too many users")
    direction = params.get("direction", "both")
    values = []
    for forward in (True, False):
        if direction not in ("both", "pq" if forward else "qp"):
            continue
        laws = ((p, q) if forward else (q, p) for p, q in cells(pair, n, eps0))
        if command == "delta":
            alpha = math.exp(number(params["eps"]))
            values.append(sum(max(0.0, p - alpha * q) for p, q in laws))
        else:
            if params["order"] in ("1", "inf"):
                raise Refused("another formula")
            order = number(params["order"])
            values.append(math.log(sum(p**order * q**(1 - order) for p, q in laws if p > 0 and q > 0)) / (order - 1))
    return {"upper": max(values) * (1 + ROOM), "lower": max(values) * (1 - ROOM)}


common.main(common.arguments(__doc__), "doubles", "Python floats", answer)
