# SPDX-License-Identifier: LGPL-3.0-or-later
"""delta of a few users by enumeration in rationals, from the definitions: pairs, and mechanisms over all data."""
import itertools
import math
from fractions import Fraction


def random_rows(r):
    """A matrix of probabilities, sometimes with a zero."""
    columns = r.randint(2, 3)
    rows = []
    for _ in range(r.randint(2, 3)):
        weights = [r.randint(r.random() >= 0.1, 9) for _ in range(columns)]
        weights[0] += sum(weights) == 0
        rows.append([str(Fraction(w, sum(weights))) for w in weights])
    return rows


def divergence(p, q, factor):
    """Of laws as dictionaries: the larger of both directions."""
    keys = set(p) | set(q)
    return max(sum(max(a.get(x, 0) - factor * b.get(x, 0), 0) for x in keys) for a, b in ((p, q), (q, p)))


def added(law, report):
    """The law of the counts with one more independent report."""
    result = {}
    for counts, mass in law.items():
        for place, probability in enumerate(report):
            if probability:
                new = counts[:place] + (counts[place] + 1,) + counts[place + 1:]
                result[new] = result.get(new, 0) + mass * probability
    return result


def shuffled(reports):
    law = {(0,) * len(reports[0]): type(reports[0][0])(1)}
    for report in reports:
        law = added(law, report)
    return law


def product(p, q, rounds):
    laws = []
    for law in (p, q):
        total = {(): Fraction(1)}
        for _ in range(rounds):
            total = {x + (y,): a * b for x, a in total.items() for y, b in law.items()}
        laws.append(total)
    return laws


def trinomial(kind, e, k, n):
    """Laws of the pair of that kind of n users; e = exp(eps0)."""
    if kind in ("clones", "clones-stronger", "rr2"):
        w = (e / (e + 1), 1 / (e + 1))
        r = {"clones": (1 / (2 * e),) * 2, "clones-stronger": (1 / (e + 1),) * 2, "rr2": w}[kind]
    else:
        w = (e / (e + k - 1), 1 / (e + k - 1))
        r = w if kind == "krr-same" else (w[1], w[1])
    return pair_laws(w, r, n)


def pair_laws(w, r, n):
    w2, r2 = 1 - sum(w), 1 - sum(r)
    others = [(*r, r2)] * (n - 1)
    return shuffled([(w[0], w[1], w2)] + others), shuffled([(w[1], w[0], w2)] + others)


def of_pair(r):
    n, factor = r.randint(1, 9), Fraction(r.choice(["1", "3/2", "2", "9/8", "3", "101/100"]))
    kind = r.choice(["clones", "clones-stronger", "rr2", "krr-same", "krr-third", "trinomial"])
    e = Fraction(r.choice(["2", "3", "3/2", "5", "101/100", "20"]))
    pair = {"type": kind, "eps0": f"log({e})"}
    if kind == "trinomial":
        a, b, c, d = (r.randint(1, 5) for _ in range(4))
        pair = {"type": kind, "w0": f"{a}/12", "w1": f"{b}/12", "r0": f"{c}/12", "r1": f"{d}/12"}
        laws = pair_laws((Fraction(a, 12), Fraction(b, 12)), (Fraction(c, 12), Fraction(d, 12)), n)
    else:
        k = r.randint(3, 8)
        if kind.startswith("krr"):
            pair["k"] = str(k)
        laws = trinomial(kind, e, k, n)
    question = {"pair": pair, "users": str(n), "ask": {"quantity": "delta", "eps": f"log({factor})"}}
    if n <= 3 and r.random() < 0.7:
        question["rounds"] = "2"
        laws = product(*laws, 2)
    return question, divergence(*laws, factor), "=="


