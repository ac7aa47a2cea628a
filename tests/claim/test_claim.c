/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Claims: reading, verdicts that are known, calibration. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "claim/claim.h"

static const shuf_options budget = { 12, 10.0 };

static shuf_verdict_kind verdict(const char *mechanism, const char *n, const char *eps, const char *delta)
{
    char text[512], error[256];
    shuf_claim_list list;
    shuf_verdict_t v;
    shuf_verdict_kind kind;
    snprintf(text, sizeof(text), "{\"id\":\"x\",\"mechanism\":%s,\"n\":\"%s\",\"claim\":{\"eps\":\"%s\",\"delta\":\"%s\"}}",
             mechanism, n, eps, delta);
    assert_int_equal(shuf_claims_parse(&list, text, strlen(text), error, sizeof(error)), 0);
    assert_int_equal(list.count, 1);
    shuf_claim_audit(v, &list.items[0], &budget);
    kind = v->kind;
    shuf_verdict_clear(v);
    shuf_claims_clear(&list);
    return kind;
}

#define LDP(e) "{\"type\":\"ldp\",\"eps0\":\"" e "\"}"
#define RR2(e) "{\"type\":\"rr2\",\"eps0\":\"" e "\"}"
#define KRR(k, e) "{\"type\":\"krr\",\"k\":" k ",\"eps0\":\"" e "\"}"
#define KRRG(k, g) "{\"type\":\"krr\",\"k\":" k ",\"gamma\":\"" g "\"}"
#define RAPPOR(e) "{\"type\":\"rappor\",\"eps0\":\"" e "\"}"

static void test_verdicts(void **state)
{
    (void) state;
    /* clones n=10, eps0=1: delta(1/4) = 0.1068..., clones-stronger below */
    assert_int_equal(verdict(LDP("1"), "10", "0.25", "0.107"), SHUF_CERTIFIED);
    assert_int_equal(verdict(LDP("1"), "10", "0.25", "0.01"), SHUF_REFUTED_CLAIM);
    /* one user: delta(eps) = (E - alpha)/(E+1), both bounds; eps >= eps0 is free */
    assert_int_equal(verdict(LDP("log(3)"), "1", "log(2)", "1/4"), SHUF_CERTIFIED);
    assert_int_equal(verdict(LDP("log(3)"), "1", "log(2)", "0.2499999"), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict(LDP("4"), "1000", "4", "0"), SHUF_CERTIFIED);
    assert_int_equal(verdict(LDP("4"), "1000", "3.99", "0"), SHUF_REFUTED_CLAIM);
    /* delta far below any exponent that can be written out */
    assert_int_equal(verdict(LDP("2"), "1e18", "1", "1e-300"), SHUF_CERTIFIED);
    assert_int_equal(verdict(LDP("50"), "1000", "1", "1e-6"), SHUF_REFUTED_CLAIM);
    /* k-RR, E = 2, k = 3, n = 2, e^eps = 1.7: truth at least 0.0375, variation-ratio 0.01875 */
    assert_int_equal(verdict(KRR("3", "log(2)"), "2", "log(1.7)", "0.01876"), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict(KRR("3", "log(2)"), "2", "log(1.7)", "0.0374"), SHUF_REFUTED_CLAIM);
    /* k-RR, n=10, k=3, eps0=1, delta=1e-3: eps at least 0.8187 */
    assert_int_equal(verdict(KRR("3", "1"), "10", "0.7655", "1e-3"), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict(KRR("3", "1"), "10", "1", "0"), SHUF_CERTIFIED);
    /* gamma and eps0 name the same mechanism */
    assert_int_equal(verdict(KRRG("4", "1/4"), "1000", "0.5", "5.5e-6"), SHUF_CERTIFIED);
    assert_int_equal(verdict(KRRG("4", "1"), "10", "0", "0"), SHUF_CERTIFIED);
    assert_int_equal(verdict(KRRG("4", "0"), "10", "5", "0.5"), SHUF_UNDECIDED);
    /* n=20, eps0=3: all-equal data give 0.3576, the worst pair 0.4159 */
    assert_int_equal(verdict(RR2("3"), "20", "0.1", "0.3575"), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict(RR2("3"), "20", "0.1", "0.3577"), SHUF_UNDECIDED);
    assert_int_equal(verdict(RR2("3"), "20", "0.1", "0.9"), SHUF_CERTIFIED);
    /* RAPPOR is 2 eps0-LDP under replacement */
    assert_int_equal(verdict(RAPPOR("2"), "1000", "4", "0"), SHUF_CERTIFIED);
    assert_int_equal(verdict(RAPPOR("2"), "1000", "1.99", "0"), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict(RAPPOR("2"), "1000", "2", "0"), SHUF_UNDECIDED);
}

