/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The inverse of a decreasing function that is known by enclosures. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "enclosure/budget.h"
#include "enclosure/inverse.h"
#include "random.h"

#define MOST 1000000

static shuf_status find(shuf_enclosure_t r, inverse_function f, const void *data, const shuf_real_t target,
                        const shuf_real_struct *limit, const shuf_options *options)
{
    const inverse_problem p = { f, data, limit, MOST, NULL, 0 };
    return inverse_find(r, &p, target, options);
}

/* f = exp(-(x/width)^power) or (1 - x/width)^power, known to some digits at best; counts its calls. */
typedef struct
{
    double width, power, best;
    int finite;
    ulong *calls;
} test_function;

static double exact(const test_function *t, double eps)
{
    if (t->finite)
        return eps >= t->width ? 0 : 0.9 * pow(1 - eps / t->width, t->power);
    return 0.7 * exp(-pow(eps / t->width, t->power));
}

static shuf_status evaluate(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    const test_function *t = data;
    double digits = fmin((double) options->digits, t->best), value, error, u = random_unit();
    arb_t e;
    arb_init(e);
    shuf_real_get_arb(e, eps, 64);
    value = exact(t, arf_get_d(arb_midref(e), ARF_RND_NEAR));
    error = value * pow(10, -digits);
    shuf_enclosure_zero(r);
    arf_set_d(r->lo, value - 0.9 * u * error);
    arf_set_d(r->hi, value + 0.9 * (1 - u) * error);
    ++*t->calls;
    r->status = (double) options->digits <= t->best ? SHUF_OK : SHUF_ACCURACY;
    arb_clear(e);
    return r->status;
}

static double inverse(const test_function *t, double target)
{
    if (t->finite)
        return target >= 0.9 ? 0 : t->width * (1 - pow(target / 0.9, 1 / t->power));
    return target >= 0.7 ? 0 : t->width * pow(log(0.7 / target), 1 / t->power);
}

static void test_smooth(void **state)
{
    ulong all = 0, most = 0;
    int round, count = 0;
    shuf_enclosure_t r;
    shuf_real_t target, limit;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(target);
    shuf_real_init(limit);
    for (round = 0; round < 400; round++)
    {
        ulong calls = 0;
        test_function t = { exp(12 * random_unit() - 8), 1 + 2 * random_unit(), 15, (int) random_below(2), &calls };
        double goal = exp(-40 * random_unit()), root;
        shuf_options options = { 2 + (slong) random_below(7), 0 };
        int coarse = random_below(4) == 0;
        shuf_status status;
        if (t.finite)
            t.power += 4;
        if (coarse)
            t.best = 1 + 3 * random_unit();
        assert_int_equal(shuf_real_set_d(target, goal), 0);
        assert_int_equal(shuf_real_set_d(limit, t.width), 0);
        status = find(r, evaluate, &t, target, t.finite ? limit : NULL, &options);
        root = inverse(&t, goal);
        assert_int_equal(status, r->status);
        if (arf_cmp_d(r->lo, root * (1 + 1e-12)) > 0 || arf_cmp_d(r->hi, root * (1 - 1e-12)) < 0)
            fail_msg("root %.15g outside [%.15g, %.15g]", root, arf_get_d(r->lo, ARF_RND_NEAR), arf_get_d(r->hi, ARF_RND_NEAR));
        if (!coarse && root > 1e-3 * t.width)
        {
            if (status != SHUF_OK)
                fail_msg("round %d, %d digits: [%.12g, %.12g] after %lu calls", round, (int) options.digits,
                         arf_get_d(r->lo, ARF_RND_NEAR), arf_get_d(r->hi, ARF_RND_NEAR), (unsigned long) calls);
            all += calls;
            most = calls > most ? calls : most;
            count++;
        }
        /* not much wider than the function is known */
        if (coarse && root > 0.5 * t.width)
        {
            double width = arf_get_d(r->hi, ARF_RND_NEAR) - arf_get_d(r->lo, ARF_RND_NEAR);
            assert_true(width < root * (1e3 * pow(10, -t.best) + pow(10, (double) -options.digits)));
        }
    }
    printf("evaluations: %.1f on average, %lu at most\n", (double) all / count, (unsigned long) most);
    assert_true(all < 14 * (ulong) count && most <= 40);
    shuf_enclosure_clear(r);
    shuf_real_clear(target);
    shuf_real_clear(limit);
}

