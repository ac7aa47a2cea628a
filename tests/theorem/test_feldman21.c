/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Theorem 3.1 of Feldman, McMillan, Talwar (2021): its formula against values
 * worked out apart, its region, and its claim against the exact divergence.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "hockey/hockey.h"
#include "theorem/theorem.h"

static const shuf_options twelve = SHUF_OPTIONS_DEFAULT;

static void set(shuf_real_t x, const char *text)
{
    assert_int_equal(shuf_real_set_str(x, text), 0);
}

/* Whether r contains the decimal, itself known to half a unit of `slack`. */
static void assert_near(const shuf_enclosure_t r, const char *text, double slack)
{
    shuf_real_t x;
    arb_t value, ball;
    shuf_real_init(x);
    arb_init(value);
    arb_init(ball);
    set(x, text);
    shuf_real_get_arb(value, x, 128);
    mag_set_d(arb_radref(value), slack);
    shuf_enclosure_get_arb(ball, r, 128);
    assert_true(arb_overlaps(value, ball));
    shuf_real_clear(x);
    arb_clear(value);
    arb_clear(ball);
}

static void test_values(void **state)
{
    shuf_enclosure_t r;
    shuf_real_t eps0, delta;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(eps0);
    shuf_real_init(delta);
    /* n = 1e4, eps0 = 1, delta = 1e-6: 0.2140 to four digits */
    set(eps0, "1");
    set(delta, "1e-6");
    assert_int_equal(shuf_feldman21_epsilon(r, 10000, eps0, delta, 0, &twelve), SHUF_OK);
    assert_near(r, "0.2140", 5e-5);
    /* n = 1e6, eps0 = 6, delta = 1e-6: 0.4865 */
    set(eps0, "6");
    assert_int_equal(shuf_feldman21_epsilon(r, 1000000, eps0, delta, 0, &twelve), SHUF_OK);
    assert_near(r, "0.4865", 5e-5);
    /* eps0 = log 3, n = 400, delta = 4 e^-4: log(1 + 1/2 (8 sqrt(12)/20 + 24/400)), by hand */
    set(eps0, "log(3)");
    set(delta, "0.0732625555549367");
    assert_int_equal(shuf_feldman21_epsilon(r, 400, eps0, delta, 0, &twelve), SHUF_OK);
    assert_near(r, "0.5439626706", 1e-10);
    /* eps0 = 0 */
    set(eps0, "0");
    set(delta, "1/2");
    assert_int_equal(shuf_feldman21_epsilon(r, 1000, eps0, delta, 0, &twelve), SHUF_OK);
    assert_true(arf_is_zero(r->lo) && arf_is_zero(r->hi));
    shuf_enclosure_clear(r);
    shuf_real_clear(eps0);
    shuf_real_clear(delta);
}

static void test_region(void **state)
{
    shuf_enclosure_t r;
    shuf_real_t eps0, delta;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(eps0);
    shuf_real_init(delta);
    /* between 16 E log(2/delta) and 16 E log(4/delta): only as printed */
    set(eps0, "0");
    set(delta, "1/2");
    /* 16 log 8 = 33.3, 16 log 4 = 22.2 */
    assert_int_equal(shuf_feldman21_epsilon(r, 34, eps0, delta, 0, &twelve), SHUF_OK);
    assert_int_equal(shuf_feldman21_epsilon(r, 33, eps0, delta, 0, &twelve), SHUF_DOMAIN);
    assert_int_equal(shuf_feldman21_epsilon(r, 33, eps0, delta, 1, &twelve), SHUF_OK);
    assert_int_equal(shuf_feldman21_epsilon(r, 22, eps0, delta, 1, &twelve), SHUF_DOMAIN);
    set(delta, "0");
    assert_int_equal(shuf_feldman21_epsilon(r, 1000, eps0, delta, 0, &twelve), SHUF_DOMAIN);
    set(delta, "1.5");
    assert_int_equal(shuf_feldman21_epsilon(r, 1000, eps0, delta, 0, &twelve), SHUF_DOMAIN);
    set(delta, "1e-6");
    set(eps0, "50");
    assert_int_equal(shuf_feldman21_epsilon(r, 1000000, eps0, delta, 0, &twelve), SHUF_DOMAIN);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps0);
    shuf_real_clear(delta);
}

/* The theorem must not promise less than the exact clones divergence needs. */
static void test_against_exact(void **state)
{
    static const char *const eps0s[] = { "0.01", "0.5", "1", "2", "4" };
    static const char *const deltas[] = { "0.1", "1e-4", "1e-8" };
    static const uint64_t ns[] = { 100, 1000, 10000, 300000 };
    size_t i, j, k;
    int compared = 0;
    shuf_enclosure_t r, back;
    shuf_real_t eps0, delta, eps;
    shuf_pair_t pair;
    (void) state;
    shuf_enclosure_init(r);
    shuf_enclosure_init(back);
    shuf_real_init(eps0);
    shuf_real_init(delta);
    shuf_real_init(eps);
    shuf_pair_init(pair);
    for (i = 0; i < 5; i++)
        for (j = 0; j < 3; j++)
            for (k = 0; k < 4; k++)
            {
                int undecided;
                set(eps0, eps0s[i]);
                set(delta, deltas[j]);
                if (shuf_feldman21_epsilon(r, ns[k], eps0, delta, 0, &twelve) != SHUF_OK)
                    continue;
                compared++;
                shuf_real_set_arf(eps, r->hi);
                shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, ns[k], eps0);
                assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &twelve), -1);
                /* solved for delta at that eps: delta again */
                assert_int_equal(shuf_feldman21_delta(back, ns[k], eps0, eps, 0, &twelve), SHUF_OK);
                assert_near(back, deltas[j], 1e-9 * atof(deltas[j]));
            }
    assert_true(compared > 25);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(back);
    shuf_real_clear(eps0);
    shuf_real_clear(delta);
    shuf_real_clear(eps);
    shuf_pair_clear(pair);
}

static void test_registry(void **state)
{
    size_t count, i, j;
    const shuf_theorem *all = shuf_theorems(&count);
    (void) state;
    for (i = 0; i < count; i++)
    {
        assert_ptr_equal(shuf_theorem_find(all[i].id), &all[i]);
        for (j = 0; j < i; j++)
            assert_string_not_equal(all[i].id, all[j].id);
    }
    assert_null(shuf_theorem_find("no such theorem"));
    assert_int_not_equal(shuf_theorem_find("variation-ratio-krr")->status, SHUF_PROVED);
    assert_int_not_equal(shuf_theorem_find("feldman21-3.1-as-printed")->status, SHUF_PROVED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_region),
        cmocka_unit_test(test_against_exact),
        cmocka_unit_test(test_registry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
