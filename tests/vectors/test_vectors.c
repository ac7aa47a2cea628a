/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Files of test vectors: what is refused, what is compared, and the verdicts on answers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "config.h"
#include "enclosure/enclosure.h"
#include "random.h"
#include "report/partial.h"
#include "vectors/vectors.h"

static char message[512];
static const reader to_message = { message, sizeof(message), "", "" };

#define HEAD(version, schema, count) "{\"algorithm\":\"a\"," version "\"schema\":\"" schema "\",\"header\":[\"h\"]," \
    "\"notes\":{\"F\":{\"bugType\":\"B\",\"description\":\"d\"}},\"numberOfTests\":" count ",\"testGroups\":[" \
    "{\"type\":\"delta\",\"source\":\"s\",\"confirmation\":\"c\",\"tests\":["
#define TAIL "]}]}"
#define START(id) "{\"tcId\":" id ",\"comment\":\"c\",\"flags\":[\"F\"]"
#define SUBJECT "\"pair\":{\"type\":\"rr2\",\"eps0\":\"1\"},\"users\":\"9\",\"ask\":{\"quantity\":\"delta\",\"eps\":\"0.5\"}"
#define QUESTION ",\"question\":{" SUBJECT "}"
#define RESULT ",\"result\":{\"lo\":\"0.25\",\"hi\":\"0.5\",\"lo_hex\":\"0x1p-2\",\"hi_hex\":\"0x1p-1\",\"theorem\":\"rr2\"," \
    "\"status\":\"proved\",\"side\":\"lower\",\"accuracy_reached\":true," \
    "\"ledger\":{\"truncation\":\"0.2\",\"discretisation\":\"0\",\"rounding\":\"0.05\",\"terms\":1,\"precision\":53}}"
#define GENERATOR "\"generatorVersion\":\"" PACKAGE_VERSION "\","
#define PROMPT_HEAD HEAD("", "../schema/prompt.schema.json", "1")
#define VALUE_HEAD HEAD(GENERATOR, "schema/value.schema.json", "1")
#define NEGATIVE_HEAD HEAD(GENERATOR, "schema/negative.schema.json", "1")
#define PROMPT PROMPT_HEAD START("7") QUESTION "}" TAIL
#define VALUE VALUE_HEAD START("7") QUESTION RESULT "}" TAIL

/* A claim of at most 0.1 that shufbound evaluates, and a witness of at least 0.25. */
#define CLAIM ",\"id\":\"i\",\"formula\":\"f\",\"claim\":{\"quantity\":\"delta\",\"bound\":\"upper\",\"value\":\"0.1\"," \
    "\"value_lo\":\"0.09\",\"value_hi\":\"0.11\"},\"reproduce\":{\"question\":{\"mechanism\":{\"type\":\"ldp\",\"eps0\":\"1\"},\"users\":\"9\",\"form\":{\"theorem\":\"chen24-thm2\"}," \
    "\"ask\":{\"quantity\":\"delta\",\"eps\":\"0.5\"}}}"
#define WITNESS ",\"witness\":{\"question\":{" SUBJECT "},\"lo\":\"0.25\",\"hi\":\"0.5\"," \
    "\"theorem\":\"rr2\",\"says\":\"lower\"}"
#define NEGATIVE NEGATIVE_HEAD START("7") CLAIM WITNESS "}" TAIL

static void load(vectors_file *f, const char *text)
{
    int status = vectors_parse(f, text, strlen(text), &to_message);
    if (status != 0)
        print_message("%s\n", message);
    assert_int_equal(status, 0);
}

