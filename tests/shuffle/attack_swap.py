#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Shuffles of small described randomisers and their products: all neighbouring data are enumerated in exact rationals and held
against local-swap (proofs/local-profile.md) and grouped-reports (proofs/mixed.md). SHUFBOUND_SEED sets the seed."""

import itertools
import os
import random
import sys
from fractions import Fraction as F
from math import comb


def matrix(rng, inputs, outputs):
    rows = []
    for _ in range(inputs):
        row = [rng.choice([1, 1, 2, 3, 8, 40, 300]) for _ in range(outputs)]
        rows.append([F(v, sum(row)) for v in row])
    return rows


def product(a, b):
    return [[x * y for x in r for y in s] for r in a for s in b]


def shuffled(rows, data):
    """The law of the multiset of the reports."""
    law = {(0,) * len(rows[0]): F(1)}
    for value in data:
        new = {}
        for counts, p in law.items():
            for y, v in enumerate(rows[value]):
                c = counts[:y] + (counts[y] + 1,) + counts[y + 1:]
                new[c] = new.get(c, F(0)) + p * v
        law = new
    return law


def excess(p, q, alpha):
    return sum(max(x - alpha * y, F(0)) for x, y in zip(p, q))


def local_swap(profile, E, n, alpha, tau, gamma):
    """The bound of local-swap; None where it says nothing."""
    beta = 1 - profile(gamma) - 1 / tau
    if beta <= 0 or tau > alpha or alpha > E:
        return None
    u, v = 1 / E, beta / gamma
    total = F(0)
    for a in range(n):
        for b in range(n - a):
            mass = comb(n - 1, a) * comb(n - 1 - a, b) * u ** a * v ** b * (1 - u - v) ** (n - 1 - a - b)
            total += mass * max(1 - alpha / E - (alpha - tau) * gamma / E * F(b, a + 1), 0)
    return total


def event(r, a, b, n, most):
    """Pr[some report in A, at most so many in B] as the notes have it, r being user 1's masses of A, B and the rest."""
    def few(m):
        return sum(comb(n - 1, k) * b ** k * (1 - b) ** (n - 1 - k) for k in range(min(m, n - 1) + 1))

    def none(m):
        return sum(comb(n - 1, k) * b ** k * (1 - a - b) ** (n - 1 - k) for k in range(min(m, n - 1) + 1))
    return r[0] * few(most) + r[1] * (few(most - 1) - none(most - 1)) + r[2] * (few(most) - none(most))


def attack(rng, n, rows):
    inputs, outputs = len(rows), len(rows[0])
    E = max(x / y for r in rows for s in rows for x, y in zip(r, s))
    profiles, laws = {}, {}
    cells = 0

    def profile(gamma):
        if gamma not in profiles:
            profiles[gamma] = max(excess(r, s, gamma) for r in rows for s in rows)
        return profiles[gamma]

    def law(data):
        key = tuple(sorted(data))
        if key not in laws:
            laws[key] = shuffled(rows, key)
        return laws[key]

    points = []
    for _ in range(12):
        alpha = 1 + (E - 1) * F(rng.randint(0, 64), 64) ** 2
        points.append((alpha, max(F(1), alpha * F(rng.randint(1, 32), 32)), 1 + (E - 1) * F(rng.randint(0, 16), 16) ** 3))
    bounds = [(p, local_swap(profile, E, n, *p)) for p in points]
    bounds = [(p, v) for p, v in bounds if v is not None]
    for x, y in itertools.permutations(range(inputs), 2):
        for others in itertools.combinations_with_replacement(range(inputs), n - 1):
            P, Q = law((x,) + others), law((y,) + others)
            for p, v in bounds:
                cells += 1
                h = sum(max(P[c] - p[0] * Q[c], F(0)) for c in P)
                if h > v:
                    sys.exit("above local-swap: n = %d, rows %s, data %d/%d %s, alpha, tau, gamma %s: %s, bound %s" % (n, rows, x, y, others, p, h, v))
            if len(set(others)) > 1:
                continue
            place = [rng.randint(0, 2) for _ in range(outputs)]
            most = rng.randint(0, n)

            def masses(row):
                return [sum(v for v, k in zip(row, place) if k == j) for j in range(3)]
            grouped = [masses(r) for r in rows]
            sets = [shuffled(grouped, (i,) + others) for i in (x, y)]
            for alpha, _, _ in points:
                cells += 1
                h = sum(max(P[c] - alpha * Q[c], F(0)) for c in P)
                below = sum(max(sets[0][c] - alpha * sets[1][c], F(0)) for c in sets[0])
                if below > h:
                    sys.exit("above the truth: n = %d, rows %s, data %d/%d %s, places %s, alpha %s" % (n, rows, x, y, others, place, alpha))
            for who, seen in ((x, P), (y, Q)):
                cells += 1
                w = masses(rows[others[0] if others else 0])
                truth = sum(v for c, v in seen.items() if sum(c[i] for i in range(outputs) if place[i] == 0) >= 1
                            and sum(c[i] for i in range(outputs) if place[i] == 1) <= most)
                if truth != event(masses(rows[who]), w[0], w[1], n, most):
                    sys.exit("not the event's probability: n = %d, rows %s, data %d %s, places %s, at most %d" % (n, rows, who, others, place, most))
    return cells


def main():
    seed = int(os.environ.get("SHUFBOUND_SEED", "20261126"))
    print("seed", seed)
    rng = random.Random(seed)
    cells = 0
    for n, inputs, outputs, times in [(1, 3, 4, 6), (2, 3, 4, 12), (3, 3, 4, 8), (4, 3, 3, 8), (5, 3, 3, 4), (6, 2, 3, 6), (7, 2, 2, 4)]:
        for _ in range(times):
            cells += attack(rng, n, matrix(rng, inputs, outputs))
    for n, times in [(2, 4), (3, 4)]:
        for _ in range(times):
            cells += attack(rng, n, product(matrix(rng, 2, 2), matrix(rng, 2, 2)))
    print("compared", cells)


if __name__ == "__main__":
    main()
