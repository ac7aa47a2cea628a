/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The bounds of shuffled randomisers against the divergences of all pairs of
 * neighbouring datasets, summed over all histograms in 300 bits.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hockey/hockey.h"
#include "randomiser/merge.h"
#include "shuffle/mixed.h"
#include "shuffle/described_law.h"
#include "shuffle/gaussian.h"
#include "shuffle/shuffled.h"
#include "check.h"
#include "random.h"

#define PREC 300
#define MAX_USERS 6
#define MAX_OUTPUTS 4

/* ---- a random matrix ---- */

/* Rational rows; some entries zero if zeros is set. */
static void random_matrix(shuf_randomiser_t R, uint64_t inputs, uint64_t outputs, int zeros)
{
    uint64_t x, y;
    R->kind = SHUF_RANDOMISER_MATRIX;
    R->inputs = inputs;
    R->outputs = outputs;
    R->row = flint_malloc(inputs * outputs * sizeof(fmpq));
    for (x = 0; x < inputs; x++)
    {
        ulong weight[MAX_OUTPUTS], sum = 0;
        for (y = 0; y < outputs; y++)
        {
            weight[y] = zeros && random_below(3) == 0 ? 0 : 1 + random_below(12);
            sum += weight[y];
        }
        if (sum == 0)
            sum = weight[0] = 1;
        for (y = 0; y < outputs; y++)
        {
            fmpq_init(R->row + x * outputs + y);
            fmpq_set_si(R->row + x * outputs + y, (slong) weight[y], sum);
        }
    }
}

/* ---- the law of the histogram, by users one after the other ---- */

static size_t table_size(uint64_t users, uint64_t outputs)
{
    size_t size = 1;
    uint64_t y;
    for (y = 1; y < outputs; y++)
        size *= users + 1;
    return size;
}

/* law over (count of output 1, .., outputs-1) in base n+1; data[i] is the value of user i. */
static void histogram_law(arb_ptr law, const shuf_randomiser_t R, const uint64_t *data, uint64_t n)
{
    size_t size = table_size(n, R->outputs), i;
    arb_ptr next = _arb_vec_init((slong) size);
    arb_t t, p;
    uint64_t user, y;
    arb_init(t);
    arb_init(p);
    _arb_vec_zero(law, (slong) size);
    arb_one(law);
    for (user = 0; user < n; user++)
    {
        _arb_vec_zero(next, (slong) size);
        for (i = 0; i < size; i++)
        {
            size_t place = 1;
            if (arb_is_zero(law + i))
                continue;
            for (y = 0; y < R->outputs; y++)
            {
                size_t step = y == 0 ? 0 : place;
                if (y > 0)
                    place *= n + 1;
                arb_set_fmpq(p, R->row + data[user] * R->outputs + y, PREC);
                if (!arb_is_zero(p))
                {
                    arb_mul(t, law + i, p, PREC);
                    arb_add(next + i + step, next + i + step, t, PREC);
                }
            }
        }
        _arb_vec_set(law, next, (slong) size);
    }
    _arb_vec_clear(next, (slong) size);
    arb_clear(t);
    arb_clear(p);
}

/* H_alpha of two datasets that differ in user 0, who holds x or x1. */
static void divergence(arb_t h, const shuf_randomiser_t R, uint64_t x, uint64_t x1, const uint64_t *others, uint64_t n,
                       const arb_t alpha)
{
    size_t size = table_size(n, R->outputs), i;
    arb_ptr P = _arb_vec_init((slong) size), Q = _arb_vec_init((slong) size);
    uint64_t data[MAX_USERS];
    arb_t zero;
    arb_init(zero);
    memcpy(data + 1, others, (n - 1) * sizeof(uint64_t));
    data[0] = x;
    histogram_law(P, R, data, n);
    data[0] = x1;
    histogram_law(Q, R, data, n);
    arb_zero(h);
    for (i = 0; i < size; i++)
    {
        arb_submul(P + i, alpha, Q + i, PREC);
        arb_max(P + i, P + i, zero, PREC);
        arb_add(h, h, P + i, PREC);
    }
    _arb_vec_clear(P, (slong) size);
    _arb_vec_clear(Q, (slong) size);
    arb_clear(zero);
}

/* The largest over all neighbouring datasets: the others' values in non-decreasing order. */
static void true_delta(arb_t delta, const shuf_randomiser_t R, uint64_t n, const arb_t alpha)
{
    uint64_t others[MAX_USERS] = { 0 }, x, x1;
    arb_t h;
    arb_init(h);
    arb_zero(delta);
    for (;;)
    {
        uint64_t i;
        for (x = 0; x < R->inputs; x++)
            for (x1 = 0; x1 < R->inputs; x1++)
                if (x != x1)
                {
                    divergence(h, R, x, x1, others, n, alpha);
                    arb_max(delta, delta, h, PREC);
                }
        for (i = n - 1; i > 0 && others[i - 1] == R->inputs - 1; i--)
            ;
        if (i == 0)
            break;
        others[i - 1]++;
        for (; i < n - 1; i++)
            others[i] = others[i - 1];
    }
    arb_clear(h);
}

/* ---- checks ---- */

static int at_most(const arf_t x, const arb_t y)
{
    arf_t bound;
    int result;
    arf_init(bound);
    arb_get_ubound_arf(bound, y, PREC);
    result = arf_cmp(x, bound) <= 0;
    arf_clear(bound);
    return result;
}

static int at_least(const arf_t x, const arb_t y)
{
    arf_t bound;
    int result;
    arf_init(bound);
    arb_get_lbound_arf(bound, y, PREC);
    result = arf_cmp(x, bound) >= 0;
    arf_clear(bound);
    return result;
}

static void parse(shuf_randomiser_t R, const char *text)
{
    char error[256];
    if (shuf_randomiser_parse(R, text, strlen(text), error, sizeof(error)) != 0)
        fail_msg("%s", error);
}

/* Whether only sets are seen in which the reports are. */
static int sees_sets(int kind)
{
    return kind == SHUF_SHUFFLED_MIXED || kind == SHUF_SHUFFLED_GROUPED;
}

/* The divergence of the data that a lower bound names. */
static void named_divergence(arb_t h, const shuf_randomiser_t R, const shuf_datasets *where, shuf_shuffled_kind kind, uint64_t n,
                             const arb_t alpha)
{
    uint64_t others[MAX_USERS], i;
    for (i = 0; i + 1 < n; i++)
        others[i] = kind == SHUF_SHUFFLED_MIXED && i < where->count ? where->second : where->others;
    divergence(h, R, where->x, where->x1, others, n, alpha);
}

