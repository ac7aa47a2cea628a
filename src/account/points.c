/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* delta and eps of rounds, by the road that is asked for. */
#include "account/rounds.h"

/* What sampling does to the profile of a pair. */
static void add_sampling(rounds_road *road, const rounds_struct *x)
{
    const shuf_sampled_struct *sample = rounds_sample(x);
    if (sample != NULL)
        chain_add(&road->chain, sample->kind == SHUF_SAMPLED_FIXED_SIZE ? "subsample-profile" : "subsample-replaced");
}

/*
 * Rounds of the clones pairs on the same users are in Coq: ShuffleRounds.stronger_rounds, ShuffleRounds.stronger_power,
 * ShuffleRounds.clones_power, and of their samples of fixed size. Coq: SampledShuffle.sampled_clones_rounds. Parts with users of their own
 * and other pairs rest on proofs/pld.md, Lemma 1.
 */
static shuf_status composed(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, int want_epsilon, const shuf_real_t point,
                            shuf_direction direction, const shuf_options *options)
{
    shuf_pld_part *parts = flint_malloc(2 * x->count * sizeof(*parts));
    shuf_status status;
    size_t i, count = 0;
    for (i = 0; i < x->count; i++)
    {
        const round_route *route = x->routes[i];
        parts[count++] = (shuf_pld_part) { route->law, route->rounds };
        if (route->law->second != NULL)
            parts[count++] = (shuf_pld_part) { route->law->second, route->rounds };
    }
    status = want_epsilon ? shuf_pld_epsilon(r, parts, count, point, direction, options)
                          : shuf_pld_delta_kept(r, road->kept, parts, count, point, direction, options);
    flint_free(parts);
    add_sampling(road, x);
    chain_add(&road->chain, "pld-composition");
    return status;
}

/* ---- delta and eps ---- */

/* One round by its law alone. An eps without a finite upper end still has data that exceed delta below its lower one. */
static shuf_status at_point(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, int want_epsilon, const shuf_real_t point,
                            shuf_direction direction, const shuf_options *options)
{
    const shuf_law_struct *law = x->routes[0]->law;
    shuf_status status;
    add_sampling(road, x);
    status = (want_epsilon ? law->epsilon : law->delta)(r, &road->where, law, point, direction, options);
    road->has_where = x->question->parts[0].subject != SHUF_SUBJECT_NOISE && !shuf_law_is_of_pair(law) && (status != SHUF_DOMAIN || arf_sgn(r->lo) > 0);
    return status;
}

static shuf_status point_value(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, int want_epsilon,
                               const shuf_real_t point, shuf_direction direction, const shuf_options *options)
{
    const round_route *first = x->routes[0];
    rounds_road_forget(road);
    if (via == SHUF_VIA_RENYI)
        return rounds_converted(r, road, x, want_epsilon, point, options);
    if (via == SHUF_VIA_STRONG_COMPOSITION)
    {
        if (x->count > 1 || first->law->delta == NULL)
            return shuf_enclosure_unknown(r, !want_epsilon);
        add_sampling(road, x);
        chain_add(&road->chain, "kairouz15-optimal");
        return strong_composition(r, road, first, want_epsilon, point, options);
    }
    if (via == SHUF_VIA_ANY && x->count == 1 && route_has_point(first))
        return at_point(r, road, x, want_epsilon, point, direction, options);
    return composed(r, road, x, want_epsilon, point, direction, options);
}

shuf_status rounds_delta(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_real_t eps,
                         shuf_direction direction, const shuf_options *options)
{
    return point_value(r, road, x, via, 0, eps, direction, options);
}

/* Logarithms of powers beyond this many bits are compared in balls. Steers only. */
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
    shuf_real_clear(total); fmpq_clear(q); fmpz_clear(times);
    return result;
}

int rounds_pure_epsilon(shuf_enclosure_t r, const rounds_struct *x, const shuf_real_t claimed)
{
    shuf_real_t loss;
    int covered;
    rounds_largest_loss(r, x, 32);
    if (arf_is_pos_inf(r->lo))
        return 0;
    covered = shuf_real_cmp_arf(claimed, r->hi) >= 0;
    if (!covered && x->count == 1)
    {
        shuf_real_init(loss);
        shuf_law_max_loss(loss, x->routes[0]->law);
        covered = covers_pure(claimed, loss, x->routes[0]->rounds);
        shuf_real_clear(loss);
    }
    return covered;
}

/* delta = 0, where more than one round is in it: hockey has its own way. */
static shuf_status pure_value(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, const shuf_options *options)
{
    rounds_road_forget(road);
    add_sampling(road, x);
    if (rounds_has_several(x))
        chain_add(&road->chain, "pld-composition");
    if (rounds_largest_loss(r, x, options->digits) == SHUF_OK && arf_is_pos_inf(r->lo))
        r->status = SHUF_DOMAIN;
    return r->status;
}

/* r := what so many rounds on the same data have, of one of which it is the largest loss from below (proofs/described-rounds.md, Lemma 4). */
static void add_up(shuf_enclosure_t r, rounds_road *road, uint64_t rounds)
{
    arf_mul_ui(r->lo, r->lo, rounds, 2 * MAG_BITS + 64, ARF_RND_DOWN);
    arf_mul_ui(r->hi, r->hi, rounds, 2 * MAG_BITS + 64, ARF_RND_UP);
    if (arf_is_finite(r->hi))
        shuf_enclosure_width(r->ledger.discretisation, r);
    chain_add(&road->chain, "pld-composition");
}

shuf_status rounds_epsilon(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_real_t delta,
                           shuf_direction direction, const shuf_options *options)
{
    shuf_status status;
    if (shuf_real_sgn(delta) == 0 && !rounds_is_one(x))
        return pure_value(r, road, x, options);
    status = point_value(r, road, x, via, 1, delta, direction, options);
    if (shuf_real_sgn(delta) == 0 && x->routes[0]->one_of > 1)
        add_up(r, road, x->routes[0]->one_of);
    return status;
}
