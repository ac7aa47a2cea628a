/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The trade-off function as a supremum of lines, and what bounds it from
 * above (proofs/tradeoff.md). With x = alpha and
 *
 *   h(x) = H_x(Q||P) for x >= 1,    h(x) = x H_{1/x}(P||Q) for x <= 1,
 *
 * the supremum is over 1 - a x - h(x), x >= 1, and (1-a) x - h(x), x <= 1:
 * the two frames. In each h is convex; its slopes are in [-1, 0] and [0, 1],
 * and a slope s of the second at x = 1 is the slope s - 1 of the first.
 */
#include "tradeoff/tradeoff.h"

#include <math.h>
#include <stdlib.h>

#include "enclosure/elementary.h"
#include "enclosure/steer.h"

/* Nodes that one type I error may cost. Steers only. */
#define MAX_STEPS 120
/* A node has so many digits at least, and so many that its own width is that part of the gap between the ends. Steer only. */
#define LEAST_DIGITS 2
#define WIDTH_SHARE 0.0625
/* How far back a node looks for the steepest chord. Steers only. */
#define CHORDS 4
/* Units of work for a node: in the bounds at one type I error, and of its slopes. Steer only. */
#define BOUND_WORK 4000.0
#define SLOPES_WORK 8000.0
/* Largest |log x|: what is below its exponential is not told from 0. Steers only. */
#define MAX_LOG 2000

/* x = e^s, or 0 for the first node, where h = 0. */
typedef struct
{
    arf_t s, lo, hi; /* lo <= the profile at |s| <= hi, */
    slong digits;    /* which was asked for with so many; WORD_MAX: known */
    arb_t x, h;
    arb_t rise; /* at most the slope of h on the right, in the frame of the right side */
    arb_t fall; /* at least the slope of h on the left, in the frame of the left side */
} node;

/* T(P,Q), or T(Q,P), and the points at which its profile has been evaluated. */
typedef struct
{
    const shuf_law_struct *profile;
    shuf_direction direction; /* PQ: T(P,Q); QP: T(Q,P) */
    slong digits; /* of the evaluations, at most; 0 before the first */
    slong prec;
    slong count;
    node *nodes;
    arf_t left_limit, right_limit; /* at most H(P||Q) and H(Q||P) at infinity */
} tradeoff_struct;

typedef tradeoff_struct tradeoff_t[1];

static void node_init(node *v)
{
    arf_init(v->s); arf_init(v->lo); arf_init(v->hi);
    v->digits = WORD_MAX;
    arb_init(v->x); arb_init(v->h); arb_init(v->rise); arb_init(v->fall);
}

static void node_clear(node *v)
{
    arf_clear(v->s); arf_clear(v->lo); arf_clear(v->hi);
    arb_clear(v->x); arb_clear(v->h); arb_clear(v->rise); arb_clear(v->fall);
}

/* Whether the interval from node i on is at x >= 1. */
static int is_right(const tradeoff_t t, slong i)
{
    return i > 0 && arf_sgn(t->nodes[i].s) >= 0;
}

/* ---- evaluating ---- */

/* The profile's direction at x >= 1, and at x < 1. */
static shuf_direction direction_at(const tradeoff_t t, int right)
{
    return (t->direction == SHUF_DIRECTION_QP) == right ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP;
}

static void tradeoff_init(tradeoff_t t, const shuf_law_struct *profile, shuf_direction direction)
{
    t->profile = profile;
    t->direction = direction;
    t->digits = 0;
    t->prec = 0;
    t->count = 0;
    t->nodes = NULL;
    arf_init(t->left_limit);
    arf_init(t->right_limit);
    profile->infinite(t->left_limit, profile, direction_at(t, 0));
    profile->infinite(t->right_limit, profile, direction_at(t, 1));
}

static void tradeoff_clear(tradeoff_t t)
{
    slong i;
    for (i = 0; i < t->count; i++)
        node_clear(t->nodes + i);
    flint_free(t->nodes);
    arf_clear(t->left_limit);
    arf_clear(t->right_limit);
}

