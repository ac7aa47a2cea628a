/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Sums in convex order against the engine of the shuffled Gaussian mechanism, and null clones against what is known of shuffled batches. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "batch/batch_law.h"
#include "batch/convex_sum.h"
#include "random.h"
#include "shuffle/gaussian.h"
#include "tradeoff/gdp.h"

/* Both sides of E(L - alpha)_+ or E(1 - alpha L)_+ hold what the engine says; they are near each other where it matters. */
static void expect_around(convex_sum_t *sum, const fmpq_t noise, uint64_t m, double eps, int d, double tolerance)
{
    const shuf_options options = { 3, 2e7 };
    const double lo = convex_sum_value(sum[0], exp(eps), d), hi = convex_sum_value(sum[1], exp(eps), d);
    shuf_enclosure_t r;
    shuf_real_t s, e;
    fmpq_t q;
    arf_t t;
    shuf_enclosure_init(r); shuf_real_init(s); shuf_real_init(e);
    fmpq_init(q);
    arf_init(t);
    shuf_real_set_fmpq(s, noise);
    arf_set_d(t, eps);
    arf_get_fmpq(q, t);
    shuf_real_set_fmpq(e, q);
    shuf_gaussian_delta(r, m, s, e, d == 0 ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, &options);
    if (arf_cmp_d(r->hi, lo) < 0 || arf_cmp_d(r->lo, hi) > 0)
        fail_msg("noise %g, %g copies, eps %g, direction %d: [%.10g, %.10g], the engine [%.10g, %.10g]", fmpq_get_d(noise), (double) m, eps, d,
                 lo, hi, arf_get_d(r->lo, ARF_RND_NEAR), arf_get_d(r->hi, ARF_RND_NEAR));
    if (hi > 1e-12 && !(hi - lo <= tolerance * hi))
        fail_msg("noise %g, %g copies, eps %g, direction %d: only [%.10g, %.10g]", fmpq_get_d(noise), (double) m, eps, d, lo, hi);
    shuf_enclosure_clear(r); shuf_real_clear(s); shuf_real_clear(e);
    fmpq_clear(q);
    arf_clear(t);
}

static void sums_init(convex_sum_t *sum, const convex_cells *cells, uint64_t m)
{
    int i;
    for (i = 0; i < 2; i++)
    {
        convex_sum_init(sum[i]);
        convex_sum_set(sum[i], cells, m, i);
    }
}

static void sums_clear(convex_sum_t *sum)
{
    convex_sum_clear(sum[0]);
    convex_sum_clear(sum[1]);
}

static void test_sums(void **state)
{
    static const struct { slong num, den; uint64_t m; } cases[] = { { 1, 1, 1 }, { 1, 1, 2 }, { 7, 10, 3 }, { 2, 1, 7 }, { 1, 2, 12 } };
    convex_sum_t sum[2];
    fmpq_t noise;
    size_t i;
    int d;
    (void) state;
    skip_unless_drawn(4);
    fmpq_init(noise);
    for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
    {
        const convex_cells cells = { noise, 0.03, 20, 0, 0, 0, 0 };
        double eps;
        fmpq_set_si(noise, cases[i].num, (ulong) cases[i].den);
        assert_true(convex_sum_exists(&cells, (double) cases[i].m));
        sums_init(sum, &cells, cases[i].m);
        for (eps = 0; eps < 6; eps += 1 + eps)
            for (d = 0; d < 2; d++)
                expect_around(sum, noise, cases[i].m, eps, d, 0.06);
        sums_clear(sum);
    }
    fmpq_clear(noise);
}

