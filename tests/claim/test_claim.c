/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Claims and compositions: reading, verdicts that are known, the report; calibration. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "claim/claim.h"
#include "oracle/oracle.h"
#include "random.h"
#include "theorem/theorem.h"

static shuf_options budget = { 12, 4.0 };

/* For audits of products of tables, whose lumps no grid fits: one digit is soon there, more are not. */
#define QUICK_SECONDS 0.3

/* Audits {"mechanism":.., "n":.., members, "claim":{point}}; *v is to be cleared. */
static void audit(shuf_verdict_t v, const char *mechanism, const char *n, const char *members, const char *point)
{
    char text[512], error[256];
    shuf_claim_list list;
    size_t i;
    snprintf(text, sizeof(text), "{\"id\":\"x\",\"mechanism\":%s,\"n\":\"%s\"%s,\"claim\":{%s}}", mechanism, n, members, point);
    assert_int_equal(shuf_claims_parse(&list, text, strlen(text), error, sizeof(error)), 0);
    assert_int_equal(list.count, 1);
    shuf_claim_audit(v, &list.items[0], &budget);
    assert_int_equal(v->kind == SHUF_UNDECIDED, v->reason[0] != '\0');
    for (i = 0; i < v->uppers + v->lowers; i++)
    {
        const shuf_claim_bound *b = i < v->uppers ? &v->upper[i] : &v->lower[i - v->uppers];
        assert_int_equal(shuf_theorem_find(b->theorem)->status, SHUF_PROVED);
        assert_true(b->sampling[0] == '\0' || shuf_theorem_find(b->sampling)->status == SHUF_PROVED);
        assert_true(b->composition[0] == '\0' || shuf_theorem_find(b->composition)->status == SHUF_PROVED);
    }
    shuf_claims_clear(&list);
}

static shuf_verdict_kind verdict_of(const char *mechanism, const char *n, const char *members, const char *point)
{
    shuf_verdict_t v;
    shuf_verdict_kind kind;
    audit(v, mechanism, n, members, point);
    kind = v->kind;
    shuf_verdict_clear(v);
    return kind;
}

static shuf_verdict_kind verdict(const char *mechanism, const char *n, const char *eps, const char *delta)
{
    char point[128];
    snprintf(point, sizeof(point), "\"eps\":\"%s\",\"delta\":\"%s\"", eps, delta);
    return verdict_of(mechanism, n, "", point);
}

#define LDP(e) "{\"type\":\"ldp\",\"eps0\":\"" e "\"}"
#define RR2(e) "{\"type\":\"rr2\",\"eps0\":\"" e "\"}"
#define KRR(k, e) "{\"type\":\"krr\",\"k\":" k ",\"eps0\":\"" e "\"}"
#define KRRG(k, g) "{\"type\":\"krr\",\"k\":" k ",\"gamma\":\"" g "\"}"
#define RAPPOR(e) "{\"type\":\"rappor\",\"eps0\":\"" e "\"}"

