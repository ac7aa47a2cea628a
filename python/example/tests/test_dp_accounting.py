# SPDX-License-Identifier: LGPL-3.0-or-later
import math

import pytest
from shufbound.vectors import nearest
from test_amplification import ours

pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")


def laws(n, eps0):
    """Logarithms of the probabilities of so many ones, all users at 0, and one changed."""
    one = -math.log1p(math.exp(eps0))
    p = {k: math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * one + (n - k) * (eps0 + one) for k in range(n + 1)}
    return p, {k: x + math.log((k * math.exp(eps0) + (n - k) * math.exp(-eps0)) / n) for k, x in p.items()}


@pytest.mark.shufbound("delta.json", sha256="5498ae21e219478d79ae10a12c316ea72f8e1cca7603e1e5d45a204c912f82d8", select=ours)
def test_pld(vector):
    p, q = laws(int(vector.question["users"]), nearest(vector.subject["eps0"]))
    above, below = (pld.from_two_probability_mass_functions(p, q, pessimistic_estimate=up, symmetric=False) for up in (True, False))
    eps = nearest(vector.question["ask"]["eps"])
    vector.check(upper=above.get_delta_for_epsilon(eps), lower=below.get_delta_for_epsilon(eps), tolerance="1e-9")
