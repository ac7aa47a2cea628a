#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Checks printed answers of shufbound without shufbound: whole numbers only, written from proofs/*.md.

    check.py [--effort N] [--quiet] FILE ...      ("-" is standard input)

A file holds answers of "shufbound ask", or test vectors. The statement is rebuilt from the question alone, and every printed end is
computed again by the theorem that is named, in integers rounded outward (check.md). One line an answer:

    checked: ..              the statement is true (as far as the theorem and this file are right)
    refused: ..              it is not, or the fineness does not suffice (--effort 2, 3, .. is finer)
    not covered: ..          this file knows nothing about it

Exit status: 0 if all were checked, 1 if one was refused, 3 if none was refused but one is not covered, 2 for a wrong call.
"""
import argparse, itertools, json, math, pathlib, re, sys, time
from bisect import bisect_left
from collections import namedtuple
from fractions import Fraction

class Refused(Exception): """The statement is false, or malformed."""
class Undecided(Refused): """Neither true nor false at this fineness."""
class NotCovered(Exception): """Nothing is known here about this kind of statement."""

def refuse(wrong, why):
    if wrong:
        raise Refused(why)
def undecided(unknown, why):
    if unknown:
        raise Undecided("not decided at this fineness: " + why)
def leave(unknown, why):
    if unknown:
        raise NotCovered(why)

# Numbers: intervals of whole numbers over 2^bits -----------------------------------------------------------------------------
BITS = 128  # of all reals that are made from here on; `at` sets it
MOST_DIGITS = 5000  # of an exponent of ten: layout; more is not covered
MOST_TRIES, FEW_USERS, MOST_USERS, MOST_PLACES = 3, 10, 3000, 100000  # and one try more for each effort more: steer only

def at(bits):
    global BITS
    BITS = bits

CONSTANTS = {}
def up(a, b): return -(-a // b)  # the quotient, b > 0, rounded up

class Real:
    """A real number that lies in [lo, hi]/2^BITS."""
    __slots__ = ("lo", "hi")
    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi
    def __add__(self, other): return Real(self.lo + (other := real(other)).lo, self.hi + other.hi)
    def __neg__(self): return Real(-self.hi, -self.lo)
    def __sub__(self, other): return Real(self.lo - (other := real(other)).hi, self.hi - other.lo)
    def __rsub__(self, other): return real(other) - self
    def __mul__(self, other):
        if isinstance(other, int):
            return Real(self.lo * other, self.hi * other) if other >= 0 else Real(self.hi * other, self.lo * other)
        other = real(other)
        if self.lo >= 0 and other.lo >= 0:
            return Real(self.lo * other.lo >> BITS, -(-self.hi * other.hi >> BITS))
        ends = (self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi)
        return Real(min(ends) >> BITS, -(-max(ends) >> BITS))
    def __truediv__(self, other):
        if isinstance(other, int) and other > 0:
            return Real(self.lo // other, up(self.hi, other))
        other = real(other)
        if other.lo <= 0:
            undecided(other.hi >= 0, "a divisor is not known well enough")
            return (-self) / (-other)
        return Real((self.lo << BITS) // (other.hi if self.lo >= 0 else other.lo), up(self.hi << BITS, other.lo if self.hi >= 0 else other.hi))
    def __rtruediv__(self, other): return real(other) / self
    __radd__, __rmul__ = __add__, __mul__
    def positive(self): return Real(max(self.lo, 0), max(self.hi, 0))
    def ends(self): return Fraction(self.lo, 1 << BITS), Fraction(self.hi, 1 << BITS)

def real(x):
    """A real of a whole number or a fraction."""
    if isinstance(x, Real):
        return x
    if isinstance(x, int):
        return Real(x << BITS, x << BITS)
    scaled = x.numerator << BITS
    return Real(scaled // x.denominator, up(scaled, x.denominator))

def largest(*numbers): return Real(max(x.lo for x in numbers), max(x.hi for x in numbers))

def constant(name):
    """log 2 = 2 artanh(1/3), or pi = 16 arctan(1/5) - 4 arctan(1/239), of this many bits; each term is floored or its neighbour."""
    if (name, BITS) not in CONSTANTS:
        total, errors = 0, 2
        for times, x, sign in ((2, 3, 1),) if name == "log 2" else ((16, 5, -1), (-4, 239, -1)):
            term, k = (times << BITS) // x, 0
            while term not in (0, -1):
                total += term // (2 * k + 1) * sign ** k
                term //= x * x
                k, errors = k + 1, errors + 3
        CONSTANTS[name, BITS] = Real(total - errors, total + errors)
    return CONSTANTS[name, BITS]

def pi_constant(): return constant("pi")

def raised(x, n, times=lambda a, b: a * b):
    """x^n, n >= 1."""
    even = raised(times(x, x), n // 2, times) if n > 1 else None
    return x if n == 1 else times(even, x) if n % 2 else even

def exp(x):
    """e^x, with 64 more bits than it has before the point: that of the lower end, and e^y <= 1 + 2y for the width y < 1."""
    if x.hi - x.lo >= 1 << BITS:
        return Real(exp(Real(x.lo, x.lo)).lo, exp(Real(x.hi, x.hi)).hi)
    saved, more = BITS, 64 + max(0, x.lo.bit_length() - BITS) + max(0, x.lo * 3 // 2 >> BITS)
    if x.hi < -BITS << BITS:
        return Real(0, 1)
    undecided(more > 1 << 20, "an exponent is too large")
    at(saved + more)
    try:
        y = x.lo << more
        k = y // (constant("log 2").hi if y > 0 else constant("log 2").lo)         # so that y - k log 2 >= 0
        halvings = 8 + (BITS >> 6)
        rest = Real(y, y) - constant("log 2") * k
        rest = Real(max(rest.lo, 0) >> halvings, up(rest.hi + 1, 1 << halvings))
        total, term, j = real(1), rest, 1
        while term.hi > 1:
            total, j = total + term, j + 1
            term = term * rest / j
        total = Real(total.lo, total.hi + 2 * term.hi + 2)                     # a series that at least halves each time
        for _ in range(halvings):
            total = total * total
        high = total.hi + up(2 * total.hi * (x.hi - x.lo), 1 << saved)
        shift = more - k
        return Real(total.lo >> shift, up(high, 1 << shift)) if shift > 0 else Real(total.lo << -shift, high << -shift)
    finally:
        at(saved)

def log(x):
    """log x: that of the lower end, and as much as log y <= y - 1 says."""
    undecided(x.lo <= 0, "a logarithm of a number near 0")
    shift = x.lo.bit_length() - BITS
    mantissa = Real(x.lo >> shift, -(-x.lo >> shift)) if shift >= 0 else Real(x.lo << -shift, x.lo << -shift)
    # log m = 2 artanh((m-1)/(m+1)) for m in [1/2, 1], after square roots that bring m near 1.
    roots = 6
    for _ in range(roots):
        mantissa = sqrt(mantissa)
    z = (real(1) - mantissa) / (real(1) + mantissa)
    square, term, total, k = z * z, z, real(0), 0
    while term.hi > 1:
        total = total + term / (2 * k + 1)
        term = term * square
        k += 1
    total = Real(total.lo, total.hi + 2 * term.hi + 2)
    return constant("log 2") * shift - total * (2 << roots) + Real(0, up(x.hi - x.lo << BITS, x.lo))

def sqrt(x): return Real(math.isqrt(max(x.lo, 0) << BITS), math.isqrt(max(x.hi, 0) << BITS) + 1)

# Questions and answers ---------------------------------------------------------------------------------------------------------
class Number:
    """An exact number of a question: a fraction, or the logarithm of one."""
    def __init__(self, text, name):
        self.text = str(text)
        refuse(isinstance(text, bool) or not isinstance(text, (str, int)) or len(self.text) > 1024, f"{name} is not a number")
        match = re.fullmatch(r"log\((.*)\)", self.text)
        self.is_log = match is not None
        self.fraction = read_fraction(match.group(1) if match else self.text, name)
        refuse(self.is_log and self.fraction <= 0, f"{name} is the logarithm of a number that is not positive")
    def value(self): return log(real(self.fraction)) if self.is_log else real(self.fraction)
    def exp(self): return real(self.fraction) if self.is_log else exp(real(self.fraction))
    def is_rational(self): return not self.is_log or self.fraction == 1
    def compare(self, other):
        """-1, 0 or 1 where it is below, equal to or above another, if that is plain; else None."""
        mine, others = self.fraction, other.fraction
        if self.is_log != other.is_log:
            if mine == (1 if self.is_log else 0):
                mine = 1 if other.is_log else 0
            elif others == (1 if other.is_log else 0):
                others = 1 if self.is_log else 0
            else:
                return None
        return (mine > others) - (mine < others)
    def rational(self, name):
        leave(not self.is_rational(), f"{name} that is a logarithm")
        return Fraction(0) if self.is_log else self.fraction

def read_fraction(text, name):
    """A decimal, a fraction of two decimals, or a hexadecimal float."""
    parts = text.split("/")
    if len(parts) == 2:
        below = read_fraction(parts[1], name)
        refuse(below == 0, f"{name} has a divisor 0")
        return read_fraction(parts[0], name) / below
    match = re.fullmatch(r"([-+]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)(?:[pP]([-+]?[0-9]{1,6}))?", text)
    if match and match.group(2) + match.group(3):
        sign, whole, part, exponent = match.groups()
        value = Fraction(int(whole + part, 16)) * Fraction(2) ** (int(exponent or 0) - 4 * len(part))
        return -value if sign == "-" else value
    match = re.fullmatch(r"([-+]?)([0-9]*)\.?([0-9]*)(?:[eE]([-+]?[0-9]{1,18}))?", text)
    refuse(not match or not match.group(2) + match.group(3), f"{name} is not a number: {text[:40]}")
    sign, whole, part, exponent = match.groups()
    exponent = int(exponent or 0) - len(part)
    leave(abs(exponent) > MOST_DIGITS, f"{name} with so large an exponent")
    value = Fraction(int(whole + part)) * Fraction(10) ** exponent
    return -value if sign == "-" else value

def count(value, name):
    number = Number(value, name).rational(name)
    refuse(number.denominator != 1 or number < 1, f"{name} is not a whole number from 1")
    return int(number)

def no_doubles(pairs):
    refuse(len(dict(pairs)) != len(pairs), "a member is given twice")
    return dict(pairs)

def read_json(text):
    """All JSON values of a text, one after the other."""
    decoder = json.JSONDecoder(object_pairs_hook=no_doubles, parse_float=Inexact, parse_constant=Inexact)
    values, i, space = [], 0, re.compile(r"\s*")
    while (i := space.match(text, i).end()) < len(text):
        value, i = decoder.raw_decode(text, i)
        values.append(value)
    return values

class Inexact(str): """A JSON number with a point, which no question and no end may be."""

IGNORED = {"id", "source", "quote", "note", "fast", "digits", "effort", "max_seconds"}  # they change no statement
DEFAULTS = {"rounds": 1, "reports_per_user": 1, "release": "reports", "direction": "both"}
OF_ANSWERS = {"id", "line", "question", "quantity", "value", "upper", "lower", "complete", "accuracy_reached", "tried", "version", "elapsed_s",
              "lo", "hi", "lo_hex", "hi_hex", "side", "ledger", "theorem", "status", "through", "params", "data", "notes", "guarantee"}
OF_BOUNDS = {"side", "at", "infinite", "lo", "hi", "lo_hex", "hi_hex", "theorems", "guarantee", "notes", "accuracy_reached", "data", "ledger"}
OF_VECTORS = {"tcId", "comment", "flags", "question", "result", "bound"}
OF_RESULTS = {"lo", "hi", "lo_hex", "hi_hex", "theorem", "status", "side", "through", "notes", "accuracy_reached", "ledger", "data"}

def only(members, known, what):
    for name in members:
        leave(name not in known, f"{what} with the member {name}")

class Bound:
    """One printed interval: its ends, what they are the ends of, and the theorems that are named."""
    def __init__(self, members, name):
        self.name = self.role = name           # value, upper or lower; of a type II error the lower end is from an upper bound of the profile
        self.side = members.get("side")
        refuse(self.side not in ("upper", "lower", "exact", "none"), f"a side {self.side}")
        refuse(any(theorem.get("status") != "proved" for theorem in members["theorems"]), "a theorem that is not said to be proved")
        self.theorems = [theorem.get("id") for theorem in members["theorems"]]
        self.lo, self.hi = self.end(members, "lo", max), self.end(members, "hi", min)
        self.infinite, self.data = members.get("infinite", False), members.get("data")
        self.witness = (members.get("at") or {}).get("witness")          # where to look: the ends are the statement
        refuse(self.infinite is not False and (self.infinite is not True or self.lo is not None or self.hi is not None), "an infinite bound with ends")
        ends = (self.lo, self.hi) if name == "value" or self.side == "exact" else (self.hi,) if name == "upper" else (self.lo,)
        leave(not self.infinite and all(end is None for end in ends), f"{name}: nothing is said")
        refuse(self.lo is not None and self.hi is not None and self.lo > self.hi, "the lower end is above the upper end")
    def end(self, members, name, tighter):
        """The tighter of the decimal and the hexadecimal end; both are printed."""
        ends = []
        for member in (name, name + "_hex"):
            refuse(member not in members, f"an end {member} is missing")
            text = members[member]
            if text is not None:
                refuse(not isinstance(text, str) or isinstance(text, Inexact), f"the end {member} is no string")
                ends.append(read_fraction(text, member))
        refuse(len(ends) == 1 and members[name] is None, f"{name} and {name}_hex disagree")
        setattr(self, "text_" + name, members[name])
        return tighter(ends) if ends else None

def bounds_of(answer):
    """The question of an answer, or of a vector, and its bounds."""
    refuse(not isinstance(answer, dict), "an answer is an object")
    leave("error" in answer, "an error instead of an answer")
    for name in ("claim", "form", "via"):
        leave(name in (answer.get("question") or {}), f"a question with the member {name}")
    if "tcId" in answer:
        only(answer, OF_VECTORS, "a vector")
        result = dict(answer.get("result") or {})
        only(result, OF_RESULTS, "a result")
        result["theorems"] = [{"id": name, "status": result.get("status")} for name in [result.get("theorem")] + result.get("through", [])]
        name = answer.get("bound", "value")
        refuse(name not in ("value", "upper", "lower"), f"a bound {name}")
        return answer.get("question"), None, [Bound(result, name)]
    only(answer, OF_ANSWERS, "an answer")
    names, bounds = [name for name in ("value", "upper", "lower") if name in answer], []
    for name in names:
        refuse(not isinstance(answer[name], dict), f"{name} is an object")
        only(answer[name], OF_BOUNDS, "a bound")
        refuse(not isinstance(answer[name].get("theorems"), list), "no theorem is named")
        bounds.append(Bound(answer[name], name))
    if "lo" in answer or "hi" in answer:
        flat = dict(answer, theorems=[{"id": name, "status": answer.get("status")} for name in [answer.get("theorem")] + answer.get("through", [])])
        flat.setdefault("side", "none" if names else None)
        if not names:
            bounds.append(Bound(flat, "value"))
        elif (flat.get("lo"), flat.get("hi")) != (None, None):
            whole = Bound(flat, "value")
            refuse((whole.hi is not None and all(bound.hi is None or bound.hi > whole.hi for bound in bounds)) or
                   (whole.lo is not None and all(bound.lo is None or bound.lo < whole.lo for bound in bounds)), "the ends at the top are better than those of the bounds")
    refuse(not bounds, "no end is printed")
    return answer.get("question"), answer.get("quantity"), bounds

class Part:
    """A mechanism or a pair with its members, which are all known; `take` marks them."""
    def __init__(self, members):
        self.members, self.taken = {name: value for name, value in members.items() if name not in IGNORED}, set()
        refuse("mechanism" in self.members and "pair" in self.members, "a question of a mechanism and of a pair")
        self.is_pair, self.object = "pair" in self.members, self.take("pair" if "pair" in self.members else "mechanism")
        refuse(not isinstance(self.object, dict) or not isinstance(self.object.get("type"), str), "there is no mechanism")
        self.type = self.object["type"]
    def take(self, name, default=None):
        self.taken.add(name)
        return self.members.get(name, default)
    def done(self):
        """What was not taken has to be as if it were not there."""
        for name, value in self.members.items():
            leave(name not in self.taken and (name not in DEFAULTS or str(value) != str(DEFAULTS[name])), f"a question of {self.type} with the member {name}")
    def parameters(self, *names):
        """The parameters of the mechanism or pair: all of them, and no others."""
        only(self.object, {"type", "name", *names}, self.type)
        for name in names:
            refuse(name not in self.object, f"{self.type} without {name}")
        return [self.object[name] for name in names]

POINTS = {"delta": "eps", "epsilon": "delta", "tradeoff": "type1", "gdp": "eps", "renyi": "order", "zcdp": None}

class Question:
    """What is asked, and of what parts: `rounds` may be a list of them, whose members override the question's."""
    def __init__(self, members, quantity):
        refuse(not isinstance(members, dict), "there is no question")
        ask = members.get("ask")
        refuse(not isinstance(ask, dict), "nothing is asked")
        self.quantity = ask.get("quantity")
        leave(self.quantity not in POINTS, f"the quantity {self.quantity}")
        members, point = {name: value for name, value in members.items() if name != "ask"}, POINTS[self.quantity]
        refuse(quantity not in (None, self.quantity), f"the answer is about {quantity}, the question about {self.quantity}")
        only(ask, {"quantity", point}, "ask")
        values = [] if point is None else ask.get(point) if self.quantity == "gdp" else [ask.get(point)]
        refuse(not isinstance(values, list) or len(values) != {"gdp": 2, "zcdp": 0}.get(self.quantity, 1) or any(isinstance(x, (list, type(None))) for x in values), f"there is no {point}")
        leave(self.quantity == "renyi" and values == ["inf"], "the order inf")
        self.points = [Number(value, point) for value in values]
        self.point = self.points[0] if values else None
        refuse(self.quantity == "gdp" and (self.points[0].compare(self.points[1]) == 1 or self.points[0].value().lo > self.points[1].value().hi), "a range of eps from above to below")
        is_part = self.quantity not in ("epsilon", "tradeoff") or (self.point.is_rational() and 0 <= self.point.rational(point) <= 1)
        leave(not is_part, f"a {point} that is no fraction from 0 to 1")
        leave(point == "eps" and any(number.fraction < (1 if number.is_log else 0) for number in self.points), "a negative eps")
        leave(self.quantity == "renyi" and self.point.rational("an order") < 1, "an order below 1")
        rounds = members.get("rounds")
        refuse(isinstance(rounds, list) and (not rounds or any(not isinstance(part, dict) or isinstance(part.get("rounds"), list) for part in rounds)), "rounds that are no list of objects")
        self.parts = [Part({**members, "rounds": 1, **part}) for part in rounds] if isinstance(rounds, list) else [Part(members)]
        self.is_pair = self.parts[0].is_pair
        refuse({part.is_pair for part in self.parts} != {self.is_pair}, "mechanisms and pairs")

