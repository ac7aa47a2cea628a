#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Composes the clones pair with google/differential-privacy's dp_accounting.

usage: peer_dp_accounting.py N EPS0 ROUNDS EPS STEP

Prints its optimistic and its pessimistic delta(EPS) of ROUNDS rounds, and the
seconds that both took together (in process; imports and the table of the pair's
outcomes excluded). The pair goes in through the package's entry for any two
mass functions, which rounds every loss up or down to a multiple of STEP.
"""
import math
import sys
import time

# outcomes outside quantiles of this mass are left out of the table
TAIL = 1e-17


def clones(n, eps0):
    """The logarithms of the masses of P and Q of the clones pair (Feldman, McMillan
    and Talwar 2021), by outcome (a, b), and a bound of P's mass that is left out."""
    import numpy as np
    from scipy.stats import binom

    def window(trials, p):
        # the upper quantile as a lower one: 1 - TAIL would round to 1
        return int(binom.ppf(TAIL, trials, p)), trials - int(binom.ppf(TAIL, trials, 1 - p))

    w0, w1 = 1 / (1 + math.exp(-eps0)), 1 / (1 + math.exp(eps0))
    upper, lower = {}, {}
    clone = math.exp(-eps0)
    first, last = window(n - 1, clone)
    for c in range(first, last + 1):
        m = c + 1  # clones, and the differing user
        least, most = window(m, 0.5)
        a = np.arange(least, most + 1)
        mass = binom.logpmf(c, n - 1, clone) + binom.logpmf(a, m, 0.5)
        p = mass + np.log(2 * (w0 * a + w1 * (m - a)) / m)
        q = mass + np.log(2 * (w1 * a + w0 * (m - a)) / m)
        for i, x, y in zip(a.tolist(), p.tolist(), q.tolist()):
            upper[i, m - i] = x
            lower[i, m - i] = y
    # two tails of the count; two of every row, where P is at most twice the binomial
    return upper, lower, 2 * TAIL + 2 * 2 * TAIL


def main():
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    n, eps0, rounds = int(float(sys.argv[1])), float(sys.argv[2]), int(float(sys.argv[3]))
    eps, step = float(sys.argv[4]), float(sys.argv[5])
    from dp_accounting.pld import privacy_loss_distribution as pld

    upper, lower, left_out = clones(n, eps0)
    seconds = 0.0
    deltas = []
    for pessimistic in (False, True):
        if pessimistic:
            upper["left out"] = math.log(left_out)  # not in lower: an infinite loss
        start = time.perf_counter()
        law = pld.from_two_probability_mass_functions(
            lower, upper, pessimistic_estimate=pessimistic, value_discretization_interval=step
        )
        deltas.append(float(law.self_compose(rounds).get_delta_for_epsilon(eps)))
        seconds += time.perf_counter() - start
    print(repr(deltas[0]), repr(deltas[1]), "%.6f" % seconds)


if __name__ == "__main__":
    main()
