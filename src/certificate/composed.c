/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "certificate/composed.h"

#include <math.h>
#include <flint/fmpz_vec.h>

#include "certificate/sum.h"
#include "certificate/window.h"
#include "enclosure/arf_vec.h"
#include "enclosure/elementary.h"
#include "hockey/hockey.h"
#include "law/law.h"

/* Wanted: ends within this of each other, relatively. Steers only. */
#define ACCURACY 0.002

/* What beginning with a node costs Coq, in rows; what all may cost; and bits of a unit. Steer only. */
#define NODE_ROWS 200.0
#define MAX_ROWS 4e6
#define MAX_BITS 4096

/* Least and largest number of nodes of positive loss. Steer only. */
#define MIN_NODES 8
#define MAX_NODES 1024

/* The relative slack of a node's bounds, and what is left out of its windows, in nats. Steer only. */
#define NODE_DIGITS 12
#define NODE_SLACK 1e-9
#define NODE_NATS 40.0

/*
 * Rounding and trimming may change a value by 2^-END_BITS of it. The ends have more slack, for Coq
 * trims otherwise than the sums here. Steer only.
 */
#define END_BITS 24
#define END_SLACK 17
#define END_DIGITS 6

/* The part of the value that losses beyond the grid may matter, in all rounds together. Steers only. */
#define CUT 1e-4

/* Bits of working precision beyond those of a unit. Steers only. */
#define GUARD_BITS 64

typedef struct
{
    slong bits;
    window here, back; /* in the certified direction and in the other */
} node;

/* What Coq is told in one direction. Points: alpha = 0, then the nodes of losses -last, ..., last steps. */
typedef struct
{
    shuf_direction direction;
    slong log2_step, last, unit;
    double rows;
    node *nodes; /* 0, ..., last */
    slong points;
    fmpz *low, *high; /* of the points, in units of 2^-unit */
    fmpz *sags, *below; /* of the cells after them, and of the nodes from -last on */
    slong cells;        /* that there are masses below for */
    fmpz_t ratio_low, ratio_high, trim;
    loss_sum_t sum_above, sum_below;
    int summed;
} grid;

static void grid_init(grid *g, shuf_direction direction, slong log2_step, slong last, slong unit)
{
    g->direction = direction;
    g->log2_step = log2_step;
    g->last = last;
    g->unit = unit;
    g->rows = 0;
    g->nodes = flint_malloc((size_t) (last + 1) * sizeof(node));
    g->points = 2 * last + 2;
    g->low = _fmpz_vec_init(g->points);
    g->high = _fmpz_vec_init(g->points);
    g->sags = _fmpz_vec_init(g->points);
    g->below = _fmpz_vec_init(g->points);
    g->cells = 0;
    fmpz_init(g->ratio_low); fmpz_init(g->ratio_high); fmpz_init(g->trim);
    g->summed = 0;
}

static void grid_clear(grid *g)
{
    flint_free(g->nodes);
    _fmpz_vec_clear(g->low, g->points);
    _fmpz_vec_clear(g->high, g->points);
    _fmpz_vec_clear(g->sags, g->points);
    _fmpz_vec_clear(g->below, g->points);
    fmpz_clear(g->ratio_low); fmpz_clear(g->ratio_high); fmpz_clear(g->trim);
    if (g->summed)
    {
        loss_sum_clear(g->sum_above);
        loss_sum_clear(g->sum_below);
    }
}

/* The point of the node of loss i steps, i of any sign. */
static slong point_of(const grid *g, slong i)
{
    return g->last + 1 + i;
}

/* ---- nodes ---- */

static void node_loss(arf_t x, const grid *g, slong i)
{
    arf_set_si(x, i);
    arf_mul_2exp_si(x, x, g->log2_step);
}

/* z := x in units, rounded down (up = 0) or up, but between 0 and 1. */
static void units(fmpz_t z, const arb_t x, const grid *g, int up)
{
    arf_t y;
    arf_init(y);
    if (up)
        arb_get_ubound_arf(y, x, g->unit + GUARD_BITS);
    else
        arb_get_lbound_arf(y, x, g->unit + GUARD_BITS);
    arf_mul_2exp_si(y, y, g->unit);
    arf_get_fmpz(z, y, up ? ARF_RND_CEIL : ARF_RND_FLOOR);
    /* a unit for what the kernel rounds */
    fmpz_add_si(z, z, up ? 1 : -1);
    if (fmpz_sgn(z) < 0)
        fmpz_zero(z);
    if (fmpz_bits(z) > (flint_bitcnt_t) g->unit)
    {
        fmpz_one(z);
        fmpz_mul_2exp(z, z, (ulong) g->unit);
    }
    arf_clear(y);
}

