/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "noise/lattice.h"

#include <math.h>

#include "binomial/binomial.h"
#include "enclosure/elementary.h"
#include "enclosure/enclosure.h"

/* Smaller masses than 2^-LATTICE_BITS of the largest one are left to a bound of the tail; the precision of the table. Steer only. */
#define LATTICE_BITS 300
#define TABLE_PREC 448

/* Units of work of a row of the table. Steers only. */
#define ROW_WORK 400.0

/* ---- the threshold ---- */

/* Whether p(z)/p(z - s) is certainly at least alpha (1), certainly less (-1), or neither (0). */
typedef int (*compare_function)(const void *context, slong z);

/* *lo := a place with 1, and *hi := one with -1, as near to each other as bisection finds them; they have these values at first. */
static void bracket(slong *lo, slong *hi, compare_function compare, const void *context)
{
    slong left = *lo, right = *hi;
    while (right - left > 1)
    {
        slong middle = left + (right - left) / 2;
        int sign = compare(context, middle);
        if (sign == 1)
            left = middle;
        else
            right = middle;
        if (sign == -1)
            *hi = middle;
    }
    *lo = left;
    for (right = *hi; right - left > 1;)
    {
        slong middle = left + (right - left) / 2;
        if (compare(context, middle) == -1)
            right = middle;
        else
            left = middle;
    }
    *hi = right;
}

/* More thresholds than these are left to a higher precision. Steers only. */
#define MOST_THRESHOLDS 3

/* ---- tables ---- */

/* So many rows that the rest is small. */
static slong rows_of(const shuf_noise_struct *noise)
{
    const double m = noise->kind == SHUF_NOISE_BINOMIAL ? (double) noise->coins / 4 : fmpq_get_d(noise->variance), most = LATTICE_BITS * d_log(2);
    double k = sqrt(2 * m * most);
    if (noise->kind == SHUF_NOISE_SKELLAM)
        while (k * d_log(k / m + sqrt(k / m * (k / m) + 1)) - (sqrt(k * k + m * m) - m) < most)
            k = 1.125 * k + 8;
    return (slong) k + 8;
}

/* weight[k+1]/weight[k] = e^(-(2k+1)/(2 variance)), in place of weight[k+1]. */
static void ratios_of_gaussian(lattice_table *x, const fmpq_t variance)
{
    arb_t step, square;
    slong k;
    arb_init(step); arb_init(square);
    arb_set_fmpq(step, variance, TABLE_PREC);
    arb_inv(step, step, TABLE_PREC);
    arb_neg(step, step);
    arb_exp(square, step, TABLE_PREC);
    arb_mul_2exp_si(step, step, -1);
    arb_exp(&x->weight[1], step, TABLE_PREC);
    for (k = 2; k <= x->last; k++)
        arb_mul(&x->weight[k], &x->weight[k - 1], square, TABLE_PREC);
    arb_clear(step); arb_clear(square);
}

/* The same of Skellam masses: r(k-1) = 1/(2k/m + r(k)), between 0 and 1, from beyond the last row: what is not known there is forgotten on the way. */
static void ratios_of_skellam(lattice_table *x, const fmpq_t m)
{
    const slong beyond = x->last + x->last / 2 + TABLE_PREC;
    arb_t r, step, t;
    slong k;
    arb_init(r); arb_init(step); arb_init(t);
    arb_unit_interval(r);
    arb_set_fmpq(step, m, TABLE_PREC);
    arb_ui_div(step, 2, step, TABLE_PREC);
    for (k = beyond; k >= 1; k--)
    {
        if (k < x->last)
            arb_set(&x->weight[k + 1], r);
        arb_mul_si(t, step, k, TABLE_PREC);
        arb_add(r, r, t, TABLE_PREC);
        arb_inv(r, r, TABLE_PREC);
    }
    arb_set(&x->weight[1], r);
    arb_clear(r); arb_clear(step); arb_clear(t);
}

/* The same of coins: (half - k)/(half + odd + k + 1), half of them being tails or one more. */
static void ratios_of_coins(lattice_table *x, slong coins)
{
    slong k;
    for (k = 0; k < x->last; k++)
    {
        arb_set_si(&x->weight[k + 1], coins / 2 - k);
        arb_div_si(&x->weight[k + 1], &x->weight[k + 1], coins / 2 + x->odd + k + 1, TABLE_PREC);
    }
}

