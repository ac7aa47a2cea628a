#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The schemas of doc/schema and the parser agree: what the schema refuses the parser refuses; what the parser refuses the
# schema refuses, but for values that a schema cannot judge; and every answer, and the question in it, is what they say.
program=${SHUFBOUND:-./shufbound}
. "${srcdir:-.}/python/find-python.sh"
find_python "jsonschema" || { echo "skipped: python3-jsonschema is missing"; exit 77; }
"$python" -W ignore::DeprecationWarning - "$program" "${srcdir:-.}/doc/schema" <<'END'
import copy
import json
import pathlib
import subprocess
import sys
import jsonschema
from jsonschema import Draft7Validator

program, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
failures = []


def validator(name):
    path = folder / (name + ".schema.json")
    schema = json.loads(path.read_text())
    Draft7Validator.check_schema(schema)
    # the folder is where the files find one another
    schema["$id"] = path.as_uri()
    return Draft7Validator(schema, resolver=jsonschema.RefResolver(path.as_uri(), schema))


questions_schema, answers_schema = validator("question"), validator("answer")
LDP = {"type": "ldp", "eps0": "1"}
DELTA = {"quantity": "delta", "eps": "0.3"}
FIXED = {"scheme": "fixed", "rate": "1/2"}
POISSON = {"scheme": "poisson", "rate": "1/3"}


def of(subject, ask=DELTA, **members):
    kind = "pair" if "pair" in members else "mechanism"
    members.pop("pair", None)
    return {kind: subject, "users": "20", "ask": ask, **members}


