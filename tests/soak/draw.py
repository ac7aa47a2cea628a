# SPDX-License-Identifier: LGPL-3.0-or-later
"""What the random cases of truth.py have in common: numbers that are drawn, and a question with its references."""
from decimal import Decimal
from fractions import Fraction

from laws import exponential, number


class Draw:
    """A case's random numbers, and the arithmetic of its reference."""

    def __init__(self, r, kind=None):
        self.r, self.kind = r, kind or r.choice([Fraction, Decimal, Decimal])

    def eps0(self, least=0):
        logs = ["log(2)", "log(3)", "log(3/2)", "log(5)", "log(101/100)", "log(20)", "log(1000)", "log(9)"]
        texts = logs if self.kind is Fraction else logs + ["0.01", "0.3", "1", "2.5", "5", "8", "12", "30", "1e-6"]
        return self.r.choice(texts + ([] if least else ["0"]))

    def e(self, text):
        return exponential(text, self.kind)

    def of(self, text):
        return number(text, self.kind)

    def part(self, whole=20):
        return f"{self.r.randint(1, whole - 1)}/{whole}"

    def ask(self, more=("renyi", "tradeoff")):
        quantity = self.r.choice(["delta"] * 5 + ["epsilon"] * 4 + list(more))
        if quantity == "delta":
            texts = ["0", "log(9/8)", "log(3/2)", "log(2)", "log(5)", "log(20)", "log(1000001/1000000)"]
            texts.append(f"log({1 + Fraction(self.r.randint(1, 999), 500)})")
            if self.kind is not Fraction:
                texts += ["0.01", "0.1", "0.5", "1", "3", "8", "1e-6", f"{self.r.random():.4f}"]
            return {"quantity": quantity, "eps": self.r.choice(texts)}
        if quantity == "epsilon":
            any_delta = f"{self.r.randint(1, 99)}e-{self.r.randint(2, 14)}"
            texts = ["0.3", "0.1", "0.01", "1e-3", "1e-4", "1e-6", "1e-9", "1e-12", any_delta]
            return {"quantity": quantity, "delta": self.r.choice(texts)}
        if quantity == "renyi":
            return {"quantity": quantity, "order": self.r.choice(["1", "2", "2", "3", "5", "8", "inf"])}
        if quantity == "tradeoff":
            return {"quantity": quantity, "type1": self.r.choice(["0.01", "0.1", "1/3", "0.5", "0.9", "1e-6"])}
        return {"quantity": quantity, **({"eps": ["0", "2"]} if quantity == "gdp" else {})}


class Case:
    """A question and its references; above: "found" if these are the worst data, None if that is not known."""

    def __init__(self, question, found, above="found"):
        self.question, self.found, self.exact = question, found, above == "found"
        self.above = found if self.exact else above
