/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * mixed: shuffled delta on datasets of two values, seen through one event.
 *
 * The differing user holds x in one dataset and x1 in the other; of the n-1
 * other users j hold v and the rest u. Only whether each report falls in an
 * event A is kept, so that the shuffled output is the number of reports in A.
 * By data processing
 *
 *   delta(eps) >= H_alpha(N + Bern(p) || N + Bern(q)),
 *   N ~ Bin(n-1-j, a) + Bin(j, b),  alpha = e^eps,
 *
 * with a, b, p, q the probability of A under R(u), R(v), R(x), R(x1); an
 * equality when R has two outputs. Exact for these counts: a lower bound for
 * the mechanism (theorem mixed-data, proofs/mixed.md).
 */
#ifndef SHUF_MIXED_H
#define SHUF_MIXED_H

#include <stdint.h>

#include "../enclosure/enclosure.h"
#include "../exact/exact.h"

/* Largest number of users. The cost grows with the square root of the smaller of j and n-1-j. More are refused. */
#define SHUF_MIXED_MAX_USERS UINT64_C(1000000000)

/* The probability of the event for the two values of the others, and for x and x1. */
typedef struct
{
    arb_t a, b, p, q;
} shuf_event_struct;

typedef shuf_event_struct shuf_event_t[1];

void shuf_event_init(shuf_event_t event);
void shuf_event_clear(shuf_event_t event);

/*
 * r contains the divergence for all probabilities in the balls, so give them
 * some 3.4 digits + 2 log2(n) + 64 bits. j <= n-1, 1 <= n <=
 * SHUF_MIXED_MAX_USERS, eps >= 0. One direction: exchange p and q for the
 * other one. Exactly 0 when p <= alpha q and 1-p <= alpha (1-q) for certain.
 * Returns r->status: SHUF_OK, SHUF_ACCURACY (valid, wider than asked: wide
 * balls, a probability neither 0 nor certainly positive, or the time ran out)
 * or SHUF_DOMAIN (outside the ranges, or a probability certainly not in
 * [0, 1]; r = [0, 1]).
 */
shuf_status shuf_mixed_delta(shuf_enclosure_t r, uint64_t n, uint64_t j, const shuf_event_t event, const shuf_real_t eps,
                             const shuf_options *options);

/*
 * The j of the largest delta, by floating-point estimates: all j if n is at
 * most SHUF_MIXED_TRY_ALL, else those of a grid and around its best; of those
 * tried, when shuf_interrupted(). No
 * guarantee that no other j has more; any j gives a lower bound. Steers only.
 */
#define SHUF_MIXED_TRY_ALL 300
uint64_t shuf_mixed_worst(uint64_t n, const shuf_event_t event, const shuf_real_t eps);

#endif
