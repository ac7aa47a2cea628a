#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Asks shufbound random questions and checks the answers by laws, for as long as one likes.

    soak.py [--questions N] [--seconds S] [--seed SEED] [--state FILE] [--kind NAME]

Case number i of a seed is always the same. A case is a question and others that are related to it by a law: what is asked
of fewer users is not less, more digits give an interval that meets the first one, a number from enumeration in rationals is
inside, and so on. An answer is read as an interval of the true number: from "lower" to "upper" of a mechanism, "value" of a
pair. A law is broken only by intervals that cannot both be right.

With --state the run goes on where the last one with that file ended, and the counts are of all of them. Prints a line for
each kind of question and each law. Exit status 1 after a broken law: its questions and answers are printed, and kept
in FILE.wrong.jsonl. SHUFBOUND names the program.
"""
import argparse
import collections
import json
import os
import random
import signal
import subprocess
import sys
import time
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import enumeration  # noqa: E402: a module beside this one

INFINITY = float("inf")
CASES_AT_ONCE = 8
CENTRAL = ("noisy-sgd", "binomial-noise", "additive-noise")
SLOW_SECONDS = 300  # for CASES_AT_ONCE cases: what has no end is no wrong answer, but is told

# T(first) <= T(second), or they are equal; each is a question or a number that is known exactly. follow, if there is one,
# makes further laws of the interval of the first.
Law = collections.namedtuple("Law", "name first relation second follow", defaults=(None,))


# ---- questions ----

def changed(question, **members):
    """The question with other members; None removes one, a dictionary changes members of a member."""
    result = dict(question)
    for key, value in members.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = changed(result[key], **value)
        else:
            result[key] = value
    return result


def epsilon_text(r):
    """A local eps0, often the logarithm of a rational number."""
    if r.random() < 0.5:
        return f"log({r.choice(['2', '3', '3/2', '5', '9', '101/100', '50', '7/4'])})"
    return f"{r.choice([0.01, 0.1, 0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8]):g}"


def larger(r, text):
    """A number that is more than the text's by a little or much."""
    inside = text[4:-1] if text.startswith("log(") else text
    bigger = Fraction(inside) * (1 + Fraction(1, r.choice([1, 3, 10, 1000, 10 ** 6])))
    return f"log({bigger})" if text.startswith("log(") else str(bigger)


def point(r):
    """What is asked, with a sign: +1 if what is asked grows as privacy gets worse."""
    quantity = r.choice(["delta"] * 4 + ["epsilon"] * 3 + ["renyi", "tradeoff", "gdp", "zcdp"])
    if quantity == "delta":
        eps = r.choice(["0", "0.01", "0.1", "0.3", "1", "log(2)", "log(3/2)", "log(11/10)", "2", f"{r.random():.6f}"])
        return {"quantity": quantity, "eps": eps}
    if quantity == "epsilon":
        return {"quantity": quantity, "delta": f"{r.choice([1, 2, 5])}e-{r.randint(1, 14)}"}
    if quantity == "renyi":
        return {"quantity": quantity, "order": r.choice(["1", "3/2", "2", "3", "10", "64", f"{1 + 9 * r.random():.4f}"])}
    if quantity == "tradeoff":
        return {"quantity": quantity, "type1": r.choice(["0", "0.001", "0.05", "0.1", "1/3", "0.5", "0.9"])}
    if quantity == "zcdp":
        return {"quantity": quantity}
    return {"quantity": quantity, "eps": ["0", r.choice(["1/2", "1", "2"])]}


def count(r, largest):
    """A number from 1, small ones as often as large ones."""
    return max(1, int(largest ** r.random()))


def chances(r):
    """w0, w1, r0, r1 of a trinomial pair."""
    whole = r.randint(4, 40)
    a, c = r.randint(1, whole - 2), r.randint(1, whole - 2)
    return {"w0": f"{a}/{whole}", "w1": f"{r.randint(0, whole - a)}/{whole}",
            "r0": f"{c}/{whole}", "r1": f"{r.randint(1, whole - c)}/{whole}"}


