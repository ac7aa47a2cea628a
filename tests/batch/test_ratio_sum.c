/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The sum that is nearly the likelihood ratio of random allocation: never more than the divergence itself, and little less. That is known exactly of
 * one of t steps, by another engine, and of two of three steps as an integral of a call over two outcomes, in doubles.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "batch/batch_law.h"
#include "check.h"
#include "pld/pld.h"
#include "random.h"

static void set_noise(fmpq_t noise, long hundredths)
{
    fmpq_set_si(noise, hundredths, 100);
}

/* One of so many steps: balls and bins. There it is not always near. */
static void test_one_step(void **state)
{
    int i, j, near = 0;
    (void) state;
    skip_unless_drawn(5);
    for (i = 0; i < 8; i++)
    {
        const long hundredths = 60 + (long) (random_unit() * 340);
        const uint64_t steps = 5 + (uint64_t) (random_unit() * 60);
        const shuf_options options = { 3, 1e9 };
        shuf_law_t exact, below;
        shuf_enclosure_t r, b;
        shuf_real_t point;
        fmpq_t noise;
        shuf_enclosure_init(r);
        shuf_enclosure_init(b);
        shuf_real_init(point);
        fmpq_init(noise);
        set_noise(noise, hundredths);
        batch_law_balls(exact, noise, steps);
        batch_law_ratio(below, noise, steps, 1, 1);
        for (j = 0; j < 2; j++)
        {
            char text[32];
            snprintf(text, sizeof(text), "%.6g", j == 0 ? random_unit() : exp(-2 - 12 * random_unit()));
            shuf_real_set_str(point, text);
            (j == 0 ? exact->delta : exact->epsilon)(r, NULL, exact, point, SHUF_DIRECTION_PQ, &options);
            (j == 0 ? below->delta : below->epsilon)(b, NULL, below, point, SHUF_DIRECTION_PQ, &options);
            near += lower(b) >= 0.8 * lower(r);
            if (arf_cmp(b->lo, r->hi) > 0)
                fail_msg("noise %ld/100, %lu steps, %s %s: [%.10g, %.10g], in truth [%.10g, %.10g]", hundredths, (unsigned long) steps,
                         j == 0 ? "eps" : "delta", text, lower(b), upper(b), lower(r), upper(r));
        }
        shuf_law_clear(exact);
        shuf_law_clear(below);
        shuf_enclosure_clear(r);
        shuf_enclosure_clear(b);
        shuf_real_clear(point);
        fmpq_clear(noise);
    }
    assert_true(near >= 6);
}

static double above(double x)
{
    return erfc(x / sqrt(2.0)) / 2;
}

/* E (b + m X - alpha)_+, X = e^{mu u - mu^2/2} */
static double call(double b, double m, double alpha, double mu)
{
    const double d = log((alpha - b) / m) / mu;
    return b >= alpha ? b + m - alpha : m * above(d - mu / 2) - (alpha - b) * above(d + mu / 2);
}

#define REACH 9.0
#define POINTS 500

/* E ((x y + x z + y z)/3 - alpha)_+, of independent x, y, z as X above */
static double two_of_three(double mu, double alpha)
{
    const double step = (2 * REACH + 2 * mu) / POINTS;
    double sum = 0;
    int i, j;
    for (i = 0; i < POINTS; i++)
        for (j = 0; j < POINTS; j++)
        {
            const double u = -REACH + (i + 0.5) * step, v = -REACH + (j + 0.5) * step, x = exp(mu * u - mu * mu / 2), y = exp(mu * v - mu * mu / 2);
            sum += exp(-(u * u + v * v) / 2) * call(x * y / 3, (x + y) / 3, alpha, mu);
        }
    return sum * step * step / 6.28318530717958648;
}

static void test_two_of_three(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < 5; i++)
    {
        const long hundredths = 70 + (long) (random_unit() * 200);
        const double eps = 2 * random_unit();
        const shuf_options options = { 3, 1e9 };
        char text[32];
        shuf_law_t below;
        shuf_enclosure_t b;
        shuf_real_t point;
        fmpq_t noise;
        double truth;
        shuf_enclosure_init(b);
        shuf_real_init(point);
        fmpq_init(noise);
        set_noise(noise, hundredths);
        batch_law_ratio(below, noise, 3, 2, 1);
        snprintf(text, sizeof(text), "%.6f", eps);
        shuf_real_set_str(point, text);
        below->delta(b, NULL, below, point, SHUF_DIRECTION_PQ, &options);
        truth = two_of_three(100.0 / (double) hundredths, exp(atof(text)));
        if (!(lower(b) <= truth * (1 + 1e-5) && lower(b) >= 0.8 * truth))
            fail_msg("noise %ld/100, eps %s: [%.10g, %.10g], in truth %.10g", hundredths, text, lower(b), upper(b), truth);
        shuf_law_clear(below);
        shuf_enclosure_clear(b);
        shuf_real_clear(point);
        fmpq_clear(noise);
    }
}

/* Three epochs of one of twenty steps, and of two of forty, against those of balls and bins. */
static void test_epochs(void **state)
{
    static const struct { uint64_t steps, taking; } of[] = { { 20, 1 }, { 40, 2 } };
    const shuf_options options = { 2, 1e10 };
    shuf_enclosure_t r, b;
    shuf_real_t delta;
    fmpq_t noise;
    int i;
    (void) state;
    shuf_enclosure_init(r);
    shuf_enclosure_init(b);
    shuf_real_init(delta);
    fmpq_init(noise);
    set_noise(noise, 120);
    set(delta, "1e-5");
    for (i = 0; i < 2; i++)
    {
        shuf_law_t exact, below;
        shuf_pld_part part;
        batch_law_balls(exact, noise, of[i].steps / of[i].taking);
        batch_law_ratio(below, noise, of[i].steps, of[i].taking, 3);
        part = (shuf_pld_part) { exact, 3 * of[i].taking };
        shuf_pld_epsilon(r, &part, 1, delta, SHUF_DIRECTION_PQ, &options);
        below->epsilon(b, NULL, below, delta, SHUF_DIRECTION_PQ, &options);
        assert_true(arf_cmp(b->lo, r->hi) <= 0 && lower(b) > 0.9 * lower(r));
        below->epsilon(b, NULL, below, delta, SHUF_DIRECTION_QP, &options);
        assert_true(arf_is_zero(b->lo));
        shuf_law_clear(exact);
        shuf_law_clear(below);
    }
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(b);
    shuf_real_clear(delta);
    fmpq_clear(noise);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_one_step), cmocka_unit_test(test_two_of_three), cmocka_unit_test(test_epochs) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
