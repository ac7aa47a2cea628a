# SPDX-License-Identifier: LGPL-3.0-or-later
"""Answers, as doc/schema/answer.schema.json defines them, with exact numbers."""
from __future__ import annotations

import copy
import html
import math
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from numbers import Rational
from typing import Any, Dict, Mapping, Optional, Tuple, Union

# An exact rational of a number like 1e-10000000000 would fill the memory.
_MAX_EXPONENT = 1_000_000


class Error(ValueError):
    """
    A question that has no answer.

    ``member`` is the member of the question that is wrong, where it is one; ``id`` is the question's.

    >>> import shufbound
    >>> try:
    ...     shufbound.delta(0.5, pair={"type": "clones", "eps0": "4"}, users=10)
    ... except shufbound.Error as error:
    ...     print(error.member)
    eps
    """

    def __init__(self, message: str, member: Optional[str] = None, id: Optional[str] = None) -> None:
        super().__init__(message)
        self.member = member
        self.id = id


class OutOfTime(Error, TimeoutError):
    """
    ``max_seconds`` ran out before any bound was found. After a first bound there is an answer, and its ``complete`` is False.

    >>> import shufbound
    >>> try:
    ...     shufbound.delta("1e-4", pair={"type": "clones", "eps0": "3"}, users="1e12", max_seconds="1e-9")
    ... except TimeoutError as error:
    ...     print(error)
    max_seconds ran out before a value was found
    """


class Undecided(ValueError):
    """
    A comparison that the ends of an interval do not decide.

    >>> import shufbound
    >>> answer = shufbound.epsilon("1e-6", mechanism={"type": "ldp", "eps0": "4"}, users=10000)
    >>> answer <= 0.409
    Traceback (most recent call last):
    ...
    shufbound.answer.Undecided: undecided: epsilon lies in [0.40662974608, 0.41081237642]
    """


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


# An end or a number that is compared with one: exact, or an infinity.
_End = Union[Fraction, float]


def _number(x: Any) -> Optional[_End]:
    """The exact value of a number of Python or numpy, None of anything else."""
    if isinstance(x, Rational):  # numpy's integers are one; their arithmetic is not exact
        return Fraction(int(x.numerator), int(x.denominator))
    if isinstance(x, Decimal) and x.is_finite():
        return _exact(str(x))
    if not hasattr(x, "as_integer_ratio"):
        return None
    return Fraction(*x.as_integer_ratio()) if math.isfinite(x) else float(x)


class _Enclosed:
    """
    Something that has a number in it which is known to lie between two ends.

    A comparison is about the number. It is True or False only where the ends decide it, and raises Undecided elsewhere. ``==`` and
    ``hash`` are about the object: what was answered, not the number.
    """

    def _ends(self) -> Tuple[_End, _End]:
        raise NotImplementedError

    def _undecided(self) -> Undecided:
        raise NotImplementedError

    def _decide(self, other: object, strict: bool, less: bool) -> bool:
        if isinstance(other, _Enclosed):
            theirs = other._ends()
        else:
            x = _number(other)
            if x is None:
                other_type: bool = NotImplemented
                return other_type
            theirs = (x, x)
        below, above = (self._ends(), theirs) if less else (theirs, self._ends())
        if below[1] < above[0] or (not strict and below[1] <= above[0]):
            return True
        if below[0] > above[1] or (strict and below[0] >= above[1]):
            return False
        raise self._undecided()

    def __lt__(self, other: object) -> bool:
        return self._decide(other, strict=True, less=True)

    def __le__(self, other: object) -> bool:
        return self._decide(other, strict=False, less=True)

    def __gt__(self, other: object) -> bool:
        return self._decide(other, strict=True, less=False)

    def __ge__(self, other: object) -> bool:
        return self._decide(other, strict=False, less=False)