static void check_point(const shuf_randomiser_t R, uint64_t n, const shuf_real_t eps, const shuf_options *options)
{
    shuf_enclosure_t r;
    shuf_datasets where;
    arb_t alpha, truth, h;
    int kind;
    shuf_enclosure_init(r);
    arb_init(alpha);
    arb_init(truth);
    arb_init(h);
    shuf_real_exp(alpha, eps, PREC);
    true_delta(truth, R, n, alpha);
    for (kind = 0; kind < SHUF_SHUFFLED_KINDS; kind++)
    {
        shuf_status status = shuf_shuffled_delta(r, &where, R, n, (shuf_shuffled_kind) kind, eps, options);
        int bad;
        if (status == SHUF_DOMAIN)
            continue;
        assert_true(explained(r));
        if (shuf_shuffled_is_upper((shuf_shuffled_kind) kind))
            bad = !at_least(r->hi, truth);
        else
            bad = !at_most(r->lo, truth);
        if (!bad && !shuf_shuffled_is_upper((shuf_shuffled_kind) kind))
        {
            /* of the data it names; exactly, but for events of many outputs */
            named_divergence(h, R, &where, (shuf_shuffled_kind) kind, n, alpha);
            bad = !at_most(r->lo, h) || ((!sees_sets(kind) || R->outputs == 2) && !at_least(r->hi, h));
        }
        if (bad)
        {
            fprintf(stderr, "%s, n = %lu, eps = %s: [%g, %g], true value %g\n", shuf_shuffled_theorem((shuf_shuffled_kind) kind),
                    (unsigned long) n, eps->text, arf_get_d(r->lo, ARF_RND_DOWN), arf_get_d(r->hi, ARF_RND_UP),
                    arf_get_d(arb_midref(truth), ARF_RND_NEAR));
            fail();
        }
    }
    shuf_enclosure_clear(r);
    arb_clear(alpha);
    arb_clear(truth);
    arb_clear(h);
}

static void random_randomisers(void **unused)
{
    static const char *const texts[] = { "0", "0.05", "0.2", "0.5", "log(2)", "1", "1.7", "log(7)" };
    int i;
    (void) unused;
    for (i = 0; i < 60; i++)
    {
        /* some in too little time */
        shuf_options options = { 1 + (slong) random_below(6), i % 2 == 0 ? 5e9 : 1e5 };
        shuf_randomiser_t R;
        shuf_real_t eps;
        uint64_t outputs = 2 + random_below(3);
        shuf_randomiser_init(R);
        shuf_real_init(eps);
        random_matrix(R, 2 + random_below(2), outputs, i % 4 == 3);
        shuf_real_set_str(eps, texts[random_below(sizeof(texts) / sizeof(texts[0]))]);
        check_point(R, 1 + random_below(outputs == 4 ? 4 : MAX_USERS), eps, &options);
        shuf_randomiser_clear(R);
        shuf_real_clear(eps);
    }
}

/* Ratios beyond the number of users, with an eps below the largest: local-swap says something. */
static void far_randomisers(void **unused)
{
    static const shuf_options options = { 6, 0 };
    int i, said = 0;
    (void) unused;
    for (i = 0; i < 60; i++)
    {
        shuf_randomiser_t R;
        shuf_enclosure_t r;
        shuf_real_t eps, eps0;
        arb_t alpha, truth;
        uint64_t x, y, n = 2 + random_below(5), outputs = 2 + random_below(2);
        shuf_randomiser_init(R);
        shuf_enclosure_init(r);
        shuf_real_init(eps);
        shuf_real_init(eps0);
        arb_init(alpha); arb_init(truth);
        R->kind = SHUF_RANDOMISER_MATRIX;
        R->inputs = 2 + random_below(2);
        R->outputs = outputs;
        R->row = _fmpq_vec_init((slong) (R->inputs * outputs));
        for (x = 0; x < R->inputs; x++)
        {
            ulong weight[3], sum = 0;
            for (y = 0; y < outputs; y++)
                sum += weight[y] = 1 + random_below(UINT64_C(1) << random_below(12));
            for (y = 0; y < outputs; y++)
                fmpq_set_si(R->row + x * outputs + y, (slong) weight[y], sum);
        }
        assert_true(shuf_randomiser_eps0(eps0, R));
        shuf_real_get_arb(alpha, eps0, PREC);
        shuf_real_set_d(eps, arf_get_d(arb_midref(alpha), ARF_RND_DOWN) * (double) (1 + random_below(15)) / 16);
        shuf_real_exp(alpha, eps, PREC);
        if (shuf_shuffled_delta(r, NULL, R, n, SHUF_SHUFFLED_LOCAL_SWAP, eps, &options) == SHUF_DOMAIN)
        {
            assert_false(shuf_shuffled_is_far(eps0, n));
        }
        else
        {
            true_delta(truth, R, n, alpha);
            said += arf_cmp_d(r->hi, 0.999) < 0;
            assert_true(at_least(r->hi, truth));
        }
        shuf_randomiser_clear(R);
        shuf_enclosure_clear(r);
        shuf_real_clear(eps);
        shuf_real_clear(eps0);
        arb_clear(alpha); arb_clear(truth);
    }
    assert_true(said > 5);
}

/* Single points from above, and what moments say there: not below the truth. */
static void points_above(void **unused)
{
    static const shuf_options options = { 6, 0 };
    fmpq_t one;
    int trial, i;
    (void) unused;
    fmpq_init(one);
    fmpq_one(one);
    for (trial = 0; trial < 20; trial++)
    {
        const shuf_sampling everyone = { 1 + random_below(MAX_USERS - 1), one, 0 };
        shuf_randomiser_t R;
        shuf_law_t law;
        shuf_enclosure_t r;
        shuf_real_t eps, loss;
        arb_t truth, alpha;
        arf_t s, hi;
        double largest;
        shuf_randomiser_init(R);
        shuf_enclosure_init(r);
        shuf_real_init(eps); shuf_real_init(loss);
        arb_init(truth); arb_init(alpha);
        arf_init(s); arf_init(hi);
        random_matrix(R, 2 + random_below(2), 2 + random_below(2), 0);
        described_law_above(law, R, &everyone);
        assert_true(shuf_law_max_loss(loss, law));
        shuf_real_get_arb(alpha, loss, PREC);
        largest = arf_get_d(arb_midref(alpha), ARF_RND_DOWN);
        for (i = 0; i < 4; i++)
        {
            arf_set_d(s, largest * (double) (1 + random_below(1023)) / 1024);
            shuf_real_set_arf(eps, s);
            arb_set_arf(alpha, s);
            arb_exp(alpha, alpha, PREC);
            true_delta(truth, R, everyone.n, alpha);
            assert_int_not_equal(law->delta(r, NULL, law, eps, SHUF_DIRECTION_BOTH, &options), SHUF_DOMAIN);
            assert_true(at_least(r->hi, truth));
            law->above(hi, law, SHUF_DIRECTION_PQ, s);
            assert_true(at_least(hi, truth));
        }
        shuf_law_clear(law);
        shuf_randomiser_clear(R);
        shuf_enclosure_clear(r);
        shuf_real_clear(eps); shuf_real_clear(loss);
        arb_clear(truth); arb_clear(alpha);
        arf_clear(s); arf_clear(hi);
    }
    fmpq_clear(one);
}