/* What is known of node v, and with so many digits. */
static void evaluate(node *v, const tradeoff_t t, slong digits, double limit)
{
    shuf_options options = { digits, 0.0 };
    arf_t size, lo, hi;
    arf_init(size); arf_init(lo); arf_init(hi);
    arf_abs(size, v->s);
    shuf_share(&options, limit, 1);
    t->profile->evaluate(lo, hi, t->profile, direction_at(t, arf_sgn(v->s) >= 0), size, 1, &options);
    arf_min(v->hi, v->hi, hi);
    if (arf_cmp(v->lo, v->hi) > 0 || arf_cmp(lo, v->hi) > 0)
        arf_min(v->lo, v->lo, lo); /* the smallest of several bounds is another number once one of them is left out: each upper end holds */
    else
        arf_max(v->lo, v->lo, lo);
    v->digits = digits;
    arb_set_interval_arf(v->h, v->lo, v->hi, t->prec);
    if (arf_sgn(v->s) < 0)
        arb_mul(v->h, v->h, v->x, t->prec);
    arf_clear(size); arf_clear(lo); arf_clear(hi);
}

/* A node at s that is not yet among the nodes; these stay in order. */
static void insert(tradeoff_t t, const arf_t s, slong digits, double limit)
{
    node v;
    slong i = t->count;
    node_init(&v);
    arf_set(v.s, s);
    arf_one(v.hi);
    arb_set_arf(v.x, s);
    arb_exp(v.x, v.x, t->prec);
    evaluate(&v, t, digits, limit);
    t->nodes = flint_realloc(t->nodes, (size_t) (t->count + 1) * sizeof(node));
    for (; i > 1 && arf_cmp(t->nodes[i - 1].s, s) > 0; i--)
        t->nodes[i] = t->nodes[i - 1];
    t->nodes[i] = v;
    t->count++;
}

/* The nodes x = 0 and x = 1, unless there are nodes; at most so many digits from now on. */
static void start(tradeoff_t t, slong digits, double limit)
{
    arf_t zero;
    t->digits = digits;
    t->prec = 96 + 4 * digits;
    if (t->count > 0)
        return;
    t->nodes = flint_malloc(sizeof(node));
    node_init(t->nodes);
    t->count = 1;
    arf_init(zero);
    insert(t, zero, FLINT_MIN(LEAST_DIGITS, digits), limit);
    arf_clear(zero);
}

/* ---- slopes ---- */

static void chord(arb_t slope, const node *left, const node *right, slong prec)
{
    arb_t d;
    arb_init(d);
    arb_sub(d, right->x, left->x, prec);
    arb_sub(slope, right->h, left->h, prec);
    arb_div(slope, slope, d, prec);
    arb_clear(d);
}

/* slope := the larger of it and the lower end of c, or the smaller of it and the upper end. */
static void raise_to(arb_t slope, const arb_t c, slong prec)
{
    arf_t end;
    arf_init(end);
    arb_get_lbound_arf(end, c, prec);
    if (arb_is_finite(c) && arf_cmp(end, arb_midref(slope)) > 0)
        arb_set_arf(slope, end);
    arf_clear(end);
}

static void lower_to(arb_t slope, const arb_t c, slong prec)
{
    arf_t end;
    arf_init(end);
    arb_get_ubound_arf(end, c, prec);
    if (arb_is_finite(c) && arf_cmp(end, arb_midref(slope)) < 0)
        arb_set_arf(slope, end);
    arf_clear(end);
}

/* rise and fall of every node, exact numbers (Lemma 2). */
static void find_slopes(tradeoff_t t)
{
    slong i, j, last = t->count - 1;
    arb_t c, slope;
    shuf_charge(SLOPES_WORK * (double) t->count);
    arb_init(c);
    arb_init(slope);
    /* the slope at 0 is the mass of P that Q does not see, or more */
    arb_set_arf(slope, t->left_limit);
    for (i = 0; i <= last; i++)
    {
        for (j = i - 1; j >= 0 && j >= i - CHORDS && is_right(t, j) == is_right(t, i - 1); j--)
        {
            chord(c, t->nodes + j, t->nodes + i, t->prec);
            raise_to(slope, c, t->prec);
        }
        if (i > 0 && arf_is_zero(t->nodes[i].s))
            arf_sub_ui(arb_midref(slope), arb_midref(slope), 1, t->prec, ARF_RND_FLOOR);
        arb_set(t->nodes[i].rise, slope);
    }
    arb_zero(slope);
    for (i = last; i > 0; i--)
    {
        for (j = i + 1; j <= last && j <= i + CHORDS && is_right(t, j - 1) == is_right(t, i); j++)
        {
            chord(c, t->nodes + i, t->nodes + j, t->prec);
            lower_to(slope, c, t->prec);
        }
        if (arf_is_zero(t->nodes[i].s))
            arf_add_ui(arb_midref(slope), arb_midref(slope), 1, t->prec, ARF_RND_CEIL);
        arb_set(t->nodes[i].fall, slope);
    }
    arb_clear(c);
    arb_clear(slope);
}

