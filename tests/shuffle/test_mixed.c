/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Counts on mixed data against exact enumeration, products of polynomials and
 * the trinomial pair rr2.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>

#include <flint/fmpz_vec.h>

#include "hockey/hockey.h"
#include "shuffle/mixed.h"
#include "check.h"
#include "random.h"

static const shuf_options options = SHUF_OPTIONS_DEFAULT;

static void assert_overlap(const shuf_enclosure_t x, const arb_t value, const char *what)
{
    arb_t ball;
    arb_init(ball);
    shuf_enclosure_get_arb(ball, x, 2048);
    if (!arb_overlaps(ball, value))
        fail_msg("%s: [%.17g, %.17g], not %.17g", what, arf_get_d(x->lo, ARF_RND_DOWN), arf_get_d(x->hi, ARF_RND_UP),
                 arf_get_d(arb_midref(value), ARF_RND_NEAR));
    arb_clear(ball);
}

/* ---- exact enumeration ---- */

#define SCALE 60
#define MAX_USERS 9

/* law[0..users] := law of the sum of it and one more report, in units of SCALE^-(users+1); users + 2 places */
static void one_more(fmpz *law, int users, ulong yes)
{
    int c;
    fmpz_zero(law + users + 1);
    for (c = users + 1; c >= 0; c--)
    {
        fmpz_mul_ui(law + c, law + c, SCALE - yes);
        if (c > 0)
            fmpz_addmul_ui(law + c, law + c - 1, yes);
    }
}

/* delta of n users, probabilities over SCALE in w = (a, b, p, q), alpha = up/down */
static void enumerate(fmpq_t delta, int n, int j, const ulong *w, ulong up, ulong down)
{
    fmpz *law[2];
    fmpz_t t, sum;
    int side, i;
    fmpz_init(t);
    fmpz_init(sum);
    for (side = 0; side < 2; side++)
    {
        law[side] = _fmpz_vec_init(n + 1);
        fmpz_one(law[side]);
        one_more(law[side], 0, w[2 + side]);
        for (i = 1; i < n; i++)
            one_more(law[side], i, w[i <= j ? 1 : 0]);
    }
    for (i = 0; i <= n; i++)
    {
        fmpz_mul_ui(t, law[0] + i, down);
        fmpz_submul_ui(t, law[1] + i, up);
        if (fmpz_sgn(t) > 0)
            fmpz_add(sum, sum, t);
    }
    fmpz_set(fmpq_numref(delta), sum);
    fmpz_ui_pow_ui(fmpq_denref(delta), SCALE, (ulong) n);
    fmpz_mul_ui(fmpq_denref(delta), fmpq_denref(delta), down);
    fmpq_canonicalise(delta);
    for (side = 0; side < 2; side++)
        _fmpz_vec_clear(law[side], n + 1);
    fmpz_clear(t);
    fmpz_clear(sum);
}

static void set_fraction(arb_t x, ulong numerator, slong prec)
{
    arb_set_ui(x, numerator);
    arb_div_ui(x, x, SCALE, prec);
}

static void random_case(ulong *w, shuf_event_t event, shuf_real_t eps, ulong *up, ulong *down, slong prec)
{
    arb_struct *x[4];
    fmpq_t alpha;
    int i;
    x[0] = event->a;
    x[1] = event->b;
    x[2] = event->p;
    x[3] = event->q;
    for (i = 0; i < 4; i++)
    {
        /* now and then certain, and often one of the others' */
        w[i] = random_below(10) == 0 ? SCALE * random_below(2) : random_below(SCALE + 1);
        if (i >= 2 && random_below(2))
            w[i] = w[random_below((uint64_t) i)];
        set_fraction(x[i], w[i], prec);
    }
    *down = 1 + random_below(20);
    *up = *down + (random_below(6) == 0 ? 0 : random_below(2 * *down));
    fmpq_init(alpha);
    fmpq_set_ui(alpha, *up, *down);
    shuf_real_set_log_fmpq(eps, alpha);
    fmpq_clear(alpha);
}

