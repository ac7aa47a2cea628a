/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "shuffle/described_law.h"

#include <math.h>
#include <string.h>

#include "enclosure/steer.h"
#include "pld/polygon.h"
#include "law/sampled_law.h"
#include "shuffle/moments.h"
#include "shuffle/terms.h"

/* One round of a described randomiser, and a bound of it. */
typedef struct
{
    const shuf_randomiser_struct *randomiser;
    shuf_sampling sampling;
    shuf_shuffled_kind kind;
    double start;
} bound_struct;

/* ---- single points ---- */

static shuf_status bound_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                               shuf_direction direction, const shuf_options *options)
{
    const bound_struct *b = self->data;
    (void) direction;
    return shuf_shuffled_sampled_delta(r, where, b->randomiser, &b->sampling, b->kind, eps, options);
}

static shuf_status bound_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                                 shuf_direction direction, const shuf_options *options)
{
    const bound_struct *b = self->data;
    (void) direction;
    return shuf_shuffled_sampled_epsilon(r, where, b->randomiser, &b->sampling, b->kind, delta, b->start, options);
}

static void bound_clear(shuf_law_struct *self)
{
    flint_free(self->data);
}

void described_law_point(shuf_law_t law, const shuf_randomiser_t randomiser, const shuf_sampling *sampling,
                           shuf_shuffled_kind kind)
{
    bound_struct *b = flint_malloc(sizeof(*b));
    *b = (bound_struct) { randomiser, *sampling, kind, 0 };
    shuf_law_init(law);
    law->delta = bound_delta;
    law->epsilon = bound_epsilon;
    law->start = &b->start;
    law->data = b;
    law->clear = bound_clear;
}

/* ---- profiles ---- */

/*
 * Nodes: to a standard deviation so many, for so many of them, and then twice as far apart for the next half as many, and so
 * on; the first share of a deviation is that of a Gaussian loss with the same total variation distance. Steer only.
 */
#define STEPS_PER_DEVIATION 8.0
#define FINE_NODES 32
#define NEAR_NODES 49 /* 1 more than a multiple of 4, as FINE_NODES is one */
#define MOST_NODES 100
#define DEVIATION 2.5

/* Digits of a value, and the share of what is left that one may take. Steer only. */
#define NODE_DIGITS 3
#define NODE_SHARE 0.25

#define KINDS_ABOVE 3 /* size of an array */

/* It begins with the polygon, which is the data of its law. */
typedef struct
{
    polygon_t polygon;
    bound_struct bound;
    shuf_datasets where;
    int chosen;             /* the data are given, or known by now */
    polygon_node *node;     /* NULL before the first are evaluated */
    moments_struct *moments[2]; /* from above, or of the data in each direction; NULL before the first is asked for */
    slong count;
    int finite;             /* the last one is the largest loss */
    int known[MOST_NODES];
    int lost[KINDS_ABOVE];  /* of single points from above: at so many of them, one after the other, it was not the smallest */
} nodes_struct;

static void nodes_clear(shuf_law_struct *self)
{
    nodes_struct *x = self->data;
    int i;
    polygon_clear(x->polygon);
    for (i = 0; i < MOST_NODES && x->node != NULL; i++)
        polygon_node_clear(&x->node[i]);
    flint_free(x->node);
    for (i = 0; i < 2; i++)
    {
        if (x->moments[i] != NULL)
            moments_clear(x->moments[i]);
        flint_free(x->moments[i]);
    }
    flint_free(x);
}

static void nodes_begin(nodes_struct *x)
{
    int i;
    x->node = flint_malloc(MOST_NODES * sizeof(*x->node));
    for (i = 0; i < MOST_NODES; i++)
    {
        polygon_node_init(&x->node[i]);
        fmpq_one(x->node[i].alpha);
    }
    x->count = 1;
}

