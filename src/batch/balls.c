/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Balls-and-bins batches: proofs/dpsgd.md, Theorem 1. An epoch is the pair of shuffle/gaussian.h with the directions exchanged. Beside others it tells its
 * loss (epoch_loss.h); where that is not known well enough, its profile at nodes lies between two polygons through them (pld/polygon.h).
 */
#include "batch/batch_law.h"

#include <math.h>

#include "batch/batch_nodes.h"
#include "batch/convex_sum.h"
#include "batch/epoch_loss.h"
#include "enclosure/steer.h"
#include "law/profile_renyi.h"
#include "shuffle/gaussian.h"

/* Nodes; those of the first chunk, of the others, and the shares of the work that is left for the law of a sum, the first node, a chunk. All steer only. */
#define LAW_SHARE 0.3
#define FIRST_SHARE 0.1
#define FIRST_CHUNK 3000
#define NEXT_CHUNK 64
#define CHUNK_SHARE 0.4
static const batch_nodes placing = { 600, 5, 1 / 400.0, 8192 };

/* The law of a sum is for few steps, and for more if there is less noise than that; lines of the transform (shuffle/gaussian.h) are for others. Steers only. */
#define LAW_NOISE 1.0

/* How fine the cells of sums between two laws are, for so many steps and so little noise that there is neither, and how far they reach. Steers only. */
#define FINENESS 0.02
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
    epoch_lattice lattice;
    int lattice_known; /* 0: not made yet, -1: there is none */
    epoch_loss loss[2]; /* of PQ and of QP */
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
static int evaluate_nodes(polygon_node *node, slong count, const balls_struct *x, int d, const lognormal_sum *law, const shuf_options *options)
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
    shuf_gaussian_nodes(r, x->steps, x->noise, eps, count, direction, law, options);
    known = r[count - 1].status == SHUF_OK;
    for (i = 0; i < count; i++)
    {
        arf_max(node[i].lo[d], node[i].lo[d], r[i].lo);
        arf_min(node[i].hi[d], node[i].hi[d], r[i].hi);
        shuf_enclosure_clear(&r[i]);
        shuf_real_clear(&eps[i]);
    }
    flint_free(r);
    flint_free(eps);
    return known;
}

/* Both directions as far as they matter. Returns the number of nodes up to there. */
static slong evaluate_all(polygon_node *node, slong count, const balls_struct *x, const lognormal_sum *law, double limit)
{
    shuf_options o = { NODE_DIGITS, 0.0 };
    slong end[2] = { 1, 1 }, i;
    int d;
    for (d = 0; d < 2; d++)
    {
        int known = 1;
        for (i = 0; i < count && known && !shuf_exhausted(limit); i = end[d])
        {
            end[d] = FLINT_MIN(i + (i == 0 && law == NULL ? FIRST_CHUNK : NEXT_CHUNK), count);
            o.digits = i == 0 ? NODE_DIGITS : FAR_DIGITS;
            shuf_share(&o, limit, CHUNK_SHARE);
            if (i > 0 && !(o.max_work > 0 && o.max_work < MOST_WORK))
                o.max_work = MOST_WORK;
            known = evaluate_nodes(node + i, end[d] - i, x, d, law, &o) && steer_log(node[end[d] - 1].hi[d]) > LEAST_LOG;
        }
    }
    return FLINT_MAX(end[0], end[1]);
}

/* Between two sums, if there are such. */
static void evaluate_by_sums(polygon_node *node, slong count, const balls_struct *x)
{
    const convex_cells cells = { x->noise->q, FINENESS, REACH, 0, 0, 0, 0 };
    convex_sum_t below, above;
    slong i;
    int d;
    if (!convex_sum_exists(&cells, (double) x->steps))
        return;
    convex_sum_init(below);
    convex_sum_init(above);
    convex_sum_set(below, &cells, x->steps, 0);
    convex_sum_set(above, &cells, x->steps, 1);
    for (i = 0; i < count; i++)
        for (d = 0; d < 2; d++)
        {
            arf_set_d(node[i].lo[d], convex_sum_value(below, fmpq_get_d(node[i].alpha), d));
            arf_set_d(node[i].hi[d], fmin(1, convex_sum_value(above, fmpq_get_d(node[i].alpha), d)));
        }
    convex_sum_clear(below);
    convex_sum_clear(above);
}

