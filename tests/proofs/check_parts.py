#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The parts of proofs/check.py against definitions in exact fractions: check_parts.py FOLDER-OF-check.py K/N [SEED],
every N-th part, from the K-th on."""
import itertools
import math
import random
import sys
from fractions import Fraction

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import check  # noqa: E402

SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 20261127
RANDOM = random.Random(SEED)


def holds(what, value, low, high=None):
    """An enclosure has a number that is known to lie in [low, high], and is not wide."""
    bottom, top = value.ends()
    if not (bottom <= (low if high is None else high) and low <= top) or top - bottom > Fraction(1, 1 << check.BITS - 60) * (1 + abs(top)):
        sys.exit(f"FAIL: seed {SEED}: {what}: [{float(bottom)}, {float(top)}], not {float(low)}")


def series(x):
    """e^x of a fraction, to 2^-200: below and above."""
    halved, total, term, k = x / 64, Fraction(0), Fraction(1), 0
    while abs(term) > Fraction(1, 1 << 260):
        total, k = total + term, k + 1
        term *= halved / k
    return (total - 2 * abs(term)) ** 64, (total + 2 * abs(term)) ** 64


def functions():
    for _ in range(40):
        check.at(RANDOM.choice([80, 128, 150]))
        x = Fraction(RANDOM.randint(-3000, 3000), RANDOM.randint(1, 300))
        low, high = series(x) if abs(x) < 30 else (None, None)
        if low:
            holds(f"exp {x}", check.exp(check.real(x)), low, high)
        y = Fraction(RANDOM.randint(1, 10 ** 6), RANDOM.randint(1, 10 ** 6))
        back = check.exp(check.log(check.real(y)))
        holds(f"log {y}", back, y)
        root = check.sqrt(check.real(y))
        holds(f"sqrt {y}", root * root, y)


def counts_of(n, r0, r1):
    """The law of the two counts of n others."""
    out = {}
    for a in range(n + 1):
        for b in range(n + 1 - a):
            out[a, b] = math.comb(n, a) * math.comb(n - a, b) * r0 ** a * r1 ** b * (1 - r0 - r1) ** (n - a - b)
    return out


def divergence(n, weights, rates, alpha, swap):
    """H_alpha of the trinomial pair, or the other way round, by its definition."""
    others, laws = counts_of(n - 1, *rates), ({}, {})
    for (a, b), mass in others.items():
        for place, w0, w1 in (((a + 1, b), *weights[:2]), ((a, b + 1), weights[1], weights[0]), ((a, b), weights[2], weights[2])):
            laws[0][place] = laws[0].get(place, 0) + mass * w0
            laws[1][place] = laws[1].get(place, 0) + mass * w1
    p, q = laws if not swap else laws[::-1]
    return sum(max(mass - alpha * q.get(place, 0), 0) for place, mass in p.items())


def split(parts):
    cuts = sorted(RANDOM.randint(1, 59) for _ in range(parts - 1))
    ends = [0, *cuts, 60]
    return [Fraction(b - a, 60) for a, b in itertools.pairwise(ends)]


def pairs():
    for turn in range(60):
        check.at(140)
        n = RANDOM.randint(1, 9)
        w0, w1, w2 = split(3) if turn % 3 else (*split(2), Fraction(0))
        w0, w1 = max(w0, w1), min(w0, w1)
        r0, r1, _ = split(3) if turn % 5 else (*split(2), Fraction(0))
        if 0 in (r0, r1):
            continue
        alpha = Fraction(RANDOM.randint(20, 70), 20)
        for swap in (False, True):
            pair = check.Trinomial(n, w0, w1, w2 or None, r0, r1, all_counted=r0 + r1 == 1)
            value, _ = pair.delta(check.Number(f"log({alpha})", "alpha"), check.Fineness(140, 1000, 0, 1), swap)
            truth = divergence(n, (w0, w1, w2), (r0, r1), alpha, swap)
            if not (truth == 0 and value.hi == 0):
                holds(f"pair {n} {w0} {w1} {r0} {r1} {alpha} {swap}", value, truth)
            few = check.few_outcomes(pair, swap)
            value = sum(((p * (1 - check.real(alpha) * check.exp(-x))).positive() for p, x in few.losses), few.infinite)
            holds(f"outcomes {n} {w0} {w1} {r0} {r1} {alpha} {swap}", value, truth)


def weak():
    """krr-weak: the mixture over how many others answer at random."""
    for _ in range(20):
        check.at(140)
        n, k, e = RANDOM.randint(1, 8), RANDOM.randint(3, 6), Fraction(RANDOM.randint(5, 30), 4)
        r, alpha = 1 / (e + k - 1), Fraction(RANDOM.randint(20, 90), 20)
        gamma = k * r
        truth = sum(math.comb(n - 1, b) * gamma ** b * (1 - gamma) ** (n - 1 - b)
                    * divergence(b + 1, (e * r, r, (k - 2) * r), (Fraction(1, k), Fraction(1, k)), alpha, False) for b in range(n))
        pair = check.pair_of("krr-weak", n, check.Number(f"log({e})", "eps0"), k)
        value, _ = pair.delta(check.Number(f"log({alpha})", "alpha"), check.Fineness(140, 1000, 0, 1), False)
        if not (truth == 0 and value.hi == 0):
            holds(f"krr-weak {n} {k} {e} {alpha}", value, truth)


def tails():
    """Gaussian noise by Simpson's rule: the integral of density times (1 - alpha/ratio)_+, in doubles."""
    for _ in range(12):
        check.at(120)
        mu, k = Fraction(RANDOM.randint(1, 30), 10), Fraction(RANDOM.randint(0, 30), 10)
        value = check.gaussian_profile(mu * mu)(check.exp(check.real(k)))
        low, high = (float(end) for end in value.ends())
        upper = lambda x: math.erfc(x / math.sqrt(2)) / 2  # noqa: E731
        about = upper(float(k / mu - mu / 2)) - math.exp(k) * upper(float(k / mu + mu / 2))
        if about > 1e-20 and not low <= high <= low * (1 + 1e-9) or not low - 1e-13 <= about <= high + 1e-13:
            sys.exit(f"FAIL: seed {SEED}: Gaussian noise {mu} {k}: [{low}, {high}], not about {about}")


