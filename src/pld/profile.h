/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * profile: the privacy profile of a pair of distributions, in both directions,
 *
 *   s >= 0  ->  H_{e^s}(P||Q) and H_{e^s}(Q||P),
 *
 * enclosed at many points at once. With the identity
 * H_alpha(P||Q) = 1 - alpha + alpha H_{1/alpha}(Q||P) the two determine the
 * profile at every alpha >= 0, which is all that composition needs
 * (proofs/pld.md).
 */
#ifndef SHUF_PROFILE_H
#define SHUF_PROFILE_H

#include "../enclosure/enclosure.h"
#include "../pair/pair.h"

typedef struct shuf_profile_struct
{
    /*
     * lo[i] <= H_{e^s[i]} <= hi[i] in the direction PQ or QP, for
     * 0 <= s[0] <= s[1] <= ... <= SHUF_MAX_EPSILON, dyadic numbers; relative
     * accuracy 10^-digits is aimed at. Returns SHUF_OK or SHUF_ACCURACY (some
     * are wider); 0 <= lo <= hi <= 1 in any case.
     */
    shuf_status (*evaluate)(arf_ptr lo, arf_ptr hi, const struct shuf_profile_struct *self, shuf_direction direction,
                            arf_srcptr s, slong count, const shuf_options *options);
    /*
     * infinite := a lower bound of the limit at s = infinity: the mass of P
     * that Q does not see (PQ), or the other way round.
     */
    void (*infinite)(arf_t infinite, const struct shuf_profile_struct *self, shuf_direction direction);
    const void *data;
    int symmetric; /* both directions are the same */
    /*
     * Unless NULL: loss := a number from which on the profile is 0 in both
     * directions, the largest loss if that is a shuf_real, else barely above
     * it. Returns 0 when none is known.
     */
    int (*max_loss)(shuf_real_t loss, const struct shuf_profile_struct *self);
    /* Unless NULL: whether other, with the same `same`, is certainly the same profile. */
    int (*same)(const struct shuf_profile_struct *self, const struct shuf_profile_struct *other);
    /*
     * Unless NULL: p[i] and q[i] enclose the masses under P and Q of the
     * outcomes of laws that have exactly this profile, one after the other; the last one is all those with P = Q, in
     * which p and q are the same number. Returns how many there are; with p = q = NULL for how
     * many there has to be room, or 0 when that is more than `most`.
     */
    slong (*outcomes)(arb_ptr p, arb_ptr q, const struct shuf_profile_struct *self, slong most, slong prec);
    /*
     * Unless NULL: r encloses H_{e^eps} of so many alike in that direction, PQ or QP, by a way of their own, for the two laws whose profile
     * this is exactly; 1 <= rounds <= SHUF_MAX_USERS. SHUF_OK or SHUF_ACCURACY.
     */
    shuf_status (*power)(shuf_enclosure_t r, const struct shuf_profile_struct *self, uint64_t rounds, shuf_direction direction,
                         const shuf_real_t eps, const shuf_options *options);
} shuf_profile;

/* A profile of which nothing more is known: no mass at infinity, no largest loss, two directions. `evaluate` and `data` are to be set. */
void shuf_profile_init(shuf_profile *profile);

/* Whether two profiles are certainly the same. */
int shuf_profile_equal(const shuf_profile *x, const shuf_profile *y);

/* The profile of a pair, which must outlive it. */
void shuf_profile_pair(shuf_profile *profile, const shuf_pair_t pair);

#endif
