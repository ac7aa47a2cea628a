/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * bit_split: users seen in one of two places, each by a fair coin, their number being a sum of independent bits of different
 * probabilities, and one user more, in doubles with bounds of all errors (proofs/groups.md, Lemma 6).
 */
#ifndef SHUF_BIT_SPLIT_H
#define SHUF_BIT_SPLIT_H

#include "bit_sum.h"

/*
 * One user more is in the first place with probability w0, in the second with w1, and else in none, under P; under Q with w1 and w0, w0 > w1:
 * lo <= H_alpha(P||Q) <= hi of the numbers in both, alpha >= 1. gain encloses w0 - alpha w1 > 0, loss alpha w0 - w1,
 * excess (alpha-1)(w0+w1), and rest (alpha-1)(1-w0-w1).
 */
void bit_split_divergence(arf_t lo, arf_t hi, const bit_sum *s, const arb_t gain, const arb_t loss, const arb_t excess, const arb_t rest);

#endif
