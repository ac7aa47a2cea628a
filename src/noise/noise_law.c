/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "noise/noise_law.h"

#include <math.h>
#include <pthread.h>

#include "batch/batch_law.h"
#include "binomial/binomial.h"
#include "law/closed_law.h"
#include "noise/lattice_sum.h"
#include "noise/unit_change.h"

/* The sum of so many releases, kept for the next point. */
typedef struct
{
    pthread_mutex_t lock;
    uint64_t rounds; /* 0: none yet */
    lattice_sum sum;
} sums_struct;

typedef struct
{
    shuf_noise_t noise;
    fmpq_t rate;
    lattice_table *table; /* or NULL */
    slong width;          /* so many outcomes of it are told as one */
    sums_struct sums;
} noise_struct;

/* The divergence of the whole release. */
static void laplace(arb_t v, const void *base, const arb_t excess, slong prec)
{
    const noise_struct *x = base;
    arb_t loss;
    arb_init(loss);
    shuf_real_get_arb(loss, x->noise->loss, prec);
    arb_log1p(v, excess, prec);
    arb_sub(v, v, loss, prec);
    arb_mul_2exp_si(v, v, -1);
    arb_expm1(v, v, prec);
    arb_neg(v, v);
    arb_nonnegative_part(v, v);
    arb_clear(loss);
}

/* m := the mass of the largest loss of staircase noise, and q (Theorem 7). */
static void staircase_mass(arb_t m, arb_t q, const noise_struct *x, slong prec)
{
    arb_t g, h, t;
    arb_init(g);
    arb_init(h);
    arb_init(t);
    shuf_real_get_arb(q, x->noise->loss, prec);
    shuf_ball_exp_minus(q, q, prec);
    arb_set_fmpq(g, x->noise->gamma, prec);
    /* g + q (1 - g) */
    arb_sub_ui(t, g, 1, prec);
    arb_mul(t, t, q, prec);
    arb_sub(t, g, t, prec);
    arb_set_d(m, 0.5);
    arb_min(h, g, m, prec);
    arb_sub(m, m, h, prec);
    arb_mul(m, m, q, prec);
    arb_add(m, m, h, prec);
    arb_div(m, m, t, prec);
    arb_clear(g);
    arb_clear(h);
    arb_clear(t);
}

/* The divergence of the whole release: m (1 - alpha q). */
static void staircase(arb_t v, const void *base, const arb_t excess, slong prec)
{
    const noise_struct *x = base;
    arb_t m, t;
    arb_init(m);
    arb_init(t);
    staircase_mass(m, t, x, prec);
    shuf_real_get_arb(t, x->noise->loss, prec);
    arb_log1p(v, excess, prec);
    arb_sub(v, v, t, prec);
    arb_expm1(v, v, prec);
    arb_neg(v, v);
    arb_nonnegative_part(v, v);
    arb_mul(v, v, m, prec);
    arb_clear(m);
    arb_clear(t);
}

/* More places for the threshold are left to a higher precision. Steers only. */
#define MOST_PLACES 2

/*
 * v := the largest of 0 and 1 - (q^(k+1) + alpha q^(s-k))/(1+q) over the k that may be the threshold, floor of s (loss - eps)/(2 loss), q = e^-step:
 * the formula is right for k >= -1, and the threshold has the largest value of all.
 */
static void discrete_laplace_at(arb_t v, const fmpz_t first, const fmpz_t last, const fmpz_t s, const arb_t step, const arb_t excess, slong prec)
{
    arb_t q, t, u;
    fmpz_t k, m;
    arb_init(q); arb_init(t); arb_init(u);
    fmpz_init(m);
    fmpz_init_set(k, first);
    shuf_ball_exp_minus(q, step, prec);
    arb_add_ui(q, q, 1, prec);
    for (arb_zero(v); fmpz_cmp(k, last) <= 0; fmpz_add_ui(k, k, 1))
    {
        fmpz_add_ui(m, k, 1);
        arb_mul_fmpz(t, step, m, prec);
        shuf_ball_exp_minus(t, t, prec);
        fmpz_sub(m, s, k);
        arb_mul_fmpz(u, step, m, prec);
        shuf_ball_exp_minus(u, u, prec);
        arb_add(t, t, u, prec);
        arb_addmul(t, u, excess, prec);
        arb_div(t, t, q, prec);
        shuf_ball_complement(t, t, prec);
        arb_max(v, v, t, prec);
    }
    arb_clear(q); arb_clear(t); arb_clear(u);
    fmpz_clear(k);
    fmpz_clear(m);
}

