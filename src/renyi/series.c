/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "renyi/tilted_stratum.h"

#include <math.h>

#include "enclosure/budget.h"
#include "enclosure/elementary.h"
#include "enclosure/steer.h"
#include "renyi/saddle.h"

#define MAX_TERMS 64 /* steers only */

static double least_chernoff(double x0, double m, double y)
{
    double left = x0 - y > 0 ? steer_relative_entropy(x0 - y, x0, 1 - x0) : HUGE_VAL;
    double right = x0 + y < 1 ? steer_relative_entropy(x0 + y, x0, 1 - x0) : HUGE_VAL;
    return m * fmin(left, right);
}

double tilted_plan_series(slong *terms, double *radius, const tilted_struct *t, double aim)
{
    const power_context_struct *s = t->s;
    double sp = steer_midpoint(t->dp), sq = steer_midpoint(t->dq), dp = fabs(sp), dq = fabs(sq);
    double widest = 0.95 / fmax(fmax(dp, dq), 1e-3), best = HUGE_VAL;
    double m = (double) t->m, variance = t->x0_d * (1 - t->x0_d) / m, log_moment = 0, h1, h2, h3;
    double l = s->lambda, l1 = s->lambda_minus_1;
    slong k, j, tried = 0;
    arb_t slope;
    arb_init(slope);
    arb_mul(slope, t->dp, s->order, t->prec);
    arb_submul(slope, t->dq, s->order_minus_1, t->prec);
    arb_sub(slope, slope, t->tau, t->prec);
    h1 = fabs(steer_midpoint(slope)); /* not 0: x0 is a rounded saddle point */
    arb_clear(slope);
    h2 = fabs(l * sp * sp - l1 * sq * sq) / 2;
    h3 = fabs(l * sp * sp * sp - l1 * sq * sq * sq) / 3;
    for (k = 2; k <= MAX_TERMS; k += 2)
    {
        /* Gaussian, or Poisson when x0 is near an end */
        log_moment += d_log((double) (k - 1) * (variance + (double) (k - 1) / (m * m) / 4));
        if (k < 4)
            continue;
        for (j = 0; j < 120 && widest * d_pow(0.7, (double) j) > 4 * sqrt(variance); j++, tried++)
        {
            /* 20 bits, so that a mag_t holds it exactly */
            int e;
            double r = frexp(widest * d_pow(0.7, (double) j), &e), yp, yq, log_b, log_error, chernoff;
            r = ldexp(floor(ldexp(r, 20)), e - 20);
            yp = r * dp;
            yq = r * dq;
            /* k >= 4 by absolute values */
            log_b = h1 * r + h2 * r * r + h3 * r * r * r + l * (-d_log1p(-yp) - yp - yp * yp / 2 - yp * yp * yp / 3)
                    + l1 * (-d_log1p(-yq) - yq - yq * yq / 2 - yq * yq * yq / 3);
            if (s->is_one)
                log_b = d_log(1 + yp) + d_log(1e-300 + fabs(steer_midpoint(s->max_loss)) - d_log1p(-yp) - d_log1p(-yq));
            log_error = 1.4 + log_b - (double) k * d_log(r) + log_moment;
            chernoff = least_chernoff(t->x0_d, m, TILTED_INSIDE * r);
            if (chernoff < 2 * (double) k + 1)
                continue;
            log_error = fmax(log_error, 2.8 + log_b - chernoff);
            if (log_error < best)
            {
                best = log_error;
                *terms = k;
                *radius = r;
            }
        }
        if (best < aim)
            break;
    }
    shuf_charge((double) tried * 3 * SADDLE_COST);
    return best;
}

/* C(k,j+1) = C(k,j) (k-j)/(j+1), below 2^62 for k <= MAX_TERMS. */
static ulong next_binomial(ulong choose, ulong k_minus_j, ulong j_plus_1)
{
    ulong d = n_gcd(choose, j_plus_1);
    return choose / d * (k_minus_j / (j_plus_1 / d));
}

