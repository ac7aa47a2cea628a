/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Where the sum over strata lives: estimates in doubles, no guarantee. */
#include <math.h>

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
    e->rest_factor = w->rest_is_random ? steer_midpoint(w->rest) : 1.0;
}

/* About log(Pr[C = c] V(c, K_c)). */
static double log_contribution(const estimate_parameters *e, double c)
{
    double rest = (e->others - c) * e->rest_factor;
    double x = e->slope + e->scaled_kappa * rest / (c + 1), value = 0;
    if (x > 1 + 1e-9)
        return -HUGE_VAL;
    if (e->others > 0)
        value -= e->others * steer_relative_entropy(c / e->others, e->count, e->count_complement);
    if (x > e->rho)
        value -= (c + 1) * steer_relative_entropy(x, e->rho, e->rho_complement);
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