/* What moments say between their nodes is not below the blanket's bound there, or what data have, and of use, of all users and of samples. */
static void moments_between(void **unused)
{
    static const char *const mechanisms[] = { "{\"type\":\"laplace\",\"scale\":\"1\"}", "{\"type\":\"rappor\",\"k\":7,\"eps0\":\"2\"}", "{\"type\":\"krr\",\"k\":3,\"eps0\":\"1\"}",
                                              "{\"type\":\"matrix\",\"rows\":[[\"1/2\",\"1/3\",\"1/6\"],[\"1/6\",\"1/3\",\"1/2\"],[\"1/8\",\"3/4\",\"1/8\"]]}" };
    static const shuf_options options = { 4, 0 }, little = { 3, 1e6 };
    fmpq_t rate;
    size_t i;
    int kind, j, of_use = 0;
    (void) unused;
    fmpq_init(rate);
    for (i = 0; i < sizeof(mechanisms) / sizeof(mechanisms[0]); i++)
        for (kind = 0; kind < 3; kind++)
        {
            const shuf_sampling sampling = { 30 + random_below(300), rate, kind == 2 };
            shuf_randomiser_t R;
            shuf_law_t law, data;
            shuf_datasets where;
            shuf_enclosure_t r;
            shuf_real_t eps, loss;
            arb_t t;
            arf_t s, hi, lo;
            fmpq_set_si(rate, kind == 0 ? 1 : 2, kind == 0 ? 1 : 3);
            shuf_randomiser_init(R);
            shuf_enclosure_init(r);
            shuf_real_init(eps); shuf_real_init(loss);
            arb_init(t);
            arf_init(s); arf_init(hi); arf_init(lo);
            parse(R, mechanisms[i]);
            described_law_above(law, R, &sampling);
            described_law_below(data, R, &sampling, SHUF_SHUFFLED_ALL_EQUAL, 0);
            assert_true(shuf_law_max_loss(loss, law));
            shuf_real_get_arb(t, loss, PREC);
            for (j = 0; j < 10; j++)
            {
                const shuf_direction direction = j < 5 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP;
                arf_set_d(s, arf_get_d(arb_midref(t), ARF_RND_DOWN) * (double) (1 + random_below(1040)) / 1024 * (j % 2 == 0 ? 1 : 0.1));
                shuf_real_set_arf(eps, s);
                shuf_shuffled_sampled_delta(r, NULL, R, &sampling, SHUF_SHUFFLED_BLANKET, eps, &options);
                law->above(hi, law, SHUF_DIRECTION_PQ, s);
                assert_true(arf_cmp(hi, r->lo) >= 0);
                arf_mul_ui(r->hi, r->hi, 1000, 64, ARF_RND_UP);
                of_use += arf_cmp(hi, r->hi) < 0;
                assert_int_not_equal(data->delta(r, &where, data, eps, direction, &options), SHUF_DOMAIN);
                data->above(hi, data, direction, s);
                assert_true(arf_cmp(hi, r->lo) >= 0);
                arf_mul_ui(r->hi, r->hi, 1000, 64, ARF_RND_UP);
                of_use += arf_cmp(hi, r->hi) < 0;
            }
            /* nodes that there is no work for have them, too */
            law->prepare(law, &little);
            for (j = 0; j < 10; j++)
            {
                arf_set_d(s, arf_get_d(arb_midref(t), ARF_RND_DOWN) * (double) (1 + random_below(1000)) / 1024);
                shuf_real_set_arf(eps, s);
                assert_int_not_equal(data->delta(r, &where, data, eps, SHUF_DIRECTION_BOTH, &options), SHUF_DOMAIN);
                law->evaluate(lo, hi, law, SHUF_DIRECTION_PQ, s, 1, &options);
                assert_true(arf_cmp(hi, r->lo) >= 0);
            }
            shuf_law_clear(data);
            shuf_law_clear(law);
            shuf_randomiser_clear(R);
            shuf_enclosure_clear(r);
            shuf_real_clear(eps); shuf_real_clear(loss);
            arb_clear(t);
            arf_clear(s); arf_clear(hi); arf_clear(lo);
        }
    fmpq_clear(rate);
    assert_true(of_use > 120); /* of 240 */
}

/* Normal reports with little noise: the blanket has a digit where all of them are out of reach, and is not below the data. */
static void heavy_blanket(void **unused)
{
    static const shuf_options options = { 6, 1e10 };
    shuf_randomiser_t R;
    shuf_enclosure_t r, data;
    shuf_real_t eps;
    (void) unused;
    skip_unless_drawn(3);
    shuf_randomiser_init(R);
    shuf_enclosure_init(r);
    shuf_enclosure_init(data);
    shuf_real_init(eps);
    shuf_real_set_d(eps, 1);
    parse(R, "{\"type\":\"gaussian\",\"scale\":\"0.35\"}");
    shuf_shuffled_delta(r, NULL, R, 1200, SHUF_SHUFFLED_BLANKET, eps, &options);
    shuf_shuffled_delta(data, NULL, R, 1200, SHUF_SHUFFLED_ALL_EQUAL, eps, &options);
    assert_true(arf_cmp_d(r->hi, 0.09) < 0 && arf_cmp(r->hi, data->lo) > 0);
    shuf_randomiser_clear(R);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(data);
    shuf_real_clear(eps);
}

/* A profile of grouped reports at nodes is below the truth in both directions, which differ. */
static void grouped_rounds(void **unused)
{
    static const shuf_options options = { 6, 0 };
    shuf_randomiser_t R;
    shuf_law_t law;
    shuf_real_t eps;
    fmpq_t one;
    const shuf_sampling everyone = { 3, one, 0 };
    arb_t alpha, h;
    arf_t lo, hi, s;
    int i, way;
    (void) unused;
    fmpq_init(one);
    fmpq_one(one);
    shuf_randomiser_init(R);
    shuf_real_init(eps);
    arb_init(alpha); arb_init(h);
    arf_init(lo); arf_init(hi); arf_init(s);
    parse(R, "{\"type\":\"matrix\",\"rows\":[[\"90/100\",\"9/100\",\"1/100\"],[\"1/1000\",\"499/1000\",\"1/2\"]]}");
    described_law_below(law, R, &everyone, SHUF_SHUFFLED_GROUPED, 0);
    law->prepare(law, &options);
    for (i = 0; i < 12; i++)
        for (way = 0; way < 2; way++)
        {
            arf_set_d(s, i / 4.0);
            assert_int_not_equal(law->evaluate(lo, hi, law, way == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP, s, 1, &options), SHUF_DOMAIN);
            arb_set_arf(alpha, s);
            arb_exp(alpha, alpha, PREC);
            divergence(h, R, way == 0 ? law->where->x : law->where->x1, way == 0 ? law->where->x1 : law->where->x,
                       (const uint64_t[]) { law->where->others, law->where->others }, 3, alpha);
            assert_true(at_most(lo, h));
        }
    shuf_law_clear(law);
    shuf_randomiser_clear(R);
    shuf_real_clear(eps);
    fmpq_clear(one);
    arb_clear(alpha); arb_clear(h);
    arf_clear(lo); arf_clear(hi); arf_clear(s);
}

