/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* rare (internal): a sum of terms with three values of which the largest is rare. */
#ifndef SHUF_IIDSUM_RARE_H
#define SHUF_IIDSUM_RARE_H

#include "iidsum.h"

/*
 * e encloses E(L_1 + ... + L_n - K)_+ of a law of three atoms for every K of the ball, by the number of terms that have the largest
 * value. Returns 0 and leaves e where the law is none, the largest value is not expected less than `most` times, or the work does not suffice.
 */
int iidsum_rare(shuf_enclosure_t e, const shuf_summand *law, uint64_t n, const arb_t K, ulong most, slong digits, double limit);

#endif
