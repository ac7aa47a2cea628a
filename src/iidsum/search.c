/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "iidsum/search.h"

#include <math.h>

#include "pair/pair.h"

/* A point with about log(f/delta) there. */
typedef struct
{
    arf_t x;
    double g;
} point_struct;

typedef struct
{
    search_function f;
    const void *data;
    const shuf_real_struct *delta;
    slong digits;
    double deadline;        /* 0: none */
    arf_t lo, hi;           /* certain: f(lo) > delta or lo = 0, f(hi) <= delta or hi = +inf */
    point_struct near, far; /* the two points that are closest to the root, by |g| */
    int points;
    shuf_ledger_struct *ledger;
    shuf_status status;     /* of the last evaluation */
} search_struct;

/* An evaluation leaves time for others. */
#define SHARE_OF_TIME 0.4

static int out_of_time(const search_struct *s)
{
    return s->deadline > 0 && shuf_seconds() > s->deadline;
}

/* log(x/delta), roughly, for a value x known by an enclosure. */
static double log_ratio(const shuf_enclosure_t x, const shuf_real_t delta, slong digits)
{
    slong prec = 64 + 4 * digits;
    arb_t a, b;
    double g;
    arb_init(a);
    arb_init(b);
    if (arf_sgn(x->lo) > 0)
        shuf_enclosure_get_arb(a, x, prec);
    else
        arb_set_arf(a, x->hi);
    mag_zero(arb_radref(a));
    shuf_real_get_arb(b, delta, prec);
    arb_div(a, a, b, prec);
    arb_log(a, a, prec);
    g = arf_get_d(arb_midref(a), ARF_RND_NEAR);
    arb_clear(a);
    arb_clear(b);
    return g;
}

static void point_set(point_struct *p, const arf_t x, double g)
{
    arf_set(p->x, x);
    p->g = g;
}

/* Keeps x among the two points for the next secant if it belongs there. */
static void remember(search_struct *s, const arf_t x, double g)
{
    if (!isfinite(g))
        return;
    if (s->points == 0 || fabs(g) < fabs(s->near.g))
    {
        if (s->points > 0 && !arf_equal(x, s->near.x))
            point_set(&s->far, s->near.x, s->near.g);
        s->points += s->points == 0 || (s->points == 1 && !arf_equal(x, s->near.x));
        point_set(&s->near, x, g);
    }
    else if (!arf_equal(x, s->near.x) && (s->points == 1 || fabs(g) < fabs(s->far.g)))
    {
        point_set(&s->far, x, g);
        s->points = 2;
    }
}

/* Evaluates f(x): 1 if it is certainly above delta, -1 if not above, 0 if that is open. */
static int probe(search_struct *s, const arf_t x, slong digits)
{
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    shuf_enclosure_t value;
    shuf_real_t eps;
    int sign;
    shuf_enclosure_init(value);
    shuf_real_init(eps);
    shuf_real_set_arf(eps, x);
    o.digits = FLINT_MIN(digits, SHUF_MAX_DIGITS);
    if (s->deadline > 0)
        o.max_seconds = fmax(SHARE_OF_TIME * (s->deadline - shuf_seconds()), 1e-3);
    s->status = s->f(value, eps, &o, s->data);
    s->ledger->terms += value->ledger.terms;
    s->ledger->precision = FLINT_MAX(s->ledger->precision, value->ledger.precision);
    sign = shuf_real_cmp_arf(s->delta, value->lo) < 0 ? 1 : shuf_real_cmp_arf(s->delta, value->hi) >= 0 ? -1 : 0;
    if (sign > 0 && arf_cmp(x, s->lo) > 0)
        arf_set(s->lo, x);
    if (sign < 0 && arf_cmp(x, s->hi) < 0)
        arf_set(s->hi, x);
    if (shuf_real_sgn(s->delta) > 0 && arf_sgn(value->hi) > 0)
        remember(s, x, log_ratio(value, s->delta, digits));
    shuf_enclosure_clear(value);
    shuf_real_clear(eps);
    return sign;
}

static int close_enough(const search_struct *s)
{
    shuf_enclosure_t r;
    int result;
    shuf_enclosure_init(r);
    arf_set(r->lo, s->lo);
    arf_set(r->hi, s->hi);
    result = shuf_enclosure_accurate(r, s->digits);
    shuf_enclosure_clear(r);
    return result;
}

