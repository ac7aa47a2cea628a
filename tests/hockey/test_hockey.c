/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* delta(eps) against brute force, reference values, and itself. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "binomial/binomial.h"
#include "hockey/hockey.h"
#include "hockey/stratum.h"
#include "oracle/oracle.h"
#include "check.h"
#include "random.h"

#define ORACLE_PREC 384

/* An OK delta. */
static void delta(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t eps, shuf_direction direction, slong digits)
{
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    shuf_status status;
    o.digits = digits;
    o.max_work = 120 * 1e9; /* none here needs as long */
    status = shuf_hockey_delta(r, pair, eps, direction, &o);
    if (status != SHUF_OK || r->status != status || !narrow_enough(r, digits) || !well_formed_probability(r))
    {
        char *lo = shuf_decimal(r->lo, 30, 0), *hi = shuf_decimal(r->hi, 30, 1);
        char *w0 = fmpq_get_str(NULL, 10, pair->w0), *w1 = fmpq_get_str(NULL, 10, pair->w1);
        char *r0 = fmpq_get_str(NULL, 10, pair->r0), *r1 = fmpq_get_str(NULL, 10, pair->r1);
        char *gamma = fmpq_get_str(NULL, 10, pair->gamma);
        fail_msg("%s n = %lu k = %lu eps0 = %s gamma = %s w = %s, %s r = %s, %s: eps = %s, direction %d, %ld digits: "
                 "status %d, [%s, %s]", shuf_pair_theorem(pair), pair->n, pair->k, pair->eps0->text, gamma, w0, w1, r0, r1,
                 eps->text, (int) direction, (long) digits, (int) status, lo, hi);
    }
}

static void delta_text(shuf_enclosure_t r, const shuf_pair_t pair, const char *eps, shuf_direction direction, slong digits)
{
    shuf_real_t x;
    shuf_real_init(x);
    set(x, eps);
    delta(r, pair, x, direction, digits);
    shuf_real_clear(x);
}

/* ---- random points against the oracle ---- */

/* a decimal of a few digits in (0, limit] */
static void random_rational(fmpq_t q, ulong limit)
{
    static const ulong dens[] = { 3, 10, 100, 1000, 7919, 1000000 };
    ulong den = dens[random_below(6)];
    fmpq_set_ui(q, 1 + random_below(limit * den), den);
}

/* eps0 (or a logarithm), from tiny to 10 */
static void random_eps0(shuf_real_t x)
{
    fmpq_t q, small;
    fmpq_init(q);
    fmpq_init(small);
    switch (random_below(8))
    {
    case 0: /* tiny */
        random_rational(q, 9);
        fmpq_set_ui(small, 1, 10);
        fmpq_pow_si(small, small, (slong) random_below(12));
        fmpq_mul(q, q, small);
        shuf_real_set_fmpq(x, q);
        break;
    case 1: /* log of a small rational above 1 */
        random_rational(q, 9);
        fmpq_set_ui(small, 1, 1);
        fmpq_add(q, q, small);
        shuf_real_set_log_fmpq(x, q);
        break;
    case 2:
    case 3:
        random_rational(q, 10);
        shuf_real_set_fmpq(x, q);
        break;
    default:
        random_rational(q, 3);
        shuf_real_set_fmpq(x, q);
    }
    fmpq_clear(q);
    fmpq_clear(small);
}

/* in [0, 1.2 loss]; a loss that is infinite counts as 8 */
static void random_eps(shuf_real_t eps, const shuf_pair_t pair)
{
    shuf_real_t loss;
    fmpq_t q;
    fmpq_init(q);
    shuf_real_init(loss);
    if (!shuf_pair_max_loss(loss, pair))
        set(loss, "8");
    fmpq_set_ui(q, random_below(12000001), 10000000);
    if (random_below(20) == 0)
        fmpq_zero(q);
    if (random_below(20) == 0)
        fmpq_set_ui(q, 9999999, 10000000);
    if (loss->is_log && random_below(3) == 0)
    {
        /* a logarithm as well: halfway to the loss, or a bit below it */
        fmpq_add(q, q, loss->q);
        fmpq_div_2exp(q, q, 1);
        if (fmpz_cmp(fmpq_numref(q), fmpq_denref(q)) < 0)
            fmpq_one(q);
        shuf_real_set_log_fmpq(eps, q);
    }
    else if (loss->is_log)
    {
        fmpq_t l;
        arb_t t;
        fmpq_init(l);
        arb_init(t);
        shuf_real_get_arb(t, loss, 64);
        arf_get_fmpq(l, arb_midref(t));
        fmpq_mul(q, q, l);
        if (fmpq_sgn(q) < 0)
            fmpq_zero(q);
        shuf_real_set_fmpq(eps, q);
        fmpq_clear(l);
        arb_clear(t);
    }
    else
    {
        fmpq_mul(q, q, loss->q);
        shuf_real_set_fmpq(eps, q);
    }
    fmpq_clear(q);
    shuf_real_clear(loss);
}

/* exp from the rational, not by the library */
static void oracle_exp(arb_t r, const shuf_real_t x)
{
    arb_set_fmpq(r, x->q, ORACLE_PREC + 64);
    if (!x->is_log)
        arb_exp(r, r, ORACLE_PREC + 64);
}

/* four weights of a trinomial pair */
static void random_weights(fmpq_t w0, fmpq_t w1, fmpq_t r0, fmpq_t r1)
{
    ulong den = 2 + random_below(random_below(2) ? 12 : 1000000), a, b;
    a = random_below(den + 1);
    b = random_below(den - a + 1);
    if (random_below(6) == 0)
        b = den - a; /* w2 = 0 */
    fmpq_set_ui(w0, a, den);
    fmpq_set_ui(w1, b, den);
    if (random_below(12) == 0)
    {
        fmpq_zero(r0);
        fmpq_zero(r1);
        return;
    }
    a = 1 + random_below(den - 1);
    b = 1 + random_below(den - a);
    if (random_below(6) == 0)
        b = den - a; /* everybody is seen */
    if (random_below(5) == 0 && 2 * a <= den)
        b = a;
    fmpq_set_ui(r0, a, den);
    fmpq_set_ui(r1, b, den);
}

#define POINTS 2000