/*
 * The bounds of a point at loss x, or at -x (mirror), of a profile between lo and hi at x, with a slack;
 * at -x by the other direction, 1 - e^-x (1 - H).
 */
static void set_bounds(grid *g, slong point, const arf_t lo, const arf_t hi, const arf_t x, int mirror)
{
    const slong prec = g->unit + GUARD_BITS;
    arb_t bound, e, slack;
    int up;
    arb_init(bound); arb_init(e); arb_init(slack);
    arb_set_arf(e, x);
    shuf_ball_exp_minus(e, e, prec);
    for (up = 0; up < 2; up++)
    {
        arb_set_d(slack, up ? 1 + NODE_SLACK : 1 - NODE_SLACK);
        arb_mul_arf(bound, slack, up ? hi : lo, prec);
        if (mirror)
        {
            arb_sub_ui(bound, bound, 1, prec);
            arb_mul(bound, bound, e, prec);
            arb_add_ui(bound, bound, 1, prec);
        }
        units((up ? g->high : g->low) + point, bound, g, up);
    }
    /* nothing at all */
    if (!mirror && arf_is_zero(hi))
        fmpz_zero(g->high + point);
    arb_clear(bound); arb_clear(e); arb_clear(slack);
}

/* Coq's windows at a node, for a delta of hi there. */
static void set_window(window *w, grid *g, node *at, const shuf_pair_t pair, const shuf_real_t eps, shuf_direction direction,
                       const arf_t hi)
{
    double log_high = arf_is_zero(hi) ? -INFINITY : (double) arf_abs_bound_lt_2exp_si(hi) * d_log(2.0);
    double nats = log_high + (double) g->unit * d_log(2.0) + 15;
    g->rows += (double) window_find(w, pair, eps, direction, FLINT_MAX(log_high, -1e6), FLINT_MIN(NODE_NATS, FLINT_MAX(nats, 15.0)));
    at->bits = FLINT_MAX(at->bits, 64 + 2 * (slong) FLINT_BIT_COUNT(pair->n) + (slong) FLINT_MIN(w->lost + w->cancelled, 1e5));
}

static shuf_direction other(shuf_direction direction)
{
    return direction == SHUF_DIRECTION_PQ ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
}

static void set_nodes(grid *g, const shuf_pair_t pair)
{
    const shuf_options options = { NODE_DIGITS, 0.0 };
    const slong count = g->last + 1;
    arf_ptr x = arf_vec_init(count), lo = arf_vec_init(count), hi = arf_vec_init(count);
    arf_ptr back_lo = arf_vec_init(count), back_hi = arf_vec_init(count);
    shuf_law_struct profile;
    shuf_real_t eps;
    slong i;
    int symmetric = shuf_pair_is_symmetric(pair);

    shuf_real_init(eps);
    shuf_law_set_pair(&profile, pair);
    for (i = 0; i < count; i++)
        node_loss(x + i, g, i);
    profile.evaluate(lo, hi, &profile, g->direction, x, count, &options);
    if (!symmetric)
        profile.evaluate(back_lo, back_hi, &profile, other(g->direction), x, count, &options);
    for (i = 0; i < count; i++)
    {
        node *at = &g->nodes[i];
        arf_srcptr mirror_lo = symmetric ? lo + i : back_lo + i, mirror_hi = symmetric ? hi + i : back_hi + i;
        set_bounds(g, point_of(g, -i), mirror_lo, mirror_hi, x + i, 1);
        set_bounds(g, point_of(g, i), lo + i, hi + i, x + i, 0);
        at->bits = g->unit + 16;
        shuf_real_set_arf(eps, x + i);
        set_window(&at->here, g, at, pair, eps, g->direction, hi + i);
        at->back = at->here;
        if (!symmetric)
            set_window(&at->back, g, at, pair, eps, other(g->direction), mirror_hi);
        g->rows += NODE_ROWS;
    }
    shuf_real_clear(eps);
    arf_vec_clear(x, count);
    arf_vec_clear(lo, count);
    arf_vec_clear(hi, count);
    arf_vec_clear(back_lo, count);
    arf_vec_clear(back_hi, count);
}

