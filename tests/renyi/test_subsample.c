/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Renyi amplification by subsampling, against mechanisms small enough to
 * enumerate: the output depends on the number of ones among the sampled
 * records through a random channel or through shuffled randomised response.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "renyi/subsample.h"
#include "random.h"

#define MOST 6 /* records, and outcomes less one */

static const shuf_options ten = { 10, 0.0 };

/* law[c][y]: the probability of output y when c of the sampled records are ones, c = 0..top */
typedef struct
{
    int top;
    double law[MOST + 1][MOST + 1];
} channel;

static double binomial(int n, int k, double p)
{
    return k < 0 || k > n ? 0 : exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) * pow(p, k) * pow(1 - p, n - k);
}

static double choose(int n, int k)
{
    return k < 0 || k > n ? 0 : round(exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)));
}

/* sum Q (P/Q)^order */
static double moment(const double *P, const double *Q, int count, double order)
{
    double sum = 0;
    int y;
    for (y = 0; y < count; y++)
        if (P[y] > 0)
            sum += Q[y] * pow(P[y] / Q[y], order);
    return sum;
}

static double divergence(const double *P, const double *Q, int count, double order)
{
    return fmax(log(fmax(moment(P, Q, count, order), moment(Q, P, count, order))), 0) / (order - 1);
}

/* The channel's curve and largest loss over counts that differ by one. */
static double channel_curve(const channel *m, double order)
{
    double worst = 0;
    int c;
    for (c = 0; c < m->top; c++)
        worst = fmax(worst, divergence(m->law[c], m->law[c + 1], MOST + 1, order));
    return worst;
}

static double channel_loss(const channel *m)
{
    double worst = 0;
    int c, y;
    for (c = 0; c < m->top; c++)
        for (y = 0; y <= MOST; y++)
            if (m->law[c][y] > 0)
                worst = fmax(worst, fabs(log(m->law[c][y] / m->law[c + 1][y])));
    return worst;
}

static void set_double(shuf_enclosure_t r, double x)
{
    arf_set_d(r->lo, x * (1 - 1e-13));
    arf_set_d(r->hi, x * (1 + 1e-13) + 1e-16);
    shuf_enclosure_width(r->ledger.rounding, r);
    r->status = SHUF_OK;
}

static double middle(const shuf_real_t x)
{
    return fmpz_get_d(fmpq_numref(x->q)) / fmpz_get_d(fmpq_denref(x->q));
}

static shuf_status evaluate_channel(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                                    const shuf_options *options)
{
    (void) options;
    set_double(r, channel_curve(curve->data, middle(order)));
    return SHUF_OK;
}

/* m users' stronger clones pair (m, e^eps0): its curve, by enumeration */
typedef struct
{
    int users;
    double E;
} clones;

static shuf_status evaluate_clones(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                                   const shuf_options *options)
{
    const clones *pair = curve->data;
    double P[(MOST + 2) * (MOST + 2)] = { 0 }, Q[(MOST + 2) * (MOST + 2)] = { 0 };
    double rate = 1 / (pair->E + 1);
    int a, b, n = pair->users - 1;
    (void) options;
    for (a = 0; a <= n; a++)
        for (b = 0; a + b <= n; b++)
        {
            double T = binomial(n, a + b, 2 * rate) * binomial(a + b, a, 0.5);
            P[(a + 1) * (MOST + 2) + b] += pair->E * rate * T;
            P[a * (MOST + 2) + b + 1] += rate * T;
            Q[(a + 1) * (MOST + 2) + b] += rate * T;
            Q[a * (MOST + 2) + b + 1] += pair->E * rate * T;
        }
    set_double(r, divergence(P, Q, (MOST + 2) * (MOST + 2), middle(order)));
    return SHUF_OK;
}

/* v order/2 */
static shuf_status evaluate_gaussian(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                                     const shuf_options *options)
{
    const double *v = curve->data;
    (void) options;
    set_double(r, *v * middle(order) / 2);
    return SHUF_OK;
}

/* v at every order */
static shuf_status evaluate_constant(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                                     const shuf_options *options)
{
    const double *v = curve->data;
    (void) order;
    (void) options;
    set_double(r, *v);
    return SHUF_OK;
}

