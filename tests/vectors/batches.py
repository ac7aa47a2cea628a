# SPDX-License-Identifier: LGPL-3.0-or-later
"""Noisy SGD by its batches, from the densities: integrals of positive parts, without the closed forms of the program. For confirm.py."""
import mpmath
import numpy as np
from mpmath import mpf
from scipy.special import ndtr


def _normal(x, mean, s):
    return mpmath.npdf(x, mean, s)


def _integral(f, low, high, pieces=160):
    """The integral of max(f, 0): pieces in which f has one sign, or changes it once."""
    at = [low + (high - low) * k / pieces for k in range(pieces + 1)]
    sign = [f(x) > 0 for x in at]
    total = mpf(0)
    for k in range(pieces):
        a, b = at[k], at[k + 1]
        if sign[k] != sign[k + 1]:
            inner, outer = a, b
            for _ in range(80):
                middle = (inner + outer) / 2
                if (f(middle) > 0) == sign[k]:
                    inner = middle
                else:
                    outer = middle
            a, b = (a, inner) if sign[k] else (outer, b)
        elif not sign[k]:
            continue
        total += mpmath.quad(f, [a, b], maxdegree=4)
    return total


def _of_line(p, q, alpha, low, high):
    """Both directions of two densities on the line."""
    return [_integral(lambda x: first(x) - alpha * second(x), low, high) for first, second in ((p, q), (q, p))]


def fixed(mu, alpha):
    """N(mu, 1) against N(0, 1)."""
    return max(_of_line(lambda x: _normal(x, mu, 1), lambda x: _normal(x, 0, 1), alpha, mpf(-12), mu + 12))


def _step(s, q):
    return (lambda x: (1 - q) * _normal(x, 0, s) + q * _normal(x, 1, s)), (lambda x: _normal(x, 0, s))


POINTS = 400000  # of a sum over the line, in doubles


def _line(s):
    x = np.linspace(-12 * s, 1 + 12 * s, POINTS)
    return x, x[1] - x[0], np.exp(-x * x / (2 * s * s)) / (s * np.sqrt(2 * np.pi))


def _masses(threshold, s, q, above):
    """Of the two laws of a step, on one side of a threshold."""
    sign = 1 if above else -1
    without = ndtr(-sign * threshold / s)
    return (1 - q) * without + q * ndtr(sign * (1 - threshold) / s), without


def poisson(s, q, steps, alpha):
    """One step, or two: given the first outcome, the second has the threshold alpha divided by the first ratio."""
    if steps == 1:
        p, r = _step(s, q)
        return max(_of_line(p, r, alpha, -11 * s, 1 + 11 * s))
    s, q, alpha = float(s), float(q), float(alpha)
    x, width, without = _line(s)
    ratio = 1 - q + q * np.exp((2 * x - 1) / (2 * s * s))
    with np.errstate(divide="ignore", invalid="ignore"):
        # with - a without where the ratio is more than a; and the other way round
        a = alpha / ratio
        threshold = np.where(a > 1 - q, s * s * np.log((a - 1 + q) / q) + 0.5, -np.inf)
        p, r = _masses(threshold, s, q, True)
        forward = np.sum(without * ratio * (p - a * r)) * width
        b = 1 / (alpha * ratio)
        threshold = np.where(b > 1 - q, s * s * np.log((b - 1 + q) / q) + 0.5, -np.inf)
        p, r = _masses(threshold, s, q, False)
        backward = np.sum(without * (r - p / b)) * width
    return mpf(max(forward, backward))


def _composed(value, mass, steps, alpha, width):
    """E(1 - alpha e^-S)_+, S the sum of `steps` such losses: on a grid, with the mean of each kept, by one transform."""
    low = int(np.floor(value.min() / width))
    mean, deviation = np.sum(mass * value), np.sqrt(np.sum(mass * value * value))
    size = 2 ** int(np.ceil(np.log2((2 * (value.max() - value.min()) + 24 * deviation * np.sqrt(steps)) / width)))
    at = value / width - low
    cell = np.floor(at).astype(int)
    law = np.bincount(cell, mass * (1 - at + cell), size) + np.bincount(cell + 1, mass * (at - cell), size)
    law = np.fft.irfft(np.fft.rfft(law) ** steps, size)
    # cells of the sum are known but for multiples of size: those nearest to the mean
    first = int(steps * mean / width) - size // 2
    total = first + (np.arange(size) + steps * low - first) % size
    loss = total * width
    return np.sum(law * np.maximum(1 - alpha * np.exp(-np.maximum(loss, -700)), 0))


def _in_batch(q, size):
    """The probabilities that 0, 1, .. of so many records are in a batch."""
    return [mpmath.binomial(size, k) * q**k * (1 - q)**(size - k) for k in range(size + 1)]


def once(s, q, alpha, size=1, is_replaced=False):
    """One Poisson step, both directions: each of so many records moves it by 1 or, of those that replace them, by -1."""
    weights = _in_batch(q, size)

    def moved(by):
        return lambda x: sum(w * _normal(x, k * by, s) for k, w in enumerate(weights))
    return _of_line(moved(1), moved(-1) if is_replaced else moved(0), alpha, -size * is_replaced - 11 * s, size + 11 * s)


