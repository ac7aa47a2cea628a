/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "law/law.h"

#include "enclosure/inverse.h"

static void no_infinite(arf_t infinite, const shuf_law_struct *self, shuf_direction direction)
{
    (void) self;
    (void) direction;
    arf_zero(infinite);
}

void shuf_law_init(shuf_law_t law)
{
    *law = (shuf_law_struct) { .infinite = no_infinite };
    fmpq_init(law->moment);
    fmpq_init(law->gaussian);
}

void shuf_law_clear(shuf_law_t law)
{
    if (law->clear != NULL)
        law->clear(law);
    fmpq_clear(law->moment);
    fmpq_clear(law->gaussian);
    shuf_law_init(law);
}

void shuf_law_set_moment(shuf_law_t law, const fmpq_t shift, ulong factor)
{
    fmpq_mul_ui(law->moment, shift, factor);
    fmpq_div_2exp(law->moment, law->moment, 1);
}

void shuf_law_set_moment_of_noise(shuf_law_t law, const fmpq_t noise, ulong factor)
{
    fmpq_t shift;
    fmpq_init(shift);
    fmpq_mul(shift, noise, noise);
    fmpq_inv(shift, shift);
    shuf_law_set_moment(law, shift, factor);
    fmpq_clear(shift);
}

int shuf_law_has_moments(const shuf_law_struct *law)
{
    return !fmpq_is_zero(law->moment) || law->log_moment != NULL;
}

void shuf_law_log_moment(arb_t v, const shuf_law_struct *law, const arb_t order, slong prec)
{
    arb_t u;
    if (law->log_moment != NULL)
        law->log_moment(v, law, order, prec);
    if (fmpq_is_zero(law->moment))
        return;
    arb_init(u);
    arb_sub_ui(u, order, 1, prec);
    arb_mul(u, u, order, prec);
    shuf_ball_mul_fmpq(u, u, law->moment, prec);
    if (law->log_moment != NULL)
        arb_min(v, v, u, prec);
    else
        arb_swap(v, u);
    arb_clear(u);
}

int shuf_law_equal(const shuf_law_struct *x, const shuf_law_struct *y)
{
    return x == y || (x->same != NULL && x->same == y->same && x->same(x, y));
}

int shuf_law_is_of_pair(const shuf_law_t law)
{
    return law->pair != NULL || law->sample != NULL;
}

int shuf_law_max_loss(shuf_real_t loss, const shuf_law_t law)
{
    if (law->max_loss == NULL || !law->max_loss(loss, law))
        return 0;
    if (law->second != NULL)
        shuf_real_twice(loss, loss);
    return 1;
}

/* ---- the loss ---- */

void shuf_loss_init(shuf_loss_t loss)
{
    arb_init(loss->variance);
    arb_init(loss->largest);
    arb_init(loss->shift);
    arb_init(loss->infinite);
    arb_init(loss->lost);
    loss->count = 0;
    loss->value = loss->mass = NULL;
    loss->filter = NULL;
    loss->owned = NULL;
    loss->rounds = loss->log_least = 0;
}

void shuf_loss_clear(shuf_loss_t loss)
{
    arb_clear(loss->variance);
    arb_clear(loss->largest);
    arb_clear(loss->shift);
    arb_clear(loss->infinite);
    arb_clear(loss->lost);
    if (loss->value != NULL)
        _arb_vec_clear(loss->value, 2 * loss->count);
    flint_free(loss->owned);
}

void shuf_loss_set_count(shuf_loss_t loss, slong count)
{
    loss->count = count;
    loss->value = _arb_vec_init(2 * count);
    loss->mass = loss->value + count;
}

#define MOST_OUTCOMES 4096 /* steers only */

