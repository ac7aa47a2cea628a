/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "claim/bounds.h"

#include <string.h>

/* ---- pairs ---- */

static shuf_pair_struct *add(pair_list *list, const char *theorem)
{
    list->theorem[list->count] = theorem;
    list->rounds[list->count] = list->next_rounds;
    shuf_pair_init(list->pair[list->count]);
    return list->pair[list->count++];
}

static void add_eps0(pair_list *list, const char *theorem, shuf_pair_kind kind, uint64_t n, const shuf_real_t eps0)
{
    /* eps0 may exceed what a pair allows (doubled for RAPPOR): then no bound */
    if (shuf_real_cmp_si(eps0, SHUF_MAX_EPSILON) <= 0)
        shuf_pair_set_eps0(add(list, theorem), kind, n, eps0);
}

static void add_krr(pair_list *list, shuf_pair_kind kind, uint64_t n, uint64_t k, const shuf_real_t eps0)
{
    const char *theorem = kind == SHUF_PAIR_KRR_SAME ? "krr-same" : "krr-third";
    if (shuf_real_cmp_si(eps0, SHUF_MAX_EPSILON) <= 0)
        shuf_pair_set_krr(add(list, theorem), kind, n, k, eps0);
}

/* Coq: Stronger.stronger_dominates, Stronger.clones_dominates, KrrShuffle.krr_weak_bound. */
void pair_list_upper(pair_list *list, const shuf_mechanism_t m)
{
    shuf_real_t doubled;
    list->count = 0;
    list->next_rounds = m->rounds;
    switch (m->kind)
    {
    case SHUF_MECHANISM_LDP:
    case SHUF_MECHANISM_RR2:
    case SHUF_MECHANISM_KRR:
    case SHUF_MECHANISM_RANDOMISER:
        if (!m->eps0_is_infinite)
        {
            add_eps0(list, "clones-stronger", SHUF_PAIR_CLONES_STRONGER, m->sampled, m->eps0);
            add_eps0(list, "clones", SHUF_PAIR_CLONES, m->sampled, m->eps0);
        }
        /* k-RR with more noise is a post-processing of k-RR with less: a gamma rounded down is safe */
        if (m->kind == SHUF_MECHANISM_RR2 || m->kind == SHUF_MECHANISM_KRR)
            shuf_pair_set_krr_blanket(add(list, "krr-weak"), SHUF_PAIR_KRR_WEAK, m->sampled, m->k, m->gamma);
        break;
    case SHUF_MECHANISM_RAPPOR:
    case SHUF_MECHANISM_RAPPOR_SUM:
        if (m->kind == SHUF_MECHANISM_RAPPOR_SUM)
        {
            /* two bits of the sum, each a shuffle of binary responses */
            list->next_rounds = 2 * m->rounds;
            add_eps0(list, "rappor-sum", SHUF_PAIR_CLONES_STRONGER, m->n, m->eps0);
            list->next_rounds = m->rounds;
        }
        shuf_real_init(doubled);
        shuf_real_twice(doubled, m->eps0);
        add_eps0(list, "rappor-local", SHUF_PAIR_CLONES_STRONGER, m->sampled, doubled);
        shuf_real_clear(doubled);
        break;
    }
}

/* Coq: KrrShuffle.krr_same_exact, KrrShuffle.krr_third_below, KrrShuffle.rr2_exact. */
void pair_list_lower(pair_list *list, const shuf_mechanism_t m, shuf_claim_kind kind)
{
    int sampled = m->sampled < m->n;
    list->count = 0;
    list->next_rounds = m->rounds;
    if (sampled && kind == SHUF_CLAIM_RENYI)
        return;
    switch (m->kind)
    {
    case SHUF_MECHANISM_LDP:
        if (!sampled)
            add_krr(list, SHUF_PAIR_KRR_THIRD, m->n, 3, m->eps0);
        add_eps0(list, "rr2", SHUF_PAIR_RR2, m->sampled, m->eps0);
        break;
    case SHUF_MECHANISM_RR2:
    case SHUF_MECHANISM_KRR:
        if (m->eps0_is_infinite)
            break;
        add_krr(list, SHUF_PAIR_KRR_SAME, m->sampled, m->k, m->eps0);
        if (m->k >= 3 && !sampled)
            add_krr(list, SHUF_PAIR_KRR_THIRD, m->n, m->k, m->eps0);
        break;
    case SHUF_MECHANISM_RAPPOR:
    case SHUF_MECHANISM_RAPPOR_SUM:
        add_eps0(list, "rappor-bit", SHUF_PAIR_RR2, m->sampled, m->eps0);
        break;
    case SHUF_MECHANISM_RANDOMISER:
        break;
    }
}

/* Coq: KrrBelow.krr_weak_below_stronger. */
size_t pair_list_smallest(const pair_list *list)
{
    size_t last = list->count - 1;
    /* its gamma is 0 when it is too small to be written out */
    return list->pair[last]->kind == SHUF_PAIR_KRR_WEAK && !fmpq_is_zero(list->pair[last]->gamma) ? last : 0;
}