static void test_oracle(void **state)
{
    shuf_pair_t pair;
    shuf_real_t eps0, eps;
    shuf_enclosure_t r;
    fmpq_t gamma, w0, w1, r0, r1;
    arb_t pq, qp, E, alpha, p0, p1, q0, q1;
    int i, positive = 0;
    (void) state;
    skip_unless_drawn(4);
    shuf_pair_init(pair);
    shuf_real_init(eps0);
    shuf_real_init(eps);
    shuf_enclosure_init(r);
    fmpq_init(gamma); fmpq_init(w0); fmpq_init(w1); fmpq_init(r0); fmpq_init(r1);
    arb_init(pq); arb_init(qp); arb_init(E); arb_init(alpha); arb_init(p0); arb_init(p1); arb_init(q0); arb_init(q1);
    for (i = 0; i < POINTS; i++)
    {
        shuf_pair_kind kind = (shuf_pair_kind) (i % 8);
        int big_k = 0;
        ulong n, k;
        shuf_direction direction;
        random_eps0(eps0);
        fmpq_set_ui(gamma, random_below(1001), 1000);
        if (random_below(4) == 0)
            fmpq_set_ui(gamma, 1 + random_below(10), 10 + random_below(3));
        n = 1 + random_below(40);
        k = 2 + random_below(3);
        switch (kind)
        {
        case SHUF_PAIR_CLONES:
        case SHUF_PAIR_CLONES_STRONGER:
        case SHUF_PAIR_RR2:
            assert_int_equal(shuf_pair_set_eps0(pair, kind, n, eps0), 0);
            break;
        case SHUF_PAIR_KRR_SAME:
            n = k == 2 ? n : k == 3 ? 1 + (n - 1) % 16 : 1 + (n - 1) % 8;
            assert_int_equal(shuf_pair_set_krr(pair, kind, n, k, eps0), 0);
            break;
        case SHUF_PAIR_KRR_THIRD:
            n = 1 + (n - 1) % 20;
            big_k = (int) random_below(2);
            k = big_k ? 4 + random_below(3) : 3;
            assert_int_equal(shuf_pair_set_krr(pair, kind, n, k, eps0), 0);
            break;
        case SHUF_PAIR_KRR_STRONG:
        case SHUF_PAIR_KRR_WEAK:
            n = k == 2 ? 1 + (n - 1) % 16 : k == 3 ? 1 + (n - 1) % 8 : 1 + (n - 1) % 4;
            assert_int_equal(shuf_pair_set_krr_blanket(pair, kind, n, k, gamma), 0);
            break;
        case SHUF_PAIR_TRINOMIAL:
            n = 1 + (n - 1) % (i % 24 == 7 ? 40 : 14);
            random_weights(w0, w1, r0, r1);
            assert_int_equal(shuf_pair_set_trinomial(pair, n, w0, w1, r0, r1), 0);
            break;
        default: fail_msg("this kind of pair is not covered here");
        }
        random_eps(eps, pair);
        oracle_exp(E, eps0);
        oracle_exp(alpha, eps);
        switch (kind)
        {
        case SHUF_PAIR_CLONES: oracle_clones(pq, qp, (slong) n, E, alpha, ORACLE_PREC); break;
        case SHUF_PAIR_CLONES_STRONGER: oracle_clones_stronger(pq, qp, (slong) n, E, alpha, ORACLE_PREC); break;
        case SHUF_PAIR_RR2: oracle_rr2(pq, qp, (slong) n, E, alpha, ORACLE_PREC); break;
        case SHUF_PAIR_KRR_SAME:
            oracle_krr(pq, qp, (slong) n, (slong) k, E, ORACLE_OTHERS_SAME, alpha, ORACLE_PREC);
            break;
        case SHUF_PAIR_KRR_THIRD:
            if (!big_k)
            {
                oracle_krr(pq, qp, (slong) n, 3, E, ORACLE_OTHERS_THIRD, alpha, ORACLE_PREC);
                break;
            }
            arb_add_ui(q0, E, k - 1, ORACLE_PREC);
            arb_div(p0, E, q0, ORACLE_PREC);
            arb_inv(p1, q0, ORACLE_PREC);
            oracle_trinomial(pq, qp, (slong) n, p0, p1, p1, p1, alpha, ORACLE_PREC);
            break;
        case SHUF_PAIR_KRR_STRONG: oracle_krr_strong(pq, qp, (slong) n, (slong) k, gamma, alpha, ORACLE_PREC); break;
        case SHUF_PAIR_KRR_WEAK: oracle_krr_weak(pq, qp, (slong) n, (slong) k, gamma, alpha, ORACLE_PREC); break;
        case SHUF_PAIR_TRINOMIAL:
            arb_set_fmpq(p0, w0, ORACLE_PREC);
            arb_set_fmpq(p1, w1, ORACLE_PREC);
            arb_set_fmpq(q0, r0, ORACLE_PREC);
            arb_set_fmpq(q1, r1, ORACLE_PREC);
            oracle_trinomial(pq, qp, (slong) n, p0, p1, q0, q1, alpha, ORACLE_PREC);
            break;
        default: fail_msg("this kind of pair is not covered here");
        }
        for (direction = SHUF_DIRECTION_BOTH; direction <= SHUF_DIRECTION_QP; direction++)
        {
            slong digits = 3 + (slong) random_below(23);
            const arb_struct *truth = direction == SHUF_DIRECTION_QP ? qp : pq;
            if (direction == SHUF_DIRECTION_BOTH)
            {
                arb_max(p0, pq, qp, ORACLE_PREC);
                truth = p0;
            }
            delta(r, pair, eps, direction, digits);
            if (!meets(r->lo, r->hi, truth))
            {
                char *lo = shuf_decimal(r->lo, 30, 0), *hi = shuf_decimal(r->hi, 30, 1);
                char *text = arb_get_str(truth, 30, 0);
                fail_msg("point %d: %s n = %lu k = %lu eps0 = %s eps = %s direction %d, %ld digits: [%s, %s], not %s", i,
                         shuf_pair_theorem(pair), n, k, eps0->text, eps->text, (int) direction, (long) digits, lo, hi, text);
            }
            /* the oracle must be sharper than what it judges */
            if (arf_sgn(r->lo) > 0)
            {
                positive++;
                assert_true(arb_rel_accuracy_bits(truth) > 100);
            }
        }
    }
    /* most points say something */
    assert_true(positive > POINTS * 3 / 2);
    shuf_pair_clear(pair);
    shuf_real_clear(eps0);
    shuf_real_clear(eps);
    shuf_enclosure_clear(r);
    fmpq_clear(gamma); fmpq_clear(w0); fmpq_clear(w1); fmpq_clear(r0); fmpq_clear(r1);
    arb_clear(pq); arb_clear(qp); arb_clear(E); arb_clear(alpha); arb_clear(p0); arb_clear(p1); arb_clear(q0); arb_clear(q1);
}

/* ---- reference values ---- */