/* loss := where the profile of a round is 0. Returns 0 if there is no such number. */
static int set_loss(shuf_real_t loss, const bound_struct *b)
{
    shuf_real_t eps0, lo;
    int finite;
    shuf_real_init(eps0);
    shuf_real_init(lo);
    finite = shuf_randomiser_eps0(eps0, b->randomiser);
    if (finite && b->sampling.is_poisson)
        shuf_real_set(loss, eps0); /* where all others stay away */
    else if (finite)
        shuf_sampled_loss(lo, loss, eps0, b->sampling.rate);
    shuf_real_clear(eps0);
    shuf_real_clear(lo);
    return finite;
}

/* Of the polygon, if there is one by now. */
static int max_loss(shuf_real_t loss, const shuf_law_struct *self)
{
    const nodes_struct *x = self->data;
    if (x->node == NULL)
        return set_loss(loss, &x->bound);
    if (x->polygon->has_loss)
        shuf_real_set(loss, x->polygon->loss);
    return x->polygon->has_loss;
}

/* q := a number at least e^loss, where the profile of a round is 0. Returns 0 if there is none. */
static int set_last(fmpq_t q, const bound_struct *b)
{
    shuf_real_t loss;
    arb_t t;
    int finite;
    shuf_real_init(loss);
    arb_init(t);
    finite = set_loss(loss, b);
    if (finite && loss->is_log)
    {
        fmpq_set(q, loss->q);
    }
    else if (finite)
    {
        shuf_real_exp(t, loss, 128);
        shuf_ball_end(q, t, 1, 64);
    }
    shuf_real_clear(loss);
    arb_clear(t);
    return finite;
}

/* The nodes 1 < .. for a profile that is about `distance` at 1, whose node is there. */
static void set_nodes(nodes_struct *x, double distance)
{
    double step = DEVIATION * fmin(fmax(distance, 1e-250), 1) / STEPS_PER_DEVIATION, s = 0;
    fmpq_t last;
    slong i, fine = FINE_NODES;
    fmpq_init(last);
    x->finite = set_last(last, &x->bound);
    for (i = 1; i < MOST_NODES - 1; i++)
    {
        s += step;
        if (i == fine)
        {
            step *= 2;
            fine += FINE_NODES / 2;
        }
        if (!polygon_node_place(&x->node[i], s))
            break;
        if (x->finite && fmpq_cmp(x->node[i].alpha, last) >= 0)
            break;
    }
    x->count = i;
    if (x->finite && fmpq_cmp(last, x->node[i - 1].alpha) > 0)
    {
        fmpq_set(x->node[i].alpha, last);
        x->known[i] = 1;
        x->count++;
    }
    fmpq_clear(last);
}

/* Evaluates node i; whether a later one is worth it. */
typedef int (*node_function)(nodes_struct *x, slong i, const shuf_options *options);

#define LEAST_LOG (-200.0) /* nothing that is asked for depends on a smaller divergence of a round: steers only */

/*
 * All nodes, until the work is spent: every fourth of those that matter for rounds, then those between them, and the far
 * ones last.
 */
static void evaluate_nodes(nodes_struct *x, node_function f, double limit)
{
    static const slong first[] = { 4, 2, 1, NEAR_NODES + 3, FINE_NODES + 2, FINE_NODES + 1 }, stride[] = { 4, 4, 2, 4, 4, 2 };
    static const slong end[] = { NEAR_NODES, FINE_NODES + 1, FINE_NODES + 1, MOST_NODES, MOST_NODES, MOST_NODES };
    shuf_options o = { NODE_DIGITS, 0.0 };
    slong i, last = x->count - (x->finite && x->count > 1);
    int pass;
    for (pass = 0; pass < 6; pass++)
        for (i = first[pass]; i < FLINT_MIN(last, end[pass]); i += stride[pass])
        {
            if (shuf_exhausted(limit))
                return;
            shuf_share(&o, limit, NODE_SHARE);
            if (!f(x, i, &o))
                break;
        }
}

/* A law without its functions. */
static nodes_struct *nodes_init(const shuf_randomiser_t randomiser, const shuf_sampling *sampling, shuf_shuffled_kind kind)
{
    nodes_struct *x = flint_calloc(1, sizeof(*x));
    x->bound = (bound_struct) { randomiser, *sampling, kind, 0 };
    polygon_init(x->polygon);
    return x;
}

