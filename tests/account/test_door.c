/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The installed header and nothing else: what it says of its functions. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "shufbound.h"

#define PAIR(members) "{\"pair\":{\"type\":\"clones\",\"eps0\":\"4\"},\"users\":\"100\"," members "}"
#define DELTA "\"ask\":{\"quantity\":\"delta\",\"eps\":\"0.5\"}"
/* half a minute, were it not stopped */
#define LONG "{\"mechanism\":{\"type\":\"ldp\",\"eps0\":\"4\"},\"users\":\"1000000000000\",\"rounds\":50,\"digits\":30," DELTA "}"

static void assert_has(const char *text, const char *part)
{
    assert_non_null(text);
    if (strstr(text, part) == NULL)
        fail_msg("%s is not in %.300s", part, text);
}

/* What f says of the question. */
static void check(char *(*f)(const char *question), const char *question, const char *part)
{
    char *text = f(question);
    assert_has(text, part);
    shuf_free(text);
}

static void test_answer(void **state)
{
    char *answer = shuf_answer_json(PAIR("\"id\":\"one\"," DELTA)), *again;
    (void) state;
    assert_has(answer, "{\"id\":\"one\",\"question\":{");
    assert_has(answer, "\"value\":{");
    assert_has(answer, "\"complete\":true");
    assert_null(strchr(answer, '\n'));
    assert_null(strstr(answer, "\"error\""));
    assert_int_equal(shuf_threads_set(3), 0);
    again = shuf_answer_json(PAIR("\"id\":\"one\"," DELTA));
    assert_int_equal(shuf_threads_set(1), 0);
    assert_string_equal(answer, again);
    shuf_free(answer);
    shuf_free(again);
}

/* Each of the three, whatever is wrong. */
static void test_errors(void **state)
{
    char *(*const all[])(const char *) = { shuf_answer_json, shuf_question_json, shuf_certificate_json };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
    {
        check(all[i], NULL, "{\"error\":\"no question\",\"version\":");
        check(all[i], "", "{\"error\":\"");
        check(all[i], "{\"pair\":", "{\"error\":\"");
        check(all[i], "[]", "{\"error\":\"");
        check(all[i], "\"\xff\"", "{\"error\":\"");
        check(all[i], PAIR("\"id\":\"it\",\"colour\":1," DELTA), "{\"id\":\"it\",\"error\":\"\\\"it\\\": unknown member \\\"colour\\\"");
    }
}

static void test_question(void **state)
{
    char *first = shuf_question_json(PAIR("\"digits\":6," DELTA)), *second = shuf_question_json(first), *answer = shuf_answer_json(first);
    (void) state;
    assert_has(first, "\"effort\":\"normal\"");
    assert_string_equal(first, second);
    assert_has(answer, first);
    shuf_free(first);
    shuf_free(second);
    shuf_free(answer);
}

static void test_certificate(void **state)
{
    char *text = shuf_certificate_json(PAIR(DELTA)), *question = shuf_question_json(PAIR(DELTA));
    (void) state;
    assert_has(text, "{\n\"certificate\": 1,");
    assert_has(text, question);
    assert_has(text, "\"hints\": [");
    assert_string_equal(text + strlen(text) - 3, "]\n}\n" + 1);
    shuf_free(text);
    shuf_free(question);
    check(shuf_certificate_json, PAIR("\"rounds\":2,\"digits\":2,\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-6\"}"), "\"certificate\": 1");
}

/* Where there is none, the object says why. */
static void test_no_certificate(void **state)
{
    (void) state;
    check(shuf_certificate_json, PAIR("\"id\":\"a\",\"claim\":{\"eps\":\"1\",\"delta\":\"0.1\"}"),
          "{\"id\":\"a\",\"error\":\"only delta and epsilon that are asked for");
    check(shuf_certificate_json, PAIR("\"ask\":{\"quantity\":\"renyi\",\"order\":\"2\"}"), "{\"error\":\"only delta and epsilon");
    check(shuf_certificate_json, PAIR("\"fast\":true," DELTA), "{\"error\":\"what is fast");
    check(shuf_certificate_json, "{\"mechanism\":{\"type\":\"ldp\",\"eps0\":\"1\"},\"users\":10," DELTA "}", "{\"error\":\"only rounds of one pair");
    check(shuf_certificate_json, "{\"pair\":{\"type\":\"gaussian\",\"sigma\":\"1\"},\"users\":10," DELTA "}", "{\"error\":\"this pair has no certificates");
}

static void test_theorems(void **state)
{
    char *text = shuf_theorems_json();
    (void) state;
    assert_has(text, "[{\"id\":\"clones\",\"status\":\"proved\",\"side\":\"upper bound\",\"checked\":\"coq\",\"checked_in\":\"");
    assert_has(text, "\"status\":\"refuted\"");
    assert_int_equal(text[strlen(text) - 1], ']');
    shuf_free(text);
}

static void test_version(void **state)
{
    char *text = shuf_answer_json(NULL), expected[64] = "\"version\":\"";
    (void) state;
    assert_true(strlen(shuf_version()) < 32 && strspn(shuf_version(), "0123456789.") >= 5);
    strcat(strcat(expected, shuf_version()), "\"}");
    assert_has(text, expected);
    shuf_free(text);
    shuf_free(NULL);
}

static void test_threads(void **state)
{
    (void) state;
    assert_int_equal(shuf_threads_set(0), -1);
    assert_int_equal(shuf_threads_set(-1), -1);
    assert_int_equal(shuf_threads_set(SHUF_MAX_THREADS + 1), -1);
}

/* ---- watches ---- */

static void *set_soon(void *data)
{
    double until = shuf_seconds() + 0.2;
    while (shuf_seconds() < until)
        ;
    __atomic_store_n((int *) data, 1, __ATOMIC_RELAXED);
    return NULL;
}

static char *stopped(shuf_watch *watch)
{
    char *answer;
    assert_null(shuf_watch_set(watch));
    answer = shuf_answer_json(LONG);
    assert_ptr_equal(shuf_watch_set(NULL), watch);
    assert_non_null(answer);
    if (strstr(answer, "\"complete\":false") == NULL && strstr(answer, "\"error\":\"interrupted before any bound was found\"") == NULL)
        fail_msg("not stopped: %.300s", answer);
    return answer;
}

static void test_stop_flag(void **state)
{
    int flag = 0;
    shuf_watch watch = { 0, shuf_stop_flag, &flag, 0 };
    pthread_t thread;
    (void) state;
    assert_int_equal(pthread_create(&thread, NULL, set_soon, &flag), 0);
    shuf_free(stopped(&watch));
    pthread_join(thread, NULL);
}

static void test_deadline(void **state)
{
    shuf_watch watch = { shuf_seconds() + 0.2, NULL, NULL, 0 };
    (void) state;
    shuf_free(stopped(&watch));
}

/* Stops at the first line. */
static int count_lines(void *data, const char *line)
{
    return (*(int *) data += line[0] != '\0') >= 1;
}

static void test_progress(void **state)
{
    int lines = 0;
    shuf_watch watch = { 0, count_lines, &lines, 0 };
    (void) state;
    shuf_free(stopped(&watch));
    assert_true(lines >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answer),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_question),
        cmocka_unit_test(test_certificate),
        cmocka_unit_test(test_no_certificate),
        cmocka_unit_test(test_theorems),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_stop_flag),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
