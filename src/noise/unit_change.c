/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "noise/unit_change.h"

#define UNIT_PREC 192 /* steers only */
#define UNIT_BITS 96  /* bits of the variance, which is rounded down; steers only */

/* v := 1/B^2, B = 2 Phi^-1((1 + p(0))/2), p(0) = e^-m I_0(m): Phi^-1((1 + p)/2) is sqrt(2) times the inverse of erf at p. */
static void of_skellam(arb_t v, const shuf_noise_t x)
{
    arb_t zero;
    arb_init(zero);
    arb_set_fmpq(v, x->variance, UNIT_PREC);
    arb_hypgeom_bessel_i_scaled(v, zero, v, UNIT_PREC);
    arb_hypgeom_erfinv(v, v, UNIT_PREC);
    arb_mul(v, v, v, UNIT_PREC);
    arb_mul_2exp_si(v, v, 3);
    arb_inv(v, v, UNIT_PREC);
    arb_clear(zero);
}

/* c := 1/(h v) + 2 (h-1) log((1 + w)/(1 - w)), w = 2q/(1 - q), q = e^(-pi^2 v), which bounds how concave the logarithm of the masses is. */
static void concavity(arb_t c, const shuf_noise_t x)
{
    arb_t q, w;
    arb_init(q);
    arb_init(w);
    arb_set_fmpq(c, x->variance, UNIT_PREC);
    if (x->honest > 1)
    {
        arb_const_pi(q, UNIT_PREC);
        arb_mul(q, q, q, UNIT_PREC);
        arb_mul(q, q, c, UNIT_PREC);
        arb_neg(q, q);
        arb_exp(q, q, UNIT_PREC);
        arb_sub_ui(w, q, 1, UNIT_PREC);
        arb_div(w, q, w, UNIT_PREC);
        arb_mul_2exp_si(w, w, 1); /* -w */
        arb_sub_ui(q, w, 1, UNIT_PREC);
        arb_div(w, w, q, UNIT_PREC); /* w/(1 + w) */
        arb_mul_2exp_si(w, w, 1);
        arb_neg(w, w);
        arb_log1p(w, w, UNIT_PREC); /* log((1 - w)/(1 + w)) */
        arb_mul_ui(w, w, x->honest - 1, UNIT_PREC);
        arb_mul_2exp_si(w, w, 1);
        arb_mul_ui(c, c, x->honest, UNIT_PREC);
    }
    arb_inv(c, c, UNIT_PREC);
    arb_sub(c, c, w, UNIT_PREC);
    arb_clear(q);
    arb_clear(w);
}

/* v := 1/B^2, B^2 - B^4/12 = c, which is (1 + sqrt(1 - c/3))/(2 c). Returns 0 if there is no such B. */
static int of_gaussian(arb_t v, const shuf_noise_t x)
{
    arb_t c;
    int result;
    arb_init(c);
    concavity(c, x);
    arb_div_ui(v, c, 3, UNIT_PREC);
    arb_sub_ui(v, v, 1, UNIT_PREC);
    arb_neg(v, v);
    result = arb_is_finite(v) && arb_is_positive(v);
    if (result)
    {
        arb_sqrt(v, v, UNIT_PREC);
        arb_add_ui(v, v, 1, UNIT_PREC);
        arb_div(v, v, c, UNIT_PREC);
        arb_mul_2exp_si(v, v, -1);
    }
    arb_clear(c);
    return result;
}

int noise_unit_variance(fmpq_t variance, const shuf_noise_t x)
{
    arb_t v;
    arf_t below;
    int result = 1;
    arb_init(v);
    arf_init(below);
    if (x->kind == SHUF_NOISE_SKELLAM)
        of_skellam(v, x);
    else
        result = of_gaussian(v, x);
    if (result)
    {
        arb_get_lbound_arf(below, v, UNIT_BITS);
        result = arf_is_finite(below) && arf_sgn(below) > 0;
    }
    if (result)
        arf_get_fmpq(variance, below);
    arb_clear(v);
    arf_clear(below);
    return result;
}

int noise_make_gaussian(shuf_noise_t x, int by_divergence)
{
    const int keeps = by_divergence && x->kind == SHUF_NOISE_DISCRETE_GAUSSIAN && x->honest == 1;
    if (!keeps && !noise_unit_variance(x->variance, x))
        return 0;
    fmpq_div_fmpz(x->variance, x->variance, x->square);
    x->kind = SHUF_NOISE_GAUSSIAN;
    x->honest = 1;
    fmpq_one(x->sensitivity);
    fmpz_one(x->square);
    return 1;
}