/* The smallest bound over tau and gamma, by another program with a grid of both, and hardly more. */
static void far_numbers(void **unused)
{
    static const shuf_options options = { 6, 0 };
    static const double least[][2] = { { 2.7, 0.311114 }, { 3.3, 0.222876 } };
    shuf_randomiser_t R;
    shuf_enclosure_t r;
    shuf_real_t eps;
    size_t i;
    (void) unused;
    shuf_randomiser_init(R);
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    parse(R, "{\"type\":\"krr\",\"k\":2,\"eps0\":\"log(64)\"}");
    for (i = 0; i < sizeof(least) / sizeof(least[0]); i++)
    {
        shuf_real_set_d(eps, least[i][0]);
        shuf_shuffled_delta(r, NULL, R, 64, SHUF_SHUFFLED_LOCAL_SWAP, eps, &options);
        assert_true(arf_cmp_d(r->lo, 0.998 * least[i][1]) > 0 && arf_cmp_d(r->hi, 1.02 * least[i][1]) < 0);
    }
    shuf_randomiser_clear(R);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
}

/* More users: what data show from below, or an event of their reports, is not above. */
static void far_from_below(void **unused)
{
    static const shuf_options options = { 6, 1e9 };
    static const char *const mechanisms[] = {
        "{\"type\":\"krr\",\"k\":2,\"eps0\":\"log(64)\"}", "{\"type\":\"rappor\",\"k\":4,\"eps0\":\"2.1\"}",
        "{\"type\":\"matrix\",\"rows\":[[\"64/100\",\"35/100\",\"1/100\"],[\"1/100\",\"35/100\",\"64/100\"]]}",
        "{\"type\":\"matrix\",\"rows\":[[\"30/100\",\"69/100\",\"1/200\",\"1/200\"],[\"1/200\",\"69/100\",\"30/100\",\"1/200\"],"
        "[\"1/200\",\"69/100\",\"1/200\",\"30/100\"]]}",
        "{\"type\":\"matrix\",\"rows\":[[\"98/100\",\"1/100\",\"1/100\"],[\"1/100\",\"98/100\",\"1/100\"],[\"1/50\",\"1/50\",\"48/50\"]]}"
    };
    static const shuf_shuffled_kind below[] = { SHUF_SHUFFLED_ALL_EQUAL, SHUF_SHUFFLED_THIRD, SHUF_SHUFFLED_MIXED, SHUF_SHUFFLED_GROUPED };
    size_t i, j;
    int k;
    (void) unused;
    skip_unless_drawn(3);
    for (i = 0; i < sizeof(mechanisms) / sizeof(mechanisms[0]); i++)
    {
        shuf_randomiser_t R;
        shuf_enclosure_t above, r;
        shuf_real_t eps;
        shuf_randomiser_init(R);
        shuf_enclosure_init(above);
        shuf_enclosure_init(r);
        shuf_real_init(eps);
        parse(R, mechanisms[i]);
        for (k = 1; k < 40; k++)
        {
            shuf_real_set_d(eps, k * 0.1);
            assert_int_not_equal(shuf_shuffled_delta(above, NULL, R, 60, SHUF_SHUFFLED_LOCAL_SWAP, eps, &options), SHUF_DOMAIN);
            for (j = 0; j < sizeof(below) / sizeof(below[0]); j++)
                if (shuf_shuffled_delta(r, NULL, R, 60, below[j], eps, &options) != SHUF_DOMAIN)
                    assert_true(arf_cmp(r->lo, above->hi) <= 0);
        }
        shuf_randomiser_clear(R);
        shuf_enclosure_clear(above);
        shuf_enclosure_clear(r);
        shuf_real_clear(eps);
    }
}

/* ---- outputs with equal likelihood ratios ---- */

/* Merging leaves the divergence of all data what it is. */
static void merged_outputs(void **unused)
{
    int i;
    (void) unused;
    for (i = 0; i < 12; i++)
    {
        shuf_randomiser_t cut, merged;
        shuf_real_t eps;
        arb_t alpha, before, after;
        uint64_t x, inputs = 2 + random_below(2), n = 1 + random_below(4);
        fmpq_t third;
        fmpq_init(third);
        fmpq_set_ui(third, 1, 3);
        shuf_randomiser_init(cut);
        shuf_randomiser_init(merged);
        shuf_real_init(eps);
        arb_init(alpha); arb_init(before); arb_init(after);
        random_matrix(cut, inputs, 4, i % 4 == 3);
        /* columns 2 and 3: thirds and halves of what columns 0 and 1 were */
        for (x = 0; x < inputs; x++)
        {
            fmpq *row = cut->row + 4 * x;
            fmpq_add(row, row, row + 2);
            fmpq_add(row + 1, row + 1, row + 3);
            fmpq_mul(row + 2, row, third);
            fmpq_div_2exp(row + 3, row + 1, 1);
            fmpq_sub(row, row, row + 2);
            fmpq_sub(row + 1, row + 1, row + 3);
        }
        merged->kind = SHUF_RANDOMISER_MATRIX;
        merged->inputs = inputs;
        merged->outputs = 4;
        merged->row = _fmpq_vec_init((slong) (4 * inputs));
        for (x = 0; x < 4 * inputs; x++)
            fmpq_set(merged->row + x, cut->row + x);
        merge_columns(merged);
        shuf_real_set_str(eps, i % 2 == 0 ? "0.1" : "log(2)");
        shuf_real_exp(alpha, eps, PREC);
        true_delta(before, cut, n, alpha);
        true_delta(after, merged, n, alpha);
        assert_true(merged->outputs == 2 || merged->outputs == 4);
        assert_true(merged->outputs == 2 || arb_is_zero(after));
        assert_true(arb_overlaps(before, after));
        assert_true(arb_rel_accuracy_bits(before) > PREC / 2 || !arb_is_positive(before));
        fmpq_clear(third);
        shuf_randomiser_clear(cut);
        shuf_randomiser_clear(merged);
        shuf_real_clear(eps);
        arb_clear(alpha); arb_clear(before); arb_clear(after);
    }
}

/* ---- entries beyond the range of doubles ---- */

