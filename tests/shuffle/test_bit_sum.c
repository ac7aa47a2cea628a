/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Sums of bits of different probabilities, and their split by fair coins: masses and divergences against the convolution in balls. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>

#include "shuffle/bit_split.h"
#include "check.h"
#include "random.h"

#define PREC 400
#define GROUPS 4

typedef struct
{
    bit_group group[GROUPS];
    size_t count;
    uint64_t total;
} sample;

static void set_group(bit_group *g, const fmpq_t p, uint64_t count)
{
    fmpq_t rest;
    fmpq_init(rest);
    fmpq_one(rest);
    fmpq_sub(rest, rest, p);
    arb_init(g->one); arb_init(g->rest);
    arb_set_fmpq(g->one, p, PREC);
    arb_set_fmpq(g->rest, rest, PREC);
    g->count = count;
    fmpq_clear(rest);
}

static void random_probability(fmpq_t p)
{
    ulong d = 2 + random_below(60);
    fmpq_set_ui(p, random_below(d + 1), d);
    if (random_below(6) == 0)
        fmpq_set_ui(p, 1, UINT64_C(1) << (10 + random_below(53)));
}

static void sample_init(sample *s, ulong most)
{
    fmpq_t p;
    size_t i;
    fmpq_init(p);
    s->count = 1 + random_below(GROUPS);
    s->total = 0;
    for (i = 0; i < s->count; i++)
    {
        random_probability(p);
        set_group(&s->group[i], p, random_below(most));
        s->total += s->group[i].count;
    }
    fmpq_clear(p);
}

static void sample_clear(sample *s)
{
    size_t i;
    for (i = 0; i < s->count; i++)
    {
        arb_clear(s->group[i].one);
        arb_clear(s->group[i].rest);
    }
}

/* f(0), .., f(total), one bit after the other. */
static arb_ptr true_law(const sample *s)
{
    arb_ptr f = _arb_vec_init((slong) s->total + 1);
    uint64_t c, seen = 0, j;
    size_t i;
    arb_one(f);
    for (i = 0; i < s->count; i++)
        for (j = 0; j < s->group[i].count; j++, seen++)
            for (c = seen + 2; c-- > 0; )
            {
                arb_mul(f + c, f + c, s->group[i].rest, PREC);
                if (c > 0)
                    arb_addmul(f + c, f + c - 1, s->group[i].one, PREC);
            }
    return f;
}

/* r := the sum of the positive parts of P - alpha Q, Bern(p) against Bern(q) on top of f. */
static void true_divergence(arb_t r, const sample *s, arb_srcptr f, const arb_t p, const arb_t q, const arb_t alpha)
{
    arb_t u, v, x;
    uint64_t c;
    arb_init(u); arb_init(v); arb_init(x);
    arb_mul(u, alpha, q, PREC);
    arb_sub(u, p, u, PREC);
    arb_sub_ui(v, alpha, 1, PREC);
    arb_add(v, v, u, PREC);
    arb_zero(r);
    for (c = 0; c <= s->total + 1; c++)
    {
        arb_zero(x);
        if (c > 0)
            arb_mul(x, u, f + c - 1, PREC);
        if (c <= s->total)
            arb_submul(x, v, f + c, PREC);
        arb_nonnegative_part(x, x);
        arb_add(r, r, x, PREC);
    }
    arb_clear(u); arb_clear(v); arb_clear(x);
}

static void check_divergence(const sample *s, const bit_sum *sum, arb_srcptr f)
{
    arb_t p, q, alpha, gain, less, truth, a, b;
    arf_t lo, hi, width;
    fmpq_t x, y;
    int mirrored;
    arb_init(p); arb_init(q); arb_init(alpha); arb_init(gain); arb_init(less); arb_init(truth); arb_init(a); arb_init(b);
    arf_init(lo); arf_init(hi); arf_init(width);
    fmpq_init(x); fmpq_init(y);
    random_probability(x);
    random_probability(y);
    if (fmpq_cmp(x, y) < 0)
        fmpq_swap(x, y);
    arb_set_fmpq(p, x, PREC);
    arb_set_fmpq(q, y, PREC);
    fmpq_set_ui(x, 100 + random_below(300), 100);
    arb_set_fmpq(alpha, x, PREC);
    arb_sub_ui(less, alpha, 1, PREC);
    for (mirrored = 0; mirrored < 2; mirrored++)
    {
        arb_sub_ui(a, mirrored ? q : p, (ulong) mirrored, PREC);
        arb_sub_ui(b, mirrored ? p : q, (ulong) mirrored, PREC);
        if (mirrored)
        {
            arb_neg(a, a);
            arb_neg(b, b);
        }
        arb_mul(gain, alpha, b, PREC);
        arb_sub(gain, a, gain, PREC);
        bit_sum_divergence(lo, hi, sum, gain, less, mirrored);
        true_divergence(truth, s, f, mirrored ? q : p, mirrored ? p : q, alpha);
        assert_meets(lo, hi, truth, mirrored ? "qp" : "pq");
        arf_sub(width, hi, lo, 64, ARF_RND_UP);
        assert_true(arf_cmp_d(width, 1e-11) < 0);
    }
    arb_clear(p); arb_clear(q); arb_clear(alpha); arb_clear(gain); arb_clear(less); arb_clear(truth); arb_clear(a); arb_clear(b);
    arf_clear(lo); arf_clear(hi); arf_clear(width);
    fmpq_clear(x); fmpq_clear(y);
}

