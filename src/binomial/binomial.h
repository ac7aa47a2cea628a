/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * binomial: certified probabilities of X ~ Bin(n, p), for any n up to 10^18.
 *
 * Every function takes both p and q = 1 - p, so that neither loses digits;
 * q may be the exact 0. Relative accuracy is that of p and q times n, so
 * give them about log2(n) bits more than `prec`.
 */
#ifndef SHUF_BINOMIAL_H
#define SHUF_BINOMIAL_H

#include "../flint_headers.h"

/* r encloses Pr[X = k]; 0 for k > n. */
void shuf_binomial_pmf(arb_t r, ulong n, ulong k, const arb_t p, const arb_t q, slong prec);

/*
 * r encloses Pr[X >= k], with small relative error in either tail: an
 * explicit sum, the continued fraction of the incomplete beta function
 * (Didonato and Morris 1992; all its terms are positive, so that consecutive
 * convergents bracket it), or, near the mean of a very wide law, quadrature of
 * the beta density. See proofs/binomial.md. Wide, up to [0, 1], when the
 * thread's budget (shuf_limit_set) ends in it.
 */
void shuf_binomial_tail(arb_t r, ulong n, ulong k, const arb_t p, const arb_t q, slong prec);

/*
 * bound >= Pr[X >= k], and Pr[X <= k]: the first term times the geometric
 * series of the first ratio (the ratios decrease away from the mode), or 1.
 */
void shuf_binomial_upper_tail_bound(arb_t bound, ulong n, ulong k, const arb_t p, const arb_t q, slong prec);
void shuf_binomial_lower_tail_bound(arb_t bound, ulong n, ulong k, const arb_t p, const arb_t q, slong prec);

/*
 * Cut points: a c with Pr[X < c] <= tau, close to the largest, and a c with
 * Pr[X > c] <= tau, close to the smallest. tau > 0; in the worst case 0 and n.
 */
ulong shuf_binomial_cut_below(ulong n, const arb_t p, const arb_t q, const arb_t tau, slong prec);
ulong shuf_binomial_cut_above(ulong n, const arb_t p, const arb_t q, const arb_t tau, slong prec);

#endif
