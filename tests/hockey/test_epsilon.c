/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* eps(delta): certified on both sides by delta(eps). */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hockey/hockey.h"
#include "check.h"
#include "random.h"

/* delta(hi) <= delta < delta(lo), or lo = 0; returns the work of one evaluation. */
static ulong check_ends(const shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t delta, shuf_direction direction,
                        slong digits)
{
    shuf_enclosure_t value;
    shuf_real_t eps, end;
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    ulong terms;
    o.digits = 2 * digits + 10; /* enough to tell apart what is 10^-digits eps away */
    shuf_enclosure_init(value);
    shuf_real_init(eps);
    shuf_real_init(end);
    assert_true(arf_sgn(r->lo) >= 0 && arf_cmp(r->lo, r->hi) <= 0);
    shuf_real_set_arf(eps, r->hi);
    assert_int_equal(shuf_hockey_delta(value, pair, eps, direction, &o), SHUF_OK);
    shuf_real_set_arf(end, value->hi);
    if (shuf_real_cmp(end, delta) > 0)
        fail_msg("%s n = %lu delta = %s: %s is no guarantee", shuf_pair_theorem(pair), pair->n, delta->text, eps->text);
    if (arf_sgn(r->lo) > 0)
    {
        shuf_real_set_arf(eps, r->lo);
        assert_int_equal(shuf_hockey_delta(value, pair, eps, direction, &o), SHUF_OK);
        shuf_real_set_arf(end, value->lo);
        if (shuf_real_cmp(end, delta) <= 0)
            fail_msg("%s n = %lu delta = %s: %s is not below", shuf_pair_theorem(pair), pair->n, delta->text, eps->text);
    }
    o.digits = digits + 2;
    shuf_hockey_delta(value, pair, eps, direction, &o);
    terms = value->ledger.terms;
    shuf_enclosure_clear(value);
    shuf_real_clear(eps);
    shuf_real_clear(end);
    return terms;
}

/* The most evaluations that a search may take on average; a single one three times that. */
#define EVALUATIONS 12

