/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* part (internal): the rounds of a question. */
#ifndef SHUF_ACCOUNT_PART_H
#define SHUF_ACCOUNT_PART_H

#include "question_json.h"

void part_init(shuf_part_t p);
void part_clear(shuf_part_t p);

/* Reads the parts, what is asked being known. Returns 0, or -1 after a message. */
int parts_read(shuf_question_t q, json_t *object, reader *r);

#endif
