# SPDX-License-Identifier: LGPL-3.0-or-later
"""Random questions about users who are shuffled, and references by enumeration of all their data, from the definitions."""
import itertools
import math
from decimal import Decimal
from fractions import Fraction

import enumeration
from draw import Case, Draw
from laws import Pair, compose, laplace_pair, normal_pair, number, two_laws


def neighbours(sizes):
    """Data as tuples of (group, value): groups of (values, users); one user has another value."""
    for g, (values, _) in enumerate(sizes):
        others = [itertools.combinations_with_replacement(range(v), n - (h == g)) for h, (v, n) in enumerate(sizes)]
        for rest in itertools.product(*others):
            known = tuple((h, x) for h, part in enumerate(rest) for x in part)
            for x, y in itertools.combinations(range(values), 2):
                yield known + ((g, x),), known + ((g, y),)


class Round:
    """A shuffle: tables[group][value] is the law of a report; of all users or `size` of them, and what is seen of the counts."""

    def __init__(self, tables, size=None, seen=None):
        self.tables, self.size, self.seen, self.known = tables, size, seen, {}

    def law(self, data):
        key = tuple(sorted(data))
        if key not in self.known:
            reports = [self.tables[g][x] for g, x in key]
            size = len(reports) if self.size is None else self.size
            total = {}
            subsets = list(itertools.combinations(reports, size))
            for subset in subsets:
                for counts, mass in enumeration.shuffled(subset).items():
                    place = self.seen(counts) if self.seen else counts
                    total[place] = total.get(place, 0) + mass / len(subsets)
            self.known[key] = total
        return self.known[key]

    def points(self, first, second):
        p, q = self.law(first), self.law(second)
        return [(p.get(x, 0 * one), q.get(x, 0 * one)) for one in [next(iter(p.values()))] for x in p.keys() | q.keys()]


def of_data(sizes, rounds):
    """The laws of all neighbouring data, the same in all rounds."""
    return [compose([Pair(one.points(*data)) for one in rounds]) for data in neighbours(sizes)]


def krr_rows(e, k):
    return [[(e if x == y else e ** 0) / (e + k - 1) for y in range(k)] for x in range(k)]


def bit_rows(k, one, zero):
    """Vectors of k bits: the bit that is set is reported as a one with probability `one`, others with `zero`."""
    return [[math.prod((p if bit else 1 - p) for i, bit in enumerate(bits) for p in [one if i == x else zero])
             for bits in itertools.product((0, 1), repeat=k)] for x in range(k)]


def weighted(chosen, e):
    """Rows of outputs that have the weight e where chosen, and else 1."""
    return [[w / sum(row) for w in row] for row in [[e if c else e ** 0 for c in line] for line in chosen]]


