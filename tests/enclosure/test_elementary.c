/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The functions of elementary.h against MPFR: random arguments of all sizes, the tables, and what is not a number. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <mpfr.h>

#include "enclosure/doubles.h"
#include "enclosure/elementary.h"
#include "enclosure/elementary_tables.h"
#include "random.h"

#define POINTS 20000
#define BITS 160

static double uniform(double from, double to)
{
    return from + (to - from) * random_unit();
}

typedef int (*mpfr_function)(mpfr_t, const mpfr_t, mpfr_rnd_t);

typedef struct
{
    const char *name;
    double (*f)(double);
    mpfr_function truth;
    double from, to;
    int is_log; /* the argument is e to what is drawn */
    double relative, absolute;
} range;

static int log_gamma(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode)
{
    return mpfr_lngamma(r, x, mode);
}

static const range ranges[] = {
    { "exp", d_exp, mpfr_exp, -708, 709.7, 0, 2 * ROUNDOFF, 0 },
    { "exp", d_exp, mpfr_exp, -0.1, 0.1, 0, 2 * ROUNDOFF, 0 },
    { "exp, subnormal", d_exp, mpfr_exp, -745, -708, 0, 0, 0x1p-1074 },
    { "expm1", d_expm1, mpfr_expm1, -700, 700, 0, 6 * ROUNDOFF, 0 },
    { "expm1", d_expm1, mpfr_expm1, -0.7, 0.7, 0, 6 * ROUNDOFF, 0 },
    { "expm1", d_expm1, mpfr_expm1, -0.02, 0.02, 0, 6 * ROUNDOFF, 0 },
    { "expm1", d_expm1, mpfr_expm1, -600, 0, 1, 6 * ROUNDOFF, 0 },
    { "log", d_log, mpfr_log, -744, 709, 1, 6 * ROUNDOFF, 0 },
    { "log", d_log, mpfr_log, 0.5, 2, 0, 6 * ROUNDOFF, 0 },
    { "log", d_log, mpfr_log, 0.98, 1.02, 0, 6 * ROUNDOFF, 0 },
    { "log, cell of 1", d_log, mpfr_log, 1 - 0x1p-9, 1 + 0x1p-8, 0, 2.3 * ROUNDOFF, 0 },
    { "log1p", d_log1p, mpfr_log1p, -700, 709, 1, 7.5 * ROUNDOFF, 0 },
    { "log1p", d_log1p, mpfr_log1p, -0.99999, 2, 0, 7.5 * ROUNDOFF, 0 },
    { "log1p", d_log1p, mpfr_log1p, -0.01, 0.01, 0, 7.5 * ROUNDOFF, 0 },
    { "log1p", d_log1p, mpfr_log1p, -0x1p-50, 0x1p-50, 0, 7.5 * ROUNDOFF, 0 },
    { "sin", d_sin, mpfr_sin, -0.785, 0.785, 0, 4 * ROUNDOFF, 0 },
    { "sin", d_sin, mpfr_sin, -0x1p20, 0x1p20, 0, 0, 4 * ROUNDOFF },
    { "sin", d_sin, mpfr_sin, 0x1p20, 0x1p30, 0, 0, 4 * ROUNDOFF + 0x1p-23 },
    { "cos", d_cos, mpfr_cos, -0.785, 0.785, 0, 4 * ROUNDOFF, 0 },
    { "cos", d_cos, mpfr_cos, -0x1p20, 0x1p20, 0, 0, 4 * ROUNDOFF },
    { "exp2", d_exp2, mpfr_exp2, -1000, 1000, 0, 1e-13, 0 },
    { "sinh", d_sinh, mpfr_sinh, -700, 700, 0, 1e-14, 0 },
    { "lb", d_lb, mpfr_log2, -700, 700, 1, 0, 1e-12 },
    { "log10", d_log10, mpfr_log10, -700, 700, 1, 0, 1e-12 },
    { "lgamma", d_lgamma, log_gamma, 1e-3, 50, 0, 1e-11, 1e-12 },
    { "lgamma", d_lgamma, log_gamma, 3, 40, 1, 1e-11, 0 },
    { "erfc", d_erfc, mpfr_erfc, -6, 26, 0, 1e-11, 0 },
};

