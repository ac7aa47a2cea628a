/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * cells: a function of the run with finitely many values, by how probable each is at least on the first data and at most on the
 * second (internal). The masses are exact numbers of two measures, whose divergences are at most those of the run: proofs/dpsgd.md,
 * Theorem 18.
 */
#ifndef SHUF_BATCH_CELLS_H
#define SHUF_BATCH_CELLS_H

#include "../law/law.h"

typedef struct
{
    slong count;
    double *log_ratio; /* of p/q, nearly, falling */
    arb_ptr p, q, sum_p, sum_q; /* exact numbers; and sums of the first i, 0 <= i <= count */
} cells_struct;

/* Of so many cells, whose masses on the first and second data p and q enclose: those with masses of which logarithms are known. */
void cells_init(cells_struct *x, arb_srcptr p, arb_srcptr q, slong count);
void cells_clear(cells_struct *x);

/* lo <= sum of (p - e^s q)_+ <= hi */
void cells_profile(arf_t lo, arf_t hi, const cells_struct *x, const arf_t s);

/* v encloses what an event tells, about the best one: p - e^eps q, or the eps >= 0 up to which that is more than delta. */
void cells_delta(arb_t v, const cells_struct *x, const shuf_real_t eps);
void cells_epsilon(arb_t v, const cells_struct *x, const shuf_real_t delta);

/* The loss log(p/q) of p; loss is as initialised. Returns 0 where there are no cells. */
int cells_tell(shuf_loss_t loss, const cells_struct *x, slong prec);

#endif
