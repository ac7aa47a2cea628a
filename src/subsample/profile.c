/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "subsample/profile.h"

#include "enclosure/arf_vec.h"

#define PREC 256

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

int shuf_sampled_set(shuf_sampled_t x, shuf_sampled_kind kind, const shuf_profile *base, const fmpq_t gamma)
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
 * The base's point for the point s, and the factor of its value. Returns 0
 * unless the factor is certainly positive: the value is then at most its upper
 * bound, or 0.
 * Coq: Subsampling.replaced_gamma, Subsampling.replaced_beta, Subsets.subset_profile.
 */
static int base_point(arb_t point, arb_t factor, const shuf_sampled_struct *x, shuf_direction direction, const arf_t s)
{
    arb_t a, g;
    int exists = 1;
    arb_init(a);
    arb_init(g);
    arb_set_fmpq(g, x->gamma, PREC);
    arb_set_arf(a, s);
    arb_expm1(a, a, PREC); /* alpha - 1 */
    if (scales_by_beta(x, direction))
    {
        /* beta = gamma - (alpha-1)(1-gamma); the point is log(1 + (alpha-1)/beta) */
        arb_mul(factor, a, g, PREC);
        arb_sub(factor, factor, a, PREC);
        arb_add(factor, factor, g, PREC);
        exists = arb_is_positive(factor);
        if (exists)
            arb_div(a, a, factor, PREC);
    }
    else
    {
        arb_set(factor, g);
        arb_div(a, a, g, PREC);
    }
    if (exists)
        arb_log1p(point, a, PREC);
    arb_clear(a);
    arb_clear(g);
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
    arb_get_lbound_arf(lo, x, PREC);
    if (arf_sgn(lo) < 0)
        arf_zero(lo);
    arb_mul_arf(x, factor, hi, PREC);
    arb_get_ubound_arf(hi, x, PREC);
    if (arf_cmp_si(hi, 1) > 0)
        arf_one(hi);
    arb_clear(x);
}

/* Coq: Divergence.hockey_decreasing, Subsampling.replaced_zero, Subsets.subset_dominated. */
static shuf_status evaluate_sampled(arf_ptr lo, arf_ptr hi, const shuf_profile *self, shuf_direction direction,
                                    arf_srcptr s, slong count, const shuf_options *options)
{
    const shuf_sampled_struct *x = self->data;
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
    for (exist = 0; exist < count && base_point(point, factor + exist, x, direction, s + exist); exist++)
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
            base_point(point, factor + i, x, direction, s + i);
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

static void infinite_sampled(arf_t infinite, const shuf_profile *self, shuf_direction direction)
{
    const shuf_sampled_struct *x = self->data;
    arb_t g;
    arb_init(g);
    x->base->infinite(infinite, x->base, direction);
    if (!fmpq_is_one(x->gamma))
    {
        /* with beta: P is seen wherever it is */
        if (!scales_by_beta(x, direction))
            arb_set_fmpq(g, x->gamma, PREC);
        arb_mul_arf(g, g, infinite, PREC);
        arb_get_lbound_arf(infinite, g, PREC);
        if (arf_sgn(infinite) < 0)
            arf_zero(infinite);
    }
    arb_clear(g);
}

static int max_loss_sampled(shuf_real_t loss, const shuf_profile *self)
{
    const shuf_sampled_struct *x = self->data;
    shuf_real_t lo;
    if (x->base->max_loss == NULL || !x->base->max_loss(loss, x->base))
        return 0;
    shuf_real_init(lo);
    shuf_sampled_loss(lo, loss, loss, x->gamma);
    shuf_real_clear(lo);
    return 1;
}

static int same_sampled(const shuf_profile *self, const shuf_profile *other)
{
    const shuf_sampled_struct *x = self->data, *y = other->data;
    return x->kind == y->kind && fmpq_equal(x->gamma, y->gamma) && shuf_profile_equal(x->base, y->base);
}

void shuf_profile_sampled(shuf_profile *profile, const shuf_sampled_t x)
{
    shuf_profile_init(profile);
    profile->evaluate = evaluate_sampled;
    profile->infinite = infinite_sampled;
    profile->data = x;
    profile->symmetric = x->base->symmetric && (x->kind == SHUF_SAMPLED_FIXED_SIZE || fmpq_is_one(x->gamma));
    profile->max_loss = max_loss_sampled;
    profile->same = same_sampled;
}
