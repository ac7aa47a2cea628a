/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Answers and verdicts that are known, laws that answers obey, calibration, clocks and interrupts; all data: test_brute.c. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include <jansson.h>

#include "account/calibrate.h"
#include "asked.h"
#include "hockey/hockey.h"
#include "random.h"

/* Work for claims that few digits decide, and for products of tables, whose lumps no grid fits. */
static const char *effort = "4e9";
#define QUICK "3e8"

/* ---- verdicts ---- */

static void audit(asked *x, const char *mechanism, const char *users, const char *members, const char *point)
{
    ask(x, "{\"mechanism\":%s,\"users\":\"%s\"%s,\"claim\":{%s},\"effort\":\"%s\"}", mechanism, users, members, point, effort);
}

static shuf_verdict verdict_of(const char *mechanism, const char *users, const char *members, const char *point)
{
    asked x;
    shuf_verdict verdict;
    ask_any(&x, "{\"mechanism\":%s,\"users\":\"%s\"%s,\"claim\":{%s},\"effort\":\"%s\"}", mechanism, users, members, point, effort);
    verdict = x.status == SHUF_OK ? x.answer->verdict : SHUF_UNDECIDED;
    asked_clear(&x);
    return verdict;
}

static shuf_verdict verdict(const char *mechanism, const char *users, const char *eps, const char *delta)
{
    char point[128];
    snprintf(point, sizeof(point), "\"eps\":\"%s\",\"delta\":\"%s\"", eps, delta);
    return verdict_of(mechanism, users, "", point);
}

#define DP(e, d) "\"eps\":\"" e "\",\"delta\":\"" d "\""
#define RDP(a, e) "\"order\":\"" a "\",\"renyi\":\"" e "\""
#define ROUNDS(t) ",\"rounds\":" t
#define ASK(q, p) "\"ask\":{\"quantity\":\"" q "\"," p "}"
#define AT(n, e) "\"users\":" n "," ASK("delta", "\"eps\":\"" e "\"")
#define POISSON(q) ",\"sample\":{\"scheme\":\"poisson\",\"rate\":\"" q "\"}"
#define SAMPLE(g) ",\"sample\":{\"scheme\":\"fixed\",\"rate\":\"" g "\"}"

static void test_verdicts(void **state)
{
    (void) state;
    skip_unless_drawn(4);
    effort = "4e9";
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
    assert_int_equal(verdict(KRRG("4", "0"), "10", "5", "0.5"), SHUF_REFUTED_CLAIM); /* a report is the value */
    /* n=20, eps0=3: all-equal data give 0.3576, twelve and eight users 0.41738992.., the worst */
    assert_int_equal(verdict(RR2("3"), "20", "0.1", "0.3575"), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict(RR2("3"), "20", "0.1", "0.4173"), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict(RR2("3"), "20", "0.1", "0.4174"), SHUF_CERTIFIED);
    assert_int_equal(verdict(RR2("3"), "20", "0.1", "0.9"), SHUF_CERTIFIED);
    /* RAPPOR is 2 eps0-LDP under replacement */
    assert_int_equal(verdict(RAPPOR("2"), "1000", "4", "0"), SHUF_CERTIFIED);
    assert_int_equal(verdict(RAPPOR("2"), "1000", "1.99", "0"), SHUF_REFUTED_CLAIM);
    assert_true(verdict(RAPPOR("2"), "1000", "2", "0") != SHUF_CERTIFIED);
}

/* ---- what is said beside a number ---- */

#define MATRIX(rows) "{\"type\":\"matrix\",\"rows\":[" rows "]}"
#define ONE_SIDED MATRIX("[\"1\",\"0\"],[\"5/12\",\"7/12\"]")

#define NORMAL "{\"type\":\"gaussian\",\"scale\":\"1/2\"}"

static void assert_infinite(const char *mechanism, const char *members, const char *what)
{
    asked x;
    ask(&x, "{\"mechanism\":%s%s,%s}", mechanism, members, what);
    assert_true(arf_is_pos_inf(x.answer->lower->value->lo));
    asked_clear(&x);
}

/* Outcomes that one law never has: 7/12 of a report that the other input never gives, 1/2 of a coin and one more. */
static void test_infinite(void **state)
{
    asked x;
    (void) state;
    assert_infinite("{\"type\":\"binomial-noise\",\"coins\":1}", "", ASK("epsilon", "\"delta\":\"0.3\""));
    assert_infinite(ONE_SIDED, ",\"users\":3", ASK("epsilon", "\"delta\":0"));
    assert_infinite(ONE_SIDED, ",\"users\":3", ASK("epsilon", "\"delta\":\"0.583\""));
    assert_infinite(ONE_SIDED, ",\"users\":3", ASK("renyi", "\"order\":1"));
    assert_infinite(ONE_SIDED, ",\"users\":2" SAMPLE("1/2"), ASK("epsilon", "\"delta\":\"0.29\""));
    assert_infinite(ONE_SIDED, ",\"users\":2" POISSON("1/3"), ASK("epsilon", "\"delta\":\"0.19\""));
    assert_infinite(ONE_SIDED, ",\"users\":2" ROUNDS("2"), ASK("epsilon", "\"delta\":\"0.82\"")); /* 1 - (5/12)^2 = 0.826 */
    assert_infinite(KRRG("3", "0"), ",\"users\":2", ASK("epsilon", "\"delta\":\"0.99\""));
    assert_infinite("{\"type\":\"product\",\"parts\":[" ONE_SIDED "," ONE_SIDED "]}", ",\"users\":2", ASK("epsilon", "\"delta\":\"0.82\""));
    assert_infinite("{\"type\":\"mixture\",\"weights\":[\"1/2\",\"1/2\"],\"parts\":[" ONE_SIDED "," KRR("3", "1") "]}", ",\"users\":2",
                    ASK("epsilon", "\"delta\":\"0.29\""));
    assert_infinite(NORMAL, ",\"users\":3" ROUNDS("2"), ASK("epsilon", "\"delta\":0"));
    assert_infinite(NORMAL, ",\"users\":3" POISSON("1/3"), ASK("epsilon", "\"delta\":0"));
    ask(&x, "{\"mechanism\":" ONE_SIDED ",\"users\":3," ASK("epsilon", "\"delta\":\"0.5834\"") "}");
    assert_true(arf_is_finite(x.answer->upper->value->hi));
    asked_clear(&x);
    ask(&x, "{\"mechanism\":" ONE_SIDED ",\"users\":2" SAMPLE("1/2") "," ASK("epsilon", "\"delta\":\"0.3\"") "}"); /* 7/24 = 0.29.. */
    assert_true(arf_is_finite(x.answer->lower->value->lo));
    asked_clear(&x);
    /* no theorem */
    ask_any(&x, "{\"mechanism\":" ONE_SIDED ",\"users\":3,\"via\":\"renyi\"" ROUNDS("2") "," ASK("epsilon", "\"delta\":\"0.9\"") "}");
    assert_int_equal(x.status, SHUF_DOMAIN);
    assert_non_null(strstr(x.answer->error, "no theorem"));
    asked_clear(&x);
}

/* However many users, a normal report says no more than when it is seen: the numbers of central noise of the same scale, sensitivity 1; of moments of few rounds less. */
static void test_seen_reports(void **state)
{
    static const char *const rest[] = {
        ROUNDS("3") "," ASK("renyi", "\"order\":4"), "," ASK("renyi", "\"order\":\"3/2\""),
        ROUNDS("50") "," ASK("gdp", "\"eps\":[1,2]") ",\"effort\":\"1e8\"", ROUNDS("2000") "," ASK("epsilon", "\"delta\":\"1e-6\"") ",\"effort\":\"1e8\"",
    };
    asked x, y;
    size_t i;
    (void) state;
    skip_unless_drawn(5);
    effort = QUICK;
    for (i = 0; i < sizeof(rest) / sizeof(*rest); i++)
    {
        ask_any(&x, "{\"mechanism\":" NORMAL ",\"users\":1000000%s}", rest[i]);
        ask_any(&y, "{\"mechanism\":{\"type\":\"additive-noise\",\"noise\":\"gaussian\",\"scale\":\"1/2\"}%s}", rest[i]);
        assert_non_null(x.answer->upper);
        assert_true(i < 2 || has_theorem(x.answer->upper, "reports-seen"));
        assert_true(i < 2 || arf_cmp(x.answer->upper->value->hi, y.answer->upper->value->lo) >= 0);
        assert_true(upper(x.answer->upper->value) <= upper(y.answer->upper->value) * (1 + 1e-3));
        asked_clear(&x);
        asked_clear(&y);
    }
}

#define TINY "1/100000000001"
#define REST "100000000000/100000000001"

/* Few users and ratios of 10^11: values by enumeration. */
static void test_far_apart(void **state)
{
    static const struct { const char *rows, *delta; double eps; } known[] = {
        { "[\"" TINY "\",\"" REST "\"],[\"1/2\",\"1/2\"]", "0.1", 23.0233224 },
        { "[\"" TINY "\",\"" REST "\"],[\"1/2\",\"1/2\"]", "0.01", 24.4530913 },
        { "[\"" TINY "\",\"" REST "\"],[\"" REST "\",\"" TINY "\"]", "0.1", 25.2185072 },
        { "[\"" TINY "\",\"" REST "\"],[\"1/10\",\"9/10\"]", "0.01", 21.5330730 },
    };
    asked x;
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
    {
        ask(&x, "{\"mechanism\":{\"type\":\"matrix\",\"rows\":[%s]},\"users\":4" POISSON("99/100") ","
            ASK("epsilon", "\"delta\":\"%s\"") ",\"effort\":\"1e9\"}", known[i].rows, known[i].delta);
        assert_true(lower(x.answer->lower->value) > known[i].eps - 1e-4 && upper(x.answer->upper->value) >= known[i].eps);
        asked_clear(&x);
    }
}

