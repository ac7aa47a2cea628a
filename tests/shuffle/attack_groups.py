# SPDX-License-Identifier: LGPL-3.0-or-later
"""Theorems 1, 3, 3a, 3b, 4 and 4a and Lemma 2 of proofs/groups.md against all neighbouring data of small groups, in exact rationals; with a program
as the argument its answers, too: no data exceed the upper end, and those that it names have what it says. After it K/N: of what takes long every N-th,
from the K-th on.

A group is (E, k, users), k-RR with e^eps0 = E.

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


def tagged(law, tag):
    """With outputs of its own."""
    return {(tag, y): p for y, p in law.items()}


def worst_of(rows, own, alpha):
    """The largest divergence of all neighbouring data; each user has rows, one law for each value, and one of the users `own` differs."""
    best = F(0)
    for i in own:
        for data in itertools.product(*(r for j, r in enumerate(rows) if j != i)):
            laws = [shuffled([*data, law]) for law in rows[i]]
            best = max(best, max(hockey(P, Q, alpha) for P, Q in itertools.permutations(laws, 2)))
    return best


def rows_of(groups):
    return [[report(E, k, value) for value in range(k)] for E, k, n in groups for _ in range(n)]


def first_users(groups):
    """One user of each group."""
    return list(itertools.accumulate([0, *(n for _, _, n in groups)]))[:-1]


def worst(groups, alpha, k=None):
    """The same of groups; a user with k values differs."""
    return worst_of(rows_of(groups), [i for i, g in zip(first_users(groups), groups) if k in (None, g[1])], alpha)


def coins(probabilities):
    law = [1]
    for p in probabilities:
        law = [a * (1 - p) + b * p for a, b in zip([*law, 0], [0, *law])]
    return law


def trinomial(n, w0, r, alpha):
    """H of the pair of theorem groups-clones."""
    other, P, Q = {0: r, 1: r, 2: 1 - 2 * r}, {0: w0, 1: 1 - w0}, {0: 1 - w0, 1: w0}
    return max(hockey(shuffled([other] * (n - 1) + [a]), shuffled([other] * (n - 1) + [b]), alpha) for a, b in ((P, Q), (Q, P)))


def below_root(x, n):
    """A rational barely below the n-th root of x in (0, 1)."""
    r = F(float(x) ** (1 / n)) * (1 - F(1, 10**9))
    assert r ** n <= x
    return r


def mean_of_others(groups, k, number):
    """The geometric mean of the largest 1/(E + k - 1) of so many users with at least k values, but the largest; barely below it."""
    left = sorted((1 / (x + y - 1) for x, y, n in groups if y >= k for _ in range(n)), reverse=True)[1:]
    return below_root(math.prod(left[:number]), number) if number > 0 else F(0)


def largest(groups, k):
    return max(x for x, y, _ in groups if y == k)


def clones(groups, k, alpha, number):
    """The pair of theorem groups-clones: so many others, those with the largest r, hide a user with k values."""
    E = largest(groups, k)
    return trinomial(number + 1, E / (E + 1), mean_of_others(groups, k, number) * (E + k - 1) / (E + 1), alpha)


def weak(groups, k, alpha, number):
    """The pair of theorem groups-weak: of so many others those who report anything are seen."""
    r = 1 / (largest(groups, k) + k - 1)
    P, Q = ({x: 1 - (k - 1) * r, 1 - x: r, 2: (k - 2) * r} for x in (0, 1))
    law, any_value = coins([k * mean_of_others(groups, k, number)] * number), {0: F(1, k), 1: F(1, k), 2: 1 - F(2, k)}
    return sum(mass * hockey(shuffled([any_value] * b + [P]), shuffled([any_value] * b + [Q]), alpha) for b, mass in enumerate(law))


def shared(groups, E_t, alpha):
    """E h(M) of theorem groups-shared."""
    users = sorted(E for E, _, n in groups for _ in range(n))
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


def bits(groups, g, alpha):
    """The divergence of theorem groups-bits, a user of group g differing."""
    E, k, _ = groups[g]
    law = coins([1 / (x + y - 1) if y >= k else F(0) for h, (x, y, n) in enumerate(groups) for _ in range(n - (h == g))])
    P, Q = ([x * (1 - y) + z * y for x, z in zip([*law, F(0)], [F(0), *law])] for y in (E / (E + k - 1), 1 / (E + k - 1)))
    return max(sum(max(x - alpha * y, F(0)) for x, y in zip(*pair)) for pair in ((P, Q), (Q, P)))


def third(groups, g, alpha):
    """That of theorem groups-third; 0 where it says nothing."""
    E, k, _ = groups[g]
    if k < 3 or any(y == k - 1 for _, y, _ in groups):
        return F(0)
    rates = [1 / (x + y - 1) for h, (x, y, n) in enumerate(groups) for _ in range(n - (h == g)) if y >= k]
    r = 1 / (E + k - 1)
    laws = [shuffled([*({0: s, 1: s, 2: 1 - 2 * s} for s in rates), {x: E * r, 1 - x: r, 2: (k - 2) * r}]) for x in (0, 1)]
    return hockey(*laws, alpha)


def some_groups(most, ks=(2, 3, 4)):
    while True:
        groups = [(1 + F(random.randrange(1, 40), random.randrange(1, 12)), random.choice(ks), random.randrange(1, 4)) for _ in range(random.randrange(1, 4))]
        if sum(n for _, _, n in groups) <= most and math.prod(k ** n for _, k, n in groups) <= 130:
            return groups


def some_alpha(groups):
    return 1 + (max(E for E, _, _ in groups) - 1) * F(random.randrange(0, 20), 20)


def check_lemma(count):
    """Two coins against two alike, exactly; and several against their mean, with a rational below it."""
    for _ in range(count):
        s = [F(random.randrange(0, 21), 20) for _ in range(random.randrange(1, 7))]
        mean = below_root(math.prod(s), len(s)) if 0 < math.prod(s) < 1 else F(math.prod(s) == 1)
        several, alike = coins(s), coins([mean] * len(s))
        for m in range(len(s) + 1):
            assert sum(several[m:]) >= sum(alike[m:]), (seed, s, m)


def check_theorems(count):
    for i in range(count):
        groups = some_groups(5, (2,) if i % 3 == 0 else (2, 3, 4))
        alpha = some_alpha(groups)
        for k in {k for _, k, _ in groups}:
            exact = worst(groups, alpha, k)
            others = sum(n for _, y, n in groups if y >= k) - 1
            pairs = [(weak(groups, k, alpha, number), clones(groups, k, alpha, number)) for number in range(others + 1)]
            assert all(exact <= a <= b for a, b in pairs), (seed, groups, k, alpha)
        exact = worst(groups, alpha)
        assert all(max(bits(groups, g, alpha), third(groups, g, alpha)) <= exact for g in range(len(groups))), (seed, groups, alpha)
        if all(k == 2 for _, k, _ in groups):
            E = max(x for x, _, _ in groups)
            assert all(exact <= shared(groups, x, alpha) for x in (F(1), 1 + (E - 1) * F(random.randrange(0, 21), 20), E)), (seed, groups, alpha)


def check_apart(count):
    """Groups with the same outputs, and each with its own: never more than the largest of them alone; with their own, as much."""
    for _ in range(count):
        groups = some_groups(5)
        alpha = some_alpha(groups)
        alone = max(worst([group], alpha) for group in groups)
        rows = [[tagged(report(E, k, value), g) for value in range(k)] for g, (E, k, n) in enumerate(groups) for _ in range(n)]
        assert worst_of(rows, first_users(groups), alpha) == alone, (seed, groups, alpha)
        if len({k for _, k, _ in groups}) == 1:
            assert worst(groups, alpha) <= alone, (seed, groups, alpha)


def ask(program, question):
    run = subprocess.run([program, "ask", "-"], input=json.dumps(question), capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def number(text):
    return F(text)


def mechanism_of(group, kind):
    """The JSON of a group: k-RR, the same as a matrix, or the class that it is of."""
    E, k, n = group
    krr = {"type": "krr", "k": k, "eps0": f"log({E})"}
    matrix = {"type": "matrix", "rows": [[str(report(E, k, value)[y]) for y in range(k)] for value in range(k)]}
    return {"mechanism": {"krr": krr, "matrix": matrix, "ldp": {"type": "ldp", "eps0": f"log({E})"}}[kind], "users": n}


def named(data, alpha):
    """The divergence of the data of an answer: all reports, those of all groups being seen."""
    m = data["mechanism"]
    groups = m["groups"] if m["type"] == "groups" else [{"mechanism": m, "users": sum(int(x["users"]) for x in data["first"])}]
    rows = []
    for g in groups:
        own = g["mechanism"]
        if own["type"] == "matrix":
            laws = [dict(enumerate(map(F, row))) for row in own["rows"]]
        else:
            laws = [report(F(own["eps0"][4:-1]), int(own.get("k", 2)), value) for value in range(int(own.get("k", 2)))]
        rows += [laws] * int(g["users"])
    first, second = (Counter({int(x["value"]): int(x["users"]) for x in data[name]}) for name in ("first", "second"))
    (x,), (x1,) = first - second, second - first
    common = list((first - Counter([x])).elements())
    best = F(0)
    for i in range(len(rows)):  # whoever differs, who may hold what is said
        others = [r for j, r in enumerate(rows) if j != i]
        if max(x, x1) < len(rows[i]) and all(v < len(r) for v, r in zip(common, others)):
            laws = [shuffled([*(r[v] for v, r in zip(common, others)), rows[i][own]]) for own in (x, x1)]
            best = max([best, *(hockey(P, Q, alpha) for P, Q in itertools.permutations(laws, 2))])
    return best


def check_program(program, count):
    for i in range(count):
        groups = some_groups(5, (2,) if i % 3 == 0 else (2, 3, 4))
        alpha = some_alpha(groups)
        kinds = ["krr"] * len(groups) if i % 2 == 0 else random.choices(["krr", "krr", "matrix", "ldp"], k=len(groups))
        question = {"mechanism": {"type": "groups", "groups": [mechanism_of(*x) for x in zip(groups, kinds)]},
                    "ask": {"quantity": "delta", "eps": f"log({alpha})"}}
        answer = ask(program, question)
        together = [g for g, kind in zip(groups, kinds) if kind == "krr"]
        # the worst of all outputs: those of k-RR the same, the others' their own; and all the same
        exact = max([worst([g], alpha) for g, kind in zip(groups, kinds) if kind != "krr"] + ([worst(together, alpha)] if together else []))
        same = worst(groups, alpha)
        most = number(answer["upper"]["hi"])
        assert max(exact, same) <= most, (seed, question, exact, same)
        for tried in answer["tried"]:
            assert tried["side"] == "lower" or exact <= number(tried["hi"]), (seed, question, tried)
            if tried["theorems"][0]["id"] == "groups-shared":
                bound = max(shared(groups, x, alpha) for x, _, _ in groups)
                assert number(tried["hi"]) <= bound * (1 + F(1, 10**5)) + F(1, 10**9), (seed, question, bound)
        pairs = {k: [weak(together, k, alpha, i) for i in range(sum(n for _, y, n in together if y >= k))] for k in {k for _, k, _ in together}}
        least = max([F(0), *(min(values) for k, values in pairs.items() if set(pairs) != {2})])
        assert most >= least * (1 - F(1, 10**6)), (seed, question, least)
        if len({(E, k) for E, k, _ in groups}) > 1 and len(together) == len(groups):
            ends = [sum(n for x, y, n in groups if y >= k and x + y <= end) - 1 for k in pairs for end in {x + y for x, y, _ in groups if y >= k}]
            bound = max(max(values[i] for i in ends if i < len(values)) for values in pairs.values())
            assert most <= bound * (1 + F(1, 10**5)) + F(1, 10**9), (seed, question, bound)
        least = number(answer["lower"]["lo"])
        assert least <= named(answer["lower"]["data"], alpha), (seed, question, answer["lower"])
        for tried in answer["tried"]:
            of = {"groups-bits": bits, "groups-third": third}.get(tried["theorems"][-1]["id"])
            assert of is None or any(number(tried["lo"]) <= low <= number(tried["hi"]) <= number(tried["lo"]) + F(1, 10**9)
                                     for low in (of(together, g, alpha) for g in range(len(together)))), (seed, question, tried)


def check_others(program, place, parts):
    """Every kind of group beside others has ends from below, and a group alone has those of its mechanism."""
    rappor, laplace, response = ({"type": "rappor", "k": 4, "eps0": 1}, {"type": "laplace", "scale": 1}, {"type": "hadamard-response", "k": 3, "eps0": 1})
    ldp, krr = {"type": "ldp", "eps0": 1}, {"type": "krr", "k": 3, "eps0": 1}
    point = {"ask": {"quantity": "delta", "eps": "1/5"}}
    for pair in [*itertools.combinations([rappor, laplace, response, ldp, krr], 2)][place::parts]:
        alone = [ask(program, {"mechanism": m, "users": 50, **point}) for m in pair]
        answer = ask(program, {"mechanism": {"type": "groups", "groups": [{"mechanism": m, "users": 50} for m in pair]}, **point})
        least, most = (number(answer[side][end]) for side, end in (("lower", "lo"), ("upper", "hi")))
        assert 0 < least <= max(number(a["upper"]["hi"]) for a in alone) and least <= most, (seed, pair, answer)
        answer = ask(program, {"mechanism": {"type": "groups", "groups": [{"mechanism": m, "users": 50} for m in pair]}, "ask": {"quantity": "renyi", "order": 3}})
        assert number(answer["upper"]["hi"]) >= number(answer["lower"]["lo"] if "lower" in answer else "0"), (seed, pair, answer)
    for m in (rappor, krr, ldp):
        a = ask(program, {"mechanism": m, "users": 50, **point})
        b = ask(program, {"mechanism": {"type": "groups", "groups": [{"mechanism": m, "users": 50}]}, **point})
        assert [a[side][end] for side in ("lower", "upper") for end in ("lo", "hi")] == [b[side][end] for side in ("lower", "upper") for end in ("lo", "hi")], (a, b)
        assert a["lower"]["data"] == b["lower"]["data"], (a, b)


def check_more(program, count, place, parts):
    """More users never hurt, nor do more groups of as many values or more whose eps0 is no larger."""
    for i in range(count):
        k = random.choice([2, 3, 5])
        groups = [(random.choice(["1/2", "1", "2", "4", "8"]), k, random.randrange(1, 2000)) for _ in range(2)]
        more = [(e, y, n + random.choice([0, 1, 500])) for e, y, n in groups]
        more += [(random.choice([groups[0][0], "1/2"]), k, random.randrange(1, 2000))]
        if i % parts != place:
            continue
        ends = [number(ask(program, {"mechanism": {"type": "groups", "groups": [{"mechanism": {"type": "krr", "k": y, "eps0": e}, "users": n} for e, y, n in list_of]},
                                     "ask": {"quantity": "delta", "eps": "1/4"}})["upper"]["hi"]) for list_of in (groups, more)]
        assert ends[1] <= ends[0] * (1 + F(1, 10**6)) + F(1, 10**12), (seed, groups, more, ends)


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
check_theorems(18)
check_apart(8)
if len(sys.argv) > 1:
    share = [int(x) for x in sys.argv[2].split("/")]
    check_program(sys.argv[1], 24)
    check_others(sys.argv[1], *share)
    check_more(sys.argv[1], 15, *share)
    check_classes(sys.argv[1], 12)
    check_cells(sys.argv[1], 4)
