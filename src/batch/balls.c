/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Balls-and-bins batches: proofs/dpsgd.md, Theorem 1. An epoch is the pair of shuffle/gaussian.h with the directions exchanged; its profile, for
 * several epochs, is known at nodes and lies between two polygons through them (pld/polygon.h).
 */
#include "batch/batch_law.h"

#include <math.h>

#include "enclosure/steer.h"
#include "batch/convex_sum.h"
#include "batch/batch_nodes.h"
#include "shuffle/gaussian.h"

/* How the nodes are evaluated. */
typedef struct
{
    batch_nodes nodes;
    slong first, next; /* nodes of the first chunk, of the others */
    double share[2];   /* of the work that is left, for a chunk of each direction */
} placing;

/* By lines of the transform (shuffle/gaussian.h), where there are enough steps and there is enough noise for them to be quick; else by sums. Steers only. */
#define LINE_STEPS 5
#define LINE_NOISE 1.0
static const placing by_lines = { { 600, 5, 1 / 400.0, 8192 }, 3000, 64, { 0.4, 0.4 } };
static const batch_nodes by_sums = { 200, 5, 1 / 400.0, 4096 };

/* How fine the cells of sums are, of so many steps and of more, and how far they reach: as far as LEAST_LOG. Steers only. */
#define FEW_STEPS 16
#define FINE 0.01
#define COARSE 0.02
#define REACH 20

/* Digits of a value in the first chunk and beyond. Steer only. */
#define NODE_DIGITS 6
#define FAR_DIGITS 4

/* The most that a chunk beyond the first may take. Steers only. */
#define MOST_WORK 2e9

typedef struct
{
    shuf_real_t noise;
    uint64_t steps;
    polygon_t above, below;
    shuf_law_t above_law, below_law;
    int known;
} balls_struct;

static shuf_direction turned(shuf_direction direction)
{
    return direction == SHUF_DIRECTION_BOTH ? direction : direction == SHUF_DIRECTION_PQ ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
}

/* ---- single points ---- */

static shuf_status law_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                             shuf_direction direction, const shuf_options *options)
{
    const balls_struct *x = self->data;
    (void) where;
    return shuf_gaussian_delta(r, x->steps, x->noise, eps, turned(direction), options);
}

static shuf_status law_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                               shuf_direction direction, const shuf_options *options)
{
    const balls_struct *x = self->data;
    (void) where;
    return shuf_gaussian_epsilon(r, x->steps, x->noise, delta, turned(direction), options);
}

/* ---- nodes ---- */

/* The values of a direction at so many nodes; returns whether the last one is known well. */
static int evaluate_nodes(polygon_node *node, slong count, const balls_struct *x, int d, const shuf_options *options)
{
    shuf_enclosure_struct *r = flint_malloc((size_t) count * sizeof(*r));
    shuf_real_struct *eps = flint_malloc((size_t) count * sizeof(*eps));
    shuf_direction direction = turned(d == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP);
    slong i;
    int known;
    for (i = 0; i < count; i++)
    {
        shuf_enclosure_init(&r[i]);
        shuf_real_init(&eps[i]);
        shuf_real_set_log_fmpq(&eps[i], node[i].alpha);
    }
    if (x->steps < LINE_STEPS)
        shuf_gaussian_deltas(r, x->steps, x->noise, eps, count, direction, options);
    else
        shuf_gaussian_nodes(r, x->steps, x->noise, eps, count, direction, options);
    known = r[count - 1].status == SHUF_OK;
    for (i = 0; i < count; i++)
    {
        arf_swap(node[i].lo[d], r[i].lo);
        arf_swap(node[i].hi[d], r[i].hi);
        shuf_enclosure_clear(&r[i]);
        shuf_real_clear(&eps[i]);
    }
    flint_free(r);
    flint_free(eps);
    return known;
}

/* Both directions, as far as they matter; where one ends first, it is at most what it was there. Returns the number of nodes. */
static slong evaluate_by_lines(polygon_node *node, slong count, const balls_struct *x, double limit)
{
    const placing *p = &by_lines;
    shuf_options o = { NODE_DIGITS, 0.0 };
    slong end[2] = { 1, 1 }, most, i;
    int d;
    for (d = 0; d < 2; d++)
    {
        int known = 1;
        for (i = 0; i < count && known && !shuf_exhausted(limit); i = end[d])
        {
            end[d] = FLINT_MIN(i + (i == 0 ? p->first : p->next), count);
            o.digits = i == 0 ? NODE_DIGITS : FAR_DIGITS;
            shuf_share(&o, limit, p->share[d]);
            if (i > 0 && !(o.max_work > 0 && o.max_work < MOST_WORK))
                o.max_work = MOST_WORK;
            known = evaluate_nodes(node + i, end[d] - i, x, d, &o) && steer_log(node[end[d] - 1].hi[d]) > LEAST_LOG;
        }
    }
    most = FLINT_MAX(end[0], end[1]);
    for (d = 0; d < 2; d++)
        for (i = end[d]; i < most; i++)
            arf_set(node[i].hi[d], node[i - 1].hi[d]);
    return most;
}

