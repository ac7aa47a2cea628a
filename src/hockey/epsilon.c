/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* eps(delta): the inverse of the decreasing function delta(eps). */
#include <math.h>

#include "hockey/hockey.h"

typedef struct
{
    const shuf_pair_struct *pair;
    const shuf_real_struct *delta;
    shuf_direction direction;
    double deadline; /* 0: none */
    ulong terms;
    slong precision;
} search;

/* The options of one evaluation at `digits`, within what is left of the budget. */
static shuf_options within_budget(const search *s, slong digits)
{
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    o.digits = digits;
    if (s->deadline > 0)
        o.max_seconds = fmax(s->deadline - shuf_seconds(), 1e-3);
    return o;
}

/* Sign of x - delta for an enclosure x, 0 when it is open. */
static int sign_against(const shuf_enclosure_t x, const shuf_real_t delta)
{
    return shuf_real_cmp_arf(delta, x->lo) < 0 ? 1 : shuf_real_cmp_arf(delta, x->hi) >= 0 ? -1 : 0;
}

#define COMPARE_ATTEMPTS 10
#define FIRST_ATTEMPT_SECONDS 0.05

/*
 * Is delta(x) > delta (1) or <= delta (-1)? More digits, up to `attempts`
 * times, until that is certain; 0 when it stays open. All but the last
 * attempt are held to a growing time limit, because a wide enclosure often
 * settles it. log_ratio, if not NULL, gets about log(delta(x)/delta).
 */
static int compare_at(search *s, double *log_ratio, const shuf_real_t x, slong digits, int attempts)
{
    shuf_enclosure_t value;
    double limit = FIRST_ATTEMPT_SECONDS;
    int sign = 0, i;
    shuf_enclosure_init(value);
    for (i = 0; i < attempts && sign == 0; i++, limit *= 4)
    {
        shuf_options o = within_budget(s, digits);
        if (i + 1 < attempts && (o.max_seconds <= 0 || o.max_seconds > limit))
            o.max_seconds = limit;
        shuf_hockey_delta(value, s->pair, x, s->direction, &o);
        s->terms += value->ledger.terms;
        s->precision = FLINT_MAX(s->precision, value->ledger.precision);
        sign = sign_against(value, s->delta);
        if (s->deadline > 0 && shuf_seconds() > s->deadline)
            break;
        if (value->status == SHUF_OK)
            digits += digits / 2 + 2;
    }
    if (log_ratio != NULL)
    {
        arb_t a, b;
        arb_init(a);
        arb_init(b);
        shuf_enclosure_get_arb(a, value, 128 + 4 * digits);
        shuf_real_get_arb(b, s->delta, 128 + 4 * digits);
        mag_zero(arb_radref(a));
        arb_div(a, a, b, 128 + 4 * digits);
        arb_log(a, a, 128 + 4 * digits);
        *log_ratio = arf_get_d(arb_midref(a), ARF_RND_NEAR);
        if (!isfinite(*log_ratio))
            *log_ratio = -HUGE_VAL;
        arb_clear(a);
        arb_clear(b);
    }
    shuf_enclosure_clear(value);
    return sign;
}

int shuf_hockey_compare(int *undecided, const shuf_pair_t pair, const shuf_real_t eps, const shuf_real_t delta,
                        shuf_direction direction, const shuf_options *options)
{
    search s = { pair, delta, direction, 0, 0, 0 };
    int sign;
    s.deadline = options->max_seconds > 0 ? shuf_seconds() + options->max_seconds : 0;
    sign = compare_at(&s, NULL, eps, 4, COMPARE_ATTEMPTS);
    *undecided = (sign == 0);
    return sign;
}

/* Root of the estimate log delta(x) = target in (0, hi), in floating point. */
static double estimated_root(const shuf_pair_t pair, double target, double hi)
{
    double lo = 0;
    int i;
    for (i = 0; i < 60; i++)
    {
        double mid = (lo > 0 && hi > 4 * lo) ? sqrt(lo * hi) : lo == 0 ? hi / 8 : (lo + hi) / 2;
        if (shuf_hockey_log_estimate(pair, mid) > target)
            lo = mid;
        else
            hi = mid;
        if (hi < 1e-25 || hi - lo < 1e-6 * hi)
            break;
    }
    return lo > 0 ? lo : hi;
}

static int close_enough(const arf_t lo, const arf_t hi, slong digits)
{
    shuf_enclosure_t r;
    int result;
    shuf_enclosure_init(r);
    arf_set(r->lo, lo);
    arf_set(r->hi, hi);
    result = shuf_enclosure_accurate(r, digits);
    shuf_enclosure_clear(r);
    return result;
}

