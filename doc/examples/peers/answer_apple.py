# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Answers of apple/ml-shuffling-amplification (computeamplification.py).

  delta, epsilon --pair clones      upper and lower bound: deltacomp, numericalanalysis
  bound feldman21-3.1 --delta ..    upper bound: closedformanalysis

One round, no sampling. `step` is 1 up to 1000 users, then n/1000; the bisection has 20 steps.
"""
import common
from common import Refused, number, only, whole

options = common.arguments(__doc__)
try:
    import computeamplification as peer
except ImportError as error:
    common.absent("computeamplification", error)


def answer(params):
    command, pair = params["command"], params.get("pair")
    if params.get("form") == "feldman21-3.1" and "delta" in params:
        only(params, "n", "eps0", "delta")
        n, eps0, delta = whole(params["n"]), number(params["eps0"]), number(params["delta"], up=False)
        if peer.math.log(n / (16 * peer.math.log(4 / delta))) < eps0:
            raise Refused("not a valid regime")
        return {"upper": peer.closedformanalysis(n, eps0, delta)}
    if pair != "clones" or command not in ("delta", "epsilon"):
        return None
    only(params, "n", "eps0", "eps", "delta", "direction")
    n = whole(params["n"])
    step = max(1, n // 1000)
    bounds = {}
    for side, is_upper in ("upper", True), ("lower", False):
        eps0 = number(params["eps0"], up=is_upper)
        if command == "delta":
            eps = number(params["eps"], up=not is_upper)
            bounds[side] = peer.deltacomp(n, eps0, eps, 1.0, step, is_upper)
        else:
            delta = number(params["delta"], up=not is_upper)
            bounds[side] = peer.numericalanalysis(n, eps0, delta, 20, step, is_upper)
    return bounds


common.main(options, "apple/ml-shuffling-amplification", "993d285a546114bf8c70c33d053dca322a755707", answer)
