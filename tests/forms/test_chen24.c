/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The approximations of Chen, Cao, Ge (2024): their formulas against values
 * worked out apart in multiple precision, and certified counterexamples to
 * each that the registry calls refuted (that of chen24-thm3 is in tests/account/test_sgd.c).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../oracle/oracle.h"
#include "forms/bound.h"

#define PREC 192

static const shuf_options twelve = SHUF_OPTIONS_DEFAULT;

static shuf_status evaluate(shuf_enclosure_t r, const char *id, shuf_bound_quantity quantity, uint64_t n,
                            const char *eps0, const char *point)
{
    const shuf_bound_form *form = shuf_bound_find(id, quantity);
    shuf_bound_query_t q;
    shuf_status status;
    assert_non_null(form);
    shuf_bound_query_init(q);
    q->n = n;
    assert_int_equal(shuf_real_set_str(q->eps0, eps0), 0);
    assert_int_equal(shuf_real_set_str(q->point, point), 0);
    status = shuf_bound_evaluate(r, form, q, &twelve);
    shuf_bound_query_clear(q);
    return status;
}

/* Whether r is accurate and meets the value, itself known to 2^-60 of its size. */
static void assert_value(const shuf_enclosure_t r, const char *text)
{
    shuf_real_t x;
    arb_t value, ball;
    shuf_real_init(x);
    arb_init(value);
    arb_init(ball);
    assert_int_equal(shuf_real_set_str(x, text), 0);
    shuf_real_get_arb(value, x, PREC);
    arb_mul_2exp_si(ball, value, -60);
    arb_add_error(value, ball);
    shuf_enclosure_get_arb(ball, r, PREC);
    assert_true(shuf_enclosure_accurate(r, 12));
    assert_true(arb_overlaps(value, ball));
    shuf_real_clear(x);
    arb_clear(value);
    arb_clear(ball);
}

static void test_values(void **state)
{
    shuf_enclosure_t r;
    (void) state;
    shuf_enclosure_init(r);
    assert_int_equal(evaluate(r, "chen24-thm2", SHUF_BOUND_DELTA, 1000, "4", "3.2"), SHUF_OK);
    assert_value(r, "1.2194336530835395655e-12");
    assert_int_equal(evaluate(r, "chen24-thm2", SHUF_BOUND_DELTA, 1000, "1", "0"), SHUF_OK);
    assert_value(r, "0.041601370806316061399");
    assert_int_equal(evaluate(r, "chen24-cor2", SHUF_BOUND_RENYI, 1001, "4", "18"), SHUF_OK);
    assert_value(r, "1.9655334011931926068");
    assert_int_equal(evaluate(r, "chen24-thm3", SHUF_BOUND_RENYI, 1001, "4", "18"), SHUF_OK);
    assert_value(r, "1.9655334011931926068");
    /* eps at delta(3.2) */
    assert_int_equal(evaluate(r, "chen24-thm2", SHUF_BOUND_EPSILON, 1000, "4", "1.2194336530835395655e-12"), SHUF_OK);
    assert_value(r, "3.2");
    assert_int_equal(evaluate(r, "chen24-thm2", SHUF_BOUND_EPSILON, 1000, "1", "0.0416"), SHUF_OK);
    assert_true(arf_sgn(r->lo) > 0);
    assert_int_equal(evaluate(r, "chen24-thm2", SHUF_BOUND_EPSILON, 1000, "1", "0.0417"), SHUF_OK);
    assert_true(arf_is_zero(r->hi));
    shuf_enclosure_clear(r);
}

static void test_regions(void **state)
{
    shuf_enclosure_t r;
    (void) state;
    shuf_enclosure_init(r);
    assert_int_equal(evaluate(r, "chen24-cor2", SHUF_BOUND_RENYI, 1, "1", "2"), SHUF_DOMAIN);
    assert_int_equal(evaluate(r, "chen24-cor2", SHUF_BOUND_RENYI, 2, "1", "1.99"), SHUF_DOMAIN);
    assert_int_equal(evaluate(r, "chen24-cor2", SHUF_BOUND_RENYI, 2, "-1", "2"), SHUF_DOMAIN);
    assert_int_equal(evaluate(r, "chen24-cor2", SHUF_BOUND_RENYI, 2, "1", "2"), SHUF_OK);
    assert_int_equal(evaluate(r, "chen24-thm2", SHUF_BOUND_DELTA, 1, "1", "1"), SHUF_DOMAIN);
    assert_int_equal(evaluate(r, "chen24-thm2", SHUF_BOUND_DELTA, 2, "1", "-1"), SHUF_DOMAIN);
    assert_int_equal(evaluate(r, "chen24-thm2", SHUF_BOUND_EPSILON, 2, "1", "0"), SHUF_DOMAIN);
    assert_int_equal(evaluate(r, "chen24-thm2", SHUF_BOUND_EPSILON, 2, "1", "1"), SHUF_DOMAIN);
    /* extreme: no crash, and what comes out is a probability */
    assert_int_equal(evaluate(r, "chen24-thm2", SHUF_BOUND_DELTA, 2, "700", "1"), SHUF_OK);
    assert_true(arf_cmp_d(r->lo, 0.999) > 0 && arf_cmp_d(r->hi, 1.001) < 0);
    assert_int_not_equal(evaluate(r, "chen24-thm2", SHUF_BOUND_DELTA, SHUF_MAX_USERS, "0", "1"), SHUF_DOMAIN);
    assert_true(arf_sgn(r->lo) >= 0 && arf_cmp_d(r->hi, 1e-300) < 0);
    assert_int_equal(evaluate(r, "chen24-thm2", SHUF_BOUND_EPSILON, 2, "1000000", "1e-9"), SHUF_DOMAIN);
    shuf_enclosure_clear(r);
}

