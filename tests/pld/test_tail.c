/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Tail probabilities of privacy losses against enumeration, the divergence they bound, and themselves. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "hockey/hockey.h"
#include "oracle/oracle.h"
#include "pld/loss.h"
#include "pld/pld.h"
#include "check.h"
#include "random.h"

/* Enough for the products of small dyadic probabilities to be exact. */
#define PREC 1024

static void set_pair(shuf_pair_t pair, int strong, uint64_t n, uint64_t k, const char *gamma)
{
    shuf_real_t g;
    shuf_real_init(g);
    set(g, gamma);
    assert_int_equal(shuf_pair_set_krr_blanket(pair, strong ? SHUF_PAIR_KRR_STRONG : SHUF_PAIR_KRR_WEAK, n, k, g->q), 0);
    shuf_real_clear(g);
}

/* ---- enumeration ---- */

/* The view of one round, tabulated from its definition, with exact masses. */
static void small_law(oracle_law_t law, const shuf_pair_t pair, shuf_tail_law which)
{
    if (pair->kind == SHUF_PAIR_KRR_WEAK)
    {
        oracle_law_krr_weak(law, (slong) pair->n, (slong) pair->k, pair->gamma);
    }
    else if (which == SHUF_TAIL_VIEW)
    {
        oracle_law_krr_strong(law, (slong) pair->n, (slong) pair->k, pair->gamma);
    }
    else
    {
        arb_t one, zero, r, rest;
        fmpq_t k;
        arb_init(one); arb_init(zero); arb_init(r); arb_init(rest);
        fmpq_init(k);
        fmpq_set_ui(k, 1, pair->k);
        fmpq_mul(k, k, pair->gamma);
        arb_one(one);
        arb_set_fmpq(r, k, PREC);
        arb_mul_2exp_si(rest, r, 1);
        arb_sub(rest, one, rest, PREC);
        oracle_law_trinomial(law, (slong) pair->n, one, zero, zero, r, r, rest, PREC);
        arb_clear(one); arb_clear(zero); arb_clear(r); arb_clear(rest);
        fmpq_clear(k);
    }
}

/* value := P[P >= e^eps Q]; *ties counts outcomes with P = e^eps Q > 0. */
static void enumerate(arb_t value, ulong *ties, const oracle_law_t law, const shuf_real_t eps)
{
    arb_t p, q, num, den;
    slong i;
    arb_init(p); arb_init(q); arb_init(num); arb_init(den);
    shuf_real_exp(num, eps, PREC);
    arb_one(den);
    if (eps->is_log)
    {
        arb_set_fmpz(num, fmpq_numref(eps->q));
        arb_set_fmpz(den, fmpq_denref(eps->q));
    }
    *ties = 0;
    arb_zero(value);
    for (i = 0; i < law->cells; i++)
    {
        arb_mul(p, law->p + i, den, PREC);
        arb_mul(q, law->q + i, num, PREC);
        if (arb_is_zero(p))
            continue;
        if (arb_equal(p, q))
            ++*ties;
        else
            assert_true(arb_gt(p, q) || arb_lt(p, q));
        if (arb_ge(p, q))
            arb_add(value, value, law->p + i, PREC);
    }
    arb_div(value, value, law->scale, PREC);
    arb_clear(p); arb_clear(q); arb_clear(num); arb_clear(den);
}

/* A loss that one round has, often; else any eps. */
static void random_eps(shuf_real_t eps, const oracle_law_t law, uint64_t rounds)
{
    slong i = (slong) random_below((uint64_t) law->cells);
    arf_t m;
    fmpz_t x, y;
    fmpq_t q;
    char text[32];
    arf_init(m);
    fmpz_init(x); fmpz_init(y);
    fmpq_init(q);
    set(eps, "0");
    if (random_below(3) == 0)
    {
        /* or hardly more than 0, which many losses are */
        snprintf(text, sizeof(text), "%.9f", random_below(3) == 0 ? 1e-9 : 2 * (double) rounds * random_unit());
        set(eps, text);
    }
    else if (arb_is_positive(law->q + i) && arb_ge(law->p + i, law->q + i) && arb_is_exact(law->p + i))
    {
        /* log(p/q), both scaled to integers */
        arf_mul_2exp_si(m, arb_midref(law->p + i), 900);
        assert_true(arf_is_int(m));
        arf_get_fmpz(x, m, ARF_RND_DOWN);
        arf_mul_2exp_si(m, arb_midref(law->q + i), 900);
        arf_get_fmpz(y, m, ARF_RND_DOWN);
        fmpq_set_fmpz_frac(q, x, y);
        shuf_real_set_log_fmpq(eps, q);
    }
    arf_clear(m);
    fmpz_clear(x); fmpz_clear(y);
    fmpq_clear(q);
}

