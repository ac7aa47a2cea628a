/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Reports of one bit of a uniform subset of the users: against the definition,
 * a sum over all subsets, in rationals for all data of a few users and in balls
 * for more; and the laws of those who are seen where they are cut.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>

#include "shuffle/binary.h"
#include "check.h"
#include "random.h"

static const shuf_options options = SHUF_OPTIONS_DEFAULT;
static const shuf_direction both[2] = { SHUF_DIRECTION_PQ, SHUF_DIRECTION_QP };

#define PREC 512

static void set_bits(binary_t x, uint64_t n, uint64_t drawn, const fmpq_t p, const fmpq_t q)
{
    x->users = n;
    x->absent = n - drawn;
    x->mirrored = 0;
    arb_set_fmpq(x->bits->p, p, PREC);
    arb_set_fmpq(x->bits->q, q, PREC);
    arb_sub_ui(x->bits->p_rest, x->bits->p, 1, PREC);
    arb_neg(x->bits->p_rest, x->bits->p_rest);
    arb_sub_ui(x->bits->q_rest, x->bits->q, 1, PREC);
    arb_neg(x->bits->q_rest, x->bits->q_rest);
    if (fmpq_is_one(p))
        arb_zero(x->bits->p_rest);
    if (fmpq_is_one(q))
        arb_zero(x->bits->q_rest);
}

static void random_bits_of(fmpq_t p, fmpq_t q)
{
    ulong d = 2 + random_below(60), x = random_below(d + 1), y = random_below(d + 1);
    fmpq_set_ui(p, FLINT_MAX(x, y), d);
    fmpq_set_ui(q, FLINT_MIN(x, y), d);
    if (random_below(8) == 0)
        fmpq_set_ui(q, 1, UINT64_C(1) << (10 + random_below(50)));
    if (fmpq_cmp(p, q) < 0)
        fmpq_swap(p, q);
}

/* ---- the definition: all subsets of a size at once, by the users one after the other ---- */

/* sum[k m+1 + c]: of all subsets of k users, the probability of c ones, added up. */
static void add_user(arb_ptr sum, uint64_t m, const arb_t p)
{
    arb_t rest;
    uint64_t k, c;
    arb_init(rest);
    arb_sub_ui(rest, p, 1, PREC);
    arb_neg(rest, rest);
    for (k = m; k > 0; k--)
        for (c = 0; c <= k; c++)
        {
            arb_ptr x = sum + k * (m + 1) + c;
            arb_srcptr fewer = sum + (k - 1) * (m + 1);
            if (c < k)
                arb_addmul(x, fewer + c, rest, PREC);
            if (c > 0)
                arb_addmul(x, fewer + c - 1, p, PREC);
        }
    arb_clear(rest);
}

/* law[c], c <= m: of c ones among a uniform m-subset of users of whom a have p, b have q and one, unless own is NULL, that. */
static void define_law(arb_ptr law, uint64_t m, uint64_t a, uint64_t b, const arb_t p, const arb_t q, const arb_struct *own)
{
    arb_ptr sum = _arb_vec_init((slong) ((m + 1) * (m + 1)));
    arb_t count;
    uint64_t i;
    arb_init(count);
    arb_one(sum);
    for (i = 0; i < a + b; i++)
        add_user(sum, m, i < a ? p : q);
    if (own != NULL)
        add_user(sum, m, own);
    arb_bin_uiui(count, a + b + (own != NULL), m, PREC);
    for (i = 0; i <= m; i++)
        arb_div(law + i, sum + m * (m + 1) + i, count, PREC);
    _arb_vec_clear(sum, (slong) ((m + 1) * (m + 1)));
    arb_clear(count);
}

