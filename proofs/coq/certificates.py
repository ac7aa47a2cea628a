#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Certificates of test vectors, checked by proofs/verify.

    certificates.py [--max-n N] [--max-rows R] [--batch K] [--jobs J] [--proofs FOLDER] FILE.json ...

For every vector of the files (or prompts of vectors) whose value is a delta or an epsilon of
one or more rounds of a pair, the program writes a certificate, and verify checks it against the vector's question, K at
a time and J at once. One round: n at most N (of krr-weak with k > 2: N/10), and the certified ends must be
those of the file. Several rounds: at most R rows of the evaluator, and the certified interval, which is wider, must
meet the file's. FOLDER has the compiled proofs; without it verify compiles
them in a temporary folder. SHUFBOUND names the program. Prints what was
checked, what was left out and why. The exit status is 0 if nothing failed, 1 if a certificate
was refused or differs from the vector, 77 without coqc.
"""
import argparse
import collections
import concurrent.futures
import fractions
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../vectors"))
sys.dont_write_bytecode = True
import question  # noqa: E402: a module of the vectors

WEAK = 10  # so many times n of krr-weak with k > 2 must be within N: n = 1000 takes half a minute, as a million users of another pair
BATCH_ROWS = 200000
PRODUCT = 5  # a cell of a product
NODE = 200  # a node of a grid takes about as long as so many rows more
ALLOWED = {"command", "pair", "n", "k", "eps0", "gamma", "w0", "w1", "r0", "r1", "eps", "delta", "direction", "digits", "rounds",
           "engine"}
verify = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../verify")
program = os.path.abspath(os.environ.get("SHUFBOUND", "./shufbound"))


def users(text):
    """The whole number that 1000, 1e3 or 2.5e3 is."""
    match = re.fullmatch(r"(\d+)(?:\.(\d+))?(?:e\+?(\d+))?", text)
    whole, part, exponent = match.group(1), match.group(2) or "", int(match.group(3) or 0)
    return int(whole + part + "0" * (exponent - len(part)))


def unsuited(params, max_n):
    """Why a vector has no certificate, or None."""
    if params["command"] not in ("delta", "epsilon"):
        return "not a delta or an epsilon"
    if set(params) - ALLOWED or params["pair"] == "gaussian":
        return "not rounds of one pair"
    weak = params["pair"] == "krr-weak" and params["k"] != "2"
    if int(params.get("rounds", 1)) == 1 and users(params["n"]) * (WEAK if weak else 1) > max_n:
        return "n is larger"
    return None


def rows(certificate, rounds):
    """About what a certificate costs, the claims of a grid each going through it."""
    def walked(windows):
        return sum(top - low + end - first for top, low, _, first, end, _ in windows)

    if rounds > 1:
        claims = 2 if "epsilon" in certificate["question"]["ask"].values() and certificate["lo"] is not None else 1
        nodes = [node for grid in certificate["grids"] for node in grid["nodes"]]
        return claims * sum(walked(node[1:3]) + NODE + PRODUCT * rounds for node in nodes)
    cost = 0
    for hints in certificate["hints"]:
        cost += walked(hints.get("windows", []))
        cost += sum(end - first + sum(block + 1 for block in blocks) for _, _, first, end, blocks in hints.get("rows", []))
    return cost


def differs(certificate, rounds, kept):
    """Whether the certified ends are not the file's; of several rounds: do not meet them."""
    lo, hi = certificate["lo"], fractions.Fraction(certificate["hi"])
    kept_lo, kept_hi = fractions.Fraction(kept["lo"]), fractions.Fraction(kept["hi"])
    if rounds > 1:
        return not (fractions.Fraction(lo or 0) <= kept_hi and kept_lo <= hi)
    if lo is None:  # nothing is more than delta where eps is 0 or known exactly
        return hi != kept_hi or 0 < kept_lo < kept_hi
    return (fractions.Fraction(lo), hi) != (kept_lo, kept_hi)


