/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* text: answers (doc/schema) for a terminal (internal, of the program). */
#ifndef SHUF_REPORT_TEXT_H
#define SHUF_REPORT_TEXT_H

#include <stdio.h>

#include <jansson.h>

#define TEXT_DIGITS 4 /* where nobody asks for more: layout */

/*
 * One answer, its first line first: of a claim the verdict, then the guarantee, what shows it from below, and what is assumed, with
 * at most that many digits, rounded outward; 0: as they are. explain: then every bound with its theorems and ledger in full.
 */
void text_answer(FILE *out, const json_t *answer, size_t digits, int explain);

/* The same with TEXT_DIGITS digits and no line broken, for a page, which breaks them itself. */
void text_sentences(FILE *out, const json_t *answer);

/* The number that is guaranteed, alone on its line, or of a claim the verdict; of a bound from below what it shows; "none" without one. */
void text_number(FILE *out, const json_t *answer, size_t digits);

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
