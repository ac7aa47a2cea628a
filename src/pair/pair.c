/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pair/pair.h"

void shuf_pair_init(shuf_pair_t pair)
{
    pair->kind = SHUF_PAIR_CLONES;
    pair->n = 1;
    pair->k = 2;
    shuf_real_init(pair->eps0);
    fmpq_init(pair->gamma);
    fmpq_init(pair->w0);
    fmpq_init(pair->w1);
    fmpq_init(pair->r0);
    fmpq_init(pair->r1);
}

void shuf_pair_clear(shuf_pair_t pair)
{
    shuf_real_clear(pair->eps0);
    fmpq_clear(pair->gamma);
    fmpq_clear(pair->w0);
    fmpq_clear(pair->w1);
    fmpq_clear(pair->r0);
    fmpq_clear(pair->r1);
}

void shuf_pair_set(shuf_pair_t pair, const shuf_pair_t other)
{
    pair->kind = other->kind;
    pair->n = other->n;
    pair->k = other->k;
    shuf_real_set(pair->eps0, other->eps0);
    fmpq_set(pair->gamma, other->gamma);
    fmpq_set(pair->w0, other->w0);
    fmpq_set(pair->w1, other->w1);
    fmpq_set(pair->r0, other->r0);
    fmpq_set(pair->r1, other->r1);
}

static int users_ok(uint64_t n)
{
    return n >= 1 && n <= SHUF_MAX_USERS;
}

static int eps0_ok(const shuf_real_t eps0)
{
    return shuf_real_sgn(eps0) >= 0 && shuf_real_cmp_si(eps0, SHUF_MAX_EPSILON) <= 0;
}

/*
 * Coq: Stronger.stronger_dominates, Stronger.clones_dominates, Countable.stronger_countable,
 * Clones.clones_remark_3_5, KrrShuffle.rr2_exact.
 */
int shuf_pair_set_eps0(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, const shuf_real_t eps0)
{
    if ((kind != SHUF_PAIR_CLONES && kind != SHUF_PAIR_CLONES_STRONGER && kind != SHUF_PAIR_RR2)
        || !users_ok(n) || !eps0_ok(eps0))
        return -1;
    pair->kind = kind;
    pair->n = n;
    pair->k = 2;
    shuf_real_set(pair->eps0, eps0);
    return 0;
}

/* Coq: KrrShuffle.krr_same_exact, KrrShuffle.krr_third_below. */
int shuf_pair_set_krr(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t k, const shuf_real_t eps0)
{
    if ((kind != SHUF_PAIR_KRR_SAME && kind != SHUF_PAIR_KRR_THIRD)
        || !users_ok(n) || !eps0_ok(eps0)
        || k < (kind == SHUF_PAIR_KRR_THIRD ? 3u : 2u) || k > SHUF_MAX_K)
        return -1;
    pair->kind = kind;
    pair->n = n;
    pair->k = k;
    shuf_real_set(pair->eps0, eps0);
    return 0;
}

/* Coq: KrrShuffle.krr_weak_bound, KrrShuffle.krr_strong_bound. */
int shuf_pair_set_krr_blanket(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t k, const fmpq_t gamma)
{
    if ((kind != SHUF_PAIR_KRR_STRONG && kind != SHUF_PAIR_KRR_WEAK)
        || !users_ok(n) || k < 2 || k > SHUF_MAX_K
        || fmpq_sgn(gamma) < 0 || fmpz_cmp(fmpq_numref(gamma), fmpq_denref(gamma)) > 0)
        return -1;
    pair->kind = kind;
    pair->n = n;
    pair->k = k;
    fmpq_set(pair->gamma, gamma);
    return 0;
}

int shuf_pair_set_trinomial(shuf_pair_t pair, uint64_t n, const fmpq_t w0, const fmpq_t w1, const fmpq_t r0, const fmpq_t r1)
{
    fmpq_t w, r;
    int ok;
    fmpq_init(w);
    fmpq_init(r);
    fmpq_add(w, w0, w1);
    fmpq_add(r, r0, r1);
    ok = users_ok(n) && fmpq_sgn(w0) >= 0 && fmpq_sgn(w1) >= 0 && fmpq_sgn(r0) >= 0
         && fmpq_sgn(r1) >= 0 && fmpq_is_zero(r0) == fmpq_is_zero(r1)
         && fmpz_cmp(fmpq_numref(w), fmpq_denref(w)) <= 0
         && fmpz_cmp(fmpq_numref(r), fmpq_denref(r)) <= 0;
    if (ok)
    {
        /* rename a <-> b when needed, so that w0 >= w1 */
        int swap = fmpq_cmp(w0, w1) < 0;
        pair->kind = SHUF_PAIR_TRINOMIAL;
        pair->n = n;
        fmpq_set(pair->w0, swap ? w1 : w0);
        fmpq_set(pair->w1, swap ? w0 : w1);
        fmpq_set(pair->r0, swap ? r1 : r0);
        fmpq_set(pair->r1, swap ? r0 : r1);
    }
    fmpq_clear(w);
    fmpq_clear(r);
    return ok ? 0 : -1;
}

