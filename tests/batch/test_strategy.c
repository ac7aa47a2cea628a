/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Matrix mechanisms: the ends of sensitivities against all sets of steps and all signs of small matrices, in whole numbers; questions against the
 * Gaussian formula, and against the Poisson question that they are.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "../account/asked.h"
#include "batch/strategy.h"
#include "check.h"
#include "random.h"

#define MOST 7     /* steps of the matrices that are enumerated */
#define CASES 1500 /* of each test at random */

/* ---- enumeration ---- */

typedef struct
{
    long C[MOST][MOST], X[MOST][MOST];
    int steps, gap, is_apart, times, bands;
    int is_toeplitz, falls, has_negative, is_positive; /* its coefficients do not rise; some may be negative; no entry of X is */
} matrix;

/* Whether a set of steps, a bit each, is in the family. */
static int is_allowed(const matrix *m, unsigned set)
{
    int last = -1, size = 0, i;
    for (i = 0; i < m->steps; i++)
    {
        if (!(set >> i & 1))
            continue;
        if (last >= 0 && (m->is_apart ? i - last < m->gap : i - last != m->gap))
            return 0;
        last = i;
        size++;
    }
    return size > 0 && size <= m->times;
}

/* The largest sum over the signs. */
static long of_set(const matrix *m, unsigned set)
{
    long best = 0;
    unsigned signs;
    int i, j;
    for (signs = 0; signs < 1u << m->steps; signs++)
    {
        long sum = 0;
        if (signs & ~set)
            continue;
        for (i = 0; i < m->steps; i++)
            for (j = 0; j < m->steps; j++)
                if ((set >> i & 1) && (set >> j & 1))
                    sum += (signs >> i & 1) == (signs >> j & 1) ? m->X[i][j] : -m->X[i][j];
        best = sum > best ? sum : best;
    }
    return best;
}

static long sensitivity(const matrix *m)
{
    long best = 0, value;
    unsigned set;
    for (set = 1; set < 1u << m->steps; set++)
        if (is_allowed(m, set) && (value = of_set(m, set)) > best)
            best = value;
    return best;
}

/* ---- matrices ---- */

static long entry_between(long low, long high)
{
    return low + (long) random_below((uint64_t) (high - low + 1));
}

static void set_toeplitz(matrix *m, long low)
{
    long c[MOST];
    int i, j;
    for (j = 0; j < m->bands; j++)
    {
        c[j] = entry_between(low, 5);
        if (j == 0 && c[0] == 0)
            c[0] = 1;
        if (m->falls && j > 0 && c[j] > c[j - 1])
            c[j] = c[j - 1];
    }
    for (i = 0; i < m->steps; i++)
        for (j = 0; j < m->steps; j++)
            m->C[i][j] = i >= j && i - j < m->bands ? c[i - j] : 0;
}

static void set_matrix(matrix *m)
{
    const long low = random_below(3) == 0 ? -3 : 0;
    int i, j, t;
    m->steps = 1 + (int) random_below(MOST);
    m->gap = 1 + (int) random_below(4);
    m->times = 1 + (int) random_below(4);
    m->bands = 1 + (int) random_below((uint64_t) m->steps);
    m->is_apart = (int) random_below(2);
    m->is_toeplitz = (int) random_below(2);
    m->has_negative = low < 0;
    m->falls = m->is_toeplitz && low == 0 && random_below(2);
    if (m->is_toeplitz)
        set_toeplitz(m, low);
    else
        for (i = 0; i < m->steps; i++)
            for (j = 0; j < m->steps; j++)
                m->C[i][j] = i == j ? entry_between(1, 4) : i > j && i - j < m->bands ? entry_between(low, 4) : 0;
    m->is_positive = 1;
    for (i = 0; i < m->steps; i++)
        for (j = 0; j < m->steps; j++)
        {
            m->X[i][j] = 0;
            for (t = 0; t < m->steps; t++)
                m->X[i][j] += m->C[t][i] * m->C[t][j];
            m->is_positive &= m->X[i][j] >= 0;
        }
}

