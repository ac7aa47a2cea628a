/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * renyi_part (internal): the mechanism "renyi-ldp", all local randomisers whose Renyi divergence of one order is at most a number, for all
 * pairs of inputs. It is a class of LDP whose eps0 is that of the binary randomised response in it, whose delta0 is 1, and whose `group` has
 * the classes of (eps0, delta0)-LDP randomisers around it that are looked at from above. See proofs/deployments.md.
 */
#ifndef SHUF_ACCOUNT_RENYI_PART_H
#define SHUF_ACCOUNT_RENYI_PART_H

#include "../law/law.h"
#include "question_json.h"

/* The type's name. */
#define RENYI_TYPE "renyi-ldp"

/* So many classes around it are looked at. Size of an array. */
#define RENYI_CLASSES 5

/* Whether the object of a mechanism, or a part, is one. */
int renyi_part_is(const json_t *mechanism);
int renyi_part_has(const shuf_part_struct *p);

/* Reads the order and the divergence. Returns 0, or -1 after a message. */
int renyi_part_read(shuf_part_struct *p, const json_t *mechanism, const reader *r);

/* Chooses the classes around it, RENYI_CLASSES that are initialised, all else of the question being known. */
void renyi_part_enclose(shuf_part_struct *p, const shuf_question_struct *q);

/* The law of all reports of a user by themselves, from above, at single points; the part outlives it. */
void renyi_part_law(shuf_law_t law, const shuf_part_struct *p);

#endif
