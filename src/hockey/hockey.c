/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "hockey/hockey.h"

#include <math.h>

#include "binomial/binomial.h"
#include "hockey/stratum.h"
#include "pair/strata.h"

/* One evaluation at a fixed precision and truncation. */
typedef struct
{
    stratum_context_t s;
    ulong first, last; /* strata summed or bracketed; the others are truncated */
    double deadline;   /* shuf_seconds() at which to stop; 0 means never */
    ulong terms;
    int out_of_time;
    arb_t sum;         /* encloses the part from first to last */
    mag_t truncation, discretisation;
} evaluation_struct;

typedef evaluation_struct evaluation_t[1];

/* ---- where the sum lives: floating-point estimates, no guarantee ---- */

typedef struct
{
    double others, count, count_complement, rho, rho_complement, slope, scaled_kappa, rest_factor;
} estimate_parameters;

static double to_double(const arb_t x)
{
    return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

static void estimate_set(estimate_parameters *e, const stratum_context_t s)
{
    const shuf_pair_weights_struct *w = s->weights;
    e->others = (double) s->others;
    e->count = to_double(w->count);
    e->count_complement = to_double(w->count_complement);
    e->rho = to_double(w->rho);
    e->rho_complement = to_double(w->rho_complement);
    e->slope = to_double(s->slope);
    e->scaled_kappa = to_double(s->scaled_kappa);
    e->rest_factor = w->rest_is_random ? to_double(w->rest) : 1.0;
}

/* About log(Pr[C = c] V(c, K_c)). */
static double log_contribution(const estimate_parameters *e, double c)
{
    double rest = (e->others - c) * e->rest_factor;
    double x = e->slope + e->scaled_kappa * rest / (c + 1), value = 0;
    if (x > 1 + 1e-9)
        return -HUGE_VAL;
    if (e->others > 0)
        value -= e->others * stratum_relative_entropy(c / e->others, e->count, e->count_complement);
    if (x > e->rho)
        value -= (c + 1) * stratum_relative_entropy(x, e->rho, e->rho_complement);
    return value;
}

/* About the c that contributes most (golden section, unimodal). */
static double peak(const estimate_parameters *e)
{
    const double golden = 0.6180339887498949;
    double a = 0, b = e->others;
    double c = b - golden * (b - a), d = a + golden * (b - a);
    double fc = log_contribution(e, c), fd = log_contribution(e, d);
    int i;
    for (i = 0; i < 200 && b - a > 0.5; i++)
    {
        if (fc > fd)
        {
            b = d; d = c; fd = fc;
            c = b - golden * (b - a);
            fc = log_contribution(e, c);
        }
        else
        {
            /* on a plateau of impossible values the peak is to the right */
            a = c; c = d; fc = fd;
            d = a + golden * (b - a);
            fd = log_contribution(e, d);
        }
    }
    a = floor((a + b) / 2);
    return a < e->others && log_contribution(e, a + 1) > log_contribution(e, a) ? a + 1 : a;
}

double shuf_hockey_log_estimate(const shuf_pair_t pair, double eps)
{
    stratum_context_t s;
    estimate_parameters e;
    shuf_real_t x;
    double value = -HUGE_VAL;
    shuf_real_init(x);
    stratum_context_init(s);
    if (shuf_real_set_d(x, eps) == 0 && stratum_context_set(s, pair, x, SHUF_DIRECTION_PQ, 128))
    {
        estimate_set(&e, s);
        value = log_contribution(&e, peak(&e));
    }
    stratum_context_clear(s);
    shuf_real_clear(x);
    return value;
}

/* ---- summing strata one by one ---- */

/*
 * The threshold is t* = A + B c, tracked in fixed point with 64 fractional
 * bits. The start is within 2^35 units and each step errs by at most two, so
 * with fewer than 2^37 steps (2^36 each of c and of the rest) the error stays
 * below NEAR; within NEAR of an integer both candidates are tried.
 */
#define NEAR ((stratum_fixed) 1 << 40)
#define MAX_STEPS (UINT64_C(1) << 36)

/* The state of a walk over thresholds: pmf = Pr[Bin(c,rho) = t-1], tail = Pr[Bin(c,rho) >= t]. */
typedef struct
{
    ulong c, t;
    arb_t pmf, tail, tmp;
    arb_t up, down; /* rho/(1-rho), (1-rho)/rho */
    arb_t rho, inverse_complement;
    slong prec;
} walk_struct;

static void walk_init(walk_struct *k, const stratum_context_t s)
{
    arb_init(k->pmf); arb_init(k->tail); arb_init(k->tmp);
    arb_init(k->up); arb_init(k->down); arb_init(k->rho); arb_init(k->inverse_complement);
    k->prec = s->prec;
    arb_set_round(k->rho, s->weights->rho, s->prec);
    arb_div(k->up, s->weights->rho, s->weights->rho_complement, s->prec);
    arb_div(k->down, s->weights->rho_complement, s->weights->rho, s->prec);
    arb_inv(k->inverse_complement, s->weights->rho_complement, s->prec);
    k->c = k->t = 0;
}

static void walk_clear(walk_struct *k)
{
    arb_clear(k->pmf); arb_clear(k->tail); arb_clear(k->tmp);
    arb_clear(k->up); arb_clear(k->down); arb_clear(k->rho); arb_clear(k->inverse_complement);
}

static void walk_copy(walk_struct *k, const walk_struct *from)
{
    k->c = from->c;
    k->t = from->t;
    arb_set(k->pmf, from->pmf);
    arb_set(k->tail, from->tail);
}

static void walk_start(walk_struct *k, const stratum_context_t s, ulong c, ulong t)
{
    k->c = c;
    k->t = t;
    shuf_binomial_pmf(k->pmf, c, t - 1, s->weights->rho, s->weights->rho_complement, k->prec);
    shuf_binomial_tail(k->tail, c, t, s->weights->rho, s->weights->rho_complement, k->prec);
}

/*
 * t -> t+1, t <= c
 * Coq: Binomial.bin_step.
 */
static void walk_raise(walk_struct *k)
{
    arb_mul_ui(k->tmp, k->up, k->c - k->t + 1, k->prec);
    arb_div_ui(k->tmp, k->tmp, k->t, k->prec);
    arb_mul(k->pmf, k->pmf, k->tmp, k->prec);
    arb_sub(k->tail, k->tail, k->pmf, k->prec);
    k->t++;
}

/*
 * t -> t-1, t >= 2
 * Coq: Binomial.bin_step.
 */
static void walk_lower(walk_struct *k)
{
    arb_add(k->tail, k->tail, k->pmf, k->prec);
    arb_mul_ui(k->tmp, k->down, k->t - 1, k->prec);
    arb_div_ui(k->tmp, k->tmp, k->c - k->t + 2, k->prec);
    arb_mul(k->pmf, k->pmf, k->tmp, k->prec);
    k->t--;
}

/*
 * c -> c-1, t <= c
 * Coq: Binomial.bin_row, Binomial.tail_row.
 */
static void walk_down(walk_struct *k)
{
    arb_mul_ui(k->tmp, k->inverse_complement, k->c + 1 - k->t, k->prec);
    arb_div_ui(k->tmp, k->tmp, k->c, k->prec);
    arb_mul(k->pmf, k->pmf, k->tmp, k->prec);
    arb_submul(k->tail, k->pmf, k->rho, k->prec);
    k->c--;
}

/*
 * The threshold t >= 1 of a fixed-point t*; *two is set when t* is within NEAR
 * of the integer t, so that t + 1 might be the right one.
 */
static ulong fixed_threshold(stratum_fixed f, int *two)
{
    stratum_fixed t = (f + NEAR) >> 64; /* floor(t* + NEAR) */
    stratum_fixed frac = f - (t << 64); /* in [-NEAR, 1 - NEAR) */
    *two = (frac <= NEAR);
    if (!*two)
        t++;
    if (t < 1)
    {
        t = 1;
        *two = 0;
    }
    return (ulong) t;
}

/*
 * v = V(c, K) from the walk; spare is another walk for the second candidate.
 * Coq: Strata.stratum_two.
 */
static void walk_value(arb_t v, walk_struct *spare, const walk_struct *k, int two, const stratum_context_t s, const arb_t K)
{
    stratum_value_at(v, s, K, k->pmf, k->tail);
    if (two && k->t <= k->c)
    {
        arb_t other;
        arb_init(other);
        walk_copy(spare, k);
        walk_raise(spare);
        stratum_value_at(other, s, K, spare->pmf, spare->tail);
        arb_max(v, v, other, s->prec);
        arb_clear(other);
    }
    else if (two)
    {
        /* t = c+2 is the empty set, of value 0 */
        arb_nonnegative_part(v, v);
    }
}

/*
 * Mixture over the revealed rest R (krr-weak): v = sum over low <= R <= high
 * of Pr[R] V(c, kappa R/(c+1)), from the walk at R = low and Pr[R = low].
 * Coq: KrrPairs.krr_weak_strata.
 */
static void mixture_value(arb_t v, walk_struct *inner, walk_struct *spare, const walk_struct *k, stratum_fixed f,
                          stratum_fixed per_rest, const stratum_context_t s, ulong low, ulong high, const arb_t at_low,
                          ulong *terms)
{
    const shuf_pair_weights_struct *w = s->weights;
    slong prec = s->prec;
    ulong number = s->others - k->c, rest;
    arb_t weight, value, K, odds;
    arb_init(weight);
    arb_init(value);
    arb_init(K);
    arb_init(odds);
    arb_set(weight, at_low);
    arb_div(odds, w->rest, w->rest_complement, prec);
    walk_copy(inner, k);
    arb_zero(v);
    for (rest = low; rest <= high && rest <= number; rest++)
    {
        int two;
        ulong t = fixed_threshold(f, &two);
        if (t > inner->c + 1)
            break;
        while (inner->t < t)
            walk_raise(inner);
        stratum_K(K, s, inner->c, rest);
        walk_value(value, spare, inner, two, s, K);
        arb_addmul(v, weight, value, prec);
        arb_mul_ui(weight, weight, number - rest, prec);
        arb_div_ui(weight, weight, rest + 1, prec);
        arb_mul(weight, weight, odds, prec);
        f += per_rest;
        (*terms)++;
    }
    arb_clear(weight);
    arb_clear(value);
    arb_clear(K);
    arb_clear(odds);
}

/*
 * Sums strata last down to first. Downwards the tails grow, so that the
 * subtractions in the recurrences lose nothing. Returns 0 if the precision is
 * too low to track the threshold.
 * Coq: KrrPairs.krr_weak_truncation, Strata.trinomial_strata, Monotone.stratum_none_below, Monotone.strata_middle.
 */
static int sum_strata(evaluation_t e, const arb_t tolerance)
{
    const stratum_context_struct *s = e->s;
    const shuf_pair_weights_struct *w = s->weights;
    slong prec = s->prec;
    walk_struct walk, inner, spare;
    arb_t A, B, mass, value, K, odds, at_low;
    stratum_fixed f, step, per_rest = 0;
    ulong c, low = 0, high = 0, t;
    int two, ok;

    arb_init(A); arb_init(B); arb_init(mass); arb_init(value); arb_init(K); arb_init(odds); arb_init(at_low);
    walk_init(&walk, s);
    walk_init(&inner, s);
    walk_init(&spare, s);

    /* t* = slope (c+1) + scaled_kappa rest */
    arb_set(B, s->slope);
    arb_mul_ui(A, s->slope, e->last + 1, prec + 64);
    if (w->rest_is_random)
    {
        /* the rest is stochastically smallest at the last stratum */
        low = shuf_binomial_cut_below(s->others - e->last, w->rest, w->rest_complement, tolerance, prec);
        high = shuf_binomial_cut_above(s->others - e->first, w->rest, w->rest_complement, tolerance, prec);
        arb_addmul_ui(A, s->scaled_kappa, low, prec + 64);
        shuf_binomial_pmf(at_low, s->others - e->last, low, w->rest, w->rest_complement, prec);
    }
    else
    {
        arb_addmul_ui(A, s->scaled_kappa, s->others - e->last, prec + 64);
        arb_sub(B, B, s->scaled_kappa, prec + 64);
    }
    ok = stratum_set_fixed(&f, A, -30) && stratum_set_fixed(&step, B, -64) && stratum_set_fixed(&per_rest, s->scaled_kappa, -64);
    ok = ok && e->last - e->first < MAX_STEPS && high - low < MAX_STEPS;
    c = e->last;
    t = ok ? fixed_threshold(f, &two) : 0;
    arb_zero(e->sum);
    if (ok && t <= c + 1)
    {
        /* mass(c-1) = mass(c) c (1-s)/((n-c) s) */
        arb_div(odds, w->count_complement, w->count, prec);
        shuf_binomial_pmf(mass, s->others, c, w->count, w->count_complement, prec);
        walk_start(&walk, s, c, t);
        for (;;)
        {
            if (w->rest_is_random)
            {
                mixture_value(value, &inner, &spare, &walk, f, per_rest, s, low, high, at_low, &e->terms);
            }
            else
            {
                stratum_K(K, s, c, s->others - c);
                walk_value(value, &spare, &walk, two, s, K);
                e->terms++;
            }
            arb_addmul(e->sum, mass, value, prec);
            if (c == e->first)
                break;
            if (c % 1024 == 0 && e->deadline > 0 && shuf_seconds() > e->deadline)
            {
                e->out_of_time = 1;
                break;
            }
            f -= step;
            t = fixed_threshold(f, &two);
            if (t > c)
                break; /* V = 0 here and for every smaller c: t* - (c+1) is linear in c */
            while (walk.t > t)
                walk_lower(&walk);
            walk_down(&walk);
            while (walk.t < t)
                walk_raise(&walk);
            arb_mul_ui(mass, mass, c, prec);
            arb_div_ui(mass, mass, s->others + 1 - c, prec);
            arb_mul(mass, mass, odds, prec);
            if (w->rest_is_random)
            {
                /* Pr[Bin(N+1) = low] from Pr[Bin(N) = low], N = others - c */
                arb_mul_ui(at_low, at_low, s->others - c + 1, prec);
                arb_div_ui(at_low, at_low, s->others - c + 1 - low, prec);
                arb_mul(at_low, at_low, w->rest_complement, prec);
            }
            c--;
        }
    }
    if (ok && w->rest_is_random)
    {
        /* rests cut away: at most 2 tolerance V(first, 0) in every stratum */
        arb_zero(K);
        stratum_value(value, s, e->first, K);
        arb_mul(value, value, tolerance, prec);
        arb_mul_2exp_si(value, value, 1);
        arb_get_mag(arb_radref(K), value);
        mag_add(e->truncation, e->truncation, arb_radref(K));
        mag_zero(arb_radref(K));
    }
    if (ok && e->out_of_time)
    {
        /* strata first .. c-1 as one block */
        arb_zero(K);
        stratum_value(value, s, e->first, K);
        shuf_binomial_lower_tail_bound(mass, s->others, c - 1, w->count, w->count_complement, prec);
        arb_mul(value, value, mass, prec);
        arb_get_mag(arb_radref(K), value);
        mag_add(e->truncation, e->truncation, arb_radref(K));
    }

    walk_clear(&walk);
    walk_clear(&inner);
    walk_clear(&spare);
    arb_clear(A); arb_clear(B); arb_clear(mass); arb_clear(value); arb_clear(K); arb_clear(odds); arb_clear(at_low);
    return ok;
}

/* ---- bracketing strata in blocks ---- */

static void block_value(arb_t v, const void *context, ulong c, const arb_t K)
{
    stratum_value(v, context, c, K);
}

/* Brackets strata first .. last, aiming at a total width of `aim`. */
static void bracket_strata(evaluation_t e, const arb_t aim)
{
    const stratum_context_struct *s = e->s;
    strata_struct strata = { s->others, s->weights, s->kappa, block_value, s, s->prec, e->deadline };
    mag_t width;
    mag_init(width);
    if (!strata_bracket(e->sum, width, &e->terms, &strata, e->first, e->last, aim))
        e->out_of_time = 1;
    mag_add(e->discretisation, e->discretisation, width);
    mag_clear(width);
}

/* ---- one direction of delta(eps) ---- */

/* More blocks than that are not worth it. */
#define BLOCKS_FEW 32
#define BLOCKS_MAX 200000

/* Rough costs in seconds, to choose between summing and bracketing. */
#define SECONDS_PER_STRATUM 6e-7
#define SECONDS_PER_BLOCK 1.5e-3

/*
 * One evaluation: `bits` of working precision, strata of total contribution
 * below 2^-cut of the largest one left out, blocks aimed at `digits`.
 * Coq: Monotone.trinomial_truncation.
 */
static int evaluate(evaluation_t e, const shuf_pair_t pair, const shuf_real_t eps, shuf_direction direction,
                    slong bits, slong cut, slong digits)
{
    const shuf_pair_weights_struct *w = e->s->weights;
    stratum_context_struct *s = e->s;
    estimate_parameters guess;
    arb_t K, largest, value, tolerance, mass, t;
    ulong top;
    int ok;
    double strata;

    mag_zero(e->truncation);
    mag_zero(e->discretisation);
    e->terms = 0;
    e->out_of_time = 0;
    if (!stratum_context_set(s, pair, eps, direction, bits))
        return 0;

    arb_init(K); arb_init(largest); arb_init(value); arb_init(tolerance); arb_init(mass); arb_init(t);
    estimate_set(&guess, s);
    top = arb_is_zero(w->count) ? 0 : FLINT_MIN((ulong) peak(&guess), s->others);

    /* largest = Pr[C = top] V(top, K), some measure of the sum */
    stratum_K(K, s, top, (ulong) ((double) (s->others - top) * guess.rest_factor));
    stratum_value(value, s, top, K);
    shuf_binomial_pmf(largest, s->others, top, w->count, w->count_complement, bits);
    arb_mul(largest, largest, value, bits);
    ok = arb_is_positive(largest);
    if (!ok)
    {
        /* nothing to aim at (a poor peak or too little precision): keep all */
        e->first = 0;
        e->last = s->others;
        arb_one(tolerance);
        arb_mul_2exp_si(tolerance, tolerance, -cut - 64);
    }
    else
    {
        /* below: V <= u; above: V <= V(top, 0) */
        arb_mul_2exp_si(tolerance, largest, -cut);
        arb_div(tolerance, tolerance, s->u, bits);
        arb_get_lbound_arf(arb_midref(tolerance), tolerance, bits);
        mag_zero(arb_radref(tolerance));
        e->first = shuf_binomial_cut_below(s->others, w->count, w->count_complement, tolerance, bits);
        arb_zero(K);
        stratum_value(value, s, top, K);
        arb_mul_2exp_si(t, largest, -cut);
        arb_div(t, t, value, bits);
        arb_get_lbound_arf(arb_midref(t), t, bits);
        mag_zero(arb_radref(t));
        e->last = shuf_binomial_cut_above(s->others, w->count, w->count_complement, t, bits);
        if (e->first > top)
            e->first = top;
        if (e->last < top)
            e->last = top;
    }

    /* the strata left out, each side as one block */
    arb_zero(K);
    if (e->first > 0)
    {
        shuf_binomial_lower_tail_bound(mass, s->others, e->first - 1, w->count, w->count_complement, bits);
        arb_mul(mass, mass, s->u, bits);
        arb_get_mag(arb_radref(t), mass);
        mag_add(e->truncation, e->truncation, arb_radref(t));
    }
    if (e->last < s->others)
    {
        shuf_binomial_upper_tail_bound(mass, s->others, e->last + 1, w->count, w->count_complement, bits);
        stratum_value(value, s, e->last + 1, K);
        arb_mul(mass, mass, value, bits);
        arb_get_mag(arb_radref(t), mass);
        mag_add(e->truncation, e->truncation, arb_radref(t));
    }
    mag_zero(arb_radref(t));

    strata = (double) (e->last - e->first) + 1;
    if (ok && !w->rest_is_random && strata > 20000)
    {
        /* blocks needed: relative width of a bracket of two standard deviations of C, times a few */
        double sd = sqrt(guess.others * guess.count * guess.count_complement);
        ulong a = top > (ulong) sd ? top - (ulong) sd : 0, b = top + (ulong) sd;
        double blocks, left = e->deadline > 0 ? e->deadline - shuf_seconds() : HUGE_VAL;
        if (b > s->others)
            b = s->others;
        stratum_K(K, s, b, s->others - b);
        stratum_value(value, s, a, K);
        stratum_K(K, s, a, s->others - a);
        stratum_value(mass, s, b, K);
        arb_sub(mass, value, mass, 53);
        arb_div(mass, mass, value, 53);
        blocks = fabs(to_double(mass)) * pow(10.0, (double) digits) * 8 + BLOCKS_FEW;
        if ((blocks < BLOCKS_MAX && blocks * SECONDS_PER_BLOCK < strata * SECONDS_PER_STRATUM)
            || strata * SECONDS_PER_STRATUM > left)
        {
            arb_set_ui(mass, 10);
            arb_pow_ui(mass, mass, (ulong) digits, 64);
            /* the sum is about largest * sd */
            arb_set_d(t, 1.2 * sd);
            arb_mul(t, t, largest, 64);
            arb_div(mass, t, mass, 64);
            bracket_strata(e, mass);
            ok = 2;
        }
    }
    if (ok != 2)
        ok = sum_strata(e, tolerance);

    arb_clear(K); arb_clear(largest); arb_clear(value); arb_clear(tolerance); arb_clear(mass); arb_clear(t);
    return ok != 0;
}

/* r := the enclosure that an evaluation proves. */
static void harvest(shuf_enclosure_t r, const evaluation_t e)
{
    slong prec = e->s->prec;
    const arb_struct *scale = e->s->weights->scale;
    arf_t extra;
    mag_t scale_bound;
    arb_t sum;
    arf_init(extra);
    mag_init(scale_bound);
    arb_init(sum);

    arb_mul(sum, e->sum, scale, prec);
    arb_get_mag(scale_bound, scale);
    shuf_enclosure_zero(r);
    mag_mul(r->ledger.truncation, e->truncation, scale_bound);
    mag_mul(r->ledger.discretisation, e->discretisation, scale_bound);
    mag_mul_2exp_si(r->ledger.rounding, arb_radref(sum), 1);
    arb_get_interval_arf(r->lo, r->hi, sum, prec + 64);
    arf_set_mag(extra, r->ledger.truncation);
    arf_add(r->hi, r->hi, extra, prec + 64, ARF_RND_CEIL);
    arf_set_mag(extra, r->ledger.discretisation);
    arf_add(r->hi, r->hi, extra, prec + 64, ARF_RND_CEIL);
    if (arf_sgn(r->lo) < 0)
        arf_zero(r->lo);
    if (arf_cmp_si(r->hi, 1) > 0 || arf_is_nan(r->hi))
        arf_one(r->hi);
    if (arf_is_nan(r->lo) || arf_cmp(r->lo, r->hi) > 0)
        arf_zero(r->lo);
    {
        /* outward rounding of the ends themselves */
        mag_t width, total;
        mag_init(width);
        mag_init(total);
        shuf_enclosure_width(width, r);
        shuf_ledger_total(total, &r->ledger);
        if (mag_cmp(total, width) < 0)
            mag_add(r->ledger.rounding, r->ledger.rounding, width);
        mag_clear(width);
        mag_clear(total);
    }
    r->ledger.terms = e->terms;
    r->ledger.precision = prec;

    arf_clear(extra);
    mag_clear(scale_bound);
    arb_clear(sum);
}

#define MAX_BITS 100000
#define MAX_ATTEMPTS 16

static void delta_one_direction(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t eps,
                                shuf_direction direction, const shuf_options *options)
{
    evaluation_t e;
    shuf_enclosure_t attempt;
    double start = shuf_seconds();
    slong digits = options->digits;
    slong bits = (slong) (3.33 * (double) digits) + (slong) FLINT_BIT_COUNT(pair->n) + 32;
    slong cut = (slong) (3.33 * (double) digits) + 8, aim = digits;
    ulong terms = 0;
    int i;

    stratum_context_init(e->s);
    arb_init(e->sum);
    mag_init(e->truncation);
    mag_init(e->discretisation);
    shuf_enclosure_init(attempt);
    e->deadline = options->max_seconds > 0 ? start + options->max_seconds : 0;

    arf_one(r->hi);
    mag_one(r->ledger.truncation);
    for (i = 0; i < MAX_ATTEMPTS; i++)
    {
        if (!evaluate(e, pair, eps, direction, bits, cut, aim))
        {
            bits *= 2;
        }
        else
        {
            mag_t width, best;
            const shuf_ledger_struct *l = &attempt->ledger;
            terms += e->terms;
            harvest(attempt, e);
            mag_init(width);
            mag_init(best);
            shuf_enclosure_width(width, attempt);
            shuf_enclosure_width(best, r);
            if (i == 0 || mag_cmp(width, best) <= 0)
                shuf_enclosure_set(r, attempt);
            mag_clear(width);
            mag_clear(best);
            if (shuf_enclosure_accurate(r, digits) || e->out_of_time)
                break;
            /* refine what dominates; hi = 0 means that all of it is rounding */
            if (mag_cmp(l->rounding, l->truncation) >= 0 && mag_cmp(l->rounding, l->discretisation) >= 0)
                bits += bits / 2;
            else if (mag_cmp(l->truncation, l->discretisation) >= 0)
                cut = cut + 16 + cut / 2;
            else
                aim++;
        }
        if (bits > MAX_BITS || (e->deadline > 0 && shuf_seconds() > e->deadline))
            break;
    }
    r->ledger.terms = terms;
    r->ledger.seconds = shuf_seconds() - start;
    r->status = shuf_enclosure_accurate(r, digits) ? SHUF_OK : SHUF_ACCURACY;

    stratum_context_clear(e->s);
    arb_clear(e->sum);
    mag_clear(e->truncation);
    mag_clear(e->discretisation);
    shuf_enclosure_clear(attempt);
}

/* Coq: KrrPairs.krr_weak_zero, Monotone.trinomial_zero. */
shuf_status shuf_hockey_delta(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t eps,
                              shuf_direction direction, const shuf_options *options)
{
    shuf_real_t loss;
    int zero;

    shuf_enclosure_zero(r);
    if (shuf_real_sgn(eps) < 0 || shuf_real_cmp_si(eps, SHUF_MAX_EPSILON) > 0)
    {
        arf_one(r->hi);
        mag_one(r->ledger.truncation);
        r->status = SHUF_DOMAIN;
        return r->status;
    }
    shuf_real_init(loss);
    zero = shuf_pair_max_loss(loss, pair) && shuf_real_cmp(eps, loss) >= 0;
    shuf_real_clear(loss);
    if (zero)
        return r->status;

    if (direction != SHUF_DIRECTION_BOTH || shuf_pair_is_symmetric(pair))
    {
        delta_one_direction(r, pair, eps, direction == SHUF_DIRECTION_QP ? direction : SHUF_DIRECTION_PQ, options);
    }
    else
    {
        shuf_enclosure_t pq, qp;
        shuf_enclosure_init(pq);
        shuf_enclosure_init(qp);
        delta_one_direction(pq, pair, eps, SHUF_DIRECTION_PQ, options);
        delta_one_direction(qp, pair, eps, SHUF_DIRECTION_QP, options);
        shuf_enclosure_max(r, pq, qp);
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
        shuf_enclosure_clear(pq);
        shuf_enclosure_clear(qp);
    }
    return r->status;
}
