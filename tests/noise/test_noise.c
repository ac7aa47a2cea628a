/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Noise that a curator adds: profiles and products against sums over all outcomes, masses in balls of 200 bits, and cases in which kinds of noise agree.
 * SHUFBOUND_SEED repeats a run.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "../account/asked.h"
#include "arb_hypgeom.h"
#include "noise/threshold_law.h"
#include "random.h"

#define PREC 200
#define REACH 400 /* outcomes on either side: beyond, the noise of these tests has less than 1e-30 */
#define ALL (2 * REACH + 1)

/* ---- masses by their definition ---- */

typedef struct
{
    const char *name, *size;
    double scale;
    int sensitivity;
} noise_struct;

/* p[k] := the mass of k - REACH, not yet of sum 1. */
static void weights_of(arb_ptr p, const noise_struct *x)
{
    arb_t b, t;
    slong k;
    arb_init(b);
    arb_init(t);
    for (k = 0; k < ALL; k++)
    {
        const slong z = k - REACH;
        arb_set_d(b, x->scale);
        if (strcmp(x->name, "discrete-laplace") == 0)
        {
            arb_set_si(t, -FLINT_ABS(z));
            arb_div(t, t, b, PREC);
            arb_exp(&p[k], t, PREC);
        }
        else if (strcmp(x->name, "discrete-gaussian") == 0)
        {
            arb_set_si(t, -z * z);
            arb_div(t, t, b, PREC);
            arb_div(t, t, b, PREC);
            arb_mul_2exp_si(t, t, -1);
            arb_exp(&p[k], t, PREC);
        }
        else
        {
            arb_mul(b, b, b, PREC);
            arb_set_si(t, FLINT_ABS(z));
            arb_hypgeom_bessel_i(&p[k], t, b, PREC);
        }
    }
    arb_clear(b);
    arb_clear(t);
}

static void masses_of(arb_ptr p, const noise_struct *x)
{
    arb_t total;
    slong k;
    arb_init(total);
    weights_of(p, x);
    for (k = 0; k < ALL; k++)
        arb_add(total, total, &p[k], PREC);
    for (k = 0; k < ALL; k++)
        arb_div(&p[k], &p[k], total, PREC);
    arb_clear(total);
}

/* The mass of k under the noise and a shift that a record with probability rate causes. */
static void mixed_mass(arb_t m, arb_srcptr p, slong k, int shift, double rate)
{
    arb_t t;
    arb_init(t);
    arb_set_d(t, rate);
    if (k >= shift && k - shift < ALL)
        arb_mul(t, t, &p[k - shift], PREC);
    else
        arb_zero(t);
    arb_set_d(m, 1 - rate);
    if (k < ALL)
        arb_mul(m, m, &p[k], PREC);
    else
        arb_zero(m);
    arb_add(m, m, t, PREC);
    arb_clear(t);
}

