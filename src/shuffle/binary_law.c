/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "shuffle/binary_law.h"

/* Bits of the probabilities. Steers only. */
#define PREC 256

/* ---- the bits of a randomiser ---- */

int binary_reports(const shuf_randomiser_t r)
{
    return (r->kind == SHUF_RANDOMISER_MATRIX && r->outputs == 2)
           || ((r->kind == SHUF_RANDOMISER_KRR || r->kind == SHUF_RANDOMISER_SUBSET) && r->inputs == 2);
}

/* p := y/(y+1), rest := 1/(y+1), y = e^x */
static void set_logistic(arb_t p, arb_t rest, const shuf_real_t x)
{
    arb_t y;
    arb_init(y);
    shuf_real_exp(y, x, PREC);
    arb_add_ui(rest, y, 1, PREC);
    arb_inv(rest, rest, PREC);
    arb_mul(p, y, rest, PREC);
    arb_clear(y);
}

/* Of randomised response: p = 1 - q. */
static void set_response(binary_t x, uint64_t n, const shuf_real_t eps0)
{
    x->users = n;
    set_logistic(x->bits->p, x->bits->q, eps0);
    arb_set(x->bits->p_rest, x->bits->q);
    arb_set(x->bits->q_rest, x->bits->p);
    x->mirrored = 1;
    x->has_loss = 1;
    shuf_real_set(x->largest_loss, eps0);
}

static void set_rest(arb_t rest, const fmpq_t p)
{
    fmpq_t t;
    fmpq_init(t);
    fmpq_sub_si(t, p, 1);
    fmpq_neg(t, t);
    arb_set_fmpq(rest, t, PREC);
    fmpq_clear(t);
}

/* The probabilities of rational bits, p >= q. */
static void set_bits(binary_t x, uint64_t n, const fmpq_t p, const fmpq_t q)
{
    fmpq_t t, u;
    fmpq_init(t);
    fmpq_init(u);
    x->users = n;
    arb_set_fmpq(x->bits->p, p, PREC);
    set_rest(x->bits->p_rest, p);
    arb_set_fmpq(x->bits->q, q, PREC);
    set_rest(x->bits->q_rest, q);
    fmpq_add(t, p, q);
    x->mirrored = fmpq_is_one(t);
    x->has_loss = fmpq_sgn(q) > 0 && fmpq_cmp_si(p, 1) < 0;
    if (x->has_loss)
    {
        /* the larger of p/q and (1-q)/(1-p) */
        fmpq_div(t, p, q);
        shuf_real_set_log_fmpq(x->largest_loss, t);
        fmpq_sub_si(t, q, 1);
        fmpq_sub_si(u, p, 1);
        fmpq_div(t, t, u);
        fmpq_div(u, p, q);
        if (fmpq_cmp(t, u) > 0)
            shuf_real_set_log_fmpq(x->largest_loss, t);
    }
    fmpq_clear(t);
    fmpq_clear(u);
}

/* A one is the first output of a matrix; most and least are the inputs with its largest and smallest probability. */
static void set_matrix(binary_t x, uint64_t *most, uint64_t *least, const shuf_randomiser_t r, uint64_t n)
{
    uint64_t i;
    *most = *least = 0;
    for (i = 1; i < r->inputs; i++)
    {
        if (fmpq_cmp(&r->row[2 * i], &r->row[2 * *most]) > 0)
            *most = i;
        if (fmpq_cmp(&r->row[2 * i], &r->row[2 * *least]) < 0)
            *least = i;
    }
    set_bits(x, n, &r->row[2 * *most], &r->row[2 * *least]);
    if (*most == *least)
        *least = *most == 0 ? 1 : 0;
}

static void set_reports(binary_t x, uint64_t *most, uint64_t *least, const shuf_randomiser_t r, uint64_t n)
{
    if (r->kind == SHUF_RANDOMISER_MATRIX)
    {
        set_matrix(x, most, least, r, n);
        return;
    }
    set_response(x, n, r->eps0);
    *most = 0;
    *least = 1;
}

/* So many of the users, at least one, report. */
static void set_drawn(binary_t x, uint64_t drawn)
{
    shuf_real_t least;
    fmpq_t rate;
    x->absent = x->users - drawn;
    if (x->absent == 0 || !x->has_loss)
        return;
    shuf_real_init(least);
    fmpq_init(rate);
    fmpz_set_ui(fmpq_numref(rate), drawn);
    fmpz_set_ui(fmpq_denref(rate), x->users);
    fmpq_canonicalise(rate);
    shuf_sampled_loss(least, x->largest_loss, x->largest_loss, rate);
    shuf_real_clear(least);
    fmpq_clear(rate);
}

