/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * ratio_line: how probable it is that a sum over all steps of random allocation is above a threshold, with the record and without
 * (proofs/dpsgd.md, Theorem 14; internal).
 */
#ifndef SHUF_BATCH_RATIO_LINE_H
#define SHUF_BATCH_RATIO_LINE_H

#include "../iidsum/fourier.h"
#include "step_loss.h"

/* The record takes part in `taking` < steps of the steps of each epoch; share is c, shift 1 over the square of the noise multiplier. */
typedef struct
{
    const fmpq *shift, *share;
    uint64_t steps, taking, epochs;
} ratio_terms;

/* How often a term is not shifted, if the record is there or is not. */
uint64_t ratio_plain_terms(const ratio_terms *x, int without);

/* Where the transform is read; all steer only but for what is said. */
typedef struct
{
    double theta, far; /* 1 <= theta < far: Theorem 14 */
    double added;      /* the deviation of the normal number in Y, > 0: a part of what Y is */
    double step;       /* > 0 */
    slong count;       /* of frequencies, at least 2 */
    double tolerance;  /* of a transform, > 0 */
} ratio_place;

typedef struct
{
    ratio_place place;
    uint64_t plain_terms;
    acb_ptr term;           /* of Theorem 14's sum, but for e^{-z a} */
    double *re, *im, scale; /* the same in doubles, times e^-scale */
    arb_t first;            /* the transform of Y at theta, */
    arb_t beyond;           /* at far, */
    arb_t plain;            /* and at theta that of a term without the record alone */
    double lost;            /* what the latter lacks from the last frequency on (iidsum.md, Lemma 8) */
} ratio_line;

/* 0, or -1 if there is none, or the work ends (nothing to clear). */
int ratio_line_init(ratio_line *l, const ratio_terms *x, int without, const ratio_place *place, double limit);
void ratio_line_clear(ratio_line *l);

/* p encloses Pr[Y > a]. */
void ratio_line_read(arb_t p, const ratio_line *l, double a);

/* About that. */
double ratio_line_estimate(const ratio_line *l, double a);

#endif