def write(test, folder, max_rows):
    """What the certificate of a vector costs, or None and why there is none; and whether it is not that of the vector."""
    path = os.path.join(folder, f"{test['tcId']}.json")
    params = question.options(test["question"])
    args = [program, params["command"]]
    for key, value in params.items():
        if key != "command":
            args += ["--" + key, value]
    run = subprocess.run(args + ["--certificate", path, "--json"], capture_output=True, text=True)
    if not os.path.exists(path):
        return None, run.stderr.strip(), False
    with open(path) as f:
        certificate = json.load(f)
    rounds = int(params.get("rounds", 1))
    cost = rows(certificate, rounds)
    if rounds > 1 and cost > max_rows:
        return None, "several rounds, more rows", False
    with open(os.path.join(folder, f"{test['tcId']}.question"), "w") as f:
        json.dump(test["question"], f)
    return cost, None, differs(certificate, rounds, test.get("result") or json.loads(run.stdout))


def check(numbers, folder, proofs):
    """Whether verify accepts them all, in one file of Coq; and what it says."""
    files = [os.path.join(folder, f"{number}.{kind}") for number in numbers for kind in ("question", "json")]
    run = subprocess.run([verify] + files, env=dict(os.environ, SHUFBOUND_PROOFS=proofs), capture_output=True, text=True)
    return run.returncode == 0, run.stderr


def in_batches(written, size):
    """At most so many at once, the dearest first and alone."""
    batches, room = [], -1
    for number, cost in sorted(written, key=lambda pair: -pair[1]):
        if room < cost or len(batches[-1]) == size:
            batches.append([])
            room = BATCH_ROWS
        batches[-1].append(number)
        room -= cost
    return batches


def check_batch(batch, folder, proofs):
    """The numbers of the certificates that are refused, with what is said."""
    good, said = check(batch, folder, proofs)
    if good:
        return []
    if len(batch) == 1:
        return [(batch[0], f"{batch[0]}: {said[-1000:]}")]
    return [bad for number in batch for bad in check_batch([number], folder, proofs)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--max-n", type=users, default=10000)
    parser.add_argument("--max-rows", type=int, default=200000)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--proofs")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    if shutil.which(os.environ.get("COQC", "coqc")) is None:
        print("certificates: no coqc", file=sys.stderr)
        return 77

    skipped, failed, checked = collections.Counter(), [], 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        proofs = os.path.abspath(options.proofs) if options.proofs else os.path.join(folder, "proofs")
        if not options.proofs:
            subprocess.run([verify, "--compile", proofs], check=True)
        tests = []
        for name in options.files:
            with open(name) as f:
                document = json.load(f)
            for group in document["testGroups"]:
                for test in group["tests"]:
                    reason = "not of a pair" if "mechanism" in test["question"] else unsuited(question.options(test["question"]), options.max_n)
                    if reason is None and test.get("result", {}).get("infinite"):
                        reason = "infinite"
                    if reason is None:
                        tests.append(test)
                    else:
                        skipped[reason] += 1
        written = []
        for test, (cost, reason, other) in zip(tests, pool.map(lambda test: write(test, folder, options.max_rows), tests)):
            if other:
                failed.append(test["tcId"])
                print(f"{test['tcId']}: not the file's ends")
            elif reason is None:
                written.append((test["tcId"], cost))
            else:
                skipped[reason] += 1
        start = time.monotonic()
        batches = in_batches(written, options.batch)
        for batch, refused in zip(batches, pool.map(lambda batch: check_batch(batch, folder, proofs), batches)):
            checked += len(batch) - len(refused)
            for number, said in refused:
                failed.append(number)
                print(said)
        seconds = time.monotonic() - start
    print(f"{checked} certificates checked in {seconds:.0f} s, {len(set(failed))} failed")
    for reason, count in sorted(skipped.items()):
        print(f"  left out: {count}: {reason}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
