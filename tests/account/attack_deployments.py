# SPDX-License-Identifier: LGPL-3.0-or-later
"""Attacks on the theorems of proofs/deployments.md and proofs/deletion.md: tiny deployments are enumerated in exact rationals and must not
exceed their bounds; where a bound is said to be attained, it must be. Where a hypothesis is dropped a bound must fail: the attack can hit.
SHUFBOUND_SEED=N repeats a run."""
import os
import random
import sys
from fractions import Fraction as F
from itertools import permutations, product
from math import comb, factorial

seed = int(os.environ.get("SHUFBOUND_SEED") or random.SystemRandom().randrange(2**31))
print(f"seed {seed}")
rng = random.Random(seed)
failures = []
cells = {}


def check(what, holds, detail=""):
    cells[what] = cells.get(what, 0) + 1
    if not holds:
        failures.append(f"{what}: {detail}")


# ---- laws ----

def hockey(p, q, alpha):
    return sum((max(p.get(y, 0) - alpha * q.get(y, 0), 0) for y in p), F(0))


def shuffled(rows):
    """The law of the counts of the reports, rows being the users' laws as lists."""
    law = {(0,) * len(rows[0]): F(1)}
    for row in rows:
        new = {}
        for counts, mass in law.items():
            for y, p in enumerate(row):
                if p:
                    key = counts[:y] + (counts[y] + 1,) + counts[y + 1:]
                    new[key] = new.get(key, 0) + mass * p
        law = new
    return law


def adaptive(randomiser, values, others=()):
    """The law of the sequence of reports: the randomiser of a place may depend on all reports before; others = fixed reports, shuffled in."""
    law, n = {}, len(values) + len(others)
    for order in permutations(range(n)):
        paths = {(): F(1, factorial(n))}
        for i in order:
            new = {}
            for z, mass in paths.items():
                if i >= len(values):
                    new[z + (others[i - len(values)],)] = mass
                    continue
                for y, p in enumerate(randomiser(z)[values[i]]):
                    if p:
                        new[z + (y,)] = mass * p
            paths = new
        for z, mass in paths.items():
            law[z] = law.get(z, 0) + mass
    return law


def times(p, q):
    return {(x, y): a * b for x, a in p.items() for y, b in q.items()}


def trinomial(n, w0, w1, r0, r1):
    """The trinomial pair of n users."""
    def others(a, b):
        if a < 0 or b < 0 or a + b > n - 1:
            return F(0)
        return comb(n - 1, a) * comb(n - 1 - a, b) * r0**a * r1**b * (1 - r0 - r1)**(n - 1 - a - b)

    def law(u, v):
        return {(a, b): u * others(a - 1, b) + v * others(a, b - 1) + (1 - u - v) * others(a, b) for a in range(n + 1) for b in range(n + 1 - a)}
    return law(w0, w1), law(w1, w0)


def stronger(n, E):
    return trinomial(n, E / (E + 1), 1 / (E + 1), 1 / (E + 1), 1 / (E + 1))


# ---- random mechanisms ----

def simplex(size, extreme):
    weights = [F(rng.choice((1, 1, 2, 50)) if extreme else rng.randint(1, 12)) for _ in range(size)]
    return [w / sum(weights) for w in weights]


def matrix(inputs, outputs):
    extreme = rng.random() < 0.5
    return [simplex(outputs, extreme) for _ in range(inputs)]


def ratio(rows):
    return max(max(column) / min(column) for column in zip(*rows))


def alphas(E, *pairs):
    """Points from 1 to E: some of the ratios of the laws, and random ones."""
    points = {p[y] / q[y] for p, q in pairs for y in p if q.get(y)}
    points = [a for a in points if 1 <= a <= E]
    rng.shuffle(points)
    return points[:4] + [1 + (E - 1) * F(rng.randint(0, 20), 20) for _ in range(2)] + [F(1)]


def history_dependent(inputs, outputs, E=None):
    """A randomiser of each history, all with ratios of at most the same E."""
    tables = {}

    def randomiser(z):
        if z not in tables:
            tables[z] = matrix(inputs, outputs)
        return tables[z]
    return randomiser, tables