/* A claim that is the truth is none that can be refuted, and no error. */
static void test_at_the_truth(void **state)
{
    asked x;
    (void) state;
    effort = QUICK;
    audit(&x, "{\"type\":\"product\",\"parts\":[" KRR("2", "log(3/2)") "," MATRIX("[\"5/8\",\"3/8\"],[\"1\",\"0\"]") "]}", "3", "",
          DP("log(3/2)", "0.375"));
    assert_true(x.answer->verdict != SHUF_REFUTED_CLAIM);
    asked_clear(&x);
    /* what is refuted at delta = 0 is certified where ask says so: log 15 */
    audit(&x, MATRIX("[\"15/16\",\"1/16\"],[\"1/16\",\"15/16\"]"), "3", "", DP("log(3)", "0"));
    assert_int_equal(x.answer->verdict, SHUF_REFUTED_CLAIM);
    assert_true(upper(x.answer->upper->value) < 2.7081);
    asked_clear(&x);
    /* log of 1 + (1 - gamma) k/gamma = 14.000004 */
    audit(&x, KRRG("969", "0.0008051"), "1", "", DP("14", "0"));
    assert_int_equal(x.answer->verdict, SHUF_REFUTED_CLAIM);
    assert_non_null(strstr(x.answer->reason, "by rounding only"));
    asked_clear(&x);
    audit(&x, LDP("1.3"), "1", "", DP("1", "0"));
    assert_int_equal(x.answer->verdict, SHUF_REFUTED_CLAIM);
    assert_null(x.answer->reason);
    asked_clear(&x);
}

