/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "law/sampled_law.h"

#include "enclosure/arf_vec.h"
#include "enclosure/inverse.h"
#include "law/pair_loss.h"

#define PREC 256 /* bits of the few operations on a value: steers only */

void shuf_sampled_init(shuf_sampled_t x)
{
    x->kind = SHUF_SAMPLED_FIXED_SIZE;
    x->base = NULL;
    fmpq_init(x->gamma);
}

void shuf_sampled_clear(shuf_sampled_t x)
{
    fmpq_clear(x->gamma);
}

int shuf_sampled_set(shuf_sampled_t x, shuf_sampled_kind kind, const shuf_law_struct *base, const fmpq_t gamma)
{
    if (fmpq_sgn(gamma) <= 0 || fmpz_cmp(fmpq_numref(gamma), fmpq_denref(gamma)) > 0)
        return -1;
    x->kind = kind;
    x->base = base;
    fmpq_set(x->gamma, gamma);
    return 0;
}

/* Whether the direction is the one in which REPLACED scales by beta. */
static int scales_by_beta(const shuf_sampled_struct *x, shuf_direction direction)
{
    return x->kind == SHUF_SAMPLED_REPLACED && direction == SHUF_DIRECTION_PQ;
}

/*
 * The base's point for the point log(1 + excess), and the factor of its value. Returns 0
 * unless the factor is certainly positive: the value is then at most its upper
 * bound, or 0.
 * Coq: Subsampling.replaced_gamma, Subsampling.replaced_beta, Subsets.subset_profile.
 */
static int base_point(arb_t point, arb_t factor, const shuf_sampled_struct *x, shuf_direction direction, const arb_t excess)
{
    arb_set_fmpq(factor, x->gamma, PREC);
    if (scales_by_beta(x, direction))
    {
        /* beta = gamma - (alpha-1)(1-gamma); the point is log(1 + (alpha-1)/beta) */
        arb_sub_ui(point, factor, 1, PREC);
        arb_addmul(factor, point, excess, PREC);
    }
    if (!arb_is_positive(factor))
        return 0;
    arb_div(point, excess, factor, PREC);
    arb_log1p(point, point, PREC);
    return 1;
}

/* The same of the point s. */
static int base_point_of(arb_t point, arb_t factor, const shuf_sampled_struct *x, shuf_direction direction, const arf_t s)
{
    arb_t excess;
    int exists;
    arb_init(excess);
    arb_set_arf(excess, s);
    arb_expm1(excess, excess, PREC);
    exists = base_point(point, factor, x, direction, excess);
    arb_clear(excess);
    return exists;
}

/* Doubles up to SHUF_MAX_EPSILON on either side of a point of the base: the profile falls between them. */
static void set_around(arf_t before, arf_t after, const arb_t point)
{
    arb_get_lbound_arf(before, point, PREC);
    arf_set_round(before, before, 53, ARF_RND_FLOOR);
    if (arf_sgn(before) < 0)
        arf_zero(before);
    arb_get_ubound_arf(after, point, PREC);
    arf_set_round(after, after, 53, ARF_RND_CEIL);
    if (arf_cmp_si(before, SHUF_MAX_EPSILON) > 0)
        arf_set_si(before, SHUF_MAX_EPSILON);
    if (arf_cmp_si(after, SHUF_MAX_EPSILON) > 0)
        arf_set_si(after, SHUF_MAX_EPSILON);
}

/* From the base's ends to those of the sample. */
static void multiply_ends(arf_t lo, arf_t hi, const arb_t factor)
{
    arb_t x;
    arb_init(x);
    arb_mul_arf(x, factor, lo, PREC);
    shuf_ball_least(lo, x, PREC);
    arb_mul_arf(x, factor, hi, PREC);
    arb_get_ubound_arf(hi, x, PREC);
    if (arf_cmp_si(hi, 1) > 0)
        arf_one(hi);
    arb_clear(x);
}