def _losses(s, q, size, is_replaced):
    """On a line: the loss, and the masses with the records and without or with others."""
    s, q = float(s), float(q)
    x = np.linspace(-size * is_replaced - 12 * s, size + 12 * s, POINTS)
    first, second = (sum(float(w) * np.exp(k * (2 * sign * x - k) / (2 * s * s)) for k, w in enumerate(_in_batch(q, size))) for sign in (1, -1))
    mass = np.exp(-x * x / (2 * s * s)) / (s * np.sqrt(2 * np.pi)) * (x[1] - x[0])
    if not is_replaced:
        second = np.ones(POINTS)
    return np.log(first / second), mass * first, mass * second


def _often(loss, mass, other, steps, alpha):
    """The larger of both directions of so many steps; and how far two grids are apart."""
    alpha = float(alpha)
    fine, coarse = (max(_composed(loss, mass, steps, alpha, h), _composed(-loss, other, steps, alpha, h)) for h in (1e-5, 2e-5))
    return mpf(fine), 2 * abs(fine - coarse) + 1e-14


def many(s, q, steps, alpha, size=1, is_replaced=False):
    """Poisson, so many steps, and an error."""
    if steps == 1:
        return max(once(s, q, alpha, size, is_replaced)), 1e-25
    return _often(*_losses(s, q, size, is_replaced), steps, alpha)


def truncated(s, q, most, total, steps, alpha, bound, is_replaced):
    """Poisson, of a batch of more than `most` of all records so many are kept; and an error."""
    drawn, others = _in_batch(q, total), _in_batch(q, total - 1)
    cut, kept = sum(others[most:]), mpf(most) / total * sum(drawn[most + 1:])
    if bound == "lower":
        return many(s, q * (1 - cut) + kept, steps, alpha, 1, is_replaced)
    p = kept / cut
    if steps == 1:
        then = [p * fixed(2 / s, 1 + (alpha - 1) / p)] * 2 if is_replaced else once(s / 2, p, alpha)
        return max((1 - cut) * x + cut * y for x, y in zip(once(s, q, alpha, 1, is_replaced), then)), 1e-25
    assert not is_replaced
    parts = [[loss, mass * float(w), other * float(w)] for w, (loss, mass, other) in
             ((1 - cut, _losses(s, q, 1, False)), (cut, _losses(s / 2, p, 1, False)))]
    return _often(*(np.concatenate(both) for both in zip(*parts)), steps, alpha)


def coins(count, alpha):
    """The heads of so many fair coins, and one more: the other direction is that of the tails."""
    weight, below, total = mpf(1), mpf(0), mpf(0)
    for k in range(count + 1):
        total += max(weight - alpha * below, 0)
        weight, below = weight * (count - k) / (k + 1), weight
    return total / mpf(2) ** count


def balls(s, alpha):
    """Two steps: given the first ratio the second is lognormal."""
    s, alpha = float(s), float(alpha)
    x, width, without = _line(s)
    ratio = np.exp((2 * x - 1) / (2 * s * s))

    def call(k):
        """E (L - k)_+ of one lognormal ratio."""
        d = s * np.log(np.maximum(k, 1e-300))
        return np.where(k > 0, ndtr(1 / (2 * s) - d) - k * ndtr(-1 / (2 * s) - d), 1 - k)

    k = 2 / alpha - ratio
    forward = np.sum(without * call(2 * alpha - ratio)) * width / 2
    backward = alpha * np.sum(without * np.where(k > 0, call(k) - 1 + k, 0)) * width / 2
    return mpf(max(forward, backward))


def allocated(s, steps, k, alpha, against=0):
    """The largest step, k of them moved by 1 or by `against`, and the sum of all: whichever tells more."""
    def density(shift):
        def at(x):
            moved, other = mpmath.ncdf((x - shift) / s), mpmath.ncdf(x / s)
            return (k * _normal(x, shift, s) * moved ** (k - 1) * other ** (steps - k)
                    + (steps - k) * _normal(x, 0, s) * other ** (steps - k - 1) * moved ** k)
        return at
    return max(fixed((1 - against) * k / (mpmath.sqrt(steps) * s), alpha), *_of_line(density(1), density(against), alpha, -1 - 8 * s, 1 + 13 * s))


def two_of_three(s, alpha):
    """The divergence with the record against without, two of three steps: given two ratios the third is lognormal."""
    s, alpha = float(s), float(alpha)
    x = np.linspace(-10 * s, 1 + 10 * s, 2001)
    weight = np.exp(-x * x / (2 * s * s)) / (s * np.sqrt(2 * np.pi)) * (x[1] - x[0])
    ratio = np.exp((2 * x - 1) / (2 * s * s))
    sums = ratio[:, None] + ratio[None, :]
    k = (3 * alpha - ratio[:, None] * ratio[None, :]) / sums
    d = s * np.log(np.maximum(k, 1e-300))
    call = np.where(k > 0, ndtr(1 / (2 * s) - d) - k * ndtr(-1 / (2 * s) - d), 1 - k)
    return mpf(float(weight @ (sums / 3 * call) @ weight))


def maximum(s, steps, alpha):
    """The largest step, one of them moved by 2 or by 1, from its density."""
    def density(shift):
        return lambda x: (_normal(x, shift, s) * mpmath.ncdf(x / s) ** (steps - 1)
                          + (steps - 1) * mpmath.ncdf((x - shift) / s) * mpmath.ncdf(x / s) ** (steps - 2) * _normal(x, 0, s))
    return max(_of_line(density(2), density(1), alpha, -8 * s, 2 + 13 * s))
