/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* losses: the largest losses of all rounds, added, and what is beyond all (internal). */
#ifndef SHUF_PLD_LOSSES_H
#define SHUF_PLD_LOSSES_H

#include "pld.h"

/*
 * 1 or 0 when eps is certainly more than their sum, or is their sum; -1 when
 * it is less, or that cannot be told: it is worked out exactly where all
 * losses are rational, or all are logarithms and the product of their powers
 * is of moderate size.
 */
int pld_compare_losses(const shuf_pld_part *parts, size_t count, const shuf_real_t eps);

/* bound := their sum, or where that can not be worked out exactly a number just above it. Returns 0 when some loss is infinite or not known. */
int pld_bound_losses(shuf_real_t bound, const shuf_pld_part *parts, size_t count);

/*
 * Whether the outcomes of all rounds that one law never has are certainly more
 * than delta under the other, in the direction: then no eps has delta.
 */
int pld_is_infinite(const shuf_pld_part *parts, size_t count, const shuf_real_t delta, shuf_direction direction);

#endif
