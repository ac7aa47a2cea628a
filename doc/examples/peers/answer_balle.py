# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Answers of BorjaBalle/amplification-by-shuffling.

  bound balle19-hoeffding, balle19-bennett          the formula for any mechanism: get_delta, get_eps
  bound balle19-hoeffding-krr, balle19-bennett-krr  the formula for k-RR

The vectors are the values of the formulas, so an answer is an upper bound only if it is rounded up.
"""
import common
from common import number, only, whole

options = common.arguments(__doc__)
try:
    from shuffleddp.amplification_bounds import BennettExact, Hoeffding
    from shuffleddp.mechanisms import LDPMechanism, RRMechanism
except ImportError as error:
    common.absent("shuffleddp", error)

BOUNDS = {"balle19-hoeffding": Hoeffding, "balle19-bennett": BennettExact}


def answer(params):
    form = params.get("form", "")
    is_krr = form.endswith("-krr")
    bound = BOUNDS.get(form[:-4] if is_krr else form)
    if bound is None:
        return None
    only(params, "n", "k", "eps0", "eps", "delta")
    n, eps0 = whole(params["n"]), number(params["eps0"])
    formula = bound(RRMechanism(eps0=eps0, k=whole(params["k"])) if is_krr else LDPMechanism(eps0=eps0))
    if "eps" in params:
        return {"upper": formula.get_delta(number(params["eps"], up=False), eps0, n)}
    return {"upper": formula.get_eps(eps0, n, number(params["delta"], up=False))}


common.main(options, "BorjaBalle/amplification-by-shuffling", "1778a0dd16405cb10d780d5f1878ed0b1fb76f2e", answer)