#define SMALL_TRIALS 400

static void test_small(void **state)
{
    static const shuf_options exact = { 20, 0 }, grid = { 2, 0 };
    ulong all_ties = 0, accurate = 0, several = 0;
    int i;
    (void) state;
    for (i = 0; i < SMALL_TRIALS; i++)
    {
        uint64_t rounds = i % 32 == 0 ? 3 : i % 16 == 0 ? 2 : 1;
        uint64_t n = 1 + random_below(rounds == 1 ? 8 : rounds == 2 ? 4 : 3);
        int strong = (int) random_below(2);
        shuf_tail_law which = random_below(2) ? SHUF_TAIL_VIEW : SHUF_TAIL_TRUTHFUL;
        uint64_t k = strong && which == SHUF_TAIL_TRUTHFUL ? 2u << random_below(2) : 2 + random_below(rounds == 1 ? 3 : 2);
        shuf_pair_t pair;
        oracle_law_t one, product[2];
        shuf_enclosure_t r;
        shuf_real_t eps;
        arb_t value;
        ulong ties;
        char gamma[32], what[160];

        shuf_pair_init(pair);
        shuf_enclosure_init(r);
        shuf_real_init(eps);
        arb_init(value);
        snprintf(gamma, sizeof(gamma), "%d/64", 1 + (int) random_below(strong ? 64 : 63));
        set_pair(pair, strong, n, k, gamma);
        small_law(one, pair, which);
        random_eps(eps, one, rounds);
        if (rounds == 1)
        {
            enumerate(value, &ties, one, eps);
        }
        else
        {
            oracle_law_product(product[0], one, one, PREC);
            if (rounds == 3)
                oracle_law_product(product[1], product[0], one, PREC);
            enumerate(value, &ties, product[rounds - 2], eps);
            oracle_law_clear(product[0]);
            if (rounds == 3)
                oracle_law_clear(product[1]);
        }
        oracle_law_clear(one);
        assert_int_not_equal(shuf_pld_tail(r, pair, rounds, eps, which, rounds == 1 ? &exact : &grid), SHUF_DOMAIN);
        snprintf(what, sizeof(what), "%s n %d k %d gamma %s law %d rounds %d eps %.60s", strong ? "strong" : "weak", (int) n,
                 (int) k, gamma, which, (int) rounds, eps->text);
        assert_true(well_formed_probability(r));
        assert_contains(r, value, what);
        if (rounds == 1)
        {
            assert_int_equal(r->status, SHUF_OK);
            all_ties += ties;
        }
        else
        {
            several++;
            accurate += r->status == SHUF_OK;
            /* losses may add up to 0, and rounded up to a little more */
            if (ties == 0 && strcmp(eps->text, "0.000000001") != 0 && r->status != SHUF_OK)
                fail_msg("%s: not accurate", what);
        }
        shuf_pair_clear(pair);
        shuf_enclosure_clear(r);
        shuf_real_clear(eps);
        arb_clear(value);
    }
    printf("%lu ties; %lu of %lu compositions accurate\n", all_ties, accurate, several);
    assert_true(all_ties > 100);
}

/* ---- larger cases ---- */

static const struct
{
    int strong;
    uint64_t n, k;
    const char *gamma, *eps;
    shuf_tail_law which;
    const char *value;
} references[] = {
    /* summed in 30-digit arithmetic over all (N1, N2), or (B, N1, N2) */
    { 1, 1000, 4, "1/4", "0", SHUF_TAIL_TRUTHFUL, "0.553441053402669" },
    { 1, 1000, 4, "1/4", "0.5", SHUF_TAIL_TRUTHFUL, "0.00395997343873101" },
    { 1, 1000, 4, "1/4", "1", SHUF_TAIL_TRUTHFUL, "2.02607503415495e-7" },
    { 1, 200, 2, "9/10", "0.7", SHUF_TAIL_TRUTHFUL, "3.99479003622601e-6" },
    { 1, 1000, 2, "1/2", "0.7", SHUF_TAIL_TRUTHFUL, "2.95558145077111e-14" },
    { 0, 100, 4, "1/4", "0", SHUF_TAIL_VIEW, "0.638926610066233" },
    { 0, 100, 4, "1/4", "0.5", SHUF_TAIL_VIEW, "0.167461829687171" },
    { 0, 1000, 4, "1/4", "0.1", SHUF_TAIL_VIEW, "0.248412468668547" },
};

