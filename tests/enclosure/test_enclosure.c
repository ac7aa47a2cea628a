/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Outward printing, and the ledger that accounts for a width. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enclosure/enclosure.h"
#include "random.h"

static slong random_between(slong a, slong b)
{
    return a + (slong) (random_bits() % (uint64_t) (b - a + 1));
}

/* x = m 2^e with m of 1 to 200 bits */
static void random_arf(arf_t x, slong exponent)
{
    slong bits = random_between(1, 200), i;
    fmpz_t m;
    fmpz_init(m);
    fmpz_one(m);
    for (i = 1; i < bits; i++)
        fmpz_mul_2exp(m, m, 1), fmpz_add_ui(m, m, random_bits() & 1);
    if (random_bits() & 1)
        fmpz_neg(m, m);
    arf_set_fmpz(x, m);
    arf_mul_2exp_si(x, x, exponent - bits);
    fmpz_clear(m);
}

/* The exact value of a printed decimal, and its number of significant digits. */
static slong read_decimal(fmpq_t value, const char *text)
{
    fmpz_t m, ten;
    slong shift = 0, significant = 0, zeros = 0;
    int point = 0, negative = (*text == '-');
    const char *s = text + negative;
    fmpz_init(m);
    fmpz_init_set_ui(ten, 10);
    assert_true(isdigit((unsigned char) *s));
    for (; isdigit((unsigned char) *s) || *s == '.'; s++)
    {
        if (*s == '.')
        {
            assert_false(point);
            point = 1;
            continue;
        }
        fmpz_mul_ui(m, m, 10);
        fmpz_add_ui(m, m, (ulong) (*s - '0'));
        shift -= point;
        /* zeros at either end do not count */
        zeros = *s == '0' ? zeros + 1 : 0;
        if (!fmpz_is_zero(m))
            significant++;
    }
    if (*s == 'e')
    {
        char *end;
        shift += strtol(s + 1, &end, 10);
        s = end;
    }
    assert_true(*s == '\0');
    if (negative)
        fmpz_neg(m, m);
    fmpq_set_fmpz(value, m);
    fmpz_pow_ui(ten, ten, (ulong) labs(shift));
    if (shift < 0)
        fmpq_div_fmpz(value, value, ten);
    else
        fmpq_mul_fmpz(value, value, ten);
    fmpz_clear(m);
    fmpz_clear(ten);
    return significant - FLINT_MIN(zeros, significant);
}

/* 10^(floor(log10 |x| + 1e-15) - digits + 1) */
static void last_place(fmpq_t unit, const arf_t x, slong digits)
{
    arb_t t, ten;
    fmpz_t e;
    arb_init(t);
    arb_init(ten);
    fmpz_init(e);
    arb_set_arf(t, x);
    arb_abs(t, t);
    arb_log(t, t, 256);
    arb_const_log10(ten, 256);
    arb_div(t, t, ten, 256);
    arb_set_d(ten, 1e-15);
    arb_add(t, t, ten, 256);
    arf_get_fmpz(e, arb_midref(t), ARF_RND_FLOOR);
    fmpq_set_si(unit, 10, 1);
    fmpq_pow_si(unit, unit, fmpz_get_si(e) - digits + 1);
    arb_clear(t);
    arb_clear(ten);
    fmpz_clear(e);
}

static void check_decimal(const arf_t x, slong digits)
{
    fmpq_t exact, printed, error, unit;
    int up;
    fmpq_init(exact);
    fmpq_init(printed);
    fmpq_init(error);
    fmpq_init(unit);
    arf_get_fmpq(exact, x);
    last_place(unit, x, digits);
    for (up = 0; up < 2; up++)
    {
        char *text = shuf_decimal(x, digits, up);
        slong significant = read_decimal(printed, text);
        fmpq_sub(error, printed, exact);
        if (!up)
            fmpq_neg(error, error);
        if (fmpq_sgn(error) < 0)
            fail_msg("not outward: %s (up = %d, digits = %ld)", text, up, (long) digits);
        if (fmpq_cmp(error, unit) > 0)
            fail_msg("off by more than a unit: %s (up = %d, digits = %ld)", text, up, (long) digits);
        if (significant > digits)
            fail_msg("too many digits: %s (digits = %ld)", text, (long) digits);
        flint_free(text);
    }
    fmpq_clear(exact);
    fmpq_clear(printed);
    fmpq_clear(error);
    fmpq_clear(unit);
}

