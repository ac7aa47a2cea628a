/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Noisy SGD by batches: profiles against sums over a grid of outcomes in doubles, adaptive runs against the pairs, and cases in which
 * samplers agree.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <complex.h>
#include <math.h>
#include <string.h>

#include "../account/asked.h"
#include "batch/batch_law.h"
#include "batch/step_loss.h"
#include "pld/pld.h"
#include "check.h"
#include "random.h"

static double density(double x, double mean, double s)
{
    return exp(-(x - mean) * (x - mean) / (2 * s * s)) / (s * sqrt(2 * 3.14159265358979323846));
}

/* An enclosure of the sum holds the value that was found otherwise. */
static void expect_near(const shuf_enclosure_t r, double value, double tolerance)
{
    if (!(lower(r) <= value + tolerance && value - tolerance <= upper(r)))
        fail_msg("%.12g is not in [%.12g, %.12g]", value, lower(r), upper(r));
}

static void ask_neighbours(asked *x, const char *neighbours, const char *sampler, const char *noise, const char *more, int epochs, const char *eps)
{
    ask(x, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"%s\",\"noise_multiplier\":\"%s\",%s},\"rounds\":%d,%s"
        "\"ask\":{\"quantity\":\"delta\",\"eps\":\"%s\"},\"digits\":4}", sampler, noise, more, epochs, neighbours, eps);
}

static void ask_delta(asked *x, const char *sampler, const char *noise, const char *more, int epochs, const char *eps)
{
    ask_neighbours(x, "", sampler, noise, more, epochs, eps);
}

static void ask_replaced(asked *x, const char *sampler, const char *noise, const char *more, int epochs, const char *eps)
{
    ask_neighbours(x, "\"neighbours\":\"replace\",", sampler, noise, more, epochs, eps);
}

/* ---- grids of outcomes ---- */

#define REACH 9.0 /* standard deviations */
#define POINTS 700

/* The divergence of two laws on the plane, by their densities at points. */
static double of_plane(double (*p)(double, double, const double *), double (*q)(double, double, const double *), const double *parameter,
                       double alpha, double s)
{
    const double low = -REACH * s - 1, step = (2 * REACH * s + 4) / POINTS;
    double sum = 0;
    int i, j;
    for (i = 0; i < POINTS; i++)
        for (j = 0; j < POINTS; j++)
        {
            double x = low + (i + 0.5) * step, y = low + (j + 0.5) * step;
            sum += fmax(p(x, y, parameter) - alpha * q(x, y, parameter), 0);
        }
    return sum * step * step;
}

/* parameter: s, q */
static double without(double x, double y, const double *t)
{
    return density(x, 0, t[0]) * density(y, 0, t[0]);
}

static double poisson(double x, double y, const double *t)
{
    return ((1 - t[1]) * density(x, 0, t[0]) + t[1] * density(x, 1, t[0])) * ((1 - t[1]) * density(y, 0, t[0]) + t[1] * density(y, 1, t[0]));
}

static double balls(double x, double y, const double *t)
{
    return 0.5 * (density(x, 1, t[0]) * density(y, 0, t[0]) + density(x, 0, t[0]) * density(y, 1, t[0]));
}

/* Two steps of shuffled batches, the others' gradients -1: record 1 adds 2, or 1 where it is removed. */
static double shuffled(double x, double y, const double *t)
{
    return 0.5 * (density(x, 2, t[0]) * density(y, 0, t[0]) + density(x, 0, t[0]) * density(y, 2, t[0]));
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Of two steps. */
static const struct { const char *noise, *eps, *rate; double t[2], e; } two_steps[] = {
    { "1", "0.3", "1/3", { 1, 1.0 / 3 }, 0.3 }, { "0.7", "1", "1/2", { 0.7, 0.5 }, 1 }, { "2", "0", "1/10", { 2, 0.1 }, 0 },
    { "1.5", "0.02", "1/4", { 1.5, 0.25 }, 0.02 }, { "0.5", "3", "9/10", { 0.5, 0.9 }, 3 }
};

static void test_two_steps(void **state)
{
    size_t i;
    (void) state;
    skip_unless_drawn(5);
    for (i = 0; i < sizeof(two_steps) / sizeof(two_steps[0]); i++)
    {
        const double alpha = exp(two_steps[i].e), *t = two_steps[i].t;
        char more[64];
        asked x;
        snprintf(more, sizeof(more), "\"steps\":2,\"sampling_rate\":\"%s\"", two_steps[i].rate);
        ask_delta(&x, "poisson", two_steps[i].noise, more, 1, two_steps[i].eps);
        assert_int_equal(x.answer->upper->side, SHUF_SIDE_EXACT);
        expect_near(x.answer->upper->value, larger(of_plane(poisson, without, t, alpha, t[0]), of_plane(without, poisson, t, alpha, t[0])), 2e-5);
        asked_clear(&x);
        ask_delta(&x, "balls-and-bins", two_steps[i].noise, "\"steps\":2", 1, two_steps[i].eps);
        assert_int_equal(x.answer->upper->side, SHUF_SIDE_EXACT);
        expect_near(x.answer->upper->value, larger(of_plane(balls, without, t, alpha, t[0]), of_plane(without, balls, t, alpha, t[0])), 2e-5);
        asked_clear(&x);
        ask_delta(&x, "shuffle", two_steps[i].noise, "\"steps\":2", 1, two_steps[i].eps);
        assert_true(lower(x.answer->lower->value) <= larger(of_plane(shuffled, balls, t, alpha, t[0]), of_plane(balls, shuffled, t, alpha, t[0])) + 2e-5);
        assert_true(lower(x.answer->lower->value) >= 0.5 * upper(x.answer->upper->value));
        asked_clear(&x);
    }
}

/* ---- the profiles of one law ---- */

static void check_profile(const shuf_law_struct *law, double (*of_line)(double, int, const double *), const double *t, double low, double high,
                          double slack)
{
    static const double at[] = { 0, 0x1p-10, 0.125, 0.5, 1, 2 };
    const shuf_options options = { 8, 0 };
    arf_t s, lo, hi;
    size_t i;
    const double near = gate_or_all(10, 1) * 1e-8; /* the sum of fewer points is not as near */
    int reverse, k, points = gate_or_all(40000, 200000);
    arf_init(s);
    arf_init(lo);
    arf_init(hi);
    for (i = 0; i < sizeof(at) / sizeof(at[0]); i++)
        for (reverse = 0; reverse < 2; reverse++)
        {
            const double step = (high - low) / points, alpha = exp(at[i]);
            double sum = 0;
            for (k = 0; k < points; k++)
            {
                double x = low + (k + 0.5) * step;
                sum += step * fmax(of_line(x, reverse, t) - alpha * of_line(x, !reverse, t), 0);
            }
            arf_set_d(s, at[i]);
            law->evaluate(lo, hi, law, reverse ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, s, 1, &options);
            if (arf_get_d(lo, ARF_RND_NEAR) > sum + near || arf_get_d(hi, ARF_RND_NEAR) < sum - slack - near)
                fail_msg("%g is not in [%g, %g] at %g", sum, arf_get_d(lo, ARF_RND_NEAR), arf_get_d(hi, ARF_RND_NEAR), at[i]);
        }
    arf_clear(s);
    arf_clear(lo);
    arf_clear(hi);
}

static double step_line(double x, int is_q, const double *t)
{
    return is_q ? density(x, 0, t[0]) : (1 - t[1]) * density(x, 0, t[0]) + t[1] * density(x, 1, t[0]);
}

/* A step in which a record is replaced; t: s, q. */
static double replaced_line(double x, int is_q, const double *t)
{
    return (1 - t[1]) * density(x, 0, t[0]) + t[1] * density(x, is_q ? -1 : 1, t[0]);
}

/* Batches that have m of n records, g of them a user's, each moving it by 2; t: s, m, n, g. */
static double subset_weight(int k, const double *t)
{
    double weight = 1;
    int i;
    for (i = 0; i < (int) t[3]; i++)
        weight *= (t[2] - t[1] - i) / (t[2] - i);
    for (i = 0; i < k; i++)
        weight *= (t[3] - i) * (t[1] - i) / ((i + 1) * (t[2] - t[1] - t[3] + i + 1));
    return weight;
}

static double subset_line(double x, int is_q, const double *t)
{
    double sum = 0;
    int k;
    if (is_q)
        return density(x, 0, t[0]);
    for (k = 0; k <= (int) t[3]; k++)
        sum += subset_weight(k, t) * density(x, 2 * k, t[0]);
    return sum;
}

/* A step with all records of a user: t: s, q, how many, 1 if they are replaced. */
static double user_line(double x, int is_q, const double *t)
{
    const int n = (int) t[2], way = !is_q ? 1 : t[3] > 0 ? -1 : 0;
    double weight = pow(1 - t[1], n), sum = 0;
    int k;
    for (k = 0; k <= n; k++)
    {
        sum += weight * density(x, way * k, t[0]);
        weight *= (n - k) * t[1] / ((k + 1) * (1 - t[1]));
    }
    return sum;
}

/* Pr[Bin(n, q) >= k]. */
static double binomial_tail(int n, int k, double q)
{
    double sum = 0;
    for (; k <= n; k++)
        sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(q) + (n - k) * log1p(-q));
    return sum;
}

