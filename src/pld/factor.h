/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* factor: what is multiplied, and what a bound of the product is charged with (internal). */
#ifndef SHUF_PLD_FACTOR_H
#define SHUF_PLD_FACTOR_H

#include <stdint.h>

#include "../exact/exact.h"
#include "grid.h"

typedef struct
{
    const grid_law_struct *law; /* all factors have the same step */
    uint64_t power;             /* >= 1 */
} grid_factor;

/* Bounds on the parts of a value that are due to the engine. */
typedef struct
{
    mag_t rounding;
    mag_t aliasing; /* what wraps around the window, or lies outside it */
} convolution_errors;

void convolution_errors_init(convolution_errors *e);
void convolution_errors_clear(convolution_errors *e);

/* index := the first one >= 0 at which the loss (origin + index) step is >= eps, decided exactly. */
void convolution_first_index(fmpz_t index, const shuf_real_t eps, slong log2_step, const fmpz_t origin);

#endif
