# SPDX-License-Identifier: LGPL-3.0-or-later
"""A question of the vectors on one level, in the words of the command line: for programs that read vectors."""
from fractions import Fraction

COMMANDS = {"users": "calibrate", "eps0": "calibrate", "scale": "calibrate"}


def _sampled(users, rate):
    """rate times users, exactly; a whole number as text."""
    number = Fraction(users) * Fraction(rate)
    if number.denominator != 1:
        raise ValueError(f"{rate} of {users} users is no whole number")
    return str(number.numerator)


def options(question):
    """{"command": "delta", "pair": "clones", "n": "100", "eps0": "1", "eps": "0.5"}, all of it text. n is how many take part in a round, all users without "subsample"."""
    p = {}
    subject = dict(question.get("pair") or question["mechanism"])
    ask = dict(question["ask"])
    quantity = ask.pop("quantity")
    if "form" in question:
        form = dict(question["form"])
        p["command"], p["form"] = "bound", form.pop("theorem")
        p.update(form)
        subject.pop("type")
    else:
        p["command"], p["pair"] = COMMANDS.get(quantity, quantity), subject.pop("type")
    if "users" in question:
        p["n"] = str(question["users"])
    p.update(subject)
    if "sample" in question:
        # the pairs of a sample have its rate; others are of the sampled users, and what sampling does comes after
        fixed = question["sample"]["scheme"] == "fixed"
        p["rate" if not fixed or p.get("pair", "").endswith("-sampled") else "subsample"] = question["sample"]["rate"]
        if fixed:
            p["n"] = _sampled(p["n"], question["sample"]["rate"])
    if isinstance(ask.get("eps"), list):
        low, high = ask["eps"]
        ask["eps"] = low if low == high else f"{low}:{high}"
    p.update(ask)
    for key in ("rounds", "direction", "via", "digits", "neighbours", "honest", "reports_per_user", "release"):
        if key in question:
            p[key] = str(question[key])
    return p