def finite_pair():
    """A pair of few outcomes in exact fractions."""
    size = RANDOM.randint(2, 4)
    p, q = split(size), split(size)
    if RANDOM.random() < 0.3:
        q[0], q[1] = Fraction(0), q[0] + q[1]
    return [(a, b) for a, b in zip(p, q) if a]


def products():
    """Lines of few outcomes, by enumeration: between the losses, as a line does not decide at one."""
    for _ in range(12):
        check.at(130)
        pairs_ = [(finite_pair(), RANDOM.randint(1, 3)) for _ in range(RANDOM.randint(1, 2))]
        every = [pair for pair, times in pairs_ for _ in range(times)]
        outcomes = [(math.prod(p for p, _ in some), math.prod(q for _, q in some)) for some in itertools.product(*every)]
        ratios = sorted({p / q for p, q in outcomes if q})
        alpha = max((b - a, (a + b) / 2) for a, b in itertools.pairwise([*ratios, ratios[-1] * 3 / 2]))[1]
        truth = sum(max(Fraction(0), p - alpha * q) for p, q in outcomes)
        parts = [(check.Finite([(check.real(p), check.log(check.real(p / q))) for p, q in pair if q],
                               sum((p for p, q in pair if not q), Fraction(0))), times) for pair, times in pairs_]
        k = check.log(check.real(alpha))
        fineness = check.Fineness(130, 200000, 0, 10 ** 5)
        if not any(q == 0 for pair, _ in pairs_ for _, q in pair):
            near = Fraction(1, 1 << 90)
            places_ = check.Places([rows for part, n in parts for rows in part.law(n, fineness)], sum(part.slack(n) for part, n in parts))
            holds(f"sums of {pairs_} at {alpha}", places_.value(k), truth - near, truth + near)
        value = check.Line(parts, float(k.ends()[0]), fineness).value(k)
        low, high = value.ends()
        if not low <= truth <= high or high - low > truth / 10 ** 4 + Fraction(1, 10 ** 9):
            sys.exit(f"FAIL: seed {SEED}: a line of {pairs_} at {alpha}: [{float(low)}, {float(high)}], not {float(truth)}")


