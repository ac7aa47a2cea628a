/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * girgis21: the Renyi bounds of Girgis, Data, Diggavi, Suresh, Kairouz (CCS
 * 2021), and the one of Erlingsson et al. that they compare with. Proofs, with
 * a sharper tail term and for adaptive randomisers: proofs/girgis21.md.
 * E = e^eps0. Theorems 3.7 and 7.1 are about n users with equal values.
 */
#include "forms/forms.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "enclosure/steer.h"
#include "pair/pair.h"
#include "renyi/renyi.h"

/* Larger orders are refused. */
#define MAX_ORDER 1000000000000000000

/* Terms of the sum in Theorem 3.1; n, or else the order, in Theorem 3.4; more are refused. */
#define MAX_TERMS 1000000
#define MAX_OUTCOMES 200000
#define MAX_MOMENTS 5000

/* Theorem 3.6: larger eps0 are refused, whose rational numbers have too many digits. */
#define MAX_REDUCED_EPSILON 1000

/*
 * Floors are of numbers below 2^64: from twice as many bits on, which leave a chance of 2^-64 that one is open, to where
 * only adverse parameters leave it open, which are refused. Steer only.
 */
#define FLOOR_PREC 128
#define MAX_FLOOR_PREC 65536

/* For what any value is valid of: a sum refused, a gamma chosen. */
#define ROUGH_PREC 64

/* ---- parameters ---- */

typedef struct
{
    const shuf_bound_query_struct *q;
    int sharp;         /* the tail of proofs/girgis21.md, else the paper's */
    shuf_real_t gamma; /* the share of the expected clones given up */
    fmpz_t blocks;     /* n_bar */
    ulong low;         /* the integer at or below the order */
    int between;       /* the order is not an integer */
} girgis_struct;

static int order_in_range(const shuf_bound_query_struct *q)
{
    return shuf_real_cmp_si(q->point, 1) > 0 && shuf_real_cmp_si(q->point, MAX_ORDER) <= 0;
}

static int users_and_eps0_in_range(const shuf_bound_query_struct *q)
{
    return q->n >= 1 && shuf_real_sgn(q->eps0) >= 0 && shuf_real_cmp_si(q->eps0, SHUF_MAX_EPSILON) <= 0;
}

/* Whether the order is an integer from 2 to max, and which. */
static int integer_order(ulong *order, const shuf_bound_query_struct *q, ulong max)
{
    const shuf_real_struct *x = q->point;
    if (x->is_log || !fmpz_is_one(fmpq_denref(x->q)) || fmpz_cmp_ui(fmpq_numref(x->q), 2) < 0
        || fmpz_cmp_ui(fmpq_numref(x->q), max) > 0)
        return 0;
    *order = fmpz_get_ui(fmpq_numref(x->q));
    return 1;
}

/* The integers around an order in range; 0 if they cannot be decided. */
static int split_order(girgis_struct *g)
{
    const shuf_real_struct *x = g->q->point;
    fmpz_t low;
    arb_t t;
    slong prec;
    int decided = !x->is_log;

    fmpz_init(low);
    arb_init(t);
    if (decided)
        fmpz_fdiv_q(low, fmpq_numref(x->q), fmpq_denref(x->q));
    for (prec = FLOOR_PREC; !decided && prec <= MAX_FLOOR_PREC; prec *= 2)
    {
        shuf_real_get_arb(t, x, prec);
        arb_floor(t, t, prec);
        decided = arb_get_unique_fmpz(low, t);
    }
    g->low = fmpz_get_ui(low);
    g->between = x->is_log || !fmpz_is_one(fmpq_denref(x->q));
    fmpz_clear(low);
    arb_clear(t);
    return decided;
}