/* The bounds at alpha = 0; and upper bounds that do not rise, as the profile does not. */
static void set_points(grid *g)
{
    slong i;
    fmpz_one(g->low);
    fmpz_mul_2exp(g->low, g->low, (ulong) g->unit);
    fmpz_set(g->high, g->low);
    for (i = 1; i < g->points; i++)
        if (fmpz_cmp(g->high + i, g->high + i - 1) > 0)
            fmpz_set(g->high + i, g->high + i - 1);
}

/* ---- laws ---- */

static void law_init(grid_law_t law, const grid *g)
{
    grid_law_init(law, -g->last, 2 * g->last + 1, g->log2_step);
}

static void set_mass(arf_t mass, const fmpz_t z, const grid *g)
{
    arf_set_fmpz(mass, z);
    arf_mul_2exp_si(mass, mass, -g->unit);
}

/* The law above, mass by mass as in GridNumbers.v. */
static void law_above(grid_law_t law, grid *g)
{
    const slong prec = g->unit + GUARD_BITS;
    fmpz_t drop, next, change, product, least;
    arb_t ratio;
    arf_t bound;
    slong i;
    fmpz_init(drop); fmpz_init(next); fmpz_init(change); fmpz_init(product); fmpz_init(least); arb_init(ratio);
    arf_init(bound);

    /* 2^unit/(e^step - 1) */
    arf_one(bound);
    arf_mul_2exp_si(bound, bound, g->log2_step);
    arb_set_arf(ratio, bound);
    arb_expm1(ratio, ratio, prec);
    arb_inv(ratio, ratio, prec);
    arb_mul_2exp_si(ratio, ratio, g->unit);
    arb_get_lbound_arf(bound, ratio, prec);
    arf_get_fmpz(g->ratio_low, bound, ARF_RND_FLOOR);
    arb_get_ubound_arf(bound, ratio, prec);
    arf_get_fmpz(g->ratio_high, bound, ARF_RND_CEIL);

    law_init(law, g);
    for (i = 1; i < g->points; i++)
    {
        fmpz_sub(drop, g->high + i - 1, g->high + i);
        fmpz_zero(next);
        if (i + 1 < g->points)
            fmpz_sub(next, g->high + i, g->high + i + 1);
        fmpz_neg(change, next);
        if (i > 1)
            fmpz_add(change, change, drop);
        fmpz_mul(product, change, g->ratio_high);
        fmpz_mul(least, change, g->ratio_low);
        if (fmpz_cmp(least, product) > 0)
            fmpz_swap(least, product);
        fmpz_cdiv_q_2exp(product, product, (ulong) g->unit);
        fmpz_add(product, product, drop);
        if (fmpz_sgn(product) > 0)
            set_mass(law->mass + i - 1, product, g);
    }
    set_mass(law->infinite, g->high + g->points - 1, g);

    fmpz_clear(drop); fmpz_clear(next); fmpz_clear(change); fmpz_clear(product); fmpz_clear(least); arb_clear(ratio);
    arf_clear(bound);
}

/*
 * How far the profile can be below the chord of the lower bounds in each cell, as in GridBelow.v:
 * the line through the neighbours on the left comes down by x to the end of the cell, seen from the chord,
 * that on the right by y, so that they meet x y/(x + y) below it.
 */
