#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""
ask_allocation.py PROGRAM [CASES [SEED]]: what the program says of releases of which each record takes part in some, at random, against sums over all outcomes:
of discrete Laplace and staircase noise and coins in rationals, of discrete Gaussian and Skellam noise in doubles, and of Laplace noise between discrete ones.
"""
import itertools
import json
import math
import random
import subprocess
import sys
from fractions import Fraction as F

PROGRAM = sys.argv[1]
CASES = int(sys.argv[2]) if len(sys.argv) > 2 else 20
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
NEAR = 1e-9  # what sums in doubles may be off by


def geometric(q, s):
    """Discrete Laplace noise against itself moved by s: masses of outcomes of the same ratio."""
    masses = [1 / (1 + q), *((1 - q) * q**k / (1 + q) for k in range(1, s)), q**s / (1 + q)]
    return list(zip(masses, reversed(masses)))


def staircase(q, g):
    h = min(g, F(1, 2))
    m = (h + q * (F(1, 2) - h)) / (g + q * (1 - g))
    return [(m, m * q), (1 - m * (1 + q),) * 2, (m * q, m)]


def moved(masses, s):
    return list(zip([0] * s + masses, masses + [0] * s))


def coins(n, s):
    return moved([F(math.comb(n, k), 2**n) for k in range(n + 1)], s)


def gaussian(variance, s):
    weights = [math.exp(-z * z / (2 * variance)) for z in range(-20, 21)]
    return moved([w / math.fsum(weights) for w in weights], s)


def skellam(mean, s):
    """The difference of two Poisson numbers of half that mean."""
    one = [math.exp(-mean / 2) * (mean / 2)**k / math.factorial(k) for k in range(60)]
    return moved([math.fsum(one[k] * one[k + z] for k in range(60) if 0 <= k + z < 60) for z in range(-25, 26)], s)


def epoch(law, steps, k):
    """All outcomes of an epoch: their masses with a record that takes part in k of its releases, and without."""
    sets = list(itertools.combinations(range(steps), k))
    found = {}
    for places in itertools.combinations_with_replacement(range(len(law)), steps):
        outcome, orders = [law[i] for i in places], math.factorial(steps)
        for i in set(places):
            orders //= math.factorial(places.count(i))
        own = sum(math.prod(outcome[i][0] if i in taken else outcome[i][1] for i in range(steps)) for taken in sets)
        pair = (own * F(1, len(sets)) if isinstance(own, F) else own / len(sets), math.prod(x[1] for x in outcome))
        found[pair] = found.get(pair, 0) + orders
    return [(p * n, q * n) for (p, q), n in found.items()]


def largest(pairs, alpha):
    return max(sum(max(p - alpha * q, 0) for p, q in pairs), sum(max(q - alpha * p, 0) for p, q in pairs))


def product(first, second):
    return [(x * u, y * v) for x, y in first for u, v in second]


def releases(r):
    """A mechanism, the laws of a release, and whether these are rational."""
    q, s, g = F(1, r.randint(2, 5)), r.randint(1, 4), F(r.randint(1, 12), 12)
    yield {"type": "additive-noise", "noise": "discrete-laplace", "eps0": f"log({1 / q**s})", "sensitivity": s}, geometric(q, s), True
    yield {"type": "additive-noise", "noise": "staircase", "eps0": f"log({1 / q})", "gamma": str(g)}, staircase(q, g), True
    n, s = r.randint(1, 6), r.randint(1, 3)
    yield {"type": "binomial-noise", "coins": n, "sensitivity": s}, coins(n, s), True
    v, s = F(r.randint(2, 12), 3), r.randint(1, 2)
    yield {"type": "additive-noise", "noise": "discrete-gaussian", "variance": str(v), "sensitivity": s}, gaussian(float(v), s), False
    yield {"type": "additive-noise", "noise": "skellam", "variance": str(v), "sensitivity": s}, skellam(float(v), s), False


def cases(r):
    """A question, the least and the most that is right of its delta, and how near the ends should be."""
    for mechanism, law, is_rational in releases(r):
        steps = r.randint(2, 4) if is_rational else 2
        alpha = 1 + F(r.randint(0, 40), r.randint(20, 60))
        ask = {"quantity": "delta", "eps": f"log({alpha})"}
        one = epoch(law, steps, 1)
        value = largest(one, alpha if is_rational else float(alpha))
        yield {"mechanism": {**mechanism, "sampler": "balls-and-bins", "steps": steps}, "ask": ask}, value, value, F(1, 100)
        if not is_rational:
            continue
        k = r.randint(1, steps)
        some = largest(epoch(law, steps, k), alpha)
        yield {"mechanism": {**mechanism, "sampler": "random-allocation", "steps": steps, "sampling_rate": str(F(k, steps))}, "ask": ask}, some, some, F(1, 4)
        if len(one) <= 40:
            two = largest(product(one, one), alpha)
            yield {"mechanism": {**mechanism, "sampler": "balls-and-bins", "steps": steps}, "rounds": 2, "ask": ask}, two, two, F(1, 20)
    x, m, steps = F(r.randint(12, 60), 10), 12, r.randint(2, 3)
    alpha = 1 + F(r.randint(0, 40), r.randint(20, 60))
    less = math.log(x) - max(math.log(x), 1)**2 / (4 * m * m)
    ends = [largest(epoch(geometric(F(round(math.exp(-loss / m) * 10**9) + d, 10**9), m), steps, 1), alpha) for loss, d in ((less, 1), (math.log(x), -1))]
    question = {"mechanism": {"type": "additive-noise", "noise": "laplace", "eps0": f"log({x})", "sampler": "balls-and-bins", "steps": steps}}
    yield {**question, "ask": {"quantity": "delta", "eps": f"log({alpha})"}}, ends[0], ends[1], F(1, 100)


def main():
    r = random.Random(SEED)
    asked = [case for _ in range(CASES) for case in cases(r)]
    for question, *_ in asked:
        question["digits"] = 4
    lines = "".join(json.dumps(question) + "\n" for question, *_ in asked)
    done = subprocess.run([PROGRAM, "ask", "-"], input=lines, capture_output=True, text=True, check=False)
    answers = done.stdout.splitlines()
    if len(answers) != len(asked):
        sys.exit(done.stderr)
    wide = 0
    for (question, least, most, near), line in zip(asked, answers):
        answer = json.loads(line)
        if "error" in answer:
            sys.exit(f"{answer['error']}: {question}")
        lower, upper = F(answer["lower"]["lo"]), F(answer["upper"]["hi"])
        off = 0 if isinstance(least, (F, int)) else NEAR
        if upper < least - off or lower > most + off or lower > upper:
            sys.exit(f"[{float(lower)}, {float(upper)}], but it is from {float(least)} to {float(most)}: {question}")
        wide += upper > F(1, 10**6) and upper - lower > near * upper
    if 10 * wide > len(asked):
        sys.exit(f"{wide} of {len(asked)} answers are too wide")
    print(f"{len(asked)} questions, {wide} of them wide")


main()
