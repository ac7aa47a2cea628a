/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Binomial probabilities against exact sums, and against themselves. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "binomial/binomial.h"
#include "random.h"

/* p and 1-p, at 160 bits more than prec */
static void set_p(arb_t p, arb_t q, ulong num, ulong den, slong prec)
{
    arb_set_ui(p, num);
    arb_div_ui(p, p, den, prec + 160);
    arb_set_ui(q, den - num);
    arb_div_ui(q, q, den, prec + 160);
}

static void assert_sharp(const arb_t x, slong bits, ulong n, ulong k, ulong num, ulong den)
{
    if (!arb_is_zero(x) && arb_rel_accuracy_bits(x) < bits)
        fail_msg("only %ld of %ld bits at n = %lu, k = %lu, p = %lu/%lu", (long) arb_rel_accuracy_bits(x), (long) bits, n, k,
                 num, den);
}

/* hi bound >= exact, in either sense of exact */
static void assert_at_least(const arb_t bound, const fmpq_t exact)
{
    arf_t hi;
    fmpq_t q;
    arf_init(hi);
    fmpq_init(q);
    arb_get_lbound_arf(hi, bound, 200);
    arf_get_fmpq(q, hi);
    assert_true(fmpq_cmp(q, exact) >= 0);
    arf_clear(hi);
    fmpq_clear(q);
}

static void test_exact_sums(void **state)
{
    static const ulong ps[][2] = { { 1, 2 }, { 1, 3 }, { 1, 1000 }, { 999, 1000 }, { 7, 10 }, { 1, 1000000007 }, { 0, 1 }, { 1, 1 } };
    static const ulong ns[] = { 0, 1, 2, 3, 7, 12, 25, 59, 60 };
    arb_t p, q, r;
    fmpq_t pmf[62], tail, below, pq;
    fmpz_t a, b;
    size_t i, j;
    ulong k;
    (void) state;
    arb_init(p); arb_init(q); arb_init(r);
    for (k = 0; k < 62; k++)
        fmpq_init(pmf[k]);
    fmpq_init(tail);
    fmpq_init(below);
    fmpq_init(pq);
    fmpz_init(a);
    fmpz_init(b);
    for (i = 0; i < sizeof(ps) / sizeof(ps[0]); i++)
    {
        ulong num = ps[i][0], den = ps[i][1];
        for (j = 0; j < sizeof(ns) / sizeof(ns[0]); j++)
        {
            ulong n = ns[j];
            slong prec = (i + j) % 2 ? 64 : 128;
            set_p(p, q, num, den, prec);
            for (k = 0; k <= n + 1; k++)
            {
                fmpz_bin_uiui(a, n, k);
                if (k <= n)
                {
                    fmpz_ui_pow_ui(b, num, k);
                    fmpz_mul(a, a, b);
                    fmpz_ui_pow_ui(b, den - num, n - k);
                    fmpz_mul(a, a, b);
                }
                fmpz_ui_pow_ui(b, den, n);
                fmpq_set_fmpz_frac(pmf[k], a, b);
                shuf_binomial_pmf(r, n, k, p, q, prec);
                assert_true(arb_contains_fmpq(r, pmf[k]));
                assert_sharp(r, prec - 25, n, k, num, den);
                assert_true(!fmpq_is_zero(pmf[k]) || arb_is_zero(r));
            }
            fmpq_zero(tail);
            fmpq_one(below);
            for (k = n + 2; k-- > 0;)
            {
                fmpq_add(tail, tail, pmf[k]);
                /* below = Pr[X <= k] */
                shuf_binomial_tail(r, n, k, p, q, prec);
                if (!arb_contains_fmpq(r, tail))
                    fail_msg("wrong tail at n = %lu, k = %lu, p = %lu/%lu", n, k, num, den);
                assert_sharp(r, prec - 25, n, k, num, den);
                shuf_binomial_upper_tail_bound(r, n, k, p, q, prec);
                assert_at_least(r, tail);
                shuf_binomial_lower_tail_bound(r, n, k, p, q, prec);
                assert_at_least(r, below);
                fmpq_sub(below, below, pmf[k]);
            }
        }
    }
    /* q = 0 or p = 0 exactly */
    arb_one(p);
    arb_zero(q);
    for (k = 0; k <= 6; k++)
    {
        shuf_binomial_pmf(r, 5, k, p, q, 64);
        assert_true(arb_equal_si(r, k == 5));
        shuf_binomial_tail(r, 5, k, p, q, 64);
        assert_true(arb_equal_si(r, k <= 5));
        shuf_binomial_pmf(r, 5, k, q, p, 64);
        assert_true(arb_equal_si(r, k == 0));
        shuf_binomial_tail(r, 5, k, q, p, 64);
        assert_true(arb_equal_si(r, k == 0));
    }
    arb_clear(p); arb_clear(q); arb_clear(r);
    for (k = 0; k < 62; k++)
        fmpq_clear(pmf[k]);
    fmpq_clear(tail);
    fmpq_clear(below);
    fmpq_clear(pq);
    fmpz_clear(a);
    fmpz_clear(b);
}

