#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Theorems 3, 4, 7, 8 and 10 of proofs/additive-noise.md against all outcomes, in rationals: vectors of discrete Laplace noise against one number with the same
L1 norm; all data of small samples against the pair that claims to be worst; staircase noise, moved by less than a step, against a whole step; adaptive
releases of which a record takes part in some, at random, against the pair, and that against shorter epochs of which it takes part in one.

    attack_noise.py [CASES [SEED]]
"""
import itertools
import random
import sys
from fractions import Fraction as F

CASES = int(sys.argv[1]) if len(sys.argv) > 1 else 300
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1


def hockey(pairs, alpha):
    return sum(max(p - alpha * q, 0) for p, q in pairs)


def classes(q, s):
    """Discrete Laplace noise and itself shifted by s: outcomes with the same likelihood ratio together."""
    if s == 0:
        return [(F(1), F(1))]
    masses = [1 / (1 + q), *((1 - q) * q**k / (1 + q) for k in range(1, s)), q**s / (1 + q)]
    return list(zip(masses, reversed(masses)))


def product(laws):
    found = [(F(1), F(1))]
    for law in laws:
        found = [(a * c, b * d) for a, b in found for c, d in law]
    return found


def vectors(r):
    """The largest ratio of a vector's divergence to that of one number."""
    q, s = F(r.randint(1, 19), 20), [r.randint(0, 5) for _ in range(r.randint(2, 3))]
    whole = sum(s) or 1
    spread, one = product(classes(q, x) for x in s), classes(q, whole)
    worst = F(0)
    for alpha in (q ** r.randint(-whole, whole), F(r.randint(1, 400), r.randint(1, 100))):
        a, b = hockey(spread, alpha), hockey(one, alpha)
        if a > b:
            sys.exit(f"vector {s}, q = {q}, alpha = {alpha}: {a} is more than {b}")
        worst = max(worst, a / b if b else F(0))
    return worst


def masses_of(r):
    """Symmetric log-concave masses on 0..2m: of coins, or any with falling ratios."""
    m = r.randint(1, 3)
    right, ratio = [F(1)], F(1)
    for _ in range(m):
        ratio *= F(r.randint(1, 10), 10)
        right.append(right[-1] * ratio)
    half = list(reversed(right[1:])) + right
    return [x / sum(half) for x in half]


def shifted(p, shift, width):
    return [F(0)] * shift + p + [F(0)] * (width - shift - len(p))


def samples(r):
    """Records of values up to s, each in the sample with probability q: with a record against without, both ways."""
    p, q, s = masses_of(r), F(r.randint(1, 10), 10), r.randint(1, 3)
    others, own = [r.randint(0, s) for _ in range(r.randint(0, 3))], r.randint(0, s)
    width = len(p) + s * (len(others) + 1)
    laws = []
    for values in (others + [own], others):
        law = [F(0)] * width
        for taken in itertools.product((0, 1), repeat=len(values)):
            weight = F(1)
            for t in taken:
                weight *= q if t else 1 - q
            for i, x in enumerate(shifted(p, sum(t * v for t, v in zip(taken, values)), width)):
                law[i] += weight * x
        laws.append(law)
    base, moved = shifted(p, 0, len(p) + s), shifted(p, s, len(p) + s)
    mixed = [q * x + (1 - q) * y for x, y in zip(moved, base)]
    worst = F(0)
    for alpha in (F(1), F(r.randint(1, 400), r.randint(1, 100)), F(r.randint(1, 20), 10)):
        for (a, b), (c, d) in (((laws[0], laws[1]), (mixed, base)), ((laws[1], laws[0]), (base, mixed))):
            found, bound = hockey(zip(a, b), alpha), hockey(zip(c, d), alpha)
            if found > bound:
                sys.exit(f"sample of {others} with {own}, rate {q}, noise {p}, alpha = {alpha}: {found} is more than {bound}")
            worst = max(worst, found / bound if bound else F(0))
    return worst


def staircase(g, q, d):
    """Steps of width 1: the masses of pieces on which neither density changes, of the noise and of the noise moved by d <= 1. Beyond them both fall by q from step to step."""
    def density(z):
        k = abs(z).__floor__()
        return q ** (k if abs(z) - k < g else k + 1)
    c = (1 - q) / (2 * (g + q * (1 - g)))
    places = {F(k) + sign * e for k in range(-2, 4) for sign in (1, -1) for e in (F(0), g)}
    places = sorted(x for x in places | {x + d for x in places} | {d - 1, d + 1, F(-1), F(1)} if -1 <= x <= d + 1)
    for a, b in zip(places, places[1:]):
        middle = (a + b) / 2
        often = 1 if 0 < middle < d else 1 / (1 - q)
        yield (b - a) * c * density(middle) * often, (b - a) * c * density(middle - d) * often


