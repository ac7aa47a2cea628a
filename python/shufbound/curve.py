# SPDX-License-Identifier: LGPL-3.0-or-later
"""Answers along a line of points."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Tuple

from .answer import Answer
from .vectors import nearest


@dataclass(frozen=True)
class Curve:
    """
    One answer for each point.

    The bounds are floats rounded outward: ``lower()`` is nowhere above what the mechanism (or the pair) has, ``upper()``
    nowhere below; -inf and inf stand where no theorem says anything.

    >>> import shufbound
    >>> curve = shufbound.curve("delta", ["0.1", "0.2"], mechanism={"type": "ldp", "eps0": "4"}, users=10000)
    >>> curve
    <Curve of delta at 2 values of eps>
    >>> curve.x(), [f"{answer.upper:.2e}" for answer in curve.answers]
    ([0.1, 0.2], ['9.21e-3', '1.07e-3'])
    """

    quantity: str
    against: str
    points: Tuple[Any, ...]
    answers: Tuple[Answer, ...]

    def x(self) -> List[float]:
        """The points as floats, for drawing; they are not exact."""
        return [nearest(str(point)) for point in self.points]

    def lower(self) -> List[float]:
        """For each point a float that is at most the number."""
        return [answer.interval.lower() for answer in self.answers]

    def upper(self) -> List[float]:
        """For each point a float that is at least the number."""
        return [answer.interval.upper() for answer in self.answers]

    def arrays(self) -> Tuple[Any, Any, Any]:
        """x, lower and upper as arrays of numpy, which must be installed."""
        import numpy

        return numpy.array(self.x()), numpy.array(self.lower()), numpy.array(self.upper())

    def to_dict(self) -> Dict[str, Any]:
        """The points as texts and the answers as the library wrote them."""
        return {"quantity": self.quantity, "against": self.against, "points": [str(point) for point in self.points],
                "answers": [answer.to_dict() for answer in self.answers]}

    def to_dataframe(self) -> Any:
        """A row for each point, as a table of pandas, which must be installed: the point, lower and upper, all of them floats."""
        import pandas

        return pandas.DataFrame({self.against: self.x(), "lower": self.lower(), "upper": self.upper()})

    def plot(self, ax: Any = None) -> Any:
        """
        Draws both bounds into axes of matplotlib, which must be installed, and returns the axes.

        The marked points are bounds; the lines between them only guide the eye.
        """
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.figure().add_subplot()
        x, lower, upper = self.x(), self.lower(), self.upper()
        ax.fill_between(x, lower, upper, alpha=0.2, linewidth=0)
        ax.plot(x, upper, marker=".", label="at most")
        ax.plot(x, lower, marker=".", linestyle="--", label="at least")
        ax.set_xlabel(self.against)
        ax.set_ylabel(self.quantity)
        if self.quantity == "delta" and max(upper) > 0:
            ax.set_yscale("log")
        if self.against == "delta":
            ax.set_xscale("log")
        ax.legend()
        return ax

    def __repr__(self) -> str:
        return f"<Curve of {self.quantity} at {len(self.points)} values of {self.against}>"

    def _repr_html_(self) -> str:
        rows = [f"<tr><td>{x}</td><td>{lower}</td><td>{upper}</td></tr>" for x, lower, upper in zip(self.x(), self.lower(), self.upper())]
        return f"<table><tr><th>{self.against}</th><th>{self.quantity} at least</th><th>at most</th></tr>{''.join(rows)}</table>"
