/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Shuffled batches and random allocation from below, by the largest of the steps: proofs/dpsgd.md, Theorems 3, 5 and 11. */
#include "../enclosure/elementary.h"
#include "batch/batch_law.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "enclosure/parallel.h"
#include "enclosure/steer.h"

#define PREC 192 /* steers only */

/* Cells of the line, and how far they reach below and above where the maximum is, in standard deviations of the noise: steer only, as any cells are valid. */
#define CELLS 2048
#define REACH_BELOW 8
#define REACH_ABOVE 12

/* Thresholds are whole numbers of millionths: steers only, as any are valid. */
#define MILLION 1000000

/* Units of work of a tail of the maximum. Steers only. */
#define TAIL_WORK 40000.0

/* Logarithms of ratios, as doubles, are this near, if they are no larger than that: proofs/dpsgd.md, In numbers. */
#define NEAR 0x1p-24
#define LARGEST_LOG 0x1p22

typedef struct
{
    double log_ratio; /* of p/q */
    arb_struct p, q;
} cell_struct;

typedef struct
{
    fmpq_t noise;
    uint64_t steps, taking;
    slong shift[2];       /* of the steps in which the record takes part: with it, without it */
    pthread_mutex_t lock; /* of the cells, which are made when they are first asked for */
    slong count;          /* of those that are sorted by p/q, the largest first; 0: not made yet */
    double *log_ratio;
    arb_ptr p, q;         /* sums of the first i cells, 0 <= i <= count */
    arb_t lost_p, lost_q; /* of the other cells */
} maximum_struct;

/* ---- the law of the maximum ---- */

/* above := Pr[M >= C], below := Pr[M < C], C in millionths; the steps in which the record takes part are shifted. */
static void set_tails(arb_t above, arb_t below, const maximum_struct *x, slong C, slong shift)
{
    arb_t noise, t, one, rest;
    arb_init(noise);
    arb_init(t);
    arb_init(one);
    arb_init(rest);
    shuf_charge(TAIL_WORK);
    arb_set_fmpq(noise, x->noise, PREC);
    arb_set_si(t, C);
    arb_div_ui(t, t, MILLION, PREC);
    arb_div(rest, t, noise, PREC);
    shuf_normal_tail(rest, rest, PREC);
    arb_sub_si(t, t, shift, PREC);
    arb_div(one, t, noise, PREC);
    shuf_normal_tail(one, one, PREC);
    arb_neg(rest, rest);
    arb_neg(one, one);
    arb_log1p(rest, rest, PREC);
    arb_log1p(one, one, PREC);
    arb_mul_ui(one, one, x->taking, PREC);
    arb_addmul_ui(one, rest, x->steps - x->taking, PREC);
    arb_exp(below, one, PREC);
    arb_expm1(above, one, PREC);
    arb_neg(above, above);
    arb_clear(noise);
    arb_clear(t);
    arb_clear(one);
    arb_clear(rest);
}

/* Where the maximum is: hardly below low, hardly above high. */
static void set_range(double *low, double *high, const maximum_struct *x)
{
    double noise, typical = sqrt(2 * d_log((double) x->steps));
    arb_t t;
    arb_init(t);
    arb_set_fmpq(t, x->noise, 64);
    noise = steer_midpoint(t);
    *low = (typical - REACH_BELOW) * noise;
    *high = (typical + REACH_ABOVE) * noise + 2;
    arb_clear(t);
}

/* ---- single points ---- */

/* What a threshold is good for: delta at alpha, or e^eps at delta. */
typedef struct
{
    const maximum_struct *x;
    shuf_direction direction;
    arb_t alpha, delta;
    int to_delta;
} goal_struct;

/* v := delta, or the largest e^eps; PQ looks at [C, inf), QP at what is below C. */
static void gain(arb_t v, const goal_struct *g, slong C)
{
    arb_t above[2], below[2], *side = g->direction == SHUF_DIRECTION_PQ ? above : below;
    const int first = g->direction == SHUF_DIRECTION_PQ ? 0 : 1;
    int i;
    for (i = 0; i < 2; i++)
    {
        arb_init(above[i]);
        arb_init(below[i]);
        set_tails(above[i], below[i], g->x, C, g->x->shift[i]);
    }
    if (g->to_delta)
    {
        arb_mul(v, g->alpha, side[1 - first], PREC);
        arb_sub(v, side[first], v, PREC);
    }
    else
    {
        arb_sub(v, side[first], g->delta, PREC);
        arb_div(v, v, side[1 - first], PREC);
    }
    if (!arb_is_finite(v))
        arb_zero(v);
    for (i = 0; i < 2; i++)
    {
        arb_clear(above[i]);
        arb_clear(below[i]);
    }
}

