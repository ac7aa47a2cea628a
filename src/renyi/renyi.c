/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "renyi/renyi.h"

#include <math.h>

#include "binomial/binomial.h"
#include "enclosure/elementary.h"
#include "enclosure/parallel.h"
#include "enclosure/steer.h"
#include "pair/strata.h"
#include "renyi/mixture.h"
#include "renyi/stratum_power.h"

/* One evaluation of S = sum Q ((P/Q)^order - 1) at a fixed precision and truncation. */
typedef struct
{
    power_context_t s;
    ulong first, last;
    double limit; /* shuf_work() at which to stop; 0 means never */
    ulong terms;
    int late;     /* the budget ran out: strata were left out */
    arb_t sum;
    mag_t truncation, discretisation;
} evaluation_struct;

typedef evaluation_struct evaluation_t[1];

/* ---- where the sum lives: floating-point estimates, no guarantee ---- */

/* About log Pr[Bin(n,p) = k], up to the square root factor. */
static double log_binomial(double n, double p, double q, double k)
{
    double x, y, d;
    if (n == 0)
        return 0;
    x = k / n;
    y = (n - k) / n;
    /* x - p, from the side that loses less */
    d = p < q ? x - p : q - y;
    if (p <= 0 || q <= 0)
        return fabs(d) * n < 0.5 ? 0 : -HUGE_VAL;
    if (x <= 0)
        return n * d_log(q);
    if (y <= 0)
        return n * d_log(p);
    return -n * (x * d_log1p(d / p) + y * d_log1p(-d / q));
}

static double log_mass(const power_context_t s, double c)
{
    return log_binomial((double) s->others, steer_midpoint(s->weights->count), steer_midpoint(s->weights->count_complement), c);
}

static double value_estimate(const power_context_t s, double c)
{
    double others = (double) s->others - c, best = -HUGE_VAL, p, q, f;
    if (!s->weights->rest_is_random)
        return power_log_estimate(s, c, s->kappa_d * others / (c + 1));
    /* a mixture over the revealed rest: the fraction of its mean that counts most */
    p = steer_midpoint(s->weights->rest);
    q = steer_midpoint(s->weights->rest_complement);
    for (f = 1; f >= 0; f -= 0.125)
        best = fmax(best, log_binomial(others, p, q, f * others * p)
                          + power_log_estimate(s, c, s->kappa_d * f * others * p / (c + 1)));
    return best;
}

/* About log V(low, K_high), which no stratum from low to high exceeds. */
static double block_estimate(const power_context_t s, double low, double high)
{
    double rest = s->weights->rest_is_random ? 0 : (double) s->others - high;
    return power_log_estimate(s, low, s->kappa_d * rest / (high + 1));
}

/* About log(Pr[C = c] V(c, K_c)). */
static double contribution(const power_context_t s, double c)
{
    double mass = log_mass(s, c);
    return mass > -HUGE_VAL ? mass + value_estimate(s, c) : mass;
}

/* About the c that contributes most: a scan from the mean outward, then a ternary search. */
static ulong peak(const power_context_t s)
{
    double N = (double) s->others, mean = N * steer_midpoint(s->weights->count);
    double sd = sqrt(mean * steer_midpoint(s->weights->count_complement)) + 1;
    double best = floor(mean), best_value = contribution(s, best), h, a, b;
    int i;
    for (h = sd / 2; h < N; h *= 1.5)
        for (i = -1; i <= 1; i += 2)
        {
            double c = floor(mean + i * h), value;
            if (c < 0 || c > N)
                continue;
            value = contribution(s, c);
            if (value > best_value)
            {
                best = c;
                best_value = value;
            }
        }
    if (contribution(s, 0) > best_value)
        best = 0;
    h = fmax(fabs(best - mean), sd);
    a = fmax(0, best - h);
    b = fmin(N, best + h);
    for (i = 0; i < 60 && b - a > fmax(2, sd / 100); i++)
    {
        double c = a + (b - a) / 3, d = b - (b - a) / 3;
        if (contribution(s, c) > contribution(s, d))
            b = d;
        else
            a = c;
    }
    a = floor((a + b) / 2);
    return (ulong) (contribution(s, a) > contribution(s, best) ? a : best);
}