static void check_sample(ulong most)
{
    sample s;
    bit_sum *sum;
    arb_ptr f;
    arf_t lo, hi;
    uint64_t c;
    arf_init(lo); arf_init(hi);
    sample_init(&s, most);
    f = true_law(&s);
    sum = bit_sum_new(s.group, s.count, 0);
    assert_non_null(sum);
    for (c = 0; c <= s.total; c++)
    {
        bit_sum_mass(lo, hi, sum, c);
        assert_meets(lo, hi, f + c, "mass");
    }
    check_divergence(&s, sum, f);
    bit_sum_free(sum);
    _arb_vec_clear(f, (slong) s.total + 1);
    sample_clear(&s);
    arf_clear(lo); arf_clear(hi);
}

static void test_few(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < 400; i++)
        check_sample(8);
}

/* t := f(a + b) Bin(a + b, 1/2)(a); 0 where a or b is negative, or nobody is left. */
static void true_place(arb_t t, const sample *s, arb_srcptr f, slong a, slong b)
{
    arb_zero(t);
    if (a < 0 || b < 0 || (uint64_t) (a + b) > s->total)
        return;
    arb_bin_uiui(t, (ulong) (a + b), (ulong) a, PREC);
    arb_mul_2exp_si(t, t, -(a + b));
    arb_mul(t, t, f + a + b, PREC);
}

/* r := the sum of the positive parts over all (a, b) of gain T(a-1, b) - loss T(a, b-1) - rest T(a, b) */
static void true_split(arb_t r, const sample *s, arb_srcptr f, const arb_t gain, const arb_t loss, const arb_t rest)
{
    const slong most = (slong) s->total + 1;
    arb_t x, t;
    slong a, b;
    arb_init(x); arb_init(t);
    arb_zero(r);
    for (a = 0; a <= most; a++)
        for (b = 0; a + b <= most; b++)
        {
            true_place(x, s, f, a - 1, b);
            arb_mul(x, x, gain, PREC);
            true_place(t, s, f, a, b - 1);
            arb_submul(x, t, loss, PREC);
            true_place(t, s, f, a, b);
            arb_submul(x, t, rest, PREC);
            arb_nonnegative_part(x, x);
            arb_add(r, r, x, PREC);
        }
    arb_clear(x); arb_clear(t);
}

/* Weights w0 > w1, alpha below w0/w1. */
static void random_weights(arb_t w0, arb_t w1, arb_t alpha)
{
    const ulong d = 3 + random_below(60), one = 1 + random_below(d / 2), zero = one + 1 + random_below(d - 2 * one > 0 ? d - 2 * one : 1);
    const ulong all = FLINT_MAX(d, one + zero);
    arb_set_ui(w0, zero);
    arb_div_ui(w0, w0, all, PREC);
    arb_set_ui(w1, one);
    arb_div_ui(w1, w1, all, PREC);
    arb_div(alpha, w0, w1, PREC);
    arb_sub_ui(alpha, alpha, 1, PREC);
    arb_mul_ui(alpha, alpha, random_below(10), PREC);
    arb_div_ui(alpha, alpha, 10, PREC);
}

static void check_split(ulong most)
{
    sample s;
    bit_sum *sum;
    arb_ptr f;
    arb_t w0, w1, gain, loss, excess, rest, truth;
    arf_t lo, hi, width;
    arb_init(w0); arb_init(w1); arb_init(gain); arb_init(loss); arb_init(excess); arb_init(rest); arb_init(truth);
    arf_init(lo); arf_init(hi); arf_init(width);
    sample_init(&s, most);
    f = true_law(&s);
    sum = bit_sum_new(s.group, s.count, 0);
    assert_non_null(sum);
    random_weights(w0, w1, excess);
    arb_sub_ui(rest, w0, 1, PREC);
    arb_add(rest, rest, w1, PREC);
    arb_neg(rest, rest);
    arb_mul(rest, rest, excess, PREC); /* (alpha - 1) w2 */
    arb_add_ui(truth, excess, 1, PREC);
    arb_mul(gain, truth, w1, PREC);
    arb_sub(gain, w0, gain, PREC);
    arb_mul(loss, truth, w0, PREC);
    arb_sub(loss, loss, w1, PREC);
    true_split(truth, &s, f, gain, loss, rest);
    arb_add(w0, w0, w1, PREC);
    arb_mul(excess, excess, w0, PREC);
    bit_split_divergence(lo, hi, sum, gain, loss, excess, rest);
    assert_meets(lo, hi, truth, "split");
    arf_sub(width, hi, lo, 64, ARF_RND_UP);
    assert_true(arf_cmp_d(width, 1e-11) < 0);
    bit_sum_free(sum);
    _arb_vec_clear(f, (slong) s.total + 1);
    sample_clear(&s);
    arb_clear(w0); arb_clear(w1); arb_clear(gain); arb_clear(loss); arb_clear(excess); arb_clear(rest); arb_clear(truth);
    arf_clear(lo); arf_clear(hi); arf_clear(width);
}

static void test_split(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < 400; i++)
        check_split(i < 390 ? 7 : 60);
}

/* So many that the ends are cut. */
static void test_many(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < 12; i++)
        check_sample(400);
}

/* Too much work is no answer. */
static void test_limit(void **state)
{
    bit_group g;
    bit_sum *sum;
    fmpq_t p;
    (void) state;
    fmpq_init(p);
    fmpq_set_ui(p, 1, 3);
    set_group(&g, p, 100000);
    sum = bit_sum_new(&g, 1, shuf_work() + 1000);
    assert_null(sum);
    arb_clear(g.one); arb_clear(g.rest);
    fmpq_clear(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_few), cmocka_unit_test(test_many), cmocka_unit_test(test_split), cmocka_unit_test(test_limit) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
