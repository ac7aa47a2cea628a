/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* batch_part (internal): the mechanism "noisy-sgd" of a question; its rounds are epochs. */
#ifndef SHUF_ACCOUNT_BATCH_PART_H
#define SHUF_ACCOUNT_BATCH_PART_H

#include "question_json.h"

/* The type's name. */
#define BATCH_TYPE "noisy-sgd"

/* Whether the object of a mechanism is one. */
int batch_part_is(const json_t *mechanism);

/* Reads the object; or what a part about it says besides: neighbours, and rounds unless they are asked for. Return 0, or -1 after a message. */
int batch_part_read(shuf_part_struct *p, json_t *mechanism, const shuf_question_struct *q, const reader *r);
int batch_part_read_rounds(shuf_part_struct *p, const json_t *part, const shuf_question_struct *q, const reader *r);

/* How often a record takes part: "steps" and "sampling_rate", of which each follows from the other where it is not given, the sampler being known; and back. */
int batch_part_read_steps(shuf_batch_t x, const json_t *object, const reader *r);
void batch_part_put_steps(json_t *object, const shuf_batch_t x);

/* The object; a new reference. */
json_t *batch_part_json(const shuf_part_struct *p, const shuf_question_struct *q);

#endif
