# SPDX-License-Identifier: LGPL-3.0-or-later
"""Theorem 4 of proofs/dpsgd.md in exact rationals: a record in k of t steps has at most the divergence of one in each of k blocks, of t/k
steps rounded down, or of other sizes that add up to t at most.

The proof uses of a step's two laws only that they are two laws, so all outputs of small discrete ones are enumerated, random and extreme, in both
directions, at every alpha where a divergence bends. SHUFBOUND_SEED repeats the random numbers.
"""
import itertools
import random
from fractions import Fraction as F

from small_laws import hockey, law, seed


def allocation(with_record, without, t, k):
    """The pair: k of t steps have the law with the record, all sets equally likely; against none."""
    sets = list(itertools.combinations(range(t), k))
    P, Q = [], []
    for y in itertools.product(range(len(without)), repeat=t):
        P.append(sum(product(with_record[y[i]] if i in S else without[y[i]] for i in range(t)) for S in map(set, sets)) / len(sets))
        Q.append(product(without[y[i]] for i in range(t)))
    return P, Q


def product(factors):
    result = F(1)
    for x in factors:
        result *= x
    return result


def blocks(one, zero, sizes):
    PP, QQ = [F(1)], [F(1)]
    for size in sizes:
        P, Q = allocation(one, zero, size, 1)
        PP, QQ = [x * y for x in PP for y in P], [x * y for x in QQ for y in Q]
    return PP, QQ


def random_sizes(t, k):
    """Rounded down and up, or any that fit."""
    if random.random() < 0.7:
        return [t // k] * (k - t % k) + [t // k + 1] * (t % k)
    sizes = [1] * k
    for _ in range(random.randint(0, t - k)):
        sizes[random.randrange(k)] += 1
    return sizes


cells = strict = 0
for t, k in [(2, 1), (3, 2), (4, 2), (5, 2), (4, 3), (6, 2), (6, 3), (7, 3), (7, 4), (8, 3)]:
    for _ in range(12 if t < 6 else 3 if t < 8 else 1):
        outputs = 3 if t < 5 else 2
        one, zero = law(outputs), law(outputs)
        P, Q = allocation(one, zero, t, k)
        sizes = random_sizes(t, k)
        A, B = blocks(one, zero, sizes)
        bends = {x / y for x, y in zip(P, Q) if y} | {x / y for x, y in zip(A, B) if y} | {F(0), F(1), F(1000)}
        for first, second, above, below in ((P, Q, A, B), (Q, P, B, A)):
            points = bends if first is P else {1 / x for x in bends if x}
            for alpha in random.sample(sorted(points), min(len(points), 25)):
                small, large = hockey(first, second, alpha), hockey(above, below, alpha)
                assert small <= large, f"seed {seed}: t = {t}, k = {k}, alpha = {alpha}, {one} against {zero}: {small} > {large}"
                assert sizes != [t] or small == large
                strict += small < large
                cells += 1
assert strict > 100
print(f"{cells} cells, {strict} of them strict")
print("all tests passed")
