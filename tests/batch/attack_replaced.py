# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Theorems 8, 9, 11, 13 and 15 of proofs/dpsgd.md by brute force, in doubles: the divergence of a step on a grid of the plane, for random gradients of
records that need not be on a line, against the closed form from above; and for those that the theorem says have it, from both sides. Then two steps
in which the record takes part by any law at all, with gradients that depend on what was released.
"""
import itertools
import math
import random

REACH, POINTS = 7.5, 150
TOLERANCE = 2e-4  # of the grid, for noise of at least 0.5 over steps of about 0.1 standard deviations


def tail(x):
    return math.erfc(x / math.sqrt(2)) / 2


def replaced(q, s, alpha):
    """The closed form of Theorem 8, by its threshold."""
    a, c = 1 / s, (1 - q) * (alpha - 1)
    half = math.exp(-a * a / 2)
    y = (c + math.sqrt(c * c + 4 * q * q * alpha * half * half)) / (2 * q * half)
    tau = math.log(y) / a
    return q * tail(tau - a) - c * tail(tau) - q * alpha * tail(tau + a)


def subset(q, s, alpha):
    """h of Theorem 9."""
    inner = 1 + (alpha - 1) / q
    mu, eps = 2 / s, math.log(inner)
    return q * (tail(eps / mu - mu / 2) - inner * tail(eps / mu + mu / 2))


def divergence(first, second, alpha, s, reach=1):
    """Of two mixtures of (weight, x, y) in the plane, by a sum over a grid; no place is further out than `reach`."""
    low, high = -reach - REACH * s, reach + REACH * s
    step = (high - low) / POINTS
    at = [low + (i + 0.5) * step for i in range(POINTS)]
    both = [(w, x, y) for w, x, y in first] + [(-alpha * w, x, y) for w, x, y in second]
    columns = [[math.exp(-(t - y) ** 2 / (2 * s * s)) for t in at] for _, _, y in both]
    total = 0.0
    for t in at:
        rows = [w * math.exp(-(t - x) ** 2 / (2 * s * s)) for w, x, _ in both]
        total += sum(max(sum(r * c for r, c in zip(rows, column)), 0.0) for column in zip(*columns))
    return total * step * step / (2 * math.pi * s * s)


def inside():
    """A vector of norm at most 1, often of norm 1."""
    turn, length = random.uniform(0, 2 * math.pi), random.choice([1, 1, random.random(), 0])
    return length * math.cos(turn), length * math.sin(turn)


def two_steps(weight, first, second, s):
    """The run's density on a grid: weight[b1, b2], the first gradient, and the second, a function of what was released first."""
    low, high = -1 - REACH * s, 1 + REACH * s
    step = (high - low) / POINTS
    at = [low + (i + 0.5) * step for i in range(POINTS)]

    def normal(x):
        return math.exp(-x * x / (2 * s * s)) * step / (s * math.sqrt(2 * math.pi))
    plain = [normal(y) for y in at]
    rows = []
    for x in at:
        moved, g = normal(x - first), second(x)
        none = weight[0, 0] * normal(x) + weight[1, 0] * moved
        one = weight[0, 1] * normal(x) + weight[1, 1] * moved
        rows.append([none * p + one * normal(y - g) for p, y in zip(plain, at)])
    return rows


def hockey(P, Q, alpha):
    return sum(max(p - alpha * q, 0) for row, other in zip(P, Q) for p, q in zip(row, other))


def wave():
    """A function of what was released, with values in [-1, 1]; sometimes a constant."""
    a, b, c = random.random(), random.choice([0, 1, 3]), random.uniform(0, 6)
    return lambda x: max(-1.0, min(1.0, (0.5 + a) * math.sin(b * x + c)))


def adaptive():
    """Whatever the law of (b1, b2) is: no run above that of 1 and -1, and the bounds of Theorem 11 for one of two steps."""
    worst = 0.0
    for n in range(36):
        s, alpha = random.choice([0.5, 1, 2]), math.exp(random.choice([0, 0.3, 1, 2]) * random.random())
        weight = {(b, c): random.random() ** 3 for b in (0, 1) for c in (0, 1)}
        if n % 2:
            weight = {(0, 0): 0, (0, 1): 1, (1, 0): 1, (1, 1): 0}
        total = sum(weight.values())
        weight = {b: w / total for b, w in weight.items()}
        u, v = random.uniform(-1, 1), random.uniform(-1, 1)
        run = [two_steps(weight, u, wave(), s), two_steps(weight, v, wave(), s)]
        P, Q, M = (two_steps(weight, e, lambda x, e=e: e, s) for e in (1, -1, 0))
        bound = hockey(P, Q, alpha)
        for D, E in (run, run[::-1]):
            found = hockey(D, E, alpha)
            worst = max(worst, found / (bound + 1e-9))
            assert found <= bound + TOLERANCE, ("adaptive", weight, s, alpha, found, bound)
        split = alpha ** random.random()
        assert bound <= hockey(P, M, split) + split * hockey(M, P, alpha / split) + TOLERANCE, ("two removals", weight, s, alpha, split)
        assert bound >= max(hockey(P, M, alpha), hockey(M, P, alpha)) - TOLERANCE, ("one removal", weight, s, alpha)
    print(f"two steps: the closest of random runs is {worst:.4f} of the bound")