static void define_delta(arb_t delta, const binary_t x, uint64_t ones, const arb_t alpha, shuf_direction direction)
{
    uint64_t m = x->users - x->absent, c, b = x->users - 1 - ones;
    int forward = direction == SHUF_DIRECTION_PQ;
    arb_ptr P = _arb_vec_init((slong) m + 1), Q = _arb_vec_init((slong) m + 1);
    define_law(P, m, ones, b, x->bits->p, x->bits->q, forward ? x->bits->p : x->bits->q);
    define_law(Q, m, ones, b, x->bits->p, x->bits->q, forward ? x->bits->q : x->bits->p);
    arb_zero(delta);
    for (c = 0; c <= m; c++)
    {
        arb_submul(P + c, alpha, Q + c, PREC);
        if (arb_contains_zero(P + c))
            arb_nonnegative_part(P + c, P + c);
        if (!arb_is_negative(P + c))
            arb_add(delta, delta, P + c, PREC);
    }
    _arb_vec_clear(P, (slong) m + 1);
    _arb_vec_clear(Q, (slong) m + 1);
}

static int overlaps(const shuf_enclosure_t r, const arb_t x)
{
    arf_t end;
    int ok;
    arf_init(end);
    arb_get_ubound_arf(end, x, PREC);
    ok = arf_cmp(r->lo, end) <= 0;
    arb_get_lbound_arf(end, x, PREC);
    ok = ok && arf_cmp(end, r->hi) <= 0;
    arf_clear(end);
    return ok;
}

/* A part of the largest loss of the sample, or beyond it; if there is none, any. Returns whether it is well inside in both directions, where nothing cancels. */
static int random_eps(shuf_real_t eps, arb_t alpha, const fmpq_t p, const fmpq_t q, double rate)
{
    double P = fmpz_get_d(fmpq_numref(p)) / fmpz_get_d(fmpq_denref(p)), Q = fmpz_get_d(fmpq_numref(q)) / fmpz_get_d(fmpq_denref(q));
    double ones = Q > 0 ? P / Q : 1e3, zeros = P < 1 ? (1 - Q) / (1 - P) : 1e3;
    double most = fmin(log1p(rate * (fmax(ones, zeros) - 1)), 3), least = log1p(rate * (fmin(ones, zeros) - 1));
    shuf_real_set_d(eps, random_below(10) == 0 ? 0 : most * pow(random_unit(), 2) * (random_below(10) ? 1 : 1.5));
    shuf_real_get_arb(alpha, eps, PREC);
    arb_exp(alpha, alpha, PREC);
    return arf_cmp_d(arb_midref(alpha), exp(0.8 * least)) < 0 && fmpq_cmp(p, q) > 0;
}

