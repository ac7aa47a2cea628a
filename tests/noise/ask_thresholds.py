#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""
ask_thresholds.py PROGRAM [CASES [SEED]]: what the program says of histograms with thresholds, against sums over all outcomes in rationals: one release
at many eps, both ends; two releases between the worst data that are found and the bound; who is replaced; delta of a sole user with noise.
"""
import json
import math
import random
import subprocess
import sys
from fractions import Fraction as F

PROGRAM = sys.argv[1]
CASES = int(sys.argv[2]) if len(sys.argv) > 2 else 60
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1


def b(n, k, p):
    return math.comb(n, k) * p**k * (1 - p)**(n - k) if 0 <= k <= n else F(0)


def pair(n, p, tau):
    """Masses of a bucket with n holders and with n - 1, the last those of nothing."""
    x, y = ([b(m, k, p) for k in range(tau, n + 1)] for m in (n, n - 1))
    return [*zip(x, y), (1 - sum(x), 1 - sum(y))]


def hockey(masses, alpha):
    return max(sum(max(x - alpha * y, 0) for x, y in masses), sum(max(y - alpha * x, 0) for x, y in masses))


def product(first, second):
    return [(x * u, y * v) for x, y in first for u, v in second]


def geometric(q, s, threshold):
    """Discrete Laplace noise on a count that changes by s: the largest divergences of a value that others hold, and of a sole user's."""
    def tail(k):
        return q**k / (1 + q) if k >= 1 else 1 - q**(1 - k) / (1 + q)

    def largest(alpha):
        shared = max(tail(k) - alpha * tail(k + s) for k in range(-60, 60))
        t = tail(threshold - s)
        return max(shared, t, 1 - alpha * (1 - t), 0)
    return largest


def cases(r):
    """A question, and the least and the most that is right of its delta."""
    p, tau = F(r.randint(1, 18), 20), r.randint(1, 5)
    alpha = 1 + F(r.randint(0, 40), r.randint(20, 60))
    mechanism = {"type": "sample-and-threshold", "sampling_rate": str(p), "threshold": tau}
    ask = {"quantity": "delta", "eps": f"log({alpha})"}
    most = max(40, int(2 * tau / p))
    one = max(hockey(pair(n, p, tau), alpha) for n in range(1, most))
    yield {"mechanism": mechanism, "ask": ask}, one, one, True
    n, m = (r.randint(1, 12) for _ in range(2))
    two = hockey(product(pair(n, p, tau), pair(m, p, tau)), alpha)
    yield {"mechanism": mechanism, "rounds": 2, "ask": ask}, two, None, False
    swapped = hockey(product(pair(n, p, tau), [(y, x) for x, y in pair(m, p, tau)]), alpha)
    yield {"mechanism": mechanism, "neighbours": "replace", "ask": ask}, max(one, swapped), None, False
    p, tau, alpha = F(r.randint(8, 12), 20), r.randint(2, 3), 1 + F(r.randint(1, 30), 20)
    alike = max(hockey(product(pair(n, p, tau), pair(n, p, tau)), alpha) for n in range(1, 13))
    yield {"mechanism": {**mechanism, "sampling_rate": str(p), "threshold": tau}, "rounds": 2, "ask": {**ask, "eps": f"log({alpha})"}}, alike, alike, False
    alpha = F(ask["eps"][4:-1])
    q, s, threshold = F(1, r.randint(2, 4)), r.randint(1, 3), r.randint(1, 12)
    noise = {"type": "additive-noise", "noise": "discrete-laplace", "eps0": f"log({1 / q**s})", "sensitivity": s, "threshold": threshold}
    right = geometric(q, s, threshold)(alpha)
    yield {"mechanism": noise, "ask": ask}, right, right, True


def main():
    r = random.Random(SEED)
    asked = [case for _ in range(CASES) for case in cases(r)]
    for question, *_ in asked:
        question.update({"digits": 4, "effort": "2e8"})
    lines = "".join(json.dumps(question) + "\n" for question, *_ in asked)
    done = subprocess.run([PROGRAM, "ask", "-"], input=lines, capture_output=True, text=True, check=False)
    answers = done.stdout.splitlines()
    if len(answers) != len(asked):
        sys.exit(done.stderr)
    for (question, least, most, exact), line in zip(asked, answers):
        answer = json.loads(line)
        if "error" in answer:
            sys.exit(f"{answer['error']}: {question}")
        lower, upper = F(answer["lower"]["lo"]), F(answer["upper"]["hi"])
        if upper < least or (most is not None and lower > most) or lower > upper or (exact and upper - lower > upper / 1000):
            sys.exit(f"[{float(lower)}, {float(upper)}], but it is from {float(least)} to {most and float(most)}: {question}")
    print(f"{len(asked)} questions")


main()