@dataclass(frozen=True)
class Interval(_Enclosed):
    """
    An enclosure: the number lies between both ends.

    Each end is known as a decimal, rounded outward at the digits that were asked for, and as a double, rounded outward as
    well; ``lo`` and ``hi`` are the tighter of the two, exactly. An end that is not finite is None.

    ``round`` and ``format`` round outward. A comparison is decided by the ends, or raises Undecided.

    >>> from shufbound import Interval
    >>> x = Interval("0.12341", "0.12349")
    >>> x, f"{x:.3f}", round(x, 2)
    (<Interval [0.12341, 0.12349]>, '[0.123, 0.124]', <Interval [0.12, 0.13]>)
    >>> x < 0.2, x <= 0.1
    (True, False)
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

    def _ends(self) -> Tuple[_End, _End]:
        try:
            lo, hi = self.lo, self.hi
        except OverflowError:  # too many digits: the floats beside them will do
            return self.lower(), self.upper()
        if self.infinite:
            return math.inf, math.inf
        return lo if lo is not None else -math.inf, hi if hi is not None else math.inf

    def _undecided(self) -> Undecided:
        return Undecided(f"undecided: the number lies in {self._short()}")

    def __round__(self, ndigits: int = 0) -> Interval:
        """The enclosure with so many digits behind the point, rounded outward."""
        scale = Fraction(10) ** ndigits

        def rounded(end: _End, up: bool) -> Optional[str]:
            if math.isinf(end):
                return None
            whole = Fraction(end) * scale
            return f"{Decimal(f'{math.ceil(whole) if up else math.floor(whole)}e{-ndigits}'):f}"

        lo, hi = self._ends()
        return Interval(rounded(lo, False), rounded(hi, True), infinite=self.infinite)

    def _end(self, text: Optional[str], up: bool, spec: str) -> str:
        if text is None:
            return "inf" if up or self.infinite else "-inf"
        with localcontext() as context:
            context.rounding = ROUND_CEILING if up else ROUND_FLOOR
            return format(Decimal(text), spec)

    def __format__(self, spec: str) -> str:
        """Both ends by the specification of a number, rounded outward."""
        return f"[{self._end(self.lo_decimal, False, spec)}, {self._end(self.hi_decimal, True, spec)}]" if spec else str(self)

    def __float__(self) -> float:
        raise TypeError("an interval is no single number: lower() is at most the number, upper() at least")

    def _interval(self) -> str:
        if self.infinite:
            return "infinite"
        return f"[{self.lo_decimal or '-inf'}, {self.hi_decimal or 'inf'}]"

    def __str__(self) -> str:
        return self._interval()

    def _short(self) -> str:
        """As str, with at most twelve digits of long ends."""
        longest = max(len(self.lo_decimal or ""), len(self.hi_decimal or ""))
        return self._interval() if longest <= 25 else Interval.__format__(self, ".12g")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._short()}>"


@dataclass(frozen=True)
class TheoremUse:
    """
    A theorem that a bound rests on; ``theorems()`` has its statement.

    >>> import shufbound
    >>> shufbound.delta("0.5", pair={"type": "clones", "eps0": "4"}, users=10000).value.theorems[0]
    TheoremUse(id='clones', status='proved', checked='coq-finite')
    """

    id: str
    status: str   # proved, conditional, unproved, asymptotic, refuted
    checked: str  # coq, coq-finite, paper, none

    def __str__(self) -> str:
        return f"{self.id} ({self.status})"


@dataclass(frozen=True)
class Data:
    """
    Neighbouring data that have a bound from below: how many users hold which value.

    >>> import shufbound
    >>> data = shufbound.delta("0.5", mechanism={"type": "krr", "k": 3, "eps0": "1"}, users=10).lower.data
    >>> data.first, data.second
    ((('0', 1), ('2', 9)), (('1', 1), ('2', 9)))
    """

    mechanism: Mapping[str, Any] = field(hash=False)
    first: Tuple[Tuple[str, int], ...]
    second: Tuple[Tuple[str, int], ...]
    seen: Optional[str]  # the function of the reports that is looked at, where it is not all of them
    others: Optional[str]  # of noisy-sgd, whose values are the gradients in every step: that of all other records
    json: Mapping[str, Any] = field(repr=False, hash=False)

    @classmethod
    def read(cls, json: Mapping[str, Any]) -> Data:
        first, second = (tuple((row["value"], int(row["users"])) for row in json[side]) for side in ("first", "second"))
        return cls(json["mechanism"], first, second, json.get("seen"), json.get("others"), json)


@dataclass(frozen=True)
class Ledger:
    """
    Where the width of an enclosure comes from (upper bounds, as decimals), and what it cost.

    >>> import shufbound
    >>> shufbound.delta("0.5", pair={"type": "clones", "eps0": "4"}, users=10000).value.ledger.aliasing is None
    True
    """

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

    ``end`` is the end that it is about: "upper" for ``answer.upper`` and a value of side "upper", "lower" for ``answer.lower`` and a value of
    side "lower", else None. ``float`` gives that end, rounded outward, and so does ``format``, or both where there is none. A comparison is about the
    bound's value; for the mechanism's number compare the answer.

    >>> import shufbound
    >>> bound = shufbound.epsilon("1e-6", mechanism={"type": "ldp", "eps0": "4"}, users=10000).upper
    >>> f"{bound:.3f}", float(bound), bound.side
    ('0.411', 0.4108..., 'upper')
    """

    side: str = "none"
    theorems: Tuple[TheoremUse, ...] = ()
    accuracy_reached: bool = False
    data: Optional[Data] = None
    ledger: Optional[Ledger] = None
    guarantee: Optional[str] = None
    notes: Tuple[str, ...] = ()
    at: Mapping[str, str] = field(default_factory=dict, hash=False)  # the order of a conversion, the point of a round, a witness
    delta: Optional[Interval] = None  # of a claim: delta at the claimed eps
    decides: Optional[bool] = None  # of a claim
    json: Mapping[str, Any] = field(default_factory=dict, hash=False)
    end: Optional[str] = None

    @classmethod
    def read(cls, json: Mapping[str, Any], end: Optional[str] = None) -> Bound:
        """A bound in JSON; of an exact one that end bounds the mechanism."""
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
            end=end if json["side"] == "exact" else json["side"] if json["side"] in ("upper", "lower") else None,
        )

    def __float__(self) -> float:
        """The end that the bound is about, rounded outward. A value of both sides or of none has no such end."""
        if self.end is None:
            raise TypeError(f"a bound of side {self.side!r} is no single number: lower() is at most the number, upper() at least")
        return self.upper() if self.end == "upper" else self.lower()

    def __format__(self, spec: str) -> str:
        if not spec or self.end is None:
            return super().__format__(spec)
        up = self.end == "upper"
        return self._end(self.hi_decimal if up else self.lo_decimal, up, spec)

    def __str__(self) -> str:
        return f"{self._interval()} ({self.side}; {', '.join(map(str, self.theorems))})"

    def __repr__(self) -> str:
        return f"<Bound {self._short()} ({self.side}; {', '.join(map(str, self.theorems))})>"

    def to_dict(self) -> Dict[str, Any]:
        """The bound as the library wrote it."""
        return copy.deepcopy(dict(self.json))