def line(first, second, alpha, s):
    """Of two mixtures of (weight, place) on the line, by a sum over a grid."""
    low, high, points = -6 - REACH * s, 6 + REACH * s, 4000
    step, total = (high - low) / points, 0.0
    for i in range(points):
        t = low + (i + 0.5) * step
        total += max(sum(w * math.exp(-(t - x) ** 2 / (2 * s * s)) for w, x in first) - alpha * sum(w * math.exp(-(t - x) ** 2 / (2 * s * s)) for w, x in second), 0)
    return total * step / (s * math.sqrt(2 * math.pi))


def group():
    """A step with records that are removed or replaced together, whatever the law of those that are in the batch."""
    closest = 0.0
    for _ in range(30):
        g, s, alpha = random.choice([2, 3]), random.choice([0.7, 1, 2]), math.exp(random.choice([0, 0.3, 1, 2]) * random.random())
        weight = [random.random() ** 4 for _ in range(2 ** g)]
        weight = [w / sum(weight) for w in weight]
        near = inside()
        sides = [[inside() if random.random() < 0.5 else (side * near[0], side * near[1]) for _ in range(g)] for side in (1, -1)]

        def run(u):
            sums = [[sum(u[j][c] for j in range(g) if m >> j & 1) for c in (0, 1)] for m in range(2 ** g)]
            return [(w, *v) for w, v in zip(weight, sums)]
        sizes = [(w, bin(m).count("1")) for m, w in enumerate(weight)]
        P, M, Q = sizes, [(1, 0)], [(w, -n) for w, n in sizes]
        for D, E, bound in ((run(sides[0]), run(sides[1]), line(P, Q, alpha, s)), (run(sides[0]), [(1, 0, 0)], line(P, M, alpha, s)),
                            ([(1, 0, 0)], run(sides[0]), line(M, P, alpha, s))):
            found = divergence(D, E, alpha, s, g)
            closest = max(closest, found / (bound + 1e-9))
            assert found <= bound + TOLERANCE, ("group", weight, sides, s, alpha, found, bound)
    print(f"groups: the closest of random gradients is {closest:.4f} of the bound")


def of_user(h, s, alpha):
    """h of Theorem 13 (d), for the probabilities of 0, 1, .. records."""
    some = 1 - h[0]
    inner = 1 + (alpha - 1) / some
    known = sum(w * (tail(math.log(inner) * s / (2 * k) - k / s) - inner * tail(math.log(inner) * s / (2 * k) + k / s)) for k, w in enumerate(h) if k > 0)
    mixture = line([(w, 2 * k) for k, w in enumerate(h)], [(1, 0)], alpha, s)
    return mixture + alpha / inner * (known - mixture)


def drawn():
    """A step with m of n records, of which those of a user are replaced: all batches, whatever the gradients of the others."""
    closest = 0.0
    for _ in range(40):
        g, m, others = random.choice([1, 2, 2, 3]), random.choice([1, 2, 3]), random.choice([3, 4])
        s, alpha = random.choice([0.7, 1, 2]), math.exp(random.choice([0, 0.3, 1, 2]) * random.random())
        near, is_line = inside(), random.random() < 0.5

        def one(side):
            return (side * near[0], side * near[1]) if is_line or random.random() < 0.5 else inside()
        rest, first, second = [one(random.choice([-1, -1, 0, 1])) for _ in range(others)], [one(1) for _ in range(g)], [one(random.choice([-1, 0])) for _ in range(g)]
        number = math.comb(g + others, m)
        h = [math.comb(g, k) * math.comb(others, m - k) / number if k <= m else 0.0 for k in range(g + 1)]

        def run(user):
            return [(1 / number, sum(v[0] for v in batch), sum(v[1] for v in batch)) for batch in itertools.combinations([*user, *rest], m)]
        for D, E in ((first, second), (second, first)):
            found, bound = divergence(run(D), run(E), alpha, s, m), of_user(h, s, alpha)
            closest = max(closest, found / (bound + 1e-9))
            assert found <= bound + TOLERANCE, ("drawn", g, m, others, D, E, rest, s, alpha, found, bound)
        on_line = [[(1 / number, sum(batch)) for batch in itertools.combinations([side] * g + [-1] * others, m)] for side in (1, -1)]
        moved = [(w, 2 * k) for k, w in enumerate(h)]
        for D, E, F, G in ((*on_line, moved, [(1, 0)]), (*on_line[::-1], [(1, 0)], moved)):
            assert abs(line([(w, x + m) for w, x in D], [(w, x + m) for w, x in E], alpha, s) - line(F, G, alpha, s)) <= TOLERANCE, ("drawn, below", g, m, others)
            assert line(F, G, alpha, s) <= of_user(h, s, alpha) + TOLERANCE, ("drawn, between", g, m, others, s, alpha)
    print(f"batches of a fixed size: the closest of random gradients is {closest:.4f} of the bound")