static void test_renyi(void **state)
{
    asked x;
    (void) state;
    effort = "4e9";
    /* one user, E = 3, order 2: exp(D) = (9/16)/(1/4) + (1/16)/(3/4) = 7/3, both bounds */
    assert_int_equal(verdict_of(LDP("log(3)"), "1", "", RDP("2", "log(2.33334)")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "1", "", RDP("2", "log(2.33333)")), SHUF_REFUTED_CLAIM);
    audit(&x, LDP("log(3)"), "1", "", RDP("2", "log(7/3)"));
    assert_int_equal(x.answer->verdict, SHUF_UNDECIDED);
    assert_int_equal(x.answer->upper->sign, 0);
    assert_int_equal(x.answer->lower->sign, 0);
    assert_non_null(strstr(x.answer->reason, "too close"));
    asked_clear(&x);
    /* a real order: exp(D/2) = (3^1.5 + 3^-0.5)/4 */
    assert_int_equal(verdict_of(RR2("log(3)"), "1", "", RDP("3/2", "0.7340")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(RR2("log(3)"), "1", "", RDP("3/2", "0.7339")), SHUF_REFUTED_CLAIM);
    /* at 1 and near it the Kullback-Leibler divergence log(3)/2, at the largest order log(3) */
    assert_int_equal(verdict_of(LDP("log(3)"), "1", "", RDP("1", "0.54931")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "1", "", RDP("1", "0.54930")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "1", "", RDP("1.000000001", "0.54931")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "1", "", RDP("1.000000001", "0.54930")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "1", "", RDP("1e18", "log(3)")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "1", "", RDP("1e18", "1.098612")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("0"), "7", "", RDP("2", "0")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("1e-9"), "7", "", RDP("2", "0")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("1"), "7", "", RDP("2", "1e10000")), SHUF_CERTIFIED);
    /* Chen, Cao, Ge, Corollary 2; rr2 has 2.9312895.. in the direction P||Q only, clones-stronger 2.93129.. */
    assert_int_equal(verdict_of(LDP("4"), "1001", "", RDP("18", "1.966")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("4"), "1001", "", RDP("18", "2.9312")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("4"), "1001", "", RDP("18", "2.9313")), SHUF_CERTIFIED);
    /* between the bounds */
    audit(&x, LDP("2.1"), "1000", "", RDP("60", "0.35"));
    assert_int_equal(x.answer->verdict, SHUF_UNDECIDED);
    assert_int_equal(x.answer->upper->sign, 1);
    assert_int_equal(x.answer->lower->sign, -1);
    assert_non_null(strstr(x.answer->reason, "between"));
    asked_clear(&x);
    /* k-RR: only krr-weak is as small */
    audit(&x, KRR("100", "1"), "1000", "", RDP("4", "0.0002"));
    assert_int_equal(x.answer->verdict, SHUF_CERTIFIED);
    assert_string_equal(x.answer->upper->theorem[0], "krr-weak");
    assert_int_equal(x.answer->tried[0].sign, 1);
    asked_clear(&x);
    /* a report that is the value: infinite */
    assert_int_equal(verdict_of(KRRG("4", "0"), "10", "", RDP("2", "1e6")), SHUF_REFUTED_CLAIM);
    /* RAPPOR, one user: between eps0 and 2 eps0 */
    assert_int_equal(verdict_of(RAPPOR("log(3)"), "1", "", RDP("1e18", "log(9)")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(RAPPOR("log(3)"), "1", "", RDP("1e18", "1.1")), SHUF_REFUTED_CLAIM); /* two entries differ */
    assert_int_equal(verdict_of(RAPPOR("log(3)"), "1", "", RDP("1e18", "1.098")), SHUF_REFUTED_CLAIM);
    /* the sum of one vector is the vector: two entries differ */
    assert_int_equal(verdict_of(RAPPOR("log(3)"), "1", ",\"release\":\"sum\"", RDP("1e18", "2.19722459")), SHUF_CERTIFIED);
    assert_true(verdict_of(RAPPOR("log(3)"), "1", ",\"release\":\"sum\"", RDP("1e18", "2.1")) != SHUF_CERTIFIED);
    /* where there is work for the cheapest bound only: two bits as well */
    ask_any(&x, "{\"mechanism\":" RAPPOR("log(3)") ",\"users\":100000,\"release\":\"sum\",\"rounds\":2,\"effort\":\"1e6\"," ASK("renyi", "\"order\":40") "}");
    assert_int_equal(x.status, SHUF_OK);
    assert_string_equal(x.answer->upper->theorem[0], "rappor-sum");
    asked_clear(&x);
}

/* The best of several runs, of which one has a delta with billions of digits. */
static void test_tiny_delta(void **state)
{
    asked x;
    (void) state;
    ask_any(&x, "%s", "{\"mechanism\":{\"type\":\"additive-noise\",\"noise\":\"skellam\",\"scale\":100000,\"sensitivity\":1,\"dimension\":9},"
                      "\"selection\":{\"mean\":40,\"runs\":\"poisson\"},\"effort\":3000000," ASK("delta", "\"eps\":1") "}");
    assert_int_equal(x.status, SHUF_OK);
    assert_true(arf_sgn(x.answer->upper->value->lo) > 0 && arf_cmpabs_2exp_si(x.answer->upper->value->hi, -1000000000) < 0);
    asked_clear(&x);
}

/* Numbers that no digits tell from what is claimed: rho, Renyi divergences and mu of Gaussian noise. */
static void test_claims_of_values(void **state)
{
#define CENTRAL(noise, members) "{\"mechanism\":{\"type\":\"additive-noise\",\"noise\":\"" noise "\",\"variance\":10" members "},\"rounds\":7,\"claim\":{"
#define TRAINING "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"poisson\",\"noise_multiplier\":2,\"steps\":10,\"sampling_rate\":\"1/10\"},\"claim\":{"
#define RELEASES(scale, n) "{\"mechanism\":{\"type\":\"additive-noise\",\"noise\":\"gaussian\",\"scale\":" scale "},\"rounds\":" n "}"
#define LIST "{\"rounds\":[" RELEASES("2", "3") "," RELEASES("4", "4") "],\"claim\":{"
#define BELOW "0.34999999999999999999999999999999999999999999999999999999999999999999999999999999999999"
    static const char *const held[] = {
        CENTRAL("gaussian", "") "\"rho\":\"0.35\"}}", CENTRAL("gaussian", "") RDP("5/2", "7/8") "}}", CENTRAL("discrete-gaussian", "") "\"rho\":\"0.35\"}}",
        CENTRAL("discrete-gaussian", "") RDP("2", "0.7") "}}", CENTRAL("discrete-gaussian", ",\"dimension\":9,\"sensitivity\":\"sqrt(3)\"") "\"rho\":\"1.05\"}}",
        TRAINING "\"rho\":\"1.25\"}}", LIST "\"mu\":1,\"eps\":[0,10]}}",
    };
    static const char *const not_held[] = {
        CENTRAL("gaussian", "") "\"rho\":\"" BELOW "\"}}", CENTRAL("gaussian", "") RDP("1", BELOW) "}}", CENTRAL("discrete-gaussian", "") "\"rho\":\"" BELOW "\"}}",
        TRAINING "\"rho\":\"1.2499999999999999999999999999999999999999999999999999999999999999999999999999999999\"}}",
        LIST "\"mu\":\"0.9999999999999999999999999999999999999999999999999999999999999999999999999999999999\",\"eps\":[0,10]}}",
    };
    asked x;
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(held) / sizeof(held[0]); i++)
    {
        ask_any(&x, "%s", held[i]);
        assert_int_equal(x.status, SHUF_OK);
        assert_int_equal(x.answer->verdict, SHUF_CERTIFIED);
        asked_clear(&x);
    }
    for (i = 0; i < sizeof(not_held) / sizeof(not_held[0]); i++)
    {
        ask_any(&x, "%s", not_held[i]);
        assert_int_equal(x.status, SHUF_OK);
        assert_true(x.answer->verdict != SHUF_CERTIFIED);
        asked_clear(&x);
    }
}

static void test_rounds(void **state)
{
    asked x;
    (void) state;
    skip_unless_drawn(4);
    effort = QUICK;
    /* three rounds of one user: 3 log(7/3) = log(343/27) exactly */
    assert_int_equal(verdict_of(LDP("log(3)"), "1", ROUNDS("3"), RDP("2", "log(12.7038)")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "1", ROUNDS("3"), RDP("2", "log(12.7037)")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("4"), "1001", ROUNDS("10"), RDP("18", "19.66")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("4"), "1001", ROUNDS("10"), RDP("18", "29.314")), SHUF_CERTIFIED);
    /* pure: rounds times eps0 and not less */
    assert_int_equal(verdict_of(LDP("1"), "100", ROUNDS("5"), DP("5", "0")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("1"), "100", ROUNDS("5"), DP("4.999999", "0")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "1", ROUNDS("4"), DP("log(81)", "0")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "1", ROUNDS("4"), DP("log(80)", "0")), SHUF_REFUTED_CLAIM);
    /* one round refutes */
    assert_int_equal(verdict_of(LDP("1"), "100", ROUNDS("5"), DP("0.01", "1e-9")), SHUF_REFUTED_CLAIM);
    effort = "120e9";
    audit(&x, LDP("0.5"), "1000", ROUNDS("100"), DP("0.95", "1e-6"));
    assert_int_equal(x.answer->verdict, SHUF_CERTIFIED);
    assert_true(has_theorem(x.answer->upper, "pld-composition"));
    assert_true(has_theorem(x.answer->lower, "pld-composition"));
    asked_clear(&x);
    effort = QUICK;
    /* two rounds of randomised response, E = 3: delta(log 2) = 9/16 - 2/16, delta(0) = 8/16 */
    assert_int_equal(verdict_of(LDP("log(3)"), "1", ROUNDS("2"), DP("log(2)", "0.47")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "1", ROUNDS("2"), DP("log(2)", "0.4")), SHUF_REFUTED_CLAIM);
    audit(&x, LDP("log(3)"), "1", ROUNDS("2"), DP("log(2)", "0.4375"));
    /* the claim is the truth: nothing refutes it */
    assert_true(x.answer->verdict != SHUF_REFUTED_CLAIM);
    asked_clear(&x);
    assert_int_equal(verdict_of(RR2("log(3)"), "1", ROUNDS("2"), DP("0", "0.54")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(RR2("log(3)"), "1", ROUNDS("2"), DP("0", "0.46")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "1", ROUNDS("2"), DP("log(2)", "0.24")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("1"), "1000", ROUNDS("100000"), DP("1e-3", "1e-30")), SHUF_REFUTED_CLAIM);
}

/* Whether a bound has both theorems. */
static int has_bound(const asked *x, const char *first, const char *second)
{
    size_t i;
    for (i = 0; i < x->answer->count; i++)
        if (has_theorem(&x->answer->tried[i], first) && has_theorem(&x->answer->tried[i], second))
            return 1;
    return 0;
}

/* Two users, one of them drawn, E = 3: the report is (3/4, 1/4) or (1/2, 1/2). */
static void test_sampled(void **state)
{
    asked x;
    const char *half = SAMPLE("1/2");
    (void) state;
    effort = QUICK;
    /* delta(0) = 1/4, delta(log 1.2) = 0.2, nothing above log 2 */
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("0", "0.2500001")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("0", "0.23")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("log(1.2)", "0.2000001")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("log(1.2)", "0.18")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("0.1823215567", "0.2000001")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(RR2("log(3)"), "2", half, DP("0.1823215567", "0.18")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("log(2)", "0")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("log(1.999)", "0")), SHUF_REFUTED_CLAIM);
    /* (2, 1, 1)/4 and (1, 2, 1)/4 from above, (2, 1, 2)/5 and (1, 2, 2)/5 from below: at order 2 11/8 and 13/10 */
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, RDP("2", "log(1.3751)")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, RDP("2", "log(1.3749)")), SHUF_UNDECIDED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, RDP("2", "log(1.2999)")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, RDP("1.5", "log(1.2857)")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, RDP("1.5", "log(1.2856)")), SHUF_UNDECIDED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, RDP("1.5", "log(1.2256)")), SHUF_REFUTED_CLAIM);
    /* the limit: log(1 + (e-1)/2) = 0.6201.. */
    assert_int_equal(verdict_of(LDP("1"), "10", half, RDP("1e18", "0.6202")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("1"), "10", half, RDP("1e18", "0.62")), SHUF_REFUTED_CLAIM);
    /* RAPPOR's all-equal data */
    assert_int_equal(verdict_of(RAPPOR("log(3)"), "2", half, RDP("2", "0.01")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(KRR("3", "log(3)"), "2", half, RDP("2", "log(1.2999)")), SHUF_REFUTED_CLAIM);
    /* two rounds */
    assert_int_equal(verdict_of(LDP("log(3)"), "2", SAMPLE("0.5") ROUNDS("2"), RDP("2", "log(1.8907)")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", SAMPLE("0.5") ROUNDS("2"), RDP("2", "log(1.8906)")), SHUF_UNDECIDED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", SAMPLE("0.5") ROUNDS("2"), RDP("2", "log(1.6899)")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", SAMPLE("0.5") ROUNDS("2"), DP("log(4)", "0")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", SAMPLE("0.5") ROUNDS("2"), DP("log(3.999)", "0")), SHUF_REFUTED_CLAIM);
    /* P = (9,3,3,1)/16, Q = (4,4,4,4)/16: delta(log 1.5) = 3/16; the product of the bounds has 7/32 */
    assert_int_equal(verdict_of(LDP("log(3)"), "2", SAMPLE("0.5") ROUNDS("2"), DP("log(1.5)", "0.16")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", SAMPLE("0.5") ROUNDS("2"), DP("log(1.5)", "0.25")), SHUF_CERTIFIED);
    audit(&x, LDP("log(3)"), "2", SAMPLE("0.5") ROUNDS("2"), DP("log(1.5)", "0.2"));
    assert_int_equal(x.answer->verdict, SHUF_UNDECIDED);
    assert_true(has_theorem(x.answer->lower, "subsample-replaced"));
    assert_true(has_theorem(x.answer->upper, "clones-sampled") && !has_theorem(x.answer->upper, "subsample-profile"));
    asked_clear(&x);
    assert_int_equal(verdict_of(RAPPOR("log(3)"), "2", SAMPLE("0.5") ROUNDS("2"), DP("log(1.5)", "0.16")), SHUF_REFUTED_CLAIM);
    /* k-RR: all-equal data, whose law without the replaced record is P, and a third value */
    audit(&x, KRR("3", "1"), "4", half, DP("0.1", "0.01"));
    assert_true(has_bound(&x, "krr-same", "subsample-replaced") && has_bound(&x, "krr-third-sampled", "krr-third-sampled"));
    asked_clear(&x);
    /* an upper bound that is the claim */
    audit(&x, LDP("log(2)"), "2", half, RDP("2", "log(41/36)"));
    assert_int_equal(x.answer->verdict, SHUF_UNDECIDED);
    assert_non_null(strstr(x.answer->reason, "an upper bound is too close"));
    asked_clear(&x);
    /* a rate of 1 is no sampling */
    assert_int_equal(verdict_of(LDP("log(3)"), "1", SAMPLE("1"), RDP("2", "log(2.33333)")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("1"), "10", SAMPLE("10/10"), DP("0.25", "0.01")), SHUF_REFUTED_CLAIM);
}

/* Two users, each of whom takes part with probability 1/2, E = 3: values from tests/theorem/sampled.py's pairs. */
static void test_poisson(void **state)
{
    static const char *const refused[] = {
        "{\"mechanism\":{\"type\":\"krr\",\"k\":3,\"gamma\":0}" POISSON("1/2") "," AT("10", "0.1") "}",
        "{\"rounds\":[{\"mechanism\":" LDP("1") "},{\"mechanism\":{\"type\":\"krr\",\"k\":3,\"gamma\":0}" POISSON("1/2") "}]," AT("10", "0.1") "}",
        "{\"mechanism\":" LDP("1") POISSON("1/2") "," AT("10000", "0.1") ",\"form\":{\"theorem\":\"feldman21-3.1\"}}",
    };
    asked x, y;
    const char *half = POISSON("1/2");
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    effort = QUICK;
    /* above and below, delta(0) = 7/32 */
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("0", "0.2187501")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("0", "0.2187499")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(RR2("log(3)"), "2", half, DP("0", "0.2187499")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(RAPPOR("log(3)"), "2", half, DP("0", "0.2187499")), SHUF_REFUTED_CLAIM);
    /* between them, 0.105 (a third value) and 17/128 */
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("log(1.5)", "0.1328126")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("log(1.5)", "0.1328124")), SHUF_UNDECIDED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("log(1.5)", "0.1049999")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("log(3)", "0")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("log(2.999)", "0")), SHUF_REFUTED_CLAIM);
    /* order 2: 23/16, and 163/120 of all-equal data */
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, RDP("2", "log(1.4376)")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, RDP("2", "log(1.4374)")), SHUF_UNDECIDED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, RDP("2", "log(1.3583)")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", POISSON("0.5") ROUNDS("2"), RDP("2", "log(2.0665)")), SHUF_CERTIFIED);
    /* a list: the data are the same in parts of both schemes */
    ask(&x, "{\"mechanism\":%s,\"users\":100,\"rounds\":[{%s},{%s}]," ASK("epsilon", "\"delta\":\"1e-4\"") ",\"effort\":\"2e9\"}", LDP("1"),
        POISSON("1/2") + 1, SAMPLE("1/2") + 1);
    assert_true(has_bound(&x, "clones-poisson", "clones-sampled") && has_bound(&x, "krr-poisson", "krr-third-sampled")
                && has_bound(&x, "krr-poisson", "subsample-replaced"));
    assert_true(lower(x.answer->lower->value) > 0.8 * upper(x.answer->upper->value));
    asked_clear(&x);
    /* a described one, by its laws: no eps0 is needed */
    ask(&x, "{\"users\":100,\"rounds\":[{\"mechanism\":%s},{\"mechanism\":{\"type\":\"gaussian\",\"scale\":1}%s}],"
            ASK("delta", "\"eps\":\"0.5\"") ",\"effort\":\"2e9\"}", LDP("1"), half);
    assert_true(has_theorem(x.answer->upper, "blanket-poisson") && has_theorem(x.answer->lower, "alike-poisson"));
    asked_clear(&x);
    /* with the probability 1 it is everyone */
    ask(&x, "{\"mechanism\":%s,\"users\":100" POISSON("1") "," ASK("delta", "\"eps\":\"0.1\"") ",\"effort\":\"2e9\"}", LDP("1"));
    ask(&y, "{\"mechanism\":%s,\"users\":100," ASK("delta", "\"eps\":\"0.1\"") ",\"effort\":\"2e9\"}", LDP("1"));
    assert_true(arf_equal(x.answer->upper->value->hi, y.answer->upper->value->hi) && arf_equal(x.answer->lower->value->lo, y.answer->lower->value->lo));
    asked_clear(&x);
    asked_clear(&y);
    for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
    {
        ask_any(&x, "%s", refused[i]);
        if (x.status != SHUF_DOMAIN)
            fail_msg("%s: answered", x.text);
        asked_clear(&x);
    }
}

