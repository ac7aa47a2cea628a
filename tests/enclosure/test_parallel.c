/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The same results and the same count of work for any number of threads; limits, the watch, and nesting. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "enclosure/parallel.h"

#define ITEMS 40

typedef struct
{
    double begin[ITEMS], end[ITEMS];
    double limit;
    int cut[ITEMS];
} record;

/* Charges i+1 thousand units or up to the limit, and says how far it came. */
static void charge_some(void *args, slong i)
{
    record *r = args;
    slong j;
    r->begin[i] = shuf_work();
    for (j = 0; j <= i && !shuf_exhausted(r->limit); j++)
        shuf_charge(1000);
    r->cut[i] = j <= i;
    r->end[i] = shuf_work();
}

static void test_count(void **state)
{
    double limits[] = { 0, 15000 };
    size_t l;
    int threads;
    (void) state;
    for (l = 0; l < 2; l++)
    {
        record first, again;
        double charged = 0;
        for (threads = 1; threads <= 4; threads++)
        {
            double before = shuf_work();
            flint_set_num_threads(threads);
            memset(&again, 0, sizeof(again));
            again.limit = limits[l] > 0 ? before + limits[l] : 0;
            parallel_do(charge_some, &again, ITEMS);
            if (threads == 1)
            {
                charged = shuf_work() - before;
                first = again;
                assert_true(charged >= (l == 0 ? ITEMS * (ITEMS + 1) / 2 * 1000 : 1));
            }
            assert_true(shuf_work() - before == charged);
            for (slong i = 0; i < ITEMS; i++)
            {
                assert_true(again.begin[i] == before);
                assert_true(again.end[i] - before == first.end[i] - first.begin[i]);
                assert_int_equal(again.cut[i], first.cut[i]);
                assert_int_equal(again.cut[i], l == 1 && i > 15);
            }
        }
    }
    flint_set_num_threads(1);
}

static void nested(void *args, slong i)
{
    record *all = args;
    memset(&all[i], 0, sizeof(record));
    parallel_do(charge_some, &all[i], 5);
}

static void test_nested(void **state)
{
    static record all[ITEMS];
    double before = shuf_work();
    (void) state;
    flint_set_num_threads(3);
    parallel_do(nested, all, ITEMS);
    flint_set_num_threads(1);
    assert_true(shuf_work() - before == ITEMS * 15000.0);
}

/* ---- the watch ---- */

static pthread_t owner;
static int calls;

static int stop_soon(void *data, const char *line)
{
    (void) data;
    (void) line;
    assert_true(pthread_equal(pthread_self(), owner));
    return ++calls > 3;
}

/* Runs until it is told to stop. */
static void forever(void *args, slong i)
{
    int *stopped = args;
    const struct timespec pause = { 0, 100000 };
    while (!shuf_exhausted(0))
    {
        shuf_charge(1e6);
        nanosleep(&pause, NULL);
    }
    stopped[i] = 1;
}

static void test_watch(void **state)
{
    int threads;
    (void) state;
    owner = pthread_self();
    for (threads = 1; threads <= 4; threads++)
    {
        shuf_watch watch = { 0, stop_soon, NULL, 0 };
        int stopped[4] = { 0, 0, 0, 0 };
        calls = 0;
        flint_set_num_threads(threads);
        assert_null(shuf_watch_set(&watch));
        parallel_do(forever, stopped, 4);
        assert_ptr_equal(shuf_watch_set(NULL), &watch);
        assert_int_equal(watch.cut, 1);
        assert_int_equal(stopped[0] + stopped[1] + stopped[2] + stopped[3], 4);
    }
    flint_set_num_threads(1);
}

static void test_limit_of_parts(void **state)
{
    double before = shuf_limit_set(shuf_work() + 10);
    (void) state;
    assert_true(before == 0);
    assert_false(shuf_interrupted());
    shuf_charge(11);
    assert_true(shuf_interrupted());
    assert_true(shuf_limit_set(before) > 0);
    assert_false(shuf_interrupted());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_watch),
        cmocka_unit_test(test_limit_of_parts),
    };
    alarm(90); /* what waits for ever fails */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