def draw_pair(r):
    kind = r.choice(["clones", "clones-stronger", "clones-deletion", "rr2", "krr-same", "krr-third", "krr-strong", "krr-weak", "trinomial"])
    pair = {"type": kind}
    if kind == "trinomial":
        pair.update(chances(r))
    elif kind in ("krr-strong", "krr-weak"):
        pair.update(gamma=f"{r.randint(1, 19)}/20", k=str(r.randint(2, 20)))
    else:
        pair["eps0"] = epsilon_text(r)
        if kind.startswith("krr"):
            pair["k"] = str(r.randint(3, 30))
    question = {"pair": pair, "users": str(count(r, 10 ** r.randint(1, 9))), "ask": point(r)}
    if r.random() < 0.25:
        question["rounds"] = str(count(r, 1000))
    if question["ask"]["quantity"] not in ("renyi", "zcdp", "tradeoff", "gdp") and r.random() < 0.15:
        question["direction"] = r.choice(["pq", "qp"])
    return question


def draw_mechanism(r):
    kind = r.choice(["ldp"] * 4 + ["rr2", "krr", "rappor", "oue", "unary-encoding", "matrix", "subset-selection", "hadamard-response",
                                   "local-hashing", "laplace", "gaussian", "product", "mixture"])
    k = r.randint(2, 12)
    m = {"type": kind}
    if kind in ("ldp", "rr2", "krr", "rappor", "oue", "subset-selection", "hadamard-response", "local-hashing"):
        m["eps0"] = epsilon_text(r)
    if kind in ("krr", "rappor", "oue", "subset-selection", "hadamard-response", "local-hashing", "unary-encoding"):
        m["k"] = str(k)
    if kind == "subset-selection":
        m["size"] = str(r.randint(1, k - 1))
    elif kind == "local-hashing":
        m["g"] = str(r.randint(2, 6))
    elif kind == "unary-encoding":
        q = r.randint(1, 18)
        m.update(p=f"{r.randint(q + 1, 19)}/20", q=f"{q}/20")
    elif kind == "matrix":
        m["rows"] = enumeration.random_rows(r)
    elif kind in ("laplace", "gaussian"):
        m.update(scale=f"{r.choice([1, 2, 3, 5, 10])}/{r.choice([1, 2])}", inputs=r.choice(["ends", "interval"]))
    elif kind in ("product", "mixture"):
        m["parts"] = [{"type": "krr", "k": str(r.randint(2, 3)), "eps0": epsilon_text(r)} for _ in range(2)]
        if kind == "mixture":
            m["weights"] = [f"{r.randint(1, 9)}/10"]
            m["weights"].append(str(1 - Fraction(m["weights"][0])))
    return m


def draw_shuffled(r):
    question = {"mechanism": draw_mechanism(r), "users": str(count(r, 10 ** r.randint(1, 7))), "ask": point(r)}
    if r.random() < 0.2:
        question["rounds"] = str(count(r, 100))
    if question["mechanism"]["type"] in ("rappor", "oue", "unary-encoding") and r.random() < 0.3:
        question["release"] = "sum"
    return question


def draw_deployed(r):
    """Users of whom some are dishonest, drawn, uncertain or talkative."""
    question = draw_shuffled(r)
    question.pop("release", None)
    if r.random() < 0.6:
        question["mechanism"] = {"type": "ldp", "eps0": epsilon_text(r)}
    kind = r.choice(["honest", "at_least", "fixed", "poisson", "reports", "delta0", "delete"])
    if kind == "honest":
        question["honest"] = r.choice(["9/10", "1/2", "99/100"])
    elif kind == "at_least":
        question["users"] = {"at_least": question["users"]}
    elif kind == "fixed":
        parts = r.choice([2, 3, 10])
        question.update(users=str(int(question["users"]) * parts), sample={"scheme": "fixed", "rate": f"1/{parts}"})
    elif kind == "poisson":
        question["sample"] = {"scheme": "poisson", "rate": r.choice(["1/2", "1/10", "0.01"])}
    elif kind == "reports":
        question["reports_per_user"] = str(r.randint(2, 4))
        question.pop("rounds", None)
    elif question["mechanism"]["type"] == "ldp":
        question["mechanism"].update({"delta0": f"1e-{r.randint(8, 14)}"} if kind == "delta0" else {"local": "delete"})
    if kind in ("reports", "delta0") and question["ask"]["quantity"] not in ("delta", "epsilon"):
        question["ask"] = {"quantity": "epsilon", "delta": "1e-5"}
    return question


