/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The laws of the likelihood ratio of a release, below and above, against the divergences of one release, which are formulas; and epochs of Laplace noise by
 * sums in convex order against the transform of laws that they are between.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "enclosure/steer.h"
#include "noise/allocation_law.h"
#include "noise/noise_law.h"
#include "noise/ratio_law.h"

#define PREC 256

typedef struct
{
    shuf_noise_kind kind;
    const char *size;  /* a variance or a loss */
    slong sensitivity;
    uint64_t coins;
    int is_exact;
} case_struct;

static const case_struct cases[] = {
    { SHUF_NOISE_LAPLACE, "2", 1, 0, 0 }, { SHUF_NOISE_LAPLACE, "1/100", 1, 0, 0 }, { SHUF_NOISE_LAPLACE, "log(9000)", 1, 0, 0 },
    { SHUF_NOISE_STAIRCASE, "1", 1, 0, 1 }, { SHUF_NOISE_DISCRETE_LAPLACE, "3", 1, 0, 1 }, { SHUF_NOISE_DISCRETE_LAPLACE, "3", 12, 0, 1 },
    { SHUF_NOISE_DISCRETE_LAPLACE, "3", 5000, 0, 0 }, { SHUF_NOISE_DISCRETE_GAUSSIAN, "1/3", 2, 0, 1 }, { SHUF_NOISE_DISCRETE_GAUSSIAN, "40000", 30, 0, 0 },
    { SHUF_NOISE_SKELLAM, "7", 1, 0, 1 }, { SHUF_NOISE_SKELLAM, "90000", 1000, 0, 0 }, { SHUF_NOISE_BINOMIAL, NULL, 1, 1, 1 }, { SHUF_NOISE_BINOMIAL, NULL, 3, 2, 1 },
    { SHUF_NOISE_BINOMIAL, NULL, 4, 50, 1 }, { SHUF_NOISE_BINOMIAL, NULL, 100, 30000, 0 }, { SHUF_NOISE_BINOMIAL, NULL, 1, 1000000, 0 },
};

static void noise_of(shuf_noise_t noise, const case_struct *c)
{
    shuf_noise_init(noise);
    noise->kind = c->kind;
    fmpq_set_si(noise->sensitivity, c->sensitivity, 1);
    fmpq_set_si(noise->gamma, 1, 3);
    noise->coins = c->coins;
    if (c->size != NULL)
        assert_int_equal(shuf_real_set_str(noise->loss, c->size), 0);
    if (shuf_noise_has_variance(c->kind) && c->size != NULL)
        fmpq_set(noise->variance, noise->loss->q);
}

/* v := a + E(L - alpha)_+, or E(1 - alpha L)_+ */
static void divergence(arb_t v, const ratio_law *ratio, const arb_t alpha, shuf_direction direction)
{
    arb_t t;
    slong i;
    arb_init(t);
    arb_zero(v);
    if (direction == SHUF_DIRECTION_PQ)
        arb_set(v, ratio->alone);
    for (i = 0; i < ratio->count; i++)
    {
        if (direction == SHUF_DIRECTION_PQ)
        {
            arb_sub(t, ratio->value + i, alpha, PREC);
        }
        else
        {
            arb_mul(t, ratio->value + i, alpha, PREC);
            arb_sub_ui(t, t, 1, PREC);
            arb_neg(t, t);
        }
        arb_nonnegative_part(t, t);
        arb_addmul(v, t, ratio->mass + i, PREC);
    }
    arb_clear(t);
}