static void test_decimal_random(void **state)
{
    arf_t x;
    int i;
    (void) state;
    arf_init(x);
    for (i = 0; i < 4000; i++)
    {
        slong reach = i % 8 == 0 ? 100000 : i % 2 == 0 ? 1100 : 40;
        random_arf(x, random_between(-reach, reach));
        check_decimal(x, random_between(1, 40));
    }
    arf_clear(x);
}

/* On and next to a power of ten, where the decimal exponent is in doubt. */
static void test_decimal_near_powers(void **state)
{
    static const slong gaps[] = { 0, 3, 30, 62, 63, 64, 66, 70, 100, 1000 };
    arf_t x, gap;
    fmpz_t ten;
    slong k, digits;
    size_t g;
    int sign;
    (void) state;
    arf_init(x);
    arf_init(gap);
    fmpz_init(ten);
    for (k = 0; k < 60; k += 1 + k / 10)
    {
        for (g = 0; g < sizeof(gaps) / sizeof(gaps[0]); g++)
        {
            for (sign = -1; sign <= 1; sign++)
            {
                fmpz_set_ui(ten, 10);
                fmpz_pow_ui(ten, ten, (ulong) k);
                arf_set_fmpz(x, ten);
                arf_mul_2exp_si(gap, x, -gaps[g] - 2);
                arf_mul_si(gap, gap, sign, ARF_PREC_EXACT, ARF_RND_DOWN);
                arf_add(x, x, gap, ARF_PREC_EXACT, ARF_RND_DOWN);
                for (digits = 1; digits <= 40; digits += 3)
                    check_decimal(x, digits);
            }
        }
    }
    /* and at inverse powers, from either side */
    for (k = 1; k < 60; k += 3)
    {
        int up;
        for (up = 0; up < 2; up++)
        {
            fmpz_set_ui(ten, 10);
            fmpz_pow_ui(ten, ten, (ulong) k);
            arf_set_fmpz(gap, ten);
            arf_ui_div(x, 1, gap, 120, up ? ARF_RND_CEIL : ARF_RND_FLOOR);
            for (digits = 1; digits <= 40; digits += 3)
                check_decimal(x, digits);
        }
    }
    arf_clear(x);
    arf_clear(gap);
    fmpz_clear(ten);
}

static void test_decimal_exact(void **state)
{
    static const struct { double value; slong digits; const char *text; } cases[] = {
        { 0.5, 1, "0.5" }, { 0.5, 12, "0.5" }, { 1, 1, "1" }, { 1, 12, "1" }, { 0, 5, "0" }, { 1e20, 12, "1e20" },
        { 123456, 6, "123456" }, { 123456, 12, "123456" }, { -0.5, 12, "-0.5" }, { 0.125, 3, "0.125" }, { 1000, 12, "1000" },
        { 100, 3, "100" }, { -1234.5, 12, "-1234.5" }, { 0x1p-20, 40, "9.5367431640625e-7" }, { 0.0009765625, 12, "0.0009765625" },
    };
    arf_t x;
    size_t i;
    int up;
    (void) state;
    arf_init(x);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        for (up = 0; up < 2; up++)
        {
            char *text;
            arf_set_d(x, cases[i].value);
            text = shuf_decimal(x, cases[i].digits, up);
            assert_string_equal(text, cases[i].text);
            flint_free(text);
        }
    }
    /* the double 0.1 is a little above one tenth; its negative a little below */
    for (up = 0; up < 4; up++)
    {
        static const char *const expected[] = { "0.1", "0.101", "-0.101", "-0.1" };
        char *text;
        arf_set_d(x, up < 2 ? 0.1 : -0.1);
        text = shuf_decimal(x, 3, up % 2);
        assert_string_equal(text, expected[up]);
        flint_free(text);
    }
    /* never a number for what is none */
    for (up = 0; up < 2; up++)
    {
        char *text;
        arf_pos_inf(x);
        text = shuf_decimal(x, 3, up);
        assert_string_equal(text, "unbounded");
        flint_free(text);
    }
    arf_clear(x);
}

static void check_hexfloat(const arf_t x)
{
    arf_t y;
    int up;
    arf_init(y);
    for (up = 0; up < 2; up++)
    {
        char *text = shuf_hexfloat(x, up), *end;
        double d;
        if (strcmp(text, "unbounded") == 0)
        {
            arf_set_d(y, DBL_MAX);
            assert_true(arf_cmpabs(x, y) > 0);
            flint_free(text);
            continue;
        }
        d = strtod(text, &end);
        assert_true(*end == '\0' && isfinite(d));
        arf_set_d(y, d);
        if (up ? arf_cmp(y, x) < 0 : arf_cmp(y, x) > 0)
            fail_msg("not outward: %s (up = %d)", text, up);
        /* the next double inwards is beyond x */
        arf_set_d(y, nextafter(d, up ? -HUGE_VAL : HUGE_VAL));
        if (arf_cmp_d(x, d) != 0 && (up ? arf_cmp(y, x) > 0 : arf_cmp(y, x) < 0))
            fail_msg("not the nearest: %s (up = %d)", text, up);
        flint_free(text);
    }
    arf_clear(y);
}

