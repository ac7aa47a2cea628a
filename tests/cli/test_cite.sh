#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# cite: every theorem has an entry of BibTeX, which BibTeX takes; what is printed agrees with the theorem's source and with CITATION.cff.
# shellcheck disable=SC2154
. "${srcdir:-.}/tests/cli/expect.sh"
expect 64 'no theorem "clone": did you mean clones? shufbound theorems lists them' cite clone
expect 64 'no theorem "zzzzzzzzz"; shufbound theorems lists them' cite clones zzzzzzzzz
expect 64 'no theorem "clones-stronge": did you mean clones-stronger?' theorems clones-stronge
expect 0 '^@inproceedings{feldman21,$' cite clones
expect 0 '^% clones: Feldman, McMillan, Talwar, Hiding Among the Clones, .*, Theorem 3.1 and Remark 3.5$' cite clones
expect 0 '^  note = {version .*; proofs/deletion.md}$' cite clones-deletion
check "our own theorem has our own entry alone" [ "$(grep -c '^@' "$work/out")" = 1 ]
expect 0 '; proofs/deletion.md, proofs/clones-sampled.md}$' cite clones-deletion clones-sampled deletion-third
check "a paper's theorem with the paper's proof is not ours" [ "$("$program" cite girgis21-3.4 | grep '^@')" = '@inproceedings{girgis21,' ]
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }

SHUFBOUND=$program python3 - "$source" "$work" <<'END' || fail "the entries"
import json, os, re, subprocess, sys
source, work = sys.argv[1:]
def run(*arguments):
    return subprocess.run([os.environ["SHUFBOUND"], *arguments], check=True, capture_output=True, encoding="utf-8").stdout
def entries(text):
    found = {}
    for kind, key, body in re.findall(r"^@(\w+)\{(\w+),\n(.*?)\n\}$", text, re.M | re.S):
        assert key not in found, key
        assert body.count("{") == body.count("}"), body
        depth = 0
        for character in body:
            depth += (character == "{") - (character == "}")
            assert depth >= 0, body
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", body, re.M))
        assert {"author", "title", "year"} <= set(fields) and len(fields) == body.count("\n") + 1, body
        assert kind == "misc" or {"article": "journal", "inproceedings": "booktitle"}[kind] in fields, body
        assert body.replace(",\n", "").count("\n") == 0 and not body.endswith(","), body
        found[key] = fields
    assert len(found) == text.count("\n@") + text.startswith("@"), text
    return found
everything, used = entries(run("cite")), {"shufbound"}
theorems = [json.loads(line) for line in run("theorems", "--json").splitlines()]
for theorem in theorems:
    cited = entries(run("cite", theorem["id"]))
    assert cited, theorem["id"]
    used |= set(cited)
    # every number of arXiv in the source, and no other
    numbers = set(re.findall(r"arXiv (\d{4}\.\d{4,5})", theorem["source"]))
    assert numbers == {fields["eprint"] for key, fields in cited.items() if "eprint" in fields and key not in ("su25", "wang24")}, theorem["id"]
    # every author whom the source names, as a family name
    for key, fields in cited.items():
        assert key == "shufbound" or fields == everything[key]
        families = [re.sub(r"\{\\.(\w)\}", r"\1", author.split(",")[0]) for author in fields["author"].split(" and ")]
        assert key == "shufbound" or families[0] in theorem["source"], (theorem["id"], key)
    page = re.search(r"proofs/[\w-]+\.md", theorem["proof"])
    assert ("shufbound" in cited) == bool(page), theorem["id"]
    assert not page or page[0] in cited["shufbound"]["note"] and os.path.exists(f"{source}/{page[0]}"), theorem["id"]
assert used == set(everything), set(everything) - used
assert list(everything)[:-1] == sorted(list(everything)[:-1])
citation = open(f"{source}/CITATION.cff", encoding="utf-8").read()
assert '"%s"' % everything["shufbound"]["title"].strip("{}") in citation
assert "\n  year: %s\n" % everything["shufbound"]["year"] in citation
with open(f"{work}/all.bib", "w", encoding="utf-8") as out:
    out.write(run("cite", *(theorem["id"] for theorem in theorems)))
with open(f"{work}/all.aux", "w", encoding="utf-8") as out:
    out.write("\\citation{*}\n\\bibstyle{plain}\n\\bibdata{all}\n")
END
if command -v bibtex >/dev/null; then
    (cd "$work" && bibtex all >log 2>&1 && ! grep -qi 'warning\|error' log) || fail "bibtex: $(cat "$work/log")"
fi
finish
