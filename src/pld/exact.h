/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * exact: the integer engine behind convolve.h (internal).
 *
 * Masses are whole numbers of units of 2^-bits, rounded up or down, and so is
 * every coefficient after each product of polynomials (FLINT). The result
 * bounds the law of the sum from the side asked for, whatever the weight, and
 * its error is measured by total masses: proofs/exact-convolution.md.
 */
#ifndef SHUF_PLD_EXACT_H
#define SHUF_PLD_EXACT_H

#include "../flint_headers.h"
#include <flint/fmpz_poly.h>

#include "factor.h"

typedef struct exact_sum_struct
{
    slong log2_step;
    slong bits;
    int up;
    fmpz_t first;      /* coefficient j is the mass at the loss (first + j) 2^log2_step, */
    fmpz_poly_t mass;  /* in units of 2^-bits, as are */
    fmpz_t infinite;   /* the mass at +infinity, and */
    fmpz_t moved;      /* (up only) what shortening moved to higher losses */
    mag_t rounding;    /* difference of the total masses of this and of the exact law, no longer in units */
} exact_sum_struct;

typedef exact_sum_struct exact_sum_t[1];

/*
 * The sum of count >= 1 factors, each to its power, bits >= 1. Returns 0, or
 * -1 (nothing to clear) when a product would need more than about 2 GB, or
 * shuf_work() > limit > 0 before a product, or when the thread's watch stops
 * it, which is looked at about every second.
 */
int exact_sum_init(exact_sum_t x, const grid_factor *factors, size_t count, slong bits, int up, double limit);
void exact_sum_clear(exact_sum_t x);

/*
 * As convolution_delta. errors->aliasing is what was moved to higher losses
 * to keep polynomials short, at most some units for every coefficient and copy;
 * errors->infinite includes what of it was moved to +infinity.
 */
void exact_sum_delta(arf_t bound, convolution_errors *errors, const exact_sum_t x, const shuf_real_t eps, int tail);

#endif