/* How far from `top` the strata matter, on one side. */
static double reach(const power_context_t s, double top, int sign, double floor_value)
{
    double N = (double) s->others, end = sign > 0 ? N - top : top;
    double p = steer_midpoint(s->weights->count), q = steer_midpoint(s->weights->count_complement);
    double h = sqrt(N * p * q) / 4 + 1, found = 0;
    for (; h < end; h *= 1.2)
        if (contribution(s, floor(top + sign * h)) > floor_value)
            found = h * 1.2 + 1;
    if (contribution(s, sign > 0 ? N : 0) > floor_value)
        found = end;
    return fmin(ceil(found), end);
}

/* ---- one evaluation ---- */

/* What a bound needs when there is no budget left for more. Steer only. */
#define FEW_BITS 64
#define FEW_CUT 16

/* V(c, K), its truncation folded into the ball; finite although the budget may end */
static void value_ball(arb_t v, const void *context, ulong c, const arb_t K)
{
    const power_context_struct *s = context;
    mag_t truncation;
    mag_init(truncation);
    power_value(v, truncation, s, c, K);
    if (!arb_is_finite(v))
    {
        power_context_struct coarse = *s;
        double before = shuf_limit_set(0);
        coarse.prec = FLINT_MIN(s->prec, FEW_BITS + 2 * (slong) FLINT_BIT_COUNT(s->others));
        coarse.cut = FLINT_MIN(s->cut, FEW_CUT);
        power_value(v, truncation, &coarse, c, K);
        shuf_limit_set(before);
    }
    arb_add_error_mag(v, truncation);
    mag_clear(truncation);
}

static void add_upper(mag_t total, const arb_t mass, const arb_t value)
{
    mag_t a, b;
    mag_init(a);
    mag_init(b);
    arb_get_mag(a, mass);
    arb_get_mag(b, value);
    mag_addmul(total, a, b);
    mag_clear(a);
    mag_clear(b);
}

/* More blocks than that on a side mean a bad window. Steers only. */
#define MANY_BLOCKS 1000

/* About log Pr[low <= C <= high]. */
static double log_block_mass(const power_context_t s, ulong low, ulong high)
{
    double mean = (double) s->others * steer_midpoint(s->weights->count);
    if ((double) high < mean)
        return log_mass(s, (double) high);
    return (double) low > mean ? log_mass(s, (double) low) : 0;
}

/* Charges the strata low .. high to the truncation: their mass times the value at low. */
static void charge_block(evaluation_t e, ulong low, ulong high, slong prec)
{
    const power_context_struct *s = e->s;
    const shuf_pair_weights_struct *w = s->weights;
    arb_t mass, value, K;
    arb_init(mass); arb_init(value); arb_init(K);
    if ((double) high < (double) s->others * steer_midpoint(w->count))
        shuf_binomial_lower_tail_bound(mass, s->others, high, w->count, w->count_complement, prec);
    else
        shuf_binomial_upper_tail_bound(mass, s->others, low, w->count, w->count_complement, prec);
    if (!w->rest_is_random)
        power_K(K, s, high, s->others - high);
    value_ball(value, s, low, K);
    add_upper(e->truncation, mass, value);
    arb_clear(mass); arb_clear(value); arb_clear(K);
}

/*
 * The strata outside first .. last, in blocks as long as their charge is
 * negligible: a block's mass and its value both change by orders of magnitude.
 * Coq: Bernstein.f_stratum_antitone.
 */
