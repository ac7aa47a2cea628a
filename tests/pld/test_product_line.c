/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Compositions by lines, also of rounds of which only the profile is known, against sums over all outcomes, against laws above and below Laplace noise, and themselves. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "pld/bracket.h"
#include "pld/spread.h"
#include "tradeoff/gdp.h"
#include "check.h"
#include "random.h"

#define PREC 256
#define MOST 6

/* A round: outcomes of p and q, or Laplace noise, or normal noise. */
typedef struct
{
    shuf_law_struct law;
    slong count;
    int untold; /* only its profile is known */
    arb_struct p[MOST], q[MOST];
    arb_t largest, variance;
    uint64_t rounds;
} round_struct;

static int told_loss(shuf_loss_t loss, const shuf_law_struct *self, shuf_direction direction, slong prec)
{
    const round_struct *x = self->data;
    slong i;
    if (x->untold)
        return 0;
    arb_set(loss->largest, x->largest);
    arb_set(loss->variance, x->variance);
    if (x->count == 0)
        return 1;
    shuf_loss_set_count(loss, x->count);
    for (i = 0; i < x->count; i++)
    {
        const arb_struct *p = direction == SHUF_DIRECTION_PQ ? &x->p[i] : &x->q[i], *q = direction == SHUF_DIRECTION_PQ ? &x->q[i] : &x->p[i];
        if (arb_is_zero(q))
        {
            arb_add(loss->infinite, loss->infinite, p, prec);
            continue;
        }
        arb_set(&loss->mass[i], p);
        if (arb_is_zero(p))
            continue;
        arb_div(&loss->value[i], p, q, prec);
        arb_log(&loss->value[i], &loss->value[i], prec);
    }
    return 1;
}

/* Its profile, the sum of (p - e^s q)_+, now and then not known so well. */
static shuf_status evaluate_outcomes(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                                     const shuf_options *options)
{
    const round_struct *x = self->data;
    arb_t alpha, t, sum;
    slong i, j;
    (void) options;
    arb_init(alpha); arb_init(t); arb_init(sum);
    for (i = 0; i < count; i++)
    {
        arb_set_arf(alpha, s + i);
        arb_exp(alpha, alpha, PREC);
        arb_zero(sum);
        for (j = 0; j < x->count; j++)
        {
            arb_mul(t, alpha, direction == SHUF_DIRECTION_PQ ? &x->q[j] : &x->p[j], PREC);
            arb_sub(t, direction == SHUF_DIRECTION_PQ ? &x->p[j] : &x->q[j], t, PREC);
            arb_nonnegative_part(t, t);
            arb_add(sum, sum, t, PREC);
        }
        arb_set_d(t, x->untold > 1 ? 1e-9 : 0);
        arb_mul(t, t, sum, PREC);
        arb_add_error(sum, t);
        arb_get_lbound_arf(lo + i, sum, 192);
        arb_get_ubound_arf(hi + i, sum, 192);
        if (arf_sgn(lo + i) < 0)
            arf_zero(lo + i);
        if (arf_cmp_si(hi + i, 1) > 0)
            arf_one(hi + i);
    }
    arb_clear(alpha); arb_clear(t); arb_clear(sum);
    return SHUF_OK;
}

static void infinite_outcomes(arf_t infinite, const shuf_law_struct *self, shuf_direction direction)
{
    const round_struct *x = self->data;
    arb_t sum;
    slong j;
    arb_init(sum);
    for (j = 0; j < x->count; j++)
        if (arb_is_zero(direction == SHUF_DIRECTION_PQ ? &x->q[j] : &x->p[j]))
            arb_add(sum, sum, direction == SHUF_DIRECTION_PQ ? &x->p[j] : &x->q[j], PREC);
    arb_get_lbound_arf(infinite, sum, 64);
    arb_clear(sum);
}

static void round_init(round_struct *x)
{
    slong i;
    shuf_law_init(&x->law);
    x->law.loss = told_loss;
    x->law.evaluate = evaluate_outcomes;
    x->law.infinite = infinite_outcomes;
    x->untold = 0;
    x->law.data = x;
    x->count = 0;
    x->rounds = 1 + random_below(3);
    for (i = 0; i < MOST; i++)
    {
        arb_init(&x->p[i]);
        arb_init(&x->q[i]);
    }
    arb_init(x->largest);
    arb_init(x->variance);
}