/* ---- values ---- */

/* What is maximised is c0 + c1 x - h(x) in the frame. */
typedef struct
{
    arb_t a, complement;
} error;

static void error_init(error *e)
{
    arb_init(e->a);
    arb_init(e->complement);
}

static void error_clear(error *e)
{
    arb_clear(e->a);
    arb_clear(e->complement);
}

/* c0 + c1 x in the frame of the interval from i on. */
static void line_at(arb_t y, const error *e, const arb_t x, int right, slong prec)
{
    if (!right)
    {
        arb_mul(y, e->complement, x, prec);
        return;
    }
    arb_mul(y, e->a, x, prec);
    arb_sub_ui(y, y, 1, prec);
    arb_neg(y, y);
}

/* Coq: Tradeoff.tradeoff_below. */
static void value_at_node(arb_t y, const tradeoff_t t, slong i, const error *e)
{
    line_at(y, e, t->nodes[i].x, is_right(t, i), t->prec);
    arb_sub(y, y, t->nodes[i].h, t->prec);
}

/*
 * share in [0, 1], about where share rise + (1-share) fall = c1, the share of
 * the left line in a bound of the interval. Returns 0 if there is none inside.
 */
static int balance(arb_t share, const arb_t rise, const arb_t fall, const arb_t c1, slong prec)
{
    arb_t d;
    int inside;
    arb_init(d);
    arb_sub(d, fall, rise, prec);
    arb_sub(share, fall, c1, prec);
    arb_div(share, share, d, prec);
    mag_zero(arb_radref(share));
    inside = arb_is_positive(d) && arb_is_finite(share) && arb_is_positive(share) && arf_cmp_si(arb_midref(share), 1) < 0;
    arb_clear(d);
    return inside;
}

/* u := an upper bound of the values beyond the last node (Lemma 3). Returns whether both lines have a part in it. */
static int bound_beyond(arf_t u, const tradeoff_t t, const error *e)
{
    const node *v = t->nodes + t->count - 1;
    slong prec = t->prec;
    arb_t share, slope, y, h;
    int inside;
    arb_init(share); arb_init(slope); arb_init(y); arb_init(h);
    /* the largest share with -a - share rise <= 0 */
    arb_div(share, e->a, v->rise, prec);
    arb_neg(share, share);
    inside = arb_is_finite(share) && arf_cmp_si(arb_midref(share), 1) < 0;
    if (inside)
    {
        arb_get_lbound_arf(arb_midref(share), share, prec);
        mag_zero(arb_radref(share));
    }
    else
    {
        arb_one(share);
    }
    arb_mul(slope, share, v->rise, prec);
    arb_add(slope, slope, e->a, prec);
    if (arf_sgn(arb_midref(share)) < 0 || arb_contains_negative(slope))
        arb_zero(share);
    /* share h + (1-share) times the limit of h */
    arb_set_arf(h, t->right_limit);
    arb_sub(y, v->h, h, prec);
    arb_addmul(h, share, y, prec);
    line_at(y, e, v->x, 1, prec);
    arb_sub(y, y, h, prec);
    arb_get_ubound_arf(u, y, prec);
    arb_clear(share); arb_clear(slope); arb_clear(y); arb_clear(h);
    return inside;
}

