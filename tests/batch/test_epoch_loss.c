/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The loss of an epoch of balls-and-bins batches: one epoch by lines of its transform against its profile between the points of the lattice, which is
 * known otherwise; several epochs against grids.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "../account/asked.h"
#include "batch/batch_law.h"
#include "batch/epoch_loss.h"
#include "pld/pld.h"
#include "random.h"
#include "shuffle/gaussian.h"

static void expect_overlap(const shuf_enclosure_t x, const shuf_enclosure_t y, const char *what, uint64_t steps, double noise, double eps)
{
    if (!(lower(x) <= upper(y) && lower(y) <= upper(x)))
        fail_msg("%s: [%.14g, %.14g] and [%.14g, %.14g], %u steps, noise %.6g, eps %.6g", what, lower(x), upper(x), lower(y), upper(y), (unsigned) steps,
                 noise, eps);
}

/* ---- one epoch ---- */

#define LATTICES 4
#define POINTS 8

static void one_epoch(const epoch_lattice *lattice, const fmpq_t noise, uint64_t steps, int reverse, int *narrow)
{
    const epoch_loss loss = { lattice, reverse };
    const double end = lattice->h * (double) (lattice->of[reverse].count - 1);
    const shuf_options options = { 8, 3e8 };
    shuf_enclosure_t line, known;
    shuf_real_t eps, sigma;
    shuf_summand law;
    arb_t K;
    int i;
    shuf_enclosure_init(line);
    shuf_enclosure_init(known);
    shuf_real_init(eps);
    shuf_real_init(sigma);
    arb_init(K);
    shuf_real_set_fmpq(sigma, noise);
    epoch_loss_law(&law, &loss);
    for (i = 0; i < POINTS; i++)
    {
        shuf_real_set_d(eps, end * random_unit() * random_unit());
        shuf_real_get_arb(K, eps, 128);
        shuf_iidsum_hockey(line, &law, 1, eps, &options);
        shuf_gaussian_nodes(known, steps, sigma, eps, 1, reverse ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP, NULL, &options);
        expect_overlap(line, known, "one epoch", steps, fmpq_get_d(noise), arf_get_d(arb_midref(K), ARF_RND_NEAR));
        *narrow += upper(line) - lower(line) < 1e-5 * upper(line);
    }
    shuf_enclosure_clear(line);
    shuf_enclosure_clear(known);
    shuf_real_clear(eps);
    shuf_real_clear(sigma);
    arb_clear(K);
}

static void test_one_epoch(void **state)
{
    epoch_lattice lattice;
    fmpq_t noise;
    int i, narrow = 0;
    (void) state;
    fmpq_init(noise);
    for (i = 0; i < LATTICES; i++)
    {
        const uint64_t steps = (uint64_t) log_uniform(2, 600);
        fmpq_set_si(noise, (slong) log_uniform(50, 600), 100);
        if (epoch_lattice_init(&lattice, noise, steps, 0) != 0)
            continue;
        one_epoch(&lattice, noise, steps, 0, &narrow);
        one_epoch(&lattice, noise, steps, 1, &narrow);
        epoch_lattice_clear(&lattice);
    }
    /* it is made for two epochs or more, but is known well mostly for one */
    assert_true(narrow >= LATTICES * POINTS);
    fmpq_clear(noise);
}

/* ---- several ---- */

static void test_several(void **state)
{
    static const struct { int steps; const char *noise, *eps; uint64_t epochs; } at[]
        = { { 40, "2", "0.3", 2 }, { 40, "2", "0.7", 7 }, { 16, "3", "0.2", 2 } };
    size_t i;
    int d;
    (void) state;
    for (i = 0; i < sizeof(at) / sizeof(at[0]); i++)
    {
        const shuf_options options = { 6, 4e9 }, few = { 3, 0 };
        shuf_enclosure_t line, grid;
        shuf_real_t eps;
        shuf_law_t law;
        fmpq_t noise;
        fmpq_init(noise);
        shuf_enclosure_init(line);
        shuf_enclosure_init(grid);
        shuf_real_init(eps);
        fmpq_set_str(noise, at[i].noise, 10);
        shuf_real_set_str(eps, at[i].eps);
        batch_law_balls(law, noise, (uint64_t) at[i].steps);
        for (d = 0; d < 2; d++)
        {
            const shuf_direction direction = d == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP;
            shuf_law_struct plain = *law;
            const shuf_pld_part part = { &plain, at[i].epochs };
            plain.power = NULL;
            law->power(line, law, at[i].epochs, direction, eps, &options);
            shuf_pld_delta(grid, &part, 1, eps, direction, &few);
            expect_overlap(line, grid, "epochs", (uint64_t) at[i].steps, fmpq_get_d(noise), (double) at[i].epochs);
            assert_true(upper(line) - lower(line) < 1e-5 * upper(line));
            assert_true(upper(grid) - lower(grid) < 1e-2 * upper(grid));
        }
        shuf_law_clear(law);
        shuf_enclosure_clear(line);
        shuf_enclosure_clear(grid);
        shuf_real_clear(eps);
        fmpq_clear(noise);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_one_epoch), cmocka_unit_test(test_several) };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
