/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/grid_nodes.h"

#include <math.h>
#include <string.h>

#include "enclosure/arf_vec.h"
#include "enclosure/elementary.h"
#include "enclosure/parallel.h"
#include "enclosure/steer.h"
#include "pld/cumulants.h"

#define PREC 192 /* steers only */

void grid_nodes_init(grid_nodes_struct *x, const shuf_law_struct *law, uint64_t rounds, shuf_direction direction)
{
    memset(x, 0, sizeof(*x));
    x->law = law;
    x->rounds = rounds;
    x->direction = direction;
}

static void drop_laws(grid_nodes_struct *x)
{
    if (!x->have_laws)
        return;
    grid_law_clear(x->upper);
    grid_law_clear(x->lower);
    flint_free(x->value);
    x->have_laws = 0;
}

static void drop_nodes(grid_nodes_struct *x)
{
    arf_vec_clear(x->lo, x->count);
    arf_vec_clear(x->hi, x->count);
    flint_free(x->node);
    flint_free(x->known);
    flint_free(x->gap);
}

void grid_nodes_clear(grid_nodes_struct *x)
{
    drop_laws(x);
    drop_nodes(x);
}

static shuf_direction reverse(shuf_direction direction)
{
    return direction == SHUF_DIRECTION_PQ ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
}

/* ---- the first nodes ---- */

/* Steer only. */
#define SURVEY_FIRST (-40) /* losses from 2^-40 to 2^19, two an octave */
#define SURVEY_POINTS (2 * 59)
#define LEAST_SCALE 1e-5 /* times the total variation distance */
#define SURVEY_MARGIN 20.0 /* in logarithms */

/* Of one direction: the loss from which the profile is as small as it gets (top), and where it has fallen to a twentieth (scale). */
static int survey(double *top, double *scale, const grid_nodes_struct *x, shuf_direction direction, double least, const shuf_options *options)
{
    arf_struct s[SURVEY_POINTS], lo[SURVEY_POINTS], hi[SURVEY_POINTS];
    double at[SURVEY_POINTS], log_hi[SURVEY_POINTS];
    int count = SURVEY_POINTS, i;
    for (i = 0; i < SURVEY_POINTS; i++)
    {
        at[i] = i == 0 ? 0 : ldexp(2 + i % 2, SURVEY_FIRST + i / 2 - 1);
        arf_init(s + i); arf_init(lo + i); arf_init(hi + i);
        arf_set_d(s + i, at[i]);
    }
    /* where it is far below what matters, values cost the most */
    for (; x->law->log_estimate != NULL && count > 1 && x->law->log_estimate(x->law, at[count - 1]) < least - SURVEY_MARGIN; count--)
        ;
    x->law->evaluate(lo, hi, x->law, direction, s, count, options);
    for (i = 0; i < SURVEY_POINTS; i++)
    {
        log_hi[i] = i < count ? steer_log(hi + i) : -HUGE_VAL;
        arf_clear(s + i); arf_clear(lo + i); arf_clear(hi + i);
    }
    if (log_hi[0] == -HUGE_VAL)
        return 0;
    least = fmax(log_hi[SURVEY_POINTS - 1] + 1e-6, least);
    /* at least the first positive loss: a profile may be constant, or not known better */
    for (i = 1; i < SURVEY_POINTS - 1 && log_hi[i] > least; i++)
        ;
    *top = at[i];
    for (i = 1; i < SURVEY_POINTS - 1 && log_hi[i] > log_hi[0] - d_log(20.0); i++)
        ;
    /* finer than this, the errors of the values would hide a law of few losses and a large mass at infinity */
    *top = fmax(*top, LEAST_SCALE * d_exp(log_hi[0]));
    *scale = fmax(fmin(at[i] / 1.65, *top), LEAST_SCALE * d_exp(log_hi[0]));
    return 1;
}

int grid_nodes_survey(grid_nodes_struct *x, double least, const shuf_options *options)
{
    double scale;
    if (!survey(&x->top, &x->scale, x, x->direction, least, options))
    {
        x->top = x->bottom = x->scale = 0;
        return 0;
    }
    x->bottom = x->top;
    if (!x->law->symmetric && survey(&x->bottom, &scale, x, reverse(x->direction), least, options))
        x->scale = fmax(x->scale, scale);
    return 1;
}