good = [
    of(LDP), of({"type": "rr2", "eps0": "log(3)", "name": "coin"}), of({"type": "krr", "k": 3, "eps0": "1"}), of({"type": "krr", "k": "3", "gamma": "1/2"}),
    of({"type": "rappor", "eps0": "0.5"}), of({"type": "rappor", "k": 4, "flip": "1/3"}), of({"type": "rappor", "eps0": "0.5"}, release="sum"),
    of({"type": "matrix", "rows": [["1/2", "0.5"], ["1/4", "0x1.8p-1"]]}), of({"type": "subset-selection", "k": 6, "size": 2, "eps0": "1"}),
    of({"type": "hadamard-response", "k": 7, "eps0": "1"}), of({"type": "local-hashing", "k": 9, "g": 3, "eps0": "1"}),
    {"mechanism": {"type": "noisy-sgd", "sampler": "shuffle", "noise_multiplier": "2", "steps": 4}, "ask": DELTA, "neighbours": "remove"},
    {"mechanism": {"type": "noisy-sgd", "sampler": "poisson", "noise_multiplier": "2", "steps": "1", "sampling_rate": "1/5"}, "claim": {"eps": "1", "delta": "1e-3"}},
    {"mechanism": {"type": "noisy-sgd", "sampler": "fixed", "sampling_rate": "1/5"}, "ask": {"quantity": "noise_multiplier", "eps": "1", "delta": "1e-3"}},
    {"mechanism": {"type": "noisy-sgd", "sampler": "fixed", "noise_multiplier": 2, "steps": 5}, "ask": {"quantity": "epochs", "eps": "2", "delta": "1e-3"}},
    {"mechanism": {"type": "binomial-noise", "coins": "100", "sensitivity": 1}, "rounds": 2, "claim": {"eps": "2", "delta": "1e-3"}},
    {"mechanism": {"type": "binomial-noise", "coins": 20, "name": "coins"}, "ask": DELTA},
    {"mechanism": {"type": "additive-noise", "noise": "laplace", "scale": "2", "name": "count"}, "ask": DELTA, "neighbours": "replace"},
    {"mechanism": {"type": "additive-noise", "noise": "skellam", "variance": "2", "sensitivity": 3}, "sample": {"scheme": "poisson", "rate": "1/2"}, "ask": DELTA},
    {"mechanism": {"type": "additive-noise", "noise": "gaussian", "sensitivity": "3/2"}, "ask": {"quantity": "scale", "eps": "1", "delta": "1e-3"}},
    {"mechanism": {"type": "additive-noise", "noise": "discrete-gaussian", "scale": "30"}, "ask": {"quantity": "sensitivity", "eps": "1", "delta": "1e-3"}},
    {"mechanism": {"type": "additive-noise", "noise": "discrete-laplace", "eps0": "log(2)"}, "ask": {"quantity": "rounds", "eps": "5", "delta": "1e-3"}},
    {"mechanism": {"type": "groups", "groups": [{"mechanism": {"type": "rr2", "eps0": "1"}, "users": 5}, {"mechanism": {"type": "krr", "k": 2, "eps0": "1/2"}, "users": "3"}]}, "ask": DELTA},
    {"mechanism": {"type": "groups", "name": "both", "groups": [{"mechanism": LDP, "users": 5}, {"mechanism": {"type": "laplace", "scale": 2}, "users": 9}]}, "rounds": 2,
     "neighbours": "replace", "claim": {"eps": "1", "delta": "1e-3"}},
    of({"type": "laplace", "scale": "2"}), of({"type": "gaussian", "scale": "3"}),
    of({"type": "clones", "eps0": "1"}, pair=1), of({"type": "clones-stronger", "eps0": 1}, pair=1), of({"type": "rr2", "eps0": "1"}, pair=1, direction="pq"),
    of({"type": "krr-strong", "k": 3, "gamma": "1/2"}, pair=1), of({"type": "krr-weak", "k": 3, "eps0": "log(3)"}, pair=1),
    of({"type": "krr-same", "k": 3, "eps0": "1"}, pair=1), of({"type": "krr-third", "k": 3, "eps0": "1"}, pair=1), of({"type": "gaussian", "sigma": "2"}, pair=1),
    of({"type": "trinomial", "w0": "1/2", "w1": "1/4", "r0": "1/4", "r1": "1/4"}, pair=1), of({"type": "clones", "eps0": "1"}, pair=1, fast=True),
    of(LDP, {"quantity": "epsilon", "delta": "1e-3"}), of(LDP, {"quantity": "renyi", "order": "5/2"}), of(LDP, {"quantity": "renyi", "order": "inf"}),
    of(LDP, {"quantity": "tradeoff", "type1": "0.1"}), of(LDP, {"quantity": "gdp", "eps": ["0", "0.5"]}), of(LDP, rounds=3), of(LDP, rounds="2", via="renyi"),
    of(LDP, {"quantity": "epsilon", "delta": "1e-3"}, rounds=2, via="strong-composition"), of(LDP, rounds=2, via="pld"), of(LDP, sample=FIXED, rounds=2),
    of(LDP, {"quantity": "renyi", "order": "2"}, sample=FIXED), of(LDP, rounds=[{}, {"mechanism": {"type": "krr", "k": 3, "eps0": "1"}, "id": "b", "rounds": 2, "sample": FIXED}]),
    of({"type": "clones", "eps0": "1"}, pair=1, rounds=[{}, {"pair": {"type": "rr2", "eps0": "1"}, "users": 5}]),
    of(LDP, {"quantity": "renyi", "order": "2"}, form={"theorem": "girgis21-3.1"}, users="100000"),
    of({"type": "ldp", "eps0": "4"}, {"quantity": "renyi", "order": "18"}, form={"theorem": "chen24-cor2"}, users="1001"),
    of({"type": "ldp"}, {"quantity": "eps0", "eps": "0.5", "delta": "1e-3"}, users="1000", digits=3),
    of({"type": "clones-sampled", "eps0": "1"}, pair=1, sample=FIXED), of({"type": "krr-third-sampled", "k": 3, "eps0": "1"}, pair=1, sample=FIXED, direction="qp"),
    of({"type": "clones-poisson", "eps0": "1"}, pair=1, sample=POISSON), of({"type": "krr-same-poisson", "k": 2, "eps0": "1"}, pair=1, sample=POISSON),
    of({"type": "krr-third-poisson", "k": 3, "eps0": "1"}, pair=1, sample=POISSON), of(LDP, sample=POISSON, rounds=2),
    of({"type": "laplace"}, {"quantity": "scale", "eps": "0.5", "delta": "1e-2"}, digits=2),
    {"mechanism": LDP, "ask": {"quantity": "users", "eps": "0.5", "delta": "1e-3"}, "sample": FIXED, "effort": "high"},
    of(LDP, id="i", source="s", quote="q", note="n", neighbours="replace", digits=5, effort=300000000, max_seconds="100"), of(LDP, effort="high"),
    of({"type": "ldp", "eps0": "1", "local": "delete"}), of({"type": "rappor", "eps0": "1", "local": "replace"}), of({"type": "clones-deletion", "eps0": "1"}, pair=1),
    of({"type": "krr-weak", "k": 3, "eps0": "1"}, pair=1), of({"type": "krr-strong", "k": 3, "eps0": "1/2"}, pair=1),
    of(LDP, reports_per_user=3), of({"type": "ldp", "eps0": "1", "delta0": "1e-9"}), of({"type": "renyi-ldp", "order": "8", "renyi": "1/2"}),
    of(LDP, users={"at_least": "20"}), of(LDP, honest="3/4"), of(LDP, rounds=[{"honest": 15}, {"users": {"at_least": 20}}]),
    of({"type": "matrix", "rows": [["1", "0"], ["1/2", "1/2"]]}, {"quantity": "epsilon", "delta": "1e-3"}), of({"type": "krr", "k": 3, "gamma": "0"}),
] + [{"mechanism": LDP, "users": 50, "claim": claim} for claim in (
    {"eps": "0.5", "delta": "0.1"}, {"eps": "0.1", "delta": "0.001"}, {"eps": 1, "delta": 0}, {"order": "2", "renyi": "0.5"}, {"mu": "1", "eps": ["0.1", "1"]})]