/* One entry of the sum: a bit that is set is reported as a one with probability p, one that is not with q. */
static void set_entry(binary_t x, const shuf_randomiser_t r, uint64_t n)
{
    shuf_real_t half;
    switch (r->kind)
    {
    case SHUF_RANDOMISER_UNARY:
        set_bits(x, n, r->one, r->zero);
        break;
    case SHUF_RANDOMISER_OUE:
        set_response(x, n, r->eps0);
        arb_one(x->bits->p);
        arb_mul_2exp_si(x->bits->p, x->bits->p, -1);
        arb_set(x->bits->p_rest, x->bits->p);
        x->mirrored = 0; /* a largest loss of eps0 will do */
        break;
    default:
        shuf_real_init(half);
        shuf_real_undo_twice(half, r->eps0); /* the eps0 of deletion */
        set_response(x, n, half);
        shuf_real_clear(half);
    }
}

/* ---- laws ---- */

struct law_data;

/* What a law shows of the data. */
typedef struct
{
    struct law_data *law;
    binary_view view;
} law_view;

typedef struct law_data
{
    binary_t x;
    uint64_t most, least;
    law_view first, second;
    binary_table *table, *second_table;
    shuf_law_t other; /* of a product, by the second view */
    int is_worst; /* the table is that of the worst data, and NULL until it is prepared */
} law_data;

static void data_clear(law_data *d)
{
    if (d->second_table != d->table)
        binary_free(d->second_table);
    binary_free(d->table);
    binary_clear(d->x);
    flint_free(d);
}

static law_data *data_of(const shuf_law_struct *self)
{
    const law_view *v = self->data;
    return v->law;
}

static void clear(shuf_law_struct *self)
{
    data_clear(data_of(self));
}

static law_data *data_init(void)
{
    law_data *d = flint_calloc(1, sizeof(*d));
    binary_init(d->x);
    d->first.law = d->second.law = d;
    return d;
}

/* Digits that the table of the worst data aims at, and its share of the work of a preparation. Steer only. */
#define TABLE_DIGITS 6
#define TABLE_SHARE 0.7

/* Another try may have more work. */
static void prepare(const shuf_law_struct *self, const shuf_options *options)
{
    law_data *d = data_of(self);
    shuf_options o = { TABLE_DIGITS, 0.0 };
    if (d->table != NULL)
        return;
    shuf_share(&o, shuf_limit(options), TABLE_SHARE);
    d->table = binary_worst(d->x, &o);
    d->first.view.table = d->second.view.table = d->table;
}

/* Units of work of a value. Steers only. */
#define VALUE_WORK 15000.0

static shuf_status evaluate(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                            const shuf_options *options)
{
    const law_view *v = self->data;
    const binary_struct *x = v->law->x;
    slong i;
    (void) options;
    shuf_charge(VALUE_WORK * (double) count);
    for (i = 0; i < count; i++)
    {
        if (x->has_loss && shuf_real_cmp_arf(x->largest_loss, s + i) <= 0)
        {
            arf_zero(lo + i);
            arf_zero(hi + i);
        }
        else if (v->view.table == NULL)
        {
            arf_zero(lo + i);
            arf_one(hi + i);
        }
        else
        {
            binary_value(lo + i, hi + i, &v->view, direction, s + i);
        }
    }
    return SHUF_ACCURACY;
}

static int loss(shuf_loss_t out, const shuf_law_struct *self, shuf_direction direction, slong prec)
{
    const law_view *v = self->data;
    return binary_loss(out, &v->view, direction, prec);
}

static int max_loss(shuf_real_t loss, const shuf_law_struct *self)
{
    const law_view *v = self->data;
    if (v->law->x->has_loss)
        shuf_real_set(loss, v->law->x->largest_loss);
    return v->law->x->has_loss;
}

/* A law by its view, without its values. */
static void set_law(shuf_law_t law, law_view *view)
{
    shuf_law_init(law);
    law->data = view;
    law->clear = clear;
}

static void set_values(shuf_law_t law, int symmetric)
{
    law->evaluate = evaluate;
    law->loss = loss;
    law->symmetric = symmetric;
    law->max_loss = max_loss;
}

/* The law is the product of both views. */
static void set_product(shuf_law_t law, law_data *d, int symmetric)
{
    set_law(law, &d->first);
    set_values(law, symmetric);
    shuf_law_init(d->other);
    d->other->data = &d->second;
    set_values(d->other, symmetric);
    law->second = d->other;
}

