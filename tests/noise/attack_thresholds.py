#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Theorem 1 of proofs/thresholds.md against all outcomes, in rationals: histograms of a few values from which each report is kept with probability p, and
small counts are dropped, of data with a user and without, in both directions; and the number of holders that claims to be worst against all numbers.

    attack_thresholds.py [CASES [SEED]]
"""
import itertools
import math
import random
import sys
from fractions import Fraction as F

CASES = int(sys.argv[1]) if len(sys.argv) > 1 else 150
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1


def b(n, k, p):
    return math.comb(n, k) * p**k * (1 - p)**(n - k) if 0 <= k <= n else F(0)


def released(n, p, tau):
    """The law of a bucket that n users hold; -1 is nothing."""
    law = {k: b(n, k, p) for k in range(tau, n + 1)}
    law[-1] = sum(b(n, k, p) for k in range(min(tau, n + 1)))
    return law


def histogram(counts, p, tau):
    """The same of all buckets, from each user's coin alone."""
    law = {}
    users = [v for v, n in enumerate(counts) for _ in range(n)]
    for coins in itertools.product((0, 1), repeat=len(users)):
        weight, seen = F(1), [0] * len(counts)
        for v, kept in zip(users, coins):
            weight *= p if kept else 1 - p
            seen[v] += kept
        key = tuple(k if k >= tau else -1 for k in seen)
        law[key] = law.get(key, 0) + weight
    return law


def hockey(x, y, alpha):
    return sum(max(x.get(k, 0) - alpha * y.get(k, 0), 0) for k in {*x, *y})


def worst(alpha, p, tau):
    """Theorem 1: the value, and the n."""
    c = 1 - (1 - p) / alpha
    if c <= 0:
        return 1 - alpha, 1
    n = max(1, math.ceil((tau - 1) / c))
    return p * b(n - 1, tau - 1, p) - (alpha - 1) * sum(b(n - 1, k, p) for k in range(tau, n)), n


def other(alpha, p, tau):
    """The other direction, as the theorem has it."""
    c = 1 - alpha * (1 - p)
    if c <= 0:
        return F(0)
    n = max(1, math.ceil((tau - 1) / c))
    return alpha * p * b(n - 1, tau - 1, p) - (alpha - 1) * sum(b(n - 1, k, p) for k in range(min(tau, n)))


def fixed(n, alpha, p, tau):
    """Both directions of n holders, alpha >= 1, as the lower bound of rounds has them."""
    k = max(tau, math.floor(n * (1 - (1 - p) / alpha)) + 1)
    there = p * b(n - 1, k - 1, p) - (alpha - 1) * sum(b(n - 1, j, p) for j in range(k, n))
    c = 1 - alpha * (1 - p)
    k = max(tau, math.ceil(n * c))
    back = alpha * p * b(n - 1, k - 1, p) - (alpha - 1) * sum(b(n - 1, j, p) for j in range(min(k, n)))
    return max(there, 0), max(back, 0) if c > 0 else F(0)


def main():
    r = random.Random(SEED)
    for case in range(CASES):
        p, tau = F(r.randint(1, 19), 20), r.randint(1, 6)
        alpha = r.choice((F(1), F(r.randint(1, 60), 20), 1 - p + F(r.randint(1, 30), 100), 1 / (1 - p)))
        value, n = worst(alpha, p, tau)
        most = max(3 * tau + 20, min(2 * n + 3, 120))
        all_n = [hockey(released(m, p, tau), released(m - 1, p, tau), alpha) for m in range(1, most)]
        if max(all_n) > value or (n < most and all_n[n - 1] != value):
            sys.exit(f"p = {p}, tau = {tau}, alpha = {alpha}: {value} at {n}, but {max(all_n)} at {all_n.index(max(all_n)) + 1}")
        if alpha >= 1:
            back = [hockey(released(m - 1, p, tau), released(m, p, tau), alpha) for m in range(1, most)]
            if max(back) > other(alpha, p, tau) or other(alpha, p, tau) != 1 - alpha + alpha * worst(1 / alpha, p, tau)[0]:
                sys.exit(f"p = {p}, tau = {tau}, alpha = {alpha}, other way: {other(alpha, p, tau)}, but {max(back)}")
            for m in range(max(tau, 1), most, 3):
                if fixed(m, alpha, p, tau) != (all_n[m - 1], back[m - 1]):
                    sys.exit(f"p = {p}, tau = {tau}, alpha = {alpha}, n = {m}: {fixed(m, alpha, p, tau)}, but {all_n[m - 1]} and {back[m - 1]}")
        counts = [r.randint(1, 4), r.randint(0, 3), r.randint(0, 2)]
        x, y = histogram(counts, p, tau), histogram([counts[0] - 1, *counts[1:]], p, tau)
        for a in (alpha, 1 / alpha):
            one = hockey(x, y, a)
            if one != hockey(released(counts[0], p, tau), released(counts[0] - 1, p, tau), a) or one > worst(a, p, tau)[0]:
                sys.exit(f"p = {p}, tau = {tau}, alpha = {a}, counts {counts}: {one}")
    print(f"{CASES} cases")


main()
