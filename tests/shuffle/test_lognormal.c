/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Sums of lognormal terms: against quadratures of two and three terms, against lines of the transform, at two finenesses, and calls less puts.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "check.h"
#include "enclosure/doubles.h"
#include "random.h"
#include "shuffle/gaussian.h"
#include "shuffle/lognormal.h"

/* x := that of noise 1/100 times `hundredths` */
static int make(lognormal_sum *x, shuf_real_t sigma, ulong hundredths, uint64_t n, slong digits)
{
    const shuf_options options = { digits, 0 };
    fmpq_set_ui(sigma->q, hundredths, 100);
    return lognormal_sum_init(x, sigma, n, &options);
}

/* v := a call or a put of K; returns its relative width */
static double excess(arb_t v, const lognormal_sum *x, double K, int is_put)
{
    arb_t k;
    double width;
    arb_init(k);
    arb_set_d(k, K);
    lognormal_sum_excess(v, x, k, is_put);
    width = mag_get_d(arb_radref(v)) / arf_get_d(arb_midref(v), ARF_RND_NEAR);
    arb_clear(k);
    return width;
}

/* ---- two and three terms, by quadrature ---- */

#define HALF_WIDTH 14.0
/* Of a trapezoid sum of a smooth function that vanishes at both ends: as good as doubles are, but for little noise that takes many. */
#define PANELS_OF_TWO 40000
#define PANELS_OF_THREE 1000

/* E(X - K)_+ of one term, K of any sign */
static double one_call(double K, double a)
{
    if (K <= 0)
        return 1 - K;
    return erfc((log(K) / a - a / 2) / sqrt(2)) / 2 - K * erfc((log(K) / a + a / 2) / sqrt(2)) / 2;
}

static double call(int terms, double K, double a, int panels)
{
    const double step = 2 * HALF_WIDTH / panels;
    double sum = 0;
    int i;
    if (terms == 1 || K <= 0)
        return terms == 1 ? one_call(K, a) : terms - K;
    for (i = 0; i <= panels; i++)
    {
        double z = -HALF_WIDTH + i * step;
        sum += exp(-z * z / 2) * call(terms - 1, K - exp(a * z - a * a / 2), a, panels);
    }
    return sum * step / sqrt(2 * DOUBLE_PI);
}

static void test_quadrature(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < 40; i++)
    {
        const int terms = i < 36 ? 2 : 3;
        const ulong hundredths = (ulong) log_uniform(terms == 2 ? 50 : 150, 500);
        lognormal_sum x;
        shuf_real_t sigma;
        double K, value;
        arb_t v, near;
        shuf_real_init(sigma);
        arb_init(v); arb_init(near);
        assert_int_equal(make(&x, sigma, hundredths, (uint64_t) terms, 6), 0);
        K = terms * (1 + random_unit() * 300 / (double) hundredths);
        assert_true(excess(v, &x, K, 0) < 1e-6);
        value = call(terms, K, 100 / (double) hundredths, terms == 2 ? PANELS_OF_TWO : PANELS_OF_THREE);
        arb_set_d(near, value);
        mag_set_d(arb_radref(near), 1e-9 * value + 1e-14);
        if (!arb_overlaps(v, near))
            fail_msg("%d terms, noise %u/100, K %.17g: %.17g, not %.17g", terms, (unsigned) hundredths, K, value, arf_get_d(arb_midref(v), ARF_RND_NEAR));
        lognormal_sum_clear(&x);
        shuf_real_clear(sigma);
        arb_clear(v); arb_clear(near);
    }
}

/* ---- more ---- */