/* The likelihood ratios of row 0 against row 1, and the other way round, are small and above 10^400. */
static void tiny_entries(void **unused)
{
    static const char *const texts[] = { "0", "3", "20", "800" };
    static const shuf_options options = { 6, 5e9 };
    shuf_randomiser_t R;
    shuf_real_t eps;
    fmpz_t d;
    size_t i;
    (void) unused;
    shuf_randomiser_init(R);
    shuf_real_init(eps);
    parse(R, "{\"type\":\"matrix\",\"rows\":[[\"1/8\",\"3/4\",\"1/8\"],[\"5/8\",\"1/4\",\"1/8\"]]}");
    /* row 0: d, 1 - 2d, d with d = 10^-400 */
    fmpz_init(d);
    fmpz_ui_pow_ui(d, 10, 400);
    fmpz_one(fmpq_numref(R->row));
    fmpz_set(fmpq_denref(R->row), d);
    fmpq_set(R->row + 2, R->row);
    fmpz_sub_ui(fmpq_numref(R->row + 1), d, 2);
    fmpz_set(fmpq_denref(R->row + 1), d);
    fmpq_canonicalise(R->row + 1);
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
    {
        shuf_real_set_str(eps, texts[i]);
        check_point(R, 4, eps, &options);
    }
    shuf_randomiser_clear(R);
    shuf_real_clear(eps);
    fmpz_clear(d);
}

/* Everyone takes part. */
static shuf_status epsilon_of_all(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser, uint64_t n,
                                  shuf_shuffled_kind kind, const shuf_real_t delta, const shuf_options *options)
{
    shuf_status status;
    fmpq_t one;
    const shuf_sampling everyone = { n, one, 0 };
    fmpq_init(one);
    fmpq_one(one);
    status = shuf_shuffled_sampled_epsilon(r, where, randomiser, &everyone, kind, delta, 0, options);
    fmpq_clear(one);
    return status;
}

/* An output that one input never has: its event has probability 9/10 against 0 at any eps, e^eps beyond doubles too. */
static void impossible_output(void **unused)
{
    static const char *const texts[] = { "1", "709", "710", "800", "1000000" };
    static const shuf_options options = { 3, 5e9 };
    shuf_randomiser_t R;
    shuf_datasets where;
    shuf_enclosure_t r;
    shuf_real_t eps;
    size_t i;
    (void) unused;
    shuf_randomiser_init(R);
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    parse(R, "{\"type\":\"matrix\",\"rows\":[[\"9/10\",\"1/10\",\"0\"],[\"1/5\",\"1/5\",\"3/5\"],[\"0\",\"1/2\",\"1/2\"]]}");
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
    {
        shuf_real_set_str(eps, texts[i]);
        assert_int_equal(shuf_shuffled_delta(r, &where, R, 2, SHUF_SHUFFLED_MIXED, eps, &options), SHUF_OK);
        assert_true(arf_cmp_d(r->lo, 0.899) > 0 && arf_cmp_d(r->hi, 0.901) < 0);
    }
    shuf_real_set_str(eps, "1/5");
    epsilon_of_all(r, &where, R, 2, SHUF_SHUFFLED_MIXED, eps, &options);
    assert_true(arf_is_pos_inf(r->hi));
    shuf_randomiser_clear(R);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
}

/* ---- local-profile: an enclosure to many digits, though the profile is rounded ---- */

static void profile_digits(void **unused)
{
    static const shuf_options options = { 40, 5e9 };
    shuf_randomiser_t R;
    shuf_real_t eps;
    shuf_enclosure_t r;
    arb_t bound;
    fmpq_t q;
    (void) unused;
    shuf_randomiser_init(R);
    shuf_real_init(eps);
    shuf_enclosure_init(r);
    arb_init(bound);
    fmpq_init(q);
    /* E = 25/9, alpha = 2, m = 7/64: m (1 - c-) for two users, c- = (m+1) 9/41 = 639/2624 */
    parse(R, "{\"type\":\"rappor\",\"k\":2,\"flip\":\"3/8\"}");
    shuf_real_set_str(eps, "log(2)");
    fmpq_set_si(q, 7 * 1985, 64 * 2624);
    arb_set_fmpq(bound, q, PREC);
    assert_int_equal(shuf_shuffled_delta(r, NULL, R, 2, SHUF_SHUFFLED_LOCAL_PROFILE, eps, &options), SHUF_OK);
    assert_true(explained(r));
    assert_true(at_most(r->lo, bound) && at_least(r->hi, bound));
    shuf_randomiser_clear(R);
    shuf_real_clear(eps);
    shuf_enclosure_clear(r);
    arb_clear(bound);
    fmpq_clear(q);
}

/* ---- k-RR: pairs of other modules ---- */

static int meet(const shuf_enclosure_t x, const shuf_enclosure_t y)
{
    return arf_cmp(x->lo, y->hi) <= 0 && arf_cmp(y->lo, x->hi) <= 0;
}

/* The larger direction is not the one whose Chernoff bound is larger. */
static void larger_reference(void **state)
{
    static const shuf_options options = { 9, 0 };
    shuf_randomiser_t R;
    shuf_datasets where;
    shuf_enclosure_t r;
    shuf_real_t eps;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    shuf_randomiser_init(R);
    parse(R, "{\"type\":\"krr\",\"k\":3,\"eps0\":\"log(50)\"}");
    shuf_real_set_str(eps, "1.32166");
    assert_int_equal(shuf_shuffled_delta(r, &where, R, 4, SHUF_SHUFFLED_ALL_EQUAL, eps, &options), SHUF_OK);
    assert_true(arf_cmp_d(r->lo, 0.791133935) > 0 && arf_cmp_d(r->hi, 0.791133936) < 0);
    assert_int_equal(where.others, 0);
    shuf_randomiser_clear(R);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
}

static void krr(void **unused)
{
    static const struct
    {
        uint64_t n, k;
        const char *eps0, *gamma, *eps;
    } points[] = {
        { 5, 2, "log(3)", "1/2", "0.4" }, { 40, 3, "log(4)", "1/2", "0.3" }, { 300, 4, "log(13)", "1/4", "0.5" },
        { 2000, 5, "log(6)", "1/2", "0.1" },
    };
    static const shuf_options options = { 6, 10e9 };
    size_t i;
    (void) unused;
    for (i = 0; i < sizeof(points) / sizeof(points[0]); i++)
    {
        shuf_randomiser_t R;
        shuf_pair_t pair;
        shuf_real_t eps, eps0;
        shuf_enclosure_t r, expected;
        fmpq_t gamma;
        shuf_randomiser_init(R);
        shuf_pair_init(pair);
        shuf_real_init(eps);
        shuf_real_init(eps0);
        shuf_enclosure_init(r);
        shuf_enclosure_init(expected);
        fmpq_init(gamma);
        shuf_real_set_str(eps, points[i].eps);
        shuf_real_set_str(eps0, points[i].eps0);
        fmpq_set_str(gamma, points[i].gamma, 10);
        R->kind = SHUF_RANDOMISER_KRR;
        R->inputs = points[i].k;
        shuf_real_set(R->eps0, eps0);

        assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_WEAK, points[i].n, points[i].k, gamma), 0);
        shuf_hockey_delta(expected, pair, eps, SHUF_DIRECTION_BOTH, &options);
        assert_int_equal(shuf_shuffled_delta(r, NULL, R, points[i].n, SHUF_SHUFFLED_BLANKET, eps, &options), SHUF_OK);
        assert_true(meet(r, expected));
        assert_int_equal(shuf_pair_set_krr(pair, SHUF_PAIR_KRR_SAME, points[i].n, points[i].k, eps0), 0);
        shuf_hockey_delta(expected, pair, eps, SHUF_DIRECTION_BOTH, &options);
        assert_int_equal(shuf_shuffled_delta(r, NULL, R, points[i].n, SHUF_SHUFFLED_ALL_EQUAL, eps, &options), SHUF_OK);
        assert_true(meet(r, expected));
        if (points[i].k >= 3)
        {
            shuf_pair_set_krr(pair, SHUF_PAIR_KRR_THIRD, points[i].n, points[i].k, eps0);
            shuf_hockey_delta(expected, pair, eps, SHUF_DIRECTION_BOTH, &options);
            assert_int_equal(shuf_shuffled_delta(r, NULL, R, points[i].n, SHUF_SHUFFLED_THIRD, eps, &options), SHUF_OK);
            /* the pair merges the fourth value and more */
            assert_true(points[i].k == 3 ? meet(r, expected) : arf_cmp(expected->lo, r->hi) <= 0);
        }
        shuf_randomiser_clear(R);
        shuf_pair_clear(pair);
        shuf_real_clear(eps);
        shuf_real_clear(eps0);
        shuf_enclosure_clear(r);
        shuf_enclosure_clear(expected);
        fmpq_clear(gamma);
    }
}

