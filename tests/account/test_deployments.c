/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Who is counted, and how often: honest users, at least so many users; several reports of each, a local delta0, a local Renyi divergence, deletion-LDP. The theorems are attacked by
 * attack_deployments.py; here: that the answer is the one that they say.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "asked.h"
#include "random.h"

#define EPSILON "\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-6\"}"
#define DELTA "\"ask\":{\"quantity\":\"delta\",\"eps\":\"0.3\"}"

/* ---- the same as another question ---- */

static void assert_same_bound(const shuf_answer_bound *x, const shuf_answer_bound *y)
{
    assert_int_equal(x != NULL, y != NULL);
    if (x == NULL)
        return;
    assert_true(arf_equal(x->value->lo, y->value->lo) && arf_equal(x->value->hi, y->value->hi));
}

/* The question with members has the same ends as the one with so many users, and names the theorems. */
static void same(const char *mechanism, const char *members, const char *users, const char *rest, const char *id)
{
    asked x, y;
    ask(&x, "{\"mechanism\":%s,%s,%s}", mechanism, members, rest);
    ask(&y, "{\"mechanism\":%s,\"users\":\"%s\",%s}", mechanism, users, rest);
    assert_same_bound(x.answer->upper, y.answer->upper);
    assert_same_bound(x.answer->lower, y.answer->lower);
    assert_same_bound(x.answer->value, y.answer->value);
    if (x.answer->upper != NULL)
        assert_true(has_theorem(x.answer->upper, id));
    if (x.answer->lower != NULL)
        assert_true(has_theorem(x.answer->lower, id));
    if (x.answer->value != NULL)
        assert_true(has_theorem(x.answer->value, id));
    asked_clear(&x);
    asked_clear(&y);
}

static void test_honest(void **state)
{
    (void) state;
    skip_unless_drawn(5);
    /* 9/10 of 1005 is 904.5: rounded down */
    same(LDP("2"), "\"users\":1005,\"honest\":\"9/10\"", "904", EPSILON, "honest-users");
    same(LDP("2"), "\"users\":1005,\"honest\":904", "904", DELTA, "honest-users");
    same(KRR("4", "1"), "\"users\":1000,\"honest\":\"1/2\"", "500", DELTA, "honest-users");
    same("{\"type\":\"subset-selection\",\"k\":6,\"size\":2,\"eps0\":1}", "\"users\":200,\"honest\":\"0.25\"", "50", DELTA, "honest-users");
    same(LDP("2"), "\"users\":1000,\"honest\":1", "1", DELTA, "honest-users");
    same(LDP("2"), "\"users\":1000,\"honest\":1000", "1000", DELTA, "honest-users");
    same(RAPPOR("1"), "\"users\":1000,\"honest\":900,\"release\":\"sum\"", "900\",\"release\":\"sum", DELTA ",\"digits\":3", "honest-users");
    same(LDP("1"), "\"users\":1000,\"honest\":900,\"rounds\":3", "900\",\"rounds\":\"3", DELTA ",\"digits\":3", "honest-users");
    same(LDP("1"), "\"users\":1000,\"honest\":900", "900", "\"ask\":{\"quantity\":\"renyi\",\"order\":\"4\"}", "honest-users");
    same("{\"type\":\"ldp\"}", "\"users\":1000,\"honest\":900", "900", "\"ask\":{\"quantity\":\"eps0\",\"eps\":\"1/2\",\"delta\":\"1e-6\"}", "honest-users");
    same("{\"type\":\"krr\",\"k\":4}", "\"users\":100,\"honest\":90", "90",
         "\"ask\":{\"quantity\":\"eps0\",\"eps\":\"1/2\",\"delta\":\"1e-6\"},\"digits\":2", "honest-users");
}

static void test_at_least(void **state)
{
    (void) state;
    same(LDP("2"), "\"users\":{\"at_least\":1000}", "1000", EPSILON, "users-at-least");
    same(KRR("3", "2"), "\"users\":{\"at_least\":\"1e3\"}", "1000", DELTA, "users-at-least");
    same(LDP("2"), "\"users\":{\"at_least\":1000},\"honest\":\"1/2\"", "500", DELTA, "users-at-least");
    same(LDP("2"), "\"users\":{\"at_least\":1000},\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/10\"}",
         "1000\",\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/10\"},\"note\":\"", DELTA, "users-at-least");
}

/* Nobody has proved that the worst data of a sample of bits are worse with fewer users. */
static void test_at_least_sampled_bits(void **state)
{
    static const char *const users[] = { "\"6\"", "{\"at_least\":\"6\"}" };
    char text[400];
    int i;
    (void) state;
    for (i = 0; i < 4; i++)
    {
        asked x;
        snprintf(text, sizeof(text), "{\"mechanism\":" KRR("2", "1") ",\"users\":%s,\"rounds\":%d,\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/2\"}," DELTA
                 ",\"digits\":2}", users[i % 2], 1 + i / 2);
        ask(&x, text);
        check_answer(&x);
        assert_int_equal(has_theorem(x.answer->upper, "binary-reports-sampled"), i % 2 == 0);
        asked_clear(&x);
    }
}

