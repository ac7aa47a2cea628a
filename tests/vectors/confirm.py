#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Confirms generated test vectors by routes of their own.

    confirm.py [--sample K] [--seed S] [--verbose] FILE.json ...

FILE is a generated vector file: each test has "question", as doc/schema defines
it, and "result". K tests are drawn at random, all by default. Prints
a line for every test whose interval misses the independent value by more than
the route's own error, then the counts. Exit status 1 if there was one.

Everything here starts from the definitions: a pair is n reports, of which one
is the differing user's, so P and Q have the densities

    p = (w0 a/r0 + w1 b/r1 + w2 rest/r2)/n,   q with w0, w1 exchanged,

with respect to n i.i.d. reports (r0, r1, r2). Divergences are sums over the
outcomes of functions of p and q. Nothing is taken from the C code.

route           what                                                    relative error allowed
exact           all outcomes, from the definition, >= 60 digits         1e-30
window          outcomes (a,b) in a window, 64-bit mantissas; rows      1e-10 (1e-9 if rows are
                wider than 60 standard deviations by Euler-Maclaurin    wide)
integral        as window, rows by integrals, every h-th row; for       an eighth of the kink at the
                many users                                              thresholds, and 1e-8
moment          Renyi: E[r^a - 1 - a (r-1)], every h-th outcome where   thrice the difference of two
                it is smooth                                            offsets, and 1e-10
product         rounds: all but one enumerated, the last one's profile  1e-9; atoms on a threshold:
                                                                        absolute 1e-9
convolution     rounds: losses binned by cubic Lagrange weights, tilted thrice the difference of two
                FFT                                                     grids, and 1e-8
sorted          trade-off curves: outcomes sorted by likelihood ratio   1e-10
formula         the paper's formula typed again, 60 digits              1e-25
quadrature      Gaussian: n <= 3, closed form for the last variable     1e-9
fourier         Gaussian: a density by FFT, closed form for the last    1e-6
                variable
definition      described randomisers: all probabilities, sums of independent         thrice the difference of two grids;
                terms on a grid (described.py)                          noise: 1e-5
                matrices: all sets of steps and signs (strategies.py)   1e-9
root            gdp: delta by the above, mu by bisection; over a range  that of delta; 1e-5 over a range
                the largest on a refined grid

For eps(delta), delta is computed at both ends of the interval.
"""
import argparse
import json
import math
import os
import random
import sys
import time
from fractions import Fraction

import mpmath
import numpy as np
from mpmath import mp, mpf

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../vectors"))
sys.dont_write_bytecode = True
import described  # noqa: E402: a module beside this one
import question  # noqa: E402: a module of the vectors
import strategies  # noqa: E402: a module beside this one

LD = np.longdouble
DPS = 60


class NoRoute(Exception):
    pass


class Value:
    """An independent value with its relative error and the route."""

    def __init__(self, value, tolerance, route, absolute=0):
        self.value, self.tolerance, self.route, self.absolute = mpf(value), mpf(tolerance), route, mpf(absolute)

    def low(self):
        return self.value * (1 - self.tolerance) - self.absolute

    def high(self):
        return self.value * (1 + self.tolerance) + self.absolute

    def times(self, factor):
        return Value(self.value * factor, self.tolerance, self.route, self.absolute * factor)


# ---- numbers ----

def rational(text):
    if "0x" in text:
        sign, body = (-1, text[1:]) if text.startswith("-") else (1, text)
        mantissa, exponent = (body[2:].split("p") + ["0"])[:2]
        whole, part = (mantissa.split(".") + [""])[:2]
        return sign * Fraction(int(whole + part, 16)) * Fraction(2) ** (int(exponent) - 4 * len(part))
    return Fraction(text)


def to_mp(x):
    return mpf(x.numerator) / x.denominator


def real(text):
    """The number as mpf."""
    return mpmath.log(to_mp(rational(text[4:-1]))) if text.startswith("log(") else to_mp(rational(text))


def exp_of(text):
    """e to it, rational where it is."""
    return to_mp(rational(text[4:-1])) if text.startswith("log(") else mpmath.exp(real(text))


def users(text):
    return int(Fraction(text))


def needed_digits(params):
    """More digits when a parameter is so small or so near another one that differences cancel."""
    digits = DPS
    for key in ("eps0", "eps", "subsample", "rate", "gamma", "r0", "r1", "mu"):
        for text in params.get(key, "").split(":"):
            if text:
                x = abs(real(text))
                if 0 < x < 1:
                    digits += 3 * int(-mpmath.log10(x))
                if x > 1:
                    digits += int(mpmath.log10(x))
    return digits


def ld(x):
    """An mpf as a long double: two doubles have enough digits."""
    x = mpf(x)
    if x == 0:
        return LD(0)
    m, e = mpmath.frexp(x)
    high = float(m)
    return np.ldexp(LD(high) + LD(float(m - high)), int(e))


def from_ld(x):
    """A long double as an mpf."""
    m, e = np.frexp(LD(x))
    high = float(m)
    return (mpf(high) + mpf(float(m - LD(high)))) * mpf(2) ** int(e)


# ---- pairs ----

class Pair:
    """A trinomial pair, krr-weak with its own gamma and k, and what is revealed besides."""

    def __init__(self, p):
        kind = p["pair"]
        if kind == "krr":
            kind = "krr-" + p["others"]
        self.kind, self.n = kind, users(p["n"])
        self.scale = mpf(1)
        if kind in ("clones", "clones-stronger", "rr2"):
            e = exp_of(p["eps0"])
            self.w0, self.w1 = e / (e + 1), 1 / (e + 1)
            if kind == "clones":
                self.r0 = self.r1 = 1 / (2 * e)
            elif kind == "clones-stronger":
                self.r0 = self.r1 = 1 / (e + 1)
            else:
                self.r0, self.r1 = self.w0, self.w1
        elif kind in ("clones-sampled", "krr-third-sampled"):
            e, k, g = exp_of(p["eps0"]), int(Fraction(p.get("k", "2"))), real(p.get("rate", "1"))
            self.w1 = self.r0 = self.r1 = 1 / (e + k - 1)
            self.w0 = (g * e + 1 - g) * self.w1
        elif kind in ("clones-poisson", "krr-same-poisson", "krr-third-poisson"):
            e, k, q = exp_of(p["eps0"]), int(Fraction(p.get("k", "2"))), real(p.get("rate", "1"))
            self.w0, self.w1 = q * e / (e + k - 1), q / (e + k - 1)
            self.r0, self.r1 = self.w0 if kind == "krr-same-poisson" else self.w1, self.w1
            self.e, self.q = e, q
        elif kind in ("krr-same", "krr-third"):
            e, k = exp_of(p["eps0"]), int(Fraction(p["k"]))
            r = 1 / (e + k - 1)
            self.w0, self.w1, self.r1 = e * r, r, r
            self.r0 = e * r if kind == "krr-same" else r
        elif kind in ("krr-strong", "krr-weak"):
            self.k = int(Fraction(p["k"]))
            self.gamma = real(p["gamma"]) if "gamma" in p else self.k / (exp_of(p["eps0"]) + self.k - 1)
            if kind == "krr-strong":
                self.w0, self.w1 = mpf(1), mpf(0)
                self.r0 = self.r1 = self.gamma / self.k
                self.scale = 1 - self.gamma
            else:
                self.w0, self.w1 = 1 - self.gamma + self.gamma / self.k, self.gamma / self.k
                self.r0 = self.r1 = mpf(1) / self.k
        elif kind == "clones-deletion":
            # krr-weak of e + 1 values, whole or not
            e = exp_of(p["eps0"])
            self.kind, self.gamma, self.k = "krr-weak", 1 / e, e + 1
            self.w0, self.w1, self.r0, self.r1 = e / (e + 1), 1 / (e * (e + 1)), 1 / (e + 1), 1 / (e + 1)
        elif kind == "trinomial":
            self.w0, self.w1, self.r0, self.r1 = (real(p[x]) for x in ("w0", "w1", "r0", "r1"))
        else:
            raise NoRoute("pair " + kind)
        self.w2 = self.rest(self.w0, self.w1)
        self.r2 = self.rest(self.r0, self.r1)

    @staticmethod
    def rest(x, y):
        z = 1 - x - y
        return z if abs(z) > mpf(10) ** (-mp.dps + 5) else mpf(0)

    def symmetric(self):
        return self.r0 == self.r1

    def largest_ratio(self):
        """Of P/Q, over the corners of the simplex of outcomes; None: infinite."""
        if self.kind == "krr-weak":
            # largest when nobody else answers at random: one uniform report
            over, under = (1 - self.gamma) + self.gamma / self.k, self.gamma / self.k
            return over / under if under else None
        if self.w0 == self.w1 or self.scale == 0:
            return mpf(1)
        if min(self.w0, self.w1) == 0:
            return None
        return max(self.w0 / self.w1, self.w1 / self.w0)

    def outcomes(self):
        """How many there are."""
        return self.n ** 3 // 6 + 1 if self.kind == "krr-weak" and self.k > 2 or self.kind == "clones-poisson" else self.n ** 2 // 2 + 1

    def taking_part(self):
        """clones-poisson: (probability of c taking part, the pair clones-sampled of c, None for nobody), those that matter."""
        for c in range(self.n + 1):
            mass = mpmath.binomial(self.n, c) * self.q ** c * (1 - self.q) ** (self.n - c)
            if mass > mpf(10) ** -60:
                part = Pair.__new__(Pair)
                part.kind, part.n, part.scale = "clones-sampled", max(c, 1), mpf(1)
                part.w1 = part.r0 = part.r1 = 1 / (self.e + 1)
                part.w0 = (self.e * c + self.n - c) / self.n * part.w1
                part.w2, part.r2 = self.rest(part.w0, part.w1), self.rest(part.r0, part.r1)
                yield mass, part if c > 0 else None


def multinomial_atoms(n, w0, w1, w2, r0, r1, r2):
    """All (p, q, a, b) from the definition: n - 1 others and one."""
    others = {}
    powers = [[mpf(1)], [mpf(1)], [mpf(1)]]
    for i, r in enumerate((r0, r1, r2)):
        for _ in range(n):
            powers[i].append(powers[i][-1] * r)
    for a in range(n):
        for b in range(n - a):
            mass = math.comb(n - 1, a) * math.comb(n - 1 - a, b) * powers[0][a] * powers[1][b] * powers[2][n - 1 - a - b]
            if mass:
                others[a, b] = mass
    atoms = {}
    for (a, b), mass in others.items():
        for place, x, y in (((a + 1, b), w0, w1), ((a, b + 1), w1, w0), ((a, b), w2, w2)):
            if x or y:
                p, q = atoms.get(place, (0, 0))
                atoms[place] = (p + x * mass, q + y * mass)
    return [(p, q, a, b) for (a, b), (p, q) in atoms.items()]


def exact_atoms(pair):
    """All (p, q) of the pair."""
    if pair.kind == "clones-poisson":
        return [(mass * p, mass * q) for mass, part in pair.taking_part() for p, q in (exact_atoms(part) if part else [(mpf(1), mpf(1))])]
    if pair.kind != "krr-weak":
        atoms = [(pair.scale * p, pair.scale * q) for p, q, _, _ in
                 multinomial_atoms(pair.n, pair.w0, pair.w1, pair.w2, pair.r0, pair.r1, pair.r2)]
        if pair.scale != 1:
            atoms.append((1 - pair.scale, 1 - pair.scale))
        return atoms
    atoms = []
    for random_ones in range(pair.n):
        mass = math.comb(pair.n - 1, random_ones) * pair.gamma ** random_ones * (1 - pair.gamma) ** (pair.n - 1 - random_ones)
        if mass:
            atoms += [(mass * p, mass * q) for p, q, _, _ in
                      multinomial_atoms(random_ones + 1, pair.w0, pair.w1, pair.w2, pair.r0, pair.r1, pair.r2)]
    return atoms


# ---- binomial laws in extended precision ----

HALF_LOG_TWO_PI = ld(mpmath.log(2 * mpmath.pi) / 2)
PI = ld(mpmath.pi)
STIRLING = [1 / LD(12), -1 / LD(360), 1 / LD(1260), -1 / LD(1680), 1 / LD(1188), -LD(691) / 360360, 1 / LD(156)]


def stirling_error(x):
    """log Gamma(x+1) - (x + 1/2) log x + x - log(2 pi)/2 for real x > 0."""
    small = x < 24
    y = np.where(small, x + 24, x)
    s = 1 / (y * y)
    e = np.zeros_like(y)
    for c in reversed(STIRLING):
        e = e * s + y.dtype.type(c)
    e = np.array(e / y)
    if small.any():
        z = x[small]
        log_gamma = (z + 24.5) * np.log(z + 24) - z - 24 + z.dtype.type(HALF_LOG_TWO_PI) + e[small]
        product = np.ones_like(z)
        for j in range(1, 25):
            product = product * (z + j)
        e[small] = log_gamma - np.log(product) - (z + 0.5) * np.log(z) + z - z.dtype.type(HALF_LOG_TWO_PI)
    return e


def deviance(x, mean):
    """x log(x/mean) + mean - x."""
    d = x - mean
    v = d / (x + mean)
    near = np.abs(v) < 0.1
    w = np.where(near, v, 0)
    series = np.zeros_like(w)
    for j in range(11, 0, -1):
        series = (series + w.dtype.type(1 / LD(2 * j + 1))) * w * w
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(near, d * w + 2 * x * w * series, x * np.log(x / mean) - d)


def log_binomial(x, n, p, q, kind=LD):
    """log of the probability of Bin(n, p) at x, real 0 <= x <= n; q = 1 - p."""
    x, n = np.broadcast_arrays(np.asarray(x, kind), np.asarray(n, kind))
    p, q = kind(p), kind(q)
    inside = (x > 0) & (x < n)
    xx, nn = np.where(inside, x, 1), np.where(inside, n, 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = (stirling_error(nn) - stirling_error(xx) - stirling_error(nn - xx) - deviance(xx, nn * p)
             - deviance(nn - xx, nn * q) + (np.log(nn / xx) - np.log(nn - xx)) / 2 - kind(HALF_LOG_TWO_PI))
        ends = np.where(x == 0, n * np.log1p(-p) if p < 0.5 else n * np.log(q),
                        n * (np.log1p(-q) if q < 0.5 else np.log(p)))
        ends = np.where(n == 0, 0, ends)
    return np.where(inside, r, np.where((x == 0) | (x == n), ends, -np.inf))


# ---- sums of positive parts ----

NODES, WEIGHTS = np.polynomial.legendre.leggauss(10)
PANELS = np.array([0, 0.5, 1.5, 3, 5, 8, 12, 20, 30])
# of an integral from 0 to 30, finer near 0
POINTS = np.concatenate([a + (b - a) * (NODES + 1) / 2 for a, b in zip(PANELS, PANELS[1:])]).astype(LD)
POINT_WEIGHTS = np.concatenate([WEIGHTS * (b - a) / 2 for a, b in zip(PANELS, PANELS[1:])]).astype(LD)


def rows_direct(m, rho, rho1, on_a, on_b, rest):
    """For each m the sum over a of Bin(m, rho)(a) (on_a a + on_b (m-a) + rest)_+, on_a > on_b."""
    result = np.zeros(len(m), LD)
    order = np.argsort(m)
    chunk = 256
    for i in range(0, len(m), chunk):
        rows = order[i:i + chunk]
        mm, x, y, t = m[rows].astype(LD), on_a[rows], on_b[rows], rest[rows]
        sd = np.sqrt(mm * rho * rho1)
        first = np.floor(np.maximum(-(y * mm + t) / (x - y), mm * rho - 14 * sd - 60)) - 1
        first = np.clip(first, 0, mm)
        # beyond z deviations the terms fall at least as fast as e^(-z x/sd)
        z = np.maximum((first - mm * rho) / sd, 1)
        last = np.maximum(first, mm * rho) + np.minimum(14 * sd, 60 * sd / z) + 60
        width = int(np.max(np.minimum(mm, last) - first)) + 1
        a = first[:, None] + np.arange(width, dtype=LD)
        ratio = np.ones_like(a)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio[:, 1:] = np.maximum(mm[:, None] - a[:, :-1], 0) / (a[:, :-1] + 1) * (rho / rho1)
        pmf = np.exp(log_binomial(first, mm, rho, rho1))[:, None] * np.cumprod(ratio, axis=1)
        # on_a may be far smaller than on_b: no sum of the two before they meet a
        linear = x[:, None] * a + y[:, None] * (mm[:, None] - a) + t[:, None]
        result[rows] = np.sum(pmf * np.maximum(linear, 0), axis=1)
    return result


def rows_wide(m, rho, rho1, slope, shift, lattice):
    """The same for wide rows: an integral and, if lattice, the Euler-Maclaurin terms. Also the kinks' size."""
    mm = m.astype(LD)
    sd = np.sqrt(mm * rho * rho1)
    threshold = -shift / slope
    low = mm * rho - 15 * sd
    start = np.where(threshold < low, np.floor(low), np.ceil(threshold)) - LD(0.5) if lattice else np.maximum(low, threshold)
    scale = sd / np.maximum((start - mm * rho) / sd / 3, 1)

    def f(x, rows):
        # doubles will do unless m has too many digits
        kind = np.float64 if lattice and m[-1] < 10 ** 9 else LD
        x = x.astype(kind)
        c, s, t = ((v if x.ndim == 1 else v[:, None]).astype(kind) for v in (mm[rows], slope[rows], threshold[rows]))
        return np.where(x < c, np.exp(log_binomial(np.clip(x, 0, c), c, rho, rho1, kind)) * (s * (x - t)), 0)
    result = np.zeros(len(m), LD)
    for i in range(0, len(m), 1000):
        part = slice(i, i + 1000)
        at = start[part, None] + scale[part, None] * POINTS
        result[part] = scale[part] * np.sum(f(at, part) * POINT_WEIGHTS, axis=1)
    every = slice(None)
    if not lattice:
        at = np.clip(threshold, 0, mm)
        return np.maximum(result, 0), np.exp(log_binomial(at, mm, rho, rho1)) * slope / 8
    g = [f(start + LD(0.5) + j, every) for j in (-2, -1, 0, 1)]
    third = g[3] - 3 * g[2] + 3 * g[1] - g[0]
    first = g[2] - g[1] - third / 24
    return np.maximum(result + first / 24 - 7 * third / 5760, 0), 0 * result