void pair_list_clear(pair_list *list)
{
    size_t i;
    for (i = 0; i < list->count; i++)
        shuf_pair_clear(list->pair[i]);
    list->count = 0;
}

/* ---- curves ---- */

/*
 * The subsampled curve; the base, which is never below it, where its sums leave the range of numbers.
 * Coq: RenyiConvex.moment_sampled_le.
 */
static shuf_status evaluate_sampled(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                                    const shuf_options *options)
{
    const mechanism_curve_struct *c = curve->data;
    shuf_status status = c->sampled.evaluate(r, &c->sampled, order, options);
    if (status != SHUF_DOMAIN && (!arf_is_finite(r->lo) || !arf_is_finite(r->hi)))
        status = c->base.evaluate(r, &c->base, order, options);
    return status;
}

/*
 * Coq: ShuffleRenyi.stronger_moment, ShuffleRenyi.clones_moment, ShuffleRenyi.stronger_renyi_rounds,
 * ConvexOrder.dominates_moment.
 */
void mechanism_curve_init(mechanism_curve_t c, const shuf_pair_t pair, uint64_t rounds, const shuf_mechanism_t m)
{
    shuf_real_t loss;
    shuf_pair_init(c->pair);
    shuf_pair_set(c->pair, pair);
    shuf_subsample_init(c->sample);
    shuf_renyi_curve_pair(&c->base, c->pair);
    c->round = c->base;
    if (m->sampled < m->n)
    {
        int finite;
        shuf_real_init(loss);
        finite = shuf_pair_max_loss(loss, pair);
        shuf_subsample_set(c->sample, SHUF_SUBSAMPLE_FIXED_SIZE_DOMINATED, &c->base, SHUF_REPLACE_ONE, m->rate,
                           finite ? loss : NULL);
        shuf_subsample_curve(&c->sampled, c->sample);
        c->round.evaluate = evaluate_sampled;
        c->round.data = c;
        c->round.integer_orders = c->sampled.integer_orders;
        shuf_real_clear(loss);
    }
    c->sum.parts = &c->round;
    c->rounds = rounds;
    c->sum.count = &c->rounds;
    c->sum.length = 1;
    shuf_renyi_curve_sum(&c->curve, &c->sum);
}

void mechanism_curve_clear(mechanism_curve_t c)
{
    shuf_subsample_clear(c->sample);
    shuf_pair_clear(c->pair);
}

/* next := the smallest integer certainly at least the order, 2 or more. */
static void round_up(shuf_real_t next, const shuf_real_t order)
{
    arb_t t;
    arf_t x;
    arb_init(t);
    arf_init(x);
    shuf_real_get_arb(t, order, 256);
    arb_get_ubound_arf(x, t, 256);
    arf_ceil(x, x);
    if (arf_cmp_si(x, 2) < 0)
        arf_set_si(x, 2);
    shuf_real_set_arf(next, x);
    arb_clear(t);
    arf_clear(x);
}

/* Coq: Renyi.renyi_increasing. */
shuf_status mechanism_curve_evaluate(shuf_enclosure_t r, const mechanism_curve_t c, const shuf_real_t order,
                                     const shuf_options *options)
{
    shuf_real_t next;
    shuf_status status;
    shuf_real_init(next);
    shuf_real_set(next, order);
    if (c->curve.integer_orders)
        round_up(next, order);
    status = c->curve.evaluate(r, &c->curve, next, options);
    shuf_real_clear(next);
    return status;
}

/* ---- profiles ---- */

void mechanism_profile_init(mechanism_profile_t p, const shuf_pair_t pair, shuf_sampled_kind kind,
                            const shuf_mechanism_t m)
{
    shuf_pair_init(p->pair);
    shuf_pair_set(p->pair, pair);
    shuf_profile_pair(&p->base, p->pair);
    p->round = p->base;
    shuf_sampled_init(p->sample);
    if (m->sampled < m->n)
    {
        shuf_sampled_set(p->sample, kind, &p->base, m->rate);
        shuf_profile_sampled(&p->round, p->sample);
    }
}

void mechanism_profile_clear(mechanism_profile_t p)
{
    shuf_sampled_clear(p->sample);
    shuf_pair_clear(p->pair);
}

/* ---- compositions by Renyi divergences ---- */

/* All curves of one mechanism. */
typedef struct
{
    mechanism_curve_struct of[MAX_PAIRS];
    size_t count;
} curve_list;

struct shuf_composition_parts
{
    size_t count;
    curve_list *list;
    shuf_renyi_curve *best; /* the smallest of each list */
    uint64_t *once;         /* 1, 1, ..: the rounds are in the curves */
    shuf_renyi_sum sum;
};

