/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* html: the answers of an audit as one page that needs nothing else (internal, of the program). */
#ifndef SHUF_REPORT_HTML_H
#define SHUF_REPORT_HTML_H

#include <stdio.h>

#include <jansson.h>

#include "report/sha256.h"
#include "report/svg.h"

/* A file that was read. */
typedef struct
{
    const char *name;
    char sha256[SHA256_SIZE];
} html_input;

/*
 * An answer to a claim (doc/schema), and the curves of its plot: delta against
 * eps of a claim of (eps, delta), the divergence against the order of a Renyi
 * claim. Without curves the plot shows the points that the answer knows.
 */
typedef struct
{
    const json_t *answer;
    size_t count;
    const svg_series *series;
} html_claim;

/* Writes the page: summary, then the claims in their order. `incomplete`: why there are not all of them; "". */
void html_report(FILE *out, const html_input *inputs, size_t input_count, const html_claim *claims, size_t count, const char *incomplete);

#endif