static void test_golden(void **state)
{
    static const struct { uint64_t n; const char *eps0, *eps, *value, *unit; slong digits; } cases[] = {
        { 10, "1", "0.25", "0.10680878112187103331132964776564093577", "1e-38", 45 },
        { 10000, "4", "0.5", "1.45525903551442355234146104565e-5", "1e-34", 35 },
        { 1000000, "6", "0.5", "4.93277675364931278101608e-37", "1e-60", 28 },
    };
    shuf_pair_t pair;
    shuf_enclosure_t r;
    shuf_real_t x;
    arb_t value, unit;
    size_t i;
    (void) state;
    shuf_pair_init(pair);
    shuf_enclosure_init(r);
    shuf_real_init(x);
    arb_init(value);
    arb_init(unit);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        set_eps0(pair, SHUF_PAIR_CLONES, cases[i].n, cases[i].eps0);
        delta_text(r, pair, cases[i].eps, SHUF_DIRECTION_BOTH, cases[i].digits);
        set(x, cases[i].value);
        shuf_real_get_arb(value, x, 300);
        set(x, cases[i].unit);
        shuf_real_get_arb(unit, x, 300);
        arb_add_error(value, unit);
        assert_true(arb_contains_arf(value, r->lo) && arb_contains_arf(value, r->hi));
        /* fewer digits, the same value */
        delta_text(r, pair, cases[i].eps, SHUF_DIRECTION_PQ, 8);
        assert_true(meets(r->lo, r->hi, value));
    }
    arb_clear(value);
    arb_clear(unit);
    shuf_real_clear(x);
    shuf_enclosure_clear(r);
    shuf_pair_clear(pair);
}

/* ---- one accuracy against another ---- */

static void check_two(const shuf_pair_t pair, const char *eps, slong few, slong many)
{
    shuf_enclosure_t a, b;
    shuf_direction direction;
    shuf_enclosure_init(a);
    shuf_enclosure_init(b);
    for (direction = SHUF_DIRECTION_PQ; direction <= SHUF_DIRECTION_QP; direction++)
    {
        delta_text(a, pair, eps, direction, few);
        delta_text(b, pair, eps, direction, many);
        assert_true(arf_sgn(b->lo) > 0);
        if (!overlap(a, b))
        {
            char *lo = shuf_decimal(a->lo, 20, 0), *hi = shuf_decimal(b->lo, 20, 1);
            fail_msg("%s n = %lu eps = %s: %s against %s", shuf_pair_theorem(pair), pair->n, eps, lo, hi);
        }
        if (shuf_pair_is_symmetric(pair))
            break;
    }
    shuf_enclosure_clear(a);
    shuf_enclosure_clear(b);
}

static void test_two_accuracies(void **state)
{
    static const char *const eps0s[] = { "0.5", "1", "2", "4", "log(7)" };
    shuf_pair_t pair;
    fmpq_t gamma, w0, w1, r0, r1;
    int i;
    (void) state;
    skip_unless_drawn(4);
    shuf_pair_init(pair);
    fmpq_init(gamma); fmpq_init(w0); fmpq_init(w1); fmpq_init(r0); fmpq_init(r1);
    for (i = 0; i < 32; i++)
    {
        const char *eps0 = eps0s[random_below(5)];
        uint64_t n = (uint64_t) pow(10, 3 + 4 * (double) random_below(1000) / 1000), k = 3 + random_below(20);
        char eps[64];
        /* around the eps at which delta is small but not zero */
        snprintf(eps, sizeof(eps), "%.17g", (0.2 + 0.01 * (double) random_below(400)) / sqrt((double) n));
        fmpq_set_ui(gamma, 1 + random_below(99), 100);
        switch (i % 8)
        {
        case 0: set_eps0(pair, SHUF_PAIR_CLONES, n, eps0); break;
        case 1: set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, n, eps0); break;
        case 2: set_eps0(pair, SHUF_PAIR_RR2, n, eps0); break;
        case 3: set_krr(pair, SHUF_PAIR_KRR_SAME, n, k, eps0); break;
        case 4: set_krr(pair, SHUF_PAIR_KRR_THIRD, n, k, eps0); break;
        case 5:
            assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_STRONG, n, k, gamma), 0);
            break;
        case 6:
            /* a double sum */
            assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_WEAK, 1 + n % 1500, k, gamma), 0);
            break;
        default:
            random_weights(w0, w1, r0, r1);
            fmpq_set_ui(w0, 5, 10);
            fmpq_set_ui(w1, 2, 10);
            assert_int_equal(shuf_pair_set_trinomial(pair, n, w0, w1, r0, r1), 0);
        }
        check_two(pair, eps, 5, 14);
    }
    shuf_pair_clear(pair);
    fmpq_clear(gamma); fmpq_clear(w0); fmpq_clear(w1); fmpq_clear(r0); fmpq_clear(r1);
}

/* Blocks for few digits, the full sum (or finer blocks) for more. */
static void test_blocks(void **state)
{
    shuf_pair_t pair;
    (void) state;
    skip_unless_drawn(5);
    shuf_pair_init(pair);
    set_eps0(pair, SHUF_PAIR_CLONES, UINT64_C(100000000), "1");
    check_two(pair, "0.0002", 4, 13);
    set_eps0(pair, SHUF_PAIR_CLONES, UINT64_C(100000000000), "1");
    check_two(pair, "0.00001", 3, 6);
    set_krr(pair, SHUF_PAIR_KRR_THIRD, UINT64_C(100000000), 10, "2");
    check_two(pair, "0.0006", 3, 13);
    set_krr(pair, SHUF_PAIR_KRR_THIRD, UINT64_C(10000000000), 10, "2");
    check_two(pair, "0.00006", 3, 5);
    set_krr(pair, SHUF_PAIR_KRR_SAME, UINT64_C(100000000), 5, "1");
    check_two(pair, "0.0002", 3, 12);
    set_eps0(pair, SHUF_PAIR_RR2, UINT64_C(100000000000), "1");
    check_two(pair, "0.000006", 6, 20);
    shuf_pair_clear(pair);
}

/* ---- relations ---- */