static void test_random(void **state)
{
    shuf_pair_t pair;
    shuf_enclosure_t r;
    shuf_real_t delta, eps0;
    fmpq_t gamma, half, w;
    double most = 0, sum = 0;
    int i, over = 0, counted = 0;
    (void) state;
    shuf_pair_init(pair);
    shuf_enclosure_init(r);
    shuf_real_init(delta);
    shuf_real_init(eps0);
    fmpq_init(gamma);
    fmpq_init(half);
    fmpq_init(w);
    for (i = 0; i < 80; i++)
    {
        ulong n = (ulong) pow(10, 0.3 + 3.5 * (double) random_below(1000) / 1000), k = 3 + random_below(8), one;
        slong digits = 2 + (slong) random_below(10);
        shuf_direction direction = (shuf_direction) random_below(3);
        shuf_options o = SHUF_OPTIONS_DEFAULT;
        char text[32];
        snprintf(text, sizeof(text), "0.%02lu", 1 + random_below(99));
        snprintf(text + 4, sizeof(text) - 4, "e-%lu", random_below(14));
        set(delta, text);
        snprintf(text, sizeof(text), "%lu.%lu", random_below(4), 1 + random_below(9));
        set(eps0, text);
        fmpq_set_ui(gamma, 1 + random_below(99), 100);
        switch (i % 8)
        {
        case 3: assert_int_equal(shuf_pair_set_krr(pair, SHUF_PAIR_KRR_SAME, n, k, eps0), 0); break;
        case 4: assert_int_equal(shuf_pair_set_krr(pair, SHUF_PAIR_KRR_THIRD, n, k, eps0), 0); break;
        case 5: assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_STRONG, n, k, gamma), 0); break;
        case 6: assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_WEAK, 1 + n % 50, k, gamma), 0); break;
        case 7:
            fmpq_set_ui(half, 1, 4);
            fmpq_set_ui(w, 1, 10);
            fmpq_set_ui(gamma, 6, 10);
            assert_int_equal(shuf_pair_set_trinomial(pair, n, gamma, w, half, w), 0);
            break;
        default: assert_int_equal(shuf_pair_set_eps0(pair, (shuf_pair_kind) (i % 8), n, eps0), 0);
        }
        o.digits = digits;
        o.max_work = 5 * 1e9; /* none here needs as long */
        shuf_hockey_epsilon(r, pair, delta, direction, &o);
        if (r->status == SHUF_DOMAIN)
        {
            /* only krr-strong has an infinite loss here */
            assert_int_equal(pair->kind, SHUF_PAIR_KRR_STRONG);
            assert_true(arf_is_pos_inf(r->hi));
            continue;
        }
        if (r->status != SHUF_OK || !narrow_enough(r, digits))
        {
            char *text_gamma = fmpq_get_str(NULL, 10, pair->gamma);
            fail_msg("%s n = %lu k = %lu eps0 = %s gamma = %s delta = %s, direction %d, %ld digits: status %d",
                     shuf_pair_theorem(pair), pair->n, pair->k, pair->eps0->text, text_gamma, delta->text, (int) direction,
                     (long) digits, (int) r->status);
        }
        one = check_ends(r, pair, delta, direction, digits);
        if (arf_sgn(r->lo) > 0 && one > 20)
        {
            double ratio = (double) r->ledger.terms / (double) one;
            counted++;
            sum += ratio;
            if (ratio > most)
                printf("%s n = %lu k = %lu eps0 = %s delta = %s, %ld digits: %.1f\n", shuf_pair_theorem(pair), pair->n, pair->k,
                       pair->eps0->text, delta->text, (long) digits, ratio);
            most = fmax(most, ratio);
            over += ratio > EVALUATIONS;
        }
    }
    printf("%d searches: %.1f evaluations on average, at most %.1f, %d above %d\n", counted, sum / counted, most, over,
           EVALUATIONS);
    assert_true(counted > 20);
    assert_true(sum / counted <= EVALUATIONS);
    assert_true(most <= 3 * EVALUATIONS);
    shuf_pair_clear(pair);
    shuf_enclosure_clear(r);
    shuf_real_clear(delta);
    shuf_real_clear(eps0);
    fmpq_clear(gamma);
    fmpq_clear(half);
    fmpq_clear(w);
}

