/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The error that the tilted transform claims, against binomial laws in balls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "binomial/binomial.h"
#include "pld/tilted.h"

/* The largest |entry - exact| of the power of the law (1/4, 3/4), over the error claimed for it. */
static double worst_share(uint64_t power, int log2_length, int up)
{
    grid_law_t law;
    grid_factor factor;
    tilted_sum_t s;
    arb_t p, q, pmf, scale, t;
    double worst = 0;
    ulong k;

    grid_law_init(law, 0, 2, -10);
    arf_set_d(law->mass, 0.25);
    arf_set_d(law->mass + 1, 0.75);
    factor.law = law;
    factor.power = power;
    assert_int_equal(tilted_sum_init(s, &factor, 1, 0, log2_length, up), 0);
    assert_true(power < s->length && fmpz_is_zero(s->window));

    arb_init(p); arb_init(q); arb_init(pmf); arb_init(scale); arb_init(t);
    arb_set_d(p, 0.75);
    arb_set_d(q, 0.25);
    arb_exp(scale, s->log_scale, 128);
    for (k = 0; k <= power; k += 1 + power / 5000)
    {
        /* with theta = 0 the masses are doubles, and nothing is rounded before the transform */
        shuf_binomial_pmf(pmf, power, k, p, q, 128);
        arb_set_d(t, s->y[k]);
        arb_mul(t, t, scale, 128);
        arb_sub(t, t, pmf, 128);
        worst = fmax(worst, fabs(arf_get_d(arb_midref(t), ARF_RND_NEAR)) / s->y_error);
    }
    arb_clear(p); arb_clear(q); arb_clear(pmf); arb_clear(scale); arb_clear(t);
    tilted_sum_clear(s);
    grid_law_clear(law);
    return worst;
}

static void test_error_of_powers(void **state)
{
    static const struct
    {
        uint64_t power;
        int log2_length;
    } cases[] = { { 1, 4 }, { 2, 6 }, { 3, 12 }, { 1000, 10 }, { 20000, 15 }, { 100000, 17 }, { 1000000, 20 } };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int up = 0; up <= 1; up++)
        {
            double share = worst_share(cases[i].power, cases[i].log2_length, up);
            if (share > 1)
                fail_msg("power %lu: the error is %g times what is claimed", (unsigned long) cases[i].power, share);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_error_of_powers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