static void set_sags(grid *g)
{
    const slong prec = 2 * g->unit + GUARD_BITS;
    arb_t up, down, first, rise, left, right;
    arf_t bound;
    fmpz_t z;
    slong j;
    arb_init(up); arb_init(down); arb_init(first); arb_init(rise); arb_init(left); arb_init(right); arf_init(bound);
    fmpz_init(z);
    arb_one(up);
    arb_mul_2exp_si(up, up, g->log2_step);
    arb_mul_si(first, up, -g->last, prec);
    arb_exp(first, first, prec);
    arb_exp(up, up, prec);
    arb_inv(down, up, prec);
    for (j = 0; j + 2 < g->points; j++)
    {
        fmpz_sub(z, g->low + j + 1, g->low + j);
        arb_set_fmpz(rise, z);
        if (j == 0)
        {
            arb_mul_fmpz(left, first, g->low, prec);
            arb_neg(left, left);
        }
        else
        {
            fmpz_sub(z, g->low + j, g->high + j - 1);
            arb_mul_fmpz(left, up, z, prec);
            if (j == 1)
                arb_sub_fmpz(left, left, z, prec);
        }
        arb_sub(left, rise, left, prec);
        if (j > 0)
        {
            fmpz_sub(z, g->high + j + 2, g->low + j + 1);
            arb_mul_fmpz(right, down, z, prec);
            arb_sub(right, right, rise, prec);
            if (!arb_is_positive(left) || !arb_is_positive(right))
            {
                arb_zero(left);
            }
            else
            {
                arb_add(rise, left, right, prec);
                arb_mul(left, left, right, prec);
                arb_div(left, left, rise, prec);
            }
        }
        arb_get_ubound_arf(bound, left, prec);
        arf_get_fmpz(g->sags + j, bound, ARF_RND_CEIL);
        fmpz_add_ui(g->sags + j, g->sags + j, 1);
        if (fmpz_sgn(g->sags + j) < 0)
            fmpz_zero(g->sags + j);
    }
    arb_clear(up); arb_clear(down); arb_clear(first); arb_clear(rise); arb_clear(left); arb_clear(right);
    arf_clear(bound); fmpz_clear(z);
}

/* slope := that of the line from point i to point j of (alpha, y) */
static void slope_between(arb_t slope, arb_srcptr alpha, arb_srcptr y, slong i, slong j, slong prec)
{
    arb_t d;
    arb_init(d);
    arb_sub(d, alpha + j, alpha + i, prec);
    arb_sub(slope, y + j, y + i, prec);
    arb_div(slope, slope, d, prec);
    arb_clear(d);
}

/* alpha := e^loss at every point, 0 at the first. */
static void set_powers(arb_ptr alpha, const grid *g, slong prec)
{
    arb_t step;
    slong j;
    arb_init(step);
    arb_one(step);
    arb_mul_2exp_si(step, step, g->log2_step);
    arb_mul_si(alpha + 1, step, -g->last, prec);
    arb_exp(alpha + 1, alpha + 1, prec);
    arb_exp(step, step, prec);
    for (j = 2; j < g->points; j++)
        arb_mul(alpha + j, alpha + j - 1, step, prec);
    arb_clear(step);
}

/* y := the lower bounds less the sags on either side, as long as they are positive. Returns the first point that has 0. */
static slong set_heights(arb_ptr y, const grid *g)
{
    slong end;
    fmpz_t z;
    fmpz_init(z);
    for (end = 0; end + 2 < g->points; end++)
    {
        fmpz_set(z, g->sags + end);
        if (end > 0 && fmpz_cmp(g->sags + end - 1, z) > 0)
            fmpz_set(z, g->sags + end - 1);
        fmpz_sub(z, g->low + end, z);
        if (fmpz_sgn(z) <= 0 || fmpz_cmp(g->low + end + 1, g->sags + end) < 0)
            break;
        arb_set_fmpz(y + end, z);
    }
    fmpz_clear(z);
    return end;
}

/* The corners of the convex hull of the points 0..end from below. Returns their number. */
static slong lower_hull(slong *corner, arb_srcptr alpha, arb_srcptr y, slong end, slong prec)
{
    slong j, count = 0;
    arb_t before, after;
    arb_init(before);
    arb_init(after);
    for (j = 0; j <= end; j++)
    {
        while (count >= 2)
        {
            slope_between(before, alpha, y, corner[count - 2], corner[count - 1], prec);
            slope_between(after, alpha, y, corner[count - 1], j, prec);
            if (arb_gt(after, before))
                break;
            count--;
        }
        corner[count++] = j;
    }
    arb_clear(before);
    arb_clear(after);
    return count;
}

/*
 * The law below: corners of the convex envelope of the lower bounds less the sags on both sides, and 0
 * where they are used up. In balls whose errors are far below a unit.
 */