# ---- honest users, and more users ----

def attack_honest():
    honest, strangers, outputs = rng.randint(1, 3), rng.randint(1, 2), rng.randint(2, 3)
    rows = matrix(3, outputs)
    rest = [rng.randrange(3) for _ in range(honest - 1)]
    alone = [shuffled([rows[x]] + [rows[i] for i in rest]) for x in (0, 1)]
    # what the others report, all at once
    joint = {d: w for d, w in zip(product(range(outputs), repeat=strangers), simplex(outputs**strangers, True))}
    together = []
    for law in alone:
        both = {}
        for counts, mass in law.items():
            for d, w in joint.items():
                key = tuple(c + d.count(y) for y, c in enumerate(counts))
                both[key] = both.get(key, 0) + mass * w
        together.append(both)
    for a in alphas(ratio(rows), tuple(together), tuple(alone)):
        check("honest", hockey(*together, a) <= hockey(*alone, a), (rows, rest, a))


def attack_honest_adaptive():
    honest, outputs = rng.randint(1, 2), 2
    randomiser, tables = history_dependent(3, outputs)
    rest = [rng.randrange(3) for _ in range(honest - 1)]
    d = tuple(rng.randrange(outputs) for _ in range(3 - honest))
    laws = [adaptive(randomiser, [x] + rest, d) for x in (0, 1)]
    E = max(ratio(t) for t in tables.values())
    pair = stronger(honest, E)
    for a in alphas(E, tuple(laws), pair):
        check("honest, adaptive", hockey(*laws, a) <= hockey(*pair, a), (tables, rest, d, a))


def attack_more_users():
    n, outputs = rng.randint(1, 3), rng.randint(2, 3)
    rows = matrix(3, outputs)
    E = ratio(rows)
    rest = [rng.randrange(3) for _ in range(n)]
    more = [shuffled([rows[x]] + [rows[i] for i in rest]) for x in (0, 1)]
    fewer = [shuffled([rows[x]] + [rows[i] for i in rest[1:]]) for x in (0, 1)]
    pairs = stronger(n + 1, E), stronger(n, E)
    for a in alphas(E, tuple(more), tuple(fewer)):
        check("more users", hockey(*more, a) <= hockey(*fewer, a), (rows, rest, a))
        check("more users, pair", hockey(*more, a) <= hockey(*pairs[0], a) <= hockey(*pairs[1], a), (rows, rest, a))


def attack_more_sampled():
    """Two of four users, against the bound of one of two."""
    rows = matrix(3, 2)
    E, rate = ratio(rows), F(1, 2)
    rest = [rng.randrange(3) for _ in range(3)]
    laws = []
    for x in (0, 1):
        law, values = {}, [x] + rest
        for i in range(4):
            for j in range(i):
                for counts, mass in shuffled([rows[values[i]], rows[values[j]]]).items():
                    law[counts] = law.get(counts, 0) + mass / 6
        laws.append(law)
    for a in alphas(E, tuple(laws)):
        inner = 1 + (a - 1) / rate
        bounds = [rate * hockey(*stronger(m, E), inner) for m in (2, 1)]
        check("more users, sampled", hockey(*laws, a) <= bounds[0] <= bounds[1], (rows, rest, a))


def can_fail():
    """Others who repeat an honest report are not covered, and exceed the bound."""
    row = [[F(2, 3), F(1, 3)], [F(1, 3), F(2, 3)]]
    copied = [{(y, y): p for y, p in enumerate(row[x])} for x in (0, 1)]
    third = [{y: p * q for y, p, q in ((0, row[x][0], row[x][0]), (1, row[x][1], row[x][1]), (2, 1, 2 * row[x][0] * row[x][1]))} for x in (0, 1)]
    clear = [{y: p for y, p in enumerate(row)} for row in ([F(1, 10), F(0), F(9, 10)], [F(0), F(1, 10), F(9, 10)])]
    check("delta0 is not free", hockey(*clear, F(2)) > hockey(*stronger(1, F(2)), F(2)))
    check("deletion eps0 is no replacement eps0", hockey(*deletion(1, F(2)), F(2)) > hockey(*stronger(1, F(2)), F(2)))
    check("a copied report is seen", hockey(*copied, F(1)) == hockey(*stronger(1, F(2)), F(1)))
    check("a second report of one's own exceeds the bound", hockey(*third, F(3)) > hockey(*stronger(1, F(2)), F(3)))


