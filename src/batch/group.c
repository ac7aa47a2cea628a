/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* A step of Poisson sampling, or of a fixed number of records, all records of one user at once: proofs/dpsgd.md, Theorem 13 (a) and (d), and "A group's step". */
#include "batch/batch_law.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "law/closed_law.h"
#include "tradeoff/gdp.h"

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
    uint64_t size, all; /* a batch has `size` of `all` records; all = 0: each with the probability rate, independently */
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

static void set_binomial(arb_ptr weight, const group_struct *x, slong prec)
{
    arb_t q, rest, t;
    slong k;
    arb_init(q);
    arb_init(rest);
    arb_init(t);
    arb_set_fmpq(q, x->rate, prec);
    shuf_ball_complement(rest, q, prec);
    for (k = 0; k <= x->records; k++)
    {
        arb_bin_uiui(weight + k, (ulong) x->records, (ulong) k, prec);
        arb_pow_ui(t, q, (ulong) k, prec);
        arb_mul(weight + k, weight + k, t, prec);
        arb_pow_ui(t, rest, (ulong) (x->records - k), prec);
        arb_mul(weight + k, weight + k, t, prec);
    }
    arb_clear(q);
    arb_clear(rest);
    arb_clear(t);
}

/* With g records of n, m in a batch: the probability of none is the product of (n - m - i)/(n - i), i < g, and each one after it follows from that before. */
static void set_hypergeometric(arb_ptr weight, const group_struct *x, slong prec)
{
    const ulong g = (ulong) x->records, m = x->size, rest = x->all - x->size;
    ulong k;
    arb_one(weight);
    for (k = 0; k < g; k++)
    {
        arb_mul_ui(weight, weight, rest - k, prec);
        arb_div_ui(weight, weight, x->all - k, prec);
    }
    for (k = 0; k < g; k++)
    {
        arb_mul_ui(weight + k + 1, weight + k, g - k, prec);
        arb_mul_ui(weight + k + 1, weight + k + 1, m > k ? m - k : 0, prec);
        arb_div_ui(weight + k + 1, weight + k + 1, k + 1, prec);
        arb_div_ui(weight + k + 1, weight + k + 1, rest - g + k + 1, prec);
    }
}

