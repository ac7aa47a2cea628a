/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * renyi: the Renyi divergence of a pair,
 *
 *   D_lambda(P||Q) = log(sum Q (P/Q)^lambda) / (lambda - 1),
 *
 * enclosed at any real order lambda >= 1 (1 is the Kullback-Leibler
 * divergence, the limit), and what Renyi curves are for: sums over rounds and
 * the conversion to (eps, delta).
 *
 * The sum is stratified by c, the number of other users seen in A or B, as in
 * hockey/hockey.h. A stratum is E f(X/(c+1)), X binomial and f convex: it is
 * summed term by term, or, when X takes too many values, by the Taylor series
 * of f about the saddle point and the exact moments of a tilted binomial. Its
 * value falls as c grows, so blocks of strata are bracketed by their ends.
 * See proofs/renyi.md.
 */
#ifndef SHUF_RENYI_H
#define SHUF_RENYI_H

#include "../enclosure/enclosure.h"
#include "../pair/pair.h"

/* Largest order, beyond which the divergence is the largest loss for every practical purpose; larger ones are refused. */
#define SHUF_MAX_ORDER UINT64_C(1000000000000000000)

/*
 * r encloses D_order(P||Q) (PQ), D_order(Q||P) (QP) or the larger of the two
 * (BOTH), for 1 <= order <= SHUF_MAX_ORDER. r = [+inf, +inf] with SHUF_OK when
 * the divergence is infinite (an infinite largest loss). Returns r->status:
 * SHUF_OK, SHUF_ACCURACY (valid, wider than asked: the budget ran out, or
 * three refinements in a row brought nothing) or SHUF_DOMAIN (order out of
 * range; r = [0, +inf]). The limit of order to infinity is the largest
 * loss: shuf_pair_get_max_loss.
 */
shuf_status shuf_renyi_divergence(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t order,
                                  shuf_direction direction, const shuf_options *options);

/*
 * A Renyi curve: for orders > 1, an enclosure of eps(order) such that the
 * mechanism is (order, eps(order))-Renyi DP.
 */
typedef struct shuf_renyi_curve_struct
{
    /* As shuf_renyi_divergence; SHUF_DOMAIN (r untouched) where the curve says nothing. */
    shuf_status (*evaluate)(shuf_enclosure_t r, const struct shuf_renyi_curve_struct *curve, const shuf_real_t order,
                            const shuf_options *options);
    const void *data;       /* evaluate's own */
    int integer_orders;     /* defined at the integers >= 2 only */
} shuf_renyi_curve;

/*
 * A composition: part i used count[i] times, adaptively; the curves add up.
 * The sum and its parts must outlive the curve.
 */
typedef struct
{
    const shuf_renyi_curve *parts;
    const uint64_t *count;
    size_t length;
} shuf_renyi_sum;

void shuf_renyi_curve_sum(shuf_renyi_curve *curve, const shuf_renyi_sum *sum);

/*
 * A mechanism with D_order <= e at one order > 1, in both directions of every
 * neighbouring pair, is (eps, delta)-DP for
 *
 *   eps = e + log(1 - 1/order) - (log delta + log order)/(order - 1),
 *   delta = exp((order-1)(e - eps)) / (order-1) (1 - 1/order)^order
 *
 * (Canonne, Kamath, Steinke 2020, Proposition 12; theorem renyi-conversion;
 * proofs/convert.md).
 * r encloses the converted value for every e in `divergence`, eps at least 0
 * and delta at most 1; so r->hi is a guarantee when divergence->hi bounds the
 * mechanism. SHUF_DOMAIN (r untouched) for an order outside (1, SHUF_MAX_ORDER],
 * delta outside (0, 1], eps < 0 or an infinite divergence->hi.
 */
shuf_status shuf_renyi_convert_epsilon(shuf_enclosure_t r, const shuf_enclosure_t divergence, const shuf_real_t order,
                                       const shuf_real_t delta, const shuf_options *options);
shuf_status shuf_renyi_convert_delta(shuf_enclosure_t r, const shuf_enclosure_t divergence, const shuf_real_t order,
                                     const shuf_real_t eps, const shuf_options *options);

/*
 * The same at the best order for a curve. The order is
 * searched for in double precision with at most 44 evaluations of the curve at
 * few digits, then fixed as a short decimal and evaluated at full accuracy: r
 * is a bound whatever the search did. order, if it is not NULL, receives it.
 * Returns r->status: SHUF_OK, SHUF_ACCURACY (valid, wider than asked), or
 * SHUF_DOMAIN when no finite value of the curve was found, for delta outside
 * (0, 1] or eps < 0 (r = [0, +inf] or [0, 1]). max_work covers the search.
 */
shuf_status shuf_renyi_to_epsilon(shuf_enclosure_t r, shuf_real_struct *order, const shuf_renyi_curve *curve,
                                  const shuf_real_t delta, const shuf_options *options);
shuf_status shuf_renyi_to_delta(shuf_enclosure_t r, shuf_real_struct *order, const shuf_renyi_curve *curve,
                                const shuf_real_t eps, const shuf_options *options);

#endif