/* What 1000 users certify, 900 honest ones among them do not. */
static void test_claims(void **state)
{
    asked x;
    (void) state;
    ask(&x, "{\"mechanism\":" LDP("2") ",\"users\":{\"at_least\":\"1000\"},\"claim\":{\"eps\":\"0.4\",\"delta\":\"1e-6\"}}");
    assert_int_equal(x.answer->verdict, SHUF_CERTIFIED);
    asked_clear(&x);
    ask(&x, "{\"mechanism\":" LDP("2") ",\"users\":{\"at_least\":\"1000\"},\"honest\":\"9/10\",\"claim\":{\"eps\":\"0.39\",\"delta\":\"1e-6\"}}");
    assert_int_equal(x.answer->verdict, SHUF_REFUTED_CLAIM);
    asked_clear(&x);
}

/* ---- several reports of a user ---- */

/* At eps the bound is that of one report at eps/r, times a geometric sum; from below it is that of all reports. */
static void test_reports(void **state)
{
    static const char *const mechanisms[] = { LDP("1"), KRR("3", "1"), "{\"type\":\"subset-selection\",\"k\":5,\"size\":2,\"eps0\":1}" };
    asked x, y, below;
    arb_t factor, bound;
    size_t i;
    (void) state;
    arb_init(factor);
    arb_init(bound);
    for (i = 0; i < 3; i++)
    {
        ask(&x, "{\"mechanism\":%s,\"users\":100,\"reports_per_user\":3,\"ask\":{\"quantity\":\"delta\",\"eps\":\"3/10\"}}", mechanisms[i]);
        ask(&y, "{\"mechanism\":%s,\"users\":300,\"ask\":{\"quantity\":\"delta\",\"eps\":\"1/10\"}}", mechanisms[i]);
        ask(&below, "{\"mechanism\":%s,\"users\":300,\"ask\":{\"quantity\":\"delta\",\"eps\":\"3/10\"}}", mechanisms[i]);
        /* 1 + e^(1/10) + e^(2/10) */
        arb_set_str(factor, "3.32657367623557 +/- 1e-13", 128);
        shuf_enclosure_get_arb(bound, y.answer->upper->value, 128);
        arb_mul(bound, bound, factor, 128);
        assert_contains(x.answer->upper->value, bound, "three reports");
        assert_true(has_theorem(x.answer->upper, "group-privacy") && x.answer->upper->note != NULL);
        assert_same_bound(x.answer->lower, below.answer->lower);
        asked_clear(&x);
        asked_clear(&y);
        asked_clear(&below);
    }
    arb_clear(factor);
    arb_clear(bound);
}

/* The eps that is found is right: at it the delta is no larger, a little below it is. */
static void assert_inverse(const char *mechanism, const char *members, const char *delta)
{
    asked x, y;
    double eps, d = atof(delta);
    ask(&x, "{\"mechanism\":%s,%s,\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"%s\"},\"digits\":3}", mechanism, members, delta);
    assert_non_null(x.answer->upper);
    eps = upper(x.answer->upper->value);
    ask(&y, "{\"mechanism\":%s,%s,\"ask\":{\"quantity\":\"delta\",\"eps\":\"%.17g\"}}", mechanism, members, eps * (1 + 1e-12));
    assert_true(upper(y.answer->upper->value) <= d);
    asked_clear(&y);
    ask(&y, "{\"mechanism\":%s,%s,\"ask\":{\"quantity\":\"delta\",\"eps\":\"%.17g\"}}", mechanism, members, eps * (1 - 1e-2));
    assert_true(upper(y.answer->upper->value) > d);
    asked_clear(&y);
    asked_clear(&x);
}

#define DELTA_AT_LOG2 "\"ask\":{\"quantity\":\"delta\",\"eps\":\"log(2)\"}"
#define DELTA0(e, d) "{\"type\":\"ldp\",\"eps0\":\"" e "\",\"delta0\":\"" d "\"}"

static void test_inverses(void **state)
{
    (void) state;
    skip_unless_drawn(4);
    assert_inverse(LDP("1"), "\"users\":1000,\"reports_per_user\":4", "1e-6");
    assert_inverse(DELTA0("2", "1e-12"), "\"users\":1000", "1e-8");
    assert_inverse(DELTA0("1", "1e-13"), "\"users\":200,\"rounds\":2,\"effort\":1000000000", "1e-8");
    assert_inverse(DELTA0("1", "1e-13"), "\"users\":500,\"reports_per_user\":2,\"honest\":400", "1e-8");
}

/* ---- a local delta0 ---- */

