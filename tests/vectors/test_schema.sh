#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The schemas accept the files of vectors, answers and reports, and nothing that lacks or adds a member.
program=${SHUFBOUND:-./shufbound}
vectors=${srcdir:-.}/vectors
. "${srcdir:-.}/python/find-python.sh"
find_python "jsonschema" || { echo "skipped: python3-jsonschema is missing"; exit 77; }
"$python" -W ignore::DeprecationWarning - "$program" "$vectors" <<'END'
import copy, glob, json, os, subprocess, sys, tempfile
import pathlib
import jsonschema
from jsonschema import Draft202012Validator

program, vectors = sys.argv[1:]
failures = []
schemas = {}
validators = {}
for name in ("prompt", "value", "negative", "answers", "report"):
    with open(os.path.join(vectors, "schema", name + ".schema.json")) as f:
        schemas[name] = json.load(f)
    Draft202012Validator.check_schema(schemas[name])
    # the definition of a question is in doc/schema
    base = pathlib.Path(vectors, "schema", name + ".schema.json").resolve().as_uri()
    validators[name] = Draft202012Validator(schemas[name], resolver=jsonschema.RefResolver(base, schemas[name]))


def errors(name, document):
    return [e.message for e in validators[name].iter_errors(document)]


def accept(name, document, what):
    for message in errors(name, document)[:3]:
        failures.append(f"{what}: {message[:200]}")


def refuse(name, document, what):
    if not errors(name, document):
        failures.append(f"the schema {name} accepts {what}")


def objects(document, path=()):
    """Every object in the document that has members of its own names, with the way to it."""
    if isinstance(document, dict):
        if path[-1:] != ("notes",):
            yield path
        for key, value in document.items():
            yield from objects(value, path + (key,))
    elif isinstance(document, list):
        for i, value in enumerate(document):
            yield from objects(value, path + (i,))


def at(document, path):
    for key in path:
        document = document[key]
    return document


OPTIONAL = {"through", "notes", "order", "per_round", "aliasing", "step", "confirmation", "value_lo", "value_hi",
            "upper", "lower", "infinite", "lo", "hi", "lo_hex", "hi_hex", "schema"}


def mutate(name, document, what):
    """Without a member that is needed, with another one, or with one of another type."""
    for path in list(objects(document)):
        changed = copy.deepcopy(document)
        at(changed, path)["surplus"] = 1
        refuse(name, changed, f"a surplus member in {what} at {path}")
        if "question" in path:
            continue
        for key in list(at(document, path)):
            changed = copy.deepcopy(document)
            at(changed, path)[key] = None
            if not (key == "ratio" and name == "report"):
                refuse(name, changed, f"null for {key} in {what} at {path}")
            if key not in OPTIONAL and (key != "notes" or path):
                changed = copy.deepcopy(document)
                del at(changed, path)[key]
                refuse(name, changed, f"{what} without {key} at {path}")


def run(*arguments, status=0):
    r = subprocess.run([program, "vectors", *arguments], capture_output=True, text=True, timeout=120)
    if r.returncode != status:
        failures.append(f"vectors {arguments}: exit {r.returncode}: {r.stderr}")
    return r.stdout


# the definitions that several schemas share are the same
for key in schemas["prompt"]["$defs"]:
    for name in ("value", "negative"):
        if schemas[name]["$defs"][key] != schemas["prompt"]["$defs"][key]:
            failures.append(f"the schemas prompt and {name} differ in {key}")

# a file of each kind of the test's own
clones = {"pair": {"type": "clones", "eps0": "1"}, "users": "100", "rounds": "3", "ask": {"quantity": "epsilon", "delta": "1e-3"}}
questions = [
    {"pair": {"type": "clones", "eps0": "4"}, "users": "10000", "ask": {"quantity": "delta", "eps": "0.5"}},
    {"pair": {"type": "krr-strong", "k": "3", "gamma": "1/2"}, "users": "10", "ask": {"quantity": "renyi", "order": "2"}},
    {"mechanism": {"type": "ldp", "eps0": "4"}, "users": "1000", "form": {"theorem": "chen24-thm2"}, "ask": {"quantity": "delta", "eps": "3.2"}},
    clones, {**clones, "via": "renyi"}, {**clones, "via": "strong-composition"},
]
prompt = {
    "algorithm": "a", "schema": "../schema/prompt.schema.json", "header": ["h"],
    "notes": {"Plain": {"bugType": "BASIC", "description": "d"}}, "numberOfTests": len(questions),
    "testGroups": [{"type": "t", "source": "s", "confirmation": "c", "tests": [
        {"tcId": i + 1, "comment": "c", "flags": ["Plain"], "question": q} for i, q in enumerate(questions)]}]}
