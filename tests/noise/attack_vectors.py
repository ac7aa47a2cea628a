#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""
attack_vectors.py PROGRAM [CASES [SEED]]: Theorems 11, 13 and 14 of proofs/additive-noise.md, and what the program says of vectors of whole numbers.

Steps: Phi^-1 of the distribution function of noise, from its definition in 60 digits, rises from one whole number to the next by no more than B, far into the
tail; of Skellam noise by B at 0, and by less from there on. The program's delta at eps = 0 of a change by one is 2 Phi(B/2) - 1.
Answers: for every vector of a norm, all outcomes of the noise with and without it, in doubles;
none exceeds the upper end, and the largest is at least the lower end, which has to be close where nothing is left out.
"""
import itertools
import json
import math
import random
import subprocess
import sys
from fractions import Fraction as F

import mpmath as mp

PROGRAM = sys.argv[1]
CASES = int(sys.argv[2]) if len(sys.argv) > 2 else 20
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
FAR = 150  # masses of one number
NEAR = 1e-9  # what sums in doubles may be off by
mp.mp.dps = 60


def ask(question):
    return json.loads(subprocess.run([PROGRAM, "ask", "-"], input=json.dumps(question), capture_output=True, text=True, check=False).stdout)


# ---- masses ----

def gaussian(v, reach):
    weights = [mp.exp(-mp.mpf(k * k) / (2 * v)) for k in range(reach + 1)]
    return weights, weights[0] + 2 * sum(weights[1:])


def skellam(m, reach):
    """e^-m I_k(m), downwards from the last two by the recurrence of I."""
    p = [mp.exp(-m) * mp.besseli(k, m) for k in (reach + 1, reach)]
    for k in range(reach, 0, -1):
        p.append(p[-2] + 2 * k / m * p[-1])
    return p[:0:-1], mp.mpf(1)


def masses(kind, size, shares, reach):
    """p(0), p(1), .. up to the reach, of the sum of so many shares."""
    weights, total = (skellam if kind == "skellam" else gaussian)(size, reach)
    one = [w / total for w in weights]
    p = one
    for _ in range(shares - 1):
        p = [sum(p[abs(k - j)] * one[abs(j)] for j in range(-reach, reach + 1) if abs(k - j) <= reach) for k in range(reach + 1)]
    return p


# ---- steps ----

def quantile(tail):
    """u > 0 with 1 - Phi(u) = tail < 1/2."""
    u = mp.sqrt(max(-2 * mp.log(tail) - 2, mp.mpf("1e-3")))
    for _ in range(200):
        have = mp.erfc(u / mp.sqrt(2)) / 2
        move = mp.log(have / tail) * have * mp.sqrt(2 * mp.pi) * mp.exp(u * u / 2)
        u += move
        if abs(move) < mp.mpf(10) ** -45:
            return u
    raise SystemExit(f"no quantile of {mp.nstr(tail)}")


def steps(p):
    """u(0) - u(-1), u(1) - u(0), .., as far as the masses that are left out do not matter."""
    tails, left = [], mp.mpf(0)
    for mass in reversed(p[1:]):
        left += mass
        tails.append(left)
    u = [quantile(t) for t in reversed(tails[len(tails) // 3:])]
    return [2 * u[0], *(b - a for a, b in zip(u, u[1:]))]


def unit(kind, size, shares):
    """B of Theorem 13, or None."""
    if kind == "skellam":
        return 2 * quantile((1 - mp.exp(-size) * mp.besseli(0, size)) / 2)
    found = []
    while shares > 0:
        c = 1 / (shares * size) + (uneven(size, shares) if shares > 1 else 0)
        found.append(mp.sqrt(6 * (1 - mp.sqrt(1 - c / 3))) if c < 3 else mp.inf)
        shares -= (shares + 3) // 4
    return min(found) if min(found) < mp.inf else None


def uneven(size, shares):
    """What Theorem 13 (b) adds to 1/(h v): T(0) and T(1) from the masses, of which they are what is not normal."""
    p = masses("discrete-gaussian", size, shares, 40 + int(25 * mp.sqrt(size * shares)))
    whole = mp.sqrt(2 * mp.pi * size * shares) * (gaussian(size, 60 + int(20 * mp.sqrt(size)))[1] / mp.sqrt(2 * mp.pi * size)) ** shares
    at = [whole * p[j] * mp.exp(mp.mpf(j * j) / (2 * size * shares)) for j in range(2)]
    left, twice = 2 - at[0], 2 * (at[0] - at[1])
    if left <= 0 or twice >= 2 * left or (1 - left) * twice >= left ** 2:
        return mp.inf
    return -2 * mp.log(1 - twice / (2 * left)) - mp.log(1 - (1 - left) * twice / left ** 2)


def draw_noise(r):
    """A kind, the variance of a share, and how many shares."""
    kind, size = r.choice(["skellam", "discrete-gaussian"]), F(r.choice([1, 2, 5, 20, 50, r.randint(34, 200)]), r.choice([1, 10, 100]))
    shares = r.choice([1, 1, 2, 3, 7]) if kind != "skellam" else 1
    return kind, F(r.choice([1, 1, 2, 3]), r.choice([1, 2, 3, 4])) if shares > 1 else size, shares


def attack_steps(kind, size, shares):
    exact = mp.mpf(size.numerator) / size.denominator
    b = unit(kind, exact, shares)
    mechanism = {"type": "additive-noise", "noise": kind, "variance": str(size * shares), "shares": shares, "dimension": 2}
    question = {"mechanism": mechanism, "ask": {"quantity": "delta", "eps": "0"}}
    if b is None:
        answer = ask(question)
        if "error" not in answer:
            raise SystemExit(f"{mechanism}: no theorem has a bound")
        return
    said = 2 * quantile((1 - mp.mpf(float.fromhex(ask(question)["upper"]["hi_hex"]))) / 2)
    found = steps(masses(kind, exact, shares, 40 + int(25 * mp.sqrt(exact * shares))))
    if not max(found) <= b * (1 + mp.mpf(10) ** -30) <= said * (1 + mp.mpf(10) ** -29) <= b * (1 + mp.mpf(10) ** -12):
        raise SystemExit(f"{mechanism}: a step of {mp.nstr(max(found), 18)}, a bound of {mp.nstr(b, 18)}, and {mp.nstr(said, 18)} in the program")
    if kind == "skellam" and (abs(found[0] / b - 1) > mp.mpf(10) ** -30 or any(y >= x for x, y in zip(found, found[1:]))):
        raise SystemExit(f"{mechanism}: steps that do not fall from {mp.nstr(b, 12)}")


# ---- answers ----

def changes(square, dimension):
    """Vectors of whole numbers, of which no other has the entries in another order or of another sign, with a square of at most that."""
    most = math.isqrt(square)
    return [z for z in itertools.combinations_with_replacement(range(most, -1, -1), dimension) if 0 < sum(x * x for x in z) <= square]


def shifted(p, z):
    """Masses of the noise moved by z, and of the noise."""
    reach = len(p) - 1
    at = [p[abs(k)] if abs(k) <= reach else 0.0 for k in range(-reach - z, reach + z + 1)]
    return [(at[i - z] if i >= z else 0.0, at[i]) for i in range(len(at))]


def pairs(p, z):
    """All outcomes of a release of a vector that changes by z, those of the same likelihood ratio together."""
    law = {0.0: (1.0, 1.0)}
    for x in [x for x in z if x > 0]:
        following = {}
        one = [(a, b, math.log(a / b)) for a, b in shifted(p, x) if a > 0 and b > 0]
        for ratio, (c, d) in law.items():
            for a, b, loss in one:
                key = round(ratio + loss, 9)
                e, f = following.get(key, (0.0, 0.0))
                following[key] = (e + a * c, f + b * d)
        law = following
    return list(law.values())


def draw_question(r):
    """A kind, its variance, how many shares, entries, the square of the norm, the rate of a sample and eps."""
    dimension = r.randint(2, 3)
    kind = r.choice(["skellam", "discrete-gaussian"])
    return kind, r.choice([1, 2, 3]), r.choice([1, 1, 3]) if kind != "skellam" else 1, dimension, r.randint(1, 13 - 3 * dimension), r.choice([1, 1, 0.25]), r.choice([0, 0.5, 1, 2, 4])


def attack_answers(kind, size, shares, dimension, square, rate, eps):
    p = [float(x) for x in masses(kind, mp.mpf(size) / shares, shares, 14 + 3 * size)]
    whole = math.isqrt(square)
    question = {"mechanism": {"type": "additive-noise", "noise": kind, "variance": size, "shares": shares, "dimension": dimension, "sensitivity": whole if whole ** 2 == square else f"sqrt({square})"},
                "ask": {"quantity": "delta", "eps": str(eps)}}
    if rate != 1:
        question["sample"] = {"scheme": "poisson", "rate": str(rate)}
    answer = ask(question)
    lo, hi = float(answer["lower"]["lo"]), float(answer["upper"]["hi"])
    alpha, worst = math.exp(eps), 0.0
    laws = [pairs(p, z) for z in changes(square, dimension)]
    for law in laws:
        worst = max(worst, sum(max(rate * a + (1 - rate) * b - alpha * b, 0) for a, b in law), sum(max(b - alpha * (rate * a + (1 - rate) * b), 0) for a, b in law))
    if not lo - NEAR <= worst <= hi + NEAR:
        raise SystemExit(f"{json.dumps(question)}: [{lo}, {hi}] is said, {worst} is there")
    if rate == 1:
        attack_renyi(question, laws, square / size)
    return worst / hi if hi > 0 else 1.0


def attack_renyi(question, laws, shift):
    """Of discrete Gaussian noise those of Gaussian noise of the same variance (Theorem 14)."""
    for order in ("11/10", "2", "3"):
        a = float(F(order))
        answer = ask({**question, "ask": {"quantity": "renyi", "order": order}})
        lo, hi = float(answer["lower"]["lo"]), float(answer["upper"]["hi"])
        worst = max(math.log(sum(math.exp(a * math.log(p) + (1 - a) * math.log(q)) for p, q in law if p > 0 and q > 0)) / (a - 1) for law in laws)
        if (question["mechanism"]["noise"] == "discrete-gaussian" and question["mechanism"]["shares"] == 1 and abs(hi / (a * shift / 2) - 1) > NEAR) or not lo * (1 - NEAR) <= worst <= hi * (1 + NEAR):
            raise SystemExit(f"{json.dumps(question)}, order {order}: [{lo}, {hi}] is said, {worst} is there, and {a * shift / 2} of Gaussian noise")


def attack_number(kind, size, shares, change):
    """No D_a/a of one number, whole orders, is above the rho that is said; nor is a delta so small that no table of masses reaches it."""
    mechanism = {"type": "additive-noise", "noise": kind, "variance": str(size * shares), "shares": shares, "sensitivity": change}
    p = masses(kind, mp.mpf(size.numerator) / size.denominator, shares, FAR)
    said = float(ask({"mechanism": mechanism, "ask": {"quantity": "zcdp"}})["upper"]["hi"])
    for a in (2, 3, 5, 9):
        found = mp.log(sum(p[abs(k)] ** a * p[abs(k - change)] ** (1 - a) for k in range(change - FAR, FAR + 1))) / (a * (a - 1))
        if not found <= said * (1 + NEAR):
            raise SystemExit(f"{json.dumps(mechanism)}: rho {said} is said, order {a} has {mp.nstr(found, 12)}")
    at = FAR * 2 // 3
    loss = int(mp.log(p[at - change] / p[at]))
    found = sum(max(p[abs(k - change)] - mp.exp(loss) * p[abs(k)], 0) for k in range(change - FAR, FAR + 1))
    said = mp.mpf(ask({"mechanism": mechanism, "ask": {"quantity": "delta", "eps": str(loss)}})["upper"]["hi"])
    if not found <= said <= (mp.mpf(found) ** mp.mpf("0.4") if size * shares >= 1 else 1):
        raise SystemExit(f"{json.dumps(mechanism)}: delta {mp.nstr(said)} is said at {loss}, and is {mp.nstr(found)}")


random.seed(SEED)
for drawn in [("discrete-gaussian", F(3, 2), 3), ("discrete-gaussian", F(1, 4), 9), ("discrete-gaussian", F(1, 2), 6), ("skellam", F(2), 1), *(draw_noise(random) for _ in range(CASES))]:
    attack_steps(*drawn)
for drawn in [("skellam", F(20), 1, 2), ("discrete-gaussian", F(1), 8, 3), *((*draw_noise(random), random.randint(1, 3)) for _ in range(CASES // 20))]:
    attack_number(*drawn)
closest = [attack_answers(*drawn) for drawn in [("skellam", 1, 1, 2, 4, 1, 0.5), ("discrete-gaussian", 1, 3, 2, 4, 1, 0.5), *(draw_question(random) for _ in range(CASES))]]
print(f"{CASES + 4} kinds of noise and {CASES + 2} answers, seed {SEED}: the worst vector has up to {max(closest):.4f} of the upper end")
