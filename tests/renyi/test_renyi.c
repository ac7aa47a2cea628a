/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Renyi divergences against brute force, exact moments, closed forms, and themselves. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "renyi/renyi.h"
#include "oracle/oracle.h"
#include "check.h"
#include "random.h"

#define ORACLE_PREC 384

/* from the rational, not by the library */
static void oracle_real(arb_t r, const shuf_real_t x)
{
    arb_set_fmpq(r, x->q, ORACLE_PREC);
    if (x->is_log)
        arb_log(r, r, ORACLE_PREC);
}

static void oracle_exp(arb_t r, const shuf_real_t x)
{
    arb_set_fmpq(r, x->q, ORACLE_PREC + 64);
    if (!x->is_log)
        arb_exp(r, r, ORACLE_PREC + 64);
}

/* ---- enclosures ---- */

static int is_infinite(const shuf_enclosure_t x)
{
    return arf_is_pos_inf(x->lo) && arf_is_pos_inf(x->hi);
}

/* 0 <= lo <= hi < inf, lo at most the largest loss, and a ledger that explains the width; or all infinite */
static int sound_divergence(const shuf_enclosure_t x, const shuf_pair_t pair)
{
    shuf_real_t loss;
    int ok;
    shuf_real_init(loss);
    if (shuf_pair_max_loss(loss, pair))
        ok = well_formed(x) && shuf_real_cmp_arf(loss, x->lo) >= 0;
    else
        ok = is_infinite(x);
    shuf_real_clear(loss);
    return ok;
}

/* x <= y is possible */
static int at_most(const shuf_enclosure_t x, const shuf_enclosure_t y)
{
    return arf_cmp(x->lo, y->hi) <= 0;
}

/* x < y is certain */
static int below(const shuf_enclosure_t x, const shuf_enclosure_t y)
{
    return arf_cmp(x->hi, y->lo) < 0;
}

static void fail_at(const char *what, const shuf_pair_t pair, const shuf_real_t order, shuf_direction direction,
                    slong digits, const shuf_enclosure_t r)
{
    char *w0 = fmpq_get_str(NULL, 10, pair->w0), *w1 = fmpq_get_str(NULL, 10, pair->w1);
    char *r0 = fmpq_get_str(NULL, 10, pair->r0), *r1 = fmpq_get_str(NULL, 10, pair->r1);
    char *gamma = fmpq_get_str(NULL, 10, pair->gamma);
    fail_msg("%s: %s n = %lu k = %lu eps0 = %s gamma = %s w = %s, %s r = %s, %s: order %s, direction %d, %ld digits: "
             "status %d, [%.17g, %.17g], width %.3g, %g s", what, shuf_pair_theorem(pair), pair->n, pair->k,
             pair->eps0->text, gamma, w0, w1, r0, r1, order->text, (int) direction, (long) digits, (int) r->status,
             arf_get_d(r->lo, ARF_RND_DOWN), arf_get_d(r->hi, ARF_RND_UP),
             arf_get_d(r->hi, ARF_RND_UP) - arf_get_d(r->lo, ARF_RND_DOWN), r->ledger.work);
}

/* A divergence, as good as the time allows. */
static shuf_status renyi_within(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t order,
                                shuf_direction direction, slong digits, double seconds)
{
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    shuf_status status;
    o.digits = digits;
    o.max_work = seconds * 1e9;
    status = shuf_renyi_divergence(r, pair, order, direction, &o);
    if (status == SHUF_DOMAIN || r->status != status || !sound_divergence(r, pair)
        || (status == SHUF_OK && !is_infinite(r) && !narrow_enough(r, digits)))
        fail_at("not an answer", pair, order, direction, digits, r);
    return status;
}

/* A divergence with all the digits asked for. */
static void renyi(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t order, shuf_direction direction, slong digits)
{
    if (renyi_within(r, pair, order, direction, digits, 10) != SHUF_OK)
        fail_at("too wide", pair, order, direction, digits, r);
}

static void renyi_text(shuf_enclosure_t r, const shuf_pair_t pair, const char *order, shuf_direction direction, slong digits)
{
    shuf_real_t x;
    shuf_real_init(x);
    set(x, order);
    renyi(r, pair, x, direction, digits);
    shuf_real_clear(x);
}

/* ---- pairs ---- */

static void set_blanket(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t k, ulong num, ulong den)
{
    fmpq_t gamma;
    fmpq_init(gamma);
    fmpq_set_ui(gamma, num, den);
    assert_int_equal(shuf_pair_set_krr_blanket(pair, kind, n, k, gamma), 0);
    fmpq_clear(gamma);
}

/* a decimal of a few digits in (0, limit] */
static void random_rational(fmpq_t q, ulong limit)
{
    static const ulong dens[] = { 3, 10, 100, 1000, 7919, 1000000 };
    ulong den = dens[random_below(6)];
    fmpq_set_ui(q, 1 + random_below(limit * den), den);
}

static void random_eps0(shuf_real_t x)
{
    static const char *const chosen[] = { "0", "1e-9", "1e-3", "5", "20", "log(2)", "log(16/3)", "log(1000001/1000000)" };
    fmpq_t q, one;
    fmpq_init(q);
    fmpq_init(one);
    fmpq_one(one);
    switch (random_below(4))
    {
    case 0:
        set(x, chosen[random_below(sizeof(chosen) / sizeof(chosen[0]))]);
        break;
    case 1:
        random_rational(q, 9);
        fmpq_add(q, q, one);
        shuf_real_set_log_fmpq(x, q);
        break;
    default:
        random_rational(q, random_below(3) == 0 ? 10 : 3);
        shuf_real_set_fmpq(x, q);
    }
    fmpq_clear(q);
    fmpq_clear(one);
}

static void random_order(shuf_real_t x)
{
    static const char *const chosen[] = { "1", "1", "1.000001", "1.0001", "1.0000000001", "1.5", "4/3", "7/3", "log(20)",
                                          "32.5", "65/2", "1000", "1e6", "123456.789" };
    fmpq_t q, one;
    fmpq_init(q);
    fmpq_init(one);
    fmpq_one(one);
    switch (random_below(4))
    {
    case 0:
        fmpq_set_ui(q, 2 + random_below(random_below(2) ? 8 : 200), 1);
        shuf_real_set_fmpq(x, q);
        break;
    case 1: /* (1, 2], or some way beyond */
        random_rational(q, random_below(2) ? 1 : 40);
        fmpq_add(q, q, one);
        shuf_real_set_fmpq(x, q);
        break;
    default:
        set(x, chosen[random_below(sizeof(chosen) / sizeof(chosen[0]))]);
    }
    fmpq_clear(q);
    fmpq_clear(one);
}

