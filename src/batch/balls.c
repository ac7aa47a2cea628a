/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Balls-and-bins batches: proofs/dpsgd.md, Theorem 1. An epoch is the pair of shuffle/gaussian.h with the directions exchanged; its profile, for
 * several epochs, is known at nodes and lies between two polygons through them (pld/polygon.h).
 */
#include "batch/batch_law.h"

#include <math.h>

#include "enclosure/steer.h"
#include "pld/polygon.h"
#include "shuffle/gaussian.h"

/*
 * Nodes: so many to a standard deviation of the loss for the first FINE of them, then twice as far apart for half as many, and so on; a deviation
 * is about DEVIATION times the total variation distance.
 */
#define STEPS_PER_DEVIATION 16.0
#define FINE 64
#define MOST_NODES 512
#define DEVIATION 2.5

/* Nothing that is asked for depends on a smaller divergence of an epoch. */
#define LEAST_LOG (-200.0)

/* Digits of a value. */
#define NODE_DIGITS 6

typedef struct
{
    shuf_real_t noise;
    uint64_t steps;
    polygon_t above, below;
    shuf_profile above_profile, below_profile;
    int known;
} balls_struct;

static shuf_direction turned(shuf_direction direction)
{
    return direction == SHUF_DIRECTION_BOTH ? direction : direction == SHUF_DIRECTION_PQ ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
}

/* ---- single points ---- */

static shuf_status law_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_shuffled_law_struct *self, const shuf_real_t eps,
                             shuf_direction direction, const shuf_options *options)
{
    const balls_struct *x = self->data;
    (void) where;
    return shuf_gaussian_delta(r, x->steps, x->noise, eps, turned(direction), options);
}

static shuf_status law_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_shuffled_law_struct *self, const shuf_real_t delta,
                               shuf_direction direction, const shuf_options *options)
{
    const balls_struct *x = self->data;
    (void) where;
    return shuf_gaussian_epsilon(r, x->steps, x->noise, delta, turned(direction), options);
}

/* ---- nodes ---- */

/* A loss from which on the Gaussian mechanism, of which an epoch has no more, is as small as it need be. */
static double last_loss(const balls_struct *x)
{
    double a;
    arb_t t;
    arb_init(t);
    shuf_real_get_arb(t, x->noise, 64);
    arb_inv(t, t, 64);
    a = steer_midpoint(t);
    arb_clear(t);
    return a * a / 2 + sqrt(-2 * LEAST_LOG) * a;
}

/* Returns the number of nodes; the first is at 1, where the total variation distance is about `distance`. */
static slong place_nodes(polygon_node *node, double distance, double last)
{
    double step = DEVIATION * fmin(fmax(distance, 1e-12), 1) / STEPS_PER_DEVIATION, s = 0;
    slong i, fine = FINE;
    for (i = 1; i < MOST_NODES && s < last; i++)
    {
        s += step;
        if (i == fine)
        {
            step *= 2;
            fine += FINE / 2;
        }
        polygon_node_place(&node[i], s);
    }
    return i;
}

/* The values of a direction at all nodes. */
static void evaluate_nodes(polygon_node *node, slong count, const balls_struct *x, int d, const shuf_options *options)
{
    shuf_enclosure_struct *r = flint_malloc((size_t) count * sizeof(*r));
    shuf_real_struct *eps = flint_malloc((size_t) count * sizeof(*eps));
    slong i;
    for (i = 0; i < count; i++)
    {
        shuf_enclosure_init(&r[i]);
        shuf_real_init(&eps[i]);
        shuf_real_set_log_fmpq(&eps[i], node[i].alpha);
    }
    shuf_gaussian_deltas(r, x->steps, x->noise, eps, count, turned(d == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP), options);
    for (i = 0; i < count; i++)
    {
        arf_swap(node[i].lo[d], r[i].lo);
        arf_swap(node[i].hi[d], r[i].hi);
        shuf_enclosure_clear(&r[i]);
        shuf_real_clear(&eps[i]);
    }
    flint_free(r);
    flint_free(eps);
}

static void prepare(const shuf_shuffled_law_struct *self, const shuf_options *options)
{
    balls_struct *x = self->data;
    double limit = shuf_limit(options);
    shuf_options o = { NODE_DIGITS, 0.0 };
    polygon_node *node;
    slong i, count = 1;
    int d;
    if (x->known)
        return;
    node = flint_malloc(MOST_NODES * sizeof(*node));
    for (i = 0; i < MOST_NODES; i++)
    {
        polygon_node_init(&node[i]);
        fmpq_one(node[i].alpha);
    }
    shuf_share(&o, limit, 0.1);
    evaluate_nodes(node, 1, x, 0, &o);
    count = place_nodes(node, arf_get_d(node->hi[0], ARF_RND_NEAR), last_loss(x));
    for (d = 0; d < 2; d++)
    {
        shuf_share(&o, limit, d == 0 ? 0.5 : 1);
        evaluate_nodes(node, count, x, d, &o);
    }
    polygon_set_above(x->above, node, count, 0);
    polygon_set_below(x->below, node, count, 0);
    x->known = 1;
    for (i = 0; i < MOST_NODES; i++)
        polygon_node_clear(&node[i]);
    flint_free(node);
}

/* ---- the profile ---- */

/* Between the two polygons. */
static shuf_status evaluate(arf_ptr lo, arf_ptr hi, const shuf_profile *self, shuf_direction direction, arf_srcptr s, slong count,
                            const shuf_options *options)
{
    const balls_struct *x = self->data;
    arf_ptr unused = flint_malloc((size_t) count * sizeof(arf_struct));
    slong i;
    for (i = 0; i < count; i++)
        arf_init(unused + i);
    x->above_profile.evaluate(unused, hi, &x->above_profile, direction, s, count, options);
    x->below_profile.evaluate(lo, unused, &x->below_profile, direction, s, count, options);
    for (i = 0; i < count; i++)
        arf_clear(unused + i);
    flint_free(unused);
    return SHUF_ACCURACY;
}

static int same(const shuf_profile *self, const shuf_profile *other)
{
    const balls_struct *x = self->data, *y = other->data;
    /* the nodes are found with what each has left of the work */
    return x == y;
}

/* ---- the law ---- */

static void balls_clear(void *data)
{
    balls_struct *x = data;
    shuf_real_clear(x->noise);
    polygon_clear(x->above);
    polygon_clear(x->below);
    flint_free(x);
}

void batch_law_balls(shuf_shuffled_law_t law, const fmpq_t noise, uint64_t steps)
{
    balls_struct *x = flint_calloc(1, sizeof(*x));
    shuf_real_init(x->noise);
    shuf_real_set_fmpq(x->noise, noise);
    x->steps = steps;
    polygon_init(x->above);
    polygon_init(x->below);
    polygon_profile(&x->above_profile, x->above);
    polygon_profile(&x->below_profile, x->below);
    law->delta = law_delta;
    law->epsilon = law_epsilon;
    law->prepare = prepare;
    law->at_nodes = 1;
    law->data = x;
    law->clear = balls_clear;
    shuf_profile_init(&law->profile);
    law->profile.evaluate = evaluate;
    law->profile.data = x;
    law->profile.same = same;
}
