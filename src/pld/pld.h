/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * pld: delta(eps) and eps(delta) of a composition, from the privacy loss
 * distributions of its parts.
 *
 * Each part is a law (law/law.h) that holds for so many rounds. Where it
 * does not tell its loss, the profile at some losses gives two laws that do, one
 * whose profile is nowhere below the part's and one whose is nowhere above;
 * products keep both orders, so the profile of the composition lies between
 * those of the products (proofs/pld.md). Both gaps are of second order in the
 * distance of the losses. Products are read from the transform of the sum of
 * all losses (proofs/product-line.md).
 *
 * If every part is the exact profile of a pair, the enclosure is that of the
 * product of the pairs. If a part is only an upper bound of a mechanism's
 * profile, the enclosure is that of the bound, and its upper end a guarantee.
 */
#ifndef SHUF_PLD_H
#define SHUF_PLD_H

#include "../enclosure/enclosure.h"
#include "../law/law.h"

typedef struct
{
    const shuf_law_struct *law;
    uint64_t rounds; /* 1 <= rounds <= SHUF_MAX_ROUNDS */
} shuf_pld_part;

#define SHUF_MAX_ROUNDS UINT64_C(1000000000) /* more are refused */

/*
 * r encloses H_{e^eps} of the composition, 0 <= eps <= SHUF_MAX_EPSILON:
 * SHUF_OK, or SHUF_ACCURACY (valid, wider than asked: the budget, memory, the
 * most frequencies (2^21) or losses (200,000) or the profiles' accuracy ran out; [0, 1] at worst). Parts with equal profiles cost
 * as much as one. Exactly 0, at once, where eps is certainly at least the sum of the largest losses of all rounds, as far as
 * the profiles know them. Ledger: truncation is what is beyond the last frequency, and masses that were left out; aliasing what
 * lies outside the period; rounding the engine's arithmetic; discretisation the gap between the two laws, and what was added to
 * losses that have no density; terms are frequencies.
 */
shuf_status shuf_pld_delta(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t eps,
                           shuf_direction direction, const shuf_options *options);

/* Of a composition at many eps: what was computed for some of them, and tells others near by in no time. { 0, NULL } at first. */
typedef struct
{
    size_t count;
    struct kept_lines *item;
} shuf_pld_kept_struct;

void shuf_pld_kept_clear(shuf_pld_kept_struct *kept);

/* As shuf_pld_delta, of parts that are the same whenever the same `kept` is passed. */
shuf_status shuf_pld_delta_kept(shuf_enclosure_t r, shuf_pld_kept_struct *kept, const shuf_pld_part *parts, size_t count, const shuf_real_t eps,
                                shuf_direction direction, const shuf_options *options);

/*
 * r encloses the smallest eps >= 0 with H_{e^eps} <= delta, 0 < delta <= 1:
 * at r->hi that is certain, and below r->lo it is certainly not so.
 * SHUF_DOMAIN (r = [lo, +inf]) when no finite eps is found, which is certain when lo = +inf too.
 */
shuf_status shuf_pld_epsilon(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t delta,
                             shuf_direction direction, const shuf_options *options);

#endif
