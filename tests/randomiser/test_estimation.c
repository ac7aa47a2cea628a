/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Errors of frequency estimates against exact expectations over all outcomes, and one simulation. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "randomiser/estimation.h"
#include "random.h"

#define MAX_OUTPUTS 64
#define MAX_INPUTS 16

/* A randomiser and an estimator: value x has estimate mean over the reports y of score[x][y]. */
typedef struct
{
    int inputs, outputs;
    fmpq report[MAX_INPUTS][MAX_OUTPUTS], score[MAX_INPUTS][MAX_OUTPUTS];
} scheme;

static void scheme_init(scheme *s)
{
    int x, y;
    for (x = 0; x < MAX_INPUTS; x++)
    {
        for (y = 0; y < MAX_OUTPUTS; y++)
        {
            fmpq_init(&s->report[x][y]);
            fmpq_init(&s->score[x][y]);
        }
    }
}

static void scheme_clear(scheme *s)
{
    int x, y;
    for (x = 0; x < MAX_INPUTS; x++)
    {
        for (y = 0; y < MAX_OUTPUTS; y++)
        {
            fmpq_clear(&s->report[x][y]);
            fmpq_clear(&s->score[x][y]);
        }
    }
}

/* report[x][y] := weight[x][y]/sum, weight E where `likely`, 1 elsewhere. */
static void set_reports(scheme *s, int likely[MAX_INPUTS][MAX_OUTPUTS], const fmpq_t E)
{
    fmpq_t sum, one;
    int x, y;
    fmpq_init(sum);
    fmpq_init(one);
    fmpq_one(one);
    for (x = 0; x < s->inputs; x++)
    {
        fmpq_zero(sum);
        for (y = 0; y < s->outputs; y++)
            fmpq_add(sum, sum, likely[x][y] ? E : one);
        for (y = 0; y < s->outputs; y++)
            fmpq_div(&s->report[x][y], likely[x][y] ? E : one, sum);
    }
    fmpq_clear(sum);
    fmpq_clear(one);
}

/* k-RR: f^_x = (N_x/n - q)/(p - q). */
static void set_krr(scheme *s, int k, const fmpq_t E)
{
    int likely[MAX_INPUTS][MAX_OUTPUTS] = { { 0 } }, x, y;
    fmpq_t slope;
    s->inputs = s->outputs = k;
    for (x = 0; x < k; x++)
        likely[x][x] = 1;
    set_reports(s, likely, E);
    fmpq_init(slope);
    fmpq_sub(slope, &s->report[0][0], &s->report[0][1]);
    for (x = 0; x < k; x++)
    {
        for (y = 0; y < k; y++)
        {
            fmpq_neg(&s->score[x][y], &s->report[0][1]);
            if (x == y)
                fmpq_add_si(&s->score[x][y], &s->score[x][y], 1);
            fmpq_div(&s->score[x][y], &s->score[x][y], slope);
        }
    }
    fmpq_clear(slope);
}

static int odd_bits(int v)
{
    int odd = 0;
    for (; v != 0; v >>= 1)
        odd ^= v & 1;
    return odd;
}

/*
 * Hadamard response as Acharya, Sun and Zhang describe it: value x is row
 * x mod (b-1) + 1 of the Sylvester matrix of block x/(b-1); C_x are that row's
 * +1 columns, S_x the whole block; f^_x = (2B-1+E)/(E-1) (2 N(C_x) - N(S_x))/n.
 */