/* Every j, and the j that the search finds. */
static void test_enumeration(void **state)
{
    int trial, zeros = 0, positive = 0;
    (void) state;
    for (trial = 0; trial < 500; trial++)
    {
        int n = 1 + (int) random_below(MAX_USERS - 1), j;
        ulong w[4], up, down;
        shuf_event_t event;
        shuf_real_t eps;
        shuf_enclosure_t r;
        fmpq_t delta, largest;
        arb_t value;
        char what[128];
        shuf_event_init(event);
        shuf_real_init(eps);
        shuf_enclosure_init(r);
        fmpq_init(delta);
        fmpq_init(largest);
        arb_init(value);
        random_case(w, event, eps, &up, &down, 256);
        for (j = 0; j < n; j++)
        {
            enumerate(delta, n, j, w, up, down);
            if (fmpq_cmp(delta, largest) > 0)
                fmpq_set(largest, delta);
            snprintf(what, sizeof(what), "n %d j %d %lu %lu %lu %lu over %d alpha %lu/%lu", n, j, w[0], w[1], w[2], w[3], SCALE, up, down);
            assert_int_not_equal(shuf_mixed_delta(r, (uint64_t) n, (uint64_t) j, event, eps, &options), SHUF_DOMAIN);
            assert_true(well_formed_probability(r));
            arb_set_fmpq(value, delta, 512);
            assert_overlap(r, value, what);
            if (fmpq_is_zero(delta))
            {
                /* p = alpha q is not seen on balls */
                zeros++;
                assert_true(arf_cmp_d(r->hi, 1e-60) < 0);
            }
            else
            {
                positive++;
                if (r->status != SHUF_OK)
                    fail_msg("%s: not accurate", what);
            }
        }
        /* estimates choose it: allow for their errors */
        j = (int) shuf_mixed_worst((uint64_t) n, event, eps);
        assert_true(j < n);
        enumerate(delta, n, j, w, up, down);
        if (fmpz_get_d(fmpq_numref(delta)) / fmpz_get_d(fmpq_denref(delta)) < 0.99 * fmpz_get_d(fmpq_numref(largest)) / fmpz_get_d(fmpq_denref(largest)))
            fail_msg("%s: search found j %d", what, j);
        shuf_event_clear(event);
        shuf_real_clear(eps);
        shuf_enclosure_clear(r);
        fmpq_clear(delta);
        fmpq_clear(largest);
        arb_clear(value);
    }
    printf("%d zero, %d positive\n", zeros, positive);
}

/* Balls: every probability in them is covered. */
static void test_balls(void **state)
{
    int trial, i;
    (void) state;
    for (trial = 0; trial < 300; trial++)
    {
        int n = 1 + (int) random_below(MAX_USERS - 1), j = (int) random_below((uint64_t) n);
        ulong w[4], up, down;
        shuf_event_t event;
        shuf_real_t eps;
        shuf_enclosure_t r;
        fmpq_t delta;
        arb_t value;
        shuf_event_init(event);
        shuf_real_init(eps);
        shuf_enclosure_init(r);
        fmpq_init(delta);
        arb_init(value);
        random_case(w, event, eps, &up, &down, 256);
        mag_set_d(arb_radref(event->a), 1.001 / SCALE);
        mag_set_d(arb_radref(event->b), random_below(2) ? 1e-9 : 1.001 / SCALE);
        mag_set_d(arb_radref(event->p), random_below(2) ? 1e-9 : 1.001 / SCALE);
        mag_set_d(arb_radref(event->q), random_below(2) ? 0 : 1.001 / SCALE);
        assert_int_not_equal(shuf_mixed_delta(r, (uint64_t) n, (uint64_t) j, event, eps, &options), SHUF_DOMAIN);
        assert_true(well_formed_probability(r));
        for (i = 0; i < 81; i++)
        {
            const arb_struct *x[4];
            ulong near[4];
            int k, rest = i, inside = 1;
            x[0] = event->a;
            x[1] = event->b;
            x[2] = event->p;
            x[3] = event->q;
            for (k = 0; k < 4; k++, rest /= 3)
            {
                near[k] = w[k] + (ulong) (rest % 3) - 1;
                set_fraction(value, near[k], 256);
                inside = inside && near[k] <= SCALE && arb_overlaps(value, x[k]);
            }
            if (!inside)
                continue;
            enumerate(delta, n, j, near, up, down);
            arb_set_fmpq(value, delta, 512);
            assert_overlap(r, value, "in a ball");
        }
        shuf_event_clear(event);
        shuf_real_clear(eps);
        shuf_enclosure_clear(r);
        fmpq_clear(delta);
        arb_clear(value);
    }
}

