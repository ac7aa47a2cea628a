# SPDX-License-Identifier: LGPL-3.0-or-later
"""Bounds of described randomisers from their definitions: every probability of every output, and grids for noise.

The bound of `blanket` is the largest over pairs of inputs of sum_{w = 0} (p - alpha q)_+ + E(L_1 + .. + L_n)_+/n, with L = (p - alpha q)/w
at an output of w = min_z R(z), 0 with the rest; `all-equal` and `third-value` are the same with w = R(z), z one of the two inputs or a third.
Of a sample of n users, a part g of all, it is g sum (..)_+ + (g/n) E(L_1 + .. + L_n - K)_+, K = n (alpha - 1)(1 - g)/g; `local-profile` has three values L.
Samples of bits (`binary-reports-sampled`, `mixed-sampled`) are summed over how many of each kind of users are drawn.
Who takes part with some probability only has one output more, to say nothing, with the rest.
"""
import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np

NOISE_CELLS = 200000


def weights(rows):
    rows = np.array(rows, dtype=float)
    return rows / rows.sum(axis=1, keepdims=True)


def parity(v):
    return bin(v).count("1") % 2


def number(text):
    text = str(text)
    return float(mpmath.log(mpmath.mpf(Fraction(text[4:-1]).numerator) / Fraction(text[4:-1]).denominator)) if text.startswith("log(") else float(Fraction(text))


def finite(m):
    """All probabilities, one row an input; of tuples the first entry runs fastest."""
    kind = m["type"]
    if kind == "matrix":
        return weights([[float(Fraction(str(p))) for p in row] for row in m["rows"]])
    if kind in ("product", "mixture"):
        parts = [finite(part) for part in m["parts"]]
        result = parts[0] if kind == "product" else parts[0] * float(Fraction(str(m["weights"][0])))
        for i, part in enumerate(parts[1:], 1):
            if kind == "product":
                result = np.kron(part, result)
            else:
                part = part * float(Fraction(str(m["weights"][i])))
                result = np.array([np.concatenate([a, b]) for b in part for a in result])
        return result
    k = int(m["k"])
    E = np.exp(number(m["eps0"])) if "eps0" in m else None
    if kind == "krr":
        return weights([[E if x == y else 1 for y in range(k)] for x in range(k)])
    if kind in ("oue", "unary-encoding"):
        p, q = probabilities(m)
        return weights([[np.prod([(p if i == x else q) if y >> i & 1 else 1 - (p if i == x else q) for i in range(k)]) for y in range(2 ** k)] for x in range(k)])
    if kind == "rappor":
        odds = 1 / float(Fraction(m["flip"])) - 1 if "flip" in m else E
        return weights([[odds ** sum((y >> i & 1) == (i == x) for i in range(k)) for y in range(2 ** k)] for x in range(k)])
    if kind == "subset-selection":
        sets = list(itertools.combinations(range(k), int(m["size"])))
        return weights([[E if x in s else 1 for s in sets] for x in range(k)])
    if kind == "hadamard-response":
        K = 1 << k.bit_length()
        return weights([[1 if parity((x + 1) & y) else E for y in range(K)] for x in range(k)])
    if kind == "local-hashing":
        g = int(m["g"])
        return weights([[E if h[x] == v else 1 for h in itertools.product(range(g), repeat=k) for v in range(g)] for x in range(k)])
    raise ValueError(kind)


def noise(m):
    """Densities on cells for the inputs 0, 1/4, .., 1 (or 0 and 1), times the cell."""
    s = float(Fraction(str(m["scale"])))
    far = (11 if m["type"] == "gaussian" else 45) * s
    # cells end at 0, at 1 and in the middle
    h = 1 / np.ceil(NOISE_CELLS / (2 * far + 1) / 4) / 4
    y = np.arange(np.floor(-far / h), np.ceil((1 + far) / h)) * h + h / 2
    inputs = np.linspace(0, 1, 5) if m.get("inputs") == "interval" else np.array([0.0, 1.0])
    t = np.abs(y[None, :] - inputs[:, None]) / s
    rows = np.exp(-t * t / 2) if m["type"] == "gaussian" else np.exp(-t)
    return rows / rows.sum(axis=1, keepdims=True)


def excess(values, masses, n, K, cells):
    """E(L_1 + .. + L_n - K)_+, the terms moved to a grid without bias."""
    mean = float(np.dot(values, masses))
    deviation = np.sqrt(max(np.dot(masses, (values - mean) ** 2), 1e-300) * n)
    low = min(n * mean, 0) - 14 * deviation - np.max(np.abs(values))
    high = 14 * deviation + np.max(np.abs(values)) * 3 + K
    h = (high - low) / cells
    place = values / h
    left = np.floor(place).astype(int)
    part = place - left
    law = np.zeros(cells)
    np.add.at(law, left % cells, masses * (1 - part))
    np.add.at(law, (left + 1) % cells, masses * part)
    law = np.fft.irfft(np.fft.rfft(law) ** n, cells)
    index = np.arange(cells)
    index = np.where(index * h > high, index - cells, index)
    return float(np.dot(law, np.maximum(index * h - K, 0)))


