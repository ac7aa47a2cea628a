/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/tilted.h"

#include <stdlib.h>
#include <string.h>

#include "enclosure/budget.h"
#include "enclosure/doubles.h"
#include "enclosure/elementary.h"
#include "enclosure/memory.h"
#include "enclosure/steer.h"
#include "pld/fft.h"

#define PREC 128 /* steers only */
#define WEIGHT_PREC 64 /* 64 correct bits before a weight is rounded to a double: proofs/pld.md, Lemma 5 */

/* Units of work: an entry of a transform for each level, and besides; a squaring there; an entry of a law; a sum. Steer only. */
#define LEVEL_WORK 1.6
#define ENTRY_WORK 30.0
#define SQUARING_WORK 4.0
#define MASS_WORK 300.0
#define SUM_WORK 4e5

/* Of reading a sum: a block of it. Steer only. */
#define BLOCK_WORK 1500.0
#define READING_WORK 3e4

/* Steps between two looks at the watch. Steers only. */
#define LOOK 65536

/* ---- the tilted masses ---- */

/*
 * m_f := sum of p e^{theta s} over the law, nearly; x := p e^{theta s}/m_f, rounded up or down.
 * Coq: Window.hockey_tilted.
 */
static void tilt(double *x, arb_t log_m, const grid_law_struct *law, double theta, int up)
{
    arb_t factor, ratio, sum, t;
    arf_t end;
    arb_ptr tilted = _arb_vec_init(law->length);
    slong i;

    arb_init(factor); arb_init(ratio); arb_init(sum); arb_init(t);
    arf_init(end);
    arb_set_d(ratio, theta);
    arb_mul_2exp_si(ratio, ratio, law->log2_step);
    arb_mul_si(factor, ratio, law->first, PREC);
    arb_exp(factor, factor, PREC);
    arb_exp(ratio, ratio, PREC);
    for (i = 0; i < law->length; i++)
    {
        if (!arf_is_zero(law->mass + i))
        {
            arb_mul_arf(tilted + i, factor, law->mass + i, PREC);
            arb_add(sum, sum, tilted + i, PREC);
        }
        arb_mul(factor, factor, ratio, PREC);
    }
    if (arb_is_zero(sum))
        arb_one(sum);
    arb_get_mid_arb(sum, sum);
    arb_log(log_m, sum, PREC);
    arb_inv(sum, sum, PREC);
    for (i = 0; i < law->length; i++)
    {
        x[i] = 0;
        if (arf_is_zero(law->mass + i))
            continue;
        arb_mul(t, tilted + i, sum, PREC);
        if (up)
        {
            arb_get_ubound_arf(end, t, WEIGHT_PREC);
            x[i] = arf_cmp_d(end, TILTED_SMALLEST) < 0 ? TILTED_SMALLEST : double_above(end);
        }
        else
        {
            arb_get_lbound_arf(end, t, WEIGHT_PREC);
            x[i] = arf_cmp_d(end, TILTED_SMALLEST) < 0 ? 0 : double_below(end);
        }
    }
    _arb_vec_clear(tilted, law->length);
    arb_clear(factor); arb_clear(ratio); arb_clear(sum); arb_clear(t);
    arf_clear(end);
}

/* The sum of the x, from above. */
static double sum_above(const double *x, slong length)
{
    double sum = 0;
    slong i;
    for (i = 0; i < length; i++)
        sum += x[i];
    return sum * (1 + ROUNDOFF * 1.01 * ((double) length + 2));
}

/* ---- the window ---- */

typedef struct
{
    const grid_factor *factors;
    double *const *x;
    size_t count;
} tilted_factors;

