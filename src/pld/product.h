/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* product: powers of transforms at equally spaced frequencies, and the sums that they are the terms of, in doubles (internal): proofs/product-line.md, Lemma 4. */
#ifndef SHUF_PLD_PRODUCT_H
#define SHUF_PLD_PRODUCT_H

#include "polynomial.h"

/* Roundoffs of a function (8 ulp) and of the complex operations beside it. Lemma 4. */
#define PRODUCT_LIBRARY 40.0

#define PRODUCT_WORK 250.0 /* units of work of a factor at a frequency, and of a term: steers only */

/* Logarithm of the modulus and argument at every frequency, and what both may be off by; where it is lost only that the modulus is no more than that. */
typedef struct
{
    slong count;
    double rounding; /* of a number of a factor, and of its addition to the others, in all */
    double *log_modulus, *argument, *error;
    char *lost;
} product_struct;

/* 1, for so many factors. */
void product_init(product_struct *p, slong count, size_t factors);
void product_clear(product_struct *p);

/* Times the n-th powers of z[2k] + i z[2k + 1], which are off by at most off[k] as complex numbers. */
void product_multiply(product_struct *p, const double *z, const double *off, double n);

/* Times the n-th powers of 1 + z[2k] + i z[2k + 1] likewise, as well where that is near 1. */
void product_multiply_near_one(product_struct *p, const double *z, const double *off, double n);

/*
 * sum := that of the products times e^{V s (s + pole)/2 - V theta (theta + pole)/2 - i t centre} theta (theta + pole)/(s (s + pole)), s = theta + i t, t = k step, those of k > 0
 * twice.
 */
void product_polynomial(polynomial_struct *sum, const product_struct *p, double theta, int pole, double step, const arf_t centre, double V);

#endif