static void test_delta0(void **state)
{
    asked x, y;
    double added;
    (void) state;
    /* (1 + 2) (2 n - 1) delta0/E with E = 4 and e^eps = 2, in both rounds */
    ask(&x, "{\"mechanism\":" DELTA0("log(4)", "1e-4") ",\"users\":50,\"rounds\":2,\"ask\":{\"quantity\":\"delta\",\"eps\":\"log(2)\"},\"digits\":4}");
    ask(&y, "{\"mechanism\":" LDP("log(4)") ",\"users\":50,\"rounds\":2,\"ask\":{\"quantity\":\"delta\",\"eps\":\"log(2)\"},\"digits\":4}");
    added = 2 * 3 * 99 * 1e-4 / 4;
    assert_true(upper(x.answer->upper->value) >= lower(y.answer->upper->value) + added * (1 - 1e-9));
    assert_true(lower(x.answer->upper->value) <= upper(y.answer->upper->value) + added * (1 + 1e-9));
    assert_true(has_theorem(x.answer->upper, "clones-delta0") && !has_theorem(x.answer->lower, "clones-delta0"));
    assert_same_bound(x.answer->lower, y.answer->lower);
    asked_clear(&x);
    asked_clear(&y);
    /* none is pure */
    ask(&x, "{\"mechanism\":" DELTA0("1", "0") ",\"users\":50," DELTA "}");
    assert_false(has_theorem(x.answer->upper, "clones-delta0"));
    asked_clear(&x);
    /* so much of it that nothing is known from above */
    ask(&x, "{\"mechanism\":" DELTA0("1", "1/10") ",\"users\":50," EPSILON "}");
    assert_null(x.answer->upper);
    asked_clear(&x);
}

/* Beside a described mechanism, whose profile is prepared first; its bound holds for the two together. */
/* Reports that are seen by themselves: 1 - (1 - d)^T (1 - h), E = 4 and alpha = 2; h is 2/5 of one report and 14/25 of two. */
static void test_delta0_seen(void **state)
{
    static const struct { const char *text; double value; } cases[] = {
        { "{\"mechanism\":" DELTA0("log(4)", "1/10") ",\"users\":1," DELTA_AT_LOG2 "}", 0.46 },
        { "{\"mechanism\":" DELTA0("log(4)", "1/10") ",\"users\":1000000,\"rounds\":2," DELTA_AT_LOG2 "}", 0.6436 },
        { "{\"mechanism\":" DELTA0("log(4)", "1/10") ",\"users\":30,\"reports_per_user\":2," DELTA_AT_LOG2 "}", 0.6436 },
        { "{\"rounds\":[{\"mechanism\":" DELTA0("log(4)", "1/10") ",\"users\":30},{\"mechanism\":" DELTA0("log(4)", "0") ",\"users\":1}]," DELTA_AT_LOG2 "}", 0.604 }
    };
    asked x;
    size_t i;
    (void) state;
    skip_unless_drawn(5);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        ask(&x, cases[i].text);
        assert_true(has_theorem(x.answer->upper, "local-delta0") && !has_theorem(x.answer->upper, "clones-delta0") && !has_theorem(x.answer->upper, "group-privacy"));
        assert_true(lower(x.answer->upper->value) <= cases[i].value * (1 + 1e-12) && upper(x.answer->upper->value) >= cases[i].value * (1 - 1e-12));
        assert_true(upper(x.answer->upper->value) <= cases[i].value * (1 + 1e-5));
        asked_clear(&x);
    }
    /* and an eps, where that of the sum of all users' delta0 has none */
    ask(&x, "{\"mechanism\":" DELTA0("1", "1e-6") ",\"users\":1000,\"rounds\":10,\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-4\"}}");
    assert_true(has_theorem(x.answer->upper, "local-delta0") && upper(x.answer->upper->value) < 10);
    asked_clear(&x);
}

/* ---- a local Renyi divergence ---- */

#define RENYI(order, r) "{\"type\":\"renyi-ldp\",\"order\":\"" order "\",\"renyi\":\"" r "\"}"

/* An output that tells much and is rare: the reports by themselves have nearly the bound. */
static void test_renyi_alone(void **state)
{
    const double a = 16, high = 0.1, low = 1e-3, eps = log(high / low * (1 - 1 / a));
    const double moment = high * pow(high / low, a - 1) + low * pow(low / high, a - 1) + 1 - high - low;
    const double truth = high - low * exp(eps);
    asked x;
    (void) state;
    ask(&x, "{\"mechanism\":{\"type\":\"renyi-ldp\",\"order\":16,\"renyi\":\"%.17g\"},\"users\":1,\"ask\":{\"quantity\":\"delta\",\"eps\":\"%.17g\"}}",
        log(moment) / (a - 1) * (1 + 1e-14), eps);
    assert_true(upper(x.answer->upper->value) >= truth * (1 - 1e-9) && upper(x.answer->upper->value) <= truth * (1 + 1e-3));
    assert_true(has_theorem(x.answer->upper, "local-renyi") && has_theorem(x.answer->upper, "renyi-conversion"));
    asked_clear(&x);
    /* the divergences of all rounds add up: c e^(3 (3 r - eps)), c = (3/4)^4/3 */
    ask(&x, "{\"mechanism\":" RENYI("4", "1/2") ",\"users\":2,\"rounds\":3,\"ask\":{\"quantity\":\"delta\",\"eps\":\"5/2\"}}");
    assert_true(has_theorem(x.answer->upper, "renyi-composition") && fabs(upper(x.answer->upper->value) / (27.0 / 256 * exp(-3)) - 1) < 1e-3);
    asked_clear(&x);
}

