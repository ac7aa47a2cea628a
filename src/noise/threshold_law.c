/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "noise/threshold_law.h"

#include <math.h>

#include "binomial/binomial.h"
#include "law/closed_law.h"
#include "noise/lattice.h"
#include "noise/noise_law.h"

/* More holders than these, where a divergence is tiny, are taken to be so many: proofs/thresholds.md, (a), which holds for any. */
#define MOST_HOLDERS 100000000000000000.0

/* More numbers of holders, or thresholds, that may be the best are left to a higher precision. Steers only. */
#define MOST_CANDIDATES 4

/* The data of many rounds: worst at alpha = 1 + so many times the probability over the root of the rounds, about what a round loses then. Steers only. */
#define TILT 0.4

/* Counts that are as rare as 2^-RARE_BITS are not told apart, and a law with more of them than the second number is not told by its losses. Steer only. */
#define RARE_BITS 120
#define MOST_COUNTS 100000

typedef struct
{
    shuf_noise_t noise;
    threshold_side side;
    uint64_t rounds;
    uint64_t holders; /* those of the profile from below; of SAMPLE */
    shuf_law_t base;  /* without a threshold; of additive noise */
    lattice_table *table; /* of the kinds that have one, else NULL */
    shuf_law_t profile; /* from below, of SAMPLE */
} threshold_struct;

/* ---- samples ---- */

static void probabilities(arb_t p, arb_t q, const threshold_struct *x, slong prec)
{
    fmpq_t other;
    fmpq_init(other);
    fmpq_set_si(other, 1, 1);
    fmpq_sub(other, other, x->noise->kept);
    arb_set_fmpq(p, x->noise->kept, prec);
    arb_set_fmpq(q, other, prec);
    fmpq_clear(other);
}

/* Bits for numbers of holders (binomial.h). */
#define HOLDER_BITS 64 /* steers only */

/* v := p b(n-1, K-1) - excess S_K(n-1), or (1 + excess) p b(n-1, K-1) - excess (1 - S_K(n-1)); 1 <= K <= n, or 0 if n < K. */
static void at_threshold(arb_t v, const threshold_struct *x, ulong n, ulong K, shuf_direction direction, const arb_t excess, slong prec)
{
    arb_t p, q, t;
    arb_zero(v);
    if (n < K)
        return;
    arb_init(p); arb_init(q); arb_init(t);
    probabilities(p, q, x, prec + HOLDER_BITS);
    shuf_binomial_pmf(v, n - 1, K - 1, p, q, prec);
    arb_mul(v, v, p, prec);
    if (direction == SHUF_DIRECTION_PQ)
        shuf_binomial_tail(t, n - 1, K, p, q, prec);
    else
        shuf_binomial_tail(t, n - 1, n - K, q, p, prec);
    if (direction == SHUF_DIRECTION_QP)
        arb_addmul(v, v, excess, prec);
    if (!arb_is_zero(t))
        arb_submul(v, t, excess, prec);
    arb_clear(p); arb_clear(q); arb_clear(t);
}

/* c := 1 - (1-p)/alpha, or 1 - alpha (1-p). */
static void slope(arb_t c, const threshold_struct *x, shuf_direction direction, const arb_t excess, slong prec)
{
    arb_t p, q;
    arb_init(p); arb_init(q);
    probabilities(p, q, x, prec);
    if (direction == SHUF_DIRECTION_PQ)
    {
        arb_add(c, p, excess, prec);
        arb_add_ui(q, excess, 1, prec);
        arb_div(c, c, q, prec);
    }
    else
    {
        arb_mul(c, excess, q, prec);
        arb_sub(c, p, c, prec);
    }
    arb_clear(p); arb_clear(q);
}

/* The ends of x, cut off at 0 and at MOST_HOLDERS. */
static void ends_of(double *lo, double *hi, const arb_t x)
{
    *lo = FLINT_MIN(FLINT_MAX(shuf_ball_end_d(x, 0), 0), MOST_HOLDERS);
    *hi = FLINT_MIN(FLINT_MAX(shuf_ball_end_d(x, 1), 0), MOST_HOLDERS);
}

static ulong threshold_of(const threshold_struct *x)
{
    return fmpz_get_ui(fmpq_numref(x->noise->threshold));
}

