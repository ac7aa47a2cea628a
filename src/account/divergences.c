/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Renyi divergences of rounds, their conversion, and their limit, the largest losses. */
#include <string.h>

#include "account/rounds.h"
#include "law/profile_renyi.h"
#include "renyi/renyi.h"

static void set_infinite(shuf_enclosure_t r)
{
    shuf_enclosure_zero(r);
    arf_pos_inf(r->lo);
    arf_pos_inf(r->hi);
}

/* The curve of all rounds of one law. It points into itself. */
typedef struct
{
    const shuf_law_struct *law;
    shuf_direction direction;
    shuf_renyi_curve once, all;
    uint64_t rounds;
    shuf_renyi_sum sum;
} round_curve;

static shuf_status evaluate_once(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order, const shuf_options *options)
{
    const round_curve *c = curve->data;
    return law_renyi(r, c->law, order, c->direction, options);
}

/*
 * Coq: ShuffleRenyi.stronger_moment, ShuffleRenyi.clones_moment, ShuffleRenyi.stronger_renyi_rounds, ConvexOrder.dominates_moment.
 */
static void curve_init(round_curve *c, const round_route *route, shuf_direction direction)
{
    memset(c, 0, sizeof(*c));
    c->law = route->law;
    c->direction = direction;
    c->rounds = route->rounds;
    c->once.evaluate = evaluate_once;
    c->once.data = c;
    c->sum.parts = &c->once;
    c->sum.count = &c->rounds;
    c->sum.length = 1;
    shuf_renyi_curve_sum(&c->all, &c->sum);
}

/* The curves of all parts, and their sum. */
typedef struct
{
    size_t count;
    round_curve *of;
    shuf_renyi_curve *all;
    uint64_t *once;
    shuf_renyi_sum sum;
    shuf_renyi_curve total;
} curves;

static void curves_init(curves *c, const rounds_struct *x, shuf_direction direction)
{
    size_t i;
    c->count = x->count;
    c->of = flint_malloc(x->count * sizeof(*c->of));
    c->all = flint_malloc(x->count * sizeof(*c->all));
    c->once = flint_malloc(x->count * sizeof(*c->once));
    for (i = 0; i < x->count; i++)
    {
        curve_init(&c->of[i], x->routes[i], direction);
        c->all[i] = c->of[i].all;
        c->once[i] = 1;
    }
    c->sum.parts = c->all;
    c->sum.count = c->once;
    c->sum.length = x->count;
    shuf_renyi_curve_sum(&c->total, &c->sum);
    if (x->count == 1)
        c->total = c->of[0].rounds == 1 ? c->of[0].once : c->of[0].all;
}

static void curves_clear(curves *c)
{
    flint_free(c->of);
    flint_free(c->all);
    flint_free(c->once);
}

/* Of a law whose divergences are, or may be, those of its profile. */
static void add_profile_theorems(rounds_road *road, const shuf_sampled_struct *sample)
{
    if (sample != NULL)
        chain_add_once(&road->chain, sample->kind == SHUF_SAMPLED_FIXED_SIZE ? "subsample-profile" : "subsample-replaced");
    chain_add_once(&road->chain, "renyi-profile");
}

static void add_curve_theorems(rounds_road *road, const rounds_struct *x, const curves *c)
{
    size_t i;
    for (i = 0; i < c->count; i++)
        if (c->of[i].law->renyi == NULL || c->of[i].law->has_dear_renyi) /* to whatever digits the sum asks for */
            add_profile_theorems(road, c->of[i].law->sample);
    if (rounds_has_several(x))
        chain_add(&road->chain, "renyi-composition");
}

int rounds_add_largest_loss(arb_t total, const round_route *route, slong prec)
{
    const shuf_law_struct *law = route->law;
    shuf_real_t loss, lo, hi;
    arb_t a, b;
    int finite;
    shuf_real_init(loss); shuf_real_init(lo); shuf_real_init(hi); arb_init(a); arb_init(b);
    if (law->pair != NULL)
    {
        finite = shuf_pair_get_max_loss(a, law->pair, prec);
    }
    else if (law->sample != NULL)
    {
        finite = shuf_law_max_loss(loss, law->sample->base);
        shuf_sampled_loss(lo, hi, loss, law->sample->gamma);
        shuf_real_get_arb(a, lo, prec);
        shuf_real_get_arb(b, hi, prec);
        arb_union(a, a, b, prec);
    }
    else
    {
        finite = shuf_law_max_loss(loss, law);
        shuf_real_get_arb(a, loss, prec);
    }
    arb_mul_ui(a, a, route->rounds, prec);
    arb_add(total, total, a, prec);
    shuf_real_clear(loss); shuf_real_clear(lo); shuf_real_clear(hi); arb_clear(a); arb_clear(b);
    return finite;
}