/* What the classes around it have, for many eps0: the smallest is the answer, or nearly. */
static double best_class(double a, double r, const char *rest, double from, double to)
{
    const double c = pow(1 - 1 / a, a) / (a - 1);
    double eps0, best = HUGE_VAL;
    asked x;
    for (eps0 = from; eps0 < to; eps0 += 0.05)
    {
        ask_any(&x, "{\"mechanism\":{\"type\":\"ldp\",\"eps0\":\"%.17g\",\"delta0\":\"%.17g\"},%s,\"digits\":3}", eps0, fmin(1, c * exp((a - 1) * (r - eps0))), rest);
        if (x.answer->upper != NULL)
            best = fmin(best, upper(x.answer->upper->value));
        asked_clear(&x);
    }
    return best;
}

static void test_renyi_classes(void **state)
{
    static const struct { double a, r, from, to, slack; const char *rest; } cases[] = {
        { 4, 0.25, 6, 9, 0.02, "\"users\":1000000," EPSILON }, { 32, 1, 1.4, 2.2, 0.01, "\"users\":10000," EPSILON }, { 16, 0.5, 1.5, 3, 0.1, "\"users\":10000," DELTA },
        { 16, 0.25, 0.8, 1.6, 0.02, "\"users\":2000,\"reports_per_user\":2,\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-5\"}" },
        { 32, 0.5, 0.6, 1.2, 0.02, "\"users\":100,\"rounds\":2,\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-3\"}" }
    };
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        const double best = best_class(cases[i].a, cases[i].r, cases[i].rest, cases[i].from, cases[i].to);
        asked x;
        ask(&x, "{\"mechanism\":{\"type\":\"renyi-ldp\",\"order\":\"%g\",\"renyi\":\"%g\"},%s,\"digits\":3}", cases[i].a, cases[i].r, cases[i].rest);
        assert_true(best < HUGE_VAL && upper(x.answer->upper->value) >= best * (1 - cases[i].slack) && upper(x.answer->upper->value) <= best * (1 + cases[i].slack));
        assert_true(has_theorem(x.answer->upper, "local-renyi") && has_theorem(x.answer->upper, "clones-delta0"));
        check_answer(&x);
        asked_clear(&x);
    }
}

/* The binary response that is looked at from below has the divergence, nearly, and no more. */
static void test_renyi_below(void **state)
{
    static const struct { const char *order, *renyi; } cases[] = { { "2", "1/2" }, { "3/2", "0.01" }, { "1.001", "2" }, { "64", "1" }, { "1e6", "0.3" }, { "8", "1e-12" }, { "2", "30" } };
    arb_t e, a, m, t;
    size_t i;
    (void) state;
    arb_init(e); arb_init(a); arb_init(m); arb_init(t);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        const shuf_part_struct *p;
        asked x;
        ask(&x, "{\"mechanism\":{\"type\":\"renyi-ldp\",\"order\":\"%s\",\"renyi\":\"%s\"},\"users\":3,\"ask\":{\"quantity\":\"delta\",\"eps\":\"1/100\"}}", cases[i].order, cases[i].renyi);
        p = &x.question->parts[0];
        /* log((E^a + E^(1-a))/(E+1))/(a-1) */
        shuf_real_exp(e, p->eps0, 2000);
        shuf_real_get_arb(a, p->order, 2000);
        arb_pow(m, e, a, 2000);
        arb_sub_ui(a, a, 1, 2000);
        arb_neg(t, a);
        arb_pow(t, e, t, 2000);
        arb_add(m, m, t, 2000);
        arb_add_ui(e, e, 1, 2000);
        arb_div(m, m, e, 2000);
        arb_log(m, m, 2000);
        arb_div(m, m, a, 2000);
        shuf_real_get_arb(t, p->renyi, 2000);
        assert_true(arb_le(m, t));
        arb_mul_ui(m, m, 1000001, 2000);
        arb_div_ui(m, m, 1000000, 2000);
        assert_true(arb_gt(m, t));
        assert_true(has_theorem(x.answer->lower, "local-renyi-below"));
        check_answer(&x);
        asked_clear(&x);
    }
    arb_clear(e); arb_clear(a); arb_clear(m); arb_clear(t);
}

