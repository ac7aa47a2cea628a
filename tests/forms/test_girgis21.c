/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The Renyi bounds of Girgis et al. (2021) and proofs/girgis21.md: formulas
 * against values worked out apart in multiple precision, regions, floors, and
 * the claims against the exact divergences of the clones pair and of binary
 * randomised response.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../oracle/oracle.h"
#include "random.h"
#include "forms/bound.h"

#define PREC 192

static const shuf_options twelve = SHUF_OPTIONS_DEFAULT;

static shuf_status evaluate(shuf_enclosure_t r, const char *id, uint64_t n, const char *eps0, const char *order,
                            const char *gamma)
{
    const shuf_bound_form *form = shuf_bound_find(id, SHUF_BOUND_RENYI);
    shuf_bound_query_t q;
    shuf_status status;
    assert_non_null(form);
    assert_non_null(shuf_theorem_find(id));
    shuf_bound_query_init(q);
    q->n = n;
    assert_int_equal(shuf_real_set_str(q->eps0, eps0), 0);
    assert_int_equal(shuf_real_set_str(q->point, order), 0);
    assert_int_equal(shuf_real_set_str(q->gamma, gamma), 0);
    status = shuf_bound_evaluate(r, form, q, &twelve);
    shuf_bound_query_clear(q);
    return status;
}

/* The values to 20 digits come from the definitions in mpmath with 60 digits. */
static void test_values(void **state)
{
    static const struct
    {
        const char *id;
        uint64_t n;
        const char *eps0, *order, *gamma, *value;
    } cases[] = {
        { "girgis21-3.1", 10000, "1", "10", "0", "0.0051211117289257665856" },
        { "girgis21-3.1", 10000, "0.1", "500", "0", "0.0014809007355788875953" },
        { "girgis21-3.1-sharp", 145, "1e-3", "2", "0", "1.3888905456308774203e-8" },
        { "girgis21-3.1-sharp", 1000000, "1", "17.75", "0", "0.000059791248050356452315" },
        { "girgis21-3.1-gamma", 1000, "0.5", "6", "0.25", "0.0021276587807135447361" },
        { "girgis21-3.2", 10000000, "1", "7", "0", "4.1334381624607259117e-6" },
        { "girgis21-3.3", 1000, "1", "2", "0", "0.064184618304620864350" },
        { "girgis21-3.3-sharp", 57, "2", "1.25", "0", "63.781309214323973213" },
        { "girgis21-3.4", 300000, "1", "50", "0", "0.000090502790340221625759" },
        { "girgis21-3.5", 1000, "4", "10", "0", "0.13491579776613421711" },
        { "girgis21-3.6", 60, "1", "4", "0", "0.09067380843948072055" },
        { "girgis21-3.6", 41, "log(5)", "2.5", "0", "0.38003687428391607379" },
        { "girgis21-3.6", 1, "0.3", "2", "0", "0.086798630263560704412" },
        { "girgis21-3.7", 1000, "1", "4", "0", "0.0026862622885725836852" },
        { "girgis21-3.7", 7, "log(3)", "11", "0", "0.81381184924756385865" },
        { "girgis21-7.1", 57, "2", "1.25", "0", "4.4758813415880415158" },
        { "erlingsson19-renyi", 1000, "1", "3.5", "0", "1.1284043772450830839" },
    };
    size_t i;
    shuf_enclosure_t r;
    shuf_real_t x;
    arb_t value, ball;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(x);
    arb_init(value);
    arb_init(ball);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        assert_int_equal(evaluate(r, cases[i].id, cases[i].n, cases[i].eps0, cases[i].order, cases[i].gamma), SHUF_OK);
        assert_int_equal(r->status, SHUF_OK);
        assert_true(shuf_enclosure_accurate(r, 12));
        assert_int_equal(shuf_real_set_str(x, cases[i].value), 0);
        shuf_real_get_arb(value, x, PREC);
        arb_mul_2exp_si(ball, value, -60);
        arb_add_error(value, ball);
        shuf_enclosure_get_arb(ball, r, PREC);
        if (!arb_overlaps(value, ball))
            fail_msg("%s at %s", cases[i].id, cases[i].value);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(x);
    arb_clear(value);
    arb_clear(ball);
}