/* moment[k] = E y^k, 0 <= k <= terms, of the mean y of m Bernoulli variables about their mean x0. */
static void central_moments(arb_struct *moment, const tilted_struct *t, slong terms)
{
    slong k, j, prec = t->prec;
    arb_t variance, inverse;
    arb_struct *step = _arb_vec_init(terms); /* x0 (1-x0) E y^j - x0 E y^(j+1) */
    arb_init(variance);
    arb_init(inverse);
    arb_mul(variance, t->x0, t->x0_complement, prec);
    arb_set_ui(inverse, t->m);
    arb_inv(inverse, inverse, prec);
    arb_one(moment);
    arb_zero(moment + 1);
    for (k = 1; k < terms; k++)
    {
        /* E y^(k+1) = sum_{j<k} C(k,j) m^-(k-j) step_j, by Horner's rule */
        ulong choose = 1;
        arb_mul(step + k - 1, variance, moment + k - 1, prec);
        arb_submul(step + k - 1, t->x0, moment + k, prec);
        for (j = 0; j < k; j++)
        {
            arb_addmul_ui(moment + k + 1, step + j, choose, prec);
            arb_mul(moment + k + 1, moment + k + 1, inverse, prec);
            choose = next_binomial(choose, (ulong) (k - j), (ulong) (j + 1));
        }
    }
    arb_clear(variance);
    arb_clear(inverse);
    _arb_vec_clear(step, terms);
}

/* coefficient[k], 1 <= k < terms, of (-1)^(k-1)/k slope^k: the series of log(1 + slope y) */
static void log_series(arb_struct *coefficient, const arb_t slope, slong terms, slong prec)
{
    slong k;
    arb_t power;
    arb_init(power);
    arb_neg(power, slope);
    arb_zero(coefficient);
    for (k = 1; k < terms; k++)
    {
        arb_div_ui(coefficient + k, power, (ulong) k, prec);
        arb_neg(coefficient + k, coefficient + k);
        arb_mul(power, power, slope, prec);
        arb_neg(power, power);
    }
    arb_clear(power);
}

/* sum_{k >= terms} (slope radius)^k / k */
static void log_series_tail(mag_t tail, const arb_t slope, const mag_t radius, slong terms)
{
    mag_t x;
    mag_init(x);
    arb_get_mag(x, slope);
    mag_mul(x, x, radius);
    mag_geom_series(tail, x, (ulong) terms);
    mag_div_ui(tail, tail, (ulong) terms);
    mag_clear(x);
}

/* The series of one stratum. */
typedef struct
{
    const tilted_struct *t;
    slong terms;
    arb_struct *moment; /* E y^k, k <= terms */
    arb_struct *h, *g;  /* coefficients, k < terms; of log(p/p0) and log(q/q0) at first */
    mag_t radius;       /* of the disk */
    mag_t bound;        /* of the function on the disk */
} series_struct;

static void series_init(series_struct *f, const tilted_struct *t, slong terms, double radius)
{
    f->t = t;
    f->terms = terms;
    f->moment = _arb_vec_init(terms + 1);
    f->h = _arb_vec_init(terms);
    f->g = _arb_vec_init(terms);
    mag_init(f->radius);
    mag_init(f->bound);
    mag_set_d_lower(f->radius, radius);
    central_moments(f->moment, t, terms);
    log_series(f->h, t->dp, terms, t->prec);
    log_series(f->g, t->dq, terms, t->prec);
}

static void series_clear(series_struct *f)
{
    _arb_vec_clear(f->moment, f->terms + 1);
    _arb_vec_clear(f->h, f->terms);
    _arb_vec_clear(f->g, f->terms);
    mag_clear(f->radius);
    mag_clear(f->bound);
}

/* bound += sum over from <= k < terms of |h_k| radius^k */
static void add_absolute(series_struct *f, slong from)
{
    slong k;
    mag_t x, power;
    mag_init(x);
    mag_init(power);
    mag_pow_ui(power, f->radius, (ulong) from);
    for (k = from; k < f->terms; k++)
    {
        arb_get_mag(x, f->h + k);
        mag_addmul(f->bound, x, power);
        mag_mul(power, power, f->radius);
    }
    mag_clear(x);
    mag_clear(power);
}

/* v := E phi at order 1: p log(p/q) = p0 (1 + dp y) (log(p0/q0) + sum (h_k - g_k) y^k). */
static void sum_entropy(arb_t v, series_struct *f)
{
    const tilted_struct *t = f->t;
    slong prec = t->prec, k;
    arb_t u;
    mag_t x, one;
    arb_init(u); mag_init(x); mag_init(one);
    _arb_vec_sub(f->h, f->h, f->g, f->terms, prec);
    arb_div(u, t->p0, t->q0, prec);
    arb_log(f->h, u, prec);
    for (k = 0; k < f->terms; k++)
    {
        arb_set(u, f->h + k);
        if (k > 0)
            arb_addmul(u, f->h + k - 1, t->dp, prec);
        arb_addmul(v, u, f->moment + k, prec);
    }
    arb_mul(v, v, t->p0, prec);
    /* |phi| on the disk, in units of p0 */
    add_absolute(f, 0);
    log_series_tail(x, t->dp, f->radius, f->terms);
    mag_add(f->bound, f->bound, x);
    log_series_tail(x, t->dq, f->radius, f->terms);
    mag_add(f->bound, f->bound, x);
    arb_get_mag(x, t->dp);
    mag_mul(x, x, f->radius);
    mag_one(one);
    mag_add(x, x, one);
    mag_mul(f->bound, f->bound, x);
    arb_get_mag(x, t->p0);
    mag_mul(f->bound, f->bound, x);
    arb_clear(u); mag_clear(x); mag_clear(one);
}

