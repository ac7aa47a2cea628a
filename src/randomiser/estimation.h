/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * estimation: the exact error of unbiased frequency estimators from eps0-LDP
 * reports, and the eps0 that a paper chooses for them (proofs/estimation.md).
 *
 * n users hold values out of k, with frequencies f. Each sends one report;
 * shuffled or not, the estimate f^ depends on the counts of the reports only,
 * and E f^ = f. With E = e^eps0 the largest E ||f^ - f||_2^2 over the data is
 *
 *   KRR:       (k-1) (2E+k-2)/(n (E-1)^2), whatever the data;
 *   HADAMARD:  ((E+2B-1) (2k + m (E-1))/(E-1)^2 - 1)/n, m = min(b-1, k).
 *
 * HADAMARD is the Hadamard response of Acharya, Sun, Zhang (AISTATS 2019,
 * arXiv 1802.04705) for all eps0: B blocks of b columns each,
 *
 *   B = 2^(ceil(log2 min(E, 2k)) - 1), at least 1,   b the smallest power of 2 with b >= k/B + 1.
 *
 * If the values are n independent draws from a law p and p is estimated,
 * E ||f - p||^2 = (1 - sum p_i^2)/n <= (1 - 1/k)/n is added.
 */
#ifndef SHUF_ESTIMATION_H
#define SHUF_ESTIMATION_H

#include <stdint.h>

#include "../enclosure/enclosure.h"
#include "../exact/exact.h"

typedef enum
{
    SHUF_ESTIMATE_KRR,     /* theorem estimation-krr */
    SHUF_ESTIMATE_HADAMARD /* theorem estimation-hadamard */
} shuf_estimator;

/*
 * r encloses the largest expected squared l2 error. SHUF_OK, SHUF_ACCURACY, or
 * SHUF_DOMAIN (r untouched) unless 1 <= n <= SHUF_MAX_USERS, 2 <= k <= 10^9 and
 * 0 < eps0 <= 10^6.
 */
shuf_status shuf_estimation_error(shuf_enclosure_t r, shuf_estimator estimator, uint64_t n, uint64_t k,
                                  const shuf_real_t eps0, const shuf_options *options);

/* The bits of a report, of one of k values or of B b columns; arguments as shuf_estimation_error has them, else 0. */
int shuf_estimation_bits(shuf_estimator estimator, uint64_t k, const shuf_real_t eps0);

/*
 * feldman21-5.2: r encloses the eps0 that the proof of Theorem 5.2 of Feldman,
 * McMillan, Talwar (FOCS 2021) takes for (eps, delta) and n users:
 *
 *   eps sqrt(n)/(16 sqrt(L)) if eps <= sqrt(L/n), log(eps^2 n/(100 L)) if not, L = log(1/delta).
 *
 * It may be negative, and is not known to meet (eps, delta): to be checked at
 * the pair clones. SHUF_DOMAIN (r untouched) unless 0 < eps < 1, 0 < delta < 1
 * and 1 <= n <= SHUF_MAX_USERS, or if the branch cannot be decided.
 */
shuf_status shuf_feldman21_52_eps0(shuf_enclosure_t r, uint64_t n, const shuf_real_t eps, const shuf_real_t delta,
                                   const shuf_options *options);

#endif
