#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Times shufbound from Python beside other accountants on the same questions, as their users run them; prints a table.

    SHUFBOUND_PEER_APPLE          a folder with computeamplification.py of apple/ml-shuffling-amplification
    SHUFBOUND_PEER_DP_ACCOUNTING  a folder with the package dp_accounting, unless it is installed
    SHUFBOUND_PEER_RA_PLD         a checkout of moshenfeld/RA_PLD, unless PLD_accounting is installed

Seconds are of the processor, all threads, the best of up to five calls with their defaults; what comes before the first question (imports,
the compilers of numba) is not counted. What is missing is skipped by name; exit 77 if that is all of them.
"""
import contextlib
import importlib
import io
import math
import os
import sys
import time

import shufbound

PEERS = {"SHUFBOUND_PEER_APPLE": "computeamplification", "SHUFBOUND_PEER_DP_ACCOUNTING": "dp_accounting.pld.privacy_loss_distribution",
         "SHUFBOUND_PEER_RA_PLD": "PLD_accounting.random_allocation_api"}


def timed(function):
    """Its result, and the seconds of its best run."""
    best, spent = math.inf, 0.0
    for _ in range(5):
        begin = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):  # some print remarks
            result = function()
        seconds = time.process_time() - begin
        best, spent = min(best, seconds), spent + seconds
        if spent > 5:
            break
    return result, best


def certified(members):
    """The ends of what is certified: decimals, rounded outward."""
    answer = shufbound.ask({"effort": "high", **members})
    return (answer.value or answer.lower).lo_decimal, (answer.value or answer.upper).hi_decimal


def faults(theirs, ours):
    """Which of their bounds are on the wrong side of the certified interval, beyond the last places of a double."""
    lower, upper = map(float, theirs)
    return ", ".join(["the upper bound is too small"] * (not upper >= float(ours[0]) * (1 - 1e-12))
                     + ["the lower bound is too large"] * (not lower <= float(ours[1]) * (1 + 1e-12)))


def row(name, interval, seconds, verdict):
    print(f"| {name} | [{', '.join(end if isinstance(end, str) else f'{end:.8g}' for end in interval)}] | {seconds:.2g} | {verdict} |", flush=True)


def compare(title, members, variants):
    """Ours, and theirs by (name, function that gives the lower and the upper bound)."""
    print(f"\n{title}:\n\n| | interval | seconds | wrong side |\n|---|---|---|---|")
    ours, seconds = timed(lambda: certified(members))
    row("shufbound", ours, seconds, "")
    if "pair" in members and "rounds" not in members:
        fast, seconds = timed(lambda: certified({**members, "fast": True}))
        row("shufbound, `fast`", fast, seconds, faults(fast, ours))
    for name, function in variants:
        theirs, seconds = timed(function)
        row(name, theirs, seconds, faults(theirs, ours))


def apple(peer):
    def bounds(n, eps0, delta, iterations, step):
        return [float(peer.numericalanalysis(n, eps0, delta, iterations, step, upper)) for upper in (False, True)]

    for n, eps0, delta in ((10**5, 4, "1e-6"), (10**6, 1, "1e-6"), (10**6, 4, "1e-6"), (10**6, 1, "1e-9"), (100, 1, "1e-3")):
        compare(f"eps of the clones pair, n = {n}, eps0 = {eps0}, delta = {delta}",
                {"pair": {"type": "clones", "eps0": str(eps0)}, "users": str(n), "ask": {"quantity": "epsilon", "delta": delta}, "digits": 6},
                [(f"Apple's script, {iterations} iterations, step {step}", lambda i=iterations, j=step: bounds(n, eps0, float(delta), i, j))
                 for iterations, step in ((10, 100), (20, 10))[:1 if n > 10**5 else 2]])  # the first as its example has it


def clones(n, eps0, left_out=1e-17):
    """The logarithms of the masses of P and Q of the clones pair (Feldman, McMillan and Talwar 2021), by outcome (a, b), and a bound of
    the mass of P that is left out."""
    import numpy
    from scipy.stats import binom

    def window(trials, p):
        # the upper quantile as a lower one: 1 - left_out would round to 1
        return int(binom.ppf(left_out, trials, p)), trials - int(binom.ppf(left_out, trials, 1 - p))

    weights = 1 / (1 + math.exp(-eps0)), 1 / (1 + math.exp(eps0))
    laws = {}, {}
    first, last = window(n - 1, math.exp(-eps0))
    for c in range(first, last + 1):
        m = c + 1  # clones, and the differing user
        least, most = window(m, 0.5)
        a = numpy.arange(least, most + 1)
        mass = binom.logpmf(c, n - 1, math.exp(-eps0)) + binom.logpmf(a, m, 0.5)
        for law, (w, v) in zip(laws, (weights, weights[::-1])):
            for i, x in zip(a.tolist(), (mass + numpy.log(2 * (w * a + v * (m - a)) / m)).tolist()):
                law[i, m - i] = x
    # two tails of the count; two of every row, where P is at most twice the binomial
    return *laws, 6 * left_out


def dp_accounting(peer):
    def shuffled(n, eps0, rounds, eps, step):
        deltas = []
        for pessimistic in (False, True):
            upper, lower, left_out = clones(n, eps0)
            if pessimistic:
                upper["left out"] = math.log(left_out)  # not in lower: an infinite loss
            law = peer.from_two_probability_mass_functions(lower, upper, pessimistic_estimate=pessimistic, value_discretization_interval=step)
            deltas.append(law.self_compose(rounds).get_delta_for_epsilon(eps))
        return deltas

    def trained(sigma, rate, steps, delta, step):
        return [peer.from_gaussian_mechanism(sigma, sampling_prob=rate, pessimistic_estimate=pessimistic, value_discretization_interval=step)
                .self_compose(steps).get_epsilon_for_delta(delta) for pessimistic in (False, True)]

    for n, eps0, rounds, eps in ((10**4, 4, 16, 1), (1000, 1, 1000, 4)):
        compare(f"delta({eps}) of {rounds} rounds of the clones pair, n = {n}, eps0 = {eps0}",
                {"pair": {"type": "clones", "eps0": str(eps0)}, "users": str(n), "rounds": rounds, "ask": {"quantity": "delta", "eps": str(eps)},
                 "digits": 6},
                [(f"dp_accounting, steps of {step}", lambda step=step: shuffled(n, eps0, rounds, eps, step)) for step in (1e-4, 1e-5)])
    for sigma, rate, steps, delta in (("1", "1/100", 1000, "1e-5"), ("0.6", "1/250", 2500, "1e-6")):
        compare(f"eps of noisy SGD, Poisson batches, noise multiplier {sigma}, rate {rate}, {steps} steps, delta = {delta}",
                {"mechanism": {"type": "noisy-sgd", "sampler": "poisson", "noise_multiplier": sigma, "sampling_rate": rate, "steps": steps},
                 "ask": {"quantity": "epsilon", "delta": delta}, "digits": 4},
                [(f"dp_accounting, steps of {step}", lambda step=step: trained(float(sigma), 1 / int(rate[2:]), steps, float(delta), step))
                 for step in (1e-4, 1e-5)])


def random_allocation(peer):
    for sigma, steps in (("2", 100), ("1", 1000), ("0.6", 1000)):
        compare(f"eps of noisy SGD, one of {steps} steps for each record (balls and bins), noise multiplier {sigma}, delta = 1e-6",
                {"mechanism": {"type": "noisy-sgd", "sampler": "balls-and-bins", "noise_multiplier": sigma, "steps": steps},
                 "ask": {"quantity": "epsilon", "delta": "1e-6"}, "digits": 4},
                [("RA_PLD", lambda: peer.gaussian_allocation_epsilon_range(delta=1e-6, sigma=float(sigma), num_steps=steps)[::-1])])


def main():
    found = 0
    for (variable, name), run in zip(PEERS.items(), (apple, dp_accounting, random_allocation)):
        if os.environ.get(variable):
            sys.path.insert(0, os.environ[variable])
        try:
            peer = importlib.import_module(name)
        except ImportError as error:
            print(f"\nskipped: {name}: {error} (set {variable})")
            continue
        found += 1
        run(peer)
    return 0 if found else 77


if __name__ == "__main__":
    sys.exit(main())