/* ---- eps(delta) ---- */

static void epsilons(void **unused)
{
    static const shuf_options options = { 3, 20e9 }, exact = { 6, 10e9 };
    shuf_randomiser_t R;
    shuf_real_t delta, eps;
    shuf_enclosure_t r, at;
    int kind;
    (void) unused;
    shuf_randomiser_init(R);
    shuf_real_init(delta);
    shuf_real_init(eps);
    shuf_enclosure_init(r);
    shuf_enclosure_init(at);
    shuf_real_set_str(delta, "1e-4");
    R->kind = SHUF_RANDOMISER_SUBSET;
    R->inputs = 6;
    R->size = 2;
    shuf_real_set_str(R->eps0, "2");
    for (kind = 0; kind < SHUF_SHUFFLED_KINDS; kind++)
    {
        if (kind == SHUF_SHUFFLED_LOCAL_SWAP)
            continue; /* not far enough */
        assert_int_not_equal(epsilon_of_all(r, NULL, R, 500, (shuf_shuffled_kind) kind, delta, &options), SHUF_DOMAIN);
        if (shuf_shuffled_is_upper((shuf_shuffled_kind) kind))
        {
            shuf_real_set_arf(eps, r->hi);
            shuf_shuffled_delta(at, NULL, R, 500, (shuf_shuffled_kind) kind, eps, &exact);
            assert_true(shuf_real_cmp_arf(delta, at->hi) >= 0);
        }
        else if (arf_sgn(r->lo) > 0)
        {
            shuf_real_set_arf(eps, r->lo);
            shuf_shuffled_delta(at, NULL, R, 500, (shuf_shuffled_kind) kind, eps, &exact);
            assert_true(shuf_real_cmp_arf(delta, at->hi) < 0);
        }
        else
        {
            fail();
        }
    }
    shuf_randomiser_clear(R);
    shuf_real_clear(delta);
    shuf_real_clear(eps);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(at);
}

/* The data that a lower bound names exceed delta at its lower end, and not at its upper one. */
static void named_data(void **unused)
{
    static const shuf_options options[2] = { { 5, 20e9 }, { 3, 2e9 } };
    shuf_randomiser_t R;
    shuf_real_t delta;
    shuf_enclosure_t r;
    shuf_datasets where;
    arb_t alpha, h, d;
    int i, kind;
    (void) unused;
    shuf_real_init(delta);
    shuf_enclosure_init(r);
    arb_init(alpha);
    arb_init(h);
    arb_init(d);
    for (i = 0; i < 4; i++)
    {
        uint64_t n = i == 0 ? 1 : 1 + random_below(4);
        shuf_randomiser_init(R);
        if (i == 0)
            parse(R, "{\"type\":\"matrix\",\"rows\":[[\"1/2\",\"1/2\",\"0\",\"0\"],[\"1/10\",\"3/10\",\"3/10\",\"3/10\"]]}");
        else
            random_matrix(R, 2 + random_below(2), 2 + random_below(2), i % 2);
        shuf_real_set_str(delta, i == 0 ? "1/2" : i % 3 == 1 ? "0.1" : "1/100");
        shuf_real_get_arb(d, delta, PREC);
        for (kind = SHUF_SHUFFLED_ALL_EQUAL; kind < SHUF_SHUFFLED_KINDS; kind++)
        {
            epsilon_of_all(r, &where, R, n, (shuf_shuffled_kind) kind, delta, &options[i > 0]);
            if (arf_sgn(r->lo) <= 0)
                continue;
            arb_set_arf(alpha, r->lo);
            arb_exp(alpha, alpha, PREC);
            named_divergence(h, R, &where, (shuf_shuffled_kind) kind, n, alpha);
            assert_true(arb_gt(h, d));
            /* what is seen of these is an event or a set only */
            if (!arf_is_finite(r->hi) || sees_sets(kind))
                continue;
            arb_set_arf(alpha, r->hi);
            arb_exp(alpha, alpha, PREC);
            named_divergence(h, R, &where, (shuf_shuffled_kind) kind, n, alpha);
            assert_false(arb_gt(h, d));
        }
        shuf_randomiser_clear(R);
    }

    /* so many users that not much is known of 0, 1; 2e-10 is certain from 2, 0 */
    shuf_randomiser_init(R);
    parse(R, "{\"type\":\"matrix\",\"rows\":[[\"1/2\",\"1/2\",\"0\"],[\"1/4\",\"0.7499999999\",\"1e-10\"],"
             "[\"0.4999999998\",\"1/2\",\"2e-10\"]]}");
    shuf_real_set_str(delta, "0");
    shuf_shuffled_delta(r, &where, R, UINT64_C(1000000000000000000), SHUF_SHUFFLED_ALL_EQUAL, delta, &options[0]);
    assert_true(arf_cmp_d(r->lo, 1.9e-10) > 0 && arf_cmp_d(r->hi, 2.1e-10) > 0);
    assert_int_equal(where.x, 2);
    assert_int_equal(where.x1, 0);
    assert_int_equal(where.others, 0);
    shuf_randomiser_clear(R);

    shuf_real_clear(delta);
    shuf_enclosure_clear(r);
    arb_clear(alpha);
    arb_clear(h);
    arb_clear(d);
}

