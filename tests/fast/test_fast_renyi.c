/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The Renyi divergence in doubles: its interval contains the sum over all
 * outcomes (few users) or the certified enclosure (many), and is narrow.
 * SHUFBOUND_SEED repeats a run.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "fast/fast.h"
#include "renyi/renyi.h"
#include "random.h"

typedef struct
{
    shuf_pair_kind kind;
    uint64_t n;
    double eps0, order;
} point;

static const shuf_pair_kind kinds[] = { SHUF_PAIR_CLONES, SHUF_PAIR_CLONES_STRONGER, SHUF_PAIR_RR2 };

static void complain(const char *what, const point *p, int direction, const struct shuf_bound *b, const arf_t lo, const arf_t hi)
{
    fprintf(stderr, "%s: %s n=%llu eps0=%a order=%a direction %d\n fast [%.17g, %.17g] truncation %g rounding %g terms %llu\n",
            what, p->kind == SHUF_PAIR_CLONES ? "clones" : p->kind == SHUF_PAIR_RR2 ? "rr2" : "clones-stronger",
            (unsigned long long) p->n, p->eps0, p->order, direction, b->lo, b->hi, b->truncation, b->rounding,
            (unsigned long long) b->terms);
    if (lo != NULL)
    {
        char *low = shuf_decimal(lo, 20, 0), *high = shuf_decimal(hi, 20, 1);
        fprintf(stderr, " reference [%s, %s]\n", low, high);
        flint_free(low);
        flint_free(high);
    }
    fail();
}

/* What holds for every result. */
static shuf_status evaluate(struct shuf_bound *b, const point *p, int direction)
{
    shuf_status status, expected;
    shuf_pair_t pair;
    shuf_real_t x;
    shuf_pair_init(pair);
    shuf_real_init(x);
    assert_int_equal(shuf_real_set_d(x, p->eps0), 0);
    assert_int_equal(shuf_pair_set_eps0(pair, p->kind, p->n, x), 0);
    assert_int_equal(shuf_real_set_d(x, p->order), 0);
    status = shuf_fast_renyi(b, pair, x, (shuf_direction) direction);
    expected = b->hi - b->lo <= SHUF_FAST_ACCURACY * b->hi ? SHUF_OK : SHUF_ACCURACY;
    if (status != expected)
        complain("status", p, direction, b, NULL, NULL);
    if (!(b->lo >= 0 && b->lo <= b->hi && b->hi <= nextafter(p->eps0, HUGE_VAL)))
        complain("not in [0, eps0]", p, direction, b, NULL, NULL);
    if (!(b->truncation >= 0 && b->rounding >= 0 && b->truncation + b->rounding >= b->hi - b->lo))
        complain("ledger below the width", p, direction, b, NULL, NULL);
    shuf_pair_clear(pair);
    shuf_real_clear(x);
    return status;
}

/*
 * [lo, hi] contains the exact value, so it meets the fast interval and, if it
 * is narrower, is inside (but for its own rounding at the largest loss).
 */
static void check_against(const arf_t lo, const arf_t hi, const struct shuf_bound *b, const point *p, int direction)
{
    arf_t width;
    arf_init(width);
    arf_sub(width, hi, lo, 64, ARF_RND_UP);
    if (arf_cmp_d(lo, b->hi) > 0 || arf_cmp_d(hi, b->lo) < 0)
        complain("misses the reference", p, direction, b, lo, hi);
    if (arf_cmp_d(width, b->hi - b->lo) < 0 && !(arf_cmp_d(lo, b->lo) >= 0 && (arf_cmp_d(hi, b->hi) <= 0 || b->hi >= p->eps0)))
        complain("reference not contained", p, direction, b, lo, hi);
    arf_clear(width);
}

/* ---- the sum over all outcomes, in Arb ---- */

#define BRUTE_PREC 256

