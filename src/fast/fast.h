/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * fast: delta(eps), eps(delta) and Renyi divergences in double precision,
 * still enclosed.
 *
 * For the pairs whose differing user always falls on one of the two counters
 * (clones, clones-stronger, rr2, krr-strong) a handful of constants is
 * computed with Arb; the O(sqrt(n)) strata are then summed in doubles, with a
 * bound of every rounding error (proofs/fast.md, proofs/fast-renyi.md).
 * [lo, hi] contains the exact value, whatever the status.
 */
#ifndef SHUF_FAST_H
#define SHUF_FAST_H

#include <stdint.h>

#include "../enclosure/enclosure.h"
#include "../pair/pair.h"

/* Largest number of users of the fast path: proofs/fast.md, Arithmetic. */
#define SHUF_FAST_MAX_USERS (UINT64_C(1) << 40)

/* Relative width hi - lo <= SHUF_FAST_ACCURACY hi that earns SHUF_OK. Steers only. */
#define SHUF_FAST_ACCURACY 1e-9

struct shuf_bound
{
    double lo, hi;     /* the exact value lies in [lo, hi] */
    double truncation; /* strata left out */
    double rounding;   /* double arithmetic, and for an eps the search resolution */
    uint64_t terms;    /* strata summed */
};

/* r := what the bound, of that status, proves; accurate to so many digits or not. Returns r->status, or SHUF_DOMAIN with r untouched. */
shuf_status shuf_fast_enclosure(shuf_enclosure_t r, const struct shuf_bound *b, shuf_status status, slong digits);

/*
 * delta(eps) = H_alpha of the pair, alpha = e^eps. Returns SHUF_OK,
 * SHUF_ACCURACY (valid but wider than SHUF_FAST_ACCURACY: underflow, or very
 * many strata) or SHUF_DOMAIN (another kind of pair, n > SHUF_FAST_MAX_USERS,
 * eps < 0 or eps > SHUF_MAX_EPSILON; [0, 1]). Exactly [0, 0] when eps is at
 * least the largest loss.
 */
shuf_status shuf_fast_delta(struct shuf_bound *out, const shuf_pair_t pair, const shuf_real_t eps,
                            shuf_direction direction);

/*
 * The smallest eps >= 0 with delta(eps) <= delta: delta(hi) <= delta is
 * certified, and delta(lo) > delta unless lo = 0. SHUF_DOMAIN with
 * [0, infinity] for what shuf_fast_delta rejects, for delta < 0, and when no
 * finite eps will do.
 */
shuf_status shuf_fast_epsilon(struct shuf_bound *out, const shuf_pair_t pair, const shuf_real_t delta,
                              shuf_direction direction);

/*
 * The Renyi divergence D_order(P||Q) (see renyi/renyi.h) of clones,
 * clones-stronger or rr2, 1 < order <= SHUF_MAX_ORDER. Returns SHUF_OK,
 * SHUF_ACCURACY (valid but wider than SHUF_FAST_ACCURACY: an order beyond what
 * doubles can follow, or too near 1; [0, eps0] at the widest) or SHUF_DOMAIN
 * (another kind of pair, n > SHUF_FAST_MAX_USERS, order out of range;
 * [0, infinity]). terms counts cells or strata. Assumes that the C library's
 * exp and log are within 8 ulp (proofs/elementary.md).
 */
shuf_status shuf_fast_renyi(struct shuf_bound *out, const shuf_pair_t pair, const shuf_real_t order,
                            shuf_direction direction);

#endif
