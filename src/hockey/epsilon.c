/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* eps(delta): the inverse of the decreasing function delta(eps). */
#include <math.h>

#include "enclosure/inverse.h"
#include "hockey/hockey.h"
#include "hockey/stratum.h"

/* Steer only. */
#define COMPARE_ATTEMPTS 10
#define FIRST_ATTEMPT_WORK 5e7

/*
 * More digits until the sign is certain. All but the last attempt are held to
 * a growing limit, because a wide enclosure often settles it.
 */
int shuf_hockey_compare(int *undecided, const shuf_pair_t pair, const shuf_real_t eps, const shuf_real_t delta,
                        shuf_direction direction, const shuf_options *options)
{
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    double deadline = shuf_limit(options), limit = FIRST_ATTEMPT_WORK;
    shuf_enclosure_t value;
    int sign = 0, i;
    shuf_enclosure_init(value);
    o.digits = 4;
    for (i = 0; i < COMPARE_ATTEMPTS && sign == 0 && !shuf_exhausted(deadline); i++, limit *= 4)
    {
        o.max_work = deadline > 0 ? fmax(deadline - shuf_work(), 1e6) : 0;
        if (i + 1 < COMPARE_ATTEMPTS && (o.max_work <= 0 || o.max_work > limit))
            o.max_work = limit;
        shuf_hockey_delta(value, pair, eps, direction, &o);
        sign = shuf_real_cmp_arf(delta, value->lo) < 0 ? 1 : shuf_real_cmp_arf(delta, value->hi) >= 0 ? -1 : 0;
        if (value->status == SHUF_OK)
            o.digits += o.digits / 2 + 2;
    }
    shuf_enclosure_clear(value);
    *undecided = (sign == 0);
    return sign;
}

/* ---- the inverse ---- */

typedef struct
{
    const shuf_pair_struct *pair;
    shuf_direction direction;
    slong most_digits; /* of delta that are asked for */
} profile_point;

static shuf_status delta_at(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    const profile_point *x = data;
    shuf_options o = *options;
    o.digits = FLINT_MIN(o.digits, x->most_digits);
    if (shuf_hockey_delta(r, x->pair, eps, x->direction, &o) == SHUF_OK && !shuf_enclosure_accurate(r, options->digits))
        r->status = SHUF_ACCURACY;
    return r->status;
}

static double log_delta_estimate(double eps, const void *data)
{
    const profile_point *x = data;
    return shuf_hockey_log_estimate(x->pair, SHUF_DIRECTION_PQ, eps);
}

/*
 * Whether outcomes that one law never has are certainly more than delta under
 * the other: then no eps will do.
 */
static int is_hopeless(const shuf_pair_t pair, const shuf_real_t delta, shuf_direction direction)
{
    arf_t mass;
    int result = 0;
    arf_init(mass);
    if (direction != SHUF_DIRECTION_QP)
    {
        shuf_pair_get_infinite(mass, pair, SHUF_DIRECTION_PQ);
        result = shuf_real_cmp_arf(delta, mass) < 0;
    }
    if (direction != SHUF_DIRECTION_PQ)
    {
        shuf_pair_get_infinite(mass, pair, SHUF_DIRECTION_QP);
        result = result || shuf_real_cmp_arf(delta, mass) < 0;
    }
    arf_clear(mass);
    return result;
}

/* Digits of delta that mixtures have for little work (hockey.c); eps has more of them, delta falling steeply. Steer only. */
#define FEW_DIGITS 10
#define LAST_DIGITS 13

/* With the few digits of delta first, if they may be enough: not all pairs have cheap ones, and those lose nothing. */
static void find(shuf_enclosure_t r, const inverse_problem *p, profile_point *x, const shuf_real_t delta, const shuf_options *options)
{
    double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t first;
    if (!hockey_is_wide_mixture(x->pair) || options->digits > LAST_DIGITS)
    {
        inverse_find(r, p, delta, options);
        return;
    }
    shuf_enclosure_init(first);
    shuf_share(&o, limit, 0.5);
    x->most_digits = FEW_DIGITS;
    inverse_find(r, p, delta, &o);
    if (r->status != SHUF_OK && !shuf_exhausted(limit))
    {
        shuf_enclosure_set(first, r);
        shuf_share(&o, limit, 1);
        x->most_digits = SHUF_MAX_DIGITS;
        inverse_find(r, p, delta, &o);
        if (arf_cmp(first->lo, r->lo) > 0)
            arf_set(r->lo, first->lo);
        arf_min(r->hi, r->hi, first->hi);
        if (arf_is_finite(r->hi))
        {
            shuf_enclosure_width(r->ledger.discretisation, r);
            r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
        }
    }
    shuf_enclosure_clear(first);
}

/* Coq: Divergence.hockey_decreasing. */
shuf_status shuf_hockey_epsilon(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t delta,
                                shuf_direction direction, const shuf_options *options)
{
    profile_point x = { pair, direction, SHUF_MAX_DIGITS };
    inverse_problem p = { delta_at, &x, NULL, SHUF_MAX_EPSILON, log_delta_estimate, 0 };
    shuf_real_t loss;

    shuf_enclosure_zero(r);
    shuf_real_init(loss);
    if (shuf_pair_max_loss(loss, pair))
        p.limit = loss;
    if (shuf_real_sgn(delta) < 0 || !shuf_pair_has_engine(pair, SHUF_ENGINE_HOCKEY))
    {
        arf_pos_inf(r->hi);
        r->status = SHUF_DOMAIN;
    }
    else if (is_hopeless(pair, delta, direction))
    {
        arf_pos_inf(r->lo);
        arf_pos_inf(r->hi);
        r->status = SHUF_DOMAIN;
    }
    else if (shuf_real_sgn(delta) == 0 && p.limit != NULL)
    {
        /* delta(eps) = 0 exactly from the largest loss on: there the mass is positive */
        slong prec = 4 * options->digits + 64;
        arb_t t;
        arb_init(t);
        shuf_pair_get_max_loss(t, pair, prec);
        shuf_enclosure_set_arb(r, t, prec);
        arb_clear(t);
    }
    else
    {
        find(r, &p, &x, delta, options);
    }
    shuf_real_clear(loss);
    return r->status;
}
