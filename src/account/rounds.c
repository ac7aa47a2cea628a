/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/rounds.h"

#include <string.h>

#include "fast/fast.h"
#include "hockey/hockey.h"
#include "shuffle/gaussian.h"

void rounds_road_init(rounds_road *road)
{
    memset(road, 0, sizeof(*road));
    shuf_real_init(road->order);
    shuf_real_init(road->eps);
    shuf_real_init(road->delta);
    shuf_real_init(road->witness);
}

void rounds_road_clear(rounds_road *road)
{
    shuf_real_clear(road->order);
    shuf_real_clear(road->eps);
    shuf_real_clear(road->delta);
    shuf_real_clear(road->witness);
}

void rounds_road_forget(rounds_road *road)
{
    road->chain.count = 0;
    road->has_order = road->has_round = road->has_witness = road->has_where = 0;
}

int rounds_is_one(const rounds_struct *x)
{
    return x->count == 1 && x->laws[0].route->rounds == 1 && fmpq_is_one(x->laws[0].rate) && !route_is_product(x->laws[0].route);
}

int rounds_has_law(const rounds_struct *x)
{
    size_t i;
    for (i = 0; i < x->count; i++)
        if (x->laws[i].route->is_law)
            return 1;
    return 0;
}

int rounds_has_sampling(const rounds_struct *x)
{
    size_t i;
    for (i = 0; i < x->count; i++)
        if (!fmpq_is_one(x->laws[i].rate))
            return 1;
    return 0;
}

int rounds_has_several(const rounds_struct *x)
{
    return x->count > 1 || x->laws[0].route->rounds > 1;
}

/* Whether both directions have one profile: bounds of sampled mechanisms do, products of symmetric pairs do. */
int rounds_is_symmetric(const rounds_struct *x)
{
    size_t i;
    for (i = 0; i < x->count; i++)
        if (!route_is_symmetric(x->laws[i].route) && (fmpq_is_one(x->laws[i].rate) || x->sampling != SHUF_SAMPLED_FIXED_SIZE))
            return 0;
    return 1;
}

/* Nothing is known: [0, 1] of a delta, else [0, +inf]. */
shuf_status rounds_unknown(shuf_enclosure_t r, int is_delta)
{
    shuf_enclosure_zero(r);
    if (is_delta)
        arf_one(r->hi);
    else
        arf_pos_inf(r->hi);
    return r->status = SHUF_DOMAIN;
}

/* ---- one round ---- */

/* What an enclosure of the double-precision path proves. */
shuf_status rounds_from_fast(shuf_enclosure_t r, const struct shuf_bound *b, shuf_status status, slong digits)
{
    if (status == SHUF_DOMAIN)
        return status;
    shuf_enclosure_zero(r);
    arf_set_d(r->lo, b->lo);
    arf_set_d(r->hi, b->hi);
    mag_set_d(r->ledger.truncation, b->truncation);
    mag_set_d(r->ledger.rounding, b->rounding);
    r->ledger.terms = b->terms;
    r->ledger.precision = 53;
    return r->status = shuf_enclosure_accurate(r, digits) ? SHUF_OK : SHUF_ACCURACY;
}

/* An eps without a finite upper end still has data that exceed delta below its lower one. */
static shuf_status at_point(rounds_road *road, const shuf_enclosure_t r, shuf_status status)
{
    road->has_where = status != SHUF_DOMAIN || arf_sgn(r->lo) > 0;
    return status;
}

static shuf_status whole_delta(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, const shuf_real_t eps,
                               shuf_direction direction, const shuf_options *options)
{
    const shuf_pair_struct *pair = x->laws[0].route->pair;
    const shuf_shuffled_law_struct *law = x->laws[0].route->law;
    struct shuf_bound b;
    if (x->laws[0].route->is_law)
        return at_point(road, r, law->delta(r, &road->where, law, eps, direction, options));
    if (shuf_pair_has_engine(pair, SHUF_ENGINE_GAUSSIAN))
        return shuf_gaussian_delta(r, pair->n, pair->sigma, eps, direction, options);
    if (!x->question->fast)
        return shuf_hockey_delta(r, pair, eps, direction, options);
    return rounds_from_fast(r, &b, shuf_fast_delta(&b, pair, eps, direction), options->digits);
}