#define APART 50 /* the batches that are cut, beside the others on the line */

/* A step whose batches are cut; t: s, q, the most, all. */
static double truncated_line(double x, int is_q, const double *t)
{
    const double cut = binomial_tail((int) t[3] - 1, (int) t[2], t[1]), p = t[2] / t[3] * binomial_tail((int) t[3], (int) t[2] + 1, t[1]) / cut;
    const double y = x - APART, rate = x < APART / 2 ? t[1] : p, at = x < APART / 2 ? x : y, moved = x < APART / 2 ? 1 : 2;
    return (x < APART / 2 ? 1 - cut : cut) * ((1 - rate) * density(at, 0, t[0]) + rate * density(at, is_q ? 0 : moved, t[0]));
}

static double phi(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

/* The density of the maximum: t[1] steps, one of them shifted. */
static double maximum_line(double x, int is_q, const double *t)
{
    const double shift = is_q ? 1 : 2, n = t[1] - 1;
    return density(x, shift, t[0]) * pow(phi(x / t[0]), n) + phi((x - shift) / t[0]) * n * pow(phi(x / t[0]), n - 1) * density(x, 0, t[0]);
}

/* H_alpha of two normal laws that are mu apart. */
static double normal_profile(double mu, double alpha)
{
    return erfc((log(alpha) / mu - mu / 2) / sqrt(2)) / 2 - alpha * erfc((log(alpha) / mu + mu / 2) / sqrt(2)) / 2;
}

/* From above: between the mixture and the known numbers of records, as Theorem 13 (d) says; one record has the h of Theorem 9. */
static void test_subset(void **state)
{
    static const double at[] = { 0.01, 0.5, 2 };
    shuf_law_t law;
    fmpq_t shift;
    arf_t lo, hi, eps;
    const shuf_options options = { 10, 0 };
    int g, i, k;
    (void) state;
    fmpq_init(shift);
    arf_init(lo); arf_init(hi); arf_init(eps);
    fmpq_set_si(shift, 4, 1);
    for (g = 1; g <= 4; g++)
        for (i = 0; i < 3; i++)
        {
            const double alpha = exp(at[i]), points = 40000, low = -12, step = (2 * g + 24) / points;
            const double t[4] = { 1, 5, 20, g }, inner = 1 + (alpha - 1) / (1 - subset_weight(0, t));
            double known = 0, mixture = 0, h;
            for (k = 1; k <= g; k++)
                known += subset_weight(k, t) * normal_profile(2 * k, inner);
            for (k = 0; k < points; k++)
                mixture += step * fmax(subset_line(low + (k + 0.5) * step, 0, t) - alpha * subset_line(low + (k + 0.5) * step, 1, t), 0);
            h = mixture + alpha / inner * (known - mixture);
            batch_law_group_of(law, shift, 5, 20, (uint64_t) g, 1);
            arf_set_d(eps, at[i]);
            law->evaluate(lo, hi, law, i % 2 ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, eps, 1, &options);
            if (arf_get_d(lo, ARF_RND_NEAR) > h + 1e-8 || arf_get_d(hi, ARF_RND_NEAR) < h - 1e-8 || arf_get_d(hi, ARF_RND_NEAR) > h + 1e-7)
                fail_msg("%g is not in [%g, %g] for %d at %g", h, arf_get_d(lo, ARF_RND_NEAR), arf_get_d(hi, ARF_RND_NEAR), g, at[i]);
            shuf_law_clear(law);
        }
    fmpq_clear(shift);
    arf_clear(lo); arf_clear(hi); arf_clear(eps);
}

static void test_profiles(void **state)
{
    static const double steps[][2] = { { 1, 0.25 }, { 2, 0.5 }, { 0.5, 0.125 } }, maxima[][2] = { { 1, 10 }, { 0.5, 1000 }, { 2, 3 } };
    shuf_law_t law;
    fmpq_t shift, rate;
    size_t i;
    int j;
    (void) state;
    skip_unless_drawn(5);
    fmpq_init(shift);
    fmpq_init(rate);
    for (i = 0; i < 3; i++)
    {
        fmpq_set_si(shift, 1, 1);
        arf_t d;
        arf_init(d);
        arf_set_d(d, 1 / (steps[i][0] * steps[i][0]));
        arf_get_fmpq(shift, d);
        arf_set_d(d, steps[i][1]);
        arf_get_fmpq(rate, d);
        shuf_law_init(law);
        batch_law_step(law, shift, rate);
        check_profile(law, step_line, steps[i], -12 * steps[i][0], 1 + 12 * steps[i][0], 0);
        shuf_law_clear(law);
        batch_law_replaced(law, shift, rate);
        check_profile(law, replaced_line, steps[i], -1 - 12 * steps[i][0], 1 + 12 * steps[i][0], 0);
        shuf_law_clear(law);
        for (j = 0; j < 4; j++)
        {
            const double t[4] = { steps[i][0], steps[i][1], j < 2 ? 2 : 5, j % 2 };
            batch_law_group(law, shift, rate, (uint64_t) t[2], j % 2);
            check_profile(law, user_line, t, -5 - 12 * t[0], 5 + 12 * t[0], 0);
            shuf_law_clear(law);
        }
        fmpq_mul_ui(shift, shift, 4);
        for (j = 1; j < 6; j += 2)
        {
            const double t[4] = { steps[i][0], 3, 12, j };
            batch_law_group_of(law, shift, 3, 12, (uint64_t) j, 0);
            check_profile(law, subset_line, t, -12 * t[0], 2 * j + 12 * t[0], 0);
            shuf_law_clear(law);
        }
        fmpq_div_2exp(shift, shift, 2);
        for (j = 1; j < 8; j += 3)
        {
            const double t[4] = { steps[i][0], steps[i][1], j, 8 };
            batch_law_truncated(law, shift, rate, (uint64_t) j, 8, 0, 1);
            check_profile(law, truncated_line, t, -12 * t[0], APART + 2 + 12 * t[0], 0);
            shuf_law_clear(law);
        }
        arf_set_d(d, maxima[i][0]);
        arf_get_fmpq(rate, d);
        batch_law_maximum(law, rate, (uint64_t) maxima[i][1], 1, 2, 1);
        /* cells lose a little */
        check_profile(law, maximum_line, maxima[i], -12 * maxima[i][0], 2 + 14 * maxima[i][0], 1e-4);
        check_told_loss(law, SHUF_DIRECTION_PQ, 0);
        check_told_loss(law, SHUF_DIRECTION_QP, 0);
        shuf_law_clear(law);
        arf_clear(d);
    }
    fmpq_clear(shift);
    fmpq_clear(rate);
}

/* ---- adaptive runs ---- */

/*
 * Two steps of Poisson sampling in which record 1's second gradient, and the first of another, depend on what was released first, one of them
 * being known: the pair is above them. The other record is in a batch with probability q, too.
 */
static double adaptive(double x, double y, int present, const double *t)
{
    double result = 0;
    int first, second, other, b;
    for (b = 0; b < 16; b++)
    {
        double g = sin(3 * x), h = cos(x), weight;
        first = b & 1;
        second = b >> 1 & 1;
        other = b >> 2;
        weight = (first ? t[1] : 1 - t[1]) * (second ? t[1] : 1 - t[1]) * ((other & 1) ? t[1] : 1 - t[1]) * ((other >> 1) ? t[1] : 1 - t[1]);
        result += weight * density(x, present * first * 0.9 - 0.5 * (other & 1), t[0]) * density(y, present * second * g + h * (other >> 1), t[0]);
    }
    return result;
}

static double adaptive_with(double x, double y, const double *t)
{
    return adaptive(x, y, 1, t);
}

static double adaptive_without(double x, double y, const double *t)
{
    return adaptive(x, y, 0, t);
}

static void test_adaptive(void **state)
{
    static const double t[2] = { 0.8, 0.25 };
    static const char *const eps[] = { "0", "0.2", "1" };
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    for (i = 0; i < 3; i++)
    {
        double alpha = exp(atof(eps[i]));
        asked x;
        ask_delta(&x, "poisson", "0.8", "\"steps\":2,\"sampling_rate\":\"1/4\"", 1, eps[i]);
        assert_true(of_plane(adaptive_with, adaptive_without, t, alpha, t[0]) <= upper(x.answer->upper->value) + 1e-5);
        assert_true(of_plane(adaptive_without, adaptive_with, t, alpha, t[0]) <= upper(x.answer->upper->value) + 1e-5);
        asked_clear(&x);
    }
}

/* ---- a record that is replaced ---- */

static double replaced_first(double x, double y, const double *t)
{
    return replaced_line(x, 0, t) * replaced_line(y, 0, t);
}

static double replaced_second(double x, double y, const double *t)
{
    return replaced_line(x, 1, t) * replaced_line(y, 1, t);
}

/* Two steps, both gradients of the record depending on what was released; is_q: the other one's. */
static double adaptive_replaced(double x, double y, int is_q, const double *t)
{
    const double g = is_q ? -cos(x) : sin(2 * x);
    return replaced_line(x, is_q, t) * ((1 - t[1]) * density(y, 0, t[0]) + t[1] * density(y, g, t[0]));
}

static double adaptive_first(double x, double y, const double *t)
{
    return adaptive_replaced(x, y, 0, t);
}

static double adaptive_second(double x, double y, const double *t)
{
    return adaptive_replaced(x, y, 1, t);
}

/* A step over a subset of the records, the others' gradients -1; two of them. */
static double subset_first(double x, double y, const double *t)
{
    return ((1 - t[1]) * density(x, 0, t[0]) + t[1] * density(x, 2, t[0])) * ((1 - t[1]) * density(y, 0, t[0]) + t[1] * density(y, 2, t[0]));
}

static void test_replaced(void **state)
{
    size_t i;
    (void) state;
    skip_unless_drawn(5);
    for (i = 0; i < sizeof(two_steps) / sizeof(two_steps[0]); i++)
    {
        const double alpha = exp(two_steps[i].e), *t = two_steps[i].t;
        char more[64];
        asked x;
        snprintf(more, sizeof(more), "\"steps\":2,\"sampling_rate\":\"%s\"", two_steps[i].rate);
        ask_replaced(&x, "poisson", two_steps[i].noise, more, 1, two_steps[i].eps);
        assert_int_equal(x.answer->upper->side, SHUF_SIDE_EXACT);
        expect_near(x.answer->upper->value, of_plane(replaced_first, replaced_second, t, alpha, t[0]), 2e-5);
        assert_true(of_plane(adaptive_first, adaptive_second, t, alpha, t[0]) <= upper(x.answer->upper->value) + 1e-5);
        assert_true(of_plane(adaptive_second, adaptive_first, t, alpha, t[0]) <= upper(x.answer->upper->value) + 1e-5);
        asked_clear(&x);
        ask_replaced(&x, "without-replacement", two_steps[i].noise, more, 1, two_steps[i].eps);
        assert_int_equal(x.answer->upper->side, SHUF_SIDE_UPPER);
        expect_near(x.answer->lower->value, larger(of_plane(subset_first, without, t, alpha, t[0]), of_plane(without, subset_first, t, alpha, t[0])), 2e-5);
        assert_true(lower(x.answer->lower->value) <= upper(x.answer->upper->value));
        assert_true(upper(x.answer->upper->value) <= 1.6 * lower(x.answer->lower->value));
        asked_clear(&x);
    }
}

static void expect_equal(const asked *x, const asked *y)
{
    assert_true(lower(x->answer->lower->value) <= upper(y->answer->upper->value));
    assert_true(lower(y->answer->lower->value) <= upper(x->answer->upper->value));
    assert_true(upper(x->answer->upper->value) <= 1.001 * lower(y->answer->lower->value));
}

/* One of two steps, moved to 1, or to -1; the second gradient may depend on what was released first. */
static double drawn_first(double x, double y, const double *t)
{
    return balls(x, y, t);
}

static double drawn_second(double x, double y, const double *t)
{
    return balls(-x, -y, t);
}

static double adaptive_drawn(double x, double y, double u, double v, const double *t)
{
    return 0.5 * (density(x, u, t[0]) * density(y, 0, t[0]) + density(x, 0, t[0]) * density(y, v, t[0]));
}

static double adaptive_drawn_first(double x, double y, const double *t)
{
    return adaptive_drawn(x, y, 1, sin(2 * x), t);
}

static double adaptive_drawn_second(double x, double y, const double *t)
{
    return adaptive_drawn(x, y, -0.9, -cos(x), t);
}

/* Shuffled batches: the others' gradients -1. */
static double pushed_first(double x, double y, const double *t)
{
    return shuffled(x, y, t);
}

/* The grid is off by 5e-5 where the noise is least. */
static void check_drawn(const char *sampler, const char *noise, const char *eps, const double *t, double value, double adapted, double factor)
{
    static const char *const theorem[] = { "batches-replaced-sum", "batches-replaced-numbers", "batches-replaced-maximum", "batches-replaced-removed",
                                         "batches-replaced-shuffle", NULL };
    asked x;
    ask_replaced(&x, sampler, noise, "\"steps\":2", 1, eps);
    assert_true(has_one_of(x.answer->lower, theorem));
    if (lower(x.answer->lower->value) > value + 6e-5 || upper(x.answer->upper->value) < value - 6e-5)
        fail_msg("%s %s %s: %g is not in [%g, %g]", sampler, noise, eps, value, lower(x.answer->lower->value), upper(x.answer->upper->value));
    assert_true(adapted <= upper(x.answer->upper->value) + 1e-5);
    if (upper(x.answer->upper->value) > factor * lower(x.answer->lower->value))
        fail_msg("%s %s %s at %g: [%g, %g] is wide", sampler, noise, eps, t[0], lower(x.answer->lower->value), upper(x.answer->upper->value));
    asked_clear(&x);
}

/* One of two steps: the pair and runs in the plane are between the ends. */
static void test_replaced_drawn(void **state)
{
    static const struct { const char *noise, *eps; double t[1], e; } cases[] = {
        { "1", "0.3", { 1 }, 0.3 }, { "0.7", "1", { 0.7 }, 1 }, { "2", "0", { 2 }, 0 }, { "0.5", "3", { 0.5 }, 3 }, { "1.5", "1", { 1.5 }, 1 }
    };
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        const double alpha = exp(cases[i].e), *t = cases[i].t;
        const double adapted = larger(of_plane(adaptive_drawn_first, adaptive_drawn_second, t, alpha, t[0]), of_plane(adaptive_drawn_second, adaptive_drawn_first, t, alpha, t[0]));
        check_drawn("balls-and-bins", cases[i].noise, cases[i].eps, t, of_plane(drawn_first, drawn_second, t, alpha, t[0]), adapted, 1.5);
        check_drawn("shuffle", cases[i].noise, cases[i].eps, t, larger(of_plane(pushed_first, without, t, alpha, t[0]), of_plane(without, pushed_first, t, alpha, t[0])), adapted, 1.7);
    }
}

