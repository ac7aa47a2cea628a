/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Questions: what is read, what is refused and how that is said, the defaults, and a text that is read as itself. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>

#include "asked.h"

static int parse(shuf_question_t q, char *error, size_t size, const char *text)
{
    shuf_question_init(q);
    return shuf_question_parse(q, text, strlen(text), error, size);
}

static void accept(shuf_question_t q, const char *text)
{
    char error[256];
    if (parse(q, error, sizeof(error), text) != 0)
        fail_msg("%s: %s", text, error);
}

/* The text that was understood is read again, as itself. */
static void assert_fixed_point(const char *text)
{
    shuf_question_t q, again;
    char *first, *second;
    accept(q, text);
    first = shuf_question_text(q);
    accept(again, first);
    second = shuf_question_text(again);
    assert_string_equal(first, second);
    assert_int_equal(q->count, again->count);
    assert_int_equal(q->digits, again->digits);
    assert_true(q->max_work >= again->max_work && q->max_work <= again->max_work);
    flint_free(first);
    flint_free(second);
    shuf_question_clear(q);
    shuf_question_clear(again);
}

#define ASK "\"ask\":{\"quantity\":\"delta\",\"eps\":\"1\"}"
#define M(m) "{\"mechanism\":" m ",\"users\":10," ASK "}"
#define N(n) "{\"mechanism\":{\"type\":\"additive-noise\"," n "}," ASK "}"
#define NOISE "{\"type\":\"additive-noise\",\"noise\":\"laplace\",\"scale\":1}"
#define DELTA "{\"quantity\":\"delta\",\"eps\":\"1\"}"
#define P(p) "{\"pair\":" p ",\"users\":10," ASK "}"
#define U(u) "{\"mechanism\":" LDP("1") ",\"users\":" u "," ASK "}"
#define A(a) "{\"mechanism\":" LDP("1") ",\"users\":10,\"ask\":" a "}"
#define W(w) "{\"mechanism\":" LDP("1") ",\"users\":10," ASK "," w "}"
#define C(c) "{\"mechanism\":" LDP("1") ",\"users\":10,\"claim\":" c "}"

/* Which inputs noise has decides the theorem: the echo says so. */
static void test_inputs(void **state)
{
    static const struct { const char *text; int interval; } cases[] = {
        { M("{\"type\":\"laplace\",\"scale\":\"1/2\"}"), 0 }, { M("{\"type\":\"gaussian\",\"scale\":3,\"inputs\":\"ends\"}"), 0 },
        { M("{\"type\":\"laplace\",\"scale\":\"1/2\",\"inputs\":\"interval\"}"), 1 }, { M("{\"type\":\"gaussian\",\"scale\":3,\"inputs\":\"interval\"}"), 1 }
    };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        shuf_question_t q;
        char *echo;
        accept(q, cases[i].text);
        echo = shuf_question_text(q);
        assert_int_equal(strstr(echo, "\"inputs\":\"interval\"") != NULL, cases[i].interval);
        assert_int_equal(q->parts[0].randomiser->inputs == SHUF_ANY_INPUTS, cases[i].interval);
        flint_free(echo);
        shuf_question_clear(q);
    }
}

