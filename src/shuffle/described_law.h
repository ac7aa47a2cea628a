/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * described_law: one round of a described randomiser as a law (law/law.h), by bounds of its divergences (shuffled.h). A sampled
 * round is a law of its own: the sampling is part of it.
 */
#ifndef SHUF_DESCRIBED_LAW_H
#define SHUF_DESCRIBED_LAW_H

#include "shuffled.h"

/*
 * One round by the bound of that kind at single points, the larger of both
 * directions. The randomiser and the rate must outlive the law.
 */
void described_law_point(shuf_law_t law, const shuf_randomiser_t randomiser, const shuf_sampling *sampling,
                           shuf_shuffled_kind kind);

/*
 * The same as a profile: from above the smallest of LOCAL_PROFILE, LOCAL_SWAP and BLANKET
 * at nodes, and the convex envelope between them (theorem profile-nodes);
 * from below, of kind ALL_EQUAL, THIRD or GROUPED, that of one pair of data, those that
 * seem worst, or if `named` those in which user 1 holds 0 or 1 and the others
 * 0 or 2. Both for randomisers whose eps0 is at most SHUF_MAX_EPSILON or infinite.
 */
void described_law_above(shuf_law_t law, const shuf_randomiser_t randomiser, const shuf_sampling *sampling);
void described_law_below(shuf_law_t law, const shuf_randomiser_t randomiser, const shuf_sampling *sampling,
                                 shuf_shuffled_kind kind, int named);

#endif