@dataclass(frozen=True)
class Answer(_Enclosed):
    """
    What is known of one question.

    A question about a mechanism has ``upper``, the best proved bound from above, and ``lower``, the best from below with its
    neighbouring data; one about a pair or a form has ``value``. What no theorem gives is None. A claim has a ``verdict``.

    A comparison is about the number that was asked for, which lies in ``interval``: ``answer <= 1`` is True where the upper end is at most
    1, False where the lower end is above 1, and raises Undecided elsewhere. A float stands for its exact value there.

    >>> import shufbound
    >>> answer = shufbound.epsilon("1e-6", mechanism={"type": "ldp", "eps0": "4"}, users=10000)
    >>> answer
    <Answer epsilon in [0.40662974608, 0.41081237642]>
    >>> answer <= 1, answer <= 0.1, f"{answer:.3f}", f"{answer.upper:.3f}"
    (True, False, '[0.406, 0.411]', '0.411')
    """

    question: Mapping[str, Any] = field(hash=False)  # as it was understood
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
    json: Mapping[str, Any] = field(hash=False)

    @classmethod
    def read(cls, json: Mapping[str, Any]) -> Answer:
        value, upper, lower = (Bound.read(json[name], end) if name in json else None
                               for name, end in (("value", None), ("upper", "upper"), ("lower", "lower")))
        return cls(json["question"], json["quantity"], value, upper, lower, json.get("verdict"), json.get("reason"), json["complete"],
                   json["accuracy_reached"], json["version"], json.get("id"), json)

    @property
    def tried(self) -> Tuple[Bound, ...]:
        """Every bound that was evaluated for a mechanism."""
        return tuple(map(Bound.read, self.json["tried"]))

    @property
    def interval(self) -> Interval:
        """What encloses the number: that of the value, or from the best bound from below to the best from above."""
        nothing = Interval(None, None)
        lo, hi = self.value or self.lower or nothing, self.value or self.upper or nothing
        return Interval(lo.lo_decimal, hi.hi_decimal, lo.lo_hex, hi.hi_hex, lo.infinite)

    def _ends(self) -> Tuple[_End, _End]:
        return self.interval._ends()

    def _undecided(self) -> Undecided:
        return Undecided(f"undecided: {self.quantity} lies in {self.interval._short()}")

    def __float__(self) -> float:
        raise TypeError("an answer is no single number: " + ("value.lower() is at most the number, value.upper() at least" if self.value is not None else
                                                             "float(answer.upper) is at least the number, float(answer.lower) at most"))

    def __round__(self, ndigits: int = 0) -> Interval:
        return round(self.interval, ndigits)

    def __format__(self, spec: str) -> str:
        return format(self.interval, spec) if spec else str(self)

    def __repr__(self) -> str:
        words = [f"{self.quantity} in {self.interval._short()}"] + ([self.verdict] if self.verdict else []) + ([] if self.complete else ["cut short"])
        return f"<Answer {', '.join(words)}>"

    def _bounds(self) -> Tuple[Tuple[str, Bound], ...]:
        bounds = (("", self.value), ("at most", self.upper), ("at least", self.lower))
        return tuple((words, bound) for words, bound in bounds if bound is not None)

    def __str__(self) -> str:
        lines = [self.verdict] if self.verdict else []
        return "\n".join(lines + [" ".join(filter(None, (self.quantity, words, str(bound)))) for words, bound in self._bounds()])

    def _repr_html_(self) -> str:
        rows = [f"<tr><th>{self.quantity} {words}</th><td>{bound._interval()}</td><td>{', '.join(map(str, bound.theorems))}</td></tr>"
                for words, bound in self._bounds()]
        caption = f"<caption>{html.escape(self.verdict)}</caption>" if self.verdict else ""
        return f"<table>{caption}{''.join(rows)}</table>"

    def to_dict(self) -> Dict[str, Any]:
        """The answer as the library wrote it, by doc/schema."""
        return copy.deepcopy(dict(self.json))

    def to_dataframe(self) -> Any:
        """
        A row for each bound that was evaluated, as a table of pandas, which must be installed. ``lower`` and ``upper`` are floats, rounded outward.

        >>> import shufbound
        >>> frame = shufbound.delta("0.5", mechanism={"type": "ldp", "eps0": "4"}, users=1000).to_dataframe()  # doctest: +SKIP
        >>> list(frame.columns)  # doctest: +SKIP
        ['side', 'lower', 'upper', 'theorems']
        """
        import pandas

        bounds = [self.value] if self.value is not None else self.tried
        return pandas.DataFrame([{"side": bound.side, "lower": bound.lower(), "upper": bound.upper(), "theorems": ", ".join(map(str, bound.theorems))}
                                 for bound in bounds])