static void test_hexfloat(void **state)
{
    static const slong exponents[] = { 0, 1, -1, 53, -1000, 1000, 1023, 1024, -1020, -1021, -1022, -1023, -1040, -1070, -1072,
                                       -1073, -1074, -1075, -1076, -2000, -100000 };
    arf_t x;
    size_t i;
    int j;
    (void) state;
    arf_init(x);
    for (i = 0; i < sizeof(exponents) / sizeof(exponents[0]); i++)
    {
        for (j = 0; j < 200; j++)
        {
            random_arf(x, exponents[i]);
            check_hexfloat(x);
        }
        arf_one(x);
        arf_mul_2exp_si(x, x, exponents[i] < 1024 ? exponents[i] : 1023);
        check_hexfloat(x);
        arf_neg(x, x);
        check_hexfloat(x);
    }
    arf_zero(x);
    check_hexfloat(x);
    arf_set_d(x, DBL_MAX);
    check_hexfloat(x);
    {
        char *text;
        arf_set_si_2exp_si(x, 1, -2000);
        text = shuf_hexfloat(x, 0);
        assert_true(strtod(text, NULL) == 0.0);
        flint_free(text);
        text = shuf_hexfloat(x, 1);
        assert_string_equal(text, "0x0.0000000000001p-1022");
        flint_free(text);
        arf_set_si_2exp_si(x, -5, -1026);
        text = shuf_hexfloat(x, 1);
        assert_string_equal(text, "-0x0.5p-1022");
        flint_free(text);
        arf_set_si_2exp_si(x, 1, 2000);
        text = shuf_hexfloat(x, 1);
        assert_string_equal(text, "unbounded");
        flint_free(text);
    }
    arf_clear(x);
}

/* ledger total >= w? */
static void assert_covers(const shuf_enclosure_t x, const fmpq_t width)
{
    mag_t total;
    arf_t t;
    fmpq_t q;
    mag_init(total);
    arf_init(t);
    fmpq_init(q);
    shuf_ledger_total(total, &x->ledger);
    arf_set_mag(t, total);
    arf_get_fmpq(q, t);
    assert_true(fmpq_cmp(q, width) >= 0);
    mag_clear(total);
    arf_clear(t);
    fmpq_clear(q);
}

static void random_enclosure(shuf_enclosure_t x)
{
    arf_t step;
    arf_init(step);
    shuf_enclosure_zero(x);
    random_arf(x->lo, random_between(-900, 2));
    arf_abs(x->lo, x->lo);
    random_arf(step, -random_between(1, 120));
    arf_abs(step, step);
    arf_mul(step, step, x->lo, 64, ARF_RND_UP);
    arf_set(x->hi, x->lo);
    if (random_bits() % 8 != 0)
        arf_add(x->hi, x->lo, step, ARF_PREC_EXACT, ARF_RND_DOWN);
    if (random_bits() % 8 == 0)
        arf_zero(x->lo);
    switch (random_bits() % 3)
    {
    case 0: shuf_enclosure_width(x->ledger.truncation, x); break;
    case 1: shuf_enclosure_width(x->ledger.discretisation, x); break;
    default: shuf_enclosure_width(x->ledger.rounding, x);
    }
    x->ledger.terms = random_bits() % 1000;
    arf_clear(step);
}

static void test_print(void **state)
{
    shuf_enclosure_t x;
    fmpq_t lo, hi, end;
    int i;
    (void) state;
    shuf_enclosure_init(x);
    fmpq_init(lo);
    fmpq_init(hi);
    fmpq_init(end);
    for (i = 0; i < 2000; i++)
    {
        char *lo_text, *hi_text;
        random_enclosure(x);
        shuf_enclosure_print(&lo_text, &hi_text, x, random_between(1, 30));
        read_decimal(lo, lo_text);
        read_decimal(hi, hi_text);
        arf_get_fmpq(end, x->lo);
        assert_true(fmpq_cmp(lo, end) <= 0);
        arf_get_fmpq(end, x->hi);
        assert_true(fmpq_cmp(hi, end) >= 0);
        fmpq_sub(hi, hi, lo);
        assert_covers(x, hi);
        flint_free(lo_text);
        flint_free(hi_text);
    }
    fmpq_clear(lo);
    fmpq_clear(hi);
    fmpq_clear(end);
    shuf_enclosure_clear(x);
}

