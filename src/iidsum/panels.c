/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Statement and proof: proofs/line.md, Lemma 9. */
#include "iidsum/panels.h"

#include <math.h>

#include "enclosure/elementary.h"

#define MAX_NODES (WORD(1) << 20) /* whose bounds are added up in doubles: Lemma 9 */

/* Steer only. */
#define NODE_WORK 5000.0
#define BOUND_WORK 3000.0

/* Bounds in doubles are multiplied by this: what their own rounding may amount to, many times over (Lemma 9). */
#define BOUND_SLACK 1.01
#define LEAST_BOUND 1e-290

/* No panel has to be better than this, relative to itself. Steers only. */
#define ENOUGH 1e-25

/* Any rho of Lemma 9 with an angle below the turn: steer only, but for that. */
#define RHO_STEP 1.25
#define RHO_STEPS 18

/* A bound of the error of Gauss's rule on the panel centre +- h. */
static double panel_error(const panel_integrand *f, double centre, double h)
{
    double best = HUGE_VAL, rho = 1;
    int i;
    for (i = 0; i < RHO_STEPS; i++)
    {
        double v, error;
        rho *= RHO_STEP;
        v = h * (rho - 1 / rho) / 2;
        if (v > f->turn)
            break;
        error = d_log(64.0 / 15) + d_log(h) + f->log_bound(f->data, centre, h * (rho + 1 / rho) / 2, v) - 2 * PANEL_POINTS * d_log(rho)
                - d_log1p(-1 / (rho * rho));
        if (error < best)
            best = error;
    }
    return BOUND_SLACK * d_exp(best) + LEAST_BOUND;
}

void panel_rule_init(panel_rule *g, slong prec)
{
    slong i;
    for (i = 0; i < PANEL_POINTS; i++)
    {
        const slong other = PANEL_POINTS - 1 - i; /* symmetric to it */
        arb_init(&g->root[i]);
        arb_init(&g->weight[i]);
        if (i <= other)
        {
            arb_hypgeom_legendre_p_ui_root(&g->root[i], &g->weight[i], PANEL_POINTS, (ulong) i, prec);
            continue;
        }
        arb_neg(&g->root[i], &g->root[other]);
        arb_set(&g->weight[i], &g->weight[other]);
    }
}

void panel_rule_clear(panel_rule *g)
{
    slong i;
    for (i = 0; i < PANEL_POINTS; i++)
    {
        arb_clear(&g->root[i]);
        arb_clear(&g->weight[i]);
    }
}

static void add_panel(shuf_quadrature *q, const panel_rule *g, const panel_integrand *f, const arb_t left, const arb_t right)
{
    slong prec = f->prec, i;
    arb_t centre, half, y, weight;
    arb_init(centre); arb_init(half); arb_init(y); arb_init(weight);
    arb_add(centre, left, right, prec);
    arb_sub(half, right, left, prec);
    arb_mul_2exp_si(centre, centre, -1);
    arb_mul_2exp_si(half, half, -1);
    for (i = 0; i < PANEL_POINTS; i++)
    {
        arb_mul(y, half, &g->root[i], prec);
        arb_add(y, y, centre, prec);
        arb_mul(weight, half, &g->weight[i], prec);
        f->add(q, f->data, y, weight);
    }
    shuf_charge(NODE_WORK * PANEL_POINTS);
    arb_clear(centre); arb_clear(half); arb_clear(y); arb_clear(weight);
}

static double as_double(const arb_t x)
{
    return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

int panels_add(shuf_quadrature *q, const panel_rule *g, const panel_integrand *f, const arb_t left, const arb_t right, double tolerance)
{
    arb_t here, next;
    double from = as_double(left), end = as_double(right), half = (end - from) / 2, share = 0.5 * tolerance / (end - from);
    int failed = 0;
    arb_init(here);
    arb_init(next);
    arb_set(here, left);
    while (!failed && from < end)
    {
        double error;
        half = fmin(2 * half, (end - from) / 2);
        while ((error = panel_error(f, from + half, half))
                   > LEAST_BOUND + 2 * half * fmax(share, ENOUGH * d_exp(f->log_bound(f->data, from + half, half, 0)))
               && half > 1e-9 * (end - from))
        {
            half /= 1.25;
            shuf_charge(BOUND_WORK);
        }
        if (from + 2 * half < end && from + 2.5 * half >= end)
            half = (end - from) / 4;
        if (from + 2 * half < end)
            arb_set_d(next, from + 2 * half);
        else
            arb_set(next, right);
        error = panel_error(f, from + half, half);
        failed = q->count > MAX_NODES || !isfinite(error) || !arb_lt(here, next);
        if (failed)
            break;
        q->error += error;
        add_panel(q, g, f, here, next);
        arb_swap(here, next);
        from = as_double(here);
    }
    arb_clear(here);
    arb_clear(next);
    return failed ? -1 : 0;
}