negative = {
    "algorithm": "a", "generatorVersion": "0", "schema": "schema/negative.schema.json", "header": ["h"],
    "notes": {"TheoremInvalid": {"bugType": "B", "description": "d"}}, "numberOfTests": 2,
    "testGroups": [{"type": "t", "source": "s", "tests": [
        {"tcId": 90001, "id": "i", "comment": "c", "flags": ["TheoremInvalid"], "formula": "f",
         "claim": {"quantity": "renyi", "bound": "upper", "value": "1.9655", "value_lo": "1.965", "value_hi": "1.966"},
         "reproduce": {"question": {"mechanism": {"type": "ldp", "eps0": "4"}, "users": "1001", "form": {"theorem": "chen24-cor2"},
                                    "ask": {"quantity": "renyi", "order": "18"}}},
         "witness": {"question": {"pair": {"type": "rr2", "eps0": "4"}, "users": "1001", "ask": {"quantity": "renyi", "order": "18"},
                                  "direction": "pq"},
                     "lo": "2.931", "hi": "2.932", "theorem": "rr2", "says": "lower"}},
        {"tcId": 90002, "id": "j", "comment": "c", "flags": ["TheoremInvalid"], "formula": "f",
         "claim": {"quantity": "renyi", "bound": "upper", "value": "1e300"},
         "reproduce": {"program": "p", "version": "1", "input": "i"},
         "witness": {"question": questions[1], "infinite": True, "theorem": "krr-strong", "says": "exact"}}]}]}
answers = {"library": "l", "version": "1", "answers": [
    {"tcId": 1, "upper": 1.46e-5, "lower": "1/100000"}, {"tcId": 2, "upper": "Infinity"}, {"tcId": 3, "upper": "nan", "lower": "0x1p-40"},
    {"tcId": 4, "refused": "r"}, {"tcId": 5, "lower": 0}]}
accept("prompt", prompt, "a prompt file")
accept("negative", negative, "a negative file")
accept("answers", answers, "a file of answers")
with tempfile.TemporaryDirectory() as work:
    os.mkdir(os.path.join(work, "out"))
    paths = {}
    for name, document in (("sample", prompt), ("negative", negative), ("answers", answers)):
        paths[name] = os.path.join(work, name + ".json")
        with open(paths[name], "w") as f:
            json.dump(document, f)
    run("generate", "--output", os.path.join(work, "out"), paths["sample"])
    value_path = os.path.join(work, "out", "sample.json")
    with open(value_path) as f:
        value = json.load(f)
    accept("value", value, "a value file")
    run("check", value_path, paths["negative"])
    report = json.loads(run("judge", "--json", paths["answers"], value_path, status=1))
    accept("report", report, "a report")
for name, document in (("prompt", prompt), ("value", value), ("negative", negative), ("answers", answers), ("report", report)):
    mutate(name, document, "a " + name)
for lo in ("0,1", "1e", "", "0x1p-3", "inf", ".", "1/3"):
    value["testGroups"][0]["tests"][0]["result"]["lo"] = lo
    refuse("value", value, f"lo = {lo}")
for change, what in (({"pair": {"type": "clones", "eps0": "1", "surplus": "1"}}, "a surplus member of a pair"), ({"fast": True}, "fast"),
                     ({"effort": "high"}, "effort"), ({"digits": "3"}, "digits that are text"), ({"users": ""}, "an empty number"),
                     ({"direction": "up"}, "a direction"), ({"ask": {"quantity": "audit"}}, "a quantity"),
                     ({"form": {}}, "a form without a theorem")):
    prompt["testGroups"][0]["tests"][0]["question"] = {**questions[0], **change}
    refuse("prompt", prompt, what)
prompt["testGroups"][0]["tests"][0]["question"] = {"pair": questions[0]["pair"], "users": "1"}
refuse("prompt", prompt, "a question that asks nothing")

# the files of the project
count = 0
for path in sorted(glob.glob(os.path.join(vectors, "*.json"))):
    with open(path) as f:
        document = json.load(f)
    accept("negative" if os.path.basename(path) == "negative.json" else "value", document, path)
    count += 1
for path in sorted(glob.glob(os.path.join(vectors, "../doc/examples/peers/answers", "*.json"))):
    with open(path) as f:
        accept("answers", json.load(f), path)
    count += 1
print(f"{count} files of the project agree with their schemas" if not failures else f"{len(failures)} failures")
for message in failures[:20]:
    print("FAIL:", message, file=sys.stderr)
sys.exit(bool(failures))
END