/* n_bar = floor((1-gamma)(n-1)/E) + 1; 0 if it cannot be decided. */
static int count_blocks(girgis_struct *g)
{
    const shuf_real_struct *eps0 = g->q->eps0;
    arb_t t, E;
    fmpq_t x;
    slong prec;
    int decided = eps0->is_log && !g->gamma->is_log;

    arb_init(t); arb_init(E); fmpq_init(x);
    if (decided) /* all is rational: the floor may be hit exactly */
    {
        fmpz_sub(fmpq_numref(x), fmpq_denref(g->gamma->q), fmpq_numref(g->gamma->q));
        fmpz_mul_ui(fmpq_numref(x), fmpq_numref(x), g->q->n - 1);
        fmpz_set(fmpq_denref(x), fmpq_denref(g->gamma->q));
        fmpq_canonicalise(x);
        fmpq_div(x, x, eps0->q);
        fmpz_fdiv_q(g->blocks, fmpq_numref(x), fmpq_denref(x));
    }
    for (prec = FLOOR_PREC; !decided && prec <= MAX_FLOOR_PREC; prec *= 2)
    {
        shuf_real_exp(E, eps0, prec);
        shuf_real_get_arb(t, g->gamma, prec);
        shuf_ball_complement(t, t, prec);
        arb_mul_ui(t, t, g->q->n - 1, prec);
        arb_div(t, t, E, prec);
        arb_floor(t, t, prec);
        decided = arb_get_unique_fmpz(g->blocks, t);
    }
    fmpz_add_ui(g->blocks, g->blocks, 1);
    arb_clear(t); arb_clear(E); fmpq_clear(x);
    return decided;
}

/* ---- Theorem 3.1 ---- */

/* z2 = (E^2-1)^2/(2 E^2 n_bar) = 2 sinh(eps0)^2/n_bar */
static void square_z(arb_t z2, const girgis_struct *g, slong prec)
{
    shuf_real_get_arb(z2, g->q->eps0, prec);
    arb_sinh(z2, z2, prec);
    arb_sqr(z2, z2, prec);
    arb_mul_2exp_si(z2, z2, 1);
    arb_div_fmpz(z2, z2, g->blocks, prec);
}

/*
 * v = C(order,2)(E-1)^2/(n_bar E) + sum_{i=3}^order C(order,i) i Gamma(i/2) z^i.
 * The terms t_i satisfy t_{i+2} = t_i (order-i)(order-i-1) z^2/(2(i+1)), a
 * factor that falls as i grows: once it is below 1/2 it bounds the rest.
 */
static void moments(arb_t v, const girgis_struct *g, ulong order, slong prec)
{
    arb_t z2, odd, even, t;
    mag_t bound;
    ulong i;

    arb_init(z2); arb_init(odd); arb_init(even); arb_init(t);
    mag_init(bound);
    shuf_real_get_arb(v, g->q->eps0, prec); /* (E-1)^2/E = 4 sinh(eps0/2)^2 */
    arb_mul_2exp_si(v, v, -1);
    arb_sinh(v, v, prec);
    arb_sqr(v, v, prec);
    arb_mul_2exp_si(v, v, 1);
    arb_mul_ui(v, v, order, prec);
    arb_mul_ui(v, v, order - 1, prec);
    arb_div_fmpz(v, v, g->blocks, prec);

    square_z(z2, g, prec);
    arb_sqrt(t, z2, prec);
    arb_const_sqrt_pi(odd, prec);
    arb_mul(odd, odd, t, prec);
    arb_mul_ui(odd, odd, order, prec); /* t_1 */
    arb_mul_ui(even, z2, order, prec);
    arb_mul_ui(even, even, order - 1, prec); /* t_2 */
    for (i = 1; i + 2 <= order; i += 2)
    {
        arb_mul_ui(t, z2, order - i, prec);
        arb_mul_ui(t, t, order - i - 1, prec);
        arb_div_ui(t, t, 2 * (i + 1), prec);
        arb_mul(odd, odd, t, prec);
        arb_get_mag(bound, t);
        arb_mul_ui(t, z2, order - i - 1, prec);
        arb_mul_ui(t, t, order - i - 2, prec);
        arb_div_ui(t, t, 2 * (i + 2), prec);
        arb_mul(even, even, t, prec);
        arb_add(t, odd, even, prec);
        arb_add(v, v, t, prec);
        if (mag_cmp_2exp_si(bound, -1) < 0)
        {
            arb_get_mag(bound, t); /* all that follows is at most odd + even */
            arb_mul_2exp_si(t, v, -prec);
            if (arf_cmpabs_mag(arb_midref(t), bound) > 0)
            {
                arb_add_error_mag(v, bound);
                break;
            }
        }
    }
    arb_clear(z2); arb_clear(odd); arb_clear(even); arb_clear(t);
    mag_clear(bound);
}

/*
 * Whether the sum can be afforded: it has fewer than `order` terms, and their
 * ratios are below 1/2 from i = order^2 z^2 on.
 */
