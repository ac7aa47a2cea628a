/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The sum over the steps of an epoch: never more than the epoch's divergence in both directions, and little less with the record against
 * without. That is an integral for two or three steps, here in doubles, and known from another engine for one of many steps that is
 * shifted by 1 or not. The masses are those of laws but for roundings.
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

#define REACH 8.0
#define POINTS 400

static double density_ratio(double y, double v, double s)
{
    return exp(v * y / (s * s) - v * v / (2 * s * s));
}

/* The profile of an epoch of two steps, one of them shifted by v, or by w. */
static double two_steps(double s, double v, double w, double alpha)
{
    const double low = -REACH * s + fmin(fmin(v, w), 0), high = REACH * s + fmax(fmax(v, w), 0), step = (high - low) / POINTS;
    double sum = 0;
    int i, j;
    for (i = 0; i < POINTS; i++)
        for (j = 0; j < POINTS; j++)
        {
            const double x = low + (i + 0.5) * step, y = low + (j + 0.5) * step;
            sum += exp(-(x * x + y * y) / (2 * s * s))
                   * fmax(density_ratio(x, v, s) + density_ratio(y, v, s) - alpha * (density_ratio(x, w, s) + density_ratio(y, w, s)), 0) / 2;
        }
    return sum * step * step / (6.28318530717958648 * s * s);
}

#define FEW_POINTS 90

/* Of three steps, two of them shifted. */
static double three_steps(double s, double v, double w, double alpha)
{
    const double low = -6 * s + fmin(fmin(v, w), 0), high = 6 * s + fmax(fmax(v, w), 0), step = (high - low) / FEW_POINTS;
    double sum = 0;
    int i, j, k;
    for (i = 0; i < FEW_POINTS; i++)
        for (j = 0; j < FEW_POINTS; j++)
            for (k = 0; k < FEW_POINTS; k++)
            {
                const double x = low + (i + 0.5) * step, y = low + (j + 0.5) * step, z = low + (k + 0.5) * step;
                const double a = density_ratio(x, v, s), b = density_ratio(y, v, s), c = density_ratio(z, v, s);
                const double d = density_ratio(x, w, s), e = density_ratio(y, w, s), f = density_ratio(z, w, s);
                sum += exp(-(x * x + y * y + z * z) / (2 * s * s)) * fmax(a * b + b * c + a * c - alpha * (d * e + e * f + d * f), 0) / 3;
            }
    return sum * pow(step / (2.50662827463100050 * s), 3);
}

static void test_few_steps(void **state)
{
    static const slong shifts[][2] = { { 2, 1 }, { 1, 0 }, { 1, -1 } };
    const shuf_options options = { 6, 0 };
    arf_t at, lo, hi;
    fmpq_t noise;
    int i, j, reverse;
    (void) state;
    arf_init(at); arf_init(lo); arf_init(hi);
    fmpq_init(noise);
    for (i = 0; i < 6; i++)
        for (j = 0; j < 2; j++)
        {
            const long hundredths = 70 + (long) (random_unit() * 300);
            const double s = (double) hundredths / 100, v = (double) shifts[i % 3][0], w = (double) shifts[i % 3][1];
            shuf_law_t law;
            fmpq_set_si(noise, hundredths, 100);
            arf_set_d(at, ldexp(floor(random_unit() * 1000), -10));
            batch_law_step_sum(law, noise, j == 0 ? 2 : 3, j == 0 ? 1 : 2, shifts[i % 3][0], shifts[i % 3][1]);
            law->prepare(law, &options);
            for (reverse = 0; reverse < 2; reverse++)
            {
                const double alpha = exp(arf_get_d(at, ARF_RND_NEAR));
                const double truth = (j == 0 ? two_steps : three_steps)(s, reverse ? w : v, reverse ? v : w, alpha);
                law->evaluate(lo, hi, law, reverse ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, at, 1, &options);
                if (!(arf_get_d(lo, ARF_RND_NEAR) <= truth * (1 + (j == 0 ? 1e-4 : 2e-3)) + 1e-6 && (reverse || arf_get_d(hi, ARF_RND_NEAR) >= 0.8 * truth - 1e-4)))
                    fail_msg("noise %ld/100, %d steps, shifts %g and %g, alpha %g: [%g, %g], in truth %g", hundredths, j + 2, v, w, alpha,
                             arf_get_d(lo, ARF_RND_NEAR), arf_get_d(hi, ARF_RND_NEAR), truth);
            }
            shuf_law_clear(law);
        }
    arf_clear(at); arf_clear(lo); arf_clear(hi);
    fmpq_clear(noise);
}

/* All masses, of p from below and of q from above, are those of laws but for roundings. */
static void check_masses(const shuf_law_struct *law, shuf_direction direction)
{
    shuf_loss_t loss;
    arb_t p, q, t;
    slong i;
    shuf_loss_init(loss);
    arb_init(p); arb_init(q); arb_init(t);
    assert_true(law->loss(loss, law, direction, 128));
    for (i = 0; i < loss->count; i++)
    {
        arb_add(p, p, loss->mass + i, 128);
        arb_neg(t, loss->value + i);
        arb_exp(t, t, 128);
        arb_addmul(q, t, loss->mass + i, 128);
    }
    assert_true(arf_cmp_d(arb_midref(p), 1) <= 0 && arf_cmp_d(arb_midref(p), 1 - 1e-6) > 0);
    assert_true(arf_cmp_d(arb_midref(q), 1 - 1e-13) >= 0 && arf_cmp_d(arb_midref(q), 1 + 1e-6) < 0);
    shuf_loss_clear(loss);
    arb_clear(p); arb_clear(q); arb_clear(t);
}