/* log of E e^{t Y}, Y the sum in steps from its smallest value; upper bound. */
static void log_mgf(arb_t log_sum, const tilted_factors *f, double t)
{
    arb_t ratio, power, sum, term;
    size_t k;
    slong i;
    arb_init(ratio); arb_init(power); arb_init(sum); arb_init(term);
    arb_zero(log_sum);
    for (k = 0; k < f->count; k++)
    {
        const grid_law_struct *law = f->factors[k].law;
        arb_set_d(ratio, t);
        arb_exp(ratio, ratio, PREC);
        arb_one(power);
        arb_zero(sum);
        for (i = 0; i < law->length; i++)
        {
            if (f->x[k][i] > 0)
            {
                arb_set_d(term, f->x[k][i]);
                arb_addmul(sum, term, power, PREC);
            }
            arb_mul(power, power, ratio, PREC);
        }
        arb_log(term, sum, PREC);
        arb_mul_ui(term, term, f->factors[k].power, PREC);
        arb_add(log_sum, log_sum, term, PREC);
    }
    arb_clear(ratio); arb_clear(power); arb_clear(sum); arb_clear(term);
}

/*
 * Adds to `outside` a bound of Pr[Y >= b] (t > 0) or Pr[Y <= b] (t < 0):
 * e^{log mgf(t) - t b}, and at most the total mass.
 * Coq: Window.chernoff_above.
 */
static void add_tail(arb_t outside, const tilted_factors *f, double t, const fmpz_t b, const arb_t total)
{
    arb_t bound, u;
    arb_init(bound);
    arb_init(u);
    log_mgf(bound, f, t);
    arb_set_d(u, -t);
    arb_mul_fmpz(u, u, b, PREC);
    arb_add(bound, bound, u, PREC);
    arb_exp(bound, bound, PREC);
    arb_add(outside, outside, arb_lt(bound, total) ? bound : total, PREC);
    arb_clear(bound);
    arb_clear(u);
}

#define LEAST_POWER 1e-300 /* what is smaller is slow and adds nothing: steers only */

/* log_mgf, roughly, in doubles. */
static double estimate_log_mgf(const tilted_factors *f, double t)
{
    double log_sum = 0, ratio = d_exp(-fabs(t));
    size_t k;
    for (k = 0; k < f->count; k++)
    {
        const double *x = f->x[k];
        slong last = f->factors[k].law->length - 1, step = t > 0 ? -1 : 1, i = t > 0 ? last : 0, from;
        double sum = 0, power = 1;
        /* from the mass that weighs most */
        while (i >= 0 && i <= last && x[i] <= 0)
            i += step;
        for (from = i; i >= 0 && i <= last && power > LEAST_POWER; i += step, power *= ratio)
            sum += power * x[i];
        log_sum += (double) f->factors[k].power * (d_log(sum) + t * (double) from);
    }
    return log_sum;
}

/* Steer only. */
#define CHERNOFF_STEPS 18 /* to a hundredth */
#define LEAST_T 1e-12
#define LARGEST_T 50.0

/* The t of the given sign at which log mgf(t) - t b is about smallest; it is convex. By a golden section of log t. */
static double best_t(const tilted_factors *f, int sign, double b)
{
    double low = d_log(LEAST_T), high = d_log(LARGEST_T), at[2], value[2];
    int i, j;
    for (j = 0; j < 2; j++)
    {
        at[j] = j == 0 ? high - STEER_GOLDEN * (high - low) : low + STEER_GOLDEN * (high - low);
        value[j] = estimate_log_mgf(f, sign * d_exp(at[j])) - sign * d_exp(at[j]) * b;
    }
    for (i = 0; i < CHERNOFF_STEPS; i++)
    {
        /* the half with the smaller value stays, and one of its points is new */
        j = value[0] < value[1] ? 0 : 1;
        if (j == 0)
            high = at[1];
        else
            low = at[0];
        at[1 - j] = at[j];
        value[1 - j] = value[j];
        at[j] = j == 0 ? high - STEER_GOLDEN * (high - low) : low + STEER_GOLDEN * (high - low);
        value[j] = estimate_log_mgf(f, sign * d_exp(at[j])) - sign * d_exp(at[j]) * b;
    }
    return sign * d_exp((low + high) / 2);
}

/* Mean of the sum, in steps from its smallest value; an estimate. */
static double mean_of(const tilted_factors *f)
{
    double mean = 0;
    size_t k;
    slong i;
    for (k = 0; k < f->count; k++)
    {
        double m0 = 0, m1 = 0;
        for (i = 0; i < f->factors[k].law->length; i++)
        {
            m0 += f->x[k][i];
            m1 += f->x[k][i] * (double) i;
        }
        if (m0 > 0)
            mean += (double) f->factors[k].power * m1 / m0;
    }
    return mean;
}