/* delta at eps = 0 with so much noise that the loss is nearly normal. */
static void normal_data_far(const char *json, uint64_t n, double expected)
{
    const shuf_options options = { 3, 1e9 };
    const double slack = 1e-3;
    shuf_randomiser_t R;
    shuf_sampling sampling;
    fmpq_t all;
    shuf_enclosure_t r;
    shuf_real_t eps;
    shuf_randomiser_init(R);
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    fmpq_init(all);
    fmpq_one(all);
    sampling = (shuf_sampling) { n, all, 0 };
    parse(R, json);
    shuf_shuffled_named_delta(r, R, &sampling, 1, 0, 0, eps, &options);
    assert_int_equal(r->status, SHUF_OK);
    assert_true(arf_cmp_d(r->lo, expected * (1 + slack)) <= 0 && arf_cmp_d(r->hi, expected * (1 - slack)) >= 0);
    fmpq_clear(all);
    shuf_real_clear(eps);
    shuf_enclosure_clear(r);
    shuf_randomiser_clear(R);
}

/* Normal reports with little noise have a heavy tail: in each direction what is told of users who hold the same, but one, has its digits, and both are those of the pair. */
static void normal_data(void **state)
{
    const shuf_options options = { 3, 1e9 };
    shuf_randomiser_t R;
    shuf_sampling sampling;
    fmpq_t all;
    shuf_enclosure_t r, pair;
    shuf_real_t eps;
    int i;
    (void) state;
    shuf_randomiser_init(R);
    shuf_enclosure_init(r); shuf_enclosure_init(pair);
    shuf_real_init(eps);
    fmpq_init(all);
    fmpq_one(all);
    sampling = (shuf_sampling) { 75, all, 0 };
    parse(R, "{\"type\":\"gaussian\",\"scale\":\"0.54\"}");
    for (i = 0; i < 6; i++)
    {
        const int is_there = i % 2;
        shuf_real_set_d(eps, i / 2);
        shuf_shuffled_named_delta(r, R, &sampling, is_there ? 1 : 0, is_there ? 0 : 1, 0, eps, &options);
        shuf_gaussian_delta(pair, 75, R->scale, eps, is_there ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, &options);
        assert_int_equal(r->status, SHUF_OK);
        assert_true(arf_cmp(r->lo, pair->hi) <= 0 && arf_cmp(pair->lo, r->hi) <= 0);
    }
    /* 1/(sigma sqrt(2 pi n)): half the mean modulus of what is nearly normal, of standard deviation 1/(sigma sqrt(n)) */
    normal_data_far("{\"type\":\"gaussian\",\"scale\":\"5000\"}", 10, 2.52313252e-5);
    normal_data_far("{\"type\":\"gaussian\",\"scale\":\"100000\"}", 100000, 1.26156626e-8);
    fmpq_clear(all);
    shuf_real_clear(eps);
    shuf_enclosure_clear(r); shuf_enclosure_clear(pair);
    shuf_randomiser_clear(R);
}

/* ---- Poisson participation: the mean over the number of reports, each a sample of that size ---- */

/* The bound from the local profile, or what is known of users 0 and 1 with these others. */
static void of_sampling(shuf_enclosure_t r, const shuf_randomiser_t R, const shuf_sampling *sampling, int of_profile, uint64_t others,
                        const shuf_real_t eps, const shuf_options *options)
{
    if (of_profile)
        shuf_shuffled_sampled_delta(r, NULL, R, sampling, SHUF_SHUFFLED_LOCAL_PROFILE, eps, options);
    else
        shuf_shuffled_named_delta(r, R, sampling, 0, 1, others, eps, options);
}

static void check_participation(const shuf_randomiser_t R, uint64_t n, slong chance, int of_profile, uint64_t others, const shuf_real_t eps)
{
    static const shuf_options options = { 2, 1e8 };
    shuf_enclosure_t r;
    shuf_sampling sampling;
    fmpq_t rate, q;
    fmpz_t choose;
    arb_t mean, weight, term;
    arf_t lo, hi;
    uint64_t count;
    shuf_enclosure_init(r);
    fmpq_init(rate);
    fmpq_init(q);
    fmpz_init(choose);
    arb_init(mean);
    arb_init(weight);
    arb_init(term);
    arf_init(lo);
    arf_init(hi);
    fmpq_set_si(q, 1, (ulong) chance);
    for (count = 1; count <= n; count++)
    {
        fmpq_set_si(rate, (slong) count, n);
        sampling = (shuf_sampling) { count, rate, 0 };
        of_sampling(r, R, &sampling, of_profile, others, eps, &options);
        shuf_enclosure_get_arb(term, r, PREC);
        fmpz_bin_uiui(choose, n, count);
        arb_set_fmpz(weight, choose);
        arb_mul(term, term, weight, PREC);
        arb_set_fmpq(weight, q, PREC);
        arb_pow_ui(weight, weight, count, PREC);
        arb_mul(term, term, weight, PREC);
        arb_set_fmpq(weight, q, PREC);
        arb_sub_ui(weight, weight, 1, PREC);
        arb_neg(weight, weight);
        arb_pow_ui(weight, weight, n - count, PREC);
        arb_addmul(mean, term, weight, PREC);
    }
    sampling = (shuf_sampling) { n, q, 1 };
    of_sampling(r, R, &sampling, of_profile, others, eps, &options);
    assert_true(explained(r));
    arb_get_interval_arf(lo, hi, mean, PREC);
    if (arf_cmp(r->lo, hi) > 0 || arf_cmp(lo, r->hi) > 0)
        fail_msg("n = %llu, 1/%ld, others %llu: [%g, %g], the mean is [%g, %g]", (unsigned long long) n, (long) chance, (unsigned long long) others,
                 arf_get_d(r->lo, ARF_RND_NEAR), arf_get_d(r->hi, ARF_RND_NEAR), arf_get_d(lo, ARF_RND_NEAR), arf_get_d(hi, ARF_RND_NEAR));
    assert_true(arf_get_d(hi, ARF_RND_NEAR) < 1.2 * arf_get_d(lo, ARF_RND_NEAR) && arf_get_d(r->hi, ARF_RND_NEAR) < 1.2 * arf_get_d(r->lo, ARF_RND_NEAR));
    shuf_enclosure_clear(r);
    fmpq_clear(rate);
    fmpq_clear(q);
    fmpz_clear(choose);
    arb_clear(mean);
    arb_clear(weight);
    arb_clear(term);
    arf_clear(lo);
    arf_clear(hi);
}