/* From ratios to weights. */
static void set_weights(lattice_table *x)
{
    slong k;
    arb_one(&x->weight[0]);
    for (k = 1; k <= x->last; k++)
        arb_mul(&x->weight[k], &x->weight[k], &x->weight[k - 1], TABLE_PREC);
}

/* t := [0, at least the weights beyond the last row]: a geometric series of its ratio, as ratios fall. */
static void weight_beyond(arb_t t, const lattice_table *x)
{
    arb_t ratio;
    arb_init(ratio);
    arb_div(ratio, &x->weight[x->last], &x->weight[x->last - 1], TABLE_PREC);
    shuf_ball_complement(t, ratio, TABLE_PREC);
    arb_div(t, ratio, t, TABLE_PREC);
    arb_mul(t, t, &x->weight[x->last], TABLE_PREC);
    arb_zero(ratio);
    arb_union(t, t, ratio, TABLE_PREC);
    if (!arb_is_finite(t))
        arb_zero_pm_inf(t);
    arb_clear(ratio);
}

/* From weights to tails. */
static void set_tails(lattice_table *x)
{
    arb_t total;
    slong k;
    arb_init(total);
    weight_beyond(&x->tail[x->last + 1], x);
    for (k = x->last; k >= 0; k--)
        arb_add(&x->tail[k], &x->tail[k + 1], &x->weight[k], TABLE_PREC);
    arb_add(total, &x->tail[0], &x->tail[x->odd ? 0 : 1], TABLE_PREC);
    for (k = 0; k <= x->last + 1; k++)
        arb_div(&x->tail[k], &x->tail[k], total, TABLE_PREC);
    arb_clear(total);
}

/* The rows of partial sums reach so much farther than those of the table. Steers only. */
#define SHARE_REACH 1.25

/* Relative bits of a row that is kept. Steers only. */
#define ROW_BITS 64

/* Rows of the sum of so many shares on either side. */
static slong rows_of_sum(const shuf_noise_struct *share, ulong count)
{
    shuf_noise_t sum;
    slong rows;
    shuf_noise_init(sum);
    shuf_noise_set(sum, share);
    fmpz_mul_ui(fmpq_numref(sum->variance), fmpq_numref(sum->variance), count);
    fmpq_canonicalise(sum->variance);
    rows = rows_of(sum);
    shuf_noise_clear(sum);
    return rows;
}

slong lattice_share_rows(const shuf_noise_struct *noise)
{
    return (slong) (SHARE_REACH * (double) rows_of_sum(noise, noise->honest));
}

/* p := the coefficients of p q from -rows to rows: those of p are from -*half to *half, and *half becomes at most rows; of q in the same way. */
static void convolve(arb_poly_t p, slong *half, const arb_poly_t q, slong half_q, slong rows)
{
    const slong both = *half + half_q, drop = FLINT_MAX(both - rows, 0);
    shuf_charge(ROW_WORK * (double) both);
    arb_poly_mul(p, p, q, TABLE_PREC);
    arb_poly_truncate(p, 2 * both + 1 - drop);
    arb_poly_shift_right(p, p, drop);
    *half = both - drop;
}

/* power := the masses of one share, or a little less, from -*half to *half. */
static void set_share(arb_poly_t power, slong *half, const shuf_noise_struct *share)
{
    lattice_table one;
    arb_t all;
    slong k;
    *half = (slong) (SHARE_REACH * (double) rows_of_sum(share, 1));
    one.last = *half;
    one.weight = _arb_vec_init(one.last + 1);
    ratios_of_gaussian(&one, share->variance);
    set_weights(&one);
    arb_init(all);
    weight_beyond(all, &one);
    for (k = 1; k <= one.last; k++)
        arb_add(all, all, &one.weight[k], TABLE_PREC);
    arb_mul_2exp_si(all, all, 1);
    arb_add(all, all, &one.weight[0], TABLE_PREC);
    for (k = -*half; k <= *half; k++)
        arb_poly_set_coeff_arb(power, k + *half, &one.weight[FLINT_ABS(k)]);
    arb_poly_scalar_div(power, power, all, TABLE_PREC);
    arb_clear(all);
    _arb_vec_clear(one.weight, one.last + 1);
}

/*
 * The weights of so many shares, by squaring: what partial sums have beyond their rows is left out, so that all masses are too small, by no more in all
 * than they lack of 1 (proofs/additive-noise.md, Theorem 6).
 */