/* mean + x standard deviations, inside 0 .. n */
static ulong deviation(ulong n, double p, double x)
{
    double mean = (double) n * p, k = mean + x * sqrt(mean * (1 - p));
    if (k < 0)
        return 0;
    if (k >= (double) n)
        return n;
    return (ulong) k;
}

/* Consistency at one point; returns the tail at low precision. */
static void check_point(arb_t low, ulong n, ulong k, ulong num, ulong den)
{
    arb_t p, q, high, next, pmf;
    arb_init(p); arb_init(q); arb_init(high); arb_init(next); arb_init(pmf);
    set_p(p, q, num, den, 160);
    shuf_binomial_tail(low, n, k, p, q, 64);
    shuf_binomial_tail(high, n, k, p, q, 160);
    if (!arb_overlaps(low, high))
        fail_msg("two tails at n = %lu, k = %lu, p = %lu/%lu", n, k, num, den);
    assert_sharp(low, 64 - 25, n, k, num, den);
    assert_sharp(high, 120, n, k, num, den); /* the length of the continued fraction is a heuristic */
    /* tail(k) - tail(k+1) = pmf(k) */
    shuf_binomial_tail(next, n, k + 1, p, q, 160);
    arb_sub(high, high, next, 160);
    shuf_binomial_pmf(pmf, n, k, p, q, 64);
    assert_sharp(pmf, 64 - 25, n, k, num, den);
    if (!arb_overlaps(high, pmf))
        fail_msg("tail difference at n = %lu, k = %lu, p = %lu/%lu", n, k, num, den);
    shuf_binomial_pmf(high, n, k, p, q, 160);
    assert_true(arb_overlaps(high, pmf));
    /* the bound */
    shuf_binomial_upper_tail_bound(high, n, k, p, q, 64);
    assert_false(arb_lt(high, low));
    /* Pr[X <= k] = Pr[n - X >= n - k] */
    shuf_binomial_lower_tail_bound(high, n, k, p, q, 64);
    shuf_binomial_tail(next, n, n - k, q, p, 64);
    assert_false(arb_lt(high, next));
    /* the two sides add up to 1, each from its own method */
    shuf_binomial_tail(next, n, n - k + 1, q, p, 160);
    arb_add(next, next, low, 160);
    assert_true(arb_contains_si(next, 1));
    arb_clear(p); arb_clear(q); arb_clear(high); arb_clear(next); arb_clear(pmf);
}

static void test_random(void **state)
{
    arb_t low;
    int i;
    (void) state;
    arb_init(low);
    for (i = 0; i < 250; i++)
    {
        ulong n = (ulong) pow(10, 12 * random_unit());
        ulong den = 2 + random_bits() % 1000000, num;
        num = 1 + random_bits() % (den - 1);
        if (i % 5 == 0)
            num = 1;
        check_point(low, n, deviation(n, (double) num / (double) den, 16 * random_unit() - 6), num, den);
    }
    arb_clear(low);
}

static void test_wide(void **state)
{
    static const ulong ns[] = { UINT64_C(1000000000), UINT64_C(1000000000000), UINT64_C(1000000000000000),
                                UINT64_C(1000000000000000000) };
    static const ulong ps[][2] = { { 1, 2 }, { 1, 7 }, { 99, 100 } };
    arb_t low, previous;
    size_t i, j;
    int x;
    (void) state;
    arb_init(low);
    arb_init(previous);
    for (i = 0; i < 4; i++)
    {
        for (j = 0; j < 3; j++)
        {
            if (i % 2 == 1 && j == 1)
                continue;
            arb_set_si(previous, 2);
            for (x = -6; x <= 8; x += (i + j) % 2 ? 2 : 1)
            {
                ulong k = deviation(ns[i], (double) ps[j][0] / (double) ps[j][1], x + 0.01);
                if (x % 2 == 0)
                {
                    check_point(low, ns[i], k, ps[j][0], ps[j][1]);
                }
                else
                {
                    arb_t p, q;
                    arb_init(p);
                    arb_init(q);
                    set_p(p, q, ps[j][0], ps[j][1], 64);
                    shuf_binomial_tail(low, ns[i], k, p, q, 64);
                    arb_clear(p);
                    arb_clear(q);
                }
                assert_true(arb_lt(low, previous));
                arb_set(previous, low);
            }
        }
    }
    /* next to the mean, where the methods change over */
    check_point(low, ns[2], ns[2] / 2, 1, 2);
    check_point(low, ns[2], ns[2] / 2 + 1, 1, 2);
    arb_clear(low);
    arb_clear(previous);
}