/* ---- larger n ---- */

/* a, b, p, q of 2-RR whose others hold 0 and 1: A = {0}, or {1}; x = 0, x1 = 1, or the other way round */
static void set_rr2(shuf_event_t event, const shuf_real_t eps0, int one, int exchanged, slong prec)
{
    arb_t E;
    arb_init(E);
    shuf_real_exp(E, eps0, prec);
    arb_add_ui(event->b, E, 1, prec);
    arb_div(event->a, E, event->b, prec);
    arb_inv(event->b, event->b, prec);
    if (one)
        arb_swap(event->a, event->b);
    arb_set(event->p, exchanged ? event->b : event->a);
    arb_set(event->q, exchanged ? event->a : event->b);
    arb_clear(E);
}

/* f := f (1-p+px)^power */
static void multiply(arb_poly_t f, const arb_t p, ulong power, slong prec)
{
    arb_poly_t t;
    arb_t c;
    arb_poly_init(t);
    arb_init(c);
    arb_sub_ui(c, p, 1, prec);
    arb_neg(c, c);
    arb_poly_set_coeff_arb(t, 0, c);
    arb_poly_set_coeff_arb(t, 1, p);
    arb_poly_pow_ui(t, t, power, prec);
    arb_poly_mul(f, f, t, prec);
    arb_poly_clear(t);
    arb_clear(c);
}

/* delta from the generating functions of the two laws */
static void by_polynomials(arb_t delta, ulong n, ulong j, const shuf_event_t event, const shuf_real_t eps, slong prec)
{
    arb_poly_t f, g;
    arb_t value, other;
    slong i;
    arb_poly_init(f);
    arb_poly_init(g);
    arb_init(value);
    arb_init(other);
    arb_poly_one(f);
    multiply(f, event->a, n - 1 - j, prec);
    multiply(f, event->b, j, prec);
    arb_poly_set(g, f);
    multiply(f, event->p, 1, prec);
    multiply(g, event->q, 1, prec);
    shuf_real_exp(other, eps, prec);
    arb_poly_scalar_mul(g, g, other, prec);
    arb_poly_sub(f, f, g, prec);
    arb_zero(delta);
    for (i = 0; i <= (slong) n; i++)
    {
        arb_poly_get_coeff_arb(value, f, i);
        arb_nonnegative_part(value, value);
        arb_add(delta, delta, value, prec);
    }
    arb_poly_clear(f);
    arb_poly_clear(g);
    arb_clear(value);
    arb_clear(other);
}

