/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* profile_renyi: the Renyi divergence of a law by its profile alone (internal; theorem renyi-profile, proofs/renyi-profile.md). */
#ifndef SHUF_PROFILE_RENYI_H
#define SHUF_PROFILE_RENYI_H

#include "law.h"

/*
 * r encloses the divergence of that order, 1 <= order, PQ, QP or the larger one of both; `evaluate` is not NULL. Of a law that bounds others r->hi bounds
 * theirs, too, and of one from below r->lo is below theirs. r = [+inf, +inf] where some of the mass is not seen by the other law. r->hi is infinite where
 * neither a largest loss nor a bound of moments is known. SHUF_OK or SHUF_ACCURACY.
 */
shuf_status profile_renyi(shuf_enclosure_t r, const shuf_law_struct *law, const shuf_real_t order, shuf_direction direction, const shuf_options *options);

/* The same of an order above 1, by the loss, where the law tells it; else SHUF_DOMAIN, [0, +inf]. */
shuf_status loss_renyi(shuf_enclosure_t r, const shuf_law_struct *law, const shuf_real_t order, shuf_direction direction, const shuf_options *options);

/* Whether law_renyi looks at the loss or the profile of a law for so many digits. */
int law_renyi_is_of_profile(const shuf_law_struct *law, const shuf_options *options);

/* That of a round, which may be a product, by the law's own `renyi`, its loss or its profile. */
shuf_status law_renyi(shuf_enclosure_t r, const shuf_law_struct *law, const shuf_real_t order, shuf_direction direction, const shuf_options *options);

#endif
