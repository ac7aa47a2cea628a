/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "shuffle/groups_law.h"

#include "enclosure/arf_vec.h"
#include "shuffle/bit_sum.h"

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
}

/* ---- from above, all groups together ---- */

/* mean := the geometric mean of what the users hold with it, all but one of the largest. */
static void set_mean(arb_t mean, const groups_entry *entry, size_t count, uint64_t k, uint64_t others)
{
    const size_t left_out = groups_narrowest(entry, count);
    arb_t t;
    size_t i;
    arb_init(t);
    arb_zero(mean);
    for (i = 0; i < count; i++)
    {
        set_other(t, entry[i].eps0, k);
        arb_log(t, t, PREC);
        arb_mul_ui(t, t, entry[i].users - (i == left_out), PREC);
        arb_add(mean, mean, t, PREC);
        shuf_charge(2 * shuf_cost_exp(PREC));
    }
    arb_div_ui(mean, mean, others, PREC);
    arb_exp(mean, mean, PREC);
    arb_clear(t);
}

void groups_blanket(shuf_pair_t pair, const groups_entry *entry, size_t count, uint64_t k)
{
    uint64_t n = 0;
    size_t i;
    arb_t x;
    fmpq_t w0, w1, r;
    arb_init(x);
    fmpq_init(w0); fmpq_init(w1); fmpq_init(r);
    for (i = 0; i < count; i++)
        n += entry[i].users;
    set_other(x, entry[groups_widest(entry, count)].eps0, 2);
    shuf_ball_end(w1, x, 0, RATIONAL_BITS);
    fmpq_one(w0);
    fmpq_sub(w0, w0, w1);
    fmpq_set_ui(r, 1, k);
    if (n > 1)
    {
        set_mean(x, entry, count, k, n - 1);
        shuf_ball_end(r, x, 0, RATIONAL_BITS);
    }
    shuf_pair_set_trinomial(pair, n, w0, w1, r, r);
    arb_clear(x);
    fmpq_clear(w0); fmpq_clear(w1); fmpq_clear(r);
}

/* ---- from below: whether reports are 0 ---- */

typedef struct
{
    bit_group *group;   /* the other users */
    size_t count;
    arb_t p, q, p_rest, q_rest; /* of the user who differs */
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
    arb_clear(d->p); arb_clear(d->q); arb_clear(d->p_rest); arb_clear(d->q_rest);
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
    arb_mul(gain, alpha, mirrored ? d->p_rest : d->q, PREC);
    arb_sub(gain, mirrored ? d->q_rest : d->p, gain, PREC);
    bit_sum_divergence(lo, hi, d->sum, gain, less, mirrored);
    shuf_charge(2 * shuf_cost_exp(PREC));
    arb_clear(alpha); arb_clear(gain); arb_clear(less);
}

