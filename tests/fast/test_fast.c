/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The fast path against the certified one: its interval contains the certified
 * enclosure (or meets it, where that is the wider), and is narrow.
 * SHUFBOUND_SEED repeats a run.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "fast/fast.h"
#include "hockey/hockey.h"
#include "random.h"

/* A pair: parameter is eps0, or gamma of krr-strong. */
typedef struct
{
    shuf_pair_kind kind;
    uint64_t n, k;
    double parameter;
} point;

static void set_pair(shuf_pair_t pair, const point *p)
{
    shuf_real_t x;
    shuf_real_init(x);
    assert_int_equal(shuf_real_set_d(x, p->parameter), 0);
    if (p->kind == SHUF_PAIR_KRR_STRONG)
        assert_int_equal(shuf_pair_set_krr_blanket(pair, p->kind, p->n, p->k, x->q), 0);
    else if (p->kind == SHUF_PAIR_KRR_THIRD)
        assert_int_equal(shuf_pair_set_krr(pair, p->kind, p->n, p->k, x), 0);
    else
        assert_int_equal(shuf_pair_set_eps0(pair, p->kind, p->n, x), 0);
    shuf_real_clear(x);
}

static shuf_status at(struct shuf_bound *b, shuf_status (*engine)(struct shuf_bound *, const shuf_pair_t, const shuf_real_t, shuf_direction),
                      point p, const char *where)
{
    shuf_status status;
    shuf_pair_t pair;
    shuf_real_t x;
    shuf_pair_init(pair);
    shuf_real_init(x);
    set_pair(pair, &p);
    assert_int_equal(shuf_real_set_str(x, where), 0);
    status = engine(b, pair, x, SHUF_DIRECTION_BOTH);
    shuf_pair_clear(pair);
    shuf_real_clear(x);
    return status;
}

static void report(const char *what, const point *p, double at, const struct shuf_bound *b, const shuf_enclosure_t r)
{
    char *lo = shuf_hexfloat(r->lo, 0), *hi = shuf_hexfloat(r->hi, 1);
    fprintf(stderr, "%s: %s n=%llu k=%llu parameter=%a at=%a\n fast [%a, %a] truncation %g rounding %g terms %llu\n certified [%s, %s]\n",
            what, p->kind == SHUF_PAIR_CLONES ? "clones" : p->kind == SHUF_PAIR_RR2 ? "rr2"
            : p->kind == SHUF_PAIR_CLONES_STRONGER ? "clones-stronger" : "krr-strong",
            (unsigned long long) p->n, (unsigned long long) p->k, p->parameter, at, b->lo, b->hi, b->truncation,
            b->rounding, (unsigned long long) b->terms, lo, hi);
    flint_free(lo);
    flint_free(hi);
    fail();
}

/*
 * The two intervals meet, and that of a delta contains the certified one
 * unless this is the wider. (The ends of an eps are where two searches
 * stopped: the exact value is in both, and that is all.)
 */
static void check_meet(const point *p, double at, const struct shuf_bound *b, const shuf_enclosure_t r, int contain)
{
    arf_t lo, hi, fast, certified;
    int contains, meets, wider;
    arf_init(lo);
    arf_init(hi);
    arf_init(fast);
    arf_init(certified);
    arf_set_d(lo, b->lo);
    arf_set_d(hi, b->hi);
    contains = arf_cmp(lo, r->lo) <= 0 && arf_cmp(r->hi, hi) <= 0;
    meets = arf_cmp(lo, r->hi) <= 0 && arf_cmp(r->lo, hi) <= 0;
    arf_sub(fast, hi, lo, 64, ARF_RND_UP);
    arf_sub(certified, r->hi, r->lo, 64, ARF_RND_UP);
    wider = arf_cmp(certified, fast) > 0;
    if (!meets || (contain && !contains && !wider))
        report("certified enclosure not contained", p, at, b, r);
    if (!(b->truncation >= 0 && b->rounding >= 0 && b->truncation + b->rounding >= b->hi - b->lo))
        report("ledger below the width", p, at, b, r);
    arf_clear(lo);
    arf_clear(hi);
    arf_clear(fast);
    arf_clear(certified);
}