static void test_monotone(void **state)
{
    static const char *const epss[] = { "0", "1e-6", "0.01", "0.05", "0.1", "0.2", "0.5", "0.9", "0.999" };
    static const char *const eps0s[] = { "0.999", "1", "1.1", "2", "4", "10" };
    shuf_pair_t pair;
    shuf_enclosure_t r, previous;
    size_t i;
    int kind;
    uint64_t n;
    (void) state;
    shuf_pair_init(pair);
    shuf_enclosure_init(r);
    shuf_enclosure_init(previous);
    for (kind = SHUF_PAIR_CLONES; kind <= SHUF_PAIR_RR2; kind++)
    {
        /* decreasing in eps */
        for (i = 0; i < sizeof(epss) / sizeof(epss[0]); i++)
        {
            set_eps0(pair, (shuf_pair_kind) kind, 1000, "1");
            delta_text(r, pair, epss[i], SHUF_DIRECTION_BOTH, 12);
            assert_true(arf_sgn(r->lo) > 0);
            if (i > 0)
                assert_true(arf_cmp(r->hi, previous->lo) < 0);
            shuf_enclosure_set(previous, r);
        }
        /* increasing in eps0 */
        for (i = 0; i < sizeof(eps0s) / sizeof(eps0s[0]) && kind == SHUF_PAIR_CLONES; i++)
        {
            set_eps0(pair, (shuf_pair_kind) kind, 1000, eps0s[i]);
            delta_text(r, pair, "0.1", SHUF_DIRECTION_BOTH, 12);
            if (i > 0)
                assert_true(arf_cmp(r->lo, previous->hi) > 0);
            shuf_enclosure_set(previous, r);
        }
        /* decreasing in n */
        for (n = 1; n < 40000; n += 1 + n / 2)
        {
            set_eps0(pair, (shuf_pair_kind) kind, n, "1");
            delta_text(r, pair, "0.1", SHUF_DIRECTION_PQ, 12);
            if (n > 1)
                assert_true(arf_cmp(r->lo, previous->hi) <= 0);
            shuf_enclosure_set(previous, r);
        }
    }
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(previous);
    shuf_pair_clear(pair);
}

/* A symmetric trinomial computed in both directions by hand. */
static void test_directions(void **state)
{
    shuf_pair_t pair;
    shuf_enclosure_t pq, qp, both;
    shuf_direction d;
    (void) state;
    shuf_pair_init(pair);
    shuf_enclosure_init(pq);
    shuf_enclosure_init(qp);
    shuf_enclosure_init(both);
    set_krr(pair, SHUF_PAIR_KRR_THIRD, 300, 7, "1.5");
    delta_text(pq, pair, "0.3", SHUF_DIRECTION_PQ, 20);
    delta_text(qp, pair, "0.3", SHUF_DIRECTION_QP, 20);
    assert_true(overlap(pq, qp));
    /* an asymmetric one: both is the larger */
    set_eps0(pair, SHUF_PAIR_RR2, 300, "1.5");
    delta_text(pq, pair, "0.3", SHUF_DIRECTION_PQ, 20);
    delta_text(qp, pair, "0.3", SHUF_DIRECTION_QP, 20);
    delta_text(both, pair, "0.3", SHUF_DIRECTION_BOTH, 20);
    assert_false(overlap(pq, qp));
    assert_true(overlap(both, arf_cmp(pq->hi, qp->hi) > 0 ? pq : qp));
    /* k-ary with k = 2 is the same mechanism */
    for (d = SHUF_DIRECTION_PQ; d <= SHUF_DIRECTION_QP; d++)
    {
        set_krr(pair, SHUF_PAIR_KRR_SAME, 300, 2, "1.5");
        delta_text(both, pair, "0.3", d, 20);
        assert_true(overlap(both, d == SHUF_DIRECTION_PQ ? pq : qp));
    }
    shuf_enclosure_clear(pq);
    shuf_enclosure_clear(qp);
    shuf_enclosure_clear(both);
    shuf_pair_clear(pair);
}

/* lo <= num/den <= hi */
static void assert_holds(const shuf_enclosure_t x, slong num, ulong den)
{
    fmpq_t q, end;
    fmpq_init(q);
    fmpq_init(end);
    fmpq_set_si(q, num, den);
    arf_get_fmpq(end, x->lo);
    assert_true(fmpq_cmp(end, q) <= 0);
    arf_get_fmpq(end, x->hi);
    assert_true(fmpq_cmp(end, q) >= 0);
    fmpq_clear(q);
    fmpq_clear(end);
}

