/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Binary randomised response by its users who answer at random: proofs/cheu19.md. */
#include "forms/forms.h"

/* s := l - sqrt(2 l log(2/delta)), l = 2n/(E+1), log4 := log(4/delta); 1 where l is certainly at least 14 log(4/delta), else 0. */
static int least_blind(arb_t s, arb_t log4, const shuf_bound_query_struct *q, slong prec)
{
    arb_t mean, t;
    int inside;
    arb_init(mean); arb_init(t);
    shuf_real_exp(mean, q->eps0, prec);
    arb_add_ui(mean, mean, 1, prec);
    arb_ui_div(mean, q->n, mean, prec);
    arb_mul_2exp_si(mean, mean, 1);
    shuf_real_get_arb(t, q->point, prec);
    arb_log(t, t, prec);
    arb_log_ui(log4, 4, prec);
    arb_sub(log4, log4, t, prec);
    arb_mul_ui(s, log4, 14, prec);
    inside = arb_ge(mean, s);
    arb_log_ui(s, 2, prec);
    arb_sub(s, s, t, prec);
    arb_mul(s, s, mean, prec);
    arb_mul_2exp_si(s, s, 1);
    arb_sqrt(s, s, prec);
    arb_sub(s, mean, s, prec);
    arb_clear(mean); arb_clear(t);
    return inside;
}

/* sqrt(32 log(4/delta)/s) (1 - s/n) */
int form_cheu19_epsilon(arb_t eps, const shuf_bound_query_struct *q, int variant, slong prec)
{
    arb_t s, t;
    int inside;
    (void) variant;
    if (q->k != 2 || shuf_real_sgn(q->eps0) < 0 || shuf_real_sgn(q->point) <= 0 || shuf_real_cmp_si(q->point, 1) >= 0)
        return 0;
    arb_init(s); arb_init(t);
    inside = least_blind(s, t, q, prec);
    arb_div(t, t, s, prec);
    arb_mul_2exp_si(t, t, 5);
    arb_sqrt(t, t, prec);
    arb_div_ui(s, s, q->n, prec);
    shuf_ball_complement(s, s, prec);
    arb_mul(eps, s, t, prec);
    arb_clear(s); arb_clear(t);
    return inside;
}
