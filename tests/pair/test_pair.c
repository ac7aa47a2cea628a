/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The table of pairs against what pairs and engines do. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "certificate/certificate.h"
#include "check.h"
#include "fast/fast.h"
#include "hockey/hockey.h"
#include "pair/pair.h"
#include "renyi/renyi.h"

/* A pair of the kind, by the setter that its parameters call for. Returns the setter's word. */
static int set_any(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t k)
{
    const unsigned takes = shuf_pair_about(kind)->takes;
    shuf_real_t x;
    fmpq_t q, w0, w1;
    int status = -1;
    shuf_real_init(x);
    fmpq_init(q);
    fmpq_init(w0);
    fmpq_init(w1);
    set(x, "1");
    fmpq_set_si(q, 1, 4);
    fmpq_set_si(w0, 1, 2);
    fmpq_set_si(w1, 1, 3);
    if (shuf_pair_is_sampled(kind))
        status = shuf_pair_set_sampled(pair, kind, n, takes & SHUF_TAKES_K ? k : 2, x, q);
    else switch (takes)
    {
    case SHUF_TAKES_EPS0: status = shuf_pair_set_eps0(pair, kind, n, x); break;
    case SHUF_TAKES_EPS0 | SHUF_TAKES_K: status = shuf_pair_set_krr(pair, kind, n, k, x); break;
    case SHUF_TAKES_GAMMA | SHUF_TAKES_K: status = shuf_pair_set_krr_blanket(pair, kind, n, k, q); break;
    case SHUF_TAKES_WEIGHTS: status = shuf_pair_set_trinomial(pair, n, w0, w1, q, q); break;
    case SHUF_TAKES_SIGMA: status = shuf_pair_set_gaussian(pair, n, x); break;
    }
    shuf_real_clear(x);
    fmpq_clear(q);
    fmpq_clear(w0);
    fmpq_clear(w1);
    return status;
}

static void test_rows(void **state)
{
    shuf_pair_kind kind, found;
    (void) state;
    for (kind = 0; kind < SHUF_PAIR_KINDS; kind++)
    {
        const shuf_pair_facts *facts = shuf_pair_about(kind);
        const shuf_theorem *theorem = shuf_theorem_find(facts->theorem);
        assert_non_null(theorem);
        /* the table and the registry agree, and so does what certifies */
        assert_int_equal(facts->side, theorem->side);
        assert_int_equal(theorem->status, SHUF_PROVED);
        assert_int_equal(shuf_pair_certifies(kind, SHUF_SIDE_UPPER), facts->side == SHUF_SIDE_UPPER);
        assert_int_equal(shuf_pair_certifies(kind, SHUF_SIDE_LOWER), facts->side == SHUF_SIDE_LOWER);
        assert_false(shuf_pair_certifies(kind, SHUF_SIDE_EXACT));
        assert_int_equal(shuf_pair_bounds_eps0(kind), kind == SHUF_PAIR_CLONES || kind == SHUF_PAIR_CLONES_DELETION || kind == SHUF_PAIR_CLONES_STRONGER
                                                         || kind == SHUF_PAIR_CLONES_SAMPLED || kind == SHUF_PAIR_CLONES_POISSON);
        assert_false(shuf_pair_certifies(kind, SHUF_SIDE_NONE));
        assert_true(facts->side != SHUF_SIDE_NONE || kind == SHUF_PAIR_TRINOMIAL);
        assert_true(facts->takes != 0 && facts->engines != 0);
        assert_int_equal(facts->least_k != 0, (facts->takes & SHUF_TAKES_K) != 0);
        /* data of a lower bound only */
        assert_true(facts->all_equal == SHUF_LAW_NEITHER || facts->side == SHUF_SIDE_LOWER);
        assert_true(shuf_pair_find(&found, facts->name));
        assert_int_equal(found, kind);
    }
    assert_false(shuf_pair_find(&found, "no such pair"));
    assert_false(shuf_pair_find(&found, ""));
}

/* What is no kind has nothing, and is refused. */
static void test_no_kind(void **state)
{
    static const shuf_pair_kind bad[] = { (shuf_pair_kind) SHUF_PAIR_KINDS, (shuf_pair_kind) 77 };
    shuf_pair_t pair;
    shuf_real_t x;
    fmpq_t q;
    size_t i;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(x);
    fmpq_init(q);
    for (i = 0; i < 2; i++)
    {
        assert_null(shuf_pair_about(bad[i])->name);
        assert_int_equal(shuf_pair_about(bad[i])->engines, 0);
        assert_false(shuf_pair_certifies(bad[i], SHUF_SIDE_UPPER));
        assert_int_equal(shuf_pair_set_eps0(pair, bad[i], 10, x), -1);
        assert_int_equal(shuf_pair_set_krr(pair, bad[i], 10, 3, x), -1);
        assert_int_equal(shuf_pair_set_krr_blanket(pair, bad[i], 10, 3, q), -1);
    }
    shuf_pair_clear(pair);
    shuf_real_clear(x);
    fmpq_clear(q);
}