/* Points of the first look at the line. Steers only. */
#define FIRST_LOOK 48

/* The best threshold that is found: of some all over the line, then between the neighbours of the best of those by thirds. */
static slong best_threshold(const goal_struct *g)
{
    double low, high;
    slong from, to, best, C, a, b;
    arb_t v, most;
    int i;
    arb_init(v);
    arb_init(most);
    set_range(&low, &high, g->x);
    from = (slong) floor(low * MILLION);
    to = (slong) ceil(high * MILLION);
    for (i = 0, best = from; i <= FIRST_LOOK; i++)
    {
        C = from + (slong) ((double) (to - from) * i / FIRST_LOOK);
        gain(v, g, C);
        if (i == 0 || arf_cmp(arb_midref(v), arb_midref(most)) > 0)
        {
            arb_set(most, v);
            best = C;
        }
    }
    C = (to - from) / FIRST_LOOK + 1;
    for (a = best - C, b = best + C; b - a > 2 && !shuf_exhausted(0);)
    {
        slong left = a + (b - a) / 3, right = b - (b - a) / 3;
        gain(most, g, left);
        gain(v, g, right);
        if (arf_cmp(arb_midref(most), arb_midref(v)) >= 0)
            b = right;
        else
            a = left;
    }
    arb_clear(v);
    arb_clear(most);
    return a + (b - a) / 2;
}

/* r := the best of a direction, as it is printed; *C its threshold. */
static void best_of(shuf_enclosure_t r, slong *C, const maximum_struct *x, shuf_direction direction, const shuf_real_t eps,
                    const shuf_real_t delta)
{
    goal_struct g = { .x = x, .direction = direction, .to_delta = eps != NULL };
    arb_t v;
    arb_init(v);
    arb_init(g.alpha);
    arb_init(g.delta);
    if (eps != NULL)
        shuf_real_exp(g.alpha, eps, PREC);
    else
        shuf_real_get_arb(g.delta, delta, PREC);
    *C = best_threshold(&g);
    gain(v, &g, *C);
    if (eps == NULL)
    {
        /* an eps below 0 is none */
        arb_sub_ui(g.alpha, v, 1, PREC);
        arb_nonnegative_part(g.alpha, g.alpha);
        arb_log1p(v, g.alpha, PREC);
    }
    arb_nonnegative_part(v, v);
    shuf_enclosure_set_arb(r, v, PREC);
    if (arf_sgn(r->lo) < 0)
        arf_zero(r->lo);
    arb_clear(v);
    arb_clear(g.alpha);
    arb_clear(g.delta);
}

/* The better of both directions, or the one that is asked for. */
static shuf_status best_value(shuf_enclosure_t r, shuf_datasets *where, const maximum_struct *x, shuf_direction direction, const shuf_real_t eps,
                              const shuf_real_t delta, const shuf_options *options)
{
    double start = shuf_work();
    shuf_enclosure_t other;
    slong C, second;
    best_of(r, &C, x, direction == SHUF_DIRECTION_QP ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, eps, delta);
    if (direction == SHUF_DIRECTION_BOTH)
    {
        shuf_enclosure_init(other);
        best_of(other, &second, x, SHUF_DIRECTION_QP, eps, delta);
        if (arf_cmp(other->lo, r->lo) > 0)
        {
            shuf_enclosure_set(r, other);
            C = second;
        }
        shuf_enclosure_clear(other);
    }
    if (where != NULL)
    {
        where->has_threshold = 1;
        where->threshold = C;
    }
    r->ledger.work = shuf_work() - start;
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

static shuf_status law_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                             shuf_direction direction, const shuf_options *options)
{
    return best_value(r, where, self->data, direction, eps, NULL, options);
}

static shuf_status law_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                               shuf_direction direction, const shuf_options *options)
{
    return best_value(r, where, self->data, direction, NULL, delta, options);
}

/* ---- the cells ---- */

