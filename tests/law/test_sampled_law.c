/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Sampled profiles against laws mixed by hand, and against every data set of a small mechanism. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "oracle/oracle.h"
#include "random.h"
#include "law/sampled_law.h"

#define PREC 192
#define POINTS 8

static void assert_encloses(const arf_t lo, const arf_t hi, const arb_t value)
{
    arf_t a, b;
    arf_init(a);
    arf_init(b);
    arb_get_interval_arf(a, b, value, PREC);
    assert_true(arf_cmp(lo, b) <= 0 && arf_cmp(a, hi) <= 0);
    /* ten digits, or nothing of importance */
    arf_sub(a, hi, lo, 53, ARF_RND_UP);
    arf_mul_2exp_si(a, a, 30);
    assert_true(arf_cmp(a, hi) <= 0 || arf_cmpabs_2exp_si(hi, -200) < 0);
    arf_clear(a);
    arf_clear(b);
}

/* to := gamma x + (1 - gamma) y, cell by cell */
static void mix(arb_ptr to, arb_srcptr x, arb_srcptr y, slong cells, const fmpq_t gamma)
{
    arb_t g, t;
    slong i;
    arb_init(g);
    arb_init(t);
    arb_set_fmpq(g, gamma, PREC);
    for (i = 0; i < cells; i++)
    {
        arb_sub(t, x + i, y + i, PREC);
        arb_mul(t, t, g, PREC);
        arb_add(to + i, y + i, t, PREC);
    }
    arb_clear(g);
    arb_clear(t);
}

/* Both kinds on random rr2 pairs: the laws are mixed explicitly. */
static void test_mixtures(void **state)
{
    shuf_options o = { 12, 0.0 };
    shuf_pair_t pair;
    shuf_real_t eps0;
    shuf_law_struct base, profile;
    shuf_sampled_t sampled;
    fmpq_t gamma, q;
    arf_struct s[POINTS], lo[POINTS], hi[POINTS];
    arb_t E, alpha, pq, qp;
    int t, i;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(eps0);
    shuf_sampled_init(sampled);
    fmpq_init(gamma);
    fmpq_init(q);
    arb_init(E);
    arb_init(alpha);
    arb_init(pq);
    arb_init(qp);
    for (i = 0; i < POINTS; i++)
    {
        arf_init(s + i);
        arf_init(lo + i);
        arf_init(hi + i);
    }
    for (t = 0; t < 60; t++)
    {
        oracle_law_t law, mixed;
        slong n = 1 + (slong) random_below(8);
        fmpq_set_si(q, 1 + (slong) random_below(300), 100);
        shuf_real_set_fmpq(eps0, q);
        shuf_real_exp(E, eps0, PREC);
        fmpq_set_si(gamma, 1 + (slong) random_below(10), 10);
        assert_int_equal(shuf_pair_set_eps0(pair, SHUF_PAIR_RR2, (uint64_t) n, eps0), 0);
        shuf_law_set_pair(&base, pair);
        oracle_law_rr2(law, n, E, PREC);
        oracle_law_rr2(mixed, n, E, PREC);
        for (i = 0; i < POINTS; i++)
            arf_set_d(s + i, i == 0 ? 0 : arf_get_d(s + i - 1, ARF_RND_NEAR) + random_unit() / 2);

        /* (P, gamma Q + (1-gamma) P) */
        assert_int_equal(shuf_sampled_set(sampled, SHUF_SAMPLED_REPLACED, &base, gamma), 0);
        shuf_law_set_sampled(&profile, sampled);
        mix(mixed->q, law->q, law->p, law->cells, gamma);
        profile.evaluate(lo, hi, &profile, SHUF_DIRECTION_PQ, s, POINTS, &o);
        for (i = 0; i < POINTS; i++)
        {
            arb_set_arf(alpha, s + i);
            arb_exp(alpha, alpha, PREC);
            oracle_hockey(pq, qp, mixed, alpha, PREC);
            assert_encloses(lo + i, hi + i, pq);
        }
        profile.evaluate(lo, hi, &profile, SHUF_DIRECTION_QP, s, POINTS, &o);
        for (i = 0; i < POINTS; i++)
        {
            arb_set_arf(alpha, s + i);
            arb_exp(alpha, alpha, PREC);
            oracle_hockey(pq, qp, mixed, alpha, PREC);
            assert_encloses(lo + i, hi + i, qp);
        }

        /* gamma P + (1-gamma) Q against Q, for alpha >= 1 */
        assert_int_equal(shuf_sampled_set(sampled, SHUF_SAMPLED_FIXED_SIZE, &base, gamma), 0);
        shuf_law_set_sampled(&profile, sampled);
        mix(mixed->p, law->p, law->q, law->cells, gamma);
        _arb_vec_set(mixed->q, law->q, law->cells);
        profile.evaluate(lo, hi, &profile, SHUF_DIRECTION_PQ, s, POINTS, &o);
        for (i = 0; i < POINTS; i++)
        {
            arb_set_arf(alpha, s + i);
            arb_exp(alpha, alpha, PREC);
            oracle_hockey(pq, qp, mixed, alpha, PREC);
            assert_encloses(lo + i, hi + i, pq);
        }
        oracle_law_clear(law);
        oracle_law_clear(mixed);
    }
    for (i = 0; i < POINTS; i++)
    {
        arf_clear(s + i);
        arf_clear(lo + i);
        arf_clear(hi + i);
    }
    shuf_pair_clear(pair);
    shuf_real_clear(eps0);
    shuf_sampled_clear(sampled);
    fmpq_clear(gamma);
    fmpq_clear(q);
    arb_clear(E);
    arb_clear(alpha);
    arb_clear(pq);
    arb_clear(qp);
}

