/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Compositions against explicit products, single rounds, reference values, and themselves. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "hockey/hockey.h"
#include "oracle/oracle.h"
#include "pld/finite.h"
#include "pld/losses.h"
#include "pld/pld.h"
#include "check.h"
#include "random.h"
#include "law/sampled_law.h"

#define PREC 192

static double relative_width(const shuf_enclosure_t x)
{
    arf_t w;
    double d;
    if (arf_is_zero(x->hi))
        return 0;
    arf_init(w);
    arf_sub(w, x->hi, x->lo, 53, ARF_RND_UP);
    arf_div(w, w, x->hi, 53, ARF_RND_UP);
    d = arf_get_d(w, ARF_RND_UP);
    arf_clear(w);
    return d;
}

/* ---- small pairs, by their definitions ---- */

/* A random pair of n users, and its law as the oracle tabulates it. */
static void random_pair(shuf_pair_t pair, oracle_law_t law, uint64_t n)
{
    shuf_real_t eps0;
    fmpq_t q[4];
    arb_t E, w[6];
    uint64_t k = 3;
    int i, kind = (int) random_below(8);

    shuf_real_init(eps0);
    arb_init(E);
    for (i = 0; i < 4; i++)
        fmpq_init(q[i]);
    for (i = 0; i < 6; i++)
        arb_init(w[i]);
    fmpq_set_si(q[0], 1 + (slong) random_below(300), 100);
    shuf_real_set_fmpq(eps0, q[0]);
    shuf_real_exp(E, eps0, PREC);
    /* gamma, or a probability for the trinomial */
    fmpq_set_si(q[0], 1 + (slong) random_below(40), 64);
    switch (kind)
    {
    case 0:
        shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, n, eps0);
        oracle_law_clones(law, (slong) n, E, PREC);
        break;
    case 1:
        shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, n, eps0);
        oracle_law_clones_stronger(law, (slong) n, E, PREC);
        break;
    case 2:
        shuf_pair_set_eps0(pair, SHUF_PAIR_RR2, n, eps0);
        oracle_law_rr2(law, (slong) n, E, PREC);
        break;
    case 3:
        shuf_pair_set_krr(pair, SHUF_PAIR_KRR_THIRD, n, k, eps0);
        oracle_law_krr(law, (slong) n, (slong) k, E, ORACLE_OTHERS_THIRD, PREC);
        break;
    case 4:
        shuf_pair_set_krr(pair, SHUF_PAIR_KRR_SAME, n, k, eps0);
        oracle_law_krr(law, (slong) n, (slong) k, E, ORACLE_OTHERS_SAME, PREC);
        break;
    case 5:
        shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_STRONG, n, k, q[0]);
        oracle_law_krr_strong(law, (slong) n, (slong) k, q[0]);
        break;
    case 6:
        shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_WEAK, n, k, q[0]);
        oracle_law_krr_weak(law, (slong) n, (slong) k, q[0]);
        break;
    default:
        /* w0, w1, r0, r1 in 64ths, each couple adding up to at most one */
        fmpq_set_si(q[1], (slong) random_below(24), 64);
        fmpq_set_si(q[2], 1 + (slong) random_below(31), 64);
        fmpq_set_si(q[3], 1 + (slong) random_below(31), 64);
        assert_int_equal(shuf_pair_set_trinomial(pair, n, q[0], q[1], q[2], q[3]), 0);
        for (i = 0; i < 4; i++)
            arb_set_fmpq(w[i], q[i], PREC);
        arb_add(w[4], w[0], w[1], PREC);
        arb_add(w[5], w[2], w[3], PREC);
        for (i = 4; i < 6; i++)
        {
            arb_sub_ui(w[i], w[i], 1, PREC);
            arb_neg(w[i], w[i]);
        }
        oracle_law_trinomial(law, (slong) n, w[0], w[1], w[4], w[2], w[3], w[5], PREC);
        break;
    }
    shuf_real_clear(eps0);
    arb_clear(E);
    for (i = 0; i < 4; i++)
        fmpq_clear(q[i]);
    for (i = 0; i < 6; i++)
        arb_clear(w[i]);
}

/* How many were as narrow as asked: not all are, near the largest loss. */
static int checks, accurate;

typedef enum
{
    BY_OUTCOMES,
    TILTED
} road;

