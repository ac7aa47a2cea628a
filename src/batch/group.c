/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* A step of Poisson sampling, all records of one user at once: proofs/dpsgd.md, Theorem 13 (a), and "A group's step". */
#include "batch/batch_law.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "law/closed_law.h"

/* Bits of a threshold that doubles give; the distance to it at which signs are looked at first, in bits; how it grows. All steer only. */
#define DOUBLE_BITS 36
#define GROWTH_BITS 6
#define LEAST_BITS (-40)

/* The threshold is looked for up to there. Steers only: beyond, the bounds are what is on one side of it. */
#define FARTHEST 1e12

/* Units of work of a member of the group. Steers only. */
#define MEMBER_WORK 1500.0

typedef struct
{
    fmpq_t shift, rate; /* of one record: its square over the noise's */
    slong records;
    int is_replaced;
    double *log_weight; /* steers only */
} group_struct;

/* The numbers of a value, to so many bits: a = 1/s, and the probability that k of the records are in a batch. */
typedef struct
{
    arb_t a;
    arb_ptr weight;
    slong records, prec;
    int is_replaced;
} mixture_struct;

static void mixture_init(mixture_struct *m, const group_struct *x, slong prec)
{
    arb_t q, rest;
    slong k;
    arb_init(q);
    arb_init(rest);
    arb_init(m->a);
    m->records = x->records;
    m->prec = prec;
    m->is_replaced = x->is_replaced;
    m->weight = _arb_vec_init(x->records + 1);
    arb_set_fmpq(m->a, x->shift, prec);
    arb_sqrt(m->a, m->a, prec);
    arb_set_fmpq(q, x->rate, prec);
    arb_sub_ui(rest, q, 1, prec);
    arb_neg(rest, rest);
    for (k = 0; k <= x->records; k++)
    {
        arb_t t;
        arb_init(t);
        arb_bin_uiui(m->weight + k, (ulong) x->records, (ulong) k, prec);
        arb_pow_ui(t, q, (ulong) k, prec);
        arb_mul(m->weight + k, m->weight + k, t, prec);
        arb_pow_ui(t, rest, (ulong) (x->records - k), prec);
        arb_mul(m->weight + k, m->weight + k, t, prec);
        arb_clear(t);
    }
    arb_clear(q);
    arb_clear(rest);
}

static void mixture_clear(mixture_struct *m)
{
    arb_clear(m->a);
    _arb_vec_clear(m->weight, m->records + 1);
}

/* v := the density at z of that side over the normal density: side 1 the places k a, side -1 their mirror images, side 0 the place 0. */
static void density(arb_t v, const mixture_struct *m, const arb_t z, int side)
{
    arb_t t, half;
    slong k;
    arb_one(v);
    if (side == 0)
        return;
    arb_init(t);
    arb_init(half);
    arb_mul_2exp_si(half, m->a, -1);
    arb_zero(v);
    for (k = 0; k <= m->records; k++)
    {
        /* k a (+-z - k a/2) */
        arb_mul_si(t, half, -k, m->prec);
        if (side > 0)
            arb_add(t, t, z, m->prec);
        else
            arb_sub(t, t, z, m->prec);
        arb_mul(t, t, m->a, m->prec);
        arb_mul_si(t, t, k, m->prec);
        arb_exp(t, t, m->prec);
        arb_addmul(v, t, m->weight + k, m->prec);
    }
    arb_clear(t);
    arb_clear(half);
}

/* v := the mass of that side beyond z, above it or below. */
static void mass(arb_t v, const mixture_struct *m, const arb_t z, int side, int above)
{
    arb_t t, sum;
    slong k;
    arb_init(t);
    arb_init(sum);
    for (k = 0; k <= (side == 0 ? 0 : m->records); k++)
    {
        arb_set(t, z);
        arb_submul_si(t, m->a, side * k, m->prec);
        if (!above)
            arb_neg(t, t);
        shuf_normal_tail(t, t, m->prec);
        if (side != 0)
            arb_mul(t, t, m->weight + k, m->prec);
        arb_add(sum, sum, t, m->prec);
    }
    arb_swap(v, sum);
    arb_clear(t);
    arb_clear(sum);
}

/* v := the density of what the divergence is of, less alpha times that of what it is from, over the normal density. */
static void excess_density(arb_t v, const mixture_struct *m, const arb_t alpha, const arb_t z, int is_qp)
{
    const int other = m->is_replaced ? -1 : 0;
    arb_t t;
    arb_init(t);
    density(v, m, z, is_qp ? other : 1);
    density(t, m, z, is_qp ? 1 : other);
    arb_submul(v, alpha, t, m->prec);
    arb_clear(t);
}

/* ---- the threshold ---- */