/* Cells in a standard deviation, at most 1, and in a loss. Steer only. */
#define FIRST_CELLS 16.0

/* Writes those between 0 and `end` on that side (sign), the first at `node` and the next ones at node + sign and so on, if it is not NULL; returns how many there are. */
static slong place_side(slong *node, const grid_nodes_struct *x, int sign, double end)
{
    slong at = 0, count = 0, last = FLINT_MAX((slong) ceil(ldexp(end, (int) -x->log2_step)), 1);
    while (at < last)
    {
        at += FLINT_MAX((slong) fmax(ldexp(fmin(x->scale, 1), (int) -x->log2_step), (double) at) / (slong) FIRST_CELLS, 1);
        at = FLINT_MIN(at, last);
        if (node != NULL)
            node[sign * count] = sign * at;
        count++;
    }
    return count;
}

/* Room for so many nodes, all unknown. */
static void allocate(grid_nodes_struct *x, slong count)
{
    x->count = count;
    x->node = flint_malloc((size_t) count * sizeof(slong));
    x->known = flint_calloc((size_t) count, 1);
    x->gap = flint_calloc((size_t) count, sizeof(double));
    x->lo = arf_vec_init(count);
    x->hi = arf_vec_init(count);
}

void grid_nodes_place(grid_nodes_struct *x, slong log2_step)
{
    slong above, below;
    drop_nodes(x);
    x->log2_step = log2_step;
    above = place_side(NULL, x, 1, x->top);
    below = place_side(NULL, x, -1, x->bottom);
    allocate(x, below + 1 + above);
    x->node[below] = 0;
    place_side(x->node + below - 1, x, -1, x->bottom);
    place_side(x->node + below + 1, x, 1, x->top);
}

/* ---- other nodes ---- */

/* Takes these nodes, which rise, in place of its own; what was known of the same losses still is. */
static void replace(grid_nodes_struct *x, const slong *node, slong count)
{
    grid_nodes_struct old = *x;
    slong i, j = 0;
    allocate(x, count);
    memcpy(x->node, node, (size_t) count * sizeof(slong));
    for (i = 0; i < count; i++)
    {
        while (j < old.count && old.node[j] < node[i])
            j++;
        if (j == old.count || old.node[j] > node[i])
            continue;
        arf_swap(x->lo + i, old.lo + j);
        arf_swap(x->hi + i, old.hi + j);
        x->known[i] = old.known[j];
        x->gap[i] = old.gap[j];
    }
    drop_nodes(&old);
}

/* ---- the profile ---- */

/*
 * The profile at alpha < 1: 1 - alpha + alpha k, k that of the other direction at 1/alpha.
 * Coq: Divergence.hockey_symmetry_law.
 */
static void reflect(arf_t lo, arf_t hi, const arf_t loss)
{
    arb_t alpha, t;
    arb_init(alpha);
    arb_init(t);
    arb_set_arf(alpha, loss);
    shuf_ball_exp_minus(alpha, alpha, PREC);
    arb_mul_arf(t, alpha, lo, PREC);
    arb_sub(t, t, alpha, PREC);
    arb_add_ui(t, t, 1, PREC);
    arb_get_lbound_arf(lo, t, PREC);
    arb_mul_arf(t, alpha, hi, PREC);
    arb_sub(t, t, alpha, PREC);
    arb_add_ui(t, t, 1, PREC);
    arb_get_ubound_arf(hi, t, PREC);
    shuf_ends_cut(lo, hi);
    arb_clear(alpha);
    arb_clear(t);
}

typedef struct
{
    grid_nodes_struct *x;
    const shuf_options *options;
    shuf_status status[2];
} sides_struct;