/* What holds for all: calls less puts are n - K, both fall with the distance, nothing is asked outside. */
static void check_laws(const lognormal_sum *x, double n)
{
    arb_t call, put, t;
    double K = n * (1 + 1e-3 * random_unit());
    arb_init(call); arb_init(put); arb_init(t);
    excess(call, x, K, 0);
    excess(put, x, K, 1);
    arb_set_d(t, n);
    arb_sub(call, call, put, 128);
    arb_sub(call, call, t, 128);
    arb_set_d(t, K);
    arb_add(call, call, t, 128);
    if (!arb_contains_zero(call))
        fail_msg("%g terms: call - put - (n - K) is %.5g +- %.5g", n, arf_get_d(arb_midref(call), ARF_RND_NEAR), mag_get_d(arb_radref(call)));
    excess(call, x, 2 * n, 0);
    excess(put, x, 2.5 * n, 0);
    assert_false(arb_gt(put, call));
    excess(call, x, n / 2, 0);
    arb_set_d(t, n / 2);
    assert_true(arb_contains(call, t)); /* n less n/2, at least: nothing is known there but that it is at most n */
    excess(put, x, 1e300, 1);
    arb_set_d(t, 1e300 - n);
    assert_true(arb_contains(put, t));
    arb_clear(call); arb_clear(put); arb_clear(t);
}

static void test_lines(void **state)
{
    int i, d, known = 0;
    (void) state;
    for (i = 0; i < 9; i++)
    {
        const uint64_t n = (uint64_t) log_uniform(2, i < 8 ? 80 : 400);
        const ulong hundredths = (ulong) log_uniform(100, 400);
        const shuf_options options = { 7, 2e8 };
        lognormal_sum x, fine;
        shuf_real_t sigma, eps;
        shuf_enclosure_t line, law, finer;
        shuf_real_init(sigma);
        shuf_real_init(eps);
        shuf_enclosure_init(line);
        shuf_enclosure_init(law);
        shuf_enclosure_init(finer);
        assert_int_equal(make(&x, sigma, hundredths, n, 6), 0);
        assert_int_equal(make(&fine, sigma, hundredths, n, 9), 0);
        check_laws(&x, (double) n);
        check_laws(&fine, (double) n);
        for (d = 0; d < 4; d++)
        {
            const shuf_direction direction = d % 2 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP;
            shuf_real_set_d(eps, 600 * random_unit() / (double) hundredths / sqrt((double) n));
            shuf_gaussian_nodes(line, n, sigma, eps, 1, direction, NULL, &options);
            shuf_gaussian_nodes(law, n, sigma, eps, 1, direction, &x, &options);
            shuf_gaussian_nodes(finer, n, sigma, eps, 1, direction, &fine, &options);
            if (!overlap(line, law) || !overlap(law, finer) || !overlap(line, finer))
                fail_msg("n %u, noise %u/100, direction %d, eps %.17g: [%.14g, %.14g], [%.14g, %.14g], by a line [%.14g, %.14g]", (unsigned) n,
                         (unsigned) hundredths, d % 2, fmpq_get_d(eps->q), lower(law), upper(law), lower(finer), upper(finer), lower(line), upper(line));
            assert_true(upper(finer) - lower(finer) < 1e-5 * upper(finer));
            known += upper(line) - lower(line) < 1e-6 * upper(line);
        }
        lognormal_sum_clear(&x);
        lognormal_sum_clear(&fine);
        shuf_real_clear(sigma);
        shuf_real_clear(eps);
        shuf_enclosure_clear(line);
        shuf_enclosure_clear(law);
        shuf_enclosure_clear(finer);
    }
    assert_true(known >= 12);
}

static void test_refused(void **state)
{
    static const struct { ulong hundredths; uint64_t n; slong digits; } at[] = { { 100, 1, 6 }, { 100, 5000, 6 }, { 100, 5, 13 }, { 10, 5, 6 }, { 20000, 5, 6 } };
    lognormal_sum x;
    shuf_real_t sigma;
    size_t i;
    (void) state;
    shuf_real_init(sigma);
    for (i = 0; i < sizeof(at) / sizeof(at[0]); i++)
        assert_int_equal(make(&x, sigma, at[i].hundredths, at[i].n, at[i].digits), -1);
    shuf_real_clear(sigma);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_quadrature), cmocka_unit_test(test_lines), cmocka_unit_test(test_refused) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