static void set_strategy(shuf_strategy_t x, const matrix *m, int as_rows)
{
    int i, j;
    shuf_strategy_init(x);
    x->kind = as_rows ? SHUF_STRATEGY_ROWS : SHUF_STRATEGY_TOEPLITZ;
    x->steps = (uint64_t) m->steps;
    x->bands = (uint64_t) m->bands;
    x->gap = (uint64_t) m->gap;
    x->times = (uint64_t) m->times;
    x->is_apart = m->is_apart;
    x->count = as_rows ? m->steps * m->steps : m->bands;
    x->entry = _fmpq_vec_init(x->count);
    for (i = 0; i < (as_rows ? m->steps : m->bands); i++)
    {
        if (!as_rows)
            fmpq_set_si(x->entry + i, m->C[i][0], 1);
        for (j = 0; as_rows && j < m->steps; j++)
            fmpq_set_si(x->entry + i * m->steps + j, m->C[i][j], 1);
    }
}

/* low <= truth <= high; both are the truth, nearly, if the theorem says so. */
static void check_ends(const shuf_strategy_t x, long truth, int is_exact, int seed)
{
    const double low = fmpq_get_d(x->low), high = fmpq_get_d(x->high), all = (double) truth;
    if (fmpq_cmp_si(x->low, truth) > 0 || fmpq_cmp_si(x->high, truth) < 0)
        fail_msg("case %d: %ld is not in [%.17g, %.17g]", seed, truth, low, high);
    if (is_exact && !(low > all * (1 - 1e-15) - 1e-15 && high < all * (1 + 1e-15) + 1e-15))
        fail_msg("case %d: [%.17g, %.17g] is not %ld", seed, low, high, truth);
}

static void test_known_steps(void **state)
{
    int n;
    (void) state;
    for (n = 0; n < CASES; n++)
    {
        matrix m;
        shuf_strategy_t x;
        long truth;
        set_matrix(&m);
        truth = sensitivity(&m);
        set_strategy(x, &m, !m.is_toeplitz);
        shuf_strategy_measure(x, 0);
        check_ends(x, truth, m.is_toeplitz ? m.bands <= m.gap || m.falls || (!m.is_apart && !m.has_negative)
                                           : m.bands <= m.gap || (m.is_positive && !m.is_apart), n);
        shuf_strategy_clear(x);
        if (!m.is_toeplitz)
            continue;
        set_strategy(x, &m, 1);
        shuf_strategy_measure(x, 0);
        check_ends(x, truth, m.bands <= m.gap || (m.is_positive && !m.is_apart), n);
        shuf_strategy_clear(x);
    }
}

/* X_ij is the number of intervals with both steps; the ends of one step, and of any that are a whole family, are the truth. */
static void test_tree(void **state)
{
    int n, i, j, level;
    (void) state;
    for (n = 0; n < CASES; n++)
    {
        matrix m;
        shuf_strategy_t x;
        set_matrix(&m);
        for (i = 0; i < m.steps; i++)
            for (j = 0; j < m.steps; j++)
                for (m.X[i][j] = level = 0; m.steps >> level > 0; level++)
                    m.X[i][j] += i >> level == j >> level && i >> level < m.steps >> level;
        set_strategy(x, &m, 1);
        x->kind = SHUF_STRATEGY_TREE;
        shuf_strategy_measure(x, 0);
        check_ends(x, sensitivity(&m), !m.is_apart || m.times == 1 || m.gap >= m.steps, n);
        shuf_strategy_clear(x);
    }
}

