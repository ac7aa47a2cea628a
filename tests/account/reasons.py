#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Compares what an answer says of a claim with the ends that it prints: reasons.py PROGRAM SOURCE SEED [NUMBER K/N].

Claims are those of doc/claims and doc/examples, and numbers at, beside and between the ends of the vectors. Of these NUMBER are
drawn, and every N-th from the K-th on is asked with little effort, so that many stay open; without it all of them are asked, and those that are shipped with
more effort too. Ends are compared as fractions. A claim that is no decimal may be an end that is printed one unit of its last
digit beyond it. A reason that is not listed here is a failure.
"""
import collections
import glob
import json
import random
import subprocess
import sys
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
CLOSE = Fraction(1001, 10 ** 6)  # what is printed is a little wider than what is known
ROUNDING = 1000


class Wrong(Exception):
    """What is said and what is printed do not agree."""


def require(true, what):
    if not true:
        raise Wrong(what)


# ---- numbers ----

def number(text):
    """Of a question: a decimal, a fraction, or the logarithm of one, which is then known to 50 digits."""
    text = str(text)
    if "0x" in text:
        return Fraction(float.fromhex(text))
    if not text.startswith("log("):
        return Fraction(text)
    inside = Fraction(text[4:-1])
    return Fraction((Decimal(inside.numerator) / Decimal(inside.denominator)).ln())


def unit(text):
    """One unit of the last digit of a decimal."""
    mantissa, _, exponent = str(text).partition("e")
    return Fraction(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def is_decimal(text):
    return not text.startswith("log(") and "/" not in text and "0x" not in text


class Ends:
    """Of a bound: [lo, hi], None where no finite end is known."""

    def __init__(self, bound):
        self.lo, self.hi = (None if bound[name] is None else Fraction(bound[name]) for name in ("lo", "hi"))
        self.lo_unit, self.hi_unit = (unit(bound[name] or 0) for name in ("lo", "hi"))
        self.infinite = bound.get("infinite", False)

    def holds(self, x):
        return (self.lo is None or self.lo <= x) and not self.infinite and (self.hi is None or x <= self.hi)

    def width(self):
        """Beside the upper end."""
        return Fraction(1) if self.lo is None or not self.hi else 1 - self.lo / self.hi


# ---- what is true of an answer ----

def check_bound(bound, digits):
    ends = Ends(bound)
    require(not (ends.infinite and (bound["lo"] or bound["hi"])), "infinite, with an end")
    require(ends.lo is None or ends.lo >= 0, "a negative end")
    require(ends.lo is None or ends.hi is None or ends.lo <= ends.hi, "the ends of a bound are in the wrong order")
    if bound["accuracy_reached"] and not ends.infinite:
        require(ends.hi is not None and ends.hi - ends.lo <= ends.hi / 10 ** digits + 2 * (ends.lo_unit + ends.hi_unit), "accuracy reached, with wide ends")
    return ends


def is_open(answer, side, claimed, delta, close):
    """Whether some bound of that side holds the claim, and is narrow or not, as its number or as the delta at the claimed eps."""
    for bound in answer["tried"]:
        if bound["side"] != side or bound["decides"]:
            continue
        ends = Ends(bound)
        narrow = ends.holds(claimed) and ends.width() <= CLOSE
        if "delta" in bound and delta is not None:
            at = Ends(bound["delta"])
            narrow |= at.holds(delta) and at.width() <= CLOSE
        if narrow if close else ends.holds(claimed) and not narrow:
            return True
    return False


SIDES = {"the exact value": "exact", "an upper bound": "upper", "a lower bound": "lower"}


def check_reason(answer, reason, claimed, delta, lower, upper):
    for words, side in SIDES.items():
        if reason == f"{words} is too close to the claim for the accuracy and effort allowed":
            require(is_open(answer, side, claimed, delta, True), "nothing is close to the claim")
            return
        if reason == f"{words} is known too roughly within the effort: the claim lies between its ends":
            require(is_open(answer, side, claimed, delta, False), "the claim is not between the ends of such a bound")
            return
    finite = upper is not None and upper.hi is not None
    if reason == "the clock or an interrupt cut the computation short":
        require(not answer["complete"], "the computation is complete")
    elif reason == "no upper bound applies, and no lower bound exceeds the claim":
        require(upper is None, "there is an upper bound")
    elif reason == "no finite upper bound was found within the effort, and no lower bound exceeds the claim":
        require(upper is not None and not finite, "there is a finite upper bound")
    elif reason == "the upper bound exceeds the claim, and there is no lower bound":
        require(lower is None and finite, "there is a lower bound")
    elif reason == "the claim lies between the best lower and the best upper bound":
        require(lower is not None and finite, "one of the two is missing")
    else:
        raise Wrong("an unknown reason")


def check_rounding(text, claimed, upper):
    """Refuted by rounding only: the certified value, rounded, is the claimed value, or is a thousandth of it away."""
    require(is_decimal(text) and upper is not None and upper.hi is not None, "nothing that is certified rounds to the claim")
    room = min(unit(text) / 2, claimed / ROUNDING)
    require(upper.hi - upper.hi_unit <= claimed + room, "what is certified does not round to the claim")


def check_best(answer, lower, upper):
    """The best ends are those of the best bounds."""
    for bound in answer["tried"]:
        ends = Ends(bound)
        if bound["side"] in ("upper", "exact"):
            require(upper is not None and (upper.hi is None) <= (ends.hi is None) and (ends.hi is None or upper.hi <= ends.hi),
                    "the upper end is not the best")
        if bound["side"] in ("lower", "exact"):
            require(lower is not None and (lower.infinite or (not ends.infinite and (lower.lo or 0) >= (ends.lo or 0))), "the lower end is not the best")


def check_claim(answer, claim):
    text = str(claim[next(key for key in ("mu", "rho", "renyi", "eps") if key in claim)])
    claimed, verdict, reason = number(text), answer["verdict"], answer.get("reason")
    delta = number(claim["delta"]) if "delta" in claim else None
    lower, upper = (Ends(answer[side]) if side in answer else None for side in ("lower", "upper"))
    decided = {bound["side"] for bound in answer["tried"] if bound["decides"]}
    check_best(answer, lower, upper)
    if lower is not None and upper is not None and upper.hi is not None:
        require(not lower.infinite and (lower.lo is None or lower.lo <= upper.hi), "the ends cross")
    if verdict == "certified":
        require(reason is None and decided and not decided & {"lower", "none"}, "certified, and by what?")
        require(upper.hi is not None and upper.hi <= claimed + (0 if is_decimal(text) else upper.hi_unit), "certified, with an upper end above the claim")
        require(lower is None or (not lower.infinite and (lower.lo is None or lower.lo <= claimed)), "certified, with a lower end above the claim")
    elif verdict == "refuted":
        require(decided and not decided & {"upper", "none"}, "refuted, and by what?")
        require(lower.infinite or lower.lo >= claimed - (0 if is_decimal(text) else lower.lo_unit), "refuted, with a lower end below the claim")
        require(upper is None or upper.hi is None or upper.hi > claimed, "refuted, with an upper end below the claim")
        if reason is not None:
            require(reason == "by rounding only: the certified value, rounded, is the claimed value", "an unknown reason")
            check_rounding(text, claimed, upper)
    else:
        require(not decided and reason is not None, "undecided, without a reason")
        require(lower is None or (not lower.infinite and (lower.lo is None or lower.lo <= claimed)), "undecided, with a lower end above the claim")
        require(upper is None or upper.hi is None or upper.hi > claimed, "undecided, with an upper end at most the claim")
        check_reason(answer, reason, claimed, delta, lower, upper)
    return reason or verdict


def check(question, answer):
    """What the answer says, for the count."""
    if "error" in answer:
        return "an error"
    digits = int(answer["question"]["digits"])
    for bound in answer["tried"]:
        check_bound(bound, digits)
    return check_claim(answer, question["claim"])


# ---- claims ----

def shipped(source):
    for path in sorted(glob.glob(f"{source}/doc/claims/*.json")) + [f"{source}/doc/examples/audit/claims.json"]:
        with open(path, encoding="utf-8") as file:
            yield from json.load(file)


def rounded(r, x):
    """A number of a few digits, to either side."""
    return f"{float(x):.{r.randint(0, 4)}e}" if x > 0 else "0"


def of_vector(test, r):
    """Claims beside what the vector has, of the mechanism that it is about."""
    question, result = dict(test["question"]), test["result"]
    ask, pair = question.pop("ask"), question.pop("pair", None)
    ends = [Fraction(result[name]) for name in ("lo", "hi") if result.get(name)]
    if pair is not None and pair["type"] in ("clones", "clones-stronger"):
        question["mechanism"] = {"type": "ldp", "eps0": pair["eps0"]}
    if "mechanism" not in question or len(ends) < 2 or not {"direction", "fast", "form"}.isdisjoint(question):
        return
    lo, hi = ends
    near = [lo, hi, (lo + hi) / 2, lo * Fraction(999, 1000), hi * Fraction(1001, 1000), hi / 2, hi * 2]
    texts = [str(r.choice(near)), rounded(r, lo), rounded(r, hi)]
    for text in texts:
        if ask["quantity"] == "epsilon":
            claim = {"eps": text, "delta": ask["delta"]}
        elif ask["quantity"] == "delta":
            claim = {"eps": ask["eps"], "delta": text}
        elif ask["quantity"] == "renyi":
            claim = {"order": ask["order"], "renyi": text}
        elif ask["quantity"] == "gdp" and Fraction(text) > 0:
            claim = {"mu": text, "eps": ask["eps"]}
        else:
            continue
        yield {**question, "claim": claim}


def all_claims(source, r):
    found = list(shipped(source))
    for path in sorted(glob.glob(f"{source}/vectors/*.json")):
        with open(path, encoding="utf-8") as file:
            for group in json.load(file)["testGroups"]:
                for test in group["tests"]:
                    if "question" in test:
                        found.extend(of_vector(test, r))
    return found


def main():
    program, source, seed = sys.argv[1:4]
    r = random.Random(seed)
    claims = all_claims(source, r)
    if len(sys.argv) > 4:
        place, parts = map(int, sys.argv[5].split("/"))
        claims = [{**claim, "effort": r.choice(["1e6", "1e7"])} for claim in r.sample(claims, int(sys.argv[4]))[place::parts]]
    else:
        claims = [{**claim, "effort": effort} for claim in claims for effort in ("1e6", "1e7")] + [{**claim, "effort": "1e9"} for claim in shipped(source)]
    text = "".join(json.dumps(claim) + "\n" for claim in claims)
    run = subprocess.run([program, "ask", "-"], input=text, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    said, failures = collections.Counter(), 0
    if len(answers) != len(claims):
        sys.exit(f"FAIL: {len(answers)} answers to {len(claims)} claims: {run.stderr[-500:]}")
    for claim, answer in zip(claims, answers):
        try:
            said[check(claim, answer)] += 1
        except Wrong as wrong:
            failures += 1
            print(f"FAIL: {wrong}: {json.dumps(claim)}\n  {answer['verdict']}, {answer.get('reason')}", file=sys.stderr)
            for side in ("lower", "upper"):
                print(f"  {side}: {json.dumps({k: answer.get(side, {}).get(k) for k in ('lo', 'hi', 'delta')})}", file=sys.stderr)
    for what, count in said.most_common():
        print(f"{count:6} {what}")
    if said["an error"] * 2 > len(claims):
        sys.exit("FAIL: most claims have no answer")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
