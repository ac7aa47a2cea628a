/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "law/closed_law.h"

/* Bits beyond those asked for to begin with, what cancels in the tails; and the most. Steer only. */
#define GUARD_BITS 32
#define MAX_PREC 8192

/* Units of work of a value beside what its formula charges itself. Steers only. */
#define VALUE_WORK 2000.0

/* A point eps >= 0: a dyadic number, or a parameter; the other one is NULL. */
typedef struct
{
    arf_srcptr dyadic;
    const shuf_real_struct *real;
} point_struct;

static void set_excess(arb_t excess, const point_struct *at, slong prec)
{
    if (at->dyadic != NULL)
    {
        arb_set_arf(excess, at->dyadic);
        arb_expm1(excess, excess, prec);
        return;
    }
    shuf_real_exp(excess, at->real, prec);
    arb_sub_ui(excess, excess, 1, prec);
    arb_nonnegative_part(excess, excess);
}

/* Whether the point is at least the largest loss, if there is one. */
static int is_beyond(const shuf_law_struct *law, const point_struct *at)
{
    shuf_real_t loss;
    int beyond;
    if (law->max_loss == NULL)
        return 0;
    shuf_real_init(loss);
    beyond = law->max_loss(loss, law) && (at->dyadic != NULL ? shuf_real_cmp_arf(loss, at->dyadic) <= 0 : shuf_real_cmp(loss, at->real) <= 0);
    shuf_real_clear(loss);
    return beyond;
}

/* A direction, or the larger of both. */
static void value_at(arb_t v, const shuf_law_struct *law, shuf_direction direction, const arb_t excess, slong prec)
{
    arb_t other;
    law->value(v, law, direction == SHUF_DIRECTION_QP ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, excess, prec);
    if (direction != SHUF_DIRECTION_BOTH || law->symmetric)
        return;
    arb_init(other);
    law->value(other, law, SHUF_DIRECTION_QP, excess, prec);
    arb_max(v, v, other, prec);
    arb_clear(other);
}

/* v encloses the divergence at the point, with so many bits of relative accuracy if that can be had. Returns whether it has them. */
static int enclose(arb_t v, const shuf_law_struct *law, shuf_direction direction, const point_struct *at, slong bits)
{
    slong prec;
    arb_t excess;
    int accurate = is_beyond(law, at);
    arb_init(excess);
    arb_unit_interval(v);
    if (accurate)
        arb_zero(v);
    for (prec = bits + GUARD_BITS; !accurate && prec <= MAX_PREC && !shuf_exhausted(0); prec *= 2)
    {
        shuf_charge(VALUE_WORK);
        set_excess(excess, at, prec);
        value_at(v, law, direction, excess, prec);
        accurate = arb_is_zero(v) || (arb_is_finite(v) && arb_rel_accuracy_bits(v) >= bits);
    }
    if (!arb_is_finite(v))
        arb_unit_interval(v);
    arb_clear(excess);
    return accurate;
}

static slong bits_for(slong digits)
{
    return (slong) ((double) digits * 3.33) + 8;
}

static shuf_status evaluate(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                            const shuf_options *options)
{
    double limit = shuf_limit(options);
    shuf_status status = SHUF_OK;
    arb_t v;
    slong i;
    arb_init(v);
    for (i = 0; i < count; i++)
    {
        const point_struct at = { s + i, NULL };
        if (shuf_exhausted(limit))
        {
            /* the profile falls */
            status = SHUF_ACCURACY;
            arf_zero(lo + i);
            if (i > 0)
                arf_set(hi + i, hi + i - 1);
            else
                arf_one(hi + i);
            continue;
        }
        if (!enclose(v, self, direction, &at, bits_for(options->digits)))
            status = SHUF_ACCURACY;
        arb_get_lbound_arf(lo + i, v, 2 * MAG_BITS + 64);
        arb_get_ubound_arf(hi + i, v, 2 * MAG_BITS + 64);
        shuf_ends_cut(lo + i, hi + i);
    }
    arb_clear(v);
    return status;
}