/*
 * Records what is known of the sign at x.
 * Coq: Divergence.hockey_decreasing.
 */
static void probe(search *s, double *log_ratio, arf_t lo, arf_t hi, const arf_t x, slong digits, int attempts)
{
    shuf_real_t value;
    int sign;
    shuf_real_init(value);
    shuf_real_set_arf(value, x);
    sign = compare_at(s, log_ratio, value, digits, attempts);
    if (sign > 0 && arf_cmp(x, lo) > 0)
        arf_set(lo, x);
    if (sign < 0 && arf_cmp(x, hi) < 0)
        arf_set(hi, x);
    shuf_real_clear(value);
}

#define SEARCH_STEPS 100

/* tolerance := 3/8 10^-digits x */
static void set_tolerance(arf_t tolerance, const arf_t x, slong digits)
{
    arb_t t;
    arb_init(t);
    arb_set_ui(t, 10);
    arb_pow_ui(t, t, (ulong) digits, 64);
    arf_mul_ui(tolerance, x, 3, 64, ARF_RND_NEAR);
    arf_div(tolerance, tolerance, arb_midref(t), 64, ARF_RND_NEAR);
    arf_mul_2exp_si(tolerance, tolerance, -3);
    arb_clear(t);
}

/* x := a point well inside (lo, hi), on a logarithmic scale while lo = 0 or far below hi. */
static void bisect(arf_t x, const arf_t lo, const arf_t hi, slong prec)
{
    arf_mul_2exp_si(x, lo, 3);
    if (arf_cmp(x, hi) < 0)
    {
        arf_mul_2exp_si(x, hi, -2);
    }
    else
    {
        arf_add(x, lo, hi, prec, ARF_RND_NEAR);
        arf_mul_2exp_si(x, x, -1);
    }
}

/*
 * Narrows lo < root <= hi by secant steps on log delta, bisecting where they
 * leave the bracket. delta vanishes at a finite largest loss L like a power
 * of L - eps, so the steps are taken in y = -log(1 - eps/L), which is about
 * eps/L far from L; for an infinite L (limit = NULL) in eps itself. A point whose side stays open is a good point to go on
 * from; only the two ends, once the steps are small, are worth more digits.
 */
static void narrow(search *s, arf_t lo, arf_t hi, const arf_struct *limit, slong digits)
{
    arf_t x, previous, step, tolerance, end;
    double g = 0, previous_g = 0, slope, log_delta, room = 0, previous_room = 0, dy;
    slong prec = 4 * digits + 64;
    arb_t t;
    int i, have_previous = 0;

    arf_init(x); arf_init(previous); arf_init(step); arf_init(tolerance); arf_init(end);
    arb_init(t);
    shuf_real_get_arb(t, s->delta, 64);
    arb_log(t, t, 64);
    log_delta = arf_get_d(arb_midref(t), ARF_RND_NEAR);
    arf_set_d(x, estimated_root(s->pair, log_delta, arf_get_d(hi, ARF_RND_NEAR)));

    for (i = 0; i < SEARCH_STEPS && !close_enough(lo, hi, digits); i++)
    {
        if (s->deadline > 0 && shuf_seconds() > s->deadline)
            break;
        if (arf_cmp(x, lo) <= 0 || arf_cmp(x, hi) >= 0)
            bisect(x, lo, hi, prec);
        /* the first steps need not see the last digits */
        probe(s, &g, lo, hi, x, i < 2 ? FLINT_MIN(digits + 2, 5 + 3 * i) : digits + 2, 1);

        if (limit != NULL)
        {
            arf_sub(end, limit, x, 53, ARF_RND_NEAR);
            room = arf_get_d(end, ARF_RND_NEAR);
        }
        if (have_previous)
        {
            arf_sub(step, x, previous, 53, ARF_RND_NEAR);
            dy = arf_get_d(step, ARF_RND_NEAR);
            if (limit != NULL)
                dy = -log1p(-dy / previous_room);
            slope = (g - previous_g) / dy;
        }
        else
        {
            double at = arf_get_d(x, ARF_RND_NEAR);
            slope = (shuf_hockey_log_estimate(s->pair, at * 1.001)
                     - shuf_hockey_log_estimate(s->pair, at * 0.999)) / (0.002 * at) * (limit != NULL ? room : 1);
        }
        have_previous = isfinite(g);
        arf_set(previous, x);
        previous_g = g;
        previous_room = room;
        if (!isfinite(g) || !isfinite(slope) || slope >= 0)
        {
            bisect(x, lo, hi, prec);
            continue;
        }
        dy = -g / slope;
        arf_set_d(step, limit != NULL ? -room * expm1(-dy) : dy);
        if (!arf_is_finite(step))
        {
            bisect(x, lo, hi, prec);
            continue;
        }
        arf_add(x, x, step, prec, ARF_RND_NEAR);
        set_tolerance(tolerance, x, digits);
        arf_mul_2exp_si(end, tolerance, 1);
        if (arf_cmpabs(step, end) <= 0)
        {
            /* converged: settle both sides of the root */
            arf_sub(end, x, tolerance, prec, ARF_RND_NEAR);
            if (arf_cmp(end, lo) > 0)
                probe(s, NULL, lo, hi, end, digits + 2, COMPARE_ATTEMPTS);
            arf_add(end, x, tolerance, prec, ARF_RND_NEAR);
            if (arf_cmp(end, hi) < 0)
                probe(s, NULL, lo, hi, end, digits + 2, COMPARE_ATTEMPTS);
        }
    }
    arf_clear(x); arf_clear(previous); arf_clear(step); arf_clear(tolerance); arf_clear(end);
    arb_clear(t);
}