static void test_special_values(void **state)
{
    static const shuf_direction directions[] = { SHUF_DIRECTION_BOTH, SHUF_DIRECTION_PQ, SHUF_DIRECTION_QP };
    shuf_pair_t pair, other;
    shuf_enclosure_t r, s;
    shuf_real_t x, y;
    fmpq_t gamma, zero, one, lie;
    arb_t value, t;
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    int i;
    (void) state;
    shuf_pair_init(pair); shuf_pair_init(other);
    shuf_enclosure_init(r); shuf_enclosure_init(s);
    shuf_real_init(x); shuf_real_init(y);
    fmpq_init(gamma); fmpq_init(zero); fmpq_init(one); fmpq_init(lie);
    arb_init(value); arb_init(t);
    fmpq_one(one);

    /* E = 2, k = 3, n = 2, alpha = 1.7: 0.01875 and 0.0375 */
    set_krr(pair, SHUF_PAIR_KRR_THIRD, 2, 3, "log(2)");
    delta_text(r, pair, "log(1.7)", SHUF_DIRECTION_BOTH, 20);
    assert_holds(r, 3, 160);
    set_krr(pair, SHUF_PAIR_KRR_SAME, 2, 3, "log(2)");
    delta_text(r, pair, "log(17/10)", SHUF_DIRECTION_BOTH, 20);
    assert_holds(r, 3, 80);

    /* one user: (E - alpha)/(E + 1) */
    set_eps0(pair, SHUF_PAIR_CLONES, 1, "log(3)");
    delta_text(r, pair, "log(2)", SHUF_DIRECTION_BOTH, 30);
    assert_holds(r, 1, 4);
    delta_text(r, pair, "0", SHUF_DIRECTION_BOTH, 30);
    assert_holds(r, 1, 2);
    /* k-ary: (E - alpha)/(E + k - 1) */
    set_krr(pair, SHUF_PAIR_KRR_THIRD, 1, 11, "log(3)");
    delta_text(r, pair, "log(2)", SHUF_DIRECTION_BOTH, 30);
    assert_holds(r, 1, 13);
    /* two users, clones-stronger, E = 3 (each other user is seen with 1/2): eps = 0, total variation
       1/2 * 1/2 (not seen), 1/2 * 1/4 (seen: 3/8 at (2,0) against 1/8) */
    set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, 2, "log(3)");
    delta_text(r, pair, "0", SHUF_DIRECTION_BOTH, 30);
    assert_holds(r, 3, 8);

    /* exactly 0 from the largest loss on */
    for (i = 0; i < 3; i++)
    {
        static const char *const beyond[] = { "log(3)", "1.0986122886681098", "2", "1000000" };
        int j;
        for (j = 0; j < 4; j++)
        {
            set(x, beyond[j]);
            set_eps0(pair, SHUF_PAIR_CLONES, 1000, "log(3)");
            assert_int_equal(shuf_hockey_delta(r, pair, x, directions[i], &o), SHUF_OK);
            assert_true(arf_is_zero(r->lo) && arf_is_zero(r->hi));
            set_krr(pair, SHUF_PAIR_KRR_SAME, 1000, 5, "log(3)");
            assert_int_equal(shuf_hockey_delta(r, pair, x, directions[i], &o), SHUF_OK);
            assert_true(arf_is_zero(r->lo) && arf_is_zero(r->hi));
        }
        /* just below it: positive, with all digits */
        set_eps0(pair, SHUF_PAIR_CLONES, 30, "1");
        delta_text(r, pair, "0.9999999999999", directions[i], 15);
        assert_true(arf_sgn(r->lo) > 0);
        set_eps0(pair, SHUF_PAIR_RR2, 30, "1");
        delta_text(r, pair, "0.9999999999999", directions[i], 15);
        assert_true(arf_sgn(r->lo) > 0);
        delta_text(r, pair, "0.999999999999999999999999999999999999999999999999999999999999", directions[i], 15);
        assert_true(arf_sgn(r->lo) > 0);
    }
    /* eps0 = 0: nothing to see */
    set_eps0(pair, SHUF_PAIR_CLONES, 10, "0");
    delta_text(r, pair, "0", SHUF_DIRECTION_BOTH, 12);
    assert_true(arf_is_zero(r->hi));

    /* krr-strong is (1-gamma) times a trinomial pair */
    for (i = 0; i < 20; i++)
    {
        ulong k = 2 + random_below(10), n = 1 + random_below(2000);
        static const char *const epss[] = { "0", "0.01", "0.3", "2" };
        fmpq_set_ui(gamma, 1 + random_below(99), 100);
        fmpq_set_ui(lie, 1, k);
        fmpq_mul(lie, lie, gamma);
        assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_STRONG, n, k, gamma), 0);
        assert_int_equal(shuf_pair_set_trinomial(other, n, one, zero, lie, lie), 0);
        delta_text(r, pair, epss[i % 4], SHUF_DIRECTION_PQ, 20);
        delta_text(s, other, epss[i % 4], SHUF_DIRECTION_QP, 20);
        shuf_enclosure_get_arb(value, s, 200);
        fmpq_sub(lie, one, gamma);
        arb_set_fmpq(t, lie, 200);
        arb_mul(value, value, t, 200);
        assert_true(meets(r->lo, r->hi, value));
        /* the weaker adversary sees less */
        if (n <= 100)
        {
            assert_int_equal(shuf_pair_set_krr_blanket(other, SHUF_PAIR_KRR_WEAK, n, k, gamma), 0);
            delta_text(s, other, epss[i % 4], SHUF_DIRECTION_PQ, 20);
            assert_true(arf_cmp(s->lo, r->hi) <= 0);
        }
    }
    /* clones-stronger is no larger than clones */
    for (i = 0; i < 10; i++)
    {
        ulong n = 1 + random_below(100000);
        set_eps0(pair, SHUF_PAIR_CLONES, n, "2");
        set_eps0(other, SHUF_PAIR_CLONES_STRONGER, n, "2");
        delta_text(r, pair, "0.02", SHUF_DIRECTION_BOTH, 8);
        delta_text(s, other, "0.02", SHUF_DIRECTION_BOTH, 8);
        assert_true(arf_cmp(s->lo, r->hi) <= 0);
    }
    shuf_pair_clear(pair); shuf_pair_clear(other);
    shuf_enclosure_clear(r); shuf_enclosure_clear(s);
    shuf_real_clear(x); shuf_real_clear(y);
    fmpq_clear(gamma); fmpq_clear(zero); fmpq_clear(one); fmpq_clear(lie);
    arb_clear(value); arb_clear(t);
}

/* Nobody else is ever seen, or everybody is: the number of others seen is certain. */
static void test_certain_count(void **state)
{
    static const uint64_t ns[] = { 1, 2, 12, 1000, UINT64_C(1000000000000000000) };
    shuf_pair_t pair;
    shuf_enclosure_t r;
    fmpq_t w0, w1, r0, r1;
    size_t i;
    (void) state;
    shuf_pair_init(pair);
    shuf_enclosure_init(r);
    fmpq_init(w0); fmpq_init(w1); fmpq_init(r0); fmpq_init(r1);
    for (i = 0; i < sizeof(ns) / sizeof(ns[0]); i++)
    {
        /* w0 - alpha w1 */
        fmpq_set_ui(w0, 2, 9);
        fmpq_zero(w1);
        fmpq_zero(r0);
        assert_int_equal(shuf_pair_set_trinomial(pair, ns[i], w0, w1, r0, r0), 0);
        delta_text(r, pair, "1", SHUF_DIRECTION_BOTH, 15);
        assert_holds(r, 2, 9);
        fmpq_set_ui(w1, 1, 18);
        assert_int_equal(shuf_pair_set_trinomial(pair, ns[i], w0, w1, r0, r0), 0);
        delta_text(r, pair, "log(2)", SHUF_DIRECTION_BOTH, 15);
        assert_holds(r, 1, 9);
        /* everybody is seen */
        fmpq_set_ui(r0, 1, 3);
        fmpq_set_ui(r1, 2, 3);
        assert_int_equal(shuf_pair_set_trinomial(pair, ns[i], w0, w1, r0, r1), 0);
        delta_text(r, pair, "1e-9", SHUF_DIRECTION_BOTH, 6);
        assert_true(arf_sgn(r->lo) > 0);
    }
    shuf_enclosure_clear(r);
    shuf_pair_clear(pair);
    fmpq_clear(w0); fmpq_clear(w1); fmpq_clear(r0); fmpq_clear(r1);
}

/* ---- extremes ---- */

/* Units of work, a few seconds. */
#define A_FEW_SECONDS 10e9

static void check_extreme(const shuf_pair_t pair, const char *eps, slong digits, double log10_low, double log10_high)
{
    shuf_enclosure_t r;
    arb_t t, ten;
    double start = shuf_work(), value;
    shuf_enclosure_init(r);
    arb_init(t);
    arb_init(ten);
    delta_text(r, pair, eps, SHUF_DIRECTION_BOTH, digits);
    assert_true(arf_sgn(r->lo) > 0);
    shuf_enclosure_get_arb(t, r, 64);
    arb_log(t, t, 64);
    arb_const_log10(ten, 64);
    arb_div(t, t, ten, 64);
    value = arf_get_d(arb_midref(t), ARF_RND_NEAR);
    if (!(value >= log10_low && value <= log10_high))
        fail_msg("%s n = %lu eps = %s: 1e%g", shuf_pair_theorem(pair), pair->n, eps, value);
    if (shuf_work() - start > A_FEW_SECONDS)
        fail_msg("%s n = %lu eps = %s: %g units", shuf_pair_theorem(pair), pair->n, eps, shuf_work() - start);
    shuf_enclosure_clear(r);
    arb_clear(t);
    arb_clear(ten);
}

