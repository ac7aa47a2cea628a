#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Sampled shuffles of small described randomisers: every neighbouring data set is enumerated in exact rationals and
held against proofs/sampled-described.md. SHUFBOUND_SEED sets the seed."""

import itertools
import os
import random
import sys
from fractions import Fraction as F
from math import comb

ALPHAS = [F(1), F(11, 10), F(3, 2), F(2), F(3), F(7)]


def matrix(rng, inputs, outputs, zeros):
    rows = []
    for _ in range(inputs):
        row = [rng.choice([0, 1, 1, 2, 5, 12]) if zeros else rng.choice([1, 1, 2, 3, 8]) for _ in range(outputs)]
        if sum(row) == 0:
            row[0] = 1
        rows.append([F(v, sum(row)) for v in row])
    return rows


def convolve(a, row):
    """The multiset, as counts, after one more report."""
    r = {}
    for counts, p in a.items():
        for y, v in enumerate(row):
            if v:
                c = counts[:y] + (counts[y] + 1,) + counts[y + 1:]
                r[c] = r.get(c, F(0)) + p * v
    return r


def sampled(rows, data, m):
    """The law of the multiset of the reports of a uniform m-subset."""
    r = {}
    for subset in itertools.combinations(range(len(data)), m):
        law = {(0,) * len(rows[0]): F(1)}
        for i in subset:
            law = convolve(law, rows[data[i]])
        for c, p in law.items():
            r[c] = r.get(c, F(0)) + p / comb(len(data), m)
    return r


def participants(rows, data, rate):
    """The same of those users who take part, each with this probability."""
    r = {}
    for who in itertools.product((0, 1), repeat=len(data)):
        law = {(0,) * len(rows[0]): F(1)}
        for i, value in enumerate(data):
            if who[i]:
                law = convolve(law, rows[value])
        for c, p in law.items():
            r[c] = r.get(c, F(0)) + p * rate ** sum(who) * (1 - rate) ** (len(data) - sum(who))
    return r


def hockey(P, Q, alpha):
    return sum(max(P.get(c, F(0)) - alpha * Q.get(c, F(0)), F(0)) for c in set(P) | set(Q))


def excess(terms, n, K):
    """E(L_1 + .. + L_n - K)_+ for a law [(value, mass)]."""
    s = {F(0): F(1)}
    for _ in range(n):
        t = {}
        for x, p in s.items():
            for v, q in terms:
                t[x + v] = t.get(x + v, F(0)) + p * q
        s = t
    return sum(p * (x - K) for x, p in s.items() if x > K)


def fixed(terms, alone, m, n, alpha):
    """The bound of the notes for a sample of m of n users."""
    gamma = F(m, n)
    return gamma * alone + gamma / m * excess(terms, m, m * (alpha - 1) * (1 - gamma) / gamma)


def poisson(terms, alone, n, rate, alpha):
    """The same for each of n users with this probability."""
    return rate * alone + F(1, n) * excess([(v, rate * p) for v, p in terms] + [(1 - alpha, 1 - rate)], n, 0)


def among(p, q, w, alpha):
    """The terms for the reference w, of mass at most 1, and what is alone."""
    terms = [((a - alpha * b) / c, c) for a, b, c in zip(p, q, w) if c] + [(F(0), 1 - sum(w))]
    return terms, sum(max(a - alpha * b, F(0)) for a, b, c in zip(p, q, w) if not c)


def local_profile(rows, alpha):
    pairs = [(a, b) for a in rows for b in rows]
    if any(x and not y for a, b in pairs for x, y in zip(a, b)):
        return None
    E = max(x / y for a, b in pairs for x, y in zip(a, b) if y)
    if alpha >= E:
        return [(F(0), F(1))], F(0)
    h = max(sum(max(x - alpha * y, F(0)) for x, y in zip(a, b)) for a, b in pairs)
    up, down = h / (E - alpha), (h + alpha - 1) / (alpha * E - 1)
    return [(E - alpha, up), (-(alpha * E - 1), down), (F(0), 1 - up - down)], F(0)


def attack(rng, n, m, inputs, outputs, zeros, rate=None):
    """m of n users; or with m = 0 each with that probability."""
    rows = matrix(rng, inputs, outputs, zeros)
    blanket = [min(r[y] for r in rows) for y in range(outputs)]
    cells = 0
    laws = {}

    def law(data):
        key = tuple(sorted(data))
        if key not in laws:
            laws[key] = participants(rows, key, rate) if rate else sampled(rows, key, m)
        return laws[key]

    def bound(case, alpha):
        return poisson(*case, n, rate, alpha) if rate else fixed(*case, m, n, alpha)

    for alpha in ALPHAS:
        above = {(x, y): bound(among(rows[x], rows[y], blanket, alpha), alpha) for x in range(inputs) for y in range(inputs) if x != y}
        case = local_profile(rows, alpha)
        local = None if case is None else bound(case, alpha)
        for x, y in above:
            for others in itertools.combinations_with_replacement(range(inputs), n - 1):
                h = hockey(law((x,) + others), law((y,) + others), alpha)
                cells += 1
                if h > above[x, y] or (local is not None and h > local):
                    sys.exit("above the bound: n = %d, m = %d, rate %s, rows %s, data %d/%d %s, alpha %s: %s, blanket %s, local profile %s"
                             % (n, m, rate, rows, x, y, others, alpha, h, above[x, y], local))
                if len(set(others)) == 1 and h != bound(among(rows[x], rows[y], rows[others[0]], alpha), alpha):
                    sys.exit("not exact: n = %d, m = %d, rate %s, rows %s, data %d/%d %s, alpha %s" % (n, m, rate, rows, x, y, others, alpha))
    return cells


def main():
    seed = int(os.environ.get("SHUFBOUND_SEED", "20261122"))
    print("seed", seed)
    rng = random.Random(seed)
    cells = 0
    for n, m, inputs, outputs, times in [(2, 1, 3, 3, 6), (3, 1, 3, 3, 5), (3, 2, 3, 3, 5), (4, 2, 3, 2, 4), (4, 3, 2, 3, 4), (5, 3, 2, 2, 4),
                                         (3, 3, 3, 3, 2), (6, 2, 2, 2, 4)]:
        for i in range(times):
            cells += attack(rng, n, m, inputs, outputs, i % 2 == 1)
    for n, inputs, outputs, times in [(2, 3, 3, 8), (3, 3, 3, 4), (4, 2, 3, 4), (4, 3, 2, 4), (5, 2, 2, 4)]:
        for i in range(times):
            cells += attack(rng, n, 0, inputs, outputs, i % 2 == 1, rng.choice([F(1, 10), F(1, 3), F(1, 2), F(9, 10)]))
    print(cells, "cells")


if __name__ == "__main__":
    main()