static void test_rounds(void **state)
{
    char error[256];
    const char *composed = "[{\"id\":\"a\",\"mechanism\":" LDP("1") ",\"n\":100,\"rounds\":5,\"claim\":{\"eps\":\"10\",\"delta\":\"0.5\"}},"
                           "{\"id\":\"b\",\"mechanism\":" LDP("1") ",\"n\":100,\"rounds\":5,\"claim\":{\"eps\":\"0.01\",\"delta\":\"1e-9\"}},"
                           "{\"id\":\"c\",\"mechanism\":" LDP("1") ",\"n\":100,\"subsample\":\"0.1\",\"claim\":{\"eps\":\"0.01\",\"delta\":\"1e-9\"}}]";
    static const shuf_verdict_kind expected[] = { SHUF_UNDECIDED, SHUF_REFUTED_CLAIM, SHUF_UNDECIDED };
    shuf_claim_list list;
    size_t i;
    (void) state;
    assert_int_equal(shuf_claims_parse(&list, composed, strlen(composed), error, sizeof(error)), 0);
    assert_int_equal(list.count, 3);
    for (i = 0; i < 3; i++)
    {
        shuf_verdict_t v;
        shuf_claim_audit(v, &list.items[i], &budget);
        assert_int_equal(v->kind, expected[i]);
        shuf_verdict_clear(v);
    }
    shuf_claims_clear(&list);
}

/* A comparison that the budget leaves open certifies nothing and refutes nothing. */
static void test_open_comparison(void **state)
{
    /* delta(1e-7) of clones-stronger is in [7.75825123859e-11, 7.75825124133e-11] */
    const char *text = "{\"id\":\"a\",\"mechanism\":" LDP("1") ",\"n\":\"1e15\","
                       "\"claim\":{\"eps\":\"1e-7\",\"delta\":\"7.758251240e-11\"}}";
    const shuf_options hurried = { 12, 1e-6 };
    char error[256];
    shuf_claim_list list;
    shuf_verdict_t v;
    (void) state;
    assert_int_equal(shuf_claims_parse(&list, text, strlen(text), error, sizeof(error)), 0);
    shuf_claim_audit(v, &list.items[0], &hurried);
    assert_int_equal(v->upper[0].sign, 0);
    assert_int_equal(v->kind, SHUF_UNDECIDED);
    shuf_verdict_clear(v);
    shuf_claims_clear(&list);
}

