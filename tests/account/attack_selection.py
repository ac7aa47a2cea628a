#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The best of a random number of runs of small mechanisms: all orders of their outcomes, all neighbouring data. What is released never has a larger
delta than the answer's upper end, nor is the lower end above the largest. SHUFBOUND_SEED sets the seed."""

import itertools
import json
import math
import os
import random
import subprocess
import sys
from fractions import Fraction as F

SLACK = 1 + 1e-9  # sums in doubles, of a few terms


def preorders(outcomes):
    for rank in itertools.product(range(outcomes), repeat=outcomes):
        if set(rank) == set(range(max(rank) + 1)):
            yield rank


def generating(runs, mean, shape=None):
    """E x^K, by its definition."""
    if runs == "poisson":
        return lambda x: math.exp(-mean * (1 - x)) - math.exp(-mean)
    if mean == 1:
        return lambda x: x
    if runs == "geometric":
        g = 1 / mean
        return lambda x: g * x / (1 - (1 - g) * x)
    low, high = 1e-24, 1.0  # gamma has that mean
    for _ in range(200):
        g = math.sqrt(low * high)
        scale = math.log(1 / g) if shape is None else -math.expm1(shape * math.log(g)) / shape
        low, high = (g, high) if (1 / g - 1) / scale >= mean else (low, g)
    if shape is not None:
        return lambda x: math.expm1(-shape * math.log1p(-(1 - low) * x)) / math.expm1(-shape * math.log(low))
    return lambda x: math.log1p(-(1 - low) * x) / math.log(low)


def released(law, rank, f):
    """Of outcomes that are equally good one is drawn: shares are those of one run."""
    out, below = [0.0] * len(law), 0.0
    for level in range(max(rank) + 1):
        here = [y for y, r in enumerate(rank) if r == level]
        mass = sum(law[y] for y in here)
        for y in here:
            out[y] = (f(min(below + mass, 1.0)) - f(below)) * law[y] / mass if mass > 0 else 0.0
        below += mass
    return out


def largest(rows, f, near):
    """The largest delta of what is released, as a function of e^eps, of rows at most so many apart."""
    laws = [[released(row, rank, f) for row in rows] for rank in preorders(len(rows[0]))]
    return lambda e: max(sum(max(p - e * q, 0) for p, q in zip(A, B)) for law in laws for i, A in enumerate(law) for j, B in enumerate(law) if 0 < abs(i - j) <= near)


def ones(users, holding, right):
    """The law of the number of ones that users tell, each of whom tells the truth with that probability."""
    law = [F(1)]
    for i in range(users):
        one = right if i < holding else 1 - right
        law = [(law[j] * (1 - one) if j < len(law) else 0) + (law[j - 1] * one if j > 0 else 0) for j in range(len(law) + 1)]
    return law


