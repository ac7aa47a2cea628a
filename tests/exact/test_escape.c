/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Text of files, made fit for a terminal. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "exact/escape.h"
#include "exact/reader.h"

static const struct { const char *text, *escaped; } cases[] = {
    { "", "" },
    { "plain \\u001b text, 3 < 4", "plain \\u001b text, 3 < 4" },
    { "\x1b[2K\rCERTIFIED  x", "\\u001b[2K\\u000dCERTIFIED  x" },
    { "a\nb\tc\x01\x1f\x7f", "a\\u000ab\\u0009c\\u0001\\u001f\\u007f" },
    { "\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "\\u0080\\u009b\\u009f\xc2\xa0" },                 /* C1; U+00A0 is none */
    { "\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf", "\\u202a\\u202e\xe2\x80\xaf" },                /* bidi; U+202F is none */
    { "\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", "\xe2\x81\xa5\\u2066\\u2069\xe2\x81\xaa" },
    { "\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "\\u2028\\u2029\\u200e\\u200f\\u061c" },
    { "Heikkil\xc3\xa4, \xce\xb5\xe2\x82\x80, \xf0\x9f\x98\x80", "Heikkil\xc3\xa4, \xce\xb5\xe2\x82\x80, \xf0\x9f\x98\x80" },
    { "\x9b\x31m", "\\x9b1m" },                     /* a C1 byte that is no UTF-8 */
    { "\xc3", "\\xc3" },                            /* cut short */
    { "\xe2\x80", "\\xe2\\x80" },
    { "\xf0\x9f\x98", "\\xf0\\x9f\\x98" },
    { "\xc0\x9b", "\\xc0\\x9b" },                   /* overlong ESC-like forms */
    { "\xc1\x9b", "\\xc1\\x9b" },
    { "\xe0\x80\x9b", "\\xe0\\x80\\x9b" },
    { "\xe0\x9f\xbf", "\\xe0\\x9f\\xbf" },
    { "\xf0\x80\x80\x9b", "\\xf0\\x80\\x80\\x9b" },
    { "\xed\xa0\x80", "\\xed\\xa0\\x80" },          /* a surrogate */
    { "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" }, /* beyond U+10FFFF */
    { "\xff\xfe", "\\xff\\xfe" },
};

static void test_escape(void **state)
{
    char out[128];
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        assert_int_equal(escape_text(out, sizeof(out), cases[i].text), strlen(cases[i].escaped));
        assert_string_equal(out, cases[i].escaped);
    }
}

/* Whole characters only, and never a byte beyond the size. */
static void test_cut(void **state)
{
    char out[16];
    (void) state;
    memset(out, '#', sizeof(out));
    assert_int_equal(escape_text(out, 8, "a\x1b\x1b"), 7);
    assert_string_equal(out, "a\\u001b");
    assert_int_equal(out[8], '#');
    assert_int_equal(escape_text(out, 7, "a\x1b"), 1);
    assert_string_equal(out, "a");
    assert_int_equal(escape_text(out, 2, "\xc3\xa4"), 0);
    assert_string_equal(out, "");
    assert_int_equal(escape_text(out, 0, "x"), 0);
}

static void test_reader(void **state)
{
    char text[128];
    const reader r = { text, sizeof(text), "claim \"\x1b[2K\": ", "" };
    const reader small = { text, 12, "claim \"\x1b[2K\": ", "" };
    (void) state;
    assert_int_equal(reader_fail(&r, "unknown member \"%.40s\"", "\xe2\x80\xae\n"), -1);
    assert_string_equal(text, "claim \"\\u001b[2K\": unknown member \"\\u202e\\u000a\"");
    reader_fail(&small, "%s", "x");
    assert_string_equal(text, "claim \"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escape), cmocka_unit_test(test_cut), cmocka_unit_test(test_reader)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
