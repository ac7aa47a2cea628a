#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Checks printed answers of shufbound without shufbound: whole numbers only, written from proofs/*.md.

    check.py [--effort N] [--quiet] FILE ...      ("-" is standard input)

A file holds answers as "shufbound epsilon .. --json" and "shufbound ask" write them, or test vectors (vectors/*.json). Of each answer
the statement is rebuilt from its question alone, and every printed end is computed again by the theorem that is named, in integers
rounded outward (check.md). One line an answer:

    checked: ..              the statement is true (as far as the theorem and this file are right)
    refused: ..              it is not, or the fineness does not suffice (--effort 2, 3, .. is finer)
    not covered: ..          this file knows nothing about it

Exit status: 0 if all were checked, 1 if one was refused, 3 if none was refused but one is not covered, 2 for a wrong call.
"""
import argparse
import json
import math
import re
import sys
import time
from fractions import Fraction


class Refused(Exception):
    """The statement is false, or malformed."""


class Undecided(Refused):
    """Neither true nor false at this fineness."""


class NotCovered(Exception):
    """Nothing is known here about this kind of statement."""


# Numbers: intervals of whole numbers over 2^bits -----------------------------------------------------------------------------

BITS = 128  # of all reals that are made from here on; `at` sets it


def at(bits):
    global BITS
    BITS = bits


CONSTANTS = {}


def up(a, b):
    """The quotient a/b, b > 0, rounded up."""
    return -(-a // b)


class Real:
    """A real number that lies in [lo, hi]/2^BITS."""
    __slots__ = ("lo", "hi")

    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi

    def __add__(self, other):
        other = real(other)
        return Real(self.lo + other.lo, self.hi + other.hi)

    def __neg__(self):
        return Real(-self.hi, -self.lo)

    def __sub__(self, other):
        other = real(other)
        return Real(self.lo - other.hi, self.hi - other.lo)

    def __rsub__(self, other):
        return real(other) - self

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
            if other.hi >= 0:
                raise Undecided("not decided at this fineness: a divisor is not known well enough")
            return (-self) / (-other)
        return Real((self.lo << BITS) // (other.hi if self.lo >= 0 else other.lo), up(self.hi << BITS, other.lo if self.hi >= 0 else other.hi))

    def __rtruediv__(self, other):
        return real(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def floor(self):
        """The whole parts of both ends."""
        return self.lo >> BITS, self.hi >> BITS

    def positive(self):
        """max(x, 0)."""
        return Real(max(self.lo, 0), max(self.hi, 0))

    def ends(self):
        """Both ends as fractions."""
        return Fraction(self.lo, 1 << BITS), Fraction(self.hi, 1 << BITS)


def real(x):
    """A real of a whole number or a fraction."""
    if isinstance(x, Real):
        return x
    if isinstance(x, int):
        return Real(x << BITS, x << BITS)
    scaled = x.numerator << BITS
    return Real(scaled // x.denominator, up(scaled, x.denominator))


def hull(a, b):
    """An interval that has both."""
    return Real(min(a.lo, b.lo), max(a.hi, b.hi))


def largest(a, b):
    """max(a, b)."""
    return Real(max(a.lo, b.lo), max(a.hi, b.hi))


def log2_constant():
    """log 2, of this many bits."""
    if ("log 2", BITS) not in CONSTANTS:
        # log 2 = 2 artanh(1/3) = 2 sum 1/((2k+1) 3^(2k+1)): each term is floored, the rest is below the last.
        term, total, k = (2 << BITS) // 3, 0, 0
        while term:
            total += term // (2 * k + 1)
            term //= 9
            k += 1
        CONSTANTS["log 2", BITS] = Real(total, total + 2 * k + 2)
    return CONSTANTS["log 2", BITS]


def pi_constant():
    """pi = 16 arctan(1/5) - 4 arctan(1/239); each term is floored or its neighbour."""
    if ("pi", BITS) not in CONSTANTS:
        total, errors = 0, 2
        for times, x in ((16, 5), (-4, 239)):
            term, k = (times << BITS) // x, 0
            while term not in (0, -1):
                total += term // (2 * k + 1) * (-1) ** k
                term //= x * x
                k, errors = k + 1, errors + 3
        CONSTANTS["pi", BITS] = Real(total - errors, total + errors)
    return CONSTANTS["pi", BITS]


def exp_end(x, upward):
    """e^(x/2^BITS) for a whole number x, rounded down or up, with 64 more bits than it has before the point."""
    more = 64 + max(0, x.bit_length() - BITS)
    saved = BITS
    if x > 0:
        more += x * 3 // 2 >> BITS
    if more > 1 << 20:
        raise Undecided("not decided at this fineness: an exponent is too large")
    at(saved + more)
    try:
        x <<= more
        log2 = log2_constant()
        k = x // (log2.hi if x > 0 else log2.lo)         # so that x - k log 2 >= 0
        rest = Real(x, x) - log2 * k
        halvings = 8 + (BITS >> 6)
        y = rest.hi + 1 if upward else max(rest.lo, 0)
        y = up(y, 1 << halvings) if upward else y >> halvings
        term, total, j = 1 << BITS, 0, 0
        while term > 1:
            total += term
            j += 1
            term = up(term * y, j << BITS) if upward else term * y // (j << BITS)
        # What is left is a series that at least halves each time: y < 1/2.
        total += 2 * term + 2 if upward else 0
        for _ in range(halvings):
            total = up(total * total, 1 << BITS) if upward else total * total >> BITS
        shift = k - more
        if shift >= 0:
            return total << shift
        return up(total, 1 << -shift) if upward else total >> -shift
    finally:
        at(saved)


def exp(x):
    return Real(exp_end(x.lo, False), exp_end(x.hi, True))


def log_end(x, upward):
    """log(x/2^BITS), x > 0: a number whose exponential is on the right side of x."""
    shift = x.bit_length() - BITS
    mantissa = Real(x >> shift, -(-x >> shift)) if shift >= 0 else Real(x << -shift, x << -shift)
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
    result = log2_constant() * shift - total * (2 << roots)
    return result.hi if upward else result.lo


def log(x):
    if x.lo <= 0:
        raise Undecided("not decided at this fineness: a logarithm of a number near 0")
    return Real(log_end(x.lo, False), log_end(x.hi, True))


def sqrt(x):
    low, high = math.isqrt(max(x.lo, 0) << BITS), math.isqrt(max(x.hi, 0) << BITS)
    return Real(low, high + 1)


def tail_end(x, upward):
    """Pr[Z > x/2^BITS] of a standard normal Z, x >= 0, rounded down or up: 1/2 - f(x) (x + x^3/3 + x^5/15 + ..), f the density."""
    if (x * x >> BITS) > (2 * BITS << BITS):
        return 1 if upward else 0                        # at most e^(-x^2/2) < 2^-BITS
    saved, more = BITS, 32 + ((x * x >> BITS) * 3 // 4 >> BITS)
    at(saved + more)
    try:
        x <<= more
        square, term, total, k = x * x, Real(x, x), Real(0, 0), 1
        while term.hi > 1 or k << 2 * BITS < 2 * square:
            total = total + term
            k += 2
            term = Real(term.lo * square // (k << 2 * BITS), up(term.hi * square, k << 2 * BITS))
        total = Real(total.lo, total.hi + 2 * term.hi + 2)
        density = exp(Real(-up(square, 2 << BITS), -(square // (2 << BITS)))) / sqrt(2 * pi_constant())
        value = Real(1 << BITS - 1, 1 << BITS - 1) - density * total
        return up(value.hi, 1 << more) if upward else max(value.lo >> more, 0)
    finally:
        at(saved)


def normal_tail(x):
    """Pr[Z > x], which falls."""
    def one(y, upward):
        return tail_end(y, upward) if y >= 0 else (1 << BITS) - tail_end(-y, not upward)
    return Real(one(x.hi, False), one(x.lo, True))


# Questions and answers ---------------------------------------------------------------------------------------------------------

class Number:
    """An exact number of a question: a fraction, or the logarithm of one."""

    def __init__(self, text, name):
        self.text = str(text)
        if isinstance(text, bool) or not isinstance(text, (str, int)) or len(self.text) > 1024:
            raise Refused(f"{name} is not a number")
        match = re.fullmatch(r"log\((.*)\)", self.text)
        self.is_log = match is not None
        self.fraction = read_fraction(match.group(1) if match else self.text, name)
        if self.is_log and self.fraction <= 0:
            raise Refused(f"{name} is the logarithm of a number that is not positive")

    def value(self):
        return log(real(self.fraction)) if self.is_log else real(self.fraction)

    def exp(self):
        return real(self.fraction) if self.is_log else exp(real(self.fraction))

    def is_rational(self):
        return not self.is_log or self.fraction == 1

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

    def at_most(self):
        """A whole number that is not below it."""
        if self.is_log:
            return max(0, self.fraction.numerator.bit_length() - self.fraction.denominator.bit_length() + 1)
        return max(0, math.ceil(self.fraction))

    def rational(self, name):
        if not self.is_rational():
            raise NotCovered(f"{name} that is a logarithm")
        return Fraction(0) if self.is_log else self.fraction


MOST_DIGITS = 5000  # of an exponent of ten: layout; more is not covered


def read_fraction(text, name):
    """A decimal, a fraction of two decimals, or a hexadecimal float."""
    parts = text.split("/")
    if len(parts) == 2:
        below = read_fraction(parts[1], name)
        if below == 0:
            raise Refused(f"{name} has a divisor 0")
        return read_fraction(parts[0], name) / below
    match = re.fullmatch(r"([-+]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)(?:[pP]([-+]?[0-9]{1,6}))?", text)
    if match and match.group(2) + match.group(3):
        sign, whole, part, exponent = match.groups()
        value = Fraction(int(whole + part, 16)) * Fraction(2) ** (int(exponent or 0) - 4 * len(part))
        return -value if sign == "-" else value
    match = re.fullmatch(r"([-+]?)([0-9]*)\.?([0-9]*)(?:[eE]([-+]?[0-9]{1,6}))?", text)
    if not match or not match.group(2) + match.group(3):
        raise Refused(f"{name} is not a number: {text[:40]}")
    sign, whole, part, exponent = match.groups()
    exponent = int(exponent or 0) - len(part)
    if abs(exponent) > MOST_DIGITS:
        raise NotCovered(f"{name} with so large an exponent")
    value = Fraction(int(whole + part)) * Fraction(10) ** exponent
    return -value if sign == "-" else value


def count(value, name):
    number = Number(value, name).rational(name)
    if number.denominator != 1 or number < 1:
        raise Refused(f"{name} is not a whole number from 1")
    return int(number)


def no_doubles(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise Refused("a member is given twice")
    return dict(pairs)


def read_json(text):
    """All JSON values of a text, one after the other."""
    decoder = json.JSONDecoder(object_pairs_hook=no_doubles, parse_float=Inexact, parse_constant=Inexact)
    values, i = [], 0
    while True:
        while i < len(text) and text[i].isspace():
            i += 1
        if i == len(text):
            return values
        value, i = decoder.raw_decode(text, i)
        values.append(value)


class Inexact(str):
    """A JSON number with a point, which no question and no end may be."""


IGNORED = {"id", "source", "quote", "note", "fast", "digits", "effort", "max_seconds"}  # they change no statement
# What a default stands for.
DEFAULTS = {"rounds": 1, "reports_per_user": 1, "release": "reports", "direction": "both"}
OF_ANSWERS = {"id", "line", "question", "quantity", "value", "upper", "lower", "complete", "accuracy_reached", "tried", "version", "elapsed_s",
              "lo", "hi", "lo_hex", "hi_hex", "side", "ledger", "theorem", "status", "through", "params", "data", "notes", "guarantee"}
OF_BOUNDS = {"side", "lo", "hi", "lo_hex", "hi_hex", "theorems", "guarantee", "notes", "accuracy_reached", "data", "ledger"}
OF_VECTORS = {"tcId", "comment", "flags", "question", "result", "bound"}
OF_RESULTS = {"lo", "hi", "lo_hex", "hi_hex", "theorem", "status", "side", "through", "notes", "accuracy_reached", "ledger", "data"}


def only(members, known, what):
    for name in members:
        if name not in known:
            raise NotCovered(f"{what} with the member {name}")


class Bound:
    """One printed interval: its ends, what they are the ends of, and the theorems that are named."""

    def __init__(self, members, name):
        self.name = name                       # value, upper or lower
        self.side = members.get("side")
        if self.side not in ("upper", "lower", "exact", "none"):
            raise Refused(f"a side {self.side}")
        self.theorems = []
        for theorem in members["theorems"]:
            if theorem.get("status") != "proved":
                raise Refused(f"the theorem {theorem.get('id')} is not said to be proved")
            self.theorems.append(theorem.get("id"))
        self.lo = self.end(members, "lo", max)
        self.hi = self.end(members, "hi", min)
        if (self.hi if name == "upper" else self.lo if name == "lower" else self.lo or self.hi) is None:
            raise Refused("the end that says something is missing")
        if self.lo is not None and self.hi is not None and self.lo > self.hi:
            raise Refused("the lower end is above the upper end")

    def end(self, members, name, tighter):
        """The tighter of the decimal and the hexadecimal end; both are printed."""
        ends = []
        for member in (name, name + "_hex"):
            if member not in members:
                raise Refused(f"an end {member} is missing")
            text = members[member]
            if text is not None:
                if not isinstance(text, str) or isinstance(text, Inexact):
                    raise Refused(f"the end {member} is no string")
                ends.append(read_fraction(text, member))
        if len(ends) == 1 and members[name] is None:
            raise Refused(f"{name} and {name}_hex disagree")
        setattr(self, "text_" + name, members[name])
        return tighter(ends) if ends else None


def bounds_of(answer):
    """The question of an answer, or of a vector, and its bounds."""
    if not isinstance(answer, dict):
        raise Refused("an answer is an object")
    if "error" in answer:
        raise NotCovered("an error instead of an answer")
    for name in ("claim", "form", "via"):
        if name in (answer.get("question") or {}):
            raise NotCovered(f"a question with the member {name}")
    if "tcId" in answer:
        only(answer, OF_VECTORS, "a vector")
        result = dict(answer.get("result") or {})
        only(result, OF_RESULTS, "a result")
        result["theorems"] = [{"id": name, "status": result.get("status")} for name in [result.get("theorem")] + result.get("through", [])]
        name = answer.get("bound", "value")
        if name not in ("value", "upper", "lower"):
            raise Refused(f"a bound {name}")
        return answer.get("question"), None, [Bound(result, name)]
    only(answer, OF_ANSWERS, "an answer")
    names = [name for name in ("value", "upper", "lower") if name in answer]
    bounds = []
    for name in names:
        if not isinstance(answer[name], dict):
            raise Refused(f"{name} is an object")
        only(answer[name], OF_BOUNDS, "a bound")
        if not isinstance(answer[name].get("theorems"), list):
            raise Refused("no theorem is named")
        bounds.append(Bound(answer[name], name))
    if "lo" in answer or "hi" in answer:
        flat = dict(answer, theorems=[{"id": name, "status": answer.get("status")} for name in [answer.get("theorem")] + answer.get("through", [])])
        flat.setdefault("side", "none" if names else None)
        whole = Bound(flat, "value")
        if not names:
            bounds.append(whole)
        elif (whole.hi is not None and all(bound.hi is None or bound.hi > whole.hi for bound in bounds)) or \
                (whole.lo is not None and all(bound.lo is None or bound.lo < whole.lo for bound in bounds)):
            raise Refused("the ends at the top are better than those of the bounds")
    if not bounds:
        raise Refused("no end is printed")
    return answer.get("question"), answer.get("quantity"), bounds


class Question:
    """A question whose members are all known; `take` marks them."""

    def __init__(self, members, quantity):
        if not isinstance(members, dict):
            raise Refused("there is no question")
        self.members = {name: value for name, value in members.items() if name not in IGNORED}
        self.taken = set()
        ask = self.take("ask")
        if not isinstance(ask, dict):
            raise Refused("nothing is asked")
        self.quantity = ask.get("quantity")
        point = {"delta": "eps", "epsilon": "delta"}.get(self.quantity)
        if point is None:
            raise NotCovered(f"the quantity {self.quantity}")
        if quantity not in (None, self.quantity):
            raise Refused(f"the answer is about {quantity}, the question about {self.quantity}")
        only(ask, {"quantity", point}, "ask")
        if isinstance(ask.get(point), (list, type(None))):
            raise Refused(f"there is no {point}")
        self.point = Number(ask[point], point)
        if self.quantity == "epsilon" and not (self.point.is_rational() and 0 <= self.point.rational("delta") <= 1):
            raise NotCovered("a delta that is no fraction from 0 to 1")
        if self.quantity == "delta" and (self.point.fraction < (1 if self.point.is_log else 0)):
            raise NotCovered("a negative eps")
        if "mechanism" in self.members and "pair" in self.members:
            raise Refused("a question of a mechanism and of a pair")
        self.is_pair = "pair" in self.members
        self.object = self.take("pair" if self.is_pair else "mechanism")
        if self.object is None and isinstance(self.members.get("rounds"), list):
            raise NotCovered("rounds that differ")
        if not isinstance(self.object, dict) or not isinstance(self.object.get("type"), str):
            raise Refused("there is no mechanism")
        self.type = self.object["type"]

    def take(self, name, default=None):
        self.taken.add(name)
        return self.members.get(name, default)

    def done(self):
        """What was not taken has to be as if it were not there."""
        for name, value in self.members.items():
            if name not in self.taken and not (name in DEFAULTS and str(value) == str(DEFAULTS[name])):
                raise NotCovered(f"a question of {self.type} with the member {name}")

    def parameters(self, *names):
        """The parameters of the mechanism or pair: all of them, and no others."""
        only(self.object, {"type", "name", *names}, self.type)
        for name in names:
            if name not in self.object:
                raise Refused(f"{self.type} without {name}")
        return [self.object[name] for name in names]


# The trinomial pair ------------------------------------------------------------------------------------------------------------

class Fineness:
    """How fine to compute: bits after the point, how many terms a sum may have, the level of a grid, how many widths an end is, and a mass, over
    2^bits, that is next to nothing."""

    def __init__(self, bits, terms, level, relative, dust=0):
        self.bits, self.terms, self.level, self.relative, self.dust = bits, terms, level, relative, dust


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
            if len(out) > fineness.terms:
                raise Undecided(f"not decided at this fineness: a sum of more than {fineness.terms} terms")
        return out, 0
    right, over = walk(above, mode, ends[1], 1)
    left, under = walk(below, mode, ends[0], -1)
    left.reverse()
    return mode - len(left), left + [(1 << BITS, 1 << BITS)] + right, under, over


def masses(n, odds, mode, fineness):
    """Those of Bin(n, p), odds = p/(1-p)."""
    one = 1 << BITS
    return masses_by(lambda k: ((n - k) * odds.lo, (k + 1) * one, (n - k) * odds.hi, (k + 1) * one),
                     lambda k: (k * one, (n - k + 1) * odds.hi, k * one, (n - k + 1) * odds.lo), mode, (0, n), fineness)


def parts(first, weights, under, over):
    """The first place, and the same masses as parts of the whole, from below: what they lack of 1 is all that was left out."""
    whole = sum(high for _, high in weights) + under + over
    return first, [(low << BITS) // whole for low, _ in weights]


class Trinomial:
    """TP(n; w0, w1, w2; r0, r1) of trinomial-pair.md: weights, rates, and which of w2 = 0, r0 + r1 = 1 hold exactly."""

    def __init__(self, n, w0, w1, w2, r0, r1, scale=1, all_counted=False, loss=None, walk=None):
        self.n, self.w0, self.w1, self.w2, self.r0, self.r1 = n, real(w0), real(w1), w2, real(r0), real(r1)
        self.scale, self.all_counted = real(scale), all_counted
        self.loss = loss                       # log(w0/w1) exactly, if that is a number of the question
        self.stratum = walk or Stratum

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
        stratum = self.stratum(alpha, self, r0, r1, u)
        total = self.strata(stratum, r0 + r1, fineness)
        return total * self.scale, True

    def strata(self, stratum, s, fineness):
        """sum over c of Pr[C = c] V(c, K_c): Lemma 1; what is left out, by Lemma 4."""
        top = self.n - 1
        if top == 0:
            return stratum.u                             # V(0, 0), Lemma 3
        if self.all_counted:
            return stratum.walk([(top, 1 << BITS, 1 << BITS)], top, fineness)
        odds = s / (1 - s)
        mode = min(top, (real(self.n) * s).floor()[0])
        first, weights, under, over = masses(top, odds, mode, fineness)
        here = [(first + i, low, high) for i, (low, high) in enumerate(weights)]
        total = stratum.walk(here, mode, fineness)
        whole = Real(sum(low for low, _ in weights), sum(high for _, high in weights) + under + over)
        left = Real(0, (stratum.u * Real(0, under + over)).hi)
        return Real(max((total.lo << BITS) // whole.hi, 0), up(total.hi + left.hi << BITS, whole.lo))


class Stratum:
    """V(c, K) of Lemma 2 along a walk over c; p = Pr[Bin(c, rho) = t-1], q = Pr[Bin(c, rho) >= t]."""

    def __init__(self, alpha, pair, r0, r1, u):
        s = r0 + r1
        self.rho = r0 / s
        self.rest = r1 / s                               # 1 - rho
        self.u = u
        v = pair.w1 - alpha * pair.w0
        self.v1 = -v / self.rest                         # v'
        self.d = u / self.rho + self.v1
        self.sum = u + v                                 # <= 0
        self.n = pair.n
        self.kappa = real(0)
        if pair.w2 is not None and not pair.all_counted:
            self.kappa = (alpha - 1) * real(pair.w2) * (s / (1 - s))
        self.odds = r0 / r1

    def start(self, c, t, fineness):
        """p and q at c and t, of the masses of Bin(c, rho)."""
        mode = min(c, (real(c + 1) * self.rho).floor()[0])
        first, weights, under, over = masses(c, self.odds, mode, fineness)
        whole = Real(sum(low for low, _ in weights), sum(high for _, high in weights) + under + over)
        i = t - first
        if 0 < i <= len(weights):
            p = Real(*weights[i - 1])
        else:
            p = Real(0, under if i <= 0 else over)
        inside = weights[max(i, 0):]
        q = Real(sum(low for low, _ in inside), sum(high for _, high in inside) + over + (under if i < 0 else 0))
        self.c, self.t = c, t
        self.p, self.q = p / whole, q / whole
        self.clip()

    def clip(self):
        one = 1 << BITS
        self.p, self.q = Real(max(self.p.lo, 0), min(self.p.hi, one)), Real(max(self.q.lo, 0), min(self.q.hi, one))

    def more_t(self):
        """Pr[Bin(c, rho) = t]."""
        return self.p * (self.c - self.t + 1) / self.t * self.odds

    def to_t(self, t):
        while self.t < t:
            self.p = self.more_t()
            self.q = self.q - self.p
            self.t += 1
            self.clip()
        while self.t > t:
            self.q = self.q + self.p
            self.p = self.p * (self.t - 1) / (self.c - self.t + 2) / self.odds
            self.t -= 1
            self.clip()

    def to_c(self, c):
        """One step; t stays within 1 .. c+1."""
        if c > self.c:
            self.q = self.q + self.rho * self.p
            self.p = self.p * (self.c + 1) / (self.c + 2 - self.t) * self.rest
        elif c < self.c:
            if self.t > self.c:
                self.to_t(self.c)
            self.p = self.p * (self.c - self.t + 1) / self.c / self.rest
            self.q = self.q - self.rho * self.p
        self.c = c
        self.clip()

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

    def rest_of(self, c):
        """K_c (trinomial-pair.md, Lemma 1)."""
        return self.kappa * (self.n - 1 - c) / (c + 1)

    def threshold(self, c):
        """The least and the largest possible ceil(t*) at K_c."""
        place = (self.rest_of(c) + self.v1) * (c + 1) / self.d
        return -(-place.lo >> BITS), -(-place.hi >> BITS)

    def here(self):
        return self.value(self.rest_of(self.c), *self.threshold(self.c))

    def walk(self, weights, start, fineness):
        """The sum of weight times V(c, K_c), from `start` both ways."""
        low_sum = high_sum = 0
        split = next(i for i, (c, _, _) in enumerate(weights) if c == start)
        self.start(start, max(1, min(self.threshold(start)[0], start + 1)), fineness)
        first = self.c, self.t, self.p, self.q
        for part in (weights[split:], weights[:split][::-1]):
            self.c, self.t, self.p, self.q = first
            for c, low, high in part:
                self.to_c(c)
                value = self.here()
                low_sum += low * value.lo >> BITS
                high_sum += -(-high * value.hi >> BITS)
        return Real(low_sum, high_sum)


class RandomRest(Stratum):
    """krr-weak (Lemma 5): given C = c, K = kappa R/(c+1) with R ~ Bin(N-c, w2/(1-r0-r1)); rho = 1/2."""

    def __init__(self, alpha, pair, r0, r1, u):
        super().__init__(alpha, pair, r0, r1, u)
        self.kappa = (alpha - 1) * (r0 + r1)             # (alpha - 1) w2 odds, odds = (r0 + r1)/w2
        self.share = real(pair.w2) / (1 - (r0 + r1))
        self.slope = self.kappa / self.d

    def rest_of(self, c):
        """Where the walk starts: K at the mean of R. Steers only."""
        return self.kappa * self.share * (self.n - 1 - c) / (c + 1)

    def start(self, c, t, fineness):
        super().start(c, t, fineness)
        self.fineness = fineness

    def here(self):
        """The mean of V(c, kappa R/m) over R: V is a line in R between two whole t*, which rise with R."""
        m, others = self.c + 1, self.n - 1 - self.c
        first, weights, under, over = masses(others, self.share / (1 - self.share), min(others, (self.share * (others + 1)).floor()[0]), self.fineness)
        whole = Real(sum(low for low, _ in weights), sum(high for _, high in weights) + under + over)
        base = self.v1 * m / self.d
        total, i = real(0), 0
        while i < len(weights):
            least, most = self.ceiling(base, first + i)
            if least > m:
                break
            if least != most:
                total = total + Real(*weights[i]) * self.value(self.kappa * (first + i) / m, least, most)
                i += 1
                continue
            low = high = low_r = high_r = 0
            while i < len(weights) and self.ceiling(base, first + i) == (least, least):
                low, high = low + weights[i][0], high + weights[i][1]
                low_r, high_r = low_r + weights[i][0] * (first + i), high_r + weights[i][1] * (first + i)
                i += 1
            self.to_t(max(least, 1))
            line = Real(low, high) * (self.u * self.p + self.sum * self.q) - Real(low_r, high_r) * (self.kappa * (self.rho * self.p + self.q) / m)
            total = total + line.positive()
        value = Real(total.lo, (total + Real(0, under + over) * self.u).hi) / whole
        return Real(min(value.lo, self.u.hi), min(value.hi, self.u.hi))

    def ceiling(self, base, r):
        return -(-(self.slope.lo * r + base.lo) >> BITS), -(-(self.slope.hi * r + base.hi) >> BITS)


# Noise that a curator adds -----------------------------------------------------------------------------------------------------

def positive_parts(weights, s, alpha):
    """H_alpha of a law on whole numbers against itself shifted by s, by its definition (additive-noise.md, Theorem 2).
    The masses are from below, and lack m of 1: P's part adds at most m, and Q's takes away at most alpha m."""
    missing = max(0, (1 << BITS) - sum(weights))
    low = high = 0
    for k, p in enumerate(weights):
        q = weights[k - s] if k >= s else 0
        low += max(0, (p << BITS) - alpha.hi * q)
        high += max(0, (p << BITS) - alpha.lo * q)
    return Real(max(0, (low - alpha.hi * missing) >> BITS), up(high, 1 << BITS) + missing)


def gaussian_profile(mu, alpha):
    """H_alpha of N(mu, 1) against N(0, 1), in both directions (line.md, Lemma 4)."""
    eps = log(alpha)
    return (normal_tail(eps / mu - mu / 2) - alpha * normal_tail(eps / mu + mu / 2)).positive()


def laplace_profile(x, alpha):
    """1 - e^((eps-x)/2) for 0 <= eps <= x (additive-noise.md, Theorem 3)."""
    return (1 - sqrt(alpha * exp(real(-x)))).positive()


def laplace_masses(x, m):
    """Masses, from below, of the losses x (m - 2k)/m, k = 0 .. m: discrete Laplace noise of scale m/x and sensitivity m
    (additive-noise.md, Theorem 3)."""
    q = exp(real(-Fraction(x) / m))
    first = 1 / (1 + q)
    power, out = real(1), [first.lo]
    for _ in range(1, m):
        power = power * q
        out.append(max(0, ((1 - q) * first * power).lo))
    return out + [max(0, (power * q * first).lo)]


def discrete_laplace(b, fineness):
    """Masses of two-sided geometric noise from below: (1-q)/(1+q) q^|z|, q = e^(-1/b)."""
    q = exp(real(-1 / Fraction(b)))
    ratio = (max(q.lo, 0), 1 << BITS, q.hi, 1 << BITS)
    return parts(*masses_by(lambda _: ratio, lambda _: ratio, 0, (None, None), fineness))[1]


def discrete_gaussian(variance, fineness):
    """Masses of discrete Gaussian noise from below, proportional to e^(-z^2/(2 variance)), and the place of 0."""
    q = exp(real(Fraction(-1, 2) / variance))            # the mass at z+1 over that at z >= 0 is q^(2z+1)
    powers = [q]

    def above(z):
        while len(powers) <= z:
            powers.append(powers[-1] * q * q)
        return max(powers[z].lo, 0), 1 << BITS, powers[z].hi, 1 << BITS
    first, weights = parts(*masses_by(above, lambda z: above(-z), 0, (None, None), fineness))
    return weights, -first


def poisson(mean, fineness):
    """Masses of a Poisson law from below."""
    a, b = mean.numerator, mean.denominator
    return parts(*masses_by(lambda k: (a, b * (k + 1), a, b * (k + 1)), lambda k: (b * k, a, b * k, a), int(mean), (0, None), fineness))[1]


def product(a, b):
    """The coefficients of the product of two polynomials, floored: one multiplication of whole numbers (Kronecker). Sums of a and b are at most 1."""
    width = (2 * BITS + 15) // 8
    packed = [int.from_bytes(b"".join(c.to_bytes(width, "little") for c in list_), "little") for list_ in ((a,) if a is b else (a, b))]
    whole = packed[0] * packed[-1]
    bytes_ = whole.to_bytes(width * (len(a) + len(b)), "little")
    return [int.from_bytes(bytes_[i * width:(i + 1) * width], "little") >> BITS for i in range(len(a) + len(b) - 1)]


def power(a, n, fineness):
    """The n-th power, n >= 1, coefficients floored."""
    result, square = None, a
    while True:
        if n & 1:
            result = square if result is None else product(result, square)
        n >>= 1
        if not n:
            return result
        square = product(square, square)
        if len(square) > 2 * fineness.terms:
            raise Undecided(f"not decided at this fineness: a sum of more than {2 * fineness.terms} terms")


class Lattice:
    """T releases whose losses are top - k step, k = 0, 1, .., under P, with masses from below; that of k under Q is that of mirror - k under P.
    All half-lines of losses are events, and one of them is best (additive-noise.md, Lemmas 1 and 5)."""

    def __init__(self, weights, top, step, mirror, times, fineness):
        self.half, self.rest = power(weights, (times + 1) // 2, fineness), power(weights, times // 2, fineness) if times > 1 else [1 << BITS]
        self.top, self.step, self.mirror = top * times, step, mirror * times
        self.missing = max(0, (1 << BITS) - (sum(self.half) * sum(self.rest) >> BITS)) + 1

    def below(self, k):
        """The mass, from below, of the places 0 .. k."""
        total, sums = 0, [0]
        for mass in self.rest:
            sums.append(sums[-1] + mass)
        for i, mass in enumerate(self.half[:max(k + 1, 0)]):
            total += mass * sums[min(k - i + 1, len(self.rest))]
        return total >> BITS

    def profile(self, alpha):
        """H_alpha: of the half-line up to k, where the loss passes log alpha at k or k+1."""
        place = ((real(self.top) - log(alpha)) / real(self.step)).floor()
        low = high = 0
        whole = self.below(len(self.half) + len(self.rest))
        for k in range(place[0] - 1, place[1] + 2):
            p, q = self.below(k), max(0, whole - self.below(self.mirror - k - 1))
            low = max(low, p - up(alpha.hi * (q + self.missing), 1 << BITS) - 1)
            high = max(high, p + 1 + self.missing - (alpha.lo * max(q - 1, 0) >> BITS))
        return Real(low, high)


# Sums of many losses by their transform (iidsum.md, Lemmas 6, 7, 8 and 11; dpsgd.md, Lemmas 3 and 4) ----------------------------

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
    if 8 * (k + 2) << m + 1 > 1 << more:
        raise Undecided("not decided at this fineness: an angle is too large")
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

    def power(self, n):
        result, square = None, self
        while True:
            if n & 1:
                result = square if result is None else result * square
            n >>= 1
            if not n:
                return result
            square = square * square


class Step:
    """The loss of a step of Poisson batches: log R under P (forth), -log R under Q (back), R(u) = 1 - q + q e^(mu u - mu^2/2)."""

    def __init__(self, q, s, back):
        self.q, self.mu, self.back = q, 1 / s, back
        self.approximate = float(q), float(1 / s)        # to choose nodes and lines: steers only
        self.rows = {}

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

    def steer(self, theta):
        """log phi(theta), about."""
        q, mu = self.approximate
        sigma, top = float(self.exponent(theta)), -1e300
        logs = []
        for i in range(-160, 160 + int(16 * max(0.0, sigma * mu))):
            u = i / 16
            ratio = math.log1p(-q) if mu * u - mu * mu / 2 < -700 else math.log(1 - q + q * math.exp(min(700, mu * u - mu * mu / 2)))
            logs.append(sigma * ratio - u * u / 2)
            top = max(top, logs[-1])
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
        height = lambda i: float(sigma) * math.log(1 - q + q * math.exp(min(700.0, mu * float(h) * i - mu * mu / 2))) - (float(h) * i) ** 2 / 2  # noqa: E731
        while height(left) > small:
            left -= 1
        while height(right) > small:
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
        q, mu = self.approximate
        sigma = float(self.exponent(theta))
        middle = max(range(-96, 97 + int(32 * max(0.0, sigma * mu))), key=lambda i: sigma * math.log(1 - q + q * math.exp(min(700.0, mu * i / 16 - mu * mu / 2))) - i * i / 512)
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
        before = heights[first - 1] if first else 0
        after = heights[last + 1] if last + 1 < len(heights) else 0
        if before >= after and first:
            first -= 1
        elif last + 1 < len(heights):
            last += 1
        following = min(least, max(before, after))
        total += ((least - following) * width >> BITS) * kappa(width * reach.numerator // (2 * reach.denominator)) >> BITS
        least = following
    return total


class Line:
    """E g(S - K), g(y) = (1 - e^-y)_+, S the sum of n losses: H_{e^K} of n steps, by a sum over frequencies (Lemmas 6, 7, 8, 11)."""

    def __init__(self, step, n, fineness):
        self.step, self.n, self.fineness = step, n, fineness
        self.tolerance = 2.0 ** -min(900, fineness.relative.bit_length() + n.bit_length() + 24 + 12 * fineness.level)

    def saddle(self, k):
        """A theta near the saddle point: steers only."""
        value = lambda theta: self.size(theta, k) - math.log(theta * (theta + 1))  # noqa: E731
        theta, here = 1 / 16, value(1 / 16)
        for factor in (1.3, 1.08, 1 / 1.08):
            while theta < 500:
                there = value(theta * factor)
                if there >= here:
                    break
                theta, here = theta * factor, there
        return Fraction(max(1, int(theta * 16)), 16)

    def size(self, theta, k):
        """log of phi(theta)^n e^(-theta k), about."""
        return self.n * self.step.steer(theta) - float(theta) * k

    def value(self, k):
        """Lower and upper end at K = k, a fraction."""
        theta = self.saddle(float(k))
        size, wanted = self.size(theta, float(k)), math.log(1 / self.tolerance) + 8
        w = (max(0.0, -size) + wanted) / float(theta)
        while not self.bounded(k, w) and self.size(self.saddle(float(k) + w), float(k) + w) + float(theta) * w > size - wanted:
            w *= 1.2
        h = Fraction(max(1, int(2 * math.pi / w * 65536)), 65536)
        period = 2 * pi_constant() / real(h)
        atoms0, error0 = self.step.atoms(theta, Fraction(0), self.tolerance)
        phi = sum((g for g, _ in atoms0), real(0)) + Real(-error0.hi, error0.hi)
        count_, cut = self.cut(theta, h, phi)
        terms, error = self.terms(theta, h, count_, k, phi)
        scale = exp(log(Real(phi.hi, phi.hi)) * self.n - real(theta * k)) / period
        total = scale * (terms + Real(-error, error))
        left_out = scale * cut * period
        high = total + left_out
        low = total - left_out - self.images(theta, k, period, high)
        return Real(max(low.lo, 0), min(high.hi, 1 << BITS))

    def cut(self, theta, h, phi):
        """A number F of frequencies, and a bound of the rest over e^(-theta K) phi^n."""
        heights, ends = self.step.heights(theta)
        if self.step.back:
            heights, ends = heights[::-1], [-end for end in ends[::-1]]
        count_, most = 8, 2500 * self.fineness.terms // 200000
        enough = 1 << max(0, BITS - 14 - 2 * theta.numerator.bit_length() - self.fineness.relative.bit_length() - 8 * self.fineness.level)
        while True:
            lack = lacking(heights, ends, count_ * h)
            part = Real(0, max(0, (1 - real(Real(lack, lack)) / Real(phi.hi, phi.hi)).hi))
            rest = power_of(part, self.n) / (pi_constant() * real(h * (count_ - 1)))
            if rest.hi < enough:
                return count_, rest
            count_ += count_ // 4
            if count_ > most:
                raise Undecided("not decided at this fineness: the transform falls too slowly")

    def terms(self, theta, h, count_, k, phi):
        """Re of the sum over |j| < F of (phi(s_j)/phi(theta)+)^n e^(-ijhK)/(s_j (s_j+1)), and its error in 2^-BITS (Lemma 9, in whole numbers)."""
        atoms, error = self.step.atoms(theta, count_ * h, self.tolerance)
        rows, radius, whole, turn_error = [], error.hi, 0, 0
        for g, x in atoms:
            zr, zi, e = cis(x * real(h))
            rows.append([(g.lo + g.hi) // 2, 0, zr, zi])
            radius, whole, turn_error = radius + (g.hi - g.lo) // 2 + 1, whole + g.hi, max(turn_error, e)
        # After j turns c_j is off by j (g e + 2) at most, the moduli of the turns being at most 1 + e 2^-BITS: all of it by a thousandth more.
        if count_ * turn_error * 2000 > 1 << BITS:
            raise Undecided("not decided at this fineness: too many frequencies")
        error = up((radius + count_ * (up(whole * turn_error, 1 << BITS) + 2 * len(rows))) * 1001, 1000)
        turn = Turning(*cis(real(-h * k)))
        place, total, off = Turning(1 << BITS, 0, 0), real(0), 0
        for j in range(count_):
            re, im = sum(row[0] for row in rows), sum(row[1] for row in rows)
            factor = Turning((re << BITS) // phi.hi, (im << BITS) // phi.hi, up(error << BITS, phi.hi) + 2).power(self.n) * place
            # 1/(s (s+1)), s = theta + i t.
            t = j * h
            below = theta * theta + theta - t * t, t * (2 * theta + 1)
            square = below[0] ** 2 + below[1] ** 2
            one = real(Fraction(below[0]) / square), real(Fraction(-below[1]) / square)
            part = one[0] * Real(factor.re, factor.re) - one[1] * Real(factor.im, factor.im)
            total = total + part * (1 if j == 0 else 2)
            off += up(2 * factor.error * ((abs(one[0].hi) + abs(one[1].hi)) + 2), 1 << BITS)
            place = place * turn
            for row in rows:
                re, im, zr, zi = row
                row[0], row[1] = (re * zr - im * zi) >> BITS, (re * zi + im * zr) >> BITS
        return total, off

    def bounded(self, k, w):
        """Whether S <= K + W surely: back, L <= -log(1-q)."""
        return self.step.back and ((real(k) + real(Fraction(w))) + log(real(1 - self.step.q)) * self.n).lo >= 0

    def images(self, theta, k, period, high):
        """The other images of K (Lemma 7): what the sum is too large by at most."""
        q = exp(-(real(theta) * period))
        before = high * q / (1 - q) + period * q / ((1 - q) * (1 - q))
        far = float(k) + float(period.ends()[0])
        if self.bounded(k, period.ends()[0]):
            return before
        farther = max(self.saddle(far), theta + Fraction(1, 16))
        atoms, error = self.step.atoms(farther, Fraction(0), self.tolerance)
        phi = sum((g for g, _ in atoms), real(0)) + error
        less = real(theta - farther)
        e = exp(less * (period + k) - real(theta * k - 0) + log(phi) * self.n - 1)
        return before + e / (real(farther) * (1 - exp(less * period)))


def power_of(x, n):
    """x^n, 0 <= x <= 1."""
    result = real(1)
    while n:
        if n & 1:
            result = result * x
        x = x * x
        n >>= 1
    return result


# Rounds of the clones: laws above and below on a lattice of losses (pld.md, Lemmas 1 to 3; check.md) ----------------------------

class Rounds:
    """T rounds of TP(n; E/(E+1), 1/(E+1), 0; r, r): its outcomes by cells [i step, (i+1) step) of the loss, and their powers."""

    def __init__(self, pair, e, times, step, fineness):
        self.step, self.fineness = step, fineness
        self.nodes = {}
        self.cells(pair, real(e))
        first = min(self.p)
        last = max(self.p) + 1
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
        return (first + start) * times, power(law[start:end], times, self.fineness)

    def node(self, i):
        if i not in self.nodes:
            self.nodes[i] = exp(real(i * self.step))
        return self.nodes[i]

    def cells(self, pair, e):
        """Masses of P and of Q in each cell, [lo, hi]. An outcome (m, a) has the part (E a + b)/(E+1) 2/m of Pr[C = m-1] Bin(m, 1/2)(a) under P,
        b = m - a, and under Q that of (m, b)."""
        self.p, self.q = {}, {}
        s = pair.r0 + pair.r1
        top = pair.n - 1
        if pair.all_counted or top == 0:
            counted = (top, [(1 << BITS, 1 << BITS)], 0, 0)
        else:
            counted = masses(top, s / (1 - s), min(top, (s * pair.n).floor()[0]), self.fineness)
        whole = Real(sum(low for low, _ in counted[1]), sum(high for _, high in counted[1]) + counted[2] + counted[3])
        for c, weight in enumerate(counted[1], counted[0]):
            m = c + 1
            first, weights, under, over = masses(m, real(1), m // 2, self.fineness)
            total = Real(sum(low for low, _ in weights), sum(high for _, high in weights) + under + over)
            share = Real(*weight) / whole / total * 2 / m / (e + 1)
            for a, mass in enumerate(weights, first):
                if first <= m - a < first + len(weights):
                    part = share * Real(*mass)
                    self.put(self.cell(a, m - a, e), part * (e * a + (m - a)), part * (e * (m - a) + a))

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

    def put(self, i, p, q):
        for law, mass in ((self.p, p), (self.q, q)):
            low, high = law.get(i, (0, 0))
            law[i] = low + max(mass.lo, 0), high + mass.hi

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
                if len(points) < 2 or value[i].lo < sag.get(i - 1, 0):
                    raise Undecided("not decided at this fineness: no law below")
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

    def value(self, law, alpha):
        """sum of p_k (1 - alpha e^(-k step)) over the k where that is positive."""
        first, weights = law
        low = high = 0
        ratio, weight = exp(real(-self.step)), alpha * exp(real(-self.step * (first + len(weights) - 1)))
        for mass in reversed(weights):
            if weight.lo > 1 << BITS:
                break
            low += mass * max(0, (1 << BITS) - weight.hi)
            high += mass * max(0, (1 << BITS) - weight.lo)
            weight = weight / ratio
        return Real(low >> BITS, up(high, 1 << BITS))

    def profile(self, alpha):
        missing = max(0, (1 << BITS) - sum(self.above[1]))
        return Real(self.value(self.below, alpha).lo, self.value(self.above, alpha).hi + missing)


def rounds_of(theorem, n, eps0, times):
    """delta of several rounds of the clones."""
    laws = {}

    def delta(eps, fineness):
        if fineness not in laws:
            pair = pair_of(theorem, n, eps0)
            e = float(eps0.exp().ends()[1])
            counted = max(1.0, 2 * n * float(pair.r0.ends()[1]))
            # A cell is a part of the deviation of the loss; a ratio that no loss has to it. Steers only.
            part = 0.32 * (e - 1) / (e + 1) * 2 / math.sqrt(counted) / math.sqrt(fineness.relative) / 1.5 ** fineness.level
            laws[fineness] = Rounds(pair, eps0.exp(), times, Fraction(max(1, int(part * 1000003 * 2 ** 20)), 1000003 * 2 ** 20), fineness)
        return laws[fineness].profile(eps.exp()), True
    return delta


# Theorems: what each name stands for -------------------------------------------------------------------------------------------

THEOREMS = {
    "clones": ("clones-stronger.md, Corollary 2", "upper"),
    "clones-stronger": ("clones-stronger.md, Theorem", "upper"),
    "clones-deletion": ("deletion.md, Theorem", "upper"),
    "krr-weak": ("trinomial-pair.md, Lemma 5", "upper"),
    "krr-strong": ("trinomial-pair.md, krr-strong", "upper"),
    "rr2": ("trinomial-pair.md, rr2", "lower"),
    "krr-same": ("trinomial-pair.md, krr-same", "lower"),
    "krr-third": ("trinomial-pair.md, krr-third", "lower"),
    "clones-sampled": ("clones-sampled.md, Theorem 1", "upper"),
    "krr-third-sampled": ("clones-sampled.md, Theorem 3", "lower"),
    "trinomial": ("trinomial-pair.md, Lemmas 1 and 2", "none"),
    "additive-noise": ("additive-noise.md, Theorems 2 and 3", "exact"),
    "binomial-noise": ("binomial-noise.md", "exact"),
    "batches-fixed": ("dpsgd.md, Theorem 1", "exact"),
    "batches-replaced-fixed": ("dpsgd.md, Theorem 7", "exact"),
    "batches-poisson": ("dpsgd.md, Theorem 1", "exact"),
    "additive-noise-poisson": ("additive-noise.md, Theorem 4", "exact"),
}


def positive_eps0(value, name="eps0"):
    eps0 = Number(value, name)
    if eps0.fraction < (1 if eps0.is_log else 0):
        raise Refused(f"a negative {name}")
    return eps0


def pair_of(theorem, n, eps0, k=None, rate=None):
    """The instances of trinomial-pair.md, and the samples of clones-sampled.md (n: those who take part)."""
    e = eps0.fraction if eps0.is_log else eps0.exp()
    k = k if theorem.startswith("krr") else None
    if theorem == "clones-deletion":
        w1 = 1 / (e * (e + 1))
        twice = Number(f"log({e * e})" if eps0.is_log else str(2 * eps0.fraction), "eps0")
        return Trinomial(n, e / (e + 1), w1, (e - 1) * w1, w1, w1, loss=twice, walk=RandomRest)
    r = 1 / (e + ((k or 2) - 1))
    if theorem.endswith("-sampled"):
        w0 = rate * e * r + (1 - rate) * r
        return Trinomial(n, w0, r, 1 - w0 - r, r, r)
    w2 = r * (k - 2) if k and k > 2 else None
    if theorem == "krr-strong":
        return Trinomial(n, 1, 0, None, r, r, (e - 1) * r, all_counted=is_one(eps0, k, 2))
    rates = {"clones": (1 / (2 * e), 1 / (2 * e)), "rr2": (e * r, r), "krr-same": (e * r, r)}.get(theorem, (r, r))
    everyone = {"clones": is_one(eps0), "rr2": True, "krr-same": k == 2}.get(theorem, is_one(eps0, k, 2))
    walk = RandomRest if theorem == "krr-weak" and k > 2 else None
    return Trinomial(n, e * r, r, w2, *rates, all_counted=everyone, loss=eps0, walk=walk)


def is_one(eps0, k=2, two=2):
    """Whether e^eps0 = 1, so that of two outputs each is as likely, and all users count."""
    return eps0.fraction == (1 if eps0.is_log else 0) and (k or 2) == two


class Plan:
    """How one bound of a question is computed: in words, and delta(eps) by a function of (exact eps, fineness)."""

    def __init__(self, subject, theorem, side, delta, slack=100):
        self.subject, self.theorem, self.side, self.delta = subject, theorem, side, delta
        self.slack = slack                     # bits more than the answer has; steers only


def both_directions(pair_at, direction, symmetric):
    """delta of a pair: of a direction, or the larger of both."""
    def delta(eps, fineness):
        pair = pair_at()
        ways = {"pq": [False], "qp": [True], "both": [False] if symmetric else [False, True]}[direction]
        values = [pair.delta(eps, fineness, swap) for swap in ways]
        out = values[0]
        for value in values[1:]:
            out = largest(out[0], value[0]), out[1] or value[1]
        return out
    return delta


def trinomial_parameters(question):
    """Parameters of a pair of one's own, exact; w0 >= w1 after renaming."""
    w0, w1, r0, r1 = (Number(value, name).rational(name) for name, value in zip(("w0", "w1", "r0", "r1"), question.parameters("w0", "w1", "r0", "r1")))
    if min(w0, w1, r0, r1) < 0 or w0 + w1 > 1 or r0 + r1 > 1:
        raise Refused("no probabilities")
    if min(r0, r1) == 0:
        raise NotCovered("a trinomial pair with r0 or r1 = 0")
    w2 = 1 - w0 - w1
    if w0 < w1:
        w0, w1, r0, r1 = w1, w0, r1, r0
    return w0, w1, w2 or None, r0, r1


def krr_parameters(question, theorem):
    if "gamma" in question.object and theorem in ("krr-weak", "krr-strong"):
        k, gamma = question.parameters("k", "gamma")
        k, gamma = count(k, "k"), Number(gamma, "gamma").rational("gamma")
        if not 0 < gamma <= 1:
            raise NotCovered(f"gamma = {gamma}")
        return k, Number(f"log({k / gamma - k + 1})", "gamma")     # gamma = k/(e^eps0 + k - 1)
    k, eps0 = question.parameters("k", "eps0")
    k = count(k, "k")
    if k < 2 or (theorem in ("krr-third", "krr-third-sampled") and k < 3):
        raise Refused(f"{theorem} for k = {k}")
    return k, positive_eps0(eps0)


def plan_pair(question, bound):
    """trinomial-pair.md: a pair by its name."""
    theorem = question.type
    if theorem not in THEOREMS:
        raise NotCovered(f"the pair {theorem}")
    if bound.theorems[:1] != [theorem]:
        raise Refused(f"the theorem named is not that of the pair: {bound.theorems}")
    times = count(question.take("rounds", 1), "rounds") if not isinstance(question.members.get("rounds"), list) else 0
    if bound.theorems[1:] != (["pld-composition"] if times > 1 else []) or times == 0 or (times > 1 and theorem not in ("clones", "clones-stronger")):
        raise NotCovered(f"{times or 'several'} rounds by the theorems {bound.theorems}")
    n = count(question.take("users"), "users")
    direction = question.take("direction", "both")
    if direction not in ("both", "pq", "qp"):
        raise Refused(f"a direction {direction}")
    symmetric = theorem not in ("rr2", "krr-same", "trinomial")
    shape, rate, who = {}, None, f"n = {n}"
    if theorem.endswith("-sampled"):
        rate, n, sampled = read_sample(question, n)
        who += sampled
    if question.take("neighbours", "replace") != "replace":
        raise NotCovered(f"the pair {theorem} with other neighbours")
    if theorem == "trinomial":
        w0, w1, w2, r0, r1 = trinomial_parameters(question)
        loss = Number(f"log({w0 / w1})", "w0/w1") if w1 else None
        delta = both_directions(lambda: Trinomial(n, w0, w1, w2, r0, r1, all_counted=r0 + r1 == 1, loss=loss), direction, r0 == r1)
        return Plan(f"the trinomial pair of w0, w1, r0, r1 = {w0}, {w1}, {r0}, {r1}, n = {n}", theorem, "none", delta)
    if theorem in ("clones", "clones-stronger", "rr2", "clones-sampled", "clones-deletion"):
        eps0 = positive_eps0(question.parameters("eps0")[0])
        if theorem == "clones-deletion" and is_one(eps0):
            raise NotCovered("clones-deletion for eps0 = 0")
        words = f"the pair {theorem}, {who}, eps0 = {eps0.text}"
    else:
        shape["k"], eps0 = krr_parameters(question, theorem)
        words = f"the pair {theorem}, {who}, k = {shape['k']}, eps0 = {eps0.text}"
    if times > 1:
        if is_one(eps0):
            raise NotCovered("rounds for eps0 = 0")
        return Plan(f"{times} rounds of {words}", theorem, "upper", rounds_of(theorem, n, eps0, times), slack=60)
    delta = both_directions(lambda: pair_of(theorem, n, eps0, rate=rate, **shape), direction, symmetric)
    return Plan(words + ("" if direction == "both" else f", direction {direction}"), theorem, THEOREMS[theorem][1], delta)


def read_sample(question, n):
    sample = question.take("sample")
    if not isinstance(sample, dict) or set(sample) != {"scheme", "rate"} or sample["scheme"] != "fixed":
        raise NotCovered("another sample")
    rate = Number(sample["rate"], "rate").rational("rate")
    if not 0 < rate <= 1 or (rate * n).denominator != 1:
        raise Refused("a sample that is no number of users")
    return rate, int(rate * n), f", of whom {rate * n} are drawn"


UPPER_FOR_LDP, LOWER_FOR_LDP = ("clones", "clones-stronger"), ("rr2", "krr-third")
UPPER_FOR_KRR, LOWER_FOR_KRR = ("clones", "clones-stronger", "krr-weak", "krr-strong"), ("rr2", "krr-same", "krr-third")


def plan_shuffled(question, bound):
    """One round of any eps0-LDP randomisers, or of k-RR: the instances of trinomial-pair.md from above and below."""
    users = question.take("users")
    more = isinstance(users, dict)
    if more:
        only(users, {"at_least"}, "users")
        users = users.get("at_least")
    n = count(users, "users")
    if question.take("neighbours", "replace") != "replace":
        raise NotCovered("other neighbours")
    k = None
    if question.type == "ldp":
        if question.object.get("local", "replace") != "replace" or "delta0" in question.object:
            raise NotCovered("a local delta0, or an eps0 of deletion")
        only(question.object, {"type", "name", "eps0", "local"}, "ldp")
        eps0, upper, lower = positive_eps0(question.object.get("eps0")), UPPER_FOR_LDP, LOWER_FOR_LDP
        words = f"any eps0-LDP randomisers, eps0 = {eps0.text}"
    else:
        k, eps0 = krr_parameters(question, "krr")
        upper, lower = UPPER_FOR_KRR, LOWER_FOR_KRR
        words = f"{k}-ary randomised response, eps0 = {eps0.text}"
    theorem = bound.theorems[0] if bound.theorems else None
    rest = bound.theorems[1:]
    if theorem == "local-epsilon" and rest and question.type == "krr":
        theorem, rest = rest[0], rest[1:]
    if rest != (["users-at-least"] if more else []):
        raise NotCovered(f"the theorems {bound.theorems}")
    if theorem not in (upper if bound.name == "upper" else lower):
        raise NotCovered(f"the theorem {theorem} as a bound from {'above' if bound.name == 'upper' else 'below'}")
    if k is None and theorem == "krr-third":
        k = 3
    if question.type == "krr" and ((theorem == "rr2" and k != 2) or (theorem == "krr-third" and k == 2)):
        raise Refused(f"{theorem} for k = {k}")
    delta = both_directions(lambda: pair_of(theorem, n, eps0, k), "both", theorem not in ("rr2", "krr-same"))
    # From below the data of the theorem are of the fewest users, who are among those the question is about.
    return Plan(f"{n} {'or more ' if more else ''}shuffled users of {words}, one value replaced", theorem, THEOREMS[theorem][1], delta)


class Noise:
    """A release f(D) + noise: what is read of it, and delta of one or several."""

    def __init__(self, members):
        self.kind = members.get("noise") if members["type"] == "additive-noise" else "binomial"
        known = {"type", "name", "sensitivity"} | ({"coins"} if self.kind == "binomial" else {"noise", "scale", "variance", "eps0"})
        only(members, known, members["type"])
        sensitivity = Number(members.get("sensitivity", "1"), "sensitivity")
        self.sensitivity = sensitivity.rational("the sensitivity")
        if self.sensitivity <= 0:
            raise Refused("a sensitivity that is not positive")
        if self.kind == "binomial":
            self.scale = count(members.get("coins"), "coins")
            self.words = f"the heads of {self.scale} fair coins"
        elif "variance" in members:
            if "scale" in members or self.kind not in ("gaussian", "discrete-gaussian", "skellam"):
                raise Refused("a variance besides a scale, or of noise without one")
            self.scale = Number(members["variance"], "variance").rational("the variance")
            self.words = f"{self.kind} noise of variance {self.scale}"
        elif "eps0" in members:
            if "scale" in members or self.kind not in ("laplace", "discrete-laplace"):
                raise Refused("an eps0 besides a scale, or of noise without one")
            eps0 = Number(members["eps0"], "eps0").rational("eps0")
            if eps0 <= 0:
                raise Refused("an eps0 that is not positive")
            self.scale = self.sensitivity / eps0
            self.words = f"{self.kind} noise of eps0 {eps0}"
        else:
            self.scale = Number(members.get("scale"), "scale").rational("the scale")
            self.words = f"{self.kind} noise of scale {self.scale}"
            if self.kind in ("gaussian", "discrete-gaussian", "skellam"):
                self.scale **= 2
        if self.scale <= 0:
            raise Refused("a scale that is not positive")
        if self.kind not in ("gaussian", "laplace") and self.sensitivity.denominator != 1:
            raise Refused("a sensitivity of whole numbers that is none")
        self.words += f", sensitivity {self.sensitivity}"

    def loss(self, times):
        """The largest loss, of the two kinds of Laplace noise."""
        return Exact(times * self.sensitivity / self.scale) if self.kind in ("laplace", "discrete-laplace") else None

    def profile(self, times, fineness):
        """H_alpha of `times` releases, alpha >= 1, as a function of alpha."""
        s = self.sensitivity
        if self.kind == "gaussian":
            return lambda alpha: gaussian_profile(sqrt(real(times * s * s / self.scale)), alpha)
        if self.kind == "laplace":
            return self.laplace(times, fineness)
        if self.kind == "discrete-laplace" and (times > 1 or s == 1):
            return Lattice(laplace_masses(s / self.scale, int(s)), s / self.scale, 2 / self.scale, int(s), times, fineness).profile
        if self.kind == "discrete-gaussian" and times > 1:
            # The loss at z is (s^2 - 2 s z)/(2 variance): largest at the first place.
            weights, zero = discrete_gaussian(self.scale, fineness)
            top = (s * s + 2 * s * zero) / (2 * self.scale)
            return Lattice(weights, top, s / self.scale, int(s) + 2 * zero, times, fineness).profile
        if times > 1:
            raise NotCovered(f"several releases with {self.kind} noise")
        weights = {"discrete-laplace": lambda: discrete_laplace(self.scale, fineness),
                   "discrete-gaussian": lambda: discrete_gaussian(self.scale, fineness)[0],
                   "skellam": lambda: (lambda p: product(p, p[::-1]))(poisson(self.scale / 2, fineness)),
                   "binomial": lambda: parts(*masses(self.scale, real(1), self.scale // 2, fineness))[1]}[self.kind]()
        return lambda alpha: positive_parts(weights, int(s), alpha)

    def laplace(self, times, fineness):
        """Of several, between two lattices (additive-noise.md, Lemma 5): x' + 2 log cosh(x'/(2m)) <= x as log cosh y <= y^2/2."""
        x = self.sensitivity / self.scale
        if times == 1:
            return lambda alpha: laplace_profile(x, alpha)
        m = max(2, math.isqrt(int(x * fineness.relative / 2) + 1) << fineness.level)
        less = x - x * x / (4 * m * m)
        above = Lattice(laplace_masses(x, m), x, 2 * x / m, m, times, fineness)
        below = Lattice(laplace_masses(less, m), less, 2 * less / m, m, times, fineness)
        return lambda alpha: Real(below.profile(alpha).lo, above.profile(alpha).hi)


def sampled_profile(profile, q, loss=None):
    """The larger divergence of q P_s + (1-q) P_0 and P_0 (additive-noise.md, Theorem 4), alpha >= 1."""
    def of(alpha):
        if loss is not None and (1 + (alpha - 1) / real(q) - exp(real(loss))).lo >= 0:
            return real(0)                               # beyond the largest loss, in both directions
        forth = real(q) * profile(1 + (alpha - 1) / real(q))
        beta = 1 - alpha * (1 - real(q))
        back = Real(0, max(beta.hi, 0))
        if beta.lo > 0:
            back = beta * profile(largest(alpha * real(q) / beta, real(1)))
        return largest(forth, back)
    return of


def plan_noise(question, bound):
    """Releases with noise, one after the other."""
    if question.take("users") not in (None, 1, "1"):
        raise NotCovered("noise with users")
    question.take("neighbours")                          # they change each release by its sensitivity, whatever they are
    rounds = question.take("rounds", 1)
    noise, times = Noise(question.object), count(rounds, "rounds")
    rate, theorem = None, question.type
    if "sample" in question.members:
        sample = question.take("sample")
        if not isinstance(sample, dict) or set(sample) != {"scheme", "rate"} or sample["scheme"] != "poisson" or question.members.get("neighbours") == "replace":
            raise NotCovered("another sample")
        rate = Number(sample["rate"], "rate").rational("the rate")
        if not 0 < rate <= 1:
            raise Refused("a rate that is no probability")
        theorem = "additive-noise-poisson"
        if times > 1 and noise.kind != "gaussian":
            raise NotCovered("several samples")
    named = [name for name in bound.theorems if name != "pld-composition" or times == 1]
    if theorem == "binomial-noise" and noise.sensitivity > 1:
        theorem = "additive-noise"
    if named not in ([theorem], ["additive-noise", theorem]):
        raise (Refused if named and named[0] not in THEOREMS else NotCovered)(f"the theorems {bound.theorems}")

    sample = "" if rate is None else f", each of a Poisson sample of rate {rate}"
    words = f"{times} release{'s' if times > 1 else ''} with {noise.words}{sample}"
    if rate is not None and rate < 1 and times > 1:
        # A Gaussian release over its sensitivity is a step of noisy SGD; the noise has to be a fraction.
        s = noise.scale / noise.sensitivity ** 2
        root = Fraction(math.isqrt(s.numerator), math.isqrt(s.denominator))
        if root * root != s:
            raise NotCovered("several samples with noise whose deviation is no fraction")
        return Plan(words, theorem, "exact", line_of(rate, root, times), slack=110)
    profiles = {}

    def delta(eps, fineness):
        largest_loss = noise.loss(times) if rate is None else None
        order = largest_loss.compare(eps) if largest_loss else None
        if order in (-1, 0):
            return real(0), order == 0
        if fineness not in profiles:
            profiles[fineness] = noise.profile(times, fineness)
        profile = profiles[fineness]
        value = (profile if rate is None else sampled_profile(profile, rate, noise.loss(1) and noise.loss(1).fraction))(eps.exp())
        return value, order == 1 or noise.kind in ("gaussian", "skellam", "discrete-gaussian")
    return Plan(words, theorem, "exact", delta, slack=56)


def line_of(q, s, n):
    """delta of n Poisson steps of rate q and noise s, the larger of both directions."""
    def delta(eps, fineness):
        if eps.is_log and eps.fraction != 1:
            raise NotCovered("an eps of many steps that is a logarithm")
        k = Fraction(0) if eps.is_log else eps.fraction
        values = [Line(Step(q, s, back), n, fineness).value(k) for back in (False, True)]
        return largest(*values), True
    return delta


def plan_sgd(question, bound):
    """Noisy SGD with known batches or Poisson batches, by dpsgd.md."""
    known = {"type", "name", "sampler", "noise_multiplier", "steps", "sampling_rate"}
    only(question.object, known, "noisy-sgd")
    if question.take("users") is not None:
        raise NotCovered("noisy-sgd with users")
    neighbours, epochs = question.take("neighbours", "remove"), count(question.take("rounds", 1), "rounds")
    s = Number(question.object.get("noise_multiplier"), "noise_multiplier").rational("the noise")
    steps = count(question.object.get("steps"), "steps")
    if s <= 0 or neighbours not in ("remove", "replace"):
        raise Refused("no noise, or other neighbours")
    sampler, several = question.object.get("sampler"), epochs > 1
    words = f"noise multiplier {s}, one record {'replaced' if neighbours == 'replace' else 'removed'}"
    rate = Fraction(1)
    if sampler == "fixed":
        if "sampling_rate" in question.object:
            raise NotCovered("known batches with a rate")
        theorem, n = "batches-fixed" if neighbours == "remove" else "batches-replaced-fixed", epochs
        words = f"{epochs} epoch{'s' if several else ''} of noisy SGD with known batches, {words}"
    elif sampler == "poisson" and neighbours == "remove":
        rate = Number(question.object.get("sampling_rate", f"1/{steps}"), "sampling_rate").rational("the rate")
        theorem, n = "batches-poisson", epochs * steps
        words = f"{n} step{'s' if n > 1 else ''} of noisy SGD with Poisson batches of rate {rate}, {words}"
    else:
        raise NotCovered(f"the sampler {sampler}, neighbours {neighbours}")
    if not 0 < rate <= 1:
        raise Refused("a rate that is no probability")
    if bound.theorems[:1] != [theorem]:
        raise (Refused if set(bound.theorems[:1]) <= set(THEOREMS) else NotCovered)(f"the theorems {bound.theorems}")
    if set(bound.theorems[1:]) - {"pld-composition"}:
        raise NotCovered(f"the theorems {bound.theorems}")
    if rate < 1 and n > 1:
        return Plan(words, theorem, "exact", line_of(rate, s, n), slack=110)
    twice = 2 if neighbours == "replace" else 1

    def delta(eps, fineness):
        profile = lambda alpha: gaussian_profile(sqrt(real(n * twice * twice / s / s)), alpha)  # noqa: E731
        return (profile if rate == 1 else sampled_profile(profile, rate))(eps.exp()), True
    return Plan(words, theorem, "exact", delta)


# Deciding ----------------------------------------------------------------------------------------------------------------------

def plan(question, bound):
    """The plan for a bound, by the type of the mechanism or pair."""
    if question.is_pair:
        made = plan_pair(question, bound)
    elif question.type in ("ldp", "krr"):
        made = plan_shuffled(question, bound)
    elif question.type == "noisy-sgd":
        made = plan_sgd(question, bound)
    elif question.type in ("additive-noise", "binomial-noise"):
        made = plan_noise(question, bound)
    else:
        raise NotCovered(f"the mechanism {question.type}")
    question.done()
    if bound.side != made.side:
        raise Refused(f"the theorem {made.theorem} is of the side {made.side}, not {bound.side}")
    return made


def bits_for(question):
    """Bits before the first digit of delta, and those that alpha takes. Steers only."""
    def zeros(x):
        return 0 if x <= 0 else max(0, x.denominator.bit_length() - x.numerator.bit_length())
    size, eps = question.bound.hi or question.bound.lo or Fraction(0), question.point
    if question.quantity == "epsilon":
        size, eps = question.point.fraction, Exact(size)
    more = [eps]
    if isinstance(question.object.get("eps0"), (str, int)):
        more.append(Number(question.object["eps0"], "eps0"))
    return zeros(size) + 3 * sum(number.at_most() for number in more)         # alpha times a weight 1/e^eps0


MOST_TRIES = 3  # and one more for each effort more: steers only


def decide(made, question, bound, effort):
    """Both ends of one bound. Raises when one is not shown."""
    question.bound = bound
    width = bound.hi - bound.lo if bound.hi is not None and bound.lo is not None else 0
    relative = math.ceil(bound.hi / width) if width and bound.hi else 10 ** 9
    bits = bits_for(question) + min(relative.bit_length(), 80) + made.slack
    tries = MOST_TRIES + effort - 1
    for attempt in range(tries):
        bits_now = bits << attempt if made.slack >= 100 else bits + 20 * attempt
        fineness = Fineness(bits_now, 200000 * effort, attempt, relative, 1 << max(0, bits_now - bits + made.slack - 14))
        at(fineness.bits)
        try:
            return ends_hold(made, question, bound, fineness)
        except Undecided:
            if attempt == tries - 1 or fineness.bits > 8192 * effort:
                raise
    raise Undecided("not decided at this fineness")


def ends_hold(made, question, bound, fineness):
    if question.quantity == "delta":
        value, _ = made.delta(question.point, fineness)
        low, high = value.ends()
        if (bound.hi is not None and low > bound.hi) or (bound.lo is not None and high < bound.lo):
            raise Refused(f"delta is in [{shown(low)}, {shown(high)}]")
        if bound.hi is not None and high > bound.hi:
            raise Undecided(f"not decided at this fineness: delta <= {shown(high)}")
        if bound.lo is not None and low < bound.lo:
            raise Undecided(f"not decided at this fineness: delta >= {shown(low)}")
        return
    target = question.point.rational("delta")
    if bound.hi is not None:
        if bound.hi < 0:
            raise Refused("eps is not below 0")
        low, high = made.delta(Exact(bound.hi), fineness)[0].ends()
        if low > target:
            raise Refused(f"delta at {bound.text_hi} is at least {shown(low)}")
        if high > target:
            raise Undecided(f"not decided at this fineness: delta at {bound.text_hi} <= {shown(high)}")
    if bound.lo is not None and bound.lo > 0:
        value, positive = made.delta(Exact(bound.lo), fineness)
        low, high = value.ends()
        if high < target or (high == 0 and not positive):
            raise Refused(f"delta at {bound.text_lo} is at most {shown(high)}")
        if low <= target and not (target == 0 and positive):
            # The smallest eps is not below lo either if delta(lo) is the target and delta falls there; that is not looked at.
            raise Undecided(f"not decided at this fineness: delta at {bound.text_lo} >= {shown(low)}")


class Exact(Number):
    """A fraction as a number of a question."""

    def __init__(self, fraction):
        self.text, self.is_log, self.fraction = str(fraction), False, fraction


def shown(x):
    """A fraction with ten digits, for messages only."""
    if x == 0:
        return "0"
    exponent = len(str(abs(x.numerator))) - len(str(x.denominator))
    digits = x / Fraction(10) ** (exponent - 10)
    return f"{int(digits)}e{exponent - 10}"


def sentence(made, question, bound):
    """The statement in words."""
    point = f"at delta = {question.point.text}" if question.quantity == "epsilon" else f"at eps = {question.point.text}"
    ends = []
    if bound.name != "lower" and bound.hi is not None:
        ends.append(f"{question.quantity} <= {bound.text_hi}")
    if bound.name != "upper" and bound.lo is not None:
        ends.append(f"{question.quantity} >= {bound.text_lo}")
    told = " and ".join(ends)
    if bound.name == "upper" and bound.side == "upper" and bound.lo is not None:
        told += f" (the bound itself >= {bound.text_lo})"
    if bound.name == "lower" and bound.side == "lower" and bound.hi is not None:
        told += f" (the bound itself <= {bound.text_hi})"
    return f"{told} {point}, for {made.subject}"


def check(answer, effort):
    """The lines of what was checked; raises if not all of it holds."""
    question_members, quantity, bounds = bounds_of(answer)
    lines, decided = [], set()
    for bound in bounds:
        began = time.time()
        question = Question(question_members, quantity)
        if (bound.name == "value") != question.is_pair:
            raise Refused(f"a {bound.name} of a {'pair' if question.is_pair else 'mechanism'}")
        made = plan(question, bound)
        # An exact value is printed as upper and as lower.
        same = (bound.lo, bound.hi, made.subject, made.theorem)
        if same not in decided:
            decide(made, question, bound, effort)
            decided.add(same)
        source = THEOREMS[made.theorem][0]
        lines.append(f"checked: {sentence(made, question, bound)}; by {made.theorem} (proofs/{source}), in {time.time() - began:.1f} s")
    return lines


def answers_of(value):
    """The answers of a JSON value: an answer, a list of them, or a file of vectors."""
    if isinstance(value, list):
        return [answer for part in value for answer in answers_of(part)]
    if isinstance(value, dict) and "testGroups" in value:
        return [test for group in value["testGroups"] for test in group["tests"]]
    return [value]


def label(answer):
    name = answer.get("tcId", answer.get("id")) if isinstance(answer, dict) else None
    return "" if name is None else f"{name}: "


def main():
    parser = argparse.ArgumentParser(description="Checks printed answers of shufbound.", usage="check.py [--effort N] [--quiet] FILE ...")
    parser.add_argument("--effort", type=int, default=1, help="finer, 2, 3, ..: where 1 does not decide")
    parser.add_argument("--quiet", action="store_true", help="print what is not checked, and a summary")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    counts = {"checked": 0, "refused": 0, "not covered": 0}
    for path in arguments.files:
        try:
            if path == "-":
                text = sys.stdin.read()
            else:
                with open(path, encoding="utf-8") as file:
                    text = file.read()
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
                print("\n".join(label(answer) + line for line in lines), flush=True)
    if sum(counts.values()) != 1 or arguments.quiet:
        print(", ".join(f"{number} {name}" for name, number in counts.items()))
    if counts["refused"] or not sum(counts.values()):
        return 1
    return 3 if counts["not covered"] else 0


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
