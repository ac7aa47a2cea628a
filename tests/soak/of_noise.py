# SPDX-License-Identifier: LGPL-3.0-or-later
"""Random questions about noise that a curator adds and about noisy SGD, and references by sums and cells, from the definitions."""
import itertools
import math
from decimal import Decimal
from fractions import Fraction

from draw import Case, Draw
from laws import Pair, compose, decimal, exchanged, laplace_pair, merged, normal_cells, normal_pair, number, two_laws


def shifted(masses, s):
    """Masses of z + s and z; what is seen beyond the ends of the list tells more than there is to tell, what is left out less."""
    zero, n = 0 * masses[0], len(masses)
    points = [(masses[z - s] if 0 <= z - s < n else zero, masses[z] if z < n else zero) for z in range(n + s)]
    return points, [(p, q) for p, q in points if p > 0 and q > 0]


def whole_masses(noise, d):
    """Members of a question, and the masses of noise on whole numbers, to 45 digits (of coins all)."""
    r = d.r
    if noise == "binomial":
        coins = r.choice([1, 2, 5, 10, 40, 100])
        return {"coins": coins}, [d.of(Fraction(math.comb(coins, h), 2 ** coins)) for h in range(coins + 1)]
    if noise == "discrete-laplace":
        scale = r.choice(["1/2", "1", "2", "5"])
        reach = int(110 * Fraction(scale)) + 2
        weights = [(-abs(z) / number(scale, Decimal)).exp() for z in range(-reach, reach + 1)]
    elif noise == "discrete-gaussian":
        scale = r.choice(["1/2", "1", "2", "5"])
        reach = int(15 * Fraction(scale)) + 2
        weights = [(-z * z / (2 * number(scale, Decimal) ** 2)).exp() for z in range(-reach, reach + 1)]
    else:
        variance = r.choice([1, 2, 8, 20])
        mean, reach = Decimal(variance) / 2, 60 + variance
        poisson = [(-mean).exp() * mean ** i / math.factorial(i) for i in range(2 * reach)]
        masses = [sum(poisson[i + abs(z)] * poisson[i] for i in range(2 * reach - abs(z))) for z in range(-reach, reach + 1)]
        return {"variance": variance}, masses
    return {"scale": scale}, [w / sum(weights) for w in weights]


def staircase(e, gamma, d):
    """Densities in steps as wide as 1, moved by any part of 24 up to 1, as masses between all their ends."""
    def level(x):
        x = abs(x)
        i = x.numerator // x.denominator
        return e ** -i if x - i < gamma else e ** (-i - 1)
    whole = 2 * (gamma + (1 - gamma) / e) / (1 - 1 / e)
    reach, pairs = int(75 / math.log(e)) + 2, []
    for move in [Fraction(d.r.randint(1, 23), 24), Fraction(1)]:
        cuts = sorted({x + m for i in range(-reach, reach) for f in (0, gamma) for x in (i + f, -i - f) for m in (0, move)})
        parts = [(b - a, (a + b) / 2) for a, b in zip(cuts, cuts[1:])]
        pairs.append(Pair([tuple(d.of(width * level(x) / whole) for x in (middle - move, middle)) for width, middle in parts]))
    return pairs


def sampled(pair, rate):
    pair = pair.cells()
    taken = number(rate, type(pair.low[0][0]))
    low, high = ([(taken * p + (1 - taken) * q, q) for p, q in points] for points in (pair.low, pair.high))
    return Pair(low, "low" if pair.low is pair.high else high)