static void weights_of_shares(lattice_table *x, const shuf_noise_struct *share)
{
    const slong least = fmpz_get_si(fmpq_numref(share->sensitivity)) + 1;
    arb_poly_t power, sum;
    slong half, half_sum = 0, k;
    ulong left, count = 1;
    arb_t lost, t;
    arb_poly_init(power); arb_poly_init(sum);
    arb_init(lost); arb_init(t);
    set_share(power, &half, share);
    arb_poly_one(sum);
    for (left = share->honest; left > 0; left /= 2, count *= 2)
    {
        if (left % 2 == 1)
            convolve(sum, &half_sum, power, half, lattice_share_rows(share));
        if (left > 1)
            convolve(power, &half, power, half, (slong) (SHARE_REACH * (double) rows_of_sum(share, 2 * count)));
    }
    arb_one(lost);
    for (k = 0; k <= 2 * half_sum; k++)
    {
        arb_poly_get_coeff_arb(t, sum, k);
        arb_sub(lost, lost, t, TABLE_PREC);
    }
    arb_zero(t);
    arb_union(lost, lost, t, TABLE_PREC);
    for (k = 0; k <= x->last; k++)
    {
        if (k <= half_sum)
            arb_poly_get_coeff_arb(&x->weight[k], sum, k + half_sum);
        arb_add(&x->weight[k], &x->weight[k], lost, TABLE_PREC);
    }
    /* the last rows have to be known for the series beyond them */
    for (; x->last > least && arb_rel_accuracy_bits(&x->weight[x->last]) < ROW_BITS; x->last--)
    {
        arb_clear(&x->weight[x->last]);
        arb_clear(&x->tail[x->last + 1]);
    }
    arb_poly_clear(power); arb_poly_clear(sum);
    arb_clear(lost); arb_clear(t);
}

slong lattice_row(const lattice_table *x, slong z)
{
    return z >= x->odd ? z - x->odd : -z;
}

int lattice_has_table(const shuf_noise_t noise)
{
    if (noise->kind != SHUF_NOISE_BINOMIAL)
        return noise->kind == SHUF_NOISE_DISCRETE_GAUSSIAN || noise->kind == SHUF_NOISE_SKELLAM;
    return noise->coins / 4 <= SHUF_NOISE_MAX_VARIANCE && fmpq_cmp_ui(noise->sensitivity, SHUF_NOISE_MAX_SHIFT) <= 0
           && rows_of(noise) + fmpz_get_si(fmpq_numref(noise->sensitivity)) < (slong) noise->coins / 2;
}

void lattice_table_init(lattice_table *x, const shuf_noise_t noise)
{
    x->odd = noise->kind == SHUF_NOISE_BINOMIAL && noise->coins % 2 == 1;
    x->last = rows_of_sum(noise, noise->honest) + fmpz_get_si(fmpq_numref(noise->sensitivity));
    x->weight = _arb_vec_init(x->last + 1);
    x->tail = _arb_vec_init(x->last + 2);
    shuf_charge(ROW_WORK * (double) x->last);
    if (noise->honest > 1)
    {
        weights_of_shares(x, noise);
    }
    else
    {
        if (noise->kind == SHUF_NOISE_BINOMIAL)
            ratios_of_coins(x, (slong) noise->coins);
        else
            (noise->kind == SHUF_NOISE_SKELLAM ? ratios_of_skellam : ratios_of_gaussian)(x, noise->variance);
        set_weights(x);
    }
    set_tails(x);
}

void lattice_table_clear(lattice_table *x)
{
    _arb_vec_clear(x->weight, x->last + 1);
    _arb_vec_clear(x->tail, x->last + 2);
}

/* Tails below 2^-REACH_BITS are left out of sums of many releases, and counted as lost. Steers only. */
#define REACH_BITS 100

slong lattice_table_reach(const lattice_table *x)
{
    slong low = 0, high = x->last;
    while (high - low > 1)
    {
        slong middle = low + (high - low) / 2;
        if (arf_cmpabs_2exp_si(arb_midref(&x->tail[middle + 1]), -REACH_BITS) < 0)
            high = middle;
        else
            low = middle;
    }
    return high;
}

typedef struct
{
    const lattice_table *x;
    slong shift, prec;
    arb_srcptr alpha;
} table_context;

static int compare_weights(const void *context, slong z)
{
    const table_context *c = context;
    arb_srcptr p = &c->x->weight[lattice_row(c->x, z)];
    arb_t t;
    int sign;
    arb_init(t);
    arb_mul(t, c->alpha, &c->x->weight[lattice_row(c->x, z - c->shift)], c->prec);
    sign = arb_le(t, p) ? 1 : arb_gt(t, p) ? -1 : 0;
    arb_clear(t);
    return sign;
}

