/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The step of Poisson sampling, in closed form: proofs/dpsgd.md, Lemma 2; its loss for compositions, Lemmas 3 and 6. */
#include "batch/batch_law.h"

#include "batch/step_loss.h"
#include "tradeoff/gdp.h"

/* Bits beyond those asked for to begin with, what cancels in the tails; and the most. Steer only. */
#define GUARD_BITS 32
#define MAX_PREC 8192

/* Units of work of a value beside its normal tails. Steers only. */
#define VALUE_WORK 2000.0

typedef struct
{
    fmpq_t shift, rate;
    step_loss loss[3]; /* of PQ and of QP, and of PQ if few steps take part */
    shuf_summand law[3];
} step_struct;

/*
 * v := the divergence at alpha = 1 + excess, or a ball around it. One direction multiplies the Gaussian profile by the rate, the other by
 * beta = rate - excess (1 - rate).
 */
static void divergence(arb_t v, const step_struct *x, shuf_direction direction, const arb_t excess, slong prec)
{
    arb_t factor, point, mu;
    arb_init(factor);
    arb_init(point);
    arb_init(mu);
    arb_set_fmpq(factor, x->rate, prec);
    if (direction == SHUF_DIRECTION_QP)
    {
        arb_sub_ui(point, factor, 1, prec);
        arb_addmul(factor, point, excess, prec);
    }
    if (arb_is_positive(factor))
    {
        arb_div(point, excess, factor, prec);
        arb_log1p(point, point, prec);
        arb_set_fmpq(mu, x->shift, prec);
        arb_sqrt(mu, mu, prec);
        shuf_gdp_delta_arb(v, mu, point, prec);
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
    arb_clear(point);
    arb_clear(mu);
}

/* A direction, or the larger of both. */
static void divergence_at(arb_t v, const step_struct *x, shuf_direction direction, const arb_t excess, slong prec)
{
    arb_t other;
    if (direction != SHUF_DIRECTION_BOTH)
    {
        divergence(v, x, direction, excess, prec);
        return;
    }
    arb_init(other);
    divergence(v, x, SHUF_DIRECTION_PQ, excess, prec);
    divergence(other, x, SHUF_DIRECTION_QP, excess, prec);
    arb_max(v, v, other, prec);
    arb_clear(other);
}

/* A point: a dyadic number, or a parameter. */
typedef struct
{
    arf_srcptr dyadic;
    const shuf_real_struct *real;
} point_struct;

/* v encloses the divergence at the point, with so many bits of relative accuracy if that can be had. Returns whether it has them. */
static int enclose(arb_t v, const step_struct *x, shuf_direction direction, const point_struct *at, slong bits)
{
    slong prec = bits + GUARD_BITS;
    arb_t excess;
    int accurate = 0;
    arb_init(excess);
    arb_unit_interval(v);
    for (; !accurate && prec <= MAX_PREC && !shuf_exhausted(0); prec *= 2)
    {
        shuf_charge(VALUE_WORK);
        if (at->dyadic != NULL)
        {
            arb_set_arf(excess, at->dyadic);
            arb_expm1(excess, excess, prec);
        }
        else
        {
            shuf_real_exp(excess, at->real, prec);
            arb_sub_ui(excess, excess, 1, prec);
            arb_nonnegative_part(excess, excess);
        }
        divergence_at(v, x, direction, excess, prec);
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

/* ---- the profile ---- */

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
        if (!enclose(v, self->data, direction, &at, bits_for(options->digits)))
            status = SHUF_ACCURACY;
        arb_get_lbound_arf(lo + i, v, 2 * MAG_BITS + 64);
        arb_get_ubound_arf(hi + i, v, 2 * MAG_BITS + 64);
        if (arf_sgn(lo + i) < 0)
            arf_zero(lo + i);
        if (arf_cmp_si(hi + i, 1) > 0)
            arf_one(hi + i);
    }
    arb_clear(v);
    return status;
}

#define POWER_PREC 256 /* steers only */
#define FEW_PARTICIPATIONS 5.0 /* expected: then one of them alone may make the loss large. Steers only. */

/* By lines of the transform of the loss. */
static shuf_status power(shuf_enclosure_t r, const shuf_law_struct *self, uint64_t rounds, shuf_direction direction, const shuf_real_t eps,
                         const shuf_options *options)
{
    const step_struct *x = self->data;
    shuf_status status;
    int few = fmpq_get_d(x->rate) * (double) rounds < FEW_PARTICIPATIONS;
    arb_t K;
    arb_init(K);
    shuf_real_get_arb(K, eps, POWER_PREC);
    status = shuf_iidsum_hockey(r, &x->law[direction == SHUF_DIRECTION_QP ? 1 : few ? 2 : 0], rounds, K, options);
    arb_clear(K);
    return status;
}

static int same(const shuf_law_struct *self, const shuf_law_struct *other)
{
    const step_struct *x = self->data, *y = other->data;
    return fmpq_equal(x->shift, y->shift) && fmpq_equal(x->rate, y->rate);
}

/* ---- single points ---- */

static shuf_status delta_at(shuf_enclosure_t r, const step_struct *x, const shuf_real_t eps, shuf_direction direction,
                            const shuf_options *options)
{
    const point_struct at = { NULL, eps };
    double start = shuf_work();
    slong bits = bits_for(options->digits);
    arb_t v;
    arb_init(v);
    enclose(v, x, direction, &at, bits);
    shuf_enclosure_set_arb(r, v, bits + GUARD_BITS);
    if (arf_sgn(r->lo) < 0)
        arf_zero(r->lo);
    if (arf_cmp_si(r->hi, 1) > 0)
        arf_one(r->hi);
    r->ledger.work = shuf_work() - start;
    arb_clear(v);
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

static shuf_status law_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                             shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return delta_at(r, self->data, eps, direction, options);
}

/* The search for eps ends there, whatever may be asked of others: the closed form holds for all, and little noise over many epochs gives it. Steers only. */
#define MOST_EPSILON 1000000000

static shuf_status law_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                               shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return shuf_law_invert(r, self, delta, direction, MOST_EPSILON, options);
}

