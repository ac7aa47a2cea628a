/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Trade-off functions against the likelihood ratio tests of tabulated laws,
 * the Gaussian ones against multiple precision and themselves composed, and
 * what is said about mu against the tabulated laws at many eps.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/oracle.h"
#include "pld/pld.h"
#include "check.h"
#include "random.h"
#include "renyi/renyi.h"
#include "tradeoff/gdp.h"
#include "tradeoff/tradeoff.h"

#define PREC 512

/* ---- small pairs and their laws ---- */

static void random_fraction(fmpq_t q, ulong parts)
{
    fmpq_set_ui(q, random_below(parts + 1), parts);
}

/* A pair of up to 6 users, and its table. */
static void random_pair(shuf_pair_t pair, oracle_law_t law, shuf_pair_kind kind)
{
    uint64_t n = 1 + random_below(6), k = kind == SHUF_PAIR_KRR_THIRD ? 3 : 2 + random_below(2);
    shuf_real_t eps0;
    fmpq_t q[6];
    arb_t E, w[6];
    char text[32];
    slong i;
    shuf_real_init(eps0);
    arb_init(E);
    for (i = 0; i < 6; i++)
    {
        fmpq_init(q[i]);
        arb_init(w[i]);
    }
    snprintf(text, sizeof(text), random_below(2) ? "%.3f" : "log(%.3f)", 1 + 2 * random_unit());
    if (random_below(8) == 0)
        snprintf(text, sizeof(text), "0");
    set(eps0, text);
    shuf_real_exp(E, eps0, PREC);
    switch (kind)
    {
    case SHUF_PAIR_CLONES:
        assert_int_equal(shuf_pair_set_eps0(pair, kind, n, eps0), 0);
        oracle_law_clones(law, (slong) n, E, PREC);
        break;
    case SHUF_PAIR_CLONES_STRONGER:
        assert_int_equal(shuf_pair_set_eps0(pair, kind, n, eps0), 0);
        oracle_law_clones_stronger(law, (slong) n, E, PREC);
        break;
    case SHUF_PAIR_RR2:
        assert_int_equal(shuf_pair_set_eps0(pair, kind, n, eps0), 0);
        oracle_law_rr2(law, (slong) n, E, PREC);
        break;
    case SHUF_PAIR_KRR_SAME:
    case SHUF_PAIR_KRR_THIRD:
        assert_int_equal(shuf_pair_set_krr(pair, kind, n, k, eps0), 0);
        oracle_law_krr(law, (slong) n, (slong) k, E, kind == SHUF_PAIR_KRR_SAME ? ORACLE_OTHERS_SAME : ORACLE_OTHERS_THIRD, PREC);
        break;
    case SHUF_PAIR_KRR_STRONG:
    case SHUF_PAIR_KRR_WEAK:
        random_fraction(q[0], 8);
        assert_int_equal(shuf_pair_set_krr_blanket(pair, kind, n, k, q[0]), 0);
        if (kind == SHUF_PAIR_KRR_STRONG)
            oracle_law_krr_strong(law, (slong) n, (slong) k, q[0]);
        else
            oracle_law_krr_weak(law, (slong) n, (slong) k, q[0]);
        break;
    case SHUF_PAIR_TRINOMIAL:
        do
        {
            for (i = 0; i < 6; i++)
                random_fraction(q[i], 8);
            fmpq_add(q[2], q[0], q[1]);
            fmpq_add(q[5], q[3], q[4]);
            fmpq_sub_si(q[2], q[2], 1);
            fmpq_sub_si(q[5], q[5], 1);
            fmpq_neg(q[2], q[2]);
            fmpq_neg(q[5], q[5]);
        }
        while (shuf_pair_set_trinomial(pair, n, q[0], q[1], q[3], q[4]) != 0);
        for (i = 0; i < 6; i++)
            arb_set_fmpq(w[i], q[i], PREC);
        oracle_law_trinomial(law, (slong) n, w[0], w[1], w[2], w[3], w[4], w[5], PREC);
        break;
    default: fail_msg("this kind of pair is not covered here");
    }
    shuf_real_clear(eps0);
    arb_clear(E);
    for (i = 0; i < 6; i++)
    {
        fmpq_clear(q[i]);
        arb_clear(w[i]);
    }
}

/* ---- the best tests ---- */

/* The points (a, b) that T(P,Q) joins by segments, from (0, .) to (1, 0). */
typedef struct
{
    slong count;
    arb_ptr a, b;
} vertices;

typedef struct
{
    arb_srcptr p, q; /* type I error under p, type II under q */
} outcome;

/* The larger q/p first. */
static int by_ratio(const void *x, const void *y)
{
    const outcome *u = x, *v = y;
    arb_t s, t;
    int sign;
    arb_init(s);
    arb_init(t);
    arb_mul(s, u->q, v->p, PREC);
    arb_mul(t, v->q, u->p, PREC);
    sign = arf_cmp(arb_midref(t), arb_midref(s));
    arb_clear(s);
    arb_clear(t);
    return sign;
}