/*
 * The law of the number of ones of a uniform m of n users holding bits, all
 * with randomised response: users are (ones, zeros) and the differing one
 * holds `bit`.
 */
static void sampled_law(arb_ptr law, slong m, slong ones, slong zeros, slong bit, const arb_t E)
{
    slong n = ones + zeros + 1, in, j;
    arb_t weight, t;
    fmpz_t c;
    slong *x0, *x1;
    arb_init(weight);
    arb_init(t);
    fmpz_init(c);
    x0 = flint_calloc((size_t) m, sizeof(slong));
    x1 = flint_calloc((size_t) m, sizeof(slong));
    _arb_vec_zero(law, m + 1);
    /* j of the others with a one, and the differing user in the sample or not */
    for (in = 0; in <= 1; in++)
    {
        for (j = 0; j <= ones; j++)
        {
            oracle_law_t table;
            slong others = m - in - j, i;
            if (others < 0 || others > zeros)
                continue;
            arb_one(weight);
            fmpz_bin_uiui(c, (ulong) ones, (ulong) j);
            arb_mul_fmpz(weight, weight, c, PREC);
            fmpz_bin_uiui(c, (ulong) zeros, (ulong) others);
            arb_mul_fmpz(weight, weight, c, PREC);
            fmpz_bin_uiui(c, (ulong) n, (ulong) m);
            arb_div_fmpz(weight, weight, c, PREC);
            for (i = 0; i < m; i++)
                x0[i] = x1[i] = i < j ? 1 : 0;
            if (in)
                x0[m - 1] = x1[m - 1] = bit;
            oracle_law_krr_dataset(table, m, 2, E, x0, x1, PREC);
            for (i = 0; i < table->cells; i++)
            {
                arb_mul(t, weight, table->p + i, PREC);
                arb_div(t, t, table->scale, PREC);
                arb_add(law + i, law + i, t, PREC);
            }
            oracle_law_clear(table);
        }
    }
    flint_free(x0);
    flint_free(x1);
    arb_clear(weight);
    arb_clear(t);
    fmpz_clear(c);
}