/* Steps of a part, and the norms of their columns. */
static void test_poisson_steps(void **state)
{
    int n, part, t, i;
    (void) state;
    for (n = 0; n < CASES; n++)
    {
        matrix m;
        shuf_strategy_t x;
        int is_there = 0;
        set_matrix(&m);
        m.gap = m.bands + (int) random_below(3);
        set_strategy(x, &m, !m.is_toeplitz);
        shuf_strategy_measure(x, 1);
        for (part = 0; part < m.gap; part++)
        {
            uint64_t steps = 0, large = 0;
            for (t = part; t < m.steps; t += m.gap)
            {
                long norm = 0;
                for (i = 0; i < m.steps; i++)
                    norm += m.C[i][t] * m.C[i][t];
                assert_true(fmpq_cmp_si(x->high, norm) >= 0);
                steps++;
                large += fmpq_cmp_si(x->low, norm) <= 0;
            }
            assert_true(steps <= x->most);
            is_there |= large >= x->least;
        }
        assert_true(is_there && x->least <= x->most);
        if (m.is_toeplitz && m.steps % m.gap == 0)
            assert_true(x->least == x->most && fmpq_get_d(x->low) > fmpq_get_d(x->high) * (1 - 1e-15));
        shuf_strategy_clear(x);
    }
}

/* ---- questions ---- */

static void ask_matrix(asked *x, const char *members, const char *neighbours, const char *eps, int digits)
{
    ask(x, "{\"mechanism\":{\"type\":\"noisy-sgd\",%s},%s\"ask\":{\"quantity\":\"delta\",\"eps\":\"%s\"},\"digits\":%d}", members, neighbours, eps, digits);
}

static double tail(double x)
{
    return erfc(x / sqrt(2)) / 2;
}

static void expect_gaussian(const char *members, const char *neighbours, double mu)
{
    const double delta = tail(0.5 / mu - mu / 2) - exp(0.5) * tail(0.5 / mu + mu / 2);
    asked x;
    ask_matrix(&x, members, neighbours, "0.5", 8);
    assert_true(has_theorem(x.answer->upper, "batches-matrix-above") && has_theorem(x.answer->lower, "batches-matrix-below"));
    assert_null(x.answer->lower->data.seen);
    if (!(lower(x.answer->lower->value) <= delta + 1e-9 && upper(x.answer->upper->value) >= delta - 1e-9
          && upper(x.answer->upper->value) - lower(x.answer->lower->value) < 1e-6))
        fail_msg("%s: %.12g is not in [%.12g, %.12g]", members, delta, lower(x.answer->lower->value), upper(x.answer->upper->value));
    asked_clear(&x);
}

static void test_gaussian(void **state)
{
    (void) state;
#define REPLACE "\"neighbours\":\"replace\","
    /* columns 1 and 3 of the square root: (1, 1/2, 3/8 + 1, 5/16 + 1/2) */
    expect_gaussian("\"sampler\":\"fixed\",\"noise_multiplier\":4,\"steps\":4,\"strategy\":\"square-root\",\"every\":2", "",
                    sqrt(1 + 0.25 + 1.375 * 1.375 + 0.8125 * 0.8125) / 4);
    expect_gaussian("\"sampler\":\"fixed\",\"noise_multiplier\":4,\"steps\":4,\"strategy\":[\"1\",\"0.5\",\"3/8\",\"5/16\"],\"separation\":2", REPLACE,
                    sqrt(1 + 0.25 + 1.375 * 1.375 + 0.8125 * 0.8125) / 2);
    expect_gaussian("\"sampler\":\"fixed\",\"noise_multiplier\":4,\"steps\":4,\"strategy\":\"square-root\",\"bands\":2,\"every\":2,\"times\":1", "", sqrt(1.25) / 4);
    /* two runs; a matrix with a column that is best in the middle */
    expect_gaussian("\"sampler\":\"fixed\",\"noise_multiplier\":4,\"steps\":3,\"strategy\":[[1],[0,2],[1,3,1]],\"separation\":3", "\"rounds\":2,", sqrt(2 * 13.0) / 4);
    /* a tree of 4: the whole, one half, and two steps of it */
    expect_gaussian("\"sampler\":\"fixed\",\"noise_multiplier\":8,\"steps\":4,\"strategy\":\"tree\",\"every\":1,\"times\":2", "", sqrt(4 + 4 + 2.0) / 8);
    expect_gaussian("\"sampler\":\"fixed\",\"noise_multiplier\":8,\"steps\":1000,\"strategy\":\"tree\",\"separation\":1,\"times\":1", REPLACE, 2 * sqrt(10.0) / 8);
    /* one sign each: column 1 less column 2 */
    expect_gaussian("\"sampler\":\"fixed\",\"noise_multiplier\":4,\"steps\":2,\"strategy\":[[2,0],[1,-1]],\"every\":1", "", sqrt(4 + 4.0) / 4);
}

