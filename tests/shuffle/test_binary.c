/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Reports of one bit: against the definition in rationals for all data of up to
 * 12 users, against ball arithmetic (shuffle/mixed.h) for many; bounds of all
 * data against data at random; profiles and sums against their definition.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "pld/pld.h"
#include "shuffle/binary_law.h"
#include "shuffle/mixed.h"
#include "check.h"
#include "random.h"

static const shuf_options options = SHUF_OPTIONS_DEFAULT;
static const shuf_direction both[2] = { SHUF_DIRECTION_PQ, SHUF_DIRECTION_QP };

/* ---- mechanisms ---- */

static void set_probability(arb_t p, arb_t rest, const fmpq_t x)
{
    fmpq_t t;
    fmpq_init(t);
    fmpq_sub_si(t, x, 1);
    fmpq_neg(t, t);
    arb_set_fmpq(p, x, 256);
    arb_set_fmpq(rest, t, 256);
    fmpq_clear(t);
}

static void set_bits(binary_t x, uint64_t n, const fmpq_t p, const fmpq_t q)
{
    fmpq_t sum;
    fmpq_init(sum);
    fmpq_add(sum, p, q);
    x->users = n;
    set_probability(x->bits->p, x->bits->p_rest, p);
    set_probability(x->bits->q, x->bits->q_rest, q);
    x->mirrored = fmpq_is_one(sum);
    fmpq_clear(sum);
}

/* p >= q over a common denominator, or hardly ever a one, at times 0 or 1, and alpha >= 1. */
static void random_bits_of(fmpq_t p, fmpq_t q, fmpq_t alpha)
{
    ulong d = 2 + random_below(60), x = random_below(d + 1), y = random_below(d + 1);
    fmpq_set_ui(p, FLINT_MAX(x, y), d);
    fmpq_set_ui(q, random_below(4) == 0 ? d - FLINT_MAX(x, y) : FLINT_MIN(x, y), d);
    if (fmpq_cmp(p, q) < 0)
        fmpq_swap(p, q);
    if (random_below(8) == 0)
        fmpq_set_ui(q, 1, UINT64_C(1) << (10 + random_below(50)));
    if (fmpq_cmp(p, q) < 0)
        fmpq_swap(p, q);
    fmpq_set_ui(alpha, 40 + random_below(random_below(2) ? 400 : 20), 40);
}

/* ---- in rationals ---- */

#define MOST 12

static void add_bit(fmpq *law, int users, const fmpq_t p)
{
    fmpq_t rest, t;
    int c;
    fmpq_init(rest);
    fmpq_init(t);
    fmpq_sub_si(rest, p, 1);
    fmpq_neg(rest, rest);
    fmpq_zero(law + users + 1);
    for (c = users + 1; c >= 0; c--)
    {
        fmpq_mul(law + c, law + c, rest);
        if (c > 0)
        {
            fmpq_mul(t, law + c - 1, p);
            fmpq_add(law + c, law + c, t);
        }
    }
    fmpq_clear(rest);
    fmpq_clear(t);
}

static void set_counts(fmpq *law, int n, int ones, const fmpq_t p, const fmpq_t q, const fmpq_t own)
{
    int i;
    fmpq_one(law);
    for (i = 0; i < n - 1; i++)
        add_bit(law, i, i < ones ? p : q);
    add_bit(law, n - 1, own);
}

/* delta of data with that many ones, from its definition. */
static void exact_delta(fmpq_t delta, int n, int ones, const fmpq_t p, const fmpq_t q, const fmpq_t alpha, shuf_direction direction)
{
    fmpq law[2][MOST + 1];
    fmpq_t t;
    int c, i;
    for (i = 0; i < 2; i++)
    {
        for (c = 0; c <= MOST; c++)
            fmpq_init(&law[i][c]);
        set_counts(law[i], n, ones, p, q, (i == 0) == (direction == SHUF_DIRECTION_PQ) ? p : q);
    }
    fmpq_init(t);
    fmpq_zero(delta);
    for (c = 0; c <= n; c++)
    {
        fmpq_mul(t, alpha, &law[1][c]);
        fmpq_sub(t, &law[0][c], t);
        if (fmpq_sgn(t) > 0)
            fmpq_add(delta, delta, t);
    }
    for (i = 0; i < 2; i++)
        for (c = 0; c <= MOST; c++)
            fmpq_clear(&law[i][c]);
    fmpq_clear(t);
}