/* Coq: Divergence.hockey_decreasing, Subsampling.replaced_zero, Subsets.subset_dominated. */
static shuf_status evaluate_sampled(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction,
                                    arf_srcptr s, slong count, const shuf_options *options)
{
    const shuf_sampled_struct *x = self->sample;
    arf_ptr before, after, unused;
    arb_ptr factor;
    arb_t point;
    shuf_status status = SHUF_OK, other;
    slong i, exist;

    if (fmpq_is_one(x->gamma))
        return x->base->evaluate(lo, hi, x->base, direction, s, count, options);
    before = arf_vec_init(count);
    after = arf_vec_init(count);
    unused = arf_vec_init(count);
    factor = _arb_vec_init(count);
    arb_init(point);
    for (exist = 0; exist < count && base_point_of(point, factor + exist, x, direction, s + exist); exist++)
        set_around(before + exist, after + exist, point);
    if (exist > 0)
    {
        status = x->base->evaluate(unused, hi, x->base, direction, before, exist, options);
        other = x->base->evaluate(lo, unused, x->base, direction, after, exist, options);
        status = other == SHUF_OK ? status : other;
    }
    for (i = 0; i < count; i++)
    {
        if (i >= exist)
        {
            base_point_of(point, factor + i, x, direction, s + i);
            arf_zero(lo + i);
            arb_get_ubound_arf(hi + i, factor + i, PREC);
            if (arf_sgn(hi + i) < 0)
                arf_zero(hi + i);
            continue;
        }
        /* cut at SHUF_MAX_EPSILON, the value there is no lower bound */
        if (arf_cmp_si(after + i, SHUF_MAX_EPSILON) >= 0)
            arf_zero(lo + i);
        multiply_ends(lo + i, hi + i, factor + i);
    }
    arf_vec_clear(before, count);
    arf_vec_clear(after, count);
    arf_vec_clear(unused, count);
    _arb_vec_clear(factor, count);
    arb_clear(point);
    return status;
}

static void infinite_sampled(arf_t infinite, const shuf_law_struct *self, shuf_direction direction)
{
    const shuf_sampled_struct *x = self->sample;
    arb_t g;
    arb_init(g);
    x->base->infinite(infinite, x->base, direction);
    if (!fmpq_is_one(x->gamma))
    {
        /* with beta: P is seen wherever it is */
        if (!scales_by_beta(x, direction))
            arb_set_fmpq(g, x->gamma, PREC);
        arb_mul_arf(g, g, infinite, PREC);
        shuf_ball_least(infinite, g, PREC);
    }
    arb_clear(g);
}

static int max_loss_sampled(shuf_real_t loss, const shuf_law_struct *self)
{
    const shuf_sampled_struct *x = self->sample;
    shuf_real_t lo;
    if (x->base->max_loss == NULL || !x->base->max_loss(loss, x->base))
        return 0;
    shuf_real_init(lo);
    shuf_sampled_loss(lo, loss, loss, x->gamma);
    shuf_real_clear(lo);
    return 1;
}

static int same_sampled(const shuf_law_struct *self, const shuf_law_struct *other)
{
    const shuf_sampled_struct *x = self->sample, *y = other->sample;
    return x->kind == y->kind && fmpq_equal(x->gamma, y->gamma) && shuf_law_equal(x->base, y->base);
}

/* ---- single points ---- */

/* lo := x/q rounded down, x >= 0, q > 0; exactly when x is rational. */
static void divide_down(shuf_real_t lo, const shuf_real_t x, const fmpq_t q)
{
    fmpq_t t;
    arb_t a, b;
    arf_t low;
    if (!x->is_log)
    {
        fmpq_init(t);
        fmpq_div(t, x->q, q);
        shuf_real_set_fmpq(lo, t);
        fmpq_clear(t);
        return;
    }
    arb_init(a); arb_init(b); arf_init(low);
    shuf_real_get_arb(a, x, PREC);
    arb_set_fmpq(b, q, PREC);
    arb_div(a, a, b, PREC);
    shuf_ball_least(low, a, PREC);
    shuf_real_set_arf(lo, low);
    arb_clear(a); arb_clear(b); arf_clear(low);
}