def draw_several(r):
    """Rounds of different mechanisms, most of them over the same users."""
    users = str(count(r, 10 ** r.randint(1, 5)))
    parts = []
    for _ in range(r.choice([2, 2, 3])):
        part = {"mechanism": draw_mechanism(r), "users": users if r.random() < 0.8 else str(count(r, 1000))}
        if r.random() < 0.3:
            part["mechanism"] = {"type": "ldp", "eps0": epsilon_text(r), **r.choice([{}, {"delta0": "1e-12"}, {"local": "delete"}])}
        if r.random() < 0.4:
            part["rounds"] = str(r.choice([1, 2, 5]))
        if r.random() < 0.3:
            part.update(users=str(2 * int(part["users"])), sample={"scheme": r.choice(["fixed", "poisson"]), "rate": "1/2"})
        parts.append(part)
    ask = point(r)
    if any("delta0" in part["mechanism"] for part in parts) and ask["quantity"] not in ("delta", "epsilon"):
        ask = {"quantity": "epsilon", "delta": "1e-5"}
    return {"rounds": parts, "ask": ask}


def draw_training(r):
    """Every sampler and neighbour, users with several records, matrices."""
    sampler = r.choice(["fixed", "poisson", "poisson", "shuffle", "balls-and-bins", "random-allocation", "without-replacement", "without-replacement"])
    steps = count(r, 1000)
    mechanism = {"type": "noisy-sgd", "sampler": sampler, "noise_multiplier": f"{r.randint(4, 40)}/10", "steps": str(steps)}
    if sampler in ("poisson", "without-replacement"):
        mechanism["sampling_rate"] = f"{r.choice([1, 3, 10, 40])}/{r.choice([50, 100, 1000])}"
    elif sampler == "random-allocation":
        mechanism["sampling_rate"] = f"{min(steps, r.randint(1, 4))}/{steps}"
    if sampler in ("poisson", "without-replacement") and r.random() < 0.4:
        mechanism["dataset_size"] = str(100 * r.randint(20, 100))
        if sampler == "poisson":
            mechanism["max_batch_size"] = str(int(Fraction(mechanism["sampling_rate"]) * int(mechanism["dataset_size"])) * r.choice([1, 2]) + r.randint(1, 40))
    elif r.random() < 0.3:
        mechanism["records_per_user"] = str(r.randint(2, 5))
    if sampler == "without-replacement" and "dataset_size" in mechanism and r.random() < 0.5:
        mechanism["records_per_user"] = str(r.randint(2, 5))
    if sampler == "fixed" and r.random() < 0.5:
        mechanism["strategy"] = r.choice(["square-root", "tree", ["1", "1/2"], ["1", "0.9", "0.5", "0.5"]])
        mechanism[r.choice(["every", "separation"])] = str(r.randint(1, steps))
        mechanism.pop("records_per_user", None)
    neighbours = {"neighbours": r.choice(["replace", "remove"])} if r.random() < 0.4 else {}
    return {"mechanism": mechanism, **neighbours, "rounds": str(r.choice([1, 1, 2, 7])), "ask": point(r)}


def draw_groups(r):
    """Users with randomisers of their own."""
    groups = []
    for _ in range(r.randint(2, 3)):
        m = {"type": r.choice(["rr2", "rr2", "krr", "krr", "ldp", "rappor"]), "eps0": epsilon_text(r)}
        if m["type"] in ("krr", "rappor"):
            m["k"] = str(r.randint(3, 6))
        groups.append({"mechanism": m, "users": str(count(r, 10 ** 4))})
    return {"mechanism": {"type": "groups", "groups": groups}, "rounds": str(r.choice([1, 1, 2])), "ask": point(r)}


def draw_selected(r):
    """The best of several runs."""
    question = r.choice([draw_training, draw_noise, draw_shuffled])(r)
    if question["ask"]["quantity"] not in ("delta", "epsilon"):
        question["ask"] = {"quantity": "epsilon", "delta": "1e-5"}
    runs = r.choice(["geometric", "logarithmic", "poisson", "negative-binomial"])
    shape = {"shape": r.choice(["-1/2", "1/3", "2", "10"])} if runs == "negative-binomial" else {}
    return {**question, "selection": {"mean": str(r.choice(["1", "3/2", "5", "40", "1000"])), "runs": runs, **shape}}


