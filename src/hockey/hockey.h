/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * hockey: the hockey-stick divergence of a pair,
 *
 *   delta(eps) = H_alpha(P||Q) = sum max(0, P - alpha Q),  alpha = e^eps,
 *
 * and its inverse eps(delta), enclosed.
 *
 * The sum is stratified by c, the number of other users seen in A or B. In a
 * stratum P - alpha Q is a binomial weight times a function linear in a, so
 * the positive part is a binomial tail (proofs/trinomial-pair.md, Lemmas 1
 * and 2). Strata far from the peak are bracketed as one block by the values
 * at its ends (Lemma 3: the value of a stratum is monotone). The strata that
 * matter are summed one by one with recurrences, or, when there are too many
 * of them, bracketed in blocks that are refined where they matter.
 */
#ifndef SHUF_HOCKEY_H
#define SHUF_HOCKEY_H

#include "../enclosure/enclosure.h"
#include "../pair/pair.h"

/*
 * r encloses delta(eps) of the pair, eps >= 0. Exactly 0 when eps is at least
 * the largest loss. Returns r->status: SHUF_OK, SHUF_ACCURACY (valid, wider
 * than asked: the budget ran out) or SHUF_DOMAIN (eps < 0 or larger than
 * SHUF_MAX_EPSILON, or a pair without SHUF_ENGINE_HOCKEY; r = [0, 1]).
 */
shuf_status shuf_hockey_delta(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t eps,
                              shuf_direction direction, const shuf_options *options);

/*
 * r encloses the smallest eps >= 0 with delta(eps) <= delta, 0 <= delta <= 1:
 * r->hi is a guarantee (certified delta(hi) <= delta), and at r->lo the
 * certified delta(lo) > delta unless lo = 0. Infinite (hi = +inf, status
 * SHUF_DOMAIN) when no finite eps will do, which is certain when lo = +inf too. The width of an eps is search
 * resolution and is booked as discretisation.
 */
shuf_status shuf_hockey_epsilon(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t delta,
                                shuf_direction direction, const shuf_options *options);

/*
 * Sign of delta(eps) - delta: 1, 0 or -1, refined until certain; 0 also when
 * it stays undecided within the budget (then *undecided = 1).
 */
int shuf_hockey_compare(int *undecided, const shuf_pair_t pair, const shuf_real_t eps, const shuf_real_t delta,
                        shuf_direction direction, const shuf_options *options);

/*
 * A plain floating-point estimate of log delta(eps) in the direction PQ or QP,
 * for steering searches; no error bound.
 */
double shuf_hockey_log_estimate(const shuf_pair_t pair, shuf_direction direction, double eps);

/*
 * hi := an upper bound of delta(eps) in the direction PQ or QP, however small that is, at the cost of a few exponentials: by a moment of the sum of all users
 * (proofs/trinomial-pair.md, Lemma 4 (b)), which is more than delta by a factor of about sqrt(n) only; or 1. For pairs of the engine HOCKEY.
 */
void shuf_hockey_above(arf_t hi, const shuf_pair_t pair, shuf_direction direction, const shuf_real_t eps);

#endif
