/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Parsing, comparing and enclosing exact parameters. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "exact/exact.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_parse(void **state)
{
    static const struct { const char *text, *value; int is_log; } cases[] = {
        { "0", "0", 0 }, { "0.1", "1/10", 0 }, { "1e-9", "1/1000000000", 0 }, { "16/3", "16/3", 0 },
        { "0x1.8p-3", "3/16", 0 }, { "log(3)", "3", 1 }, { "log(16/3)", "16/3", 1 }, { "-2", "-2", 0 },
        { "+2.50", "5/2", 0 }, { ".5", "1/2", 0 }, { "5.", "5", 0 }, { "-1e-2", "-1/100", 0 }, { "1E3", "1000", 0 },
        { "0X10", "16", 0 }, { "0xAf.8P+1", "351", 0 }, { "6/4", "3/2", 0 }, { "1/-4", "-1/4", 0 },
        { "0.1/0.3", "1/3", 0 }, { "log(0.1)", "1/10", 1 }, { "log(0x1p-2)", "1/4", 1 }, { "log(1)", "1", 1 },
        { "log(-2/-3)", "2/3", 1 }, { "1e2/1e-1", "1000", 0 }, { "00012", "12", 0 }, { "0e5", "0", 0 },
        { "0.1000000000000000055511151231257827", "1000000000000000055511151231257827/10000000000000000000000000000000000", 0 },
    };
    shuf_real_t x, y;
    fmpq_t q, ten;
    size_t i;
    (void) state;
    shuf_real_init(x);
    shuf_real_init(y);
    fmpq_init(q);
    fmpq_init(ten);
    assert_true(fmpq_is_zero(x->q) && !x->is_log);
    assert_string_equal(x->text, "0");
    for (i = 0; i < COUNT(cases); i++)
    {
        assert_int_equal(fmpq_set_str(q, cases[i].value, 10), 0);
        fmpq_canonicalise(q);
        set(x, cases[i].text);
        if (!fmpq_equal(x->q, q) || x->is_log != cases[i].is_log)
            fail_msg("wrong value: %s", cases[i].text);
        assert_string_equal(x->text, cases[i].text);
        shuf_real_set(y, x);
        assert_string_equal(y->text, cases[i].text);
        assert_int_equal(shuf_real_cmp(x, y), 0);
    }
    /* the largest exponents */
    fmpq_set_si(ten, 10, 1);
    set(x, "1e10000");
    fmpq_pow_si(q, ten, 10000);
    assert_true(fmpq_equal(x->q, q));
    set(x, "1e-10000");
    fmpq_inv(q, q);
    assert_true(fmpq_equal(x->q, q));
    set(x, "0x1p-40000");
    assert_true(fmpz_is_one(fmpq_numref(x->q)) && fmpz_bits(fmpq_denref(x->q)) == 40001);
    fmpq_clear(q);
    fmpq_clear(ten);
    shuf_real_clear(x);
    shuf_real_clear(y);
}

static void test_reject(void **state)
{
    static const char *const bad[] = {
        "", "abc", "1/0", "log(0)", "log(-1)", "1e99999999", "1e10001", "1e-10001", "nan", "inf", "-inf", "1 ", " 1", "0x",
        "1e", "1e+", "1e 5", "--1", "+-1", "log(3", "log(log(3))", "log3", "log()", "log(1/0)", "log(3)1", "log (3)", "-log(3)",
        "LOG(3)", "1/2/3", "1/", "/2", ".", "-", "+", "e5", "1.2.3", "0x1p", "0x1p40001", "0x1p-40001", "0xg", "1,5", "1_0",
        "1e5.5", "1/log(3)", "log(3)/2", "0x.p1", "\n1", "1\n", "1f", "99999999999999999999e99999999999999999999999",
        "1e9223372036854775808", "log(-2/3)", "1/0.0", "1/0x0", "0b1",
    };
    shuf_real_t x;
    char text[2001];
    size_t i;
    (void) state;
    shuf_real_init(x);
    set(x, "7/3");
    for (i = 0; i < COUNT(bad); i++)
    {
        if (shuf_real_set_str(x, bad[i]) == 0)
            fail_msg("accepted: \"%s\"", bad[i]);
        /* unchanged */
        assert_string_equal(x->text, "7/3");
        assert_true(fmpz_equal_si(fmpq_numref(x->q), 7) && fmpz_equal_si(fmpq_denref(x->q), 3) && !x->is_log);
    }
    memset(text, '1', sizeof(text));
    text[2000] = '\0';
    assert_int_equal(shuf_real_set_str(x, text), -1);
    text[SHUF_REAL_MAX_LENGTH + 1] = '\0';
    assert_int_equal(shuf_real_set_str(x, text), -1);
    text[SHUF_REAL_MAX_LENGTH] = '\0';
    assert_int_equal(shuf_real_set_str(x, text), 0);
    assert_int_equal(strlen(x->text), SHUF_REAL_MAX_LENGTH);
    shuf_real_clear(x);
}

