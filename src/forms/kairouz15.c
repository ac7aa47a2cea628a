/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "forms/kairouz15.h"

#include "binomial/binomial.h"
#include "pair/pair.h"

/*
 * h is a difference of two tails, and what is left of the target another: they lose as many bits as they are small
 * beside their terms. At 4096 that is 10^-1200; beyond it the enclosure stays wide. Steers only.
 */
#define MAX_PREC 4096

/* Powers to the number of rounds, at most SHUF_MAX_USERS < 2^64, lose its logarithm. Steers only. */
#define POWER_PREC 64

/* The parameters at a working precision. */
typedef struct
{
    uint64_t rounds;
    slong prec;
    arb_t eps;
    arb_t p, q;  /* 1/(1+e^eps) and its complement */
    arb_t keep;  /* (1-delta)^rounds */
} responses;

static void responses_init(responses *s)
{
    arb_init(s->eps); arb_init(s->p); arb_init(s->q); arb_init(s->keep);
}

static void responses_clear(responses *s)
{
    arb_clear(s->eps); arb_clear(s->p); arb_clear(s->q); arb_clear(s->keep);
}

static void responses_set(responses *s, const shuf_real_t eps, const shuf_real_t delta, uint64_t rounds, slong prec)
{
    slong extra = prec + POWER_PREC;
    arb_t E;
    shuf_charge(3 * shuf_cost_exp(extra) + 70 * shuf_cost_mul(extra));
    arb_init(E);
    s->rounds = rounds;
    s->prec = prec;
    shuf_real_get_arb(s->eps, eps, extra);
    shuf_real_exp(E, eps, extra);
    arb_add_ui(s->p, E, 1, extra);
    arb_inv(s->p, s->p, extra);
    arb_mul(s->q, s->p, E, extra);
    shuf_real_get_arb(E, delta, extra);
    shuf_ball_complement(E, E, extra);
    arb_pow_ui(s->keep, E, rounds, extra);
    arb_clear(E);
}

static int parameters_in_range(const shuf_real_t eps, const shuf_real_t delta, uint64_t rounds)
{
    return shuf_real_sgn(eps) >= 0 && shuf_real_cmp_si(eps, SHUF_MAX_EPSILON) <= 0 && shuf_real_sgn(delta) >= 0
           && shuf_real_cmp_si(delta, 1) <= 0 && rounds >= 1 && rounds <= SHUF_MAX_USERS;
}

/* F = Pr[Bin(T, p) <= m] and G = Pr[Bin(T, 1-p) <= m]. */
static void tails(arb_t F, arb_t G, const responses *s, uint64_t m)
{
    shuf_binomial_tail(F, s->rounds, s->rounds - m, s->q, s->p, s->prec);
    shuf_binomial_tail(G, s->rounds, s->rounds - m, s->p, s->q, s->prec);
}

/* value = F_m - e^x G_m, a lower bound of h(x) for every m < T, and h(x) at the right one. */
static void line(arb_t value, const responses *s, const arb_t exp_x, uint64_t m)
{
    arb_t G;
    arb_init(G);
    tails(value, G, s, m);
    arb_submul(value, G, exp_x, s->prec);
    arb_clear(G);
}

/*
 * The integers l in [0, T/2] that may be the largest with (T - 2l) eps > x:
 * their number (0, then h(x) = 0, 1 or 2) and the last one. eps > 0. T - x/eps
 * is known to well below 1, or certainly negative.
 */
static int active_lines(uint64_t *last, const responses *s, const arb_t x)
{
    arb_t t;
    arf_t lo, hi;
    fmpz_t first, end;
    int count = 0;
    arb_init(t); arf_init(lo); arf_init(hi); fmpz_init(first); fmpz_init(end);
    /* the largest l < (T - x/eps)/2 */
    arb_div(t, x, s->eps, s->prec + POWER_PREC);
    arb_sub_ui(t, t, s->rounds, s->prec + POWER_PREC);
    arb_neg(t, t);
    arb_mul_2exp_si(t, t, -1);
    arb_get_interval_arf(lo, hi, t, s->prec + POWER_PREC);
    arf_get_fmpz(first, lo, ARF_RND_CEIL);
    fmpz_sub_ui(first, first, 1);
    arf_get_fmpz(end, hi, ARF_RND_CEIL);
    fmpz_sub_ui(end, end, 1);
    if (fmpz_sgn(end) >= 0)
    {
        *last = fmpz_get_ui(end);
        count = fmpz_equal(first, end) ? 1 : 2;
        if (count == 2 && fmpz_sgn(first) < 0)
            count = 1;
    }
    arb_clear(t); arf_clear(lo); arf_clear(hi); fmpz_clear(first); fmpz_clear(end);
    return count;
}

