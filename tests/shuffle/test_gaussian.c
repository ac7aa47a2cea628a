/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The shuffled Gaussian against quadrature, simulation and its closed form, and the search for eps. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "shuffle/gaussian.h"
#include "shuffle/gaussian_tail.h"
#include "check.h"
#include "random.h"

static void delta(shuf_enclosure_t r, uint64_t n, const char *sigma, const char *eps, shuf_direction direction, slong digits)
{
    shuf_options options = { digits, 0 };
    shuf_real_t s, e;
    shuf_real_init(s);
    shuf_real_init(e);
    set(s, sigma);
    set(e, eps);
    assert_int_not_equal(shuf_gaussian_delta(r, n, s, e, direction, &options), SHUF_DOMAIN);
    assert_true(well_formed_probability(r));
    shuf_real_clear(s);
    shuf_real_clear(e);
}

static void assert_encloses(const shuf_enclosure_t r, double value, double error, const char *what)
{
    if (arf_cmp_d(r->lo, value + error) > 0 || arf_cmp_d(r->hi, value - error) < 0)
        fail_msg("%s: [%.12g, %.12g], expected %.12g +- %.2g", what, arf_get_d(r->lo, ARF_RND_FLOOR),
                 arf_get_d(r->hi, ARF_RND_CEIL), value, error);
}

/* ---- quadrature ---- */