/* ---- the law ---- */

static void step_clear(shuf_law_struct *self)
{
    step_struct *x = self->data;
    fmpq_clear(x->shift);
    fmpq_clear(x->rate);
    flint_free(x);
}

void batch_law_step(shuf_law_t law, const fmpq_t shift, const fmpq_t rate)
{
    step_struct *x = flint_malloc(sizeof(*x));
    int i;
    fmpq_init(x->shift);
    fmpq_init(x->rate);
    fmpq_set(x->shift, shift);
    fmpq_set(x->rate, rate);
    for (i = 0; i < 3; i++)
    {
        x->loss[i] = (step_loss) { x->shift, x->rate, i == 1, i == 2 };
        step_loss_law(&x->law[i], &x->loss[i]);
    }
    shuf_law_init(law);
    law->delta = law_delta;
    law->epsilon = law_epsilon;
    law->clear = step_clear;
    law->evaluate = evaluate;
    law->data = x;
    law->symmetric = fmpq_is_one(rate);
    law->same = same;
    law->power = step_loss_exists(shift, rate) ? power : NULL;
}

/* The Gaussian mechanism with mu^2 = factor/noise^2. */
static void gaussian_law(shuf_law_t law, const fmpq_t noise, const fmpq_t factor)
{
    fmpq_t shift, one;
    fmpq_init(shift);
    fmpq_init(one);
    fmpq_one(one);
    fmpq_mul(shift, noise, noise);
    fmpq_div(shift, factor, shift);
    batch_law_step(law, shift, one);
    fmpq_clear(shift);
    fmpq_clear(one);
}

void batch_law_fixed(shuf_law_t law, const fmpq_t noise, uint64_t epochs)
{
    fmpq_t factor;
    fmpq_init(factor);
    fmpz_set_ui(fmpq_numref(factor), epochs);
    gaussian_law(law, noise, factor);
    fmpq_clear(factor);
}

void batch_law_sum(shuf_law_t law, const fmpq_t noise, uint64_t steps, uint64_t taking, uint64_t epochs)
{
    fmpq_t factor;
    fmpz_t square;
    fmpq_init(factor);
    fmpz_init_set_ui(square, taking);
    fmpz_mul(square, square, square);
    fmpz_mul_ui(square, square, epochs);
    fmpq_set_fmpz(factor, square);
    fmpz_set_ui(square, steps);
    fmpq_div_fmpz(factor, factor, square);
    gaussian_law(law, noise, factor);
    fmpq_clear(factor);
    fmpz_clear(square);
}
