/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * one_sided (internal): what is certainly infinite. Where all others hold x1,
 * an output that x has and x1 never is a report that only one of the two data
 * sets can have: no eps makes up for its probability.
 */
#ifndef SHUF_ACCOUNT_ONE_SIDED_H
#define SHUF_ACCOUNT_ONE_SIDED_H

#include "answer.h"

/* Whether what is asked for is infinite for that reason; then b, which is initialised, is that bound from below. */
int one_sided_bound(shuf_answer_bound *b, const shuf_question_struct *q);

#endif
