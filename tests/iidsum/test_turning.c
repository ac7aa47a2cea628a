/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* A transform at one frequency after the other, in balls and in whole numbers, against sums of 300 bits. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "check.h"
#include "random.h"
#include "random_atoms.h"

/* The midpoint of `truth` is in the ball, whose radius is below 2^-bits of the whole. */
static void assert_near(const arb_t ball, const arb_t truth, const arb_t whole, slong bits)
{
    arb_t t;
    mag_t most;
    arb_init(t);
    mag_init(most);
    arb_get_mid_arb(t, truth);
    assert_true(arb_contains(ball, t));
    arb_get_mag(most, whole);
    mag_mul_2exp_si(most, most, -bits);
    assert_true(mag_cmp(arb_radref(ball), most) < 0);
    arb_clear(t);
    mag_clear(most);
}

static void check_atoms(slong count, slong frequencies, int is_wide)
{
    const double theta = 1e-3 * random_unit(), step = pow(2, 3 - 12 * random_unit()) * (1 + random_unit());
    shuf_quadrature q;
    turning_struct a;
    acb_t z, truth, whole;
    slong k;
    acb_init(z); acb_init(truth); acb_init(whole);
    shuf_quadrature_init(&q);
    random_atoms(&q, count, -20, 10, HUGE_VAL, is_wide ? 0x1p-150 : 0x1p-140);
    random_atoms_transform(whole, &q, theta, step, 0, 0);
    assert_int_equal(turning_init(&a, &q, 0, theta, step, is_wide), 0);
    for (k = 0; k < frequencies; k++)
    {
        turning_next(z, &a);
        if (k > 70 && k % 61 != 0 && k != frequencies - 1)
            continue;
        random_atoms_transform(truth, &q, theta, step, k, 0);
        assert_near(acb_realref(z), acb_realref(truth), acb_realref(whole), is_wide ? 88 : 50);
        assert_near(acb_imagref(z), acb_imagref(truth), acb_realref(whole), is_wide ? 88 : 50);
    }
    turning_clear(&a);
    shuf_quadrature_clear(&q);
    acb_clear(z); acb_clear(truth); acb_clear(whole);
}

static void test_turning(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < 30; i++)
    {
        check_atoms(1 + (slong) random_below(100), 300, 0);
        check_atoms(1 + (slong) random_below(100), 300, 1);
    }
    for (i = 0; i < 6; i++)
        check_atoms(5, 20000, i % 2);
}

/* What is passed over is below what it is asked for, in every ball; and all else is what it is anyway. */
static void test_below(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < 20; i++)
    {
        const double miss = i % 4 < 2 ? 0 : 1e-3, step = 0.01 * (1 + random_unit());
        shuf_quadrature q;
        turning_struct a, b;
        acb_t y, z;
        arf_t modulus;
        slong k;
        int above = 0;
        acb_init(y); acb_init(z);
        arf_init(modulus);
        shuf_quadrature_init(&q);
        random_atoms(&q, 20, -20, 10, HUGE_VAL, 0x1p-140);
        assert_int_equal(turning_init(&a, &q, miss, 1e-4, step, i % 2) | turning_init(&b, &q, miss, 1e-4, step, i % 2), 0);
        for (k = 0; k < 300; k++)
        {
            double least;
            turning_next(y, &a);
            acb_get_abs_ubound_arf(modulus, y, 53);
            least = arf_get_d(modulus, ARF_RND_NEAR) * (k % 3 == 0 ? 1 - 1e-8 : k % 3 == 1 ? 1.5 : random_unit() * 2);
            if (turning_next_above(z, &b, least))
                above += acb_equal(y, z);
            else
                assert_true(arf_cmp_d(modulus, least) <= 0);
        }
        assert_true(above >= 100 && above < 270);
        turning_clear(&a);
        turning_clear(&b);
        shuf_quadrature_clear(&q);
        acb_clear(y); acb_clear(z);
        arf_clear(modulus);
    }
}

/* What the atoms are off by is in every ball; atoms whose turn is not known are refused. */
static void test_unknown(void **state)
{
    shuf_quadrature q;
    turning_struct a;
    arb_t value, mass;
    acb_t z;
    int is_wide;
    (void) state;
    arb_init(value); arb_init(mass); acb_init(z);
    arb_set_d(value, 3);
    arb_set_d(mass, 0.5);
    for (is_wide = 0; is_wide < 2; is_wide++)
    {
        shuf_quadrature_init(&q);
        shuf_quadrature_add(&q, value, mass);
        assert_int_equal(turning_init(&a, &q, 0.125, 0, 1, is_wide), 0);
        turning_next(z, &a);
        assert_true(mag_cmp_2exp_si(arb_radref(acb_realref(z)), -3) >= 0 && mag_cmp_2exp_si(arb_radref(acb_imagref(z)), -3) >= 0);
        turning_clear(&a);
        shuf_quadrature_clear(&q);
        shuf_quadrature_init(&q);
        mag_set_d(arb_radref(value), 0x1p-60);
        shuf_quadrature_add(&q, value, mass);
        assert_int_equal(turning_init(&a, &q, 0, 0, 1, is_wide), -1);
        turning_clear(&a);
        shuf_quadrature_clear(&q);
        mag_zero(arb_radref(value));
        /* no atom at all */
        shuf_quadrature_init(&q);
        assert_int_equal(turning_init(&a, &q, 0, 0, 1, is_wide), 0);
        turning_next(z, &a);
        assert_true(acb_contains_zero(z) && mag_cmp_2exp_si(arb_radref(acb_realref(z)), -50) < 0);
        turning_clear(&a);
        shuf_quadrature_clear(&q);
    }
    arb_clear(value); arb_clear(mass); acb_clear(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_turning), cmocka_unit_test(test_below), cmocka_unit_test(test_unknown) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