static double midpoint(const arb_t x)
{
    return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

/* The larger divergence of the two directions, of one release or of two. */
static double brute(const noise_struct *x, double rate, double eps, int releases)
{
    const slong count = ALL + x->sensitivity;
    arb_ptr p = _arb_vec_init(ALL);
    double *with = flint_malloc((size_t) count * sizeof(*with)), *without = flint_malloc((size_t) count * sizeof(*without)), sum[2] = { 0, 0 };
    const double alpha = exp(eps);
    arb_t m;
    slong i, j;
    arb_init(m);
    masses_of(p, x);
    for (i = 0; i < count; i++)
    {
        mixed_mass(m, p, i, x->sensitivity, rate);
        with[i] = midpoint(m);
        mixed_mass(m, p, i, 0, 0);
        without[i] = midpoint(m);
    }
    for (i = 0; i < count; i++)
        for (j = 0; j < (releases == 2 ? count : 1); j++)
        {
            const double a = with[i] * (releases == 2 ? with[j] : 1), b = without[i] * (releases == 2 ? without[j] : 1);
            sum[0] += fmax(a - alpha * b, 0);
            sum[1] += fmax(b - alpha * a, 0);
        }
    _arb_vec_clear(p, ALL);
    flint_free(with);
    flint_free(without);
    arb_clear(m);
    return fmax(sum[0], sum[1]);
}

/* ---- questions ---- */

static void expect_near(const asked *x, double value, double tolerance)
{
    const shuf_answer_bound *above = x->answer->upper, *below = x->answer->lower;
    assert_non_null(above);
    assert_non_null(below);
    if (!(lower(below->value) <= value + tolerance && value - tolerance <= upper(above->value)))
        fail_msg("%s: %.17g is not in [%.17g, %.17g]", x->text, value, lower(below->value), upper(above->value));
    if (upper(above->value) - lower(below->value) > 1e-3 * value + tolerance)
        fail_msg("%s: [%.17g, %.17g] is wide", x->text, lower(below->value), upper(above->value));
}

#define ASK "\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-5\"},\"digits\":4}"
#define NOISE(noise, more) "{\"mechanism\":{\"type\":\"additive-noise\",\"noise\":\"" noise "\"," more "},"

static void ask_noise(asked *x, const noise_struct *n, double rate, int releases, double eps)
{
    char sample[80] = "";
    if (rate < 1)
        snprintf(sample, sizeof(sample), "\"sample\":{\"scheme\":\"poisson\",\"rate\":\"%a\"},", rate);
    ask(x, "{\"mechanism\":{\"type\":\"additive-noise\",\"noise\":\"%s\",\"scale\":\"%s\",\"sensitivity\":%d},%s\"rounds\":%d,"
        "\"ask\":{\"quantity\":\"delta\",\"eps\":\"%a\"},\"digits\":%d}", n->name, n->size, n->sensitivity, sample, releases, eps, releases == 1 ? 6 : 4);
}

static void test_whole_numbers(void **state)
{
    static const char *const names[] = { "discrete-laplace", "discrete-gaussian", "skellam" };
    static const char *const sizes[] = { "0x1p-2", "0x1.8p-1", "1", "0x1.4p+1", "5" };
    int i;
    (void) state;
    for (i = 0; i < 60; i++)
    {
        noise_struct n = { names[i % 3], sizes[random_below(5)], 0, (int) (1 + random_below(6)) };
        const double rate = i % 2 == 0 ? 1 : ldexp((double) (1 + random_below(15)), -4), eps = 2.5 * random_unit();
        asked x;
        n.scale = strtod(n.size, NULL);
        ask_noise(&x, &n, rate, 1, eps);
        expect_near(&x, brute(&n, rate, eps, 1), 1e-13);
        asked_clear(&x);
    }
}

static void test_two_releases(void **state)
{
    static const char *const names[] = { "discrete-laplace", "discrete-gaussian", "skellam" };
    int i;
    (void) state;
    for (i = 0; i < 3; i++)
    {
        const noise_struct n = { names[i], "0x1.8p+0", 1.5, 1 + i % 2 };
        const double rate = i == 1 ? 1 : 0.5, eps = 0.25 + random_unit();
        asked x;
        ask_noise(&x, &n, rate, 2, eps);
        expect_near(&x, brute(&n, rate, eps, 2), 1e-12);
        asked_clear(&x);
    }
}

/* ---- many releases, by their sums ---- */

/* The divergence of so many releases whose losses are top - j step with these masses, in doubles. */
static double many(const double *mass, int count, double top, double step, int releases, double eps)
{
    double *sum = flint_calloc((size_t) (count * releases), sizeof(*sum)), *next = flint_calloc((size_t) (count * releases), sizeof(*next)), value = 0;
    int length = 1, i, j, k;
    sum[0] = 1;
    for (i = 0; i < releases; i++)
    {
        for (j = 0; j < length + count - 1; j++)
            next[j] = 0;
        for (j = 0; j < length; j++)
            for (k = 0; k < count; k++)
                next[j + k] += sum[j] * mass[k];
        length += count - 1;
        memcpy(sum, next, (size_t) length * sizeof(*sum));
    }
    for (j = 0; j < length; j++)
        value += sum[j] * fmax(1 - exp(eps - (releases * top - j * step)), 0);
    flint_free(sum);
    flint_free(next);
    return value;
}

/* Discrete Laplace noise in so many steps. */
static void laplace_masses(double *mass, int steps, double loss)
{
    const double q = exp(-loss / steps);
    int k;
    for (k = 0; k <= steps; k++)
        mass[k] = (k == 0 || k == steps ? 1 : 1 - q) * pow(q, k) / (1 + q);
}

static void test_many_releases(void **state)
{
    const noise_struct gaussian = { "discrete-gaussian", "2", 2, 3 };
    arb_ptr p = _arb_vec_init(ALL);
    double mass[ALL];
    asked x;
    int i, z;
    (void) state;
    masses_of(p, &gaussian);
    for (z = -40; z <= 40; z++)
        mass[z + 40] = midpoint(&p[z + REACH]);
    _arb_vec_clear(p, ALL);
    for (i = 0; i < 3; i++)
    {
        const int releases = 4 + 3 * i, steps = 150;
        const double eps = 0.5 + 3 * random_unit(), loss = 0.5 * (i + 1);
        noise_struct laplace = { "discrete-laplace", "0x1p+1", 2, 3 };
        ask_noise(&x, &gaussian, 1, releases, eps);
        expect_near(&x, many(mass, 81, (9.0 + 2 * 3 * 40) / 8, 3.0 / 4, releases, eps), 1e-10);
        asked_clear(&x);
        laplace_masses(mass + 100, 3, 1.5);
        ask_noise(&x, &laplace, 1, releases, eps);
        expect_near(&x, many(mass + 100, 4, 1.5, 1, releases, eps), 1e-10);
        asked_clear(&x);
        /* few digits take few steps: many of them are nearer to the truth than both ends */
        laplace_masses(mass + 100, steps, loss);
        ask(&x, NOISE("laplace", "\"eps0\":\"%a\"") "\"rounds\":%d,\"ask\":{\"quantity\":\"delta\",\"eps\":\"%a\"},\"digits\":1}", loss, releases, eps / 8);
        assert_true(upper(x.answer->upper->value) >= many(mass + 100, steps + 1, loss, 2 * loss / steps, releases, eps / 8) * (1 - 1e-4));
        laplace_masses(mass + 100, steps, loss - 2 * log(cosh(loss / (2 * steps))));
        assert_true(lower(x.answer->lower->value) <= many(mass + 100, steps + 1, loss, 2 * loss / steps, releases, eps / 8) * (1 + 1e-4));
        asked_clear(&x);
    }
}

/* Laplace noise by its distribution function, at the place where the densities' ratio is alpha. */
static void test_laplace(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < 20; i++)
    {
        const double b = ldexp((double) (1 + random_below(40)), -3), s = ldexp((double) (1 + random_below(40)), -3), eps = s / b * random_unit();
        const double place = (s - b * eps) / 2, value = 1 - exp(-place / b) / 2 - exp(eps + (place - s) / b) / 2;
        asked x;
        ask(&x, "{\"mechanism\":{\"type\":\"additive-noise\",\"noise\":\"laplace\",\"scale\":\"%a\",\"sensitivity\":\"%a\"},"
            "\"ask\":{\"quantity\":\"delta\",\"eps\":\"%a\"},\"digits\":9}", b, s, eps);
        expect_near(&x, value, 1e-14);
        asked_clear(&x);
    }
}