/* u := an upper bound of the values on the interval from node i to the next, or none: -infinity (Lemma 3). */
static void bound_inside(arf_t u, const tradeoff_t t, slong i, const error *e)
{
    const node *v = t->nodes + i, *w = v + 1;
    slong prec = t->prec;
    int right = is_right(t, i);
    arb_t share, rest, c1, d, y, z;
    arf_t end;
    arf_neg_inf(u);
    arb_init(share); arb_init(rest); arb_init(c1); arb_init(d); arb_init(y); arb_init(z);
    arf_init(end);
    if (right)
        arb_neg(c1, e->a);
    else
        arb_set(c1, e->complement);
    if (!arb_lt(c1, v->rise) && !arb_gt(c1, w->fall))
    {
        if (!balance(share, v->rise, w->fall, c1, prec))
            arb_set_d(share, 0.5);
        arb_sub_ui(rest, share, 1, prec);
        arb_neg(rest, rest);
        arb_sub(d, w->x, v->x, prec);
        /* at the left end: the left line is h there, the right one w->h - fall d */
        arb_mul(z, w->fall, d, prec);
        arb_sub(z, w->h, z, prec);
        arb_mul(z, z, rest, prec);
        arb_addmul(z, share, v->h, prec);
        line_at(y, e, v->x, right, prec);
        arb_sub(y, y, z, prec);
        arb_get_ubound_arf(u, y, prec);
        /* at the right end */
        arb_mul(z, v->rise, d, prec);
        arb_add(z, z, v->h, prec);
        arb_mul(z, z, share, prec);
        arb_addmul(z, rest, w->h, prec);
        line_at(y, e, w->x, right, prec);
        arb_sub(y, y, z, prec);
        arb_get_ubound_arf(end, y, prec);
        if (arf_cmp(end, u) > 0)
            arf_set(u, end);
    }
    arb_clear(share); arb_clear(rest); arb_clear(c1); arb_clear(d); arb_clear(y); arb_clear(z);
    arf_clear(end);
}

/*
 * lo <= the trade-off function <= hi; *widest is the interval, by its left
 * node, whose bound is hi, or -1 if it is the value of a node, *top.
 */
static void bounds(arf_t lo, arf_t hi, slong *widest, slong *top, const tradeoff_t t, const error *e)
{
    slong i, last = t->count - 1;
    arb_t y;
    arf_t u;
    shuf_charge(BOUND_WORK * (double) t->count);
    arb_init(y);
    arf_init(u);
    arf_zero(lo);
    arf_zero(hi);
    *widest = -1;
    *top = 0;
    for (i = 1; i <= last; i++)
    {
        value_at_node(y, t, i, e);
        arb_get_lbound_arf(u, y, t->prec);
        if (arf_cmp(u, lo) > 0)
            arf_set(lo, u);
        arb_get_ubound_arf(u, y, t->prec);
        if (arf_cmp(u, hi) > 0)
        {
            arf_set(hi, u);
            *top = i;
        }
    }
    for (i = 0; i <= last; i++)
    {
        int inside = 1;
        if (i < last)
            bound_inside(u, t, i, e);
        else
            inside = bound_beyond(u, t, e);
        if (arf_cmp(u, hi) > 0)
        {
            arf_set(hi, u);
            *widest = inside ? i : -1;
        }
    }
    arb_get_ubound_arf(u, e->complement, t->prec); /* every trade-off function is at most 1 - a */
    if (arf_cmp(hi, u) > 0)
        arf_set(hi, u);
    arb_clear(y);
    arf_clear(u);
}

/* ---- refining ---- */

/* s := the logarithm of where the two lines of the interval meet; 0 if that is no positive number. */
static int meeting(arf_t s, const tradeoff_t t, slong i)
{
    const node *v = t->nodes + i, *w = v + 1;
    slong prec = t->prec;
    arb_t x, d, y;
    int ok;
    arb_init(x); arb_init(d); arb_init(y);
    if (i < t->count - 1)
    {
        /* v->h + rise (x - v->x) = w->h + fall (x - w->x) */
        arb_mul(x, w->fall, w->x, prec);
        arb_submul(x, v->rise, v->x, prec);
        arb_sub(x, x, w->h, prec);
        arb_add(x, x, v->h, prec);
        arb_sub(d, w->fall, v->rise, prec);
    }
    else
    {
        /* v->h + rise (x - v->x) = the limit */
        arb_set_arf(y, t->right_limit);
        arb_sub(x, v->h, y, prec);
        arb_submul(x, v->rise, v->x, prec);
        arb_neg(d, v->rise);
    }
    arb_div(x, x, d, prec);
    mag_zero(arb_radref(x));
    ok = arb_is_finite(x) && arb_is_positive(x);
    if (ok)
    {
        arb_log(x, x, prec);
        arf_set(s, arb_midref(x));
    }
    arb_clear(x); arb_clear(d); arb_clear(y);
    return ok;
}

/*
 * s := a point inside the interval from node i on: where its lines meet, kept
 * from the ends, or, if halve, its middle. Returns 0 if the interval is too
 * short. What s is does not matter to the bounds.
 */
