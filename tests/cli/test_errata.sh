#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Every number in doc/errata is reproduced, and every negative vector refutes what it says.
#
# In the documents, an indented line "shufbound ARGUMENTS  EXPECTED" has, after two or more
# spaces, the value rounded to the digits shown, "infinite" or "exit N". A ```python block is
# followed by a ```text block with its output, numbers rounded likewise.
program=${SHUFBOUND:-./shufbound}
errata=${srcdir:-.}/doc/errata
command -v python3 >/dev/null || exit 77
python3 - "$program" "$errata" <<'END'
import glob, json, os, re, shlex, subprocess, sys
from fractions import Fraction

program, errata = sys.argv[1:]
failures = []
counts = {"commands": 0, "python blocks": 0, "negative vectors": 0}
NUMBER = re.compile(r"-?\d+(\.(\d+))?(e(-?\d+))?$")


def rounds_to(x, shown):
    """Whether the number x, rounded to the digits of shown, is shown."""
    fraction, exponent = NUMBER.match(shown).group(2, 4)
    unit = Fraction(10) ** (int(exponent or 0) - len(fraction or ""))
    shown = Fraction(shown)
    return x == 0 if shown == 0 else abs(x - shown) <= unit / 2


def run(arguments):
    r = subprocess.run([program] + arguments, capture_output=True, text=True, timeout=60)
    return r.returncode, r.stdout, r.stderr


def check_command(arguments, expected):
    """Empty, or what the command prints instead of the expected value."""
    status, out, err = run(arguments)
    return "" if agrees(status, out, expected) else f"exit {status}: {out or err}"


def agrees(status, out, expected):
    interval = re.match(r"\w+ in \[(.+), (.+)\]\n", out)
    if expected.startswith("exit "):
        return status == int(expected[5:])
    if status != 0:
        return False
    if expected == "infinite":
        return bool(re.match(r"\w+: infinite ", out))
    return interval is not None and all(rounds_to(Fraction(end), expected) for end in interval.groups())


def same(word, expected):
    if NUMBER.match(word) is None or NUMBER.match(expected) is None:
        return word == expected
    return rounds_to(Fraction(word), expected)


def check_python(code, expected):
    r = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    words, shown = r.stdout.split(), expected.split()
    return r.returncode == 0 and len(words) == len(shown) and all(map(same, words, shown))


def check_document(path):
    name = os.path.basename(path)
    with open(path) as f:
        text = f.read()
    for block in re.finditer(r"^```python\n(.*?)^```\n(```text\n(.*?)^```$)?", text, re.M | re.S):
        counts["python blocks"] += 1
        if block.group(2) is None or not check_python(block.group(1), block.group(3)):
            failures.append(f"{name}: the Python lines do not print what follows them:\n{block.group(1)}")
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    for line in re.findall(r"^ {4,}(shufbound .*)$", text, re.M):
        counts["commands"] += 1
        parts = re.match(r"shufbound (.*\S) {2,}(\S+|exit \d+)$", line)
        expected = parts and parts.group(2)
        if not parts or not (NUMBER.match(expected) or expected == "infinite" or expected.startswith("exit ")):
            failures.append(f"{name}: no expected value: {line}")
        else:
            printed = check_command(shlex.split(parts.group(1)), expected)
            if printed:
                failures.append(f"{name}: not reproduced: {line}: {printed}")


def interval(record):
    """lo and hi, None for infinity."""
    if record.get("infinite"):
        return None, None
    return Fraction(record["lo"]), Fraction(record["hi"])


def below(x, y):
    return x is not None and (y is None or x < y)


def rerun(record, name):
    """The interval of record's command, which must meet the stored one."""
    status, out, err = run(record["command"] + ["--json"])
    if status != 0:
        failures.append(f"{name}: {record['command']}: exit {status}")
        return interval(record), {}
    got = json.loads(out)
    (lo, hi), (new_lo, new_hi) = interval(record), interval(got)
    if (lo is None) != (new_lo is None) or lo is not None and not (lo <= new_hi and new_lo <= hi):
        failures.append(f"{name}: {record['command']} gives {out}")
    return (new_lo, new_hi), got


def check_vector(v):
    counts["negative vectors"] += 1
    name, witness, published = v["id"], v["witness"], v["published"]
    pairs = [(interval(published), interval(witness))]
    new_witness, got = rerun(witness, name)
    new_published = rerun(published, name)[0] if "command" in published else pairs[0][0]
    pairs.append((new_published, new_witness))
    kinds = {"lower": ("lower bound", "exact"), "upper": ("upper bound", "exact")}[witness["bound"]]
    if v["kind"] == "inequality":
        kinds = (got.get("kind"),)
    if got.get("theorem") != witness["theorem"] or got.get("kind") not in kinds:
        failures.append(f"{name}: the witness is no {witness['bound']} bound by {witness['theorem']}")
    if v["kind"] != "inequality" and got.get("status") != "proved":
        failures.append(f"{name}: the witness is not proved")
    for (published_lo, published_hi), (lo, hi) in pairs:
        if witness["bound"] == "lower" and (published_hi is None or not below(published_hi, lo)):
            failures.append(f"{name}: the witness does not exceed the published value")
        if witness["bound"] == "upper" and not below(hi, published_lo):
            failures.append(f"{name}: the witness is not below the published value")


for path in sorted(glob.glob(os.path.join(errata, "*.md"))):
    check_document(path)
with open(os.path.join(errata, "negative.json")) as f:
    vectors = json.load(f)
for v in vectors:
    check_vector(v)
if len({v["id"] for v in vectors}) != len(vectors):
    failures.append("negative.json: an id occurs twice")
# the counterexample to this one is no value of a command: proofs/sgd.md, Lemma 4, and tests/claim/test_sgd.c
elsewhere = {"chen24-thm3"}
status, out, err = run(["theorems", "--json"])
for theorem in map(json.loads, out.splitlines()):
    n = sum(v["formula"] == theorem["id"] for v in vectors)
    if theorem["status"] == "refuted" and n < 2 and theorem["id"] not in elsewhere:
        failures.append(f"negative.json: {n} vectors for {theorem['id']}")
print(", ".join(f"{n} {what}" for what, n in counts.items()))
if 0 in counts.values():
    failures.append("nothing was checked")
for message in failures:
    print("FAIL:", message, file=sys.stderr)
sys.exit(bool(failures))
END