/* The larger divergence of the two directions of two releases of a sample, from the masses of three outcomes. */
static double brute_sampled(const double *mass, double rate, double eps)
{
    double sum[2] = { 0, 0 };
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
        {
            const double a = (rate * mass[i] + (1 - rate) * mass[2 - i]) * (rate * mass[j] + (1 - rate) * mass[2 - j]), b = mass[2 - i] * mass[2 - j];
            sum[0] += fmax(a - exp(eps) * b, 0);
            sum[1] += fmax(b - exp(eps) * a, 0);
        }
    return fmax(sum[0], sum[1]);
}

/* Steps of width 1: on the left of 0 the loss is the largest, and between 0 and 1 where only the moved noise is on the low part of a step. */
static void test_staircase(void **state)
{
    int i, k;
    (void) state;
    for (i = 0; i < 24; i++)
    {
        const double loss = log_uniform(0.05, 6), q = exp(-loss), g = ldexp((double) (1 + random_below(64)), -6), c = (1 - q) / (2 * (g + q * (1 - g)));
        const double m = 0.5 + c * fmin(g, 1 - g), mass[3] = { m, 1 - m * (1 + q), m * q }, order = i % 4 == 0 ? 1 : 1 + 4 * random_unit();
        const int releases = i % 3 == 0 ? (int) (1 + random_below(40)) : 1;
        const double eps = fmin(8, releases * loss) * random_unit(), rate = ldexp((double) (1 + random_below(15)), -4);
        double sum = 0;
        asked x;
        ask(&x, NOISE("staircase", "\"eps0\":\"%a\",\"gamma\":\"%a\",\"sensitivity\":3") "\"rounds\":%d,\"ask\":{\"quantity\":\"delta\",\"eps\":\"%a\"},\"digits\":%d}",
            loss, g, releases, eps, releases == 1 ? 6 : 4);
        expect_near(&x, many(mass, 3, loss, loss, releases, eps), 1e-12);
        assert_true(has_theorem(x.answer->upper, "staircase-noise"));
        asked_clear(&x);
        ask(&x, NOISE("staircase", "\"eps0\":\"%a\",\"gamma\":\"%a\"") "\"rounds\":2,\"sample\":{\"scheme\":\"poisson\",\"rate\":\"%a\"},"
            "\"ask\":{\"quantity\":\"delta\",\"eps\":\"%a\"},\"digits\":4}", loss, g, rate, eps / 2);
        expect_near(&x, brute_sampled(mass, rate, eps / 2), 1e-12);
        asked_clear(&x);
        for (k = 0; k < 3; k++)
            sum += mass[k] * (i % 4 == 0 ? loss * (1 - k) : exp((order - 1) * loss * (1 - k)));
        ask(&x, NOISE("staircase", "\"eps0\":\"%a\",\"gamma\":\"%a\"") "\"rounds\":%d,\"ask\":{\"quantity\":\"renyi\",\"order\":\"%a\"}}", loss, g, releases, order);
        expect_near(&x, releases * (i % 4 == 0 ? sum : log(sum) / (order - 1)), 1e-12);
        asked_clear(&x);
    }
}

/* Coins against all their sums. */
static void test_coins(void **state)
{
    int i, coins, shift, z;
    (void) state;
    for (i = 0; i < 30; i++)
    {
        const double eps = 3 * random_unit();
        double p[41] = { 1 }, sum = 0;
        asked x;
        coins = (int) (1 + random_below(40));
        shift = (int) (1 + random_below(12));
        for (z = 0; z < coins; z++)
            p[z + 1] = p[z] * (coins - z) / (z + 1);
        for (z = 0; z <= coins; z++)
            sum += fmax(p[z] - (z >= shift ? exp(eps) * p[z - shift] : 0), 0);
        ask(&x, "{\"mechanism\":{\"type\":\"binomial-noise\",\"coins\":%d,\"sensitivity\":%d},\"ask\":{\"quantity\":\"delta\",\"eps\":\"%a\"}}",
            coins, shift, eps);
        expect_near(&x, ldexp(sum, -coins), 1e-13);
        asked_clear(&x);
    }
}

