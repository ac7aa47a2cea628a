/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * mixture: one stratum of krr-weak (internal), a mean over the revealed rest R:
 * given c, R ~ Bin(others - c, rest) and K = kappa R/(c+1).
 */
#ifndef SHUF_MIXTURE_H
#define SHUF_MIXTURE_H

#include "stratum_power.h"

/*
 * E[V(c, kappa R/(c+1)); low <= R <= high] is within truncation of some value in
 * the ball v: the plain sum, or, when that has many terms, the same sum of the
 * polynomial that interpolates V(c, .) at Chebyshev nodes (proofs/renyi.md,
 * Lemma 7). *terms grows by the number of values of V. Returns 1, or 0 (v and
 * truncation of no use) past the limit, shuf_work() to stop at or 0.
 */
int mixture_value(arb_t v, mag_t truncation, ulong *terms, const power_context_t s, ulong c, ulong low, ulong high,
                  double limit);

#endif