/* log of the ratio P/Q at z, in doubles. Steers only. */
static double log_ratio(const group_struct *x, double a, double z)
{
    double most[2] = { -HUGE_VAL, -HUGE_VAL }, sum[2] = { 0, 0 };
    slong k;
    int i;
    for (i = 0; i < 2; i++)
    {
        for (k = 0; k <= x->records; k++)
            most[i] = fmax(most[i], x->log_weight[k] + (double) k * a * ((i ? -z : z) - (double) k * a / 2));
        for (k = 0; k <= x->records; k++)
            sum[i] += d_exp(x->log_weight[k] + (double) k * a * ((i ? -z : z) - (double) k * a / 2) - most[i]);
    }
    return most[0] + d_log(sum[0]) - (x->is_replaced ? most[1] + d_log(sum[1]) : 0);
}

/* About where the ratio is e^level. Steers only. */
static double about(const group_struct *x, double level)
{
    const double a = sqrt(fmpq_get_d(x->shift));
    double low = -1, high = 1;
    int i;
    while (low > -FARTHEST && log_ratio(x, a, low) > level)
        low *= 2;
    while (high < FARTHEST && log_ratio(x, a, high) < level)
        high *= 2;
    for (i = 0; i < 100; i++)
    {
        const double middle = low + (high - low) / 2;
        if (log_ratio(x, a, middle) < level)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Halves of the interval about z until it is so many bits small: by the sign of what is beyond, where that is certain. Steers only. */
static void refine(arb_t z, const mixture_struct *m, const arb_t alpha, int is_qp, slong bits)
{
    arb_t v, t, low, high;
    slong i;
    arb_init(v); arb_init(t); arb_init(low); arb_init(high);
    mag_zero(arb_radref(z));
    arb_one(t);
    arb_mul_2exp_si(t, t, -DOUBLE_BITS + 4);
    arb_sub(low, z, t, m->prec);
    arb_add(high, z, t, m->prec);
    mag_zero(arb_radref(low));
    mag_zero(arb_radref(high));
    for (i = DOUBLE_BITS; i < bits; i++)
    {
        arb_add(z, low, high, m->prec);
        arb_mul_2exp_si(z, z, -1);
        mag_zero(arb_radref(z));
        excess_density(v, m, alpha, z, is_qp);
        if (arb_is_positive(v) == is_qp)
            arb_set(low, z);
        else
            arb_set(high, z);
    }
    arb_clear(v); arb_clear(t); arb_clear(low); arb_clear(high);
}

/*
 * The ratio is certainly below the level at low, and above it at high, each a number or, where that is not certain, infinite; z between them.
 * What the divergence counts is positive below for QP, above for PQ.
 */
static void bracket(arb_t low, arb_t high, const mixture_struct *m, const arb_t alpha, const arb_t z, int is_qp, slong bits)
{
    arb_t v, distance;
    arb_init(v);
    arb_init(distance);
    arb_neg_inf(low);
    arb_pos_inf(high);
    for (; bits > LEAST_BITS && !(arb_is_finite(low) && arb_is_finite(high)); bits -= GROWTH_BITS)
    {
        arb_one(distance);
        arb_mul_2exp_si(distance, distance, -bits);
        if (!arb_is_finite(low))
        {
            arb_sub(low, z, distance, m->prec);
            mag_zero(arb_radref(low));
            excess_density(v, m, alpha, low, is_qp);
            if (!(is_qp ? arb_is_positive(v) : arb_is_negative(v)))
                arb_neg_inf(low);
        }
        if (!arb_is_finite(high))
        {
            arb_add(high, z, distance, m->prec);
            mag_zero(arb_radref(high));
            excess_density(v, m, alpha, high, is_qp);
            if (!(is_qp ? arb_is_negative(v) : arb_is_positive(v)))
                arb_pos_inf(high);
        }
    }
    arb_clear(v);
    arb_clear(distance);
}

/* ---- the value ---- */

/* v := what the event tells that z is exceeded (PQ), or not (QP): at most the divergence. */
static void event(arb_t v, const mixture_struct *m, const arb_t alpha, const arb_t z, int is_qp)
{
    const int other = m->is_replaced ? -1 : 0;
    arb_t t;
    arb_init(t);
    mass(v, m, z, is_qp ? other : 1, !is_qp);
    mass(t, m, z, is_qp ? 1 : other, !is_qp);
    arb_submul(v, alpha, t, m->prec);
    arb_clear(t);
}

/* v := from the event at z to as much more as there is between low and high. */
static void between(arb_t v, const mixture_struct *m, const arb_t alpha, const arb_t z, const arb_t low, const arb_t high, int is_qp)
{
    arb_t t, all;
    arb_init(t);
    arb_init(all);
    arb_union(all, low, high, m->prec);
    excess_density(t, m, alpha, all, is_qp);
    arb_abs(t, t);
    arb_sub(all, high, low, m->prec);
    arb_mul(t, t, all, m->prec);
    /* the normal density, with 1/2 for 1/sqrt(2 pi) */
    arb_union(all, low, high, m->prec);
    arb_mul(all, all, all, m->prec);
    arb_mul_2exp_si(all, all, -1);
    arb_neg(all, all);
    arb_exp(all, all, m->prec);
    arb_mul(t, t, all, m->prec);
    arb_mul_2exp_si(t, t, -1);
    event(v, m, alpha, z, is_qp);
    arb_get_abs_ubound_arf(arb_midref(all), t, MAG_BITS);
    mag_zero(arb_radref(all));
    arb_add(all, v, all, m->prec);
    arb_union(v, v, all, m->prec);
    arb_clear(t);
    arb_clear(all);
}

static void set_value(arb_t v, const mixture_struct *m, const arb_t alpha, arb_t z, int is_qp)
{
    const slong bits = FLINT_MAX(DOUBLE_BITS, m->prec / 2);
    arb_t low, high;
    arb_init(low);
    arb_init(high);
    if (bits > DOUBLE_BITS)
        refine(z, m, alpha, is_qp, bits);
    bracket(low, high, m, alpha, z, is_qp, bits - 4);
    if (arb_is_finite(low) && arb_is_finite(high))
        between(v, m, alpha, z, low, high, is_qp);
    else if (is_qp ? arb_is_finite(high) : arb_is_finite(low))
    {
        /* nothing is counted on the other side */
        mass(v, m, is_qp ? high : low, is_qp ? (m->is_replaced ? -1 : 0) : 1, !is_qp);
        arb_get_abs_ubound_arf(arb_midref(low), v, MAG_BITS);
        mag_zero(arb_radref(low));
        arb_zero(v);
        arb_union(v, v, low, m->prec);
    }
    else
        arb_unit_interval(v);
    arb_clear(low);
    arb_clear(high);
}

static void group_value(arb_t v, const shuf_law_struct *self, shuf_direction direction, const arb_t excess, slong prec)
{
    const group_struct *x = self->data;
    const int is_qp = direction == SHUF_DIRECTION_QP && !x->is_replaced;
    mixture_struct m;
    arb_t alpha, z, t;
    double level;
    arb_init(alpha);
    arb_init(z);
    arb_init(t);
    shuf_charge(MEMBER_WORK * (double) x->records);
    mixture_init(&m, x, prec);
    arb_add_ui(alpha, excess, 1, prec);
    arb_log(t, alpha, prec);
    level = arf_get_d(arb_midref(t), ARF_RND_NEAR);
    arb_mul(t, alpha, m.weight, prec);
    arb_sub_ui(t, t, 1, prec);
    if (is_qp && arb_is_nonnegative(t))
        arb_zero(v); /* the ratio is above the first weight everywhere */
    else if (!isfinite(level))
        arb_unit_interval(v);
    else
    {
        arb_set_d(z, about(x, is_qp ? -level : level));
        set_value(v, &m, alpha, z, is_qp);
    }
    mixture_clear(&m);
    arb_clear(alpha);
    arb_clear(z);
    arb_clear(t);
}

/* ---- the law ---- */

static int same(const shuf_law_struct *self, const shuf_law_struct *other)
{
    const group_struct *x = self->data, *y = other->data;
    return x->is_replaced == y->is_replaced && x->records == y->records && fmpq_equal(x->shift, y->shift) && fmpq_equal(x->rate, y->rate);
}

static void group_clear(shuf_law_struct *self)
{
    group_struct *x = self->data;
    fmpq_clear(x->shift);
    fmpq_clear(x->rate);
    flint_free(x->log_weight);
    flint_free(x);
}

void batch_law_group(shuf_law_t law, const fmpq_t shift, const fmpq_t rate, uint64_t records, int is_replaced)
{
    group_struct *x = flint_malloc(sizeof(*x));
    const double q = fmpq_get_d(rate), n = (double) records;
    slong k;
    fmpq_init(x->shift);
    fmpq_init(x->rate);
    fmpq_set(x->shift, shift);
    fmpq_set(x->rate, rate);
    x->records = (slong) records;
    x->is_replaced = is_replaced;
    x->log_weight = flint_malloc((size_t) (records + 1) * sizeof(double));
    for (k = 0; k <= x->records; k++)
        x->log_weight[k] = d_lgamma(n + 1) - d_lgamma((double) k + 1) - d_lgamma(n - (double) k + 1) + (double) k * d_log(q) + (n - (double) k) * d_log1p(-q);
    shuf_law_init(law);
    shuf_law_set_closed(law, group_value);
    law->clear = group_clear;
    law->data = x;
    law->symmetric = is_replaced;
    law->same = same;
}
