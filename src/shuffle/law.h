/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * law: one round of a mechanism that is known by bounds of its divergences,
 * not by a pair of laws.
 *
 * All of it is on one side. From above, what is enclosed is at least the
 * divergence of the round on all neighbouring data. From below, it is at most
 * that of a function of the reports on concrete neighbouring data: `where` of
 * a single point, and of the profile the same data at every point, in the
 * order in which the direction has them. A sampled round is a law of its own:
 * the sampling is part of it.
 *
 * One that makes laws fills in the functions; what uses them is
 * account/rounds.h.
 */
#ifndef SHUF_SHUFFLED_LAW_H
#define SHUF_SHUFFLED_LAW_H

#include "../pld/profile.h"
#include "shuffled.h"

typedef struct shuf_shuffled_law_struct
{
    /*
     * r encloses the bound of delta at eps in that direction, or of the
     * smallest eps at delta, as shuf_shuffled_sampled_delta and shuf_shuffled_sampled_epsilon
     * do. NULL (both): one round is a composition of one by its profile.
     */
    shuf_status (*delta)(shuf_enclosure_t r, shuf_datasets *where, const struct shuf_shuffled_law_struct *self, const shuf_real_t eps,
                         shuf_direction direction, const shuf_options *options);
    shuf_status (*epsilon)(shuf_enclosure_t r, shuf_datasets *where, const struct shuf_shuffled_law_struct *self, const shuf_real_t delta,
                           shuf_direction direction, const shuf_options *options);
    /*
     * For compositions and functions of the round; profile.evaluate is NULL
     * where only single points are known. Its hi is a profile or above one; of
     * a law from below its lo, at most one's. profile.data is the data below or part of it.
     */
    shuf_profile profile;
    shuf_profile second; /* unless its evaluate is NULL: a round is the product of both */
    /* Unless NULL: the work that all points of the profile have in common; called before it is used, by one thread. Does it once. */
    void (*prepare)(const struct shuf_shuffled_law_struct *self, const shuf_options *options);
    int at_nodes; /* whether the profile is that of a polygon, which is as good as its nodes */
    const shuf_datasets *where; /* unless NULL: the data of the profile, after prepare */
    void *data;
    void (*clear)(void *data); /* frees them; NULL: nothing to free */
} shuf_shuffled_law_struct;

typedef shuf_shuffled_law_struct shuf_shuffled_law_t[1];

/* Nothing: no function is set. */
void shuf_shuffled_law_init(shuf_shuffled_law_t law);
void shuf_shuffled_law_clear(shuf_shuffled_law_t law);

/*
 * One round by the bound of that kind at single points, the larger of both
 * directions. The randomiser and the rate must outlive the law, which is empty before.
 */
void shuf_shuffled_law_set(shuf_shuffled_law_t law, const shuf_randomiser_t randomiser, const shuf_sampling *sampling,
                           shuf_shuffled_kind kind);

/*
 * The same as a profile: from above the smallest of LOCAL_PROFILE and BLANKET
 * at nodes, and the convex envelope between them (theorem profile-nodes);
 * from below, of kind ALL_EQUAL or THIRD, that of one pair of data, those that
 * seem worst, or if `named` those in which user 1 holds 0 or 1 and the others
 * 0 or 2. Both for randomisers whose eps0 is at most SHUF_MAX_EPSILON or infinite.
 */
void shuf_shuffled_law_set_above(shuf_shuffled_law_t law, const shuf_randomiser_t randomiser, const shuf_sampling *sampling);
void shuf_shuffled_law_set_below(shuf_shuffled_law_t law, const shuf_randomiser_t randomiser, const shuf_sampling *sampling,
                                 shuf_shuffled_kind kind, int named);

#endif