/* The text with the first `from` replaced by `to`. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    size_t size = strlen(text) + strlen(to) + 1;
    char *out = malloc(size);
    assert_non_null(at);
    snprintf(out, size, "%.*s%s%s", (int) (at - text), text, to, at + strlen(from));
    return out;
}

static void test_kinds(void **state)
{
    static const char *const texts[] = { PROMPT, VALUE, NEGATIVE };
    vectors_file f;
    int kind;
    (void) state;
    for (kind = VECTORS_PROMPT; kind <= VECTORS_NEGATIVE; kind++)
    {
        load(&f, texts[kind]);
        assert_int_equal(f.kind, kind);
        assert_int_equal(f.count, 1);
        assert_int_equal(vectors_id(f.tests[0]), 7);
        assert_int_equal(vectors_find(&f, 7), 0);
        assert_int_equal(vectors_find(&f, 8), 1);
        vectors_clear(&f);
    }
}

/* Each change makes a bad file, and the message is one line that has the word. */
static void test_bad_files(void **state)
{
    static const struct { const char *text, *from, *to, *word; } cases[] = {
        { PROMPT, "{", "", "JSON" },
        { PROMPT, PROMPT, "", "JSON" },
        { PROMPT, PROMPT, "[]", "object" },
        { PROMPT, "\"algorithm\":\"a\"", "\"algorithm\":1", "algorithm" },
        { PROMPT, "\"header\":[\"h\"]", "\"header\":[1]", "header" },
        { PROMPT, "\"header\":[\"h\"],", "", "header" },
        { PROMPT, "\"header\":[\"h\"],", "\"version\":\"1.0\",\"header\":[\"h\"],", "version" },
        { VALUE, "\"header\":[\"h\"],", "\"version\":\"1.0.0.0\",\"header\":[\"h\"],", "version" },
        { VALUE, "\"header\":[\"h\"],", "\"version\":\"1.00.0\",\"header\":[\"h\"],", "version" },
        { VALUE, "\"header\":[\"h\"],", "\"version\":1,\"header\":[\"h\"],", "version" },
        { PROMPT, "../schema/prompt", "x/prompt", "schema" },
        { PROMPT, "\"bugType\"", "\"kind\"", "kind" },
        { PROMPT, "\"numberOfTests\":1", "\"numberOfTests\":2", "numberOfTests" },
        { PROMPT, "\"numberOfTests\":1", "\"extra\":1,\"numberOfTests\":1", "extra" },
        { PROMPT, "\"source\":\"s\"", "\"source\":null", "source" },
        { PROMPT, "\"confirmation\":\"c\",", "", "confirmation" },
        { PROMPT, "\"tests\":[", "\"tests\":[1,", "tcId" },
        { PROMPT, "\"tcId\":7", "\"tcId\":\"7\"", "tcId" },
        { PROMPT, "\"tcId\":7", "\"tcId\":0", "tcId" },
        { PROMPT, "\"flags\":[\"F\"]", "\"flags\":[\"G\"]", "tcId 7: the flag \"G\"" },
        { PROMPT, "\"comment\":\"c\"", "\"comment\":[]", "comment" },
        { PROMPT, "\"comment\":\"c\"", "\"comment\":\"c\",\"bound\":\"both\"", "tcId 7: \"bound\" must be upper or lower" },
        { PROMPT, "\"comment\":\"c\"", "\"comment\":\"c\",\"bound\":1", "\"bound\"" },
        { PROMPT, "\"users\":\"9\"", "\"users\":\"0\"", "tcId 7: \"users\"" },
        { PROMPT, "\"users\":\"9\"", "\"users\":\"\"", "\"users\"" },
        { PROMPT, "\"users\":\"9\"", "\"users\":\"9\\n8\"", "\"users\"" },
        { PROMPT, "\"users\":\"9\"", "\"users\":\"9\",\"max_seconds\":\"9\"", "max_seconds" },
        { PROMPT, "\"users\":\"9\"", "\"users\":\"9\",\"fast\":true", "fast" },
        { PROMPT, "\"users\":\"9\"", "\"users\":\"9\",\"effort\":\"high\"", "effort" },
        { PROMPT, "\"users\":\"9\"", "\"users\":\"9\",\"compose\":\"/etc/passwd\"", "compose" },
        { PROMPT, "\"users\":\"9\"", "\"users\":\"9\",\"form\":\"f\"", "form" },
        { PROMPT, "\"quantity\":\"delta\"", "\"quantity\":\"audit\"", "audit" },
        { PROMPT, "\"ask\"", "\"claim\"", "claim" },
        { PROMPT, "{\"pair\"", "[{\"pair\"", "JSON" },
        { PROMPT, "\"algorithm\"", "\"generatorVersion\":\"0\",\"algorithm\"", "generatorVersion" },
        { VALUE, GENERATOR, "", "generatorVersion" },
        { VALUE, "\"side\":\"lower\"", "\"side\":\"left\"", "side" },
        { VALUE, RESULT, "", "result" },
        { VALUE, "\"lo\":\"0.25\"", "\"lo\":0.25", "\"lo\"" },
        { VALUE, "\"hi\":\"0.5\",", "", "\"hi\"" },
        { VALUE, "\"lo\":\"0.25\"", "\"infinite\":true,\"lo\":\"0.25\"", "\"lo\"" },
        { VALUE, "\"accuracy_reached\":true", "\"accuracy_reached\":\"yes\"", "accuracy_reached" },
        { VALUE, "\"ledger\":{", "\"ledger\":{\"seconds\":1,", "seconds" },
        { VALUE, "\"rounding\":\"0.05\"", "\"rounding\":0.05", "rounding" },
        { VALUE, "\"terms\":1", "\"terms\":\"1\"", "terms" },
        { VALUE, "\"status\"", "\"elapsed_s\":1,\"status\"", "elapsed_s" },
        { NEGATIVE, "\"bound\":\"upper\"", "\"bound\":\"up\"", "bound" },
        { NEGATIVE, ",\"value_hi\":\"0.11\"", "", "value_hi" },
        { NEGATIVE, "\"value_lo\":\"0.09\",\"value_hi\":\"0.11\"", "\"value_lo\":\"0\",\"value_hi\":1", "value_hi" },
        { NEGATIVE, "\"says\":\"lower\"", "\"says\":\"perhaps\"", "says" },
        { NEGATIVE, "\"quantity\":\"delta\"", "\"quantity\":\"gamma\"", "quantity" },
        { NEGATIVE, WITNESS, "", "witness" },
        { NEGATIVE, "\"reproduce\":{\"question\"", "\"reproduce\":{\"program\":\"p\",\"question\"", "program" },
    };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        char *text = replaced(cases[i].text, cases[i].from, cases[i].to);
        vectors_file f;
        message[0] = '\0';
        if (vectors_parse(&f, text, strlen(text), &to_message) != -1 || strstr(message, cases[i].word) == NULL
            || strchr(message, '\n') != NULL)
            fail_msg("%s -> %s: \"%s\"", cases[i].from, cases[i].to, message);
        assert_null(f.root);
        free(text);
    }
}

static void test_nesting(void **state)
{
    static char text[200000];
    vectors_file f;
    (void) state;
    memset(text, '[', sizeof(text));
    assert_int_equal(vectors_parse(&f, text, sizeof(text), &to_message), -1);
    assert_non_null(strstr(message, "JSON"));
}

static void test_identities(void **state)
{
    static const char twice[] = HEAD("", "../schema/prompt.schema.json", "2") START("7") QUESTION "}," START("7") QUESTION "}" TAIL;
    vectors_file f, files[2];
    (void) state;
    assert_int_equal(vectors_parse(&f, twice, strlen(twice), &to_message), -1);
    assert_non_null(strstr(message, "tcId 7 occurs twice"));
    load(&files[0], PROMPT);
    load(&files[1], VALUE);
    assert_int_equal(vectors_disjoint(files, 1, &to_message), 0);
    assert_int_equal(vectors_disjoint(files, 2, &to_message), -1);
    assert_ptr_equal(vectors_find_test(files, 2, 7), files[0].tests[0]);
    assert_null(vectors_find_test(files, 2, 8));
    vectors_clear(&files[0]);
    vectors_clear(&files[1]);
}

/* A prompt file with its results is the value file, and back. */
static void test_conversion(void **state)
{
    static const char two[] = HEAD("", "../schema/prompt.schema.json", "2") START("7") QUESTION "}," START("5") QUESTION "}" TAIL;
    vectors_file prompt, value;
    json_t *results[2], *root;
    (void) state;
    load(&prompt, PROMPT);
    load(&value, VALUE);
    results[0] = json_object_get(value.tests[0], "result");
    root = vectors_to_value(&prompt, results);
    assert_true(json_equal(root, value.root));
    json_decref(root);
    root = vectors_to_prompt(&value);
    assert_true(json_equal(root, prompt.root));
    json_decref(root);
    vectors_clear(&prompt);
    load(&prompt, two);
    results[1] = json_object_get(results[0], "ledger");
    root = vectors_to_value(&prompt, results);
    vectors_clear(&prompt);
    prompt.root = root;
    root = json_object_get(json_array_get(json_object_get(root, "testGroups"), 0), "tests");
    assert_true(json_equal(json_object_get(json_array_get(root, 0), "result"), results[0]));
    assert_true(json_equal(json_object_get(json_array_get(root, 1), "result"), results[1]));
    vectors_clear(&prompt);
    vectors_clear(&value);
}

/* ---- numbers ---- */

static json_t *result_json(const char *lo, const char *hi, const char *lo_hex, const char *hi_hex, const char *rounding)
{
    return json_pack("{s:s,s:s,s:s,s:s,s:{s:s,s:s,s:s}}", "lo", lo, "hi", hi, "lo_hex", lo_hex, "hi_hex", hi_hex, "ledger",
                     "truncation", "0", "discretisation", "0", "rounding", rounding);
}

