#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""More digits and more effort never weaken an end: monotone.py PROGRAM SEED NUMBER.

Random questions, each asked with 4 to 9 digits and two efforts. What 4 and 8 digits have, the first steps of every answer to
more, is never lost, unless more digits are reached, and then by no more than their accuracy. Other numbers of digits are no
such steps, and an effort is divided otherwise than a larger one: their ends may move, where they are accurate by no more than
that accuracy, else by the part SLACK.
"""
import collections
import json
import random
import subprocess
import sys
from fractions import Fraction

STEPS = (4, 8)
DIGITS = (4, 5, 6, 8, 9)
EFFORTS = ("1e6", "1e7")
SLACK = Fraction(1, 5)

ONCE_WEAKER = [{"mechanism": {"type": "krr", "eps0": "2", "k": 5}, "users": 17060, "ask": {"quantity": "delta", "eps": "1/50"},
                "sample": {"scheme": "poisson", "rate": "1/5"}}]


def draw_mechanism(r):
    kind = r.choice(["krr", "hadamard-response", "subset-selection", "matrix", "gaussian", "ldp"])
    if kind == "gaussian":
        return {"type": kind, "scale": r.choice(["1/2", "1", "2"])}
    if kind == "matrix":
        columns = r.randint(2, 3)
        weights = [[r.randint(1, 9) for _ in range(columns)] for _ in range(r.randint(2, 3))]
        return {"type": kind, "rows": [[f"{w}/{sum(row)}" for w in row] for row in weights]}
    k = r.choice([3, 4, 7, 15])
    members = {"krr": {"k": k}, "hadamard-response": {"k": k}, "subset-selection": {"k": k, "size": r.randint(1, k - 1)}, "ldp": {}}
    return {"type": kind, "eps0": r.choice(["log(2)", "log(3)", "1/2", "1", "2", "3"]), **members[kind]}


def draw(r):
    """One round, a sample, several rounds, or noisy SGD."""
    asks = [{"quantity": "delta", "eps": r.choice(["0", "1/10", "1/2", "1"])}, {"quantity": "epsilon", "delta": f"1e-{r.randint(2, 10)}"},
            {"quantity": "renyi", "order": r.choice(["3/2", "2", "5"])}, {"quantity": "tradeoff", "type1": "1/10"}]
    kind = r.choice(["shuffled", "sampled", "rounds", "noisy-sgd"])
    if kind == "noisy-sgd":
        return {"mechanism": {"type": kind, "sampler": "poisson", "noise_multiplier": r.choice(["7/10", "1", "3"]),
                              "steps": r.choice([10, 100, 1000]), "sampling_rate": r.choice(["1/10", "1/100"])}, "ask": r.choice(asks[:2])}
    question = {"mechanism": draw_mechanism(r), "users": int(10 ** r.uniform(0.5, 5)), "ask": r.choice(asks)}
    if kind == "sampled":
        parts = r.choice([2, 5, 10])
        question.update(users=parts * question["users"], sample={"scheme": r.choice(["fixed", "poisson"]), "rate": f"1/{parts}"})
    elif kind == "rounds":
        question["rounds"] = r.choice([2, 3, 10, 50])
    return question


# ---- answers ----

INFINITY = float("inf")


def ends(answer):
    """The lower and the upper end, 0 and infinity where none is known, each with whether its bound is accurate."""
    bounds = [answer.get(side) or {} for side in ("lower", "upper")]
    lo, hi = bounds[0].get("lo"), bounds[1].get("hi")
    values = INFINITY if bounds[0].get("infinite") else Fraction(lo or 0), Fraction(hi) if hi else INFINITY
    return [(value, bound.get("accuracy_reached", False)) for value, bound in zip(values, bounds)]


def loss(weaker, stronger):
    """By which part of itself an end is weaker, of two of which the second should not be smaller."""
    if weaker >= stronger:
        return Fraction(0)
    return 1 - weaker / stronger if stronger < INFINITY else Fraction(1)


def pairs():
    """What is asked of a question, less and more, and whether nothing at all may be lost."""
    for effort in EFFORTS:
        for i, few in enumerate(DIGITS):
            for many in DIGITS[i + 1:]:
                yield (few, effort), (many, effort), few in STEPS
    for digits in DIGITS:
        yield (digits, EFFORTS[0]), (digits, EFFORTS[1]), False


def main():
    program, seed, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
    questions = ONCE_WEAKER + [draw(random.Random(f"{seed}/{i}")) for i in range(number)]
    how = [(digits, effort) for effort in EFFORTS for digits in DIGITS]
    asked = [{**question, "digits": digits, "effort": effort} for question in questions for digits, effort in how]
    run = subprocess.run([program, "ask", "-"], input="".join(json.dumps(q) + "\n" for q in asked), capture_output=True, text=True, check=False)
    answers = [ends(json.loads(line)) for line in run.stdout.splitlines()]
    if len(answers) != len(asked):
        sys.exit(f"FAIL: {len(answers)} answers to {len(asked)} questions: {run.stderr[-500:]}")
    failures, moved, known = 0, collections.Counter(), 0
    for i, question in enumerate(questions):
        found = dict(zip(how, answers[i * len(how):]))
        known += found[how[0]][1][0] < INFINITY
        for few, many, strict in pairs():
            for side in (0, 1):
                (before, was_accurate), (after, accurate) = found[few][side], found[many][side]
                weaker = loss(after, before) if side == 0 else loss(before, after)
                allowed = Fraction(accurate, 10 ** many[0]) if strict else Fraction(1, 10 ** few[0]) if was_accurate and accurate else SLACK
                moved["weaker, but not by much"] += 0 < weaker <= allowed
                if weaker > allowed:
                    failures += 1
                    print(f"FAIL: {many[0]} digits with effort {many[1]} lose {float(weaker):.2g} of what {few[0]} with {few[1]} have: "
                          f"{json.dumps(question)}", file=sys.stderr)
    print(f"{number} questions, {known} with a finite upper end, {moved['weaker, but not by much']} comparisons weaker, but not by much")
    sys.exit(failures > 0 or known * 2 < number)


if __name__ == "__main__":
    main()