static void test_accepted(void **state)
{
    static const char *const good[] = {
        U("{\"at_least\":\"150000\"}"), U("10,\"reports_per_user\":\"3\""), U("{\"at_least\":10},\"honest\":\"1/2\",\"reports_per_user\":2"),
        M("{\"type\":\"ldp\",\"eps0\":1,\"delta0\":\"1e-9\"}"), M("{\"type\":\"ldp\",\"eps0\":1,\"delta0\":0}"), M("{\"type\":\"renyi-ldp\",\"order\":\"log(9)\",\"renyi\":\"1/2\"}"), U("{\"at_least\":10},\"honest\":\"9/10\""), U("\"1e3\",\"honest\":1"), U("1000,\"honest\":\"0.999\""), M("{\"type\":\"ldp\",\"eps0\":\"0.1\",\"local\":\"delete\"}"),
        M("{\"type\":\"ldp\",\"eps0\":\"log(3)\",\"local\":\"delete\",\"name\":\"d\"}"), M("{\"type\":\"ldp\",\"eps0\":1,\"local\":\"replace\"}"),
        M("{\"type\":\"rappor\",\"eps0\":\"0.3\",\"local\":\"replace\"}"), M("{\"type\":\"rappor\",\"k\":4,\"eps0\":\"log(9/4)\",\"local\":\"replace\"}"), M("{\"type\":\"rappor\",\"eps0\":1,\"local\":\"delete\"}"),
        P("{\"type\":\"krr-weak\",\"k\":3,\"eps0\":\"1/2\"}"), P("{\"type\":\"krr-strong\",\"k\":3,\"eps0\":2}"), P("{\"type\":\"krr-weak\",\"k\":3,\"eps0\":0}"), P("{\"type\":\"clones-deletion\",\"eps0\":\"1/2\"}"),
        M(LDP("0")), M(LDP("1e-9")), M(LDP("700")), M(LDP("1e6")), M(LDP("log(3)")), M(LDP("0x1.8p-3")), M(LDP("1/3")), M("{\"type\":\"ldp\",\"eps0\":2}"),
        M(RR2("1")), M("{\"type\":\"rr2\",\"eps0\":1,\"name\":\"coin\"}"), M(KRR("2", "1")), M(KRR("\"1000000000\"", "1")), M(KRRG("16", "1/4")),
        M(KRRG("16", "0")), M(KRRG("16", "1")), M("{\"type\":\"krr\",\"k\":3,\"gamma\":\"1/2\",\"name\":\"three\"}"), M(RAPPOR("0.1")),
        M("{\"type\":\"rappor\",\"k\":16,\"eps0\":\"log(3)\"}"), M("{\"type\":\"rappor\",\"k\":16,\"flip\":\"1/5\"}"),
        M("{\"type\":\"subset-selection\",\"k\":8,\"size\":2,\"eps0\":1}"), M("{\"type\":\"hadamard-response\",\"k\":1000000000,\"eps0\":2}"),
        M("{\"type\":\"local-hashing\",\"k\":100,\"g\":4,\"eps0\":1}"), M("{\"type\":\"laplace\",\"scale\":\"1/2\"}"), M("{\"type\":\"gaussian\",\"scale\":3}"),
        M("{\"type\":\"product\",\"parts\":[{\"type\":\"krr\",\"k\":4,\"eps0\":1},{\"type\":\"rappor\",\"k\":4,\"flip\":\"1/4\",\"name\":\"bits\"}]}"),
        M("{\"type\":\"mixture\",\"name\":\"m\",\"parts\":[{\"type\":\"krr\",\"k\":4,\"eps0\":1},{\"type\":\"matrix\",\"rows\":[[1,0],[\"1/2\",\"1/2\"]]}],\"weights\":[\"1/3\",\"2/3\"]}"),
        M("{\"type\":\"laplace\",\"scale\":\"1/2\",\"inputs\":\"interval\"}"), M("{\"type\":\"gaussian\",\"scale\":3,\"inputs\":\"ends\"}"),
        M("{\"type\":\"matrix\",\"name\":\"m\",\"rows\":[[\"1/2\",\"0.5\"],[\"0\",1]]}"),
        P("{\"type\":\"clones\",\"eps0\":1}"), P("{\"type\":\"clones-stronger\",\"eps0\":\"log(5/2)\"}"), P("{\"type\":\"krr-strong\",\"gamma\":\"1/3\",\"k\":4}"),
        P("{\"type\":\"krr-weak\",\"eps0\":\"log(3)\",\"k\":4}"), P("{\"type\":\"krr-same\",\"eps0\":1,\"k\":2}"), P("{\"type\":\"krr-third\",\"eps0\":1,\"k\":3}"),
        P("{\"type\":\"rr2\",\"eps0\":1}"), P("{\"type\":\"gaussian\",\"sigma\":2}"),
        P("{\"type\":\"trinomial\",\"w0\":\"1/2\",\"w1\":\"1/5\",\"r0\":\"1/10\",\"r1\":\"1/5\"}"),
        A("{\"quantity\":\"epsilon\",\"delta\":\"1e-300\"}"), A("{\"quantity\":\"renyi\",\"order\":\"inf\"}"), A("{\"quantity\":\"renyi\",\"order\":\"1e18\"}"),
        A("{\"quantity\":\"renyi\",\"order\":1}"), A("{\"quantity\":\"tradeoff\",\"type1\":\"0.05\"}"), A("{\"quantity\":\"gdp\",\"eps\":[0,\"1/2\"]}"),
        C("{\"eps\":1,\"delta\":0}"), C("{\"order\":\"3/2\",\"renyi\":\"1e10000\"}"), C("{\"order\":1,\"renyi\":1}"),
        C("{\"mu\":\"0.1\",\"eps\":[0,1]}"), W("\"rounds\":\"1e9\""), W("\"neighbours\":\"replace\""), W("\"release\":\"reports\""),
        W("\"sample\":{\"scheme\":\"fixed\",\"rate\":\"0.3\"}"), W("\"sample\":{\"scheme\":\"poisson\",\"rate\":\"1/7\"}"),
        W("\"sample\":{\"scheme\":\"poisson\",\"rate\":\"1\"}"), P("{\"type\":\"clones-sampled\",\"eps0\":1},\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/2\"}"),
        P("{\"type\":\"krr-third-sampled\",\"eps0\":1,\"k\":3},\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/2\"}"), P("{\"type\":\"krr-third-sampled\",\"eps0\":1,\"k\":3}"),
        P("{\"type\":\"krr-same-poisson\",\"eps0\":1,\"k\":2},\"sample\":{\"scheme\":\"poisson\",\"rate\":\"1/3\"}"), W("\"via\":\"pld\""), W("\"direction\":\"qp\""), W("\"fast\":true"),
        W("\"digits\":1000"), W("\"effort\":\"high\""), W("\"effort\":1000000"), W("\"max_seconds\":\"0.3\""), W("\"id\":\"\\u00e9\\u4e2d\""),
        W("\"source\":\"s\",\"quote\":\"q\",\"note\":\"n\""),
        W("\"form\":{\"theorem\":\"feldman21-3.8\",\"delta0\":\"1e-9\"}"), W("\"form\":{\"theorem\":\"girgis21-3.1-gamma\",\"gamma\":\"1/2\"}"),
        "{\"mechanism\":{\"type\":\"ldp\"},\"users\":10,\"ask\":{\"quantity\":\"eps0\",\"eps\":1,\"delta\":\"1e-6\"}}",
        "{\"mechanism\":{\"type\":\"rappor\",\"k\":4},\"users\":10,\"ask\":{\"quantity\":\"eps0\",\"eps\":1,\"delta\":\"1e-6\"}}",
        "{\"pair\":{\"type\":\"clones\"},\"users\":10,\"ask\":{\"quantity\":\"eps0\",\"eps\":1,\"delta\":\"1e-6\"}}",
        "{\"mechanism\":{\"type\":\"laplace\"},\"users\":10,\"ask\":{\"quantity\":\"scale\",\"eps\":1,\"delta\":\"1e-6\"}}",
        "{\"mechanism\":" LDP("1") ",\"ask\":{\"quantity\":\"users\",\"eps\":1,\"delta\":\"1e-6\"},\"sample\":{\"scheme\":\"fixed\",\"rate\":\"3/7\"}}",
        "{\"mechanism\":" RAPPOR("1") ",\"release\":\"sum\",\"users\":\"1e18\",\"rounds\":500000000," ASK "}",
        "{\"mechanism\":" LDP("1") ",\"users\":1," ASK "}", "{\"mechanism\":" LDP("1") ",\"users\":\"1e18\"," ASK "}",
        "{\"rounds\":[{\"mechanism\":" LDP("1") ",\"users\":10},{\"mechanism\":" KRR("3", "2") ",\"users\":20,\"rounds\":3,\"id\":\"b\"}]," ASK "}",
        "{\"mechanism\":" LDP("1") ",\"users\":10,\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/2\"},\"rounds\":[{},{\"users\":20},{\"mechanism\":" RR2("1") "}]," ASK "}",
        "{\"rounds\":[{\"pair\":{\"type\":\"clones\",\"eps0\":1},\"users\":10},{\"pair\":{\"type\":\"rr2\",\"eps0\":1},\"users\":5}]," ASK "}",
    };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_fixed_point(good[i]);
}

