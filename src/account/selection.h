/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* selection (internal): the best of a random number of runs. Theorems and proofs: proofs/selection.md. */
#ifndef SHUF_ACCOUNT_SELECTION_H
#define SHUF_ACCOUNT_SELECTION_H

#include "answer.h"

/* The bounds of another question, about delta or epsilon of one run: upper and lower of a, whose bounds the caller clears. Returns as shuf_answer. */
typedef shuf_status (*selection_run)(shuf_answer_struct *a, const shuf_question_struct *q, const shuf_options *options);

/* a->tried := bounds of the best of the runs, from those of one run. Returns as shuf_answer. */
shuf_status selection_answer(shuf_answer_struct *a, selection_run run, const shuf_options *options);

#endif