/* Rounds name the data whose divergences they compose: not the first inputs where others are worse, and tuples that differ everywhere. */
static void test_data_of_rounds(void **state)
{
    asked x;
    (void) state;
    skip_unless_drawn(4);
    ask(&x, "{\"mechanism\":{\"type\":\"matrix\",\"rows\":[[\"1/2\",\"1/4\",\"1/4\"],[\"49/100\",\"1/4\",\"26/100\"],[\"1/8\",\"1/4\",\"5/8\"]]},"
            "\"users\":100,\"rounds\":3," ASK("epsilon", "\"delta\":\"1e-3\"") ",\"digits\":2,\"effort\":\"1e9\"}");
    assert_true(x.answer->lower->has_data && (x.answer->lower->data.first == 2 || x.answer->lower->data.second == 2));
    asked_clear(&x);
    ask(&x, "{\"mechanism\":{\"type\":\"product\",\"parts\":[{\"type\":\"krr\",\"k\":3,\"eps0\":\"1/2\"},{\"type\":\"krr\",\"k\":3,\"eps0\":\"1/2\"}]},"
            "\"users\":100,\"rounds\":3," ASK("epsilon", "\"delta\":\"1e-3\"") ",\"digits\":2,\"effort\":\"1e9\"}");
    assert_true(x.answer->lower->has_data && x.answer->lower->data.first == 0 && x.answer->lower->data.second == 4);
    assert_true(x.answer->lower->data.others == 0 || x.answer->lower->data.others == 8);
    assert_true(has_bound(&x, "tuple-inputs", "profile-nodes"));
    asked_clear(&x);
}

/* A comparison that the effort leaves open certifies nothing and refutes nothing. */
static void test_open_comparison(void **state)
{
    (void) state;
    /* delta(1e-7) of clones-stronger is in [7.75825123859e-11, 7.75825124133e-11] */
    effort = "1e6";
    assert_int_equal(verdict_of(LDP("1"), "1e15", "", DP("1e-7", "7.758251240e-11")), SHUF_UNDECIDED);
}

/* ---- values ---- */

/* Whether [a, b] meets the bound: x of [lower.lo, upper.hi]. */
static void assert_between(const asked *x, double least, double most)
{
    assert_non_null(x->answer->upper);
    assert_non_null(x->answer->lower);
    if (upper(x->answer->upper->value) > most || lower(x->answer->lower->value) < least)
        fail_msg("%s: [%.17g, %.17g]", x->text, lower(x->answer->lower->value), upper(x->answer->upper->value));
}

/* Lists of rounds against the oracle's products of tables. */
static void test_lists(void **state)
{
    asked x, y;
    double most;
    (void) state;
    skip_unless_drawn(4);
    /* 2 log(7/3) + log(7/3) */
    ask(&x, "{\"users\":1,\"rounds\":[{\"mechanism\":%s,\"rounds\":2,\"id\":\"a\"},{\"mechanism\":%s,\"users\":\"1e0\"}]," ASK("renyi", "\"order\":2") ",\"effort\":\"5e8\"}",
        LDP("log(3)"), RR2("log(3)"));
    assert_between(&x, 2.541893 - 1e-6, 2.541894 + 1e-6);
    asked_clear(&x);
    /* log(11/8) and the smaller curve of k-RR, krr-weak */
    ask(&x, "{\"rounds\":[{\"mechanism\":%s,\"users\":2" SAMPLE("1/2") "},{\"mechanism\":%s,\"users\":1000}]," ASK("renyi", "\"order\":2") ",\"effort\":\"5e8\"}",
        LDP("log(3)"), KRR("100", "1"));
    ask(&y, "{\"mechanism\":%s,\"users\":1000," ASK("renyi", "\"order\":2") "}", KRR("100", "1"));
    assert_true(fabs(upper(x.answer->upper->value) - upper(y.answer->upper->value) - 0.3184537311) < 1e-8);
    assert_true(has_theorem(x.answer->upper, "krr-weak"));
    asked_clear(&x);
    asked_clear(&y);
    /* sampled: losses log 2, 0, -log 2 with probabilities 1/2, 1/4, 1/4; three times: 1/8 - e^eps/64 */
    ask(&x, "{\"mechanism\":%s,\"users\":2,\"rounds\":3" SAMPLE("1/2") "," ASK("delta", "\"eps\":\"1.5\"") ",\"via\":\"pld\",\"effort\":\"5e8\"}",
        LDP("log(3)"));
    assert_true(upper(x.answer->upper->value) >= 0.0549736 && upper(x.answer->upper->value) < 0.0555);
    asked_clear(&x);
    /* parts that differ in the rate only: (2, 1, 1)/4 at the rate 1/2, and at 1/4 the same pair with w0 = 3/8 and w2 = 3/8 */
    ask(&x, "{\"mechanism\":%s,\"rounds\":[{\"users\":2" SAMPLE("1/2") "},{\"users\":4" SAMPLE("1/4") "}]," ASK("delta", "\"eps\":0") ",\"effort\":\"5e8\"}", LDP("log(3)"));
    assert_true(upper(x.answer->upper->value) >= 0.28125 && upper(x.answer->upper->value) < 0.2813);
    asked_clear(&x);
    /* one part is the part */
    ask(&x, "{\"mechanism\":%s,\"rounds\":[{\"users\":1000}]," ASK("delta", "\"eps\":\"0.1\"") ",\"effort\":\"5e8\"}", LDP("1"));
    ask(&y, "{\"mechanism\":%s,\"users\":1000," ASK("delta", "\"eps\":\"0.1\"") ",\"effort\":\"5e8\"}", LDP("1"));
    assert_true(arf_equal(x.answer->upper->value->hi, y.answer->upper->value->hi) && arf_equal(x.answer->lower->value->lo, y.answer->lower->value->lo));
    asked_clear(&x);
    asked_clear(&y);
    /* equal parts are rounds */
    ask(&x, "{\"mechanism\":%s,\"users\":1000,\"rounds\":[{},{\"rounds\":2},{}]," ASK("epsilon", "\"delta\":\"1e-5\"") ",\"effort\":\"5e8\"}", LDP("1"));
    ask(&y, "{\"mechanism\":%s,\"users\":1000,\"rounds\":4," ASK("epsilon", "\"delta\":\"1e-5\"") ",\"effort\":\"5e8\"}", LDP("1"));
    assert_true(fabs(upper(x.answer->upper->value) / upper(y.answer->upper->value) - 1) < 1e-5);
    assert_true(lower(x.answer->lower->value) <= upper(y.answer->upper->value) && lower(y.answer->lower->value) <= upper(x.answer->upper->value));
    asked_clear(&x);
    asked_clear(&y);
    /* users of their own: no data are the same in both, so each part is known by itself from below, and the one that has more counts */
    ask(&x, "{\"mechanism\":%s,\"rounds\":[{\"users\":2000},{\"users\":1000},{\"users\":2000}]," ASK("delta", "\"eps\":\"0.15\"") ",\"effort\":\"5e8\"}", LDP("1"));
    ask(&y, "{\"mechanism\":%s,\"users\":1000," ASK("delta", "\"eps\":\"0.15\"") ",\"effort\":\"5e8\"}", LDP("1"));
    assert_true(upper(x.answer->lower->value) >= lower(y.answer->lower->value));
    most = upper(y.answer->upper->value);
    asked_clear(&y);
    ask(&y, "{\"mechanism\":%s,\"users\":2000,\"rounds\":2," ASK("delta", "\"eps\":\"0.15\"") ",\"effort\":\"5e8\"}", LDP("1"));
    assert_true(upper(x.answer->lower->value) >= lower(y.answer->lower->value));
    assert_true(lower(x.answer->lower->value) <= fmax(most, upper(y.answer->upper->value)));
    asked_clear(&y);
    asked_clear(&x);
    /* the data of a lower bound are those of the part that has it */
    ask(&x, "{\"users\":100,\"rounds\":[{\"mechanism\":{\"type\":\"laplace\",\"scale\":\"1/2\"}},{\"mechanism\":%s}]," ASK("delta", "\"eps\":\"0.1\"") ",\"effort\":\"5e8\"}",
        LDP("1"));
    {
        char *text = answer_text(x.answer);
        assert_null(strstr(text, "\"data\":{\"mechanism\":{\"type\":\"krr\",\"k\":\"2\",\"eps0\":\"2\"}"));
        assert_non_null(strstr(text, "\"data\":{\"mechanism\":{\"type\":\"krr\",\"k\":\"2\",\"eps0\":\"1\"}"));
        flint_free(text);
    }
    asked_clear(&x);
}

/* What is refused or unbounded. */
static void test_unbounded(void **state)
{
    asked x;
    (void) state;
    ask_any(&x, "{\"mechanism\":%s,\"users\":10," ASK("delta", "\"eps\":1") "}", KRRG("4", "0"));
    assert_null(x.answer->upper == NULL ? NULL : arf_cmp_d(x.answer->upper->value->hi, 1) < 0 ? "below 1" : NULL);
    asked_clear(&x);
    /* an eps that is infinite has data that show it */
    ask(&x, "{\"mechanism\":{\"type\":\"matrix\",\"rows\":[[\"1\",\"0\"],[\"1/2\",\"1/2\"]]},\"users\":5," ASK("epsilon", "\"delta\":\"1e-3\"") "}");
    assert_true(x.answer->upper == NULL || arf_is_pos_inf(x.answer->upper->value->hi));
    assert_true(lower(x.answer->lower->value) >= 1000000);
    asked_clear(&x);
}

/* ---- findings ---- */

