/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The integer engine for sums of losses: between its two directions lies the
 * exact value, by rational convolution for tiny laws and by binomial tails.
 * SHUFBOUND_SEED repeats a run.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "flint_headers.h"
#include <flint/fmpz_vec.h>

#include "binomial/binomial.h"
#include "enclosure/enclosure.h"
#include "pld/exact.h"
#include "random.h"

#define MOST 6       /* nodes of a tiny law */
#define MAX_POWER 5
#define MASS_BITS 20 /* its masses are multiples of 2^-MASS_BITS */
#define PREC 1000

static void set_mass(arf_t mass, uint64_t numerator, slong denominator_bits)
{
    arf_set_ui(mass, numerator);
    arf_mul_2exp_si(mass, mass, -denominator_bits);
}

static void set_eps(shuf_real_t eps, const char *text)
{
    assert_int_equal(shuf_real_set_str(eps, text), 0);
}

/* Both bounds of a sum that is known to fit, and what their errors come to. */
typedef struct
{
    exact_sum_t sum[2]; /* down, up */
    arf_t lo, hi;
    convolution_errors below, above;
} engine;

static void engine_init(engine *e, const grid_factor *factors, size_t count, slong bits)
{
    assert_int_equal(exact_sum_init(e->sum[0], factors, count, bits, 0, 0), 0);
    assert_int_equal(exact_sum_init(e->sum[1], factors, count, bits, 1, 0), 0);
    arf_init(e->lo);
    arf_init(e->hi);
    convolution_errors_init(&e->below);
    convolution_errors_init(&e->above);
}

static void engine_clear(engine *e)
{
    exact_sum_clear(e->sum[0]);
    exact_sum_clear(e->sum[1]);
    arf_clear(e->lo);
    arf_clear(e->hi);
    convolution_errors_clear(&e->below);
    convolution_errors_clear(&e->above);
}

static void evaluate(engine *e, const shuf_real_t eps, int tail)
{
    exact_sum_delta(e->lo, &e->below, e->sum[0], eps, tail);
    exact_sum_delta(e->hi, &e->above, e->sum[1], eps, tail);
    assert_true(mag_is_zero(e->below.aliasing));
    assert_true(mag_is_zero(e->below.infinite));
    assert_true(arf_sgn(e->lo) >= 0);
}

/* 0 <= difference <= allowed, not certainly wrong: the ball is far narrower than any unit. */
static void check_difference(const arb_t difference, const mag_t allowed)
{
    arb_t rest;
    arf_t a;
    assert_false(arb_is_negative(difference));
    arb_init(rest);
    arf_init(a);
    arf_set_mag(a, allowed);
    arb_sub_arf(rest, difference, a, PREC);
    assert_false(arb_is_positive(rest));
    arb_clear(rest);
    arf_clear(a);
}

/* lo <= value <= hi, and no further off than the errors say. */
static void check(const engine *e, const arb_t value)
{
    arb_t difference;
    mag_t allowed;
    arb_init(difference);
    mag_init(allowed);
    arb_sub_arf(difference, value, e->lo, PREC);
    check_difference(difference, e->below.rounding);
    arb_sub_arf(difference, value, e->hi, PREC);
    arb_neg(difference, difference);
    mag_add(allowed, e->above.rounding, e->above.aliasing);
    check_difference(difference, allowed);
    arb_clear(difference);
    mag_clear(allowed);
}

/* A law in whole numbers of units of 2^-unit_bits. */
typedef struct
{
    slong first, length, log2_step, unit_bits;
    fmpz *mass;
    fmpz_t infinite;
} plain_law;

static void plain_init(plain_law *a, slong log2_step)
{
    a->first = 0;
    a->length = 1;
    a->log2_step = log2_step;
    a->unit_bits = 0;
    a->mass = _fmpz_vec_init(1);
    fmpz_one(a->mass);
    fmpz_init(a->infinite);
}

static void plain_clear(plain_law *a)
{
    _fmpz_vec_clear(a->mass, a->length);
    fmpz_clear(a->infinite);
}

