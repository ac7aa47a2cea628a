/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The best of a random number of runs: both bounds against all orders of the outcomes of small laws, and the number of runs against its moments. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "account/selection_bounds.h"
#include "check.h"
#include "random.h"

#define MOST_OUTCOMES 5
#define SLACK 1e-9 /* of sums in doubles */

typedef struct
{
    int count;
    double p[MOST_OUTCOMES], q[MOST_OUTCOMES];
} small_laws;

static void random_laws(small_laws *x)
{
    static const double sizes[][6] = { { 0, 1, 2, 5, 20, 100 }, { 1, 1, 1, 1, 2, 1e4 }, { 1, 1e-3, 1e-6, 1, 1e-4, 30 } };
    const double *size = sizes[random_below(3)];
    double p = 0, q = 0;
    int i;
    x->count = 2 + (int) random_below(MOST_OUTCOMES - 1);
    for (i = 0; i < x->count; i++)
    {
        p += x->p[i] = i == 0 ? 1 : size[random_below(6)];
        q += x->q[i] = i == 0 ? 1 : random_below(3) ? size[random_below(6)] : x->p[i];
    }
    for (i = 0; i < x->count; i++)
    {
        x->p[i] /= p;
        x->q[i] /= q;
    }
}

/* H_alpha of p from q */
static double divergence(const double *p, const double *q, int count, double alpha)
{
    double sum = 0;
    int i;
    for (i = 0; i < count; i++)
        sum += fmax(p[i] - alpha * q[i], 0);
    return sum;
}

/* E x^K less Pr[K = 0] */
static double generating(shuf_selection kind, double mean, double shape, double gamma, double x)
{
    if (kind == SHUF_SELECTION_POISSON)
        return exp(-mean * (1 - x)) - exp(-mean);
    if (mean == 1)
        return x;
    if (kind == SHUF_SELECTION_NEGATIVE_BINOMIAL)
        return expm1(-shape * log1p(-(1 - gamma) * x)) / expm1(-shape * log(gamma));
    return kind == SHUF_SELECTION_GEOMETRIC ? gamma * x / (1 - (1 - gamma) * x) : log1p(-(1 - gamma) * x) / log(gamma);
}

/* The largest divergence of what is released, P from Q, over all orders. */
static double largest(const small_laws *x, shuf_selection kind, double mean, double shape, double gamma, double alpha)
{
    int order[MOST_OUTCOMES], index[MOST_OUTCOMES] = { 0 }, i = 0, k;
    double most = 0;
    for (k = 0; k < x->count; k++)
        order[k] = k;
    for (;;)
    {
        double p[MOST_OUTCOMES], q[MOST_OUTCOMES], below_p = 0, below_q = 0;
        for (k = 0; k < x->count; k++)
        {
            const int y = order[k];
            p[k] = generating(kind, mean, shape, gamma, fmin(below_p + x->p[y], 1)) - generating(kind, mean, shape, gamma, below_p);
            q[k] = generating(kind, mean, shape, gamma, fmin(below_q + x->q[y], 1)) - generating(kind, mean, shape, gamma, below_q);
            below_p = fmin(below_p + x->p[y], 1);
            below_q = fmin(below_q + x->q[y], 1);
        }
        most = fmax(most, divergence(p, q, x->count, alpha));
        /* the next of Heap's permutations */
        for (i = 1; i < x->count && index[i] >= i; i++)
            index[i] = 0;
        if (i == x->count)
            return most;
        k = i % 2 ? index[i] : 0;
        { const int y = order[k]; order[k] = order[i]; order[i] = y; }
        index[i]++;
    }
}

/* The points: a grid, and sometimes the logarithms of the ratios. */
static void random_profile(selection_profile *p, const small_laws *x)
{
    const slong count = 2 + (slong) random_below(40);
    double *eps = flint_malloc((size_t) count * sizeof(*eps)), step = 0.3 * random_unit() + 0.01;
    slong j, i;
    int used[MOST_OUTCOMES] = { 0 };
    eps[0] = 0;
    for (j = 1; j < count; j++)
    {
        const int y = (int) random_below((ulong) x->count);
        eps[j] = (double) j * step;
        if (random_below(4) == 0 && !used[y] && x->p[y] > 0 && x->q[y] > 0 && x->p[y] != x->q[y])
        {
            eps[j] = fabs(log(x->p[y] / x->q[y])) + random_unit() * 1e-6 + 1e-9 * (double) j;
            used[y] = 1;
        }
        for (i = j; i > 0 && eps[i] < eps[i - 1]; i--)
        {
            const double t = eps[i];
            eps[i] = eps[i - 1];
            eps[i - 1] = t;
        }
    }
    selection_profile_init(p, count);
    for (j = 0; j < count; j++)
    {
        const double alpha = exp(eps[j]), d = divergence(x->p, x->q, x->count, alpha), r = divergence(x->q, x->p, x->count, alpha);
        arf_set_d(p->eps + j, eps[j]);
        arf_set_d(p->lo[0] + j, fmax(d - 1e-13, 0));
        arf_set_d(p->hi[0] + j, fmin(d + 1e-13, 1));
        arf_set_d(p->lo[1] + j, fmax(r - 1e-13, 0));
        arf_set_d(p->hi[1] + j, fmin(r + 1e-13, 1));
    }
    flint_free(eps);
}