/* `ones` users hold the input with the largest probability. */
static void set_where(shuf_datasets *where, const law_data *d, const binary_data *data)
{
    int forward = data->direction == SHUF_DIRECTION_PQ;
    where->x = forward ? d->most : d->least;
    where->x1 = forward ? d->least : d->most;
    where->others = d->least;
    where->second = d->most;
    where->count = data->ones;
}

static shuf_status point_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                               shuf_direction direction, const shuf_options *options)
{
    const law_data *d = data_of(self);
    binary_data data;
    shuf_status status = binary_delta(r, &data, d->x, eps, direction, !d->is_worst, options);
    set_where(where, d, &data);
    return status;
}

static shuf_status point_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                                 shuf_direction direction, const shuf_options *options)
{
    const law_data *d = data_of(self);
    binary_data data;
    shuf_status status = binary_epsilon(r, &data, d->x, delta, direction, !d->is_worst, options);
    set_where(where, d, &data);
    return status;
}

static void set_points(shuf_law_t law, law_data *d)
{
    set_law(law, &d->first);
    law->delta = point_delta;
    law->epsilon = point_epsilon;
}

void binary_law_worst(shuf_law_t law, const shuf_randomiser_t randomiser, uint64_t n, uint64_t drawn)
{
    law_data *d = data_init();
    set_reports(d->x, &d->most, &d->least, randomiser, n);
    set_drawn(d->x, drawn);
    d->is_worst = d->first.view.either = 1;
    set_points(law, d);
    set_values(law, 1);
    law->prepare = prepare;
}

void binary_law_data(shuf_law_t law, const shuf_randomiser_t randomiser, uint64_t n, uint64_t drawn)
{
    law_data *d = data_init();
    set_reports(d->x, &d->most, &d->least, randomiser, n);
    set_drawn(d->x, drawn);
    set_points(law, d);
}

int binary_law_rounds(shuf_law_t law, shuf_datasets *where, const shuf_randomiser_t randomiser, uint64_t n, uint64_t drawn)
{
    law_data *d = data_init();
    binary_data data;
    set_reports(d->x, &d->most, &d->least, randomiser, n);
    set_drawn(d->x, drawn);
    if (binary_choose(&data, d->x, SHUF_DIRECTION_BOTH))
        d->first.view.table = d->table = binary_of(d->x, data.ones);
    if (d->table == NULL)
    {
        data_clear(d);
        return 0;
    }
    set_where(where, d, &data);
    d->first.view.exchanged = data.direction == SHUF_DIRECTION_QP;
    set_law(law, &d->first);
    set_values(law, 0);
    return 1;
}

/* ---- sums ---- */

void binary_law_sum(shuf_law_t law, const shuf_randomiser_t randomiser, uint64_t n)
{
    law_data *d = data_init();
    set_entry(d->x, randomiser, n);
    d->is_worst = d->second.view.exchanged = 1;
    set_product(law, d, d->x->mirrored);
    law->prepare = prepare;
}

/*
 * Entry 0 goes from set to not set, entry 1 the other way. Data where nobody
 * else holds 0 or 1 need a third value; if the others hold one of the two, the
 * entries of a symmetric RAPPOR are alike.
 */
int binary_law_sum_data(shuf_law_t law, shuf_datasets *where, const shuf_randomiser_t randomiser, uint64_t n)
{
    law_data *d = data_init();
    binary_data first, second;
    uint64_t ones, others;
    set_entry(d->x, randomiser, n);
    others = n - 1;
    binary_choose(&first, d->x, SHUF_DIRECTION_PQ);
    binary_choose(&second, d->x, SHUF_DIRECTION_QP);
    ones = first.ones;
    where->x = 0;
    where->x1 = 1;
    if (!d->x->mirrored && shuf_randomiser_has_third(randomiser) && first.ones + second.ones < others / 2)
    {
        ones = second.ones = 0;
        where->others = 2;
        where->second = 0;
        where->count = 0;
    }
    else
    {
        second.ones = others - ones;
        where->others = 1;
        where->second = 0;
        where->count = ones;
    }
    d->table = binary_of(d->x, ones);
    d->second_table = binary_of(d->x, second.ones);
    if (d->table == NULL || d->second_table == NULL)
    {
        data_clear(d);
        return 0;
    }
    d->first.view.table = d->table;
    d->second.view.table = d->second_table;
    d->second.view.exchanged = 1;
    set_product(law, d, 0);
    return 1;
}