# ---- several reports of a user, and a local delta0 ----

def attack_group():
    users, outputs, r = rng.randint(1, 2), rng.randint(2, 3), rng.randint(2, 3)
    rows = matrix(3, outputs)
    E = ratio(rows)
    rest = [rng.randrange(3) for _ in range(r * (users - 1))]
    own = [[rng.randrange(3) for _ in range(r)] for _ in (0, 1)] if rng.random() < 0.5 else [[0] * r, [1] * r]
    laws = [shuffled([rows[x] for x in values + rest]) for values in own]
    pair = stronger(r * users, E)
    for a in alphas(E, pair):
        bound = hockey(*pair, a) * sum(a**i for i in range(r))
        check("group privacy", hockey(*laws, a**r) <= bound, (rows, own, rest, a))


def delta0_matrix(inputs, outputs, E):
    """A matrix, often with impossible outputs, and its delta0 at E."""
    rows = []
    for _ in range(inputs):
        weights = [F(rng.choice((0, 0, 1, 1, 2, 9))) for _ in range(outputs)]
        weights[rng.randrange(outputs)] += 1
        rows.append([w / sum(weights) for w in weights])
    return rows, max(sum(max(p - E * q, 0) for p, q in zip(x, y)) for x in rows for y in rows)


def attack_delta0():
    n, outputs, E = rng.randint(1, 3), rng.randint(2, 4), F(rng.randint(4, 40), 4)
    rows, delta0 = delta0_matrix(3, outputs, E)
    rest = [rng.randrange(3) for _ in range(n - 1)]
    laws = [shuffled([rows[x]] + [rows[i] for i in rest]) for x in (0, 1)]
    pair = stronger(n, E)
    for a in alphas(E, tuple(laws), pair) + [2 * E]:
        check("delta0", hockey(*laws, a) <= hockey(*pair, a) + (1 + a) * (2 * n - 1) * delta0 / E, (rows, rest, E, a))
        check("delta0, seen", hockey(*laws, max(a, 1)) <= delta0 + (1 - delta0) * hockey(*stronger(1, E), max(a, 1)), (rows, rest, E, a))


def attack_delta0_rounds():
    """Two rounds, the second's randomiser depends on the first's reports."""
    n, E, tables = 2, F(rng.randint(4, 24), 4), {}

    def rounds(x, other):
        law = {}
        for first, mass in shuffled([tables[()][x], tables[()][other]]).items():
            if first not in tables:
                tables[first], d = delta0_matrix(3, 2, E)
                second[0] = max(second[0], d)
            for last, more in shuffled([tables[first][x], tables[first][other]]).items():
                law[first, last] = law.get((first, last), 0) + mass * more
        return law
    tables[()], delta0 = delta0_matrix(3, 2, E)
    second = [F(0)]
    other = rng.randrange(3)
    laws = [rounds(x, other) for x in (0, 1)]
    one = stronger(n, E)
    pair = times(one[0], one[0]), times(one[1], one[1])
    for a in alphas(E, tuple(laws)):
        bound = hockey(*pair, a) + (1 + a) * (2 * n - 1) * (delta0 + second[0]) / E
        check("delta0, rounds", hockey(*laws, a) <= bound, (tables, other, E, a))
        a, alone = max(a, 1), stronger(1, E)
        seen = hockey(times(alone[0], alone[0]), times(alone[1], alone[1]), a)
        check("delta0, seen in rounds", hockey(*laws, a) <= 1 - (1 - delta0) * (1 - second[0]) * (1 - seen), (tables, other, E, a))


def moment(x, y, a):
    return sum(p**a * q**(1 - a) for p, q in zip(x, y))


