# SPDX-License-Identifier: LGPL-3.0-or-later
"""Theorems 1, 6 and 7 of proofs/binary-reports.md against all neighbouring data of small cases, in exact rationals.

Every user may hold any input; the largest divergence over all data is that of the formula, never more, in both directions, at random and
extreme alpha. SHUFBOUND_SEED repeats the random numbers.
"""
import itertools
import math
import os
import random
import sys
from fractions import Fraction as F

seed = int(os.environ.get("SHUFBOUND_SEED") or random.SystemRandom().randrange(10**9))
random.seed(seed)


def add_bit(law, p):
    """The law of a count after one more bit that is 1 with probability p."""
    result = [F(0)] * (len(law) + 1)
    for c, mass in enumerate(law):
        result[c] += mass * (1 - p)
        result[c + 1] += mass * p
    return result


def count(bits):
    law = [F(1)]
    for p in bits:
        law = add_bit(law, p)
    return law


def hockey(P, Q, alpha):
    return sum(max(x - alpha * y, F(0)) for x, y in zip(P, Q))


def product(P, Q):
    return [x * y for x in P for y in Q]


def formula(n, p, q, alpha):
    """The worst of both directions, by Theorem 1."""
    best = F(0)
    for a in range(n):
        law = count([p] * a + [q] * (n - 1 - a))
        P, Q = add_bit(law, p), add_bit(law, q)
        best = max(best, hockey(P, Q, alpha), hockey(Q, P, alpha))
    return best


def enumerate_reports(n, inputs, alpha):
    best = F(0)
    for others in itertools.combinations_with_replacement(inputs, n - 1):
        law = count(others)
        for y, z in itertools.permutations(inputs, 2):
            best = max(best, hockey(add_bit(law, y), add_bit(law, z), alpha))
    return best


def random_probability():
    d = random.choice([2, 3, 7, 20, 100])
    return random.choice([F(0), F(1), F(random.randint(0, d), d), F(random.randint(0, d), d), F(random.randint(0, d), d)])


def random_alpha(p, q):
    top = max(p / q if q else F(9), (1 - q) / (1 - p) if p < 1 else F(9))
    return random.choice([F(1), 1 + (top - 1) * F(random.randint(1, 99), 100), 1 + (top - 1) * F(random.randint(1, 9), 100), top, top * F(999, 1000)])


def attack_reports(cells):
    attained = 0
    for _ in range(cells):
        n = random.randint(1, 12)
        inputs = [random_probability() for _ in range(2 if n > 9 else random.choice([2, 3, 3, 4]) if n < 7 else random.choice([2, 3]))]
        if max(inputs) == min(inputs):
            continue
        alpha = max(random_alpha(max(inputs), min(inputs)), F(1))
        exact, bound = enumerate_reports(n, inputs, alpha), formula(n, max(inputs), min(inputs), alpha)
        if exact != bound:
            sys.exit(f"seed {seed}: reports: n = {n}, inputs {inputs}, alpha = {alpha}: {exact} and not {bound}")
        attained += 1
    return attained


def attack_users(cells):
    """Randomisers of their own for all users, with probabilities in [q, p]: never above."""
    for _ in range(cells):
        n = random.randint(1, 6)
        q, p = sorted((random_probability(), random_probability()))
        if p == q:
            continue
        alpha = max(random_alpha(p, q), F(1))
        inside = [q + (p - q) * F(random.randint(0, 4), 4) for _ in range(n + 1)]
        law = count(inside[2:])
        if hockey(add_bit(law, inside[0]), add_bit(law, inside[1]), alpha) > formula(n, p, q, alpha):
            sys.exit(f"seed {seed}: users: {inside}, alpha = {alpha}")


def sampled_count(bits, m):
    """The law of the number of ones among the reports of a uniform m-subset of the users, from its definition."""
    law, subsets = [F(0)] * (m + 1), list(itertools.combinations(bits, m))
    for subset in subsets:
        for c, mass in enumerate(count(subset)):
            law[c] += mass / len(subsets)
    return law


def sampled_value(n, m, a, p, q, alpha):
    """D(a) of Theorem 7, PQ, by its Lemma 8: the largest W(i); and by what that of everyone is thinned to."""
    law, best = count([p] * a + [q] * (n - 1 - a)), F(0)
    hyper = [[F(math.comb(t, i) * math.comb(n - 1 - t, m - 1 - i), math.comb(n - 1, m - 1)) if i <= t else F(0) for i in range(m)] for t in range(n)]
    g = [sum(law[t] * hyper[t][i] for t in range(n)) for i in range(m)]
    h = [sum(law[t] * hyper[t][i] * (t - i) for t in range(n)) for i in range(m)]
    for i in range(m):
        best = max(best, (p - alpha * q) * F(m, n) * g[i] - (alpha - 1) * (sum(g[i + 1:]) + h[i] / n))
    return best if p > alpha * q else F(0)