/* order/100, as wide as the digits asked for allow */
static shuf_status evaluate_coarse(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                                   const shuf_options *options)
{
    (void) curve;
    set_double(r, middle(order) / 100);
    arf_set_d(r->hi, middle(order) / 100 * (1 + pow(10, (double) -options->digits)));
    shuf_enclosure_width(r->ledger.rounding, r);
    return SHUF_OK;
}

static void random_channel(channel *m, int top)
{
    double spread = exp(4 * random_unit() - 2), sum, last;
    int c, y;
    m->top = top;
    for (c = 0; c <= top; c++)
    {
        sum = 0;
        for (y = 0; y <= MOST; y++)
        {
            last = c > 0 && c % 3 == 2 ? m->law[c - 1][y] : 1; /* now and then a small step */
            m->law[c][y] = last * exp(spread * (random_unit() - 0.5));
            sum += m->law[c][y];
        }
        for (y = 0; y <= MOST; y++)
            m->law[c][y] /= sum;
    }
}

/* Binary randomised response of `users`, c of them ones, shuffled: the number of ones reported. */
static void response_channel(channel *m, int users, double E)
{
    double flip = 1 / (E + 1);
    int c, y, i;
    m->top = users;
    for (c = 0; c <= users; c++)
        for (y = 0; y <= MOST; y++)
        {
            m->law[c][y] = 0;
            for (i = 0; i <= y; i++)
                m->law[c][y] += binomial(c, i, 1 - flip) * binomial(users - c, y - i, flip);
        }
}

/* The output's law when c ones are sampled with probability weight[c]. */
static void mix(double *law, const channel *m, const double *weight)
{
    int c, y;
    for (y = 0; y <= MOST; y++)
    {
        law[y] = 0;
        for (c = 0; c <= m->top; c++)
            law[y] += weight[c] * m->law[c][y];
    }
}

/* exact: the largest divergence over data with k and k + 1 ones. */
static double exact_poisson(const channel *m, double gamma, double order)
{
    double worst = 0, P[MOST + 1], Q[MOST + 1], weight[MOST + 1];
    int k, c, one;
    for (k = 0; k < m->top; k++)
    {
        for (one = 0; one < 2; one++)
        {
            for (c = 0; c <= m->top; c++)
                weight[c] = binomial(k + one, c, gamma);
            mix(one ? Q : P, m, weight);
        }
        worst = fmax(worst, divergence(P, Q, MOST + 1, order));
    }
    return worst;
}

static double exact_fixed_size(const channel *m, int n, double order)
{
    double worst = 0, P[MOST + 1], Q[MOST + 1], weight[MOST + 1];
    int k, c, one;
    for (k = 0; k < n; k++)
    {
        for (one = 0; one < 2; one++)
        {
            for (c = 0; c <= m->top; c++)
                weight[c] = choose(k + one, c) * choose(n - k - one, m->top - c) / choose(n, m->top);
            mix(one ? Q : P, m, weight);
        }
        worst = fmax(worst, divergence(P, Q, MOST + 1, order));
    }
    return worst;
}

static double bound_at(const shuf_subsample_t s, int order)
{
    shuf_renyi_curve curve;
    shuf_enclosure_t r;
    shuf_real_t a;
    fmpq_t q;
    mag_t width, total;
    double value;
    shuf_enclosure_init(r);
    shuf_real_init(a);
    fmpq_init(q);
    mag_init(width);
    mag_init(total);
    fmpq_set_si(q, order, 1);
    shuf_real_set_fmpq(a, q);
    shuf_subsample_curve(&curve, s);
    assert_int_equal(curve.integer_orders, 1);
    assert_true(curve.evaluate(r, &curve, a, &ten) != SHUF_DOMAIN);
    assert_true(arf_sgn(r->lo) >= 0 && arf_cmp(r->lo, r->hi) <= 0 && arf_is_finite(r->hi));
    shuf_enclosure_width(width, r);
    shuf_ledger_total(total, &r->ledger);
    assert_true(mag_cmp(width, total) <= 0);
    value = arf_get_d(r->hi, ARF_RND_UP);
    assert_true(value - arf_get_d(r->lo, ARF_RND_DOWN) <= 1e-9 * value + 1e-12);
    shuf_enclosure_clear(r);
    shuf_real_clear(a);
    fmpq_clear(q);
    mag_clear(width);
    mag_clear(total);
    return value;
}

