/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "shuffle/moments.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "enclosure/steer.h"

/* From one node to the next, and from the first to the largest loss. Steers only. */
#define RATIO 1.02

#define BITS 128 /* of what is made of the nodes: steers only */

void moments_init(moments_t x, const shuf_randomiser_t randomiser, const shuf_sampling *sampling, const shuffled_case *only, const shuf_real_t loss)
{
    arb_t t;
    slong i;
    arb_init(t);
    shuf_real_get_arb(t, loss, BITS);
    x->randomiser = randomiser;
    x->sampling = sampling;
    x->has_only = only != NULL;
    if (only != NULL)
        x->only = *only;
    x->last = steer_midpoint(t) / RATIO;
    for (i = 0; i < MOMENTS_NODES; i++)
    {
        moments_node *v = x->node + i;
        v->is_known = 0;
        arb_init(v->theta); arb_init(v->beta); arb_init(v->log_moment); arb_init(v->alone);
    }
    arb_clear(t);
}

void moments_clear(moments_t x)
{
    slong i;
    for (i = 0; i < MOMENTS_NODES; i++)
    {
        moments_node *v = x->node + i;
        arb_clear(v->theta); arb_clear(v->beta); arb_clear(v->log_moment); arb_clear(v->alone);
    }
}

/* Node i. Returns whether anything is known there. */
static int look(moments_t x, slong i)
{
    moments_node *v = x->node + i;
    round_struct round;
    shuf_real_t eps;
    double theta = 0;
    arf_t end;
    if (v->is_known != 0)
        return v->is_known > 0;
    shuf_real_init(eps);
    arf_init(end);
    v->eps = x->last * d_exp(-(double) i * d_log(RATIO));
    shuf_real_set_d(eps, v->eps);
    round_init(&round, x->sampling, eps);
    v->is_known = largest_moment(v->log_moment, v->alone, &theta, x->randomiser, x->has_only ? &x->only : NULL, &round, eps) ? 1 : -1;
    if (v->is_known > 0)
    {
        arb_get_ubound_arf(end, v->log_moment, BITS);
        arb_set_arf(v->log_moment, end);
        arb_set_d(v->theta, theta);
        shuf_real_exp(v->beta, eps, BITS);
        arb_mul(v->beta, v->beta, v->theta, BITS);
    }
    round_clear(&round);
    shuf_real_clear(eps);
    arf_clear(end);
    return v->is_known > 0;
}

/* r := (1-t) a + t b */
static void between(arb_t r, const arb_t a, const arb_t b, const arb_t t)
{
    arb_sub(r, b, a, BITS);
    arb_mul(r, r, t, BITS);
    arb_add(r, r, a, BITS);
}

/* hi := the bound at s between node i and the one before it, of larger eps; at the first node itself beyond it (Lemma 4). */
static void set_bound(arf_t hi, const moments_struct *x, slong i, int is_beyond, const arf_t s)
{
    const moments_node *v = x->node + i, *w = is_beyond ? v : v - 1;
    arb_t alpha, t, u, theta;
    arb_init(alpha); arb_init(t); arb_init(u); arb_init(theta);
    if (!is_beyond)
    {
        arb_set_arf(alpha, s);
        arb_exp(alpha, alpha, BITS);
        /* where beta = alpha theta on the way from v to w */
        arb_mul(t, alpha, v->theta, BITS);
        arb_sub(t, t, v->beta, BITS);
        arb_sub(u, w->theta, v->theta, BITS);
        arb_mul(u, u, alpha, BITS);
        arb_sub(u, u, w->beta, BITS);
        arb_add(u, u, v->beta, BITS);
        arb_neg(u, u);
        arb_div(t, t, u, BITS);
    }
    between(theta, v->theta, w->theta, t);
    between(u, v->log_moment, w->log_moment, t);
    arb_sub_ui(u, u, 1, BITS);
    arb_exp(u, u, BITS);
    arb_div(u, u, theta, BITS);
    arb_div_ui(u, u, x->sampling->n, BITS);
    arb_add(u, u, v->alone, BITS);
    if (!x->sampling->is_poisson)
    {
        arb_set_fmpq(t, x->sampling->rate, BITS);
        arb_mul(u, u, t, BITS);
    }
    if (arb_is_finite(u))
        arb_get_ubound_arf(hi, u, BITS);
    arb_clear(alpha); arb_clear(t); arb_clear(u); arb_clear(theta);
}

void moments_above(arf_t hi, moments_t x, const arf_t s)
{
    const double place = d_log(x->last / arf_get_d(s, ARF_RND_NEAR)) / d_log(RATIO);
    slong i = place > 0 ? (place < MOMENTS_NODES ? (slong) place + 1 : MOMENTS_NODES) : 0;
    arf_one(hi);
    if (i < MOMENTS_NODES && look(x, i) && arf_cmp_d(s, x->node[i].eps) < 0) /* a rounding of the place */
        i++;
    if (i == MOMENTS_NODES || !look(x, i) || arf_cmp_d(s, x->node[i].eps) < 0)
        return;
    if (i == 0 || (look(x, i - 1) && arf_cmp_d(s, x->node[i - 1].eps) <= 0))
        set_bound(hi, x, i, i == 0, s);
    if (arf_cmp_si(hi, 1) > 0)
        arf_one(hi);
}