/* By the definition: every pair of outcomes, those at infinity included. */
static void plain_add(plain_law *a, const grid_law_t law)
{
    slong length = a->length + law->length - 1, i, j;
    fmpz *mass = _fmpz_vec_init(length);
    arf_t scaled;
    fmpz_t m, infinite;
    arf_init(scaled);
    fmpz_init(m);
    fmpz_init(infinite);
    for (j = 0; j <= law->length; j++)
    {
        arf_mul_2exp_si(scaled, j < law->length ? law->mass + j : law->infinite, MASS_BITS);
        assert_true(arf_is_int(scaled));
        arf_get_fmpz(m, scaled, ARF_RND_DOWN);
        for (i = 0; i < a->length; i++)
            fmpz_addmul(j < law->length ? mass + i + j : infinite, a->mass + i, m);
        fmpz_addmul(infinite, a->infinite, m);
    }
    _fmpz_vec_clear(a->mass, a->length);
    a->mass = mass;
    a->length = length;
    a->first += law->first;
    a->unit_bits += MASS_BITS;
    fmpz_swap(a->infinite, infinite);
    arf_clear(scaled);
    fmpz_clear(m);
    fmpz_clear(infinite);
}

static void plain_value(arb_t value, const plain_law *a, const shuf_real_t eps, int tail)
{
    arb_t weight, shift;
    arf_t loss;
    shuf_real_t s;
    slong j;
    arb_init(weight);
    arb_init(shift);
    arf_init(loss);
    shuf_real_init(s);
    arb_set_fmpz(value, a->infinite);
    shuf_real_get_arb(shift, eps, PREC);
    for (j = 0; j < a->length; j++)
    {
        arf_set_si_2exp_si(loss, a->first + j, a->log2_step);
        shuf_real_set_arf(s, loss);
        if (shuf_real_cmp(s, eps) < 0)
            continue;
        arb_one(weight);
        if (!tail)
        {
            arb_sub_arf(weight, shift, loss, PREC);
            arb_expm1(weight, weight, PREC);
            arb_neg(weight, weight);
        }
        arb_mul_fmpz(weight, weight, a->mass + j, PREC);
        arb_add(value, value, weight, PREC);
    }
    arb_mul_2exp_si(value, value, -a->unit_bits);
    arb_clear(weight);
    arb_clear(shift);
    arf_clear(loss);
    shuf_real_clear(s);
}

/* Total mass below 1, some masses 0 or very small. */
static void random_law(grid_law_t law, slong log2_step)
{
    slong length = 1 + (slong) random_below(MOST), i;
    grid_law_init(law, (slong) random_below(12) - 6, length, log2_step);
    for (i = 0; i <= length; i++)
    {
        uint64_t below = (UINT64_C(1) << MASS_BITS) / ((uint64_t) length + 1), choice = random_below(4);
        uint64_t mass = choice == 0 ? 0 : choice == 1 ? random_below(8) : random_below(below);
        set_mass(i < length ? law->mass + i : law->infinite, mass, MASS_BITS);
    }
}

/* Quarters of a step: a node, just above it, half way to the next, and a logarithm. */
static void choose_eps(shuf_real_t eps, slong quarters, slong log2_step)
{
    int kind = (int) (((quarters % 4) + 4) % 4);
    arf_t x;
    arf_init(x);
    arf_set_si_2exp_si(x, kind == 1 ? quarters - 1 : quarters, log2_step - 2);
    shuf_real_set_arf(eps, x);
    if (kind == 1)
    {
        fmpq_t nudge;
        fmpq_init(nudge);
        fmpz_one(fmpq_numref(nudge));
        fmpz_ui_pow_ui(fmpq_denref(nudge), 10, 60);
        fmpq_add(nudge, nudge, eps->q);
        shuf_real_set_fmpq(eps, nudge);
        fmpq_clear(nudge);
    }
    else if (kind == 3)
    {
        assert_int_equal(shuf_real_set_d(eps, exp(arf_get_d(x, ARF_RND_NEAR))), 0);
        shuf_real_set_log_fmpq(eps, eps->q);
    }
    arf_clear(x);
}

/* new <= old, up to a small part of a unit; new becomes the old. */
static void check_falling(arf_t old, const arf_t new, slong bits)
{
    arf_t limit;
    arf_init(limit);
    arf_set_si_2exp_si(limit, 1, -bits - 30);
    arf_add(limit, limit, old, ARF_PREC_EXACT, ARF_RND_DOWN);
    assert_true(arf_cmp(new, limit) <= 0);
    arf_set(old, new);
    arf_clear(limit);
}

