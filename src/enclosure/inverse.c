/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "enclosure/inverse.h"

#include <math.h>

#include "enclosure/steer.h"

/* A point with about log(f/target) there. */
typedef struct
{
    arf_t x;
    double g;
} point_struct;

typedef struct
{
    const inverse_problem *p;
    const shuf_real_struct *target;
    slong digits;
    double deadline;        /* 0: none */
    double early;           /* the same while no upper end is known */
    arf_t lo, hi;           /* certain: f(lo) > target or lo = 0, f(hi) <= target or hi = +inf */
    arf_t limit;            /* where f begins to vanish, or +inf */
    point_struct near, far; /* the two points that are closest to the root, by |g| */
    int points;
    shuf_ledger_struct *ledger;
    shuf_status status;     /* of the last evaluation */
} search;

/* An evaluation leaves work for others, and a search without an upper end some for a last attempt. Steer only. */
#define SHARE_OF_WORK 0.4
#define LAST_SHARE 0.2

static int out_of_work(const search *s)
{
    return shuf_exhausted(arf_is_pos_inf(s->hi) ? s->early : s->deadline);
}

/* log(x/target), roughly, for a value x known by an enclosure. */
static double log_ratio(const shuf_enclosure_t x, const shuf_real_t target, slong digits)
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
    shuf_real_get_arb(b, target, prec);
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
static void remember(search *s, const arf_t x, double g)
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

/*
 * Evaluates f(x): 1 if it is certainly above the target, -1 if not above, 0 if that is open.
 * Coq: Divergence.hockey_decreasing.
 */
static int probe(search *s, const arf_t x, slong digits)
{
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    shuf_enclosure_t value;
    shuf_real_t at;
    int sign;
    shuf_enclosure_init(value);
    shuf_real_init(at);
    shuf_real_set_arf(at, x);
    o.digits = FLINT_MIN(digits, SHUF_MAX_DIGITS);
    if (s->deadline > 0)
        o.max_work = fmax(SHARE_OF_WORK * (s->deadline - shuf_work()), 1e6);
    s->status = s->p->f(value, at, &o, s->p->data);
    s->ledger->terms += value->ledger.terms;
    s->ledger->precision = FLINT_MAX(s->ledger->precision, value->ledger.precision);
    sign = shuf_real_cmp_arf(s->target, value->lo) < 0 ? 1 : shuf_real_cmp_arf(s->target, value->hi) >= 0 ? -1 : 0;
    if (sign > 0 && arf_cmp(x, s->lo) > 0)
        arf_set(s->lo, x);
    if (sign < 0 && arf_cmp(x, s->hi) < 0)
        arf_set(s->hi, x);
    if (shuf_real_sgn(s->target) > 0 && arf_sgn(value->hi) > 0)
        remember(s, x, log_ratio(value, s->target, digits));
    shuf_enclosure_clear(value);
    shuf_real_clear(at);
    return sign;
}

static int close_enough(const search *s)
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
static void bisect(arf_t x, const search *s)
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

/* Root of the estimate in (0, hi). */
static double estimated_root(const search *s)
{
    double lo = 0, hi = fmin(arf_get_d(s->hi, ARF_RND_NEAR), (double) s->p->most), target = steer_log_real(s->target, 64);
    int i;
    for (i = 0; i < 60 && hi >= 1e-25 && hi - lo >= 1e-6 * hi; i++)
    {
        double mid = (lo > 0 && hi > 4 * lo) ? sqrt(lo * hi) : lo == 0 ? hi / 8 : (lo + hi) / 2;
        if (s->p->log_estimate(mid, s->p->data) > target)
            lo = mid;
        else
            hi = mid;
    }
    return lo > 0 ? lo : hi;
}

static void round_short(arf_t x, slong digits)
{
    arf_set_round(x, x, 12 + 10 * digits / 3, ARF_RND_NEAR);
}

/* The change of log f with y at x, according to the estimate. */
static double estimated_slope(const search *s, double x, double room)
{
    double at = s->p->log_estimate(1.001 * x, s->p->data), before = s->p->log_estimate(0.999 * x, s->p->data);
    return (at - before) / (0.002 * x) * (isfinite(room) ? room : 1);
}

/*
 * The root of the line through the two points, or through the nearest one with
 * the estimate's slope, where f vanishes at a finite limit L in the variable
 * y = -log(1 - x/L): f falls there like a power of L - x, and y is about x/L
 * far from L.
 */