/* A fair coin: Pr[X >= k] + Pr[X >= n-k+1] = 1. */
static void test_fair(void **state)
{
    arb_t p, a, b;
    int i;
    (void) state;
    arb_init(p);
    arb_init(a);
    arb_init(b);
    arb_set_d(p, 0.5);
    for (i = 0; i < 100; i++)
    {
        ulong n = (ulong) pow(10, 14 * random_unit()), k = deviation(n, 0.5, 12 * random_unit() - 6) + 1;
        shuf_binomial_tail(a, n, k, p, p, 128);
        shuf_binomial_tail(b, n, n - k + 1, p, p, 128);
        arb_add(a, a, b, 200);
        assert_true(arb_contains_si(a, 1));
        assert_true(arb_rel_accuracy_bits(a) > 80);
        if (n % 2 == 1)
        {
            /* the median */
            shuf_binomial_tail(a, n, n / 2 + 1, p, p, 128);
            arb_mul_2exp_si(a, a, 1);
            assert_true(arb_contains_si(a, 1));
        }
    }
    arb_clear(p);
    arb_clear(a);
    arb_clear(b);
}

static void test_cuts(void **state)
{
    arb_t p, q, tau, t;
    int i;
    (void) state;
    arb_init(p); arb_init(q); arb_init(tau); arb_init(t);
    for (i = 0; i < 400; i++)
    {
        ulong n = (ulong) pow(10, 15 * random_unit()), den = 2 + random_bits() % 1000, num = 1 + random_bits() % (den - 1), c;
        double mean, sd;
        if (i % 4 == 0)
            num = 1, den = 1 + (ulong) pow(10, 12 * random_unit());
        if (den < 2)
            den = 2;
        mean = (double) n * ((double) num / (double) den);
        sd = sqrt(mean * (1 - (double) num / (double) den));
        set_p(p, q, num, den, 64);
        arb_one(tau);
        arb_mul_2exp_si(tau, tau, -1 - (slong) (random_bits() % (i % 3 == 0 ? 2000 : 80)));

        c = shuf_binomial_cut_above(n, p, q, tau, 64);
        assert_true(c <= n);
        shuf_binomial_upper_tail_bound(t, n, c + 1, p, q, 64);
        assert_true(c == n || arb_le(t, tau));
        if ((double) c > mean + 6 * sd || n < 100000)
        {
            shuf_binomial_tail(t, n, c + 1, p, q, 64);
            assert_true(arb_le(t, tau));
        }
        /* one standard deviation nearer is too near */
        if ((double) c > mean + 3 * sd + 10)
        {
            shuf_binomial_tail(t, n, c - (ulong) sd - 2, p, q, 64);
            assert_true(arb_gt(t, tau));
        }

        c = shuf_binomial_cut_below(n, p, q, tau, 64);
        assert_true(c <= n);
        if (c > 0)
        {
            shuf_binomial_lower_tail_bound(t, n, c - 1, p, q, 64);
            assert_true(arb_le(t, tau));
            if ((double) c < mean - 6 * sd || n < 100000)
            {
                shuf_binomial_tail(t, n, n - c + 1, q, p, 64);
                assert_true(arb_le(t, tau));
            }
        }
        if ((double) c < mean - 3 * sd - 10)
        {
            /* Pr[X <= c + sd + 2] */
            shuf_binomial_tail(t, n, n - c - (ulong) sd - 2, q, p, 64);
            assert_true(arb_gt(t, tau));
        }
    }
    arb_clear(p); arb_clear(q); arb_clear(tau); arb_clear(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_sums), cmocka_unit_test(test_random), cmocka_unit_test(test_wide),
        cmocka_unit_test(test_fair), cmocka_unit_test(test_cuts),
    };
    int failed;
    seed_random();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