/* At every kind of eps, from below all nodes to above; returns the largest error in units of 2^-bits. */
static double check_everywhere(engine *e, const plain_law *plain, slong bits, int tail)
{
    double widest = 0;
    slong quarters;
    arf_t lo, hi;
    arb_t value;
    mag_t width;
    shuf_real_t eps;
    arf_init(lo);
    arf_init(hi);
    arb_init(value);
    mag_init(width);
    shuf_real_init(eps);
    arf_set_ui(lo, 2);
    arf_set_ui(hi, 2);
    for (quarters = 4 * plain->first - 9; quarters <= 4 * (plain->first + plain->length) + 4; quarters++)
    {
        choose_eps(eps, quarters, plain->log2_step);
        evaluate(e, eps, tail);
        plain_value(value, plain, eps, tail);
        check(e, value);
        check_falling(lo, e->lo, bits);
        check_falling(hi, e->hi, bits);
        mag_add(width, e->below.rounding, e->above.rounding);
        mag_add(width, width, e->above.aliasing);
        mag_mul_2exp_si(width, width, bits);
        widest = fmax(widest, mag_get_d(width));
    }
    arf_clear(lo);
    arf_clear(hi);
    arb_clear(value);
    mag_clear(width);
    shuf_real_clear(eps);
    return widest;
}

static void test_tiny(void **state)
{
    double widest = 0;
    int round, tail;
    (void) state;
    for (round = 0; round < 300; round++)
    {
        slong log2_step = (slong) random_below(5) - 3, bits = 8 + (slong) random_below(100);
        size_t count = 1 + (size_t) random_below(2), k;
        uint64_t copies = 0, i;
        grid_law_t law[2];
        grid_factor factors[2];
        plain_law plain;
        engine e;
        plain_init(&plain, log2_step);
        for (k = 0; k < count; k++)
        {
            random_law(law[k], log2_step);
            factors[k].law = law[k];
            factors[k].power = 1 + random_below(MAX_POWER);
            copies += factors[k].power;
            for (i = 0; i < factors[k].power; i++)
                plain_add(&plain, law[k]);
        }
        engine_init(&e, factors, count, bits);
        for (tail = 0; tail < 2; tail++)
            widest = fmax(widest, check_everywhere(&e, &plain, bits, tail) / (double) ((uint64_t) plain.length * copies));
        engine_clear(&e);
        plain_clear(&plain);
        for (k = 0; k < count; k++)
            grid_law_clear(law[k]);
    }
    printf("errors at most %.3g units for every coefficient and copy\n", widest);
    assert_true(widest < 5);
}

/* To the power 1 the integers are the masses, rounded the right way or exact. */
static void test_power_one(void **state)
{
    grid_law_t law;
    grid_factor factor = { law, 1 };
    engine e;
    slong bits, j;
    int up;
    (void) state;
    grid_law_init(law, -3, 6, -2);
    set_mass(law->mass + 1, 5, 4);
    set_mass(law->mass + 2, 1, 8);
    set_mass(law->mass + 4, 3, 8);
    set_mass(law->infinite, 1, 8);
    for (bits = 2; bits <= 8; bits += 6)
    {
        const slong expected[2][2][4] = { { { 1, 0, 0, 0 }, { 2, 1, 0, 1 } }, { { 80, 1, 0, 3 }, { 80, 1, 0, 3 } } };
        const slong lengths[2][2] = { { 1, 4 }, { 4, 4 } };
        engine_init(&e, &factor, 1, bits);
        for (up = 0; up < 2; up++)
        {
            assert_int_equal(fmpz_get_si(e.sum[up]->first), -2);
            assert_int_equal(fmpz_poly_length(e.sum[up]->mass), lengths[bits == 8][up]);
            for (j = 0; j < 4; j++)
                assert_int_equal(fmpz_poly_get_coeff_si(e.sum[up]->mass, j), expected[bits == 8][up][j]);
            assert_int_equal(fmpz_get_si(e.sum[up]->infinite), bits == 8 || up);
            assert_true(fmpz_is_zero(e.sum[up]->moved));
            assert_int_equal(mag_cmp_2exp_si(e.sum[up]->rounding, -60) < 0, bits == 8);
        }
        engine_clear(&e);
    }
    grid_law_clear(law);
}

