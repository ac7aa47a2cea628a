/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Sums of Renyi curves, and the conversion to (eps, delta): proofs/convert.md. */
#include "renyi/renyi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "enclosure/elementary.h"
#include "enclosure/steer.h"

/* Cuts each entry of the ledger to the width, then raises rounding until the sum covers it. */
static void settle_ledger(shuf_enclosure_t r)
{
    mag_t width, total;
    mag_init(width);
    mag_init(total);
    if (arf_is_finite(r->lo) && arf_is_finite(r->hi))
    {
        shuf_enclosure_width(width, r);
        mag_min(r->ledger.truncation, r->ledger.truncation, width);
        mag_min(r->ledger.discretisation, r->ledger.discretisation, width);
        mag_min(r->ledger.rounding, r->ledger.rounding, width);
        mag_add_lower(total, r->ledger.truncation, r->ledger.discretisation);
        mag_add_lower(total, total, r->ledger.rounding);
        if (mag_cmp(total, width) < 0)
        {
            mag_sub(total, width, total);
            mag_add(r->ledger.rounding, r->ledger.rounding, total);
        }
    }
    mag_clear(width);
    mag_clear(total);
}

/* ---- composition ---- */

/* Digits in a search for an order. Steers only. */
#define STEERING_DIGITS 4

/* total += count x, and the ledgers likewise. */
static void add_multiple(shuf_enclosure_t total, const shuf_enclosure_t x, uint64_t count, slong prec)
{
    arf_t t;
    mag_t m;
    arf_init(t);
    mag_init(m);
    arf_mul_ui(t, x->lo, count, prec, ARF_RND_FLOOR);
    arf_add(total->lo, total->lo, t, prec, ARF_RND_FLOOR);
    arf_mul_ui(t, x->hi, count, prec, ARF_RND_CEIL);
    arf_add(total->hi, total->hi, t, prec, ARF_RND_CEIL);
    mag_mul_ui(m, x->ledger.truncation, count);
    mag_add(total->ledger.truncation, total->ledger.truncation, m);
    mag_mul_ui(m, x->ledger.discretisation, count);
    mag_add(total->ledger.discretisation, total->ledger.discretisation, m);
    mag_mul_ui(m, x->ledger.rounding, count);
    mag_add(total->ledger.rounding, total->ledger.rounding, m);
    total->ledger.terms += x->ledger.terms;
    total->ledger.precision = FLINT_MAX(total->ledger.precision, x->ledger.precision);
    arf_clear(t);
    mag_clear(m);
}

/* Coq: Renyi.moment_product, Renyi.renyi_rounds. */
static shuf_status evaluate_sum(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                                const shuf_options *options)
{
    const shuf_renyi_sum *sum = curve->data;
    double start = shuf_work();
    shuf_enclosure_t total, part;
    shuf_options o = *options;
    shuf_status status = SHUF_OK;
    size_t i;

    shuf_enclosure_init(total);
    shuf_enclosure_init(part);
    o.digits = options->digits + (sum->length > 1 || options->digits > STEERING_DIGITS); /* multiples of one part steer with as many */
    for (i = 0; i < sum->length && status != SHUF_DOMAIN; i++)
    {
        if (sum->count[i] == 0)
            continue;
        if (options->max_work > 0)
            o.max_work = fmax((options->max_work - (shuf_work() - start)) / (double) (sum->length - i), 1e6);
        status = sum->parts[i].evaluate(part, &sum->parts[i], order, &o);
        if (status != SHUF_DOMAIN)
            add_multiple(total, part, sum->count[i], 4 * options->digits + 128);
    }
    if (status != SHUF_DOMAIN)
    {
        settle_ledger(total);
        status = shuf_enclosure_accurate(total, options->digits) || arf_is_pos_inf(total->lo) ? SHUF_OK : SHUF_ACCURACY;
        total->status = status;
        total->ledger.work = shuf_work() - start;
        shuf_enclosure_set(r, total);
    }
    shuf_enclosure_clear(total);
    shuf_enclosure_clear(part);
    return status;
}

