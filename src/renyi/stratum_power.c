/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "renyi/stratum_power.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "renyi/saddle.h"
#include "renyi/tilted_stratum.h"
#include "enclosure/steer.h"

/* Integer orders up to this one are powers rather than exponentials. Steers only. */
#define POWER_SMALL_ORDER 64

#define POWER_EACH(s, f) \
    do { f(s->order); f(s->order_minus_1); f(s->max_loss); f(s->kappa); } while (0)

void power_context_init(power_context_t s)
{
    POWER_EACH(s, arb_init);
    shuf_pair_weights_init(s->weights);
}

void power_context_clear(power_context_t s)
{
    POWER_EACH(s, arb_clear);
    shuf_pair_weights_clear(s->weights);
}

static double log_to_double(const arb_t x)
{
    double value;
    arb_t t;
    arb_init(t);
    arb_log(t, x, 64);
    value = steer_midpoint(t);
    arb_clear(t);
    return value;
}

void power_context_set(power_context_t s, const shuf_pair_t pair, const shuf_real_t order, shuf_direction direction, slong prec)
{
    shuf_pair_weights_struct *w = s->weights;
    arb_t t;
    arb_init(t);

    s->others = pair->n - 1;
    s->prec = prec;
    shuf_real_get_arb(s->order, order, 64);
    arb_get_mag(arb_radref(t), s->order);
    s->order_bits = FLINT_MAX(0, (slong) ceil(mag_get_d_log2_approx(arb_radref(t))));
    mag_zero(arb_radref(t));
    prec += s->order_bits;
    shuf_pair_get_weights(w, pair, direction, prec + 2 * (slong) FLINT_BIT_COUNT(pair->n) + 16);
    shuf_real_get_arb(s->order, order, prec + 16);
    if (order->is_log)
    {
        arb_sub_ui(s->order_minus_1, s->order, 1, prec);
    }
    else
    {
        fmpq_t q;
        fmpq_init(q);
        fmpq_set_si(q, 1, 1);
        fmpq_sub(q, order->q, q);
        arb_set_fmpq(s->order_minus_1, q, prec);
        fmpq_clear(q);
    }
    s->is_one = shuf_real_cmp_si(order, 1) == 0;
    s->small_order = 0;
    if (!order->is_log && fmpz_is_one(fmpq_denref(order->q)) && fmpz_cmp_ui(fmpq_numref(order->q), POWER_SMALL_ORDER) <= 0)
        s->small_order = fmpz_get_ui(fmpq_numref(order->q));
    shuf_pair_get_max_loss(s->max_loss, pair, prec);
    arb_mul(s->kappa, w->w2, w->odds, prec + 16);

    s->lambda = steer_midpoint(s->order);
    s->lambda_minus_1 = s->is_one ? 0 : steer_midpoint(s->order_minus_1);
    s->rho = steer_midpoint(w->rho);
    s->rho_complement = steer_midpoint(w->rho_complement);
    s->kappa_d = steer_midpoint(s->kappa);
    arb_add(t, w->w0, w->w1, 64);
    s->w_sum = steer_midpoint(t);
    arb_sub(t, w->w0, w->w1, prec);
    arb_div(t, t, w->rho, prec);
    arb_div(t, t, w->rho_complement, prec);
    s->slope = steer_midpoint(t);
    arb_div(t, w->w1, w->rho_complement, 64);
    s->p_end[0] = steer_midpoint(t);
    s->log_p_end[0] = log_to_double(t);
    arb_div(t, w->w0, w->rho, 64);
    s->p_end[1] = steer_midpoint(t);
    s->log_p_end[1] = log_to_double(t);
    arb_div(t, w->w0, w->rho_complement, 64);
    s->q_end[0] = steer_midpoint(t);
    s->log_q_end[0] = log_to_double(t);
    arb_div(t, w->w1, w->rho, 64);
    s->q_end[1] = steer_midpoint(t);
    s->log_q_end[1] = log_to_double(t);

    arb_clear(t);
}

void power_K(arb_t K, const power_context_t s, ulong c, ulong rest)
{
    arb_mul_ui(K, s->kappa, rest, s->prec);
    arb_div_ui(K, K, c + 1, s->prec);
}

double power_log_estimate(const power_context_t s, double c, double K)
{
    return saddle_log_value(s, c + 1, K, saddle_point(s, c + 1, K));
}

/* How far from x0 the terms matter, on one side: an outward scan. */
static double reach(const tilted_struct *t, double K, int sign, double floor_value)
{
    double end = sign > 0 ? 1 - t->x0_d : t->x0_d, m = (double) t->m;
    double h = sqrt(t->x0_d * (1 - t->x0_d) / m) + 1 / m, found = h;
    for (; h < end; h *= 1.2)
        if (saddle_exponent(t->s, m, K, t->x0_d + sign * h) > floor_value)
            found = h * 1.2;
    if (saddle_exponent(t->s, m, K, sign > 0 ? 1.0 : 0.0) > floor_value)
        found = end;
    return found < end ? found : end;
}