static double normal(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

/* E(L_1 + ... + L_m - K)_+ by the trapezoidal rule over all but the last; log L ~ N(-a^2/2, a^2). */
static double quadrature(int m, double a, double K, double step)
{
    double sum = 0, x;
    if (K <= 0)
        return m - K;
    if (m == 1)
    {
        double z = (log(K) + a * a / 2) / a;
        return normal(a - z) - K * normal(-z);
    }
    for (x = -9; x <= 9 + a; x += step)
        sum += exp(-x * x / 2) * quadrature(m - 1, a, K - exp(a * x - a * a / 2), step);
    return sum * step / sqrt(2 * 3.14159265358979324);
}

static double model(int n, double sigma, double eps, shuf_direction direction, double step)
{
    double K = n * exp(direction == SHUF_DIRECTION_QP ? eps : -eps), G = quadrature(n, 1 / sigma, K, step);
    return direction == SHUF_DIRECTION_QP ? G / n : (G - n + K) * exp(eps) / n;
}

static void test_quadrature(void **state)
{
    static const struct
    {
        int n;
        const char *sigma, *eps;
        double step;
    } cases[] = {
        { 2, "2", "0.1", 0.005 }, { 2, "2", "1", 0.005 }, { 2, "0.5", "0.5", 0.0004 }, { 2, "10", "0.02", 0.005 },
        { 3, "2", "0.5", 0.03 },  { 3, "1", "1", 0.02 },
    };
    shuf_enclosure_t r;
    size_t i;
    int d;
    (void) state;
    shuf_enclosure_init(r);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (d = 0; d < 2; d++)
        {
            shuf_direction direction = d == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP;
            double sigma = strtod(cases[i].sigma, NULL), eps = strtod(cases[i].eps, NULL), value, coarse;
            char what[80];
            value = model(cases[i].n, sigma, eps, direction, cases[i].step);
            coarse = model(cases[i].n, sigma, eps, direction, 1.5 * cases[i].step);
            /* the rule has converged */
            assert_true(fabs(value - coarse) < 1e-6 * value);
            snprintf(what, sizeof(what), "n %d sigma %s eps %s direction %d", cases[i].n, cases[i].sigma, cases[i].eps, d);
            delta(r, (uint64_t) cases[i].n, cases[i].sigma, cases[i].eps, direction, 3);
            assert_encloses(r, value, 4 * fabs(value - coarse) + 1e-12, what);
            assert_int_equal(r->status, SHUF_OK);
        }
    shuf_enclosure_clear(r);
}

/* ---- one large term ---- */

/* low and high enclose E(S - n e^eps)_+ */
static int tail_of(double *low, double *high, uint64_t n, const char *sigma, double eps)
{
    shuf_real_t s;
    arf_t a, b;
    arb_t K;
    int known;
    shuf_real_init(s);
    arf_init(a);
    arf_init(b);
    arb_init(K);
    set(s, sigma);
    arb_set_d(K, eps);
    arb_exp(K, K, 128);
    arb_mul_ui(K, K, n, 128);
    known = gaussian_tail(a, b, n, s, K, 128);
    *low = known ? arf_get_d(a, ARF_RND_FLOOR) : 0;
    *high = known ? arf_get_d(b, ARF_RND_CEIL) : HUGE_VAL;
    shuf_real_clear(s);
    arf_clear(a);
    arf_clear(b);
    arb_clear(K);
    return known;
}

static void test_tail(void **state)
{
    static const char *sigmas[] = { "0.4", "0.5", "0.7", "1", "2" };
    /* found by rounding the terms to a lattice, in units of the last place given */
    static const struct { uint64_t n; const char *sigma; double eps, value, unit; } known[] = {
        { 1000, "0.35", 5, 1.4660399752, 1e-3 },    { 1000, "0.35", 6, 4.5176316063, 1e-4 },  { 1000, "0.35", 8, 3.079797817, 1e-5 },
        { 1000, "0.35", 10, 1.331225899, 1e-6 },    { 1000, "0.35", 13, 5.0040790808, 1e-9 }, { 10000, "0.4", 5, 1.60984654, 1e-6 },
        { 10000, "0.4", 6, 2.196071592, 1e-7 },     { 1000, "0.6", 3, 4.4359644309, 1e-8 },   { 1000, "1", 1, 2.269759705, 1e-13 },
        { 1000000, "1", 0.1, 7.8e-2, 1e-28 },
    };
    double low, high;
    size_t i;
    int tight = 0, k;
    (void) state;
    for (k = 0; k < 60; k++)
    {
        const int n = k < 50 ? 2 : 3;
        const char *sigma = sigmas[(size_t) (5 * random_unit())];
        const double a = 1 / strtod(sigma, NULL), eps = 0.05 + 5 * random_unit(), step = n == 2 ? 0.001 : 0.02;
        const double value = quadrature(n, a, n * exp(eps), step), coarse = quadrature(n, a, n * exp(eps), 1.5 * step);
        const double off = 4 * fabs(value - coarse) + 1e-9 * value;
        if (!tail_of(&low, &high, (uint64_t) n, sigma, eps))
            continue;
        if (low > value + off || high < value - off)
            fail_msg("n %d sigma %s eps %.17g: [%.12g, %.12g], expected %.12g +- %.2g", n, sigma, eps, low, high, value, off);
        tight += high < 1.1 * low;
    }
    assert_true(tight > 5);
    for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
    {
        const double value = known[i].value * known[i].unit * (double) known[i].n;
        assert_true(tail_of(&low, &high, known[i].n, known[i].sigma, known[i].eps));
        if (low > value * (1 + 2e-8) || high < value * (1 - 2e-8))
            fail_msg("n %d sigma %s eps %g: [%.12g, %.12g], expected %.12g", (int) known[i].n, known[i].sigma, known[i].eps, low, high, value);
    }
    assert_true(tail_of(&low, &high, 1000, "0.35", 10) && high < low * (1 + 1e-7));
    /* what is no tail, and what is far from everything */
    assert_false(tail_of(&low, &high, 2, "1", -1));
    assert_false(tail_of(&low, &high, 2, "1", 0));
    assert_true(!tail_of(&low, &high, 1000, "1000000", 1e-9) || low <= high);
    assert_true(tail_of(&low, &high, UINT64_C(1000000000000000000), "1/1000", 700) && low <= high);
}

/* ---- simulation ---- */

static double random_normal(void)
{
    double u = 1 - random_unit(), v = random_unit();
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979324 * v);
}

#define SAMPLES 200000

