/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * A budget is work: what the engines say within it is the same alone and
 * beside a busy process, with one thread and with four; it is kept, and not
 * left unused while digits are missing; an interrupt is heard.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hockey/hockey.h"
#include "renyi/renyi.h"
#include "random.h"

typedef enum { DELTA, RENYI } engine;

typedef struct
{
    engine what;
    shuf_pair_kind kind;
    const char *parameter;
    uint64_t n, k;
    const char *at; /* eps or order */
    slong digits;
    double max_work; /* 0: enough without a limit */
} question;

static const question questions[] = {
    { DELTA, SHUF_PAIR_CLONES, "1", 1000000, 2, "0.004", 12, 0 },
    { DELTA, SHUF_PAIR_CLONES, "1", 1000000000000, 2, "0.000003", 12, 1.5e8 },
    { DELTA, SHUF_PAIR_CLONES, "1", 1000000000000, 2, "0.000003", 1000, 1.5e8 },
    { DELTA, SHUF_PAIR_CLONES, "3", 3000000000, 2, "0.0003", 100, 2e8 },
    { DELTA, SHUF_PAIR_KRR_THIRD, "1", 10000000000, 4, "0.00004", 9, 1e8 },
    { DELTA, SHUF_PAIR_KRR_SAME, "1", 1000000000000, 4, "0.000004", 12, 1.5e8 },
    { RENYI, SHUF_PAIR_KRR_SAME, "1", 1000000000, 4, "8.5", 12, 1.5e8 },
    { DELTA, SHUF_PAIR_KRR_WEAK, "9/10", 500, 10, "0.3", 9, 0 },
    { DELTA, SHUF_PAIR_KRR_WEAK, "9/10", 1000000, 10, "0.01", 6, 1e8 },
    { DELTA, SHUF_PAIR_KRR_WEAK, "50/51", 5245118, 100, "0.0015", 6, 1e8 },
    { RENYI, SHUF_PAIR_CLONES, "1", 3000, 2, "8.5", 9, 0 },
    { RENYI, SHUF_PAIR_CLONES, "1", 1000000, 2, "8", 12, 1e8 },
    { RENYI, SHUF_PAIR_CLONES, "1", 10000, 2, "8.5", 1000, 1.5e8 },
    { RENYI, SHUF_PAIR_KRR_THIRD, "1", 1000000000, 4, "8.5", 12, 1e8 },
    { RENYI, SHUF_PAIR_KRR_WEAK, "1/2", 100000, 4, "4", 6, 1e8 },
};

#define QUESTIONS (sizeof(questions) / sizeof(*questions))

static void ask(shuf_enclosure_t r, const question *q)
{
    shuf_options o = { q->digits, q->max_work };
    shuf_pair_t pair;
    shuf_real_t x;
    shuf_pair_init(pair);
    shuf_real_init(x);
    assert_int_equal(shuf_real_set_str(x, q->parameter), 0);
    if (q->kind == SHUF_PAIR_CLONES)
        assert_int_equal(shuf_pair_set_eps0(pair, q->kind, q->n, x), 0);
    else if (q->kind == SHUF_PAIR_KRR_THIRD || q->kind == SHUF_PAIR_KRR_SAME)
        assert_int_equal(shuf_pair_set_krr(pair, q->kind, q->n, q->k, x), 0);
    else
        assert_int_equal(shuf_pair_set_krr_blanket(pair, q->kind, q->n, q->k, x->q), 0);
    assert_int_equal(shuf_real_set_str(x, q->at), 0);
    if (q->what == DELTA)
    {
        shuf_hockey_delta(r, pair, x, q->kind == SHUF_PAIR_KRR_WEAK ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_BOTH, &o);
    }
    else
    {
        shuf_renyi_divergence(r, pair, x, SHUF_DIRECTION_BOTH, &o);
    }
    shuf_pair_clear(pair);
    shuf_real_clear(x);
}

static void assert_same(const shuf_enclosure_t x, const shuf_enclosure_t y)
{
    assert_true(arf_equal(x->lo, y->lo) && arf_equal(x->hi, y->hi));
    assert_int_equal(x->status, y->status);
    assert_true(mag_equal(x->ledger.truncation, y->ledger.truncation));
    assert_true(mag_equal(x->ledger.discretisation, y->ledger.discretisation));
    assert_true(mag_equal(x->ledger.rounding, y->ledger.rounding));
    assert_int_equal(x->ledger.terms, y->ledger.terms);
    assert_int_equal(x->ledger.precision, y->ledger.precision);
    assert_true(x->ledger.work == y->ledger.work);
}

