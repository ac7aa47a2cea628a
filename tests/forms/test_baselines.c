/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The closed forms of balle19.c, cheu19.c and erlingsson19.c: against values
 * worked out apart, their regions, and their claims against the exact divergences of
 * real mechanisms.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "hockey/hockey.h"
#include "random.h"
#include "forms/bound.h"

static const shuf_options twelve = SHUF_OPTIONS_DEFAULT;

static shuf_status evaluate(shuf_enclosure_t r, const char *theorem, shuf_bound_quantity quantity, uint64_t n, uint64_t k,
                            const char *eps0, const char *point)
{
    const shuf_bound_form *form = shuf_bound_find(theorem, quantity);
    shuf_bound_query_t q;
    shuf_status status;
    assert_non_null(form);
    assert_non_null(shuf_theorem_find(theorem));
    shuf_bound_query_init(q);
    q->n = n;
    q->k = k;
    assert_int_equal(shuf_real_set_str(q->eps0, eps0), 0);
    assert_int_equal(shuf_real_set_str(q->point, point), 0);
    status = shuf_bound_evaluate(r, form, q, &twelve);
    shuf_bound_query_clear(q);
    return status;
}

/* r is accurate and contains the value up to its last printed digit, a relative 1e-14. */
static void assert_value(const shuf_enclosure_t r, const char *text)
{
    shuf_real_t x;
    arb_t value, ball;
    shuf_real_init(x);
    arb_init(value);
    arb_init(ball);
    assert_int_equal(shuf_real_set_str(x, text), 0);
    shuf_real_get_arb(value, x, 128);
    mag_set_d(arb_radref(ball), 1e-14);
    arb_add_ui(ball, ball, 1, 128);
    arb_mul(value, value, ball, 128);
    shuf_enclosure_get_arb(ball, r, 128);
    assert_true(arb_overlaps(value, ball));
    assert_true(shuf_enclosure_accurate(r, 12));
    shuf_real_clear(x);
    arb_clear(value);
    arb_clear(ball);
}

/* Values of the formulas in mpmath, 40 digits. */
static void test_values(void **state)
{
    static const struct { const char *theorem; uint64_t n, k; const char *eps0, *eps, *delta; } cases[] = {
        { "balle19-hoeffding", 10000, 2, "1", "0.3", "9.632681620689029585e-16" },
        { "balle19-bennett", 10000, 2, "1", "0.3", "1.8671005541980957307e-15" },
        { "balle19-hoeffding-krr", 10000, 4, "1", "0.1", "7.0222628917223447769e-14" },
        { "balle19-bennett-krr", 10000, 4, "1", "0.1", "2.23964094474688968504e-23" },
        { "balle19-hoeffding", 1000000, 2, "3", "0.5", "7.540829061719971479867e-9" },
        { "balle19-bennett", 1000000, 2, "3", "0.5", "6.343584966243785527913e-61" },
        { "balle19-hoeffding-krr", 3000, 50, "3", "0.7", "0.01499298742143663852097" },
        { "balle19-bennett-krr", 3000, 50, "3", "0.7", "1.525741860279478800784e-22" },
    };
    static const struct { uint64_t n; const char *eps0, *delta, *eps; } cheu[] = {
        { 10000, "1", "1e-6", "0.1567192446937969227567" },
        { 1000000, "3", "1e-8", "0.07490270321683879866823" },
        { 30, "0", "0.9", "0.3318192233774331694374" },
    };
    size_t i;
    shuf_enclosure_t r;
    (void) state;
    shuf_enclosure_init(r);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        assert_int_equal(evaluate(r, cases[i].theorem, SHUF_BOUND_DELTA, cases[i].n, cases[i].k, cases[i].eps0, cases[i].eps),
                         SHUF_OK);
        assert_value(r, cases[i].delta);
        /* and back */
        assert_int_equal(evaluate(r, cases[i].theorem, SHUF_BOUND_EPSILON, cases[i].n, cases[i].k, cases[i].eps0, cases[i].delta),
                         SHUF_OK);
        assert_value(r, cases[i].eps);
    }
    for (i = 0; i < sizeof(cheu) / sizeof(cheu[0]); i++)
    {
        assert_int_equal(evaluate(r, "cheu19-4.7", SHUF_BOUND_EPSILON, cheu[i].n, 2, cheu[i].eps0, cheu[i].delta), SHUF_OK);
        assert_value(r, cheu[i].eps);
    }
    assert_int_equal(evaluate(r, "erlingsson19", SHUF_BOUND_EPSILON, 20000, 2, "1/4", "1e-6"), SHUF_OK);
    assert_value(r, "0.0788478265463539796794518");
    assert_int_equal(evaluate(r, "erlingsson19", SHUF_BOUND_DELTA, 20000, 2, "1/4", "0.0788478265463539796794518"), SHUF_OK);
    assert_value(r, "1e-6");
    shuf_enclosure_clear(r);
}

