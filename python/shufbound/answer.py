# SPDX-License-Identifier: LGPL-3.0-or-later
"""Answers, as doc/schema/answer.schema.json defines them, with exact numbers."""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Mapping, Optional, Tuple

# An exact rational of a number like 1e-10000000000 would fill the memory.
_MAX_EXPONENT = 1_000_000


class Error(ValueError):
    """
    A question that has no answer.

    ``member`` is the member of the question that is wrong, where it is one; ``id`` is the question's.
    """

    def __init__(self, message: str, member: Optional[str] = None, id: Optional[str] = None) -> None:
        super().__init__(message)
        self.member = member
        self.id = id


def _hex(text: Optional[str]) -> Optional[float]:
    """A double; None where there is none that bounds."""
    return None if text is None or text == "unbounded" else float.fromhex(text)


def _exact(text: str) -> Fraction:
    if abs(Decimal(text).adjusted()) > _MAX_EXPONENT:
        raise OverflowError(f"{text} has too many digits for a fraction; its decimal is exact")
    return Fraction(text)


def _floor(text: str) -> float:
    """The largest double that is at most this decimal."""
    x = float(text)
    return math.nextafter(x, -math.inf) if Decimal.from_float(x) > Decimal(text) else x


def _ceil(text: str) -> float:
    x = float(text)
    return math.nextafter(x, math.inf) if Decimal.from_float(x) < Decimal(text) else x


@dataclass(frozen=True)
class Interval:
    """
    An enclosure: the number lies between both ends.

    Each end is known as a decimal, rounded outward at the digits that were asked for, and as a double, rounded outward as
    well; ``lo`` and ``hi`` are the tighter of the two, exactly. An end that is not finite is None.
    """

    lo_decimal: Optional[str]
    hi_decimal: Optional[str]
    lo_hex: Optional[str] = None
    hi_hex: Optional[str] = None
    infinite: bool = False  # the number itself is +infinity

    @property
    def lo(self) -> Optional[Fraction]:
        """The lower end, exactly."""
        ends = [_exact(self.lo_decimal)] if self.lo_decimal is not None else []
        x = _hex(self.lo_hex)
        return max(ends + ([Fraction(x)] if x is not None else []), default=None)

    @property
    def hi(self) -> Optional[Fraction]:
        """The upper end, exactly."""
        ends = [_exact(self.hi_decimal)] if self.hi_decimal is not None else []
        x = _hex(self.hi_hex)
        return min(ends + ([Fraction(x)] if x is not None else []), default=None)

    def lower(self) -> float:
        """A float that is at most the number: the lower end, rounded down."""
        if self.infinite:
            return math.inf
        ends = [_floor(self.lo_decimal)] if self.lo_decimal is not None else []
        x = _hex(self.lo_hex)
        return max(ends + ([x] if x is not None else []), default=-math.inf)

    def upper(self) -> float:
        """A float that is at least the number: the upper end, rounded up."""
        ends = [_ceil(self.hi_decimal)] if self.hi_decimal is not None else []
        x = _hex(self.hi_hex)
        return min(ends + ([x] if x is not None else []), default=math.inf)

    def __str__(self) -> str:
        if self.infinite:
            return "infinite"
        return f"[{self.lo_decimal or '-inf'}, {self.hi_decimal or 'inf'}]"


@dataclass(frozen=True)
class TheoremUse:
    """A theorem that a bound rests on; ``theorems()`` has its statement."""

    id: str
    status: str   # proved, conditional, unproved, asymptotic, refuted
    checked: str  # coq, coq-finite, paper, none

    def __str__(self) -> str:
        return f"{self.id} ({self.status})"


@dataclass(frozen=True)
class Data:
    """Neighbouring data that have a bound from below: how many users hold which value."""

    mechanism: Mapping[str, Any]
    first: Tuple[Tuple[str, int], ...]
    second: Tuple[Tuple[str, int], ...]
    seen: Optional[str]  # the function of the reports that is looked at, where it is not all of them
    others: Optional[str]  # of noisy-sgd, whose values are the gradients in every step: that of all other records
    json: Mapping[str, Any] = field(repr=False)

    @classmethod
    def read(cls, json: Mapping[str, Any]) -> Data:
        first, second = (tuple((row["value"], int(row["users"])) for row in json[side]) for side in ("first", "second"))
        return cls(json["mechanism"], first, second, json.get("seen"), json.get("others"), json)


