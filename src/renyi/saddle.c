/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "renyi/saddle.h"

#include <math.h>

#include "enclosure/budget.h"
#include "enclosure/elementary.h"
#include "enclosure/steer.h"

/* log of the linear function with the given ends, which may underflow near one of them */
static double log_linear(const double *end, const double *log_end, double K, double x)
{
    double value = end[0] * (1 - x) + end[1] * x + K;
    if (value > 1e-290)
        return d_log(value);
    return log_end[x > 0.5];
}

double saddle_log_phi(const power_context_t s, double K, double x)
{
    double p = log_linear(s->p_end, s->log_p_end, K, x), q, excess;
    if (s->is_one)
        return p;
    /* p/q - 1 without cancellation: p and q agree at rho */
    excess = s->slope * (x - s->rho) / (s->q_end[0] * (1 - x) + s->q_end[1] * x + K);
    if (fabs(excess) < 0.5)
        return p + s->lambda_minus_1 * d_log1p(excess);
    q = log_linear(s->q_end, s->log_q_end, K, x);
    return p + s->lambda_minus_1 * (p - q);
}

double saddle_exponent(const power_context_t s, double m, double K, double x)
{
    shuf_charge(SADDLE_COST);
    return saddle_log_phi(s, K, x) - m * steer_relative_entropy(x, s->rho, s->rho_complement);
}


/* The x in [a, b] of the largest exponent, presumed unimodal there. */
static double golden_section(const power_context_t s, double m, double K, double a, double b)
{
    double c = b - STEER_GOLDEN * (b - a), d = a + STEER_GOLDEN * (b - a);
    double fc = saddle_exponent(s, m, K, c), fd = saddle_exponent(s, m, K, d);
    int i;
    for (i = 0; i < 100 && b - a > 1e-9 * (a < 1 - b ? b : 1 - a) && b - a > 1e-3 / m; i++)
    {
        if (fc > fd)
        {
            b = d; d = c; fd = fc;
            c = b - STEER_GOLDEN * (b - a);
            fc = saddle_exponent(s, m, K, c);
        }
        else
        {
            a = c; c = d; fc = fd;
            d = a + STEER_GOLDEN * (b - a);
            fd = saddle_exponent(s, m, K, d);
        }
    }
    return (a + b) / 2;
}

/* Newton's method from *x. Returns 0 where it does not settle. */
static int newton(double *x, const power_context_t s, double m, double K)
{
    const double p0 = s->p_end[0] + K, p1 = s->p_end[1] + K, q0 = s->q_end[0] + K, q1 = s->q_end[1] + K;
    const double l = s->lambda, l1 = s->lambda_minus_1;
    int i;
    for (i = 0; i < 30; i++)
    {
        double p = (p1 - p0) / (p0 + (p1 - p0) * *x), q = (q1 - q0) / (q0 + (q1 - q0) * *x);
        double slope = l * p - l1 * q - m * (d_log1p((*x - s->rho) / s->rho) - d_log1p((s->rho - *x) / s->rho_complement));
        double curvature = -l * p * p + l1 * q * q - m / (*x * (1 - *x));
        double step = -slope / curvature;
        if (!(curvature < 0) || !(*x + step > 0) || !(*x + step < 1))
            return 1;
        *x += step;
        if (fabs(step) < 1e-3 * sqrt(*x * (1 - *x) / m))
            return 1;
    }
    return 0;
}

/* Takes y for *best where its exponent is larger. */
static void look(double *best, double *best_value, const power_context_t s, double m, double K, double y)
{
    double value = saddle_exponent(s, m, K, y);
    if (value > *best_value)
    {
        *best = y;
        *best_value = value;
    }
}

/*
 * The saddle point: the x of the largest exponent. Newton's method from rho,
 * and where it does not settle, a search over a grid that is fine around rho
 * and at both ends.
 */
double saddle_point(const power_context_t s, double m, double K)
{
    const double rho = s->rho;
    double x = rho, best = rho, best_value, reach, a, b;
    int settled = newton(&x, s, m, K), j, side;

    best_value = saddle_exponent(s, m, K, rho);
    /* a coarse look for another, higher peak */
    for (side = 0; side < 2; side++)
        for (j = 0; j <= 12; j++)
            look(&best, &best_value, s, m, K, side ? rho + s->rho_complement * j / 12 : rho * j / 12);
    if (settled && saddle_exponent(s, m, K, x) >= best_value)
        return x;
    for (side = 0; side < 4; side++)
        for (j = 1; j <= 60; j++)
        {
            double h = ldexp(1, -j), y = side == 0 ? h : side == 1 ? 1 - h : side == 2 ? rho + h : rho - h;
            if (y > 0 && y < 1)
                look(&best, &best_value, s, m, K, y);
        }
    reach = fmax(fabs(best - rho), 1 / m);
    a = fmax(0, fmin(best - reach, best / 2));
    b = fmin(1, fmax(best + reach, (1 + best) / 2));
    if (best == rho)
        reach = 1;
    x = golden_section(s, m, K, fmax(a, best - reach), fmin(b, best + reach));
    return saddle_exponent(s, m, K, x) > best_value ? x : best;
}

/* About log V, given the saddle point. */
double saddle_log_value(const power_context_t s, double m, double K, double x0)
{
    double w = s->w_sum + K;
    double slope = s->slope / w;
    double small = slope * slope / 2 * s->rho * s->rho_complement / m, large;
    if (s->is_one)
        return d_log(w * small);
    small *= s->lambda * s->lambda_minus_1;
    large = saddle_exponent(s, m, K, x0) - d_log(w);
    if (large > 1)
        return large + d_log(w);
    return d_log(w * d_expm1(fmin(small, 1)));
}
