/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The blanket's pairs by eps0: between those of a gamma below and above; clones-deletion against its definition and against krr-weak. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "check.h"
#include "fast/fast.h"
#include "hockey/hockey.h"
#include "oracle/oracle.h"
#include "random.h"
#include "renyi/renyi.h"

/* Of the oracle. */
#define PREC 512

static void random_real(shuf_real_t x, double least, double most)
{
    char text[32];
    snprintf(text, sizeof(text), "%.4f", least + (most - least) * random_unit());
    set(x, text);
}

/* ---- k-RR by eps0 ---- */

/* gamma := k/(e^eps0 + k - 1) rounded, and a step of 2^-100 of it further down or up. */
static void bracket(fmpq_t gamma, const shuf_real_t eps0, uint64_t k, int up)
{
    arb_t x;
    arf_t end;
    arb_init(x);
    arf_init(end);
    shuf_real_exp(x, eps0, 256);
    arb_add_ui(x, x, k - 1, 256);
    arb_ui_div(x, k, x, 256);
    arb_mul_2exp_si(x, x, 100);
    if (up)
        arb_add_ui(x, x, 1, 256);
    else
        arb_sub_ui(x, x, 1, 256);
    arb_mul_2exp_si(x, x, -100);
    up ? arb_get_ubound_arf(end, x, 256) : arb_get_lbound_arf(end, x, 256);
    arf_get_fmpq(gamma, end);
    arb_clear(x);
    arf_clear(end);
}

typedef shuf_status value_of_pair(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t point);

static shuf_status delta_of(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t eps)
{
    const shuf_options options = { 15, 0 };
    return shuf_hockey_delta(r, pair, eps, SHUF_DIRECTION_PQ, &options);
}

static shuf_status renyi_of(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t eps)
{
    const shuf_options options = { 12, 0 };
    shuf_real_t order;
    shuf_status status;
    (void) eps;
    shuf_real_init(order);
    set(order, "7/2");
    status = shuf_renyi_divergence(r, pair, order, SHUF_DIRECTION_PQ, &options);
    shuf_real_clear(order);
    return status;
}

static shuf_status fast_of(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t eps)
{
    struct shuf_bound b;
    shuf_status status = shuf_fast_delta(&b, pair, eps, SHUF_DIRECTION_PQ);
    arf_set_d(r->lo, b.lo);
    arf_set_d(r->hi, b.hi);
    return status;
}

/* More noise is less divergence: the value lies between those of a larger and of a smaller gamma, which are close. */
static void assert_between(value_of_pair *value, shuf_pair_kind kind, uint64_t n, uint64_t k, const shuf_real_t eps0, const shuf_real_t eps)
{
    shuf_enclosure_t r, least, most;
    shuf_pair_t pair;
    fmpq_t gamma;
    shuf_enclosure_init(r);
    shuf_enclosure_init(least);
    shuf_enclosure_init(most);
    shuf_pair_init(pair);
    fmpq_init(gamma);
    bracket(gamma, eps0, k, 1);
    assert_int_equal(shuf_pair_set_krr_blanket(pair, kind, n, k, gamma), 0);
    value(least, pair, eps);
    bracket(gamma, eps0, k, 0);
    assert_int_equal(shuf_pair_set_krr_blanket(pair, kind, n, k, gamma), 0);
    value(most, pair, eps);
    assert_int_equal(shuf_pair_set_krr_blanket_eps0(pair, kind, n, k, eps0), 0);
    assert_int_equal(value(r, pair, eps), SHUF_OK);
    if (arf_cmp(r->hi, least->lo) < 0 || arf_cmp(r->lo, most->hi) > 0)
        fail_msg("%s, n = %llu, k = %llu, eps0 = %s, eps = %s: [%.17g, %.17g] is not in [%.17g, %.17g]", shuf_pair_about(kind)->name,
                 (unsigned long long) n, (unsigned long long) k, eps0->text, eps->text, lower(r), upper(r), lower(least), upper(most));
    assert_true(upper(r) <= (1 + 1e-8) * lower(r) + 1e-300);
    fmpq_clear(gamma);
    shuf_pair_clear(pair);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(least);
    shuf_enclosure_clear(most);
}