def of_matrix(r):
    """The worst data of n users who run a matrix."""
    rows, n = random_rows(r), r.randint(1, 4)
    factor = Fraction(r.choice(["1", "3/2", "2", "9/8"]))
    reports = [tuple(Fraction(x) for x in row) for row in rows]
    worst = Fraction(0)
    for others in itertools.combinations_with_replacement(reports, n - 1):
        law = shuffled(list(others)) if others else {(0,) * len(reports[0]): Fraction(1)}
        for one, other in itertools.combinations(reports, 2):
            worst = max(worst, divergence(added(law, one), added(law, other), factor))
    question = {"mechanism": {"type": "matrix", "rows": rows}, "users": str(n), "ask": {"quantity": "delta", "eps": f"log({factor})"}}
    return question, worst, "=="


def of_binary_sum(r):
    """One bit each by randomised response: the number of ones, for any number of users who hold a one."""
    n, e = r.randint(1, 12), Fraction(r.choice(["2", "3", "3/2", "7"]))
    factor = Fraction(r.choice(["1", "3/2", "9/8", "11/10"]))
    truth, lie = e / (e + 1), 1 / (e + 1)

    def ones(held):
        return {x: sum(math.comb(held, y) * truth ** y * lie ** (held - y) * math.comb(n - held, x - y) * lie ** (x - y) * truth ** (n - held - x + y)
                       for y in range(max(0, x - n + held), min(held, x) + 1)) for x in range(n + 1)}
    worst = max(divergence(ones(h), ones(h + 1), factor) for h in range(n))
    question = {"mechanism": {"type": "rr2", "eps0": f"log({e})"}, "users": str(n), "ask": {"quantity": "delta", "eps": f"log({factor})"}}
    return question, worst, "=="


def of_coins(r):
    """Coins added to counts, over all changes of a count by one record."""
    coins, counters, most = r.randint(1, 10), r.choice([1, 1, 2]), r.choice([1, 1, 2, 3])
    factor = Fraction(r.choice(["1", "3/2", "2", "5"]))
    laws = {change: {heads + change: Fraction(math.comb(coins, heads), 2 ** coins) for heads in range(coins + 1)} for change in range(-most, most + 1)}
    worst = Fraction(0)
    for changes in itertools.product(laws, repeat=counters):
        p, q = {(): Fraction(1)}, {(): Fraction(1)}
        for change in changes:
            p = {x + (y,): a * b for x, a in p.items() for y, b in laws[change].items()}
            q = {x + (y,): a * b for x, a in q.items() for y, b in laws[0].items()}
        worst = max(worst, divergence(p, q, factor))
    question = {"mechanism": {"type": "binomial-noise", "coins": coins, "sensitivity": most}, "rounds": counters,
                "ask": {"quantity": "delta", "eps": f"log({factor})"}}
    return question, worst, "=="


def of_releases(r):
    """Discrete Laplace noise with ratio 1/e of a whole number, of a Poisson sample or all: outcomes with the same likelihood ratio together."""
    e, s, releases, rate = r.choice([2, 3, 5]), r.randint(1, 4), r.choice([1, 1, 2, 3]), Fraction(r.choice(["1", "1", "1/3", "3/4"]))
    q, factor = Fraction(1, e), Fraction(r.choice(["1", "3/2", "2", "11/10"]))
    moved = [1 / (1 + q), *((1 - q) * q ** k / (1 + q) for k in range(1, s)), q ** s / (1 + q)]
    without = list(reversed(moved))
    pairs = [(Fraction(1), Fraction(1))]
    for _ in range(releases):
        pairs = [(a * (rate * x + (1 - rate) * y), b * y) for a, b in pairs for x, y in zip(moved, without)]
    worst = max(sum(max(a - factor * b, 0) for a, b in pairs), sum(max(b - factor * a, 0) for a, b in pairs))
    question = {"mechanism": {"type": "additive-noise", "noise": "discrete-laplace", "eps0": f"log({e ** s})", "sensitivity": s}, "rounds": releases,
                "ask": {"quantity": "delta", "eps": f"log({factor})"}}
    if rate < 1:
        question["sample"] = {"scheme": "poisson", "rate": str(rate)}
    return question, worst, "=="


def draw(r):
    """A question, its true answer, and how the answer's interval is related to it."""
    return r.choice([of_pair, of_pair, of_matrix, of_binary_sum, of_coins, of_releases])(r)