def draw_release(noise):
    """Releases with noise: alone, several, of a Poisson sample, in some of the releases, with a threshold."""
    def draw(r):
        d = Draw(r, Fraction if noise in ("staircase", "binomial") and r.random() < 0.5 else Decimal)
        m, s = {"type": "additive-noise", "noise": noise}, r.choice([1, 1, 2, 5])
        if noise == "gaussian":
            m["scale"] = r.choice(["1/2", "1", "3", "10", "100"])
            pairs = [Pair(mu=s / number(m["scale"], Decimal))]
        elif noise == "laplace":
            m["scale"] = r.choice(["1/2", "1", "3", "10", "100"])
            pairs = [laplace_pair(s / float(Fraction(m["scale"])), 600)]
        elif noise == "staircase":
            e, m["gamma"], s = Fraction(r.choice(["2", "3", "3/2", "20"])), d.part(), 1
            m["eps0"] = f"log({e})"
            pairs = staircase(e, Fraction(m["gamma"]), d)
        else:
            more, masses = whole_masses(noise, d)
            m = {**({"type": "binomial-noise"} if noise == "binomial" else m), **more}
            both = [shifted(masses, change) for change in range(1, s + 1)]
            pairs = [Pair(more) if noise == "binomial" else Pair(less, more) for more, less in both]
        m["sensitivity"] = s
        question, choice = {"mechanism": m}, r.random()
        if choice < 0.2:
            rate = d.part()
            question["sample"] = {"scheme": "poisson", "rate": rate}
            pairs = [sampled(pair, rate) for pair in pairs]
        elif choice < 0.35 and noise not in ("gaussian", "staircase"):
            steps = r.choice([1, 2, 3])
            k = r.randint(1, steps)
            m.update(sampler="balls-and-bins", steps=steps)
            if k > 1 or r.random() < 0.5:
                m.update(sampler="random-allocation", sampling_rate=f"{k}/{steps}")
            cells = {1: 500, 2: 60, 3: 20}[steps]
            ends = [(pairs[-1].low, False), (pairs[-1].high, True)]
            few = Pair(*(merged([(float(p), float(q)) for p, q in points], up, cells) for points, up in ends))
            pairs = [two_laws(few, (1,) * k + (0,) * (steps - k), (0,) * steps)]
        elif choice < 0.5 and noise.startswith("discrete") and s == 1:
            m["threshold"] = threshold = r.randint(1, 12)
            middle = len(masses) // 2
            pairs = []
            for count in range(1, 14):  # counts above z - middle + count at least the threshold are seen
                seen = [(masses[z - 1] if z > 0 else 0 * masses[0], masses[z] if count > 1 and z < len(masses) else 0 * masses[0])
                        for z in range(len(masses) + 1) if z - middle + count - 1 >= threshold]
                rest = tuple(1 - sum((x[i] for x in seen), Decimal(0)) for i in (0, 1))
                pairs.append(Pair([x for x in seen if min(x) > 0 or count == 1] + [rest], seen + [rest]))
        if r.random() < 0.3:
            question["rounds"] = 2
            pairs = [compose([pair, pair]) for pair in pairs]
        question["ask"] = d.ask(("renyi", "tradeoff") + ("gdp", "zcdp") * all(pair.mu is not None for pair in pairs))
        return Case(question, pairs)
    return draw


def draw_vector(r):
    """Vectors of whole numbers: all changes of a norm that no other change exceeds in every entry."""
    d, noise = Draw(r, Decimal), r.choice(["discrete-gaussian", "skellam"])
    if noise == "skellam":
        variance = r.choice([1, 2, 4])
        mean, reach = Decimal(variance) / 2, 22
        poisson = [(-mean).exp() * mean ** i / math.factorial(i) for i in range(2 * reach)]
        masses = [sum(poisson[i + abs(z)] * poisson[i] for i in range(2 * reach - abs(z))) for z in range(-reach, reach + 1)]
    else:
        variance = r.choice(["2/5", "1", "2", "4"])
        reach = int(9 * math.sqrt(Fraction(variance))) + 3
        weights = [(-z * z / (2 * number(variance, Decimal))).exp() for z in range(-reach, reach + 1)]
        masses = [w / sum(weights) for w in weights]
    dimension, square = r.choice([2, 2, 3]), r.randint(1, 10)
    norm = math.isqrt(square)
    m = {"type": "additive-noise", "noise": noise, "variance": variance, "dimension": dimension, "sensitivity": norm if norm ** 2 == square else f"sqrt({square})"}
    question, sizes = {"mechanism": m}, itertools.combinations_with_replacement(range(norm, -1, -1), dimension)
    within = [z for z in sizes if sum(x * x for x in z) <= square]
    pairs = []
    for z in [z for z in within if not any(y != z and all(a >= b for a, b in zip(y, z)) for y in within)]:
        entries = [shifted(masses, x) for x in z if x > 0]
        pairs.append(compose([Pair(less, more) for more, less in entries]))
    if r.random() < 0.3:
        rate = d.part()
        question["sample"] = {"scheme": "poisson", "rate": rate}
        pairs = [sampled(pair, rate) for pair in pairs]
    question["ask"] = d.ask(("renyi", "tradeoff"))
    return Case(question, pairs)


