#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Writes doc/published.md: for each mechanism, each kind of additive noise and each sampler up to three numbers that others published, and what the program
says of them.

    published.py PROGRAM [--check [K/N]]

The numbers are those of tests/account/reports.jsonl that have a source, of doc/claims, and of vectors/negative.json, in this order. --check writes
nothing and fails if the page is another; with K/N it asks every N-th question only, from the K-th on, and takes the other answers for those of the page.
"""
import decimal
import glob
import json
import math
import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PAGE = os.path.join(ROOT, "doc", "published.md")
MOST = 3        # numbers of a mechanism
DIGITS = 4      # that are shown, rounded outward
OWN = ("made up", "ours,", "the same,")  # sources that are none have one of these
# What a pair of laws is the worst case of.
PAIRS = {"rr2": "rr2", "krr-same": "krr", "krr-third": "krr", "krr-strong": "krr", "krr-weak": "krr", "gaussian": "gaussian", "clones": "ldp", "clones-stronger": "ldp"}
# Claims that take long, or are hardly one number.
LEFT_OUT = ("autodp-33", "google-batch-samplers-shuffle-as-bnb")

HEAD = """# Published numbers

Up to three numbers for each [mechanism](schema/README.md), each kind of noise that a curator adds and each sampler of noisy SGD, published by others: in
papers, in the documentation and tests of libraries, in threads about them. `python3 doc/published.py ./shufbound` runs the program on each and writes
this page. The numbers are from `tests/account/reports.jsonl`, [claims](claims/README.md) and `vectors/negative.json`; [the audit pack](audit-pack.md) has
more, and their stories.

- **agrees**: the number is in the interval here, but for its last printed digit.
- **certified, room of x%**: it is a bound, and holds; the one here is so much less.
- **refuted by a witness**: it is said to be a bound, and data exceed it.
- **between**: it is a bound that is neither certified nor refuted.