def draw_noise(r):
    noise = r.choice(["gaussian", "laplace", "discrete-laplace", "discrete-gaussian", "skellam", "skellam"])
    mechanism = {"type": "additive-noise", "noise": noise, "scale": r.choice(["1", "1", "3", "10", "40", "2000", "100000"]), "sensitivity": str(r.choice([1, 1, 2, 5]))}
    if r.random() < 0.3:
        mechanism["dimension"] = str(r.choice([2, 3, 1000, 10 ** 9]))
    more = {"sample": {"scheme": r.choice(["poisson", "fixed"]), "rate": r.choice(["1/10", "1/2"])}} if r.random() < 0.3 else {}
    is_small = noise.endswith("laplace") or (noise != "gaussian" and "dimension" not in mechanism and len(mechanism["scale"]) < 3)
    if not more and is_small and r.random() < 0.5:
        steps = r.choice([1, 2, 5, 30, 400])
        mechanism.update({"sampler": "balls-and-bins", "steps": str(steps)})
        if r.random() < 0.5:
            mechanism.update({"sampler": "random-allocation", "sampling_rate": f"{min(steps, r.randint(1, 4))}/{steps}"})
    return {"mechanism": mechanism, **more, "rounds": str(r.choice([1, 1, 3, 20])), "ask": point(r)}


def draw_coins(r):
    return {"mechanism": {"type": "binomial-noise", "coins": str(count(r, 10 ** 7))}, "rounds": str(r.choice([1, 1, 3, 20])), "ask": point(r)}


def draw_form(r):
    form = r.choice(["feldman21-3.1", "feldman21-3.1-as-printed", "erlingsson19", "balle19-hoeffding", "balle19-bennett", "girgis21-3.1", "girgis21-3.2"])
    ask = {"quantity": "renyi", "order": str(r.randint(2, 40))} if form.startswith("girgis") else point(r)
    if ask["quantity"] not in ("delta", "epsilon") and not form.startswith("girgis"):
        ask = {"quantity": "epsilon", "delta": "1e-6"}
    return {"form": {"theorem": form}, "mechanism": {"type": "ldp", "eps0": epsilon_text(r)}, "users": str(count(r, 10 ** 8)), "ask": ask}


# ---- laws ----

def worse(question, name, other):
    """The law that the other question is about something less private."""
    return Law(name, other, "<=", question) if question["ask"]["quantity"] == "tradeoff" else Law(name, question, "<=", other)


def of_point(r, q):
    """What is asked at another point."""
    ask = q["ask"]
    quantity = ask["quantity"]
    if "form" in q:
        return Law("a closed form above its class", changed(q, form=None), "<=", q)
    key = {"delta": "eps", "epsilon": "delta", "renyi": "order", "tradeoff": "type1"}.get(quantity)
    if key is None:
        return Law("a longer range of eps", q, "<=", changed(q, ask={"eps": ["0", "3"]}))
    more = larger(r, ask[key])
    if key == "type1" and Fraction(more) > 1:
        return Law("type II error at 1", changed(q, ask={"type1": "1"}), "==", Fraction(0))
    other = changed(q, ask={key: more})
    return Law("in the order", q, "<=", other) if quantity == "renyi" else Law("in " + key, other, "<=", q)


def of_parts(r, q):
    """One of several mechanisms less, or a round of it more."""
    parts, i = q["rounds"], r.randrange(len(q["rounds"]))
    more = [dict(part) for part in parts]
    more[i]["rounds"] = str(int(more[i].get("rounds", "1")) + r.choice([1, 3]))
    return r.choice([worse(changed(q, rounds=parts[:i] + parts[i + 1:]), "a part less", q), worse(q, "more rounds of a part", changed(q, rounds=more))])


def of_accuracy(r, q):
    return Law("digits", q, "==", changed(q, digits=r.choice([3, 6, 15, 25])))


def of_users(r, q):
    n, members = q.get("users"), "sample" not in q
    if not members or n is None or "form" in q:
        return None
    if isinstance(n, dict):
        return Law("at least n and n", changed(q, users=n["at_least"]), "==", q)
    if "honest" in q and r.random() < 0.5:
        honest = int(Fraction(n) * Fraction(q["honest"]))
        return Law("honest users alone", q, "==", changed(q, users=str(honest), honest=None)) if honest > 0 else None
    more = int(n) + r.choice([1, 2, int(n), 9 * int(n)])
    return worse(changed(q, users=str(more)), "more users", q) if r.random() < 0.8 else Law("at least n", q, "==", changed(q, users={"at_least": n}))


