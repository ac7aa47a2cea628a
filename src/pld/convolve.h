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

#include "factor.h"

/* A sum of losses, ready to be asked for its profile. */
typedef struct convolution_struct convolution;

/*
 * Each returns NULL when there is no memory, the thread's watch stops it, or
 * the work is beyond what the engine takes; the tilted one also when a law is
 * longer than 2^log2_length. up: every approximation from above (for
 * dominating laws), else from below. theta >= 0; log2_length at most
 * FFT_MAX_LOG.
 */
convolution *convolution_tilted(const grid_factor *factors, size_t count, double theta, int log2_length, int up);
convolution *convolution_exact(const grid_factor *factors, size_t count, slong bits, int up, double limit);
void convolution_free(convolution *c);

/*
 * bound >= (up) or <= (else, and >= 0) the profile at eps of the product,
 * eps a real of any sign; the errors say by how much at most the bound can be
 * off for each cause.
 */
void convolution_delta(arf_t bound, convolution_errors *errors, const convolution *c, const shuf_real_t eps, int tail);

#endif
