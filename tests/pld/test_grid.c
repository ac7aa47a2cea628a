/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Grid laws against the profiles of random discrete pairs. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "pld/grid.h"
#include "random.h"

#define PREC 512
#define ATOMS 12

/* A pair: atom i has mass q[i] under Q and ratio e^loss[i]; P also has a mass that Q does not see. */
typedef struct
{
    int atoms;
    double q[ATOMS], loss[ATOMS];
    double q_only; /* mass of Q alone */
    arb_t infinite;
} pair;

/* Random ratios around one, Q's masses of total one, P's made up to one by the infinite mass. */
static void random_pair(pair *x, double spread)
{
    double total = 0, p = 0;
    int i;
    arb_t t, u;
    x->atoms = 1 + (int) random_below(ATOMS);
    for (i = 0; i < x->atoms; i++)
    {
        x->q[i] = random_unit() + 0x1p-20;
        x->loss[i] = spread * (2 * random_unit() - 1);
        total += x->q[i];
        p += x->q[i] * exp(x->loss[i]);
    }
    /* scaled so that both totals are at most one, exactly representable or not */
    total = fmax(total, p) * (1 + random_unit() * (random_below(2) ? 1e-3 : 1));
    x->q_only = 1;
    for (i = 0; i < x->atoms; i++)
    {
        x->q[i] = floor(ldexp(x->q[i] / total, 40)) * 0x1p-40;
        x->q_only -= x->q[i];
    }
    arb_init(x->infinite);
    arb_init(t);
    arb_init(u);
    arb_one(x->infinite);
    for (i = 0; i < x->atoms; i++)
    {
        arb_set_d(t, x->loss[i]);
        arb_exp(t, t, PREC);
        arb_set_d(u, x->q[i]);
        arb_submul(x->infinite, t, u, PREC);
    }
    assert_true(arb_is_nonnegative(x->infinite) && x->q_only >= 0);
    arb_clear(t);
    arb_clear(u);
}

/* h := infinite + sum q (e^loss - alpha)_+ */
static void profile(arb_t h, const pair *x, const arb_t alpha)
{
    arb_t t, u;
    int i;
    arb_init(t);
    arb_init(u);
    arb_set(h, x->infinite);
    for (i = 0; i < x->atoms; i++)
    {
        arb_set_d(t, x->loss[i]);
        arb_exp(t, t, PREC);
        arb_sub(t, t, alpha, PREC);
        arb_set_d(u, x->q[i]);
        if (arb_is_positive(t))
            arb_addmul(h, t, u, PREC);
    }
    arb_clear(t);
    arb_clear(u);
}

static void law_profile(arb_t h, const grid_law_t law, const arb_t alpha)
{
    arb_t t, u;
    slong i;
    arb_init(t);
    arb_init(u);
    arb_set_arf(h, law->infinite);
    for (i = 0; i < law->count; i++)
    {
        arb_set_si(t, law->first + law->at[i]);
        arb_mul_2exp_si(t, t, law->log2_step);
        arb_neg(t, t);
        arb_exp(t, t, PREC);
        arb_mul(t, t, alpha, PREC);
        arb_sub_ui(t, t, 1, PREC);
        arb_neg(t, t);
        arb_set_arf(u, law->mass + i);
        if (arb_is_positive(t))
            arb_addmul(h, t, u, PREC);
    }
    arb_clear(t);
    arb_clear(u);
}

/*
 * The laws of x from nodes on a window of the given losses, all places there or one of `every` and both ends; values widened by a relative
 * noise. Returns the largest gap between the two, relative to the profile's
 * value at 1.
 */
static double check(const pair *x, double bottom, double top, slong log2_step, double noise, int know_infinite, uint64_t every)
{
    slong first = -(slong) ceil(ldexp(bottom, (int) -log2_step));
    slong length = (slong) ceil(ldexp(top, (int) -log2_step)) - first + 1, count = 0, i;
    slong *node = flint_malloc((size_t) length * sizeof(slong));
    arf_ptr lo = flint_malloc((size_t) length * sizeof(arf_struct)), hi = flint_malloc((size_t) length * sizeof(arf_struct));
    arf_t infinite;
    arb_t alpha, h, g;
    grid_law_t upper, lower;
    double widest = 0;
    arf_init(infinite);
    arb_init(alpha);
    arb_init(h);
    arb_init(g);
    for (i = 0; i < length; i++)
    {
        arf_init(lo + i);
        arf_init(hi + i);
        arb_set_si(alpha, first + i);
        arb_mul_2exp_si(alpha, alpha, log2_step);
        arb_exp(alpha, alpha, PREC);
        profile(h, x, alpha);
        arb_set_d(g, noise * random_unit());
        arb_neg(g, g);
        arb_add_ui(g, g, 1, PREC);
        arb_mul(g, g, h, PREC);
        arb_get_lbound_arf(lo + i, g, 192);
        arb_set_d(g, 1 + noise * random_unit());
        arb_mul(g, g, h, PREC);
        arb_get_ubound_arf(hi + i, g, 192);
        if (arf_cmp_si(hi + i, 1) > 0)
            arf_one(hi + i);
        if (i == 0 || i + 1 == length || random_below(every) == 0)
        {
            arf_swap(lo + count, lo + i);
            arf_swap(hi + count, hi + i);
            node[count++] = first + i;
        }
    }
    if (know_infinite)
        arb_get_lbound_arf(infinite, x->infinite, 192);
    if (arf_sgn(infinite) < 0)
        arf_zero(infinite);
    grid_laws(upper, lower, node, lo, hi, count, infinite, log2_step);
    flint_free(node);
    /* at the nodes, in every third of a cell, and far out on both sides */
    for (i = -9; i < 3 * length + 9; i++)
    {
        arf_t a, b;
        arb_set_si(alpha, i < 0 || i > 3 * length ? 40 * i : i);
        arb_div_ui(alpha, alpha, 3, PREC);
        arb_add_si(alpha, alpha, first, PREC);
        arb_mul_2exp_si(alpha, alpha, log2_step);
        arb_exp(alpha, alpha, PREC);
        if (i == -9)
            arb_zero(alpha);
        profile(h, x, alpha);
        arf_init(a);
        arf_init(b);
        law_profile(g, upper, alpha);
        assert_false(arb_lt(g, h));
        arb_get_ubound_arf(b, g, 64);
        law_profile(g, lower, alpha);
        assert_false(arb_gt(g, h));
        arb_get_lbound_arf(a, g, 64);
        if (i >= 0 && i < 3 * length)
            widest = fmax(widest, arf_get_d(b, ARF_RND_UP) - arf_get_d(a, ARF_RND_DOWN));
        arf_clear(a);
        arf_clear(b);
    }
    grid_law_clear(upper);
    grid_law_clear(lower);
    for (i = 0; i < length; i++)
    {
        arf_clear(lo + i);
        arf_clear(hi + i);
    }
    flint_free(lo);
    flint_free(hi);
    arf_clear(infinite);
    arb_clear(alpha);
    arb_clear(h);
    arb_clear(g);
    return widest;
}