/* r := factor times the pair's delta at an eps of [lo, hi]; delta falls. */
static shuf_status delta_between(shuf_enclosure_t r, const shuf_sampled_struct *x, const shuf_real_t lo, const shuf_real_t hi, const arb_t factor,
                                 shuf_direction direction, const shuf_options *options)
{
    shuf_real_t loss;
    shuf_enclosure_t e;
    shuf_real_init(loss);
    shuf_enclosure_init(e);
    shuf_enclosure_zero(r); /* beyond SHUF_MAX_EPSILON nothing is left of any pair that has a largest loss */
    r->status = SHUF_OK;
    if (shuf_real_cmp_si(lo, SHUF_MAX_EPSILON) > 0)
    {
        if (!shuf_law_max_loss(loss, x->base))
            shuf_enclosure_unknown(r, 1);
    }
    else if (x->base->delta(r, NULL, x->base, lo, direction, options) != SHUF_DOMAIN)
    {
        if (shuf_real_cmp(lo, hi) != 0)
        {
            if (x->base->delta(e, NULL, x->base, hi, direction, options) != SHUF_DOMAIN)
                arf_set(r->lo, e->lo);
            else
                arf_zero(r->lo);
        }
        multiply_ends(r->lo, r->hi, factor);
        shuf_enclosure_settle(r);
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    shuf_real_clear(loss);
    shuf_enclosure_clear(e);
    return r->status;
}

/*
 * One direction. Scaled by the rate: rate delta(eps'), e^eps' = 1 + (e^eps - 1)/rate.
 * Coq: Subsets.subset_dominated, Subsampling.replaced_gamma, Subsampling.replaced_beta, Subsampling.replaced_zero.
 */
static shuf_status delta_of(shuf_enclosure_t r, const shuf_sampled_struct *x, const shuf_real_t eps, shuf_direction direction,
                            const shuf_options *options)
{
    shuf_real_t lo, hi;
    fmpq_t inverse;
    arb_t factor, excess, point;
    arf_t end;
    int exists;
    shuf_real_init(lo); shuf_real_init(hi); fmpq_init(inverse); arb_init(factor); arb_init(excess); arb_init(point);
    arf_init(end);
    shuf_real_get_arb(excess, eps, PREC);
    arb_expm1(excess, excess, PREC);
    exists = base_point(point, factor, x, direction, excess);
    if (!exists)
    {
        shuf_enclosure_zero(r);
        arb_get_ubound_arf(r->hi, factor, PREC);
        if (arf_sgn(r->hi) < 0)
            arf_zero(r->hi);
        shuf_enclosure_settle(r);
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    else if (!scales_by_beta(x, direction))
    {
        /* exactly, where that can be had */
        fmpq_inv(inverse, x->gamma);
        shuf_sampled_loss(lo, hi, eps, inverse);
    }
    else
    {
        shuf_ball_least(end, point, PREC);
        shuf_real_set_arf(lo, end);
        arb_get_ubound_arf(end, point, PREC);
        shuf_real_set_arf(hi, end);
    }
    if (exists)
        delta_between(r, x, lo, hi, factor, direction, options);
    shuf_real_clear(lo); shuf_real_clear(hi); fmpq_clear(inverse); arb_clear(factor); arb_clear(excess);
    arb_clear(point); arf_clear(end);
    return r->status;
}

static shuf_status replaced_delta(shuf_enclosure_t r, const shuf_sampled_struct *x, const shuf_real_t eps, shuf_direction direction,
                                  const shuf_options *options)
{
    double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t other;
    shuf_status status;
    if (direction != SHUF_DIRECTION_BOTH)
        return delta_of(r, x, eps, direction, options);
    shuf_enclosure_init(other);
    shuf_share(&o, limit, 0.5);
    status = delta_of(other, x, eps, SHUF_DIRECTION_PQ, &o);
    shuf_share(&o, limit, 1);
    delta_of(r, x, eps, SHUF_DIRECTION_QP, &o);
    if (status == SHUF_DOMAIN || r->status == SHUF_DOMAIN)
    {
        shuf_enclosure_unknown(r, 1);
    }
    else
    {
        shuf_enclosure_max(r, r, other);
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    shuf_enclosure_clear(other);
    return r->status;
}

static shuf_status sampled_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                                 shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return self->sample->kind == SHUF_SAMPLED_FIXED_SIZE ? delta_of(r, self->sample, eps, SHUF_DIRECTION_BOTH, options)
                                                         : replaced_delta(r, self->sample, eps, direction, options);
}

/* r := [log(1 + rate (e^lo - 1)), the same of hi], where they are finite */
static void amplify(shuf_enclosure_t r, const fmpq_t rate)
{
    shuf_real_t x, lo, hi;
    shuf_real_init(x); shuf_real_init(lo); shuf_real_init(hi);
    if (arf_is_finite(r->lo))
    {
        shuf_real_set_arf(x, r->lo);
        shuf_sampled_loss(lo, hi, x, rate);
        shuf_real_end(r->lo, lo, 0, PREC);
    }
    if (arf_is_finite(r->hi))
    {
        shuf_real_set_arf(x, r->hi);
        shuf_sampled_loss(lo, hi, x, rate);
        shuf_real_end(r->hi, hi, 1, PREC);
    }
    shuf_real_clear(x); shuf_real_clear(lo); shuf_real_clear(hi);
}

static shuf_status fixed_epsilon(shuf_enclosure_t r, const shuf_sampled_struct *x, const shuf_real_t delta, const shuf_options *options)
{
    shuf_real_t before;
    shuf_status status;
    shuf_real_init(before);
    divide_down(before, delta, x->gamma);
    if (shuf_real_cmp_si(before, 1) >= 0)
    {
        shuf_enclosure_zero(r);
        status = r->status = SHUF_OK;
    }
    else
    {
        status = x->base->epsilon(r, NULL, x->base, before, SHUF_DIRECTION_BOTH, options);
        amplify(r, x->gamma);
        if (delta->is_log) /* delta/rate was rounded down, which makes eps larger: the lower end is not known */
            arf_zero(r->lo);
        if (arf_is_finite(r->hi))
        {
            shuf_enclosure_width(r->ledger.discretisation, r);
        }
        if (status != SHUF_DOMAIN)
            status = r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    shuf_real_clear(before);
    return status;
}

static shuf_status sampled_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                                   shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return self->sample->kind == SHUF_SAMPLED_FIXED_SIZE ? fixed_epsilon(r, self->sample, delta, options)
                                                         : shuf_law_invert(r, self, delta, direction, SHUF_MAX_EPSILON, options);
}

/* Moments are jointly convex, and that of the data without the record is 1. */
static void log_moment(arb_t v, const shuf_law_struct *self, const arb_t order, slong prec)
{
    const shuf_law_struct *base = self->sample->base;
    base->log_moment(v, base, order, prec);
}

/* Of REPLACED. */
static int sampled_loss(shuf_loss_t loss, const shuf_law_struct *self, shuf_direction direction, slong prec)
{
    return pair_loss_tell(loss, self->sample->base->pair, self->sample->gamma, direction, prec);
}

void shuf_law_set_sampled(shuf_law_t law, const shuf_sampled_t x)
{
    shuf_law_init(law);
    law->evaluate = evaluate_sampled;
    law->infinite = infinite_sampled;
    law->sample = x;
    law->symmetric = x->base->symmetric && (x->kind == SHUF_SAMPLED_FIXED_SIZE || fmpq_is_one(x->gamma));
    law->max_loss = max_loss_sampled;
    law->same = same_sampled;
    law->log_moment = x->base->log_moment != NULL ? log_moment : NULL;
    fmpq_set(law->moment, x->base->moment);
    law->delta = x->base->delta != NULL ? sampled_delta : NULL;
    law->epsilon = x->base->delta != NULL ? sampled_epsilon : NULL;
    if (x->kind == SHUF_SAMPLED_REPLACED && x->base->pair != NULL && x->base->loss != NULL)
    {
        law->loss = sampled_loss;
        law->loss_rounds = x->base->loss_rounds;
        law->has_dear_nodes = x->base->has_dear_nodes;
    }
}
