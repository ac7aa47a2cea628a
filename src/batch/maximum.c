/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Shuffled batches and random allocation from below, by the largest of the steps: proofs/dpsgd.md, Theorems 3, 5 and 11. */
#include "batch/batch_law.h"

#include <math.h>

#include "batch/cells.h"
#include "enclosure/elementary.h"
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

/* ---- the law of the maximum ---- */

/* above := Pr[M >= C], below := Pr[M < C], C in millionths; the steps in which the record takes part are shifted. */
static void set_tails(arb_t above, arb_t below, const told_epoch *x, slong C, slong shift)
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
static void set_range(double *low, double *high, const told_epoch *x)
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
    const told_epoch *x;
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
static void best_of(shuf_enclosure_t r, slong *C, const told_epoch *x, shuf_direction direction, const shuf_real_t eps,
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
    shuf_enclosure_set_value(r, v, PREC);
    arb_clear(v);
    arb_clear(g.alpha);
    arb_clear(g.delta);
}

/* The better of both directions, or the one that is asked for. */
static shuf_status best_value(shuf_enclosure_t r, shuf_datasets *where, const told_epoch *x, shuf_direction direction, const shuf_real_t eps,
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
static void set_masses(arb_ptr masses, const told_epoch *x, slong shift)
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

static void make_cells(told_epoch *x)
{
    arb_ptr p = _arb_vec_init(CELLS), q = _arb_vec_init(CELLS);
    set_masses(p, x, x->shift[0]);
    set_masses(q, x, x->shift[1]);
    told_set_cells(x, p, q, CELLS);
    _arb_vec_clear(p, CELLS);
    _arb_vec_clear(q, CELLS);
}

/* By whoever comes first, on an account of its own: who that is depends on the threads. */
static void need_cells(told_epoch *x)
{
    budget_state state;
    pthread_mutex_lock(&x->lock);
    if (!x->has_cells)
    {
        budget_save(&state);
        make_cells(x);
        budget_restore(&state);
    }
    pthread_mutex_unlock(&x->lock);
}

static int loss_of_cells(shuf_loss_t loss, const shuf_law_struct *self, shuf_direction direction, slong prec)
{
    need_cells(self->data);
    return told_loss(loss, self, direction, prec);
}

static shuf_status evaluate(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                            const shuf_options *options)
{
    (void) options;
    need_cells(self->data);
    told_profile(lo, hi, self->data, direction, s, count);
    return SHUF_OK;
}

void batch_law_maximum(shuf_law_t law, const fmpq_t noise, uint64_t steps, uint64_t taking, slong with, slong without)
{
    told_law_init(law, noise, steps, taking, with, without);
    law->delta = law_delta;
    law->epsilon = law_epsilon;
    law->evaluate = evaluate;
    law->loss = loss_of_cells;
}