def of_rounds(r, q):
    if "form" in q or q.get("reports_per_user"):
        return None
    more = int(q.get("rounds", "1")) + r.choice([1, 1, 2, 5])
    return worse(q, "more rounds", changed(q, rounds=str(more)))


def of_local(r, q):
    """More or less noise in a report."""
    if "form" in q:
        return None
    subject = "pair" if "pair" in q else "mechanism"
    m = q[subject]
    if "eps0" in m:
        return worse(q, "larger eps0", changed(q, **{subject: {"eps0": larger(r, m["eps0"])}}))
    if "sensitivity" in m and r.random() < 0.5:
        return worse(q, "a larger change", changed(q, **{subject: {"sensitivity": str(int(m["sensitivity"]) + r.choice([1, 2]))}}))
    if "coins" in m:
        return worse(changed(q, mechanism={"coins": str(int(m["coins"]) + r.choice([1, 2, 1000]))}), "more coins", q)
    if "scale" in m or "noise_multiplier" in m:
        key = "scale" if "scale" in m else "noise_multiplier"
        return worse(changed(q, **{subject: {key: larger(r, m[key])}}), "more noise", q)
    return None


def of_class(r, q):
    """A mechanism is one of its class; a pair from below is below one from above."""
    kind = q.get("pair", q.get("mechanism"))["type"]
    ask = q["ask"]["quantity"]
    if "form" in q or kind in CENTRAL:
        return None
    if kind in ("rr2", "krr-same", "krr-third") and "pair" in q:
        above = changed(q, pair={"type": r.choice(["clones", "clones-stronger"]), "eps0": q["pair"]["eps0"], "k": None}, direction=None)
        return worse(q, "an attack and its bound", above)
    if kind == "clones-stronger":
        return worse(q, "stronger and weaker clones", changed(q, pair={"type": "clones"}))
    if kind in ("krr", "rr2", "subset-selection", "hadamard-response", "local-hashing", "oue") and "mechanism" in q and "release" not in q:
        return worse(q, "a mechanism and its class", changed(q, mechanism={"type": "ldp", "k": None, "size": None, "g": None}))
    if kind == "ldp" and "local" not in q["mechanism"] and "delta0" not in q["mechanism"]:
        return worse(q, "replacement and deletion", changed(q, mechanism={"local": "delete"}))
    if q.get("release") == "sum":
        return worse(q, "the sum and the reports", changed(q, release=None))
    return None


def of_route(r, q):
    """Another way to the same number."""
    ask, rounds = q["ask"]["quantity"], int(q.get("rounds", "1"))
    if "form" in q or ask in ("gdp", "tradeoff", "renyi", "zcdp") or q.get("mechanism", {}).get("type") in CENTRAL:
        return Law("fast", q, "==", changed(q, fast=True)) if ask == "renyi" and "pair" in q and rounds == 1 else None
    if "pair" in q and rounds == 1 and r.random() < 0.7:
        return Law("fast", q, "==", changed(q, fast=True)) if r.random() < 0.6 else Law("as one round of many", q, "==", changed(q, via="pld"))
    if "pair" in q and "direction" not in q:
        return Law("a looser road", changed(q, via="pld"), "<=", changed(q, via=r.choice(["renyi", "strong-composition"])))
    if "pair" in q:
        return Law("one direction", q, "<=", changed(q, direction=None))
    if q["mechanism"].get("type") == "ldp" and rounds > 1:
        return Law("road of a mechanism", q, "==", changed(q, via=r.choice(["renyi", "strong-composition", "pld"])))
    return None


def of_inverse(_, q):
    """eps of delta of eps, and claims."""
    ask = q["ask"]
    if "form" in q or q.get("direction") or ask["quantity"] not in ("delta", "epsilon"):
        return None
    if ask["quantity"] == "epsilon":
        def follow(low, high):
            laws = []
            if high < INFINITY and high.denominator < 10 ** 900:
                laws.append(Law("delta at eps", changed(q, ask={"quantity": "delta", "delta": None, "eps": str(high)}), "<=", Fraction(ask["delta"])))
            if low > Fraction(1, 10 ** 300):
                laws.append(Law("delta below eps", Fraction(ask["delta"]), "<=", changed(q, ask={"quantity": "delta", "delta": None, "eps": str(low * Fraction(999, 1000))})))
            return laws
        return Law("interval", q, "<=", INFINITY, follow)

    def judge(low, high):
        if "mechanism" not in q or not high < 1 or low < Fraction(1, 10 ** 300):
            return []
        claim = changed(q, ask=None)
        return [Law("claim of the guarantee", q, "<=", changed(claim, claim={"eps": ask["eps"], "delta": str(high)})),
                Law("claim below the attack", q, "<=", changed(claim, claim={"eps": ask["eps"], "delta": str(low / 2)}))]
    return Law("interval", q, "<=", INFINITY, judge)