def alone():
    """A release with Laplace noise by a line, against its divergence by other means."""
    for _ in range(4):
        check.at(130)
        k, fineness = Fraction(RANDOM.randint(1, 9), 23), check.Fineness(130, 200000, 0, 10 ** 5)
        part = check.Laplace(Fraction(RANDOM.randint(5, 20), 10))
        noise = check.Noise({"type": "additive-noise", "noise": "laplace", "scale": str(1 / part.a)})
        bottom, top = noise.profile(fineness)(check.exp(check.real(k))).ends()
        low, high = check.Line([(part, 1)], float(k), fineness).value(check.real(k)).ends()
        if not (low <= top and bottom <= high) or high - low > high / 10 ** 4:
            sys.exit(f"FAIL: seed {SEED}: a line of Laplace noise at {k}: [{float(low)}, {float(high)}], not {float(top)}")


def places():
    """Discrete Laplace noise with e^(-1/b) = q rational: its losses (s - 2k)/b, composed by enumeration; and half of the releases with twice the sensitivity."""
    for _ in range(25):
        check.at(110)
        b, s, times, k = Fraction(RANDOM.randint(2, 30), 7), RANDOM.randint(1, 3), RANDOM.randint(1, 3), Fraction(RANDOM.randint(0, 20), 20)
        q = Fraction(check.exp(check.real(-1 / b)).lo, 1 << check.BITS)
        laws, masses = [], []
        for shift in (s, 2 * s):
            masses.append([1 / (1 + q)] + [(1 - q) * q ** i / (1 + q) for i in range(1, shift)] + [q ** shift / (1 + q)])
            n = times if shift == s else 1
            laws.append(check.rows_of(check.raised([check.real(mass).lo for mass in masses[-1]], n, check.product), n * shift / b, 2 / b))
        truth, alpha = Fraction(0), Fraction(check.exp(check.real(k)).lo, 1 << check.BITS)
        for places_ in itertools.product(*[range(s + 1)] * times, range(2 * s + 1)):
            mass = math.prod(masses[0][i] for i in places_[:-1]) * masses[1][places_[-1]]
            truth += max(Fraction(0), mass * (1 - alpha * q ** ((times + 2) * s - 2 * sum(places_))))
        near = Fraction(1, 1 << 80)
        holds(f"places {b} {s} {times} {k}", check.Places(laws).value(check.real(k)), truth - near, truth + near)
        # A sample of noise of few outcomes, and the loss of that of all whole numbers, by its masses.
        q, g, alpha = Fraction(RANDOM.randint(1, 9), 10), Fraction(RANDOM.randint(1, 9), 10), Fraction(RANDOM.randint(10, 40), 10)
        mass = [Fraction(math.comb(6, i), 64) for i in range(7)]
        pairs_of = [(mass[i] if i < 7 else 0, mass[i - s] if i >= s else 0) for i in range(7 + s)]
        noise = check.Noise({"type": "binomial-noise", "coins": 6, "sensitivity": s})
        profile = noise.profile(check.Fineness(110, 1000, 0, 1))
        holds(f"coins {s} {alpha}", profile(check.real(alpha)), sum(max(p - alpha * r, 0) for p, r in pairs_of))
        sampled = [(g * p + (1 - g) * r, r) for p, r in pairs_of]
        for back, way in ((False, sampled), (True, [(r, p) for p, r in sampled])):
            truth = sum(max(p - alpha * r, 0) for p, r in way)
            holds(f"sampled coins {s} {g} {alpha} {back}", check.sampled_profile(profile, g)(check.real(alpha), back), truth)


def roughly(q, s, n, k, back):
    """delta(k) of n Poisson steps in doubles, on a lattice of losses: to a percent or so."""
    unit, mu, cells = 0.02, 1 / s, {}
    for i in range(-1400, 1401):
        u = i / 160 + (0 if back else 0.3)
        ratio = 1 - q + q * math.exp(mu * u - mu * mu / 2)
        mass = math.exp(-u * u / 2) / math.sqrt(2 * math.pi) / 160 * (1 if back else ratio)
        place, rest = divmod((-1 if back else 1) * math.log(ratio) / unit, 1)
        for cell, part in ((int(place), 1 - rest), (int(place) + 1, rest)):
            cells[cell] = cells.get(cell, 0) + mass * part
    law = {0: 1.0}
    for _ in range(n):
        new = {}
        for x, mass in law.items():
            if mass > 1e-14:
                for y, part in cells.items():
                    new[x + y] = new.get(x + y, 0) + mass * part
        law = new
    return sum(mass * max(0.0, 1 - math.exp(k - x * unit)) for x, mass in law.items())