static void round_clear(round_struct *x)
{
    slong i;
    for (i = 0; i < MOST; i++)
    {
        arb_clear(&x->p[i]);
        arb_clear(&x->q[i]);
    }
    arb_clear(x->largest);
    arb_clear(x->variance);
}

/* Two laws on the same few outcomes, of very different probabilities; sometimes one law does not have an outcome. */
static void set_outcomes(round_struct *x)
{
    arb_t p, q;
    slong i;
    arb_init(p);
    arb_init(q);
    x->count = 2 + (slong) random_below(MOST - 1);
    for (i = 0; i < x->count; i++)
    {
        arb_set_ui(&x->p[i], 1 + random_below(random_below(2) ? 10 : 100000));
        arb_set_ui(&x->q[i], 1 + random_below(random_below(2) ? 10 : 1000));
        arb_add(p, p, &x->p[i], PREC);
        arb_add(q, q, &x->q[i], PREC);
    }
    if (x->count > 2 && random_below(3) == 0)
    {
        arb_sub(p, p, &x->p[1], PREC);
        arb_zero(&x->p[1]);
    }
    if (x->count > 2 && random_below(3) == 0)
    {
        arb_sub(q, q, &x->q[2], PREC);
        arb_zero(&x->q[2]);
    }
    for (i = 0; i < x->count; i++)
    {
        arb_div(&x->p[i], &x->p[i], p, PREC);
        arb_div(&x->q[i], &x->q[i], q, PREC);
    }
    arb_clear(p);
    arb_clear(q);
}

/* ---- by definition ---- */

/* v := H_{e^x} of the Gaussian mechanism with that variance of the loss, 0 being none, at any x */
static void normal_profile(arb_t v, const arb_t variance, const arb_t x)
{
    arb_t t, mu;
    arb_init(t);
    arb_init(mu);
    if (arb_is_zero(variance))
    {
        arb_expm1(v, x, PREC);
        arb_neg(v, v);
        arb_nonnegative_part(v, v);
    }
    else
    {
        arb_sqrt(mu, variance, PREC);
        arb_abs(t, x);
        shuf_gdp_delta_arb(v, mu, t, PREC);
        if (arb_is_negative(x))
        {
            /* 1 - e^x + e^x h(-x) */
            arb_exp(t, x, PREC);
            arb_mul(v, v, t, PREC);
            arb_sub(v, v, t, PREC);
            arb_add_ui(v, v, 1, PREC);
        }
    }
    arb_clear(t);
    arb_clear(mu);
}

/* sum += all outcomes of rounds from i on, of which the first has been done `done` times, given the product of the masses so far */
static void add_outcomes(arb_t sum, const round_struct *x, size_t count, size_t i, uint64_t done, int turned, const arb_t mass, const arb_t rest,
                         const arb_t variance)
{
    arb_t m, r;
    slong j;
    while (i < count && (done == x[i].rounds || x[i].count == 0))
    {
        i++;
        done = 0;
    }
    arb_init(m);
    arb_init(r);
    if (i == count)
    {
        normal_profile(r, variance, rest);
        arb_addmul(sum, mass, r, PREC);
    }
    for (j = 0; i < count && j < x[i].count; j++)
    {
        const arb_struct *p = turned ? &x[i].q[j] : &x[i].p[j], *q = turned ? &x[i].p[j] : &x[i].q[j];
        if (arb_is_zero(p))
            continue;
        if (arb_is_zero(q))
        {
            /* whatever comes after */
            arb_addmul(sum, mass, p, PREC);
            continue;
        }
        arb_div(r, q, p, PREC);
        arb_log(r, r, PREC);
        arb_add(r, r, rest, PREC);
        arb_mul(m, mass, p, PREC);
        add_outcomes(sum, x, count, i, done + 1, turned, m, r, variance);
    }
    arb_clear(m);
    arb_clear(r);
}

/* v := H_{e^eps} of rounds without Laplace noise */
static void by_definition(arb_t v, const round_struct *x, size_t count, int turned, const arb_t eps)
{
    arb_t one, variance;
    size_t i;
    arb_init(variance);
    arb_init(one);
    arb_one(one);
    arb_zero(v);
    for (i = 0; i < count; i++)
        arb_addmul_ui(variance, x[i].variance, x[i].rounds, PREC);
    add_outcomes(v, x, count, 0, 0, turned, one, eps, variance);
    arb_clear(variance);
    arb_clear(one);
}

/* ---- questions ---- */

