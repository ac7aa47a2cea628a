/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * rounds (internal): one number of several rounds, each of which has a law: delta, eps, Renyi divergence, type II error,
 * Gaussian DP, by the road that is asked for. Renyi divergences and what goes by them, the optimal composition of (eps, delta)
 * and delta = 0 over several rounds take laws of pairs, or of samples of them, only.
 */
#ifndef SHUF_ACCOUNT_ROUNDS_H
#define SHUF_ACCOUNT_ROUNDS_H

#include "routes.h"

/* What is to be computed, of which laws. */
typedef struct
{
    const shuf_question_struct *question;
    const round_route *const *routes;
    size_t count;
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
    shuf_pld_kept_struct *kept; /* unless NULL: of the rounds at many eps */
} rounds_road;

void rounds_road_init(rounds_road *road);
void rounds_road_clear(rounds_road *road);

/* Whether all of it is one round, no sample, of one law that is no product; whether it has a law that is not of a pair. */
int rounds_is_one(const rounds_struct *x);
int rounds_has_law(const rounds_struct *x);

/* Whether one of its laws is known at nodes only. */
int rounds_has_nodes(const rounds_struct *x);

/* The first sample of a pair, or NULL: all are of one kind. Whether there is more than one round. */
const shuf_sampled_struct *rounds_sample(const rounds_struct *x);
int rounds_has_several(const rounds_struct *x);

/* Whether both directions of every law have one profile. */
int rounds_is_symmetric(const rounds_struct *x);

/* The road begins anew. */
void rounds_road_forget(rounds_road *road);

/*
 * divergences.c: the divergence at the question's order, or at a finite one; delta at eps or eps
 * at delta by conversion at the best order; the sum of the largest losses.
 */
shuf_status rounds_renyi(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, const shuf_options *options);
shuf_status rounds_divergence(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, const shuf_real_t order, const shuf_options *options);
shuf_status rounds_converted(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, int want_epsilon, const shuf_real_t point,
                             const shuf_options *options);
int rounds_has_infinite_loss(const rounds_struct *x);
int rounds_add_largest_loss(arb_t total, const round_route *route, slong prec); /* of all rounds of the route; returns 0 if it is infinite */
shuf_status rounds_largest_loss(shuf_enclosure_t r, const rounds_struct *x, slong digits);

/* zcdp.c: total += mu^2 of every round, mu-Gaussian DP being what it has at every eps; returns 0 if no such mu is known of one. Leaves a witness. */
int rounds_add_squares(arb_t total, rounds_road *road, const rounds_struct *x, const shuf_options *options);

/* The smallest rho such that the divergence of every order a > 1 is at most rho a. */
shuf_status rounds_zcdp(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, const shuf_options *options);

/* strong.c: eps at delta, or delta at eps, of rounds of one law by the optimal composition of (eps, delta)-DP. */
shuf_status strong_composition(shuf_enclosure_t r, rounds_road *road, const round_route *route, int want_epsilon, const shuf_real_t point,
                               const shuf_options *options);

/* points.c: delta at eps, whatever the question asks for. */
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

/* functions.c: sum := the moments of all rounds; returns whether every law has one. */
int rounds_moment(fmpq_t sum, const rounds_struct *x);

/* functions.c: whether all of it is the Gaussian mechanism; square := its mu^2, which is the smallest on any range. */
int rounds_are_gaussian(fmpq_t square, const rounds_struct *x);

/* functions.c: whether, and then how, mu-Gaussian DP holds on the question's range. */
int rounds_gdp_check(shuf_enclosure_t delta, shuf_enclosure_t gaussian, rounds_road *road, const rounds_struct *x, const shuf_options *options);

/*
 * r encloses the quantity that the question asks for, VIA_ANY being the most
 * accurate road. An infinite value is [+inf, +inf]; SHUF_DOMAIN when there is
 * no finite bound ([0, 1] or [lo, +inf]). Not for USERS, EPS0, SCALE.
 */
shuf_status rounds_value(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_options *options);

#endif
