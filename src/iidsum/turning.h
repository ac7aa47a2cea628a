/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* turning: the transform of a law at equally spaced frequencies, one after the other, from its atoms (internal: for iidsum and laws of it). */
#ifndef SHUF_IIDSUM_TURNING_H
#define SHUF_IIDSUM_TURNING_H

#include "iidsum.h"

/* Units of work of an atom to begin with, and at a frequency, in balls and in whole numbers: steer only. */
#define TURNING_WORK 5000.0
#define TURNING_STEP_WORK 300.0
#define TURNING_FIXED_WORK 10.0

/* proofs/iidsum.md, Lemma 14: an atom in whole numbers of 2^-62. */
typedef struct
{
    int64_t mass;              /* 2^(63 + shift) times the tilted mass, over 2^exponent */
    int64_t at[2], base[2];    /* e^{i k step x} at the current frequency, and at the last multiple of the stride; */
    int64_t turn[2], leap[2];  /* for the next frequency, and for the next multiple */
    int shift;
} turning_atom;

/* proofs/iidsum.md, Lemma 9, in balls, or Lemma 14: the atoms, tilted, at frequency `next`, and what leads to the next one. */
typedef struct
{
    slong count, room, next;
    acb_ptr power, turn;
    arb_t whole, error; /* the sum of the tilted masses, and of their radii */
    double miss;        /* what the atoms themselves are off by */
    turning_atom *atom; /* NULL in balls */
    slong exponent;     /* the whole is below its power of 2 */
} turning_struct;

/*
 * At Re s = theta, a double, and Im s = k step, k = 0, 1, .., in balls or in whole numbers, these to some 2^-54 of the whole, and for k < 2^22;
 * 0, or -1 if an atom's turn is not known well enough (to be cleared, too).
 */
int turning_init(turning_struct *x, const shuf_quadrature *q, double miss, double theta, double step, int in_balls);
void turning_clear(turning_struct *x);

/* z := the transform at the next frequency */
void turning_next(acb_t z, turning_struct *x);

#endif
