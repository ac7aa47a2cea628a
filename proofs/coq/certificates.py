#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Certificates of test vectors, checked by Coq.

    certificates.py [--max-n N] [--max-rows R] [--batch K] [--jobs J] [--proofs FOLDER] FILE.json ...

For every vector of the files (or prompts of vectors) whose value is a delta or an epsilon of
one or more rounds of a pair, the program writes a certificate and coqc checks it, K at
a time and J files at once. One round: n at most N (of krr-weak with k > 2: N/10), and the ends must be
those of the file. Several rounds: at most R rows of the evaluator, and the certified interval, which is wider, must
meet the file's. FOLDER has the compiled proofs; without it they are
compiled in a temporary folder. SHUFBOUND names the program, COQC the checker. Prints what was
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

MODULES = ["Mixture.vo", "Alone.vo", "ComposedPairs.vo"]
HEADER = """From Coq Require Import Reals List ZArith QArith Qreals.
From Shufbound Require Import Evaluate Certificate Mixture Alone Composed ComposedPairs.
Import ListNotations.

"""
WEAK = 10  # so many times n of krr-weak with k > 2 must be within N: n = 1000 takes half a minute, as a million users of another pair
BATCH_ROWS = 20000
PRODUCT = 5  # a cell of a product
NODE = 200  # a node of a grid takes about as long as so many rows more
ALLOWED = {"command", "pair", "n", "k", "eps0", "gamma", "w0", "w1", "r0", "r1", "eps", "delta", "direction", "digits", "rounds",
           "engine"}
coqc = os.environ.get("COQC", "coqc")
program = os.path.abspath(os.environ.get("SHUFBOUND", "./shufbound"))


def compile_proofs(folder):
    """The modules that a certificate needs, compiled in a new folder."""
    here = os.path.dirname(os.path.abspath(__file__))
    os.mkdir(folder)
    names = sorted(name for name in os.listdir(here) if name.endswith(".v"))
    for name in names:
        shutil.copy(os.path.join(here, name), folder)
    subprocess.run(["coq_makefile", "-Q", ".", "Shufbound", *names, "-o", "Makefile"], cwd=folder, check=True)
    subprocess.run(["make", "-s", "-j2", *MODULES], cwd=folder, check=True)


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


def rows(text):
    """About what a certificate costs, the theorems of a grid each going through it."""
    windows = re.findall(r"\(Window (\d+) (\d+) \d+ (\d+) (\d+) \d+\)", text)
    walked = sum(int(top) - int(low) + int(end) - int(first) for top, low, first, end in windows)
    for first, end, blocks in re.findall(r"\(Row \d+ \d+ (\d+) (\d+) \(([^)]*)nil\)", text):
        walked += int(end) - int(first) + sum(int(block) + 1 for block in re.findall(r"\d+", blocks))
    rounds = re.search(r"delta_rounds(?:_krr_strong| \w+) (\d+)", text)
    node = NODE + (PRODUCT * int(rounds.group(1)) if rounds else 0)
    return (walked + node * text.count("Node ")) * text.count("Theorem")


def certified(text, command):
    """The ends that are certified, the lower one 0 if there is no theorem about it."""
    theorems = text[text.index("Theorem"):]
    if command == "delta":
        ends = re.search(r"\(Q2R \((\d+) # (\d+)\) <=.*<=\s+Q2R \((\d+) # (\d+)\)\)%R", theorems, re.DOTALL).groups()
        return fractions.Fraction(int(ends[0]), int(ends[1])), fractions.Fraction(int(ends[2]), int(ends[3]))
    above = re.search(r"\(Rational \((\d+) # (\d+)\)\) <= Q2R", theorems).groups()
    below = re.search(r"< delta_rounds.*\(Rational \((\d+) # (\d+)\)\)\)%R", theorems)
    return (fractions.Fraction(*map(int, below.groups())) if below else fractions.Fraction(0)), fractions.Fraction(*map(int, above))


