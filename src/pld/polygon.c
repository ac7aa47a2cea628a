/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/described-rounds.md. */
#include "pld/polygon.h"

#include "enclosure/elementary.h"

#define PREC 128 /* steers only */

void polygon_node_init(polygon_node *node)
{
    int i;
    fmpq_init(node->alpha);
    for (i = 0; i < 2; i++)
    {
        arf_init(node->lo[i]);
        arf_init(node->hi[i]);
    }
}

void polygon_node_clear(polygon_node *node)
{
    int i;
    fmpq_clear(node->alpha);
    for (i = 0; i < 2; i++)
    {
        arf_clear(node->lo[i]);
        arf_clear(node->hi[i]);
    }
}

/* Significant bits of alpha - 1, and the largest place. Steer only: any nodes are valid. */
#define ALPHA_BITS 24
#define MAX_PLACE 700.0

int polygon_node_place(polygon_node *node, double s)
{
    arf_t t;
    if (!(s < MAX_PLACE))
        return 0;
    arf_init(t);
    arf_set_d(t, d_expm1(s));
    arf_set_round(t, t, ALPHA_BITS, ARF_RND_NEAR);
    arf_add_ui(t, t, 1, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_get_fmpq(node->alpha, t);
    arf_clear(t);
    return 1;
}

static void side_init(polygon_side *side, slong count)
{
    side->count = count;
    side->alpha = _fmpq_vec_init(count);
    side->value = _fmpq_vec_init(count);
    side->start = _arb_vec_init(count);
    side->height = _arb_vec_init(count);
    side->slope = _arb_vec_init(count);
}

static void side_clear(polygon_side *side)
{
    _fmpq_vec_clear(side->alpha, side->count);
    _fmpq_vec_clear(side->value, side->count);
    _arb_vec_clear(side->start, side->count);
    _arb_vec_clear(side->height, side->count);
    _arb_vec_clear(side->slope, side->count);
}

void polygon_init(polygon_t p)
{
    side_init(&p->side[0], 0);
    side_init(&p->side[1], 0);
    p->symmetric = p->has_loss = 0;
    shuf_real_init(p->loss);
}

void polygon_clear(polygon_t p)
{
    side_clear(&p->side[0]);
    side_clear(&p->side[1]);
    shuf_real_clear(p->loss);
}

/* ---- points of the plane ---- */

typedef struct
{
    fmpq *x, *lo, *hi;
    slong count;
} point_list;

static void points_init(point_list *v, slong allocated)
{
    v->x = _fmpq_vec_init(allocated);
    v->lo = _fmpq_vec_init(allocated);
    v->hi = _fmpq_vec_init(allocated);
    v->count = 0;
}

static void points_clear(point_list *v, slong allocated)
{
    _fmpq_vec_clear(v->x, allocated);
    _fmpq_vec_clear(v->lo, allocated);
    _fmpq_vec_clear(v->hi, allocated);
}

static void set_end(fmpq_t q, const arf_t end, int up)
{
    arf_t t;
    arf_init(t);
    arf_set_round(t, end, 64, up ? ARF_RND_CEIL : ARF_RND_FLOOR);
    arf_get_fmpq(q, t);
    arf_clear(t);
}

/* q := 1 - x + x q, the value of the other direction at 1/alpha; x = 1/alpha. */
static void turn_over(fmpq_t q, const fmpq_t x)
{
    fmpq_sub(q, q, shuf_one);
    fmpq_mul(q, q, x);
    fmpq_add(q, q, shuf_one);
}

/*
 * What is known at 0, at the inverses of the nodes, from the other direction, and at the nodes. At the last node the lower
 * ends count as 0, as beyond it.
 * Coq: Divergence.hockey_symmetry_law.
 */
static void set_points(point_list *v, const polygon_node *node, slong count)
{
    slong i;
    fmpq_one(v->lo);
    fmpq_one(v->hi);
    for (i = count - 1, v->count = 1; i >= 1; i--, v->count++)
    {
        fmpq_inv(v->x + v->count, node[i].alpha);
        if (i < count - 1)
            set_end(v->lo + v->count, node[i].lo[1], 0);
        set_end(v->hi + v->count, node[i].hi[1], 1);
        turn_over(v->lo + v->count, v->x + v->count);
        turn_over(v->hi + v->count, v->x + v->count);
    }
    for (i = 0; i < count; i++, v->count++)
    {
        fmpq_set(v->x + v->count, node[i].alpha);
        if (i < count - 1)
            set_end(v->lo + v->count, node[i].lo[0], 0);
        set_end(v->hi + v->count, node[i].hi[0], 1);
    }
    /* h falls */
    for (i = 1; i < v->count; i++)
        if (fmpq_cmp(v->hi + i, v->hi + i - 1) > 0)
            fmpq_set(v->hi + i, v->hi + i - 1);
    for (i = v->count - 1; i > 0; i--)
        if (fmpq_cmp(v->lo + i - 1, v->lo + i) < 0)
            fmpq_set(v->lo + i - 1, v->lo + i);
}

/* y := the line through (x0, y0) and (x1, y1) at x. */
static void line_at(fmpq_t y, const fmpq_t x0, const fmpq_t y0, const fmpq_t x1, const fmpq_t y1, const fmpq_t x)
{
    fmpq_t d, r;
    fmpq_init(d);
    fmpq_init(r);
    fmpq_sub(d, x1, x0);
    fmpq_sub(r, x, x0);
    fmpq_div(r, r, d);
    fmpq_sub(d, y1, y0);
    fmpq_mul(r, r, d);
    fmpq_add(y, y0, r);
    fmpq_clear(d);
    fmpq_clear(r);
}

/*
 * Moves the points that are corners of the lower convex envelope to the front and returns how many they are. The abscissas
 * do not fall, and the first is 0.
 */
static slong envelope(fmpq *x, fmpq *y, slong count)
{
    fmpq_t at;
    slong i, n = 0;
    fmpq_init(at);
    for (i = 0; i < count; i++)
    {
        if (n > 0 && fmpq_equal(x + i, x + n - 1))
        {
            if (fmpq_cmp(y + i, y + n - 1) >= 0)
                continue;
            n--;
        }
        for (; n >= 2; n--)
        {
            line_at(at, x + n - 2, y + n - 2, x + i, y + i, x + n - 1);
            if (fmpq_cmp(y + n - 1, at) < 0)
                break;
        }
        fmpq_set(x + n, x + i);
        fmpq_set(y + n, y + i);
        n++;
    }
    fmpq_clear(at);
    return n;
}

/* slope := that of the piece from corner i on, 0 from the last one on */
static void slope_at(fmpq_t slope, const polygon_side *side, slong i)
{
    fmpq_t d;
    fmpq_zero(slope);
    if (i + 1 == side->count)
        return;
    fmpq_init(d);
    fmpq_sub(d, side->alpha + i + 1, side->alpha + i);
    fmpq_sub(slope, side->value + i + 1, side->value + i);
    fmpq_div(slope, slope, d);
    fmpq_clear(d);
}

static void set_pieces(polygon_side *side)
{
    fmpq_t slope;
    slong i;
    fmpq_init(slope);
    for (i = 0; i < side->count; i++)
    {
        slope_at(slope, side, i);
        arb_set_fmpq(side->slope + i, slope, PREC);
        arb_set_fmpq(side->start + i, side->alpha + i, PREC);
        arb_set_fmpq(side->height + i, side->value + i, PREC);
    }
    fmpq_clear(slope);
}

/* Both directions of the polygon with these corners, the first of them (0, 1), some at 1 or beyond. */
static void set_sides(polygon_t p, const fmpq *x, const fmpq *y, slong count)
{
    slong i, first, from;
    int d;
    /* the first corner at 1 or beyond, and the first beyond */
    for (first = 0; fmpq_cmp(x + first, shuf_one) < 0; first++)
        ;
    from = first + (fmpq_equal(x + first, shuf_one) != 0);
    side_clear(&p->side[0]);
    side_clear(&p->side[1]);
    side_init(&p->side[0], count - from + 1);
    side_init(&p->side[1], first);
    for (d = 0; d < 2; d++)
    {
        fmpq_one(p->side[d].alpha);
        line_at(p->side[d].value, x + first - 1, y + first - 1, x + first, y + first, shuf_one);
    }
    for (i = from; i < count; i++)
    {
        fmpq_set(p->side[0].alpha + i - from + 1, x + i);
        fmpq_set(p->side[0].value + i - from + 1, y + i);
    }
    for (i = first - 1; i > 0; i--)
    {
        fmpq_inv(p->side[1].alpha + first - i, x + i);
        fmpq_set(p->side[1].value + first - i, y + i);
        turn_over(p->side[1].value + first - i, p->side[1].alpha + first - i);
    }
    set_pieces(&p->side[0]);
    set_pieces(&p->side[1]);
}

/* h is 0 in both directions from the last node on. */
static void set_loss(polygon_t p, const polygon_node *last, int symmetric)
{
    p->symmetric = symmetric;
    p->has_loss = arf_is_zero(last->hi[0]) && arf_is_zero(last->hi[1]);
    shuf_real_set_log_fmpq(p->loss, last->alpha);
}

/* Coq: Grid.upper_grid_kept. */
void polygon_set_above(polygon_t p, const polygon_node *node, slong count, int symmetric)
{
    point_list v;
    points_init(&v, 2 * count);
    set_points(&v, node, count);
    set_sides(p, v.x, v.hi, envelope(v.x, v.hi, v.count));
    set_loss(p, node + count - 1, symmetric);
    points_clear(&v, 2 * count);
}

/* ---- from below ---- */

/*
 * The two lines of the cell from point i to the next, each as its values at
 * both ends: the one through points i-1 and i (before the first: 1 - alpha),
 * and the one through i+1 and i+2 (after the last: the last value, 0). Coq: DescribedRounds.lines_below.
 */
static void lines_of_cell(fmpq *first, fmpq *second, const point_list *v, slong i)
{
    fmpq_set(first, v->lo + i);
    if (i == 0)
    {
        fmpq_sub(first + 1, first, v->x + 1);
        if (fmpq_sgn(first + 1) < 0)
            fmpq_zero(first + 1);
    }
    else
    {
        line_at(first + 1, v->x + i - 1, v->hi + i - 1, v->x + i, v->lo + i, v->x + i + 1);
    }
    fmpq_set(second + 1, v->lo + i + 1);
    if (i + 2 < v->count)
        line_at(second, v->x + i + 1, v->lo + i + 1, v->x + i + 2, v->hi + i + 2, v->x + i);
    else
        fmpq_set(second, second + 1);
}

/* The larger of the two lines: its values at the ends, and where they cross. Appends these points. */
static void add_cell(point_list *w, const point_list *v, slong i)
{
    fmpq *line = _fmpq_vec_init(4);
    fmpq_t left, right, t;
    fmpq_init(left); fmpq_init(right); fmpq_init(t);
    lines_of_cell(line, line + 2, v, i);
    fmpq_sub(left, line, line + 2);
    fmpq_sub(right, line + 3, line + 1);
    fmpq_set(w->x + w->count, v->x + i);
    fmpq_set(w->lo + w->count++, fmpq_sgn(left) >= 0 ? line : line + 2);
    if (fmpq_sgn(left) > 0 && fmpq_sgn(right) > 0)
    {
        /* at the share left/(left + right) of the cell */
        fmpq_add(t, left, right);
        fmpq_div(t, left, t);
        fmpq_sub(left, v->x + i + 1, v->x + i);
        fmpq_mul(left, left, t);
        fmpq_add(w->x + w->count, v->x + i, left);
        fmpq_sub(right, line + 1, line);
        fmpq_mul(right, right, t);
        fmpq_add(w->lo + w->count, line, right);
        w->count++;
    }
    fmpq_set(w->x + w->count, v->x + i + 1);
    fmpq_set(w->lo + w->count++, fmpq_cmp(line + 1, line + 3) >= 0 ? line + 1 : line + 3);
    fmpq_clear(left); fmpq_clear(right); fmpq_clear(t);
    _fmpq_vec_clear(line, 4);
}

/* Coq: DescribedRounds.nodes_below_pair. */
void polygon_set_below(polygon_t p, const polygon_node *node, slong count, int symmetric)
{
    point_list v, w;
    slong i;
    points_init(&v, 2 * count);
    points_init(&w, 6 * count + 1);
    set_points(&v, node, count);
    for (i = 0; i + 1 < v.count; i++)
        add_cell(&w, &v, i);
    /* what the last cell's first line says of its end holds there alone */
    fmpq_set(w.x + w.count, v.x + v.count - 1);
    w.count++;
    set_sides(p, w.x, w.lo, envelope(w.x, w.lo, w.count));
    set_loss(p, node + count - 1, symmetric);
    points_clear(&v, 2 * count);
    points_clear(&w, 6 * count + 1);
}

/* ---- the profile ---- */

/* end := an end (up: the upper one) of the value at alpha >= 1, on the piece i. */
static void value_end(arf_t end, const polygon_side *side, slong i, const arf_t alpha, int up)
{
    arb_t t;
    arb_init(t);
    arb_set_arf(t, alpha);
    arb_sub(t, t, side->start + i, PREC);
    arb_mul(t, t, side->slope + i, PREC);
    arb_add(t, t, side->height + i, PREC);
    if (up)
        arb_get_ubound_arf(end, t, PREC);
    else
        arb_get_lbound_arf(end, t, PREC);
    if (arf_sgn(end) < 0)
        arf_zero(end);
    arb_clear(t);
}

/* The piece at alpha, from piece i on. */
static slong find_piece(const polygon_side *side, slong i, const arf_t alpha)
{
    fmpq_t q;
    fmpq_init(q);
    arf_get_fmpq(q, alpha);
    while (i + 1 < side->count && fmpq_cmp(side->alpha + i + 1, q) <= 0)
        i++;
    fmpq_clear(q);
    return i;
}

#define POINT_WORK 4000.0 /* units of work for a point: steers only */

/* It falls: the upper end is that at the lower end of e^s. */
static shuf_status evaluate_polygon(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                                    const shuf_options *options)
{
    const polygon_struct *p = self->data;
    const polygon_side *side = &p->side[direction == SHUF_DIRECTION_QP && !p->symmetric];
    slong i, piece = 0;
    arb_t t;
    arf_t alpha;
    (void) options;
    if (side->count == 0) /* not prepared: nothing is known */
    {
        for (i = 0; i < count; i++)
        {
            arf_zero(lo + i);
            arf_one(hi + i);
        }
        return SHUF_ACCURACY;
    }
    shuf_charge(POINT_WORK * (double) count);
    arb_init(t);
    arf_init(alpha);
    for (i = 0; i < count; i++)
    {
        arb_set_arf(t, s + i);
        arb_exp(t, t, PREC);
        arb_get_lbound_arf(alpha, t, PREC);
        if (arf_cmp_si(alpha, 1) < 0)
            arf_one(alpha);
        piece = find_piece(side, piece, alpha);
        value_end(hi + i, side, piece, alpha, 1);
        arb_get_ubound_arf(alpha, t, PREC);
        value_end(lo + i, side, find_piece(side, piece, alpha), alpha, 0);
    }
    arb_clear(t);
    arf_clear(alpha);
    return SHUF_OK;
}

static void infinite_polygon(arf_t infinite, const shuf_law_struct *self, shuf_direction direction)
{
    const polygon_struct *p = self->data;
    const polygon_side *side = &p->side[direction == SHUF_DIRECTION_QP && !p->symmetric];
    arf_zero(infinite);
    if (side->count == 0)
        return; /* not prepared: nothing is known */
    shuf_ball_least(infinite, side->height + side->count - 1, PREC);
}

static int max_loss_polygon(shuf_real_t loss, const shuf_law_struct *self)
{
    const polygon_struct *p = self->data;
    if (p->has_loss)
        shuf_real_set(loss, p->loss);
    return p->has_loss;
}

/* t := the change of slope at corner i > 0 */
static void change(fmpq_t t, const polygon_side *side, slong i)
{
    fmpq_t before;
    fmpq_init(before);
    slope_at(before, side, i - 1);
    slope_at(t, side, i);
    fmpq_sub(t, t, before);
    fmpq_clear(before);
}

/*
 * At a corner of this direction the other law has the mass of the change of slope, and this one alpha times that; at one of the other direction
 * this one has that of the change of slope. The rest has equal masses. The profile is that of a pair if no mass is negative.
 */
static int loss_of_polygon(shuf_loss_t loss, const shuf_law_struct *self, shuf_direction direction, slong prec)
{
    const polygon_struct *p = self->data;
    const polygon_side *one = &p->side[direction == SHUF_DIRECTION_QP && !p->symmetric];
    const polygon_side *other = &p->side[direction == SHUF_DIRECTION_PQ && !p->symmetric];
    fmpq_t mass, rest;
    slong i, j;
    int known = one->count > 1 && other->count > 1 && fmpq_sgn(one->value + one->count - 1) >= 0 && fmpq_sgn(other->value + other->count - 1) >= 0;
    if (!known)
        return 0;
    fmpq_init(mass);
    fmpq_init(rest);
    fmpq_sub(rest, shuf_one, one->value + one->count - 1);
    arb_set_fmpq(loss->infinite, one->value + one->count - 1, prec);
    shuf_loss_set_count(loss, one->count + other->count - 1);
    for (i = 0; i < loss->count && known; i++)
    {
        const polygon_side *side = i < one->count ? one : other;
        j = i < one->count ? i : i - one->count + 1;
        if (j == 0)
            continue;
        change(mass, side, j);
        if (i < one->count)
            fmpq_mul(mass, mass, side->alpha + j);
        known = fmpq_sgn(mass) >= 0;
        fmpq_sub(rest, rest, mass);
        arb_set_fmpq(&loss->mass[i], mass, prec);
        arb_set_fmpq(&loss->value[i], side->alpha + j, prec);
        arb_log(&loss->value[i], &loss->value[i], prec);
        if (i >= one->count)
            arb_neg(&loss->value[i], &loss->value[i]);
    }
    known = known && fmpq_sgn(rest) >= 0;
    arb_set_fmpq(&loss->mass[0], rest, prec);
    fmpq_clear(mass);
    fmpq_clear(rest);
    return known;
}

void polygon_law(shuf_law_t law, polygon_t p)
{
    shuf_law_init(law);
    law->evaluate = evaluate_polygon;
    law->infinite = infinite_polygon;
    law->data = p;
    law->symmetric = p->symmetric;
    law->max_loss = max_loss_polygon;
    law->loss = loss_of_polygon;
}

shuf_status polygon_evaluate_between(arf_ptr lo, arf_ptr hi, const shuf_law_struct *above, const shuf_law_struct *below, shuf_direction direction,
                                     arf_srcptr s, slong count, const shuf_options *options)
{
    arf_ptr unused = flint_malloc((size_t) count * sizeof(arf_struct));
    slong i;
    for (i = 0; i < count; i++)
        arf_init(unused + i);
    above->evaluate(unused, hi, above, direction, s, count, options);
    below->evaluate(lo, unused, below, direction, s, count, options);
    for (i = 0; i < count; i++)
        arf_clear(unused + i);
    flint_free(unused);
    return SHUF_ACCURACY;
}