/* n_bar where (n-1)/(2E) is an integer, just below, and for transcendental E. */
static void test_floor(void **state)
{
    static const struct { uint64_t n; const char *eps0; ulong blocks; } cases[] = {
        { 41, "log(2)", 11 }, { 40, "log(2)", 10 }, { 42, "log(2)", 11 }, { 1, "log(2)", 1 }, { 5, "log(2)", 2 },
        { UINT64_C(1000000000000000000), "log(3/2)", UINT64_C(333333333333333334) },
        { UINT64_C(999999999999999999), "log(3/2)", UINT64_C(333333333333333333) },
        { 28, "2.6", 2 }, /* 27/(2 e^2.6) = 1.0027 */
        { 27, "2.6", 1 }, /* 26/(2 e^2.6) = 0.9655 */
    };
    size_t i;
    shuf_enclosure_t r;
    shuf_real_t eps0;
    arb_t E, a, t, ball;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(eps0);
    arb_init(E); arb_init(a); arb_init(t); arb_init(ball);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        /* order 2: log(1 + a/n_bar + a e^-(n-1)/(8E)), a = (E-1)^2/E = E_0 - 1 */
        assert_int_equal(evaluate(r, "girgis21-3.1-sharp", cases[i].n, cases[i].eps0, "2", "0"), SHUF_OK);
        assert_int_equal(shuf_real_set_str(eps0, cases[i].eps0), 0);
        shuf_real_exp(E, eps0, PREC);
        arb_sub_ui(a, E, 1, PREC);
        arb_sqr(a, a, PREC);
        arb_div(a, a, E, PREC);
        arb_set_ui(t, cases[i].n - 1);
        arb_div(t, t, E, PREC);
        arb_mul_2exp_si(t, t, -3);
        arb_neg(t, t);
        arb_exp(t, t, PREC);
        arb_mul(t, t, a, PREC);
        arb_div_ui(a, a, cases[i].blocks, PREC);
        arb_add(t, t, a, PREC);
        arb_log1p(t, t, PREC);
        shuf_enclosure_get_arb(ball, r, PREC);
        assert_true(arb_contains(ball, t));
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps0);
    arb_clear(E); arb_clear(a); arb_clear(t); arb_clear(ball);
}