static void discrete_laplace(arb_t v, const void *base, const arb_t excess, slong prec)
{
    const noise_struct *x = base;
    const fmpz *s = fmpq_numref(x->noise->sensitivity);
    arb_t step, place;
    arf_t end;
    fmpz_t first, last, room;
    arb_init(step); arb_init(place); arf_init(end);
    fmpz_init(first); fmpz_init(last); fmpz_init(room);
    shuf_real_get_arb(step, x->noise->loss, prec);
    arb_log1p(place, excess, prec);
    arb_sub(place, step, place, prec);
    arb_div_fmpz(step, step, s, prec);
    arb_div(place, place, step, prec);
    arb_mul_2exp_si(place, place, -1);
    if (!arb_is_finite(place))
    {
        arb_unit_interval(v);
    }
    else
    {
        arb_get_lbound_arf(end, place, prec);
        arf_get_fmpz(first, end, ARF_RND_FLOOR);
        arb_get_ubound_arf(end, place, prec);
        arf_get_fmpz(last, end, ARF_RND_FLOOR);
        if (fmpz_cmp_si(first, -1) < 0)
            fmpz_set_si(first, -1);
        fmpz_sub(room, last, first);
        if (fmpz_cmp_si(room, MOST_PLACES) >= 0)
            arb_unit_interval(v);
        else
            discrete_laplace_at(v, first, last, s, step, excess, prec);
    }
    arb_clear(step); arb_clear(place); arf_clear(end);
    fmpz_clear(first); fmpz_clear(last); fmpz_clear(room);
}

static void of_table(arb_t v, const void *base, const arb_t excess, slong prec)
{
    const noise_struct *x = base;
    lattice_table_divergence(v, x->table, fmpz_get_si(fmpq_numref(x->noise->sensitivity)), excess, prec);
}

static void of_coins(arb_t v, const void *base, const arb_t excess, slong prec)
{
    const noise_struct *x = base;
    if (x->table != NULL)
        of_table(v, base, excess, prec);
    else
        lattice_coins_divergence(v, x->noise->coins, fmpz_get_ui(fmpq_numref(x->noise->sensitivity)), excess, prec);
}

/* GAUSSIAN is a law of batches. */
static const shuf_closed_base base_of[SHUF_NOISE_KINDS + 1] = {
    [SHUF_NOISE_LAPLACE] = laplace, [SHUF_NOISE_STAIRCASE] = staircase, [SHUF_NOISE_DISCRETE_GAUSSIAN] = of_table, [SHUF_NOISE_DISCRETE_LAPLACE] = discrete_laplace,
    [SHUF_NOISE_SKELLAM] = of_table, [SHUF_NOISE_BINOMIAL] = of_coins
};

static void value(arb_t v, const shuf_law_struct *self, shuf_direction direction, const arb_t excess, slong prec)
{
    const noise_struct *x = self->data;
    shuf_closed_thinned(v, base_of[x->noise->kind], x, x->rate, direction, excess, prec);
}

static int largest_loss(shuf_real_t loss, const shuf_law_struct *self)
{
    const noise_struct *x = self->data;
    shuf_real_t lower;
    if (fmpq_is_one(x->rate))
    {
        shuf_real_set(loss, x->noise->loss);
        return 1;
    }
    shuf_real_init(lower);
    shuf_sampled_loss(lower, loss, x->noise->loss, x->rate);
    shuf_real_clear(lower);
    return 1;
}

/* So many coins and the shift can come out as coins alone cannot; which of the two is in a sample is not seen in what they have in common. */
static void infinite_mass(arf_t infinite, const shuf_law_struct *self, shuf_direction direction)
{
    const noise_struct *x = self->data;
    const slong prec = 64;
    arb_t v, half;
    arf_zero(infinite);
    if (direction == SHUF_DIRECTION_QP && !fmpq_is_one(x->rate))
        return;
    arb_init(v);
    arb_init(half);
    arb_set_d(half, 0.5);
    if (fmpz_cmp_ui(fmpq_numref(x->noise->sensitivity), x->noise->coins) > 0)
        arb_one(v);
    else
        shuf_binomial_tail(v, x->noise->coins, x->noise->coins + 1 - fmpz_get_ui(fmpq_numref(x->noise->sensitivity)), half, half, prec);
    shuf_ball_mul_fmpq(v, v, x->rate, prec);
    shuf_ball_least(infinite, v, prec);
    arb_clear(v);
    arb_clear(half);
}