/* Sets s, and checks the bound against the truth; returns it. With the largest loss it must not grow. */
static double check(shuf_subsample_t s, shuf_subsample_kind kind, const shuf_renyi_curve *base, const fmpq_t gamma,
                    double loss, int order, double truth)
{
    shuf_real_t x;
    double bound, without;
    shuf_real_init(x);
    shuf_real_set_d(x, loss * (1 + 1e-12) + 1e-14);
    assert_int_equal(shuf_subsample_set(s, kind, base, shuf_subsample_neighbours(kind), gamma, NULL), 0);
    without = bound_at(s, order);
    assert_int_equal(shuf_subsample_set(s, kind, base, shuf_subsample_neighbours(kind), gamma, x), 0);
    bound = bound_at(s, order);
    if (bound < truth * (1 - 1e-9) - 1e-13)
        fail_msg("%s, order %d: %.12g is below %.12g", shuf_subsample_theorem(kind), order, bound, truth);
    assert_true(bound <= without * (1 + 1e-9) + 1e-12);
    shuf_real_clear(x);
    return bound;
}

static void test_poisson(void **state)
{
    channel m;
    shuf_renyi_curve base = { evaluate_channel, &m, 0 };
    shuf_subsample_t s;
    fmpq_t gamma;
    double tightest = HUGE_VAL;
    int i;
    (void) state;
    shuf_subsample_init(s);
    fmpq_init(gamma);
    for (i = 0; i < 400; i++)
    {
        int order = 2 + (int) random_below(12);
        double truth, bound;
        random_channel(&m, 1 + (int) random_below(5));
        fmpq_set_ui(gamma, 1 + random_below(99), i % 2 ? 100 : 2000);
        truth = exact_poisson(&m, fmpz_get_d(fmpq_numref(gamma)) / fmpz_get_d(fmpq_denref(gamma)), order);
        bound = check(s, SHUF_SUBSAMPLE_POISSON, &base, gamma, channel_loss(&m), order, truth);
        if (truth > 1e-8)
            tightest = fmin(tightest, bound / truth);
    }
    printf("bound / truth at least %.6f\n", tightest);
    assert_true(tightest < 1.01); /* exact for some */
    shuf_subsample_clear(s);
    fmpq_clear(gamma);
}

static void test_fixed_size(void **state)
{
    channel m;
    clones pair;
    shuf_renyi_curve base = { evaluate_channel, &m, 0 }, dominating = { evaluate_clones, &pair, 0 };
    shuf_subsample_t s;
    fmpq_t gamma;
    double tightest = HUGE_VAL, tightest_dominated = HUGE_VAL;
    int i, smaller = 0;
    (void) state;
    shuf_subsample_init(s);
    fmpq_init(gamma);
    for (i = 0; i < 400; i++)
    {
        int n = 2 + (int) random_below(40), order = 2 + (int) random_below(12), users;
        double truth, bound;
        users = 1 + (int) random_below((uint64_t) (n < 5 ? n : 5));
        fmpq_set_ui(gamma, (ulong) users, (ulong) n);
        random_channel(&m, users);
        truth = exact_fixed_size(&m, n, order);
        bound = check(s, SHUF_SUBSAMPLE_FIXED_SIZE, &base, gamma, channel_loss(&m), order, truth);
        if (truth > 1e-8 && users < n)
            tightest = fmin(tightest, bound / truth);

        /* the shuffle of the sampled users, and the pair that dominates it */
        pair.users = users;
        pair.E = exp(3 * random_unit());
        response_channel(&m, users, pair.E);
        truth = exact_fixed_size(&m, n, order);
        bound = check(s, SHUF_SUBSAMPLE_FIXED_SIZE_DOMINATED, &dominating, gamma, log(pair.E), order, truth);
        if (truth > 1e-8 && users < n)
            tightest_dominated = fmin(tightest_dominated, bound / truth);
        smaller += bound < check(s, SHUF_SUBSAMPLE_FIXED_SIZE, &dominating, gamma, log(pair.E), order, truth);
    }
    printf("bound / truth at least %.6f, dominated %.6f; dominated is smaller in %d of 400\n", tightest, tightest_dominated,
           smaller);
    assert_true(smaller > 150);
    assert_true(tightest < 4 && tightest_dominated < 2.5);
    shuf_subsample_clear(s);
    fmpq_clear(gamma);
}

