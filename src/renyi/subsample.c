/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "renyi/subsample.h"

#include <math.h>

/* Steer only. */
#define EXACT_ORDERS 32
#define STEP 1.1
#define GUARD_DIGITS 4

/* The base at the orders seen so far, each at the most digits asked for. */
struct shuf_subsample_cache
{
    size_t length, room;
    struct
    {
        ulong order;
        slong digits;
        shuf_enclosure_t value;
    } *entry;
};

static void cache_empty(struct shuf_subsample_cache *cache)
{
    size_t i;
    for (i = 0; i < cache->length; i++)
        shuf_enclosure_clear(cache->entry[i].value);
    flint_free(cache->entry);
    cache->entry = NULL;
    cache->length = cache->room = 0;
}

void shuf_subsample_init(shuf_subsample_t s)
{
    s->kind = SHUF_SUBSAMPLE_POISSON;
    s->base = NULL;
    fmpq_init(s->gamma);
    s->has_max_loss = 0;
    shuf_real_init(s->max_loss);
    s->cache = flint_calloc(1, sizeof(*s->cache));
}

void shuf_subsample_clear(shuf_subsample_t s)
{
    cache_empty(s->cache);
    flint_free(s->cache);
    fmpq_clear(s->gamma);
    shuf_real_clear(s->max_loss);
}

shuf_neighbours shuf_subsample_neighbours(shuf_subsample_kind kind)
{
    return kind == SHUF_SUBSAMPLE_POISSON ? SHUF_ADD_REMOVE : SHUF_REPLACE_ONE;
}

const char *shuf_subsample_theorem(shuf_subsample_kind kind)
{
    switch (kind)
    {
    case SHUF_SUBSAMPLE_POISSON: return "subsample-poisson";
    case SHUF_SUBSAMPLE_FIXED_SIZE: return "subsample-wang19";
    case SHUF_SUBSAMPLE_FIXED_SIZE_DOMINATED: break;
    }
    return "subsample-dominated";
}

int shuf_subsample_set(shuf_subsample_t s, shuf_subsample_kind kind, const shuf_renyi_curve *base,
                       shuf_neighbours neighbours, const fmpq_t gamma, const shuf_real_struct *max_loss)
{
    if (neighbours != shuf_subsample_neighbours(kind) || fmpq_sgn(gamma) < 0 || fmpq_cmp_si(gamma, 1) > 0
        || (max_loss != NULL && shuf_real_sgn(max_loss) < 0))
        return -1;
    cache_empty(s->cache);
    s->kind = kind;
    s->base = base;
    fmpq_set(s->gamma, gamma);
    s->has_max_loss = (max_loss != NULL);
    if (max_loss != NULL)
        shuf_real_set(s->max_loss, max_loss);
    return 0;
}

/* One evaluation: the parameters at a working precision. */
typedef struct
{
    const shuf_subsample_struct *params;
    ulong order;
    slong prec;
    arb_t gamma;
    arb_t excess;      /* e^L - 1, if L is known */
    arb_ptr excess_of; /* excess_of[j] encloses B_j - 1, 2 <= j <= order */
} sums;

/*
 * value := eps(order) of the base, kept for the next time. SHUF_DOMAIN when it
 * is not finite.
 */
static shuf_status evaluate_base(shuf_enclosure_t value, const shuf_subsample_struct *params, ulong order,
                                 const shuf_options *options)
{
    struct shuf_subsample_cache *cache = params->cache;
    shuf_status status;
    shuf_real_t a;
    fmpq_t q;
    size_t i;

    for (i = 0; i < cache->length && cache->entry[i].order != order; i++)
        ;
    if (i < cache->length && cache->entry[i].digits >= options->digits)
    {
        shuf_enclosure_set(value, cache->entry[i].value);
        return SHUF_OK;
    }
    shuf_real_init(a);
    fmpq_init(q);
    fmpz_set_ui(fmpq_numref(q), order);
    shuf_real_set_fmpq(a, q);
    status = params->base->evaluate(value, params->base, a, options);
    shuf_real_clear(a);
    fmpq_clear(q);
    if (status == SHUF_DOMAIN || !arf_is_finite(value->hi))
        return SHUF_DOMAIN;
    if (status == SHUF_OK)
    {
        if (i == cache->room)
        {
            cache->room = 2 * cache->room + 64;
            cache->entry = flint_realloc(cache->entry, cache->room * sizeof(*cache->entry));
        }
        if (i == cache->length)
        {
            shuf_enclosure_init(cache->entry[i].value);
            cache->length++;
        }
        cache->entry[i].order = order;
        cache->entry[i].digits = options->digits;
        shuf_enclosure_set(cache->entry[i].value, value);
    }
    return SHUF_OK;
}

