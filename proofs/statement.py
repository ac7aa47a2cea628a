# SPDX-License-Identifier: LGPL-3.0-or-later
"""The Coq file that checks certificates, for proofs/verify: python3 and its standard library, nothing else.

A question of doc/schema about a delta or an epsilon of one pair, and what `shufbound --certificate` wrote for it, are files,
each of which is read once. The statements are made of the question and of the certificate's two ends, their proofs of its
hints. Nothing of either file is copied: what is printed is made of whole numbers and of the words below. So a file cannot bring
in a definition, a notation, an axiom or a load path, and what is not of the exact form, or larger than the users give reason
for, is refused. What is said in words has the numbers that are read back from the text of the Coq file.
"""
import json
import re
from fractions import Fraction

# What the statements are made of, by module. They alone are imported, as names: a development brings no notation or coercion in.
STATED = {
    "Certificate": ["number", "pair", "direction", "value", "delta"], "Mixture": ["delta_krr_weak"], "Composed": ["delta_rounds"],
    "ComposedPairs": ["delta_rounds_krr_strong"],
    "Mechanisms": ["shuffled_ldp_within", "shuffled_rounds_within", "shuffled_krr_within", "shuffled_krr_at_least", "shuffled_krr_third_at_least",
                   "krr_factor"],
}
CONSTRUCTORS = {"number", "pair", "direction"}  # that of their constructors
HEADER = ("From Coq Require Import Reals List ZArith QArith Qreals.\n"
          "From Shufbound Require Evaluate Certificate Certified Mixture Alone Composed ComposedPairs Mechanisms.\n"
          "Import " + " ".join(f"{module}({', '.join(name + '(..)' * (name in CONSTRUCTORS) for name in names)})" for module, names in STATED.items())
          + ".\nImport ListNotations.\n")
PAIRS = {  # its name in Certificate.v, and its parameters in that order; krr-weak is a mixture, with a name for its delta only
    "clones": ("Clones", ["eps0"]), "clones-stronger": ("ClonesStronger", ["eps0"]), "rr2": ("Rr2", ["eps0"]),
    "krr-same": ("KrrSame", ["k", "eps0"]), "krr-third": ("KrrThird", ["k", "eps0"]),
    "krr-strong": ("KrrStrong", ["k", "gamma"]), "krr-weak": (None, ["k", "gamma"]),
    "trinomial": ("TrinomialPair", ["w0", "w1", "r0", "r1"]),
}
DIRECTIONS = {"both": "Both", "pq": "PQ", "qp": "QP"}
ABOUT_THE_WORK = {"digits", "effort", "max_seconds", "engine"}  # members that do not change what is asked
TEXTS = {"id", "source", "quote", "note"}
# No certificate that the program writes has more: src/certificate refuses it.
MAX_BYTES = 1 << 26
MAX_EXPONENT = 20000  # of 10, and four times that of 2
MAX_COUNT = 1 << 64
MAX_EPSILON = 1000000  # as in src/pair/pair.h
MAX_BITS = 25000
MAX_ROUNDS = 10 ** 9
MAX_NODES = 4096
MAX_CLIMB = 1000002
MAX_ROWS = 1 << 23  # strata that Coq goes through
MAX_DIGITS = 30  # of a number of JSON
MAX_HEXADECIMAL = MAX_BITS // 4 + 100

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


def whole_number(text):
    if len(text) > MAX_DIGITS:
        raise Refused(f"a number has more than {MAX_DIGITS} digits")
    return int(text)