/* Binary randomised response of a sample, on every data set: at most the bound over clones, and over all-equal data the lower bound. */
static void test_every_data_set(void **state)
{
    shuf_options o = { 12, 0.0 };
    slong n = 5, m = 2, ones;
    shuf_pair_t clones, rr2;
    shuf_real_t eps0;
    shuf_law_struct base, upper, equal_base, equal;
    shuf_sampled_t bound, exact;
    fmpq_t gamma;
    arf_struct s[POINTS], lo[POINTS], hi[POINTS];
    arb_t E, alpha, h, t;
    arb_ptr p = _arb_vec_init(m + 1), q = _arb_vec_init(m + 1);
    int i, direction;
    (void) state;
    shuf_pair_init(clones);
    shuf_pair_init(rr2);
    shuf_real_init(eps0);
    shuf_sampled_init(bound);
    shuf_sampled_init(exact);
    fmpq_init(gamma);
    arb_init(E);
    arb_init(alpha);
    arb_init(h);
    arb_init(t);
    shuf_real_set_str(eps0, "1.5");
    shuf_real_exp(E, eps0, PREC);
    fmpq_set_si(gamma, m, (ulong) n);
    assert_int_equal(shuf_pair_set_eps0(clones, SHUF_PAIR_CLONES_STRONGER, (uint64_t) m, eps0), 0);
    assert_int_equal(shuf_pair_set_eps0(rr2, SHUF_PAIR_RR2, (uint64_t) m, eps0), 0);
    shuf_law_set_pair(&base, clones);
    shuf_law_set_pair(&equal_base, rr2);
    assert_int_equal(shuf_sampled_set(bound, SHUF_SAMPLED_FIXED_SIZE, &base, gamma), 0);
    assert_int_equal(shuf_sampled_set(exact, SHUF_SAMPLED_REPLACED, &equal_base, gamma), 0);
    shuf_law_set_sampled(&upper, bound);
    shuf_law_set_sampled(&equal, exact);
    for (i = 0; i < POINTS; i++)
    {
        arf_init(s + i);
        arf_init(lo + i);
        arf_init(hi + i);
        arf_set_d(s + i, i / 8.0);
    }
    for (ones = 0; ones < n; ones++)
    {
        for (direction = 0; direction < 2; direction++)
        {
            sampled_law(p, m, ones, n - 1 - ones, direction, E);
            sampled_law(q, m, ones, n - 1 - ones, 1 - direction, E);
            for (i = 0; i < POINTS; i++)
            {
                slong j;
                arb_set_arf(alpha, s + i);
                arb_exp(alpha, alpha, PREC);
                arb_zero(h);
                for (j = 0; j <= m; j++)
                {
                    arb_mul(t, alpha, q + j, PREC);
                    arb_sub(t, p + j, t, PREC);
                    if (arb_is_positive(t))
                        arb_add(h, h, t, PREC);
                }
                upper.evaluate(lo, hi, &upper, SHUF_DIRECTION_PQ, s + i, 1, &o);
                arb_set_arf(t, hi);
                assert_false(arb_gt(h, t));
                /* the others hold zeros: P is the law on all-equal data */
                if (ones == 0)
                {
                    equal.evaluate(lo, hi, &equal, direction == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP, s + i, 1, &o);
                    assert_encloses(lo, hi, h);
                }
            }
        }
    }
    for (i = 0; i < POINTS; i++)
    {
        arf_clear(s + i);
        arf_clear(lo + i);
        arf_clear(hi + i);
    }
    _arb_vec_clear(p, m + 1);
    _arb_vec_clear(q, m + 1);
    shuf_pair_clear(clones);
    shuf_pair_clear(rr2);
    shuf_real_clear(eps0);
    shuf_sampled_clear(bound);
    shuf_sampled_clear(exact);
    fmpq_clear(gamma);
    arb_clear(E);
    arb_clear(alpha);
    arb_clear(h);
    arb_clear(t);
}

/* gamma = 1 is the base itself; 0 and more than 1 are refused. */
static void test_range(void **state)
{
    shuf_options o = { 12, 0.0 };
    shuf_pair_t pair;
    shuf_real_t eps0;
    shuf_law_struct base, profile;
    shuf_sampled_t sampled;
    fmpq_t gamma;
    arf_t s, lo, hi, lo_base, hi_base;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(eps0);
    shuf_sampled_init(sampled);
    fmpq_init(gamma);
    arf_init(s);
    arf_init(lo);
    arf_init(hi);
    arf_init(lo_base);
    arf_init(hi_base);
    shuf_real_set_str(eps0, "1");
    assert_int_equal(shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, 10, eps0), 0);
    shuf_law_set_pair(&base, pair);
    assert_int_equal(shuf_sampled_set(sampled, SHUF_SAMPLED_FIXED_SIZE, &base, gamma), -1);
    fmpq_set_si(gamma, 11, 10);
    assert_int_equal(shuf_sampled_set(sampled, SHUF_SAMPLED_FIXED_SIZE, &base, gamma), -1);
    fmpq_one(gamma);
    assert_int_equal(shuf_sampled_set(sampled, SHUF_SAMPLED_FIXED_SIZE, &base, gamma), 0);
    shuf_law_set_sampled(&profile, sampled);
    arf_set_d(s, 0.25);
    profile.evaluate(lo, hi, &profile, SHUF_DIRECTION_PQ, s, 1, &o);
    base.evaluate(lo_base, hi_base, &base, SHUF_DIRECTION_PQ, s, 1, &o);
    assert_true(arf_equal(lo, lo_base) && arf_equal(hi, hi_base));
    shuf_pair_clear(pair);
    shuf_real_clear(eps0);
    shuf_sampled_clear(sampled);
    fmpq_clear(gamma);
    arf_clear(s);
    arf_clear(lo);
    arf_clear(hi);
    arf_clear(lo_base);
    arf_clear(hi_base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixtures),
        cmocka_unit_test(test_every_data_set),
        cmocka_unit_test(test_range),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
