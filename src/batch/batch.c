/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "batch/batch.h"

void shuf_batch_init(shuf_batch_t x)
{
    x->sampler = SHUF_BATCH_FIXED;
    x->steps = 1;
    x->records = 1;
    x->most = x->all = 0;
    fmpq_init(x->noise);
    fmpq_one(x->noise);
    fmpq_init(x->rate);
    fmpq_one(x->rate);
    shuf_strategy_init(x->strategy);
}

void shuf_batch_clear(shuf_batch_t x)
{
    fmpq_clear(x->noise);
    fmpq_clear(x->rate);
    shuf_strategy_clear(x->strategy);
}

const shuf_batch_facts *shuf_batch_about(shuf_batch_sampler sampler)
{
    static const shuf_batch_facts facts[SHUF_BATCH_SAMPLERS] = {
        [SHUF_BATCH_FIXED] = { "fixed", "The loader puts each record into one batch of an epoch; which one may be known." },
        [SHUF_BATCH_POISSON] = { "poisson", "The loader puts each record into each batch with the sampling rate, independently; "
                                 "batches vary in size." },
        [SHUF_BATCH_BALLS_AND_BINS] = { "balls-and-bins", "The loader puts each record into one batch of each epoch, drawn independently; "
                                        "batches vary in size." },
        [SHUF_BATCH_SHUFFLE] = { "shuffle", "The loader permutes all records anew for each epoch and cuts them into batches of equal size, "
                                 "with none left over." },
        [SHUF_BATCH_ALLOCATION] = { "random-allocation", "The loader puts each record into sampling rate times steps of the batches of each epoch, "
                                    "drawn independently; give both options." },
        [SHUF_BATCH_WITHOUT_REPLACEMENT] = { "without-replacement", "The loader draws each batch anew from all records, of a fixed size, without "
                                             "replacement; neighbours replace a record." }
    };
    return &facts[sampler];
}

int shuf_batch_has_strategy(const shuf_batch_t x)
{
    return x->strategy->kind != SHUF_STRATEGY_NONE;
}

int shuf_batch_has_free_rate(shuf_batch_sampler sampler)
{
    return sampler == SHUF_BATCH_POISSON || sampler == SHUF_BATCH_WITHOUT_REPLACEMENT;
}

uint64_t shuf_batch_taking(const shuf_batch_t x)
{
    uint64_t taking;
    fmpz_t steps;
    fmpq_t product;
    fmpz_init_set_ui(steps, x->steps);
    fmpq_init(product);
    fmpq_mul_fmpz(product, x->rate, steps);
    taking = fmpz_is_one(fmpq_denref(product)) && fmpz_abs_fits_ui(fmpq_numref(product)) ? fmpz_get_ui(fmpq_numref(product)) : 0;
    fmpz_clear(steps);
    fmpq_clear(product);
    return taking;
}
