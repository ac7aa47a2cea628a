/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Renyi divergences of a Poisson step against the binomial sum at whole orders, and sums over a grid of outcomes at all others, in doubles. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "../account/asked.h"
#include "batch/step_renyi.h"
#include "random.h"

/* log E (dP/dQ)^a/(a-1) at a whole number a: each term is that of j shifted of a factors. */
static double binomial_sum(double a, double q, double mu)
{
    double sum = 0, term = pow(1 - q, a), j;
    for (j = 0; j <= a; j++)
    {
        sum += term * exp(j * (j - 1) * mu * mu / 2);
        term *= (a - j) / (j + 1) * q / (1 - q);
    }
    return log(sum) / (a - 1);
}

#define REACH 10.0
#define POINTS 40000

/* Of any order of 1 or more: E (R^e - 1 - e (R - 1)), as E R = 1, e = a or 1 - a, so that little cancels. */
static double by_outcomes(double a, double q, double mu, int reverse)
{
    const double width = 2 * REACH + (a + 1) * mu, step = width / POINTS;
    double sum = 0;
    int i;
    for (i = 0; i < POINTS; i++)
    {
        const double u = -REACH + (i + 0.5) * step, l = log1p(q * expm1(mu * u - mu * mu / 2)), density = exp(-u * u / 2) / sqrt(2 * 3.14159265358979324);
        const double e = reverse ? 1 - a : a;
        sum += density * (a == 1 ? (reverse ? -l : l * exp(l)) - (reverse ? -1 : 1) * expm1(l) : expm1(e * l) - e * expm1(l));
    }
    return a == 1 ? sum * step : log1p(sum * step) / (a - 1);
}

static void enclose(shuf_enclosure_t r, const char *noise, const char *rate, const char *order, shuf_direction direction)
{
    const shuf_options options = { 8, 0 };
    shuf_real_t x, a;
    fmpq_t shift;
    shuf_real_init(x);
    shuf_real_init(a);
    fmpq_init(shift);
    set(x, noise);
    fmpq_mul(shift, x->q, x->q);
    fmpq_inv(shift, shift);
    set(x, rate);
    set(a, order);
    assert_int_equal(step_renyi(r, shift, x->q, a, direction, &options), SHUF_OK);
    shuf_real_clear(x);
    shuf_real_clear(a);
    fmpq_clear(shift);
}

static void expect_near(const shuf_enclosure_t r, double value, const char *of)
{
    const double slack = 1e-6 * value + 1e-15;
    if (!(lower(r) <= value + slack && value - slack <= upper(r)))
        fail_msg("%s: %.12g is not in [%.12g, %.12g]", of, value, lower(r), upper(r));
}

static void test_orders(void **state)
{
    shuf_enclosure_t r;
    int i, reverse;
    (void) state;
    shuf_enclosure_init(r);
    for (i = 0; i < 150; i++)
    {
        const double s = floor(100 * log_uniform(0.5, 20)) / 100, q = floor(1e6 * log_uniform(1e-3, 0.9)) / 1e6;
        double a = i % 3 == 0 ? 1 : i % 3 == 1 ? (double) (2 + random_below(19)) : 1 + floor(1000 * log_uniform(0.01, 15)) / 1000;
        char noise[32], rate[32], order[32], of[128];
        snprintf(noise, sizeof(noise), "%.2f", s);
        snprintf(rate, sizeof(rate), "%.6f", q);
        snprintf(order, sizeof(order), "%.3f", a);
        a = atof(order);
        for (reverse = 0; reverse < 2; reverse++)
        {
            const double value = by_outcomes(a, atof(rate), 1 / atof(noise), reverse);
            snprintf(of, sizeof(of), "noise %s, rate %s, order %s, %s", noise, rate, order, reverse ? "QP" : "PQ");
            enclose(r, noise, rate, order, reverse ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ);
            if (a * (10 + (a + 1) / s) / s < 600) /* doubles do */
                expect_near(r, value, of);
        }
        if (i % 3 == 1)
        {
            snprintf(of, sizeof(of), "noise %s, rate %s, order %s, a sum", noise, rate, order);
            enclose(r, noise, rate, order, SHUF_DIRECTION_BOTH);
            if (a * (10 + (a + 1) / s) / s < 600) /* doubles do */
                expect_near(r, binomial_sum(a, atof(rate), 1 / atof(noise)), of);
        }
    }
    shuf_enclosure_clear(r);
}

/* What is converted is no less than the number itself, and has a name; the moments of two samplers of one rate 1 agree. */
static void test_converted(void **state)
{
    static const char *const question = "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"poisson\",\"noise_multiplier\":\"1.1\",\"steps\":500,\"sampling_rate\":\"%s\"},"
                                        "\"ask\":{%s},\"digits\":4%s}";
    asked x, y;
    (void) state;
    ask(&x, question, "1/100", "\"quantity\":\"epsilon\",\"delta\":\"1e-5\"", ",\"via\":\"renyi\"");
    ask(&y, question, "1/100", "\"quantity\":\"epsilon\",\"delta\":\"1e-5\"", "");
    assert_int_equal(x.answer->upper->side, SHUF_SIDE_UPPER);
    assert_true(upper(x.answer->upper->value) > lower(y.answer->upper->value) && upper(x.answer->upper->value) < 1.3 * lower(y.answer->upper->value));
    asked_clear(&x);
    asked_clear(&y);
    ask(&x, question, "1/100", "\"quantity\":\"renyi\",\"order\":3", "");
    assert_int_equal(x.answer->upper->side, SHUF_SIDE_EXACT);
    expect_near(x.answer->upper->value, 500 * binomial_sum(3, 0.01, 1 / 1.1), "500 steps");
    asked_clear(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_orders), cmocka_unit_test(test_converted) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