/* v := F(z) - alpha F(z - shift), z <= shift */
static void value_at(arb_t v, const table_context *c, slong z)
{
    if (z < 0)
    {
        arb_set(v, &c->x->tail[-z]);
    }
    else
    {
        shuf_ball_complement(v, &c->x->tail[z + 1 - c->x->odd], c->prec);
    }
    arb_submul(v, c->alpha, &c->x->tail[c->shift - z], c->prec);
}

/* v := the largest value of the thresholds that may be the one. */
static void largest(arb_t v, void (*value)(arb_t v, const void *context, slong z), const void *context, slong lo, slong hi, slong prec)
{
    arb_t t;
    arb_init(t);
    if (hi - lo > MOST_THRESHOLDS)
    {
        arb_unit_interval(v);
    }
    else
    {
        for (value(v, context, lo); ++lo < hi; arb_max(v, v, t, prec))
            value(t, context, lo);
        arb_nonnegative_part(v, v);
    }
    arb_clear(t);
}

static void table_value(arb_t v, const void *context, slong z)
{
    value_at(v, context, z);
}

void lattice_table_divergence(arb_t v, const lattice_table *x, slong shift, const arb_t excess, slong prec)
{
    table_context c = { x, shift, FLINT_MIN(prec, TABLE_PREC), NULL };
    slong lo = shift - x->last, hi = (shift + x->odd) / 2 + 1;
    arb_t alpha;
    arb_init(alpha);
    arb_add_ui(alpha, excess, 1, prec);
    c.alpha = alpha;
    if (compare_weights(&c, lo) == 1)
    {
        bracket(&lo, &hi, compare_weights, &c);
        largest(v, table_value, &c, lo, hi, prec);
    }
    else
    {
        /* the threshold may be beyond the table: F(lo) is at least the value */
        arb_zero(v);
        arb_union(v, v, &x->tail[x->last - shift], prec);
    }
    arb_clear(alpha);
}

/* ---- coins ---- */

typedef struct
{
    ulong coins, shift;
    slong prec;
    arb_srcptr alpha, half;
} coins_context;

static int compare_coins(const void *context, slong z)
{
    const coins_context *c = context;
    arb_t p, q;
    int sign;
    arb_init(p);
    arb_init(q);
    shuf_binomial_pmf(p, c->coins, (ulong) z, c->half, c->half, c->prec);
    shuf_binomial_pmf(q, c->coins, (ulong) z - c->shift, c->half, c->half, c->prec);
    arb_mul(q, q, c->alpha, c->prec);
    sign = arb_le(q, p) ? 1 : arb_gt(q, p) ? -1 : 0;
    arb_clear(p);
    arb_clear(q);
    return sign;
}

/* v := F(z) - alpha F(z - shift), shift - 1 <= z <= coins */
static void coins_value(arb_t v, const void *context, slong z)
{
    const coins_context *c = context;
    arb_t t;
    arb_init(t);
    shuf_binomial_tail(v, c->coins, c->coins - (ulong) z, c->half, c->half, c->prec);
    if ((ulong) z >= c->shift)
    {
        shuf_binomial_tail(t, c->coins, c->coins - ((ulong) z - c->shift), c->half, c->half, c->prec);
        arb_submul(v, c->alpha, t, c->prec);
    }
    arb_clear(t);
}

void lattice_coins_divergence(arb_t v, uint64_t coins, uint64_t shift, const arb_t excess, slong prec)
{
    slong lo, hi;
    arb_t alpha, half;
    if (shift > coins)
    {
        arb_one(v); /* what is seen tells */
        return;
    }
    arb_init(alpha);
    arb_init(half);
    arb_add_ui(alpha, excess, 1, prec);
    arb_one(half);
    arb_mul_2exp_si(half, half, -1);
    /* below the shift one law has no mass; beyond the middle of the two it is the smaller one */
    lo = (slong) shift - 1;
    hi = (slong) (coins / 2 + shift / 2) + 2;
    {
        const coins_context c = { coins, shift, prec + (slong) FLINT_BIT_COUNT(coins), alpha, half };
        hi = FLINT_MIN(hi, (slong) coins + 1);
        bracket(&lo, &hi, compare_coins, &c);
        largest(v, coins_value, &c, lo, hi, prec);
    }
    arb_clear(alpha);
    arb_clear(half);
}