static void test_bracket(void **state)
{
    int t;
    (void) state;
    for (t = 0; t < 60; t++)
    {
        pair x;
        double spread = random_below(3) ? random_unit() : 4 * random_unit();
        slong log2_step = -2 - (slong) random_below(4);
        double noise = random_below(2) ? 0 : pow(10, -3 - (double) random_below(12));
        random_pair(&x, spread);
        /* windows that hold everything, and windows that cut */
        check(&x, spread * 2 * random_unit(), spread * 2 * random_unit(), log2_step, noise, (int) random_below(2), 1 + random_below(5));
        check(&x, spread, spread, log2_step, noise, 1, 1 + random_below(5));
        arb_clear(x.infinite);
    }
}

/* The gap away from the ends falls like the square of the step, here at atoms that are not on the grid. */
static void test_second_order(void **state)
{
    pair x;
    double gap[3];
    const int sizes = gate_or_all(2, 3);
    int i;
    (void) state;
    x.atoms = 3;
    x.q[0] = 0.3; x.loss[0] = -0.31;
    x.q[1] = 0.4; x.loss[1] = 0.017;
    x.q[2] = 0.2; x.loss[2] = 0.23;
    x.q_only = 0.1;
    arb_init(x.infinite);
    {
        arb_t t, u;
        arb_init(t);
        arb_init(u);
        arb_one(x.infinite);
        for (i = 0; i < 3; i++)
        {
            arb_set_d(t, x.loss[i]);
            arb_exp(t, t, PREC);
            arb_set_d(u, x.q[i]);
            arb_submul(x.infinite, t, u, PREC);
        }
        arb_clear(t);
        arb_clear(u);
    }
    for (i = 0; i < sizes; i++)
        gap[i] = check(&x, 1, 1, -4 - 3 * i, 0, 1, 1);
    /* a kink of Q mass q costs at most about q d, and no more than first order at the largest loss */
    assert_true(gap[0] < 0.05);
    for (i = 1; i < sizes; i++)
        assert_true(gap[i] < gap[i - 1] / 6);
    arb_clear(x.infinite);
}

/* Losses on the grid, no noise: the dominating law is the pair itself. */
static void test_on_the_grid(void **state)
{
    pair x;
    (void) state;
    x.atoms = 2;
    x.q[0] = 0.5; x.loss[0] = -0.25;
    x.q[1] = 0.25; x.loss[1] = 0.5;
    x.q_only = 0.25;
    arb_init(x.infinite);
    {
        arb_t t, u;
        grid_law_t upper, lower;
        const slong node[7] = { -3, -2, -1, 0, 1, 2, 3 };
        arf_struct lo[7], hi[7];
        arf_t infinite;
        slong i;
        arb_init(t);
        arb_init(u);
        arf_init(infinite);
        arb_one(x.infinite);
        for (i = 0; i < 2; i++)
        {
            arb_set_d(t, x.loss[i]);
            arb_exp(t, t, PREC);
            arb_set_d(u, x.q[i]);
            arb_submul(x.infinite, t, u, PREC);
        }
        for (i = 0; i < 7; i++)
        {
            arf_init(lo + i);
            arf_init(hi + i);
            arb_set_si(t, i - 3);
            arb_mul_2exp_si(t, t, -2);
            arb_exp(t, t, PREC);
            profile(u, &x, t);
            arb_get_lbound_arf(lo + i, u, 192);
            arb_get_ubound_arf(hi + i, u, 192);
        }
        arb_get_lbound_arf(infinite, x.infinite, 192);
        grid_laws(upper, lower, node, lo, hi, 7, infinite, -2);
        for (i = 0; i < 7; i++)
        {
            double mass = arf_get_d(upper->mass + i, ARF_RND_NEAR);
            double expected = i == 2 ? 0.5 * exp(-0.25) : i == 5 ? 0.25 * exp(0.5) : 0;
            assert_true(fabs(mass - expected) < 1e-14);
            arf_clear(lo + i);
            arf_clear(hi + i);
        }
        grid_law_clear(upper);
        grid_law_clear(lower);
        arf_clear(infinite);
        arb_clear(t);
        arb_clear(u);
    }
    arb_clear(x.infinite);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bracket),
        cmocka_unit_test(test_second_order),
        cmocka_unit_test(test_on_the_grid),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
