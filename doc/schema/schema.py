#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""
What doc/schema and doc/mechanisms say of a question, made of what the program knows:

    shufbound help vocabulary | python3 doc/schema/schema.py [--check]

writes doc/schema/question.schema.json and the tables between "<!-- TABLE -->" and "<!-- end -->" in four pages; or with
--check compares them, and exits with 1 if one of them differs.
"""
import json
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def ref(name):
    return {"$ref": f"#/definitions/{name}"}


NUMBER, COUNT, TEXT = ref("number"), ref("count"), {"type": "string"}
RANGE = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}


def several(item):
    return {"type": "array", "minItems": 2, "maxItems": 64, "items": item}


# The kinds of values, but for names that are in the vocabulary.
KINDS = {
    "number": NUMBER, "count": COUNT, "text": TEXT, "flag": {"type": "boolean"}, "mechanisms": several(ref("mechanism")), "numbers": several(NUMBER),
    "rows": several(several(NUMBER)), "digits": {"type": "integer", "minimum": 1, "maximum": 1000},
    "effort": {"anyOf": [{"enum": ["normal", "high"]}, COUNT]}, "point": {"anyOf": [NUMBER, RANGE]}, "order": {"anyOf": [NUMBER, {"enum": ["inf"]}]},
    "strategy": {"anyOf": [{"enum": ["square-root", "tree"]}, {"type": "array", "minItems": 1, "items": NUMBER}, {"type": "array", "minItems": 1, "items": {"type": "array", "minItems": 1, "items": NUMBER}}]},
    "theorem": {"type": "string", "minLength": 1}, "groups": {"type": "array", "minItems": 1, "maxItems": 10000, "items": ref("group")},
    **{name: ref(name) for name in ("users", "mechanism", "pair", "sample", "form", "selection", "ask", "claim")},
}
# What the members do not say.
NEEDED = {"mechanism": ["type"], "pair": ["type"], "sample": ["scheme", "rate"], "form": ["theorem"], "selection": ["mean"], "ask": ["quantity"], "users": ["at_least"], "group": ["mechanism", "users"]}


def value(member, place, words):
    """The schema of a member's value."""
    kind, about = member.get("kind"), {"description": member["about"]}
    if "choices" in member:
        return {**about, "enum": member["choices"]}
    if kind == "type":
        return {**about, "enum": [row["name"] for row in words["pairs" if place == "pair" else "mechanisms"]]}
    if kind in ("quantity", "sampler"):
        return {**about, "enum": [row["name"] for row in words["quantities" if kind == "quantity" else "samplers"]]}
    if kind == "rounds":
        return {**about, **({"anyOf": [COUNT, {"type": "array", "minItems": 1, "items": ref("round")}]} if place == "question" else {"allOf": [COUNT]})}
    found = KINDS[kind]
    return {**about, "allOf": [found]} if "$ref" in found else {**about, **found}


def properties(place, words, names=None):
    return {m["name"]: value(m, place, words) for m in words["members"] if place in m["in"] and (names is None or m["name"] in names)}


def schema(words):
    def thing(place, **more):
        return {"type": "object", **({"required": NEEDED[place]} if place in NEEDED else {}), "properties": properties(place, words), **more,
                "additionalProperties": False}

    def claim(*names):
        point = properties("claim", words, names)
        if "eps" in point:
            point["eps"] = {"description": point["eps"]["description"], **(RANGE if "mu" in names else {"allOf": [NUMBER]})}
        if "order" in point:
            point["order"] = {"description": point["order"]["description"], "allOf": [NUMBER]}
        return {"required": list(names), "properties": point, "additionalProperties": False}

    either = {"required": ["mechanism", "pair"]}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "question.schema.json",
        "title": "A question to shufbound",
        "description": "What is asked of a mechanism, or of a pair of laws. Made by schema.py of what \"shufbound help vocabulary\" prints.",
        "allOf": [ref("question"), {"anyOf": [{"required": ["ask"]}, {"required": ["claim"]}]}],
        "definitions": {
            "number": {
                "description": "exact: a decimal, a fraction, a hexadecimal float or a logarithm of one of these, as a string; or an integer",
                "anyOf": [{"type": "string", "minLength": 1, "maxLength": 1024, "pattern": r"^((log|sqrt)\()?[-+]?[0-9a-fA-FxXpP.eE+/-]+\)?$"}, {"type": "integer"}],
            },
            "count": {
                "description": "a whole number from 1, as a string or an integer",
                "anyOf": [{"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)?([eE]\+?[0-9]+)?$"}, {"type": "integer", "minimum": 1}],
            },
            "users": {"description": "how many, or at least how many", "anyOf": [COUNT, thing("users")]},
            "mechanism": thing("mechanism"), "pair": thing("pair"), "sample": thing("sample"), "group": thing("group"), "form": thing("form"), "selection": thing("selection"),
            "ask": thing("ask"),
            "round": {"not": either, **thing("round")},
            "claim": {"type": "object", "oneOf": [claim("eps", "delta"), claim("order", "renyi"), claim("rho"), claim("mu", "eps")]},
            "question": {"allOf": [{"not": either}, {"not": {"required": ["ask", "claim"]}}], **thing("question")},
        },
    }


