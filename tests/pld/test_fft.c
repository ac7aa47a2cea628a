/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The FFT against the definition in Arb: every error is within the proved
 * bound, and the bound is not idle. SHUFBOUND_SEED repeats a run.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "flint_headers.h"
#include "pld/fft.h"
#include "random.h"

#define PREC 128

static void make_plan(fft_plan_t plan, int bits)
{
    assert_int_equal(fft_plan_init(plan, bits), 0);
    assert_true(plan->length == (size_t) 1 << bits);
}

static double *numbers(size_t length)
{
    double *z = malloc(2 * length * sizeof(double));
    assert_non_null(z);
    return z;
}

/* The same with e^{+2 pi i j k/N}: the conjugate of the transform of the conjugate. */
static void inverse(double *z, const fft_plan_t plan)
{
    size_t j;
    for (j = 0; j < plan->length; j++)
        z[2 * j + 1] = -z[2 * j + 1];
    fft_forward(z, plan);
    for (j = 0; j < plan->length; j++)
        z[2 * j + 1] = -z[2 * j + 1];
}

/* e^{-2 pi i k/length}, real parts and then imaginary parts. */
static arb_ptr exact_roots(size_t length)
{
    arb_ptr roots = _arb_vec_init((slong) (2 * length));
    fmpq_t angle;
    fmpq_init(angle);
    for (size_t k = 0; k < length; k++)
    {
        fmpq_set_si(angle, -2 * (slong) k, length);
        arb_sin_cos_pi_fmpq(roots + length + k, roots + k, angle, PREC);
    }
    fmpq_clear(angle);
    return roots;
}

static void free_roots(arb_ptr roots, size_t length)
{
    _arb_vec_clear(roots, (slong) (2 * length));
}

/* Output k by the definition; sign = -1 for the inverse. */
static void exact_output(arb_t re, arb_t im, arb_srcptr z, size_t length, arb_srcptr roots, size_t k, int sign)
{
    arb_zero(re);
    arb_zero(im);
    for (size_t j = 0; j < length; j++)
    {
        size_t l = sign > 0 ? j * k % length : (length - k) * j % length;
        arb_addmul(re, z + 2 * j, roots + l, PREC);
        arb_submul(re, z + 2 * j + 1, roots + length + l, PREC);
        arb_addmul(im, z + 2 * j, roots + length + l, PREC);
        arb_addmul(im, z + 2 * j + 1, roots + l, PREC);
    }
}

/* r = |(x + i y) - (re + i im)|. */
static void distance(arb_t r, double x, double y, const arb_t re, const arb_t im)
{
    arb_t t;
    arb_init(t);
    arb_set_d(t, x);
    arb_sub(t, t, re, PREC);
    arb_set_d(r, y);
    arb_sub(r, r, im, PREC);
    arb_hypot(r, t, r, PREC);
    arb_clear(t);
}

/* ---- twiddle factors ---- */

/* Factor k of every plan is e^{-pi i r}, r the bits of k behind the point in opposite order. */
static double twiddle_error(const fft_plan_t plan, size_t k)
{
    arb_t re, im, angle, error;
    double d;
    ulong r = 0;
    arb_init(re);
    arb_init(im);
    arb_init(angle);
    arb_init(error);
    for (int l = 0; l < 32; l++)
        r |= ((ulong) k >> l & 1) << (31 - l);
    arb_set_ui(angle, r);
    arb_mul_2exp_si(angle, angle, -32);
    arb_neg(angle, angle);
    arb_sin_cos_pi(im, re, angle, 100);
    distance(error, plan->twiddle[2 * k], plan->twiddle[2 * k + 1], re, im);
    arb_mul_2exp_si(error, error, 53);
    arb_get_ubound_arf(arb_midref(error), error, 53);
    d = arf_get_d(arb_midref(error), ARF_RND_UP);
    arb_clear(re);
    arb_clear(im);
    arb_clear(angle);
    arb_clear(error);
    return d;
}

