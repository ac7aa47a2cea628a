#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Renyi divergences of small shuffled mechanisms, samples of them and noisy SGD, by all outcomes of all neighbouring data and by quadrature in doubles: the largest one is
not above the answer's upper end, nor is the lower end above it. SHUFBOUND_SEED sets the seed. With K/N: of every N-th, from the K-th on."""

import itertools
import json
import math
import os
import random
import subprocess
import sys
from collections import Counter
from fractions import Fraction as F

SLACK = 1e-9
CASES = int(os.environ.get("SHUFBOUND_RENYI_CASES", "60"))


def divergence(P, Q, a):
    """Of laws on a list of outcomes, by E (R^a - 1 - a (R - 1)), in which little cancels."""
    total = 0.0
    powers = [math.log(q) + a * math.log(p / q) for p, q in zip(P, Q) if p > 0 and q > 0]
    if a > 1 and max(powers) > 300 and all(q > 0 for p, q in zip(P, Q) if p > 0):
        return (max(powers) + math.log(sum(math.exp(x - max(powers)) for x in powers))) / (a - 1)
    for p, q in zip(P, Q):
        if p == 0 and q == 0:
            continue
        if q == 0:
            return math.inf
        x = math.log(p / q) if p > 0 else -math.inf
        if a == 1:
            total += q * (math.exp(x) * x - math.expm1(x)) if p > 0 else q
        else:
            total += q * (math.expm1(a * x) - a * math.expm1(x)) if p > 0 else q * (a - 1)
    return max(total, 0.0) if a == 1 else math.log1p(max(total, 0.0)) / (a - 1)


def shuffled(rows, values):
    """The law of the histogram of the reports of users with these values."""
    law = {tuple([0] * len(rows[0])): F(1)}
    for x in values:
        new = Counter()
        for h, mass in law.items():
            for y, p in enumerate(rows[x]):
                if p:
                    new[h[:y] + (h[y] + 1,) + h[y + 1:]] += mass * p
        law = new
    return law


def sampled(rows, values, take):
    law, subsets = Counter(), list(itertools.combinations(range(len(values)), take))
    for s in subsets:
        for h, mass in shuffled(rows, [values[i] for i in s]).items():
            law[h] += mass / len(subsets)
    return law


def largest(rows, users, take, a):
    """Over all neighbouring data."""
    best = 0.0
    for others in itertools.combinations_with_replacement(range(len(rows)), users - 1):
        laws = [sampled(rows, [x, *others], take) for x in range(len(rows))]
        for P, Q in itertools.permutations(laws, 2):
            keys = set(P) | set(Q)
            best = max(best, divergence([float(P.get(k, 0)) for k in keys], [float(Q.get(k, 0)) for k in keys], a))
    return best


def random_row(outputs):
    weights = [random.choice([1, 1, 2, 3, 5, 9, 30]) for _ in range(outputs)]
    return [F(w, sum(weights)) for w in weights]


def random_order():
    return random.choice([F(1), F(2), F(3), F(random.randint(101, 900), 100), F(random.randint(10, 30))])


def small():
    """A described mechanism: its question, and the truth."""
    users, inputs = random.randint(1, 4), random.choice([2, 2, 3])
    take = users if random.random() < 0.6 else random.randint(1, users)
    kind = random.choice(["matrix", "krr", "rappor"])
    if kind == "matrix":
        rows = [random_row(random.choice([2, 3])) for _ in range(1)]
        rows += [random_row(len(rows[0])) for _ in range(inputs - 1)]
        mechanism = {"type": "matrix", "rows": [[str(p) for p in row] for row in rows]}
    elif kind == "krr":
        g = F(random.randint(1, 9), 10)
        rows = [[g / inputs + (1 - g if x == y else 0) for y in range(inputs)] for x in range(inputs)]
        mechanism = {"type": "krr", "k": inputs, "gamma": str(g)}
    else:
        f = F(random.randint(5, 45), 100)
        bits = list(itertools.product((0, 1), repeat=inputs))
        rows = [[math.prod((1 - f if (i == x) == bool(b) else f) for i, b in enumerate(v)) for v in bits] for x in range(inputs)]
        mechanism = {"type": "rappor", "k": inputs, "flip": str(f)}
        users, take = min(users, 3), min(take, 3)
    question = {"mechanism": mechanism, "users": users}
    if take < users:
        question["sample"] = {"scheme": "fixed", "rate": str(F(take, users))}
    a = random_order()
    return question, a, lambda: largest(rows, users, take, float(a))