void shuf_renyi_curve_sum(shuf_renyi_curve *curve, const shuf_renyi_sum *sum)
{
    size_t i;
    curve->evaluate = evaluate_sum;
    curve->data = sum;
    curve->integer_orders = 0;
    for (i = 0; i < sum->length; i++)
        if (sum->count[i] > 0 && sum->parts[i].integer_orders)
            curve->integer_orders = 1;
}

/* ---- conversion at one order ---- */

/* shift := log(1 - 1/order) - log(order)/(order-1); less = order - 1. */
static void conversion_shift(arb_t shift, arb_t less, const shuf_real_t order, slong prec)
{
    arb_t a, t;
    arb_init(a);
    arb_init(t);
    shuf_real_get_arb(a, order, prec);
    arb_sub_ui(less, a, 1, prec);
    arb_inv(t, a, prec);
    arb_neg(t, t);
    arb_log1p(shift, t, prec);
    arb_log(t, a, prec);
    arb_div(t, t, less, prec);
    arb_sub(shift, shift, t, prec);
    arb_clear(a);
    arb_clear(t);
}

static int order_in_range(const shuf_real_t order)
{
    return shuf_real_cmp_si(order, 1) > 0 && shuf_real_cmp_si(order, (slong) SHUF_MAX_ORDER) <= 0;
}

/* x := max(x, 0) or min(x, 1), end by end. */
static void clamp(arf_t x, int above_zero)
{
    if (above_zero ? arf_sgn(x) < 0 : arf_cmp_si(x, 1) > 0)
        arf_set_si(x, above_zero ? 0 : 1);
}

/* Bits that order - 1 loses when the order is near 1. */
static slong order_bits(const shuf_real_t order)
{
    return (slong) fmpz_bits(fmpq_numref(order->q)) + (slong) fmpz_bits(fmpq_denref(order->q));
}

/* Coq: Renyi.renyi_conversion_epsilon. */
shuf_status shuf_renyi_convert_epsilon(shuf_enclosure_t r, const shuf_enclosure_t divergence, const shuf_real_t order,
                                       const shuf_real_t delta, const shuf_options *options)
{
    slong prec = 4 * options->digits + 128 + order_bits(order);
    arb_t shift, less, t;
    arf_t lo, hi;

    if (!order_in_range(order) || shuf_real_sgn(delta) <= 0 || shuf_real_cmp_si(delta, 1) > 0
        || !arf_is_finite(divergence->hi))
        return SHUF_DOMAIN;
    arb_init(shift); arb_init(less); arb_init(t); arf_init(lo); arf_init(hi);
    conversion_shift(shift, less, order, prec);
    shuf_real_get_arb(t, delta, prec);
    arb_log(t, t, prec);
    arb_div(t, t, less, prec);
    arb_sub(shift, shift, t, prec);
    arb_get_interval_arf(lo, hi, shift, prec);
    shuf_enclosure_set(r, divergence);
    arf_add(r->lo, r->lo, lo, prec, ARF_RND_FLOOR);
    arf_add(r->hi, r->hi, hi, prec, ARF_RND_CEIL);
    clamp(r->lo, 1);
    clamp(r->hi, 1);
    settle_ledger(r);
    r->ledger.precision = FLINT_MAX(r->ledger.precision, prec);
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    arb_clear(shift); arb_clear(less); arb_clear(t); arf_clear(lo); arf_clear(hi);
    return r->status;
}

