/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Zero-concentrated differential privacy of rounds: the largest D_a/a over all orders a > 1 (proofs/renyi-profile.md, Theorem 6 and Lemma 7). */
#include <math.h>

#include "account/rounds.h"
#include "enclosure/steer.h"
#include "tradeoff/gdp.h"

#define PREC 128 /* steers only */

/* The first order; from one to the next so much farther from 1, or nearer; the most there are, and the last one, sooner where nothing is known beyond it. Steer only. */
#define FIRST_ORDER 2.0
#define GROWTH 4.0
#define MOST_ORDERS 400
#define LAST_ORDER 1e12
#define LAST_ALONE 100.0

/* Of the work that is left, what one order takes at most. Steers only. */
#define ORDER_SHARE 0.1

/* Of the work of a question, what one bound takes at most: there are several. Steers only. */
#define BOUND_SHARE 0.1

/* Of a bound's work, for orders where mu may follow, or what is sought is a lower end; digits of a round's mu, and more where the first took little of what is left. Steer only. */
#define GAUSSIAN_DIGITS 2
#define MORE_GAUSSIAN_DIGITS 4
#define LITTLE_SHARE 0.1
#define GAUSSIAN_SHARE 0.9
#define ORDERS_SHARE 0.4

/* Of the work of a question, for the nodes of laws that are known there. Steer only. */
#define NODES_SHARE 0.2

/* Orders, rising, and the divergences there. */
typedef struct
{
    slong count;
    double order[MOST_ORDERS];
    arf_ptr lo, hi;
} curve_struct;

static void curve_init(curve_struct *c)
{
    slong i;
    c->count = 0;
    c->lo = flint_malloc(2 * MOST_ORDERS * sizeof(arf_struct));
    c->hi = c->lo + MOST_ORDERS;
    for (i = 0; i < 2 * MOST_ORDERS; i++)
        arf_init(c->lo + i);
}

static void curve_clear(curve_struct *c)
{
    slong i;
    for (i = 0; i < 2 * MOST_ORDERS; i++)
        arf_clear(c->lo + i);
    flint_free(c->lo);
}

/* One more order, in its place. Returns the place. */
static slong look(curve_struct *c, double order, rounds_road *road, const rounds_struct *x, const shuf_options *options)
{
    slong i = c->count++;
    shuf_enclosure_t r;
    shuf_real_t a;
    shuf_enclosure_init(r);
    shuf_real_init(a);
    shuf_real_set_d(a, order);
    rounds_road_forget(road);
    rounds_divergence(r, road, x, a, options);
    for (; i > 0 && c->order[i - 1] > order; i--)
    {
        c->order[i] = c->order[i - 1];
        arf_swap(c->lo + i, c->lo + i - 1);
        arf_swap(c->hi + i, c->hi + i - 1);
    }
    c->order[i] = order;
    arf_swap(c->lo + i, r->lo);
    arf_swap(c->hi + i, r->hi);
    shuf_enclosure_clear(r);
    shuf_real_clear(a);
    return i;
}

/* v := (from + slope a)/(a (a-1)) at a. */
static void ratio_at(arb_t v, const arb_t from, const arb_t slope, const arb_t a)
{
    arb_t t;
    arb_init(t);
    arb_sub_ui(t, a, 1, PREC);
    arb_mul(t, t, a, PREC);
    arb_mul(v, slope, a, PREC);
    arb_add(v, v, from, PREC);
    arb_div(v, v, t, PREC);
    arb_clear(t);
}

/*
 * v := an upper bound of D_a/a between orders b < c, 1 < b: the chord of (a-1) D_a over a (a-1), which is largest at an end or where slope a^2 + 2 from a - from = 0, and
 * D_c/b. Below the first order (b = 1): D_c. Coq: Zcdp.zcdp_chord, Zcdp.zcdp_between, Zcdp.zcdp_below.
 */
