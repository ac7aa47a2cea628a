# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Answers of Microsoft's prv_accountant (PyPI prv-accountant), the PRV accountant.

  noisy-sgd, sampler poisson or fixed       PoissonSubsampledGaussianMechanism (rate 1 for fixed), composed over the steps

delta and epsilon, eps_error 0.01 and delta_error a thousandth of delta (1e-10 where delta is asked for): its lower and upper ends.
"""
import common
from common import Refused, number, only, whole

options = common.arguments(__doc__)
try:
    from prv_accountant import PRVAccountant, PoissonSubsampledGaussianMechanism
except ImportError as error:
    common.absent("prv_accountant", error)


def ends(params, up):
    """What the accountant returns for parameters that are rounded to more privacy loss (up) or less."""
    rounds = whole(params.get("rounds", "1"))
    fixed = params["sampler"] == "fixed"
    steps = rounds if fixed else rounds * whole(params["steps"])
    rate = 1.0 if fixed else number(params["sampling_rate"], up=up)
    law = PoissonSubsampledGaussianMechanism(noise_multiplier=number(params["noise_multiplier"], up=not up), sampling_probability=rate)
    delta = number(params["delta"], up=not up) if "delta" in params else 1e-7
    accountant = PRVAccountant(prvs=[law], max_self_compositions=[steps], eps_error=0.01, delta_error=delta / 1000)
    if params["command"] == "epsilon":
        return accountant.compute_epsilon(delta=delta, num_self_compositions=[steps])
    return accountant.compute_delta(number(params["eps"], up=not up), [steps])


def function(params):
    if params.get("pair") != "noisy-sgd" or params["command"] not in ("delta", "epsilon"):
        return None
    only(params, "sampler", "noise_multiplier", "sampling_rate", "steps", "rounds", "eps", "delta")
    if params["sampler"] not in ("poisson", "fixed"):
        raise Refused("no batches of " + params["sampler"])
    if params["sampler"] == "poisson" and "sampling_rate" not in params:
        raise Refused("no rate")
    return {"lower": ends(params, False)[0], "upper": ends(params, True)[2]}


common.main(options, "prv_accountant", "0.2.0", function)
