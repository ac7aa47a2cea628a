/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* allocation_law: epochs of releases with noise in which each record takes part in some, at random, as laws (law/law.h; internal). Proofs: proofs/additive-noise.md. */
#ifndef SHUF_NOISE_ALLOCATION_LAW_H
#define SHUF_NOISE_ALLOCATION_LAW_H

#include "../law/law.h"
#include "noise.h"

/* law := an epoch of so many releases, at least 2, of which each record takes part in one (Theorem 8): exact but for what is not worked out. Not of GAUSSIAN noise. PQ is with the record against without. */
void allocation_law(shuf_law_t law, const shuf_noise_t noise, uint64_t steps);

/* The same from below if each takes part in so many of them, 1 <= taking < steps (Theorem 10). */
void allocation_law_below(shuf_law_t law, const shuf_noise_t noise, uint64_t steps, uint64_t taking);

#endif
