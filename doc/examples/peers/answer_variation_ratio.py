# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Answers of wangsw/PrivacyAmplification (unifiedamplification.py).

  epsilon --pair clones-stronger       upper and lower bound: amplificationUB, amplificationLB, any mechanism
  epsilon --pair clones                the same with the clones' parameters: amplificationUBCore, amplificationLBCore
  epsilon --pair krr-same, krr-third   upper bound for shuffled k-RR: amplificationUB, 'krr'
  delta of these pairs                 upper bound: Delta and the allowance that amplificationUB makes

One round, no sampling, at most 2^53 users: for 10^18 scipy does not return. The bisection has 40 steps.
"""
import math

import common
from common import Refused, number, only, whole

options = common.arguments(__doc__)
try:
    import numpy
    import unifiedamplification as peer
except ImportError as error:
    common.absent("unifiedamplification", error)

TOLERANCE = 1e-14


def pair_parameters(pair, eps0, k):
    """(p, alpha, r) of the reduction, r for both counters."""
    if pair == "clones":
        return math.exp(eps0), 1 / (math.exp(eps0) + 1), 1 / (2 * math.exp(eps0))
    p, beta, q, _ = peer.computeUBParameters(eps0, "krr" if k else None, k)
    alpha = beta / (p - 1)
    return p, alpha, alpha * p / q


def answer(params):
    command, pair = params["command"], params.get("pair")
    if command not in ("delta", "epsilon") or pair not in ("clones", "clones-stronger", "krr-same", "krr-third"):
        return None
    only(params, "n", "k", "eps0", "eps", "delta", "direction")
    n, k = whole(params["n"]), whole(params["k"]) if pair.startswith("krr") else None
    if n > 2**53:
        raise Refused("too many users for a double")
    p, alpha, r = pair_parameters(pair, number(params["eps0"]), k)
    if command == "delta":
        eps = number(params["eps"], up=False)
        return {"upper": peer.Delta(eps, alpha, r, r, n, p, TOLERANCE) + TOLERANCE * n}
    bounds = {"upper": peer.amplificationUBCore(p, alpha, r, r, n, number(params["delta"], up=False), 40)}
    if not k:
        p, alpha, r = pair_parameters(pair, number(params["eps0"], up=False), k)
        bounds["lower"] = peer.amplificationLBCore(p, alpha, r, r, n, number(params["delta"]), 40)
    return bounds


common.main(options, "wangsw/PrivacyAmplification", "34ca048932dc1f211d1d1a3b1e642088c4b8390a", answer)