/* |value - truth| <= relative |truth| + absolute */
static void assert_near(const char *name, double x, double value, const mpfr_t truth, double relative, double absolute)
{
    mpfr_t off, most;
    mpfr_inits2(BITS, off, most, (mpfr_ptr) 0);
    mpfr_sub_d(off, truth, value, MPFR_RNDN);
    mpfr_abs(off, off, MPFR_RNDU);
    mpfr_abs(most, truth, MPFR_RNDD);
    mpfr_mul_d(most, most, relative, MPFR_RNDD);
    mpfr_add_d(most, most, absolute, MPFR_RNDD);
    if (!mpfr_lessequal_p(off, most))
        fail_msg("%s at %a: %a", name, x, value);
    mpfr_clears(off, most, (mpfr_ptr) 0);
}

static void test_functions(void **state)
{
    size_t i;
    int j;
    mpfr_t x, truth;
    (void) state;
    skip_unless_drawn(5);
    mpfr_inits2(BITS, x, truth, (mpfr_ptr) 0);
    for (i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
        for (j = 0; j < POINTS; j++)
        {
            const range *r = ranges + i;
            double at = uniform(r->from, r->to);
            if (r->is_log)
                at = exp(at);
            mpfr_set_d(x, at, MPFR_RNDN);
            r->truth(truth, x, MPFR_RNDN);
            assert_near(r->name, at, r->f(at), truth, r->relative, r->absolute);
        }
    mpfr_clears(x, truth, (mpfr_ptr) 0);
}

static void test_two_arguments(void **state)
{
    int j;
    mpfr_t x, y, truth;
    (void) state;
    mpfr_inits2(BITS, x, y, truth, (mpfr_ptr) 0);
    for (j = 0; j < POINTS; j++)
    {
        const double size = uniform(-690, 690), a = uniform(-1, 1) * exp(size), b = uniform(-1, 1) * exp(size + uniform(-9, 9));
        const double whole = floor(uniform(-90, 90)), base = uniform(0.01, 1000);
        mpfr_set_d(x, a, MPFR_RNDN);
        mpfr_set_d(y, b, MPFR_RNDN);
        mpfr_hypot(truth, x, y, MPFR_RNDN);
        assert_near("hypot", a, d_hypot(a, b), truth, 4 * ROUNDOFF, 0);
        mpfr_atan2(truth, x, y, MPFR_RNDN);
        assert_near("atan2", a, d_atan2(a, b), truth, 8 * ROUNDOFF, 0);
        mpfr_set_d(x, base, MPFR_RNDN);
        mpfr_set_d(y, whole, MPFR_RNDN);
        mpfr_pow(truth, x, y, MPFR_RNDN);
        assert_near("pow", base, d_pow(base, whole), truth, 2 * fabs(whole) * ROUNDOFF, 0);
    }
    for (j = 0; j <= 22; j++)
    {
        mpfr_ui_pow_ui(truth, 10, (ulong) j, MPFR_RNDN);
        assert_true(d_pow(10, (double) j) == mpfr_get_d(truth, MPFR_RNDN));
        assert_true(d_log10(d_pow(10, (double) j)) == (double) j);
        assert_true(d_lb(ldexp(1, j - 11)) == (double) j - 11);
    }
    mpfr_clears(x, y, truth, (mpfr_ptr) 0);
}

static double rounded(mpfr_t x)
{
    return mpfr_get_d(x, MPFR_RNDN);
}

/* Lemma 2: m/c - 1 is small at both ends of each cell. */
static void test_tables(void **state)
{
    int i;
    mpfr_t x;
    (void) state;
    mpfr_init2(x, 300);
    for (i = 0; i < 64; i++)
    {
        mpfr_set_d(x, i / 64.0, MPFR_RNDN);
        mpfr_exp2(x, x, MPFR_RNDN);
        assert_true(powers_of_two[i][0] == rounded(x));
        mpfr_sub_d(x, x, powers_of_two[i][0], MPFR_RNDN);
        assert_true(powers_of_two[i][1] == rounded(x));
    }
    for (i = 0; i < 128; i++)
    {
        /* the cells are alike but for the step, which doubles at 1 */
        const double ends[2] = { i < 75 ? 0.705078125 + i * 0x1p-8 : 1 - 0x1p-9 + (i > 75) * (0x1p-9 + 0x1p-8) + (i > 75 ? i - 76 : 0) * 0x1p-7,
                                 i < 75 ? 0.705078125 + (i + 1) * 0x1p-8 : 1 + 0x1p-8 + (i - 75) * 0x1p-7 };
        assert_true(logs[i][0] * 512 == floor(logs[i][0] * 512));
        assert_true(fabs(ends[0] * logs[i][0] - 1) <= 0.0048 && fabs(ends[1] * logs[i][0] - 1) <= 0.0048);
        mpfr_set_d(x, logs[i][0], MPFR_RNDN);
        mpfr_log(x, x, MPFR_RNDN);
        assert_true(logs[i][1] == -rounded(x));
    }
    assert_true(logs[75][0] == 1);
    for (i = 0; i <= 32; i++)
    {
        mpfr_set_d(x, i / 32.0, MPFR_RNDN);
        mpfr_atan(x, x, MPFR_RNDN);
        assert_true(arcs[i] == rounded(x));
    }
    mpfr_clear(x);
}

static void test_special(void **state)
{
    (void) state;
    assert_true(d_exp(1e300) == HUGE_VAL && d_exp(-1e300) == 0 && d_exp(0) == 1 && isnan(d_exp(NAN)));
    assert_true(d_exp(HUGE_VAL) == HUGE_VAL && d_exp(-HUGE_VAL) == 0);
    assert_true(d_expm1(1e300) == HUGE_VAL && d_expm1(-1e300) == -1 && d_expm1(0) == 0 && isnan(d_expm1(NAN)));
    assert_true(d_log(0) == -HUGE_VAL && d_log(HUGE_VAL) == HUGE_VAL && d_log(1) == 0 && isnan(d_log(-1)) && isnan(d_log(NAN)));
    assert_true(d_log1p(-1) == -HUGE_VAL && d_log1p(HUGE_VAL) == HUGE_VAL && d_log1p(0) == 0 && isnan(d_log1p(-2)) && isnan(d_log1p(NAN)));
    assert_true(d_log1p(5e-324) == 5e-324 && d_expm1(5e-324) == 5e-324);
    assert_true(d_sin(0) == 0 && d_cos(0) == 1 && isnan(d_sin(HUGE_VAL)) && isnan(d_cos(NAN)));
    assert_true(d_hypot(0, 0) == 0 && d_hypot(3, 4) == 5 && d_hypot(5e-324, 0) == 5e-324 && d_hypot(1e308, 1e308) < HUGE_VAL);
    assert_true(d_atan2(0, 1) == 0 && d_atan2(0, 0) == 0 && d_atan2(0, -1) == DOUBLE_PI && d_atan2(1, 0) == DOUBLE_PI / 2);
    assert_true(d_pow(0, 0) == 1 && d_pow(2, 0.5) > 1.414 && d_pow(2, 0.5) < 1.415 && d_pow(-2, 3) == -8);
    assert_true(d_exp2(-5000) == 0 && d_exp2(5000) == HUGE_VAL && d_exp2(-7) == 0x1p-7);
    assert_true(d_sinh(1000) == HUGE_VAL && d_sinh(-1000) == -HUGE_VAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_two_arguments),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_special),
    };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
