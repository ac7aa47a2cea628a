#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""proofs/check.py on many answers: true ones are to be checked, altered ones refused.

    check_many.py [--seed N] [--questions N] [--vectors K] [--kinds a,b] [--quick] SHUFBOUND SOURCE

Draws N random questions of the kinds that check.py covers, lets the program answer them and checks the answers. Then alters one thing in each answer, a
digit, a member, a theorem, and checks again: an altered answer that passes must be true, as far as the program's answer to its question can tell.
Also checks one vector in K of those that it covers. --quick: smaller questions and vectors. Prints counts and times; exit status 1 if anything is wrong.
"""
import argparse
import collections
import copy
import json
import pathlib
import random
import re
import subprocess
import sys
import time
from fractions import Fraction

sys.dont_write_bytecode = True
EFFORT = 1
QUICK = False


def size(rng, low, high):
    """A number of users, from 10^low to 10^high; with --quick of a third fewer digits."""
    return int(10 ** rng.uniform(low, high * 2 / 3 if QUICK else high))


def some(rng, *choices):
    return rng.choice(choices)


def decimal(rng, low, high, digits=2):
    """A decimal between two numbers."""
    return f"{rng.uniform(low, high):.{digits}f}"


def point(rng, eps=(0.05, 2), others=()):
    """What is asked: delta, eps, or one of the others."""
    if others and rng.random() < 0.4:
        quantity = rng.choice(others)
        asked = {"tradeoff": {"type1": some(rng, "0", "0.001", "1/3", decimal(rng, 0, 1))}, "renyi": {"order": some(rng, "1", "2", "3/2", decimal(rng, 1.1, 20))},
                 "gdp": {"eps": ["0", some(rng, "1/2", "1", "2")]}, "zcdp": {}}[quantity]
        return {"quantity": quantity, **asked}
    if rng.random() < 0.5:
        return {"quantity": "epsilon", "delta": f"{rng.randint(1, 99)}e-{rng.randint(3, 12)}"}
    return {"quantity": "delta", "eps": decimal(rng, *eps, 3)}


OF_PROFILES = ("tradeoff", "gdp")
ALL = ("tradeoff", "gdp", "renyi", "zcdp")


def eps0(rng, high=5):
    return some(rng, decimal(rng, 0.1, high), f"log({rng.randint(2, 40)})", f"{rng.randint(1, 9)}/{rng.randint(2, 9)}")


def shuffled_pair(rng):
    name = some(rng, "clones", "clones-stronger", "rr2", "krr-same", "krr-third", "krr-strong", "krr-weak", "clones-deletion")
    pair = {"type": name, "eps0": eps0(rng)}
    users = size(rng, 0.5, 3 if name in ("krr-weak", "clones-deletion") else 5)
    if name.startswith("krr"):
        pair["k"] = rng.randint(3, 20)
    fast = users < 1000 and name not in ("krr-weak", "clones-deletion")               # a curve needs many points
    question = {"pair": pair, "users": users, "ask": point(rng, others=OF_PROFILES if fast else ()), "digits": 4}
    if rng.random() < 0.3:
        question["direction"] = some(rng, "pq", "qp")
    return question


def trinomial(rng):
    cuts = sorted(rng.sample(range(1, 100), 2))
    rates = sorted(rng.sample(range(1, 100), 2))
    pair = {"type": "trinomial", "w0": f"{cuts[0]}/100", "w1": f"{cuts[1] - cuts[0]}/100", "r0": f"{rates[0]}/100", "r1": f"{rates[1] - rates[0]}/100"}
    users = rng.randint(2, 25 if rng.random() < 0.3 else 3000)
    asked = point(rng, others=("tradeoff", "renyi") if users <= 25 else OF_PROFILES if users < 300 else ())
    return {"pair": pair, "users": users, "ask": asked, "direction": some(rng, "both", "pq", "qp"), "digits": 6}


def sampled_pair(rng):
    users = rng.randint(2, 200) * 20
    name = some(rng, "clones-sampled", "krr-third-sampled")
    pair = {"type": name, "eps0": eps0(rng), **({"k": rng.randint(3, 9)} if name[0] == "k" else {})}
    return {"pair": pair, "users": users, "sample": {"scheme": "fixed", "rate": f"{rng.randint(1, 19)}/20"}, "ask": point(rng)}


def shuffled(rng):
    users = size(rng, 0.7, 4.5)
    if rng.random() < 0.2:
        return {"mechanism": {"type": "ldp", "eps0": eps0(rng)}, "users": 20 * rng.randint(2, 60), "sample": {"scheme": "fixed", "rate": f"{rng.randint(1, 19)}/20"}, "ask": point(rng)}
    if rng.random() < 0.2:
        return {"mechanism": {"type": "ldp", "eps0": eps0(rng, 3), "local": "delete"}, "users": rng.randint(1, 300), "ask": point(rng), "digits": 4}
    if rng.random() < 0.1:
        return {"mechanism": {"type": "ldp", "eps0": eps0(rng), "delta0": f"{rng.randint(1, 9)}e-{rng.randint(3, 14)}"}, "users": rng.randint(1, 300), "ask": point(rng), "digits": 4}
    if rng.random() < 0.5:
        mechanism = {"type": "ldp", "eps0": eps0(rng)}
    else:
        mechanism, users = {"type": "krr", "k": rng.randint(2, 9), "eps0": eps0(rng)}, min(users, 100 if QUICK else 2000)
    return {"mechanism": mechanism, "users": {"at_least": users} if rng.random() < 0.2 else users,
            "ask": point(rng, others=OF_PROFILES if users < 300 and mechanism["type"] == "ldp" else ()), "digits": 4}


def noise(rng):
    kind = some(rng, "gaussian", "laplace", "discrete-laplace", "discrete-gaussian", "skellam", "staircase", "binomial")
    if kind == "binomial":
        mechanism = {"type": "binomial-noise", "coins": size(rng, 1, 4)}
    elif kind == "staircase":
        mechanism = {"type": "additive-noise", "noise": kind, "eps0": decimal(rng, 0.05, 2, 2), "gamma": f"{rng.randint(1, 10)}/10"}
    else:
        mechanism = {"type": "additive-noise", "noise": kind, "scale": decimal(rng, 0.7, 15 if QUICK else 40, 2)}
    if rng.random() < 0.5:
        mechanism["sensitivity"] = rng.randint(1, 4)
    if rng.random() < 0.2 and kind in ("gaussian", "laplace", "discrete-laplace"):
        mechanism["dimension"] = rng.randint(1, 1000)
    question = {"mechanism": mechanism, "ask": point(rng, others=ALL), "digits": 4}
    if rng.random() < 0.6 and kind not in ("skellam", "binomial"):
        question["rounds"] = size(rng, 0, 1 if kind == "laplace" and QUICK else 1.7)
    elif rng.random() < 0.4 and kind == "binomial":
        mechanism.update(coins=rng.randint(1, 60))
        question["rounds"] = rng.randint(2, 4)
    elif rng.random() < 0.5 and kind != "binomial":
        scheme = some(rng, "poisson", "fixed")
        question.update(sample={"scheme": scheme, "rate": f"{rng.randint(1, 50)}/100"}, neighbours="remove" if scheme == "poisson" else "replace")
        if kind in ("discrete-laplace", "staircase"):
            question["rounds"] = rng.randint(1, 20)
    return question


def compositions(rng):
    """Releases one after the other, of several kinds."""
    parts = []
    for _ in range(rng.randint(1, 3)):
        kind = some(rng, "gaussian", "laplace", "discrete-laplace", "discrete-gaussian", "fixed", "poisson")
        part = {"rounds": size(rng, 0.3, 1.5)}
        if kind in ("fixed", "poisson"):
            part["mechanism"] = {"type": "noisy-sgd", "sampler": kind, "noise_multiplier": decimal(rng, 2, 8, 1), "steps": 40 if kind == "poisson" else 10}
            part["rounds"] = rng.randint(1, 4)
            if kind == "poisson":
                part["mechanism"]["sampling_rate"] = f"1/{rng.randint(2, 9)}"
        else:
            part["mechanism"] = {"type": "additive-noise", "noise": kind, "scale": decimal(rng, 3, 40, some(rng, 0, 2))}
            if rng.random() < 0.4:
                part["mechanism"]["sensitivity"] = rng.randint(1, 3)
        parts.append(part)
    return {"rounds": parts, "digits": 4 if QUICK else 6, "ask": point(rng)}


def sgd(rng):
    mechanism = {"type": "noisy-sgd", "noise_multiplier": decimal(rng, 0.6, 3, 2), "steps": size(rng, 0.7, 3.3)}
    mechanism["sampler"] = some(rng, "fixed", "poisson", "poisson", "poisson")
    if mechanism["sampler"] == "poisson":
        # With few expected participations the program itself takes long.
        mechanism["sampling_rate"] = f"1/{rng.randint(2, 12)}" if QUICK else some(rng, f"1/{rng.randint(2, 300)}", decimal(rng, 0.001, 0.3, 3))
        mechanism["steps"] += 30 if QUICK else 0
    question = {"mechanism": mechanism, "ask": point(rng, (0.1, 5), OF_PROFILES if mechanism["sampler"] == "poisson" else ALL)}
    if rng.random() < 0.4:
        question["rounds"] = rng.randint(1, 20)
    if mechanism["sampler"] == "fixed" and rng.random() < 0.5:
        question["neighbours"] = "replace"
    return question


def batches(rng):
    """Training by other samplers, all records of a user, and a record that is replaced."""
    # Rounds of the last two take long.
    sampler = some(rng, "shuffle", "balls-and-bins", "random-allocation", "fixed", *(() if QUICK else ("without-replacement", "poisson")))
    mechanism = {"type": "noisy-sgd", "sampler": sampler, "noise_multiplier": decimal(rng, 1, 4, 1), "steps": rng.randint(1, 60)}
    question = {"mechanism": mechanism, "neighbours": "replace" if sampler == "without-replacement" else some(rng, "remove", "replace"), "digits": 3}
    if sampler == "random-allocation":
        mechanism["sampling_rate"] = f"{rng.randint(2, mechanism['steps'] + 1)}/{mechanism['steps'] + 1}"
        mechanism["steps"] += 1
    elif sampler in ("without-replacement", "poisson"):
        mechanism.update(sampling_rate=f"{rng.randint(1, 9)}/20", steps=rng.randint(2, 8))
    elif rng.random() < 0.5:
        mechanism["records_per_user"] = rng.randint(2, 5)
    question["ask"] = point(rng, (0.1, 3), ALL)
    if rng.random() < 0.5:
        question["rounds"] = rng.randint(2, 5)
    return question


def described(rng):
    """One shuffle of a randomiser that is known."""
    kind = some(rng, "matrix", "krr", "subset-selection", "hadamard-response", "local-hashing", "oue", "unary-encoding", "rappor")
    k = rng.randint(3, 12)
    mechanism = {"type": kind}
    if kind == "matrix":
        columns = rng.randint(2, 3)
        rows = [[rng.randint(rng.random() > 0.1, 9) for _ in range(columns)] for _ in range(rng.randint(2, 3))]
        mechanism["rows"] = [[f"{x}/{sum(row) or 1}" for x in row] if sum(row) else ["1"] + ["0"] * (columns - 1) for row in rows]
    elif kind == "unary-encoding":
        mechanism.update(k=k, p=f"{rng.randint(11, 19)}/20", q=f"{rng.randint(1, 10)}/20")
    else:
        mechanism.update(k=k, eps0=eps0(rng, 3))
        mechanism.update({"subset-selection": {"size": rng.randint(1, k - 1)}, "local-hashing": {"g": rng.randint(2, 6)}}.get(kind, {}))
    users = size(rng, 0, 5)
    question = {"mechanism": mechanism, "users": {"at_least": users} if rng.random() < 0.1 else users, "ask": point(rng, (0.01, 1)), "digits": 3}
    if rng.random() < 0.1 and users > 10:
        question["honest"] = some(rng, "9/10", "1/2")
    return question


def rounds(rng):
    if rng.random() < 0.4:
        mechanism = {"type": "ldp", "eps0": eps0(rng, 2)} if rng.random() < 0.5 else {"type": "krr", "k": rng.randint(2, 9), "eps0": decimal(rng, 0.1, 2)}
        return {"mechanism": mechanism, "users": 1, "rounds": rng.randint(2, 30), "ask": point(rng), "digits": 3}
    users = rng.randint(60, 400)
    pair = {"type": some(rng, "clones", "clones-stronger"), "eps0": decimal(rng, 0.3, 2)}
    return {"pair": pair, "users": users, "rounds": rng.randint(2, 5), "digits": 3,
            "ask": {"quantity": "epsilon", "delta": f"{rng.randint(1, 9)}e-{rng.randint(3, 6)}"}}


KINDS = {"rounds": rounds, "sgd": sgd, "batches": batches, "noise": noise, "compositions": compositions, "pair": shuffled_pair, "trinomial": trinomial, "sampled": sampled_pair, "shuffled": shuffled,
         "described": described}


def ask(program, questions):
    """The program's answers, one by one in order."""
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run([program, "ask", "-"], input=lines, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=3600)
    return [json.loads(line) for line in done.stdout.splitlines()]


