# SPDX-License-Identifier: LGPL-3.0-or-later
"""Theorems 1, 3, 3a and 4 and Lemma 2 of proofs/groups.md against all neighbouring data of small groups, in exact rationals; with a program
as the argument its answers, too: no data exceed the upper end, and those that it names have what it says.

SHUFBOUND_SEED repeats the random numbers.
"""
import itertools
import json
import math
import os
import random
import subprocess
import sys
from collections import Counter
from fractions import Fraction as F

seed = int(os.environ.get("SHUFBOUND_SEED") or random.SystemRandom().randrange(10**9))
random.seed(seed)


def report(E, k, value):
    """The law of a report of k-RR with e^eps0 = E."""
    return {y: (E if y == value else F(1)) / (E + k - 1) for y in range(k)}


def shuffled(laws):
    """The law of the multiset of independent reports."""
    result = {(): F(1)}
    for law in laws:
        after = Counter()
        for seen, mass in result.items():
            for y, p in law.items():
                after[tuple(sorted(seen + (y,)))] += mass * p
        result = after
    return result


def hockey(P, Q, alpha):
    return sum(max(P[z] - alpha * Q.get(z, 0), F(0)) for z in P)


def worst(groups, k, alpha):
    """The largest divergence of all neighbouring data; groups is a list of (E, users)."""
    best = F(0)
    for g, (E, _) in enumerate(groups):
        others = [x for h, (x, n) in enumerate(groups) for _ in range(n - (h == g))]
        for data in itertools.product(range(k), repeat=len(others)):
            rest = [report(x, k, value) for x, value in zip(others, data)]
            laws = [shuffled(rest + [report(E, k, value)]) for value in range(k)]
            best = max(best, max(hockey(P, Q, alpha) for P, Q in itertools.permutations(laws, 2)))
    return best


def coins(probabilities):
    law = [1]
    for p in probabilities:
        law = [a * (1 - p) + b * p for a, b in zip([*law, 0], [0, *law])]
    return law


def trinomial(n, w0, r, alpha):
    """H of the pair of theorem groups-blanket."""
    other, P, Q = {0: r, 1: r, 2: 1 - 2 * r}, {0: w0, 1: 1 - w0}, {0: 1 - w0, 1: w0}
    return max(hockey(shuffled([other] * (n - 1) + [a]), shuffled([other] * (n - 1) + [b]), alpha) for a, b in ((P, Q), (Q, P)))


def below_root(x, n):
    """A rational barely below the n-th root of x in (0, 1)."""
    r = F(float(x) ** (1 / n)) * (1 - F(1, 10**9))
    assert r ** n <= x
    return r


def blanket(groups, k, alpha):
    users = sorted(E for E, n in groups for _ in range(n))
    n, product = len(users), F(1)
    for E in users[1:]:
        product *= 1 / (E + k - 1)
    E = users[-1]
    return trinomial(n, E / (E + 1), below_root(product, n - 1) if n > 1 else F(1, k), alpha)


def shared(groups, E_t, alpha):
    """E h(M) of theorem groups-shared."""
    users = sorted(E for E, n in groups for _ in range(n))
    p, one = users[-1] / (users[-1] + 1), E_t / (E_t + 1)
    result = F(0)
    for m, mass in enumerate(coins([min(F(1), (E_t + 1) / (E + 1)) for E in users[1:]])):
        h = F(0)
        for a in range(m + 1):
            law = coins([one] * a + [1 - one] * (m - a))
            P, Q = ([x * (1 - y) + z * y for x, z in zip([*law, F(0)], [F(0), *law])] for y in (p, 1 - p))
            h = max([h, *(sum(max(x - alpha * y, F(0)) for x, y in zip(*pair)) for pair in ((P, Q), (Q, P)))])
        result += mass * h
    return result


