/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "tradeoff/gdp.h"

#include <math.h>
#include <stdlib.h>

#include "enclosure/elementary.h"
#include "enclosure/steer.h"

#define MAX_PREC 16384 /* steers only */

/* Intervals that a range starts with, and nodes that it may have. Steer only. */
#define FIRST_INTERVALS 8
#define MAX_NODES 4000

/* The first nodes have so many digits: most of them ask for far less than the one that decides. A node is near to what it asks for if that is within so many of its widths; digits that are saved at most, and beyond those of what one has too little. Steer only. */
#define FIRST_DIGITS 2
#define NEAR_WIDTHS 4
#define MOST_SAVED 6.0
#define ROOM_DIGITS 2.0

/* The part of the budget kept for finding a mu that holds once the nodes are there. Steers only. */
#define RESERVE 0.3

/* How near the upper end is to come to what nodes ask for that are known from above only. Steers only. */
#define ROUGHLY 0.015625

/* Bits of the ends at least, whatever the digits: a node costs far more than its mu. Steers only. */
#define LEAST_BITS 16

/* Refining stops, too, when that many nodes lack so many of their digits: others would. Steer only. */
#define MOST_SHORT 2
#define SHORT_DIGITS 5

/* Of the work left, at most, for one step: mostly others are to come. Steers only. */
#define STEP_SHARE 0.25

/* Doublings of the step to a mu that holds, and halvings of the last of them. Steer only. */
#define WIDENINGS 60
#define HALVINGS 6

/* Units of work of a normal tail for each bit of the precision, and of the comparison of two nodes. Steer only. */
#define BIT_WORK 60.0
#define CHORD_WORK 5000.0

/* ---- closed forms ---- */

/* v := Phi(-x) */
static void upper_tail(arb_t v, const arb_t x, slong prec)
{
    shuf_charge(BIT_WORK * (double) prec);
    shuf_normal_tail(v, x, prec);
}

void shuf_gdp_delta_arb(arb_t v, const arb_t mu, const arb_t eps, slong prec)
{
    arb_t half, t, e;
    arb_init(half); arb_init(t); arb_init(e);
    arb_mul_2exp_si(half, mu, -1);
    arb_div(t, eps, mu, prec);
    arb_sub(e, t, half, prec);
    arb_add(t, t, half, prec);
    arb_exp(half, eps, prec);
    upper_tail(v, e, prec);
    upper_tail(t, t, prec);
    arb_submul(v, half, t, prec);
    arb_nonnegative_part(v, v);
    arb_clear(half); arb_clear(t); arb_clear(e);
}

static int mu_in_range(const shuf_real_t mu)
{
    return shuf_real_sgn(mu) >= 0 && shuf_real_cmp_si(mu, SHUF_GDP_MAX_MU) <= 0;
}

static int eps_in_range(const shuf_real_t eps)
{
    return shuf_real_sgn(eps) >= 0 && shuf_real_cmp_si(eps, SHUF_MAX_EPSILON) <= 0;
}

/* v := the value at mu and the point, exact numbers. */
typedef void (*function)(arb_t v, const arb_t mu, const arb_t point, slong prec);

/* r encloses f, whose values are in [0, 1]; the precision rises until the digits are reached. */
static shuf_status enclose(shuf_enclosure_t r, function f, const shuf_real_t mu, const shuf_real_t point,
                           const shuf_options *options)
{
    double begin = shuf_work(), limit = shuf_limit(options);
    slong digits = FLINT_MIN(FLINT_MAX(options->digits, 1), SHUF_MAX_DIGITS), prec;
    arb_t v, m, x;
    arb_init(v); arb_init(m); arb_init(x);
    arf_one(r->hi);
    r->status = SHUF_ACCURACY;
    for (prec = 64 + 4 * digits; prec < MAX_PREC + 4 * digits && r->status != SHUF_OK; prec *= 2)
    {
        shuf_real_get_arb(m, mu, prec);
        shuf_real_get_arb(x, point, prec);
        f(v, m, x, prec);
        if (!arb_is_finite(v))
            continue;
        shuf_enclosure_set_arb(r, v, prec);
        if (arf_sgn(r->lo) < 0)
            arf_zero(r->lo);
        r->status = shuf_enclosure_accurate(r, digits) ? SHUF_OK : SHUF_ACCURACY;
        if (shuf_exhausted(limit))
            break;
    }
    if (arf_cmp_si(r->hi, 1) > 0)
        arf_one(r->hi);
    r->ledger.work = shuf_work() - begin;
    arb_clear(v); arb_clear(m); arb_clear(x);
    return r->status;
}

shuf_status shuf_gdp_delta(shuf_enclosure_t r, const shuf_real_t mu, const shuf_real_t eps, const shuf_options *options)
{
    if (!mu_in_range(mu) || !eps_in_range(eps))
        return shuf_enclosure_unknown(r, 1);
    shuf_enclosure_zero(r);
    return shuf_real_sgn(mu) == 0 ? SHUF_OK : enclose(r, shuf_gdp_delta_arb, mu, eps, options);
}

/* The sign of delta_mu(eps) - delta, or 0 if it is not decided. */
static int compare(const arf_t mu, const arb_t eps, const arb_t delta, slong prec)
{
    arb_t m, v;
    int sign;
    if (arf_is_zero(mu))
        return arb_is_positive(delta) ? -1 : 0;
    arb_init(m);
    arb_init(v);
    arb_set_arf(m, mu);
    shuf_gdp_delta_arb(v, m, eps, prec);
    sign = arb_gt(v, delta) ? 1 : arb_lt(v, delta) ? -1 : 0;
    arb_clear(m);
    arb_clear(v);
    return sign;
}