/* The formulas as documented; x = e^L - 1, infinite when L is not known. */
static double formula(shuf_subsample_kind kind, const channel *m, double gamma, double x, int order)
{
    double B2 = exp(channel_curve(m, 2)), limit = gamma * expm1((order - 1) * channel_curve(m, order)), sum = 0, u, backward;
    int j;
    if (kind == SHUF_SUBSAMPLE_FIXED_SIZE)
        sum = gamma * gamma * choose(order, 2) * fmin(4 * (B2 - 1), B2 * fmin(2, x * x));
    else if (kind == SHUF_SUBSAMPLE_FIXED_SIZE_DOMINATED)
        sum = order * (order - 1) * gamma * gamma * (B2 - 1);
    for (j = kind == SHUF_SUBSAMPLE_POISSON ? 2 : 3; j <= order; j++)
    {
        double B = exp((j - 1) * channel_curve(m, j)), weight = choose(order, j) * pow(gamma, j);
        if (kind == SHUF_SUBSAMPLE_POISSON)
            sum += weight * pow(1 - gamma, order - j) * (B - 1);
        else if (kind == SHUF_SUBSAMPLE_FIXED_SIZE)
            sum += weight * B * fmin(2, pow(x, j));
        else
            sum += weight * fmin(B - 1, pow(x, j - 2) * (B2 - 1));
    }
    sum = fmin(sum, limit);
    if (kind == SHUF_SUBSAMPLE_POISSON)
    {
        u = isinf(x) ? 1 : x / (1 + x);
        backward = (pow(1 - gamma * u, 1 - order) - 1 - (order - 1) * gamma * u) / (u * u) * (B2 - 1);
        sum = fmax(sum, fmin(backward, limit));
    }
    return log1p(sum) / (order - 1);
}

static void test_formula(void **state)
{
    channel m;
    shuf_renyi_curve base = { evaluate_channel, &m, 0 };
    shuf_subsample_t s;
    shuf_real_t loss;
    fmpq_t gamma;
    int i;
    (void) state;
    shuf_subsample_init(s);
    shuf_real_init(loss);
    fmpq_init(gamma);
    for (i = 0; i < 300; i++)
    {
        shuf_subsample_kind kind = (shuf_subsample_kind) (i % 3);
        int order = 2 + (int) random_below(25), known = (i / 3) % 2;
        ulong percent = 1 + random_below(99);
        double expected, bound, L;
        random_channel(&m, 3);
        L = channel_loss(&m);
        shuf_real_set_d(loss, L);
        fmpq_set_ui(gamma, percent, 100);
        assert_int_equal(shuf_subsample_set(s, kind, &base, shuf_subsample_neighbours(kind), gamma, known ? loss : NULL), 0);
        bound = bound_at(s, order);
        expected = formula(kind, &m, (double) percent / 100, known ? expm1(L) : HUGE_VAL, order);
        if (fabs(bound - expected) > 1e-8 * expected + 1e-12)
            fail_msg("%s, order %d, gamma %lu/100: %.12g, not %.12g", shuf_subsample_theorem(kind), order,
                     (unsigned long) percent, bound, expected);
    }
    shuf_subsample_clear(s);
    shuf_real_clear(loss);
    fmpq_clear(gamma);
}