def local_mechanism(d, kind, small=False):
    """A description of that kind, and its rows from the definition."""
    r = d.r
    k = r.randint(2, 3 if small else 4)
    m = {"type": kind}
    if kind == "matrix":
        m["rows"] = enumeration.random_rows(r)
        return m, [[d.of(x) for x in row] for row in m["rows"]]
    if kind == "rr2":
        m["eps0"] = d.eps0()
        return m, krr_rows(d.e(m["eps0"]), 2)
    if kind == "krr":
        m["k"] = k
        if r.random() < 0.3 and not small:
            m["gamma"] = d.part()
            g = d.of(m["gamma"])
            return m, [[g / k + (1 - g if x == y else 0) for y in range(k)] for x in range(k)]
        m["eps0"] = d.eps0()
        return m, krr_rows(d.e(m["eps0"]), k)
    if kind in ("rappor", "oue", "unary-encoding"):
        m["k"] = k = r.randint(2, 3)
        if kind == "unary-encoding":
            q = r.randint(1, 18)
            m.update(p=f"{r.randint(q + 1, 19)}/20", q=f"{q}/20")
            return m, bit_rows(k, d.of(m["p"]), d.of(m["q"]))
        if kind == "oue":
            m["eps0"] = d.eps0(1)
            return m, bit_rows(k, d.of("1/2"), 1 / (d.e(m["eps0"]) + 1))
        if r.random() < 0.4:
            m["flip"] = f"{r.randint(1, 9)}/20"
            flip = d.of(m["flip"])
        elif r.random() < 0.3:
            root = r.choice(["2", "3", "3/2"])  # e^(eps0/2)
            m.update(eps0=f"log({Fraction(root) ** 2})", local="replace")
            flip = 1 / (d.of(root) + 1)
        else:
            m["eps0"] = d.eps0(1)
            flip = 1 / (d.e(m["eps0"]) + 1)
        return m, bit_rows(k, 1 - flip, flip)
    if kind in ("product", "mixture"):
        kinds = ["krr", "rr2", "matrix", "oue", "subset-selection"] if kind == "mixture" else ["rr2", "krr", "matrix"]
        parts = [local_mechanism(d, r.choice(kinds), True) for _ in range(2)]
        m["parts"] = [part for part, _ in parts]
        (_, a), (_, b) = parts
        if kind == "product":
            return m, [[p * q for p in x for q in y] for x in a for y in b]
        m["weights"] = [d.part(), ""]
        m["weights"][1] = str(1 - Fraction(m["weights"][0]))
        u, v = (d.of(w) for w in m["weights"])
        return m, [[u * p for p in x] + [v * q for q in y] for x in a for y in b]
    m["eps0"] = d.eps0()
    e = d.e(m["eps0"])
    if kind == "subset-selection":
        m.update(k=k, size=r.randint(1, k - 1))
        return m, weighted([[x in s for s in itertools.combinations(range(k), m["size"])] for x in range(k)], e)
    if kind == "hadamard-response":
        m["k"] = k
        outputs = 1 << k.bit_length()
        return m, weighted([[bin((x + 1) & y).count("1") % 2 == 0 for y in range(outputs)] for x in range(k)], e)
    k, g = r.choice([(2, 2), (3, 2), (2, 3)])
    m.update(k=k, g=g)
    return m, weighted([[f[x] == y for f in itertools.product(range(g), repeat=k) for y in range(g)] for x in range(k)], e)


def size_of(values, n, outputs):
    """Outcomes of all neighbouring data."""
    return math.comb(values, 2) * math.comb(values + n - 2, values - 1) * math.comb(n + outputs - 1, outputs - 1)


def of_local(kind):
    """Users who all run one described randomiser."""
    def draw(r):
        d = Draw(r)
        m, rows = local_mechanism(d, kind)
        n, most = r.choice([1, 2, 2, 3, 4, 6, 9]), 1500 if d.kind is Fraction else 5000
        while n > 1 and size_of(len(rows), n, len(rows[0])) > most:
            n -= 1
        question, size, seen, rounds = {"mechanism": m, "users": n}, None, None, 1
        choice = r.random()
        if choice < 0.12 and n > 1:
            size = r.randint(1, n - 1)
            question["sample"] = {"scheme": "fixed", "rate": f"{size}/{n}"}
        elif choice < 0.24:
            rate = d.part()
            question["sample"] = {"scheme": "poisson", "rate": rate}
            rows = [[d.of(rate) * p for p in row] + [1 - d.of(rate)] for row in rows]
        elif choice < 0.32:
            question.update(users=2 * n, honest=n)
        elif choice < 0.5 and kind in ("rappor", "oue", "unary-encoding"):
            question["release"] = "sum"
            vectors = list(itertools.product((0, 1), repeat=m["k"]))

            def seen(counts):
                return tuple(sum(c * v[i] for c, v in zip(counts, vectors)) for i in range(m["k"]))
        if math.comb(n + len(rows[0]) - 1, n) <= 30 and size_of(len(rows), n, len(rows[0])) <= 300 and r.random() < 0.4:
            rounds = question["rounds"] = 2
        question["ask"] = d.ask()
        return Case(question, of_data([(len(rows), n)], [Round([rows], size, seen)] * rounds))
    return draw