def of_training(r, q):
    """What a sampler, a neighbour or a record more does."""
    m = q.get("mechanism", {})
    if m.get("type") != "noisy-sgd":
        return None
    laws = [Law("one record is removed or replaced", changed(q, neighbours="remove"), "<=", changed(q, neighbours="replace")) if q["ask"]["quantity"] != "tradeoff" else None]
    if "strategy" not in m:
        more = str(int(m.get("records_per_user", "1")) + 1)
        laws.append(worse(q, "more records of a user", changed(q, mechanism={"records_per_user": more})))
        if m["sampler"] in ("poisson", "without-replacement"):
            laws.append(worse(q, "more steps", changed(q, mechanism={"steps": str(int(m["steps"]) + r.choice([1, 10, int(m["steps"])]))})))
        if m["sampler"] in ("poisson", "shuffle", "balls-and-bins") or (m["sampler"] == "random-allocation" and Fraction(m["sampling_rate"]) * int(m["steps"]) == 1):
            known = changed(q, mechanism={"sampler": "fixed", "sampling_rate": None, "dataset_size": None, "max_batch_size": None})
            if m["sampler"] == "poisson":
                known["rounds"] = str(int(q["rounds"]) * int(m["steps"]))
            laws.append(worse(q, "secret and known batches", known))
        if m["sampler"] == "poisson" and "max_batch_size" not in m and "records_per_user" not in m:
            rate = Fraction(m["sampling_rate"])
            laws.append(worse(q, "a larger rate", changed(q, mechanism={"sampling_rate": str(rate + (1 - rate) / r.choice([2, 10, 1000]))})))
    return r.choice(laws)


def of_allocation(r, q):
    """Releases among which a record's own is hidden."""
    m = q.get("mechanism", {})
    if m.get("type") != "additive-noise" or m.get("sampler") != "balls-and-bins":
        return None
    known = changed(q, mechanism={"sampler": None, "steps": None})
    more = changed(q, mechanism={"steps": str(int(m["steps"]) + r.choice([1, 10, int(m["steps"])]))})
    same = changed(q, mechanism={"sampler": "random-allocation", "sampling_rate": f"1/{m['steps']}"})
    return r.choice([worse(q, "a release that is known", known), worse(more, "more releases to be hidden among", q), Law("one of t releases", q, "==", same)])


def of_selection(_, q):
    """One run is as all runs that are equally good."""
    if "selection" not in q:
        return None
    if q["selection"]["mean"] == "1" and q["selection"]["runs"] != "poisson":
        return Law("one run of one", q, "==", changed(q, selection=None))
    return worse(changed(q, selection=None), "one run of several", q) if q["selection"]["runs"] != "poisson" else None


def of_groups(r, q):
    """A group in two parts, and a user more."""
    m = q.get("mechanism", {})
    if m.get("type") != "groups":
        return None
    groups, i = [dict(group) for group in m["groups"]], r.randrange(len(m["groups"]))
    users = int(groups[i]["users"])
    if users > 1 and r.random() < 0.5:
        part = r.randint(1, users - 1)
        apart = groups[:i] + [{**groups[i], "users": str(part)}] + groups[i + 1:] + [{**groups[i], "users": str(users - part)}]
        other = changed(q, mechanism={"groups": apart})
        # of a class the parts may have randomisers that are not alike
        return worse(q, "a group in two parts", other) if groups[i]["mechanism"]["type"] == "ldp" else Law("a group in two parts", q, "==", other)
    groups[i]["users"] = str(users + r.choice([1, users, 10 * users]))
    return worse(changed(q, mechanism={"groups": groups}), "more users of a group", q)


