/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* product_line: the transform of the sum of all losses on a line, and what the divergence is at many thresholds (internal): proofs/product-line.md. */
#ifndef SHUF_PLD_PRODUCT_LINE_H
#define SHUF_PLD_PRODUCT_LINE_H

#include "../enclosure/enclosure.h"
#include "line_sum.h"
#include "polynomial.h"

#define LINE_HEAD 2049 /* frequencies of which the transform is kept: steers only */

typedef struct
{
    double theta, far, step;
    slong count;              /* 0: a part has no finite loss, and of what follows there are only the masses */
    double added;             /* h^2, or 0 */
    double far_fall, log_fall; /* of Lemma 5 of many-users.md: X, and log of the product at the last frequency; 0: it is not used */
    arb_t first, beyond;      /* logarithms of F(theta) and F(far), without what is added */
    arb_t variance;           /* of all rounds, without what is added; */
    arb_t fall;               /* and V of Lemma 2, likewise */
    arb_t infinite, lost;     /* the mass of infinite losses, and what is not known, */
    arb_t mass;               /* all of P's, */
    arb_t off;                /* and by how much the sum may be off */
    arb_t scales;             /* log of what Lemma 4's sums are multiplied by, but for K and h */
    polynomial_struct sum[2]; /* Lemma 4, with h^2 and, unless that is 0, with 4 h^2 */
    double log_modulus[LINE_HEAD], argument[LINE_HEAD]; /* of the transform, over that at theta: steer only */
} line_struct;

/* So that delta is found to about `tolerance` of it at the goal, with at most what work there is up to the limit (0: none). Returns 0, or -1 (nothing to clear). */
int line_init(line_struct *l, const line_sum *s, const line_goal *goal, double tolerance, double limit);
void line_clear(line_struct *l);

/* r encloses the divergence at e^eps of the pair of the sum. */
void line_read(shuf_enclosure_t r, const line_struct *l, const arb_t eps);

#endif