static void truncate_strata(evaluation_t e, double log_tolerance)
{
    const power_context_struct *s = e->s;
    slong prec = 64 + (slong) FLINT_BIT_COUNT(s->others);
    ulong low, high, end, middle;
    int blocks, late = 0;
    for (blocks = 0, end = e->first; end > 0; end = low, blocks++)
    {
        /* below: the lowest beginning of a block that ends at end - 1 */
        low = 0;
        high = end - 1;
        while (low < high && blocks < MANY_BLOCKS && !late)
        {
            middle = low + (high - low) / 2;
            if (log_block_mass(s, middle, end - 1) + block_estimate(s, (double) middle, (double) end - 1) < log_tolerance)
                high = middle;
            else
                low = middle + 1;
        }
        charge_block(e, low, end - 1, prec);
        late = shuf_exhausted(e->limit);
    }
    for (blocks = 0, end = e->last; end < s->others; end = high, blocks++)
    {
        /* above: the highest end of a block that begins at end + 1 */
        low = end + 1;
        high = s->others;
        while (low < high && blocks < MANY_BLOCKS && !late)
        {
            middle = high - (high - low) / 2;
            if (log_block_mass(s, end + 1, middle) + block_estimate(s, (double) end + 1, (double) middle) < log_tolerance)
                low = middle;
            else
                high = middle - 1;
        }
        charge_block(e, end + 1, high, prec);
        late = shuf_exhausted(e->limit);
    }
}

/* The rests low .. high that matter in every stratum (krr-weak), the others charged to the truncation. */
static void cut_rests(evaluation_t e, ulong *low, ulong *high, double log_tolerance)
{
    const power_context_struct *s = e->s;
    const shuf_pair_weights_struct *w = s->weights;
    /* V <= V(first, 0) in every stratum; the rest is stochastically smallest at the last one */
    double relative = log_tolerance - power_log_estimate(s, (double) e->first, 0), most = -(double) s->cut * d_log(2.0);
    arb_t tolerance, value, K;
    arb_init(tolerance); arb_init(value); arb_init(K);
    arb_set_d(tolerance, relative < most ? relative : most);
    arb_exp(tolerance, tolerance, 64);
    arb_get_lbound_arf(arb_midref(tolerance), tolerance, 64);
    mag_zero(arb_radref(tolerance));
    *low = shuf_binomial_cut_below(s->others - e->last, w->rest, w->rest_complement, tolerance, s->prec);
    *high = shuf_binomial_cut_above(s->others - e->first, w->rest, w->rest_complement, tolerance, s->prec);
    value_ball(value, s, e->first, K);
    arb_mul_2exp_si(tolerance, tolerance, 1);
    add_upper(e->truncation, tolerance, value);
    arb_clear(tolerance); arb_clear(value); arb_clear(K);
}

/* Strata that are evaluated at a time, the first time, and about the work of that. Steer only. */
#define BATCH 64
#define FIRST_BATCH 8
#define BATCH_WORK 1e8

typedef struct
{
    const power_context_struct *s;
    double limit;
    ulong first, low, high; /* stratum of item 0; rests, for krr-weak */
    arb_struct value[BATCH];
    mag_struct cut[BATCH];
    ulong terms[BATCH];
    int late[BATCH];
} batch_struct;

static void batch_value(void *args, slong i)
{
    batch_struct *b = args;
    ulong c = b->first + (ulong) i;
    b->terms[i] = 0;
    mag_zero(b->cut + i);
    if (b->s->weights->rest_is_random)
    {
        b->late[i] = !mixture_value(b->value + i, b->cut + i, &b->terms[i], b->s, c, b->low, b->high, b->limit);
    }
    else
    {
        arb_t K;
        arb_init(K);
        power_K(K, b->s, c, b->s->others - c);
        power_value(b->value + i, b->cut + i, b->s, c, K);
        b->terms[i] = 1;
        b->late[i] = 0;
        arb_clear(K);
    }
    /* a value that the budget cut short is not one */
    b->late[i] = b->late[i] || !arb_is_finite(b->value + i);
}