int rounds_has_infinite_loss(const rounds_struct *x)
{
    shuf_real_t loss;
    size_t i;
    int infinite = 0;
    shuf_real_init(loss);
    for (i = 0; i < x->count; i++)
        infinite |= !shuf_law_max_loss(loss, x->routes[i]->law);
    shuf_real_clear(loss);
    return infinite;
}

shuf_status rounds_largest_loss(shuf_enclosure_t r, const rounds_struct *x, slong digits)
{
    slong prec = 4 * digits + 128;
    arb_t total;
    size_t i;
    int finite = 1;
    shuf_enclosure_zero(r);
    r->status = SHUF_OK;
    arb_init(total);
    for (i = 0; i < x->count && finite; i++)
        finite = rounds_add_largest_loss(total, x->routes[i], prec);
    if (finite)
    {
        shuf_enclosure_set_arb(r, total, prec);
        r->status = shuf_enclosure_accurate(r, digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    else
    {
        set_infinite(r);
    }
    arb_clear(total);
    return r->status;
}

/* The sum of the parts' divergences. */
static shuf_status renyi_sum(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, const shuf_real_t order, shuf_direction direction, const shuf_options *options)
{
    const shuf_question_struct *q = x->question;
    shuf_status status;
    curves c;
    curves_init(&c, x, direction);
    status = c.total.evaluate(r, &c.total, order, options);
    if (status == SHUF_DOMAIN)
    {
        /* a loss that is infinite with positive probability leaves no order of more than 1 a finite divergence, in one direction */
        int infinite = q->direction == SHUF_DIRECTION_BOTH && rounds_has_infinite_loss(x) && shuf_real_cmp_si(order, 1) > 0;
        set_infinite(r);
        status = r->status = infinite ? SHUF_OK : SHUF_ACCURACY;
        if (!infinite)
            arf_zero(r->lo);
    }
    else if (!arf_is_pos_inf(r->lo))
    {
        status = r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    add_curve_theorems(road, x, &c);
    curves_clear(&c);
    return status;
}

/*
 * The larger of the two directions of the product. Of several parts it may be less than the sum of each part's larger one,
 * which no data need have: such a sum is no bound from below.
 */
static shuf_status renyi_both(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, const shuf_real_t order, const shuf_options *options)
{
    double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t other;
    shuf_status status, other_status;
    shuf_enclosure_init(other);
    shuf_share(&o, limit, 0.5);
    status = renyi_sum(r, road, x, order, SHUF_DIRECTION_PQ, &o);
    rounds_road_forget(road);
    shuf_share(&o, limit, 1);
    other_status = renyi_sum(other, road, x, order, SHUF_DIRECTION_QP, &o);
    shuf_enclosure_max(r, r, other);
    shuf_enclosure_clear(other);
    return r->status = status == SHUF_OK ? other_status : status;
}

shuf_status rounds_divergence(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, const shuf_real_t order, const shuf_options *options)
{
    const shuf_question_struct *q = x->question;
    const shuf_law_struct *law = x->routes[0]->law;
    if (rounds_is_one(x))
    {
        if (law_renyi_is_of_profile(law, options))
            add_profile_theorems(road, NULL);
        return law_renyi(r, law, order, q->direction, options);
    }
    if (x->count > 1 && q->direction == SHUF_DIRECTION_BOTH && !rounds_is_symmetric(x))
        return renyi_both(r, road, x, order, options);
    return renyi_sum(r, road, x, order, q->direction, options);
}

shuf_status rounds_renyi(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, const shuf_options *options)
{
    const shuf_question_struct *q = x->question;
    if (!q->order_is_infinite)
        return rounds_divergence(r, road, x, q->order, options);
    if (rounds_sample(x) != NULL)
        chain_add(&road->chain, "subsample-profile");
    if (rounds_has_several(x))
        chain_add(&road->chain, "renyi-composition");
    return rounds_largest_loss(r, x, options->digits);
}

shuf_status rounds_converted(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, int want_epsilon, const shuf_real_t point,
                             const shuf_options *options)
{
    shuf_status status;
    curves c;
    curves_init(&c, x, SHUF_DIRECTION_BOTH);
    status = want_epsilon ? shuf_renyi_to_epsilon(r, road->order, &c.total, point, options)
                          : shuf_renyi_to_delta(r, road->order, &c.total, point, options);
    add_curve_theorems(road, x, &c);
    chain_add(&road->chain, "renyi-conversion");
    road->has_order = status != SHUF_DOMAIN;
    curves_clear(&c);
    return status;
}