static void random_trinomial(shuf_pair_t pair, uint64_t n)
{
    ulong den = 2 + random_below(random_below(2) ? 12 : 1000000), a, b;
    fmpq_t w0, w1, r0, r1;
    fmpq_init(w0); fmpq_init(w1); fmpq_init(r0); fmpq_init(r1);
    a = random_below(8) == 0 ? 0 : 1 + random_below(den);
    b = a == den ? 0 : random_below(8) == 0 ? 0 : 1 + random_below(den - a);
    if (random_below(6) == 0)
        b = den - a; /* w2 = 0 */
    fmpq_set_ui(w0, a, den);
    fmpq_set_ui(w1, b, den);
    if (random_below(12) != 0) /* otherwise nobody is seen */
    {
        a = 1 + random_below(den - 1);
        b = 1 + random_below(den - a);
        if (random_below(6) == 0)
            b = den - a; /* everybody is seen */
        if (random_below(5) == 0 && 2 * a <= den)
            b = a;
        fmpq_set_ui(r0, a, den);
        fmpq_set_ui(r1, b, den);
    }
    assert_int_equal(shuf_pair_set_trinomial(pair, n, w0, w1, r0, r1), 0);
    fmpq_clear(w0); fmpq_clear(w1); fmpq_clear(r0); fmpq_clear(r1);
}

/* k up to max_k */
static void random_pair(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t max_k)
{
    shuf_real_t eps0;
    ulong k = 2 + random_below(max_k - 1), gamma = 1 + random_below(999);
    shuf_real_init(eps0);
    random_eps0(eps0);
    if (random_below(16) == 0)
        gamma = random_below(2) ? 0 : 1000;
    switch (kind)
    {
    case SHUF_PAIR_CLONES:
    case SHUF_PAIR_CLONES_STRONGER:
    case SHUF_PAIR_RR2:
        assert_int_equal(shuf_pair_set_eps0(pair, kind, n, eps0), 0);
        break;
    case SHUF_PAIR_KRR_SAME:
        assert_int_equal(shuf_pair_set_krr(pair, kind, n, k, eps0), 0);
        break;
    case SHUF_PAIR_KRR_THIRD:
        assert_int_equal(shuf_pair_set_krr(pair, kind, n, k < 3 ? 3 : k, eps0), 0);
        break;
    case SHUF_PAIR_KRR_STRONG: /* infinite but for gamma = 1 */
        set_blanket(pair, kind, n, k, gamma % 2 ? 1000 : gamma, 1000);
        break;
    case SHUF_PAIR_KRR_WEAK:
        set_blanket(pair, kind, n, k, gamma, 1000);
        break;
    case SHUF_PAIR_TRINOMIAL:
        random_trinomial(pair, n);
        break;
    default: fail_msg("this kind of pair is not covered here");
    }
    shuf_real_clear(eps0);
}

/* ---- the oracle ---- */

static void trinomial_law(oracle_law_t law, const shuf_pair_t pair)
{
    fmpq_t w2, r2, one;
    arb_ptr x = _arb_vec_init(6);
    fmpq_init(w2);
    fmpq_init(r2);
    fmpq_init(one);
    fmpq_one(one);
    fmpq_sub(w2, one, pair->w0);
    fmpq_sub(w2, w2, pair->w1);
    fmpq_sub(r2, one, pair->r0);
    fmpq_sub(r2, r2, pair->r1);
    arb_set_fmpq(x, pair->w0, ORACLE_PREC);
    arb_set_fmpq(x + 1, pair->w1, ORACLE_PREC);
    arb_set_fmpq(x + 2, w2, ORACLE_PREC);
    arb_set_fmpq(x + 3, pair->r0, ORACLE_PREC);
    arb_set_fmpq(x + 4, pair->r1, ORACLE_PREC);
    arb_set_fmpq(x + 5, r2, ORACLE_PREC);
    oracle_law_trinomial(law, (slong) pair->n, x, x + 1, x + 2, x + 3, x + 4, x + 5, ORACLE_PREC);
    fmpq_clear(w2);
    fmpq_clear(r2);
    fmpq_clear(one);
    _arb_vec_clear(x, 6);
}

/* Others hold a third value and k > 3: the pair keeps two counts only, and is not the histogram. */
static void krr_third_law(oracle_law_t law, slong n, slong k, const arb_t E)
{
    arb_t w0, w1, w2, r2;
    arb_init(w0); arb_init(w1); arb_init(w2); arb_init(r2);
    arb_add_si(r2, E, k - 1, ORACLE_PREC);
    arb_div(w0, E, r2, ORACLE_PREC);
    arb_inv(w1, r2, ORACLE_PREC);
    arb_mul_si(w2, w1, k - 2, ORACLE_PREC);
    arb_mul_si(r2, w1, k - 3, ORACLE_PREC);
    arb_add(r2, r2, w0, ORACLE_PREC);
    oracle_law_trinomial(law, n, w0, w1, w2, w1, w1, r2, ORACLE_PREC);
    arb_clear(w0); arb_clear(w1); arb_clear(w2); arb_clear(r2);
}

static void law_of_pair(oracle_law_t law, const shuf_pair_t pair)
{
    slong n = (slong) pair->n, k = (slong) pair->k;
    arb_t E;
    arb_init(E);
    oracle_exp(E, pair->eps0);
    switch (pair->kind)
    {
    case SHUF_PAIR_CLONES: oracle_law_clones(law, n, E, ORACLE_PREC); break;
    case SHUF_PAIR_CLONES_STRONGER: oracle_law_clones_stronger(law, n, E, ORACLE_PREC); break;
    case SHUF_PAIR_RR2: oracle_law_rr2(law, n, E, ORACLE_PREC); break;
    case SHUF_PAIR_KRR_SAME: oracle_law_krr(law, n, k, E, ORACLE_OTHERS_SAME, ORACLE_PREC); break;
    case SHUF_PAIR_KRR_THIRD:
        if (k == 3)
            oracle_law_krr(law, n, k, E, ORACLE_OTHERS_THIRD, ORACLE_PREC);
        else
            krr_third_law(law, n, k, E);
        break;
    case SHUF_PAIR_KRR_STRONG: oracle_law_krr_strong(law, n, k, pair->gamma); break;
    case SHUF_PAIR_KRR_WEAK: oracle_law_krr_weak(law, n, k, pair->gamma); break;
    case SHUF_PAIR_TRINOMIAL: trinomial_law(law, pair); break;
    default: fail_msg("this kind of pair is not covered here");
    }
    arb_clear(E);
}