def normal(y, mean, s):
    return math.exp(-((y - mean) / s) ** 2 / 2) / (s * math.sqrt(2 * math.pi))


def grid(first, second, s, a, reach):
    """Of mixtures of normal laws, [(weight, mean), ..], in both directions."""
    step = s / 60
    ys = [i * step for i in range(int(-reach / step), int(reach / step) + 1)]
    P = [step * sum(w * normal(y, m, s) for w, m in first) for y in ys]
    Q = [step * sum(w * normal(y, m, s) for w, m in second) for y in ys]
    return max(divergence([p for p, q in zip(P, Q) if q > 0], [q for q in Q if q > 0], a), divergence([q for p, q in zip(P, Q) if p > 0], [p for p in P if p > 0], a))


def training():
    """A step of noisy SGD, whose worst case is a mixture; or data that are not worse."""
    s, q = F(random.randint(6, 30), 10), F(random.randint(1, 9), 10)
    a = random.choice([F(1), F(2), F(random.randint(101, 500), 100)])
    kind = random.choice(["removed", "replaced", "user", "without"])
    reach = 8 * float(s) + 2 * (float(a) + 2)
    w = float(q)
    mechanism = {"type": "noisy-sgd", "sampler": "poisson", "noise_multiplier": str(s), "sampling_rate": str(q), "steps": 1}
    question = {"mechanism": mechanism}
    if kind == "removed":
        pair = [(1 - w, 0), (w, 1)], [(1, 0)]
    elif kind == "replaced":
        question["neighbours"] = "replace"
        pair = [(1 - w, 0), (w, 1)], [(1 - w, 0), (w, -1)]
    elif kind == "user":
        mechanism["records_per_user"] = 2
        pair = [((1 - w) ** 2, 0), (2 * w * (1 - w), 1), (w * w, 2)], [(1, 0)]
        reach *= 1.5
    else:
        mechanism["sampler"] = "without-replacement"
        pair = [(1 - w, 0), (w, 2)], [(1, 0)] # data from below: the others at -1, translated
        reach *= 1.5
    return question, a, (lambda: grid(*pair, float(s), float(a), reach)), kind != "without"


