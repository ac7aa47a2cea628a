/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * epoch_loss: the transform of the privacy loss of an epoch of balls-and-bins batches, from its profile on a lattice (internal).
 * Statements and proofs: proofs/dpsgd.md, Lemmas 7 and 8.
 */
#ifndef SHUF_BATCH_EPOCH_LOSS_H
#define SHUF_BATCH_EPOCH_LOSS_H

#include "../law/law.h"

#define BEYOND 64 /* points beyond the last one with a bound of their own: steers only */

/* The profile in a direction, PQ or QP (with the record against without, or the other way round), at 0, h, 2h, .. */
typedef struct
{
    slong count;    /* points, the last one at c */
    arb_ptr value;  /* numbers near the profile there; */
    double *error;  /* how near, */
    double *most;   /* and an upper bound */
    double beyond[BEYOND]; /* upper bounds of what is left of the profile after the cut, at c + jh */
    double lost;    /* the mass that is cut off, at most */
    arb_ptr mass;   /* m_j of Lemma 8, from j = -(count of the other direction) to count */
} epoch_profile;

typedef struct
{
    double h;
    double spread[2];    /* v, from below and from above */
    epoch_profile of[2]; /* PQ, QP */
} epoch_lattice;

#define WARNINGS (BEYOND / 4 + 1)

typedef struct
{
    const epoch_lattice *lattice;
    int reverse; /* log(dQ/dP) under Q; else log(dP/dQ) under P */
    shuf_loss_filter filter;
    double warning[WARNINGS], log_warning[WARNINGS];
} epoch_loss;

/* Returns 0, or -1 if the profile is not known well enough for any use (nothing to clear). Best for two epochs or more. */
int epoch_lattice_init(epoch_lattice *x, const fmpq_t noise, uint64_t steps, const shuf_options *options);
void epoch_lattice_clear(epoch_lattice *x);

/* x := the loss of one of the two directions; the lattice must outlive it, and x what epoch_loss_tell tells. */
void epoch_loss_init(epoch_loss *x, const epoch_lattice *lattice, int reverse);
void epoch_loss_tell(shuf_loss_t loss, const epoch_loss *x);

#endif