/* What a question may spend: its limit, a tenth, and what it takes to say something. */
static double allowance(const question *q)
{
    return 1.1 * q->max_work + 5e7;
}

static void test_same_bytes(void **state)
{
    shuf_enclosure_t first[QUESTIONS], again;
    int chosen[QUESTIONS];
    size_t i;
    int threads;
    (void) state;
    shuf_enclosure_init(again);
    for (i = 0; i < QUESTIONS; i++)
    {
        const question *q = &questions[i];
        double before = shuf_work(), spent;
        shuf_enclosure_init(first[i]);
        chosen[i] = is_drawn(5);
        if (!chosen[i])
            continue;
        ask(first[i], q);
        spent = shuf_work() - before;
        assert_true(arf_cmp(first[i]->lo, first[i]->hi) <= 0);
        assert_true(spent == first[i]->ledger.work && spent > 0);
        assert_int_equal(first[i]->status, q->max_work > 0 ? SHUF_ACCURACY : SHUF_OK);
        if (q->max_work > 0)
            if (!(spent >= 0.8 * q->max_work && spent <= allowance(q)))
                fail_msg("question %d: %g units", (int) i, spent);
    }
    for (threads = 1; threads <= 4; threads *= 2)
    {
        pid_t busy = threads == 1 ? fork() : -1;
        if (busy == 0)
            for (;;)
                ;
        flint_set_num_threads(threads);
        for (i = 0; i < QUESTIONS; i++)
        {
            if (!chosen[i])
                continue;
            ask(again, &questions[i]);
            assert_same(first[i], again);
        }
        if (busy > 0)
        {
            kill(busy, SIGKILL);
            waitpid(busy, NULL, 0);
        }
    }
    flint_set_num_threads(1);
    for (i = 0; i < QUESTIONS; i++)
        shuf_enclosure_clear(first[i]);
    shuf_enclosure_clear(again);
}

static int calls;
static double stopped_at; /* the count of work at the first interrupt */

static int stop(void *data, const char *line)
{
    (void) data;
    (void) line;
    if (++calls == 21)
        stopped_at = shuf_work();
    return calls > 20;
}

/* Units that may be spent after an interrupt: about two seconds of a thread, counted and not timed. */
#define AFTER_INTERRUPT 2e9

/* Without a limit, an interrupt some tens of milliseconds in: what is said is valid, and soon. */
static void test_interrupt(void **state)
{
    shuf_enclosure_t limited, r;
    size_t i;
    (void) state;
    shuf_enclosure_init(limited);
    shuf_enclosure_init(r);
    for (i = 0; i < QUESTIONS; i++)
    {
        shuf_watch watch = { 0, stop, NULL, 0 };
        question q = questions[i];
        if (q.max_work == 0 || !is_drawn(4))
            continue;
        ask(limited, &q);
        q.max_work = 0;
        calls = 0;
        flint_set_num_threads(1 + (int) (i % 2));
        shuf_watch_set(&watch);
        ask(r, &q);
        shuf_watch_set(NULL);
        assert_int_equal(watch.cut, 1);
        assert_true(shuf_work() - stopped_at < AFTER_INTERRUPT);
        assert_int_equal(r->status, SHUF_ACCURACY);
        assert_true(arf_cmp(r->lo, limited->hi) <= 0 && arf_cmp(limited->lo, r->hi) <= 0);
    }
    flint_set_num_threads(1);
    shuf_enclosure_clear(limited);
    shuf_enclosure_clear(r);
}

/* A flag that another thread sets; here one that is set already. */
static void test_stop_flag(void **state)
{
    static const question q = { DELTA, SHUF_PAIR_CLONES, "1", 1000000, 2, "0.004", 12, 0 };
    int flag;
    (void) state;
    for (flag = 0; flag <= 1; flag++)
    {
        shuf_watch watch = { 0, shuf_stop_flag, &flag, 0 };
        shuf_enclosure_t r;
        shuf_enclosure_init(r);
        shuf_watch_set(&watch);
        ask(r, &q);
        shuf_watch_set(NULL);
        assert_int_equal(watch.cut, flag);
        assert_int_equal(r->status, flag ? SHUF_ACCURACY : SHUF_OK);
        shuf_enclosure_clear(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_stop_flag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
