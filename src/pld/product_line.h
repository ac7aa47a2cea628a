/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* product_line: compositions of rounds whose losses have transforms in closed form (internal): no grid. Proofs: proofs/product-line.md. */
#ifndef SHUF_PLD_PRODUCT_LINE_H
#define SHUF_PLD_PRODUCT_LINE_H

#include "pld.h"

/*
 * As shuf_pld_delta at the eps `point` (to_delta), or shuf_pld_epsilon at the delta, by the transform of the sum of all losses on a line. Returns 1,
 * or 0 when a grid may do better, or all that is left: r is what is known, [0, 1] or [0, +inf] if the loss of a part is not told.
 */
int pld_line(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, int to_delta, const shuf_real_t point, shuf_direction direction,
             const shuf_options *options);

#endif