static void participation(void **unused)
{
    static const char *const randomisers[] = {
        "{\"type\":\"matrix\",\"rows\":[[\"1/10\",\"3/10\",\"3/5\"],[\"1/2\",\"1/2\",\"0\"],[\"1/3\",\"1/3\",\"1/3\"]]}",
        "{\"type\":\"krr\",\"k\":5,\"eps0\":2}", "{\"type\":\"laplace\",\"scale\":\"0.7\"}",
    };
    shuf_real_t eps;
    size_t i;
    (void) unused;
    shuf_real_init(eps);
    for (i = 0; i < 3; i++)
    {
        shuf_randomiser_t R;
        shuf_randomiser_init(R);
        parse(R, randomisers[i]);
        shuf_real_set_d(eps, 0.05 + 0.15 * random_unit());
        /* of noise few reports take long */
        check_participation(R, i < 2 ? 1 + random_below(4) : 30, 2, 0, SHUF_BLANKET, eps);
        check_participation(R, i < 2 ? 5 : 30, 2, 0, 1, eps);
        if (i < 2)
            check_participation(R, 4, 3, 0, 2, eps);
        if (i > 0)
            check_participation(R, 4, 2 + (slong) random_below(3), 1, SHUF_BLANKET, eps);
        shuf_randomiser_clear(R);
    }
    shuf_real_clear(eps);
}

/* ---- mixed data of a sample ---- */

/* law[i] := the probability of i ones among the reports of `taken` users, uniform among `ones` with p and `zeros` with q, and of `first` more with f. */
static void add_taken(double *law, double weight, int ones, int zeros, int taken, double p, double q, int first, double f)
{
    double whole = 1;
    int a, i, user;
    for (i = 0; i < taken; i++)
        whole *= (double) (ones + zeros - i) / (i + 1);
    for (a = 0; a <= taken && a <= ones; a++)
    {
        double one[16] = { 1 }, share = weight / whole;
        if (taken - a > zeros)
            continue;
        for (i = 0; i < a; i++)
            share *= (double) (ones - i) / (i + 1);
        for (i = 0; i < taken - a; i++)
            share *= (double) (zeros - i) / (i + 1);
        for (user = 0; user < taken + first; user++)
        {
            double chance = user < a ? p : user < taken ? q : f;
            for (i = user + 1; i >= 0; i--)
                one[i] = one[i] * (1 - chance) + (i > 0 ? one[i - 1] * chance : 0);
        }
        for (i = 0; i <= taken + first; i++)
            law[i] += share * one[i];
    }
}

/* The divergence of user 1 having the bit p against q, `ones` of the n-1 others p and the rest q, m of all n drawn. */
static double bits_divergence(int n, int m, int ones, double p, double q, double alpha, int exchanged)
{
    double law[2][16] = { { 0 } }, sum = 0, part = (double) m / n;
    int side, i;
    for (side = 0; side < 2; side++)
    {
        add_taken(law[side], part, ones, n - 1 - ones, m - 1, p, q, 1, side == exchanged ? p : q);
        if (m < n)
            add_taken(law[side], 1 - part, ones, n - 1 - ones, m, p, q, 0, 0);
    }
    for (i = 0; i <= m; i++)
        sum += fmax(law[0][i] - alpha * law[1][i], 0);
    return sum;
}

/* The data named have what is found, mostly the largest over all events, numbers of ones, and directions. */
static void sampled_mixes(void **unused)
{
    int trial, i, best = 0;
    shuf_real_t eps;
    shuf_enclosure_t r;
    (void) unused;
    shuf_real_init(eps);
    shuf_enclosure_init(r);
    for (trial = 0; trial < 30; trial++)
    {
        int n = 2 + (int) random_below(8), m = 1 + (int) random_below((uint64_t) n - 1), outputs = 2 + (int) random_below(3), order[MAX_OUTPUTS], size, j, side, equal = 0;
        double p[MAX_OUTPUTS], q[MAX_OUTPUTS], P = 0, Q = 0, largest = 0, found = 0, at = 0.3 * random_unit(), alpha, low;
        shuf_options options = { 6, 0 };
        shuf_randomiser_t R;
        shuf_datasets where;
        fmpq_t rate;
        shuf_sampling sampling = { (uint64_t) m, rate, 0 };
        fmpq_init(rate);
        fmpq_set_si(rate, m, (ulong) n);
        fmpq_canonicalise(rate);
        shuf_randomiser_init(R);
        random_matrix(R, 2, (uint64_t) outputs, trial % 4 == 0);
        shuf_real_set_d(eps, at);
        alpha = exp(at);
        for (i = 0; i < outputs; i++)
        {
            p[i] = fmpq_get_d(R->row + i);
            q[i] = fmpq_get_d(R->row + outputs + i);
            for (j = i; j > 0 && p[order[j - 1]] * q[i] < p[i] * q[order[j - 1]]; j--)
                order[j] = order[j - 1];
            order[j] = i;
        }
        shuf_shuffled_sampled_delta(r, &where, R, &sampling, SHUF_SHUFFLED_MIXED, eps, &options);
        /* of equal ratios either may come first */
        for (i = 1; i < outputs; i++)
            equal |= fabs(p[order[i - 1]] * q[order[i]] - p[order[i]] * q[order[i - 1]]) < 1e-12;
        for (size = 1; size < outputs; size++)
        {
            P += p[order[size - 1]];
            Q += q[order[size - 1]];
            for (j = 0; j < n; j++)
                for (side = 0; side < 2; side++)
                {
                    const int mixed = j > 0 && j < n - 1;
                    double value = bits_divergence(n, m, j, P, Q, alpha, side);
                    int ones = where.second == 0 ? (int) where.count : n - 1 - (int) where.count;
                    if (mixed)
                        largest = fmax(largest, value);
                    if (j == ones && side == (where.x == 1))
                        found = fmax(found, value);
                }
        }
        /* nothing where all others alike promise more */
        low = arf_get_d(r->lo, ARF_RND_FLOOR);
        best += r->status != SHUF_DOMAIN && low > largest * (1 - 1e-5) - 1e-14;
        if (!equal && r->status != SHUF_DOMAIN
            && (low > largest * (1 + 1e-9) + 1e-14 || found < low * (1 - 1e-9) - 1e-14))
            fail_msg("trial %d, n %d, m %d, %d outputs, eps %g: [%.12g, %.12g], not %.12g; the data have %.12g", trial, n, m, outputs, at,
                     low, arf_get_d(r->hi, ARF_RND_CEIL), largest, found);
        fmpq_clear(rate);
        shuf_randomiser_clear(R);
    }
    assert_true(best > 2);
    shuf_real_clear(eps);
    shuf_enclosure_clear(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(participation),
        cmocka_unit_test(sampled_mixes),
        cmocka_unit_test(random_randomisers),
        cmocka_unit_test(far_randomisers),
        cmocka_unit_test(far_from_below),
        cmocka_unit_test(far_numbers),
        cmocka_unit_test(points_above), cmocka_unit_test(heavy_blanket), cmocka_unit_test(moments_between), cmocka_unit_test(grouped_rounds),
        cmocka_unit_test(merged_outputs),
        cmocka_unit_test(tiny_entries),
        cmocka_unit_test(impossible_output),
        cmocka_unit_test(profile_digits),
        cmocka_unit_test(named_data),
        cmocka_unit_test(normal_data),
        cmocka_unit_test(larger_reference),
        cmocka_unit_test(krr),
        cmocka_unit_test(epsilons),
    };
    int failed;
    seed_random();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
