/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* proofs/fast.md has a lemma for each recurrence. */
#include "fast/fast_doubles.h"

#include "binomial/binomial.h"
#include "enclosure/elementary.h"
#include "enclosure/steer.h"
#include "hockey/stratum.h"

/* ---- where the sum lives: estimates, no guarantee ---- */

/*
 * The value of stratum c is about exp(-rate (c+1)): its threshold is a fixed
 * fraction of c+1. Strata contribute like a binomial law tilted by that.
 */
typedef struct
{
    double others, count, count_complement, rate;
    double top;      /* where the largest contribution is */
    double log_mass; /* of Pr[C = top] */
} landscape;

static void landscape_set(landscape *e, const stratum_context_t s)
{
    const shuf_pair_weights_struct *w = s->weights;
    double rho = estimate(w->rho), slope = estimate(s->slope), tilted;
    e->others = (double) s->others;
    e->count = estimate(w->count);
    e->count_complement = estimate(w->count_complement);
    e->rate = slope > rho ? steer_relative_entropy(slope, rho, estimate(w->rho_complement)) : 0;
    tilted = e->count * d_exp(-e->rate);
    tilted /= e->count_complement + tilted;
    e->top = fmin(floor(e->others * tilted), e->others);
    if (!(e->top >= 0))
        e->top = 0;
    e->log_mass = e->others > 0 ? -e->others * steer_relative_entropy(e->top / e->others, e->count, e->count_complement) : 0;
}

/*
 * A stratum with Pr[C > last] V(last) about exp(-nats) of the largest
 * contribution.
 */
static ulong landscape_last(const landscape *e, double nats)
{
    double aim = e->log_mass - e->rate * (e->top + 1) - nats;
    ulong bad = (ulong) e->top, good = (ulong) e->others;
    while (good > bad && good - bad > 1)
    {
        ulong c = bad + (good - bad) / 2;
        double x = (double) c / e->others, value = -e->rate * ((double) c + 1);
        if (x > e->count)
            value -= e->others * steer_relative_entropy(x, e->count, e->count_complement);
        if (value <= aim)
            good = c;
        else
            bad = c;
    }
    return good;
}

/* ---- thresholds ---- */

/*
 * t* - NEAR in fixed point with 64 fractional bits, t* = slope (c+1). Fewer
 * than 2^38 steps of at most two units each, and a start within 2^35 units,
 * keep the error below NEAR; within NEAR of an integer both candidates are tried.
 * A step is at most 2^64 (Lemma 1): candidates fall by at most one.
 */
#define NEAR (UINT64_C(1) << 40)
#define MAX_STEPS (UINT64_C(1) << 38)

/*
 * The smaller candidate t >= 1 for ceil(t*); *two is set when t+1 is another.
 * Coq: RoundingThreshold.fixed_point_error, RoundingThreshold.candidates_sound.
 */
static ulong threshold(stratum_fixed f, int *two)
{
    uint64_t fraction = (uint64_t) f;
    int64_t t = (int64_t) (f >> 64) + (fraction != 0);
    *two = (UINT64_C(0) - fraction) < 2 * NEAR;
    if (t < 1)
    {
        t = 1; /* t* > 0 */
        *two = 0;
    }
    return (ulong) t;
}

/* ---- the sum ---- */

/* What a sum over strata proves, in units of 2^exponent times the pair's scale. */
typedef struct
{
    double total, error; /* |total - sum over the strata walked| <= error */
    double truncation;   /* bounds the sum over the others */
    slong exponent;
    uint64_t terms;
} partial_sum;

/* Each step moves a value by at most 3 roundings of itself (Lemma 3), charged as this ... */
#define VALUE_FACTOR 3.25
/* ... and by at most 9.1 roundings of the two parts of its increment, in multiples of that (Lemma 3). */
#define PART_FACTOR 3.0

/* Above what an underflow takes from mass * ratio / (1 - ratio), mass being at least SMALLEST (Lemma 6). */
#define LOST_MASS 0x1p-1073

/* Units of a term of a value. Steers only. */
#define TERM_COST 8