static int affordable(const girgis_struct *g, ulong order)
{
    arb_t t;
    int result;
    if (order <= MAX_TERMS)
        return 1;
    arb_init(t);
    square_z(t, g, ROUGH_PREC);
    arb_mul_ui(t, t, order, ROUGH_PREC);
    arb_mul_ui(t, t, order, ROUGH_PREC);
    arb_sub_ui(t, t, MAX_TERMS, ROUGH_PREC);
    result = arb_is_negative(t);
    arb_clear(t);
    return result;
}

/*
 * v = e^(order eps0), or E_0 - 1 = (e^(order eps0)-1)(1-e^(-(order-1) eps0))/(1+E)
 * if sharp, times e^(-(n-1) gamma^2/(2E)).
 */
static void tail(arb_t v, const girgis_struct *g, const arb_t order, slong prec)
{
    arb_t eps0, E, s, t;
    arb_init(eps0); arb_init(E); arb_init(s); arb_init(t);
    shuf_real_get_arb(eps0, g->q->eps0, prec);
    shuf_real_exp(E, g->q->eps0, prec);
    shuf_real_get_arb(t, g->gamma, prec);
    arb_sqr(t, t, prec);
    arb_mul_ui(t, t, g->q->n - 1, prec);
    arb_div(t, t, E, prec);
    arb_mul_2exp_si(t, t, -1);
    arb_neg(t, t);
    arb_mul(s, order, eps0, prec);
    if (g->sharp)
    {
        arb_exp(t, t, prec);
        arb_expm1(v, s, prec);
        arb_mul(v, v, t, prec);
        arb_sub(s, eps0, s, prec);
        arb_expm1(s, s, prec);
        arb_neg(s, s);
        arb_mul(v, v, s, prec);
        arb_add_ui(E, E, 1, prec);
        arb_div(v, v, E, prec);
    }
    else
    {
        arb_add(s, s, t, prec);
        arb_exp(v, s, prec);
    }
    arb_clear(eps0); arb_clear(E); arb_clear(s); arb_clear(t);
}

/* v = (order-1) times the bound at an integer order */
static void first_bound(arb_t v, const girgis_struct *g, ulong order, slong prec)
{
    arb_t t;
    arb_init(t);
    moments(v, g, order, prec);
    arb_set_ui(t, order);
    tail(t, g, t, prec);
    arb_add(v, v, t, prec);
    arb_log1p(v, v, prec);
    arb_clear(t);
}

/* The bound at a real order: linear between integers (Remark 2), that of order 2 below 2. */
static void first(arb_t v, const girgis_struct *g, slong prec)
{
    arb_t t, high;
    if (g->low < 2)
    {
        first_bound(v, g, 2, prec);
        return;
    }
    arb_init(t);
    arb_init(high);
    first_bound(v, g, g->low, prec);
    shuf_real_get_arb(t, g->q->point, prec);
    if (g->between)
    {
        first_bound(high, g, g->low + 1, prec);
        arb_sub(high, high, v, prec);
        arb_sub_ui(t, t, g->low, prec);
        arb_addmul(v, high, t, prec);
        shuf_real_get_arb(t, g->q->point, prec);
    }
    arb_sub_ui(t, t, 1, prec);
    arb_div(v, v, t, prec);
    arb_clear(t);
    arb_clear(high);
}

/* ---- Theorem 3.3 ---- */

/* v = log(e^s + tail)/(order-1), s = order^2 (E-1)^2/n_bar */
static void second(arb_t v, const girgis_struct *g, slong prec)
{
    arb_t order, s, t;
    arb_init(order); arb_init(s); arb_init(t);
    shuf_real_get_arb(order, g->q->point, prec);
    shuf_real_get_arb(s, g->q->eps0, prec);
    arb_expm1(s, s, prec);
    arb_mul(s, s, order, prec);
    arb_sqr(s, s, prec);
    arb_div_fmpz(s, s, g->blocks, prec);
    tail(t, g, order, prec);
    if (arf_cmp_si(arb_midref(s), 1) > 0)
    {
        shuf_ball_exp_minus(v, s, prec);
        arb_mul(v, v, t, prec);
        arb_log1p(v, v, prec);
        arb_add(v, v, s, prec);
    }
    else
    {
        arb_expm1(v, s, prec);
        arb_add(v, v, t, prec);
        arb_log1p(v, v, prec);
    }
    arb_sub_ui(order, order, 1, prec);
    arb_div(v, v, order, prec);
    arb_clear(order); arb_clear(s); arb_clear(t);
}

