/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* gaussian_tail: the shuffled Gaussian's sum far above its mean, where one term is large (internal); proofs/gaussian.md, Lemma 3. */
#ifndef SHUF_SHUFFLE_GAUSSIAN_TAIL_H
#define SHUF_SHUFFLE_GAUSSIAN_TAIL_H

#include <stdint.h>

#include "../enclosure/enclosure.h"
#include "../exact/exact.h"

/*
 * low and high enclose E(S - K)_+, S = L_1 + ... + L_n with log L_i ~ N(-a^2/2, a^2), a = 1/sigma; n >= 2, sigma > 0. Tight only for
 * K so far above n that one term alone makes S as large. Returns 0 where it says nothing (K too near n, or precision lacks).
 */
int gaussian_tail(arf_t low, arf_t high, uint64_t n, const shuf_real_t sigma, const arb_t K, slong prec);

#endif