/*
 * V_t(c) = u Pr[X = t-1] - W Pr[X >= t], X ~ Bin(c, rho), from pmf =
 * Pr[X = t-1], t >= rho (c+1) up to rounding, odds = rho/(1-rho), as the sum
 * over a >= t of
 *   Pr[X = a-1] (u - (u+W) r_a),  r_a = Pr[X = a]/Pr[X = a-1] = (c+1-a)/a odds,
 * whose terms are positive (except perhaps the first, when t is one too low).
 * *error bounds the error, pmf taken as exact. Returns 0 if it underflows or
 * after MAX_STEPS terms.
 * Coq: RoundingSeries.series_sum_error, RoundingSeries.series_exact, RoundingSeries.series_rest,
 * RoundingStartValue.start_tracked.
 */
static int value_series(double *value, double *error, double pmf, double c, double t, double odds, double U, double W)
{
    double sum = 0, size = 0, drift = 0, parts = 0, count = 0, number = 0, rest = 0, a;
    double per_term = odds == 1 ? 2 : 5;
    for (a = t; a <= c + 1; a++)
    {
        double ratio = (c + 1 - a) * odds / a, gain, cost, term, bound;
        if (odds == 1)
        {
            gain = U * ((2 * a - c - 1) / a);
            cost = W * ratio;
        }
        else
        {
            gain = U;
            cost = (U + W) * ratio;
        }
        term = pmf * (gain - cost);
        sum += term;
        size += fabs(term);
        drift += fabs(term) * count;
        parts += pmf * (fabs(gain) + cost);
        number += 1;
        pmf *= ratio;
        count += per_term;
        if (a > c)
            break;
        if (!(pmf >= SMALLEST * 0x1p-40) || number >= (double) MAX_STEPS)
            return 0;
        /* the rest: at most u Pr[X = a] (1 + r + r^2 + ...), r at least the next ratio */
        bound = ratio * (1 + 8 * ROUNDOFF);
        if (bound < 1 && U * pmf <= (1 - bound) * (0x1p-54 * sum))
        {
            rest = 1.01 * (U * pmf / (1 - bound));
            break;
        }
    }
    shuf_charge(number * TERM_COST);
    *value = sum;
    *error = 1.05 * ROUNDOFF * (drift + (number + 1) * size + 8 * parts) + rest;
    return 1;
}

/* A walk from stratum `last` downwards. */
typedef struct
{
    double U, W, odds, up, others;           /* constants: u, the tail's weight, (1-s)/s, rho/(1-rho), n-1 */
    double whole;                            /* u in units of pmf; may be infinite */
    double c, t, mass, pmf, value, met;      /* the stratum, its threshold, weight, Pr[X = t-1], value and its error */
    double count;                            /* roundings in mass */
    double total, drift, spread;             /* of the sum and its errors */
    stratum_fixed f, step;
    slong mass_exponent, pmf_exponent;
    ulong last, first_t;
    int two, single, flushed;
} walk_struct;

/* The constants and the threshold of the first stratum. Returns 0 when doubles will not do. */
static int walk_constants(walk_struct *k, const stratum_context_t s, const landscape *e)
{
    const shuf_pair_weights_struct *w = s->weights;
    arb_t x;
    int ok;
    arb_init(x);
    k->others = (double) s->others;
    k->W = k->odds = 0;
    k->flushed = 0;
    ok = constant(&k->U, s->u);
    arb_neg(x, s->sum);
    if (arb_is_zero(x))
        k->W = 0;
    else if (arf_cmpabs_2exp_si(arb_midref(x), -700) < 0 && arb_rel_accuracy_bits(x) >= 60)
        k->flushed = 1; /* W Pr[X >= t] < 2^-699: charged below */
    else
        ok = ok && constant(&k->W, x);
    arb_div(x, w->rho, w->rho_complement, s->prec);
    ok = ok && constant(&k->up, x);
    if (!k->single)
    {
        arb_div(x, w->count_complement, w->count, s->prec);
        ok = ok && k->up == 1 && constant(&k->odds, x);
    }
    arb_mul_ui(x, s->slope, k->last + 1, s->prec + 64);
    ok = ok && stratum_set_fixed(&k->f, x, -30) && stratum_set_fixed(&k->step, s->slope, -64)
         && k->last < (UINT64_C(1) << 41);
    ok = ok && fabs(e->log_mass) < 1e6 && e->rate * (e->top + 1) < 1e6;
    arb_clear(x);
    if (!ok)
        return 0;
    k->f -= (stratum_fixed) NEAR;
    k->first_t = threshold(k->f, &k->two);
    return 1;
}