def named(groups, k, alpha, rank, others):
    """The reports, or whether they are 0, of the data that the program names: `rank` is of the group that differs."""
    rest = [report(E, k, others) for h, (E, n) in enumerate(groups) for _ in range(n - (h == rank))]
    laws = [shuffled([{1: law[0], 0: 1 - law[0]} for law in [*rest, report(groups[rank][0], k, value)]]) for value in (0, 1)]
    return max(hockey(P, Q, alpha) for P, Q in itertools.permutations(laws, 2))


def some_groups(most):
    while True:
        groups = [(1 + F(random.randrange(1, 40), random.randrange(1, 12)), random.randrange(1, 4)) for _ in range(random.randrange(1, 4))]
        if sum(n for _, n in groups) <= most:
            return groups


def check_lemma(count):
    """Two coins against two alike, exactly; and several against their mean, with a rational below it."""
    for _ in range(count):
        s = [F(random.randrange(0, 21), 20) for _ in range(random.randrange(1, 7))]
        mean = below_root(math.prod(s), len(s)) if 0 < math.prod(s) < 1 else F(math.prod(s) == 1)
        several, alike = coins(s), coins([mean] * len(s))
        for m in range(len(s) + 1):
            assert sum(several[m:]) >= sum(alike[m:]), (seed, s, m)


def check_theorems(count):
    for _ in range(count):
        k = random.choice([2, 2, 2, 3])
        groups = some_groups(5 if k == 2 else 4)
        E = max(x for x, _ in groups)
        alpha = 1 + (E - 1) * F(random.randrange(0, 20), 20)
        exact = worst(groups, k, alpha)
        assert exact <= blanket(groups, k, alpha), (seed, groups, k, alpha)
        if k == 2:
            assert all(exact <= shared(groups, x, alpha) for x in (F(1), 1 + (E - 1) * F(random.randrange(0, 21), 20), E)), (seed, groups, alpha)
        rank = max(range(len(groups)), key=lambda g: groups[g][0])
        low = named(groups, k, alpha, rank, 0 if k == 2 else 2)
        assert low <= exact, (seed, groups, k, alpha)


def check_apart(count):
    """Two groups of binary reports: apart, each with its own outputs, and alike: never more than the larger of them alone."""
    for _ in range(count):
        groups = some_groups(5)
        alpha = 1 + (max(x for x, _ in groups) - 1) * F(random.randrange(0, 20), 20)
        alone = max(worst([group], 2, alpha) for group in groups)
        assert worst(groups, 2, alpha) <= alone, (seed, groups, alpha)
        E, n = groups[0]
        rest = [{(h, y): p for y, p in report(x, 2, 0).items()} for h, (x, m) in enumerate(groups[1:]) for _ in range(m)]
        own = [[report(E, 2, 0)] * (n - 1) + [report(E, 2, value)] for value in (0, 1)]
        tagged = [shuffled(rest + [{(-1, y): p for y, p in law.items()} for law in laws]) for laws in own]
        assert hockey(*tagged, alpha) == hockey(*map(shuffled, own), alpha), (seed, groups, alpha)