/* More divergence, or one that is bounded at a smaller order, is no more private. */
static void test_renyi_monotone(void **state)
{
    static const char *const rows[][4] = { { "8", "0.1", "8", "0.3" }, { "8", "0.3", "8", "1" }, { "64", "0.5", "16", "0.5" }, { "8", "0", "8", "1e-6" } };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
    {
        asked x, y;
        ask(&x, "{\"mechanism\":{\"type\":\"renyi-ldp\",\"order\":\"%s\",\"renyi\":\"%s\"},\"users\":5000," EPSILON "}", rows[i][0], rows[i][1]);
        ask(&y, "{\"mechanism\":{\"type\":\"renyi-ldp\",\"order\":\"%s\",\"renyi\":\"%s\"},\"users\":5000," EPSILON "}", rows[i][2], rows[i][3]);
        assert_true(upper(x.answer->upper->value) < upper(y.answer->upper->value) && lower(x.answer->lower->value) < upper(y.answer->lower->value));
        asked_clear(&x);
        asked_clear(&y);
    }
}

/* Beside other mechanisms; a claim; far out. */
static void test_renyi_composed(void **state)
{
    asked x, y;
    (void) state;
    skip_unless_drawn(4);
    ask(&x, "{\"rounds\":[{\"mechanism\":" RENYI("64", "1/2") ",\"users\":100},{\"mechanism\":" LDP("1") ",\"users\":100},{\"mechanism\":" RENYI("32", "1") ",\"users\":50}],"
             "\"digits\":3,\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-3\"}}");
    ask(&y, "{\"rounds\":[{\"mechanism\":" LDP("1/2") ",\"users\":100},{\"mechanism\":" LDP("1") ",\"users\":100},{\"mechanism\":" LDP("1") ",\"users\":50}],"
             "\"digits\":3,\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-3\"}}");
    assert_true(has_theorem(x.answer->upper, "local-renyi") && upper(x.answer->upper->value) > upper(y.answer->upper->value) && upper(x.answer->upper->value) < 2 * upper(y.answer->upper->value));
    check_answer(&x);
    asked_clear(&x);
    asked_clear(&y);
    ask(&x, "{\"mechanism\":" RENYI("8", "1/2") ",\"users\":100000,\"claim\":{\"eps\":\"0.1\",\"delta\":\"1e-6\"}}");
    assert_int_equal(x.answer->verdict, SHUF_CERTIFIED);
    asked_clear(&x);
    ask(&x, "{\"mechanism\":" RENYI("1e18", "1e6") ",\"users\":10,\"ask\":{\"quantity\":\"delta\",\"eps\":\"1e6\"}}");
    assert_true(x.answer->upper != NULL && upper(x.answer->upper->value) <= 1);
    asked_clear(&x);
}

static void test_delta0_and_described(void **state)
{
    asked x, y;
    (void) state;
    skip_unless_drawn(4);
    ask(&x, "{\"rounds\":[{\"mechanism\":{\"type\":\"laplace\",\"scale\":3},\"users\":20},{\"mechanism\":" DELTA0("1", "1e-12") ",\"users\":20}],\"digits\":3," EPSILON "}");
    ask(&y, "{\"rounds\":[{\"mechanism\":{\"type\":\"laplace\",\"scale\":3},\"users\":20},{\"mechanism\":" LDP("1") ",\"users\":20}],\"digits\":3," EPSILON "}");
    assert_true(has_theorem(x.answer->upper, "clones-delta0"));
    assert_true(upper(x.answer->upper->value) >= lower(y.answer->upper->value));
    asked_clear(&x);
    asked_clear(&y);
}

/* Two bits of the sum are two shuffles of half the eps0 each for RAPPOR alone. */
static void test_sum_of_oue(void **state)
{
    asked x;
    size_t i;
    (void) state;
    ask(&x, "{\"mechanism\":{\"type\":\"oue\",\"eps0\":2},\"users\":10,\"release\":\"sum\","
             "\"ask\":{\"quantity\":\"delta\",\"eps\":\"1/4\"},\"effort\":\"3e7\"}");
    assert_true(x.answer->count > 1); /* what is best was not accurate with that work */
    for (i = 0; i < x.answer->count; i++)
        assert_false(has_theorem(&x.answer->tried[i], "rappor-sum"));
    asked_clear(&x);
}

static void assert_refused(const char *text, const char *what)
{
    asked x;
    ask_any(&x, "%s", text);
    assert_int_equal(x.status, SHUF_DOMAIN);
    assert_non_null(strstr(x.answer->error, what));
    asked_clear(&x);
}