const char *shuf_pair_theorem(const shuf_pair_t pair)
{
    switch (pair->kind)
    {
    case SHUF_PAIR_CLONES: return "clones";
    case SHUF_PAIR_CLONES_STRONGER: return "clones-stronger";
    case SHUF_PAIR_RR2: return "rr2";
    case SHUF_PAIR_KRR_SAME: return "krr-same";
    case SHUF_PAIR_KRR_THIRD: return "krr-third";
    case SHUF_PAIR_KRR_STRONG: return "krr-strong";
    case SHUF_PAIR_KRR_WEAK: return "krr-weak";
    case SHUF_PAIR_TRINOMIAL: break;
    }
    return "trinomial";
}

int shuf_pair_max_loss(shuf_real_t loss, const shuf_pair_t pair)
{
    fmpq_t ratio;
    int finite = 1;
    fmpq_init(ratio);
    switch (pair->kind)
    {
    case SHUF_PAIR_KRR_STRONG:
        finite = fmpq_is_one(pair->gamma); /* scale 0: no loss at all */
        if (finite)
            shuf_real_set_fmpq(loss, ratio);
        break;
    case SHUF_PAIR_KRR_WEAK:
        /* w0/w1 = 1 + (1-gamma) k/gamma */
        finite = !fmpq_is_zero(pair->gamma);
        if (finite)
        {
            fmpq_t one;
            fmpq_init(one);
            fmpq_one(one);
            fmpq_inv(ratio, pair->gamma);
            fmpq_sub(ratio, ratio, one);
            fmpz_set_ui(fmpq_numref(one), pair->k);
            fmpq_mul(ratio, ratio, one);
            fmpq_one(one);
            fmpq_add(ratio, ratio, one);
            shuf_real_set_log_fmpq(loss, ratio);
            fmpq_clear(one);
        }
        break;
    case SHUF_PAIR_TRINOMIAL:
        if (fmpq_is_zero(pair->w0))
        {
            shuf_real_set_fmpq(loss, ratio);
        }
        else
        {
            finite = !fmpq_is_zero(pair->w1);
            if (finite)
            {
                fmpq_div(ratio, pair->w0, pair->w1);
                shuf_real_set_log_fmpq(loss, ratio);
            }
        }
        break;
    default:
        shuf_real_set(loss, pair->eps0);
    }
    fmpq_clear(ratio);
    return finite;
}

/* Coq: KrrPairs.trinomial_symmetric. */
int shuf_pair_is_symmetric(const shuf_pair_t pair)
{
    if (pair->kind == SHUF_PAIR_TRINOMIAL)
        return fmpq_equal(pair->r0, pair->r1);
    return pair->kind != SHUF_PAIR_RR2 && pair->kind != SHUF_PAIR_KRR_SAME;
}

#define WEIGHTS_EACH(w, f) \
    do { f(w->w0); f(w->w1); f(w->w2); f(w->rho); f(w->rho_complement); \
         f(w->count); f(w->count_complement); f(w->odds); f(w->scale); \
         f(w->rest); f(w->rest_complement); } while (0)

void shuf_pair_weights_init(shuf_pair_weights_t w)
{
    WEIGHTS_EACH(w, arb_init);
    w->rest_is_random = 0;
}

void shuf_pair_weights_clear(shuf_pair_weights_t w)
{
    WEIGHTS_EACH(w, arb_clear);
}

/* x / (E + extra) */
static void over_E_plus(arb_t r, const arb_t x, const arb_t E, slong extra, slong prec)
{
    arb_t d;
    arb_init(d);
    arb_add_si(d, E, extra, prec);
    arb_div(r, x, d, prec);
    arb_clear(d);
}