static void test_compare(void **state)
{
    /* in increasing order; equal ones share a rank */
    static const struct { const char *text; int rank; } order[] = {
        { "log(1e-10000)", -8 }, { "-3", -7 }, { "log(1/3)", -6 }, { "-1e-9", -5 }, { "log(0.999999999999999999)", -3 },
        { "0", 0 }, { "log(1)", 0 }, { "-0", 0 }, { "log(7/7)", 0 },
        { "1e-10000", 1 }, { "1e-9999", 2 }, { "log(1.000000000000000000000000000001)", 3 }, { "1e-30", 4 }, { "1/10", 5 },
        { "0.1", 5 }, { "0x1.999999999999ap-4", 6 },
        /* log 3 = 1.09861228866810969139524523692... */
        { "1.0986122886681096", 10 }, { "1.098612288668109691395245236922525704647490557822749451734694333", 11 },
        { "log(3)", 12 }, { "log(9/3)", 12 },
        { "1.098612288668109691395245236922525704647490557822749451734694334", 13 }, { "1.0986122886681098", 14 },
        { "log(16/3)", 20 }, { "23025", 30 }, { "log(1e10000)", 31 }, { "23026", 32 },
    };
    shuf_real_t x, y;
    size_t i, j;
    (void) state;
    shuf_real_init(x);
    shuf_real_init(y);
    for (i = 0; i < COUNT(order); i++)
    {
        set(x, order[i].text);
        for (j = 0; j < COUNT(order); j++)
        {
            int expected = (order[i].rank > order[j].rank) - (order[i].rank < order[j].rank);
            set(y, order[j].text);
            if (shuf_real_cmp(x, y) != expected)
                fail_msg("%s against %s: not %d", order[i].text, order[j].text, expected);
        }
        assert_int_equal(shuf_real_sgn(x), (order[i].rank > 0) - (order[i].rank < 0));
        assert_int_equal(shuf_real_cmp_si(x, 0), shuf_real_sgn(x));
        assert_int_equal(shuf_real_cmp_si(x, -3), (order[i].rank > -7) - (order[i].rank < -7));
        assert_int_equal(shuf_real_cmp_si(x, 23026), order[i].rank == 32 ? 0 : -1);
    }
    shuf_real_clear(x);
    shuf_real_clear(y);
}

static void test_setters(void **state)
{
    shuf_real_t x, y;
    fmpq_t q;
    arf_t a;
    (void) state;
    shuf_real_init(x);
    shuf_real_init(y);
    fmpq_init(q);
    arf_init(a);
    assert_int_equal(shuf_real_set_d(x, 0.1), 0);
    set(y, "0x1.999999999999ap-4");
    assert_int_equal(shuf_real_cmp(x, y), 0);
    assert_int_equal(shuf_real_set_d(x, HUGE_VAL), -1);
    assert_int_equal(shuf_real_set_d(x, -HUGE_VAL), -1);
    assert_int_equal(shuf_real_set_d(x, nan("")), -1);
    assert_int_equal(shuf_real_cmp(x, y), 0);
    assert_int_equal(shuf_real_set_d(x, 0x1p-1074), 0);
    set(y, "0x1p-1074");
    assert_int_equal(shuf_real_cmp(x, y), 0);
    arf_set_si_2exp_si(a, -3, 300);
    shuf_real_set_arf(x, a);
    set(y, "-0x3p300");
    assert_int_equal(shuf_real_cmp(x, y), 0);
    /* canonical texts read back as the same value */
    assert_int_equal(shuf_real_set_str(y, x->text), 0);
    assert_int_equal(shuf_real_cmp(x, y), 0);
    fmpq_set_si(q, 16, 3);
    shuf_real_set_log_fmpq(x, q);
    assert_string_equal(x->text, "log(16/3)");
    assert_int_equal(x->is_log, 1);
    shuf_real_set_fmpq(x, q);
    assert_string_equal(x->text, "16/3");
    assert_int_equal(x->is_log, 0);
    fmpq_clear(q);
    arf_clear(a);
    shuf_real_clear(x);
    shuf_real_clear(y);
}