/* ---- the choice of gamma ---- */

/* log(e^x - 1) */
static double log_expm1(double x)
{
    return x > 1.0 ? x + d_log1p(-d_exp(-x)) : d_log(d_expm1(x));
}

/*
 * Roughly, the logarithm of what the bound adds to 1 inside its logarithm: the
 * moments come to exp(order (order-1) (E-1)^2/(2 n_bar E)) - 1 for small z.
 */
static double estimate(double gamma, double n, double eps0, double order)
{
    double clones = (n - 1.0) * d_exp(-eps0), s = 2.0 * d_sinh(0.5 * eps0);
    double x = log_expm1(0.5 * order * (order - 1.0) * s * s / (floor((1.0 - gamma) * clones) + 1.0));
    double y = log_expm1(order * eps0) + d_log(-d_expm1(-(order - 1.0) * eps0)) - eps0 - d_log1p(d_exp(-eps0))
               - 0.5 * gamma * gamma * clones;
    return fmax(x, y) + d_log1p(d_exp(-fabs(x - y)));
}

/* A good gamma, by a search on its logarithm in double precision: any choice is valid. */
static double choose_gamma(const shuf_bound_query_struct *q)
{
    const double n = (double) q->n, eps0 = steer_real(q->eps0, ROUGH_PREC), order = fmax(2.0, steer_real(q->point, ROUGH_PREC));
    double low = d_log(1e-12), high = 0.0, best = d_log(0.5), step, value, smallest;
    int i, round;

    smallest = estimate(d_exp(best), n, eps0, order);
    for (round = 0; round < 6; round++)
    {
        step = (high - low) / 32.0;
        for (i = 1; i < 32; i++)
        {
            value = estimate(d_exp(low + i * step), n, eps0, order);
            if (value < smallest)
            {
                smallest = value;
                best = low + i * step;
            }
        }
        low = best - step;
        high = fmin(best + step, 0.0);
    }
    return d_exp(best) < 1.0 ? d_exp(best) : 0.5;
}

/* Theorem 3.1 or 3.3; with a free gamma, the query's or one chosen here, else 1/2. */
int form_girgis21_upper(arb_t v, const shuf_bound_query_struct *q, int variant, slong prec)
{
    int exponential = variant == GIRGIS21_33 || variant == GIRGIS21_33_SHARP, free_gamma = variant == GIRGIS21_31_GAMMA;
    girgis_struct g;
    int result;

    if (!users_and_eps0_in_range(q) || !order_in_range(q))
        return 0;
    if (free_gamma && (shuf_real_sgn(q->gamma) < 0 || shuf_real_cmp_si(q->gamma, 1) >= 0))
        return 0;
    if (shuf_real_sgn(q->eps0) == 0) /* the reports say nothing */
    {
        arb_zero(v);
        return 1;
    }
    g.q = q;
    g.sharp = variant != GIRGIS21_31 && variant != GIRGIS21_33;
    shuf_real_init(g.gamma);
    fmpz_init(g.blocks);
    if (free_gamma && shuf_real_sgn(q->gamma) > 0)
        shuf_real_set(g.gamma, q->gamma);
    else
        shuf_real_set_d(g.gamma, free_gamma ? choose_gamma(q) : 0.5);
    result = split_order(&g) && count_blocks(&g) && (exponential || affordable(&g, g.low + (ulong) g.between));
    if (result && exponential)
        second(v, &g, prec);
    else if (result)
        first(v, &g, prec);
    shuf_real_clear(g.gamma);
    fmpz_clear(g.blocks);
    return result;
}

/* ---- Theorems 3.7 and 7.1 ---- */

