/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * gaussian: the shuffled Gaussian mechanism on all-equal data.
 *
 * n users report their values plus N(0, sigma^2), shuffled. All hold 0, in the
 * neighbouring data user 1 holds 1. P is the law on the first data X, as for
 * the pairs of all-equal data (rr2, krr-same), and Q that on the second, X':
 * the divergence is E(n - e^eps (L_1 + ... + L_n))_+/n for H(P || Q), direction
 * PQ, and E(L_1 + ... + L_n - n e^eps)_+/n for H(Q || P), direction QP, with
 * independent log L_i ~ N(-1/(2 sigma^2), 1/sigma^2): proofs/gaussian.md. A
 * lower bound of the shuffled delta over all data (theorem all-equal); it is
 * no upper bound when other users hold other values.
 */
#ifndef SHUF_IIDSUM_GAUSSIAN_H
#define SHUF_IIDSUM_GAUSSIAN_H

#include <stdint.h>

#include "../law/law.h"
#include "../exact/exact.h"
#include "../pair/pair.h"
#include "lognormal.h"

/*
 * r encloses delta(eps), 1 <= n <= SHUF_MAX_USERS, 1/1000 <= sigma <= 10^6,
 * 0 <= eps <= SHUF_MAX_EPSILON; other values give SHUF_DOMAIN and [0, 1].
 * n = 1 is the Gaussian mechanism, in closed form.
 */
shuf_status shuf_gaussian_delta(shuf_enclosure_t r, uint64_t n, const shuf_real_t sigma, const shuf_real_t eps,
                                shuf_direction direction, const shuf_options *options);

/*
 * r[i] encloses delta(eps[i]) as that of shuf_gaussian_delta does, 0 <= i <
 * count: the work of the others is used again where it will do. options hold
 * for each of them, but for max_work, which is for all, and the ledger's work is
 * that of all. Returns SHUF_OK if
 * every r[i]->status is, else the first other one.
 */
shuf_status shuf_gaussian_deltas(shuf_enclosure_struct *r, uint64_t n, const shuf_real_t sigma, const shuf_real_struct *eps,
                                 slong count, shuf_direction direction, const shuf_options *options);

/*
 * The same for nodes of a profile: by the law of that sum if it is given; else what is quickly had from lines of the transform (iidsum.h), with the
 * digits asked for, and what would take more from simple bounds.
 */
shuf_status shuf_gaussian_nodes(shuf_enclosure_struct *r, uint64_t n, const shuf_real_t sigma, const shuf_real_struct *eps,
                                slong count, shuf_direction direction, const lognormal_sum *law, const shuf_options *options);

/* About log delta(eps), for a search to begin with: an estimate, no bound. */
double shuf_gaussian_log_estimate(uint64_t n, const shuf_real_t sigma, double eps, shuf_direction direction);

/* The smallest eps >= 0 with delta(eps) <= delta: f(hi) <= delta and f(lo) > delta are certain, or lo = 0. */
shuf_status shuf_gaussian_epsilon(shuf_enclosure_t r, uint64_t n, const shuf_real_t sigma, const shuf_real_t delta,
                                  shuf_direction direction, const shuf_options *options);

/* The law of the pair of that kind at single points, exactly; it must outlive the law. */
void shuf_gaussian_law(shuf_law_t law, const shuf_pair_t pair);

#endif
