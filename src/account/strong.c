/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Strong composition: a round that is (e, d)-DP, composed T times as any
 * (e, d)-DP mechanisms are (theorem kairouz15-optimal). Every (e, d) on the
 * round's curve gives a valid bound. The best of a few is found at few digits;
 * then the curve is evaluated there with certainty, rounded up, and composed:
 * the result is a bound whatever the search did.
 */
#include "account/rounds.h"

#include <math.h>

#include "fast/fast.h"
#include "forms/kairouz15.h"

/* Steer only. */
#define STEERING_DIGITS 4
#define POINT_DIGITS 15 /* of a round's eps and delta */
#define TRIALS 33
#define TRIAL_PREC 128  /* of trial points, which are rounded to a few digits */

/* out := x >= 0 rounded to a short decimal, up or down. */
static void set_short(shuf_real_t out, const arf_t x, slong digits, int up)
{
    char *text = shuf_decimal(x, digits, up);
    if (shuf_real_set_str(out, text) != 0) /* below the exponents that can be read */
        shuf_real_set_str(out, up ? "1e-10000" : "0");
    flint_free(text);
}

/*
 * value := eps at delta = at (want_epsilon), or delta at eps = at, of one
 * round, rounded up to a decimal. Returns 0 when it is not finite.
 */
static int one_round(shuf_real_t value, const round_route *route, int want_epsilon, const shuf_real_t at, const shuf_options *options)
{
    shuf_enclosure_t r;
    shuf_status status;
    int ok;
    shuf_enclosure_init(r);
    status = (want_epsilon ? route->law->epsilon : route->law->delta)(r, NULL, route->law, at, SHUF_DIRECTION_BOTH, options);
    ok = status != SHUF_DOMAIN && arf_is_finite(r->hi);
    if (ok)
        set_short(value, r->hi, POINT_DIGITS, 1);
    shuf_enclosure_clear(r);
    return ok;
}

/* The same without certainty, for steering: the fast path where there is one. */
static int one_round_estimate(shuf_real_t value, const round_route *route, int want_epsilon, const shuf_real_t at, const shuf_options *options)
{
    struct shuf_bound b;
    arf_t hi;
    shuf_status status = SHUF_DOMAIN;
    if (route->law->pair != NULL)
        status = want_epsilon ? shuf_fast_epsilon(&b, route->law->pair, at, SHUF_DIRECTION_BOTH)
                              : shuf_fast_delta(&b, route->law->pair, at, SHUF_DIRECTION_BOTH);
    if (status != SHUF_OK)
        return one_round(value, route, want_epsilon, at, options);
    arf_init(hi);
    arf_set_d(hi, b.hi);
    set_short(value, hi, POINT_DIGITS, 1);
    arf_clear(hi);
    return 1;
}

static shuf_status compose(shuf_enclosure_t r, const rounds_road *road, uint64_t rounds, int want_epsilon, const shuf_real_t point,
                           const shuf_options *options)
{
    return want_epsilon ? shuf_kairouz15_epsilon(r, road->eps, road->delta, rounds, point, options)
                        : shuf_kairouz15_delta(r, road->eps, road->delta, rounds, point, options);
}

/*
 * The i-th trial: a round's delta as a part of point/T, or a round's eps from
 * point/T (where T rounds add up to no more than the point) to the point.
 */
static void set_trial(shuf_real_t trial, uint64_t rounds, int want_epsilon, const shuf_real_t point, int i)
{
    /* 1, 0.999, 0.99, 0.9, 3/4, 1/2, 1/4, 1/16, ... of point/T */
    static const double parts[] = { 1, 0.999, 0.99, 0.9, 0.75 };
    arb_t x, t;
    arf_t end;
    if (rounds == 1 || shuf_real_sgn(point) == 0)
    {
        shuf_real_set(trial, point);
        return;
    }
    arb_init(x); arb_init(t); arf_init(end);
    shuf_real_get_arb(x, point, TRIAL_PREC);
    arb_div_ui(x, x, rounds, TRIAL_PREC);
    if (want_epsilon)
    {
        arf_set_d(end, i < 5 ? parts[i] : ldexp(1, i < 7 ? 4 - i : 2 * (5 - i)));
        arb_mul_arf(x, x, end, TRIAL_PREC);
    }
    else
    {
        /* T^(i/(TRIALS-1)) times point/T */
        arb_set_ui(t, rounds);
        arb_log(t, t, TRIAL_PREC);
        arb_mul_ui(t, t, (ulong) i, TRIAL_PREC);
        arb_div_ui(t, t, TRIALS - 1, TRIAL_PREC);
        arb_exp(t, t, TRIAL_PREC);
        arb_mul(x, x, t, TRIAL_PREC);
    }
    arb_get_lbound_arf(end, x, TRIAL_PREC);
    set_short(trial, end, 6, 0);
    arb_clear(x); arb_clear(t); arf_clear(end);
}

/* Coq: StrongComposition.strong_composition. */
shuf_status strong_composition(shuf_enclosure_t r, rounds_road *road, const round_route *route, int want_epsilon, const shuf_real_t point,
                               const shuf_options *options)
{
    uint64_t rounds = route->rounds;
    shuf_real_struct *given = want_epsilon ? road->delta : road->eps, *found = want_epsilon ? road->eps : road->delta;
    double start = shuf_work(), limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t trial;
    arf_t least;
    int best = -1, i;

    shuf_enclosure_init(trial);
    arf_init(least);
    o.digits = STEERING_DIGITS;
    for (i = 0; i < TRIALS && (i == 0 || (rounds > 1 && shuf_real_sgn(point) > 0)); i++)
    {
        shuf_share(&o, limit, 0.5 / (TRIALS - i));
        set_trial(given, rounds, want_epsilon, point, i);
        if (one_round_estimate(found, route, want_epsilon, given, &o) && compose(trial, road, rounds, want_epsilon, point, &o) != SHUF_DOMAIN
            && (best < 0 || arf_cmp(trial->hi, least) < 0))
        {
            best = i;
            arf_set(least, trial->hi);
        }
        if (best >= 0 && shuf_exhausted(limit))
            break;
    }
    shuf_enclosure_unknown(r, !want_epsilon);
    if (best >= 0)
    {
        o = *options;
        shuf_share(&o, limit, 0.5);
        set_trial(given, rounds, want_epsilon, point, best);
        if (one_round(found, route, want_epsilon, given, &o))
        {
            shuf_share(&o, limit, 1);
            compose(r, road, rounds, want_epsilon, point, &o);
        }
    }
    road->has_round = r->status != SHUF_DOMAIN;
    r->ledger.work = shuf_work() - start;
    shuf_enclosure_clear(trial);
    arf_clear(least);
    return r->status;
}
