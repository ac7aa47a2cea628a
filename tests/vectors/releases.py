# SPDX-License-Identifier: LGPL-3.0-or-later
"""Releases with noise, from its masses or density: sums and integrals of positive parts, without the program's half-lines. For confirm.py."""
import math

import mpmath
from mpmath import mpf

REACH = 400  # outcomes on either side: what is beyond has less than 1e-25 in the vectors


def masses(noise, size, variance):
    """Of -REACH to REACH."""
    weight = {"discrete-laplace": lambda z: mpmath.exp(-abs(z) * size),
              "discrete-gaussian": lambda z: mpmath.exp(-mpf(z * z) / (2 * variance)),
              "skellam": lambda z: mpmath.besseli(abs(z), variance) * mpmath.exp(-variance)}[noise]
    found = [weight(z) for z in range(-REACH, REACH + 1)]
    total = sum(found)
    return [w / total for w in found]


def coins(count):
    return [mpmath.binomial(count, k) / mpf(2) ** count for k in range(count + 1)]


def whole(p, shift, rate, rounds, alpha):
    """The larger divergence of both directions, of one release or two."""
    without = p + [mpf(0)] * shift
    moved = [mpf(0)] * shift + p
    pairs = [(rate * x + (1 - rate) * y, y) for x, y in zip(moved, without)]
    if rounds == 2:
        pairs = [(a * c, b * d) for a, b in pairs for c, d in pairs]
    return max(sum(max(x - alpha * y, 0) for x, y in pairs), sum(max(y - alpha * x, 0) for x, y in pairs))


