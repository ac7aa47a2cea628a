# SPDX-License-Identifier: LGPL-3.0-or-later
"""reports.py PROGRAM VALUES CLAIMS K/N: of every N-th, from the K-th on, questions of public threads have values that others computed (VALUES, a question a line), and neither these nor
the claims of the same threads take more work than 3 seconds."""

import json
import subprocess
import sys

MOST_WORK = 3e9  # units of about a nanosecond, counted and not timed


def interval(answer):
    """What the answer encloses: a value, or from the lower end of what is shown to the upper end of what is guaranteed."""
    if "value" in answer:
        return float(answer["value"]["lo"]), float(answer["value"]["hi"])
    return float(answer["lower"]["lo"]), float(answer["upper"]["hi"])


def work(answer):
    return sum(x.get("ledger", {}).get("work", 0) for x in answer.get("tried", []))


program, values, claims = sys.argv[1:4]
place, parts = map(int, sys.argv[4].split("/"))
with open(values, encoding="utf-8") as file:
    known = [json.loads(line) for line in file][place::parts]
with open(claims, encoding="utf-8") as file:
    questions = [x["question"] for x in known] + json.load(file)[place::parts]
lines = "".join(json.dumps(q) + "\n" for q in questions)
answers = [json.loads(line) for line in
           subprocess.run([program, "ask", "-"], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()]
wrong = 0
for x, answer in zip(known, answers):
    lo, hi = interval(answer)
    digits = x.get("digits", x["question"].get("digits", 3))
    if lo > hi or hi < x["lo"] or lo > x["hi"] or hi - lo > 10 ** (1 - digits) * hi:
        print(f"FAIL: {x['id']}: [{lo}, {hi}], known to be in [{x['lo']}, {x['hi']}]", file=sys.stderr)
        wrong = 1
for question, answer in zip(questions, answers):
    if work(answer) > MOST_WORK:
        print(f"FAIL: {work(answer)} units of work: {question}", file=sys.stderr)
        wrong = 1
print(f"{len(known)} values, {len(answers) - len(known)} claims, {sum(map(work, answers)):.1e} units of work")
sys.exit(wrong)