/* In gamma: 0 at 0, growing, the base at 1. */
static void test_gamma(void **state)
{
    const shuf_subsample_kind kinds[3] = { SHUF_SUBSAMPLE_POISSON, SHUF_SUBSAMPLE_FIXED_SIZE, SHUF_SUBSAMPLE_FIXED_SIZE_DOMINATED };
    channel m;
    shuf_renyi_curve base = { evaluate_channel, &m, 0 };
    shuf_subsample_t s;
    shuf_real_t loss;
    fmpq_t gamma;
    int i, k, g;
    (void) state;
    shuf_subsample_init(s);
    shuf_real_init(loss);
    fmpq_init(gamma);
    for (i = 0; i < 30; i++)
    {
        int order = 2 + (int) random_below(40);
        random_channel(&m, 3);
        shuf_real_set_d(loss, channel_loss(&m));
        for (k = 0; k < 3; k++)
        {
            double previous = 0, bound = 0;
            for (g = 0; g <= 10; g++)
            {
                fmpq_set_ui(gamma, (ulong) g, 10);
                assert_int_equal(shuf_subsample_set(s, kinds[k], &base, shuf_subsample_neighbours(kinds[k]), gamma,
                                                    i % 2 ? loss : NULL), 0);
                bound = bound_at(s, order);
                assert_true(g > 0 || bound == 0);
                assert_true(bound >= previous);
                previous = bound;
            }
            assert_true(fabs(bound - channel_curve(&m, order)) <= 1e-9 * bound);
        }
    }
    shuf_subsample_clear(s);
    shuf_real_clear(loss);
    fmpq_clear(gamma);
}

/* Large orders: chords against the whole sum, written out. */
static void test_chords(void **state)
{
    const double v = 5e-4, gamma = 0.02;
    shuf_renyi_curve base = { evaluate_gaussian, &v, 0 }, curve;
    shuf_subsample_t s;
    shuf_enclosure_t r;
    shuf_real_t a;
    fmpq_t q;
    int order, j;
    (void) state;
    shuf_subsample_init(s);
    shuf_enclosure_init(r);
    shuf_real_init(a);
    fmpq_init(q);
    fmpq_set_ui(q, 2, 100);
    assert_int_equal(shuf_subsample_set(s, SHUF_SUBSAMPLE_POISSON, &base, SHUF_ADD_REMOVE, q, NULL), 0);
    for (order = 20; order <= 1300; order *= 4)
    {
        double sum = 0, limit = gamma * expm1(v * order * (order - 1) / 2), backward, bound = bound_at(s, order);
        for (j = 2; j <= order; j++)
            sum += exp(lgamma(order + 1) - lgamma(j + 1) - lgamma(order - j + 1) + j * log(gamma)
                       + (order - j) * log1p(-gamma)) * expm1(v * j * (j - 1) / 2);
        backward = (pow(1 - gamma, 1 - order) - 1 - (order - 1) * gamma) * expm1(v);
        sum = fmax(fmin(sum, limit), fmin(backward, limit));
        assert_true(bound >= log1p(sum) / (order - 1) * (1 - 1e-9));
        assert_true(bound <= log1p(sum) / (order - 1) * 1.01);
    }
    /* a linear exponent is its own chord: (1 - gamma + gamma e^c)^a in closed form, but for j = 0 */
    {
        const double c = 1.5;
        shuf_renyi_curve constant = { evaluate_constant, &c, 0 };
        fmpq_set_ui(q, 1, 10);
        assert_int_equal(shuf_subsample_set(s, SHUF_SUBSAMPLE_POISSON, &constant, SHUF_ADD_REMOVE, q, NULL), 0);
        for (order = 50; order <= 400; order *= 2)
        {
            double sum = exp(-c + order * log1p(0.1 * expm1(c))) + pow(0.9, order) * -expm1(-c);
            double backward = pow(0.9, 1 - order) - 1 - (order - 1) * 0.1;
            backward = fmin(backward * expm1(c), 0.1 * expm1((order - 1) * c));
            assert_true(fabs(bound_at(s, order) - log(fmax(sum, 1 + backward)) / (order - 1)) < 1e-8);
        }
        fmpq_set_ui(q, 2, 100);
        assert_int_equal(shuf_subsample_set(s, SHUF_SUBSAMPLE_POISSON, &base, SHUF_ADD_REMOVE, q, NULL), 0);
    }
    /* beyond the sums: log(1 - gamma + gamma B)/(a-1) */
    shuf_subsample_curve(&curve, s);
    assert_int_equal(shuf_real_set_str(a, "100001"), 0);
    assert_int_equal(curve.evaluate(r, &curve, a, &ten), SHUF_OK);
    assert_true(fabs(arf_get_d(r->hi, ARF_RND_NEAR) - (v * 100001 / 2 + log(gamma) / 100000)) < 1e-6);
    /* not an integer above 1 */
    assert_int_equal(shuf_real_set_str(a, "2.5"), 0);
    assert_int_equal(curve.evaluate(r, &curve, a, &ten), SHUF_DOMAIN);
    assert_int_equal(shuf_real_set_str(a, "1"), 0);
    assert_int_equal(curve.evaluate(r, &curve, a, &ten), SHUF_DOMAIN);
    shuf_subsample_clear(s);
    shuf_enclosure_clear(r);
    shuf_real_clear(a);
    fmpq_clear(q);
}

