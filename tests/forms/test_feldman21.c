/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Theorems 3.1 and 3.8, Lemma 3.2 and Corollary 4.2 of Feldman, McMillan,
 * Talwar (2021): the formulas against values worked out apart, their regions,
 * and their claims against exact divergences.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "hockey/hockey.h"
#include "forms/bound.h"
#include "check.h"

static const shuf_options twelve = SHUF_OPTIONS_DEFAULT;

/* Whether r contains the decimal, itself known to half a unit of `slack`. */
static void assert_near(const shuf_enclosure_t r, const char *text, double slack)
{
    shuf_real_t x;
    arb_t value, ball;
    shuf_real_init(x);
    arb_init(value);
    arb_init(ball);
    set(x, text);
    shuf_real_get_arb(value, x, 128);
    mag_set_d(arb_radref(value), slack);
    shuf_enclosure_get_arb(ball, r, 128);
    assert_true(arb_overlaps(value, ball));
    shuf_real_clear(x);
    arb_clear(value);
    arb_clear(ball);
}

/* Theorem 3.1 at a point. */
static shuf_status theorem_31(shuf_enclosure_t r, shuf_bound_quantity quantity, uint64_t n, const shuf_real_t eps0,
                              const shuf_real_t point, int as_printed)
{
    shuf_bound_query_t q;
    shuf_status status;
    shuf_bound_query_init(q);
    q->n = n;
    shuf_real_set(q->eps0, eps0);
    shuf_real_set(q->point, point);
    status = shuf_bound_evaluate(r, shuf_bound_find(as_printed ? "feldman21-3.1-as-printed" : "feldman21-3.1", quantity), q, &twelve);
    shuf_bound_query_clear(q);
    return status;
}

static void test_values(void **state)
{
    shuf_enclosure_t r;
    shuf_real_t eps0, delta;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(eps0);
    shuf_real_init(delta);
    /* n = 1e4, eps0 = 1, delta = 1e-6: 0.2140 to four digits */
    set(eps0, "1");
    set(delta, "1e-6");
    assert_int_equal(theorem_31(r, SHUF_BOUND_EPSILON, 10000, eps0, delta, 0), SHUF_OK);
    assert_near(r, "0.2140", 5e-5);
    /* n = 1e6, eps0 = 6, delta = 1e-6: 0.4865 */
    set(eps0, "6");
    assert_int_equal(theorem_31(r, SHUF_BOUND_EPSILON, 1000000, eps0, delta, 0), SHUF_OK);
    assert_near(r, "0.4865", 5e-5);
    /* eps0 = log 3, n = 400, delta = 4 e^-4: log(1 + 1/2 (8 sqrt(12)/20 + 24/400)), by hand */
    set(eps0, "log(3)");
    set(delta, "0.0732625555549367");
    assert_int_equal(theorem_31(r, SHUF_BOUND_EPSILON, 400, eps0, delta, 0), SHUF_OK);
    assert_near(r, "0.5439626706", 1e-10);
    /* eps0 = 0 */
    set(eps0, "0");
    set(delta, "1/2");
    assert_int_equal(theorem_31(r, SHUF_BOUND_EPSILON, 1000, eps0, delta, 0), SHUF_OK);
    assert_true(arf_is_zero(r->lo) && arf_is_zero(r->hi));
    shuf_enclosure_clear(r);
    shuf_real_clear(eps0);
    shuf_real_clear(delta);
}

static void test_region(void **state)
{
    shuf_enclosure_t r;
    shuf_real_t eps0, delta;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(eps0);
    shuf_real_init(delta);
    /* between 16 E log(2/delta) and 16 E log(4/delta): only as printed */
    set(eps0, "0");
    set(delta, "1/2");
    /* 16 log 8 = 33.3, 16 log 4 = 22.2 */
    assert_int_equal(theorem_31(r, SHUF_BOUND_EPSILON, 34, eps0, delta, 0), SHUF_OK);
    assert_int_equal(theorem_31(r, SHUF_BOUND_EPSILON, 33, eps0, delta, 0), SHUF_DOMAIN);
    assert_int_equal(theorem_31(r, SHUF_BOUND_EPSILON, 33, eps0, delta, 1), SHUF_OK);
    assert_int_equal(theorem_31(r, SHUF_BOUND_EPSILON, 22, eps0, delta, 1), SHUF_DOMAIN);
    set(delta, "0");
    assert_int_equal(theorem_31(r, SHUF_BOUND_EPSILON, 1000, eps0, delta, 0), SHUF_DOMAIN);
    set(delta, "1.5");
    assert_int_equal(theorem_31(r, SHUF_BOUND_EPSILON, 1000, eps0, delta, 0), SHUF_DOMAIN);
    /* the formula gives delta = 1 at eps = 0.2126, and more below */
    set(eps0, "1");
    set(delta, "0.2127");
    assert_int_equal(theorem_31(r, SHUF_BOUND_DELTA, 1000, eps0, delta, 0), SHUF_OK);
    set(delta, "0.2125");
    assert_int_equal(theorem_31(r, SHUF_BOUND_DELTA, 1000, eps0, delta, 0), SHUF_DOMAIN);
    set(delta, "1e-6");
    set(eps0, "50");
    assert_int_equal(theorem_31(r, SHUF_BOUND_EPSILON, 1000000, eps0, delta, 0), SHUF_DOMAIN);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps0);
    shuf_real_clear(delta);
}