static void test_special(void **state)
{
    shuf_pair_t pair;
    shuf_enclosure_t r;
    shuf_real_t delta, loss;
    arb_t exact;
    fmpq_t gamma;
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    (void) state;
    shuf_pair_init(pair);
    shuf_enclosure_init(r);
    shuf_real_init(delta);
    shuf_real_init(loss);
    arb_init(exact);
    fmpq_init(gamma);

    /* delta = 0: the largest loss */
    set_eps0(pair, SHUF_PAIR_CLONES, 1000, "log(3)");
    set(delta, "0");
    assert_int_equal(shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
    set(loss, "log(3)");
    shuf_real_get_arb(exact, loss, 500);
    assert_true(arf_cmp(r->lo, arb_midref(exact)) <= 0 && arf_cmp(r->hi, arb_midref(exact)) >= 0);
    assert_true(narrow_enough(r, 12));
    set_eps0(pair, SHUF_PAIR_RR2, 1000, "0.1");
    assert_int_equal(shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_PQ, &o), SHUF_OK);
    shuf_real_set_arf(loss, r->hi);
    set(delta, "0.1");
    assert_true(shuf_real_cmp(loss, delta) >= 0);
    shuf_real_set_arf(loss, r->lo);
    assert_true(shuf_real_cmp(loss, delta) <= 0);

    /* an infinite loss */
    fmpq_set_ui(gamma, 1, 4);
    assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_STRONG, 100, 4, gamma), 0);
    set(delta, "0");
    assert_int_equal(shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_BOTH, &o), SHUF_DOMAIN);
    assert_true(arf_is_pos_inf(r->hi));
    set(delta, "0.01"); /* above (1-gamma)(1-gamma/k)^99 */
    assert_int_equal(shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
    check_ends(r, pair, delta, SHUF_DIRECTION_BOTH, 12);
    /* nobody else: delta(eps) = 3/4 for every eps */
    assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_STRONG, 1, 4, gamma), 0);
    set(delta, "0.7");
    assert_int_equal(shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_BOTH, &o), SHUF_DOMAIN);
    assert_true(arf_is_pos_inf(r->hi));

    /* delta at least delta(0) */
    set_eps0(pair, SHUF_PAIR_CLONES, 1, "log(3)"); /* delta(0) = 1/2 */
    set(delta, "0.5000000001");
    assert_int_equal(shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
    assert_true(arf_is_zero(r->lo) && arf_is_zero(r->hi));
    set(delta, "1");
    assert_int_equal(shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
    assert_true(arf_is_zero(r->lo) && arf_is_zero(r->hi));
    /* n = 1: (3 - e^eps)/4 = 1/4 at log 2 */
    set(delta, "1/4");
    o.digits = 15;
    assert_int_equal(shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
    set(loss, "log(2)");
    shuf_real_get_arb(exact, loss, 500);
    assert_true(arf_cmp(r->lo, arb_midref(exact)) <= 0 && arf_cmp(r->hi, arb_midref(exact)) >= 0);
    assert_true(narrow_enough(r, 15));
    /* far below any double, next to the largest loss */
    set_eps0(pair, SHUF_PAIR_CLONES, 300, "1");
    set(delta, "1e-400");
    assert_int_equal(shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
    check_ends(r, pair, delta, SHUF_DIRECTION_BOTH, 15);
    /* negative */
    set(delta, "-1e-9");
    assert_int_equal(shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_BOTH, &o), SHUF_DOMAIN);

    shuf_pair_clear(pair);
    shuf_enclosure_clear(r);
    shuf_real_clear(delta);
    shuf_real_clear(loss);
    arb_clear(exact);
    fmpq_clear(gamma);
}

/* Few users: delta is far from exponential, and secant steps lead astray. */
static void test_few_users(void **state)
{
    static const shuf_pair_kind kinds[] = { SHUF_PAIR_CLONES, SHUF_PAIR_CLONES_STRONGER, SHUF_PAIR_RR2 };
    static const char *const eps0[] = { "0.5", "1", "2", "4", "30" };
    shuf_options o = { 6, 0 };
    shuf_pair_t pair;
    shuf_real_t delta;
    shuf_enclosure_t r;
    int i;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(delta);
    shuf_enclosure_init(r);
    for (i = 0; i < 200; i++)
    {
        set_eps0(pair, kinds[random_below(3)], 1 + random_below(8), eps0[random_below(5)]);
        assert_int_equal(shuf_real_set_d(delta, random_below(2) ? random_unit() : exp(-20 * random_unit())), 0);
        if (i == 0)
        {
            /* a step beyond every number */
            set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, 4, "2");
            set(delta, "0.23506936773131748");
        }
        assert_int_equal(shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
        if (arf_sgn(r->hi) > 0)
            check_ends(r, pair, delta, SHUF_DIRECTION_BOTH, o.digits);
    }
    shuf_pair_clear(pair);
    shuf_real_clear(delta);
    shuf_enclosure_clear(r);
}

static void test_compare(void **state)
{
    shuf_pair_t pair;
    shuf_real_t eps, delta;
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    int undecided = -1;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(eps);
    shuf_real_init(delta);
    /* 0.10680878112187103331132964776564093577 */
    set_eps0(pair, SHUF_PAIR_CLONES, 10, "1");
    set(eps, "0.25");
    set(delta, "0.1068087811218710333113");
    assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &o), 1);
    assert_int_equal(undecided, 0);
    set(delta, "0.1068087811218710333114");
    assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &o), -1);
    assert_int_equal(undecided, 0);
    /* (E - alpha)/(E + 1) = 1/4 exactly: <= holds, yet no enclosure shows it */
    set_eps0(pair, SHUF_PAIR_CLONES, 1, "log(3)");
    set(eps, "log(2)");
    set(delta, "0.25");
    assert_true(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &o) <= 0);
    shuf_pair_clear(pair);
    shuf_real_clear(eps);
    shuf_real_clear(delta);
}