/* Where the window of the given length starts, and the mass outside it. */
static void set_window(tilted_sum_t s, const tilted_factors *f)
{
    fmpz_t t;
    size_t k;

    fmpz_init(t);
    for (k = 0; k < f->count; k++)
    {
        fmpz_set_ui(t, f->factors[k].power);
        fmpz_mul_si(t, t, f->factors[k].law->length - 1);
        fmpz_add(s->largest, s->largest, t);
    }
    if (fmpz_cmp_ui(s->largest, s->length) >= 0)
    {
        double start = floor(mean_of(f) - (double) s->length / 2);
        fmpz_set_d(s->window, fmax(start, 0));
        /* Pr[Y < window] and Pr[Y >= window + length] */
        if (start > 0)
        {
            fmpz_sub_ui(t, s->window, 1);
            add_tail(s->outside, f, best_t(f, -1, start - 1), t, s->total);
        }
        fmpz_add_ui(t, s->window, s->length);
        if (fmpz_cmp(t, s->largest) <= 0)
            add_tail(s->outside, f, best_t(f, 1, fmpz_get_d(t)), t, s->total);
    }
    fmpz_clear(t);
}

/* ---- the power in the frequency domain ---- */

/* Complex b := b a, relative error below 2.3 roundoffs. */
static inline void multiply(double *b, const double *a)
{
    double re = b[0] * a[0] - b[1] * a[1];
    b[1] = b[0] * a[1] + b[1] * a[0];
    b[0] = re;
}

/*
 * z := z a^power and bound := bound above^power, where |a| <= above; below
 * 3 power roundoffs each, unless it underflows.
 */
static void multiply_power(double z[2], double *bound, const double a[2], double above, uint64_t power)
{
    double square[2] = { a[0], a[1] };
    for (;;)
    {
        if (power & 1)
        {
            multiply(z, square);
            *bound *= above;
        }
        power >>= 1;
        if (power == 0)
            break;
        multiply(square, square);
        above *= above;
    }
}

/* Of one factor in a transform of length n. */
static double factor_work(size_t n, const grid_factor *factor)
{
    return (double) n * (LEVEL_WORK * (double) FLINT_BIT_COUNT(n) + SQUARING_WORK * (double) FLINT_BIT_COUNT(factor->power) + 6);
}

/*
 * y := the product of the transforms to their powers, transformed back;
 * returns a bound of the error of every entry, or -1 when there is no memory
 * or the thread's watch stops it. Uses `spectrum` (2 length) for
 * one transform at a time and y (2 length) for the product.
 */
static double convolve(double *y, double *spectrum, const tilted_factors *f, const fft_plan_t plan)
{
    int stopped = 0;
    size_t n = plan->length, k, j;
    double relative = fft_error(n), error_sum = 0, mass_sum = 0;
    double *bound = memory_claim((n / 2 + 1) * sizeof(double)), *share = memory_claim((n / 2 + 1) * sizeof(double));
    double powers = 0, peak;

    if (bound == NULL || share == NULL)
    {
        free(bound);
        free(share);
        return -1;
    }
    for (j = 0; j <= n / 2; j++)
    {
        y[2 * j] = 1;
        y[2 * j + 1] = 0;
        bound[j] = 1;
        share[j] = 0;
    }
    /* a transform and a pass may last half a second each, and charge their work afterwards: the watch is looked at in between */
    for (k = 0; k < f->count && !(stopped = shuf_progress("")); k++)
    {
        slong i, length = f->factors[k].law->length;
        uint64_t power = f->factors[k].power;
        double e = relative * sum_above(f->x[k], length) + (double) n * 0x1p-1000;
        memset(spectrum, 0, 2 * n * sizeof(double));
        for (i = 0; i < length; i++)
            spectrum[2 * i] = f->x[k][i];
        fft_forward(spectrum, plan);
        for (j = 0; j <= n / 2 && !stopped; j++)
        {
            const double *a = spectrum + 2 * j;
            double above = (sqrt(a[0] * a[0] + a[1] * a[1]) + e) * (1 + 8 * ROUNDOFF);
            multiply_power(y + 2 * j, bound + j, a, above, power);
            share[j] += (double) power * e / above;
            stopped = j % LOOK == 0 && shuf_progress("");
        }
        powers += (double) power;
        shuf_charge(factor_work(n, &f->factors[k]));
    }
    if (stopped || shuf_progress(""))
    {
        free(bound);
        free(share);
        return -1;
    }
    /*
     * |product - exact| <= bound (sum of power e/above + 3 powers roundoffs), and never more than twice
     * the bound, all up to a factor for the rounding of the bounds themselves
     */
    for (j = 0; j <= n / 2; j++)
    {
        double error = share[j] + 3 * powers * ROUNDOFF, times = j == 0 || j == n / 2 ? 1 : 2;
        error_sum += times * bound[j] * fmin(error, 2);
        mass_sum += times * bound[j];
        if (j > 0 && j < n / 2)
        {
            y[2 * (n - j)] = y[2 * j];
            y[2 * (n - j) + 1] = -y[2 * j + 1];
        }
    }
    free(bound);
    free(share);
    fft_inverse(y, plan);
    for (j = 0; j < n; j++)
        y[j] = y[2 * j] / (double) n;
    peak = (error_sum + relative * mass_sum) / (double) n;
    return peak * (1 + 8 * powers * ROUNDOFF) * 1.001 + 0x1p-900;
}

