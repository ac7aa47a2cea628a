/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* What several tests ask of numbers, pairs and enclosures; include cmocka.h before. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include "enclosure/enclosure.h"
#include "exact/exact.h"
#include "law/law.h"
#include "pair/pair.h"

/* For a test that takes minutes under sanitizers and visits no code there that others do not. */
static inline void skip_when_sanitized(void)
{
#ifdef __SANITIZE_ADDRESS__
    skip();
#endif
}

/* ---- parameters ---- */

static inline void set(shuf_real_t x, const char *text)
{
    if (shuf_real_set_str(x, text) != 0)
        fail_msg("rejected: %s", text);
}

static inline void set_eps0(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, const char *eps0)
{
    shuf_real_t x;
    shuf_real_init(x);
    set(x, eps0);
    assert_int_equal(shuf_pair_set_eps0(pair, kind, n, x), 0);
    shuf_real_clear(x);
}

static inline void set_krr(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t k, const char *eps0)
{
    shuf_real_t x;
    shuf_real_init(x);
    set(x, eps0);
    assert_int_equal(shuf_pair_set_krr(pair, kind, n, k, x), 0);
    shuf_real_clear(x);
}

/* ---- enclosures ---- */

/* Bits of the arithmetic: the ends, and any sum of theirs but those with terms that are nothing beside the others. */
#define CHECK_PREC 4096

/* The parts of the ledger add up to at least the width, with every rounding against it. */
static inline int explained(const shuf_enclosure_t x)
{
    const mag_struct *parts[4] = { x->ledger.truncation, x->ledger.discretisation, x->ledger.aliasing, x->ledger.rounding };
    arf_t width, total, part;
    int i, result;
    arf_init(width);
    arf_init(total);
    arf_init(part);
    arf_sub(width, x->hi, x->lo, CHECK_PREC, ARF_RND_UP);
    for (i = 0; i < 4; i++)
    {
        arf_set_mag(part, parts[i]);
        arf_add(total, total, part, CHECK_PREC, ARF_RND_DOWN);
    }
    result = arf_cmp(width, total) <= 0;
    arf_clear(width);
    arf_clear(total);
    arf_clear(part);
    return result;
}

/* 0 <= lo <= hi < infinity, and explained. */
static inline int well_formed(const shuf_enclosure_t x)
{
    return arf_is_finite(x->hi) && arf_sgn(x->lo) >= 0 && arf_cmp(x->lo, x->hi) <= 0 && explained(x);
}

/* The same, and hi <= 1. */
static inline int well_formed_probability(const shuf_enclosure_t x)
{
    return well_formed(x) && arf_cmp_si(x->hi, 1) <= 0;
}

/* hi - lo <= 10^-digits hi */
static inline int narrow_enough(const shuf_enclosure_t x, slong digits)
{
    fmpz_t ten;
    arf_t width;
    int result;
    fmpz_init_set_ui(ten, 10);
    arf_init(width);
    fmpz_pow_ui(ten, ten, (ulong) digits);
    arf_sub(width, x->hi, x->lo, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul_fmpz(width, width, ten, ARF_PREC_EXACT, ARF_RND_DOWN);
    result = arf_cmp(width, x->hi) <= 0;
    fmpz_clear(ten);
    arf_clear(width);
    return result;
}

static inline int overlap(const shuf_enclosure_t x, const shuf_enclosure_t y)
{
    return arf_cmp(x->lo, y->hi) <= 0 && arf_cmp(y->lo, x->hi) <= 0;
}

/* Whether [lo, hi] and the ball have a number in common. */
static inline int meets(const arf_t lo, const arf_t hi, const arb_t ball)
{
    arf_t below, above;
    int result;
    arf_init(below);
    arf_init(above);
    arb_get_interval_arf(below, above, ball, CHECK_PREC);
    result = arf_cmp(lo, above) <= 0 && arf_cmp(hi, below) >= 0;
    arf_clear(below);
    arf_clear(above);
    return result;
}

/* The ball is so small that to meet it is to contain its value. */
static inline void assert_meets(const arf_t lo, const arf_t hi, const arb_t value, const char *what)
{
    if (!meets(lo, hi, value))
        fail_msg("%s: [%.17g, %.17g] misses %.17g", what, arf_get_d(lo, ARF_RND_DOWN), arf_get_d(hi, ARF_RND_UP),
                 arf_get_d(arb_midref(value), ARF_RND_NEAR));
}

static inline void assert_contains(const shuf_enclosure_t x, const arb_t value, const char *what)
{
    assert_meets(x->lo, x->hi, value, what);
}

/* ---- in doubles, for comparisons with a tolerance ---- */

static inline double lower(const shuf_enclosure_t x)
{
    return arf_get_d(x->lo, ARF_RND_NEAR);
}

static inline double upper(const shuf_enclosure_t x)
{
    return arf_get_d(x->hi, ARF_RND_NEAR);
}

static inline double value_of(const shuf_real_t x)
{
    arb_t t;
    double d;
    arb_init(t);
    shuf_real_get_arb(t, x, 64);
    d = arf_get_d(arb_midref(t), ARF_RND_NEAR);
    arb_clear(t);
    return d;
}

/* ---- losses ---- */

/*
 * The profile of the loss that a law tells, up to what is lost, overlaps what the law says of it, at eps = 0, 1/8, .., 2; of a bound with nodes of its
 * own it is no larger than the law is one place before.
 */
static inline void check_told_loss(const shuf_law_struct *law, shuf_direction direction, int is_bound)
{
    const shuf_options options = { 12, 0 };
    shuf_loss_t loss;
    arb_t v, t, K;
    arf_t s, lo, hi, last;
    int i;
    slong j;
    arf_init(last);
    arf_one(last);
    shuf_loss_init(loss);
    arb_init(v); arb_init(t); arb_init(K); arf_init(s); arf_init(lo); arf_init(hi);
    assert_true(shuf_law_loss(loss, law, direction, 160));
    assert_true(loss->count > 0);
    for (i = 0; i <= 16; i++)
    {
        arf_set_d(s, i / 8.0);
        law->evaluate(lo, hi, law, direction, s, 1, &options);
        arb_set(v, loss->infinite);
        for (j = 0; j < loss->count; j++)
        {
            arb_set_arf(K, s);
            arb_add_error(K, loss->shift);
            arb_sub(t, K, loss->value + j, 160);
            arb_expm1(t, t, 160);
            arb_neg(t, t);
            arb_nonnegative_part(t, t);
            arb_addmul(v, t, loss->mass + j, 160);
        }
        arb_set_arf(t, is_bound ? last : hi);
        assert_false(arb_gt(v, t));
        arf_set(last, hi);
        arb_add(v, v, loss->lost, 160);
        arb_set_arf(t, lo);
        assert_false(arb_lt(v, t));
    }
    shuf_loss_clear(loss);
    arb_clear(v); arb_clear(t); arb_clear(K); arf_clear(s); arf_clear(lo); arf_clear(hi); arf_clear(last);
}

#endif
