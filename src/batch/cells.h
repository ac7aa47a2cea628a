/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * cells: a function of the run with finitely many values, by how probable each is at least on the first data and at most on the
 * second (internal). The masses are exact numbers of two measures, whose divergences are at most those of the run: proofs/dpsgd.md,
 * Theorem 18.
 */
#ifndef SHUF_BATCH_CELLS_H
#define SHUF_BATCH_CELLS_H

#include <pthread.h>

#include "../law/law.h"

typedef struct
{
    slong count;
    double *log_ratio; /* of p/q, nearly, falling */
    arb_ptr p, q, sum_p, sum_q; /* exact numbers; and sums of the first i, 0 <= i <= count */
} cells_struct;

/* v encloses what an event tells, about the best one: p - e^eps q, or the eps >= 0 up to which that is more than delta. */
void cells_delta(arb_t v, const cells_struct *x, const shuf_real_t eps);
void cells_epsilon(arb_t v, const cells_struct *x, const shuf_real_t delta);

/* An epoch of steps, by cells of something that they tell: what the laws of it have in common. */
typedef struct
{
    fmpq_t noise;
    uint64_t steps, taking;
    slong shift[2];       /* of the steps in which the record takes part: with it, without it */
    slong count;          /* unless 0: in place of noise and shifts, so many outcomes of a step, */
    arb_ptr mass[2];      /* with their probabilities with the record, and without */
    pthread_mutex_t lock; /* for who makes the cells when they are first asked for */
    int has_cells;
    cells_struct cells[2]; /* with the record against without, and the other way round */
} told_epoch;

/* law := one of such an epoch, without cells: its data, and `clear`, `same` and `loss`. */
void told_law_init(shuf_law_t law, const fmpq_t noise, uint64_t steps, uint64_t taking, slong with, slong without);

/* The cells, of so many values with these masses with the record, and without it. */
void told_set_cells(told_epoch *x, arb_srcptr with, arb_srcptr without, slong count);

/* lo[i] <= the profile of the cells at s[i] <= hi[i] */
void told_profile(arf_ptr lo, arf_ptr hi, const told_epoch *x, shuf_direction direction, arf_srcptr s, slong count);

/* The loss log(p/q) of p; loss is as initialised. Returns 0 where there are no cells. */
int told_loss(shuf_loss_t loss, const shuf_law_struct *self, shuf_direction direction, slong prec);

#endif