def asked(questions):
    run = subprocess.run([os.environ.get("SHUFBOUND", "./shufbound"), "ask", "-"], input="".join(json.dumps(q) + "\n" for q in questions), capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    if len(answers) != len(questions):
        sys.exit(f"FAIL: {len(answers)} answers to {len(questions)} questions: {run.stderr[-500:]}")
    return answers


def main():
    seed = os.environ.get("SHUFBOUND_SEED", str(random.randrange(10 ** 9)))
    print(f"SHUFBOUND_SEED={seed}")
    rng = random.Random(f"{seed}/selection")
    questions, truths = [], []
    for _ in range(int(os.environ.get("SHUFBOUND_CASES", "60"))):
        outcomes = rng.choice([2, 3, 3, 4])
        sizes = rng.choice([[1, 1, 2, 5, 20, 100], [1000]])  # in the second case all but one outcome tell little
        weights = [[rng.choice(sizes) for _ in range(outcomes - 1)] + [rng.choice([1, 5, 20])] for _ in range(rng.choice([2, 3]))]
        rows = [[F(w, sum(row)) for w in row] for row in weights]
        mechanism, users, near = {"type": "matrix", "rows": [[str(p) for p in row] for row in rows]}, 1, len(rows)
        if rng.random() < 0.4:  # shuffled bits, of which data are known that have a pair of laws exactly
            users, odds, near = rng.choice([2, 3]), rng.choice([2, 5]), 1
            mechanism, rows = {"type": "krr", "k": 2, "eps0": f"log({odds})"}, [ones(users, holding, F(odds, odds + 1)) for holding in range(users + 1)]
        runs = rng.choice(["geometric", "logarithmic", "poisson", "negative-binomial"])
        mean = rng.choice([F(1), F(3, 2), F(4), F(30), F(1000)] + ([F(1, 5)] if runs == "poisson" else []))
        shape = {"shape": rng.choice(["-1/2", "1/3", "5/2"])} if runs == "negative-binomial" else {}
        f = largest([[float(p) for p in row] for row in rows], generating(runs, float(mean), *(float(F(x)) for x in shape.values())), near)
        base = {"mechanism": mechanism, "users": users, "selection": {"mean": str(mean), "runs": runs, **shape}}
        for ask in ({"quantity": "delta", "eps": rng.choice(["0", "1", "2", "4", "7"])}, {"quantity": "epsilon", "delta": rng.choice(["0", "1e-3", "1/20"])}):
            questions.append({**base, "ask": ask})
            truths.append(f)
    failures, near, by_order = 0, 0.0, 0
    finite = 700.0  # e^700 is a double
    for q, f, a in zip(questions, truths, asked(questions)):
        if "error" in a or a.get("upper") is None:
            failures += 1
            print(f"FAIL: {json.dumps(q)}: no upper end: {a.get('error')}")
            continue
        low, high = float((a.get("lower") or {"lo": "0"})["lo"]), float(a["upper"]["hi"] or "inf")
        if "eps" in q["ask"]:
            true = f(math.exp(float(F(q["ask"]["eps"]))))
            bad = true > high * SLACK + 1e-13 or low > true * SLACK + 1e-13
            near = max(near, true / high if 0 < high < 1 else 0)
        else:
            delta = float(F(q["ask"]["delta"]))
            bad = (high <= finite and f(math.exp(high)) > delta * SLACK + 1e-12) or (0 < low and f(math.exp(low / SLACK - 1e-9)) < delta - 1e-12)
        by_order += low > 0 and a["lower"]["theorems"][-1]["id"] == "selection-order"
        if bad:
            failures += 1
            print(f"FAIL: {json.dumps(q)}: {low} .. {high}")
    print(f"{len(questions)} questions, all orders of their outcomes: the largest delta is up to {near:.4g} of the upper end; {by_order} lower ends by an order")
    return failures


def noise():
    """Gaussian noise, the profile of which is known exactly: orders of a grid of outcomes, those beyond a threshold first and then by falling p/q. All
    are below the upper end, and the best of them is not far from the lower one."""
    def area(z):
        return math.erfc(-z / math.sqrt(2)) / 2
    failures, questions, found = 0, [], []
    for scale, runs, mean, eps in ((2, "geometric", 10, 3), (1, "logarithmic", 20, 4), (2, "poisson", 5, 2), (3, "geometric", 100, 1)):
        questions.append({"mechanism": {"type": "additive-noise", "noise": "gaussian", "scale": scale}, "selection": {"mean": mean, "runs": runs}, "ask": {"quantity": "delta", "eps": eps}})
        f, cells = generating(runs, mean), 2000
        ends = [-9 * scale + i * (18 * scale + 1) / cells for i in range(cells + 1)]
        P, Q = ([area((v - m) / scale) - area((u - m) / scale) for u, v in zip(ends, ends[1:])] for m in (0, 1))
        most = 0.0
        for first in range(cells // 2, cells, 8):
            x, y, total = sum(P[first:]), sum(Q[first:]), 0.0
            for p, q in zip(P[:first], Q[:first]):  # p/q falls
                total += max(f(1 - x) - f(max(1 - x - p, 0)) - math.exp(eps) * (f(1 - y) - f(max(1 - y - q, 0))), 0)
                x, y = min(x + p, 1), min(y + q, 1)
            most = max(most, total)
        found.append(most)
    for q, most, a in zip(questions, found, asked(questions)):
        low, high = float(a["lower"]["lo"]), float(a["upper"]["hi"])
        if most > high * (1 + 1e-6) or low < 0.8 * most or low > high:
            failures += 1
            print(f"FAIL: {json.dumps(q)}: {low} .. {high}, an order has {most}")
        else:
            print(f"one threshold: {most:.6g} where the answer has {low:.6g} to {high:.6g}")
    return failures


sys.exit(1 if main() + noise() else 0)