def objects(document, path=()):
    """Every object of the question, by the way to it."""
    if isinstance(document, dict):
        yield path
        for key, value in document.items():
            yield from objects(value, path + (key,))
    elif isinstance(document, list):
        for i, value in enumerate(document):
            yield from objects(value, path + (i,))


def changed(document, path, change):
    result = copy.deepcopy(document)
    place = result
    for key in path:
        place = place[key]
    change(place)
    return result


def put(key, value):
    return lambda place: place.__setitem__(key, value)


# (question, what was done, what both must say: True, False or, where only the parser can judge, None)
cases = [(q, "as it is", True) for q in good]
for q in good:
    for path in objects(q):
        cases.append((changed(q, path, put("surplus", "1")), f"a surplus member at {path}", False))
        place = q
        for key in path:
            place = place[key]
        for key in place:
            cases.append((changed(q, path, put(key + "s", "1")), f"a member that begins with {key} at {path}", False))
            for value in (None, {}, 1.5, "\u001b") if key not in ("id", "source", "quote", "note", "name") else (None, {}, 1.5):
                # which texts are theorems the schema does not say
                expected = None if key == "theorem" and value == "\u001b" else False
                cases.append((changed(q, path, put(key, value)), f"{key} = {value!r} at {path}", expected))
            cases.append((changed(q, path, lambda p: p.pop(key)), f"without {key} at {path}", None))
for value, what in ((["a"], "an array"), ("a", "a text"), (3, "a number"), (None, "null"), (True, "true")):
    cases.append((value, what, False))
cases += [({**of(LDP), "pair": {"type": "clones", "eps0": "1"}}, "a mechanism and a pair", False),
          ({**of(LDP), "claim": {"eps": "1", "delta": "0"}}, "an ask and a claim", False), ({"mechanism": LDP, "users": 5}, "neither ask nor claim", False),
          (of(LDP, digits=0), "no digits", False), (of(LDP, digits=1001), "too many digits", False), (of(LDP, rounds=[]), "no rounds", False),
          (of(LDP, users=0), "no users", False), (of(LDP, users={"at_most": 5}), "users at most", False), (of(LDP, users=-3), "fewer users", False), (of({"type": "zzz"}), "an unknown type", False),
          (of(LDP, via="any"), "an unknown road", False), (of(LDP, sample={"scheme": "each", "rate": "1/2"}), "another scheme", False),
          (of(LDP, users="0"), "no users, as a text", None), (of(LDP, sample={"scheme": "fixed", "rate": "1/3"}), "a rate", None),
          (of({"type": "ldp", "eps0": "-1"}), "an eps0", None), (of(LDP, users="10000000000000000000"), "too many users", None)]


def ask(lines):
    r = subprocess.run([program, "ask", "-"], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=500)
    answers = r.stdout.splitlines()
    if len(answers) != len(lines):
        sys.exit(f"{len(lines)} questions, {len(answers)} answers, exit {r.returncode}: {r.stderr[:300]}")
    return [json.loads(a) for a in answers]


def hurried(q):
    return q if not isinstance(q, dict) or "effort" in q else {**q, "effort": 20000000}


answers = ask([json.dumps(hurried(q)) for q, _, _ in cases])
counts = {True: 0, False: 0}
for (q, what, expected), answer in zip(cases, answers):
    accepted = not list(questions_schema.iter_errors(hurried(q)))
    refused = "error" in answer
    counts[not refused] += 1
    line = json.dumps(q)[:250]
    if expected is True and (refused or not accepted):
        failures.append(f"{what}: schema {accepted}, answer {answer.get('error', 'given')}: {line}")
    if expected is False and (accepted or not refused):
        failures.append(f"{what}: schema {'accepts' if accepted else 'refuses'}, parser {'refuses' if refused else 'accepts'}: {line}")
    if not accepted and not refused:
        failures.append(f"{what}: the parser accepts what the schema refuses: {line}")
    for e in list(answers_schema.iter_errors(answer))[:1]:
        failures.append(f"{what}: the answer: {e.message[:200]}: {line}")
    if not refused and list(questions_schema.iter_errors(answer["question"])):
        failures.append(f"{what}: the question understood is refused by the schema: {json.dumps(answer['question'])[:250]}")

# answers with a member too many, one of another type or without a needed one are refused
for answer in [a for (q, _, e), a in zip(cases, answers) if e is True][:12]:
    for path in objects(answer):
        if "question" in path or path[-1:] in (("at",), ("mechanism",)):
            continue
        if not list(answers_schema.iter_errors(changed(answer, path, put("surplus", 1)))):
            failures.append(f"the schema accepts a surplus member of an answer at {path}")
    for key in ("question", "quantity", "complete", "tried", "version"):
        if not list(answers_schema.iter_errors(changed(answer, (), lambda p: p.pop(key)))):
            failures.append(f"the schema accepts an answer without {key}")
print(f"{counts[True]} questions accepted, {counts[False]} refused, {len(failures)} failures")
for message in failures[:25]:
    print("FAIL:", message, file=sys.stderr)
sys.exit(bool(failures))
END