/* m := the mass of loss (s - 2k) step, 0 <= k <= s, where the noise is not shifted (Theorem 3). */
static void class_mass(arb_t m, ulong k, ulong s, const arb_t step, slong prec)
{
    arb_t q;
    arb_init(q);
    shuf_ball_exp_minus(q, step, prec);
    arb_mul_ui(m, step, k, prec);
    shuf_ball_exp_minus(m, m, prec);
    arb_add_ui(q, q, 1, prec);
    arb_div(m, m, q, prec);
    if (k > 0 && k < s)
    {
        /* 1 - q of it */
        arb_sub_ui(q, q, 2, prec);
        arb_neg(q, q);
        arb_mul(m, m, q, prec);
    }
    arb_clear(q);
}

/* p := rate p + (1 - rate) q. Coq: Noise.additive_noise_poisson. */
static void thin(arb_t p, const arb_t q, const fmpq_t rate, slong prec)
{
    arb_sub(p, p, q, prec);
    shuf_ball_mul_fmpq(p, p, rate, prec);
    arb_add(p, p, q, prec);
}

/* Discrete Laplace noise has s + 1 likelihood ratios, 1 among them if s is even. */
static slong outcomes(arb_ptr p, arb_ptr q, const shuf_law_struct *self, slong most, slong prec)
{
    const noise_struct *x = self->data;
    const fmpz *sensitivity = fmpq_numref(x->noise->sensitivity);
    arb_t step;
    slong count = 0;
    ulong k, s;
    if (fmpz_cmp_si(sensitivity, most - 2) > 0)
        return 0;
    s = fmpz_get_ui(sensitivity);
    if (p == NULL)
        return (slong) s + 2;
    arb_init(step);
    shuf_real_get_arb(step, x->noise->loss, prec);
    arb_div_ui(step, step, s, prec);
    for (k = 0; k <= s; k++)
    {
        if (2 * k == s)
            continue;
        class_mass(&p[count], k, s, step, prec);
        class_mass(&q[count], s - k, s, step, prec);
        thin(&p[count], &q[count], x->rate, prec);
        count++;
    }
    if (s % 2 == 0)
        class_mass(&p[count], s / 2, s, step, prec);
    else
        arb_zero(&p[count]);
    arb_set(&q[count], &p[count]);
    arb_clear(step);
    return count + 1;
}

/* Staircase noise has three: e^loss, e^-loss, and 1. */
static slong outcomes_of_staircase(arb_ptr p, arb_ptr q, const shuf_law_struct *self, slong most, slong prec)
{
    const noise_struct *x = self->data;
    arb_t m, t;
    if (most < 3 || p == NULL)
        return most < 3 ? 0 : 3;
    arb_init(m);
    arb_init(t);
    staircase_mass(m, t, x, prec);
    arb_mul(t, t, m, prec);
    arb_set(&p[0], m);
    arb_set(&q[0], t);
    arb_set(&p[1], t);
    arb_set(&q[1], m);
    arb_add(&p[2], m, t, prec);
    shuf_ball_complement(&p[2], &p[2], prec);
    arb_nonnegative_part(&p[2], &p[2]);
    arb_set(&q[2], &p[2]);
    thin(&p[0], &q[0], x->rate, prec);
    thin(&p[1], &q[1], x->rate, prec);
    arb_clear(m);
    arb_clear(t);
    return 3;
}

/* ---- Renyi divergences ---- */

/* Laplace noise of largest loss x: (a e^((a-1) x) + (a-1) e^(-a x))/(2a-1) is the moment; of order 1 the mean loss is x + e^-x - 1. */
static void laplace_renyi(arb_t v, const arb_t loss, const arb_t order, int is_one, slong prec)
{
    arb_t less, t;
    arb_init(less);
    arb_init(t);
    arb_sub_ui(less, order, 1, prec);
    if (is_one)
    {
        arb_neg(t, loss);
        arb_expm1(t, t, prec);
        arb_add(v, loss, t, prec);
    }
    else
    {
        /* over e^((a-1) x), so that nothing overflows */
        arb_add(t, order, less, prec);
        arb_mul(v, t, loss, prec);
        shuf_ball_exp_minus(v, v, prec);
        arb_mul(v, v, less, prec);
        arb_add(v, v, order, prec);
        arb_div(v, v, t, prec);
        arb_log(v, v, prec);
        arb_div(v, v, less, prec);
        arb_add(v, v, loss, prec);
    }
    arb_clear(less);
    arb_clear(t);
}

/*
 * Discrete Laplace noise, s steps a of the loss x = s a: the moment over e^((order-1) x) is (1 + q^s e^(-2 (order-1) x) + (1-q) (f - f^s)/(1-f))/(1+q),
 * f = e^(-(2 order - 1) a), and the mean loss a (s (1 - q^s) + sum over 0 < k < s of (s - 2k) (1-q) q^k)/(1+q) = a (s - 2 q (1 - q^s)/(1 - q^2)).
 */