/* Coq: Instances.clones_strata, Instances.stronger_strata. */
static void clones_weights(shuf_pair_weights_t w, const shuf_pair_t pair, const arb_t E, const arb_t E_minus_1, slong prec)
{
    arb_t one;
    arb_init(one);
    arb_one(one);
    over_E_plus(w->w0, E, E, 1, prec);
    over_E_plus(w->w1, one, E, 1, prec);
    arb_set_d(w->rho, 0.5);
    arb_set_d(w->rho_complement, 0.5);
    if (pair->kind == SHUF_PAIR_CLONES)
    {
        arb_inv(w->count, E, prec);
        arb_div(w->count_complement, E_minus_1, E, prec);
    }
    else
    {
        over_E_plus(w->count, one, E, 1, prec);
        arb_mul_2exp_si(w->count, w->count, 1);
        over_E_plus(w->count_complement, E_minus_1, E, 1, prec);
    }
    arb_clear(one);
}

/*
 * rr2 is krr with k = 2, all others alike.
 * Coq: Instances.rr2_stratum, Instances.krr_same_strata, Instances.krr_third_strata.
 */
static void krr_weights(shuf_pair_weights_t w, const shuf_pair_t pair, const arb_t E, const arb_t E_minus_1, slong prec)
{
    slong k = (slong) pair->k;
    arb_t one, r;
    arb_init(one);
    arb_init(r);
    arb_one(one);
    over_E_plus(r, one, E, k - 1, prec);
    over_E_plus(w->w0, E, E, k - 1, prec);
    arb_set(w->w1, r);
    arb_mul_ui(w->w2, r, pair->k - 2, prec);
    if (pair->kind == SHUF_PAIR_KRR_THIRD)
    {
        arb_set_d(w->rho, 0.5);
        arb_set_d(w->rho_complement, 0.5);
        arb_mul_2exp_si(w->count, r, 1);
        arb_add_si(w->count_complement, E_minus_1, k - 2, prec);
        over_E_plus(w->count_complement, w->count_complement, E, k - 1, prec);
    }
    else
    {
        over_E_plus(w->rho, E, E, 1, prec);
        over_E_plus(w->rho_complement, one, E, 1, prec);
        arb_add_ui(w->count, E, 1, prec);
        over_E_plus(w->count, w->count, E, k - 1, prec);
        arb_mul_ui(w->count_complement, r, pair->k - 2, prec);
        if (k == 2)
            arb_one(w->count);
    }
    if (k > 2)
        arb_div(w->odds, w->count, w->count_complement, prec);
    arb_clear(one);
    arb_clear(r);
}

/* Coq: KrrPairs.krr_strong_value, Instances.krr_strong_strata, Instances.krr_strong_no_blanket. */
static void krr_strong_weights(shuf_pair_weights_t w, const shuf_pair_t pair, slong prec)
{
    fmpq_t q, one;
    fmpq_init(q);
    fmpq_init(one);
    fmpq_one(one);
    arb_one(w->w0);
    arb_set_d(w->rho, 0.5);
    arb_set_d(w->rho_complement, 0.5);
    fmpq_set_ui(q, 2, pair->k);
    fmpq_mul(q, q, pair->gamma);
    arb_set_fmpq(w->count, q, prec);
    fmpq_sub(q, one, q);
    arb_set_fmpq(w->count_complement, q, prec);
    fmpq_sub(q, one, pair->gamma);
    arb_set_fmpq(w->scale, q, prec);
    fmpq_clear(q);
    fmpq_clear(one);
}

/* Coq: KrrPairs.krr_weak_mixture. */
static void krr_weak_weights(shuf_pair_weights_t w, const shuf_pair_t pair, slong prec)
{
    fmpq_t q, s, one;
    fmpq_init(q);
    fmpq_init(s);
    fmpq_init(one);
    fmpq_one(one);
    arb_set_d(w->rho, 0.5);
    arb_set_d(w->rho_complement, 0.5);
    fmpq_set_ui(s, 1, pair->k);
    fmpq_mul(q, s, pair->gamma); /* gamma/k */
    arb_set_fmpq(w->w1, q, prec);
    fmpq_sub(s, one, pair->gamma);
    fmpq_add(s, s, q);
    arb_set_fmpq(w->w0, s, prec);
    fmpq_add(s, s, q);
    fmpq_sub(s, one, s);
    arb_set_fmpq(w->w2, s, prec); /* gamma (k-2)/k */
    fmpq_add(q, q, q);            /* 2 gamma/k: another's random report falls on a or b */
    arb_set_fmpq(w->count, q, prec);
    fmpq_sub(q, one, q);
    arb_set_fmpq(w->count_complement, q, prec);
    if (pair->k > 2)
    {
        /* given that it does not, it is a revealed report elsewhere with
           probability w2/(1 - 2 gamma/k); s/(1-s) = 2/(k-2) with s = 2/k */
        w->rest_is_random = 1;
        fmpq_div(q, s, q);
        arb_set_fmpq(w->rest, q, prec);
        fmpq_sub(q, one, q);
        arb_set_fmpq(w->rest_complement, q, prec);
        fmpq_set_ui(q, 2, pair->k - 2);
        arb_set_fmpq(w->odds, q, prec);
    }
    fmpq_clear(q);
    fmpq_clear(s);
    fmpq_clear(one);
}

