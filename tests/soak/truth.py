#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Asks shufbound random small and extreme questions of each kind, and compares the answers with references of its own.

    truth.py [--kind NAME]... [--cases N] [--seed S] [--table FILE] [--why]

A reference comes from the definition of a mechanism: all data of a few users are enumerated, in rationals or with 60 digits;
normal noise of known batches has a closed form with 40 digits; other noise is cut into cells, whose masses are laws that tell
less, or spread to the ends of their likelihood ratios, which tells more: the truth is between these two. "Found" are laws that
some neighbouring data have, "above" are laws that bound all data. No printed upper end may be below what is found, no lower end
above what bounds it. Of a kind whose worst data are known the two are one, and the reference is called exact.

Case number i of a seed and kind is always the same. Prints for each kind the numbers of cases, of exact references and of
refusals, the largest found/upper and lower/above, the median width of an answer as a part of its upper end, and the program's
seconds. Exit status 1 after a wrong bound, which is printed with its question. --table writes the rows of a table in FILE anew;
--why prints why questions are refused. SHUFBOUND names the program.
"""
import argparse
import math
import os
import random
import subprocess
import sys
import time
from decimal import Decimal
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import soak  # noqa: E402: modules beside this one
from draw import Case, Draw  # noqa: E402
from laws import INFINITY, Pair, compose, decimal, largest  # noqa: E402
from of_noise import draw_release, draw_threshold, draw_training, draw_vector  # noqa: E402
from of_users import Round, draw_groups, draw_ldp, draw_renyi, local_mechanism, of_data, of_line, of_local, of_pair  # noqa: E402

AT_ONCE = 25


# ---- rounds of several kinds ----

def draw_user_rounds(r):
    """Different randomisers of the same users, who hold the same values in all rounds."""
    d, n, values = Draw(r), r.choice([1, 2, 2, 3]), r.choice([2, 2, 3])
    parts, rounds, wanted = [], [], r.choice([2, 2, 3])
    kinds = ["rr2", "krr", "matrix", "rappor", "subset-selection", "hadamard-response", "oue"]
    while len(parts) < wanted:
        m, rows = local_mechanism(d, r.choice(kinds), True)
        if len(rows) != values or math.comb(n + len(rows[0]) - 1, n) > 40:
            continue
        part = {"mechanism": m}
        if r.random() < 0.3:
            rate = d.part()
            part["sample"] = {"scheme": "poisson", "rate": rate}
            rows = [[d.of(rate) * p for p in row] + [1 - d.of(rate)] for row in rows]
        parts.append(part)
        rounds.append(Round([rows]))
    return Case({"users": n, "rounds": parts, "ask": d.ask()}, of_data([(values, n)], rounds))


def draw_central_rounds(r):
    """Releases with noise and noisy SGD, from which one record is removed."""
    parts, pairs = [], []
    while len(parts) < 3 and (len(parts) < 2 or r.random() < 0.4):
        kind = r.choice(["gaussian", "laplace", "discrete-laplace", "discrete-gaussian", "binomial", "skellam", "fixed", "poisson"])
        case = (draw_training(kind) if kind in ("fixed", "poisson") else draw_release(kind))(r)
        m = case.question["mechanism"]
        is_allocated = "sampler" in m and kind not in ("fixed", "poisson")
        if case.question.get("neighbours") == "replace" or "threshold" in m or is_allocated or "max_batch_size" in m:
            continue
        case.question.pop("ask")
        parts.append(case.question)
        pair = case.found[-1]  # the largest change
        if pair.mu is None and isinstance(pair.low[0][0], Fraction):
            pair = Pair([(decimal(p), decimal(q)) for p, q in pair.low])
        pairs.append(pair)
    d = Draw(r, Decimal)
    return Case({"rounds": parts, "ask": d.ask()}, [compose(pairs)])


PAIRS = ["clones", "clones-stronger", "rr2", "krr-same", "krr-third", "krr-strong", "krr-weak", "trinomial", "clones-sampled",
         "krr-third-sampled", "clones-poisson", "krr-same-poisson", "krr-third-poisson", "clones-deletion"]
LOCAL = ["matrix", "rr2", "krr", "rappor", "subset-selection", "hadamard-response", "local-hashing", "product", "unary-encoding",
         "oue", "mixture"]
NOISE = ["gaussian", "laplace", "staircase", "discrete-gaussian", "discrete-laplace", "skellam"]
SAMPLERS = ["fixed", "poisson", "balls-and-bins", "shuffle", "random-allocation", "without-replacement", "strategy"]
KINDS = {
    "ldp": draw_ldp, "renyi-ldp": draw_renyi, **{kind: of_local(kind) for kind in LOCAL}, **{kind: of_line(kind) for kind in ("laplace", "gaussian")},
    "groups": draw_groups, **{"noise " + noise: draw_release(noise) for noise in NOISE}, "noise on vectors": draw_vector, "binomial-noise": draw_release("binomial"),
    "sample-and-threshold": draw_threshold, **{"noisy-sgd " + sampler: draw_training(sampler) for sampler in SAMPLERS},
    **{"pair " + pair: of_pair(pair) for pair in PAIRS}, "pair gaussian": of_line("pair"), "rounds of users": draw_user_rounds,
    "rounds of releases": draw_central_rounds}
FAST = ["pair clones", "pair clones-stronger", "pair rr2", "pair krr-strong"]


# ---- answers ----

class Count:
    """What is told of a kind."""

    def __init__(self):
        self.cases = self.exact = self.refused = 0
        self.upper = self.lower = Decimal(0)
        self.widths, self.seconds, self.why = [], 0.0, {}

    def row(self, kind):
        widths = sorted(self.widths)
        width = f"{float(widths[len(widths) // 2]):.1e}" if widths else "-"
        ratios = [f"{float(x):.9f}" if x else "-" for x in (self.upper, self.lower)]
        return [kind, self.cases, self.exact, self.refused, *ratios, width, round(self.seconds)]


def printed(bound, name, missing):
    if bound is None or bound.get(name) is None:
        return missing
    return Decimal(bound[name])


def judge(case, answer, count):
    """Raises Wrong if an end is; the reference's error is a relative 1e-9 of sums in doubles, and else less than 1e-13."""
    count.cases += 1
    if "error" in answer:
        if "ended without one" in answer["error"] or answer["error"].startswith("out of memory"):
            raise soak.Wrong("no answer: " + answer["error"], [case.question], [answer])
        count.refused += 1
        why = answer["error"].replace(case.question["id"], "..")
        count.why[why] = count.why.get(why, 0) + 1
        return
    ask, direction = case.question["ask"], case.question.get("direction", "both")
    turned = ask["quantity"] == "tradeoff"
    found = largest(case.found, ask, direction, "low")
    above = None if case.above is None else largest(case.above, ask, direction, "high")
    count.exact += case.exact and above is not None
    low, high = (above, found) if turned else (found, above)
    rough = isinstance(found, float) or any(pair.mu is None and isinstance(pair.low[0][0], float) for pair in case.found)
    relative, absolute = (Decimal("1e-9"), Decimal("1e-13")) if rough else (Decimal("1e-13"), Decimal("1e-40"))
    low = -INFINITY if low is None else low if low in (INFINITY, -INFINITY) else decimal(low)
    high = INFINITY if high is None else high if high in (INFINITY, -INFINITY) else decimal(high)
    least = low if low in (INFINITY, -INFINITY) else low * (1 - relative) - absolute
    most = high if high == INFINITY else high * (1 + relative) + absolute
    bounds = [(answer.get("upper") or answer.get("value"), answer.get("lower") or answer.get("value"), "the answer")]
    for t in answer["tried"]:
        if not turned and t["side"] != "none":
            bounds.append((t if t["side"] != "lower" else None, t if t["side"] != "upper" else None, "a bound that was tried"))
    for upper, lower, what in bounds:
        top, bottom = printed(upper, "hi", INFINITY), printed(lower, "lo", -INFINITY)
        if lower is not None and lower.get("infinite"):
            bottom = INFINITY
        if top < least or bottom > most:
            raise soak.Wrong(f"{what}: [{bottom}, {top}], where the truth is from {low} to {high}", [case.question], [answer])
        if what == "the answer":
            if abs(top) != INFINITY and top > absolute and abs(low) != INFINITY:
                count.upper = max(count.upper, low / top)
            if abs(bottom) != INFINITY and abs(high) != INFINITY and high > absolute:
                count.lower = max(count.lower, bottom / high)
            if abs(top) != INFINITY and abs(bottom) != INFINITY and top > 0:
                count.widths.append((top - bottom) / top)


