/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/factor.h"

void convolution_errors_init(convolution_errors *e)
{
    mag_init(e->rounding); mag_init(e->aliasing);
}

void convolution_errors_clear(convolution_errors *e)
{
    mag_clear(e->rounding); mag_clear(e->aliasing);
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
