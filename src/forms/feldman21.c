/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "forms/forms.h"

/* No region contains a larger eps0: e^100 is more than 10^18 users. Larger ones are refused. */
#define MAX_EPS0 100
#define MAX_EPS 1000

/*
 * All of them say eps = log(1 + w (8 sqrt(log(4/delta)/(p n)) + 8/(p n))):
 * Theorem 3.1 with w = (E-1)/(E+1), p = 1/E, Lemma 3.2 with w = 1, p = 1/E,
 * Theorem 4.1 with w = (E-1)/(E+1), p = 1/(3E) (the paper's own choice for all
 * eps0-LDP randomisers) and Corollary 4.2 with w = (E-1)/(E+k-1),
 * p = k/((k+1)(E+k-1)).
 */
static int is_krr(int variant)
{
    return variant == FELDMAN21_42 || variant == FELDMAN21_42_AS_PRINTED;
}

static void mixture(arb_t w, arb_t inverse_p, const shuf_bound_query_struct *q, int variant, slong prec)
{
    arb_t t;
    arb_init(t);
    shuf_real_get_arb(t, q->eps0, prec);
    if (!is_krr(variant))
    {
        arb_mul_2exp_si(t, t, -1);
        arb_tanh(w, t, prec);
        if (variant == FELDMAN21_LEMMA_32)
            arb_one(w);
        shuf_real_exp(inverse_p, q->eps0, prec);
        if (variant == FELDMAN21_41)
            arb_mul_ui(inverse_p, inverse_p, 3, prec);
    }
    else
    {
        arb_expm1(w, t, prec);
        arb_add_ui(t, w, q->k, prec);
        arb_div(w, w, t, prec);
        arb_div_ui(inverse_p, t, q->k, prec);
        arb_add(inverse_p, inverse_p, t, prec);
    }
    arb_clear(t);
}

/*
 * Whether the condition on n is certain, given L = log(4/delta): 16 E L <= n,
 * 8 log(2/delta)/p <= n, or 16 E log(2/delta) <= n as printed.
 */
static int enough_users(const arb_t L, const arb_t inverse_p, const shuf_bound_query_struct *q, int variant,
                        slong prec)
{
    arb_t t, needed;
    int result;
    arb_init(t);
    arb_init(needed);
    arb_set(needed, L);
    if (variant != FELDMAN21_31)
    {
        arb_const_log2(t, prec);
        arb_sub(needed, needed, t, prec);
    }
    if (variant == FELDMAN21_42)
        arb_set(t, inverse_p);
    else
        shuf_real_exp(t, q->eps0, prec);
    arb_mul(needed, needed, t, prec);
    arb_mul_2exp_si(needed, needed, variant == FELDMAN21_42 ? 3 : 4);
    arb_sub_ui(needed, needed, q->n, prec);
    result = arb_is_nonpositive(needed);
    arb_clear(t);
    arb_clear(needed);
    return result;
}

static int in_range(const shuf_bound_query_struct *q, int variant)
{
    return shuf_real_sgn(q->eps0) >= 0 && shuf_real_cmp_si(q->eps0, MAX_EPS0) <= 0
        && (!is_krr(variant) || q->k >= 2);
}

/* eps at delta = q->point */
int form_feldman21_epsilon(arb_t eps, const shuf_bound_query_struct *q, int variant, slong prec)
{
    arb_t w, inverse_p, L, t;
    int result;

    if (!in_range(q, variant) || shuf_real_sgn(q->point) <= 0 || shuf_real_cmp_si(q->point, 1) > 0)
        return 0;
    arb_init(w); arb_init(inverse_p); arb_init(L); arb_init(t);
    mixture(w, inverse_p, q, variant, prec);
    shuf_real_get_arb(t, q->point, prec);
    arb_log(t, t, prec);
    arb_log_ui(L, 4, prec);
    arb_sub(L, L, t, prec);
    result = enough_users(L, inverse_p, q, variant, prec);
    arb_div_ui(inverse_p, inverse_p, q->n, prec);
    arb_mul(t, inverse_p, L, prec);
    arb_sqrt(t, t, prec);
    arb_add(t, t, inverse_p, prec);
    arb_mul_2exp_si(t, t, 3);
    arb_mul(t, t, w, prec);
    arb_log1p(eps, t, prec);
    arb_clear(w); arb_clear(inverse_p); arb_clear(L); arb_clear(t);
    return result;
}