static double step_of_line(double *error, const search *s)
{
    double x = arf_get_d(s->near.x, ARF_RND_NEAR), room, dy, slope, step;
    int one = s->points < 2 || arf_is_zero(s->far.x);
    arf_t d;
    arf_init(d);
    arf_sub(d, s->limit, s->near.x, 53, ARF_RND_NEAR);
    room = arf_get_d(d, ARF_RND_NEAR);
    arf_sub(d, s->far.x, s->near.x, 53, ARF_RND_NEAR);
    dy = arf_get_d(d, ARF_RND_NEAR);
    arf_clear(d);
    if (isfinite(room))
        dy = -d_log1p(-dy / room);
    slope = one ? estimated_slope(s, x, room) : (s->far.g - s->near.g) / dy;
    step = -s->near.g / slope;
    if (!(slope < 0) || !isfinite(step))
        return NAN;
    if (isfinite(room))
        step = -room * d_expm1(-step);
    *error = one ? fabs(step) / x : fabs(step) * fabs(arf_get_d(s->far.x, ARF_RND_NEAR) - x - step) / (x * x);
    return step;
}

/*
 * Where the next probe belongs: the root of the estimate, of a line as above,
 * or from a point at x = 0 of a parabola; *error is a guess of its relative
 * error. Returns 0 when it does not lie inside the bracket.
 */
static int secant(arf_t x, double *error, const search *s)
{
    double u = arf_get_d(s->near.x, ARF_RND_NEAR), v = arf_get_d(s->far.x, ARF_RND_NEAR), w;
    int estimated = s->p->log_estimate != NULL;
    *error = 1;
    if (estimated && s->points == 1 && u == 0)
    {
        arf_set_d(x, estimated_root(s));
    }
    else if (u != 0 && (s->points == 2 ? v != 0 || estimated : s->points == 1 && estimated))
    {
        arf_t d;
        w = step_of_line(error, s);
        if (!isfinite(w))
            return 0;
        arf_init(d);
        arf_set_d(d, w);
        arf_add(x, s->near.x, d, 64 + 4 * s->digits, ARF_RND_NEAR);
        arf_clear(d);
    }
    else if (s->points == 2)
    {
        double slope = (s->near.g - s->far.g) / (u * u - v * v);
        w = sqrt(u * u - s->near.g / slope);
        if (!(slope < 0) || !isfinite(w))
            return 0;
        arf_set_d(x, w);
    }
    else
    {
        return 0;
    }
    return arf_sgn(x) > 0 && arf_cmp(x, s->lo) > 0 && arf_cmp(x, s->hi) < 0;
}

#define SETTLE_ATTEMPTS 8 /* steers only */

/*
 * Probes a point beside x (side = -1, 1), further out while its sign stays
 * open. Returns 0 when the root turns out to be on the other side.
 */
static int settle(search *s, const arf_t x, int side, slong digits)
{
    double offset = 0.2 * d_pow(10, (double) -s->digits);
    slong prec = 64 + 4 * s->digits;
    arf_t y, t;
    int i, sign = 0;
    arf_init(y);
    arf_init(t);
    for (i = 0; i < SETTLE_ATTEMPTS && sign == 0 && !out_of_work(s); i++)
    {
        arf_set_d(t, side * offset);
        arf_mul(t, t, x, prec, ARF_RND_NEAR);
        arf_add(y, x, t, prec, ARF_RND_NEAR);
        round_short(y, s->digits);
        if (arf_cmp(y, s->lo) <= 0 || arf_cmp(y, s->hi) >= 0)
            break; /* known already */
        sign = probe(s, y, digits);
        if (s->status == SHUF_OK)
            digits += digits / 2 + 2;
        else
            offset *= 4;
    }
    arf_clear(y);
    arf_clear(t);
    return sign == 0 || sign == -side;
}

#define SEARCH_STEPS 60 /* steers only */

/* The digits of f that x needs near the root: more where |d log f/d log x| is below 1, fewer where it is above. */
static slong digits_needed(const search *s)
{
    double u = arf_get_d(s->near.x, ARF_RND_NEAR), v = arf_get_d(s->far.x, ARF_RND_NEAR);
    double steepness = s->points < 2 ? 1 : fabs((s->near.g - s->far.g) / (u - v) * u);
    slong more = steepness > 0 ? (slong) fmin(ceil(-d_log10(steepness)), 20) : 0;
    return FLINT_MAX(s->digits + 1 + more, 2);
}

static void narrow(search *s)
{
    double error, goal = 0.15 * d_pow(10, (double) -s->digits);
    slong few = s->p->log_estimate != NULL ? 5 : 2;
    int i, open = 0;
    arf_t x, last;
    arf_init(x);
    arf_init(last);
    for (i = 0; i < SEARCH_STEPS && !close_enough(s) && !out_of_work(s); i++)
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
        if (arf_cmp_si(x, s->p->most) > 0)
        {
            if (arf_cmp_si(s->lo, s->p->most) >= 0)
                break;
            arf_set_si(x, s->p->most);
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
            few += few / 2 + 1;
            if (s->status == SHUF_DOMAIN)
                break;
        }
    }
    arf_clear(x);
    arf_clear(last);
}