static void test_krr(void **state)
{
    shuf_real_t eps0, eps;
    int i;
    (void) state;
    shuf_real_init(eps0);
    shuf_real_init(eps);
    for (i = 0; i < 60; i++)
    {
        uint64_t n = 1 + random_below(i % 3 == 0 ? 5 : 300), k = 2 + random_below(5);
        random_real(eps0, 0.001, 5);
        random_real(eps, 0, 0.8 * value_of(eps0));
        assert_between(delta_of, SHUF_PAIR_KRR_WEAK, n, k, eps0, eps);
        assert_between(delta_of, SHUF_PAIR_KRR_STRONG, n, k, eps0, eps);
        assert_between(fast_of, SHUF_PAIR_KRR_STRONG, n, k, eps0, eps);
        if (i % 10 == 0)
            assert_between(renyi_of, SHUF_PAIR_KRR_WEAK, 1 + n % 40, k, eps0, eps);
    }
    shuf_real_clear(eps0);
    shuf_real_clear(eps);
}

/* Where gamma is rational it is that pair, and the loss is eps0 in any case. */
static void test_rational(void **state)
{
    shuf_pair_t pair;
    shuf_real_t eps0, loss;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(eps0);
    shuf_real_init(loss);
    set(eps0, "log(3)");
    assert_int_equal(shuf_pair_set_krr_blanket_eps0(pair, SHUF_PAIR_KRR_WEAK, 10, 4, eps0), 0);
    assert_false(pair->gamma_is_of_eps0);
    assert_true(fmpz_equal_si(fmpq_numref(pair->gamma), 2) && fmpz_equal_si(fmpq_denref(pair->gamma), 3));
    set(eps0, "0");
    assert_int_equal(shuf_pair_set_krr_blanket_eps0(pair, SHUF_PAIR_KRR_STRONG, 10, 4, eps0), 0);
    assert_true(!pair->gamma_is_of_eps0 && fmpq_is_one(pair->gamma));
    set(eps0, "1");
    assert_int_equal(shuf_pair_set_krr_blanket_eps0(pair, SHUF_PAIR_KRR_WEAK, 10, 4, eps0), 0);
    assert_true(pair->gamma_is_of_eps0 && shuf_pair_max_loss(loss, pair) && shuf_real_cmp_si(loss, 1) == 0);
    assert_int_equal(shuf_pair_set_krr_blanket_eps0(pair, SHUF_PAIR_KRR_STRONG, 10, 4, eps0), 0);
    assert_false(shuf_pair_max_loss(loss, pair));
    assert_int_equal(shuf_pair_set_krr_blanket_eps0(pair, SHUF_PAIR_RR2, 10, 4, eps0), -1);
    assert_int_equal(shuf_pair_set_krr_blanket_eps0(pair, SHUF_PAIR_KRR_WEAK, 10, 1, eps0), -1);
    set(eps0, "-1");
    assert_int_equal(shuf_pair_set_krr_blanket_eps0(pair, SHUF_PAIR_KRR_WEAK, 10, 4, eps0), -1);
    shuf_pair_clear(pair);
    shuf_real_clear(eps0);
    shuf_real_clear(loss);
}

/* ---- deletion ---- */

/* Pr[b of n-1 others are in the blanket] times the trinomial pair of b+1 users, summed. */
static void oracle_deletion(arb_t delta, slong n, const arb_t E, const arb_t alpha)
{
    arb_t w0, w1, r, g, h, mass, pq, qp;
    slong b;
    arb_init(w0); arb_init(w1); arb_init(r); arb_init(g); arb_init(h); arb_init(mass); arb_init(pq); arb_init(qp);
    arb_add_ui(r, E, 1, PREC);
    arb_inv(r, r, PREC);
    arb_mul(w0, E, r, PREC);
    arb_div(w1, r, E, PREC);
    arb_inv(g, E, PREC);
    arb_sub_ui(h, g, 1, PREC);
    arb_neg(h, h);
    arb_zero(delta);
    for (b = 0; b < n; b++)
    {
        arb_bin_uiui(mass, (ulong) n - 1, (ulong) b, PREC);
        arb_pow_ui(pq, g, (ulong) b, PREC);
        arb_mul(mass, mass, pq, PREC);
        arb_pow_ui(pq, h, (ulong) (n - 1 - b), PREC);
        arb_mul(mass, mass, pq, PREC);
        oracle_trinomial(pq, qp, b + 1, w0, w1, r, r, alpha, PREC);
        arb_addmul(delta, mass, pq, PREC);
    }
    arb_clear(w0); arb_clear(w1); arb_clear(r); arb_clear(g); arb_clear(h); arb_clear(mass); arb_clear(pq); arb_clear(qp);
}

