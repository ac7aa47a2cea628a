#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Certificates of test vectors, checked by Coq.

    certificates.py [--max-n N] [--batch K] [--jobs J] [--proofs FOLDER] FILE.json ...

For every vector of the files (or prompts of vectors) whose value is a delta or an epsilon of
one round of a pair, and n at most N (of krr-weak: N/100), the program writes a certificate and coqc checks it, K at
a time and J files at once; the ends must be those of the file. FOLDER has the compiled proofs; without it they are
compiled in a temporary folder. SHUFBOUND names the program, COQC the checker. Prints what was
checked, what was left out and why. The exit status is 0 if nothing failed, 1 if a certificate
was refused or differs from the vector, 77 without coqc.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

MODULES = ["Sum", "Hockey", "Trinomial", "Binomial", "Strata", "Enclosures", "Walk", "Evaluate", "Certificate",
           "Monotone", "KrrPairs", "Mixture"]
HEADER = """From Coq Require Import Reals QArith Qreals.
From Shufbound Require Import Evaluate Certificate Mixture.

"""
WEAK = 100  # a mixture of n users takes about as long as a pair of so many times n
ALLOWED = {"command", "pair", "n", "k", "eps0", "gamma", "w0", "w1", "r0", "r1", "eps", "delta", "direction", "digits"}
coqc = os.environ.get("COQC", "coqc")
program = os.path.abspath(os.environ.get("SHUFBOUND", "./shufbound"))


def compile_proofs(folder):
    """The modules that a certificate needs, compiled in a new folder."""
    here = os.path.dirname(os.path.abspath(__file__))
    os.mkdir(folder)
    for module in MODULES:
        if os.path.exists(os.path.join(here, module + ".v")):
            shutil.copy(os.path.join(here, module + ".v"), folder)
            subprocess.run([coqc, "-q", "-w", "-all", "-Q", ".", "Shufbound", module + ".v"], cwd=folder, check=True)


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
        return "not one round of a pair"
    if users(params["n"]) * (WEAK if params["pair"] == "krr-weak" else 1) > max_n:
        return "n is larger"
    return None


def write(test, folder):
    """The theorems of one vector, renamed after it; or why there are none; and whether the ends differ."""
    path = os.path.join(folder, "one.v")
    args = [program, test["params"]["command"]]
    for key, value in test["params"].items():
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
    differs = (told["lo"], told["hi"]) != (kept["lo"], kept["hi"])
    text = re.sub(r"^From .*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"\bTheorem certificate", f"Theorem certificate_{test['tcId']}", text), None, differs


def check(texts, name, folder, proofs):
    """Whether coqc accepts them all, in a file NAME.v; and what it says."""
    with open(os.path.join(folder, name + ".v"), "w") as f:
        f.write(HEADER + "\n".join(texts))
    run = subprocess.run([coqc, "-q", "-w", "-all", "-Q", proofs, "Shufbound", name + ".v"], cwd=folder, capture_output=True, text=True)
    return run.returncode == 0, run.stderr


def check_batch(batch, name, folder, proofs):
    """The numbers of the certificates that coqc refuses, with what is to be said."""
    if check([text for _, text in batch], name, folder, proofs)[0]:
        return []
    refused = []
    for number, text in batch:
        good, said = check([text], name, folder, proofs)
        if not good:
            refused.append((number, f"{number}: refused\n{text}{said[-600:]}"))
    return refused


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--max-n", type=users, default=10000)
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
                    reason = unsuited(test["params"], options.max_n)
                    if reason is None and test.get("result", {}).get("infinite"):
                        reason = "infinite"
                    if reason is None:
                        text, reason, differs = write(test, folder)
                        if differs:
                            failed.append(test["tcId"])
                            print(f"{test['tcId']}: the ends differ from the file's")
                    if reason is None:
                        written.append((test["tcId"], text))
                    else:
                        skipped[reason] += 1
        start = time.monotonic()
        batches = [written[i:i + options.batch] for i in range(0, len(written), options.batch)]
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