/* Adds the strata of a batch to the sum, up to the first that the budget cut short; mass is that of the first one. */
static ulong add_batch(evaluation_t e, arb_t mass, const batch_struct *b, slong count, const arb_t odds)
{
    mag_t bound;
    slong i;
    mag_init(bound);
    for (i = 0; i < count && !e->late; i++)
    {
        e->terms += b->terms[i];
        e->late = b->late[i];
        if (e->late)
            break;
        arb_addmul(e->sum, mass, b->value + i, e->s->prec);
        arb_get_mag(bound, mass);
        mag_addmul(e->truncation, bound, b->cut + i);
        /* Pr[C = c+1] from Pr[C = c] */
        arb_mul_ui(mass, mass, e->s->others - b->first - (ulong) i, e->s->prec);
        arb_div_ui(mass, mass, b->first + (ulong) i + 1, e->s->prec);
        arb_mul(mass, mass, odds, e->s->prec);
    }
    mag_clear(bound);
    return b->first + (ulong) i;
}

/* Strata c .. last as one block. */
static void charge_rest(evaluation_t e, ulong c)
{
    const power_context_struct *s = e->s;
    const shuf_pair_weights_struct *w = s->weights;
    double before = shuf_limit_set(0);
    arb_t mass, value, K;
    arb_init(mass); arb_init(value); arb_init(K);
    shuf_binomial_tail(mass, s->others, c, w->count, w->count_complement, 64 + (slong) FLINT_BIT_COUNT(s->others));
    shuf_limit_set(before);
    value_ball(value, s, c, K);
    add_upper(e->truncation, mass, value);
    arb_clear(mass); arb_clear(value); arb_clear(K);
}

/*
 * Sums strata first to last, one by one.
 * Coq: Bernstein.trinomial_f_strata.
 */
static void sum_strata(evaluation_t e, double log_tolerance)
{
    const power_context_struct *s = e->s;
    const shuf_pair_weights_struct *w = s->weights;
    slong i, count = FIRST_BATCH;
    batch_struct b;
    arb_t mass, odds;
    arb_init(mass);
    arb_init(odds);
    b.s = s;
    b.limit = e->limit;
    b.first = e->first;
    b.low = b.high = 0;
    for (i = 0; i < BATCH; i++)
    {
        arb_init(b.value + i);
        mag_init(b.cut + i);
    }
    arb_zero(e->sum);
    if (w->rest_is_random)
        cut_rests(e, &b.low, &b.high, log_tolerance);
    if (!arb_is_zero(w->count_complement))
        arb_div(odds, w->count, w->count_complement, s->prec);
    shuf_binomial_pmf(mass, s->others, e->first, w->count, w->count_complement, s->prec);
    while (b.first <= e->last && !e->late)
    {
        double start = shuf_work(), room, cost;
        count = (slong) FLINT_MIN((ulong) count, e->last - b.first + 1);
        parallel_do(batch_value, &b, count);
        b.first = add_batch(e, mass, &b, count, odds);
        if (b.first <= e->last && shuf_exhausted(e->limit))
            e->late = 1;
        /* as many as are expected to fit */
        cost = (shuf_work() - start) / (double) count + 1;
        room = e->limit > 0 ? FLINT_MIN(e->limit - shuf_work(), BATCH_WORK) : BATCH_WORK;
        count = room > BATCH * cost ? BATCH : room > cost ? (slong) (room / cost) : 1;
    }
    if (e->late)
        charge_rest(e, b.first);
    for (i = 0; i < BATCH; i++)
    {
        arb_clear(b.value + i);
        mag_clear(b.cut + i);
    }
    arb_clear(mass);
    arb_clear(odds);
}

/* Rough costs, to choose between summing and bracketing. Steer only. */
#define WORK_PER_STRATUM 1e5
#define WORK_PER_BLOCK 4e6
#define BLOCKS_MAX 200000

/*
 * Brackets strata first .. last in blocks, if that is cheaper than summing or
 * if there is no budget for summing. Returns 0 if it is neither.
 */