static void test_regions(void **state)
{
    static const struct { const char *id; uint64_t n; const char *eps0, *order, *gamma; int inside; } cases[] = {
        { "girgis21-3.2", 145, "1e-4", "2", "0", 1 },
        { "girgis21-3.2", 144, "1e-4", "2", "0", 0 },
        { "girgis21-3.2", 4609, "log(2)", "2", "0", 1 }, /* 9 2^4 2^5 = 4608 */
        { "girgis21-3.2", 4608, "log(2)", "2", "0", 0 },
        { "girgis21-3.2", 145, "0", "2", "0", 1 },
        { "girgis21-3.2", 144, "0", "2", "0", 0 },
        { "girgis21-3.2", 1000000, "0.1", "5/2", "0", 0 },
        { "girgis21-3.2", 1000000, "0.1", "log(100)", "0", 0 },
        { "girgis21-3.2", UINT64_C(1000000000000000000), "1e-9", "18257", "0", 1 },
        { "girgis21-3.2", UINT64_C(1000000000000000000), "1e-9", "18258", "0", 0 },
        { "girgis21-3.2", UINT64_C(1000000000000000000), "1e-9", "1000000000000", "0", 0 },
        { "girgis21-3.1", 100, "-0.1", "2", "0", 0 },
        { "girgis21-3.1", 100, "1", "1", "0", 0 },
        { "girgis21-3.1", 100, "1", "0.5", "0", 0 },
        { "girgis21-3.1", 100, "1", "1.0001", "0", 1 },
        { "girgis21-3.3", 100, "1", "1", "0", 0 },
        { "girgis21-3.3", 100, "1", "log(4)", "0", 1 },
        { "girgis21-3.6", 100, "1", "1", "0", 0 },
        { "girgis21-3.6", 100, "1", "1.5", "0", 1 },
        { "girgis21-3.6", 100, "1000.5", "2", "0", 0 },
        { "girgis21-3.7", 100, "1", "2.5", "0", 0 },
        { "girgis21-3.7", 100, "1", "2", "0", 1 },
        { "girgis21-7.1", 100, "1", "1", "0", 0 },
        { "girgis21-7.1", 100, "1", "1.5", "0", 1 },
        { "girgis21-3.1-gamma", 100, "1", "3", "1", 0 },
        { "girgis21-3.1-gamma", 100, "1", "3", "-1/2", 0 },
        { "girgis21-3.1-gamma", 100, "1", "3", "log(2)", 1 },
        { "girgis21-3.1-gamma", 100, "log(2)", "log(20)", "log(2)", 1 },
        { "girgis21-3.4", 100, "1", "2.5", "0", 0 },
        { "girgis21-3.4", 200000, "1", "5001", "0", 1 },
        { "girgis21-3.4", 200001, "1", "5001", "0", 0 },
        { "girgis21-3.5", 100, "1", "1", "0", 0 },
        { "girgis21-3.5", 100, "1", "2", "0", 1 },
        { "erlingsson19-renyi", 100, "1", "1", "0", 0 },
    };
    size_t i;
    shuf_enclosure_t r;
    (void) state;
    shuf_enclosure_init(r);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (evaluate(r, cases[i].id, cases[i].n, cases[i].eps0, cases[i].order, cases[i].gamma)
            != (cases[i].inside ? SHUF_OK : SHUF_DOMAIN))
            fail_msg("%s, n = %llu, eps0 = %s, order %s", cases[i].id, (unsigned long long) cases[i].n, cases[i].eps0,
                     cases[i].order);
    shuf_enclosure_clear(r);
}

static const char *const upper[] = { "girgis21-3.1", "girgis21-3.1-sharp", "girgis21-3.1-gamma", "girgis21-3.2",
                                     "girgis21-3.3", "girgis21-3.3-sharp" };

/* D = log(sum)/(order-1) */
static void divergence(arb_t d, const arb_t sum, const arb_t order)
{
    arb_t t;
    arb_init(t);
    arb_sub_ui(t, order, 1, PREC);
    arb_log(d, sum, PREC);
    arb_div(d, d, t, PREC);
    arb_clear(t);
}

