# SPDX-License-Identifier: LGPL-3.0-or-later
"""The ends of an interval are exact, and floats are on the right side of them."""
import math
import operator
import sys
from decimal import Decimal
from fractions import Fraction

import pytest

from shufbound.answer import Bound, Interval, Undecided, _ceil, _floor


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
    assert [float(Bound.read({**bound, "side": "exact"}, end)) for end in ("upper", "lower")] == [math.nextafter(0.3, 1), math.nextafter(0.1, 0)]
    with pytest.raises(TypeError, match="lower\\(\\) is at most"):
        float(Bound.read({**bound, "side": "none"}, "upper"))


COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge]


def decided(compare, x, y):
    try:
        return compare(x, y)
    except Undecided:
        return None


@pytest.mark.parametrize("compare", COMPARISONS)
def test_comparison_holds_for_every_number_inside(compare):
    ends = [Fraction(i, 4) for i in range(5)]
    intervals = [Interval(str(float(a)), str(float(b))) for a in ends for b in ends if a <= b]
    for x in intervals:
        for c in ends:
            verdicts = {compare(a, c) for a in (x.lo, x.hi)}
            expected = verdicts.pop() if len(verdicts) == 1 else None
            for number in (c, float(c), Decimal(str(float(c)))) + ((int(c),) if c.denominator == 1 else ()):
                assert decided(compare, x, number) is expected
        for y in intervals:
            verdicts = {compare(a, b) for a in (x.lo, x.hi) for b in (y.lo, y.hi)}
            assert decided(compare, x, y) is (verdicts.pop() if len(verdicts) == 1 else None)


def test_comparison_of_ends_that_are_not_finite():
    up, infinite, all_ = Interval("1", None), Interval(None, None, infinite=True), Interval(None, None)
    assert up >= 1 and up <= math.inf and infinite > 1e300 and infinite >= math.inf and not infinite < math.inf
    assert all_ <= math.inf and decided(operator.lt, all_, 1) is None and decided(operator.le, up, 1e300) is None
    for compare in COMPARISONS:
        assert decided(compare, Interval("0", "1"), math.nan) is None
        with pytest.raises(TypeError):
            compare(Interval("0", "1"), "0.5")
    # a float is the number that it is, and 0.1 is more than a tenth
    assert Interval("0.1", "0.1") < 0.1 and not Interval("0.1", "0.1") < Fraction(1, 10)
    assert Interval("0.1", "0.1") < Decimal("0.10000000000000000001") and Interval("0.1", "0.1") >= Decimal("0.1")
    # digits that no memory would hold
    tiny = Interval("1e-10000000000", "1e-10000000000")
    assert tiny >= 0 and tiny <= 5e-324 and decided(operator.le, tiny, 0) is None


def test_rounded_outward(rng):
    for _ in range(2000):
        digits = [f"{rng.choice(['', '-'])}{rng.randrange(10)}.{rng.randrange(10**12):012d}e{rng.randrange(-6, 6)}" for _ in range(2)]
        x = Interval(*sorted(digits, key=Fraction))
        places = rng.randrange(-3, 12)
        rounded = round(x, places)
        texts = [format(x, spec)[1:-1].split(", ") for spec in (f".{max(places, 0)}f", f".{max(places, 0)}e", f".{max(places, 1)}g")]
        for lo, hi in [(rounded.lo_decimal, rounded.hi_decimal), *texts]:
            assert Fraction(lo) <= x.lo and x.hi <= Fraction(hi)
        assert x.lo - rounded.lo < Fraction(10) ** -places and rounded.hi - x.hi < Fraction(10) ** -places
        assert Fraction(10) ** places * rounded.lo % 1 == Fraction(10) ** places * rounded.hi % 1 == 0
    assert f"{Interval('1', None):.2f}" == "[1.00, inf]" and round(Interval(None, "1.23"), 1) == Interval(None, "1.3")
    bound = {"lo": "0.11", "hi": "0.19", "lo_hex": None, "hi_hex": None, "theorems": [], "accuracy_reached": True}
    assert [f"{Bound.read({**bound, 'side': side}):.1f}" for side in ("upper", "lower", "exact", "none")] == ["0.2", "0.1", "[0.1, 0.2]", "[0.1, 0.2]"]


def test_repr_and_hash():
    x = Interval("0." + "1" * 400, "0." + "2" * 400)
    assert repr(x) == "<Interval [0.111111111111, 0.222222222223]>" and str(x) == f"[{x.lo_decimal}, {x.hi_decimal}]"
    assert x == Interval(x.lo_decimal, x.hi_decimal) and hash(x) == hash(Interval(x.lo_decimal, x.hi_decimal)) and x != 1