static shuf_status whole_epsilon(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, const shuf_real_t delta,
                                 shuf_direction direction, const shuf_options *options)
{
    const shuf_pair_struct *pair = x->laws[0].route->pair;
    const shuf_shuffled_law_struct *law = x->laws[0].route->law;
    struct shuf_bound b;
    if (x->laws[0].route->is_law)
        return at_point(road, r, law->epsilon(r, &road->where, law, delta, direction, options));
    if (shuf_pair_has_engine(pair, SHUF_ENGINE_GAUSSIAN))
        return shuf_gaussian_epsilon(r, pair->n, pair->sigma, delta, direction, options);
    if (!x->question->fast)
        return shuf_hockey_epsilon(r, pair, delta, direction, options);
    return rounds_from_fast(r, &b, shuf_fast_epsilon(&b, pair, delta, direction), options->digits);
}

/* ---- laws of the privacy loss ---- */

typedef struct
{
    shuf_profile base, round;
    shuf_sampled_t sample;
} round_profile;

static void profile_init(round_profile *p, const round_law *law, shuf_sampled_kind kind)
{
    route_profile(&p->base, law->route);
    p->round = p->base;
    shuf_sampled_init(p->sample);
    if (!fmpq_is_one(law->rate))
    {
        shuf_sampled_set(p->sample, kind, &p->base, law->rate);
        shuf_profile_sampled(&p->round, p->sample);
    }
}

/*
 * Rounds of the clones pairs on the same users are in Coq: ShuffleRounds.stronger_rounds, ShuffleRounds.stronger_power,
 * ShuffleRounds.clones_power, and of their samples of fixed size. Coq: SampledShuffle.sampled_clones_rounds. Parts with users of their own
 * and other pairs rest on proofs/pld.md, Lemma 1.
 */
static shuf_status composed(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, int want_epsilon, const shuf_real_t point,
                            shuf_direction direction, const shuf_options *options)
{
    round_profile *profiles = flint_malloc(x->count * sizeof(*profiles));
    shuf_pld_part *parts = flint_malloc(2 * x->count * sizeof(*parts));
    shuf_status status;
    size_t i, count = 0;
    for (i = 0; i < x->count; i++)
    {
        profile_init(&profiles[i], &x->laws[i], x->sampling);
        parts[count].profile = &profiles[i].round;
        parts[count++].rounds = x->laws[i].route->rounds;
        if (!route_is_product(x->laws[i].route))
            continue;
        parts[count].profile = &x->laws[i].route->law->second;
        parts[count++].rounds = x->laws[i].route->rounds;
    }
    status = want_epsilon ? shuf_pld_epsilon(r, parts, count, point, direction, options)
                          : shuf_pld_delta(r, parts, count, point, direction, options);
    for (i = 0; i < x->count; i++)
        shuf_sampled_clear(profiles[i].sample);
    flint_free(profiles);
    flint_free(parts);
    if (rounds_has_sampling(x))
        chain_add(&road->chain, x->sampling == SHUF_SAMPLED_FIXED_SIZE ? "subsample-profile" : "subsample-replaced");
    chain_add(&road->chain, "pld-composition");
    return status;
}

/* ---- delta and eps ---- */

static shuf_status point_value(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, int want_epsilon,
                               const shuf_real_t point, shuf_direction direction, const shuf_options *options)
{
    const round_route *first = x->laws[0].route;
    int one = x->count == 1 && first->rounds == 1;
    rounds_road_forget(road);
    switch (via)
    {
    case SHUF_VIA_RENYI:
        return rounds_converted(r, road, x, want_epsilon, point, options);
    case SHUF_VIA_STRONG_COMPOSITION:
        if (x->count > 1)
            return rounds_unknown(r, !want_epsilon);
        if (rounds_has_sampling(x))
            chain_add(&road->chain, "subsample-profile");
        chain_add(&road->chain, "kairouz15-optimal");
        return strong_composition(r, road, &x->laws[0], want_epsilon, point, options);
    case SHUF_VIA_ANY:
        if (rounds_is_one(x) && !(first->is_law && first->law->delta == NULL))
            return want_epsilon ? whole_epsilon(r, road, x, point, direction, options) : whole_delta(r, road, x, point, direction, options);
        if (one && !first->is_law && x->sampling == SHUF_SAMPLED_FIXED_SIZE)
        {
            chain_add(&road->chain, "subsample-profile");
            return want_epsilon ? one_round_epsilon(r, &x->laws[0], point, options) : one_round_delta(r, &x->laws[0], point, options);
        }
        if (one && !first->is_law && shuf_pair_has_engine(first->pair, SHUF_ENGINE_HOCKEY)
            && (!want_epsilon || shuf_real_sgn(point) > 0))
        {
            chain_add(&road->chain, "subsample-replaced");
            return want_epsilon ? one_round_replaced_epsilon(r, &x->laws[0], point, direction, options)
                                : one_round_replaced_delta(r, &x->laws[0], point, direction, options);
        }
        break;
    case SHUF_VIA_PLD:
        break;
    }
    return composed(r, road, x, want_epsilon, point, direction, options);
}

