# SPDX-License-Identifier: LGPL-3.0-or-later
"""Theorem 18 of proofs/dpsgd.md in exact rationals: what a sum of whole numbers over the steps of an epoch tells, modulo another one, is at most
the divergence of the run, with one mass rounded down and the other up, over epochs and beside another round.

The proof uses of a step's laws only that they are laws, so all outputs of small discrete ones are enumerated, random and extreme, in both
directions, at every alpha where a divergence bends. The law of the sum is that of the convolutions. SHUFBOUND_SEED repeats the random numbers.
"""
import itertools
import random
from fractions import Fraction as F

from small_laws import hockey, law, seed


def run(shifted, plain, t, k):
    """All outputs of an epoch: k of t steps have the law `shifted`, all sets equally likely."""
    sets = [set(S) for S in itertools.combinations(range(t), k)]
    result = []
    for y in itertools.product(range(len(plain)), repeat=t):
        total = F(0)
        for S in sets:
            p = F(1)
            for i in range(t):
                p *= (shifted if i in S else plain)[y[i]]
            total += p
        result.append(total / len(sets))
    return result


def convolve(x, z):
    N = len(x)
    return [sum(x[i] * z[(j - i) % N] for i in range(N)) for j in range(N)]


def sums(shifted, plain, numbers, N, t, k):
    """The law of the sum modulo N."""
    result = [F(1)] + [F(0)] * (N - 1)
    for step in [plain] * (t - k) + [shifted] * k:
        masses = [F(0)] * N
        for p, number in zip(step, numbers):
            masses[number % N] += p
        result = convolve(result, masses)
    return result


def power(P, epochs, beside):
    result = beside
    for _ in range(epochs):
        result = [x * y for x in result for y in P]
    return result


cases = strict = 0
for t, k, outputs, epochs in [(2, 1, 3, 2), (3, 1, 3, 1), (3, 2, 2, 2), (4, 1, 2, 2), (4, 2, 2, 2), (5, 2, 2, 1), (2, 1, 4, 1)]:
    for _ in range(6):
        plain, one, other = law(outputs), law(outputs), random.choice((None, law(outputs)))
        N = random.randint(1, 7)
        numbers = [random.randint(-9, 9) for _ in range(outputs)]
        A, B = law(2), law(2)
        P, Q = run(one, plain, t, k), run(other or plain, plain, t, k)
        p, q = sums(one, plain, numbers, N, t, k), sums(other or plain, plain, numbers, N, t, k)
        J = [j for j in range(N) if random.random() < 0.9]
        for first, second, low, high, a, b in ((P, Q, p, q, A, B), (Q, P, q, p, B, A)):
            low = [low[j] * random.choice((F(1), F(1), F(99, 100), F(0))) for j in J]
            high = [high[j] * random.choice((F(1), F(1), F(101, 100))) + random.choice((F(0), F(0), F(1, 1000))) for j in J]
            X, Y = power(first, epochs, a), power(second, epochs, b)
            x, y = power(low, epochs, a), power(high, epochs, b)
            bends = {u / v for u, v in zip(X, Y) if v} | {u / v for u, v in zip(x, y) if v}
            for alpha in random.sample(sorted(bends), min(len(bends), 15)) + [F(0), F(1), F(1000)]:
                whole, part = hockey(X, Y, alpha), hockey(x, y, alpha)
                assert part <= whole, (seed, t, k, N, numbers, alpha, part, whole)
                cases += 1
                strict += part < whole
print("seed %d: %d comparisons, %d strict" % (seed, cases, strict))
assert cases > 500 and 0 < strict < cases
