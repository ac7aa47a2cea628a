/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Conversion of Renyi curves and their sums, on curves in closed form: the
 * Gaussian mechanism and binary randomised response, whose exact (eps, delta)
 * is known, and curves that fail at some orders.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "renyi/renyi.h"
#include "check.h"
#include "random.h"

/* ---- curves ---- */

static int evaluations;

/* order/(2 sigma^2), data = sigma */
static shuf_status gaussian(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                            const shuf_options *options)
{
    const double *sigma = curve->data;
    slong prec = 4 * options->digits + 32;
    arb_t x, s;
    evaluations++;
    arb_init(x);
    arb_init(s);
    arb_set_d(s, *sigma);
    arb_mul(s, s, s, 256);
    shuf_real_get_arb(x, order, prec);
    arb_div(x, x, s, prec);
    arb_mul_2exp_si(x, x, -1);
    shuf_enclosure_set_arb(r, x, prec);
    r->status = SHUF_OK;
    arb_clear(x);
    arb_clear(s);
    return SHUF_OK;
}

/* Binary randomised response, data = eps; the ledger says truncation, to see it carried through. */
static shuf_status response(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                            const shuf_options *options)
{
    const double *eps = curve->data;
    slong prec = 4 * options->digits + 160;
    arb_t less, e, p, q, t, u;
    evaluations++;
    arb_init(less); arb_init(e); arb_init(p); arb_init(q); arb_init(t); arb_init(u);
    shuf_real_get_arb(less, order, prec);
    arb_sub_ui(less, less, 1, prec);
    arb_set_d(e, *eps);
    arb_exp(t, e, prec);
    arb_add_ui(u, t, 1, prec);
    arb_inv(q, u, prec);
    arb_mul(p, q, t, prec);
    arb_mul(e, e, less, prec);
    arb_exp(t, e, prec);
    arb_mul(t, t, p, prec);
    arb_neg(e, e);
    arb_exp(u, e, prec);
    arb_addmul(t, u, q, prec);
    arb_log(t, t, prec);
    arb_div(t, t, less, prec);
    shuf_enclosure_set_arb(r, t, prec);
    mag_swap(r->ledger.truncation, r->ledger.rounding);
    r->status = SHUF_OK;
    arb_clear(less); arb_clear(e); arb_clear(p); arb_clear(q); arb_clear(t); arb_clear(u);
    return SHUF_OK;
}

/* The Gaussian's, data = sigma, but silent below 3, infinite above 50, and wide. */
static shuf_status broken(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                          const shuf_options *options)
{
    if (shuf_real_cmp_si(order, 3) < 0)
        return SHUF_DOMAIN;
    gaussian(r, curve, order, options);
    if (shuf_real_cmp_si(order, 50) > 0)
    {
        arf_pos_inf(r->lo);
        arf_pos_inf(r->hi);
        return r->status = SHUF_OK;
    }
    arf_mul_2exp_si(r->lo, r->lo, -1);
    shuf_enclosure_width(r->ledger.discretisation, r);
    return r->status = SHUF_ACCURACY;
}

/* Only far up there is anything. */
static shuf_status remote(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                          const shuf_options *options)
{
    return shuf_real_cmp_si(order, 300) < 0 ? SHUF_DOMAIN : gaussian(r, curve, order, options);
}

static shuf_status nothing(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                           const shuf_options *options)
{
    (void) r; (void) curve; (void) order; (void) options;
    return SHUF_DOMAIN;
}

/* The Gaussian's, at leisure. */
static shuf_status slow(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                        const shuf_options *options)
{
    shuf_charge(4e7);
    return gaussian(r, curve, order, options);
}

static void set_curve(shuf_renyi_curve *curve, shuf_status (*evaluate)(shuf_enclosure_t, const shuf_renyi_curve *,
                      const shuf_real_t, const shuf_options *), const double *data, int integer_orders)
{
    curve->evaluate = evaluate;
    curve->data = data;
    curve->integer_orders = integer_orders;
}

/* ---- the truth in double precision ---- */

static double gaussian_delta(double sigma, double eps)
{
    double a = 1 / (2 * sigma), b = eps * sigma;
    return 0.5 * erfc((b - a) / sqrt(2)) - 0.5 * exp(eps) * erfc((a + b) / sqrt(2));
}

static double response_delta(double local, double eps)
{
    return eps >= local ? 0 : (exp(local) - exp(eps)) / (1 + exp(local));
}

/* The least eps, or log delta, over a fine grid of orders, e = slope order. */
static double grid_minimum(double slope, double point, int to_delta, int integers)
{
    double best = HUGE_VAL, x;
    for (x = -14; x < 20; x += 0.002)
    {
        double less = integers ? fmax(round(exp(x)), 1) : exp(x), a = 1 + less, value;
        value = slope * a + log(less / a) - log(a) / less;
        value = to_delta ? less * (value - point) : value - log(point) / less;
        best = fmin(best, value);
    }
    return best;
}

