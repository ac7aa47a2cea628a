#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The table of this folder: how far apart the certified bounds of described mechanisms are.

    gaps.py questions >questions.jsonl
    shufbound ask --jobs 2 questions.jsonl >answers.jsonl
    gaps.py table answers.jsonl >table.md

eps at delta = 1e-6 from above (rounded up) and from below (rounded down), and the gap (upper - lower)/upper.
"""
import decimal
import json
import sys

EFFORT, EFFORT_OF_NOISE, EFFORT_OF_SAMPLED_BITS = 20000000000, 20000000000, 100000000000
USERS = ("1000", "10000", "1000000")
LOCAL = ("1/2", "1", "2", "4")
SCALES = {"1/2": "2", "1": "1", "2": "1/2", "4": "1/4"}  # noise: 1/eps0
SIZES = {"1/2": 6, "1": 4, "2": 2, "4": 1}  # subset selection of 16: about 16/(e^eps0 + 1)
RANGES = {"1/2": 3, "1": 4, "2": 8, "4": 56}  # local hashing: about e^eps0 + 1
RUNS = ((1, "1"), (1, "1/10"), (30, "1"), (30, "1/10"))


def mechanisms(eps0):
    """(name, mechanism, released) of every row."""
    yield "binary RR", {"type": "rr2", "eps0": eps0}, "reports"
    yield "k-RR, k = 16", {"type": "krr", "k": 16, "eps0": eps0}, "reports"
    yield "RAPPOR, k = 16", {"type": "rappor", "k": 16, "eps0": eps0}, "reports"
    yield "RAPPOR, k = 16, sum", {"type": "rappor", "k": 16, "eps0": eps0}, "sum"
    yield "OUE, k = 16", {"type": "oue", "k": 16, "eps0": eps0}, "reports"
    yield "OUE, k = 16, sum", {"type": "oue", "k": 16, "eps0": eps0}, "sum"
    yield "subset selection, k = 16", {"type": "subset-selection", "k": 16, "size": SIZES[eps0], "eps0": eps0}, "reports"
    yield "Hadamard, k = 16", {"type": "hadamard-response", "k": 16, "eps0": eps0}, "reports"
    yield "local hashing, k = 16", {"type": "local-hashing", "k": 16, "g": RANGES[eps0], "eps0": eps0}, "reports"
    yield "Laplace, scale 1/eps0", {"type": "laplace", "scale": SCALES[eps0]}, "reports"
    yield "Gaussian, sigma 1/eps0", {"type": "gaussian", "scale": SCALES[eps0]}, "reports"


def questions():
    for eps0 in LOCAL:
        for name, mechanism, released in mechanisms(eps0):
            for users in USERS:
                for rounds, rate in RUNS:
                    if released == "sum" and rate != "1":
                        continue  # no theorem
                    question = {"id": f"{name}|{eps0}|{users}|{rounds}|{rate}", "mechanism": mechanism, "users": users,
                                "rounds": rounds, "ask": {"quantity": "epsilon", "delta": "1e-6"}, "digits": 3,
                                "effort": EFFORT_OF_NOISE if "scale" in mechanism else EFFORT}
                    if released == "sum":
                        question["release"] = "sum"
                    if rate != "1":
                        question["sample"] = {"scheme": "fixed", "rate": rate}
                        if mechanism["type"] == "rr2":
                            question["effort"] = EFFORT_OF_SAMPLED_BITS
                    print(json.dumps(question))


def rounded(text, direction):
    """A decimal of three digits, rounded up or down."""
    value = decimal.Decimal(text)
    with decimal.localcontext() as context:
        context.prec = 3
        context.rounding = direction
        value = +value
    return format(value, "f") if value == 0 or abs(value.adjusted()) < 5 else format(value, "e")


def cell(answer):
    if "error" in answer:
        return "none found"
    upper = answer.get("upper", {}).get("hi")
    lower = answer.get("lower", {}).get("lo")
    high = rounded(upper, decimal.ROUND_CEILING) if upper is not None else "none"
    low = rounded(lower, decimal.ROUND_FLOOR) if lower is not None else "none"
    if upper is None or lower is None:
        return f"{low} .. {high}"
    difference = decimal.Decimal(upper) - decimal.Decimal(lower)
    gap = 100 * difference / decimal.Decimal(upper) if decimal.Decimal(upper) > 0 else decimal.Decimal(0)
    return f"{low} .. {high} ({gap.quantize(decimal.Decimal('0.1'), decimal.ROUND_CEILING)} %)"


def table(path):
    cells, names = {}, []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            answer = json.loads(line)
            key = (answer.get("question") or answer).get("id", "").split("|")
            cells[tuple(key)] = cell(answer)
            if key[0] not in names:
                names.append(key[0])
    for rounds, rate in RUNS:
        print(f"\n## {rounds} round{'s' if rounds > 1 else ''}, {'everyone' if rate == '1' else 'a tenth of the users in each'}\n")
        print("| mechanism | eps0 | n = 1e3 | n = 1e4 | n = 1e6 |\n|---|---|---|---|---|")
        for name in names:
            for eps0 in LOCAL:
                row = [cells.get((name, eps0, users, str(rounds), rate)) for users in USERS]
                if any(row):
                    print(f"| {name} | {eps0} | " + " | ".join(value or "" for value in row) + " |")


if __name__ == "__main__":
    if sys.argv[1:] == ["questions"]:
        questions()
    elif len(sys.argv) == 3 and sys.argv[1] == "table":
        table(sys.argv[2])
    else:
        sys.exit(__doc__)