/* d encloses D_order(P||Q), or D_order(Q||P), by definition. */
static void brute_force(arb_t d, const point *p, int direction)
{
    slong prec = BRUTE_PREC;
    ulong a, b, lowest;
    arb_t E, r, rest, x, w0, w1, order, sum, cell, p_mass, q_mass;
    arb_init(E);
    arb_init(r);
    arb_init(rest);
    arb_init(x);
    arb_init(w0);
    arb_init(w1);
    arb_init(order);
    arb_init(sum);
    arb_init(cell);
    arb_init(p_mass);
    arb_init(q_mass);
    arb_set_d(E, p->eps0);
    arb_exp(E, E, prec);
    arb_set_d(order, p->order);
    arb_add_ui(x, E, 1, prec);
    arb_inv(w1, x, prec);
    arb_mul(w0, w1, E, prec);
    /*
     * x0 = Pr[another adds (1,0)], x1 = (0,1): both r for the clones, w0 and w1
     * for rr2. P(a,b) = w0 T(a-1,b) + w1 T(a,b-1); with T(a,b) = N!/(a! b! k!)
     * x0^a x1^b rest^k and k = n-a-b, P(a,b) = N!/(a! b! k!) x0^a x1^b rest^k
     * (w0 a/x0 + w1 b/x1).
     */
    if (p->kind == SHUF_PAIR_CLONES)
    {
        arb_inv(r, E, prec);
        arb_mul_2exp_si(r, r, -1);
    }
    else
    {
        arb_set(r, w1);
    }
    arb_mul_2exp_si(x, r, 1);
    arb_sub_ui(rest, x, 1, prec);
    arb_neg(rest, rest);
    lowest = p->kind == SHUF_PAIR_RR2 ? p->n : 0;
    for (a = 0; a <= p->n; a++)
    {
        /* b from n-a downwards: cell = N!/(a! b! k!) x0^a x1^b rest^k */
        arb_bin_uiui(cell, p->n, a, prec);
        arb_div_ui(cell, cell, p->n, prec);
        arb_pow_ui(x, p->kind == SHUF_PAIR_RR2 ? w0 : r, a, prec);
        arb_mul(cell, cell, x, prec);
        arb_pow_ui(x, r, p->n - a, prec);
        arb_mul(cell, cell, x, prec);
        for (b = p->n - a;; b--)
        {
            if (a + b > 0)
            {
                arb_mul_ui(p_mass, w0, a, prec);
                arb_mul_ui(q_mass, w1, a, prec);
                if (p->kind == SHUF_PAIR_RR2)
                {
                    arb_div(p_mass, p_mass, w0, prec);
                    arb_div(q_mass, q_mass, w0, prec);
                }
                else
                {
                    arb_div(p_mass, p_mass, r, prec);
                    arb_div(q_mass, q_mass, r, prec);
                }
                arb_div(x, w1, r, prec);
                arb_addmul_ui(p_mass, x, b, prec);
                arb_div(x, w0, r, prec);
                arb_addmul_ui(q_mass, x, b, prec);
                if (direction == SHUF_DIRECTION_QP)
                    arb_swap(p_mass, q_mass);
                arb_div(x, p_mass, q_mass, prec);
                arb_log(x, x, prec);
                arb_mul(x, x, order, prec);
                arb_exp(x, x, prec);
                arb_mul(x, x, q_mass, prec);
                arb_addmul(sum, x, cell, prec);
            }
            if (b == 0 || a + b == lowest)
                break;
            /* b -> b-1 */
            arb_mul_ui(cell, cell, b, prec);
            arb_div_ui(cell, cell, p->n - a - b + 1, prec);
            arb_div(cell, cell, r, prec);
            arb_mul(cell, cell, rest, prec);
        }
    }
    arb_log(d, sum, prec);
    arb_sub_ui(x, order, 1, prec);
    arb_div(d, d, x, prec);
    arb_clear(E);
    arb_clear(r);
    arb_clear(rest);
    arb_clear(x);
    arb_clear(w0);
    arb_clear(w1);
    arb_clear(order);
    arb_clear(sum);
    arb_clear(cell);
    arb_clear(p_mass);
    arb_clear(q_mass);
}

static int narrow, tried;

static void check_against_sum(const point *p)
{
    int direction;
    for (direction = SHUF_DIRECTION_PQ; direction <= SHUF_DIRECTION_QP; direction++)
    {
        struct shuf_bound b;
        shuf_status status = evaluate(&b, p, direction);
        arb_t d;
        arf_t lo, hi;
        arb_init(d);
        arf_init(lo);
        arf_init(hi);
        brute_force(d, p, direction);
        arb_get_lbound_arf(lo, d, BRUTE_PREC);
        arb_get_ubound_arf(hi, d, BRUTE_PREC);
        check_against(lo, hi, &b, p, direction);
        tried++;
        narrow += status == SHUF_OK;
        arb_clear(d);
        arf_clear(lo);
        arf_clear(hi);
    }
}

static double random_order(void)
{
    switch (random_below(4))
    {
    case 0:
        return (double) (2 + random_below(100));
    case 1:
        return 1 + log_uniform(1e-4, 1);
    default:
        return 1 + log_uniform(1e-2, 1000);
    }
}

static void against_sums(void **unused)
{
    int i;
    (void) unused;
    tried = narrow = 0;
    for (i = 0; i < 180; i++)
    {
        point p = { kinds[random_below(3)], 1, 0, 0 };
        p.n = p.kind == SHUF_PAIR_RR2 ? (uint64_t) log_uniform(1, 3000) : (uint64_t) log_uniform(1, i < 172 ? 70 : 300);
        p.eps0 = random_below(8) ? log_uniform(0.01, 6) : log_uniform(1e-6, 20);
        p.order = random_order();
        check_against_sum(&p);
    }
    printf("sums over all outcomes: %d of %d to %g\n", narrow, tried, SHUF_FAST_ACCURACY);
    assert_true(narrow >= tried * 9 / 10);
}