static double worst_width;
static int narrow_count;

static void check_delta(const point *p, double eps)
{
    shuf_options options = { p->n > 100000000 ? 12 : 15, 3e9 };
    struct shuf_bound b;
    shuf_enclosure_t r;
    shuf_pair_t pair;
    shuf_real_t x;
    int d;
    shuf_pair_init(pair);
    shuf_enclosure_init(r);
    shuf_real_init(x);
    set_pair(pair, p);
    assert_int_equal(shuf_real_set_d(x, eps), 0);
    for (d = SHUF_DIRECTION_BOTH; d <= SHUF_DIRECTION_QP; d++)
    {
        shuf_status status = shuf_fast_delta(&b, pair, x, (shuf_direction) d);
        /* the two directions are alike in a symmetric pair */
        if (d == SHUF_DIRECTION_BOTH || !shuf_pair_is_symmetric(pair))
            shuf_hockey_delta(r, pair, x, (shuf_direction) d, &options);
        check_meet(p, eps, &b, r, 1);
        if (status != (b.hi - b.lo <= SHUF_FAST_ACCURACY * b.hi ? SHUF_OK : SHUF_ACCURACY))
            report("status", p, eps, &b, r);
        if (b.hi > 1e-250 && eps < 600)
        {
            /* (e^eps is kept within the range of double) */
            double width = (b.hi - b.lo) / b.hi;
            /* half a million strata deep in the tail of 1e9 users cost a digit */
            if (!(width <= (p->n > 100000000 && b.hi < 1e-50 ? 1e-8 : 1e-9)))
                report("too wide", p, eps, &b, r);
            worst_width = fmax(worst_width, width);
            narrow_count++;
        }
    }
    shuf_pair_clear(pair);
    shuf_enclosure_clear(r);
    shuf_real_clear(x);
}

static void check_epsilon(const point *p, double delta)
{
    shuf_options options = { 11, 3e9 };
    struct shuf_bound b;
    shuf_enclosure_t r;
    shuf_pair_t pair;
    shuf_real_t x;
    shuf_status status, certified;
    shuf_pair_init(pair);
    shuf_enclosure_init(r);
    shuf_real_init(x);
    set_pair(pair, p);
    assert_int_equal(shuf_real_set_d(x, delta), 0);
    status = shuf_fast_epsilon(&b, pair, x, SHUF_DIRECTION_BOTH);
    certified = shuf_hockey_epsilon(r, pair, x, SHUF_DIRECTION_BOTH, &options);
    if (certified == SHUF_DOMAIN)
    {
        /* no finite eps will do */
        assert_int_equal(status, SHUF_DOMAIN);
        assert_true(b.hi == HUGE_VAL);
        shuf_pair_clear(pair);
        shuf_enclosure_clear(r);
        shuf_real_clear(x);
        return;
    }
    check_meet(p, delta, &b, r, 0);
    /* an eps that hardly matters cannot be had to nine digits */
    if (b.hi > 1e-6 && certified == SHUF_OK && delta > 1e-250 && status != SHUF_OK)
        report("eps too wide", p, delta, &b, r);
    /* the promise about the two ends */
    if (b.hi > 0)
    {
        options.digits = 12;
        shuf_real_set_d(x, b.hi);
        shuf_hockey_delta(r, pair, x, SHUF_DIRECTION_BOTH, &options);
        if (arf_cmp_d(r->hi, delta) > 0 && !(r->status != SHUF_OK && arf_cmp_d(r->lo, delta) <= 0))
            report("delta(hi) > delta", p, delta, &b, r);
    }
    if (b.lo > 0)
    {
        shuf_real_set_d(x, b.lo);
        shuf_hockey_delta(r, pair, x, SHUF_DIRECTION_BOTH, &options);
        if (arf_cmp_d(r->hi, delta) <= 0)
            report("delta(lo) <= delta", p, delta, &b, r);
    }
    shuf_pair_clear(pair);
    shuf_enclosure_clear(r);
    shuf_real_clear(x);
}