static void test_findings(void **state)
{
    asked x, y;
    int i;
    (void) state;
    skip_unless_drawn(4);
    skip_when_sanitized();
    effort = "12e9";
    /* A1: the eps of the route with the smallest eps, not of the one with the smallest delta */
    audit(&x, "{\"type\":\"matrix\",\"rows\":[[\"1/2\",\"1/2\"],[\"1/20\",\"19/20\"]]}", "200000", "", DP("0.2", "1e-8"));
    assert_int_equal(x.answer->verdict, SHUF_CERTIFIED);
    assert_true(upper(x.answer->upper->value) <= 0.02023);
    asked_clear(&x);
    /* A3: one verdict and one pair of ends */
    effort = QUICK;
    for (i = 0; i < 2; i++)
    {
        audit(i == 0 ? &x : &y, KRR("16", "3"), "200000", ROUNDS("30"), DP("0.2", "1e-8"));
    }
    assert_int_equal(x.answer->verdict, y.answer->verdict);
    {
        char *first = answer_text(x.answer), *second = answer_text(y.answer);
        assert_string_equal(first, second);
        flint_free(first);
        flint_free(second);
    }
    asked_clear(&x);
    asked_clear(&y);
    /* A5: users are everyone, in files and options: half of 2000 is 1000 */
    ask(&x, "{\"mechanism\":%s,\"users\":2000" SAMPLE("1/2") "," ASK("delta", "\"eps\":\"0.1\"") "}", LDP("1"));
    assert_int_equal(x.question->parts[0].sampled, 1000);
    asked_clear(&x);
    /* A7: both references of all-equal data */
    ask(&x, "{\"mechanism\":%s,\"users\":4," ASK("delta", "\"eps\":\"1.32166\"") ",\"digits\":10}", KRR("3", "log(50)"));
    for (i = 0; strcmp(x.answer->tried[i].theorem[0], "krr-same") != 0; i++)
        assert_true(i + 1 < (int) x.answer->count);
    assert_true(lower(x.answer->tried[i].value) > 0.7911339354 && lower(x.answer->tried[i].value) < 0.7911339356);
    asked_clear(&x);
    /* A8: a search that goes to its end says so */
    ask_any(&x, "{\"pair\":{\"type\":\"clones\"},\"users\":10," ASK("eps0", "\"eps\":1,\"delta\":1") "}");
    assert_true(x.status != SHUF_OK || !arf_is_finite(x.answer->value->value->hi) || x.answer->value->value->status != SHUF_OK);
    asked_clear(&x);
}

/* A4: to know k makes no end weaker. */
static void test_more_known(void **state)
{
    static const char *const points[] = { "\"rounds\":1," ASK("delta", "\"eps\":\"0.3\""), "\"rounds\":1," ASK("epsilon", "\"delta\":\"1e-4\""),
                                          "\"rounds\":3," ASK("delta", "\"eps\":\"0.3\"") };
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    skip_when_sanitized();
    for (i = 0; i < sizeof(points) / sizeof(points[0]); i++)
    {
        asked x, y;
        ask(&x, "{\"mechanism\":{\"type\":\"rappor\",\"eps0\":\"1.5\"},\"users\":2000,\"effort\":\"2e9\",%s}", points[i]);
        ask(&y, "{\"mechanism\":{\"type\":\"rappor\",\"eps0\":\"1.5\",\"k\":16},\"users\":2000,\"effort\":\"2e9\",%s}", points[i]);
        assert_true(upper(y.answer->upper->value) <= upper(x.answer->upper->value) * (1 + 1e-4));
        assert_true(lower(y.answer->lower->value) >= lower(x.answer->lower->value) * (1 - 1e-4));
        asked_clear(&x);
        asked_clear(&y);
    }
}

/* An eps that is 0 from above has one bound from below: dear data, of many users, are not looked at. */
static void test_nothing_to_find(void **state)
{
    asked x;
    size_t i;
    int below = 0;
    (void) state;
    ask(&x, "{\"mechanism\":{\"type\":\"ldp\",\"eps0\":\"4.3\"},\"users\":\"89000000\",\"rounds\":10," ASK("epsilon", "\"delta\":\"2e-3\"") "}");
    assert_true(upper(x.answer->upper->value) <= 0 && lower(x.answer->lower->value) >= 0);
    for (i = 0; i < x.answer->count; i++)
        below += x.answer->tried[i].side == SHUF_SIDE_LOWER;
    assert_int_equal(below, 1);
    asked_clear(&x);
}

/* ---- laws that answers obey ---- */

/* The two ends of delta(eps). */
static void ends_of(double end[2], const char *mechanism, const char *rest)
{
    asked x;
    ask(&x, "{\"mechanism\":%s,\"effort\":\"2e8\",%s}", mechanism, rest);
    end[0] = x.answer->lower != NULL ? lower(x.answer->lower->value) : 0;
    end[1] = x.answer->upper != NULL ? upper(x.answer->upper->value) : 1;
    asked_clear(&x);
}

/* The first question's number is no larger than the second's. */
static void assert_at_most(const char *mechanism, const char *rest, const char *mechanism_2, const char *rest_2)
{
    double a[2], b[2];
    ends_of(a, mechanism, rest);
    ends_of(b, mechanism_2, rest_2);
    if (a[0] > b[1] || a[1] > b[1] * (1 + 1e-4))
        fail_msg("%s %s: [%.9g, %.9g] and %s %s: [%.9g, %.9g]", mechanism, rest, a[0], a[1], mechanism_2, rest_2, b[0], b[1]);
}

static void test_monotone(void **state)
{
    static const char *const mechanisms[] = { LDP("1"), KRR("5", "2"), "{\"type\":\"rappor\",\"eps0\":\"1\",\"k\":4}",
                                              "{\"type\":\"matrix\",\"rows\":[[\"1/2\",\"1/4\",\"1/4\"],[\"1/5\",\"1/5\",\"3/5\"]]}",
                                              "{\"type\":\"laplace\",\"scale\":\"1\"}" };
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    skip_when_sanitized();
    for (i = 0; i < sizeof(mechanisms) / sizeof(mechanisms[0]); i++)
    {
        const char *m = mechanisms[i];
        assert_at_most(m, AT("100", "0.2"), m, AT("100", "0.1"));
        assert_at_most(m, AT("200", "0.1"), m, AT("100", "0.1"));
        assert_at_most(m, AT("100", "0.1"), m, "\"rounds\":2," AT("100", "0.1"));
        assert_at_most(m, "\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/2\"}," AT("200", "0.1"), m, AT("100", "0.1"));
    }
    assert_at_most(LDP("1"), AT("100", "0.1"), LDP("1.1"), AT("100", "0.1"));
    assert_at_most(KRR("4", "1"), AT("100", "0.1"), KRR("4", "1.1"), AT("100", "0.1"));
    assert_at_most(KRR("4", "1"), AT("100", "0.1"), LDP("1"), AT("100", "0.1"));
    assert_at_most(RAPPOR("1"), "\"release\":\"sum\"," AT("100", "0.1"), RAPPOR("1"), AT("100", "0.1"));
    assert_at_most("{\"type\":\"gaussian\",\"scale\":\"3\"}", AT("20", "0.1"), "{\"type\":\"gaussian\",\"scale\":\"2\"}", AT("20", "0.1"));
}

/* ---- roads ---- */

/* Every road to (eps, delta) bounds the same number. */
static void test_roads(void **state)
{
    static const char *const roads[] = { "", ",\"via\":\"pld\"", ",\"via\":\"renyi\"", ",\"via\":\"strong-composition\"" };
    double best = 0;
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    for (i = 0; i < sizeof(roads) / sizeof(roads[0]); i++)
    {
        asked x;
        ask(&x, "{\"mechanism\":%s,\"users\":2000,\"rounds\":5," ASK("epsilon", "\"delta\":\"1e-5\"") ",\"effort\":\"1e9\"%s}", LDP("1"), roads[i]);
        if (x.answer->lower != NULL)
            best = fmax(best, lower(x.answer->lower->value));
        assert_true(upper(x.answer->upper->value) >= best);
        assert_true(i != 2 || (has_theorem(x.answer->upper, "renyi-conversion") && x.answer->upper->has_order));
        assert_true(i != 3 || (has_theorem(x.answer->upper, "kairouz15-optimal") && x.answer->upper->has_round));
        assert_true((i != 2 && i != 3) || x.answer->lower == NULL);
        asked_clear(&x);
    }
    assert_true(best > 0);
}

/* One direction of a pair is a bound of both only where both are the same; what is no bound has no side. */
static void test_sides(void **state)
{
    static const struct { const char *text; shuf_side side; } pairs[] = {
        { "\"pair\":{\"type\":\"clones\",\"eps0\":1}," AT("10", "0.1"), SHUF_SIDE_UPPER },
        { "\"pair\":{\"type\":\"clones\",\"eps0\":1},\"direction\":\"pq\"," AT("10", "0.1"), SHUF_SIDE_UPPER },
        { "\"pair\":{\"type\":\"krr-weak\",\"gamma\":\"1/2\",\"k\":4}," AT("10", "0.1"), SHUF_SIDE_UPPER },
        { "\"pair\":{\"type\":\"krr-weak\",\"gamma\":\"1/2\",\"k\":4},\"rounds\":2,\"direction\":\"pq\"," AT("10", "0.1"), SHUF_SIDE_UPPER },
        { "\"pair\":{\"type\":\"krr-strong\",\"gamma\":\"1/2\",\"k\":4}," AT("10", "0.1"), SHUF_SIDE_UPPER },
        { "\"pair\":{\"type\":\"rr2\",\"eps0\":1},\"direction\":\"qp\"," AT("10", "0.1"), SHUF_SIDE_LOWER },
        { "\"pair\":{\"type\":\"rr2\",\"eps0\":1},\"rounds\":2," AT("10", "0.1"), SHUF_SIDE_LOWER },
        { "\"pair\":{\"type\":\"rr2\",\"eps0\":1},\"rounds\":2,\"via\":\"renyi\"," AT("10", "0.1"), SHUF_SIDE_NONE },
        { "\"pair\":{\"type\":\"rr2\",\"eps0\":1},\"rounds\":2,\"via\":\"strong-composition\"," AT("10", "0.1"), SHUF_SIDE_NONE },
        { "\"pair\":{\"type\":\"rr2\",\"eps0\":1},\"users\":10," ASK("tradeoff", "\"type1\":\"0.1\""), SHUF_SIDE_UPPER },
        { "\"pair\":{\"type\":\"clones\",\"eps0\":1},\"users\":10," ASK("tradeoff", "\"type1\":\"0.1\""), SHUF_SIDE_LOWER },
        { "\"pair\":{\"type\":\"trinomial\",\"w0\":\"1/2\",\"w1\":\"1/4\",\"r0\":\"1/4\",\"r1\":\"1/4\"}," AT("10", "0.1"), SHUF_SIDE_NONE },
        { "\"pair\":{\"type\":\"clones-sampled\",\"eps0\":1}" SAMPLE("1/2") "," AT("10", "0.1"), SHUF_SIDE_UPPER },
        { "\"pair\":{\"type\":\"krr-third-sampled\",\"k\":3,\"eps0\":1}" SAMPLE("1/2") ",\"direction\":\"qp\"," AT("10", "0.1"), SHUF_SIDE_LOWER },
        { "\"pair\":{\"type\":\"clones-poisson\",\"eps0\":1}" POISSON("1/2") ",\"rounds\":2," AT("10", "0.1"), SHUF_SIDE_UPPER },
        { "\"pair\":{\"type\":\"krr-same-poisson\",\"k\":2,\"eps0\":1}" POISSON("1/2") "," AT("10", "0.1"), SHUF_SIDE_LOWER },
        { "\"rounds\":[{\"pair\":{\"type\":\"rr2\",\"eps0\":1}},{\"pair\":{\"type\":\"clones\",\"eps0\":1}}]," AT("10", "0.1"), SHUF_SIDE_NONE },
    };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
    {
        asked x;
        shuf_pair_struct *pair;
        shuf_side side = pairs[i].side;
        ask(&x, "{%s,\"effort\":\"1e9\"}", pairs[i].text);
        pair = x.question->parts[0].pair;
        if (side == SHUF_SIDE_UPPER && x.question->direction != SHUF_DIRECTION_BOTH && !shuf_pair_is_symmetric(pair))
            side = SHUF_SIDE_NONE;
        if (x.answer->value->side != side)
            fail_msg("%s: side %s", x.text, shuf_side_name(x.answer->value->side));
        asked_clear(&x);
    }
}