static void test_not_loosened(void **state)
{
    (void) state;
    assert_refused("{\"mechanism\":" LDP("1") ",\"users\":50,\"reports_per_user\":2,\"ask\":{\"quantity\":\"renyi\",\"order\":2}}", "reports_per_user");
    assert_refused("{\"mechanism\":" DELTA0("1", "1e-9") ",\"users\":50,\"ask\":{\"quantity\":\"tradeoff\",\"type1\":\"0.1\"}}", "delta0");
    assert_refused("{\"mechanism\":{\"type\":\"ldp\",\"delta0\":\"1e-9\"},\"users\":50,\"ask\":{\"quantity\":\"eps0\",\"eps\":1,\"delta\":\"1e-3\"}}", "delta0");
    assert_refused("{\"mechanism\":" RENYI("8", "1") ",\"users\":50,\"ask\":{\"quantity\":\"renyi\",\"order\":2}}", "renyi-ldp");
    assert_refused("{\"mechanism\":" RENYI("8", "1") ",\"users\":50,\"ask\":{\"quantity\":\"gdp\",\"eps\":[0,1]}}", "renyi-ldp");
    assert_refused("{\"mechanism\":" RENYI("8", "1") ",\"ask\":{\"quantity\":\"users\",\"eps\":1,\"delta\":\"1e-3\"}}", "renyi-ldp");
    assert_refused("{\"mechanism\":" RENYI("8", "1") ",\"users\":50,\"ask\":{\"quantity\":\"delta\",\"eps\":1},\"form\":{\"theorem\":\"feldman21-3.1\"}}", "eps0-LDP");
    assert_refused("{\"mechanism\":" LDP("1") ",\"users\":50,\"rounds\":[{\"reports_per_user\":2},{}]," DELTA "}", "single round");
    assert_refused("{\"mechanism\":" DELTA0("1", "1e-9") ",\"users\":1000,\"ask\":{\"quantity\":\"renyi\",\"order\":2},\"form\":{\"theorem\":\"girgis21-3.1\"}}", "girgis21");
}

/* ---- deletion ---- */

#define DELETE(e) "{\"type\":\"ldp\",\"eps0\":\"" e "\",\"local\":\"delete\"}"

/* The ends are those of the pair from above and of the matrix from below, with e^eps0 = 2, where they are close. */
static void test_deletion(void **state)
{
    static const char rows[] = "{\"type\":\"matrix\",\"rows\":[[\"2/3\",\"1/6\",\"1/6\"],[\"1/6\",\"2/3\",\"1/6\"],[\"1/6\",\"1/6\",\"2/3\"]]}";
    static const char *const users[] = { "1", "7", "1000" };
    asked x, pair, matrix, twice;
    size_t i;
    (void) state;
    for (i = 0; i < 3; i++)
    {
        ask(&x, "{\"mechanism\":" DELETE("log(2)") ",\"users\":\"%s\"," DELTA "}", users[i]);
        ask(&pair, "{\"pair\":{\"type\":\"clones-deletion\",\"eps0\":\"log(2)\"},\"users\":\"%s\"," DELTA "}", users[i]);
        ask(&matrix, "{\"mechanism\":%s,\"users\":\"%s\"," DELTA "}", rows, users[i]);
        ask(&twice, "{\"mechanism\":" LDP("log(4)") ",\"users\":\"%s\"," DELTA "}", users[i]);
        assert_true(overlap(x.answer->upper->value, pair.answer->value->value));
        assert_true(has_theorem(x.answer->upper, "clones-deletion") && has_theorem(x.answer->lower, "deletion-third"));
        /* the matrix has at least what its third-value data have, and what bounds the class bounds it */
        assert_true(arf_cmp(matrix.answer->lower->value->hi, x.answer->lower->value->lo) >= 0);
        assert_true(arf_cmp(matrix.answer->lower->value->lo, x.answer->upper->value->hi) <= 0);
        assert_true(arf_cmp(x.answer->upper->value->hi, twice.answer->upper->value->hi) <= 0);
        assert_true(lower(x.answer->lower->value) > 0.8 * upper(x.answer->upper->value));
        asked_clear(&x);
        asked_clear(&pair);
        asked_clear(&matrix);
        asked_clear(&twice);
    }
}

/* Closed forms are of replacement. */
static void test_uncovered(void **state)
{
    asked x;
    (void) state;
    ask_any(&x, "{\"mechanism\":" DELETE("1") ",\"users\":1000,\"ask\":{\"quantity\":\"renyi\",\"order\":2},\"form\":{\"theorem\":\"girgis21-3.1\"}}");
    assert_int_equal(x.status, SHUF_DOMAIN);
    assert_non_null(strstr(x.answer->error, "replacement"));
    asked_clear(&x);
}

/* What eps0 is certified for one user and delta = 0: half of eps. */
static void test_deletion_search(void **state)
{
    asked x;
    (void) state;
    ask(&x, "{\"mechanism\":{\"type\":\"ldp\",\"local\":\"delete\"},\"users\":1,\"ask\":{\"quantity\":\"eps0\",\"eps\":\"1/2\",\"delta\":\"0\"}}");
    assert_true(upper(x.answer->value->value) < 0.2500001 && lower(x.answer->value->value) <= 0.25);
    asked_clear(&x);
    ask(&x, "{\"pair\":{\"type\":\"clones-deletion\"},\"users\":3,\"rounds\":2,\"ask\":{\"quantity\":\"eps0\",\"eps\":\"1/2\",\"delta\":\"0\"}}");
    assert_true(upper(x.answer->value->value) < 0.13 && lower(x.answer->value->value) <= 0.125);
    asked_clear(&x);
}

