# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Answers of Google's dp_accounting (PyPI dp-accounting), its privacy loss distributions.

  delta, epsilon --pair gaussian --n 1                      from_gaussian_mechanism
  delta, epsilon --pair rr2, clones, clones-stronger [--rounds T]
                                        from_two_probability_mass_functions, self_compose

Pessimistic estimates, and the optimistic ones of a delta as lower bounds. The laws of the pairs are
computed here, in doubles; at most 2000 users for rr2 and 100 for the others. No sampling.
With --path DIR, DIR is python/dp_accounting of a checkout of google/differential-privacy.
"""
import math

import common
from common import Refused, number, only, whole

options = common.arguments(__doc__)
try:
    from dp_accounting.pld import privacy_loss_distribution as pld
except ImportError as error:
    common.absent("dp_accounting", error)


def log_choose(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def response_laws(n, eps0):
    """log P and log Q of the number of ones, all users at 0, one changed in Q."""
    one = -math.log1p(math.exp(eps0))
    p = {k: log_choose(n, k) + k * one + (n - k) * (eps0 + one) for k in range(n + 1)}
    return p, {k: x + math.log((k * math.exp(eps0) + (n - k) * math.exp(-eps0)) / n) for k, x in p.items()}


def clone_laws(n, eps0, probability):
    """log P and log Q of the two counters, each of n-1 users a clone with this probability."""
    weight = 1 / (1 + math.exp(-eps0))
    p, q = {}, {}
    for c in range(n):
        law_c = math.exp(log_choose(n - 1, c)) * probability**c * (1 - probability)**(n - 1 - c)
        for a in range(c + 1):
            mass = law_c * math.comb(c, a) / 2**c
            for cell, w in ((a + 1, c - a), weight), ((a, c - a + 1), 1 - weight):
                p[cell] = p.get(cell, 0) + mass * w
                q[cell] = q.get(cell, 0) + mass * (1 - w)
    logs = lambda law: {cell: math.log(x) for cell, x in law.items() if x > 0}
    return logs(p), logs(q)


def distribution(params, pessimistic):
    pair, n = params["pair"], whole(params["n"])
    if pair == "gaussian":
        if n != 1:
            raise Refused("n must be 1")
        return pld.from_gaussian_mechanism(number(params["sigma"], up=not pessimistic), pessimistic_estimate=pessimistic)
    if n > (2000 if pair == "rr2" else 100):
        raise Refused("too many users for a dictionary")
    eps0 = number(params["eps0"], up=pessimistic)
    if pair == "rr2":
        p, q = response_laws(n, eps0)
    else:
        p, q = clone_laws(n, eps0, math.exp(-eps0) if pair == "clones" else 2 / (math.exp(eps0) + 1))
    return pld.from_two_probability_mass_functions(q, p, pessimistic_estimate=pessimistic, symmetric=False)


def answer(params):
    command, pair = params["command"], params.get("pair")
    if command not in ("delta", "epsilon") or pair not in ("gaussian", "rr2", "clones", "clones-stronger"):
        return None
    only(params, "n", "eps0", "sigma", "eps", "delta", "rounds", "direction")
    rounds = whole(params.get("rounds", "1"))
    bounds = {}
    for side, pessimistic in ("upper", True), ("lower", False):
        if side == "lower" and (command == "epsilon" or params.get("direction", "both") != "both"):
            continue
        composed = distribution(params, pessimistic)
        if rounds > 1:
            composed = composed.self_compose(rounds)
        if command == "delta":
            bounds[side] = composed.get_delta_for_epsilon(number(params["eps"], up=not pessimistic))
        else:
            bounds[side] = composed.get_epsilon_for_delta(number(params["delta"], up=not pessimistic))
    return bounds


common.main(options, "dp_accounting", "0.6.0, google/differential-privacy b5b0286e313b64a692abfc8c528d54ef47d960a0", answer)
