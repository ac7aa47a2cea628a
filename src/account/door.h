/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* door (internal): what the functions of shufbound.h share with the program. */
#ifndef SHUF_ACCOUNT_DOOR_H
#define SHUF_ACCOUNT_DOOR_H

#include <stdio.h>

#include "answer.h"

/* Why there is no certificate of what is asked, or NULL. */
const char *door_certificate_refusal(const shuf_question_t q);

/* Writes the certificate of the answer to such a question. Returns NULL, or why it cannot. */
const char *door_certificate_write(FILE *out, const shuf_answer_t a);

#endif