/* Two outcomes, x the probability of the upper one: tails of a binomial law. */
static void binomial_law(grid_law_t law, const char *x)
{
    shuf_real_t p;
    arb_t q;
    shuf_real_init(p);
    arb_init(q);
    set_eps(p, x);
    grid_law_init(law, 0, 2, 0);
    shuf_real_get_arb(q, p, 300);
    arf_set(law->mass + 1, arb_midref(q));
    arf_neg(law->mass, law->mass + 1);
    arf_add_ui(law->mass, law->mass, 1, ARF_PREC_EXACT, ARF_RND_DOWN);
    shuf_real_clear(p);
    arb_clear(q);
}

static void test_binomial(void **state)
{
    const struct
    {
        uint64_t power;
        const char *x;
        slong bits;
    } cases[] = { { 1000, "0.3", 200 }, { 1000, "0.001", 400 }, { 1023, "0.5", 150 }, { 30000, "0.25", 160 } };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        const uint64_t power = cases[i].power;
        grid_law_t law;
        grid_factor factor = { law, power };
        engine e;
        shuf_real_t eps;
        arb_t value, p, q;
        uint64_t k;
        binomial_law(law, cases[i].x);
        engine_init(&e, &factor, 1, cases[i].bits);
        shuf_real_init(eps);
        arb_init(value);
        arb_init(p);
        arb_init(q);
        arb_set_arf(p, law->mass + 1);
        arb_set_arf(q, law->mass);
        for (k = 0; k <= power + 1; k += k <= 1 || k >= power ? 1 : power / 37)
        {
            arf_t loss;
            arf_init(loss);
            arf_set_ui(loss, k);
            shuf_real_set_arf(eps, loss);
            arf_clear(loss);
            evaluate(&e, eps, 1);
            shuf_binomial_tail(value, power, k, p, q, PREC);
            check(&e, value);
        }
        /* the law stays as short as its mass, and that costs little */
        assert_true(fmpz_poly_length(e.sum[1]->mass) < 60 * (slong) sqrt((double) power));
        mag_add(e.above.rounding, e.above.rounding, e.above.aliasing);
        mag_add(e.above.rounding, e.above.rounding, e.below.rounding);
        mag_mul_2exp_si(e.above.rounding, e.above.rounding, cases[i].bits);
        printf("Bin(%llu, %s): %ld coefficients above, %ld below, errors %.3g units\n", (unsigned long long) power, cases[i].x,
               (long) fmpz_poly_length(e.sum[1]->mass), (long) fmpz_poly_length(e.sum[0]->mass), mag_get_d(e.above.rounding));
        assert_true(mag_get_d(e.above.rounding) < 10 * (double) power * 60 * sqrt((double) power));
        engine_clear(&e);
        grid_law_clear(law);
        shuf_real_clear(eps);
        arb_clear(value);
        arb_clear(p);
        arb_clear(q);
    }
}

/* Atoms at +infinity alone, beside others, and in one factor of two. */
static void test_infinite(void **state)
{
    grid_law_t law, other;
    grid_factor factors[2] = { { law, 3 }, { other, 2 } };
    engine e;
    shuf_real_t eps;
    (void) state;
    grid_law_init(law, 0, 1, 0);
    grid_law_init(other, 0, 1, 0);
    shuf_real_init(eps);
    set_mass(law->infinite, 1, 1);
    set_mass(other->mass, 3, 2);
    set_mass(other->infinite, 1, 2);
    set_eps(eps, "1000000");
    /* no finite outcome at all: 1/8, whatever the weight */
    engine_init(&e, factors, 1, 40);
    evaluate(&e, eps, 0);
    assert_true(arf_equal_d(e.lo, 0.125) && arf_equal_d(e.hi, 0.125));
    assert_true(mag_cmp_2exp_si(e.above.infinite, -3) >= 0);
    evaluate(&e, eps, 1);
    assert_true(arf_equal_d(e.lo, 0.125) && arf_equal_d(e.hi, 0.125));
    engine_clear(&e);
    /* 1 - (3/4)^2 */
    engine_init(&e, factors + 1, 1, 40);
    evaluate(&e, eps, 0);
    assert_true(arf_equal_d(e.lo, 0.4375) && arf_equal_d(e.hi, 0.4375));
    engine_clear(&e);
    /* all is infinite, with total mass 1/8 */
    engine_init(&e, factors, 2, 40);
    evaluate(&e, eps, 0);
    assert_true(arf_equal_d(e.lo, 0.125) && arf_equal_d(e.hi, 0.125));
    engine_clear(&e);
    /* 2 (3/4) 2^-100 and more: two units, or nothing */
    set_mass(other->infinite, 1, 100);
    engine_init(&e, factors + 1, 1, 40);
    evaluate(&e, eps, 0);
    assert_true(arf_is_zero(e.lo));
    assert_int_equal(arf_cmp_2exp_si(e.hi, -39), 0);
    engine_clear(&e);
    shuf_real_clear(eps);
    grid_law_clear(law);
    grid_law_clear(other);
}