/* Where nothing is known of a direction it is at most what it was at the node before. Returns the number of nodes of which something is. */
static slong set_nodes(polygon_node *node, const balls_struct *x, double limit)
{
    shuf_options o = { NODE_DIGITS, 0.0 };
    lognormal_sum law;
    const lognormal_sum *known;
    const int little = fmpq_get_d(x->noise->q) < LAW_NOISE;
    slong count, end, i;
    shuf_share(&o, limit, LAW_SHARE);
    known = (x->steps <= LOGNORMAL_FEW || little) && lognormal_sum_init(&law, x->noise, x->steps, &o) == 0 ? &law : NULL;
    shuf_share(&o, limit, FIRST_SHARE);
    evaluate_nodes(node, 1, x, 0, known, &o);
    count = batch_nodes_place(node, &placing, arf_get_d(node->hi[0], ARF_RND_NEAR), fmpq_get_d(x->noise->q));
    if (known == NULL && little)
        evaluate_by_sums(node, count, x);
    end = evaluate_all(node, count, x, known, limit);
    if (known != NULL || !little)
        count = end;
    for (i = 1; i < count; i++)
    {
        arf_min(node[i].hi[0], node[i].hi[0], node[i - 1].hi[0]);
        arf_min(node[i].hi[1], node[i].hi[1], node[i - 1].hi[1]);
    }
    if (known != NULL)
        lognormal_sum_clear(&law);
    return count;
}

static void prepare(const shuf_law_struct *self, const shuf_options *options)
{
    balls_struct *x = self->data;
    polygon_node *node;
    slong count;
    if (x->known)
        return;
    node = batch_nodes_init(&placing);
    count = set_nodes(node, x, shuf_limit(options));
    polygon_set_above(x->above, node, count, 0);
    polygon_set_below(x->below, node, count, 0);
    x->known = 1;
    batch_nodes_clear(node, &placing);
}

/* ---- the profile ---- */

/* Between the two polygons. */
static shuf_status evaluate(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                            const shuf_options *options)
{
    const balls_struct *x = self->data;
    return polygon_evaluate_between(lo, hi, x->above_law, x->below_law, direction, s, count, options);
}

/* ---- the loss ---- */

static int prepare_loss(const shuf_law_struct *self, const shuf_options *options)
{
    balls_struct *x = self->data;
    int i;
    if (x->lattice_known == 0)
    {
        x->lattice_known = epoch_lattice_init(&x->lattice, x->noise->q, x->steps, options) == 0 ? 1 : -1;
        for (i = 0; i < 2 && x->lattice_known > 0; i++)
            epoch_loss_init(&x->loss[i], &x->lattice, i);
    }
    return x->lattice_known > 0;
}

static int tell_loss(shuf_loss_t loss, const shuf_law_struct *self, shuf_direction direction, slong prec)
{
    const balls_struct *x = self->data;
    (void) prec;
    if (x->lattice_known <= 0)
        return 0;
    epoch_loss_tell(loss, &x->loss[direction == SHUF_DIRECTION_QP]);
    return 1;
}

/* ---- Renyi divergences: proofs/renyi-profile.md, Lemma 8 ---- */

/* The largest order whose moments are computed; bits of balls. Steer only. */
#define MOST_ORDER 500
#define MOMENT_PREC 512

/* Units of work of a product of two numbers of those bits. Steers only. */
#define PRODUCT_WORK 200.0