static int is_sound(const char *lo, const char *hi, const char *lo_hex, const char *hi_hex, const char *rounding)
{
    json_t *result = result_json(lo, hi, lo_hex, hi_hex, rounding);
    vectors_interval_t x;
    int sound;
    vectors_interval_init(x);
    sound = vectors_result_sound(x, result, &to_message) == 0;
    if (sound)
    {
        assert_true(fmpq_cmp(x->lo, x->hi) <= 0);
    }
    vectors_interval_clear(x);
    json_decref(result);
    return sound;
}

static void test_sound_by_hand(void **state)
{
    (void) state;
    assert_true(is_sound("0", "0", "0x0p+0", "0x0p+0", "0"));
    assert_true(is_sound("0.5", "0.75", "0x1p-1", "0x1.8p-1", "0.25"));
    assert_false(is_sound("0.5", "0.75", "0x1p-1", "0x1.8p-1", "0.2499")); /* the ledger */
    assert_false(is_sound("0.5", "0.75", "0x1p-1", "0x1.8p-1", "-0.25"));
    assert_false(is_sound("0.75", "0.5", "0x1p-1", "0x1.8p-1", "1"));
    assert_false(is_sound("0.5", "0.75", "0x1.1p-1", "0x1.8p-1", "0.25"));
    assert_false(is_sound("0.5", "0.75", "0x1.0001p-1", "0x1.8p-1", "0.25")); /* the sixth digit */
    assert_false(is_sound("0.5", "0.75", "0x1p-2", "0x1.8p-1", "0.25"));
    assert_false(is_sound("0.5", "0.75", "0x1p-1", "0x1.7p-1", "0.25"));
    assert_false(is_sound("0.5", "0.75", "0x1p-1", "0x1.9p-1", "0.25"));
    assert_false(is_sound("0.5", "0.75", "0.5", "0x1.8p-1", "0.25"));
    assert_false(is_sound("0.5", "0.75", "0x1.00000000000004p-1", "0x1.8p-1", "0.25")); /* not doubles */
    assert_false(is_sound("0.5", "0.75", "0x1p-1", "0x1.8000000000000fp-1", "0.25"));
    assert_false(is_sound("0", "0.75", "0x1p-1080", "0x1.8p-1", "0.75"));
    assert_false(is_sound("0.5", "0.75", " 0x1p-1", "0x1.8p-1", "0.25"));
    assert_false(is_sound("0.5", "0.75", "0x1p-1 ", "0x1.8p-1", "0.25"));
    assert_false(is_sound("0.5", "0.75", "nan(0x1)", "0x1.8p-1", "0.25"));
    /* one end has lost its zeros: both have the digits of the other */
    assert_true(is_sound("0.5", "0.75000000000000001", "0x1p-1", "0x1.8000000000001p-1", "0.26"));
    assert_false(is_sound("0.5", "0.75000000000000001", "0x1.00001p-1", "0x1.8000000000001p-1", "0.26"));
    assert_false(is_sound("0.5", "0.75", "0x1p-1", "0x1p+9999", "0.25"));
    assert_false(is_sound("0.5", "log(2)", "0x1p-1", "0x1.8p-1", "0.25"));
    assert_false(is_sound("0.5", "1e99999", "0x1p-1", "0x1.8p-1", "0.25"));
    /* below the doubles: [0, least positive] around it */
    assert_true(is_sound("1e-400", "2e-400", "0x0p+0", "0x0.0000000000001p-1022", "1e-400"));
    assert_false(is_sound("1e-400", "2e-400", "0x0p+0", "0x0p+0", "1e-400"));
    /* one third, to 17 digits and to 20 */
    assert_true(is_sound("0.33333333333333333", "0.33333333333333334", "0x1.5555555555555p-2", "0x1.5555555555556p-2", "1e-17"));
    assert_true(is_sound("0.33333333333333333333", "0.33333333333333333334", "0x1.5555555555555p-2", "0x1.5555555555556p-2", "1e-20"));
}

/* Whatever an enclosure prints is sound; four doubles further in or out it is not. */
static void test_sound_random(void **state)
{
    int round;
    (void) state;
    for (round = 0; round < 2000; round++)
    {
        shuf_enclosure_t e;
        char *lo, *hi, *lo_hex, *hi_hex, *rounding, moved[2][64];
        double lo_double, hi_double;
        arf_t total;
        slong digits = 17 + (slong) random_below(10);
        int i;
        shuf_enclosure_init(e);
        arf_init(total);
        arf_set_ui_2exp_si(e->lo, random_bits() | 1, -(slong) random_below(200));
        arf_set_ui_2exp_si(e->hi, random_bits() >> 32, -200 - (slong) random_below(200));
        arf_add(e->hi, e->hi, e->lo, ARF_PREC_EXACT, ARF_RND_UP);
        shuf_enclosure_width(e->ledger.rounding, e);
        shuf_enclosure_print(&lo, &hi, e, digits);
        lo_hex = shuf_hexfloat(e->lo, 0);
        hi_hex = shuf_hexfloat(e->hi, 1);
        arf_set_mag(total, e->ledger.rounding);
        rounding = shuf_decimal(total, 3, 1);
        if (!is_sound(lo, hi, lo_hex, hi_hex, rounding))
            fail_msg("[%s, %s] [%s, %s] %s: %s", lo, hi, lo_hex, hi_hex, rounding, message);
        lo_double = strtod(lo_hex, NULL);
        hi_double = strtod(hi_hex, NULL);
        for (i = -4; i <= 4; i += 8)
        {
            snprintf(moved[0], sizeof(moved[0]), "%a", lo_double * (1 + i * 0x1p-52));
            snprintf(moved[1], sizeof(moved[1]), "%a", hi_double * (1 + i * 0x1p-52));
            assert_false(is_sound(lo, hi, moved[0], hi_hex, rounding));
            assert_false(is_sound(lo, hi, lo_hex, moved[1], rounding));
        }
        flint_free(lo);
        flint_free(hi);
        flint_free(lo_hex);
        flint_free(hi_hex);
        flint_free(rounding);
        arf_clear(total);
        shuf_enclosure_clear(e);
    }
}

/* ---- which part of an answer is the result ---- */