/* eps at delta, against the explicit product. */
static void check_epsilon(const shuf_pld_part *parts, size_t count, const oracle_law_t total, const shuf_options *o)
{
    shuf_enclosure_t r;
    shuf_real_t delta;
    arb_t alpha, pq, qp, d;
    shuf_enclosure_init(r);
    shuf_real_init(delta);
    arb_init(alpha);
    arb_init(pq);
    arb_init(qp);
    arb_init(d);
    set(delta, "0.013");
    shuf_real_get_arb(d, delta, PREC);
    if (shuf_pld_epsilon(r, parts, count, delta, SHUF_DIRECTION_BOTH, o) == SHUF_DOMAIN)
    {
        /* a mass that one law never has: so it is for every eps */
        arb_set_ui(alpha, 60);
        arb_exp(alpha, alpha, PREC);
    }
    else
    {
        assert_int_equal(r->status, SHUF_OK);
        arb_set_arf(alpha, r->hi);
        arb_exp(alpha, alpha, PREC);
        oracle_hockey(pq, qp, total, alpha, PREC);
        arb_max(pq, pq, qp, PREC);
        assert_false(arb_gt(pq, d));
        arb_set_arf(alpha, r->lo);
        arb_exp(alpha, alpha, PREC);
    }
    oracle_hockey(pq, qp, total, alpha, PREC);
    arb_max(pq, pq, qp, PREC);
    assert_true(arf_is_zero(r->lo) || !arb_le(pq, d));
    shuf_enclosure_clear(r);
    shuf_real_clear(delta);
    arb_clear(alpha);
    arb_clear(pq);
    arb_clear(qp);
    arb_clear(d);
}