def lines():
    for q, s, n, back in ((Fraction(1, 3), Fraction(3, 2), 12, False), (Fraction(1, 2), Fraction(2), 12, True)):
        check.at(140)
        k = Fraction(RANDOM.randint(5, 15), 10)
        value = check.Line([(check.Step(q, s, back), n)], float(k), check.Fineness(140, 200000, 0, 10 ** 5)).value(check.real(k))
        low, high = (float(end) for end in value.ends())
        about = roughly(float(q), float(s), n, float(k), back)
        if not (0 < low < high < low * 1.0001) or abs(about / low - 1) > 0.02:
            sys.exit(f"FAIL: seed {SEED}: a line {q} {s} {n} {k} {back}: [{low}, {high}], not about {about}")


def turns():
    for _ in range(30):
        check.at(RANDOM.choice([90, 150]))
        x, n = check.real(Fraction(RANDOM.randint(-9000, 9000), 1000)), RANDOM.randint(2, 40)
        one = check.raised(check.Turning(*check.cis(x)), n)
        other = check.Turning(*check.cis(x * n))
        norm = abs(one.re - other.re) + abs(one.im - other.im)
        if norm > 2 * (one.error + other.error) or one.error > 2000 or abs(one.re ** 2 + one.im ** 2 - (1 << 2 * check.BITS)) > one.error << check.BITS + 3:
            sys.exit(f"FAIL: seed {SEED}: e^(i x), {x.ends()}, {n}")
    if max(abs(end) for end in (check.pi_constant() - check.real(Fraction(314159265358979323846264338327950288, 10 ** 35))).ends()) > Fraction(1, 10 ** 34) + Fraction(1, 1 << check.BITS - 10):
        sys.exit("FAIL: pi")


def rounds():
    """Two or three rounds of the clones, by their outcomes."""
    for _ in range(6):
        check.at(110)
        n, e, times = RANDOM.randint(2, 5), Fraction(RANDOM.randint(5, 20), 4), RANDOM.randint(1, 3)
        r = 1 / (e + 1)
        law = {}
        for (a, b), mass in counts_of(n - 1, r, r).items():
            for place, w in (((a + 1, b), e * r), ((a, b + 1), r)):
                law[place] = law.get(place, 0) + mass * w
        outcomes = [(p, law[b, a]) for (a, b), p in law.items()]
        # At the ratio of an outcome the law above is above, and one through the profile's values at the nodes, too.
        ratios = [math.prod(p / q for p, q in RANDOM.choices(outcomes, k=times)) for _ in range(6)]
        name = check.Number(f"log({e})", "eps0")
        fineness = check.Fineness(110, 20000, 0, 1000, 1 << 20)
        law = check.Rounds(check.pair_of("clones-stronger", n, name), name.exp(), times, Fraction(3, 1009), fineness)
        products = [(math.prod(p for p, _ in some), math.prod(q for _, q in some)) for some in itertools.product(outcomes, repeat=times)]
        for alpha in [max(ratio, 1 / ratio) for ratio in ratios] + [Fraction(RANDOM.randint(22, 60), 20)]:
            truth = sum(max(Fraction(0), p - alpha * q) for p, q in products)
            low, high = law.value(check.log(check.real(alpha))).ends()
            if not low <= truth <= high or high - low > Fraction(1, 500):
                sys.exit(f"FAIL: seed {SEED}: rounds {n} {e} {times} {alpha}: [{float(low)}, {float(high)}], not {float(truth)}")


def explicit(kind, k, e, more):
    """The rows of a family by its definition, e = e^eps0 (of rappor its root, the odds of a bit)."""
    if kind in ("krr", "subset-selection"):
        outputs = list(itertools.combinations(range(k), more if kind[0] == "s" else 1))
        weights = [[e if x in output else 1 for output in outputs] for x in range(k)]
    elif kind == "hadamard-response":
        size = 1 << k.bit_length()
        weights = [[1 if ((x + 1) & y).bit_count() % 2 else e for y in range(size)] for x in range(k)]
    elif kind == "local-hashing":
        outputs = [(h, v) for h in itertools.product(range(more), repeat=k) for v in range(more)]
        weights = [[e if h[x] == v else 1 for h, v in outputs] for x in range(k)]
    else:
        p, q = {"oue": (Fraction(1, 2), 1 / (e + 1)), "rappor": (e / (e + 1), 1 / (e + 1)), "unary-encoding": more}[kind]
        bits = list(itertools.product((0, 1), repeat=k))
        chance = lambda y, x, i: (p if i == x else q) if y else 1 - (p if i == x else q)  # noqa: E731
        weights = [[math.prod(chance(y[i], x, i) for i in range(k)) for y in bits] for x in range(k)]
    return [[str(Fraction(w) / sum(row)) for w in row] for row in weights]