static void law_below(grid_law_t law, grid *g)
{
    const slong prec = 2 * g->unit + GUARD_BITS;
    arb_ptr alpha = _arb_vec_init(g->points), y = _arb_vec_init(g->points);
    slong *corner = flint_malloc((size_t) g->points * sizeof(slong));
    slong j, count;
    arb_t before, after;
    arf_t bound;
    fmpz_t z;
    arb_init(before); arb_init(after); arf_init(bound); fmpz_init(z);

    set_powers(alpha, g, prec);
    set_sags(g);
    count = lower_hull(corner, alpha, y, set_heights(y, g), prec);
    law_init(law, g);
    g->cells = 0;
    arb_zero(after);
    for (j = count - 1; j >= 1; j--)
    {
        slope_between(before, alpha, y, corner[j - 1], corner[j], prec);
        arb_sub(after, after, before, prec);
        arb_mul(after, after, alpha + corner[j], prec);
        arb_get_lbound_arf(bound, after, prec);
        arf_get_fmpz(z, bound, ARF_RND_FLOOR);
        fmpz_sub_ui(z, z, 1);
        if (fmpz_sgn(z) > 0)
        {
            fmpz_set(g->below + corner[j] - 1, z);
            set_mass(law->mass + corner[j] - 1, z, g);
            g->cells = FLINT_MAX(g->cells, corner[j]);
        }
        arb_set(after, before);
    }

    _arb_vec_clear(alpha, g->points);
    _arb_vec_clear(y, g->points);
    flint_free(corner);
    arb_clear(before); arb_clear(after); arf_clear(bound); fmpz_clear(z);
}

/* Everything but the values. Returns 0, or -1 if the sums are too large. */
static int grid_set(grid *g, const shuf_pair_t pair, uint64_t rounds)
{
    grid_law_t above, below;
    set_nodes(g, pair);
    set_points(g);
    law_above(above, g);
    law_below(below, g);
    if (loss_sum_init(g->sum_above, above, rounds, g->unit + GUARD_BITS, 1) == 0)
    {
        g->summed = loss_sum_init(g->sum_below, below, rounds, g->unit + GUARD_BITS, 0) == 0;
        if (!g->summed)
            loss_sum_clear(g->sum_above);
    }
    grid_law_clear(above);
    grid_law_clear(below);
    return g->summed ? 0 : -1;
}

/* ---- all directions together ---- */

/* What the certificate is about, its grids and what they certify. */
typedef struct
{
    const shuf_certificate *c;
    slong log2_size; /* of the value delta, or of the delta that was asked for */
    grid grids[2];
    int count; /* of the directions: 1 or 2 */
    /* delta(eps) at the point; or eps as whole numbers of 10^-exponent, and whether there is a lower one */
    arf_t lo, hi;
    slong eps_lo, eps_hi, exponent;
    int has_lo;
    double gap; /* between the ends, relative to the value */
} rounds;

static void rounds_init(rounds *r, const shuf_certificate *c)
{
    r->c = c;
    r->count = 0;
    arf_init(r->lo);
    arf_init(r->hi);
    r->gap = INFINITY;
}

static void grids_clear(rounds *r)
{
    while (r->count > 0)
        grid_clear(&r->grids[--r->count]);
}

static void rounds_clear(rounds *r)
{
    grids_clear(r);
    arf_clear(r->lo);
    arf_clear(r->hi);
}

/* The larger of the directions' ends, with its slack. */
static void value_at(arf_t end, const rounds *r, const shuf_real_t eps, int up)
{
    const slong prec = r->grids[0].unit;
    arf_t next, slack;
    int i;
    arf_init(next);
    arf_init(slack);
    loss_sum_delta(end, up ? r->grids[0].sum_above : r->grids[0].sum_below, eps);
    for (i = 1; i < r->count; i++)
    {
        loss_sum_delta(next, up ? r->grids[i].sum_above : r->grids[i].sum_below, eps);
        if (arf_cmp(next, end) > 0)
            arf_swap(next, end);
    }
    arf_one(slack);
    arf_mul_2exp_si(slack, slack, r->log2_size - END_SLACK);
    if (up)
        arf_add(end, end, slack, prec, ARF_RND_CEIL);
    else
        arf_sub(end, end, slack, prec, ARF_RND_FLOOR);
    if (arf_sgn(end) < 0)
        arf_zero(end);
    arf_clear(next);
    arf_clear(slack);
}

/* eps := k 10^-exponent */
static void set_eps(shuf_real_t eps, const rounds *r, slong k)
{
    fmpq_t q;
    fmpq_init(q);
    fmpz_set_si(fmpq_numref(q), k);
    if (r->exponent >= 0)
        fmpz_ui_pow_ui(fmpq_denref(q), 10, (ulong) r->exponent);
    else
    {
        fmpz_ui_pow_ui(fmpq_denref(q), 10, (ulong) -r->exponent);
        fmpz_mul(fmpq_numref(q), fmpq_numref(q), fmpq_denref(q));
        fmpz_one(fmpq_denref(q));
    }
    fmpq_canonicalise(q);
    shuf_real_set_fmpq(eps, q);
    fmpq_clear(q);
}

