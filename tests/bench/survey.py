#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Asks random questions of all kinds for six digits and tabulates their time and digits by kind.

    survey.py SHUFBOUND [--seed S] [--each N] [--kinds a,b] [--slow SECONDS]

Seconds are of the processor, with one thread. The gap is between the ends of an answer, as a part of the upper one: a guarantee and data that refute what is
below it are of two theorems, and each end has its digits. The slow ones and those that missed their digits are printed below the table as lines for `shufbound ask`.
"""
import argparse
import json
import math
import random
import resource
import statistics
import subprocess


def spread(r, low, high):
    """A number of two digits, uniform in its logarithm."""
    return f"{float(f'{math.exp(r.uniform(math.log(low), math.log(high))):.2g}'):.10g}"


def count(r, low, high):
    return str(int(float(spread(r, low, high))))


def delta(r):
    return f"{r.choice([1, 2, 5])}e-{r.randint(3, 10)}"


def sgd(sampler, **members):
    return {"mechanism": {"type": "noisy-sgd", "sampler": sampler, **members}}


def poisson(r):
    return sgd("poisson", noise_multiplier=spread(r, 0.4, 5), sampling_rate=spread(r, 1e-4, 0.3), steps=count(r, 1, 1e5))


def without_replacement(r):
    size = int(count(r, 1e3, 1e6))
    return sgd("without-replacement", noise_multiplier=spread(r, 0.5, 5), sampling_rate=f"{max(1, size // int(count(r, 4, 1e3)))}/{size}", steps=count(r, 1, 1e4))


def epochs(sampler):
    return lambda r: {**sgd(sampler, noise_multiplier=spread(r, 0.4, 5), steps=count(r, 2, 1e4)), "rounds": count(r, 1, 100)}


def allocation(r):
    steps = int(count(r, 2, 3000))
    return sgd("random-allocation", noise_multiplier=spread(r, 0.5, 5), steps=str(steps), sampling_rate=f"{int(count(r, 1, max(1.5, steps / 3)))}/{steps}")


def noise(r):
    def part():
        kind = r.choice(["gaussian", "laplace", "discrete-laplace", "discrete-gaussian"])
        return {"mechanism": {"type": "additive-noise", "noise": kind, "scale": spread(r, 0.5, 50), "sensitivity": r.choice(["1", "2", "5"])}, "rounds": count(r, 1, 50)}
    parts = [part() for _ in range(r.randint(1, 4))]
    return parts[0] if len(parts) == 1 else {"rounds": parts}


def sum_of_normals(r):
    return {"pair": {"type": "gaussian", "sigma": spread(r, 0.4, 30)}, "users": count(r, 2, 1e6)}


def of_class(r):
    question = {"mechanism": {"type": "ldp", "eps0": spread(r, 0.1, 8)}, "users": count(r, 10, 1e8)}
    return {**question, "rounds": count(r, 2, 300)} if r.random() < 0.5 else question


def described(r):
    kind = r.choice(["krr", "rappor", "oue", "subset-selection", "hadamard-response", "local-hashing", "laplace", "rr2"])
    m = {"type": kind}
    if kind == "laplace":
        m["scale"] = spread(r, 0.2, 5)
    else:
        m["eps0"] = spread(r, 0.3, 6)
    if kind not in ("laplace", "rr2"):
        m["k"] = count(r, 2, 1000)
    if kind == "subset-selection":
        m["size"] = str(max(1, int(m["k"]) // r.randint(2, 8)))
    if kind == "local-hashing":
        m["g"] = str(r.randint(2, 12))
    question = {"mechanism": m, "users": count(r, 10, 1e7)}
    return {**question, "rounds": count(r, 2, 100)} if r.random() < 0.5 else question


def sums(r):
    kind = r.choice(["rappor", "oue"])
    question = {"mechanism": {"type": kind, "eps0": spread(r, 0.3, 6), "k": count(r, 2, 100)}, "users": count(r, 10, 1e6), "release": "sum"}
    return {**question, "rounds": count(r, 2, 30)} if r.random() < 0.5 else question


def best_of(r):
    return {**r.choice([poisson, noise, of_class])(r), "selection": {"mean": count(r, 2, 1000), "runs": r.choice(["geometric", "logarithmic", "poisson"])}}


KINDS = {"Poisson": poisson, "without replacement": without_replacement, "fixed": epochs("fixed"), "balls and bins": epochs("balls-and-bins"),
         "shuffle": epochs("shuffle"), "allocation": allocation, "added noise": noise, "normal reports": sum_of_normals, "class": of_class,
         "described": described, "sums of bits": sums, "best of runs": best_of}


def ask(program, question):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([program, "ask", "-"], input=json.dumps(question), capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(out), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def number(text):
    return math.inf if text in (None, "inf") else float(text)


def judge(answer):
    """The distance of both ends as a part of the upper one, and whether each end has its digits."""
    if "error" in answer:
        return 1.0, False
    low, high = (answer.get("value") or answer.get(side, ends) for side, ends in (("lower", {"lo": "0"}), ("upper", {"hi": "inf"})))
    low, high = number(low["lo"]), number(high["hi"])
    return 0.0 if low == high else 1.0 if math.isinf(high) else (high - low) / high, answer.get("accuracy_reached", False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=30)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--slow", type=float, default=5)
    options = parser.parse_args()
    notable = []
    print("| kind | questions | median s | worst s | short of digits | gap between the ends: median | worst |\n|---|---|---|---|---|---|---|")
    for kind in options.kinds.split(","):
        r = random.Random(f"{options.seed} {kind}")
        rows = []
        for _ in range(options.each):
            question = {**KINDS[kind](r), "ask": {"quantity": "epsilon", "delta": delta(r)}, "digits": 6}
            answer, seconds = ask(options.program, question)
            width, reached = judge(answer)
            rows.append((width, seconds, reached))
            if not reached or seconds > options.slow or width > 0.9:
                notable.append((kind, width, seconds, question, answer.get("error")))
        gaps = f"{statistics.median(row[0] for row in rows):.2g} | {max(row[0] for row in rows):.2g}"
        print(f"| {kind} | {len(rows)} | {statistics.median(row[1] for row in rows):.2g} | {max(row[1] for row in rows):.2g} | "
              f"{sum(not row[2] for row in rows)} | {gaps} |", flush=True)
    for kind, width, seconds, question, error in notable:
        print(f"\n{kind}: gap {width:.2g}, {seconds:.2g} s {error or ''}\n{json.dumps(question)}")


main()
