/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * threshold_law: one bucket of a histogram from which small counts are dropped, as a law (law/law.h; internal). PQ is with the user against without.
 * Proofs: proofs/thresholds.md.
 */
#ifndef SHUF_NOISE_THRESHOLD_LAW_H
#define SHUF_NOISE_THRESHOLD_LAW_H

#include "../law/law.h"
#include "noise.h"

/* What a law of thresholds is on. */
typedef enum
{
    THRESHOLD_ABOVE,   /* the largest divergence at every point (Theorems 1 and 2) */
    THRESHOLD_REPLACED, /* from above half a release in which a user is replaced: a release is two of these (Theorem 3) */
    THRESHOLD_BELOW,   /* single points are the largest divergences; the profile is that of one number of holders, for so many rounds */
    THRESHOLD_SOME_ROUND /* single points, of SAMPLE: whether any of so many rounds releases the count, which all have the same number of holders */
} threshold_side;

/* law := that of one release of a noise with a threshold, SAMPLE or an additive noise. */
void threshold_law(shuf_law_t law, const shuf_noise_t noise, threshold_side side, uint64_t rounds);

#endif
