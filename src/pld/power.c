/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/power.h"

#include <math.h>

#include "enclosure/inverse.h"
#include "enclosure/steer.h"

/* Of fewer a line is as good; where points cost next to nothing, of one. Steer only. */
#define LEAST_ROUNDS 4
#define LEAST_CHEAP_ROUNDS 2

/* What that way may take of a question: a share of what is left, and no more than that. Steer only. */
#define SHARE_OF_WORK 0.7
#define MOST_WORK 1e10

/* Of that, what the first direction may take. Steers only. */
#define FIRST_SHARE 0.9

/* A line is no better than that. Steers only. */
#define NARROW 1e-7

/* Points in a row that are hardly known, after which no other is tried. Steer only. */
#define USELESS_POINTS 3
#define USELESS_WIDTH 0.9

/* Digits that tell on which side of the root a point is where more of them cannot be had: far from it. Steers only. */
#define SIDE_DIGITS 2

typedef struct
{
    const shuf_law_struct *law;
    uint64_t rounds;
    shuf_direction direction; /* BOTH only if they differ */
    int *useless;             /* points in a row */
    const shuf_real_struct *delta;
} power_struct;

/* Whether the parts are a power of one that has a way of its own. */
static int power_set(power_struct *x, const shuf_pld_part *parts, size_t count, shuf_direction direction)
{
    size_t k;
    x->law = parts[0].law;
    x->rounds = 0;
    if (x->law->power == NULL)
        return 0;
    for (k = 0; k < count; k++)
    {
        if (!shuf_law_equal(x->law, parts[k].law) || parts[k].rounds > SHUF_MAX_USERS - x->rounds)
            return 0;
        x->rounds += parts[k].rounds;
    }
    x->direction = direction == SHUF_DIRECTION_BOTH && x->law->symmetric ? SHUF_DIRECTION_PQ : direction;
    return x->rounds >= (x->law->has_cheap_powers ? LEAST_CHEAP_ROUNDS : LEAST_ROUNDS);
}

static shuf_status both_at(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const power_struct *x)
{
    double start = shuf_work(), limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t other;
    if (x->direction != SHUF_DIRECTION_BOTH)
        return x->law->power(r, x->law, x->rounds, x->direction, eps, options);
    shuf_share(&o, limit, FIRST_SHARE);
    x->law->power(r, x->law, x->rounds, SHUF_DIRECTION_PQ, eps, &o);
    shuf_enclosure_init(other);
    shuf_share(&o, limit, 1);
    x->law->power(other, x->law, x->rounds, SHUF_DIRECTION_QP, eps, &o);
    shuf_enclosure_max(r, r, other);
    shuf_enclosure_clear(other);
    r->ledger.work = shuf_work() - start;
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

/* DOMAIN ends a search. */
static shuf_status delta_at(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    const power_struct *x = data;
    double limit = shuf_limit(options);
    shuf_options few = *options;
    shuf_status status = both_at(r, eps, options, x);
    if (x->law->has_cheap_powers && (shuf_real_cmp_arf(x->delta, r->hi) >= 0 || shuf_real_cmp_arf(x->delta, r->lo) < 0))
    {
        *x->useless = 0; /* its side is all that the search needs of it */
        return status;
    }
    if (options->digits > SIDE_DIGITS && steer_relative_width(r) >= USELESS_WIDTH)
    {
        few.digits = SIDE_DIGITS;
        shuf_share(&few, limit, 1);
        status = both_at(r, eps, &few, x);
    }
    *x->useless = steer_relative_width(r) < USELESS_WIDTH ? 0 : *x->useless + 1;
    return *x->useless < USELESS_POINTS ? status : SHUF_DOMAIN;
}

static void set_share(shuf_options *o, const shuf_options *options)
{
    *o = *options;
    o->max_work = options->max_work > 0 ? fmin(SHARE_OF_WORK * options->max_work, MOST_WORK) : MOST_WORK;
}

static int is_enough(const shuf_enclosure_t r, slong digits)
{
    return shuf_enclosure_accurate(r, digits) || steer_relative_width(r) < NARROW;
}

int pld_power_delta(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t eps,
                    shuf_direction direction, const shuf_options *options)
{
    power_struct x;
    shuf_options o;
    shuf_enclosure_zero(r);
    arf_one(r->hi);
    if (!power_set(&x, parts, count, direction))
        return 0;
    set_share(&o, options);
    both_at(r, eps, &o, &x);
    return is_enough(r, options->digits);
}

/* Of an eps beyond those asked for, up to so many: they cost next to nothing. Steer only. */
#define MORE_DIGITS 2
#define CHEAP_DIGITS 6

int pld_power_epsilon(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t delta,
                      shuf_direction direction, const shuf_options *options)
{
    int useless = 0;
    power_struct x = { .useless = &useless, .delta = delta };
    shuf_options o;
    slong digits;
    const inverse_problem problem = { delta_at, &x, NULL, SHUF_MAX_EPSILON, NULL, 0 };
    shuf_enclosure_zero(r);
    arf_pos_inf(r->hi);
    if (!power_set(&x, parts, count, direction))
        return 0;
    set_share(&o, options);
    digits = FLINT_MIN(options->digits + MORE_DIGITS, CHEAP_DIGITS);
    o.digits = FLINT_MAX(options->digits, digits) + x.law->has_cheap_powers; /* one more costs nothing there */
    inverse_find(r, &problem, delta, &o);
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    return arf_is_finite(r->hi) && is_enough(r, options->digits);
}