/* Rejects one outcome after the other. */
static void find_vertices(vertices *v, const oracle_law_t law, shuf_direction direction)
{
    outcome *list = malloc((size_t) law->cells * sizeof(*list));
    slong i, count = 0;
    arb_t t;
    arb_init(t);
    for (i = 0; i < law->cells; i++)
    {
        arb_srcptr p = direction == SHUF_DIRECTION_PQ ? law->p + i : law->q + i;
        arb_srcptr q = direction == SHUF_DIRECTION_PQ ? law->q + i : law->p + i;
        if (arb_is_zero(p) && arb_is_zero(q))
            continue;
        list[count].p = p;
        list[count++].q = q;
    }
    qsort(list, (size_t) count, sizeof(*list), by_ratio);
    v->count = count + 1;
    v->a = _arb_vec_init(v->count);
    v->b = _arb_vec_init(v->count);
    arb_one(v->b);
    for (i = 0; i < count; i++)
    {
        arb_div(t, list[i].p, law->scale, PREC);
        arb_add(v->a + i + 1, v->a + i, t, PREC);
        arb_div(t, list[i].q, law->scale, PREC);
        arb_sub(v->b + i + 1, v->b + i, t, PREC);
    }
    arb_clear(t);
    free(list);
}

static void clear_vertices(vertices *v)
{
    _arb_vec_clear(v->a, v->count);
    _arb_vec_clear(v->b, v->count);
}

/* b := T at a, but for the roundings of PREC bits. */
static void best_test(arb_t b, const vertices *v, const arb_t a)
{
    slong i = 0;
    arb_t d, t;
    arb_init(d);
    arb_init(t);
    while (i + 2 < v->count && arf_cmp(arb_midref(v->a + i + 1), arb_midref(a)) <= 0)
        i++;
    arb_sub(d, v->a + i + 1, v->a + i, PREC);
    arb_sub(t, a, v->a + i, PREC);
    if (arf_cmpabs_2exp_si(arb_midref(d), -PREC / 2) < 0)
    {
        arb_set(b, v->b + i + 1);
    }
    else
    {
        arb_div(t, t, d, PREC);
        arb_sub(d, v->b + i + 1, v->b + i, PREC);
        arb_mul(t, t, d, PREC);
        arb_add(b, v->b + i, t, PREC);
    }
    /* ties and roundings */
    mag_zero(arb_radref(b));
    arb_add_error_2exp_si(b, -PREC / 3);
    arb_clear(d);
    arb_clear(t);
}

/* Often an end of the scale, or next to it, or a vertex. */
static void random_type1(shuf_real_t a, const vertices *v)
{
    static const char *const ends[] = { "0", "1", "1e-12", "0.999999999999", "1e-300", "log(2)", "1/3" };
    uint64_t i = random_below(12);
    char text[32];
    if (i < 7)
    {
        set(a, ends[i]);
    }
    else if (i == 7)
    {
        arf_srcptr x = arb_midref(v->a + random_below((uint64_t) v->count));
        if (arf_sgn(x) >= 0 && arf_cmp_si(x, 1) <= 0)
            shuf_real_set_arf(a, x);
    }
    else
    {
        snprintf(text, sizeof(text), "%.9f", i == 8 ? pow(random_unit(), 8) : random_unit());
        set(a, text);
    }
}

static void check_point(const shuf_law_struct *profile, const vertices *v, shuf_direction direction, slong digits, int accurate)
{
    shuf_options options = { digits, accurate ? 0.0 : 0.4e9 };
    shuf_real_t a;
    shuf_enclosure_t r;
    arb_t x, b;
    mag_t width;
    shuf_real_init(a);
    shuf_enclosure_init(r);
    arb_init(x);
    arb_init(b);
    mag_init(width);
    random_type1(a, v);
    shuf_real_get_arb(x, a, PREC);
    best_test(b, v, x);
    shuf_tradeoff_point(r, profile, a, direction, &options);
    assert_meets(r->lo, r->hi, b, "point");
    assert_true(arf_sgn(r->lo) >= 0 && arf_cmp(r->lo, r->hi) <= 0);
    shuf_enclosure_width(width, r);
    if (accurate && mag_cmp_2exp_si(width, -20) > 0)
        fail_msg("wide: [%.17g, %.17g] at %.17g", arf_get_d(r->lo, ARF_RND_DOWN), arf_get_d(r->hi, ARF_RND_UP),
                 arf_get_d(arb_midref(x), ARF_RND_NEAR));
    assert_true(r->status == SHUF_ACCURACY || shuf_enclosure_accurate(r, digits));
    /* short of the digits only where the value may be 0 */
    assert_true(!accurate || r->status == SHUF_OK || arf_cmpabs_2exp_si(r->hi, -64) < 0);
    shuf_real_clear(a);
    shuf_enclosure_clear(r);
    arb_clear(x);
    arb_clear(b);
    mag_clear(width);
}

