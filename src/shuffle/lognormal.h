/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * lognormal: calls and puts of the sum S_n of n independent copies of e^(Z/sigma - 1/(2 sigma^2)), Z ~ N(0, 1), to about ten digits (internal).
 * Statements and proofs: proofs/lognormal-sums.md.
 */
#ifndef SHUF_SHUFFLE_LOGNORMAL_H
#define SHUF_SHUFFLE_LOGNORMAL_H

#include <stdint.h>

#include "../enclosure/enclosure.h"
#include "../exact/exact.h"

/* The density of log S_m: |q_m(ih) - at[i]| <= off[i] for first <= i <= last, q_m(y) <= outside w_m(y) elsewhere. */
typedef struct
{
    double number; /* m */
    slong first, last;
    double *at, *off; /* of node first - the room at the ends */
    double outside, most; /* most: q_m <= most w_m everywhere */
    double *spread, *window, share; /* what a place between nodes first - 1, first, .. is off by: Lemma 4 */
} lognormal_row;

/* A shift by (whole + part) h, 0 <= part <= 1. */
typedef struct
{
    slong whole;
    double part;
} lognormal_shift;

/* A node of the integral over v: the shift by log(1 + e^v), and the weights of it. */
typedef struct
{
    lognormal_shift shift;
    double call, put;
} lognormal_node;

typedef struct
{
    uint64_t n;
    arb_t a;
    double near_a, h; /* h exactly */
    lognormal_row row;
    lognormal_node *node;
    slong nodes;
    double step;  /* of v */
    double error; /* of the trapezoid sum, as a share of n, or of K */
    double beyond; /* what the nodes left out may add to a call or a put, over K or 1 */
} lognormal_sum;

/* Up to so many terms the law takes less than lines of the transform (iidsum.h) and knows no less. Steers only. */
#define LOGNORMAL_FEW 64

/* Whether there is a law for that noise and so many terms, to so many digits. */
int lognormal_sum_exists(const shuf_real_t sigma, uint64_t n, slong digits);

/* Returns 0, or -1 if there is none or it takes more than the work allowed; then there is nothing to clear. */
int lognormal_sum_init(lognormal_sum *x, const shuf_real_t sigma, uint64_t n, const shuf_options *options);
void lognormal_sum_clear(lognormal_sum *x);

/* v := E(S_n - K)_+, or E(K - S_n)_+ with is_put; K > 0. */
void lognormal_sum_excess(arb_t v, const lognormal_sum *x, const arb_t K, int is_put);

#endif