/* ---- several mechanisms in one claim ---- */

#define SEVERAL "\"effort\":1000000000,\"users\":500,\"rounds\":[{\"mechanism\":" KRR("4", "1") "},{\"mechanism\":" LDP("1") "},{\"mechanism\":" DELETE("1/2") "}]"

/* Each part is named by its theorem, from above and from below; less than what one part has alone is refuted. */
static void test_several_mechanisms(void **state)
{
    asked x;
    char *text;
    (void) state;
    skip_unless_drawn(5);
    ask(&x, "{" SEVERAL ",\"claim\":{\"eps\":\"1\",\"delta\":\"1e-6\"}}");
    assert_int_equal(x.answer->verdict, SHUF_CERTIFIED);
    assert_true(has_theorem(x.answer->upper, "clones-stronger") && has_theorem(x.answer->upper, "clones-deletion"));
    assert_true(has_theorem(x.answer->upper, "pld-composition"));
    text = answer_text(x.answer);
    assert_non_null(strstr(text, "\"verdict\":\"certified\""));
    assert_non_null(strstr(text, "\"local\":\"delete\""));
    flint_free(text);
    asked_clear(&x);
    ask(&x, "{" SEVERAL ",\"claim\":{\"eps\":\"0.1\",\"delta\":\"1e-6\"}}");
    assert_int_equal(x.answer->verdict, SHUF_REFUTED_CLAIM);
    assert_true(has_theorem(x.answer->lower, "deletion-third"));
    asked_clear(&x);
    /* other users in a part: from above all the same, from below one of them alone */
    ask(&x, "{\"effort\":1000000000,\"mechanism\":" LDP("1") ",\"rounds\":[{\"users\":2000},{\"users\":{\"at_least\":3000},\"honest\":\"1/2\"}],\"claim\":{\"eps\":\"0.3\",\"delta\":\"1e-6\"}}");
    assert_int_equal(x.answer->verdict, SHUF_CERTIFIED);
    assert_true(has_theorem(x.answer->upper, "honest-users") && has_theorem(x.answer->upper, "users-at-least") && lower(x.answer->lower->value) < 0.3);
    asked_clear(&x);
}

/* A group that is given in two parts is one group; of a class the parts may have randomisers that are not alike. */
static void test_groups_in_parts(void **state)
{
#define GROUP(m, n) "{\"mechanism\":" m ",\"users\":" n "}"
#define ASKED(groups) "{\"mechanism\":{\"type\":\"groups\",\"groups\":[" groups "]},\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-6\"}}"
#define KRR4 "{\"type\":\"krr\",\"k\":4,\"eps0\":\"1.5\"}"
#define RR5 "{\"type\":\"rr2\",\"eps0\":\"log(5)\"}"
    asked x, y;
    (void) state;
    ask(&x, ASKED(GROUP(KRR4, "31") "," GROUP(RR5, "4229") "," GROUP(KRR4, "97")));
    ask(&y, ASKED(GROUP(KRR4, "128") "," GROUP(RR5, "4229")));
    assert_same_bound(x.answer->upper, y.answer->upper);
    asked_clear(&x);
    asked_clear(&y);
    ask(&x, ASKED(GROUP(LDP("1.5"), "31") "," GROUP(RR5, "4229") "," GROUP(LDP("1.5"), "97")));
    ask(&y, ASKED(GROUP(LDP("1.5"), "128") "," GROUP(RR5, "4229")));
    assert_true(lower(x.answer->upper->value) > upper(y.answer->upper->value));
    asked_clear(&x);
    asked_clear(&y);
}

/* ---- who says more of a mechanism is told no less ---- */

#define ROUNDS ",\"users\":10000,\"rounds\":30," EPSILON ",\"effort\":"
#define SAMPLED ",\"users\":10000,\"rounds\":5,\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/10\"}," EPSILON ",\"effort\":"
#define RAPPOR16(e) "{\"type\":\"rappor\",\"k\":16,\"eps0\":\"" e "\"}"

/* Digits of a comparison: each has its own conversions to decimals and its own steps. */
#define TOLD 1.00001

/* The upper end of the mechanism is no larger than that of its class, with the same work; with both ends, the lower one no smaller. */
static void told_no_less(const char *mechanism, const char *class, const char *rest, int both)
{
    asked x, y;
    ask(&x, "{\"mechanism\":%s%s}", mechanism, rest);
    ask(&y, "{\"mechanism\":%s%s}", class, rest);
    if (y.answer->upper != NULL && (x.answer->upper == NULL || upper(x.answer->upper->value) > TOLD * upper(y.answer->upper->value)))
        fail_msg("%s: wider than that of %s", x.text, class);
    if (both && y.answer->lower != NULL && (x.answer->lower == NULL || TOLD * lower(x.answer->lower->value) < lower(y.answer->lower->value)))
        fail_msg("%s: lower than that of %s", x.text, class);
    asked_clear(&x);
    asked_clear(&y);
}

