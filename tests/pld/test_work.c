/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Compositions, sums, shuffles and trade-offs within a small budget: the same
 * bytes with any number of threads, the budget kept, and not left unused
 * while digits are missing.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "pld/pld.h"
#include "shuffle/gaussian.h"
#include "shuffle/shuffled.h"
#include "tradeoff/gdp.h"
#include "tradeoff/tradeoff.h"

typedef enum { PLD_DELTA, PLD_BOTH, PLD_EPSILON, GAUSSIAN, SHUFFLED, TRADEOFF, GDP } engine;

typedef struct
{
    engine what;
    const char *of; /* eps0 of clones, a randomiser, sigma, or gamma of krr-strong */
    uint64_t n, rounds;
    shuf_shuffled_kind kind;
    const char *at;
    slong digits;
    double max_work;
    double least; /* part of it that is spent at least */
} question;

static const question questions[] = {
    { PLD_DELTA, "1", 1000, 10, 0, "0.5", 12, 2e8, 0.2 },
    { PLD_DELTA, "1/10", 100, 3, 0, "0.299", 12, 3e8, 0.2 },
    { PLD_EPSILON, "2", 10000, 1000, 0, "1e-9", 12, 3e8, 0.2 },
    { PLD_BOTH, "1/10", 1000, 10, 0, "0.3", 12, 3e8, 0.2 },
    { GAUSSIAN, "2", 100, 1, 0, "0.3", 8, 3e8, 0.2 },
    { SHUFFLED, "{\"type\":\"hadamard-response\",\"k\":1000000000,\"eps0\":\"2\"}", 10000, 1, SHUF_SHUFFLED_BLANKET, "0.1", 9, 1e8, 0.1 },
    { SHUFFLED, "{\"type\":\"krr\",\"k\":3,\"eps0\":\"log(50)\"}", 10000, 1, SHUF_SHUFFLED_ALL_EQUAL, "0.1", 10, 1e8, 0.2 },
    { SHUFFLED, "{\"type\":\"laplace\",\"scale\":\"1\"}", 1000, 1, SHUF_SHUFFLED_BLANKET, "0.1", 9, 1e8, 0.1 },
    { SHUFFLED, "{\"type\":\"krr\",\"k\":3,\"eps0\":\"1\"}", 1000000, 1, SHUF_SHUFFLED_MIXED, "0.001", 900, 5e7, 0 },
    { TRADEOFF, "1", 100000, 1, 0, "0.1", 11, 3e6, 0.2 },
    { GDP, "1", 1000, 1, 0, "1", 9, 1e8, 0.2 },
};

#define QUESTIONS (sizeof(questions) / sizeof(*questions))

static void ask_pair(shuf_enclosure_t r, const question *q, const shuf_real_t x, const shuf_real_t at)
{
    shuf_options o = { q->digits, q->max_work };
    shuf_law_struct profile;
    shuf_pld_part part = { &profile, q->rounds };
    shuf_real_t zero, witness;
    shuf_pair_t pair;
    shuf_pair_init(pair);
    shuf_real_init(zero);
    shuf_real_init(witness);
    if (q->what == PLD_BOTH)
        assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_STRONG, q->n, 4, x->q), 0);
    else
        assert_int_equal(shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, q->n, x), 0);
    shuf_law_set_pair(&profile, pair);
    if (q->what == PLD_DELTA || q->what == PLD_BOTH)
        shuf_pld_delta(r, &part, 1, at, SHUF_DIRECTION_BOTH, &o);
    else if (q->what == PLD_EPSILON)
        shuf_pld_epsilon(r, &part, 1, at, SHUF_DIRECTION_BOTH, &o);
    else if (q->what == TRADEOFF)
        shuf_tradeoff_point(r, &profile, at, SHUF_DIRECTION_BOTH, &o);
    else
        shuf_gdp_mu(r, witness, &profile, zero, at, SHUF_DIRECTION_BOTH, NULL, &o);
    shuf_pair_clear(pair);
    shuf_real_clear(zero);
    shuf_real_clear(witness);
}

static void ask(shuf_enclosure_t r, const question *q)
{
    shuf_options o = { q->digits, q->max_work };
    shuf_real_t x, at;
    shuf_real_init(x);
    shuf_real_init(at);
    assert_int_equal(shuf_real_set_str(at, q->at), 0);
    if (q->what == SHUFFLED)
    {
        char error[200];
        shuf_randomiser_t R;
        shuf_randomiser_init(R);
        assert_int_equal(shuf_randomiser_parse(R, q->of, strlen(q->of), error, sizeof(error)), 0);
        shuf_shuffled_delta(r, NULL, R, q->n, q->kind, at, &o);
        shuf_randomiser_clear(R);
    }
    else
    {
        assert_int_equal(shuf_real_set_str(x, q->of), 0);
        if (q->what == GAUSSIAN)
            shuf_gaussian_delta(r, q->n, x, at, SHUF_DIRECTION_BOTH, &o);
        else
            ask_pair(r, q, x, at);
    }
    shuf_real_clear(x);
    shuf_real_clear(at);
}

static void assert_same(const shuf_enclosure_t x, const shuf_enclosure_t y)
{
    assert_true(arf_equal(x->lo, y->lo) && arf_equal(x->hi, y->hi));
    assert_int_equal(x->status, y->status);
    assert_true(mag_equal(x->ledger.truncation, y->ledger.truncation));
    assert_true(mag_equal(x->ledger.discretisation, y->ledger.discretisation));
    assert_true(mag_equal(x->ledger.aliasing, y->ledger.aliasing));
    assert_true(mag_equal(x->ledger.rounding, y->ledger.rounding));
    assert_int_equal(x->ledger.terms, y->ledger.terms);
    assert_int_equal(x->ledger.precision, y->ledger.precision);
    assert_true(x->ledger.step == y->ledger.step);
}

static void test_same_bytes(void **state)
{
    static const int threads[] = { 1, 2, 4 };
    shuf_enclosure_t first, again;
    size_t i, j;
    (void) state;
    shuf_enclosure_init(first);
    shuf_enclosure_init(again);
    for (i = 0; i < QUESTIONS; i++)
    {
        const question *q = &questions[i];
        double spent = 0;
        for (j = 0; j < 3; j++)
        {
            double before = shuf_work();
            flint_set_num_threads(threads[j]);
            ask(j == 0 ? first : again, q);
            if (j == 0)
            {
                spent = shuf_work() - before;
            }
            else
            {
                assert_same(first, again);
                assert_true(spent == shuf_work() - before);
            }
            /* an odd amount of work in between */
            shuf_charge(12345 + 678 * (double) i);
        }
        print_message("question %d: status %d, %.2f of the budget\n", (int) i, (int) first->status, spent / q->max_work);
        assert_true(arf_cmp(first->lo, first->hi) <= 0);
        assert_true(spent <= 1.1 * q->max_work + 5e7);
        assert_true(first->status == SHUF_OK || spent >= q->least * q->max_work);
    }
    flint_set_num_threads(1);
    shuf_enclosure_clear(first);
    shuf_enclosure_clear(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
