/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Running out of memory within the functions that return JSON: at each of many
 * allocations they give the right bytes or an error object, in one thread and
 * in several, and what is called after that gives the right bytes.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "enclosure/budget.h"
#include "enclosure/memory.h"
#include "shufbound.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)

int main(void)
{
    puts("skipped: the allocator cannot be replaced here");
    return 77;
}

#else

#include "failing_allocator.h"
#include "random.h"

static long count, fail_at; /* 0: none fails; atomic */

static int fails(void)
{
    long i = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    return i == __atomic_load_n(&fail_at, __ATOMIC_RELAXED);
}

static void arm(long at)
{
    __atomic_store_n(&count, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&fail_at, at, __ATOMIC_RELAXED);
}

#define POINTS 60

static char *theorems(const char *question)
{
    (void) question;
    return shuf_theorems_json();
}

#define CLONES "{\"pair\":{\"type\":\"clones\",\"eps0\":\"1\"},\"users\":50,\"digits\":60,\"effort\":\"3e7\",\"ask\":{\"quantity\":\"delta\",\"eps\":\"0.1\"}}"

/* Of several threads; with many digits, so that caches grow; a sum; and the other functions. */
static const struct
{
    char *(*function)(const char *question);
    const char *question;
} calls[] = {
    { shuf_answer_json, "{\"mechanism\":{\"type\":\"product\",\"parts\":[{\"type\":\"krr\",\"k\":2,\"eps0\":\"log(3/2)\"},{\"type\":\"krr\",\"k\":2,\"eps0\":\"log(2)\"}]},"
      "\"users\":3,\"rounds\":2,\"effort\":\"3e6\",\"digits\":4,\"ask\":{\"quantity\":\"delta\",\"eps\":\"0.1\"}}" },
    { shuf_answer_json, CLONES },
    { shuf_answer_json, "{\"pair\":{\"type\":\"clones\",\"eps0\":\"2\"},\"users\":100,\"rounds\":4,\"digits\":4,\"effort\":\"3e7\",\"ask\":{\"quantity\":\"delta\",\"eps\":\"0.5\"}}" },
    { shuf_question_json, CLONES },
    { shuf_certificate_json, CLONES },
    { theorems, NULL },
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static char *right[CALLS];

static char *call(size_t i)
{
    return calls[i].function(calls[i].question);
}

/* An answer is the right one or says what happened. Returns whether it is right. */
static int check_answer(size_t i, char *answer)
{
    int is_right = answer != NULL && strcmp(answer, right[i]) == 0;
    if (!is_right && answer != NULL && strstr(answer, "\"error\":\"out of memory\"") == NULL)
        fail_msg("call %zu: %.200s", i, answer);
    shuf_free(answer);
    return is_right;
}

typedef struct
{
    size_t call;
    long at;
    int is_right, is_right_after;
} attempt;

static void *try_at(void *data)
{
    attempt *x = data;
    char *answer;
    arm(x->at);
    answer = call(x->call);
    arm(0);
    x->is_right = check_answer(x->call, answer);
    x->is_right_after = check_answer(x->call, call(x->call));
    return NULL;
}

/* Each time in a thread, and with helpers, in which it has not happened before. */
static void fail_everywhere(int threads)
{
    long all, told = 0, tried = 0;
    size_t q;
    int i;
    for (q = 0; q < CALLS; q++)
    {
        arm(0);
        check_answer(q, call(q));
        all = __atomic_load_n(&count, __ATOMIC_RELAXED);
        for (i = 0; i < POINTS; i++)
        {
            attempt x = { q, i < 10 ? i + 1 : 1 + all * (i - 9) / (POINTS - 9), 0, 0 };
            pthread_t thread;
            if (i >= 10 && !is_drawn(5))
                continue;
            flint_set_num_threads(threads);
            assert_int_equal(pthread_create(&thread, NULL, try_at, &x), 0);
            pthread_join(thread, NULL);
            flint_set_num_threads(1);
            told += !x.is_right;
            tried++;
            assert_true(x.is_right_after);
        }
    }
    assert_true(told > tried / 2);
}

static int set_up(void **state)
{
    size_t q;
    (void) state;
    for (q = 0; q < CALLS; q++)
        if ((right[q] = call(q)) == NULL || strstr(right[q], "\"error\"") != NULL)
            return -1;
    return 0;
}

static void test_one_thread(void **state)
{
    (void) state;
    fail_everywhere(1);
}

/* Now those that help fail, too. */
static void test_helpers(void **state)
{
    (void) state;
    fail_everywhere(3);
}

static void *ask_often(void *data)
{
    size_t i;
    (void) data;
    for (i = 0; i < 40; i++)
    {
        __atomic_store_n(&fail_at, __atomic_load_n(&count, __ATOMIC_RELAXED) + 1000, __ATOMIC_RELAXED);
        check_answer(i % CALLS, call(i % CALLS));
    }
    return NULL;
}

/* Several callers; whose allocation fails is left to chance. */
static void test_callers(void **state)
{
    pthread_t threads[4];
    int i;
    (void) state;
    arm(0);
    for (i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, NULL), 0);
    for (i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    arm(0);
    assert_true(check_answer(0, call(0)));
}

static void run_out(void *data)
{
    (void) data;
    shuf_charge(1000);
    memory_fail();
}

static void note_thread(void *data)
{
    *(pthread_t *) data = pthread_self();
    shuf_charge(10);
}

static void *try_twice(void *data)
{
    pthread_t *ran = data;
    double work = shuf_work();
    assert_int_equal(memory_try(note_thread, &ran[0]), 0);
    assert_int_equal(memory_try(run_out, NULL), -1);
    assert_int_equal(memory_try(note_thread, &ran[1]), 0);
    assert_int_equal(memory_try(run_out, NULL), -1);
    assert_true(shuf_work() == work + 20);
    return NULL;
}

/* FLINT's caches of a thread in which it happened are not used again; its budget is as before. */
static void test_other_thread(void **state)
{
    pthread_t thread, ran[2];
    (void) state;
    assert_int_equal(pthread_create(&thread, NULL, try_twice, ran), 0);
    pthread_join(thread, NULL);
    assert_true(pthread_equal(ran[0], thread));
    assert_false(pthread_equal(ran[1], thread));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_thread),
        cmocka_unit_test(test_one_thread),
        cmocka_unit_test(test_helpers),
        cmocka_unit_test(test_callers),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}

#endif