/* The theorem must not promise less than the exact clones divergence needs. */
static void test_against_exact(void **state)
{
    static const char *const eps0s[] = { "0.01", "0.5", "1", "2", "4" };
    static const char *const deltas[] = { "0.1", "1e-4", "1e-8" };
    static const uint64_t ns[] = { 100, 1000, 10000, 300000 };
    size_t i, j, k;
    int compared = 0;
    shuf_enclosure_t r, back;
    shuf_real_t eps0, delta, eps;
    shuf_pair_t pair;
    (void) state;
    shuf_enclosure_init(r);
    shuf_enclosure_init(back);
    shuf_real_init(eps0);
    shuf_real_init(delta);
    shuf_real_init(eps);
    shuf_pair_init(pair);
    for (i = 0; i < 5; i++)
        for (j = 0; j < 3; j++)
            for (k = 0; k < 4; k++)
            {
                int undecided;
                set(eps0, eps0s[i]);
                set(delta, deltas[j]);
                if (theorem_31(r, SHUF_BOUND_EPSILON, ns[k], eps0, delta, 0) != SHUF_OK)
                    continue;
                compared++;
                shuf_real_set_arf(eps, r->hi);
                shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, ns[k], eps0);
                assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &twelve), -1);
                /* solved for delta at that eps: delta again */
                assert_int_equal(theorem_31(back, SHUF_BOUND_DELTA, ns[k], eps0, eps, 0), SHUF_OK);
                assert_near(back, deltas[j], 1e-9 * atof(deltas[j]));
            }
    assert_true(compared > 25);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(back);
    shuf_real_clear(eps0);
    shuf_real_clear(delta);
    shuf_real_clear(eps);
    shuf_pair_clear(pair);
}

static shuf_status evaluate(shuf_enclosure_t r, const char *theorem, shuf_bound_quantity quantity, uint64_t n, uint64_t k,
                            const char *eps0, const char *delta0, const char *point)
{
    const shuf_bound_form *form = shuf_bound_find(theorem, quantity);
    shuf_bound_query_t q;
    shuf_status status;
    assert_non_null(form);
    shuf_bound_query_init(q);
    q->n = n;
    q->k = k;
    set(q->eps0, eps0);
    set(q->delta0, delta0);
    set(q->point, point);
    status = shuf_bound_evaluate(r, form, q, &twelve);
    shuf_bound_query_clear(q);
    return status;
}

/*
 * Lemma 3.2 under 16 log(2/delta) <= p n, and with log(2/delta) under the
 * root: the pair is the trinomial one with w0 = 1, r0 = r1 = p/2.
 */
