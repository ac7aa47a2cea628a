# SPDX-License-Identifier: LGPL-3.0-or-later
"""Answers along a line of points."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Tuple

from .answer import Answer
from .vectors import nearest


@dataclass(frozen=True)
class Curve:
    """
    One answer for each point.

    The bounds are floats rounded outward: ``lower()`` is nowhere above what the mechanism (or the pair) has, ``upper()``
    nowhere below; -inf and inf stand where no theorem says anything.
    """

    quantity: str
    against: str
    points: Tuple[Any, ...]
    answers: Tuple[Answer, ...]

    def x(self) -> List[float]:
        """The points as floats, for drawing; they are not exact."""
        return [nearest(str(point)) for point in self.points]

    def lower(self) -> List[float]:
        bounds = (a.value or a.lower for a in self.answers)
        return [float("-inf") if b is None else b.lower() for b in bounds]

    def upper(self) -> List[float]:
        bounds = (a.value or a.upper for a in self.answers)
        return [float("inf") if b is None else b.upper() for b in bounds]

    def arrays(self) -> Tuple[Any, Any, Any]:
        """x, lower and upper as arrays of numpy, which must be installed."""
        import numpy

        return numpy.array(self.x()), numpy.array(self.lower()), numpy.array(self.upper())

    def plot(self, axes: Any = None) -> Any:
        """
        Draws both bounds into axes of matplotlib, which must be installed, and returns the axes.

        The marked points are bounds; the lines between them only guide the eye.
        """
        if axes is None:
            from matplotlib import pyplot

            axes = pyplot.figure().add_subplot()
        x, lower, upper = self.x(), self.lower(), self.upper()
        axes.fill_between(x, lower, upper, alpha=0.2, linewidth=0)
        axes.plot(x, upper, marker=".", label="at most")
        axes.plot(x, lower, marker=".", linestyle="--", label="at least")
        axes.set_xlabel(self.against)
        axes.set_ylabel(self.quantity)
        if self.quantity == "delta" and max(upper) > 0:
            axes.set_yscale("log")
        if self.against == "delta":
            axes.set_xscale("log")
        axes.legend()
        return axes