/* Corollary 2 at n = 1001, eps0 = 4, order 18, and Theorem 2 at n = 1000, eps0 = 4, eps = 3.2. */
static void test_counterexamples(void **state)
{
    oracle_law_t law;
    shuf_enclosure_t r;
    arb_t E, x, pq, qp, ball;
    (void) state;
    shuf_enclosure_init(r);
    arb_init(E); arb_init(x); arb_init(pq); arb_init(qp); arb_init(ball);
    arb_set_ui(E, 4);
    arb_exp(E, E, PREC);

    oracle_law_rr2(law, 1001, E, PREC);
    arb_set_ui(x, 18);
    oracle_renyi(pq, qp, law, x, PREC);
    arb_log(pq, pq, PREC);
    arb_div_ui(pq, pq, 17, PREC);
    assert_int_equal(evaluate(r, "chen24-cor2", SHUF_BOUND_RENYI, 1001, "4", "18"), SHUF_OK);
    arb_set_arf(ball, r->hi);
    assert_true(arb_gt(pq, ball));
    arb_set_d(ball, 2.931);
    arb_sub(ball, ball, pq, PREC);
    arb_abs(ball, ball);
    arb_set_d(x, 0.0005);
    assert_true(arb_lt(ball, x));
    oracle_law_clear(law);

    oracle_law_rr2(law, 1000, E, PREC);
    arb_set_ui(x, 16);
    arb_div_ui(x, x, 5, PREC);
    arb_exp(x, x, PREC);
    oracle_hockey(pq, qp, law, x, PREC);
    assert_int_equal(evaluate(r, "chen24-thm2", SHUF_BOUND_DELTA, 1000, "4", "3.2"), SHUF_OK);
    arb_set_arf(ball, r->hi);
    arb_mul_ui(ball, ball, 5000, PREC);
    assert_true(arb_gt(pq, ball));
    oracle_law_clear(law);

    assert_int_equal(shuf_theorem_find("chen24-cor2")->status, SHUF_REFUTED);
    assert_int_equal(shuf_theorem_find("chen24-thm2")->status, SHUF_REFUTED);
    shuf_enclosure_clear(r);
    arb_clear(E); arb_clear(x); arb_clear(pq); arb_clear(qp); arb_clear(ball);
}

/* Theorem 1's pair, n = 10, E = 2: not eps0-DP, and every Renyi divergence is infinite. */
static void test_printed_pair(void **state)
{
    oracle_law_t law;
    arb_t w0, half, quarter, two, pq, qp;
    (void) state;
    arb_init(w0); arb_init(half); arb_init(quarter); arb_init(two); arb_init(pq); arb_init(qp);
    arb_set_d(half, 0.5);
    arb_set_d(quarter, 0.25);
    arb_set_ui(two, 2);
    oracle_law_trinomial(law, 10, w0, half, half, quarter, quarter, half, PREC);
    oracle_renyi(pq, qp, law, two, PREC);
    assert_true(arf_is_pos_inf(arb_midref(pq)) && arf_is_pos_inf(arb_midref(qp)));
    oracle_hockey(pq, qp, law, two, PREC);
    arb_set_d(half, 0.01);
    assert_true(arb_gt(pq, half) && arb_gt(qp, half));
    oracle_law_clear(law);
    assert_int_equal(shuf_theorem_find("chen24-thm1")->status, SHUF_REFUTED);
    arb_clear(w0); arb_clear(half); arb_clear(quarter); arb_clear(two); arb_clear(pq); arb_clear(qp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_counterexamples),
        cmocka_unit_test(test_printed_pair),
    };
    int failed = cmocka_run_group_tests_name("chen24", tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