/* v := [0, Pr[X_(n-1) < K]], K at least the best of n holders: at least the divergence of as many or more, QP (proofs/thresholds.md, (a)). */
static void at_most(arb_t v, const threshold_struct *x, ulong n, const arb_t c)
{
    const slong prec = 64;
    double lo, K;
    arb_t p, q, t;
    arb_init(p); arb_init(q); arb_init(t);
    arb_mul_ui(t, c, n, prec);
    ends_of(&lo, &K, t);
    K = FLINT_MAX(floor(K) + 2, (double) threshold_of(x));
    arb_unit_interval(v);
    probabilities(p, q, x, prec + HOLDER_BITS);
    if (n > 1 && K < (double) n)
    {
        shuf_binomial_lower_tail_bound(t, n - 1, (ulong) K, p, q, prec);
        arb_min(t, t, v, prec);
        arb_mul(v, v, t, prec);
    }
    arb_clear(p); arb_clear(q); arb_clear(t);
}

/* *lo and *hi := ends of the number of holders that is the worst, tau > 1, if c is certainly positive; else *lo is an end, and 0 is returned. */
static int worst_holders(double *lo, double *hi, ulong tau, const arb_t c, slong prec)
{
    const int is_positive = arb_is_positive(c);
    arb_t t;
    arb_init(t);
    arb_set(t, c);
    if (!is_positive)
    {
        arb_get_ubound_arf(arb_midref(t), c, prec);
        mag_zero(arb_radref(t));
    }
    arb_ui_div(t, tau - 1, t, prec);
    ends_of(lo, hi, t);
    *lo = FLINT_MAX(ceil(*lo), 1);
    *hi = FLINT_MAX(ceil(*hi), 1);
    arb_clear(t);
    return is_positive && *hi < MOST_HOLDERS && *hi - *lo < MOST_CANDIDATES;
}

/* Theorem 1; it may be negative where c is, which is 0. Coq: Thresholds.sample_and_threshold, Thresholds.sample_small. */
static void sample_largest(arb_t v, const threshold_struct *x, shuf_direction direction, const arb_t excess, slong prec)
{
    const ulong tau = threshold_of(x);
    double lo, hi;
    ulong n;
    arb_t c, t;
    arb_init(c); arb_init(t);
    slope(c, x, direction, excess, prec);
    arb_zero(v);
    if (tau == 1)
        at_threshold(v, x, 1, 1, direction, excess, prec);
    else if (arb_is_nonpositive(c))
        arb_zero(v);
    else if (worst_holders(&lo, &hi, tau, c, prec))
        for (n = (ulong) lo; n <= (ulong) hi; n++)
        {
            at_threshold(t, x, n, tau, direction, excess, prec);
            arb_max(v, v, t, prec);
        }
    else if (direction == SHUF_DIRECTION_QP)
        at_most(v, x, (ulong) lo, c);
    else
        arb_unit_interval(v);
    arb_clear(c); arb_clear(t);
}

/* So many holders: the best threshold K from tau on. */
static void sample_of_holders(arb_t v, const threshold_struct *x, shuf_direction direction, const arb_t excess, slong prec)
{
    const double tau = (double) threshold_of(x);
    double lo, hi;
    ulong K;
    arb_t c, t;
    arb_init(c); arb_init(t);
    slope(c, x, direction, excess, prec);
    arb_mul_ui(c, c, x->holders, prec);
    ends_of(&lo, &hi, c);
    lo = FLINT_MAX(direction == SHUF_DIRECTION_PQ ? floor(lo) + 1 : ceil(lo), tau);
    hi = FLINT_MAX(direction == SHUF_DIRECTION_PQ ? floor(hi) + 1 : ceil(hi), tau);
    arb_zero(v);
    if (hi - lo < MOST_CANDIDATES)
        for (K = (ulong) lo; K <= (ulong) hi; K++)
        {
            at_threshold(t, x, x->holders, K, direction, excess, prec);
            arb_max(v, v, t, prec);
        }
    else
        arb_unit_interval(v);
    arb_clear(c); arb_clear(t);
}

/* p := 1 - (1 - p)^rounds */
static void in_some(arb_t p, uint64_t rounds, slong prec)
{
    arb_neg(p, p);
    arb_log1p(p, p, prec);
    arb_mul_ui(p, p, rounds, prec);
    arb_expm1(p, p, prec);
    arb_neg(p, p);
}