/* The divergences, both directions. */
static void oracle_divergence(arb_t pq, arb_t qp, const oracle_law_t law, const shuf_real_t order)
{
    arb_t lambda;
    if (shuf_real_cmp_si(order, 1) == 0)
    {
        oracle_kl(pq, qp, law, ORACLE_PREC);
        return;
    }
    arb_init(lambda);
    oracle_real(lambda, order);
    oracle_renyi(pq, qp, law, lambda, ORACLE_PREC);
    arb_sub_ui(lambda, lambda, 1, ORACLE_PREC);
    arb_log(pq, pq, ORACLE_PREC);
    arb_div(pq, pq, lambda, ORACLE_PREC);
    arb_log(qp, qp, ORACLE_PREC);
    arb_div(qp, qp, lambda, ORACLE_PREC);
    arb_clear(lambda);
}

/* One pair and order, all directions. Returns whether the divergence is positive and finite. */
static int check_against(const oracle_law_t law, const shuf_pair_t pair, const shuf_real_t order)
{
    shuf_enclosure_t r;
    shuf_direction direction;
    arb_t pq, qp, both;
    int positive = 0;
    shuf_enclosure_init(r);
    arb_init(pq);
    arb_init(qp);
    arb_init(both);
    oracle_divergence(pq, qp, law, order);
    if (arb_is_finite(pq) && arb_is_finite(qp))
        arb_max(both, pq, qp, ORACLE_PREC);
    else
        arb_pos_inf(both);
    for (direction = SHUF_DIRECTION_BOTH; direction <= SHUF_DIRECTION_QP; direction++)
    {
        slong digits = random_below(2) ? 12 : 3 + (slong) random_below(23);
        const arb_struct *truth = direction == SHUF_DIRECTION_PQ ? pq : direction == SHUF_DIRECTION_QP ? qp : both;
        renyi(r, pair, order, direction, digits);
        if (arf_is_pos_inf(arb_midref(truth)) ? !is_infinite(r) : !meets(r->lo, r->hi, truth))
            fail_at("not the oracle's value", pair, order, direction, digits, r);
        if (arb_is_finite(truth) && arf_sgn(r->lo) > 0)
        {
            /* the oracle is so much sharper that to overlap is to contain */
            assert_true(arb_rel_accuracy_bits(truth) > 150);
            positive = 1;
        }
    }
    shuf_enclosure_clear(r);
    arb_clear(pq);
    arb_clear(qp);
    arb_clear(both);
    return positive;
}

#define PAIRS 1200
#define ORDERS 2

static void test_oracle(void **state)
{
    shuf_pair_t pair;
    shuf_real_t order;
    oracle_law_t law;
    int i, j, positive = 0;
    (void) state;
    skip_unless_drawn(5);
    shuf_pair_init(pair);
    shuf_real_init(order);
    for (i = 0; i < PAIRS; i++)
    {
        shuf_pair_kind kind = (shuf_pair_kind) (i % 8);
        uint64_t n = 1 + random_below(30), k = 2 + random_below(3);
        switch (kind)
        {
        case SHUF_PAIR_KRR_SAME: n = k == 2 ? n : k == 3 ? 1 + n % 14 : 1 + n % 7; break;
        case SHUF_PAIR_KRR_THIRD: n = 1 + n % 20; k = random_below(2) ? 3 : 12; break;
        case SHUF_PAIR_KRR_STRONG:
        case SHUF_PAIR_KRR_WEAK: n = k == 2 ? 1 + n % 14 : k == 3 ? 1 + n % 7 : 1 + n % 4; break;
        default: n = kind != SHUF_PAIR_RR2 && i % 3 ? 1 + n % 14 : n;
        }
        random_pair(pair, kind, n, k);
        law_of_pair(law, pair);
        for (j = 0; j < ORDERS; j++)
        {
            random_order(order);
            positive += check_against(law, pair, order);
        }
        oracle_law_clear(law);
    }
    /* most points say something */
    assert_true(positive > PAIRS * ORDERS / 2);
    shuf_pair_clear(pair);
    shuf_real_clear(order);
}

/* Enough users for krr-weak to interpolate over the revealed rest. */
static void test_oracle_interpolated(void **state)
{
    static const char *orders[] = { "1", "1.5", "3", "8.25" };
    shuf_pair_t pair;
    shuf_real_t order;
    oracle_law_t law;
    fmpq_t gamma;
    int i, j;
    slong digits;
    (void) state;
    skip_unless_drawn(5);
    shuf_pair_init(pair);
    shuf_real_init(order);
    fmpq_init(gamma);
    for (i = 0; i < 2; i++)
    {
        fmpq_set_si(gamma, (slong) (40 + random_below(50)), 100);
        assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_WEAK, 40 + random_below(20), 3, gamma), 0);
        law_of_pair(law, pair);
        for (j = 0; j < 4; j++)
        {
            shuf_enclosure_t r;
            arb_t pq, qp;
            shuf_enclosure_init(r);
            arb_init(pq);
            arb_init(qp);
            set(order, orders[j]);
            oracle_divergence(pq, qp, law, order);
            for (digits = 2; digits <= 8; digits++)
            {
                renyi(r, pair, order, SHUF_DIRECTION_BOTH, digits);
                if (!meets(r->lo, r->hi, pq))
                    fail_at("not the oracle's value", pair, order, SHUF_DIRECTION_BOTH, digits, r);
            }
            shuf_enclosure_clear(r);
            arb_clear(pq);
            arb_clear(qp);
        }
        oracle_law_clear(law);
    }
    shuf_pair_clear(pair);
    shuf_real_clear(order);
    fmpq_clear(gamma);
}

static void test_oracle_more_users(void **state)
{
    static const struct { shuf_pair_kind kind; uint64_t n; const char *eps0; const char *orders[3]; } cases[] = {
        { SHUF_PAIR_RR2, 300, "1", { "1", "2.5", "40" } },
        { SHUF_PAIR_RR2, 299, "4", { "1.000001", "1000", "17/3" } },
        { SHUF_PAIR_RR2, 700, "log(2)", { "2", "99.5", "1e6" } },
        { SHUF_PAIR_CLONES, 120, "2", { "1", "2.5", NULL } },
        { SHUF_PAIR_CLONES, 200, "0.3", { "33.3", NULL, NULL } },
        { SHUF_PAIR_CLONES_STRONGER, 150, "1e-3", { "log(100)", NULL, NULL } },
    };
    shuf_pair_t pair;
    shuf_real_t order;
    oracle_law_t law;
    size_t i, j;
    (void) state;
    skip_unless_drawn(4);
    shuf_pair_init(pair);
    shuf_real_init(order);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        set_eps0(pair, cases[i].kind, cases[i].n, cases[i].eps0);
        law_of_pair(law, pair);
        for (j = 0; j < 3 && cases[i].orders[j] != NULL; j++)
        {
            set(order, cases[i].orders[j]);
            assert_true(check_against(law, pair, order));
        }
        oracle_law_clear(law);
    }
    shuf_pair_clear(pair);
    shuf_real_clear(order);
}