static void cell_bound(arb_t v, const curve_struct *c, slong i)
{
    arb_t b, e, slope, from, t, u;
    arb_init(b); arb_init(e); arb_init(slope); arb_init(from); arb_init(t); arb_init(u);
    arb_set_arf(v, c->hi + i);
    if (i > 0)
    {
        arb_set_d(b, c->order[i - 1]);
        arb_set_d(e, c->order[i]);
        arb_div(v, v, b, PREC);
        /* the chord: from + slope a */
        arb_sub_ui(t, e, 1, PREC);
        arb_mul_arf(t, t, c->hi + i, PREC);
        arb_sub_ui(u, b, 1, PREC);
        arb_mul_arf(u, u, c->hi + i - 1, PREC);
        arb_sub(slope, e, b, PREC);
        arb_sub(from, t, u, PREC);
        arb_div(slope, from, slope, PREC);
        arb_mul(t, slope, b, PREC);
        arb_sub(from, u, t, PREC);
        ratio_at(t, from, slope, b);
        ratio_at(u, from, slope, e);
        arb_max(t, t, u, PREC);
        /* where it is level: a = (-from + sqrt(from (from + slope)))/slope, or with - */
        arb_add(u, from, slope, PREC);
        arb_mul(u, u, from, PREC);
        if (!arb_is_negative(u))
        {
            arb_t root, at;
            int sign;
            arb_init(root);
            arb_init(at);
            arb_sqrtpos(root, u, PREC);
            for (sign = 0; sign < 2; sign++)
            {
                if (sign == 1)
                    arb_neg(root, root);
                arb_sub(at, root, from, PREC);
                arb_div(at, at, slope, PREC);
                if (arb_lt(at, b) || arb_gt(at, e))
                    continue;
                if (!arb_is_finite(at))
                {
                    arb_pos_inf(t);
                    continue;
                }
                /* a ball that may reach beyond the cell: what counts is in it */
                arb_max(at, at, b, PREC);
                arb_min(at, at, e, PREC);
                ratio_at(u, from, slope, at);
                arb_max(t, t, u, PREC);
            }
            arb_clear(root);
            arb_clear(at);
        }
        if (arb_is_finite(t))
            arb_min(v, v, t, PREC);
    }
    arb_clear(b); arb_clear(e); arb_clear(slope); arb_clear(from); arb_clear(t); arb_clear(u);
}

/* v := an upper bound of D_a/a of all rounds for all a >= from: largest losses, and moments. Coq: Zcdp.zcdp_above. */
static void beyond(arb_t v, const rounds_struct *x, double from)
{
    arb_t t, order;
    size_t i;
    arb_init(t);
    arb_init(order);
    arb_zero(v);
    for (i = 0; i < x->count; i++)
    {
        const round_route *route = x->routes[i];
        arb_zero(t);
        if (rounds_add_largest_loss(t, route, PREC))
        {
            arb_set_d(order, from);
            arb_div(t, t, order, PREC);
        }
        else if (!fmpq_is_zero(route->law->moment))
        {
            arb_set_fmpq(t, route->law->moment, PREC);
            arb_mul_ui(t, t, route->rounds, PREC);
        }
        else
        {
            arb_pos_inf(t);
        }
        arb_add(v, v, t, PREC);
    }
    if (!arb_is_finite(v))
        arb_pos_inf(v);
    arb_clear(t);
    arb_clear(order);
}

/* Whether every law tends to its moment. */
static int tends_to_moment(const rounds_struct *x)
{
    size_t i;
    for (i = 0; i < x->count; i++)
        if (!x->routes[i]->law->moment_is_reached)
            return 0;
    return 1;
}

/* lo and hi: the largest lower end of D_a/a at the orders, and what bounds it between and beyond them; returns the cell that bounds it, count for what is beyond. */
static slong bounds(arf_t lo, arf_t hi, const curve_struct *c, const arb_t rest)
{
    arb_t v;
    arf_t t;
    slong i, at = c->count;
    arb_init(v);
    arf_init(t);
    arf_zero(lo);
    arb_get_ubound_arf(hi, rest, PREC);
    for (i = 0; i < c->count; i++)
    {
        arf_set_d(t, c->order[i]);
        arf_div(t, c->lo + i, t, PREC, ARF_RND_DOWN);
        if (arf_cmp(t, lo) > 0)
            arf_set(lo, t);
        cell_bound(v, c, i);
        arb_get_ubound_arf(t, v, PREC);
        if (arf_is_nan(t))
            arf_pos_inf(t);
        if (arf_cmp(t, hi) > 0)
        {
            arf_set(hi, t);
            at = i;
        }
    }
    arb_clear(v);
    arf_clear(t);
    return at;
}