def draw_groups(r):
    """krr of groups, with numbers of values and eps0 of their own; a class, by randomised responses in one alphabet or two."""
    d = Draw(r)
    groups, tables, sizes = [], [], []
    outputs, exact = 4, True
    for _ in range(r.choice([1, 2, 2, 3])):
        k, eps0 = r.randint(2, 3), d.eps0()
        kind = r.choice(["krr", "krr", "rr2", "ldp"])
        k = k if kind == "krr" else 2
        exact = exact and kind != "ldp"
        groups.append({"mechanism": {"type": kind, "eps0": eps0, **({"k": k} if kind == "krr" else {})}, "users": r.randint(1, 2)})
        rows = krr_rows(d.e(eps0), k)
        shift = 0 if kind != "ldp" else r.choice([0, 2])
        tables.append([[0 * row[0]] * shift + row + [0 * row[0]] * (outputs - k - shift) for row in rows])
        sizes.append((k, groups[-1]["users"]))
    question = {"mechanism": {"type": "groups", "groups": groups}, "ask": d.ask()}
    return Case(question, of_data(sizes, [Round(tables)]), "found" if exact else None)


def trinomial(w, r, n):
    """Two counters: one user adds with probabilities w under P, exchanged under Q; n - 1 others with r."""
    return Pair([(p, q) for first, second in [enumeration.pair_laws(w, r, n)] for one in [sum(first.values())]
                 for x in first.keys() | second.keys() for p, q in [(first.get(x, 0 * one), second.get(x, 0 * one))]])


def revealed(w, others, n):
    """trinomial() with a revealed number of others, each there with probability others[0], then of the law others[1]."""
    rate, r = others
    points = []
    for there in range(n):
        mass = math.comb(n - 1, there) * math.prod([rate] * there + [1 - rate] * (n - 1 - there))
        points += [(mass * p, mass * q) for p, q in trinomial(w, r, there + 1).low]
    return Pair(points)


def clones_pair(kind, e, n, rate=1):
    """The stronger clones; of a sample of n users; of a Poisson sample, also counting the others who took part; of deletion."""
    r = 1 / (e + 1)
    if kind == "fixed":
        return trinomial((rate * e * r + (1 - rate) * r, r), (r, r), n)
    if kind == "delete":
        return revealed((e / (e + 1), 1 / (e * (e + 1))), (1 / e, (r, r)), n)
    if kind == "poisson":
        w, other = [rate * e * r, rate * r, 1 - rate, 0 * r], [rate * r, rate * r, 1 - rate, rate * (1 - 2 * r)]
        others = enumeration.shuffled([other] * (n - 1)) if n > 1 else {(0,) * 4: e ** 0}
        p, q = (enumeration.added(others, x) for x in (w, [w[1], w[0], *w[2:]]))
        return Pair([(p.get(x, 0 * r), q.get(x, 0 * r)) for x in p.keys() | q.keys()])
    return trinomial((e * r, r), (r, r), n)


