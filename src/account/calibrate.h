/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* calibrate: how many users, or which eps0, a pair of laws needs for (eps, delta). */
#ifndef SHUF_CALIBRATE_H
#define SHUF_CALIBRATE_H

#include "../pair/pair.h"
#include "../pld/pld.h"

/* A pair at the point (eps, delta), eps0 or n to be found. */
typedef enum
{
    SHUF_SOLVE_EPS0,
    SHUF_SOLVE_N
} shuf_solve;

/*
 * Calibration. SHUF_SOLVE_EPS0: r encloses the boundary between an eps0 at
 * which the pair (clones, clones-stronger, clones-deletion) certifies (eps, delta) and one at
 * which it does not: at r->lo certified, at r->hi not (or not decided). An
 * eps0'-LDP mechanism with eps0' <= r->lo is eps0-LDP too, so r->lo is the
 * guarantee. At least eps itself, because delta(eps) = 0 for eps0 <= eps
 * (clones-deletion: eps/2).
 * SHUF_DOMAIN with [SHUF_MAX_EPSILON, +inf] when every eps0 up to the largest
 * that is evaluated is certified: no upper end is known then.
 * SHUF_SOLVE_N: r->hi is a certified n and at r->lo = r->hi - 1 it is not
 * certified (delta falls as n grows, proofs/trinomial-pair.md Lemma 7, so
 * r->hi is the smallest). SHUF_DOMAIN when no n up to SHUF_MAX_USERS will do.
 */
shuf_status shuf_calibrate(shuf_enclosure_t r, const shuf_pair_t pair, shuf_solve solve, const shuf_real_t eps,
                           const shuf_real_t delta, const shuf_options *options);

/*
 * The same for `rounds` rounds of the pair, each on a new uniform subset of
 * the given rate (0 < rate <= 1, 1 for none; pair->n is then the number of
 * sampled users): certified when the upper end of eps(delta), by theorems
 * subsample-profile and pld-composition, is at most eps. r has a relative
 * width of 10^-digits at most, or is [n - 1, n]. What is not certified may be
 * closer to eps than 10^-(digits+1) of relative accuracy tells. SHUF_DOMAIN
 * also when a parameter is out of its range.
 */
shuf_status shuf_calibrate_rounds(shuf_enclosure_t r, const shuf_pair_t pair, uint64_t rounds, const fmpq_t rate,
                                  shuf_solve solve, const shuf_real_t eps, const shuf_real_t delta,
                                  const shuf_options *options);

#endif