static void set_hadamard(scheme *s, int k, const fmpq_t E)
{
    int likely[MAX_INPUTS][MAX_OUTPUTS] = { { 0 } }, B, b, x, y;
    fmpq_t factor, t;
    double bound = fmin(fmpq_get_d(E), 2 * k);
    for (B = 1; 2 * B < bound; B *= 2)
        ;
    for (b = 1; b < (double) k / B + 1; b *= 2)
        ;
    s->inputs = k;
    s->outputs = B * b;
    assert_true(s->outputs <= MAX_OUTPUTS && k <= MAX_INPUTS);
    for (x = 0; x < k; x++)
        for (y = 0; y < b; y++)
            likely[x][x / (b - 1) * b + y] = !odd_bits((x % (b - 1) + 1) & y);
    set_reports(s, likely, E);
    fmpq_init(factor);
    fmpq_init(t);
    fmpq_set_si(t, -1, 1);
    fmpq_add(t, t, E);
    fmpq_set_si(factor, 2 * B - 1, 1);
    fmpq_add(factor, factor, E);
    fmpq_div(factor, factor, t);
    for (x = 0; x < k; x++)
    {
        for (y = 0; y < s->outputs; y++)
        {
            fmpq_zero(&s->score[x][y]);
            if (y / b == x / (b - 1))
                fmpq_set(&s->score[x][y], factor);
            if (y / b == x / (b - 1) && !likely[x][y])
                fmpq_neg(&s->score[x][y], factor);
        }
    }
    fmpq_clear(factor);
    fmpq_clear(t);
}

/* error := E ||f^ - f||^2 over all reports of the n values in data; checks that E f^ = f. */
static void enumerate(fmpq_t error, const scheme *s, const int *data, int n)
{
    int report[4] = { 0 }, x, u;
    fmpq_t probability, estimate, mean, t;
    fmpq_init(probability);
    fmpq_init(estimate);
    fmpq_init(mean);
    fmpq_init(t);
    fmpq_zero(error);
    for (x = 0; x < s->inputs; x++)
    {
        int count = 0;
        for (u = 0; u < n; u++)
            count += data[u] == x;
        fmpq_zero(mean);
        memset(report, 0, sizeof(report));
        do
        {
            fmpq_one(probability);
            fmpq_zero(estimate);
            for (u = 0; u < n; u++)
            {
                fmpq_mul(probability, probability, &s->report[data[u]][report[u]]);
                fmpq_add(estimate, estimate, &s->score[x][report[u]]);
            }
            fmpq_set_si(t, count, 1);
            fmpq_sub(estimate, estimate, t); /* n (f^ - f) */
            fmpq_addmul(mean, probability, estimate);
            fmpq_mul(estimate, estimate, estimate);
            fmpq_addmul(error, probability, estimate);
            for (u = 0; u < n && ++report[u] == s->outputs; u++)
                report[u] = 0;
        } while (u < n);
        assert_true(fmpq_is_zero(mean));
    }
    fmpq_set_si(t, n * n, 1);
    fmpq_div(error, error, t);
    fmpq_clear(probability);
    fmpq_clear(estimate);
    fmpq_clear(mean);
    fmpq_clear(t);
}

/* The largest error over all data. */
static void largest(fmpq_t error, const scheme *s, int n)
{
    int data[4] = { 0 }, u;
    fmpq_t e;
    fmpq_init(e);
    fmpq_zero(error);
    do
    {
        enumerate(e, s, data, n);
        if (fmpq_cmp(e, error) > 0)
            fmpq_set(error, e);
        for (u = 0; u < n && ++data[u] == s->inputs; u++)
            data[u] = 0;
    } while (u < n);
    fmpq_clear(e);
}

static void check(shuf_estimator estimator, int n, int k, const fmpq_t E)
{
    shuf_options options = SHUF_OPTIONS_DEFAULT;
    scheme *s = malloc(sizeof(*s));
    shuf_enclosure_t r;
    shuf_real_t eps0, exact;
    fmpq_t error;
    scheme_init(s);
    shuf_enclosure_init(r);
    shuf_real_init(eps0);
    shuf_real_init(exact);
    fmpq_init(error);
    shuf_real_set_log_fmpq(eps0, E);
    if (estimator == SHUF_ESTIMATE_KRR)
        set_krr(s, k, E);
    else
        set_hadamard(s, k, E);
    largest(error, s, n);
    assert_int_equal(shuf_estimation_error(r, estimator, (uint64_t) n, (uint64_t) k, eps0, &options), SHUF_OK);
    shuf_real_set_fmpq(exact, error);
    if (shuf_real_cmp_arf(exact, r->lo) < 0 || shuf_real_cmp_arf(exact, r->hi) > 0)
        fail_msg("estimator %d, n = %d, k = %d, E = %s: exactly %s", (int) estimator, n, k, eps0->text, exact->text);
    {
        const int bits = shuf_estimation_bits(estimator, (uint64_t) k, eps0);
        assert_true(s->outputs <= 1 << bits && s->outputs > 1 << (bits - 1));
    }
    scheme_clear(s);
    free(s);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps0);
    shuf_real_clear(exact);
    fmpq_clear(error);
}