static int bracket_strata(evaluation_t e, ulong top, slong cut)
{
    const power_context_struct *s = e->s;
    const shuf_pair_weights_struct *w = s->weights;
    strata_struct strata = { s->others, w, s->kappa, value_ball, s, s->prec, e->limit };
    double count = (double) (e->last - e->first) + 1, sd, variation, blocks, left;
    ulong a, b;
    arb_t aim, value, K;
    mag_t width;
    if (w->rest_is_random || count < 2000)
        return 0;
    sd = sqrt((double) s->others * steer_midpoint(w->count) * steer_midpoint(w->count_complement));
    a = top > e->first + (ulong) sd ? top - (ulong) sd : e->first;
    b = top + (ulong) sd < e->last ? top + (ulong) sd : e->last;
    variation = fabs(d_expm1(value_estimate(s, (double) b) - value_estimate(s, (double) a)));
    blocks = fmin(variation, 1.0) * ldexp(1.0, (int) FLINT_MIN(cut - 8, 1000)) * 8 + 32;
    left = e->limit > 0 ? e->limit - shuf_work() : HUGE_VAL;
    if ((blocks > BLOCKS_MAX || blocks * WORK_PER_BLOCK > count * WORK_PER_STRATUM) && count * WORK_PER_STRATUM < left)
        return 0;
    arb_init(aim); arb_init(value); arb_init(K); mag_init(width);
    /* the sum is about sd times its largest term */
    power_K(K, s, top, s->others - top);
    value_ball(value, s, top, K);
    shuf_binomial_pmf(aim, s->others, top, w->count, w->count_complement, 64 + 2 * (slong) FLINT_BIT_COUNT(s->others));
    arb_mul(aim, aim, value, 64);
    arb_set_d(value, 1.2 * sd);
    arb_mul(aim, aim, value, 64);
    arb_mul_2exp_si(aim, aim, -FLINT_MAX(cut - 8, 1));
    if (!strata_bracket(e->sum, width, &e->terms, &strata, e->first, e->last, aim))
        e->late = 1;
    mag_add(e->discretisation, e->discretisation, width);
    arb_clear(aim); arb_clear(value); arb_clear(K); mag_clear(width);
    return 1;
}

/*
 * `bits` of working precision; about 2^-digits_cut of the divergence may be
 * left out. Returns nothing: the enclosure is in sum, truncation and
 * discretisation.
 */
static void evaluate(evaluation_t e, const shuf_pair_t pair, const shuf_real_t order, shuf_direction direction,
                     slong bits, slong digits_cut)
{
    power_context_struct *s = e->s;
    ulong top;
    double best, log_error, log_tolerance;
    slong cut;

    mag_set_ui(e->truncation, 0);
    mag_set_ui(e->discretisation, 0);
    e->terms = 0;
    e->late = 0;
    s->cut = digits_cut;
    power_context_set(s, pair, order, direction, bits);
    top = arb_is_zero(s->weights->count) ? 0 : peak(s);
    best = contribution(s, (double) top);
    /* the error of log S counts relative to log S: when that is large, S may err by a factor */
    log_error = -(double) digits_cut * d_log(2.0);
    if (best > 1 && !s->is_one)
        log_error += d_log(best);
    cut = FLINT_MAX((slong) (-log_error / d_log(2.0)), 8);
    s->cut = cut + 2;
    log_tolerance = best + (log_error < 0 ? log_error : d_exp(log_error) / 2);
    log_tolerance -= 1e-15 * fabs(best); /* how far these estimates can be trusted */
    if (arb_is_zero(s->weights->count_complement))
    {
        e->first = e->last = s->others;
    }
    else
    {
        e->first = top - (ulong) reach(s, (double) top, -1, fmin(log_tolerance, best) - 8);
        e->last = top + (ulong) reach(s, (double) top, 1, fmin(log_tolerance, best) - 4);
        if (e->last > s->others)
            e->last = s->others;
        truncate_strata(e, log_tolerance);
    }
    if (!bracket_strata(e, top, cut))
        sum_strata(e, log_tolerance);
}