/* ---- the certified engine ---- */

static void check_against_certified(const point *p, slong digits)
{
    shuf_options options = { digits, 5e9 };
    struct shuf_bound b;
    shuf_enclosure_t r;
    shuf_pair_t pair;
    shuf_real_t x;
    int direction = p->kind == SHUF_PAIR_RR2 ? 1 + (int) random_below(2) : SHUF_DIRECTION_BOTH;
    shuf_enclosure_init(r);
    shuf_pair_init(pair);
    shuf_real_init(x);
    shuf_real_set_d(x, p->eps0);
    assert_int_equal(shuf_pair_set_eps0(pair, p->kind, p->n, x), 0);
    shuf_real_set_d(x, p->order);
    narrow += evaluate(&b, p, direction) == SHUF_OK;
    tried++;
    shuf_renyi_divergence(r, pair, x, (shuf_direction) direction, &options);
    check_against(r->lo, r->hi, &b, p, direction);
    shuf_enclosure_clear(r);
    shuf_pair_clear(pair);
    shuf_real_clear(x);
}

static void against_certified(void **unused)
{
    int i;
    (void) unused;
    tried = narrow = 0;
    for (i = 0; i < 24; i++)
    {
        point p = { kinds[i % 3], (uint64_t) log_uniform(100, i < 18 ? 2e4 : 1e6), log_uniform(0.01, 6), 0 };
        p.order = random_order();
        check_against_certified(&p, 13);
    }
    for (i = 0; i < 3; i++)
    {
        point p = { kinds[i], (uint64_t) log_uniform(1e6, 1e9), log_uniform(0.1, 6), random_order() };
        check_against_certified(&p, 10);
    }
    printf("certified enclosures: %d of %d to %g\n", narrow, tried, SHUF_FAST_ACCURACY);
    assert_true(narrow >= tried * 9 / 10);
}

/* Strata as small as the Taylor series takes, and orders that need many of its terms. */
static void series(void **unused)
{
    int i, used = 0;
    (void) unused;
    tried = narrow = 0;
    for (i = 0; i < 10; i++)
    {
        point p = { kinds[i % 2], (uint64_t) log_uniform(900, 4000), log_uniform(0.2, 1), 0 };
        double deviations = 0.3 + 2.2 * random_unit();
        struct shuf_bound b;
        p.order = 1 + deviations * sqrt((double) p.n * exp(-p.eps0)) / (2 * tanh(p.eps0 / 2));
        evaluate(&b, &p, SHUF_DIRECTION_BOTH);
        used += b.terms < p.n;
        check_against_certified(&p, 14);
    }
    printf("series: %d of %d to %g\n", used, narrow, SHUF_FAST_ACCURACY);
    assert_true(used >= 7 && narrow == tried);
}

/* ---- properties ---- */

static void check_order(const point *p, const struct shuf_bound *small, const struct shuf_bound *large)
{
    if (!(small->lo <= large->hi))
        complain("not monotone", p, 0, small, NULL, NULL);
}

static void monotone(void **unused)
{
    int i;
    double slowest = 0;
    (void) unused;
    tried = narrow = 0;
    for (i = 0; i < 150; i++)
    {
        point p = { kinds[random_below(3)], (uint64_t) log_uniform(1, i < 145 ? 1e6 : 1e9), log_uniform(0.01, 6), random_order() }, q = p;
        struct shuf_bound b, other;
        double start = shuf_seconds();
        int status = evaluate(&b, &p, SHUF_DIRECTION_BOTH);
        slowest = fmax(slowest, shuf_seconds() - start);
        tried++;
        narrow += status == SHUF_OK;
        /* in the order, close by and far */
        q.order = p.order * (1 + (random_below(2) ? 1e-9 : 0.3));
        evaluate(&other, &q, SHUF_DIRECTION_BOTH);
        check_order(&q, &b, &other);
        /* fewer users */
        q = p;
        q.n = 1 + random_below(p.n);
        if (random_below(2) && p.n > 1)
            q.n = p.n - 1;
        evaluate(&other, &q, SHUF_DIRECTION_BOTH);
        check_order(&q, &b, &other);
        /* the stronger clones are the better bound, and rr2 is below both */
        if (p.kind != SHUF_PAIR_CLONES)
        {
            q = p;
            q.kind = p.kind == SHUF_PAIR_RR2 ? SHUF_PAIR_CLONES_STRONGER : SHUF_PAIR_CLONES;
            evaluate(&other, &q, SHUF_DIRECTION_BOTH);
            check_order(&q, &b, &other);
        }
    }
    printf("accuracy: %d of %d to %g; slowest %.3g s\n", narrow, tried, SHUF_FAST_ACCURACY, slowest);
    assert_true(narrow >= tried * 95 / 100);
}

