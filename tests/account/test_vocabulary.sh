#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# What a question may say is written once: the schema, the tables of the pages, the choices of the web page and the keywords of the
# Python package are those of "shufbound help vocabulary", and each theorem of it is in the registry.
program=${SHUFBOUND:-./shufbound}
source=${srcdir:-.}
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$program" help vocabulary >"$work/words" && "$program" theorems --json >"$work/theorems" || exit 1
python3 "$source/doc/schema/schema.py" --check <"$work/words" || exit 1
for topic in mechanisms pairs quantities samplers members; do
    "$program" help "$topic" | awk 'length > 100 { long = 1 } END { exit NR < 5 || long }' || { echo "FAIL: help $topic"; exit 1; }
done
python3 - "$source" "$work" <<'END'
import ast
import json
import re
import sys

source, work = sys.argv[1:]
with open(work + "/words", encoding="utf-8") as file:
    words = json.load(file)
with open(work + "/theorems", encoding="utf-8") as file:
    theorems = {json.loads(line)["id"] for line in file}
failures = []


def compare(what, have, want):
    if set(have) != set(want):
        failures.append(f"{what}: {sorted(set(want) - set(have))} are missing, {sorted(set(have) - set(want))} should not be there")


def names(rows):
    return [row["name"] for row in rows]


def choices(name):
    return [choice for m in words["members"] if m["name"] == name for choice in m.get("choices", [])]


def members(place):
    return {m["name"] for m in words["members"] if place in m["in"]}


# inside
for m in words["mechanisms"]:
    for name in re.split(r"[ |?]+", m["members"].strip("?")):
        if name not in members("mechanism"):
            failures.append(f"{m['name']} has the member {name}, which is not in the table of members")
for p in words["pairs"]:
    compare(f"members of the pair {p['name']}", set(re.split(r"[ |]+", p["members"])) - members("pair"), [])
    compare(f"theorem of the pair {p['name']}", {p["theorem"]} - theorems, [])
for q in words["quantities"]:
    compare(f"point of {q['name']}", set(q["point"].replace("?", "").split()) - members("ask"), [])
for kind in ("mechanisms", "pairs", "samplers", "quantities", "members"):
    for row in words[kind]:
        if not row["about"] or (row["about"][-1] == ".") != (kind == "samplers"):
            failures.append(f"{row['name']}: {row['about']!r} is no sentence without its full stop")

# the web page takes its choices from the vocabulary when it starts (tests/web compares them): what it knows besides is in it, too
with open(source + "/web/page.js", encoding="utf-8") as file:
    page = file.read()


def constant(name):
    return json.loads(re.search(rf"^const {name} = ([{{[].*?[}}\]]);", page, re.S | re.M)[1])


def needed(rows, key):
    """What these must have, of a|b the first, unless it is chosen from a list."""
    listed = {item.split("|")[0] for row in rows for item in row[key].split() if not item.endswith("?")}
    return {name for name in listed if not any(m["name"] == name and ("choices" in m or m["kind"] == "sampler") for m in words["members"])}


claims = constant("CLAIMS")
compare("first values on the web page", constant("FIRST"), needed(words["mechanisms"], "members") | needed(words["pairs"], "members")
        | needed(words["quantities"], "point") | needed(claims, "point") | {"users"})
compare("claims of the web page", {name for claim in claims for name in claim["point"].split()}, members("claim"))
compare("mechanisms without users of the web page", set(constant("WITHOUT_USERS")) - set(names(words["mechanisms"])), [])
kinds = {m["kind"] for m in words["members"] if "kind" in m}
compare("kinds of members on the web page", (set(re.findall(r'kind === "([a-z]+)"', page)) | set(json.loads(re.search(r"const shown = (\[.*?\]);", page)[1]))) - kinds, [])
compare("quantities that the web page names", set(re.findall(r'\bname [!=]== "([a-z]+)"', page)) - set(names(words["quantities"])) - members("question") - members("ask"), [])
for row in words["mechanisms"] + words["pairs"] + words["samplers"]:
    if row["name"] not in constant("WITHOUT_USERS") and re.search(rf'["\']{row["name"]}["\']', page.replace('\\"krr\\"', "")):
        failures.append(f"the web page names {row['name']}, which it should take from the vocabulary")

# the Python package: typed keywords
with open(source + "/python/shufbound/question.py", encoding="utf-8") as file:
    tree = ast.parse(file.read())
literals = {}
sgd = {name for m in words["mechanisms"] if m["name"] == "noisy-sgd" for name in re.split(r"[ |?]+", m["members"].strip("?"))}


def literal(annotation):
    """The texts of a Literal, wherever it is in the annotation."""
    for node in ast.walk(annotation):
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "Literal":
            return [item.value for item in ast.walk(node.slice) if isinstance(item, ast.Constant)]
        if isinstance(node, ast.Name) and node.id in literals:
            return literals[node.id]
    return None


for node in tree.body:
    if isinstance(node, ast.Assign) and literal(node.value):
        literals[node.targets[0].id] = literal(node.value)
compare("Sampler of the Python package", literals["Sampler"], names(words["samplers"]))
own = members("question") - {"ask", "claim", "source", "quote", "note"}
for function in tree.body:
    if isinstance(function, ast.FunctionDef) and function.name in ("delta", "epsilon", "renyi"):
        keywords = {a.arg: a.annotation for a in function.args.kwonlyargs}
        compare(f"keywords of shufbound.{function.name}", keywords, own)
        for name in ("release", "neighbours", "direction", "via"):
            compare(f"choices of {name} of shufbound.{function.name}", literal(keywords[name]), choices(name))
    if isinstance(function, ast.FunctionDef) and function.name in ("audit", "dpsgd"):
        compare(f"keywords of shufbound.{function.name}", {a.arg for a in function.args.kwonlyargs} - own - sgd,
                {"eps", "delta", "solve", "epochs"} if function.name == "dpsgd" else [])
print("\n".join("FAIL: " + line for line in failures) or "all tests passed")
sys.exit(1 if failures else 0)
END