/* Engines answer where the table says so, and refuse elsewhere. */
static void test_engines(void **state)
{
    shuf_pair_kind kind;
    shuf_pair_t pair;
    shuf_real_t eps, order, delta;
    shuf_enclosure_t r;
    shuf_options six = { 6, 0 };
    struct shuf_bound b;
    int undecided;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(eps);
    shuf_real_init(order);
    shuf_real_init(delta);
    shuf_enclosure_init(r);
    set(eps, "0.2");
    set(order, "2");
    set(delta, "1/1000");
    for (kind = 0; kind < SHUF_PAIR_KINDS; kind++)
    {
        assert_int_equal(set_any(pair, kind, 20, 3), 0);
        assert_int_equal(pair->kind, kind);
        assert_int_equal(shuf_hockey_delta(r, pair, eps, SHUF_DIRECTION_BOTH, &six) != SHUF_DOMAIN,
                         shuf_pair_has_engine(pair, SHUF_ENGINE_HOCKEY));
        assert_int_equal(shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_BOTH, &six) == SHUF_DOMAIN,
                         !shuf_pair_has_engine(pair, SHUF_ENGINE_HOCKEY) || kind == SHUF_PAIR_KRR_STRONG);
        shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &six);
        assert_int_equal(undecided, !shuf_pair_has_engine(pair, SHUF_ENGINE_HOCKEY));
        assert_int_equal(shuf_renyi_divergence(r, pair, order, SHUF_DIRECTION_BOTH, &six) != SHUF_DOMAIN,
                         shuf_pair_has_engine(pair, SHUF_ENGINE_RENYI));
        assert_int_equal(shuf_fast_delta(&b, pair, eps, SHUF_DIRECTION_BOTH) != SHUF_DOMAIN,
                         shuf_pair_has_engine(pair, SHUF_ENGINE_FAST));
        assert_int_equal(shuf_fast_renyi(&b, pair, order, SHUF_DIRECTION_BOTH) != SHUF_DOMAIN,
                         shuf_pair_has_engine(pair, SHUF_ENGINE_FAST_RENYI));
        assert_int_equal(shuf_certificate_refusal(pair, 1) == NULL,
                         shuf_pair_about(kind)->certificate != SHUF_CERTIFICATE_NONE);
        assert_int_equal(shuf_certificate_refusal(pair, 2) == NULL,
                         shuf_pair_about(kind)->certificate == SHUF_CERTIFICATE_ROUNDS);
    }
    shuf_pair_clear(pair);
    shuf_real_clear(eps);
    shuf_real_clear(order);
    shuf_real_clear(delta);
    shuf_enclosure_clear(r);
}

/* The smallest k, and that both directions are one where the table says so. */
static void test_parameters(void **state)
{
    shuf_pair_kind kind;
    shuf_pair_t pair;
    shuf_real_t eps;
    shuf_enclosure_t pq, qp;
    shuf_options twelve = SHUF_OPTIONS_DEFAULT;
    fmpq_t q;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(eps);
    shuf_enclosure_init(pq);
    shuf_enclosure_init(qp);
    fmpq_init(q);
    set(eps, "0.2");
    for (kind = 0; kind < SHUF_PAIR_KINDS; kind++)
    {
        const shuf_pair_facts *facts = shuf_pair_about(kind);
        if (facts->takes & SHUF_TAKES_K)
        {
            assert_int_equal(set_any(pair, kind, 10, facts->least_k - 1), -1);
            assert_int_equal(set_any(pair, kind, 10, facts->least_k), 0);
        }
        assert_int_equal(set_any(pair, kind, 0, 3), -1);
        assert_int_equal(set_any(pair, kind, 10, 3), 0);
        assert_int_equal(shuf_pair_is_symmetric(pair), facts->symmetric);
        if (!shuf_pair_has_engine(pair, SHUF_ENGINE_HOCKEY))
            continue;
        shuf_hockey_delta(pq, pair, eps, SHUF_DIRECTION_PQ, &twelve);
        shuf_hockey_delta(qp, pair, eps, SHUF_DIRECTION_QP, &twelve);
        assert_int_equal(arf_cmp(pq->hi, qp->lo) >= 0 && arf_cmp(qp->hi, pq->lo) >= 0, facts->symmetric);
    }
    fmpq_set_si(q, 1, 5);
    assert_int_equal(set_any(pair, SHUF_PAIR_TRINOMIAL, 10, 3), 0);
    assert_int_equal(shuf_pair_set_trinomial(pair, 10, pair->w0, pair->w1, pair->r0, q), 0);
    assert_false(shuf_pair_is_symmetric(pair));
    /* sigma out of its range leaves the pair as it was */
    set(eps, "1/1001");
    assert_int_equal(shuf_pair_set_gaussian(pair, 10, eps), -1);
    set(eps, "1000001");
    assert_int_equal(shuf_pair_set_gaussian(pair, 10, eps), -1);
    assert_int_equal(pair->kind, SHUF_PAIR_TRINOMIAL);
    shuf_pair_clear(pair);
    shuf_real_clear(eps);
    shuf_enclosure_clear(pq);
    shuf_enclosure_clear(qp);
    fmpq_clear(q);
}

