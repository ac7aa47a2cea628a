/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * kairouz15: T-fold adaptive composition of any (eps, delta)-DP mechanisms
 * (Kairouz, Oh, Viswanath, The Composition Theorem for Differential Privacy,
 * ICML 2015, arXiv 1311.0776).
 *
 * The composition is (x, 1 - (1-delta)^T (1 - h(x)))-DP for every x >= 0,
 * where h is the hockey-stick divergence of T binary randomised responses: with
 * p = 1/(1+e^eps) and m the largest l such that (T - 2l) eps > x,
 *
 *   h(x) = Pr[Bin(T, p) <= m] - e^x Pr[Bin(T, 1-p) <= m],
 *
 * and no smaller delta holds for all such mechanisms (Theorem 3.3, which
 * states it at the x = (T - 2i) eps; theorem kairouz15-optimal). See
 * proofs/strong-composition.md.
 */
#ifndef SHUF_KAIROUZ15_H
#define SHUF_KAIROUZ15_H

#include "../enclosure/enclosure.h"
#include "../exact/exact.h"

/*
 * All functions: 0 <= eps <= SHUF_MAX_EPSILON, 0 <= delta <= 1, 1 <= rounds <=
 * SHUF_MAX_USERS. They return r->status: SHUF_OK, SHUF_ACCURACY (valid, wider
 * than asked) or SHUF_DOMAIN.
 */

/* r encloses the optimal total delta at target_eps >= 0. SHUF_DOMAIN: r = [0, 1]. */
shuf_status shuf_kairouz15_delta(shuf_enclosure_t r, const shuf_real_t eps, const shuf_real_t delta, uint64_t rounds,
                                 const shuf_real_t target_eps, const shuf_options *options);

/*
 * r encloses the smallest x >= 0 with total delta at most target_delta.
 * SHUF_DOMAIN, r = [0, +inf]: parameters out of range, or none is certain to
 * exist, as when target_delta < 1 - (1-delta)^rounds.
 */
shuf_status shuf_kairouz15_epsilon(shuf_enclosure_t r, const shuf_real_t eps, const shuf_real_t delta, uint64_t rounds,
                                   const shuf_real_t target_delta, const shuf_options *options);

#endif
