/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* polynomial: sums over equally spaced frequencies at many thresholds K, in doubles (internal): proofs/iidsum.md, Lemma 10. */
#ifndef SHUF_PLD_POLYNOMIAL_H
#define SHUF_PLD_POLYNOMIAL_H

#include "../flint_headers.h"

/* Roundoffs of a coefficient at each power of z, and besides (Lemma 10). */
#define POLYNOMIAL_POWER_ROUNDINGS 4.3
#define POLYNOMIAL_OTHER_ROUNDINGS 2.0

/* The real part of the sum of c_k z^k, k < count, at z = e^{-i step (K - centre)}. */
typedef struct
{
    slong count;
    double *re, *im;
    double step;
    arf_t centre;
    double error; /* of any value, but for what z was computed for another K by: */
    double slope; /* at most that for each unit of K */
} polynomial_struct;

/* All c_k, and both errors, are 0. */
void polynomial_init(polynomial_struct *p, slong count, double step, const arf_t centre);
void polynomial_clear(polynomial_struct *p);

/*
 * c_k := re + i im, off by at most `off` in modulus, modulus an upper bound of it; adds to the errors. After the last one
 * polynomial_finish rounds these up.
 */
void polynomial_set(polynomial_struct *p, slong k, double re, double im, double modulus, double off);
void polynomial_finish(polynomial_struct *p);

/* W := 2 pi/step: K + W has the value of K */
void polynomial_period(arb_t W, double step, slong prec);

/* value encloses the real part at K */
void polynomial_value(arb_t value, const polynomial_struct *p, const arb_t K);

#endif