@dataclass(frozen=True)
class Ledger:
    """Where the width of an enclosure comes from (upper bounds, as decimals), and what it cost."""

    truncation: str
    discretisation: str
    rounding: str
    aliasing: Optional[str]
    terms: int
    precision: int
    step: Optional[float]
    work: int

    @classmethod
    def read(cls, json: Mapping[str, Any]) -> Ledger:
        return cls(json["truncation"], json["discretisation"], json["rounding"], json.get("aliasing"), json["terms"],
                   json["precision"], json.get("step"), int(json["work"]))


def _interval(json: Mapping[str, Any]) -> Tuple[Optional[str], Optional[str], Optional[str], Optional[str], bool]:
    return json["lo"], json["hi"], json.get("lo_hex"), json.get("hi_hex"), json.get("infinite", False)


@dataclass(frozen=True)
class Bound(Interval):
    """
    An enclosure of a bound's value, and what it says of the mechanism.

    ``side``: "upper", the mechanism has at most ``hi``; "lower", it has at least ``lo``; "exact", it lies between them;
    "none", nothing.
    """

    side: str = "none"
    theorems: Tuple[TheoremUse, ...] = ()
    accuracy_reached: bool = False
    data: Optional[Data] = None
    ledger: Optional[Ledger] = None
    guarantee: Optional[str] = None
    notes: Tuple[str, ...] = ()
    at: Mapping[str, str] = field(default_factory=dict)  # the order of a conversion, the point of a round, a witness
    delta: Optional[Interval] = None  # of a claim: delta at the claimed eps
    decides: Optional[bool] = None  # of a claim
    json: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, json: Mapping[str, Any]) -> Bound:
        delta = json.get("delta")
        return cls(
            *_interval(json),
            side=json["side"],
            theorems=tuple(TheoremUse(t["id"], t["status"], t["checked"]) for t in json["theorems"]),
            accuracy_reached=json["accuracy_reached"],
            data=Data.read(json["data"]) if "data" in json else None,
            ledger=Ledger.read(json["ledger"]) if "ledger" in json else None,
            guarantee=json.get("guarantee"),
            notes=tuple(json.get("notes", ())),
            at=json.get("at", {}),
            delta=Interval(*_interval(delta)) if delta is not None else None,
            decides=json.get("decides"),
            json=json,
        )

    def __float__(self) -> float:
        """The end that the bound is about, rounded outward. A bound of both sides or of none has no such end."""
        if self.side == "upper":
            return self.upper()
        if self.side == "lower":
            return self.lower()
        raise TypeError(f"a bound of side {self.side!r} is no single number: choose lower() or upper()")

    def __str__(self) -> str:
        return f"{super().__str__()} ({self.side}; {', '.join(map(str, self.theorems))})"


@dataclass(frozen=True)
class Answer:
    """
    What is known of one question.

    A question about a mechanism has ``upper``, the best proved bound from above, and ``lower``, the best from below with its
    neighbouring data; one about a pair or a form has ``value``. What no theorem gives is None. A claim has a ``verdict``.
    """

    question: Mapping[str, Any]  # as it was understood
    quantity: str
    value: Optional[Bound]
    upper: Optional[Bound]
    lower: Optional[Bound]
    verdict: Optional[str]  # certified, refuted, undecided
    reason: Optional[str]   # why undecided
    complete: bool          # False: a clock cut it short
    accuracy_reached: bool
    version: str            # of the library
    id: Optional[str]
    json: Mapping[str, Any] = field(repr=False)

    @classmethod
    def read(cls, json: Mapping[str, Any]) -> Answer:
        value, upper, lower = (Bound.read(json[name]) if name in json else None for name in ("value", "upper", "lower"))
        return cls(json["question"], json["quantity"], value, upper, lower, json.get("verdict"), json.get("reason"), json["complete"],
                   json["accuracy_reached"], json["version"], json.get("id"), json)

    @property
    def tried(self) -> Tuple[Bound, ...]:
        """Every bound that was evaluated for a mechanism."""
        return tuple(map(Bound.read, self.json["tried"]))

    def __str__(self) -> str:
        bounds = (("", self.value), ("at most ", self.upper), ("at least ", self.lower))
        lines = [self.verdict] if self.verdict else []
        return "\n".join(lines + [f"{self.quantity} {words}{bound}" for words, bound in bounds if bound is not None])