def read(path, what):
    try:
        with open(path, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Refused(f"{what} cannot be read: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise Refused(f"{what} is too large")
    try:
        document = json.loads(content.decode(), object_pairs_hook=unlike_any, parse_int=whole_number, parse_float=no_real,
                              parse_constant=no_real)
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
    if len(value) > MAX_HEXADECIMAL:
        raise Refused(f"{what} has more than {MAX_HEXADECIMAL} digits")
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


def loss(value, what):
    """An eps or eps0, which Coq raises e to."""
    result = number(value, what)
    if result[0] == "Rational" and abs(result[1]) > MAX_EPSILON:
        raise Refused(f"{what} is larger than {MAX_EPSILON}")
    return result


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
        self.rounds = whole(count(document.get("rounds", 1), "rounds"), "rounds", 1, MAX_ROUNDS)
        self.direction = choice(document.get("direction", "both"), DIRECTIONS, "direction")
        self.set_pair(pair)
        quantity = choice(ask.get("quantity") if isinstance(ask, dict) else None, ["delta", "epsilon"], "quantity")
        self.of_epsilon = quantity == "epsilon"
        point = "delta" if self.of_epsilon else "eps"
        self.point = (number if self.of_epsilon else loss)(members(ask, ["quantity", point], "ask")[1], point)
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
            kind, odds = loss(eps0, "eps0")
            if kind != "Logarithm":
                raise Refused("a gamma that is no rational number has no certificates")
            k = count(k, "k")
            if odds + k <= 1:
                raise Refused("eps0 is out of range")
            self.values = [k, k / (odds + k - 1)]
            return
        given = members(given, ["type"] + names, "pair")[1:]
        read_one = {"k": count, "eps0": loss}
        self.values = [read_one.get(name, rational)(value, name) for name, value in zip(names, given)]
        least = {"krr-third": 3, "krr-same": 2}.get(self.kind, 1)
        if least > 1 and self.values[0] < least:
            raise Refused(f"k of {self.kind} is at least {least}, as its data have so many values")

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


def coq_end(text, what, most):
    """A decimal as it is printed, over a power of ten."""
    match = DECIMAL.fullmatch(text) if isinstance(text, str) else None
    if not match or not match.group(2) or match.group(1) or len(text) > 30000:
        raise Refused(f"{what} is no decimal")
    _, before, after, exponent = match.groups()
    exponent = int(exponent or 0)
    if abs(exponent) > MAX_EXPONENT:
        raise Refused(f"{what} is out of range")
    zeros = exponent - len(after or "")
    if plain_number(text, what) > most:
        raise Refused(f"{what} is larger than {most}")
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


class Hints:
    """The terms of a certificate's hints, none of which is more than the users give reason for."""

    def __init__(self, question):
        self.question, self.rows = question, 0

    def place(self, value, what):
        """A number of users, or of a threshold."""
        return whole(value, what, 0, self.question.users + 1)

    def add_rows(self, rows):
        self.rows += max(0, rows)
        if self.rows > MAX_ROWS:
            raise Refused(f"the hints have Coq go through more than {MAX_ROWS} strata")

    def window(self, value):
        *numbers, climb = items(value, "a window", 6)
        top, low, first, start, end = (self.place(number, "a number of a window") for number in numbers)
        whole(climb, "the climb of a window", 0, MAX_CLIMB)
        self.add_rows(top - low + end - start)
        return f"(Evaluate.Window {top} {low} {first} {start} {end} {climb})"

    def row(self, value):
        numbers, blocks = items(value, "a row", 5)[:4], value[4]
        top, first, start, end = (self.place(number, "a number of a row") for number in numbers)
        blocks = [self.place(block, "a block") for block in items(blocks, "the blocks of a row")]
        self.add_rows(end - start + sum(blocks) + len(blocks))
        return f"(Mixture.Row {top} {first} {start} {end} ({' :: '.join([str(block) for block in blocks] + ['nil'])})%N)"

    def node(self, value):
        bits, here, back, *bounds = items(value, "a node", 7)
        bounds = " ".join(hexadecimal(bound, "a bound of a node") for bound in bounds)
        return f"Composed.Node {whole(bits, 'bits', 1, MAX_BITS)} {self.window(here)} {self.window(back)} {bounds}"

    def grid(self, value):
        bits, unit, log2_step, ratios, nodes, sags, below, trim = members(
            value, ["bits", "unit", "log2_step", "ratios", "nodes", "sags", "below", "trim"], "a grid")
        step = Fraction(2) ** whole(log2_step, "log2_step", -1000, 1000)
        for name, masses in (("nodes", nodes), ("sags", sags), ("below", below)):
            if len(items(masses, name)) > 2 * MAX_NODES:
                raise Refused(f"{name} are more than {2 * MAX_NODES}")
        numbers = [" ".join(hexadecimal(ratio, "a ratio") for ratio in items(ratios, "ratios", 2)),
                   "[\n  " + ";\n  ".join(self.node(node) for node in nodes) + "]\n "]
        for name, masses in (("sags", sags), ("below", below)):
            numbers.append("[" + "; ".join(hexadecimal(mass, name) for mass in masses) + "]")
        return (f"(Composed.Hints {whole(bits, 'bits', 1, MAX_BITS)} {whole(unit, 'unit', 1, MAX_BITS)} {coq_fraction(step)} "
                f"{' '.join(numbers)} {hexadecimal(trim, 'trim')})%Z")

    def of_one_round(self, value):
        """The first words of the names of the checks, and their arguments."""
        question = self.question
        if question.is_alone():
            if question.kind == "krr-weak":
                members(value, [], "hints")
                return "Alone.check_weak_alone", ""
            return "Alone.check_alone", str(whole(members(value, ["bits"], "hints")[0], "bits", 1, MAX_BITS))
        if question.kind == "krr-weak" and question.values[0] > 2:
            bits, top, rows = members(value, ["bits", "top", "rows"], "hints")
            rows = [self.row(row) for row in items(rows, "rows")]
            return "Mixture.check_weak", f"{whole(bits, 'bits', 1, MAX_BITS)} {self.place(top, 'top')} ({' :: '.join(rows + ['nil'])})"
        bits, windows = members(value, ["bits", "windows"], "hints")
        two = question.kind == "krr-weak"
        windows = " ".join(self.window(window) for window in items(windows, "windows", 1 if two else 2))
        return ("Mixture.check_weak_two" if two else "Certificate.check"), f"{whole(bits, 'bits', 1, MAX_BITS)} {windows}"


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
        most = 2 * MAX_EPSILON if question.of_epsilon else 2
        self.ends = [coq_end(end, name, most) if end is not None else None for end, name in ((lo, "lo"), (hi, "hi"))]
        if self.ends[1] is None or (self.ends[0] is None and not question.of_epsilon):
            raise Refused("an end is missing")
        self.text, self.says = "", None
        self.statements = []
        if grids:
            self.checks = [self.of_rounds(hints)] * 2
        else:
            claims = 1 if not question.of_epsilon or lo is None else 2
            self.checks = [Hints(question).of_one_round(value) for value in items(hints, "hints", claims)]
        self.state()

    def of_rounds(self, grids):
        strong = self.question.kind == "krr-strong"
        items(grids, "grids")
        if not 1 <= len(grids) <= (1 if strong else 2):
            raise Refused("there are too many grids, or none")
        for i, grid in enumerate(grids):
            self.text += f"Definition grid_{self.number}_{i} : Composed.hints :=\n {Hints(self.question).grid(grid)}.\n"
        names = [f"grid_{self.number}_{i}" for i in range(len(grids))]
        return ("ComposedPairs.check_rounds_krr_strong", names[0]) if strong else ("Composed.check_rounds", f"{names[0]} {names[-1]}")

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
            bound = f"shuffled_rounds_within {question.rounds} (exp (value {values[0]})) {n} (exp (value {eps})) ({delta})"
        else:
            bound = f"shuffled_ldp_within (exp (value {values[0]})) {n} (exp (value {eps})) ({delta})"
        if not krr:
            what = f"randomisers with finitely many outputs that are eps0-LDP, eps0 = {in_words(question.values[0])}"
            what += f", in each of {question.rounds} rounds" if question.rounds > 1 else ""
        rounds = f"{question.rounds} " if question.rounds > 1 else ""
        name = f"mechanism_{self.number}"
        self.statements.append(name)
        self.text += (f"Theorem {name} :\n  ({bound})%R.\n"
                      f"Proof. exact (Mechanisms.{lemma}_mechanism {rounds}{n} {' '.join(values)} {eps} ({delta}) {tests} {proof}). Qed.\n")
        self.says = f"of {question.users} shuffled users of {what}, on any two data sets that differ in one user (replacement), is at most {self.hi}"

    def mechanism_below(self, eps, delta, proof):
        """The same of the lower end, for data on which k-ary randomised response has it."""
        question = self.question
        if question.kind not in ("rr2", "krr-same", "krr-third") or question.direction != "both" or question.rounds > 1:
            return
        k = 2 if question.kind == "rr2" else question.values[0]
        eps0, n, name = coq_value(question.values[-1]), question.users, f"mechanism_{self.number}"
        third = question.kind == "krr-third"
        lemma, tests = {"rr2": ("rr2", "eq_refl"), "krr-same": ("krr_same", "eq_refl eq_refl"), "krr-third": ("krr_third", "eq_refl eq_refl")}[question.kind]
        values = " ".join(coq_value(value) for value in question.values)
        self.statements.append(name)
        self.text += (f"Theorem {name} :\n  (shuffled_krr_{'third_' if third else ''}at_least (exp (value {eps0})) {k} {n} (exp (value {eps})) ({delta}))%R.\n"
                      f"Proof. exact (Mechanisms.{lemma}_mechanism {n} {values} {eps} ({delta}) {tests} {proof}). Qed.\n")
        self.says = (f"of {n} shuffled users of {k}-ary randomised response, eps0 = {in_words(question.values[-1])}, "
                     f"one of whom is replaced, all the others with {'a third value' if third else 'one of the two values'}, is at least {self.lo}")

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


# ---- all of it ----

SAID = re.compile(r" is (?:in [\[(](\S+), (\S+)\]|at (?:most|least) (\S+))$", re.M)
STATEMENT = re.compile(r"^Theorem (certificate|mechanism)_([0-9]+)(_lower)?.*?^Proof\.", re.M | re.S)
Q2R = re.compile(r"Q2R \(([0-9]+) # ([0-9]+)\)")
RATIONAL = re.compile(r"\(Rational \(([0-9]+) # ([0-9]+)\)\)")


def ends_in(text, number_of, of_epsilon):
    """The two ends that the text states of the certificate of that number, the lower None if there is none; and that of a mechanism."""
    ends, of_mechanism = [None, None], None
    for match in STATEMENT.finditer(text):
        if int(match.group(2)) == number_of:
            found = [Fraction(int(a), int(b)) for a, b in (RATIONAL if of_epsilon else Q2R).findall(match.group(0))]
            if match.group(1) == "mechanism":
                of_mechanism = found[-1]
            elif of_epsilon:
                ends[0 if match.group(3) else 1] = found[-1]
            else:
                ends = [found[0], found[-1]]
    return ends, of_mechanism


def said(certificate, text):
    """The words of a certificate, after comparing their numbers with those of the text."""
    words, of_epsilon = certificate.words(), certificate.question.of_epsilon
    ends, of_mechanism = ends_in(text, certificate.number, of_epsilon)
    numbers = [[plain_number(number, "an end") for number in match if number] for match in SAID.findall(words)]
    stated = [[end for end in ends if end is not None]] + ([[of_mechanism]] if of_mechanism is not None else [])
    if numbers != stated:
        raise Refused("what is said is not what is stated")
    return words


def of_files(paths):
    """The Coq file for pairs of files, a question and a certificate; what it states in words; the definitions that this uses."""
    certificates = []
    for i in range(0, len(paths), 2):
        try:
            question = Question(read(paths[i], "the question"), "the question")
            certificates.append(Certificate(question, read(paths[i + 1], "the certificate"), i // 2 + 1))
        except Refused as refused:
            raise Refused(f"{paths[i + 1]}: {refused}") from None
    names = [name for certificate in certificates for name in certificate.statements]
    text = (HEADER + "\n" + "\n".join(certificate.text for certificate in certificates)
            + f"\nDefinition all := {' :: '.join(f'(ex_intro (fun P : Prop => P) _ {name})' for name in names)} :: nil.\nPrint Assumptions all.\n")
    words = set(re.findall(r"[A-Za-z_]\w*", " ".join(match.group(0) for match in STATEMENT.finditer(text))))
    used = sorted(f"{module}.{name}" for module, names in STATED.items() for name in names if name in words)
    return text, "\n".join(said(certificate, text) for certificate in certificates), used
