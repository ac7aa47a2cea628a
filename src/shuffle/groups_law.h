/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * groups_law: users in groups, each with its own k-RR, or with another randomiser
 * whose outputs may tell the group, in one shuffle (proofs/groups.md).
 */
#ifndef SHUF_GROUPS_LAW_H
#define SHUF_GROUPS_LAW_H

#include "../law/law.h"

/* Largest eps0 of a group; more is refused. */
#define GROUPS_MAX_EPSILON 300

/* Users of a group, who follow k-RR, or with k = 0 something else, with that eps0. */
typedef struct
{
    const shuf_real_struct *eps0;
    uint64_t users, k;
} groups_entry;

/* The one with the largest eps0, and with the smallest. */
size_t groups_widest(const groups_entry *entry, size_t count);
size_t groups_narrowest(const groups_entry *entry, size_t count);

/*
 * pair := one that dominates the shuffle of all groups of k-RR if a user of one with that k differs: a trinomial pair with rational weights, barely
 * above the pair of theorem groups-clones.
 */
void groups_clones(shuf_pair_t pair, const groups_entry *entry, size_t count, uint64_t k);

/* pair := another one that does, krr-weak with a differing user of its own (theorem groups-weak), of at most so many users: of more it takes long. */
#define GROUPS_WEAK_USERS UINT64_C(200000) /* steers only */
void groups_weak(shuf_pair_t pair, const groups_entry *entry, size_t count, uint64_t k);

/*
 * law := of each report of k-RR, whether it is the last value of the group of a user who holds it, or the value before, where all others hold 0
 * (theorem groups-bits); or, `both`, which of the two it is, if any (theorem groups-third). It chooses the group; 0 is returned if there is none for both. [0, 1]
 * where doubles do not reach.
 */
int groups_bits(shuf_law_t law, const groups_entry *entry, size_t count, int both);

/*
 * law := from above, at single points, of binary randomised response: the worst data of as many users as randomise like the group with
 * some eps0, the others' reports being seen (theorem groups-shared).
 */
void groups_shared(shuf_law_t law, const groups_entry *entry, size_t count);

/* Whether there are so few different k that groups_apart has groups_weak of each; else it has groups_clones alone. */
int groups_has_weak(const groups_entry *entry, size_t count);

/*
 * law := the largest, over each k, of the smaller of the pairs of groups_weak and groups_clones, and of clones-stronger of each group that does not follow k-RR, alone with its own
 * users (theorem groups-apart).
 */
void groups_apart(shuf_law_t law, const groups_entry *entry, size_t count);

#endif