static void random_point(point *p, double n_max)
{
    static const shuf_pair_kind kinds[] = { SHUF_PAIR_CLONES, SHUF_PAIR_CLONES_STRONGER, SHUF_PAIR_RR2, SHUF_PAIR_KRR_STRONG };
    p->kind = kinds[random_bits() % 4];
    p->n = (uint64_t) log_uniform(1, n_max);
    p->k = 2;
    p->parameter = log_uniform(1e-3, 10);
    if (p->kind == SHUF_PAIR_KRR_STRONG)
    {
        p->k = 2 + random_bits() % 20;
        p->parameter = random_bits() % 4 ? random_unit() : log_uniform(1e-6, 1);
    }
}

/* An eps where delta is not always negligible. */
static double random_eps(const point *p)
{
    double top = p->kind == SHUF_PAIR_KRR_STRONG ? 5 : p->parameter, scale, eps;
    scale = p->kind == SHUF_PAIR_KRR_STRONG ? sqrt(1 / (p->parameter / (double) p->k * (double) p->n + 1e-3))
                                            : expm1(p->parameter) / sqrt((double) p->n);
    eps = random_bits() % 3 ? log_uniform(1e-2, 10) * fmin(scale, top) : random_unit() * top;
    return eps < top ? eps : random_unit() * top;
}

static void random_deltas(void **unused)
{
    int i;
    point p;
    (void) unused;
    for (i = 0; i < 320; i++)
    {
        random_point(&p, i < 240 ? 1e4 : 1e6);
        check_delta(&p, random_eps(&p));
    }
    printf("widest relative interval of %d: %.3g\n", narrow_count, worst_width);
}

static void many_users(void **unused)
{
    int i;
    point p;
    (void) unused;
    skip_unless_drawn(5);
    for (i = 0; i < 2; i++)
    {
        random_point(&p, 2);
        p.n = UINT64_C(1000000000) - random_bits() % 1000;
        p.kind = i ? SHUF_PAIR_KRR_STRONG : SHUF_PAIR_CLONES;
        p.parameter = i ? log_uniform(0.01, 1) : log_uniform(0.1, 3);
        check_delta(&p, random_eps(&p));
    }
}

static void random_epsilons(void **unused)
{
    int i;
    point p;
    (void) unused;
    for (i = 0; i < 16; i++)
    {
        random_point(&p, i < 14 ? 1e3 : 1e4);
        check_epsilon(&p, random_bits() % 8 ? log_uniform(1e-15, 0.5) : log_uniform(1e-200, 1));
    }
}

static void corners(void **unused)
{
    static const shuf_pair_kind kinds[] = { SHUF_PAIR_CLONES, SHUF_PAIR_CLONES_STRONGER, SHUF_PAIR_RR2 };
    static const uint64_t users[] = { 1, 2, 3, 100, 4000 };
    static const double eps0s[] = { 1e-9, 0.5, 4, 50 };
    static const double parts[] = { 0, 1e-300, 1e-12, 0.01, 0.5, 0.999999 };
    size_t i, j, l, m;
    (void) unused;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 5; j++)
            for (l = 0; l < 4; l++)
            {
                point p = { kinds[i], users[j], 2, eps0s[l] };
                struct shuf_bound b;
                shuf_pair_t pair;
                shuf_real_t x;
                for (m = 0; m < 6; m++)
                    check_delta(&p, parts[m] * p.parameter);
                check_delta(&p, nextafter(p.parameter, 0));
                /* from the largest loss on: exactly zero */
                shuf_pair_init(pair);
                shuf_real_init(x);
                set_pair(pair, &p);
                shuf_real_set_d(x, p.parameter);
                b.hi = 1;
                assert_int_equal(shuf_fast_delta(&b, pair, x, SHUF_DIRECTION_BOTH), SHUF_OK);
                assert_true(b.lo == 0 && b.hi == 0 && b.truncation == 0 && b.rounding == 0);
                shuf_pair_clear(pair);
                shuf_real_clear(x);
            }
    for (j = 0; j < 5; j++)
    {
        point p = { SHUF_PAIR_KRR_STRONG, users[j], 2, 0 };
        check_delta(&p, 0);
        check_delta(&p, 3);
        p.parameter = 0.25;
        check_delta(&p, 0);
        check_delta(&p, 2.5);
        check_delta(&p, 500);
        check_delta(&p, 800);
        p.parameter = 1;
        check_delta(&p, 0);
    }
}

