/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * chen24: the approximations of Chen, Cao, Ge (ICASSP 2024), which are not
 * bounds (doc/errata). E = e^eps0.
 */
#include "forms/forms.h"
#include "tradeoff/gdp.h"

static int in_range(const shuf_bound_query_struct *q)
{
    return q->n >= 2 && shuf_real_sgn(q->eps0) >= 0 && shuf_real_cmp_si(q->eps0, SHUF_MAX_EPSILON) <= 0;
}

/* v = 2 E order/(n-1) */
int form_chen24_renyi(arb_t v, const shuf_bound_query_struct *q, int variant, slong prec)
{
    arb_t t;
    (void) variant;
    if (!in_range(q) || shuf_real_cmp_si(q->point, 2) < 0)
        return 0;
    arb_init(t);
    shuf_real_exp(v, q->eps0, prec);
    shuf_real_get_arb(t, q->point, prec);
    arb_mul(v, v, t, prec);
    arb_mul_2exp_si(v, v, 1);
    arb_div_ui(v, v, q->n - 1, prec);
    arb_clear(t);
    return 1;
}

/* v = mu = 2 e^(eps0/2)/sqrt(n-1) */
int form_chen24_mu(arb_t v, const shuf_bound_query_struct *q, int variant, slong prec)
{
    arb_t t;
    (void) variant;
    if (!in_range(q))
        return 0;
    arb_init(t);
    shuf_real_get_arb(v, q->eps0, prec);
    arb_mul_2exp_si(v, v, -1);
    arb_exp(v, v, prec);
    arb_sqrt_ui(t, q->n - 1, prec);
    arb_div(v, v, t, prec);
    arb_mul_2exp_si(v, v, 1);
    arb_clear(t);
    return 1;
}

/* v = delta_mu(eps) of Gaussian DP */
int form_chen24_delta(arb_t v, const shuf_bound_query_struct *q, int variant, slong prec)
{
    arb_t mu, eps;
    (void) variant;
    if (shuf_real_sgn(q->point) < 0 || shuf_real_cmp_si(q->point, SHUF_MAX_EPSILON) > 0 || !in_range(q))
        return 0;
    arb_init(mu);
    arb_init(eps);
    form_chen24_mu(mu, q, 0, prec);
    shuf_real_get_arb(eps, q->point, prec);
    shuf_gdp_delta_arb(v, mu, eps, prec);
    arb_clear(mu);
    arb_clear(eps);
    return 1;
}

/* The eps where delta_mu falls to q->point: doubling, then bisection. */
SOLVE(form_chen24_solve)
{
    shuf_status status = SHUF_DOMAIN;
    arf_t lo, hi;
    int sign;
    if (!in_range(q) || shuf_real_sgn(q->point) <= 0 || shuf_real_cmp_si(q->point, 1) >= 0)
        return SHUF_DOMAIN;
    arf_init(lo);
    arf_init(hi);
    sign = form_compare(form, q, lo, options->digits);
    if (sign < 0) /* eps = 0 will do */
    {
        shuf_enclosure_zero(r);
        status = SHUF_OK;
    }
    arf_one(hi);
    while (sign > 0 && (sign = form_compare(form, q, hi, options->digits)) > 0)
    {
        arf_set(lo, hi);
        arf_mul_2exp_si(hi, hi, 1);
    }
    if (sign < 0 && status == SHUF_DOMAIN)
        status = form_bisect(r, lo, hi, form, q, options);
    arf_clear(lo);
    arf_clear(hi);
    return status;
}