/* Coq: Renyi.renyi_conversion. */
shuf_status shuf_renyi_convert_delta(shuf_enclosure_t r, const shuf_enclosure_t divergence, const shuf_real_t order,
                                     const shuf_real_t eps, const shuf_options *options)
{
    slong prec = 4 * options->digits + 128 + order_bits(order);
    arb_t shift, less, t, x;
    mag_t slope;

    if (!order_in_range(order) || shuf_real_sgn(eps) < 0 || !arf_is_finite(divergence->hi))
        return SHUF_DOMAIN;
    arb_init(shift); arb_init(less); arb_init(t); arb_init(x); mag_init(slope);
    conversion_shift(shift, less, order, prec);
    shuf_real_get_arb(t, eps, prec);
    arb_sub(shift, shift, t, prec);
    shuf_enclosure_set(r, divergence);
    /* delta = exp((order-1) (e + shift)) at both ends of e */
    arb_add_arf(x, shift, divergence->lo, prec);
    arb_mul(x, x, less, prec);
    arb_exp(x, x, prec);
    arb_get_lbound_arf(r->lo, x, prec);
    arb_add_arf(x, shift, divergence->hi, prec);
    arb_mul(x, x, less, prec);
    arb_exp(x, x, prec);
    arb_get_ubound_arf(r->hi, x, prec);
    /* convex in e: the width is at most the slope at the upper end times that of e */
    arb_mul(x, x, less, prec);
    arb_get_mag(slope, x);
    mag_mul(r->ledger.truncation, r->ledger.truncation, slope);
    mag_mul(r->ledger.discretisation, r->ledger.discretisation, slope);
    mag_mul(r->ledger.rounding, r->ledger.rounding, slope);
    clamp(r->lo, 1);
    clamp(r->lo, 0);
    clamp(r->hi, 0);
    settle_ledger(r);
    r->ledger.precision = FLINT_MAX(r->ledger.precision, prec);
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    arb_clear(shift); arb_clear(less); arb_clear(t); arb_clear(x); mag_clear(slope);
    return r->status;
}

/* ---- the search for the order ---- */

/* Steer only. */
#define MAX_EVALUATIONS 44
#define FIRST_ORDER 8.0
#define SMALLEST_EXCESS 1e-9 /* of an order over 1 */
#define LARGEST_EXCESS 1e15
#define GOLDEN 0.38196601125010515

/* What is minimised over the order a: eps, or log delta. */
typedef struct
{
    const shuf_renyi_curve *curve;
    int to_delta;
    double target; /* log delta, or eps */
    double deadline; /* 0: none */
    double order[MAX_EVALUATIONS];
    double value[MAX_EVALUATIONS];
    int count;
    int best;
} search;

/*
 * order := a short decimal near 1 + excess: six significant digits, of the
 * excess while that is below 1; a whole number >= 2 for integer_orders.
 */
static void set_order(shuf_real_t order, double excess, int integer_orders)
{
    char text[64];
    size_t length;
    if (integer_orders)
        excess = fmax(round(excess), 1);
    if (excess < 1)
    {
        snprintf(text, sizeof(text), "%.*f", 5 - (int) floor(d_log10(excess)), 1 + excess);
    }
    else if (excess < 1e5)
    {
        snprintf(text, sizeof(text), "%.*f", 5 - (int) floor(d_log10(1 + excess)), 1 + excess);
    }
    else
    {
        double unit = d_pow(10, floor(d_log10(excess)) - 5);
        snprintf(text, sizeof(text), "%.0f", round(excess / unit) * unit);
    }
    if (strchr(text, '.') != NULL)
    {
        for (length = strlen(text); text[length - 1] == '0'; length--)
            text[length - 1] = '\0';
        if (text[length - 1] == '.')
            text[length - 1] = '\0';
    }
    shuf_real_set_str(order, text);
}

static int out_of_time(const search *s)
{
    return shuf_exhausted(s->deadline);
}