/* Whether the profile tells all of the pair, its limit at infinity included. */
static int limit_is_known(const shuf_pair_t pair)
{
    shuf_real_t loss;
    int known;
    shuf_real_init(loss);
    known = shuf_pair_max_loss(loss, pair) || pair->kind == SHUF_PAIR_KRR_STRONG;
    shuf_real_clear(loss);
    return known;
}

static void test_small_pairs(void **state)
{
    shuf_pair_t pair;
    shuf_law_struct profile;
    oracle_law_t law;
    vertices v;
    int i, j;
    (void) state;
    shuf_pair_init(pair);
    for (i = 0; i < 64; i++)
    {
        shuf_direction direction = i / 8 % 2 ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
        random_pair(pair, law, (shuf_pair_kind) (i % 8));
        shuf_law_set_pair(&profile, pair);
        find_vertices(&v, law, direction);
        for (j = 0; j < 6; j++)
            check_point(&profile, &v, direction, j == 5 ? 20 : 8, limit_is_known(pair));
        clear_vertices(&v);
        oracle_law_clear(law);
    }
    shuf_pair_clear(pair);
}

/* A profile known to few digits only: wide, and right. */
static shuf_status evaluate_coarsely(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction,
                                     arf_srcptr s, slong count, const shuf_options *options)
{
    const shuf_law_struct *base = self->data;
    slong i;
    base->evaluate(lo, hi, base, direction, s, count, options);
    for (i = 0; i < count; i++)
    {
        arf_t d;
        arf_init(d);
        arf_set_d(d, 1 - 0.01 * random_unit());
        arf_mul(lo + i, lo + i, d, 64, ARF_RND_DOWN);
        arf_set_d(d, 1 + 0.01 * random_unit());
        arf_mul(hi + i, hi + i, d, 64, ARF_RND_UP);
        if (arf_cmp_si(hi + i, 1) > 0)
            arf_one(hi + i);
        arf_clear(d);
    }
    return SHUF_ACCURACY;
}

static void nothing_unseen(arf_t infinite, const shuf_law_struct *self, shuf_direction direction)
{
    (void) self;
    (void) direction;
    arf_zero(infinite);
}

static void test_coarse_profiles(void **state)
{
    shuf_pair_t pair;
    shuf_law_struct base, profile = { .evaluate = evaluate_coarsely, .infinite = nothing_unseen, .data = &base, .symmetric = 0 };
    oracle_law_t law;
    vertices v;
    int i, j;
    (void) state;
    shuf_pair_init(pair);
    for (i = 0; i < 8; i++)
    {
        shuf_direction direction = random_below(2) ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
        random_pair(pair, law, (shuf_pair_kind) (i % 8));
        shuf_law_set_pair(&base, pair);
        find_vertices(&v, law, direction);
        for (j = 0; j < 2; j++)
            check_point(&profile, &v, direction, 3, 0);
        clear_vertices(&v);
        oracle_law_clear(law);
    }
    shuf_pair_clear(pair);
}

/* Valid and of no use but for exponents of 10^15: nothing may be computed to the last bit. */
static shuf_status evaluate_as_unknown(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction,
                                       arf_srcptr s, slong count, const shuf_options *options)
{
    const int *falls = self->data;
    fmpz_t exponent;
    slong i;
    (void) direction;
    (void) options;
    fmpz_init(exponent);
    fmpz_set_si(exponent, -WORD(1000000000000000));
    for (i = 0; i < count; i++)
    {
        arf_zero(lo + i);
        arf_one(hi + i);
        if (*falls && arf_cmp_si(s + i, 1) < 0)
            arf_mul_2exp_fmpz(hi + i, hi + i, exponent);
        else if (*falls)
            arf_zero(hi + i);
    }
    fmpz_clear(exponent);
    return SHUF_ACCURACY;
}

static void tiny_limit(arf_t infinite, const shuf_law_struct *self, shuf_direction direction)
{
    const int *falls = self->data;
    fmpz_t exponent;
    (void) direction;
    arf_zero(infinite);
    if (*falls)
        return;
    fmpz_init(exponent);
    fmpz_set_si(exponent, -WORD(1000000000000000));
    arf_one(infinite);
    arf_mul_2exp_fmpz(infinite, infinite, exponent);
    fmpz_clear(exponent);
}

