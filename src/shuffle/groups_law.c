/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "shuffle/groups_law.h"

#include <stdlib.h>

#include "enclosure/arf_vec.h"
#include "enclosure/doubles.h"
#include "enclosure/elementary.h"
#include "shuffle/bit_split.h"

/* Bits of the probabilities, and those that a rational bound of one keeps. Steer only. */
#define PREC 128
#define RATIONAL_BITS 64

size_t groups_widest(const groups_entry *entry, size_t count)
{
    size_t i, widest = 0;
    for (i = 1; i < count; i++)
        if (shuf_real_cmp(entry[i].eps0, entry[widest].eps0) > 0)
            widest = i;
    return widest;
}

size_t groups_narrowest(const groups_entry *entry, size_t count)
{
    size_t i, least = 0;
    for (i = 1; i < count; i++)
        if (shuf_real_cmp(entry[i].eps0, entry[least].eps0) < 0)
            least = i;
    return least;
}

/* one := 1/(e^eps0 + k - 1), the probability of each other value. */
static void set_other(arb_t one, const shuf_real_t eps0, uint64_t k)
{
    shuf_real_exp(one, eps0, PREC);
    arb_add_ui(one, one, k - 1, PREC);
    arb_inv(one, one, PREC);
    shuf_charge(shuf_cost_exp(PREC));
}

/* ---- the groups in an order ---- */

typedef struct
{
    groups_entry of;
    size_t place;      /* among those that are given */
    double eps0, rate; /* about that, and log_rate: steer only */
    arb_t log_rate;    /* log 1/(e^eps0 + k - 1) */
} ranked;

static int by_rate(const void *x, const void *y)
{
    const ranked *a = x, *b = y;
    return a->rate != b->rate ? (a->rate < b->rate) - (a->rate > b->rate) : (a->place > b->place) - (a->place < b->place);
}

static int by_k(const void *x, const void *y)
{
    const ranked *a = x, *b = y;
    return a->of.k != b->of.k ? (a->of.k < b->of.k) - (a->of.k > b->of.k) : (a->place > b->place) - (a->place < b->place);
}

/* The groups of k-RR, those whose reports are the most random first, or those of the largest k; rank_clear them. */
static ranked *rank(size_t *found, const groups_entry *entry, size_t count, int (*order)(const void *, const void *))
{
    ranked *list = flint_malloc(count * sizeof(*list));
    arb_t x;
    size_t i;
    arb_init(x);
    *found = 0;
    for (i = 0; i < count; i++)
    {
        ranked *one = &list[*found];
        if (entry[i].k == 0)
            continue;
        shuf_real_get_arb(x, entry[i].eps0, 64);
        *one = (ranked) { .of = entry[i], .place = i, .eps0 = estimate(x) };
        arb_init(one->log_rate);
        set_other(one->log_rate, entry[i].eps0, entry[i].k);
        arb_log(one->log_rate, one->log_rate, PREC);
        shuf_charge(shuf_cost_exp(PREC));
        one->rate = arf_get_d(arb_midref(one->log_rate), ARF_RND_NEAR);
        ++*found;
    }
    arb_clear(x);
    qsort(list, *found, sizeof(*list), order);
    return list;
}

static void rank_clear(ranked *list, size_t found)
{
    size_t i;
    for (i = 0; i < found; i++)
        arb_clear(list[i].log_rate);
    flint_free(list);
}

/* ---- from above, the users of k-RR together ---- */

/*
 * How many of the first groups hide best, about: those who have at least that k, of whom on the average the most users are clones. Any number
 * is right.
 */
static size_t choose_hiding(const ranked *list, size_t count, uint64_t k)
{
    double users = 0, sum = 0, largest = 0, best = -HUGE_VAL;
    size_t i, chosen = 0;
    for (i = 0; i < count; i++)
    {
        double value;
        if (list[i].of.k < k)
            continue;
        if (users == 0)
            largest = list[i].rate;
        users += (double) list[i].of.users;
        sum += (double) list[i].of.users * list[i].rate;
        value = users > 1 ? d_log(users - 1) + (sum - largest) / (users - 1) : -HUGE_VAL;
        if (value > best)
        {
            best = value;
            chosen = i + 1;
        }
    }
    return chosen;
}

