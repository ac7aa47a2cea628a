/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/convolve.h"

#include "pld/exact.h"
#include "pld/tilted.h"

struct convolution_struct
{
    enum { TILTED, EXACT } engine;
    tilted_sum_t tilted;
    exact_sum_t exact;
};

convolution *convolution_tilted(const grid_factor *factors, size_t count, double theta, int log2_length, int up)
{
    convolution *c = flint_malloc(sizeof(*c));
    c->engine = TILTED;
    if (tilted_sum_init(c->tilted, factors, count, theta, log2_length, up) == 0)
        return c;
    flint_free(c);
    return NULL;
}

convolution *convolution_exact(const grid_factor *factors, size_t count, slong bits, int up, double deadline)
{
    convolution *c = flint_malloc(sizeof(*c));
    c->engine = EXACT;
    if (exact_sum_init(c->exact, factors, count, bits, up, deadline) == 0)
        return c;
    flint_free(c);
    return NULL;
}

void convolution_free(convolution *c)
{
    if (c == NULL)
        return;
    if (c->engine == TILTED)
        tilted_sum_clear(c->tilted);
    else
        exact_sum_clear(c->exact);
    flint_free(c);
}

void convolution_errors_init(convolution_errors *e)
{
    mag_init(e->rounding);
    mag_init(e->aliasing);
    mag_init(e->infinite);
}

void convolution_errors_clear(convolution_errors *e)
{
    mag_clear(e->rounding);
    mag_clear(e->aliasing);
    mag_clear(e->infinite);
}

void convolution_delta(arf_t bound, convolution_errors *errors, const convolution *c, const shuf_real_t eps, int tail)
{
    if (c->engine == TILTED)
        tilted_sum_delta(bound, errors, c->tilted, eps, tail);
    else
        exact_sum_delta(bound, errors, c->exact, eps, tail);
}

/* ceil(eps/step), decided exactly */
static void steps_above(fmpz_t k, const shuf_real_t eps, slong log2_step)
{
    if (eps->is_log && !fmpq_is_one(eps->q))
    {
        /* irrational: some precision shows between which nodes it lies */
        slong prec;
        arb_t x;
        arb_init(x);
        for (prec = 128;; prec *= 2)
        {
            shuf_real_get_arb(x, eps, prec);
            arb_mul_2exp_si(x, x, -log2_step);
            arb_ceil(x, x, prec);
            if (arb_get_unique_fmpz(k, x))
                break;
        }
        arb_clear(x);
    }
    else if (eps->is_log)
    {
        fmpz_zero(k);
    }
    else
    {
        fmpq_t x;
        fmpq_init(x);
        if (log2_step < 0)
            fmpq_mul_2exp(x, eps->q, (flint_bitcnt_t) -log2_step);
        else
            fmpq_div_2exp(x, eps->q, (flint_bitcnt_t) log2_step);
        fmpz_cdiv_q(k, fmpq_numref(x), fmpq_denref(x));
        fmpq_clear(x);
    }
}

void convolution_first_index(fmpz_t index, const shuf_real_t eps, slong log2_step, const fmpz_t origin)
{
    steps_above(index, eps, log2_step);
    fmpz_sub(index, index, origin);
    if (fmpz_sgn(index) < 0)
        fmpz_zero(index);
}
