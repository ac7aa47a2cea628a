/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* bounds: the pairs that bound a mechanism, their Renyi curves and privacy profiles (internal). */
#ifndef SHUF_CLAIM_BOUNDS_H
#define SHUF_CLAIM_BOUNDS_H

#include "claim/claim.h"
#include "subsample/profile.h"
#include "subsample/subsample.h"

#define MAX_PAIRS 3

/* Pairs for the sampled users, with the theorems that say what each one bounds. */
typedef struct
{
    const char *theorem[MAX_PAIRS];
    shuf_pair_t pair[MAX_PAIRS];
    uint64_t rounds[MAX_PAIRS]; /* how many of the pair make up all rounds of the mechanism */
    size_t count;
    uint64_t next_rounds;       /* of the next pair to be added */
} pair_list;

/*
 * Pairs that dominate the mechanism; and pairs of laws that a mechanism of the
 * class has. If it subsamples, P is then the law on all-equal data, and there
 * are none for Renyi claims.
 */
void pair_list_upper(pair_list *list, const shuf_mechanism_t m);
void pair_list_lower(pair_list *list, const shuf_mechanism_t m, shuf_claim_kind kind);
void pair_list_clear(pair_list *list);

/*
 * The index of the pair that is nowhere above the others, in a list from
 * pair_list_upper that is not empty: krr-weak if there, else clones-stronger
 * (proofs/trinomial-pair.md Lemma 8). The largest loss of krr-weak may exceed
 * eps0 by the rounding of gamma.
 */
size_t pair_list_smallest(const pair_list *list);

/*
 * The Renyi curve that a pair gives for all rounds of a mechanism, its
 * subsampling included. It points into itself: not to be moved.
 */
typedef struct
{
    shuf_pair_t pair;
    shuf_subsample_t sample;
    shuf_renyi_curve base, sampled, round; /* of the pair, of its subsample, of one round */
    uint64_t rounds;
    shuf_renyi_sum sum;
    shuf_renyi_curve curve;       /* of all rounds */
} mechanism_curve_struct;

typedef mechanism_curve_struct mechanism_curve_t[1];

/* m must outlive it. */
void mechanism_curve_init(mechanism_curve_t c, const shuf_pair_t pair, uint64_t rounds, const shuf_mechanism_t m);
void mechanism_curve_clear(mechanism_curve_t c);

/*
 * r encloses the curve at the order, or at the next integer when it has no
 * others: an upper bound all the same, because divergences grow with the order.
 */
shuf_status mechanism_curve_evaluate(shuf_enclosure_t r, const mechanism_curve_t c, const shuf_real_t order,
                                     const shuf_options *options);

/*
 * The privacy profile that a pair gives for one round of a mechanism, its
 * subsampling of that kind included. It points into itself: not to be moved.
 */
typedef struct
{
    shuf_pair_t pair;
    shuf_sampled_t sample;
    shuf_profile base, round; /* of the pair, of one round */
} mechanism_profile_struct;

typedef mechanism_profile_struct mechanism_profile_t[1];

void mechanism_profile_init(mechanism_profile_t p, const shuf_pair_t pair, shuf_sampled_kind kind,
                            const shuf_mechanism_t m);
void mechanism_profile_clear(mechanism_profile_t p);

/* The curves of a composition; the mechanisms must outlive them. NULL may be cleared. */
struct shuf_composition_parts *composition_parts_new(const shuf_mechanism_struct *mechanisms, size_t count);
void composition_parts_clear(struct shuf_composition_parts *parts);

#endif