def staircases(r):
    """One release, or two of which each is moved by less than a step, against whole steps; and the formula for these."""
    q, g = F(r.randint(1, 19), 20), F(r.randint(1, 12), 12)
    h = min(g, F(1, 2))
    m = (h + q * (F(1, 2) - h)) / (g + q * (1 - g))
    whole = [(m, m * q), (1 - m * (1 + q),) * 2, (m * q, m)]
    moved = [list(staircase(g, q, F(r.randint(0, 24), 24))) for _ in range(2)]
    worst = F(0)
    for law in [list(staircase(g, q, F(1))), *moved]:
        if (sum(a for a, _ in law), sum(b for _, b in law)) != (1, 1):
            sys.exit(f"q = {q}, g = {g}: the masses are not a law")
    for alpha in (F(1), 1 / q, F(r.randint(1, 400), r.randint(1, 100))):
        if hockey(staircase(g, q, F(1)), alpha) != hockey(whole, alpha):
            sys.exit(f"q = {q}, g = {g}, alpha = {alpha}: the formula is wrong")
        for laws in ([moved[0]], moved):
            found, bound = hockey(product(laws), alpha), hockey(product([whole] * len(laws)), alpha)
            if found > bound:
                sys.exit(f"q = {q}, g = {g}, alpha = {alpha}: {found} is more than {bound}")
            worst = max(worst, found / bound if bound else F(0))
    return worst


def runs(p, steps, taken, placed, move, shift):
    """The outcomes of so many releases with their masses: the record takes part in those of a set in `taken`, another in one of `placed`, all sets alike."""
    found = {}

    def walk(prefix, mass, own, other):
        if len(prefix) == steps:
            found[prefix] = found.get(prefix, 0) + mass
            return
        i = len(prefix)
        at = (move(prefix) if i in own else 0) + (shift(prefix) if i == other else 0)
        for z, weight in enumerate(p):
            walk(prefix + (z + at,), mass * weight, own, other)
    for own in taken:
        for other in placed:
            walk((), F(1, len(taken) * len(placed)), own, other)
    return found


def pairs_of(first, second):
    return [(first.get(y, F(0)), second.get(y, F(0))) for y in first.keys() | second.keys()]


def allocations(r):
    """Epochs of at most 3 releases of a record that takes part in k of them."""
    p, s, steps = masses_of(r), r.randint(1, 2), r.randint(2, 3)
    k = r.randint(1, steps - 1)
    seed = r.random()

    def drawn(low, high, kind):
        return lambda prefix: random.Random(f"{seed} {kind} {prefix}").randint(low, high)
    sets = list(itertools.combinations(range(steps), k))
    laws = [runs(p, steps, taken, range(steps), drawn(-s, s, 0), drawn(-1, 1, 1)) for taken in (sets, [()])]
    worst = [runs(p, steps, taken, [None], lambda prefix: s, None) for taken in (sets, [()])]
    blocks = [steps // k + (i < steps % k) for i in range(k)]
    above = product([pairs_of(*(runs(p, m, taken, [None], lambda prefix: s, None) for taken in ([(i,) for i in range(m)], [()]))) for m in blocks])
    run, pair = pairs_of(*laws), pairs_of(*worst)
    q = shifted(p, 0, len(p) + s)
    step = [(F(k, steps) * x + (1 - F(k, steps)) * y, y) for x, y in zip(shifted(p, s, len(p) + s), q)]
    largest = F(0)
    for alpha in (F(1), F(r.randint(1, 400), r.randint(1, 100)), F(r.randint(1, 20), 10)):
        for turned in range(2):
            a, b, c, d = (hockey([(y, x) for x, y in law] if turned else law, alpha) for law in (step, run, pair, above))
            if b > c or c > d or a > c:
                sys.exit(f"{k} of {steps} releases, noise {p}, sensitivity {s}, alpha = {alpha}, turned {turned}: {a}, {b}, {c}, {d} do not rise")
            largest = max(largest, b / c if c else F(0))
    return largest


def main():
    r = random.Random(SEED)
    for attack in (vectors, samples, staircases, allocations):
        print(f"{attack.__name__}: {CASES} cases, largest ratio {float(max(attack(r) for _ in range(CASES))):.6f}")


main()
