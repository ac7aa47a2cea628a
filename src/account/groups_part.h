/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* groups_part (internal): the mechanism "groups" of a question, groups of users in one shuffle, each with its own mechanism. */
#ifndef SHUF_ACCOUNT_GROUPS_PART_H
#define SHUF_ACCOUNT_GROUPS_PART_H

#include "../shuffle/groups_law.h"
#include "question_json.h"

/* The type's name. */
#define GROUPS_TYPE "groups"

/* Most groups of a question; more are refused. */
#define GROUPS_MOST 10000

/* Whether the object of a mechanism is one. */
int groups_part_is(const json_t *mechanism);

/* Reads the object but for its groups, how many there are in *count; then one group's mechanism is checked, and what they are together set. */
int groups_part_read(shuf_part_struct *p, size_t *count, json_t *mechanism, const shuf_question_t q, const reader *r);
int groups_part_check(const shuf_part_struct *own, const reader *r);
int groups_part_total(shuf_part_struct *p, const reader *r);

/* What a part about it says besides, which is its rounds. All return 0, or -1 after a message. */
int groups_part_read_rounds(shuf_part_struct *p, const json_t *part, const reader *r);

/* The k of all groups, if each is k-RR with the same; else 0. And how many are k-RR with any. */
uint64_t groups_part_k(const shuf_part_struct *p);
size_t groups_part_krr(const shuf_part_struct *p);

/* unit := the groups of k-RR alone, which lives as long as the part; flint_free its groups. */
void groups_part_take_krr(shuf_part_struct *unit, const shuf_part_struct *p);

/* The groups, as long as the part lives; flint_free it. */
groups_entry *groups_part_entries(const shuf_part_struct *p);

/* Of those that are classes, or of those that are described and not k-RR, the group whose worst data seem worst; NULL: there is none. */
const shuf_part_struct *groups_part_worst(const shuf_part_struct *p, shuf_subject subject);

#endif