/* v := E chi, chi = exp(sum h_k y^k) = phi e^(-tau y) / (p0^order q0^(1-order)): k chi_k = sum_j j h_j chi_(k-j). */
static void sum_power(arb_t v, series_struct *f)
{
    const tilted_struct *t = f->t;
    const power_context_struct *s = t->s;
    slong prec = t->prec, k, j;
    arb_struct *derivative = _arb_vec_init(f->terms);
    mag_t x, order;
    mag_init(x);
    mag_init(order);
    _arb_vec_scalar_mul(f->h, f->h, f->terms, s->order, prec);
    _arb_vec_scalar_mul(f->g, f->g, f->terms, s->order_minus_1, prec);
    _arb_vec_sub(f->h, f->h, f->g, f->terms, prec);
    arb_sub(f->h + 1, f->h + 1, t->tau, prec);
    arb_one(f->g);
    for (k = 1; k < f->terms; k++)
        arb_mul_ui(derivative + k, f->h + k, (ulong) k, prec);
    for (k = 1; k < f->terms; k++)
    {
        arb_zero(f->g + k);
        for (j = 1; j <= k; j++)
            arb_addmul(f->g + k, derivative + j, f->g + k - j, prec);
        arb_div_ui(f->g + k, f->g + k, (ulong) k, prec);
    }
    for (k = 0; k < f->terms; k++)
        arb_addmul(v, f->g + k, f->moment + k, prec);
    /* log of the largest |chi| on the disk */
    add_absolute(f, 1);
    arb_get_mag(order, s->order);
    log_series_tail(x, t->dp, f->radius, f->terms);
    mag_addmul(f->bound, x, order);
    arb_get_mag(order, s->order_minus_1);
    log_series_tail(x, t->dq, f->radius, f->terms);
    mag_addmul(f->bound, x, order);
    mag_exp(f->bound, f->bound);
    _arb_vec_clear(derivative, f->terms);
    mag_clear(x);
    mag_clear(order);
}

/*
 * inside: 4 B E (y/radius)^terms; outside: 4 B E u^terms with u = |y|/(0.75 radius) > 1,
 * at most 2 exp(-a) on each side when a = m KL >= 2 terms there
 */
static void series_error(mag_t error, const series_struct *f, double radius)
{
    slong prec = f->t->prec;
    arb_t u, excess;
    mag_t x, power;
    int side;
    arb_init(u); arb_init(excess); mag_init(x); mag_init(power);
    mag_inv(x, f->radius);
    mag_pow_ui(x, x, (ulong) f->terms);
    arb_get_mag(power, f->moment + f->terms);
    mag_mul(error, x, power);
    for (side = -1; side <= 1; side += 2)
    {
        arb_set_d(u, side * TILTED_INSIDE * radius);
        tilted_chernoff(u, f->t, u, prec);
        if (!arb_is_finite(u))
            continue;
        arb_sub_ui(excess, u, 2 * (ulong) f->terms, prec);
        if (arb_is_nonnegative(excess))
        {
            shuf_ball_exp_minus(u, u, prec);
            arb_get_mag(x, u);
            mag_mul_2exp_si(x, x, 1);
        }
        else
        {
            mag_inf(x);
        }
        mag_add(error, error, x);
    }
    mag_mul(error, error, f->bound);
    mag_mul_2exp_si(error, error, 2);
    arb_clear(u); arb_clear(excess); mag_clear(x); mag_clear(power);
}

void tilted_sum_series(arb_t v, mag_t error, const tilted_struct *t, slong terms, double radius)
{
    slong prec = t->prec;
    double products = (double) (terms * terms) + 8 * (double) terms;
    series_struct f;
    shuf_charge(products * (shuf_cost_mul(prec) + shuf_cost_word(prec)) + 5 * shuf_cost_exp(prec));
    series_init(&f, t, terms, radius);
    arb_zero(v);
    if (t->s->is_one)
        sum_entropy(v, &f);
    else
        sum_power(v, &f);
    series_error(error, &f, radius);
    if (!t->s->is_one)
    {
        mag_t x;
        mag_init(x);
        arb_mul(v, v, t->scale, prec);
        arb_get_mag(x, t->scale);
        mag_mul(error, error, x);
        mag_clear(x);
    }
    series_clear(&f);
}