/* The law of the polygon, which is made when it is prepared. */
static void set_law(shuf_law_t law, nodes_struct *x, void (*prepare)(const shuf_law_struct *, const shuf_options *))
{
    polygon_law(law, x->polygon);
    law->max_loss = max_loss;
    law->prepare = prepare;
    if (x->bound.randomiser->kind == SHUF_RANDOMISER_GAUSSIAN)
        shuf_law_set_moment_of_noise(law, x->bound.randomiser->scale->q, 1); /* as if they were seen */
    law->clear = nodes_clear;
}

/* The polygon of the nodes that are known. */
static void set_polygon(nodes_struct *x, void (*set)(polygon_t, const polygon_node *, slong, int))
{
    polygon_node *known = flint_malloc((size_t) x->count * sizeof(*known));
    slong i, count = 0;
    for (i = 0; i < x->count; i++)
        if (x->known[i])
            known[count++] = x->node[i];
    set(x->polygon, known, count, x->polygon->symmetric);
    flint_free(known);
}

/* ---- from above ---- */

/* hi := the smaller of it and that bound, if there is one. Returns whether it is that bound. */
static int lower_hi(polygon_node *node, int known, const bound_struct *b, shuf_shuffled_kind kind, const shuf_options *options)
{
    shuf_enclosure_t r;
    shuf_real_t eps;
    int lower;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    shuf_real_set_log_fmpq(eps, node->alpha);
    lower = shuf_shuffled_delta_at_once(r, NULL, b->randomiser, &b->sampling, kind, eps, options) != SHUF_DOMAIN
            && (!known || arf_cmp(r->hi, node->hi[0]) < 0);
    if (lower)
    {
        arf_swap(node->hi[0], r->hi);
        arf_set(node->hi[1], node->hi[0]);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    return lower;
}

static int by_local_profile(nodes_struct *x, slong i, const shuf_options *options)
{
    x->known[i] |= lower_hi(&x->node[i], x->known[i], &x->bound, SHUF_SHUFFLED_LOCAL_PROFILE, options);
    return steer_log(x->node[i].hi[0]) > LEAST_LOG;
}

static int by_swap(nodes_struct *x, slong i, const shuf_options *options)
{
    x->known[i] |= lower_hi(&x->node[i], x->known[i], &x->bound, SHUF_SHUFFLED_LOCAL_SWAP, options);
    return steer_log(x->node[i].hi[0]) > LEAST_LOG;
}

static int by_blanket(nodes_struct *x, slong i, const shuf_options *options)
{
    x->known[i] |= lower_hi(&x->node[i], x->known[i], &x->bound, SHUF_SHUFFLED_BLANKET, options);
    return steer_log(x->node[i].hi[0]) > LEAST_LOG;
}

/* hi := what moments say at s, of that case, or with NULL of the blanket. */
static void set_above(arf_t hi, nodes_struct *x, int which, const shuffled_case *only, const arf_t s)
{
    shuf_real_t loss;
    arf_one(hi);
    if (x->moments[which] == NULL)
    {
        shuf_real_init(loss);
        if (set_loss(loss, &x->bound))
        {
            x->moments[which] = flint_malloc(sizeof(moments_struct));
            moments_init(x->moments[which], x->bound.randomiser, &x->bound.sampling, only, loss);
        }
        shuf_real_clear(loss);
    }
    if (x->moments[which] != NULL)
        moments_above(hi, x->moments[which], s);
}

/* Beyond eps where the profile is so small, and with such a share of what work is left: steers only. */
#define FAR_LOG (-20.0)
#define FAR_SHARE 0.2

/* Far nodes of a loss that is bounded: what moments say there, if that is less. */
static void lower_far(nodes_struct *x, double limit)
{
    const double end = limit > 0 ? shuf_work() + FAR_SHARE * (limit - shuf_work()) : 0;
    slong i;
    arf_t s, hi;
    arb_t t;
    arf_init(s); arf_init(hi);
    arb_init(t);
    for (i = 1; i + 1 < x->count && x->finite && !shuf_exhausted(end); i++)
    {
        polygon_node *v = &x->node[i];
        if (x->known[i] && steer_log(v->hi[0]) > FAR_LOG)
            continue;
        arb_set_fmpq(t, v->alpha, 128);
        arb_log(t, t, 128);
        arb_get_lbound_arf(s, t, 64);
        set_above(hi, x, 0, NULL, s);
        if (!x->known[i] || arf_cmp(hi, v->hi[0]) < 0)
        {
            arf_set(v->hi[0], hi);
            arf_set(v->hi[1], hi);
        }
        x->known[i] = 1;
    }
    arf_clear(s); arf_clear(hi);
    arb_clear(t);
}

static void prepare_above(const shuf_law_struct *self, const shuf_options *options)
{
    nodes_struct *x = self->data;
    double limit = shuf_limit(options);
    shuf_options o = { NODE_DIGITS, 0.0 };
    shuf_real_t eps0;
    if (x->node != NULL)
        return;
    shuf_real_init(eps0);
    shuf_randomiser_eps0(eps0, x->bound.randomiser);
    nodes_begin(x);
    arf_one(x->node->hi[0]);
    arf_one(x->node->hi[1]);
    x->known[0] = 1;
    shuf_share(&o, limit, NODE_SHARE);
    by_local_profile(x, 0, &o);
    shuf_share(&o, limit, NODE_SHARE);
    by_blanket(x, 0, &o);
    set_nodes(x, arf_get_d(x->node->hi[0], ARF_RND_NEAR));
    if (x->finite)
        evaluate_nodes(x, by_local_profile, limit);
    if (x->finite && fmpq_is_one(x->bound.sampling.rate) && x->bound.sampling.n >= SHUF_SWAP_USERS
        && shuf_shuffled_is_far(eps0, x->bound.sampling.n))
        evaluate_nodes(x, by_swap, limit > 0 ? shuf_work() + NODE_SHARE * (limit - shuf_work()) : 0);
    evaluate_nodes(x, by_blanket, limit);
    lower_far(x, limit);
    set_polygon(x, polygon_set_above);
    shuf_real_clear(eps0);
}

/* A kind that was not the smallest at so many points, one after the other, is looked at no more. Steer only. */
#define MOST_LOST 12

static const shuf_shuffled_kind kinds_above[KINDS_ABOVE] = { SHUF_SHUFFLED_BLANKET, SHUF_SHUFFLED_LOCAL_PROFILE, SHUF_SHUFFLED_LOCAL_SWAP };

/* The smallest of them at one point, but for those that seem never to be. */
static shuf_status smallest_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                                  shuf_direction direction, const shuf_options *options)
{
    nodes_struct *x = self->data;
    const bound_struct *b = &x->bound;
    const double start = shuf_work(), limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t one;
    int i, least = 0;
    (void) direction;
    (void) where;
    shuf_enclosure_unknown(r, 1);
    arf_one(r->lo);
    for (i = 0; i < KINDS_ABOVE; i++)
    {
        if (x->lost[i] >= MOST_LOST || (kinds_above[i] == SHUF_SHUFFLED_LOCAL_SWAP && b->sampling.n < SHUF_SWAP_USERS))
            continue;
        shuf_enclosure_init(one);
        shuf_share(&o, limit, i == 0 ? 0.5 : 1);
        if (shuf_shuffled_sampled_delta(one, NULL, b->randomiser, &b->sampling, kinds_above[i], eps, &o) != SHUF_DOMAIN)
        {
            if (arf_cmp(one->hi, r->hi) < 0)
            {
                arf_swap(one->hi, r->hi);
                least = i;
            }
            arf_min(r->lo, r->lo, one->lo);
        }
        shuf_enclosure_clear(one);
    }
    for (i = 0; i < KINDS_ABOVE; i++)
        x->lost[i] = i == least ? 0 : x->lost[i] + 1;
    shuf_enclosure_width(r->ledger.discretisation, r);
    r->ledger.work = shuf_work() - start;
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

static void above_all(arf_t hi, const shuf_law_struct *self, shuf_direction direction, const arf_t s)
{
    (void) direction;
    set_above(hi, self->data, 0, NULL, s);
}

static shuf_status epsilon_by_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                                    shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return shuf_law_invert(r, self, delta, direction, SHUF_MAX_EPSILON, options);
}