/* A text that is refused, and what the message says. */
static const struct { const char *text, *message[3]; } bad[] = {
    { "", { "not JSON" } }, { "{", { "not JSON" } }, { "null", { "JSON" } }, { "3", { "JSON" } }, { "[1]", { "object" } }, { "{}", { "\"ask\"", "\"claim\"" } },
    { "{\"id\":\"a\n\"}", { "not JSON" } }, { "{\"id\":\"a\",\"id\":\"b\"}", { "duplicate" } },
    { "{\"mechanism\":" LDP("1") ",\"users\":1,\"users\":2," ASK "}", { "duplicate" } },
    { M("{\"type\":\"ldp\",\"eps0\":1,\"eps0\":2}"), { "duplicate" } },
    { "{\"users\":10," ASK "}", { "\"mechanism\"", "\"pair\"" } },
    { "{\"mechanism\":" LDP("1") ",\"pair\":{\"type\":\"clones\",\"eps0\":1},\"users\":10," ASK "}", { "\"mechanism\"", "\"pair\"" } },
    { "{\"mechanism\":" LDP("1") ",\"users\":10}", { "\"ask\"", "\"claim\"" } },
    { "{\"mechanism\":" LDP("1") ",\"users\":10," ASK ",\"claim\":{\"eps\":1,\"delta\":0}}", { "\"ask\"", "\"claim\"" } },
    { "{\"mechanism\":" LDP("1") "," ASK "}", { "\"users\"", "missing" } },
    { "{\"mechanism\":" LDP("1") ",\"users\":0," ASK "}", { "\"users\"", "0", "1e18" } },
    { "{\"mechanism\":" LDP("1") ",\"users\":-5," ASK "}", { "\"users\"", "-5", "1e18" } },
    { "{\"mechanism\":" LDP("1") ",\"users\":1.5," ASK "}", { "\"users\"", "whole number" } },
    { "{\"mechanism\":" LDP("1") ",\"users\":\"1000000000000000001\"," ASK "}", { "\"users\"", "1000000000000000001", "1e18" } },
    { U("{\"at_least\":0}"), { "\"at_least\"", "0", "1e18" } }, { U("{}"), { "\"at_least\"", "missing" } }, { U("{\"at_least\":5,\"at_most\":6}"), { "\"users.at_most\"" } },
    { U("10,\"honest\":0"), { "\"honest\"", "0", "10" } }, { U("10,\"honest\":11"), { "\"honest\"", "11", "10" } }, { U("10,\"honest\":\"-1/2\""), { "\"honest\"", "-1/2" } },
    { U("10,\"honest\":\"1/11\""), { "\"honest\"", "1/11" } }, { U("10,\"honest\":\"3/2\""), { "\"honest\"", "3/2" } }, { U("10,\"honest\":\"log(3)\""), { "\"honest\"", "log(3)" } },
    { "{\"mechanism\":{\"type\":\"ldp\",\"eps0\":1,\"local\":\"delete\"},\"users\":10,\"sample\":{\"scheme\":\"poisson\",\"rate\":\"1/2\"}," ASK "}", { "poisson", "no theorem", "delete" } },
    { U("10,\"reports_per_user\":0"), { "\"reports_per_user\"", "0", "1000" } }, { U("10,\"reports_per_user\":1001"), { "\"reports_per_user\"", "1001" } },
    { U("10,\"reports_per_user\":2,\"rounds\":2"), { "\"reports_per_user\"", "one round" } }, { U("\"1e18\",\"reports_per_user\":2"), { "\"reports_per_user\"", "1e18" } },
    { U("10,\"reports_per_user\":2,\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/2\"}"), { "\"reports_per_user\"", "one round" } },
    { "{\"pair\":{\"type\":\"clones\",\"eps0\":1},\"users\":10,\"reports_per_user\":2," ASK "}", { "\"reports_per_user\"", "\"pair\"" } },
    { M("{\"type\":\"renyi-ldp\",\"order\":1,\"renyi\":1}"), { "\"order\"", "more than 1" } }, { M("{\"type\":\"renyi-ldp\",\"order\":2,\"renyi\":\"-1\"}"), { "\"renyi\"", "-1" } },
    { M("{\"type\":\"renyi-ldp\",\"order\":\"inf\",\"renyi\":1}"), { "\"order\"", "inf" } }, { M("{\"type\":\"renyi-ldp\",\"eps0\":1,\"renyi\":1}"), { "eps0", "unknown" } },
    { "{\"mechanism\":{\"type\":\"renyi-ldp\",\"order\":2,\"renyi\":1},\"users\":{\"at_least\":10}," ASK "}", { "\"renyi-ldp\"", "at_least" } },
    { "{\"mechanism\":{\"type\":\"renyi-ldp\",\"order\":2,\"renyi\":1},\"users\":10,\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/2\"}," ASK "}", { "\"renyi-ldp\"", "\"sample\"" } },
    { "{\"mechanism\":{\"type\":\"groups\",\"groups\":[{\"mechanism\":{\"type\":\"renyi-ldp\",\"order\":2,\"renyi\":1},\"users\":5}]}," ASK "}", { "\"renyi-ldp\"", "groups" } },
    { M("{\"type\":\"ldp\",\"eps0\":1,\"delta0\":2}"), { "\"delta0\"", "2" } }, { M("{\"type\":\"ldp\",\"eps0\":1,\"delta0\":\"1e-9\",\"local\":\"delete\"}"), { "\"delta0\"", "delete" } },
    { "{\"mechanism\":{\"type\":\"ldp\",\"eps0\":1,\"delta0\":\"1e-9\"},\"users\":{\"at_least\":10}," ASK "}", { "\"delta0\"", "at_least" } },
    { "{\"mechanism\":{\"type\":\"ldp\",\"eps0\":1,\"delta0\":\"1e-9\"},\"users\":10,\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/2\"}," ASK "}", { "\"delta0\"", "\"sample\"" } },
    { U("10,\"honest\":\"1/2\",\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/2\"}"), { "\"honest\"", "\"sample\"", "no theorem" } },
    { "{\"pair\":{\"type\":\"clones\",\"eps0\":1},\"users\":{\"at_least\":5}," ASK "}", { "\"users\"", "\"pair\"" } },
    { "{\"pair\":{\"type\":\"clones\",\"eps0\":1},\"users\":10,\"honest\":5," ASK "}", { "\"honest\"", "\"pair\"" } },
    { "{\"mechanism\":" LDP("1") ",\"honest\":\"1/2\",\"ask\":{\"quantity\":\"users\",\"eps\":1,\"delta\":0}}", { "\"honest\"", "users" } },
    { W("\"extra\":1"), { "unknown member \"extra\"" } }, { W("\"n\":10"), { "unknown member \"n\"" } }, { W("\"neighbours\":\"remove\""), { "\"neighbours\"", "remove", "no theorem" } },
    { W("\"release\":\"sum\""), { "\"release\"", "rappor" } }, { W("\"release\":\"all\""), { "\"release\"", "all", "sum" } },
    { W("\"source\":1"), { "\"source\"" } }, { W("\"id\":3"), { "\"id\"" } },
    { W("\"rounds\":0"), { "\"rounds\"", "0", "1e9" } }, { W("\"rounds\":1000000001"), { "\"rounds\"", "1000000001", "1e9" } }, { W("\"rounds\":[]"), { "\"rounds\"" } },
    { W("\"rounds\":[3]"), { "rounds 1" } }, { W("\"rounds\":[{},{\"zzz\":1}]"), { "rounds 2: unknown member \"zzz\"" } }, { W("\"rounds\":[{\"mechanism\":{\"type\":\"rr2\",\"eps_0\":1}}]"), { "rounds 1: unknown member \"mechanism.eps_0\": did you mean \"eps0\"?" } }, { W("\"rounds\":[{" ASK "}]"), { "rounds 1", "ask" } },
    { W("\"rounds\":[{\"pair\":{\"type\":\"clones\",\"eps0\":1}},{}]"), { "all mechanisms or all pairs" } }, { W("\"rounds\":[{\"rounds\":-1}]"), { "rounds 1", "-1" } },
    { W("\"rounds\":[{\"id\":3}]"), { "\"id\"" } }, { W("\"rounds\":[{\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/3\"}}]"), { "rounds 1", "1/3", "whole number" } },
    { W("\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/3\"}"), { "\"rate\"", "1/3", "whole number" } }, { W("\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/20\"}"), { "1/20" } },
    { W("\"sample\":{\"scheme\":\"fixed\",\"rate\":\"0\"}"), { "\"rate\"", "0", "more than 0" } }, { W("\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1.1\"}"), { "\"rate\"", "1.1" } },
    { W("\"sample\":{\"scheme\":\"fixed\",\"rate\":\"log(2)\"}"), { "\"rate\"", "log(2)", "rational" } }, { W("\"sample\":{\"scheme\":\"fixed\",\"rate\":0.5}"), { "\"rate\"" } },
    { W("\"sample\":{\"scheme\":\"each\",\"rate\":\"1/2\"}"), { "\"scheme\"", "each", "poisson" } },
    { W("\"sample\":{\"scheme\":\"poisson\",\"rate\":0}"), { "\"rate\"", "0", "more than 0" } },
    { P("{\"type\":\"clones-stronger\",\"eps0\":1},\"sample\":{\"scheme\":\"poisson\",\"rate\":\"1/2\"}"), { "\"scheme\"", "poisson", "clones-poisson" } },
    { P("{\"type\":\"clones-sampled\",\"eps0\":1},\"sample\":{\"scheme\":\"poisson\",\"rate\":\"1/2\"}"), { "\"scheme\"", "poisson", "clones-poisson" } },
    { P("{\"type\":\"clones-poisson\",\"eps0\":1},\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/2\"}"), { "\"scheme\"", "fixed", "poisson" } },
    { P("{\"type\":\"krr-third-sampled\",\"eps0\":1,\"k\":2}"), { "\"k\"", "2", "3" } }, { W("\"sample\":{\"rate\":\"1/2\"}"), { "\"scheme\"" } },
    { W("\"sample\":{\"scheme\":\"fixed\"}"), { "\"rate\"", "missing" } }, { W("\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/2\",\"x\":1}"), { "\"sample.x\"" } },
    { W("\"via\":\"any\""), { "\"via\"", "any", "renyi" } }, { W("\"direction\":\"up\""), { "\"direction\"", "up", "both" } },
    { W("\"fast\":1"), { "\"fast\"", "true or false" } }, { W("\"digits\":0"), { "\"digits\"", "0" } }, { W("\"digits\":1001"), { "\"digits\"", "1001" } },
    { W("\"effort\":\"low\""), { "\"effort\"", "low", "1e15" } }, { W("\"effort\":10"), { "\"effort\"", "1e6" } }, { W("\"max_seconds\":0"), { "\"max_seconds\"", "0" } },
    { W("\"max_seconds\":\"-1\""), { "\"max_seconds\"", "-1" } }, { W("\"form\":{\"theorem\":\"zzz\"}"), { "\"theorem\"", "zzz", "registry" } }, { W("\"form\":{}"), { "\"theorem\"" } },
    { W("\"form\":{\"theorem\":\"girgis21-3.1\",\"gamma\":\"1\"}"), { "\"gamma\"", "1" } }, { W("\"form\":{\"theorem\":\"girgis21-3.1\",\"x\":\"1\"}"), { "\"form.x\"" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"without-replacement\",\"noise_multiplier\":2,\"steps\":3,\"records_per_user\":2}," ASK "}", { "\"dataset_size\"", "without-replacement" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"without-replacement\",\"noise_multiplier\":2,\"steps\":3,\"records_per_user\":2,\"dataset_size\":10}," ASK "}", { "\"dataset_size\"", "whole number" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"without-replacement\",\"noise_multiplier\":2,\"steps\":3,\"records_per_user\":7,\"dataset_size\":9}," ASK "}", { "\"records_per_user\" is 7", "room" } },
    { M("{\"type\":\"groups\",\"groups\":[{\"mechanism\":{\"type\":\"rr2\",\"eps0\":1},\"users\":1000000000000000000},{\"mechanism\":{\"type\":\"rr2\",\"eps0\":1},\"users\":1}]}"), { "\"groups\"", "1e18" } },
    { W("\"selection\":3"), { "\"selection\"", "object" } }, { W("\"selection\":{\"mean\":\"1/2\"}"), { "\"mean\"", "between 1" } },
    { W("\"selection\":{\"mean\":0,\"runs\":\"poisson\"}"), { "\"mean\"", "more than 0" } }, { W("\"selection\":{\"mean\":\"log(9)\"}"), { "\"mean\"", "rational" } },
    { W("\"selection\":{\"mean\":3,\"runs\":\"often\"}"), { "\"runs\"", "often", "logarithmic" } }, { W("\"selection\":{\"mean\":3,\"kind\":1}"), { "\"selection.kind\"" } },
    { W("\"selection\":{\"mean\":3,\"shape\":1}"), { "\"shape\"", "negative-binomial" } }, { W("\"selection\":{\"mean\":3,\"runs\":\"negative-binomial\"}"), { "\"shape\"", "negative-binomial" } },
    { W("\"selection\":{\"mean\":3,\"runs\":\"negative-binomial\",\"shape\":\"-0.51\"}"), { "\"shape\" is", "-0.51", "between -1/2" } },
    { W("\"selection\":{\"mean\":3,\"runs\":\"negative-binomial\",\"shape\":\"1001\"}"), { "\"shape\" is 1001", "between -1/2" } },
    { W("\"selection\":{\"mean\":3,\"runs\":\"negative-binomial\",\"shape\":\"log(2)\"}"), { "\"shape\"", "rational" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":2,\"steps\":3,\"records_per_user\":1001}," ASK "}", { "\"records_per_user\"", "1001", "1000" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"poisson\",\"noise_multiplier\":2,\"steps\":3,\"max_batch_size\":2}," ASK "}", { "\"dataset_size\"", "together" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":2,\"steps\":3,\"max_batch_size\":2,\"dataset_size\":9}," ASK "}", { "\"max_batch_size\"", "poisson" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"poisson\",\"noise_multiplier\":2,\"steps\":3,\"sampling_rate\":1,\"max_batch_size\":2,\"dataset_size\":9}," ASK "}", { "\"sampling_rate\"", "without-replacement" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":2,\"steps\":3,\"every\":2}," ASK "}", { "\"every\"", "\"strategy\"" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":2,\"steps\":3,\"strategy\":[1]}," ASK "}", { "\"every\"", "\"separation\"" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":2,\"steps\":3,\"strategy\":[0,1],\"every\":1}," ASK "}", { "number 1", "diagonal" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":2,\"steps\":3,\"strategy\":[1,1,1,1],\"every\":1}," ASK "}", { "\"strategy\"", "\"steps\"" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":2,\"steps\":2,\"strategy\":[[1,2],[1,1]],\"every\":1}," ASK "}", { "row 1, number 2", "above the diagonal" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":2,\"steps\":2,\"strategy\":[[1],[1]],\"every\":1}," ASK "}", { "row 2", "2 numbers" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":2,\"steps\":2,\"strategy\":[1],\"bands\":1,\"every\":1}," ASK "}", { "\"bands\"", "square-root" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"shuffle\",\"noise_multiplier\":2,\"steps\":2,\"strategy\":[1],\"every\":1}," ASK "}", { "\"strategy\"", "fixed and poisson" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":2,\"steps\":2,\"strategy\":\"star\",\"every\":1}," ASK "}", { "star", "square-root, tree" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"poisson\",\"noise_multiplier\":2,\"steps\":2,\"sampling_rate\":\"1/2\",\"strategy\":\"tree\",\"every\":2}," ASK "}", { "tree", "fixed" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"poisson\",\"noise_multiplier\":2,\"steps\":4,\"sampling_rate\":\"1/2\",\"strategy\":[1,1],\"every\":1}," ASK "}", { "2 bands", "no theorem" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"poisson\",\"noise_multiplier\":2,\"steps\":4,\"sampling_rate\":\"1/2\",\"strategy\":[1],\"separation\":2}," ASK "}", { "\"separation\"", "\"every\"" } },
    { "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"poisson\",\"noise_multiplier\":2,\"steps\":4,\"sampling_rate\":1,\"strategy\":[1],\"every\":2}," ASK "}", { "\"sampling_rate\"", "fixed" } },
    { M("3"), { "\"mechanism\"" } }, { M("{}"), { "\"type\"" } }, { M("{\"type\":\"zzz\"}"), { "unknown mechanism type \"zzz\"", "noisy-sgd", "binomial-noise" } }, { M("{\"type\":\"ldp\",\"eps0\":1,\"k\":2}"), { "unknown member \"mechanism.k\"" } },
    { M("{\"type\":\"product\",\"parts\":[" KRR("2", "1") ",{\"type\":\"krr\",\"k\":2,\"eps\":1}]}"), { "unknown member \"mechanism.parts[1].eps\": did you mean \"eps0\"?" } },
    { M("{\"type\":\"ldp\"}"), { "\"eps0\"", "missing" } }, { M(LDP("-1")), { "\"eps0\"", "-1", "between" } }, { M(LDP("1000001")), { "\"eps0\"", "1000001", "1000000" } },
    { M(LDP("x")), { "\"eps0\"", "\"x\"" } }, { M(LDP("")), { "\"eps0\"" } }, { M("{\"type\":\"ldp\",\"eps0\":0.1}"), { "\"eps0\"", "string" } }, { M(LDP("nan")), { "\"eps0\"", "nan" } }, { M(LDP("inf")), { "\"eps0\"", "inf" } },
    { M(KRR("1", "1")), { "\"k\"" } }, { M(KRR("\"1e30\"", "1")), { "\"k\"" } }, { M(KRRG("3", "1.1")), { "\"gamma\"", "1.1" } }, { M(KRRG("3", "log(2)")), { "\"gamma\"", "log(2)" } },
    { M("{\"type\":\"krr\",\"k\":3,\"eps0\":1,\"gamma\":\"1/2\"}"), { "\"mechanism.eps0\"" } }, { M("{\"type\":\"laplace\",\"scale\":\"0\"}"), { "\"scale\"" } }, { M("{\"type\":\"laplace\",\"scale\":\"1/10000000\"}"), { "\"scale\"" } },
    { M("{\"type\":\"matrix\",\"rows\":[[1]]}"), { "row" } }, { M("{\"type\":\"matrix\",\"rows\":[[\"1/2\",\"1/3\"],[1,0]]}"), { "row" } }, { M("{\"type\":\"matrix\",\"rows\":[[\"1/2\",\"1/2\"],[1]]}"), { "row" } },
    { M("{\"type\":\"rappor\",\"eps0\":\"600000\"}"), { "\"eps0\"", "500000" } },
    { N("\"scale\":1"), { "\"noise\"", "missing" } }, { N("\"noise\":\"x\",\"scale\":1"), { "\"noise\"", "x", "skellam" } },
    { N("\"noise\":\"laplace\""), { "\"scale\"", "\"eps0\"", "laplace" } }, { N("\"noise\":\"gaussian\",\"eps0\":1"), { "\"scale\"", "\"variance\"", "gaussian" } },
    { N("\"noise\":\"gaussian\",\"scale\":1,\"variance\":1"), { "\"scale\"", "\"variance\"" } }, { N("\"noise\":\"laplace\",\"scale\":\"-1\""), { "\"scale\"", "-1", "above 0" } },
    { N("\"noise\":\"laplace\",\"scale\":\"log(2)\""), { "\"scale\"", "log(2)", "rational" } }, { N("\"noise\":\"laplace\",\"scale\":\"1e-10\""), { "\"scale\"", "1e-10", "1e9" } },
    { N("\"noise\":\"gaussian\",\"variance\":\"1e19\""), { "\"variance\"", "1e19", "1e-9" } }, { N("\"noise\":\"skellam\",\"variance\":\"1e9\",\"threshold\":5"), { "\"threshold\"", "1e8", "skellam" } },
    { N("\"noise\":\"skellam\",\"scale\":1,\"sensitivity\":\"1/2\""), { "\"sensitivity\"", "1/2", "whole" } },
    { N("\"noise\":\"discrete-gaussian\",\"variance\":\"1/3\",\"sensitivity\":\"100001\""), { "1e5", "1/3" } }, { N("\"noise\":\"discrete-gaussian\",\"scale\":\"1/2\",\"dimension\":2"), { "\"dimension\"", "1/3" } },
    { N("\"noise\":\"discrete-gaussian\",\"scale\":10,\"shares\":1000,\"dimension\":2"), { "\"dimension\"", "of each share about 1/4" } }, { N("\"noise\":\"skellam\",\"scale\":1,\"dimension\":0"), { "\"dimension\"", "0" } },
    { N("\"noise\":\"skellam\",\"scale\":1,\"dimension\":2,\"sensitivity\":\"3/2\""), { "\"sensitivity\"", "3/2", "sqrt(2)" } }, { N("\"noise\":\"skellam\",\"scale\":1,\"sensitivity\":\"sqrt(2)\""), { "\"sensitivity\"" } },
    { N("\"noise\":\"skellam\",\"scale\":1,\"dimension\":2,\"sensitivity\":\"sqrt(-2)\""), { "\"sensitivity\"", "sqrt(-2)" } }, { N("\"noise\":\"skellam\",\"scale\":1,\"dimension\":2,\"sensitivity\":\"sqrt(\""), { "\"sensitivity\"" } },
    { N("\"noise\":\"skellam\",\"scale\":1,\"dimension\":2,\"sensitivity\":\"sqrt()\""), { "\"sensitivity\"" } }, { N("\"noise\":\"skellam\",\"scale\":1,\"dimension\":2,\"sensitivity\":\"2000000000\""), { "\"sensitivity\"", "1e9" } },
    { N("\"noise\":\"skellam\",\"scale\":1,\"dimension\":2,\"threshold\":5"), { "\"dimension\"", "threshold" } }, { N("\"noise\":\"staircase\",\"eps0\":1,\"gamma\":1,\"dimension\":2"), { "\"dimension\"", "staircase" } },
    { N("\"noise\":\"skellam\",\"scale\":1,\"dimension\":2,\"sampler\":\"balls-and-bins\",\"steps\":5"), { "\"dimension\"", "sampler" } },
    { N("\"noise\":\"laplace\",\"scale\":1,\"sensitivity\":0"), { "\"sensitivity\"", "0" } }, { N("\"noise\":\"laplace\",\"eps0\":0"), { "\"eps0\"", "0" } },
    { N("\"noise\":\"staircase\",\"eps0\":1"), { "\"gamma\"", "needed" } }, { N("\"noise\":\"staircase\",\"gamma\":\"1/2\""), { "\"eps0\"", "needed" } },
    { N("\"noise\":\"staircase\",\"eps0\":1,\"gamma\":0"), { "\"gamma\"", "more than 0" } }, { N("\"noise\":\"staircase\",\"eps0\":1,\"gamma\":\"3/2\""), { "\"gamma\"", "3/2" } },
    { N("\"noise\":\"staircase\",\"eps0\":0,\"gamma\":1"), { "\"eps0\"", "more than 0" } }, { N("\"noise\":\"staircase\",\"scale\":1,\"gamma\":1"), { "\"scale\"", "staircase" } },
    { N("\"noise\":\"staircase\",\"eps0\":1,\"gamma\":1,\"shares\":3"), { "\"shares\"", "staircase" } }, { N("\"noise\":\"laplace\",\"scale\":1,\"gamma\":1"), { "\"gamma\"", "staircase" } },
    { "{\"mechanism\":" NOISE ",\"users\":3,\"ask\":" DELTA "}", { "\"users\"", "additive-noise" } },
    { "{\"mechanism\":{\"type\":\"additive-noise\",\"noise\":\"laplace\",\"scale\":1,\"threshold\":9},\"sample\":{\"scheme\":\"poisson\",\"rate\":\"1/2\"},\"ask\":" DELTA "}", { "\"sample\"", "threshold" } },
    { N("\"noise\":\"skellam\",\"scale\":1,\"threshold\":\"1/2\""), { "threshold" } },
    { M("{\"type\":\"sample-and-threshold\",\"sampling_rate\":1,\"threshold\":9}"), { "\"sampling_rate\" is 1", "below 1" } },
    { M("{\"type\":\"sample-and-threshold\",\"sampling_rate\":\"1/2\"}"), { "\"threshold\" is missing" } },
    { "{\"mechanism\":" NOISE ",\"neighbours\":\"replace\",\"sample\":{\"scheme\":\"poisson\",\"rate\":\"1/2\"},\"ask\":" DELTA "}", { "\"neighbours\"", "replace" } },
    { "{\"rounds\":[{\"mechanism\":" NOISE ",\"sample\":{\"scheme\":\"poisson\",\"rate\":\"1/2\"}},{\"mechanism\":" LDP("1") ",\"users\":9}],\"ask\":" DELTA "}", { "\"rounds\"", "neighbours" } },
    { "{\"mechanism\":" NOISE ",\"ask\":{\"quantity\":\"scale\",\"eps\":1,\"delta\":\"1e-3\"}}", { "\"scale\"", "leave it out" } },
    { P("{\"type\":\"zzz\"}"), { "\"pair\"", "zzz", "clones-stronger" } }, { P("{\"eps0\":1}"), { "\"type\"" } }, { P("{\"type\":\"clones\",\"eps0\":1,\"k\":3}"), { "\"pair.k\"" } }, { P("{\"type\":\"krr-third\",\"eps0\":1,\"k\":2}"), { "\"k\"", "2", "3" } },
    { P("{\"type\":\"krr-weak\",\"k\":3}"), { "\"gamma\"", "\"eps0\"" } }, { P("{\"type\":\"krr-weak\",\"k\":3,\"eps0\":\"-1\"}"), { "\"eps0\"", "-1" } },
    { M("{\"type\":\"ldp\",\"eps0\":1,\"local\":\"remove\"}"), { "\"local\"", "remove", "delete" } }, { M("{\"type\":\"ldp\",\"eps0\":500001,\"local\":\"delete\"}"), { "\"eps0\"", "500000" } },
    { M("{\"type\":\"rappor\",\"eps0\":\"log(3)\",\"local\":\"replace\"}"), { "\"eps0\"", "log(3)", "square" } }, { M("{\"type\":\"rappor\",\"flip\":\"1/3\",\"local\":\"replace\"}"), { "\"eps0\"", "missing" } },
    { M("{\"type\":\"krr\",\"k\":3,\"eps0\":1,\"local\":\"delete\"}"), { "\"mechanism.local\"" } },
    { P("{\"type\":\"gaussian\",\"sigma\":0}"), { "\"sigma\"", "0" } },
    { P("{\"type\":\"trinomial\",\"w0\":1,\"w1\":\"1/2\",\"r0\":\"1/10\",\"r1\":\"1/5\"}"), { "\"w0\"", "\"w1\"" } },
    { A("3"), { "\"ask\"" } }, { A("{}"), { "\"quantity\"", "missing" } }, { A("{\"quantity\":\"mu\"}"), { "\"quantity\"", "mu", "epsilon" } }, { A("{\"quantity\":\"delta\"}"), { "\"eps\"", "missing" } },
    { A("{\"quantity\":\"delta\",\"eps\":\"-1\"}"), { "\"eps\"", "-1" } }, { A("{\"quantity\":\"delta\",\"eps\":1,\"delta\":0}"), { "\"ask.delta\"" } }, { A("{\"quantity\":\"epsilon\",\"delta\":2}"), { "\"delta\"", "2" } },
    { A("{\"quantity\":\"renyi\",\"order\":\"1/2\"}"), { "\"order\"", "1/2" } }, { A("{\"quantity\":\"renyi\",\"order\":\"1000000000000000001\"}"), { "\"order\"", "1000000000000000001" } },
    { A("{\"quantity\":\"tradeoff\",\"type1\":\"1.5\"}"), { "\"type1\"", "1.5" } }, { A("{\"quantity\":\"gdp\"}"), { "\"eps\"" } }, { A("{\"quantity\":\"gdp\",\"eps\":[1,0]}"), { "\"eps\"", "from 1 to 0" } },
    { A("{\"quantity\":\"gdp\",\"eps\":[1]}"), { "\"eps\"", "two" } },
    { C("{}"), { "\"eps\"" } }, { C("{\"eps\":1}"), { "\"delta\"" } }, { C("{\"eps\":1,\"delta\":0,\"x\":1}"), { "\"claim.x\"" } }, { C("{\"eps\":1,\"delta\":0,\"order\":2}"), { "unknown member \"claim." } },
    { C("{\"order\":2}"), { "\"renyi\"" } }, { C("{\"renyi\":2}"), { "\"order\"" } }, { C("{\"order\":\"9/10\",\"renyi\":1}"), { "\"order\"", "9/10" } }, { C("{\"order\":\"inf\",\"renyi\":1}"), { "\"order\"" } },
    { C("{\"order\":2,\"renyi\":\"-1e-9\"}"), { "\"renyi\"", "-1e-9" } }, { C("{\"mu\":0,\"eps\":[0,1]}"), { "\"mu\"", "0" } }, { C("[]"), { "\"claim\"" } }, { C("{\"eps\":0.1,\"delta\":\"0\"}"), { "\"eps\"" } },
    /* what is asked for is not given */
    { "{\"mechanism\":" LDP("1") ",\"users\":10,\"ask\":{\"quantity\":\"eps0\",\"eps\":1,\"delta\":0}}", { "\"eps0\"", "leave it out" } },
    { "{\"mechanism\":" KRRG("3", "1/2") ",\"users\":10,\"ask\":{\"quantity\":\"eps0\",\"eps\":1,\"delta\":0}}", { "\"eps0\"", "leave it out" } },
    { "{\"mechanism\":{\"type\":\"rappor\",\"flip\":\"1/3\"},\"users\":10,\"ask\":{\"quantity\":\"eps0\",\"eps\":1,\"delta\":0}}", { "\"eps0\"", "leave it out" } },
    { "{\"pair\":{\"type\":\"clones\",\"eps0\":1},\"users\":10,\"ask\":{\"quantity\":\"eps0\",\"eps\":1,\"delta\":0}}", { "\"eps0\"", "leave it out" } },
    { "{\"mechanism\":{\"type\":\"laplace\",\"scale\":1},\"users\":10,\"ask\":{\"quantity\":\"scale\",\"eps\":1,\"delta\":0}}", { "\"scale\"", "leave it out" } },
    { "{\"mechanism\":" LDP("1") ",\"users\":10,\"ask\":{\"quantity\":\"users\",\"eps\":1,\"delta\":0}}", { "\"users\"", "leave it out" } },
    { "{\"mechanism\":" RAPPOR("1") ",\"release\":\"sum\",\"users\":10,\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/2\"}," ASK "}", { "\"release\"", "\"sample\"" } },
    /* messages are one line of UTF-8 */
    { W("\"id\":\"a\\nb\\u001b\",\"extra\":1"), { "extra" } }, { M("{\"type\":\"\\u001b[2K\\r\"}"), { "type" } }, { W("\"\\u2028\\n\":1"), { "unknown member" } },
    { M("{\"type\":\"x\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9\"}"), { "unknown" } },
    { "{\"id\":\"\xff\"}", { "not JSON" } }, { "{\"id\":\"a\\u0000b\"}", { "not JSON" } },
};

/* The texts of the errors go through the JSON interface, too: it is valid there only if it is UTF-8. */
static void test_refused(void **state)
{
    size_t i, j;
    (void) state;
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
    {
        char error[256] = "", tiny[8] = "", *line;
        shuf_question_t q;
        const char *c;
        if (parse(q, error, sizeof(error), bad[i].text) == 0)
            fail_msg("accepted: %s", bad[i].text);
        shuf_question_clear(q);
        assert_true(error[0] != '\0');
        for (j = 0; j < 3 && bad[i].message[j] != NULL; j++)
            if (strstr(error, bad[i].message[j]) == NULL)
                fail_msg("%s: %s", bad[i].text, error);
        for (c = error; *c != '\0'; c++)
            if ((unsigned char) *c < 32 || *c == 127)
                fail_msg("%s: a control character", bad[i].text);
        assert_int_equal(parse(q, tiny, sizeof(tiny), bad[i].text), -1);
        shuf_question_clear(q);
        assert_true(strlen(tiny) < sizeof(tiny));
        line = shuf_answer_json(bad[i].text);
        assert_non_null(line);
        assert_non_null(strstr(line, "\"error\":\""));
        assert_null(strstr(line, "not valid UTF-8"));
        assert_null(strchr(line, '\n'));
        flint_free(line);
    }
}

/* ---- what is understood ---- */

static void test_meaning(void **state)
{
    shuf_question_t q;
    char *text;
    (void) state;
    /* users are everyone */
    accept(q, "{\"mechanism\":" LDP("1") ",\"users\":2000,\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/10\"}," ASK "}");
    assert_int_equal(q->parts[0].users, 2000);
    assert_int_equal(q->parts[0].sampled, 200);
    assert_int_equal(q->parts[0].rounds, 1);
    shuf_question_clear(q);
    accept(q, "{\"pair\":{\"type\":\"clones\",\"eps0\":1},\"users\":2000,\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/10\"}," ASK "}");
    assert_int_equal(q->parts[0].pair->n, 200);
    shuf_question_clear(q);
    /* honest users are counted; an integer is a number, below 1 a part that is rounded down */
    accept(q, U("{\"at_least\":1999},\"honest\":\"0.5\""));
    assert_int_equal(q->parts[0].everyone, 1999);
    assert_int_equal(q->parts[0].users, 999);
    assert_true(q->parts[0].is_at_least);
    shuf_question_clear(q);
    accept(q, U("2000,\"honest\":\"1\""));
    assert_int_equal(q->parts[0].users, 1);
    shuf_question_clear(q);
    /* a part's members are its own, or else the question's */
    accept(q, "{\"mechanism\":" LDP("1") ",\"users\":10,\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/2\"},"
              "\"rounds\":[{},{\"users\":20,\"rounds\":7},{\"mechanism\":" KRR("3", "2") ",\"sample\":{\"scheme\":\"fixed\",\"rate\":1}}]," ASK "}");
    assert_int_equal(q->count, 3);
    assert_int_equal(q->parts[0].sampled, 5);
    assert_int_equal(q->parts[1].sampled, 10);
    assert_int_equal(q->parts[1].rounds, 7);
    assert_int_equal(q->parts[2].sampled, 10);
    assert_int_equal(q->parts[1].subject, SHUF_SUBJECT_LDP);
    assert_int_equal(q->parts[2].subject, SHUF_SUBJECT_RANDOMISER);
    shuf_question_clear(q);
    /* RAPPOR is described by half its eps0 of replacement, exactly */
    accept(q, M(RAPPOR("0.1")));
    assert_true(!q->parts[0].eps0->is_log && fmpq_equal_si(q->parts[0].eps0->q, 0) == 0);
    assert_int_equal(fmpz_get_si(fmpq_denref(q->parts[0].eps0->q)), 5);
    text = shuf_question_text(q);
    assert_true(strstr(text, "\"eps0\":\"0.1\"") != NULL || strstr(text, "\"eps0\":\"1/10\"") != NULL);
    flint_free(text);
    shuf_question_clear(q);
    /* the reports are counted */
    accept(q, U("100,\"honest\":\"1/2\",\"reports_per_user\":3"));
    assert_int_equal(q->parts[0].users, 150);
    assert_int_equal(q->parts[0].sampled, 150);
    shuf_question_clear(q);
    /* deletion is twice as much replacement */
    accept(q, M("{\"type\":\"ldp\",\"eps0\":\"log(3)\",\"local\":\"delete\"}"));
    assert_true(q->parts[0].eps0->is_log && fmpq_equal_si(q->parts[0].eps0->q, 9) && fmpq_equal_si(q->parts[0].deletion_eps0->q, 3));
    shuf_question_clear(q);
    accept(q, M("{\"type\":\"rappor\",\"eps0\":3,\"local\":\"replace\"}"));
    assert_true(fmpq_equal_si(q->parts[0].eps0->q, 3));
    shuf_question_clear(q);
    /* defaults */
    accept(q, M(LDP("1")));
    assert_true(q->max_work >= SHUF_EFFORT_NORMAL && q->max_work <= SHUF_EFFORT_NORMAL);
    assert_int_equal(shuf_real_sgn(q->max_seconds), 0);
    assert_int_equal(q->direction, SHUF_DIRECTION_BOTH);
    assert_int_equal(q->via, SHUF_VIA_ANY);
    assert_false(q->is_claim || q->is_list || q->fast);
    shuf_question_clear(q);
}

/* What cannot be seen in the message is still there: names are kept. */
static void test_names(void **state)
{
    static const char *const named[] = { "{\"type\":\"rr2\",\"eps0\":1,\"name\":\"coin\"}", "{\"type\":\"ldp\",\"eps0\":1,\"name\":\"coin\"}",
                                         "{\"type\":\"krr\",\"k\":3,\"gamma\":\"1/2\",\"name\":\"coin\"}", "{\"type\":\"krr\",\"k\":3,\"eps0\":1,\"name\":\"coin\"}" };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(named) / sizeof(named[0]); i++)
    {
        char text[256], *echo;
        shuf_question_t q;
        snprintf(text, sizeof(text), "{\"mechanism\":%s,\"users\":10," ASK "}", named[i]);
        accept(q, text);
        echo = shuf_question_text(q);
        if (strstr(echo, "\"name\":\"coin\"") == NULL)
            fail_msg("%s: %s", text, echo);
        flint_free(echo);
        shuf_question_clear(q);
    }
}

/* A list of 100000 parts, and of one more; 64 by 64 rows, and of one more. */
static void test_sizes(void **state)
{
    const size_t most = 100000;
    char *text = malloc(3 * most + 200), error[256] = "";
    shuf_question_t q;
    size_t i, j, side;
    (void) state;
    for (i = most; i <= most + 1; i++)
    {
        char *end = text + sprintf(text, "{\"mechanism\":" LDP("1") ",\"users\":10," ASK ",\"rounds\":[");
        for (j = 0; j < i; j++)
            end += sprintf(end, j > 0 ? ",{}" : "{}");
        sprintf(end, "]}");
        assert_int_equal(parse(q, error, sizeof(error), text), i == most ? 0 : -1);
        assert_true(i == most ? q->count == most : strstr(error, "100000") != NULL);
        shuf_question_clear(q);
    }
    for (side = 64; side <= 65; side++)
    {
        char *end = text + sprintf(text, "{\"mechanism\":{\"type\":\"matrix\",\"rows\":[");
        for (i = 0; i < side; i++)
            for (j = 0; j < side; j++)
                end += sprintf(end, "%s\"1/%zu\"%s", j > 0 ? "," : i > 0 ? ",[" : "[", side, j + 1 == side ? "]" : "");
        sprintf(end, "]},\"users\":10," ASK "}");
        assert_int_equal(parse(q, error, sizeof(error), text), side == 64 ? 0 : -1);
        shuf_question_clear(q);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_inputs), cmocka_unit_test(test_accepted), cmocka_unit_test(test_refused), cmocka_unit_test(test_meaning),
                                        cmocka_unit_test(test_names), cmocka_unit_test(test_sizes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
