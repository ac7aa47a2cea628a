# SPDX-License-Identifier: LGPL-3.0-or-later
"""Theorem 6 of proofs/dpsgd.md in exact rationals: shuffled steps have at most the divergence of null clones.

The proof uses of a step's laws only how far each is from p times the null law; so all outputs of small discrete ones are enumerated, random
and extreme, the other records' laws depending on what was released, in both directions, at every alpha where a divergence bends.
SHUFBOUND_SEED repeats the random numbers.
"""
import itertools
import random
from fractions import Fraction as F
from math import comb

from small_laws import hockey, law, seed


def mix(share, one, other):
    return [share * x + (1 - share) * y for x, y in zip(one, other)]


class Record:
    """A record's law in a step, by the step's number and all outputs so far; drawn when it is first asked for."""

    def __init__(self, null, kind):
        self.null, self.kind, self.known = null, kind, {}

    def law(self, outputs):
        if outputs not in self.known:
            share = {"near": F(9, 10), "far": F(0), "clone": F(1, 2)}[self.kind]
            self.known[outputs] = mix(share, self.null, law(len(self.null)))
        return self.known[outputs]


def run(laws, outputs):
    """The probability of all outputs, a law for each step by the outputs before it."""
    result = F(1)
    for i, y in enumerate(outputs):
        result *= laws[i](outputs[:i])[y]
    return result


def shuffled(first, others, steps, outputs):
    orders = list(itertools.permutations([first, *others]))
    return [sum(run(order, y) for order in orders) / len(orders) for y in itertools.product(range(outputs), repeat=steps)]


def one_of(law_of_one, null, steps):
    result = []
    for y in itertools.product(range(len(null)), repeat=steps):
        result.append(sum(run([(lambda _, i=i, j=j: law_of_one if i == j else null) for i in range(steps)], y) for j in range(steps)) / steps)
    return result


cells, largest, useful = 0, F(0), 0
for steps, outputs, cases in ((2, 2, 60), (2, 3, 60), (3, 2, 60), (3, 3, 20), (4, 2, 20)):
    for _ in range(cases):
        null = law(outputs)
        with_record = law(outputs) if random.random() < 0.8 else mix(F(1, 2), null, law(outputs))
        kind = random.choice(("near", "far", "clone"))
        others = [Record(null, kind) for _ in range(steps - 1)]
        P = shuffled(lambda _: with_record, [r.law for r in others], steps, outputs)
        Q = shuffled(lambda _: null, [r.law for r in others], steps, outputs)
        p = random.choice((F(1, 10), F(1, 3), F(1, 2), F(9, 10)))
        gamma = max(sum(max(p * x - y, F(0)) for x, y in zip(null, w)) for r in others for w in r.known.values())
        pairs = [(one_of(with_record, null, m), one_of(null, null, m)) for m in range(1, steps + 1)]
        chance = [comb(steps - 1, m) * p**m * (1 - p) ** (steps - 1 - m) for m in range(steps)]
        bends = {x / y for x, y in zip(P, Q) if y} | {F(0), F(1), F(1000)}
        for turned in (False, True):
            first, second = (Q, P) if turned else (P, Q)
            points = {1 / x for x in bends if x} if turned else bends
            for alpha in random.sample(sorted(points), min(len(points), 8)):
                small = hockey(first, second, alpha)
                bound = sum(c * (hockey(b, a, alpha) if turned else hockey(a, b, alpha)) for c, (a, b) in zip(chance, pairs))
                bound += (1 + alpha) * (steps - 1) * gamma
                assert small <= bound, f"seed {seed}: {steps} steps, p = {p}, alpha = {alpha}, {with_record} against {null}: {small} > {bound}"
                if bound:
                    largest = max(largest, small / bound)
                useful += bound < hockey(*((null, with_record) if turned else (with_record, null)), alpha)
                cells += 1
assert useful > 50
print(f"{cells} cells, the largest ratio {float(largest):.4f}; {useful} below that of a known step")
print("all tests passed")