static int contains(const arf_t lo, const arf_t hi, const fmpq_t x)
{
    fmpq_t t;
    int ok;
    fmpq_init(t);
    arf_get_fmpq(t, lo);
    ok = fmpq_cmp(t, x) <= 0;
    arf_get_fmpq(t, hi);
    ok = ok && fmpq_cmp(x, t) <= 0;
    fmpq_clear(t);
    return ok;
}

static void test_all_data(void **unused)
{
    fmpq_t p, q, alpha, delta, worst;
    shuf_real_t eps;
    shuf_enclosure_t r;
    binary_t x;
    int i, k, n, ones;
    (void) unused;
    skip_unless_drawn(5);
    fmpq_init(p); fmpq_init(q); fmpq_init(alpha); fmpq_init(delta); fmpq_init(worst);
    shuf_real_init(eps);
    shuf_enclosure_init(r);
    binary_init(x);
    for (i = 0; i < 1500; i++)
    {
        random_bits_of(p, q, alpha);
        n = 1 + (int) random_below(MOST);
        set_bits(x, (uint64_t) n, p, q);
        shuf_real_set_log_fmpq(eps, alpha);
        for (k = 0; k < 2; k++)
        {
            fmpq_zero(worst);
            for (ones = 0; ones < n; ones++)
            {
                exact_delta(delta, n, ones, p, q, alpha, both[k]);
                if (fmpq_cmp(delta, worst) > 0)
                    fmpq_set(worst, delta);
                assert_int_not_equal(binary_delta_of(r, x, (uint64_t) ones, eps, both[k], &options), SHUF_DOMAIN);
                if (!contains(r->lo, r->hi, delta))
                    fail_msg("n = %d, %d ones, p = %s, q = %s, alpha = %s: [%.17g, %.17g]", n, ones, fmpq_get_str(NULL, 10, p),
                             fmpq_get_str(NULL, 10, q), fmpq_get_str(NULL, 10, alpha), arf_get_d(r->lo, ARF_RND_DOWN), arf_get_d(r->hi, ARF_RND_UP));
            }
            binary_delta(r, NULL, x, eps, both[k], 0, &options);
            assert_true(contains(r->lo, r->hi, worst));
            assert_true(arf_get_d(r->hi, ARF_RND_UP) - arf_get_d(r->lo, ARF_RND_DOWN) <= 1e-9 * arf_get_d(r->hi, ARF_RND_UP) + 1e-35);
        }
    }
    fmpq_clear(p); fmpq_clear(q); fmpq_clear(alpha); fmpq_clear(delta); fmpq_clear(worst);
    shuf_real_clear(eps);
    shuf_enclosure_clear(r);
    binary_clear(x);
}

/* q = 0, all others too: at any eps, those beyond the doubles too, delta is p. */
static void test_unbounded(void **unused)
{
    static const char *const far[] = { "1", "700", "800", "1e5", "1e6" };
    shuf_real_t eps;
    shuf_enclosure_t r;
    binary_t x;
    fmpq_t p, q;
    size_t i;
    (void) unused;
    shuf_real_init(eps);
    shuf_enclosure_init(r);
    binary_init(x);
    fmpq_init(p);
    fmpq_init(q);
    fmpq_set_ui(p, 1, 2);
    for (i = 0; i < 5; i++)
    {
        set(eps, far[i]);
        set_bits(x, 10, p, q);
        binary_delta_of(r, x, 0, eps, SHUF_DIRECTION_PQ, &options);
        assert_true(contains(r->lo, r->hi, p));
        binary_delta(r, NULL, x, eps, SHUF_DIRECTION_BOTH, 0, &options);
        assert_true(contains(r->lo, r->hi, p));
    }
    shuf_real_clear(eps);
    shuf_enclosure_clear(r);
    binary_clear(x);
    fmpq_clear(p);
    fmpq_clear(q);
}

/* ---- many users ---- */

static double ends(double *hi, const shuf_enclosure_t r)
{
    *hi = arf_get_d(r->hi, ARF_RND_UP);
    return arf_get_d(r->lo, ARF_RND_DOWN);
}

/* Binary randomised response, or p = 1/2. */
static void set_family(binary_t x, uint64_t n, double eps0, int half)
{
    arb_t E;
    arb_init(E);
    arb_set_d(E, eps0);
    arb_exp(E, E, 256);
    x->users = n;
    arb_add_ui(x->bits->q, E, 1, 256);
    arb_inv(x->bits->q, x->bits->q, 256);
    arb_mul(x->bits->q_rest, E, x->bits->q, 256);
    arb_set(x->bits->p, x->bits->q_rest);
    arb_set(x->bits->p_rest, x->bits->q);
    if (half)
    {
        arb_set_d(x->bits->p, 0.5);
        arb_set_d(x->bits->p_rest, 0.5);
    }
    x->mirrored = !half;
    arb_clear(E);
}

