# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Test vectors for other libraries: files of questions and proved enclosures, and the rule that judges a bound by them.

Nothing here needs the shared library. vectors/README.md explains the files.
"""
from __future__ import annotations

import hashlib
import json
import math
import re
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Iterable, List, Mapping, Optional, Protocol, Tuple, Union

from .answer import Interval, _number


class Scalar(Protocol):
    """A number of numpy, or an array of one number."""

    def item(self) -> Any:
        """It as a number of Python, where that has the same value."""


class Array(Protocol):
    """An array of numpy."""

    def ravel(self) -> Any:
        """Its elements in a line."""


Bound = Union[float, int, str, Fraction, Decimal, Scalar]


def _rational(text: str) -> Fraction:
    if "/" in text:
        numerator, denominator = text.split("/")
        return _rational(numerator) / _rational(denominator)
    return Fraction(float.fromhex(text)) if "x" in text.lower() else Fraction(text)


def nearest(text: str) -> float:
    """A double next to the number that a parameter stands for."""
    if text == "inf":
        return math.inf
    logarithm = re.fullmatch(r"log\((.+)\)", text)
    return math.log(_rational(logarithm.group(1))) if logarithm else float(_rational(text))


def _outward(text: str, direction: float) -> float:
    x = nearest(text)
    if text.startswith("log("):
        # a library's logarithm, of a number that was rounded, is within two units of the last place
        for _ in range(3):
            x = math.nextafter(x, direction)
        return x
    exact = _rational(text)
    short = Fraction(x) < exact if direction > 0 else Fraction(x) > exact
    return math.nextafter(x, direction) if short else x


def at_least(text: str) -> float:
    """A double that is at least the number that a parameter stands for."""
    return _outward(text, math.inf)


def at_most(text: str) -> float:
    """A double that is at most the number that a parameter stands for."""
    return _outward(text, -math.inf)


def _bound(x: Bound) -> Union[Fraction, float]:
    """The exact value; a float only if it is infinite or no number."""
    if isinstance(x, str):
        return float(x) if x.strip("+-").lower() in ("inf", "infinity", "nan") else _rational(x)
    number = _number(x.item() if hasattr(x, "item") else x)
    if number is None:
        raise TypeError(f"a bound is a number, and not a {type(x).__name__}")
    return number


def _each(bounds: Union[Bound, Array]) -> Iterable[Bound]:
    elements: List[Bound] = list(bounds.ravel()) if hasattr(bounds, "ravel") else [bounds]
    if not elements:
        raise ValueError("an array without a bound")
    return elements


@dataclass(frozen=True)
class Vector:
    """
    One test: a question, and an interval that contains the number it asks for.

    >>> from shufbound import Interval
    >>> from shufbound.vectors import Vector
    >>> question = {"pair": {"type": "rr2", "eps0": "1"}, "users": "2", "ask": {"quantity": "delta", "eps": "0"}}
    >>> vector = Vector(1, "an example", (), question, Interval("0.24", "0.25"), "rr2", "lower", None, {})
    >>> vector.judge("upper", 0.25), vector.judge("upper", "0.23"), vector.judge("lower", "0.245")
    ('sound', 'unsound', 'undecided')
    >>> vector.check(upper=0.26, lower=0.2)
    """

    id: int  # tcId
    comment: str
    flags: Tuple[str, ...]
    question: Mapping[str, Any] = field(hash=False)
    result: Interval
    theorem: str
    side: str
    bound: Optional[str]  # "upper" or "lower": the result is that bound on a mechanism, whose number is not known unless side is "exact"
    json: Mapping[str, Any] = field(repr=False, hash=False)

    @property
    def subject(self) -> Mapping[str, Any]:
        """The pair or the mechanism."""
        subject: Mapping[str, Any] = self.question.get("pair") or self.question["mechanism"]
        return subject

    @property
    def quantity(self) -> str:
        return str(self.question["ask"]["quantity"])

    def judge(self, side: str, bound: Bound, tolerance: Union[str, Fraction] = "0") -> str:
        """
        "sound", "unsound" or "undecided" (it lies inside of the enclosure): a bound from above (side "upper") or below ("lower").

        A relative tolerance takes an upper bound for (1 + tolerance) times as much, and a lower one for less, as
        ``shufbound vectors judge --tolerance`` does. Where the vector is a bound on a mechanism, and not its exact number, a better one is not
        unsound, and one from the other side is not known to be sound.
        """
        if side not in ("upper", "lower"):
            raise ValueError(f"side is {side!r}: upper or lower is allowed")
        x = _bound(bound)
        if isinstance(x, float):
            if math.isnan(x):
                return "unsound"
            trivial = x > 0 if side == "upper" else x < 0
            return "sound" if trivial or (self.result.infinite and x > 0) else "unsound"
        verdict = self._compare(side, x, Fraction(tolerance))
        if self.bound is not None and self.side != "exact" and verdict == ("unsound" if side == self.bound else "sound"):
            return "undecided"
        return verdict

    def _compare(self, side: str, x: Fraction, tolerance: Fraction) -> str:
        if self.result.infinite:
            return "unsound" if side == "upper" else "sound"
        lo, hi = self.result.lo, self.result.hi
        assert lo is not None and hi is not None
        slack = abs(x) * tolerance
        if side == "upper":
            x += slack
            return "sound" if x >= hi else "unsound" if x < lo else "undecided"
        x -= slack
        return "sound" if x <= lo else "unsound" if x > hi else "undecided"

    def check(self, *, upper: Union[Bound, Array, None] = None, lower: Union[Bound, Array, None] = None,
              tolerance: Union[str, Fraction] = "0", strict: bool = False) -> None:
        """
        Raises AssertionError for a bound that is certainly wrong; if strict, for every bound that is not certainly right. A plain estimate is
        given as both. A number of numpy has its exact value; of an array each element must pass.
        """
        if upper is None and lower is None:
            raise ValueError("neither an upper nor a lower bound")
        for side, bounds in (("upper", upper), ("lower", lower)):
            for bound in _each(bounds) if bounds is not None else ():
                verdict = self.judge(side, bound, tolerance)
                if verdict == "unsound" or (strict and verdict == "undecided"):
                    what = "no" if verdict == "unsound" else "not certainly " + ("an" if side == "upper" else "a")
                    raise AssertionError(f"tcId {self.id} ({self.comment}): {bound} is {what} {side} bound on {self.quantity}, which lies in "
                                         f"{self.result}; {json.dumps(self.question)}")

    def __str__(self) -> str:
        return f"tcId {self.id}"


class ChecksumError(ValueError):
    """A file of vectors that is not the one that was pinned."""


def load(path: Union[str, Path], sha256: Optional[str] = None) -> List[Vector]:
    """The tests of a file; with sha256 it must be the file of that checksum."""
    content = Path(path).read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if sha256 is not None and found != sha256.lower():
        raise ChecksumError(f"{path} has the SHA-256 {found}, and not {sha256}: it is of another release of the vectors")

    def read(test: Mapping[str, Any]) -> Vector:
        if "claim" in test:
            raise ValueError(f"{path} has claims that are refuted, and no results: no bound can be checked by it")
        r = test["result"]
        result = Interval(r.get("lo"), r.get("hi"), r.get("lo_hex"), r.get("hi_hex"), r.get("infinite", False))
        return Vector(test["tcId"], test["comment"], tuple(test["flags"]), test["question"], result, r["theorem"], r["side"],
                      test.get("bound"), test)

    return [read(test) for group in json.loads(content)["testGroups"] for test in group["tests"]]