static void test_bound(void **state)
{
#define PART(lo, side) "{\"lo\":\"" lo "\",\"hi\":\"1\",\"side\":\"" side "\",\"theorems\":[{\"id\":\"t\",\"status\":\"proved\"}],\"accuracy_reached\":true}"
    static const char *const bounds[] = { NULL, "upper", "lower" }, *const lows[] = { "0.1", "0.2", "0.3" };
    json_t *answer = json_loads("{\"value\":" PART("0.1", "exact") ",\"upper\":" PART("0.2", "upper") ",\"lower\":" PART("0.3", "lower") "}", 0, NULL);
    json_t *result;
    size_t i;
    (void) state;
    for (i = 0; i < 3; i++)
    {
        result = vectors_result(answer, bounds[i]);
        assert_string_equal(json_string_value(json_object_get(result, "lo")), lows[i]);
        json_decref(result);
        json_object_del(answer, bounds[i] == NULL ? "value" : bounds[i]);
        assert_null(vectors_result(answer, bounds[i]));
    }
    json_decref(answer);
}

/* ---- check, with a computation of the test's own ---- */

static const char *computed[3]; /* of a pair and of a closed form, or an error */
static int compute_status;

static int compute(json_t **result, json_t *question, const char *bound_asked, int fast, const reader *r)
{
    const int bound = json_object_get(question, "form") != NULL;
    (void) fast;
    (void) bound_asked;
    if (compute_status != 0)
    {
        reader_fail(r, "refused");
        return compute_status;
    }
    *result = json_loads(computed[bound], 0, NULL);
    assert_non_null(*result);
    return 0;
}

#define RESULT_OBJECT(lo, hi, lo_hex, hi_hex, theorem, side, status, reached, rounding) \
    "{\"lo\":\"" lo "\",\"hi\":\"" hi "\",\"lo_hex\":\"" lo_hex "\",\"hi_hex\":\"" hi_hex "\",\"theorem\":\"" theorem "\"," \
    "\"status\":\"" status "\",\"side\":\"" side "\",\"accuracy_reached\":" reached "," \
    "\"ledger\":{\"truncation\":\"0\",\"discretisation\":\"0\",\"rounding\":\"" rounding "\",\"terms\":1,\"precision\":53}}"
#define RR2(lo, hi, lo_hex, hi_hex) RESULT_OBJECT(lo, hi, lo_hex, hi_hex, "rr2", "lower", "proved", "true", "1")

static vectors_outcome outcome(const char *file, int fast, const char *delta, const char *bound)
{
    vectors_file f;
    vectors_outcome result;
    computed[0] = delta;
    computed[1] = bound;
    load(&f, file);
    message[0] = '\0';
    result = vectors_check(f.tests[0], f.kind, fast, compute, &to_message);
    vectors_clear(&f);
    return result;
}

/* The vector is [1/4, 1/2]. */
static void test_check(void **state)
{
    char *bad_ledger = replaced(VALUE, "\"0.2\"", "\"0.1\""), *large = replaced(VALUE, "\"0.2\"", "\"1\"");
    char *negative_part = replaced(large, "\"0.05\"", "\"-0.05\"");
    (void) state;
    assert_int_equal(outcome(VALUE, 0, RR2("0.25", "0.5", "0x1p-2", "0x1p-1"), NULL), VECTORS_SAME_TEXT);
    assert_int_equal(outcome(VALUE, 0, RR2("0.375", "0.5", "0x1.8p-2", "0x1p-1"), NULL), VECTORS_AGREES);
    assert_int_equal(outcome(VALUE, 0, RR2("0.5", "1", "0x1p-1", "0x1p+0"), NULL), VECTORS_AGREES);
    assert_int_equal(outcome(VALUE, 0, RR2("0.50000001", "0.6", "0x1.00000055e63b8p-1", "0x1.3333333333334p-1"), NULL), VECTORS_FAILED);
    assert_non_null(strstr(message, "misses"));
    assert_int_equal(outcome(VALUE, 0, RR2("0.125", "0.1875", "0x1p-3", "0x1.8p-3"), NULL), VECTORS_FAILED);
    assert_int_equal(outcome(VALUE, 0, RR2("0", "0.5", "0x0p+0", "0x1p-1"), NULL), VECTORS_AGREES);
    assert_int_equal(outcome(VALUE, 0, RR2("0", "0.50001", "0x0p+0", "0x1.00014f8b588e4p-1"), NULL), VECTORS_FAILED);
    assert_non_null(strstr(message, "twice as wide"));
    /* narrower: inside, or not much narrower */
    assert_int_equal(outcome(VALUE, 0, RR2("0.25", "0.3125", "0x1p-2", "0x1.4p-2"), NULL), VECTORS_AGREES);
    assert_int_equal(outcome(VALUE, 0, RR2("0.5", "0.625", "0x1p-1", "0x1.4p-1"), NULL), VECTORS_AGREES);
    assert_int_equal(outcome(VALUE, 0, RR2("0.5", "0.5625", "0x1p-1", "0x1.2p-1"), NULL), VECTORS_FAILED);
    assert_non_null(strstr(message, "does not contain"));
    assert_int_equal(outcome(VALUE, 0, RR2("0.21875", "0.25", "0x1.cp-3", "0x1p-2"), NULL), VECTORS_FAILED);
    assert_int_equal(outcome(VALUE, 0, RESULT_OBJECT("0.25", "0.5", "0x1p-2", "0x1p-1", "clones", "lower", "proved", "true", "1"),
                             NULL), VECTORS_FAILED);
    assert_non_null(strstr(message, "theorem"));
    assert_int_equal(outcome(VALUE, 0, RESULT_OBJECT("0.25", "0.5", "0x1p-2", "0x1p-1", "rr2", "exact", "proved", "true", "1"), NULL),
                     VECTORS_FAILED);
    assert_int_equal(outcome(VALUE, 0, RESULT_OBJECT("0.25", "0.5", "0x1p-2", "0x1p-1", "rr2", "lower", "refuted", "true", "1"),
                             NULL), VECTORS_FAILED);
    assert_int_equal(outcome(VALUE, 0, RESULT_OBJECT("0.25", "0.5", "0x1p-2", "0x1p-1", "rr2", "lower", "proved", "false", "1"),
                             NULL), VECTORS_FAILED);
    assert_non_null(strstr(message, "accuracy"));
    assert_int_equal(outcome(VALUE, 0, RESULT_OBJECT("0.25", "0.5", "0x1p-2", "0x1p-1", "rr2", "lower", "proved", "true", "0.2"),
                             NULL), VECTORS_FAILED);
    assert_non_null(strstr(message, "ledger"));
    assert_int_equal(outcome(bad_ledger, 0, RR2("0.25", "0.5", "0x1p-2", "0x1p-1"), NULL), VECTORS_FAILED);
    assert_int_equal(outcome(negative_part, 0, RR2("0.25", "0.5", "0x1p-2", "0x1p-1"), NULL), VECTORS_FAILED);
    assert_non_null(strstr(message, "rounding is negative"));
    compute_status = -1;
    assert_int_equal(outcome(VALUE, 0, NULL, NULL), VECTORS_FAILED);
    assert_string_equal(message, "refused");
    compute_status = VECTORS_REFUSED;
    assert_int_equal(outcome(VALUE, 1, NULL, NULL), VECTORS_SKIPPED);
    compute_status = 0;
    free(bad_ledger);
    free(large);
    free(negative_part);
}