/* The variance of a bit, roughly: of the smaller one. */
static double variance(const binary_t x)
{
    double q = arf_get_d(arb_midref(x->bits->q), ARF_RND_NEAR);
    return q * (1 - q);
}

static void test_against_balls(void **unused)
{
    static const double users[] = { 100, 1000, 20000, 100000 };
    shuf_options few = { 9, 0.0 };
    shuf_real_t eps;
    shuf_enclosure_t r, s;
    shuf_event_t event;
    binary_t x;
    double at, lo, hi, l, h;
    int i, k;
    (void) unused;
    skip_unless_drawn(4);
    shuf_real_init(eps);
    shuf_enclosure_init(r);
    shuf_enclosure_init(s);
    shuf_event_init(event);
    binary_init(x);
    for (i = 0; i < 120; i++)
    {
        uint64_t n = (uint64_t) (users[random_below(4)] * (1 + random_unit())), ones = random_below(3) ? random_below(n) : random_below(2) ? random_below(4) : n - 1 - random_below(4);
        set_family(x, n, log_uniform(0.05, 8), (int) random_below(2));
        at = log_uniform(0.01, 8) / sqrt((double) n) / sqrt(variance(x));
        shuf_real_set_d(eps, at);
        for (k = 0; k < 2; k++)
        {
            arb_set(event->a, x->bits->q);
            arb_set(event->b, x->bits->p);
            arb_set(event->p, k == 0 ? x->bits->p : x->bits->q);
            arb_set(event->q, k == 0 ? x->bits->q : x->bits->p);
            assert_int_not_equal(binary_delta_of(r, x, ones, eps, both[k], &few), SHUF_DOMAIN);
            shuf_mixed_delta(s, n, ones, event, eps, &few);
            lo = ends(&hi, r);
            l = ends(&h, s);
            if (!(lo <= h && l <= hi))
                fail_msg("n = %llu, %llu ones, eps = %g: [%.15g, %.15g], not [%.15g, %.15g]", (unsigned long long) n, (unsigned long long) ones, at, lo, hi, l, h);
            assert_true(hi - lo <= 1e-7 * hi || hi < 1e-270);
        }
    }
    shuf_real_clear(eps);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(s);
    shuf_event_clear(event);
    binary_clear(x);
}

/* The worst data are at least as bad as any, and known within 1e-4; so is eps. */
static void test_worst(void **unused)
{
    static const uint64_t users[] = { 30, 3000, 50000, 300000 };
    shuf_options few = { 4, 0.0 };
    shuf_real_t eps, delta;
    shuf_enclosure_t r, s;
    binary_t x;
    binary_data data;
    double lo, hi, l, h;
    int i, j, k;
    (void) unused;
    skip_unless_drawn(5);
    shuf_real_init(eps);
    shuf_real_init(delta);
    shuf_enclosure_init(r);
    shuf_enclosure_init(s);
    binary_init(x);
    for (i = 0; i < 8; i++)
        for (k = 0; k < 2; k++)
        {
            uint64_t n = users[i % 4];
            set_family(x, n, i < 4 ? 0.7 : 2.5, k);
            shuf_real_set_d(delta, i % 2 ? 0x1p-20 : 0x1p-10);
            assert_int_equal(binary_epsilon(r, &data, x, delta, SHUF_DIRECTION_BOTH, 0, &few), SHUF_OK);
            /* certified at hi, exceeded by the data just below lo */
            shuf_real_set_arf(eps, r->hi);
            binary_delta(s, NULL, x, eps, SHUF_DIRECTION_BOTH, 0, &few);
            assert_true(shuf_real_cmp_arf(delta, s->lo) >= 0);
            shuf_real_set_arf(eps, r->lo);
            binary_delta_of(s, x, data.ones, eps, data.direction, &few);
            assert_true(arf_is_zero(r->lo) || shuf_real_cmp_arf(delta, s->hi) < 0);
            assert_int_equal(binary_delta(r, &data, x, eps, SHUF_DIRECTION_BOTH, 0, &few), SHUF_OK);
            lo = ends(&hi, r);
            binary_delta_of(s, x, data.ones, eps, data.direction, &few);
            l = ends(&h, s);
            assert_true(lo <= h && l <= hi);
            for (j = 0; j < 200; j++)
            {
                binary_delta_of(s, x, random_below(3) ? random_below(n) : random_below(2) ? random_below(20) : n - 1 - random_below(20), eps,
                                both[random_below(2)], &few);
                l = ends(&h, s);
                assert_true(l <= hi);
            }
        }
    shuf_real_clear(eps);
    shuf_real_clear(delta);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(s);
    binary_clear(x);
}