/* ---- exact moments ---- */

/*
 * E r^order, X ~ Bin(n, 1/(E+1)), r = (X E + (n-X)/E)/n = 1/E + X (E - 1/E)/n,
 * from E X^j = sum over i of Stirling2(j, i) n (n-1) .. (n-i+1) / (E+1)^i.
 */
static void binomial_moment(fmpq_t moment, ulong n, const fmpq_t E, slong order)
{
    enum { MOST = 8 };
    ulong stirling[MOST + 1][MOST + 1] = { { 1 } }, pascal[MOST + 1] = { 1 };
    slong i, j;
    fmpq_t raw, term, p, base, slope;
    assert_true(order <= MOST);
    fmpq_init(raw); fmpq_init(term); fmpq_init(p); fmpq_init(base); fmpq_init(slope);
    for (j = 1; j <= order; j++)
    {
        for (i = 1; i <= j; i++)
            stirling[j][i] = (ulong) i * stirling[j - 1][i] + stirling[j - 1][i - 1];
        for (i = j; i > 0; i--)
            pascal[i] += pascal[i - 1];
    }
    fmpq_one(p);
    fmpq_add(p, p, E);
    fmpq_inv(p, p);
    fmpq_inv(base, E);
    fmpq_sub(slope, E, base);
    fmpq_set_ui(term, 1, n);
    fmpq_mul(slope, slope, term);
    fmpq_zero(moment);
    for (j = 0; j <= order; j++)
    {
        fmpq_t falling, weight;
        fmpq_init(falling);
        fmpq_init(weight);
        fmpq_one(falling); /* times p^i */
        fmpq_zero(raw);
        for (i = 0; i <= j; i++)
        {
            fmpq_set_ui(term, stirling[j][i], 1);
            fmpq_addmul(raw, term, falling);
            fmpq_mul(falling, falling, p);
            fmpq_set_ui(term, n > (ulong) i ? n - (ulong) i : 0, 1);
            fmpq_mul(falling, falling, term);
        }
        fmpq_set_ui(weight, pascal[j], 1);
        fmpq_mul(weight, weight, raw);
        fmpq_pow_si(term, base, order - j);
        fmpq_mul(weight, weight, term);
        fmpq_pow_si(term, slope, j);
        fmpq_addmul(moment, weight, term);
        fmpq_clear(falling);
        fmpq_clear(weight);
    }
    fmpq_clear(raw); fmpq_clear(term); fmpq_clear(p); fmpq_clear(base); fmpq_clear(slope);
}

/* Randomised response on all-equal data: r is the ratio of Q to P. */
static void test_exact_moments(void **state)
{
    shuf_pair_t pair;
    shuf_real_t eps0;
    shuf_enclosure_t r;
    fmpq_t E, one, moment;
    arb_t value;
    int i;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(eps0);
    shuf_enclosure_init(r);
    fmpq_init(E);
    fmpq_init(one);
    fmpq_init(moment);
    arb_init(value);
    fmpq_one(one);
    for (i = 0; i < 150; i++)
    {
        ulong n = 1 + random_below(60);
        slong order = 2 + i % 7;
        char text[8];
        random_rational(E, 20);
        fmpq_add(E, E, one);
        shuf_real_set_log_fmpq(eps0, E);
        binomial_moment(moment, n, E, order);
        arb_set_fmpq(value, moment, ORACLE_PREC);
        arb_log(value, value, ORACLE_PREC);
        arb_div_si(value, value, order - 1, ORACLE_PREC);
        snprintf(text, sizeof text, "%d", (int) order);
        assert_int_equal(shuf_pair_set_eps0(pair, SHUF_PAIR_RR2, n, eps0), 0);
        renyi_text(r, pair, text, SHUF_DIRECTION_QP, 20);
        assert_true(meets(r->lo, r->hi, value));
        /* k-ary with k = 2 is the same mechanism */
        assert_int_equal(shuf_pair_set_krr(pair, SHUF_PAIR_KRR_SAME, n, 2, eps0), 0);
        renyi_text(r, pair, text, SHUF_DIRECTION_QP, 20);
        assert_true(meets(r->lo, r->hi, value));
    }
    shuf_pair_clear(pair);
    shuf_real_clear(eps0);
    shuf_enclosure_clear(r);
    fmpq_clear(E);
    fmpq_clear(one);
    fmpq_clear(moment);
    arb_clear(value);
}

/* n = 10, eps0 = 1, order 2, from a program of its own in mpmath. */
static void test_golden(void **state)
{
    static const struct { shuf_pair_kind kind; shuf_direction direction; const char *value; } cases[] = {
        { SHUF_PAIR_CLONES, SHUF_DIRECTION_PQ, "0.2410615797578877552330072723781032980553" },
        { SHUF_PAIR_CLONES, SHUF_DIRECTION_QP, "0.2410615797578877552330072723781032980553" },
        { SHUF_PAIR_CLONES_STRONGER, SHUF_DIRECTION_BOTH, "0.165476661644001919553452831184716601095" },
        { SHUF_PAIR_RR2, SHUF_DIRECTION_PQ, "0.1274334976660373924254075084091948235557" },
        { SHUF_PAIR_RR2, SHUF_DIRECTION_QP, "0.1031125050410463071945345403139754115077" },
        { SHUF_PAIR_RR2, SHUF_DIRECTION_BOTH, "0.1274334976660373924254075084091948235557" },
    };
    shuf_pair_t pair;
    shuf_enclosure_t r;
    arb_t value, unit;
    size_t i;
    (void) state;
    shuf_pair_init(pair);
    shuf_enclosure_init(r);
    arb_init(value);
    arb_init(unit);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        set_eps0(pair, cases[i].kind, 10, "1");
        renyi_text(r, pair, "2", cases[i].direction, 45);
        arb_set_str(value, cases[i].value, 200);
        arb_set_str(unit, "1e-38", 200);
        arb_add_error(value, unit);
        assert_true(arb_contains_arf(value, r->lo) && arb_contains_arf(value, r->hi));
    }
    arb_clear(value);
    arb_clear(unit);
    shuf_enclosure_clear(r);
    shuf_pair_clear(pair);
}