static int ask(shuf_enclosure_t r, round_struct *x, size_t count, int to_delta, const shuf_real_t point, shuf_direction direction, slong digits)
{
    const shuf_options options = { digits, 0 };
    shuf_pld_part parts[8];
    size_t i;
    for (i = 0; i < count; i++)
        parts[i] = (shuf_pld_part) { &x[i].law, x[i].rounds };
    pld_bracket(r, NULL, parts, count, to_delta, point, direction, &options);
    return shuf_enclosure_accurate(r, digits);
}

static void random_rounds(round_struct *x, size_t count, int normal)
{
    size_t i;
    for (i = 0; i < count; i++)
    {
        round_init(&x[i]);
        if (normal && i == 0)
        {
            arb_set_ui(x[i].variance, 1 + random_below(400));
            arb_div_ui(x[i].variance, x[i].variance, 1 + random_below(1000), PREC);
        }
        else
        {
            set_outcomes(&x[i]);
            x[i].untold = random_below(2) ? 1 + (int) random_below(2) : 0;
        }
    }
}

static void clear_rounds(round_struct *x, size_t count)
{
    while (count > 0)
        round_clear(&x[--count]);
}

/* A number of three digits. */
static void random_eps(shuf_real_t eps, arb_t ball)
{
    fmpq_t q;
    fmpq_init(q);
    fmpq_set_si(q, (slong) random_below(6000), 1000);
    shuf_real_set_fmpq(eps, q);
    arb_set_fmpq(ball, q, PREC);
    fmpq_clear(q);
}

static void test_outcomes(void **state)
{
    const int cases = gate_or_all(20, 60);
    int i, good = 0, two;
    (void) state;
    skip_unless_drawn(5);
    for (i = 0; i < cases; i++)
    {
        const size_t count = 1 + random_below(3);
        round_struct x[3];
        shuf_enclosure_t r;
        shuf_real_t eps;
        arb_t ball, v, w, t;
        arf_t lo, hi;
        shuf_enclosure_init(r); shuf_real_init(eps); arb_init(ball); arb_init(v); arb_init(w); arb_init(t); arf_init(lo); arf_init(hi);
        random_rounds(x, count, i % 2);
        random_eps(eps, ball);
        two = (int) random_below(3); /* PQ, QP, both */
        good += ask(r, x, count, 1, eps, two == 0 ? SHUF_DIRECTION_PQ : two == 1 ? SHUF_DIRECTION_QP : SHUF_DIRECTION_BOTH, 4 + (slong) random_below(4));
        assert_true(well_formed_probability(r));
        by_definition(v, x, count, two == 1, ball);
        by_definition(w, x, count, two == 0 ? 0 : 1, ball);
        arb_max(v, v, w, PREC);
        arb_set_arf(t, r->lo);
        assert_false(arb_gt(t, v));
        arb_set_arf(t, r->hi);
        assert_false(arb_lt(t, v));
        clear_rounds(x, count);
        shuf_enclosure_clear(r); shuf_real_clear(eps); arb_clear(ball); arb_clear(v); arb_clear(w); arb_clear(t); arf_clear(lo); arf_clear(hi);
    }
    assert_true(good >= cases / 2);
}

/* Several eps, one after the other, also such as are far out, where lines in doubles tell nothing: what was computed for one of them tells others in the same direction. */
static void test_kept(void **state)
{
    const int cases = gate_or_all(8, 40);
    int i, j, spared = 0;
    (void) state;
    for (i = 0; i < cases; i++)
    {
        const size_t count = 1 + random_below(3);
        const shuf_options options = { 3, 0 };
        shuf_pld_kept_struct kept = { 0, NULL };
        round_struct x[3];
        shuf_pld_part parts[3];
        size_t k;
        random_rounds(x, count, 0);
        for (k = 0; k < count; k++)
        {
            x[k].rounds = 1 + random_below(4);
            parts[k] = (shuf_pld_part) { &x[k].law, x[k].rounds };
        }
        for (j = 0; j < 8; j++)
        {
            const int turned = (int) random_below(2);
            const size_t before = kept.count;
            shuf_enclosure_t r;
            shuf_real_t eps;
            arb_t ball, v, t;
            shuf_enclosure_init(r); shuf_real_init(eps); arb_init(ball); arb_init(v); arb_init(t);
            random_eps(eps, ball);
            shuf_pld_delta_kept(r, &kept, parts, count, eps, turned ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, &options);
            assert_true(well_formed_probability(r));
            by_definition(v, x, count, turned, ball);
            arb_set_arf(t, r->lo);
            assert_false(arb_gt(t, v));
            arb_set_arf(t, r->hi);
            assert_false(arb_lt(t, v));
            spared += kept.count == before;
            shuf_enclosure_clear(r); shuf_real_clear(eps); arb_clear(ball); arb_clear(v); arb_clear(t);
        }
        shuf_pld_kept_clear(&kept);
        clear_rounds(x, count);
    }
    assert_true(spared >= cases);
}