def of_search(r, q):
    """What is certified to be enough is not refuted."""
    if q.get("mechanism", {}).get("type") != "ldp" or q["ask"]["quantity"] != "delta" or "form" in q or Fraction(q.get("rounds", 1)) > 3 \
            or "sample" in q or isinstance(q["users"], dict) or "honest" in q or "reports_per_user" in q or "delta0" in q["mechanism"]:
        return None
    eps, delta = "0.5", f"1e-{r.randint(3, 8)}"
    users = changed(q, users=None, ask={"quantity": "users", "eps": eps, "delta": delta})

    def follow(_, high):
        if high == INFINITY:
            return []
        return [Law("enough users", changed(q, users=str(int(high)), ask={"eps": eps}), "<=", Fraction(delta))]
    return Law("interval", users, "<=", INFINITY, follow)


LAWS_OF_SEVERAL = [of_point, of_accuracy, of_parts, of_parts]
LAWS = [of_point, of_accuracy, of_users, of_rounds, of_local, of_class, of_route, of_inverse, of_search, of_training, of_allocation, of_selection, of_groups]
KINDS = {"pair": (draw_pair, 6), "shuffled": (draw_shuffled, 4), "deployed": (draw_deployed, 3), "several": (draw_several, 2),
         "noisy-sgd": (draw_training, 4), "groups": (draw_groups, 1), "selected": (draw_selected, 1),
         "coins": (draw_coins, 1), "noise": (draw_noise, 1), "form": (draw_form, 1), "oracle": (None, 4)}


def case(seed, number, only):
    """The kind and the laws of a case."""
    r = random.Random(f"{seed}/{number}")
    names = [only] if only else [name for name, (_, weight) in KINDS.items() for _ in range(weight)]
    kind = r.choice(names)
    if kind == "oracle":
        question, value, relation = enumeration.draw(r)
        return kind, [Law("enumeration", question, relation, value)]
    question = KINDS[kind][0](r)
    question["effort"] = r.choice(["3000000"] * 3 + ["30000000"])
    laws = [law(r, question) for law in (LAWS_OF_SEVERAL if kind == "several" else r.sample(LAWS, 5))]
    return kind, [Law("interval", question, "<=", INFINITY)] + [law for law in laws if law is not None]


# ---- answers ----

class Wrong(Exception):
    """A law is broken."""


class Slow(Exception):
    """No answers in time."""