def of_pair(kind):
    """A pair of laws as it is defined in proofs/trinomial-pair.md and proofs/clones-sampled.md."""
    def draw(r):
        d = Draw(r)
        n, k = r.choice([1, 2, 3, 4, 5, 7, 9]), r.choice([3, 3, 4, 5, 8, 100])
        pair, question = {"type": kind}, {"users": n}
        e = one = rate = d.of("1")
        if kind.startswith("krr"):
            pair["k"] = k = k if "third" in kind else r.choice([2, k])
        if kind in ("krr-strong", "krr-weak") and r.random() < 0.6:
            pair["gamma"] = d.part()
            gamma = d.of(pair["gamma"])
        elif kind != "trinomial":
            pair["eps0"] = d.eps0()
            e = d.e(pair["eps0"])
            gamma = k / (e + k - 1)
        s = 1 / (e + k - 1)
        if kind.endswith(("-sampled", "-poisson")):
            scheme = "poisson" if kind.endswith("poisson") else "fixed"
            rate = Fraction(d.part()) if scheme == "poisson" else Fraction(r.randint(1, n), n)
            question["sample"] = {"scheme": scheme, "rate": str(rate)}
            n, rate = int(n * rate) if scheme == "fixed" else n, d.of(rate)
        if kind in ("clones", "clones-stronger", "rr2"):
            other = {"clones": (1 / (2 * e),) * 2, "clones-stronger": (1 / (e + 1),) * 2, "rr2": (e / (e + 1), 1 / (e + 1))}[kind]
            laws = trinomial((e / (e + 1), 1 / (e + 1)), other, n)
        elif kind == "trinomial":
            whole = [r.randint(0, 5) for _ in range(3)], [r.randint(1, 5) for _ in range(3)]
            whole[0][0] += sum(whole[0]) == 0
            w, other = ([f"{x}/{sum(side)}" for x in side] for side in whole)
            pair.update(w0=w[0], w1=w[1], r0=other[0], r1=other[1])
            laws = trinomial((d.of(w[0]), d.of(w[1])), (d.of(other[0]), d.of(other[1])), n)
        elif kind == "krr-strong":
            told = trinomial((one, 0 * one), (gamma / k, gamma / k), n).low
            laws = Pair([((1 - gamma) * p, (1 - gamma) * q) for p, q in told] + [(gamma, gamma)])
        elif kind == "krr-weak":
            laws = revealed((1 - gamma + gamma / k, gamma / k), (gamma, (one / k, one / k)), n)
        elif kind.startswith("clones"):
            laws = clones_pair({"sampled": "fixed", "deletion": "delete"}.get(kind[7:], kind[7:]), e, n, rate)
        elif kind.endswith("poisson"):
            w = (rate * e * s, rate * s)
            laws = trinomial(w, w if "same" in kind else (w[1], w[1]), n)
        else:
            w = (rate * e * s + (1 - rate) * s, s)
            laws = trinomial(w, w if "same" in kind else (s, s), n)
        question = {"pair": pair, **question, "ask": d.ask()}
        if len(laws.low) <= 40 and r.random() < 0.3:
            question["rounds"], laws = 2, compose([laws, laws])
        if question["ask"]["quantity"] in ("delta", "epsilon") and r.random() < 0.4:
            question["direction"] = r.choice(["pq", "qp"])
        return Case(question, [laws])
    return draw


def noise_cells(noise, d, cells):
    """A number of 0 or 1 with noise: (a question's members, two laws)."""
    if noise == "gaussian":
        scale = d.r.choice(["1/2", "1", "2", "5", "20"])
        return {"scale": scale}, normal_pair([(1.0, 1.0)], [(1.0, 0.0)], float(Fraction(scale)), cells)
    scale = d.r.choice(["1/4", "1/2", "1", "3", "10"])
    return {"scale": scale}, laplace_pair(1 / float(Fraction(scale)), cells)


def of_line(kind):
    """Numbers with noise, shuffled; "pair": the pair of normal noise, whose others hold what the first law's user holds."""
    def draw(r):
        d, n = Draw(r, Decimal), r.choice([1, 1, 2, 2, 3])
        more, one = noise_cells("gaussian" if kind == "pair" else kind, d, {1: 600, 2: 60, 3: 20}[n])
        if kind == "pair":
            pair, direction = {"type": "gaussian", "sigma": more["scale"]}, r.choice(["both", "pq", "qp"])
            question = {"pair": pair, "users": n, "direction": direction}
            found = [two_laws(one, (0,) * n, (1,) + (0,) * (n - 1))]
        else:
            question = {"mechanism": {"type": kind, **more, "inputs": r.choice(["ends", "interval"])}, "users": n}
            found = [two_laws(one, (1,) * (h + 1) + (0,) * (n - 1 - h), (1,) * h + (0,) * (n - h)) for h in range(n)]
            if n == 1 and kind == "gaussian":
                found = [Pair(mu=1 / number(more["scale"], Decimal))]
        question["ask"] = d.ask(("tradeoff",) if kind == "pair" else ("renyi", "tradeoff"))
        return Case(question, found)
    return draw