static void test_check_fast(void **state)
{
    (void) state;
    assert_int_equal(outcome(VALUE, 1, RR2("0.25", "0.5", "0x1p-2", "0x1p-1"), NULL), VECTORS_AGREES);
    assert_int_equal(outcome(VALUE, 1, RR2("0", "1", "0x0p+0", "0x1p+0"), NULL), VECTORS_AGREES);
    assert_int_equal(outcome(VALUE, 1, RR2("0.375", "0.5625", "0x1.8p-2", "0x1.2p-1"), NULL), VECTORS_AGREES); /* narrower */
    assert_int_equal(outcome(VALUE, 1, RR2("0.375", "1", "0x1.8p-2", "0x1p+0"), NULL), VECTORS_AGREES); /* they meet */
    assert_int_equal(outcome(VALUE, 1, RR2("0.625", "0.75", "0x1.4p-1", "0x1.8p-1"), NULL), VECTORS_FAILED);
    assert_non_null(strstr(message, "misses"));
    assert_int_equal(outcome(NEGATIVE, 1, NULL, NULL), VECTORS_SKIPPED);
}

/* The claim is at most 0.11, the witness at least 0.25. */
static void test_check_negative(void **state)
{
    static const char witness[] = RR2("0.25", "0.5", "0x1p-2", "0x1p-1");
    static const char formula[] = RESULT_OBJECT("0.09375", "0.109375", "0x1.8p-4", "0x1.cp-4", "f", "upper", "refuted", "true", "1");
    static const struct { const char *from, *to, *witness, *formula, *word; } cases[] = {
        { "\"value\":\"0.1\"", "\"value\":\"0.25\"", witness, formula, "not from value_lo to value_hi" },
        { "\"value\":\"0.1\"", "\"value\":\"0.08\"", witness, formula, "not from value_lo to value_hi" },
        { "\"value_lo\":\"0.09\",\"value_hi\":\"0.11\"", "\"value_lo\":\"0.11\",\"value_hi\":\"0.09\"", witness, formula,
          "not from value_lo to value_hi" },
        { "\"quantity\":\"delta\"", "\"quantity\":\"epsilon\"", witness, formula, "not of the quantity" },
        { "\"quantity\":\"delta\"", "\"quantity\":\"mu\"", witness, formula, "not of the quantity" },
        { "\"users\":\"9\"", "\"users\":\"8\"", witness, formula, "another users" },
        { "\"form\":{", "\"rounds\":\"2\",\"form\":{", witness, formula, "another rounds" },
        { "\"pair\":{", "\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/3\"},\"pair\":{", witness, formula, "another sample" },
        { "\"form\":{", "\"direction\":\"pq\",\"form\":{", witness, formula, "another direction" },
        { "\"lo\":\"0.25\",\"hi\":\"0.5\"", "\"lo\":\"0.12\",\"hi\":\"0.25\"", RR2("0.25", "0.28125", "0x1p-2", "0x1.2p-2"),
          formula, "does not contain" },
        { "\"lo\":\"0.25\",\"hi\":\"0.5\"", "\"lo\":\"0.375\",\"hi\":\"0.4\"", witness, formula, "more than twice as wide" },
        { "\"value_hi\":\"0.11\"", "\"value_hi\":\"0.25\"", witness, formula, "stored witness does not violate" },
        { "\"lo\":\"0.25\",\"hi\":\"0.5\"", "\"lo\":\"0.5\",\"hi\":\"0.25\"", witness, formula, "lo is greater" },
        { "\"bound\":\"upper\"", "\"bound\":\"lower\"", witness, formula, "cannot refute" },
        { "\"says\":\"lower\"", "\"says\":\"upper\"", witness, formula, "cannot refute" },
        { "\"theorem\":\"rr2\"", "\"theorem\":\"clones\"", witness, formula, "rests on rr2" },
        { "h", "h", RR2("0.125", "0.1875", "0x1p-3", "0x1.8p-3"), formula, "now" },
        { "h", "h", RR2("0.0625", "0.5", "0x1p-4", "0x1p-1"), formula, "does not violate the claim now" },
        { "h", "h", RESULT_OBJECT("0.25", "0.5", "0x1p-2", "0x1p-1", "rr2", "upper", "proved", "true", "1"), formula, "side" },
        { "h", "h", RESULT_OBJECT("0.25", "0.5", "0x1p-2", "0x1p-1", "rr2", "lower", "refuted", "true", "1"), formula, "proved" },
        { "h", "h", RESULT_OBJECT("0.25", "0.5", "0x1p-2", "0x1p-1", "rr2", "none", "proved", "true", "1"), formula, "side" },
        { "h", "h", witness, RR2("0.125", "0.1875", "0x1p-3", "0x1.8p-3"), "formula" },
        { "h", "h", witness, RR2("0.0625", "0.25", "0x1p-4", "0x1p-2"), "not the claim" },
        { "\"value_hi\":\"0.11\"", "\"value_hi\":\"0.24\"", witness, RR2("0.125", "0.3", "0x1p-3", "0x1.3333333333334p-2"),
          "formula is not violated" },
    };
    static const char through[] = "{\"lo\":\"0.25\",\"hi\":\"0.5\",\"lo_hex\":\"0x1p-2\",\"hi_hex\":\"0x1p-1\",\"theorem\":\"clones\","
        "\"status\":\"proved\",\"side\":\"upper\",\"through\":[\"%s\"],\"accuracy_reached\":true,"
        "\"ledger\":{\"truncation\":\"1\",\"discretisation\":\"0\",\"rounding\":\"0\",\"terms\":1,\"precision\":53}}";
    char *text, *exact, *points, result[512];
    size_t i;
    (void) state;
    assert_int_equal(outcome(NEGATIVE, 0, witness, formula), VECTORS_AGREES);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        text = replaced(NEGATIVE, cases[i].from, cases[i].to);
        if (outcome(text, 0, cases[i].witness, cases[i].formula) != VECTORS_FAILED || strstr(message, cases[i].word) == NULL)
            fail_msg("case %zu: \"%s\"", i, message);
        free(text);
    }
    /* a lower bound claimed */
    text = replaced(NEGATIVE, CLAIM, ",\"id\":\"i\",\"formula\":\"f\",\"claim\":{\"quantity\":\"delta\",\"bound\":\"lower\","
                    "\"value\":\"0.51\"},\"reproduce\":{\"program\":\"p\",\"version\":\"v\",\"input\":\"i\"}");
    exact = replaced(text, "\"says\":\"lower\"", "\"says\":\"exact\"");
    assert_int_equal(outcome(exact, 0, witness, NULL), VECTORS_AGREES);
    free(text);
    text = replaced(exact, "\"0.51\"", "\"0.5\"");
    assert_int_equal(outcome(text, 0, witness, NULL), VECTORS_FAILED);
    free(text);
    /* one direction is no upper bound of both */
    text = replaced(exact, "\"pair\":{", "\"direction\":\"pq\",\"pair\":{");
    assert_int_equal(outcome(text, 0, witness, NULL), VECTORS_FAILED);
    assert_non_null(strstr(message, "another direction"));
    free(text);
    /* a formula must be proved */
    text = replaced(exact, "\"pair\":{\"type\":\"rr2\",\"eps0\":\"1\"}",
                    "\"mechanism\":{\"type\":\"ldp\",\"eps0\":\"1\"},\"form\":{\"theorem\":\"chen24-thm2\"}");
    assert_int_equal(outcome(text, 0, NULL, witness), VECTORS_AGREES);
    assert_int_equal(outcome(text, 0, NULL, RESULT_OBJECT("0.25", "0.5", "0x1p-2", "0x1p-1", "rr2", "exact", "refuted", "true", "1")),
                     VECTORS_FAILED);
    assert_non_null(strstr(message, "not proved"));
    points = replaced(text, "{\"quantity\":\"delta\",\"eps\":\"0.5\"}", "{\"quantity\":\"epsilon\",\"delta\":\"0.5\"}");
    assert_int_equal(outcome(points, 0, NULL, witness), VECTORS_FAILED);
    assert_non_null(strstr(message, "not of the quantity"));
    free(points);
    points = replaced(text, "{\"quantity\":\"delta\",\"eps\":\"0.5\"}", "{\"quantity\":\"renyi\",\"order\":\"2\"}");
    assert_int_equal(outcome(points, 0, NULL, witness), VECTORS_FAILED);
    assert_non_null(strstr(message, "not of the quantity"));
    free(points);
    free(text);
    /* the value of a pair is exact through a composition, and not through a conversion */
    text = replaced(exact, "\"theorem\":\"rr2\"", "\"theorem\":\"clones\"");
    snprintf(result, sizeof(result), through, "pld-composition");
    assert_int_equal(outcome(text, 0, result, NULL), VECTORS_AGREES);
    snprintf(result, sizeof(result), through, "renyi-conversion");
    assert_int_equal(outcome(text, 0, result, NULL), VECTORS_FAILED);
    assert_non_null(strstr(message, "not exact"));
    assert_int_equal(outcome(text, 0, "{\"lo\":\"0.25\",\"hi\":\"0.5\",\"lo_hex\":\"0x1p-2\",\"hi_hex\":\"0x1p-1\",\"theorem\":\"clones\","
        "\"status\":\"proved\",\"side\":\"upper\",\"through\":[\"kairouz15-optimal\"],\"per_round\":{\"eps\":\"1\",\"delta\":\"0\"},"
        "\"accuracy_reached\":true,\"ledger\":{\"truncation\":\"1\",\"discretisation\":\"0\",\"rounding\":\"0\",\"terms\":1,"
        "\"precision\":53}}", NULL), VECTORS_FAILED);
    assert_non_null(strstr(message, "not exact"));
    free(text);
    free(exact);
}