/* Many coins, whose masses are in a table: one release and two, against sums over the heads, of samples too. */
static void test_many_coins(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < 6; i++)
    {
        const int coins = (int) (1200 + random_below(300)), shift = (int) (2 + random_below(20)), first = coins / 2 - 300, last = coins / 2 + 320, rounds = 1 + i % 2;
        const double rate = i % 3 == 0 ? 0.25 : 1, alpha = exp(random_unit() * rounds * shift / sqrt(coins));
        double p[1600], q[1600], sum = 0;
        int y, z;
        asked x;
        for (z = first; z <= last; z++)
        {
            q[z] = exp(lgamma(coins + 1) - lgamma(z + 1) - lgamma(coins - z + 1) - coins * log(2));
            p[z] = exp(lgamma(coins + 1) - lgamma(z - shift + 1) - lgamma(coins - z + shift + 1) - coins * log(2));
            p[z] = rate * p[z] + (1 - rate) * q[z];
        }
        for (z = first; z <= last; z++)
            for (y = rounds == 1 ? last : first; y <= last; y++)
                sum += rounds == 1 ? fmax(p[z] - alpha * q[z], 0) : fmax(p[z] * p[y] - alpha * q[z] * q[y], 0);
        ask(&x, "{\"mechanism\":{\"type\":\"binomial-noise\",\"coins\":%d,\"sensitivity\":%d},\"neighbours\":\"remove\",%s\"rounds\":%d,"
            "\"ask\":{\"quantity\":\"delta\",\"eps\":\"%a\"}}", coins, shift, rate < 1 ? "\"sample\":{\"scheme\":\"poisson\",\"rate\":\"1/4\"}," : "", rounds, log(alpha));
        expect_near(&x, sum, 1e-6);
        asked_clear(&x);
    }
}

static double end_of(const char *question, int above)
{
    asked x;
    double value;
    ask(&x, "%s", question);
    assert_non_null(x.answer->upper);
    assert_non_null(x.answer->lower);
    value = above ? upper(x.answer->upper->value) : lower(x.answer->lower->value);
    asked_clear(&x);
    return value;
}

/* The same law, said in two ways. */
static void test_agree(void **state)
{
    static const char *const cases[][2] = {
        /* a Gaussian release is a step in which the record takes part, or may take part */
        { NOISE("gaussian", "\"scale\":\"3\",\"sensitivity\":\"2\"") "\"rounds\":7," ASK,
          "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":\"3/2\",\"steps\":1},\"rounds\":7," ASK },
        { NOISE("gaussian", "\"variance\":\"2\",\"sensitivity\":\"1\"") "\"rounds\":2,\"sample\":{\"scheme\":\"poisson\",\"rate\":\"1\"}," ASK,
          NOISE("gaussian", "\"variance\":\"4\",\"sensitivity\":\"2\"") ASK },
        { NOISE("gaussian", "\"scale\":\"1\"") "\"rounds\":100,\"sample\":{\"scheme\":\"poisson\",\"rate\":\"1/100\"}," ASK,
          "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"poisson\",\"noise_multiplier\":\"1\",\"steps\":100,\"sampling_rate\":\"1/100\"}," ASK },
        /* two outcomes: randomised response */
        { NOISE("discrete-laplace", "\"eps0\":\"log(2)\"") "\"rounds\":20," ASK,
          "{\"mechanism\":{\"type\":\"rr2\",\"eps0\":\"log(2)\"},\"users\":1,\"rounds\":20," ASK },
        { NOISE("laplace", "\"scale\":\"2\",\"sensitivity\":\"1\"") "\"rounds\":5," ASK,
          "{\"mechanism\":{\"type\":\"laplace\",\"scale\":\"2\"},\"users\":1,\"rounds\":5," ASK },
        { NOISE("laplace", "\"eps0\":\"1/2\",\"sensitivity\":\"7\"") ASK, NOISE("laplace", "\"scale\":\"14\",\"sensitivity\":\"7\"") ASK },
        { "{\"mechanism\":{\"type\":\"binomial-noise\",\"coins\":100,\"sensitivity\":1},\"rounds\":3," ASK,
          "{\"rounds\":[{\"mechanism\":{\"type\":\"binomial-noise\",\"coins\":100},\"rounds\":3}]," ASK },
    };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (end_of(cases[i][0], 0) > end_of(cases[i][1], 1) || end_of(cases[i][1], 0) > end_of(cases[i][0], 1))
            fail_msg("%s and %s exclude each other", cases[i][0], cases[i][1]);
}

/* Ten coins twice, a change of 2: 1 - (1013/1024)^2 of the outcomes are seen with the record alone. */
static void test_infinite(void **state)
{
    asked x;
    (void) state;
    ask(&x, "{\"mechanism\":{\"type\":\"binomial-noise\",\"coins\":10,\"sensitivity\":2},\"rounds\":2,\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"0.03\"},\"digits\":2}");
    assert_true(arf_is_finite(x.answer->upper->value->hi));
    asked_clear(&x);
    ask(&x, "{\"mechanism\":{\"type\":\"binomial-noise\",\"coins\":10,\"sensitivity\":2},\"rounds\":2,\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"0.02\"},\"digits\":2}");
    assert_true(arf_is_pos_inf(x.answer->lower->value->lo));
    asked_clear(&x);
}