/* Infinite losses of several rounds, which are most of delta. */
static void test_infinite(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < 4; i++)
    {
        round_struct x;
        shuf_enclosure_t r;
        shuf_real_t eps;
        arb_t ball, v, t;
        slong j;
        shuf_enclosure_init(r); shuf_real_init(eps); arb_init(ball); arb_init(v); arb_init(t);
        round_init(&x);
        x.rounds = 3;
        x.untold = i % 2;
        x.count = 3;
        for (j = 0; j < 3; j++)
        {
            arb_set_d(&x.p[j], j == 0 ? 0.5 : 0.25);
            arb_set_d(&x.q[j], j == 0 ? 0.25 : j == 1 ? 0.75 : 0);
        }
        arb_set_si(ball, i);
        shuf_real_set_arf(eps, arb_midref(ball));
        assert_true(ask(r, &x, 1, 1, eps, SHUF_DIRECTION_PQ, 6));
        by_definition(v, &x, 1, 0, ball);
        arb_set_arf(t, r->lo);
        assert_false(arb_gt(t, v));
        arb_set_arf(t, r->hi);
        assert_false(arb_lt(t, v));
        round_clear(&x);
        shuf_enclosure_clear(r); shuf_real_clear(eps); arb_clear(ball); arb_clear(v); arb_clear(t);
    }
}

/* An eps has its delta. */
static void test_epsilon(void **state)
{
    const int cases = gate_or_all(20, 60);
    int i, good = 0;
    (void) state;
    for (i = 0; i < cases; i++)
    {
        const size_t count = 1 + random_below(3);
        round_struct x[3];
        shuf_enclosure_t r;
        shuf_real_t delta;
        fmpq_t q;
        arb_t v, d, t;
        shuf_enclosure_init(r); shuf_real_init(delta); arb_init(d); arb_init(v); arb_init(t); fmpq_init(q);
        random_rounds(x, count, i % 2);
        fmpq_set_si(q, 1 + (slong) random_below(999), 1);
        fmpq_div_2exp(q, q, 10 + random_below(25));
        shuf_real_set_fmpq(delta, q);
        arb_set_fmpq(d, q, PREC);
        good += ask(r, x, count, 0, delta, SHUF_DIRECTION_PQ, 6);
        if (arf_is_finite(r->hi))
        {
            arb_set_arf(t, r->hi);
            by_definition(v, x, count, 0, t);
            assert_false(arb_gt(v, d));
        }
        if (!arf_is_zero(r->lo))
        {
            arb_set_arf(t, r->lo);
            by_definition(v, x, count, 0, t);
            assert_true(arb_gt(v, d));
        }
        clear_rounds(x, count);
        shuf_enclosure_clear(r); shuf_real_clear(delta); arb_clear(d); arb_clear(v); arb_clear(t); fmpq_clear(q);
    }
    assert_true(good >= cases / 2);
}

/* ---- Laplace noise ---- */

#define STEPS 48

/*
 * bound: the loss of Laplace noise in steps, above it, or below: proofs/additive-noise.md, Lemma 5. v := H_{e^eps} of so many of them and normal noise.
 */
