/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* selection (internal): the best of a random number of runs. Theorems and proofs: proofs/selection.md. */
#ifndef SHUF_ACCOUNT_SELECTION_H
#define SHUF_ACCOUNT_SELECTION_H

#include "../exact/reader.h"
#include "answer.h"

/* The member of a question, if it is there. Return 0, or -1 after a message; and a new reference, or NULL where there is none. */
int selection_read(shuf_question_t q, json_t *object, const reader *r);
json_t *selection_json(const shuf_question_struct *q);

/* The bounds of another question, about delta or epsilon of one run: upper and lower of a, which the caller clears. Returns as shuf_answer. */
typedef shuf_status (*selection_run)(shuf_answer_struct *a, const shuf_question_struct *q, const shuf_options *options);

/* a->tried := bounds of the best of the runs, from those of one run. Returns as shuf_answer. */
shuf_status selection_answer(shuf_answer_struct *a, selection_run run, const shuf_options *options);

#endif
