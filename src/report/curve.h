/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* curve: answers to questions that differ in one number, or in two, as CSV, JSON lines and pictures (internal, of the program). */
#ifndef SHUF_REPORT_CURVE_H
#define SHUF_REPORT_CURVE_H

#include <stdio.h>

#include <jansson.h>

#include "report/svg.h"

typedef struct
{
    const char *label;     /* a pair, a mechanism, a closed form */
    const json_t *answers; /* an array, one a point; null, an error or a missing end is an empty cell */
} curve_series;

typedef struct
{
    const char *x_name;   /* the member that is swept: eps, users, rounds, ... */
    const char *quantity; /* of all answers */
    size_t points;
    const char *const *x; /* as asked, rising */
    size_t count;
    const curve_series *series;
    const char *family;       /* a member that has a few values, or NULL; the series are those of the first value, then of the second, ... */
    size_t families;
    const char *const *values;
    const char *command;      /* of the comments that a table begins with, or NULL: no comments */
    json_t *named;            /* the theorems that these have named so far: an object, empty at first */
} curve_table;

/*
 * Comments (version, command, and of each label the theorems of the first row, with their status) and the heading
 * "eps,LABEL_lo,LABEL_hi,...", with the family after eps; and the i-th row, one for each value of the family. A theorem
 * that no row before it rests on is told in a comment before it.
 */
void curve_csv_begin(FILE *out, const curve_table *table);
void curve_csv_row(FILE *out, const curve_table *table, size_t i);

/*
 * The i-th row as a JSON object: {"eps": X, "LABEL": {"lo": .., "hi": ..}, ..}; no end is null. A value has
 * its side and its theorems. An object for each value of the family.
 */
void curve_json_row(FILE *out, const curve_table *table, size_t i);

/* The picture, a file. A series with bounds from both sides is two lines. */
void curve_svg(FILE *out, const curve_table *table, svg_scale x_scale);

/* The picture for LaTeX, a file: of each series a band between the ends, and both ends as lines. */
void curve_pgfplots(FILE *out, const curve_table *table, svg_scale x_scale);

/* One line of a picture, and what its series points to: for the plots of a page. */
typedef struct
{
    svg_series series;
    char *label;
    double *x, *lo, *hi;
} curve_line;

/* The guarantees (upper ends), or the lower ends, of the answers at x: of their values or of the bounds of that side. */
void curve_line_set(curve_line *line, const char *label, size_t points, const char *const *x, const json_t *answers, int is_lower);
void curve_line_clear(curve_line *line);

#endif