def one_case(p, q, w, alpha, n, g, cells):
    alone = float(np.maximum(p - alpha * q, 0)[w == 0].sum())
    inside = w > 0
    values, masses = (p[inside] - alpha * q[inside]) / w[inside], w[inside]
    values, masses = np.append(values, 0.0), np.append(masses, max(1 - masses.sum(), 0.0))
    return g * (alone + excess(values, masses, n, n * (alpha - 1) * (1 - g) / g, cells) / n)


def counts(ones, zeros, p, q):
    """The law of Bin(ones, p) + Bin(zeros, q)."""
    law = np.array([1.0])
    for users, probability in ((ones, p), (zeros, q)):
        for _ in range(users):
            law = np.convolve(law, [1 - probability, probability])
    return law


def hockey(P, Q, alpha):
    return float(np.maximum(P - alpha * Q, 0).sum())


def bits(m, n, alpha):
    """The largest divergence of all data of n reports of one bit: (value, absolute error)"""
    column = finite(m)[:, 0]
    p, q, best = column.max(), column.min(), 0.0
    left, right = [np.array([1.0])], [np.array([1.0])]
    for _ in range(n - 1):
        left.append(np.convolve(left[-1], [1 - p, p]))
        right.append(np.convolve(right[-1], [1 - q, q]))
    for ones in range(n):
        law = np.convolve(left[ones], right[n - 1 - ones])
        P, Q = np.convolve(law, [1 - p, p]), np.convolve(law, [1 - q, q])
        best = max(best, hockey(P, Q, alpha), hockey(Q, P, alpha))
    return best, 1e-12 + 1e-9 * best


def number(text):
    """A number, or log(..), as a double."""
    return math.log(float(Fraction(text[4:-1]))) if text.startswith("log(") else float(Fraction(text))


def split(law, w, alpha):
    """How many users are seen has a law; each is in one of two places alike, and one user more in the first, the second or none with w, or w with the places exchanged."""
    total, half, before = 0.0, np.array([1.0]), 0.0
    for seen in range(len(law) + 1):
        now = law[seen] if seen < len(law) else 0.0
        place = half * before  # of one user less
        P, Q = (w[x] * np.append(0.0, place) + w[1 - x] * np.append(place, 0.0) if seen > 0 else np.zeros(1) for x in (0, 1))
        half = np.convolve(half, [0.5, 0.5]) if seen > 0 else half
        total += hockey(P + w[2] * now * half, Q + w[2] * now * half, alpha)
        before = now
    return total


def groups(m, bound, alpha):
    """Groups with k-RR, each with its own eps0 and k: (value, absolute error) of the data or of the pair that the theorems name."""
    users = [(math.exp(number(g["mechanism"]["eps0"])), int(g["mechanism"]["k"])) for g in m["groups"] for _ in range(int(g["users"]))]
    best = 0.0
    for E, k in {(max(x for x, y in users if y == own), own) for _, own in users}:
        r = 1 / (E + k - 1)
        left = sorted((1 / (x + y - 1) for x, y in users if y >= k), reverse=True)
        if bound == "lower":
            law = np.array([1.0])
            left.remove(r)
            for s in left:
                law = np.convolve(law, [1 - s, s] if k == 2 else [1 - 2 * s, 2 * s])
            if k > 2 and all(y != k - 1 for _, y in users):
                best = max(best, split(law, (E * r, r, (k - 2) * r), alpha))
            elif k == 2:
                P, Q = np.convolve(law, [1 - E * r, E * r]), np.convolve(law, [1 - r, r])
                best = max(best, hockey(P, Q, alpha), hockey(Q, P, alpha))
            continue
        sums, rate, others = np.cumsum(np.log(left[1:])), 0.0, 0
        if len(left) > 1:  # so many of the others that hide best
            others = 1 + int(np.argmax(np.log(np.arange(1, len(left))) + sums / np.arange(1, len(left))))
            rate = math.exp(sums[others - 1] / others)
        best = max(best, sum(mass * split(counts(seen, 0, 2 / k, 0.0), (E * r, r, (k - 2) * r), alpha)
                             for seen, mass in enumerate(counts(others, 0, k * rate, 0.0)) if mass > 1e-16))
    return best, 1e-12 + 1e-9 * best


def sampled_bits(users, drawn, ones, p, q):
    """The law of the ones among the bits of a uniform sample of these users, of whom so many have p and the others q."""
    law = np.zeros(drawn + 1)
    for of_ones in range(max(0, drawn - (users - ones)), min(ones, drawn) + 1):
        ways = math.comb(ones, of_ones) * math.comb(users - ones, drawn - of_ones)
        law += float(Fraction(ways, math.comb(users, drawn))) * counts(of_ones, drawn - of_ones, p, q)
    return law