/* ---- judge ---- */

static const char *tolerance; /* of all verdicts */

static int judge(vectors_report *report, const char *answers, const vectors_file *f)
{
    char text[1024];
    snprintf(text, sizeof(text), "{\"library\":\"l\",\"version\":\"v\",\"answers\":[%s]}", answers);
    message[0] = '\0';
    return vectors_judge(report, text, strlen(text), tolerance, f, 1, &to_message);
}

/* The one verdict on one bound. */
static vectors_verdict verdict_on(const char *side, const char *answer, const vectors_file *f)
{
    char text[512];
    vectors_report report;
    vectors_verdict v;
    snprintf(text, sizeof(text), "{\"tcId\":7,\"%s\":%s}", side, answer);
    if (judge(&report, text, f) != 0)
        fail_msg("%s: %s", text, message);
    assert_int_equal(report.count, 1);
    v = report.items[0].verdict;
    assert_int_equal(report.verdicts[v], 1);
    vectors_report_clear(&report);
    return v;
}

static void test_judge(void **state)
{
    static const struct { const char *side, *answer; vectors_verdict verdict; } cases[] = {
        { "upper", "0.5", VECTORS_SOUND }, { "upper", "\"0.5\"", VECTORS_SOUND }, { "upper", "1", VECTORS_SOUND },
        { "upper", "\"0x1.fffffffffffffp-2\"", VECTORS_UNDECIDED }, { "upper", "0.25", VECTORS_UNDECIDED },
        { "upper", "\"0.24999999999999999999999999\"", VECTORS_UNSOUND }, { "upper", "-1", VECTORS_UNSOUND },
        { "upper", "\"inf\"", VECTORS_SOUND }, { "upper", "\"-Infinity\"", VECTORS_UNSOUND }, { "upper", "\"NaN\"", VECTORS_UNSOUND },
        { "lower", "0.25", VECTORS_SOUND }, { "lower", "0", VECTORS_SOUND }, { "lower", "-1e300", VECTORS_SOUND },
        { "lower", "\"0.25000000000000000000000001\"", VECTORS_UNDECIDED }, { "lower", "0.5", VECTORS_UNDECIDED },
        { "lower", "\"0.50000000000000000000000001\"", VECTORS_UNSOUND }, { "lower", "1e300", VECTORS_UNSOUND },
        { "lower", "\"Inf\"", VECTORS_UNSOUND }, { "lower", "\"-inf\"", VECTORS_SOUND }, { "lower", "\"nan\"", VECTORS_UNSOUND },
        { "lower", "\"1/4\"", VECTORS_SOUND },
        { "upper", "\"1e400\"", VECTORS_SOUND }, { "upper", "\"0x1p+2000\"", VECTORS_SOUND }, { "upper", "-0", VECTORS_UNSOUND },
        { "lower", "-0.0", VECTORS_SOUND }, { "lower", "\"0x1p-1080\"", VECTORS_SOUND }, { "lower", "\"1e400\"", VECTORS_UNSOUND },
        { "upper", "9223372036854775807", VECTORS_SOUND }, { "lower", "-9223372036854775808", VECTORS_SOUND },
    };
    static const struct { const char *side, *answer; vectors_verdict verdict; } infinite_cases[] = {
        { "upper", "1e300", VECTORS_UNSOUND }, { "upper", "\"inf\"", VECTORS_SOUND }, { "lower", "1e300", VECTORS_SOUND },
        { "lower", "\"inf\"", VECTORS_SOUND }, { "lower", "\"nan\"", VECTORS_UNSOUND }, { "upper", "\"-inf\"", VECTORS_UNSOUND },
    };
    char *text = replaced(VALUE, RESULT, ",\"result\":{\"infinite\":true,\"theorem\":\"rr2\",\"status\":\"proved\","
                          "\"side\":\"exact\",\"accuracy_reached\":true}");
    vectors_file f, infinite;
    size_t i;
    (void) state;
    load(&f, VALUE);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (verdict_on(cases[i].side, cases[i].answer, &f) != cases[i].verdict)
            fail_msg("%s %s", cases[i].side, cases[i].answer);
    load(&infinite, text);
    for (i = 0; i < sizeof(infinite_cases) / sizeof(infinite_cases[0]); i++)
        if (verdict_on(infinite_cases[i].side, infinite_cases[i].answer, &infinite) != infinite_cases[i].verdict)
            fail_msg("infinite: %s %s", infinite_cases[i].side, infinite_cases[i].answer);
    vectors_clear(&f);
    vectors_clear(&infinite);
    free(text);
}