/* A release beside shuffles of users who are told of once: more than the shuffles alone, less than the sum. */
static void test_beside_shuffles(void **state)
{
#define SHUFFLES "{\"mechanism\":{\"type\":\"krr\",\"k\":3,\"eps0\":1},\"rounds\":2}"
#define FEW "\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-5\"},\"digits\":2}"
#define RELEASE "{\"mechanism\":{\"type\":\"additive-noise\",\"noise\":\"laplace\",\"scale\":20},\"rounds\":3}"
    const char *const both = "{\"users\":1000,\"rounds\":[" RELEASE "," SHUFFLES "]," FEW, *const alone = "{\"users\":1000,\"rounds\":[" SHUFFLES "]," FEW;
    (void) state;
    assert_true(end_of(both, 0) > end_of(alone, 1));
    assert_true(end_of(both, 1) <= end_of(alone, 1) + 0.15 * (1 + 1e-6));
}

/* More noise, a smaller change, a smaller sample: less is told. Discrete noise on a coarse scale tells more than continuous. */
static void test_laws(void **state)
{
    static const char *const rising[][2] = {
        { NOISE("laplace", "\"scale\":\"3\"") ASK, NOISE("laplace", "\"scale\":\"2\"") ASK },
        { NOISE("skellam", "\"variance\":\"40\"") ASK, NOISE("skellam", "\"variance\":\"30\"") ASK },
        { NOISE("skellam", "\"variance\":\"40\"") ASK, NOISE("skellam", "\"variance\":\"40\",\"sensitivity\":2") ASK },
        { NOISE("discrete-laplace", "\"scale\":\"3\",\"sensitivity\":4") ASK, NOISE("discrete-laplace", "\"scale\":\"3\",\"sensitivity\":5") ASK },
        { NOISE("laplace", "\"scale\":\"1\"") "\"sample\":{\"scheme\":\"poisson\",\"rate\":\"1/10\"}," ASK, NOISE("laplace", "\"scale\":\"1\"") ASK },
        { NOISE("laplace", "\"scale\":\"1\"") "\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/10\"}," ASK, NOISE("laplace", "\"scale\":\"1\"") ASK },
        { NOISE("laplace", "\"scale\":\"10\"") "\"rounds\":50," ASK, NOISE("discrete-laplace", "\"scale\":\"10\"") "\"rounds\":50," ASK },
    };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(rising) / sizeof(rising[0]); i++)
        if (end_of(rising[i][0], 0) > end_of(rising[i][1], 1))
            fail_msg("%s is more than %s", rising[i][0], rising[i][1]);
}

/* The number that a search finds is certified, and not far from one that is not. */
static void test_searches(void **state)
{
    asked x;
    (void) state;
    ask(&x, NOISE("gaussian", "\"sensitivity\":\"5\"") "\"ask\":{\"quantity\":\"scale\",\"eps\":\"1\",\"delta\":\"1e-5\"}}");
    /* 5 times 3.730632, as the curve of the Gaussian mechanism has it */
    if (!(lower(x.answer->value->value) <= 18.65316 && upper(x.answer->value->value) >= 18.65315))
        fail_msg("%s: [%.12g, %.12g]", x.text, lower(x.answer->value->value), upper(x.answer->value->value));
    asked_clear(&x);
    ask(&x, NOISE("gaussian", "\"scale\":\"18.65316\"") "\"ask\":{\"quantity\":\"sensitivity\",\"eps\":\"1\",\"delta\":\"1e-5\"},\"digits\":6}");
    assert_true(lower(x.answer->value->value) <= 5 + 3e-6 && upper(x.answer->value->value) >= 5);
    asked_clear(&x);
    /* 80 coins are enough for a count, 79 are not: doc/audit-pack.md */
    ask(&x, "{\"mechanism\":{\"type\":\"binomial-noise\"},\"ask\":{\"quantity\":\"coins\",\"eps\":1,\"delta\":\"1e-6\"}}");
    assert_true(lower(x.answer->value->value) == 79 && upper(x.answer->value->value) == 80);
    asked_clear(&x);
    ask(&x, "{\"mechanism\":{\"type\":\"binomial-noise\",\"sensitivity\":10},\"ask\":{\"quantity\":\"coins\",\"eps\":2,\"delta\":\"1e-6\"},\"digits\":6}");
    assert_true(upper(x.answer->value->value) == lower(x.answer->value->value) + 1 && upper(x.answer->value->value) <= 2000);
    asked_clear(&x);
    ask(&x, NOISE("laplace", "\"eps0\":\"1/10\"") "\"ask\":{\"quantity\":\"rounds\",\"eps\":\"1\",\"delta\":\"1e-9\"}}");
    assert_true(lower(x.answer->value->value) == 10);
    asked_clear(&x);
}

