/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * line (internal): the two randomisers on the line, inputs 0 and 1, Laplace
 * noise of scale b or Gaussian noise of deviation sigma. All that a shuffler's
 * delta needs is the law of the likelihood ratio L = dR(x)/dR(x1) at an output
 * of R(x1), which is the same for (x, x1) = (1, 0) and (0, 1). See
 * proofs/line.md.
 */
#ifndef SHUF_MECHANISM_LINE_H
#define SHUF_MECHANISM_LINE_H

#include "../iidsum/iidsum.h"
#include "randomiser.h"

/*
 * GAUSSIAN: the law of L (sign = 1) or of -L (sign = -1), without the
 * L >= cut if that is not NULL (the mass is then below 1), cut > 0.
 */
void line_ratio_law_init(shuf_summand *law, const shuf_real_t sigma, int sign, const arf_struct *cut);

/*
 * The law of l = (dR(x) - alpha dR(x1))/dw (Y), alpha = e^eps >= 1, Y with the
 * law w = R(reference), or for SHUF_BLANKET Y with the law w = min(R(0), R(1))
 * of mass gamma, and l = 0 with the remaining probability. The total mass is
 * 1, E l = 1 - alpha, and E(l_1 + ... + l_n)_+/n is delta(eps), exactly or for
 * the blanket an upper bound (proofs/blanket.md). {x, x1} = {0, 1}. With
 * LAPLACE, delta = 0 from eps = 1/b on, and that is for the caller to see.
 */
void line_law_init(shuf_summand *law, const shuf_randomiser_t randomiser, uint64_t x, uint64_t x1, uint64_t reference,
                   const shuf_real_t eps, slong prec);
void line_law_clear(shuf_summand *law);

#endif