/* mean := the geometric mean of 1/(e^eps0 + k - 1) over the users of those of the groups who have at least that k, but one of the largest; how many. */
static uint64_t set_mean(arb_t mean, const ranked *list, size_t count, uint64_t k)
{
    uint64_t users = 0;
    arb_t largest;
    size_t i;
    arb_init(largest);
    arb_zero(mean);
    for (i = 0; i < count; i++)
    {
        if (list[i].of.k < k)
            continue;
        if (users == 0)
            arb_set(largest, list[i].log_rate);
        arb_max(largest, largest, list[i].log_rate, PREC);
        arb_addmul_ui(mean, list[i].log_rate, list[i].of.users, PREC);
        users += list[i].of.users;
    }
    arb_sub(mean, mean, largest, PREC);
    if (users > 1)
        arb_div_ui(mean, mean, users - 1, PREC);
    arb_exp(mean, mean, PREC);
    arb_clear(largest);
    return users > 1 ? users - 1 : 0;
}

/* The largest eps0 of those with that k. */
static const shuf_real_struct *largest_of(const ranked *list, size_t count, uint64_t k)
{
    const shuf_real_struct *own = NULL;
    size_t i;
    for (i = 0; i < count; i++)
        if (list[i].of.k == k && (own == NULL || shuf_real_cmp(list[i].of.eps0, own) > 0))
            own = list[i].of.eps0;
    return own;
}

static void set_clones(shuf_pair_t pair, const ranked *list, size_t count, uint64_t k)
{
    uint64_t others;
    arb_t x, y;
    fmpq_t w0, w1, r;
    arb_init(x); arb_init(y);
    fmpq_init(w0); fmpq_init(w1); fmpq_init(r);
    set_other(x, largest_of(list, count, k), 2);
    shuf_ball_end(w1, x, 0, RATIONAL_BITS);
    fmpq_one(w0);
    fmpq_sub(w0, w0, w1);
    others = set_mean(y, list, choose_hiding(list, count, k), k);
    /* (E + k - 1)/(E + 1) = 1 + (k - 2)/(E + 1) */
    arb_mul_ui(x, x, k - 2, PREC);
    arb_add_ui(x, x, 1, PREC);
    arb_mul(y, y, x, PREC);
    if (others > 0)
        shuf_ball_end(r, y, 0, RATIONAL_BITS);
    else
        fmpq_set_ui(r, 1, 2);
    shuf_pair_set_trinomial(pair, others + 1, w0, w1, r, r);
    arb_clear(x); arb_clear(y);
    fmpq_clear(w0); fmpq_clear(w1); fmpq_clear(r);
}

static void set_weak(shuf_pair_t pair, const ranked *list, size_t count, uint64_t k)
{
    uint64_t others;
    arb_t x;
    fmpq_t w1, gamma;
    arb_init(x);
    fmpq_init(w1); fmpq_init(gamma);
    set_other(x, largest_of(list, count, k), k);
    shuf_ball_end(w1, x, 0, RATIONAL_BITS);
    others = set_mean(x, list, choose_hiding(list, count, k), k);
    arb_mul_ui(x, x, k, PREC);
    if (others > 0)
        shuf_ball_end(gamma, x, 0, RATIONAL_BITS);
    else
        fmpq_one(gamma);
    /* of more users so many have at least the mean */
    shuf_pair_set_krr_weak_own(pair, FLINT_MIN(others, GROUPS_WEAK_USERS - 1) + 1, k, gamma, w1);
    arb_clear(x);
    fmpq_clear(w1); fmpq_clear(gamma);
}

void groups_clones(shuf_pair_t pair, const groups_entry *entry, size_t count, uint64_t k)
{
    size_t found;
    ranked *list = rank(&found, entry, count, by_rate);
    set_clones(pair, list, found, k);
    rank_clear(list, found);
}

void groups_weak(shuf_pair_t pair, const groups_entry *entry, size_t count, uint64_t k)
{
    size_t found;
    ranked *list = rank(&found, entry, count, by_rate);
    set_weak(pair, list, found, k);
    rank_clear(list, found);
}

/* ---- from below: whether reports are one value ---- */

typedef struct
{
    bit_group *group;   /* the other users */
    size_t count;
    int both;           /* two values are looked at, not one */
    bit_pair own;       /* of the user who differs */
    shuf_real_t loss;
    shuf_datasets where;
    bit_sum *sum;       /* NULL until it is prepared */
} bits_data;