static void swap_laws(small_laws *x)
{
    int i;
    for (i = 0; i < x->count; i++)
    {
        const double t = x->p[i];
        x->p[i] = x->q[i];
        x->q[i] = t;
    }
}

static void test_orders(void **state)
{
    static const char *const means[] = { "1", "3/2", "4", "30", "1000", "1/5" }, *const shapes[] = { "-1/2", "-1/5", "1/1000", "1/2", "2", "25/2" };
    double closest[2] = { 0, 0 };
    int i, order, at;
    (void) state;
    skip_unless_drawn(5);
    for (i = 0; i < 400; i++)
    {
        const shuf_selection kind = (shuf_selection) (SHUF_SELECTION_GEOMETRIC + random_below(4));
        const char *text = means[random_below(kind == SHUF_SELECTION_POISSON ? 6 : 5)], *const shape_text = shapes[random_below(6)];
        selection_runs runs;
        selection_profile p;
        small_laws x;
        fmpq_t mean, shape;
        double m, eta, gamma, width, slope;
        fmpq_init(mean);
        fmpq_init(shape);
        fmpq_set_str(mean, text, 10);
        fmpq_set_str(shape, shape_text, 10);
        m = fmpq_get_d(mean);
        eta = fmpq_get_d(shape);
        random_laws(&x);
        random_profile(&p, &x);
        selection_runs_init(&runs, kind, mean, shape);
        gamma = arf_get_d(arb_midref(runs.gamma), ARF_RND_NEAR);
        width = 1e-7 * fmin(1, gamma + 1e-4);
        slope = (generating(kind, m, eta, gamma, 1) - generating(kind, m, eta, gamma, 1 - width)) / width;
        assert_true(fabs(slope / m - 1) < 0.01);
        for (order = 0; order < 2; order++)
        {
            selection_above above;
            selection_below below;
            selection_above_init(&above, &runs, &p, order);
            selection_below_init(&below, &runs, &p, order);
            for (at = 0; at < 32; at++)
            {
                const double eps = at == 0 ? 0 : 8 * random_unit();
                const double truth = largest(&x, kind, m, eta, gamma, exp(eps));
                arb_t e;
                arf_t hi, lo;
                arb_init(e); arf_init(hi); arf_init(lo);
                arb_set_d(e, eps);
                selection_above_value(hi, &above, e);
                selection_below_value(lo, &below, e);
                if (arf_get_d(hi, ARF_RND_NEAR) < truth * (1 - SLACK) - 1e-12 || arf_get_d(lo, ARF_RND_NEAR) > truth * (1 + SLACK) + 1e-12)
                    fail_msg("kind %d, mean %s, shape %s, order %d, eps %.17g: %.17g is not in [%.17g, %.17g]", (int) kind, text, shape_text, order, eps, truth,
                             arf_get_d(lo, ARF_RND_NEAR), arf_get_d(hi, ARF_RND_NEAR));
                if (truth > 1e-6)
                {
                    closest[0] = fmax(closest[0], truth / arf_get_d(hi, ARF_RND_NEAR));
                    closest[1] = fmax(closest[1], arf_get_d(lo, ARF_RND_NEAR) / truth);
                }
                arb_clear(e); arf_clear(hi); arf_clear(lo);
            }
            selection_above_clear(&above);
            selection_below_clear(&below);
            swap_laws(&x);
        }
        selection_runs_clear(&runs);
        selection_profile_clear(&p);
        fmpq_clear(mean);
        fmpq_clear(shape);
    }
    print_message("the largest divergence is up to %.6f of the upper end, the lower end up to %.6f of it\n", closest[0], closest[1]);
    assert_true(closest[0] > 0.9 && closest[1] > 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_orders) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