/* ---- public within the module ---- */

int tilted_sum_init(tilted_sum_t s, const grid_factor *factors, size_t count, double theta, int log2_length, int up)
{
    double **x = flint_calloc(count, sizeof(*x));
    double *spectrum;
    tilted_factors f = { factors, x, count };
    fft_plan_t plan;
    fmpz_t shift;
    arb_t t;
    size_t k;
    int failed = 0;

    for (k = 0; k < count; k++)
        failed = failed || factors[k].law->length > (slong) 1 << log2_length;
    if (failed)
    {
        flint_free(x);
        return -1;
    }
    s->length = (size_t) 1 << log2_length;
    s->y = memory_claim(2 * s->length * sizeof(double));
    spectrum = memory_claim(2 * s->length * sizeof(double));
    if (s->y == NULL || spectrum == NULL || shuf_progress("") || fft_plan_init(plan, log2_length) != 0)
    {
        free(s->y);
        free(spectrum);
        flint_free(x);
        return -1;
    }
    s->log2_step = factors[0].law->log2_step;
    s->theta = theta;
    fmpz_init(s->origin); fmpz_init(s->largest); fmpz_init(s->window);
    arb_init(s->log_scale); arb_init(s->total); arb_init(s->outside);
    fmpz_init(shift);
    arb_init(t);
    arb_one(s->total);
    shuf_charge(SUM_WORK + (double) s->length * (ENTRY_WORK + LEVEL_WORK * (double) log2_length));
    for (k = 0; k < count; k++)
    {
        const grid_law_struct *law = factors[k].law;
        shuf_charge(MASS_WORK * (double) law->length);
        x[k] = flint_malloc((size_t) law->length * sizeof(double));
        tilt(x[k], t, law, theta, up);
        arb_mul_ui(t, t, factors[k].power, PREC);
        arb_add(s->log_scale, s->log_scale, t, PREC);
        arb_set_d(t, sum_above(x[k], law->length));
        arb_pow_ui(t, t, factors[k].power, PREC);
        arb_mul(s->total, s->total, t, PREC);
        fmpz_set_ui(shift, factors[k].power);
        fmpz_mul_si(shift, shift, law->first);
        fmpz_add(s->origin, s->origin, shift);
    }
    set_window(s, &f);
    s->y_error = convolve(s->y, spectrum, &f, plan);
    failed = s->y_error < 0;

    for (k = 0; k < count; k++)
        flint_free(x[k]);
    flint_free(x);
    free(spectrum);
    fft_plan_clear(plan);
    fmpz_clear(shift);
    arb_clear(t);
    if (failed)
        tilted_sum_clear(s);
    return failed ? -1 : 0;
}

void tilted_sum_clear(tilted_sum_t s)
{
    free(s->y);
    fmpz_clear(s->origin); fmpz_clear(s->largest); fmpz_clear(s->window);
    arb_clear(s->log_scale); arb_clear(s->total); arb_clear(s->outside);
}