def vector(noise, variance, square, dimension, rate, rounds, alpha, bound):
    """Vectors of whole numbers, square being that of the norm: the Gaussian noise of proofs/additive-noise.md, Theorem 13; from below all outcomes of one or two entries."""
    import batches
    if bound == "upper":
        unit = 8 * mpmath.erfinv(mpmath.besseli(0, variance) * mpmath.exp(-variance)) ** 2 if noise == "skellam" else 6 * (1 - mpmath.sqrt(1 - 1 / (3 * variance)))
        mu = mpmath.sqrt(unit * square)
        return batches.fixed(mpmath.sqrt(rounds) * mu, alpha) if rate == 1 else batches.poisson(1 / mu, rate, rounds, alpha)
    p, first = [x for x in masses(noise, None, variance) if x > mpf("1e-32")], math.isqrt(square)
    if rate != 1 or rounds > 1:
        return whole(p, first, rate, rounds, alpha)
    even = math.isqrt(square // dimension)
    larger = (square - dimension * even ** 2) // (2 * even + 1)
    found = []
    for entries in ([first] + [1] * min(square - first ** 2, dimension - 1), [even + 1] * larger + [even] * (dimension - larger)):
        pairs = [(mpf(1), mpf(1))]
        for shift in [x for x in entries if x > 0]:
            pairs = [(a * c, b * d) for a, b in pairs for c, d in zip([mpf(0)] * shift + p, p + [mpf(0)] * shift)]
            pairs = [pair for pair in pairs if max(pair) > mpf("1e-18")]
        found.append(sum(max(x - alpha * y, 0) for x, y in pairs))
    return max(found)


def laplace(loss, rate, alpha):
    """Both directions, by integrals between the places where the densities' difference changes its form."""
    def density(x):
        return mpmath.exp(-abs(x)) / 2

    def integral(f):
        ends = [-80, 0, loss, loss + 80]
        cuts = sorted({mpf(x) for x in ends} | {place for place in places(f, ends)})
        return sum(max(mpmath.quad(f, [a, b]), 0) for a, b in zip(cuts, cuts[1:]))

    def places(f, ends):
        for a, b in zip(ends, ends[1:]):
            a, b = mpf(a), mpf(b)
            if f(a) * f(b) < 0:
                yield mpmath.findroot(f, (a, b), solver="anderson")

    def with_it(x):
        return rate * density(x - loss) + (1 - rate) * density(x)
    return max(integral(lambda x: with_it(x) - alpha * density(x)), integral(lambda x: density(x) - alpha * with_it(x)))


def few(p, shift):
    """Outcomes of one ratio together: three of them, or fewer."""
    outcomes = {}
    for x, y in zip([mpf(0)] * shift + p, p + [mpf(0)] * shift):
        if y > mpf("1e-60"):
            key = mpmath.nstr(x / y, 12)
            before = outcomes.get(key, (0, 0))
            outcomes[key] = (before[0] + x, before[1] + y)
    found = [pair for pair in outcomes.values() if pair[0] + pair[1] > mpf("1e-30")]
    return found + [(mpf(0), mpf(0))] * (3 - len(found))


def allocated(outcomes, steps, alpha):
    """Of three ratios: the mean of so many of them is the density of one of the steps with the record, the others without."""
    ratio = [x / y if y > 0 else mpf(0) for x, y in outcomes]
    power = [[y**k for k in range(steps + 1)] for _, y in outcomes]
    sums = [mpf(0), mpf(0)]
    for i in range(steps + 1):
        for j in range(steps + 1 - i) if outcomes[2][1] > 0 else (steps - i,):
            l = steps - i - j
            chance = mpmath.binomial(steps, i) * mpmath.binomial(steps - i, j) * power[0][i] * power[1][j] * power[2][l]
            mean = (i * ratio[0] + j * ratio[1] + l * ratio[2]) / steps
            sums = [sums[0] + chance * max(mean - alpha, 0), sums[1] + chance * max(1 - alpha * mean, 0)]
    return max(sums)


def stairs(loss, g, rate=1):
    """Steps of width 1, moved by one: the masses of pieces on which no density changes, those of one ratio together; left of 0 and right of 1 the rest is a geometric series."""
    q = mpmath.exp(-loss)

    def density(z):
        k = int(mpmath.floor(abs(z)))
        return q ** (k if abs(z) - k < g else k + 1)
    places = sorted({mpf(x) for x in (-1, -g, 0, g, 1 - g, 1, 1 + g, 2)})
    height, outcomes = (1 - q) / (2 * (g + q * (1 - g))), {}
    for a, b in zip(places, places[1:]):
        middle = (a + b) / 2
        size = (b - a) * height / (1 if 0 < middle < 1 else 1 - q)
        x, y = size * density(middle - 1), size * density(middle)
        before = outcomes.get(int(mpmath.nint(mpmath.log(x / y) / loss)), (0, 0))
        outcomes[int(mpmath.nint(mpmath.log(x / y) / loss))] = (before[0] + rate * x + (1 - rate) * y, before[1] + y)
    return [outcomes.get(k, (mpf(0), mpf(0))) for k in (1, 0, -1)]


def staircase(loss, g, rate, rounds, alpha):
    (a, b), (c, d), (e, f) = stairs(loss, g, rate)
    sums = [mpf(0), mpf(0)]
    for i in range(rounds + 1):
        for j in range(rounds + 1 - i):
            often = mpmath.binomial(rounds, i) * mpmath.binomial(rounds - i, j)
            x, y = often * a**i * c**j * e**(rounds - i - j), often * b**i * d**j * f**(rounds - i - j)
            sums = [sums[0] + max(x - alpha * y, 0), sums[1] + max(y - alpha * x, 0)]
    return max(sums)


def gaussian_whole(variance, shift, rounds, alpha):
    """Discrete Gaussian noise, many times: the sum of all outcomes tells as much as they do."""
    p = [mpf(1)]
    reach = int(10 * mpmath.sqrt(variance)) + 1
    weight = [mpmath.exp(-mpf(z * z) / (2 * variance)) for z in range(-reach, reach + 1)]
    total = sum(weight)
    weight = [w / total for w in weight]
    for _ in range(rounds):
        product = [mpf(0)] * (len(p) + 2 * reach)
        for i, x in enumerate(p):
            for j, w in enumerate(weight):
                product[i + j] += x * w
        p = product
    losses = [rounds * mpf(shift * shift) / (2 * variance) - mpf(shift * (k - rounds * reach)) / variance for k in range(len(p))]
    return sum(x * max(1 - alpha * mpmath.exp(-loss), 0) for x, loss in zip(p, losses))


def kept(p, threshold, alpha):
    """A histogram of reports that are kept with probability p, if there are enough: the larger divergence of both directions, of the worst of many numbers of holders."""
    def law(n):
        released = [mpmath.binomial(n, k) * p**k * (1 - p)**(n - k) for k in range(threshold, n + 1)]
        return released + [1 - sum(released)]

    def of(n):
        x, y = law(n), law(n - 1)
        pairs = [*zip(x[:-1], [*y[:-1], *[mpf(0)] * len(x)]), (x[-1], y[-1])]
        return max(sum(max(a - alpha * b, 0) for a, b in pairs), sum(max(b - alpha * a, 0) for a, b in pairs))
    return max(of(n) for n in range(1, int(1.2 * threshold / p) + 10))


def sole(noise, size, variance, distance, alpha):
    """A value that one user holds, with noise of at least the distance: the larger divergence of both directions."""
    t = (mpmath.exp(-distance * size) / 2 if noise == "laplace" else mpmath.erfc(distance / mpmath.sqrt(2 * variance)) / 2 if noise == "gaussian"
         else sum(masses(noise, size, variance)[REACH + int(distance):]))
    return max(t, 1 - alpha * (1 - t))
