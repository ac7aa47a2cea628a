/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Decimals made shorter: still on the same side. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "random.h"
#include "report/decimal.h"

static const struct { const char *text; size_t digits; const char *down, *up; } cases[] = {
    { "0", 3, "0", "0" }, { "0.000", 3, "0.000", "0.000" }, { "1", 1, "1", "1" }, { "-0", 1, "-0", "-0" },
    { "1.706815985899899e-06", 4, "1.706e-6", "1.707e-6" },
    { "1.00000000000000000000e-8", 3, "1.00000000000000000000e-8", "1.00000000000000000000e-8" },
    { "0.172790550755978", 5, "0.17279", "0.1728" }, { "0.172790550755978", 3, "0.172", "0.173" },
    { "0.99999", 2, "0.99", "1" }, { "9.999e-5", 2, "9.9e-5", "0.0001" }, { "9.999e-6", 2, "9.9e-6", "1e-5" },
    { "999.5", 3, "999", "1000" }, { "999999.5", 6, "999999", "1e6" }, { "123456789", 3, "1.23e8", "1.24e8" },
    { "123456", 3, "123000", "124000" }, { "9.87e-4232", 2, "9.8e-4232", "9.9e-4232" }, { "9.97e-4232", 2, "9.9e-4232", "1e-4231" },
    { "0.00012345", 2, "0.00012", "0.00013" }, { "0.000012345", 2, "1.2e-5", "1.3e-5" },
    { "-1.239", 3, "-1.24", "-1.23" }, { "-0.999", 2, "-1", "-0.99" }, { "-9.99e10", 2, "-1e11", "-9.9e10" },
    { "1.0009", 3, "1", "1.01" }, { "100.01e-2", 2, "1", "1.1" }, { "00012.34", 3, "12.3", "12.4" },
    { "12.5E+3", 2, "12000", "13000" }, { ".125", 2, "0.12", "0.13" }, { "5.", 1, "5.", "5." },
    { "1.23e99999999999999999999", 2, "1.23e99999999999999999999", "1.23e99999999999999999999" },
    { "log(3)", 1, "log(3)", "log(3)" }, { "16/3", 1, "16/3", "16/3" }, { "1.2.34", 1, "1.2.34", "1.2.34" }, { "", 1, "", "" },
};

static void test_cases(void **state)
{
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        char *down = decimal_round(cases[i].text, cases[i].digits, 0), *up = decimal_round(cases[i].text, cases[i].digits, 1);
        assert_string_equal(down, cases[i].down);
        assert_string_equal(up, cases[i].up);
        flint_free(down);
        flint_free(up);
    }
    assert_null(decimal_round(NULL, 3, 1));
}

/* Against exact rationals: outward, and less than a unit of the last digit kept away. */
static void test_random(void **state)
{
    shuf_real_t x, y[2], unit;
    int i, up;
    (void) state;
    seed_random();
    shuf_real_init(x); shuf_real_init(y[0]); shuf_real_init(y[1]); shuf_real_init(unit);
    for (i = 0; i < 20000; i++)
    {
        char text[64], *shorter;
        slong digits = 1 + (slong) random_below(12), exponent = (slong) random_below(30) - 15;
        unsigned a = (unsigned) ( random_below(3) == 0 ? 9 : random_below(1000)),
                 b = (unsigned) (random_below(4) == 0 ? 999999 : random_below(1000000));
        snprintf(text, sizeof(text), "%s%u.%06ue%ld", random_below(2) ? "-" : "", a, b, exponent);
        set(x, text);
        for (up = 0; up < 2; up++)
        {
            shorter = decimal_round(text, (size_t) digits, up);
            set(y[up], shorter);
            assert_true(strspn(shorter, "-0123456789.e") == strlen(shorter));
            flint_free(shorter);
        }
        assert_true(shuf_real_cmp(y[0], x) <= 0 && shuf_real_cmp(x, y[1]) <= 0);
        /* |y1 - y0| <= |x| 10^(1 - digits) */
        fmpq_sub(unit->q, y[1]->q, y[0]->q);
        while (digits-- > 1)
            fmpq_mul_si(unit->q, unit->q, 10);
        fmpq_abs(x->q, x->q);
        assert_true(fmpq_cmp(unit->q, x->q) <= 0);
    }
    shuf_real_clear(x); shuf_real_clear(y[0]); shuf_real_clear(y[1]); shuf_real_clear(unit);
}

static void test_log10(void **state)
{
    (void) state;
    assert_true(fabs(decimal_log10("1e-4232") + 4232) < 1e-9);
    assert_true(fabs(decimal_log10("200000") - 5.301029995663981) < 1e-12);
    assert_true(fabs(decimal_log10("0.05") + 1.3010299956639813) < 1e-12);
    assert_true(fabs(decimal_log10("1/4") + 0.6020599913279624) < 1e-12);
    assert_true(fabs(decimal_log10("log(3)") - 0.0408444) < 1e-6);
    assert_true(decimal_log10("0.000") == -HUGE_VAL && decimal_log10("log(1)") == -HUGE_VAL);
    assert_true(isnan(decimal_log10(NULL)) && isnan(decimal_log10("-1")) && isnan(decimal_log10("x")) && isnan(decimal_log10("nan")));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases), cmocka_unit_test(test_random), cmocka_unit_test(test_log10) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