static shuf_status refuse(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    (void) eps;
    (void) options;
    ++*(ulong *) (uintptr_t) data;
    shuf_enclosure_zero(r);
    arf_one(r->hi);
    return r->status = SHUF_DOMAIN;
}

/* 1/2 up to 1, unknown beyond. */
static shuf_status refuse_above(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    if (shuf_real_cmp_si(eps, 1) > 0)
        return refuse(r, eps, options, data);
    ++*(ulong *) (uintptr_t) data;
    shuf_enclosure_zero(r);
    arf_set_d(r->lo, 0.5);
    arf_set_d(r->hi, 0.5);
    return r->status;
}

/* Never below 0.01. */
static shuf_status constant(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    (void) eps;
    (void) options;
    ++*(ulong *) (uintptr_t) data;
    shuf_enclosure_zero(r);
    arf_set_d(r->lo, 0.01);
    arf_set_d(r->hi, 0.0101);
    return r->status;
}

static void test_ends(void **state)
{
    ulong calls = 0;
    test_function t = { 2, 5, 15, 1, &calls };
    shuf_options options = { 4, 0 };
    shuf_enclosure_t r;
    shuf_real_t target, limit;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(target);
    shuf_real_init(limit);
    set(limit, "2");
    /* target 0: just below the limit */
    set(target, "0");
    assert_int_equal(find(r, evaluate, &t, target, limit, &options), SHUF_OK);
    assert_true(arf_cmp_d(r->lo, 1.9999) > 0 && arf_equal_d(r->hi, 2));
    assert_int_equal(find(r, evaluate, &t, target, NULL, &options), SHUF_DOMAIN);
    assert_true(arf_is_pos_inf(r->hi));
    /* f(0) <= target */
    set(target, "0.91");
    assert_int_equal(find(r, evaluate, &t, target, limit, &options), SHUF_OK);
    assert_true(arf_is_zero(r->lo) && arf_is_zero(r->hi));
    set(target, "1");
    assert_int_equal(find(r, refuse, &calls, target, NULL, &options), SHUF_OK);
    assert_true(arf_is_zero(r->lo) && arf_is_zero(r->hi));
    /* refused, and never small enough */
    set(target, "1e-3");
    calls = 0;
    assert_int_equal(find(r, refuse, &calls, target, NULL, &options), SHUF_DOMAIN);
    assert_true(arf_is_zero(r->lo) && arf_is_pos_inf(r->hi) && calls == 1);
    calls = 0;
    assert_int_equal(find(r, refuse_above, &calls, target, NULL, &options), SHUF_DOMAIN);
    assert_true(arf_is_one(r->lo) && arf_is_pos_inf(r->hi) && calls <= 4);
    assert_int_equal(find(r, constant, &calls, target, NULL, &options), SHUF_DOMAIN);
    assert_true(arf_cmp_si(r->lo, MOST) == 0 && arf_is_pos_inf(r->hi));
    /* target inside the enclosures of f */
    set(target, "0.01005");
    calls = 0;
    assert_int_equal(find(r, constant, &calls, target, NULL, &options), SHUF_DOMAIN);
    assert_true(arf_is_zero(r->lo) && arf_is_pos_inf(r->hi) && calls < 100);
    set(target, "-1");
    assert_int_equal(find(r, constant, &calls, target, NULL, &options), SHUF_DOMAIN);
    shuf_enclosure_clear(r);
    shuf_real_clear(target);
    shuf_real_clear(limit);
}

/* As dear as a twelfth of all work at most, and vague. */
static shuf_status evaluate_dearly(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    shuf_charge(1e6);
    return evaluate(r, eps, options, data);
}

static double known_estimate(double eps, const void *data)
{
    return log(exact(data, eps));
}

