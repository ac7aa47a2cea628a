/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* product_line: compositions of rounds whose losses have transforms in closed form (internal): no grid. Proofs: proofs/product-line.md. */
#ifndef SHUF_PLD_PRODUCT_LINE_H
#define SHUF_PLD_PRODUCT_LINE_H

#include "pld.h"

/*
 * As shuf_pld_delta and shuf_pld_epsilon, by the transform of the sum of all losses on a line. Return 1, or 0 when a grid may do better, or all
 * that is left: r is what is known, [0, 1] or [0, +inf] if the loss of a part is not told.
 */
int pld_line_delta(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t eps, shuf_direction direction,
                   const shuf_options *options);
int pld_line_epsilon(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t delta, shuf_direction direction,
                     const shuf_options *options);

#endif
