# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Sensitivities of matrix mechanisms, from the matrix and the sets of steps in which a record may take part: small ones by trying all sets and
signs, large ones, whose numbers do not rise, by the first set. For confirm.py.
"""
import itertools
import math
from fractions import Fraction

import numpy as np

SMALL = 12  # steps of a matrix all of whose sets and signs are tried


class Impossible(Exception):
    """A theorem's number contradicts an enumeration."""


def coefficients(m):
    """The first column of a Toeplitz matrix. That of square-root times itself is 1 + x + x^2 + .."""
    steps = int(m["steps"])
    if m["strategy"] != "square-root":
        return [Fraction(str(c)) for c in m["strategy"]] + [Fraction(0)] * (steps - len(m["strategy"]))
    if steps > SMALL:
        kept = int(m.get("bands", steps))
        return [math.exp(math.lgamma(j + 0.5) - math.lgamma(j + 1)) / math.sqrt(math.pi) if j < kept else 0.0 for j in range(steps)]
    c = [Fraction(1)]
    for j in range(1, steps):
        c.append(Fraction(1 - sum(c[i] * c[j - i] for i in range(1, j))) / 2)
    return [x if j < int(m.get("bands", steps)) else Fraction(0) for j, x in enumerate(c)]


def is_rows(m):
    return isinstance(m["strategy"], list) and isinstance(m["strategy"][0], list)


def columns(m):
    steps = int(m["steps"])
    if is_rows(m):
        rows = [[Fraction(str(x)) for x in row] + [Fraction(0)] * (steps - len(row)) for row in m["strategy"]]
        return [list(column) for column in zip(*rows)]
    c = coefficients(m)
    return [[c[t - i] if t >= i else Fraction(0) for t in range(steps)] for i in range(steps)]


def sets(m):
    """All in which a record may take part that are not empty."""
    steps, most = int(m["steps"]), int(m.get("times", m["steps"]))
    if "every" in m:
        gap = int(m["every"])
        return [range(start, end, gap) for start in range(steps) for end in range(start + 1, min(steps, start + (most - 1) * gap + 1) + 1)]
    gap, found, last = int(m["separation"]), [], [()]
    for _ in range(most):
        last = [s + (t,) for s in last for t in range(s[-1] + gap if s else 0, steps)]
        found += last
    return found


def _dot(x, y):
    return sum(a * b for a, b in zip(x, y))


def _summed(chosen, sign):
    """The square of the norm of the sum."""
    return sum(_dot(sign, row) ** 2 for row in zip(*chosen))


def of_signs(m):
    """The largest square over all sets and signs: the sensitivity is at least that."""
    c = columns(m)
    return max(_summed([c[i] for i in s], (1,) + sign) for s in sets(m) for sign in itertools.product((1, -1), repeat=len(s) - 1))


def of_moduli(m):
    """The largest sum over a set of the moduli of the products of two columns: the sensitivity is at most that."""
    c = columns(m)
    products = [[abs(_dot(x, y)) for y in c] for x in c]
    return max(sum(products[i][j] for i in s for j in s) for s in sets(m))


def _first(m, c):
    """The first set, of whose columns c is the first one."""
    steps, gap = int(m["steps"]), int(m["every"] if "every" in m else m["separation"])
    total, c = np.zeros(steps, dtype=object if isinstance(c[0], Fraction) else float), np.array(c)
    for start in range(0, min(steps, gap * int(m.get("times", steps))), gap):
        total[start:] += c[:steps - start]
    return (total * total).sum()


def _one_by_one(m):
    """Theorem 3 (c): each step with the others of a set of which it is one."""
    c = columns(m)
    every = sets(m)
    products = [[abs(_dot(x, y)) for y in c] for x in c]
    weight = [products[i][i] + max(sum(products[i][j] for j in s if j != i) for s in every if i in s) for i in range(len(c))]
    return max(sum(weight[i] for i in s) for s in every)


def _dominating(c, m):
    """Of each number the modulus; with steps that are only apart, the largest from there on."""
    c = [abs(x) for x in c]
    return c if "every" in m else [max(c[j:]) for j in range(len(c))]


def square(m, bound):
    """The end of the square of the sensitivity that the theorems have."""
    c = None if is_rows(m) else coefficients(m)
    if int(m["steps"]) > SMALL:
        assert all(x >= y >= 0 for x, y in zip(c, c[1:]))
        return _first(m, c)
    low, high = of_signs(m), of_moduli(m)
    if c is None:
        known = low if bound == "lower" else _one_by_one(m) if "separation" in m else high
    else:
        gap = int(m["every"] if "every" in m else m["separation"])
        known = _first(m, c if bound == "lower" or not any(c[gap:]) else _dominating(c, m))
    if known < low if bound == "upper" else known > high:
        raise Impossible("no %s bound" % bound)
    return known


def poisson(m, bound):
    """How many steps and the square of their norm: the most and the largest of any part, or those of a part whose columns are not cut at the end."""
    c, gap = columns(m), int(m["every"])
    norm = [_dot(x, x) for x in c]
    parts = [range(p, len(c), gap) for p in range(min(gap, len(c)))]
    if bound == "upper":
        return max(len(p) for p in parts), max(norm)
    bands = max(t - i + 1 for i, x in enumerate(c) for t, entry in enumerate(x) if entry)
    whole = [[i for i in p if i <= len(c) - bands] for p in parts]
    most = max(len(p) for p in whole)
    return most, max(min(norm[i] for i in p) for p in whole if len(p) == most)
