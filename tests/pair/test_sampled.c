/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The pairs of samples against brute force, in every engine that takes them: delta, divergences, nodes of a law, largest losses. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "hockey/hockey.h"
#include "oracle/oracle.h"
#include "law/law.h"
#include "renyi/renyi.h"
#include "check.h"
#include "random.h"

#define PREC 384
#define POINTS 150

static const shuf_pair_kind kinds[] = { SHUF_PAIR_CLONES_SAMPLED, SHUF_PAIR_KRR_THIRD_SAMPLED, SHUF_PAIR_CLONES_POISSON,
                                        SHUF_PAIR_KRR_SAME_POISSON, SHUF_PAIR_KRR_THIRD_POISSON };

static void real_ball(arb_t x, const shuf_real_t value)
{
    shuf_real_get_arb(x, value, PREC);
}

/* rows[symbols] := what one user reports: E weight at `value`, 1 elsewhere, over E + k - 1; a, b and, merged, the rest. */
static void krr_row(arb_ptr row, const arb_t E, ulong k, int value)
{
    int y;
    arb_t total;
    arb_init(total);
    arb_add_ui(total, E, k - 1, PREC);
    for (y = 0; y < 2; y++)
    {
        arb_one(row + y);
        if (y == value)
            arb_set(row + y, E);
        arb_div(row + y, row + y, total, PREC);
    }
    arb_set_ui(row + 2, k - 2);
    if (value == 2)
    {
        arb_add(row + 2, row + 2, E, PREC);
        arb_sub_ui(row + 2, row + 2, 1, PREC);
    }
    arb_div(row + 2, row + 2, total, PREC);
    arb_zero(row + 3);
    arb_clear(total);
}

/* The clones' user: both of the values with 1/(E+1), or else what is told from neither. */
static void clone_row(arb_ptr row, const arb_t E)
{
    krr_row(row, E, 2, 0);
    arb_set(row, row + 1);
    arb_sub_ui(row + 2, E, 1, PREC);
    arb_mul(row + 2, row + 2, row + 1, PREC);
}

/* row := q row + (1-q) other, other being NULL for who stays away, symbol 3 (or 2, where it is not told apart). */
static void mix(arb_ptr row, const fmpq_t rate, arb_srcptr other, int away)
{
    int y;
    arb_t q, p;
    fmpq_t one;
    arb_init(q);
    arb_init(p);
    fmpq_init(one);
    fmpq_one(one);
    fmpq_sub(one, one, rate);
    arb_set_fmpq(q, rate, PREC);
    arb_set_fmpq(p, one, PREC);
    for (y = 0; y < 4; y++)
    {
        arb_mul(row + y, row + y, q, PREC);
        if (other != NULL)
            arb_addmul(row + y, p, other + y, PREC);
    }
    if (other == NULL)
        arb_add(row + away, row + away, p, PREC);
    arb_clear(q);
    arb_clear(p);
    fmpq_clear(one);
}

/* The laws from the definitions in proofs/clones-sampled.md. */
static void law_of(oracle_law_t law, const shuf_pair_t pair)
{
    const int clones = pair->kind == SHUF_PAIR_CLONES_SAMPLED || pair->kind == SHUF_PAIR_CLONES_POISSON;
    const int same = pair->kind == SHUF_PAIR_KRR_SAME_POISSON;
    const int fixed = pair->kind == SHUF_PAIR_CLONES_SAMPLED || pair->kind == SHUF_PAIR_KRR_THIRD_SAMPLED;
    const slong n = (slong) pair->n;
    const int away = pair->kind == SHUF_PAIR_CLONES_POISSON ? 3 : 2;
    arb_ptr rows0 = _arb_vec_init(4 * n), rows1 = _arb_vec_init(4 * n), other = _arb_vec_init(4);
    arb_t E;
    slong i;
    arb_init(E);
    shuf_real_exp(E, pair->eps0, PREC);
    if (clones)
        clone_row(other, E);
    else
        krr_row(other, E, pair->k, same ? 0 : 2);
    krr_row(rows0, E, pair->k, 0);
    krr_row(rows1, E, pair->k, 1);
    mix(rows0, pair->rate, fixed ? other : NULL, away);
    mix(rows1, pair->rate, fixed ? other : NULL, away);
    if (!fixed)
        mix(other, pair->rate, NULL, away);
    for (i = 1; i < n; i++)
    {
        _arb_vec_set(rows0 + 4 * i, other, 4);
        _arb_vec_set(rows1 + 4 * i, other, 4);
    }
    oracle_law_finite(law, n, 4, rows0, rows1, PREC);
    _arb_vec_clear(rows0, 4 * n);
    _arb_vec_clear(rows1, 4 * n);
    _arb_vec_clear(other, 4);
    arb_clear(E);
}