static void test_max(void **state)
{
    shuf_enclosure_t x, y, r, alias;
    fmpq_t width, end;
    int i;
    (void) state;
    shuf_enclosure_init(x);
    shuf_enclosure_init(y);
    shuf_enclosure_init(r);
    shuf_enclosure_init(alias);
    fmpq_init(width);
    fmpq_init(end);
    for (i = 0; i < 3000; i++)
    {
        random_enclosure(x);
        random_enclosure(y);
        if (i % 2 == 0)
        {
            /* overlapping ones */
            arf_set(y->lo, x->lo);
            if (arf_cmp(y->lo, y->hi) > 0)
                arf_set(y->hi, y->lo);
            shuf_enclosure_width(y->ledger.rounding, y);
        }
        shuf_enclosure_max(r, x, y);
        /* max(x, y) ranges over [max lo, max hi] */
        assert_true(arf_cmp(r->lo, x->lo) <= 0 || arf_cmp(r->lo, y->lo) <= 0);
        assert_true(arf_cmp(r->hi, x->hi) >= 0 && arf_cmp(r->hi, y->hi) >= 0);
        assert_true(arf_equal(r->lo, x->lo) || arf_equal(r->lo, y->lo));
        assert_true(arf_cmp(r->lo, x->lo) >= 0 && arf_cmp(r->lo, y->lo) >= 0);
        assert_int_equal(r->ledger.terms, x->ledger.terms + y->ledger.terms);
        arf_get_fmpq(width, r->hi);
        arf_get_fmpq(end, r->lo);
        fmpq_sub(width, width, end);
        assert_covers(r, width);
        shuf_enclosure_set(alias, x);
        shuf_enclosure_max(alias, alias, y);
        assert_true(arf_equal(alias->lo, r->lo) && arf_equal(alias->hi, r->hi));
        assert_int_equal(alias->ledger.terms, r->ledger.terms);
        shuf_enclosure_set(alias, y);
        shuf_enclosure_max(alias, x, alias);
        assert_true(arf_equal(alias->lo, r->lo) && arf_equal(alias->hi, r->hi));
    }
    fmpq_clear(width);
    fmpq_clear(end);
    shuf_enclosure_clear(x);
    shuf_enclosure_clear(y);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(alias);
}

static void test_accurate(void **state)
{
    shuf_enclosure_t x;
    (void) state;
    shuf_enclosure_init(x);
    assert_true(shuf_enclosure_accurate(x, 1000));
    /* [1023/1024, 1]: width 1/1024 < 10^-3 */
    arf_one(x->hi);
    arf_set_si_2exp_si(x->lo, 1023, -10);
    assert_true(shuf_enclosure_accurate(x, 1) && shuf_enclosure_accurate(x, 3));
    assert_false(shuf_enclosure_accurate(x, 4));
    arf_set_si_2exp_si(x->lo, 1022, -10);
    assert_true(shuf_enclosure_accurate(x, 2));
    assert_false(shuf_enclosure_accurate(x, 3));
    /* relative, not absolute */
    arf_mul_2exp_si(x->hi, x->hi, -90000);
    arf_mul_2exp_si(x->lo, x->lo, -90000);
    assert_true(shuf_enclosure_accurate(x, 2));
    assert_false(shuf_enclosure_accurate(x, 3));
    arf_zero(x->lo);
    assert_false(shuf_enclosure_accurate(x, 1));
    arf_set(x->lo, x->hi);
    assert_true(shuf_enclosure_accurate(x, 1000));
    arf_pos_inf(x->hi);
    assert_false(shuf_enclosure_accurate(x, 1));
    arf_nan(x->hi);
    assert_false(shuf_enclosure_accurate(x, 1));
    shuf_enclosure_clear(x);
}

