/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The privacy blanket with the inequalities of Hoeffding and of Bennett:
 * proofs/balle19.md. E_M over M ~ Bin(n, gamma) is the generating function
 * of the binomial law, so both are closed forms in eps.
 */
#include "forms/forms.h"

#define MAX_EPS0 1000 /* larger ones are refused */

/* What is known of the blanket and of the variable l that is summed. */
typedef struct
{
    arb_t a;          /* e^eps - 1, minus the mean of l */
    arb_t gamma;      /* blanket probability */
    arb_t complement; /* 1 - gamma */
    arb_t range;      /* max l - min l is at most this */
    arb_t top;        /* l is at most this */
    arb_t square;     /* E l^2 is at most this */
} blanket;

static void blanket_init(blanket *b)
{
    arb_init(b->a); arb_init(b->gamma); arb_init(b->complement);
    arb_init(b->range); arb_init(b->top); arb_init(b->square);
}

static void blanket_clear(blanket *b)
{
    arb_clear(b->a); arb_clear(b->gamma); arb_clear(b->complement);
    arb_clear(b->range); arb_clear(b->top); arb_clear(b->square);
}

/* Any eps0-LDP randomiser: gamma = 1/E. */
static void blanket_generic(blanket *b, const shuf_bound_query_struct *q, slong prec)
{
    arb_t alpha, E, t;
    arb_init(alpha); arb_init(E); arb_init(t);
    shuf_real_get_arb(t, q->point, prec);
    arb_expm1(b->a, t, prec);
    arb_add_ui(alpha, b->a, 1, prec);
    shuf_real_exp(E, q->eps0, prec);
    arb_inv(b->gamma, E, prec);
    shuf_real_get_arb(t, q->eps0, prec);
    arb_neg(t, t);
    arb_expm1(t, t, prec);
    arb_neg(b->complement, t);
    /* (alpha+1)(E - 1/E) */
    arb_sub(b->range, E, b->gamma, prec);
    arb_add_ui(t, alpha, 1, prec);
    arb_mul(b->range, b->range, t, prec);
    /* E - alpha/E */
    arb_mul(t, alpha, b->gamma, prec);
    arb_sub(b->top, E, t, prec);
    /* E (alpha^2+1) - 2 alpha/E^3 */
    arb_mul(b->square, alpha, alpha, prec);
    arb_add_ui(b->square, b->square, 1, prec);
    arb_mul(b->square, b->square, E, prec);
    arb_mul(t, t, b->gamma, prec);
    arb_mul(t, t, b->gamma, prec);
    arb_submul_ui(b->square, t, 2, prec);
    arb_clear(alpha); arb_clear(E); arb_clear(t);
}

/* k-RR: gamma = k/(E+k-1). */
static void blanket_krr(blanket *b, const shuf_bound_query_struct *q, slong prec)
{
    arb_t alpha, t;
    arb_init(alpha); arb_init(t);
    shuf_real_get_arb(t, q->point, prec);
    arb_expm1(b->a, t, prec);
    arb_add_ui(alpha, b->a, 1, prec);
    shuf_real_get_arb(t, q->eps0, prec);
    arb_expm1(b->complement, t, prec);
    arb_add_ui(t, b->complement, q->k, prec);
    arb_div(b->complement, b->complement, t, prec);
    arb_ui_div(b->gamma, q->k, t, prec);
    /* (1-gamma) k - gamma a */
    arb_mul_ui(t, b->complement, q->k, prec);
    arb_mul(b->top, b->gamma, b->a, prec);
    arb_sub(b->top, t, b->top, prec);
    /* (1-gamma) k (alpha+1) */
    arb_add_ui(b->range, alpha, 1, prec);
    arb_mul(b->range, b->range, t, prec);
    /* gamma (2-gamma) a^2 + (1-gamma)^2 k (alpha^2+1) */
    arb_mul(t, t, b->complement, prec);
    arb_mul(alpha, alpha, alpha, prec);
    arb_add_ui(alpha, alpha, 1, prec);
    arb_mul(t, t, alpha, prec);
    arb_add_ui(b->square, b->complement, 1, prec);
    arb_mul(b->square, b->square, b->gamma, prec);
    arb_mul(b->square, b->square, b->a, prec);
    arb_mul(b->square, b->square, b->a, prec);
    arb_add(b->square, b->square, t, prec);
    arb_clear(alpha); arb_clear(t);
}