static int choose(arf_t s, const tradeoff_t t, slong i, int halve)
{
    slong prec = t->prec, last = t->count - 1;
    arf_t left, right, d, least;
    int ok, met = meeting(s, t, i);
    arf_init(left); arf_init(right); arf_init(d); arf_init(least);
    /* an open end is as far away as the other is from 0, and 1 more */
    if (i < last)
        arf_set(right, t->nodes[i + 1].s);
    if (i > 0)
        arf_set(left, t->nodes[i].s);
    if (i == 0)
    {
        arf_mul_2exp_si(left, right, 1);
        arf_sub_ui(left, left, 1, prec, ARF_RND_DOWN);
    }
    if (i == last)
    {
        arf_mul_2exp_si(right, left, 1);
        arf_add_ui(right, right, 1, prec, ARF_RND_DOWN);
    }
    arf_sub(d, right, left, prec, ARF_RND_DOWN);
    arf_add(least, left, right, prec, ARF_RND_DOWN);
    arf_mul_2exp_si(least, least, -1);
    if (!met || (halve && i > 0 && i < last))
        arf_set(s, least);
    arf_abs(least, least);
    if (arf_cmp_si(least, 1) < 0)
        arf_one(least);
    arf_mul_2exp_si(least, least, -prec / 2);
    ok = arf_cmp(d, least) > 0;
    /* not nearer to an end than a share of the length */
    arf_mul_2exp_si(d, d, -6);
    arf_add(left, left, d, prec, ARF_RND_DOWN);
    arf_sub(right, right, d, prec, ARF_RND_DOWN);
    if (arf_cmp(s, left) < 0)
        arf_set(s, left);
    if (arf_cmp(s, right) > 0)
        arf_set(s, right);
    arf_set_round(s, s, prec - prec / 4, ARF_RND_DOWN);
    arf_abs(d, s);
    ok = ok && arf_cmp_si(d, MAX_LOG) < 0;
    arf_clear(left); arf_clear(right); arf_clear(d); arf_clear(least);
    return ok;
}

/* The digits of a number whose width is to be a share of the gap, whose logarithm that is. */
static slong digits_for(const tradeoff_t t, const arb_t h, double log_gap)
{
    const double digits = (steer_log(arb_midref(h)) - log_gap - d_log(WIDTH_SHARE)) / d_log(10.0);
    return (slong) fmin(fmax(ceil(digits), fmin(LEAST_DIGITS, (double) t->digits)), (double) t->digits);
}

/* The node of first .. last of which least is known, if that is too little beside the gap, and more digits may be asked for; or NULL. */
static node *least_known(const tradeoff_t t, slong first, slong last, double log_gap)
{
    node *least = NULL;
    double widest = log_gap + d_log(WIDTH_SHARE);
    slong i;
    arf_t width;
    arf_init(width);
    for (i = FLINT_MAX(first, 0); i <= FLINT_MIN(last, t->count - 1); i++)
    {
        double log_width;
        arf_set_mag(width, arb_radref(t->nodes[i].h));
        log_width = steer_log(width);
        if (t->nodes[i].digits < t->digits && log_width > widest)
        {
            widest = log_width;
            least = t->nodes + i;
        }
    }
    arf_clear(width);
    return least;
}

/* More digits of a node that has to do with the upper end, or a node in the interval that has it. Returns 0 if there is neither. */
static int add_step(tradeoff_t t, const arf_t lo, const arf_t hi, slong widest, slong top, int halve, double limit)
{
    arf_t s;
    node *v;
    double log_gap;
    int added = 1;
    arf_init(s);
    arf_sub(s, hi, lo, t->prec, ARF_RND_UP);
    log_gap = steer_log(s);
    v = widest < 0 ? least_known(t, top, top, log_gap) : least_known(t, widest - 1, widest + 2, log_gap);
    if (v != NULL)
        evaluate(v, t, FLINT_MIN(FLINT_MAX(v->digits + 1, digits_for(t, v->h, log_gap)), t->digits), limit);
    else if (widest >= 0 && choose(s, t, widest, halve))
        insert(t, s, digits_for(t, t->nodes[widest + (widest + 1 < t->count)].h, log_gap), limit);
    else
        added = 0;
    arf_clear(s);
    return added;
}