def sample_of_bits(n, rate, p, q, alpha):
    """The divergences of a sample of n bits, everyone else at p or q: (value, absolute error) of all data"""
    drawn = int(n * rate)
    for ones in range(n):
        P, Q = (np.convolve(sampled_bits(n - 1, drawn - 1, ones, p, q), [1 - own, own]) for own in (p, q))
        if drawn < n:
            away = sampled_bits(n - 1, drawn, ones, p, q)
            P, Q = (float(rate) * law + float(1 - rate) * away for law in (P, Q))
        for value in (hockey(P, Q, alpha), hockey(Q, P, alpha)):
            yield value, 1e-12 + 1e-9 * value


def mixes(m, n, rate, alpha):
    """The same of each report's being in an event, for all pairs of inputs and all events of the likeliest outputs."""
    rows = finite(m)
    for x, x1 in itertools.combinations(range(len(rows)), 2):
        order = np.argsort(-rows[x] / rows[x1], kind="stable")
        for size in range(1, len(order)):
            yield from sample_of_bits(n, rate, rows[x][order[:size]].sum(), rows[x1][order[:size]].sum(), alpha)


def probabilities(m):
    """Of a one where the bit is set, and where it is not."""
    if m["type"] == "unary-encoding":
        return float(Fraction(m["p"])), float(Fraction(m["q"]))
    q = float(Fraction(m["flip"])) if "flip" in m else 1 / (np.exp(number(m["eps0"])) + 1)
    return 0.5 if m["type"] == "oue" else 1 - q, q


def sum_of_bits(m, n, alpha):
    """The divergences of the sum on data where the others hold the two values only, or neither: (value, absolute error) of each"""
    p, q = probabilities(m)
    data = [(a, n - 1 - a) for a in range(n)] + ([(0, 0)] if int(m["k"]) > 2 else [])
    for a, b in data:
        first, second = counts(a, n - 1 - a, p, q), counts(b, n - 1 - b, p, q)
        P = np.outer(np.convolve(first, [1 - p, p]), np.convolve(second, [1 - q, q]))
        Q = np.outer(np.convolve(first, [1 - q, q]), np.convolve(second, [1 - p, p]))
        for value in (hockey(P, Q, alpha), hockey(Q, P, alpha)):
            yield value, 1e-12 + 1e-9 * value


def profile_case(rows, alpha):
    """The rows of three outputs that have the terms of the local profile."""
    E = max(float((p / q).max()) for p in rows for q in rows)
    h = max(float(np.maximum(p - alpha * q, 0).sum()) for p in rows for q in rows)
    up, down = h / (E - alpha), (h + alpha - 1) / (alpha * E - 1)
    w = np.array([up, down, 1 - up - down])
    return w * np.array([E, 1 - alpha * E + alpha, alpha]), w, w


def bound(m, theorem, n, alpha, rate=1, participation=1):
    """(value, absolute error)"""
    if theorem == "binary-reports":
        return bits(m, n, alpha)
    if theorem == "binary-reports-sampled":
        column = finite(m)[:, 0]
        return max(sample_of_bits(int(n / rate), rate, column.max(), column.min(), alpha))
    rate = float(rate)
    is_noise = m["type"] in ("laplace", "gaussian")
    rows = noise(m) if is_noise else finite(m)
    count = len(rows)

    def thinned(*of):
        return [np.append(row * participation, 1 - participation) if participation < 1 else row for row in of]

    cases = {}
    for x, x1 in itertools.permutations(range(count), 2):
        if theorem in ("local-profile-sampled", "local-profile-poisson"):
            cases[theorem] = thinned(*profile_case(rows, alpha))
            break
        if theorem in ("blanket", "blanket-sampled", "blanket-poisson"):
            references = [rows.min(axis=0)]
        elif theorem == "all-equal":
            references = [rows[x], rows[x1]]
        elif theorem in ("alike-sampled", "alike-poisson"):
            references = list(rows)
        else:
            references = [rows[z] for z in range(count) if z not in (x, x1)]
        for w in references:
            alone = round(float(np.maximum(rows[x] - alpha * rows[x1], 0)[w == 0].sum()), 9)
            terms = sorted(zip(np.round((rows[x] - alpha * rows[x1])[w > 0] / w[w > 0], 9), np.round(w[w > 0], 9))) if not is_noise else len(cases)
            key = (alone, str(terms))
            cases[key] = thinned(rows[x], rows[x1], w)
    if is_noise:
        values = {case: one_case(*case_rows, alpha, n, rate, 1 << 20) for case, case_rows in cases.items()}
    else:
        values = {case: one_case(*case_rows, alpha, n, rate, 1 << 17) for case, case_rows in cases.items()}
    worst = max(values, key=values.get)
    fine, coarse = (one_case(*cases[worst], alpha, n, rate, 1 << bits) for bits in (21, 20))
    return fine, 3 * abs(fine - coarse) + 1e-12 + (1e-5 * fine if is_noise else 1e-9 * fine)