/* The largest sensitivity is certified, and a little more is refuted; of whole numbers the next one. */
static void test_sensitivities(void **state)
{
    static const struct { const char *mechanism, *rest; double eps, delta; int whole; } all[] = {
        { "\"type\":\"additive-noise\",\"noise\":\"gaussian\",\"scale\":\"18.65316\"", "", 1, 1e-5, 0 },
        { "\"type\":\"additive-noise\",\"noise\":\"gaussian\",\"variance\":\"1/50\",\"shares\":4,\"honest\":3", "\"rounds\":3,", 2, 1e-4, 0 },
        { "\"type\":\"additive-noise\",\"noise\":\"gaussian\",\"scale\":\"2\"", "\"sample\":{\"scheme\":\"poisson\",\"rate\":\"1/10\"},\"rounds\":4,", 1, 1e-4, 0 },
        { "\"type\":\"additive-noise\",\"noise\":\"laplace\",\"scale\":\"1e12\"", "\"rounds\":9,", 1, 1e-3, 0 },
        { "\"type\":\"additive-noise\",\"noise\":\"discrete-laplace\",\"scale\":\"50\"", "\"rounds\":2,", 1, 1e-3, 1 },
        { "\"type\":\"additive-noise\",\"noise\":\"discrete-gaussian\",\"scale\":\"40\"", "", 1, 1e-5, 1 },
        { "\"type\":\"additive-noise\",\"noise\":\"skellam\",\"variance\":\"5000\"", "\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/3\"},", 1, 1e-5, 1 },
        { "\"type\":\"binomial-noise\",\"coins\":2000", "", 1, 1e-6, 1 },
        { "\"type\":\"binomial-noise\",\"coins\":80", "", 1, 1e-6, 1 },
    };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
    {
        asked x, y;
        char at[2][40];
        double low, high;
        if (!is_drawn(3))
            continue;
        ask(&x, "{\"mechanism\":{%s},%s\"ask\":{\"quantity\":\"sensitivity\",\"eps\":\"%a\",\"delta\":\"%a\"}}", all[i].mechanism, all[i].rest, all[i].eps, all[i].delta);
        low = lower(x.answer->value->value);
        high = upper(x.answer->value->value) * (all[i].whole ? 1 : 1.001);
        if (all[i].whole ? high != low + 1 : high > low * 1.01)
            fail_msg("%s: [%.12g, %.12g]", x.text, low, high);
        snprintf(at[0], sizeof(at[0]), all[i].whole ? "%.0f" : "%a", low);
        snprintf(at[1], sizeof(at[1]), all[i].whole ? "%.0f" : "%a", high);
        asked_clear(&x);
        ask(&x, "{\"mechanism\":{%s,\"sensitivity\":\"%s\"},%s\"ask\":{\"quantity\":\"delta\",\"eps\":\"%a\"}}", all[i].mechanism, at[0], all[i].rest, all[i].eps);
        ask(&y, "{\"mechanism\":{%s,\"sensitivity\":\"%s\"},%s\"ask\":{\"quantity\":\"delta\",\"eps\":\"%a\"}}", all[i].mechanism, at[1], all[i].rest, all[i].eps);
        if (upper(x.answer->upper->value) > all[i].delta)
            fail_msg("%s: %.12g", x.text, upper(x.answer->upper->value));
        /* of a subset of fixed size this is all that is known of the next one: the data from below are others */
        if (upper(y.answer->upper->value) <= all[i].delta)
            fail_msg("%s: %.12g", y.text, upper(y.answer->upper->value));
        asked_clear(&x);
        asked_clear(&y);
    }
}

/* Renyi divergences against sums over outcomes, and what they convert to against the exact eps. */
static void test_renyi(void **state)
{
    asked x;
    int i, k;
    (void) state;
    for (i = 0; i < 12; i++)
    {
        const double order = i % 4 == 0 ? 1 : 1 + 4 * random_unit(), loss = log_uniform(0.1, 5), less = order - 1;
        const int steps = (int) (1 + random_below(9)), releases = 1 + i % 3;
        double mass[12], sum = 0, value;
        laplace_masses(mass, steps, loss);
        for (k = 0; k <= steps; k++)
            sum += mass[k] * (i % 4 == 0 ? loss * (steps - 2 * k) / steps : exp(less * loss * (steps - 2 * k) / steps));
        value = i % 4 == 0 ? sum : log(sum) / less;
        ask(&x, NOISE("discrete-laplace", "\"eps0\":\"%a\",\"sensitivity\":%d") "\"rounds\":%d,\"ask\":{\"quantity\":\"renyi\",\"order\":\"%a\"}}", loss, steps,
            releases, order);
        expect_near(&x, releases * value, 1e-12);
        asked_clear(&x);
        value = i % 4 == 0 ? loss + exp(-loss) - 1 : log((order * exp(less * loss) + less * exp(-order * loss)) / (2 * order - 1)) / less;
        ask(&x, NOISE("laplace", "\"eps0\":\"%a\"") "\"rounds\":%d,\"ask\":{\"quantity\":\"renyi\",\"order\":\"%a\"}}", loss, releases, order);
        expect_near(&x, releases * value, 1e-12);
        asked_clear(&x);
    }
    ask(&x, "%s", NOISE("laplace", "\"scale\":5") "\"rounds\":9,\"via\":\"renyi\"," ASK);
    assert_null(x.answer->lower); /* a conversion is no bound from below */
    assert_true(upper(x.answer->upper->value) > end_of(NOISE("laplace", "\"scale\":5") "\"rounds\":9," ASK, 0));
    asked_clear(&x);
}

/* ---- thresholds ---- */