/* ---- reading ---- */

#define BLOCK 64 /* weights that are added up first: Lemma 5 */

/* The roundings of one weight, and of its product with an entry (proofs/pld.md, Lemma 5). */
#define WEIGHT_ROUNDINGS 10.0

/* A loss - eps near 0 has no correct digit; what that may cost, in tilted units (Lemma 5). */
#define DISTANCE_PREC 320
#define DISTANCE_ERROR 0x1p-150

/* In tilted units: sum of y w over the window from the threshold on, w = theta d e^{-theta d} at the distance d >= 0, and what it may lack. */
typedef struct
{
    double sum, absolute, weights; /* of y w, |y| w, w */
    double left; /* the weight of everything not reached */
    double blocks;
} window_sum;

/* The nearest double; a tiny one becomes 0. */
static double nearest(const arb_t x)
{
    return arf_cmpabs_2exp_si(arb_midref(x), -1000) < 0 ? 0 : arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

/* Nearest double of e^-x. */
static double exponential(const arb_t x)
{
    arb_t t;
    double d;
    arb_init(t);
    arb_neg(t, x);
    arb_exp(t, t, WEIGHT_PREC + 32);
    d = nearest(t);
    arb_clear(t);
    return d;
}

/* From index j on (of the whole sum, in the window), loss - threshold = distance there. */
static void sum_window(window_sum *r, const tilted_sum_t s, const fmpz_t from, const arb_t threshold)
{
    double u[BLOCK], v[BLOCK];
    fmpz_t j, end;
    arb_t distance, t;
    slong i;
    size_t at;

    fmpz_init(j); fmpz_init(end);
    arb_init(distance); arb_init(t);
    memset(r, 0, sizeof(*r));
    for (i = 0; i < BLOCK; i++)
    {
        arb_set_si(distance, i);
        arb_mul_2exp_si(distance, distance, s->log2_step);
        arb_set_d(t, s->theta);
        arb_mul(t, t, distance, PREC);
        u[i] = exponential(t);
        v[i] = nearest(t);
    }
    fmpz_add_ui(end, s->window, s->length);
    for (fmpz_set(j, from); fmpz_cmp(j, end) < 0; fmpz_add_ui(j, j, BLOCK))
    {
        double u0, v0, sum = 0, absolute = 0, weights = 0;
        slong size = BLOCK;
        fmpz_t left;
        fmpz_init(left);
        fmpz_sub(left, end, j);
        if (fmpz_cmp_si(left, BLOCK) < 0)
            size = fmpz_get_si(left);
        fmpz_clear(left);

        arb_set_fmpz(distance, s->origin);
        arb_add_fmpz(distance, distance, j, DISTANCE_PREC);
        arb_mul_2exp_si(distance, distance, s->log2_step);
        arb_sub(distance, distance, threshold, DISTANCE_PREC);
        arb_set_d(t, s->theta);
        arb_mul(t, t, distance, PREC);
        u0 = exponential(t);
        v0 = nearest(t);
        /* what is left weighs at most u0 max(v0, 1) times the whole mass */
        if (u0 < TILTED_SMALLEST || u0 * fmax(v0, 1) < 1e-20 * fabs(r->sum))
        {
            r->left = 1.01 * u0 * fmax(v0, 1) + 2 * TILTED_SMALLEST;
            break;
        }
        at = (size_t) fmpz_fdiv_ui(j, s->length);
        for (i = 0; i < size; i++)
        {
            double w = u0 * u[i] * (v0 + v[i]), y = s->y[at];
            sum += y * w;
            absolute += fabs(y) * w;
            weights += w;
            at = at + 1 == s->length ? 0 : at + 1;
        }
        r->sum += sum;
        r->absolute += absolute;
        r->weights += weights;
        r->blocks += 1;
    }
    shuf_charge(READING_WORK + BLOCK_WORK * r->blocks);
    fmpz_clear(j); fmpz_clear(end);
    arb_clear(distance); arb_clear(t);
}

/*
 * rounding: the entries, the weights, the summation; aliasing: weights are
 * at most 1/e
 */
static void window_errors(arb_t rounding, arb_t aliasing, const tilted_sum_t s, const window_sum *w)
{
    arb_t t;
    arb_init(t);
    arb_set_d(rounding, (s->y_error * w->weights + (WEIGHT_ROUNDINGS + BLOCK + w->blocks) * ROUNDOFF * w->absolute) * (1 + 1e-6)
                        + DISTANCE_ERROR);
    arb_const_e(aliasing, PREC);
    arb_div(aliasing, s->outside, aliasing, PREC);
    arb_set_d(t, w->left);
    arb_addmul(aliasing, t, s->total, PREC);
    arb_clear(t);
}

/* The upper or the lower end of the value and both errors; infinite or 0 where it is no number. */
static void take_end(arf_t bound, const arb_t value, const arb_t rounding, const arb_t aliasing, int up)
{
    arb_t x;
    arb_init(x);
    if (up)
    {
        arb_add(x, value, rounding, PREC);
        arb_add(x, x, aliasing, PREC);
        arb_get_ubound_arf(bound, x, PREC);
        if (!arf_is_finite(bound))
            arf_pos_inf(bound);
    }
    else
    {
        arb_sub(x, value, rounding, PREC);
        arb_sub(x, x, aliasing, PREC);
        arb_get_lbound_arf(bound, x, PREC);
        if (!arf_is_finite(bound) || arf_sgn(bound) < 0)
            arf_zero(bound);
    }
    arb_clear(x);
}

/*
 * A bound from above (up) or below of the weighted sum from the index `first`
 * >= 0 of the whole sum on, the first one at or above the threshold.
 */
static void read_sum(arf_t bound, convolution_errors *errors, const tilted_sum_t s, const fmpz_t first, const arb_t threshold,
                     int up)
{
    window_sum w;
    fmpz_t from;
    int reached = fmpz_cmp(first, s->largest) <= 0;
    arb_t scale, value, rounding, aliasing, t;

    fmpz_init(from);
    arb_init(scale); arb_init(value); arb_init(rounding); arb_init(aliasing); arb_init(t);
    fmpz_set(from, fmpz_cmp(first, s->window) < 0 ? s->window : first);
    sum_window(&w, s, from, threshold);

    window_errors(rounding, aliasing, s, &w);
    if (!reached)
    {
        /* no finite loss reaches the threshold */
        w.sum = 0;
        arb_zero(rounding);
        arb_zero(aliasing);
    }

    /* scale = e^{log_scale - theta threshold}/theta */
    arb_set_d(t, s->theta);
    arb_mul(scale, threshold, t, PREC);
    arb_sub(scale, s->log_scale, scale, PREC);
    arb_exp(scale, scale, PREC);
    arb_div(scale, scale, t, PREC);
    arb_mul(rounding, rounding, scale, PREC);
    arb_mul(aliasing, aliasing, scale, PREC);
    arb_set_d(value, w.sum);
    arb_mul(value, value, scale, PREC);
    take_end(bound, value, rounding, aliasing, up);
    /* each was added or subtracted once, and may have gone the other way */
    arb_mul_2exp_si(rounding, rounding, 1);
    arb_mul_2exp_si(aliasing, aliasing, 1);
    arb_get_mag(errors->rounding, rounding);
    arb_get_mag(errors->aliasing, aliasing);
    fmpz_clear(from);
    arb_clear(scale); arb_clear(value); arb_clear(rounding); arb_clear(aliasing); arb_clear(t);
}

void tilted_sum_excess(arf_t bound, convolution_errors *errors, const tilted_sum_t s, const arf_t K, int up)
{
    fmpz_t first;
    arb_t threshold;
    arf_t steps;
    fmpz_init(first); arb_init(threshold); arf_init(steps);
    arf_mul_2exp_si(steps, K, -s->log2_step);
    arf_get_fmpz(first, steps, ARF_RND_CEIL);
    fmpz_sub(first, first, s->origin);
    if (fmpz_sgn(first) < 0)
        fmpz_zero(first);
    arb_set_arf(threshold, K);
    read_sum(bound, errors, s, first, threshold, up);
    fmpz_clear(first); arb_clear(threshold); arf_clear(steps);
}
