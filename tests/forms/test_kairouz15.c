/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Strong composition: against the enumeration of all outcomes of T (eps,
 * delta) responses, one round, the printed nodes, monotonicity, the closed
 * form, and large T.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "forms/kairouz15.h"
#include "check.h"
#include "random.h"

static const shuf_options twelve = SHUF_OPTIONS_DEFAULT;

static int contains(const shuf_enclosure_t r, double value)
{
    double slack = 1e-12 * fabs(value) + 1e-14;
    return lower(r) <= value + slack && upper(r) >= value - slack;
}

/*
 * delta of T draws of the four outcomes (delta, (1-delta) E/(1+E), (1-delta)/(1+E), 0)
 * against the same reversed: all 4^T of them.
 */
static double enumerate(int rounds, double eps, double delta, double x)
{
    double E = exp(eps), sum = 0;
    double p[4] = { delta, (1 - delta) * E / (1 + E), (1 - delta) / (1 + E), 0 };
    long outcome, count = 1L << (2 * rounds);
    for (outcome = 0; outcome < count; outcome++)
    {
        double P = 1, Q = 1;
        int i;
        for (i = 0; i < rounds; i++)
        {
            P *= p[(outcome >> (2 * i)) & 3];
            Q *= p[3 - ((outcome >> (2 * i)) & 3)];
        }
        sum += fmax(P - exp(x) * Q, 0);
    }
    return sum;
}

static void test_enumeration(void **state)
{
    shuf_enclosure_t r, back;
    shuf_real_t eps, delta, x;
    int i;
    (void) state;
    shuf_enclosure_init(r);
    shuf_enclosure_init(back);
    shuf_real_init(eps);
    shuf_real_init(delta);
    shuf_real_init(x);
    for (i = 0; i < 150; i++)
    {
        int rounds = 1 + (int) random_below(8);
        double truth, e = 2 * random_unit(), d = i % 3 == 0 ? 0 : 0.2 * random_unit();
        shuf_real_set_d(eps, e);
        shuf_real_set_d(delta, d);
        /* any x, or a node, where two lines meet */
        shuf_real_set_d(x, i % 5 == 0 ? e * (double) (rounds - 2 * (int) random_below((uint64_t) rounds / 2 + 1))
                                      : 1.1 * rounds * e * random_unit());
        truth = enumerate(rounds, e, d, value_of(x));
        shuf_kairouz15_delta(r, eps, delta, (uint64_t) rounds, x, &twelve);
        if (!contains(r, truth))
            fail_msg("T = %d eps = %g delta = %g at %g: [%g, %g], not %.17g", rounds, e, d, value_of(x), lower(r), upper(r), truth);
        assert_true(explained(r));
        assert_true(upper(r) == 0 || r->status == SHUF_OK || upper(r) < 1e-15);
        /* eps(delta) is the smallest: it gives back delta and no smaller x will do */
        shuf_real_set_d(x, 1 - (1 - truth) * (1 - 0.3 * random_unit()));
        assert_int_equal(shuf_kairouz15_epsilon(back, eps, delta, (uint64_t) rounds, x, &twelve), SHUF_OK);
        assert_true(explained(back));
        truth = value_of(x);
        assert_true(enumerate(rounds, e, d, upper(back)) <= truth + 1e-12);
        if (arf_sgn(back->lo) > 0)
            assert_true(fabs(enumerate(rounds, e, d, lower(back)) - truth) <= 1e-11);
    }
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(back);
    shuf_real_clear(eps);
    shuf_real_clear(delta);
    shuf_real_clear(x);
}

/* The formula that Theorem 3.3 prints, at its nodes. */
static double printed(int rounds, int i, double eps)
{
    double sum = 0;
    int l;
    for (l = 0; l < i; l++)
        sum += exp(lgamma(rounds + 1) - lgamma(l + 1) - lgamma(rounds - l + 1) - rounds * log1p(exp(eps)))
               * (exp((rounds - l) * eps) - exp((rounds - 2 * i + l) * eps));
    return sum;
}

