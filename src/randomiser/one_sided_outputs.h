/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* one_sided_outputs (internal): outputs that one input has and another never. */
#ifndef SHUF_RANDOMISER_ONE_SIDED_OUTPUTS_H
#define SHUF_RANDOMISER_ONE_SIDED_OUTPUTS_H

#include "randomiser.h"

/* p := the largest probability under R(x) of the outputs that R(x1) never has, exactly, and such inputs; 0 where there are none. */
void randomiser_one_sided(fmpq_t p, uint64_t *x, uint64_t *x1, const shuf_randomiser_t r);

#endif