/* An upper end is found before the work ends. */
static void test_last(void **state)
{
    int round;
    shuf_enclosure_t r;
    shuf_real_t target;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(target);
    for (round = 0; round < 100; round++)
    {
        ulong calls = 0;
        const test_function t = { exp(4 * random_unit() - 2), 1, 1.5 + random_unit(), 0, &calls };
        const inverse_problem p = { evaluate_dearly, &t, NULL, MOST, known_estimate, 0 };
        const double goal = exp(-2 - 10 * random_unit());
        shuf_options options = { 5, 1.2e7 + 6e6 * random_unit() };
        assert_int_equal(shuf_real_set_d(target, goal), 0);
        inverse_find(r, &p, target, &options);
        assert_true(arf_cmp_d(r->hi, 2.1 * inverse(&t, goal)) < 0 && arf_cmp_d(r->hi, inverse(&t, goal) * (1 - 1e-12)) > 0);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(target);
}

/*
 * A staircase: value[i] from edge[i] on (edge[0] = 0), known to an absolute
 * error of at most `fog` whatever is asked for. The ends are judged by the
 * stairs themselves.
 */
#define STAIRS 8

typedef struct
{
    double edge[STAIRS], value[STAIRS], fog;
} stairs;

static double stair(const stairs *t, double x)
{
    int i = STAIRS - 1;
    while (x < t->edge[i])
        i--;
    return t->value[i];
}

static shuf_status climb(shuf_enclosure_t r, const shuf_real_t x, const shuf_options *options, const void *data)
{
    const stairs *t = data;
    double value, u = random_unit();
    arb_t e;
    arb_init(e);
    shuf_real_get_arb(e, x, 64);
    value = stair(t, arf_get_d(arb_midref(e), ARF_RND_DOWN));
    shuf_enclosure_zero(r);
    arf_set_d(r->lo, fmax(value - u * t->fog, 0));
    arf_set_d(r->hi, fmin(value + (1 - u) * t->fog, 1));
    arb_clear(e);
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

/* Flat stretches and jumps: both ends certain, and close together but in the fog. */
static void test_stairs(void **state)
{
    int round, i, met = 0, reached = 0;
    shuf_enclosure_t r;
    shuf_real_t target;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(target);
    for (round = 0; round < 300; round++)
    {
        stairs t = { .fog = random_below(2) == 0 ? 0 : 1e-3 * random_unit() };
        shuf_options options = { 2 + (slong) random_below(8), 0 };
        double goal = 0.9 * random_unit(), lo, hi, nearest = 1;
        shuf_status status;
        t.value[0] = 0.2 + 0.8 * random_unit();
        for (i = 1; i < STAIRS; i++)
        {
            t.edge[i] = t.edge[i - 1] + exp(8 * random_unit() - 6);
            t.value[i] = random_below(6) == 0 ? t.value[i - 1] : t.value[i - 1] * random_unit();
        }
        assert_int_equal(shuf_real_set_d(target, goal), 0);
        status = find(r, climb, &t, target, NULL, &options);
        lo = arf_get_d(r->lo, ARF_RND_DOWN);
        hi = arf_is_finite(r->hi) ? arf_get_d(r->hi, ARF_RND_DOWN) : HUGE_VAL;
        for (i = 0; i < STAIRS; i++)
            nearest = fmin(nearest, fabs(t.value[i] - goal));
        /* what is said of the ends is true */
        assert_true(lo == 0 || stair(&t, lo) > goal);
        assert_true(isinf(hi) || stair(&t, hi) <= goal);
        assert_true(lo <= hi);
        assert_int_equal(status == SHUF_DOMAIN, isinf(hi));
        assert_int_equal(status == SHUF_OK, shuf_enclosure_accurate(r, options.digits));
        if (nearest > t.fog)
        {
            met += t.value[STAIRS - 1] <= goal;
            reached += status == SHUF_OK;
            assert_int_equal(isinf(hi), t.value[STAIRS - 1] > goal);
        }
    }
    printf("stairs: %d of %d to the digits\n", reached, met);
    assert_int_equal(reached, met);
    shuf_enclosure_clear(r);
    shuf_real_clear(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smooth),
        cmocka_unit_test(test_ends), cmocka_unit_test(test_last),
        cmocka_unit_test(test_stairs),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
