/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* question_json (internal): questions as jansson objects. */
#ifndef SHUF_ACCOUNT_QUESTION_JSON_H
#define SHUF_ACCOUNT_QUESTION_JSON_H

#include "../exact/reader.h"
#include "question.h"

/* Reads an object; q is initialised. Returns 0, or -1 after a message. */
int question_read(shuf_question_t q, json_t *object, reader *r);

/* New references. */
json_t *question_json(const shuf_question_t q);
/* The member "mechanism" of a part that is not about a pair. */
json_t *mechanism_json(const shuf_part_struct *part);

#endif