/* Some round releases a count: those holders that are the worst of one round, or nearly. In the other direction nothing is said. */
static void some_round(arb_t v, const threshold_struct *x, shuf_direction direction, const arb_t excess, slong prec)
{
    const slong any = 64; /* bits: any number of holders will do */
    const ulong tau = threshold_of(x);
    double lo, hi;
    ulong n;
    arb_t p, q, c, t;
    arb_zero(v);
    if (direction == SHUF_DIRECTION_QP)
        return;
    arb_init(p); arb_init(q); arb_init(c); arb_init(t);
    slope(c, x, direction, excess, any);
    worst_holders(&lo, &hi, tau, c, any);
    n = (ulong) FLINT_MAX(lo, (double) tau);
    probabilities(p, q, x, prec + HOLDER_BITS);
    shuf_binomial_tail(v, n, tau, p, q, prec);
    in_some(v, x->rounds, prec);
    if (n > tau)
    {
        shuf_binomial_tail(t, n - 1, tau, p, q, prec);
        in_some(t, x->rounds, prec);
        arb_sub(v, v, t, prec);
        arb_submul(v, t, excess, prec);
    }
    arb_clear(p); arb_clear(q); arb_clear(c); arb_clear(t);
}

/*
 * The counts that so many holders can have released, from the threshold on, and none: with the user b(n, k), without b(n-1, k). What is beyond the rare ones is
 * lost, where all holders are kept, too.
 */
static int loss_of_holders(shuf_loss_t loss, const shuf_law_struct *self, shuf_direction direction, slong prec)
{
    const threshold_struct *x = self->data;
    const slong bits = prec + HOLDER_BITS;
    const ulong n = x->holders, tau = threshold_of(x);
    ulong last, k;
    slong i;
    arb_t p, q, with, without, rare;
    arb_init(p); arb_init(q); arb_init(with); arb_init(without); arb_init(rare);
    probabilities(p, q, x, bits);
    arb_one(rare);
    arb_mul_2exp_si(rare, rare, -RARE_BITS);
    last = FLINT_MIN(FLINT_MAX(shuf_binomial_cut_above(n, p, q, rare, bits), tau), n - 1);
    if (n > tau && last - tau < MOST_COUNTS)
    {
        shuf_loss_set_count(loss, (slong) (last - tau) + 2);
        shuf_binomial_pmf(without, n - 1, tau, p, q, bits);
        for (k = tau, i = 0; k <= last; k++, i++)
        {
            /* b(n, k)/b(n-1, k) = n (1-p)/(n-k) */
            arb_mul_ui(&loss->value[i], q, n, bits);
            arb_div_ui(&loss->value[i], &loss->value[i], n - k, bits);
            arb_mul(with, without, &loss->value[i], bits);
            arb_set(&loss->mass[i], direction == SHUF_DIRECTION_PQ ? with : without);
            arb_mul_ui(without, without, n - 1 - k, bits);
            arb_div_ui(without, without, k + 1, bits);
            arb_mul(without, without, p, bits);
            arb_div(without, without, q, bits);
        }
        /* nothing is released */
        shuf_binomial_tail(with, n, n - tau + 1, q, p, bits);
        shuf_binomial_tail(without, n - 1, n - tau, q, p, bits);
        arb_div(&loss->value[i], with, without, bits);
        arb_set(&loss->mass[i], direction == SHUF_DIRECTION_PQ ? with : without);
        for (i = 0; i < loss->count; i++)
        {
            arb_log(&loss->value[i], &loss->value[i], bits);
            if (direction == SHUF_DIRECTION_QP)
                arb_neg(&loss->value[i], &loss->value[i]);
        }
        shuf_binomial_tail(loss->lost, n, last + 1, p, q, bits);
    }
    arb_clear(p); arb_clear(q); arb_clear(with); arb_clear(without); arb_clear(rare);
    return n > tau && last - tau < MOST_COUNTS;
}

/* ---- additive noise ---- */

/* t := Pr[Z >= k], k a whole number, of noise that has a table. */
static void table_tail(arb_t t, const lattice_table *table, const fmpz_t k)
{
    if (fmpz_cmp_si(k, table->last + 1) <= 0)
    {
        arb_set(t, &table->tail[fmpz_get_si(k)]);
        return;
    }
    arb_unit_interval(t);
    arb_mul(t, t, &table->tail[table->last + 1], arb_bits(&table->tail[table->last + 1]) + 64);
}