/* With a user against without, of samples, near the largest loss -log(1-p) of that direction, where the worst number of holders is large: Theorem 1 of proofs/thresholds.md. */
static void test_without_user(void **state)
{
    const shuf_options options = { 10, 0 };
    const int tau = 3;
    shuf_noise_t noise;
    shuf_law_t law;
    int i, k;
    (void) state;
    shuf_noise_init(noise);
    noise->kind = SHUF_NOISE_SAMPLE;
    fmpq_set_si(noise->kept, 1, 10);
    fmpq_set_si(noise->threshold, tau, 1);
    threshold_law(law, noise, THRESHOLD_ABOVE, 1);
    for (i = 2; i <= 200; i += i < 6 ? 1 : 97)
    {
        /* alpha = (1 - 3/10^i)/(1-p), n = ceil((tau-1) 10^i/3) */
        char text[700] = "log(", *end = text + 4;
        shuf_enclosure_t r;
        shuf_datasets where;
        shuf_real_t eps;
        shuf_enclosure_init(r);
        shuf_real_init(eps);
        for (k = 0; k < i - 1; k++)
            *end++ = '9';
        sprintf(end, "7/9");
        end += 3;
        for (k = 0; k < i - 1; k++)
            *end++ = '0';
        sprintf(end, ")");
        assert_int_equal(shuf_real_set_str(eps, text), 0);
        law->delta(r, &where, law, eps, SHUF_DIRECTION_QP, &options);
        assert_true(arf_sgn(r->lo) >= 0 && arf_sgn(r->hi) > 0 && arf_cmp_2exp_si(r->hi, i < 6 ? 0 : -100000) < 0);
        if (i < 6)
        {
            const double n = ceil(2 * pow(10, i) / 3), alpha = (1 - 3 * pow(10, -i)) / 0.9, excess = alpha - 1;
            const double scale = pow(0.9, n - 3), two = (n - 1) * (n - 2) / 2 * 0.01;
            const double expected = scale * (alpha * 0.1 * two - excess * (0.81 + (n - 1) * 0.1 * 0.9 + two)), found = arf_get_d(r->hi, ARF_RND_NEAR);
            assert_true(scale < 1e-250 || fabs(found / expected - 1) < 1e-6);
        }
        shuf_real_clear(eps);
        shuf_enclosure_clear(r);
    }
    shuf_law_clear(law);
    shuf_noise_clear(noise);
}

/* ---- shares ---- */

/* p := the masses of p and q together, beyond REACH left out. */
static void convolve(arb_ptr p, arb_srcptr q)
{
    arb_ptr sum = _arb_vec_init(ALL);
    slong i, j;
    for (i = 0; i < ALL; i++)
        for (j = FLINT_MAX(0, i - REACH); j < ALL && j <= i + REACH; j++)
            arb_addmul(&sum[i], &p[j], &q[i - j + REACH], PREC);
    _arb_vec_set(p, sum, ALL);
    _arb_vec_clear(sum, ALL);
}

/* Three shares of discrete Gaussian noise, of which one or more are added: all outcomes of the sum. Shares of other noise are less of that noise. */
static void test_shares(void **state)
{
    static const struct { const char *size; double scale; } of_share[] = { { "12", 2 }, { "27/16", 0.75 }, { "1/12", 1.0 / 6 } };
    static const char *const alike[][2] = {
        { NOISE("skellam", "\"variance\":20,\"shares\":10,\"honest\":7") ASK, NOISE("skellam", "\"variance\":14") ASK },
        { NOISE("gaussian", "\"variance\":20,\"shares\":10,\"honest\":7") ASK, NOISE("gaussian", "\"variance\":14") ASK },
        { NOISE("laplace", "\"scale\":20,\"shares\":10") ASK, NOISE("laplace", "\"scale\":20") ASK },
        { "{\"mechanism\":{\"type\":\"binomial-noise\",\"coins\":1000,\"shares\":10,\"honest\":3}," ASK, "{\"mechanism\":{\"type\":\"binomial-noise\",\"coins\":300}," ASK },
    };
    size_t i;
    int honest, shift;
    (void) state;
    for (i = 0; i < 3; i++)
        for (honest = 1; honest <= 3; honest++)
        {
            const noise_struct share = { "discrete-gaussian", "", of_share[i].scale, 1 };
            arb_ptr one = _arb_vec_init(ALL), p = _arb_vec_init(ALL);
            masses_of(one, &share);
            _arb_vec_set(p, one, ALL);
            for (shift = 1; shift < honest; shift++)
                convolve(p, one);
            for (shift = 1; shift <= 2; shift++)
            {
                double delta = 0;
                asked x;
                arb_t t;
                slong k;
                arb_init(t);
                for (k = shift; k < ALL; k++)
                {
                    arb_set_d(t, exp(0.5));
                    arb_mul(t, t, &p[k - shift], PREC);
                    arb_sub(t, &p[k], t, PREC);
                    delta += fmax(arf_get_d(arb_midref(t), ARF_RND_NEAR), 0);
                }
                ask_any(&x, NOISE("discrete-gaussian", "\"variance\":\"%s\",\"shares\":3,\"honest\":%d,\"sensitivity\":%d") "\"ask\":{\"quantity\":\"delta\",\"eps\":\"0.5\"},\"digits\":9}",
                        of_share[i].size, honest, shift);
                expect_near(&x, delta, 1e-8);
                asked_clear(&x);
                arb_clear(t);
            }
            _arb_vec_clear(one, ALL);
            _arb_vec_clear(p, ALL);
        }
    for (i = 0; i < sizeof(alike) / sizeof(alike[0]); i++)
    {
        asked x, y;
        ask_any(&x, "%s", alike[i][0]);
        ask_any(&y, "%s", alike[i][1]);
        expect_near(&x, upper(y.answer->upper->value), 1e-4);
        asked_clear(&x);
        asked_clear(&y);
    }
}