/* Claims just below and just above the value, which few digits leave open. */
static void test_close(void **state)
{
    shuf_pair_t pair;
    shuf_real_t eps, delta;
    shuf_enclosure_t value;
    shuf_options o = SHUF_OPTIONS_DEFAULT, many = SHUF_OPTIONS_DEFAULT;
    arf_t t;
    int undecided, d, side;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(eps);
    shuf_real_init(delta);
    shuf_enclosure_init(value);
    arf_init(t);
    many.digits = 24;
    set_eps0(pair, SHUF_PAIR_CLONES, 100000, "2");
    set(eps, "0.03");
    assert_int_equal(shuf_hockey_delta(value, pair, eps, SHUF_DIRECTION_BOTH, &many), SHUF_OK);
    for (d = 2; d <= 14; d++)
        for (side = -1; side <= 1; side += 2)
        {
            arf_set_d(t, 1 + side * pow(10, -d));
            arf_mul(t, t, side < 0 ? value->lo : value->hi, 128, ARF_RND_NEAR);
            shuf_real_set_arf(delta, t);
            assert_int_equal(shuf_hockey_compare(&undecided, pair, eps, delta, SHUF_DIRECTION_BOTH, &o), -side);
        }
    shuf_pair_clear(pair);
    shuf_real_clear(eps);
    shuf_real_clear(delta);
    shuf_enclosure_clear(value);
    arf_clear(t);
}

/* Out of time: still certified on the upper side. */
static void test_budget(void **state)
{
    shuf_pair_t pair;
    shuf_enclosure_t r, accurate;
    shuf_real_t delta;
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    double start = shuf_work();
    (void) state;
    shuf_pair_init(pair);
    shuf_enclosure_init(r);
    shuf_enclosure_init(accurate);
    shuf_real_init(delta);
    set_eps0(pair, SHUF_PAIR_CLONES, 1000000, "1");
    set(delta, "1e-6");
    o.max_work = 0.001 * 1e9;
    shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_BOTH, &o);
    assert_true(shuf_work() - start < 1e9);
    o.max_work = 0;
    o.digits = 6;
    assert_int_equal(shuf_hockey_epsilon(accurate, pair, delta, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
    assert_true(arf_cmp(r->lo, accurate->hi) <= 0 && arf_cmp(r->hi, accurate->lo) >= 0);
    shuf_pair_clear(pair);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(accurate);
    shuf_real_clear(delta);
}

/* No eps is enough for a delta below the mass that Q never has: said at once. */
static void test_infinite(void **state)
{
    static const struct { uint64_t n, k; const char *gamma, *delta; int infinite; } cases[] = {
        { 100000, 5, "1/1000", "1e-20", 1 },
        { 10, 3, "1/2", "0", 1 },
        { 1, 2, "1/2", "0.49999", 1 },  /* 1 - gamma */
        { 1, 2, "1/2", "0.5", 0 },
        { 100, 2, "1/2", "4e-13", 0 },  /* the mass is 0.5 0.75^99 = 2.1e-13 */
        { 100, 2, "1/2", "2e-13", 1 },
    };
    shuf_pair_t pair;
    shuf_real_t gamma, delta;
    shuf_enclosure_t r;
    shuf_options six = { 6, 0 };
    size_t i;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(gamma);
    shuf_real_init(delta);
    shuf_enclosure_init(r);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        set(gamma, cases[i].gamma);
        set(delta, cases[i].delta);
        assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_STRONG, cases[i].n, cases[i].k, gamma->q), 0);
        shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_BOTH, &six);
        assert_int_equal(arf_is_pos_inf(r->lo), cases[i].infinite);
        assert_int_equal(r->status == SHUF_DOMAIN, cases[i].infinite);
        assert_int_equal(arf_is_finite(r->hi), !cases[i].infinite);
        assert_true(!cases[i].infinite || r->ledger.terms == 0);
    }
    shuf_pair_clear(pair);
    shuf_real_clear(gamma);
    shuf_real_clear(delta);
    shuf_enclosure_clear(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_infinite),
        cmocka_unit_test(test_random), cmocka_unit_test(test_special), cmocka_unit_test(test_few_users), cmocka_unit_test(test_compare),
        cmocka_unit_test(test_close),
        cmocka_unit_test(test_budget),
    };
    int failed;
    seed_random();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
