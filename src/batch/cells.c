/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "batch/cells.h"

#include <math.h>
#include <stdlib.h>

#include "enclosure/steer.h"

#define PREC 192 /* steers only */

/* Logarithms of ratios, as doubles, are this near, if they are no larger than that: proofs/dpsgd.md, In numbers. */
#define NEAR 0x1p-24
#define LARGEST_LOG 0x1p22

typedef struct
{
    double log_ratio;
    slong index;
} place_struct;

static int by_falling_ratio(const void *a, const void *b)
{
    const place_struct *x = a, *y = b;
    if (x->log_ratio != y->log_ratio)
        return x->log_ratio > y->log_ratio ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* Whether its logarithm is known as a double. */
static int is_known(const arf_t mass)
{
    return arf_sgn(mass) > 0 && arf_is_finite(mass) && fabs(steer_log(mass)) <= LARGEST_LOG;
}

/* Of so many cells, whose masses on the first and second data p and q enclose: those with masses of which logarithms are known. */
static void cells_init(cells_struct *x, arb_srcptr p, arb_srcptr q, slong count)
{
    place_struct *place = flint_malloc((size_t) (count + 1) * sizeof(*place));
    arf_t least, most;
    slong i;
    arf_init(least);
    arf_init(most);
    for (i = 0, x->count = 0; i < count; i++)
    {
        arb_get_lbound_arf(least, p + i, PREC);
        arb_get_ubound_arf(most, q + i, PREC);
        if (!is_known(least) || !is_known(most))
            continue;
        place[x->count].log_ratio = steer_log(least) - steer_log(most);
        place[x->count++].index = i;
    }
    qsort(place, (size_t) x->count, sizeof(*place), by_falling_ratio);
    x->log_ratio = flint_malloc((size_t) (x->count + 1) * sizeof(double));
    x->p = _arb_vec_init(x->count);
    x->q = _arb_vec_init(x->count);
    x->sum_p = _arb_vec_init(x->count + 1);
    x->sum_q = _arb_vec_init(x->count + 1);
    for (i = 0; i < x->count; i++)
    {
        x->log_ratio[i] = place[i].log_ratio;
        arb_get_lbound_arf(arb_midref(x->p + i), p + place[i].index, PREC);
        arb_get_ubound_arf(arb_midref(x->q + i), q + place[i].index, PREC);
        arb_add(x->sum_p + i + 1, x->sum_p + i, x->p + i, PREC);
        arb_add(x->sum_q + i + 1, x->sum_q + i, x->q + i, PREC);
    }
    arf_clear(least);
    arf_clear(most);
    flint_free(place);
}

static void cells_clear(cells_struct *x)
{
    flint_free(x->log_ratio);
    _arb_vec_clear(x->p, x->count);
    _arb_vec_clear(x->q, x->count);
    _arb_vec_clear(x->sum_p, x->count + 1);
    _arb_vec_clear(x->sum_q, x->count + 1);
}

/* How many of the cells have a log ratio of more than s. */
static slong cells_above(const cells_struct *x, double s)
{
    slong low = 0, high = x->count;
    while (low < high)
    {
        slong middle = (low + high) / 2;
        if (x->log_ratio[middle] > s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * lo <= sum of (p - e^s q)_+ <= hi, from below by the cells where it is certainly positive; from above there are besides those with a ratio next to alpha, where
 * |p - alpha q| <= 2^-22 alpha q.
 */
static void cells_profile(arf_t lo, arf_t hi, const cells_struct *x, const arf_t s)
{
    const double at = arf_get_d(s, ARF_RND_NEAR);
    const slong inner = cells_above(x, at + NEAR), outer = cells_above(x, at - NEAR);
    arb_t alpha, v, more;
    arf_t most;
    arb_init(alpha); arb_init(v); arb_init(more);
    arf_init(most);
    arb_set_arf(alpha, s);
    arb_exp(alpha, alpha, PREC);
    arb_set(v, x->sum_p + inner);
    arb_submul(v, alpha, x->sum_q + inner, PREC);
    arb_nonnegative_part(v, v);
    arb_get_lbound_arf(lo, v, PREC);
    arb_sub(more, x->sum_q + outer, x->sum_q + inner, PREC);
    arb_abs(more, more);
    arb_mul(more, more, alpha, PREC);
    arb_mul_2exp_si(more, more, -22);
    arb_add(v, v, more, PREC);
    arb_get_ubound_arf(hi, v, PREC);
    /* no more than the masses: of a large alpha the errors are larger */
    arb_get_ubound_arf(most, x->sum_p + outer, PREC);
    arf_min(hi, hi, most);
    shuf_ends_cut(lo, hi);
    arb_clear(alpha); arb_clear(v); arb_clear(more);
    arf_clear(most);
}

void cells_delta(arb_t v, const cells_struct *x, const shuf_real_t eps)
{
    slong i;
    arb_t alpha;
    arb_init(alpha);
    shuf_real_get_arb(alpha, eps, PREC);
    i = cells_above(x, steer_midpoint(alpha));
    shuf_real_exp(alpha, eps, PREC);
    arb_set(v, x->sum_p + i);
    arb_submul(v, alpha, x->sum_q + i, PREC);
    arb_nonnegative_part(v, v);
    arb_clear(alpha);
}

void cells_epsilon(arb_t v, const cells_struct *x, const shuf_real_t delta)
{
    double at, most = 0;
    slong i, best = 0;
    arb_t t;
    arb_init(t);
    shuf_real_get_arb(t, delta, PREC);
    at = steer_midpoint(t);
    for (i = 1; i <= x->count; i++)
    {
        const double ratio = (steer_midpoint(x->sum_p + i) - at) / steer_midpoint(x->sum_q + i);
        if (ratio > most)
        {
            most = ratio;
            best = i;
        }
    }
    arb_zero(v);
    if (best > 0)
    {
        arb_sub(t, x->sum_p + best, t, PREC);
        arb_div(t, t, x->sum_q + best, PREC);
        arb_sub_ui(t, t, 1, PREC);
        arb_nonnegative_part(t, t);
        arb_log1p(v, t, PREC);
    }
    arb_clear(t);
}

static void told_clear(shuf_law_struct *self)
{
    told_epoch *x = self->data;
    int i;
    if (x->has_cells)
    {
        cells_clear(&x->cells[0]);
        cells_clear(&x->cells[1]);
    }
    for (i = 0; i < 2; i++)
        _arb_vec_clear(x->mass[i], x->count);
    fmpq_clear(x->noise);
    pthread_mutex_destroy(&x->lock);
    flint_free(x);
}

/* Who tells something else evaluates it in another way. */
static int told_same(const shuf_law_struct *self, const shuf_law_struct *other)
{
    const told_epoch *x = self->data, *y = other->data;
    return self->evaluate == other->evaluate && x->count == 0 && y->count == 0 && fmpq_equal(x->noise, y->noise) && x->steps == y->steps && x->taking == y->taking
           && x->shift[0] == y->shift[0] && x->shift[1] == y->shift[1];
}

void told_law_init(shuf_law_t law, const fmpq_t noise, uint64_t steps, uint64_t taking, slong with, slong without)
{
    told_epoch *x = flint_calloc(1, sizeof(*x));
    fmpq_init(x->noise);
    fmpq_set(x->noise, noise);
    x->steps = steps;
    x->taking = taking;
    x->shift[0] = with;
    x->shift[1] = without;
    pthread_mutex_init(&x->lock, NULL);
    shuf_law_init(law);
    law->clear = told_clear;
    law->same = told_same;
    law->loss = told_loss;
    law->data = x;
}

void told_set_cells(told_epoch *x, arb_srcptr with, arb_srcptr without, slong count)
{
    cells_init(&x->cells[0], with, without, count);
    cells_init(&x->cells[1], without, with, count);
    x->has_cells = 1;
}

/* Units of work of a value. Steers only. */
#define VALUE_WORK 3000.0

void told_profile(arf_ptr lo, arf_ptr hi, const told_epoch *x, shuf_direction direction, arf_srcptr s, slong count)
{
    slong i;
    shuf_charge(VALUE_WORK * (double) count);
    for (i = 0; i < count; i++)
        cells_profile(lo + i, hi + i, &x->cells[direction == SHUF_DIRECTION_QP], s + i);
}

int told_loss(shuf_loss_t loss, const shuf_law_struct *self, shuf_direction direction, slong prec)
{
    const told_epoch *e = self->data;
    const cells_struct *x = &e->cells[direction == SHUF_DIRECTION_QP];
    slong i;
    if (!e->has_cells || x->count == 0)
        return 0;
    shuf_loss_set_count(loss, x->count);
    for (i = 0; i < x->count; i++)
    {
        arb_set(loss->mass + i, x->p + i);
        arb_div(loss->value + i, x->p + i, x->q + i, prec);
        arb_log(loss->value + i, loss->value + i, prec);
    }
    return 1;
}