static void test_twiddles(void **unused)
{
    const int all[] = { 1, 2, 3, 5, 12, 13, 14, 19 }, sampled[] = { 20, 22 };
    double worst = 0;
    fft_plan_t plan;
    (void) unused;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
    {
        make_plan(plan, all[i]);
        assert_true(plan->twiddle[0] == 1 && plan->twiddle[1] == 0);
        for (size_t k = 0; k < plan->length / 2; k++)
            worst = fmax(worst, twiddle_error(plan, k));
        fft_plan_clear(plan);
    }
    for (size_t i = 0; i < sizeof(sampled) / sizeof(sampled[0]); i++)
    {
        size_t half;
        make_plan(plan, sampled[i]);
        half = plan->length / 2;
        worst = fmax(worst, twiddle_error(plan, half - 1));
        for (int j = 0; j < 50000; j++)
            worst = fmax(worst, twiddle_error(plan, (size_t) random_below(half)));
        fft_plan_clear(plan);
    }
    printf("twiddle factors: error %.4f roundoffs\n", worst);
    assert_true(worst <= 0.712);
}

/* ---- single outputs ---- */

enum { UNIFORM, SIGNED, ONE_HOT, WIDE, TONE, ALTERNATING, LARGE, SUBNORMAL, KINDS };

static void fill(double *z, size_t length, int kind)
{
    size_t hot = (size_t) random_below(length);
    for (size_t j = 0; j < length; j++)
    {
        double *x = z + 2 * j, angle = 2 * acos(-1) * (double) (j * hot % length) / (double) length;
        x[0] = random_unit();
        x[1] = random_unit();
        switch (kind)
        {
        case SIGNED:
            x[0] -= 0.5;
            x[1] -= 0.5;
            break;
        case ONE_HOT:
            if (j != hot)
                x[0] = x[1] = 0;
            break;
        case WIDE:
            x[0] = ldexp(x[0] - 0.5, (int) random_below(2000) - 1030);
            x[1] = ldexp(x[1] - 0.5, (int) random_below(2000) - 1030);
            break;
        case TONE: /* all terms of one output point the same way */
            x[0] = cos(angle);
            x[1] = sin(angle);
            break;
        case ALTERNATING: /* of nearly equal entries: most outputs are small differences */
            x[0] = (j % 2 == 0 ? 1 : -1) * (1 + x[0] * 0x1p-40);
            x[1] *= 0x1p-40;
            break;
        case LARGE:
            x[0] = 5e299 / (double) length;
            x[1] = x[0] * (2 * x[1] - 1);
            break;
        case SUBNORMAL:
            x[0] = ldexp(x[0], (int) random_below(30) - 1074);
            x[1] = ldexp(x[1], (int) random_below(30) - 1074);
            break;
        default:
            break;
        }
    }
}

/*
 * Transforms z and checks outputs k, k + step, ... Returns the largest ratio
 * of an error to fft_error(N) sum |z_j|.
 */
static double check(double *z, const fft_plan_t plan, arb_srcptr roots, size_t k, size_t step, int sign)
{
    size_t length = plan->length;
    arb_ptr input = _arb_vec_init((slong) (2 * length));
    arb_t re, im, error, bound, relative;
    double ratio, worst = 0;
    arb_init(re);
    arb_init(im);
    arb_init(error);
    arb_init(bound);
    arb_init(relative);
    for (size_t j = 0; j < length; j++)
    {
        arb_set_d(input + 2 * j, z[2 * j]);
        arb_set_d(input + 2 * j + 1, z[2 * j + 1]);
        arb_hypot(re, input + 2 * j, input + 2 * j + 1, PREC);
        arb_add(relative, relative, re, PREC);
    }
    arb_set_d(re, fft_error(length));
    arb_mul(relative, relative, re, PREC);
    arb_set_ui(bound, length);
    arb_mul_2exp_si(bound, bound, -1073);
    arb_add(bound, bound, relative, PREC);
    (sign > 0 ? fft_forward : inverse)(z, plan);
    for (; k < length; k += step)
    {
        exact_output(re, im, input, length, roots, k, sign);
        distance(error, z[2 * k], z[2 * k + 1], re, im);
        if (!arb_le(error, bound))
            fail_msg("N = %zu, output %zu: error beyond the bound", length, k);
        if (arb_is_zero(relative))
            continue;
        arb_div(error, error, relative, 30);
        ratio = arf_get_d(arb_midref(error), ARF_RND_NEAR);
        worst = fmax(worst, ratio);
    }
    arb_clear(re);
    arb_clear(im);
    arb_clear(error);
    arb_clear(bound);
    arb_clear(relative);
    _arb_vec_clear(input, (slong) (2 * length));
    return worst;
}

