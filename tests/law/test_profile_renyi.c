/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Renyi divergences from profiles and from losses: against laws that have them in closed form, and sums over outcomes in doubles; and the moments that
 * bound what is far out.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "batch/batch_law.h"
#include "check.h"
#include "law/profile_renyi.h"
#include "noise/noise_law.h"
#include "random.h"

static void set_ratio(fmpq_t x, double value)
{
    fmpq_set_si(x, FLINT_MAX(1, (slong) round(value * 1e6)), 1000000);
    fmpq_canonicalise(x);
}

/* A random order: 1, near 1, whole, or any, up to `most`. */
static void random_order(shuf_real_t order, double most)
{
    static const char *const near[] = { "1", "1.000000001", "1.001" };
    char text[64];
    const uint64_t kind = random_below(6);
    if (kind < 3)
        snprintf(text, sizeof(text), "%s", near[kind]);
    else if (kind == 3)
        snprintf(text, sizeof(text), "%d", (int) log_uniform(2, most));
    else
        snprintf(text, sizeof(text), "%.4f", log_uniform(1.01, most));
    set(order, text);
}

static void expect_meeting(const shuf_enclosure_t x, const shuf_enclosure_t y, const char *of, const shuf_real_t order)
{
    if (arf_cmp(x->lo, y->hi) > 0 || arf_cmp(y->lo, x->hi) > 0)
        fail_msg("%s, order %s: [%.12g, %.12g] and [%.12g, %.12g]", of, order->text, lower(x), upper(x), lower(y), upper(y));
}

/* What the law itself has, which shares nothing with its profile. */
static void compare(const shuf_law_struct *law, double most, const char *of)
{
    static const shuf_direction directions[] = { SHUF_DIRECTION_PQ, SHUF_DIRECTION_QP, SHUF_DIRECTION_BOTH };
    const shuf_direction direction = directions[random_below(3)];
    const shuf_options options = { (slong) (3 + random_below(4)), 2e9 };
    shuf_enclosure_t x, y;
    shuf_real_t order;
    shuf_enclosure_init(x);
    shuf_enclosure_init(y);
    shuf_real_init(order);
    random_order(order, most);
    assert_int_equal(law->renyi(y, law, order, direction, &options), SHUF_OK);
    if (profile_renyi(x, law, order, direction, &options) != SHUF_OK)
        fail_msg("%s, order %s: [%.12g, %.12g] is not accurate", of, order->text, lower(x), upper(x));
    expect_meeting(x, y, of, order);
    if (loss_renyi(x, law, order, direction, &options) != SHUF_DOMAIN)
        expect_meeting(x, y, of, order);
    shuf_enclosure_clear(x);
    shuf_enclosure_clear(y);
    shuf_real_clear(order);
}

static void test_steps(void **state)
{
    fmpq_t shift, rate;
    int i;
    (void) state;
    skip_unless_drawn(5);
    fmpq_init(shift);
    fmpq_init(rate);
    for (i = 0; i < 60; i++)
    {
        shuf_law_t law;
        const double noise = log_uniform(0.5, 30), q = i % 4 == 0 ? 1 : log_uniform(1e-3, 0.9);
        char of[64];
        snprintf(of, sizeof(of), "noise %.3g, rate %.3g", noise, q);
        set_ratio(shift, 1 / (noise * noise));
        set_ratio(rate, fmin(q, 1));
        batch_law_step(law, shift, rate);
        compare(law, 1 + 12 * noise, of);
        shuf_law_clear(law);
    }
    fmpq_clear(shift);
    fmpq_clear(rate);
}

/* Of bounded losses. */
static void test_bounded(void **state)
{
    static const shuf_noise_kind kinds[] = { SHUF_NOISE_LAPLACE, SHUF_NOISE_DISCRETE_LAPLACE, SHUF_NOISE_STAIRCASE };
    fmpq_t one;
    int i;
    (void) state;
    skip_unless_drawn(4);
    fmpq_init(one);
    fmpq_one(one);
    for (i = 0; i < 60; i++)
    {
        shuf_noise_t noise;
        shuf_law_t law;
        uint64_t rounds = 1;
        char text[64];
        shuf_noise_init(noise);
        noise->kind = kinds[i % 3];
        fmpq_set_si(noise->sensitivity, i % 3 == 1 ? (slong) (1 + random_below(4)) : 1, 1);
        snprintf(text, sizeof(text), "%.4f", log_uniform(0.05, 8));
        set(noise->loss, text);
        fmpq_set_si(noise->gamma, (slong) (1 + random_below(9)), 10);
        noise_law(law, noise, one, &rounds);
        compare(law, 50, shuf_noise_names[kinds[i % 3]]);
        shuf_law_clear(law);
        shuf_noise_clear(noise);
    }
    fmpq_clear(one);
}