static void test_simulation(void **state)
{
    const double sigma = 2, eps = 0.5;
    const int n = 7;
    double sum[2] = { 0, 0 }, squares[2] = { 0, 0 };
    shuf_enclosure_t r;
    int i, j, d;
    (void) state;
    for (i = 0; i < SAMPLES; i++)
    {
        double mean = 0, excess[2];
        for (j = 0; j < n; j++)
            mean += exp((2 * sigma * random_normal() - 1) / (2 * sigma * sigma)) / n;
        excess[0] = fmax(mean - exp(eps), 0);
        excess[1] = fmax(1 - exp(eps) * mean, 0);
        for (d = 0; d < 2; d++)
        {
            sum[d] += excess[d];
            squares[d] += excess[d] * excess[d];
        }
    }
    shuf_enclosure_init(r);
    for (d = 0; d < 2; d++)
    {
        double mean = sum[d] / SAMPLES, error = 6 * sqrt((squares[d] / SAMPLES - mean * mean) / SAMPLES);
        delta(r, (uint64_t) n, "2", "0.5", d == 0 ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, 3);
        assert_encloses(r, mean, error, "simulation");
    }
    shuf_enclosure_clear(r);
}

/* ---- one user, and what must hold between values ---- */

static void test_one_user(void **state)
{
    int i;
    shuf_enclosure_t r;
    shuf_real_t s, e;
    shuf_options options = { 12, 0 };
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(s);
    shuf_real_init(e);
    for (i = 0; i < 200; i++)
    {
        double sigma = exp(4 * random_unit() - 2), eps = 2 * random_unit() / sigma, value;
        value = normal(1 / (2 * sigma) - eps * sigma) - exp(eps) * normal(-1 / (2 * sigma) - eps * sigma);
        assert_int_equal(shuf_real_set_d(s, sigma), 0);
        assert_int_equal(shuf_real_set_d(e, eps), 0);
        assert_int_equal(shuf_gaussian_delta(r, 1, s, e, (shuf_direction) random_below(3), &options), SHUF_OK);
        assert_true(well_formed_probability(r));
        assert_encloses(r, value, 1e-14 * exp(eps), "one user");
    }
    /* hardly any noise: nearly 1, and not above */
    delta(r, 1, "0.01", "0.5", SHUF_DIRECTION_BOTH, 12);
    assert_encloses(r, 1, 1e-12, "one user, sigma = 1/100");
    delta(r, 2, "0.01", "0.5", SHUF_DIRECTION_PQ, 3);
    assert_encloses(r, 1, 1e-12, "two users, sigma = 1/100");
    assert_int_equal(r->status, SHUF_OK);
    /* far out, to all digits */
    set(s, "2");
    set(e, "10");
    assert_int_equal(shuf_gaussian_delta(r, 1, s, e, SHUF_DIRECTION_PQ, &options), SHUF_OK);
    assert_encloses(r, 9.85512061e-89, 1e-97, "one user, eps = 10");
    /* so far that only an upper bound is left */
    delta(r, 1, "1", "1000000", SHUF_DIRECTION_PQ, 4);
    assert_true(arf_is_zero(r->lo) && arf_cmp_d(r->hi, 1e-300) < 0);
    shuf_enclosure_clear(r);
    shuf_real_clear(s);
    shuf_real_clear(e);
}

/* delta falls with n, both directions are at most that of one user, and the larger of the two is BOTH. */
static void test_order(void **state)
{
    shuf_enclosure_t r[3], before;
    uint64_t n;
    int d;
    (void) state;
    shuf_enclosure_init(before);
    for (d = 0; d < 3; d++)
        shuf_enclosure_init(r[d]);
    arf_one(before->hi);
    for (n = 1; n <= 64; n *= 8)
    {
        delta(r[0], n, "3", "0.2", SHUF_DIRECTION_PQ, 2);
        delta(r[1], n, "3", "0.2", SHUF_DIRECTION_QP, 2);
        delta(r[2], n, "3", "0.2", SHUF_DIRECTION_BOTH, 2);
        assert_true(arf_cmp(r[0]->lo, before->hi) <= 0 && arf_cmp(r[1]->lo, before->hi) <= 0);
        for (d = 0; d < 2; d++)
            assert_true(arf_cmp(r[d]->lo, r[2]->hi) <= 0);
        assert_true(n == 1 || r[2]->ledger.terms >= r[0]->ledger.terms + r[1]->ledger.terms);
        assert_true(arf_cmp(r[2]->lo, r[0]->hi) <= 0 || arf_cmp(r[2]->lo, r[1]->hi) <= 0);
        shuf_enclosure_set(before, r[2]);
    }
    shuf_enclosure_clear(before);
    for (d = 0; d < 3; d++)
        shuf_enclosure_clear(r[d]);
}