static shuf_status bits_evaluate(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                                 const shuf_options *options)
{
    const bits_data *d = self->data;
    arb_t eps;
    slong i;
    (void) options;
    arb_init(eps);
    for (i = 0; i < count; i++)
    {
        arb_set_arf(eps, s + i);
        if (shuf_real_cmp_arf(d->loss, s + i) <= 0)
        {
            arf_zero(lo + i);
            arf_zero(hi + i);
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
    if (direction == SHUF_DIRECTION_BOTH)
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

/* p, 1-p of a report that is 0 of a user who holds 0, or something else. */
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
    shuf_charge(2 * shuf_cost_exp(PREC));
    arb_clear(other);
}

void groups_bits(shuf_law_t law, const groups_entry *entry, size_t count, uint64_t k, uint64_t others)
{
    const size_t widest = groups_widest(entry, count);
    bits_data *d = flint_calloc(1, sizeof(*d));
    size_t i;
    d->group = flint_malloc(count * sizeof(*d->group));
    d->count = count;
    for (i = 0; i < count; i++)
    {
        arb_init(d->group[i].one);
        arb_init(d->group[i].rest);
        set_bit(d->group[i].one, d->group[i].rest, entry[i].eps0, k, others == 0);
        d->group[i].count = entry[i].users - (i == widest);
    }
    arb_init(d->p); arb_init(d->q); arb_init(d->p_rest); arb_init(d->q_rest);
    set_bit(d->p, d->p_rest, entry[widest].eps0, k, 1);
    set_bit(d->q, d->q_rest, entry[widest].eps0, k, 0);
    shuf_real_init(d->loss);
    shuf_real_set(d->loss, entry[widest].eps0);
    d->where = (shuf_datasets) { .x1 = 1, .others = others };
    shuf_law_init(law);
    law->data = d;
    law->clear = bits_clear;
    law->prepare = bits_prepare;
    law->evaluate = bits_evaluate;
    law->max_loss = bits_max_loss;
    law->delta = bits_delta;
    law->epsilon = bits_epsilon;
}

/* ---- from above, each group alone ---- */

typedef struct
{
    shuf_pair_t pair;
    shuf_law_t law;
} alone;

typedef struct
{
    alone *group;
    size_t count;
    shuf_real_t loss;
} apart_data;

static void apart_clear(shuf_law_struct *self)
{
    apart_data *d = self->data;
    size_t i;
    for (i = 0; i < d->count; i++)
    {
        shuf_law_clear(d->group[i].law);
        shuf_pair_clear(d->group[i].pair);
    }
    flint_free(d->group);
    shuf_real_clear(d->loss);
    flint_free(d);
}

static shuf_status apart_evaluate(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                                  const shuf_options *options)
{
    const apart_data *d = self->data;
    arf_ptr least = arf_vec_init(count), most = arf_vec_init(count);
    shuf_status status = SHUF_OK;
    size_t i;
    slong j;
    for (i = 0; i < d->count; i++)
    {
        const shuf_law_struct *law = d->group[i].law;
        if (law->evaluate(least, most, law, direction, s, count, options) != SHUF_OK)
            status = SHUF_ACCURACY;
        for (j = 0; j < count; j++)
        {
            if (i == 0 || arf_cmp(least + j, lo + j) > 0)
                arf_set(lo + j, least + j);
            if (i == 0 || arf_cmp(most + j, hi + j) > 0)
                arf_set(hi + j, most + j);
        }
    }
    arf_vec_clear(least, count);
    arf_vec_clear(most, count);
    return status;
}

static int apart_max_loss(shuf_real_t loss, const shuf_law_struct *self)
{
    const apart_data *d = self->data;
    shuf_real_set(loss, d->loss);
    return 1;
}

/* The largest delta, or eps, of all groups. */
static shuf_status apart_point(shuf_enclosure_t r, const shuf_law_struct *self, const shuf_real_t x, int want_epsilon, shuf_direction direction,
                               const shuf_options *options)
{
    const apart_data *d = self->data;
    const double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t one;
    shuf_status status = SHUF_OK;
    size_t i;
    shuf_enclosure_init(one);
    for (i = 0; i < d->count && status != SHUF_DOMAIN; i++)
    {
        const shuf_law_struct *law = d->group[i].law;
        shuf_status own;
        shuf_share(&o, limit, 1 / (double) (d->count - i));
        own = (want_epsilon ? law->epsilon : law->delta)(one, NULL, law, x, direction, &o);
        status = own == SHUF_DOMAIN || status == SHUF_OK ? own : status;
        if (i == 0)
            shuf_enclosure_set(r, one);
        else
            shuf_enclosure_max(r, r, one);
    }
    shuf_enclosure_clear(one);
    if (status == SHUF_DOMAIN)
        return shuf_enclosure_unknown(r, !want_epsilon);
    return r->status = status;
}

static shuf_status apart_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                               shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return apart_point(r, self, eps, 0, direction, options);
}

static shuf_status apart_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                                 shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return apart_point(r, self, delta, 1, direction, options);
}

void groups_apart(shuf_law_t law, const groups_entry *entry, size_t count)
{
    apart_data *d = flint_calloc(1, sizeof(*d));
    size_t i;
    d->group = flint_calloc(count, sizeof(*d->group));
    d->count = count;
    for (i = 0; i < count; i++)
    {
        shuf_pair_init(d->group[i].pair);
        shuf_pair_set_eps0(d->group[i].pair, SHUF_PAIR_CLONES_STRONGER, entry[i].users, entry[i].eps0);
        shuf_law_set_pair(d->group[i].law, d->group[i].pair);
    }
    shuf_real_init(d->loss);
    shuf_real_set(d->loss, entry[groups_widest(entry, count)].eps0);
    shuf_law_init(law);
    law->data = d;
    law->clear = apart_clear;
    law->evaluate = apart_evaluate;
    law->max_loss = apart_max_loss;
    law->delta = apart_delta;
    law->epsilon = apart_epsilon;
    law->symmetric = 1;
}