static void test_arb(void **state)
{
    shuf_enclosure_t x;
    arb_t ball, back;
    fmpq_t width, end;
    int i;
    (void) state;
    shuf_enclosure_init(x);
    arb_init(ball);
    arb_init(back);
    fmpq_init(width);
    fmpq_init(end);
    for (i = 0; i < 500; i++)
    {
        random_arf(arb_midref(ball), random_between(-300, 300));
        mag_set_ui_2exp_si(arb_radref(ball), random_bits() % 1000, random_between(-400, 300));
        shuf_enclosure_set_arb(x, ball, 64);
        shuf_enclosure_get_arb(back, x, 64);
        assert_true(arb_contains(back, ball));
        assert_true(arb_contains_arf(back, x->lo) && arb_contains_arf(back, x->hi));
        arf_get_fmpq(width, x->hi);
        arf_get_fmpq(end, x->lo);
        fmpq_sub(width, width, end);
        assert_covers(x, width);
    }
    arb_clear(ball);
    arb_clear(back);
    fmpq_clear(width);
    fmpq_clear(end);
    shuf_enclosure_clear(x);
}

/* The ends of a ball, to few bits and as doubles, are outside it. */
static void test_ball_ends(void **state)
{
    arb_t ball, end;
    fmpq_t q;
    int i, upper;
    (void) state;
    arb_init(ball);
    arb_init(end);
    fmpq_init(q);
    for (i = 0; i < 500; i++)
    {
        random_arf(arb_midref(ball), random_between(-300, 300));
        mag_set_ui_2exp_si(arb_radref(ball), random_bits() % 1000, random_between(-400, 300));
        for (upper = 0; upper < 2; upper++)
        {
            arf_t far;
            arf_init(far);
            shuf_ball_end(q, ball, upper, 30);
            arb_set_fmpq(end, q, 200);
            assert_false(upper ? arb_lt(end, ball) || arb_contains_interior(ball, end) : arb_gt(end, ball) || arb_contains_interior(ball, end));
            arf_set_d(far, shuf_ball_end_d(ball, upper));
            arb_set_arf(end, far);
            assert_false(upper ? arb_lt(end, ball) || arb_contains_interior(ball, end) : arb_gt(end, ball) || arb_contains_interior(ball, end));
            arf_clear(far);
        }
    }
    arb_indeterminate(ball);
    assert_true(shuf_ball_end_d(ball, 0) == -HUGE_VAL && shuf_ball_end_d(ball, 1) == HUGE_VAL);
    /* what is below the doubles */
    arb_one(ball);
    arb_mul_2exp_si(ball, ball, -2000);
    assert_true(shuf_ball_end_d(ball, 0) == 0 && shuf_ball_end_d(ball, 1) > 0);
    arb_clear(ball);
    arb_clear(end);
    fmpq_clear(q);
}

/* r := [lo, hi] and x := [from, to] meet in that, or the program ends. */
static int meets(shuf_enclosure_t r, double lo, double hi, double from, double to)
{
    shuf_enclosure_t x;
    pid_t child;
    int status;
    shuf_enclosure_init(x);
    arf_set_d(r->lo, lo); arf_set_d(r->hi, hi); arf_set_d(x->lo, from); arf_set_d(x->hi, to);
    fflush(NULL);
    child = fork();
    if (child == 0)
    {
        if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL)
            _exit(0);
        signal(SIGABRT, SIG_DFL);
        shuf_enclosure_intersect(r, x);
        _exit(0);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        shuf_enclosure_intersect(r, x);
    shuf_enclosure_clear(x);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_intersect(void **state)
{
    shuf_enclosure_t r;
    (void) state;
    shuf_enclosure_init(r);
    assert_true(meets(r, 0, 2, 1, 3) && arf_equal_d(r->lo, 1) && arf_equal_d(r->hi, 2));
    assert_true(meets(r, 1, 3, 0, 2) && arf_equal_d(r->lo, 1) && arf_equal_d(r->hi, 2));
    assert_true(meets(r, 0, 4, 1, 2) && arf_equal_d(r->lo, 1) && arf_equal_d(r->hi, 2));
    assert_true(meets(r, 1, 2, 0, 4) && arf_equal_d(r->lo, 1) && arf_equal_d(r->hi, 2));
    assert_true(meets(r, 0, 1, 1, 2) && arf_equal_d(r->lo, 1) && arf_equal_d(r->hi, 1));
    assert_false(meets(r, 0, 1, 2, 3));
    assert_false(meets(r, 2, 3, 0, 1));
    shuf_enclosure_clear(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimal_random), cmocka_unit_test(test_decimal_near_powers), cmocka_unit_test(test_decimal_exact),
        cmocka_unit_test(test_hexfloat), cmocka_unit_test(test_print), cmocka_unit_test(test_max),
        cmocka_unit_test(test_accurate), cmocka_unit_test(test_arb),
        cmocka_unit_test(test_ball_ends), cmocka_unit_test(test_intersect),
    };
    int failed;
    seed_random();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