/* Both contain the value, and are as sharp as the precision promises. */
static void test_enclosures(void **state)
{
    static const char *const texts[] = {
        "0", "1", "-2", "0.1", "1e-9", "16/3", "700", "-700", "1000000", "1e-30", "log(3)", "log(1/3)", "log(1)",
        "log(1.000000000000000000000000000001)", "log(0.999999999999999999999999999999)", "log(1e10000)", "log(1e-10000)",
        "log(1000000000000000000000000000001/1000000000000000000000000000000)", "1e-10000", "0x1p-40000",
    };
    static const slong precs[] = { 53, 200 };
    shuf_real_t x;
    arb_t r, exact;
    size_t i, j;
    (void) state;
    shuf_real_init(x);
    arb_init(r);
    arb_init(exact);
    for (i = 0; i < COUNT(texts); i++)
    {
        set(x, texts[i]);
        for (j = 0; j < COUNT(precs); j++)
        {
            slong prec = precs[j];
            /* the value */
            arb_set_fmpq(exact, x->q, 4000);
            if (x->is_log)
                arb_log(exact, exact, 4000);
            shuf_real_get_arb(r, x, prec);
            assert_true(arb_overlaps(r, exact));
            if (arb_is_zero(exact) ? !arb_is_zero(r) : arb_rel_accuracy_bits(r) < prec - 4)
                fail_msg("%s: %ld bits at %ld", texts[i], (long) arb_rel_accuracy_bits(r), (long) prec);
            /* its exponential */
            if (x->is_log)
                arb_set_fmpq(exact, x->q, 4000);
            else
                arb_exp(exact, exact, 4000);
            shuf_real_exp(r, x, prec);
            assert_true(arb_overlaps(r, exact));
            assert_true(arb_rel_accuracy_bits(r) >= prec - 4);
        }
    }
    /* log(1 + d) = d - d^2/2 + d^3/3 - ..., d = 1e-30 */
    set(x, "log(1.000000000000000000000000000001)");
    shuf_real_get_arb(r, x, 500);
    set(x, "1e-30");
    arb_set_fmpq(exact, x->q, 500);
    arb_sub(r, r, exact, 500);
    set(x, "5e-61");
    arb_set_fmpq(exact, x->q, 500);
    arb_add(r, r, exact, 500);
    set(x, "1e-90/3");
    arb_set_fmpq(exact, x->q, 500);
    arb_sub(r, r, exact, 500);
    arb_abs(r, r);
    set(x, "1e-119");
    arb_set_fmpq(exact, x->q, 500);
    assert_true(arb_lt(r, exact));
    arb_clear(r);
    arb_clear(exact);
    shuf_real_clear(x);
}

static void test_users(void **state)
{
    static const struct { const char *text; uint64_t n; } good[] = {
        { "1", 1 }, { "100000", 100000 }, { "1e6", 1000000 }, { "2.5e3", 2500 }, { "1e18", SHUF_MAX_USERS },
        { "999999999999999999", SHUF_MAX_USERS - 1 }, { "1.0", 1 }, { "2E+3", 2000 },
    };
    static const char *const bad[] = { "0", "-1", "1.5", "1e19", "1000000000000000001", "18446744073709551617", "log(3)",
                                       "log(1)", "", "x", "2.5e0", "1e-1", "1e10000", "5/2", "6/2", "10 ", "0x3", "0x10",
                                       "10000e-2", "+3", "1.", ".5e1", "1e", "1e+", "3e1 ", "1.0.0" };
    uint64_t n = 42;
    size_t i;
    (void) state;
    for (i = 0; i < COUNT(bad); i++)
    {
        if (shuf_users_set_str(&n, bad[i]) == 0)
            fail_msg("accepted: \"%s\"", bad[i]);
        assert_true(n == 42);
    }
    for (i = 0; i < COUNT(good); i++)
    {
        if (shuf_users_set_str(&n, good[i].text) != 0 || n != good[i].n)
            fail_msg("wrong: %s", good[i].text);
    }
}

static void test_cmp_arf(void **state)
{
    shuf_real_t x;
    arf_t y;
    (void) state;
    shuf_real_init(x);
    arf_init(y);
    assert_int_equal(shuf_real_set_str(x, "0.1"), 0);
    arf_set_d(y, 0.1); /* a little above one tenth */
    assert_int_equal(shuf_real_cmp_arf(x, y), -1);
    arf_set_d(y, 0.0999999);
    assert_int_equal(shuf_real_cmp_arf(x, y), 1);
    assert_int_equal(shuf_real_set_str(x, "0x1p-3"), 0);
    arf_set_d(y, 0.125);
    assert_int_equal(shuf_real_cmp_arf(x, y), 0);
    arf_zero(y);
    assert_int_equal(shuf_real_cmp_arf(x, y), 1);
    /* exponents that must not be expanded */
    arf_set_ui_2exp_si(y, 1, -WORD_MAX / 4);
    assert_int_equal(shuf_real_cmp_arf(x, y), 1);
    assert_int_equal(shuf_real_set_str(x, "0"), 0);
    assert_int_equal(shuf_real_cmp_arf(x, y), -1);
    arf_neg(y, y);
    assert_int_equal(shuf_real_cmp_arf(x, y), 1);
    arf_set_ui_2exp_si(y, 1, WORD_MAX / 4);
    assert_int_equal(shuf_real_cmp_arf(x, y), -1);
    arf_neg(y, y);
    assert_int_equal(shuf_real_cmp_arf(x, y), 1);
    shuf_real_clear(x);
    arf_clear(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse), cmocka_unit_test(test_reject), cmocka_unit_test(test_compare),
        cmocka_unit_test(test_setters), cmocka_unit_test(test_enclosures), cmocka_unit_test(test_cmp_arf),
        cmocka_unit_test(test_users),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