def draw_threshold(r):
    """Values whose kept reports are few are dropped; whatever number of users holds the value."""
    d = Draw(r)
    p, threshold = r.randint(1, 19), r.randint(1, 5)
    keep = d.of(f"{p}/20")

    def points(n):
        sides = [[math.comb(m, j) * keep ** j * (1 - keep) ** abs(m - j) for j in range(threshold, n + 1)] for m in (n, n - 1)]
        return [*zip(*sides), tuple(1 - sum(side, 0 * keep) for side in sides)]
    found = [Pair(points(n)) for n in range(1, max(40, 40 * threshold // p))]
    question = {"mechanism": {"type": "sample-and-threshold", "sampling_rate": f"{p}/20", "threshold": threshold}}
    question["ask"] = d.ask(("renyi", "tradeoff"))
    return Case(question, found, "found" if question["ask"]["quantity"] in ("delta", "epsilon") else None)


# ---- noisy SGD ----

def binomial(n, q):
    return [math.comb(n, k) * q ** k * (1 - q) ** (n - k) for k in range(n + 1)]


def cut_batches(d, sigma, rate, size, most):
    """A step whose batch is cut: a record with gradient 1 or 0 beside others' -1, 0 and 1, all batches."""
    def mix(gradients):
        places = {}
        for taken in itertools.product((0, 1), repeat=len(gradients)):
            batch = [g for g, t in zip(gradients, taken) if t]
            kept = list(itertools.combinations(batch, min(most, len(batch))))
            for one in kept:
                mass = rate ** len(batch) * (1 - rate) ** (len(gradients) - len(batch)) / len(kept)
                places[sum(one)] = places.get(sum(one), 0.0) + mass
        return [(w, float(x)) for x, w in places.items()]
    others = [d.r.choice([-1, -1, 0, 1]) for _ in range(size - 1)]
    return normal_pair(mix([1] + others), mix(others), sigma, 500, False)


def strategy_norm(rows, steps, apart, every, times):
    """Norm of the sum of the columns of a matrix in which a record takes part, over all that may be, with signs."""
    best = Decimal(0)
    for signs in itertools.product((0, 1, -1), repeat=steps):
        at = [i for i, x in enumerate(signs) if x]
        near = any(b - a < apart for a, b in zip(at, at[1:]))
        # every so many steps in a row, with a gradient or 0
        many = (at[-1] - at[0]) // apart + 1 if every and at else len(at)
        if not at or near or (times and many > times) or (every and any((i - at[0]) % apart for i in at)):
            continue
        sums = [sum(signs[j] * row[j] for j in at if j < len(row)) for row in rows]
        best = max(best, sum((decimal(x) ** 2 for x in sums), Decimal(0)))
    return best.sqrt()


def draw_strategy(r, sigma, question, m, replaced):
    """Noise that a matrix correlates; the steps of a record are so many apart, or at least so many."""
    steps, kind = r.randint(1, 5), r.choice(["column", "column", "rows", "square-root", "tree"])
    m["strategy"] = kind
    if kind == "tree":
        steps = r.choice([1, 2, 4])
        lengths = [2 ** i for i in range(steps.bit_length())]
        rows = [[int(start <= j < start + length) for j in range(steps)] for length in lengths for start in range(0, steps, length)]
    elif kind == "rows":
        rows = [[Fraction(r.randint(-3, 8), 8) for _ in range(i)] + [Fraction(r.randint(1, 16), 8)] for i in range(steps)]
        m["strategy"] = [[str(x) for x in row] for row in rows]
    else:
        column = [Fraction(1), *(Fraction(r.randint(-4, 8), 8) for _ in range(r.randint(1, 3)))][:steps]
        if r.random() < 0.4:
            column = sorted((abs(x) for x in column), reverse=True)
        m["strategy"] = [str(x) for x in column]
        if kind == "square-root":
            m.update(strategy=kind, bands=r.randint(1, steps))
            column = [Fraction(math.comb(2 * i, i), 4 ** i) for i in range(m["bands"])]
        rows = [[column[i - j] if i - j < len(column) else 0 for j in range(i + 1)] for i in range(steps)]
    every, apart = r.random() < 0.5, r.randint(1, steps)
    m["steps"] = steps
    m["every" if every else "separation"] = apart
    times = r.randint(1, 3) if r.random() < 0.4 else None
    if times:
        m["times"] = times
    mu = strategy_norm(rows, steps, apart, every, times) * (2 if replaced else 1) / sigma
    if kind in ("rows", "tree"):
        is_known = every and all(x >= 0 for row in rows for x in row)
    else:
        is_known = min(column) >= 0 and (every or sorted(column, reverse=True) == column)
    return Case(question, [Pair(mu=mu)], "found" if is_known else None)


def draw_training(sampler):
    """A sampler's laws, in which the others' gradients are 0, or -1 where the worst are; neighbours remove or replace a record."""
    def draw(r):
        d = Draw(r, Decimal)
        sigma_text = r.choice(["1/2", "7/10", "1", "2", "5", "20"])
        sigma, steps = float(Fraction(sigma_text)), r.choice([1, 2, 2, 3])
        rounds = r.choice([1, 1, 1, 2])
        name = "fixed" if sampler == "strategy" else sampler
        replaced = name == "without-replacement" or r.random() < 0.4
        m = {"type": "noisy-sgd", "sampler": name, "noise_multiplier": sigma_text}
        question = {"mechanism": m, "neighbours": "replace" if replaced else "remove"}
        gaussian = ("renyi", "tradeoff", "gdp", "zcdp")
        question["ask"] = d.ask(gaussian if name == "fixed" else ("renyi", "tradeoff"))
        exact_sigma = number(sigma_text, Decimal)
        if sampler == "strategy":
            return draw_strategy(r, exact_sigma, question, m, replaced)
        m["steps"] = steps
        g = r.choice([1, 1, 1, 2, 3])
        above = "found"
        if rounds > 1:
            question["rounds"] = rounds
        if name in ("fixed", "poisson") and g > 1:
            m["records_per_user"] = g
        known = Pair(mu=(2 if replaced else 1) * Decimal(rounds).sqrt() / exact_sigma)  # whoever knows the batches
        if name == "fixed":
            # records of a user that are all in one batch
            return Case(question, [Pair(mu=g * known.mu)])
        cells = {1: 1500, 2: 50, 3: 20}[steps]
        zero = [(1.0, 0.0)]
        if name == "poisson":
            rate = m["sampling_rate"] = r.choice(["1/2", "1/10", "1/100", "9/10", "1"])
            q = float(Fraction(rate))
            if g == 1 and q < 1 and not replaced and r.random() < 0.2:
                size = r.randint(2, 4)
                most = r.randint(1, size - 1)
                m.update(dataset_size=size, max_batch_size=most, steps=1)
                question.pop("rounds", None)
                return Case(question, [cut_batches(d, sigma, q, size, most)], [Pair(mu=2 / exact_sigma)])
            up = [(w, float(k)) for k, w in enumerate(binomial(g, q))]
            step = normal_pair(up, [(w, -x) for w, x in up] if replaced else zero, sigma, 1000 if steps * rounds == 1 else 300)
            return Case(question, [compose([step] * (steps * rounds))])
        if name == "without-replacement":
            rate = m["sampling_rate"] = r.choice(["1/2", "1/10", "1/100", "9/10"])
            q = float(Fraction(rate))
            step = normal_pair([(1 - q, 0.0), (q, 2.0)], zero, sigma, 1000 if steps * rounds == 1 else 300)
            above = "found" if steps * rounds == 1 else [Pair(mu=known.mu * Decimal(steps).sqrt())]
            return Case(question, [compose([step] * (steps * rounds))], above)
        k = 1
        if name == "random-allocation":
            k = r.randint(1, steps)
            m["sampling_rate"] = f"{k}/{steps}"
        first, rest = (1,) * k + (0,) * (steps - k), (0,) * steps
        if not replaced and name != "shuffle":
            found = [two_laws(normal_pair([(1.0, 1.0)], zero, sigma, cells), first, rest)]
        else:
            # three laws: of both records and of the others; beside others of -1, as many in each step, a record counts one more
            places = [(1.0, -1.0), (2.0, 0.0)] if replaced else [(1.0, 0.0), (2.0, 1.0)]
            found = []
            for a, b in places if name == "shuffle" else places[:1]:
                masses = normal_cells([zero, [(1.0, a)], [(1.0, b)]], sigma, cells)[1]
                found.append(Pair(exchanged(masses, first, (2,) * k + rest[k:]), None))
            above = [Pair(mu=known.mu * Decimal(k).sqrt())]
        return Case(question, [compose([pair] * rounds) for pair in found], above)
    return draw