/*
 * all_equal: P is the binomial law of alike users, so P(all n reports are a) is
 * the largest probability to the n-th power, E^n/(E+k-1)^n.
 */
static void test_all_equal(void **state)
{
    shuf_pair_kind kind;
    shuf_pair_t pair;
    shuf_pair_weights_t w;
    (void) state;
    shuf_pair_init(pair);
    shuf_pair_weights_init(w);
    for (kind = 0; kind < SHUF_PAIR_KINDS; kind++)
    {
        arb_t others;
        assert_int_equal(set_any(pair, kind, 10, 3), 0);
        if (!shuf_pair_has_engine(pair, SHUF_ENGINE_HOCKEY))
            continue;
        arb_init(others);
        shuf_pair_get_weights(w, pair, SHUF_DIRECTION_PQ, 128);
        arb_mul(others, w->count, w->rho, 128); /* another user is an a */
        assert_int_equal(arb_overlaps(others, w->w0), shuf_pair_about(kind)->all_equal == SHUF_LAW_P);
        arb_clear(others);
    }
    shuf_pair_clear(pair);
    shuf_pair_weights_clear(w);
}

/* The mass that Q never has is below delta at every eps, and of the size that delta tends to. */
static void test_infinite(void **state)
{
    shuf_pair_kind kind;
    shuf_pair_t pair;
    shuf_real_t eps;
    shuf_enclosure_t r;
    shuf_options twelve = SHUF_OPTIONS_DEFAULT;
    arf_t mass;
    fmpq_t q, w0, r0, r1;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(eps);
    shuf_enclosure_init(r);
    arf_init(mass);
    fmpq_init(q);
    fmpq_init(w0);
    fmpq_init(r0);
    fmpq_init(r1);
    for (kind = 0; kind < SHUF_PAIR_KINDS; kind++)
    {
        assert_int_equal(set_any(pair, kind, 10, 3), 0);
        shuf_pair_get_infinite(mass, pair, SHUF_DIRECTION_PQ);
        assert_int_equal(arf_sgn(mass), kind == SHUF_PAIR_KRR_STRONG);
    }
    /* 3/4 (1 - 1/12)^9 = 0.34273... */
    assert_int_equal(set_any(pair, SHUF_PAIR_KRR_STRONG, 10, 3), 0);
    shuf_pair_get_infinite(mass, pair, SHUF_DIRECTION_QP);
    assert_true(fabs(arf_get_d(mass, ARF_RND_NEAR) - 0.75 * pow(11.0 / 12, 9)) < 1e-14);
    set(eps, "20");
    assert_int_equal(shuf_hockey_delta(r, pair, eps, SHUF_DIRECTION_BOTH, &twelve), SHUF_OK);
    assert_true(arf_cmp(mass, r->hi) <= 0);
    assert_true(fabs(arf_get_d(r->hi, ARF_RND_NEAR) - arf_get_d(mass, ARF_RND_NEAR)) < 1e-10);
    /* nobody answers at random: all of it */
    assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_STRONG, 10, 3, q), 0);
    shuf_pair_get_infinite(mass, pair, SHUF_DIRECTION_PQ);
    assert_true(arf_is_one(mass));
    /* everybody does: none */
    fmpq_one(q);
    assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_STRONG, 10, 3, q), 0);
    shuf_pair_get_infinite(mass, pair, SHUF_DIRECTION_PQ);
    assert_true(arf_is_zero(mass));
    /* w1 = 0 < w2: only (3, 0) is what Q never has, 1/2 (1/3)^2 under P; the other way round 1/2 (1/4)^2 */
    fmpq_set_si(w0, 1, 2);
    fmpq_set_si(r0, 1, 3);
    fmpq_set_si(r1, 1, 4);
    fmpq_zero(q);
    assert_int_equal(shuf_pair_set_trinomial(pair, 3, w0, q, r0, r1), 0);
    shuf_pair_get_infinite(mass, pair, SHUF_DIRECTION_PQ);
    assert_true(fabs(arf_get_d(mass, ARF_RND_NEAR) - 1.0 / 18) < 1e-15);
    shuf_pair_get_infinite(mass, pair, SHUF_DIRECTION_QP);
    assert_true(fabs(arf_get_d(mass, ARF_RND_NEAR) - 1.0 / 32) < 1e-15);
    set(eps, "30");
    assert_int_equal(shuf_hockey_delta(r, pair, eps, SHUF_DIRECTION_PQ, &twelve), SHUF_OK);
    assert_true(fabs(arf_get_d(r->hi, ARF_RND_NEAR) - 1.0 / 18) < 1e-12);
    shuf_pair_clear(pair);
    shuf_real_clear(eps);
    shuf_enclosure_clear(r);
    arf_clear(mass);
    fmpq_clear(q);
    fmpq_clear(w0);
    fmpq_clear(r0);
    fmpq_clear(r1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_no_kind),
        cmocka_unit_test(test_engines),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_all_equal),
        cmocka_unit_test(test_infinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