# The trinomial pair ------------------------------------------------------------------------------------------------------------
# How fine to compute: bits after the point, how many terms a sum may have, the level of a grid, how many widths an end is, a mass, over 2^bits, that is
# next to nothing, and whether the ends are of eps.
Fineness = namedtuple("Fineness", "bits terms level relative dust is_epsilon", defaults=(0, False))

def masses_by(above, below, mode, ends, fineness):
    """Masses of a log-concave law over that at `mode`, from ratios: the first place, [(lo, hi)] in 2^-BITS, and bounds of what is below and above.
    above(k) = a, b, c, d: the mass at k+1 over that at k is from a/b to c/d; below(k): at k-1 over k. ends: the least and the largest place, or None."""
    def walk(ratio, k, end, step):
        """From `mode` to `end`: until they are nothing, and a bound of the rest, as ratios fall."""
        low = high = 1 << BITS
        out = []
        while k != end:
            a, b, c, d = ratio(k)
            low, high = low * a // b, up(high * c, d)
            k += step
            if high <= 1 << 20 and c < d:
                return out, up(high * d, d - c)
            out.append((low, high))
            undecided(len(out) > fineness.terms, "a sum of too many terms")
        return out, 0
    right, over = walk(above, mode, ends[1], 1)
    left, under = walk(below, mode, ends[0], -1)
    return mode - len(left), left[::-1] + [(1 << BITS, 1 << BITS)] + right, under, over

def masses(n, odds, mode, fineness):
    """Those of Bin(n, p), odds = p/(1-p)."""
    one = 1 << BITS
    return masses_by(lambda k: ((n - k) * odds.lo, (k + 1) * one, (n - k) * odds.hi, (k + 1) * one),
                     lambda k: (k * one, (n - k + 1) * odds.hi, k * one, (n - k + 1) * odds.lo), mode, (0, n), fineness)

def whole_of(weights, under, over): return Real(sum(low for low, _ in weights), sum(high for _, high in weights) + under + over)