/* k := (order-1) eps(order) of the base. */
static shuf_status base_moment(arb_t k, ulong *terms, const shuf_subsample_struct *params, ulong order, slong prec,
                               const shuf_options *options)
{
    shuf_enclosure_t e;
    shuf_status status;
    shuf_enclosure_init(e);
    status = evaluate_base(e, params, order, options);
    if (status != SHUF_DOMAIN)
    {
        shuf_enclosure_get_arb(k, e, prec);
        arb_mul_ui(k, k, order - 1, prec);
        *terms += e->ledger.terms;
    }
    shuf_enclosure_clear(e);
    return status;
}

static ulong next_node(ulong node)
{
    return node < EXACT_ORDERS ? node + 1 : (ulong) (STEP * (double) node);
}

/* How many nodes there are from this one to the order. */
static double nodes_left(ulong node, ulong order)
{
    double count = 1;
    for (; node < order; node = next_node(node))
        count++;
    return count;
}

/*
 * Fills excess_of: the base at the nodes, chords between them. SHUF_ACCURACY
 * when the budget ends before all of them are known.
 * Coq: Renyi.moment_log_convex.
 */
static shuf_status base_moments(sums *s, ulong *terms, const shuf_options *options)
{
    const double chord_cost = shuf_cost_exp(s->prec) + 3 * shuf_cost_word(s->prec);
    double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_status status = SHUF_OK;
    ulong node, previous = 0, j;
    arb_t k, last, t, slope;
    arb_init(k); arb_init(last); arb_init(t); arb_init(slope);
    /* the same nodes for every order, but for the last */
    for (node = 2; previous < s->order; node = next_node(node))
    {
        node = FLINT_MIN(node, s->order);
        /* most of them take little; the last may take what is left */
        shuf_share(&o, limit, 1 / fmin(nodes_left(node, s->order), 8));
        status = base_moment(k, terms, s->params, node, s->prec, &o);
        if (status == SHUF_DOMAIN)
            break;
        shuf_charge((double) (node - previous) * chord_cost);
        if (shuf_exhausted(limit) && node < s->order)
        {
            status = SHUF_ACCURACY;
            break;
        }
        if (previous > 0)
        {
            arb_sub(slope, k, last, s->prec);
            arb_div_ui(slope, slope, node - previous, s->prec);
            for (j = previous + 1; j < node; j++)
            {
                arb_mul_ui(t, slope, j - previous, s->prec);
                arb_add(t, t, last, s->prec);
                arb_expm1(s->excess_of + j, t, s->prec);
            }
        }
        arb_expm1(s->excess_of + node, k, s->prec);
        arb_set(last, k);
        previous = node;
    }
    arb_clear(k); arb_clear(last); arb_clear(t); arb_clear(slope);
    return status;
}

/* The weight of term 2: C(order,2) gamma^2, times (1-gamma)^(order-2) if keep. */
static void first_weight(arb_t weight, const sums *s, int keep)
{
    arb_t t;
    arb_init(t);
    arb_pow_ui(weight, s->gamma, 2, s->prec);
    arb_mul_ui(weight, weight, s->order, s->prec);
    arb_mul_ui(weight, weight, s->order - 1, s->prec);
    arb_mul_2exp_si(weight, weight, -1);
    if (keep)
    {
        arb_sub_ui(t, s->gamma, 1, s->prec);
        arb_neg(t, t);
        arb_pow_ui(t, t, s->order - 2, s->prec);
        arb_mul(weight, weight, t, s->prec);
    }
    arb_clear(t);
}

/* From term j to j+1. ratio = gamma, or gamma/(1-gamma). */
static void next_weight(arb_t weight, const sums *s, const arb_t ratio, ulong j)
{
    arb_mul(weight, weight, ratio, s->prec);
    arb_mul_ui(weight, weight, s->order - j, s->prec);
    arb_div_ui(weight, weight, j + 1, s->prec);
}

/*
 * sum = the excess of the mixture over the whole, E (1-gamma+gamma r)^a - 1 for r = B. 0 < gamma < 1
 * Coq: RenyiConvex.poisson_forward_bound, SampledRenyi.poisson_added.
 */
static void poisson_forward(arb_t sum, const sums *s)
{
    arb_t weight, ratio;
    ulong j;
    arb_init(weight);
    arb_init(ratio);
    arb_sub_ui(ratio, s->gamma, 1, s->prec);
    arb_neg(ratio, ratio);
    arb_div(ratio, s->gamma, ratio, s->prec);
    first_weight(weight, s, 1);
    arb_zero(sum);
    for (j = 2; j <= s->order; j++)
    {
        arb_addmul(sum, weight, s->excess_of + j, s->prec);
        next_weight(weight, s, ratio, j);
    }
    arb_clear(weight);
    arb_clear(ratio);
}

