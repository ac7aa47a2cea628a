/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * batch: noisy SGD, by how its batches are drawn (proofs/dpsgd.md).
 *
 * A step releases the sum of the clipped gradients of a batch plus Gaussian
 * noise, noise multiplier = its standard deviation over the clipping norm.
 * Neighbours: one record's gradient is 0, or any other (replaced), or those of all records of a user. An epoch is as many steps as `steps`
 * says.
 */
#ifndef SHUF_BATCH_H
#define SHUF_BATCH_H

#include <stdint.h>

#include "../flint_headers.h"
#include "strategy.h"

typedef enum
{
    SHUF_BATCH_FIXED,          /* a partition of the records into batches, known */
    SHUF_BATCH_POISSON,        /* each record takes part in each step with probability `rate` */
    SHUF_BATCH_BALLS_AND_BINS, /* each record takes part in one step of an epoch, at random, independently */
    SHUF_BATCH_SHUFFLE,        /* a partition by a random permutation of the records, anew for each epoch */
    SHUF_BATCH_ALLOCATION,     /* each record takes part in rate * steps of the steps of an epoch, at random, independently */
    SHUF_BATCH_WITHOUT_REPLACEMENT, /* each step takes rate * records of all, at random, independently; neighbours replace one */
    SHUF_BATCH_SAMPLERS
} shuf_batch_sampler;

typedef struct
{
    shuf_batch_sampler sampler;
    fmpq_t noise;   /* the noise multiplier, > 0 */
    uint64_t steps; /* of an epoch */
    uint64_t records; /* of a user, all of which neighbours remove or replace */
    uint64_t most, all; /* POISSON: of larger batches so many records are kept, of all records; 0: all are kept. WITHOUT_REPLACEMENT: all records, if a user has several */
    shuf_strategy_t strategy; /* FIXED, POISSON: how the noise of steps is correlated; `steps` are then all of a run, and each run has noise of its own */
    fmpq_t rate;    /* of a record in a step, 0 < rate <= 1: 1/steps but for POISSON, WITHOUT_REPLACEMENT, and ALLOCATION, where rate * steps is a whole number */
} shuf_batch_struct;

typedef shuf_batch_struct shuf_batch_t[1];

#define SHUF_BATCH_MAX_STEPS UINT64_C(1000000000) /* more are refused */
#define SHUF_BATCH_MAX_RECORDS 1000 /* more are refused */

/* Fixed batches, noise multiplier 1, one step. */
void shuf_batch_init(shuf_batch_t x);
void shuf_batch_clear(shuf_batch_t x);

typedef struct
{
    const char *name;
    const char *needs; /* what the data loader must do, a sentence */
} shuf_batch_facts;

const shuf_batch_facts *shuf_batch_about(shuf_batch_sampler sampler);

/* Whether the noise of its steps is correlated. */
int shuf_batch_has_strategy(const shuf_batch_t x);

/* Whether any rate goes with any number of steps. */
int shuf_batch_has_free_rate(shuf_batch_sampler sampler);

/* rate * steps, in so many steps of an epoch a record takes part (POISSON: on the average); 0 when it is no whole number. */
uint64_t shuf_batch_taking(const shuf_batch_t x);

#endif