/* t := Pr[Z >= d], d > 0, or for noise on whole numbers d >= 1. */
static void upper_tail(arb_t t, const threshold_struct *x, const fmpq_t d, slong prec)
{
    const shuf_noise_struct *noise = x->noise;
    fmpq_t ratio;
    arb_t q;
    if (x->table != NULL)
    {
        table_tail(t, x->table, fmpq_numref(d));
        return;
    }
    fmpq_init(ratio);
    arb_init(q);
    if (noise->kind == SHUF_NOISE_GAUSSIAN)
    {
        fmpq_mul(ratio, d, d);
        fmpq_div(ratio, ratio, noise->variance);
        arb_set_fmpq(t, ratio, prec);
        arb_sqrt(t, t, prec);
        shuf_normal_tail(t, t, prec);
    }
    else
    {
        /* e^-(d/scale) over 2, or over 1 + e^-(1/scale) */
        shuf_real_get_arb(q, noise->loss, prec);
        fmpq_div(ratio, d, noise->sensitivity);
        arb_set_fmpq(t, ratio, prec);
        arb_mul(t, t, q, prec);
        shuf_ball_exp_minus(t, t, prec);
        arb_div_fmpz(q, q, fmpq_numref(noise->sensitivity), prec);
        shuf_ball_exp_minus(q, q, prec);
        if (noise->kind == SHUF_NOISE_LAPLACE)
            arb_one(q);
        arb_add_ui(q, q, 1, prec);
        arb_div(t, t, q, prec);
    }
    fmpq_clear(ratio);
    arb_clear(q);
}

/* t := Pr[Z + s >= T]. */
static void tail_of_one(arb_t t, const threshold_struct *x, slong prec)
{
    fmpq_t d;
    fmpq_init(d);
    fmpq_sub(d, x->noise->threshold, x->noise->sensitivity);
    if (fmpq_sgn(d) > 0)
    {
        upper_tail(t, x, d, prec);
    }
    else
    {
        fmpq_neg(d, d);
        if (shuf_noise_is_whole(x->noise->kind))
            fmpq_add_si(d, d, 1);
        if (fmpq_is_zero(d))
            arb_set_d(t, 0.5);
        else
            upper_tail(t, x, d, prec);
        shuf_ball_complement(t, t, prec);
    }
    fmpq_clear(d);
}

/* Theorem 2. Coq: Thresholds.noise_and_threshold, Thresholds.noise_and_threshold_attained. */
static void noise_largest(arb_t v, const threshold_struct *x, shuf_direction direction, const arb_t excess, slong prec)
{
    arb_t t, rest;
    arb_init(t);
    arb_init(rest);
    x->base->value(v, x->base, direction, excess, prec);
    tail_of_one(t, x, prec);
    if (direction == SHUF_DIRECTION_QP)
    {
        arb_sub_ui(rest, t, 1, prec);
        arb_addmul(t, rest, excess, prec);
    }
    arb_max(v, v, t, prec);
    arb_clear(t);
    arb_clear(rest);
}

/* ---- laws ---- */

static void largest(arb_t v, const threshold_struct *x, shuf_direction direction, const arb_t excess, slong prec)
{
    arb_t zero;
    (x->side == THRESHOLD_SOME_ROUND ? some_round : x->noise->kind == SHUF_NOISE_SAMPLE ? sample_largest : noise_largest)(v, x, direction, excess, prec);
    arb_init(zero);
    arb_max(v, v, zero, prec);
    arb_clear(zero);
}

static void value(arb_t v, const shuf_law_struct *self, shuf_direction direction, const arb_t excess, slong prec)
{
    const threshold_struct *x = self->data;
    arb_t other;
    largest(v, x, direction, excess, prec);
    if (x->side != THRESHOLD_REPLACED)
        return;
    arb_init(other);
    largest(other, x, direction == SHUF_DIRECTION_PQ ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, excess, prec);
    arb_max(v, v, other, prec);
    arb_clear(other);
}

static void profile_value(arb_t v, const shuf_law_struct *self, shuf_direction direction, const arb_t excess, slong prec)
{
    sample_of_holders(v, self->data, direction, excess, prec);
}