static void mixture_init(mixture_struct *m, const group_struct *x, slong prec)
{
    arb_init(m->a);
    m->records = x->records;
    m->prec = prec;
    m->is_replaced = x->is_replaced;
    m->weight = _arb_vec_init(x->records + 1);
    arb_set_fmpq(m->a, x->shift, prec);
    arb_sqrt(m->a, m->a, prec);
    if (x->all > 0)
        set_hypergeometric(m->weight, x, prec);
    else
        set_binomial(m->weight, x, prec);
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
    shuf_ball_exp_minus(all, all, m->prec);
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

/* v := the divergence of the mixture from the other side, in that order or (is_qp) the other. */
static void mixture_value(arb_t v, const mixture_struct *m, const group_struct *x, const arb_t excess, int is_qp)
{
    arb_t alpha, z, t;
    double level;
    arb_init(alpha);
    arb_init(z);
    arb_init(t);
    shuf_charge(MEMBER_WORK * (double) x->records);
    arb_add_ui(alpha, excess, 1, m->prec);
    arb_log(t, alpha, m->prec);
    level = arf_get_d(arb_midref(t), ARF_RND_NEAR);
    arb_mul(t, alpha, m->weight, m->prec);
    arb_sub_ui(t, t, 1, m->prec);
    if (is_qp && arb_is_nonnegative(t))
        arb_zero(v); /* the ratio is above the first weight everywhere */
    else if (!isfinite(level))
        arb_unit_interval(v);
    else
    {
        arb_set_d(z, about(x, is_qp ? -level : level));
        set_value(v, m, alpha, z, is_qp);
    }
    arb_clear(alpha);
    arb_clear(z);
    arb_clear(t);
}

static void group_value(arb_t v, const shuf_law_struct *self, shuf_direction direction, const arb_t excess, slong prec)
{
    const group_struct *x = self->data;
    mixture_struct m;
    mixture_init(&m, x, prec);
    mixture_value(v, &m, x, excess, direction == SHUF_DIRECTION_QP && !x->is_replaced);
    mixture_clear(&m);
}

/* h of Theorem 13 (d): of the mixture and of known numbers of records. */
static void subset_value(arb_t v, const shuf_law_struct *self, shuf_direction direction, const arb_t excess, slong prec)
{
    const group_struct *x = self->data;
    mixture_struct m;
    arb_t some, beyond, eps, t, known;
    slong k;
    (void) direction;
    arb_init(some);
    arb_init(beyond);
    arb_init(eps);
    arb_init(t);
    arb_init(known);
    mixture_init(&m, x, prec);
    mixture_value(v, &m, x, excess, 0);
    shuf_ball_complement(some, m.weight, prec);
    arb_div(beyond, excess, some, prec); /* beta - 1 */
    arb_log1p(eps, beyond, prec);
    for (k = 1; k <= x->records; k++)
    {
        arb_mul_si(t, m.a, k, prec);
        shuf_gdp_delta_arb(t, t, eps, prec);
        arb_addmul(known, t, m.weight + k, prec);
    }
    /* v + alpha/beta (known - v) */
    arb_sub(known, known, v, prec);
    arb_add_ui(t, excess, 1, prec);
    arb_mul(known, known, t, prec);
    arb_add_ui(t, beyond, 1, prec);
    arb_div(known, known, t, prec);
    arb_add(v, v, known, prec);
    mixture_clear(&m);
    arb_clear(some);
    arb_clear(beyond);
    arb_clear(eps);
    arb_clear(t);
    arb_clear(known);
}

/* ---- the law ---- */

static int same(const shuf_law_struct *self, const shuf_law_struct *other)
{
    const group_struct *x = self->data, *y = other->data;
    return self->symmetric == other->symmetric && x->is_replaced == y->is_replaced && x->records == y->records && x->size == y->size && x->all == y->all
        && fmpq_equal(x->shift, y->shift) && fmpq_equal(x->rate, y->rate);
}

static void group_clear(shuf_law_struct *self)
{
    group_struct *x = self->data;
    fmpq_clear(x->shift);
    fmpq_clear(x->rate);
    flint_free(x->log_weight);
    flint_free(x);
}

static void group_init(shuf_law_t law, const group_struct *of, const fmpq_t shift, const fmpq_t rate)
{
    group_struct *x = flint_malloc(sizeof(*x));
    const slong prec = 64; /* of what becomes doubles */
    mixture_struct m;
    arb_t t;
    slong k;
    *x = *of;
    fmpq_init(x->shift);
    fmpq_init(x->rate);
    fmpq_set(x->shift, shift);
    fmpq_set(x->rate, rate);
    x->log_weight = flint_malloc((size_t) (x->records + 1) * sizeof(double));
    arb_init(t);
    mixture_init(&m, x, prec);
    for (k = 0; k <= x->records; k++)
    {
        arb_log(t, m.weight + k, prec);
        x->log_weight[k] = arb_is_finite(t) ? arf_get_d(arb_midref(t), ARF_RND_NEAR) : -HUGE_VAL;
    }
    mixture_clear(&m);
    arb_clear(t);
    shuf_law_init(law);
    shuf_law_set_closed(law, group_value);
    law->clear = group_clear;
    law->data = x;
    law->symmetric = x->is_replaced;
    law->same = same;
    /* all records of the user in one batch; without replacement the shift is that of a record that is replaced */
    shuf_law_set_moment(law, shift, (x->is_replaced ? 4 : 1) * (ulong) x->records * (ulong) x->records);
    law->moment_is_reached = !x->is_replaced && x->all == 0;
}

void batch_law_group(shuf_law_t law, const fmpq_t shift, const fmpq_t rate, uint64_t records, int is_replaced)
{
    const group_struct x = { .records = (slong) records, .is_replaced = is_replaced };
    group_init(law, &x, shift, rate);
}

void batch_law_group_of(shuf_law_t law, const fmpq_t shift, uint64_t size, uint64_t all, uint64_t records, int above)
{
    const group_struct x = { .records = (slong) records, .size = size, .all = all };
    fmpq_t rate;
    fmpq_init(rate);
    fmpq_set_ui(rate, size, all);
    fmpq_canonicalise(rate);
    group_init(law, &x, shift, rate);
    if (above)
    {
        shuf_law_set_closed(law, subset_value);
        law->symmetric = 1;
    }
    fmpq_clear(rate);
}
