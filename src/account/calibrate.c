/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/calibrate.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "hockey/hockey.h"
#include "law/sampled_law.h"

typedef struct
{
    const shuf_pair_struct *pair;
    const shuf_real_struct *eps, *delta;
    uint64_t rounds;
    const fmpq *rate;
    const shuf_options *pld; /* NULL: one round of all users */
    double deadline;
    ulong terms;
} problem;

static int out_of_work(const problem *p)
{
    return shuf_exhausted(p->deadline);
}

/* Two losses that agree to 256 bits stay undecided, which counts as not certified. Steers only. */
#define PREC 256

/* t := the largest loss x that one round may have for eps-DP: rounds log(1 + rate (e^x - 1)) = eps. */
static void pure_loss(arb_t t, const problem *p, slong prec)
{
    arb_t g;
    arb_init(g);
    shuf_real_get_arb(t, p->eps, prec);
    if (p->rounds > 1)
        arb_div_ui(t, t, p->rounds, prec);
    if (!fmpq_is_one(p->rate))
    {
        arb_set_fmpq(g, p->rate, prec);
        arb_expm1(t, t, prec);
        arb_div(t, t, g, prec);
        arb_log1p(t, t, prec);
    }
    arb_clear(g);
}

/* Whether the pair's largest loss is certainly no larger: delta = 0. */
static int certified_pure(const problem *p, const shuf_pair_t pair)
{
    shuf_real_t loss;
    arb_t x, most;
    int result = 0;
    shuf_real_init(loss); arb_init(x); arb_init(most);
    if (shuf_pair_max_loss(loss, pair))
    {
        shuf_real_get_arb(x, loss, PREC);
        pure_loss(most, p, PREC);
        result = arb_le(x, most);
    }
    shuf_real_clear(loss); arb_clear(x); arb_clear(most);
    return result;
}

/* Steer only. */
#define COARSE_DIGITS 2
#define SHARES 16 /* of the work left, for one accuracy at one point */

/*
 * Whether eps(delta) of the rounds' product is certainly at most eps: quicker
 * to tell than delta(eps), and most points need few digits.
 */
static int certified_rounds(problem *p, const shuf_pair_t pair, double work)
{
    shuf_options o = *p->pld;
    shuf_law_struct base, round;
    shuf_sampled_t sample;
    shuf_pld_part part;
    shuf_enclosure_t r;
    int sign = 0;
    o.max_work = work;
    shuf_sampled_init(sample);
    shuf_enclosure_init(r);
    shuf_law_set_pair(&base, pair);
    shuf_sampled_set(sample, SHUF_SAMPLED_FIXED_SIZE, &base, p->rate);
    shuf_law_set_sampled(&round, sample);
    part.law = &round;
    part.rounds = p->rounds;
    for (o.digits = COARSE_DIGITS; sign == 0; o.digits = p->pld->digits + 1)
    {
        shuf_pld_epsilon(r, &part, 1, p->delta, SHUF_DIRECTION_BOTH, &o);
        if (arf_is_finite(r->hi) && shuf_real_cmp_arf(p->eps, r->hi) >= 0)
            sign = -1;
        else if (shuf_real_cmp_arf(p->eps, r->lo) < 0)
            sign = 1;
        if (o.digits != COARSE_DIGITS || out_of_work(p))
            break;
    }
    shuf_sampled_clear(sample);
    shuf_enclosure_clear(r);
    return sign < 0;
}

/* Whether the pair with this eps0 and n certainly has delta(eps) <= delta. */
static int certified(problem *p, const shuf_pair_t pair)
{
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    int undecided;
    if (p->deadline > 0)
    {
        o.max_work = p->deadline - shuf_work();
        if (o.max_work < 1e6)
            return 0;
    }
    p->terms++;
    if (p->pld != NULL)
        return shuf_real_sgn(p->delta) == 0 ? certified_pure(p, pair) : certified_rounds(p, pair, o.max_work / SHARES);
    return shuf_hockey_compare(&undecided, pair, p->eps, p->delta, SHUF_DIRECTION_BOTH, &o) < 0;
}

static int certified_eps0(problem *p, const arf_t eps0)
{
    shuf_pair_t pair;
    int result;
    shuf_pair_init(pair);
    shuf_pair_set(pair, p->pair);
    shuf_real_set_arf(pair->eps0, eps0);
    result = certified(p, pair);
    shuf_pair_clear(pair);
    return result;
}

static int certified_n(problem *p, uint64_t n)
{
    shuf_pair_t pair;
    int result;
    shuf_pair_init(pair);
    shuf_pair_set(pair, p->pair);
    pair->n = n;
    result = certified(p, pair);
    shuf_pair_clear(pair);
    return result;
}

/* x := a point between: the geometric mean of ends far apart. */
static void middle(arf_t x, const arf_t lo, const arf_t hi, slong prec)
{
    arf_mul_2exp_si(x, lo, 2);
    if (arf_sgn(lo) > 0 && arf_cmp(x, hi) < 0)
    {
        arf_mul(x, lo, hi, prec, ARF_RND_NEAR);
        arf_sqrt(x, x, prec, ARF_RND_NEAR);
    }
    else
    {
        arf_add(x, lo, hi, prec, ARF_RND_NEAR);
        arf_mul_2exp_si(x, x, -1);
    }
}

