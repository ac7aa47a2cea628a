/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* unit_change (internal): Gaussian noise that tells no less of a change by one than noise on whole numbers does. Proofs: proofs/additive-noise.md. */
#ifndef SHUF_NOISE_UNIT_CHANGE_H
#define SHUF_NOISE_UNIT_CHANGE_H

#include "noise.h"

/*
 * variance := a rational number, above 0, that is at most 1/B^2, and close to it: one entry of whole numbers that changes by 1, with noise x of kind
 * DISCRETE_GAUSSIAN or SKELLAM as shuf_noise_set_honest makes it, is B-GDP (Theorem 13), so that vectors are bounded by Gaussian noise of that variance
 * (Theorem 11). Returns 0, and leaves it, where there is no B: for discrete Gaussian noise of a variance of about 1/3 or less, or shares of which a few are no
 * more.
 */
int noise_unit_variance(fmpq_t variance, const shuf_noise_t x);

/*
 * x := that Gaussian noise, its sensitivity 1 and its variance over the square that x has. by_divergence: of releases of all records Renyi divergences of
 * order 1 or more alone are asked for, for which discrete Gaussian noise of one share keeps its parameter (Theorem 14). Returns 0, and leaves x, where
 * there is none.
 */
int noise_make_gaussian(shuf_noise_t x, int by_divergence);

#endif