/* A closed form whose theorem is refuted or conditional has a value and no side; it covers one round of all users only. */
static void test_forms(void **state)
{
    static const struct { const char *text; shuf_side side; } forms[] = {
        { "\"mechanism\":" LDP("1") ",\"users\":10000," ASK("renyi", "\"order\":2") ",\"form\":{\"theorem\":\"girgis21-3.1\"}", SHUF_SIDE_UPPER },
        { "\"mechanism\":" LDP("1") ",\"users\":10000," ASK("renyi", "\"order\":2") ",\"rounds\":3,\"form\":{\"theorem\":\"girgis21-3.1\"}", SHUF_SIDE_UPPER },
        { "\"mechanism\":" LDP("4") ",\"users\":1001," ASK("renyi", "\"order\":18") ",\"form\":{\"theorem\":\"chen24-cor2\"}", SHUF_SIDE_NONE },
        { "\"mechanism\":{\"type\":\"ldp\"},\"users\":1000000," ASK("eps0", "\"eps\":\"1/2\",\"delta\":\"1e-6\"")
          ",\"form\":{\"theorem\":\"feldman21-5.2\"}", SHUF_SIDE_NONE },
    };
    static const char *const refused[] = {
        "\"mechanism\":{\"type\":\"ldp\"},\"users\":1000000,\"rounds\":30," ASK("eps0", "\"eps\":\"1/2\",\"delta\":\"1e-6\"")
        ",\"form\":{\"theorem\":\"feldman21-5.2\"}",
        "\"mechanism\":{\"type\":\"ldp\"},\"users\":1000000" SAMPLE("1/2") "," ASK("eps0", "\"eps\":\"1/2\",\"delta\":\"1e-6\"")
        ",\"form\":{\"theorem\":\"feldman21-5.2\"}",
        "\"mechanism\":{\"type\":\"rappor\"},\"users\":1000000," ASK("eps0", "\"eps\":\"1/2\",\"delta\":\"1e-6\"")
        ",\"form\":{\"theorem\":\"feldman21-5.2\"}",
        "\"mechanism\":" LDP("1") ",\"users\":10000,\"rounds\":2," ASK("epsilon", "\"delta\":\"1e-6\"") ",\"form\":{\"theorem\":\"feldman21-3.1\"}",
        "\"mechanism\":" LDP("1") ",\"users\":10000" SAMPLE("1/2") "," ASK("renyi", "\"order\":2") ",\"form\":{\"theorem\":\"girgis21-3.1\"}",
        "\"mechanism\":" RAPPOR("1") ",\"users\":10000," ASK("renyi", "\"order\":2") ",\"form\":{\"theorem\":\"girgis21-3.1\"}",
        "\"mechanism\":" LDP("1") ",\"users\":10000,\"claim\":{" RDP("2", "1") "},\"form\":{\"theorem\":\"girgis21-3.1\"}",
    };
    asked x;
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
    {
        ask(&x, "{%s}", forms[i].text);
        if (x.answer->value->side != forms[i].side)
            fail_msg("%s: side %s", x.text, shuf_side_name(x.answer->value->side));
        asked_clear(&x);
    }
    for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
    {
        ask_any(&x, "{%s}", refused[i]);
        if (x.status != SHUF_DOMAIN)
            fail_msg("%s: answered", x.text);
        asked_clear(&x);
    }
}

/* ---- parts whose directions differ ---- */

static json_t *ask_json(const char *question)
{
    char *text = shuf_answer_json(question);
    json_t *answer = json_loads(text, 0, NULL);
    flint_free(text);
    assert_non_null(answer);
    return answer;
}

static double end_of(const json_t *answer, const char *bound, const char *which)
{
    const char *text = json_string_value(json_object_get(json_object_get(answer, bound), which));
    return text != NULL ? atof(text) : 1e308;
}

#define TWO_PARTS "{\"rounds\":[{\"pair\":{\"type\":\"krr-same\",\"k\":2,\"eps0\":2},\"users\":100}," \
                  "{\"pair\":{\"type\":\"krr-same\",\"k\":100,\"eps0\":2},\"users\":100}],\"ask\":{\"quantity\":\"renyi\",\"order\":5}%s}"
#define ONE_PART "{\"pair\":{\"type\":\"krr-same\",\"k\":%d,\"eps0\":2},\"users\":100,\"ask\":{\"quantity\":\"renyi\",\"order\":5}%s}"

static double least_of(const char *format, int k, const char *direction)
{
    char question[512];
    json_t *a;
    double x;
    if (k > 0)
        snprintf(question, sizeof(question), format, k, direction);
    else
        snprintf(question, sizeof(question), format, direction);
    a = ask_json(question);
    x = end_of(a, "value", "lo");
    json_decref(a);
    return x;
}

/* The larger divergence of one part is D(P||Q), of the other D(Q||P): the sum of the two is of neither direction. */
static void test_divergences_of_parts(void **state)
{
    const char *pq = ",\"direction\":\"pq\"", *qp = ",\"direction\":\"qp\"";
    double a = least_of(ONE_PART, 2, pq), b = least_of(ONE_PART, 100, pq), c = least_of(ONE_PART, 2, qp), d = least_of(ONE_PART, 100, qp);
    (void) state;
    assert_true(a > c && b < d);
    assert_true(fabs(least_of(TWO_PARTS, 0, "") - fmax(a + b, c + d)) < 1e-9);
    assert_true(fabs(least_of(TWO_PARTS, 0, pq) - (a + b)) < 1e-9);
    assert_true(fabs(least_of(TWO_PARTS, 0, qp) - (c + d)) < 1e-9);
}

/* A bound of every mechanism with the same (eps, delta) is none from below of the pair that has them. */
static void test_strong_composition_of_a_lower_bound(void **state)
{
    json_t *a = ask_json("{\"pair\":{\"type\":\"rr2\",\"eps0\":1},\"users\":10,\"rounds\":2,\"via\":\"strong-composition\","
                    "\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-3\"}}");
    json_t *value = json_object_get(a, "value");
    (void) state;
    assert_string_equal(json_string_value(json_object_get(value, "side")), "none");
    json_decref(a);
    a = ask_json("{\"pair\":{\"type\":\"clones\",\"eps0\":1},\"users\":10,\"rounds\":2,\"via\":\"strong-composition\","
            "\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-3\"}}");
    assert_string_equal(json_string_value(json_object_get(json_object_get(a, "value"), "side")), "upper");
    json_decref(a);
}

/* ---- searches ---- */

/* What is found is certified when it is put into the question. The mechanism is open at its end. */
static void test_searches(void **state)
{
    static const struct { const char *mechanism, *members, *quantity; } searches[] = {
        { "{\"type\":\"ldp\",\"eps0\":1", "", "users" },
        { "{\"type\":\"ldp\",\"eps0\":1", ",\"rounds\":3", "users" },
        { "{\"type\":\"ldp\",\"eps0\":1", SAMPLE("3/7"), "users" },
        { "{\"type\":\"krr\",\"k\":4,\"eps0\":2", ",\"rounds\":2" SAMPLE("2/5"), "users" },
        { "{\"type\":\"ldp\",\"eps0\":1", POISSON("1/3"), "users" },
        { "{\"type\":\"ldp\"", ",\"users\":1000" SAMPLE("1/10"), "eps0" },
        { "{\"type\":\"ldp\"", ",\"users\":1000,\"rounds\":2" POISSON("1/10"), "eps0" },
        { "{\"type\":\"ldp\"", ",\"users\":1000", "eps0" },
        { "{\"type\":\"ldp\"", ",\"users\":1000,\"rounds\":4", "eps0" },
        { "{\"type\":\"krr\",\"k\":4", ",\"users\":1000", "eps0" },
        { "{\"type\":\"rappor\"", ",\"users\":1000", "eps0" },
        { "{\"type\":\"laplace\"", ",\"users\":100", "scale" },
    };
    size_t i;
    (void) state;
    skip_unless_drawn(5);
    skip_when_sanitized();
    for (i = 0; i < sizeof(searches) / sizeof(searches[0]); i++)
    {
        const char *mechanism = searches[i].mechanism, *members = searches[i].members, *quantity = searches[i].quantity;
        int of_users = strcmp(quantity, "users") == 0, at_lo = strcmp(quantity, "eps0") == 0;
        char *end, users[64] = "", parameter[128] = "";
        asked x, y;
        ask(&x, "{\"mechanism\":%s}%s,\"ask\":{\"quantity\":\"%s\"," DP("0.5", "1e-4") "},\"digits\":3,\"effort\":\"2e9\"}", mechanism, members, quantity);
        if (x.answer->value->side != SHUF_SIDE_UPPER)
            fail_msg("%s: side %s", x.text, shuf_side_name(x.answer->value->side));
        end = shuf_hexfloat(at_lo ? x.answer->value->value->lo : x.answer->value->value->hi, 0);
        if (of_users)
            snprintf(users, sizeof(users), ",\"users\":\"%.0f\"", upper(x.answer->value->value));
        else
            snprintf(parameter, sizeof(parameter), ",\"%s\":\"%s\"", quantity, end);
        flint_free(end);
        ask(&y, "{\"mechanism\":%s%s}%s%s,\"claim\":{" DP("0.5", "1e-4") "},\"effort\":\"2e9\"}", mechanism, parameter, members, users);
        if (y.answer->verdict != SHUF_CERTIFIED)
            fail_msg("%s: %s", y.text, shuf_verdict_name(y.answer->verdict));
        asked_clear(&x);
        asked_clear(&y);
    }
}