/*
 * Begins at stratum `last`: mass and pmf in units of about their values at the
 * top. Returns 0 when doubles will not do.
 */
static int walk_begin(walk_struct *k, const stratum_context_t s, const landscape *e, ulong last, int single)
{
    const shuf_pair_weights_struct *w = s->weights;
    double error;
    arb_t x;
    int ok = 1;
    k->last = last;
    k->single = single;
    if (!walk_constants(k, s, e))
        return 0;
    arb_init(x);
    k->c = (double) last;
    k->t = (double) k->first_t;
    k->mass = 1;
    k->mass_exponent = 0;
    if (!single)
    {
        k->mass_exponent = (slong) floor(e->log_mass / d_log(2.0));
        shuf_binomial_pmf(x, s->others, last, w->count, w->count_complement, 64);
        arb_mul_2exp_si(x, x, -k->mass_exponent);
        ok = constant(&k->mass, x);
    }
    k->pmf_exponent = -(slong) floor(e->rate * (e->top + 1) / d_log(2.0));
    shuf_binomial_pmf(x, last, k->first_t - 1, w->rho, w->rho_complement, 64);
    arb_mul_2exp_si(x, x, -k->pmf_exponent);
    ok = ok && k->first_t <= last + 1 && constant(&k->pmf, x);
    arb_clear(x);
    ok = ok && k->mass >= SMALLEST && k->mass <= LARGEST && k->pmf >= SMALLEST && k->pmf <= LARGEST
         && k->U * k->pmf >= SMALLEST && value_series(&k->value, &error, k->pmf, k->c, k->t, k->up, k->U, k->W);
    if (!ok)
        return 0;
    if (k->flushed)
        error += ldexp(0x1p-698, (int) -k->pmf_exponent);
    k->met = 1.01 * error / (VALUE_FACTOR * ROUNDOFF);
    k->whole = ldexp(k->U, (int) -k->pmf_exponent);
    k->total = k->drift = k->spread = 0;
    k->count = 4;
    return 1;
}

/*
 * Strata above `last`, from its value and error: Pr[C > last] V(last), V falls.
 * Coq: RoundingTruncation.strata_above.
 */
static double strata_above(const walk_struct *k, double best, double now)
{
    double ratio = (k->others - k->c) / (k->odds * (k->c + 1)) * (1 + 8 * ROUNDOFF);
    double above = ldexp(1, (int) -k->mass_exponent);
    if (ratio < 1)
        above = fmin(above, k->mass * ratio / (1 - ratio) + LOST_MASS);
    return 1.01 * above * (best + 1.05 * ROUNDOFF * VALUE_FACTOR * now);
}

/*
 * Adds the stratum to the sum. Returns 0 when doubles will not do.
 * Coq: RoundingStep.other_tracked, RoundingSum.ledger_sound.
 */
static inline int add_stratum(partial_sum *r, walk_struct *k)
{
    double best = k->value, now = k->met, extra = k->count, term, largest = k->mass * (k->U * k->pmf);
    if (k->two && k->t <= k->c)
    {
        /* V_{t+1}: both are lower bounds of V and one is exact */
        double gain = k->U * k->pmf, cost = (k->U + k->W) * (k->pmf * ((k->c + 1 - k->t) * k->up / k->t));
        best = fmax(best, k->value - (gain - cost));
        now += fabs(k->value) + PART_FACTOR * (gain + cost);
        extra += 5;
    }
    if (best < 0)
        best = 0;
    if (!(k->mass >= SMALLEST && k->mass <= LARGEST && k->pmf >= SMALLEST && k->pmf <= LARGEST
          && k->U * k->pmf >= SMALLEST && (k->W == 0 || k->W * k->pmf >= SMALLEST)
          && largest >= SMALLEST && largest <= LARGEST))
        return 0;
    term = k->mass * best;
    k->total += term;
    k->drift += term * extra;
    k->spread += k->mass * now;
    if (r->terms == 0 && k->c < k->others && !k->single)
        r->truncation = strata_above(k, best, now);
    r->terms++;
    return r->terms != MAX_STEPS;
}