def attack_renyi():
    """A rational e^((a-1) r): the largest moment. The bound of reports by themselves is nearly attained by an output that tells much."""
    n, outputs, a = rng.randint(1, 3), rng.randint(2, 4), rng.choice((2, 2, 3, 5, 12))
    rows = matrix(3, outputs)
    if rng.random() < 0.4:
        low = F(1, rng.randint(30, 3000))
        high = low * rng.randint(2, 20)
        rows = [[high, low, 1 - high - low], [low, high, 1 - high - low], [low, low, 1 - 2 * low]]
    most = max(moment(x, y, a) for x in rows for y in rows)
    c = (1 - F(1, a))**a / (a - 1)
    rest = [rng.randrange(3) for _ in range(n - 1)]
    laws = [shuffled([rows[x]] + [rows[i] for i in rest]) for x in (0, 1)]
    for E in [F(rng.randint(4, 60), 4), ratio(rows)]:
        delta0, pair = min(1, c * most / E**(a - 1)), stronger(n, E)
        check("renyi, local", all(sum(max(p - E * q, 0) for p, q in zip(x, y)) <= delta0 for x in rows for y in rows), (rows, a, E))
        for factor in alphas(E, tuple(laws), pair) + [2 * E]:
            check("renyi", hockey(*laws, factor) <= hockey(*pair, factor) + (1 + factor) * (2 * n - 1) * delta0 / E, (rows, rest, E, a, factor))
            check("renyi, alone", hockey(*laws, max(factor, 1)) <= c * most / max(factor, 1)**(a - 1), (rows, rest, a, factor))
    tight = [F(1, 10), F(1, 10**6)], [F(1, 10**6), F(1, 10)]
    law = [row + [1 - sum(row)] for row in tight]
    peak = tight[0][0] / tight[0][1] * (1 - F(1, a))
    if a > 2:
        found = sum(max(p - peak * q, 0) for p, q in zip(*law))
        check("renyi, alone, is nearly attained", found >= F(99, 100) * c * moment(*law, a) / peak**(a - 1), a)


def attack_renyi_response():
    """Of the responses with one e^eps the binary one has the largest moment."""
    E, a = F(rng.randint(4, 80), 4), rng.randint(2, 9)
    for k in (3, 4, 10):
        x, y = ([E if i == j else F(1) for i in range(k)] for j in (0, 1))
        check("renyi, responses", moment(x, y, a) / (E + k - 1) <= (E**a + E**(1 - a)) / (E + 1), (E, a, k))


# ---- deletion ----

def deletion(n, E):
    """The pair clones-deletion: a mixture over a revealed number of users."""
    p, q = {}, {}
    for b in range(n):
        weight = comb(n - 1, b) * (1 / E)**b * (1 - 1 / E)**(n - 1 - b)
        given = trinomial(b + 1, E / (E + 1), 1 / (E * (E + 1)), 1 / (E + 1), 1 / (E + 1))
        for mixed, law in zip((p, q), given):
            for y, mass in law.items():
                mixed[(b, y)] = weight * mass
    return p, q


def near(reference, E):
    """A law within E of the reference: a corner of all such laws, or inside."""
    order = list(range(len(reference)))
    rng.shuffle(order)
    row, left = [w / E for w in reference], 1 - 1 / E
    for y in order:
        step = min(left, reference[y] * (E - 1 / E))
        row[y] += step
        left -= step
    if rng.random() < 0.3:
        t = F(rng.randint(0, 4), 4)
        row = [t * u + (1 - t) * w for u, w in zip(row, reference)]
    return row


def deletion_matrix(inputs, outputs, E):
    if rng.random() < 0.4:  # the reference for which the corners have the largest ratios
        reference = [1 / (E + 1), 1 / (E + 1)] + [(E - 1) / (E + 1) / (outputs - 2)] * (outputs - 2) if outputs > 2 else [1 / (E + 1), E / (E + 1)]
    else:
        reference = simplex(outputs, rng.random() < 0.5)
    return [near(reference, E) for _ in range(inputs)]