/* ---- tests ---- */

static void test_formula(void **state)
{
    const shuf_options o = SHUF_OPTIONS_DEFAULT;
    shuf_enclosure_t e, r;
    shuf_real_t order, x;
    arb_t value;
    (void) state;
    shuf_enclosure_init(e);
    shuf_enclosure_init(r);
    shuf_real_init(order);
    shuf_real_init(x);
    arb_init(value);
    set(order, "2");
    set(x, "0.001");
    arb_one(value);
    shuf_enclosure_set_arb(e, value, 64);
    /* 1 + log(1000/4) */
    assert_int_equal(shuf_renyi_convert_epsilon(r, e, order, x, &o), SHUF_OK);
    assert_true(fabs(upper(r) - (1 + log(250))) < 1e-12);
    /* e^(1 - 2)/4 */
    set(x, "2");
    assert_int_equal(shuf_renyi_convert_delta(r, e, order, x, &o), SHUF_OK);
    assert_true(fabs(upper(r) - exp(-1) / 4) < 1e-12);
    /* order 3: e - eps at 2: e^(2(1-2))/2 (2/3)^3 */
    set(order, "3");
    set(x, "2");
    assert_int_equal(shuf_renyi_convert_delta(r, e, order, x, &o), SHUF_OK);
    assert_true(fabs(upper(r) - exp(-2) * 4 / 27) < 1e-12);
    /* negative before it is cut to 0 */
    set(order, "2");
    set(x, "0.3");
    arb_set_d(value, 0.01);
    shuf_enclosure_set_arb(e, value, 64);
    assert_int_equal(shuf_renyi_convert_epsilon(r, e, order, x, &o), SHUF_OK);
    assert_true(upper(r) == 0 && lower(r) == 0);
    /* out of range */
    set(order, "1");
    assert_int_equal(shuf_renyi_convert_epsilon(r, e, order, x, &o), SHUF_DOMAIN);
    set(order, "2");
    set(x, "0");
    assert_int_equal(shuf_renyi_convert_epsilon(r, e, order, x, &o), SHUF_DOMAIN);
    set(x, "1.5");
    assert_int_equal(shuf_renyi_convert_epsilon(r, e, order, x, &o), SHUF_DOMAIN);
    set(x, "-1");
    assert_int_equal(shuf_renyi_convert_delta(r, e, order, x, &o), SHUF_DOMAIN);
    set(x, "1");
    arf_pos_inf(e->hi);
    assert_int_equal(shuf_renyi_convert_delta(r, e, order, x, &o), SHUF_DOMAIN);
    shuf_enclosure_clear(e);
    shuf_enclosure_clear(r);
    shuf_real_clear(order);
    shuf_real_clear(x);
    arb_clear(value);
}

/* delta -> eps -> delta at one order, for both conversions, wide divergences too. */
static void test_inverse(void **state)
{
    const shuf_options o = SHUF_OPTIONS_DEFAULT;
    shuf_enclosure_t e, r, back;
    shuf_real_t order, delta, eps;
    int i;
    (void) state;
    shuf_enclosure_init(e);
    shuf_enclosure_init(r);
    shuf_enclosure_init(back);
    shuf_real_init(order);
    shuf_real_init(delta);
    shuf_real_init(eps);
    for (i = 0; i < 300; i++)
    {
        shuf_real_set_d(order, 1 + exp(12 * random_unit() - 6));
        shuf_real_set_d(delta, exp(-40 * random_unit()));
        arf_set_d(e->lo, 5 * random_unit());
        arf_set(e->hi, e->lo);
        if (i % 3 == 0)
            arf_mul_2exp_si(e->hi, e->lo, 1);
        shuf_enclosure_width(e->ledger.discretisation, e);
        shuf_renyi_convert_epsilon(r, e, order, delta, &o);
        assert_true(explained(r));
        if (arf_is_zero(r->lo))
            continue;
        shuf_real_set_arf(eps, i % 6 < 3 ? r->lo : r->hi);
        shuf_renyi_convert_delta(back, e, order, eps, &o);
        assert_true(explained(back));
        /* at eps.hi for the largest e, or at eps.lo for the smallest, the old delta comes back */
        assert_true(fabs((i % 6 < 3 ? lower(back) : upper(back)) / value_of(delta) - 1) < 1e-9);
    }
    shuf_enclosure_clear(e);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(back);
    shuf_real_clear(order);
    shuf_real_clear(delta);
    shuf_real_clear(eps);
}