/* The value at the order 1 + exp(x), +inf where the curve has none; each order is evaluated once. */
static double probe(search *s, double x)
{
    shuf_real_t order;
    shuf_enclosure_t e;
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    double a, less, value = HUGE_VAL, divergence;
    int i;

    shuf_real_init(order);
    set_order(order, d_exp(x), s->curve->integer_orders);
    a = steer_real(order, 64);
    for (i = 0; i < s->count; i++)
        if (s->order[i] == a)
        {
            shuf_real_clear(order);
            return s->value[i];
        }
    if (s->count == MAX_EVALUATIONS || (out_of_time(s) && s->count > 0))
    {
        shuf_real_clear(order);
        return HUGE_VAL;
    }
    shuf_enclosure_init(e);
    o.digits = STEERING_DIGITS;
    if (s->deadline > 0)
        o.max_work = fmax((s->deadline - shuf_work()) / 4, 1e6);
    if (s->curve->evaluate(e, s->curve, order, &o) != SHUF_DOMAIN && arf_is_finite(e->hi))
    {
        divergence = arf_get_d(e->hi, ARF_RND_NEAR);
        less = a < 2 ? d_exp(x) : a - 1;
        value = divergence + d_log(less) - d_log(a) - d_log(a) / less;
        value = s->to_delta ? less * (value - s->target) : value - s->target / less;
        if (isnan(value))
            value = HUGE_VAL;
    }
    s->order[s->count] = a;
    s->value[s->count] = value;
    if (s->count == 0 || value < s->value[s->best])
        s->best = s->count;
    s->count++;
    shuf_enclosure_clear(e);
    shuf_real_clear(order);
    return value;
}

/* Whether y is lower than x by more than what the steering digits leave open. */
static int clearly_lower(double y, double x)
{
    return y < x - 1e-6 * fabs(x);
}

/* By x = log(order - 1): where the search is, the value there, and where the best order lies. */
typedef struct
{
    double x, value, left, right;
} bracket;

/* An order with a value; where FIRST_ORDER has none, on both sides, ever further. */
static int find_start(bracket *b, search *s, double lowest)
{
    int i;
    b->x = d_log(FIRST_ORDER - 1);
    b->value = probe(s, b->x);
    for (i = 1; !isfinite(b->value) && i <= 16 && !out_of_time(s); i++)
    {
        b->x = fmax(d_log(FIRST_ORDER - 1) + (i % 2 ? -1.2 : 1.2) * (double) ((i + 1) / 2), lowest);
        b->value = probe(s, b->x);
    }
    return isfinite(b->value);
}

/* In steps that grow. */
static void walk_downhill(bracket *b, search *s, double lowest, double highest)
{
    double step = 1, next = probe(s, b->x + step);
    if (!clearly_lower(next, b->value))
    {
        step = -1;
        next = probe(s, fmax(b->x + step, lowest));
    }
    b->left = b->x - fabs(step);
    b->right = b->x + fabs(step);
    while (clearly_lower(next, b->value) && b->x + step > lowest && b->x + step < highest)
    {
        b->x += step;
        b->value = next;
        b->left = b->x - (step < 0 ? 1.5 : 1) * fabs(step);
        b->right = b->x + (step < 0 ? 1 : 1.5) * fabs(step);
        step *= 1.5;
        next = probe(s, fmin(fmax(b->x + step, lowest), highest));
    }
    b->left = fmax(b->left, lowest);
    b->right = fmin(b->right, highest);
}

/* The best point stays inside. */
static void golden_section(bracket *b, search *s)
{
    while (b->right - b->left > 4e-3 && s->count < MAX_EVALUATIONS - 4 && !out_of_time(s))
    {
        double y = b->right - b->x > b->x - b->left ? b->x + GOLDEN * (b->right - b->x) : b->x - GOLDEN * (b->x - b->left);
        double value = probe(s, y);
        if (s->curve->integer_orders && (d_exp(b->right) - d_exp(b->left) < 1))
            break;
        if (value < b->value)
        {
            *(y > b->x ? &b->left : &b->right) = b->x;
            b->x = y;
            b->value = value;
        }
        else
        {
            *(y > b->x ? &b->right : &b->left) = y;
        }
    }
}

/* The neighbours of a small integer may have been jumped over. */
static void try_neighbours(search *s)
{
    int i;
    for (i = 0; i < 4; i++)
    {
        int before = s->best;
        double a = s->order[before];
        if (a > 2)
            probe(s, d_log(a - 2));
        probe(s, d_log(a));
        if (s->best == before)
            break;
    }
}

