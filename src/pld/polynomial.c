/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/polynomial.h"

#include "enclosure/doubles.h"

#define PREC 128 /* steers only */

void polynomial_init(polynomial_struct *p, slong count, double step, const arf_t centre)
{
    p->count = count;
    p->re = flint_calloc(2 * (size_t) count, sizeof(double));
    p->im = p->re + count;
    p->step = step;
    arf_init(p->centre);
    arf_set(p->centre, centre);
    p->error = p->slope = 0;
}

void polynomial_clear(polynomial_struct *p)
{
    flint_free(p->re);
    arf_clear(p->centre);
}

void polynomial_set(polynomial_struct *p, slong k, double re, double im, double modulus, double off)
{
    p->re[k] = re;
    p->im[k] = im;
    p->error += off + (POLYNOMIAL_POWER_ROUNDINGS * (double) k + POLYNOMIAL_OTHER_ROUNDINGS) * ROUNDOFF * modulus;
    p->slope += modulus * (double) k * p->step;
}

void polynomial_finish(polynomial_struct *p)
{
    p->error = p->error * (1 + 1e-6) + 0x1p-900;
    p->slope *= 1 + 1e-6;
}

void polynomial_period(arb_t W, double step, slong prec)
{
    arb_t t;
    arb_init(t);
    arb_const_pi(W, prec);
    arb_mul_2exp_si(W, W, 1);
    arb_set_d(t, step);
    arb_div(W, W, t, prec);
    arb_clear(t);
}

void polynomial_value(arb_t value, const polynomial_struct *p, const arb_t K)
{
    double at, c, s, re = 0, im = 0;
    arb_t t, d;
    arf_t error;
    slong k;
    arb_init(t); arb_init(d); arf_init(error);
    /* at := K - centre, nearly */
    arf_sub(arb_midref(t), arb_midref(K), p->centre, ARF_PREC_EXACT, ARF_RND_DOWN);
    at = estimate(t);
    arb_set_d(d, at);
    arb_add_arf(d, d, p->centre, ARF_PREC_EXACT);
    arb_sub(d, d, K, PREC);
    arb_get_mag(arb_radref(t), d);
    arf_set_mag(error, arb_radref(t));
    /* z, parts within 1.01 roundoffs of 1 */
    arb_set_d(t, at);
    arb_set_d(d, -p->step);
    arb_mul(t, t, d, ARF_PREC_EXACT);
    arb_sin_cos(t, d, t, PREC);
    s = estimate(t);
    c = estimate(d);
    for (k = p->count - 1; k >= 0; k--)
    {
        double u = re * c - im * s;
        im = re * s + im * c + p->im[k];
        re = u + p->re[k];
    }
    arb_set_d(value, re);
    arb_set_d(t, p->slope);
    arb_mul_arf(t, t, error, PREC);
    arb_set_d(d, p->error);
    arb_add(t, t, d, PREC);
    arb_add_error(value, t);
    arb_clear(t); arb_clear(d); arf_clear(error);
}