/* Whether at k 10^-exponent the upper end is at most delta (up), or the lower one above it. */
static int decides(const rounds *r, slong k, int up)
{
    shuf_real_t eps;
    arf_t end;
    int sign;
    shuf_real_init(eps);
    arf_init(end);
    set_eps(eps, r, k);
    value_at(end, r, eps, up);
    sign = shuf_real_cmp_arf(r->c->point, end);
    shuf_real_clear(eps);
    arf_clear(end);
    return up ? sign >= 0 : sign < 0;
}

/* The k that decides and is next to one that does not; yes does, no does not, on either side of each other. */
static slong nearest(const rounds *r, slong no, slong yes, int up)
{
    while (FLINT_ABS(yes - no) > 1)
    {
        slong middle = no + (yes - no) / 2;
        if (decides(r, middle, up))
            yes = middle;
        else
            no = middle;
    }
    return yes;
}

/* What the grids certify of eps(delta), with some four digits. */
static void set_epsilon(rounds *r)
{
    const double hi = arf_get_d(r->c->value->hi, ARF_RND_UP), lo = arf_get_d(r->c->value->lo, ARF_RND_DOWN);
    slong k = 0, most;
    r->exponent = hi > 0 ? 4 - (slong) floor(d_log10(hi)) : 4;
    if (hi > 0)
        k = (slong) ceil(hi * d_pow(10.0, (double) r->exponent));
    most = 4 * k + 1;
    r->gap = INFINITY;
    if (decides(r, k, 1))
        r->eps_hi = k;
    else if (decides(r, most, 1))
        r->eps_hi = nearest(r, k, most, 1);
    else
        return;
    k = (slong) floor(lo * d_pow(10.0, (double) r->exponent));
    r->has_lo = k > 0 && decides(r, 0, 0);
    r->eps_lo = 0;
    if (r->has_lo)
        r->eps_lo = decides(r, k, 0) ? k : nearest(r, k, 0, 0);
    r->gap = r->eps_hi == 0 ? 0.0 : (double) (r->eps_hi - r->eps_lo) / (double) r->eps_hi;
}

static void set_delta(rounds *r)
{
    arf_t d;
    arf_init(d);
    value_at(r->lo, r, r->c->point, 0);
    value_at(r->hi, r, r->c->point, 1);
    arf_sub(d, r->hi, r->lo, 53, ARF_RND_UP);
    if (arf_is_zero(r->c->value->hi))
        r->gap = ldexp(arf_get_d(d, ARF_RND_UP), (int) -r->log2_size);
    else
        r->gap = arf_get_d(d, ARF_RND_UP) / arf_get_d(r->hi, ARF_RND_UP);
    arf_clear(d);
}

/* Makes the grids of the step 2^log2_step for losses up to `cut`, and says what they certify. Returns 0, or -1. */
static int set_grids(rounds *r, double cut, slong log2_step)
{
    const shuf_certificate *c = r->c;
    const slong last = (slong) ceil(ldexp(cut, (int) -log2_step));
    /* what every round may be trimmed by is 2^-bits, and what a coefficient may be rounded by less by their number */
    const slong bits = END_BITS - r->log2_size + (slong) FLINT_BIT_COUNT(c->rounds);
    const slong unit = bits + 1 + (slong) FLINT_BIT_COUNT((ulong) last) + (slong) FLINT_BIT_COUNT(c->rounds);
    const int both = c->direction == SHUF_DIRECTION_BOTH && !shuf_pair_is_symmetric(c->pair);
    int i;
    grids_clear(r);
    if (unit > MAX_BITS)
        return -1;
    for (i = 0; i < (both ? 2 : 1); i++)
    {
        grid *g = &r->grids[r->count++];
        grid_init(g, i == 1 || c->direction == SHUF_DIRECTION_QP ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, log2_step, last, unit);
        fmpz_one(g->trim);
        fmpz_mul_2exp(g->trim, g->trim, (ulong) (unit - bits));
        if (grid_set(g, c->pair, c->rounds) != 0)
            return -1;
    }
    if (c->of_epsilon)
        set_epsilon(r);
    else
        set_delta(r);
    return 0;
}

