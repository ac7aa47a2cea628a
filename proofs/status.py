#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""status.py SHUFBOUND SOURCE prints STATUS.md: every theorem of the registry, what checks it, and which C rests on it."""
import glob
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from manifest import read_manifest  # noqa: E402

HEAD = """# Theorems

Printed by `status.py` from the registry (`shufbound theorems`) and from `MANIFEST`; `make check` compares. A bound certifies only if its theorem is
proved. "Coq" is followed by the theorems in `coq` that say what the registry says, as far as the fourth column tells; the rest is on paper. The
last column has the C functions of which `MANIFEST` says that they rest on these theorems, or else the files of `src` that name the theorem.

"""


def users(source):
    """Of each string of the C, the files that have it, the registry apart."""
    found = {}
    for path in sorted(glob.glob(os.path.join(source, "src/*/*.[ch]"))):
        if path.endswith("theorem/theorem.c"):
            continue
        with open(path, encoding="utf-8") as file:
            for text in set(re.findall(r'"([a-z0-9.-]+)"', file.read())):
                found.setdefault(text, []).append(os.path.relpath(path, os.path.join(source, "src")))
    return found


def cell(text):
    return text.replace("|", r"\|")


def main():
    program, source = sys.argv[1:]
    functions = {row.name: row.functions for row in read_manifest(source) if row.kind == "theorem"}
    files = users(source)
    lines = subprocess.run([program, "theorems", "--json"], capture_output=True, text=True, check=True).stdout.splitlines()
    theorems = [json.loads(line) for line in lines]
    proved = [t for t in theorems if t["status"] == "proved"]
    in_coq = [t for t in proved if t["checked"] == "coq"]
    print(HEAD + f"{len(theorems)} theorems: {len(proved)} proved, {len(in_coq)} of them checked by Coq.\n")
    print("| theorem | side | status | proof, and what Coq covers | Coq | C |\n|---|---|---|---|---|---|")
    for t in theorems:
        names = t["checked_in"].split(", ") if t["checked"] == "coq" else []
        missing = [name for name in names if name not in functions]
        if missing:
            sys.exit(f"proofs/MANIFEST has no row {missing[0]}, which the registry names for {t['id']}")
        rests = sorted({f.removeprefix("src/") for name in names for f in functions[name]}) or files.get(t["id"], [])
        print("| " + " | ".join([t["id"], t["side"], t["status"], cell(t["proof"]), ", ".join(names), cell(", ".join(rests))]) + " |")


if __name__ == "__main__":
    main()
