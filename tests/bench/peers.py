#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Times shufbound from Python beside other accountants on the same questions, as their users run them, and writes doc/examples/speed.md.

    peers.py [--write FILE]       else the page is printed

    SHUFBOUND_PEER_APPLE          a folder with computeamplification.py of apple/ml-shuffling-amplification
    SHUFBOUND_PEER_DP_ACCOUNTING  a folder with the package, unless it is installed; in the same way
    SHUFBOUND_PEER_PRV_ACCOUNTANT, SHUFBOUND_PEER_RANDOM_ALLOCATION (which needs pandas, too), SHUFBOUND_PEER_RA_PLD

A folder may be followed by @ and the commit that the page names. What is missing is skipped by name; exit 77 if that is all of them.
"""
import argparse
import collections
import contextlib
import fractions
import importlib
import importlib.metadata
import importlib.util
import io
import json
import logging
import math
import os
import pathlib
import platform
import resource
import sys
import time
import warnings

import shufbound

LIMIT = 100  # seconds of the processor for an answer of theirs
PEERS = {  # the module with what is called, and its package
    "Apple": ("computeamplification", "apple/ml-shuffling-amplification"),
    "dp_accounting": ("dp_accounting.pld.privacy_loss_distribution", "dp_accounting"),
    "prv_accountant": ("prv_accountant", "prv_accountant"),
    "random_allocation": ("random_allocation.random_allocation_scheme", "random_allocation"),
    "RA_PLD": ("PLD_accounting.random_allocation_api", "PLD_accounting")}
HEAD = """# Beside other accountants

<!-- Printed by tests/bench/peers.py -->

`tests/bench/peers.py --write FILE` wrote this page (`make bench` prints it). It asks shufbound and other programs the same questions from Python, as
their users do: by their documented calls. Seconds are of the processor, all threads, the best of up to five calls; imports and the compilers of numba are not
counted. The machine was busy with other work, so compare seconds with each other only; scipy is one with which
Apple's script is fast (it takes many times longer with 1.17).

Versions: {versions}.