/* What a certificate of these grids costs Coq, in rows of numbers of some 100 bits. */
static double cost(const rounds *r)
{
    double rows = 0;
    int i;
    for (i = 0; i < r->count; i++)
        rows += r->grids[i].rows * FLINT_MAX(1.0, (double) r->grids[i].unit / 100.0);
    return rows;
}

static double size_of(const shuf_real_t x)
{
    arb_t y;
    double size;
    arb_init(y);
    shuf_real_get_arb(y, x, 64);
    size = arf_get_d(arb_midref(y), ARF_RND_UP);
    arb_clear(y);
    return size;
}

/*
 * The loss beyond which nothing matters: what is above it in one round, and finite, has a mass of at most CUT
 * of the value and a round. Returns 0, or -1 when none was found.
 */
static int find_cut(double *cut, const rounds *r)
{
    const shuf_options options = { 2, 0.0 };
    const shuf_certificate *c = r->c;
    shuf_law_struct profile;
    shuf_real_t delta, loss;
    shuf_enclosure_t e;
    arf_t infinite, part;

    shuf_law_set_pair(&profile, c->pair);
    shuf_real_init(delta); shuf_real_init(loss); shuf_enclosure_init(e); arf_init(infinite); arf_init(part);
    profile.infinite(infinite, &profile, SHUF_DIRECTION_PQ);
    arf_set_d(part, CUT / (double) c->rounds);
    arf_mul_2exp_si(part, part, r->log2_size);
    arf_add(part, part, infinite, 53, ARF_RND_UP);
    shuf_real_set_arf(delta, part);
    *cut = shuf_hockey_epsilon(e, c->pair, delta, SHUF_DIRECTION_BOTH, &options) != SHUF_DOMAIN ? arf_get_d(e->hi, ARF_RND_UP)
                                                                                                : 0.0;
    if (shuf_pair_max_loss(loss, c->pair))
    {
        double largest = size_of(loss);
        /* all losses for a value of 0, and some in any case */
        if (!c->of_epsilon && arf_is_zero(c->value->hi))
            *cut = largest;
        *cut = FLINT_MIN(FLINT_MAX(*cut, 1e-3 * largest), largest);
    }
    else
    {
        /* an infinite loss is taken for the largest of the grid */
        *cut += 8.0 + (c->of_epsilon ? arf_get_d(c->value->hi, ARF_RND_UP) : size_of(c->point));
    }
    shuf_real_clear(delta); shuf_real_clear(loss); shuf_enclosure_clear(e); arf_clear(infinite); arf_clear(part);
    return *cut > 0 && *cut < 1e6 ? 0 : -1;
}

/* ---- the file ---- */

static void write_hex(FILE *out, const fmpz_t z)
{
    char *text = fmpz_get_str(NULL, 16, z);
    fprintf(out, "\"0x%s\"", text);
    flint_free(text);
}

/* "name": [...], and a comma. */
static void write_list(FILE *out, const char *name, const fmpz *z, slong length)
{
    slong i;
    fprintf(out, "  \"%s\": [", name);
    for (i = 0; i < length; i++)
    {
        fputs(i > 0 ? ", " : "", out);
        write_hex(out, z + i);
    }
    fputs("],\n", out);
}

/* Bits for what the nodes share: their losses' exponentials, and 1/(e^step - 1). */
static slong shared_bits(const grid *g)
{
    slong bits = g->unit + GUARD_BITS + 2 * FLINT_MAX(0, -g->log2_step), i;
    for (i = 0; i <= g->last; i++)
        bits = FLINT_MAX(bits, g->nodes[i].bits + GUARD_BITS / 2);
    return bits;
}

/* [bits, window, window of the other direction, high, mirror high, low, mirror low] */
static void write_node(FILE *out, const grid *g, slong i)
{
    const node *at = &g->nodes[i];
    fprintf(out, "    [%ld, ", (long) at->bits);
    window_write(out, &at->here);
    fputs(", ", out);
    window_write(out, &at->back);
    fputs(", ", out);
    write_hex(out, g->high + point_of(g, i));
    fputs(", ", out);
    write_hex(out, g->high + point_of(g, -i));
    fputs(", ", out);
    write_hex(out, g->low + point_of(g, i));
    fputs(", ", out);
    write_hex(out, g->low + point_of(g, -i));
    fputc(']', out);
}