/* Whatever the cells, coarse ones too. */
static void test_random_cells(void **state)
{
    convex_sum_t sum[2];
    fmpq_t noise;
    int i, d;
    (void) state;
    skip_unless_drawn(4);
    fmpq_init(noise);
    for (i = 0; i < 12; i++)
    {
        convex_cells cells = { noise, 0, 0, 0, 0, 0, 0 };
        uint64_t m = 1 + random_below(9);
        double eps;
        fmpq_set_si(noise, (slong) (4 + random_below(20)), 8);
        cells.fineness = 0.05 + (double) random_below(100) / 100;
        cells.reach = 3 + (double) random_below(20);
        sums_init(sum, &cells, m);
        for (eps = 0; eps < 5; eps += 1.5)
            for (d = 0; d < 2; d++)
                expect_around(sum, noise, m, eps, d, 1e300);
        sums_clear(sum);
    }
    fmpq_clear(noise);
}

/* No sum of laws that reach no further than that is beyond doubles. */
static void test_exists(void **state)
{
    fmpq_t noise;
    const convex_cells cells = { noise, 0.01, 20, 0, 0, 0, 0 };
    (void) state;
    fmpq_init(noise);
    fmpq_set_si(noise, 1, 1000);
    assert_false(convex_sum_exists(&cells, 2));
    assert_false(batch_law_clones_exists(noise, 1000));
    fmpq_set_si(noise, 1, 5);
    assert_true(convex_sum_exists(&cells, 2));
    assert_false(batch_law_clones_exists(noise, 1));
    assert_true(batch_law_clones_exists(noise, 2));
    fmpq_clear(noise);
}

static double at(const shuf_law_struct *law, shuf_direction direction, double eps, int upper)
{
    const shuf_options options = { 5, 1e9 };
    double v;
    arf_t s, lo, hi;
    arf_init(s); arf_init(lo); arf_init(hi);
    arf_set_d(s, eps);
    law->evaluate(lo, hi, law, direction, s, 1, &options);
    v = arf_get_d(upper ? hi : lo, ARF_RND_NEAR);
    arf_clear(s); arf_clear(lo); arf_clear(hi);
    return v;
}

/*
 * Between what the largest step says and fixed batches; at noise 2 and 1000 steps next to 8.40e-9 and 4.52e-9 at 0.47, the least over p in
 * doubles by transforms, and at noise 1 to 9.97e-9 and 9.83e-9 at 5.64.
 */
static void test_clones(void **state)
{
    static const struct { ulong noise; double eps, value[2]; } known[] = { { 2, 0.47, { 8.40e-9, 4.52e-9 } }, { 1, 5.64, { 9.97e-9, 9.83e-9 } } };
    const shuf_options options = { 5, 1e10 };
    shuf_law_t clones, maximum, fixed;
    fmpq_t noise;
    size_t i;
    int d;
    (void) state;
    skip_unless_drawn(5);
    fmpq_init(noise);
    for (i = 0; i < 2; i++)
    {
        double eps;
        fmpq_set_ui(noise, known[i].noise, 1);
        batch_law_clones(clones, noise, 1000);
        batch_law_maximum(maximum, noise, 1000, 1, 2, 1);
        batch_law_fixed(fixed, noise, 1);
        clones->prepare(clones, &options);
        for (d = 0; d < 2; d++)
        {
            const shuf_direction direction = d == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP;
            const double v = at(clones, direction, known[i].eps, 1);
            if (!(v > known[i].value[d] * 0.997 && v < known[i].value[d] * 1.03))
                fail_msg("noise %g, eps %g, direction %d: %.6g", fmpq_get_d(noise), known[i].eps, d, v);
            for (eps = 0; eps < 8; eps += 0.3)
            {
                assert_true(at(maximum, direction, eps, 0) <= at(clones, direction, eps, 1));
                assert_true(at(clones, direction, eps, 0) <= at(fixed, direction, eps, 1) * 1.2);
            }
        }
        shuf_law_clear(clones);
        shuf_law_clear(maximum);
        shuf_law_clear(fixed);
    }
    fmpq_clear(noise);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_sums), cmocka_unit_test(test_random_cells), cmocka_unit_test(test_exists),
                                        cmocka_unit_test(test_clones) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