static void bits_clear(shuf_law_struct *self)
{
    bits_data *d = self->data;
    size_t i;
    for (i = 0; i < d->count; i++)
    {
        arb_clear(d->group[i].one);
        arb_clear(d->group[i].rest);
    }
    flint_free(d->group);
    arb_clear(d->own.p); arb_clear(d->own.q); arb_clear(d->own.p_rest); arb_clear(d->own.q_rest);
    shuf_real_clear(d->loss);
    bit_sum_free(d->sum);
    flint_free(d);
}

static void bits_prepare(const shuf_law_struct *self, const shuf_options *options)
{
    bits_data *d = self->data;
    if (d->sum == NULL)
        d->sum = bit_sum_new(d->group, d->count, shuf_limit(options));
}

/* That of both values, w0 = p and w1 = q, the same in both directions. */
static void split_value(arf_t lo, arf_t hi, const bits_data *d, const arb_t alpha, const arb_t gain, const arb_t less)
{
    arb_t loss, excess, rest;
    arb_init(loss); arb_init(excess); arb_init(rest);
    arb_mul(loss, alpha, d->own.p, PREC);
    arb_sub(loss, loss, d->own.q, PREC);
    arb_add(excess, d->own.p, d->own.q, PREC);
    arb_mul(excess, excess, less, PREC);
    arb_sub(rest, d->own.p_rest, d->own.q, PREC);
    arb_mul(rest, rest, less, PREC);
    bit_split_divergence(lo, hi, d->sum, gain, loss, excess, rest);
    arb_clear(loss); arb_clear(excess); arb_clear(rest);
}

/* The divergence at eps, alpha = e^eps; PQ or QP. */
static void bits_value(arf_t lo, arf_t hi, const bits_data *d, const arb_t eps, int mirrored)
{
    arb_t alpha, gain, less;
    arf_zero(lo);
    arf_one(hi);
    if (d->sum == NULL)
        return;
    arb_init(alpha); arb_init(gain); arb_init(less);
    arb_exp(alpha, eps, PREC);
    arb_expm1(less, eps, PREC);
    arb_mul(gain, alpha, mirrored && !d->both ? d->own.p_rest : d->own.q, PREC);
    arb_sub(gain, mirrored && !d->both ? d->own.q_rest : d->own.p, gain, PREC);
    if (d->both)
        split_value(lo, hi, d, alpha, gain, less);
    else
        bit_sum_divergence(lo, hi, d->sum, gain, less, mirrored);
    shuf_charge(2 * shuf_cost_exp(PREC));
    arb_clear(alpha); arb_clear(gain); arb_clear(less);
}

static shuf_status bits_evaluate(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                                 const shuf_options *options)
{
    const bits_data *d = self->data;
    const double limit = shuf_limit(options);
    arb_t eps;
    slong i;
    arb_init(eps);
    for (i = 0; i < count; i++)
    {
        arb_set_arf(eps, s + i);
        if (shuf_real_cmp_arf(d->loss, s + i) <= 0)
        {
            arf_zero(lo + i);
            arf_zero(hi + i);
        }
        else if (i > 0 && shuf_exhausted(limit))
        {
            arf_zero(lo + i);
            arf_set(hi + i, hi + i - 1); /* it falls */
        }
        else
        {
            bits_value(lo + i, hi + i, d, eps, direction == SHUF_DIRECTION_QP);
        }
    }
    arb_clear(eps);
    return SHUF_ACCURACY;
}

static int bits_max_loss(shuf_real_t loss, const shuf_law_struct *self)
{
    const bits_data *d = self->data;
    shuf_real_set(loss, d->loss);
    return 1;
}

/* r := the divergence of the direction; status by the digits. */
static void bits_point(shuf_enclosure_t r, const bits_data *d, const shuf_real_t eps, int mirrored, const shuf_options *options)
{
    arb_t x;
    arb_init(x);
    shuf_enclosure_zero(r);
    if (shuf_real_cmp(eps, d->loss) < 0)
    {
        shuf_real_get_arb(x, eps, PREC);
        bits_value(r->lo, r->hi, d, x, mirrored);
    }
    shuf_enclosure_width(r->ledger.rounding, r);
    r->ledger.terms = 1;
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    arb_clear(x);
}