#define POINTS 4

/* Several points at once are what they are alone, in any order; one that is refused does not spoil the others. */
static void test_several(void **state)
{
    static const char *const points[POINTS] = { "0.3", "0.01", "-1", "0.7" };
    shuf_options options = { 3, 0 };
    shuf_enclosure_t alone;
    shuf_enclosure_struct r[POINTS];
    shuf_real_struct e[POINTS];
    shuf_real_t s;
    int d, i;
    (void) state;
    shuf_enclosure_init(alone);
    shuf_real_init(s);
    set(s, "2");
    for (i = 0; i < POINTS; i++)
    {
        shuf_enclosure_init(r + i);
        shuf_real_init(e + i);
        set(e + i, points[i]);
    }
    for (d = 0; d < 3; d++)
    {
        assert_int_equal(shuf_gaussian_deltas(r, 40, s, e, POINTS, (shuf_direction) d, &options), SHUF_DOMAIN);
        for (i = 0; i < POINTS; i++)
        {
            shuf_status status = shuf_gaussian_delta(alone, 40, s, e + i, (shuf_direction) d, &options);
            assert_int_equal(status, r[i].status);
            assert_true(arf_cmp(alone->lo, r[i].hi) <= 0 && arf_cmp(r[i].lo, alone->hi) <= 0);
            assert_true(status != SHUF_OK || shuf_enclosure_accurate(r + i, 3));
        }
        assert_int_equal(shuf_gaussian_deltas(r, 40, s, e, 2, (shuf_direction) d, &options), SHUF_OK);
    }
    for (i = 0; i < POINTS; i++)
    {
        shuf_enclosure_clear(r + i);
        shuf_real_clear(e + i);
    }
    shuf_enclosure_clear(alone);
    shuf_real_clear(s);
}

static void test_refused(void **state)
{
    static const char *const sigmas[] = { "0", "-1", "0.0009999", "1000000.1", "1", "1" };
    static const char *const points[] = { "1", "1", "1", "1", "-1e-9", "1000001" };
    shuf_options options = { 3, 0 };
    shuf_enclosure_t r;
    shuf_real_t s, e;
    size_t i;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(s);
    shuf_real_init(e);
    for (i = 0; i < 6; i++)
    {
        set(s, sigmas[i]);
        set(e, points[i]);
        assert_int_equal(shuf_gaussian_delta(r, 2, s, e, SHUF_DIRECTION_BOTH, &options), SHUF_DOMAIN);
        assert_true(arf_is_zero(r->lo) && arf_is_one(r->hi));
        set(e, "1e-3");
        if (i < 4)
        {
            assert_int_equal(shuf_gaussian_epsilon(r, 2, s, e, SHUF_DIRECTION_BOTH, &options), SHUF_DOMAIN);
            assert_true(arf_is_zero(r->lo) && arf_is_pos_inf(r->hi));
        }
    }
    set(s, "1");
    assert_int_equal(shuf_gaussian_delta(r, 0, s, e, SHUF_DIRECTION_PQ, &options), SHUF_DOMAIN);
    assert_int_equal(shuf_gaussian_delta(r, SHUF_MAX_USERS + 1, s, e, SHUF_DIRECTION_PQ, &options), SHUF_DOMAIN);
    shuf_enclosure_clear(r);
    shuf_real_clear(s);
    shuf_real_clear(e);
}

/* ---- eps ---- */

