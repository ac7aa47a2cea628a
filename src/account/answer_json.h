/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* answer_json (internal): answers as jansson objects. */
#ifndef SHUF_ACCOUNT_ANSWER_JSON_H
#define SHUF_ACCOUNT_ANSWER_JSON_H

#include "answer.h"
#include "question_json.h"

#define OUT_OF_MEMORY "out of memory"

/* New references; of a failed answer an object with "error". */
json_t *answer_json(const shuf_answer_struct *a);
json_t *answer_error_json(const char *id, const char *error);

/* One bound, as a question of those digits has it; and a bound of nothing, to be filled. */
json_t *answer_bound_json(const shuf_answer_bound *b, const shuf_question_struct *q);
void answer_bound_init(shuf_answer_bound *b);
void answer_bound_clear(shuf_answer_bound *b);

/* The answer to a question that is an object; answer_read says so if there is not enough memory for it. */
json_t *answer_find(json_t *object);
json_t *answer_read(json_t *object);

/* One line without a newline (flint_free it), which takes the object over; NULL without memory. */
char *answer_dump(json_t *object);

#endif