static void test_tiny_values(void **state)
{
    static const char *const mu[] = { "1e-3", "1e-5", "1" };
    int falls = 0, i;
    shuf_law_struct profile = { .evaluate = evaluate_as_unknown, .infinite = tiny_limit, .data = &falls, .symmetric = 1 };
    shuf_options options = { 6, 2e9 };
    shuf_enclosure_t r, other;
    shuf_real_t x, from, to, witness;
    (void) state;
    shuf_enclosure_init(r); shuf_enclosure_init(other);
    shuf_real_init(x); shuf_real_init(from); shuf_real_init(to); shuf_real_init(witness);
    set(x, "0.5");
    shuf_tradeoff_point(r, &profile, x, SHUF_DIRECTION_PQ, &options);
    assert_true(arf_is_zero(r->lo) && arf_cmp_d(r->hi, 0.5) == 0);
    falls = 1;
    set(from, "0.5");
    set(to, "1e6");
    for (i = 0; i < 3; i++)
    {
        set(x, mu[i]);
        assert_int_not_equal(shuf_gdp_check(witness, r, other, &profile, x, from, to, SHUF_DIRECTION_PQ, &options),
                             SHUF_GDP_REFUTED);
    }
    shuf_enclosure_clear(r); shuf_enclosure_clear(other);
    shuf_real_clear(x); shuf_real_clear(from); shuf_real_clear(to); shuf_real_clear(witness);
}

/* ---- compositions ---- */

/* Rounds of a profile, with so much time for a value; 0 is no limit. */
typedef struct
{
    shuf_pld_part part;
    double seconds;
} rounds;