/* The Gaussian mechanism: above the truth, near the best order, few evaluations, short orders. */
static void test_gaussian(void **state)
{
    const shuf_options o = SHUF_OPTIONS_DEFAULT;
    shuf_renyi_curve curve;
    shuf_enclosure_t r;
    shuf_real_t order, x;
    int i, most = 0;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(order);
    shuf_real_init(x);
    for (i = 0; i < 120; i++)
    {
        double sigma = exp(9 * random_unit() - 3), point, best;
        int to_delta = i % 2, integers = (i % 4 >= 2);
        set_curve(&curve, gaussian, &sigma, integers);
        evaluations = 0;
        if (to_delta)
        {
            point = (1 + 7 * random_unit()) / sigma + 0.5 / (sigma * sigma);
            shuf_real_set_d(x, point);
            assert_int_equal(shuf_renyi_to_delta(r, order, &curve, x, &o), SHUF_OK);
            assert_true(upper(r) >= gaussian_delta(sigma, point) * (1 - 1e-9));
            best = fmin(grid_minimum(0.5 / (sigma * sigma), point, 1, integers), 0);
            if (log(upper(r)) > best + 1e-3 + 1e-4 * fabs(best))
                fail_msg("sigma = %g eps = %g: log delta %g at %s, not %g", sigma, point, log(upper(r)), order->text, best);
        }
        else
        {
            point = exp(-60 * random_unit());
            shuf_real_set_d(x, point);
            assert_int_equal(shuf_renyi_to_epsilon(r, order, &curve, x, &o), SHUF_OK);
            assert_true(gaussian_delta(sigma, upper(r)) <= point * (1 + 1e-9));
            best = fmax(grid_minimum(0.5 / (sigma * sigma), point, 0, integers), 0);
            if (upper(r) > best * (1 + 2e-4) + 1e-9)
                fail_msg("sigma = %g delta = %g: eps %g at %s, not %g", sigma, point, upper(r), order->text, best);
        }
        assert_true(explained(r));
        assert_true(shuf_enclosure_accurate(r, 12));
        assert_true(strlen(order->text) <= 16);
        if (integers)
            assert_true(fmpz_is_one(fmpq_denref(order->q)));
        most = evaluations > most ? evaluations : most;
    }
    printf("at most %d evaluations\n", most);
    assert_true(most <= 46);
    shuf_enclosure_clear(r);
    shuf_real_clear(order);
    shuf_real_clear(x);
}