/*
 * The other direction: ((1-g)^(1-a) - 1 - (a-1) g)/u^2 (B_2 - 1) with u = 1 -
 * e^-L, the largest fall of the likelihood ratio, and g = gamma u.
 * Coq: RenyiSubsampling.poisson_backward_bound, SampledRenyi.poisson_removed.
 */
static void poisson_backward(arb_t sum, const sums *s)
{
    arb_t g, u, t;
    arb_init(g); arb_init(u); arb_init(t);
    arb_one(u);
    if (s->params->has_max_loss)
    {
        arb_add_ui(t, s->excess, 1, s->prec);
        arb_div(u, s->excess, t, s->prec);
    }
    arb_mul(g, s->gamma, u, s->prec);
    arb_neg(t, g);
    arb_log1p(t, t, s->prec);
    arb_mul_ui(t, t, s->order - 1, s->prec);
    arb_neg(t, t);
    arb_expm1(t, t, s->prec);
    arb_mul_ui(g, g, s->order - 1, s->prec);
    arb_sub(t, t, g, s->prec);
    arb_div(t, t, u, s->prec);
    arb_div(t, t, u, s->prec);
    arb_mul(sum, t, s->excess_of + 2, s->prec);
    arb_clear(g); arb_clear(u); arb_clear(t);
}

/*
 * Coq: RenyiSubsampling.wang19, RenyiSubsampling.dominated_base, RenyiSubsampling.excess_moment,
 * RenyiSubsampling.excess_ratio, SampledRenyi.wang19_subset, SampledRenyi.dominated_subset.
 */
static void fixed_size(arb_t sum, const sums *s)
{
    int dominated = (s->params->kind == SHUF_SUBSAMPLE_FIXED_SIZE_DOMINATED), known = s->params->has_max_loss;
    arb_t weight, power, factor, t, two;
    ulong j;
    arb_init(weight); arb_init(power); arb_init(factor); arb_init(t); arb_init(two);
    arb_set_ui(two, 2);
    first_weight(weight, s, 0);
    /* the term 2, without its weight */
    if (dominated)
    {
        arb_mul_ui(sum, s->excess_of + 2, 2, s->prec);
    }
    else
    {
        arb_set(factor, two);
        if (known)
        {
            arb_mul(t, s->excess, s->excess, s->prec);
            arb_min(factor, factor, t, s->prec);
        }
        arb_add_ui(t, s->excess_of + 2, 1, s->prec);
        arb_mul(factor, factor, t, s->prec);
        arb_mul_2exp_si(t, s->excess_of + 2, 2);
        arb_min(sum, t, factor, s->prec);
    }
    arb_mul(sum, sum, weight, s->prec);
    if (known)
        arb_pow_ui(power, s->excess, dominated ? 0 : 2, s->prec);
    for (j = 3; j <= s->order; j++)
    {
        next_weight(weight, s, s->gamma, j - 1);
        if (known)
            arb_mul(power, power, s->excess, s->prec);
        if (dominated)
        {
            arb_set(factor, s->excess_of + j);
            if (known)
            {
                arb_mul(t, power, s->excess_of + 2, s->prec);
                arb_min(factor, factor, t, s->prec);
            }
        }
        else
        {
            arb_set(factor, two);
            if (known)
                arb_min(factor, factor, power, s->prec);
            arb_add_ui(t, s->excess_of + j, 1, s->prec);
            arb_mul(factor, factor, t, s->prec);
        }
        arb_addmul(sum, weight, factor, s->prec);
    }
    arb_clear(weight); arb_clear(power); arb_clear(factor); arb_clear(t); arb_clear(two);
}

/* sum := min(sum, limit); sum may be indeterminate (infinite). */
static void keep_smaller(arb_t sum, const arb_t limit, slong prec)
{
    if (arb_is_finite(sum))
        arb_min(sum, sum, limit, prec);
    else
        arb_set(sum, limit);
}

/* sum := the excess S of exp((a-1) eps') = 1 + S, for 0 < gamma < 1; limit = gamma (B_a - 1) always holds. */
static shuf_status amplified(arb_t sum, const arb_t limit, sums *s, ulong *terms, const shuf_options *options)
{
    shuf_status status;
    arb_t other;
    s->excess_of = _arb_vec_init((slong) s->order + 1);
    arb_init(other);
    status = base_moments(s, terms, options);
    shuf_charge((double) s->order * 5 * (shuf_cost_mul(s->prec) + shuf_cost_word(s->prec)));
    if (status == SHUF_ACCURACY)
    {
        /* anything from nothing to the limit */
        arb_zero(other);
        arb_union(sum, other, limit, s->prec);
    }
    else if (status != SHUF_DOMAIN && s->params->kind == SHUF_SUBSAMPLE_POISSON)
    {
        poisson_forward(sum, s);
        keep_smaller(sum, limit, s->prec);
        poisson_backward(other, s);
        keep_smaller(other, limit, s->prec);
        arb_max(sum, sum, other, s->prec);
    }
    else if (status != SHUF_DOMAIN)
    {
        fixed_size(sum, s);
        keep_smaller(sum, limit, s->prec);
    }
    arb_clear(other);
    _arb_vec_clear(s->excess_of, (slong) s->order + 1);
    return status;
}