def parts(first, weights, under, over):
    """The first place, and the same masses as parts of the whole, from below: what they lack of 1 is all that was left out."""
    whole = sum(high for _, high in weights) + under + over
    return first, [(low << BITS) // whole for low, _ in weights]

class Trinomial:
    """TP(n; w0, w1, w2; r0, r1) of trinomial-pair.md: weights, rates, and which of w2 = 0, r0 + r1 = 1 hold exactly."""
    def __init__(self, n, w0, w1, w2, r0, r1, scale=1, all_counted=False, loss=None):
        self.n, self.w0, self.w1, self.w2, self.r0, self.r1 = n, real(w0), real(w1), w2, real(r0), real(r1)
        self.scale, self.all_counted = real(scale), all_counted
        self.loss = loss                       # log(w0/w1) exactly, if that is a number of the question
    def delta(self, eps, fineness, swap):
        """H at e^eps, eps >= 0, by Lemmas 1 and 2, and whether it is surely positive at every smaller eps (where u > 0);
        `swap`: the other direction (Lemma 6)."""
        r0, r1 = (self.r1, self.r0) if swap else (self.r0, self.r1)
        alpha = eps.exp()
        u = self.w0 - alpha * self.w1
        order = self.loss.compare(eps) if self.loss else None
        if u.hi <= 0 or order in (-1, 0):
            return real(0), order == 0
        if u.lo <= 0:
            return Real(0, (u * self.scale).hi), order == 1
        stratum = Stratum(alpha, self, r0, r1, u)
        return self.strata(stratum, r0 + r1, fineness) * self.scale, True
    def strata(self, stratum, s, fineness):
        """sum over c of Pr[C = c] V(c, K_c): Lemma 1; what is left out, by Lemma 4."""
        top = self.n - 1
        if top == 0:
            return stratum.u                             # V(0, 0), Lemma 3
        if self.all_counted:
            return stratum.walk([(top, 1 << BITS, 1 << BITS)], top, fineness)
        mode = min(top, (real(self.n) * s).lo >> BITS)
        first, weights, under, over = masses(top, s / (1 - s), mode, fineness)
        total = stratum.walk([(first + i, low, high) for i, (low, high) in enumerate(weights)], mode, fineness)
        whole, left = whole_of(weights, under, over), stratum.u * Real(0, under + over)
        return Real(max((total.lo << BITS) // whole.hi, 0), up(total.hi + left.hi << BITS, whole.lo))

class Stratum:
    """V(c, K) of Lemma 2 along a walk over c; p = Pr[Bin(c, rho) = t-1], q = Pr[Bin(c, rho) >= t]."""
    def __init__(self, alpha, pair, r0, r1, u):
        s, v = r0 + r1, pair.w1 - alpha * pair.w0
        self.rho, self.rest, self.odds, self.u, self.n = r0 / s, r1 / s, r0 / r1, u, pair.n     # rest = 1 - rho
        self.v1, self.sum = -v / self.rest, u + v        # v', and a number <= 0
        self.d = u / self.rho + self.v1
        self.kappa = real(0) if pair.w2 is None or pair.all_counted else (alpha - 1) * real(pair.w2) * (s / (1 - s))
    def start(self, c, t, fineness):
        """p and q at c and t, of the masses of Bin(c, rho)."""
        mode = min(c, (real(c + 1) * self.rho).lo >> BITS)
        first, weights, under, over = masses(c, self.odds, mode, fineness)
        whole = whole_of(weights, under, over)
        self.c, self.t, i = c, t, t - first
        p = Real(*weights[i - 1]) if 0 < i <= len(weights) else Real(0, under if i <= 0 else over)
        self.clip(p / whole, whole_of(weights[max(i, 0):], under if i < 0 else 0, over) / whole)
    def clip(self, p, q):
        self.p, self.q = Real(max(p.lo, 0), min(p.hi, 1 << BITS)), Real(max(q.lo, 0), min(q.hi, 1 << BITS))
    def more_t(self):
        """Pr[Bin(c, rho) = t]."""
        return self.p * (self.c - self.t + 1) / self.t * self.odds
    def to_t(self, t):
        while self.t < t:
            p, self.t = self.more_t(), self.t + 1
            self.clip(p, self.q - p)
        while self.t > t:
            self.t -= 1
            self.clip(self.p * self.t / (self.c - self.t + 1) / self.odds, self.q + self.p)
    def to_c(self, c):
        """One step; t stays within 1 .. c+1."""
        if c > self.c:
            self.clip(self.p * (self.c + 1) / (self.c + 2 - self.t) * self.rest, self.q + self.rho * self.p)
        elif c < self.c:
            self.to_t(min(self.t, self.c))
            p = self.p * (self.c - self.t + 1) / self.c / self.rest
            self.clip(p, self.q - self.rho * p)
        self.c = c
    def value(self, k, first, last):
        """V(c, K): first and last are the least and the largest possible ceil(t*)."""
        m = self.c + 1
        if first > m:
            return real(0)
        if last > first + 1:
            return Real(0, self.u.hi)
        self.to_t(max(first, 1))
        a, b = self.u - k * self.rho, self.sum - k
        here = a * self.p + b * self.q
        if last > first:
            p = self.more_t()
            here = largest(here, a * p + b * (self.q - p))
        here = here.positive()
        return Real(min(here.lo, self.u.hi), min(here.hi, self.u.hi))
    def here(self, move=True):
        """V(c, K_c), or the least and the largest possible ceil(t*) at K_c (trinomial-pair.md, Lemma 1)."""
        k = self.kappa * (self.n - 1 - self.c) / (self.c + 1)
        place = (k + self.v1) * (self.c + 1) / self.d
        ends = -(-place.lo >> BITS), -(-place.hi >> BITS)
        return self.value(k, *ends) if move else ends
    def walk(self, weights, start, fineness):
        """The sum of weight times V(c, K_c), from `start` both ways."""
        low_sum = high_sum = 0
        split = next(i for i, (c, _, _) in enumerate(weights) if c == start)
        self.c = start
        self.start(start, max(1, min(self.here(False)[0], start + 1)), fineness)
        first = self.c, self.t, self.p, self.q
        for part in (weights[split:], weights[:split][::-1]):
            self.c, self.t, self.p, self.q = first
            for c, low, high in part:
                self.to_c(c)
                value = self.here()
                low_sum += low * value.lo >> BITS
                high_sum += -(-high * value.hi >> BITS)
        return Real(low_sum, high_sum)

class Mixture:
    """The mixture of pairs of B + 1 users over B ~ Bin(n-1, share), which is seen (krr-weak: trinomial-pair.md, Lemma 5; clones-deletion: deletion.md)."""
    def __init__(self, n, share, pair_at):
        self.n, self.share, self.pair_at, self.scale = n, real(share), pair_at, real(1)
        self.w0, self.w1, self.loss = (getattr(pair_at(1), name) for name in ("w0", "w1", "loss"))
    def delta(self, eps, fineness, swap):
        alone, positive = self.pair_at(1, self.loss).delta(eps, fineness, swap)
        if self.n == 1 or alone.hi == 0:
            return alone, positive                       # and of others it is no larger
        first, weights, under, over = masses(self.n - 1, self.share / (1 - self.share), (self.share * (self.n - 1)).lo >> BITS, fineness)
        leave(len(weights) > MOST_USERS, "a mixture over so many users")
        total = Real(0, (alone * Real(0, under + over)).hi)
        for b, weight in enumerate(weights, first):
            total = total + Real(*weight) * self.pair_at(b + 1, self.loss).delta(eps, fineness, swap)[0]
        return total / whole_of(weights, under, over), positive

# Noise that a curator adds -----------------------------------------------------------------------------------------------------
def tail(x):
    """Pr[N(0, 1) > x]: 1/2 less phi(y) times the sum of y^(2k+1)/(1 3 .. (2k+1)), y the lower end; the density is below 1/2."""
    saved, y, width = BITS, abs(x.lo), x.hi - x.lo
    if y * y >> 2 * BITS > 3 * BITS // 2 + 3:
        return Real(0, 1 + width) if x.lo > 0 else Real((1 << BITS) - 1 - width, 1 << BITS)
    more = 24 + (3 * y * y >> 2 * BITS + 1)              # the sum is at most e^(y^2/2)
    try:
        at(BITS + more)
        y <<= more
        square, bits, k = y * y, 2 * BITS, 1
        low, high, total_low, total_high = y, y, y, y
        while high > 1 or square >> bits - 1 > k:
            k += 2
            low, high = low * square // (k << bits), -(-high * square // (k << bits))
            total_low, total_high = total_low + low, total_high + high
        half = Real(total_low, total_high + 2) * exp(Real(-(square >> BITS + 1) - 1, -(square >> BITS + 1))) / sqrt(2 * pi_constant())
    finally:
        at(saved)
    low, high = half.lo >> more, up(half.hi, 1 << more)
    half = Real((1 << BITS - 1) - high, (1 << BITS - 1) - low) if x.lo > 0 else Real((1 << BITS - 1) + low, (1 << BITS - 1) + high)
    return Real(max(0, half.lo - up(width, 2)), half.hi)

def gaussian_profile(variance):
    """H_alpha of N(mu, 1) against N(0, 1), in both directions, alpha >= 1 (tradeoff.md, Lemma 4)."""
    mu = sqrt(real(variance))
    def of(alpha, _=False):
        k = log(alpha)
        return (tail(k / mu - mu / 2) - alpha * tail(k / mu + mu / 2)).positive()
    return of

def discrete_gaussian(variance, fineness):
    """Masses of discrete Gaussian noise from below, proportional to e^(-z^2/(2 variance))."""
    def ratio(z):
        q = exp(real(-(2 * z + 1) / (2 * variance)))     # the mass at z+1 over that at z >= 0
        return q.lo, 1 << BITS, q.hi, 1 << BITS
    return parts(*masses_by(ratio, lambda z: ratio(-z), 0, (None, None), fineness))[1]

def poisson(mean, fineness):
    a, b = mean.numerator, mean.denominator
    return parts(*masses_by(lambda k: (a, b * (k + 1), a, b * (k + 1)), lambda k: (b * k, a, b * k, a), int(mean), (0, None), fineness))[1]

def product(a, b):
    """The coefficients of the product of two polynomials, floored: one multiplication of whole numbers (Kronecker). Sums of a and b are at most 1."""
    width = (2 * BITS + 15) // 8
    packed = [int.from_bytes(b"".join(c.to_bytes(width, "little") for c in list_), "little") for list_ in ((a,) if a is b else (a, b))]
    whole = packed[0] * packed[-1]
    bytes_ = whole.to_bytes(width * (len(a) + len(b)), "little")
    return [int.from_bytes(bytes_[i * width:(i + 1) * width], "little") >> BITS for i in range(len(a) + len(b) - 1)]

def rows_of(law, top, step):
    """The losses top - k step of these masses, from below: [(loss, mass under P, mass under Q)]."""
    ratio, weight, rows = exp(real(-step)), exp(real((len(law) - 1) * step - top)), []
    for k in reversed(range(len(law))):
        rows.append((top - k * step, law[k], Real(law[k], law[k]) * weight))
        weight = weight * ratio
    return rows[::-1]

class Places:
    """Sums of losses [rows, the largest first], all at their places, which are off by at most `slack` 2^-BITS in all: H by its definition."""
    def __init__(self, laws, slack=0):
        laws = sorted(laws, key=len)
        self.sums = {Fraction(0): (1 << BITS, 1 << BITS, 1 << BITS)}
        for rows in laws[:-1]:
            sums = {}
            for place, (p, low, high) in self.sums.items():
                for other, mass, q in rows:
                    here = sums.get(place + other, (0, 0, 0))
                    sums[place + other] = here[0] + (p * mass >> BITS), here[1] + (low * q.lo >> BITS), here[2] + up(high * q.hi, 1 << BITS)
            self.sums = sums
        self.places, self.above = [-place for place, _, _ in laws[-1]], [(0, 0, 0)]
        for _, p, q in laws[-1]:               # P and Q of the largest 0, 1, .. losses of the longest law
            self.above.append((self.above[-1][0] + p, self.above[-1][1] + q.lo, self.above[-1][2] + q.hi))
        self.missing = max(0, (1 << BITS) - (sum(p for p, _, _ in self.sums.values()) * self.above[-1][0] >> BITS)) + 1 + 2 * slack
    def value(self, k): return Real(self.at_place(k.ends()[1]).lo, self.at_place(k.ends()[0]).hi)
    def at_place(self, k):
        p = low = high = 0
        for place, (mass, q_low, q_high) in self.sums.items():
            above = self.above[bisect_left(self.places, place - k)]
            p, low, high = p + mass * above[0], low + q_low * above[1], high + q_high * above[2]
        value = Real(p >> BITS, up(p, 1 << BITS)) - exp(real(k)) * Real(low >> BITS, up(high, 1 << BITS))
        return Real(max(0, value.lo - 1), value.hi + self.missing)

# Sums of losses by their transforms (product-line.md; iidsum.md, Lemmas 6 to 11; dpsgd.md, Lemmas 3 and 4) ----------------------------
def cis(x):
    """cos x and sin x, and by how much the pair is off at most, in units of 2^-BITS: Taylor's series of x/2^m, squared m times."""
    middle, radius = (x.lo + x.hi) // 2, (x.hi - x.lo) // 2 + 1
    more, m = 48, max(0, abs(middle).bit_length() - BITS) + 8
    bits = BITS + more
    y = (middle << more) >> m
    parts_of, term, k = [1 << bits, 0, 0, 0], 1 << bits, 0
    while term not in (0, -1):
        k += 1
        term = (term * y >> bits) // k
        parts_of[k & 3] += term
    re, im = parts_of[0] - parts_of[2], parts_of[1] - parts_of[3]
    # Off by less than 4 k + 4 here, by twice as much and 4 after each squaring: below 2^-BITS as long as this holds.
    undecided(8 * (k + 2) << m + 1 > 1 << more, "an angle is too large")
    for _ in range(m):
        re, im = (re * re - im * im) >> bits, 2 * re * im >> bits
    return re >> more, im >> more, radius + 3

class Turning:
    """A complex number in 2^-BITS, of modulus at most 1, off by at most `error`."""
    def __init__(self, re, im, error):
        self.re, self.im, self.error = re, im, error
    def __mul__(self, other):
        error = self.error + other.error + up(self.error * other.error, 1 << BITS) + 2
        return Turning((self.re * other.re - self.im * other.im) >> BITS, (self.re * other.im + self.im * other.re) >> BITS, error)

class Atomic:
    """A loss with atoms, or whose transform is near that of atoms: `atoms`, over e^(theta top); `steps` of them, or so."""
    top, steps = Real(0, 0), 50
    def renyi(self, order):
        """D_a = log E e^((a-1) L)/(a-1), or the mean of few losses."""
        leave(isinstance(self, Finite) and (self.missing or real(self.infinite).hi), "a Renyi divergence with large losses that are not known")
        if order == 1 and isinstance(self, Finite):
            return sum((p * x for p, x in self.losses), real(0))
        leave(order == 1 or order > 100, f"the Renyi divergence of order {order}")
        atoms, error = self.atoms(order - 1, Fraction(0), 2.0 ** (24 - BITS))
        return (log(sum((g for g, _ in atoms), Real(-error.hi, error.hi))) + self.top * real(order - 1)) / real(order - 1)
    def size(self, theta, tolerance):
        """An upper bound of the transform at theta: N, in 2^-BITS, over e^(theta top), and its logarithm."""
        atoms, error = self.atoms(theta, Fraction(0), tolerance)
        number = (sum((g for g, _ in atoms), real(0)) + error).hi
        return number, log(Real(number, number)) + self.top * real(theta)
    def values(self, line, number, n):
        """(phi(s_k) e^(-theta top)/N)^n, k = 0, 1, .. (iidsum.md, Lemma 9, in whole numbers)."""
        atoms, error = self.atoms(line.theta, line.reach, line.tolerance / 64 / n)
        leave(len(atoms) * len(line.ks) > 20 * line.fineness.terms, "a sum of so many losses, or to so many digits")
        middles, radius = [g.hi for g, _ in atoms], error.hi + sum(g.hi - g.lo for g, _ in atoms)
        for row in zip(*(turns(x * line.h, line.ks) for _, x in atoms)):
            re, im = sum(g * z[0] for g, z in zip(middles, row)), sum(g * z[1] for g, z in zip(middles, row))
            error = radius + up(sum(g * z[2] for g, z in zip(middles, row)), 1 << BITS)
            yield raised(Turning(re // number, im // number, up(error << BITS, number) + 2), n)

class Step(Atomic):
    """The loss of a step of Poisson batches: log R under P (forth), -log R under Q (back), R(u) = 1 - q + q e^(mu u - mu^2/2)."""
    infinite = 0
    def __init__(self, q, s, back):
        self.q, self.mu, self.back = q, 1 / s, back
        self.approximate = float(q), float(1 / s)        # to choose nodes and lines: steers only
        self.rows, self.known = {}, None
    def log_ratio(self, u):
        """log R(u), and w(u) = q e^z/R."""
        if u not in self.rows or self.rows[u][0] != BITS:
            share = real(self.q) * exp(real(self.mu * u - self.mu * self.mu / 2))
            ratio = share + (1 - self.q)
            self.rows[u] = BITS, log(ratio), share / ratio
        return self.rows[u][1:]
    def exponent(self, theta):
        """Re sigma of dpsgd.md, Lemma 3, at Re s = theta."""
        return -theta if self.back else theta + 1
    def height(self, u, theta):
        q, mu = self.approximate
        return float(self.exponent(theta)) * math.log(1 - q + q * math.exp(min(700.0, mu * u - mu * mu / 2))) - u * u / 2
    def steer(self, theta):
        logs = [self.height(i / 16, theta) for i in range(-160, 160 + int(16 * max(0.0, float(self.exponent(theta)) * self.approximate[1])))]
        top = max(logs)
        return top + math.log(sum(math.exp(x - top) for x in logs) / 16 / math.sqrt(2 * math.pi))
    def weight(self, u, theta):
        """phi0(u) R(u)^sigma."""
        return exp(self.log_ratio(u)[0] * real(self.exponent(theta)) - real(u * u / 2)) / sqrt(2 * pi_constant())
    def atoms(self, theta, reach, tolerance):
        """[(g_j, x_j)] and E: phi(theta + it), |t| <= reach, is within E of sum g_j e^(i t x_j) (Lemma 3). `tolerance` steers."""
        sigma = self.exponent(theta)
        q, mu = self.approximate
        base = float(sigma * sigma - sigma) * mu * mu / 2 if not self.back else -float(theta) * math.log1p(-q)
        wanted = max(base, 0.0) + math.log(1 / tolerance) - min(0.0, self.steer(theta))
        curve = -float(theta) if self.back else 0.0
        best = max((b / (b * b / (2 * mu * mu) + float(reach) * b + wanted + curve * math.log(math.cos(b / 2))), b)
                   for b in (i * math.pi / 24 for i in range(1, 21)))
        b = Fraction(int(best[1] * 256), 256)
        a = b / self.mu
        h = Fraction(max(1, int(best[0] * 2 * math.pi / mu * 1024)), 1024)
        # log M: R^sigma <= 1 - q + q e^(sigma z) of mean at most e^((sigma^2 - sigma) mu^2/2) (forth); R^sigma <= (1-q)^sigma and
        # D <= cos(b/2)^-theta (back); omega <= b.
        if self.back:
            cosine = cis(real(b / 2))
            size = (log(real(1 - self.q)) + log(Real(cosine[0] - cosine[2], cosine[0] + cosine[2]))) * real(-theta)
        else:
            size = real((sigma * sigma - sigma) * self.mu * self.mu / 2)
        turns = 2 * pi_constant() * real(a / h)
        error = 2 * exp(size + real(a * a / 2 + reach * b) - turns) / (1 - exp(-turns))
        # Nodes from where F0 is nothing to where it is nothing.
        small = math.log(tolerance) + min(0.0, self.steer(theta))
        left, right = -1, max(1, int(max(0, sigma) * self.mu / h) + 2)
        while self.height(left * float(h), theta) > small:
            left -= 1
        while self.height(right * float(h), theta) > small:
            right += 1
        while self.beyond(left * h, theta) is None:
            left -= 1
        error = error + self.beyond(left * h, theta) + self.beyond(right * h, theta)
        sign = -1 if self.back else 1
        return [(self.weight(i * h, theta) * real(h), self.log_ratio(i * h)[0] * sign) for i in range(left, right + 1)], error
    def beyond(self, v, theta):
        """h times the sum of F0 over the nodes beyond a node at v: F0(v)/d; None if d > 0 is not certain."""
        sigma = self.exponent(theta)
        if v > 0:
            d = real(v - max(sigma, 0) * self.mu)
        else:
            d = real(-v) + self.log_ratio(v)[1] * real(min(sigma, 0) * self.mu)
        return self.weight(v, theta) / d if d.lo > 0 else None
    def heights(self, theta):
        """Steps below the tilted density of the loss (dpsgd.md, Lemma 4): heights, and the ends of neighbouring intervals of the loss."""
        middle = max(range(-96, 97 + int(32 * max(0.0, float(self.exponent(theta)) * self.approximate[1]))), key=lambda i: self.height(i / 16, theta))
        places = [Fraction(middle + i, 16) for i in range(-72, 73)]
        root = sqrt(2 * pi_constant())
        rows = [(self.log_ratio(u), exp(real(-u * u / 2)) / root, exp(real(-(u - self.mu) ** 2 / 2)) / root) for u in places]
        heights = []
        for (row, here, there), (next_row, next_here, next_there) in zip(rows, rows[1:]):
            least = Real(min(here.lo, next_here.lo), min(here.hi, next_here.hi))
            tilt = exp((next_row[0] if self.back else row[0]) * real(-theta if self.back else theta))
            if not self.back:
                least = least * (1 - self.q) + Real(min(there.lo, next_there.lo), min(there.hi, next_there.hi)) * real(self.q)
            heights.append((least * tilt / (next_row[1] * real(self.mu))).lo)
        return heights, [row[0] for row, _, _ in rows]
    def lacks(self, theta, reach):
        if self.known is None or self.known[:2] != (theta, BITS):
            heights, ends = self.heights(theta)
            self.known = theta, BITS, *((heights[::-1], [-end for end in ends[::-1]]) if self.back else (heights, ends))
        return lacking(*self.known[2:], reach)

def kappa(u):
    """inf over v >= u of 1 - |sin v/v|, from below (iidsum.md, Lemma 8); u in 2^-BITS."""
    if u > 5 << BITS - 1:
        return (1 << BITS) - min(up(24 << BITS, 100), up(1 << 2 * BITS, u))
    square = u * u >> BITS
    fourth, sixth = square * square >> BITS, square * square * square >> 2 * BITS
    return max(0, square // 6 - fourth // 120 + sixth // 5040 - (square * sixth >> BITS) // 362880 - 8)

def lacking(heights, ends, reach):
    """A number that |phi(theta + it)| lacks at least of phi(theta) for |t| >= reach: intervals around the highest step (Lemma 8)."""
    first = last = max(range(len(heights)), key=lambda i: heights[i])
    least, total = heights[first], 0
    while least > 0:
        width = max(0, ends[last + 1].lo - ends[first].hi)
        before, after = heights[first - 1] if first else 0, heights[last + 1] if last + 1 < len(heights) else 0
        first, last = (first - 1, last) if before >= after and first else (first, min(last + 1, len(heights) - 1))
        following = min(least, max(before, after))
        total += ((least - following) * width >> BITS) * kappa(width * reach.numerator // (2 * reach.denominator)) >> BITS
        least = following
    return total

class Finite(Atomic):
    """A pair with few losses [(mass under P, loss)], `infinite` the mass of P where Q has none, `missing`, in 2^-BITS, at most what is left out;
    `lattice`: the largest loss and the step, of even ones."""
    def __init__(self, losses, infinite=0, lattice=None, missing=0):
        self.losses, self.infinite, self.lattice, self.missing, self.steps = losses, real(infinite), lattice, missing, len(losses)
        self.approximate = [(math.log(max(float(p.ends()[1]), 1e-300)), float(x.ends()[1])) for p, x in losses]
        self.top = max((x for _, x in losses), key=lambda x: x.hi, default=real(0))
    def steer(self, theta):
        logs = [p + theta * x for p, x in self.approximate]
        return max(logs) + math.log(sum(math.exp(value - max(logs)) for value in logs))
    def atoms(self, theta, reach, tolerance): return [(p * exp((x - self.top) * real(theta)), x) for p, x in self.losses], real(0)
    def law(self, n, fineness):
        """All n as one, or n times one at places that are 2^24 units off at most, and the losses' own errors."""
        if self.lattice:
            return [rows_of(raised([p.lo for p, _ in self.losses], n, product), n * self.lattice[0], self.lattice[1])]
        told = [(Fraction(x.lo + x.hi >> 25, 1 << BITS - 24), p.lo, Real(p.lo, p.lo) * exp(-x)) for p, x in self.losses]
        told += [(Fraction(1 << 40), self.infinite.lo, Real(0, 0))] if self.infinite.hi else []
        return [sorted(told, reverse=True, key=lambda row: row[0])] * n
    def slack(self, n):
        """How far all n are off their places, in the mean, and what is missing."""
        return n * (self.missing + (0 if self.lattice else sum((p.hi * ((1 << 25) + x.hi - x.lo) >> BITS) + 1 for p, x in self.losses)))
    def sizes(self, n): return n * (len(self.losses) - 1) + 1 if self.lattice else math.comb(n + len(self.losses) - 1, n)

class Normal:
    """The loss of Gaussian noise, N(v/2, v)."""
    def __init__(self, variance):
        self.variance, self.infinite = variance, 0
    def renyi(self, order): return real(order * self.variance / 2)

class Laplace:
    """The loss of Laplace noise, at most a."""
    infinite, steps = 0, 2
    def __init__(self, a):
        self.a = a
    def renyi(self, order):
        """additive-noise.md, Theorem 2; at order 1 the mean, e^-a - 1 + a."""
        if order == 1:
            return exp(real(-self.a)) - 1 + real(self.a)
        return log((exp(real((order - 1) * self.a)) * real(order) + exp(real(-order * self.a)) * real(order - 1)) / real(2 * order - 1)) / real(order - 1)
    def steer(self, theta):
        a = float(self.a)
        return theta * a + math.log((theta + 1 + theta * math.exp(-a * (1 + 2 * theta))) / (2 * theta + 1))
    def size(self, theta, tolerance):
        value = (real(theta + 1) + exp(real(-(1 + 2 * theta) * self.a)) * real(theta)) / real(2 * theta + 1)
        return value.hi, log(Real(value.hi, value.hi)) + real(theta * self.a)
    def values(self, line, number, n):
        """((1/2 + u) e^{sa} + (1/2 - u) e^{-(1+s)a})/(N e^{theta a}), u = 1/(2 (2s+1)), to the power n: two numbers that turn, conjugates."""
        theta, number = line.theta, Real(number, number)
        one, two = 1 / number, exp(real(-(1 + 2 * theta) * self.a)) / number
        off = one.hi - one.lo + two.hi - two.lo + 40
        first, second, bits, half = one.hi, two.hi, BITS, 1 << BITS - 1
        twice = real(2 * theta + 1).lo
        for k, (re, im, error) in zip(line.ks, turns(real(self.a) * line.h, line.ks)):
            t = k * line.finer >> 40
            square = twice * twice + 4 * t * t
            u, v = (twice << 2 * bits - 1) // square, -(t << 2 * bits) // square
            x, y = half + u, half - u
            # one <= 2, two <= 1, |1/2 +- u| <= 1: z counts 3 times, t moves u by no more than itself, and there are few roundings.
            re, im = (first * (x * re - v * im) + second * (y * re - v * im)) >> 2 * bits, (first * (x * im + v * re) - second * (y * im + v * re)) >> 2 * bits
            yield raised(Turning(re, im, 3 * error + off), n)

def turns(angle, ks):
    """e^(i k angle) for rising k: its parts, and by how much they are off. The modulus of a turn is at most 1 + e 2^-BITS: a thousandth more."""
    zr, zi, e = cis(angle)
    undecided(ks[-1] * e * 2000 > 1 << BITS, "too many frequencies")
    k, re, im, off, bits = 0, 1 << BITS, 0, 0, BITS
    for wanted in ks:
        if wanted != k:
            k, (re, im, off) = wanted, cis(angle * wanted)
        yield re, im, up(off * 1001, 1000)
        k, re, im, off = k + 1, (re * zr - im * zi) >> bits, (re * zi + im * zr) >> bits, off + e + 2

def dyadic(x, more=5):
    """A fraction near a positive double, with few bits: steers only."""
    shift = more - math.frexp(x)[1]
    return Fraction(max(1, round(math.ldexp(x, shift)))) / Fraction(2) ** shift

class Line:
    """E g(S - K), g(y) = (1 - e^-y)_+ or, with m = 0, y_+, S the sum of independent losses [(part, how many)]: a sum over frequencies
    (product-line.md, Lemmas 2 and 3; iidsum.md, Lemmas 6, 7 and 12), made for a K. `slope`: of the logarithm in eps, over theta; steers only."""
    def __init__(self, parts, k, fineness, m=1, slope=None):
        self.m, self.slope = m, k if slope is None else slope
        self.variance = sum((n * part.variance for part, n in parts if isinstance(part, Normal)), Fraction(0))
        self.parts = [(part, n) for part, n in parts if not isinstance(part, Normal)]
        self.fineness = fineness
        self.infinite = 1 - math.prod((raised(1 - real(part.infinite), n) for part, n in parts), start=real(1))
        self.missing = sum(part.missing * n for part, n in parts if isinstance(part, Finite))
        self.count, finite = 0, not self.missing and all(isinstance(part, Finite) for part, _ in parts)
        self.most = sum((part.top * n for part, n in parts), real(0)) if finite else None        # the largest loss, if it is known
        if not finite or k < self.most.ends()[0]:
            self.place_line(k)
            self.sum_up()
    def log_size(self, theta):
        return sum(n * part.steer(theta) for part, n in self.parts) + float(self.variance) * theta * (theta + self.m) / 2
    def saddle(self, k):
        value = lambda theta: self.log_size(theta) - theta * k - math.log(theta * (theta + self.m))  # noqa: E731
        theta, here = 1 / 4, value(1 / 4)
        for factor in (2, 1 / 2, 1.2, 1 / 1.2, 1.05, 1 / 1.05):
            while 1e-12 < theta * factor < 1e12:
                there = value(theta * factor)
                if there >= here:
                    break
                theta, here = theta * factor, there
        return theta
    def place_line(self, k):
        """theta, the period, the number of frequencies and the normal number that is added, for K = k and the width of the printed interval: steers only."""
        theta, fine, m = self.saddle(k), self.fineness, self.m
        self.theta = dyadic(theta)
        theta, step = float(self.theta), float(self.theta) / 16
        sizes = [self.log_size(theta + i * step) for i in (-1, 0, 1)]
        size = sizes[1] - theta * k
        curve = max(0.0, sizes[0] - 2 * sizes[1] + sizes[2]) / step ** 2 + 1 / theta ** 2 + 1 / (theta + m) ** 2
        value = size - math.log(theta * (theta + m)) - math.log(2 * math.pi * curve) / 2        # log of the answer
        wanted = min(0.5, (theta * self.slope if fine.is_epsilon and self.slope > 0 else 1) / fine.relative) / 4 ** fine.level
        self.tolerance = wanted / 1000
        target = value + math.log(self.tolerance)
        others = [(self.log_size(eta) - eta * k - math.log(eta + m) - target, eta) for eta in (theta * (1 + 2 ** (i / 2)) for i in range(-12, 13))]
        above, eta = min((width / (eta - theta), eta) for width, eta in others)
        self.eta, period = dyadic(eta, 12), max((-target if m else math.log(max(1, -target / theta)) + 1 - target) / theta, above)
        self.period = dyadic(period, 8)
        width = math.sqrt(2 * (size - target)) * float(self.period) / (2 * math.pi)
        # Where few losses are near K a larger one will do.
        added = max(0.35 * wanted * 4 ** fine.level, 1e-7 if m else 1e-10) / (theta * (theta + m)) / 8 ** fine.level
        self.numbers = [(part, n, *part.size(self.theta, self.tolerance / 64 / n)) for part, n in self.parts]
        more = math.ceil(width / math.sqrt(float(self.variance) + added)) + 3
        self.added, self.count = Fraction(0), self.natural(target - size, 2 * more + 1000)
        if not self.count:
            self.added, self.count = dyadic(added), more
        self.ks, self.off = range(self.count), 0
        if all(isinstance(part, Finite) for part, _ in self.parts):
            self.leave_out(math.exp(min(0, target - size + math.log(float(self.period) * theta * (theta + m)))) / self.count)
        leave(len(self.ks) * sum(part.steps for part, _ in self.parts) > 6 * fine.terms, "a sum of so many losses, or to so many digits")
    def leave_out(self, nothing):
        """Frequencies whose terms are at most about `nothing`, by blocks: |phi| moves by no more than the mean of |x - c| times what t does."""
        h, kinds, ks, place, block, looks, nothing = 2 * pi_constant() / real(self.period), [], [], 0, 8, 0, int(nothing * 2.0 ** 200) << BITS >> 200
        square = self.theta * (self.theta + self.m) / h.ends()[0] ** 2
        for part, n, number, _ in self.numbers:
            atoms = part.atoms(self.theta, Fraction(0), 0)[0]
            middle = Fraction(sum((g * x).lo for g, x in atoms), number)
            speed = sum((g * Real(0, max(abs((x - middle).lo), abs((x - middle).hi)))).hi for g, x in atoms)
            kinds.append((atoms, n, number, (Real(0, speed) * h).hi))
        while place < self.count:
            looks += 1
            leave(looks * sum(part.steps for part, _ in self.parts) > self.fineness.terms, "a sum of so many losses, or to so many digits")
            bound = Real(0, 1 << BITS)
            for atoms, n, number, speed in kinds if place else ():
                turned = [(g, cis(x * h * (place + block // 2))) for g, x in atoms]
                re, im = (sum(g.lo * z[i] for g, z in turned) >> BITS for i in (0, 1))
                size = math.isqrt(re * re + im * im) + 4 + sum((g.hi * 2 * z[2] >> BITS) + 2 + 2 * (g.hi - g.lo) for g, z in turned) + speed * (block // 2)
                bound = bound * raised(Real(0, min(1 << BITS, up(size << BITS, number))), n)
            term = up(2 * bound.hi * square.numerator, square.denominator * place * place) if place else 1 << BITS
            if term <= nothing:
                self.off, place, block = self.off + block * term, place + block, 2 * block
            elif block > 8:
                block //= 2
            else:
                ks += range(place, min(place + 8, self.count))
                place += 8
        self.ks = ks
    def natural(self, logarithm, most):
        """A number of frequencies, at most so many, beyond which the transform is next to nothing by itself, or 0."""
        count_ = 8
        while count_ < min(most, self.fineness.terms // 80):
            rest = self.rest(count_, self.variance)
            if rest.hi <= 0 or math.log(rest.hi) - BITS * math.log(2) < logarithm:
                return count_
            count_ += count_ // 4
        return 0
    def rest(self, count_, variance):
        """A bound of the terms |k| >= count_, over F(theta) e^(-theta K): Lemma 2, and iidsum.md, Lemma 8, for what falls besides."""
        x = (count_ - 1) * 2 * pi_constant() / real(self.period)
        bound = exp(-(x * x * real(variance / 2))) / (pi_constant() * x)
        for part, n, number, _ in self.numbers:
            if isinstance(part, Step):
                lack = part.lacks(self.theta, Fraction(x.lo >> BITS - 16, 1 << 16))
                bound = bound * raised(Real(0, max(0, (1 - Real(lack, lack) / Real(number, number)).hi)), n)
        return bound
    def sum_up(self):
        """The numbers (phi(s_k)/phi(theta)+)^n theta (theta+1)/(s_k (s_k+1)), once or twice, without what is normal."""
        at(BITS + 40)
        self.finer = (2 * pi_constant() / real(self.period)).lo
        at(BITS - 40)
        self.h = 2 * pi_constant() / real(self.period)
        self.reach = Fraction((self.h.hi * self.count >> BITS - 8) + 1, 256)
        self.log_size_above = sum((size * n for _, n, _, size in self.numbers), real(0))
        theta, one, bits, other = real(self.theta).lo, 1 << BITS, BITS, real(self.m).lo
        first = theta * (theta + other)
        self.terms, self.weight, moved = [], 0, math.ceil(4 / self.theta) + 8
        for k, *factors in zip(self.ks, *(part.values(self, number, n) for part, n, number, _ in self.numbers)):
            t = k * self.finer >> 40
            below, turn = theta * (theta + other) - t * t, t * (2 * theta + other)
            square = below * below + turn * turn
            wr, wi, twice = (below * first << bits) // square, -(turn * first << bits) // square, 2 if k else 1
            size = abs(wr) + abs(wi) + moved
            value = Turning(one, 0, 0)
            for factor in factors:
                value = value * factor
            self.terms.append((twice * (wr * value.re - wi * value.im >> bits), twice * (wr * value.im + wi * value.re >> bits)))
            self.off += twice * (up(size * value.error, one) + moved)
            self.weight += size * 2 * k
    def read(self, k, added):
        """The sum with that much more variance, and a bound of the other images of K in it."""
        variance, theta, w, m = self.variance + added, self.theta, real(self.period), self.m
        shift = real(variance * theta * (theta + m) / 2) - k * real(theta)
        size = exp(self.log_size_above + shift)
        scale = size / (w * real(theta * (theta + m)))
        count_ = self.count
        if added > self.added:
            count_ = min(count_, math.ceil(count_ * math.sqrt((self.variance + self.added) / variance)) + 3)
        total, bits, most, following = 0, BITS, 0, 0
        angle, rate = (real(variance * (theta + Fraction(m, 2))) - k) * self.h, -(self.h * self.h * real(variance / 2))
        factor = exp(rate)
        fall, first, ratio, wide = 1 << bits, factor.lo, factor.lo * factor.lo >> bits, factor.hi - factor.lo + 2
        for j, term, (re, im, last) in zip(self.ks, self.terms, turns(angle, self.ks)):
            if j >= count_:
                break
            if j != following:
                here, there = exp(rate * (j * j)), exp(rate * (2 * j + 1))
                fall, first, wide = here.lo, there.lo, max(wide, here.hi - here.lo + 2, there.hi - there.lo + 2)
            total += fall * (term[0] * re - term[1] * im >> bits) >> bits
            fall, first, following, most = fall * first >> bits, first * ratio >> bits, j + 1, max(most, up(last, max(1, j)))
        # A turn is off by `most` k; of the fall e^(-V (kh)^2/2) the first factor of all, or after a gap, by `wide`, the k-th by
        # (2 wide + 2) (k + 1) and the product of k of them by (2 wide + 4) k^2.
        off = self.off + up((most + (2 * wide + 4) * count_) * self.weight, 1 << bits) + 4 * count_
        value = scale * Real(total - off, total + off)
        rest = size * self.rest(count_, variance)
        value = Real(value.lo - rest.hi, value.hi + rest.hi)
        far = real(variance * self.eta * (self.eta + m) / 2) - k * real(self.eta)
        far = sum((part.size(self.eta, self.tolerance / 64 / n)[1] * n for part, n in self.parts), far)
        gap, before = exp(-(w * real(self.eta - theta))), exp(-(w * real(theta)))
        below = before / (1 - before) if m else (value.positive() + w / (1 - before)) * before / (1 - before)
        return value, (below + exp(far - w * real(self.eta - theta)) / (real(1 + self.eta if m else 2 * self.eta) * (1 - gap))).hi
    def value(self, k):
        """Lower and upper end at K = k, a real."""
        if self.most and (k - self.most).lo >= 0:
            return self.infinite
        undecided(not self.count, "an eps too near the largest loss")
        value, images = self.read(k, self.added)
        low = value.lo - images
        if self.added:
            further, _ = self.read(k, 4 * self.added)
            low -= max(0, (exp(real(3 * self.m * self.added / 8)) * Real(0, max(0, further.hi - low))).hi)
        low, high = Real(low, low) + self.infinite, Real(value.hi + self.missing, value.hi + self.missing) + self.infinite
        return Real(max(low.lo, 0), min(high.hi, 1 << BITS) if self.m else high.hi)

# Rounds of the clones: laws above and below on a lattice of losses (pld.md, Lemmas 1 to 3; check.md) ----------------------------
class Rounds:
    """T rounds of TP(n; E/(E+1), 1/(E+1), 0; r, r): its outcomes by cells [i step, (i+1) step) of the loss, and their powers."""
    def __init__(self, pair, e, times, step, fineness):
        self.step, self.fineness, self.nodes = step, fineness, {}
        self.cells(pair, real(e))
        first, last = min(self.p), max(self.p) + 1
        leave(last - first > fineness.terms, "rounds of so many users, or to so many digits")
        above = [0] * (last - first + 1)
        for i, (low, high) in self.p.items():
            q = self.q[i]
            a, b = self.node(i), self.node(i + 1)
            upper = (Real(low, high) - a * Real(*q)) * b / (b - a)
            lower = (b * Real(*q) - Real(low, high)) * a / (b - a)
            above[i + 1 - first] += max(0, upper.lo)
            above[i - first] += max(0, lower.lo)
        self.above = self.of_rounds(first, above, times)
        self.below = self.of_rounds(*self.polygon(first, last), times)
    def of_rounds(self, first, law, times):
        """The law of all rounds: without what is next to nothing at both ends (a mass that is missing, and below nothing)."""
        start, end, dust = 0, len(law), 0
        while start < end and dust + law[start] < self.fineness.dust:
            dust += law[start]
            start += 1
        while end > start + 1 and dust + law[end - 1] < self.fineness.dust:
            dust += law[end - 1]
            end -= 1
        leave((end - start) * times * BITS > 48 * self.fineness.terms, "rounds of so many users, or to so many digits")
        return Places([rows_of(raised(law[start:end][::-1], times, product), (first + end - 1) * times * self.step, self.step)])
    def node(self, i):
        if i not in self.nodes:
            self.nodes[i] = exp(real(i * self.step))
        return self.nodes[i]
    def cells(self, pair, e):
        """Masses of P and of Q in each cell, [lo, hi]. An outcome (m, a) has the part (E a + b)/(E+1) 2/m of Pr[C = m-1] Bin(m, 1/2)(a) under P,
        b = m - a, and under Q that of (m, b)."""
        self.p, self.q = {}, {}
        s, top = pair.r0 + pair.r1, pair.n - 1
        if pair.all_counted or top == 0:
            counted = (top, [(1 << BITS, 1 << BITS)], 0, 0)
        else:
            counted = masses(top, s / (1 - s), min(top, (s * pair.n).lo >> BITS), self.fineness)
        whole = whole_of(*counted[1:])
        for c, weight in enumerate(counted[1], counted[0]):
            m = c + 1
            first, weights, under, over = masses(m, real(1), m // 2, self.fineness)
            leave(len(weights) * len(counted[1]) > 4 * self.fineness.terms, "rounds of so many users, or to so many digits")
            total = whole_of(weights, under, over)
            share = Real(*weight) / whole / total * 2 / m / (e + 1)
            for a, mass in enumerate(weights, first):
                if first <= m - a < first + len(weights):
                    part = share * Real(*mass)
                    i = self.cell(a, m - a, e)
                    for law, mass in ((self.p, part * (e * a + (m - a))), (self.q, part * (e * (m - a) + a))):
                        low, high = law.get(i, (0, 0))
                        law[i] = low + max(mass.lo, 0), high + mass.hi
    def cell(self, a, b, e):
        """The i with i step <= log((E a + b)/(a + E b)) <= (i+1) step: a guess, checked."""
        if a == b:
            return 0
        above, below = e * a + b, e * b + a
        guess = math.floor((math.log(float(above.lo)) - math.log(float(below.lo))) / float(self.step))
        for i in (guess, guess - 1, guess + 1):
            if (above - self.node(i) * below).lo >= 0 and (self.node(i + 1) * below - above).lo >= 0:
                return i
        raise Undecided("not decided at this fineness: a loss too near a node")
    def polygon(self, first, last):
        """The law below: the profile at the nodes, less the larger sag of the two cells beside it; its lower convex envelope (check.md)."""
        bottom, up_to = first - 1, last + 1
        sums = {up_to: (real(0), real(0))}
        for i in range(up_to - 1, bottom - 1, -1):
            p, q = sums[i + 1]
            sums[i] = (p + Real(*self.p.get(i, (0, 0))), q + Real(*self.q.get(i, (0, 0))))
        value = {i: p - self.node(i) * q for i, (p, q) in sums.items()}
        sag = {}
        for i in range(bottom, up_to):
            p, q, a, b = Real(*self.p.get(i, (0, 0))), Real(*self.q.get(i, (0, 0))), self.node(i), self.node(i + 1)
            # q (x - a)(b - x)/(b - a) at x = p/q, which is at most q (b - a)/4.
            sag[i] = up((q * (b - a)).hi, 4)
            if q.lo > 0:
                sag[i] = min(sag[i], max(0, ((p - a * q) * (b * q - p) / (b - a) / q).hi))
        slack = 1 << 24
        # The first point is at alpha = 0, where the profile is the mass of P: the law is below at every alpha >= 0.
        self.nodes[bottom - 1] = real(0)
        points = [(bottom - 1, sums[bottom][0].lo - slack)]
        for i in range(bottom, up_to + 1):
            g = value[i].lo - max(sag.get(i - 1, 0), sag.get(i, 0)) - slack
            if g <= 0:
                while len(points) > 1 and value[i].lo - slack < sag.get(i - 1, 0):
                    points.pop()
                    i -= 1
                undecided(len(points) < 2 or value[i].lo < sag.get(i - 1, 0), "no law below")
                points.append((i, 0))
                break
            points.append((i, g))
        hull = []
        middle = {i: (self.node(i).lo + self.node(i).hi) // 2 for i, _ in points}
        for point in points:
            while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (middle[point[0]] - middle[hull[-1][0]]) >= \
                    (point[1] - hull[-1][1]) * (middle[hull[-1][0]] - middle[hull[-2][0]]):
                hull.pop()
            hull.append(point)
        slopes = [(real(0) + Real(b[1] - a[1], b[1] - a[1])) / (self.node(b[0]) - self.node(a[0])) for a, b in zip(hull, hull[1:])] + [real(0)]
        out = [0] * (hull[-1][0] - hull[1][0] + 1)
        for place, before, after in zip(hull[1:], slopes, slopes[1:]):
            out[place[0] - hull[1][0]] = max(0, ((after - before) * self.node(place[0])).lo)
        return hull[1][0], out
    def value(self, k): return Real(self.below.value(k).lo, self.above.value(k).hi)

def sum_of(losses, k, fineness):
    """Independent losses [(part, how many)], by their places if they are few, or a line made for a K."""
    if all(isinstance(part, Finite) for part, _ in losses):
        sizes = sorted(part.sizes(n) for part, n in losses)
        if max(sizes[-1], math.prod(sizes[:-1])) <= MOST_PLACES:
            return Places([rows for part, n in losses for rows in part.law(n, fineness)], sum(part.slack(n) for part, n in losses))
    return Line(losses, k, fineness)

# Theorems: what each name stands for -------------------------------------------------------------------------------------------
THEOREMS = {
    "clones": ("clones-stronger.md, Corollary 2", "upper"), "clones-stronger": ("clones-stronger.md, Theorem", "upper"),
    "clones-deletion": ("deletion.md, Theorem", "upper"), "local-delta0": ("deployments.md", "upper"), "clones-delta0": ("deployments.md", "upper"),
    "deletion-third": ("deletion.md", "lower"), "krr-weak": ("trinomial-pair.md, Lemma 5", "upper"),
    "krr-strong": ("trinomial-pair.md, krr-strong", "upper"), "rr2": ("trinomial-pair.md, rr2", "lower"),
    "krr-same": ("trinomial-pair.md, krr-same", "lower"), "krr-third": ("trinomial-pair.md, krr-third", "lower"),
    "clones-sampled": ("clones-sampled.md, Theorem 1", "upper"), "krr-third-sampled": ("clones-sampled.md, Theorem 3", "lower"),
    "trinomial": ("trinomial-pair.md, Lemmas 1 and 2", "none"), "local-epsilon": ("mechanism.md, Lemmas 1 and 6", "exact"),
    "blanket": ("blanket.md, Lemma 3", "upper"), "local-profile": ("local-profile.md, Theorem", "upper"), "all-equal": ("blanket.md, Lemma 2", "lower"),
    "third-value": ("blanket.md, Lemma 2", "lower"), "mixed-data": ("mixed.md, Lemma 1", "lower"), "binary-reports": ("binary-reports.md, Theorem 1", "exact"),
    "additive-noise": ("additive-noise.md, Theorems 2 and 3", "exact"), "binomial-noise": ("binomial-noise.md", "exact"),
    "additive-noise-poisson": ("additive-noise.md, Theorem 4", "exact"), "staircase-noise": ("additive-noise.md, Theorem 7", "exact"),
    "subsample-profile": ("subsample.md, Dominated base", "upper"), "subsample-replaced": ("subsample.md, Replaced record", "lower"),
    "zcdp-batches": ("renyi-profile.md, Lemma 7", "exact"), "batches-fixed": ("dpsgd.md, Theorem 1", "exact"),
    "batches-poisson": ("dpsgd.md, Theorem 1", "exact"), "batches-shuffle-above": ("dpsgd.md, Theorem 2", "upper"),
    "batches-allocation-known": ("dpsgd.md, Theorem 4", "upper"), "batches-allocation-sum": ("dpsgd.md, Theorem 5", "lower"),
    "batches-replaced-fixed": ("dpsgd.md, Theorem 7", "exact"), "batches-subset-above": ("dpsgd.md, Theorem 9", "upper"),
    "batches-subset-below": ("dpsgd.md, Theorem 9", "lower"), "batches-all-known": ("dpsgd.md, Theorem 10", "upper"),
    "batches-replaced-known": ("dpsgd.md, Theorems 11 and 12", "upper"), "batches-replaced-sum": ("dpsgd.md, Theorem 11", "lower"),
    "batches-user-fixed": ("dpsgd.md, Theorem 13", "exact"), "batches-user-known": ("dpsgd.md, Theorem 13", "upper"),
    "batches-user-sum": ("dpsgd.md, Theorem 13", "lower"),
}

def positive_eps0(value, name="eps0"):
    eps0 = Number(value, name)
    refuse(eps0.fraction < (1 if eps0.is_log else 0), f"a negative {name}")
    return eps0

def pair_of(theorem, n, eps0, k=None, rate=None):
    """The instances of trinomial-pair.md, and the samples of clones-sampled.md (n: those who take part)."""
    e = eps0.fraction if eps0.is_log else eps0.exp()
    if "deletion" in theorem:
        w1, r, twice = 1 / (e * (e + 1)), 1 / (e + 1), Number(f"log({e * e})" if eps0.is_log else str(2 * eps0.fraction), "eps0")
        if theorem == "deletion-third":
            other = largest(real(w1), real((1 + 2 * e - e * e) / (2 * (e + 1))))
            return Trinomial(n, e * r, w1, 1 - e * r - w1, *((other, other) if k else (e * r, w1)), loss=twice)
        return Mixture(n, 1 / e, lambda m, loss=twice: Trinomial(m, e / (e + 1), w1, (e - 1) * w1, r, r, loss=loss))
    k = k if theorem.startswith("krr") else None
    r = 1 / (e + ((k or 2) - 1))
    if theorem.endswith("-sampled"):
        w0 = rate * e * r + (1 - rate) * r
        return Trinomial(n, w0, r, 1 - w0 - r, r, r)
    w2 = r * (k - 2) if k and k > 2 else None
    if theorem == "krr-strong":
        return Trinomial(n, 1, 0, None, r, r, (e - 1) * r, all_counted=is_one(eps0, k))
    rates = {"clones": (1 / (2 * e), 1 / (2 * e)), "rr2": (e * r, r), "krr-same": (e * r, r)}.get(theorem, (r, r))
    everyone = {"clones": is_one(eps0), "rr2": True, "krr-same": k == 2}.get(theorem, is_one(eps0, k))
    if theorem == "krr-weak" and k > 2:
        return Mixture(n, k * r, lambda m, loss=eps0: Trinomial(m, e * r, r, w2, Fraction(1, k), Fraction(1, k), loss=loss))
    return Trinomial(n, e * r, r, w2, *rates, all_counted=everyone, loss=eps0)

def is_one(eps0, k=2):
    """Whether e^eps0 = 1, so that of two outputs each is as likely, and all users count."""
    return eps0.fraction == (1 if eps0.is_log else 0) and (k or 2) == 2

# How one bound of a question is computed: in words, by which theorems, delta(eps, fineness, back) -> (its value, whether it is surely positive
# at every smaller eps) in each of the directions `ways`, D_a(order, back), and rho where it is a fraction. `guaranteed`: of a bound, only the end that
# says something is looked at. `infinite`: a mass at least that one law has where the other has none, if it has some. `is_normal`: all losses
# are. `slack`: bits more than the answer has; steers only.
Plan = namedtuple("Plan", "subject theorems side delta ways slack guaranteed renyi rho infinite is_normal", defaults=((False,), 100, False, None, None, None, False))

def few_outcomes(pair, back):
    """The losses of a pair of few users, by its definition: a and b of the others are in the two counts."""
    rest, laws = 1 - pair.r0 - pair.r1, ({None: 1 - pair.scale}, {None: 1 - pair.scale})
    for a in range(pair.n):
        for b in [pair.n - 1 - a] if pair.all_counted else range(pair.n - a):
            others = real(math.comb(pair.n - 1, a) * math.comb(pair.n - 1 - a, b)) * pair.scale
            others = math.prod([pair.r0] * a + [pair.r1] * b + [rest] * (pair.n - 1 - a - b), start=others)
            for place, weights in (((a + 1, b), (pair.w0, pair.w1)), ((a, b + 1), (pair.w1, pair.w0)), ((a, b), [real(pair.w2 or 0)] * 2)):
                for law, weight in zip(laws, weights):
                    law[place] = law.get(place, 0) + others * weight
    p, q = laws[::-1] if back else laws
    losses = [(mass, log(mass / q[place])) for place, mass in p.items() if mass.lo > 0 and q[place].lo > 0]
    return Finite(losses, sum((mass for place, mass in p.items() if q[place].hi == 0), real(0)))

class Release:
    """What is told `times` times, each time afresh: in words, by which theorems, and what is known of it: its divergence (`profile(fineness)`, a
    function of alpha >= 1 and of the direction), its loss (`loss(back)`), or that it is normal, N(v/2, v). `largest`: the largest loss of all, a fraction."""
    def __init__(self, words, theorems, side, times=1, profile=None, loss=None, variance=None, largest=None, two_ways=False, rho=None):
        self.words, self.theorems, self.side, self.times, self.rho = words, theorems, side, times, rho
        self.profile, self.loss, self.variance, self.largest, self.two_ways = profile, loss, variance, largest, two_ways
        if variance is not None:
            self.profile, self.loss = (lambda _: gaussian_profile(variance)), lambda _: Normal(variance)
            self.rho = times * variance / 2              # D_a = a v/2

def road(told, eps, fineness, back):
    """The divergence of releases one after the other, a function of eps: of one, by the places or the transforms of losses."""
    if len(told) == 1 and told[0].times == 1 and told[0].profile:
        profile = told[0].profile(fineness)
        return lambda eps: profile(eps.exp(), back)
    losses = [(release.loss(back), release.times) for release in told if release.loss]
    leave(len(losses) < len(told), "releases one after the other whose losses have no transform here")
    total = sum_of(losses, float(eps.value().ends()[1]), fineness)
    return lambda eps: total.value(eps.value())

def delta_of(told):
    """delta of releases one after the other, in a direction."""
    losses, known = [release.largest for release in told], {}
    most = Exact(sum(losses)) if None not in losses else None
    if all(release.variance is not None for release in told):
        told = [Release("", (), "", variance=sum(release.times * release.variance for release in told))]
    def delta(eps, fineness, back):
        order = most.compare(eps) if most else None
        if order in (-1, 0):
            return real(0), order == 0
        if (fineness, back) not in known:
            known[fineness, back] = road(told, eps, fineness, back)
        return known[fineness, back](eps), order == 1
    return delta

def plan_of(told):
    sides, several = {release.side for release in told} - {"exact"}, len(told) > 1 or told[0].times > 1
    def renyi(order, back, _):
        """By the moments of the losses (renyi-profile.md, Products and rounds; dpsgd.md, Theorem 15)."""
        leave(None in [release.loss and release.loss(back) for release in told], "Renyi divergences of a release with such a loss")
        return sum((release.loss(back).renyi(order) * release.times for release in told), real(0))
    return Plan(", and ".join(release.words for release in told), list(dict.fromkeys(name for release in told for name in release.theorems)),
                min(sides, default="exact"), delta_of(told), (False, True) if any(release.two_ways for release in told) else (False,),
                90, several and sides != set(), renyi, None if any(release.rho is None for release in told) else sum(release.rho for release in told),
                None, all(release.variance is not None for release in told))

def of_pair(words, theorem, side, pair_at, eps0, times, direction="both", symmetric=True):
    """The plan of rounds of a pair."""
    ways = {"pq": (False,), "qp": (True,), "both": (False,) if symmetric else (False, True)}[direction]
    pairs, few = {}, pair_at()
    outcomes = (lambda back: few_outcomes(pair_at(), back)) if isinstance(few, Trinomial) else None
    rounds = delta_of([Release(words, (theorem,), side, times, None, outcomes if few.n <= FEW_USERS else None)])
    def delta(eps, fineness, back):
        if times == 1:
            return pair_at().delta(eps, fineness, back)
        if few.n <= FEW_USERS and outcomes:
            return rounds(eps, fineness, back)[0], False
        leave(theorem not in ("clones", "clones-stronger") or is_one(eps0), f"rounds of {theorem} for so many users")
        if fineness not in pairs:
            e, counted = float(eps0.exp().ends()[1]), max(1.0, 2 * few.n * float(pair_at().r0.ends()[1]))
            # A cell is a part of the deviation of the loss; a ratio that no loss has to it. Steers only.
            part = 0.32 * (e - 1) / (e + 1) * 2 / math.sqrt(counted) / math.sqrt(fineness.relative) / 1.5 ** fineness.level
            pairs[fineness] = Rounds(pair_at(), eps0.exp(), times, Fraction(max(1, int(part * 1000003 * 2 ** 20)), 1000003 * 2 ** 20), fineness)
        return pairs[fineness].value(eps.value()), True
    def renyi(order, back, _):
        leave(few.n > 60 or outcomes is None, "Renyi divergences of so many users")
        return outcomes(back).renyi(order) * times
    words = words if times == 1 else f"{times} rounds of {words}"
    return Plan(words + ("" if direction == "both" else f", direction {direction}"), [theorem], side, delta, ways,
                100 if times == 1 else 90 if few.n <= FEW_USERS else 60, False, renyi, None, Fraction(0) if few.w0.lo > 0 and few.w1.hi == 0 and few.scale.lo > 0 else None)

def trinomial_parameters(question):
    """Parameters of a pair of one's own, exact; w0 >= w1 after renaming."""
    w0, w1, r0, r1 = (Number(value, name).rational(name) for name, value in zip(("w0", "w1", "r0", "r1"), question.parameters("w0", "w1", "r0", "r1")))
    refuse(min(w0, w1, r0, r1) < 0 or w0 + w1 > 1 or r0 + r1 > 1, "no probabilities")
    leave(min(r0, r1) == 0, "a trinomial pair with r0 or r1 = 0")
    return (w0, w1, 1 - w0 - w1 or None, r0, r1) if w0 >= w1 else (w1, w0, 1 - w0 - w1 or None, r1, r0)

def krr_parameters(question, theorem):
    if "gamma" in question.object and theorem in ("krr-weak", "krr-strong"):
        k, gamma = question.parameters("k", "gamma")
        k, gamma = count(k, "k"), Number(gamma, "gamma").rational("gamma")
        leave(not 0 < gamma <= 1, f"gamma = {gamma}")
        return k, Number(f"log({k / gamma - k + 1})", "gamma")     # gamma = k/(e^eps0 + k - 1)
    k, eps0 = question.parameters("k", "eps0")
    k = count(k, "k")
    refuse(k < 2 or (theorem in ("krr-third", "krr-third-sampled") and k < 3), f"{theorem} for k = {k}")
    return k, positive_eps0(eps0)

def plan_pair(question, bound):
    """trinomial-pair.md: a pair by its name."""
    theorem = question.type
    leave(theorem not in THEOREMS, f"the pair {theorem}")
    refuse(bound.theorems[:1] != [theorem], f"the theorem named is not that of the pair: {bound.theorems}")
    leave(bound.theorems[1:], f"the theorems {bound.theorems}")
    times, n, direction = count(question.take("rounds", 1), "rounds"), count(question.take("users"), "users"), question.take("direction", "both")
    refuse(direction not in ("both", "pq", "qp"), f"a direction {direction}")
    shape, rate, who, symmetric = {}, None, f"n = {n}", theorem not in ("rr2", "krr-same", "trinomial")
    if theorem.endswith("-sampled"):
        rate, n, sampled = read_sample(question, n)
        who += sampled
    leave(question.take("neighbours", "replace") != "replace", f"the pair {theorem} with other neighbours")
    if theorem == "trinomial":
        w0, w1, w2, r0, r1 = trinomial_parameters(question)
        loss = Number(f"log({w0 / w1})", "w0/w1") if w1 else None
        words, side, eps0, symmetric = f"the trinomial pair of w0, w1, r0, r1 = {w0}, {w1}, {r0}, {r1}, n = {n}", "none", None, r0 == r1
        pair_at = lambda: Trinomial(n, w0, w1, w2, r0, r1, all_counted=r0 + r1 == 1, loss=loss)  # noqa: E731
    elif theorem in ("clones", "clones-stronger", "rr2", "clones-sampled", "clones-deletion"):
        eps0 = positive_eps0(question.parameters("eps0")[0])
        leave(theorem == "clones-deletion" and is_one(eps0), "clones-deletion for eps0 = 0")
        words = f"the pair {theorem}, {who}, eps0 = {eps0.text}"
    else:
        shape["k"], eps0 = krr_parameters(question, theorem)
        words = f"the pair {theorem}, {who}, k = {shape['k']}, eps0 = {eps0.text}"
    if theorem != "trinomial":
        pair_at, side = lambda: pair_of(theorem, n, eps0, rate=rate, **shape), THEOREMS[theorem][1]
    return of_pair(words, theorem, side, pair_at, eps0, times, direction, symmetric)

def read_sample(question, n):
    sample = question.take("sample")
    leave(not isinstance(sample, dict) or set(sample) != {"scheme", "rate"} or sample["scheme"] != "fixed", "another sample")
    rate = Number(sample["rate"], "rate").rational("rate")
    refuse(not 0 < rate <= 1 or (rate * n).denominator != 1, "a sample that is no number of users")
    return rate, int(rate * n), f", of whom {rate * n} are drawn"

UPPER_FOR_LDP, LOWER_FOR_LDP = ("clones", "clones-stronger"), ("rr2", "krr-third")

def users_of(question, bound):
    """How many users follow the protocol at least, and in words (deployments.md). From below the data of a theorem are of the fewest users."""
    users, honest, named = question.take("users"), question.take("honest"), []
    if isinstance(users, dict):
        only(users, {"at_least"}, "users")
        users, named = users.get("at_least"), ["users-at-least"]
    n, words = count(users, "users"), f"{users} {'or more ' if named else ''}shuffled users"
    if honest is not None:
        share, named = Number(honest, "honest").rational("honest"), named + ["honest-users"]
        refuse(not 0 < share <= 1 or share * n < 1, "a share of honest users that is none")
        n, words = int(share * n), f"{words}, {int(share * n)} of them honest,"
    leave({"users-at-least", "honest-users"} & set(bound.theorems) != set(named), f"the theorems {bound.theorems}")
    bound.theorems = [name for name in bound.theorems if name not in named]
    return n, words

def plan_shuffled(question, bound):
    """Any eps0-LDP randomisers, or k-RR: the instances of trinomial-pair.md from above and below."""
    (n, users), times, k, rate = users_of(question, bound), count(question.take("rounds", 1), "rounds"), None, None
    leave(question.take("neighbours", "replace") != "replace", "other neighbours")
    if question.type == "ldp":
        only(question.object, {"type", "name", "eps0", "local", "delta0"}, "ldp")
        eps0, upper, lower = positive_eps0(question.object.get("eps0")), UPPER_FOR_LDP, LOWER_FOR_LDP
        words, deletion = f"any eps0-LDP randomisers, eps0 = {eps0.text}", question.object.get("local", "replace") != "replace"
        if deletion:
            leave(question.object["local"] != "delete" or is_one(eps0), "such a local neighbour")
            upper, lower, words = ("clones-deletion",), ("deletion-third",), f"any randomisers with such a loss to a reference, eps0 = {eps0.text}"
            leave(bound.role == "lower" and bound.data is None, "a bound from below without its data")
            k = bound.role == "lower" and any(part["value"] == "2" for part in bound.data["second"])        # whether the others hold the third value
        elif "sample" in question.members:
            leave(users != f"{n} shuffled users", "a sample of such users")
            upper, lower = ("clones-sampled",), ("krr-third-sampled",)
            rate, n, sampled = read_sample(question, n)
            users += sampled
        if "delta0" in question.object:
            delta0, upper = Number(question.object["delta0"], "delta0").rational("delta0"), ("local-delta0", "clones-delta0")
            leave(deletion or rate or times > 1 or users != f"{n} shuffled users" or not 0 < delta0 < 1, "a local delta0 of such users")
            words += f", delta0 = {delta0}"
    else:
        k, eps0 = krr_parameters(question, "krr")
        upper, lower = (*UPPER_FOR_LDP, "krr-weak", "krr-strong"), (*LOWER_FOR_LDP, "krr-same")
        words = f"{k}-ary randomised response, eps0 = {eps0.text}"
    names = bound.theorems[bound.theorems[:1] == ["local-epsilon"] and question.type == "krr":]
    theorem = names[-1] if len(names) == 1 or names == ["clones-stronger", "clones-delta0"] else None
    leave(theorem not in (upper if bound.role == "upper" else lower), f"the theorems {bound.theorems} as a bound from {'above' if bound.name == 'upper' else 'below'}")
    k = 3 if k is None and theorem.startswith("krr-third") else k
    refuse(question.type == "krr" and ((theorem == "rr2" and k != 2) or (theorem == "krr-third" and k == 2)), f"{theorem} for k = {k}")
    pair_at = lambda: pair_of(theorem, 1 if theorem == "local-delta0" else n, eps0, k, rate)  # noqa: E731: of all users, or of one and one outcome more
    made = of_pair(f"{users} of {words}, one value replaced", theorem, THEOREMS[theorem][1], pair_at, eps0, times, "both",
                   theorem not in ("rr2", "krr-same") and (theorem != "deletion-third" or k))
    more = {"local-delta0": lambda eps, h: 1 - real(1 - delta0) * (1 - h), "clones-delta0": lambda eps, h: h + (1 + eps.exp()) * real((2 * n - 1) * delta0) / eps0.exp()}.get(theorem)
    return made._replace(delta=lambda eps, *way: (more(eps, made.delta(eps, *way)[0]), False), renyi=lambda *_: leave(True, "Renyi divergences with a delta0")) if more else made

# Described randomisers (mechanism.md; blanket.md) ------------------------------------------------------------------------------------
class Weights:
    """A randomiser of two weights, E on a set of outputs and 1 elsewhere (mechanism.md, Lemmas 1 to 3). `common`: the mass of what all sets have."""
    KINDS = {"krr": ("k", "eps0"), "subset-selection": ("k", "size", "eps0"), "hadamard-response": ("k", "eps0"), "local-hashing": ("k", "g", "eps0"),
             "oue": ("k", "eps0"), "unary-encoding": ("k", "p", "q"), "rappor": ("k", "eps0")}
    def __init__(self, members):
        self.kind = kind = members["type"]
        leave(not set(self.KINDS[kind]) <= set(members) or members.get("local", "delete") != "delete", f"such a description of {kind}")
        only(members, {"type", "name", *self.KINDS[kind]} | ({"local"} if kind == "rappor" else set()), kind)
        k, g, size = (count(members.get(name, 1), name) for name in ("k", "g", "size"))
        p, q = (Number(members.get(name, "1/2"), name).rational(name) for name in "pq")
        refuse(k < 2 or size >= k or (g == 1 and "g" in members) or not 0 < q <= p < 1 or (p == q and "p" in members), "values that are too few, or p and q in another order")
        self.k, self.inputs, self.size = k, range(k), size if kind in ("krr", "subset-selection") else None
        self.eps0 = Number(f"log({p * (1 - q) / q / (1 - p)})", "eps0") if "p" in members else positive_eps0(members["eps0"])
        e = self.eps0.fraction if self.eps0.is_log else self.eps0.exp()
        if self.size:
            self.theta = Fraction(size, k)
        else:
            self.theta = {"unary-encoding": q, "local-hashing": Fraction(1, g), "hadamard-response": q}.get(kind) or 1 / (e + 1)
        if kind == "rappor":                             # eps0 is that of deletion, with which a bit is flipped
            e, self.eps0 = e * e, Number(f"log({e * e})" if self.eps0.is_log else str(2 * self.eps0.fraction), "eps0")
        self.common = Fraction(0) if self.size else Fraction(1, 1 << k.bit_length()) if kind == "hadamard-response" else raised(self.theta, k)
        self.z, self.power = self.theta * e + 1 - self.theta, {-1: 1 / real(e), 0: real(1), 1: real(e)}
    def mass(self, pattern, names):
        """The part of outputs that these sets have, or have not (Lemma 2)."""
        a, b, k, d = sum(pattern), len(pattern) - sum(pattern), self.k, self.size
        if d:
            chosen = [Fraction(d - i, k - i) for i in range(a)] + [Fraction(k - d - i, k - a - i) for i in range(b)]
            return math.prod(chosen) if 0 not in chosen else Fraction(0)
        if self.kind == "hadamard-response" and len(names) == 3 and names[0] + 1 ^ names[1] + 1 == names[2] + 1:
            return Fraction(a % 2, 4)
        return math.prod([self.theta] * a + [1 - self.theta] * b)
    def cells(self, names):
        """[(mass, which of the sets have it, and whether all sets do)]."""
        names, out = list(dict.fromkeys(names)), []
        for pattern in itertools.product((0, 1), repeat=len(names)):
            mass, sets = real(self.mass(pattern, names)) / self.z, dict(zip(names, pattern))
            common = (mass if len(names) == self.k else real(self.common) / self.z) if all(pattern) else real(0)
            out += [((mass - common).positive(), {**sets, None: 0}), (common, {**sets, None: 1})]
        return [(mass, sets) for mass, sets in out if mass.hi > 0]
    def terms(self, x, x1, z):
        """[(key, w, p/w, q/w)] for w = R(z), or the blanket's if z is None."""
        for mass, sets in self.cells([x, x1] + [z] * (z is not None)):
            key = sets[x] - sets[z], sets[x1] - sets[z]
            yield key, mass * self.power[sets[z]], self.power[key[0]], self.power[key[1]]
    def chances(self, names): return [[mass * self.power[sets[name]] for name in names] for mass, sets in self.cells(names)]
    def local(self, alpha): return (real(self.mass((1, 0), (0, 1))) / self.z * (self.power[1] - alpha)).positive()  # Lemma 5

class Matrix:
    """A randomiser that is a table of probabilities."""
    def __init__(self, members):
        only(members, {"type", "name", "rows"}, "a matrix")
        rows = [[Number(x, "an entry").rational("an entry") for x in row] for row in members["rows"]]
        refuse(len(rows) < 2 or any(sum(row) != 1 or min(row) < 0 or len(row) != len(rows[0]) for row in rows), "rows that are no probabilities")
        self.columns, self.inputs = [column for column in zip(*rows) if any(column)], range(len(rows))
        pure = all(min(column) > 0 for column in self.columns)
        self.eps0 = Number(f"log({max(max(column) / min(column) for column in self.columns)})", "eps0") if pure else None
    def terms(self, x, x1, z):
        for column in self.columns:
            w = min(column) if z is None else column[z]
            if w > 0:
                yield (column[x] / w, column[x1] / w), real(w), real(column[x] / w), real(column[x1] / w)
            else:
                yield None, real(0), real(column[x]), real(column[x1])
    def chances(self, names): return [[column[name] for name in names] for column in self.columns]
    def local(self, alpha):
        return largest(*(sum(((real(column[x]) - alpha * column[x1]).positive() for column in self.columns), real(0)) for x, x1 in itertools.permutations(self.inputs, 2)))

def few_sums(atoms, n):
    """E(L_1 + .. + L_n)_+, L with few values [(mass, value)], by all counts, in so many more bits that numbers of orders do not matter."""
    def rest(i, left, mass, total):
        p, x = atoms[i]
        if i == len(atoms) - 1:
            return mass * (raised(p, left) if left else real(1)) * (total + x * left).positive()
        sum_ = real(0)
        for j in range(left + 1):
            sum_ = sum_ + rest(i + 1, left - j, mass, total + x * j)
            mass = mass * p * (left - j) / (j + 1)
        return sum_
    more = 2 * n + 20
    atoms = [[Real(number.lo << more, number.hi << more) for number in atom] for atom in atoms]
    at(BITS + more)
    sum_ = rest(0, n, real(1), real(0))
    at(BITS - more)
    return Real(sum_.lo >> more, up(sum_.hi, 1 << more))

def alike(randomiser, n, triples, eps, fineness):
    """The largest sum of blanket.md, Lemma 2 or 3, of these (x, x1, z): from Lemma 3, z is None, n terms that may be absent. First coarsely, if there are several."""
    alpha, slope = eps.exp(), float(eps.value().ends()[1]) * n
    def one(x, x1, z, fineness):
        atoms, alone = {}, real(0)
        for key, w, p, q in randomiser.terms(x, x1, z):
            if key is None:
                alone = alone + (p - alpha * q).positive()
            else:
                atoms[key] = atoms[key][0] + w if key in atoms else w, p - alpha * q
        absent = (1 - sum((w for w, _ in atoms.values()), real(0))).positive()
        law = list(atoms.values()) + ([(absent, real(0))] if z is None else [])
        if all(x.hi <= 0 for _, x in law):
            return alone
        few = math.comb(n + len(law) - 1, n) <= MOST_PLACES // 2
        return alone + (few_sums(law, n) if few else Line([(Finite(law), n)], 0.0, fineness, 0, slope).value(real(0))) / n
    if len(triples) > 1:
        values = [one(*triple, fineness._replace(relative=1000)) for triple in triples]
        triples = [triple for triple, value in zip(triples, values) if value.hi >= max(value.lo for value in values)]
    return largest(*(one(*triple, fineness) for triple in triples))

def of_counts(users, p, q, alpha, fineness):
    """H of N + Bern(p) against N + Bern(q), N of these users [(how many, probability)] (mixed.md, Lemma 1)."""
    law = [1 << BITS]
    for n, a in users:
        a = real(a)
        if n and a.lo > 0 and a.hi < 1 << BITS:
            law = product(law, parts(*masses(n, a / (1 - a), min(n, (a * n).lo >> BITS), fineness))[1])
    u, v, missing = real(p) - alpha * q, 1 - real(p) - alpha * (1 - real(q)), Real(0, max(0, (1 << BITS) - sum(law)))
    total = sum(((u * Real(f, f) + v * Real(g, g)).positive() for f, g in zip([0] + law, law + [0])), real(0))
    return (total + missing - alpha * missing).positive()

def by_profile(n, m, eps0, eps, fineness):
    """The bound of local-profile.md, of a local profile of at most m at eps, as the divergence of a pair (check.md)."""
    alpha, e = eps.exp(), eps0.exp()
    return Trinomial(n, (m + alpha) / (1 + alpha), (1 - m) / (1 + alpha), None, m / (e - alpha), (m + alpha - 1) / (alpha * e - 1)).delta(eps, fineness, False)[0]

def neighbours_named(data, n, inputs):
    """x, x1 and {value: how many of the others} of neighbours that an answer names."""
    leave(not isinstance(data, dict), "a bound from below without its data")
    first, second = ({int(Number(part["value"], "a value").rational("a value")): count(part["users"], "users") for part in data[name]} for name in ("first", "second"))
    others = {place: min(number, second.get(place, 0)) for place, number in first.items() if place in second}
    x, x1 = ([place for place, number in law.items() if number == others.get(place, 0) + 1] for law in (first, second))
    leave(len(x) != 1 or len(x1) != 1 or any(sum(law.values()) != n or not set(law) <= set(inputs) for law in (first, second)) or sum(others.values()) != n - 1,
          "data that are no neighbours of so many users")
    return x[0], x1[0], {place: number for place, number in others.items() if number}

def plan_described(question, bound):
    """One shuffle of a randomiser that is known: bounds by its eps0, its local profile and the blanket, and named data."""
    n, words = users_of(question, bound)
    leave(question.take("neighbours", "replace") != "replace", "other neighbours")
    make = lambda: Matrix(question.object) if question.type == "matrix" else Weights(question.object)  # noqa: E731: reals are of as many bits as are asked for
    randomiser = make()
    names, times = [name for name in bound.theorems if name not in ("profile-nodes", "local-epsilon")], count(question.take("rounds", 1), "rounds")
    words = f"{words} of {question.type} {json.dumps({name: value for name, value in question.object.items() if name not in ('type', 'name')})}"
    if bound.role == "upper" and len(names) == 1 and names[0] in UPPER_FOR_LDP:
        leave(randomiser.eps0 is None, "a largest loss that is infinite")
        return of_pair(words, names[0], "upper", lambda: pair_of(names[0], n, randomiser.eps0), randomiser.eps0, times)
    leave(times > 1 or not names, "rounds of described randomisers")
    if bound.role == "upper":
        bits = names == ["binary-reports"]
        leave(n > 300 or len(randomiser.chances([0, 1])) != 2 if bits else not set(names) <= {"blanket", "local-profile"}, f"the theorems {bound.theorems} for so many users")
        def delta(eps, fineness, _):
            randomiser = make()
            if bits:
                q, *_, p = sorted(randomiser.chances(randomiser.inputs)[0], key=lambda x: real(x).lo)
                return largest(*(of_counts([(a, p), (n - 1 - a, q)], *way, eps.exp(), fineness) for a in range(n) for way in ((p, q), (q, p)))), False
            if randomiser.eps0 and randomiser.eps0.compare(eps) in (-1, 0):
                return real(0), False
            pairs = [(0, 1)] if isinstance(randomiser, Weights) else itertools.permutations(randomiser.inputs, 2)    # mechanism.md, Lemma 4
            values = [alike(randomiser, n, [(x, x1, None) for x, x1 in pairs], eps, fineness)] if "blanket" in names else []
            if "local-profile" in names:
                values.append(by_profile(n, randomiser.local(eps.exp()), randomiser.eps0, eps, fineness))
            return min(values, key=lambda value: value.hi), False
        return Plan(words, names, "upper", delta, (False,), 90, True)
    leave(len(names) != 1 or names[0] not in ("all-equal", "third-value", "mixed-data", "binary-reports"), f"the theorems {bound.theorems}")
    user, other, rest = neighbours_named(bound.data, n, randomiser.inputs)
    def below(eps, fineness, back):
        randomiser, (x, x1) = make(), (other, user) if back else (user, other)
        if len(rest) < 2 and names[0] != "mixed-data":
            return alike(randomiser, n, [(x, x1, *rest, *[x] * (not rest))], eps, fineness), False
        cells, alpha, most = randomiser.chances([x, x1, *rest]), eps.exp(), real(0)
        leave(len(cells) > 8 or len({x, x1, *rest}) > 3, "events of so many classes")
        for size in range(1, len(cells)):
            for event in itertools.combinations(cells, size):
                p, q, *others = (sum(chances, real(0)) for chances in zip(*event))
                most = largest(most, of_counts(list(zip(rest.values(), others)), p, q, alpha, fineness))
        return most, False
    return Plan(f"{words}: {bound.data['first']} or {bound.data['second']}", names, "lower", below, (False, True), 90, True)

class Noise:
    """A release f(D) + noise: what is read of it, and delta of one or several."""
    def __init__(self, members):
        self.kind = members.get("noise") if members["type"] == "additive-noise" else "binomial"
        stair = {"gamma"} if self.kind == "staircase" else set()
        many = {"dimension"} if self.kind in ("gaussian", "laplace", "discrete-laplace") else set()                  # additive-noise.md, Theorem 3
        known = {"type", "name", "sensitivity"} | ({"coins"} if self.kind == "binomial" else {"noise", "scale", "variance", "eps0"} | stair | many)
        only(members, known, members["type"])
        self.sensitivity = Number(members.get("sensitivity", "1"), "sensitivity").rational("the sensitivity")
        refuse(self.sensitivity <= 0, "a sensitivity that is not positive")
        other = {"gaussian": "variance", "discrete-gaussian": "variance", "skellam": "variance", "laplace": "eps0", "discrete-laplace": "eps0", "staircase": "eps0"}.get(self.kind)
        names = {"scale", other} & set(members)
        if self.kind == "binomial":
            self.scale = count(members.get("coins"), "coins")
            self.words = f"the heads of {self.scale} fair coins"
        elif len(names) != 1 or (known - {"scale", other, "type", "name", "sensitivity", "noise", "dimension"}) & set(members) != stair or (stair and "scale" in names):
            raise Refused("a scale that is none of this noise, or two of them")
        else:
            name = names.pop()
            value = Number(members[name], name).rational(name)
            refuse(value <= 0, f"a {name} that is not positive")
            self.scale = value if name == "variance" else self.sensitivity / value if name == "eps0" else value ** 2 if other == "variance" else value
            self.gamma = Number(members.get("gamma", "1"), "gamma").rational("gamma")
            refuse(not 0 < self.gamma <= 1, "a part of a step that is none")
            self.words = f"{self.kind} noise of {name} {value}{f', gamma {self.gamma}' if stair else ''}"
        refuse(self.kind not in ("gaussian", "laplace", "staircase") and self.sensitivity.denominator != 1, "a sensitivity of whole numbers that is none")
        self.dimension = count(members.get("dimension", 1), "dimension")
        self.words += f", sensitivity {self.sensitivity}{f', dimension {self.dimension}' if self.dimension > 1 else ''}"
        self.largest_loss = self.sensitivity / self.scale if self.kind in ("laplace", "discrete-laplace", "staircase") else None
    def profile(self, fineness):
        """H_alpha of one release, alpha >= 1, as a function of alpha."""
        s = self.sensitivity
        if self.kind == "gaussian":
            return gaussian_profile(s * s / self.scale)
        if self.kind == "laplace":                       # 1 - e^((eps-x)/2) for 0 <= eps <= x (additive-noise.md, Theorem 3)
            return lambda alpha, _=False: (1 - sqrt(alpha * exp(real(-self.largest_loss)))).positive()
        part = self.loss()
        places = Places(part.law(1, fineness), part.slack(1))
        return lambda alpha, _=False: places.value(log(alpha))
    def weights(self, fineness):
        """Masses of noise on whole numbers, from below."""
        if self.kind == "skellam":
            one = poisson(self.scale / 2, fineness)
            return product(one, one[::-1])
        return discrete_gaussian(self.scale, fineness) if self.kind == "discrete-gaussian" else parts(*masses(self.scale, real(1), self.scale // 2, fineness))[1]
    def loss(self, rate=Fraction(1), back=False):
        """The loss of a release, or of one of a Poisson sample, with the record against without it, or back; None if it is no number of few outcomes."""
        s, back, outcomes, missing, infinite = self.sensitivity, back and rate < 1, [], 0, real(0)
        if self.kind in ("gaussian", "laplace"):
            return Laplace(s / self.scale) if self.kind == "laplace" and rate == 1 else None
        if self.kind in ("discrete-laplace", "staircase"):
            # The losses (s - 2k)/b, k = 0 .. s (additive-noise.md, Theorem 3), or x, 0 and -x (Theorem 7).
            top, step = s / self.scale, (2 if self.kind == "discrete-laplace" else s) / self.scale
            q = [exp(real(-k / self.scale)) for k in range(int(s) + 1)]
            masses_ = [1 / (1 + q[1])] + [(1 - q[1]) * x / (1 + q[1]) for x in q[1:-1]] + [q[-1] / (1 + q[1])]
            if self.kind == "staircase":
                g, q, half = self.gamma, exp(real(-top)), Fraction(1, 2)
                low, high, whole = max(half - g, 0), max(g - half, 0), real(g) + q * (1 - g)
                m, rest = (real(half - low) + q * low) / whole, (1 - q) * (real(high) + q * low) / whole
                masses_ = [m, rest, m * q]
            if rate == 1:
                return Finite([(mass, real(top - k * step)) for k, mass in enumerate(masses_)], lattice=(top, step))
            outcomes = [(mass, masses_[-1 - k]) for k, mass in enumerate(masses_)]
        else:
            # All masses are from below, and lack so much; outcomes that are hardly known are left out.
            weights = self.weights(Fineness(BITS, 200000, 0, 1))
            lack, s = max(0, (1 << BITS) - sum(weights)) + 1, int(s)
            every = self.kind == "binomial" and len(weights) == self.scale + 1
            for k in range(len(weights) + s):
                p, q = (weights[i] if 0 <= i < len(weights) else 0 for i in (k, k - s))
                if min(p, q) > lack << 30 or (every and k >= len(weights)):
                    outcomes.append((Real(p, p + lack) if k < len(weights) else real(0), Real(q, q + lack)))
                elif every and k < s:
                    infinite = infinite + Real(p, p + lack) * real(rate)
                else:
                    missing += q if back else max(p, q) if rate < 1 else p
            missing += lack
        if rate < 1:
            outcomes = [(p * real(rate) + q * real(1 - rate), q) for p, q in outcomes]
        if back:
            outcomes, infinite = [(q, p) for p, q in outcomes], real(0)
        losses, step = [(p, log(p / q)) for p, q in outcomes if p.hi > 0 and q.hi > 0], s / self.scale
        if self.kind == "discrete-gaussian" and rate == 1:                    # (s^2 - 2 s z)/(2 variance) at z
            top = Fraction(round(losses[0][1].ends()[0] / step * 2), 2) * step
            return Finite([(p, real(top - k * step)) for k, (p, _) in enumerate(losses)], lattice=(top, step), missing=missing)
        return Finite(losses, infinite, missing=missing)

def sampled_profile(profile, q):
    """The divergences of q P_s + (1-q) P_0 against P_0, and the other way round (additive-noise.md, Theorem 4), alpha >= 1."""
    def of(alpha, back=False):
        if not back:
            return real(q) * profile(1 + (alpha - 1) / real(q))
        beta = 1 - alpha * (1 - real(q))
        return beta * profile(largest(alpha * real(q) / beta, real(1))) if beta.lo > 0 else beta.positive()
    return of

def above_sampled(profile, q):
    """subsample.md, Dominated base: q h(1 + (alpha-1)/q), in both directions."""
    return lambda alpha, _: real(q) * profile(1 + (alpha - 1) / real(q))

def release_with_noise(part, bound):
    """Releases with noise, one after the other."""
    leave(part.take("users") not in (None, 1, "1"), "noise with users")
    neighbours = part.take("neighbours")                 # they change each release by its sensitivity, whatever they are
    noise, times = Noise(part.object), count(part.take("rounds", 1), "rounds")
    base = "staircase-noise" if noise.kind == "staircase" else "additive-noise"
    words = f"{times} release{'s' if times > 1 else ''} with {noise.words}"
    sample = part.take("sample")
    if sample is None:
        theorem = part.type if noise.sensitivity == 1 and base == "additive-noise" else base
        if noise.kind == "gaussian":
            return Release(words, (theorem,), "exact", times, variance=noise.sensitivity ** 2 / noise.scale)
        largest_loss = noise.largest_loss and times * noise.largest_loss
        return Release(words, (theorem,), "exact", times, noise.profile, lambda back: noise.loss(back=back), largest=largest_loss)
    leave(not isinstance(sample, dict) or set(sample) != {"scheme", "rate"} or noise.dimension > 1, "another sample")
    rate = Number(sample["rate"], "rate").rational("the rate")
    refuse(not 0 < rate <= 1, "a rate that is no probability")
    if sample["scheme"] == "fixed" and neighbours == "replace":
        words = f"{words}, each of a sample of the fixed rate {rate}"
        if bound.role == "upper":
            return Release(words, (base, "subsample-profile"), "upper", times, lambda fineness: above_sampled(noise.profile(fineness), rate))
        return Release(words, (base, "subsample-replaced"), "lower", times, lambda fineness: sampled_profile(noise.profile(fineness), rate),
                       (lambda back: noise.loss(rate, back)) if noise.kind not in ("gaussian", "laplace") else None, two_ways=True)
    leave(sample["scheme"] != "poisson" or neighbours == "replace", "another sample")
    # A Gaussian release over its sensitivity is a step of noisy SGD, if its deviation is a fraction.
    s = noise.scale / noise.sensitivity ** 2
    root = Fraction(math.isqrt(s.numerator), math.isqrt(s.denominator))
    step = (lambda back: noise.loss(rate, back)) if noise.kind != "laplace" else None
    if noise.kind == "gaussian":
        step = (lambda back: Step(rate, root, back)) if root * root == s and rate < 1 else None
    return Release(f"{words}, each of a Poisson sample of rate {rate}", tuple({base} - {"additive-noise"}) + ("additive-noise-poisson",), "exact", times,
                   lambda fineness: sampled_profile(noise.profile(fineness), rate), step, two_ways=True,
                   rho=times / s / 2 if noise.kind == "gaussian" else None)       # renyi-profile.md, Lemma 7

def release_of_sgd(part, bound):
    """Noisy SGD by dpsgd.md: E epochs of t steps; g records of a user, which count a each (1: removed, 2: replaced), k of the steps of an epoch."""
    sampler = part.object.get("sampler")
    only(part.object, {"type", "name", "sampler", "noise_multiplier", "steps", "sampling_rate", "records_per_user"}, "noisy-sgd")
    leave(part.take("users") is not None, "noisy-sgd with users")
    neighbours, epochs = part.take("neighbours", "remove"), count(part.take("rounds", 1), "rounds")
    s = Number(part.object.get("noise_multiplier"), "noise_multiplier").rational("the noise")
    t, users = count(part.object.get("steps"), "steps"), count(part.object.get("records_per_user", 1), "records_per_user")
    rate = Number(part.object.get("sampling_rate", f"1/{t}"), "sampling_rate").rational("the rate")
    refuse(s <= 0 or neighbours not in ("remove", "replace") or not 0 < rate <= 1, "no noise, a rate that is no probability, or other neighbours")
    takes_rate = sampler in ("poisson", "without-replacement", "random-allocation")
    leave(("sampling_rate" in part.object) != takes_rate and sampler != "poisson", f"the sampler {sampler} with or without a rate")
    a, k, n, unit = 1 if neighbours == "remove" else 2, int(rate * t), epochs * t, users * (1 if neighbours == "remove" else 2)
    refuse(sampler == "random-allocation" and (rate * t).denominator != 1, "a number of steps that is none")
    user = "user" if users > 1 else "replaced" if a == 2 else None
    words = f"noise multiplier {s}, {'one record' if users == 1 else f'{users} records'} {'replaced' if a == 2 else 'removed'}"
    words = f"{epochs} epoch{'s' if epochs > 1 else ''} of {t} steps of noisy SGD, sampler {sampler}{f', rate {rate}' if rate * t != 1 else ''}, {words}"
    here, known = [name for name in bound.theorems if name.startswith(("batches-", "zcdp-"))], {}
    in_epoch = k if sampler == "random-allocation" else 1
    steps = n if sampler in ("poisson", "without-replacement") else epochs * in_epoch           # in which a record can be
    # Normal ones: what is told is which steps have the record (Theorems 2, 4, 7, 10, 11a, 13b), or only the sum of all steps (Theorems 5, 11d, 13c).
    if sampler != "without-replacement" or (a == 2 and users == 1):
        known["batches-all-known" if users == 1 and sampler in ("poisson", "without-replacement") else "batches-user-known"] = "upper", unit ** 2 * steps
    if sampler in ("shuffle", "balls-and-bins", "random-allocation"):
        known["batches-shuffle-above" if sampler == "shuffle" else "batches-allocation-known"] = ("upper", steps) if not user else None
        known["batches-replaced-known"] = ("upper", 4 * steps) if user == "replaced" else None
    if sampler in ("balls-and-bins", "random-allocation"):
        known[f"batches-{user or 'allocation'}-sum"] = "lower", Fraction((unit * in_epoch) ** 2 * epochs, t)
    if sampler == "fixed" or (sampler in ("shuffle", "balls-and-bins", "random-allocation") and in_epoch == t):
        known[f"batches-{user + '-' if user else ''}fixed"] = "exact", unit ** 2 * steps
    if len(here) == 1 and known.get(here[0]):
        side, size = known[here[0]]
        return Release(words, (here[0],), side, 1, variance=size / s / s)
    if here == ["zcdp-batches"] and a == 1 and (users == 1 or sampler in ("poisson", "balls-and-bins")) and sampler != "without-replacement":
        return Release(words, ("zcdp-batches",), "exact", rho=unit ** 2 * steps / s / s / 2)   # renyi-profile.md, Lemma 7
    if sampler == "poisson" and user is None:
        return Release(words, ("batches-poisson",), "exact", n, lambda _: sampled_profile(gaussian_profile(1 / s / s), rate),
                       (lambda back: Step(rate, s, back) if rate < 1 else Normal(1 / s / s)), two_ways=True)
    if sampler == "without-replacement" and a == 2 and users == 1:
        # Theorem 9.
        if bound.role == "upper":
            return Release(words, ("batches-subset-above", "subsample-profile"), "upper", n, lambda _: above_sampled(gaussian_profile(4 / s / s), rate))
        return Release(words, ("batches-subset-below",), "lower", n, lambda _: sampled_profile(gaussian_profile(4 / s / s), rate),
                       (lambda back: Step(rate, s / 2, back)) if rate < 1 else None, two_ways=True)
    raise NotCovered(f"the sampler {sampler}, neighbours {neighbours}, by the theorems {bound.theorems}")

def plan_releases(question, bound):
    """Releases of all kinds, one after the other."""
    told = [release_of_sgd(part, bound) if part.type == "noisy-sgd" else release_with_noise(part, bound) for part in question.parts]
    leave(len({part.members["neighbours"] for part in question.parts if part.members.get("neighbours")}) > 1, "neighbours that differ")
    leave(question.quantity != "zcdp" and any(release.rho is not None and release.profile is None for release in told), f"the theorem zcdp-batches for {question.quantity}")
    theorems = {name for release in told for name in release.theorems}
    if set(bound.theorems) not in (theorems, {"additive-noise"} | theorems):
        raise (Refused if set(bound.theorems) <= set(THEOREMS) else NotCovered)(f"the theorems {bound.theorems}")
    made = plan_of(told)
    if question.parts[0].type == "binomial-noise" and len(told) == 1:
        made = made._replace(infinite=Fraction(1, 2 ** int(question.parts[0].object["coins"])))          # all heads, and one more
    return made

# Deciding ----------------------------------------------------------------------------------------------------------------------
# What is named besides, of several rounds, and of a quantity that follows from the profile or the Renyi divergences.
CONVERSIONS = {"tradeoff": {"dong22-2.12"}, "gdp": {"dong22-2.13"}, "renyi": {"renyi-profile", "renyi-composition"},
               "zcdp": {"renyi-profile", "renyi-composition", "zcdp"}}

OF_DESCRIBED, TURNED = {"blanket", "local-profile", "all-equal", "third-value", "mixed-data", "binary-reports"}, {"upper": "lower", "lower": "upper"}

def plan(question, bound):
    """The plan for a bound, by the type of the mechanism or pair."""
    types = {part.type for part in question.parts}
    for conversion in ("dong22-2.12", "dong22-2.13", "zcdp"):
        refuse((conversion in bound.theorems) != (conversion in CONVERSIONS.get(question.quantity, ())), f"{question.quantity} by {bound.theorems}")
    bound.role = TURNED.get(bound.name, bound.name) if question.quantity == "tradeoff" else bound.name
    bound.theorems = [name for name in bound.theorems if name not in CONVERSIONS.get(question.quantity, set()) | {"pld-composition"}]
    leave((question.is_pair or types & {"ldp", "matrix", *Weights.KINDS}) and len(question.parts) > 1, "rounds that differ")
    if question.is_pair:
        made = plan_pair(question.parts[0], bound)
    elif types <= {*Weights.KINDS, "matrix"} and ("krr" not in types or {*bound.theorems} & OF_DESCRIBED):
        made = plan_described(question.parts[0], bound)
    elif types <= {"ldp", "krr"}:
        made = plan_shuffled(question.parts[0], bound)
    elif types <= {"noisy-sgd", "additive-noise", "binomial-noise"}:
        made = plan_releases(question, bound)
    else:
        raise NotCovered(f"the mechanism {' with '.join(sorted(types))}")
    for part in question.parts:
        part.done()
    if (TURNED.get(bound.side, bound.side) if question.quantity == "tradeoff" else bound.side) != made.side:
        raise Refused(f"the theorem {made.theorems[0]} is of the side {made.side}, not {bound.side}")
    return made

def bits_for(question):
    """Bits before the first digit of delta, and those that alpha takes. Steers only."""
    def zeros(x): return 0 if x <= 0 else max(0, x.denominator.bit_length() - x.numerator.bit_length())
    size, more = question.bound.hi or question.bound.lo or Fraction(0), list(question.points)
    if question.quantity == "epsilon":
        size, more = question.point.fraction, [Exact(size)]
    if question.quantity in ("gdp", "renyi", "zcdp"):
        far = float(question.points[-1].value().ends()[1] / size) if question.quantity == "gdp" and size else 0
        size = Fraction(1, 1 << min(1000, int(far * far)))                # a Gaussian profile is about e^(-far^2/2)
    more += [Number(part.object["eps0"], "eps0") for part in question.parts if isinstance(part.object.get("eps0"), (str, int))]
    return zeros(size) + 3 * sum(max(0, math.ceil(number.value().ends()[1])) for number in more)         # alpha times a weight 1/e^eps0

def decide(made, question, bound, effort):
    """Both ends of one bound. Raises when one is not shown."""
    question.bound = bound
    width = bound.hi - bound.lo if bound.hi is not None and bound.lo is not None else 0
    largest = max(bound.hi or 0, bound.lo or 0)
    relative = math.ceil(bound.hi / width) if width and bound.hi else 10 ** 9 if largest == 0 or not made.guaranteed else 1000
    relative = max(relative, 400) if made.guaranteed else relative
    if made.guaranteed and bound.name != "value":
        setattr(bound, "lo" if bound.name == "upper" else "hi", None)
    bits = bits_for(question) + min(relative.bit_length(), 80) + made.slack
    leave(bits > 1 << 15, "numbers of so many bits")
    tries = MOST_TRIES + effort - 1 + 3 * (made.slack == 90)
    for attempt in range(tries):
        bits_now = bits << attempt if made.slack >= 100 else bits + 20 * attempt
        fineness = Fineness(bits_now, 200000 * effort, attempt, relative, 1 << max(0, bits_now - bits + made.slack - 14), question.quantity == "epsilon")
        at(fineness.bits)
        try:
            return HOLDS[question.quantity](made, question, bound, fineness)
        except Undecided:
            if attempt == tries - 1 or fineness.bits > 8192 * effort:
                raise

def largest_delta(made, eps, fineness):
    """The larger of all directions."""
    values = [made.delta(eps, fineness, back) for back in made.ways]
    return largest(values[0][0], values[-1][0]), values[0][1] or values[-1][1]

def within(low, high, bound, what):
    """Whether a number that is enclosed has the printed ends."""
    refuse((bound.hi is not None and low > bound.hi) or (bound.lo is not None and high < bound.lo), f"{what} is in [{shown(low)}, {shown(high)}]")
    undecided(bound.hi is not None and high > bound.hi, f"{what} <= {shown(high)}")
    undecided(bound.lo is not None and low < bound.lo, f"{what} >= {shown(low)}")

def epsilon_holds(made, question, bound, fineness):
    target = question.point.rational("delta")
    if bound.infinite:
        return leave(made.infinite is None or made.infinite <= target, "an eps that is infinite")
    if bound.hi is not None:
        refuse(bound.hi < 0, "eps is not below 0")
        low, high = largest_delta(made, Exact(bound.hi), fineness)[0].ends()
        refuse(low > target, f"delta at {bound.text_hi} is at least {shown(low)}")
        undecided(high > target, f"delta at {bound.text_hi} <= {shown(high)}")
    if bound.lo is not None and bound.lo > 0:
        value, positive = largest_delta(made, Exact(bound.lo), fineness)
        low, high = value.ends()
        refuse(high < target or (high == 0 and not positive), f"delta at {bound.text_lo} is at most {shown(high)}")
        undecided(low <= target and not (target == 0 and positive), f"delta at {bound.text_lo} >= {shown(low)}")

def tradeoff_holds(made, question, bound, fineness):
    """The smaller one of all directions (tradeoff.md, Lemma 1)."""
    refuse(any(end is not None and end < 0 for end in (bound.lo, bound.hi)), "a type II error is not below 0")
    values = [type_two(made, question.point.rational("type1"), bound, fineness, back) for back in made.ways]
    low, high = (min(ends) for ends in zip(*values))
    within(low, high, bound, "the type II error")

def type_two(made, a, bound, fineness, back):
    """Ends of the largest V(x) = 1 - a x - H_x, x >= 0, which is concave; of T(P, Q) H is the other direction's."""
    def value(x):
        h = made.delta(Number(f"log({x if x >= 1 else 1 / x})", "x"), fineness, back if x < 1 else not back)[0].ends()
        return (1 - a * x - h[1], 1 - a * x - h[0]) if x >= 1 else ((1 - a) * x - x * h[1], (1 - a) * x - x * h[0])
    points = {Fraction(0): (Fraction(0), Fraction(0)), Fraction(1): value(Fraction(1))}
    for _ in range(60 + 20 * fineness.level):
        xs = sorted(points)
        lows, highs = zip(*(points[x] for x in xs))
        # V(x) is at most (1-a) x and at most 1, and beyond two points on one side at most the line through them.
        widths = [there - here for here, there in zip(xs, xs[1:])]
        rises = [1 - a] + [(highs[i + 1] - lows[i]) / width for i, width in enumerate(widths)]
        falls = [(highs[i] - lows[i + 1]) / width for i, width in enumerate(widths)] + [(2 + a * xs[-1]) / widths[-1]]
        most, place = (max(highs), None) if rises[-1] <= 0 else (1 - a, 4 * xs[-1])
        for i, width in enumerate(widths):
            if rises[i] > 0 and falls[i + 1] > 0:
                step = min(width, max(Fraction(0), (highs[i + 1] + falls[i + 1] * width - highs[i]) / (rises[i] + falls[i + 1])))
                here = min(highs[i] + rises[i] * step, highs[i + 1] + falls[i + 1] * (width - step))
                if here > most:
                    most, place = here, Fraction(round((xs[i] + min(max(step, width / 16), width * 15 / 16)) * 2 ** 90), 2 ** 90)
        low, high = max(lows), min(most, 1 - a)
        least, largest_ = low if bound.lo is None else bound.lo, high if bound.hi is None else bound.hi
        if place in (None, *points) or place > 1 << 400 or least > high or largest_ < low or least <= low <= high <= largest_:
            break
        points[place] = value(place)
    return max(Fraction(0), low), high

def gdp_holds(made, question, bound, fineness):
    """tradeoff.md, Lemma 4: from below at the witness, from above by tangents between nodes."""
    first, last = question.points
    leave(bound.infinite or (bound.hi is not None and bound.hi <= 0), "a mu that is infinite, or 0")
    if made.is_normal:
        return within(*sqrt(real(2 * made.rho)).ends(), bound, "mu")
    if bound.lo is not None and bound.lo > 0:
        leave(bound.witness is None, "a mu without a witness")
        witness = Number(bound.witness, "the witness")
        refuse(not (first.compare(witness) in (-1, 0) and witness.compare(last) in (-1, 0)), "a witness that is not in the range")
        value, normal = largest_delta(made, witness, fineness)[0], gaussian_profile(bound.lo ** 2)(witness.exp())
        undecided(value.lo < normal.hi, "the profile at the witness")
    if bound.hi is not None:
        ends = [node_of(made, bound.hi, number, fineness) for number in (first, last)]
        cells = [(*ends, 0)]
        while cells:
            here, there, depth = cells.pop()
            if not is_below(here, there):
                undecided(depth > 12, "the profile between nodes")
                middle = node_of(made, bound.hi, Exact((here[0] + there[0]) / 2), fineness)
                cells += [(here, middle, depth + 1), (middle, there, depth + 1)]

def node_of(made, mu, eps, fineness):
    """eps, alpha, the profile, the Gaussian one and its slope."""
    about = Fraction(eps.value().lo, 1 << BITS) if eps.is_log else eps.fraction
    alpha, k, mu_ = eps.exp(), eps.value(), real(mu)
    value, normal = largest_delta(made, eps, fineness)[0], gaussian_profile(mu * mu)(alpha)
    refuse(value.lo > normal.hi, f"delta at {shown(about)} is at least {shown(value.ends()[0])}, more than that of mu")
    return about, alpha, value, normal, -tail(k / mu_ + mu_ / 2)

def is_below(here, there):
    """Whether a mean of both tangents is above the profile at both ends (tradeoff.md, Lemma 4)."""
    d = there[1] - here[1]
    pairs_ = (here[3] - here[2], here[3] + here[4] * d - there[2]), (there[3] - there[4] * d - here[2], there[3] - there[2])
    return any(all((first * t + second * (8 - t)).lo >= 0 for first, second in zip(*pairs_)) for t in range(9))

def renyi_holds(made, question, bound, fineness):
    if bound.infinite:                                   # one law has mass that the other does not have (renyi-profile.md)
        return leave(made.infinite is None, "what is infinite")
    values = [made.renyi(question.point.rational("the order"), back, fineness) for back in made.ways]
    within(*largest(values[0], values[-1]).ends(), bound, "D")

def zcdp_holds(made, question, bound, fineness):
    """rho is the largest D_a/a (renyi-profile.md, Lemma 6)."""
    if bound.infinite:
        return leave(made.infinite is None, "what is infinite")
    leave(made.rho is None, f"rho of {made.subject}")
    within(made.rho, made.rho, bound, "rho")

HOLDS = {"delta": lambda made, question, bound, fineness: within(*largest_delta(made, question.point, fineness)[0].ends(), bound, "delta"),
         "epsilon": epsilon_holds, "tradeoff": tradeoff_holds, "gdp": gdp_holds, "renyi": renyi_holds, "zcdp": zcdp_holds}

class Exact(Number):  # a fraction as a number of a question
    def __init__(self, fraction):
        self.text, self.is_log, self.fraction = str(fraction), False, fraction

def shown(x):
    """A fraction with ten digits, for messages only."""
    exponent = len(str(abs(x.numerator))) - len(str(x.denominator))
    return f"{int(x / Fraction(10) ** (exponent - 10))}e{exponent - 10}" if x else "0"

def sentence(made, question, bound):
    """The statement in words."""
    point = "".join(f" at {POINTS[question.quantity]} = {number.text}" for number in question.points)
    if question.quantity == "gdp":
        point = f" for all eps from {question.points[0].text} to {question.points[1].text}"
    what = {"gdp": "mu", "zcdp": "rho", "tradeoff": "the type II error", "renyi": "the Renyi divergence"}.get(question.quantity, question.quantity)
    if bound.infinite:
        return f"{what} is infinite{point}, for {made.subject}"
    printed = [(name, f"{sign} {text}") for name, sign, end, text in (("upper", "<=", bound.hi, bound.text_hi), ("lower", ">=", bound.lo, bound.text_lo)) if end is not None]
    ends = [f"{what} {end}" for name, end in printed if bound.name in ("value", name) or bound.side == "exact"]
    itself = [f" (the bound itself {end})" for name, end in printed if bound.name == bound.side == TURNED[name]]
    return f"{' and '.join(ends)}{''.join(itself)}{point}, for {made.subject}"

def check(answer, effort):
    """The lines of what was checked; raises if not all of it holds."""
    question_members, quantity, bounds = bounds_of(answer)
    lines, decided = [], set()
    for bound in bounds:
        began = time.time()
        question = Question(question_members, quantity)
        refuse((bound.name == "value") != question.is_pair, f"a {bound.name} of a {'pair' if question.is_pair else 'mechanism'}")
        made = plan(question, bound)
        # An exact value is printed as upper and as lower.
        same = (bound.lo, bound.hi, made.subject, *made.theorems)
        if same not in decided:
            decide(made, question, bound, effort)
            decided.add(same)
        sources = " and ".join(f"{theorem} (proofs/{THEOREMS[theorem][0]})" for theorem in made.theorems)
        lines.append(f"checked: {sentence(made, question, bound)}; by {sources}, in {time.time() - began:.1f} s")
    return lines

def answers_of(value):
    """The answers of a JSON value: an answer, a list of them, or a file of vectors."""
    if isinstance(value, list):
        return [answer for part in value for answer in answers_of(part)]
    return [test for group in value["testGroups"] for test in group["tests"]] if isinstance(value, dict) and "testGroups" in value else [value]

def main():
    parser = argparse.ArgumentParser(description="Checks printed answers of shufbound.", usage="check.py [--effort N] [--quiet] FILE ...")
    parser.add_argument("--effort", type=int, default=1, help="finer, 2, 3, ..: where 1 does not decide")
    parser.add_argument("--quiet", action="store_true", help="print what is not checked, and a summary")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    counts = {"checked": 0, "refused": 0, "not covered": 0}
    for path in arguments.files:
        try:
            text = sys.stdin.read() if path == "-" else pathlib.Path(path).read_text(encoding="utf-8")
            answers = [answer for value in read_json(text) for answer in answers_of(value)]
        except (OSError, UnicodeDecodeError) as error:
            parser.error(f"{path}: {error}")
        except (ValueError, Refused, RecursionError) as error:
            print(f"refused: {path}: {error}")
            counts["refused"] += 1
            continue
        for answer in answers:
            outcome, lines = judged(answer, max(1, arguments.effort))
            counts[outcome] += 1
            if outcome != "checked" or not arguments.quiet:
                name = answer.get("tcId", answer.get("id")) if isinstance(answer, dict) else None
                print("\n".join(("" if name is None else f"{name}: ") + line for line in lines), flush=True)
    if sum(counts.values()) != 1 or arguments.quiet:
        print(", ".join(f"{number} {name}" for name, number in counts.items()))
    return 1 if counts["refused"] or not sum(counts.values()) else 3 if counts["not covered"] else 0

def judged(answer, effort):
    try:
        return "checked", check(answer, effort)
    except NotCovered as reason:
        return "not covered", [f"not covered: {reason}"]
    except Refused as reason:
        return "refused", [f"refused: {reason}"]
    except (TypeError, AttributeError, KeyError, ValueError) as reason:
        return "refused", [f"refused: not an answer ({reason})"]

if __name__ == "__main__":
    sys.exit(main())