/* The nodes from 0 on that are not known (i = 0), or those below, which are those of the reverse direction, turned over (i = 1). */
static void evaluate_side(void *args, slong i)
{
    sides_struct *sides = args;
    grid_nodes_struct *x = sides->x;
    arf_ptr s = arf_vec_init(x->count), lo = arf_vec_init(x->count), hi = arf_vec_init(x->count);
    const slong step = i == 0 ? 1 : -1, from = i == 0 ? 0 : x->count - 1, end = i == 0 ? x->count : -1;
    slong j, count = 0;
    for (j = from; j != end; j += step)
        if (!x->known[j] && (i == 0 ? x->node[j] >= 0 : x->node[j] < 0))
            arf_set_si_2exp_si(s + count++, step * x->node[j], x->log2_step);
    sides->status[i] = SHUF_OK;
    if (count > 0)
        sides->status[i] = x->law->evaluate(lo, hi, x->law, i == 0 ? x->direction : reverse(x->direction), s, count, sides->options);
    for (j = from, count = 0; j != end; j += step)
        if (!x->known[j] && (i == 0 ? x->node[j] >= 0 : x->node[j] < 0))
        {
            arf_swap(x->lo + j, lo + count);
            arf_swap(x->hi + j, hi + count);
            if (i == 1)
                reflect(x->lo + j, x->hi + j, s + count);
            count++;
        }
    arf_vec_clear(s, x->count);
    arf_vec_clear(lo, x->count);
    arf_vec_clear(hi, x->count);
}

/* Units of work for a node beside its profile's and its laws': turning it over, and its logarithm. Steers only. */
#define NODE_WORK 2500.0

static void evaluate(grid_nodes_struct *x, const shuf_options *options)
{
    sides_struct sides = { x, options, { SHUF_OK, SHUF_OK } };
    slong i;
    shuf_charge(NODE_WORK * (double) x->count);
    parallel_do(evaluate_side, &sides, 2);
    /* what is not as accurate as it was to be is looked at again next time */
    for (i = 0; i < x->count; i++)
        x->known[i] = sides.status[x->node[i] < 0] == SHUF_OK || x->known[i];
}

/* Steer only. */
#define MOST_FALL 1.0 /* of the logarithm in a cell, unless it is one of that many pieces that have been cut so often */
#define FALL_PIECES 16.0
#define FALL_PASSES 3

void grid_nodes_follow(grid_nodes_struct *x, double least, const shuf_options *options)
{
    slong i, count, j, *node;
    int pass, cut = 1;
    evaluate(x, options);
    for (pass = 0; pass < FALL_PASSES && cut; pass++)
    {
        node = flint_malloc((size_t) x->count * (size_t) FALL_PIECES * sizeof(slong));
        for (i = 0, count = 0, cut = 0; i + 1 < x->count; i++)
        {
            const double from = steer_log(x->hi + i), fall = from - steer_log(x->hi + i + 1);
            const slong length = x->node[i + 1] - x->node[i];
            const slong pieces = x->node[i] >= 0 && from > least ? FLINT_MIN(FLINT_MAX((slong) fmin(ceil(fall / MOST_FALL), FALL_PIECES), 1), length) : 1;
            cut |= pieces > 1;
            for (j = 0; j < pieces; j++)
                node[count++] = x->node[i] + (slong) ((double) length * (double) j / (double) pieces);
        }
        node[count++] = x->node[x->count - 1];
        replace(x, node, count);
        flint_free(node);
        evaluate(x, options);
    }
}

/* ---- the laws ---- */

/* For estimates: the law from above. */
static void set_estimates(grid_nodes_struct *x)
{
    slong j;
    x->value = flint_malloc(2 * (size_t) x->count * sizeof(double));
    x->log_mass = x->value + x->count;
    x->has_mass = 0;
    for (j = 0; j < x->count; j++)
    {
        x->value[j] = ldexp((double) x->node[j], (int) x->log2_step);
        x->log_mass[j] = steer_log(x->upper->mass + j);
        x->has_mass = x->has_mass || x->log_mass[j] > -HUGE_VAL;
    }
}

/* Coq: Divergence.dominates_both_directions. */
void grid_nodes_set_laws(grid_nodes_struct *x, const shuf_options *options)
{
    arf_t infinite;
    drop_laws(x);
    evaluate(x, options);
    arf_init(infinite);
    x->law->infinite(infinite, x->law, x->direction);
    grid_laws(x->upper, x->lower, x->node, x->lo, x->hi, x->count, infinite, x->log2_step);
    set_estimates(x);
    x->have_laws = 1;
    arf_clear(infinite);
}

/* ---- which nodes matter ---- */

