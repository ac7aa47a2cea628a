/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* tilted: sums of independent losses on a grid, in doubles (internal); proofs/pld.md, Lemmas 4 and 5. */
#ifndef SHUF_PLD_TILTED_H
#define SHUF_PLD_TILTED_H

#include "factor.h"

/* Masses below this, relative to the whole, are rounded to it or to nothing: proofs/iidsum.md, Lemma 3. */
#define TILTED_SMALLEST 1e-290

typedef struct
{
    double *y;        /* the tilted law of the sum, cyclically: index j at j mod length */
    size_t length;
    fmpz_t origin;    /* loss of index 0, in steps */
    fmpz_t largest;   /* index of the largest sum */
    fmpz_t window;    /* first index of the window that y represents */
    slong log2_step;
    double theta;
    arb_t log_scale;  /* the law is e^log_scale times y, but for the tilt */
    arb_t total;      /* upper bound of the mass of y */
    double y_error;   /* of every entry of y */
    arb_t outside;    /* upper bound of the tilted mass outside the window */
} tilted_sum_struct;

typedef tilted_sum_struct tilted_sum_t[1];

/*
 * A product of grid laws, each to a power: a double FFT of the exponentially
 * tilted masses, e^{theta y} p/M, whose error is then relative near the eps
 * that theta belongs to. up: every approximation from above (for dominating
 * laws), else from below. theta >= 0; log2_length at most FFT_MAX_LOG.
 * Returns 0, or -1 (nothing to clear) when there is no memory, the thread's
 * watch stops it, or a law is longer than 2^log2_length.
 */
int tilted_sum_init(tilted_sum_t x, const grid_factor *factors, size_t count, double theta, int log2_length, int up);
void tilted_sum_clear(tilted_sum_t x);

/*
 * bound >= (up) or <= (else, and >= 0) E (Y - K)_+, Y a sum of the law as it was rounded, whichever way; the errors say by how much at most
 * the bound can be off for each cause. theta > 0, no atoms at +infinity; proofs/iidsum.md, Lemma 4.
 */
void tilted_sum_excess(arf_t bound, convolution_errors *errors, const tilted_sum_t x, const arf_t K, int up);

#endif