/* The value is in [1/4, 1/2]. */
static void test_judge_tolerance(void **state)
{
    static const struct { const char *side, *answer, *tolerance; vectors_verdict verdict; } cases[] = {
        { "upper", "0.4999", "0", VECTORS_UNDECIDED }, { "upper", "0.4999", "1e-4", VECTORS_UNDECIDED },
        { "upper", "0.4999", "0.0003", VECTORS_SOUND }, { "upper", "0.24", "0.01", VECTORS_UNSOUND },
        { "upper", "0.24", "0.05", VECTORS_UNDECIDED }, { "upper", "-0.5", "0.99", VECTORS_UNSOUND },
        { "lower", "0.2501", "0.0003", VECTORS_UNDECIDED }, { "lower", "0.2501", "0.0004", VECTORS_SOUND },
        { "lower", "0.6", "0.1", VECTORS_UNSOUND }, { "lower", "0.6", "1/3", VECTORS_UNDECIDED },
        { "upper", "\"nan\"", "0.5", VECTORS_UNSOUND }, { "lower", "\"inf\"", "0.5", VECTORS_UNSOUND },
    };
    static const char *const bad[] = { "1", "-1e-9", "x", "" };
    vectors_report report;
    vectors_file f;
    size_t i;
    (void) state;
    load(&f, VALUE);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        tolerance = cases[i].tolerance;
        if (verdict_on(cases[i].side, cases[i].answer, &f) != cases[i].verdict)
            fail_msg("%s %s to %s", cases[i].side, cases[i].answer, cases[i].tolerance);
    }
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
    {
        tolerance = bad[i];
        assert_int_equal(judge(&report, "{\"tcId\":7,\"upper\":1}", &f), -1);
        assert_non_null(strstr(message, "tolerance"));
    }
    tolerance = NULL;
    /* the ratios are rounded outward: 2/3 and 4/3 */
    assert_int_equal(judge(&report, "{\"tcId\":7,\"upper\":\"1/3\",\"lower\":\"1/3\"}", &f), 0);
    assert_string_equal(report.items[0].ratio, "0.666667");
    assert_string_equal(report.items[1].ratio, "1.33333");
    vectors_report_clear(&report);
    assert_int_equal(judge(&report, "{\"tcId\":7,\"upper\":\"2/3\",\"lower\":\"1/6\"}", &f), 0);
    assert_string_equal(report.items[0].ratio, "1.33334");
    assert_string_equal(report.items[1].ratio, "0.666666");
    vectors_report_clear(&report);
    vectors_clear(&f);
}


/* Doubles near the ends of [1/4, 1/2], as JSON numbers: the comparison of doubles is exact. */
static void test_judge_random(void **state)
{
    vectors_file f;
    int round;
    (void) state;
    load(&f, VALUE);
    for (round = 0; round < 1000; round++)
    {
        const double end = random_below(2) ? 0.25 : 0.5, x = end + ((double) random_below(5) - 2) * 0x1p-54;
        const int upper = (int) random_below(2);
        const vectors_verdict expected = (upper ? x >= 0.5 : x <= 0.25) ? VECTORS_SOUND
                                         : (upper ? x < 0.25 : x > 0.5) ? VECTORS_UNSOUND : VECTORS_UNDECIDED;
        char answer[64];
        snprintf(answer, sizeof(answer), random_below(2) ? "%.17g" : "\"%a\"", x);
        if (verdict_on(upper ? "upper" : "lower", answer, &f) != expected)
            fail_msg("%s %s", upper ? "upper" : "lower", answer);
    }
    vectors_clear(&f);
}

/* The hexadecimal end may be the tighter one, and counts then. */
static void test_judge_hexadecimal(void **state)
{
    char *text = replaced(VALUE, "\"hi\":\"0.5\",\"lo_hex\":\"0x1p-2\",\"hi_hex\":\"0x1p-1\"",
                          "\"hi\":\"0.500001\",\"lo_hex\":\"0x1p-2\",\"hi_hex\":\"0x1.0000001p-1\"");
    vectors_file f;
    char *wider = replaced(text, "\"0.2\"", "\"0.3\"");
    (void) state;
    load(&f, wider);
    assert_int_equal(verdict_on("upper", "\"0x1.0000001p-1\"", &f), VECTORS_SOUND);
    assert_int_equal(verdict_on("upper", "0.5", &f), VECTORS_UNDECIDED);
    vectors_clear(&f);
    free(text);
    free(wider);
}