/* Strata with at most so many terms are summed whole. Steers only. */
#define FEW_TERMS 48
/* A series of k terms costs about as much as k^2 / TERM_COST terms of the plain sum. Steers only. */
#define TERM_COST 12.0
/* More terms than that are never summed: the tails bound the others. Steers only. */
#define MANY_TERMS 2e4

/* Where a stratum's sum lives, in floating point. */
typedef struct
{
    double x0, log_v; /* the saddle point; log of the value */
    double low, high; /* how far from x0 its terms matter */
    double count;     /* of those terms */
    slong terms;      /* of a series that does instead, 0 if none does */
    double radius;    /* of its disk */
} plan_struct;

/* Sets the tilt, and what is negligible. */
static void plan_set(plan_struct *f, tilted_struct *t, double m, double K)
{
    const power_context_struct *s = t->s;
    double least = fmax(0.5 / m, 1e-14), remainder, peak;
    f->x0 = saddle_point(s, m, K);
    f->x0 = s->is_one ? s->rho : fmin(fmax(f->x0, least), 1 - least);
    tilted_set(t, f->x0);
    f->log_v = saddle_log_value(s, m, K, f->x0);
    peak = saddle_exponent(s, m, K, f->x0);
    /* the last term: how far the estimates can be trusted */
    t->log_negligible = f->log_v - (double) s->cut * 0.6931 - 1e-15 * fabs(f->log_v);
    f->low = reach(t, K, -1, t->log_negligible - d_log(m));
    f->high = reach(t, K, 1, t->log_negligible - d_log(m));
    f->count = (f->low + f->high) * m;
    f->terms = 0;
    f->radius = 0;
    remainder = tilted_plan_series(&f->terms, &f->radius, t, t->log_negligible - peak) + peak;
    if (!((remainder < t->log_negligible && (double) (f->terms * f->terms) / TERM_COST < f->count)
          || (remainder < f->log_v - 3 && f->count > MANY_TERMS)))
        f->terms = 0;
}

/* The terms that matter one by one, and tails; when they are too many only some of them. */
static void sum_terms(arb_t v, mag_t truncation, const tilted_struct *t, const plan_struct *f, double m, double K)
{
    double most = f->count > MANY_TERMS ? MANY_TERMS / 2 / m : HUGE_VAL;
    double a = floor((f->x0 - fmin(f->low, most)) * m), b = ceil((f->x0 + fmin(f->high, most)) * m);
    ulong first = a <= 0 ? 0 : (ulong) a, last = b >= m ? t->m : (ulong) b;
    mag_t tail;
    mag_init(tail);
    if (first > 0)
        tilted_add_tail(tail, t, K, f->x0 - (double) first / m, -1);
    if (last < t->m)
        tilted_add_tail(tail, t, K, (double) last / m - f->x0, 1);
    tilted_sum_directly(v, t, first, last);
    if (f->count > MANY_TERMS && !t->s->is_one)
    {
        /* the order is so large that the sum and its largest terms have about the same logarithm */
        arb_t w;
        arb_init(w);
        arf_set_mag(arb_midref(w), tail);
        arb_add(w, w, v, t->prec);
        arb_union(v, v, w, t->prec);
        arb_clear(w);
    }
    else
    {
        mag_set(truncation, tail);
    }
    mag_clear(tail);
}

void power_value(arb_t v, mag_t truncation, const power_context_t s, ulong c, const arb_t K)
{
    tilted_struct t[1];
    double K_d = steer_midpoint(K), m = (double) c + 1;
    mag_zero(truncation);
    arb_zero(v);
    tilted_init(t, s, c, K);
    if (t->m <= FEW_TERMS)
    {
        tilted_sum_directly(v, t, 0, t->m);
    }
    else
    {
        plan_struct f;
        plan_set(&f, t, m, K_d);
        if (f.terms > 0)
        {
            tilted_sum_series(v, truncation, t, f.terms, f.radius);
            tilted_add_tail(truncation, t, K_d, TILTED_INSIDE * f.radius, -1);
            tilted_add_tail(truncation, t, K_d, TILTED_INSIDE * f.radius, 1);
        }
        else
        {
            sum_terms(v, truncation, t, &f, m, K_d);
        }
    }
    if (!s->is_one)
    {
        arb_t w;
        arb_init(w);
        arb_add(w, s->weights->w0, s->weights->w1, t->prec);
        arb_add(w, w, K, t->prec);
        arb_sub(v, v, w, t->prec);
        arb_clear(w);
    }
    arb_set_round(v, v, s->prec);
    tilted_clear(t);
}