static void test_lemma_32(void **state)
{
    static const char *const deltas[] = { "1", "1/2", "0.01", "1e-8" };
    size_t i, j;
    fmpq_t zero, one, rate;
    arb_t l, eps;
    shuf_real_t delta, point;
    shuf_pair_t pair;
    (void) state;
    fmpq_init(zero); fmpq_init(one); fmpq_init(rate);
    arb_init(l); arb_init(eps);
    shuf_real_init(delta); shuf_real_init(point);
    shuf_pair_init(pair);
    fmpq_one(one);
    for (i = 0; i < 4; i++)
        for (j = 0; j < 3; j++)
        {
            arf_t x;
            int undecided;
            ulong pn, n;
            arf_init(x);
            set(delta, deltas[i]);
            shuf_real_get_arb(l, delta, 64);
            arb_ui_div(l, 2, l, 64);
            arb_log(l, l, 64);
            /* p n = the whole number above 16 log(2/delta); p = 1, 1/2, 1/1000 */
            pn = (ulong) (16 * arf_get_d(arb_midref(l), ARF_RND_NEAR)) + 1;
            n = pn * (j == 0 ? 1 : j == 1 ? 2 : 1000);
            fmpq_set_ui(rate, pn, 2 * n);
            arb_div_ui(eps, l, pn, 64);
            arb_sqrt(eps, eps, 64);
            arb_mul_2exp_si(eps, eps, 3);
            arb_set_ui(l, 8);
            arb_div_ui(l, l, pn, 64);
            arb_add(eps, eps, l, 64);
            arb_log1p(eps, eps, 64);
            arb_get_ubound_arf(x, eps, 64);
            shuf_real_set_arf(point, x);
            assert_int_equal(shuf_pair_set_trinomial(pair, n, one, zero, rate, rate), 0);
            assert_int_equal(shuf_hockey_compare(&undecided, pair, point, delta, SHUF_DIRECTION_BOTH, &twelve), -1);
            arf_clear(x);
        }
    fmpq_clear(zero); fmpq_clear(one); fmpq_clear(rate);
    arb_clear(l); arb_clear(eps);
    shuf_real_clear(delta); shuf_real_clear(point);
    shuf_pair_clear(pair);
}

static void test_krr(void **state)
{
    static const char *const eps0s[] = { "0.01", "1", "log(8)", "6" };
    static const char *const deltas[] = { "1", "0.1", "1e-5", "1e-20" };
    static const uint64_t ns[] = { 50, 2000, 100000 }, ks[] = { 2, 3, 100 };
    size_t i, j, m, l;
    int compared = 0, undecided;
    shuf_enclosure_t r;
    shuf_real_t eps0, delta, eps;
    shuf_pair_t pair;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(eps0);
    shuf_real_init(delta);
    shuf_real_init(eps);
    shuf_pair_init(pair);
    /* mpmath */
    assert_int_equal(evaluate(r, "feldman21-4.2", SHUF_BOUND_EPSILON, 10000, 10, "2", "0", "1e-6"), SHUF_OK);
    assert_near(r, "0.419967622717085204756", 1e-20);
    assert_int_equal(evaluate(r, "feldman21-4.2", SHUF_BOUND_DELTA, 10000, 10, "2", "0", "0.419967622717085204756"), SHUF_OK);
    assert_near(r, "1e-6", 1e-20);
    assert_int_equal(evaluate(r, "feldman21-4.2", SHUF_BOUND_EPSILON, 500, 3, "log(3)", "0", "0.01"), SHUF_OK);
    assert_near(r, "0.666351015365324575421", 1e-20);
    /* E = 3, k = 10, delta = 1/2: 8 * 11 * 12 log 4 / 10 = 146.4 and, as printed, 48 log 4 = 66.5 */
    assert_int_equal(evaluate(r, "feldman21-4.2", SHUF_BOUND_EPSILON, 147, 10, "log(3)", "0", "1/2"), SHUF_OK);
    assert_int_equal(evaluate(r, "feldman21-4.2", SHUF_BOUND_EPSILON, 146, 10, "log(3)", "0", "1/2"), SHUF_DOMAIN);
    assert_int_equal(evaluate(r, "feldman21-4.2-as-printed", SHUF_BOUND_EPSILON, 67, 10, "log(3)", "0", "1/2"), SHUF_OK);
    assert_int_equal(evaluate(r, "feldman21-4.2-as-printed", SHUF_BOUND_EPSILON, 66, 10, "log(3)", "0", "1/2"), SHUF_DOMAIN);
    assert_int_equal(evaluate(r, "feldman21-4.2", SHUF_BOUND_EPSILON, 1000, 1, "1", "0", "1/2"), SHUF_DOMAIN);
    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++)
            for (m = 0; m < 3; m++)
                for (l = 0; l < 3; l++)
                {
                    if (evaluate(r, "feldman21-4.2", SHUF_BOUND_EPSILON, ns[m], ks[l], eps0s[i], "0", deltas[j]) != SHUF_OK)
                        continue;
                    compared++;
                    set(eps0, eps0s[i]);
                    set(delta, deltas[j]);
                    shuf_real_set_arf(eps, r->hi);
                    shuf_pair_set_krr(pair, SHUF_PAIR_KRR_SAME, ns[m], ks[l], eps0);
                    assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &twelve), -1);
                    if (ks[l] > 2)
                    {
                        shuf_pair_set_krr(pair, SHUF_PAIR_KRR_THIRD, ns[m], ks[l], eps0);
                        assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &twelve), -1);
                    }
                }
    assert_true(compared > 40);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps0);
    shuf_real_clear(delta);
    shuf_real_clear(eps);
    shuf_pair_clear(pair);
}