int form_girgis21_alike(arb_t v, const shuf_bound_query_struct *q, int variant, slong prec)
{
    int exponential = variant == GIRGIS21_71, result = users_and_eps0_in_range(q);
    girgis_struct g;
    ulong order = 0;
    arb_t t;

    g.q = q;
    fmpz_init_set_ui(g.blocks, q->n);
    arb_init(t);
    if (exponential)
        result = result && order_in_range(q);
    else
        result = result && integer_order(&order, q, MAX_ORDER) && affordable(&g, order);
    if (result && shuf_real_sgn(q->eps0) == 0)
    {
        arb_zero(v);
    }
    else if (result && exponential) /* (order (E-1))^2/n, Lemma 4 */
    {
        shuf_real_get_arb(v, q->eps0, prec);
        arb_expm1(v, v, prec);
        shuf_real_get_arb(t, q->point, prec);
        arb_mul(v, v, t, prec);
        arb_sqr(v, v, prec);
        arb_div_ui(v, v, q->n, prec);
        arb_sub_ui(t, t, 1, prec);
        arb_div(v, v, t, prec);
    }
    else if (result)
    {
        moments(v, &g, order, prec);
        arb_log1p(v, v, prec);
        arb_div_ui(v, v, order - 1, prec);
    }
    fmpz_clear(g.blocks);
    arb_clear(t);
    return result;
}

/* ---- Theorem 3.6 ---- */

/* r encloses D(P||Q) at E = e^eps0, a rational number: proofs/girgis21.md, Theorem 3.6 for all mechanisms. */
static shuf_status reduced(shuf_enclosure_t r, const shuf_bound_query_struct *q, const fmpq_t E, const shuf_options *options)
{
    shuf_status status = SHUF_DOMAIN;
    shuf_pair_t pair;
    fmpq_t w0, w1, r0;
    shuf_pair_init(pair); fmpq_init(w0); fmpq_init(w1); fmpq_init(r0);
    fmpq_add_si(w1, E, 1);
    fmpq_inv(w1, w1);
    fmpq_mul(w0, w1, E);
    fmpq_div(r0, w1, E);
    if (shuf_pair_set_trinomial(pair, q->n, w0, w1, r0, w1) == 0)
        status = shuf_renyi_divergence(r, pair, q->point, SHUF_DIRECTION_PQ, options);
    shuf_pair_clear(pair); fmpq_clear(w0); fmpq_clear(w1); fmpq_clear(r0);
    return status;
}

/* Theorem 3.6 at its largest, which grows with E: its values at rational numbers around an irrational E bracket it. */
shuf_status form_girgis21_36_solve(shuf_enclosure_t r, const shuf_bound_form *form, const shuf_bound_query_t q, const shuf_options *options)
{
    shuf_status status;
    shuf_enclosure_t below;
    arb_t E;
    arf_t end;
    fmpq_t x;
    slong prec = ROUGH_PREC, small;
    (void) form;
    if (!users_and_eps0_in_range(q) || !order_in_range(q) || shuf_real_cmp_si(q->eps0, MAX_REDUCED_EPSILON) > 0)
        return SHUF_DOMAIN;
    if (q->eps0->is_log)
        return reduced(r, q, q->eps0->q, options);
    shuf_enclosure_init(below); arb_init(E); arf_init(end); fmpq_init(x);
    shuf_real_get_arb(E, q->eps0, ROUGH_PREC); /* E - 1 shall have the digits */
    small = FLINT_MAX(FLINT_MIN(-arf_abs_bound_lt_2exp_si(arb_midref(E)), MAX_FLOOR_PREC), 0);
    prec += 4 * options->digits + small;
    shuf_real_exp(E, q->eps0, prec);
    arb_get_lbound_arf(end, E, prec);
    if (arf_cmp_si(end, 1) < 0) /* eps0 >= 0 */
        arf_one(end);
    arf_get_fmpq(x, end);
    status = reduced(below, q, x, options);
    arb_get_ubound_arf(end, E, prec);
    arf_get_fmpq(x, end);
    if (status != SHUF_DOMAIN) /* of the users alone */
    {
        if (reduced(r, q, x, options) != SHUF_OK)
            status = SHUF_ACCURACY;
        arf_set(r->lo, below->lo);
        shuf_enclosure_width(r->ledger.discretisation, r);
        r->status = status;
    }
    shuf_enclosure_clear(below); arb_clear(E); arf_clear(end); fmpq_clear(x);
    return status;
}

/* ---- Corollaries 3.2 and 3.5 ---- */

