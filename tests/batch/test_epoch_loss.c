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

static void one_epoch(const shuf_law_struct *law, const fmpq_t noise, uint64_t steps, int reverse, int *tried, int *narrow)
{
    const shuf_direction direction = reverse ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
    const shuf_options options = { 8, 3e8 };
    const shuf_pld_part part = { law, 1 };
    shuf_enclosure_t line, known;
    shuf_real_t eps, sigma;
    shuf_loss_t loss;
    double end;
    int i;
    shuf_enclosure_init(line);
    shuf_enclosure_init(known);
    shuf_real_init(eps);
    shuf_real_init(sigma);
    shuf_loss_init(loss);
    assert_true(shuf_law_loss(loss, law, direction, 128));
    end = arf_get_d(arb_midref(loss->value + loss->count - 1), ARF_RND_NEAR);
    shuf_real_set_fmpq(sigma, noise);
    for (i = 0; i < POINTS; i++)
    {
        const double at = end * random_unit() * random_unit();
        if (!is_drawn(3))
            continue;
        (*tried)++;
        shuf_real_set_d(eps, at);
        shuf_pld_delta(line, &part, 1, eps, direction, &options);
        shuf_gaussian_nodes(known, steps, sigma, eps, 1, reverse ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP, NULL, &options);
        expect_overlap(line, known, "one epoch", steps, fmpq_get_d(noise), at);
        *narrow += upper(line) - lower(line) < 1e-5 * upper(line);
    }
    shuf_enclosure_clear(line);
    shuf_enclosure_clear(known);
    shuf_real_clear(eps);
    shuf_real_clear(sigma);
    shuf_loss_clear(loss);
}

static void test_one_epoch(void **state)
{
    const shuf_options options = { 8, 0 };
    shuf_law_t law;
    fmpq_t noise;
    int i, tried = 0, narrow = 0;
    (void) state;
    fmpq_init(noise);
    for (i = 0; i < LATTICES; i++)
    {
        const uint64_t steps = (uint64_t) log_uniform(2, 600);
        fmpq_set_si(noise, (slong) log_uniform(50, 600), 100);
        batch_law_balls(law, noise, steps);
        if (law->prepare_loss(law, &options))
        {
            one_epoch(law, noise, steps, 0, &tried, &narrow);
            one_epoch(law, noise, steps, 1, &tried, &narrow);
        }
        shuf_law_clear(law);
    }
    /* it is made for two epochs or more, but is known well mostly for one */
    assert_true(tried > 0 && 2 * narrow >= tried);
    fmpq_clear(noise);
}

/* ---- several ---- */

/* So many epochs of `steps` steps, and of one step more. */
static void test_several(void **state)
{
    static const struct { uint64_t steps; const char *noise, *eps; uint64_t epochs, longer; } at[]
        = { { 40, "2", "0.7", 7, 0 }, { 16, "3", "0.2", 2, 0 }, { 9, "3", "0.6", 3, 4 } };
    size_t i;
    int d, j;
    (void) state;
    for (i = 0; i < sizeof(at) / sizeof(at[0]); i++)
    {
        const shuf_options options = { 6, 4e9 }, few = { 3, 0 };
        const size_t count = at[i].longer > 0 ? 2 : 1;
        shuf_enclosure_t line, grid;
        shuf_real_t eps;
        shuf_law_t law[2];
        fmpq_t noise;
        fmpq_init(noise);
        shuf_enclosure_init(line);
        shuf_enclosure_init(grid);
        shuf_real_init(eps);
        fmpq_set_str(noise, at[i].noise, 10);
        shuf_real_set_str(eps, at[i].eps);
        for (j = 0; j < 2; j++)
            batch_law_balls(law[j], noise, at[i].steps + (uint64_t) j);
        for (d = 0; d < 2; d++)
        {
            const shuf_direction direction = d == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP;
            const shuf_pld_part told[2] = { { law[0], at[i].epochs }, { law[1], at[i].longer } };
            shuf_law_struct plain[2] = { *law[0], *law[1] };
            const shuf_pld_part parts[2] = { { &plain[0], at[i].epochs }, { &plain[1], at[i].longer } };
            for (j = 0; j < 2; j++)
            {
                plain[j].prepare_loss = NULL;
                plain[j].loss = NULL;
            }
            if (!is_drawn(6))
                continue;
            shuf_pld_delta(line, told, count, eps, direction, &options);
            shuf_pld_delta(grid, parts, count, eps, direction, &few);
            expect_overlap(line, grid, "epochs", at[i].steps, fmpq_get_d(noise), (double) at[i].epochs);
            assert_true(upper(line) - lower(line) < 1e-7 * upper(line));
            assert_true(upper(grid) - lower(grid) < 1e-2 * upper(grid));
        }
        for (j = 0; j < 2; j++)
            shuf_law_clear(law[j]);
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