def ask(program, question):
    run = subprocess.run([program, "ask", "-"], input=json.dumps(question), capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def number(text):
    return F(text)


def check_program(program, count):
    for _ in range(count):
        k = random.choice([2, 2, 2, 3])
        groups = some_groups(5 if k == 2 else 4)
        E = max(x for x, _ in groups)
        alpha = 1 + (E - 1) * F(random.randrange(0, 20), 20)
        list_of = [{"mechanism": {"type": "krr", "k": k, "eps0": f"log({x})"}, "users": n} for x, n in groups]
        question = {"mechanism": {"type": "groups", "groups": list_of}, "ask": {"quantity": "delta", "eps": f"log({alpha})"}}
        answer, exact = ask(program, question), worst(groups, k, alpha)
        assert exact <= number(answer["upper"]["hi"]), (seed, question, exact)
        assert number(answer["upper"]["hi"]) <= blanket(groups, k, alpha) * (1 + F(1, 10**5)) + F(1, 10**12), (seed, question)
        for tried in answer["tried"]:
            assert tried["side"] == "lower" or exact <= number(tried["hi"]), (seed, question, tried)
            if tried["theorems"][0]["id"] == "groups-shared":
                most = max(shared(groups, x, alpha) for x, _ in groups)
                assert number(tried["hi"]) <= most * (1 + F(1, 10**5)) + F(1, 10**9), (seed, question, most)
        rank = max(range(len(groups)), key=lambda g: groups[g][0])
        low = named(groups, k, alpha, rank, 0 if k == 2 else 2)
        assert number(answer["lower"]["lo"]) <= low <= number(answer["lower"]["hi"]), (seed, question, low)
        assert number(answer["lower"]["hi"]) - number(answer["lower"]["lo"]) <= F(1, 10**9), (seed, question)


def check_classes(program, count):
    """Classes: the larger of the groups asked for alone, and what one of its groups has."""
    for _ in range(count):
        groups = [(random.choice(["1/2", "1", "2", "log(5)"]), random.randrange(2, 300)) for _ in range(random.randrange(1, 4))]
        alike = {"quantity": "delta", "eps": "1/4"}
        alone = [ask(program, {"mechanism": {"type": "ldp", "eps0": e}, "users": n, "ask": alike}) for e, n in groups]
        list_of = [{"mechanism": {"type": "ldp", "eps0": e}, "users": n} for e, n in groups]
        answer = ask(program, {"mechanism": {"type": "groups", "groups": list_of}, "ask": alike})
        most = max(number(a["upper"]["hi"]) for a in alone)
        assert number(answer["upper"]["hi"]) >= most * (1 - F(1, 10**6)), (seed, groups)
        assert number(answer["upper"]["lo"]) <= most, (seed, groups)
        assert number(answer["lower"]["lo"]) <= max(number(a["lower"]["hi"]) for a in alone), (seed, groups)


def check_cells(program, count):
    """So many users that numbers are put together: the bound is above what all-equal data give, in doubles, and not far above."""
    for _ in range(count):
        n, e = random.randrange(60, 120), random.choice([1.0, 1.5, 2.0])
        list_of = [{"mechanism": {"type": "rr2", "eps0": "0.5"}, "users": n}, {"mechanism": {"type": "rr2", "eps0": str(e)}, "users": n}]
        eps = random.choice(["0.1", "0.2", "0.3"])
        answer = ask(program, {"mechanism": {"type": "groups", "groups": list_of}, "ask": {"quantity": "delta", "eps": eps}})
        found = [float(t["hi"]) for t in answer["tried"] if t["theorems"][0]["id"] == "groups-shared"]
        alpha, p = math.exp(float(eps)), 1 / (1 + math.exp(-e))
        least = math.inf
        for shares in (0.5, e):
            one, coin = 1 / (1 + math.exp(-shares)), min(1.0, (math.exp(shares) + 1) / (math.exp(e) + 1))
            total, law = 0.0, [1.0]
            for mass in coins([1.0] * (n - 1) + [coin] * n):
                P, Q = ([x * (1 - y) + z * y for x, z in zip([*law, 0.0], [0.0, *law])] for y in (p, 1 - p))
                total += mass * max(sum(max(x - alpha * y, 0.0) for x, y in zip(*pair)) for pair in ((P, Q), (Q, P)))
                law = [x * (1 - one) + z * one for x, z in zip([*law, 0.0], [0.0, *law])]
            least = min(least, total)
        assert len(found) == 1 and least * (1 - 1e-6) <= found[0] <= 1.3 * least, (seed, list_of, eps, found, least)


check_lemma(300)
check_theorems(60)
check_apart(12)
if len(sys.argv) > 1:
    check_program(sys.argv[1], 60)
    check_classes(sys.argv[1], 12)
    check_cells(sys.argv[1], 4)