static shuf_status bits_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                              shuf_direction direction, const shuf_options *options)
{
    const bits_data *d = self->data;
    shuf_enclosure_t other;
    bits_prepare(self, options);
    if (where != NULL)
        *where = d->where;
    if (d->sum == NULL)
        return shuf_enclosure_unknown(r, 1);
    shuf_enclosure_init(other);
    bits_point(r, d, eps, direction == SHUF_DIRECTION_QP, options);
    if (direction == SHUF_DIRECTION_BOTH && !d->both)
    {
        bits_point(other, d, eps, 1, options);
        shuf_enclosure_max(r, r, other);
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    shuf_enclosure_clear(other);
    return r->status;
}

static shuf_status bits_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                                shuf_direction direction, const shuf_options *options)
{
    const bits_data *d = self->data;
    bits_prepare(self, options);
    if (where != NULL)
        *where = d->where;
    return d->sum == NULL ? shuf_enclosure_unknown(r, 0) : shuf_law_invert(r, self, delta, direction, GROUPS_MAX_EPSILON + 1, options);
}

/* p, 1-p of a report that is some value of a user who holds it, or something else. */
static void set_bit(arb_t p, arb_t rest, const shuf_real_t eps0, uint64_t k, int holds)
{
    arb_t other;
    arb_init(other);
    set_other(other, eps0, k);
    if (holds)
    {
        arb_mul_ui(rest, other, k - 1, PREC);
        shuf_real_exp(p, eps0, PREC);
        arb_mul(p, p, other, PREC);
    }
    else
    {
        arb_set(p, other);
        shuf_real_exp(rest, eps0, PREC);
        arb_add_ui(rest, rest, k - 2, PREC);
        arb_mul(rest, rest, other, PREC);
    }
    shuf_charge(shuf_cost_exp(PREC));
    arb_clear(other);
}

/* p, 1-p of a report that is one of two values of a user who holds another. */
static void set_either(arb_t p, arb_t rest, const shuf_real_t eps0, uint64_t k)
{
    arb_t other;
    arb_init(other);
    set_other(other, eps0, k);
    shuf_real_exp(rest, eps0, PREC);
    arb_add_ui(rest, rest, k - 3, PREC);
    arb_mul(rest, rest, other, PREC);
    arb_mul_ui(p, other, 2, PREC);
    arb_clear(other);
}

/*
 * The group whose user, holding its last value, is hidden worst, about: of each k the one with the largest eps0 is tried; for both values k is at least 3,
 * and no group has k - 1 values. `count` if there is none.
 */
static size_t choose_own(const groups_entry *entry, size_t count, int both)
{
    double variance = 0, best = -1;
    size_t found, i, next, chosen = count;
    ranked *list = rank(&found, entry, count, by_k);
    for (i = 0; i < found; i = next)
    {
        const ranked *widest = &list[i];
        const uint64_t k = list[i].of.k;
        double rate, signal;
        for (next = i; next < found && list[next].of.k == k; next++)
        {
            rate = d_exp(list[next].rate);
            variance += (double) list[next].of.users * rate * (1 - rate);
            if (list[next].eps0 > widest->eps0)
                widest = &list[next];
        }
        rate = d_exp(widest->rate);
        signal = fmin(widest->eps0, d_expm1(widest->eps0) * rate / sqrt(variance));
        if (signal > best && !(both && (k < 3 || (next < found && list[next].of.k == k - 1))))
        {
            best = signal;
            chosen = widest->place;
        }
    }
    rank_clear(list, found);
    return chosen;
}

/* The others' bits, user `own` being left out. */
static void set_others(bits_data *d, const groups_entry *entry, size_t count, size_t own)
{
    size_t i;
    d->group = flint_malloc(count * sizeof(*d->group));
    for (i = 0; i < count; i++)
    {
        bit_group *g = &d->group[d->count];
        if (entry[i].k < entry[own].k)
            continue; /* never report the values */
        arb_init(g->one);
        arb_init(g->rest);
        if (d->both)
            set_either(g->one, g->rest, entry[i].eps0, entry[i].k);
        else
            set_bit(g->one, g->rest, entry[i].eps0, entry[i].k, 0);
        g->count = entry[i].users - (i == own);
        d->count++;
    }
}