/* Each upper bound against both divergences of the law, where it applies; returns how many applied. */
static int check_upper(const oracle_law_t law, uint64_t n, const char *eps0, const char *order_text)
{
    shuf_enclosure_t r;
    shuf_real_t order;
    arb_t lambda, pq, qp, bound;
    size_t i;
    int applied = 0;
    shuf_enclosure_init(r);
    shuf_real_init(order);
    arb_init(lambda); arb_init(pq); arb_init(qp); arb_init(bound);
    assert_int_equal(shuf_real_set_str(order, order_text), 0);
    shuf_real_get_arb(lambda, order, PREC);
    oracle_renyi(pq, qp, law, lambda, PREC);
    divergence(pq, pq, lambda);
    divergence(qp, qp, lambda);
    for (i = 0; i < sizeof(upper) / sizeof(upper[0]); i++)
    {
        shuf_status status = evaluate(r, upper[i], n, eps0, order_text, "0");
        if (status == SHUF_DOMAIN)
            continue;
        assert_int_equal(status, SHUF_OK);
        applied++;
        arb_set_arf(bound, r->lo);
        if (!arb_le(pq, bound) || !arb_le(qp, bound))
            fail_msg("%s, n = %llu, eps0 = %s, order %s", upper[i], (unsigned long long) n, eps0, order_text);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(order);
    arb_clear(lambda); arb_clear(pq); arb_clear(qp); arb_clear(bound);
    return applied;
}

static void test_upper(void **state)
{
    static const char *const eps0_texts[] = { "1/1000", "0.3", "log(2)", "1.5", "3" };
    static const char *const orders[] = { "1.01", "1.5", "2", "2.5", "3", "8", "log(1000000)", "30" };
    static const uint64_t users[] = { 1, 2, 3, 8, 21, 40 };
    size_t i, j, k;
    oracle_law_t law;
    shuf_real_t eps0;
    arb_t E;
    (void) state;
    skip_unless_drawn(4);
    shuf_real_init(eps0);
    arb_init(E);
    for (i = 0; i < sizeof(users) / sizeof(users[0]); i++)
        for (j = 0; j < sizeof(eps0_texts) / sizeof(eps0_texts[0]); j++)
        {
            assert_int_equal(shuf_real_set_str(eps0, eps0_texts[j]), 0);
            shuf_real_exp(E, eps0, PREC);
            oracle_law_clones(law, (slong) users[i], E, PREC);
            for (k = 0; k < sizeof(orders) / sizeof(orders[0]); k++)
                assert_int_equal(check_upper(law, users[i], eps0_texts[j], orders[k]), 5);
            oracle_law_clear(law);
            oracle_law_rr2(law, (slong) (7 * users[i]), E, PREC);
            for (k = 0; k < sizeof(orders) / sizeof(orders[0]); k++)
                assert_in_range(check_upper(law, 7 * users[i], eps0_texts[j], orders[k]), 5, 6);
            oracle_law_clear(law);
        }
    /* within the region of 3.2 */
    assert_int_equal(shuf_real_set_str(eps0, "0.02"), 0);
    shuf_real_exp(E, eps0, PREC);
    oracle_law_clones(law, 160, E, PREC);
    assert_int_equal(check_upper(law, 160, "0.02", "2"), 6);
    oracle_law_clear(law);
    oracle_law_rr2(law, 900, E, PREC);
    assert_int_equal(check_upper(law, 900, "0.02", "2"), 6);
    assert_int_equal(check_upper(law, 900, "0.02", "3"), 6);
    oracle_law_clear(law);
    shuf_real_clear(eps0);
    arb_clear(E);
}

/*
 * 3.4 is D(Q||P) of rr2 and 3.5 is below it; 3.6 is above both directions;
 * 3.7 and 7.1, of equal data, are above one, and not above other data.
 */
static void test_lower(void **state)
{
    static const char *const eps0_texts[] = { "1/1000000", "0.3", "log(2)", "4", "20" };
    static const char *const orders[] = { "2", "3", "4", "9", "60" };
    static const uint64_t users[] = { 1, 2, 3, 17, 250 };
    size_t i, j, k;
    oracle_law_t law;
    shuf_enclosure_t r;
    shuf_real_t x;
    arb_t E, lambda, pq, qp, ball;
    (void) state;
    shuf_real_init(x);
    shuf_enclosure_init(r);
    arb_init(E); arb_init(lambda); arb_init(pq); arb_init(qp); arb_init(ball);
    for (i = 0; i < sizeof(users) / sizeof(users[0]); i++)
        for (j = 0; j < sizeof(eps0_texts) / sizeof(eps0_texts[0]); j++)
        {
            assert_int_equal(shuf_real_set_str(x, eps0_texts[j]), 0);
            shuf_real_exp(E, x, 2 * PREC);
            oracle_law_rr2(law, (slong) users[i], E, 2 * PREC);
            for (k = 0; k < sizeof(orders) / sizeof(orders[0]); k++)
            {
                assert_int_equal(shuf_real_set_str(x, orders[k]), 0);
                shuf_real_get_arb(lambda, x, PREC);
                oracle_renyi(pq, qp, law, lambda, 2 * PREC);
                divergence(qp, qp, lambda);
                assert_int_equal(evaluate(r, "girgis21-3.4", users[i], eps0_texts[j], orders[k], "0"), SHUF_OK);
                shuf_enclosure_get_arb(ball, r, PREC);
                assert_true(arb_overlaps(ball, qp));
                assert_int_equal(evaluate(r, "girgis21-3.5", users[i], eps0_texts[j], orders[k], "0"), SHUF_OK);
                arb_set_arf(ball, r->lo);
                assert_true(arb_le(ball, qp));
                if (k > 0) /* at order 2 the two are equal */
                    assert_true(arb_lt(ball, qp));
                divergence(pq, pq, lambda);
                assert_int_equal(evaluate(r, "girgis21-3.6", users[i], eps0_texts[j], orders[k], "0"), SHUF_OK);
                arb_set_arf(ball, r->hi);
                assert_false(arb_lt(ball, pq) || arb_lt(ball, qp)); /* for one user it is the same */
                assert_int_equal(evaluate(r, "girgis21-3.7", users[i], eps0_texts[j], orders[k], "0"), SHUF_OK);
                arb_set_arf(ball, r->hi);
                assert_true(arb_ge(ball, qp) || (k == 0 && arb_overlaps(ball, qp)));
                assert_int_equal(evaluate(r, "girgis21-7.1", users[i], eps0_texts[j], orders[k], "0"), SHUF_OK);
                arb_set_arf(ball, r->lo);
                assert_true(arb_gt(ball, qp));
            }
            oracle_law_clear(law);
        }
    /* 3-ary randomised response of 50 users, the others with a third value: not what 3.7 is about */
    arb_set_ui(E, 20);
    arb_set_ui(lambda, 2);
    oracle_law_krr(law, 50, 3, E, ORACLE_OTHERS_THIRD, PREC);
    oracle_renyi(pq, qp, law, lambda, PREC);
    divergence(qp, qp, lambda);
    oracle_law_clear(law);
    assert_int_equal(evaluate(r, "girgis21-3.7", 50, "log(20)", "2", "0"), SHUF_OK);
    arb_set_arf(ball, r->hi);
    assert_true(arb_lt(ball, qp));
    assert_false(shuf_theorem_certifies("girgis21-3.7", SHUF_SIDE_UPPER) || shuf_theorem_certifies("girgis21-7.1", SHUF_SIDE_UPPER));
    shuf_real_clear(x);
    shuf_enclosure_clear(r);
    arb_clear(E); arb_clear(lambda); arb_clear(pq); arb_clear(qp); arb_clear(ball);
}

/* How the forms compare with each other at random points of their common region. */
static void test_order_of_forms(void **state)
{
    char eps0[40], order[40];
    shuf_enclosure_t a, b;
    int i;
    (void) state;
    skip_unless_drawn(5);
    shuf_enclosure_init(a);
    shuf_enclosure_init(b);
    for (i = 0; i < 300; i++)
    {
        ulong lambda = 2 + random_below(60);
        double u = random_unit(), room = 9.0 * (double) (lambda * lambda * lambda * lambda), E;
        uint64_t n, numerator = 65537 + (uint64_t) (3e6 * u * u * u * u);
        E = (double) numerator / 65536.0;
        snprintf(eps0, sizeof(eps0), "log(%llu/65536)", (unsigned long long) numerator);
        snprintf(order, sizeof(order), "%lu", lambda);
        /* from the edge of the region of 3.2 on */
        n = (uint64_t) (room * E * E * E * E * E * (1.000001 + random_unit() * random_unit() * 5.0)) + 1;
        assert_int_equal(evaluate(a, "girgis21-3.1-sharp", n, eps0, order, "0"), SHUF_OK);
        assert_int_equal(evaluate(b, "girgis21-3.2", n, eps0, order, "0"), SHUF_OK);
        assert_true(arf_cmp(a->hi, b->lo) <= 0);
        n = 1 + random_below(3000);
        snprintf(order, sizeof(order), "%.17g", 1.0 + 20.0 * random_unit());
        assert_int_equal(evaluate(a, "girgis21-3.1-sharp", n, eps0, order, "0"), SHUF_OK);
        assert_int_equal(evaluate(b, "girgis21-3.1", n, eps0, order, "0"), SHUF_OK);
        assert_true(arf_cmp(a->lo, b->hi) <= 0);
        assert_int_equal(evaluate(b, "girgis21-3.1-gamma", n, eps0, order, "1/2"), SHUF_OK);
        assert_true(arf_equal(a->lo, b->lo) && arf_equal(a->hi, b->hi));
        assert_int_equal(evaluate(a, "girgis21-3.3-sharp", n, eps0, order, "0"), SHUF_OK);
        assert_int_equal(evaluate(b, "girgis21-3.3", n, eps0, order, "0"), SHUF_OK);
        assert_true(arf_cmp(a->lo, b->hi) <= 0);
        assert_int_equal(evaluate(b, "girgis21-3.6", n, eps0, order, "0"), SHUF_OK);
        assert_true(arf_cmp(b->lo, a->hi) <= 0);
        assert_int_equal(evaluate(a, "girgis21-3.1-gamma", n, eps0, order, "0"), SHUF_OK);
        assert_true(arf_cmp(b->lo, a->hi) <= 0);
    }
    /* orders below 2 take the value at 2 */
    assert_int_equal(evaluate(a, "girgis21-3.1", 50, "1", "1.25", "0"), SHUF_OK);
    assert_int_equal(evaluate(b, "girgis21-3.1", 50, "1", "2", "0"), SHUF_OK);
    assert_true(arf_equal(a->lo, b->lo));
    /* the chosen gamma nearly halves the bound for many users */
    assert_int_equal(evaluate(a, "girgis21-3.1-gamma", 1000000, "1", "10", "0"), SHUF_OK);
    assert_int_equal(evaluate(b, "girgis21-3.1-sharp", 1000000, "1", "10", "0"), SHUF_OK);
    arf_mul_si(a->hi, a->hi, 2, 64, ARF_RND_UP);
    assert_true(arf_get_d(a->hi, ARF_RND_UP) < 1.01 * arf_get_d(b->lo, ARF_RND_DOWN));
    shuf_enclosure_clear(a);
    shuf_enclosure_clear(b);
}

/* Extreme parameters: an enclosure or a refusal, in reasonable time. */
static void test_extremes(void **state)
{
    static const char *const ids[] = { "girgis21-3.1", "girgis21-3.1-sharp", "girgis21-3.1-gamma", "girgis21-3.2",
                                       "girgis21-3.3", "girgis21-3.3-sharp", "girgis21-3.4", "girgis21-3.5",
                                       "girgis21-3.7", "girgis21-7.1", "erlingsson19-renyi" };
    static const char *const eps0_texts[] = { "0", "1e-300", "700", "1000000" };
    static const char *const orders[] = { "1.0000000001", "2", "100000", "1e18" };
    static const uint64_t users[] = { 1, SHUF_MAX_USERS };
    size_t i, j, k, l;
    shuf_enclosure_t r;
    (void) state;
    skip_unless_drawn(4);
    shuf_enclosure_init(r);
    for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
        for (j = 0; j < 4; j++)
            for (k = 0; k < 4; k++)
                for (l = 0; l < 2; l++)
                {
                    shuf_status status = evaluate(r, ids[i], users[l], eps0_texts[j], orders[k], "0");
                    assert_true(status == SHUF_OK || status == SHUF_ACCURACY || status == SHUF_DOMAIN);
                    if (status == SHUF_DOMAIN)
                        continue;
                    assert_true(arf_sgn(r->lo) >= 0 && arf_cmp(r->lo, r->hi) <= 0);
                    assert_int_equal(j == 0, arf_is_zero(r->hi));
                }
    assert_int_equal(evaluate(r, "girgis21-3.1", SHUF_MAX_USERS, "700", "1000000", "0"), SHUF_OK);
    assert_true(arf_cmp_si(r->lo, 700) > 0);
    assert_int_equal(evaluate(r, "girgis21-3.1", SHUF_MAX_USERS, "700", "1000001", "0"), SHUF_DOMAIN);
    /* a long sum that stops early: C(order,2) (E-1)^2/(n_bar E) is nearly all */
    assert_int_equal(evaluate(r, "girgis21-3.1", SHUF_MAX_USERS, "1e-9", "10000000000", "0"), SHUF_OK);
    shuf_enclosure_clear(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_floor),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_upper),
        cmocka_unit_test(test_lower),
        cmocka_unit_test(test_order_of_forms),
        cmocka_unit_test(test_extremes),
    };
    int failed;
    seed_random();
    failed = cmocka_run_group_tests_name("girgis21", tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