/* ---- from the sum to the divergence ---- */

/* r := the enclosure of D that an evaluation proves, not yet cut to [0, max_loss]. */
static void harvest(shuf_enclosure_t r, const evaluation_t e)
{
    const power_context_struct *s = e->s;
    slong prec = s->prec + 64;
    arb_t sum, error, lo, hi, per_unit;
    mag_t factor;
    arb_init(sum); arb_init(error); arb_init(lo); arb_init(hi); arb_init(per_unit);
    mag_init(factor);

    shuf_enclosure_zero(r);
    /* truncation both ways (series remainders), discretisation upward */
    arb_add_error_mag(error, e->truncation);
    arb_add(sum, e->sum, error, prec);
    arb_get_lbound_arf(arb_midref(lo), sum, prec);
    arf_set_mag(arb_midref(error), e->discretisation);
    mag_zero(arb_radref(error));
    arb_add(hi, sum, error, prec);
    arb_get_ubound_arf(arb_midref(hi), hi, prec);
    mag_zero(arb_radref(hi));
    if (!arb_is_nonnegative(lo))
        arb_zero(lo);
    if (!arb_is_finite(hi))
        arb_pos_inf(hi);
    /* d log(1+S)/(order-1) <= per_unit dS */
    arb_one(per_unit);
    if (!s->is_one)
    {
        arb_add_ui(per_unit, lo, 1, prec);
        arb_mul(per_unit, per_unit, s->order_minus_1, prec);
        arb_inv(per_unit, per_unit, prec);
        arb_log1p(lo, lo, prec);
        arb_div(lo, lo, s->order_minus_1, prec);
        if (arb_is_finite(hi))
        {
            arb_log1p(hi, hi, prec);
            arb_div(hi, hi, s->order_minus_1, prec);
        }
    }
    arb_get_lbound_arf(r->lo, lo, prec);
    arb_get_ubound_arf(r->hi, hi, prec);
    arb_get_mag(factor, per_unit);
    mag_mul(r->ledger.truncation, e->truncation, factor);
    mag_mul_2exp_si(r->ledger.truncation, r->ledger.truncation, 1);
    mag_mul(r->ledger.discretisation, e->discretisation, factor);
    mag_mul(r->ledger.rounding, arb_radref(e->sum), factor);
    mag_mul_2exp_si(r->ledger.rounding, r->ledger.rounding, 1);

    arb_clear(sum); arb_clear(error); arb_clear(lo); arb_clear(hi); arb_clear(per_unit);
    mag_clear(factor);
}

/* Narrows r to [lo, hi], which holds the same value; keeps the ledger at least as wide as r. */
static void narrow(shuf_enclosure_t r, const arf_t lo, const arf_t hi)
{
    if (!(arf_cmp(r->lo, lo) >= 0))
        arf_set(r->lo, lo);
    if (!(arf_cmp(r->hi, hi) <= 0))
        arf_set(r->hi, hi);
    shuf_enclosure_settle(r);
}

/*
 * lo = max_loss + log(Pr[loss = max_loss])/(order-1) <= D <= max_loss = hi. The
 * outcomes of the largest loss: nobody in b (w2 = 0), and all in a if w2 > 0.
 */
