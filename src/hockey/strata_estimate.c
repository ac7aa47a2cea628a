/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Where the sum over strata lives: estimates in doubles, no guarantee. */
#include <math.h>

#include "enclosure/elementary.h"
#include "enclosure/steer.h"
#include "hockey/hockey.h"
#include "hockey/stratum.h"

void estimate_set(estimate_parameters *e, const stratum_context_t s)
{
    const shuf_pair_weights_struct *w = s->weights;
    e->others = (double) s->others;
    e->count = steer_midpoint(w->count);
    e->count_complement = steer_midpoint(w->count_complement);
    e->rho = steer_midpoint(w->rho);
    e->rho_complement = steer_midpoint(w->rho_complement);
    e->slope = steer_midpoint(s->slope);
    e->scaled_kappa = steer_midpoint(s->scaled_kappa);
    e->u = steer_midpoint(s->u);
    e->v = steer_midpoint(s->sum) - e->u;
    e->kappa = steer_midpoint(s->kappa);
    e->rest_factor = w->rest_is_random ? steer_midpoint(w->rest) : 1.0;
}

/* About log V(c, K_c). */
static double log_value(const estimate_parameters *e, double c)
{
    double rest = (e->others - c) * e->rest_factor, x = e->slope + e->scaled_kappa * rest / (c + 1);
    if (x > 1 + 1e-9)
        return -HUGE_VAL;
    return x > e->rho ? -(c + 1) * steer_relative_entropy(x, e->rho, e->rho_complement) : 0;
}

/* About log(Pr[C = c] V(c, K_c)). */
static double log_contribution(const estimate_parameters *e, double c)
{
    double value = log_value(e, c);
    if (e->others > 0)
        value -= e->others * steer_relative_entropy(c / e->others, e->count, e->count_complement);
    return value;
}

/* By golden section: it is unimodal. */
double estimate_peak(const estimate_parameters *e)
{
    double a = 0, b = e->others;
    double c = b - STEER_GOLDEN * (b - a), d = a + STEER_GOLDEN * (b - a);
    double fc = log_contribution(e, c), fd = log_contribution(e, d);
    int i;
    for (i = 0; i < 200 && b - a > 0.5; i++)
    {
        if (fc > fd)
        {
            b = d; d = c; fd = fc;
            c = b - STEER_GOLDEN * (b - a);
            fc = log_contribution(e, c);
        }
        else
        {
            /* on a plateau of impossible values the peak is to the right */
            a = c; c = d; fc = fd;
            d = a + STEER_GOLDEN * (b - a);
            fd = log_contribution(e, d);
        }
    }
    a = floor((a + b) / 2);
    return a < e->others && log_contribution(e, a + 1) > log_contribution(e, a) ? a + 1 : a;
}

/* Between top, which contributes at least `least`, and an end that does not: the last that does, by bisection. */
static double window_end(const estimate_parameters *e, double top, double end, double least)
{
    int i;
    for (i = 0; i < 64 && fabs(end - top) > 1; i++)
    {
        double middle = floor((top + end) / 2);
        if (log_contribution(e, middle) >= least)
            top = middle;
        else
            end = middle;
    }
    return end;
}

int estimate_window(ulong *first, ulong *last, const estimate_parameters *e, ulong top, double nats)
{
    const double least = log_contribution(e, (double) top) - nats;
    *first = (ulong) FLINT_MAX(window_end(e, (double) top, -1, least), 0);
    *last = (ulong) FLINT_MIN(window_end(e, (double) top, e->others + 1, least), e->others);
    return log_value(e, (double) *last) > log_value(e, (double) *first);
}

/* About the log of what Lemma 4 (b) says of m >= edge, or of m <= edge. */
static double log_tilted(const estimate_parameters *e, int above, double edge, double tau)
{
    const double n = e->others + 1;
    const double seen = e->count * (e->rho * d_exp(tau * e->u / e->rho) + e->rho_complement * d_exp(tau * e->v / e->rho_complement));
    const double unseen = e->count_complement * (e->rest_factor * d_exp(-tau * e->kappa) + 1 - e->rest_factor);
    const double moment = seen + unseen, p = seen / moment;
    double value = n * d_log(moment) - d_log(tau);
    if (above ? edge > n * p : edge < n * p)
        value -= n * steer_relative_entropy(edge / n, p, 1 - p);
    return value;
}

double estimate_tilt(const estimate_parameters *e, int above, double edge)
{
    /* twice where the first term alone outgrows what the others are at 0 */
    const double others = e->count_complement * e->kappa - e->count * e->v;
    double a = 0, b = 2 * e->rho / e->u * d_log(others / (e->count * e->u) + 1);
    int i;
    for (i = 0; i < 100; i++)
    {
        const double c = b - STEER_GOLDEN * (b - a), d = a + STEER_GOLDEN * (b - a);
        if (log_tilted(e, above, edge, c) < log_tilted(e, above, edge, d))
            b = d;
        else
            a = c;
    }
    return b;
}

double shuf_hockey_log_estimate(const shuf_pair_t pair, shuf_direction direction, double eps)
{
    stratum_context_t s;
    estimate_parameters e;
    shuf_real_t x;
    double value = -HUGE_VAL;
    shuf_real_init(x);
    stratum_context_init(s);
    if (shuf_real_set_d(x, eps) == 0 && stratum_context_set(s, pair, x, direction, 128))
    {
        estimate_set(&e, s);
        value = log_contribution(&e, estimate_peak(&e));
    }
    stratum_context_clear(s);
    shuf_real_clear(x);
    return value;
}