/* The printed condition of Corollary 4.2 does not suffice. */
static void test_krr_counterexample(void **state)
{
    shuf_enclosure_t r;
    shuf_real_t eps0, delta, eps;
    shuf_pair_t pair;
    int undecided;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(eps0);
    shuf_real_init(delta);
    shuf_real_init(eps);
    shuf_pair_init(pair);
    assert_int_equal(evaluate(r, "feldman21-4.2-as-printed", SHUF_BOUND_EPSILON, 10000, 10000000, "1.729", "0", "1.7e-48"), SHUF_OK);
    set(eps0, "1.729");
    set(delta, "3.78e-45");
    shuf_real_set_arf(eps, r->hi);
    assert_int_equal(shuf_pair_set_krr(pair, SHUF_PAIR_KRR_THIRD, 10000, 10000000, eps0), 0);
    assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_PQ, &twelve), 1);
    assert_int_equal(evaluate(r, "feldman21-4.2", SHUF_BOUND_EPSILON, 10000, 10000000, "1.729", "0", "1.7e-48"), SHUF_DOMAIN);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps0);
    shuf_real_clear(delta);
    shuf_real_clear(eps);
    shuf_pair_clear(pair);
}

static void test_approximate(void **state)
{
    static const char *const eps[] = { "0.05", "0.1", "0.15" };
    size_t i;
    shuf_enclosure_t r, pure;
    shuf_real_t eps0, x;
    shuf_pair_t pair;
    arb_t floor, bound, delta0;
    (void) state;
    shuf_enclosure_init(r);
    shuf_enclosure_init(pure);
    shuf_real_init(eps0);
    shuf_real_init(x);
    shuf_pair_init(pair);
    arb_init(floor);
    arb_init(bound);
    arb_init(delta0);
    /* mpmath: at the eps of delta1 = 1e-7, and solved for the whole delta = 1e-6 */
    assert_int_equal(evaluate(r, "feldman21-3.8", SHUF_BOUND_DELTA, 100000, 2, "1", "1e-12", "0.0776485600083931940766779254937"),
                     SHUF_OK);
    assert_near(r, "3.46347402045992149417e-7", 1e-24);
    assert_int_equal(evaluate(r, "feldman21-3.8", SHUF_BOUND_EPSILON, 100000, 2, "1", "1e-12", "1e-6"), SHUF_OK);
    assert_near(r, "0.073200160536913277505572783", 1e-18);
    /* delta0 = 0: Theorem 3.1 */
    assert_int_equal(evaluate(r, "feldman21-3.8", SHUF_BOUND_EPSILON, 100000, 2, "1", "0", "1e-6"), SHUF_OK);
    assert_int_equal(evaluate(pure, "feldman21-3.1-as-printed", SHUF_BOUND_EPSILON, 100000, 2, "1", "0", "1e-6"), SHUF_OK);
    assert_true(arf_cmp(r->lo, pure->hi) <= 0 && arf_cmp(pure->lo, r->hi) <= 0);
    /* n delta0 alone exceeds delta */
    assert_int_equal(evaluate(r, "feldman21-3.8", SHUF_BOUND_EPSILON, 100000, 2, "1", "1e-11", "1e-6"), SHUF_DOMAIN);
    assert_int_equal(evaluate(r, "feldman21-3.8", SHUF_BOUND_EPSILON, 100000, 2, "0", "0", "1e-6"), SHUF_DOMAIN);
    assert_int_equal(evaluate(r, "feldman21-3.8", SHUF_BOUND_EPSILON, 100000, 2, "50", "0", "1e-6"), SHUF_DOMAIN);
    assert_int_equal(evaluate(r, "feldman21-3.8", SHUF_BOUND_DELTA, 100000, 2, "1", "-1e-12", "0.1"), SHUF_DOMAIN);
    /*
     * Reveal the input with probability delta0, otherwise randomised response:
     * delta is at least delta0 + (1-delta0) times that of rr2.
     */
    shuf_real_set_str(eps0, "1");
    shuf_pair_set_eps0(pair, SHUF_PAIR_RR2, 100000, eps0);
    for (i = 0; i < 3; i++)
    {
        assert_int_equal(evaluate(r, "feldman21-3.8", SHUF_BOUND_DELTA, 100000, 2, "1", "1e-7", eps[i]), SHUF_OK);
        set(x, eps[i]);
        shuf_hockey_delta(pure, pair, x, SHUF_DIRECTION_QP, &twelve);
        set(x, "1e-7");
        shuf_real_get_arb(delta0, x, 64);
        arb_set_arf(floor, pure->lo);
        arb_submul(floor, floor, delta0, 64);
        arb_add(floor, floor, delta0, 64);
        arb_set_arf(bound, r->hi);
        assert_true(arb_ge(bound, floor));
    }
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(pure);
    shuf_real_clear(eps0);
    shuf_real_clear(x);
    shuf_pair_clear(pair);
    arb_clear(floor);
    arb_clear(bound);
    arb_clear(delta0);
}