static void discrete_laplace_renyi(arb_t v, const noise_struct *x, const arb_t order, int is_one, slong prec)
{
    const fmpz *s = fmpq_numref(x->noise->sensitivity);
    arb_t loss, step, q, f, t, less;
    arb_init(loss); arb_init(step); arb_init(q); arb_init(f); arb_init(t); arb_init(less);
    shuf_real_get_arb(loss, x->noise->loss, prec);
    arb_div_fmpz(step, loss, s, prec);
    shuf_ball_exp_minus(q, step, prec);
    arb_sub_ui(less, order, 1, prec);
    if (is_one)
    {
        arb_neg(t, loss);
        arb_expm1(t, t, prec);
        arb_mul(t, t, q, prec);
        arb_mul_2exp_si(t, t, 1);
        arb_mul(f, q, q, prec);
        arb_sub_ui(f, f, 1, prec);
        arb_div(t, t, f, prec);
        arb_set_fmpz(v, s);
        arb_sub(v, v, t, prec);
        arb_mul(v, v, step, prec);
    }
    else
    {
        arb_add(t, order, less, prec);
        arb_mul(f, t, step, prec);
        arb_neg(f, f);
        arb_mul_fmpz(v, f, s, prec);
        arb_exp(v, v, prec); /* f^s = q^s e^(-2 (order-1) x), which is the second term, too */
        arb_exp(f, f, prec);
        arb_sub(t, f, v, prec);
        shuf_ball_complement(f, f, prec);
        arb_div(t, t, f, prec);
        arb_sub_ui(f, q, 1, prec);
        arb_submul(v, t, f, prec);
        arb_add_ui(v, v, 1, prec);
        arb_add_ui(t, q, 1, prec);
        arb_div(v, v, t, prec);
        arb_log(v, v, prec);
        arb_div(v, v, less, prec);
        arb_add(v, v, loss, prec);
    }
    arb_clear(loss); arb_clear(step); arb_clear(q); arb_clear(f); arb_clear(t); arb_clear(less);
}

/*
 * Staircase noise of largest loss x: the moment over e^((order-1) x) is m + (1 - m (1+q)) f + m q f^2, f = e^-((order-1) x), and the mean loss m (1 - q) x.
 */
static void staircase_renyi(arb_t v, const noise_struct *x, const arb_t order, int is_one, slong prec)
{
    arb_t m, q, f, t, less;
    arb_init(m); arb_init(q); arb_init(f); arb_init(t); arb_init(less);
    staircase_mass(m, q, x, prec);
    shuf_real_get_arb(v, x->noise->loss, prec);
    arb_sub_ui(less, order, 1, prec);
    arb_mul(f, less, v, prec);
    shuf_ball_exp_minus(f, f, prec);
    if (is_one)
    {
        shuf_ball_complement(t, q, prec);
        arb_mul(t, t, m, prec);
        arb_mul(v, v, t, prec);
    }
    else
    {
        arb_mul(q, q, m, prec);
        arb_add(t, m, q, prec);
        shuf_ball_complement(t, t, prec);
        arb_addmul(t, q, f, prec);
        arb_mul(t, t, f, prec);
        arb_add(t, t, m, prec);
        arb_log(t, t, prec);
        arb_div(t, t, less, prec);
        arb_add(v, v, t, prec);
    }
    arb_clear(m); arb_clear(q); arb_clear(f); arb_clear(t); arb_clear(less);
}

/*
 * v := t(y)/t(0), t(y) = sum over whole k of e^(-(k+y)^2/(2 variance)), by its Fourier series, 1 + 2 sum over m >= 1 of q^(m^2) cos(2 pi m y) with q = e^(-2 pi^2 variance),
 * but for a factor. Of small variances the terms of t, |y| <= 1/2, are fewer: with q = e^(-1/(2 variance)) they are q^((k+y)^2). What is left out after m terms is
 * at most 2 q^(m^2)/(1 - q), or 2 q^((m - 1/2)^2)/(1 - q).
 */
