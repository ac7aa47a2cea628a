# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Answers of autodp (PyPI autodp), its Renyi accountant for sampled mechanisms and exact curve of Gaussian noise.

  noisy-sgd, sampler poisson      AmplificationBySampling(PoissonSampling=True) of GaussianMechanism, Composition
  noisy-sgd, sampler fixed        Composition of GaussianMechanism

epsilon by get_approxDP, delta by bisection of it. Upper bounds, as the program says.
"""
import common
from common import Refused, number, only, whole

options = common.arguments(__doc__)
try:
    from autodp.mechanism_zoo import GaussianMechanism
    from autodp.transformer_zoo import AmplificationBySampling, Composition
except ImportError as error:
    common.absent("autodp", error)


def mechanism(params):
    rounds = whole(params.get("rounds", "1"))
    law = GaussianMechanism(sigma=number(params["noise_multiplier"], up=False), name="Gaussian")
    if params["sampler"] == "fixed":
        return Composition()([law], [rounds])
    if params["sampler"] != "poisson" or "sampling_rate" not in params:
        raise Refused("no such batches")
    sampled = AmplificationBySampling(PoissonSampling=True)(law, number(params["sampling_rate"]), improved_bound_flag=True)
    return Composition()([sampled], [rounds * whole(params["steps"])])


def function(params):
    if params.get("pair") != "noisy-sgd" or params["command"] not in ("delta", "epsilon"):
        return None
    only(params, "sampler", "noise_multiplier", "sampling_rate", "steps", "rounds", "eps", "delta")
    law = mechanism(params)
    if params["command"] == "epsilon":
        return {"upper": law.get_approxDP(number(params["delta"], up=False))}
    eps, low, high = number(params["eps"], up=False), -300.0, 0.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if law.get_approxDP(10**middle) <= eps else (middle, high)
    return {"upper": 10**high}


common.main(options, "autodp", "0.2.3.1", function)