static void saturation(arf_t lo, arf_t hi, const power_context_t s, slong prec)
{
    const shuf_pair_weights_struct *w = s->weights;
    arb_t p, lower;
    arb_init(p);
    arb_init(lower);
    if (arb_is_zero(w->w2))
    {
        /* 1 - r1 */
        arb_mul(p, w->count, w->rho, prec);
        arb_add(p, p, w->count_complement, prec);
    }
    else if (w->rest_is_random)
    {
        /* 1 - r1 - r2 */
        arb_mul(lower, w->count_complement, w->rest_complement, prec);
        arb_mul(p, w->count, w->rho, prec);
        arb_add(p, p, lower, prec);
    }
    else
    {
        arb_mul(p, w->count, w->rho, prec);
    }
    arb_log(p, p, prec);
    arb_mul_ui(p, p, s->others, prec);
    arb_log(lower, w->w0, prec);
    arb_add(lower, lower, p, prec);
    arb_div(lower, lower, s->order_minus_1, prec);
    arb_add(lower, lower, s->max_loss, prec);
    arb_get_lbound_arf(lo, lower, prec);
    if (!arb_is_finite(lower) || arf_sgn(lo) < 0)
        arf_zero(lo);
    arb_get_ubound_arf(hi, s->max_loss, prec);
    arb_clear(p);
    arb_clear(lower);
}

#define MAX_BITS 50000 /* steers only */

/* D is about the square of the losses; the bits at the start show it as long as they are at least 2^-20. */
static slong bits_for_small_loss(const power_context_t s)
{
    double bits = 0;
    mag_t loss;
    mag_init(loss);
    arb_get_mag_lower(loss, s->max_loss);
    if (!mag_is_zero(loss))
        bits = fmin(fmax(0, -2 * mag_get_d_log2_approx(loss) - 40), MAX_BITS);
    mag_clear(loss);
    return (slong) bits;
}

#define MAX_ATTEMPTS 16 /* steers only */

static slong bits_for_digits(slong digits, ulong n)
{
    return (slong) (3.33 * (double) digits) + 2 * (slong) FLINT_BIT_COUNT(n) + 40;
}

/* Bits to begin with, for `digits` digits of D. */
static slong first_bits(const power_context_t s, slong digits)
{
    slong bits = bits_for_digits(digits, s->others + 1);
    if (!s->is_one)
    {
        /* S is about (order-1) D: 1 + S has to be seen */
        mag_t inverse;
        mag_init(inverse);
        arb_get_mag_lower(inverse, s->order_minus_1);
        bits += FLINT_MAX(0, (slong) -mag_get_d_log2_approx(inverse));
        mag_clear(inverse);
    }
    return bits + bits_for_small_loss(s);
}

/* Refinements in a row that may bring nothing. Steers only. */
#define MAX_STALLED 3

/* r := an enclosure of `digits`, or the best there is budget for; r holds what is known so far. */
static void evaluate_to(shuf_enclosure_t r, evaluation_t e, const shuf_pair_t pair, const shuf_real_t order,
                        shuf_direction direction, slong bits, slong digits)
{
    shuf_enclosure_t attempt;
    arf_t least, most;
    mag_t width, best;
    slong cut = (slong) (3.33 * (double) digits) + 8;
    ulong terms = r->ledger.terms;
    int i, stalled = 0;
    shuf_enclosure_init(attempt); arf_init(least); arf_init(most); mag_init(width); mag_init(best);
    arf_set(least, r->lo);
    arf_set(most, r->hi);
    for (i = 0; i < MAX_ATTEMPTS && bits < MAX_BITS && !shuf_enclosure_accurate(r, digits); i++)
    {
        const shuf_ledger_struct *l = &attempt->ledger;
        slong precision = bits;
        evaluate(e, pair, order, direction, bits, cut);
        terms += e->terms;
        harvest(attempt, e);
        /* refine what dominates */
        if (mag_cmp(l->rounding, l->truncation) >= 0 && mag_cmp(l->rounding, l->discretisation) >= 0)
            bits += bits / 2;
        else if (mag_cmp(l->truncation, l->discretisation) >= 0)
            cut += 8 + cut / 2;
        else
            cut += 4;
        narrow(attempt, least, most);
        shuf_enclosure_width(width, attempt);
        shuf_enclosure_width(best, r);
        stalled = i > 0 && mag_cmp(width, best) >= 0 ? stalled + 1 : 0;
        if (mag_cmp(width, best) <= 0)
        {
            shuf_enclosure_set(r, attempt);
            r->ledger.precision = precision;
        }
        if (stalled == MAX_STALLED || e->late || shuf_exhausted(e->limit))
            break;
    }
    r->ledger.terms = terms;
    shuf_enclosure_clear(attempt); arf_clear(least); arf_clear(most); mag_clear(width); mag_clear(best);
}