static void write_grid(FILE *out, const grid *g)
{
    slong i;
    /* a step is a power of 2 */
    fprintf(out, " {\"bits\": %ld, \"unit\": %ld, \"log2_step\": %ld, \"ratios\": [", (long) shared_bits(g), (long) g->unit,
            (long) g->log2_step);
    write_hex(out, g->ratio_low);
    fputs(", ", out);
    write_hex(out, g->ratio_high);
    fputs("],\n  \"nodes\": [\n", out);
    for (i = 0; i <= g->last; i++)
    {
        write_node(out, g, i);
        fputs(i < g->last ? ",\n" : "],\n", out);
    }
    write_list(out, "sags", g->sags, g->cells);
    write_list(out, "below", g->below, g->cells);
    fputs("  \"trim\": ", out);
    write_hex(out, g->trim);
    fputc('}', out);
}

static void write_ends_of_delta(FILE *out, const rounds *r)
{
    char *lo = shuf_decimal(r->lo, END_DIGITS, 0), *hi = shuf_decimal(r->hi, END_DIGITS, 1);
    fprintf(out, "\"lo\": \"%s\",\n\"hi\": \"%s\",\n", lo, hi);
    flint_free(lo);
    flint_free(hi);
}

static void write_ends_of_epsilon(FILE *out, const rounds *r)
{
    if (r->has_lo)
        fprintf(out, "\"lo\": \"%lde%ld\",\n", (long) r->eps_lo, (long) -r->exponent);
    else
        fputs("\"lo\": null,\n", out);
    fprintf(out, "\"hi\": \"%lde%ld\",\n", (long) r->eps_hi, (long) -r->exponent);
}

/* Of the delta that was asked for, or of the value; something for 0. */
static slong log2_size(const shuf_certificate *c)
{
    arb_t x;
    slong size;
    arb_init(x);
    if (c->of_epsilon)
        shuf_real_get_arb(x, c->point, 64);
    else
        arb_set_arf(x, c->value->hi);
    size = arb_is_zero(x) ? -30 : (slong) arf_abs_bound_lt_2exp_si(arb_midref(x));
    arb_clear(x);
    return FLINT_MIN(0, size);
}

/*
 * Coq: Composed.check_rounds_sound, Composed.check_rounds_at_most_sound, Composed.check_rounds_above_sound,
 * ComposedPairs.check_rounds_krr_strong_sound, ComposedPairs.check_rounds_krr_strong_at_most_sound,
 * ComposedPairs.check_rounds_krr_strong_above_sound, ComposedPairs.rounds_epsilon_enclosed,
 * ComposedPairs.krr_strong_rounds_epsilon_enclosed.
 */
const char *composed_write(FILE *out, const shuf_certificate *c)
{
    const char *refusal = NULL;
    rounds r;
    double cut;
    slong log2_step;

    if (c->of_epsilon && (c->point->is_log || shuf_real_sgn(c->point) == 0))
        return "a delta that is 0 or a logarithm has no certificates of several rounds";
    rounds_init(&r, c);
    r.log2_size = log2_size(c);
    if (find_cut(&cut, &r) != 0)
    {
        rounds_clear(&r);
        return "no grid of losses was found";
    }
    log2_step = (slong) floor(d_lb(cut / MIN_NODES));
    do
    {
        if (set_grids(&r, cut, log2_step--) != 0)
        {
            refusal = "a certificate of so many rounds would be too large";
            break;
        }
    }
    while (r.gap > ACCURACY && 2 * cost(&r) <= MAX_ROWS && 2 * r.grids[0].last <= MAX_NODES);
    if (refusal == NULL && !(r.gap < INFINITY))
        refusal = "no bound was found on the finest grid that Coq could take";
    if (refusal == NULL)
    {
        /* the ends are those of a grid that Coq can go through: wider than what the program computed */
        if (c->of_epsilon)
            write_ends_of_epsilon(out, &r);
        else
            write_ends_of_delta(out, &r);
        fputs("\"grids\": [\n", out);
        write_grid(out, &r.grids[0]);
        if (r.count == 2)
        {
            fputs(",\n", out);
            write_grid(out, &r.grids[1]);
        }
        fputs("]\n", out);
    }
    rounds_clear(&r);
    return refusal;
}
