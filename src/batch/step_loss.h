/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * step_loss: the privacy loss of a Poisson step as a law of iidsum (internal). Statements and proofs: proofs/dpsgd.md, Lemmas 3, 4 and 6.
 */
#ifndef SHUF_BATCH_STEP_LOSS_H
#define SHUF_BATCH_STEP_LOSS_H

#include "../iidsum/iidsum.h"

/* P = N(mu, 1) with probability rate, else N(0, 1), against Q = N(0, 1); mu^2 = shift. */
typedef struct
{
    const fmpq *shift, *rate;
    int reverse; /* log(dQ/dP) under Q; else log(dP/dQ) under P */
    int cut;     /* its largest values may be cut off; not in reverse */
} step_loss;

/* Whether it has one: rate < 1, and mu is not so large that doubles would not do. */
int step_loss_exists(const fmpq_t shift, const fmpq_t rate);

/* The law of what x describes, which is to outlive it. It is for shuf_iidsum_hockey: it has tails only if it may be cut. */
void step_loss_law(shuf_summand *law, const step_loss *x);

#endif
