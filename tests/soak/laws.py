# SPDX-License-Identifier: LGPL-3.0-or-later
"""Two laws by the masses of their outcomes, and what is asked of them: in rationals, with 60 digits, or in cells of the line."""
import itertools
import math
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from statistics import NormalDist

getcontext().prec = 60
getcontext().Emin, getcontext().Emax = -999999, 999999
INFINITY = float("inf")
NEVER = 1e-17  # mass in the tails that merged() does not resolve


# ---- numbers ----

def number(text, kind):
    """A rational number as one of that kind: Fraction, Decimal or float."""
    q = Fraction(text)
    return q if kind is Fraction else Decimal(q.numerator) / q.denominator if kind is Decimal else float(q)


def exponential(text, kind):
    """e^eps of a text; a Fraction only of "log(q)" and 0."""
    if text.startswith("log("):
        return number(text[4:-1], kind)
    if kind is Fraction:
        assert text == "0"
        return Fraction(1)
    return kind(number(text, Decimal).exp())


def decimal(x):
    return Decimal(x.numerator) / x.denominator if isinstance(x, Fraction) else Decimal(x)


def logarithm(x):
    return math.log(x) if isinstance(x, float) else decimal(x).ln()


def tail(x):
    """Of the normal law, above x, to 40 digits of itself: a series with digits to spare, or a continued fraction."""
    with localcontext() as context:
        context.prec = 60
        if x < 0:
            return 1 - tail(-x)
        if x > 12:
            fraction = x
            for i in range(300, 0, -1):
                fraction = x + i / fraction
            return (-x * x / 2).exp() / (fraction * SQRT_2PI)
        context.prec = 110
        term = total = x
        i = 1
        while term > Decimal(10) ** -100:
            i += 2
            term = term * x * x / i
            total += term
        return Decimal("0.5") - total * (-x * x / 2).exp() / SQRT_2PI


def _root_of_circle():
    """The root of 2 pi, by Machin's formula for pi."""
    with localcontext() as context:
        context.prec = 120

        def arctan(n):
            return sum(Decimal((-1) ** i) / ((2 * i + 1) * Decimal(n) ** (2 * i + 1)) for i in range(90))
        return (8 * (4 * arctan(5) - arctan(239))).sqrt()


SQRT_2PI = _root_of_circle()


# ---- two laws: masses (p, q) of each outcome ----

class Pair:
    """Two laws: lists of masses, `low` that tell no more and `high` that tell no less (None if unknown), or mu of normal noise."""

    def __init__(self, low=None, high="low", mu=None):
        self.low, self.high, self.mu = low, low if high == "low" else high, mu

    def cells(self):
        if self.mu is None:
            return self
        return normal_pair([(1.0, float(self.mu))], [(1.0, 0.0)], 1.0, 400)

    def is_exact(self):
        return self.mu is not None or self.low is self.high and not isinstance(self.low[0][0], float)


def delta_of(points, a):
    return sum(max(p - a * q, 0) for p, q in points)


def epsilon_of(points, delta):
    """The least eps: delta(eps) is the largest P(S) - e^eps Q(S), of sets S of the largest likelihood ratios."""
    mass = other = 0
    most = 1
    for p, q in sorted((x for x in points if x[0] > 0), key=lambda x: (x[1] > 0, x[1] / x[0])):
        mass, other = mass + p, other + q
        if other > 0:
            most = max(most, (mass - delta) / other)
        elif mass > delta:
            return INFINITY
    return logarithm(most)


def renyi_of(points, order):
    if any(q == 0 for p, q in points if p > 0):
        return INFINITY
    if order == "inf":
        return logarithm(max(p / q for p, q in points if p > 0))
    a = int(order)
    if a == 1:
        return sum((p if isinstance(p, float) else decimal(p)) * logarithm(p / q) for p, q in points if p > 0)
    if isinstance(points[0][0], float):
        powers = [math.log(p) + (a - 1) * math.log(p / q) for p, q in points if p > 0]
        most = max(powers)
        return (most + math.log(sum(math.exp(x - most) for x in powers))) / (a - 1)
    return logarithm(sum(p * (p / q) ** (a - 1) for p, q in points if p > 0)) / (a - 1)


def tradeoff_of(points, level):
    """1 less the mass of P in the best test that has that mass of Q."""
    power = 0
    for p, q in sorted((x for x in points if x[0] > 0), key=lambda x: (x[1] > 0, x[1] / x[0])):
        if q > level:
            return 1 - power - p * level / q
        power, level = power + p, level - q
    return 1 - power


