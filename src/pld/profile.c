/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/profile.h"

#include "fast/fast.h"
#include "hockey/hockey.h"
#include "pld/nodes.h"

/* Elementary steps that evaluating in one sweep may take: some ten seconds. */
#define SWEEP_WORK 4e9

/*
 * Beyond this, ball arithmetic. A sweep and the fast path reach 10 to 13
 * digits, 8 for n = 10^9; what they lack is not worth a hundred times their
 * time.
 */
#define DOUBLE_DIGITS 12
#define DOUBLE_ACCURACY 1e-7
#define DOUBLE_LEAST 1e-280 /* smaller values are known from above only */

static void clamp_to_unit(arf_t lo, arf_t hi)
{
    if (arf_sgn(lo) < 0)
        arf_zero(lo);
    if (arf_cmp_si(hi, 1) > 0)
        arf_one(hi);
}

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
    clamp_to_unit(lo, hi);
    shuf_real_clear(eps);
    return status;
}

static shuf_status evaluate_pair(arf_ptr lo, arf_ptr hi, const shuf_profile *self, shuf_direction direction, arf_srcptr s,
                                 slong count, const shuf_options *options)
{
    const shuf_pair_struct *pair = self->data;
    double deadline = options->max_seconds > 0 ? shuf_seconds() + options->max_seconds : 0;
    shuf_status status = SHUF_OK;
    shuf_options o = *options;
    slong i;
    if (options->digits <= DOUBLE_DIGITS && pld_nodes(lo, hi, pair, direction, s, count, SWEEP_WORK, deadline))
    {
        for (i = 0; i < count; i++)
            clamp_to_unit(lo + i, hi + i);
        return SHUF_OK;
    }
    for (i = 0; i < count; i++)
    {
        if (deadline > 0)
            o.max_seconds = deadline - shuf_seconds() > 1e-3 ? deadline - shuf_seconds() : 1e-3;
        if (evaluate_point(lo + i, hi + i, pair, direction, s + i, &o) != SHUF_OK)
            status = SHUF_ACCURACY;
        if (deadline > 0 && shuf_seconds() > deadline)
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

/*
 * A loss is infinite only if w1 = 0. Then outcomes without a B are unseen by
 * Q, provided that w2 = 0: mass w0 (1-r1)^(n-1).
 */
static void infinite_pair(arf_t infinite, const shuf_profile *self, shuf_direction direction)
{
    const shuf_pair_struct *pair = self->data;
    const slong prec = 192;
    shuf_pair_weights_t w;
    shuf_real_t loss;
    arb_t t;
    arf_zero(infinite);
    shuf_real_init(loss);
    if (shuf_pair_max_loss(loss, pair))
    {
        shuf_real_clear(loss);
        return;
    }
    shuf_real_clear(loss);
    shuf_pair_weights_init(w);
    arb_init(t);
    shuf_pair_get_weights(w, pair, direction, prec);
    if (arb_is_zero(w->w1) && arb_is_zero(w->w2) && !w->rest_is_random)
    {
        arb_mul(t, w->count, w->rho_complement, prec);
        arb_sub_ui(t, t, 1, prec);
        arb_neg(t, t);
        arb_pow_ui(t, t, pair->n - 1, prec);
        arb_mul(t, t, w->w0, prec);
        arb_mul(t, t, w->scale, prec);
        arb_get_lbound_arf(infinite, t, prec);
        if (arf_sgn(infinite) < 0)
            arf_zero(infinite);
    }
    shuf_pair_weights_clear(w);
    arb_clear(t);
}

static int max_loss_pair(shuf_real_t loss, const shuf_profile *self)
{
    return shuf_pair_max_loss(loss, self->data);
}

void shuf_profile_pair(shuf_profile *profile, const shuf_pair_t pair)
{
    profile->evaluate = evaluate_pair;
    profile->infinite = infinite_pair;
    profile->data = pair;
    profile->symmetric = shuf_pair_is_symmetric(pair);
    profile->max_loss = max_loss_pair;
}