static void test_deletion(void **state)
{
    shuf_enclosure_t r;
    shuf_real_t eps0, eps, loss;
    shuf_pair_t pair;
    arb_t E, alpha, delta;
    int i;
    (void) state;
    shuf_enclosure_init(r);
    shuf_real_init(eps0);
    shuf_real_init(eps);
    shuf_real_init(loss);
    shuf_pair_init(pair);
    arb_init(E);
    arb_init(alpha);
    arb_init(delta);
    for (i = 0; i < 60; i++)
    {
        slong n = 1 + (slong) random_below(12);
        random_real(eps0, 0, 3);
        random_real(eps, 0, 2 * value_of(eps0));
        shuf_real_exp(E, eps0, PREC);
        shuf_real_exp(alpha, eps, PREC);
        oracle_deletion(delta, n, E, alpha);
        assert_int_equal(shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES_DELETION, (uint64_t) n, eps0), 0);
        assert_int_equal(delta_of(r, pair, eps), SHUF_OK);
        assert_contains(r, delta, "clones-deletion");
        assert_true(shuf_pair_max_loss(loss, pair));
        shuf_real_twice(eps0, eps0);
        assert_int_equal(shuf_real_cmp(loss, eps0), 0);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps0);
    shuf_real_clear(eps);
    shuf_real_clear(loss);
    shuf_pair_clear(pair);
    arb_clear(E);
    arb_clear(alpha);
    arb_clear(delta);
}

/* For a whole E it is krr-weak with E + 1 values and the ratio E^2. */
static void test_deletion_is_krr(void **state)
{
    shuf_enclosure_t x, y;
    shuf_real_t eps0, twice, eps;
    shuf_pair_t deletion, krr;
    char text[32];
    int i;
    (void) state;
    shuf_enclosure_init(x);
    shuf_enclosure_init(y);
    shuf_real_init(eps0);
    shuf_real_init(twice);
    shuf_real_init(eps);
    shuf_pair_init(deletion);
    shuf_pair_init(krr);
    for (i = 0; i < 20; i++)
    {
        uint64_t n = 1 + random_below(2000), E = 1 + random_below(6);
        snprintf(text, sizeof(text), "log(%llu)", (unsigned long long) E);
        set(eps0, text);
        shuf_real_twice(twice, eps0);
        random_real(eps, 0, value_of(eps0));
        assert_int_equal(shuf_pair_set_eps0(deletion, SHUF_PAIR_CLONES_DELETION, n, eps0), 0);
        assert_int_equal(shuf_pair_set_krr_blanket_eps0(krr, SHUF_PAIR_KRR_WEAK, n, E + 1, twice), 0);
        delta_of(x, deletion, eps);
        delta_of(y, krr, eps);
        assert_true(overlap(x, y));
        if (i < 4)
        {
            deletion->n = krr->n = 1 + n % 40;
            renyi_of(x, deletion, eps);
            renyi_of(y, krr, eps);
            assert_true(overlap(x, y));
        }
    }
    shuf_enclosure_clear(x);
    shuf_enclosure_clear(y);
    shuf_real_clear(eps0);
    shuf_real_clear(twice);
    shuf_real_clear(eps);
    shuf_pair_clear(deletion);
    shuf_pair_clear(krr);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_krr), cmocka_unit_test(test_rational), cmocka_unit_test(test_deletion),
                                        cmocka_unit_test(test_deletion_is_krr) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
