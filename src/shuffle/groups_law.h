/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * groups_law: users in groups, each with its own k-RR, or each with its own
 * class of randomisers, in one shuffle (proofs/groups.md).
 */
#ifndef SHUF_GROUPS_LAW_H
#define SHUF_GROUPS_LAW_H

#include "../law/law.h"

/* Largest eps0 of a group; more is refused. */
#define GROUPS_MAX_EPSILON 300

/* Users of a group, who follow k-RR, or anything, with that eps0. */
typedef struct
{
    const shuf_real_struct *eps0;
    uint64_t users;
} groups_entry;

/* The one with the largest eps0, and with the smallest. */
size_t groups_widest(const groups_entry *entry, size_t count);
size_t groups_narrowest(const groups_entry *entry, size_t count);

/*
 * pair := one that dominates the shuffle of all groups, whoever differs: a trinomial pair with rational weights, barely above the
 * pair of theorem groups-blanket.
 */
void groups_blanket(shuf_pair_t pair, const groups_entry *entry, size_t count, uint64_t k);

/*
 * law := whether each report is 0, or not, where a user of group `groups_widest` holds 0 or 1 and all others hold `others`: 0 where
 * k = 2, else 2 (theorem groups-bits). [0, 1] where doubles do not reach.
 */
void groups_bits(shuf_law_t law, const groups_entry *entry, size_t count, uint64_t k, uint64_t others);

/*
 * law := from above, at single points, of binary randomised response: the worst data of as many users as randomise like the group with
 * some eps0, the others' reports being seen (theorem groups-shared).
 */
void groups_shared(shuf_law_t law, const groups_entry *entry, size_t count);

/* law := the largest of the groups' clones-stronger, each group alone with its own users (theorem groups-apart). */
void groups_apart(shuf_law_t law, const groups_entry *entry, size_t count);

#endif