static void test_verdicts(void **state)
{
    (void) state;
    budget.max_seconds = 4;
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

#define DP(e, d) "\"eps\":\"" e "\",\"delta\":\"" d "\""
#define RDP(a, e) "\"order\":\"" a "\",\"renyi\":\"" e "\""
#define ROUNDS(t) ",\"rounds\":" t
#define SUBSAMPLE(g) ",\"subsample\":\"" g "\""

static void test_renyi(void **state)
{
    shuf_verdict_t v;
    (void) state;
    /* one user, E = 3, order 2: exp(D) = (9/16)/(1/4) + (1/16)/(3/4) = 7/3, both bounds */
    assert_int_equal(verdict_of(LDP("log(3)"), "1", "", RDP("2", "log(2.33334)")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "1", "", RDP("2", "log(2.33333)")), SHUF_REFUTED_CLAIM);
    audit(v, LDP("log(3)"), "1", "", RDP("2", "log(7/3)"));
    assert_int_equal(v->kind, SHUF_UNDECIDED);
    assert_int_equal(v->upper[v->best_upper].sign, 0);
    assert_int_equal(v->lower[v->best_lower].sign, 0);
    assert_non_null(strstr(v->reason, "too close"));
    shuf_verdict_clear(v);
    /* a real order: exp(D/2) = (3^1.5 + 3^-0.5)/4 */
    assert_int_equal(verdict_of(RR2("log(3)"), "1", "", RDP("3/2", "0.7340")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(RR2("log(3)"), "1", "", RDP("3/2", "0.7339")), SHUF_REFUTED_CLAIM);
    /* near 1 the Kullback-Leibler divergence log(3)/2, at the largest order log(3) */
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
    audit(v, LDP("2.1"), "1000", "", RDP("60", "0.35"));
    assert_int_equal(v->kind, SHUF_UNDECIDED);
    assert_int_equal(v->upper[v->best_upper].sign, 1);
    assert_int_equal(v->lower[v->best_lower].sign, -1);
    assert_non_null(strstr(v->reason, "between"));
    shuf_verdict_clear(v);
    /* k-RR: only krr-weak is as small */
    audit(v, KRR("100", "1"), "1000", "", RDP("4", "0.0002"));
    assert_int_equal(v->kind, SHUF_CERTIFIED);
    assert_string_equal(v->upper[v->best_upper].theorem, "krr-weak");
    assert_int_equal(v->upper[0].sign, 1);
    shuf_verdict_clear(v);
    assert_int_equal(verdict_of(KRRG("4", "0"), "10", "", RDP("2", "1e6")), SHUF_UNDECIDED);
    /* RAPPOR, one user: between eps0 and 2 eps0 */
    assert_int_equal(verdict_of(RAPPOR("log(3)"), "1", "", RDP("1e18", "log(9)")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(RAPPOR("log(3)"), "1", "", RDP("1e18", "1.1")), SHUF_UNDECIDED);
    assert_int_equal(verdict_of(RAPPOR("log(3)"), "1", "", RDP("1e18", "1.098")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(RAPPOR("1000000"), "1", "", RDP("2", "1e9")), SHUF_UNDECIDED);
}

/* Every upper bound on delta at the claim is at least `least`. */
static void assert_upper_bounds(const shuf_verdict_t v, double least)
{
    size_t i;
    assert_true(v->uppers > 0);
    for (i = 0; i < v->uppers; i++)
        assert_true(arf_cmp_d(v->upper[i].delta->hi, least) >= 0);
}

static void test_rounds(void **state)
{
    shuf_verdict_t v;
    (void) state;
    budget.max_seconds = QUICK_SECONDS;
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
    /* with time to spare, under sanitizers too */
    budget.max_seconds = 120;
    audit(v, LDP("0.5"), "1000", ROUNDS("100"), DP("0.95", "1e-6"));
    assert_int_equal(v->kind, SHUF_CERTIFIED);
    assert_string_equal(v->upper[v->best_upper].composition, "pld-composition");
    assert_string_equal(v->lower[v->best_lower].composition, "pld-composition");
    shuf_verdict_clear(v);
    budget.max_seconds = QUICK_SECONDS;
    /* two rounds of randomised response, E = 3: delta(log 2) = 9/16 - 2/16, delta(0) = 8/16 */
    assert_int_equal(verdict_of(LDP("log(3)"), "1", ROUNDS("2"), DP("log(2)", "0.47")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "1", ROUNDS("2"), DP("log(2)", "0.4")), SHUF_REFUTED_CLAIM);
    audit(v, LDP("log(3)"), "1", ROUNDS("2"), DP("log(2)", "0.4375"));
    assert_int_equal(v->kind, SHUF_UNDECIDED);
    assert_upper_bounds(v, 0.4375);
    assert_true(arf_cmp_d(v->lower[v->best_lower].delta->lo, 0.4375) <= 0);
    assert_non_null(strstr(v->reason, "too close"));
    shuf_verdict_clear(v);
    assert_int_equal(verdict_of(RR2("log(3)"), "1", ROUNDS("2"), DP("0", "0.54")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(RR2("log(3)"), "1", ROUNDS("2"), DP("0", "0.46")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "1", ROUNDS("2"), DP("log(2)", "0.24")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("1"), "1000", ROUNDS("100000"), DP("1e-3", "1e-30")), SHUF_REFUTED_CLAIM);
}

/* Two users, one of them drawn, E = 3: the report is (3/4, 1/4) or (1/2, 1/2). */
static void test_subsample(void **state)
{
    shuf_verdict_t v;
    const char *half = SUBSAMPLE("1/2");
    (void) state;
    budget.max_seconds = QUICK_SECONDS;
    /* delta(0) = 1/4, delta(log 1.2) = 0.2, nothing above log 2 */
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("0", "0.2500001")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("0", "0.23")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("log(1.2)", "0.2000001")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("log(1.2)", "0.18")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("0.1823215567", "0.2000001")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(RR2("log(3)"), "2", half, DP("0.1823215567", "0.18")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("log(2)", "0")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, DP("log(1.999)", "0")), SHUF_REFUTED_CLAIM);
    /* order 2: 1 + (7/3 - 1)/2, which also serves 1.5; truth 4/3 */
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, RDP("2", "log(1.6667)")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, RDP("2", "log(1.6666)")), SHUF_UNDECIDED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, RDP("1.5", "log(1.6667)")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, RDP("1.5", "log(1.6666)")), SHUF_UNDECIDED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", half, RDP("2.5", "log(1.6667)")), SHUF_UNDECIDED);
    /* so large an order that the subsampled moments cannot be written: the largest loss is left */
    assert_int_equal(verdict_of(LDP("1"), "10", half, RDP("1e18", "1")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("1"), "10", half, RDP("1e18", "0.3")), SHUF_UNDECIDED);
    /* two rounds */
    assert_int_equal(verdict_of(LDP("log(3)"), "2", SUBSAMPLE("0.5") ROUNDS("2"), RDP("2", "log(2.7778)")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", SUBSAMPLE("0.5") ROUNDS("2"), RDP("2", "log(2.7777)")), SHUF_UNDECIDED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", SUBSAMPLE("0.5") ROUNDS("2"), DP("log(4)", "0")), SHUF_CERTIFIED);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", SUBSAMPLE("0.5") ROUNDS("2"), DP("log(3.999)", "0")), SHUF_REFUTED_CLAIM);
    /* P = (9,3,3,1)/16, Q = (4,4,4,4)/16: delta(log 1.5) = 3/16; the product of the bounds has 7/32 */
    assert_int_equal(verdict_of(LDP("log(3)"), "2", SUBSAMPLE("0.5") ROUNDS("2"), DP("log(1.5)", "0.16")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("log(3)"), "2", SUBSAMPLE("0.5") ROUNDS("2"), DP("log(1.5)", "0.25")), SHUF_CERTIFIED);
    audit(v, LDP("log(3)"), "2", SUBSAMPLE("0.5") ROUNDS("2"), DP("log(1.5)", "0.2"));
    assert_int_equal(v->kind, SHUF_UNDECIDED);
    assert_upper_bounds(v, 0.21875);
    assert_int_equal(v->lowers, 1);
    assert_true(arf_cmp_d(v->lower[0].delta->lo, 0.1875) <= 0 && arf_cmp_d(v->lower[0].delta->hi, 0.1875) >= 0);
    assert_string_equal(v->lower[0].sampling, "subsample-replaced");
    assert_string_equal(v->upper[0].sampling, "subsample-profile");
    shuf_verdict_clear(v);
    assert_int_equal(verdict_of(RAPPOR("log(3)"), "2", SUBSAMPLE("0.5") ROUNDS("2"), DP("log(1.5)", "0.16")), SHUF_REFUTED_CLAIM);
    /* k-RR: only all-equal data, whose law without the replaced record is P */
    audit(v, KRR("3", "1"), "4", half, DP("0.1", "0.5"));
    assert_int_equal(v->lowers, 1);
    assert_string_equal(v->lower[0].theorem, "krr-same");
    shuf_verdict_clear(v);
    /* an upper bound that is the claim */
    audit(v, LDP("log(3)"), "2", half, RDP("2", "log(5/3)"));
    assert_int_equal(v->kind, SHUF_UNDECIDED);
    assert_non_null(strstr(v->reason, "an upper bound is too close"));
    shuf_verdict_clear(v);
    /* a rate of 1 is no sampling */
    assert_int_equal(verdict_of(LDP("log(3)"), "1", SUBSAMPLE("1"), RDP("2", "log(2.33333)")), SHUF_REFUTED_CLAIM);
    assert_int_equal(verdict_of(LDP("1"), "10", SUBSAMPLE("10/10"), DP("0.25", "0.01")), SHUF_REFUTED_CLAIM);
    /* the reason */
    audit(v, LDP("log(3)"), "2", half, RDP("2", "log(1.6666)"));
    assert_int_equal(v->lowers, 0);
    assert_non_null(strstr(v->reason, "no lower bound for the divergence of subsampled"));
    shuf_verdict_clear(v);
}

/* ---- against products of tables ---- */

#define ORACLE_PREC 128

/* law := rounds independent outcomes of base. */
static void power(oracle_law_t law, const oracle_law_t base, int rounds)
{
    oracle_law_t next;
    int i;
    oracle_law_product(law, base, base, ORACLE_PREC);
    for (i = 2; i < rounds; i++)
    {
        oracle_law_product(next, law, base, ORACLE_PREC);
        oracle_law_clear(law);
        *law = *next;
    }
}

/* The larger of both directions at exp(eps). */
static void larger(arb_t r, const oracle_law_t law, const char *eps)
{
    arb_t qp, alpha;
    shuf_real_t x;
    arb_init(qp);
    arb_init(alpha);
    shuf_real_init(x);
    shuf_real_set_str(x, eps);
    shuf_real_exp(alpha, x, ORACLE_PREC);
    oracle_hockey(r, qp, law, alpha, ORACLE_PREC);
    arb_max(r, r, qp, ORACLE_PREC);
    arb_clear(qp);
    arb_clear(alpha);
    shuf_real_clear(x);
}

/* The laws of a sample that has the replaced record with probability m/n: Q := m/n Q + (1 - m/n) P. */
static void replace_record(oracle_law_t law, slong m, slong n)
{
    slong i;
    arb_t t;
    arb_init(t);
    for (i = 0; i < law->cells; i++)
    {
        arb_mul_si(law->q + i, law->q + i, m, ORACLE_PREC);
        arb_mul_si(t, law->p + i, n - m, ORACLE_PREC);
        arb_add(law->q + i, law->q + i, t, ORACLE_PREC);
        arb_div_si(law->q + i, law->q + i, n, ORACLE_PREC);
    }
    arb_clear(t);
}

/*
 * Claims near the truth of a concrete mechanism, on either side: above it never
 * refuted, below it never certified, and 10% below it refuted.
 */
static void check_claims(const char *mechanism, const char *n, const char *members, const char *eps, const arb_t truth)
{
    static const double factor[] = { 0.9, 0.999999, 1.000001, 1.1 };
    double t = arf_get_d(arb_midref(truth), ARF_RND_NEAR);
    char point[128];
    int i;
    for (i = 0; i < 4; i++)
    {
        shuf_verdict_kind kind;
        snprintf(point, sizeof(point), "\"eps\":\"%s\",\"delta\":\"%.17g\"", eps, t * factor[i]);
        kind = verdict_of(mechanism, n, members, point);
        assert_true(kind != (i < 2 ? SHUF_CERTIFIED : SHUF_REFUTED_CLAIM));
        assert_true(i > 0 || kind == SHUF_REFUTED_CLAIM);
    }
}

static void test_product_oracle(void **state)
{
    char mechanism[80], users[8], members[64], eps[16];
    oracle_law_t base, law;
    oracle_others_t others;
    arb_t E, truth, one;
    int i;
    (void) state;
    budget.max_seconds = QUICK_SECONDS;
    arb_init(E);
    arb_init(one);
    arb_init(truth);
    for (i = 0; i < 4; i++)
    {
        slong k = 2 + (slong) random_below(2), n = 2 + (slong) random_below(3), m = i % 2 ? n : n - 1;
        int rounds = 2 + (int) random_below(2), tenths = 15 + (int) random_below(30);
        snprintf(mechanism, sizeof(mechanism), "{\"type\":\"krr\",\"k\":%d,\"eps0\":\"log(%d/10)\"}", (int) k, tenths);
        snprintf(users, sizeof(users), "%d", (int) n);
        snprintf(members, sizeof(members), ",\"rounds\":%d,\"subsample\":\"%d/%d\"", rounds, (int) m, (int) n);
        snprintf(eps, sizeof(eps), "0.%d", 1 + (int) random_below(4));
        arb_set_si(E, tenths);
        arb_div_si(E, E, 10, ORACLE_PREC);
        arb_zero(truth);
        for (others = ORACLE_OTHERS_SAME; others <= (m == n && k == 3 ? ORACLE_OTHERS_THIRD : ORACLE_OTHERS_SAME); others++)
        {
            oracle_law_krr(base, m, k, E, others, ORACLE_PREC);
            if (m < n)
                replace_record(base, m, n);
            power(law, base, rounds);
            larger(one, law, eps);
            arb_max(truth, truth, one, ORACLE_PREC);
            oracle_law_clear(base);
            oracle_law_clear(law);
        }
        check_claims(mechanism, users, members, eps, truth);
    }
    arb_clear(E);
    arb_clear(one);
    arb_clear(truth);
}

#define PART(m, n, rest) "{\"mechanism\":" m ",\"n\":" n rest "}"

static void test_composition(void **state)
{
    const char *text = "[" PART(LDP("log(3)"), "1", ",\"rounds\":2,\"id\":\"a\"") "," PART(RR2("log(3)"), "\"1e0\"", "") "]";
    const char *sampled = "[" PART(LDP("log(3)"), "2", SUBSAMPLE("1/2")) "," PART(KRR("100", "1"), "1000", "") "]";
    shuf_composition_t c;
    shuf_renyi_curve curve;
    shuf_enclosure_t r, weak;
    shuf_real_t order, expected;
    shuf_pair_t pair;
    arf_t x;
    char error[256];
    (void) state;
    budget.max_seconds = 4;
    shuf_enclosure_init(r);
    shuf_enclosure_init(weak);
    shuf_real_init(order);
    shuf_real_init(expected);
    shuf_pair_init(pair);
    arf_init(x);
    shuf_real_set_str(order, "2");

    /* 2 log(7/3) + log(7/3) */
    assert_int_equal(shuf_composition_parse(c, text, strlen(text), error, sizeof(error)), 0);
    assert_int_equal(c->count, 2);
    assert_int_equal(c->mechanisms[0].rounds, 2);
    shuf_composition_curve(&curve, c);
    assert_int_equal(curve.integer_orders, 0);
    assert_int_equal(curve.evaluate(r, &curve, order, &budget), SHUF_OK);
    shuf_real_set_str(expected, "log(343/27)");
    assert_true(shuf_real_cmp_arf(expected, r->lo) >= 0 && shuf_real_cmp_arf(expected, r->hi) <= 0);
    shuf_composition_clear(c);

    /* log(5/3) and the smaller curve of k-RR, krr-weak */
    assert_int_equal(shuf_composition_parse(c, sampled, strlen(sampled), error, sizeof(error)), 0);
    shuf_composition_curve(&curve, c);
    assert_int_equal(curve.integer_orders, 1);
    assert_int_equal(curve.evaluate(r, &curve, order, &budget), SHUF_OK);
    shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_WEAK, 1000, 100, c->mechanisms[1].gamma);
    shuf_renyi_divergence(weak, pair, order, SHUF_DIRECTION_BOTH, &budget);
    arf_sub(x, r->hi, weak->hi, 64, ARF_RND_NEAR);
    assert_true(arf_cmp_d(x, 0.510825623) > 0 && arf_cmp_d(x, 0.510825624) < 0);
    shuf_real_set_str(order, "2.5");
    assert_int_equal(curve.evaluate(r, &curve, order, &budget), SHUF_DOMAIN);
    shuf_composition_clear(c);

    assert_int_equal(shuf_composition_load(c, "/nonexistent/file", error, sizeof(error)), -1);
    assert_non_null(strstr(error, "cannot open"));
    shuf_composition_clear(c);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(weak);
    shuf_real_clear(order);
    shuf_real_clear(expected);
    shuf_pair_clear(pair);
    arf_clear(x);
}

static void parse_composition(shuf_composition_t c, const char *text)
{
    char error[256];
    assert_int_equal(shuf_composition_parse(c, text, strlen(text), error, sizeof(error)), 0);
}

/* Whether r encloses the truth, to three digits at least. */
static void assert_tight(const shuf_enclosure_t r, const arb_t truth)
{
    arb_t t;
    arb_init(t);
    shuf_enclosure_get_arb(t, r, ORACLE_PREC);
    assert_true(arb_overlaps(t, truth));
    assert_true(shuf_enclosure_accurate(r, 3));
    arb_clear(t);
}

static void test_composition_profile(void **state)
{
    const char *mixed = "[" PART(LDP("log(3)"), "2", ",\"rounds\":2") "," PART(RR2("log(2)"), "3", "") "]";
    const char *krr = "[" PART(KRR("3", "log(2)"), "3", ",\"rounds\":2") "]";
    const char *sampled = "[" PART(LDP("log(3)"), "2", SUBSAMPLE("1/2") ",\"rounds\":3") "]";
    const char *broad = "[" PART(RAPPOR("600000"), "10", "") "]", *doubled = "[" PART(RAPPOR("log(3)"), "1", "") "]";
    shuf_pld_options options = SHUF_PLD_OPTIONS_DEFAULT;
    oracle_law_t x, y, xx, law, weak, weaks;
    fmpq_t gamma;
    shuf_composition_t c;
    shuf_enclosure_t r, e;
    shuf_real_t eps, delta;
    arb_t E, truth;
    (void) state;
    options.budget.digits = 4;
    options.budget.max_seconds = 1;
    fmpq_init(gamma);
    shuf_enclosure_init(r);
    shuf_enclosure_init(e);
    shuf_real_init(eps);
    shuf_real_init(delta);
    arb_init(E);
    arb_init(truth);

    /* different mechanisms and numbers of users and rounds */
    shuf_real_set_str(eps, "0.3");
    arb_set_si(E, 3);
    oracle_law_clones_stronger(x, 2, E, ORACLE_PREC);
    arb_set_si(E, 2);
    oracle_law_clones_stronger(y, 3, E, ORACLE_PREC);
    power(xx, x, 2);
    oracle_law_product(law, xx, y, ORACLE_PREC);
    larger(truth, law, "0.3");
    parse_composition(c, mixed);
    shuf_composition_delta(r, c, eps, &options);
    assert_tight(r, truth);
    /* and back: eps(delta) at both ends of delta brackets eps */
    shuf_real_set_arf(delta, r->hi);
    shuf_composition_epsilon(e, c, delta, &options);
    assert_true(arf_cmp_d(e->lo, 0.3) <= 0 && arf_cmp_d(e->hi, 0.299) >= 0);
    shuf_real_set_arf(delta, r->lo);
    shuf_composition_epsilon(e, c, delta, &options);
    assert_true(arf_cmp_d(e->hi, 0.3) >= 0 && arf_cmp_d(e->lo, 0.301) <= 0);
    shuf_composition_clear(c);

    /* k-RR goes by krr-weak, gamma = 3/4 */
    fmpq_set_si(gamma, 3, 4);
    oracle_law_krr_weak(weak, 3, 3, gamma);
    power(weaks, weak, 2);
    larger(truth, weaks, "0.3");
    parse_composition(c, krr);
    shuf_composition_delta(r, c, eps, &options);
    assert_tight(r, truth);
    shuf_composition_clear(c);

    /* sampled: losses log 2, 0, -log 2 with probabilities 1/2, 1/4, 1/4; three times: 1/8 - e^eps/64 */
    parse_composition(c, sampled);
    shuf_real_set_str(eps, "1.5");
    shuf_composition_delta(r, c, eps, &options);
    assert_true(arf_cmp_d(r->lo, 0.0549736) < 0 && arf_cmp_d(r->hi, 0.0549736) > 0);
    assert_true(shuf_enclosure_accurate(r, 2));
    shuf_composition_clear(c);

    /* RAPPOR: 2 eps0, which may be too large for any pair */
    parse_composition(c, doubled);
    shuf_real_set_str(eps, "log(3)");
    shuf_composition_delta(r, c, eps, &options);
    arb_set_d(truth, 0.6); /* (9 - 3)/10 */
    assert_tight(r, truth);
    shuf_composition_clear(c);
    parse_composition(c, broad);
    assert_int_equal(shuf_composition_delta(r, c, eps, &options), SHUF_DOMAIN);
    assert_true(arf_is_zero(r->lo) && arf_is_one(r->hi));
    shuf_real_set_str(delta, "0.1");
    assert_int_equal(shuf_composition_epsilon(r, c, delta, &options), SHUF_DOMAIN);
    assert_true(arf_is_zero(r->lo) && arf_is_pos_inf(r->hi));
    shuf_composition_clear(c);

    oracle_law_clear(x);
    oracle_law_clear(y);
    oracle_law_clear(xx);
    oracle_law_clear(weak);
    oracle_law_clear(weaks);
    fmpq_clear(gamma);
    oracle_law_clear(law);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(e);
    shuf_real_clear(eps);
    shuf_real_clear(delta);
    arb_clear(E);
    arb_clear(truth);
}

/* The page has a plot and what was claimed, and no number that is none. */
static void test_report(void **state)
{
    static const char *const members[] = { "", ROUNDS("3"), SUBSAMPLE("1/2"), SUBSAMPLE("1/2") ROUNDS("3"), ROUNDS("3"), "" };
    static const char *const points[] = { RDP("2", "0.1"), RDP("1.01", "0"), RDP("1e18", "0.3"), DP("1", "1e-5"), DP("0", "0"), DP("0.1", "0.1") };
    static char page[1 << 16];
    size_t i, length;
    (void) state;
    budget.max_seconds = QUICK_SECONDS;
    for (i = 0; i < sizeof(points) / sizeof(points[0]); i++)
    {
        char text[512], error[256];
        shuf_claim_list list;
        shuf_verdict_t v;
        FILE *out = tmpfile();
        assert_non_null(out);
        snprintf(text, sizeof(text), "{\"id\":\"a<b\",\"mechanism\":%s,\"n\":10%s,\"claim\":{%s}}", LDP("1"), members[i], points[i]);
        assert_int_equal(shuf_claims_parse(&list, text, strlen(text), error, sizeof(error)), 0);
        shuf_claim_audit(v, &list.items[0], &budget);
        assert_int_equal(shuf_report_html(out, list.items, v, 1), 0);
        rewind(out);
        length = fread(page, 1, sizeof(page) - 1, out);
        page[length] = '\0';
        fclose(out);
        assert_non_null(strstr(page, "a&lt;b"));
        assert_non_null(strstr(page, "<svg"));
        assert_non_null(strstr(page, "class=\"claim\""));
        assert_non_null(strstr(page, list.items[0].kind == SHUF_CLAIM_RENYI ? ")-RDP" : ")-DP"));
        assert_null(strstr(page, "nan"));
        assert_null(strstr(page, "inf,"));
        assert_null(strstr(page, "\"inf"));
        shuf_verdict_clear(v);
        shuf_claims_clear(&list);
    }
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

/* A text that must be refused, and a part of the message. */
typedef struct
{
    const char *text, *message;
} bad_text;

#define HEAD "{\"id\":\"a\",\"mechanism\":" LDP("1") ",\"n\":\"10\""
#define POINT ",\"claim\":{" DP("1", "0") "}"

static void test_bad_claims(void **state)
{
    static const bad_text bad[] = {
        { "", "not JSON" }, { "{", "not JSON" }, { "null", "not JSON" }, { "3", "not JSON" }, { "\"x\"", "not JSON" },
        { "[1]", "object" }, { "{}", "needs an \"id\"" }, { "{\"id\":\"\"}", "needs an \"id\"" },
        { "{\"id\":\"a\"}", "\"mechanism\"" }, { "{\"id\":\"a\n\"}", "not JSON" }, { "{\"id\":\"a\\n\"}", "claim \"a?\"" },
        { "{\"id\":\"a\",\"mechanism\":{\"type\":\"zzz\"},\"n\":\"1\"" POINT "}", "unknown mechanism type \"zzz\"" },
        { "{\"id\":\"a\",\"mechanism\":{\"type\":\"ldp\",\"eps0\":1,\"k\":2},\"n\":\"1\"" POINT "}", "unknown member \"k\"" },
        { "{\"id\":\"a\",\"mechanism\":" LDP("-1") ",\"n\":\"1\"" POINT "}", "\"eps0\" must be between" },
        { "{\"id\":\"a\",\"mechanism\":" LDP("1") ",\"n\":\"0\"" POINT "}", "\"n\" must be a whole number" },
        { "{\"id\":\"a\",\"mechanism\":" LDP("1") ",\"n\":1.5" POINT "}", "\"n\" must be a whole number" },
        { "{\"id\":\"a\",\"mechanism\":" KRR("1", "1") ",\"n\":\"10\"" POINT "}", "\"k\" must be at least 2" },
        { "{\"id\":\"a\",\"mechanism\":" KRRG("3", "1.1") ",\"n\":\"10\"" POINT "}", "\"gamma\" must be" },
        { "{\"id\":\"a\",\"id\":\"b\",\"mechanism\":" LDP("1") ",\"n\":\"10\"" POINT "}", "duplicate" },
        { HEAD "}", "\"claim\" must be an object" },
        { HEAD ",\"extra\":1" POINT "}", "unknown member \"extra\"" },
        { HEAD ",\"neighbours\":\"add\"" POINT "}", "\"neighbours\"" },
        { HEAD ",\"source\":1" POINT "}", "\"source\" must be a string" },
        { HEAD ",\"rounds\":0" POINT "}", "\"rounds\" must be a whole number" },
        { HEAD ",\"rounds\":1000000001" POINT "}", "\"rounds\" must be a whole number" },
        { HEAD ",\"claim\":{\"eps\":0.1,\"delta\":\"0\"}}", "\"eps\" must be a number written as a string" },
        { HEAD ",\"claim\":{" DP("-1", "0") "}}", "\"eps\" must be between" },
        { HEAD ",\"claim\":{" DP("1", "2") "}}", "\"delta\" must be between" },
        { HEAD ",\"claim\":{" DP("1", "0") ",\"x\":1}}", "unknown member \"x\"" },
        { HEAD ",\"claim\":{" DP("1", "0") "," RDP("2", "1") "}}", "either" },
        { HEAD ",\"claim\":{\"order\":\"2\",\"eps\":\"1\"}}", "either" },
        { HEAD ",\"claim\":{\"order\":\"2\"}}", "\"renyi\"" },
        { HEAD ",\"claim\":{\"renyi\":\"2\"}}", "\"order\"" },
        { HEAD ",\"claim\":{" RDP("1", "1") "}}", "\"order\" must be above 1" },
        { HEAD ",\"claim\":{" RDP("1000000000000000001", "1") "}}", "\"order\" must be above 1" },
        { HEAD ",\"claim\":{" RDP("2", "-1e-9") "}}", "\"renyi\" must be at least 0" },
        { HEAD SUBSAMPLE("0") POINT "}", "\"subsample\" must be a rational" },
        { HEAD SUBSAMPLE("1.1") POINT "}", "\"subsample\" must be a rational" },
        { HEAD SUBSAMPLE("log(2)") POINT "}", "\"subsample\" must be a rational" },
        { HEAD ",\"subsample\":0.5" POINT "}", "\"subsample\" must be a number written as a string" },
        { HEAD SUBSAMPLE("1/3") POINT "}", "whole number of users" },
        { HEAD SUBSAMPLE("1/20") POINT "}", "whole number of users" },
    };
    static const bad_text bad_compositions[] = {
        { "", "not JSON" }, { "[]", "at least one" }, { "{}", "array" }, { "3", "not JSON" }, { "[3]", "mechanism 1: must be" },
        { "[" PART(LDP("1"), "10", "") "," PART(LDP("1"), "10", ",\"zzz\":1") "]", "mechanism 2: unknown member \"zzz\"" },
        { "[" PART(LDP("1"), "10", POINT) "]", "unknown member \"claim\"" },
        { "[" PART(LDP("1"), "10", ",\"id\":3") "]", "\"id\" must be a string" },
        { "[" PART(LDP("1"), "10", ",\"rounds\":-1") "]", "\"rounds\"" },
        { "[" PART(LDP("1"), "10", SUBSAMPLE("1/3")) "]", "whole number of users" },
        { "[" PART(LDP("x"), "10", "") "]", "\"eps0\" is \"x\"" },
        { "[" PART(LDP("1"), "10", ",\"n\":11") "]", "duplicate" },
    };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
    {
        char error[256] = "";
        shuf_claim_list list;
        assert_int_equal(shuf_claims_parse(&list, bad[i].text, strlen(bad[i].text), error, sizeof(error)), -1);
        assert_int_equal(list.count, 0);
        if (strstr(error, bad[i].message) == NULL || strchr(error, '\n') != NULL)
            fail_msg("%s: %s", bad[i].text, error);
    }
    for (i = 0; i < sizeof(bad_compositions) / sizeof(bad_compositions[0]); i++)
    {
        const char *text = bad_compositions[i].text;
        char error[256] = "";
        shuf_composition_t c;
        assert_int_equal(shuf_composition_parse(c, text, strlen(text), error, sizeof(error)), -1);
        assert_int_equal(c->count, 0);
        if (strstr(error, bad_compositions[i].message) == NULL || strchr(error, '\n') != NULL)
            fail_msg("%s: %s", text, error);
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

/* Whether the rounds have eps(delta) <= eps (-1), > eps (1), or either (0). */
static int compare_rounds(const shuf_pair_t pair, uint64_t rounds, const shuf_real_t eps, const shuf_real_t delta)
{
    shuf_pld_options options = SHUF_PLD_OPTIONS_DEFAULT;
    shuf_profile profile;
    shuf_pld_part part;
    shuf_enclosure_t r;
    int sign;
    shuf_enclosure_init(r);
    shuf_profile_pair(&profile, pair);
    part.profile = &profile;
    part.rounds = rounds;
    shuf_pld_epsilon(r, &part, 1, delta, SHUF_DIRECTION_BOTH, &options);
    sign = shuf_real_cmp_arf(eps, r->hi) >= 0 ? -1 : shuf_real_cmp_arf(eps, r->lo) < 0;
    shuf_enclosure_clear(r);
    return sign;
}

static int count_lines(void *data, const char *line)
{
    int *lines = data;
    return line[0] != '\0' && ++*lines > 1000;
}

static void test_calibrate_rounds(void **state)
{
    shuf_pld_options options = SHUF_PLD_OPTIONS_DEFAULT;
    shuf_enclosure_t r, last;
    shuf_real_t eps0, eps, delta;
    shuf_pair_t pair;
    fmpq_t rate;
    uint64_t rounds;
    int lines = 0;
    (void) state;
    options.budget.digits = 3;
    options.budget.max_seconds = 30;
    options.progress = count_lines;
    options.progress_data = &lines;
    shuf_enclosure_init(r);
    shuf_enclosure_init(last);
    shuf_real_init(eps0);
    shuf_real_init(eps);
    shuf_real_init(delta);
    shuf_pair_init(pair);
    fmpq_init(rate);
    fmpq_one(rate);
    shuf_real_set_str(eps, "0.5");
    shuf_real_set_str(delta, "1e-6");

    /* eps0: certified at lo, not at hi; more rounds allow less */
    arf_pos_inf(last->lo);
    for (rounds = 2; rounds <= 8; rounds *= 4)
    {
        shuf_real_set_str(eps0, "1");
        shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, 1000, eps0);
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
    assert_true(lines > 0);
    /* the same users sampled from more allow more */
    fmpq_set_si(rate, 1, 2);
    assert_int_equal(shuf_calibrate_rounds(r, pair, 8, rate, SHUF_SOLVE_EPS0, eps, delta, &options), SHUF_OK);
    assert_true(arf_cmp(r->lo, last->hi) > 0);
    /* pure: two rounds of log(1 + (e^x - 1)/2) = log 2 */
    shuf_real_set_str(eps, "log(4)");
    shuf_real_set_str(delta, "0");
    assert_int_equal(shuf_calibrate_rounds(r, pair, 2, rate, SHUF_SOLVE_EPS0, eps, delta, &options), SHUF_OK);
    assert_true(arf_cmp_d(r->lo, 1.0986122886) > 0 && arf_cmp_d(r->lo, 1.0986122887) < 0 && arf_cmp_d(r->hi, 1.12) < 0);

    /* n */
    fmpq_one(rate);
    shuf_real_set_str(eps0, "1");
    shuf_real_set_str(eps, "0.5");
    shuf_real_set_str(delta, "1e-5");
    options.budget.max_seconds = 5;
    shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, 1, eps0);
    assert_int_equal(shuf_calibrate_rounds(r, pair, 4, rate, SHUF_SOLVE_N, eps, delta, &options), SHUF_OK);
    pair->n = (uint64_t) arf_get_si(r->hi, ARF_RND_CEIL);
    assert_int_equal(compare_rounds(pair, 4, eps, delta), -1);
    pair->n = (uint64_t) arf_get_si(r->lo, ARF_RND_FLOOR);
    assert_int_equal(compare_rounds(pair, 4, eps, delta), 1);
    /* pure: any n or none */
    shuf_real_set_str(delta, "0");
    shuf_real_set_str(eps, "4");
    assert_int_equal(shuf_calibrate_rounds(r, pair, 4, rate, SHUF_SOLVE_N, eps, delta, &options), SHUF_OK);
    assert_true(arf_is_one(r->hi));
    shuf_real_set_str(eps, "3.9");
    assert_int_equal(shuf_calibrate_rounds(r, pair, 4, rate, SHUF_SOLVE_N, eps, delta, &options), SHUF_DOMAIN);
    fmpq_zero(rate);
    assert_int_equal(shuf_calibrate_rounds(r, pair, 4, rate, SHUF_SOLVE_N, eps, delta, &options), SHUF_DOMAIN);
    fmpq_one(rate);
    /* stopped at once */
    lines = 2000;
    shuf_real_set_str(delta, "1e-6");
    assert_int_equal(shuf_calibrate_rounds(r, pair, 4, rate, SHUF_SOLVE_EPS0, eps, delta, &options), SHUF_ACCURACY);
    assert_true(lines < 2010);

    shuf_enclosure_clear(r);
    shuf_enclosure_clear(last);
    shuf_real_clear(eps0);
    shuf_real_clear(eps);
    shuf_real_clear(delta);
    shuf_pair_clear(pair);
    fmpq_clear(rate);
}

/* ---- the sum of RAPPOR vectors, entry by entry ---- */

#define SUM_USERS 4

/* law[c] := the probability that `ones` users with bit 1 and the others with bit 0 report c ones, flipping with probability f */
static void count_law(double law[SUM_USERS + 1], int ones, double f)
{
    int user, c;
    memset(law, 0, (SUM_USERS + 1) * sizeof(double));
    law[0] = 1;
    for (user = 0; user < SUM_USERS; user++)
        for (c = SUM_USERS; c >= 0; c--)
        {
            double p = user < ones ? 1 - f : f;
            law[c] = law[c] * (1 - p) + (c > 0 ? law[c - 1] * p : 0);
        }
}

/* a other users hold x, b hold x1: entries x and x1 of the sum, with user 1 holding x, or x1. */
static double sum_delta(int a, int b, double f, double alpha)
{
    double px[SUM_USERS + 1], qx[SUM_USERS + 1], py[SUM_USERS + 1], qy[SUM_USERS + 1], delta = 0;
    int c, d;
    count_law(px, a + 1, f);
    count_law(qx, a, f);
    count_law(py, b, f);
    count_law(qy, b + 1, f);
    for (c = 0; c <= SUM_USERS; c++)
        for (d = 0; d <= SUM_USERS; d++)
            delta += fmax(px[c] * py[d] - alpha * qx[c] * qy[d], 0);
    return delta;
}

static void test_rappor_sum(void **state)
{
    static const double eps0[] = { 0.5, 1, 2, 4 }, eps[] = { 0, 0.25, 0.5, 1, 2 };
    size_t i, j;
    (void) state;
    budget.max_seconds = 4;
    for (i = 0; i < 4; i++)
        for (j = 0; j < 5; j++)
        {
            char mechanism[80], point[80];
            shuf_verdict_t v;
            double truth = 0, f = 1 / (exp(eps0[i]) + 1);
            int a, b;
            for (a = 0; a < SUM_USERS; a++)
                for (b = 0; a + b < SUM_USERS; b++)
                    truth = fmax(truth, sum_delta(a, b, f, exp(eps[j])));
            snprintf(mechanism, sizeof(mechanism), "{\"type\":\"rappor-sum\",\"eps0\":\"%g\"}", eps0[i]);
            /* a claim that is just false must not be certified */
            snprintf(point, sizeof(point), "\"eps\":\"%g\",\"delta\":\"%.17g\"", eps[j], truth * (1 - 1e-9));
            budget.max_seconds = QUICK_SECONDS;
            audit(v, mechanism, "4", "", point);
            assert_true(truth < 1e-12 || v->kind != SHUF_CERTIFIED);
            assert_string_equal(v->upper[0].theorem, "rappor-sum");
            assert_true(arf_cmp_d(v->upper[0].delta->hi, truth - 1e-12) >= 0);
            /* one bit of it is all that the lower bound has */
            assert_true(arf_cmp_d(v->lower[0].delta->lo, truth + 1e-12) <= 0);
            shuf_verdict_clear(v);
        }
    budget.max_seconds = 4;
    /* the largest loss of two bits */
    assert_int_equal(verdict("{\"type\":\"rappor-sum\",\"eps0\":\"1\"}", "100", "2", "0"), SHUF_CERTIFIED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rappor_sum),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_renyi),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_subsample),
        cmocka_unit_test(test_product_oracle),
        cmocka_unit_test(test_composition),
        cmocka_unit_test(test_composition_profile),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_open_comparison),
        cmocka_unit_test(test_bad_claims),
        cmocka_unit_test(test_calibrate),
        cmocka_unit_test(test_calibrate_rounds),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