/* Coq: Groups.groups_bits, Groups.groups_third, Groups.two_counts_alike. */
int groups_bits(shuf_law_t law, const groups_entry *entry, size_t count, int both)
{
    const size_t own = choose_own(entry, count, both);
    bits_data *d;
    if (own == count)
        return 0;
    d = flint_calloc(1, sizeof(*d));
    d->both = both;
    set_others(d, entry, count, own);
    arb_init(d->own.p); arb_init(d->own.q); arb_init(d->own.p_rest); arb_init(d->own.q_rest);
    set_bit(d->own.p, d->own.p_rest, entry[own].eps0, entry[own].k, 1);
    set_bit(d->own.q, d->own.q_rest, entry[own].eps0, entry[own].k, 0);
    shuf_real_init(d->loss);
    shuf_real_set(d->loss, entry[own].eps0);
    d->where = (shuf_datasets) { .x = entry[own].k - 1, .x1 = entry[own].k - 2 };
    shuf_law_init(law);
    law->data = d;
    law->symmetric = both;
    law->clear = bits_clear;
    law->prepare = bits_prepare;
    law->evaluate = bits_evaluate;
    law->max_loss = bits_max_loss;
    law->where = &d->where;
    law->delta = bits_delta;
    law->epsilon = bits_epsilon;
    return 1;
}

/* ---- from above, what is apart ---- */

typedef struct
{
    shuf_pair_t pair;
    shuf_law_t law;
    size_t unit; /* the smaller of those of one unit counts */
} bound;

/* The largest of the units'. */
typedef struct
{
    bound *bound;
    size_t count;
    shuf_real_t loss;
} apart_data;

static void apart_clear(shuf_law_struct *self)
{
    apart_data *d = self->data;
    size_t i;
    for (i = 0; i < d->count; i++)
    {
        shuf_law_clear(d->bound[i].law);
        shuf_pair_clear(d->bound[i].pair);
    }
    flint_free(d->bound);
    shuf_real_clear(d->loss);
    flint_free(d);
}

/* Whether it is the last one of its unit. */
static int ends_unit(const apart_data *d, size_t i)
{
    return i + 1 == d->count || d->bound[i + 1].unit != d->bound[i].unit;
}

static shuf_status apart_evaluate(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                                  const shuf_options *options)
{
    const apart_data *d = self->data;
    arf_ptr least = arf_vec_init(count), most = arf_vec_init(count), a = arf_vec_init(count), b = arf_vec_init(count);
    shuf_status status = SHUF_OK;
    size_t i;
    slong j;
    for (j = 0; j < count; j++)
    {
        arf_zero(lo + j);
        arf_zero(hi + j);
    }
    for (i = 0; i < d->count; i++)
    {
        const shuf_law_struct *law = d->bound[i].law;
        const int begins = i == 0 || ends_unit(d, i - 1), ends = ends_unit(d, i);
        if (law->evaluate(a, b, law, direction, s, count, options) != SHUF_OK)
            status = SHUF_ACCURACY;
        for (j = 0; j < count; j++)
        {
            if (begins || arf_cmp(a + j, least + j) < 0)
                arf_set(least + j, a + j);
            if (begins || arf_cmp(b + j, most + j) < 0)
                arf_set(most + j, b + j);
            if (ends && arf_cmp(least + j, lo + j) > 0)
                arf_set(lo + j, least + j);
            if (ends && arf_cmp(most + j, hi + j) > 0)
                arf_set(hi + j, most + j);
        }
    }
    arf_vec_clear(least, count); arf_vec_clear(most, count);
    arf_vec_clear(a, count); arf_vec_clear(b, count);
    return status;
}

static int apart_max_loss(shuf_real_t loss, const shuf_law_struct *self)
{
    const apart_data *d = self->data;
    shuf_real_set(loss, d->loss);
    return 1;
}

typedef enum { APART_DELTA, APART_EPSILON, APART_RENYI } apart_what;

static shuf_status bound_value(shuf_enclosure_t r, const shuf_law_struct *law, const shuf_real_t x, apart_what what, shuf_direction direction, const shuf_options *options)
{
    return what == APART_RENYI ? law->renyi(r, law, x, direction, options) : (what == APART_EPSILON ? law->epsilon : law->delta)(r, NULL, law, x, direction, options);
}