/* Epochs: between fewer of them and the Gaussian mechanism of known steps; every step of an epoch is fixed batches. */
static void test_replaced_epochs(void **state)
{
    static const struct { const char *sampler, *more, *taking; } cases[] = {
        { "balls-and-bins", "\"steps\":50", "1" }, { "shuffle", "\"steps\":50", "1" },
        { "random-allocation", "\"steps\":50,\"sampling_rate\":\"1/50\"", "1" }, { "random-allocation", "\"steps\":50,\"sampling_rate\":\"3/50\"", "3" }
    };
    size_t i;
    (void) state;
    skip_unless_drawn(10);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        const int taking = atoi(cases[i].taking);
        asked x, y, z;
        ask_replaced(&x, cases[i].sampler, "3", cases[i].more, 3, "0.5");
        ask_replaced(&y, "fixed", "3", "\"steps\":1", 3 * taking, "0.5");
        ask_delta(&z, cases[i].sampler, "3", cases[i].more, 3, "0.5");
        assert_true(lower(x.answer->lower->value) <= upper(x.answer->upper->value));
        assert_true(upper(x.answer->upper->value) <= upper(y.answer->upper->value));
        /* at least what a removed record has */
        assert_true(upper(x.answer->upper->value) >= lower(z.answer->lower->value));
        assert_true(lower(x.answer->lower->value) > lower(z.answer->lower->value));
        asked_clear(&x);
        asked_clear(&y);
        asked_clear(&z);
    }
}