static void bound_laplace(arb_t v, const arb_t largest, uint64_t rounds, const arb_t variance, const arb_t eps, int above)
{
    arb_t top, q, t, x;
    arb_poly_t power, one;
    slong j;
    arb_init(top); arb_init(q); arb_init(t); arb_init(x);
    arb_poly_init(power);
    arb_poly_init(one);
    arb_set(top, largest);
    if (!above)
    {
        arb_div_ui(t, largest, 2 * STEPS, PREC);
        arb_cosh(t, t, PREC);
        arb_log(t, t, PREC);
        arb_mul_2exp_si(t, t, 1);
        arb_sub(top, top, t, PREC);
    }
    /* 1, then (1-q) q^k, and q^STEPS, over 1 + q: losses from top down in steps of 2 top/STEPS */
    arb_div_si(t, top, -STEPS, PREC);
    arb_exp(q, t, PREC);
    for (j = 0; j <= STEPS; j++)
    {
        arb_pow_ui(x, q, (ulong) j, PREC);
        arb_sub_ui(t, q, 1, PREC);
        arb_neg(t, t);
        if (j > 0 && j < STEPS)
            arb_mul(x, x, t, PREC);
        arb_add_ui(t, q, 1, PREC);
        arb_div(x, x, t, PREC);
        arb_poly_set_coeff_arb(one, j, x);
    }
    arb_poly_pow_ui(power, one, rounds, PREC);
    arb_zero(v);
    for (j = 0; j < arb_poly_length(power); j++)
    {
        arb_mul_ui(t, top, rounds, PREC);
        arb_mul_si(x, top, 2 * j, PREC);
        arb_div_ui(x, x, STEPS, PREC);
        arb_sub(t, t, x, PREC);
        arb_sub(t, eps, t, PREC);
        normal_profile(x, variance, t);
        arb_poly_get_coeff_arb(t, power, j);
        arb_addmul(v, x, t, PREC);
    }
    arb_clear(top); arb_clear(q); arb_clear(t); arb_clear(x);
    arb_poly_clear(power);
    arb_poly_clear(one);
}

static void test_laplace(void **state)
{
    int i, good = 0;
    (void) state;
    for (i = 0; i < 16; i++)
    {
        round_struct x[2];
        shuf_enclosure_t r;
        shuf_real_t eps;
        arb_t ball, low, high, t;
        shuf_enclosure_init(r); shuf_real_init(eps); arb_init(ball); arb_init(low); arb_init(high); arb_init(t);
        round_init(&x[0]);
        round_init(&x[1]);
        x[0].law.symmetric = x[1].law.symmetric = 1;
        arb_set_ui(x[0].largest, 1 + random_below(3000));
        arb_div_ui(x[0].largest, x[0].largest, 1000, PREC);
        x[1].rounds = 1;
        if (i % 2)
        {
            arb_set_ui(x[1].variance, 1 + random_below(3000));
            arb_div_ui(x[1].variance, x[1].variance, 1000, PREC);
        }
        random_eps(eps, ball);
        arb_mul_2exp_si(ball, ball, -1);
        arb_get_mid_arb(ball, ball);
        shuf_real_set_arf(eps, arb_midref(ball));
        good += ask(r, x, i % 2 ? 2 : 1, 1, eps, SHUF_DIRECTION_BOTH, 6);
        bound_laplace(low, x[0].largest, x[0].rounds, x[1].variance, ball, 0);
        bound_laplace(high, x[0].largest, x[0].rounds, x[1].variance, ball, 1);
        arb_set_arf(t, r->lo);
        assert_false(arb_gt(t, high));
        arb_set_arf(t, r->hi);
        assert_false(arb_lt(t, low));
        clear_rounds(x, 2);
        shuf_enclosure_clear(r); shuf_real_clear(eps); arb_clear(ball); arb_clear(low); arb_clear(high); arb_clear(t);
    }
    assert_true(good >= 8);
}

/* Once, Laplace noise has the profile 1 - e^{(eps - a)/2}. */
static void test_laplace_once(void **state)
{
    int i;
    (void) state;
    for (i = 1; i < 20; i++)
    {
        round_struct x;
        shuf_enclosure_t r;
        shuf_real_t eps;
        fmpq_t q;
        arb_t t, v;
        shuf_enclosure_init(r); shuf_real_init(eps); fmpq_init(q); arb_init(t); arb_init(v);
        round_init(&x);
        x.rounds = 1;
        x.law.symmetric = 1;
        arb_one(x.largest);
        fmpq_set_si(q, i, 20);
        shuf_real_set_fmpq(eps, q);
        assert_true(ask(r, &x, 1, 1, eps, SHUF_DIRECTION_BOTH, 6));
        arb_set_si(t, i - 20);
        arb_div_ui(t, t, 40, PREC);
        arb_expm1(v, t, PREC);
        arb_neg(v, v);
        arb_set_arf(t, r->lo);
        assert_true(arb_le(t, v));
        arb_set_arf(t, r->hi);
        assert_true(arb_ge(t, v));
        round_clear(&x);
        shuf_enclosure_clear(r); shuf_real_clear(eps); fmpq_clear(q); arb_clear(t); arb_clear(v);
    }
}

