/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The error that the tilted transform claims, and the mass outside its window, against binomial laws in balls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "binomial/binomial.h"
#include "enclosure/budget.h"
#include "pld/tilted.h"

/* The power of the law that is 1 with probability p, a double, and 0 otherwise; not tilted. */
static void power_of_law(tilted_sum_t s, grid_law_t law, double p, uint64_t power, int log2_length, int up)
{
    grid_factor factor;
    grid_law_init(law, 0, 2, -10);
    arf_set_d(law->mass, 1 - p);
    arf_set_d(law->mass + 1, p);
    factor.law = law;
    factor.power = power;
    assert_int_equal(tilted_sum_init(s, &factor, 1, 0, log2_length, up), 0);
}

/* The largest |entry - exact| of the power of the law (1/4, 3/4), over the error claimed for it. */
static double worst_share(uint64_t power, int log2_length, int up)
{
    grid_law_t law;
    tilted_sum_t s;
    arb_t p, q, pmf, scale, t;
    double worst = 0;
    ulong k;

    power_of_law(s, law, 0.75, power, log2_length, up);
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

/* A window that cuts one end of the law: what lies beyond it is charged. */
static void test_outside(void **state)
{
    static const double probability[] = { 0x1p-6, 1 - 0x1p-6 };
    (void) state;
    for (int i = 0; i < 2; i++)
    {
        const ulong power = 1000;
        grid_law_t law;
        tilted_sum_t s;
        arb_t p, q, mass, t;
        ulong first;
        arb_init(p); arb_init(q); arb_init(mass); arb_init(t);
        power_of_law(s, law, probability[i], power, 5, 1);
        first = fmpz_get_ui(s->window);
        assert_true(i == 0 ? first == 0 : first > 900);
        arb_set_d(p, probability[i]);
        arb_set_d(q, 1 - probability[i]);
        shuf_binomial_tail(mass, power, first + s->length, p, q, 128);
        if (first > 0)
        {
            shuf_binomial_tail(t, power, power - first + 1, q, p, 128);
            arb_add(mass, mass, t, 128);
        }
        assert_true(arf_cmp_2exp_si(arb_midref(mass), -20) > 0);
        assert_true(arb_ge(s->outside, mass));
        arb_clear(p); arb_clear(q); arb_clear(mass); arb_clear(t);
        tilted_sum_clear(s);
        grid_law_clear(law);
    }
}

typedef struct
{
    int looks, last; /* so many so far; the one that stops, 0: none */
} look_count;

static int look(void *data, const char *line)
{
    look_count *l = data;
    (void) line;
    return ++l->looks == l->last;
}

/* The watch is looked at before the transforms and in between, and each look may stop: a sum may take a second. */
static void test_looks(void **state)
{
    look_count l = { 0, 0 };
    shuf_watch watch = { 0, look, &l, 0 };
    grid_law_t law;
    grid_factor factor;
    tilted_sum_t s;
    int total;
    (void) state;
    power_of_law(s, law, 0.75, 1000, 18, 0);
    tilted_sum_clear(s);
    factor.law = law;
    factor.power = 1000;
    shuf_watch_set(&watch);
    assert_int_equal(tilted_sum_init(s, &factor, 1, 0, 18, 0), 0);
    tilted_sum_clear(s);
    /* at the beginning, before each transform, and three times in the pass over 2^17 + 1 entries */
    total = l.looks;
    assert_int_equal(total, 6);
    for (l.last = 1; l.last <= total; l.last++)
    {
        l.looks = 0;
        watch.cut = 0;
        assert_int_equal(tilted_sum_init(s, &factor, 1, 0, 18, 0), -1);
        assert_int_equal(l.looks, l.last);
    }
    shuf_watch_set(NULL);
    grid_law_clear(law);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_error_of_powers), cmocka_unit_test(test_outside), cmocka_unit_test(test_looks) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