static void test_regions(void **state)
{
    static const char *const blankets[] = { "balle19-hoeffding", "balle19-bennett", "balle19-hoeffding-krr", "balle19-bennett-krr" };
    static const struct { uint64_t n; const char *eps0, *delta; shuf_status status; } erlingsson[] = {
        { 1000, "1/2", "1/100", SHUF_OK },
        { 999, "1/2", "1/100", SHUF_DOMAIN },
        { 1000, "0.50000000000000000001", "1/100", SHUF_DOMAIN },
        { 1000, "log(1.6487212707)", "1/100", SHUF_OK },
        { 1000, "log(1.6487212708)", "1/100", SHUF_DOMAIN },
        { 1000, "1/2", "0.01000000000000000000001", SHUF_DOMAIN },
        { 1000, "1/2", "0", SHUF_DOMAIN },
        { 1000, "0", "1/100", SHUF_DOMAIN },
        { SHUF_MAX_USERS, "1e-9", "1e-300", SHUF_OK },
    };
    /* 14 log(4/delta) is 212.82 at 1e-6 and 19.42 at 0.999; l = n at eps0 = 0 */
    static const struct { uint64_t n, k; const char *eps0, *delta; shuf_status status; } cheu[] = {
        { 213, 2, "0", "1e-6", SHUF_OK },
        { 212, 2, "0", "1e-6", SHUF_DOMAIN },
        { 213, 2, "1e-2", "1e-6", SHUF_DOMAIN },
        { 213, 3, "0", "1e-6", SHUF_DOMAIN },
        { 20, 2, "0", "0.999", SHUF_OK },
        { 1000, 2, "0", "1", SHUF_DOMAIN },
        { 1000, 2, "0", "0", SHUF_DOMAIN },
        { 1000000, 2, "1000000", "1e-6", SHUF_DOMAIN },
        { SHUF_MAX_USERS, 2, "1e-9", "1e-300", SHUF_OK },
    };
    size_t i;
    shuf_enclosure_t r;
    (void) state;
    shuf_enclosure_init(r);
    for (i = 0; i < sizeof(erlingsson) / sizeof(erlingsson[0]); i++)
        assert_int_equal(evaluate(r, "erlingsson19", SHUF_BOUND_EPSILON, erlingsson[i].n, 2, erlingsson[i].eps0, erlingsson[i].delta),
                         erlingsson[i].status);
    /* 12 eps0 sqrt(log(100)/1000) = 0.40716448 at eps0 = 1/2 */
    assert_int_equal(evaluate(r, "erlingsson19", SHUF_BOUND_DELTA, 1000, 2, "1/2", "0.4072"), SHUF_OK);
    assert_int_equal(evaluate(r, "erlingsson19", SHUF_BOUND_DELTA, 1000, 2, "1/2", "0.4071"), SHUF_DOMAIN);
    assert_int_equal(evaluate(r, "erlingsson19", SHUF_BOUND_DELTA, 1000, 2, "1/2", "0"), SHUF_DOMAIN);

    for (i = 0; i < sizeof(cheu) / sizeof(cheu[0]); i++)
        assert_int_equal(evaluate(r, "cheu19-4.7", SHUF_BOUND_EPSILON, cheu[i].n, cheu[i].k, cheu[i].eps0, cheu[i].delta),
                         cheu[i].status);

    for (i = 0; i < sizeof(blankets) / sizeof(blankets[0]); i++)
    {
        const char *const id = blankets[i];
        assert_int_equal(evaluate(r, id, SHUF_BOUND_DELTA, 1000, 3, "log(2)", "log(2)"), SHUF_DOMAIN);
        assert_int_equal(evaluate(r, id, SHUF_BOUND_DELTA, 1000, 3, "log(2)", "log(1.9999999999999999999999999999)"), SHUF_OK);
        assert_int_equal(evaluate(r, id, SHUF_BOUND_DELTA, 1000, 3, "1", "0"), SHUF_DOMAIN);
        assert_int_equal(evaluate(r, id, SHUF_BOUND_DELTA, 1000, 1, "1", "1/2"), i < 2 ? SHUF_OK : SHUF_DOMAIN);
        assert_int_equal(evaluate(r, id, SHUF_BOUND_DELTA, 1000, 3, "1000", "1/2"), SHUF_OK);
        assert_int_equal(evaluate(r, id, SHUF_BOUND_DELTA, 1000, 3, "1000.1", "1/2"), SHUF_DOMAIN);
        assert_int_equal(evaluate(r, id, SHUF_BOUND_EPSILON, 100000, 3, "1", "1"), SHUF_DOMAIN);
        assert_int_equal(evaluate(r, id, SHUF_BOUND_EPSILON, 100000, 3, "1", "0"), SHUF_DOMAIN);
        assert_int_equal(evaluate(r, id, SHUF_BOUND_EPSILON, 100000, 3, "0", "1/2"), SHUF_DOMAIN);
        /* too few users for any eps < eps0 */
        assert_int_equal(evaluate(r, id, SHUF_BOUND_EPSILON, 1, 3, "1", "1e-6"), SHUF_DOMAIN);
        /* a bound of more than 1 */
        assert_int_equal(evaluate(r, id, SHUF_BOUND_DELTA, 1, 3, "700", "1e-9"), SHUF_OK);
        assert_true(arf_is_one(r->hi));
        /* many users */
        assert_int_equal(evaluate(r, id, SHUF_BOUND_EPSILON, SHUF_MAX_USERS, 3, "1e-9", "1e-300"), SHUF_OK);
        assert_int_equal(evaluate(r, id, SHUF_BOUND_EPSILON, SHUF_MAX_USERS, 1000000000, "1", "1e-300"), SHUF_OK);
        assert_int_equal(evaluate(r, id, SHUF_BOUND_DELTA, SHUF_MAX_USERS, 3, "1", "0.4"), SHUF_OK);
        assert_true(arf_sgn(r->lo) > 0 && arf_cmp_d(r->hi, 1e-300) < 0);
    }
    shuf_enclosure_clear(r);
}