/* v[n] := log E L^n under Q, n = 0 .. most: n! t^-n times the coefficient of x^n of (sum of e^(j (j-1) mu^2/2) x^j/j!)^t. */
static void whole_moments(arb_ptr v, const balls_struct *x, slong most)
{
    const slong prec = MOMENT_PREC;
    arb_poly_t p;
    arb_t half, t;
    slong j;
    arb_poly_init(p);
    arb_init(half);
    arb_init(t);
    arb_set_fmpq(half, x->noise->q, prec);
    arb_mul(half, half, half, prec);
    arb_mul_2exp_si(half, half, 1);
    arb_inv(half, half, prec);
    for (j = 0; j <= most; j++)
    {
        arb_mul_si(t, half, j * (j - 1), prec);
        arb_exp(t, t, prec);
        arb_poly_set_coeff_arb(p, j, t);
    }
    arb_poly_borel_transform(p, p, prec); /* over j! */
    arb_poly_pow_ui_trunc_binexp(p, p, x->steps, most + 1, prec);
    arb_poly_inv_borel_transform(p, p, prec); /* times n! */
    arb_set_ui(half, x->steps);
    arb_log(half, half, prec);
    for (j = 0; j <= most; j++)
    {
        arb_poly_get_coeff_arb(v + j, p, j);
        arb_log(v + j, v + j, prec);
        arb_submul_ui(v + j, half, (ulong) j, prec);
    }
    shuf_charge(PRODUCT_WORK * 64 * (double) (most + 1) * (double) (most + 1));
    arb_poly_clear(p);
    arb_clear(half);
    arb_clear(t);
}

/* v := log E L^a between those of whole orders, as it is convex in a: the chord, and the lines through the two before and the two after. */
static void convex_between(arb_t v, arb_srcptr at, slong n, const arb_t a)
{
    const slong prec = MOMENT_PREC;
    arb_t part, low, t;
    arb_init(part);
    arb_init(low);
    arb_init(t);
    arb_sub_si(part, a, n, prec);
    arb_sub(t, at + n + 1, at + n, prec);
    arb_mul(v, t, part, prec);
    arb_add(v, v, at + n, prec);
    arb_sub(t, at + n, at + n - 1, prec);
    arb_mul(low, t, part, prec);
    arb_add(low, low, at + n, prec);
    arb_sub_ui(part, part, 1, prec);
    arb_sub(t, at + n + 2, at + n + 1, prec);
    arb_mul(t, t, part, prec);
    arb_add(t, t, at + n + 1, prec);
    arb_max(low, low, t, prec);
    arb_union(v, v, low, prec);
    arb_clear(part);
    arb_clear(low);
    arb_clear(t);
}

/* v := the divergence of P from Q from the moments of whole orders. */
static void by_whole_orders(arb_t v, const balls_struct *x, const arb_t a, slong n)
{
    arb_ptr at = _arb_vec_init(n + 3);
    arb_t t;
    arb_init(t);
    whole_moments(at, x, n + 2);
    arb_set_si(t, n + 1);
    if (arb_equal_si(a, n))
        arb_set(v, at + n);
    else if (arb_le(a, t))
        convex_between(v, at, n, a);
    else
        arb_union(v, at + n, at + n + 2, MOMENT_PREC); /* a ball on both sides of n + 1: the moments rise */
    arb_sub_ui(t, a, 1, MOMENT_PREC);
    arb_div(v, v, t, MOMENT_PREC);
    _arb_vec_clear(at, n + 3);
    arb_clear(t);
}

/* v := from 0 to mu^2/2 + (a-1) mu^2/(2t), between which the divergence of Q from P is: L is at least the geometric mean of its terms. */
static void reverse_bounds(arb_t v, const balls_struct *x, const arb_t a)
{
    arb_t t;
    arb_init(t);
    arb_sub_ui(v, a, 1, MOMENT_PREC);
    arb_div_ui(v, v, x->steps, MOMENT_PREC);
    arb_add_ui(v, v, 1, MOMENT_PREC);
    arb_set_fmpq(t, x->noise->q, MOMENT_PREC);
    arb_mul(t, t, t, MOMENT_PREC);
    arb_mul_2exp_si(t, t, 1);
    arb_div(v, v, t, MOMENT_PREC);
    arb_zero(t);
    arb_union(v, v, t, MOMENT_PREC);
    arb_clear(t);
}

