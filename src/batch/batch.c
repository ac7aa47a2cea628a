/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "batch/batch.h"

void shuf_batch_init(shuf_batch_t x)
{
    x->sampler = SHUF_BATCH_FIXED;
    x->steps = 1;
    fmpq_init(x->noise);
    fmpq_one(x->noise);
    fmpq_init(x->rate);
    fmpq_one(x->rate);
}

void shuf_batch_clear(shuf_batch_t x)
{
    fmpq_clear(x->noise);
    fmpq_clear(x->rate);
}

const char *shuf_batch_sampler_name(shuf_batch_sampler sampler)
{
    static const char *const names[SHUF_BATCH_SAMPLERS] = {
        [SHUF_BATCH_FIXED] = "fixed", [SHUF_BATCH_POISSON] = "poisson", [SHUF_BATCH_BALLS_AND_BINS] = "balls-and-bins",
        [SHUF_BATCH_SHUFFLE] = "shuffle"
    };
    return names[sampler];
}
