/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Sums of losses on a grid, in whole numbers: between the two directions of
 * each lies the exact value, by rational convolution for tiny laws and by
 * binomial tails. SHUFBOUND_SEED repeats a run.
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
#include "certificate/sum.h"
#include "enclosure/enclosure.h"
#include "pld/grid.h"
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

/* Both bounds of a sum that is known to fit. */
typedef struct
{
    loss_sum_t sum[2]; /* down, up */
    arf_t lo, hi;
} bounds;

static void bounds_init(bounds *e, const grid_law_t law, uint64_t rounds, slong bits)
{
    assert_int_equal(loss_sum_init(e->sum[0], law, rounds, bits, 0), 0);
    assert_int_equal(loss_sum_init(e->sum[1], law, rounds, bits, 1), 0);
    arf_init(e->lo);
    arf_init(e->hi);
}

static void bounds_clear(bounds *e)
{
    loss_sum_clear(e->sum[0]);
    loss_sum_clear(e->sum[1]);
    arf_clear(e->lo);
    arf_clear(e->hi);
}

static void evaluate(bounds *e, const shuf_real_t eps)
{
    loss_sum_delta(e->lo, e->sum[0], eps);
    loss_sum_delta(e->hi, e->sum[1], eps);
    assert_true(arf_sgn(e->lo) >= 0);
}

/* lo <= value <= hi, not certainly wrong: the ball is far narrower than any unit. */
static void assert_contains(const arb_t value, const arf_t lo, const arf_t hi)
{
    arb_t difference;
    arb_init(difference);
    arb_sub_arf(difference, value, lo, PREC);
    assert_false(arb_is_negative(difference));
    arb_sub_arf(difference, value, hi, PREC);
    assert_false(arb_is_positive(difference));
    arb_clear(difference);
}

/* That, and the width in units of 2^-bits. */
static double check(const bounds *e, const arb_t value, slong bits)
{
    arf_t width;
    double units;
    assert_contains(value, e->lo, e->hi);
    arf_init(width);
    arf_sub(width, e->hi, e->lo, 53, ARF_RND_UP);
    arf_mul_2exp_si(width, width, bits);
    units = arf_get_d(width, ARF_RND_UP);
    arf_clear(width);
    return units;
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

static void plain_value(arb_t value, const plain_law *a, const shuf_real_t eps)
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
        arb_sub_arf(weight, shift, loss, PREC);
        arb_expm1(weight, weight, PREC);
        arb_neg(weight, weight);
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

/* At every kind of eps, from below all nodes to above; returns the largest width in units of 2^-bits. */
static double check_everywhere(bounds *e, const plain_law *plain, slong bits)
{
    double widest = 0;
    slong quarters;
    arf_t lo, hi;
    arb_t value;
    shuf_real_t eps;
    arf_init(lo);
    arf_init(hi);
    arb_init(value);
    shuf_real_init(eps);
    arf_set_ui(lo, 2);
    arf_set_ui(hi, 2);
    for (quarters = 4 * plain->first - 9; quarters <= 4 * (plain->first + plain->length) + 4; quarters++)
    {
        choose_eps(eps, quarters, plain->log2_step);
        evaluate(e, eps);
        plain_value(value, plain, eps);
        widest = fmax(widest, check(e, value, bits));
        check_falling(lo, e->lo, bits);
        check_falling(hi, e->hi, bits);
    }
    arf_clear(lo);
    arf_clear(hi);
    arb_clear(value);
    shuf_real_clear(eps);
    return widest;
}

static void test_tiny(void **state)
{
    double widest = 0;
    int round;
    (void) state;
    for (round = 0; round < 300; round++)
    {
        slong log2_step = (slong) random_below(5) - 3, bits = 8 + (slong) random_below(100);
        uint64_t copies = 1 + random_below(MAX_POWER), i;
        grid_law_t law;
        plain_law plain;
        bounds e;
        plain_init(&plain, log2_step);
        random_law(law, log2_step);
        for (i = 0; i < copies; i++)
            plain_add(&plain, law);
        bounds_init(&e, law, copies, bits);
        widest = fmax(widest, check_everywhere(&e, &plain, bits) / (double) ((uint64_t) plain.length * copies));
        bounds_clear(&e);
        plain_clear(&plain);
        grid_law_clear(law);
    }
    printf("widths at most %.3g units for every coefficient and copy\n", widest);
    assert_true(widest < 5);
}

/* To the power 1 the integers are the masses, rounded the right way or exact. */
static void test_power_one(void **state)
{
    grid_law_t law;
    bounds e;
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
        bounds_init(&e, law, 1, bits);
        for (up = 0; up < 2; up++)
        {
            assert_int_equal(fmpz_get_si(e.sum[up]->first), -2);
            assert_int_equal(fmpz_poly_length(e.sum[up]->mass), lengths[bits == 8][up]);
            for (j = 0; j < 4; j++)
                assert_int_equal(fmpz_poly_get_coeff_si(e.sum[up]->mass, j), expected[bits == 8][up][j]);
            assert_int_equal(fmpz_get_si(e.sum[up]->infinite), bits == 8 || up);
        }
        bounds_clear(&e);
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

/* E(1 - e^(k-Y))_+, Y ~ Bin(power, p): Pr[Y >= k] - e^k m^power Pr[Y' >= k], m = q + p/e, Y' of probability p/(e m). */
static void binomial_delta(arb_t value, uint64_t power, uint64_t k, const arb_t p, const arb_t q)
{
    arb_t m, t, tilted, rest;
    arb_init(m);
    arb_init(t);
    arb_init(tilted);
    arb_init(rest);
    arb_set_si(t, -1);
    arb_exp(t, t, PREC);
    arb_mul(tilted, p, t, PREC);
    arb_add(m, q, tilted, PREC);
    arb_div(tilted, tilted, m, PREC);
    arb_div(rest, q, m, PREC);
    shuf_binomial_tail(t, power, k, tilted, rest, PREC);
    arb_pow_ui(m, m, power, PREC);
    arb_mul(t, t, m, PREC);
    arb_set_ui(m, k);
    arb_exp(m, m, PREC);
    shuf_binomial_tail(value, power, k, p, q, PREC);
    arb_submul(value, t, m, PREC);
    arb_clear(m);
    arb_clear(t);
    arb_clear(tilted);
    arb_clear(rest);
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
        double widest = 0;
        grid_law_t law;
        bounds e;
        shuf_real_t eps;
        arb_t value, p, q;
        uint64_t k;
        binomial_law(law, cases[i].x);
        bounds_init(&e, law, power, cases[i].bits);
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
            evaluate(&e, eps);
            binomial_delta(value, power, k, p, q);
            widest = fmax(widest, check(&e, value, cases[i].bits));
        }
        /* the law stays as short as its mass, and that costs little */
        assert_true(fmpz_poly_length(e.sum[1]->mass) < 60 * (slong) sqrt((double) power));
        printf("Bin(%llu, %s): %ld coefficients above, %ld below, widths %.3g units\n", (unsigned long long) power, cases[i].x,
               (long) fmpz_poly_length(e.sum[1]->mass), (long) fmpz_poly_length(e.sum[0]->mass), widest);
        assert_true(widest < 10 * (double) power * 60 * sqrt((double) power));
        bounds_clear(&e);
        grid_law_clear(law);
        shuf_real_clear(eps);
        arb_clear(value);
        arb_clear(p);
        arb_clear(q);
    }
}