static void test_judge_report(void **state)
{
    vectors_report report;
    vectors_file f;
    json_t *root;
    (void) state;
    load(&f, VALUE);
    assert_int_equal(judge(&report, "{\"tcId\":7,\"upper\":\"1\",\"lower\":\"1/12\"},{\"tcId\":8,\"upper\":1},{\"tcId\":9,\"refused\":\"r\"}", &f), 0);
    assert_int_equal(report.count, 2);
    assert_int_equal(report.unknown, 2);
    assert_int_equal(report.unanswered, 0);
    assert_int_equal(report.refused, 0);
    assert_string_equal(report.items[0].ratio, "2");
    assert_string_equal(report.items[1].ratio, "0.333333"); /* rounded down */
    root = vectors_report_json(&report);
    assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(root, "judgements"), 1), "side")), "lower");
    json_decref(root);
    vectors_report_clear(&report);
    assert_int_equal(judge(&report, "{\"tcId\":7,\"upper\":\"1/3\"}", &f), 0);
    assert_string_equal(report.items[0].ratio, "0.666667"); /* rounded up */
    vectors_report_clear(&report);
    assert_int_equal(judge(&report, "{\"tcId\":7,\"refused\":\"r\"}", &f), 0);
    assert_int_equal(report.refused, 1);
    vectors_report_clear(&report);
    assert_int_equal(judge(&report, "", &f), 0);
    assert_int_equal(report.unanswered, 1);
    vectors_report_clear(&report);
    vectors_clear(&f);
}

static void test_bad_answers(void **state)
{
    static const struct { const char *answers, *word; } cases[] = {
        { "7", "tcId" }, { "{\"upper\":1}", "tcId" }, { "{\"tcId\":7}", "refused" }, { "{\"tcId\":7,\"refused\":1}", "refused" },
        { "{\"tcId\":7,\"upper\":1,\"refused\":\"r\"}", "refused" }, { "{\"tcId\":7,\"upper\":null}", "upper" },
        { "{\"tcId\":7,\"upper\":\"one\"}", "one" }, { "{\"tcId\":7,\"upper\":\"log(2)\"}", "log(2)" },
        { "{\"tcId\":7,\"upper\":\"\"}", "upper" }, { "{\"tcId\":7,\"upper\":1,\"x\":1}", "\"x\"" },
        { "{\"tcId\":7,\"upper\":1},{\"tcId\":7,\"lower\":1}", "twice" }, { "{\"tcId\":7,\"upper\":1e400}", "JSON" },
        { "{\"tcId\":7,\"upper\":NaN}", "JSON" }, { "{\"tcId\":7,\"upper\":1,\"upper\":2}", "JSON" },
        { "{\"tcId\":7,\"upper\":\" 1\"}", "upper" }, { "{\"tcId\":7,\"upper\":\"1_0\"}", "upper" },
        { "{\"tcId\":7,\"upper\":\"1\\u0000\"}", "JSON" }, { "{\"tcId\":7,\"upper\":\"1e20000\"}", "1e20000" },
        { "{\"tcId\":7,\"upper\":123456789012345678901234567890}", "JSON" }, { "{\"tcId\":99,\"upper\":[]}", "upper" },
    };
    static const char forged[] = "{\"library\":\"l\",\"version\":\"1\\nl 1: 9 sound\",\"answers\":[]}";
    vectors_report report;
    vectors_file f;
    size_t i;
    (void) state;
    load(&f, VALUE);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (judge(&report, cases[i].answers, &f) != -1 || strstr(message, cases[i].word) == NULL)
            fail_msg("%s: \"%s\"", cases[i].answers, message);
    assert_int_equal(vectors_judge(&report, forged, strlen(forged), NULL, &f, 1, &to_message), -1);
    assert_non_null(strstr(message, "control"));
    vectors_clear(&f);
}

/* ---- finished results of an unfinished run ---- */

static void test_partial(void **state)
{
    static const char *const foreign[] = { ".a.b.1-of-1.jsonl", ".a.1-to-2.jsonl", ".a11-of-1.jsonl", "a.1-of-1.jsonl", ".a.1-of-1.json" };
    char dir[] = "/tmp/test_vectors.XXXXXX", *path, *text, *question, *changed = replaced(VALUE, "\"0.2\"", "\"0.1\""), name[64];
    size_t i;
    vectors_file f, value, unsound;
    json_t *results[1] = { NULL }, *result;
    FILE *out;
    (void) state;
    assert_non_null(mkdtemp(dir));
    load(&f, PROMPT);
    load(&value, VALUE);
    result = json_object_get(value.tests[0], "result");
    load(&unsound, changed);
    path = partial_path(dir, "a", &(partial_share) { 2, 3 });
    text = json_dumps(result, 0);
    question = json_dumps(json_object_get(f.tests[0], "question"), 0);
    for (i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
    {
        snprintf(name, sizeof(name), "%s/%s", dir, foreign[i]);
        out = fopen(name, "w");
        assert_non_null(out);
        vectors_partial_add(out, f.tests[0], result);
        fclose(out);
    }
    /* a cut line, another test, another question, another version, no result, one that cannot be */
    out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "{\"tcId\":7,\"question\":{\"pa\n\n[]\n{\"tcId\":8}\n");
    fprintf(out, "{\"tcId\":7,\"version\":\"" PACKAGE_VERSION "\",\"question\":{},\"result\":%s}\n", text);
    for (i = 0; i < 2; i++) /* no version, or another */
        fprintf(out, "{\"tcId\":7,%s\"question\":%s,\"result\":%s}\n", i == 0 ? "" : "\"version\":\"0\",", question, text);
    vectors_partial_add(out, f.tests[0], json_object_get(result, "ledger"));
    vectors_partial_add(out, f.tests[0], json_object_get(unsound.tests[0], "result"));
    assert_int_equal(vectors_partial_collect(results, &f, dir, "a", &to_message), 0);
    assert_null(results[0]);
    vectors_partial_add(out, f.tests[0], result);
    assert_int_equal(vectors_partial_collect(results, &f, dir, "a", &to_message), 0);
    assert_true(json_equal(results[0], result));
    json_decref(results[0]);
    fclose(out);
    partial_remove(dir, "a");
    assert_int_not_equal(access(path, F_OK), 0);
    for (i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
    {
        snprintf(name, sizeof(name), "%s/%s", dir, foreign[i]);
        assert_int_equal(unlink(name), 0);
    }
    assert_int_equal(rmdir(dir), 0);
    assert_int_equal(vectors_partial_collect(results, &f, dir, "a", &to_message), -1);
    free(text);
    free(question);
    free(changed);
    free(path);
    vectors_clear(&f);
    vectors_clear(&value);
    vectors_clear(&unsound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_bad_files), cmocka_unit_test(test_bound),
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_conversion),
        cmocka_unit_test(test_sound_by_hand),
        cmocka_unit_test(test_sound_random),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_check_fast),
        cmocka_unit_test(test_check_negative),
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_judge_tolerance),
        cmocka_unit_test(test_judge_random),
        cmocka_unit_test(test_judge_hexadecimal),
        cmocka_unit_test(test_judge_report),
        cmocka_unit_test(test_bad_answers),
        cmocka_unit_test(test_partial),
    };
    int failed;
    seed_random();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