static void theta_quotient(arb_t v, const arb_t y, const fmpq_t variance, slong prec)
{
    const int is_series = 8 * fmpq_get_d(variance) > 1;
    const double fall = is_series ? 19.7 * fmpq_get_d(variance) : 0.5 / fmpq_get_d(variance); /* -log q */
    const slong terms = (slong) sqrt(0.7 * (double) prec / fall) + 2;
    arb_t log_q, near, t, sum[2];
    arf_t middle;
    mag_t rest;
    slong m;
    int i;
    arb_init(log_q); arb_init(near); arb_init(t);
    arf_init(middle);
    mag_init(rest);
    arb_set_fmpq(t, variance, prec);
    if (is_series)
    {
        arb_const_pi(log_q, prec);
        arb_mul(log_q, log_q, log_q, prec);
        arb_mul(log_q, log_q, t, prec);
        arb_mul_2exp_si(log_q, log_q, 1);
    }
    else
    {
        arb_mul_2exp_si(t, t, 1);
        arb_inv(log_q, t, prec);
    }
    arb_neg(log_q, log_q);
    arf_set_d(middle, 0.5);
    arf_add(middle, middle, arb_midref(y), prec, ARF_RND_NEAR);
    arf_floor(middle, middle);
    arb_sub_arf(near, y, middle, prec);
    for (i = 0; i < 2; i++)
    {
        arb_init(sum[i]);
        for (m = is_series ? 0 : 1 - terms; m < terms; m++)
        {
            arb_set_si(t, m);
            if (!is_series && i == 0)
                arb_add(t, t, near, prec);
            arb_mul(t, t, t, prec);
            arb_mul(t, t, log_q, prec);
            arb_exp(t, t, prec);
            if (is_series && m > 0)
                arb_mul_2exp_si(t, t, 1);
            arb_add(sum[i], sum[i], t, prec);
            if (is_series && i == 0 && m > 0)
            {
                /* t (cos(2 pi m y) - 1) more */
                arb_t c;
                arb_init(c);
                arb_mul_si(c, near, 2 * m, prec);
                arb_cos_pi(c, c, prec);
                arb_sub_ui(c, c, 1, prec);
                arb_addmul(sum[i], c, t, prec);
                arb_clear(c);
            }
        }
        /* what is left out */
        arb_set_si(t, terms);
        if (!is_series)
            arb_set_d(t, (double) terms - 0.5);
        arb_mul(t, t, t, prec);
        arb_mul(t, t, log_q, prec);
        arb_exp(t, t, prec);
        arb_mul_2exp_si(t, t, 2);
        arb_get_mag(rest, t);
        arb_add_error_mag(sum[i], rest);
    }
    arb_div(v, sum[0], sum[1], prec);
    for (i = 0; i < 2; i++)
        arb_clear(sum[i]);
    arb_clear(log_q); arb_clear(near); arb_clear(t);
    arf_clear(middle);
    mag_clear(rest);
}

/* Discrete Gaussian noise: order s^2/(2 variance) + log(t((order-1) s)/t(0))/(order-1) (proofs/renyi-profile.md, Lemma 4). */
static void discrete_gaussian_renyi(arb_t v, const noise_struct *x, const arb_t order, int is_one, slong prec)
{
    arb_t t, less;
    arb_init(t);
    arb_init(less);
    arb_set_fmpq(v, x->noise->sensitivity, prec);
    arb_mul(t, v, v, prec);
    arb_mul(t, t, order, prec);
    arb_mul_2exp_si(t, t, -1);
    arb_mul_fmpz(t, t, fmpq_denref(x->noise->variance), prec);
    arb_div_fmpz(t, t, fmpq_numref(x->noise->variance), prec);
    if (!is_one)
    {
        arb_sub_ui(less, order, 1, prec);
        arb_mul(v, v, less, prec);
        theta_quotient(v, v, x->noise->variance, prec);
        arb_log(v, v, prec);
        arb_div(v, v, less, prec);
        arb_add(t, t, v, prec);
    }
    arb_swap(v, t);
    arb_clear(t);
    arb_clear(less);
}

static void renyi_value(arb_t v, const shuf_law_struct *self, const arb_t order, int is_one, slong prec)
{
    const noise_struct *x = self->data;
    arb_t loss;
    if (x->noise->kind == SHUF_NOISE_DISCRETE_LAPLACE)
    {
        discrete_laplace_renyi(v, x, order, is_one, prec);
        return;
    }
    if (x->noise->kind == SHUF_NOISE_STAIRCASE)
    {
        staircase_renyi(v, x, order, is_one, prec);
        return;
    }
    if (x->noise->kind == SHUF_NOISE_DISCRETE_GAUSSIAN)
    {
        discrete_gaussian_renyi(v, x, order, is_one, prec);
        return;
    }
    arb_init(loss);
    shuf_real_get_arb(loss, x->noise->loss, prec);
    laplace_renyi(v, loss, order, is_one, prec);
    arb_clear(loss);
}

/* ---- many releases ---- */