/* One of many steps is balls and bins, with the record against without: one epoch, and three. */
static void test_many_steps(void **state)
{
    static const struct
    {
        uint64_t steps;
        slong hundredths;
    } of[] = { { 37, 100 }, { 1000, 200 }, { 300, 80 } };
    const shuf_options options = { 4, 2e9 };
    shuf_enclosure_t r, b;
    shuf_real_t delta;
    fmpq_t noise;
    size_t i;
    int j;
    (void) state;
    shuf_enclosure_init(r);
    shuf_enclosure_init(b);
    shuf_real_init(delta);
    fmpq_init(noise);
    shuf_real_set_str(delta, "1e-5");
    for (i = 0; i < 3; i++)
    {
        shuf_law_t exact, below;
        fmpq_set_si(noise, of[i].hundredths, 100);
        batch_law_balls(exact, noise, of[i].steps);
        batch_law_step_sum(below, noise, of[i].steps, 1, 1, 0);
        for (j = 1; j <= 3; j += 2)
        {
            const shuf_pld_part whole = { exact, (uint64_t) j }, part = { below, (uint64_t) j };
            shuf_pld_epsilon(r, &whole, 1, delta, SHUF_DIRECTION_PQ, &options);
            shuf_pld_epsilon(b, &part, 1, delta, SHUF_DIRECTION_PQ, &options);
            if (!(arf_cmp(b->lo, r->hi) <= 0 && lower(b) > 0.9 * lower(r)))
                fail_msg("%lu steps, noise %ld/100, %d epochs: [%g, %g], in truth [%g, %g]", (unsigned long) of[i].steps, of[i].hundredths, j, lower(b), upper(b),
                         lower(r), upper(r));
        }
        check_masses(below, SHUF_DIRECTION_PQ);
        check_masses(below, SHUF_DIRECTION_QP);
        shuf_law_clear(exact);
        shuf_law_clear(below);
    }
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(b);
    shuf_real_clear(delta);
    fmpq_clear(noise);
}

/* At single points: delta is the profile, the better one of both directions, and eps is where that is delta. */
static void test_points(void **state)
{
    static const char *const deltas[] = { "1e-2", "1e-5", "1e-12" };
    const shuf_options options = { 9, 0 };
    shuf_enclosure_t r, d;
    shuf_real_t delta, eps;
    shuf_law_t law;
    arf_t lo, hi;
    fmpq_t noise;
    int i, reverse;
    (void) state;
    shuf_enclosure_init(r); shuf_enclosure_init(d);
    shuf_real_init(delta); shuf_real_init(eps);
    arf_init(lo); arf_init(hi);
    fmpq_init(noise);
    fmpq_set_si(noise, 3, 2);
    batch_law_step_sum(law, noise, 60, 1, 2, 1);
    for (i = 0; i < 3; i++)
        for (reverse = 0; reverse < 2; reverse++)
        {
            const shuf_direction direction = reverse ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
            shuf_real_set_str(delta, deltas[i]);
            assert_int_equal(law->epsilon(r, NULL, law, delta, direction, &options), SHUF_OK);
            arf_get_fmpq(eps->q, r->lo);
            assert_int_equal(law->delta(d, NULL, law, eps, direction, &options), SHUF_OK);
            assert_true(arf_is_zero(r->lo) || fabs(lower(d) / atof(deltas[i]) - 1) < 1e-6);
            law->evaluate(lo, hi, law, direction, r->lo, 1, &options);
            assert_true(arf_cmp(lo, d->hi) <= 0 && arf_cmp(d->lo, hi) <= 0);
            law->epsilon(d, NULL, law, delta, SHUF_DIRECTION_BOTH, &options);
            assert_true(arf_cmp(d->hi, r->lo) >= 0);
        }
    shuf_law_clear(law);
    shuf_enclosure_clear(r); shuf_enclosure_clear(d);
    shuf_real_clear(delta); shuf_real_clear(eps);
    arf_clear(lo); arf_clear(hi);
    fmpq_clear(noise);
}

/* Without the work for its cells it says nothing. */
static void test_little_work(void **state)
{
    const shuf_options options = { 4, 1e6 };
    arf_t at, lo, hi;
    shuf_loss_t loss;
    shuf_law_t law;
    fmpq_t noise;
    (void) state;
    arf_init(at); arf_init(lo); arf_init(hi);
    shuf_loss_init(loss);
    fmpq_init(noise);
    fmpq_one(noise);
    batch_law_step_sum(law, noise, 100, 1, 2, 1);
    law->prepare(law, &options);
    assert_false(law->loss(loss, law, SHUF_DIRECTION_PQ, 64));
    assert_int_equal(law->evaluate(lo, hi, law, SHUF_DIRECTION_PQ, at, 1, &options), SHUF_ACCURACY);
    assert_true(arf_is_zero(lo) && arf_is_one(hi));
    shuf_law_clear(law);
    shuf_loss_clear(loss);
    arf_clear(at); arf_clear(lo); arf_clear(hi);
    fmpq_clear(noise);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_few_steps), cmocka_unit_test(test_many_steps), cmocka_unit_test(test_points),
                                        cmocka_unit_test(test_little_work) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