static void test_replaced_agreement(void **state)
{
    asked x, y;
    (void) state;
    /* half the noise */
    ask_replaced(&x, "fixed", "2.5", "\"steps\":7", 3, "0.5");
    ask_delta(&y, "fixed", "1.25", "\"steps\":7", 3, "0.5");
    expect_equal(&x, &y);
    asked_clear(&x);
    /* all records in every step */
    ask_replaced(&x, "poisson", "2.5", "\"steps\":3,\"sampling_rate\":1", 1, "0.5");
    expect_equal(&x, &y);
    asked_clear(&x);
    ask_replaced(&x, "without-replacement", "2.5", "\"steps\":3,\"sampling_rate\":1", 1, "0.5");
    expect_equal(&x, &y);
    asked_clear(&x);
    asked_clear(&y);
    /* one step over a subset is known exactly */
    ask_replaced(&x, "without-replacement", "0.1", "\"steps\":1,\"sampling_rate\":\"1/10\"", 1, "200");
    assert_true(upper(x.answer->upper->value) <= 1.001 * lower(x.answer->lower->value));
    asked_clear(&x);
}

/* All records of a user: fixed batches have less noise; others are between one record and known steps. */
static void test_users(void **state)
{
    static const char *const ways[] = { "remove", "replace" };
    static const struct { const char *sampler, *more; } cases[] = {
        { "shuffle", "\"steps\":4" }, { "balls-and-bins", "\"steps\":4" }, { "random-allocation", "\"steps\":4,\"sampling_rate\":\"1/2\"" }
    };
    static const char form[] = "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"%s\",\"noise_multiplier\":\"%s\",%s,\"records_per_user\":%d},\"neighbours\":\"%s\","
                               "\"rounds\":2,\"ask\":{\"quantity\":\"delta\",\"eps\":\"1/2\"},\"digits\":4}";
    asked x, y, z;
    size_t i, j;
    (void) state;
    skip_unless_drawn(5);
    for (j = 0; j < 2; j++)
    {
        ask(&x, form, "fixed", "6", "\"steps\":5", 3, ways[j]);
        ask(&y, form, "fixed", "2", "\"steps\":5", 1, ways[j]);
        assert_true(has_theorem(x.answer->upper, "batches-user-fixed"));
        expect_equal(&x, &y);
        asked_clear(&x);
        asked_clear(&y);
        ask(&x, form, "poisson", "2", "\"steps\":5,\"sampling_rate\":\"1/10\"", 3, ways[j]);
        ask(&y, form, "poisson", "2", "\"steps\":5,\"sampling_rate\":\"1/10\"", 2, ways[j]);
        assert_true(lower(x.answer->lower->value) > upper(y.answer->upper->value));
        asked_clear(&x);
        asked_clear(&y);
        for (i = 0; i < 3; i++)
        {
            ask(&x, form, cases[i].sampler, "4", cases[i].more, 3, ways[j]);
            ask(&y, form, "fixed", "4", i == 2 ? "\"steps\":1" : cases[i].more, 3, ways[j]);
            ask(&z, form, cases[i].sampler, "4", cases[i].more, 1, ways[j]);
            assert_true(lower(x.answer->lower->value) <= upper(x.answer->upper->value));
            assert_true(upper(x.answer->upper->value) >= upper(z.answer->lower->value));
            assert_true(lower(x.answer->lower->value) > lower(z.answer->lower->value));
            if (i < 2)
                expect_near(x.answer->upper->value, upper(y.answer->upper->value), 1e-6);
            asked_clear(&y);
            /* the sum of four steps has twice their noise */
            ask(&y, form, "fixed", "8", "\"steps\":1", i == 2 ? 6 : 3, ways[j]);
            expect_near(x.answer->lower->value, upper(y.answer->upper->value), 1e-6);
            asked_clear(&x);
            asked_clear(&y);
            asked_clear(&z);
        }
    }
}

/* Batches that are cut, a record being replaced: what Poisson batches and those of a fixed size have, and the record's own rate from below. */
static void test_truncated(void **state)
{
    static const char form[] = "\"steps\":1,\"sampling_rate\":\"%.17g\"";
    char more[128], cut[192];
    const double q = 0.25, tau = binomial_tail(9, 3, q), joint = 3 / 10.0 * binomial_tail(10, 4, q);
    asked x, y, z;
    (void) state;
    snprintf(more, sizeof(more), form, q);
    snprintf(cut, sizeof(cut), "%s,\"max_batch_size\":3,\"dataset_size\":10", more);
    ask_replaced(&x, "poisson", "1", cut, 1, "1/2");
    ask_replaced(&y, "poisson", "1", more, 1, "1/2");
    snprintf(more, sizeof(more), form, joint / tau);
    ask_replaced(&z, "without-replacement", "1", more, 1, "1/2");
    assert_true(has_theorem(x.answer->upper, "batches-truncated-above"));
    expect_near(x.answer->upper->value, (1 - tau) * upper(y.answer->upper->value) + tau * upper(z.answer->upper->value), 1e-5);
    asked_clear(&y);
    asked_clear(&z);
    snprintf(more, sizeof(more), form, q * (1 - tau) + joint);
    ask_replaced(&y, "poisson", "1", more, 1, "1/2");
    expect_near(x.answer->lower->value, lower(y.answer->lower->value), 1e-6);
    asked_clear(&x);
    asked_clear(&y);
    /* a batch that cannot be too large */
    snprintf(more, sizeof(more), form, q);
    snprintf(cut, sizeof(cut), "%s,\"max_batch_size\":10,\"dataset_size\":10", more);
    ask_delta(&x, "poisson", "1", cut, 7, "1/2");
    ask_delta(&y, "poisson", "1", more, 7, "1/2");
    assert_true(has_theorem(x.answer->upper, "batches-poisson"));
    expect_equal(&x, &y);
    asked_clear(&x);
    asked_clear(&y);
}

/* Where nothing else comes to an end, all steps are known: the Gaussian mechanism of so many. */
static void test_known_steps(void **state)
{
    static const struct { const char *neighbours, *noise; } cases[] = { { "remove", "0.3" }, { "replace", "0.6" } };
    size_t i;
    (void) state;
    for (i = 0; i < 2; i++)
    {
        asked x, y;
        ask(&x, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"poisson\",\"noise_multiplier\":\"%s\",\"steps\":1000000,\"sampling_rate\":\"1/2\"},"
            "\"neighbours\":\"%s\",\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-5\"},\"digits\":3,\"effort\":1000000}", cases[i].noise, cases[i].neighbours);
        ask(&y, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":\"0.3\",\"steps\":1},\"rounds\":1000000,"
            "\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-5\"},\"digits\":3}");
        assert_true(has_theorem(x.answer->upper, "batches-all-known"));
        assert_true(asked_meet(&x, &y));
        asked_clear(&x);
        asked_clear(&y);
    }
}