/* ---- one accuracy against another ---- */

#define ACCURACIES 42

static void test_two_accuracies(void **state)
{
    static const shuf_pair_kind kinds[] = { SHUF_PAIR_CLONES, SHUF_PAIR_CLONES_STRONGER, SHUF_PAIR_RR2,
                                            SHUF_PAIR_KRR_SAME, SHUF_PAIR_KRR_THIRD, SHUF_PAIR_KRR_WEAK,
                                            SHUF_PAIR_TRINOMIAL };
    shuf_pair_t pair;
    shuf_real_t order;
    shuf_enclosure_t few, many;
    int i, accurate = 0;
    (void) state;
    skip_unless_drawn(5);
    shuf_pair_init(pair);
    shuf_real_init(order);
    shuf_enclosure_init(few);
    shuf_enclosure_init(many);
    for (i = 0; i < ACCURACIES; i++)
    {
        shuf_direction direction = (shuf_direction) random_below(3);
        shuf_pair_kind kind = kinds[i % 7];
        /* krr-weak sums over two counts */
        random_pair(pair, kind, 1 + (uint64_t) pow(10, (kind == SHUF_PAIR_KRR_WEAK ? 2 : 6) * random_unit()), 30);
        random_order(order);
        renyi_within(few, pair, order, direction, 6, 0.1);
        accurate += renyi_within(many, pair, order, direction, 20, 0.2) == SHUF_OK;
        if (!overlap(few, many))
            fail_at("6 digits against 20", pair, order, direction, 20, many);
    }
    assert_true(accurate > ACCURACIES / 4);
    shuf_pair_clear(pair);
    shuf_real_clear(order);
    shuf_enclosure_clear(few);
    shuf_enclosure_clear(many);
}

/*
 * Many users: D_order is order/2 times the chi-square distance, up to a factor
 * 1 + O(order^2/n). The chi-square distance is (E-1)^2/(E n) for randomised
 * response, and 4 tanh(eps0/2)^2 E/n for clones.
 */
static void test_many_users(void **state)
{
    static const struct { shuf_pair_kind kind; uint64_t n; double eps0; const char *text, *order; } cases[] = {
        { SHUF_PAIR_CLONES, UINT64_C(1000000000), 1, "1", "2" },
        { SHUF_PAIR_CLONES, UINT64_C(1000000000), 0.25, "0.25", "1" },
        { SHUF_PAIR_CLONES, UINT64_C(1000000000000), 1, "1", "7.5" },
        { SHUF_PAIR_CLONES, UINT64_C(1000000000000), 3, "3", "1.000001" },
        { SHUF_PAIR_RR2, UINT64_C(1000000000), 1, "1", "3" },
        { SHUF_PAIR_RR2, UINT64_C(1000000000), 2, "2", "1" },
        { SHUF_PAIR_RR2, UINT64_C(1000000000000), 0.5, "0.5", "30.5" },
    };
    shuf_pair_t pair;
    shuf_real_t order;
    shuf_enclosure_t r, s;
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    shuf_pair_init(pair);
    shuf_real_init(order);
    shuf_enclosure_init(r);
    shuf_enclosure_init(s);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        double E = exp(cases[i].eps0), t = tanh(cases[i].eps0 / 2), n = (double) cases[i].n, value, start;
        value = cases[i].kind == SHUF_PAIR_RR2 ? (E - 1) * (E - 1) / (E * n) : 4 * t * t * E / n;
        set_eps0(pair, cases[i].kind, cases[i].n, cases[i].text);
        set(order, cases[i].order);
        value *= strtod(cases[i].order, NULL) / 2;
        start = shuf_work();
        renyi(r, pair, order, SHUF_DIRECTION_BOTH, 4);
        renyi(s, pair, order, SHUF_DIRECTION_BOTH, cases[i].n > 1000000000 ? 6 : 5);
        if (shuf_work() - start > 5e9)
            fail_at("late", pair, order, SHUF_DIRECTION_BOTH, 6, s);
        if (!overlap(r, s))
            fail_at("4 digits against 6", pair, order, SHUF_DIRECTION_BOTH, 6, s);
        if (arf_cmp_d(s->lo, value * (1 + 1e-6)) > 0 || arf_cmp_d(s->hi, value * (1 - 1e-6)) < 0)
            fail_at("not the limit law", pair, order, SHUF_DIRECTION_BOTH, 6, s);
    }
    shuf_pair_clear(pair);
    shuf_real_clear(order);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(s);
}

/* ---- laws ---- */

static const char *const rising_orders[] = { "1", "1.000001", "1.2", "2", "log(11)", "16", "32.5", "1000", "1e6" };
#define NUM_ORDERS ((int) (sizeof(rising_orders) / sizeof(rising_orders[0])))

static void test_monotone_in_order(void **state)
{
    shuf_pair_t pair;
    shuf_real_t order;
    shuf_enclosure_t r, previous;
    int i, j, strict = 0;
    (void) state;
    skip_unless_drawn(4);
    shuf_pair_init(pair);
    shuf_real_init(order);
    shuf_enclosure_init(r);
    shuf_enclosure_init(previous);
    for (i = 0; i < 24; i++)
    {
        shuf_direction direction = (shuf_direction) random_below(3);
        shuf_pair_kind kind = (shuf_pair_kind) (i % 8);
        random_pair(pair, kind, 1 + random_below(kind == SHUF_PAIR_KRR_WEAK ? 40 : 120), 9);
        for (j = 0; j < NUM_ORDERS; j++)
        {
            set(order, rising_orders[j]);
            renyi_within(r, pair, order, direction, 10, 0.2);
            if (j > 0)
            {
                if (!at_most(previous, r))
                    fail_at("less than at a smaller order", pair, order, direction, 10, r);
                strict += below(previous, r);
            }
            shuf_enclosure_set(previous, r);
        }
    }
    assert_true(strict > 24 * NUM_ORDERS / 2);
    shuf_pair_clear(pair);
    shuf_real_clear(order);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(previous);
}