/* The order to look at next: beyond the last one, or half way into a cell, by the distance from 1; 0: there is none. */
static double next_order(const curve_struct *c, slong at, int is_bounded)
{
    const double last = c->count > 0 ? c->order[c->count - 1] : 1;
    double order;
    if (c->count == 0)
        return FIRST_ORDER;
    if (at == c->count)
        return last > (is_bounded ? LAST_ORDER : LAST_ALONE) ? 0 : 1 + (last - 1) * GROWTH;
    order = 1 + (at == 0 ? (c->order[0] - 1) / GROWTH : sqrt((c->order[at] - 1) * (c->order[at - 1] - 1)));
    return order > (at == 0 ? 1 : c->order[at - 1]) && order < c->order[at] ? order : 0;
}

/* total += rounds mu^2, mu-Gaussian DP being what one round of the law has at every eps. Returns 0 if no such mu is known. */
static int add_square(arb_t total, const round_route *route, shuf_real_t witness, const shuf_options *options)
{
    const slong prec = 128 + 4 * options->digits;
    const shuf_law_struct *law = route->law;
    shuf_law_t points;
    shuf_enclosure_t one;
    shuf_real_t zero, loss;
    arb_t mu;
    int found = 0;
    if (law->second != NULL || law->sample != NULL || law->evaluate == NULL)
        return 0;
    if (law->has_cheap_points)
    {
        shuf_law_set_by_points(points, law);
        law = points;
    }
    shuf_enclosure_init(one);
    shuf_real_init(zero); shuf_real_init(loss);
    arb_init(mu);
    if (shuf_law_max_loss(loss, route->law)
        && shuf_gdp_mu(one, witness, law, zero, loss, SHUF_DIRECTION_BOTH, NULL, options) != SHUF_DOMAIN && arf_is_finite(one->hi))
    {
        arb_set_interval_arf(mu, one->lo, one->hi, prec);
        arb_mul(mu, mu, mu, prec);
        arb_mul_ui(mu, mu, route->rounds, prec);
        arb_add(total, total, mu, prec);
        found = 1;
    }
    shuf_enclosure_clear(one);
    shuf_real_clear(zero); shuf_real_clear(loss);
    arb_clear(mu);
    return found;
}

int rounds_add_squares(arb_t total, rounds_road *road, const rounds_struct *x, const shuf_options *options)
{
    const double limit = shuf_limit(options);
    shuf_options o = *options;
    size_t i;
    for (i = 0; i < x->count; i++)
    {
        shuf_share(&o, limit, 1.0 / (double) (x->count - i));
        if (!add_square(total, x->routes[i], road->witness, &o))
            return 0;
    }
    return 1;
}

/* [lo, hi] := what follows from mu-Gaussian DP of every round (proofs/tradeoff.md, Lemma 8), or [0, +inf]. */
static void gaussian_bound(arf_t lo, arf_t hi, rounds_road *road, const rounds_struct *x, slong digits, double limit)
{
    shuf_options o = { digits, 0 };
    arb_t total;
    arb_init(total);
    arf_zero(lo);
    arf_pos_inf(hi);
    shuf_share(&o, limit, GAUSSIAN_SHARE);
    if (rounds_add_squares(total, road, x, &o))
    {
        arb_mul_2exp_si(total, total, -1);
        arb_get_interval_arf(lo, hi, total, PREC);
    }
    arb_clear(total);
}

/* Whether all laws are those of pairs that bound from below. */
static int is_from_below(const rounds_struct *x)
{
    size_t i;
    for (i = 0; i < x->count && x->routes[i]->law->pair != NULL && shuf_pair_about(x->routes[i]->law->pair->kind)->side == SHUF_SIDE_LOWER; i++)
        ;
    return i == x->count;
}

/* Whether all laws are from above and their mu costs little. */
static int has_cheap_mu(const rounds_struct *x)
{
    size_t i;
    for (i = 0; i < x->count; i++)
    {
        const shuf_law_struct *law = x->routes[i]->law;
        const int is_pair = law->pair != NULL && law->above != NULL && shuf_pair_about(law->pair->kind)->side != SHUF_SIDE_LOWER;
        if (!is_pair && !(law->is_at_nodes && law->where == NULL))
            return 0;
    }
    return 1;
}

