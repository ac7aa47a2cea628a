# SPDX-License-Identifier: LGPL-3.0-or-later
"""Questions, as doc/schema/question.schema.json defines them, with exact numbers."""
from __future__ import annotations

import ctypes
import json
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Integral
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from . import _library
from .answer import Answer, Error
from .curve import Curve

# A number: a text is a decimal ("0.1" is one tenth), a fraction, a hexadecimal float or "log(..)" of one of these. Never a
# float, which would be another number than the one that was written.
Number = Union[str, int, Fraction, Decimal]
Value = Union[Number, Mapping[str, Any], Sequence[Any]]

# Beyond this an integer is a text, for the library's JSON.
_MAX_INTEGER = 2**63


def _write(value: object, member: str) -> object:
    """The value in JSON; floats are refused."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, Integral):
        return int(value) if abs(int(value)) < _MAX_INTEGER else str(int(value))
    if isinstance(value, Mapping):
        return {key: _write(item, str(key)) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [_write(item, member) for item in value]
    if isinstance(value, float):
        raise Error(f'"{member}" is the float {value!r}: a number must be exact. Write "{value!r}" for this decimal, or '
                    "Fraction(x) for the double's own value", member)
    raise Error(f'"{member}" is a {type(value).__name__}: a text, an integer, a Fraction or a Decimal is allowed', member)


def _member(message: str, id: Optional[str]) -> Optional[str]:
    """The member that a message of the library begins with, after the question's id and the round."""
    if id is not None:
        message = re.sub(r'^".*?": ', "", message)
    found = re.match(r'(?:rounds \d+: )?(?:unknown member |either )?"([^"]+)"', message)
    return found.group(1) if found else None


def ask(question: Union[Mapping[str, Any], str], progress: Optional[Callable[[str], object]] = None) -> Answer:
    """
    The answer to a question, an object as doc/schema defines it or the JSON text of one.

    ``progress`` is called now and then with a line on what is being done. Raises Error if there is no answer. Other threads run on, and
    Ctrl-C raises KeyboardInterrupt and ends a computation within about a second; "max_seconds" in the question does it after a time, with the best
    bounds until then.
    """
    text = question if isinstance(question, str) else json.dumps(_write(question, "question"), ensure_ascii=False)
    try:
        asked = text.encode()
    except UnicodeEncodeError as error:
        raise Error(f"the question is no Unicode text: {error}") from error
    if b"\0" in asked:
        raise Error("not JSON: a question has no NUL")
    answer = json.loads(_library.answer(asked, progress))
    if "error" in answer:
        raise Error(answer["error"], _member(answer["error"], answer.get("id")), answer.get("id"))
    return Answer.read(answer)


def _ask(members: Mapping[str, Optional[Value]], mechanism: Optional[Mapping[str, Any]], pair: Optional[Mapping[str, Any]],
         users: Optional[Number], **asked: Mapping[str, Any]) -> Answer:
    question: dict[str, object] = {"mechanism": mechanism, "pair": pair, "users": users, **members, **asked}
    return ask({key: value for key, value in question.items() if value is not None})


def delta(eps: Number, *, mechanism: Optional[Mapping[str, Any]] = None, pair: Optional[Mapping[str, Any]] = None,
          users: Optional[Number] = None, **members: Optional[Value]) -> Answer:
    """delta(eps) of a mechanism or a pair. Further members of the question, such as rounds, sample and digits, go by their names."""
    return _ask(members, mechanism, pair, users, ask={"quantity": "delta", "eps": eps})


def epsilon(delta: Number, *, mechanism: Optional[Mapping[str, Any]] = None, pair: Optional[Mapping[str, Any]] = None,
            users: Optional[Number] = None, **members: Optional[Value]) -> Answer:
    """The smallest eps with delta(eps) <= delta."""
    return _ask(members, mechanism, pair, users, ask={"quantity": "epsilon", "delta": delta})


def renyi(order: Number, *, mechanism: Optional[Mapping[str, Any]] = None, pair: Optional[Mapping[str, Any]] = None,
          users: Optional[Number] = None, **members: Optional[Value]) -> Answer:
    """The Renyi divergence of that order; "inf" is the largest loss."""
    return _ask(members, mechanism, pair, users, ask={"quantity": "renyi", "order": order})


def audit(claim: Mapping[str, Any], *, mechanism: Mapping[str, Any], users: Optional[Number] = None,
          **members: Optional[Value]) -> Answer:
    """
    Judges a claim: {"eps": .., "delta": ..}, {"order": .., "renyi": ..} or {"mu": .., "eps": [.., ..]}.

    The answer's ``verdict`` is "certified", "refuted" or "undecided".
    """
    return _ask(members, mechanism, None, users, claim=claim)


def dpsgd(*, sampler: str, noise_multiplier: Optional[Number] = None, steps: Optional[Number] = None, sampling_rate: Optional[Number] = None,
          epochs: Optional[Number] = None, eps: Optional[Number] = None, delta: Optional[Number] = None, solve: Optional[str] = None,
          **members: Optional[Value]) -> Answer:
    """
    Noisy SGD with batches drawn by the sampler: "poisson", "balls-and-bins", "random-allocation", "shuffle" or "fixed". Neighbours remove one
    record.

    With eps the answer is delta, with delta it is epsilon, with both a verdict; or with both what solve says: "noise_multiplier" or "epochs".
    """
    given = {"type": "noisy-sgd", "sampler": sampler, "noise_multiplier": noise_multiplier, "steps": steps, "sampling_rate": sampling_rate}
    mechanism = {key: value for key, value in given.items() if value is not None}
    point = {key: value for key, value in (("eps", eps), ("delta", delta)) if value is not None}
    if solve is None and len(point) == 2:
        return _ask({"rounds": epochs, **members}, mechanism, None, None, claim=point)
    quantity = solve if solve is not None else "delta" if eps is not None else "epsilon"
    return _ask({"rounds": epochs, **members}, mechanism, None, None, ask={"quantity": quantity, **point})


_POINT = {"delta": "eps", "epsilon": "delta", "renyi": "order"}


def curve(quantity: str, points: Sequence[Number], *, mechanism: Optional[Mapping[str, Any]] = None,
          pair: Optional[Mapping[str, Any]] = None, users: Optional[Number] = None, **members: Optional[Value]) -> Curve:
    """delta against eps, epsilon against delta, or renyi against the order, at each of the points."""
    if quantity not in _POINT:
        raise Error(f'"quantity" is {quantity!r}: delta, epsilon or renyi is allowed', "quantity")
    point = _POINT[quantity]
    answers = tuple(_ask(members, mechanism, pair, users, ask={"quantity": quantity, point: x}) for x in points)
    return Curve(quantity, point, tuple(points), answers)


@dataclass(frozen=True)
class Theorem:
    """A theorem of the registry. Only a proved one certifies."""

    id: str
    status: str
    side: str
    checked: str
    checked_in: Optional[str]
    statement: str
    validity: str
    source: str
    proof: str


def theorems() -> tuple[Theorem, ...]:
    """All theorems that the library knows."""
    library = _library.library()
    count = ctypes.c_size_t()
    registry = library.shuf_theorems(ctypes.byref(count))

    def read(t: _library.TheoremStruct) -> Theorem:
        return Theorem(t.id.decode(), library.shuf_theorem_status_name(t.status).decode(), library.shuf_side_name(t.side).decode(),
                       library.shuf_checked_name(t.checked).decode(), t.checked_in.decode() if t.checked_in is not None else None,
                       t.statement.decode(), t.validity.decode(), t.source.decode(), t.proof.decode())

    return tuple(read(registry[i]) for i in range(count.value))
