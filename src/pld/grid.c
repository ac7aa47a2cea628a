/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/grid.h"

#include "enclosure/parallel.h"

/* Second differences of values given to 192 bits must be seen beside their rounding. Steer only. */
#define PREC 288
#define MASS_PREC 128

/* At `count` losses, which are yet to be set. */
static void init(grid_law_t law, slong first, slong length, slong log2_step, slong count)
{
    slong i;
    law->first = first;
    law->length = length;
    law->log2_step = log2_step;
    law->count = count;
    law->at = flint_malloc((size_t) count * sizeof(slong));
    law->mass = flint_malloc((size_t) count * sizeof(arf_struct));
    for (i = 0; i < count; i++)
        arf_init(law->mass + i);
    arf_init(law->infinite);
}

void grid_law_init(grid_law_t law, slong first, slong length, slong log2_step)
{
    slong i;
    init(law, first, length, log2_step, length);
    for (i = 0; i < length; i++)
        law->at[i] = i;
}

void grid_law_clear(grid_law_t law)
{
    slong i;
    for (i = 0; i < law->count; i++)
        arf_clear(law->mass + i);
    flint_free(law->mass);
    flint_free(law->at);
    arf_clear(law->infinite);
}

/* Units of work for a node in one pass over the nodes, and the nodes between two looks at the watch. Steer only. */
#define PASS_WORK 500.0
#define LOOK 4096

/* Whether the watch stops a pass at node i. */
static int stopped(slong i)
{
    shuf_charge(PASS_WORK);
    return i % LOOK == 0 && shuf_exhausted(0);
}

/*
 * A piecewise linear function of alpha: point 0 is alpha = 0, point i+1 is
 * node i, and a stack of the points that are kept.
 */
typedef struct
{
    arb_srcptr alpha;
    arb_srcptr inverse; /* of alpha[i+1] - alpha[i] */
    arb_ptr y;
    slong *kept;
    slong count;
    arb_t slope[2], change; /* scratch */
} polygon;

/* alpha and inverse of nodes */
static void nodes_init(arb_ptr *alpha, arb_ptr *inverse, const slong *node, slong count, slong log2_step)
{
    arb_t t;
    slong i;
    arb_init(t);
    *alpha = _arb_vec_init(count + 1);
    *inverse = _arb_vec_init(count);
    for (i = 0; i < count; i++)
    {
        arb_set_si(t, node[i]);
        arb_mul_2exp_si(t, t, log2_step);
        arb_exp(*alpha + i + 1, t, PREC);
        arb_sub(t, *alpha + i + 1, *alpha + i, PREC);
        arb_inv(*inverse + i, t, PREC);
    }
    arb_clear(t);
}

static void polygon_init(polygon *f, arb_srcptr alpha, arb_srcptr inverse, slong length)
{
    f->alpha = alpha;
    f->inverse = inverse;
    f->y = _arb_vec_init(length + 1);
    f->kept = flint_malloc((size_t) (length + 1) * sizeof(slong));
    f->count = 0;
    arb_init(f->slope[0]); arb_init(f->slope[1]); arb_init(f->change);
}

static void polygon_clear(polygon *f, slong length)
{
    _arb_vec_clear(f->y, length + 1);
    flint_free(f->kept);
    arb_clear(f->slope[0]); arb_clear(f->slope[1]); arb_clear(f->change);
}

/* slope of the line from (point i, yi) to (point j, yj) */
static void line(arb_t slope, const polygon *f, slong i, const arb_t yi, slong j, const arb_t yj)
{
    arb_t d;
    arb_sub(slope, yj, yi, PREC);
    if (j == i + 1)
    {
        arb_mul(slope, slope, f->inverse + i, PREC);
        return;
    }
    arb_init(d);
    arb_sub(d, f->alpha + j, f->alpha + i, PREC);
    arb_div(slope, slope, d, PREC);
    arb_clear(d);
}

