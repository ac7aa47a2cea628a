/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * mixture_hints: where Coq should look for the value of krr-weak, k > 2 (internal).
 *
 * The evaluator of proofs/coq/Mixture.v goes through the strata c, and in each
 * through the numbers r of others who answer at random elsewhere, in blocks of
 * the same threshold. Its hints are the windows of c and r and the blocks.
 */
#ifndef SHUF_CERTIFICATE_MIXTURE_HINTS_H
#define SHUF_CERTIFICATE_MIXTURE_HINTS_H

#include <stdio.h>

#include "../pair/pair.h"

typedef struct
{
    uint64_t N;
    int nothing;                 /* delta is 0, as Coq sees at once */
    double log_p, log_q;         /* c ~ Bin(N, p) */
    double log_rest, log_corest; /* r ~ Bin(N - c, rest) */
    /* the sign change is at ((c+1) per_count + r per_rest) 2^-scale; below t + near 2^-scale it counts as below t */
    ulong scale;
    fmpz_t per_count, per_rest, near;
    double cancelled; /* bits that subtractions of the parameters cost */
} mixture;

/* For computations of so many good bits; eps >= 0, 0 < gamma < 1. */
void mixture_init(mixture *m, const shuf_pair_t pair, const shuf_real_t eps, slong bits);
void mixture_clear(mixture *m);

/*
 * Writes the members "top" and "rows", so that what is left out is some exp(-accuracy) of a delta of
 * about exp(log_delta). Returns the number of rows to walk; stops where it exceeds most.
 */
uint64_t mixture_write(FILE *out, const mixture *m, double log_delta, double accuracy, uint64_t most);

#endif