/*
 * delta_lo(eps) < delta < delta_hi(eps), both certain, and hi - lo at most
 * 2^-bits hi if the precision is enough; 0 < delta < 1. hi = +inf if nothing
 * up to SHUF_GDP_MAX_MU will do.
 */
static void invert(arf_t lo, arf_t hi, const arb_t eps, const arb_t delta, slong bits, slong prec)
{
    arf_t middle, width;
    int sign;
    arf_init(middle);
    arf_init(width);
    arf_zero(lo);
    arf_pos_inf(hi);
    arf_one(middle);
    while (arf_is_inf(hi) || arf_is_zero(lo))
    {
        sign = compare(middle, eps, delta, prec);
        /* undecided near delta: look on both sides of it */
        if (sign < 0 || (sign == 0 && arf_is_inf(hi)))
        {
            if (sign < 0)
                arf_set(lo, middle);
            if (!arf_is_inf(hi))
                break;
            arf_mul_2exp_si(middle, middle, 1);
        }
        else
        {
            if (sign > 0)
                arf_set(hi, middle);
            if (!arf_is_zero(lo))
                break;
            arf_mul_2exp_si(middle, middle, -1);
        }
        if (arf_cmp_si(middle, SHUF_GDP_MAX_MU) > 0 || arf_cmpabs_2exp_si(middle, -prec) < 0)
            break;
    }
    while (!arf_is_inf(hi))
    {
        arf_sub(width, hi, lo, prec, ARF_RND_UP);
        arf_mul_2exp_si(width, width, bits);
        if (arf_cmp(width, hi) <= 0)
            break;
        arf_add(middle, lo, hi, prec, ARF_RND_DOWN);
        arf_mul_2exp_si(middle, middle, -1);
        sign = compare(middle, eps, delta, prec);
        if (sign == 0)
            break;
        arf_set(sign < 0 ? lo : hi, middle);
    }
    arf_clear(middle);
    arf_clear(width);
}

/* What an interval for mu is reported with. */
static shuf_status finish(shuf_enclosure_t r, slong digits, slong terms, slong prec, double begin)
{
    r->status = arf_is_finite(r->hi) && shuf_enclosure_accurate(r, digits) ? SHUF_OK : SHUF_ACCURACY;
    if (arf_is_finite(r->hi))
        shuf_enclosure_width(r->ledger.discretisation, r);
    r->ledger.terms = (ulong) terms;
    r->ledger.precision = prec;
    r->ledger.work = shuf_work() - begin;
    return r->status;
}

/* ---- ranges ---- */

/* eps = s; lo <= H <= hi; for the mu of that turn value = delta_mu(s), slope its derivative in alpha = x = e^s. */
typedef struct
{
    arf_t s, lo, hi;
    arb_t x, value, slope;
    slong turn, seen; /* the turns of value and slope, and in which it was seen whether that */
    int holds;        /* is at most delta_mu up to the next node */
    int is_fine; /* it has all digits that matter, or more of them will not help */
    int is_below; /* a mu that is refuted is as large as what lo asks for, */
    int is_top;   /* and by this node */
    int inside; /* of the range: s, or the range's only point, has at least lo and delta_mu at most value */
} node;

typedef struct
{
    const shuf_law_struct *profile;
    shuf_direction direction;
    const shuf_real_struct *from, *to;
    slong digits, prec, count;
    double limit, soft_limit; /* at the second refining stops */
    node *nodes;
    arb_t mu;                 /* the one at hand, */
    slong turn, last;         /* how many there were, and the interval that the last one failed on */
    slong fallen_short;       /* so many nodes lack digits */
} grid;

static void grid_clear(grid *g)
{
    slong i;
    for (i = 0; i < g->count; i++)
    {
        node *v = g->nodes + i;
        arf_clear(v->s); arf_clear(v->lo); arf_clear(v->hi);
        arb_clear(v->x); arb_clear(v->value); arb_clear(v->slope);
    }
    flint_free(g->nodes);
    arb_clear(g->mu);
}

static int is_late(const grid *g)
{
    return g->fallen_short >= MOST_SHORT || shuf_exhausted(g->soft_limit);
}

