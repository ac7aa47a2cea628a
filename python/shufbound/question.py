# SPDX-License-Identifier: LGPL-3.0-or-later
"""Questions, as doc/schema/question.schema.json defines them, with exact numbers."""
from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from numbers import Integral
from typing import Any, Callable, Dict, Iterable, Literal, Mapping, NoReturn, Optional, Sequence, Tuple, Union

from . import _library
from .answer import Answer, Error, OutOfTime
from .curve import Curve
from .vectors import _rational

# A number: a text is a decimal ("0.1" is one tenth), a fraction, a hexadecimal float or "log(..)" of one of these. Never a
# float, which would be another number than the one that was written.
Number = Union[str, int, Fraction, Decimal]
Members = Mapping[str, Any]
Users = Union[Number, Mapping[str, Number]]
Rounds = Union[Number, Sequence[Members]]
Sampler = Literal["poisson", "balls-and-bins", "random-allocation", "shuffle", "fixed", "without-replacement"]
Via = Literal["pld", "renyi", "strong-composition"]

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
    if hasattr(value, "as_integer_ratio"):
        own = "Fraction(x)" if isinstance(value, float) else "Fraction(*x.as_integer_ratio())"
        raise Error(f'"{member}" is the float {value}: a number must be exact. Write "{value}" for this decimal, or {own} for the '
                    "double's own value", member)
    if isinstance(value, Mapping):
        return {key: _write(item, str(key)) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [_write(item, member) for item in value]
    if hasattr(value, "tolist"):  # numpy's arrays and truth values
        return _write(value.tolist(), member)
    raise Error(f'"{member}" is a {type(value).__name__}: a text, an integer, a Fraction or a Decimal is allowed', member)


def _member(message: str, id: Optional[str]) -> Optional[str]:
    """The member that a message of the library begins with, after the question's id and the round."""
    if id is not None:
        message = re.sub(r'^".*?": ', "", message)
    found = re.match(r'(?:rounds \d+: )?(?:unknown member |either )?"([^"]+)"', message)
    return found.group(1) if found else None


def _fail(message: str, id: Optional[str]) -> NoReturn:
    # nothing but max_seconds interrupts a computation whose caller still waits
    cut = re.search(r"interrupted (before .*)", message)
    if cut:
        raise OutOfTime(f"max_seconds ran out {cut.group(1)}", "max_seconds", id)
    raise Error(message, _member(message, id), id)


def ask(question: Union[Members, str], progress: Optional[Callable[[str], object]] = None) -> Answer:
    """
    The answer to a question, an object as doc/schema defines it or the JSON text of one.

    ``progress`` is called now and then with a line on what is being done. Raises Error if there is no answer. Other threads run on, and
    Ctrl-C raises KeyboardInterrupt and ends a computation within about a second; "max_seconds" in the question does it after a time, with the best
    bounds until then, or raises OutOfTime where there is none yet.

    >>> import shufbound
    >>> shufbound.ask({"pair": {"type": "clones", "eps0": "4"}, "users": 10000, "ask": {"quantity": "delta", "eps": "0.5"}})
    <Answer delta in [1.4552590355144235e-5, 1.4552590355144237e-5]>
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
        _fail(answer["error"], answer.get("id"))
    return Answer.read(answer)


def _ask(members: Mapping[str, object], point: Tuple[str, ...], **asked: object) -> Answer:
    """Asks with the keywords of the caller that are not None, but for those of the point, which are in "ask" or "claim"."""
    given = {key: value for key, value in members.items() if value is not None and key not in point}
    return ask({**given, **asked})


def delta(eps: Number, *, mechanism: Optional[Members] = None, pair: Optional[Members] = None, users: Optional[Users] = None,
          honest: Optional[Number] = None, reports_per_user: Optional[Number] = None, release: Optional[Literal["reports", "sum"]] = None,
          neighbours: Optional[Literal["replace", "remove"]] = None, sample: Optional[Members] = None, rounds: Optional[Rounds] = None,
          form: Optional[Members] = None, selection: Optional[Members] = None,
          direction: Optional[Literal["both", "pq", "qp"]] = None, via: Optional[Via] = None,
          fast: Optional[bool] = None, digits: Optional[int] = None,
          effort: Optional[Number] = None, max_seconds: Optional[Number] = None, id: Optional[str] = None) -> Answer:
    """
    delta(eps) of a mechanism or a pair. The keywords are the members of a question (doc/schema).

    >>> import shufbound
    >>> answer = shufbound.delta("0.5", mechanism={"type": "krr", "k": 16, "eps0": "2"}, users=1000)
    >>> answer <= 1e-6, f"{answer.upper:.2e}"
    (True, '7.48e-20')
    """
    return _ask(locals(), ("eps",), ask={"quantity": "delta", "eps": eps})


def epsilon(delta: Number, *, mechanism: Optional[Members] = None, pair: Optional[Members] = None, users: Optional[Users] = None,
            honest: Optional[Number] = None, reports_per_user: Optional[Number] = None, release: Optional[Literal["reports", "sum"]] = None,
            neighbours: Optional[Literal["replace", "remove"]] = None, sample: Optional[Members] = None, rounds: Optional[Rounds] = None,
            form: Optional[Members] = None, selection: Optional[Members] = None,
            direction: Optional[Literal["both", "pq", "qp"]] = None, via: Optional[Via] = None,
            fast: Optional[bool] = None, digits: Optional[int] = None,
            effort: Optional[Number] = None, max_seconds: Optional[Number] = None, id: Optional[str] = None) -> Answer:
    """
    The smallest eps with delta(eps) <= delta. The keywords are the members of a question (doc/schema).

    >>> import shufbound
    >>> shufbound.epsilon("1e-5", mechanism={"type": "gaussian", "scale": 4}, users=1)
    <Answer epsilon in [0.9263..., 0.9263...]>
    """
    return _ask(locals(), ("delta",), ask={"quantity": "epsilon", "delta": delta})


def renyi(order: Number, *, mechanism: Optional[Members] = None, pair: Optional[Members] = None, users: Optional[Users] = None,
          honest: Optional[Number] = None, reports_per_user: Optional[Number] = None, release: Optional[Literal["reports", "sum"]] = None,
          neighbours: Optional[Literal["replace", "remove"]] = None, sample: Optional[Members] = None, rounds: Optional[Rounds] = None,
          form: Optional[Members] = None, selection: Optional[Members] = None,
          direction: Optional[Literal["both", "pq", "qp"]] = None, via: Optional[Via] = None,
          fast: Optional[bool] = None, digits: Optional[int] = None,
          effort: Optional[Number] = None, max_seconds: Optional[Number] = None, id: Optional[str] = None) -> Answer:
    """
    The Renyi divergence of that order; "inf" is the largest loss. The keywords are the members of a question (doc/schema).

    >>> import shufbound
    >>> shufbound.renyi(2, pair={"type": "clones", "eps0": "4"}, users=10000) < 0.1
    True
    """
    return _ask(locals(), ("order",), ask={"quantity": "renyi", "order": order})


def audit(claim: Members, *, mechanism: Optional[Members] = None, users: Optional[Users] = None, honest: Optional[Number] = None,
          reports_per_user: Optional[Number] = None, release: Optional[Literal["reports", "sum"]] = None,
          neighbours: Optional[Literal["replace", "remove"]] = None, sample: Optional[Members] = None, rounds: Optional[Rounds] = None,
          selection: Optional[Members] = None, via: Optional[Via] = None, fast: Optional[bool] = None,
          digits: Optional[int] = None, effort: Optional[Number] = None, max_seconds: Optional[Number] = None,
          id: Optional[str] = None) -> Answer:
    """
    Judges a claim: {"eps": .., "delta": ..}, {"order": .., "renyi": ..}, {"rho": ..} or {"mu": .., "eps": [.., ..]}.

    The answer's ``verdict`` is "certified", "refuted" or "undecided". The keywords are the members of a question (doc/schema).

    >>> import shufbound
    >>> shufbound.audit({"eps": "0.1", "delta": "1e-6"}, mechanism={"type": "ldp", "eps0": "4"}, users=10000).verdict
    'refuted'
    """
    return _ask(locals(), (), claim=claim)


def dpsgd(*, sampler: Sampler = "poisson", noise_multiplier: Optional[Number] = None, steps: Optional[Number] = None,
          sampling_rate: Optional[Number] = None, epochs: Optional[Number] = None, eps: Optional[Number] = None,
          delta: Optional[Number] = None, solve: Optional[Literal["noise_multiplier", "epochs"]] = None, digits: Optional[int] = None,
          effort: Optional[Number] = None, max_seconds: Optional[Number] = None, id: Optional[str] = None,
          neighbours: Optional[Literal["replace", "remove"]] = None, records_per_user: Optional[Number] = None,
          max_batch_size: Optional[Number] = None, dataset_size: Optional[Number] = None, strategy: object = None,
          bands: Optional[Number] = None, every: Optional[Number] = None, separation: Optional[Number] = None,
          times: Optional[Number] = None) -> Answer:
    """
    Noisy SGD with batches drawn by the sampler; without one by Poisson sampling, which a data loader that shuffles does not do.
    Neighbours remove one record, unless they are said to replace one; with without-replacement they always replace one.
    With records_per_user they remove or replace all records of one user. With max_batch_size larger Poisson batches are cut; dataset_size goes with it.
    A matrix mechanism has a strategy, "square-root", "tree", the first column of a Toeplitz matrix or its rows, and every or separation.

    With eps the answer is delta, with delta it is epsilon, with both a verdict; or with both what solve says.

    >>> import shufbound
    >>> answer = shufbound.dpsgd(noise_multiplier=1, sampling_rate="1/100", epochs=3, delta="1e-5")
    >>> f"{answer:.4f}"
    '[1.0680, 1.0681]'
    """
    given = {"type": "noisy-sgd", "sampler": sampler, "noise_multiplier": noise_multiplier, "steps": steps, "sampling_rate": sampling_rate,
             "records_per_user": records_per_user, "max_batch_size": max_batch_size, "dataset_size": dataset_size, "strategy": strategy, "bands": bands, "every": every,
             "separation": separation, "times": times}
    mechanism = {key: value for key, value in given.items() if value is not None}
    point = {key: value for key, value in (("eps", eps), ("delta", delta)) if value is not None}
    members = {"mechanism": mechanism, "rounds": epochs, "neighbours": neighbours, "digits": digits, "effort": effort, "max_seconds": max_seconds, "id": id}
    if solve is None and len(point) == 2:
        return _ask(members, (), claim=point)
    quantity = solve if solve is not None else "delta" if eps is not None else "epsilon"
    asked: Dict[str, object] = {"quantity": quantity, **point}
    return _ask(members, (), ask=asked)


_POINT = {"delta": "eps", "epsilon": "delta", "renyi": "order"}


def grid(first: Number, last: Number, count: int, *, log: bool = False) -> Tuple[Fraction, ...]:
    """
    So many points from first to last, both included, as exact fractions at equal distances.

    With ``log`` their ratios are nearly equal: the points between the ends are decimals of six digits.

    >>> from shufbound import grid
    >>> [str(x) for x in grid("0.1", "1", 4)]
    ['1/10', '2/5', '7/10', '1']
    >>> [str(x) for x in grid("1e-8", "1e-4", 3, log=True)]
    ['1/100000000', '1/1000000', '1/10000']
    """
    a, b = _rational(str(_write(first, "first"))), _rational(str(_write(last, "last")))
    if count < 2:
        raise Error(f'"count" is {count}: a grid has at least two points', "count")
    if not log:
        return tuple(a + (b - a) * i / (count - 1) for i in range(count))
    if min(a, b) <= 0:
        raise Error("the ends of a logarithmic grid must be positive")
    between = (math.exp(math.log(a) + (math.log(b) - math.log(a)) * i / (count - 1)) for i in range(1, count - 1))
    return (a, *(Fraction(f"{x:.5e}") for x in between), b)


def curve(quantity: Literal["delta", "epsilon", "renyi"], points: Iterable[Number], *, mechanism: Optional[Members] = None,
          pair: Optional[Members] = None, users: Optional[Users] = None, honest: Optional[Number] = None,
          reports_per_user: Optional[Number] = None, release: Optional[Literal["reports", "sum"]] = None,
          neighbours: Optional[Literal["replace", "remove"]] = None, sample: Optional[Members] = None, rounds: Optional[Rounds] = None,
          form: Optional[Members] = None, selection: Optional[Members] = None,
          direction: Optional[Literal["both", "pq", "qp"]] = None, via: Optional[Via] = None,
          fast: Optional[bool] = None, digits: Optional[int] = None,
          effort: Optional[Number] = None, max_seconds: Optional[Number] = None) -> Curve:
    """
    delta against eps, epsilon against delta, or renyi against the order, at each of the points.

    >>> import shufbound
    >>> curve = shufbound.curve("delta", shufbound.grid("0.1", "1", 10), mechanism={"type": "ldp", "eps0": "4"}, users=10000)
    >>> curve, curve.answers[9] <= 1e-9
    (<Curve of delta at 10 values of eps>, True)
    """
    members = {**locals()}
    if quantity not in _POINT:
        raise Error(f'"quantity" is {quantity!r}: delta, epsilon or renyi is allowed', "quantity")
    points = tuple(points)
    answers = tuple(_ask(members, ("quantity", "points"), ask={"quantity": quantity, _POINT[quantity]: x}) for x in points)
    return Curve(quantity, _POINT[quantity], points, answers)


@dataclass(frozen=True)
class Theorem:
    """
    A theorem of the registry. Only a proved one certifies.

    >>> import shufbound
    >>> {t.id: t.status for t in shufbound.theorems()}["clones"]
    'proved'
    """

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
    """
    All theorems that the library knows.

    >>> import shufbound
    >>> sorted({t.status for t in shufbound.theorems()})
    ['conditional', 'proved', 'refuted', 'unproved']
    """
    registry = json.loads(_library.take(_library.library().shuf_theorems_json()))
    if isinstance(registry, dict):
        raise MemoryError(registry["error"])
    return tuple(Theorem(*(t.get(field.name) for field in fields(Theorem))) for t in registry)