/*
 * The forms of Lemma 3.2 (for its own pair) and of Theorem 4.1 (for
 * the clones pair): values worked out apart, certified by the exact pair, and
 * delta at eps is their inverse.
 */
static void test_lemma_and_theorem_41(void **state)
{
    shuf_enclosure_t r, back;
    shuf_real_t eps0, delta, eps;
    shuf_pair_t pair;
    fmpq_t zero, one, rate;
    int undecided;
    (void) state;
    shuf_enclosure_init(r);
    shuf_enclosure_init(back);
    shuf_real_init(eps0); shuf_real_init(delta); shuf_real_init(eps);
    shuf_pair_init(pair);
    fmpq_init(zero); fmpq_init(one); fmpq_init(rate);
    fmpq_one(one);
    fmpq_set_si(rate, 1, 20);
    set(delta, "1e-6");

    assert_int_equal(evaluate(r, "feldman21-lemma-3.2", SHUF_BOUND_EPSILON, 100000, 2, "log(10)", "0", "1e-6"), SHUF_OK);
    /* log(1 + 8 sqrt(10 log(4e6)/1e5) + 8e-4) */
    assert_near(r, "0.27209822504702", 1e-10);
    shuf_real_set_arf(eps, r->hi);
    assert_int_equal(shuf_pair_set_trinomial(pair, 100000, one, zero, rate, rate), 0);
    assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &twelve), -1);
    assert_int_equal(evaluate(back, "feldman21-lemma-3.2", SHUF_BOUND_DELTA, 100000, 2, "log(10)", "0", eps->text), SHUF_OK);
    assert_near(back, "1e-6", 1e-14);

    assert_int_equal(evaluate(r, "feldman21-4.1", SHUF_BOUND_EPSILON, 100000, 2, "log(10)", "0", "1e-6"), SHUF_OK);
    /* log(1 + 9/11 (8 sqrt(30 log(4e6)/1e5) + 24e-4)) */
    assert_near(r, "0.36741000496125", 1e-10);
    shuf_real_set_arf(eps, r->hi);
    set(eps0, "log(10)");
    shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, 100000, eps0);
    assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &twelve), -1);
    assert_int_equal(evaluate(back, "feldman21-4.1", SHUF_BOUND_DELTA, 100000, 2, "log(10)", "0", eps->text), SHUF_OK);
    assert_near(back, "1e-6", 1e-14);
    /* 16 E log(2/delta) <= n: 2321.4 users */
    assert_int_equal(evaluate(r, "feldman21-4.1", SHUF_BOUND_EPSILON, 2321, 2, "log(10)", "0", "1e-6"), SHUF_DOMAIN);
    assert_int_equal(evaluate(r, "feldman21-4.1", SHUF_BOUND_EPSILON, 2322, 2, "log(10)", "0", "1e-6"), SHUF_OK);

    shuf_enclosure_clear(r);
    shuf_enclosure_clear(back);
    shuf_real_clear(eps0); shuf_real_clear(delta); shuf_real_clear(eps);
    shuf_pair_clear(pair);
    fmpq_clear(zero); fmpq_clear(one); fmpq_clear(rate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_region),
        cmocka_unit_test(test_against_exact),
        cmocka_unit_test(test_lemma_32),
        cmocka_unit_test(test_lemma_and_theorem_41),
        cmocka_unit_test(test_krr),
        cmocka_unit_test(test_krr_counterexample),
        cmocka_unit_test(test_approximate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