static void assert_ends(const bounds *e, double lo, double hi)
{
    assert_true(arf_equal_d(e->lo, lo) && arf_equal_d(e->hi, hi));
}

/* Atoms at +infinity alone, and beside others. */
static void test_infinite(void **state)
{
    grid_law_t law, other;
    bounds e;
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
    bounds_init(&e, law, 3, 40);
    evaluate(&e, eps);
    assert_ends(&e, 0.125, 0.125);
    bounds_clear(&e);
    /* 1 - (3/4)^2 */
    bounds_init(&e, other, 2, 40);
    evaluate(&e, eps);
    assert_ends(&e, 0.4375, 0.4375);
    bounds_clear(&e);
    /* 2 (3/4) 2^-100 and more: two units, or nothing */
    set_mass(other->infinite, 1, 100);
    bounds_init(&e, other, 2, 40);
    evaluate(&e, eps);
    assert_ends(&e, 0, 0x1p-39);
    bounds_clear(&e);
    shuf_real_clear(eps);
    grid_law_clear(law);
    grid_law_clear(other);
}

/* Losses beyond 64 bits, told apart from eps exactly. */
static void test_far(void **state)
{
    const slong far = WORD(1) << 61;
    grid_law_t law;
    bounds e;
    shuf_real_t eps;
    (void) state;
    grid_law_init(law, far + 1, 1, -61); /* 1024 (1 + 2^-61) */
    arf_one(law->mass);
    bounds_init(&e, law, 1 << 10, 30);
    shuf_real_init(eps);
    set_eps(eps, "0x400.0000000000002");
    evaluate(&e, eps);
    assert_ends(&e, 0, 0);
    set_eps(eps, "0x400.0000000000001ffffffffffffffffffff"); /* just below: at this precision w may be 0 */
    evaluate(&e, eps);
    assert_true(arf_is_zero(e.lo) && arf_cmp_2exp_si(e.hi, -60) < 0);
    set_eps(eps, "-1e10000");
    evaluate(&e, eps);
    assert_true(arf_cmp_d(e.lo, 1 - 1e-15) > 0 && arf_cmp_d(e.hi, 1 + 1e-15) < 0);
    set_eps(eps, "1e10000");
    evaluate(&e, eps);
    assert_ends(&e, 0, 0);
    bounds_clear(&e);
    shuf_real_clear(eps);
    grid_law_clear(law);
}

static int stop(void *data, const char *line)
{
    (void) data;
    (void) line;
    return 1;
}

static void test_limits(void **state)
{
    shuf_watch watch = { 0, stop, NULL, 0 };
    grid_law_t law;
    loss_sum_t x;
    (void) state;
    /* a law too large, and a product; the watch stops a large one */
    grid_law_init(law, 0, 1 << 12, 0);
    assert_int_equal(loss_sum_init(x, law, 1, 1 << 20, 0), -1);
    grid_law_clear(law);
    grid_law_init(law, 0, 1 << 20, 0);
    set_mass(law->mass, 1, 1);
    set_mass(law->mass + law->length - 1, 1, 1);
    assert_int_equal(loss_sum_init(x, law, 1, 1000, 0), 0);
    loss_sum_clear(x);
    assert_int_equal(loss_sum_init(x, law, 2, 1000, 0), -1);
    shuf_watch_set(&watch);
    assert_int_equal(loss_sum_init(x, law, 2, 600, 0), -1);
    shuf_watch_set(NULL);
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