/* What the budget cuts short is still above all data. */
static void test_budget(void **unused)
{
    shuf_real_t eps;
    shuf_enclosure_t r, s;
    binary_t x;
    double work, lo, hi, l, h;
    (void) unused;
    shuf_real_init(eps);
    shuf_enclosure_init(r);
    shuf_enclosure_init(s);
    binary_init(x);
    set_family(x, 200000, 1, 0);
    shuf_real_set_d(eps, 0.01);
    for (work = 1e5; work < 1e8; work *= 10)
    {
        shuf_options little = { 6, work };
        int j;
        binary_delta(r, NULL, x, eps, SHUF_DIRECTION_BOTH, 0, &little);
        lo = ends(&hi, r);
        for (j = 0; j < 50; j++)
        {
            binary_delta_of(s, x, random_below(200000), eps, SHUF_DIRECTION_PQ, &little);
            l = ends(&h, s);
            assert_true(l <= hi && lo <= hi);
        }
    }
    shuf_real_clear(eps);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(s);
    binary_clear(x);
}

/* ---- the walk ---- */

/* law[c] = Pr[Bin(a, p) + Bin(b, q) = c], by adding one bit at a time */
static void set_ball_law(arb_ptr law, uint64_t a, uint64_t b, const counts_bits_t bits)
{
    uint64_t i, c;
    arb_one(law);
    for (i = 0; i < a + b; i++)
    {
        arb_srcptr one = i < a ? bits->p : bits->q, zero = i < a ? bits->p_rest : bits->q_rest;
        arb_mul(law + i + 1, law + i, one, 256);
        for (c = i; c > 0; c--)
        {
            arb_mul(law + c, law + c, zero, 256);
            arb_addmul(law + c, law + c - 1, one, 256);
        }
        arb_mul(law, law, zero, 256);
    }
}

static void assert_encloses(const range_struct *r, const arb_t x)
{
    arb_t lo, hi;
    arb_init(lo);
    arb_init(hi);
    arb_set_d(lo, r->lo);
    arb_set_d(hi, r->hi);
    if (!(arb_le(lo, x) && arb_le(x, hi)))
        fail_msg("[%.17g, %.17g] does not enclose %.17g", r->lo, r->hi, arf_get_d(arb_midref(x), ARF_RND_NEAR));
    arb_clear(lo);
    arb_clear(hi);
}

/* Ratios and masses of windows whose walks begin so near that the range they begin with still shows. */
static void test_walk(void **unused)
{
    fmpq_t p, q, alpha;
    counts_bits_t bits;
    counts_steps steps;
    counts_law law;
    arb_ptr f;
    arb_t t;
    int i, found = 0;
    (void) unused;
    fmpq_init(p);
    fmpq_init(q);
    fmpq_init(alpha);
    counts_bits_init(bits);
    arb_init(t);
    for (i = 0; i < 200; i++)
    {
        uint64_t n = 20 + random_below(100), a = random_below(n + 1), c;
        random_bits_of(p, q, alpha);
        set_probability(bits->p, bits->p_rest, p);
        set_probability(bits->q, bits->q_rest, q);
        counts_steps_set(&steps, bits);
        if (steps.p_is_certain || steps.q_is_certain) /* those bits are left out of the law */
            continue;
        if (!counts_law_init(&law, &steps, a, n - a, 1 + 8 * random_unit(), 1 + 8 * random_unit(), 6 * random_unit()))
            continue;
        found++;
        f = _arb_vec_init((slong) n + 1);
        set_ball_law(f, a, n - a, bits);
        for (c = law.first; c <= law.last; c++)
        {
            assert_encloses(&law.mass[c - law.first], f + c);
            if (c == law.last)
                break;
            arb_div(t, f + c + (c >= law.peak), f + c + (c < law.peak), 256);
            assert_encloses(&law.ratio[c - law.first], t);
        }
        _arb_vec_clear(f, (slong) n + 1);
        counts_law_clear(&law);
    }
    assert_true(found > 50);
    fmpq_clear(p);
    fmpq_clear(q);
    fmpq_clear(alpha);
    counts_bits_clear(bits);
    arb_clear(t);
}

