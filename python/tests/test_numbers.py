# SPDX-License-Identifier: LGPL-3.0-or-later
"""The ends of an interval are exact, and floats are on the right side of them."""
import math
import sys
from fractions import Fraction

import pytest

from shufbound.answer import Bound, Interval, _ceil, _floor


def test_float_is_outward(rng):
    for _ in range(20000):
        digits = rng.randrange(1, 30)
        text = f"{rng.choice(['', '-'])}{rng.randrange(10)}.{rng.randrange(10**digits):0{digits}d}e{rng.randrange(-340, 320)}"
        down, up = _floor(text), _ceil(text)
        assert -math.inf <= down <= up <= math.inf
        for x, below in ((down, True), (up, False)):
            if math.isfinite(x):
                assert Fraction(x) <= Fraction(text) if below else Fraction(x) >= Fraction(text)
        assert down == up or math.nextafter(down, math.inf) == up
    assert (_floor("1e-400"), _ceil("1e-400"), _ceil("-1e-400")) == (0, 5e-324, 0)
    assert (_floor("1e400"), _ceil("1e400"), _floor("-1e400")) == (sys.float_info.max, math.inf, -math.inf)
    assert (_floor("1e-10000000000"), _ceil("1e-10000000000")) == (0, 5e-324)


def test_tighter_end():
    one = Interval("0.1", "0.3", (0.2).hex(), (0.25).hex())
    two = Interval("0.1", "0.3", (0.05).hex(), (0.35).hex())
    assert (one.lo, one.hi, one.lower(), one.upper()) == (Fraction(0.2), Fraction(1, 4), 0.2, 0.25)
    assert (two.lo, two.hi) == (Fraction(1, 10), Fraction(3, 10))
    assert two.lower() == math.nextafter(0.1, 0) and two.upper() == math.nextafter(0.3, 1)
    open_end = Interval("1", None, "0x1p+0", "unbounded")
    assert (open_end.lo, open_end.hi, open_end.upper()) == (1, None, math.inf)
    infinite = Interval(None, None, infinite=True)
    assert (infinite.lo, infinite.hi, infinite.lower(), infinite.upper()) == (None, None, math.inf, math.inf)
    with pytest.raises(OverflowError):
        Interval("1e-10000000000", None).lo
    bound = {"lo": "0.1", "hi": "0.3", "lo_hex": None, "hi_hex": None, "theorems": [], "accuracy_reached": True}
    assert float(Bound.read({**bound, "side": "upper"})) == math.nextafter(0.3, 1)
    assert float(Bound.read({**bound, "side": "lower"})) == math.nextafter(0.1, 0)
    for side in ("exact", "none"):
        with pytest.raises(TypeError):
            float(Bound.read({**bound, "side": side}))