/* masses[i] := that of cell i under the law with that shift. */
static void set_masses(arb_ptr masses, const maximum_struct *x, slong shift)
{
    double low, high;
    arb_t above, next, below;
    slong i;
    arb_init(above);
    arb_init(next);
    arb_init(below);
    set_range(&low, &high, x);
    arb_one(above);
    for (i = 0; i < CELLS; i++)
    {
        arb_zero(next);
        if (i + 1 < CELLS)
            set_tails(next, below, x, (slong) floor((low + (high - low) * (double) i / (CELLS - 2)) * MILLION), shift);
        arb_sub(masses + i, above, next, PREC);
        arb_nonnegative_part(masses + i, masses + i);
        arb_swap(above, next);
    }
    arb_clear(above);
    arb_clear(next);
    arb_clear(below);
}

/* Whether its logarithm is known as a double. */
static int is_known(const arb_t mass)
{
    return arb_is_positive(mass) && arb_rel_accuracy_bits(mass) >= 53 && fabs(steer_log(arb_midref(mass))) <= LARGEST_LOG;
}

static int compare_cells(const void *a, const void *b)
{
    const cell_struct *x = a, *y = b;
    return x->log_ratio > y->log_ratio ? -1 : x->log_ratio < y->log_ratio;
}

static void make_cells(maximum_struct *x)
{
    cell_struct *cell = flint_malloc(CELLS * sizeof(*cell));
    arb_ptr p = _arb_vec_init(CELLS), q = _arb_vec_init(CELLS);
    slong i, count = 0;
    set_masses(p, x, x->shift[0]);
    set_masses(q, x, x->shift[1]);
    for (i = 0; i < CELLS; i++)
    {
        if (!is_known(p + i) || !is_known(q + i))
        {
            arb_add(x->lost_p, x->lost_p, p + i, PREC);
            arb_add(x->lost_q, x->lost_q, q + i, PREC);
            continue;
        }
        cell[count].p = p[i];
        cell[count].q = q[i];
        cell[count++].log_ratio = steer_log(arb_midref(p + i)) - steer_log(arb_midref(q + i));
    }
    qsort(cell, (size_t) count, sizeof(*cell), compare_cells);
    x->log_ratio = flint_malloc(CELLS * sizeof(double));
    x->p = _arb_vec_init(CELLS + 1);
    x->q = _arb_vec_init(CELLS + 1);
    for (i = 0; i < count; i++)
    {
        x->log_ratio[i] = cell[i].log_ratio;
        arb_add(x->p + i + 1, x->p + i, &cell[i].p, PREC);
        arb_add(x->q + i + 1, x->q + i, &cell[i].q, PREC);
    }
    x->count = count;
    _arb_vec_clear(p, CELLS);
    _arb_vec_clear(q, CELLS);
    flint_free(cell);
}

/* By whoever comes first, on an account of its own: who that is depends on the threads. */
static void need_cells(maximum_struct *x)
{
    budget_state state;
    pthread_mutex_lock(&x->lock);
    if (x->log_ratio == NULL)
    {
        budget_save(&state);
        make_cells(x);
        budget_restore(&state);
    }
    pthread_mutex_unlock(&x->lock);
}

/* How many of the cells have a log ratio of more than s. */
static slong cells_above(const maximum_struct *x, double s)
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
 * The sum of (p - alpha q)_+ over all cells, or of (q - alpha p)_+. From below that of the cells where it is certainly positive; from above
 * there are besides those with a ratio next to alpha, where |p - alpha q| <= 2^-22 alpha q, and the lost ones.
 */
static void profile_at(arf_t lo, arf_t hi, const maximum_struct *x, shuf_direction direction, const arf_t s)
{
    const int forward = direction == SHUF_DIRECTION_PQ;
    double at = arf_get_d(s, ARF_RND_NEAR);
    slong inner = forward ? cells_above(x, at + NEAR) : cells_above(x, -at - NEAR), outer = forward ? cells_above(x, at - NEAR) : cells_above(x, NEAR - at);
    arb_srcptr first = forward ? x->p : x->q, second = forward ? x->q : x->p;
    arb_t alpha, v, more;
    arf_t most;
    arb_init(alpha);
    arb_init(v);
    arb_init(more);
    arf_init(most);
    arb_set_arf(alpha, s);
    arb_exp(alpha, alpha, PREC);
    /* forward the first ones, else the last ones */
    arb_set(v, first + inner);
    arb_set(more, second + inner);
    if (!forward)
    {
        arb_sub(v, first + x->count, v, PREC);
        arb_sub(more, second + x->count, more, PREC);
    }
    arb_submul(v, alpha, more, PREC);
    arb_nonnegative_part(v, v);
    arb_get_lbound_arf(lo, v, PREC);
    arb_sub(more, second + outer, second + inner, PREC);
    arb_abs(more, more);
    arb_mul(more, more, alpha, PREC);
    arb_mul_2exp_si(more, more, -22);
    arb_add(v, v, more, PREC);
    arb_add(v, v, forward ? x->lost_p : x->lost_q, PREC);
    arb_get_ubound_arf(hi, v, PREC);
    /* no more than the masses: of a large alpha the errors are larger */
    arb_set(v, first + outer);
    if (!forward)
        arb_sub(v, first + x->count, v, PREC);
    arb_add(v, v, forward ? x->lost_p : x->lost_q, PREC);
    arb_get_ubound_arf(most, v, PREC);
    arf_min(hi, hi, most);
    if (arf_sgn(lo) < 0)
        arf_zero(lo);
    if (arf_cmp_si(hi, 1) > 0)
        arf_one(hi);
    arb_clear(alpha);
    arb_clear(v);
    arb_clear(more);
    arf_clear(most);
}