/* Losses beyond 64 bits, told apart from eps exactly. */
static void test_far(void **state)
{
    const slong far = WORD(1) << 61;
    grid_law_t law;
    grid_factor factor = { law, 1 << 10 };
    engine e;
    shuf_real_t eps;
    (void) state;
    grid_law_init(law, far + 1, 1, -61); /* 1024 (1 + 2^-61) */
    arf_one(law->mass);
    engine_init(&e, &factor, 1, 30);
    shuf_real_init(eps);
    set_eps(eps, "0x400.0000000000002");
    evaluate(&e, eps, 1);
    assert_true(arf_is_one(e.lo) && arf_is_one(e.hi));
    evaluate(&e, eps, 0);
    assert_true(arf_is_zero(e.lo) && arf_is_zero(e.hi));
    set_eps(eps, "0x400.00000000000020001"); /* just above */
    evaluate(&e, eps, 1);
    assert_true(arf_is_zero(e.lo) && arf_is_zero(e.hi));
    set_eps(eps, "0x400.0000000000001ffffffffffffffffffff"); /* just below: at this precision w may be 0 */
    evaluate(&e, eps, 0);
    assert_true(arf_is_zero(e.lo) && arf_cmp_2exp_si(e.hi, -60) < 0);
    set_eps(eps, "-1e10000");
    evaluate(&e, eps, 0);
    assert_true(arf_cmp_d(e.lo, 1 - 1e-15) > 0 && arf_cmp_d(e.hi, 1 + 1e-15) < 0);
    set_eps(eps, "1e10000");
    evaluate(&e, eps, 0);
    assert_true(arf_is_zero(e.lo) && arf_is_zero(e.hi));
    engine_clear(&e);
    shuf_real_clear(eps);
    grid_law_clear(law);
}

static void test_limits(void **state)
{
    double past;
    grid_law_t law;
    grid_factor factor = { law, 1 }, both[2] = { { law, 1 }, { law, 2 } };
    exact_sum_t x;
    (void) state;
    /* the limit is for products */
    shuf_charge(1000);
    past = shuf_work() - 500;
    binomial_law(law, "0.5");
    assert_int_equal(exact_sum_init(x, &factor, 1, 50, 1, past), 0);
    exact_sum_clear(x);
    factor.power = 2;
    assert_int_equal(exact_sum_init(x, &factor, 1, 50, 1, past), -1);
    assert_int_equal(exact_sum_init(x, both, 2, 50, 1, past), -1);
    assert_int_equal(exact_sum_init(x, &factor, 1, 50, 1, shuf_work() + 1e12), 0);
    exact_sum_clear(x);
    grid_law_clear(law);
    /* a law too large, and a product */
    grid_law_init(law, 0, 1 << 12, 0);
    factor.power = 1;
    assert_int_equal(exact_sum_init(x, &factor, 1, 1 << 20, 0, 0), -1);
    grid_law_clear(law);
    grid_law_init(law, 0, 1 << 20, 0);
    set_mass(law->mass, 1, 1);
    set_mass(law->mass + law->length - 1, 1, 1);
    assert_int_equal(exact_sum_init(x, &factor, 1, 1000, 0, 0), 0);
    exact_sum_clear(x);
    factor.power = 2;
    assert_int_equal(exact_sum_init(x, &factor, 1, 1000, 0, 0), -1);
    grid_law_clear(law);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiny), cmocka_unit_test(test_power_one), cmocka_unit_test(test_binomial),
        cmocka_unit_test(test_infinite), cmocka_unit_test(test_far), cmocka_unit_test(test_limits),
    };
    int failed = cmocka_run_group_tests(tests, seed_group, NULL);
    flint_cleanup();
    return failed;
}