def reported(rows, values):
    """The law of the counts of independent reports."""
    law = {(0,) * len(rows[0]): Fraction(1)}
    for value in values:
        new = {}
        for counts, mass in law.items():
            for y, chance in enumerate(rows[value]):
                place = counts[:y] + (counts[y] + 1,) + counts[y + 1:]
                new[place] = new.get(place, 0) + mass * chance
        law = new
    return law


def of_two(p, q, alpha):
    return sum(max(mass - alpha * q.get(place, 0), 0) for place, mass in p.items())


def described():
    """Tables of probabilities: named data by all reports, the blanket's bound by its definition; families by their tables."""
    for turn in range(25):
        check.at(140)
        fineness, alpha = check.Fineness(140, 200000, 0, 10 ** 6), Fraction(RANDOM.randint(20, 60), 20)
        eps = check.Number(f"log({alpha})", "alpha")
        columns, n = RANDOM.randint(2, 3), RANDOM.randint(1, 4)
        rows = [split(columns) for _ in range(3)]
        rows[2] = [Fraction(0), 1 - sum(rows[2][2:]), *rows[2][2:]] if turn % 3 == 0 else rows[2]
        matrix = check.Matrix({"type": "matrix", "rows": [[str(x) for x in row] for row in rows]})
        for z in (1, 2):
            truth = of_two(reported(rows, [0] + [z] * (n - 1)), reported(rows, [1] + [z] * (n - 1)), alpha)
            holds(f"alike {rows} {n} {alpha} {z}", check.alike(matrix, n, [(0, 1, z)], eps, fineness), truth)
        low = [min(column) for column in zip(*rows)]
        terms = [(w, (rows[0][y] - alpha * rows[1][y]) / w) for y, w in enumerate(low) if w] + [(1 - sum(low), Fraction(0))]
        truth = sum(max(rows[0][y] - alpha * rows[1][y], 0) for y, w in enumerate(low) if not w)
        for some in itertools.product(terms, repeat=n):
            truth += math.prod(w for w, _ in some) * max(sum(x for _, x in some), 0) / n
        bound = check.alike(matrix, n, [(0, 1, None)], eps, fineness)
        holds(f"blanket {rows} {n} {alpha}", bound, truth)
        others = RANDOM.choices(range(3), k=n - 1)
        if of_two(reported(rows, [0] + others), reported(rows, [1] + others), alpha) > bound.ends()[1]:
            sys.exit(f"FAIL: seed {SEED}: a blanket below data: {rows} {n} {alpha} {others}")
        event = [[row[0], 1 - row[0]] for row in rows]
        truth = of_two(reported(event, [0] + others), reported(event, [1] + others), alpha)
        users = [(others.count(x), rows[x][0]) for x in range(3)]
        holds(f"counts {rows} {alpha} {others}", check.of_counts(users, rows[0][0], rows[1][0], check.real(alpha), fineness), truth)
    for kind, k, more in (("krr", 4, 1), ("subset-selection", 4, 2), ("hadamard-response", 5, 0), ("local-hashing", 3, 2), ("oue", 3, 0), ("rappor", 3, 0),
                          ("unary-encoding", 3, (Fraction(3, 4), Fraction(1, 5))), ("hadamard-response", 3, 0)):
        e, n, alpha = Fraction(RANDOM.randint(5, 20), 4), RANDOM.randint(1, 6), Fraction(RANDOM.randint(20, 40), 20)
        members = {"type": kind, "k": k, "eps0": f"log({e})", "size": more, "g": more, **(dict(zip("pq", map(str, more))) if kind[0] == "u" else {})}
        family = check.Weights({name: members[name] for name in ("type", *check.Weights.KINDS[kind])})
        matrix, eps = check.Matrix({"type": "matrix", "rows": explicit(kind, k, e, more)}), check.Number(f"log({alpha})", "alpha")
        if family.eps0.compare(matrix.eps0) != 0:
            sys.exit(f"FAIL: {kind}: eps0 is {family.eps0.text}, not {matrix.eps0.text}")
        for x, x1, z in ((0, 1, None), (0, 1, 1), (1, 0, 2), (0, 1, 2), (2, 0, 1), (0, 1, k - 1), (0, 0, None)):
            both = [check.alike(randomiser, n, [(x, x1, z)], eps, fineness) for randomiser in (family, matrix)]
            near = Fraction(1, 1 << 100)
            holds(f"{kind} {n} {e} {alpha} {x} {x1} {z}", both[0], both[1].ends()[0] - near, both[1].ends()[1] + near)
        holds(f"{kind} {e} {alpha}: local", family.local(check.real(alpha)), *matrix.local(check.real(alpha)).ends())