/* One more user cannot help the adversary. */
static void test_monotone_in_users(void **state)
{
    static const uint64_t users[] = { 1, 2, 3, 5, 17, 18, 60, 300 };
    shuf_pair_t pair;
    shuf_real_t order;
    shuf_enclosure_t r, previous;
    int i, strict = 0;
    size_t j;
    (void) state;
    skip_unless_drawn(4);
    shuf_pair_init(pair);
    shuf_real_init(order);
    shuf_enclosure_init(r);
    shuf_enclosure_init(previous);
    for (i = 0; i < 16; i++)
    {
        shuf_direction direction = (shuf_direction) random_below(3);
        random_pair(pair, (shuf_pair_kind) (i % 8), 1, 9);
        random_order(order);
        for (j = 0; j < sizeof(users) / sizeof(users[0]); j++)
        {
            pair->n = users[j];
            renyi_within(r, pair, order, direction, 10, 0.2);
            if (j > 0)
            {
                if (!at_most(r, previous))
                    fail_at("more than with fewer users", pair, order, direction, 10, r);
                strict += below(r, previous);
            }
            shuf_enclosure_set(previous, r);
        }
    }
    assert_true(strict > 30);
    shuf_pair_clear(pair);
    shuf_real_clear(order);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(previous);
}

/* Larger eps0; and clones-stronger is no larger than clones. */
static void test_monotone_in_eps0(void **state)
{
    static const char *const rising[] = { "0", "1e-9", "1e-3", "0.5", "log(2)", "0.7", "log(5)", "3", "9", "20" };
    static const shuf_pair_kind kinds[] = { SHUF_PAIR_CLONES, SHUF_PAIR_CLONES_STRONGER, SHUF_PAIR_RR2 };
    shuf_pair_t pair;
    shuf_real_t order;
    shuf_enclosure_t previous[3], r[3];
    int round, kind;
    size_t j;
    (void) state;
    skip_unless_drawn(4);
    shuf_pair_init(pair);
    shuf_real_init(order);
    for (kind = 0; kind < 3; kind++)
    {
        shuf_enclosure_init(r[kind]);
        shuf_enclosure_init(previous[kind]);
    }
    for (round = 0; round < 5; round++)
    {
        shuf_direction direction = (shuf_direction) random_below(3);
        uint64_t n = 1 + random_below(300);
        random_order(order);
        for (j = 0; j < sizeof(rising) / sizeof(rising[0]); j++)
        {
            for (kind = 0; kind < 3; kind++)
            {
                set_eps0(pair, kinds[kind], n, rising[j]);
                renyi(r[kind], pair, order, direction, 10);
                if (j == 0)
                    assert_true(arf_is_zero(r[kind]->lo) && arf_is_zero(r[kind]->hi));
                else if (!below(previous[kind], r[kind]))
                    fail_at("no more than with a smaller eps0", pair, order, direction, 10, r[kind]);
                shuf_enclosure_set(previous[kind], r[kind]);
            }
            if (!at_most(r[1], r[0]))
                fail_at("more than clones-stronger", pair, order, direction, 10, r[0]);
        }
    }
    for (kind = 0; kind < 3; kind++)
    {
        shuf_enclosure_clear(r[kind]);
        shuf_enclosure_clear(previous[kind]);
    }
    shuf_pair_clear(pair);
    shuf_real_clear(order);
}

/*
 * order to infinity: with q the Q-mass of the outcomes of the largest loss L,
 * L + log(q)/(order-1) <= D_order <= L.
 */
static void test_large_orders(void **state)
{
    static const struct { const char *text; double order; } orders[] = { { "1e6", 1e6 }, { "1e12", 1e12 }, { "1e18", 1e18 } };
    shuf_pair_t pair;
    shuf_real_t loss;
    shuf_enclosure_t r;
    arb_t low, slack;
    arf_t bound;
    int i;
    size_t j;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(loss);
    shuf_enclosure_init(r);
    arb_init(low);
    arb_init(slack);
    arf_init(bound);
    for (i = 0; i < 24; i++)
    {
        uint64_t n = 1 + random_below(5);
        switch (i % 4)
        {
        case 0: set_eps0(pair, SHUF_PAIR_CLONES, n, i % 8 ? "1" : "log(7/2)"); break;
        case 1: set_eps0(pair, SHUF_PAIR_RR2, n, i % 8 > 1 ? "2" : "0.1"); break;
        case 2: set_krr(pair, SHUF_PAIR_KRR_THIRD, n, 3 + random_below(10), "1"); break;
        default: set_blanket(pair, SHUF_PAIR_KRR_WEAK, n, 2 + random_below(10), 1 + random_below(98), 100);
        }
        assert_int_equal(shuf_pair_max_loss(loss, pair), 1);
        for (j = 0; j < 3; j++)
        {
            renyi_text(r, pair, orders[j].text, (shuf_direction) (i % 3), 21);
            /* five users, each in the outcome with probability at least 1/1200: log(q) > -36 */
            oracle_real(low, loss);
            arb_set_d(slack, 40 / orders[j].order);
            arb_sub(low, low, slack, ORACLE_PREC);
            arb_get_lbound_arf(bound, low, 200);
            if (arf_cmp(r->hi, bound) < 0)
                fail_msg("%s n = %lu order %s: too far below the largest loss", shuf_pair_theorem(pair), pair->n, orders[j].text);
            assert_true(shuf_real_cmp_arf(loss, r->lo) >= 0);
        }
    }
    shuf_pair_clear(pair);
    shuf_real_clear(loss);
    shuf_enclosure_clear(r);
    arb_clear(low);
    arb_clear(slack);
    arf_clear(bound);
}

/* order to 1: KL <= D_order <= KL + (order-1) L^2, since the loss is within [-L, L]. */
static void test_towards_kl(void **state)
{
    static const struct { const char *text; double excess; } orders[] = {
        { "1.001", 1e-3 }, { "1.000001", 1e-6 }, { "1.000000001", 1e-9 }, { "1.000000000001", 1e-12 },
        { "1.000000000000000000001", 1e-21 }
    };
    shuf_pair_t pair;
    shuf_enclosure_t kl, r;
    arf_t bound, t;
    int i;
    size_t j;
    (void) state;
    skip_unless_drawn(5);
    shuf_pair_init(pair);
    shuf_enclosure_init(kl);
    shuf_enclosure_init(r);
    arf_init(bound);
    arf_init(t);
    for (i = 0; i < 9; i++)
    {
        shuf_direction direction = (shuf_direction) (i % 3);
        uint64_t n = 1 + random_below(300);
        switch (i / 3)
        {
        case 0: set_eps0(pair, SHUF_PAIR_CLONES, n, "1"); break;
        case 1: set_eps0(pair, SHUF_PAIR_RR2, n, "1"); break;
        default: set_krr(pair, SHUF_PAIR_KRR_SAME, n, 5, "1");
        }
        renyi_text(kl, pair, "1", direction, 24);
        for (j = 0; j < 5; j++)
        {
            renyi_text(r, pair, orders[j].text, direction, 24);
            arf_set_d(t, orders[j].excess);
            arf_add(bound, kl->hi, t, 200, ARF_RND_UP);
            assert_true(arf_cmp(r->lo, bound) <= 0);
            /* the difference is there to be seen */
            assert_true(j < 4 ? below(kl, r) : at_most(kl, r));
        }
    }
    shuf_pair_clear(pair);
    shuf_enclosure_clear(kl);
    shuf_enclosure_clear(r);
    arf_clear(bound);
    arf_clear(t);
}