shuf_status rounds_delta(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_real_t eps,
                         shuf_direction direction, const shuf_options *options)
{
    return point_value(r, road, x, via, 0, eps, direction, options);
}

/* Logarithms of powers beyond this many bits are compared in balls. */
#define MAX_POWER_BITS (UINT64_C(1) << 20)

/* Whether claimed >= count loss, certainly: exactly for rationals, and for logarithms of powers that can be written out. */
static int covers_pure(const shuf_real_t claimed, const shuf_real_t loss, uint64_t count)
{
    shuf_real_t total;
    fmpq_t q;
    fmpz_t times;
    int result = 0;
    shuf_real_init(total);
    fmpq_init(q);
    fmpz_init_set_ui(times, count);
    if (!loss->is_log)
    {
        fmpq_mul_fmpz(q, loss->q, times);
        shuf_real_set_fmpq(total, q);
        result = shuf_real_cmp(claimed, total) >= 0;
    }
    else if (fmpq_height_bits(loss->q) <= MAX_POWER_BITS / count)
    {
        fmpq_pow_si(q, loss->q, (slong) count);
        shuf_real_set_log_fmpq(total, q);
        result = shuf_real_cmp(claimed, total) >= 0;
    }
    shuf_real_clear(total);
    fmpq_clear(q);
    fmpz_clear(times);
    return result;
}

int rounds_pure_epsilon(shuf_enclosure_t r, const rounds_struct *x, const shuf_real_t claimed)
{
    shuf_real_t loss, lo, hi;
    int covered;
    rounds_largest_loss(r, x, 32);
    if (arf_is_pos_inf(r->lo))
        return 0;
    covered = shuf_real_cmp_arf(claimed, r->hi) >= 0;
    if (!covered && x->count == 1)
    {
        shuf_real_init(loss);
        shuf_real_init(lo);
        shuf_real_init(hi);
        route_max_loss(loss, x->laws[0].route);
        shuf_sampled_loss(lo, hi, loss, x->laws[0].rate);
        covered = covers_pure(claimed, hi, x->laws[0].route->rounds);
        shuf_real_clear(loss);
        shuf_real_clear(lo);
        shuf_real_clear(hi);
    }
    return covered;
}

/* delta = 0, where more than one round is in it: hockey has its own way. */
static shuf_status pure_value(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, const shuf_options *options)
{
    rounds_road_forget(road);
    if (rounds_has_sampling(x))
        chain_add(&road->chain, x->sampling == SHUF_SAMPLED_FIXED_SIZE ? "subsample-profile" : "subsample-replaced");
    if (rounds_has_several(x))
        chain_add(&road->chain, "pld-composition");
    if (rounds_largest_loss(r, x, options->digits) == SHUF_OK && arf_is_pos_inf(r->lo))
        r->status = SHUF_DOMAIN;
    return r->status;
}

shuf_status rounds_epsilon(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_real_t delta,
                           shuf_direction direction, const shuf_options *options)
{
    if (shuf_real_sgn(delta) == 0 && !rounds_is_one(x))
        return pure_value(r, road, x, options);
    return point_value(r, road, x, via, 1, delta, direction, options);
}

/* ---- everything ---- */

shuf_status rounds_value(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_options *options)
{
    const shuf_question_struct *q = x->question;
    rounds_road_forget(road);
    switch (q->quantity)
    {
    case SHUF_QUANTITY_DELTA:
        return point_value(r, road, x, via, 0, q->eps, q->direction, options);
    case SHUF_QUANTITY_EPSILON:
        return rounds_epsilon(r, road, x, via, q->delta, q->direction, options);
    case SHUF_QUANTITY_RENYI:
        return rounds_renyi(r, road, x, options);
    case SHUF_QUANTITY_TRADEOFF:
        return rounds_tradeoff(r, road, x, via, options);
    case SHUF_QUANTITY_GDP:
        return rounds_gdp(r, road, x, via, options);
    case SHUF_QUANTITY_USERS:
    case SHUF_QUANTITY_EPS0:
    case SHUF_QUANTITY_SCALE:
    case SHUF_QUANTITY_NOISE_MULTIPLIER:
    case SHUF_QUANTITY_EPOCHS:
    case SHUF_QUANTITIES:
        break;
    }
    return SHUF_DOMAIN;
}