/* The mechanism's exact delta at the bound's eps is not more than delta. */
static void assert_holds(const shuf_pair_t pair, const shuf_enclosure_t eps, const char *delta_text)
{
    shuf_real_t x, delta;
    int undecided;
    shuf_real_init(x);
    shuf_real_init(delta);
    shuf_real_set_arf(x, eps->hi);
    assert_int_equal(shuf_real_set_str(delta, delta_text), 0);
    assert_int_equal(shuf_hockey_compare(&undecided, pair, x, delta, SHUF_DIRECTION_BOTH, &twelve), -1);
    assert_false(undecided);
    shuf_real_clear(x);
    shuf_real_clear(delta);
}

/* At one point: all forms against binary and k-ary randomised response. Returns how many applied. */
static int check_point(uint64_t n, uint64_t k, const char *eps0_text, const char *delta)
{
    static const struct { const char *theorem; int krr; } forms[] = {
        { "balle19-hoeffding", 0 }, { "balle19-bennett", 0 }, { "balle19-hoeffding-krr", 1 }, { "balle19-bennett-krr", 1 },
        { "cheu19-4.7", 1 }, { "erlingsson19", 0 },
    };
    size_t i;
    int applied = 0;
    shuf_enclosure_t r;
    shuf_real_t eps0;
    shuf_pair_t pair;
    shuf_enclosure_init(r);
    shuf_real_init(eps0);
    shuf_pair_init(pair);
    assert_int_equal(shuf_real_set_str(eps0, eps0_text), 0);
    for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
    {
        shuf_status status = evaluate(r, forms[i].theorem, SHUF_BOUND_EPSILON, n, k, eps0_text, delta);
        if (status == SHUF_DOMAIN)
            continue;
        assert_int_equal(status, SHUF_OK);
        applied++;
        if (!forms[i].krr)
        {
            assert_int_equal(shuf_pair_set_eps0(pair, SHUF_PAIR_RR2, n, eps0), 0);
            assert_holds(pair, r, delta);
        }
        assert_int_equal(shuf_pair_set_krr(pair, SHUF_PAIR_KRR_SAME, n, k, eps0), 0);
        assert_holds(pair, r, delta);
        if (k > 2)
        {
            assert_int_equal(shuf_pair_set_krr(pair, SHUF_PAIR_KRR_THIRD, n, k, eps0), 0);
            assert_holds(pair, r, delta);
        }
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps0);
    shuf_pair_clear(pair);
    return applied;
}