/* Coq: Divergence.hockey_decreasing. */
shuf_status shuf_hockey_epsilon(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t delta,
                                shuf_direction direction, const shuf_options *options)
{
    search s = { pair, delta, direction, 0, 0, 0 };
    double start = shuf_seconds();
    shuf_real_t x, loss;
    int finite, sign = 0;

    s.deadline = options->max_seconds > 0 ? start + options->max_seconds : 0;
    shuf_enclosure_zero(r);
    shuf_real_init(x);
    shuf_real_init(loss);
    finite = shuf_pair_max_loss(loss, pair);

    if (shuf_real_sgn(delta) < 0)
    {
        arf_pos_inf(r->hi);
        r->status = SHUF_DOMAIN;
    }
    else if (shuf_real_sgn(delta) == 0)
    {
        /* delta(eps) = 0 exactly from the largest loss on: there the mass is positive */
        if (finite)
        {
            arb_t t;
            slong prec = 4 * options->digits + 64;
            arb_init(t);
            shuf_real_get_arb(t, loss, prec);
            shuf_enclosure_set_arb(r, t, prec);
            arb_clear(t);
        }
        else
        {
            arf_pos_inf(r->hi);
            r->status = SHUF_DOMAIN;
        }
    }
    else if (shuf_real_cmp_si(delta, 1) >= 0 || compare_at(&s, NULL, x, 4, COMPARE_ATTEMPTS) < 0)
    {
        r->status = SHUF_OK; /* eps = 0 */
    }
    else
    {
        arf_t lo, hi;
        arf_init(lo);
        arf_init(hi);
        if (finite)
        {
            arb_t t;
            arb_init(t);
            shuf_real_get_arb(t, loss, 4 * options->digits + 64);
            arb_get_ubound_arf(hi, t, 4 * options->digits + 64);
            arb_clear(t);
        }
        else
        {
            /* double until delta(hi) <= delta is certain */
            arf_one(hi);
            for (;;)
            {
                shuf_real_set_arf(x, hi);
                if (shuf_real_cmp_si(x, SHUF_MAX_EPSILON) > 0)
                    break;
                sign = compare_at(&s, NULL, x, 4, COMPARE_ATTEMPTS);
                if (sign <= 0)
                    break;
                arf_set(lo, hi);
                arf_mul_2exp_si(hi, hi, 1);
            }
            if (shuf_real_cmp_si(x, SHUF_MAX_EPSILON) > 0 || sign == 0)
                arf_pos_inf(hi);
        }
        if (arf_is_finite(hi))
        {
            arf_t limit;
            arf_init(limit);
            arf_set(limit, hi);
            narrow(&s, lo, hi, finite ? limit : NULL, options->digits);
            arf_clear(limit);
        }
        arf_set(r->lo, lo);
        arf_set(r->hi, hi);
        r->status = SHUF_ACCURACY;
        if (!arf_is_finite(hi))
            r->status = SHUF_DOMAIN;
        else if (shuf_enclosure_accurate(r, options->digits))
            r->status = SHUF_OK;
        if (arf_is_finite(hi))
            shuf_enclosure_width(r->ledger.discretisation, r);
        arf_clear(lo);
        arf_clear(hi);
    }
    r->ledger.terms = s.terms;
    r->ledger.precision = FLINT_MAX(r->ledger.precision, s.precision);
    r->ledger.seconds = shuf_seconds() - start;
    shuf_real_clear(x);
    shuf_real_clear(loss);
    return r->status;
}
