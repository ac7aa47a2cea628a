/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* enumerate (internal): a sum of few terms with few values, value by value. */
#ifndef SHUF_IIDSUM_ENUMERATE_H
#define SHUF_IIDSUM_ENUMERATE_H

#include "iidsum.h"

/*
 * e encloses E(L_1 + ... + L_n - K)_+ of a law of atoms for every K of the ball, to about these digits. Returns 0 and leaves e
 * where the law is none, has more than `most` ways to take its values n times, or the work does not suffice.
 */
int iidsum_enumerate(shuf_enclosure_t e, const shuf_summand *law, uint64_t n, const arb_t K, double most, slong digits, double limit);

#endif
