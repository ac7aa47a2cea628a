/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * window: where Coq should look for the value of a pair (internal).
 *
 * The evaluator of proofs/coq/Evaluate.v takes hints: a window of strata, the
 * first threshold, a window of the binomial law in the top stratum. They are
 * found in plain double precision.
 */
#ifndef SHUF_CERTIFICATE_WINDOW_H
#define SHUF_CERTIFICATE_WINDOW_H

#include <stdio.h>

#include "../pair/pair.h"

typedef struct
{
    uint64_t top, low, first, from, to, climb;
    double lost;      /* bits that subtractions of tails may cost */
    double cancelled; /* and those of the parameters */
} window;

/*
 * Where to look so that what is left out is some exp(-accuracy) of a delta of
 * about exp(log_delta), eps >= 0, direction PQ or QP, r0 > 0, not krr-weak.
 * Returns the number of rows to walk; 0 where delta is 0.
 */
uint64_t window_find(window *w, const shuf_pair_t pair, const shuf_real_t eps, shuf_direction direction, double log_delta,
                     double accuracy);

/* "[top, low, first, from, to, climb]" */
void window_write(FILE *out, const window *w);

/* The ends of a window of Bin(n, p), and an estimate of log Pr[Bin(n,p) = k]; p by the logarithms of p and 1-p. */
double window_log_binomial(uint64_t n, double log_p, double log_q, uint64_t k);
/* The first k >= least, beyond the mode, with log Pr[Bin(n,p) = k] below log_target; or n. */
uint64_t window_upper_end(uint64_t n, double log_p, double log_q, double log_target, uint64_t least);
/* The last k <= most, before the mode, likewise; or 0. */
uint64_t window_lower_end(uint64_t n, double log_p, double log_q, double log_target, uint64_t most);

/* log x of a positive x, roughly. */
double window_log(const arb_t x);

#endif
