/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * sum: the sum of equally distributed losses on a grid, in whole numbers (internal).
 *
 * Masses are whole numbers of units of 2^-bits, rounded up or down, and so is
 * every coefficient after each product of polynomials (FLINT). The result
 * bounds the law of the sum from the side asked for, whatever the weight:
 * proofs/exact-convolution.md.
 */
#ifndef SHUF_CERTIFICATE_SUM_H
#define SHUF_CERTIFICATE_SUM_H

#include "../flint_headers.h"
#include <flint/fmpz_poly.h>

#include "../exact/exact.h"
#include "../pld/grid.h"

typedef struct
{
    slong log2_step;
    slong bits;
    int up;
    fmpz_t first;      /* coefficient j is the mass at the loss (first + j) 2^log2_step, */
    fmpz_poly_t mass;  /* in units of 2^-bits, as is */
    fmpz_t infinite;   /* the mass at +infinity */
} loss_sum_struct;

typedef loss_sum_struct loss_sum_t[1];

/*
 * The sum of `rounds` >= 1 losses of the law, bits >= 1. Returns 0, or -1
 * (nothing to clear) when a product would need more than about 2 GB, or when
 * the thread's watch stops it, which is looked at about every second.
 */
int loss_sum_init(loss_sum_t x, const grid_law_t law, uint64_t rounds, slong bits, int up);
void loss_sum_clear(loss_sum_t x);

/* bound >= (up) or <= (else, and >= 0) the profile at eps, a real of any sign. */
void loss_sum_delta(arf_t bound, const loss_sum_t x, const shuf_real_t eps);

#endif