# ---- tables ----

def listed(members):
    """The members of a type, in Markdown."""
    words = []
    for names in members.split():
        either = " or ".join(f"`{name.rstrip('?')}`" for name in names.split("|"))
        words.append(either + (" (may be left out)" if names.endswith("?") else ""))
    return ", ".join(words)


def cell(text):
    return text.replace("|", "\\|")


# Members of a question that a claim has not.
NOT_CLAIMED = ("ask", "pair", "form", "direction")


def member_rows(words, *places, without=()):
    for place in places:
        for m in words["members"]:
            if place in m["in"] and m["name"] not in without:
                name = f"`{m['name']}`" if place == "question" else f"`{place}.{m['name']}`"
                allowed = m.get("range") or ", ".join(f"`{choice}`" for choice in m.get("choices", []))
                yield f"| {name} | {cell(m['about'])} | {cell(allowed)} | {cell(m.get('default', ''))} |"


def tables(words):
    head = "| member | meaning | allowed | default |\n|---|---|---|---|\n"
    return {
        "members": head + "\n".join(member_rows(words, "question", "users", "sample", "group", "form", "selection")),
        "claims": head + "\n".join([*member_rows(words, "question", "users", "sample", "claim", without=NOT_CLAIMED),
                                    *(line for line in member_rows(words, "mechanism") if line.startswith("| `mechanism.local`"))]),
        "parameters": head + "\n".join(line.replace("`mechanism.", "`") for line in member_rows(words, "mechanism")),
        "quantities": "| `quantity` | its point | answer |\n|---|---|---|\n"
                      + "\n".join(f"| `{q['name']}` | {listed(q['point'])} | {cell(q['about'])} |" for q in words["quantities"]),
        "mechanisms": "| `type` | members | what it is |\n|---|---|---|\n"
                      + "\n".join(f"| `{m['name']}` | {listed(m['members'])} | {cell(m['about'])} |" for m in words["mechanisms"]),
        "samplers": "| `sampler` | what it needs of the data loader |\n|---|---|\n"
                    + "\n".join(f"| `{s['name']}` | {cell(s['about'])} |" for s in words["samplers"]),
        "pairs": "| pair | parameters | side | what it is |\n|---|---|---|---|\n"
                 + "\n".join(f"| `{p['name']}` | {listed(p['members'])} | {p['side']} | {cell(p['about'])} |" for p in words["pairs"]),
    }


def written(thing, indent=""):
    """JSON in which what fits on a line is on one."""
    line = json.dumps(thing)
    if len(indent) + len(line) <= 160 or not isinstance(thing, (dict, list)):
        return line
    inner = indent + "  "
    if isinstance(thing, list):
        return "[\n" + ",\n".join(inner + written(item, inner) for item in thing) + f"\n{indent}]"
    return "{\n" + ",\n".join(f"{inner}{json.dumps(key)}: {written(item, inner)}" for key, item in thing.items()) + f"\n{indent}}}"


def pages(words):
    """What each file should hold."""
    yield FOLDER / "question.schema.json", written(schema(words)) + "\n"
    made = tables(words)
    for path in (FOLDER / "README.md", FOLDER.parent / "mechanisms/README.md", FOLDER.parent / "manual/pair.md", FOLDER.parent / "claims/README.md"):
        yield path, re.sub(r"(<!-- (\w+) -->\n)[^<]*(<!-- end -->)", lambda found: found[1] + made[found[2]].replace("<", "&lt;") + "\n" + found[3], path.read_text())


def main():
    stale = [(path, text) for path, text in pages(json.load(sys.stdin)) if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv[1:]:
        for path, _ in stale:
            print(f"{path}: not what doc/schema/schema.py makes of \"shufbound help vocabulary\"", file=sys.stderr)
        return 1 if stale else 0
    for path, text in stale:
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