def draw_ldp(r):
    """The class: all krr of few users, and the clones that bound it."""
    d = Draw(r)
    m, n = {"type": "ldp", "eps0": d.eps0()}, r.choice([1, 2, 3, 5, 8])
    e, question, variant = d.e(m["eps0"]), {"mechanism": m, "users": n}, r.choice(["", "", "fixed", "poisson", "delete", "delta0"])
    above = [clones_pair(variant, e, n)] if variant in ("", "delete") else None
    tables, size, more = [krr_rows(e, k) for k in (2, 3)], None, ("renyi", "tradeoff")
    if variant in ("", "delete"):
        found = [trinomial((e * s, s), other, n) for k in (2, 3, 5) for s in [1 / (e + k - 1)]
                 for other in ([(e * s, s)] + [(s, s)] * (k > 2))]
        if variant == "delete":
            m["local"] = "delete"
            low = 1 / (2 * e)
            found += [trinomial((1 - low, low), (1 - low, low), n)]
        question["ask"] = d.ask(more)
        return Case(question, found, above)
    question["users"] = n = min(n, 3)
    if variant == "fixed":
        size = r.randint(1, n)
        question["sample"] = {"scheme": "fixed", "rate": f"{size}/{n}"}
        above = [clones_pair(variant, e, size, d.of(Fraction(size, n)))]
    elif variant == "poisson":
        rate = d.part()
        question["sample"] = {"scheme": "poisson", "rate": rate}
        tables = [[[d.of(rate) * p for p in row] + [1 - d.of(rate)] for row in rows] for rows in tables]
        above = [clones_pair(variant, e, n, d.of(rate))]
    else:
        m["delta0"] = r.choice(["1e-3", "1/10", "1e-9"])
        told = d.of(m["delta0"])
        more = ()
        tables = [[[(1 - told) * p for p in row] + [told if x == y else 0 * told for y in range(2)]
                   for x, row in enumerate(tables[0])]]
    question["ask"] = d.ask(more)
    return Case(question, [pair for rows in tables for pair in of_data([(len(rows), n)], [Round([rows], size)])], above)


def divergence(p, q, order):
    """The Renyi divergence of that order, of rows without zeros."""
    return sum(x * (x / y) ** (order - 1) for x, y in zip(p, q)).ln() / (order - 1)


def response_of(order, most):
    """e^eps of binary randomised response with that divergence, barely above it."""
    low, high = Decimal(0), most + 1
    for _ in range(150):
        eps = (low + high) / 2
        e = eps.exp()
        rows = [e / (1 + e), 1 / (1 + e)], [1 / (1 + e), e / (1 + e)]
        low, high = (low, eps) if eps > most + 1 or divergence(*rows, order) > most else (eps, high)
    return high.exp()


def draw_renyi(r):
    """The class of a Renyi divergence: a random randomiser in it, often with a rare output that tells much; all krr of few users from below."""
    d = Draw(r, Decimal)
    order = d.of(r.choice(["2", "2", "3", "5", "8", "16", "32", "3/2", "5/4", "7/3"]))
    values, outputs, n, rounds = r.randint(2, 3), r.randint(2, 4), r.choice([1, 1, 2, 2, 3, 4]), 1
    while n > 1 and size_of(values, n, outputs) > 1500:
        n -= 1
    rows = []
    for _ in range(values):
        weights = [Decimal(r.randint(1, 9)) * Decimal(10) ** -r.choice([0, 0, 0, 1, 2, 4]) for _ in range(outputs)]
        rows.append([w / sum(weights) for w in weights])
    if r.random() < 0.3:
        low = Decimal(r.randint(1, 50)) / Decimal(10) ** r.randint(3, 6)
        high = low * r.randint(2, 15)
        rows = [[high, low, 1 - high - low], [low, high, 1 - high - low]]
    most = max(divergence(p, q, order) for p, q in itertools.permutations(rows, 2))
    text = f"{most * (1 + Decimal('1e-30')) + Decimal('1e-40'):.45f}"
    m = {"type": "renyi-ldp", "order": str(Fraction(order).limit_denominator(9)), "renyi": text}
    question = {"mechanism": m, "users": n}
    if size_of(len(rows), n, len(rows[0])) <= 120 and r.random() < 0.3:
        rounds = question["rounds"] = 2
    question["ask"] = d.ask(())
    e = response_of(order, Decimal(text))
    above = [compose([trinomial((e * s, s), other, n)] * rounds) for k in (2, 3) for s in [1 / (e + k - 1)]
             for other in ([(e * s, s)] if k == 2 else [(s, s)])]
    return Case(question, of_data([(len(rows), n)], [Round([rows])] * rounds), above)