/* r := the divergence of P from Q, as far as whole orders tell it. */
static void forward(shuf_enclosure_t r, const balls_struct *x, const shuf_real_t order)
{
    arb_t a, v;
    arf_t whole;
    arb_init(a);
    arb_init(v);
    arf_init(whole);
    shuf_real_get_arb(a, order, MOMENT_PREC);
    arb_get_lbound_arf(whole, a, MOMENT_PREC);
    by_whole_orders(v, x, a, arf_get_si(whole, ARF_RND_FLOOR));
    shuf_enclosure_set_arb(r, v, MOMENT_PREC);
    arb_clear(a);
    arb_clear(v);
    arf_clear(whole);
}

/* r := that of Q from P: where its simple bound is not below `most`, by the loss or the profile. */
static void backward(shuf_enclosure_t r, const shuf_law_struct *self, const arf_t most, const shuf_real_t order, const shuf_options *options)
{
    arb_t a, v;
    arb_init(a);
    arb_init(v);
    shuf_real_get_arb(a, order, MOMENT_PREC);
    reverse_bounds(v, self->data, a);
    shuf_enclosure_set_arb(r, v, MOMENT_PREC);
    if (arf_cmp(r->hi, most) > 0 && loss_renyi(r, self, order, SHUF_DIRECTION_QP, options) != SHUF_OK && arf_cmp(r->hi, most) > 0)
        profile_renyi(r, self, order, SHUF_DIRECTION_QP, options);
    arb_clear(a);
    arb_clear(v);
}

/* By the loss; of orders of which it knows too little, by whole orders; of small ones by the profile. */
static shuf_status renyi(shuf_enclosure_t r, const shuf_law_struct *self, const shuf_real_t order, shuf_direction direction, const shuf_options *options)
{
    shuf_enclosure_t known, other;
    if (loss_renyi(r, self, order, direction, options) == SHUF_OK)
        return r->status;
    if (shuf_real_cmp_si(order, 2) < 0 || shuf_real_cmp_si(order, MOST_ORDER) > 0 || direction == SHUF_DIRECTION_QP)
        return profile_renyi(r, self, order, direction, options);
    shuf_enclosure_init(known);
    shuf_enclosure_init(other);
    forward(known, self->data, order);
    if (direction == SHUF_DIRECTION_BOTH)
    {
        backward(other, self, known->lo, order, options);
        shuf_enclosure_max(known, known, other);
    }
    arf_max(r->lo, r->lo, known->lo);
    arf_min(r->hi, r->hi, known->hi);
    shuf_enclosure_settle(r);
    shuf_enclosure_clear(known);
    shuf_enclosure_clear(other);
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

static int same(const shuf_law_struct *self, const shuf_law_struct *other)
{
    const balls_struct *x = self->data, *y = other->data;
    return x->steps == y->steps && fmpq_equal(x->noise->q, y->noise->q);
}

/* ---- the law ---- */

static void balls_clear(shuf_law_struct *self)
{
    balls_struct *x = self->data;
    shuf_real_clear(x->noise);
    polygon_clear(x->above);
    polygon_clear(x->below);
    if (x->lattice_known > 0)
        epoch_lattice_clear(&x->lattice);
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
    law->has_cheap_points = 1;
    law->prepare = prepare;
    law->clear = balls_clear;
    law->evaluate = evaluate;
    law->prepare_loss = prepare_loss;
    law->loss = tell_loss;
    law->same = same;
    law->renyi = renyi;
    shuf_law_set_moment_of_noise(law, x->noise->q, 1); /* as if the step were known */
    law->moment_is_reached = 1;
    law->data = x;
}
