#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The Coq file that checks certificates, for proofs/verify: python3 and its standard library, nothing else.

    statement.py [--words] QUESTION CERTIFICATE [QUESTION CERTIFICATE ...]

QUESTION is a question of doc/schema about a delta or an epsilon of one pair, CERTIFICATE what `shufbound --certificate` wrote
for it; both are files. The statements are made of the question and of the certificate's two ends, their proofs of its hints.
Nothing of either file is copied: what is printed is made of whole numbers and of the words below. So a file cannot bring in
a definition, a notation, an axiom or a load path, and what is not of the exact form is refused, with the reason and status 1.
With --words, what each pair of files states in words.
"""
import json
import re
import sys
from fractions import Fraction

HEADER = """From Coq Require Import Reals List ZArith QArith Qreals.
From Shufbound Require Import Evaluate Certificate Certified Mixture Alone Composed ComposedPairs Mechanisms.
Import ListNotations.
"""
PAIRS = {  # its name in Certificate.v, and its parameters in that order; krr-weak is a mixture, with a name for its delta only
    "clones": ("Clones", ["eps0"]), "clones-stronger": ("ClonesStronger", ["eps0"]), "rr2": ("Rr2", ["eps0"]),
    "krr-same": ("KrrSame", ["k", "eps0"]), "krr-third": ("KrrThird", ["k", "eps0"]),
    "krr-strong": ("KrrStrong", ["k", "gamma"]), "krr-weak": (None, ["k", "gamma"]),
    "trinomial": ("TrinomialPair", ["w0", "w1", "r0", "r1"]),
}
DIRECTIONS = {"both": "Both", "pq": "PQ", "qp": "QP"}
ABOUT_THE_WORK = {"digits", "effort", "max_seconds", "engine"}  # members that do not change what is asked
TEXTS = {"id", "source", "quote", "note"}
MAX_BYTES = 1 << 28
MAX_EXPONENT = 20000  # of 10, and four times that of 2
MAX_COUNT = 1 << 64
MAX_BITS = 100000

DECIMAL = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,6}))?")
HEXADECIMAL = re.compile(r"([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?(?:[pP]([+-]?[0-9]{1,6}))?")
COUNT = re.compile(r"([0-9]{1,30})(?:\.([0-9]{1,30}))?(?:[eE]\+?([0-9]{1,2}))?")


class Refused(Exception):
    pass


# ---- reading ----

def unlike_any(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Refused("a member is given twice")
    return members


def no_real(text):
    raise Refused(f"{text[:40]} is no whole number")


def read(path, what):
    try:
        with open(path, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Refused(f"{what} cannot be read: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise Refused(f"{what} is too large")
    try:
        document = json.loads(content.decode(), object_pairs_hook=unlike_any, parse_float=no_real, parse_constant=no_real)
    except (ValueError, RecursionError):
        raise Refused(f"{what} is not JSON") from None
    if not isinstance(document, dict):
        raise Refused(f"{what} is no JSON object")
    return document


def members(value, names, what, optional=()):
    """The members of an object, which has all of the names and none but them and the optional ones."""
    if not isinstance(value, dict):
        raise Refused(f"{what} is no object")
    for name in value:
        if name not in names and name not in optional:
            raise Refused(f"{what} has a member {json.dumps(name)[:60]}, which has no place there")
    for name in names:
        if name not in value:
            raise Refused(f"{what} has no member \"{name}\"")
    return [value[name] for name in names]


def items(value, what, length=None):
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise Refused(f"{what} is no list" + ("" if length is None else f" of {length}"))
    return value


def whole(value, what, least=0, most=MAX_COUNT):
    if type(value) is not int or not least <= value <= most:
        raise Refused(f"{what} is no whole number from {least} to {most}")
    return value


def hexadecimal(value, what):
    if not isinstance(value, str) or not re.fullmatch(r"0x[0-9a-f]+", value):
        raise Refused(f"{what} is no hexadecimal number \"0x...\"")
    return value


def choice(value, names, what):
    if not isinstance(value, str) or value not in names:
        raise Refused(f"{what} is not one of {', '.join(names)}")
    return value


def plain_number(text, what):
    """A decimal or a hexadecimal float, exactly."""
    for pattern, base, radix in ((HEXADECIMAL, 16, 2), (DECIMAL, 10, 10)):
        match = pattern.fullmatch(text)
        if match and (match.group(2) or match.group(3)):
            sign, before, after, exponent = match.groups()
            exponent = int(exponent or 0)
            if abs(exponent) > MAX_EXPONENT * (4 if radix == 2 else 1):
                break
            value = int(before + (after or ""), base) * Fraction(radix) ** exponent / base ** len(after or "")
            return -value if sign == "-" else value
    raise Refused(f"{what} is no number")


def number(value, what):
    """("Rational" or "Logarithm", a fraction)"""
    if type(value) is int and abs(value) < MAX_COUNT:
        return "Rational", Fraction(value)
    if not isinstance(value, str) or len(value) > 1024:
        raise Refused(f"{what} is no number")
    inner = re.fullmatch(r"log\((.*)\)", value)
    parts = (inner.group(1) if inner else value).split("/")
    values = [plain_number(part, what) for part in parts]
    if len(values) > 2 or (len(values) == 2 and values[1] == 0):
        raise Refused(f"{what} is no number")
    result = values[0] / values[1] if len(values) == 2 else values[0]
    if inner and result <= 0:
        raise Refused(f"{what} is the logarithm of no positive number")
    return ("Logarithm" if inner else "Rational"), result


def rational(value, what):
    kind, result = number(value, what)
    if kind != "Rational":
        raise Refused(f"{what} is a logarithm, of which there are no certificates")
    return result


def count(value, what):
    if isinstance(value, str) and (match := COUNT.fullmatch(value)):
        value = Fraction(f"{match.group(1)}.{match.group(2) or 0}e{match.group(3) or 0}")
        value = value.numerator if value.denominator == 1 else None
    return whole(value, what, 1)


# ---- the question ----

class Question:
    """What is asked: the pair and its parameters, users, rounds, direction, "delta" or "epsilon", and the point."""

    def __init__(self, document, what, with_texts=True):
        optional = ABOUT_THE_WORK | {"neighbours", "rounds", "direction", "via"} | (TEXTS if with_texts else set())
        pair, users, ask = members(document, ["pair", "users", "ask"], what, optional)
        for name, value in (("neighbours", "replace"), ("via", "pld")):
            if document.get(name, value) != value:
                raise Refused(f"{what} has another \"{name}\" than \"{value}\", of which there are no certificates")
        self.users = count(users, "users")
        self.rounds = count(document.get("rounds", 1), "rounds")
        self.direction = choice(document.get("direction", "both"), DIRECTIONS, "direction")
        self.set_pair(pair)
        quantity = choice(ask.get("quantity") if isinstance(ask, dict) else None, ["delta", "epsilon"], "quantity")
        self.of_epsilon = quantity == "epsilon"
        point = "delta" if self.of_epsilon else "eps"
        self.point = number(members(ask, ["quantity", point], "ask")[1], point)
        if self.of_epsilon and self.point[0] != "Rational":
            raise Refused("delta is a logarithm, of which there are no certificates")
        if self.rounds > 1 and (self.kind == "krr-weak" or self.is_alone()):
            raise Refused("several rounds of krr-weak, or of a pair that hides nothing, have no certificates")

    def set_pair(self, pair):
        self.kind = choice(pair.get("type") if isinstance(pair, dict) else None, PAIRS, "the type of the pair")
        names = PAIRS[self.kind][1]
        given = dict(pair)
        if "gamma" in names and "gamma" not in given:  # gamma = k/(e^eps0 + k - 1)
            _, k, eps0 = members(given, ["type", "k", "eps0"], "pair")
            kind, odds = number(eps0, "eps0")
            if kind != "Logarithm":
                raise Refused("a gamma that is no rational number has no certificates")
            k = count(k, "k")
            if odds + k <= 1:
                raise Refused("eps0 is out of range")
            self.values = [k, k / (odds + k - 1)]
            return
        given = members(given, ["type"] + names, "pair")[1:]
        read_one = {"k": count, "eps0": number}
        self.values = [read_one.get(name, rational)(value, name) for name, value in zip(names, given)]

    def __eq__(self, other):
        return vars(self) == vars(other)

    def is_alone(self):
        """Nobody else's answer helps to hide, or the user's own says nothing: Alone.v."""
        if self.kind == "trinomial":
            return self.values[2] == 0
        return self.kind.startswith("krr-") and self.values[1] == 0 or self.kind == "krr-weak" and self.values[1] == 1

    def words(self):
        names = PAIRS[self.kind][1]
        shown = ", ".join(f"{name} = {in_words(value)}" for name, value in zip(names, self.values))
        text = f"{self.kind}, n = {self.users}, {shown}"
        text += f", {self.rounds} rounds" if self.rounds > 1 else ""
        text += f", direction {self.direction}" if self.direction != "both" else ""
        return ("eps({}) of " if self.of_epsilon else "delta({}) of ").format(in_words(self.point)) + text


def in_words(value):
    if isinstance(value, tuple):
        return f"log({value[1]})" if value[0] == "Logarithm" else str(value[1])
    return str(value)


# ---- terms of Coq: whole numbers and words of this file ----

def coq_fraction(value):
    return f"({value.numerator} # {value.denominator})"


def coq_number(value):
    return f"({value[0]} {coq_fraction(value[1])})"


def coq_value(value):
    return str(value) if isinstance(value, int) else coq_number(value) if isinstance(value, tuple) else coq_fraction(value)


def coq_end(text, what):
    """A decimal as it is printed, over a power of ten."""
    match = DECIMAL.fullmatch(text) if isinstance(text, str) else None
    if not match or not match.group(2) or match.group(1) or len(text) > 30000:
        raise Refused(f"{what} is no decimal")
    _, before, after, exponent = match.groups()
    exponent = int(exponent or 0)
    if abs(exponent) > MAX_EXPONENT:
        raise Refused(f"{what} is out of range")
    zeros = exponent - len(after or "")
    digits = (before + (after or "")).lstrip("0") or "0"
    return f"({digits + '0' * max(0, zeros)} # 1{'0' * max(0, -zeros)})"


def coq_pair(question):
    return f"({PAIRS[question.kind][0]} {question.users} {' '.join(coq_value(value) for value in question.values)})"


def coq_delta(question, eps):
    """delta of what is asked at eps, a term of type number"""
    parameters = f"{question.users} {' '.join(coq_value(value) for value in question.values)}"
    if question.kind == "krr-weak":
        return f"delta_krr_weak {parameters} {eps}"
    if question.rounds > 1 and question.kind == "krr-strong":
        return f"delta_rounds_krr_strong {question.rounds} {parameters} {eps}"
    direction = DIRECTIONS[question.direction]
    if question.rounds > 1:
        return f"delta_rounds {direction} {question.rounds} {coq_pair(question)} {eps}"
    return f"delta {direction} {coq_pair(question)} {eps}"


def coq_window(value):
    return "(Window " + " ".join(str(whole(item, "a number of a window")) for item in items(value, "a window", 6)) + ")"


def coq_row(value):
    high, first, start, end, blocks = items(value, "a row", 5)
    numbers = " ".join(str(whole(item, "a number of a row")) for item in (high, first, start, end))
    blocks = [str(whole(block, "a block")) for block in items(blocks, "the blocks of a row")]
    return f"(Row {numbers} ({' :: '.join(blocks + ['nil'])})%N)"


def coq_node(value):
    bits, here, back, *bounds = items(value, "a node", 7)
    bounds = " ".join(hexadecimal(bound, "a bound of a node") for bound in bounds)
    return f"Node {whole(bits, 'bits', 1, MAX_BITS)} {coq_window(here)} {coq_window(back)} {bounds}"


def coq_grid(value):
    bits, unit, log2_step, ratios, nodes, sags, below, trim = members(
        value, ["bits", "unit", "log2_step", "ratios", "nodes", "sags", "below", "trim"], "a grid")
    step = Fraction(2) ** whole(log2_step, "log2_step", -1000, 1000)
    numbers = [" ".join(hexadecimal(ratio, "a ratio") for ratio in items(ratios, "ratios", 2)),
               "[\n  " + ";\n  ".join(coq_node(node) for node in items(nodes, "nodes")) + "]\n "]
    for name, masses in (("sags", sags), ("below", below)):
        numbers.append("[" + "; ".join(hexadecimal(mass, name) for mass in items(masses, name)) + "]")
    return (f"(Hints {whole(bits, 'bits', 1, MAX_BITS)} {whole(unit, 'unit', 1, MAX_BITS)} {coq_fraction(step)} "
            f"{' '.join(numbers)} {hexadecimal(trim, 'trim')})%Z")


def coq_hints(question, value):
    """The first words of the names of the checks, and their arguments."""
    if question.is_alone():
        if question.kind == "krr-weak":
            members(value, [], "hints")
            return "check_weak_alone", ""
        return "check_alone", str(whole(members(value, ["bits"], "hints")[0], "bits", 1, MAX_BITS))
    if question.kind == "krr-weak" and question.values[0] > 2:
        bits, top, rows = members(value, ["bits", "top", "rows"], "hints")
        rows = [coq_row(row) for row in items(rows, "rows")]
        return "check_weak", f"{whole(bits, 'bits', 1, MAX_BITS)} {whole(top, 'top')} ({' :: '.join(rows + ['nil'])})"
    bits, windows = members(value, ["bits", "windows"], "hints")
    two = question.kind == "krr-weak"
    windows = " ".join(coq_window(window) for window in items(windows, "windows", 1 if two else 2))
    return ("check_weak_two" if two else "check"), f"{whole(bits, 'bits', 1, MAX_BITS)} {windows}"


# ---- the file ----

class Certificate:
    """The ends and the proofs of a certificate for a question; number tells its definitions from those of others."""

    def __init__(self, question, document, number_of):
        grids = question.rounds > 1
        version, program, asked, lo, hi, hints = members(
            document, ["certificate", "program", "question", "lo", "hi", "grids" if grids else "hints"], "the certificate")
        whole(version, "the version of the certificate", 1, 1)
        if not isinstance(program, str):
            raise Refused("program is no text")
        if question != (other := Question(asked, "the certificate's question", False)):
            raise Refused(f"the certificate is about another question: {other.words()}; asked was {question.words()}")
        self.question, self.number = question, number_of
        self.lo, self.hi = lo, hi
        self.ends = [coq_end(end, name) if end is not None else None for end, name in ((lo, "lo"), (hi, "hi"))]
        if self.ends[1] is None or (self.ends[0] is None and not question.of_epsilon):
            raise Refused("an end is missing")
        self.text, self.says = "", None
        self.statements = []
        if grids:
            self.checks = [self.of_rounds(hints)] * 2
        else:
            claims = 1 if not question.of_epsilon or lo is None else 2
            self.checks = [coq_hints(question, value) for value in items(hints, "hints", claims)]
        self.state()

    def of_rounds(self, grids):
        strong = self.question.kind == "krr-strong"
        items(grids, "grids")
        if not 1 <= len(grids) <= (1 if strong else 2):
            raise Refused("there are too many grids, or none")
        for i, grid in enumerate(grids):
            self.text += f"Definition grid_{self.number}_{i} : hints :=\n {coq_grid(grid)}.\n"
        names = [f"grid_{self.number}_{i}" for i in range(len(grids))]
        return ("check_rounds_krr_strong", names[0]) if strong else ("check_rounds", f"{names[0]} {names[-1]}")

    def theorem(self, suffix, statement, check, claim):
        name = f"certificate_{self.number}" + suffix
        prefix, arguments = check
        self.statements.append(name)
        self.text += (f"Theorem {name} :\n  ({statement})%R.\n"
                      f"Proof.\n  apply ({prefix}_{claim} {arguments}).\n  vm_cast_no_check (eq_refl true).\nQed.\n")

    def state(self):
        question, (lo, hi) = self.question, self.ends
        if not question.of_epsilon:
            eps = coq_number(question.point)
            self.theorem("", f"Q2R {lo} <= {coq_delta(question, eps)} <= Q2R {hi}", self.checks[0], "sound")
            self.mechanism(eps, f"Q2R {hi}", f"(proj2 {self.statements[0]})")
            self.mechanism_below(eps, f"Q2R {lo}", f"(proj1 {self.statements[0]})")
            return
        delta = f"Q2R {coq_fraction(question.point[1])}"
        self.theorem("", f"{coq_delta(question, f'(Rational {hi})')} <= {delta}", self.checks[0], "at_most_sound")
        self.mechanism(f"(Rational {hi})", delta, self.statements[0])
        if lo is not None:
            self.theorem("_lower", f"{delta} < {coq_delta(question, f'(Rational {lo})')}", self.checks[-1], "above_sound")
            self.mechanism_below(f"(Rational {lo})", delta, f"(Rlt_le _ _ {self.statements[-1]})")

    def mechanism(self, eps, delta, proof):
        """The theorem of Mechanisms.v that carries the upper end to shuffled users, where there is one."""
        question = self.question
        lemma = {"clones": "clones", "clones-stronger": "stronger", "krr-weak": "krr_weak", "krr-strong": "krr_strong"}.get(question.kind)
        krr = question.kind.startswith("krr-")
        if lemma is None or question.direction != "both" or (krr and (question.rounds > 1 or question.values[1] == 0)):
            return
        values = [coq_value(value) for value in question.values]
        n, tests = question.users, {"krr-weak": "eq_refl eq_refl eq_refl", "krr-strong": "eq_refl eq_refl"}.get(question.kind, "eq_refl")
        if krr:
            bound = f"shuffled_krr_within (krr_factor {values[0]} {values[1]}) {values[0]} {n} (exp (value {eps})) ({delta})"
            what = f"{question.values[0]}-ary randomised response that is random with probability {question.values[1]}"
        elif question.rounds > 1:
            lemma += "_rounds"
            bound = f"shuffled_rounds_within {question.rounds} (exp (parameter {values[0]})) {n} (exp (parameter {eps})) ({delta})"
        else:
            bound = f"shuffled_ldp_within (exp (value {values[0]})) {n} (exp (value {eps})) ({delta})"
        if not krr:
            what = f"randomisers that are eps0-LDP, eps0 = {in_words(question.values[0])}"
            what += f", in each of {question.rounds} rounds" if question.rounds > 1 else ""
        rounds = f"{question.rounds} " if question.rounds > 1 else ""
        name = f"mechanism_{self.number}"
        self.statements.append(name)
        self.text += (f"Theorem {name} :\n  ({bound})%R.\n"
                      f"Proof. exact ({lemma}_mechanism {rounds}{n} {' '.join(values)} {eps} ({delta}) {tests} {proof}). Qed.\n")
        self.says = f"of {question.users} shuffled users of {what}, on any neighbouring data, is at most {self.hi}"

    def mechanism_below(self, eps, delta, proof):
        """The same of the lower end, for data on which k-ary randomised response has it."""
        question = self.question
        if question.kind not in ("rr2", "krr-same", "krr-third") or question.direction != "both" or question.rounds > 1:
            return
        k = 2 if question.kind == "rr2" else question.values[0]
        eps0, n, name = coq_value(question.values[-1]), question.users, f"mechanism_{self.number}"
        third = question.kind == "krr-third"
        below = "(x0 < Pos.to_nat {0})%nat -> (x1 < Pos.to_nat {0})%nat -> x0 <> x1 ->".format(k)
        below += f" (y < Pos.to_nat {k})%nat -> y <> x0 -> y <> x1 ->" if third else ""
        lemma, tests = {"rr2": ("rr2", "eq_refl"), "krr-same": ("krr_same", "eq_refl eq_refl"), "krr-third": ("krr_third", "eq_refl eq_refl")}[question.kind]
        values = " ".join(coq_value(value) for value in question.values)
        data = "x0 x1 y" if third else "x0 x1"
        self.statements.append(name)
        self.text += (f"Theorem {name} {data} : {below}\n  ({delta} <= krr_on (exp (value {eps0})) {k} {n} x0 x1 {'y' if third else 'x0'} (exp (value {eps})))%R.\n"
                      f"Proof. exact ({lemma}_mechanism {n} {values} {eps} ({delta}) {data} {tests} {proof}). Qed.\n")
        self.says = (f"of {n} shuffled users of {k}-ary randomised response, eps0 = {in_words(question.values[-1])}, "
                     f"all the others with {'a third value' if third else 'one of the two values'}, is at least {self.lo}")

    def words(self):
        """What is certified; and what of a mechanism."""
        question = self.question
        if question.of_epsilon and self.lo is None:
            first = f"{question.words()} is at most {self.hi}"
        else:
            first = f"{question.words()} is in {'(' if question.of_epsilon else '['}{self.lo}, {self.hi}]"
        if self.says is None:
            return first
        quantity = "eps" if question.of_epsilon else "delta"
        return f"{first}\n{quantity}({in_words(question.point)}) {self.says}"


def main():
    arguments = sys.argv[1:]
    words = arguments[:1] == ["--words"]
    arguments = arguments[words:]
    if not arguments or len(arguments) % 2:
        sys.exit(__doc__)
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    certificates = []
    for i in range(0, len(arguments), 2):
        try:
            question = Question(read(arguments[i], "the question"), "the question")
            certificates.append(Certificate(question, read(arguments[i + 1], "the certificate"), i // 2 + 1))
        except Refused as refused:
            print(f"{arguments[i + 1]}: refused: {refused}", file=sys.stderr)
            sys.exit(1)
    if words:
        for certificate in certificates:
            print(certificate.words())
        return
    names = [name for certificate in certificates for name in certificate.statements]
    print(HEADER + "\n" + "\n".join(certificate.text for certificate in certificates))
    print(f"Definition all := {' :: '.join(f'(ex_intro (fun P : Prop => P) _ {name})' for name in names)} :: nil.\nPrint Assumptions all.")


if __name__ == "__main__":
    main()
