/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * stratum_power: one stratum of a Renyi divergence (internal).
 *
 * Given that c other users are seen in A or B, put m = c+1, x = a/m with
 * a ~ Bin(m, rho), and with the linear functions
 *
 *   p(x) = w0 x/rho + w1 (1-x)/(1-rho) + K,   q(x): w0 <-> w1,
 *
 * the value of the stratum is V(c, K) = E phi(x) - (w0 + w1 + K),
 * phi = p^order q^(1-order), or E p log(p/q) at order 1. The sum
 * sum Q ((P/Q)^order - 1) of a trinomial pair is E V(C, K_C),
 * K_c = kappa rest/(c+1), kappa = w2 odds. V >= 0 falls as c grows and as K
 * grows, and is convex in K. See proofs/renyi.md.
 */
#ifndef SHUF_RENYI_STRATUM_POWER_H
#define SHUF_RENYI_STRATUM_POWER_H

#include "../pair/pair.h"

typedef struct
{
    ulong others;   /* n - 1 */
    shuf_pair_weights_t weights;
    arb_t order, order_minus_1;
    ulong small_order; /* the order, if it is an integer up to POWER_SMALL_ORDER; else 0 */
    int is_one;        /* order 1 */
    arb_t max_loss;
    arb_t kappa;
    slong prec, order_bits; /* order < 2^order_bits */
    slong cut;         /* leave out what is below 2^-cut of the stratum's value */
    /* floating-point copies that steer the computation */
    double lambda, lambda_minus_1, rho, rho_complement, kappa_d, w_sum, slope /* of p - q */, p_end[2], q_end[2], log_p_end[2], log_q_end[2];
} power_context_struct;

typedef power_context_struct power_context_t[1];

void power_context_init(power_context_t s);
void power_context_clear(power_context_t s);

/* For a pair with a finite positive largest loss, at order >= 1. */
void power_context_set(power_context_t s, const shuf_pair_t pair, const shuf_real_t order, shuf_direction direction, slong prec);

/* K = kappa rest/(c+1). */
void power_K(arb_t K, const power_context_t s, ulong c, ulong rest);

/* V(c, K) is within truncation of some value in the ball v, indeterminate when the thread's budget ends in it. */
void power_value(arb_t v, mag_t truncation, const power_context_t s, ulong c, const arb_t K);

/* About log V(c, K), for finding the strata that matter; floating point, no guarantee. */
double power_log_estimate(const power_context_t s, double c, double K);

#endif