/* delta at eps = q->point: 4 exp(-x^2), x = sqrt(p n)/8 ((e^eps-1)/w - 8/(p n)) */
int form_feldman21_delta(arb_t delta, const shuf_bound_query_struct *q, int variant, slong prec)
{
    arb_t w, inverse_p, x, L, t;
    int result;

    if (!in_range(q, variant) || shuf_real_sgn(q->eps0) == 0 || shuf_real_sgn(q->point) < 0
        || shuf_real_cmp_si(q->point, MAX_EPS) > 0)
        return 0;
    arb_init(w); arb_init(inverse_p); arb_init(x); arb_init(L); arb_init(t);
    mixture(w, inverse_p, q, variant, prec);
    shuf_real_get_arb(x, q->point, prec);
    arb_expm1(x, x, prec);
    arb_div(x, x, w, prec);
    arb_mul_2exp_si(x, x, -3);
    arb_div_ui(t, inverse_p, q->n, prec);
    arb_sub(x, x, t, prec);
    result = arb_is_positive(x);
    arb_mul(L, x, x, prec);
    arb_div(L, L, t, prec); /* log(4/delta) */
    arb_log_ui(t, 4, prec);
    result = result && arb_ge(L, t) && enough_users(L, inverse_p, q, variant, prec);
    shuf_ball_exp_minus(t, L, prec);
    arb_mul_2exp_si(delta, t, 2);
    arb_clear(w); arb_clear(inverse_p); arb_clear(x); arb_clear(L); arb_clear(t);
    return result;
}

/* Theorem 3.8's whole delta at eps = q->point: that of Theorem 3.1, and (e^eps+1)(1+1/(2E)) n delta0. */
FORMULA(form_feldman21_38_delta)
{
    arb_t t, u;
    (void) variant;

    if (shuf_real_sgn(q->delta0) < 0 || !form_feldman21_delta(value, q, FELDMAN21_31_AS_PRINTED, prec))
        return 0;
    arb_init(t);
    arb_init(u);
    shuf_real_exp(t, q->point, prec);
    arb_add_ui(t, t, 1, prec);
    shuf_real_exp(u, q->eps0, prec);
    arb_mul_2exp_si(u, u, 1);
    arb_inv(u, u, prec);
    arb_add_ui(u, u, 1, prec);
    arb_mul(t, t, u, prec);
    arb_mul_ui(t, t, q->n, prec);
    shuf_real_get_arb(u, q->delta0, prec);
    arb_mul(t, t, u, prec);
    arb_add(value, value, t, prec);
    arb_one(u);
    arb_min(value, value, u, prec);
    arb_clear(t);
    arb_clear(u);
    return 1;
}

/*
 * The smallest eps whose whole delta is at most q->point. At the eps of
 * Theorem 3.1 for that delta, nothing is left for delta0; from there steps
 * of doubling length look for an eps that will do. That delta is convex in
 * e^eps, so a point above the target followed by one below brackets the
 * first crossing.
 */
SOLVE(form_feldman21_38_solve)
{
    static const shuf_bound_form pure = { "feldman21-3.1-as-printed", SHUF_BOUND_EPSILON, 0, 0, 0, form_feldman21_epsilon, FELDMAN21_31_AS_PRINTED, NULL };
    shuf_enclosure_t start;
    arf_t lo, hi, step;
    shuf_status status;
    int sign = 0;
    slong prec = 64 + 4 * options->digits;

    if (shuf_real_sgn(q->eps0) <= 0)
        return SHUF_DOMAIN;
    shuf_enclosure_init(start);
    arf_init(lo); arf_init(hi); arf_init(step);
    status = form_refine(start, &pure, q, options);
    if (status != SHUF_DOMAIN)
    {
        arf_set(hi, start->lo);
        arf_mul_2exp_si(step, hi, -2 * options->digits);
        do
        {
            arf_set(lo, hi);
            arf_add(hi, hi, step, prec, ARF_RND_UP);
            arf_mul_2exp_si(step, step, 1);
            sign = form_compare(form, q, hi, options->digits);
        } while (sign > 0);
        status = sign < 0 ? form_bisect(r, lo, hi, form, q, options) : SHUF_DOMAIN;
    }
    shuf_enclosure_clear(start);
    arf_clear(lo); arf_clear(hi); arf_clear(step);
    return status;
}