/* f->change := the change of slope at point j between points i and k */
static void slope_change(polygon *f, slong i, slong j, slong k)
{
    line(f->slope[0], f, i, f->y + i, j, f->y + j);
    line(f->slope[1], f, j, f->y + j, k, f->y + k);
    arb_sub(f->change, f->slope[1], f->slope[0], PREC);
}

/*
 * Keeps of the points 0 .. last the corners of their lower convex envelope.
 * Returns 1 if every point dropped lies certainly on or above it.
 * Coq: Hull.envelope_chain.
 */
static int envelope(polygon *f, slong last)
{
    slong k;
    int certain = 1;
    f->count = 0;
    for (k = 0; k <= last && !stopped(k); k++)
    {
        while (f->count >= 2)
        {
            slope_change(f, f->kept[f->count - 2], f->kept[f->count - 1], k);
            if (arb_is_positive(f->change))
                break;
            if (!arb_is_nonpositive(f->change))
                certain = 0;
            f->count--;
        }
        f->kept[f->count++] = k;
    }
    return certain;
}

/*
 * The masses of the corners: p = alpha times the change of slope, rounded up or
 * down; zero slope after the last one.
 */
static void set_masses(grid_law_t law, polygon *f, int up)
{
    slong c;
    for (c = 1; c < f->count && !stopped(c); c++)
    {
        slong i = f->kept[c];
        if (c + 1 < f->count)
        {
            slope_change(f, f->kept[c - 1], i, f->kept[c + 1]);
        }
        else
        {
            line(f->change, f, f->kept[c - 1], f->y + f->kept[c - 1], i, f->y + i);
            arb_neg(f->change, f->change);
        }
        arb_mul(f->change, f->change, f->alpha + i, PREC);
        if (up)
            arb_get_ubound_arf(law->mass + i - 1, f->change, MASS_PREC);
        else
            arb_get_lbound_arf(law->mass + i - 1, f->change, MASS_PREC);
        if (arf_sgn(law->mass + i - 1) < 0)
            arf_zero(law->mass + i - 1);
    }
}

/* Coq: Grid.upper_grid_kept. */
static void set_upper(grid_law_t upper, polygon *f, arf_srcptr hi, slong length)
{
    slong i;
    arb_one(f->y);
    for (i = 1; i <= length; i++)
    {
        /* the profile falls */
        arb_set_arf(f->y + i, hi + i - 1);
        if (arf_cmp(hi + i - 1, arb_midref(f->y + i - 1)) > 0)
            arb_set(f->y + i, f->y + i - 1);
    }
    arf_set_round(upper->infinite, arb_midref(f->y + length), MASS_PREC, ARF_RND_CEIL);
    envelope(f, length);
    set_masses(upper, f, 1);
}

/*
 * sag := an upper bound of how far the profile can fall below the chord of the
 * lower bounds between points i and i+1: it stays above the lines through the
 * neighbouring points (before point 0: slope -1; after the last: slope 0).
 * Coq: Divergence.hockey_lipschitz.
 */
static void set_sag(arb_t sag, polygon *f, arb_srcptr low, arb_srcptr high, slong i, slong length)
{
    arb_t left, right, chord, width;
    arf_t a, b;
    arb_init(left); arb_init(right); arb_init(chord); arb_init(width);
    arf_init(a); arf_init(b);
    if (i == 0)
        arb_set_si(left, -1);
    else
        line(left, f, i - 1, high + i - 1, i, low + i);
    if (i + 1 < length)
        line(right, f, i + 1, low + i + 1, i + 2, high + i + 2);
    line(chord, f, i, low + i, i + 1, low + i + 1);
    arb_sub(left, chord, left, PREC);
    arb_sub(right, right, chord, PREC);
    arb_get_ubound_arf(a, left, PREC);
    arb_get_ubound_arf(b, right, PREC);
    arb_zero(sag);
    if (arf_sgn(a) > 0 && arf_sgn(b) > 0)
    {
        /* the two lines, seen from the chord, fall like a x and b (d - x): they meet a b d/(a+b) below it */
        arb_sub(width, f->alpha + i + 1, f->alpha + i, PREC);
        arb_set_arf(left, a);
        arb_set_arf(right, b);
        arb_mul(sag, left, right, PREC);
        arb_add(left, left, right, PREC);
        arb_div(sag, sag, left, PREC);
        arb_mul(sag, sag, width, PREC);
        arb_get_ubound_arf(a, sag, PREC);
        arb_set_arf(sag, a);
    }
    arb_clear(left); arb_clear(right); arb_clear(chord); arb_clear(width);
    arf_clear(a); arf_clear(b);
}