#define MASS_BITS 80 /* of a cell whose loss is told: steers only */

/* The cells; one of them that is not known is lost. */
static int loss_of_cells(shuf_loss_t loss, const shuf_law_struct *self, shuf_direction direction, slong prec)
{
    maximum_struct *x = self->data;
    arb_t other;
    slong i;
    need_cells(x);
    if (x->count == 0)
        return 0;
    arb_init(other);
    shuf_loss_set_count(loss, x->count);
    arb_set(loss->lost, direction == SHUF_DIRECTION_PQ ? x->lost_p : x->lost_q);
    for (i = 0; i < x->count; i++)
    {
        arb_srcptr p = direction == SHUF_DIRECTION_PQ ? x->p + i : x->q + i, q = direction == SHUF_DIRECTION_PQ ? x->q + i : x->p + i;
        arb_sub(&loss->mass[i], p + 1, p, prec);
        arb_sub(other, q + 1, q, prec);
        arb_div(&loss->value[i], &loss->mass[i], other, prec);
        arb_log(&loss->value[i], &loss->value[i], prec);
        if (arb_rel_accuracy_bits(&loss->mass[i]) >= MASS_BITS && arb_rel_accuracy_bits(other) >= MASS_BITS)
            continue;
        arb_add(loss->lost, loss->lost, &loss->mass[i], prec);
        arb_zero(&loss->mass[i]);
        arb_zero(&loss->value[i]);
    }
    arb_clear(other);
    return 1;
}

/* Units of work of a value. Steers only. */
#define VALUE_WORK 3000.0

static shuf_status evaluate(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                            const shuf_options *options)
{
    maximum_struct *x = (maximum_struct *) self->data;
    slong i;
    (void) options;
    need_cells(x);
    shuf_charge(VALUE_WORK * (double) count);
    for (i = 0; i < count; i++)
        profile_at(lo + i, hi + i, x, direction, s + i);
    return SHUF_OK;
}

static int same(const shuf_law_struct *self, const shuf_law_struct *other)
{
    const maximum_struct *x = self->data, *y = other->data;
    return fmpq_equal(x->noise, y->noise) && x->steps == y->steps && x->taking == y->taking && x->shift[0] == y->shift[0] && x->shift[1] == y->shift[1];
}

/* ---- the law ---- */

static void maximum_clear(shuf_law_struct *self)
{
    maximum_struct *x = self->data;
    if (x->log_ratio != NULL)
    {
        flint_free(x->log_ratio);
        _arb_vec_clear(x->p, CELLS + 1);
        _arb_vec_clear(x->q, CELLS + 1);
    }
    fmpq_clear(x->noise);
    arb_clear(x->lost_p);
    arb_clear(x->lost_q);
    pthread_mutex_destroy(&x->lock);
    flint_free(x);
}

void batch_law_maximum(shuf_law_t law, const fmpq_t noise, uint64_t steps, uint64_t taking, slong with, slong without)
{
    maximum_struct *x = flint_calloc(1, sizeof(*x));
    fmpq_init(x->noise);
    fmpq_set(x->noise, noise);
    x->steps = steps;
    x->taking = taking;
    x->shift[0] = with;
    x->shift[1] = without;
    pthread_mutex_init(&x->lock, NULL);
    arb_init(x->lost_p);
    arb_init(x->lost_q);
    shuf_law_init(law);
    law->delta = law_delta;
    law->epsilon = law_epsilon;
    law->clear = maximum_clear;
    law->evaluate = evaluate;
    law->loss = loss_of_cells;
    law->data = x;
    law->same = same;
}