def rows(m, rho, rho1, on_a, on_b, rest, lattice=True):
    """Both, chosen by the width of a row."""
    m = np.asarray(m)
    on_a, on_b, rest = (np.broadcast_to(np.asarray(v, LD), m.shape) for v in (on_a, on_b, rest))
    slope, shift = on_a - on_b, on_b * m.astype(LD) + rest
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = m.astype(LD) * rho * rho1
        # the Euler-Maclaurin terms fall like the powers of z/sd
        z = (-shift / slope - m * rho) / np.sqrt(variance)
        wide = (variance > 3600) & (z < 0.04 * np.sqrt(variance)) & (z < 30)
    result, kink = np.zeros(len(m), LD), np.zeros(len(m), LD)
    if (~wide).any():
        result[~wide] = rows_direct(m[~wide], rho, rho1, on_a[~wide], on_b[~wide], rest[~wide])
    if wide.any():
        result[wide], kink[wide] = rows_wide(m[wide], rho, rho1, slope[wide], shift[wide], lattice)
    return result, kink


def log_of(x):
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(x, LD))


def positive_part(pair, x, y):
    """The sum of (x p + y q)_+, x + y <= 0, with its error and route."""
    if pair.scale == 0 or (x <= 0 and y <= 0):
        return Value(0, 0, "exact")
    if pair.r0 == 0 and pair.kind != "krr-strong":
        return Value(max(0, x * pair.w0 + y * pair.w1) + max(0, x * pair.w1 + y * pair.w0), mpf(10) ** -30, "exact")
    if pair.outcomes() <= 1700 or pair.r0 == 0:
        if pair.r0 == 0:
            return Value(pair.scale * (max(0, x) + max(0, y)), mpf(10) ** -30, "exact")
        total = sum(max(0, x * p + y * q) for p, q in exact_atoms(pair))
        # an outcome exactly on the threshold leaves a rounding error
        return Value(total, mpf(10) ** -30, "exact", mpf(10) ** (10 - mp.dps) * (abs(x) + abs(y)))
    if pair.kind == "krr-weak":
        return positive_part_weak(pair, x, y)
    if pair.kind == "clones-poisson":
        parts = [positive_part(part, x, y).times(mass) for mass, part in pair.taking_part() if part]
        return Value(sum(v.value for v in parts), max(v.tolerance for v in parts), "mixture", mpf(10) ** -50)
    n = pair.n
    w0, w1, r0, r1 = pair.w0, pair.w1, pair.r0, pair.r1
    if (x * w0 + y * w1) / r0 < (x * w1 + y * w0) / r1:
        w0, w1, r0, r1 = w1, w0, r1, r0
    on_a, on_b = (x * w0 + y * w1) / r0 / n, (x * w1 + y * w0) / r1 / n
    on_rest = (x + y) * pair.w2 / pair.r2 / n if pair.r2 else mpf(0)
    rho, rho1 = ld(r0 / (r0 + r1)), ld(r1 / (r0 + r1))
    s, s1 = ld(r0 + r1), ld(pair.r2)
    if on_a <= 0:
        return Value(0, 0, "window")

    def row(m, lattice=True):
        m = np.asarray(m)
        value, kink = rows(m, rho, rho1, ld(on_a), ld(on_b), ld(on_rest) * (n - m).astype(LD), lattice)
        weight = log_binomial(m, n, s, s1) if pair.r2 else np.where(m == n, LD(0), -np.inf)
        return log_of(value) + weight, log_of(kink) + weight

    if not pair.r2:
        value, _ = row(np.array([n]))
        return Value(from_ld(np.exp(value[0])) * pair.scale, mpf("1e-9"), "window")
    low, high = 1, n
    while high - low > 64:
        grid = np.unique(np.linspace(low, high, 65).astype(np.int64)) if n < 2 ** 52 else \
            np.unique(np.array([low + (high - low) * i // 64 for i in range(65)], np.int64))
        value, _ = row(grid, False)
        i = int(np.argmax(value))
        low, high = int(grid[max(i - 2, 0)]), int(grid[min(i + 2, len(grid) - 1)])
    grid = np.arange(low, high + 1)
    value, _ = row(grid, False)
    i = int(np.argmax(value))
    top, mode = value[i], int(grid[i])
    if top == -np.inf:
        raise NoRoute("every row underflows")

    def edge(sign, limit):
        step = 8
        while True:
            at = mode + sign * step
            if (at - limit) * sign >= 0:
                return limit
            if row(np.array([at]), False)[0][0] < top - 46:
                return at
            step = step * 3 // 2
    first, last = edge(-1, 1), edge(1, n)
    count = last - first + 1
    if count <= 12000:
        value, _ = row(np.arange(first, last + 1))
        wide = float(n) * float(s) * float(rho * rho1) > 3600
        total = np.sum(np.exp(value - top))
        return Value(from_ld(total) * mpmath.exp(from_ld(top)) * pair.scale, mpf("1e-9" if wide else "1e-10"), "window")
    step = count // 600
    value, kink = row(np.arange(first, last + 1, step), False)
    total = np.sum(np.exp(value - top)) * step
    kinks = np.sum(np.exp(kink - top)) * step
    return Value(from_ld(total) * mpmath.exp(from_ld(top)) * pair.scale, from_ld(kinks / total) + mpf("1e-8"), "integral")


def positive_part_weak(pair, x, y):
    """The mixture over the number of random answers: rows (B, m)."""
    n, k = pair.n, pair.k
    gamma, gamma1 = ld(pair.gamma), ld(1 - pair.gamma)
    if not gamma1:
        return Value(max(x + y, 0), 0, "exact")  # all answers are random: P = Q
    if not pair.gamma:
        raise NoRoute("gamma")
    b = np.arange(n)
    log_b = log_binomial(b, n - 1, gamma, gamma1)
    s, s1 = ld(mpf(2) / k), ld(1 - mpf(2) / k)
    half = LD(0.5)
    p_a, p_b, p_rest = (ld(v * k) for v in (x * pair.w0 + y * pair.w1, x * pair.w1 + y * pair.w0,
                                            (x + y) * pair.w2 / (k - 2) if k > 2 else mpf(0)))
    if pair.w0 < pair.w1 or x < y:
        p_a, p_b = p_b, p_a
    if p_a <= 0:
        return Value(0, 0, "window")
    total, lost, cut = LD(0), LD(1), LD(1e-22)
    for _ in range(4):
        keep_b = b[log_b > np.log(cut) - 3]
        if k == 2:
            bb, m, weight = keep_b, keep_b + 1, log_b[keep_b]
        else:
            parts = []
            for c in keep_b:
                mm = np.arange(1, c + 2)
                w = log_binomial(mm, c + 1, s, s1) + log_b[c]
                keep = w > np.log(cut)
                parts.append((np.full(int(keep.sum()), c), mm[keep], w[keep]))
            bb, m, weight = (np.concatenate(v) for v in zip(*parts))
        size = bb.astype(LD) + 1
        value, _ = rows(m, half, half, p_a / size, p_b / size, p_rest * (size - m.astype(LD)) / size)
        total = np.sum(value * np.exp(weight))
        lost = cut * n * (1 if k == 2 else 100)
        if total > 0 and lost < total * LD(1e-13):
            return Value(from_ld(total), mpf("1e-10"), "window")
        cut = total * LD(1e-18) / n if total > 0 else cut * LD(1e-40)
    raise NoRoute("the mixture's tail")


def directions(pair, params):
    d = params.get("direction", "both")
    return ("pq", "qp") if d == "both" and not pair.symmetric() else (("pq",) if d == "both" else (d,))


def largest(values):
    return max(values, key=lambda v: v.value)


def one_round(pair, params, alpha):
    """delta of one round at e^eps = alpha."""
    values = []
    for d in directions(pair, params):
        if "subsample" not in params:
            x, y = (1, -alpha) if d == "pq" else (-alpha, 1)
            values.append(positive_part(pair, x, y))
            continue
        g = real(params["subsample"])
        if pair.kind in ("rr2", "krr-same"):
            # P on all-equal data against g Q + (1-g) P
            x, y = (1 - alpha * (1 - g), -alpha * g) if d == "pq" else ((1 - g) - alpha, g)
            values.append(positive_part(pair, x, y))
        else:
            values.append(positive_part(pair, 1, -(1 + (alpha - 1) / g)).times(g))
    return largest(values)


# ---- the outcomes in a window, for products and trade-off curves ----

def merged(p, q):
    """Outcomes of one likelihood ratio put together, by falling ratio P/Q."""
    p, q = np.asarray(p, LD), np.asarray(q, LD)
    keep = (p > 0) | (q > 0)
    p, q = p[keep], q[keep]
    with np.errstate(divide="ignore"):
        loss = np.where(q == 0, np.inf, np.where(p == 0, -np.inf, np.log(p) - np.log(np.where(q == 0, 1, q))))
    order = np.argsort(-loss, kind="stable")
    p, q, loss = p[order], q[order], loss[order]
    with np.errstate(invalid="ignore"):
        new = np.concatenate([[True], ~((loss[:-1] - loss[1:] < 1e-14 * (1 + np.abs(loss[1:]))) | (loss[:-1] == loss[1:]))])
    start = np.flatnonzero(new)
    return np.add.reduceat(p, start), np.add.reduceat(q, start)


def window_atoms(pair, per_sd=0, deviations=15):
    """(p, q) of the outcomes within so many standard deviations, every h-th one if per_sd is given."""
    if pair.outcomes() <= 1700:
        atoms = exact_atoms(pair)
        return np.array([ld(p) for p, _ in atoms]), np.array([ld(q) for _, q in atoms])
    if pair.kind in ("krr-weak", "clones-poisson"):
        raise NoRoute("outcomes of " + pair.kind)
    n, s, s1 = pair.n, ld(pair.r0 + pair.r1), ld(pair.r2)
    rho, rho1 = ld(pair.r0 / (pair.r0 + pair.r1)), ld(pair.r1 / (pair.r0 + pair.r1))

    def places(mean, sd, end):
        step = max(1, int(sd / per_sd)) if per_sd else 1
        width = deviations * sd + 3 * deviations
        return np.arange(max(0, int(mean - width)), min(end, int(mean + width)) + 1, step, dtype=np.int64), step
    m, step = places(float(n * s), math.sqrt(float(n * s * s1)), n) if pair.r2 else (np.array([n]), 1)
    p_parts, q_parts = [], []
    weight_m = np.exp(log_binomial(m, n, s, s1)) * step if pair.r2 else np.ones(1, LD)
    on_a, on_b, on_rest = ld(pair.w0 / pair.r0 / n), ld(pair.w1 / pair.r0 / n), ld(pair.w2 / pair.r2 / n) if pair.r2 else LD(0)
    qn_a, qn_b = ld(pair.w0 / pair.r1 / n), ld(pair.w1 / pair.r1 / n)
    for i, (mm, w) in enumerate(zip(m, weight_m)):
        mm = int(mm)
        a, h = places(float(mm * rho), math.sqrt(float(mm * rho * rho1)), mm)
        # a phase of its own for each row, lest the rows' lattices agree
        a = a + int(h * (i * 0.6180339887 % 1))
        a = a[a <= mm]
        pmf = np.exp(log_binomial(a, LD(mm), rho, rho1)) * w * h
        a, b, rest = a.astype(LD), (mm - a).astype(LD), LD(n - mm)
        p_parts.append(pmf * (on_a * a + qn_b * b + on_rest * rest))
        q_parts.append(pmf * (on_b * a + qn_a * b + on_rest * rest))
    p, q = np.concatenate(p_parts) * ld(pair.scale), np.concatenate(q_parts) * ld(pair.scale)
    if pair.scale != 1:
        p, q = np.append(p, ld(1 - pair.scale)), np.append(q, ld(1 - pair.scale))
    return p, q


def sampled(pair, params, p, q):
    """The outcomes of the sampled pair."""
    if "subsample" not in params:
        return p, q
    g = ld(real(params["subsample"]))
    if pair.kind in ("rr2", "krr-same"):
        return p, g * q + (1 - g) * p
    # the pair whose profile is g H(1 + (alpha-1)/g) for alpha >= 1, in both directions
    up = p > q
    pu, qu = p[up], q[up]
    more = qu + g * (pu - qu)
    rest = max(LD(0), 1 - np.sum(qu) - np.sum(more))
    return np.concatenate([more, qu, [rest]]), np.concatenate([qu, more, [rest]])


def profile_of(p, q):
    """A function: the sums of (p - alpha q)_+ at an array of alphas, from merged outcomes."""
    p, q = merged(p, q)
    with np.errstate(divide="ignore"):
        ratio = np.where(q > 0, p / np.where(q > 0, q, 1), np.inf)
    sum_p, sum_q = np.concatenate([[0], np.cumsum(p)]), np.concatenate([[0], np.cumsum(q)])

    def profile(alpha):
        # how many ratios exceed alpha: ratios fall
        count = np.searchsorted(-ratio, -np.asarray(alpha, LD), side="left")
        return np.maximum(sum_p[count] - alpha * sum_q[count], 0)
    return profile


def product(p, q, rounds):
    """Merged outcomes of so many rounds."""
    p1, q1 = merged(p, q)
    result = p1, q1
    for _ in range(rounds - 1):
        if len(result[0]) * len(p1) > 6e6:
            raise NoRoute("too many outcomes")
        result = merged(np.outer(result[0], p1).ravel(), np.outer(result[1], q1).ravel())
    return result


def by_product(p, q, rounds, alpha):
    rest_p, rest_q = product(p, q, rounds - 1)
    profile = profile_of(p, q)
    finite = rest_q > 0
    with np.errstate(divide="ignore", over="ignore"):
        at = np.where(rest_p > 0, ld(alpha) * rest_q / np.where(rest_p > 0, rest_p, 1), np.inf)
    reached = rest_p > 0
    total = np.sum(rest_p[reached & finite] * profile(at[reached & finite])) + np.sum(rest_p[~finite])
    return Value(from_ld(total), mpf("1e-9"), "product", mpf("1e-30"))


def tilt_for(loss, mass, mean):
    """The theta >= 0 at which the law e^(theta loss) mass has that mean, about: of a histogram."""
    low, high = float(np.min(loss)), float(np.max(loss))
    bins = 4000
    place = np.minimum(((loss - low) / max(high - low, 1e-300) * bins).astype(int), bins - 1)
    weight = np.bincount(place, weights=mass.astype(float), minlength=bins)
    middle = low + (np.arange(bins) + 0.5) * (high - low) / bins
    middle, log_weight = middle[weight > 0], np.log(weight[weight > 0])

    def mean_at(theta):
        e = log_weight + theta * middle
        w = np.exp(e - np.max(e))
        return np.sum(w * middle) / np.sum(w)
    if mean_at(0) >= mean:
        return 0.0
    below, above = 0.0, 1.0
    while mean_at(above) < mean and above < 1e9:
        above *= 2
    for _ in range(50):
        theta = (below + above) / 2
        below, above = (theta, above) if mean_at(theta) < mean else (below, theta)
    return above


def grid_power(loss, w, theta, rounds, eps, h):
    """E e^(-theta s) (1 - e^-s)_+, s the sum of so many losses less eps, by a transform on a grid of step h."""
    origin = eps / rounds
    mean = np.sum(w * loss)
    sd = np.sqrt(np.sum(w * (loss - mean) ** 2))
    spread = max(2.2 * float(np.max(np.abs(loss - origin)) / h), 34 * math.sqrt(rounds) * float(sd / h)
                 + 2 * abs(float((mean - origin) * rounds / h)))
    size = 1 << math.ceil(math.log2(spread + 16))
    if size > 1 << 22:
        raise NoRoute("grid")
    x = (loss - origin) / h
    j = np.floor(x).astype(np.int64)
    u = (x - j).astype(float)
    grid = np.zeros(size)
    for offset, factor in ((-1, -u * (u - 1) * (u - 2) / 6), (0, (u + 1) * (u - 1) * (u - 2) / 2),
                           (1, -(u + 1) * u * (u - 2) / 2), (2, (u + 1) * u * (u - 1) / 6)):
        grid += np.bincount((j + offset) % size, weights=w.astype(float) * factor, minlength=size)
    power = np.fft.irfft(np.fft.rfft(grid) ** rounds, size)
    s = np.arange(1, size // 2) * h
    value = np.sum(power[1:size // 2] * np.exp(-theta * s) * -np.expm1(-s))
    # Euler and Maclaurin at the kink s = 0
    f, f1, f2 = power[0] / h, (power[1] - power[-1]) / (2 * h * h), (power[1] - 2 * power[0] + power[-1]) / h ** 3
    third = 3 * f2 - 3 * f1 * (2 * theta + 1) + f * (3 * theta * theta + 3 * theta + 1)
    return value + h * h / 12 * f - h ** 4 / 720 * third


def convolution_once(p, q, rounds, eps, factor):
    finite = (p > 0) & (q > 0)
    loss, mass, e = np.log(p[finite] / q[finite]), p[finite], ld(eps)
    theta = tilt_for(loss, mass, float(e) / rounds)
    exponent = np.log(mass) + LD(theta) * loss
    top = np.max(exponent)
    w = np.exp(exponent - top)
    log_total = top + np.log(np.sum(w))
    w /= np.sum(w)
    keep = w > 1e-26
    w, loss = w[keep], loss[keep]
    sd = float(np.sqrt(np.sum(w * (loss - np.sum(w * loss)) ** 2)))
    h = sd * math.sqrt(rounds) / (90 * rounds ** 0.25) * factor
    value = mpf(grid_power(loss, w, theta, rounds, e, h)) * mpmath.exp(from_ld(log_total) * rounds - mpf(theta) * from_ld(e))
    return value - mpmath.expm1(rounds * mpmath.log1p(-from_ld(np.sum(p[q == 0]))))


def by_convolution(atoms, rounds, eps):
    """atoms(per_sd): every h-th outcome will do, as the sum of rounds is smooth; two grids and two h tell how well. As fine as the memory allows."""
    for finer in (6, 3, 1):
        try:
            one = convolution_once(*atoms(8 * finer), rounds, eps, 1 / finer)
            two = convolution_once(*atoms(11 * finer), rounds, eps, 0.7 / finer)
            break
        except NoRoute:
            if finer == 1:
                raise
    return Value(two, 3 * abs(one - two) / two + mpf("1e-8"), "convolution")


def delta_value(params, eps, alpha):
    """delta at eps, alpha = e^eps, one round or more."""
    pair = Pair(params)
    rounds = users(params.get("rounds", "1"))
    if rounds == 1:
        return one_round(pair, params, alpha)
    if pair.kind in ("clones", "clones-stronger") and pair.n == 1 and "subsample" not in params:
        return Value(randomised_responses(rounds, mpmath.log(pair.w0 / pair.w1))(eps), mpf(10) ** -20, "exact", mpf(10) ** -40)
    top = pair.largest_ratio()
    if top is not None and "subsample" in params:
        top = 1 + real(params["subsample"]) * (top - 1)
    if top is not None and eps >= rounds * mpmath.log(top) * (1 - mpf(10) ** -40):
        return Value(0, 0, "exact")
    values = []
    for d in directions(pair, params):
        def atoms(per_sd):
            key = (json.dumps(params, sort_keys=True), per_sd)
            if key not in kept_atoms:
                kept_atoms.clear() if len(kept_atoms) > 3 else None
                kept_atoms[key] = sampled(pair, params, *window_atoms(pair, per_sd))
            p, q = kept_atoms[key]
            return (p, q) if d == "pq" else (q, p)
        small = pair.outcomes() <= 1700
        if rounds == 2 and pair.n <= 20000 or small:
            try:
                values.append(by_product(*atoms(0), rounds, alpha))
                continue
            except NoRoute:
                pass
        values.append(by_convolution(atoms, rounds, eps))
    return largest(values)


kept_atoms = {}


# ---- Renyi divergences ----

def log_excess(order, x):
    """log(r^order - 1 - order (r-1)), r = 1 + x."""
    less, order = x.dtype.type(ld(order - 1)), x.dtype.type(ld(order))
    with np.errstate(all="ignore"):
        t = np.log1p(x)
        y = order * t
        small = np.abs(order * x) < 1e-3
        series = np.zeros_like(x)
        z = np.where(small, x, 0)
        for j in range(9, 1, -1):
            series = (series * z * (order - j) / (j + 1)) + 1
        near = np.log(order * less / 2) + 2 * np.log(np.abs(z)) + np.log(series)
        middle = np.log(np.maximum((1 + x) * np.expm1(np.where(y < 60, less * t, 0)) - less * x, 0))
        far = y + np.log1p(-np.minimum((1 + order * x) * np.exp(-np.maximum(y, 0)), 0.5))
        return np.where(small, near, np.where(y < 60, middle, far))


def log_kullback(x):
    """log(r log r - r + 1)."""
    with np.errstate(all="ignore"):
        z = np.where(np.abs(x) < 1e-3, x, 0)
        series = np.zeros_like(x)
        for j in range(12, 1, -1):
            series = series * -z + x.dtype.type(1 / LD(j * (j - 1)))
        near = 2 * np.log(np.abs(z)) + np.log(series)
        return np.where(np.abs(x) < 1e-3, near, np.log(np.maximum((1 + x) * np.log1p(x) - x, 0)))


def log_moment(pair, order):
    """log(M - 1) for order > 1, log of the Kullback-Leibler divergence for order 1, of (P, Q)."""
    n = pair.n
    if pair.w0 == pair.w1 or pair.scale == 0:
        return -mpmath.inf, mpf(0), "exact"
    if pair.r0 == 0:
        atoms = [(pair.w0, pair.w1), (pair.w1, pair.w0), (pair.w2, pair.w2)]
        return exact_log_moment(atoms, order), mpf(10) ** -30, "exact"
    if pair.outcomes() <= 2000 or pair.kind == "krr-weak" and n <= 60:
        return exact_log_moment(exact_atoms(pair), order), mpf(10) ** -30, "exact"
    if pair.kind in ("krr-weak", "clones-poisson"):
        raise NoRoute("moment of " + pair.kind)
    s, s1 = ld(pair.r0 + pair.r1), ld(pair.r2)
    rho, rho1 = ld(pair.r0 / (pair.r0 + pair.r1)), ld(pair.r1 / (pair.r0 + pair.r1))
    gap_a, gap_b = ld((pair.w0 - pair.w1) / pair.r0 / n), ld((pair.w1 - pair.w0) / pair.r1 / n)
    q_a, q_b = ld(pair.w1 / pair.r0 / n), ld(pair.w0 / pair.r1 / n)
    q_rest = ld(pair.w2 / pair.r2 / n) if pair.r2 else LD(0)
    kind = np.float64 if n < 10 ** 8 and pair.largest_ratio() < mpf(10) ** 200 else LD
    gap_a, gap_b, q_a, q_b, q_rest = (kind(v) for v in (gap_a, gap_b, q_a, q_b, q_rest))
    # gap_a a + gap_b b vanishes at a/b = r0/r1, near which only the difference is exact
    balanced = pair.r0 == pair.r1

    def integrand(m, a):
        """On the outer grid of the rows m and the offsets from each row's mean; -inf outside."""
        mm, a = m.astype(kind)[:, None], a.astype(kind)
        inside = (a >= 0) & (a <= mm)
        aa = np.clip(a, 0, mm)
        b = mm - aa
        q = q_a * aa + q_b * b + q_rest * (n - mm)
        gap = gap_a * (2 * aa - mm) if balanced else gap_a * aa + gap_b * b
        with np.errstate(all="ignore"):
            x = gap / q
            base = log_binomial(aa, mm, rho, rho1, kind) + np.log(q)
            base = base + (log_binomial(m, n, s, s1, kind)[:, None] if pair.r2 else np.where(mm == n, 0, -np.inf))
            v = base + (log_kullback(x) if order == 1 else log_excess(order, x))
        return np.where(inside & np.isfinite(v), v, -np.inf)

    # a box in (m, offset of a from rho m) where the summand is within 50 of its top
    def grid(box, count):
        m_low, m_high, o_low, o_high = box
        m = np.unique(np.array([m_low + (m_high - m_low) * i // (count - 1) for i in range(count)], np.int64))
        o = np.unique(np.array([o_low + (o_high - o_low) * i // (count - 1) for i in range(count)], np.int64))
        return m, o, integrand(m, np.round(m.astype(LD) * rho)[:, None] + o.astype(LD)[None, :])
    whole = (0, n, -n, n) if pair.r2 else (n, n, -n, n)
    if n <= 20000:
        # all of it, half a standard deviation apart
        m = np.unique((np.linspace(0, 1, 401) ** 2 * n).astype(np.int64)) if pair.r2 else np.array([n])
        a = np.round(m[:, None] * np.linspace(0, 1, 301))
        v = integrand(m, a.astype(LD))
        rows_in, columns_in = np.nonzero(v > np.max(v) - 60)
        offsets = a[rows_in, columns_in] - np.round(m[rows_in] * float(rho))
        i, j = max(rows_in.min() - 2, 0), min(rows_in.max() + 2, len(m) - 1)
        margin = int(m[j] / 100) + 2
        box = (int(m[i]), int(m[j]), max(-n, int(offsets.min()) - margin), min(n, int(offsets.max()) + margin))
    else:
        box, count = whole, 61
        for _ in range(200):
            m, o, v = grid(box, count)
            i, j = np.unravel_index(int(np.argmax(v)), v.shape)
            smaller = (int(m[max(i - 4, 0)]), int(m[min(i + 4, len(m) - 1)]), int(o[max(j - 4, 0)]), int(o[min(j + 4, len(o) - 1)]))
            if smaller == box or (box[1] - box[0] < 200 and box[3] - box[2] < 200):
                break
            box = smaller
        for _ in range(400):
            m, o, v = grid(box, count)
            top = np.max(v)
            dm, do = (box[1] - box[0]) // 4 + 2, (box[3] - box[2]) // 4 + 2
            grow = (np.max(v[:3]) > top - 50 and box[0] > whole[0], np.max(v[-3:]) > top - 50 and box[1] < whole[1],
                    np.max(v[:, :3]) > top - 50 and box[2] > whole[2], np.max(v[:, -3:]) > top - 50 and box[3] < whole[3])
            if not any(grow):
                break
            box = (max(whole[0], box[0] - dm * grow[0]), min(whole[1], box[1] + dm * grow[1]),
                   max(whole[2], box[2] - do * grow[2]), min(whole[3], box[3] + do * grow[3]))
    for count in (300, 900, 2700):
        m_step, o_step = max(1, (box[1] - box[0]) // count), max(1, (box[3] - box[2]) // count)
        sums = [lattice_sum(integrand, box, m_step, o_step, shift, rho) for shift in ((0,) if m_step == o_step == 1 else (0, 1))]
        error = 3 * abs(mpf(float(sums[0] - sums[-1])))
        if error < 1e-7:
            break
    return from_ld(sums[0]), mpf("1e-10") + error + mpf(float(n)) ** mpf("0.5") * mpf("1e-18"), "moment"


def lattice_sum(integrand, box, m_step, o_step, shift, rho):
    """log of the sum over every so many-th outcome of the box, times that."""
    m = np.arange(box[0] + shift * (m_step // 2), box[1] + 1, m_step, dtype=np.int64)
    o = np.arange(box[2] + shift * (o_step // 2), box[3] + 1, o_step, dtype=np.int64)
    total, top = LD(0), LD(-np.inf)
    for i in range(0, len(m), 64):
        # the offsets from a row's rounded mean keep a a whole number
        v = integrand(m[i:i + 64], np.round(m[i:i + 64].astype(LD) * rho)[:, None] + o.astype(LD)[None, :])
        new = max(top, np.max(v))
        if new > -np.inf:
            total = total * np.exp(top - new) + np.sum(np.exp(v - new))
            top = new
    return top + np.log(total) + np.log(LD(m_step)) + np.log(LD(o_step))


def exact_log_moment(atoms, order):
    total = mpf(0)
    if order == 1:
        for p, q in atoms:
            if p:
                total += p * mpmath.log(p / q)
        return mpmath.log(total) if total > 0 else -mpmath.inf
    with mpmath.workdps(mp.dps + 40):
        for p, q in atoms:
            r = p / q
            total += q * (mpmath.exp(order * mpmath.log(r)) - 1 - order * (r - 1))
        return mpmath.log(total) if total > 0 else -mpmath.inf


def renyi_of(pair, order):
    """The divergence of (P, Q) of a real order >= 1."""
    log_m, tolerance, route = log_moment(pair, order)
    if log_m == -mpmath.inf:
        return Value(0, 0, route)
    if order == 1:
        return Value(mpmath.exp(log_m), tolerance, route)
    if log_m > 200:
        value, error = log_m, tolerance
    else:
        excess = mpmath.exp(log_m)
        value = mpmath.log1p(excess)
        error = tolerance * excess / (1 + excess)
    return Value(value / (order - 1), error / value, route)


def renyi_value(params, order):
    """T rounds, the larger direction."""
    values = []
    for d in directions(Pair(params), params):
        pair = Pair(params)
        if d == "qp":
            pair.w0, pair.w1 = pair.w1, pair.w0
        if "subsample" in params:
            values.append(sampled_renyi(pair, params, order))
        else:
            values.append(renyi_of(pair, order))
    return largest(values).times(users(params.get("rounds", "1")))


def sampled_renyi(pair, params, order):
    """Of the outcomes of the sampled pair, E (R^a - 1 - a (R - 1)) or, of order 1, E (R log R - R + 1)."""
    few = pair.outcomes() <= 1700
    p, q = sampled(pair, params, *window_atoms(pair, 0 if few or pair.n <= 2000 else 24))
    y = np.where(p > q, np.log1p((p - q) / q), np.log(p) - np.log(q))
    a = ld(order)
    excess = np.sum(q * (np.exp(y) * y - np.expm1(y) if a == 1 else np.expm1(a * y) - a * np.expm1(y)))
    value = mpf(float(excess if a == 1 else np.log1p(excess) / (a - 1)))
    return Value(value, mpf(10) ** -7, "sums")


# ---- conversions ----

def converted(params, order, eps=None, delta=None):
    """Canonne, Kamath, Steinke, Proposition 12, at the order."""
    d = renyi_value({k: v for k, v in params.items() if k not in ("eps", "delta")}, order)
    factor = mpmath.exp(order * mpmath.log(1 - 1 / order)) / (order - 1)
    if delta is not None:
        value = d.value + mpmath.log(factor / delta) / (order - 1)
        if value <= 0:
            return Value(0, 0, d.route)
        return Value(value, d.tolerance * d.value / value + mpf(10) ** -30, d.route)
    value = factor * mpmath.exp((order - 1) * (d.value - eps))
    if value >= 1:
        return Value(1, 0, d.route)
    return Value(value, (order - 1) * d.value * d.tolerance + mpf(10) ** -30, d.route)


def randomised_responses(rounds, eps1):
    """The hockey-stick divergence of so many binary randomised responses, as a function of eps."""
    e = mpmath.exp(eps1)
    # the masses of so many flips under P and Q, summed from 0 flips on
    p = [mpf(0)]
    term = (e / (1 + e)) ** rounds
    q = [mpf(0)]
    for flips in range(rounds + 1):
        p.append(p[-1] + term)
        q.append(q[-1] + term * mpmath.exp((2 * flips - rounds) * eps1))
        term = term * (rounds - flips) / (flips + 1) / e

    def divergence(eps):
        if eps1 == 0 or eps >= rounds * eps1:
            return mpf(0)
        count = int(mpmath.ceil((rounds - eps / eps1) / 2))
        count = min(max(count, 0), rounds + 1)
        return max(mpf(0), p[count] - mpmath.exp(eps) * q[count])
    return divergence


def check_strong(params, result):
    """The printed eps and delta of a round lie on the curve; composing them gives the interval."""
    rounds = users(params["rounds"])
    eps1, delta1 = real(result["per_round"]["eps"]), real(result["per_round"]["delta"])
    one = delta_value({k: v for k, v in params.items() if k not in ("rounds", "via")}, eps1, mpmath.exp(eps1))
    if one.low() > delta1:
        return one, "a round has more than the delta that is printed"
    composed = randomised_responses(rounds, eps1)
    if "eps" in params:
        return Value(1 - (1 - delta1) ** rounds * (1 - composed(real(params["eps"]))), mpf(10) ** -25, "formula"), None
    delta = real(params["delta"])
    target = 1 - (1 - delta) / (1 - delta1) ** rounds
    low, high = mpf(0), rounds * eps1
    if composed(low) <= target:
        return Value(0, 0, "formula"), None
    for _ in range(150):
        middle = (low + high) / 2
        if composed(middle) > target:
            low = middle
        else:
            high = middle
    return Value(high, mpf(10) ** -25, "formula"), None


# ---- trade-off curves ----

def type_two(p, q, type1):
    """Sorted by P/Q from below: rejecting there costs least under P and gains most under Q."""
    p, q = merged(p, q)
    p, q = p[::-1], q[::-1]
    spent = np.concatenate([[0], np.cumsum(p)])
    i = int(np.searchsorted(spent, ld(type1), side="right")) - 1
    if i >= len(p):
        return LD(0)
    left = np.sum(q[i:])
    return max(LD(0), left - (q[i] * (ld(type1) - spent[i]) / p[i] if p[i] > 0 else q[i]))


def tradeoff_value(params):
    pair = Pair(params)
    p, q = window_atoms(pair, 0, 13)
    p, q = sampled(pair, params, p, q)
    rounds = users(params.get("rounds", "1"))
    if rounds > 1:
        p, q = product(p, q, rounds)
    values = []
    for d in directions(pair, params):
        values.append(type_two(p, q, real(params["type1"])) if d == "pq" else type_two(q, p, real(params["type1"])))
    absolute = mpf("1e-16")
    return Value(from_ld(min(values)), mpf("1e-10"), "sorted", absolute)


# ---- Gaussian differential privacy ----

def gaussian_delta(mu, eps):
    phi = lambda x: mpmath.erfc(-x / mpmath.sqrt(2)) / 2
    return phi(-eps / mu + mu / 2) - mpmath.exp(eps) * phi(-eps / mu - mu / 2)


def solve_mu(delta, eps):
    if delta <= 0:
        return mpf(0)
    low, high = mpf(0), mpf(1)
    while gaussian_delta(high, eps) < delta:
        high *= 2
    for _ in range(170):
        middle = (low + high) / 2
        if gaussian_delta(middle, eps) < delta:
            low = middle
        else:
            high = middle
        if low > 0 and high - low < high * mpf(10) ** -20:
            break
    return high


def gdp_value(params):
    ends = params["eps"].split(":")
    at = lambda eps, alpha: delta_value({k: v for k, v in params.items() if k != "eps"}, eps, alpha)
    if len(ends) == 1:
        d = at(real(ends[0]), exp_of(ends[0]))
        low, high = solve_mu(d.low(), real(ends[0])), solve_mu(d.high(), real(ends[0]))
        middle = (low + high) / 2
        return Value(middle, (high - low) / middle + mpf(10) ** -15, d.route) if middle else Value(0, 0, d.route)
    pair = Pair(params)
    a, b = float(real(ends[0])), float(real(ends[1]))
    p, q = window_atoms(pair, 0, 13)
    profiles = [profile_of(p, q) if d == "pq" else profile_of(q, p) for d in directions(pair, params)]
    from scipy.special import erfcx

    def log_gaussian(mu, eps):
        """log of gaussian_delta by Mills ratios."""
        z, z1 = eps / mu - mu / 2, eps / mu + mu / 2
        with np.errstate(all="ignore"):
            return -z * z / 2 + np.log(0.5 * (erfcx(z / math.sqrt(2)) - erfcx(z1 / math.sqrt(2))))

    def mu_at(eps):
        """In doubles, all points at once."""
        with np.errstate(divide="ignore"):
            delta = np.log(np.maximum.reduce([f(np.exp(eps.astype(LD))) for f in profiles])).astype(float)
        low, high = np.full(len(eps), 1e-9), np.full(len(eps), 20.0)
        for _ in range(70):
            middle = (low + high) / 2
            less = log_gaussian(middle, eps) < delta
            low, high = np.where(less, middle, low), np.where(less, high, middle)
        return high, delta
    for _ in range(4):
        eps = np.linspace(a, b, 4001)
        mu, delta = mu_at(eps)
        mu = np.where(delta > -600, mu, 0)
        i = int(np.argmax(mu))
        a, b = eps[max(i - 2, 0)], eps[min(i + 2, len(eps) - 1)]
    return Value(mpf(float(mu[i])), mpf("1e-5"), "root")


# ---- the shuffled Gaussian ----

def black_scholes(strike, a, x):
    """E(L - K)_+ for log L ~ N(-a^2/2, a^2), in doubles."""
    k = np.asarray(strike, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        d = np.log(np.maximum(k, 1e-300)) / a
        return np.where(k > 0, x(a / 2 - d) - k * x(-a / 2 - d), 1 - k)


def gaussian_route(params, eps, alpha):
    from scipy.special import ndtr
    n, a = users(params["n"]), 1 / real(params["sigma"])
    d = params.get("direction", "both")
    if n == 1:
        return Value(gaussian_delta(a, eps), mpf(10) ** -30, "formula")
    k = n * float(alpha)
    a = float(a)
    put = lambda gap: black_scholes(gap, a, ndtr) + gap - 1
    low_strike = n / float(alpha)
    if n <= 3:
        # trapezoid in the normal variables; the last variable's expectation is smooth
        u, step = np.linspace(-9, 9 + a, 200001 if n == 2 else 1401, retstep=True)
        ratio = np.exp(a * u - a * a / 2)
        weight = np.exp(-u * u / 2) / math.sqrt(2 * math.pi) * step
        if n == 3:
            weight, ratio = np.outer(weight, weight).ravel(), np.add.outer(ratio, ratio).ravel()
        qp = float(np.sum(weight * black_scholes(k - ratio, a, ndtr))) / n if d != "pq" else 0
        pq = float(alpha) * float(np.sum(weight * put(low_strike - ratio))) / n if d != "qp" else 0
        return Value(max(pq, qp), mpf("1e-8"), "quadrature", mpf("1e-15"))
    # the density of n - 1 ratios by a transform on a grid around their mean
    sd = math.sqrt(math.expm1(a * a))
    h = min(sd, 1) * math.exp(-a) / 160
    reach = max(14 * sd * math.sqrt(n) + 40 * sd, math.exp(8.5 * a))
    size = 1 << math.ceil(math.log2(2 * reach / h))
    if size > 1 << 24:
        raise NoRoute("density")
    x = (np.arange(size) - size // 4) * h
    at = x + 1
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (np.log(np.maximum(at, 1e-300)) + a * a / 2) / a
        density = np.where(at > 0, np.exp(-t * t / 2) / (np.maximum(at, 1e-300) * a * math.sqrt(2 * math.pi)), 0)
    spectrum = np.fft.rfft(np.roll(density, -(size // 4)) * h) ** (n - 1)
    mass = np.roll(np.fft.irfft(spectrum, size), size // 4)
    s = x + (n - 1)
    qp = float(np.sum(mass * black_scholes(k - s, a, ndtr))) / n
    pq = float(alpha) * float(np.sum(mass * put(low_strike - s))) / n
    value = {"pq": pq, "qp": qp, "both": max(pq, qp)}[d]
    return Value(value, mpf("1e-6"), "fourier", mpf("1e-12"))


# ---- closed forms ----

def form_functions(p):
    """The formulas: epsilon(delta), delta(eps), renyi(order), mu, or None each."""
    form, n = p["form"], mpf(users(p["n"]))
    log, sqrt, exp = mpmath.log, mpmath.sqrt, mpmath.exp
    e = exp_of(p["eps0"]) if "eps0" in p else None
    eps0 = real(p["eps0"]) if "eps0" in p else None
    k = int(Fraction(p["k"])) if "k" in p else None
    epsilon = delta = renyi = mu = None
    if form in ("feldman21-3.1", "feldman21-3.1-as-printed", "feldman21-3.8"):
        epsilon = lambda d: mpmath.log1p((e - 1) / (e + 1) * (8 * sqrt(e * log(4 / d)) / sqrt(n) + 8 * e / n))
    elif form == "feldman21-lemma-3.2":
        epsilon = lambda d: mpmath.log1p(8 * sqrt(e * log(4 / d) / n) + 8 * e / n)
    elif form == "feldman21-4.1":
        epsilon = lambda d: mpmath.log1p((e - 1) / (e + 1) * (8 * sqrt(log(4 / d) * 3 * e / n) + 24 * e / n))
    elif form.startswith("feldman21-4.2"):
        epsilon = lambda d: mpmath.log1p((e - 1) * (8 * sqrt((k + 1) * log(4 / d)) / sqrt((e + k - 1) * k * n) + mpf(8) * (k + 1) / (k * n)))
    elif form == "erlingsson19":
        epsilon = lambda d: 12 * eps0 * sqrt(log(1 / d) / n)
    elif form == "cheu19-4.7":
        least = lambda d: 2 * n / (e + 1) - 2 * sqrt(n / (e + 1) * log(2 / d))
        epsilon = lambda d: 4 * sqrt(2 * log(4 / d) / least(d)) * (1 - least(d) / n)
    elif form.startswith("balle19"):
        def delta(eps):
            x = exp(eps)
            if form.endswith("krr"):
                g = k / (e + k - 1)
                spread, top = (1 - g) * k * (x + 1), (1 - g) * k - g * (x - 1)
                second = g * (2 - g) * (x - 1) ** 2 + (1 - g) ** 2 * k * (1 + x * x)
            else:
                g = 1 / e
                spread, top = (x + 1) * (e - 1 / e), e - x / e
                second = e * (x * x + 1) - 2 * x / e ** 3
            a = x - 1
            if "hoeffding" in form:
                value = spread ** 2 / (4 * n * g * a) * (1 - g * (1 - exp(-2 * a * a / spread ** 2))) ** n
            else:
                u = top * a / second
                phi = (1 + u) * log(1 + u) - u
                value = top / (n * g * log(1 + u)) * ((1 - g * (1 - exp(-second / top ** 2 * phi))) ** n - (1 - g) ** n)
            return min(value, mpf(1))
    elif form.startswith("girgis21-3.1") or form.startswith("girgis21-3.3"):
        gamma = to_mp(rational(p["gamma"])) if "gamma" in p else mpf(1) / 2

        def whole(order):
            nb = mpmath.floor((1 - gamma) * (n - 1) / e + mpf(10) ** -40) + 1
            cut = exp(-(n - 1) * gamma ** 2 / (2 * e))
            if "sharp" in form or form.endswith("gamma"):
                rest = (exp(order * eps0) - 1) * (1 - exp(-(order - 1) * eps0)) / (1 + e) * cut
            else:
                rest = exp(order * eps0) * cut
            if "3.3" in form:
                return mpmath.log(exp(order ** 2 * (e - 1) ** 2 / nb) + rest) / (order - 1)
            order = int(order)
            total = mpmath.binomial(order, 2) * (e - 1) ** 2 / (nb * e) + rest
            z = (e * e - 1) ** 2 / (2 * e * e * nb)
            term = mpf(order)
            for i in range(2, order + 1):
                term = term * (order - i + 1) / i
                if i > 2:
                    total += term * i * mpmath.gamma(mpf(i) / 2) * z ** (mpf(i) / 2)
            return mpmath.log1p(total) / (order - 1)

        def renyi(order):
            if eps0 == 0:
                return mpf(0)
            if "3.3" in form or order == mpmath.floor(order):
                return whole(order)
            if order < 2:
                return whole(mpf(2))
            below = mpmath.floor(order)
            return ((1 + below - order) * (below - 1) * whole(below) + (order - below) * below * whole(below + 1)) / (order - 1)
    elif form == "girgis21-3.2":
        renyi = lambda order: mpmath.log1p(4 * mpmath.binomial(order, 2) * (e - 1) ** 2 / n) / (order - 1)
    elif form == "girgis21-3.5":
        renyi = lambda order: mpmath.log1p(mpmath.binomial(order, 2) * (e - 1) ** 2 / (n * e)) / (order - 1)
    elif form == "erlingsson19-renyi":
        renyi = lambda order: 2 * order * exp(4 * eps0) * (e - 1) ** 2 / n
    elif form in ("chen24-cor2", "chen24-thm3"):
        renyi = lambda order: 2 * e * order / (n - 1)
    elif form == "chen24-thm2":
        mu = 2 * sqrt(e) / sqrt(n - 1)
        delta = lambda eps: gaussian_delta(mu, eps)
    else:
        raise NoRoute(form)
    return epsilon, delta, renyi, mu


def solve_falling(function, target, low, high):
    for _ in range(110):
        middle = (low + high) / 2
        if function(middle) > target:
            low = middle
        else:
            high = middle
    return high


def form_value(p):
    form = p["form"]
    small = mpf(10) ** -25
    if form == "feldman21-5.2":
        n, eps, d = mpf(users(p["n"])), real(p["eps"]), real(p["delta"])
        l = mpmath.log(1 / d)
        low = eps <= mpmath.sqrt(l / n)
        return Value(eps * mpmath.sqrt(n) / (16 * mpmath.sqrt(l)) if low else mpmath.log(eps ** 2 * n / (100 * l)), small, "formula")
    if form == "girgis21-3.4":
        # the divergence of two laws of n binary randomised responses, from its definition; P has one 1
        q = {key: v for key, v in p.items() if key != "form"}
        pair = Pair(dict(q, pair="rr2"))
        pair.w0, pair.w1 = pair.w1, pair.w0
        return renyi_of(pair, real(p["order"]))
    epsilon, delta, renyi, mu = form_functions(p)
    if "order" in p:
        return Value(renyi(real(p["order"])), small, "formula")
    if form == "feldman21-3.8":
        n, d0, e = mpf(users(p["n"])), real(p["delta0"]), exp_of(p["eps0"])
        extra = lambda eps: (mpmath.exp(eps) + 1) * (1 + 1 / (2 * e)) * n * d0
        if "eps" in p:
            eps = real(p["eps"])
            d1 = mpmath.exp(solve_falling(lambda t: epsilon(mpmath.exp(t)), eps, mpf(-3000), mpf(0)))
            return Value(d1 + extra(eps), small, "formula")
        # delta1 + extra(epsilon(delta1)) = delta, the largest delta1
        target = real(p["delta"])
        total = lambda t: -(mpmath.exp(t) + extra(epsilon(mpmath.exp(t))))
        low, high = mpmath.log(target) - 10, mpmath.log(target)
        return Value(epsilon(mpmath.exp(solve_falling(total, -target, low, high))), small, "formula")
    if "eps" in p:
        eps = real(p["eps"])
        if delta:
            return Value(delta(eps), small, "formula")
        t = solve_falling(lambda t: epsilon(mpmath.exp(t)), eps, mpf(-100000), mpf(0))
        return Value(mpmath.exp(t), small, "formula")
    if "delta" in p:
        d = real(p["delta"])
        if epsilon:
            return Value(epsilon(d), small, "formula")
        high = real(p["eps0"]) if form.startswith("balle19") else mpf(1)
        while form == "chen24-thm2" and delta(high) > d:
            high *= 2
        return Value(solve_falling(delta, d, mpf(10) ** -30, high), small, "formula")
    return Value(mu, small, "formula")


# ---- tests ----

def interval(result):
    """The decimal and the hexadecimal interval; the latter may reach beyond the doubles."""
    return [tuple(mpmath.inf if result[end] == "unbounded" else real_of(result[end]) for end in ends)
            for ends in (("lo", "hi"), ("lo_hex", "hi_hex"))]


def check_at(value, result):
    """Whether the intervals contain the value, up to its error."""
    for low, high in interval(result):
        if low > high or value.high() < low or value.low() > high:
            return "[%s, %s] misses %s +- %s" % (mpmath.nstr(low, 20), mpmath.nstr(high, 20), mpmath.nstr(value.value, 20),
                                                 mpmath.nstr(value.high() - value.value, 3))
    return None


def check_ends(function, delta, result):
    """eps(delta): at the lower end delta is exceeded or the end is 0; at the upper end it is not."""
    worst = None
    # delta falls: the inner ends of the two intervals decide for both
    (low, high), (low_hex, high_hex) = interval(result)
    if low > high or low_hex > high_hex:
        return None, "the ends are exchanged"
    low, high = max(low, low_hex), min(high, high_hex)
    if low > 0:
        worst = v = function(low)
        if v.high() < delta:
            return v, "at lo delta is %s, not above %s" % (mpmath.nstr(v.high(), 20), mpmath.nstr(delta, 20))
    v = function(high)
    worst = v if worst is None or v.tolerance > worst.tolerance else worst
    if v.low() > delta:
        return v, "at hi delta is %s, above %s" % (mpmath.nstr(v.low(), 20), mpmath.nstr(delta, 20))
    return worst, None


def real_of(text):
    return to_mp(rational(text))


def check_some(values, result):
    """Some data, all of which have these divergences, have one in the interval."""
    messages = []
    for value, error in values:
        value = Value(value, mpf(0), "definition", mpf(error))
        messages.append(check_at(value, result))
        if messages[-1] is None:
            return value.route, mpf(error), None
    return "definition", mpf(0), "no data have it: " + messages[-1]


def check_seen(asked, result):
    """Reports that are seen by themselves: a sum over how many of them tell the truth."""
    mp.dps = DPS
    m, count = asked["mechanism"], int(asked.get("reports_per_user", "1")) * int(asked.get("rounds", "1"))
    e, none = exp_of(m["eps0"]), (1 - real(m.get("delta0", "0"))) ** count

    def delta(alpha):
        terms = (math.comb(count, i) * max(e ** i - alpha * e ** (count - i), 0) for i in range(count + 1))
        return Value(1 - none * (1 - sum(terms) / (1 + e) ** count), mpf("1e-25"), "definition")
    if asked["ask"]["quantity"] == "epsilon":
        value, message = check_ends(lambda eps: delta(mpmath.exp(eps)), real(asked["ask"]["delta"]), result)
    else:
        value = delta(exp_of(asked["ask"]["eps"]))
        message = check_at(value, result)
    return value.route, value.tolerance, message


def check_class(asked, result, bound):
    """The class of all eps0-LDP randomisers: the pair of the honest users' reports, and what is lost by what is said of them."""
    if result["theorem"] == "local-delta0":
        return check_seen(asked, result)
    m, alpha = asked["mechanism"], exp_of(asked["ask"]["eps"])
    n = asked["users"]["at_least"] if isinstance(asked["users"], dict) else asked["users"]
    honest = users(n) * rational(asked.get("honest", "1"))
    reports = int(asked.get("reports_per_user", "1"))
    pair = {"n": str(honest * reports), "eps0": m["eps0"]}
    if bound == "lower":
        # data that differ in one report, all others a third value
        value = one_round(Pair(dict(pair, pair="krr-third", k="3")), {}, alpha)
    else:
        step = alpha ** (mpf(1) / reports)
        value = one_round(Pair(dict(pair, pair="clones-stronger")), {}, step).times(sum(step ** i for i in range(reports)))
    if bound == "upper" and "delta0" in m:
        extra = (1 + alpha) * (2 * int(honest) - 1) * real(m["delta0"]) / exp_of(m["eps0"])
        value = Value(value.value + extra, value.tolerance, value.route, value.absolute)
    return value.route, value.tolerance, check_at(value, result)


def check_described(asked, result):
    """A bound of a described randomiser, one round of everybody at one eps."""
    theorem = ([result["theorem"]] + result.get("through", []))[-1]
    if result["theorem"] == "sum-of-bits-data" and asked["ask"]["quantity"] == "delta" and asked.get("rounds", 1) == 1 and "k" in asked["mechanism"]:
        return check_some(described.sum_of_bits(asked["mechanism"], users(str(asked["users"])), float(exp_of(asked["ask"]["eps"]))), result)
    of_all = ("blanket", "all-equal", "third-value", "binary-reports", "mixed-data")
    of_samples = ("blanket-sampled", "local-profile-sampled", "alike-sampled", "binary-reports-sampled", "mixed-sampled")
    of_participants = ("blanket-poisson", "local-profile-poisson", "alike-poisson")
    scheme = asked["sample"]["scheme"] if "sample" in asked else None
    if theorem not in {None: of_all, "fixed": of_samples, "poisson": of_participants}[scheme] or asked["ask"]["quantity"] != "delta" or asked.get("rounds", 1) != 1:
        raise NoRoute(theorem)
    rate = rational(asked["sample"]["rate"]) if "sample" in asked else 1
    count, alpha = users(str(asked["users"])), float(exp_of(asked["ask"]["eps"]))
    if theorem in ("mixed-data", "mixed-sampled"):
        return check_some(described.mixes(asked["mechanism"], int(count), rate, alpha), result)
    if scheme == "poisson":
        value, error = described.bound(asked["mechanism"], theorem, int(count), alpha, participation=float(rate))
    else:
        value, error = described.bound(asked["mechanism"], theorem, int(count * rate), alpha, rate)
    value = Value(value, mpf(0), "definition", mpf(error))
    return value.route, mpf(error) / value.value if value.value else mpf(0), check_at(value, result)


def replaced_delta(s, m, rounds, alpha, bound, theorem):
    """Noisy SGD, a record is replaced: the value and its error."""
    import batches  # takes SciPy
    steps, sampler, exact = int(m["steps"]), m["sampler"], mpf("1e-12")
    rate = rational(str(m.get("sampling_rate", 0)))
    taken = int(rate * steps) if sampler == "random-allocation" else 1
    if sampler == "poisson":
        return batches.many(s, real(str(m["sampling_rate"])), rounds * steps, alpha, is_replaced=True)
    if sampler == "without-replacement" and rounds * steps == 1:
        return real(str(rate)) * batches.fixed(2 / s, 1 + (alpha - 1) / real(str(rate))), exact
    if sampler == "without-replacement" and bound == "lower" and rounds * steps == 2:
        return batches.poisson(s / 2, real(str(rate)), 2, alpha), exact
    if theorem in ("batches-replaced-fixed", "batches-replaced-known"):
        return batches.fixed(2 * mpmath.sqrt(rounds * taken) / s, alpha), exact
    if sampler == "shuffle" and bound == "lower" and (steps, rounds) == (2, 1):
        return batches.balls(s / 2, alpha), exact
    if sampler in ("balls-and-bins", "random-allocation") and bound == "lower" and rounds == 1 and (taken > 1 or steps == 2):
        value = batches.allocated(s, steps, taken, alpha, -1)
        return (max(value, batches.balls(s, alpha)) if taken == 1 else value), exact
    raise NoRoute(sampler)


def matrix_delta(s, m, rounds, alpha, bound, is_replaced):
    """Noisy SGD with correlated noise: the value and its error."""
    import batches  # takes SciPy
    if m["sampler"] == "poisson":
        steps, square = strategies.poisson(m, bound)
        return batches.many(s / mpmath.sqrt(to_mp(Fraction(square))), real(str(m["sampling_rate"])), rounds * steps, alpha, is_replaced=is_replaced)
    mu = (1 + is_replaced) * mpmath.sqrt(rounds * to_mp(Fraction(strategies.square(m, bound)))) / s
    return gaussian_delta(mu, mpmath.log(alpha)), mpf("1e-200")


def user_delta(s, m, rounds, alpha, theorem, is_replaced):
    """All records of a user in noisy SGD: the value and its error."""
    import batches  # takes SciPy
    steps, size = int(m["steps"]), int(m["records_per_user"])
    if theorem == "batches-user-poisson":
        return batches.many(s, real(str(m["sampling_rate"])), rounds * steps, alpha, size, is_replaced)
    taken = int(rational(str(m["sampling_rate"])) * steps) if m["sampler"] == "random-allocation" else 1
    square = {"batches-user-fixed": mpf(rounds), "batches-user-known": mpf(rounds * taken),
              "batches-user-sum": mpf(taken) ** 2 * rounds / steps}
    return batches.fixed((1 + is_replaced) * size * mpmath.sqrt(square[theorem]) / s, alpha), mpf("1e-25")


def check_batch(asked, result, bound):
    """Noisy SGD, one step or few."""
    import batches  # takes SciPy
    m, ask, rounds = asked["mechanism"], asked["ask"], int(asked.get("rounds", 1))
    s, steps, sampler = real(str(m["noise_multiplier"])), int(m["steps"]), m["sampler"]
    is_replaced = asked.get("neighbours") == "replace"

    def special(alpha):
        """Of members that most questions do not have: the value and its error."""
        if "strategy" in m:
            return matrix_delta(s, m, rounds, alpha, bound, is_replaced)
        if "max_batch_size" in m:
            return batches.truncated(s, real(str(m["sampling_rate"])), int(m["max_batch_size"]), int(m["dataset_size"]), rounds * steps, alpha, bound, is_replaced)
        if "records_per_user" in m:
            return user_delta(s, m, rounds, alpha, result["theorem"], is_replaced)
        return None

    def delta(eps):
        alpha = mpmath.exp(eps)
        found = special(alpha)
        if found:
            return Value(found[0], mpf("1e-9"), "definition", mpf(found[1]))
        if sampler == "without-replacement" or is_replaced:
            value, error = replaced_delta(s, m, rounds, alpha, bound, result["theorem"])
            return Value(value, mpf("1e-9"), "quadrature", mpf(error))
        if sampler == "poisson" and rounds * steps > 2:
            value, error = batches.many(s, real(str(m["sampling_rate"])), rounds * steps, alpha)
            return Value(value, mpf(0), "transform", mpf(error))
        taken = int(rational(str(m["sampling_rate"])) * steps) if sampler == "random-allocation" else 0
        if taken and bound == "upper" and steps // taken == 1:
            value = batches.fixed(mpmath.sqrt(rounds * taken) / s, alpha)
        elif taken and bound == "lower" and rounds == 1:
            value = batches.allocated(s, steps, taken, alpha)
            if (steps, taken) == (3, 2):
                most = batches.two_of_three(s, alpha)
                return Value((value + most) / 2, mpf(0), "between", abs(most - value) / 2 + mpf("1e-9"))
        elif sampler == "fixed" or (sampler == "shuffle" and bound == "upper"):
            value = batches.fixed(mpmath.sqrt(rounds) / s, alpha)
        elif sampler == "poisson" and rounds * steps <= 2:
            value = batches.poisson(s, real(str(m["sampling_rate"])), rounds * steps, alpha)
        elif sampler == "balls-and-bins" and (steps, rounds) == (2, 1):
            value = batches.balls(s, alpha)
        elif sampler == "shuffle" and rounds == 1 and result["theorem"] != "batches-shuffle-sum":
            value = batches.maximum(s, steps, alpha)
        else:
            raise NoRoute(sampler)
        return Value(value, mpf("1e-9"), "quadrature", mpf("1e-25"))

    mp.dps = 30
    if ask["quantity"] == "delta":
        value = delta(real(ask["eps"]))
        return value.route, value.tolerance, check_at(value, result)
    value, message = check_ends(delta, real(ask["delta"]), result)
    return "quadrature", mpf("1e-9"), message


def release_delta(asked, alpha, bound):
    """Noise that a curator adds, once or twice; with Gaussian noise of both kinds and staircase noise any number of times."""
    import batches  # takes SciPy
    import releases
    m, rounds, sample = asked["mechanism"], int(asked.get("rounds", 1)), asked.get("sample", {})
    if rounds == 1 and m["type"] == "sample-and-threshold":
        return releases.kept(real(str(m["sampling_rate"])), int(m["threshold"]), alpha)
    if "threshold" in m:
        if rounds > 1 or real(m["threshold"]) <= real(str(m.get("sensitivity", 1))):
            raise NoRoute("threshold")
        apart = {**asked, "mechanism": {k: v for k, v in m.items() if k != "threshold"}}
        variance, distance = real(str(m.get("scale", 1))) ** 2, real(m["threshold"]) - real(str(m.get("sensitivity", 1)))
        return max(release_delta(apart, alpha, bound), releases.sole(m["noise"], 1 / real(str(m.get("scale", 1))), variance, distance, alpha))
    rate, noise = real(str(sample.get("rate", 1))), m.get("noise", "binomial")
    if "dimension" in m:
        norm = str(m["sensitivity"])
        square = int(norm[5:-1]) if norm.startswith("sqrt(") else int(real(norm)) ** 2
        return releases.vector(noise, real(str(m["variance"])), square, int(m["dimension"]), rate, rounds, alpha, bound)
    shift = real(str(m.get("sensitivity", 1)))
    variance = real(str(m["variance"])) if "variance" in m else real(str(m.get("scale", 1))) ** 2
    loss = real(str(m["eps0"])) if "eps0" in m else shift / real(str(m.get("scale", 1)))
    mu = mpmath.sqrt(rounds) * shift / mpmath.sqrt(variance)
    if "sampler" in m:
        if rounds > 1 or m["sampler"] != "balls-and-bins" or noise not in ("discrete-laplace", "staircase"):
            raise NoRoute(m["sampler"])
        outcomes = releases.stairs(loss, real(str(m["gamma"]))) if noise == "staircase" else releases.few(releases.masses(noise, loss / shift, variance), int(shift))
        return releases.allocated(outcomes, int(m["steps"]), alpha)
    if noise == "gaussian" and sample.get("scheme") == "fixed" and rounds == 1:
        above, factor = rate * batches.fixed(mu, 1 + (alpha - 1) / rate), 1 - alpha * (1 - rate)
        return above if bound == "upper" or factor <= 0 else max(above, factor * batches.fixed(mu, alpha * rate / factor))
    if noise == "gaussian" and rate == 1:
        return batches.fixed(mu, alpha)
    if noise == "gaussian" and rounds <= 2:
        return batches.poisson(mpmath.sqrt(variance) / shift, rate, rounds, alpha)
    if noise == "staircase" and sample.get("scheme") != "fixed":
        return releases.staircase(loss, real(str(m["gamma"])), rate, rounds, alpha)
    if noise == "laplace" and rounds == 1:
        return releases.laplace(loss, rate, alpha)
    if noise == "discrete-gaussian" and rounds > 2 and rate == 1:
        return releases.gaussian_whole(variance, int(shift), rounds, alpha)
    if noise in ("gaussian", "laplace") or rounds > 2 or sample.get("scheme") == "fixed":
        raise NoRoute(noise)
    p = releases.coins(int(m["coins"])) if noise == "binomial" else releases.masses(noise, loss / shift, variance)
    return releases.whole(p, int(shift), rate, rounds, alpha)


def check_release(asked, result, bound):
    tolerance = mpf("1e-9")

    def delta(eps):
        return Value(release_delta(asked, mpmath.exp(eps), bound), tolerance, "definition", mpf("1e-22"))
    mp.dps = 30
    if asked["ask"]["quantity"] == "delta":
        value = delta(real(asked["ask"]["eps"]))
        return value.route, value.tolerance, check_at(value, result)
    value, message = check_ends(delta, real(asked["ask"]["delta"]), result)
    return "definition", tolerance, message


def check_coins(asked, result):
    """Coins added to a count."""
    import batches  # takes SciPy
    value = Value(batches.coins(int(asked["mechanism"]["coins"]), exp_of(asked["ask"]["eps"])), mpf("1e-25"), "definition")
    return value.route, value.tolerance, check_at(value, result)


def check(test):
    """(route or None, tolerance, message or None)"""
    if "bound" in test:
        if test["question"]["mechanism"]["type"] in ("additive-noise", "sample-and-threshold") or "sensitivity" in test["question"]["mechanism"]:
            return check_release(test["question"], test["result"], test["bound"])
        if test["question"]["mechanism"]["type"] == "binomial-noise":
            mp.dps = DPS
            return check_coins(test["question"], test["result"])
        if test["question"]["mechanism"]["type"] == "groups":
            mechanism, eps = test["question"]["mechanism"], test["question"]["ask"]["eps"]
            return check_some([described.groups(mechanism, test["bound"], float(exp_of(eps)))], test["result"])
        if test["question"]["mechanism"]["type"] == "noisy-sgd":
            return check_batch(test["question"], test["result"], test["bound"])
        if test["question"]["mechanism"]["type"] == "ldp":
            return check_class(test["question"], test["result"], test["bound"])
        return check_described(test["question"], test["result"])
    params, result = question.options(test["question"]), test["result"]
    command = params["command"]
    mp.dps = DPS
    mp.dps = needed_digits(params)
    if result.get("infinite"):
        ok = command == "renyi" and Pair(params).largest_ratio() is None
        return "exact", mpf(0), None if ok else "said to be infinite"
    order = real(result["order"]) if "order" in result else None
    if command == "bound":
        if params["form"] == "girgis21-3.1-gamma" and "gamma" not in params:
            return best_gamma(params, result)
        value = form_value(params)
    elif params.get("via") == "strong-composition":
        value, message = check_strong(params, result)
        if message:
            return value.route, value.tolerance, message
    elif params.get("via") == "renyi":
        value = converted(params, order, real(params["eps"]) if "eps" in params else None,
                          real(params["delta"]) if "delta" in params else None)
    elif command == "delta":
        route = gaussian_route if params["pair"] == "gaussian" else delta_value
        value = route(params, real(params["eps"]), exp_of(params["eps"]))
    elif command == "epsilon":
        route = gaussian_route if params["pair"] == "gaussian" else delta_value
        value, message = check_ends(lambda eps: route(params, eps, mpmath.exp(eps)), real(params["delta"]), result)
        return value.route if value else "exact", value.tolerance if value else mpf(0), message
    elif command == "renyi":
        if Pair(params).largest_ratio() is None:
            return "exact", mpf(0), "the value is infinite"
        if params["order"] == "inf":
            value = Value(mpmath.log(Pair(params).largest_ratio()) * users(params.get("rounds", "1")), mpf(10) ** -30, "exact")
        else:
            value = renyi_value(params, real(params["order"]))
    elif command == "tradeoff":
        value = tradeoff_value(params)
    elif command == "gdp":
        value = gdp_value(params)
    else:
        raise NoRoute(command)
    return value.route, value.tolerance, check_at(value, result)


def best_gamma(params, result):
    """gamma is the program's choice: the value is near the least on a refined grid."""
    low, high, least = Fraction(0), Fraction(1), mpmath.inf
    for _ in range(3):
        step = (high - low) / 200
        values = [(form_value(dict(params, gamma=str(low + i * step))).value, low + i * step) for i in range(1, 200)]
        value, at = min(values)
        least = min(least, value)
        low, high = max(Fraction(0), at - 3 * step), min(Fraction(1), at + 3 * step)
    low, high = interval(result)[0]
    message = None
    if high < least * (1 - mpf("1e-4")) or low > least * (1 + mpf("1e-2")):
        message = "[%s, %s] is not near the least over gamma, %s" % (mpmath.nstr(low, 12), mpmath.nstr(high, 12), mpmath.nstr(least, 12))
    return "formula", mpf("1e-2"), message


def main():
    parser = argparse.ArgumentParser(description="Confirm generated test vectors.")
    parser.add_argument("--sample", type=int, help="draw so many tests at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="print every test with its route and time")
    parser.add_argument("files", nargs="+")
    o = parser.parse_args()
    tests = []
    for name in o.files:
        with open(name) as f:
            for group in json.load(f)["testGroups"]:
                tests += [(name, t) for t in group["tests"] if "result" in t]
    if o.sample is not None:
        print("seed %d" % o.seed)
        tests = random.Random(o.seed).sample(tests, min(o.sample, len(tests)))
    counts, coarse, failures, missing = {}, {}, 0, []
    for name, test in tests:
        start = time.time()
        where = "%s tcId %d" % (name, test["tcId"])
        try:
            route, tolerance, message = check(test)
        except NoRoute as e:
            missing.append("%s (%s)" % (where, e))
            continue
        counts[route] = counts.get(route, 0) + 1
        if tolerance > mpf("1e-6"):
            coarse[route] = coarse.get(route, 0) + 1
        if message:
            failures += 1
            print("FAIL %s [%s]: %s\n  %s" % (where, route, message, json.dumps(test["question"])), flush=True)
        if o.verbose:
            print("%s %s %s %.2f s" % (where, route, mpmath.nstr(tolerance, 2), time.time() - start), flush=True)
    for route in sorted(counts):
        print("%-12s %5d tests%s" % (route, counts[route], ", %d coarse" % coarse[route] if route in coarse else ""))
    print("%d confirmed, %d failed, %d without a route" % (sum(counts.values()) - failures, failures, len(missing)))
    for line in missing:
        print("  no route: " + line)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