/* Coq: Hull.lower_grid_envelope. */
static void set_lower(grid_law_t lower, polygon *f, arf_srcptr lo, arf_srcptr hi, slong length)
{
    arb_ptr low = _arb_vec_init(length + 1), high = _arb_vec_init(length + 1), sag = _arb_vec_init(length + 1);
    slong i, last;
    for (i = 0; i <= length; i++)
    {
        arf_one(arb_midref(low + i));
        arf_one(arb_midref(high + i));
        if (i > 0)
        {
            arb_set_arf(low + i, lo + i - 1);
            arb_set_arf(high + i, hi + i - 1);
        }
        /* of the finite losses; the mass of the others may be far too small to be told from nothing beside them */
        arf_sub(arb_midref(low + i), arb_midref(low + i), lower->infinite, PREC, ARF_RND_FLOOR);
        arf_sub(arb_midref(high + i), arb_midref(high + i), lower->infinite, PREC, ARF_RND_CEIL);
    }
    for (i = 0; i < length && !stopped(i); i++)
        set_sag(sag + i, f, low, high, i, length);
    for (last = 0; last < length; last++)
    {
        arb_sub(f->y + last, low + last, last > 0 && arb_lt(sag + last, sag + last - 1) ? sag + last - 1 : sag + last, PREC);
        if (!arb_is_positive(f->y + last))
            break;
    }
    /* zero from `last` on, a node at which the lowered chord before it is not negative */
    for (; last > 0 && arb_lt(low + last, sag + last - 1); last--)
        ;
    arb_zero(f->y + last);
    if (last > 0 && envelope(f, last))
        set_masses(lower, f, 0);
    _arb_vec_clear(low, length + 1);
    _arb_vec_clear(high, length + 1);
    _arb_vec_clear(sag, length + 1);
}

typedef struct
{
    grid_law_struct *law[2]; /* lower, upper */
    arb_ptr alpha, inverse;
    arf_srcptr lo, hi;
} laws_struct;

static void set_law(void *args, slong up)
{
    laws_struct *x = args;
    grid_law_struct *law = x->law[up];
    slong i;
    polygon f;
    polygon_init(&f, x->alpha, x->inverse, law->count);
    if (up)
        set_upper(law, &f, x->hi, law->count);
    else
        set_lower(law, &f, x->lo, x->hi, law->count);
    polygon_clear(&f, law->count);
    if (shuf_exhausted(0))
    {
        /* what is known of any profile */
        for (i = 0; i < law->count; i++)
            arf_zero(law->mass + i);
        if (up)
            arf_one(law->infinite);
    }
}

void grid_laws(grid_law_t upper, grid_law_t lower, const slong *node, arf_srcptr lo, arf_srcptr hi, slong count, const arf_t infinite,
               slong log2_step)
{
    laws_struct x = { { lower, upper }, NULL, NULL, lo, hi };
    slong i, length = node[count - 1] - node[0] + 1;
    init(upper, node[0], length, log2_step, count);
    init(lower, node[0], length, log2_step, count);
    for (i = 0; i < count; i++)
        upper->at[i] = lower->at[i] = node[i] - node[0];
    arf_set(lower->infinite, infinite);
    nodes_init(&x.alpha, &x.inverse, node, count, log2_step);
    parallel_do(set_law, &x, 2);
    _arb_vec_clear(x.alpha, count + 1);
    _arb_vec_clear(x.inverse, count);
}