/* The order as an integer in [2, 2^63), or 0. */
static ulong integer_order(const shuf_real_t order)
{
    if (order->is_log || !fmpz_is_one(fmpq_denref(order->q)) || fmpz_cmp_ui(fmpq_numref(order->q), 2) < 0
        || fmpz_cmp_ui(fmpq_numref(order->q), SHUF_MAX_ORDER) > 0)
        return 0;
    return fmpz_get_ui(fmpq_numref(order->q));
}

/*
 * r := log(1 + gamma (e^k - 1)), k >= 0, increasing in k, by the two ends of k: e^k may be wide.
 * Coq: RenyiConvex.moment_sampled, SampledRenyi.convex_subset.
 */
static void convexity_bound(arb_t r, const arb_t k, const arb_t gamma, slong prec)
{
    arf_t end[2];
    arb_t value[2];
    int i;
    arf_init(end[0]);
    arf_init(end[1]);
    arb_get_interval_arf(end[0], end[1], k, prec);
    for (i = 0; i < 2; i++)
    {
        arb_init(value[i]);
        if (arf_sgn(end[i]) > 0)
            arb_set_arf(value[i], end[i]);
        arb_expm1(value[i], value[i], prec);
        arb_mul(value[i], value[i], gamma, prec);
        arb_log1p(value[i], value[i], prec);
    }
    arb_union(r, value[0], value[1], prec);
    for (i = 0; i < 2; i++)
    {
        arb_clear(value[i]);
        arf_clear(end[i]);
    }
}

static shuf_status evaluate(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                            const shuf_options *options)
{
    const shuf_subsample_struct *params = curve->data;
    double start = shuf_work(), until = shuf_limit(options);
    shuf_options o = *options;
    shuf_status status = SHUF_OK;
    ulong terms = 0;
    sums s;
    arb_t sum, limit, zero;

    s.params = params;
    s.order = integer_order(order);
    if (s.order == 0)
        return SHUF_DOMAIN;
    /* sums of differences of size gamma^2 and e^L - 1: cancelled bits are made up for */
    s.prec = 4 * options->digits + 192 + 4 * (slong) fmpz_bits(fmpq_denref(params->gamma));
    o.digits = options->digits + GUARD_DIGITS;
    arb_init(s.gamma); arb_init(s.excess); arb_init(sum); arb_init(limit); arb_init(zero);
    arb_set_fmpq(s.gamma, params->gamma, s.prec);
    if (params->has_max_loss)
    {
        shuf_real_get_arb(s.excess, params->max_loss, s.prec);
        arb_expm1(s.excess, s.excess, s.prec);
    }
    if (fmpq_sgn(params->gamma) > 0 && !(params->has_max_loss && shuf_real_sgn(params->max_loss) == 0))
    {
        shuf_share(&o, until, s.order <= SHUF_SUBSAMPLE_MAX_ORDER ? 0.5 : 1);
        status = base_moment(limit, &terms, params, s.order, s.prec, &o);
        if (status != SHUF_DOMAIN && !fmpq_is_one(params->gamma) && s.order <= SHUF_SUBSAMPLE_MAX_ORDER)
        {
            arb_expm1(limit, limit, s.prec);
            arb_mul(limit, limit, s.gamma, s.prec);
            arb_set(sum, limit);
            shuf_share(&o, until, 1);
            status = amplified(sum, limit, &s, &terms, &o);
            /* every moment of a curve is >= 1 */
            arb_max(sum, sum, zero, s.prec);
            arb_log1p(sum, sum, s.prec);
        }
        else if (status != SHUF_DOMAIN)
        {
            convexity_bound(sum, limit, s.gamma, s.prec);
        }
    }
    if (status != SHUF_DOMAIN)
    {
        arb_div_ui(sum, sum, s.order - 1, s.prec);
        shuf_enclosure_set_arb(r, sum, s.prec);
        if (arf_sgn(r->lo) < 0)
            arf_zero(r->lo);
        r->ledger.terms = terms;
        r->ledger.work = shuf_work() - start;
        status = r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    arb_clear(s.gamma); arb_clear(s.excess); arb_clear(sum); arb_clear(limit); arb_clear(zero);
    return status;
}

void shuf_subsample_curve(shuf_renyi_curve *curve, const shuf_subsample_struct *s)
{
    curve->evaluate = evaluate;
    curve->data = s;
    curve->integer_orders = 1;
}