/* h encloses h(x): the largest line; where two may be active they meet, and h >= 0. */
static void hockey(arb_t h, const responses *s, const arb_t x, const arb_t exp_x)
{
    uint64_t last = 0;
    int count = arb_is_zero(s->eps) ? 0 : active_lines(&last, s, x);
    arb_t other, zero;
    arb_init(other);
    arb_init(zero);
    arb_zero(h);
    if (count >= 1)
    {
        line(h, s, exp_x, last);
        if (count == 2)
        {
            line(other, s, exp_x, last - 1);
            arb_max(h, h, other, s->prec);
        }
        arb_max(h, h, zero, s->prec);
    }
    arb_clear(other);
    arb_clear(zero);
}

/* r := the ball x cut to [0, 1] or [0, inf). */
static void set_result(shuf_enclosure_t r, const arb_t x, int is_eps, slong prec, const shuf_options *options)
{
    shuf_enclosure_set_value(r, x, prec);
    if (!is_eps && arf_cmp_si(r->hi, 1) > 0)
        arf_one(r->hi);
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

/* Whether to compute again with twice the precision. */
static int go_on(const shuf_enclosure_t r, double limit, slong prec, const shuf_options *options)
{
    return r->status != SHUF_OK && 2 * prec <= MAX_PREC + 8 * options->digits && !shuf_exhausted(limit);
}

shuf_status shuf_kairouz15_delta(shuf_enclosure_t r, const shuf_real_t eps, const shuf_real_t delta, uint64_t rounds,
                                 const shuf_real_t target_eps, const shuf_options *options)
{
    double start = shuf_work(), limit = shuf_limit(options), before;
    responses s;
    arb_t h, x, exp_x;
    slong prec;

    shuf_enclosure_unknown(r, 1);
    if (!parameters_in_range(eps, delta, rounds) || shuf_real_sgn(target_eps) < 0)
        return r->status;
    before = shuf_limit_set(limit);
    responses_init(&s);
    arb_init(h); arb_init(x); arb_init(exp_x);
    for (prec = 64 + 4 * options->digits;; prec *= 2)
    {
        responses_set(&s, eps, delta, rounds, prec);
        shuf_real_get_arb(x, target_eps, prec + POWER_PREC);
        shuf_real_exp(exp_x, target_eps, prec + POWER_PREC);
        hockey(h, &s, x, exp_x);
        /* 1 - keep (1-h) = (1-keep) + keep h */
        arb_mul(h, h, s.keep, prec);
        arb_sub_ui(x, s.keep, 1, prec);
        arb_sub(h, h, x, prec);
        set_result(r, h, 0, prec, options);
        if (!go_on(r, limit, prec, options))
            break;
    }
    r->ledger.work = shuf_work() - start;
    shuf_limit_set(before);
    responses_clear(&s);
    arb_clear(h); arb_clear(x); arb_clear(exp_x);
    return r->status;
}

/* slack = 1 - (1-target)/keep: the h that is left. */
static void slack(arb_t rest, const responses *s, const shuf_real_t target)
{
    arb_t t;
    slong prec = s->prec + POWER_PREC;
    arb_init(t);
    shuf_real_get_arb(t, target, prec);
    arb_sub_ui(t, t, 1, prec);
    arb_add(t, t, s->keep, prec);
    arb_div(rest, t, s->keep, prec);
    arb_clear(t);
}

/* Sign of h((T - 2i) eps) - rest, 0 when it is open. */
static int sign_at_node(const responses *s, const arb_t rest, uint64_t i)
{
    arb_t value, exp_x;
    int sign;
    if (i == 0)
        return arb_is_positive(rest) ? -1 : 0;
    arb_init(value);
    arb_init(exp_x);
    arb_mul_ui(exp_x, s->eps, s->rounds - 2 * i, s->prec + POWER_PREC);
    arb_exp(exp_x, exp_x, s->prec + POWER_PREC);
    line(value, s, exp_x, i - 1);
    arb_sub(value, value, rest, s->prec);
    sign = arb_is_positive(value) ? 1 : arb_is_negative(value) ? -1 : 0;
    arb_clear(value);
    arb_clear(exp_x);
    return sign;
}

/* x = log((F_m - rest)/G_m), where the line m meets the level rest; 0 if that is not certainly positive. */
static int crossing(arb_t x, const responses *s, const arb_t rest, uint64_t m)
{
    arb_t G;
    int ok;
    arb_init(G);
    tails(x, G, s, m);
    arb_sub(x, x, rest, s->prec);
    ok = arb_is_positive(x) && arb_is_positive(G);
    if (ok)
    {
        arb_div(x, x, G, s->prec);
        arb_log(x, x, s->prec);
    }
    arb_clear(G);
    return ok;
}

/*
 * x encloses the largest crossing of a line with the level rest > 0: h is the
 * largest line, so there it falls to rest. The best line is the one whose
 * segment holds the crossing, found by bisection over the nodes. Next to an
 * undecided node both of its segments are tried, if those beyond are decided.
 * Returns whether that succeeded.
 */
static int largest_crossing(arb_t x, const responses *s, const arb_t rest)
{
    /* h < rest at the node below; above: the first node with h > rest, or none */
    uint64_t below = 0, above = s->rounds / 2 + 1, m = 0;
    int sign = 1, ok;
    arb_t other;
    while (above - below > 1 && sign != 0)
    {
        m = below + (above - below) / 2;
        sign = sign_at_node(s, rest, m);
        if (sign < 0)
            below = m;
        else if (sign > 0)
            above = m;
    }
    if (sign != 0)
        return crossing(x, s, rest, below);
    if ((m - 1 > below && sign_at_node(s, rest, m - 1) >= 0) || (m + 1 < above && sign_at_node(s, rest, m + 1) <= 0))
        return 0;
    arb_init(other);
    ok = crossing(x, s, rest, m) && crossing(other, s, rest, m - 1);
    if (ok)
        arb_max(x, x, other, s->prec);
    arb_clear(other);
    return ok;
}

shuf_status shuf_kairouz15_epsilon(shuf_enclosure_t r, const shuf_real_t eps, const shuf_real_t delta, uint64_t rounds,
                                   const shuf_real_t target_delta, const shuf_options *options)
{
    double start = shuf_work(), limit = shuf_limit(options), before;
    responses s;
    arb_t rest, x, one, zero;
    slong prec;
    int nothing_left; /* the target is used up by delta: h = 0 is wanted, which T eps gives */

    shuf_enclosure_unknown(r, 0);
    if (!parameters_in_range(eps, delta, rounds) || shuf_real_sgn(target_delta) < 0)
        return r->status;
    if (shuf_real_cmp_si(target_delta, 1) >= 0)
    {
        shuf_enclosure_zero(r);
        return r->status;
    }
    before = shuf_limit_set(limit);
    responses_init(&s);
    arb_init(rest); arb_init(x); arb_init(one); arb_init(zero);
    arb_one(one);
    nothing_left = (shuf_real_sgn(delta) == 0 && shuf_real_sgn(target_delta) == 0)
                   || (rounds == 1 && shuf_real_cmp(delta, target_delta) == 0);
    for (prec = 64 + 4 * options->digits;; prec *= 2)
    {
        responses_set(&s, eps, delta, rounds, prec);
        if (nothing_left)
        {
            arb_mul_ui(x, s.eps, rounds, prec);
            set_result(r, x, 1, prec, options);
        }
        else if (arb_is_positive(s.keep))
        {
            slack(rest, &s, target_delta);
            if (arb_is_negative(rest))
                break;
            hockey(x, &s, zero, one);
            arb_sub(x, x, rest, prec);
            if (arb_is_nonpositive(x))
            {
                shuf_enclosure_zero(r); /* x = 0 will do */
            }
            else if (arb_is_positive(rest) && largest_crossing(x, &s, rest))
            {
                arb_max(x, x, zero, prec);
                set_result(r, x, 1, prec, options);
            }
        }
        if (!go_on(r, limit, prec, options))
            break;
    }
    r->ledger.work = shuf_work() - start;
    shuf_limit_set(before);
    responses_clear(&s);
    arb_clear(rest); arb_clear(x); arb_clear(one); arb_clear(zero);
    return r->status;
}