def attack_sampled_reports(cells):
    attained = 0
    for _ in range(cells):
        n = random.randint(2, 7)
        m = random.randint(1, n - 1)
        inputs = [random_probability() for _ in range(2 if n > 5 else random.choice([2, 3]))]
        p, q = max(inputs), min(inputs)
        if p == q:
            continue
        alpha = max(1 + (random_alpha(p, q) - 1) * F(random.choice([m, n]), n), F(1))
        exact = F(0)
        for others in itertools.combinations_with_replacement(inputs, n - 1):
            for y, z in itertools.permutations(inputs, 2):
                exact = max(exact, hockey(sampled_count((y,) + others, m), sampled_count((z,) + others, m), alpha))
        data = {a: (sampled_value(n, m, a, p, q, alpha), sampled_value(n, m, n - 1 - a, 1 - q, 1 - p, alpha)) for a in range(n)}
        bound = max(max(both) for both in data.values())
        if exact != bound:
            sys.exit(f"seed {seed}: sampled reports: n = {n}, m = {m}, inputs {inputs}, alpha = {alpha}: {exact} and not {bound}")
        # Lemma 9: users left out, the sample as large as it can be
        low = random.randint(0, n - 1)
        high = random.randint(low, n - 1)
        fewer = n - (high - low)
        box = sampled_value(fewer, min(m, fewer), low, p, q, alpha)
        if any(data[a][0] > box for a in range(low, high + 1)):
            sys.exit(f"seed {seed}: box: n = {n}, m = {m}, inputs {inputs}, alpha = {alpha}, {low} .. {high}")
        attained += bound > 0
    return attained


def sum_law(values, k, p, q):
    """The law of the sum of the vectors: the product over the entries."""
    law = [F(1)]
    for entry in range(k):
        law = product(law, count([p if x == entry else q for x in values]))
    return law


def dominating(n, p, q):
    """The product bound as a function of alpha: for every product of data a, a', from above by the sup at each ratio (exact, by its definition).

    H_alpha of a product is sum over the first outcome of P(y) H_{alpha Q(y)/P(y)} of the second; the worst second is taken at each ratio. As
    the first is a law for each a, and the profile of the worst a is a maximum of these, the maximum over a of this is at most the bound, and at
    least every product: what exceeds it would have to exceed a product in one step."""
    laws = [count([p] * a + [q] * (n - 1 - a)) for a in range(n)]
    pairs = [(add_bit(law, p), add_bit(law, q)) for law in laws]

    def worst_second(alpha):
        # entry x1: from q to p, alpha >= 0
        return max(hockey(Q, P, alpha) for P, Q in pairs)

    def value(alpha):
        best = F(0)
        for P, Q in pairs:
            total = F(0)
            for x, y in zip(P, Q):
                if x > 0:
                    total += x * worst_second(alpha * y / x)
            best = max(best, total)
        return best
    return value


def attack_sums(cells):
    ratios = []
    for _ in range(cells):
        k = random.choice([2, 3, 4])
        n = random.randint(1, {2: 5, 3: 4, 4: 3}[k])
        q, p = sorted((random_probability(), random_probability()))
        if random.random() < 0.4:
            p = 1 - q
        if p <= q:
            continue
        value = dominating(n, p, q)
        top = min((p / q if q else F(9)) * ((1 - q) / (1 - p) if p < 1 else F(9)), F(50))
        alpha = random.choice([F(1), 1 + (top - 1) * F(random.randint(1, 99), 100), 1 + (top - 1) * F(random.randint(1, 9), 100)])
        bound, exact = value(alpha), F(0)
        for others in itertools.combinations_with_replacement(range(k), n - 1):
            for x, y in itertools.permutations(range(k), 2):
                P, Q = sum_law((x,) + others, k, p, q), sum_law((y,) + others, k, p, q)
                data = hockey(P, Q, alpha)
                exact = max(exact, data)
                # what the theorem says of given data: two entries
                first, second = count([p if v == x else q for v in others]), count([p if v == y else q for v in others])
                two = hockey(product(add_bit(first, p), add_bit(second, q)), product(add_bit(first, q), add_bit(second, p)), alpha)
                if two != data:
                    sys.exit(f"seed {seed}: data: n = {n}, k = {k}, p = {p}, q = {q}, alpha = {alpha}, others {others}: {data} and not {two}")
        if exact > bound:
            sys.exit(f"seed {seed}: sums: n = {n}, k = {k}, p = {p}, q = {q}, alpha = {alpha}: {exact} exceeds {bound}")
        if bound:
            ratios.append(float(exact / bound))
    return ratios


if __name__ == "__main__":
    attained = attack_reports(160)
    attack_users(300)
    sampled = attack_sampled_reports(150)
    ratios = attack_sums(160)
    print(f"seed {seed}: reports: {attained} cells, all equal; {sampled} of samples; sums: {len(ratios)} cells, exact/bound {min(ratios):.4f} .. {max(ratios):.6f}")
