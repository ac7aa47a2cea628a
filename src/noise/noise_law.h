/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* noise_law: releases with noise as laws (law/law.h; internal). PQ is with the record against without. Proofs: proofs/additive-noise.md. */
#ifndef SHUF_NOISE_LAW_H
#define SHUF_NOISE_LAW_H

#include "../law/law.h"
#include "noise.h"

/*
 * law := that of one release over a Poisson sample of the records, 0 < rate <= 1 (Theorems 2 to 4): both ends are exact. With GAUSSIAN noise and
 * rate 1 it is that of so many releases at once, and *rounds becomes 1.
 */
void noise_law(shuf_law_t law, const shuf_noise_t noise, const fmpq_t rate, uint64_t *rounds);

/*
 * The same from below: of noise in a table with many rows neighbouring outcomes are told as one where losses are added up, which is data processing. The profile
 * and Renyi divergences are those of noise_law.
 */
void noise_law_below(shuf_law_t law, const shuf_noise_t noise, const fmpq_t rate, uint64_t *rounds);

#endif
