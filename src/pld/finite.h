/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * finite: compositions of laws with few outcomes, outcome by outcome (internal).
 *
 * Rounds that are alike are taken as multisets of their outcomes, by falling
 * loss, as long as the rest may still reach eps; the last round is a sum of
 * tails. No grid: the value is exact but for rounding (proofs/pld.md).
 */
#ifndef SHUF_PLD_FINITE_H
#define SHUF_PLD_FINITE_H

#include "pld.h"

/*
 * As shuf_pld_delta and shuf_pld_epsilon. Return 1, or 0 (r untouched) when
 * some part has no outcomes to go through, or there are too many, or the work
 * allowed is used up.
 */
int pld_finite_delta(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t eps,
                     shuf_direction direction, const shuf_options *options);
int pld_finite_epsilon(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t delta,
                       shuf_direction direction, const shuf_options *options);

#endif