/* Single points of a pair, where a sweep in doubles underflows: the law's own delta has the digits. */
static void sharpen(const grid *g, arf_ptr lo, arf_ptr hi, shuf_direction direction, arf_srcptr s, slong count, slong digits)
{
    const shuf_law_struct *law = g->profile;
    shuf_options options = { digits, 0.0 };
    shuf_enclosure_t r;
    shuf_datasets where;
    shuf_real_t eps;
    slong i;
    if (law->delta == NULL || !shuf_law_is_of_pair(law))
        return;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    for (i = 0; i < count && !is_late(g); i++)
    {
        if (shuf_ends_accurate(lo + i, hi + i, digits))
            continue;
        shuf_share(&options, g->soft_limit, 1);
        shuf_real_set_arf(eps, s + i);
        if (law->delta(r, &where, law, eps, direction, &options) == SHUF_DOMAIN)
            continue;
        arf_max(lo + i, lo + i, r->lo);
        arf_min(hi + i, hi + i, r->hi);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
}

/* One direction, with that part of what is left of the work; a sweep over many points costs the same with fewer digits. */
static void evaluate_direction(const grid *g, arf_ptr lo, arf_ptr hi, shuf_direction direction, arf_srcptr s, slong count, slong digits, double part)
{
    shuf_options options = { g->profile->has_single_points ? digits : g->digits, 0.0 };
    shuf_share(&options, g->soft_limit, part);
    g->profile->evaluate(lo, hi, g->profile, direction, s, count, &options);
    sharpen(g, lo, hi, direction, s, count, digits);
}

/* lo[i], hi[i]: enclosures of the larger of the directions at s[0] < s[1] < ..., with about so many digits */
static void evaluate_both(const grid *g, arf_ptr lo, arf_ptr hi, arf_srcptr s, slong count, slong digits)
{
    shuf_direction first = g->direction == SHUF_DIRECTION_QP ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
    arf_ptr other;
    const double share = g->count <= 2 || !g->profile->has_single_points ? 1 : STEP_SHARE; /* the first ones share all of it */
    slong i;
    int shared = g->direction == SHUF_DIRECTION_BOTH && !g->profile->symmetric;
    evaluate_direction(g, lo, hi, first, s, count, digits, (shared ? 0.5 : 1) * share);
    if (!shared)
        return;
    other = flint_malloc((size_t) (2 * count) * sizeof(arf_struct));
    for (i = 0; i < 2 * count; i++)
        arf_init(other + i);
    evaluate_direction(g, other, other + count, SHUF_DIRECTION_QP, s, count, digits, share);
    for (i = 0; i < count; i++)
    {
        arf_max(lo + i, lo + i, other + i);
        arf_max(hi + i, hi + i, other + count + i);
    }
    for (i = 0; i < 2 * count; i++)
        arf_clear(other + i);
    flint_free(other);
}

/* The same; where points have their digits one by one it is counted which of them lack many. */
static void evaluate(grid *g, arf_ptr lo, arf_ptr hi, arf_srcptr s, slong count, slong digits)
{
    slong i;
    evaluate_both(g, lo, hi, s, count, digits);
    for (i = 0; i < count && g->profile->has_single_points && digits > SHORT_DIGITS; i++)
        g->fallen_short += !shuf_ends_accurate(lo + i, hi + i, digits - SHORT_DIGITS);
}

/* above := at most as much as that is the profile, in the direction or the larger of both; 1 where the law does not say. */
static void set_above(arf_t above, const grid *g, const arf_t s)
{
    arf_t other;
    arf_one(above);
    if (g->profile->above == NULL)
        return;
    arf_init(other);
    g->profile->above(above, g->profile, g->direction == SHUF_DIRECTION_QP ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, s);
    if (g->direction == SHUF_DIRECTION_BOTH && !g->profile->symmetric)
    {
        g->profile->above(other, g->profile, SHUF_DIRECTION_QP, s);
        arf_max(above, above, other);
    }
    arf_clear(other);
}

/* lo := the larger of both. */
static void raise_lo(node *v, const arf_t lo)
{
    if (arf_cmp(lo, v->lo) <= 0)
        return;
    arf_set(v->lo, lo);
    v->is_below = 0;
}

/* H falls: a node's hi holds for those after it, its lo for those before it (Lemma 5). */
static void carry(grid *g)
{
    slong i;
    for (i = 0; i < g->count; i++)
        if (!g->nodes[i].holds) /* it may now */
            g->nodes[i].seen = 0;
    for (i = 1; i < g->count; i++)
        arf_min(g->nodes[i].hi, g->nodes[i].hi, g->nodes[i - 1].hi);
    for (i = g->count - 2; i >= 0; i--)
        raise_lo(g->nodes + i, g->nodes[i + 1].lo);
}

/* The digits that tell of a node all that matters: log delta changes by -2 log delta times what log mu does, or so. */
static slong digits_at(const grid *g, slong i)
{
    const double times = -2 * steer_log(g->nodes[i].hi), saved = times > 1 ? floor(d_log10(times)) : 0;
    return FLINT_MAX(g->digits - (slong) fmin(saved, MOST_SAVED), FIRST_DIGITS);
}

/* Adds nodes at s[0] < s[1] < ..., none of which is one yet, with about so many digits. */
static void add(grid *g, arf_srcptr s, slong count, slong digits)
{
    arf_ptr lo = flint_malloc((size_t) (2 * count) * sizeof(arf_struct)), hi = lo + count;
    slong i, j = g->count - 1, k = g->count + count - 1;
    for (i = 0; i < 2 * count; i++)
        arf_init(lo + i);
    evaluate(g, lo, hi, s, count, digits);
    g->nodes = flint_realloc(g->nodes, (size_t) (g->count + count) * sizeof(node));
    for (i = count - 1; i >= 0; k--)
    {
        if (j >= 0 && arf_cmp(g->nodes[j].s, s + i) > 0)
        {
            g->nodes[k] = g->nodes[j--];
        }
        else
        {
            node *v = g->nodes + k;
            arf_init(v->s); arf_init(v->lo); arf_init(v->hi);
            arb_init(v->x); arb_init(v->value); arb_init(v->slope);
            arf_set(v->s, s + i);
            arf_set(v->lo, lo + i);
            set_above(v->hi, g, s + i);
            arf_min(v->hi, v->hi, hi + i);
            arb_set_arf(v->x, s + i);
            arb_exp(v->x, v->x, g->prec);
            v->turn = v->seen = v->holds = v->is_below = v->is_top = 0;
            v->is_fine = digits >= digits_at(g, k) || arf_is_zero(lo + i) || shuf_ends_accurate(lo + i, hi + i, g->digits);
            v->inside = shuf_real_cmp_arf(g->from, s + i) <= 0 && shuf_real_cmp_arf(g->to, s + i) >= 0;
            i--;
        }
    }
    g->count += count;
    carry(g);
    for (i = 0; i < 2 * count; i++)
        arf_clear(lo + i);
    flint_free(lo);
}

/* s := the number of few digits near to it, off by at most width/32. */
static void shorten(arf_t s, const arf_t width)
{
    fmpz_t e, d;
    fmpz_init(e);
    fmpz_init(d);
    if (!arf_is_zero(s) && !arf_is_zero(width))
    {
        arf_abs_bound_lt_2exp_fmpz(e, s);
        arf_abs_bound_lt_2exp_fmpz(d, width);
        fmpz_sub(e, e, d);
        arf_set_round(s, s, FLINT_MAX(fmpz_get_si(e) + 6, 2), ARF_RND_DOWN);
    }
    fmpz_clear(e);
    fmpz_clear(d);
}

/* s, ascending, and *count numbers already := those and x, shortened, if it lies between the last of them and end. */
static void append(arf_ptr s, slong *count, const arf_t x, const arf_t width, const arf_t end)
{
    arf_ptr t = s + *count;
    arf_set(t, x);
    shorten(t, width);
    *count += arf_cmp(t, s + *count - 1) > 0 && arf_cmp(t, end) < 0;
}

/* Of nodes at growing distances: from one to the next, at least, up to the first of so many equal parts of the range. Steer only. */
#define GROWTH 3.0
#define GROWTH_SLACK 1e-9
#define EQUAL_INTERVALS 4

/*
 * Nodes between from, which is there, and to, exclusively: where a point is dear some at distances that grow from the mu that the first
 * node asks for, and few at equal ones; else more of these. Returns how many there are.
 */
static slong place_between(arf_ptr s, const grid *g, const arf_t from, const arf_t to)
{
    double unit = 0, growth;
    slong i, intervals = FIRST_INTERVALS, count = 1;
    arf_t width, x, mu, above;
    arb_t eps, h;
    arf_init(width); arf_init(x); arf_init(mu); arf_init(above); arb_init(eps); arb_init(h);
    arf_set(s, from);
    if (g->profile->has_single_points && arf_sgn(g->nodes[0].lo) > 0 && arf_cmp_si(g->nodes[0].lo, 1) < 0)
    {
        arb_set_arf(eps, g->nodes[0].s);
        arb_set_arf(h, g->nodes[0].lo);
        invert(mu, above, eps, h, 4, g->prec);
        unit = arf_get_d(mu, ARF_RND_NEAR);
    }
    arf_sub(width, to, from, 96, ARF_RND_DOWN);
    if (unit > 0)
    {
        const double end = arf_get_d(width, ARF_RND_NEAR) / EQUAL_INTERVALS;
        growth = fmax(GROWTH, d_pow(end / unit, 1.0 / (FIRST_INTERVALS - EQUAL_INTERVALS)));
        intervals = EQUAL_INTERVALS;
        for (; unit * growth < end * (1 + GROWTH_SLACK); unit *= growth)
        {
            arf_set_d(x, unit);
            arf_set_d(above, unit * (1 - 1 / growth));
            arf_add(x, x, from, 96, ARF_RND_DOWN);
            append(s, &count, x, above, to);
        }
    }
    arf_div_ui(width, width, (ulong) intervals, 96, ARF_RND_DOWN);
    for (i = 1; i < intervals; i++)
    {
        arf_mul_ui(x, width, (ulong) i, 96, ARF_RND_DOWN);
        arf_add(x, x, from, 96, ARF_RND_DOWN);
        append(s, &count, x, width, to);
    }
    arf_clear(width); arf_clear(x); arf_clear(mu); arf_clear(above); arb_clear(eps); arb_clear(h);
    return count - 1;
}

/*
 * Nodes at or just outside the ends of the range, just inside them, and
 * between them. Returns 0 if the arguments are outside.
 */
static int grid_init(grid *g, const shuf_law_struct *profile, const shuf_real_t from, const shuf_real_t to,
                     shuf_direction direction, slong digits, double max_work)
{
    const int is_point = shuf_real_cmp(from, to) == 0;
    arf_struct s[FIRST_INTERVALS + 3], end[4];
    arb_t a, b;
    slong i, first = 0, count, ends = 0;
    g->profile = profile;
    g->direction = direction;
    g->from = from;
    g->to = to;
    g->digits = digits;
    g->prec = 128 + 4 * digits;
    g->count = 0;
    g->limit = max_work > 0 ? shuf_work() + max_work : 0;
    g->soft_limit = max_work > 0 ? shuf_work() + (1 - RESERVE) * max_work : 0;
    g->nodes = NULL;
    g->turn = g->last = g->fallen_short = 0;
    if (!eps_in_range(from) || !eps_in_range(to) || shuf_real_cmp(from, to) > 0)
        return 0;
    arb_init(g->mu);
    for (i = 0; i < FIRST_INTERVALS + 3; i++)
        arf_init(s + i);
    for (i = 0; i < 4; i++)
        arf_init(end + i);
    arb_init(a); arb_init(b);
    shuf_real_get_arb(a, from, 96);
    shuf_real_get_arb(b, to, 96);
    arb_get_lbound_arf(end, a, 96);
    if (arf_sgn(end) < 0)
        arf_zero(end);
    arb_get_ubound_arf(end + 1, a, 96);
    arb_get_lbound_arf(end + 2, b, 96);
    arb_get_ubound_arf(end + 3, b, 96);
    for (i = 0; i < 4; i++)
    {
        if (ends == 0 || arf_cmp(end + i, end + ends - 1) > 0)
            arf_set(end + ends++, end + i);
        if (i < 2)
            first = ends;
    }
    if (is_point)
    {
        /* the only point lies between the first and the last node */
        add(g, end, ends, digits);
        arf_set(g->nodes[0].lo, g->nodes[ends - 1].lo);
        g->nodes[0].inside = 1;
    }
    else
    {
        add(g, end, first, FIRST_DIGITS);
        count = first < ends ? place_between(s, g, end + first - 1, end + first) : 0;
        for (i = first; i < ends; i++)
            arf_set(s + ++count, end + i);
        if (count > 0)
            add(g, s + 1, count, FIRST_DIGITS);
    }
    for (i = 0; i < FIRST_INTERVALS + 3; i++)
        arf_clear(s + i);
    for (i = 0; i < 4; i++)
        arf_clear(end + i);
    arb_clear(a); arb_clear(b);
    return 1;
}

static void set_witness(shuf_real_t witness, const grid *g, slong i)
{
    if (shuf_real_cmp(g->from, g->to) == 0)
        shuf_real_set(witness, g->from);
    else
        shuf_real_set_arf(witness, g->nodes[i].s);
}

static void set_mu(grid *g, const arb_t mu)
{
    if (g->turn > 0 && arb_eq(g->mu, mu))
        return;
    arb_set(g->mu, mu);
    g->turn++;
}

/* Node i with value and slope for the mu at hand: delta_mu, and -Phi(-eps/mu - mu/2) */
static const node *node_at(grid *g, slong i)
{
    node *v = g->nodes + i;
    arb_t eps, t;
    if (v->turn == g->turn)
        return v;
    v->turn = g->turn;
    arb_init(eps);
    arb_init(t);
    arb_set_arf(eps, v->s);
    shuf_gdp_delta_arb(v->value, g->mu, eps, g->prec);
    arb_div(t, eps, g->mu, g->prec);
    arb_mul_2exp_si(eps, g->mu, -1);
    arb_add(t, t, eps, g->prec);
    upper_tail(v->slope, t, g->prec);
    arb_neg(v->slope, v->slope);
    arb_clear(eps);
    arb_clear(t);
    return v;
}

static int is_covered(grid *g, slong i)
{
    const node *v = node_at(g, i);
    arb_t h;
    int covered;
    arb_init(h);
    arb_set_arf(h, v->hi);
    covered = arb_le(h, v->value);
    arb_clear(h);
    return covered;
}

/* ---- by steps: Lemma 7 ---- */

/* How often an interval is halved, and the pieces of one that are looked at. Steer only. */
#define MOST_HALVINGS 40
#define MOST_PIECES 2000

/* At s: at most h of the profile, and delta_mu. */
typedef struct
{
    arf_t s;
    arb_t h, value;
} place;

static void place_init(place *x)
{
    arf_init(x->s); arb_init(x->h); arb_init(x->value);
}

static void place_clear(place *x)
{
    arf_clear(x->s); arb_clear(x->h); arb_clear(x->value);
}

static void place_set(place *x, const grid *g)
{
    arb_t eps;
    arb_init(eps);
    set_above(arb_midref(x->h), g, x->s);
    arb_set_arf(eps, x->s);
    shuf_gdp_delta_arb(x->value, g->mu, eps, g->prec);
    arb_clear(eps);
}

static void place_set_node(place *x, const node *v)
{
    arf_set(x->s, v->s);
    arb_set_arf(x->h, v->hi);
    arb_set(x->value, v->value);
}

/* Whether the profile is at most delta_mu from v to w: what it is at most at the left of each of some pieces is at most delta_mu at the right. */
static int steps_hold(const grid *g, const place *v, const place *w, int halvings, slong *pieces)
{
    place middle;
    int holds;
    if (arb_le(v->h, w->value))
        return 1;
    if (!arb_le(v->h, v->value) || halvings == 0 || ++*pieces > MOST_PIECES || shuf_exhausted(g->limit))
        return 0;
    place_init(&middle);
    arf_add(middle.s, v->s, w->s, 64, ARF_RND_DOWN);
    arf_mul_2exp_si(middle.s, middle.s, -1);
    place_set(&middle, g);
    holds = steps_hold(g, &middle, w, halvings - 1, pieces) && steps_hold(g, v, &middle, halvings - 1, pieces);
    place_clear(&middle);
    return holds;
}

/* The same from node i to the next. */
static int holds_by_steps(grid *g, slong i)
{
    place v, w;
    slong pieces = 0;
    int holds;
    if (g->profile->above == NULL)
        return 0;
    place_init(&v);
    place_init(&w);
    place_set_node(&v, node_at(g, i));
    place_set_node(&w, node_at(g, i + 1));
    holds = steps_hold(g, &v, &w, MOST_HALVINGS, &pieces);
    place_clear(&v);
    place_clear(&w);
    return holds;
}

/* ---- by chords ---- */

/*
 * Whether the chord of H is at most the larger of the tangents of delta_mu
 * between node i and the next: with some share of the left tangent, a line is
 * above it at both ends (Lemma 4).
 */
static int holds_by_chord(grid *g, slong i)
{
    const node *v = node_at(g, i), *w = node_at(g, i + 1);
    slong prec = g->prec;
    arb_t d, share, rest, t, y, h;
    int holds;
    shuf_charge(CHORD_WORK);
    arb_init(d); arb_init(share); arb_init(rest); arb_init(t); arb_init(y); arb_init(h);
    arb_sub(d, w->x, v->x, prec);
    /* about: (w->slope - chord)/(w->slope - v->slope) */
    arb_set_arf(t, w->hi);
    arb_set_arf(y, v->hi);
    arb_sub(t, t, y, prec);
    arb_div(t, t, d, prec);
    arb_sub(share, w->slope, t, prec);
    arb_sub(t, w->slope, v->slope, prec);
    arb_div(share, share, t, prec);
    mag_zero(arb_radref(share));
    if (!arb_is_finite(share) || arb_is_negative(share))
        arb_zero(share);
    if (arf_cmp_si(arb_midref(share), 1) > 0)
        arb_one(share);
    arb_sub_ui(rest, share, 1, prec);
    arb_neg(rest, rest);
    /* at the left end */
    arb_mul(t, w->slope, d, prec);
    arb_sub(t, w->value, t, prec);
    arb_mul(y, rest, t, prec);
    arb_addmul(y, share, v->value, prec);
    arb_set_arf(h, v->hi);
    holds = arb_le(h, y);
    /* at the right end */
    arb_mul(t, v->slope, d, prec);
    arb_add(t, v->value, t, prec);
    arb_mul(y, share, t, prec);
    arb_addmul(y, rest, w->value, prec);
    arb_set_arf(h, w->hi);
    holds = holds && arb_le(h, y);
    arb_clear(d); arb_clear(share); arb_clear(rest); arb_clear(t); arb_clear(y); arb_clear(h);
    return holds;
}

/* Whether H <= delta_mu between node i and the next, beside what is known at both. */
static int holds_between(grid *g, slong i)
{
    if (g->nodes[i].seen != g->turn)
        g->nodes[i].holds = holds_by_chord(g, i) || holds_by_steps(g, i);
    g->nodes[i].seen = g->turn;
    return g->nodes[i].holds;
}

/* s := where the tangents meet, kept from the ends. Returns 0 if the interval is too short. Any s is valid. */
static int choose(arf_t s, grid *g, slong i)
{
    const node *v = node_at(g, i), *w = node_at(g, i + 1);
    slong prec = g->prec;
    arb_t x, t;
    arf_t width, end;
    int ok;
    arb_init(x); arb_init(t); arf_init(width); arf_init(end);
    arf_sub(width, w->s, v->s, prec, ARF_RND_DOWN);
    arf_mul_2exp_si(end, w->s, -50);
    ok = arf_cmp(width, end) > 0;
    /* (v->value - w->value - v->slope v->x + w->slope w->x)/(w->slope - v->slope) */
    arb_sub(x, v->value, w->value, prec);
    arb_submul(x, v->slope, v->x, prec);
    arb_addmul(x, w->slope, w->x, prec);
    arb_sub(t, w->slope, v->slope, prec);
    arb_div(x, x, t, prec);
    arb_log(x, x, prec);
    if (arb_is_finite(x))
    {
        arf_set(s, arb_midref(x));
    }
    else
    {
        arf_add(s, v->s, w->s, prec, ARF_RND_DOWN);
        arf_mul_2exp_si(s, s, -1);
    }
    arf_mul_2exp_si(end, width, -2);
    arf_add(end, end, v->s, prec, ARF_RND_DOWN);
    if (arf_cmp(s, end) < 0)
        arf_set(s, end);
    arf_mul_2exp_si(end, width, -2);
    arf_sub(end, w->s, end, prec, ARF_RND_DOWN);
    if (arf_cmp(s, end) > 0)
        arf_set(s, end);
    shorten(s, width);
    ok = ok && arf_cmp(v->s, s) < 0 && arf_cmp(s, w->s) < 0;
    arb_clear(x); arb_clear(t); arf_clear(width); arf_clear(end);
    return ok;
}

/* Whether H <= delta_mu from node i to the next, if there is one. */
static int holds_from(grid *g, slong i)
{
    return is_covered(g, i) && (i + 1 >= g->count || holds_between(g, i));
}

/* Whether H <= delta_mu on the whole range, for the mu that was set; where the last one failed first. */
static int holds(grid *g)
{
    slong i;
    if (g->last < g->count && !holds_from(g, g->last))
        return 0;
    for (i = 0; i < g->count && holds_from(g, i); i++)
        ;
    g->last = i;
    return i == g->count;
}

/* All digits that matter for the nodes of that list, which ascends. */
static void refine_nodes(grid *g, const slong *which, slong count)
{
    arf_ptr lo = flint_malloc((size_t) (3 * count) * sizeof(arf_struct)), hi = lo + count, s = hi + count;
    slong digits = FIRST_DIGITS, i;
    for (i = 0; i < 3 * count; i++)
        arf_init(lo + i);
    for (i = 0; i < count; i++)
    {
        arf_set(s + i, g->nodes[which[i]].s);
        digits = FLINT_MAX(digits, digits_at(g, which[i]));
    }
    evaluate(g, lo, hi, s, count, digits);
    for (i = 0; i < count; i++)
    {
        node *v = g->nodes + which[i];
        raise_lo(v, lo + i);
        arf_min(v->hi, v->hi, hi + i);
        v->is_fine = 1;
    }
    carry(g);
    for (i = 0; i < 3 * count; i++)
        arf_clear(lo + i);
    flint_free(lo);
}

/* Whether more digits of node i may decide whether it is covered, or an interval beside it. */
static int needs_digits(grid *g, slong i)
{
    const node *v = g->nodes + i;
    arb_t h;
    int needs;
    if (v->is_fine)
        return 0;
    if (!is_covered(g, i))
        return 1;
    if ((i == 0 || holds_between(g, i - 1)) && (i + 1 == g->count || holds_between(g, i)))
        return 0;
    arb_init(h);
    arb_set_arf(h, v->hi);
    arb_sub_arf(h, h, v->lo, g->prec);
    arb_mul_ui(h, h, NEAR_WIDTHS, g->prec);
    arb_add_arf(h, h, v->hi, g->prec);
    needs = !arb_le(h, node_at(g, i)->value);
    arb_clear(h);
    return needs;
}

/* The nodes of which that is so get all digits. Returns 0 if there are none. */
static int refine_first(grid *g)
{
    slong *which = flint_malloc((size_t) g->count * sizeof(slong)), i, count = 0;
    for (i = 0; i < g->count; i++)
        if (needs_digits(g, i))
            which[count++] = i;
    if (count > 0 && !is_late(g))
        refine_nodes(g, which, count);
    else
        count = 0;
    flint_free(which);
    return count > 0;
}

/* What node i may have more than it has, as part of that. */
static double room_at(grid *g, slong i)
{
    arb_t h;
    double room;
    arb_init(h);
    arb_set_arf(h, g->nodes[i].hi);
    arb_div(h, node_at(g, i)->value, h, g->prec);
    room = steer_midpoint(h) - 1;
    arb_clear(h);
    return room;
}

/* The digits of a node in the interval that tell whether it has room as its ends have. */
static slong digits_between(grid *g, slong i)
{
    const double room = fmin(room_at(g, i), room_at(g, i + 1)), digits = room > 0 ? ROOM_DIGITS - d_log10(room) : HUGE_VAL;
    return (slong) fmin(fmax(digits, FIRST_DIGITS), (double) digits_at(g, i));
}

/*
 * Digits for nodes, or else adds one to every interval on which that is not certain, but for those
 * that the accuracy at an end decides. Returns 0 if none can be added.
 */
static int refine(grid *g)
{
    const slong intervals = g->count - 1;
    arf_ptr s;
    slong *digits, count = 0, i;
    if (refine_first(g))
        return 1;
    s = flint_malloc((size_t) g->count * sizeof(arf_struct));
    digits = flint_malloc((size_t) g->count * sizeof(slong));
    for (i = 0; i < intervals; i++)
    {
        arf_init(s + i);
        if (!holds_between(g, i) && is_covered(g, i) && is_covered(g, i + 1)
            && g->count + count < MAX_NODES && choose(s + count, g, i))
            digits[count++] = digits_between(g, i);
    }
    if (is_late(g))
        count = 0;
    else if (!g->profile->has_single_points && count > 0)
        add(g, s, count, FIRST_DIGITS);
    for (i = 0; g->profile->has_single_points && i < count && !is_late(g); i++)
        add(g, s + i, 1, digits[i]);
    for (i = 0; i < intervals; i++)
        arf_clear(s + i);
    flint_free(s);
    flint_free(digits);
    return count > 0;
}

/* The node of the range whose lo exceeds delta_mu for certain, or -1. */
static slong find_excess(grid *g)
{
    slong i;
    arb_t h;
    arb_init(h);
    for (i = 0; i < g->count; i++)
    {
        arb_set_arf(h, g->nodes[i].lo);
        if (g->nodes[i].inside && arb_gt(h, node_at(g, i)->value))
            break;
    }
    arb_clear(h);
    return i < g->count ? i : -1;
}

/* ---- the smallest mu ---- */

/* lo, 0 at first := the largest mu that the nodes certainly refute; *at is the node, or -1. */
static void raise_lower_end(arf_t lo, slong *at, grid *g, slong bits)
{
    slong i;
    arf_t below, above;
    arb_t eps, h;
    arf_init(below); arf_init(above); arb_init(eps); arb_init(h);
    *at = -1;
    for (i = 0; i < g->count; i++)
    {
        node *v = g->nodes + i;
        const int was_top = v->is_top;
        v->is_top = 0;
        if (!v->is_below && v->inside && arf_sgn(v->lo) > 0)
        {
            arb_set_arf(eps, v->s);
            arb_set_arf(h, v->lo);
            v->is_below = 1;
            arf_zero(below);
            if (arf_cmp_si(v->lo, 1) >= 0)
                arf_pos_inf(below);
            else if (compare(lo, eps, h, g->prec) < 0)
                invert(below, above, eps, h, bits, g->prec);
            if (arf_cmp(below, lo) > 0)
            {
                arf_set(lo, below);
                *at = i;
                continue;
            }
        }
        if (was_top && *at < 0)
            *at = i;
    }
    if (*at >= 0)
        g->nodes[*at].is_top = 1;
    arf_clear(below); arf_clear(above); arb_clear(eps); arb_clear(h);
}

/* Some mu > 0 that is not much too large: the largest that a node's hi asks for, to that many bits. */
static void first_guess(arf_t mu, const grid *g, slong bits)
{
    slong i;
    arf_t below, above;
    arb_t eps, h;
    arf_init(below); arf_init(above); arb_init(eps); arb_init(h);
    arf_zero(mu);
    for (i = 0; i < g->count; i++)
    {
        if (arf_sgn(g->nodes[i].hi) <= 0 || arf_cmp_si(g->nodes[i].hi, 1) >= 0)
            continue;
        arb_set_arf(eps, g->nodes[i].s);
        arb_set_arf(h, g->nodes[i].hi);
        invert(below, above, eps, h, bits, g->prec);
        if (arf_is_finite(above) && arf_cmp(above, mu) > 0)
            arf_set(mu, above);
    }
    arf_clear(below); arf_clear(above); arb_clear(eps); arb_clear(h);
}

static int all_zero(const grid *g)
{
    slong i;
    for (i = 0; i < g->count && arf_is_zero(g->nodes[i].hi); i++)
        ;
    return i == g->count;
}

/* Whether mu, rounded up to few bits, is certain on the whole range; hi := it if it is. */
static int try_mu(arf_t hi, grid *g, const arb_t mu, slong bits)
{
    arb_t m;
    arf_t end;
    int certain = 0;
    arb_init(m);
    arf_init(end);
    arb_get_ubound_arf(end, mu, 64 + bits);
    if (arf_cmp_si(end, SHUF_GDP_MAX_MU) <= 0 && arf_sgn(end) > 0)
    {
        arb_set_arf(m, end);
        set_mu(g, m);
        certain = holds(g);
        if (certain)
            arf_set(hi, end);
    }
    arb_clear(m);
    arf_clear(end);
    return certain;
}

/* What the nodes that are there can certify: start (1 + excess 2^k) for the first k that will do, then halves of its last step. */
static void settle(arf_t hi, grid *g, const arb_t start, const arb_t excess, slong bits)
{
    arb_t mu, step, below;
    slong i;
    arb_init(mu); arb_init(step); arb_init(below);
    arb_mul(step, start, excess, g->prec);
    for (i = 0; i < WIDENINGS && arf_is_inf(hi); i++)
    {
        arb_set(below, mu);
        arb_add(mu, start, step, g->prec);
        try_mu(hi, g, mu, bits); /* whatever the work: costs little where it fails */
        arb_mul_2exp_si(step, step, 1);
    }
    for (i = arf_is_finite(hi) && i > 1 ? HALVINGS : 0; i > 0 && !shuf_exhausted(g->limit); i--)
    {
        arb_set_arf(mu, hi);
        arb_add(mu, mu, below, g->prec);
        arb_mul_2exp_si(mu, mu, -1);
        if (!try_mu(hi, g, mu, bits))
            arb_set(below, mu);
    }
    arb_clear(mu); arb_clear(step); arb_clear(below);
}

/* Whether lo is so near to what is enough that no node can tell more. */
static int is_near(const arf_t lo, arf_srcptr most, slong digits)
{
    return most != NULL && shuf_ends_accurate(lo, most, digits);
}

/* r->lo and r->hi; the range's nodes are there. */
static void search(shuf_enclosure_t r, slong *at, grid *g, arf_srcptr most, slong digits)
{
    slong bits = FLINT_MAX(4 * digits, LEAST_BITS);
    int refined = 1, guessing = 0;
    arb_t start, excess, mu;
    arb_init(start); arb_init(excess); arb_init(mu);
    /* the relative width: half of what is asked for */
    arb_set_ui(excess, 10);
    arb_pow_ui(excess, excess, (ulong) digits, 64);
    arb_inv(excess, excess, 64);
    arb_mul_2exp_si(excess, excess, -1);
    arf_pos_inf(r->hi);
    while (refined && arf_is_inf(r->hi))
    {
        raise_lower_end(r->lo, at, g, bits);
        if (!arf_is_finite(r->lo))
            break;
        if (*at >= 0 && !g->nodes[*at].is_fine && !is_late(g))
        {
            refine_nodes(g, at, 1);
            continue;
        }
        if (arf_is_zero(r->lo) || guessing)
            first_guess(arb_midref(start), g, guessing ? bits : 4);
        if (arf_cmp(arb_midref(start), r->lo) < 0)
            arb_set_arf(start, r->lo);
        arb_mul(mu, start, excess, g->prec);
        arb_add(mu, mu, start, g->prec);
        if (!try_mu(r->hi, g, mu, bits))
            refined = !is_near(r->lo, most, digits) && refine(g);
        if (!refined && !guessing && arf_is_inf(r->hi) && !is_late(g) && !is_near(r->lo, most, digits))
        {
            /* nodes are known from above only: the lower end asks too much of them, and digits of the upper one tell nothing */
            refined = guessing = 1;
            arb_set_d(excess, ROUGHLY);
        }
    }
    if (arf_is_finite(r->lo) && arf_is_inf(r->hi) && arb_is_positive(start))
        settle(r->hi, g, start, excess, bits);
    arb_clear(start); arb_clear(excess); arb_clear(mu);
}

shuf_status shuf_gdp_mu(shuf_enclosure_t r, shuf_real_t witness, const shuf_law_struct *profile, const shuf_real_t from,
                        const shuf_real_t to, shuf_direction direction, arf_srcptr most, const shuf_options *options)
{
    double begin = shuf_work();
    slong digits = FLINT_MIN(FLINT_MAX(options->digits, 1), SHUF_MAX_DIGITS - 3), at = -1;
    grid g;
    if (!grid_init(&g, profile, from, to, direction, digits + 3, options->max_work))
        return shuf_enclosure_unknown(r, 0);
    shuf_enclosure_zero(r);
    if (all_zero(&g))
        shuf_real_set(witness, from); /* H = 0 on the whole range, and mu = 0 will do */
    else
        search(r, &at, &g, most, digits);
    if (at >= 0)
        set_witness(witness, &g, at);
    finish(r, digits, g.count, g.prec, begin);
    grid_clear(&g);
    return r->status;
}

shuf_gdp_verdict shuf_gdp_check(shuf_real_t witness, shuf_enclosure_t delta, shuf_enclosure_t gaussian,
                                const shuf_law_struct *profile, const shuf_real_t mu, const shuf_real_t from,
                                const shuf_real_t to, shuf_direction direction, const shuf_options *options)
{
    slong digits = FLINT_MIN(FLINT_MAX(options->digits, 1), SHUF_MAX_DIGITS), at;
    shuf_gdp_verdict verdict = SHUF_GDP_UNDECIDED;
    grid g;
    arb_t m;
    if (shuf_real_sgn(mu) <= 0 || !mu_in_range(mu)
        || !grid_init(&g, profile, from, to, direction, digits, options->max_work))
        return verdict;
    arb_init(m);
    shuf_real_get_arb(m, mu, g.prec);
    do
    {
        set_mu(&g, m);
        if ((at = find_excess(&g)) >= 0)
            verdict = SHUF_GDP_REFUTED;
        else if (holds(&g))
            verdict = SHUF_GDP_CERTIFIED;
    }
    while (verdict == SHUF_GDP_UNDECIDED && refine(&g));
    if (verdict == SHUF_GDP_REFUTED)
    {
        shuf_enclosure_zero(delta);
        arf_set(delta->lo, g.nodes[at].lo);
        arf_set(delta->hi, g.nodes[at].hi);
        shuf_enclosure_width(delta->ledger.discretisation, delta);
        set_witness(witness, &g, at);
        shuf_gdp_delta(gaussian, mu, witness, options);
    }
    arb_clear(m);
    grid_clear(&g);
    return verdict;
}
