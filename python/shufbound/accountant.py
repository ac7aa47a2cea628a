# SPDX-License-Identifier: LGPL-3.0-or-later
"""An account of several mechanisms on the same data."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

from .answer import Answer, Error
from .question import Number, Via, delta, epsilon
from .readers import Part, _count, read_account


class Accountant:
    """
    Collects mechanisms that run on the same data, adaptively, and asks for the privacy of them all.

    An event is a part of a question, as its member "rounds" has them (doc/schema); a list of such parts, as the readers give; or a
    DpEvent of dp_accounting, of which a RepeatAndSelectDpEvent goes alone. Noise on a sum that one record changes by at most 1 is a mechanism with one user.

    >>> import shufbound
    >>> account = shufbound.Accountant(digits=3)
    >>> account.compose({"mechanism": {"type": "laplace", "scale": 4}, "users": 1}, 3)
    <Accountant of 3 rounds>
    >>> account.compose({"mechanism": {"type": "ldp", "eps0": 2}, "users": 10000})
    <Accountant of 4 rounds>
    >>> account.get_epsilon("1e-6") <= 0.9
    True

    Several different mechanisms take seconds to minutes with the six digits that are the default; three digits take a tenth of a second here.
    """

    def __init__(self, *, via: Optional[Via] = None, digits: Optional[int] = None, effort: Optional[Number] = None,
                 max_seconds: Optional[Number] = None) -> None:
        self._parts: List[Mapping[str, Any]] = []
        self._events: List[Tuple[Any, int]] = []
        self._via: Optional[Via] = via
        self._digits, self._effort, self._max_seconds = digits, effort, max_seconds

    def compose(self, event: Any, count: int = 1) -> Accountant:
        """
        Adds the event so many times. What cannot be expressed is refused by its name, and nothing is added.

        >>> import shufbound
        >>> class ZCDpEvent:  # as dp_accounting has it
        ...     rho = 1.0
        >>> shufbound.Accountant().compose(ZCDpEvent())
        Traceback (most recent call last):
        ...
        shufbound.answer.Error: ZCDpEvent cannot be expressed; allowed are GaussianDpEvent, ...
        """
        times = _count(count, "count")
        if times == 0:
            raise Error('"count" is 0: a number from 1 is allowed', "count")
        parts, events = list(self._parts), list(self._events)
        if isinstance(event, (Mapping, list, tuple)):
            for part in [event] if isinstance(event, Mapping) else event:
                parts.append({**part, "rounds": _count(part.get("rounds", 1), "rounds") * times})
        else:
            events.append((event, times))
        read_account(events, parts)
        self._parts, self._events = parts, events
        return self

    @property
    def rounds(self) -> List[Part]:
        """
        The member "rounds" of the question that is asked.

        >>> import shufbound
        >>> shufbound.Accountant().compose({"pair": {"type": "clones", "eps0": 1}, "users": 100}, 2).rounds
        [{'pair': {'type': 'clones', 'eps0': 1}, 'users': 100, 'rounds': 2}]
        """
        return list(read_account(self._events, self._parts)["rounds"])

    def _asked(self) -> Dict[str, Any]:
        members = read_account(self._events, self._parts)
        if not members["rounds"]:
            raise Error("nothing was composed")
        return {**members, "via": self._via, "digits": self._digits, "effort": self._effort, "max_seconds": self._max_seconds}

    def get_epsilon(self, delta: Number) -> Answer:
        """
        The smallest eps with delta(eps) <= delta, of all that was composed.

        >>> import shufbound
        >>> account = shufbound.Accountant().compose(shufbound.readers.opacus([(1.0, 0.01, 1000)]))
        >>> f"{account.get_epsilon('1e-5'):.4f}"
        '[1.8282, 1.8283]'
        """
        return epsilon(delta, **self._asked())

    def get_delta(self, eps: Number) -> Answer:
        """
        delta(eps) of all that was composed.

        >>> import shufbound
        >>> account = shufbound.Accountant().compose({"mechanism": {"type": "laplace", "scale": 1}, "users": 1})
        >>> f"{account.get_delta('1/2').upper:.4f}"
        '0.2212'
        """
        return delta(eps, **self._asked())

    def __repr__(self) -> str:
        return f"<Accountant of {sum(part['rounds'] for part in self.rounds)} rounds>"
