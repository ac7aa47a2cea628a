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


@pytest.mark.shufbound("delta.json", sha256="4d37a5aad58b3b57dd4591d91728959cb1d81077dc78b1a14bc3fbb2af134130", select=ours)
def test_pld(vector):
    p, q = laws(int(vector.question["users"]), nearest(vector.subject["eps0"]))
    above, below = (pld.from_two_probability_mass_functions(p, q, pessimistic_estimate=up, symmetric=False) for up in (True, False))
    eps = nearest(vector.question["ask"]["eps"])
    vector.check(upper=above.get_delta_for_epsilon(eps), lower=below.get_delta_for_epsilon(eps), tolerance="1e-9")