/* ---- where samplers agree ---- */

/* Both enclose one number. */
static void expect_same(const char *sampler, const char *more, int epochs, const char *other, const char *other_more, int other_epochs)
{
    asked x, y;
    ask_delta(&x, sampler, "1.25", more, epochs, "0.5");
    ask_delta(&y, other, "1.25", other_more, other_epochs, "0.5");
    if (!asked_meet(&x, &y))
        fail_msg("%s and %s differ", sampler, other);
    assert_true(upper(x.answer->upper->value) <= 1.001 * lower(y.answer->upper->value));
    asked_clear(&x);
    asked_clear(&y);
}

static void test_agreement(void **state)
{
    (void) state;
    /* one step, or every record in every batch, is the Gaussian mechanism */
    expect_same("fixed", "\"steps\":7", 3, "poisson", "\"steps\":3,\"sampling_rate\":1", 1);
    expect_same("fixed", "\"steps\":1", 2, "balls-and-bins", "\"steps\":1", 2);
    expect_same("fixed", "\"steps\":1", 4, "shuffle", "\"steps\":1", 4);
    /* epochs are steps of Poisson sampling */
    expect_same("poisson", "\"steps\":4", 3, "poisson", "\"steps\":12,\"sampling_rate\":\"1/4\"", 1);
}

/* ---- random allocation ---- */

#define RUNS 200000

static double random_normal(void)
{
    return sqrt(-2 * log(1 - random_unit())) * cos(6.28318530717958648 * random_unit());
}

/* P/Q at y: the mean over all sets of k of t steps of the product of e^{(2 y_i - 1)/(2 s^2)}. */
static double allocation_ratio(const double *y, int t, int k, double s)
{
    double e[9] = { 1 }, sets = 1;
    int i, j;
    for (i = 0; i < t; i++)
        for (j = k; j > 0; j--)
            e[j] += e[j - 1] * exp((2 * y[i] - 1) / (2 * s * s));
    for (j = 0; j < k; j++)
        sets *= (double) (t - j) / (j + 1);
    return e[k] / sets;
}

/* The larger divergence of an epoch, by simulation; *error is five standard deviations. */
static double simulated(double *error, int t, int k, double s, double alpha)
{
    double value[2], deviation[2];
    int d, i, j;
    for (d = 0; d < 2; d++)
    {
        double sum = 0, squares = 0;
        for (i = 0; i < RUNS; i++)
        {
            double y[30], ratio, x;
            /* which steps the record is in changes nothing: the ratio is symmetric */
            for (j = 0; j < t; j++)
                y[j] = s * random_normal() + (d == 0 && j < k);
            ratio = allocation_ratio(y, t, k, s);
            x = fmax(1 - alpha * (d == 0 ? 1 / ratio : ratio), 0);
            sum += x;
            squares += x * x;
        }
        value[d] = sum / RUNS;
        deviation[d] = sqrt((squares / RUNS - value[d] * value[d]) / RUNS);
    }
    d = value[1] > value[0];
    *error = 5 * deviation[d];
    return value[d];
}

static void test_allocation(void **state)
{
    static const struct { int t, k; const char *noise, *eps, *rate; double s, e; } cases[] = {
        { 20, 2, "1", "0.5", "1/10", 1, 0.5 }, { 6, 4, "1.5", "1", "2/3", 1.5, 1 }
    };
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        double error, value = simulated(&error, cases[i].t, cases[i].k, cases[i].s, exp(cases[i].e));
        char more[64];
        asked x;
        snprintf(more, sizeof(more), "\"steps\":%d,\"sampling_rate\":\"%s\"", cases[i].t, cases[i].rate);
        ask_delta(&x, "random-allocation", cases[i].noise, more, 1, cases[i].eps);
        assert_int_equal(x.answer->upper->side, SHUF_SIDE_UPPER);
        assert_true(lower(x.answer->upper->value) >= value - error && upper(x.answer->upper->value) <= 1.7 * value + error);
        assert_true(lower(x.answer->lower->value) <= value + error && lower(x.answer->lower->value) >= 0.5 * value);
        asked_clear(&x);
    }
    expect_same("balls-and-bins", "\"steps\":6", 1, "random-allocation", "\"steps\":6,\"sampling_rate\":\"1/6\"", 1);
    expect_same("fixed", "\"steps\":2", 6, "random-allocation", "\"steps\":3,\"sampling_rate\":1", 2);
}

/* Three of eight steps: from above blocks of two, three and three, and no two of two. */
static void test_allocated_blocks(void **state)
{
    static const char *const blocks =
        "{\"rounds\":[{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"balls-and-bins\",\"noise_multiplier\":2,\"steps\":%d},\"rounds\":%d},"
        "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"balls-and-bins\",\"noise_multiplier\":2,\"steps\":3},\"rounds\":%d}],"
        "\"ask\":{\"quantity\":\"delta\",\"eps\":1},\"digits\":3}";
    asked x, y, z;
    (void) state;
    ask(&x, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"random-allocation\",\"noise_multiplier\":2,\"steps\":8,\"sampling_rate\":\"3/8\"},"
            "\"rounds\":2,\"ask\":{\"quantity\":\"delta\",\"eps\":1},\"digits\":3}");
    ask(&y, blocks, 2, 2, 4);
    ask(&z, blocks, 3, 2, 4);
    assert_true(lower(x.answer->upper->value) <= upper(y.answer->upper->value) && lower(y.answer->upper->value) <= upper(x.answer->upper->value));
    assert_true(upper(z.answer->upper->value) < lower(x.answer->upper->value));
    asked_clear(&x);
    asked_clear(&y);
    asked_clear(&z);
}

/* From below more epochs have more, in cells too, and less than from above. */
static void test_allocated_epochs(void **state)
{
    static const char *const question =
        "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"random-allocation\",\"noise_multiplier\":\"0.7\",\"steps\":40,"
        "\"sampling_rate\":\"1/20\"},\"rounds\":%d,\"ask\":{\"quantity\":\"delta\",\"eps\":2},\"digits\":4,\"effort\":\"1000000000\"}";
    asked x, y;
    (void) state;
    skip_unless_drawn(4);
    ask(&x, question, 1);
    ask(&y, question, 3);
    assert_true(lower(y.answer->lower->value) > 1.5 * upper(x.answer->lower->value));
    assert_true(lower(y.answer->lower->value) < upper(y.answer->upper->value));
    asked_clear(&x);
    asked_clear(&y);
}

/* One step is in closed form, and a composition of one. */
static void test_composing_once(void **state)
{
    static const char *const samplers[] = { "fixed", "poisson", "shuffle" };
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    for (i = 0; i < 3; i++)
    {
        asked x, y;
        const char *more = i == 1 ? "\"steps\":1,\"sampling_rate\":\"1/8\"" : "\"steps\":8";
        ask(&x, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"%s\",\"noise_multiplier\":1,%s},\"ask\":{\"quantity\":\"delta\",\"eps\":\"0.7\"}}",
            samplers[i], more);
        ask(&y, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"%s\",\"noise_multiplier\":1,%s},\"via\":\"pld\",\"digits\":4,\"effort\":\"3000000000\","
            "\"ask\":{\"quantity\":\"delta\",\"eps\":\"0.7\"}}", samplers[i], more);
        assert_true(lower(y.answer->upper->value) <= upper(x.answer->upper->value) && upper(y.answer->upper->value) >= lower(x.answer->upper->value));
        if (i == 2) /* cells say a little less than the event */
            assert_true(upper(y.answer->lower->value) >= 0.999 * lower(x.answer->lower->value));
        asked_clear(&x);
        asked_clear(&y);
    }
}