static void expect_between(const ratio_laws *x, const shuf_law_t base, double excess, int d, size_t n)
{
    const shuf_direction direction = d == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP;
    arb_t right, lo, hi, t;
    arb_init(right); arb_init(lo); arb_init(hi); arb_init(t);
    arb_set_d(t, excess);
    base->value(right, base, direction, t, PREC);
    arb_add_ui(t, t, 1, PREC);
    divergence(lo, &x->below, t, direction);
    divergence(hi, x->is_exact ? &x->below : &x->above, t, direction);
    arb_addmul_ui(hi, x->lost, 2, PREC);
    if (arb_gt(lo, right) || arb_lt(hi, right))
        fail_msg("case %zu, alpha = 1 + %g, direction %d: %.15g is not from %.15g to %.15g", n, excess, d, steer_midpoint(right), steer_midpoint(lo), steer_midpoint(hi));
    if (steer_midpoint(right) > 1e-4 && steer_midpoint(hi) - steer_midpoint(lo) > 5e-3 * steer_midpoint(right))
        fail_msg("case %zu, alpha = 1 + %g, direction %d: from %.15g to %.15g", n, excess, d, steer_midpoint(lo), steer_midpoint(hi));
    arb_clear(right); arb_clear(lo); arb_clear(hi); arb_clear(t);
}

static void test_ratios(void **state)
{
    static const double excess[] = { 0, 0.001, 0.03, 0.5, 2, 10, 300 };
    size_t n, i;
    (void) state;
    for (n = 0; n < sizeof(cases) / sizeof(cases[0]); n++)
    {
        shuf_noise_t noise;
        shuf_law_t base;
        ratio_laws x;
        fmpq_t all;
        uint64_t one = 1;
        fmpq_init(all);
        fmpq_one(all);
        noise_of(noise, &cases[n]);
        noise_law(base, noise, all, &one);
        ratio_laws_init(&x, noise);
        assert_int_equal(x.is_exact, cases[n].is_exact);
        for (i = 0; i < sizeof(excess) / sizeof(excess[0]); i++)
        {
            expect_between(&x, base, excess[i], 0, n);
            expect_between(&x, base, excess[i], 1, n);
        }
        ratio_laws_clear(&x);
        shuf_law_clear(base);
        shuf_noise_clear(noise);
        fmpq_clear(all);
    }
}

/* Laplace noise of loss x is between discrete noise of 12 steps, of loss x and of x - x^2/576. */
static void test_epochs(void **state)
{
    static const double losses[] = { 0.25, 1, 3 }, at[] = { 0.01, 0.2, 0.7 };
    const shuf_options options = { 4, 1e9 };
    const uint64_t steps[] = { 2, 30, 1000 };
    size_t i, j, k;
    (void) state;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
        {
            shuf_noise_t noise;
            shuf_law_t law[3];
            shuf_enclosure_t r[3];
            shuf_real_t eps;
            int n, d;
            shuf_noise_init(noise);
            shuf_real_init(eps);
            for (n = 0; n < 3; n++)
            {
                noise->kind = n == 0 ? SHUF_NOISE_LAPLACE : SHUF_NOISE_DISCRETE_LAPLACE;
                fmpq_set_si(noise->sensitivity, n == 0 ? 1 : 12, 1);
                shuf_real_set_d(noise->loss, losses[i] - (n == 2 ? losses[i] * losses[i] / 576 : 0));
                allocation_law(law[n], noise, steps[j]);
                shuf_enclosure_init(r[n]);
            }
            for (k = 0; k < 3; k++)
                for (d = 0; d < 2; d++)
                {
                    shuf_real_set_d(eps, at[k] * losses[i]);
                    for (n = 0; n < 3; n++)
                        law[n]->delta(r[n], NULL, law[n], eps, d == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP, &options);
                    if (arf_cmp(r[0]->lo, r[1]->hi) > 0 || arf_cmp(r[0]->hi, r[2]->lo) < 0)
                        fail_msg("loss %g, %g steps, eps %g, direction %d", losses[i], (double) steps[j], at[k] * losses[i], d);
                    if (arf_cmp_d(r[0]->hi, 1e-9) > 0 && steer_relative_width(r[0]) > 0.02)
                        fail_msg("loss %g, %g steps, eps %g, direction %d: width %g", losses[i], (double) steps[j], at[k] * losses[i], d, steer_relative_width(r[0]));
                }
            for (n = 0; n < 3; n++)
            {
                shuf_law_clear(law[n]);
                shuf_enclosure_clear(r[n]);
            }
            shuf_real_clear(eps);
            shuf_noise_clear(noise);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_ratios), cmocka_unit_test(test_epochs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