static shuf_status evaluate_rounds(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction,
                                   arf_srcptr s, slong count, const shuf_options *options)
{
    const rounds *x = self->data;
    shuf_options o = { 6, 0 };
    shuf_status status = SHUF_OK, one;
    shuf_enclosure_t r;
    shuf_real_t eps;
    slong i;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    o = *options;
    o.digits = FLINT_MIN(options->digits, 5);
    o.max_work = x->seconds * 1e9;
    for (i = 0; i < count; i++)
    {
        shuf_real_set_arf(eps, s + i);
        one = shuf_pld_delta(r, &x->part, 1, eps, direction, &o);
        status = FLINT_MAX(status, one);
        arf_set(lo + i, r->lo);
        arf_set(hi + i, r->hi);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    return status;
}

static void test_two_rounds(void **state)
{
    shuf_pair_t pair;
    shuf_law_struct base;
    rounds two = { { &base, 2 }, 0.1 };
    shuf_law_struct profile = { .evaluate = evaluate_rounds, .infinite = nothing_unseen, .data = &two, .symmetric = 0 };
    oracle_law_t law, product;
    shuf_real_t eps0;
    arb_t E;
    vertices v;
    int i;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(eps0);
    arb_init(E);
    set(eps0, "1");
    shuf_real_exp(E, eps0, PREC);
    shuf_pair_set_eps0(pair, SHUF_PAIR_RR2, 3, eps0);
    shuf_law_set_pair(&base, pair);
    oracle_law_rr2(law, 3, E, PREC);
    oracle_law_product(product, law, law, PREC);
    for (i = 0; i < 2; i++)
    {
        shuf_direction direction = i ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
        find_vertices(&v, product, direction);
        check_point(&profile, &v, direction, 3, 0);
        check_point(&profile, &v, direction, 3, 0);
        clear_vertices(&v);
    }
    oracle_law_clear(law);
    oracle_law_clear(product);
    shuf_pair_clear(pair);
    shuf_real_clear(eps0);
    arb_clear(E);
}

/* T(Q,P) is the inverse of T(P,Q); for symmetric pairs the two are the same. */
static void test_inverse(void **state)
{
    static const shuf_options options = { 10, 0.0 };
    shuf_pair_t pair;
    shuf_law_struct profile;
    shuf_real_t eps0, a, b;
    shuf_enclosure_t r, back;
    int i;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(eps0); shuf_real_init(a); shuf_real_init(b);
    shuf_enclosure_init(r); shuf_enclosure_init(back);
    set(eps0, "1.5");
    for (i = 0; i < 12; i++)
    {
        char text[32];
        uint64_t n = 2 + random_below(200);
        shuf_pair_set_eps0(pair, i % 2 ? SHUF_PAIR_RR2 : SHUF_PAIR_CLONES, n, eps0);
        shuf_law_set_pair(&profile, pair);
        snprintf(text, sizeof(text), "%.6f", 0.01 + 0.98 * random_unit());
        set(a, text);
        assert_int_equal(shuf_tradeoff_point(r, &profile, a, SHUF_DIRECTION_PQ, &options), SHUF_OK);
        shuf_real_set_arf(b, r->hi);
        shuf_tradeoff_point(back, &profile, b, i % 2 ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, &options);
        assert_true(shuf_real_cmp_arf(a, back->lo) >= 0);
        shuf_real_set_arf(b, r->lo);
        shuf_tradeoff_point(back, &profile, b, i % 2 ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, &options);
        assert_true(shuf_real_cmp_arf(a, back->hi) <= 0);
        /* both: the smaller one */
        shuf_tradeoff_point(back, &profile, a, SHUF_DIRECTION_BOTH, &options);
        assert_true(arf_cmp(back->hi, r->hi) <= 0);
    }
    set(a, "-1e-9");
    assert_int_equal(shuf_tradeoff_point(r, &profile, a, SHUF_DIRECTION_PQ, &options), SHUF_DOMAIN);
    set(a, "1.000001");
    assert_int_equal(shuf_tradeoff_point(r, &profile, a, SHUF_DIRECTION_BOTH, &options), SHUF_DOMAIN);
    shuf_pair_clear(pair);
    shuf_real_clear(eps0); shuf_real_clear(a); shuf_real_clear(b);
    shuf_enclosure_clear(r); shuf_enclosure_clear(back);
}

/* ---- Gaussian ---- */

/* Worked out with mpmath. */
static const char *const gaussian_deltas[][3] = {
    { "1", "0", "0.382924922548026207275409221217" },
    { "1", "1", "0.126936737506643945800829624758" },
    { "0.5", "10", "9.85512061085016588109992889735e-89" },
    { "3", "0.25", "0.848940539102539643091787075967" },
    { "1e-2", "1", "2.21570593062317562763353738784e-2178" },
    { "0.2", "30", "1.77428828050716585415092976689e-4885" },
    { "12", "5", "0.99999997786613802485594381684" },
    { "1e-9", "1e-10", "3.50935331222261430201351141247e-10" },
};

static const char *const gaussian_tradeoffs[][3] = {
    { "1", "0.05", "0.740488977158555929351696523701" },
    { "0.25", "0.5", "0.401293674317076275759146208419" },
    { "3", "1e-9", "0.998640350958560696890047123996" },
    { "2", "0.999", "0.000000178812556703971059820397146343" },
    { "0", "0.25", "0.75" },
};

/* Whether r is accurate and meets the value, itself known to 2^-70 of its size. */
static void assert_value(const shuf_enclosure_t r, const char *text)
{
    shuf_real_t x;
    arb_t value, ball;
    shuf_real_init(x);
    arb_init(value);
    arb_init(ball);
    set(x, text);
    shuf_real_get_arb(value, x, PREC);
    arb_mul_2exp_si(ball, value, -70);
    arb_add_error(value, ball);
    assert_true(shuf_enclosure_accurate(r, 15));
    assert_meets(r->lo, r->hi, value, text);
    shuf_real_clear(x);
    arb_clear(value);
    arb_clear(ball);
}

/* G_mu(type1) = Phi(z - mu), Phi(-z) = type1 */
static void gaussian_tradeoff(arb_t v, const shuf_real_t mu, const shuf_real_t type1)
{
    arb_t m, t;
    arb_init(m);
    arb_init(t);
    shuf_real_get_arb(v, type1, PREC);
    arb_mul_2exp_si(v, v, 1);
    arb_hypgeom_erfcinv(v, v, PREC);
    arb_sqrt_ui(t, 2, PREC);
    shuf_real_get_arb(m, mu, PREC);
    arb_div(m, m, t, PREC);
    arb_sub(v, m, v, PREC);
    arb_hypgeom_erfc(v, v, PREC);
    arb_mul_2exp_si(v, v, -1);
    arb_clear(m);
    arb_clear(t);
}

static void test_gaussian(void **state)
{
    static const shuf_options options = { 15, 0.0 };
    shuf_real_t mu, x;
    arb_t v;
    shuf_enclosure_t r;
    size_t i;
    (void) state;
    shuf_real_init(mu); shuf_real_init(x);
    arb_init(v);
    shuf_enclosure_init(r);
    for (i = 0; i < sizeof(gaussian_deltas) / sizeof(gaussian_deltas[0]); i++)
    {
        set(mu, gaussian_deltas[i][0]);
        set(x, gaussian_deltas[i][1]);
        assert_int_equal(shuf_gdp_delta(r, mu, x, &options), SHUF_OK);
        assert_value(r, gaussian_deltas[i][2]);
    }
    for (i = 0; i < sizeof(gaussian_tradeoffs) / sizeof(gaussian_tradeoffs[0]); i++)
    {
        set(mu, gaussian_tradeoffs[i][0]);
        set(x, gaussian_tradeoffs[i][1]);
        gaussian_tradeoff(v, mu, x);
        shuf_enclosure_set_arb(r, v, PREC);
        assert_value(r, gaussian_tradeoffs[i][2]);
    }
    set(mu, "0");
    set(x, "1");
    assert_int_equal(shuf_gdp_delta(r, mu, x, &options), SHUF_OK);
    assert_true(arf_is_zero(r->hi));
    set(x, "-1");
    assert_int_equal(shuf_gdp_delta(r, mu, x, &options), SHUF_DOMAIN);
    shuf_real_clear(mu); shuf_real_clear(x);
    arb_clear(v);
    shuf_enclosure_clear(r);
}

static shuf_status evaluate_gaussian(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction,
                                     arf_srcptr s, slong count, const shuf_options *options)
{
    shuf_enclosure_t r;
    shuf_real_t eps;
    slong i;
    (void) direction;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    for (i = 0; i < count; i++)
    {
        shuf_real_set_arf(eps, s + i);
        shuf_gdp_delta(r, self->data, eps, options);
        arf_set(lo + i, r->lo);
        arf_set(hi + i, r->hi);
        if (self->has_single_points) /* as wide as the digits allow, or nearly */
        {
            arf_mul_2exp_si(r->hi, r->hi, -4 * options->digits);
            arf_sub(lo + i, lo + i, r->hi, 256, ARF_RND_DOWN);
            arf_add(hi + i, hi + i, r->hi, 256, ARF_RND_UP);
        }
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    return SHUF_OK;
}

/* The Gaussian profile gives back G_mu, and mu; four rounds 2 mu. */
static void test_gaussian_profile(void **state)
{
    static const shuf_options options = { 7, 0.0 }, few = { 3, 0.0 };
    shuf_real_t mu, a, from, to, witness;
    shuf_enclosure_t r;
    arb_t direct;
    shuf_law_struct gaussian = { .evaluate = evaluate_gaussian, .infinite = nothing_unseen, .data = mu, .symmetric = 1 };
    rounds four = { { &gaussian, 4 }, 0 };
    shuf_law_struct composed = { .evaluate = evaluate_rounds, .infinite = nothing_unseen, .data = &four, .symmetric = 1 };
    char text[32];
    int i;
    (void) state;
    shuf_real_init(mu); shuf_real_init(a); shuf_real_init(from); shuf_real_init(to); shuf_real_init(witness);
    shuf_enclosure_init(r); arb_init(direct);
    for (i = 0; i < 8; i++)
    {
        gaussian.has_single_points = i >= 4;
        snprintf(text, sizeof(text), "%.6f", 0.05 + 2 * random_unit());
        set(mu, text);
        set(from, i % 2 ? "0" : "0.1");
        set(to, i % 4 < 2 ? "0.7" : "log(3)");
        assert_int_equal(shuf_gdp_mu(r, witness, &gaussian, from, to, SHUF_DIRECTION_BOTH, NULL, &few), SHUF_OK);
        assert_true(shuf_real_cmp_arf(mu, r->lo) >= 0 && shuf_real_cmp_arf(mu, r->hi) <= 0);
        snprintf(text, sizeof(text), "%.6f", random_unit());
        set(a, text);
        gaussian_tradeoff(direct, mu, a);
        assert_int_equal(shuf_tradeoff_point(r, &gaussian, a, SHUF_DIRECTION_PQ, &options), SHUF_OK);
        assert_meets(r->lo, r->hi, direct, "G_mu");
    }
    set(mu, "0.5");
    set(from, "0.5");
    set(to, "0.75");
    assert_int_equal(shuf_gdp_mu(r, witness, &composed, from, to, SHUF_DIRECTION_PQ, NULL, &few), SHUF_OK);
    assert_true(arf_cmp_si(r->lo, 1) <= 0 && arf_cmp_si(r->hi, 1) >= 0);
    shuf_real_clear(mu); shuf_real_clear(a); shuf_real_clear(from); shuf_real_clear(to); shuf_real_clear(witness);
    shuf_enclosure_clear(r); arb_clear(direct);
}

/* Twice the mu, known from above only, where eps > 0. */
static shuf_status evaluate_from_above(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction,
                                       arf_srcptr s, slong count, const shuf_options *options)
{
    const shuf_real_struct *mu = self->data;
    shuf_law_struct once = *self, twice = *self;
    shuf_real_t other;
    slong i;
    shuf_real_init(other);
    shuf_real_twice(other, mu);
    twice.data = other;
    for (i = 0; i < count; i++)
    {
        evaluate_gaussian(lo + i, hi + i, arf_is_zero(s + i) ? &once : &twice, direction, s + i, 1, options);
        if (!arf_is_zero(s + i))
            arf_zero(lo + i);
    }
    shuf_real_clear(other);
    return SHUF_OK;
}

/* Where most is known from above only, mu is found that it asks for. */
static void test_known_from_above(void **state)
{
    static const shuf_options few = { 3, 1e9 };
    shuf_real_t mu, from, to, witness;
    shuf_enclosure_t r;
    shuf_law_struct profile = { .evaluate = evaluate_from_above, .infinite = nothing_unseen, .data = mu, .symmetric = 1 };
    (void) state;
    shuf_real_init(mu); shuf_real_init(from); shuf_real_init(to); shuf_real_init(witness);
    shuf_enclosure_init(r);
    set(mu, "0.01");
    set(from, "0");
    set(to, "1");
    assert_int_equal(shuf_gdp_mu(r, witness, &profile, from, to, SHUF_DIRECTION_BOTH, NULL, &few), SHUF_ACCURACY);
    assert_true(arf_cmp_d(r->lo, 0.0099) > 0 && arf_cmp_d(r->lo, 0.01) <= 0);
    assert_true(arf_cmp_d(r->hi, 0.0199) > 0 && arf_cmp_d(r->hi, 0.0206) < 0);
    shuf_real_clear(mu); shuf_real_clear(from); shuf_real_clear(to); shuf_real_clear(witness);
    shuf_enclosure_clear(r);
}

/* ---- mu of small pairs ---- */

/* h := the larger of the directions at eps, from the table. */
static void tabulated(arb_t h, const oracle_law_t law, shuf_direction direction, const shuf_real_t eps)
{
    arb_t alpha, qp;
    arb_init(alpha);
    arb_init(qp);
    shuf_real_exp(alpha, eps, PREC);
    oracle_hockey(h, qp, law, alpha, PREC);
    if (direction == SHUF_DIRECTION_QP)
        arb_set(h, qp);
    else if (direction == SHUF_DIRECTION_BOTH)
        arb_max(h, h, qp, PREC);
    arb_clear(alpha);
    arb_clear(qp);
}

static void gaussian_at(arb_t v, const arf_t mu, const shuf_real_t eps)
{
    arb_t m, e;
    arb_init(m);
    arb_init(e);
    arb_set_arf(m, mu);
    shuf_real_get_arb(e, eps, PREC);
    shuf_gdp_delta_arb(v, m, e, PREC);
    arb_clear(m);
    arb_clear(e);
}

/* At many eps of the range no more than delta_hi; at the witness at least delta_lo. */
static void check_mu(const shuf_enclosure_t r, const shuf_real_t witness, const oracle_law_t law, shuf_direction direction,
                     const shuf_real_t from, const shuf_real_t to)
{
    shuf_real_t eps;
    arb_t h, v, slack;
    fmpq_t step, x;
    slong i;
    shuf_real_init(eps);
    arb_init(h); arb_init(v); arb_init(slack);
    fmpq_init(step); fmpq_init(x);
    assert_true(shuf_real_cmp(from, witness) <= 0 && shuf_real_cmp(witness, to) <= 0);
    tabulated(h, law, direction, witness);
    if (arf_sgn(r->lo) > 0 && arf_is_finite(r->lo))
    {
        gaussian_at(v, r->lo, witness);
        assert_false(arb_gt(v, h));
    }
    fmpq_sub(step, to->q, from->q);
    for (i = 0; i <= 100 && arf_is_finite(r->hi); i++)
    {
        fmpq_set_si(x, i, 100);
        fmpq_mul(x, x, step);
        fmpq_add(x, x, from->q);
        shuf_real_set_fmpq(eps, x);
        tabulated(h, law, direction, eps);
        if (arf_sgn(r->hi) > 0)
            gaussian_at(v, r->hi, eps);
        else
            arb_zero(v);
        arb_add_error_2exp_si(v, -PREC / 2);
        assert_false(arb_lt(v, h));
    }
    shuf_real_clear(eps);
    arb_clear(h); arb_clear(v); arb_clear(slack);
    fmpq_clear(step); fmpq_clear(x);
}

/* The verdict on mu = factor times an end: factor < 1 must not be certified, > 1 not refuted. */
static void check_verdict(const shuf_law_struct *profile, const arf_t end, double factor, const oracle_law_t law,
                          shuf_direction direction, const shuf_real_t from, const shuf_real_t to)
{
    static const shuf_options options = { 10, 0.0 };
    shuf_real_t mu, witness;
    shuf_enclosure_t delta, gaussian;
    shuf_gdp_verdict verdict;
    arb_t h, v;
    arf_t m;
    shuf_real_init(mu); shuf_real_init(witness);
    shuf_enclosure_init(delta); shuf_enclosure_init(gaussian);
    arb_init(h); arb_init(v);
    arf_init(m);
    arf_set_d(m, factor);
    arf_mul(m, m, end, 64, ARF_RND_DOWN);
    shuf_real_set_arf(mu, m);
    verdict = shuf_gdp_check(witness, delta, gaussian, profile, mu, from, to, direction, &options);
    assert_int_equal(verdict, factor < 1 ? SHUF_GDP_REFUTED : SHUF_GDP_CERTIFIED);
    if (verdict == SHUF_GDP_REFUTED)
    {
        assert_true(shuf_real_cmp(from, witness) <= 0 && shuf_real_cmp(witness, to) <= 0);
        tabulated(h, law, direction, witness);
        gaussian_at(v, m, witness);
        assert_true(arb_gt(h, v));
        assert_meets(delta->lo, delta->hi, h, "delta");
        assert_meets(gaussian->lo, gaussian->hi, v, "gaussian");
    }
    shuf_real_clear(mu); shuf_real_clear(witness);
    shuf_enclosure_clear(delta); shuf_enclosure_clear(gaussian);
    arb_clear(h); arb_clear(v);
    arf_clear(m);
}

static void test_mu(void **state)
{
    static const shuf_options options = { 5, 0.0 };
    shuf_pair_t pair;
    shuf_law_struct profile;
    oracle_law_t law;
    shuf_real_t from, to, witness;
    shuf_enclosure_t r;
    char text[32];
    int i;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(from); shuf_real_init(to); shuf_real_init(witness);
    shuf_enclosure_init(r);
    for (i = 0; i < 40; i++)
    {
        shuf_direction direction = (shuf_direction) random_below(3);
        random_pair(pair, law, (shuf_pair_kind) (i % 8));
        shuf_law_set_pair(&profile, pair);
        snprintf(text, sizeof(text), "%.3f", random_below(2) ? 0 : random_unit());
        set(from, text);
        snprintf(text, sizeof(text), "%.3f", random_unit() * (random_below(2) ? 1 : 4));
        set(to, text);
        if (shuf_real_cmp(from, to) > 0 || random_below(8) == 0)
            shuf_real_set(to, from);
        shuf_gdp_mu(r, witness, &profile, from, to, direction, NULL, &options);
        /* H = 1 somewhere: no mu will do */
        assert_true(r->status == SHUF_OK || arf_is_pos_inf(r->lo));
        check_mu(r, witness, law, direction, from, to);
        if (arf_sgn(r->lo) > 0 && arf_is_finite(r->hi))
        {
            check_verdict(&profile, r->lo, 0.999, law, direction, from, to);
            check_verdict(&profile, r->hi, 1.001, law, direction, from, to);
        }
        oracle_law_clear(law);
    }
    set(from, "1");
    set(to, "0.5");
    assert_int_equal(shuf_gdp_mu(r, witness, &profile, from, to, SHUF_DIRECTION_BOTH, NULL, &options), SHUF_DOMAIN);
    shuf_pair_clear(pair);
    shuf_real_clear(from); shuf_real_clear(to); shuf_real_clear(witness);
    shuf_enclosure_clear(r);
}

/* Lemma 8: the divergence of each order a is at most a mu^2/2. */
static void test_zcdp(void **state)
{
    static const char *const orders[] = { "1.01", "2", "5", "40" };
    static const shuf_options options = { 5, 0.0 };
    shuf_pair_t pair;
    shuf_law_struct profile;
    oracle_law_t law;
    shuf_real_t from, to, witness, a;
    shuf_enclosure_t mu, r;
    arb_t most, order;
    size_t j;
    int i;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(from); shuf_real_init(to); shuf_real_init(witness); shuf_real_init(a);
    shuf_enclosure_init(mu); shuf_enclosure_init(r);
    arb_init(most); arb_init(order);
    for (i = 0; i < 24; i++)
    {
        random_pair(pair, law, (shuf_pair_kind) (i % 8));
        oracle_law_clear(law);
        shuf_law_set_pair(&profile, pair);
        if (!shuf_law_max_loss(to, &profile))
            continue;
        shuf_gdp_mu(mu, witness, &profile, from, to, SHUF_DIRECTION_BOTH, NULL, &options);
        for (j = 0; j < sizeof(orders) / sizeof(*orders); j++)
        {
            set(a, orders[j]);
            shuf_renyi_divergence(r, pair, a, SHUF_DIRECTION_BOTH, &options);
            shuf_real_get_arb(order, a, PREC);
            arb_set_arf(most, mu->hi);
            arb_mul(most, most, most, PREC);
            arb_mul(most, most, order, PREC);
            arb_mul_2exp_si(most, most, -1);
            arb_set_arf(order, r->lo);
            assert_true(!arb_gt(order, most));
        }
    }
    shuf_pair_clear(pair);
    shuf_real_clear(from); shuf_real_clear(to); shuf_real_clear(witness); shuf_real_clear(a);
    shuf_enclosure_clear(mu); shuf_enclosure_clear(r);
    arb_clear(most); arb_clear(order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_pairs),
        cmocka_unit_test(test_coarse_profiles),
        cmocka_unit_test(test_tiny_values),
        cmocka_unit_test(test_two_rounds),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_gaussian),
        cmocka_unit_test(test_gaussian_profile),
        cmocka_unit_test(test_known_from_above),
        cmocka_unit_test(test_mu), cmocka_unit_test(test_zcdp),
    };
    int failed;
    seed_random();
    failed = cmocka_run_group_tests_name("tradeoff", tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