/* The curve with the smallest upper end. */
static shuf_status evaluate_best(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                                 const shuf_options *options)
{
    const curve_list *list = curve->data;
    shuf_options o = *options;
    shuf_enclosure_t next;
    size_t i;
    int found = 0;
    shuf_enclosure_init(next);
    o.max_seconds = options->max_seconds / (double) FLINT_MAX(list->count, 1);
    for (i = 0; i < list->count; i++)
    {
        const shuf_renyi_curve *one = &list->of[i].curve;
        if (one->evaluate(next, one, order, &o) == SHUF_DOMAIN)
            continue;
        if (!found || arf_cmp(next->hi, r->hi) < 0)
            shuf_enclosure_set(r, next);
        found = 1;
    }
    shuf_enclosure_clear(next);
    return found ? r->status : SHUF_DOMAIN;
}

/* Coq: Stronger.stronger_below_clones. */
struct shuf_composition_parts *composition_parts_new(const shuf_mechanism_struct *mechanisms, size_t count)
{
    struct shuf_composition_parts *parts = flint_malloc(sizeof(*parts));
    size_t i, j;
    parts->count = count;
    parts->list = flint_malloc(count * sizeof(curve_list));
    parts->best = flint_malloc(count * sizeof(shuf_renyi_curve));
    parts->once = flint_malloc(count * sizeof(uint64_t));
    for (i = 0; i < count; i++)
    {
        curve_list *list = &parts->list[i];
        pair_list pairs;
        pair_list_upper(&pairs, &mechanisms[i]);
        list->count = 0;
        for (j = 0; j < pairs.count; j++)
            if (pairs.pair[j]->kind != SHUF_PAIR_CLONES) /* never below clones-stronger */
                mechanism_curve_init(&list->of[list->count++], pairs.pair[j], pairs.rounds[j], &mechanisms[i]);
        pair_list_clear(&pairs);
        parts->once[i] = 1;
        parts->best[i].evaluate = evaluate_best;
        parts->best[i].data = list;
        parts->best[i].integer_orders = mechanisms[i].sampled < mechanisms[i].n;
    }
    parts->sum.parts = parts->best;
    parts->sum.count = parts->once;
    parts->sum.length = count;
    return parts;
}

void composition_parts_clear(struct shuf_composition_parts *parts)
{
    size_t i, j;
    if (parts == NULL)
        return;
    for (i = 0; i < parts->count; i++)
        for (j = 0; j < parts->list[i].count; j++)
            mechanism_curve_clear(&parts->list[i].of[j]);
    flint_free(parts->list);
    flint_free(parts->best);
    flint_free(parts->once);
    flint_free(parts);
}

void shuf_composition_curve(shuf_renyi_curve *curve, const shuf_composition_t c)
{
    shuf_renyi_curve_sum(curve, &c->parts->sum);
}

/* ---- compositions by privacy profiles ---- */

typedef shuf_status (*pld_function)(shuf_enclosure_t, const shuf_pld_part *, size_t, const shuf_real_t, shuf_direction,
                                    const shuf_pld_options *);

/* Coq: ShuffleRounds.stronger_rounds, ShuffleRounds.stronger_power, ShuffleRounds.clones_power. */
static shuf_status bound_composition(shuf_enclosure_t r, pld_function f, const shuf_composition_t c, const shuf_real_t x,
                                     const shuf_pld_options *options)
{
    mechanism_profile_struct *profiles = flint_malloc(c->count * sizeof(*profiles));
    shuf_pld_part *parts = flint_malloc(c->count * sizeof(*parts));
    shuf_status status = SHUF_DOMAIN;
    size_t i, count;
    int found = 1;
    for (count = 0; count < c->count && found; count += (size_t) found)
    {
        const shuf_mechanism_struct *m = &c->mechanisms[count];
        pair_list pairs;
        pair_list_upper(&pairs, m);
        found = pairs.count > 0;
        if (found)
        {
            size_t smallest = pair_list_smallest(&pairs);
            mechanism_profile_init(&profiles[count], pairs.pair[smallest], SHUF_SAMPLED_FIXED_SIZE, m);
            parts[count].profile = &profiles[count].round;
            parts[count].rounds = pairs.rounds[smallest];
        }
        pair_list_clear(&pairs);
    }
    if (found)
    {
        status = f(r, parts, count, x, SHUF_DIRECTION_BOTH, options);
    }
    else
    {
        shuf_enclosure_zero(r);
        if (f == shuf_pld_delta)
            arf_one(r->hi);
        else
            arf_pos_inf(r->hi);
        r->status = status;
    }
    for (i = 0; i < count; i++)
        mechanism_profile_clear(&profiles[i]);
    flint_free(profiles);
    flint_free(parts);
    return status;
}

/* Coq: ShuffleRounds.stronger_power. */
shuf_status shuf_composition_delta(shuf_enclosure_t r, const shuf_composition_t c, const shuf_real_t eps,
                                   const shuf_pld_options *options)
{
    return bound_composition(r, shuf_pld_delta, c, eps, options);
}

shuf_status shuf_composition_epsilon(shuf_enclosure_t r, const shuf_composition_t c, const shuf_real_t delta,
                                     const shuf_pld_options *options)
{
    return bound_composition(r, shuf_pld_epsilon, c, delta, options);
}