/* Single points of a law of nodes. */
static void set_points(shuf_law_t law, shuf_status (*delta)(shuf_enclosure_t, shuf_datasets *, const shuf_law_struct *, const shuf_real_t, shuf_direction,
                                                            const shuf_options *))
{
    law->delta = delta;
    law->epsilon = epsilon_by_delta;
    law->has_cheap_points = 1;
    law->is_at_nodes = 1;
}

void described_law_above(shuf_law_t law, const shuf_randomiser_t randomiser, const shuf_sampling *sampling)
{
    nodes_struct *x = nodes_init(randomiser, sampling, SHUF_SHUFFLED_BLANKET);
    x->polygon->symmetric = 1;
    set_law(law, x, prepare_above);
    set_points(law, smallest_delta);
    law->above = above_all;
}

/* ---- from below ---- */

/* r := what the data have at eps in that direction, SHUF_DOMAIN if that is not told. */
static shuf_status delta_of_data(shuf_enclosure_t r, int direction, const nodes_struct *x, const shuf_real_t eps, const shuf_options *options)
{
    const bound_struct *b = &x->bound;
    if (b->kind != SHUF_SHUFFLED_GROUPED)
        return shuf_shuffled_named_delta(r, b->randomiser, &b->sampling, direction == 0 ? x->where.x : x->where.x1,
                                         direction == 0 ? x->where.x1 : x->where.x, x->where.others, eps, options);
    group_of(r, b->randomiser, &b->sampling, &x->where, direction, eps, options);
    return shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

/* One direction of the data at a node. Returns whether it has an enclosure of use. */
static int set_direction(polygon_node *node, int direction, const nodes_struct *x, const shuf_options *options)
{
    shuf_enclosure_t r;
    shuf_real_t eps;
    int known;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    shuf_real_set_log_fmpq(eps, node->alpha);
    known = delta_of_data(r, direction, x, eps, options) != SHUF_DOMAIN;
    arf_swap(node->lo[direction], r->lo);
    arf_swap(node->hi[direction], r->hi);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    return known;
}

static int by_data(nodes_struct *x, slong i, const shuf_options *options)
{
    polygon_node *node = &x->node[i];
    shuf_options o = *options;
    double limit = shuf_limit(options);
    shuf_share(&o, limit, x->polygon->symmetric ? 1 : 0.5);
    x->known[i] = set_direction(node, 0, x, &o);
    if (x->polygon->symmetric)
    {
        arf_set(node->lo[1], node->lo[0]);
        arf_set(node->hi[1], node->hi[0]);
    }
    else
    {
        shuf_share(&o, limit, 1);
        x->known[i] &= set_direction(node, 1, x, &o);
    }
    return steer_log(node->lo[0]) > LEAST_LOG;
}

/* Whether the inputs are alike. */
static int is_family(const shuf_randomiser_t randomiser)
{
    switch (randomiser->kind)
    {
    case SHUF_RANDOMISER_KRR:
    case SHUF_RANDOMISER_RAPPOR:
    case SHUF_RANDOMISER_SUBSET:
    case SHUF_RANDOMISER_HADAMARD:
    case SHUF_RANDOMISER_LOCAL_HASHING:
        return 1;
    default:
        return 0;
    }
}

/* The data and sets: those for which half of delta is left at the largest loss. */
static void choose_groups(nodes_struct *x, double limit)
{
    const bound_struct *b = &x->bound;
    shuf_options o = { 1, 0.0 };
    shuf_enclosure_t r;
    shuf_real_t half;
    shuf_enclosure_init(r);
    shuf_real_init(half);
    shuf_real_set_d(half, 0.5);
    shuf_share(&o, limit, NODE_SHARE);
    shuf_shuffled_sampled_epsilon(r, &x->where, b->randomiser, &b->sampling, b->kind, half, 0, &o);
    shuf_enclosure_clear(r);
    shuf_real_clear(half);
}

/* The data: the worst at a loss of about one standard deviation. */
static void choose_worst(nodes_struct *x, double limit)
{
    const bound_struct *b = &x->bound;
    shuf_options o = { 1, 0.0 };
    shuf_enclosure_t r;
    shuf_real_t eps;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    shuf_share(&o, limit, NODE_SHARE);
    shuf_shuffled_sampled_delta(r, &x->where, b->randomiser, &b->sampling, b->kind, eps, &o);
    shuf_real_set_d(eps, DEVIATION * arf_get_d(r->lo, ARF_RND_NEAR));
    shuf_share(&o, limit, NODE_SHARE);
    shuf_shuffled_sampled_delta(r, &x->where, b->randomiser, &b->sampling, b->kind, eps, &o);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
}

/* Once. */
static void choose_data(nodes_struct *x, double limit)
{
    const shuf_randomiser_struct *randomiser = x->bound.randomiser;
    if (x->chosen)
        return;
    x->chosen = 1;
    if (x->bound.kind == SHUF_SHUFFLED_GROUPED)
        choose_groups(x, limit);
    else if (!is_family(randomiser) || randomiser->kind == SHUF_RANDOMISER_HADAMARD)
        choose_worst(x, limit);
}

static void prepare_below(const shuf_law_struct *self, const shuf_options *options)
{
    nodes_struct *x = self->data;
    double limit = shuf_limit(options);
    shuf_options o = { NODE_DIGITS, 0.0 };
    if (x->node != NULL)
        return;
    choose_data(x, limit);
    nodes_begin(x);
    shuf_share(&o, limit, NODE_SHARE);
    by_data(x, 0, &o);
    x->known[0] = 1;
    set_nodes(x, arf_get_d(x->node->lo[0], ARF_RND_NEAR));
    evaluate_nodes(x, by_data, limit);
    set_polygon(x, polygon_set_below);
}

static shuf_status data_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps, shuf_direction direction,
                              const shuf_options *options)
{
    nodes_struct *x = self->data;
    const double start = shuf_work(), limit = shuf_limit(options);
    const int both = direction == SHUF_DIRECTION_BOTH && !self->symmetric;
    shuf_options o = *options;
    shuf_enclosure_t other;
    shuf_enclosure_init(other);
    choose_data(x, limit);
    if (where != NULL)
        *where = x->where;
    shuf_share(&o, limit, both ? 0.5 : 1);
    delta_of_data(r, direction == SHUF_DIRECTION_QP, x, eps, &o);
    if (both)
    {
        shuf_share(&o, limit, 1);
        delta_of_data(other, 1, x, eps, &o);
        arf_max(r->lo, r->lo, other->lo);
        arf_max(r->hi, r->hi, other->hi);
        shuf_enclosure_width(r->ledger.discretisation, r);
    }
    r->ledger.work = shuf_work() - start;
    shuf_enclosure_clear(other);
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

/* Of the data, which have been chosen. */
static void above_data(arf_t hi, const shuf_law_struct *self, shuf_direction direction, const arf_t s)
{
    nodes_struct *x = self->data;
    const int which = direction == SHUF_DIRECTION_QP;
    const shuffled_case c = { which ? x->where.x1 : x->where.x, which ? x->where.x : x->where.x1, x->where.others, 0, 1 };
    arf_one(hi);
    if (x->chosen)
        set_above(hi, x, which, &c, s);
}

void described_law_below(shuf_law_t law, const shuf_randomiser_t randomiser, const shuf_sampling *sampling,
                                 shuf_shuffled_kind kind, int named)
{
    nodes_struct *x = nodes_init(randomiser, sampling, kind);
    x->chosen = named;
    x->where.x1 = 1;
    x->where.others = kind == SHUF_SHUFFLED_THIRD ? 2 : 0;
    x->polygon->symmetric = kind == SHUF_SHUFFLED_THIRD && is_family(randomiser);
    set_law(law, x, prepare_below);
    set_points(law, data_delta);
    if (kind != SHUF_SHUFFLED_GROUPED)
        law->above = above_data;
    law->where = &x->where;
}
