/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * convolve: sums of independent losses on a grid, by two engines that must
 * agree (internal).
 *
 * A product of grid laws, each to a power, has the profile
 *   E w(Y) + (what the atoms at +infinity add),  w(y) = (1 - e^{eps-y})_+,
 * with Y distributed as the sum of the finite losses. With tail = 1, w is the
 * indicator of y >= eps instead.
 *
 *   tilted  double FFT of the exponentially tilted masses, e^{theta y} p/M:
 *           the error is then relative near the eps that theta belongs to;
 *   exact   integers in fixed point, rounded up or down after every product.
 */
#ifndef SHUF_PLD_CONVOLVE_H
#define SHUF_PLD_CONVOLVE_H

#include <stdint.h>

#include "exact/exact.h"
#include "pld/grid.h"

typedef struct
{
    const grid_law_struct *law; /* all factors have the same step */
    uint64_t power;             /* >= 1 */
} grid_factor;

/* A sum of losses, ready to be asked for its profile. */
typedef struct convolution_struct convolution;

/*
 * Each returns NULL when there is no memory, or the work is beyond what the
 * engine takes; the tilted one also when a law is longer than 2^log2_length. up: every approximation from above (for dominating laws),
 * else from below. theta >= 0; log2_length at most FFT_MAX_LOG.
 */
convolution *convolution_tilted(const grid_factor *factors, size_t count, double theta, int log2_length, int up);
convolution *convolution_exact(const grid_factor *factors, size_t count, slong bits, int up, double deadline);
void convolution_free(convolution *c);

/* Bounds on the parts of a value that are due to the engine. */
typedef struct
{
    mag_t rounding;
    mag_t aliasing; /* what wraps around the window, or lies outside it */
    mag_t infinite; /* what the atoms at +infinity add: from above (up) or from below */
} convolution_errors;

void convolution_errors_init(convolution_errors *e);
void convolution_errors_clear(convolution_errors *e);

/*
 * bound >= (up) or <= (else, and >= 0) the profile at eps of the product,
 * eps a real of any sign; the errors say by how much at most the bound can be
 * off for each cause.
 */
void convolution_delta(arf_t bound, convolution_errors *errors, const convolution *c, const shuf_real_t eps, int tail);

/* index := the first one >= 0 at which the loss (origin + index) step is >= eps, decided exactly. */
void convolution_first_index(fmpz_t index, const shuf_real_t eps, slong log2_step, const fmpz_t origin);

#endif