/* The profile of an epoch at its nodes and between them is that of single points, and not much wider. */
static void test_nodes(void **state)
{
    enum { POINTS_OF_ALL = 24 };
    static const struct { uint64_t steps; slong noise; } cases[] = { { 50, 1 }, { 200, 1 } };
    const shuf_options options = { 6, 10e9 };
    shuf_law_t law;
    shuf_enclosure_t r;
    shuf_real_t eps;
    arf_t s, lo, hi;
    fmpq_t noise;
    size_t i;
    int j;
    (void) state;
    skip_unless_drawn(10);
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    arf_init(s); arf_init(lo); arf_init(hi);
    fmpq_init(noise);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        fmpq_set_si(noise, cases[i].noise, 1);
        shuf_law_init(law);
        batch_law_balls(law, noise, cases[i].steps);
        law->prepare(law, &options);
        for (j = 0; j < POINTS_OF_ALL; j++)
        {
            shuf_direction d = j % 2 ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
            double at = j < 2 ? 0 : random_unit() * 4 / (sqrt((double) cases[i].steps) * (double) cases[i].noise);
            arf_set_d(s, at);
            shuf_real_set_d(eps, at);
            law->evaluate(lo, hi, law, d, s, 1, &options);
            law->delta(r, NULL, law, eps, d, &options);
            if (arf_cmp(lo, r->hi) > 0 || arf_cmp(hi, r->lo) < 0)
                fail_msg("%g steps at %.17g: [%.10g, %.10g], not [%.10g, %.10g]", (double) cases[i].steps, at, arf_get_d(lo, ARF_RND_FLOOR),
                         arf_get_d(hi, ARF_RND_CEIL), lower(r), upper(r));
            if (arf_get_d(hi, ARF_RND_CEIL) > arf_get_d(lo, ARF_RND_FLOOR) * (1 + 3e-5))
                fail_msg("%g steps at %.17g: [%.10g, %.10g]", (double) cases[i].steps, at, arf_get_d(lo, ARF_RND_FLOOR),
                         arf_get_d(hi, ARF_RND_CEIL));
        }
        shuf_law_clear(law);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    arf_clear(s); arf_clear(lo); arf_clear(hi);
    fmpq_clear(noise);
}

/* ---- the loss of a Poisson step ---- */

static void expect_ball(const arb_t x, double value, double tolerance)
{
    arf_t lo, hi;
    arf_init(lo);
    arf_init(hi);
    arb_get_lbound_arf(lo, x, 53);
    arb_get_ubound_arf(hi, x, 53);
    if (!(arf_get_d(lo, ARF_RND_FLOOR) <= value + tolerance && value - tolerance <= arf_get_d(hi, ARF_RND_CEIL)))
        fail_msg("[%.12g, %.12g], not %.12g", arf_get_d(lo, ARF_RND_FLOOR), arf_get_d(hi, ARF_RND_CEIL), value);
    arf_clear(lo);
    arf_clear(hi);
}

static void set_eps(shuf_real_t eps, double value)
{
    arf_t x;
    arf_init(x);
    arf_set_d(x, value);
    shuf_real_set_arf(eps, x);
    arf_clear(x);
}

/* Parameters at random: mu between about 1/5 and 3, and a rate. */
static void random_loss(step_loss *x, fmpq_t shift, fmpq_t rate, int reverse)
{
    static const ulong rates[][2] = { { 1, 1000 }, { 1, 20 }, { 1, 2 }, { 9, 10 }, { 99, 100 } };
    const size_t i = (size_t) (random_unit() * 5);
    fmpq_set_ui(shift, 1 + (ulong) (random_unit() * 200), 1 + (ulong) (random_unit() * 24));
    fmpq_div_2exp(shift, shift, 3);
    if (fmpq_cmp_si(shift, 9) > 0)
        fmpq_set_si(shift, 9, 1);
    fmpq_set_ui(rate, rates[i][0], rates[i][1]);
    *x = (step_loss) { shift, rate, reverse, 0 };
}

static double double_of(const fmpq_t x)
{
    return fmpz_get_d(fmpq_numref(x)) / fmpz_get_d(fmpq_denref(x));
}

/* The transform of the loss by many points. */
static double complex transform(const step_loss *x, double complex s)
{
    const double mu = sqrt(double_of(x->shift)), q = double_of(x->rate), step = 1e-3;
    const double low = -14 - creal(s) * mu, high = 14 + (creal(s) + 1) * mu;
    double complex sum = 0, power = x->reverse ? -s : s + 1;
    double u;
    for (u = low; u < high; u += step)
        sum += step * density(u, 0, 1) * cexp(power * log1p(q * expm1(mu * u - mu * mu / 2)));
    return sum;
}

/* The atoms' transform is within the error that they have, which is what was asked for or so. */
static void test_loss_atoms(void **state)
{
    fmpq_t shift, rate;
    arf_t top;
    int i;
    (void) state;
    skip_unless_drawn(4);
    fmpq_init(shift);
    fmpq_init(rate);
    arf_init(top);
    arf_pos_inf(top);
    for (i = 0; i < 120; i++)
    {
        const double theta = 4 * random_unit(), reach = i % 3 == 0 ? 0 : 60 * random_unit() * random_unit(), at = i % 2 == 0 ? reach : -reach;
        double tolerance = pow(10, -8 * random_unit()), off;
        double complex sum = 0, all, s = theta + at * I;
        shuf_quadrature q;
        shuf_summand law;
        step_loss x;
        slong j;
        random_loss(&x, shift, rate, i % 4 < 2);
        step_loss_law(&law, &x);
        all = transform(&x, s);
        tolerance *= cabs(transform(&x, theta));
        shuf_quadrature_init(&q);
        assert_int_equal(law.quadrature(&q, &law, theta, reach, top, tolerance, 96), 0);
        for (j = 0; j < q.count; j++)
            sum += arf_get_d(arb_midref(q.mass + j), ARF_RND_NEAR) * cexp(s * arf_get_d(arb_midref(q.value + j), ARF_RND_NEAR));
        off = cabs(sum - all);
        if (!(off <= q.error + 1e-12 * cabs(transform(&x, theta))) || !(q.error <= tolerance))
            fail_msg("off by %g, not %g: mu^2 = %g, rate %g, s = %g + %g i, tolerance %g, direction %d", off, q.error, double_of(shift),
                     double_of(rate), theta, at, tolerance, x.reverse);
        shuf_quadrature_clear(&q);
    }
    fmpq_clear(shift);
    fmpq_clear(rate);
    arf_clear(top);
}

/* The outcome at which the loss log(dP/dQ) is l. */
static double outcome_of(double l, double mu, double q)
{
    const double y = (expm1(l) + q) / q;
    return y > 0 ? (log(y) + mu * mu / 2) / mu : -HUGE_VAL;
}

/* Each step is below the density, and together they are most of it. */
static void test_loss_steps(void **state)
{
    fmpq_t shift, rate;
    arf_t top;
    int i;
    (void) state;
    fmpq_init(shift);
    fmpq_init(rate);
    arf_init(top);
    arf_pos_inf(top);
    for (i = 0; i < 20; i++)
    {
        double sum = 0, mu, q;
        shuf_steps s;
        shuf_summand law;
        step_loss x;
        slong j;
        random_loss(&x, shift, rate, i % 2);
        step_loss_law(&law, &x);
        mu = sqrt(double_of(shift));
        q = double_of(rate);
        shuf_steps_init(&s);
        law.steps(&s, &law, top);
        for (j = 0; j < s.count; j++)
        {
            const double from = x.reverse ? -s.low[j] - s.width[j] : s.low[j], u0 = outcome_of(from, mu, q), u1 = outcome_of(from + s.width[j], mu, q);
            const double without = phi(u1) - phi(u0), mass = x.reverse ? without : (1 - q) * without + q * (phi(u1 - mu) - phi(u0 - mu));
            sum += s.width[j] * s.height[j];
            /* outcome_of is good to so many digits */
            if (s.width[j] > 1e-5 && s.width[j] * s.height[j] > mass * (1 + 1e-6) + 1e-11)
                fail_msg("%g in a step of %g: mu^2 = %g, rate %g", s.width[j] * s.height[j], mass, double_of(shift), q);
        }
        assert_true(sum <= 1 && sum > 0.8);
        shuf_steps_clear(&s);
    }
    fmpq_clear(shift);
    fmpq_clear(rate);
    arf_clear(top);
}