/* The largest number of all units. */
static shuf_status apart_point(shuf_enclosure_t r, const shuf_law_struct *self, const shuf_real_t x, apart_what what, shuf_direction direction,
                               const shuf_options *options)
{
    const apart_data *d = self->data;
    const double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t one, least;
    shuf_status status = SHUF_OK;
    size_t i;
    shuf_enclosure_init(one);
    shuf_enclosure_init(least);
    shuf_enclosure_zero(r);
    for (i = 0; i < d->count; i++)
    {
        const shuf_law_struct *law = d->bound[i].law;
        const int begins = i == 0 || ends_unit(d, i - 1);
        shuf_share(&o, limit, 1 / (double) (d->count - i));
        if (bound_value(one, law, x, what, direction, &o) == SHUF_DOMAIN)
            shuf_enclosure_unknown(one, what == APART_DELTA);
        if (begins || arf_cmp(one->hi, least->hi) < 0)
            shuf_enclosure_set(least, one);
        if (!ends_unit(d, i))
            continue;
        status = least->status == SHUF_DOMAIN || status == SHUF_OK ? least->status : status;
        shuf_enclosure_max(r, r, least);
    }
    shuf_enclosure_clear(one);
    shuf_enclosure_clear(least);
    if (status == SHUF_DOMAIN)
        return shuf_enclosure_unknown(r, what == APART_DELTA);
    return r->status = status;
}

static shuf_status apart_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                               shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return apart_point(r, self, eps, APART_DELTA, direction, options);
}

static shuf_status apart_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                                 shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return apart_point(r, self, delta, APART_EPSILON, direction, options);
}

static shuf_status apart_renyi(shuf_enclosure_t r, const shuf_law_struct *self, const shuf_real_t order, shuf_direction direction, const shuf_options *options)
{
    return apart_point(r, self, order, APART_RENYI, direction, options);
}

/* One more pair, to be set, of the last unit or a new one. */
static shuf_pair_struct *add_bound(apart_data *d, int is_new)
{
    bound *x = &d->bound[d->count];
    x->unit = d->count == 0 ? 0 : d->bound[d->count - 1].unit + (size_t) is_new;
    shuf_pair_init(x->pair);
    d->count++;
    return x->pair;
}

static void set_bounds(apart_data *d)
{
    shuf_real_t loss;
    size_t i;
    shuf_real_init(loss);
    for (i = 0; i < d->count; i++)
    {
        shuf_law_set_pair(d->bound[i].law, d->bound[i].pair);
        shuf_pair_max_loss(loss, d->bound[i].pair);
        if (i == 0 || shuf_real_cmp(loss, d->loss) > 0)
            shuf_real_set(d->loss, loss);
    }
    shuf_real_clear(loss);
}

/* Of more different k krr-weak takes long. Steers only. */
#define MOST_WEAK 8

/* krr-weak of users with k values; of so many that some are left out of it, clones, too. */
static void add_krr(apart_data *d, const ranked *list, size_t count, uint64_t k, int has_few)
{
    shuf_pair_struct *pair = add_bound(d, 1);
    if (has_few)
        set_weak(pair, list, count, k);
    if (!has_few || pair->n == GROUPS_WEAK_USERS)
        set_clones(has_few ? add_bound(d, 0) : pair, list, count, k);
}

int groups_has_weak(const groups_entry *entry, size_t count)
{
    size_t found, i, different = 0;
    ranked *list = rank(&found, entry, count, by_k);
    for (i = 0; i < found; i++)
        different += i == 0 || list[i].of.k != list[i - 1].of.k;
    rank_clear(list, found);
    return different <= MOST_WEAK;
}

/* Coq: Groups.groups_apart. */
void groups_apart(shuf_law_t law, const groups_entry *entry, size_t count)
{
    apart_data *d = flint_calloc(1, sizeof(*d));
    const int has_few = groups_has_weak(entry, count);
    size_t found, i;
    ranked *list = rank(&found, entry, count, by_rate), *each = rank(&found, entry, count, by_k);
    d->bound = flint_calloc(2 * count, sizeof(*d->bound));
    shuf_real_init(d->loss);
    for (i = 0; i < count; i++)
        if (entry[i].k == 0)
            shuf_pair_set_eps0(add_bound(d, 1), SHUF_PAIR_CLONES_STRONGER, entry[i].users, entry[i].eps0);
    for (i = 0; i < found; i++)
        if (i == 0 || each[i].of.k != each[i - 1].of.k)
            add_krr(d, list, found, each[i].of.k, has_few);
    rank_clear(list, found);
    rank_clear(each, found);
    set_bounds(d);
    shuf_law_init(law);
    law->data = d;
    law->clear = apart_clear;
    law->evaluate = apart_evaluate;
    law->max_loss = apart_max_loss;
    law->delta = apart_delta;
    law->epsilon = apart_epsilon;
    law->renyi = apart_renyi;
    law->symmetric = 1;
}