static void test_small(void **unused)
{
    static const char *const names[] = { "uniform", "signed", "one-hot", "wide", "tone", "alternating", "large",
                                         "subnormal" };
    double worst[KINDS] = { 0 }, ratio;
    (void) unused;
    for (int bits = 0; bits <= 9; bits++)
    {
        fft_plan_t plan;
        double *z;
        arb_ptr roots;
        make_plan(plan, bits);
        z = numbers(plan->length);
        roots = exact_roots(plan->length);
        for (int kind = 0; kind < KINDS; kind++)
            for (int repeat = 0; repeat < (bits < 6 ? 40 : 2); repeat++)
            {
                fill(z, plan->length, kind);
                ratio = check(z, plan, roots, 0, 1, repeat % 2 == 0 ? 1 : -1);
                if (bits >= 2)
                    worst[kind] = fmax(worst[kind], ratio);
            }
        free_roots(roots, plan->length);
        free(z);
        fft_plan_clear(plan);
    }
    for (int kind = 0; kind < KINDS; kind++)
        printf("%s: largest error %.4f of the bound\n", names[kind], worst[kind]);
    /* the bound is of the right size, and underflow is the only excuse to exceed its first part */
    for (int kind = 0; kind < SUBNORMAL; kind++)
        assert_true(worst[kind] <= 0.8);
    assert_true(worst[SIGNED] >= 0.02 && worst[ONE_HOT] >= 0.05);
    assert_true(worst[SUBNORMAL] > 1);
}

/* Lengths beyond the cache, of both parities: some outputs. */
static void test_large(void **unused)
{
    (void) unused;
    for (int bits = 13; bits <= 17; bits++)
    {
        fft_plan_t plan;
        double *z;
        arb_ptr roots;
        if (bits == 14 || bits == 15)
            continue;
        make_plan(plan, bits);
        z = numbers(plan->length);
        roots = exact_roots(plan->length);
        for (int sign = -1; sign <= 1; sign += 2)
        {
            size_t first = (size_t) random_below(plan->length / 8);
            fill(z, plan->length, sign > 0 ? UNIFORM : WIDE);
            assert_true(check(z, plan, roots, first, plan->length / 5 + 1, sign) <= 0.5);
        }
        free_roots(roots, plan->length);
        free(z);
        fft_plan_clear(plan);
    }
}

/* One input at a time: every output has its modulus, and the angle j k. */
static void test_one_hot(void **unused)
{
    const int bits = 20;
    fft_plan_t plan;
    double *z;
    arb_t angle, re, im;
    (void) unused;
    arb_init(angle);
    arb_init(re);
    arb_init(im);
    make_plan(plan, bits);
    z = numbers(plan->length);
    for (int repeat = 0; repeat < 4; repeat++)
    {
        uint64_t hot = random_below(plan->length);
        for (size_t j = 0; j < 2 * plan->length; j++)
            z[j] = j == 2 * hot;
        fft_forward(z, plan);
        for (int i = 0; i < 20000; i++)
        {
            uint64_t k = random_below(plan->length);
            arb_set_ui(angle, hot * k % plan->length);
            arb_mul_2exp_si(angle, angle, 1 - bits);
            arb_neg(angle, angle);
            arb_sin_cos_pi(im, re, angle, PREC);
            distance(re, z[2 * k], z[2 * k + 1], re, im);
            arb_set_d(im, fft_error(plan->length));
            assert_true(arb_le(re, im));
        }
    }
    free(z);
    fft_plan_clear(plan);
    arb_clear(angle);
    arb_clear(re);
    arb_clear(im);
}