#define POINT_PREC 256 /* steers only */

static void sums_forget(noise_struct *x)
{
    if (x->sums.rounds > 0)
        lattice_sum_clear(&x->sums.sum);
    x->sums.rounds = 0;
}

/* Lemma 5 */
static void sums_make(noise_struct *x, uint64_t rounds)
{
    const slong shift = fmpz_get_si(fmpq_numref(x->noise->sensitivity));
    lattice_round round;
    arb_t loss;
    if (x->sums.rounds == rounds)
        return;
    sums_forget(x);
    if (x->noise->kind == SHUF_NOISE_DISCRETE_GAUSSIAN)
    {
        lattice_round_gaussian(&round, x->table, x->noise->variance, shift);
    }
    else
    {
        arb_init(loss);
        shuf_real_get_arb(loss, x->noise->loss, POINT_PREC);
        lattice_round_laplace(&round, loss, shift);
        arb_clear(loss);
    }
    lattice_sum_init(&x->sums.sum, &round, rounds);
    lattice_round_clear(&round);
    x->sums.rounds = rounds;
}

/* Whether so many releases have few losses. */
static int is_short(const noise_struct *x, uint64_t rounds)
{
    const double shift = fmpq_get_d(x->noise->sensitivity);
    if (x->noise->kind == SHUF_NOISE_DISCRETE_GAUSSIAN)
        return lattice_sum_is_short((double) lattice_table_reach(x->table) + shift / 2, 1, rounds);
    return lattice_sum_is_short(shift, 2, rounds);
}