def value_of(points, ask):
    """The number that is asked of two laws, in this order."""
    kind = type(points[0][0])
    quantity = ask["quantity"]
    if quantity == "delta":
        return delta_of(points, exponential(ask["eps"], kind))
    if quantity == "epsilon":
        return epsilon_of(points, number(ask["delta"], kind))
    return renyi_of(points, ask["order"]) if quantity == "renyi" else tradeoff_of(points, number(ask["type1"], kind))


def normal_delta(mu, eps):
    if mu == 0:
        return Decimal(0)
    return tail(eps / mu - mu / 2) - eps.exp() * tail(eps / mu + mu / 2)


def normal_value(mu, ask):
    """Of N(mu, 1) and N(0, 1)."""
    quantity = ask["quantity"]
    if quantity == "delta":
        return normal_delta(mu, exponential(ask["eps"], Decimal).ln())
    if quantity == "renyi":
        return INFINITY if ask["order"] == "inf" else int(ask["order"]) * mu * mu / 2
    if quantity in ("gdp", "zcdp"):
        return mu if quantity == "gdp" else mu * mu / 2
    if quantity == "tradeoff":
        level = number(ask["type1"], Decimal)
        near = Decimal(NormalDist().inv_cdf(float(1 - level)))
        for _ in range(4):  # Newton's method, with twice as many digits each time
            near += (tail(near) - level) * (near * near / 2).exp() * SQRT_2PI
        return tail(mu - near)
    delta, low, high = number(ask["delta"], Decimal), Decimal(0), Decimal(1)
    if normal_delta(mu, low) <= delta:
        return low
    while normal_delta(mu, high) > delta:
        low, high = high, 2 * high
    while high - low > high / 10 ** 14:
        middle = (low + high) / 2
        low, high = (middle, high) if normal_delta(mu, middle) > delta else (low, middle)
    return (low + high) / 2


def largest(pairs, ask, direction, end):
    """The worst of several pairs of laws, by their lists named `end`: of type II errors the smallest. None: unknown."""
    values = []
    for pair in pairs:
        points = getattr(pair, end)
        if pair.mu is not None:
            values.append(normal_value(pair.mu, ask))
        elif points is None:
            return None
        else:
            if end == "low" and ask["quantity"] == "renyi" and isinstance(points[0][0], float):
                points = [x for x in points if min(x) > 0] or [(1.0, 1.0)]  # a 0 may be a double that is too small
            orders = [points] * (direction != "qp") + [[(q, p) for p, q in points]] * (direction != "pq")
            values += [value_of(order, ask) for order in orders]
    return (min if ask["quantity"] == "tradeoff" else max)(values)


# ---- laws from cells ----

def spread(p, q, below, above):
    """Masses with likelihood ratios from `below` to `above`, moved to these two: no test does worse."""
    if above == INFINITY:
        return [(below * q, q), (max(p - below * q, 0.0), 0.0)]
    right = min(max((p - below * q) / (above - below), 0.0), q) if above > below else 0.0
    return [(below * (q - right), q - right), (above * right, right)]