def sums():
    """Lines of (S)_+ by all counts, with frequencies that are left out; and the local profile's bound by its definition."""
    for n in (15, 40, 200):
        check.at(140)
        p, fineness = [Fraction(RANDOM.randint(20, 40), 97) for _ in range(2)], check.Fineness(140, 200000, 0, 10 ** 4)
        law = [(check.real(mass), check.real(x)) for mass, x in zip([*p, 1 - sum(p)], (Fraction(1), Fraction(RANDOM.randint(-130, -100), 101) * p[0] / p[1], Fraction(-1, 290)))]
        value, line = check.few_sums(law, n).ends(), check.Line([(check.Finite(law), n)], 0.0, fineness, 0)
        low, high = line.value(check.real(0)).ends()
        if not (low <= value[0] and value[1] <= high) or high - low > value[1] / 500 or (n > 100 and len(line.ks) == line.count):
            sys.exit(f"FAIL: seed {SEED}: a sum of {n} of {p}: [{float(low)}, {float(high)}], not {float(value[0])}")
    # Values on a lattice, whose frequencies matter again after a gap, and a normal number besides.
    check.at(140)
    n, p, v = 150, RANDOM.randint(25, 35) / 100, 0.02
    law = [(check.real(Fraction(round(100 * mass), 100)), check.real(x)) for mass, x in ((p, 1), (p + 0.03, -1), (0.97 - 2 * p, 0))]
    line = check.Line([(check.Finite(law), n), (check.Normal(Fraction(1, 50)), 1)], 0.0, check.Fineness(140, 200000, 0, 10 ** 6), 0)
    counts, about = {0: 1.0}, 0.0
    for _ in range(n):
        counts = {x: (1 - 2 * p - 0.03) * counts.get(x, 0) + p * counts.get(x - 1, 0) + (p + 0.03) * counts.get(x + 1, 0) for x in range(-n, n + 1)}
    for x, mass in counts.items():
        about += mass * (x * math.erfc(-x / math.sqrt(2 * v)) / 2 + math.sqrt(v / 2 / math.pi) * math.exp(-x * x / 2 / v))
    low, high = (float(end) for end in line.value(check.real(0)).ends())
    if not low - 1e-9 <= about <= high + 1e-9 or high - low > 1e-4 * about or len(line.ks) == line.count:
        sys.exit(f"FAIL: seed {SEED}: a lattice of {p}: [{low}, {high}], not {about}")
    for _ in range(5):
        check.at(140)
        e, n, alpha = Fraction(RANDOM.randint(8, 20), 4), RANDOM.randint(1, 5), Fraction(RANDOM.randint(20, 39), 20)
        m = (e - alpha) / (e + 1) * Fraction(RANDOM.randint(1, 9), 10)
        terms = [(m / (e - alpha), e - alpha), ((m + alpha - 1) / (alpha * e - 1), 1 - alpha * e)]
        terms += [(1 - terms[0][0] - terms[1][0], Fraction(0))]
        truth = sum(math.prod(w for w, _ in some) * max(sum(x for _, x in some), 0) for some in itertools.product(terms, repeat=n)) / n
        value = check.by_profile(n, check.real(m), check.Number(f"log({e})", "e"), check.Number(f"log({alpha})", "alpha"), check.Fineness(140, 1000, 0, 1))
        holds(f"a local profile {n} {e} {alpha} {m}", value, truth)


def main():
    place, parts = map(int, sys.argv[2].split("/"))
    for part in (functions, pairs, weak, tails, places, products, alone, turns, lines, rounds, described, sums)[place::parts]:
        part()
    print("the parts agree with their definitions")


main()