/* delta of two pairs, the first for `rounds` rounds, against the explicit product; in both directions. */
static void check_product(uint64_t rounds, uint64_t n, road way)
{
    shuf_options o = { 6, 0 };
    shuf_pair_t pair[2];
    shuf_law_struct profile[2];
    shuf_pld_part parts[2];
    oracle_law_t law[2], total, next;
    shuf_enclosure_t r;
    shuf_real_t eps;
    fmpq_t q;
    arb_t alpha, pq, qp;
    size_t i, count = rounds == 2 ? 1 + random_below(2) : 1;
    int t;

    o.digits = way == BY_OUTCOMES ? 12 : 2;
    o.max_work = 2 * 1e9;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    fmpq_init(q);
    arb_init(alpha);
    arb_init(pq);
    arb_init(qp);
    for (i = 0; i < 2; i++)
    {
        shuf_pair_init(pair[i]);
        random_pair(pair[i], law[i], n);
        shuf_law_set_pair(&profile[i], pair[i]);
        if (way != BY_OUTCOMES)
            profile[i].outcomes = NULL;
        parts[i].law = &profile[i];
        parts[i].rounds = i == 0 && count == 1 ? rounds : 1;
    }
    oracle_law_product(total, law[0], law[count == 1 ? 0 : 1], PREC);
    if (rounds == 3)
    {
        oracle_law_product(next, total, law[0], PREC);
        oracle_law_clear(total);
        *total = *next;
    }
    for (t = 0; t < 3; t++)
    {
        fmpq_set_si(q, t == 0 ? 0 : (slong) random_below(400), 100);
        shuf_real_set_fmpq(eps, q);
        shuf_real_exp(alpha, eps, PREC);
        oracle_hockey(pq, qp, total, alpha, PREC);
        shuf_pld_delta(r, parts, count, eps, SHUF_DIRECTION_PQ, &o);
        assert_true(well_formed(r));
        assert_contains(r, pq, "pq");
        shuf_pld_delta(r, parts, count, eps, SHUF_DIRECTION_QP, &o);
        assert_true(well_formed(r));
        assert_contains(r, qp, "qp");
        checks += 1;
        accurate += relative_width(r) <= 0.01;
        shuf_pld_delta(r, parts, count, eps, SHUF_DIRECTION_BOTH, &o);
        assert_true(well_formed(r));
        assert_true(way != BY_OUTCOMES || r->status == SHUF_OK);
        arb_max(pq, pq, qp, PREC);
        assert_contains(r, pq, "pq");
    }
    if (way == BY_OUTCOMES)
        check_epsilon(parts, count, total, &o);
    oracle_law_clear(total);
    for (i = 0; i < 2; i++)
    {
        shuf_pair_clear(pair[i]);
        oracle_law_clear(law[i]);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    fmpq_clear(q);
    arb_clear(alpha);
    arb_clear(pq);
    arb_clear(qp);
}

static void test_products(void **state)
{
    int t;
    (void) state;
    skip_unless_drawn(4);
    for (t = 0; t < 10; t++)
    {
        check_product(2, 1 + random_below(8), TILTED);
        check_product(3, 1 + random_below(3), TILTED);
    }
    assert_true(accurate > checks * 3 / 4);
}

/* By their outcomes small products are known to as many digits as are asked for. */
static void test_outcomes(void **state)
{
    int t;
    (void) state;
    for (t = 0; t < 40; t++)
    {
        check_product(2, 1 + random_below(8), BY_OUTCOMES);
        check_product(3, 1 + random_below(3), BY_OUTCOMES);
    }
}

/* ---- larger pairs ---- */

typedef struct
{
    shuf_pair_t pair;
    shuf_law_struct profile;
    shuf_pld_part part;
} composition;

/* Without its outcomes, of which there may be few: by brackets. */
static void composition_init(composition *c, shuf_pair_kind kind, uint64_t n, const char *eps0, uint64_t rounds)
{
    shuf_pair_init(c->pair);
    set_eps0(c->pair, kind, n, eps0);
    shuf_law_set_pair(&c->profile, c->pair);
    c->profile.outcomes = NULL;
    c->part.law = &c->profile;
    c->part.rounds = rounds;
}

static shuf_status delta_at(shuf_enclosure_t r, const composition *c, const char *eps, const shuf_options *o)
{
    shuf_real_t x;
    shuf_status status;
    shuf_real_init(x);
    set(x, eps);
    status = shuf_pld_delta(r, &c->part, 1, x, SHUF_DIRECTION_BOTH, o);
    assert_true(well_formed(r));
    shuf_real_clear(x);
    return status;
}

/* Just below the largest loss few outcomes matter; elsewhere there are too many, and little work is lost on seeing that. */
static void test_many_outcomes(void **state)
{
    shuf_options o = { 6, 0 };
    shuf_enclosure_t r;
    shuf_real_t x;
    composition c;
    double start;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(x);
    composition_init(&c, SHUF_PAIR_CLONES, 100, "0.1", 5);
    shuf_law_set_pair(&c.profile, c.pair);
    set(x, "0.0999");
    assert_int_equal(pld_finite_delta(r, &c.part, 1, x, SHUF_DIRECTION_BOTH, &o), 0);
    set(x, "0.001");
    start = shuf_work();
    assert_int_equal(pld_finite_epsilon(r, &c.part, 1, x, SHUF_DIRECTION_BOTH, &o), 0);
    assert_true(shuf_work() - start < 5e8);
    set(x, "0.499");
    assert_int_equal(pld_finite_delta(r, &c.part, 1, x, SHUF_DIRECTION_BOTH, &o), 1);
    assert_int_equal(r->status, SHUF_OK);
    /* nobody is in b, five times, and one in each law's favourite: about Pr[b = 0]^5 (1 - e^-0.001) */
    assert_true(arf_cmp_d(r->lo, 1e-138) > 0 && arf_cmp_d(r->hi, 1e-133) < 0);
    c.part.rounds = 200000;
    assert_int_equal(pld_finite_delta(r, &c.part, 1, x, SHUF_DIRECTION_BOTH, &o), 0);
    c.part.rounds = 2;
    o.max_work = 1e5;
    assert_int_equal(pld_finite_delta(r, &c.part, 1, x, SHUF_DIRECTION_BOTH, &o), 0);
    shuf_pair_clear(c.pair);
    shuf_enclosure_clear(r);
    shuf_real_clear(x);
}

/* eps next to the largest loss, where values are 0 and no precision would show that: little work, and all digits. */
static void test_few_outcomes(void **state)
{
    shuf_options o = { 6, 0 };
    shuf_enclosure_t r, value;
    shuf_real_t x;
    composition c;
    double start;
    (void) state;
    skip_unless_drawn(4);
    shuf_enclosure_init(r);
    shuf_enclosure_init(value);
    shuf_real_init(x);
    composition_init(&c, SHUF_PAIR_CLONES, 100, "6", 2);
    shuf_law_set_pair(&c.profile, c.pair);
    set(x, "1e-6");
    start = shuf_work();
    assert_int_equal(pld_finite_epsilon(r, &c.part, 1, x, SHUF_DIRECTION_BOTH, &o), 1);
    assert_int_equal(r->status, SHUF_OK);
    assert_true(shuf_work() - start < 1e8);
    assert_true(arf_cmp_si(r->hi, 12) < 0 && arf_cmp_d(r->lo, 11.9999) > 0);
    c.profile.outcomes = NULL;
    shuf_real_set_arf(x, r->hi);
    shuf_pld_delta(value, &c.part, 1, x, SHUF_DIRECTION_BOTH, &o);
    assert_true(arf_cmp_d(value->lo, 1e-6) <= 0);
    shuf_real_set_arf(x, r->lo);
    shuf_pld_delta(value, &c.part, 1, x, SHUF_DIRECTION_BOTH, &o);
    assert_true(arf_cmp_d(value->hi, 1e-6) >= 0);
    shuf_pair_clear(c.pair);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(value);
    shuf_real_clear(x);
}

/* The sum of the largest losses, exactly where it is a rational number, and else from above. */
static void test_losses(void **state)
{
    shuf_real_t bound, x;
    composition c[2];
    shuf_pld_part parts[2];
    int i;
    (void) state;
    shuf_real_init(bound);
    shuf_real_init(x);
    composition_init(&c[0], SHUF_PAIR_CLONES, 10, "1/3", 6);
    composition_init(&c[1], SHUF_PAIR_CLONES, 10, "log(7)", 3);
    for (i = 0; i < 2; i++)
        parts[i] = c[i].part;
    set(x, "2");
    assert_true(pld_bound_losses(bound, parts, 1) && shuf_real_cmp(bound, x) == 0);
    assert_true(pld_bound_losses(bound, parts, 2));
    assert_int_equal(pld_compare_losses(parts, 2, bound), 1);
    set(x, "7.837730447165939"); /* 2 + 3 log 7 = 7.83773044716593993.. */
    assert_true(shuf_real_cmp(bound, x) > 0);
    set(x, "7.837730447165940");
    assert_true(shuf_real_cmp(bound, x) < 0);
    for (i = 0; i < 2; i++)
        shuf_pair_clear(c[i].pair);
    shuf_real_clear(bound);
    shuf_real_clear(x);
}

/* One round is the single-shot engine's value. */
static void test_one_round(void **state)
{
    static const struct { shuf_pair_kind kind; uint64_t n; const char *eps0, *eps; } cases[] = {
        { SHUF_PAIR_CLONES, 10000, "4", "0.5" }, { SHUF_PAIR_CLONES, 10000, "4", "3" },
        { SHUF_PAIR_CLONES, 100, "1", "0" }, { SHUF_PAIR_CLONES_STRONGER, 5000, "log(3)", "0.07" },
        { SHUF_PAIR_RR2, 300, "2", "0.4" }, { SHUF_PAIR_CLONES, 2, "1e-9", "1e-10" },
        { SHUF_PAIR_CLONES, 100000, "0.5", "0.03" },
    };
    shuf_options o = { 6, 0 };
    shuf_options exact = SHUF_OPTIONS_DEFAULT;
    shuf_enclosure_t r, s;
    shuf_real_t eps;
    size_t i;
    (void) state;
    shuf_enclosure_init(r);
    shuf_enclosure_init(s);
    shuf_real_init(eps);
    o.digits = 3;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        composition c;
        composition_init(&c, cases[i].kind, cases[i].n, cases[i].eps0, 1);
        set(eps, cases[i].eps);
        assert_int_equal(shuf_hockey_delta(s, c.pair, eps, SHUF_DIRECTION_BOTH, &exact), SHUF_OK);
        assert_int_equal(delta_at(r, &c, cases[i].eps, &o), SHUF_OK);
        assert_true(arf_cmp(r->lo, s->lo) <= 0 && arf_cmp(s->hi, r->hi) <= 0);
        shuf_pair_clear(c.pair);
    }
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(s);
    shuf_real_clear(eps);
}