static void test_polynomials(void **state)
{
    static const slong digits[] = { 6, 12, 12, 12, 60 };
    int trial;
    (void) state;
    for (trial = 0; trial < 60; trial++)
    {
        ulong n = 2 + random_below(trial % 10 == 0 ? 1500 : 300), j = random_below(4) == 0 ? random_below(FLINT_MIN(n, 4)) : random_below(n);
        shuf_options o = options;
        shuf_event_t event;
        shuf_real_t eps0, eps;
        shuf_enclosure_t r;
        arb_t value;
        ulong w[4], up, down;
        char text[32];
        shuf_event_init(event);
        shuf_real_init(eps0);
        shuf_real_init(eps);
        shuf_enclosure_init(r);
        arb_init(value);
        o.digits = digits[random_below(5)];
        random_case(w, event, eps, &up, &down, 2048);
        if (trial % 2)
        {
            snprintf(text, sizeof(text), "%.3f", 5 * random_unit());
            set(eps0, text);
            snprintf(text, sizeof(text), "%.3f", random_unit());
            set(eps, text);
            set_rr2(event, eps0, (int) random_below(2), (int) random_below(2), 2048);
        }
        assert_int_not_equal(shuf_mixed_delta(r, n, j, event, eps, &o), SHUF_DOMAIN);
        assert_true(well_formed_probability(r));
        by_polynomials(value, n, j, event, eps, 2048);
        snprintf(text, sizeof(text), "n %lu j %lu", n, j);
        assert_overlap(r, value, text);
        if (arb_is_positive(value) && r->status != SHUF_OK)
            fail_msg("%s eps %s: not accurate", text, eps->text);
        shuf_event_clear(event);
        shuf_real_clear(eps0);
        shuf_real_clear(eps);
        shuf_enclosure_clear(r);
        arb_clear(value);
    }
}

/* All others alike: the pair rr2, from which event and in which order it may be. */
static void test_rr2(void **state)
{
    static const struct { uint64_t n; const char *eps0, *eps; } points[] = {
        { 1, "1", "1/2" }, { 5, "log(3)", "log(2)" }, { 1000, "3", "0.05" }, { 1000, "3", "2.9" },
        { 100000, "2", "0.01" }, { 10000000, "1", "1e-4" }, { 1000000000, "5", "0.001" }, { 1000000000, "5", "0" },
    };
    size_t i;
    int one, exchanged;
    (void) state;
    for (i = 0; i < sizeof(points) / sizeof(points[0]); i++)
    {
        shuf_event_t event;
        shuf_pair_t pair;
        shuf_real_t eps0, eps;
        shuf_enclosure_t r, s;
        arb_t value;
        shuf_event_init(event);
        shuf_pair_init(pair);
        shuf_real_init(eps0);
        shuf_real_init(eps);
        shuf_enclosure_init(r);
        shuf_enclosure_init(s);
        arb_init(value);
        set(eps0, points[i].eps0);
        set(eps, points[i].eps);
        assert_int_equal(shuf_pair_set_eps0(pair, SHUF_PAIR_RR2, points[i].n, eps0), 0);
        for (one = 0; one < 2; one++)
        {
            for (exchanged = 0; exchanged < 2; exchanged++)
            {
                set_rr2(event, eps0, one, exchanged, 256);
                shuf_hockey_delta(s, pair, eps, exchanged ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, &options);
                shuf_enclosure_get_arb(value, s, 256);
                assert_int_equal(shuf_mixed_delta(r, points[i].n, 0, event, eps, &options), SHUF_OK);
                assert_overlap(r, value, "rr2");
                /* everybody else holds 1: users and values renamed */
                set_rr2(event, eps0, one, !exchanged, 256);
                arb_swap(event->a, event->b);
                assert_int_equal(shuf_mixed_delta(r, points[i].n, points[i].n - 1, event, eps, &options), SHUF_OK);
                shuf_hockey_delta(s, pair, eps, exchanged ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP, &options);
                shuf_enclosure_get_arb(value, s, 256);
                assert_overlap(r, value, "rr2, the other value");
            }
        }
        shuf_event_clear(event);
        shuf_pair_clear(pair);
        shuf_real_clear(eps0);
        shuf_real_clear(eps);
        shuf_enclosure_clear(r);
        shuf_enclosure_clear(s);
        arb_clear(value);
    }
}