static void test_references(void **state)
{
    shuf_options options = { 9, 0 };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(references) / sizeof(references[0]); i++)
    {
        shuf_pair_t pair;
        shuf_enclosure_t r;
        shuf_real_t eps;
        arb_t value;
        shuf_pair_init(pair);
        shuf_enclosure_init(r);
        shuf_real_init(eps);
        arb_init(value);
        set_pair(pair, references[i].strong, references[i].n, references[i].k, references[i].gamma);
        set(eps, references[i].eps);
        arb_set_str(value, references[i].value, 128);
        mag_set_d(arb_radref(value), 1e-14 * arf_get_d(arb_midref(value), ARF_RND_UP));
        assert_int_equal(shuf_pld_tail(r, pair, 1, eps, references[i].which, &options), SHUF_OK);
        assert_contains(r, value, references[i].value);
        shuf_pair_clear(pair);
        shuf_enclosure_clear(r);
        shuf_real_clear(eps);
        arb_clear(value);
    }
}

/* One round on the grid is what the strata give. */
static void test_grid_is_exact(void **state)
{
    shuf_options options = { 10, 0 }, grid = { 3, 0 };
    int i;
    (void) state;
    for (i = 0; i < 16; i++)
    {
        int strong = i % 2;
        shuf_tail_law which = i % 4 < 2 ? SHUF_TAIL_TRUTHFUL : SHUF_TAIL_VIEW;
        shuf_pair_t pair;
        shuf_enclosure_t r, exact;
        shuf_real_t eps;
        char text[32];
        shuf_pair_init(pair);
        shuf_enclosure_init(r);
        shuf_enclosure_init(exact);
        shuf_real_init(eps);
        snprintf(text, sizeof(text), "%d/64", 1 + (int) random_below(63));
        set_pair(pair, strong, 20 + random_below(strong ? 1000 : 100), 2 + random_below(5), text);
        snprintf(text, sizeof(text), "%.4f", random_unit());
        set(eps, text);
        assert_int_equal(shuf_pld_tail(exact, pair, 1, eps, which, &options), SHUF_OK);
        arf_one(r->hi);
        mag_one(r->ledger.truncation);
        loss_rounds(r, pair, 1, eps, which, &grid, 0);
        assert_true(well_formed_probability(r));
        /* one loss near eps may weigh much of a small tail */
        assert_true(arf_cmp_d(exact->lo, 1e-9) < 0 || shuf_enclosure_accurate(r, 1));
        if (!overlap(r, exact))
            fail_msg("n %lu: grid [%.12g, %.12g], strata %.12g", (unsigned long) pair->n, arf_get_d(r->lo, ARF_RND_DOWN),
                     arf_get_d(r->hi, ARF_RND_UP), arf_get_d(exact->lo, ARF_RND_DOWN));
        shuf_pair_clear(pair);
        shuf_enclosure_clear(r);
        shuf_enclosure_clear(exact);
        shuf_real_clear(eps);
    }
}