/* ---- profiles ---- */

/* The profile of the worst data is above that of all data and near the largest; that of data is theirs. */
static void test_profiles(void **unused)
{
    shuf_options few = { 6, 0.0 };
    shuf_enclosure_t r;
    shuf_real_t eps;
    binary_t x;
    arf_t s, lo, hi;
    int i, k;
    (void) unused;
    skip_unless_drawn(5);
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    arf_init(s);
    arf_init(lo);
    arf_init(hi);
    binary_init(x);
    for (k = 0; k < 4; k++)
    {
        binary_table *worst, *data;
        binary_view view = { NULL, 0, 0 };
        set_family(x, k < 2 ? 40 : 5000, 1.5, k % 2);
        worst = binary_worst(x, &few);
        data = binary_of(x, 7);
        assert_non_null(worst);
        assert_non_null(data);
        for (i = 0; i < 60; i++)
        {
            int d = (int) random_below(2);
            double l, h;
            arf_set_d(s, i == 0 ? 0 : (k < 2 ? 1.4 : 0.2) * random_unit());
            shuf_real_set_arf(eps, s);
            view.table = worst;
            view.exchanged = (int) random_below(2);
            view.either = 0;
            binary_value(lo, hi, &view, both[view.exchanged ? 1 - d : d], s);
            binary_delta(r, NULL, x, eps, both[d], 0, &few);
            l = ends(&h, r);
            assert_true(arf_cmp(hi, r->lo) >= 0);
            assert_true(arf_cmp(lo, r->hi) <= 0);
            /* no more than 1 percent of eps is lost */
            shuf_real_set_d(eps, 0.99 * arf_get_d(s, ARF_RND_DOWN));
            binary_delta(r, NULL, x, eps, both[d], 0, &few);
            ends(&h, r);
            assert_true(arf_get_d(hi, ARF_RND_UP) <= 1.01 * h + 1e-55);
            shuf_real_set_arf(eps, s);
            assert_true(arf_get_d(lo, ARF_RND_UP) >= 0.3 * l);
            view.either = 1;
            binary_value(lo, hi, &view, both[d], s);
            binary_delta(r, NULL, x, eps, SHUF_DIRECTION_BOTH, 0, &few);
            assert_true(arf_cmp(hi, r->lo) >= 0);
            view.table = data;
            view.either = 0;
            binary_value(lo, hi, &view, both[view.exchanged ? 1 - d : d], s);
            binary_delta_of(r, x, 7, eps, both[d], &few);
            assert_true(arf_cmp(lo, r->hi) <= 0 && arf_cmp(r->lo, hi) <= 0);
        }
        binary_free(worst);
        binary_free(data);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    arf_clear(s);
    arf_clear(lo);
    arf_clear(hi);
    binary_clear(x);
}

/* ---- sums ---- */

/* The product of two entries in rationals: entry 0 of data with `ones`, entry 1 of data with `other`. */
static void exact_sum(fmpq_t delta, int n, int ones, int other, const fmpq_t p, const fmpq_t q, const fmpq_t alpha)
{
    fmpq law[4][MOST + 1];
    fmpq_t t, u;
    int i, j, k;
    for (i = 0; i < 4; i++)
    {
        for (j = 0; j <= MOST; j++)
            fmpq_init(&law[i][j]);
        set_counts(law[i], n, i < 2 ? ones : other, p, q, i == 0 || i == 3 ? p : q);
    }
    fmpq_init(t);
    fmpq_init(u);
    fmpq_zero(delta);
    for (j = 0; j <= n; j++)
        for (k = 0; k <= n; k++)
        {
            fmpq_mul(t, &law[0][j], &law[2][k]);
            fmpq_mul(u, &law[1][j], &law[3][k]);
            fmpq_mul(u, u, alpha);
            fmpq_sub(t, t, u);
            if (fmpq_sgn(t) > 0)
                fmpq_add(delta, delta, t);
        }
    for (i = 0; i < 4; i++)
        for (j = 0; j <= MOST; j++)
            fmpq_clear(&law[i][j]);
    fmpq_clear(t);
    fmpq_clear(u);
}

static shuf_status law_delta(shuf_enclosure_t r, const shuf_law_struct *law, const shuf_real_t eps, shuf_direction direction)
{
    shuf_pld_part parts[2] = { { law, 1 }, { law->second, 1 } };
    shuf_options few = { 6, 0 };
    few.digits = 3;
    few.max_work = 5e8;
    return shuf_pld_delta(r, parts, 2, eps, direction, &few);
}

/* The laws of a sum: from above, above the product of any data; from below, that of the data that are described. */
static void check_sum(const shuf_randomiser_t randomiser, int n, const fmpq_t p, const fmpq_t q, const fmpq_t alpha)
{
    shuf_law_t above, below;
    shuf_datasets where;
    shuf_enclosure_t r, s;
    shuf_real_t eps;
    fmpq_t delta, end;
    int ones, other;
    shuf_enclosure_init(r);
    shuf_enclosure_init(s);
    shuf_real_init(eps);
    fmpq_init(delta);
    fmpq_init(end);
    shuf_law_init(above);
    shuf_law_init(below);
    shuf_real_set_log_fmpq(eps, alpha);
    binary_law_sum(above, randomiser, (uint64_t) n);
    assert_int_equal(binary_law_sum_data(below, &where, randomiser, (uint64_t) n), 1);
    above->prepare(above, &(shuf_options) { 6, 0.0 });
    law_delta(r, above, eps, SHUF_DIRECTION_BOTH);
    arf_get_fmpq(end, r->hi);
    for (ones = 0; ones < n; ones++)
        for (other = 0; other < n - ones; other++)
        {
            exact_sum(delta, n, ones, other, p, q, alpha);
            assert_true(fmpq_cmp(delta, end) <= 0);
        }
    /* user 1 from value 0 to 1, `count` others holding 0 and the rest 1, or all a third value */
    law_delta(s, below, eps, SHUF_DIRECTION_PQ);
    assert_int_equal(where.second, 0);
    exact_sum(delta, n, (int) where.count, where.others == 1 ? n - 1 - (int) where.count : 0, p, q, alpha);
    assert_true(contains(s->lo, s->hi, delta));
    assert_true(arf_cmp(s->lo, r->hi) <= 0);
    check_told_loss(above, SHUF_DIRECTION_PQ, 1);
    check_told_loss(above->second, SHUF_DIRECTION_QP, 1);
    check_told_loss(below, SHUF_DIRECTION_QP, 0);
    check_told_loss(below->second, SHUF_DIRECTION_PQ, 0);
    shuf_law_clear(above);
    shuf_law_clear(below);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(s);
    shuf_real_clear(eps);
    fmpq_clear(delta);
    fmpq_clear(end);
}

static void test_sums(void **unused)
{
    shuf_randomiser_t randomiser;
    fmpq_t p, q, alpha;
    char text[200], error[200];
    int i;
    (void) unused;
    skip_unless_drawn(5);
    fmpq_init(p); fmpq_init(q); fmpq_init(alpha);
    for (i = 0; i < 24; i++)
    {
        ulong d = 4 + random_below(30), x = 1 + random_below(d / 2 - 1);
        int k = 2 + (int) random_below(2);
        fmpq_set_ui(q, x, d);
        fmpq_set_ui(p, d - x, d);
        switch (i % 3)
        {
        case 0:
            snprintf(text, sizeof(text), "{\"type\": \"rappor\", \"k\": %d, \"flip\": \"%lu/%lu\"}", k, x, d);
            break;
        case 1:
            snprintf(text, sizeof(text), "{\"type\": \"oue\", \"k\": %d, \"eps0\": \"log(%lu/%lu)\"}", k, d - x, x);
            fmpq_set_ui(p, 1, 2);
            break;
        default:
            fmpq_set_ui(p, x + 1 + random_below(d - x - 1), d);
            snprintf(text, sizeof(text), "{\"type\": \"unary-encoding\", \"k\": %d, \"p\": \"%s\", \"q\": \"%lu/%lu\"}", k,
                     fmpq_get_str(error, 10, p), x, d);
        }
        fmpq_set_ui(alpha, 10 + random_below(20), 10);
        shuf_randomiser_init(randomiser);
        assert_int_equal(shuf_randomiser_parse(randomiser, text, strlen(text), error, sizeof(error)), 0);
        check_sum(randomiser, 1 + (int) random_below(8), p, q, alpha);
        shuf_randomiser_clear(randomiser);
    }
    fmpq_clear(p); fmpq_clear(q); fmpq_clear(alpha);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_data), cmocka_unit_test(test_unbounded), cmocka_unit_test(test_against_balls), cmocka_unit_test(test_worst),
        cmocka_unit_test(test_budget), cmocka_unit_test(test_walk), cmocka_unit_test(test_profiles), cmocka_unit_test(test_sums),
    };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
