/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* evaluate (internal): the bound that a task, a closed form or a search yields. */
#ifndef SHUF_ACCOUNT_EVALUATE_H
#define SHUF_ACCOUNT_EVALUATE_H

#include "tasks.h"

/*
 * b := the bound of the task, and for a claim its sign. Returns 0, or -1 when
 * it has none (b is then still to be cleared).
 */
int task_evaluate(shuf_answer_bound *b, const task *x, const shuf_question_struct *q, const shuf_options *options);

/* The value of a closed form, as shuf_answer. */
shuf_status form_evaluate(shuf_answer_bound *b, char *error, size_t size, const shuf_question_struct *q, const shuf_options *options);

/* The noise multiplier or the epochs that are certified, of noisy SGD, as shuf_answer. */
shuf_status central_search_evaluate(shuf_answer_bound *b, char *error, size_t size, const shuf_question_struct *q, const shuf_options *options);

/* The users, eps0 or scale that are certified, as shuf_answer. */
shuf_status search_evaluate(shuf_answer_bound *b, char *error, size_t size, const shuf_question_struct *q, const shuf_options *options);

/* The theorems of b := those of the chain. */
void bound_set_chain(shuf_answer_bound *b, const theorem_chain *chain);

/* The number that is claimed. */
const shuf_real_struct *question_claimed(const shuf_question_struct *q);

/* Of a claim: -1 if the bound certifies it, 1 if it refutes it, else 0. */
int bound_decides(const shuf_answer_bound *b);

/* Whether every theorem of the chain may certify on that side. */
int bound_certifies(const shuf_answer_bound *b, shuf_side side);

#endif