/* One type I error, with the profile known to that many digits. */
static shuf_status refine(shuf_enclosure_t r, tradeoff_t t, const shuf_real_t type1, slong digits,
                          const shuf_options *options, double limit)
{
    slong step, widest, top;
    error e;
    error_init(&e);
    start(t, digits, limit);
    shuf_real_get_arb(e.a, type1, t->prec);
    if (type1->is_log)
    {
        arb_sub_ui(e.complement, e.a, 1, t->prec);
        arb_neg(e.complement, e.complement);
    }
    else
    {
        fmpq_t q;
        fmpq_init(q);
        fmpq_sub_si(q, type1->q, 1);
        fmpq_neg(q, q);
        arb_set_fmpq(e.complement, q, t->prec);
        fmpq_clear(q);
    }
    r->status = SHUF_ACCURACY;
    for (step = 0;; step++)
    {
        find_slopes(t);
        bounds(r->lo, r->hi, &widest, &top, t, &e);
        if (shuf_enclosure_accurate(r, options->digits))
            r->status = SHUF_OK;
        if (r->status == SHUF_OK || step == MAX_STEPS || shuf_exhausted(limit) || !add_step(t, r->lo, r->hi, widest, top, step % 4 == 3, limit))
            break;
    }
    error_clear(&e);
    return r->status;
}

static shuf_status tradeoff_at(shuf_enclosure_t r, tradeoff_t t, const shuf_real_t type1, const shuf_options *options)
{
    double begin = shuf_work(), limit = shuf_limit(options);
    slong wanted = FLINT_MIN(FLINT_MAX(options->digits, 1), SHUF_MAX_DIGITS), digits = wanted + 3;
    shuf_options o = { wanted, options->max_work };
    shuf_enclosure_zero(r);
    if (shuf_real_sgn(type1) < 0 || shuf_real_cmp_si(type1, 1) > 0)
        return shuf_enclosure_unknown(r, 1);
    if (shuf_real_cmp_si(type1, 1) == 0)
        return SHUF_OK; /* nothing is missed by a test that always rejects */
    /* what cancels in the values is made up for by digits of the profile, to some extent */
    for (;; digits *= 2)
    {
        if (refine(r, t, type1, digits, &o, limit) == SHUF_OK || shuf_exhausted(limit)
            || digits >= 2 * (wanted + 3) || digits > SHUF_MAX_DIGITS / 2)
            break;
    }
    shuf_enclosure_width(r->ledger.discretisation, r);
    r->ledger.terms = (ulong) t->count;
    r->ledger.precision = t->prec;
    r->ledger.work = shuf_work() - begin;
    return r->status;
}

/* r contains min(x, y) for every value x in r and y in x; ledgers are combined. */
static void tradeoff_smaller(shuf_enclosure_t r, const shuf_enclosure_t x)
{
    if (arf_cmp(x->lo, r->lo) < 0)
        arf_set(r->lo, x->lo);
    if (arf_cmp(x->hi, r->hi) < 0)
        arf_set(r->hi, x->hi);
    shuf_enclosure_width(r->ledger.discretisation, r);
    r->ledger.terms += x->ledger.terms;
    r->ledger.work += x->ledger.work;
    r->status = FLINT_MAX(r->status, x->status);
}

/* Coq: Tradeoff.tradeoff_attained, Tradeoff.tradeoff_dominates. */
shuf_status shuf_tradeoff_point(shuf_enclosure_t r, const shuf_law_struct *profile, const shuf_real_t type1,
                                shuf_direction direction, const shuf_options *options)
{
    double limit = shuf_limit(options);
    int both = direction == SHUF_DIRECTION_BOTH && !profile->symmetric;
    shuf_options o = *options;
    tradeoff_t t;
    shuf_enclosure_t other;
    shuf_share(&o, limit, both ? 0.5 : 1);
    tradeoff_init(t, profile, direction == SHUF_DIRECTION_QP ? direction : SHUF_DIRECTION_PQ);
    tradeoff_at(r, t, type1, &o);
    tradeoff_clear(t);
    if (both && r->status != SHUF_DOMAIN)
    {
        shuf_enclosure_init(other);
        shuf_share(&o, limit, 1);
        shuf_tradeoff_point(other, profile, type1, SHUF_DIRECTION_QP, &o);
        tradeoff_smaller(r, other);
        shuf_enclosure_clear(other);
    }
    return r->status;
}