/* Of outcomes that both laws have. */
static int loss_of_outcomes(shuf_loss_t loss, const shuf_law_struct *law, shuf_direction direction, slong prec)
{
    const slong count = law->outcomes(NULL, NULL, law, MOST_OUTCOMES, prec);
    arb_ptr p, q;
    slong i;
    int known;
    if (count == 0)
        return 0;
    shuf_loss_set_count(loss, count);
    p = direction == SHUF_DIRECTION_PQ ? loss->mass : loss->value;
    q = direction == SHUF_DIRECTION_PQ ? loss->value : loss->mass;
    known = law->outcomes(p, q, law, MOST_OUTCOMES, prec) > 0;
    for (i = 0; i < count && known; i++)
    {
        if (arb_is_zero(&loss->mass[i]))
        {
            arb_zero(&loss->value[i]);
            continue;
        }
        known = arb_is_positive(&loss->mass[i]) && arb_is_positive(&loss->value[i]);
        arb_div(&loss->value[i], &loss->mass[i], &loss->value[i], prec);
        arb_log(&loss->value[i], &loss->value[i], prec);
    }
    return known;
}

int shuf_law_loss(shuf_loss_t loss, const shuf_law_struct *law, shuf_direction direction, slong prec)
{
    if (law->loss != NULL && loss->rounds >= law->loss_rounds)
        return law->loss(loss, law, direction, prec);
    return law->outcomes != NULL && loss_of_outcomes(loss, law, direction, prec);
}

/* ---- inverse ---- */

typedef struct
{
    const shuf_law_struct *law;
    shuf_direction direction;
} inverse_data;

static shuf_status inverse_delta(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    const inverse_data *d = data;
    return d->law->delta(r, NULL, d->law, eps, d->direction, options);
}

static double inverse_estimate(double eps, const void *data)
{
    const inverse_data *d = data;
    return d->law->log_estimate(d->law, eps);
}

/* Whether a larger mass than delta has an infinite loss, so that no eps is enough. */
static int has_infinite(const shuf_law_struct *law, const shuf_real_t delta, shuf_direction direction)
{
    static const shuf_direction both[] = { SHUF_DIRECTION_PQ, SHUF_DIRECTION_QP };
    arf_t mass;
    int i, found = 0;
    arf_init(mass);
    for (i = 0; i < 2 && law->infinite != NULL; i++)
    {
        arf_zero(mass);
        if (direction == SHUF_DIRECTION_BOTH || direction == both[i])
            law->infinite(mass, law, both[i]);
        found |= shuf_real_cmp_arf(delta, mass) < 0;
    }
    arf_clear(mass);
    return found;
}

shuf_status shuf_law_invert(shuf_enclosure_t r, const shuf_law_struct *law, const shuf_real_t delta, shuf_direction direction, slong most,
                            const shuf_options *options)
{
    const inverse_data data = { law, direction };
    const inverse_problem p = { inverse_delta, &data, NULL, most, law->log_estimate != NULL ? inverse_estimate : NULL, 0 };
    if (has_infinite(law, delta, direction))
    {
        shuf_enclosure_zero(r);
        arf_pos_inf(r->lo);
        arf_pos_inf(r->hi);
        return r->status = SHUF_DOMAIN;
    }
    return inverse_find(r, &p, delta, options);
}

/* ---- point by point ---- */

static shuf_status evaluate_points(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                                   const shuf_options *options)
{
    const shuf_law_struct *of = self->data;
    const double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_status status = SHUF_OK;
    shuf_datasets where;
    shuf_enclosure_t r;
    shuf_real_t eps;
    slong i;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    for (i = 0; i < count; i++)
    {
        shuf_share(&o, limit, 1.0 / (double) (count - i));
        shuf_real_set_arf(eps, s + i);
        if (of->delta(r, &where, of, eps, direction, &o) != SHUF_OK)
            status = SHUF_ACCURACY;
        arf_set(lo + i, r->lo);
        arf_set(hi + i, r->hi);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    return status;
}

static void above_points(arf_t hi, const shuf_law_struct *self, shuf_direction direction, const arf_t s)
{
    const shuf_law_struct *of = self->data;
    of->above(hi, of, direction, s);
}

void shuf_law_set_by_points(shuf_law_t law, const shuf_law_struct *of)
{
    shuf_law_init(law);
    law->evaluate = evaluate_points;
    law->has_single_points = 1;
    law->symmetric = of->symmetric;
    law->above = of->above != NULL ? above_points : NULL;
    law->data = (void *) of;
}