static void test_symmetric(void **state)
{
    shuf_pair_t pair;
    shuf_real_t order;
    shuf_enclosure_t pq, qp, both;
    int i, asymmetric = 0;
    (void) state;
    skip_unless_drawn(4);
    shuf_pair_init(pair);
    shuf_real_init(order);
    shuf_enclosure_init(pq);
    shuf_enclosure_init(qp);
    shuf_enclosure_init(both);
    for (i = 0; i < 40; i++)
    {
        shuf_pair_kind kind = (shuf_pair_kind) (i % 8);
        random_pair(pair, kind, 1 + random_below(kind == SHUF_PAIR_KRR_WEAK ? 20 : 150), 9);
        random_order(order);
        renyi(pq, pair, order, SHUF_DIRECTION_PQ, 14);
        renyi(qp, pair, order, SHUF_DIRECTION_QP, 14);
        renyi(both, pair, order, SHUF_DIRECTION_BOTH, 14);
        assert_true(overlap(both, arf_cmp(pq->hi, qp->hi) > 0 ? pq : qp));
        if (shuf_pair_is_symmetric(pair))
            assert_true(overlap(pq, qp));
        else
            asymmetric += !overlap(pq, qp);
    }
    assert_true(asymmetric > 3);
    shuf_pair_clear(pair);
    shuf_real_clear(order);
    shuf_enclosure_clear(pq);
    shuf_enclosure_clear(qp);
    shuf_enclosure_clear(both);
}

/* One user: log((E^l + E^(1-l))/(E+1))/(l-1), and eps0 (E-1)/(E+1) at l = 1. */
static void test_one_user(void **state)
{
    static const shuf_pair_kind kinds[] = { SHUF_PAIR_CLONES, SHUF_PAIR_CLONES_STRONGER, SHUF_PAIR_RR2 };
    shuf_pair_t pair;
    shuf_real_t eps0, order;
    shuf_enclosure_t r;
    arb_t E, lambda, value, t;
    int i;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(eps0);
    shuf_real_init(order);
    shuf_enclosure_init(r);
    arb_init(E); arb_init(lambda); arb_init(value); arb_init(t);
    for (i = 0; i < 150; i++)
    {
        shuf_direction direction = (shuf_direction) (i / 3 % 3);
        random_eps0(eps0);
        random_order(order);
        oracle_exp(E, eps0);
        oracle_real(lambda, order);
        if (arb_is_one(lambda))
        {
            oracle_real(value, eps0);
            arb_sub_ui(t, E, 1, ORACLE_PREC);
            arb_mul(value, value, t, ORACLE_PREC);
            arb_add_ui(t, E, 1, ORACLE_PREC);
            arb_div(value, value, t, ORACLE_PREC);
        }
        else
        {
            arb_pow(value, E, lambda, ORACLE_PREC);
            arb_div(t, E, value, ORACLE_PREC);
            arb_add(value, value, t, ORACLE_PREC);
            arb_add_ui(t, E, 1, ORACLE_PREC);
            arb_div(value, value, t, ORACLE_PREC);
            arb_log(value, value, ORACLE_PREC);
            arb_sub_ui(t, lambda, 1, ORACLE_PREC);
            arb_div(value, value, t, ORACLE_PREC);
        }
        assert_int_equal(shuf_pair_set_eps0(pair, kinds[i % 3], 1, eps0), 0);
        renyi(r, pair, order, direction, 18);
        if (!meets(r->lo, r->hi, value))
            fail_at("not the closed form", pair, order, direction, 18, r);
    }
    shuf_pair_clear(pair);
    shuf_real_clear(eps0);
    shuf_real_clear(order);
    shuf_enclosure_clear(r);
    arb_clear(E); arb_clear(lambda); arb_clear(value); arb_clear(t);
}

/* ---- zero, infinity, and what is refused ---- */

