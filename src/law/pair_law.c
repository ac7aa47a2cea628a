/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "law/law.h"

#include <math.h>

#include "fast/fast.h"
#include "hockey/hockey.h"
#include "hockey/nodes.h"
#include "hockey/stratum.h"
#include "law/pair_loss.h"
#include "pair/outcomes.h"
#include "renyi/renyi.h"

/* Elementary steps that evaluating in one sweep may take: some ten seconds. Steers only. */
#define SWEEP_WORK 4e9

/*
 * Beyond this, ball arithmetic. A sweep and the fast path reach 10 to 13
 * digits, 8 for n = 10^9; what they lack is not worth a hundred times their
 * time. Steer only.
 */
#define DOUBLE_DIGITS 12
#define DOUBLE_ACCURACY 1e-7
#define DOUBLE_LEAST 1e-280 /* smaller values are known from above only */

/* One point, by the double path when it is accurate enough, else in ball arithmetic. */
static shuf_status evaluate_point(arf_t lo, arf_t hi, const shuf_pair_t pair, shuf_direction direction, const arf_t s,
                                  const shuf_options *options)
{
    struct shuf_bound bound;
    shuf_enclosure_t r;
    shuf_real_t eps;
    shuf_status status = SHUF_ACCURACY;
    shuf_real_init(eps);
    shuf_real_set_arf(eps, s);
    if (options->digits <= DOUBLE_DIGITS && shuf_fast_delta(&bound, pair, eps, direction) != SHUF_DOMAIN
        && (bound.hi - bound.lo <= DOUBLE_ACCURACY * bound.hi || bound.hi <= DOUBLE_LEAST))
    {
        arf_set_d(lo, bound.lo);
        arf_set_d(hi, bound.hi);
        status = SHUF_OK;
    }
    else
    {
        shuf_enclosure_init(r);
        status = shuf_hockey_delta(r, pair, eps, direction, options);
        arf_set(lo, r->lo);
        arf_set(hi, r->hi);
        shuf_enclosure_clear(r);
    }
    shuf_ends_cut(lo, hi);
    shuf_real_clear(eps);
    return status;
}

static shuf_status evaluate_pair(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s,
                                 slong count, const shuf_options *options)
{
    const shuf_pair_struct *pair = self->pair;
    double limit = shuf_limit(options);
    shuf_status status = SHUF_OK;
    shuf_options o = *options;
    slong i;
    if (options->digits <= DOUBLE_DIGITS && hockey_nodes(lo, hi, pair, direction, s, count, SWEEP_WORK, limit))
    {
        for (i = 0; i < count; i++)
            shuf_ends_cut(lo + i, hi + i);
        return SHUF_OK;
    }
    for (i = 0; i < count; i++)
    {
        /* some points cost more than others */
        shuf_share(&o, limit, fmin(1, 4.0 / (double) (count - i)));
        if (evaluate_point(lo + i, hi + i, pair, direction, s + i, &o) != SHUF_OK)
            status = SHUF_ACCURACY;
        if (shuf_exhausted(limit))
        {
            /* the rest: the profile falls */
            for (status = SHUF_ACCURACY, i++; i < count; i++)
            {
                arf_zero(lo + i);
                arf_set(hi + i, hi + i - 1);
            }
        }
    }
    return status;
}

static double estimate_pair(const shuf_law_struct *self, double s)
{
    return shuf_hockey_log_estimate(self->pair, SHUF_DIRECTION_PQ, s);
}

static void above_pair(arf_t hi, const shuf_law_struct *self, shuf_direction direction, const arf_t s)
{
    shuf_real_t eps;
    shuf_real_init(eps);
    shuf_real_set_arf(eps, s);
    shuf_hockey_above(hi, self->pair, direction, eps);
    shuf_real_clear(eps);
}

static void infinite_pair(arf_t infinite, const shuf_law_struct *self, shuf_direction direction)
{
    shuf_pair_get_infinite(infinite, self->pair, direction);
}

static int max_loss_pair(shuf_real_t loss, const shuf_law_struct *self)
{
    return shuf_pair_max_loss(loss, self->pair);
}

static int same_pair(const shuf_law_struct *self, const shuf_law_struct *other)
{
    const shuf_pair_struct *p = self->pair, *q = other->pair;
    return p->kind == q->kind && p->n == q->n && p->k == q->k && shuf_real_cmp(p->eps0, q->eps0) == 0
           && fmpq_equal(p->gamma, q->gamma) && p->gamma_is_of_eps0 == q->gamma_is_of_eps0
           && fmpq_equal(p->rate, q->rate) && fmpq_equal(p->w0, q->w0) && fmpq_equal(p->w1, q->w1)
           && fmpq_equal(p->r0, q->r0) && fmpq_equal(p->r1, q->r1);
}