static void test_extremes(void **state)
{
    shuf_pair_t pair;
    (void) state;
    shuf_pair_init(pair);
    set_eps0(pair, SHUF_PAIR_CLONES, 1, "1e-9");
    check_extreme(pair, "5e-10", 12, -9.7, -9.5);
    set_eps0(pair, SHUF_PAIR_CLONES, 2, "1e-9");
    check_extreme(pair, "0", 12, -10, -9.3);
    set_eps0(pair, SHUF_PAIR_RR2, 1000, "1e-9");
    check_extreme(pair, "5e-10", 12, -400, -10);
    set_krr(pair, SHUF_PAIR_KRR_THIRD, 1000, 1000000000, "1e-9");
    /* half of everybody on the two values: about C(1000, 500) 1e-9^500 */
    check_extreme(pair, "5e-10", 12, -4300, -4100);
    set_eps0(pair, SHUF_PAIR_CLONES, 1000, "50");
    check_extreme(pair, "1", 12, -1e-9, 0);
    set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, 1000000, "700");
    check_extreme(pair, "699", 12, -1, 0);
    set_eps0(pair, SHUF_PAIR_RR2, 1000, "700");
    check_extreme(pair, "699", 12, -1, 0);
    set_eps0(pair, SHUF_PAIR_CLONES, 1000000, "1");
    check_extreme(pair, "0.2", 12, -4000, -300);
    set_eps0(pair, SHUF_PAIR_CLONES, SHUF_MAX_USERS, "1");
    check_extreme(pair, "5e-9", 6, -30, -1);
    /* eps = 0, thresholds on integers: tanh(1) sqrt(2/(pi 1e18 e^-2)) = 1.6518e-9 */
    set_eps0(pair, SHUF_PAIR_CLONES, SHUF_MAX_USERS, "2");
    check_extreme(pair, "0", 4, -8.7821, -8.7820);
    set_eps0(pair, SHUF_PAIR_RR2, SHUF_MAX_USERS, "1");
    check_extreme(pair, "5e-9", 6, -40, -1);
    set_krr(pair, SHUF_PAIR_KRR_THIRD, SHUF_MAX_USERS, 10, "1");
    /* normal approximation: sd of the loss 7.1e-10, so 14 of them: about 2e-55 */
    check_extreme(pair, "1e-8", 4, -55.5, -54.5);
    set_krr(pair, SHUF_PAIR_KRR_SAME, SHUF_MAX_USERS, 10, "1");
    /* sd 5.871e-10, so 17.03 of them: about 8e-76 */
    check_extreme(pair, "1e-8", 4, -75.6, -74.6);
    /* 1 - e^(eps - eps0) = 0.004: alpha times the tail of no outcome, which is 0 and no difference */
    set_krr(pair, SHUF_PAIR_KRR_THIRD, 2, 4, "1000000");
    check_extreme(pair, "999999.9959919786", 6, -2.3980, -2.3979);
    set_krr(pair, SHUF_PAIR_KRR_THIRD, 2, 4, "300000");
    check_extreme(pair, "200000", 6, -1e-9, 0);
    shuf_pair_clear(pair);
}

static void test_domain(void **state)
{
    static const char *const bad[] = { "-1", "-1e-10000", "log(0.999999999999999999999999999999)", "1000001", "1e10000" };
    shuf_pair_t pair;
    shuf_enclosure_t r;
    shuf_real_t x;
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    size_t i;
    (void) state;
    shuf_pair_init(pair);
    shuf_enclosure_init(r);
    shuf_real_init(x);
    set_eps0(pair, SHUF_PAIR_CLONES, 100, "1");
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
    {
        set(x, bad[i]);
        assert_int_equal(shuf_hockey_delta(r, pair, x, SHUF_DIRECTION_BOTH, &o), SHUF_DOMAIN);
        assert_true(arf_is_zero(r->lo) && arf_is_one(r->hi));
    }
    /* the pair's own parameters: refused, and nothing changed */
    set(x, "-1e-9");
    assert_int_equal(shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, 10, x), -1);
    set(x, "1");
    assert_int_equal(shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, 0, x), -1);
    assert_int_equal(shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, SHUF_MAX_USERS + 1, x), -1);
    assert_int_equal(shuf_pair_set_eps0(pair, SHUF_PAIR_KRR_SAME, 10, x), -1);
    assert_int_equal(shuf_pair_set_krr(pair, SHUF_PAIR_KRR_THIRD, 10, 2, x), -1);
    assert_int_equal(shuf_pair_set_krr(pair, SHUF_PAIR_KRR_SAME, 10, 1, x), -1);
    assert_int_equal(shuf_pair_set_krr(pair, SHUF_PAIR_KRR_SAME, 10, SHUF_MAX_K + 1, x), -1);
    assert_true(pair->kind == SHUF_PAIR_CLONES && pair->n == 100);
    shuf_real_clear(x);
    shuf_enclosure_clear(r);
    shuf_pair_clear(pair);
}

/* How far beyond a small budget the last step may go. */
#define OVERRUN 1000

/* The budget used up: wide but right, and soon. */
static void test_budget(void **state)
{
    static const struct { shuf_pair_kind kind; uint64_t n, k; const char *eps; slong digits, reference; } cases[] = {
        { SHUF_PAIR_CLONES, UINT64_C(1000000000000000), 0, "1e-7", 12, 5 },
        { SHUF_PAIR_KRR_THIRD, UINT64_C(1000000000000000), 10, "3e-7", 12, 4 },
        { SHUF_PAIR_CLONES, 100000000, 0, "0.0002", 14, 12 },
        { SHUF_PAIR_KRR_SAME, 100000000, 10, "0.0003", 14, 12 },
    };
    shuf_pair_t pair;
    shuf_enclosure_t r, s;
    shuf_real_t x;
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    shuf_pair_init(pair);
    shuf_enclosure_init(r);
    shuf_enclosure_init(s);
    shuf_real_init(x);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        shuf_options o = SHUF_OPTIONS_DEFAULT;
        double start;
        shuf_status status;
        if (cases[i].k == 0)
            set_eps0(pair, cases[i].kind, cases[i].n, "1");
        else
            set_krr(pair, cases[i].kind, cases[i].n, cases[i].k, "1");
        set(x, cases[i].eps);
        o.digits = cases[i].digits;
        o.max_work = 0.001 * 1e9;
        start = shuf_work();
        status = shuf_hockey_delta(r, pair, x, SHUF_DIRECTION_PQ, &o);
        if (shuf_work() - start > OVERRUN * o.max_work)
            fail_msg("case %d took %g units", (int) i, shuf_work() - start);
        assert_int_equal(status, SHUF_ACCURACY);
        assert_int_equal(r->status, SHUF_ACCURACY);
        assert_false(narrow_enough(r, cases[i].digits));
        assert_true(well_formed_probability(r));
        delta(s, pair, x, SHUF_DIRECTION_PQ, cases[i].reference);
        assert_true(overlap(r, s));
    }
    shuf_real_clear(x);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(s);
    shuf_pair_clear(pair);
}