static shuf_status power(shuf_enclosure_t r, const shuf_law_struct *self, uint64_t rounds, shuf_direction direction, const shuf_real_t eps,
                         const shuf_options *options)
{
    noise_struct *x = self->data;
    double start = shuf_work();
    arb_t K;
    (void) direction;
    shuf_enclosure_zero(r);
    arf_one(r->hi);
    if (!is_short(x, rounds))
        return r->status = SHUF_ACCURACY;
    arb_init(K);
    shuf_real_get_arb(K, eps, POINT_PREC);
    pthread_mutex_lock(&x->sums.lock);
    sums_make(x, rounds);
    lattice_sum_divergence(r->lo, r->hi, &x->sums.sum, K);
    pthread_mutex_unlock(&x->sums.lock);
    shuf_enclosure_width(r->ledger.discretisation, r);
    r->ledger.precision = POINT_PREC;
    r->ledger.work = shuf_work() - start;
    arb_clear(K);
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

/* ---- the loss ---- */

/* Laplace noise that all records are in. */
static int loss_of_laplace(shuf_loss_t loss, const shuf_law_struct *self, shuf_direction direction, slong prec)
{
    const noise_struct *x = self->data;
    (void) direction;
    shuf_real_get_arb(loss->largest, x->noise->loss, prec);
    return 1;
}

/* v := Pr[first <= Z <= last], of the table. */
static void mass_between(arb_t v, const lattice_table *x, slong first, slong last, slong prec)
{
    if (last < 0)
    {
        mass_between(v, x, x->odd - last, x->odd - first, prec);
        return;
    }
    if (first >= x->odd)
    {
        arb_sub(v, &x->tail[first - x->odd], &x->tail[last + 1 - x->odd], prec);
        return;
    }
    arb_add(v, &x->tail[1 - first], &x->tail[last + 1 - x->odd], prec);
    shuf_ball_complement(v, v, prec);
}

/* value := e^loss of the outcomes of the table from first to last, told as one, without a sample; q := their mass with the shifted noise. */
static void set_outcome(arb_t value, arb_t q, const noise_struct *x, slong first, slong last, slong shift, slong prec)
{
    if (first == last)
    {
        const slong z = lattice_row(x->table, first), y = lattice_row(x->table, first - shift);
        arb_sub(q, &x->table->tail[y], &x->table->tail[y + 1], prec);
        arb_div(value, &x->table->weight[z], &x->table->weight[y], prec);
        return;
    }
    mass_between(q, x->table, first - shift, last - shift, prec);
    mass_between(value, x->table, first, last, prec);
    arb_div(value, value, q, prec);
}

/* Atoms of a table: z from -reach to reach + shift, p(z) with the shifted noise p(z - shift). */
static int loss_of_table(shuf_loss_t loss, const shuf_law_struct *self, shuf_direction direction, slong prec)
{
    const noise_struct *x = self->data;
    const slong shift = fmpz_get_si(fmpq_numref(x->noise->sensitivity)), reach = lattice_table_reach(x->table);
    arb_t rate, rest, q;
    slong i;
    if (reach + shift > x->table->last)
        return 0;
    arb_init(rate); arb_init(rest); arb_init(q);
    arb_set_fmpq(rate, x->rate, prec);
    shuf_ball_complement(rest, rate, prec);
    shuf_loss_set_count(loss, (2 * reach + shift) / x->width + 1);
    for (i = 0; i < loss->count; i++)
    {
        const slong first = i * x->width - reach;
        /* with the record and without: rate p + (1 - rate) q against q */
        set_outcome(&loss->value[i], q, x, first, FLINT_MIN(first + x->width - 1, reach + shift), shift, prec);
        arb_mul(&loss->value[i], &loss->value[i], rate, prec);
        arb_add(&loss->value[i], &loss->value[i], rest, prec);
        if (direction == SHUF_DIRECTION_PQ)
            arb_mul(&loss->mass[i], q, &loss->value[i], prec);
        else
            arb_set(&loss->mass[i], q);
        arb_log(&loss->value[i], &loss->value[i], prec);
        if (direction == SHUF_DIRECTION_QP)
            arb_neg(&loss->value[i], &loss->value[i]);
    }
    /* both laws have less than two tails beyond */
    arb_mul_2exp_si(loss->lost, &x->table->tail[reach + 1 - x->table->odd], 1);
    arb_clear(rate); arb_clear(rest); arb_clear(q);
    return 1;
}

/*
 * mu^2 of the Gaussian noise that bounds the noise, if there is some, and moments. Lemma 4 of proofs/renyi-profile.md: of discrete Gaussian noise, of which one
 * share may take all of the shift, s^2/(2 variance of a share), and those of that Gaussian noise.
 */
static void set_bounds(shuf_law_t law, const noise_struct *x)
{
    fmpq_t square, shift;
    fmpq_init(square);
    fmpq_init(shift);
    fmpq_mul(square, x->noise->sensitivity, x->noise->sensitivity);
    if (noise_unit_variance(shift, x->noise))
        fmpq_div(law->gaussian, square, shift);
    fmpq_set(shift, law->gaussian);
    if (x->noise->kind == SHUF_NOISE_DISCRETE_GAUSSIAN)
    {
        fmpq_div(square, square, x->noise->variance);
        if (fmpq_is_zero(shift) || fmpq_cmp(square, shift) < 0)
            fmpq_swap(square, shift);
        law->moment_is_reached = x->noise->honest == 1;
    }
    shuf_law_set_moment(law, shift, 1);
    fmpq_clear(square);
    fmpq_clear(shift);
}

/*
 * The same Lemma. Of Skellam noise of variance v, m = s (order-1), K = max(1, 2m/v): m (log K - 1 + (1 + 2s/v)/K) + log 2 + v (cosh(2m/(K v)) - 1).
 */
static void log_moment(arb_t v, const shuf_law_struct *self, const arb_t order, slong prec)
{
    const noise_struct *x = self->data;
    arb_t s, variance, m, k, t;
    arb_init(s); arb_init(variance); arb_init(m); arb_init(k); arb_init(t);
    arb_set_fmpq(s, x->noise->sensitivity, prec);
    arb_set_fmpq(variance, x->noise->variance, prec);
    arb_sub_ui(m, order, 1, prec);
    arb_mul(m, m, s, prec);
    arb_div(k, m, variance, prec);
    arb_mul_2exp_si(k, k, 1);
    arb_get_mid_arb(k, k); /* any K will do */
    arb_one(t);
    arb_max(k, k, t, prec);
    arb_div(t, s, variance, prec);
    arb_mul_2exp_si(t, t, 1);
    arb_add_ui(t, t, 1, prec);
    arb_div(v, t, k, prec);
    arb_log(t, k, prec);
    arb_add(v, v, t, prec);
    arb_sub_ui(v, v, 1, prec);
    arb_mul(v, v, m, prec);
    arb_const_log2(t, prec);
    arb_add(v, v, t, prec);
    arb_mul(t, k, variance, prec);
    arb_div(t, m, t, prec);
    arb_mul_2exp_si(t, t, 1);
    arb_cosh(t, t, prec);
    arb_sub_ui(t, t, 1, prec);
    arb_addmul(v, t, variance, prec);
    arb_clear(s); arb_clear(variance); arb_clear(m); arb_clear(k); arb_clear(t);
}

static int same(const shuf_law_struct *self, const shuf_law_struct *other)
{
    const noise_struct *x = self->data, *y = other->data;
    return x->noise->kind == y->noise->kind && x->width == y->width && fmpq_equal(x->noise->sensitivity, y->noise->sensitivity) && fmpq_equal(x->rate, y->rate)
           && fmpq_equal(x->noise->variance, y->noise->variance) && shuf_real_cmp(x->noise->loss, y->noise->loss) == 0 && fmpq_equal(x->noise->gamma, y->noise->gamma) && x->noise->coins == y->noise->coins && x->noise->honest == y->noise->honest;
}

static void clear(shuf_law_struct *self)
{
    noise_struct *x = self->data;
    sums_forget(x);
    pthread_mutex_destroy(&x->sums.lock);
    if (x->table != NULL)
        lattice_table_clear(x->table);
    flint_free(x->table);
    shuf_noise_clear(x->noise);
    fmpq_clear(x->rate);
    flint_free(x);
}

/* mu^2 = s^2/variance, of so many releases at once if none is left to chance. */
static void gaussian_law(shuf_law_t law, const shuf_noise_t noise, const fmpq_t rate, uint64_t *rounds)
{
    fmpq_t shift;
    fmpq_init(shift);
    fmpq_mul(shift, noise->sensitivity, noise->sensitivity);
    fmpq_div(shift, shift, noise->variance);
    if (fmpq_is_one(rate))
    {
        fmpz_t count;
        fmpz_init_set_ui(count, *rounds);
        fmpq_mul_fmpz(shift, shift, count);
        fmpz_clear(count);
        *rounds = 1;
    }
    batch_law_step(law, shift, rate);
    fmpq_clear(shift);
}

/* Coq: Noise.additive_noise, Noise.additive_noise_attained, Noise.additive_noise_rounds. */
void noise_law(shuf_law_t law, const shuf_noise_t noise, const fmpq_t rate, uint64_t *rounds)
{
    noise_struct *x;
    if (noise->kind == SHUF_NOISE_GAUSSIAN)
    {
        gaussian_law(law, noise, rate, rounds);
        return;
    }
    x = flint_malloc(sizeof(*x));
    shuf_noise_init(x->noise);
    shuf_noise_set(x->noise, noise);
    fmpq_init(x->rate);
    fmpq_set(x->rate, rate);
    x->table = NULL;
    x->width = 1;
    x->sums.rounds = 0;
    pthread_mutex_init(&x->sums.lock, NULL);
    if (lattice_has_table(noise))
    {
        x->table = flint_malloc(sizeof(*x->table));
        lattice_table_init(x->table, noise);
    }
    shuf_law_init(law);
    shuf_law_set_closed(law, value);
    law->data = x;
    law->clear = clear;
    law->same = same;
    law->symmetric = fmpq_is_one(rate);
    if (!shuf_noise_has_variance(noise->kind))
        law->max_loss = largest_loss;
    if (noise->kind == SHUF_NOISE_DISCRETE_LAPLACE)
        law->outcomes = outcomes;
    if (noise->kind == SHUF_NOISE_STAIRCASE)
        law->outcomes = outcomes_of_staircase;
    if (fmpq_is_one(rate) && (law->max_loss != NULL || (noise->kind == SHUF_NOISE_DISCRETE_GAUSSIAN && noise->honest == 1)))
        shuf_law_set_closed_renyi(law, renyi_value);
    if (fmpq_is_one(rate) && (noise->kind == SHUF_NOISE_DISCRETE_LAPLACE || (noise->kind == SHUF_NOISE_DISCRETE_GAUSSIAN && noise->honest == 1)))
    {
        law->power = power;
        law->has_cheap_powers = 1;
    }
    if (base_of[noise->kind] == of_table)
        set_bounds(law, x);
    if (x->table != NULL && noise->kind == SHUF_NOISE_SKELLAM)
        law->log_moment = log_moment;
    if (x->table != NULL)
        law->loss = loss_of_table;
    else if (noise->kind == SHUF_NOISE_LAPLACE && fmpq_is_one(rate))
        law->loss = loss_of_laplace;
    if (noise->kind == SHUF_NOISE_BINOMIAL)
        law->infinite = infinite_mass;
}

/* On either side of 0 so many outcomes of a table are left apart: the ratios of what is told as one then differ by little. Steers only. */
#define OUTCOMES 12000

void noise_law_below(shuf_law_t law, const shuf_noise_t noise, const fmpq_t rate, uint64_t *rounds)
{
    noise_struct *x;
    noise_law(law, noise, rate, rounds);
    if (!lattice_has_table(noise))
        return;
    x = law->data;
    x->width = FLINT_MAX(1, lattice_table_reach(x->table) / OUTCOMES);
    if (x->width == 1)
        return;
    law->power = NULL;
    law->has_cheap_powers = 0;
}