def merged(points, upward, cells=150):
    """Outcomes of nearly the same likelihood ratio made one, or spread upward."""
    loss = sorted((math.log(p / q), p, q) for p, q in points if p > 0 and q > 0)
    result = [(sum(p for p, q in points if q == 0), 0.0), (0.0, sum(q for p, q in points if p == 0))]
    if not loss:
        return result
    first, last, mass = 0, len(loss) - 1, 0.0
    while first < last and mass + loss[first][2] < NEVER:
        mass += loss[first][2]
        first += 1
    mass = 0.0
    while last > first and mass + loss[last][1] < NEVER:
        mass += loss[last][1]
        last -= 1
    low, high = loss[first][0] - 1e-9, loss[last][0] + 1e-9
    step = (high - low) / cells
    sums = {}
    for x, p, q in loss:
        i = min(max(int((x - low) // step), -1), cells)
        a, b = sums.get(i, (0.0, 0.0))
        sums[i] = (a + p, b + q)
    if not upward:
        return result + list(sums.values())
    at = {}
    for i, (p, q) in sums.items():
        ends = (0.0 if i < 0 else math.exp(low + i * step), INFINITY if i == cells else math.exp(low + (i + 1) * step))
        for j, (x, y) in zip((i, i + 1), spread(p, q, *ends)):
            a, b = at.get(j, (0.0, 0.0))
            at[j] = (a + x, b + y)
    return result + list(at.values())


def product(first, second):
    return [(p * r, q * s) for p, q in first for r, s in second]


def compose(pairs):
    """Several pairs of laws, independent of each other."""
    if len(pairs) == 1:
        return pairs[0]
    if all(pair.mu is not None for pair in pairs):
        return Pair(mu=sum(pair.mu * pair.mu for pair in pairs).sqrt())
    if all(pair.mu is None and pair.is_exact() for pair in pairs) and math.prod(len(pair.low) for pair in pairs) <= 3000:
        points = pairs[0].low
        for pair in pairs[1:]:
            points = product(points, pair.low)
        return Pair(points)
    ends = []
    for end, upward in (("low", False), ("high", True)):
        total = [(1.0, 1.0)]
        for pair in pairs:
            points = getattr(pair.cells(), end)
            if points is None:
                total = None
                break
            few = [(float(p), float(q)) for p, q in points]
            total = merged(product(total, few if len(few) <= 150 else merged(few, upward)), upward)
        ends.append(total)
    return Pair(*ends)


def normal_mass(mix, sigma, a, b):
    """Of a mixture of (weight, mean), between a and b."""
    def above(x):
        return math.erfc(x / sigma / math.sqrt(2)) / 2
    return sum(w * (above(a - m) - above(b - m) if a > m else above(m - b) - above(m - a)) for w, m in mix)


def normal_cells(mixes, sigma, cells):
    """Edges, and the mass of each cell in each mixture."""
    means = [m for mix in mixes for _, m in mix]
    low, high = min(means) - 9 * sigma, max(means) + 9 * sigma
    edges = [-INFINITY, *(low + (high - low) * i / cells for i in range(cells + 1)), INFINITY]
    return edges, [tuple(normal_mass(mix, sigma, a, b) for mix in mixes) for a, b in zip(edges, edges[1:])]


def spread_cells(masses, ratios):
    ends = [[0.0, 0.0] for _ in ratios]
    for i, (p, q) in enumerate(masses):
        for j, (x, y) in zip((i, i + 1), spread(p, q, ratios[i], ratios[i + 1])):
            ends[j][0] += x
            ends[j][1] += y
    return [(p, q) for p, q in ends if p > 0 or q > 0]


def normal_spread(first, second, sigma, edges, masses):
    """Of mixtures whose likelihood ratio rises."""
    def ratio(x):
        if math.isinf(x):
            flat = sum(w for w, m in first if m == 0) if second == [(1.0, 0.0)] else 0.0
            return flat if x < 0 else INFINITY
        p, q = (sum(w * math.exp(-((x - m) / sigma) ** 2 / 2) for w, m in mix) for mix in (first, second))
        return p / q if q > 0 else INFINITY
    return spread_cells(masses, [ratio(x) for x in edges])


def normal_pair(first, second, sigma, cells, rises=True):
    edges, masses = normal_cells([first, second], sigma, cells)
    return Pair(masses, normal_spread(first, second, sigma, edges, masses) if rises else None)


def laplace_pair(x, cells):
    """Laplace noise on x and on 0, of scale 1."""
    half = math.exp(-x) / 2
    edges = [x * i / cells for i in range(cells + 1)]
    inner = [(half * math.exp(a) * math.expm1(b - a), -math.exp(-a) * math.expm1(a - b) / 2) for a, b in zip(edges, edges[1:])]
    masses = [(half, 0.5), *inner, (0.5, half)]
    ratios = [math.exp(-x), *(math.exp(2 * a - x) for a in edges), math.exp(x)]
    return Pair(masses, spread_cells(masses, ratios))


def exchanged(cells, first, second):
    """Outcomes of several places in an unknown order: place i has the law number first[i], or second[i], of the cells."""
    total = math.factorial(len(first))
    orders = [list(itertools.permutations(x)) for x in (first, second)]
    orders = [sorted(set(order)) for order in orders]
    result = []
    for combination in itertools.combinations_with_replacement(range(len(cells)), len(first)):
        ways = total
        for place in set(combination):
            ways //= math.factorial(combination.count(place))
        sums = [sum(math.prod(cells[c][law] for c, law in zip(combination, order)) for order in two) for two in orders]
        result.append(tuple(ways * x / len(two) for x, two in zip(sums, orders)))
    return result


def two_laws(pair, first, second):
    """exchanged() of a pair's laws, 1 the first and 0 the second."""
    sides = [exchanged([(q, p) for p, q in points], first, second) for points in (pair.low, pair.high)]
    return Pair(sides[0], "low" if pair.low is pair.high else sides[1])