static void absurd(void **unused)
{
    static const uint64_t users[] = { 1, 2, 50, 1000, 1000000, SHUF_FAST_MAX_USERS };
    static const double eps0s[] = { 1e-300, 1e-9, 0.5, 6, 50, 700, 1e6 };
    static const double orders[] = { 1 + 0x1p-52, 1 + 1e-9, 1.5, 1000, 1e5, 1e9, 1e18 };
    size_t i, j, k, l;
    (void) unused;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 5; j++)
            for (k = 0; k < 7; k++)
                for (l = 0; l < 7; l++)
                {
                    point p = { kinds[i], users[j], eps0s[k], orders[l] };
                    struct shuf_bound b;
                    evaluate(&b, &p, SHUF_DIRECTION_BOTH);
                    if (users[j] <= 2)
                        check_against_sum(&p);
                }
    {
        point p = { SHUF_PAIR_CLONES, SHUF_FAST_MAX_USERS, 0.01, 2 };
        struct shuf_bound b;
        evaluate(&b, &p, SHUF_DIRECTION_BOTH);
        assert_true(b.lo > 0);
        p.eps0 = 20;
        p.order = 1e9;
        evaluate(&b, &p, SHUF_DIRECTION_BOTH);
        p.eps0 = 0;
        assert_int_equal(evaluate(&b, &p, SHUF_DIRECTION_BOTH), SHUF_OK);
        assert_true(b.lo == 0 && b.hi == 0);
    }
}

static void assert_domain(shuf_status status, const struct shuf_bound *b)
{
    assert_int_equal(status, SHUF_DOMAIN);
    assert_true(b->lo == 0 && b->hi == HUGE_VAL);
}

static void domain(void **unused)
{
    static const struct { uint64_t n; double order; } cases[] = {
        { SHUF_FAST_MAX_USERS + 1, 2 }, { 10, 1 }, { 10, 0.5 }, { 10, -3 }, { 10, 2e18 } };
    struct shuf_bound b;
    shuf_pair_t pair;
    shuf_real_t x, one;
    size_t i;
    (void) unused;
    shuf_pair_init(pair);
    shuf_real_init(x);
    shuf_real_init(one);
    shuf_real_set_str(one, "1");
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        assert_int_equal(shuf_pair_set_eps0(pair, kinds[i % 3], cases[i].n, one), 0);
        shuf_real_set_d(x, cases[i].order);
        assert_domain(shuf_fast_renyi(&b, pair, x, SHUF_DIRECTION_BOTH), &b);
    }
    assert_int_equal(shuf_pair_set_krr(pair, SHUF_PAIR_KRR_THIRD, 10, 3, one), 0);
    shuf_real_set_d(x, 2);
    assert_domain(shuf_fast_renyi(&b, pair, x, SHUF_DIRECTION_BOTH), &b);
    shuf_pair_clear(pair);
    shuf_real_clear(x);
    shuf_real_clear(one);
}

/* Parameters need not be doubles. */
static void no_doubles(void **unused)
{
    struct shuf_bound b, c;
    shuf_pair_t pair;
    shuf_real_t x;
    size_t i;
    (void) unused;
    shuf_pair_init(pair);
    shuf_real_init(x);
    for (i = 0; i < 3; i++)
    {
        point p = { kinds[i], 500, log(3), 7 / 3.0 };
        /* log(3), 7/3 */
        assert_int_equal(shuf_real_set_str(x, "log(3)"), 0);
        assert_int_equal(shuf_pair_set_eps0(pair, kinds[i], 500, x), 0);
        assert_int_equal(shuf_real_set_str(x, "7/3"), 0);
        assert_int_equal(shuf_fast_renyi(&c, pair, x, SHUF_DIRECTION_BOTH), SHUF_OK);
        evaluate(&b, &p, SHUF_DIRECTION_BOTH);
        assert_true(fabs(b.hi - c.hi) <= 1e-9 * b.hi);
    }
    shuf_pair_clear(pair);
    shuf_real_clear(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(domain),
        cmocka_unit_test(no_doubles),
        cmocka_unit_test(absurd),
        cmocka_unit_test(against_sums),
        cmocka_unit_test(against_certified),
        cmocka_unit_test(series),
        cmocka_unit_test(monotone),
    };
    int failed = cmocka_run_group_tests(tests, seed_group, NULL);
    flint_cleanup();
    return failed;
}
