#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Rounds of small described randomisers, sampled or not, alike or different: the largest divergence over all neighbouring data,
the same in all rounds, enumerated in exact rationals, lies between the answer's ends. SHUFBOUND_SEED sets the seed."""

import itertools
import json
import os
import random
import subprocess
import sys
from fractions import Fraction as F
from math import comb


def matrix(rng, inputs, outputs, zeros):
    weights = [0, 1, 2, 7] if zeros else [1, 1, 2, 3, 6]
    rows = []
    for _ in range(inputs):
        row = [rng.choice(weights) for _ in range(outputs)]
        if sum(row) == 0:
            row[0] = 1
        rows.append([F(v, sum(row)) for v in row])
    return rows


def shuffle(rows, data):
    law = {(0,) * len(rows[0]): F(1)}
    for x in data:
        new = {}
        for counts, p in law.items():
            for y, v in enumerate(rows[x]):
                if v:
                    c = counts[:y] + (counts[y] + 1,) + counts[y + 1:]
                    new[c] = new.get(c, F(0)) + p * v
        law = new
    return law


def sampled(rows, data, m):
    law = {}
    for subset in itertools.combinations(data, m):
        for c, p in shuffle(rows, subset).items():
            law[c] = law.get(c, F(0)) + p / comb(len(data), m)
    return law


def ratios(P, Q):
    """[(p, q)], outcomes of one likelihood ratio together."""
    merged = {}
    for c in set(P) | set(Q):
        p, q = P.get(c, F(0)), Q.get(c, F(0))
        key = p / q if q else None
        a = merged.get(key, (F(0), F(0)))
        merged[key] = (a[0] + p, a[1] + q)
    return list(merged.values())


def product(a, b):
    merged = {}
    for p, q in a:
        for r, s in b:
            key = (p * r) / (q * s) if q and s else None
            t = merged.get(key, (F(0), F(0)))
            merged[key] = (t[0] + p * r, t[1] + q * s)
    return list(merged.values())


def largest(parts, n, alphas):
    """The largest divergences over all neighbouring data; parts: (rows, m, rounds)."""
    inputs = min(len(rows) for rows, _, _ in parts)
    worst = [F(0)] * len(alphas)
    laws = [{} for _ in parts]

    def law(i, data):
        key = tuple(sorted(data))
        if key not in laws[i]:
            laws[i][key] = sampled(parts[i][0], key, parts[i][1])
        return laws[i][key]

    for x, y in itertools.permutations(range(inputs), 2):
        for others in itertools.combinations_with_replacement(range(inputs), n - 1):
            total = [(F(1), F(1))]
            for i, (_, _, rounds) in enumerate(parts):
                one = ratios(law(i, (x,) + others), law(i, (y,) + others))
                for _ in range(rounds):
                    total = product(total, one)
            for j, alpha in enumerate(alphas):
                worst[j] = max(worst[j], sum(max(p - alpha * q, F(0)) for p, q in total))
    return worst


def mechanism(rows):
    return {"type": "matrix", "rows": [[str(v) for v in row] for row in rows]}


def question(parts, n, alpha):
    rounds = [{"mechanism": mechanism(rows), "rounds": times,
               **({"sample": {"scheme": "fixed", "rate": str(F(m, n))}} if m < n else {})} for rows, m, times in parts]
    q = {"users": str(n), "digits": 3, "effort": "4e8", "ask": {"quantity": "delta", "eps": "log(%s)" % alpha}}
    if len(rounds) == 1:
        q.update(rounds[0])
    else:
        q["rounds"] = rounds
    return q


def main():
    seed = int(os.environ.get("SHUFBOUND_SEED", "20261122"))
    print("seed", seed)
    rng = random.Random(seed)
    alphas = [F(1), F(5, 4), F(2), F(9, 2)]
    cases = []
    for i, (n, m, inputs, outputs, rounds) in enumerate([(2, 2, 3, 3, 2), (3, 3, 2, 2, 3), (3, 3, 3, 2, 2), (4, 4, 2, 2, 2), (3, 2, 2, 3, 2), (4, 2, 3, 2, 2),
                                                         (4, 3, 2, 2, 3), (2, 1, 3, 3, 3)]):
        cases.append((n, [(matrix(rng, inputs, outputs, i % 3 == 2), m, rounds)]))
    for n, m in [(3, 3), (4, 4), (4, 2)]:
        cases.append((n, [(matrix(rng, 2, 2, False), m, 1), (matrix(rng, 3, 2, False), n, 2)]))
    lines, truth = [], []
    for n, parts in cases:
        for alpha, h in zip(alphas, largest(parts, n, alphas)):
            lines.append(json.dumps(question(parts, n, alpha)))
            truth.append(h)
    run = subprocess.run([os.environ.get("SHUFBOUND", "./shufbound"), "ask", "-"], input="\n".join(lines) + "\n", capture_output=True, text=True)
    bad, widths = 0, []
    for line, answer, h in zip(lines, run.stdout.splitlines(), truth):
        a = json.loads(answer)
        if "error" in a:
            sys.exit("%s: %s" % (line, a["error"]))
        for t in a["tried"]:
            if t["side"] == "upper" and F(t["hi"]) < h * (1 - F(1, 10**9)):
                bad += 1
                print("upper end %s below %.12g: %s: %s" % (t["hi"], h, [x["id"] for x in t["theorems"]], line))
            if t["side"] == "lower" and F(t["lo"]) > h * (1 + F(1, 10**9)):
                bad += 1
                print("lower end %s above %.12g: %s: %s" % (t["lo"], h, [x["id"] for x in t["theorems"]], line))
        if h > 0 and "upper" in a and "lower" in a:
            widths.append((float(F(a["upper"]["hi"]) / h), float(F(a["lower"]["lo"]) / h)))
    print("%d questions, upper ends / truth %.3f..%.3f, lower %.3f..%.3f" % (len(lines), min(w[0] for w in widths), max(w[0] for w in widths),
                                                                             min(w[1] for w in widths), max(w[1] for w in widths)))
    sys.exit(bad > 0 or len(run.stdout.splitlines()) != len(lines))


if __name__ == "__main__":
    main()