def attack_deletion():
    n, outputs, E = rng.randint(1, 4), rng.randint(2, 3), 1 + F(rng.randint(1, 30), rng.randint(5, 20))
    rows = deletion_matrix(3, outputs, E)
    rest = [rng.randrange(3) for _ in range(n - 1)]
    laws = [shuffled([rows[x]] + [rows[i] for i in rest]) for x in (0, 1)]
    pair, loose = deletion(n, E), stronger(n, E * E)
    for a in alphas(E * E, tuple(laws), pair):
        check("deletion", hockey(*laws, a) <= hockey(*pair, a) <= hockey(*loose, a), (rows, rest, E, a))


def attack_deletion_adaptive():
    n, E, tables = rng.randint(2, 3), 1 + F(rng.randint(1, 30), rng.randint(5, 20)), {}

    def randomiser(z):
        if z not in tables:
            tables[z] = deletion_matrix(3, 2, E)
        return tables[z]
    rest = [rng.randrange(3) for _ in range(n - 1)]
    laws = [adaptive(randomiser, [x] + rest) for x in (0, 1)]
    pair = deletion(n, E)
    for a in alphas(E * E, tuple(laws)):
        check("deletion, adaptive", hockey(*laws, a) <= hockey(*pair, a), (tables, rest, E, a))


def attack_deletion_below_sampled():
    """Two of three users, the others holding 2."""
    E, rate = 1 + F(rng.randint(0, 40), rng.randint(5, 20)), F(2, 3)
    p = 1 / (E + 1)
    s = p / E
    t = max(s, (1 + 2 * E - E * E) / (2 * (E + 1)))
    rows = [[E * p, s, 1 - E * p - s], [s, E * p, 1 - E * p - s], [t, t, 1 - 2 * t]]
    pair = trinomial(2, rate * E * p + (1 - rate) * t, rate * s + (1 - rate) * t, t, t)
    for x in (0, 1):
        law = {}
        for i, j in ((x, 2), (x, 2), (2, 2)):
            for counts, mass in shuffled([rows[i], rows[j]]).items():
                law[counts] = law.get(counts, 0) + mass / 3
        check("deletion, from below, sampled", all(law.get((a, b, 2 - a - b), 0) == mass for (a, b), mass in pair[x].items()), (E, x))


def attack_deletion_below():
    n, E = rng.randint(1, 4), 1 + F(rng.randint(0, 40), rng.randint(5, 20))
    p = 1 / (E + 1)
    s = p / E
    t = max(s, (1 + 2 * E - E * E) / (2 * (E + 1)))
    rows = [[E * p, s, 1 - E * p - s], [s, E * p, 1 - E * p - s], [t, t, 1 - 2 * t]]
    reference = [p, p, 1 - 2 * p]
    check("deletion, the matrix is of the class", all(0 <= w <= E * v and v <= E * w for row in rows for w, v in zip(row, reference))
          and all(sum(row) == 1 for row in rows), (E,))
    for others, r0, r1 in ((2, t, t), (0, E * p, s)):
        laws = [shuffled([rows[x]] + [rows[others]] * (n - 1)) for x in (0, 1)]
        pair = trinomial(n, E * p, s, r0, r1)
        for law, known in zip(laws, pair):
            check("deletion, from below", all(law.get((a, b, n - a - b), 0) == mass for (a, b), mass in known.items()), (E, n, others))
        for a in alphas(E * E, pair):
            check("deletion, below is below", hockey(*laws, a) <= hockey(*deletion(n, E), a), (E, n, a))


ATTACKS = [(attack_group, 150), (attack_delta0, 250), (attack_delta0_rounds, 60), (attack_renyi, 120), (attack_renyi_response, 30), (attack_deletion, 150), (attack_deletion_adaptive, 60), (attack_deletion_below, 40), (attack_deletion_below_sampled, 20), (attack_honest, 250), (attack_honest_adaptive, 120), (attack_more_users, 200), (attack_more_sampled, 100)]

for attack, times_run in ATTACKS:
    for _ in range(times_run):
        attack()
can_fail()
for what, count in cells.items():
    print(f"{what}: {count}")
for failure in failures[:10]:
    print("FAIL:", failure, file=sys.stderr)
print(f"{len(failures)} failures")
sys.exit(bool(failures))