static void test_against_exact(void **state)
{
    static const char *const eps0s[] = { "1e-3", "1/2", "log(3)", "3" };
    static const char *const deltas[] = { "1/2", "0.01", "1e-6" };
    static const uint64_t ns[] = { 1, 30, 1000, 20000 }, ks[] = { 2, 3, 50 };
    size_t i, j, m, l;
    int applied = 0;
    (void) state;
    skip_unless_drawn(5);
    for (i = 0; i < 4; i++)
        for (j = 0; j < 3; j++)
            for (m = 0; m < 4; m++)
                for (l = 0; l < 3; l++)
                    applied += check_point(ns[m], ks[l], eps0s[i], deltas[j]);
    assert_true(applied > 200);
}

static void test_random(void **state)
{
    int i, applied = 0;
    (void) state;
    skip_unless_drawn(5);
    for (i = 0; i < 40; i++)
    {
        char eps0[32], delta[32];
        snprintf(eps0, sizeof eps0, "%.3g", 4 * random_unit() + 1e-3);
        snprintf(delta, sizeof delta, "%.3ge-%d", 1 + 8 * random_unit(), (int) (1 + random_below(12)));
        applied += check_point(1 + random_below(UINT64_C(1) << (1 + random_below(20))), 2 + random_below(8), eps0, delta);
    }
    assert_true(applied > 20);
}

/* cheu19-4.7 where almost as few users answer at random as it allows. */
static void test_few_blind(void **state)
{
    static const struct { uint64_t n; const char *eps0, *delta; } cases[] = {
        { 40, "0.6", "0.9" }, { 25, "0.1", "0.8" }, { 100, "1.2", "0.7" }, { 150, "1.2", "0.1" }, { 1000, "2.6", "0.1" },
        { 1000, "2.1", "1e-6" }, { 400, "0.9", "1e-6" }, { 10000, "4.1", "1e-9" }, { 1000, "0", "1e-12" },
    };
    size_t i;
    shuf_enclosure_t r;
    (void) state;
    shuf_enclosure_init(r);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        assert_int_equal(evaluate(r, "cheu19-4.7", SHUF_BOUND_EPSILON, cases[i].n, 2, cases[i].eps0, cases[i].delta), SHUF_OK);
        assert_true(check_point(cases[i].n, 2, cases[i].eps0, cases[i].delta) > 0);
    }
    shuf_enclosure_clear(r);
}

/*
 * E = 2, n = 1, eps = log(3/2): the divergence of randomised response is
 * 1/6, and of k-RR with k = 3, 1/8. No form may go below.
 */
static void test_single_user(void **state)
{
    static const char *const ids[] = { "balle19-hoeffding", "balle19-bennett", "balle19-hoeffding-krr", "balle19-bennett-krr" };
    size_t i;
    shuf_enclosure_t r;
    (void) state;
    shuf_enclosure_init(r);
    for (i = 0; i < 4; i++)
    {
        assert_int_equal(evaluate(r, ids[i], SHUF_BOUND_DELTA, 1, 3, "log(2)", "log(3/2)"), SHUF_OK);
        assert_true(arf_cmp_d(r->hi, i < 2 ? 1.0 / 6 : 1.0 / 8) >= 0);
    }
    shuf_enclosure_clear(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_single_user),
        cmocka_unit_test(test_few_blind),
        cmocka_unit_test(test_against_exact),
        cmocka_unit_test(test_random),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