static void test_enumeration(void **state)
{
    /* on both sides of the E at which B changes, and at such */
    static const int numerators[] = { 11, 3, 2, 5, 4, 9, 8, 17, 100 }, denominators[] = { 10, 2, 1, 2, 1, 2, 1, 2, 1 };
    fmpq_t E;
    size_t i;
    int k;
    (void) state;
    fmpq_init(E);
    for (i = 0; i < sizeof(numerators) / sizeof(*numerators); i++)
    {
        fmpq_set_si(E, numerators[i], (ulong) denominators[i]);
        for (k = 2; k <= 8; k++)
        {
            check(SHUF_ESTIMATE_KRR, 1, k, E);
            check(SHUF_ESTIMATE_HADAMARD, 1, k, E);
            if (k <= 3)
            {
                check(SHUF_ESTIMATE_KRR, 3, k, E);
                check(SHUF_ESTIMATE_HADAMARD, 2, k, E);
            }
        }
    }
    for (i = 0; i < 20; i++)
    {
        fmpq_set_si(E, 101 + (slong) random_below(2000), 100);
        k = 2 + (int) random_below(9);
        check(SHUF_ESTIMATE_KRR, 1, k, E);
        check(SHUF_ESTIMATE_HADAMARD, 1, k, E);
    }
    fmpq_clear(E);
}

/* The mean of many simulated errors is within ten standard deviations. */
static void test_simulation(void **state)
{
    enum { USERS = 300, RUNS = 400, VALUES = 6 };
    shuf_options options = SHUF_OPTIONS_DEFAULT;
    scheme *s = malloc(sizeof(*s));
    shuf_enclosure_t r;
    shuf_real_t eps0;
    double sum = 0, squares = 0, mean, deviation;
    int run, u, x, y, b, estimator;
    fmpq_t E;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(eps0);
    fmpq_init(E);
    fmpq_set_si(E, 7, 2);
    shuf_real_set_log_fmpq(eps0, E);
    for (estimator = SHUF_ESTIMATE_KRR; estimator <= SHUF_ESTIMATE_HADAMARD; estimator++)
    {
        scheme_init(s);
        if (estimator == SHUF_ESTIMATE_KRR)
            set_krr(s, VALUES, E);
        else
            set_hadamard(s, VALUES, E);
        b = s->outputs / 2; /* B = 2 at E = 7/2 */
        sum = squares = 0;
        for (run = 0; run < RUNS; run++)
        {
            double estimate[VALUES] = { 0 }, error = 0;
            for (u = 0; u < USERS; u++)
            {
                int value = u % (estimator == SHUF_ESTIMATE_KRR ? VALUES : b - 1); /* all in the first block */
                double c = random_unit();
                for (y = 0; y < s->outputs - 1 && c >= fmpq_get_d(&s->report[value][y]); y++)
                    c -= fmpq_get_d(&s->report[value][y]);
                for (x = 0; x < VALUES; x++)
                    estimate[x] += fmpq_get_d(&s->score[x][y]) - (value == x);
            }
            for (x = 0; x < VALUES; x++)
                error += estimate[x] / USERS * estimate[x] / USERS;
            sum += error;
            squares += error * error;
        }
        mean = sum / RUNS;
        deviation = sqrt((squares / RUNS - mean * mean) / RUNS);
        assert_int_equal(shuf_estimation_error(r, (shuf_estimator) estimator, USERS, VALUES, eps0, &options), SHUF_OK);
        assert_true(fabs(mean - arf_get_d(r->lo, ARF_RND_NEAR)) < 10 * deviation);
        assert_true(10 * deviation < 0.5 * mean);
        scheme_clear(s);
    }
    free(s);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps0);
    fmpq_clear(E);
}