static void random_pair(shuf_pair_t pair, shuf_pair_kind kind)
{
    static const char *const eps0s[] = { "0.3", "1", "2.5", "log(3)", "log(7/5)", "5", "1e-6", "0" };
    const ulong k = shuf_pair_about(kind)->takes & SHUF_TAKES_K ? shuf_pair_about(kind)->least_k + random_below(3) : 2;
    shuf_real_t eps0;
    fmpq_t rate;
    shuf_real_init(eps0);
    fmpq_init(rate);
    set(eps0, eps0s[random_below(8)]);
    fmpq_set_ui(rate, 1 + random_below(20), 20);
    if (random_below(8) == 0)
        fmpq_set_ui(rate, 1, 100000);
    assert_int_equal(shuf_pair_set_sampled(pair, kind, 1 + random_below(8), k, eps0, rate), 0);
    shuf_real_clear(eps0);
    fmpq_clear(rate);
}

/* The largest log(P/Q) of the outcomes. */
static void oracle_loss(arb_t loss, const oracle_law_t law)
{
    arb_t x;
    slong i;
    arb_init(x);
    arb_zero(loss);
    for (i = 0; i < law->cells; i++)
    {
        if (arb_contains_zero(law->p + i) || arb_contains_zero(law->q + i))
            continue;
        arb_div(x, law->p + i, law->q + i, PREC);
        arb_log(x, x, PREC);
        arb_max(loss, loss, x, PREC);
    }
    arb_clear(x);
}

static void check_loss(arb_t truth, const shuf_pair_t pair, const oracle_law_t law)
{
    shuf_real_t loss;
    arb_t x;
    arf_t end;
    shuf_real_init(loss);
    arb_init(x);
    arf_init(end);
    oracle_loss(truth, law);
    assert_true(shuf_pair_get_max_loss(x, pair, 200) && arb_overlaps(x, truth) && arb_rel_accuracy_bits(x) > 100);
    assert_true(shuf_pair_max_loss(loss, pair));
    real_ball(x, loss);
    arb_get_ubound_arf(end, x, PREC);
    assert_false(arb_gt(truth, x)); /* never below, */
    arb_sub(x, x, truth, PREC);
    assert_true(arf_cmpabs_2exp_si(arb_midref(x), -200) < 0); /* barely above */
    shuf_real_clear(loss);
    arb_clear(x);
    arf_clear(end);
}

static void check_delta(const shuf_pair_t pair, const oracle_law_t law, const arb_t loss)
{
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    shuf_law_struct profile;
    shuf_enclosure_t r;
    shuf_real_t eps;
    arb_t alpha, pq, qp;
    arf_t s, lo, hi;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    arb_init(alpha); arb_init(pq); arb_init(qp);
    arf_init(s); arf_init(lo); arf_init(hi);
    arf_set_d(s, arf_get_d(arb_midref(loss), ARF_RND_NEAR) * 1.1 * random_unit());
    if (random_below(4) == 0) /* nearly the largest loss */
        arf_set_round(s, arb_midref(loss), 53, ARF_RND_NEAR);
    shuf_real_set_arf(eps, s);
    arb_set_arf(alpha, s);
    arb_exp(alpha, alpha, PREC);
    oracle_hockey(pq, qp, law, alpha, PREC);
    o.digits = 3 + (slong) random_below(15);
    assert_int_equal(shuf_hockey_delta(r, pair, eps, SHUF_DIRECTION_PQ, &o), SHUF_OK);
    assert_contains(r, pq, shuf_pair_about(pair->kind)->name);
    assert_int_equal(shuf_hockey_delta(r, pair, eps, SHUF_DIRECTION_QP, &o), SHUF_OK);
    assert_contains(r, qp, shuf_pair_about(pair->kind)->name);
    assert_true(well_formed_probability(r));
    shuf_law_set_pair(&profile, pair);
    o.digits = 6;
    profile.evaluate(lo, hi, &profile, SHUF_DIRECTION_PQ, s, 1, &o);
    assert_meets(lo, hi, pq, "a node");
    profile.evaluate(lo, hi, &profile, SHUF_DIRECTION_QP, s, 1, &o);
    assert_meets(lo, hi, qp, "a node");
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    arb_clear(alpha); arb_clear(pq); arb_clear(qp);
    arf_clear(s); arf_clear(lo); arf_clear(hi);
}

static void check_renyi(const shuf_pair_t pair, const oracle_law_t law)
{
    static const char *const orders[] = { "1", "2", "1.5", "17", "300", "1e9" };
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    shuf_enclosure_t r;
    shuf_real_t order;
    arb_t lambda, pq, qp;
    const char *text = orders[random_below(6)];
    int is_one = text[0] == '1' && text[1] == '\0';
    shuf_enclosure_init(r);
    shuf_real_init(order);
    arb_init(lambda); arb_init(pq); arb_init(qp);
    set(order, text);
    real_ball(lambda, order);
    o.digits = 8;
    if (is_one)
        oracle_kl(pq, qp, law, PREC);
    else
        oracle_renyi(pq, qp, law, lambda, PREC);
    if (!is_one)
    {
        arb_sub_ui(lambda, lambda, 1, PREC);
        arb_log(pq, pq, PREC);
        arb_div(pq, pq, lambda, PREC);
        arb_log(qp, qp, PREC);
        arb_div(qp, qp, lambda, PREC);
    }
    shuf_renyi_divergence(r, pair, order, SHUF_DIRECTION_PQ, &o);
    assert_contains(r, pq, shuf_pair_about(pair->kind)->name);
    shuf_renyi_divergence(r, pair, order, SHUF_DIRECTION_QP, &o);
    assert_contains(r, qp, shuf_pair_about(pair->kind)->name);
    shuf_enclosure_clear(r);
    shuf_real_clear(order);
    arb_clear(lambda); arb_clear(pq); arb_clear(qp);
}