/* The users found for a k-RR pair are certified, one fewer are not, and many more are. */
static void ask_searched_pair(const char *type)
{
    asked x;
    uint64_t n, at[3];
    int i;
    ask(&x, "{\"pair\":{\"type\":\"%s\",\"gamma\":\"1/2\",\"k\":4},\"ask\":{\"quantity\":\"users\"," DP("0.5", "1e-4") "},\"effort\":\"2e9\"}", type);
    n = (uint64_t) upper(x.answer->value->value);
    assert_true(lower(x.answer->value->value) == (double) n - 1);
    asked_clear(&x);
    at[0] = n;
    at[1] = 2 * n;
    at[2] = n - 1;
    for (i = 0; i < 3; i++)
    {
        ask(&x, "{\"pair\":{\"type\":\"%s\",\"gamma\":\"1/2\",\"k\":4},\"users\":%lu," ASK("delta", "\"eps\":\"0.5\"") "}", type,
            (unsigned long) at[i]);
        assert_true(i < 2 ? upper(x.answer->value->value) <= 1e-4 : lower(x.answer->value->value) > 1e-4);
        asked_clear(&x);
    }
}

static void test_calibrate(void **state)
{
    shuf_pair_t pair;
    shuf_real_t eps0, eps, delta;
    shuf_enclosure_t r, check;
    shuf_options six = { 6, 60e9 };
    uint64_t n;
    int undecided;
    (void) state;
    skip_unless_drawn(5);
    shuf_pair_init(pair);
    shuf_real_init(eps0);
    shuf_real_init(eps);
    shuf_real_init(delta);
    shuf_enclosure_init(r);
    shuf_enclosure_init(check);

    /* eps0: certified at lo, and eps(delta) at lo is just below the target */
    set(eps, "0.5");
    set(delta, "1e-6");
    shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, 10000, eps0);
    assert_int_equal(shuf_calibrate(r, pair, SHUF_SOLVE_EPS0, eps, delta, &six), SHUF_OK);
    shuf_real_set_arf(eps0, r->lo);
    shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, 10000, eps0);
    assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &six), -1);
    shuf_hockey_epsilon(check, pair, delta, SHUF_DIRECTION_BOTH, &six);
    assert_true(arf_cmp_d(check->hi, 0.500001) <= 0 && arf_cmp_d(check->lo, 0.49999) >= 0);
    /* nothing amplifies to eps = 0 at delta = 0 */
    set(eps, "0");
    set(delta, "0");
    shuf_calibrate(r, pair, SHUF_SOLVE_EPS0, eps, delta, &six);
    assert_true(arf_is_zero(r->lo) && arf_cmp_d(r->hi, 1e-30) < 0);

    /* n: certified at hi, not at hi - 1 */
    set(eps, "0.5");
    set(delta, "1e-6");
    set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, 1, "2");
    assert_int_equal(shuf_calibrate(r, pair, SHUF_SOLVE_N, eps, delta, &six), SHUF_OK);
    n = (uint64_t) arf_get_si(r->hi, ARF_RND_CEIL);
    assert_true(arf_cmp_si(r->lo, (slong) n - 1) == 0);
    pair->n = n;
    assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &six), -1);
    pair->n = n - 1;
    assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &six), 1);
    /* ten digits of n by secants: halving would take 12 points to get beyond it and 31 more */
    set(eps, "0");
    set(delta, "0.00005");
    assert_int_equal(shuf_calibrate(r, pair, SHUF_SOLVE_N, eps, delta, &six), SHUF_OK);
    assert_true(r->ledger.terms < 30);
    n = (uint64_t) arf_get_si(r->hi, ARF_RND_CEIL);
    assert_true(arf_cmp_si(r->lo, (slong) n - 1) == 0 && n > 100000000);
    pair->n = n;
    assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &six), -1);
    pair->n = n - 1;
    assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &six), 1);
    set(eps, "0.5");
    /* krr-weak and krr-strong, whose delta falls with n, too: every larger n is certified */
    ask_searched_pair("krr-weak");
    ask_searched_pair("krr-strong");
    /* out of reach: delta = 0 below eps0 */
    set(delta, "0");
    six.max_work = 2e9;
    assert_int_equal(shuf_calibrate(r, pair, SHUF_SOLVE_N, eps, delta, &six), SHUF_DOMAIN);

    shuf_pair_clear(pair);
    shuf_real_clear(eps0);
    shuf_real_clear(eps);
    shuf_real_clear(delta);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(check);
}

/* Whether the rounds have eps(delta) <= eps (-1), > eps (1), or either (0). */
static int compare_rounds(const shuf_pair_t pair, uint64_t rounds, const shuf_real_t eps, const shuf_real_t delta)
{
    shuf_options options = { 6, 0 };
    shuf_law_struct profile;
    shuf_pld_part part;
    shuf_enclosure_t r;
    int sign;
    shuf_enclosure_init(r);
    shuf_law_set_pair(&profile, pair);
    part.law = &profile;
    part.rounds = rounds;
    shuf_pld_epsilon(r, &part, 1, delta, SHUF_DIRECTION_BOTH, &options);
    sign = shuf_real_cmp_arf(eps, r->hi) >= 0 ? -1 : shuf_real_cmp_arf(eps, r->lo) < 0;
    shuf_enclosure_clear(r);
    return sign;
}

static void test_calibrate_rounds(void **state)
{
    shuf_options options = { 6, 0 };
    shuf_enclosure_t r, last;
    shuf_real_t eps0, eps, delta;
    shuf_pair_t pair;
    fmpq_t rate;
    uint64_t rounds;
    (void) state;
    skip_unless_drawn(4);
    options.digits = 3;
    options.max_work = 30e9;
    shuf_enclosure_init(r);
    shuf_enclosure_init(last);
    shuf_real_init(eps0);
    shuf_real_init(eps);
    shuf_real_init(delta);
    shuf_pair_init(pair);
    fmpq_init(rate);
    fmpq_one(rate);
    set(eps, "0.5");
    set(delta, "1e-6");

    /* eps0: certified at lo, not at hi; more rounds allow less */
    arf_pos_inf(last->lo);
    for (rounds = 2; rounds <= 8; rounds *= 4)
    {
        set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, 1000, "1");
        assert_int_equal(shuf_calibrate_rounds(r, pair, rounds, rate, SHUF_SOLVE_EPS0, eps, delta, &options), SHUF_OK);
        assert_true(shuf_enclosure_accurate(r, 3) && arf_cmp(r->hi, last->lo) < 0);
        shuf_enclosure_set(last, r);
        shuf_real_set_arf(eps0, last->lo);
        shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, 1000, eps0);
        assert_int_equal(compare_rounds(pair, rounds, eps, delta), -1);
        shuf_real_set_arf(eps0, last->hi);
        shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, 1000, eps0);
        assert_int_equal(compare_rounds(pair, rounds, eps, delta), 1);
    }
    /* the same users sampled from more allow more */
    fmpq_set_si(rate, 1, 2);
    assert_int_equal(shuf_calibrate_rounds(r, pair, 8, rate, SHUF_SOLVE_EPS0, eps, delta, &options), SHUF_OK);
    assert_true(arf_cmp(r->lo, last->hi) > 0);
    /* pure: two rounds of log(1 + (e^x - 1)/2) = log 2 */
    set(eps, "log(4)");
    set(delta, "0");
    assert_int_equal(shuf_calibrate_rounds(r, pair, 2, rate, SHUF_SOLVE_EPS0, eps, delta, &options), SHUF_OK);
    assert_true(arf_cmp_d(r->lo, 1.0986122886) > 0 && arf_cmp_d(r->lo, 1.0986122887) < 0 && arf_cmp_d(r->hi, 1.12) < 0);

    /* n */
    fmpq_one(rate);
    set(eps, "0.5");
    set(delta, "1e-5");
    options.max_work = 5e9;
    set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, 1, "1");
    assert_int_equal(shuf_calibrate_rounds(r, pair, 4, rate, SHUF_SOLVE_N, eps, delta, &options), SHUF_OK);
    pair->n = (uint64_t) arf_get_si(r->hi, ARF_RND_CEIL);
    assert_int_equal(compare_rounds(pair, 4, eps, delta), -1);
    pair->n = (uint64_t) arf_get_si(r->lo, ARF_RND_FLOOR);
    assert_int_equal(compare_rounds(pair, 4, eps, delta), 1);
    /* pure: any n or none */
    set(delta, "0");
    set(eps, "4");
    assert_int_equal(shuf_calibrate_rounds(r, pair, 4, rate, SHUF_SOLVE_N, eps, delta, &options), SHUF_OK);
    assert_true(arf_is_one(r->hi));
    set(eps, "3.9");
    assert_int_equal(shuf_calibrate_rounds(r, pair, 4, rate, SHUF_SOLVE_N, eps, delta, &options), SHUF_DOMAIN);
    fmpq_zero(rate);
    assert_int_equal(shuf_calibrate_rounds(r, pair, 4, rate, SHUF_SOLVE_N, eps, delta, &options), SHUF_DOMAIN);

    shuf_enclosure_clear(r);
    shuf_enclosure_clear(last);
    shuf_real_clear(eps0);
    shuf_real_clear(eps);
    shuf_real_clear(delta);
    shuf_pair_clear(pair);
    fmpq_clear(rate);
}

/* ---- clocks and interrupts ---- */

#define LONG "{\"mechanism\":" KRR("16", "3") ",\"users\":200000,\"rounds\":30," ASK("epsilon", "\"delta\":\"1e-8\"") ",\"digits\":9,\"effort\":\"high\""

/* Units that may be spent between a stop and the answer, of the 3e12 of a high effort: counted, not timed. */
#define AFTER_STOP 5e9