#define SIMPSON 20000

/* The integral of density(u) R(u)^power, by Simpson's rule. */
static double complex simpson(const step_loss *x, double complex power, double from, double to)
{
    const double mu = sqrt(double_of(x->shift)), q = double_of(x->rate), step = (to - from) / SIMPSON;
    double complex sum = 0;
    int i;
    for (i = 0; i <= SIMPSON; i++)
    {
        const double u = from + i * step;
        sum += (i == 0 || i == SIMPSON ? 1 : i % 2 == 0 ? 2 : 4) * density(u, 0, 1) * cexp(power * log1p(q * expm1(mu * u - mu * mu / 2)));
    }
    return sum * step / 3;
}

/* The same of the law that is cut, and what is above the cut. */
static void test_cut_loss(void **state)
{
    fmpq_t shift, rate;
    arf_t top;
    arb_t mass, excess;
    int i;
    (void) state;
    fmpq_init(shift);
    fmpq_init(rate);
    arf_init(top);
    arb_init(mass);
    arb_init(excess);
    for (i = 0; i < 30; i++)
    {
        const double reach = i % 3 == 0 ? 0 : 100 * random_unit() * random_unit();
        double tolerance = pow(10, -8 * random_unit()), cut, mu, q, end, u, theta, off, above = 0, most;
        double complex sum = 0, all, s;
        shuf_quadrature atoms;
        shuf_summand law;
        step_loss x;
        shuf_steps steps;
        slong j;
        random_loss(&x, shift, rate, 0);
        x.cut = 1;
        step_loss_law(&law, &x);
        mu = sqrt(double_of(shift));
        q = double_of(rate);
        end = 6 * random_unit() - 1;
        cut = log1p(q * expm1(mu * end - mu * mu / 2));
        theta = fmin(4 + 60 * random_unit(), 20 / (1e-3 + fabs(cut)));
        s = theta + (i % 2 == 0 ? reach : -reach) * I;
        arf_set_d(top, cut);
        all = simpson(&x, s + 1, -14, end);
        most = creal(simpson(&x, theta + 1, -14, end));
        tolerance *= most;
        shuf_quadrature_init(&atoms);
        assert_int_equal(law.quadrature(&atoms, &law, theta, reach, top, tolerance, 96), 0);
        for (j = 0; j < atoms.count; j++)
            sum += arf_get_d(arb_midref(atoms.mass + j), ARF_RND_NEAR) * cexp(s * arf_get_d(arb_midref(atoms.value + j), ARF_RND_NEAR));
        off = cabs(sum - all);
        if (!(off <= atoms.error + (1e-8 + pow((theta + 1) * mu * (end + 14) / SIMPSON, 4)) * most) || !(atoms.error <= tolerance))
            fail_msg("off by %g, not %g: mu^2 = %g, rate %g, s = %g + %g i, cut at %g, tolerance %g", off, atoms.error, double_of(shift), q, theta,
                     cimag(s), cut, tolerance);
        shuf_quadrature_clear(&atoms);
        law.tail(mass, excess, &law, top, 96);
        expect_ball(mass, creal(simpson(&x, 1, end, end + 14)), 1e-9);
        for (u = end + 5e-4; u < end + 14; u += 1e-3)
        {
            const double l = log1p(q * expm1(mu * u - mu * mu / 2));
            above += 1e-3 * density(u, 0, 1) * exp(l) * (l - cut);
        }
        expect_ball(excess, above, 1e-6);
        shuf_steps_init(&steps);
        law.steps(&steps, &law, top);
        for (j = 0; j < steps.count; j++)
            assert_true(steps.low[j] + steps.width[j] <= cut);
        shuf_steps_clear(&steps);
    }
    fmpq_clear(shift);
    fmpq_clear(rate);
    arf_clear(top);
    arb_clear(mass);
    arb_clear(excess);
}

/* Steps of which few take part: lines and grids, which share nothing, agree. */
static void test_few_participations(void **state)
{
    shuf_law_t law;
    shuf_enclosure_t by_line, by_grid;
    shuf_real_t eps;
    fmpq_t shift, rate;
    int i;
    (void) state;
    skip_unless_drawn(4);
    fmpq_init(shift);
    fmpq_init(rate);
    shuf_real_init(eps);
    shuf_enclosure_init(by_line);
    shuf_enclosure_init(by_grid);
    for (i = 0; i < 6; i++)
    {
        const ulong steps = 200 + (ulong) (3000 * random_unit());
        const shuf_options few = { 2, 1e9 }, options = { 6, 2e9 };
        const shuf_pld_part part = { law, steps };
        const shuf_direction direction = i % 2 == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP;
        shuf_status (*power)(shuf_enclosure_t, const shuf_law_struct *, uint64_t, shuf_direction, const shuf_real_t, const shuf_options *);
        fmpq_set_ui(shift, 1 + (ulong) (16 * random_unit()), 12);
        fmpq_set_ui(rate, 1 + (ulong) (40 * random_unit()), 10 * steps);
        set_eps(eps, double_of(rate) * sqrt((double) steps) * (1 + 2 * random_unit()));
        shuf_law_init(law);
        batch_law_step(law, shift, rate);
        shuf_pld_delta(by_line, &part, 1, eps, direction, &options);
        power = law->power;
        law->power = NULL;
        shuf_pld_delta(by_grid, &part, 1, eps, direction, &few);
        law->power = power;
        if (arf_cmp(by_line->lo, by_grid->hi) > 0 || arf_cmp(by_grid->lo, by_line->hi) > 0 || by_line->status != SHUF_OK)
            fail_msg("[%.10g, %.10g] and [%.10g, %.10g]: %lu steps, mu^2 = %g, rate %g, direction %d", arf_get_d(by_line->lo, ARF_RND_FLOOR),
                     arf_get_d(by_line->hi, ARF_RND_CEIL), arf_get_d(by_grid->lo, ARF_RND_FLOOR), arf_get_d(by_grid->hi, ARF_RND_CEIL), steps,
                     double_of(shift), double_of(rate), (int) direction);
        shuf_law_clear(law);
    }
    fmpq_clear(shift);
    fmpq_clear(rate);
    shuf_real_clear(eps);
    shuf_enclosure_clear(by_line);
    shuf_enclosure_clear(by_grid);
}

/* A line that is kept says what a new one says: of neighbours at less work, and never of another number of steps. */
static void test_kept_lines(void **state)
{
    static const uint64_t steps[] = { 300, 300, 300, 250, 300, 250 };
    const shuf_options options = { 6, 1e9 };
    shuf_law_t law, fresh;
    shuf_enclosure_t r, alone;
    shuf_real_t eps;
    fmpq_t shift, rate;
    double first = 0;
    int i;
    (void) state;
    fmpq_init(shift);
    fmpq_init(rate);
    shuf_real_init(eps);
    shuf_enclosure_init(r);
    shuf_enclosure_init(alone);
    fmpq_set_ui(shift, 1 + random_below(8), 8);
    fmpq_set_ui(rate, 1 + random_below(20), 400);
    shuf_law_init(law);
    batch_law_step(law, shift, rate);
    for (i = 0; i < 6; i++)
    {
        const shuf_direction direction = i == 4 ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
        set_eps(eps, 0.5 * sqrt(300.0) * double_of(rate) * (1 + 1e-3 * i));
        shuf_law_init(fresh);
        batch_law_step(fresh, shift, rate);
        assert_int_equal(law->power(r, law, steps[i], direction, eps, &options), SHUF_OK);
        assert_int_equal(fresh->power(alone, fresh, steps[i], direction, eps, &options), SHUF_OK);
        assert_true(arf_cmp(r->lo, alone->hi) <= 0 && arf_cmp(alone->lo, r->hi) <= 0);
        if (i == 0)
            first = r->ledger.work;
        assert_true(i == 0 || i > 2 || r->ledger.work < first / 2);
        shuf_law_clear(fresh);
    }
    shuf_law_clear(law);
    fmpq_clear(shift);
    fmpq_clear(rate);
    shuf_real_clear(eps);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(alone);
}