def numbers_in(value, path=()):
    """Where an answer's question has numbers."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name not in check.IGNORED:
                yield from numbers_in(part, path + (name,))
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from numbers_in(part, path + (i,))
    elif isinstance(value, (str, int)) and not isinstance(value, bool) and re.search("[0-9]", str(value)) and path[-1] not in ("type", "noise", "sampler"):
        yield path


def put(answer, path, value):
    for name in path[:-1]:
        answer = answer[name]
    answer[path[-1]] = value


def get(answer, path):
    for name in path:
        answer = answer[name]
    return answer


def another_digit(rng, text):
    """A text with one digit changed, not in an exponent."""
    text = str(text)
    end = re.search("[eE]|$", text).start()
    places = [i for i in range(end) if text[i].isdigit()]
    i = rng.choice(places)
    return text[:i] + rng.choice([d for d in "0123456789" if d != text[i]]) + text[i + 1:]


def altered(rng, answer):
    """An answer with one thing altered, and what."""
    answer = copy.deepcopy(answer)
    names = [name for name in ("value", "upper", "lower") if name in answer]
    bound = answer[rng.choice(names)]
    way = rng.choice(["end", "end", "end", "question", "question", "theorem", "missing", "side"])
    if way == "end":
        name = rng.choice([name for name in ("lo", "hi") if bound[name] is not None] or ["lo"])
        if bound[name] is not None:
            bound[name] = another_digit(rng, bound[name])
        bound[name + "_hex"] = bound[name]
    elif way == "question":
        # Rounds take some seconds each, and many minutes where one was meant.
        path = rng.choice([path for path in numbers_in(answer["question"]) if not (QUICK and path[-1] == "rounds")])
        put(answer["question"], path, another_digit(rng, get(answer["question"], path)))
    elif way == "theorem":
        bound["theorems"][0]["id"] = rng.choice(["clones", "clones-stronger", "rr2", "krr-third", "krr-weak", "krr-same", "additive-noise", "batches-poisson",
                                                     "blanket", "local-profile", "all-equal", "third-value"])
    elif way == "missing":
        asked = answer["question"]
        first = asked["rounds"][0] if isinstance(asked.get("rounds"), list) else asked
        holder = rng.choice([bound, asked, first.get("mechanism") or first["pair"]])
        del holder[rng.choice(sorted(holder))]
    else:
        bound["side"] = rng.choice(["upper", "lower", "exact", "none"])
    return answer, way


def false(program, answer):
    """Whether the program's own answer to the question contradicts an answer that passed."""
    fresh = ask(program, [answer["question"]])[0]
    if "error" in fresh:
        return "the program refuses its question"
    for name in ("value", "upper", "lower"):
        if name not in answer:
            continue
        if name not in fresh:
            return f"the program has no {name}"
        mine, its = answer[name], fresh[name]
        # A bound by other theorems than the best is of another side.
        if mine["side"] != its["side"] and [theorem["id"] for theorem in mine["theorems"]] == [theorem["id"] for theorem in its["theorems"]]:
            return f"the side is {its['side']}"
        if mine.get("infinite", False) != its.get("infinite", False):
            return f"{name} is infinite, or is not"
        # A bound by another theorem than the best: only the guaranteed end can be compared.
        if name in ("value", "upper") and None not in (mine["hi"], its["lo"]) and name != "lower" and Fraction(mine["hi"]) < Fraction(its["lo"]):
            return f"{name}: {mine['hi']} is below {its['lo']}"
        if name in ("value", "lower") and None not in (mine["lo"], its["hi"]) and Fraction(mine["lo"]) > Fraction(its["hi"]):
            return f"{name}: {mine['lo']} is above {its['hi']}"
    return None


