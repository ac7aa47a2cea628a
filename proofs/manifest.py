#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Ties the Coq development in coq/ to the C code, by MANIFEST.

    manifest.py tags SOURCE          every tag has a row and every row its tag, function and test
    manifest.py coq BUILD SOURCE     every theorem and definition is there, states what it stated when its
                                     row was written, and uses no axiom but those of axioms; every definition
                                     that a statement uses has a row; needs coqc
    manifest.py hash BUILD SOURCE    prints MANIFEST anew with the hashes of what is there now
    manifest.py open SOURCE          lists the certifying functions that no row names

A row of MANIFEST has fields separated by " | ":

    theorem | Module.name | hash | file:function, ... or - | what the C establishes | test, ... or -
    definition | Module.name | hash

The hash is of the statement, or of the body of a definition, as Coq prints it. A tag is a comment in the C
that says "Coq: Module.name, Module.name". BUILD is the folder of the compiled .vo files, SOURCE the source tree.
"""
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
from development import Unfit, ask_coq, digest  # noqa: E402

TAG = re.compile(r"Coq:\s+((?:[A-Z]\w*\.\w+(?:,\s+(?:\*\s+)?)?)+)")


class Row:
    def __init__(self, number, fields):
        self.number, self.kind, self.name, self.hash = number, *fields[:3]
        self.functions = self.split(fields[3]) if self.kind == "theorem" else []
        self.establishes = fields[4] if self.kind == "theorem" else ""
        self.tests = self.split(fields[5]) if self.kind == "theorem" else []

    @staticmethod
    def split(text):
        return [] if text == "-" else [part.strip() for part in text.split(",")]


def read_manifest(source):
    rows = []
    with open(os.path.join(source, "proofs/MANIFEST"), encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.startswith("#") or not line.strip():
                continue
            fields = [field.strip() for field in line.rstrip("\n").split(" | ")]
            if len(fields) != {"theorem": 6, "definition": 3}.get(fields[0]):
                sys.exit(f"proofs/MANIFEST:{number}: a row is theorem with 6 fields or definition with 3")
            rows.append(Row(number, fields))
    return rows


def allowed_axioms(source):
    with open(os.path.join(source, "proofs/axioms"), encoding="utf-8") as lines:
        return {line.strip() for line in lines if line.strip() and not line.startswith("#")}


def c_files(source):
    return sorted(glob.glob(os.path.join(source, "src/*/*.[ch]")))


def check_tags(source):
    rows = {row.name: row for row in read_manifest(source) if row.kind == "theorem"}
    problems, tagged = [], {}
    for path in c_files(source):
        name = os.path.relpath(path, source)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for match in TAG.finditer(text):
            for theorem in re.findall(r"[A-Z]\w*\.\w+", match.group(1)):
                tagged.setdefault(theorem, set()).add(name)
                if theorem not in rows:
                    problems.append(f"{name}: tag {theorem} has no row in proofs/MANIFEST")
    for row in rows.values():
        where = f"proofs/MANIFEST:{row.number}: {row.name}"
        files = set()
        for function in row.functions:
            path, _, identifier = function.partition(":")
            files.add(path)
            full = os.path.join(source, path)
            if not os.path.exists(full):
                problems.append(f"{where}: there is no {path}")
                continue
            with open(full, encoding="utf-8") as file:
                if not re.search(rf"\b{re.escape(identifier)}\(", file.read()):
                    problems.append(f"{where}: {path} has no function {identifier}")
            if path not in tagged.get(row.name, ()):
                problems.append(f"{where}: {path} has no tag \"Coq: {row.name}\"")
        for path in tagged.get(row.name, set()) - files:
            problems.append(f"{where}: {path} has a tag but is not in the row")
        for test in row.tests:
            if not os.path.exists(os.path.join(source, test)):
                problems.append(f"{where}: there is no {test}")
    return problems


def used_definitions(build, source, theorems):
    """The definitions that the statements of the theorems use, directly or by way of other definitions."""
    keyword = re.compile(r"^\s*(?:Definition|Fixpoint|Inductive|Record)\s+(\w+)", re.M)
    known = set()
    for path in glob.glob(os.path.join(source, "proofs/coq/*.v")):
        module = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as file:
            known.update(f"{module}.{name}" for name in keyword.findall(file.read()))
    found, command, names = set(), "About", list(theorems)
    while names:
        text = " ".join(ask_coq(build, names, command).values())
        new = {name for name in re.findall(r"\b([A-Z]\w*\.\w+)", text) if name in known} - found
        found |= new
        command, names = "Print", sorted(new)
    return found


def hashes(build, rows):
    text = {}
    for kind, command in (("theorem", "About"), ("definition", "Print")):
        names = [row.name for row in rows if row.kind == kind]
        if names:
            text.update(ask_coq(build, names, command))
    return {name: digest(answer) for name, answer in text.items()}


def check_coq(build, source):
    problems = []
    for path in sorted(glob.glob(os.path.join(source, "proofs/coq/*.v"))):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"\(\*.*?\*\)", "", file.read(), flags=re.S)
        for word in re.findall(r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?|Unset\s+\w+\s+Checking|bypass_check)\b", text):
            problems.append(f"{os.path.relpath(path, source)}: {word}")
    rows = read_manifest(source)
    now = hashes(build, rows)
    for row in rows:
        if now.get(row.name) != row.hash:
            problems.append(f"proofs/MANIFEST:{row.number}: {row.name} states something else than when its row was "
                            f"written (hash {now.get(row.name)})")
    names = [row.name for row in rows if row.kind == "theorem"]
    for name in sorted(used_definitions(build, source, names) - {row.name for row in rows}):
        problems.append(f"{name} is used in a statement and has no row in proofs/MANIFEST")
    allowed = allowed_axioms(source)
    answer = ask_coq(build, ["all"], "Print Assumptions", names)["all"]
    # an axiom's name starts its line, the lines of its type are indented
    for axiom in re.findall(r"^([A-Za-z_][\w.]*)\s*(?::|$)", answer.replace("Axioms:\n", ""), flags=re.M):
        if not answer.startswith("Closed under the global context") and axiom not in allowed:
            problems.append(f"a theorem rests on {axiom}")
    return problems


def certifying_functions(source):
    """Public functions whose result is an enclosure, a bound or a verdict."""
    with open(os.path.join(source, "src/modules.h"), encoding="utf-8") as file:
        headers = re.findall(r'#include "(.+)"', file.read())
    for header in headers:
        with open(os.path.join(source, "src", header), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        for name in re.findall(r"\b(shuf_\w+)\((?:shuf_enclosure_t r|struct shuf_bound \*|shuf_verdict_t)", text):
            if not re.search(r"^shuf_enclosure_|_(init|clear)$", name):
                yield header, name


def report_open(source):
    named = {function.partition(":")[2] for row in read_manifest(source) for function in row.functions}
    functions = sorted(set(certifying_functions(source)))
    missing = [f"{header}: {name}" for header, name in functions if name not in named]
    print(f"{len(functions)} certifying functions, {len(functions) - len(missing)} named in proofs/MANIFEST; without a lemma in Coq:")
    for line in missing:
        print("  " + line)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "tags":
        problems = check_tags(sys.argv[2])
    elif len(sys.argv) == 4 and sys.argv[1] == "coq":
        problems = check_coq(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 4 and sys.argv[1] == "hash":
        now = hashes(sys.argv[2], read_manifest(sys.argv[3]))
        with open(os.path.join(sys.argv[3], "proofs/MANIFEST"), encoding="utf-8") as lines:
            for line in lines:
                fields = line.rstrip("\n").split(" | ")
                if len(fields) > 2 and fields[0] in ("theorem", "definition"):
                    fields[2] = now[fields[1].strip()]
                print(" | ".join(fields))
        return
    elif len(sys.argv) == 3 and sys.argv[1] == "open":
        report_open(sys.argv[2])
        return
    else:
        sys.exit(__doc__)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(1)
    print(f"proofs/MANIFEST: {sys.argv[1]} agree")


if __name__ == "__main__":
    try:
        main()
    except Unfit as unfit:
        sys.exit(str(unfit))