static void corner_epsilons(void **unused)
{
    struct shuf_bound b;
    point p = { SHUF_PAIR_CLONES, 1, 2, 1 };
    (void) unused;
    check_epsilon(&p, 1e-3);
    p.n = 2;
    check_epsilon(&p, 1e-9);
    p.n = 1000;
    check_epsilon(&p, 0x1p-1074);
    p.parameter = 1e-9;
    check_epsilon(&p, 1e-12);
    p.parameter = 50;
    check_epsilon(&p, 1e-3);
    p.kind = SHUF_PAIR_RR2;
    check_epsilon(&p, 1e-3);
    assert_int_equal(at(&b, shuf_fast_epsilon, (point) { SHUF_PAIR_CLONES, 1000, 2, 1 }, "1"), SHUF_OK);
    assert_true(b.lo == 0 && b.hi == 0);
    assert_int_equal(at(&b, shuf_fast_epsilon, (point) { SHUF_PAIR_CLONES, 1000, 2, 1 }, "0"), SHUF_OK);
    assert_true(b.lo == 1 && b.hi == 1);
    assert_int_equal(at(&b, shuf_fast_epsilon, (point) { SHUF_PAIR_KRR_STRONG, 1000, 2, 0.5 }, "0"), SHUF_DOMAIN);
    assert_true(b.lo == 0 && b.hi == HUGE_VAL);
}

static void domain(void **unused)
{
    static const struct { shuf_pair_kind kind; uint64_t n; const char *delta_at, *epsilon_at; } cases[] = {
        { SHUF_PAIR_CLONES, SHUF_FAST_MAX_USERS + 1, "0.1", "0.1" }, { SHUF_PAIR_CLONES, 10, "-0.1", "-0.1" },
        { SHUF_PAIR_RR2, 10, "2e6", "-1" }, { SHUF_PAIR_KRR_THIRD, 10, "1", "0.1" } };
    struct shuf_bound b;
    size_t i;
    (void) unused;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        const point p = { cases[i].kind, cases[i].n, 3, 1 };
        assert_int_equal(at(&b, shuf_fast_delta, p, cases[i].delta_at), SHUF_DOMAIN);
        assert_true(b.lo == 0 && b.hi == 1);
        assert_int_equal(at(&b, shuf_fast_epsilon, p, cases[i].epsilon_at), SHUF_DOMAIN);
        assert_true(b.lo == 0 && b.hi == HUGE_VAL);
    }
}

/* What is left out is charged, even if the product that bounds its mass underflows: Pr[C > 1] is about 1e-555. */
static void left_out(void **unused)
{
    struct shuf_bound b;
    (void) unused;
    assert_int_equal(at(&b, shuf_fast_delta, (point) { SHUF_PAIR_CLONES, 10, 2, 640 }, "1"), SHUF_OK);
    assert_true(b.terms < 10 && b.rounding > 0 && b.truncation > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(domain),
        cmocka_unit_test(corners),
        cmocka_unit_test(left_out),
        cmocka_unit_test(corner_epsilons),
        cmocka_unit_test(random_deltas),
        cmocka_unit_test(many_users),
        cmocka_unit_test(random_epsilons),
    };
    int failed = cmocka_run_group_tests(tests, seed_group, NULL);
    flint_cleanup();
    return failed;
}