/* delta = 0 over rounds: a report that all users may send has the largest ratio, in every round (proofs/described-rounds.md, Lemma 4). */
static void test_pure_rounds(void **state)
{
    asked x;
    int i;
    (void) state;
    for (i = 0; i < 12; i++)
    {
        /* rows a/(a + b), b/(a + b) and c/(c + d), d/(c + d) */
        const uint64_t a = 1 + random_below(9), b = 1 + random_below(9), c = 1 + random_below(9), d = 1 + random_below(9), rounds = 2 + random_below(4);
        const double one = fmax(fabs(log((double) (a * (c + d)) / (double) (c * (a + b)))), fabs(log((double) (b * (c + d)) / (double) (d * (a + b)))));
        const double truth = (double) rounds * one;
        const shuf_answer_bound *lower_end, *upper_end;
        ask(&x, "{\"mechanism\":{\"type\":\"matrix\",\"rows\":[[\"%d/%d\",\"%d/%d\"],[\"%d/%d\",\"%d/%d\"]]},\"users\":%d,\"rounds\":%d,"
            "\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"0\"},\"digits\":4}", (int) a, (int) (a + b), (int) b, (int) (a + b), (int) c, (int) (c + d), (int) d,
            (int) (c + d), 1 + (int) random_below(3), (int) rounds);
        lower_end = x.answer->lower;
        upper_end = x.answer->upper;
        if (lower_end == NULL || upper_end == NULL || lower(lower_end->value) > truth * (1 + 1e-9) || lower(lower_end->value) < truth * (1 - 1e-3) - 1e-9
            || upper(upper_end->value) < truth * (1 - 1e-9) - 1e-12)
            fail_msg("%s: not around %.9g", x.text, truth);
        asked_clear(&x);
    }
}

static void test_knowledge(void **state)
{
    asked x;
    (void) state;
    skip_unless_drawn(4);
    /* what holds for fewer values takes no work from the others */
    ask(&x, "{\"mechanism\":{\"type\":\"rappor\",\"k\":8,\"eps0\":2},\"users\":100," EPSILON ",\"effort\":\"15e7\"}");
    assert_true(has_theorem(x.answer->lower, "third-value"));
    asked_clear(&x);
    told_no_less(KRR("5", "2"), LDP("2"), ROUNDS "10000000", 0);
    told_no_less(KRR("5", "2"), LDP("2"), ROUNDS "100000000", 0);
    told_no_less(KRR("5", "2"), LDP("2"), SAMPLED "10000000", 0);
    told_no_less(RR2("1"), LDP("1"), ROUNDS "30000000", 0);
    told_no_less(RR2("1"), LDP("1"), SAMPLED "30000000", 0);
    told_no_less("{\"type\":\"subset-selection\",\"k\":6,\"size\":2,\"eps0\":\"1\"}", LDP("1"), ROUNDS "10000000", 0);
    told_no_less("{\"type\":\"oue\",\"k\":4,\"eps0\":\"1\"}", LDP("1"), ROUNDS "30000000", 0);
    told_no_less("{\"type\":\"laplace\",\"scale\":\"1\"}", LDP("1"), ROUNDS "30000000", 0);
    told_no_less(RAPPOR16("3/2"), LDP("3"), ROUNDS "100000000", 0);
    told_no_less(RAPPOR16("3/2"), RAPPOR("3/2"), ROUNDS "300000000", 1);
}

int main(void)
{
    /* what is quick first: a fault is seen the sooner */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_least), cmocka_unit_test(test_claims), cmocka_unit_test(test_reports), cmocka_unit_test(test_not_loosened),
        cmocka_unit_test(test_delta0), cmocka_unit_test(test_delta0_seen), cmocka_unit_test(test_renyi_alone), cmocka_unit_test(test_renyi_below), cmocka_unit_test(test_renyi_monotone), cmocka_unit_test(test_renyi_classes), cmocka_unit_test(test_renyi_composed), cmocka_unit_test(test_groups_in_parts), cmocka_unit_test(test_delta0_and_described), cmocka_unit_test(test_sum_of_oue), cmocka_unit_test(test_uncovered), cmocka_unit_test(test_deletion), cmocka_unit_test(test_deletion_search),
        cmocka_unit_test(test_at_least_sampled_bits), cmocka_unit_test(test_inverses), cmocka_unit_test(test_several_mechanisms), cmocka_unit_test(test_knowledge), cmocka_unit_test(test_pure_rounds),
        cmocka_unit_test(test_honest),
    };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