/* With a budget more digits than that are approached in steps, so that something is known when it ends. Steers only. */
#define FIRST_DIGITS 12

static void one_direction(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t order, shuf_direction direction,
                          const shuf_options *options)
{
    evaluation_t e;
    double start = shuf_work(), before;
    slong bits, digits;

    power_context_init(e->s);
    arb_init(e->sum); mag_init(e->truncation); mag_init(e->discretisation);
    e->limit = shuf_limit(options);
    before = shuf_limit_set(e->limit);

    /* what is known without any sum */
    power_context_set(e->s, pair, order, direction, bits_for_digits(options->digits, pair->n));
    bits = first_bits(e->s, options->digits);
    saturation(r->lo, r->hi, e->s, bits + 32);
    shuf_enclosure_width(r->ledger.truncation, r);

    for (digits = FIRST_DIGITS; e->limit > 0 && digits <= options->digits / 2 && !shuf_exhausted(e->limit); digits *= 3)
        evaluate_to(r, e, pair, order, direction, first_bits(e->s, digits), digits);
    if (digits == FIRST_DIGITS || !shuf_exhausted(e->limit))
        evaluate_to(r, e, pair, order, direction, bits, options->digits);
    r->ledger.work = shuf_work() - start;
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;

    shuf_limit_set(before);
    power_context_clear(e->s);
    arb_clear(e->sum); mag_clear(e->truncation); mag_clear(e->discretisation);
}

static int order_in_range(const shuf_real_t order)
{
    arf_t largest;
    int ok;
    arf_init(largest);
    arf_set_ui(largest, SHUF_MAX_ORDER);
    ok = shuf_real_cmp_si(order, 1) >= 0 && shuf_real_cmp_arf(order, largest) <= 0;
    arf_clear(largest);
    return ok;
}

/* Coq: Bernstein.trinomial_f_strata. */
shuf_status shuf_renyi_divergence(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t order,
                                  shuf_direction direction, const shuf_options *options)
{
    shuf_real_t loss;
    int finite, zero;

    shuf_enclosure_zero(r);
    shuf_real_init(loss);
    finite = shuf_pair_max_loss(loss, pair);
    zero = finite && shuf_real_sgn(loss) == 0;
    shuf_real_clear(loss);
    if (!order_in_range(order) || !shuf_pair_has_engine(pair, SHUF_ENGINE_RENYI))
    {
        arf_pos_inf(r->hi);
        mag_inf(r->ledger.truncation);
        r->status = SHUF_DOMAIN;
    }
    else if (!finite)
    {
        arf_pos_inf(r->lo);
        arf_pos_inf(r->hi);
    }
    else if (zero)
    {
        /* P = Q */
    }
    else if (direction != SHUF_DIRECTION_BOTH || shuf_pair_is_symmetric(pair))
    {
        one_direction(r, pair, order, direction == SHUF_DIRECTION_QP ? direction : SHUF_DIRECTION_PQ, options);
    }
    else
    {
        const double limit = shuf_limit(options);
        shuf_options o = *options;
        shuf_enclosure_t pq, qp;
        shuf_enclosure_init(pq);
        shuf_enclosure_init(qp);
        shuf_share(&o, limit, 0.5);
        one_direction(pq, pair, order, SHUF_DIRECTION_PQ, &o);
        shuf_share(&o, limit, 1);
        one_direction(qp, pair, order, SHUF_DIRECTION_QP, &o);
        shuf_enclosure_max(r, pq, qp);
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
        shuf_enclosure_clear(pq);
        shuf_enclosure_clear(qp);
    }
    return r->status;
}
