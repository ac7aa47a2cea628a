/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "noise/noise.h"

const char *const shuf_noise_names[SHUF_NOISE_KINDS] = {
    [SHUF_NOISE_GAUSSIAN] = "gaussian", [SHUF_NOISE_LAPLACE] = "laplace", [SHUF_NOISE_STAIRCASE] = "staircase", [SHUF_NOISE_DISCRETE_GAUSSIAN] = "discrete-gaussian",
    [SHUF_NOISE_DISCRETE_LAPLACE] = "discrete-laplace", [SHUF_NOISE_SKELLAM] = "skellam"
};

int shuf_noise_has_variance(shuf_noise_kind kind)
{
    return kind != SHUF_NOISE_LAPLACE && kind != SHUF_NOISE_STAIRCASE && kind != SHUF_NOISE_DISCRETE_LAPLACE;
}

void shuf_noise_init(shuf_noise_t x)
{
    x->kind = SHUF_NOISE_GAUSSIAN;
    fmpq_init(x->sensitivity);
    fmpq_one(x->sensitivity);
    x->dimension = 1;
    fmpz_init_set_ui(x->square, 1);
    fmpq_init(x->variance);
    shuf_real_init(x->loss);
    fmpq_init(x->gamma);
    fmpq_one(x->gamma);
    x->coins = 0;
    x->shares = x->honest = 1;
    fmpq_init(x->kept);
    fmpq_init(x->threshold);
}

void shuf_noise_clear(shuf_noise_t x)
{
    fmpq_clear(x->sensitivity);
    fmpz_clear(x->square);
    fmpq_clear(x->variance);
    shuf_real_clear(x->loss);
    fmpq_clear(x->gamma);
    fmpq_clear(x->kept);
    fmpq_clear(x->threshold);
}

void shuf_noise_set(shuf_noise_t x, const shuf_noise_t y)
{
    x->kind = y->kind;
    fmpq_set(x->sensitivity, y->sensitivity);
    x->dimension = y->dimension;
    fmpz_set(x->square, y->square);
    fmpq_set(x->variance, y->variance);
    shuf_real_set(x->loss, y->loss);
    fmpq_set(x->gamma, y->gamma);
    x->coins = y->coins;
    x->shares = y->shares;
    x->honest = y->honest;
    fmpq_set(x->kept, y->kept);
    fmpq_set(x->threshold, y->threshold);
}

int shuf_noise_is_whole(shuf_noise_kind kind)
{
    return kind >= SHUF_NOISE_DISCRETE_GAUSSIAN;
}

void shuf_noise_set_honest(shuf_noise_t x, const shuf_noise_t y)
{
    fmpz_t count;
    shuf_noise_set(x, y);
    x->coins = y->coins / y->shares * y->honest;
    x->shares = 1;
    if (y->kind != SHUF_NOISE_DISCRETE_GAUSSIAN)
        x->honest = 1;
    fmpz_init_set_ui(count, y->shares);
    fmpq_div_fmpz(x->variance, x->variance, count);
    fmpz_set_ui(count, y->honest);
    if (y->kind != SHUF_NOISE_DISCRETE_GAUSSIAN)
        fmpq_mul_fmpz(x->variance, x->variance, count);
    fmpz_clear(count);
}
