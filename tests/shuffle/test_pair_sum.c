/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Points of mixtures over the random reports as sums of terms, against their strata in balls (proofs/trinomial-pair.md, Lemmas 5 and 9). */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "check.h"
#include "hockey/hockey.h"
#include "random.h"
#include "shuffle/pair_sum.h"

static void set_random(shuf_pair_t pair)
{
    const uint64_t n = 1 + random_below(random_below(2) ? 8 : 400), k = 2 + random_below(6);
    shuf_real_t eps0;
    fmpq_t gamma, own;
    fmpq_init(gamma); fmpq_init(own);
    shuf_real_init(eps0);
    fmpq_set_si(gamma, 1 + (slong) random_below(20), 20);
    fmpq_set_si(own, 1 + (slong) random_below(10), 10 * (ulong) k);
    shuf_real_set_d(eps0, 0.1 + 3 * random_unit());
    switch (random_below(4))
    {
    case 0: assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_WEAK, n, k, gamma), 0); break;
    case 1: assert_int_equal(shuf_pair_set_krr_blanket_eps0(pair, SHUF_PAIR_KRR_WEAK, n, k, eps0), 0); break;
    case 2: assert_int_equal(shuf_pair_set_krr_weak_own(pair, n, k, gamma, own), 0); break;
    default: assert_int_equal(shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES_DELETION, n, eps0), 0); break;
    }
    fmpq_clear(gamma); fmpq_clear(own);
    shuf_real_clear(eps0);
}

static void assert_meet(const shuf_enclosure_t x, const shuf_enclosure_t y)
{
    assert_true(arf_cmp(x->lo, y->hi) <= 0 && arf_cmp(y->lo, x->hi) <= 0);
}

static void test_points(void **state)
{
    const shuf_options options = { 7, 3e8 };
    shuf_law_t law;
    shuf_pair_t pair;
    shuf_enclosure_t sum, strata;
    shuf_real_t at;
    int i, accurate = 0;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(at);
    for (i = 0; i < 60; i++)
    {
        const shuf_direction direction = (shuf_direction) random_below(3);
        set_random(pair);
        shuf_law_set_pair(law, pair);
        pair_sum_points(law);
        shuf_enclosure_init(sum);
        shuf_enclosure_init(strata);
        shuf_real_set_d(at, random_below(4) ? 2 * random_unit() / (1 + (double) random_below(10)) : 0);
        law->delta(sum, NULL, law, at, direction, &options);
        shuf_hockey_delta(strata, pair, at, direction, &options);
        assert_meet(sum, strata);
        accurate += sum->status == SHUF_OK;
        shuf_real_set_d(at, random_below(6) ? pow(10, -6 * random_unit()) : 0);
        shuf_enclosure_clear(sum);
        shuf_enclosure_clear(strata);
        shuf_enclosure_init(sum);
        shuf_enclosure_init(strata);
        law->epsilon(sum, NULL, law, at, direction, &options);
        shuf_hockey_epsilon(strata, pair, at, direction, &options);
        assert_meet(sum, strata);
        shuf_enclosure_clear(sum);
        shuf_enclosure_clear(strata);
        shuf_law_clear(law);
    }
    assert_true(accurate > 40);
    shuf_pair_clear(pair);
    shuf_real_clear(at);
}

/* The work does not rise with the number of users. */
static void test_many(void **state)
{
    const shuf_options options = { 6, 1e9 };
    double work[2] = { 0, 0 };
    shuf_pair_t pair;
    shuf_law_t law;
    shuf_enclosure_t r;
    shuf_real_t at;
    int i;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(at);
    for (i = 0; i < 2; i++)
    {
        shuf_real_set_d(at, 1);
        assert_int_equal(shuf_pair_set_krr_blanket_eps0(pair, SHUF_PAIR_KRR_WEAK, i == 0 ? 100000 : UINT64_C(100000000000), 4, at), 0);
        assert_true(pair_sum_is_cheaper(pair));
        shuf_law_set_pair(law, pair);
        pair_sum_points(law);
        shuf_enclosure_init(r);
        shuf_real_set_d(at, i == 0 ? 0.005 : 0.000005);
        work[i] = shuf_work();
        assert_int_equal(law->delta(r, NULL, law, at, SHUF_DIRECTION_BOTH, &options), SHUF_OK);
        work[i] = shuf_work() - work[i];
        shuf_enclosure_clear(r);
        shuf_law_clear(law);
    }
    assert_true(work[1] < 20 * work[0]);
    shuf_pair_clear(pair);
    shuf_real_clear(at);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_points), cmocka_unit_test(test_many) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