/* What is kept of the base serves later calls only if it is accurate enough. */
static void test_digits(void **state)
{
    shuf_renyi_curve base = { evaluate_coarse, NULL, 0 }, curve;
    shuf_options o = { 2, 0.0 };
    shuf_subsample_t s;
    shuf_enclosure_t r;
    shuf_real_t a;
    fmpq_t q;
    (void) state;
    shuf_subsample_init(s);
    shuf_enclosure_init(r);
    shuf_real_init(a);
    fmpq_init(q);
    fmpq_set_ui(q, 1, 10);
    assert_int_equal(shuf_subsample_set(s, SHUF_SUBSAMPLE_FIXED_SIZE, &base, SHUF_REPLACE_ONE, q, NULL), 0);
    shuf_subsample_curve(&curve, s);
    assert_int_equal(shuf_real_set_str(a, "20"), 0);
    assert_int_equal(curve.evaluate(r, &curve, a, &o), SHUF_OK);
    assert_false(shuf_enclosure_accurate(r, 9));
    o.digits = 9;
    assert_int_equal(curve.evaluate(r, &curve, a, &o), SHUF_OK);
    assert_true(shuf_enclosure_accurate(r, 9));
    shuf_subsample_clear(s);
    shuf_enclosure_clear(r);
    shuf_real_clear(a);
    fmpq_clear(q);
}

static void test_setter(void **state)
{
    const double v = 1;
    shuf_renyi_curve base = { evaluate_gaussian, &v, 0 };
    shuf_subsample_t s;
    shuf_real_t loss;
    fmpq_t q;
    (void) state;
    shuf_subsample_init(s);
    shuf_real_init(loss);
    fmpq_init(q);
    fmpq_set_ui(q, 1, 2);
    /* the relations are not mixed */
    assert_int_equal(shuf_subsample_set(s, SHUF_SUBSAMPLE_POISSON, &base, SHUF_REPLACE_ONE, q, NULL), -1);
    assert_int_equal(shuf_subsample_set(s, SHUF_SUBSAMPLE_FIXED_SIZE, &base, SHUF_ADD_REMOVE, q, NULL), -1);
    assert_int_equal(shuf_subsample_set(s, SHUF_SUBSAMPLE_FIXED_SIZE_DOMINATED, &base, SHUF_ADD_REMOVE, q, NULL), -1);
    assert_int_equal(shuf_subsample_set(s, SHUF_SUBSAMPLE_FIXED_SIZE, &base, SHUF_REPLACE_ONE, q, NULL), 0);
    assert_int_equal(shuf_real_set_str(loss, "-1"), 0);
    assert_int_equal(shuf_subsample_set(s, SHUF_SUBSAMPLE_FIXED_SIZE, &base, SHUF_REPLACE_ONE, q, loss), -1);
    fmpq_set_ui(q, 3, 2);
    assert_int_equal(shuf_subsample_set(s, SHUF_SUBSAMPLE_FIXED_SIZE, &base, SHUF_REPLACE_ONE, q, NULL), -1);
    fmpq_set_si(q, -1, 2);
    assert_int_equal(shuf_subsample_set(s, SHUF_SUBSAMPLE_FIXED_SIZE, &base, SHUF_REPLACE_ONE, q, NULL), -1);
    shuf_subsample_clear(s);
    shuf_real_clear(loss);
    fmpq_clear(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poisson), cmocka_unit_test(test_fixed_size), cmocka_unit_test(test_formula), cmocka_unit_test(test_gamma),
        cmocka_unit_test(test_chords), cmocka_unit_test(test_digits), cmocka_unit_test(test_setter),
    };
    int failed;
    seed_random();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