def run(kind, cases, seed, program):
    count = Count()
    for first in range(0, cases, AT_ONCE):
        drawn = []
        for i in range(first, min(first + AT_ONCE, cases)):
            r = random.Random(f"{seed}/{kind}/{i}")
            case = KINDS[kind](r)
            case.question.update(id=f"{kind}/{i}", effort=r.choice(["1000000", "3000000", "10000000", "30000000"]))
            if r.random() < 0.3:
                case.question["digits"] = r.choice([3, 9, 15])
            elif kind in FAST and case.question["ask"]["quantity"] in ("delta", "epsilon", "renyi") and r.random() < 0.3:
                case.question["fast"] = True
            drawn.append(case)
        start = time.monotonic()
        answers = soak.ask(program, [case.question for case in drawn])
        count.seconds += time.monotonic() - start
        for case, answer in zip(drawn, answers):
            judge(case, answer, count)
    return count


HEAD = "| kind | cases | exact | refused | truth/upper | lower/truth | width | seconds |\n|---|---|---|---|---|---|---|---|\n"


def write_table(file_name, rows, seed):
    """The rows of these kinds below the table's head; others stay."""
    folder = os.path.dirname(os.path.abspath(file_name))
    call = ["git", "-C", folder, "rev-parse", "--short=10", "HEAD"]
    commit = subprocess.run(call, capture_output=True, text=True, check=False).stdout.strip()
    with open(file_name, encoding="utf-8") as file:
        text = file.read()
    before, head, after = text.partition(HEAD)
    if not head:
        sys.exit(f"{file_name} has no table of random cases")
    lines = after.split("\n")
    end = next((i for i, line in enumerate(lines) if not line.startswith("|")), len(lines))
    known = {line.split(" | ")[0][2:]: line for line in lines[:end]}
    known.update({str(row[0]): "| " + " | ".join(map(str, row)) + " |" for row in rows})
    table = [known[kind] for kind in KINDS if kind in known]
    before = "\n".join(f"Seed {seed}, commit {commit}." if line.startswith("Seed") else line for line in before.split("\n"))
    with open(file_name, "w", encoding="utf-8") as file:
        file.write(before + head + "\n".join(table + lines[end:]))


def main():
    parser = argparse.ArgumentParser(description="random questions, answers checked against references")
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--seed", default=os.environ.get("SHUFBOUND_SEED", "1"))
    parser.add_argument("--table")
    parser.add_argument("--why", action="store_true", help="print why questions are refused")
    options = parser.parse_args()
    for kind in options.kind or KINDS:
        try:
            count = run(kind, options.cases, options.seed, os.environ.get("SHUFBOUND", "./shufbound"))
        except soak.Wrong as wrong:
            message, *rest = wrong.args
            print(f"WRONG: {kind}, seed {options.seed}: {message}\n" + "\n".join(soak.json.dumps(x) for x in sum(rest, [])))
            return 1
        row = count.row(kind)
        print("{}: {} cases, {} exact, {} refused, truth/upper {}, lower/truth {}, width {}, {} s".format(*row), flush=True)
        for text, times in sorted(count.why.items(), key=lambda x: -x[1]) if options.why else []:
            print(f"    {times} refused: {text}")
        if options.table:
            write_table(options.table, [row], options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