def batches(gradients, q, most):
    """All batches, cut to a size: (probability, sum of the gradients)."""
    places = {}
    for drawn in itertools.product((0, 1), repeat=len(gradients)):
        taken = [g for g, d in zip(gradients, drawn) if d]
        kept = list(itertools.combinations(taken, min(most, len(taken))))
        for one in kept:
            places[sum(one)] = places.get(sum(one), 0) + q ** len(taken) * (1 - q) ** (len(gradients) - len(taken)) / len(kept)
    return [(w, x) for x, w in places.items()]


def truncated():
    """Steps whose batches are cut, with few records, of every batch."""
    closest = 0.0
    for _ in range(25):
        n, q, s = random.choice([2, 3, 4]), random.choice([0.1, 0.3, 0.6, 0.9]), random.choice([0.7, 1, 2])
        most, alpha = random.randint(1, n - 1), math.exp(random.choice([0, 0.3, 1, 2]) * random.random())
        others = [random.choice([-1, -1, 1, random.uniform(-1, 1)]) for _ in range(n - 1)]
        u, v = random.choice([1, 1, random.uniform(-1, 1)]), random.choice([-1, -1, random.uniform(-1, 1)])
        tail = [sum(math.comb(m, k) * q ** k * (1 - q) ** (m - k) for k in range(j, m + 1)) for m, j in ((n - 1, most), (n, most + 1))]
        cut, p = tail[0], most / n * tail[1] / tail[0]
        D, E, F = batches([u] + others, q, most), batches(others, q, most), batches([v] + others, q, most)
        zero, one, two, minus = [(1, 0)], [(1 - q, 0), (q, 1)], [(1 - p, 0), (p, 2)], [(1 - q, 0), (q, -1)]
        for P, Q, bound in ((D, E, (1 - cut) * line(one, zero, alpha, s) + cut * line(two, zero, alpha, s)),
                            (E, D, (1 - cut) * line(zero, one, alpha, s) + cut * line(zero, two, alpha, s)),
                            (D, F, (1 - cut) * line(one, minus, alpha, s) + cut * line(two, zero, alpha, s))):
            found = line(P, Q, alpha, s)
            closest = max(closest, found / (bound + 1e-9))
            assert found <= bound + 1e-6, ("truncated", n, q, s, most, alpha, others, u, v, found, bound)
        rate = q * (1 - cut) + cut * p
        alone = line(batches([1] + [0] * (n - 1), q, most), zero, alpha, s)
        assert abs(alone - line([(1 - rate, 0), (rate, 1)], zero, alpha, s)) < 1e-9, ("alone", n, q, s, most)
    print(f"batches that are cut: the closest of random gradients is {closest:.4f} of the bound")


def main():
    random.seed(7)
    cases, closest = 0, 0.0
    for _ in range(150):
        q, s = random.choice([0.05, 0.3, 0.5, 0.9, 1]), random.choice([0.5, 0.8, 1.2, 3])
        alpha = math.exp(random.choice([0, 0.1, 0.5, 1, 2]) * random.random())
        u, v, w = inside(), inside(), inside()
        for x, y in ((u, v), (v, u)):
            cases += 2
            found = divergence([(1 - q, 0, 0), (q, *x)], [(1 - q, 0, 0), (q, *y)], alpha, s)
            bound = replaced(q, s, alpha)
            closest = max(closest, found / (bound + 1e-9))
            assert found <= bound + TOLERANCE, ("poisson", q, s, alpha, x, y, found, bound)
            found = divergence([(1 - q, *w), (q, *x)], [(1 - q, *w), (q, *y)], alpha, s)
            assert found <= subset(q, s, alpha) + TOLERANCE, ("subset", q, s, alpha, x, y, w, found)
    for _ in range(40):
        q, s, alpha = random.choice([0.05, 0.3, 0.9, 1]), random.choice([0.5, 1.2, 3]), math.exp(random.random())
        turn = random.uniform(0, 2 * math.pi)
        e, f = (math.cos(turn), math.sin(turn)), (-math.cos(turn), -math.sin(turn))
        cases += 2
        found = divergence([(1 - q, 0, 0), (q, *e)], [(1 - q, 0, 0), (q, *f)], alpha, s)
        assert abs(found - replaced(q, s, alpha)) <= TOLERANCE, ("poisson, attained", q, s, alpha, found)
        found = divergence([(1 - q, *f), (q, *e)], [(1, *f)], alpha, s)
        assert abs(found - subset(q, s, alpha)) <= TOLERANCE, ("subset, attained", q, s, alpha, found)
    print(f"{cases} divergences; the closest of random gradients is {closest:.4f} of the bound")


if __name__ == "__main__":
    main()
    adaptive()
    group()
    drawn()
    truncated()