/* Coq: Instances.trinomial_alone. */
static void trinomial_weights(shuf_pair_weights_t w, const shuf_pair_t pair, slong prec)
{
    fmpq_t q, s, one;
    fmpq_init(q);
    fmpq_init(s);
    fmpq_init(one);
    fmpq_one(one);
    arb_set_fmpq(w->w0, pair->w0, prec);
    arb_set_fmpq(w->w1, pair->w1, prec);
    fmpq_add(q, pair->w0, pair->w1);
    fmpq_sub(q, one, q);
    arb_set_fmpq(w->w2, q, prec);
    fmpq_add(s, pair->r0, pair->r1);
    arb_set_fmpq(w->count, s, prec);
    fmpq_sub(q, one, s);
    arb_set_fmpq(w->count_complement, q, prec);
    if (fmpq_is_zero(s))
    {
        /* nobody else is seen: rho is of no consequence */
        arb_set_d(w->rho, 0.5);
        arb_set_d(w->rho_complement, 0.5);
    }
    else
    {
        if (!fmpq_is_zero(q) && !arb_is_zero(w->w2))
        {
            fmpq_div(q, s, q);
            arb_set_fmpq(w->odds, q, prec);
        }
        fmpq_div(q, pair->r0, s);
        arb_set_fmpq(w->rho, q, prec);
        fmpq_sub(q, one, q);
        arb_set_fmpq(w->rho_complement, q, prec);
    }
    fmpq_clear(q);
    fmpq_clear(s);
    fmpq_clear(one);
}

/* Coq: KrrPairs.trinomial_other_direction. */
void shuf_pair_get_weights(shuf_pair_weights_t w, const shuf_pair_t pair, shuf_direction direction, slong prec)
{
    arb_t E, E_minus_1;
    arb_init(E);
    arb_init(E_minus_1);
    WEIGHTS_EACH(w, arb_zero);
    w->rest_is_random = 0;
    arb_one(w->scale);

    /* E - 1 without cancellation */
    shuf_real_exp(E, pair->eps0, prec);
    if (pair->eps0->is_log)
    {
        fmpq_t q, one;
        fmpq_init(q);
        fmpq_init(one);
        fmpq_one(one);
        fmpq_sub(q, pair->eps0->q, one);
        arb_set_fmpq(E_minus_1, q, prec);
        fmpq_clear(q);
        fmpq_clear(one);
    }
    else
    {
        shuf_real_get_arb(E_minus_1, pair->eps0, prec + 64);
        arb_expm1(E_minus_1, E_minus_1, prec);
    }

    switch (pair->kind)
    {
    case SHUF_PAIR_CLONES:
    case SHUF_PAIR_CLONES_STRONGER:
        clones_weights(w, pair, E, E_minus_1, prec);
        break;
    case SHUF_PAIR_RR2:
    case SHUF_PAIR_KRR_SAME:
    case SHUF_PAIR_KRR_THIRD:
        krr_weights(w, pair, E, E_minus_1, prec);
        break;
    case SHUF_PAIR_KRR_STRONG:
        krr_strong_weights(w, pair, prec);
        break;
    case SHUF_PAIR_KRR_WEAK:
        krr_weak_weights(w, pair, prec);
        break;
    case SHUF_PAIR_TRINOMIAL:
        trinomial_weights(w, pair, prec);
        break;
    }
    if (direction == SHUF_DIRECTION_QP)
        arb_swap(w->rho, w->rho_complement);
    arb_clear(E);
    arb_clear(E_minus_1);
}
