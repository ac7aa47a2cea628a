# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Theorems 1 to 5 of proofs/matrix.md by brute force: all sets of steps and all signs, for small matrices of whole numbers; vectors in the plane in doubles;
runs of two steps whose gradients depend on what was released, on a grid of the plane.
"""
import itertools
import math
import random


def gram(C, i, j):
    return sum(row[i] * row[j] for row in C)


def toeplitz(c, T):
    return [[c[t - i] if 0 <= t - i < len(c) else 0 for i in range(T)] for t in range(T)]


def every(T, b, k):
    return [tuple(range(i, min(T, i + k * b), b)) for i in range(T)]


def separation(T, b, k):
    return [S for m in range(1, min(k, T) + 1) for S in itertools.combinations(range(T), m) if all(j - i >= b for i, j in zip(S, S[1:]))]


def signed(C, S):
    """The largest sum over all signs."""
    return max(sum(e * f * gram(C, i, j) for e, i in zip(signs, S) for f, j in zip(signs, S)) for signs in itertools.product((1, -1), repeat=len(S)))


def planar(C, S, turns):
    """The sum of squares for vectors of norm 1 in the plane."""
    return sum(sum(row[i] * math.cos(a) for i, a in zip(S, turns)) ** 2 + sum(row[i] * math.sin(a) for i, a in zip(S, turns)) ** 2 for row in C)


def of_set(C, S):
    """Theorem 2: the ends by one sign after the other, and by moduli."""
    signs = []
    for i in S:
        signs.append(1 if sum(e * gram(C, i, j) for e, j in zip(signs, S)) >= 0 else -1)
    low = sum(e * f * gram(C, i, j) for e, i in zip(signs, S) for f, j in zip(signs, S))
    return low, sum(abs(gram(C, i, j)) for i in S for j in S)


def first(c, T, b, k):
    """a(c) of Theorem 3."""
    n = min(k, -(-T // b))
    return sum(sum(c[t - i] for i in range(0, n * b, b) if 0 <= t - i < len(c)) ** 2 for t in range(T))


def spaced(w, b, k):
    """The largest sum over a set of SEPARATION(b, k)."""
    best = [0] * (len(w) + 1)
    for _ in range(k):
        new = [0]
        for t, x in enumerate(w):
            new.append(max(new[t], x + best[max(0, t + 1 - b)]))
        best = new
    return best[-1]


def above(C, b, k):
    """Theorem 3 (c)."""
    T = len(C)
    w = [gram(C, i, i) + spaced([abs(gram(C, i, j)) if abs(i - j) >= b else 0 for j in range(T)], b, k - 1) for i in range(T)]
    return spaced(w, b, k)


def one(seed):
    random.seed(seed)
    T, b, k = random.randint(1, 7), random.randint(1, 4), random.randint(1, 4)
    bands = random.randint(1, T)
    kind = random.choice(["falling", "positive", "signed"])
    c = [random.randint(-3 if kind == "signed" else 0, 5) for _ in range(bands)]
    c[0] = c[0] or 1
    if kind == "falling":
        c.sort(reverse=True)
    is_toeplitz = random.random() < 0.6
    C = toeplitz(c, T) if is_toeplitz else [[random.randint(-3 if kind == "signed" else 0, 4) if 0 <= t - i < bands else 0 for i in range(T)] for t in range(T)]
    for name, family in (("every", every(T, b, k)), ("separation", separation(T, b, k))):
        truth = max(signed(C, S) for S in family)   # V is at least that; no more if no entry of X is negative
        ends = [of_set(C, S) for S in family]
        low, high = max(e[0] for e in ends), max(e[1] for e in ends)
        assert low <= truth <= high, (seed, name)
        positive = all(gram(C, i, j) >= 0 for S in family for i in S for j in S)
        if positive or bands <= b:
            assert low == truth == high, (seed, name)
        S = random.choice(family)
        assert planar(C, S, [random.uniform(0, 7) for _ in S]) <= of_set(C, S)[1] + 1e-9
        if is_toeplitz:
            m = [max(abs(x) for x in c[j:]) for j in range(bands)] if name == "separation" else [abs(x) for x in c]
            assert first(c, T, b, k) <= truth and high <= first(m, T, b, k), (seed, name)
            if bands <= b or (kind == "falling") or (name == "every" and kind == "positive"):
                assert first(c, T, b, k) == truth == high, (seed, name)
        if name == "separation":
            assert high <= above(C, b, k), (seed, "above")
            if bands <= b:
                assert truth == spaced([gram(C, i, i) for i in range(T)], b, k), (seed, "bands")
    if bands <= b:  # Theorem 4: no row sees two steps of one part
        for p in range(b):
            assert all(sum(1 for i in range(p, T, b) if row[i]) <= 1 for row in C), (seed, "parts")


def tree(T):
    """A row for each interval of the binary tree that ends in time, in the order in which they end."""
    return [[int(m << j <= i < m + 1 << j) for i in range(T)] for t in range(T) for j in range(T.bit_length()) for m in [(t + 1 >> j) - 1] if m >= 0 and m + 1 << j == t + 1]


def levels(T, b, n):
    """Theorem 5 (b)."""
    total = 0
    for j in range(T.bit_length()):
        room = min(n, -(-(1 << j) // b))
        counts = ([room] * (n // room) + [n % room])[:T >> j]
        total += sum(c * c for c in counts)
    return total


def one_tree(seed):
    random.seed(seed)
    T, b, k = random.randint(1, 12), random.randint(1, 5), random.randint(1, 4)
    C = tree(T)
    assert len(C) == sum(T >> j for j in range(T.bit_length())) and all(not row[i] for row in C[:1] for i in range(1, T))
    for name, family in (("every", every(T, b, k)), ("separation", separation(T, b, k))):
        truth = max(signed(C, S) for S in family)
        assert truth == max(sum(sum(row[i] for i in S) ** 2 for row in C) for S in family), (seed, name)
        assert truth <= levels(T, b, min(k, -(-T // b))), (seed, name)
        S = random.choice(family)
        assert planar(C, S, [random.uniform(0, 7) for _ in S]) <= truth + 1e-9
    if k == 1:
        assert truth == levels(T, b, 1) == T.bit_length(), seed


# ---- two steps on a grid ----

REACH, POINTS = 7.5, 120
TOLERANCE = 3e-4  # of the grid


def tail(x):
    return math.erfc(x / math.sqrt(2)) / 2


def gaussian(mu, alpha):
    eps = math.log(alpha)
    return tail(eps / mu - mu / 2) - alpha * tail(eps / mu + mu / 2) if mu > 0 else 0.0


def poisson(mu, q, alpha):
    """Both directions of a step; dpsgd.md, Lemma 2."""
    left = q - (alpha - 1) * (1 - q)
    return q * gaussian(mu, 1 + (alpha - 1) / q), left * gaussian(mu, 1 + (alpha - 1) / left) if left > 0 else 0.0


def wave():
    """A function of what was released, with values in [-1, 1]."""
    a, b, c = random.random(), random.choice([0, 1, 3]), random.uniform(0, 6)
    return lambda x: max(-1.0, min(1.0, (0.5 + a) * math.sin(b * x + c)))


def hockey(mixture, plain, alpha, s, reach):
    """Both directions, of laws (weight, first mean, second mean as a function of what was first), on a grid."""
    step = 2 * (reach + REACH * s) / POINTS
    at = [-reach - REACH * s + (i + 0.5) * step for i in range(POINTS)]

    def normal(x):
        return math.exp(-x * x / (2 * s * s)) * step / (s * math.sqrt(2 * math.pi))
    total = [0.0, 0.0]
    for x in at:
        P, Q = ([(w * normal(x - m), f(x)) for w, m, f in law] for law in (mixture, plain))
        for y in at:
            p, q = (sum(w * normal(y - m) for w, m in law) for law in (P, Q))
            total[0] += max(p - alpha * q, 0)
            total[1] += max(q - alpha * p, 0)
    return total


def two_steps():
    s, alpha, c, d = random.choice([1, 1.5]), math.exp(random.choice([0, 0.3, 1])), random.uniform(-1.2, 1.2), random.uniform(0.3, 1.2)
    u, v, G, H = random.uniform(-1, 1), wave(), random.uniform(-1, 1), wave()
    run = hockey([(1, G + u, lambda x: H(x) + c * u + d * v(x))], [(1, G, H)], alpha, s, 4)
    V = max(1 + (c + e * d) ** 2 for e in (1, -1))
    assert max(run) <= gaussian(math.sqrt(V) / s, alpha) + TOLERANCE, ("Theorem 1", s, alpha, c, d)
    q = random.uniform(0.1, 1)
    run = hockey([(1 - q, G, H), (q, G + u, lambda x: H(x) + c * u)], [(1, G, H)], alpha, s, 4)
    bound = poisson(math.sqrt(1 + c * c) / s, q, alpha)
    assert run[0] <= bound[0] + TOLERANCE and run[1] <= bound[1] + TOLERANCE, ("Theorem 4", s, alpha, c, q)
    return max(run) / (max(bound) + 1e-9)


for n in range(1500):
    one(n)
    one_tree(n)
assert first([1, 0, 1], 3, 1, 2) == 3 and max(signed(toeplitz([1, 0, 1], 3), S) for S in separation(3, 1, 2)) == 5
print("1500 random matrices and 1500 trees: all sets and signs are between the ends")
print(f"two steps: the closest run is {max(two_steps() for _ in range(40)):.4f} of the bound")