/* eps0 given as a rational, small and large, and parameters out of range. */
static void test_range(void **state)
{
    shuf_options options = SHUF_OPTIONS_DEFAULT;
    shuf_enclosure_t r;
    shuf_real_t eps0;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(eps0);
    assert_int_equal(shuf_estimation_error(r, SHUF_ESTIMATE_KRR, 10, 4, eps0, &options), SHUF_DOMAIN);
    shuf_real_set_str(eps0, "1e-9000");
    assert_int_equal(shuf_estimation_error(r, SHUF_ESTIMATE_HADAMARD, 10, 4, eps0, &options), SHUF_OK);
    shuf_real_set_str(eps0, "1000000");
    assert_int_equal(shuf_estimation_error(r, SHUF_ESTIMATE_HADAMARD, 10, 1000000000, eps0, &options), SHUF_OK);
    assert_int_equal(shuf_estimation_error(r, SHUF_ESTIMATE_KRR, 10, 1000000000, eps0, &options), SHUF_OK);
    assert_true(arf_cmpabs_2exp_si(r->hi, -1000000) < 0);
    assert_int_equal(shuf_estimation_error(r, SHUF_ESTIMATE_KRR, 0, 4, eps0, &options), SHUF_DOMAIN);
    assert_int_equal(shuf_estimation_error(r, SHUF_ESTIMATE_KRR, 10, 1, eps0, &options), SHUF_DOMAIN);
    /* from the definitions: k-RR with p and q, and Hadamard with K = 4, C_x of half of them */
    shuf_real_set_str(eps0, "1/2");
    shuf_estimation_error(r, SHUF_ESTIMATE_KRR, 1, 3, eps0, &options);
    assert_true(fabs(arf_get_d(r->lo, ARF_RND_NEAR) - 20.42320036912298) < 1e-11);
    shuf_estimation_error(r, SHUF_ESTIMATE_HADAMARD, 1, 3, eps0, &options);
    assert_true(fabs(arf_get_d(r->lo, ARF_RND_NEAR) - 49.01237706839314) < 1e-11);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps0);
}

static void check_52(const char *eps, const char *delta, double value)
{
    shuf_options options = SHUF_OPTIONS_DEFAULT;
    shuf_enclosure_t r;
    shuf_real_t e, d;
    shuf_enclosure_init(r);
    shuf_real_init(e);
    shuf_real_init(d);
    shuf_real_set_str(e, eps);
    shuf_real_set_str(d, delta);
    assert_int_equal(shuf_feldman21_52_eps0(r, 1000000, e, d, &options), SHUF_OK);
    assert_true(arf_cmp(r->lo, r->hi) <= 0 && fabs(arf_get_d(r->lo, ARF_RND_NEAR) - value) < 1e-9 * fabs(value));
    shuf_enclosure_clear(r);
    shuf_real_clear(e);
    shuf_real_clear(d);
}

static void test_feldman21_52(void **state)
{
    shuf_options options = SHUF_OPTIONS_DEFAULT;
    shuf_enclosure_t r;
    shuf_real_t e, d;
    (void) state;
    check_52("0.005", "1e-6", log(0.005 * 0.005 * 1e6 / (100 * log(1e6))));
    check_52("0.5", "0.5", log(0.25 * 1e6 / (100 * log(2))));
    check_52("0.003", "1e-6", 0.003 * 1000 / (16 * sqrt(log(1e6))));
    check_52("1e-9", "log(2)", 1e-6 / (16 * sqrt(-log(log(2)))));
    shuf_enclosure_init(r);
    shuf_real_init(e);
    shuf_real_init(d);
    shuf_real_set_str(e, "1");
    shuf_real_set_str(d, "0.5");
    assert_int_equal(shuf_feldman21_52_eps0(r, 10, e, d, &options), SHUF_DOMAIN);
    assert_int_equal(shuf_feldman21_52_eps0(r, 10, d, e, &options), SHUF_DOMAIN);
    shuf_enclosure_clear(r);
    shuf_real_clear(e);
    shuf_real_clear(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_simulation),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_feldman21_52),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