static void test_bad_claims(void **state)
{
    static const char *const bad[] = {
        "", "{", "null", "3", "\"x\"", "[1]", "{}", "{\"id\":\"\"}", "{\"id\":\"a\"}",
        "{\"id\":\"a\",\"mechanism\":{\"type\":\"zzz\"},\"n\":\"1\",\"claim\":{\"eps\":\"1\",\"delta\":\"0\"}}",
        "{\"id\":\"a\",\"mechanism\":" LDP("-1") ",\"n\":\"1\",\"claim\":{\"eps\":\"1\",\"delta\":\"0\"}}",
        "{\"id\":\"a\",\"mechanism\":" LDP("1") ",\"n\":\"0\",\"claim\":{\"eps\":\"1\",\"delta\":\"0\"}}",
        "{\"id\":\"a\",\"mechanism\":" LDP("1") ",\"n\":1.5,\"claim\":{\"eps\":\"1\",\"delta\":\"0\"}}",
        "{\"id\":\"a\",\"mechanism\":" LDP("1") ",\"n\":\"10\",\"claim\":{\"eps\":0.1,\"delta\":\"0\"}}",
        "{\"id\":\"a\",\"mechanism\":" LDP("1") ",\"n\":\"10\",\"claim\":{\"eps\":\"-1\",\"delta\":\"0\"}}",
        "{\"id\":\"a\",\"mechanism\":" LDP("1") ",\"n\":\"10\",\"claim\":{\"eps\":\"1\",\"delta\":\"2\"}}",
        "{\"id\":\"a\",\"mechanism\":" LDP("1") ",\"n\":\"10\",\"neighbours\":\"add\",\"claim\":{\"eps\":\"1\",\"delta\":\"0\"}}",
        "{\"id\":\"a\",\"mechanism\":" KRR("1", "1") ",\"n\":\"10\",\"claim\":{\"eps\":\"1\",\"delta\":\"0\"}}",
        "{\"id\":\"a\",\"mechanism\":" KRRG("3", "1.1") ",\"n\":\"10\",\"claim\":{\"eps\":\"1\",\"delta\":\"0\"}}",
        "{\"id\":\"a\",\"id\":\"b\",\"mechanism\":" LDP("1") ",\"n\":\"10\",\"claim\":{\"eps\":\"1\",\"delta\":\"0\"}}",
    };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
    {
        char error[256] = "";
        shuf_claim_list list;
        assert_int_equal(shuf_claims_parse(&list, bad[i], strlen(bad[i]), error, sizeof(error)), -1);
        assert_int_equal(list.count, 0);
        assert_true(strlen(error) > 5 && strchr(error, '\n') == NULL);
    }
}

static void test_calibrate(void **state)
{
    shuf_pair_t pair;
    shuf_real_t eps0, eps, delta;
    shuf_enclosure_t r, check;
    shuf_options six = { 6, 60.0 };
    uint64_t n;
    int undecided;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(eps0);
    shuf_real_init(eps);
    shuf_real_init(delta);
    shuf_enclosure_init(r);
    shuf_enclosure_init(check);

    /* eps0: certified at lo, and eps(delta) at lo is just below the target */
    shuf_real_set_str(eps, "0.5");
    shuf_real_set_str(delta, "1e-6");
    shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, 10000, eps0);
    assert_int_equal(shuf_calibrate(r, pair, SHUF_SOLVE_EPS0, eps, delta, &six), SHUF_OK);
    shuf_real_set_arf(eps0, r->lo);
    shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, 10000, eps0);
    assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &six), -1);
    shuf_hockey_epsilon(check, pair, delta, SHUF_DIRECTION_BOTH, &six);
    assert_true(arf_cmp_d(check->hi, 0.500001) <= 0 && arf_cmp_d(check->lo, 0.49999) >= 0);
    /* nothing amplifies to eps = 0 at delta = 0 */
    shuf_real_set_str(eps, "0");
    shuf_real_set_str(delta, "0");
    shuf_calibrate(r, pair, SHUF_SOLVE_EPS0, eps, delta, &six);
    assert_true(arf_is_zero(r->lo) && arf_cmp_d(r->hi, 1e-30) < 0);

    /* n: certified at hi, not at hi - 1 */
    shuf_real_set_str(eps0, "2");
    shuf_real_set_str(eps, "0.5");
    shuf_real_set_str(delta, "1e-6");
    shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, 1, eps0);
    assert_int_equal(shuf_calibrate(r, pair, SHUF_SOLVE_N, eps, delta, &six), SHUF_OK);
    n = (uint64_t) arf_get_si(r->hi, ARF_RND_CEIL);
    assert_true(arf_cmp_si(r->lo, (slong) n - 1) == 0);
    pair->n = n;
    assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &six), -1);
    pair->n = n - 1;
    assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &six), 1);
    /* out of reach: delta = 0 below eps0 */
    shuf_real_set_str(delta, "0");
    six.max_seconds = 2;
    assert_int_equal(shuf_calibrate(r, pair, SHUF_SOLVE_N, eps, delta, &six), SHUF_DOMAIN);

    shuf_pair_clear(pair);
    shuf_real_clear(eps0);
    shuf_real_clear(eps);
    shuf_real_clear(delta);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_open_comparison),
        cmocka_unit_test(test_bad_claims),
        cmocka_unit_test(test_calibrate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