/* Double-precision brackets at step 1e-3 by a program of another's; ours are at least ten times narrower. */
static void test_reference(void **state)
{
    static const struct { uint64_t rounds; const char *eps; double lo, hi; } cases[] = {
        { 4, "0.3", 0.0249460912, 0.0249475449 },
        { 4, "1.0", 2.9528347e-5, 2.9535677e-5 },
        { 16, "1.0", 0.0147786022, 0.0147800995 },
    };
    shuf_options o = { 6, 0 };
    shuf_enclosure_t r;
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    shuf_enclosure_init(r);
    for (i = 0; i < 3; i++)
    {
        composition c;
        composition_init(&c, SHUF_PAIR_CLONES, 10000, "4", cases[i].rounds);
        assert_int_equal(delta_at(r, &c, cases[i].eps, &o), SHUF_OK);
        assert_true(arf_cmp_d(r->lo, cases[i].lo) >= 0 && arf_cmp_d(r->hi, cases[i].hi) <= 0);
        assert_true(relative_width(r) * 10 < (cases[i].hi - cases[i].lo) / cases[i].hi);
        shuf_pair_clear(c.pair);
    }
    shuf_enclosure_clear(r);
}

/* Two steps and two accuracies overlap; delta falls with eps, grows with rounds and eps0. */
static void test_overlap_and_order(void **state)
{
    shuf_enclosure_t r, s, last;
    int t;
    (void) state;
    skip_unless_drawn(4);
    shuf_enclosure_init(r);
    shuf_enclosure_init(s);
    shuf_enclosure_init(last);
    for (t = 0; t < 6; t++)
    {
        shuf_options o = { 6, 0 };
        char eps0[32], eps[32];
        uint64_t n = 10 + random_below(t < 3 ? 50 : 3000), rounds = 1 + random_below(30);
        double scale = 0.5 + random_unit() * 3, e;
        composition c, more;
        snprintf(eps0, sizeof(eps0), "%.3f", scale);
        e = 0.6 * scale * sqrt((double) rounds / (double) n) * exp(scale / 2) * (0.2 + 2 * random_unit());
        snprintf(eps, sizeof(eps), "%.6f", e);
        composition_init(&c, random_below(2) ? SHUF_PAIR_CLONES : SHUF_PAIR_CLONES_STRONGER, n, eps0, rounds);
        o.digits = 2;
        delta_at(r, &c, eps, &o);
        o.digits = 4;
        delta_at(s, &c, eps, &o);
        assert_true(overlap(r, s));
        o.digits = 2;
        snprintf(eps, sizeof(eps), "%.6f", 1.1 * e);
        delta_at(r, &c, eps, &o);
        assert_true(arf_cmp(r->lo, s->hi) <= 0);
        snprintf(eps, sizeof(eps), "%.6f", e);
        composition_init(&more, c.pair->kind, n, eps0, rounds + 1);
        delta_at(r, &more, eps, &o);
        assert_true(arf_cmp(s->lo, r->hi) <= 0);
        /* the same in two parts */
        {
            shuf_pld_part two[2] = { { &c.profile, rounds }, { &c.profile, 1 } };
            shuf_real_t x;
            shuf_real_init(x);
            set(x, eps);
            shuf_pld_delta(s, two, 2, x, SHUF_DIRECTION_BOTH, &o);
            assert_true(well_formed(s));
            assert_true(overlap(r, s));
            shuf_real_clear(x);
        }
        shuf_pair_clear(c.pair);
        shuf_pair_clear(more.pair);
    }
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(s);
    shuf_enclosure_clear(last);
}