/* v = log(1 + C(order,2) 4 v/n)/(order-1) */
static void quadratic(arb_t v, ulong order, uint64_t n, slong prec)
{
    arb_mul_2exp_si(v, v, 1);
    arb_mul_ui(v, v, order, prec);
    arb_mul_ui(v, v, order - 1, prec);
    arb_div_ui(v, v, n, prec);
    arb_log1p(v, v, prec);
    arb_div_ui(v, v, order - 1, prec);
}

/* Whether 9 order^4 E^5 < n, exactly: log(E^5) against log(n/(9 order^4)). */
static int in_simplified_region(const shuf_bound_query_struct *q, ulong order)
{
    shuf_real_t left, right;
    fmpq_t t;
    fmpz_t five;
    int result;

    shuf_real_init(left); shuf_real_init(right); fmpq_init(t);
    fmpz_init_set_ui(five, 5);
    if (q->eps0->is_log)
    {
        fmpq_pow_si(t, q->eps0->q, 5);
        shuf_real_set_log_fmpq(left, t);
    }
    else
    {
        fmpq_mul_fmpz(t, q->eps0->q, five);
        shuf_real_set_fmpq(left, t);
    }
    fmpz_set_ui(fmpq_denref(t), order);
    fmpz_pow_ui(fmpq_denref(t), fmpq_denref(t), 4);
    fmpz_mul_ui(fmpq_denref(t), fmpq_denref(t), 9);
    fmpz_set_ui(fmpq_numref(t), q->n);
    fmpq_canonicalise(t);
    shuf_real_set_log_fmpq(right, t);
    result = shuf_real_cmp(left, right) < 0;
    shuf_real_clear(left); shuf_real_clear(right); fmpq_clear(t); fmpz_clear(five);
    return result;
}

int form_girgis21_32(arb_t v, const shuf_bound_query_struct *q, int variant, slong prec)
{
    ulong order;
    (void) variant;
    if (!users_and_eps0_in_range(q) || !integer_order(&order, q, MAX_ORDER) || !in_simplified_region(q, order))
        return 0;
    shuf_real_get_arb(v, q->eps0, prec);
    arb_expm1(v, v, prec);
    arb_sqr(v, v, prec);
    quadratic(v, order, q->n, prec);
    return 1;
}

int form_girgis21_35(arb_t v, const shuf_bound_query_struct *q, int variant, slong prec)
{
    ulong order;
    (void) variant;
    if (!users_and_eps0_in_range(q) || !integer_order(&order, q, MAX_ORDER))
        return 0;
    shuf_real_get_arb(v, q->eps0, prec); /* (E-1)^2/E = 4 sinh(eps0/2)^2 */
    arb_mul_2exp_si(v, v, -1);
    arb_sinh(v, v, prec);
    arb_sqr(v, v, prec);
    quadratic(v, order, q->n, prec);
    return 1;
}

/* ---- Theorem 3.4 ---- */

/*
 * v = E r^order for few users: the sum over the number k of ones, a
 * Bin(n, 1/(E+1)), of the likelihood ratio r = (k E + (n-k)/E)/n.
 */
static void sum_outcomes(arb_t v, const shuf_bound_query_struct *q, ulong order, slong prec)
{
    arb_t E, inverse, mass, r;
    ulong k, n = q->n;
    arb_init(E); arb_init(inverse); arb_init(mass); arb_init(r);
    shuf_real_exp(E, q->eps0, prec);
    arb_inv(inverse, E, prec);
    arb_add_ui(mass, inverse, 1, prec);
    arb_inv(mass, mass, prec);
    arb_pow_ui(mass, mass, n, prec);
    arb_zero(v);
    for (k = 0; k <= n; k++)
    {
        arb_mul_ui(r, inverse, n - k, prec);
        arb_addmul_ui(r, E, k, prec);
        arb_div_ui(r, r, n, prec);
        arb_pow_ui(r, r, order, prec);
        arb_addmul(v, r, mass, prec);
        arb_mul(mass, mass, inverse, prec);
        arb_mul_ui(mass, mass, n - k, prec);
        arb_div_ui(mass, mass, k + 1, prec);
    }
    arb_clear(E); arb_clear(inverse); arb_clear(mass); arb_clear(r);
}