/* Its upper end is at most what each round's Gaussian DP says; so is the lower one, if the law is known at nodes only. Returns whether that is less than it was. */
static int lower_by_gaussian(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, double limit)
{
    const double start = shuf_work();
    arf_t lo, hi, more;
    int is_less;
    arf_init(lo);
    arf_init(hi);
    arf_init(more);
    gaussian_bound(lo, hi, road, x, GAUSSIAN_DIGITS, limit);
    if (limit == 0 || shuf_work() - start < LITTLE_SHARE * (limit - start))
    {
        gaussian_bound(lo, more, road, x, MORE_GAUSSIAN_DIGITS, limit);
        arf_min(hi, hi, more);
    }
    is_less = arf_cmp(hi, r->hi) < 0;
    arf_min(r->hi, r->hi, hi);
    if (is_less && rounds_has_nodes(x))
        arf_min(r->lo, r->lo, lo);
    arf_clear(lo);
    arf_clear(hi);
    arf_clear(more);
    return is_less;
}

/* The nodes, which would else have the share of one order. */
static void prepare_nodes(const rounds_struct *x, const shuf_options *options)
{
    const double limit = shuf_limit(options);
    shuf_options o = *options;
    size_t i;
    for (i = 0; i < x->count; i++)
        if (x->routes[i]->law->is_at_nodes)
        {
            shuf_share(&o, limit, NODES_SHARE / (double) (x->count - i));
            x->routes[i]->law->prepare(x->routes[i]->law, &o);
        }
}

static void search(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, const shuf_options *options, double limit)
{
    shuf_options o = *options;
    curve_struct c;
    arb_t rest;
    const int is_bounded = !rounds_has_infinite_loss(x); /* else what bounds large orders does not fall, and they are not looked at for long */
    double order;
    slong at = 0;
    int infinite = 0;
    curve_init(&c);
    arb_init(rest);
    arb_pos_inf(rest);
    o.digits = options->digits + 1;
    while (c.count < MOST_ORDERS && !infinite && (order = next_order(&c, at, is_bounded)) > 0)
    {
        shuf_share(&o, limit, ORDER_SHARE);
        infinite = arf_is_pos_inf(c.lo + look(&c, order, road, x, &o));
        beyond(rest, x, c.order[c.count - 1]);
        at = bounds(r->lo, r->hi, &c, rest);
        if (shuf_ends_accurate(r->lo, r->hi, options->digits) || shuf_exhausted(limit))
            break;
    }
    if (infinite)
    {
        arf_pos_inf(r->lo);
        arf_pos_inf(r->hi);
    }
    r->ledger.terms = (ulong) c.count;
    arb_clear(rest);
    curve_clear(&c);
}

shuf_status rounds_zcdp(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, const shuf_options *options)
{
    const double start = shuf_work();
    shuf_options o = *options;
    int by_gaussian = 0;
    shuf_enclosure_zero(r);
    if (!tends_to_moment(x))
        prepare_nodes(x, options);
    shuf_share(&o, shuf_limit(options), BOUND_SHARE);
    if (tends_to_moment(x))
    {
        arb_t v;
        arb_init(v);
        beyond(v, x, 2);
        shuf_enclosure_set_arb(r, v, PREC);
        arb_clear(v);
        if (rounds_has_several(x))
            chain_add(&road->chain, "renyi-composition");
    }
    else
    {
        const double limit = shuf_limit(&o);
        const int may_follow = has_cheap_mu(x);
        shuf_share(&o, limit, may_follow || is_from_below(x) ? ORDERS_SHARE : 1);
        search(r, road, x, &o, shuf_limit(&o));
        shuf_share(&o, shuf_limit(options), BOUND_SHARE);
        by_gaussian = may_follow && (rounds_has_nodes(x) || !shuf_ends_accurate(r->lo, r->hi, options->digits)) && lower_by_gaussian(r, road, x, shuf_limit(&o));
        shuf_enclosure_width(r->ledger.discretisation, r);
    }
    chain_add(&road->chain, "zcdp");
    if (by_gaussian)
        chain_add(&road->chain, "dong22-b.6");
    road->has_order = 0;
    r->ledger.precision = PREC;
    r->ledger.work = shuf_work() - start;
    return r->status = arf_is_pos_inf(r->lo) || shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}