/* delta down to 1e-100 and beyond, relative width 1e-3; and its inverse. */
static void test_tiny(void **state)
{
    static const char *const deltas[] = { "1e-50", "1e-100" };
    shuf_options o = { 6, 0 };
    shuf_enclosure_t r, s;
    shuf_real_t delta, eps;
    composition c;
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    shuf_enclosure_init(r);
    shuf_enclosure_init(s);
    shuf_real_init(delta);
    shuf_real_init(eps);
    o.digits = 3;
    composition_init(&c, SHUF_PAIR_CLONES, 10000, "1", 10);
    for (i = 0; i < 2; i++)
    {
        set(delta, deltas[i]);
        assert_int_equal(shuf_pld_epsilon(r, &c.part, 1, delta, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
        assert_true(well_formed(r));
        /* delta at the upper end is certainly at most that, at the lower end certainly more */
        shuf_real_set_arf(eps, r->hi);
        assert_int_equal(shuf_pld_delta(s, &c.part, 1, eps, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
        assert_true(relative_width(s) <= 1e-3);
        assert_true(shuf_real_cmp_arf(delta, s->lo) >= 0);
        shuf_real_set_arf(eps, r->lo);
        assert_int_equal(shuf_pld_delta(s, &c.part, 1, eps, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
        assert_true(shuf_real_cmp_arf(delta, s->hi) <= 0);
    }
    shuf_pair_clear(c.pair);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(s);
    shuf_real_clear(delta);
    shuf_real_clear(eps);
}

/* n = 10^6, eps0 = 1/2, 10^5 rounds: eps at 10^-8 within a thousandth, below the Renyi route's 1.0760. */
static void test_many_rounds(void **state)
{
    shuf_options o = { 6, 0 };
    shuf_enclosure_t r;
    shuf_real_t delta;
    composition c;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(delta);
    o.digits = 3;
    composition_init(&c, SHUF_PAIR_CLONES, 1000000, "0.5", 100000);
    set(delta, "1e-8");
    assert_int_equal(shuf_pld_epsilon(r, &c.part, 1, delta, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
    assert_true(arf_cmp_d(r->lo, 1.0153) < 0 && arf_cmp_d(r->hi, 1.0151) > 0);
    shuf_pair_clear(c.pair);
    shuf_enclosure_clear(r);
    shuf_real_clear(delta);
}

/* Parameters at which something degenerates: valid, whatever the width. */
static void test_absurd(void **state)
{
    static const struct { uint64_t n; const char *eps0; uint64_t rounds; const char *eps; } cases[] = {
        { 1, "1", 1, "0.5" }, { 1, "700", 3, "1" }, { 1, "1e-9", 1000000000, "0" }, { 1000, "0", 5, "0" },
        { 1000, "0", 5, "1" }, { 50, "2", 1000000000, "10" }, { 3, "1", 4, "1000" }, { 2, "1", 2, "1000000" },
        { UINT64_C(1000000000000000000), "1", 2, "1e-9" },
    };
    shuf_options o = { 6, 0 };
    shuf_enclosure_t r;
    shuf_real_t delta;
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    shuf_enclosure_init(r);
    shuf_real_init(delta);
    set(delta, "1e-300");
    o.digits = 2;
    o.max_work = gate_or_all(3, 20) * 1e8;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        composition c;
        composition_init(&c, SHUF_PAIR_CLONES, cases[i].n, cases[i].eps0, cases[i].rounds);
        delta_at(r, &c, cases[i].eps, &o);
        assert_true(arf_cmp_si(r->hi, 1) <= 0);
        shuf_pld_epsilon(r, &c.part, 1, delta, SHUF_DIRECTION_BOTH, &o);
        assert_true(arf_sgn(r->lo) >= 0 && arf_cmp(r->lo, r->hi) <= 0);
        shuf_pair_clear(c.pair);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(delta);
}

/* A profile of which nothing is known but its value at 1, or not even that. */
static shuf_status evaluate_unknown(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s,
                                    slong count, const shuf_options *options)
{
    const shuf_law_struct *base = self->data;
    slong i;
    base->evaluate(lo, hi, base, direction, s, 1, options);
    for (i = 0; i < count; i++)
    {
        arf_zero(lo + i);
        arf_set(hi + i, hi);
    }
    return SHUF_ACCURACY;
}

static void infinite_unknown(arf_t infinite, const shuf_law_struct *self, shuf_direction direction)
{
    (void) self;
    (void) direction;
    arf_zero(infinite);
}

static void test_unknown(void **state)
{
    shuf_options o = { 6, 0 };
    shuf_enclosure_t r, truth;
    shuf_real_t x;
    composition c;
    shuf_law_struct unknown;
    shuf_pld_part part = { &unknown, 5 };
    (void) state;
    shuf_enclosure_init(r);
    shuf_enclosure_init(truth);
    shuf_real_init(x);
    o.digits = 2;
    composition_init(&c, SHUF_PAIR_CLONES, 100, "1", 5);
    unknown = c.profile;
    unknown.evaluate = evaluate_unknown;
    unknown.infinite = infinite_unknown;
    unknown.data = &c.profile;
    unknown.max_loss = NULL;
    unknown.outcomes = NULL;
    set(x, "0.1");
    shuf_pld_delta(truth, &c.part, 1, x, SHUF_DIRECTION_BOTH, &o);
    assert_int_equal(shuf_pld_delta(r, &part, 1, x, SHUF_DIRECTION_BOTH, &o), SHUF_ACCURACY);
    assert_true(arf_is_zero(r->lo) && arf_cmp(r->hi, truth->hi) > 0);
    set(x, "1e-9");
    shuf_pld_epsilon(truth, &c.part, 1, x, SHUF_DIRECTION_BOTH, &o);
    assert_int_not_equal(shuf_pld_epsilon(r, &part, 1, x, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
    assert_true(arf_is_zero(r->lo) && arf_cmp(r->hi, truth->hi) > 0);
    /* and no time at all */
    o.max_work = 1e-9 * 1e9;
    assert_int_not_equal(shuf_pld_epsilon(r, &c.part, 1, x, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
    assert_true(arf_cmp(r->lo, truth->hi) <= 0 && arf_cmp(r->hi, truth->lo) >= 0);
    shuf_pair_clear(c.pair);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(truth);
    shuf_real_clear(x);
}

/* Near the largest loss, where the gap is of first order. */
static void test_largest_loss(void **state)
{
    shuf_options o = { 6, 0 };
    shuf_enclosure_t r;
    shuf_real_t delta;
    composition c;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(delta);
    set(delta, "1e-300");
    o.digits = 2;
    composition_init(&c, SHUF_PAIR_CLONES, 1, "1", 4);
    assert_int_equal(delta_at(r, &c, "3.9", &o), SHUF_OK);
    assert_int_equal(shuf_pld_epsilon(r, &c.part, 1, delta, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
    assert_true(arf_cmp_si(r->lo, 4) < 0 && arf_cmp_d(r->lo, 3.9) > 0);
    set(delta, "1");
    assert_int_equal(shuf_pld_epsilon(r, &c.part, 1, delta, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
    assert_true(arf_is_zero(r->hi));
    shuf_pair_clear(c.pair);
    shuf_enclosure_clear(r);
    shuf_real_clear(delta);
}

/*
 * Two clones pairs, the second perhaps subsampled (gamma = "1/4", or "1"):
 * whether delta is exactly 0, which takes no time and no terms.
 */
static int is_zero_from(const char *eps0, uint64_t rounds, const char *other_eps0, uint64_t other_rounds, const char *gamma,
                        const char *eps)
{
    static const shuf_pair_kind kinds[] = { SHUF_PAIR_CLONES, SHUF_PAIR_RR2 };
    shuf_options o = { 6, 0 };
    shuf_sampled_kind kind = (shuf_sampled_kind) random_below(2);
    shuf_enclosure_t r;
    shuf_real_t x;
    shuf_law_struct sampled;
    shuf_sampled_t sample;
    shuf_pld_part parts[2];
    composition c[2];
    int i, zero;

    shuf_enclosure_init(r);
    shuf_real_init(x);
    shuf_sampled_init(sample);
    composition_init(&c[0], kinds[random_below(2)], 1 + random_below(20), eps0, rounds);
    composition_init(&c[1], kinds[random_below(2)], 1 + random_below(20), other_eps0, other_rounds);
    parts[0] = c[0].part;
    parts[1] = c[1].part;
    set(x, gamma);
    assert_int_equal(shuf_sampled_set(sample, kind, &c[1].profile, x->q), 0);
    shuf_law_set_sampled(&sampled, sample);
    parts[1].law = &sampled;
    set(x, eps);
    o.digits = 2;
    o.max_work = 0.01 * 1e9;
    /* PQ may be 0 sooner, with a replaced record */
    shuf_pld_delta(r, parts, 2, x, random_below(2) == 0 ? SHUF_DIRECTION_BOTH : SHUF_DIRECTION_QP, &o);
    assert_true(well_formed(r));
    zero = arf_is_zero(r->hi);
    if (zero)
        assert_true(r->status == SHUF_OK && r->ledger.terms == 0);
    for (i = 0; i < 2; i++)
        shuf_pair_clear(c[i].pair);
    shuf_sampled_clear(sample);
    shuf_enclosure_clear(r);
    shuf_real_clear(x);
    return zero;
}

/* From the sum of the largest losses on delta is 0, and no sooner. */
static void test_zero(void **state)
{
    static const struct
    {
        const char *eps0;
        uint64_t rounds;
        const char *other;
        uint64_t other_rounds;
        const char *gamma, *below, *from;
    } cases[] = {
        { "1", 1, "1", 1, "1", "1.999999999999999999999999999999999999999999999999999999999999999999", "2" },
        { "0.1", 3, "0.2", 1, "1", "0.4999999999999999999999999999999999999999999999999999999999999999999", "0.5" },
        { "1/3", 2, "1/7", 5, "1", "28/21", "29/21" },
        { "log(2)", 2, "log(3)", 1, "1", "log(11.99999999999999999999999999999999999999999999999999999999999999999)", "log(12)" },
        { "log(2)", 2, "log(3)", 1, "1", "2.48490664978800031022970947983887884079849", "2.48490664978800031022970947983887884079850" },
        /* 1 + log(2) */
        { "1", 1, "log(2)", 1, "1", "1.6931471805599453094172321214581765680755", "1.6931471805599453094172321214581765680756" },
        /* 10^6 log(2), too long a product */
        { "log(2)", 999999, "log(2)", 1, "1", "693147.18055994530941723212145817", "693147.18055994530941723212145818" },
        /* 1 + (e^eps0 - 1)/4: of 3 it is 3/2; 1 + 2 log(1 + (e-1)/4); 0 for 0 */
        { "log(2)", 1, "log(3)", 2, "1/4", "log(4.49999999999999999999999999999999999999999999999999999999999)", "log(9/2)" },
        { "1", 1, "1", 2, "1/4", "1.7147480390175770746291135425675279018961", "1.7147480390175770746291135425675279018962" },
        { "1", 1, "0", 2, "1/4", "0.99999999999999999999999999999999999", "1" },
    };
    size_t i;
    int t;
    (void) state;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (t = 0; t < 3; t++)
        {
            if (!is_drawn(5))
                continue;
            assert_true(is_zero_from(cases[i].eps0, cases[i].rounds, cases[i].other, cases[i].other_rounds, cases[i].gamma,
                                     cases[i].from));
            assert_false(is_zero_from(cases[i].eps0, cases[i].rounds, cases[i].other, cases[i].other_rounds, cases[i].gamma,
                                      cases[i].below));
        }
    /* 1 + log(2) to 80 digits, rounded down: no claim */
    assert_false(is_zero_from("1", 1, "log(2)", 1, "1",
                              "1.69314718055994530941723212145817656807550013436025525412068000949339362196969471"));
    /* random fractions, in units of 1/1000 */
    for (t = 0; t < 30; t++)
    {
        uint64_t a = 1 + random_below(3000), b = random_below(3000), s = 1 + random_below(5), u = 1 + random_below(5);
        char x[32], y[32], eps[64];
        if (!is_drawn(5))
            continue;
        snprintf(x, sizeof(x), "%llu/1000", (unsigned long long) a);
        snprintf(y, sizeof(y), "%llu/1000", (unsigned long long) b);
        snprintf(eps, sizeof(eps), "%llu/1000", (unsigned long long) (a * s + b * u));
        assert_true(is_zero_from(x, s, y, u, "1", eps));
        snprintf(eps, sizeof(eps), "%llu999999999999/1000000000000000", (unsigned long long) (a * s + b * u - 1));
        assert_false(is_zero_from(x, s, y, u, "1", eps));
    }
}

/* Profiles that are nearly constant: all losses are 0 or infinite, or no value is as large as e^-2000. */
static void test_flat(void **state)
{
    static const struct { uint64_t n, k; slong gamma; uint64_t rounds; double least; } cases[] = {
        { 1, 3, 4, 1, 0.749 }, { 2, 2, 4, 3, 0.9 }, { 3, 3, 100000000, 1, 0.999 }
    };
    shuf_options o = { 6, 0 };
    shuf_enclosure_t r;
    shuf_real_t eps, delta;
    composition c;
    fmpq_t gamma;
    size_t i;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    shuf_real_init(delta);
    fmpq_init(gamma);
    o.digits = 2;
    for (i = 0; i < 3; i++)
    {
        shuf_pair_init(c.pair);
        fmpq_set_si(gamma, 1, (ulong) cases[i].gamma);
        assert_int_equal(shuf_pair_set_krr_blanket(c.pair, SHUF_PAIR_KRR_STRONG, cases[i].n, cases[i].k, gamma), 0);
        shuf_law_set_pair(&c.profile, c.pair);
        c.profile.outcomes = NULL;
        c.part.law = &c.profile;
        c.part.rounds = cases[i].rounds;
        delta_at(r, &c, "1", &o);
        assert_true(arf_cmp_d(r->hi, cases[i].least) >= 0 && arf_cmp_d(r->lo, cases[i].least * 0.98) >= 0);
        set(delta, "1e-6");
        assert_int_equal(shuf_pld_epsilon(r, &c.part, 1, delta, SHUF_DIRECTION_BOTH, &o), SHUF_DOMAIN);
        assert_true(arf_is_pos_inf(r->lo) && arf_is_pos_inf(r->hi));
        if (i == 1)
        {
            /* 3/4 (1 - 1/8) a round, 1 - (11/32)^3 = 0.959381... in three */
            set(delta, "0.95938");
            assert_int_equal(shuf_pld_epsilon(r, &c.part, 1, delta, SHUF_DIRECTION_QP, &o), SHUF_DOMAIN);
            assert_true(arf_is_pos_inf(r->lo));
            set(delta, "0.95939");
            shuf_pld_epsilon(r, &c.part, 1, delta, SHUF_DIRECTION_BOTH, &o);
            assert_true(arf_is_finite(r->lo));
        }
        shuf_pair_clear(c.pair);
    }
    composition_init(&c, SHUF_PAIR_CLONES, 10, "1e-900", 2);
    delta_at(r, &c, "0", &o);
    assert_true(arf_sgn(r->hi) > 0);
    shuf_pair_clear(c.pair);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    shuf_real_clear(delta);
    fmpq_clear(gamma);
}

/* A callback that stops leaves a valid enclosure. */
static int stop(void *data, const char *line)
{
    return line[0] != '\0' && ++*(int *) data >= 2;
}

static void test_stop(void **state)
{
    shuf_options o = { 6, 0 };
    shuf_enclosure_t r, s;
    composition c;
    int calls = 0;
    shuf_watch watch = { 0, stop, &calls, 0 }, *before;
    (void) state;
    shuf_enclosure_init(r);
    shuf_enclosure_init(s);
    composition_init(&c, SHUF_PAIR_CLONES, 1000, "1", 5);
    assert_int_equal(delta_at(s, &c, "0.3", &o), SHUF_OK);
    before = shuf_watch_set(&watch);
    assert_int_equal(delta_at(r, &c, "0.3", &o), SHUF_ACCURACY);
    shuf_watch_set(before);
    assert_true(watch.cut);
    assert_true(overlap(r, s));
    assert_true(relative_width(r) < 0.5);
    shuf_pair_clear(c.pair);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_many_outcomes),
        cmocka_unit_test(test_few_outcomes),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_one_round),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_overlap_and_order),
        cmocka_unit_test(test_tiny),
        cmocka_unit_test(test_many_rounds),
        cmocka_unit_test(test_absurd),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_largest_loss),
        cmocka_unit_test(test_zero),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_stop),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