static void test_nodes(void **state)
{
    shuf_enclosure_t r;
    shuf_real_t eps, delta, x;
    fmpq_t q;
    int i;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    shuf_real_init(delta);
    shuf_real_init(x);
    fmpq_init(q);
    set(eps, "3/10");
    for (i = 0; i <= 20; i++)
    {
        double truth = printed(40, i, 0.3);
        fmpq_set_si(q, 3 * (40 - 2 * i), 10);
        shuf_real_set_fmpq(x, q);
        set(delta, "0");
        shuf_kairouz15_delta(r, eps, delta, 40, x, &twelve);
        assert_true(fabs(upper(r) - truth) <= 1e-9 * truth && fabs(lower(r) - truth) <= 1e-9 * truth);
        set(delta, "1e-3");
        shuf_kairouz15_delta(r, eps, delta, 40, x, &twelve);
        assert_true(contains(r, 1 - pow(0.999, 40) * (1 - truth)));
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    shuf_real_clear(delta);
    shuf_real_clear(x);
    fmpq_clear(q);
}

static void test_special(void **state)
{
    shuf_enclosure_t r;
    shuf_real_t eps, delta, x;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    shuf_real_init(delta);
    shuf_real_init(x);

    /* one round: nothing changes at its own eps; at 0 the total variation (E-1+2 delta)/(E+1) */
    set(eps, "log(3)");
    set(delta, "0.01");
    set(x, "log(3)");
    assert_int_equal(shuf_kairouz15_delta(r, eps, delta, 1, x, &twelve), SHUF_OK);
    assert_true(contains(r, 0.01));
    set(x, "0");
    assert_int_equal(shuf_kairouz15_delta(r, eps, delta, 1, x, &twelve), SHUF_OK);
    assert_true(contains(r, 0.505));
    set(x, "0.01");
    assert_int_equal(shuf_kairouz15_epsilon(r, eps, delta, 1, x, &twelve), SHUF_OK);
    assert_true(contains(r, log(3)));
    /* less than delta cannot be had */
    set(x, "0.0099");
    assert_int_equal(shuf_kairouz15_epsilon(r, eps, delta, 1, x, &twelve), SHUF_DOMAIN);
    assert_true(arf_is_pos_inf(r->hi));
    /* delta = 0 wants T eps; beyond T eps exactly 0 */
    set(delta, "0");
    set(x, "0");
    assert_int_equal(shuf_kairouz15_epsilon(r, eps, delta, 7, x, &twelve), SHUF_OK);
    assert_true(contains(r, 7 * log(3)));
    set(x, "8");
    assert_int_equal(shuf_kairouz15_delta(r, eps, delta, 7, x, &twelve), SHUF_OK);
    assert_true(arf_is_zero(r->lo) && arf_is_zero(r->hi));
    /* eps = 0 */
    set(eps, "0");
    set(delta, "1/2");
    set(x, "0");
    assert_int_equal(shuf_kairouz15_delta(r, eps, delta, 3, x, &twelve), SHUF_OK);
    assert_true(contains(r, 0.875));
    set(x, "0.9");
    assert_int_equal(shuf_kairouz15_epsilon(r, eps, delta, 3, x, &twelve), SHUF_OK);
    assert_true(arf_is_zero(r->hi));
    set(x, "0.8");
    assert_int_equal(shuf_kairouz15_epsilon(r, eps, delta, 3, x, &twelve), SHUF_DOMAIN);
    /* nothing private */
    set(delta, "1");
    assert_int_equal(shuf_kairouz15_epsilon(r, eps, delta, 3, x, &twelve), SHUF_DOMAIN);
    set(x, "1");
    assert_int_equal(shuf_kairouz15_epsilon(r, eps, delta, 3, x, &twelve), SHUF_OK);
    assert_true(arf_is_zero(r->hi));
    /* out of range */
    set(eps, "-1");
    assert_int_equal(shuf_kairouz15_delta(r, eps, delta, 3, x, &twelve), SHUF_DOMAIN);
    set(eps, "1");
    assert_int_equal(shuf_kairouz15_delta(r, eps, delta, 0, x, &twelve), SHUF_DOMAIN);
    set(delta, "1.1");
    assert_int_equal(shuf_kairouz15_delta(r, eps, delta, 1, x, &twelve), SHUF_DOMAIN);

    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    shuf_real_clear(delta);
    shuf_real_clear(x);
}

/* Theorem 3.4's closed form: never below the optimal one. */
static double closed(double rounds, double eps, double s)
{
    double mean = rounds * eps * tanh(eps / 2), root = sqrt(rounds) * eps;
    return fmin(rounds * eps, fmin(mean + root * sqrt(2 * log(exp(1) + root / s)), mean + root * sqrt(-2 * log(s))));
}

static void test_closed(void **state)
{
    shuf_enclosure_t optimal;
    shuf_real_t eps, delta, x;
    int i;
    (void) state;
    shuf_enclosure_init(optimal);
    shuf_real_init(eps);
    shuf_real_init(delta);
    shuf_real_init(x);
    for (i = 0; i < 150; i++)
    {
        uint64_t rounds = 1 + (uint64_t) exp(13 * random_unit());
        double e = exp(8 * random_unit() - 7), d = exp(-40 * random_unit() - 5);
        shuf_real_set_d(eps, e);
        shuf_real_set_d(x, d);
        assert_int_equal(shuf_kairouz15_epsilon(optimal, eps, delta, rounds, x, &twelve), SHUF_OK);
        assert_true(upper(optimal) <= closed((double) rounds, e, d) * (1 + 1e-12));
    }
    shuf_enclosure_clear(optimal);
    shuf_real_clear(eps);
    shuf_real_clear(delta);
    shuf_real_clear(x);
}

/* Large T: decreasing in x, growing in T, inverse of each other, within a second. */
static void test_large(void **state)
{
    shuf_enclosure_t r, previous;
    shuf_real_t eps, delta, x;
    double start = shuf_seconds();
    int i;
    (void) state;
    shuf_enclosure_init(r);
    shuf_enclosure_init(previous);
    shuf_real_init(eps);
    shuf_real_init(delta);
    shuf_real_init(x);
    set(eps, "0.001");
    set(delta, "1e-12");
    arf_one(previous->lo);
    for (i = 0; i < 12; i++)
    {
        shuf_real_set_d(x, 0.7 * i);
        assert_int_equal(shuf_kairouz15_delta(r, eps, delta, 1000000, x, &twelve), SHUF_OK);
        assert_true(arf_cmp(r->hi, previous->lo) < 0);
        shuf_enclosure_set(previous, r);
        if (i > 0 && i < 7)
        {
            double point = value_of(x);
            shuf_real_set_arf(x, r->hi);
            assert_int_equal(shuf_kairouz15_epsilon(r, eps, delta, 1000000, x, &twelve), SHUF_OK);
            assert_true(fabs(upper(r) - point) < 1e-9 && fabs(lower(r) - point) < 1e-9);
        }
    }
    /* the limit is Gaussian with mu = 1: delta(1) = Phi(-1/2) - e Phi(-3/2) = 0.126936737507 */
    set(delta, "0");
    set(x, "1");
    assert_int_equal(shuf_kairouz15_delta(r, eps, delta, 1000000, x, &twelve), SHUF_OK);
    assert_true(fabs(upper(r) - 0.126936737507) < 1e-5);
    shuf_enclosure_set(previous, r);
    assert_int_equal(shuf_kairouz15_delta(r, eps, delta, 1000100, x, &twelve), SHUF_OK);
    assert_true(arf_cmp(r->lo, previous->hi) > 0);
    /* far down: 1e-200 */
    set(x, "1e-200");
    assert_int_equal(shuf_kairouz15_epsilon(r, eps, delta, 1000000, x, &twelve), SHUF_OK);
    shuf_real_set_arf(eps, r->hi);
    shuf_real_set(x, eps);
    set(eps, "0.001");
    assert_int_equal(shuf_kairouz15_delta(r, eps, delta, 1000000, x, &twelve), SHUF_OK);
    assert_true(upper(r) < 1.0001e-200 && upper(r) > 0.9999e-200);
    printf("%.2f s\n", shuf_seconds() - start);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(previous);
    shuf_real_clear(eps);
    shuf_real_clear(delta);
    shuf_real_clear(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enumeration), cmocka_unit_test(test_nodes), cmocka_unit_test(test_special),
        cmocka_unit_test(test_closed), cmocka_unit_test(test_large),
    };
    int failed;
    seed_random();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