def ask(program, questions):
    """The answers; the program answers every question of its input in one line."""
    text = "".join(json.dumps(q) + "\n" for q in questions)
    with subprocess.Popen([program, "ask", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as run:
        try:
            out, err = run.communicate(text, timeout=SLOW_SECONDS)
        except subprocess.TimeoutExpired as late:
            os.killpg(run.pid, signal.SIGKILL)  # and what works for it
            raise Slow() from late
    answers = [json.loads(line) for line in out.splitlines()]
    if len(answers) != len(questions):
        raise Wrong(f"{len(answers)} answers to {len(questions)} questions, exit status {run.returncode}: {err[-2000:]}",
                    questions[len(answers):len(answers) + 1])
    return answers


def end(bound, name, missing):
    """An end as a fraction; one so near 0 that this would take forever is moved outward."""
    if bound is None or bound[name] is None:
        return missing
    if int(bound[name].partition("e")[2] or 0) < -4000:
        return Fraction(-1 if name == "lo" else 1, 10 ** 3900)
    return Fraction(bound[name])


def interval(question, answer):
    """[low, high] of the true number; None of a refusal."""
    if "error" in answer:
        if "ended without one" in answer["error"] or answer["error"].startswith("out of memory"):
            raise Wrong("no answer: " + answer["error"], [question], [answer])
        return None
    for bound in [answer.get(x) for x in ("value", "upper", "lower")] + answer["tried"]:
        if bound is not None and end(bound, "lo", -INFINITY) > end(bound, "hi", INFINITY):
            raise Wrong("an interval with its ends exchanged", [question], [answer])
    if "verdict" in answer:
        limit = Fraction(answer["question"]["claim"]["delta"])
        return (0, limit) if answer["verdict"] == "certified" else (limit, INFINITY) if answer["verdict"] == "refuted" else (0, INFINITY)
    upper, lower = (answer["value"],) * 2 if "value" in answer else (answer.get("upper"), answer.get("lower"))
    if answer["quantity"] in ("users", "eps0", "scale", "noise_multiplier", "epochs", "sensitivity"):
        upper = lower = answer.get("value") or answer.get("upper")
    low, high = end(lower, "lo", -INFINITY), end(upper, "hi", INFINITY)
    if low > high:
        raise Wrong("a lower bound above an upper one", [question], [answer])
    return low, high


class Soak:
    """A run, which may be the continuation of another one."""

    def __init__(self, program, seed, state_file):
        self.program, self.state_file = program, state_file
        self.state = {"seed": seed, "next": 0, "questions": 0, "refused": 0, "kinds": {}, "laws": {}, "slow": []}
        if state_file and os.path.exists(state_file):
            with open(state_file, encoding="utf-8") as file:
                self.state = json.load(file)

    def count(self, table, key, number=1):
        self.state[table][key] = self.state[table].get(key, 0) + number

    def answered(self, laws, kind_of):
        """Asks what the laws need; a dictionary of the questions as text."""
        questions = {}
        for law in laws:
            for side in (law.first, law.second):
                if isinstance(side, dict):
                    questions.setdefault(json.dumps(side), (side, kind_of[id(law)]))
        answers = dict(zip(questions, ask(self.program, [question for question, _ in questions.values()])))
        for text, (_, kind) in questions.items():
            self.state["questions"] += 1
            self.count("kinds", kind)
            self.state["refused"] += "error" in answers[text]
        return answers

    def check(self, law, answers):
        """Returns the laws that follow."""
        ends, involved = [], [side for side in (law.first, law.second) if isinstance(side, dict)]
        for side in (law.first, law.second):
            ends.append(interval(side, answers[json.dumps(side)]) if isinstance(side, dict) else (side, side))
        if None in ends:
            return []
        (low, high), (other_low, other_high) = ends
        if low > other_high or (law.relation == "==" and other_low > high):
            raise Wrong(f"{law.name}: [{float(low)}, {float(high)}] {law.relation} [{float(other_low)}, {float(other_high)}]", involved,
                        [answers[json.dumps(side)] for side in involved])
        if law.second != INFINITY:
            self.count("laws", law.name)
        return law.follow(low, high) if law.follow else []

    def batch(self, size, only):
        cases = [case(self.state["seed"], self.state["next"] + i, only) for i in range(size)]
        try:
            self.judge(cases)
        except Slow:
            self.state["slow"].append(self.state["next"])
        self.state["next"] += size
        self.save()

    def judge(self, cases):
        laws = [law for _, part in cases for law in part]
        kind_of = {id(law): kind for kind, part in cases for law in part}
        while laws:
            answers = self.answered(laws, kind_of)
            following = []
            for law in laws:
                for new in self.check(law, answers):
                    following.append(new)
                    kind_of[id(new)] = kind_of[id(law)]
            laws = following

    def save(self):
        if self.state_file:
            with open(self.state_file + ".new", "w", encoding="utf-8") as file:
                json.dump(self.state, file)
            os.replace(self.state_file + ".new", self.state_file)

    def summary(self):
        s = self.state
        for table in ("kinds", "laws"):
            print(f"{table}: " + ", ".join(f"{key} {number}" for key, number in sorted(s[table].items())))
        if s["slow"]:
            print(f"no answers within {SLOW_SECONDS} seconds: the {CASES_AT_ONCE} cases from {', '.join(map(str, s['slow']))} on")
        return f"{s['questions']} questions of {s['next']} cases, {s['refused']} refused; seed {s['seed']}"


def report(wrong, soak):
    message, *rest = wrong.args
    lines = [json.dumps(x) for x in sum(rest, [])]
    print(f"WRONG: {message}\n" + "\n".join(lines) + f"\nin the cases from {soak.state['next']} on; {soak.summary()}")
    if soak.state_file:
        with open(soak.state_file + ".wrong.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps({"wrong": message, "state": soak.state}) + "\n" + "\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description="random questions, answers checked by laws")
    parser.add_argument("--questions", type=int, default=10 ** 18)
    parser.add_argument("--seconds", type=float, default=INFINITY)
    parser.add_argument("--seed", default=os.environ.get("SHUFBOUND_SEED", "1"))
    parser.add_argument("--state")
    parser.add_argument("--kind", choices=KINDS)
    options = parser.parse_args()
    soak = Soak(os.environ.get("SHUFBOUND", "./shufbound"), options.seed, options.state)
    start = time.monotonic()
    try:
        while soak.state["questions"] < options.questions and time.monotonic() - start < options.seconds:
            soak.batch(CASES_AT_ONCE, options.kind)
    except Wrong as wrong:
        report(wrong, soak)
        return 1
    except KeyboardInterrupt:
        pass
    print(soak.summary() + ": no law is broken")
    return 0


if __name__ == "__main__":
    sys.exit(main())