def rho(r):
    """The largest D_a/a of small mechanisms over many orders, and that of training, whose limit is known."""
    cases = []
    for _ in range(CASES // 6):
        users, g = r.randint(1, 4), F(r.randint(1, 9), 10)
        k = r.choice([2, 3])
        rows = [[g / k + (1 - g if x == y else 0) for y in range(k)] for x in range(k)]
        question = {"mechanism": {"type": "krr", "k": k, "gamma": str(g)}, "users": users}
        orders = [1 + 1e-6] + [1 + 0.01 * 1.3 ** i for i in range(40)]
        cases.append((question, max(largest(rows, users, users, a) / a for a in orders), 0.97))
    for q in (F(1, 10), F(1, 100)):
        # Laplace noise of scale 1 on a sample: the largest one is at an order of more than 2
        step, cells = 1 / 400, range(-12000, 12401)
        first, second = ([step * math.exp(-abs(i * step - x)) / 2 for i in cells] for x in (0, 1))
        mixed = [(1 - float(q)) * x + float(q) * y for x, y in zip(first, second)]
        value = max(max(divergence(mixed, first, a), divergence(first, mixed, a)) / a for a in (1 + 0.25 * 1.3 ** i for i in range(30)))
        question = {"mechanism": {"type": "additive-noise", "noise": "laplace", "scale": 1}, "sample": {"scheme": "poisson", "rate": str(q)}}
        cases.append((question, value * (1 - 1e-4), 0.97))  # cells that are not quite small
    for sampler, steps in (("poisson", 7), ("balls-and-bins", 1), ("shuffle", 1), ("random-allocation", 2)):
        s = F(r.randint(4, 40), 10)
        mechanism = {"type": "noisy-sgd", "sampler": sampler, "noise_multiplier": str(s), "steps": 7 if sampler == "poisson" else 10}
        if sampler in ("poisson", "random-allocation"):
            mechanism["sampling_rate"] = "1/5"
        cases.append(({"mechanism": mechanism, "rounds": 3}, float(3 * steps / (2 * s * s)), 1))
    # Laplace noise has its largest one at small orders, steps of small batches at large ones: together less than the sum of both
    s, steps, q = r.randint(1, 3), r.randint(1, 9), F(1, 100)
    orders = range(2, 400)
    laplace = [math.log((a * math.exp(a - 1) + (a - 1) * math.exp(-a)) / (2 * a - 1)) / (a - 1) for a in orders]
    powers = [[math.log(math.comb(a, j)) + j * math.log(q) + (a - j) * math.log(1 - q) + j * (j - 1) / (2 * s * s) for j in range(a + 1)] for a in orders]
    step = [(max(p) + math.log(sum(math.exp(x - max(p)) for x in p))) / (a - 1) for a, p in zip(orders, powers)]
    most = max([(x + steps * y) / a for a, x, y in zip(orders, laplace, step)] + [steps / (2 * s * s), math.exp(-1)])  # at order 1, that of the noise alone
    mechanism = {"type": "noisy-sgd", "sampler": "poisson", "noise_multiplier": s, "sampling_rate": str(q), "steps": steps}
    cases.append(({"rounds": [{"mechanism": {"type": "additive-noise", "noise": "laplace", "scale": 1}}, {"mechanism": mechanism}]}, most, 0.97))
    run = subprocess.run([os.environ.get("SHUFBOUND", "./shufbound"), "ask", "-"], input="".join(json.dumps({**q, "ask": {"quantity": "zcdp"}}) + "\n" for q, _, _ in cases), capture_output=True, text=True, check=False)
    bad = 0
    for (question, value, near), line in zip(cases, run.stdout.splitlines(), strict=True):
        answer = json.loads(line)
        low, high = float(answer["lower"]["lo"]), float(answer["upper"]["hi"])
        # the orders that are tried do not have all of the largest one
        if value > high * (1 + SLACK) or low * near > value * (1 + SLACK):
            print("FAIL", question, value, low, high)
            bad += 1
    return bad


def main():
    seed = os.environ.get("SHUFBOUND_SEED", str(random.randrange(10 ** 9)))
    print(f"SHUFBOUND_SEED={seed}")
    random.seed(int(seed))
    cases = []
    for i in range(CASES):
        question, a, truth, *known = small() if i % 2 else training()
        cases.append(({**question, "ask": {"quantity": "renyi", "order": str(a)}, "effort": "2e9"}, truth, not known or known[0]))
    place, parts = map(int, sys.argv[1].split("/")) if len(sys.argv) > 1 else (0, 1)
    cases = cases[place::parts]
    run = subprocess.run([os.environ.get("SHUFBOUND", "./shufbound"), "ask", "-"], input="".join(json.dumps(q) + "\n" for q, _, _ in cases), capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    if len(answers) != len(cases):
        sys.exit(f"FAIL: {len(answers)} answers to {len(cases)} questions: {run.stderr[-500:]}")
    bad, ratio = 0, 0.0
    for (question, truth, is_all), answer in zip(cases, answers):
        value = truth()
        low, high = (answer.get(side, {}).get(end) for side, end in (("lower", "lo"), ("upper", "hi")))
        if "error" in answer or "upper" not in answer:
            print("FAIL", question, answer.get("error"))
            bad += 1
            continue
        high = math.inf if high is None else float(high)
        low = float(low) if low is not None else math.inf if "lower" in answer else 0.0
        if value > high * (1 + SLACK) + 1e-12 or (is_all and low > value * (1 + SLACK) + 1e-12):
            print("FAIL", question, value, low, high)
            bad += 1
        if 0 < value < math.inf and low > 0 and high < math.inf:
            ratio = max(ratio, high / low)
    bad += rho(random.Random(int(seed)))
    print(f"{len(cases)} cases, {bad} wrong; the upper end is at most {ratio:.3f} times the lower one where both are known")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
