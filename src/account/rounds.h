/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * rounds (internal): one number of several rounds, each of which has a pair of
 * laws, or a law that is none (routes.h), and perhaps takes a random subset of
 * the users: delta, eps, Renyi divergence, type II error, Gaussian DP, by the
 * road that is asked for. Renyi divergences and what goes by them, the
 * optimal composition of (eps, delta) and delta = 0 over several rounds take pairs only.
 */
#ifndef SHUF_ACCOUNT_ROUNDS_H
#define SHUF_ACCOUNT_ROUNDS_H

#include "../fast/fast.h"
#include "../renyi/renyi.h"
#include "../subsample/profile.h"
#include "routes.h"

/* Rounds that are alike. */
typedef struct
{
    const round_route *route;
    const fmpq *rate; /* of the sample; 1: everyone */
} round_law;

/* What is to be computed, of which laws. */
typedef struct
{
    const shuf_question_struct *question;
    const round_law *laws;
    size_t count;
    /* What sampling does: a bound from above for whatever the pair dominates, or the exact law on all-equal data. */
    shuf_sampled_kind sampling;
} rounds_struct;

/* How a value was reached. */
typedef struct
{
    theorem_chain chain;       /* after those of the pairs */
    shuf_real_t order;         /* of a conversion */
    int has_order;
    shuf_real_t eps, delta;    /* of each round */
    int has_round;
    shuf_real_t witness;       /* of Gaussian DP */
    int has_witness;
    shuf_datasets where;       /* the data at this point, of one round that is a law from below */
    int has_where;
} rounds_road;

void rounds_road_init(rounds_road *road);
void rounds_road_clear(rounds_road *road);

/* Whether all of it is one round of one pair or law and everyone takes part; whether it has a law that is no pair. */
int rounds_is_one(const rounds_struct *x);
int rounds_has_law(const rounds_struct *x);

/*
 * r encloses the quantity that the question asks for, VIA_ANY being the most
 * accurate road. An infinite value is [+inf, +inf]; SHUF_DOMAIN when there is
 * no finite bound ([0, 1] or [lo, +inf]). Not for USERS, EPS0, SCALE.
 */
shuf_status rounds_value(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_options *options);

/* delta at eps, whatever the question asks for. */
shuf_status rounds_delta(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_real_t eps,
                         shuf_direction direction, const shuf_options *options);

/* eps at delta, likewise. */
shuf_status rounds_epsilon(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_real_t delta,
                           shuf_direction direction, const shuf_options *options);

/*
 * delta = 0: the largest losses of all rounds, added. r encloses the sum;
 * returns whether claimed >= sum is certain, exactly so where it can be
 * decided.
 */
int rounds_pure_epsilon(shuf_enclosure_t r, const rounds_struct *x, const shuf_real_t claimed);

/* Whether, and then how, mu-Gaussian DP holds on the question's range. */
int rounds_gdp_check(shuf_enclosure_t delta, shuf_enclosure_t gaussian, rounds_road *road, const rounds_struct *x, const shuf_options *options);

/* Whether some round takes a part of the users; whether there is more than one round. */
int rounds_has_sampling(const rounds_struct *x);
int rounds_has_several(const rounds_struct *x);

/* Whether both directions have one profile. */
int rounds_is_symmetric(const rounds_struct *x);

/* r := nothing is known, SHUF_DOMAIN; the enclosure that the double-precision path proves. */
shuf_status rounds_unknown(shuf_enclosure_t r, int is_delta);
shuf_status rounds_from_fast(shuf_enclosure_t r, const struct shuf_bound *b, shuf_status status, slong digits);

/* The road begins anew. */
void rounds_road_forget(rounds_road *road);

/*
 * divergences.c: the divergence at the question's order; delta at eps or eps
 * at delta by conversion at the best order; the sum of the largest losses.
 */
shuf_status rounds_renyi(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, const shuf_options *options);
shuf_status rounds_converted(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, int want_epsilon, const shuf_real_t point,
                             const shuf_options *options);
shuf_status rounds_largest_loss(shuf_enclosure_t r, const rounds_struct *x, slong digits);

/* functions.c: the type II error at the question's type1, and the smallest mu on its range. */
shuf_status rounds_tradeoff(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_options *options);
shuf_status rounds_gdp(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_options *options);

/* strong.c: eps at delta, or delta at eps, of rounds of one pair by the optimal composition of (eps, delta)-DP. */
shuf_status strong_composition(shuf_enclosure_t r, rounds_road *road, const round_law *law, int want_epsilon, const shuf_real_t point,
                               const shuf_options *options);

/* one_round.c: one round on a sampled subset, both directions: eps(delta) at most, and delta(eps). Returns as the engines. */
shuf_status one_round_epsilon(shuf_enclosure_t r, const round_law *law, const shuf_real_t delta, const shuf_options *options);
shuf_status one_round_delta(shuf_enclosure_t r, const round_law *law, const shuf_real_t eps, const shuf_options *options);

/* The same of all-equal data (rate < 1, theorem subsample-replaced), exactly. */
shuf_status one_round_replaced_epsilon(shuf_enclosure_t r, const round_law *law, const shuf_real_t delta, shuf_direction direction,
                                       const shuf_options *options);
shuf_status one_round_replaced_delta(shuf_enclosure_t r, const round_law *law, const shuf_real_t eps, shuf_direction direction,
                                     const shuf_options *options);

#endif
