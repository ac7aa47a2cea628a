/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* differences: what sums of m_j e^{s x_j} at equally spaced frequencies differ by from that at the first, in doubles (internal): proofs/iidsum.md, Lemma 13. */
#ifndef SHUF_IIDSUM_DIFFERENCES_H
#define SHUF_IIDSUM_DIFFERENCES_H

#include "iidsum.h"

#define DIFFERENCES_MOST 22 /* log2 of the largest number of frequencies: k u < 10^-6 in Lemma 13 */

typedef struct
{
    double theta, step;
    slong frequencies;
    slong count;                        /* of atoms that turn little, or else of all, in whole blocks: */
    double *mass;                       /* tilted, */
    double *re, *im;                    /* times e^{i k step x} - 1 at the current multiple of the stride; */
    double *near_re, *near_im;          /* e^{i step x} - 1, */
    double *far_re, *far_im;            /* and of as many steps as the stride has */
    double most[DIFFERENCES_MOST + 1];  /* the sum of mass min(2, 2^i step |x|), from above */
    slong others;                       /* atoms whose sums are made together, */
    arb_ptr other_value, other_mass;
    double other_whole;                 /* and what they weigh, tilted, from above */
    double error;                       /* of a difference, but for roundings */
    arb_t first;                        /* the sum at theta, with q->error */
} differences_struct;

/*
 * At Re s = theta and Im s = k step, 0 <= k < frequencies <= 2^DIFFERENCES_MOST. The law's transform is a ball of first, in which is what
 * the atoms are off by, plus the difference at frequency k. 0, or -1 (to be cleared, too).
 */
int differences_init(differences_struct *a, const shuf_quadrature *q, double theta, double step, slong frequencies);
void differences_clear(differences_struct *a);

/*
 * sums[2k] + i sums[2k + 1] := about the difference at frequency k, for all of them, of which both parts are off by at most error[k]; 0, or -1
 * where the work is exhausted. Once.
 */
int differences_sums(double *sums, double *error, differences_struct *a, double limit);

/* Units of work of both. */
double differences_work(const shuf_quadrature *q, double step, slong frequencies);

#endif
