/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* turning: the transform of a law at equally spaced frequencies, one after the other, from its atoms (internal: for iidsum and laws of it). */
#ifndef SHUF_IIDSUM_TURNING_H
#define SHUF_IIDSUM_TURNING_H

#include "iidsum.h"

/* Units of work of an atom to begin with, and at a frequency, in one word and in two: steer only. */
#define TURNING_WORK 5000.0
#define TURNING_FIXED_WORK 10.0
#define TURNING_WIDE_WORK 30.0

/* proofs/iidsum.md, Lemma 14: an atom in whole numbers of 2^-62. */
typedef struct
{
    int64_t mass;              /* 2^(63 + shift) times the tilted mass, over 2^exponent */
    int64_t at[2], base[2];    /* e^{i k step x} at the current frequency, and at the last multiple of the stride; */
    int64_t turn[2], leap[2];  /* for the next frequency, and for the next multiple */
    int shift;
} turning_atom;

/* high 2^60 + low, 0 <= low < 2^60 */
typedef struct
{
    int64_t high, low;
} wide_number;

/* The same in whole numbers of 2^-120; the mass times 2^(120 + shift). */
typedef struct
{
    wide_number mass, at[2], base[2], turn[2], leap[2];
    int shift;
} turning_wide;

/* The atoms, tilted, at frequency `next`. */
typedef struct
{
    slong count, next;
    arb_t whole, error; /* the sum of the tilted masses, and of their radii */
    double miss;        /* what the atoms themselves are off by */
    turning_atom *atom; /* one of both is NULL */
    turning_wide *wide;
    slong exponent;     /* the whole is below its power of 2 */
} turning_struct;

/*
 * At Re s = theta, a double, and Im s = k step, k = 0, 1, .., k < 2^22, to some 2^-54 of the whole, or, wide, to some 2^-107;
 * 0, or -1 if an atom's turn is not known well enough (to be cleared, too).
 */
int turning_init(turning_struct *x, const shuf_quadrature *q, double miss, double theta, double step, int is_wide);
void turning_clear(turning_struct *x);

/* z := the transform at the next frequency */
void turning_next(acb_t z, turning_struct *x);

/* The same, or 0 in place of 1 and no z where its modulus is at most `least`, which doubles tell sooner than z. */
int turning_next_above(acb_t z, turning_struct *x, double least);

#endif