/* Where a sweep is too dear or comes to nothing, what an evaluation had no more work for is a bound. */
static void test_little_work(void **state)
{
    static const double work[] = { 1e6, 4e6, 2e7, 3e7, 5e7 };
    shuf_pair_t pair;
    shuf_enclosure_t r, s;
    shuf_real_t x;
    fmpq_t gamma;
    size_t i;
    (void) state;
    shuf_pair_init(pair);
    shuf_enclosure_init(r);
    shuf_enclosure_init(s);
    shuf_real_init(x);
    fmpq_init(gamma);
    fmpq_set_si(gamma, 8, 25);
    assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_WEAK, 17060, 3, gamma), 0);
    set(x, "0.02");
    delta(s, pair, x, SHUF_DIRECTION_BOTH, 10);
    for (i = 0; i < sizeof(work) / sizeof(work[0]); i++)
    {
        shuf_options o = { 10, work[i] };
        shuf_hockey_delta(r, pair, x, SHUF_DIRECTION_BOTH, &o);
        assert_true(overlap(r, s) && arf_cmp_d(r->hi, 0.01) < 0);
    }
    fmpq_clear(gamma);
    shuf_real_clear(x);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(s);
    shuf_pair_clear(pair);
}

/* A wide mixture has eleven digits for little work, and they are those of balls; so has its eps. */
static void test_wide_mixture(void **state)
{
    static const char *const epsilons[] = { "0", "0.001", "log(1.03)", "0.1" };
    shuf_options few = { 11, 0 }, many = { 15, 0 }, twelve = SHUF_OPTIONS_DEFAULT, some = { 6, 1e9 };
    shuf_enclosure_t r, s;
    shuf_real_t x;
    shuf_pair_t pair;
    fmpq_t gamma;
    double start;
    size_t i;
    (void) state;
    skip_unless_drawn(5);
    shuf_enclosure_init(r);
    shuf_enclosure_init(s);
    shuf_real_init(x);
    shuf_pair_init(pair);
    fmpq_init(gamma);
    fmpq_set_si(gamma, 9, 10);
    assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_WEAK, 5001, 10, gamma), 0);
    for (i = 0; i < sizeof(epsilons) / sizeof(epsilons[0]); i++)
    {
        set(x, epsilons[i]);
        start = shuf_work();
        assert_int_equal(shuf_hockey_delta(r, pair, x, SHUF_DIRECTION_BOTH, &few), SHUF_OK);
        assert_true(shuf_work() - start < 5e7);
        assert_true(well_formed(r));
        assert_int_equal(shuf_hockey_delta(s, pair, x, SHUF_DIRECTION_BOTH, &many), SHUF_OK);
        assert_true(overlap(r, s));
        assert_true(s->ledger.precision > 53);
    }
    assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_WEAK, 100000, 10, gamma), 0);
    /* far out it is bounded at once */
    set(x, "0.5");
    start = shuf_work();
    assert_int_equal(shuf_hockey_delta(r, pair, x, SHUF_DIRECTION_PQ, &some), SHUF_ACCURACY);
    assert_true(shuf_work() - start < 1e6 && arf_is_zero(r->lo) && arf_cmp_2exp_si(r->hi, -1000) < 0 && !arf_is_zero(r->hi));
    set(x, "1e-6");
    start = shuf_work();
    assert_int_equal(shuf_hockey_epsilon(r, pair, x, SHUF_DIRECTION_BOTH, &twelve), SHUF_OK);
    assert_true(shuf_work() - start < 3e9);
    assert_true(arf_cmp_d(r->lo, 0.0042306771) > 0 && arf_cmp_d(r->hi, 0.0042306772) < 0);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(s);
    shuf_real_clear(x);
    shuf_pair_clear(pair);
    fmpq_clear(gamma);
}

/* log of the masses of the others' counts (i, j), from a table of log factorials */
static double log_mass(const double *log_factorial, slong others, slong i, slong j, const double log_r[3])
{
    const slong rest = others - i - j;
    if (i < 0 || j < 0 || rest < 0)
        return -HUGE_VAL;
    return log_factorial[others] - log_factorial[i] - log_factorial[j] - log_factorial[rest] + (double) i * log_r[0] + (double) j * log_r[1]
           + (rest > 0 ? (double) rest * log_r[2] : 0);
}

/* The log of delta from its definition, over all outcomes in doubles: some ten digits. */
static double log_delta(const shuf_pair_t pair, double eps, shuf_direction direction)
{
    const slong n = (slong) pair->n;
    double *log_factorial = flint_malloc(((size_t) n + 1) * sizeof(double)), log_r[3], w0, w1, w2, top = -HUGE_VAL, sum = 0;
    shuf_pair_weights_t w;
    slong i, j;
    shuf_pair_weights_init(w);
    shuf_pair_get_weights(w, pair, direction, 128);
    w0 = arf_get_d(arb_midref(w->w0), ARF_RND_NEAR);
    w1 = arf_get_d(arb_midref(w->w1), ARF_RND_NEAR);
    w2 = arf_get_d(arb_midref(w->w2), ARF_RND_NEAR);
    log_r[2] = arf_get_d(arb_midref(w->count), ARF_RND_NEAR);
    log_r[0] = log(log_r[2] * arf_get_d(arb_midref(w->rho), ARF_RND_NEAR));
    log_r[1] = log(log_r[2] * arf_get_d(arb_midref(w->rho_complement), ARF_RND_NEAR));
    log_r[2] = log(arf_get_d(arb_midref(w->count_complement), ARF_RND_NEAR));
    log_factorial[0] = 0;
    for (i = 1; i <= n; i++)
        log_factorial[i] = lgamma((double) i + 1);
    for (i = 0; i <= n; i++)
        for (j = 0; i + j <= n; j++)
        {
            const double x = log_mass(log_factorial, n - 1, i - 1, j, log_r), y = log_mass(log_factorial, n - 1, i, j - 1, log_r),
                         z = log_mass(log_factorial, n - 1, i, j, log_r), most = fmax(fmax(x, y), z);
            const double excess = (w0 - exp(eps) * w1) * exp(x - most) + (w1 - exp(eps) * w0) * exp(y - most) - expm1(eps) * w2 * exp(z - most);
            const double t = excess > 0 ? most + log(excess) : -HUGE_VAL;
            if (t > top)
            {
                sum = sum * exp(top - t) + 1;
                top = t;
            }
            else if (excess > 0)
                sum += exp(t - top);
        }
    shuf_pair_weights_clear(w);
    flint_free(log_factorial);
    return top + log(sum);
}

