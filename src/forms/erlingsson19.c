/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "forms/forms.h"

/* 0 < x <= 1/m */
static int in_unit_fraction(const shuf_real_t x, ulong m)
{
    fmpq_t fraction;
    shuf_real_t bound;
    int result;
    fmpq_init(fraction);
    shuf_real_init(bound);
    fmpq_set_ui(fraction, 1, m);
    shuf_real_set_fmpq(bound, fraction);
    result = shuf_real_sgn(x) > 0 && shuf_real_cmp(x, bound) <= 0;
    fmpq_clear(fraction);
    shuf_real_clear(bound);
    return result;
}

static int in_range(const shuf_bound_query_struct *q)
{
    return q->n >= 1000 && in_unit_fraction(q->eps0, 2);
}

/* 12 eps0 sqrt(log(1/delta)/n) */
int form_erlingsson19_epsilon(arb_t eps, const shuf_bound_query_struct *q, int variant, slong prec)
{
    arb_t t;
    (void) variant;
    if (!in_range(q) || !in_unit_fraction(q->point, 100))
        return 0;
    arb_init(t);
    shuf_real_get_arb(t, q->point, prec);
    arb_log(t, t, prec);
    arb_neg(t, t);
    arb_div_ui(t, t, q->n, prec);
    arb_sqrt(t, t, prec);
    shuf_real_get_arb(eps, q->eps0, prec);
    arb_mul(eps, eps, t, prec);
    arb_mul_ui(eps, eps, 12, prec);
    arb_clear(t);
    return 1;
}

/* exp(-n (eps/(12 eps0))^2) */
int form_erlingsson19_delta(arb_t delta, const shuf_bound_query_struct *q, int variant, slong prec)
{
    arb_t t;
    int result;
    (void) variant;
    if (!in_range(q) || shuf_real_sgn(q->point) <= 0)
        return 0;
    arb_init(t);
    shuf_real_get_arb(delta, q->point, prec);
    shuf_real_get_arb(t, q->eps0, prec);
    arb_div(delta, delta, t, prec);
    arb_div_ui(delta, delta, 12, prec);
    arb_mul(delta, delta, delta, prec);
    arb_mul_ui(delta, delta, q->n, prec);
    arb_log_ui(t, 100, prec);
    result = arb_ge(delta, t);
    shuf_ball_exp_minus(delta, delta, prec);
    arb_clear(t);
    return result;
}