/* ---- noise on whole numbers ---- */

#define REACH 4000

/* log I_k(v) - v + log of what is the same for all k, by the backward recurrence; or -k^2/(2v). */
static void log_masses(double *log_p, int is_skellam, double v)
{
    double ratio = 0, sum = 0;
    int k;
    log_p[0] = 0;
    for (k = REACH; k > 0 && is_skellam; k--)
    {
        ratio = 1 / (2 * k / v + ratio); /* I_k/I_(k-1) */
        log_p[k] = log(ratio);
    }
    for (k = 1; k <= REACH; k++)
        log_p[k] = is_skellam ? log_p[k] + log_p[k - 1] : -(double) k * k / (2 * v);
    for (k = -REACH; k <= REACH; k++)
        sum += exp(log_p[abs(k)]);
    for (k = 0; k <= REACH; k++)
        log_p[k] -= log(sum);
}

/* log E (p(k)/p(k-s))^(a-1) under p; of order 1 the mean loss. */
static double log_moment_of(const double *log_p, int s, double a)
{
    double sum = 0, most = 0;
    int k;
    for (k = -REACH + s; k <= REACH - s; k++)
        most = fmax(most, log_p[abs(k)] + (a - 1) * (log_p[abs(k)] - log_p[abs(k - s)]));
    for (k = -REACH + s; k <= REACH - s; k++)
    {
        const double loss = log_p[abs(k)] - log_p[abs(k - s)];
        sum += a == 1 ? exp(log_p[abs(k)]) * loss : exp(log_p[abs(k)] + (a - 1) * loss - most);
    }
    return a == 1 ? sum : log(sum) + most;
}

static void test_whole_noise(void **state)
{
    double *log_p = flint_malloc((REACH + 1) * sizeof(double));
    shuf_options options = { 6, 1e9 };
    shuf_enclosure_t r;
    shuf_real_t order;
    fmpq_t one;
    arb_t a, v;
    int i;
    (void) state;
    skip_unless_drawn(4);
    shuf_enclosure_init(r);
    shuf_real_init(order);
    fmpq_init(one);
    fmpq_one(one);
    arb_init(a);
    arb_init(v);
    for (i = 0; i < 60; i++)
    {
        const int is_skellam = i % 2, s = (int) (1 + random_below(3));
        const double variance = ceil(16 * log_uniform(0.1, 2000)) / 16;
        double value, x;
        uint64_t rounds = 1;
        shuf_noise_t noise;
        shuf_law_t law;
        shuf_noise_init(noise);
        noise->kind = is_skellam ? SHUF_NOISE_SKELLAM : SHUF_NOISE_DISCRETE_GAUSSIAN;
        fmpq_set_si(noise->sensitivity, s, 1);
        fmpq_set_si(noise->variance, (slong) (16 * variance), 16);
        noise_law(law, noise, one, &rounds);
        random_order(order, 20);
        shuf_real_get_arb(a, order, 64);
        x = arf_get_d(arb_midref(a), ARF_RND_NEAR);
        log_masses(log_p, is_skellam, variance);
        value = log_moment_of(log_p, s, x) / (x > 1 ? x - 1 : 1);
        law_renyi(r, law, order, SHUF_DIRECTION_BOTH, &options);
        if (x == 1 || x > 1.0001) /* else doubles do not know */
            if (!(lower(r) <= value * (1 + 1e-7) + 1e-13 && value * (1 - 1e-7) - 1e-13 <= upper(r) && upper(r) - lower(r) <= 1e-5 * upper(r)))
                fail_msg("%s, variance %g, shift %d, order %s: %.12g and [%.12g, %.12g]", is_skellam ? "Skellam" : "Gaussian", variance, s, order->text, value, lower(r), upper(r));
        if (x > 1.0001)
        {
            shuf_law_log_moment(v, law, a, 64);
            if (shuf_ball_end_d(v, 1) < log_moment_of(log_p, s, x) * (1 - 1e-9))
                fail_msg("a moment is too small: %s, variance %g, shift %d, order %s", is_skellam ? "Skellam" : "Gaussian", variance, s, order->text);
        }
        shuf_law_clear(law);
        shuf_noise_clear(noise);
    }
    flint_free(log_p);
    shuf_enclosure_clear(r);
    shuf_real_clear(order);
    fmpq_clear(one);
    arb_clear(a);
    arb_clear(v);
}

/* ---- epochs ---- */