/* Far out the window is narrow and the pass often goes upwards: few strata, few bits, and the value of the definition. */
static void test_far_out(void **state)
{
    const shuf_options options = { 10, 0 };
    shuf_enclosure_t r;
    shuf_real_t eps0, eps;
    shuf_pair_t pair;
    arb_t t;
    int i;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(eps0);
    shuf_real_init(eps);
    shuf_pair_init(pair);
    arb_init(t);
    for (i = 0; i < 16; i++)
    {
        const ulong n = 1500 + random_below(1000), k = 3 + random_below(200);
        const shuf_direction direction = random_below(2) ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP;
        double e = 1.5 + 2 * random_unit(), at = e * (0.2 + 0.6 * random_unit());
        shuf_real_set_d(eps0, e);
        shuf_real_set_d(eps, at);
        assert_int_equal(i % 4 == 3 ? shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, n, eps0)
                                    : shuf_pair_set_krr(pair, i % 4 == 2 ? SHUF_PAIR_KRR_THIRD : SHUF_PAIR_KRR_SAME, n, k, eps0), 0);
        assert_int_equal(shuf_hockey_delta(r, pair, eps, direction, &options), SHUF_OK);
        assert_true(r->ledger.precision < 600 && r->ledger.terms < 3 * n);
        arb_set_arf(t, r->hi);
        arb_log(t, t, 128);
        at = log_delta(pair, at, direction) - arf_get_d(arb_midref(t), ARF_RND_NEAR);
        if (fabs(at) > 1e-6)
            fail_msg("n %lu, k %lu, eps0 %.17g, eps %s: off by e^%g", n, k, e, eps->text, at);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps0);
    shuf_real_clear(eps);
    shuf_pair_clear(pair);
    arb_clear(t);
}

/* Lemma 4 (b): whatever tau is, no less than the strata beyond an edge; with the best one not much more. */
static void test_beyond(void **state)
{
    shuf_pair_t pair;
    stratum_context_t s;
    shuf_real_t eps;
    fmpq_t w0, w1, r0, r1;
    arb_t bound, sum, mass, K, value;
    int i, positive = 0;
    (void) state;
    shuf_pair_init(pair);
    stratum_context_init(s);
    shuf_real_init(eps);
    fmpq_init(w0); fmpq_init(w1); fmpq_init(r0); fmpq_init(r1);
    arb_init(bound); arb_init(sum); arb_init(mass); arb_init(K); arb_init(value);
    for (i = 0; i < 2000; i++)
    {
        const int above = (int) random_below(2);
        const ulong n = 1 + random_below(60), edge = above ? 1 + random_below(n + 1) : random_below(n + 1);
        ulong c;
        random_weights(w0, w1, r0, r1);
        if (fmpq_is_zero(r0) || fmpq_is_zero(r1) || shuf_pair_set_trinomial(pair, n, w0, w1, r0, r1) != 0)
            continue;
        shuf_real_set_d(eps, 3 * random_unit());
        if (!stratum_context_set(s, pair, eps, SHUF_DIRECTION_PQ, 128))
            continue;
        arb_zero(sum);
        for (c = 0; c < n; c++)
        {
            if (above ? c + 1 < edge : c + 1 > edge)
                continue;
            shuf_binomial_pmf(mass, n - 1, c, s->weights->count, s->weights->count_complement, 128);
            stratum_K(K, s, c, n - 1 - c);
            stratum_value(value, s, c, K);
            arb_addmul(sum, mass, value, 128);
        }
        stratum_beyond(bound, s, above, edge, pow(10, 4 * random_unit() - 2), 128);
        assert_true(!arb_gt(sum, bound));
        if (arb_is_positive(sum))
        {
            estimate_parameters guess;
            estimate_set(&guess, s);
            stratum_beyond(bound, s, above, edge, estimate_tilt(&guess, above, (double) edge), 128);
            assert_true(!arb_gt(sum, bound));
            arb_mul_ui(sum, sum, 100 * n, 128);
            positive += arb_gt(sum, bound);
        }
    }
    assert_true(positive > 300);
    /* the truthful and the absent count for nothing, and all strata are in it */
    for (i = 0; i < 200; i++)
    {
        shuf_enclosure_t r;
        arf_t above;
        shuf_enclosure_init(r);
        arf_init(above);
        fmpq_set_ui(w0, 1 + random_below(99), 100);
        shuf_real_set_d(eps, 2 * random_unit() + 0.1);
        assert_int_equal(i % 2 ? shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_WEAK, 1 + random_below(60), 3 + random_below(9), w0)
                               : shuf_pair_set_sampled(pair, i % 4 ? SHUF_PAIR_CLONES_POISSON : SHUF_PAIR_KRR_THIRD_POISSON, 1 + random_below(60), i % 4 ? 2 : 5, eps, w0), 0);
        shuf_real_set_d(eps, 2 * random_unit());
        shuf_hockey_above(above, pair, SHUF_DIRECTION_PQ, eps);
        arb_set_arf(bound, above);
        delta(r, pair, eps, SHUF_DIRECTION_PQ, 6);
        arb_set_arf(sum, r->lo);
        assert_true(!arb_gt(sum, bound));
        arb_mul_ui(sum, sum, 100 * pair->n, 128);
        assert_true(arf_is_zero(r->lo) || arb_gt(sum, bound));
        shuf_enclosure_clear(r);
        arf_clear(above);
    }
    shuf_pair_clear(pair);
    stratum_context_clear(s);
    shuf_real_clear(eps);
    fmpq_clear(w0); fmpq_clear(w1); fmpq_clear(r0); fmpq_clear(r1);
    arb_clear(bound); arb_clear(sum); arb_clear(mass); arb_clear(K); arb_clear(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle), cmocka_unit_test(test_golden), cmocka_unit_test(test_two_accuracies),
        cmocka_unit_test(test_blocks), cmocka_unit_test(test_monotone), cmocka_unit_test(test_directions),
        cmocka_unit_test(test_special_values), cmocka_unit_test(test_certain_count),
        cmocka_unit_test(test_extremes), cmocka_unit_test(test_domain),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_little_work), cmocka_unit_test(test_wide_mixture), cmocka_unit_test(test_far_out),
        cmocka_unit_test(test_beyond),
    };
    int failed;
    seed_random();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