static slong outcomes_pair(arb_ptr p, arb_ptr q, const shuf_law_struct *self, slong most, slong prec)
{
    const shuf_pair_struct *pair = self->pair;
    return p == NULL ? pair_outcome_count(pair, most) : pair_outcomes(p, q, pair, prec);
}

static int loss_pair(shuf_loss_t loss, const shuf_law_struct *self, shuf_direction direction, slong prec)
{
    return pair_loss_tell(loss, self->pair, NULL, direction, prec);
}

/* ---- single points ---- */

static shuf_status pair_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                              shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return shuf_hockey_delta(r, self->pair, eps, direction, options);
}

static shuf_status pair_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                                shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return shuf_hockey_epsilon(r, self->pair, delta, direction, options);
}

/* The strata in doubles, where fast.h has the pair; other pairs come to doubles by themselves, for so few digits. */
static shuf_status fast_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                              shuf_direction direction, const shuf_options *options)
{
    struct shuf_bound b;
    shuf_status status = shuf_fast_enclosure(r, &b, shuf_fast_delta(&b, self->pair, eps, direction), options->digits);
    return status == SHUF_DOMAIN ? pair_delta(r, where, self, eps, direction, options) : status;
}

static shuf_status fast_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                                shuf_direction direction, const shuf_options *options)
{
    struct shuf_bound b;
    shuf_status status = shuf_fast_enclosure(r, &b, shuf_fast_epsilon(&b, self->pair, delta, direction), options->digits);
    return status == SHUF_DOMAIN ? pair_epsilon(r, where, self, delta, direction, options) : status;
}

static shuf_status pair_renyi(shuf_enclosure_t r, const shuf_law_struct *self, const shuf_real_t order, shuf_direction direction,
                              const shuf_options *options)
{
    return shuf_renyi_divergence(r, self->pair, order, direction, options);
}

static shuf_status fast_renyi(shuf_enclosure_t r, const shuf_law_struct *self, const shuf_real_t order, shuf_direction direction,
                              const shuf_options *options)
{
    struct shuf_bound b;
    shuf_status status = shuf_fast_enclosure(r, &b, shuf_fast_renyi(&b, self->pair, order, direction), options->digits);
    return status == SHUF_DOMAIN ? pair_renyi(r, self, order, direction, options) : status;
}

/* From so many rounds times users times the smaller probability of both counts on, and where nodes of the profile are dear: steer only. */
#define STRONG_ROUNDS 1e7
#define FAIR_ROUNDS 1e5
#define DEAR_NODES 3e5
#define CHEAP_NODES 2e4

void shuf_law_set_pair(shuf_law_t law, const shuf_pair_t pair)
{
    double strength;
    const int has_points = shuf_pair_has_engine(pair, SHUF_ENGINE_HOCKEY);
    shuf_law_init(law);
    law->evaluate = evaluate_pair;
    law->infinite = infinite_pair;
    law->pair = pair;
    law->symmetric = shuf_pair_is_symmetric(pair);
    law->max_loss = max_loss_pair;
    law->same = same_pair;
    law->above = has_points ? above_pair : NULL;
    law->log_estimate = has_points ? estimate_pair : NULL;
    law->outcomes = has_points ? outcomes_pair : NULL;
    law->delta = has_points ? pair_delta : NULL;
    law->epsilon = has_points ? pair_epsilon : NULL;
    law->renyi = pair_renyi;
    law->has_dear_renyi = has_points && hockey_is_wide_mixture(pair);
    if (pair_loss_exists(&strength, pair) && strength > CHEAP_NODES)
    {
        law->loss = loss_pair;
        law->has_dear_nodes = strength > DEAR_NODES;
        law->loss_rounds = (law->has_dear_nodes ? FAIR_ROUNDS : STRONG_ROUNDS) / strength;
    }
}

void shuf_law_hasten(shuf_law_t law)
{
    if (law->delta == pair_delta)
        law->delta = fast_delta;
    if (law->epsilon == pair_epsilon)
        law->epsilon = fast_epsilon;
    if (law->renyi == pair_renyi)
        law->renyi = fast_renyi;
}