/*
 * Of several releases whose variance is large, both ends are of other laws: Gaussian noise, and outcomes that are told as one. They have to meet, to some
 * 1e-6, what all outcomes tell of a quarter of the noise and the sensitivity, which is the same to 2e-7.
 */
static void test_large_variance(void **state)
{
    static const char *const kinds[] = { "discrete-gaussian", "skellam" };
    static const char *const samples[] = { "", "\"sample\":{\"scheme\":\"poisson\",\"rate\":\"1/10\"}," };
    int i;
    (void) state;
    for (i = 0; i < 4; i++)
    {
        asked x, y;
        double value;
        if (!is_drawn(4))
            continue;
        ask_any(&x, NOISE("%s", "\"variance\":1000000,\"sensitivity\":300") "\"rounds\":20,%s\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-6\"}}", kinds[i % 2], samples[i / 2]);
        ask_any(&y, NOISE("%s", "\"variance\":16000000,\"sensitivity\":1200") "\"rounds\":20,%s\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-6\"}}", kinds[i % 2], samples[i / 2]);
        assert_true(x.answer->upper->side == SHUF_SIDE_EXACT && y.answer->upper->side == SHUF_SIDE_UPPER && y.answer->lower->side == SHUF_SIDE_LOWER);
        value = upper(x.answer->upper->value);
        if (lower(y.answer->lower->value) > value * (1 + 2e-7) || upper(y.answer->upper->value) < value * (1 - 2e-6)
            || upper(y.answer->upper->value) - lower(y.answer->lower->value) > 2e-6 * value)
            fail_msg("%s: [%.17g, %.17g], and %.17g of a quarter", y.text, lower(y.answer->lower->value), upper(y.answer->upper->value), value);
        asked_clear(&x);
        asked_clear(&y);
    }
}

static void test_refused(void **state)
{
    static const char *const questions[][2] = {
        { NOISE("laplace", "\"scale\":1") "\"via\":\"strong-composition\"," ASK, "via" },
        { NOISE("laplace", "\"scale\":1") "\"ask\":{\"quantity\":\"epochs\",\"eps\":1,\"delta\":\"1e-3\"}}", "scale, sensitivity and rounds" },
        { NOISE("gaussian", "\"scale\":1") "\"ask\":{\"quantity\":\"epsilon\",\"delta\":0}}", "infinite" },
        { NOISE("discrete-gaussian", "\"sensitivity\":1") "\"ask\":{\"quantity\":\"scale\",\"eps\":1,\"delta\":\"1e-3\"}}", "sensitivity and rounds" },
        { NOISE("laplace", "\"scale\":1") "\"ask\":{\"quantity\":\"coins\",\"eps\":1,\"delta\":\"1e-3\"}}", "scale, sensitivity and rounds" },
        { "{\"mechanism\":{\"type\":\"ldp\",\"eps0\":1},\"users\":9,\"ask\":{\"quantity\":\"rounds\",\"eps\":1,\"delta\":\"1e-3\"}}", "additive-noise" },
        { NOISE("laplace", "\"threshold\":9") "\"ask\":{\"quantity\":\"scale\",\"eps\":1,\"delta\":\"1e-3\"}}", "rounds goes" },
        { NOISE("laplace", "\"scale\":1,\"threshold\":9") "\"ask\":{\"quantity\":\"epsilon\",\"delta\":0}}", "infinite" },
        { NOISE("staircase", "\"eps0\":1,\"gamma\":\"1/2\"") "\"ask\":{\"quantity\":\"scale\",\"eps\":1,\"delta\":\"1e-3\"}}", "rounds goes" },
        { NOISE("staircase", "\"eps0\":1,\"gamma\":\"1/2\"") "\"ask\":{\"quantity\":\"sensitivity\",\"eps\":1,\"delta\":\"1e-3\"}}", "rounds goes" },
        { NOISE("laplace", "\"scale\":1,\"threshold\":9") "\"ask\":{\"quantity\":\"sensitivity\",\"eps\":1,\"delta\":\"1e-3\"}}", "rounds goes" },
        { NOISE("gaussian", "\"scale\":1") "\"ask\":{\"quantity\":\"sensitivity\",\"eps\":1,\"delta\":0}}", "delta" },
        { "{\"mechanism\":{\"type\":\"ldp\",\"eps0\":1},\"users\":9,\"ask\":{\"quantity\":\"sensitivity\",\"eps\":1,\"delta\":\"1e-3\"}}", "additive-noise" },
    };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
    {
        asked x;
        ask_any(&x, "%s", questions[i][0]);
        if (x.status == SHUF_OK || strstr(x.answer->error, questions[i][1]) == NULL)
            fail_msg("%s: %s", questions[i][0], x.answer->error);
        asked_clear(&x);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_numbers), cmocka_unit_test(test_two_releases), cmocka_unit_test(test_many_releases), cmocka_unit_test(test_laplace), cmocka_unit_test(test_staircase), cmocka_unit_test(test_coins), cmocka_unit_test(test_many_coins),
        cmocka_unit_test(test_agree), cmocka_unit_test(test_infinite), cmocka_unit_test(test_beside_shuffles), cmocka_unit_test(test_laws), cmocka_unit_test(test_searches), cmocka_unit_test(test_sensitivities), cmocka_unit_test(test_renyi), cmocka_unit_test(test_without_user),
        cmocka_unit_test(test_shares), cmocka_unit_test(test_large_variance),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