/* What is cut short says so, and its ends hold: the answer of a whole one lies between them. */
static void test_clock(void **state)
{
    asked x;
    double start = shuf_work();
    (void) state;
    ask_any(&x, "%s,\"max_seconds\":\"0.05\"}", LONG);
    assert_true(shuf_work() - start < AFTER_STOP);
    assert_false(x.answer->complete);
    /* 0.0857 .. 0.1088 with normal effort */
    assert_true(x.answer->upper == NULL || upper(x.answer->upper->value) > 0.08);
    assert_true(x.answer->lower == NULL || lower(x.answer->lower->value) < 0.12);
    asked_clear(&x);
    ask(&x, "{\"mechanism\":%s,\"users\":10,%s,\"max_seconds\":1000}", LDP("1"), ASK("delta", "\"eps\":\"0.1\""));
    assert_true(x.answer->complete);
    asked_clear(&x);
}

/* From the hundredth look on; *since is the count of work then. */
static int stop_after(void *data, const char *line)
{
    static int looks;
    double *since = data;
    (void) line;
    if (++looks == 100)
        *since = shuf_work();
    return looks >= 100;
}

static void test_interrupt(void **state)
{
    double since = 0;
    shuf_watch watch = { .progress = stop_after, .data = &since };
    asked x;
    (void) state;
    shuf_watch_set(&watch);
    ask_any(&x, "%s}", LONG);
    shuf_watch_set(NULL);
    assert_true(since > 0 && shuf_work() - since < AFTER_STOP);
    assert_false(x.answer->complete);
    asked_clear(&x);
}

/* Rounds of a described randomiser go by what it does, not by its eps0; more that is known of it weakens neither end. */
static void test_described_rounds(void **state)
{
    static const char *const mechanisms[] = { "{\"type\":\"rappor\",\"eps0\":\"1.5\"}", "{\"type\":\"rappor\",\"k\":16,\"eps0\":\"1.5\"}" };
    double above[2], below[2];
    asked x;
    int i;
    (void) state;
    skip_unless_drawn(4);
    for (i = 0; i < 2; i++)
    {
        ask(&x, "{\"mechanism\":%s,\"users\":20000,\"rounds\":5,\"digits\":3,\"effort\":\"4e9\",\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-6\"}}", mechanisms[i]);
        above[i] = upper(x.answer->upper->value);
        below[i] = lower(x.answer->lower->value);
        assert_true(has_theorem(x.answer->upper, "profile-nodes") && has_theorem(x.answer->lower, "profile-nodes"));
        asked_clear(&x);
    }
    assert_true(above[1] <= 1.005 * above[0] && below[1] >= 0.995 * below[0]);
    assert_true(below[1] >= 0.8 * above[1]);
}

/* Data are searched for where they may say more than what is known. */
static void test_searched_data(void **state)
{
    static const struct { const char *question; int tried; } cases[] = {
        { "{\"mechanism\":{\"type\":\"oue\",\"eps0\":\"0.34\",\"k\":6},\"users\":3000,\"rounds\":2,\"digits\":2,\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-4\"}}", 0 },
        { "{\"mechanism\":{\"type\":\"matrix\",\"rows\":[[\"1/40\",\"9/40\",\"3/4\"],[\"1/4\",\"1/2\",\"1/4\"],[\"10/23\",\"3/23\",\"10/23\"]]},"
          "\"users\":300,\"digits\":5,\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-3\"}}", 1 },
    };
    asked x;
    size_t i, j;
    (void) state;
    skip_unless_drawn(4);
    for (j = 0; j < sizeof(cases) / sizeof(cases[0]); j++)
    {
        int tried = 0;
        ask(&x, "%s", cases[j].question);
        for (i = 0; i < x.answer->count; i++)
            tried |= has_theorem(&x.answer->tried[i], "mixed-data");
        assert_int_equal(tried, cases[j].tried);
        asked_clear(&x);
    }
}

/* A mu that is certified at a witness is an upper end, whatever the search for one had found. */
static void test_certified_mu(void **state)
{
    asked x;
    (void) state;
    ask(&x, "{\"mechanism\":{\"type\":\"ldp\",\"eps0\":\"1\"},\"users\":1000,\"claim\":{\"mu\":\"0.1\",\"eps\":[\"0\",\"2\"]},\"effort\":\"1e7\"}");
    assert_int_equal(x.answer->verdict, SHUF_CERTIFIED);
    assert_true(upper(x.answer->upper->value) <= 0.1 * (1 + 1e-12));
    asked_clear(&x);
}

#define ROUNDS_OF_ONE_EPS "{\"pair\":{\"type\":\"trinomial\",\"w0\":\"6/10\",\"w1\":\"1/10\",\"r0\":\"%d/10\",\"r1\":\"%d/10\"},\"users\":20,\"rounds\":2,%s\"ask\":{\"quantity\":\"gdp\",\"eps\":[\"1/2\",\"1/2\"]}}"

/* mu of rounds is that of the larger direction, whichever it is. */
static void test_direction_of_mu(void **state)
{
    static const char *const directions[] = { "", "\"direction\":\"pq\",", "\"direction\":\"qp\"," };
    double lo[3], hi[3];
    asked x;
    int i, swapped;
    (void) state;
    for (swapped = 0; swapped < 2; swapped++)
    {
        for (i = 0; i < 3; i++)
        {
            ask(&x, ROUNDS_OF_ONE_EPS, swapped ? 3 : 1, swapped ? 1 : 3, directions[i]);
            lo[i] = lower(x.answer->value->value);
            hi[i] = upper(x.answer->value->value);
            asked_clear(&x);
        }
        assert_true(hi[swapped ? 2 : 1] < lo[swapped ? 1 : 2]);
        assert_true(hi[0] >= lo[swapped ? 1 : 2] && lo[0] <= hi[swapped ? 1 : 2]);
    }
}

/* Ends that meet are the answer, whatever another bound lacks. */
static void test_settled(void **state)
{
    asked x;
    (void) state;
    ask(&x, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"without-replacement\",\"noise_multiplier\":\"2\",\"steps\":700,\"sampling_rate\":\"1/100\"},"
            "\"ask\":{\"quantity\":\"zcdp\"}}");
    assert_true(has_theorem(x.answer->upper, "batches-all-known") && has_theorem(x.answer->lower, "batches-subset-below"));
    assert_true(upper(x.answer->upper->value) == 350 && lower(x.answer->lower->value) == 350);
    assert_true(x.answer->accurate && x.answer->count == 2);
    asked_clear(&x);
}

/* Rounds far out, which doubles do not reach: the sum of laws is not looked at twice where a conversion says more. */
static void test_out_of_reach(void **state)
{
    double before = shuf_work();
    asked x;
    (void) state;
    skip_unless_drawn(4);
    ask(&x, "{\"mechanism\":{\"type\":\"ldp\",\"eps0\":\"1/2\"},\"users\":30000,\"rounds\":2,\"ask\":{\"quantity\":\"delta\",\"eps\":\"3/10\"}}");
    assert_true(has_theorem(x.answer->upper, "renyi-conversion") && arf_cmpabs_2exp_si(x.answer->upper->value->hi, -3000) < 0);
    assert_true(shuf_work() - before < 2.7e9);
    asked_clear(&x);
}

/* Normal reports of users who all hold the same, but one, are an epoch of balls and bins: two of 75 steps with noise 0.54 have 0.054900706 at 1. */
static void test_bins(void **state)
{
    asked x;
    (void) state;
    ask(&x, "{\"mechanism\":{\"type\":\"gaussian\",\"scale\":\"0.54\"},\"users\":75,\"rounds\":2,\"ask\":{\"quantity\":\"delta\",\"eps\":1},\"effort\":\"1e9\"}");
    assert_true(has_theorem(x.answer->lower, "all-equal"));
    assert_true(lower(x.answer->lower->value) > 0.0549 && lower(x.answer->lower->value) < 0.05490070637);
    asked_clear(&x);
}

#define RAPPOR16 "{\"type\":\"rappor\",\"k\":16,\"eps0\":\"2\"}"

/* Reports of several attributes: the worst data's bound is beaten by another one and not searched for, a third value's is better than that of the same value. */
static void test_attributes(void **state)
{
    asked x;
    size_t i;
    (void) state;
    ask(&x, "{\"mechanism\":{\"type\":\"product\",\"parts\":[" RAPPOR16 "," RAPPOR16 "]},\"users\":1000,\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-6\"}}");
    assert_true(has_theorem(x.answer->upper, "local-swap") && has_theorem(x.answer->lower, "third-value"));
    assert_true(upper(x.answer->upper->value) < 5.831 && lower(x.answer->lower->value) > 4.751);
    for (i = 0; i < x.answer->count; i++)
        assert_false(has_theorem(&x.answer->tried[i], "blanket"));
    asked_clear(&x);
}

int main(void)
{
    /* what is quick first: a fault is seen the sooner */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attributes), cmocka_unit_test(test_nothing_to_find),
        cmocka_unit_test(test_infinite), cmocka_unit_test(test_seen_reports), cmocka_unit_test(test_certified_mu), cmocka_unit_test(test_direction_of_mu), cmocka_unit_test(test_settled), cmocka_unit_test(test_out_of_reach), cmocka_unit_test(test_bins), cmocka_unit_test(test_far_apart), cmocka_unit_test(test_at_the_truth), cmocka_unit_test(test_renyi), cmocka_unit_test(test_sampled), cmocka_unit_test(test_data_of_rounds),
        cmocka_unit_test(test_unbounded), cmocka_unit_test(test_findings), cmocka_unit_test(test_sides),
        cmocka_unit_test(test_forms), cmocka_unit_test(test_open_comparison), cmocka_unit_test(test_clock),
        cmocka_unit_test(test_interrupt), cmocka_unit_test(test_divergences_of_parts),
        cmocka_unit_test(test_strong_composition_of_a_lower_bound), cmocka_unit_test(test_calibrate_rounds),
        cmocka_unit_test(test_poisson), cmocka_unit_test(test_lists), cmocka_unit_test(test_claims_of_values), cmocka_unit_test(test_tiny_delta), cmocka_unit_test(test_rounds), cmocka_unit_test(test_roads),
        cmocka_unit_test(test_monotone), cmocka_unit_test(test_verdicts), cmocka_unit_test(test_calibrate),
        cmocka_unit_test(test_described_rounds), cmocka_unit_test(test_searched_data), cmocka_unit_test(test_searches), cmocka_unit_test(test_more_known),
    };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
