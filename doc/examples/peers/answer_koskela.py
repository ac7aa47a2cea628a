# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Answers of DPBayes/numerical-shuffler-experiments.

  delta --pair clones-stronger [--rounds T]   upper bound: clones_comparison_fig1/delta_shuffler_fa.py
  epsilon --pair krr-strong [--rounds T]      upper bound: blankets_fig4/compute_epsilon_bin_tight.py
  epsilon --pair krr-weak                     upper bound: blankets_fig4/compute_epsilon_bin_weak_tight.py
  delta of these, one round                   upper bound: the sum that is bisected for epsilon

The first is a script for n = 10000 and eps0 = 4; its functions are used without the rest of it.
Grids: 10^5 points on [-20, 20], 10^6 on [-10, 10], 10^6 on [-100, 100].
"""
import os
import sys
import types

import common
from common import Refused, number, only, whole

options = common.arguments(__doc__)
root = options.path or "."
sys.path.insert(0, os.path.join(root, "blankets_fig4"))
try:
    import numpy as np
    import compute_epsilon_bin_tight as strong
    import compute_epsilon_bin_weak_tight as weak
    with open(os.path.join(root, "clones_comparison_fig1", "delta_shuffler_fa.py")) as f:
        functions = f.read().split("# parameters 1")[0]
except (ImportError, OSError) as error:
    common.absent("numerical-shuffler-experiments", error)

# the script draws, and imports what it draws with
for name in "matplotlib", "matplotlib.pyplot", "matplotlib.backends", "matplotlib.backends.backend_pdf":
    sys.modules.setdefault(name, types.ModuleType(name))
sys.modules["matplotlib.backends.backend_pdf"].PdfPages = None
clones = {}
exec(functions, clones)


def delta_of(omega, grid, error, eps, points, length):
    start = int(np.ceil((length + eps) / (2 * length / points)))
    return np.sum((1 - np.exp(eps - grid[start:])) * omega[start:]) + error


def clones_delta(n, eps0, eps, rounds):
    points, length = 10**5, 20
    omega, grid, error = clones["get_omega"](n, rounds, eps0, points, length)
    half = points // 2
    y = np.concatenate([omega[half:], omega[:half]])
    if rounds > 1:
        y = np.fft.ifft(np.fft.fft(y)**rounds)
    y = np.real(np.concatenate([y[half:], y[:half]]))
    return delta_of(y, grid, error, eps, points, length)


def answer(params):
    command, pair = params["command"], params.get("pair")
    rounds = whole(params.get("rounds", "1"))
    if (command, pair) == ("delta", "clones-stronger"):
        only(params, "n", "eps0", "eps", "rounds", "direction")
        n = whole(params["n"])
        if n > 2000:
            raise Refused("too slow")
        return {"upper": clones_delta(n, number(params["eps0"]), number(params["eps"], up=False), rounds)}
    if command not in ("delta", "epsilon") or pair not in ("krr-strong", "krr-weak"):
        return None
    only(params, "n", "k", "gamma", "eps", "delta", "rounds", "direction")
    n, k, gamma = whole(params["n"]), whole(params["k"]), number(params["gamma"], up=False)
    points, length, law = (10**6, 10, strong) if pair == "krr-strong" else (10**6, 100, weak)
    if rounds > 1 and (law is weak or command == "delta"):
        raise Refused("no rounds")
    omega, grid, error = law.get_omega(n, gamma, k, points, length)
    if command == "delta":
        if law is strong:
            omega = omega / np.sum(omega)
        return {"upper": delta_of(omega, grid, error, number(params["eps"], up=False), points, length)}
    delta = number(params["delta"], up=False)
    if law is strong:
        return {"upper": strong.get_epsilons(omega, error, grid, n, gamma, k, rounds, points, length, delta)}
    return {"upper": weak.get_epsilons(omega, error, grid, length, points, delta)}


common.main(options, "DPBayes/numerical-shuffler-experiments", "75068f330d06f6abb3f2554944880237d6a63784", answer)
