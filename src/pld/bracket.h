/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * bracket: compositions by lines of the transform of the sum of all losses
 * (internal; proofs/product-line.md). Of a part that does not tell its loss
 * the profile at some nodes gives two that do, one above and one below
 * (proofs/pld.md, Lemmas 1 to 3).
 */
#ifndef SHUF_PLD_BRACKET_H
#define SHUF_PLD_BRACKET_H

#include "pld.h"

/*
 * As shuf_pld_delta at the eps `point` (to_delta), or shuf_pld_epsilon at the delta. r is what is known, [0, 1] or [0, +inf] if nothing is.
 * kept, unless NULL: gets the last lines for that eps.
 */
void pld_bracket(shuf_enclosure_t r, shuf_pld_kept_struct *kept, const shuf_pld_part *parts, size_t count, int to_delta, const shuf_real_t point, shuf_direction direction,
                 const shuf_options *options);

#endif