class Counts:
    def __init__(self):
        self.outcomes = collections.defaultdict(collections.Counter)
        self.times = collections.defaultdict(list)
        self.wrong = []

    def wrongly(self, what, answer, lines):
        self.wrong.append((what, lines, json.dumps({name: value for name, value in answer.items() if name != "tried"})))
        print("WRONG:", what, lines, self.wrong[-1][2], flush=True)


def of_questions(arguments, counts):
    rng = random.Random(arguments.seed)
    # Rounds take some seconds each.
    kinds = arguments.kinds.split(",") if arguments.kinds else [kind for kind in KINDS if not (QUICK and kind == "rounds")]
    drawn = [(kind, KINDS[kind](rng)) for kind in (kinds[i % len(kinds)] for i in range(arguments.questions))]
    answers = ask(arguments.program, [question for _, question in drawn])
    for (kind, question), answer in zip(drawn, answers):
        if "error" in answer:
            counts.outcomes[kind]["error"] += 1
            continue
        began = time.time()
        outcome, lines = check.judged(answer, EFFORT)
        counts.times[kind].append(time.time() - began)
        counts.outcomes[kind][outcome] += 1
        if outcome == "refused":
            counts.outcomes[kind]["of them undecided"] += "fineness" in lines[0]
            print(f"{kind}: {lines[0]} {json.dumps(question)}", flush=True)
            if "fineness" not in lines[0]:
                counts.wrongly("a true answer is refused", answer, lines)
        if outcome != "checked":
            continue
        lie, way = altered(rng, answer)
        outcome, lines = check.judged(lie, EFFORT)
        counts.outcomes["altered: " + way][outcome] += 1
        if outcome == "checked":
            reason = false(arguments.program, lie)
            if reason:
                counts.wrongly("a false answer passes: " + reason, lie, lines)