/* x := a point inside (lo, hi), on a logarithmic scale while they are far apart. */
static void bisect(arf_t x, const search_struct *s)
{
    arf_mul_2exp_si(x, s->lo, 2);
    if (arf_is_pos_inf(s->hi))
    {
        if (arf_is_zero(x))
            arf_one(x);
    }
    else if (arf_cmp(x, s->hi) < 0)
    {
        arf_mul_2exp_si(x, s->hi, -2);
    }
    else
    {
        arf_add(x, s->lo, s->hi, 64, ARF_RND_NEAR);
        arf_mul_2exp_si(x, x, -1);
    }
}

static void round_short(arf_t x, slong digits)
{
    arf_set_round(x, x, 12 + 10 * digits / 3, ARF_RND_NEAR);
}

/*
 * The zero of the line, or from a point at eps = 0 of the parabola, through
 * the two points; *error is a guess of its relative error. Returns 0 when it
 * does not lie inside the bracket.
 */
static int secant(arf_t x, double *error, const search_struct *s)
{
    double u, v, w;
    if (s->points < 2)
        return 0;
    u = arf_get_d(s->near.x, ARF_RND_NEAR);
    v = arf_get_d(s->far.x, ARF_RND_NEAR);
    if (u == 0 || v == 0)
    {
        double slope = (s->near.g - s->far.g) / (u * u - v * v);
        w = sqrt(u * u - s->near.g / slope);
        if (!(slope < 0) || !isfinite(w))
            return 0;
        arf_set_d(x, w);
        *error = 1;
    }
    else
    {
        arf_t d;
        double slope, step;
        arf_init(d);
        arf_sub(d, s->near.x, s->far.x, 53, ARF_RND_NEAR);
        slope = (s->near.g - s->far.g) / arf_get_d(d, ARF_RND_NEAR);
        step = -s->near.g / slope;
        if (slope < 0 && isfinite(step))
        {
            arf_set_d(d, step);
            arf_add(x, s->near.x, d, 64 + 4 * s->digits, ARF_RND_NEAR);
        }
        else
        {
            arf_zero(x);
        }
        arf_clear(d);
        w = arf_get_d(x, ARF_RND_NEAR);
        *error = fabs(step) * fabs(w - v) / (w * w);
    }
    return arf_sgn(x) > 0 && arf_cmp(x, s->lo) > 0 && arf_cmp(x, s->hi) < 0;
}

#define SETTLE_ATTEMPTS 8

/*
 * Probes a point beside x (side = -1, 1), further out while its sign stays
 * open. Returns 0 when the root turns out to be on the other side.
 */
static int settle(search_struct *s, const arf_t x, int side, slong digits)
{
    double offset = 0.4 * pow(10, (double) -s->digits);
    slong prec = 64 + 4 * s->digits;
    arf_t y, t;
    int i, sign = 0;
    arf_init(y);
    arf_init(t);
    for (i = 0; i < SETTLE_ATTEMPTS && sign == 0 && !out_of_time(s); i++)
    {
        arf_set_d(t, side * offset);
        arf_mul(t, t, x, prec, ARF_RND_NEAR);
        arf_add(y, x, t, prec, ARF_RND_NEAR);
        round_short(y, s->digits);
        if (arf_cmp(y, s->lo) <= 0 || arf_cmp(y, s->hi) >= 0)
            break; /* known already */
        sign = probe(s, y, digits);
        if (s->status == SHUF_OK)
            digits += 2;
        else
            offset *= 4;
    }
    arf_clear(y);
    arf_clear(t);
    return sign == 0 || sign == -side;
}

#define SEARCH_STEPS 60

/* The digits of f that eps needs near the root: |d log f/d log eps| may be below 1. */
static slong digits_needed(const search_struct *s)
{
    double u = arf_get_d(s->near.x, ARF_RND_NEAR), v = arf_get_d(s->far.x, ARF_RND_NEAR);
    double steepness = s->points < 2 ? 1 : fabs((s->near.g - s->far.g) / (u - v) * u);
    slong more = steepness > 0 && steepness < 1 ? (slong) fmin(ceil(-log10(steepness)), 20) : 0;
    return s->digits + 1 + more;
}

