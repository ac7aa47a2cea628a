/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * ratio_law (internal): the likelihood ratio L of one release with a record to one without it, under the law without it, by two laws with few atoms between
 * which it lies (proofs/additive-noise.md, Lemma 9).
 */
#ifndef SHUF_NOISE_RATIO_LAW_H
#define SHUF_NOISE_RATIO_LAW_H

#include "noise.h"

/* value[j] with mass[j], and the mass of the law with the record where the ratio is not finite. */
typedef struct
{
    slong count, room;
    arb_ptr value, mass;
    arb_t alone;
} ratio_law;

/* Below and above, the same if is_exact; the mass that either law of a release has at other outcomes is at most `lost`. */
typedef struct
{
    int is_exact;
    ratio_law below, above;
    arb_t lost;
} ratio_laws;

/* Not of GAUSSIAN noise. */
void ratio_laws_init(ratio_laws *x, const shuf_noise_t noise);
void ratio_laws_clear(ratio_laws *x);

#endif