/*
 * v = E r^order - 1 for many users, through the central moments: r = 1 + s Y,
 * s = (E^2-1)/(n E), Y a centred Bin(n, 1/(E+1)), and E (sY)^i / i! is the
 * i-th coefficient h_i of
 *
 *   (sum_j c_j t^j)^n,  c_j = (E-1)^j (1 + (-1)^j E^(1-j)) / (n^j (E+1) j!)  (j >= 2),
 *
 * c_0 = 1, c_1 = 0: i h_i = sum_{j>=2} ((n+1) j - i) c_j h_{i-j}, where no term is
 * negative and, for n well above order^2, hardly anything cancels. With t scaled by the order, h_i counts
 * order (order-1) .. (order-i+1)/order^i <= 1 times.
 */
static void sum_moments(arb_t v, const shuf_bound_query_struct *q, ulong order, slong prec)
{
    slong i, length = (slong) order + 1;
    arb_ptr c = _arb_vec_init(length), jc = _arb_vec_init(length), h = _arb_vec_init(length);
    arb_t scale, step, eps0, t;

    arb_init(scale); arb_init(step); arb_init(eps0); arb_init(t);
    shuf_real_get_arb(eps0, q->eps0, prec);
    arb_expm1(step, eps0, prec);
    arb_mul_ui(step, step, order, prec);
    arb_div_ui(step, step, q->n, prec);
    shuf_real_exp(scale, q->eps0, prec);
    arb_add_ui(scale, scale, 1, prec);
    arb_div(scale, step, scale, prec);
    for (i = 2; i < length; i++)
    {
        arb_mul(scale, scale, step, prec);
        arb_div_ui(scale, scale, (ulong) i, prec);
        arb_mul_si(t, eps0, 1 - i, prec);
        arb_expm1(t, t, prec);
        if (i % 2 == 0)
            arb_add_ui(t, t, 2, prec);
        else
            arb_neg(t, t);
        arb_mul(c + i, scale, t, prec);
        arb_mul_ui(jc + i, c + i, (ulong) i, prec);
    }
    arb_zero(v);
    arb_one(h);
    arb_one(scale);
    for (i = 2; i < length; i++)
    {
        arb_dot(h + i, NULL, 0, jc + 2, 1, h + i - 2, -1, i - 1, prec);
        arb_mul_ui(h + i, h + i, q->n + 1, prec);
        arb_div_ui(h + i, h + i, (ulong) i, prec);
        arb_dot(h + i, h + i, 1, c + 2, 1, h + i - 2, -1, i - 1, prec);
        arb_mul_ui(t, scale, order - (ulong) i + 1, prec);
        arb_div_ui(scale, t, order, prec);
        arb_addmul(v, scale, h + i, prec);
    }
    _arb_vec_clear(c, length);
    _arb_vec_clear(jc, length);
    _arb_vec_clear(h, length);
    arb_clear(scale); arb_clear(step); arb_clear(eps0); arb_clear(t);
}

int form_girgis21_34(arb_t v, const shuf_bound_query_struct *q, int variant, slong prec)
{
    ulong order;
    (void) variant;
    if (!users_and_eps0_in_range(q) || !integer_order(&order, q, q->n <= MAX_OUTCOMES ? MAX_ORDER : MAX_MOMENTS))
        return 0;
    if (shuf_real_sgn(q->eps0) == 0)
        arb_zero(v);
    else if (q->n <= MAX_OUTCOMES)
    {
        sum_outcomes(v, q, order, prec);
        arb_log(v, v, prec);
    }
    else
    {
        sum_moments(v, q, order, prec);
        arb_log1p(v, v, prec);
    }
    arb_div_ui(v, v, order - 1, prec);
    return 1;
}

/* ---- Erlingsson et al. ---- */

/* v = order 2 e^(4 eps0) (E-1)^2/n */
int form_erlingsson19_renyi(arb_t v, const shuf_bound_query_struct *q, int variant, slong prec)
{
    arb_t t;
    (void) variant;
    if (!users_and_eps0_in_range(q) || !order_in_range(q))
        return 0;
    arb_init(t);
    shuf_real_get_arb(t, q->eps0, prec);
    arb_expm1(v, t, prec);
    arb_sqr(v, v, prec);
    arb_mul_2exp_si(t, t, 2);
    arb_exp(t, t, prec);
    arb_mul(v, v, t, prec);
    shuf_real_get_arb(t, q->point, prec);
    arb_mul(v, v, t, prec);
    arb_mul_2exp_si(v, v, 1);
    arb_div_ui(v, v, q->n, prec);
    arb_clear(t);
    return 1;
}