Of {all} answers of the others, {wrong} have an end on the wrong side, beyond the certified interval by more than the last places of a double. Ends better than
any of ours: {tighter}; as good as one of ours, and sooner: {faster}; sooner than ours of the same question, but wider: {quick}. Not there in {limit} seconds:
{late}; ended with an error: {refused}.
"""
TABLE = "\n| question | program | interval | seconds | remark |\n|---|---|---|---|---|"


def timed(function):
    """Its result, and the seconds of a call: the best of up to five runs, each of as many calls as take a while."""
    best, spent, calls = math.inf, 0.0, 1
    for _ in range(5):
        begin = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):  # some print remarks
            for _ in range(calls):
                result = function()
        seconds = time.process_time() - begin
        spent += seconds
        if calls == 1 and seconds < 0.05:
            calls = math.ceil(0.1 / max(seconds, 1e-4))
            continue
        best = min(best, seconds / calls)
        if spent > 5:
            break
    return result, best


def apart(function):
    """timed(function) in a process of its own, or the name of its error; None if it took too long. A compiled loop heeds no signal."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
            try:
                said = timed(function)
            except Exception as error:  # whatever theirs is
                said = type(error).__name__
            os.write(writer, json.dumps(said, default=float).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else None


def certified(members):
    """The ends of what is certified: decimals, rounded outward."""
    answer = shufbound.ask({"effort": "high", **members})
    return (answer.value or answer.lower).lo_decimal, (answer.value or answer.upper).hi_decimal


def judged(end, seconds, ends, beyond, times):
    """What to say of their upper end, given ours, our best lower end and our seconds. Lower ends come with the sign changed."""
    if not end >= beyond - abs(beyond) * 1e-12:
        return "wrong"
    if end < min(ends):
        return "tighter"
    if seconds >= min(time for our, time in zip(ends, times) if our <= end):
        return "beaten"
    return "faster" if end <= max(ends) else "quick"


class Page:
    def __init__(self):
        self.lines, self.counts = [], collections.Counter()

    def add(self, line):
        self.lines.append(line)
        print(line, file=sys.stderr, flush=True)

    def row(self, question, name, interval, seconds, remark=""):
        ends = "" if interval is None else ", ".join(end if isinstance(end, str) else "none" if end is None else f"{end:.8g}" for end in interval)
        self.add(f"| {question} | {name} | {ends and f'[{ends}]'} | {'' if seconds is None else f'{seconds:.2g}'} | {remark} |")

    def compare(self, question, members, variants, digits=(4, 9)):
        """Ours, and theirs by (name, function that gives the lower and the upper bound, or None for one)."""
        ours = [(f"shufbound, {n} digits", {**members, "digits": n}) for n in digits]
        if "pair" in members and "rounds" not in members:
            ours.append(("shufbound, `fast`", {**members, "fast": True}))
        ours = [(name, *timed(lambda asked=asked: certified(asked))) for name, asked in ours]
        for name, interval, seconds in ours:
            self.row(question, name, interval, seconds)
            question = ""
        lowers, uppers, times = [-float(i[0]) for _, i, _ in ours], [float(i[1]) for _, i, _ in ours], [s for _, _, s in ours]
        for name, function in variants:
            said = apart(function)
            if said is None or isinstance(said, str):
                self.counts["refused" if said else "late"] += 1
                self.row("", name, None, None, f"error: {said}" if said else f"not in {LIMIT} s")
                continue
            theirs, seconds = said
            lower, upper = (None if end is None else float(end) for end in theirs)
            of_lower = "beaten" if lower is None else judged(-lower, seconds, lowers, -min(uppers), times)
            of_upper = "beaten" if upper is None else judged(upper, seconds, uppers, -min(lowers), times)
            self.counts["all"] += 1
            for verdict in ("wrong", "tighter", "faster", "quick"):
                if verdict in (of_lower, of_upper):
                    self.counts[verdict] += 1
                    break
            words = {"wrong": "on the wrong side", "tighter": "tighter", "faster": "as tight, and faster"}
            self.row("", name, (lower, upper), seconds, ", ".join(f"{end} end {words[verdict]}" for end, verdict in (("lower", of_lower), ("upper", of_upper))
                                                                  if verdict in words))


def apple(peer, n, eps0, delta):
    def bounds(iterations, step):
        return [float(peer.numericalanalysis(n, eps0, delta, iterations, step, upper)) for upper in (False, True)]

    return [(f"Apple's script, {iterations} bisections, steps of {step}", lambda i=iterations, j=step: bounds(i, j))
            for iterations, step in ((10, 100), (20, 10))[:1 if n > 10**5 else 2]]  # the first as its example has it


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


def dp_accounting(peer, law, question):
    """law: of one round or step, by (peer, its arguments)."""
    return [(f"dp_accounting, steps of {step}", lambda step=step: [question(law(peer, pessimistic_estimate=pessimistic, value_discretization_interval=float(step)))
                                                                   for pessimistic in (False, True)]) for step in ("1e-4", "1e-5")]


def shuffled(n, eps0):
    def law(peer, pessimistic_estimate, value_discretization_interval):
        upper, lower, left_out = clones(n, eps0)
        if pessimistic_estimate:
            upper["left out"] = math.log(left_out)  # not in lower: an infinite loss
        return peer.from_two_probability_mass_functions(lower, upper, pessimistic_estimate=pessimistic_estimate,
                                                        value_discretization_interval=value_discretization_interval)
    return law


def prv_accountant(peer, sigma, rate, steps, delta):
    def bounds(error):
        prv = peer.PoissonSubsampledGaussianMechanism(noise_multiplier=sigma, sampling_probability=rate)
        accountant = peer.PRVAccountant(prvs=[prv], max_self_compositions=[steps], eps_error=error, delta_error=delta / 1000)
        lower, _, upper = accountant.compute_epsilon(delta=delta, num_self_compositions=[steps])
        return lower, upper

    return [(f"prv_accountant, error {error}", lambda error=error: bounds(error)) for error in (0.01, 0.001)]


def random_allocation(peer, sigma, steps, selected, delta):
    parameters = peer.PrivacyParams(sigma=sigma, num_steps=steps, num_selected=selected, delta=delta)
    orders = peer.SchemeConfig(allocation_direct_alpha_orders=list(range(2, 61)))  # as its examples have them

    def bound(method):
        sys.modules[f"{peer.__name__}.direct"].allocation_RDP_remove.cache_clear()  # else it remembers the answer
        end = getattr(peer, f"allocation_epsilon_{method}")(parameters, orders)
        return (end, None) if method == "lower_bound" else (None, end)

    return [(f"random_allocation, {method}", lambda method=method: bound(method))
            for method in ("decomposition", "recursive", "direct", "RDP_DCO", "lower_bound") if selected == 1 or method not in ("decomposition", "lower_bound")]


def ra_pld(peer, sigma, steps, selected, delta):
    def bounds(accuracy):
        upper, lower = peer.gaussian_allocation_epsilon_range(delta=delta, sigma=sigma, num_steps=steps, num_selected=selected, epsilon_accuracy=accuracy)
        return lower if selected == 1 else None, upper

    return [(f"RA_PLD, {words}", lambda accuracy=accuracy: bounds(accuracy)) for words, accuracy in (("its default", -1.0), ("gap 0.001", 0.001))]


def one_round(page, peers):
    page.add("\n## Shuffling, one round: Apple's script\n\neps of the clones pair.\n" + TABLE)
    for n, eps0, delta in ((10**5, 4, "1e-6"), (10**6, 1, "1e-6"), (10**6, 4, "1e-6"), (10**6, 1, "1e-9"), (100, 1, "1e-3")):
        page.compare(f"n = {n}, eps0 = {eps0}, delta = {delta}",
                     {"pair": {"type": "clones", "eps0": str(eps0)}, "users": str(n), "ask": {"quantity": "epsilon", "delta": delta}},
                     apple(peers["Apple"], n, eps0, float(delta)), (6,))
    page.add("""
Its lower bound is the right end of the last interval of its bisection, as the upper one is: above the eps of the pair by up to one step. When there are no more users
than a step, its loop over blocks of users is empty. [More of both](peers/README.md).""")


def rounds(page, peers):
    page.add("""
## Shuffling, many rounds: dp_accounting

delta(eps) of rounds of the clones pair. dp_accounting's laws of the privacy loss, the optimistic and the pessimistic estimate; it documents only the latter as a
bound. The pair goes in as a table of outcomes, which is made in doubles and counted, as its users would have to.
""" + TABLE)
    for n, eps0, count, eps in ((10**4, 4, 16, 1), (1000, 1, 1000, 4)):
        page.compare(f"delta({eps}), {count} rounds, n = {n}, eps0 = {eps0}",
                     {"pair": {"type": "clones", "eps0": str(eps0)}, "users": str(n), "rounds": count, "ask": {"quantity": "delta", "eps": str(eps)}},
                     dp_accounting(peers["dp_accounting"], shuffled(n, eps0), lambda law: law.self_compose(count).get_delta_for_epsilon(eps)), (3, 6))


def training(page, peers):
    page.add("""
## Noisy SGD with Poisson batches: dp_accounting, prv_accountant

eps; dp_accounting as above, prv_accountant with the error of eps that it is asked for and a thousandth of delta, its lower and its upper bound.
""" + TABLE)
    for sigma, rate, steps, delta in (
            ("1", "1/100", 1000, "1e-5"), ("0.8", "1/100", 1000, "1e-5"), ("2", "1/100", 10**5, "1e-6"), ("1.3", "1/250", 10**4, "1e-5"),
            ("1", "1/1000", 10**5, "1e-6"), ("0.6", "1/1000", 10**4, "1e-6"), ("1", "1/1000", 10**4, "1e-6"), ("0.8", "1/1000", 1000, "1e-6"),
            ("1", "1/10000", 10**4, "1e-7"), ("0.5", "1/1000", 100, "1e-5")):
        variants, q, d = [], float(fractions.Fraction(rate)), float(delta)
        if "dp_accounting" in peers:
            variants += dp_accounting(peers["dp_accounting"], lambda peer, **how: peer.from_gaussian_mechanism(float(sigma), sampling_prob=q, **how),
                                      lambda law: law.self_compose(steps).get_epsilon_for_delta(d))
        if "prv_accountant" in peers:
            variants += prv_accountant(peers["prv_accountant"], float(sigma), q, steps, d)
        page.compare(f"noise {sigma}, rate {rate}, {steps} steps, delta = {delta}",
                     {"mechanism": {"type": "noisy-sgd", "sampler": "poisson", "noise_multiplier": sigma, "sampling_rate": rate, "steps": steps},
                      "ask": {"quantity": "epsilon", "delta": delta}}, variants)


def allocation(page, peers):
    page.add("""
## Noisy SGD with random allocation: random_allocation, RA_PLD

eps at delta = 1e-6, each record in one step or in a number of them (balls and bins, random allocation). RA_PLD is `PLD_accounting` on PyPI. dp_accounting and
prv_accountant have no such batches. Bounds of random_allocation are upper ones, but for its `lower_bound`. For more than one step both compose as many rounds
of one step, which bounds the scheme from above: the lower end of RA_PLD is that of the composition, and left out, as it bounds nothing from below.
""" + TABLE)
    warm = {"sigma": 2.0, "steps": 100, "selected": 1, "delta": 1e-3}  # not counted: what numba compiles
    for name, variants in (("random_allocation", random_allocation), ("RA_PLD", ra_pld)):
        for _, function in variants(peers[name], **warm)[:-1] if name in peers else ():
            with contextlib.redirect_stdout(io.StringIO()):
                function()
    for sigma, steps, selected in (("2", 100, 1), ("1", 1000, 1), ("0.6", 1000, 1), ("0.7", 100, 10), ("1", 1000, 10)):
        mechanism = {"type": "noisy-sgd", "sampler": "balls-and-bins", "noise_multiplier": sigma, "steps": steps}
        if selected > 1:
            mechanism |= {"sampler": "random-allocation", "sampling_rate": f"{selected}/{steps}"}
        page.compare(f"noise {sigma}, {selected} of {steps} steps", {"mechanism": mechanism, "ask": {"quantity": "epsilon", "delta": "1e-6"}},
                     [variant for name, variants in (("random_allocation", random_allocation), ("RA_PLD", ra_pld)) if name in peers
                      for variant in variants(peers[name], float(sigma), steps, selected, 1e-6)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", metavar="FILE")
    to = parser.parse_args().write
    warnings.simplefilter("ignore")
    logging.disable()
    peers, versions, page = {}, [f"shufbound {shufbound.__version__}"], Page()
    for name, (module, package) in PEERS.items():
        folder, _, commit = os.environ.get(variable := f"SHUFBOUND_PEER_{name.upper()}", "").partition("@")
        if folder:
            sys.path.insert(0, folder)
        try:
            peers[name] = importlib.import_module(module)
        except ImportError as error:
            print(f"skipped: {name}: {error} (set {variable})", file=sys.stderr)
            versions.append(f"{package}: not there")
            continue
        versions.append(f"{package} {commit or 'of a folder' if folder else importlib.metadata.version(package)}")
    versions += [f"{package} {importlib.metadata.version(package)}" for package in ("numpy", "scipy", "numba") if importlib.util.find_spec(package)]
    if not peers:
        return 77
    for needed, section in (({"Apple"}, one_round), ({"dp_accounting"}, rounds), ({"dp_accounting", "prv_accountant"}, training),
                            ({"random_allocation", "RA_PLD"}, allocation)):
        if needed & set(peers):
            section(page, peers)
    counts = {key: page.counts[key] for key in ("all", "wrong", "tighter", "faster", "quick", "late", "refused")}
    text = HEAD.format(versions=", ".join(versions + [f"Python {platform.python_version()}"]), limit=LIMIT, **counts) + "\n".join(page.lines) + "\n"
    if to:
        pathlib.Path(to).write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