def write(test, folder, max_rows):
    """The theorems of one vector, renamed after it, or why there are none; and whether they are not those of the vector."""
    path = os.path.join(folder, "one.v")
    params = question.options(test["question"])
    command = params["command"]
    args = [program, command]
    for key, value in params.items():
        if key != "command":
            args += ["--" + key, value]
    run = subprocess.run(args + ["--certificate", path, "--json"], capture_output=True, text=True)
    if not os.path.exists(path):
        return None, run.stderr.strip(), False
    with open(path) as f:
        text = f.read()
    os.remove(path)
    told = json.loads(run.stdout)
    kept = test.get("result", told)
    if int(params.get("rounds", 1)) == 1:
        differs = (told["lo"], told["hi"]) != (kept["lo"], kept["hi"])
    else:
        if rows(text) > max_rows:
            return None, "several rounds, more rows", False
        lo, hi = certified(text, command)
        differs = not (lo <= fractions.Fraction(kept["hi"]) and fractions.Fraction(kept["lo"]) <= hi)
    text = re.sub(r"^(From|Import) .*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"\b(certificate|data)(_[a-z]+)?\b", rf"\1\2_{test['tcId']}", text), None, differs


def check(texts, name, folder, proofs):
    """Whether coqc accepts them all, in a file NAME.v; and what it says."""
    with open(os.path.join(folder, name + ".v"), "w") as f:
        f.write(HEADER + "\n".join(texts))
    run = subprocess.run([coqc, "-q", "-w", "-all", "-Q", proofs, "Shufbound", name + ".v"], cwd=folder, capture_output=True, text=True)
    return run.returncode == 0, run.stderr


def in_batches(written, size):
    """At most so many at once, the dearest first and alone."""
    batches, room = [], -1
    for number, text in sorted(written, key=lambda pair: -rows(pair[1])):
        cost = rows(text)
        if room < cost or len(batches[-1]) == size:
            batches.append([])
            room = BATCH_ROWS
        batches[-1].append((number, text))
        room -= cost
    return batches


def check_batch(batch, name, folder, proofs):
    """The numbers of the certificates that coqc refuses, with what is to be said."""
    if check([text for _, text in batch], name, folder, proofs)[0]:
        return []
    refused = []
    for number, text in batch:
        good, said = check([text], name, folder, proofs)
        if not good:
            refused.append((number, f"{number}: refused\n{text[-1000:]}{said[-600:]}"))
    return refused


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--max-n", type=users, default=10000)
    parser.add_argument("--max-rows", type=int, default=200000)
    parser.add_argument("--batch", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--proofs")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    if shutil.which(coqc) is None:
        print("certificates: no coqc", file=sys.stderr)
        return 77

    skipped, failed, checked = collections.Counter(), [], 0
    with tempfile.TemporaryDirectory() as folder:
        proofs = os.path.abspath(options.proofs) if options.proofs else os.path.join(folder, "proofs")
        if not options.proofs:
            compile_proofs(proofs)
        written = []
        for name in options.files:
            with open(name) as f:
                document = json.load(f)
            for group in document["testGroups"]:
                for test in group["tests"]:
                    reason = "not of a pair" if "mechanism" in test["question"] else unsuited(question.options(test["question"]), options.max_n)
                    if reason is None and test.get("result", {}).get("infinite"):
                        reason = "infinite"
                    if reason is None:
                        text, reason, differs = write(test, folder, options.max_rows)
                        if differs:
                            failed.append(test["tcId"])
                            print(f"{test['tcId']}: not the file's ends")
                    if reason is None:
                        written.append((test["tcId"], text))
                    else:
                        skipped[reason] += 1
        start = time.monotonic()
        batches = in_batches(written, options.batch)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            names = [f"batch{i}" for i in range(len(batches))]
            results = pool.map(check_batch, batches, names, [folder] * len(batches), [proofs] * len(batches))
            for batch, refused in zip(batches, results):
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