/* Two finenesses, many rounds of everything. */
static void test_finer(void **state)
{
    int i;
    (void) state;
    skip_unless_drawn(4);
    for (i = 0; i < 20; i++)
    {
        round_struct x[3];
        shuf_enclosure_t r, s;
        shuf_real_t delta;
        size_t j;
        shuf_enclosure_init(r); shuf_enclosure_init(s); shuf_real_init(delta);
        random_rounds(x, 3, i % 2);
        arb_set_ui(x[1].largest, 1 + random_below(1000));
        arb_div_ui(x[1].largest, x[1].largest, 5000, PREC);
        for (j = 0; j < 3; j++)
            x[j].rounds = 1 + random_below(40);
        set(delta, i % 3 == 0 ? "1e-3" : i % 3 == 1 ? "1e-6" : "1e-10");
        ask(r, x, 3, 0, delta, SHUF_DIRECTION_BOTH, 4);
        ask(s, x, 3, 0, delta, SHUF_DIRECTION_BOTH, 7);
        assert_true(arf_cmp(r->lo, s->hi) <= 0 && arf_cmp(s->lo, r->hi) <= 0);
        clear_rounds(x, 3);
        shuf_enclosure_clear(r); shuf_enclosure_clear(s); shuf_real_clear(delta);
    }
}

/* ---- sums over atoms ---- */

/* By one transform, against every sum by itself; some atoms are close together, some far apart, and some known to a few digits only. */
static void test_spread(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < 40; i++)
    {
        const slong count = 1 + (slong) random_below(40), frequencies = 1 + (slong) random_below(400);
        const double theta = 3 * random_unit(), step = 0.01 + random_unit(), width = pow(10, 2 * random_unit() - 1);
        arb_ptr value = _arb_vec_init(count), mass = _arb_vec_init(count);
        double *sums = flint_malloc(2 * (size_t) frequencies * sizeof(double)), off, whole = 0;
        arb_t t, x, c, s, re, im;
        slong j, k;
        arb_init(t); arb_init(x); arb_init(c); arb_init(s); arb_init(re); arb_init(im);
        for (j = 0; j < count; j++)
        {
            arb_set_d(value + j, width * (2 * random_unit() - 1));
            arb_set_d(mass + j, random_unit() / (double) count);
            whole += arf_get_d(arb_midref(mass + j), ARF_RND_NEAR) * exp(theta * arf_get_d(arb_midref(value + j), ARF_RND_NEAR));
            if (i % 4 == 0)
                mag_set_d(arb_radref(mass + j), 1e-10 * random_unit());
        }
        assert_int_equal(spread_sums(sums, &off, value, mass, count, theta, step, frequencies), 0);
        assert_true(off < (i % 4 == 0 ? 1e-8 * exp(3 * width) + 1e-12 * whole : 1e-12 * whole));
        for (k = 0; k < frequencies; k += 1 + (slong) random_below(20))
        {
            arb_zero(re);
            arb_zero(im);
            for (j = 0; j < count; j++)
            {
                arb_set_d(t, theta);
                arb_mul(t, t, value + j, PREC);
                arb_exp(t, t, PREC);
                arb_mul(t, t, mass + j, PREC);
                arb_set_d(x, step);
                arb_mul_si(x, x, k, PREC);
                arb_mul(x, x, value + j, PREC);
                arb_sin_cos(s, c, x, PREC);
                arb_addmul(re, t, c, PREC);
                arb_addmul(im, t, s, PREC);
            }
            arb_set_d(t, sums[2 * k]);
            arb_sub(re, re, t, PREC);
            arb_set_d(t, sums[2 * k + 1]);
            arb_sub(im, im, t, PREC);
            arb_hypot(t, re, im, PREC);
            arb_set_d(x, off);
            assert_true(i % 4 == 0 ? !arb_gt(t, x) : arb_le(t, x));
        }
        arb_clear(t); arb_clear(x); arb_clear(c); arb_clear(s); arb_clear(re); arb_clear(im);
        _arb_vec_clear(value, count);
        _arb_vec_clear(mass, count);
        flint_free(sums);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outcomes), cmocka_unit_test(test_kept), cmocka_unit_test(test_infinite), cmocka_unit_test(test_epsilon), cmocka_unit_test(test_laplace),
        cmocka_unit_test(test_laplace_once), cmocka_unit_test(test_finer), cmocka_unit_test(test_spread),
    };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