static shuf_status closed_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                                shuf_direction direction, const shuf_options *options)
{
    const point_struct at = { NULL, eps };
    double start = shuf_work();
    slong bits = bits_for(options->digits);
    arb_t v;
    (void) where;
    arb_init(v);
    enclose(v, self, direction, &at, bits);
    shuf_enclosure_set_arb(r, v, bits + GUARD_BITS);
    shuf_ends_cut(r->lo, r->hi);
    r->ledger.work = shuf_work() - start;
    arb_clear(v);
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

static shuf_status closed_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                                  shuf_direction direction, const shuf_options *options)
{
    shuf_real_t loss;
    int is_loss;
    (void) where;
    shuf_real_init(loss);
    is_loss = shuf_real_sgn(delta) == 0 && self->max_loss != NULL && self->max_loss(loss, self);
    if (is_loss)
    {
        arb_t v;
        arb_init(v);
        shuf_real_get_arb(v, loss, bits_for(options->digits) + GUARD_BITS);
        shuf_enclosure_set_arb(r, v, bits_for(options->digits) + GUARD_BITS);
        arb_clear(v);
    }
    shuf_real_clear(loss);
    if (is_loss)
        return r->status = SHUF_OK;
    return shuf_law_invert(r, self, delta, direction, SHUF_CLOSED_MOST_EPSILON, options);
}

void shuf_law_set_closed(shuf_law_t law, shuf_closed_value value)
{
    law->value = value;
    law->evaluate = evaluate;
    law->delta = closed_delta;
    law->epsilon = closed_epsilon;
}

static shuf_status closed_renyi(shuf_enclosure_t r, const shuf_law_struct *self, const shuf_real_t order, shuf_direction direction,
                                const shuf_options *options)
{
    const slong bits = bits_for(options->digits);
    slong prec;
    arb_t a, v;
    (void) direction;
    arb_init(a);
    arb_init(v);
    for (prec = bits + GUARD_BITS; prec <= MAX_PREC; prec *= 2)
    {
        shuf_charge(VALUE_WORK);
        shuf_real_get_arb(a, order, prec);
        self->renyi_value(v, self, a, shuf_real_cmp_si(order, 1) == 0, prec);
        if (arb_is_finite(v) && arb_rel_accuracy_bits(v) >= bits)
            break;
    }
    if (arb_is_finite(v))
    {
        shuf_enclosure_set_value(r, v, bits + GUARD_BITS);
    }
    else
    {
        shuf_enclosure_unknown(r, 0);
    }
    arb_clear(a);
    arb_clear(v);
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

void shuf_law_set_closed_renyi(shuf_law_t law, shuf_closed_renyi value)
{
    law->renyi_value = value;
    law->renyi = closed_renyi;
}

void shuf_closed_thinned(arb_t v, shuf_closed_base value, const void *base, const fmpq_t rate, shuf_direction direction, const arb_t excess, slong prec)
{
    arb_t factor, inner;
    arb_init(factor);
    arb_init(inner);
    arb_set_fmpq(factor, rate, prec);
    if (direction == SHUF_DIRECTION_QP)
    {
        /* rate - excess (1 - rate) */
        arb_sub_ui(inner, factor, 1, prec);
        arb_addmul(factor, inner, excess, prec);
    }
    if (arb_is_positive(factor))
    {
        arb_div(inner, excess, factor, prec);
        value(v, base, inner, prec);
        arb_mul(v, v, factor, prec);
    }
    else if (arb_is_nonpositive(factor))
    {
        arb_zero(v);
    }
    else
    {
        /* from 0 to factor */
        arb_zero(v);
        arb_union(v, v, factor, prec);
        arb_nonnegative_part(v, v);
    }
    arb_clear(factor);
    arb_clear(inner);
}