What is not in a row is in its source: neighbours, releases, the way it is modelled. "None found" is what it says, of numbers that have a source.
"""


def kind_of(mechanism):
    kind = mechanism["type"]
    return f"{kind} {mechanism['noise']}" if "noise" in mechanism else f"{kind} {mechanism['sampler']}" if "sampler" in mechanism else kind


def kinds_of(question):
    rounds = question.get("rounds")
    parts = rounds if isinstance(rounds, list) else [question]
    kinds = {kind_of(part["mechanism"]) if "mechanism" in part else PAIRS.get(part["pair"]["type"], "") for part in ({**question, **part} for part in parts)}
    return kinds if len(kinds) == 1 else set()


def number(text):
    text = str(text)
    if text.startswith("log("):
        return math.log(number(text[4:-1]))
    top, _, bottom = text.partition("/")
    return float(top) / float(bottom or 1)


def asked_of(claim):
    """The quantity that is claimed, and the number."""
    if "order" in claim:
        return {"quantity": "renyi", "order": claim["order"]}, claim["renyi"]
    if "rho" in claim:
        return {"quantity": "zcdp"}, claim["rho"]
    if "mu" in claim:
        return {"quantity": "gdp", "eps": claim["eps"]}, claim["mu"]
    return {"quantity": "epsilon", "delta": claim["delta"]}, claim["eps"]


def published():
    """(kinds, source, what it says, the range it means or None for a bound, a question without texts)."""
    with open(os.path.join(ROOT, "tests", "account", "reports.jsonl"), encoding="utf-8") as file:
        for x in map(json.loads, file):
            if "source" in x:
                yield kinds_of(x["question"]), x["source"], x["says"], (x["lo"], x["hi"]) if x["lo"] > 0 else None, x["question"]
    for path in sorted(glob.glob(os.path.join(ROOT, "doc", "claims", "*.json"))):
        with open(path, encoding="utf-8") as file:
            for q in json.load(file):
                if not any(word in q["source"] for word in OWN) and q["id"] not in LEFT_OUT:
                    ask, value = asked_of(q["claim"])
                    question = {key: value for key, value in q.items() if key not in ("id", "source", "quote", "note", "claim")}
                    yield kinds_of(question), q["source"], value, None, {**question, "digits": 4, "ask": ask}
    with open(os.path.join(ROOT, "vectors", "negative.json"), encoding="utf-8") as file:
        for group in json.load(file)["testGroups"]:
            for test in group["tests"]:
                question = test["witness"].get("question")
                if question is not None and test["claim"]["bound"] == "upper" and group["type"] == "upper bound":
                    yield kinds_of(question), f"{group['source']}: {test['formula']}", test["claim"]["value"], None, {"digits": 6, **question}


def chosen(names):
    """Some of each kind: first one of each source, then others."""
    found = {name: ([], []) for name in names}
    for item in published():
        for name in item[0] & found.keys():
            first, others = found[name]
            (others if any(item[1][:25] == other[1][:25] for other in first) else first).append(item)
    return {name: (first + others)[:MOST] for name, (first, others) in found.items()}


def shown(x, direction):
    """So many digits, rounded outward."""
    if math.isinf(x) or x == 0:
        return "infinite" if x else "0"
    rounding = decimal.ROUND_CEILING if direction > 0 else decimal.ROUND_FLOOR
    rounded = decimal.Context(prec=DIGITS, rounding=rounding).create_decimal(repr(x))
    return f"{rounded.normalize():g}" if abs(rounded.adjusted()) < DIGITS + 2 else f"{rounded:.{DIGITS - 1}e}"


def ends(answer):
    def end(bound, side):
        return math.inf if bound.get(side) in ("inf", "+inf", None) else float(bound[side])
    if "error" in answer:
        raise SystemExit(f"published.py: {answer['error']}")
    if "value" in answer:
        return end(answer["value"], "lo"), end(answer["value"], "hi")
    return end(answer["lower"], "lo") if "lower" in answer else 0.0, end(answer["upper"], "hi") if "upper" in answer else math.inf


def verdict(says, meant, low, high, is_witness):
    value = number(says)
    if meant is not None:
        return "agrees" if low <= meant[1] and meant[0] <= high else "differs"
    if value < low:
        return "refuted by a witness"
    if value >= high:
        room = (value - high) / high * 100 if high > 0 else 0
        return f"certified, room of {room:.3g}%" if room >= 0.05 else "agrees"
    return "agrees" if high - low <= 1e-3 * high else "refuted by a witness" if is_witness else "between"


def words(question):
    """What is asked, in short."""
    def member(key, value):
        if isinstance(value, list):
            return f"{len(value)} {key}" if key in ("rows", "groups", "rounds", "parts") else f"{key} {' to '.join(map(str, value))}"
        if isinstance(value, dict):
            return ", ".join(member(k, v) for k, v in value.items() if k != "type")
        return f"{key} {value}"
    out = []
    for key in ("mechanism", "pair", "users", "honest", "release", "neighbours", "sample", "selection", "rounds"):
        if key in question and (key, question[key]) != ("rounds", 1):
            out.append(member(key, {k: v for k, v in question[key].items() if k not in ("noise", "sampler")} if key == "mechanism" else question[key]))
    ask = question["ask"]
    out.append(f"{ask['quantity']} at " + ", ".join(member(key, value) for key, value in ask.items() if key != "quantity"))
    return "; ".join(item for item in out if item).replace("|", "\\|").replace("_", " ")


def page(program, place, parts):
    """The lines of the page, of the rows that are not asked without what the program says: their beginning and their end."""
    words_of = json.loads(subprocess.run([program, "help", "vocabulary"], capture_output=True, text=True, check=True).stdout)
    noises = next(m["choices"] for m in words_of["members"] if m["name"] == "noise" and "choices" in m)
    names = []
    for m in words_of["mechanisms"]:
        extra = noises if m["name"] == "additive-noise" else [s["name"] for s in words_of["samplers"]] if m["name"] == "noisy-sgd" else [None]
        names += [f"{m['name']} {x}" if x else m["name"] for x in extra]
    found = chosen(names)
    rows = [(name, item) for name in names for item in found[name]]
    text = "".join(json.dumps(item[4]) + "\n" for _, item in rows[place::parts])
    answers = [None] * len(rows)
    answers[place::parts] = [json.loads(line) for line in subprocess.run([program, "ask", "-"], input=text, capture_output=True, text=True).stdout.splitlines()]
    lines = HEAD.split("\n")
    for name in names:
        lines += [f"## {name.replace(' ', ', ')}", ""]
        if not found[name]:
            lines += ["None found.", ""]
            continue
        lines += ["| asked | says | here | | source |", "|---|---|---|---|---|"]
        for (other, (_, source, says, meant, question)), answer in zip(rows, answers):
            if other == name:
                asked, source = f"| {words(question)} | {says} | ", f" | {source.replace('|', chr(92) + '|')} |"
                if answer is None:
                    lines.append((asked, source))
                    continue
                low, high = ends(answer)
                lines.append(f"{asked}{shown(low, -1)} to {shown(high, 1)} | {verdict(says, meant, low, high, 'pair' in question)}{source}")
        lines.append("")
    return lines[:-1]


def same(line, made):
    return line == made if isinstance(made, str) else line.startswith(made[0]) and line.endswith(made[1])


def main():
    made = page(sys.argv[1], *map(int, (sys.argv[3] if len(sys.argv) > 3 else "0/1").split("/")))
    if "--check" not in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write("\n".join(made) + "\n")
        return 0
    with open(PAGE, encoding="utf-8") as file:
        lines = file.read().split("\n")[:-1]
    wrong = [line for line, other in zip(lines, made) if not same(line, other)]
    return 0 if len(lines) == len(made) and not wrong else "\n".join(["doc/published.md is not what published.py writes", *wrong[:3]])


sys.exit(main())