/* A bounded loss: large orders are best for a tiny delta. */
static void test_response(void **state)
{
    const shuf_options o = SHUF_OPTIONS_DEFAULT;
    shuf_renyi_curve curve;
    shuf_enclosure_t r;
    shuf_real_t order, x;
    int i;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(order);
    shuf_real_init(x);
    for (i = 0; i < 60; i++)
    {
        double local = 0.01 + 4 * random_unit(), delta = exp(-300 * random_unit());
        set_curve(&curve, response, &local, 0);
        shuf_real_set_d(x, delta);
        assert_int_equal(shuf_renyi_to_epsilon(r, order, &curve, x, &o), SHUF_OK);
        assert_true(response_delta(local, upper(r)) <= delta * (1 + 1e-9) + 1e-15);
        /* the limit of large orders is the loss itself */
        if (upper(r) > local * (1 + 1e-4))
            fail_msg("local %g delta %g: %g at %s", local, delta, upper(r), order->text);
        assert_true(!mag_is_zero(r->ledger.truncation) || arf_is_zero(r->hi));
        assert_true(explained(r));
        shuf_real_set_d(x, 0.9 * local * random_unit());
        assert_int_equal(shuf_renyi_to_delta(r, NULL, &curve, x, &o), SHUF_OK);
        assert_true(upper(r) >= response_delta(local, value_of(x)) * (1 - 1e-9));
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(order);
    shuf_real_clear(x);
}

static void test_broken(void **state)
{
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    shuf_renyi_curve curve;
    shuf_enclosure_t r;
    shuf_real_t order, x;
    double sigma, start;
    int i;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(order);
    shuf_real_init(x);
    for (i = 0; i < 20; i++)
    {
        sigma = exp(6 * random_unit() - 2);
        set_curve(&curve, broken, &sigma, i % 2);
        set(x, i % 4 < 2 ? "1e-6" : "1e-60");
        assert_int_equal(shuf_renyi_to_epsilon(r, order, &curve, x, &o), SHUF_ACCURACY);
        assert_true(shuf_real_cmp_si(order, 3) >= 0 && shuf_real_cmp_si(order, 50) <= 0);
        assert_true(gaussian_delta(sigma, upper(r)) <= (i % 4 < 2 ? 1e-6 : 1e-60) * (1 + 1e-9));
        assert_true(explained(r));
        set_curve(&curve, remote, &sigma, i % 2);
        assert_int_equal(shuf_renyi_to_epsilon(r, order, &curve, x, &o), SHUF_OK);
        assert_true(shuf_real_cmp_si(order, 300) >= 0);
    }
    set_curve(&curve, nothing, NULL, 0);
    assert_int_equal(shuf_renyi_to_epsilon(r, order, &curve, x, &o), SHUF_DOMAIN);
    assert_true(arf_is_zero(r->lo) && arf_is_pos_inf(r->hi));
    assert_int_equal(shuf_renyi_to_delta(r, order, &curve, x, &o), SHUF_DOMAIN);
    assert_true(arf_is_zero(r->lo) && arf_is_one(r->hi));
    sigma = 1;
    set_curve(&curve, gaussian, &sigma, 0);
    set(x, "0");
    assert_int_equal(shuf_renyi_to_epsilon(r, order, &curve, x, &o), SHUF_DOMAIN);
    set(x, "2");
    assert_int_equal(shuf_renyi_to_epsilon(r, order, &curve, x, &o), SHUF_DOMAIN);
    set(x, "-1");
    assert_int_equal(shuf_renyi_to_delta(r, order, &curve, x, &o), SHUF_DOMAIN);

    /* the budget covers the search; a bound comes out all the same */
    set_curve(&curve, slow, &sigma, 0);
    o.max_work = 0.3 * 1e9;
    start = shuf_work();
    set(x, "1e-6");
    assert_int_equal(shuf_renyi_to_epsilon(r, order, &curve, x, &o), SHUF_OK);
    assert_true(shuf_work() - start < 0.6e9);
    assert_true(gaussian_delta(sigma, upper(r)) <= 1e-6);
    shuf_enclosure_clear(r);
    shuf_real_clear(order);
    shuf_real_clear(x);
}

/* T Gaussians are one with sigma/sqrt(T), at every T. */
static void test_sum(void **state)
{
    const shuf_options o = SHUF_OPTIONS_DEFAULT;
    const double sigmas[3] = { 2, 4, 8 };
    const uint64_t counts[3] = { 3, 0, UINT64_C(1000000000000000000) };
    const uint64_t few[3] = { 3, 4, 16 };
    shuf_renyi_curve parts[3], curve;
    shuf_renyi_sum sum = { parts, counts, 3 };
    shuf_enclosure_t r;
    shuf_real_t order;
    int i;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(order);
    for (i = 0; i < 3; i++)
        set_curve(&parts[i], gaussian, &sigmas[i], i == 1);
    shuf_renyi_curve_sum(&curve, &sum);
    assert_int_equal(curve.integer_orders, 0); /* part 1 is not used */
    set(order, "5/2");
    assert_int_equal(curve.evaluate(r, &curve, order, &o), SHUF_OK);
    /* 5/4 (3/4 + 10^18/64) = 19531250000000000.9375, exactly */
    assert_true(arf_cmp_d(r->lo, 19531250000000000.0) >= 0 && arf_cmp_d(r->hi, 19531250000000004.0) <= 0);
    assert_true(explained(r));
    sum.count = few;
    shuf_renyi_curve_sum(&curve, &sum);
    assert_int_equal(curve.integer_orders, 1);
    set(order, "7");
    assert_int_equal(curve.evaluate(r, &curve, order, &o), SHUF_OK);
    /* 7/2 (3/4 + 4/16 + 16/64) = 4.375 */
    assert_true(arf_cmp_d(r->lo, 4.375) <= 0 && arf_cmp_d(r->hi, 4.375) >= 0);
    assert_true(shuf_enclosure_accurate(r, 12));
    assert_true(explained(r));
    /* a part that says nothing silences the sum; an infinite one makes it infinite */
    set_curve(&parts[1], nothing, NULL, 0);
    assert_int_equal(curve.evaluate(r, &curve, order, &o), SHUF_DOMAIN);
    set_curve(&parts[1], broken, &sigmas[1], 0);
    set(order, "51");
    assert_int_equal(curve.evaluate(r, &curve, order, &o), SHUF_OK);
    assert_true(arf_is_pos_inf(r->lo) && arf_is_pos_inf(r->hi));
    set(order, "49");
    assert_int_equal(curve.evaluate(r, &curve, order, &o), SHUF_ACCURACY);
    assert_true(explained(r));
    shuf_enclosure_clear(r);
    shuf_real_clear(order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formula), cmocka_unit_test(test_inverse), cmocka_unit_test(test_gaussian),
        cmocka_unit_test(test_response), cmocka_unit_test(test_broken), cmocka_unit_test(test_sum),
    };
    int failed;
    seed_random();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