/* ---- what follows from it ---- */

/* Forward and back is N z. */
static void test_inverse(void **unused)
{
    (void) unused;
    for (int bits = 0; bits <= 19; bits++)
    {
        fft_plan_t plan;
        double *z, *y, n, sum = 0, worst = 0;
        make_plan(plan, bits);
        n = (double) plan->length;
        z = numbers(plan->length);
        y = numbers(plan->length);
        fill(z, plan->length, SIGNED);
        for (size_t j = 0; j < 2 * plan->length; j++)
        {
            y[j] = z[j];
            sum += fabs(z[j]);
        }
        if (bits % 2 == 0)
        {
            fft_forward(y, plan);
            inverse(y, plan);
        }
        else
        {
            inverse(y, plan);
            fft_forward(y, plan);
        }
        for (size_t j = 0; j < 2 * plan->length; j++)
            worst = fmax(worst, fabs(y[j] / n - z[j]));
        assert_true(worst <= 2.001 * fft_error(plan->length) * sum);
        assert_true(worst <= 1e-14);
        free(z);
        free(y);
        fft_plan_clear(plan);
    }
}

/* Products of transforms are transforms of convolutions, here of integers. */
static void test_convolution(void **unused)
{
    (void) unused;
    for (int bits = 1; bits <= 11; bits++)
    {
        size_t length = (size_t) 1 << bits, half = length / 2;
        double *a = numbers(length), *b = numbers(length);
        double n = (double) length, e = fft_error(length), sum_a = 0, sum_b = 0;
        int64_t *exact = calloc(length, sizeof(int64_t)), *u = calloc(half, sizeof(int64_t)),
                *v = calloc(half, sizeof(int64_t));
        fft_plan_t plan;
        make_plan(plan, bits);
        assert_non_null(exact);
        assert_non_null(u);
        assert_non_null(v);
        for (size_t j = 0; j < length; j++)
        {
            a[2 * j] = a[2 * j + 1] = b[2 * j] = b[2 * j + 1] = 0;
            if (j >= half)
                continue;
            u[j] = (int64_t) random_below(2001) - 1000;
            v[j] = (int64_t) random_below(2001) - 1000;
            a[2 * j] = (double) u[j];
            b[2 * j] = (double) v[j];
            sum_a += fabs(a[2 * j]);
            sum_b += fabs(b[2 * j]);
        }
        for (size_t j = 0; j < half; j++)
            for (size_t k = 0; k < half; k++)
                exact[j + k] += u[j] * v[k];
        fft_forward(a, plan);
        fft_forward(b, plan);
        for (size_t j = 0; j < length; j++)
        {
            double re = a[2 * j] * b[2 * j] - a[2 * j + 1] * b[2 * j + 1];
            a[2 * j + 1] = a[2 * j] * b[2 * j + 1] + a[2 * j + 1] * b[2 * j];
            a[2 * j] = re;
        }
        inverse(a, plan);
        for (size_t j = 0; j < length; j++)
        {
            double error = hypot(a[2 * j] / n - (double) exact[j], a[2 * j + 1] / n);
            assert_true(error <= (3.01 * e + 0x1p-51) * sum_a * sum_b);
            assert_true(error < 0.01);
        }
        free(exact);
        free(u);
        free(v);
        free(a);
        free(b);
        fft_plan_clear(plan);
    }
}

/* The bound is 4 log2(N) roundings. */
static void test_error(void **unused)
{
    (void) unused;
    assert_true(fft_error(1) == 0);
    for (int bits = 0; bits <= FFT_MAX_LOG; bits++)
        assert_true(fft_error((size_t) 1 << bits) == ldexp(bits, -51));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twiddles), cmocka_unit_test(test_small), cmocka_unit_test(test_large),
        cmocka_unit_test(test_one_hot), cmocka_unit_test(test_inverse), cmocka_unit_test(test_convolution),
        cmocka_unit_test(test_error),
    };
    int failed;
    seed_random();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