/* 2-RR: mixed data are worse than all-equal data. Values summed in 50-digit arithmetic over the outcomes. */
static void test_worst(void **state)
{
    static const struct { uint64_t n; const char *eps; uint64_t j; const char *none, *largest; } points[] = {
        { 20, "0.1", 8, "0.357599385260881", "0.417389924487922" },
        { 20, "0.01", 9, "0.359391506765331", "0.440805571326823" },
        { 1000, "0.05", 5, "0.0339812199355817", "0.0341185101289537" },
    };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(points) / sizeof(points[0]); i++)
    {
        shuf_event_t event;
        shuf_real_t eps0, eps;
        shuf_enclosure_t r;
        arb_t value;
        uint64_t j;
        int k;
        shuf_event_init(event);
        shuf_real_init(eps0);
        shuf_real_init(eps);
        shuf_enclosure_init(r);
        arb_init(value);
        set(eps0, "3");
        set(eps, points[i].eps);
        set_rr2(event, eps0, 1, 0, 256);
        for (k = 0; k < 2; k++)
        {
            arb_set_str(value, k ? points[i].largest : points[i].none, 128);
            mag_set_d(arb_radref(value), 2e-15);
            j = k ? shuf_mixed_worst(points[i].n, event, eps) : 0;
            assert_int_equal(shuf_mixed_delta(r, points[i].n, j, event, eps, &options), SHUF_OK);
            assert_overlap(r, value, points[i].eps);
            if (k)
                assert_int_equal(j, points[i].j);
        }
        shuf_event_clear(event);
        shuf_real_clear(eps0);
        shuf_real_clear(eps);
        shuf_enclosure_clear(r);
        arb_clear(value);
    }
}

static void test_ends(void **state)
{
    shuf_options quick = { 12, 1e-9 };
    shuf_event_t event;
    shuf_real_t eps0, eps;
    shuf_enclosure_t r;
    (void) state;
    shuf_event_init(event);
    shuf_real_init(eps0);
    shuf_real_init(eps);
    shuf_enclosure_init(r);
    set(eps0, "2");
    set(eps, "1/10");
    set_rr2(event, eps0, 0, 0, 128);
    assert_int_equal(shuf_mixed_delta(r, 0, 0, event, eps, &options), SHUF_DOMAIN);
    assert_true(arf_is_zero(r->lo) && arf_is_one(r->hi));
    assert_int_equal(shuf_mixed_delta(r, 10, 10, event, eps, &options), SHUF_DOMAIN);
    assert_int_equal(shuf_mixed_delta(r, SHUF_MIXED_MAX_USERS + 1, 0, event, eps, &options), SHUF_DOMAIN);
    /* too little time: valid, and no worse than the local bound */
    assert_int_not_equal(shuf_mixed_delta(r, 100000, 50000, event, eps, &quick), SHUF_DOMAIN);
    assert_true(well_formed_probability(r));
    /* no digits to be had from the balls */
    mag_set_d(arb_radref(event->a), 1e-8);
    assert_int_equal(shuf_mixed_delta(r, 1000, 500, event, eps, &options), SHUF_ACCURACY);
    assert_true(well_formed_probability(r));
    mag_zero(arb_radref(event->a));
    set(eps, "3");
    assert_int_equal(shuf_mixed_delta(r, 1000, 500, event, eps, &options), SHUF_OK);
    assert_true(arf_is_zero(r->hi));
    set(eps, "-1");
    assert_int_equal(shuf_mixed_delta(r, 10, 5, event, eps, &options), SHUF_DOMAIN);
    set(eps, "1");
    arb_set_d(event->q, 1.25);
    assert_int_equal(shuf_mixed_delta(r, 10, 5, event, eps, &options), SHUF_DOMAIN);
    arb_indeterminate(event->q);
    assert_int_equal(shuf_mixed_delta(r, 10, 5, event, eps, &options), SHUF_DOMAIN);
    shuf_event_clear(event);
    shuf_real_clear(eps0);
    shuf_real_clear(eps);
    shuf_enclosure_clear(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enumeration), cmocka_unit_test(test_balls), cmocka_unit_test(test_polynomials),
        cmocka_unit_test(test_rr2),         cmocka_unit_test(test_worst), cmocka_unit_test(test_ends),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
