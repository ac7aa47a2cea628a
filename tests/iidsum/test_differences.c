/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Differences of a transform from its value at the first frequency, against balls; powers of numbers near one. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "iidsum/differences.h"
#include "enclosure/steer.h"
#include "pld/product.h"
#include "check.h"
#include "random.h"
#include "random_atoms.h"

/* A ball of d and what it may be off by, and the midpoint of x, meet. */
static void assert_within(double d, double error, const arb_t x)
{
    arb_t t;
    arb_init(t);
    arb_set_d(t, d);
    mag_set_d(arb_radref(t), error);
    assert_true(arb_contains(t, x));
    arb_clear(t);
}

static void check_atoms(slong count, slong frequencies)
{
    const double theta = 1e-3 * random_unit(), step = pow(2, -12 - 6 * random_unit()) * (1 + random_unit());
    double *sums = flint_malloc(3 * (size_t) frequencies * sizeof(*sums)), *error = sums + 2 * frequencies, rough = 0;
    shuf_quadrature q;
    differences_struct a;
    arb_t first, t;
    acb_t z;
    slong i, j;
    shuf_quadrature_init(&q);
    arb_init(first); arb_init(t); acb_init(z);
    random_atoms(&q, count, -40, 12, 1e-6, 0x1p-70);
    q.error = random_below(2) ? 1e-25 : 0;
    assert_int_equal(differences_init(&a, &q, theta, step, frequencies), 0);
    assert_int_equal(differences_sums(sums, error, &a, 0), 0);
    for (j = 0; j < q.count; j++)
    {
        arb_set_d(t, theta);
        arb_mul(t, t, q.value + j, PREC);
        arb_exp(t, t, PREC);
        arb_addmul(first, t, q.mass + j, PREC);
    }
    arb_get_mid_arb(t, first);
    assert_true(arb_contains(a.first, t));
    mag_set_d(arb_radref(t), q.error);
    assert_true(arb_contains(a.first, t)); /* what the atoms are off by is in it */
    for (i = 0; i < 60; i++)
    {
        const slong k = i < 3 ? FLINT_MIN(i, frequencies - 1) : i == 3 ? frequencies - 1 : (slong) random_below((ulong) frequencies);
        double size = 0;
        random_atoms_transform(z, &q, theta, step, k, 1);
        for (j = 0; j < q.count; j++)
            size += fmin(2, fabs(steer_midpoint(q.value + j)) * step * (double) k) * fabs(steer_midpoint(q.mass + j)) * 1.1;
        arb_get_mid_arb(t, acb_realref(z));
        assert_within(sums[2 * k], error[k], t);
        arb_get_mid_arb(t, acb_imagref(z));
        assert_within(sums[2 * k + 1], error[k], t);
        rough = fmax(rough, error[k] - 2e-13 * size);
    }
    assert_true(rough < 1e-22 || a.others > 0);
    differences_clear(&a);
    shuf_quadrature_clear(&q);
    arb_clear(first); arb_clear(t); acb_clear(z);
    flint_free(sums);
}

static void test_differences(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < 20; i++)
        check_atoms(1 + (slong) random_below(200), 2 + (slong) random_below(600));
    check_atoms(3000, 30000); /* so many that the sums of those that turn are made together */
}

/* n log(1 + d), against balls */
static void test_near_one(void **state)
{
    enum { COUNT = 200 };
    double z[2 * COUNT], off[COUNT];
    const double n = 1e6;
    product_struct p;
    arb_t t;
    acb_t w;
    slong k;
    (void) state;
    arb_init(t);
    acb_init(w);
    for (k = 0; k < COUNT; k++)
    {
        const double size = pow(2, -40 * random_unit());
        z[2 * k] = size * (random_unit() - 0.5);
        z[2 * k + 1] = size * (random_unit() - 0.5);
        off[k] = 1e-12 * size;
    }
    product_init(&p, COUNT, 1);
    product_multiply_near_one(&p, z, off, n);
    for (k = 0; k < COUNT; k++)
    {
        /* as far from the given number as it may be */
        acb_set_d_d(w, z[2 * k] + 0.7 * off[k], z[2 * k + 1] + 0.7 * off[k]);
        acb_add_ui(w, w, 1, PREC);
        acb_log(w, w, PREC);
        acb_mul_ui(w, w, (ulong) n, PREC);
        assert_int_equal(p.lost[k], 0);
        assert_within(p.log_modulus[k], p.error[k], acb_realref(w));
        assert_within(p.argument[k], p.error[k], acb_imagref(w));
        assert_true(p.error[k] < 1e-5 * (fabs(z[2 * k]) + fabs(z[2 * k + 1]) + off[k] * 1e12)); /* as it is small where d is */
    }
    product_clear(&p);
    arb_clear(t);
    acb_clear(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_differences), cmocka_unit_test(test_near_one) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