/*
 * Brackets a minimum and narrows it. The objective of a true curve is
 * unimodal in the order; elsewhere the search may end at a worse order, never
 * at a wrong bound. Returns 0 when no finite value was found.
 */
static int find_order(shuf_real_t order, search *s)
{
    const double lowest = s->curve->integer_orders ? 0 : d_log(SMALLEST_EXCESS), highest = d_log(LARGEST_EXCESS);
    bracket b;
    if (!find_start(&b, s, lowest))
        return 0;
    walk_downhill(&b, s, lowest, highest);
    golden_section(&b, s);
    if (s->curve->integer_orders)
        try_neighbours(s);
    set_order(order, s->order[s->best] - 1, s->curve->integer_orders);
    return 1;
}

#define FINAL_ATTEMPTS 3 /* steers only */

static shuf_status convert(shuf_enclosure_t r, shuf_real_struct *order, const shuf_renyi_curve *curve,
                           const shuf_real_t target, int to_delta, const shuf_options *options)
{
    double start = shuf_work();
    shuf_options o = *options;
    shuf_enclosure_t e, result;
    shuf_real_t best;
    search s;
    shuf_status status = SHUF_DOMAIN;
    int i;

    shuf_enclosure_unknown(r, to_delta);
    if (shuf_real_sgn(target) < !to_delta || (!to_delta && shuf_real_cmp_si(target, 1) > 0))
        return SHUF_DOMAIN;

    shuf_enclosure_init(e); shuf_enclosure_init(result); shuf_real_init(best);
    memset(&s, 0, sizeof(s));
    s.curve = curve;
    s.to_delta = to_delta;
    s.target = to_delta ? steer_real(target, 64) : steer_log_real(target, 64);
    if (options->max_work > 0)
        s.deadline = start + options->max_work / 2;

    if (find_order(best, &s))
    {
        /* delta has the accuracy of (order-1) e, which is its logarithm and (order-1) eps; eps may cancel */
        const double size = fabs(s.value[s.best]) + (to_delta ? s.order[s.best] : 1) * fabs(s.target) + 1;
        o.digits = options->digits + 1;
        if (to_delta)
            o.digits += (slong) ceil(d_log10(size)); /* those in front of the point */
        for (i = 0; i < FINAL_ATTEMPTS && r->status != SHUF_OK; i++)
        {
            if (options->max_work > 0)
                o.max_work = fmax(options->max_work - (shuf_work() - start), 1e6);
            o.digits = FLINT_MIN(o.digits, SHUF_MAX_DIGITS);
            if (curve->evaluate(e, curve, best, &o) == SHUF_DOMAIN)
                break;
            status = to_delta ? shuf_renyi_convert_delta(result, e, best, target, options)
                              : shuf_renyi_convert_epsilon(result, e, best, target, options);
            if (status == SHUF_DOMAIN)
                break;
            if (arf_cmp(result->hi, r->hi) <= 0)
                shuf_enclosure_set(r, result);
            if (e->status != SHUF_OK)
                break;
            o.digits = 2 * o.digits;
        }
    }
    if (r->status != SHUF_DOMAIN && order != NULL)
        shuf_real_set(order, best);
    r->ledger.work = shuf_work() - start;
    shuf_enclosure_clear(e); shuf_enclosure_clear(result); shuf_real_clear(best);
    return r->status;
}

/* Coq: Renyi.renyi_conversion_epsilon. */
shuf_status shuf_renyi_to_epsilon(shuf_enclosure_t r, shuf_real_struct *order, const shuf_renyi_curve *curve,
                                  const shuf_real_t delta, const shuf_options *options)
{
    return convert(r, order, curve, delta, 0, options);
}

/* Coq: Renyi.renyi_conversion. */
shuf_status shuf_renyi_to_delta(shuf_enclosure_t r, shuf_real_struct *order, const shuf_renyi_curve *curve,
                                const shuf_real_t eps, const shuf_options *options)
{
    return convert(r, order, curve, eps, 1, options);
}