#define CLOSE 1e-4 /* of deltas with four digits */

/* With columns of norm 5 the same as a fifth of the noise, for the steps of one part. */
static void test_poisson(void **state)
{
    static const char *const neighbours[] = { "", REPLACE };
    size_t i;
    (void) state;
    for (i = 0; i < 2; i++)
    {
        asked x, y;
        ask_matrix(&x, "\"sampler\":\"poisson\",\"noise_multiplier\":10,\"steps\":12,\"sampling_rate\":\"1/4\",\"strategy\":[3,4],\"every\":3", neighbours[i], "0.3", 4);
        ask_matrix(&y, "\"sampler\":\"poisson\",\"noise_multiplier\":2,\"steps\":4,\"sampling_rate\":\"1/4\"", neighbours[i], "0.3", 4);
        assert_true(has_theorem(x.answer->upper, "batches-matrix-poisson-above"));
        assert_true(fabs(upper(x.answer->upper->value) - upper(y.answer->upper->value)) < CLOSE && fabs(lower(x.answer->lower->value) - lower(y.answer->lower->value)) < CLOSE);
        asked_clear(&x);
        asked_clear(&y);
        /* one step more: it is a record's own, but not all its rows are there */
        ask_matrix(&x, "\"sampler\":\"poisson\",\"noise_multiplier\":10,\"steps\":13,\"sampling_rate\":\"1/4\",\"strategy\":[3,4],\"every\":3", neighbours[i], "0.3", 4);
        ask_matrix(&y, "\"sampler\":\"poisson\",\"noise_multiplier\":2,\"steps\":5,\"sampling_rate\":\"1/4\"", neighbours[i], "0.3", 4);
        assert_true(fabs(upper(x.answer->upper->value) - upper(y.answer->upper->value)) < CLOSE);
        assert_true(lower(x.answer->lower->value) < lower(y.answer->lower->value) - CLOSE);
        asked_clear(&x);
        asked_clear(&y);
    }
}

/* Where nothing else comes to an end, all steps are known. */
static void test_poisson_known(void **state)
{
    static const struct { const char *neighbours, *noise; } cases[] = { { "", "1.5" }, { REPLACE, "3" } };
    size_t i;
    (void) state;
    for (i = 0; i < 2; i++)
    {
        asked x, y;
        ask(&x, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"poisson\",\"noise_multiplier\":\"%s\",\"steps\":1000000,\"sampling_rate\":\"1/2\","
            "\"strategy\":[3,4],\"every\":2},%s\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-5\"},\"digits\":3,\"effort\":1000000}", cases[i].noise, cases[i].neighbours);
        ask(&y, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":\"0.3\",\"steps\":1},\"rounds\":500000,"
            "\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-5\"},\"digits\":3}");
        assert_true(has_theorem(x.answer->upper, "batches-matrix-poisson-known"));
        assert_true(asked_meet(&x, &y));
        asked_clear(&x);
        asked_clear(&y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_known_steps), cmocka_unit_test(test_tree), cmocka_unit_test(test_poisson_steps), cmocka_unit_test(test_gaussian),
                                        cmocka_unit_test(test_poisson), cmocka_unit_test(test_poisson_known) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