static void assert_zero(const shuf_pair_t pair)
{
    static const char *const orders[] = { "1", "1.5", "2", "1e6", "1e18" };
    shuf_enclosure_t r;
    size_t i;
    shuf_enclosure_init(r);
    for (i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
    {
        renyi_text(r, pair, orders[i], (shuf_direction) (i % 3), 12);
        assert_true(arf_is_zero(r->lo) && arf_is_zero(r->hi));
    }
    shuf_enclosure_clear(r);
}

static void assert_infinite(const shuf_pair_t pair)
{
    static const char *const orders[] = { "1", "1.000001", "2", "32.5", "1e18" };
    shuf_enclosure_t r;
    size_t i;
    shuf_enclosure_init(r);
    for (i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
    {
        renyi_text(r, pair, orders[i], (shuf_direction) (i % 3), 12);
        assert_true(is_infinite(r));
    }
    shuf_enclosure_clear(r);
}

static void test_zero_and_infinity(void **state)
{
    static const uint64_t users[] = { 1, 30, 1000000, SHUF_MAX_USERS };
    shuf_pair_t pair;
    fmpq_t w0, w1, r;
    size_t i;
    (void) state;
    shuf_pair_init(pair);
    fmpq_init(w0);
    fmpq_init(w1);
    fmpq_init(r);
    fmpq_set_ui(w0, 1, 3);
    fmpq_set_ui(r, 1, 7);
    for (i = 0; i < sizeof(users) / sizeof(users[0]); i++)
    {
        set_eps0(pair, SHUF_PAIR_CLONES, users[i], "0");
        assert_zero(pair);
        set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, users[i], "log(1)");
        assert_zero(pair);
        set_eps0(pair, SHUF_PAIR_RR2, users[i], "0");
        assert_zero(pair);
        set_krr(pair, SHUF_PAIR_KRR_SAME, users[i], 4, "0");
        assert_zero(pair);
        set_blanket(pair, SHUF_PAIR_KRR_STRONG, users[i], 3, 1, 1);
        assert_zero(pair);
        set_blanket(pair, SHUF_PAIR_KRR_WEAK, users[i], 3, 1, 1);
        assert_zero(pair);
        assert_int_equal(shuf_pair_set_trinomial(pair, users[i], w0, w0, r, r), 0);
        assert_zero(pair);
        assert_int_equal(shuf_pair_set_trinomial(pair, users[i], w1, w1, r, r), 0);
        assert_zero(pair);

        set_blanket(pair, SHUF_PAIR_KRR_STRONG, users[i], 3, 999, 1000);
        assert_infinite(pair);
        set_blanket(pair, SHUF_PAIR_KRR_STRONG, users[i], 3, 0, 1);
        assert_infinite(pair);
        set_blanket(pair, SHUF_PAIR_KRR_WEAK, users[i], 3, 0, 1);
        assert_infinite(pair);
        assert_int_equal(shuf_pair_set_trinomial(pair, users[i], w0, w1, r, w0), 0);
        assert_infinite(pair);
        assert_int_equal(shuf_pair_set_trinomial(pair, users[i], w0, w1, w1, w1), 0);
        assert_infinite(pair);
    }
    shuf_pair_clear(pair);
    fmpq_clear(w0);
    fmpq_clear(w1);
    fmpq_clear(r);
}

/* eps0 = t near 0: chi-squared of the pair is t^2/n (1 + O(t)), and D = order t^2/(2n) (1 + O(order t)). */
static void test_small_losses(void **state)
{
    static const shuf_pair_kind kinds[] = { SHUF_PAIR_CLONES, SHUF_PAIR_CLONES_STRONGER, SHUF_PAIR_RR2 };
    static const char *const losses[] = { "1e-40", "1e-60", "1e-100", "1e-300", "log(1.00000000000000000000000000000000000000000000000001)" };
    static const char *const orders[] = { "1", "3/2", "2", "7" };
    shuf_pair_t pair;
    shuf_real_t order;
    shuf_enclosure_t r;
    arb_t truth, t;
    size_t i;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(order);
    shuf_enclosure_init(r);
    arb_init(truth);
    arb_init(t);
    for (i = 0; i < 60; i++)
    {
        uint64_t n = 1 + random_below(50);
        set_eps0(pair, kinds[i % 3], n, losses[i % 5]);
        set(order, orders[i % 4]);
        renyi(r, pair, order, (shuf_direction) random_below(3), 12);
        shuf_real_get_arb(t, pair->eps0, 256);
        arb_mul(t, t, t, 256);
        shuf_real_get_arb(truth, order, 256);
        arb_mul(truth, truth, t, 256);
        arb_div_ui(truth, truth, 2 * n, 256);
        /* O(order t), generously */
        arb_set_d(t, 1e-30);
        arb_mul(t, t, truth, 256);
        arb_add_error(truth, t);
        if (!meets(r->lo, r->hi, truth))
            fail_at("not the limit", pair, order, SHUF_DIRECTION_BOTH, 12, r);
    }
    shuf_pair_clear(pair);
    shuf_real_clear(order);
    shuf_enclosure_clear(r);
    arb_clear(truth);
    arb_clear(t);
}

static void test_domain(void **state)
{
    static const char *const bad[] = { "0.999999999999999999999999999999", "0", "-1", "-1e18", "log(2)", "1e-10000",
                                       "1000000000000000001", "1000000000000000000.1", "1e19", "1e10000" };
    shuf_pair_t pair;
    shuf_real_t order;
    shuf_enclosure_t r;
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    size_t i;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(order);
    shuf_enclosure_init(r);
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
    {
        set(order, bad[i]);
        set_eps0(pair, SHUF_PAIR_CLONES, 100, "1");
        assert_int_equal(shuf_renyi_divergence(r, pair, order, (shuf_direction) (i % 3), &o), SHUF_DOMAIN);
        assert_int_equal(r->status, SHUF_DOMAIN);
        assert_true(arf_is_zero(r->lo) && arf_is_pos_inf(r->hi));
    }
    /* the ends belong to it */
    set_eps0(pair, SHUF_PAIR_CLONES, 100, "1");
    renyi_text(r, pair, "1", SHUF_DIRECTION_BOTH, 12);
    renyi_text(r, pair, "1000000000000000000", SHUF_DIRECTION_BOTH, 12);
    shuf_pair_clear(pair);
    shuf_real_clear(order);
    shuf_enclosure_clear(r);
}

/* An interval within [0, eps0], up to the rounding of a ball, in time. */
static void test_absurd(void **state)
{
    static const char *const eps0s[] = { "1e-9", "1", "700" };
    static const char *const orders[] = { "1", "2", "1e6", "1e18" };
    static const uint64_t users[] = { 1, SHUF_MAX_USERS };
    shuf_pair_t pair;
    shuf_real_t order;
    shuf_enclosure_t r;
    arf_t top;
    int i, j, k;
    (void) state;
    skip_unless_drawn(5);
    shuf_pair_init(pair);
    shuf_real_init(order);
    shuf_enclosure_init(r);
    arf_init(top);
    for (i = 0; i < 3; i++)
    {
        for (j = 0; j < 4; j++)
        {
            for (k = 0; k < 2; k++)
            {
                shuf_direction direction = (shuf_direction) ((i + j + k) % 3);
                double start = shuf_work();
                set_eps0(pair, (i + j) % 2 ? SHUF_PAIR_CLONES : SHUF_PAIR_RR2, users[k], eps0s[i]);
                set(order, orders[j]);
                renyi_within(r, pair, order, direction, 12, 0.3);
                arf_set_d(top, strtod(eps0s[i], NULL) * (1 + 1e-11));
                if (arf_cmp(r->hi, top) > 0)
                    fail_at("more than eps0", pair, order, direction, 12, r);
                if (shuf_work() - start > 1e9)
                    fail_at("late", pair, order, direction, 12, r);
            }
        }
    }
    shuf_pair_clear(pair);
    shuf_real_clear(order);
    shuf_enclosure_clear(r);
    arf_clear(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle), cmocka_unit_test(test_oracle_interpolated), cmocka_unit_test(test_oracle_more_users),
        cmocka_unit_test(test_exact_moments), cmocka_unit_test(test_golden),
        cmocka_unit_test(test_two_accuracies), cmocka_unit_test(test_many_users),
        cmocka_unit_test(test_monotone_in_order), cmocka_unit_test(test_monotone_in_users),
        cmocka_unit_test(test_monotone_in_eps0), cmocka_unit_test(test_large_orders),
        cmocka_unit_test(test_towards_kl), cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_one_user), cmocka_unit_test(test_zero_and_infinity), cmocka_unit_test(test_small_losses),
        cmocka_unit_test(test_domain), cmocka_unit_test(test_absurd),
    };
    int failed;
    seed_random();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