/* range^2/(4 a) (1 - gamma + gamma exp(-2 a^2/range^2))^n / (gamma n) */
static void hoeffding(arb_t delta, const blanket *b, uint64_t n, slong prec)
{
    arb_t s, t;
    arb_init(s); arb_init(t);
    arb_div(s, b->a, b->range, prec);
    arb_mul(s, s, s, prec);
    arb_mul_2exp_si(s, s, 1);
    arb_neg(s, s);
    arb_expm1(s, s, prec);
    arb_mul(s, s, b->gamma, prec);
    arb_log1p(s, s, prec);
    arb_mul_ui(s, s, n, prec);
    arb_exp(s, s, prec);
    arb_mul(t, b->range, b->range, prec);
    arb_mul(s, s, t, prec);
    arb_mul_2exp_si(s, s, -2);
    arb_mul(t, b->a, b->gamma, prec);
    arb_mul_ui(t, t, n, prec);
    arb_div(delta, s, t, prec);
    arb_clear(s); arb_clear(t);
}

/*
 * top/log(1+u) ((1 - gamma + gamma exp(-kappa))^n - (1-gamma)^n) / (gamma n),
 * u = a top/square, kappa = square/top^2 ((1+u) log(1+u) - u)
 */
static void bennett(arb_t delta, const blanket *b, uint64_t n, slong prec)
{
    arb_t u, rate, kappa, t;
    arb_init(u); arb_init(rate); arb_init(kappa); arb_init(t);
    arb_mul(u, b->a, b->top, prec);
    arb_div(u, u, b->square, prec);
    arb_log1p(rate, u, prec);
    arb_add_ui(t, u, 1, prec);
    arb_mul(kappa, t, rate, prec);
    arb_sub(kappa, kappa, u, prec);
    arb_mul(kappa, kappa, b->square, prec);
    arb_mul(t, b->top, b->top, prec);
    arb_div(kappa, kappa, t, prec);
    /* the difference is (1-gamma)^n expm1(n log(1 + gamma exp(-kappa)/(1-gamma))) */
    arb_neg(kappa, kappa);
    arb_exp(t, kappa, prec);
    arb_mul(t, t, b->gamma, prec);
    arb_div(t, t, b->complement, prec);
    arb_log1p(t, t, prec);
    arb_mul_ui(t, t, n, prec);
    arb_expm1(t, t, prec);
    arb_log(u, b->complement, prec);
    arb_mul_ui(u, u, n, prec);
    arb_exp(u, u, prec);
    arb_mul(t, t, u, prec);
    arb_mul(t, t, b->top, prec);
    arb_div(t, t, rate, prec);
    arb_div(t, t, b->gamma, prec);
    arb_div_ui(delta, t, n, prec);
    arb_clear(u); arb_clear(rate); arb_clear(kappa); arb_clear(t);
}

/* delta at eps = q->point, 0 < eps < eps0, at most 1 */
int form_balle19_delta(arb_t delta, const shuf_bound_query_struct *q, int variant, slong prec)
{
    int is_krr = variant == BALLE19_HOEFFDING_KRR || variant == BALLE19_BENNETT_KRR;
    blanket b;
    arb_t one;
    if (shuf_real_sgn(q->point) <= 0 || shuf_real_cmp(q->point, q->eps0) >= 0
        || shuf_real_cmp_si(q->eps0, MAX_EPS0) > 0 || (is_krr && q->k < 2))
        return 0;
    blanket_init(&b);
    arb_init(one);
    if (is_krr)
        blanket_krr(&b, q, prec);
    else
        blanket_generic(&b, q, prec);
    if (variant == BALLE19_HOEFFDING || variant == BALLE19_HOEFFDING_KRR)
        hoeffding(delta, &b, q->n, prec);
    else
        bennett(delta, &b, q->n, prec);
    arb_one(one);
    arb_min(delta, delta, one, prec);
    blanket_clear(&b);
    arb_clear(one);
    return 1;
}

/*
 * An eps < (1 - 2^-20) eps0 at which the bound falls to delta = q->point:
 * halve from there until the bound is larger (it tends to infinity at 0).
 */
SOLVE(form_balle19_solve)
{
    arf_t lo, hi;
    shuf_status status = SHUF_DOMAIN;
    int sign;

    if (shuf_real_sgn(q->eps0) <= 0 || shuf_real_sgn(q->point) <= 0 || shuf_real_cmp_si(q->point, 1) >= 0)
        return SHUF_DOMAIN;
    arf_init(lo); arf_init(hi);
    shuf_real_end(lo, q->eps0, 0, 64);
    arf_mul_2exp_si(hi, lo, -20);
    arf_sub(lo, lo, hi, 64, ARF_RND_DOWN);
    sign = form_compare(form, q, lo, options->digits);
    if (sign < 0)
    {
        while (sign < 0)
        {
            arf_set(hi, lo);
            arf_mul_2exp_si(lo, lo, -1);
            sign = form_compare(form, q, lo, options->digits);
        }
        if (sign > 0)
            status = form_bisect(r, lo, hi, form, q, options);
    }
    arf_clear(lo); arf_clear(hi);
    return status;
}
