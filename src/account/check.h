/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* check (internal): which questions a theorem and an engine cover. */
#ifndef SHUF_ACCOUNT_CHECK_H
#define SHUF_ACCOUNT_CHECK_H

#include "question.h"

/* Returns 0, or -1 with a line in error that says what is not covered. */
int question_check(char *error, size_t size, const shuf_question_struct *q);

#endif