/*
 * Whether the strata below do not matter: V <= u, and Pr[C < c] is geometric.
 * Coq: RoundingTruncation.strata_below.
 */
static inline int rest_is_small(partial_sum *r, const walk_struct *k)
{
    double ratio, below;
    if (!(k->mass * k->whole <= 0x1p-36 * k->total || k->mass < 1e10 * SMALLEST))
        return 0;
    ratio = k->c * k->odds / (k->others + 1 - k->c) * (1 + 8 * ROUNDOFF);
    below = ratio < 1 ? 1.01 * ((k->mass * ratio / (1 - ratio) + LOST_MASS) * k->whole) : HUGE_VAL;
    if (!(below <= 0x1p-42 * k->total || k->mass < 1e5 * SMALLEST))
        return 0;
    r->truncation += below;
    return 1;
}

/*
 * The value of stratum c-1 at the threshold new_t, rho = 1/2.
 * Coq: RoundingStep.lower_tracked, RoundingStep.fall_tracked, RoundingStep.reset_tracked.
 */
static inline void value_next(walk_struct *k, double new_t)
{
    double share, plus, minus, before;
    while (k->t > new_t)
    {
        share = k->pmf / (k->c - k->t + 2);
        plus = k->U * ((2 * k->t - 3 - k->c) * share);
        minus = k->W * k->pmf;
        before = k->value;
        k->value += plus - minus;
        k->met += fmax(fabs(before), fabs(k->value)) + PART_FACTOR * (fabs(plus) + minus);
        k->pmf = (k->t - 1) * share;
        k->t -= 1;
        k->count += 2;
    }
    share = k->pmf / k->c;
    k->pmf = 2 * (k->c + 1 - k->t) * share;
    plus = k->W * (k->pmf / 2);
    minus = k->U * ((2 * k->t - 2 - k->c) * share);
    before = k->value;
    k->value += plus - minus;
    k->met += fmax(fabs(before), fabs(k->value)) + PART_FACTOR * (plus + fabs(minus));
    k->count += 2;
    if (k->t >= k->c)
    {
        /* t = c'+1, c' = c-1: nothing but u pmf is left, without history */
        k->value = k->U * k->pmf;
        k->met = k->value;
    }
}

/* Units of a stratum, and of what comes before the first. Steer only. */
#define STRATUM_COST 12
#define BEGIN_COST 8e3

/*
 * Sums strata from `last` down to 0 or until the rest does not matter. With
 * single set there is only the stratum last, of probability 1. Returns 0 when
 * doubles will not do.
 * Coq: RoundingThreshold.row_by_candidates, RoundingSumStrata.sum_strata_sound.
 */
static int sum_strata(partial_sum *r, const stratum_context_t s, const landscape *e, ulong last, int single)
{
    walk_struct begin, k;
    int ok;
    r->truncation = 0;
    r->terms = 0;
    shuf_charge(BEGIN_COST);
    if (!walk_begin(&begin, s, e, last, single))
        return 0;
    k = begin; /* whose address nobody has: it stays in registers */
    while ((ok = add_stratum(r, &k)) && !single && k.c >= 1 && !rest_is_small(r, &k))
    {
        double new_t;
        k.f -= k.step;
        new_t = (double) threshold(k.f, &k.two);
        if (new_t > k.c)
            break; /* V = 0 there and below */
        ok = new_t <= k.t; /* thresholds fall */
        if (!ok)
            break;
        value_next(&k, new_t);
        k.mass *= k.c * k.odds / (k.others + 1 - k.c);
        k.count += 5;
        k.c -= 1;
    }
    shuf_charge((double) r->terms * STRATUM_COST);
    r->total = k.total;
    r->error = 1.05 * ROUNDOFF * (k.drift + VALUE_FACTOR * k.spread + ((double) r->terms + 4) * k.total);
    r->exponent = k.mass_exponent + k.pmf_exponent;
    return ok && k.total >= SMALLEST && isfinite(r->total) && isfinite(r->error) && !isnan(r->truncation);
}

/* ---- delta ---- */

/*
 * out := [total - error, total + error + truncation] times 2^exponent scale.
 * Coq: RoundingDelta.fast_delta_sound.
 */
