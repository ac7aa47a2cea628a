#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""
An attack on proofs/clones-sampled.md, in exact rationals: tiny shuffles of a sample of the users, by the definition (all
subsets and orders), against the pairs that are said to bound them.

    sampled.py CELLS [SEED [TAMPER]]

A cell is a random mechanism (shared by all positions, or dependent on all earlier outputs; extreme ones preferred) of n <= 6
users with a sample of fixed size m, or with Poisson participation. Let h be the mechanism's hockey-stick divergence and g the
pair's, functions of alpha. Between two neighbouring values of P/Q of the pair g is affine and h convex, so h <= g on all of
[1, infinity) if it holds at 1 and at the values of P/Q above: that is what is compared, in both directions. What is below
1 follows from the other direction. TAMPER (weight, rate or participation) spoils the pair: the attack must then succeed.
"""
import random
import sys
from fractions import Fraction as F
from functools import lru_cache
from math import comb, factorial, lcm

tamper = sys.argv[3] if len(sys.argv) > 3 else ""


# ---- pairs: lists of (P, Q) ----

def trinomial(n, w0, w1, r0, r1):
    """The pair of that name: n-1 users add one to a, to b, or to neither; the last one with w0, w1 under P, w1, w0 under Q."""
    def other(a, b):
        if a < 0 or b < 0 or a + b > n - 1:
            return F(0)
        return factorial(n - 1) // (factorial(a) * factorial(b) * factorial(n - 1 - a - b)) * r0**a * r1**b * (1 - r0 - r1)**(n - 1 - a - b)
    cells = []
    for a in range(n + 1):
        for b in range(n + 1 - a):
            x, y, z = other(a - 1, b), other(a, b - 1), other(a, b)
            cells.append((w0 * x + w1 * y + (1 - w0 - w1) * z, w1 * x + w0 * y + (1 - w0 - w1) * z))
    return cells


@lru_cache(None)
def fixed_pair(m, rate, E, k):
    """clones-sampled (k = 2) and krr-third-sampled."""
    r = 1 / (E + k - 1)
    w0 = rate * E * r + (1 - rate) * r
    if tamper == "weight":
        w0 *= F(999, 1000)
    return trinomial(m, w0, r, r, r)


@lru_cache(None)
def poisson_pair(n, q, E):
    """clones-poisson: n-1 users add one to a, to b, to the absent, or to none; the last one is a, b or absent."""
    r = 1 / (E + 1)
    rates = (q * r, q * r, 1 - q)
    w = (q * E * r, q * r, 1 - q)
    if tamper == "participation":
        w = (q * E * r * F(99, 100), q * r, 1 - q * r - q * E * r * F(99, 100))

    def other(c):
        rest = n - 1 - sum(c)
        if min(c) < 0 or rest < 0:
            return F(0)
        x = F(factorial(n - 1), factorial(c[0]) * factorial(c[1]) * factorial(c[2]) * factorial(rest))
        for i in range(3):
            x *= rates[i]**c[i]
        return x * (1 - sum(rates))**rest
    cells = []
    for a in range(n + 1):
        for b in range(n + 1 - a):
            for z in range(n + 1 - a - b):
                x, y, t = other((a - 1, b, z)), other((a, b - 1, z)), other((a, b, z - 1))
                cells.append((w[0] * x + w[1] * y + w[2] * t, w[1] * x + w[0] * y + w[2] * t))
    return cells


def hockey(cells, alpha):
    total = 0
    for p, q in cells:
        if alpha.denominator * p > alpha.numerator * q:
            total += alpha.denominator * p - alpha.numerator * q
    return F(total) / alpha.denominator


def corners(cells):
    """1 and the finite values of P/Q and Q/P above it."""
    return {F(1)} | {F(p) / q for p, q in cells if p > q > 0} | {F(q) / p for p, q in cells if q > p > 0}


@lru_cache(None)
def profile(name, *args):
    cells = globals()[name](*args)
    return [(a, hockey(cells, a)) for a in sorted(corners(cells))]


# ---- mechanisms ----

def randomiser(rng, E, inputs, outs):
    """Rows that are mutually within E: columns s u (1 + (E-1) f), f in [0, 1], and what is left; extreme ones preferred."""
    u = [rng.randint(1, 6) for _ in range(outs - 1)]
    f = [[rng.choice((0, 0, 0, 1, 1, 1, F(rng.randint(0, 4), 4))) for _ in u] for _ in range(inputs)]
    rows = [[v * (1 + (E - 1) * y) for v, y in zip(u, row)] for row in f]
    most, least = max(map(sum, rows)), min(map(sum, rows))
    s = rng.choice((1, 1, 1, F(1, 2))) * (E - 1) / (E * most - least)
    rows = [[s * x for x in row] + [1 - s * sum(row)] for row in rows]
    for y in range(outs):
        column = [row[y] for row in rows]
        assert 0 <= max(column) <= E * min(column)
    return rows


def views(rows_at, scale, values, outs):
    """
    For every m from 0 to n: [(P, Q)] over the outputs z of m sampled users, P and Q times n!/(n-m)! scale^m. rows_at(z) is
    the randomiser after the outputs z, as whole numbers over scale; user 1 holds 0 under P, 1 under Q, user i values[i-2].
    """
    n = len(values) + 1
    found = [[] for _ in range(n + 1)]

    def walk(z, used):
        """used: for each set of users that may have given z, the sum over their orders under P and under Q."""
        found[len(z)].append(tuple(map(sum, zip(*used.values()))))
        if len(z) == n:
            return
        rows = rows_at(z)
        for y in range(outs):
            after = {}
            for users, (p, q) in used.items():
                for i in range(n):
                    if users >> i & 1:
                        continue
                    a, b = after.get(users | 1 << i, (0, 0))
                    x0, x1 = (rows[0][y], rows[1][y]) if i == 0 else (rows[values[i - 1]][y],) * 2
                    after[users | 1 << i] = (a + p * x0, b + q * x1)
            walk(z + (y,), after)
    walk((), {0: (1, 1)})
    sizes = [factorial(n) // factorial(n - m) * scale**m for m in range(n + 1)]
    return found, sizes


def shared_views(rows, scale, values, outs):
    """The same for one randomiser at all positions: the outputs in their order, so many times each."""
    n = len(values) + 1
    polys = [{0: {(0,) * outs: 1}} for _ in range(2)]
    for d in range(2):
        table = {(0, (0,) * outs): 1}
        for i in range(n):
            row = rows[d] if i == 0 else rows[values[i - 1]]
            after = dict(table)
            for (m, c), x in table.items():
                for y in range(outs):
                    key = (m + 1, c[:y] + (c[y] + 1,) + c[y + 1:])
                    after[key] = after.get(key, 0) + x * row[y]
            table = after
        polys[d] = table
    found = [[] for _ in range(n + 1)]
    for (m, c) in polys[0]:
        found[m].append((polys[0][m, c], polys[1][m, c]))
    return found, [comb(n, m) * scale**m for m in range(n + 1)]


def whole(tables):
    scale = lcm(*(x.denominator for rows in tables for row in rows for x in row))
    return [[[int(x * scale) for x in row] for row in rows] for rows in tables], scale


class Beaten(Exception):
    pass


ratio = 0


def bounded(cells, size, claimed, what):
    """Whether h <= g at the corners, in both directions."""
    global ratio
    for direction in (cells, [(q, p) for p, q in cells]):
        for alpha, g in claimed:
            h = hockey(direction, alpha) / size
            if h > g:
                raise Beaten(f"{what}: alpha = {alpha}: {float(h)} > {float(g)}")
            if g > 0:
                ratio = max(ratio, h / g)


LARGEST = (F(3, 2), F(2), F(3), F(5), F(20))
RATES = (F(1, 10), F(1, 3), F(1, 2), F(4, 5))


def random_mechanism(rng, E):
    n = rng.choice((2, 2, 3, 3, 4, 4, 5, 6))
    outs = rng.choice((2, 2, 3, 3, 4)) if n <= 4 else rng.choice((2, 2, 3))
    inputs = rng.randint(2, 4)
    values = [rng.randrange(inputs) for _ in range(n - 1)]
    if rng.random() < 0.5:
        (rows,), scale = whole([randomiser(rng, E, inputs, outs)])
        return n, "shared", shared_views(rows, scale, values, outs)
    histories = {}
    if outs ** n > 100: # the walk would be long
        n = 3
        values = values[:n - 1]
    tables, keys = [], [()]
    for key in keys:
        if len(key) < n:
            histories[key] = len(tables)
            tables.append(randomiser(rng, E, inputs, outs))
            keys.extend(key + (y,) for y in range(outs))
    tables, scale = whole(tables)
    return n, "adaptive", views(lambda z: tables[histories[z]], scale, values, outs)


def attack_mechanism(rng):
    """Returns the number of cells."""
    E = rng.choice(LARGEST)
    n, kind, (found, size) = random_mechanism(rng, E)
    for m in range(1, n):
        rate = F(m, n) * (F(99, 100) if tamper == "rate" else 1)
        bounded(found[m], size[m], profile("fixed_pair", m, rate, E, 2), f"{kind}, E = {E}, {m} of {n}")
    q = rng.choice(RATES)
    if n <= 4:
        mass = lcm(*size)
        cells = [(p * w, x * w) for m in range(n + 1) for w in [comb(n, m) * q.numerator**m * (q.denominator - q.numerator)**(n - m) * (mass // size[m])]
                 for p, x in found[m]]
        bounded(cells, mass * q.denominator**n, profile("poisson_pair", n, q, E), f"{kind}, E = {E}, each of {n} with {q}")
    return n - 1 + (n <= 4)


# ---- k-RR on named data: at least the pairs from below, and exactly so where all is seen ----

def krr_views(E, k, others, n):
    (rows,), scale = whole([[[(E if x == y else F(1)) / (E + k - 1) for y in range(k)] for x in range(3)]])
    return shared_views(rows, scale, [others] * (n - 1), k)


def compare_below(cells, size, pair, exact, what):
    for direction in range(2):
        mech = [(F(c[direction]) / size, F(c[1 - direction]) / size) for c in cells]
        law = [(c[direction], c[1 - direction]) for c in pair]
        for alpha in corners(mech) | corners(law):
            h, g = hockey(mech, alpha), hockey(law, alpha)
            if g > h or (exact and g != h):
                raise Beaten(f"{what}: alpha = {alpha}: {float(h)} against {float(g)} from below")


def named_data():
    for E in (F(2), F(5)):
        for n in (2, 3, 4):
            for k in (2, 3, 4):
                for others in (0, 2)[:1 if k < 3 else 2]:
                    found, size = krr_views(E, k, others, n)
                    if others == 2:
                        for m in range(1, n):
                            compare_below(found[m], size[m], fixed_pair(m, F(m, n), E, k), k == 3, f"krr {k}, third, {m} of {n}")
                    r = 1 / (E + k - 1)
                    for q in RATES[:2]:
                        mass = lcm(*size)
                        cells = [(p * w, x * w) for m in range(n + 1) for w in [comb(n, m) * q**m * (1 - q)**(n - m) * (mass // size[m])]
                                 for p, x in found[m]]
                        pair = trinomial(n, q * E * r, q * r, q * r if others == 2 else q * E * r, q * r)
                        compare_below(cells, mass, pair, k == 2, f"krr {k}, {'third' if others else 'same'}, each of {n} with {q}")


# ---- what follows from the theorems ----

def corollaries():
    """Never above subsample-profile over clones-stronger; monotone in the users; smaller k are better."""
    for E in LARGEST:
        for n in range(2, 7):
            for m in range(1, n + 1):
                rate = F(m, n)
                pair = fixed_pair(m, rate, E, 2)
                for alpha in corners(pair) | corners(fixed_pair(m, F(1), E, 2)):
                    h = hockey(pair, alpha)
                    assert h <= rate * hockey(fixed_pair(m, F(1), E, 2), 1 + (alpha - 1) / rate)
                    assert h >= hockey(fixed_pair(m, rate, E, 3), alpha) >= hockey(fixed_pair(m, rate, E, 5), alpha)
                    assert m == n or h <= hockey(fixed_pair(m + 1, F(m + 1, n), E, 2), alpha)
                    assert h >= hockey(fixed_pair(m + 1, rate, E, 2), alpha)


def main():
    cells, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2] else random.randrange(2**32)
    print(f"SHUFBOUND_SEED={seed}")
    rng = random.Random(seed)
    done = 0
    try:
        if not tamper:
            named_data()
            corollaries()
        while done < cells:
            done += attack_mechanism(rng)
    except Beaten as e:
        print(f"after {done} cells: {e}")
        return 1
    print(f"{done} cells, largest ratio {float(ratio):.9f}")
    return 0


sys.exit(main())
