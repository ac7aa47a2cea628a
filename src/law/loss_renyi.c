/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Renyi divergences of laws that tell their loss: proofs/renyi-profile.md, Lemma 5. */
#include "law/profile_renyi.h"

#include <math.h>

#include "enclosure/doubles.h"
#include "enclosure/steer.h"

#define PREC 160 /* steers only */

/* Units of work of a value of a loss. Steers only. */
#define VALUE_WORK 1500.0

/* Orders of moments are a + 2^k (steers only). */
#define LEAST_ORDER (-10)
#define MOST_ORDER 40

/* v := E e^{t value} over the values, t = order - 1. */
static void sum_values(arb_t v, const shuf_loss_struct *loss, const arb_t t)
{
    slong i;
    arb_t x;
    arb_init(x);
    arb_zero(v);
    for (i = 0; i < loss->count; i++)
    {
        arb_mul(x, loss->value + i, t, PREC);
        arb_exp(x, x, PREC);
        arb_addmul(v, x, loss->mass + i, PREC);
    }
    shuf_charge(VALUE_WORK * (double) loss->count);
    arb_clear(x);
}

/* v := the filter's factor times v, and its error. */
static void apply_filter(arb_t v, const shuf_loss_filter *filter, const arb_t t)
{
    acb_t s, factor;
    arb_t error;
    mag_t radius;
    acb_init(s);
    acb_init(factor);
    arb_init(error);
    mag_init(radius);
    acb_set_arb(s, t);
    filter->factor(factor, filter, s, PREC);
    arb_mul(v, v, acb_realref(factor), PREC);
    /* the error is convex in Re s: at the doubles on either side it is larger */
    arb_set_d(error, fmax(filter->log_error(filter, shuf_ball_end_d(t, 0), 0), filter->log_error(filter, shuf_ball_end_d(t, 1), 0)));
    arb_exp(error, error, PREC);
    arb_add_ui(acb_realref(s), t, 1, PREC);
    arb_mul(error, error, acb_realref(s), PREC);
    arb_mul(error, error, t, PREC);
    arb_get_mag(radius, error);
    arb_add_error_mag(v, radius);
    acb_clear(s);
    acb_clear(factor);
    arb_clear(error);
    mag_clear(radius);
}

/* v := what a mass of at most `lost` adds, by the moment of an order b > a: e^{moment (a-1)/(b-1)} lost^{(b-a)/(b-1)}, the least of several. */
static void lost_moment(arb_t v, const shuf_law_struct *law, const arb_t lost, const arb_t a)
{
    arb_t b, t, u, log_lost;
    slong k;
    arb_init(b); arb_init(t); arb_init(u); arb_init(log_lost);
    arb_log(log_lost, lost, PREC);
    arb_pos_inf(v);
    for (k = LEAST_ORDER; k <= MOST_ORDER; k++)
    {
        arb_one(b);
        arb_mul_2exp_si(b, b, k);
        arb_add(u, b, a, PREC);
        shuf_law_log_moment(t, law, u, PREC);
        arb_sub_ui(u, u, 1, PREC); /* b of the comment, less 1 */
        arb_mul(b, b, log_lost, PREC);
        arb_div(b, b, u, PREC);
        arb_mul(t, t, a, PREC);
        arb_div(t, t, u, PREC);
        arb_add(t, t, b, PREC);
        arb_exp(t, t, PREC);
        if (arb_is_finite(t))
            arb_min(v, v, t, PREC);
    }
    arb_clear(b); arb_clear(t); arb_clear(u); arb_clear(log_lost);
}

/* v := the moment E e^{(order-1) L}, one sided where mass is lost: of laws that are exactly those of the pair that the bound of moments is about. Returns 0 where it is not known. */
static int moment(arb_t v, const shuf_law_struct *law, const shuf_loss_struct *loss, const arb_t order)
{
    arb_t t, u;
    int known = arb_is_zero(loss->largest) && arb_is_zero(loss->infinite) && (arb_is_zero(loss->lost) || shuf_law_has_moments(law));
    if (!known)
        return 0;
    arb_init(t);
    arb_init(u);
    arb_sub_ui(t, order, 1, PREC);
    if (loss->count > 0)
        sum_values(v, loss, t);
    else
        arb_one(v);
    if (loss->filter != NULL)
        apply_filter(v, loss->filter, t);
    /* the normal part, and by how much values may be off */
    arb_mul(u, loss->variance, t, PREC);
    arb_mul(u, u, order, PREC);
    arb_mul_2exp_si(u, u, -1);
    arb_exp(u, u, PREC);
    arb_mul(v, v, u, PREC);
    arb_mul(u, loss->shift, t, PREC);
    arb_neg(t, u);
    arb_union(u, u, t, PREC);
    arb_exp(u, u, PREC);
    arb_mul(v, v, u, PREC);
    if (!arb_is_zero(loss->lost))
    {
        lost_moment(u, law, loss->lost, order);
        arb_zero(t);
        arb_union(u, u, t, PREC);
        arb_add(v, v, u, PREC);
    }
    arb_clear(t);
    arb_clear(u);
    return arb_is_finite(v) && arb_is_positive(v);
}

static int is_told(const shuf_law_struct *law, const shuf_options *options)
{
    if (law->loss == NULL && law->outcomes == NULL)
        return 0;
    if (law->prepare_loss != NULL)
        return law->prepare_loss(law, options);
    if (law->prepare != NULL)
        law->prepare(law, options);
    return 1;
}

shuf_status loss_renyi(shuf_enclosure_t r, const shuf_law_struct *law, const shuf_real_t order, shuf_direction direction, const shuf_options *options)
{
    static const shuf_direction both[] = { SHUF_DIRECTION_PQ, SHUF_DIRECTION_QP };
    const double start = shuf_work();
    shuf_loss_t loss;
    arb_t a, v, most;
    int d, known = shuf_real_cmp_si(order, 1) > 0 && is_told(law, options);
    if (!known)
        return shuf_enclosure_unknown(r, 0);
    arb_init(a); arb_init(v); arb_init(most);
    shuf_real_get_arb(a, order, PREC);
    for (d = 0; d < 2 && known; d++)
    {
        if ((direction != SHUF_DIRECTION_BOTH && direction != both[d]) || (d == 1 && direction == SHUF_DIRECTION_BOTH && law->symmetric))
            continue;
        shuf_loss_init(loss);
        known = shuf_law_loss(loss, law, both[d], PREC) && moment(v, law, loss, a);
        shuf_loss_clear(loss);
        arb_log(v, v, PREC);
        arb_max(most, most, v, PREC);
    }
    arb_sub_ui(a, a, 1, PREC);
    arb_div(most, most, a, PREC);
    known &= arb_is_finite(most);
    if (known)
    {
        shuf_enclosure_set_value(r, most, PREC);
        r->ledger.work = shuf_work() - start;
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    arb_clear(a); arb_clear(v); arb_clear(most);
    return known ? r->status : shuf_enclosure_unknown(r, 0);
}