static void harvest(struct shuf_bound *out, const partial_sum *r, const arb_t scale)
{
    arf_t lo, hi, t, factor;
    arf_init(lo); arf_init(hi); arf_init(t); arf_init(factor);

    arb_get_ubound_arf(factor, scale, 64);
    arf_mul_2exp_si(factor, factor, r->exponent);
    arf_set_d(t, r->error);
    arf_mul_2exp_si(hi, t, 1);
    arf_mul(hi, hi, factor, 64, ARF_RND_CEIL);
    out->rounding = double_above(hi);
    arf_set_d(hi, r->truncation);
    arf_mul(lo, hi, factor, 64, ARF_RND_CEIL);
    out->truncation = double_above(lo);
    arf_add(hi, hi, t, 64, ARF_RND_CEIL);
    arf_set_d(lo, r->total);
    arf_add(hi, hi, lo, 64, ARF_RND_CEIL);
    arf_mul(hi, hi, factor, 64, ARF_RND_CEIL);
    arf_sub(lo, lo, t, 64, ARF_RND_FLOOR);
    arb_get_lbound_arf(factor, scale, 64);
    arf_mul_2exp_si(factor, factor, r->exponent);
    arf_mul(lo, lo, factor, 64, ARF_RND_FLOOR);
    out->lo = double_below(lo);
    out->hi = arf_cmp_si(hi, 1) >= 0 ? 1 : double_above(hi);

    /* outward rounding of the ends */
    arf_set_d(hi, out->hi);
    arf_set_d(lo, out->lo);
    arf_sub(hi, hi, lo, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_set_d(t, out->truncation);
    arf_sub(hi, hi, t, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_set_d(t, out->rounding);
    if (arf_cmp(t, hi) < 0)
        out->rounding = double_above(hi);

    arf_clear(lo); arf_clear(hi); arf_clear(t); arf_clear(factor);
}

/*
 * A bound that never underflows: V(c) <= (u/rho) exp(-h (c+1)), h the
 * relative entropy of the slope (Chernoff), so that
 * delta <= scale (u/rho) e^-h (1-s + s e^-h)^(n-1).
 */
static void chernoff(struct shuf_bound *out, const stratum_context_t s)
{
    const shuf_pair_weights_struct *w = s->weights;
    slong prec = s->prec;
    arb_t h, x, y;
    double bound;
    arb_init(h); arb_init(x); arb_init(y);
    /* h = y log(y/rho) + (1-y) log((1-y)/(1-rho)), y = slope >= rho */
    arb_div(x, s->slope, w->rho, prec);
    arb_log(x, x, prec);
    arb_mul(h, x, s->slope, prec);
    /* 1-y = (u/rho)/(u/rho + v'), v' = (u - sum)/(1-rho) */
    arb_div(y, s->u, w->rho, prec);
    arb_sub(x, s->u, s->sum, prec);
    arb_div(x, x, w->rho_complement, prec);
    arb_add(x, x, y, prec);
    arb_div(y, y, x, prec);
    arb_div(x, y, w->rho_complement, prec);
    arb_log(x, x, prec);
    arb_addmul(h, x, y, prec);
    arb_neg(h, h);
    /* log of the bound */
    arb_exp(x, h, prec);
    arb_mul(x, x, w->count, prec);
    arb_add(x, x, w->count_complement, prec);
    arb_log(x, x, prec);
    arb_addmul_ui(h, x, s->others, prec);
    arb_exp(x, h, prec);
    arb_mul(x, x, s->u, prec);
    arb_div(x, x, w->rho, prec);
    arb_mul(x, x, w->scale, prec);
    if (arb_is_finite(x))
    {
        arb_get_ubound_arf(arb_midref(x), x, 64);
        bound = arf_cmp_si(arb_midref(x), 1) >= 0 ? 1 : double_above(arb_midref(x));
        if (bound < out->hi)
        {
            out->hi = bound;
            out->truncation = nextafter(bound - out->lo, HUGE_VAL);
            out->rounding = 0;
        }
    }
    arb_clear(h); arb_clear(x); arb_clear(y);
}

/* Strata beyond exp(-NATS) of the largest contribution are left out. Steer only. */
#define NATS 30.0
#define ATTEMPTS 4

static void delta_one_direction(struct shuf_bound *out, const shuf_pair_t pair, const shuf_real_t eps,
                                shuf_direction direction)
{
    stratum_context_t s;
    const shuf_pair_weights_struct *w = s->weights;
    landscape e;
    partial_sum r;
    uint64_t terms = 0;
    int single, i;

    whole_interval(out, 1);
    stratum_context_init(s);
    if (stratum_context_set(s, pair, eps, direction, 128))
    {
        struct shuf_bound attempt;
        arb_t x;
        /* delta <= u, whatever happens below */
        arb_init(x);
        arb_mul(x, s->u, w->scale, 128);
        arb_get_ubound_arf(arb_midref(x), x, 64);
        whole_interval(out, arf_cmp_si(arb_midref(x), 1) >= 0 ? 1 : double_above(arb_midref(x)));
        arb_clear(x);

        single = s->others == 0 || arb_is_zero(w->count) || arb_is_zero(w->count_complement);
        landscape_set(&e, s);
        if (single)
        {
            e.top = arb_is_zero(w->count) ? 0 : e.others;
            e.log_mass = 0;
        }
        for (i = 0; i < ATTEMPTS; i++)
        {
            ulong last = single ? (ulong) e.top : landscape_last(&e, NATS * (i + 1));
            /* below 1e-313 doubles cannot hold the result */
            if (e.log_mass - e.rate * (e.top + 1) < -740 || !sum_strata(&r, s, &e, last, single))
                break;
            terms += r.terms;
            attempt = *out;
            harvest(&attempt, &r, w->scale);
            if (attempt.hi - attempt.lo <= out->hi - out->lo)
                *out = attempt;
            /* only strata above can have been cut too early */
            if (single || accurate(out) || attempt.truncation < attempt.rounding || last == s->others)
                break;
        }
        if (!accurate(out))
            chernoff(out, s);
    }
    stratum_context_clear(s);
    out->terms = terms;
}

shuf_status shuf_fast_enclosure(shuf_enclosure_t r, const struct shuf_bound *b, shuf_status status, slong digits)
{
    if (status == SHUF_DOMAIN)
        return status;
    shuf_enclosure_zero(r);
    arf_set_d(r->lo, b->lo);
    arf_set_d(r->hi, b->hi);
    mag_set_d(r->ledger.truncation, b->truncation);
    mag_set_d(r->ledger.rounding, b->rounding);
    r->ledger.terms = b->terms;
    r->ledger.precision = 53;
    return r->status = shuf_enclosure_accurate(r, digits) ? SHUF_OK : SHUF_ACCURACY;
}

/* Coq: RoundingDelta.fast_delta_sound. */
shuf_status shuf_fast_delta(struct shuf_bound *out, const shuf_pair_t pair, const shuf_real_t eps,
                            shuf_direction direction)
{
    shuf_real_t loss;
    int zero;

    whole_interval(out, 1);
    out->terms = 0;
    if (!shuf_pair_has_engine(pair, SHUF_ENGINE_FAST) || pair->n > SHUF_FAST_MAX_USERS || shuf_real_sgn(eps) < 0 || shuf_real_cmp_si(eps, SHUF_MAX_EPSILON) > 0)
        return SHUF_DOMAIN;
    shuf_real_init(loss);
    zero = shuf_pair_max_loss(loss, pair) && shuf_real_cmp(eps, loss) >= 0;
    shuf_real_clear(loss);
    if (zero)
    {
        whole_interval(out, 0);
        return SHUF_OK;
    }
    delta_one_direction(out, pair, eps, direction == SHUF_DIRECTION_QP ? direction : SHUF_DIRECTION_PQ);
    if (direction == SHUF_DIRECTION_BOTH && !shuf_pair_is_symmetric(pair))
    {
        struct shuf_bound qp;
        delta_one_direction(&qp, pair, eps, SHUF_DIRECTION_QP);
        take_larger(out, &qp);
    }
    return accurate(out) ? SHUF_OK : SHUF_ACCURACY;
}

/* ---- eps ---- */

typedef struct
{
    const shuf_pair_struct *pair;
    shuf_direction direction;
    double below, above; /* below <= delta <= above */
    double log_delta;
    uint64_t terms;
    double lo, hi;       /* what is certified so far */
} search;

/*
 * Records the sign of delta(x) - delta. *g is about log(delta(x)/delta),
 * *blur the width of what is known of it.
 */
static int probe(search *s, double x, double *g, double *blur)
{
    struct shuf_bound value;
    shuf_real_t eps;
    int sign = 0;
    shuf_real_init(eps);
    shuf_real_set_d(eps, x);
    shuf_fast_delta(&value, s->pair, eps, s->direction);
    shuf_real_clear(eps);
    s->terms += value.terms;
    if (value.lo > s->above)
        sign = 1;
    else if (value.hi <= s->below)
        sign = -1;
    if (sign > 0 && x > s->lo)
        s->lo = x;
    if (sign < 0 && x < s->hi)
        s->hi = x;
    *g = value.hi > 0 ? d_log(value.lo / 2 + value.hi / 2) - s->log_delta : -HUGE_VAL;
    *blur = value.hi > 0 ? (value.hi - value.lo) / value.hi : 0;
    return sign;
}

/* About log delta(x), from doubles alone; no guarantee. */
static double log_estimate(const stratum_context_t s, double x)
{
    const shuf_pair_weights_struct *w = s->weights;
    double a = d_exp(x), w0 = estimate(w->w0), w1 = estimate(w->w1), rho = estimate(w->rho);
    double rho_complement = estimate(w->rho_complement), count = estimate(w->count);
    double u = w0 - a * w1, v = a * w0 - w1, slope, rate, tail;
    if (!(u > 0) || !isfinite(v))
        return -HUGE_VAL;
    v /= rho_complement;
    slope = v / (u / rho + v);
    rate = slope > rho ? steer_relative_entropy(slope, rho, rho_complement) : 0;
    /* what the exponent alone leaves out: a Gaussian would have sd/z^2 */
    tail = 2 * rate * (1 + (double) s->others * count);
    return (double) s->others * d_log1p(count * d_expm1(-rate)) - rate + d_log(u) - d_log1p(tail)
           - 0.5 * d_log1p((double) s->others * count) + d_log(estimate(w->scale));
}

/* Root of the estimate in (0, hi). */
static double estimated_root(const search *s, double hi)
{
    stratum_context_t context;
    shuf_real_t zero;
    double lo = 0;
    int i;
    shuf_real_init(zero);
    stratum_context_init(context);
    stratum_context_set(context, s->pair, zero, s->direction == SHUF_DIRECTION_QP ? s->direction : SHUF_DIRECTION_PQ, 64);
    for (i = 0; i < 80; i++)
    {
        double mid = (lo > 0 && hi > 4 * lo) ? sqrt(lo * hi) : lo == 0 ? hi / 8 : (lo + hi) / 2;
        if (log_estimate(context, mid) > s->log_delta)
            lo = mid;
        else
            hi = mid;
        if (hi < 1e-30 || hi - lo < 1e-4 * hi)
            break;
    }
    stratum_context_clear(context);
    shuf_real_clear(zero);
    return lo > 0 ? lo : hi;
}

static int close_enough(const search *s)
{
    return s->hi - s->lo <= SHUF_FAST_ACCURACY * s->hi;
}

#define SEARCH_STEPS 60 /* steers only */

/* A point through which the next secant may go, g being log(delta(x)/delta); x = 0: none yet. */
typedef struct
{
    double x, g;
} secant_end;

/* About the slope of log delta at x, or NAN. */
static double slope_at(const search *s, const secant_end *before, double x, double g)
{
    if (!isfinite(g))
        return NAN;
    if (before->x > 0 && x != before->x)
        return (g - before->g) / (x - before->x);
    return s->log_delta < 0 ? 2 * (s->log_delta < -1 ? s->log_delta : -1) / x : NAN; /* delta is about exp(-k eps^2) */
}

static double middle(const search *s)
{
    if (!(s->lo > 0))
        return s->hi / 4;
    return s->hi > 4 * s->lo ? sqrt(s->lo) * sqrt(s->hi) : s->lo + (s->hi - s->lo) / 2;
}

/* One point on either side of the root. Returns 0 where nothing more can be decided. */
static int straddle(search *s, double root, double offset)
{
    double g, blur;
    if (root - offset <= s->lo && root + offset >= s->hi) /* the bracket is as narrow as that already */
        return probe(s, s->lo + (s->hi - s->lo) / 2, &g, &blur) != 0;
    if (root - offset > s->lo)
        probe(s, root - offset, &g, &blur);
    if (root + offset < s->hi)
        probe(s, root + offset, &g, &blur);
    return 1;
}

/* Safeguarded secant steps on log delta; decisions come from intervals only. */
static void narrow(search *s)
{
    double x = estimated_root(s, s->hi), offset = 0, g, blur;
    secant_end before = { 0, 0 };
    int i;
    for (i = 0; i < SEARCH_STEPS && !close_enough(s); i++)
    {
        double slope, next;
        if (!(x > s->lo && x < s->hi))
            x = middle(s);
        if (!(x > s->lo && x < s->hi))
            break; /* neighbouring doubles */
        probe(s, x, &g, &blur);
        slope = slope_at(s, &before, x, g);
        if (isfinite(g) && fabs(x - before.x) > 1e-7 * x)
            before = (secant_end) { x, g };
        next = x - g / slope;
        if (!(slope < 0) || !isfinite(next))
        {
            x = NAN; /* bisect */
            continue;
        }
        if (fabs(next - x) <= 2e-7 * x)
        {
            /* converged */
            offset = fmax(fmax(3e-10 * next, 0.75 * blur / -slope), 2 * offset);
            offset = fmax(offset, next * 0x1p-51);
            if (!straddle(s, next, offset))
                break;
            i++;
        }
        x = next;
    }
}

/*
 * Apart from inverse_find, because all is in doubles, from an estimate's root on.
 * Coq: Divergence.hockey_decreasing.
 */
shuf_status shuf_fast_epsilon(struct shuf_bound *out, const shuf_pair_t pair, const shuf_real_t delta,
                              shuf_direction direction)
{
    search s = { pair, direction, 0, 0, 0, 0, 0, HUGE_VAL };
    struct shuf_bound at_zero;
    shuf_real_t x;
    shuf_status status;
    arf_t end;
    int finite;
    double g, blur;

    out->lo = 0;
    out->hi = HUGE_VAL;
    out->truncation = 0;
    out->rounding = HUGE_VAL;
    out->terms = 0;
    shuf_real_init(x);
    status = shuf_fast_delta(&at_zero, pair, x, direction);
    if (status == SHUF_DOMAIN || shuf_real_sgn(delta) < 0)
    {
        shuf_real_clear(x);
        return SHUF_DOMAIN;
    }
    s.terms = at_zero.terms;

    arf_init(end);
    shuf_real_end(end, delta, 1, 128);
    s.above = arf_cmp_si(end, 1) >= 0 ? HUGE_VAL : double_above(end);
    shuf_real_end(end, delta, 0, 128);
    s.below = arf_cmp_si(end, 1) >= 0 ? 1 : double_below(end);
    s.log_delta = s.below > 0 ? d_log(s.below) : -746;

    finite = shuf_pair_max_loss(x, pair);
    if (finite)
    {
        shuf_real_end(end, x, 1, 128);
        s.hi = double_above(end);
        if (shuf_real_sgn(delta) == 0)
        {
            /* delta(eps) > 0 below the largest loss */
            shuf_real_end(end, x, 0, 128);
            s.lo = double_below(end);
        }
    }
    arf_clear(end);
    shuf_real_clear(x);

    if (at_zero.hi <= s.below)
    {
        s.lo = s.hi = 0;
    }
    else if (shuf_real_sgn(delta) != 0)
    {
        if (!finite)
        {
            /* double until delta(hi) <= delta is certain */
            double y;
            for (y = 1; y <= SHUF_MAX_EPSILON && probe(&s, y, &g, &blur) >= 0; y *= 2)
                ;
        }
        if (isfinite(s.hi))
            narrow(&s);
    }
    out->lo = s.lo;
    out->hi = s.hi;
    out->terms = s.terms;
    if (!isfinite(s.hi))
        return SHUF_DOMAIN;
    out->rounding = s.hi > s.lo ? nextafter(s.hi - s.lo, HUGE_VAL) : 0;
    return close_enough(&s) ? SHUF_OK : SHUF_ACCURACY;
}