static void check_data(const binary_t x, uint64_t most_users, const fmpq_t p, const fmpq_t q)
{
    shuf_enclosure_t r;
    shuf_real_t eps;
    arb_t alpha, delta, worst;
    uint64_t ones, step = x->users <= most_users ? 1 : 1 + random_below(x->users);
    double least;
    int k;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    arb_init(alpha);
    arb_init(delta);
    arb_init(worst);
    least = random_eps(eps, alpha, p, q, (double) (x->users - x->absent) / (double) x->users) ? 1e-100 : 1e-12;
    for (k = 0; k < 2; k++)
    {
        arb_zero(worst);
        for (ones = step > 1 ? random_below(x->users) : 0; ones < x->users; ones += step)
        {
            define_delta(delta, x, ones, alpha, both[k]);
            arb_max(worst, worst, delta, PREC);
            assert_int_not_equal(binary_delta_of(r, x, ones, eps, both[k], &options), SHUF_DOMAIN);
            if (!overlaps(r, delta))
                fail_msg("n = %llu, %llu absent, %llu ones, p = %s, q = %s, direction %d: [%.17g, %.17g], not %.17g", (unsigned long long) x->users,
                         (unsigned long long) x->absent, (unsigned long long) ones, fmpq_get_str(NULL, 10, p), fmpq_get_str(NULL, 10, q), k,
                         arf_get_d(r->lo, ARF_RND_DOWN), arf_get_d(r->hi, ARF_RND_UP), arf_get_d(arb_midref(delta), ARF_RND_NEAR));
            assert_true(arf_get_d(r->hi, ARF_RND_UP) - arf_get_d(r->lo, ARF_RND_DOWN) <= 1e-6 * arf_get_d(r->hi, ARF_RND_UP) + least);
        }
        if (step > 1)
            continue;
        binary_delta(r, NULL, x, eps, both[k], 0, &options);
        assert_true(overlaps(r, worst));
        assert_true(arf_get_d(r->hi, ARF_RND_UP) - arf_get_d(r->lo, ARF_RND_DOWN) <= 1e-6 * arf_get_d(r->hi, ARF_RND_UP) + least);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    arb_clear(alpha);
    arb_clear(delta);
    arb_clear(worst);
}

static void test_all_data(void **unused)
{
    fmpq_t p, q;
    binary_t x;
    int i;
    (void) unused;
    fmpq_init(p);
    fmpq_init(q);
    binary_init(x);
    for (i = 0; i < 500; i++)
    {
        uint64_t n = 2 + random_below(9);
        random_bits_of(p, q);
        set_bits(x, n, 1 + random_below(n - 1), p, q);
        check_data(x, n, p, q);
    }
    for (i = 0; i < 60; i++)
    {
        uint64_t n = 20 + random_below(100);
        random_bits_of(p, q);
        set_bits(x, n, 1 + random_below(FLINT_MIN(n - 1, 40)), p, q);
        check_data(x, 0, p, q);
    }
    fmpq_clear(p);
    fmpq_clear(q);
    binary_clear(x);
}

/* ---- the laws, cut ---- */

static void assert_encloses(const range_struct *r, const arb_t x, const char *what, uint64_t n, uint64_t m)
{
    arb_t end;
    int ok;
    arb_init(end);
    arb_set_d(end, r->lo);
    ok = !arb_gt(end, x);
    arb_set_d(end, r->hi);
    ok = ok && !arb_lt(end, x);
    arb_clear(end);
    if (!ok)
        fail_msg("%s, %llu of %llu users: [%.17g, %.17g] does not enclose %.17g", what, (unsigned long long) m, (unsigned long long) n, r->lo, r->hi,
                 arf_get_d(arb_midref(x), ARF_RND_NEAR));
}

/*
 * What a sample says of i: (m/n) g(i), and the probability of more than i ones in m
 * of all users, user 1 having none.
 */
static void check_sample(const sample_struct *s, const round_users *u, shuf_direction direction)
{
    uint64_t n = u->ones + u->zeros + 1, m = u->drawn, i, first;
    int forward = direction == SHUF_DIRECTION_PQ;
    arb_ptr g = _arb_vec_init((slong) m), law = _arb_vec_init((slong) m + 1);
    arb_t sum, t;
    slong k, at;
    arb_init(sum);
    arb_init(t);
    define_law(g, m - 1, u->ones, u->zeros, forward ? u->bits->p : u->bits->p_rest, forward ? u->bits->q : u->bits->q_rest, NULL);
    define_law(law, m, u->ones, u->zeros, forward ? u->bits->p : u->bits->p_rest, forward ? u->bits->q : u->bits->q_rest, t);
    first = s->first;
    for (at = s->length - 1; at >= 0; at--)
    {
        i = first + (uint64_t) at;
        arb_zero(sum);
        for (k = (slong) m; k > (slong) i; k--)
            arb_add(sum, sum, law + k, PREC);
        assert_encloses(&s->beyond[at], sum, "beyond", n, m);
        arb_mul_ui(t, g + i, m, PREC);
        arb_div_ui(t, t, n, PREC);
        assert_encloses(&s->mass[at], t, "mass", n, m);
    }
    arb_zero(sum);
    for (i = first + (uint64_t) s->length; i < m; i++)
        arb_add(sum, sum, g + i, PREC);
    arb_set_d(t, s->out);
    assert_true(arb_ge(t, sum));
    _arb_vec_clear(g, (slong) m);
    _arb_vec_clear(law, (slong) m + 1);
    arb_clear(sum);
    arb_clear(t);
}

static void test_cut(void **unused)
{
    fmpq_t p, q;
    binary_t x;
    int i, found = 0, cut = 0;
    (void) unused;
    skip_unless_drawn(3);
    fmpq_init(p);
    fmpq_init(q);
    binary_init(x);
    for (i = 0; i < 300; i++)
    {
        uint64_t n = 3 + random_below(90), m = 1 + random_below(FLINT_MIN(n - 1, 40)), a = random_below(n);
        double below = 0.5 + 6 * random_unit(), above = 0.5 + 6 * random_unit();
        counts_steps steps;
        round_users users = { &steps, x->bits, a, n - 1 - a, m };
        round_law law;
        random_bits_of(p, q);
        set_bits(x, n, m, p, q);
        counts_steps_set(&steps, x->bits);
        if (!round_law_init(&law, &users, 1, 1, below, above, 0.5 + 5 * random_unit()))
            continue;
        found++;
        cut += !law.pq.closed;
        check_sample(&law.pq, &users, SHUF_DIRECTION_PQ);
        check_sample(&law.qp, &users, SHUF_DIRECTION_QP);
        round_law_clear(&law);
    }
    assert_true(found > 150 && cut > 50);
    fmpq_clear(p);
    fmpq_clear(q);
    binary_clear(x);
}

/* ---- profiles ---- */

/* That of the worst data is above those of all, and near them where it matters. */
static void test_profiles(void **unused)
{
    shuf_options few = { 6, 0.0 };
    shuf_enclosure_t r;
    shuf_real_t eps;
    binary_t x;
    fmpq_t p, q;
    arf_t s, lo, hi;
    int i, k;
    (void) unused;
    skip_unless_drawn(3);
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    binary_init(x);
    fmpq_init(p);
    fmpq_init(q);
    arf_init(s);
    arf_init(lo);
    arf_init(hi);
    for (k = 0; k < 3; k++)
    {
        binary_view view = { NULL, 0, 0 };
        binary_table *worst;
        fmpq_set_ui(p, k == 1 ? 1 : 3, k == 1 ? 2 : 4);
        fmpq_set_ui(q, 1, k == 0 ? 4 : 5);
        set_bits(x, k < 2 ? 60 : 600, k < 2 ? 20 : 60, p, q);
        x->mirrored = k == 0;
        worst = binary_worst(x, &few);
        assert_non_null(worst);
        view.table = worst;
        for (i = 0; i < 60; i++)
        {
            int d = (int) random_below(2);
            arf_set_d(s, i == 0 ? 0 : random_unit() * (k < 2 ? 0.3 : 0.1));
            shuf_real_set_arf(eps, s);
            binary_value(lo, hi, &view, both[d], s);
            binary_delta_of(r, x, random_below(x->users), eps, both[d], &few);
            assert_true(arf_cmp(hi, r->lo) >= 0);
            binary_delta(r, NULL, x, eps, both[d], 0, &few);
            assert_true(arf_cmp(hi, r->lo) >= 0 && arf_cmp(lo, r->hi) <= 0);
            /* no more than 1 percent of eps is lost */
            shuf_real_set_d(eps, 0.99 * arf_get_d(s, ARF_RND_DOWN));
            binary_delta(r, NULL, x, eps, both[d], 0, &few);
            assert_true(arf_get_d(hi, ARF_RND_UP) <= 1.01 * arf_get_d(r->hi, ARF_RND_UP) + 1e-20);
        }
        binary_free(worst);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    binary_clear(x);
    fmpq_clear(p);
    fmpq_clear(q);
    arf_clear(s);
    arf_clear(lo);
    arf_clear(hi);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_all_data), cmocka_unit_test(test_cut), cmocka_unit_test(test_profiles) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