def is_large(question):
    """Whether a vector's question takes longer than a second or so."""
    return len(re.sub("[^0-9]", "", str(question.get("users", 1)))) > 4 or "krr-weak" in json.dumps(question)


def of_vectors(arguments, counts):
    rng = random.Random(arguments.seed)
    for path in sorted((arguments.source / "vectors").glob("*.json")):
        for group in json.loads(path.read_text()).get("testGroups", []):
            for vector in group["tests"]:
                if "question" not in vector or rng.randrange(arguments.vectors) or (QUICK and is_large(vector["question"])):
                    continue
                began = time.time()
                outcome, lines = check.judged(vector, EFFORT)
                counts.times["vectors"].append(time.time() - began)
                counts.outcomes["vectors"][outcome] += 1
                if outcome == "refused" and "fineness" not in lines[0]:
                    counts.wrongly("a vector is refused", vector, lines)


def main():
    global check, QUICK
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=20261127)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--vectors", type=int, default=0)
    parser.add_argument("--kinds", default="")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("program")
    parser.add_argument("source", type=pathlib.Path)
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.source / "proofs"))
    import check
    QUICK = arguments.quick
    counts = Counts()
    of_questions(arguments, counts)
    if arguments.vectors:
        of_vectors(arguments, counts)
    for kind, outcomes in counts.outcomes.items():
        times = sorted(counts.times.get(kind, []))
        spent = f", {sum(times):.0f} s, the median {times[len(times) // 2]:.2f} s, the longest {times[-1]:.1f} s" if times else ""
        print(f"{kind}: " + ", ".join(f"{number} {name}" for name, number in sorted(outcomes.items())) + spent)
    print(f"seed {arguments.seed}: {len(counts.wrong)} wrong")
    return 1 if counts.wrong else 0


check = None
if __name__ == "__main__":
    sys.exit(main())