/* Both directions of many steps, as numpy found them from cells of the loss by transforms, extrapolated. */
static void test_many_steps(void **state)
{
    static const struct { const char *shift, *rate; uint64_t steps; const char *eps; double value[2]; } cases[] = {
        { "1/4", "9/10", 20, "3", { 0.19060949162, 0.17841473898 } }, { "1/25", "99/100", 100, "1", { 0.50276111525, 0.50268929190 } },
        { "1/9", "1/20", 1000, "1", { 0.011402429921, 0.010203544358 } }, { "1", "1/10", 10, "1", { 0.0069005414583, 0 } },
        { "1/9", "1/2", 50, "0", { 0.44425853086, 0.44425853086 } }, { "1", "1/100", 100, "1/2", { 1.2749813017e-4, 4.7722e-11 } },
    };
    const shuf_options options = { 6, 1e9 };
    shuf_law_t law;
    shuf_enclosure_t r;
    shuf_real_t eps;
    fmpq_t shift, rate;
    size_t i;
    int d;
    (void) state;
    fmpq_init(shift);
    fmpq_init(rate);
    shuf_real_init(eps);
    shuf_enclosure_init(r);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        fmpq_set_str(shift, cases[i].shift, 10);
        fmpq_set_str(rate, cases[i].rate, 10);
        shuf_real_set_str(eps, cases[i].eps);
        shuf_law_init(law);
        batch_law_step(law, shift, rate);
        for (d = 0; d < 2; d++)
        {
            const shuf_pld_part part = { law, cases[i].steps };
            /* nothing but the lines is so quick */
            assert_int_equal(shuf_pld_delta(r, &part, 1, eps, d == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP, &options), SHUF_OK);
            assert_true(r->ledger.work < 1e9 / 4);
            expect_near(r, cases[i].value[d], 3e-10);
        }
        shuf_law_clear(law);
    }
    fmpq_clear(shift);
    fmpq_clear(rate);
    shuf_real_clear(eps);
    shuf_enclosure_clear(r);
}

/* The closed form of fixed batches has no largest eps; mpmath's at 60 digits. */
static void test_little_noise(void **state)
{
    static const struct { const char *noise; int epochs; double eps; } cases[] = { { "0.3", 1000000, 5569770.8588411833 }, { "0.001", 100, 50042647.9081524155 } };
    size_t i;
    (void) state;
    for (i = 0; i < 2; i++)
    {
        asked x;
        ask(&x, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":\"%s\",\"steps\":10},\"rounds\":%d,"
            "\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-5\"}}", cases[i].noise, cases[i].epochs);
        expect_near(x.answer->upper->value, cases[i].eps, 1e-14 * cases[i].eps);
        assert_true(upper(x.answer->upper->value) < lower(x.answer->upper->value) * (1 + 1e-5));
        asked_clear(&x);
    }
}

/* ---- verdicts ---- */

static void test_verdicts(void **state)
{
    asked x;
    size_t i;
    int aside = 0;
    (void) state;
    skip_unless_drawn(4);
    /* trained with shuffled batches, accounted for as Poisson sampling */
    ask(&x, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"shuffle\",\"noise_multiplier\":\"3/5\",\"steps\":100},\"claim\":{\"eps\":\"6\",\"delta\":\"1e-5\"},\"digits\":2}");
    assert_int_equal(x.answer->verdict, SHUF_REFUTED_CLAIM);
    for (i = 0; i < x.answer->count; i++)
        if (has_theorem(&x.answer->tried[i], "batches-shuffle-as-poisson"))
        {
            assert_int_equal(x.answer->tried[i].side, SHUF_SIDE_NONE);
            assert_true(upper(x.answer->tried[i].value) < 4);
            aside++;
        }
    assert_int_equal(aside, 1);
    assert_true(x.answer->lower->has_threshold && x.answer->lower->has_data);
    asked_clear(&x);
    ask(&x, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"poisson\",\"noise_multiplier\":\"3/5\",\"steps\":100},\"claim\":{\"eps\":\"6\",\"delta\":\"1e-5\"},\"digits\":2}");
    assert_int_equal(x.answer->verdict, SHUF_CERTIFIED);
    asked_clear(&x);
    ask(&x, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"poisson\",\"noise_multiplier\":\"3/5\",\"steps\":100},\"claim\":{\"eps\":\"3\",\"delta\":\"1e-5\"},\"digits\":2}");
    assert_int_equal(x.answer->verdict, SHUF_REFUTED_CLAIM);
    asked_clear(&x);
}

/* Phases of fixed batches: mu^2 adds up. */
static void test_phases(void **state)
{
    asked x, y;
    (void) state;
    ask(&x, "{\"rounds\":[{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":\"2\",\"steps\":5},\"rounds\":4},"
        "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":\"1\",\"steps\":9},\"rounds\":3}],"
        "\"ask\":{\"quantity\":\"delta\",\"eps\":\"1\"},\"digits\":4}");
    ask(&y, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":\"1\",\"steps\":2},\"rounds\":4,"
        "\"ask\":{\"quantity\":\"delta\",\"eps\":\"1\"}}");
    assert_int_equal(x.answer->upper->side, SHUF_SIDE_EXACT);
    assert_true(asked_meet(&x, &y));
    assert_true(upper(x.answer->upper->value) <= 1.001 * lower(x.answer->upper->value));
    asked_clear(&x);
    asked_clear(&y);
}

static void test_search(void **state)
{
    asked x, y;
    (void) state;
    ask(&x, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":\"5\",\"steps\":2},"
        "\"ask\":{\"quantity\":\"epochs\",\"eps\":\"3\",\"delta\":\"1e-5\"}}");
    ask(&y, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":\"5\",\"steps\":2},\"rounds\":%.0f,"
        "\"claim\":{\"eps\":\"3\",\"delta\":\"1e-5\"}}", lower(x.answer->value->value));
    assert_int_equal(y.answer->verdict, SHUF_CERTIFIED);
    asked_clear(&y);
    ask(&y, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"noise_multiplier\":\"5\",\"steps\":2},\"rounds\":%.0f,"
        "\"claim\":{\"eps\":\"3\",\"delta\":\"1e-5\"}}", upper(x.answer->value->value));
    assert_int_equal(y.answer->verdict, SHUF_REFUTED_CLAIM);
    asked_clear(&y);
    asked_clear(&x);
    /* 3.730631 = 1/mu with delta_mu(1) = 1e-5 */
    ask(&x, "{\"mechanism\":{\"type\":\"noisy-sgd\",\"sampler\":\"fixed\",\"steps\":2},\"ask\":{\"quantity\":\"noise_multiplier\",\"eps\":\"1\",\"delta\":\"1e-5\"}}");
    assert_true(upper(x.answer->value->value) <= 1.001 * lower(x.answer->value->value));
    expect_near(x.answer->value->value, 3.730631, 1e-6);
    asked_clear(&x);
}

int main(void)
{
    /* what is quick first: a fault is seen the sooner */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search), cmocka_unit_test(test_phases), cmocka_unit_test(test_agreement), cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_many_steps), cmocka_unit_test(test_kept_lines), cmocka_unit_test(test_few_participations), cmocka_unit_test(test_cut_loss), cmocka_unit_test(test_loss_steps), cmocka_unit_test(test_loss_atoms),
        cmocka_unit_test(test_allocation), cmocka_unit_test(test_allocated_blocks), cmocka_unit_test(test_allocated_epochs),
        cmocka_unit_test(test_profiles), cmocka_unit_test(test_subset), cmocka_unit_test(test_adaptive), cmocka_unit_test(test_nodes), cmocka_unit_test(test_two_steps),
        cmocka_unit_test(test_composing_once), cmocka_unit_test(test_little_noise), cmocka_unit_test(test_replaced), cmocka_unit_test(test_replaced_drawn), cmocka_unit_test(test_replaced_epochs),
        cmocka_unit_test(test_replaced_agreement), cmocka_unit_test(test_known_steps), cmocka_unit_test(test_users), cmocka_unit_test(test_truncated),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