/* It is at least delta, and falls as eps grows. */
static void test_bounds_delta(void **state)
{
    static const char *const points[] = { "0", "0.05", "log(3/2)", "1" };
    static const struct { int strong; shuf_tail_law which; } cases[] = { { 1, SHUF_TAIL_TRUTHFUL }, { 1, SHUF_TAIL_VIEW },
                                                                         { 0, SHUF_TAIL_VIEW } };
    shuf_options options = { 12, 0 }, grid = { 2, 0 };
    shuf_pld_options pld = SHUF_PLD_OPTIONS_DEFAULT;
    uint64_t rounds;
    size_t i, j;
    (void) state;
    pld.budget = grid;
    for (rounds = 1; rounds <= 5; rounds += 4)
    {
        for (i = 0; i < 3; i++)
        {
            shuf_pair_t pair;
            shuf_law_struct profile;
            shuf_pld_part part;
            shuf_enclosure_t r, delta, last;
            shuf_real_t eps;
            shuf_pair_init(pair);
            shuf_enclosure_init(r);
            shuf_enclosure_init(delta);
            shuf_enclosure_init(last);
            shuf_real_init(eps);
            set_pair(pair, cases[i].strong, 80, 3, "2/5");
            shuf_law_set_pair(&profile, pair);
            part.law = &profile;
            part.rounds = rounds;
            arf_one(last->hi);
            for (j = 0; j < sizeof(points) / sizeof(points[0]); j++)
            {
                set(eps, points[j]);
                shuf_pld_tail(r, pair, rounds, eps, cases[i].which, rounds == 1 ? &options : &grid);
                if (rounds == 1)
                    shuf_hockey_delta(delta, pair, eps, SHUF_DIRECTION_PQ, &options);
                else
                    shuf_pld_delta(delta, &part, 1, eps, SHUF_DIRECTION_PQ, &pld);
                assert_true(arf_cmp(r->lo, delta->hi) >= 0);
                assert_true(arf_cmp(r->lo, last->hi) <= 0);
                shuf_enclosure_set(last, r);
            }
            shuf_pair_clear(pair);
            shuf_enclosure_clear(r);
            shuf_enclosure_clear(delta);
            shuf_enclosure_clear(last);
            shuf_real_clear(eps);
        }
    }
}

/* Losses that do not vary, and what is refused. */
static void test_ends(void **state)
{
    shuf_options options = { 9, 0 };
    shuf_pair_t pair;
    shuf_enclosure_t r;
    shuf_real_t eps;
    int strong;
    uint64_t rounds;
    (void) state;
    shuf_pair_init(pair);
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    for (rounds = 1; rounds <= 3; rounds += 2)
    {
        for (strong = 0; strong < 2; strong++)
        {
            /* every user truthful: an infinite loss */
            set(eps, "1000");
            set_pair(pair, strong, 10, 3, "0");
            assert_int_equal(shuf_pld_tail(r, pair, rounds, eps, SHUF_TAIL_VIEW, &options), SHUF_OK);
            assert_true(arf_is_one(r->lo) && arf_is_one(r->hi));
            /* every user random: no loss */
            set_pair(pair, strong, 10, 3, "1");
            set(eps, "0");
            assert_int_equal(shuf_pld_tail(r, pair, rounds, eps, SHUF_TAIL_VIEW, &options), SHUF_OK);
            assert_true(arf_is_one(r->lo) && arf_is_one(r->hi));
            set(eps, "1e-9");
            assert_int_equal(shuf_pld_tail(r, pair, rounds, eps, SHUF_TAIL_VIEW, &options), SHUF_OK);
            assert_true(arf_is_zero(r->lo) && arf_is_zero(r->hi));
        }
        /* nearly every loss is 69, above what the grid holds */
        set_pair(pair, 0, 10, 3, "1e-30");
        set(eps, "10");
        shuf_pld_tail(r, pair, rounds, eps, SHUF_TAIL_VIEW, &options);
        assert_true(arf_cmp_d(r->hi, 0.999) > 0);
        /* at the largest loss of krr-weak, and beyond */
        set_pair(pair, 0, 10, 3, "1/2");
        set(eps, rounds == 1 ? "log(4)" : "log(64)");
        shuf_pld_tail(r, pair, rounds, eps, SHUF_TAIL_VIEW, &options);
        assert_true(arf_sgn(r->hi) > 0 && (rounds > 1 || r->status == SHUF_OK));
        set(eps, rounds == 1 ? "log(4.0000001)" : "log(64.0000001)");
        assert_int_equal(shuf_pld_tail(r, pair, rounds, eps, SHUF_TAIL_VIEW, &options), SHUF_OK);
        assert_true(arf_is_zero(r->hi));
    }
    set(eps, "-1/10");
    assert_int_equal(shuf_pld_tail(r, pair, 1, eps, SHUF_TAIL_VIEW, &options), SHUF_DOMAIN);
    set(eps, "1");
    assert_int_equal(shuf_pld_tail(r, pair, 0, eps, SHUF_TAIL_VIEW, &options), SHUF_DOMAIN);
    assert_int_equal(shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, 10, eps), 0);
    assert_int_equal(shuf_pld_tail(r, pair, 1, eps, SHUF_TAIL_VIEW, &options), SHUF_DOMAIN);
    shuf_pair_clear(pair);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),        cmocka_unit_test(test_references), cmocka_unit_test(test_grid_is_exact),
        cmocka_unit_test(test_bounds_delta), cmocka_unit_test(test_ends),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