/* Apart from inverse_find, because a point is certified or not: there are no values to take secants of. */
static shuf_status solve_eps0(shuf_enclosure_t r, problem *p, const shuf_options *options)
{
    slong prec = 4 * options->digits + 64;
    shuf_status status = SHUF_ACCURACY;
    arf_t x;
    arb_t t;
    arf_init(x);
    arb_init(t);
    pure_loss(t, p, prec);
    if (p->pair->kind == SHUF_PAIR_CLONES_DELETION) /* whose largest loss is 2 eps0 */
        arb_mul_2exp_si(t, t, -1);
    shuf_ball_least(r->lo, t, prec);
    /* double until it no longer does; from 1 on, because many rounds make the lower end tiny */
    arf_mul_2exp_si(r->hi, r->lo, 1);
    if (arf_cmp_si(r->hi, 1) < 0)
        arf_one(r->hi);
    for (;;)
    {
        if (arf_cmp_si(r->hi, SHUF_MAX_EPSILON) > 0)
            arf_set_si(r->hi, SHUF_MAX_EPSILON);
        if (arf_cmp(r->lo, r->hi) < 0 && !certified_eps0(p, r->hi))
            break;
        if (arf_cmp_si(r->hi, SHUF_MAX_EPSILON) == 0)
        {
            /* beyond it nothing is evaluated: certified up to here, and no upper end is known */
            arf_set(r->lo, r->hi);
            arf_pos_inf(r->hi);
            status = SHUF_DOMAIN;
            break;
        }
        arf_set(r->lo, r->hi);
        arf_mul_2exp_si(r->hi, r->hi, 1);
    }
    while (arf_is_finite(r->hi) && !shuf_enclosure_accurate(r, options->digits))
    {
        if (out_of_work(p))
            break;
        middle(x, r->lo, r->hi, prec);
        if (arf_cmp_2exp_si(r->hi, -200) < 0)
            break; /* eps = 0: only eps0 = 0 may do */
        if (certified_eps0(p, x))
            arf_set(r->lo, x);
        else
            arf_set(r->hi, x);
    }
    if (shuf_enclosure_accurate(r, options->digits))
        status = SHUF_OK;
    if (arf_is_finite(r->hi))
        shuf_enclosure_width(r->ledger.discretisation, r);
    arf_clear(x);
    arb_clear(t);
    return status;
}

/* How close an n that is certified and one that is not need to be. */
static uint64_t width_for(const problem *p, uint64_t n)
{
    double width = p->pld != NULL ? (double) n * d_pow(10, -(double) p->pld->digits) : 1;
    return width > 1 ? (uint64_t) width : 1;
}

/* A number of users, and log(delta(eps)/delta) there, about. */
typedef struct
{
    uint64_t n;
    double g;
} user_point;

/* Narrows (bad, good] by delta(eps) of n users, known to so many digits; *x becomes the point there. */
static void probe_n(user_point *x, uint64_t *bad, uint64_t *good, problem *p, uint64_t n, slong digits)
{
    shuf_options o = { digits, p->deadline > 0 ? fmax(p->deadline - shuf_work(), 1e6) : 0 };
    shuf_enclosure_t value;
    shuf_pair_t pair;
    arb_t t, delta;
    shuf_enclosure_init(value); shuf_pair_init(pair); arb_init(t); arb_init(delta);
    shuf_pair_set(pair, p->pair);
    pair->n = n;
    p->terms++;
    shuf_hockey_delta(value, pair, p->eps, SHUF_DIRECTION_BOTH, &o);
    if (n < *good && shuf_real_cmp_arf(p->delta, value->hi) >= 0)
        *good = n;
    else if (n > *bad && shuf_real_cmp_arf(p->delta, value->lo) < 0)
        *bad = n;
    shuf_real_get_arb(delta, p->delta, PREC);
    arb_set_arf(t, value->hi);
    arb_div(t, t, delta, PREC);
    arb_log(t, t, PREC);
    x->n = n;
    x->g = arf_sgn(value->lo) > 0 ? arf_get_d(arb_midref(t), ARF_RND_NEAR) : NAN;
    shuf_enclosure_clear(value); shuf_pair_clear(pair); arb_clear(t); arb_clear(delta);
}

/* Steer only. */
#define SECANTS 8
#define FIRST_DIGITS 4
#define LAST_DIGITS 20

/* log(m/n) */
static double log_quotient(uint64_t m, uint64_t n)
{
    return m >= n ? d_log1p((double) (m - n) / (double) n) : -d_log1p((double) (n - m) / (double) m);
}

/*
 * The same by secants of log delta against log n, which are nearly straight: a point on either side of the root, as near as that
 * is known, with as many digits as it takes to tell. Stops when that does not narrow it.
 */