static polygon_node *set_by_lines(slong *count, const balls_struct *x, const shuf_options *options)
{
    double limit = shuf_limit(options);
    shuf_options o = { NODE_DIGITS, 0.0 };
    polygon_node *node = batch_nodes_init(&by_lines.nodes);
    shuf_share(&o, limit, 0.1);
    evaluate_nodes(node, 1, x, 0, &o);
    *count = batch_nodes_place(node, &by_lines.nodes, arf_get_d(node->hi[0], ARF_RND_NEAR), fmpq_get_d(x->noise->q));
    *count = evaluate_by_lines(node, *count, x, limit);
    return node;
}

static polygon_node *set_by_sums(slong *count, const balls_struct *x, const convex_cells *cells)
{
    polygon_node *node = batch_nodes_init(&by_sums);
    convex_sum_t sum[2];
    slong i;
    int d;
    for (i = 0; i < 2; i++)
    {
        convex_sum_init(sum[i]);
        convex_sum_set(sum[i], cells, x->steps, i == 1);
    }
    *count = batch_nodes_place(node, &by_sums, convex_sum_value(sum[1], 1, 0), fmpq_get_d(x->noise->q));
    for (i = 0; i < *count; i++)
    {
        for (d = 0; d < 2; d++)
        {
            arf_set_d(node[i].lo[d], convex_sum_value(sum[0], fmpq_get_d(node[i].alpha), d));
            arf_set_d(node[i].hi[d], fmin(1, convex_sum_value(sum[1], fmpq_get_d(node[i].alpha), d)));
        }
    }
    for (i = 0; i < 2; i++)
        convex_sum_clear(sum[i]);
    return node;
}

static void prepare(const shuf_law_struct *self, const shuf_options *options)
{
    balls_struct *x = self->data;
    const convex_cells cells = { x->noise->q, x->steps <= FEW_STEPS ? FINE : COARSE, REACH };
    const int sums = (x->steps < LINE_STEPS || fmpq_get_d(x->noise->q) < LINE_NOISE) && convex_sum_exists(&cells, (double) x->steps);
    polygon_node *node;
    slong count;
    if (x->known)
        return;
    node = sums ? set_by_sums(&count, x, &cells) : set_by_lines(&count, x, options);
    polygon_set_above(x->above, node, count, 0);
    polygon_set_below(x->below, node, count, 0);
    x->known = 1;
    batch_nodes_clear(node, sums ? &by_sums : &by_lines.nodes);
}

/* ---- the profile ---- */

/* Between the two polygons. */
static shuf_status evaluate(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                            const shuf_options *options)
{
    const balls_struct *x = self->data;
    arf_ptr unused = flint_malloc((size_t) count * sizeof(arf_struct));
    slong i;
    for (i = 0; i < count; i++)
        arf_init(unused + i);
    x->above_law->evaluate(unused, hi, x->above_law, direction, s, count, options);
    x->below_law->evaluate(lo, unused, x->below_law, direction, s, count, options);
    for (i = 0; i < count; i++)
        arf_clear(unused + i);
    flint_free(unused);
    return SHUF_ACCURACY;
}

/* ---- the law ---- */

static void balls_clear(shuf_law_struct *self)
{
    balls_struct *x = self->data;
    shuf_real_clear(x->noise);
    polygon_clear(x->above);
    polygon_clear(x->below);
    flint_free(x);
}

void batch_law_balls(shuf_law_t law, const fmpq_t noise, uint64_t steps)
{
    balls_struct *x = flint_calloc(1, sizeof(*x));
    shuf_real_init(x->noise);
    shuf_real_set_fmpq(x->noise, noise);
    x->steps = steps;
    polygon_init(x->above);
    polygon_init(x->below);
    polygon_law(x->above_law, x->above);
    polygon_law(x->below_law, x->below);
    shuf_law_init(law);
    law->delta = law_delta;
    law->epsilon = law_epsilon;
    law->prepare = prepare;
    law->clear = balls_clear;
    law->evaluate = evaluate;
    law->data = x;
}
