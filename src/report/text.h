/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* text: answers (doc/schema) for a terminal (internal, of the program). */
#ifndef SHUF_REPORT_TEXT_H
#define SHUF_REPORT_TEXT_H

#include <stdio.h>

#include <jansson.h>

/*
 * One answer: the enclosure, what it is worth, the theorems, notes; of a
 * mechanism every bound that says something, then the best of both sides; a
 * claim's verdict first. explain: theorems in full and the ledgers.
 */
void text_answer(FILE *out, const json_t *answer, int explain);

/* A table of verdicts, 100 columns wide where the ids and the claims allow it. */
typedef struct
{
    int id, claim; /* widths */
} text_table;

/* The heading. `questions`: all of the table (an array, or NULL), for the widths. */
void text_table_begin(text_table *table, FILE *out, const json_t *questions);

/* One answer to a claim: a row, and below it why. A field too long for its column has a line of its own. */
void text_table_row(const text_table *table, FILE *out, const json_t *answer, int explain);

/* What the columns mean. */
void text_table_end(FILE *out);

#endif