/* E of (mean of t numbers e^(mu z - mu^2/2))^a, a whole: a! t^-a times the coefficient of x^a of (sum of e^(j (j-1) mu^2/2) x^j/j!)^t. */
static double epoch_moment(int a, double mu, int t)
{
    double one[8] = { 0 }, all[8] = { 1 }, next[8], value = 1;
    int i, j, k;
    for (j = 0; j <= a; j++)
        one[j] = exp(j * (j - 1) * mu * mu / 2) / tgamma(j + 1);
    for (i = 0; i < t; i++)
    {
        for (j = 0; j <= a; j++)
            for (next[j] = 0, k = 0; k <= j; k++)
                next[j] += all[k] * one[j - k];
        for (j = 0; j <= a; j++)
            all[j] = next[j];
    }
    for (j = 1; j <= a; j++)
        value *= (double) j / t;
    return value * all[a];
}

/* Of two steps and any whole order n: log of 2^-n sum of C(n, j) e^((j (j-1) + (n-j) (n-j-1)) mu^2/2), over n - 1. */
static double of_two_steps(int n, double mu)
{
    double most = 0, sum = 0;
    int i, j;
    for (i = 0; i < 2; i++)
        for (j = 0; j <= n; j++)
        {
            const double l = lgamma(n + 1) - lgamma(j + 1) - lgamma(n - j + 1) - n * log(2) + (j * (j - 1) + (n - j) * (n - j - 1)) * mu * mu / 2;
            if (i == 0)
                most = fmax(most, l);
            else
                sum += exp(l - most);
        }
    return (most + log(sum)) / (n - 1);
}

/* Large orders, whole ones exactly; others lie between their neighbours, as order - 1 times them is convex. */
static void test_large_orders(void **state)
{
    shuf_options options = { 6, 5e9 };
    shuf_enclosure_t r;
    shuf_real_t order;
    fmpq_t noise;
    int i;
    (void) state;
    skip_unless_drawn(4);
    shuf_enclosure_init(r);
    shuf_real_init(order);
    fmpq_init(noise);
    for (i = 0; i < 20; i++)
    {
        const int n = (int) log_uniform(10, 400), part = (int) random_below(100);
        const double s = round(1e6 * log_uniform(0.5, 6)) / 1e6, low = of_two_steps(n, 1 / s), high = of_two_steps(n + 1, 1 / s), x = part / 100.0;
        const double chord = ((1 - x) * (n - 1) * low + x * n * high) / (n - 1 + x);
        shuf_law_t law;
        char text[32];
        set_ratio(noise, s);
        snprintf(text, sizeof(text), "%d.%02d", n, part);
        set(order, text);
        batch_law_balls(law, noise, 2);
        law_renyi(r, law, order, SHUF_DIRECTION_PQ, &options);
        if (!(lower(r) <= chord * (1 + 1e-9) && upper(r) >= low * (1 - 1e-9) && upper(r) <= chord * (1 + 1e-6) && (part > 0 || lower(r) >= low * (1 - 1e-6))))
            fail_msg("noise %g, two steps, order %s: %.12g, %.12g and [%.12g, %.12g]", s, text, low, chord, lower(r), upper(r));
        shuf_law_clear(law);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(order);
    fmpq_clear(noise);
}

static void test_epochs(void **state)
{
    shuf_options options = { 6, 5e9 };
    shuf_enclosure_t r;
    shuf_real_t order;
    fmpq_t noise;
    int i;
    (void) state;
    skip_unless_drawn(4);
    shuf_enclosure_init(r);
    shuf_real_init(order);
    fmpq_init(noise);
    for (i = 0; i < 12; i++)
    {
        const int a = (int) (2 + random_below(4)), t = (int) (2 + random_below(60));
        const double s = ceil(1e6 * log_uniform(0.8, 4)) / 1e6, value = log(epoch_moment(a, 1 / s, t)) / (a - 1);
        shuf_law_t law;
        char text[16];
        set_ratio(noise, s);
        snprintf(text, sizeof(text), "%d", a);
        set(order, text);
        batch_law_balls(law, noise, (uint64_t) t);
        law_renyi(r, law, order, SHUF_DIRECTION_PQ, &options);
        if (!(lower(r) <= value * (1 + 1e-7) && value * (1 - 1e-7) <= upper(r)))
            fail_msg("noise %g, %d steps, order %d: %.12g and [%.12g, %.12g]", s, t, a, value, lower(r), upper(r));
        shuf_law_clear(law);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(order);
    fmpq_clear(noise);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps), cmocka_unit_test(test_bounded), cmocka_unit_test(test_whole_noise), cmocka_unit_test(test_epochs), cmocka_unit_test(test_large_orders),
    };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