/* From below the profile is that of concrete data: of so many holders, or without a threshold, which is as near as one likes to many holders. */
static shuf_status evaluate_below(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                                  const shuf_options *options)
{
    const threshold_struct *x = self->data;
    const shuf_law_struct *data = x->noise->kind == SHUF_NOISE_SAMPLE ? x->profile : x->base;
    return data->evaluate(lo, hi, data, direction, s, count, options);
}

/* All holders kept: without the user so many cannot be. */
static void infinite_mass(arf_t infinite, const shuf_law_struct *self, shuf_direction direction)
{
    const threshold_struct *x = self->data;
    const slong prec = 64; /* any: the lower end is taken */
    arb_t v;
    arf_zero(infinite);
    if ((direction == SHUF_DIRECTION_QP && x->side != THRESHOLD_REPLACED) || (x->noise->kind != SHUF_NOISE_SAMPLE && x->side == THRESHOLD_BELOW))
        return;
    arb_init(v);
    if (x->noise->kind == SHUF_NOISE_SAMPLE)
    {
        arb_set_fmpq(v, x->noise->kept, prec);
        arb_pow_ui(v, v, x->side == THRESHOLD_BELOW ? x->holders : threshold_of(x), prec);
    }
    else
    {
        tail_of_one(v, x, prec);
    }
    shuf_ball_least(infinite, v, prec);
    arb_clear(v);
}

static int same(const shuf_law_struct *self, const shuf_law_struct *other)
{
    const threshold_struct *x = self->data, *y = other->data;
    const shuf_noise_struct *a = x->noise, *b = y->noise;
    return x->side == y->side && x->rounds == y->rounds && x->holders == y->holders && a->kind == b->kind && fmpq_equal(a->sensitivity, b->sensitivity)
           && fmpq_equal(a->variance, b->variance) && shuf_real_cmp(a->loss, b->loss) == 0 && fmpq_equal(a->kept, b->kept)
           && fmpq_equal(a->threshold, b->threshold) && a->honest == b->honest;
}

static void clear(shuf_law_struct *self)
{
    threshold_struct *x = self->data;
    shuf_law_clear(x->base);
    if (x->table != NULL)
        lattice_table_clear(x->table);
    flint_free(x->table);
    shuf_noise_clear(x->noise);
    flint_free(x);
}

/* The holders that are worst at the tilt of so many rounds; at least as many as the threshold. */
static uint64_t holders_for(const threshold_struct *x, uint64_t rounds)
{
    const double p = fmpq_get_d(x->noise->kept), tau = (double) threshold_of(x), excess = TILT * p / sqrt((double) rounds);
    return (uint64_t) FLINT_MAX(ceil((tau - 1) * (1 + excess) / (p + excess)), tau);
}

void threshold_law(shuf_law_t law, const shuf_noise_t noise, threshold_side side, uint64_t rounds)
{
    threshold_struct *x = flint_malloc(sizeof(*x));
    uint64_t one = 1;
    shuf_noise_init(x->noise);
    shuf_noise_set(x->noise, noise);
    x->side = side;
    x->rounds = side == THRESHOLD_SOME_ROUND ? rounds : 1;
    x->holders = 0;
    x->table = NULL;
    shuf_law_init(x->base);
    shuf_law_init(x->profile);
    if (noise->kind == SHUF_NOISE_SAMPLE)
    {
        x->holders = side == THRESHOLD_BELOW ? holders_for(x, rounds) : 0;
        shuf_law_set_closed(x->profile, profile_value);
        x->profile->data = x;
    }
    else
    {
        noise_law(x->base, noise, shuf_one, &one);
    }
    if (lattice_has_table(noise))
    {
        x->table = flint_malloc(sizeof(*x->table));
        lattice_table_init(x->table, noise);
    }
    shuf_law_init(law);
    shuf_law_set_closed(law, value);
    if (side == THRESHOLD_BELOW)
        law->evaluate = evaluate_below;
    if (side == THRESHOLD_BELOW && noise->kind == SHUF_NOISE_SAMPLE)
        law->loss = loss_of_holders;
    law->data = x;
    law->clear = clear;
    law->same = same;
    law->symmetric = side == THRESHOLD_REPLACED;
    law->infinite = infinite_mass;
}
