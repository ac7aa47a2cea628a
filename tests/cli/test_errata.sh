#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Every number in doc/errata is reproduced, and every vector of vectors/negative.json refutes its claim;
# the gate asks a quarter of them.
#
# In the documents, an indented line "shufbound ARGUMENTS  EXPECTED" has, after two or more
# spaces, the value rounded to the digits shown, "infinite" or "exit N". A ```python block is
# followed by a ```text block with its output, numbers rounded likewise.
. "${srcdir:-.}/tests/check.sh"
errata=$source/doc/errata
negative=$source/vectors/negative.json
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
check "errata" python3 - "$program" "$errata" "$negative" "$(share 4)" <<'END'
import glob, json, math, os, re, shlex, subprocess, sys
from fractions import Fraction

program, errata, negative = sys.argv[1:4]
place, shares = map(int, sys.argv[4].split("/"))
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
    status, out, err = run(arguments + ["--explain"] * ("--json" not in arguments))
    return "" if agrees(status, out, expected) else f"exit {status}: {out or err}"


def agrees(status, out, expected):
    interval = re.search(r" in \[(.+), (.+)\]\n", out)
    if expected.startswith("exit "):
        return status == int(expected[5:])
    if status != 0:
        return False
    if expected == "infinite":
        return " is infinite: " in out.split("\n")[0]
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
        is_asked = counts["python blocks"] % shares == place
        if block.group(2) is None or is_asked and not check_python(block.group(1), block.group(3)):
            failures.append(f"{name}: the Python lines do not print what follows them:\n{block.group(1)}")
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    for line in re.findall(r"^ {4,}(shufbound .*)$", text, re.M):
        counts["commands"] += 1
        if counts["commands"] % shares != place:
            continue
        parts = re.match(r"shufbound (.*\S) {2,}(\S+|exit \d+)$", line)
        expected = parts and parts.group(2)
        if not parts or not (NUMBER.match(expected) or expected == "infinite" or expected.startswith("exit ")):
            failures.append(f"{name}: no expected value: {line}")
        else:
            printed = check_command(shlex.split(parts.group(1)), expected)
            if printed:
                failures.append(f"{name}: not reproduced: {line}: {printed}")


def interval(record, lo="lo", hi="hi"):
    """The two ends, None for infinity."""
    if record.get("infinite"):
        return None, None
    return Fraction(record[lo]), Fraction(record[hi])


def below(x, y):
    return x is not None and (y is None or x < y)


def rerun(question, stored, name):
    """The interval of a question, which must meet the stored one, and the value with it."""
    line = json.dumps({**question, "effort": "high"})
    answer = json.loads(subprocess.run([program, "ask", "-"], input=line, capture_output=True, text=True, timeout=300).stdout)
    if "value" not in answer:
        failures.append(f"{name}: {line}: {answer.get('error')}")
        return stored, {}
    got = answer["value"]
    (lo, hi), (new_lo, new_hi) = stored, interval(got)
    if (lo is None) != (new_lo is None) or lo is not None and not (lo <= new_hi and new_lo <= hi):
        failures.append(f"{name}: {line} gives {got}")
    return (new_lo, new_hi), got


def says_it(witness, got):
    """Whether what the witness rests on is the bound, or the exact value, that it is said to be."""
    chain = got.get("theorems", [])
    if not chain or chain[0]["id"] != witness["theorem"] or chain[0]["status"] != "proved":
        return False
    if witness["says"] != "exact":
        return got["side"] in (witness["says"], "exact")
    # a formula is what it evaluates, and delta of a pair is exact whatever it bounds, but for the steps after it
    return "form" in witness["question"] or all(kinds[t["id"]] == "exact" for t in chain[1:])


def check_by_hand(reproduce, value):
    """What is reproduced without shufbound's formulas or another program."""
    program, text = reproduce["program"], reproduce["input"]
    if program == "shufbound":
        return check_command(shlex.split(text), "infinite") == ""
    if program.startswith("the Python lines"):
        with open(os.path.join(errata, "koskela.md")) as f:
            lines = re.search(r"^```python\n(from math.*?def tail.*?)^for ", f.read(), re.M | re.S).group(1)
        namespace = {}
        exec(lines, namespace)
        x = Fraction(eval(text, namespace))
        return value * Fraction(999, 1000) <= x <= value
    if program == "the formula, by hand":
        return abs(Fraction(eval(text.replace("^", "**"), {"e": math.e})) / value - 1) < Fraction(1, 10**9)
    return True


def check_vector(v):
    counts["negative vectors"] += 1
    name, witness, claim, reproduce = v["id"], v["witness"], v["claim"], v["reproduce"]
    value = Fraction(claim["value"])
    claimed = interval(claim, "value_lo", "value_hi") if "question" in reproduce else (value, value)
    pairs = [(claimed, interval(witness))]
    new_witness, got = rerun(witness["question"], pairs[0][1], name)
    new_claimed = rerun(reproduce["question"], claimed, name)[0] if "question" in reproduce else claimed
    pairs.append((new_claimed, new_witness))
    if not claimed[0] <= value <= claimed[1] or claim["bound"] == witness["says"] or not says_it(witness, got):
        failures.append(f"{name}: the witness is not what it is said to be")
    if "question" not in reproduce and not check_by_hand(reproduce, value):
        failures.append(f"{name}: not reproduced: {reproduce}")
    for (claimed_lo, claimed_hi), (lo, hi) in pairs:
        if claim["bound"] == "upper" and (claimed_hi is None or not below(claimed_hi, lo)):
            failures.append(f"{name}: the witness does not exceed the claim")
        if claim["bound"] == "lower" and not below(hi, claimed_lo):
            failures.append(f"{name}: the witness is not below the claim")


for path in sorted(glob.glob(os.path.join(errata, "*.md"))):
    check_document(path)
status, out, err = run(["theorems", "--json"])
theorems = [json.loads(line) for line in out.splitlines()]
kinds = {theorem["id"]: theorem["side"] for theorem in theorems}
with open(negative) as f:
    document = json.load(f)
vectors = [v for group in document["testGroups"] for v in group["tests"]]
for v in vectors[place::shares]:
    check_vector(v)
for unique in "id", "tcId":
    if len({v[unique] for v in vectors}) != len(vectors):
        failures.append(f"negative.json: the same {unique} occurs twice")
if document["numberOfTests"] != len(vectors):
    failures.append("negative.json: numberOfTests is wrong")
# the counterexamples to these are no values of a pair: proofs/sgd.md, Lemma 4, and tests/account/test_sgd.c; tests/batch/test_batch.c
elsewhere = {"chen24-thm3", "batches-shuffle-as-poisson"}
for theorem in theorems:
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
finish