static void narrow(search_struct *s)
{
    double error, goal = 0.3 * pow(10, (double) -s->digits);
    slong few = 2;
    int i, open = 0;
    arf_t x, last;
    arf_init(x);
    arf_init(last);
    for (i = 0; i < SEARCH_STEPS && !close_enough(s) && !out_of_time(s); i++)
    {
        if (open >= 3 || !secant(x, &error, s))
        {
            bisect(x, s);
            error = 1;
            open = 0;
        }
        else if (arf_is_pos_inf(s->hi))
        {
            /* do not leap far beyond what has been seen */
            arf_mul_2exp_si(last, s->near.x, 3);
            if (arf_sgn(last) > 0)
                arf_min(x, x, last);
        }
        if (arf_cmp_si(x, SHUF_MAX_EPSILON) > 0)
        {
            if (arf_cmp_si(s->lo, SHUF_MAX_EPSILON) >= 0)
                break;
            arf_set_si(x, SHUF_MAX_EPSILON);
        }
        if (error < goal)
        {
            slong digits = digits_needed(s);
            if (settle(s, x, -1, digits) && settle(s, x, 1, digits))
                break;
        }
        else
        {
            round_short(x, FLINT_MIN(few, s->digits));
            if (arf_cmp(x, s->lo) <= 0 || arf_cmp(x, s->hi) >= 0)
                bisect(x, s);
            open = probe(s, x, FLINT_MIN(few, digits_needed(s))) == 0 ? open + 1 : 0;
            few += 2;
            if (s->status == SHUF_DOMAIN)
                break;
        }
    }
    arf_clear(x);
    arf_clear(last);
}

/* delta = 0: points below the limit, further and further away, until f > 0 is certain. */
static void below_limit(search_struct *s)
{
    arf_t x;
    double share = 0.4 * pow(10, (double) -s->digits);
    arf_init(x);
    for (; share < 1 && arf_is_zero(s->lo) && !out_of_time(s); share *= 8)
    {
        arf_set_d(x, share);
        arf_mul(x, x, s->hi, 64, ARF_RND_NEAR);
        arf_sub(x, s->hi, x, 64 + 4 * s->digits, ARF_RND_NEAR);
        probe(s, x, 2);
    }
    arf_clear(x);
}

shuf_status search_epsilon(shuf_enclosure_t r, search_function f, const void *data, const shuf_real_t delta,
                           const shuf_real_struct *limit, const shuf_options *options)
{
    search_struct s = { .f = f, .data = data, .delta = delta, .digits = options->digits, .ledger = &r->ledger };
    double start = shuf_seconds();

    s.deadline = options->max_seconds > 0 ? start + options->max_seconds : 0;
    shuf_enclosure_zero(r);
    arf_init(s.lo); arf_init(s.hi);
    arf_init(s.near.x); arf_init(s.far.x);
    arf_pos_inf(s.hi);
    if (limit != NULL)
    {
        arb_t t;
        arb_init(t);
        shuf_real_get_arb(t, limit, 64 + 4 * options->digits);
        arb_get_ubound_arf(s.hi, t, 64 + 4 * options->digits);
        arb_clear(t);
    }
    if (shuf_real_sgn(delta) < 0)
    {
        arf_pos_inf(s.hi);
    }
    else if (shuf_real_cmp_si(delta, 1) >= 0)
    {
        arf_zero(s.hi);
    }
    else if (shuf_real_sgn(delta) == 0)
    {
        if (limit != NULL)
            below_limit(&s);
    }
    else
    {
        probe(&s, s.lo, 2);
        if (s.status != SHUF_DOMAIN)
            narrow(&s);
    }
    arf_set(r->lo, s.lo);
    arf_set(r->hi, s.hi);
    if (!arf_is_finite(r->hi))
        r->status = SHUF_DOMAIN;
    else
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    if (arf_is_finite(r->hi))
        shuf_enclosure_width(r->ledger.discretisation, r);
    r->ledger.seconds = shuf_seconds() - start;
    arf_clear(s.lo); arf_clear(s.hi);
    arf_clear(s.near.x); arf_clear(s.far.x);
    return r->status;
}