void grid_nodes_narrow(grid_nodes_struct *x, double above, double below)
{
    slong first = 0, last = x->count - 1, *node;
    arf_t beyond;
    double sum;
    /* what is beyond all nodes, and may be finite */
    arf_init(beyond);
    arf_sub(beyond, x->upper->infinite, x->lower->infinite, 53, ARF_RND_UP);
    sum = steer_log(beyond);
    arf_clear(beyond);
    if (isfinite(above) && sum <= above)
        for (; x->node[last - 1] > 0; last--)
        {
            const double mass = steer_log(x->upper->mass + last), m = fmax(sum, mass);
            if (m > -HUGE_VAL)
                sum = m + d_log(d_exp(sum - m) + d_exp(mass - m));
            if (sum > above)
                break;
        }
    for (sum = 0; x->node[first + 1] < 0; first++)
    {
        sum += d_exp(steer_log(x->upper->mass + first));
        if (sum > d_exp(below))
            break;
    }
    /* a node more than that, if there was one */
    last = FLINT_MIN(last + 1, x->count - 1);
    first = FLINT_MAX(first - 1, 0);
    node = flint_malloc((size_t) x->count * sizeof(slong));
    memcpy(node, x->node + first, (size_t) (last - first + 1) * sizeof(slong));
    replace(x, node, last - first + 1);
    flint_free(node);
}

/* Units of work for a node. Steers only. */
#define CUMULANT_WORK 9.0

void grid_nodes_cumulants(double k[3], const grid_nodes_struct *x, double theta)
{
    k[0] = k[1] = k[2] = 0;
    shuf_charge(CUMULANT_WORK * (double) x->upper->count);
    if (!x->has_mass)
        return;
    cumulants_of_atoms(k, x->value, x->log_mass, x->upper->count, 0, theta);
}

/* Pieces of a cell at most, as its gap is only known roughly, and how much wider than its neighbour one is. Steer only. */
#define MOST_PIECES 24.0
#define MOST_GROWTH 3.0

/* A cell is cut into pieces of equal width, not more than twice as many. */
static slong pieces_of(double length, double width)
{
    return (slong) fmin(ceil(length / width - 1e-6), 2 * MOST_PIECES);
}

/* width[i] := the width in steps that the pieces of cell i are to have: a gap falls with the third power of it, as there is less mass, too */
static void set_widths(double *width, const grid_nodes_struct *x, double level)
{
    slong i;
    for (i = 0; i + 1 < x->count; i++)
        width[i] = (double) (x->node[i + 1] - x->node[i]) / fmin(fmax(d_exp((x->gap[i] - level) / 3), 1), MOST_PIECES);
    for (i = 1; i + 1 < x->count; i++)
        width[i] = fmin(width[i], MOST_GROWTH * width[i - 1]);
    for (i = x->count - 3; i >= 0; i--)
        width[i] = fmin(width[i], MOST_GROWTH * width[i + 1]);
}

double grid_nodes_after(double *left, const grid_nodes_struct *x, double level, double most)
{
    double *width = flint_malloc((size_t) x->count * sizeof(double)), nodes = 1;
    slong i;
    set_widths(width, x, level);
    for (i = 0; i + 1 < x->count; i++)
    {
        const double length = (double) (x->node[i + 1] - x->node[i]);
        const double pieces = fmin((double) pieces_of(length, width[i]), length);
        nodes += pieces;
        *left += d_exp(x->gap[i] - most) / (pieces * pieces);
    }
    flint_free(width);
    return nodes;
}

void grid_nodes_cut(grid_nodes_struct *x, double level)
{
    double *width = flint_malloc((size_t) x->count * sizeof(double));
    slong i, j, count = 0, *node = flint_malloc((size_t) x->count * ((size_t) (2 * MOST_PIECES) + 1) * sizeof(slong));
    set_widths(width, x, level);
    for (i = 0; i + 1 < x->count; i++)
    {
        const slong length = x->node[i + 1] - x->node[i];
        const slong pieces = FLINT_MIN(pieces_of((double) length, width[i]), length);
        for (j = 0; j < pieces; j++)
            node[count++] = x->node[i] + (slong) ((double) length * (double) j / (double) pieces);
    }
    node[count++] = x->node[x->count - 1];
    replace(x, node, count);
    flint_free(node);
    flint_free(width);
}