/* The whole way: one user against the closed form, two against quadrature. */
static void test_epsilon(void **state)
{
    shuf_options options = { 10, 0 };
    shuf_enclosure_t r;
    shuf_real_t s, d;
    double low, high;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(s);
    shuf_real_init(d);
    set(s, "2");
    set(d, "1e-5");
    assert_int_equal(shuf_gaussian_epsilon(r, 1, s, d, SHUF_DIRECTION_BOTH, &options), SHUF_OK);
    low = arf_get_d(r->lo, ARF_RND_FLOOR);
    high = arf_get_d(r->hi, ARF_RND_CEIL);
    assert_true(model(1, 2, low, SHUF_DIRECTION_PQ, 1) > 1e-5 * (1 - 1e-9));
    assert_true(model(1, 2, high, SHUF_DIRECTION_PQ, 1) < 1e-5 * (1 + 1e-9));
    options.digits = 2;
    set(d, "1e-2");
    assert_int_equal(shuf_gaussian_epsilon(r, 2, s, d, SHUF_DIRECTION_PQ, &options), SHUF_OK);
    low = arf_get_d(r->lo, ARF_RND_FLOOR);
    high = arf_get_d(r->hi, ARF_RND_CEIL);
    assert_true(model(2, 2, low, SHUF_DIRECTION_PQ, 0.005) > 1e-2 * (1 - 1e-9));
    assert_true(model(2, 2, high, SHUF_DIRECTION_PQ, 0.005) < 1e-2 * (1 + 1e-9));
    shuf_enclosure_clear(r);
    shuf_real_clear(s);
    shuf_real_clear(d);
}

/* Many points at once are the points one by one, in any order and both directions. */
static void test_many(void **state)
{
    enum { MANY = 8 };
    static const uint64_t users[] = { 2, 40 };
    shuf_enclosure_struct several[MANY];
    shuf_real_struct eps[MANY];
    shuf_options few = { 3, 1e8 };
    shuf_enclosure_t one;
    shuf_real_t sigma;
    int i, j, d;
    (void) state;
    shuf_enclosure_init(one);
    shuf_real_init(sigma);
    for (i = 0; i < MANY; i++)
    {
        shuf_enclosure_init(&several[i]);
        shuf_real_init(&eps[i]);
    }
    for (j = 0; j < 4; j++)
        for (d = 0; d < 2; d++)
        {
            shuf_direction direction = d == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP;
            set(sigma, j < 2 ? "1" : "2");
            for (i = 0; i < MANY; i++)
                shuf_real_set_d(&eps[i], i == 0 ? 0 : 3 * random_unit() / sqrt((double) users[j % 2]));
            shuf_gaussian_deltas(several, users[j % 2], sigma, eps, MANY, direction, &few);
            for (i = 0; i < MANY; i++)
            {
                shuf_gaussian_delta(one, users[j % 2], sigma, &eps[i], direction, &few);
                assert_true(arf_cmp(several[i].lo, one->hi) <= 0 && arf_cmp(one->lo, several[i].hi) <= 0);
            }
        }
    shuf_enclosure_clear(one);
    shuf_real_clear(sigma);
    for (i = 0; i < MANY; i++)
    {
        shuf_enclosure_clear(&several[i]);
        shuf_real_clear(&eps[i]);
    }
}

#define NODES 500

/* Many points keep to little work, whatever each of them alone would take. */
static void test_effort(void **state)
{
    const shuf_options little = { 6, 3e6 };
    shuf_enclosure_struct r[NODES];
    shuf_real_struct eps[NODES];
    shuf_real_t sigma;
    double begin;
    slong i;
    (void) state;
    shuf_real_init(sigma);
    set(sigma, "33/10");
    for (i = 0; i < NODES; i++)
    {
        shuf_enclosure_init(&r[i]);
        shuf_real_init(&eps[i]);
        shuf_real_set_d(&eps[i], (double) i / NODES);
    }
    begin = shuf_work();
    shuf_gaussian_nodes(r, 20, sigma, eps, NODES, SHUF_DIRECTION_PQ, NULL, &little);
    assert_true(shuf_work() - begin < 1e8);
    for (i = 0; i < NODES; i++)
    {
        assert_true(well_formed_probability(&r[i]));
        shuf_enclosure_clear(&r[i]);
        shuf_real_clear(&eps[i]);
    }
    shuf_real_clear(sigma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tail),       cmocka_unit_test(test_quadrature), cmocka_unit_test(test_simulation),  cmocka_unit_test(test_one_user),
        cmocka_unit_test(test_order),      cmocka_unit_test(test_several),     cmocka_unit_test(test_refused),
        cmocka_unit_test(test_many),       cmocka_unit_test(test_effort),      cmocka_unit_test(test_epsilon),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