static void secants_n(problem *p, uint64_t *bad, uint64_t *good)
{
    user_point x[2], last;
    int i, side;
    probe_n(&x[0], bad, good, p, *bad, FIRST_DIGITS);
    probe_n(&x[1], bad, good, p, *good, FIRST_DIGITS);
    for (i = 0; i < SECANTS && *good - *bad > 2 && !out_of_work(p); i++)
    {
        double slope, step, error, root, width;
        uint64_t before = *good - *bad;
        if (fabs(x[1].g) < fabs(x[0].g))
        {
            last = x[0];
            x[0] = x[1];
            x[1] = last;
        }
        slope = (x[1].g - x[0].g) / log_quotient(x[1].n, x[0].n);
        step = -x[0].g / slope;
        if (!(slope < 0) || !isfinite(step) || fabs(step) > 10)
            break;
        error = fmax(step * step, 1e-16) / 4;
        root = (double) x[0].n * d_expm1(step); /* beyond x[0].n */
        width = fmax(1, error * (double) x[0].n);
        last = x[0];
        for (side = 1; side >= -1 && *good - *bad > 2; side -= 2)
        {
            double shift = root + side * width, room = (double) *good - (double) last.n;
            uint64_t n;
            /* within the bracket */
            shift = fmin(fmax(shift, (double) *bad - (double) last.n + 1), room - 1);
            n = shift < 0 ? last.n - (uint64_t) -shift : last.n + (uint64_t) shift;
            if (n <= *bad || n >= *good)
                continue;
            x[1] = x[0];
            probe_n(&x[0], bad, good, p, n, FLINT_MAX(FIRST_DIGITS, FLINT_MIN(LAST_DIGITS, (slong) (2 - d_log10(width / (double) n)))));
        }
        if (*good - *bad > before / 2)
            break;
    }
}

/*
 * Among whole numbers.
 * Coq: KrrPairs.krr_weak_monotone, KrrPairs.krr_strong_monotone, Monotone.trinomial_monotone.
 */
static shuf_status solve_n(shuf_enclosure_t r, problem *p)
{
    uint64_t bad = 0, good = 1;
    shuf_status status = SHUF_OK;
    while (!certified_n(p, good))
    {
        bad = good;
        if (good == SHUF_MAX_USERS || out_of_work(p))
            return SHUF_DOMAIN;
        good = good > SHUF_MAX_USERS / 8 ? SHUF_MAX_USERS : 8 * good;
    }
    if (p->pld == NULL && bad > 0 && shuf_real_sgn(p->delta) > 0)
        secants_n(p, &bad, &good);
    while (good - bad > width_for(p, good))
    {
        uint64_t mid = bad + (good - bad) / 2;
        if (certified_n(p, mid))
            good = mid;
        else
            bad = mid;
        if (out_of_work(p))
        {
            status = SHUF_ACCURACY;
            break;
        }
    }
    arf_set_ui(r->lo, bad);
    arf_set_ui(r->hi, good);
    shuf_enclosure_width(r->ledger.discretisation, r);
    return status;
}

static shuf_status calibrate(shuf_enclosure_t r, problem *p, shuf_solve solve, const shuf_options *options)
{
    double start = shuf_work();
    shuf_enclosure_zero(r);
    p->deadline = shuf_limit(options);
    if (shuf_real_sgn(p->eps) < 0 || shuf_real_cmp_si(p->eps, SHUF_MAX_EPSILON) > 0 || shuf_real_sgn(p->delta) < 0
        || (solve == SHUF_SOLVE_EPS0 && !shuf_pair_bounds_eps0(p->pair->kind)))
        r->status = SHUF_DOMAIN;
    else if (solve == SHUF_SOLVE_EPS0)
        r->status = solve_eps0(r, p, options);
    else
        r->status = solve_n(r, p);
    r->ledger.terms = p->terms;
    r->ledger.work = shuf_work() - start;
    return r->status;
}

/* Coq: Monotone.trinomial_monotone. */
shuf_status shuf_calibrate(shuf_enclosure_t r, const shuf_pair_t pair, shuf_solve solve, const shuf_real_t eps,
                           const shuf_real_t delta, const shuf_options *options)
{
    problem p = { pair, eps, delta, 1, shuf_one, NULL, 0, 0 };
    return calibrate(r, &p, solve, options);
}

shuf_status shuf_calibrate_rounds(shuf_enclosure_t r, const shuf_pair_t pair, uint64_t rounds, const fmpq_t rate,
                                  shuf_solve solve, const shuf_real_t eps, const shuf_real_t delta,
                                  const shuf_options *options)
{
    problem p = { pair, eps, delta, rounds, rate, options, 0, 0 };
    if (rounds < 1 || rounds > SHUF_MAX_ROUNDS || fmpq_sgn(rate) <= 0
        || fmpz_cmp(fmpq_numref(rate), fmpq_denref(rate)) > 0 || shuf_real_cmp_si(delta, 1) > 0)
    {
        shuf_enclosure_zero(r);
        return r->status = SHUF_DOMAIN;
    }
    return calibrate(r, &p, solve, options);
}