/* Beyond a root that too little is known of, for any upper end at all. */
static void beyond(search *s)
{
    static const double factor[] = { 1.01, 1.1, 2 };
    arf_t x, t;
    size_t i;
    arf_init(x);
    arf_init(t);
    s->early = s->deadline;
    for (i = 0; i < sizeof(factor) / sizeof(factor[0]) && !out_of_work(s) && arf_is_pos_inf(s->hi); i++)
    {
        arf_set_d(t, factor[i]);
        arf_max(x, s->near.x, s->lo);
        if (arf_is_zero(x))
            arf_one(x);
        arf_mul(x, x, t, 64, ARF_RND_NEAR);
        if (arf_cmp_si(x, s->p->most) > 0)
            arf_set_si(x, s->p->most);
        probe(s, x, 2);
    }
    arf_clear(x);
    arf_clear(t);
}

/* target = 0: points below the limit, further and further away, until f > 0 is certain. */
static void below_limit(search *s)
{
    arf_t x;
    double share = 0.4 * d_pow(10, (double) -s->digits);
    arf_init(x);
    for (; share < 1 && arf_is_zero(s->lo) && !out_of_work(s); share *= 8)
    {
        arf_set_d(x, share);
        arf_mul(x, x, s->hi, 64, ARF_RND_NEAR);
        arf_sub(x, s->hi, x, 64 + 4 * s->digits, ARF_RND_NEAR);
        probe(s, x, 2);
    }
    arf_clear(x);
}

/* x = 0, where the whole answer may be: as many digits as it takes, within reason. */
static void at_zero(search *s)
{
    slong digits = 2;
    arf_t zero;
    int i, sign = 0;
    arf_init(zero);
    for (i = 0; i < SETTLE_ATTEMPTS && sign == 0 && !out_of_work(s); i++, digits += digits / 2 + 2)
    {
        sign = probe(s, zero, digits);
        if (s->status != SHUF_OK)
            break;
    }
    arf_clear(zero);
}

/* Where the root is said to be about. */
static void at_start(search *s)
{
    arf_t x;
    arf_init(x);
    arf_set_d(x, s->p->start);
    if (arf_cmp(x, s->hi) < 0 && arf_cmp_si(x, s->p->most) < 0)
        probe(s, x, 2);
    arf_clear(x);
}

shuf_status inverse_find(shuf_enclosure_t r, const inverse_problem *p, const shuf_real_t target, const shuf_options *options)
{
    search s = { .p = p, .target = target, .digits = options->digits, .ledger = &r->ledger };
    double start = shuf_work();

    s.deadline = shuf_limit(options);
    s.early = s.deadline > 0 ? s.deadline - LAST_SHARE * (s.deadline - start) : 0;
    shuf_enclosure_zero(r);
    arf_init(s.lo); arf_init(s.hi); arf_init(s.limit);
    arf_init(s.near.x); arf_init(s.far.x);
    arf_pos_inf(s.hi);
    arf_pos_inf(s.limit);
    if (p->limit != NULL)
    {
        shuf_real_end(s.hi, p->limit, 1, 64 + 4 * options->digits);
        arf_set(s.limit, s.hi);
    }
    if (shuf_real_sgn(target) < 0)
    {
        arf_pos_inf(s.hi);
    }
    else if (shuf_real_cmp_si(target, 1) >= 0)
    {
        arf_zero(s.hi);
    }
    else if (shuf_real_sgn(target) == 0)
    {
        if (p->limit != NULL)
            below_limit(&s);
    }
    else
    {
        if (p->start > 0)
            at_start(&s);
        if (arf_is_zero(s.lo))
            at_zero(&s);
        if (s.status != SHUF_DOMAIN && !arf_is_zero(s.hi))
            narrow(&s);
        if (s.status != SHUF_DOMAIN && s.points > 0 && arf_is_pos_inf(s.hi))
            beyond(&s);
    }
    arf_set(r->lo, s.lo);
    arf_set(r->hi, s.hi);
    if (!arf_is_finite(r->hi))
        r->status = SHUF_DOMAIN;
    else
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    if (arf_is_finite(r->hi))
        shuf_enclosure_width(r->ledger.discretisation, r);
    r->ledger.work = shuf_work() - start;
    arf_clear(s.lo); arf_clear(s.hi); arf_clear(s.limit);
    arf_clear(s.near.x); arf_clear(s.far.x);
    return r->status;
}
