/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* turning: the transform of a law at equally spaced frequencies, one after the other, from its atoms in balls (internal: for iidsum and laws of it). */
#ifndef SHUF_IIDSUM_TURNING_H
#define SHUF_IIDSUM_TURNING_H

#include "iidsum.h"

/* Units of work of an atom to begin with, and at a frequency: steer only. */
#define TURNING_WORK 5000.0
#define TURNING_STEP_WORK 300.0

/* proofs/iidsum.md, Lemma 9, in balls: the atoms, tilted, at frequency `next`, and what leads to the next one. */
typedef struct
{
    slong count, next;
    acb_ptr power, turn;
    arb_t whole, error; /* the sum of the tilted masses, and of their radii */
    double miss;        /* what the atoms themselves are off by */
} turning_struct;

/* At Re s = theta, a double, and Im s = k step, k = 0, 1, ..; 0, or -1 if an atom's turn is not known well enough (to be cleared, too). */
int turning_init(turning_struct *x, const shuf_quadrature *q, double miss, double theta, double step);
void turning_clear(turning_struct *x);

/* z := the transform at the next frequency */
void turning_next(acb_t z, turning_struct *x);

#endif