/* eps at delta = 0 is the largest loss, enclosed. */
static void check_pure(const shuf_pair_t pair, const arb_t loss)
{
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    shuf_enclosure_t r;
    shuf_real_t delta;
    shuf_enclosure_init(r);
    shuf_real_init(delta);
    assert_int_equal(shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
    assert_contains(r, loss, "eps at delta = 0");
    shuf_enclosure_clear(r);
    shuf_real_clear(delta);
}

static void test_oracle(void **state)
{
    shuf_pair_t pair;
    oracle_law_t law;
    arb_t loss;
    int i;
    (void) state;
    shuf_pair_init(pair);
    arb_init(loss);
    for (i = 0; i < POINTS; i++)
    {
        random_pair(pair, kinds[i % 5]);
        law_of(law, pair);
        check_loss(loss, pair, law);
        check_delta(pair, law, loss);
        check_renyi(pair, law);
        check_pure(pair, loss);
        oracle_law_clear(law);
    }
    shuf_pair_clear(pair);
    arb_clear(loss);
}

/* At the rate 1 they are the pairs of everyone, bit for bit in what they are. */
static void test_everyone(void **state)
{
    static const struct { shuf_pair_kind sampled, whole; uint64_t k; } same[] = {
        { SHUF_PAIR_CLONES_SAMPLED, SHUF_PAIR_CLONES_STRONGER, 2 }, { SHUF_PAIR_CLONES_POISSON, SHUF_PAIR_CLONES_STRONGER, 2 },
        { SHUF_PAIR_KRR_THIRD_SAMPLED, SHUF_PAIR_KRR_THIRD, 4 }, { SHUF_PAIR_KRR_THIRD_POISSON, SHUF_PAIR_KRR_THIRD, 3 },
        { SHUF_PAIR_KRR_SAME_POISSON, SHUF_PAIR_KRR_SAME, 3 }, { SHUF_PAIR_KRR_SAME_POISSON, SHUF_PAIR_RR2, 2 } };
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    shuf_enclosure_t x, y;
    shuf_pair_t pair, whole;
    shuf_real_t eps0, eps;
    fmpq_t rate;
    size_t i;
    (void) state;
    shuf_enclosure_init(x);
    shuf_enclosure_init(y);
    shuf_pair_init(pair);
    shuf_pair_init(whole);
    shuf_real_init(eps0);
    shuf_real_init(eps);
    fmpq_init(rate);
    fmpq_one(rate);
    set(eps0, "1.3");
    set(eps, "0.1");
    for (i = 0; i < sizeof(same) / sizeof(same[0]); i++)
    {
        assert_int_equal(shuf_pair_set_sampled(pair, same[i].sampled, 1000, same[i].k, eps0, rate), 0);
        assert_int_equal(shuf_pair_about(same[i].whole)->takes & SHUF_TAKES_K ? shuf_pair_set_krr(whole, same[i].whole, 1000, same[i].k, eps0)
                         : shuf_pair_set_eps0(whole, same[i].whole, 1000, eps0), 0);
        assert_int_equal(shuf_hockey_delta(x, pair, eps, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
        assert_int_equal(shuf_hockey_delta(y, whole, eps, SHUF_DIRECTION_BOTH, &o), SHUF_OK);
        assert_true(overlap(x, y) && narrow_enough(x, o.digits));
    }
    /* what is no rate, and a pair that is not of a sample, are refused; a k where none is taken, too */
    assert_int_equal(shuf_pair_set_sampled(pair, SHUF_PAIR_CLONES_STRONGER, 10, 2, eps0, rate), -1);
    assert_int_equal(shuf_pair_set_sampled(pair, SHUF_PAIR_CLONES_SAMPLED, 10, 3, eps0, rate), -1);
    fmpq_zero(rate);
    assert_int_equal(shuf_pair_set_sampled(pair, SHUF_PAIR_CLONES_SAMPLED, 10, 2, eps0, rate), -1);
    fmpq_set_si(rate, 11, 10);
    assert_int_equal(shuf_pair_set_sampled(pair, SHUF_PAIR_CLONES_SAMPLED, 10, 2, eps0, rate), -1);
    shuf_enclosure_clear(x);
    shuf_enclosure_clear(y);
    shuf_pair_clear(pair);
    shuf_pair_clear(whole);
    shuf_real_clear(eps0);
    shuf_real_clear(eps);
    fmpq_clear(rate);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_oracle), cmocka_unit_test(test_everyone) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
