/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* noise_part (internal): the mechanism "binomial-noise" of a question, coins added to a count; its rounds are counters. */
#ifndef SHUF_ACCOUNT_NOISE_PART_H
#define SHUF_ACCOUNT_NOISE_PART_H

#include "question_json.h"

/* The type's name. */
#define NOISE_TYPE "binomial-noise"

/* Whether the object of a mechanism is one. */
int noise_part_is(const json_t *mechanism);

/* Reads the object; or what a part about it says besides, which is its rounds. Return 0, or -1 after a message. */
int noise_part_read(shuf_part_struct *p, json_t *mechanism, const reader *r);
int noise_part_read_rounds(shuf_part_struct *p, const json_t *part, const reader *r);

/* The object; a new reference. */
json_t *noise_part_json(const shuf_part_struct *p);

#endif
